/* See released_notice.h. */
#include "pipeline/released_notice.h"

#include "core/alloc.h"
#include "core/escape.h"
#include "propose/suspicion.h"
#include "table/read/row_sample.h"

#include <kanon_host.h>
#include <stdio.h>
#include <string.h>

/* Columns that others may know are named in one line, the first ones of many. */
enum { NAMES = 400 };

/* The entity is said to be released elsewhere. */
static kanon_role role_of(const kanon_table *t, int column)
{
    bool is_entity = t->data.has_entity && t->data.entity_column == column;
    return is_entity ? KANON_ROLE_IDENTIFYING : t->data.columns[column].role;
}

/* Whether the reading of the table has warned of the values of this column already (table/read/released_text.h). */
static bool is_said(const kanon_table *t, const char *name)
{
    static const char follows[] = ": is released as it is";
    char shown[1024]; /* as the warning has it */
    size_t n = kanon_escape(shown, sizeof shown, name);
    for (int64_t i = 0; n < sizeof shown && i < t->privacy.n; i++)
        if (strncmp(t->privacy.items[i], shown, n) == 0 &&
            strncmp(t->privacy.items[i] + n, follows, sizeof follows - 1) == 0)
            return true;
    return false;
}

static const char *advice_for(kanon__suspicion_kind kind)
{
    return kind == KANON__SUSPECT_EXACT ? "quasi is the role that generalises it"
                                        : "identifying is the role that withholds it";
}

/* A warning is also a row of the verdict. */
static kanon_status keep_last(kanon__texts *to, const kanon_grouping *g, kanon_error *err)
{
    const char *last = g->privacy.items[g->privacy.n - 1];
    return kanon__texts_add(to, last, strlen(last), err);
}

static kanon_status warn(kanon_grouping *g, const kanon_table *t, const kanon__suspicions *found, kanon_error *err)
{
    char known[NAMES] = "";
    int n_known = 0;
    for (int64_t i = 0; i < found->n; i++) {
        const kanon__suspicion *s = &found->items[i];
        const char *name = t->data.columns[s->column].name;
        size_t used = strlen(known);
        if (kanon__suspicion_identifies(s->kind) && is_said(t, name))
            continue;
        if (s->kind == KANON__SUSPECT_KNOWN) {
            if (used + strlen(name) + 3 < sizeof known)
                snprintf(known + used, sizeof known - used, "%s%s", n_known++ > 0 ? ", " : "", name);
            continue;
        }
        KANON_CHECK(kanon__texts_addf(&g->privacy, err, "%.*s: is released as it is, and %s; %s", KANON__CUT(name, 200),
                                      s->text,
                                      advice_for(s->kind)));
        KANON_CHECK(keep_last(kanon__suspicion_identifies(s->kind) ? &g->identifying : &g->telling, g, err));
    }
    if (n_known == 0)
        return KANON_OK;
    KANON_CHECK(kanon__texts_addf(&g->privacy, err, "released as %s, and others may know %s: %s; as %s of weight 0.1 %s",
                                  n_known == 1 ? "it is" : "they are", n_known == 1 ? "it" : "them", known,
                                  n_known == 1 ? "a quasi-identifier" : "quasi-identifiers",
                                  n_known == 1 ? "it is protected at little cost" : "they are protected at little cost"));
    return keep_last(&g->telling, g, err);
}

static kanon_status find(kanon__suspicions *out, const kanon_table *t, kanon__row_sample *s, kanon__column_facts *facts,
                         kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__source *source = t->source;
    int n = source->n_columns;
    bool *wanted = NULL;
    kanon__suspect *suspects = NULL;
    KANON_TRY(kanon__new_array(&wanted, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&suspects, n, "columns", err), out);
    for (int c = 0; c < n; c++)
        wanted[c] = role_of(t, c) != KANON_ROLE_IDENTIFYING;
    KANON_TRY(kanon__row_sample_read(s, source, t->data.n_rows, wanted, err), out);
    for (int c = 0; c < n; c++) {
        kanon_type natural = kanon__suspect_type(source->natural, c);
        suspects[c] = (kanon__suspect){.facts = &facts[c], .role = role_of(t, c), .permuted = t->data.columns[c].permuted};
        if (wanted[c])
            KANON_TRY(kanon__column_facts_find(&facts[c], source->column_names[c], &s->dictionaries[c], s->codes[c],
                                               s->n_rows, s->null_codes[c], natural, source->delimiter, err),
                      out);
    }
    KANON_TRY(kanon__suspicions_find(out, suspects, n, err), out);
out:
    kanon__free(suspects);
    kanon__free(wanted);
    return st;
}

kanon_status kanon__released_notice(kanon_grouping *g, const kanon_table *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row_sample sample = {0};
    kanon__column_facts *facts = NULL;
    kanon__suspicions found = {0};
    bool any = false;
    for (int c = 0; t->source != NULL && c < t->source->n_columns; c++)
        any = any || role_of(t, c) == KANON_ROLE_SENSITIVE || role_of(t, c) == KANON_ROLE_INSENSITIVE;
    if (t->data.n_rows == 0 || !any)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&facts, t->source->n_columns, "facts of columns", err), out);
    KANON_TRY(find(&found, t, &sample, facts, err), out);
    KANON_TRY(warn(g, t, &found, err), out);
out:
    for (int c = 0; facts != NULL && c < t->source->n_columns; c++)
        kanon__column_facts_clear(&facts[c]);
    kanon__free(facts);
    kanon__suspicions_clear(&found);
    kanon__row_sample_clear(&sample);
    return st;
}

int64_t kanon__released_notice_need(const kanon__data *data)
{
    enum { CODE = 4, TEXT = 64 }; /* a text with its place in a dictionary, and what is noted of it */
    int64_t n = kanon__row_sample_size(data->n_rows), bytes = 0;
    bool any = false;
    for (int i = 0; i < data->n_columns; i++) {
        const kanon__column *c = &data->columns[i];
        if (c->role == KANON_ROLE_IDENTIFYING)
            continue;
        any = any || c->role != KANON_ROLE_QUASI;
        bytes += n * CODE + (c->domain != NULL && c->domain->n_codes < n ? c->domain->n_codes : n) * TEXT;
    }
    return any ? bytes : 0;
}
