/* See schema_text.h. Names of columns stand in double quotes unless they are plain words: a name can hold anything. In
 * comments, characters that could end the line or change what a terminal shows become question marks. */
#include "propose/schema_text.h"

#include "core/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that grows. After a failure nothing is added any more. */
typedef struct text_writer {
    char *bytes;
    int64_t n, capacity;
    kanon_status st;
    kanon_error *err;
} text_writer;

static void put(text_writer *w, const char *bytes, size_t n)
{
    if (w->st == KANON_OK)
        w->st = kanon__grow_array(&w->bytes, &w->capacity, w->n + (int64_t)n + 1, "a schema", w->err);
    if (w->st != KANON_OK)
        return;
    memcpy(w->bytes + w->n, bytes, n);
    w->n += (int64_t)n;
    w->bytes[w->n] = '\0';
}

static void put_text(text_writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void putf(text_writer *w, const char *format, ...) KANON__PRINTF(2, 3);
static void putf(text_writer *w, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    put_text(w, line);
}

/* ---- names and comments -------------------------------------------------------------------------------------------- */

/* Whether YAML takes the text for itself without quotes. */
static bool is_plain(const char *text)
{
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    bool letter = (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z');
    for (const char *c = text; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '-'))
            return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = 0;
        while (text[n] != '\0' && (text[n] | 0x20) == words[i][n])
            n++;
        if (text[n] == '\0' && words[i][n] == '\0')
            return false;
    }
    return letter;
}

/* A text in double quotes. */
static void put_quoted(text_writer *w, const char *text)
{
    put_text(w, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            putf(w, "\\%c", *c);
        else if ((unsigned char)*c < ' ' || *c == 0x7f)
            putf(w, "\\x%02x", (unsigned char)*c);
        else
            put(w, c, 1);
    }
    put_text(w, "\"");
}

static void put_name(text_writer *w, const char *name)
{
    if (is_plain(name))
        put_text(w, name);
    else
        put_quoted(w, name);
}

static void put_comment(text_writer *w, const char *text)
{
    put_text(w, "# ");
    for (const char *c = text; *c != '\0'; c++)
        put(w, (unsigned char)*c < ' ' || *c == 0x7f ? "?" : c, 1);
    put_text(w, "\n");
}

/* Spaces until the line that begins at `begin` has `width` characters, at least one. */
static void pad(text_writer *w, int64_t begin, int width)
{
    int used = 0;
    for (int64_t i = begin; w->st == KANON_OK && i < w->n; i++)
        used += ((unsigned char)w->bytes[i] & 0xc0) != 0x80;
    do
        put_text(w, " ");
    while (++used < width);
}

/* ---- parts --------------------------------------------------------------------------------------------------------- */

static void put_title(text_writer *w, const kanon__schema_plan *p)
{
    char line[640];
    snprintf(line, sizeof line, "Proposed for %.300s: %lld records, %d columns.", p->table_name, (long long)p->n_rows,
             p->roles->n_columns);
    put_comment(w, line);
    put_text(w, "# Read each line: a role that is too generous publishes what should not be published.\n"
                "#   identifying  not released      quasi      generalised, so that k persons look alike\n"
                "#   sensitive    released as is    insensitive    released as is\n");
    for (int64_t i = 0; i < p->notes->n; i++)
        put_comment(w, p->notes->items[i]);
    put_text(w, "\n");
}

static void put_sets(text_writer *w, const kanon__schema_plan *p)
{
    if (p->n_sets == 0)
        return;
    put_text(w, "# Columns that single out most persons:\n");
    for (size_t i = 0; i < p->n_sets; i++) {
        char names[400] = "", line[512];
        for (size_t j = 0; j < p->sets[i].n_columns; j++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.100s", j > 0 ? ", " : "",
                     p->sets[i].columns[j]);
        snprintf(line, sizeof line, "  %5.1f %%  %s", 100 * p->sets[i].share, names);
        put_comment(w, line);
    }
    put_text(w, "\n");
}

/* What the caller said about the file, so that nobody has to say it again. */
static void put_reading(text_writer *w, const kanon__schema_plan *p)
{
    if (p->header != KANON_HEADER_UNSAID)
        putf(w, "header: %s  # whether the first line names the columns\n", p->header == KANON_HEADER_YES ? "yes" : "no");
    if (p->encoding != NULL) {
        put_text(w, "encoding: ");
        put_name(w, p->encoding);
        put_text(w, "\n");
    }
}

static void put_missing(text_writer *w, const kanon__schema_plan *p)
{
    for (int64_t i = 0; i < p->missing->n; i++) {
        put_text(w, i == 0 ? "missing: [" : ", ");
        put_quoted(w, p->missing->items[i]);
    }
    put_text(w, p->missing->n > 0 ? "]  # found in columns below; empty cells have no value either\n\n" : "");
}

