/* See schema_text.h. Names of columns stand in double quotes unless they are plain words: a name can hold anything. In
 * comments, characters that could end the line or change what a terminal shows become question marks. */
#include "propose/schema_text.h"

#include "core/alloc.h"
#include "core/escape.h"
#include "core/text.h"
#include "table/schema/flow_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_comment(kanon__text_writer *w, const char *text)
{
    kanon__put_text(w, "# ");
    for (const char *c = text; *c != '\0'; c++)
        kanon__put(w, (unsigned char)*c < ' ' || *c == 0x7f ? "?" : c, 1);
    kanon__put_text(w, "\n");
}

/* Spaces until the line that begins at `begin` has `width` characters, at least one. */
static void pad(kanon__text_writer *w, int64_t begin, int width)
{
    int used = 0;
    for (int64_t i = begin; w->st == KANON_OK && i < w->n; i++)
        used += ((unsigned char)w->bytes[i] & 0xc0) != 0x80;
    do
        kanon__put_text(w, " ");
    while (++used < width);
}

/* ---- parts --------------------------------------------------------------------------------------------------------- */

static void put_title(kanon__text_writer *w, const kanon__schema_plan *p)
{
    char line[640];
    snprintf(line, sizeof line, "Proposed for %.*s: %lld records, %d columns.", KANON__CUT(p->table_name, 300),
             (long long)p->n_rows,
             p->roles->n_columns);
    put_comment(w, line);
    kanon__put_text(w, "# Read each line: a role that is too generous publishes what should not be published.\n"
                       "#   identifying  not released      quasi      generalised, so that k persons look alike\n"
                       "#   sensitive    released as is    insensitive    released as is\n");
    for (int64_t i = 0; i < p->notes->n; i++)
        put_comment(w, p->notes->items[i]);
    kanon__put_text(w, "\n");
}

static void put_sets(kanon__text_writer *w, const kanon__schema_plan *p)
{
    if (p->n_sets == 0)
        return;
    kanon__put_text(w, "# Columns that single out most persons:\n");
    for (size_t i = 0; i < p->n_sets; i++) {
        char names[400] = "", line[512];
        for (size_t j = 0; j < p->sets[i]->n_columns && strlen(names) + 100 + 3 < sizeof names; j++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.*s", j > 0 ? ", " : "",
                     KANON__CUT(p->sets[i]->columns[j], 100));
        snprintf(line, sizeof line, "  %5.1f %%  %s", 100 * p->sets[i]->share, names);
        put_comment(w, line);
    }
    kanon__put_text(w, "\n");
}

/* What the caller said about the file, so that nobody has to say it again. */
static void put_reading(kanon__text_writer *w, const kanon__schema_plan *p)
{
    if (p->header != KANON_HEADER_UNSAID)
        kanon__putf(w, "header: %s  # whether the first line names the columns\n",
                    p->header == KANON_HEADER_YES ? "yes" : "no");
    if (p->encoding != NULL) {
        kanon__put_text(w, "encoding: ");
        kanon__put_name(w, p->encoding);
        kanon__put_text(w, "\n");
    }
}

static void put_missing(kanon__text_writer *w, const kanon__schema_plan *p)
{
    for (int64_t i = 0; i < p->missing->n; i++) {
        kanon__put_text(w, i == 0 ? "missing: [" : ", ");
        kanon__put_quoted(w, p->missing->items[i]);
    }
    kanon__put_text(w, p->missing->n > 0 ? "]  # found in columns below; empty cells have no value either\n\n" : "");
}

/* How values are written, where that is not the plain form or could be taken for another one. ISO 8601 with times is found
 * by itself. */
static void put_format(kanon__text_writer *w, const kanon__decision *d, const kanon__column_facts *f)
{
    const kanon__value_format *format = &f->shape.format;
    bool doubt = f->shape.kind == KANON__SHAPE_AMBIGUOUS_NUMBERS || f->thousands;
    if (d->type == KANON_TYPE_DATE && format->date[0] == '%')
        kanon__putf(w, ", format: \"%s\"", format->date);
    if (d->type != KANON_TYPE_INTEGER && d->type != KANON_TYPE_DECIMAL)
        return;
    if (format->decimal == ',' || format->thousands != 0 || doubt)
        kanon__putf(w, ", decimal: \"%c\"", format->decimal == 0 ? '.' : format->decimal);
    if (format->thousands != 0)
        kanon__putf(w, ", thousands: \"%c\"", format->thousands);
}

/* The names of bands from the lowest to the highest: each round puts the one that follows. */
static void put_order(kanon__text_writer *w, const kanon__column_facts *f)
{
    double last = -INFINITY;
    kanon__put_text(w, ", order: [");
    for (int64_t n = 0; n < f->n_distinct; n++) {
        double best = INFINITY, low;
        uint32_t next = 0;
        size_t length;
        char label[200];
        for (uint32_t code = 0; code < f->texts->n; code++) {
            const char *text = kanon__dictionary_text(f->texts, code, &length);
            if (!f->missing[code] && kanon__band_label_low(&low, text, length) && low > last && low < best) {
                best = low;
                next = code;
            }
        }
        const char *text = kanon__dictionary_text(f->texts, next, &length);
        kanon__trim(&text, &length);
        snprintf(label, sizeof label, "%.*s", (int)(length < sizeof label ? length : sizeof label - 1), text);
        kanon__put_text(w, n > 0 ? ", " : "");
        kanon__put_quoted(w, label);
        last = best;
    }
    kanon__put_text(w, "]");
}

