/* The public functions that describe and audit a state. Both only read.
 *
 * kanon_state_describe checks the whole file first (maintain/check_state.c), so that what it says is true of a sound state.
 * What is handed out is one allocation with the texts that it points to; freeing the info frees all. */
#include "core/alloc.h"
#include "pipeline/state_run.h"
#include "state/maintain/check_state.h"
#include "state/maintain/drift.h"
#include "state/maintain/enforce_constraints.h"
#include "state/maintain/releases.h"
#include "state/maintain/session.h"
#include "state/store/state_requirements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- describing -------------------------------------------------------------------------------------------------- */

/* What is handed out, with what it points to. */
typedef struct description {
    kanon_state_info info; /* first: a pointer to it is also one to the description */
    kanon_state_release_info *releases, **releases_list;
    kanon_state_event *events, **events_list;
    int64_t releases_capacity, events_capacity;
    kanon_constraint_status **constraint_status;
    kanon__texts texts;
} description;

void kanon_state_info_free(kanon_state_info *info)
{
    description *d = (description *)info;
    if (d == NULL)
        return;
    kanon__texts_clear(&d->texts);
    kanon__free(d->constraint_status);
    kanon__free(d->events_list);
    kanon__free(d->events);
    kanon__free(d->releases_list);
    kanon__free(d->releases);
    kanon__free(d);
}

/* A copy that lives as long as the description; NULL stays NULL. */
static kanon_status keep_text(description *d, const char **out, const char *text, kanon_error *err)
{
    *out = NULL;
    if (text == NULL)
        return KANON_OK;
    KANON_CHECK(kanon__texts_add(&d->texts, text, strlen(text), err));
    *out = d->texts.items[d->texts.n - 1];
    return KANON_OK;
}

/* The lists grow row by row; what `info` points to is made when all rows are there. */
static kanon_status add_release(const kanon__release_entry *r, void *payload, kanon_error *err)
{
    description *d = payload;
    KANON_CHECK(kanon__grow_array(&d->releases, &d->releases_capacity, (int64_t)d->info.n_releases + 1, "releases", err));
    kanon_state_release_info *to = &d->releases[d->info.n_releases];
    *to = (kanon_state_release_info){.number = r->number,
                                     .time = r->time,
                                     .records = r->n_records,
                                     .groups = r->n_groups,
                                     .suppressed = r->n_suppressed,
                                     .withheld = r->n_withheld,
                                     .k = r->smallest,
                                     .loss = r->loss,
                                     .joint_k = r->joint_k};
    KANON_CHECK(keep_text(d, &to->sha256, r->sha256, err));
    d->info.n_releases++;
    return KANON_OK;
}

/* One command of the history, as add_release does for releases. */
static kanon_status add_event(const kanon__command_entry *c, void *payload, kanon_error *err)
{
    description *d = payload;
    KANON_CHECK(kanon__grow_array(&d->events, &d->events_capacity, (int64_t)d->info.n_history + 1, "history", err));
    kanon_state_event *to = &d->events[d->info.n_history];
    *to = (kanon_state_event){.number = c->number, .time = c->time, .records = c->n_records, .groups = c->n_groups};
    KANON_CHECK(keep_text(d, &to->command, c->command, err));
    KANON_CHECK(keep_text(d, &to->detail, c->detail, err));
    d->info.n_history++;
    return KANON_OK;
}

/* What the state was made with, and how large it is: all of it is in the catalog or in the index. */
static kanon_status describe_settings(description *d, kanon_state *s, kanon_error *err)
{
    kanon_state_info *i = &d->info;
    KANON_CHECK(keep_text(d, &i->program, s->program, err));
    KANON_CHECK(keep_text(d, &i->algorithm, s->algorithm, err));
    KANON_CHECK(keep_text(d, &i->refinement, s->refinement, err));
    KANON_CHECK(keep_text(d, &i->settings, s->settings, err));
    i->revision = (uint32_t)s->revision;
    i->seed = s->seed;
    i->blocks = s->blocks;
    i->k_asked = s->k;
    i->joint_k = s->joint_k;
    i->records = s->n_records;
    i->groups = s->n_groups;
    i->suppressed = s->n_suppressed;
    i->columns = s->n_columns;
    i->quasi = s->n_dimensions;
    i->entity_together = kanon__entities_stay_together(s);
    i->most_suppressed = kanon__fraction_of(s->requirements->suppress, s->n_records);
    KANON_CHECK(keep_text(d, &i->entity, s->requirements->said[KANON__WHOLE_ENTITY], err));
    KANON_CHECK(kanon__group_index_smallest(s->index, &i->k, err));
    return kanon__departed_count(s, &i->departed, err);
}

