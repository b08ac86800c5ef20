/* What is in a state, and what its releases give away together. */
#include "core/alloc.h"
#include "core/context.h"
#include "state/check_state.h"
#include "state/releases.h"
#include "state/uphold.h"
#include "state/wishes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- describing -------------------------------------------------------------------------------------------------- */

/* What is handed out, with what it points to. */
typedef struct described {
    kanon_state_info info; /* first, so that a pointer to it is a pointer to the whole */
    kanon_state_release_info *releases;
    kanon_state_event *events;
    kanon_constraint_status *constraints;
    kanon__texts texts;
} described;

void kanon_state_info_free(kanon_state_info *info)
{
    described *d = (described *)info;
    if (d == NULL)
        return;
    kanon__texts_clear(&d->texts);
    kanon__free(d->constraints);
    kanon__free(d->events);
    kanon__free(d->releases);
    kanon__free(d);
}

/* A copy that lives as long as the description; NULL stays NULL. */
static kanon_status keep_text(described *d, const char **out, const char *text, kanon_error *err)
{
    *out = NULL;
    if (text == NULL)
        return KANON_OK;
    kanon_status st = kanon__texts_add(&d->texts, text, strlen(text), err);
    if (st == KANON_OK)
        *out = d->texts.items[d->texts.n - 1];
    return st;
}

static kanon_status list_releases(described *d, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *rows = NULL;
    bool row;
    int64_t n = 0;
    KANON_TRY(kanon__store_number(&s->store, &n, "SELECT count(*) FROM releases", err), out);
    KANON_TRY(kanon__new_array(&d->releases, n, "releases", err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &rows, "SELECT * FROM releases ORDER BY number", err), out);
    while ((int64_t)d->info.n_releases < n) {
        kanon_state_release_info *r = &d->releases[d->info.n_releases];
        KANON_TRY(kanon__store_step(&s->store, rows, &row, err), out);
        if (!row)
            break;
        *r = (kanon_state_release_info){.number = sqlite3_column_int64(rows, 0),
                                        .time = sqlite3_column_int64(rows, 1),
                                        .records = sqlite3_column_int64(rows, 3),
                                        .groups = sqlite3_column_int64(rows, 4),
                                        .suppressed = sqlite3_column_int64(rows, 5),
                                        .withheld = sqlite3_column_int64(rows, 6),
                                        .k = sqlite3_column_int64(rows, 7),
                                        .loss = sqlite3_column_double(rows, 8),
                                        .joint_k = sqlite3_column_int64(rows, 9)};
        KANON_TRY(keep_text(d, &r->sha256, (const char *)sqlite3_column_text(rows, 2), err), out);
        d->info.n_releases++;
    }
out:
    sqlite3_finalize(rows);
    return st;
}

static kanon_status list_history(described *d, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *rows = NULL;
    bool row;
    int64_t n = 0;
    KANON_TRY(kanon__store_number(&s->store, &n, "SELECT count(*) FROM history", err), out);
    KANON_TRY(kanon__new_array(&d->events, n, "history", err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &rows, "SELECT * FROM history ORDER BY number", err), out);
    while ((int64_t)d->info.n_history < n) {
        kanon_state_event *e = &d->events[d->info.n_history];
        KANON_TRY(kanon__store_step(&s->store, rows, &row, err), out);
        if (!row)
            break;
        *e = (kanon_state_event){.number = sqlite3_column_int64(rows, 0),
                                 .time = sqlite3_column_int64(rows, 1),
                                 .records = sqlite3_column_int64(rows, 3),
                                 .groups = sqlite3_column_int64(rows, 4)};
        KANON_TRY(keep_text(d, &e->command, (const char *)sqlite3_column_text(rows, 2), err), out);
        KANON_TRY(keep_text(d, &e->detail, (const char *)sqlite3_column_text(rows, 5), err), out);
        d->info.n_history++;
    }
out:
    sqlite3_finalize(rows);
    return st;
}