/* How values are written, where that is not the plain form or could be taken for another one. ISO 8601 with times is found
 * by itself. */
static void put_format(text_writer *w, const kanon__decision *d, const kanon__column_facts *f)
{
    const kanon__value_format *format = &f->shape.format;
    bool doubt = f->shape.kind == KANON__SHAPE_AMBIGUOUS_NUMBERS;
    if (d->type == KANON_TYPE_DATE && format->date[0] == '%')
        putf(w, ", format: \"%s\"", format->date);
    if (d->type != KANON_TYPE_INTEGER && d->type != KANON_TYPE_DECIMAL)
        return;
    if (format->decimal == ',' || format->thousands != 0 || doubt)
        putf(w, ", decimal: \"%c\"", format->decimal == 0 ? '.' : format->decimal);
    if (format->thousands != 0)
        putf(w, ", thousands: \"%c\"", format->thousands);
}

static void put_attribute(text_writer *w, const kanon__schema_plan *p, int i, int width, int line_width)
{
    const kanon__decision *d = &p->roles->decisions[i];
    const kanon__column_facts *f = &p->roles->facts[i];
    int64_t begin = w->n;
    put_text(w, "  ");
    put_name(w, f->name);
    put_text(w, ":");
    pad(w, begin, width);
    putf(w, "{role: %s", kanon_enum_text(KANON_ENUM_ROLE, d->role));
    if (d->role == KANON_ROLE_QUASI || d->role == KANON_ROLE_SENSITIVE) {
        putf(w, ", type: %s", kanon_enum_text(KANON_ENUM_TYPE, d->type));
        put_format(w, d, f);
        if (d->mask)
            put_text(w, ", mask: right");
        if (d->bands[0] != '\0')
            putf(w, ", bands: %s", d->bands);
        if (d->top[0] != '\0')
            putf(w, ", top: %s", d->top);
    }
    put_text(w, "}");
    pad(w, begin, line_width);
    put_text(w, " ");
    put_comment(w, d->reason);
}

/* Names are aligned up to a width, since a single long one would push the others away. */
static void put_attributes(text_writer *w, const kanon__schema_plan *p)
{
    enum { WIDEST_NAME = 28, DESCRIPTION = 50 };
    int width = 0;
    for (int i = 0; i < p->roles->n_columns; i++) {
        int length = (int)strlen(p->roles->facts[i].name) + (is_plain(p->roles->facts[i].name) ? 0 : 2);
        width = length > width && length <= WIDEST_NAME ? length : width;
    }
    put_text(w, "attributes:\n");
    for (int i = 0; i < p->roles->n_columns; i++)
        put_attribute(w, p, i, width + 4, width + 4 + DESCRIPTION);
    put_text(w, "\n");
}

/* Whether groups can hold two values of the column without being as large as the table. */
static bool can_be_diverse(const kanon__column_facts *f)
{
    return f->n_distinct + (f->n_missing > 0) >= 2 && f->most * 10 <= f->n_rows * 9;
}

static void put_constraints(text_writer *w, const kanon__schema_plan *p)
{
    bool any = false;
    for (int i = 0; i < p->roles->n_columns; i++) {
        const kanon__column_facts *f = &p->roles->facts[i];
        if (p->roles->decisions[i].role != KANON_ROLE_SENSITIVE)
            continue;
        if (!any)
            put_text(w, "  constraints:\n");
        any = true;
        if (!can_be_diverse(f)) {
            char line[160];
            snprintf(line, sizeof line, "%.80s: nearly all records have one value", f->name);
            put_text(w, "    ");
            put_comment(w, line);
            continue;
        }
        put_text(w, "    - {model: distinct-l-diversity, attribute: ");
        put_name(w, f->name);
        put_text(w, ", l: 2}  # else all of a group may share one value\n");
    }
}

static void put_privacy(text_writer *w, const kanon__schema_plan *p)
{
    const kanon__roles *r = p->roles;
    put_text(w, "privacy:\n");
    putf(w, "  k: %lld  # each released record looks like those of at least %lld others\n", (long long)p->k,
         (long long)p->k - 1);
    put_constraints(w, p);
    if (r->entity >= 0) {
        put_text(w, "\n# A person has several records: groups hold k persons, not k records.\nentity: ");
        put_name(w, r->facts[r->entity].name);
        put_text(w, "\n");
    }
    if (r->key >= 0) {
        put_text(w, "\n# Names a record, for changes to it later.\nkey: [");
        put_name(w, r->facts[r->key].name);
        put_text(w, "]\n");
    }
}

kanon_status kanon__schema_text(char **out, size_t *size, const kanon__schema_plan *plan, kanon_error *err)
{
    text_writer w = {.err = err};
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