static void put_attribute(kanon__text_writer *w, const kanon__schema_plan *p, int i, int width, int line_width)
{
    const kanon__decision *d = &p->roles->decisions[i];
    const kanon__column_facts *f = &p->roles->facts[i];
    int64_t begin = w->n;
    kanon__put_text(w, "  ");
    kanon__put_name(w, f->name);
    kanon__put_text(w, ":");
    pad(w, begin, width);
    kanon__putf(w, "{role: %s", kanon_enum_text(KANON_ENUM_ROLE, d->role));
    if (d->role == KANON_ROLE_QUASI || d->role == KANON_ROLE_SENSITIVE) {
        kanon__putf(w, ", type: %s", kanon_enum_text(KANON_ENUM_TYPE, d->type));
        put_format(w, d, f);
        if (d->mask)
            kanon__put_text(w, ", mask: right");
        if (d->bands[0] != '\0')
            kanon__putf(w, ", bands: %s", d->bands);
        if (d->top[0] != '\0')
            kanon__putf(w, ", top: %s", d->top);
        if (d->type == KANON_TYPE_ORDINAL)
            put_order(w, f);
        if (d->light && d->role == KANON_ROLE_QUASI)
            kanon__put_text(w, ", weight: 0.1");
    }
    kanon__put_text(w, "}");
    pad(w, begin, line_width);
    kanon__put_text(w, " ");
    put_comment(w, d->reason);
}

/* Names are aligned up to a width, since a single long one would push the others away. */
static void put_attributes(kanon__text_writer *w, const kanon__schema_plan *p)
{
    enum { WIDEST_NAME = 28, DESCRIPTION = 50 };
    int width = 0;
    for (int i = 0; i < p->roles->n_columns; i++) {
        int length = (int)strlen(p->roles->facts[i].name) + (kanon__text_is_plain(p->roles->facts[i].name) ? 0 : 2);
        width = length > width && length <= WIDEST_NAME ? length : width;
    }
    kanon__put_text(w, "attributes:\n");
    for (int i = 0; i < p->roles->n_columns; i++)
        put_attribute(w, p, i, width + 4, width + 4 + DESCRIPTION);
    kanon__put_text(w, "\n");
}

/* Whether groups can hold two values of the column without being as large as the table. */
static bool can_be_diverse(const kanon__column_facts *f)
{
    return f->n_distinct + (f->n_missing > 0) >= 2 && f->most * 10 <= f->n_rows * 9;
}

static void put_constraints(kanon__text_writer *w, const kanon__schema_plan *p)
{
    bool any = false;
    for (int i = 0; i < p->roles->n_columns; i++) {
        const kanon__column_facts *f = &p->roles->facts[i];
        if (p->roles->decisions[i].role != KANON_ROLE_SENSITIVE)
            continue;
        if (!any)
            kanon__put_text(w, "  constraints:\n");
        any = true;
        if (!can_be_diverse(f)) {
            char line[160];
            snprintf(line, sizeof line, "%.*s: nearly all records have one value", KANON__CUT(f->name, 80));
            kanon__put_text(w, "    ");
            put_comment(w, line);
            continue;
        }
        kanon__put_text(w, "    - {model: distinct-l-diversity, attribute: ");
        kanon__put_name(w, f->name);
        kanon__put_text(w, ", l: 2}  # else all of a group may share one value\n");
    }
}

static void put_privacy(kanon__text_writer *w, const kanon__schema_plan *p)
{
    const kanon__roles *r = p->roles;
    kanon__put_text(w, "privacy:\n");
    kanon__putf(w, "  k: %lld  # each released record looks like those of at least %lld others\n", (long long)p->k,
                (long long)p->k - 1);
    put_constraints(w, p);
    if (r->entity >= 0) {
        kanon__put_text(w, "\n# A person has several records: groups hold k persons, not k records.\nentity: ");
        kanon__put_name(w, r->facts[r->entity].name);
        kanon__put_text(w, "\n");
    }
    if (r->key >= 0) {
        kanon__put_text(w, "\n# Names a record, for changes to it later.\nkey: [");
        kanon__put_name(w, r->facts[r->key].name);
        kanon__put_text(w, "]\n");
    }
}

kanon_status kanon__schema_text(char **out, size_t *size, const kanon__schema_plan *plan, kanon_error *err)
{
    kanon__text_writer w = {.err = err};
    *out = NULL;
    put_title(&w, plan);
    put_sets(&w, plan);
    put_reading(&w, plan);
    put_missing(&w, plan);
    put_attributes(&w, plan);
    put_privacy(&w, plan);
    if (w.st != KANON_OK) {
        kanon__free(w.bytes);
        return w.st;
    }
    *out = w.bytes;
    *size = (size_t)w.n;
    return KANON_OK;
}