/* The constraints, recounted by verify/, and what the groups reach. */
static kanon_status note_constraint_status(description *d, kanon_state *s, const kanon__subset *subset, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    kanon__constraints *constraints = NULL;
    double *reached = NULL;
    KANON_TRY(kanon__subset_grouping(&g, subset, s, err), out);
    st = kanon__verify_subset(subset, s, g->group_of, g->n_groups, err);
    if (st == KANON_EINTERNAL)
        st = kanon__store_damaged(&s->store, "a group violates a constraint", err);
    if (st != KANON_OK)
        goto out;
    KANON_TRY(kanon__subset_constraints(&constraints, subset, s, err), out);
    if (constraints == NULL)
        goto out;
    KANON_TRY(kanon__new_array(&reached, constraints->n, "constraints", err), out);
    KANON_TRY(kanon__new_list(&d->constraint_status, NULL, constraints->n, "constraints", err), out);
    KANON_TRY(kanon__constraints_reached(reached, constraints, g->group_of, g->n_groups, err), out);
    for (int64_t i = 0; i < constraints->n; i++) {
        *d->constraint_status[i] = (kanon_constraint_status){
            .asked = constraints->items[i].asked, .reached = reached[i], .holds = 1};
        KANON_TRY(keep_text(d, &d->constraint_status[i]->sentence, constraints->items[i].sentence, err), out);
    }
    d->info.constraints = (const kanon_constraint_status *const *)d->constraint_status;
    d->info.n_constraints = (size_t)constraints->n;
out:
    kanon__free(reached);
    kanon__constraints_free(constraints);
    kanon_grouping_free(g);
    return st;
}

/* The loss of the groups, and the drift: how far they are from those of a fresh run, on a sample. */
static kanon_status describe_losses(description *d, kanon_state *s, kanon__subset *subset, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    kanon__drift drift = {0};
    KANON_TRY(kanon__subset_grouping(&g, subset, s, err), out);
    KANON_TRY(kanon__average_loss(&d->info.loss, subset->table, g, err), out);
    KANON_TRY(kanon__drift_measure(&drift, s, subset, err), out);
    d->info.drift_records = drift.n_records;
    d->info.drift = drift.fresh > 0 ? drift.now / drift.fresh - 1 : NAN;
out:
    kanon_grouping_free(g);
    return st;
}