static kanon_status note_settings(described *d, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state_info *i = &d->info;
    KANON_TRY(keep_text(d, &i->program, s->program, err), out);
    KANON_TRY(keep_text(d, &i->algorithm, s->algorithm, err), out);
    KANON_TRY(keep_text(d, &i->refinement, s->refinement, err), out);
    KANON_TRY(keep_text(d, &i->settings, s->settings, err), out);
    i->revision = (uint32_t)s->revision;
    i->seed = s->seed;
    i->blocks = s->blocks;
    i->k_asked = s->k;
    i->records = s->n_records;
    i->groups = s->n_groups;
    i->suppressed = s->n_suppressed;
    i->columns = s->n_columns;
    i->quasi = s->n_dimensions;
    i->entity_together = kanon__wishes_together(s);
    i->most_suppressed = kanon__fraction_of(s->wishes->suppress, s->n_records);
    KANON_TRY(keep_text(d, &i->entity, s->wishes->entity, err), out);
    KANON_TRY(kanon__group_index_smallest(s->index, &i->k, err), out);
    KANON_TRY(kanon__store_number(&s->store, &i->departed, "SELECT count(*) FROM departed", err), out);
out:
    return st;
}

/* The constraints are recounted by code that shares nothing with what made the groups, which has found all of them to hold
 * when the figures are listed. */
static kanon_status note_constraints(described *d, kanon_state *s, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    kanon__constraints *constraints = NULL;
    double *reached = NULL;
    KANON_TRY(kanon__whole_grouping(&g, whole, s, err), out);
    st = kanon__uphold_verify(whole, s, g->group_of, g->n_groups, err);
    if (st == KANON_EINTERNAL)
        st = kanon__store_damaged(&s->store, "a group does not keep what is asked of it", err);
    if (st != KANON_OK)
        goto out;
    KANON_TRY(kanon__uphold_constraints(&constraints, whole, s, err), out);
    if (constraints == NULL)
        goto out;
    KANON_TRY(kanon__new_array(&reached, constraints->n, "constraints", err), out);
    KANON_TRY(kanon__new_array(&d->constraints, constraints->n, "constraints", err), out);
    KANON_TRY(kanon__constraints_reached(reached, constraints, g->group_of, g->n_groups, err), out);
    for (int64_t i = 0; i < constraints->n; i++) {
        d->constraints[i] =
            (kanon_constraint_status){.asked = constraints->items[i].asked, .reached = reached[i], .holds = 1};
        KANON_TRY(keep_text(d, &d->constraints[i].sentence, constraints->items[i].sentence, err), out);
    }
    d->info.constraints = d->constraints;
    d->info.n_constraints = (size_t)constraints->n;
out:
    kanon__free(reached);
    kanon__constraints_free(constraints);
    kanon_grouping_free(g);
    return st;
}

static kanon_status note_losses(described *d, kanon_state *s, kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    kanon_measures *measures = NULL;
    kanon__drift drift = {0};
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .brief = 1};
    KANON_TRY(kanon__whole_grouping(&g, whole, s, err), out);
    KANON_TRY(kanon_evaluate(&measures, whole->table, g, &brief, err), out);
    const kanon_figure *loss = kanon_measures_find(measures, "avg_loss", NULL);
    d->info.loss = loss != NULL ? loss->value : NAN;
    KANON_TRY(kanon__drift_measure(&drift, s, whole, err), out);
    d->info.drift_records = drift.n_records;
    d->info.drift = drift.fresh > 0 ? drift.now / drift.fresh - 1 : NAN;
out:
    kanon_measures_free(measures);
    kanon_grouping_free(g);
    return st;
}

static kanon_status describe(kanon_state_info **out, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    described *d = NULL;
    kanon__whole whole = {0};
    *out = NULL;
    KANON_TRY(kanon__session_begin(s, false, err), out);
    KANON_TRY(kanon__new_array(&d, 1, "a description", err), out);
    KANON_TRY(kanon__whole_members(&whole, s, err), out);
    KANON_TRY(kanon__state_check(s, &whole, err), out);
    KANON_TRY(note_settings(d, s, err), out);
    KANON_TRY(list_releases(d, s, err), out);
    KANON_TRY(list_history(d, s, err), out);
    KANON_TRY(kanon__whole_table(&whole, s, err), out);
    KANON_TRY(note_constraints(d, s, &whole, err), out);
    KANON_TRY(note_losses(d, s, &whole, err), out);
    d->info.releases = d->releases;
    d->info.history = d->events;
    *out = &d->info;
    d = NULL;
out:
    kanon__whole_clear(&whole);
    kanon_state_info_free(d != NULL ? &d->info : NULL);
    kanon__session_end(s);
    return st;
}

kanon_status kanon_state_describe(kanon_state_info **out, kanon_state *s, kanon_error *err)
{
    kanon__state_call call;
    kanon__state_call_begin(&call, s);
    return kanon__state_call_end(&call, describe(out, s, err));
}