/* The state is checked as a whole first, so that no figure comes from a damaged file. */
static kanon_status describe(kanon_state_info **out, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    description *d = NULL;
    kanon__subset subset = {0};
    *out = NULL;
    KANON_TRY(kanon__session_begin(s, false, err), out);
    KANON_TRY(kanon__new_array(&d, 1, "a description", err), out);
    KANON_TRY(kanon__subset_list_all(&subset, s, err), out);
    KANON_TRY(kanon__state_check(s, &subset, err), out);
    KANON_TRY(describe_settings(d, s, err), out);
    KANON_TRY(kanon__release_rows_visit(s, add_release, d, err), out);
    KANON_TRY(kanon__command_rows_visit(s, add_event, d, err), out);
    KANON_TRY(kanon__subset_read_table(&subset, s, err), out);
    KANON_TRY(note_constraint_status(d, s, &subset, err), out);
    KANON_TRY(describe_losses(d, s, &subset, err), out);
    KANON_TRY(kanon__new_list(&d->releases_list, d->releases, (int64_t)d->info.n_releases, "releases", err), out);
    KANON_TRY(kanon__new_list(&d->events_list, d->events, (int64_t)d->info.n_history, "history", err), out);
    d->info.releases = (const kanon_state_release_info *const *)d->releases_list;
    d->info.history = (const kanon_state_event *const *)d->events_list;
    *out = &d->info;
    d = NULL;
out:
    kanon__subset_clear(&subset);
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

/* An audit with what its pointers refer to; freed as one. */
typedef struct audit_result {
    kanon_audit audit; /* first */
    kanon_class_size **sizes;
    kanon_privacy_figure **figures;
    kanon__texts names;
} audit_result;

void kanon_audit_free(kanon_audit *audit)
{
    audit_result *a = (audit_result *)audit;
    if (a == NULL)
        return;
    kanon__texts_clear(&a->names);
    kanon__free(a->figures);
    kanon__free(a->sizes);
    kanon__free(a);
}

/* The joint classes by size. Sorts t->sizes, which no class number refers to afterwards; so it is called last. */
static kanon_status count_classes(audit_result *a, kanon__traces *t, bool of_entities, kanon_error *err)
{
    kanon_audit *audit = &a->audit;
    audit->records = t->n;
    audit->classes = t->n_classes;
    for (int64_t i = 0; i < t->n_classes; i++) {
        audit->departed += t->departed[i];
        audit->below += t->sizes[i] < audit->k ? t->records[i] : 0;
        audit->classes_below += t->sizes[i] < audit->k;
    }
    KANON_CHECK(kanon__new_list(&a->sizes, NULL, t->n_classes, "joint classes", err));
    qsort(t->sizes, (size_t)t->n_classes, sizeof *t->sizes, kanon__compare_numbers);
    for (int64_t i = 0; i < t->n_classes; i++) {
        if (i == 0 || t->sizes[i] != t->sizes[i - 1])
            a->sizes[audit->n_sizes++]->size = t->sizes[i];
        a->sizes[audit->n_sizes - 1]->classes++;
    }
    audit->smallest = t->n_classes > 0 ? t->sizes[0] : 0;
    audit->fewest_entities = of_entities ? audit->smallest : 0;
    audit->entities_below = of_entities ? audit->classes_below : 0;
    audit->sizes = (const kanon_class_size *const *)a->sizes;
    return KANON_OK;
}

/* The fewest distinct sensitive values of a joint class. */
static kanon_status count_values(audit_result *a, const kanon__traces *t, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *distinct = NULL, m = kanon__row_n_hashes(s);
    KANON_TRY(kanon__traces_count_values(&distinct, t, s, err), out);
    KANON_TRY(kanon__new_list(&a->figures, NULL, s->n_sensitive, "sensitive columns", err), out);
    for (int i = 0; i < s->n_columns; i++) {
        int at = (int)a->audit.n_figures;
        if (s->columns[i].role != KANON_ROLE_SENSITIVE)
            continue;
        KANON_TRY(kanon__texts_add(&a->names, s->columns[i].name, strlen(s->columns[i].name), err), out);
        int64_t fewest = 0;
        for (int64_t c = 0; c < t->n_classes; c++)
            if (c == 0 || distinct[c * m + at] < fewest)
                fewest = distinct[c * m + at];
        *a->figures[at] =
            (kanon_privacy_figure){"distinct-l-diversity", a->names.items[a->names.n - 1], "distinct_l", (double)fewest};
        a->audit.n_figures++;
    }
    a->audit.figures = (const kanon_privacy_figure *const *)a->figures;
out:
    kanon__free(distinct);
    return st;
}

/* The traces of all releases give the joint classes (state/maintain/releases.h). k 0: that of the state. */
static kanon_status audit(kanon_audit **out, kanon_state *s, int64_t k, kanon_error *err)
{
    kanon_status st = KANON_OK;
    audit_result *a = NULL;
    kanon__subset subset = {0};
    kanon__traces traces = {0};
    *out = NULL;
    KANON_TRY(kanon__session_begin(s, false, err), out);
    KANON_TRY(kanon__new_array(&a, 1, "an audit", err), out);
    KANON_TRY(kanon__subset_list_all(&subset, s, err), out);
    KANON_TRY(kanon__traces_load(&traces, s, &subset, err), out);
    a->audit.releases = s->n_releases;
    a->audit.k = k > 0 ? k : s->joint_k > 0 ? s->joint_k : s->k;
    KANON_TRY(count_values(a, &traces, s, err), out);
    KANON_TRY(count_classes(a, &traces, s->entity >= 0, err), out);
    *out = &a->audit;
    a = NULL;
out:
    kanon__traces_clear(&traces);
    kanon__subset_clear(&subset);
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