/* ---- auditing ---------------------------------------------------------------------------------------------------- */

typedef struct audited {
    kanon_audit audit; /* first */
    kanon_class_size *sizes;
    kanon_privacy_figure *figures;
    kanon__texts names;
} audited;

void kanon_audit_free(kanon_audit *audit)
{
    audited *a = (audited *)audit;
    if (a == NULL)
        return;
    kanon__texts_clear(&a->names);
    kanon__free(a->figures);
    kanon__free(a->sizes);
    kanon__free(a);
}

static int by_size(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static kanon_status count_classes(audited *a, kanon__traces *t, kanon_error *err)
{
    kanon_audit *audit = &a->audit;
    audit->records = t->n;
    audit->classes = t->n_classes;
    for (int64_t i = 0; i < t->n_classes; i++) {
        audit->departed += t->departed[i];
        audit->below += t->sizes[i] < audit->k ? t->sizes[i] : 0;
        audit->classes_below += t->sizes[i] < audit->k;
    }
    kanon_status st = kanon__new_array(&a->sizes, t->n_classes, "joint classes", err);
    if (st != KANON_OK)
        return st;
    qsort(t->sizes, (size_t)t->n_classes, sizeof *t->sizes, by_size);
    for (int64_t i = 0; i < t->n_classes; i++) {
        if (i == 0 || t->sizes[i] != t->sizes[i - 1])
            a->sizes[audit->n_sizes++].size = t->sizes[i];
        a->sizes[audit->n_sizes - 1].classes++;
    }
    audit->smallest = t->n_classes > 0 ? t->sizes[0] : 0;
    audit->sizes = a->sizes;
    return KANON_OK;
}

static kanon_status count_secrets(audited *a, const kanon__traces *t, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *distinct = NULL, m = kanon__row_n_secrets(s);
    KANON_TRY(kanon__traces_secrets(&distinct, t, s, err), out);
    KANON_TRY(kanon__new_array(&a->figures, s->n_sensitive, "sensitive columns", err), out);
    for (int i = 0; i < s->n_columns; i++) {
        int at = (int)a->audit.n_figures;
        if (s->columns[i].role != KANON_ROLE_SENSITIVE)
            continue;
        KANON_TRY(kanon__texts_add(&a->names, s->columns[i].name, strlen(s->columns[i].name), err), out);
        int64_t fewest = 0;
        for (int64_t c = 0; c < t->n_classes; c++)
            if (c == 0 || distinct[c * m + at] < fewest)
                fewest = distinct[c * m + at];
        a->figures[at] =
            (kanon_privacy_figure){"distinct-l-diversity", a->names.items[a->names.n - 1], "distinct_l", (double)fewest};
        a->audit.n_figures++;
    }
    for (int64_t c = 0; s->entity >= 0 && c < t->n_classes; c++) {
        int64_t n = distinct[c * m + s->n_sensitive];
        a->audit.fewest_entities = c == 0 || n < a->audit.fewest_entities ? n : a->audit.fewest_entities;
        a->audit.entities_below += n < a->audit.k;
    }
    a->audit.figures = a->figures;
out:
    kanon__free(distinct);
    return st;
}

static kanon_status audit(kanon_audit **out, kanon_state *s, int64_t k, kanon_error *err)
{
    kanon_status st = KANON_OK;
    audited *a = NULL;
    kanon__whole whole = {0};
    kanon__traces traces = {0};
    *out = NULL;
    KANON_TRY(kanon__session_begin(s, false, err), out);
    KANON_TRY(kanon__new_array(&a, 1, "an audit", err), out);
    KANON_TRY(kanon__whole_members(&whole, s, err), out);
    KANON_TRY(kanon__traces_load(&traces, s, &whole, err), out);
    a->audit.releases = s->n_releases;
    a->audit.k = k > 0 ? k : s->k;
    KANON_TRY(count_secrets(a, &traces, s, err), out);
    KANON_TRY(count_classes(a, &traces, err), out);
    *out = &a->audit;
    a = NULL;
out:
    kanon__traces_clear(&traces);
    kanon__whole_clear(&whole);
    kanon_audit_free(a != NULL ? &a->audit : NULL);
    kanon__session_end(s);
    return st;
}

kanon_status kanon_state_audit(kanon_audit **out, kanon_state *s, int64_t k, kanon_error *err)
{
    kanon__state_call call;
    kanon__state_call_begin(&call, s);
    return kanon__state_call_end(&call, audit(out, s, k, err));
}
