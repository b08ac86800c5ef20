/* kanon_profile_table: how much a table says about single persons, before it is anonymised.
 *
 *     codes of the quasi-identifiers -> classes -> their sizes in persons -> uniques, risk, records below k
 *                                    -> classes of sets and of all attributes but one
 *     a sample -> what k costs (profile_cost.c) */
#include "profile/profile.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/pool.h"
#include "core/sink_guard.h"
#include "core/take_options.h"
#include "report/report.h"

#include <string.h>

/* What is needed only while a profile is made. */
typedef struct maker {
    const kanon__data *data;
    kanon__profile *profile;
    kanon__set_table table;
    kanon__set_column *columns;
    int threads;
    kanon__shared_ticker ticker;
} maker;

enum { ROW_NS = 20 }; /* to refine classes by a column */

/* ---- classes ------------------------------------------------------------------------------------------------------- */

/* The records of a class and their persons. */
typedef struct class_count {
    int64_t records, persons;
} class_count;

/* Rows in the order of their classes, so that the persons of a class can be counted one class after the other. */
static kanon_status order_by_class(int32_t **out, const uint32_t *class_of, int64_t n_rows, const class_count *counts,
                                   int64_t n_classes, kanon_error *err)
{
    int64_t *next = NULL;
    kanon_status st = kanon__new_array(out, n_rows, "row order", err);
    if (st == KANON_OK)
        st = kanon__new_array(&next, n_classes + 1, "classes of records", err);
    for (int64_t i = 0; st == KANON_OK && i < n_classes; i++)
        next[i + 1] = next[i] + counts[i].records;
    for (int64_t row = 0; st == KANON_OK && row < n_rows; row++)
        (*out)[next[class_of[row]]++] = (int32_t)row;
    kanon__free(next);
    return st;
}

static kanon_status count_persons(class_count *counts, int64_t n_classes, const maker *m, const uint32_t *class_of,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *order = NULL;
    uint32_t *seen_in = NULL; /* by entity: the class that it was last seen in, plus one */
    int64_t n_rows = m->data->n_rows;
    KANON_TRY(order_by_class(&order, class_of, n_rows, counts, n_classes, err), out);
    KANON_TRY(kanon__new_array(&seen_in, m->data->n_entities, "entities", err), out);
    for (int64_t i = 0; i < n_rows; i++) {
        uint32_t entity = kanon__code_at(m->data->entity_codes, order[i]), class = class_of[order[i]];
        counts[class].persons += seen_in[entity] != class + 1;
        seen_in[entity] = class + 1;
    }
out:
    kanon__free(seen_in);
    kanon__free(order);
    return st;
}

static kanon_status count_classes(class_count **out, const maker *m, const uint32_t *class_of, int64_t n_classes,
                                  kanon_error *err)
{
    kanon_status st = kanon__new_array(out, n_classes, "classes of records", err);
    for (int64_t row = 0; st == KANON_OK && row < m->data->n_rows; row++)
        (*out)[class_of[row]].records++;
    if (st == KANON_OK && m->data->has_entity)
        return count_persons(*out, n_classes, m, class_of, err);
    for (int64_t i = 0; st == KANON_OK && i < n_classes; i++)
        (*out)[i].persons = (*out)[i].records;
    return st;
}

/* ---- figures of the classes ---------------------------------------------------------------------------------------- */

/* How many classes there are of each size. */
static kanon_status list_sizes(kanon__profile *p, const class_count *counts, int64_t n_classes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *classes_of = NULL, n = 0;
    p->public.smallest = INT64_MAX;
    for (int64_t i = 0; i < n_classes; i++) {
        int64_t size = counts[i].persons;
        p->public.smallest = size < p->public.smallest ? size : p->public.smallest;
        p->public.largest = size > p->public.largest ? size : p->public.largest;
    }
    KANON_TRY(kanon__new_array(&classes_of, p->public.largest + 1, "class sizes", err), out);
    for (int64_t i = 0; i < n_classes; i++)
        n += classes_of[counts[i].persons]++ == 0;
    KANON_TRY(kanon__new_list(&p->sizes, NULL, n, "class sizes", err), out);
    for (int64_t size = 0; size <= p->public.largest; size++)
        if (classes_of[size] > 0)
            *p->sizes[p->public.n_sizes++] = (kanon_class_size){.size = size, .classes = classes_of[size]};
    p->public.sizes = (const kanon_class_size *const *)p->sizes;
out:
    kanon__free(classes_of);
    return st;
}

/* The persons with a record in a class of fewer than k persons. Each person once for each k, so each is put down at the
 * smallest size of its classes. */
static kanon_status count_below(kanon__profile *p, const maker *m, const uint32_t *class_of, const class_count *counts,
                                int64_t n_classes, kanon_error *err)
{
    enum { LAST = KANON__PROFILE_LAST_K };
    int64_t classes[LAST] = {0}, records[LAST] = {0}, persons[LAST] = {0}, *smallest = NULL, below[3] = {0};
    bool has_entity = m->data->has_entity;
    kanon_status st = kanon__new_array(&smallest, has_entity ? m->data->n_entities : 0, "entities", err);
    if (st == KANON_OK)
        st = kanon__new_list(&p->below, NULL, LAST - KANON__PROFILE_FIRST_K + 1, "records below k", err);
    if (st != KANON_OK)
        goto out;
    for (int64_t i = 0; i < n_classes; i++)
        if (counts[i].persons < LAST) {
            classes[counts[i].persons]++;
            records[counts[i].persons] += counts[i].records;
            persons[counts[i].persons] += has_entity ? 0 : counts[i].persons;
        }
    for (int64_t row = 0; has_entity && row < m->data->n_rows; row++) {
        int64_t *least = &smallest[kanon__code_at(m->data->entity_codes, row)], size = counts[class_of[row]].persons;
        *least = *least == 0 || size < *least ? size : *least;
    }
    for (int64_t i = 0; has_entity && i < m->data->n_entities; i++)
        if (smallest[i] > 0 && smallest[i] < LAST)
            persons[smallest[i]]++;
    for (int k = KANON__PROFILE_FIRST_K; k <= LAST; k++) {
        below[0] += classes[k - 1];
        below[1] += records[k - 1];
        below[2] += persons[k - 1];
        *p->below[p->public.n_below++] = (kanon_profile_below){k, below[0], below[1], below[2],
                                                               (double)below[1] / (double)m->data->n_rows};
    }
    p->public.below = (const kanon_profile_below *const *)p->below;
out:
    kanon__free(smallest);
    return st;
}

static kanon_status describe_classes(const maker *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__profile *p = m->profile;
    uint32_t *class_of = NULL;
    class_count *counts = NULL;
    int64_t n_classes = 1, sum = 0;
    KANON_TRY(kanon__new_array(&class_of, m->data->n_rows, "classes of records", err), out);
    for (int i = 0; i < m->table.n_columns; i++) {
        KANON_TRY(kanon__poll_tick((m->data->n_rows + 1) * ROW_NS, err), out);
        KANON_TRY(kanon__classes_refine(class_of, &n_classes, m->data->n_rows, &m->columns[i], err), out);
    }
    KANON_TRY(count_classes(&counts, m, class_of, n_classes, err), out);
    KANON_TRY(list_sizes(p, counts, n_classes, err), out);
    KANON_TRY(count_below(p, m, class_of, counts, n_classes, err), out);
    KANON_TRY(
        kanon__classes_single(&p->public.unique_records, &p->public.unique_persons, &m->table, class_of, n_classes, err),
        out);
    p->public.classes = n_classes;
    for (int64_t i = 0; i < n_classes; i++) {
        sum += counts[i].persons;
        p->public.average_risk += (double)counts[i].records / (double)counts[i].persons;
    }
    p->public.average_class_size = (double)sum / (double)n_classes;
    p->public.average_risk /= (double)m->data->n_rows;
    p->public.highest_risk = 1 / (double)p->public.smallest;
out:
    kanon__free(counts);
    kanon__free(class_of);
    return st;
}

/* ---- attributes and sets --------------------------------------------------------------------------------------------- */

/* What the other attributes single out without one. */
static kanon_status count_without(int64_t task, const maker *m, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *class_of = NULL;
    int64_t n_classes = 1, records;
    KANON_TRY(kanon__new_array(&class_of, m->data->n_rows, "classes of records", err), out);
    for (int i = 0; i < m->table.n_columns; i++) {
        KANON_TRY(kanon__tick(ticker, 0, 0, (m->data->n_rows + 1) * ROW_NS, err), out);
        if (i != task)
            KANON_TRY(kanon__classes_refine(class_of, &n_classes, m->data->n_rows, &m->columns[i], err), out);
    }
    KANON_TRY(
        kanon__classes_single(&records, &m->profile->attributes[task]->unique_without, &m->table, class_of, n_classes, err),
        out);
out:
    kanon__free(class_of);
    return st;
}

static int64_t count_missing(const kanon__column *c, int64_t n_rows)
{
    int64_t n = 0;
    for (int64_t row = 0; c->domain->missing_code != KANON__NO_CODE && row < n_rows; row++)
        n += kanon__code_at(c->codes, row) == c->domain->missing_code;
    return n;
}

/* Values that occur: a taxonomy may have leaves that no record has. */
static kanon_status describe_attribute(int64_t i, void *payload, kanon_error *err)
{
    maker *m = payload;
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, &m->ticker);
    const kanon__column *c = &m->data->columns[m->data->quasi[i]];
    kanon_profile_attribute *a = m->profile->attributes[i];
    bool *occurs = NULL;
    kanon_status st = kanon__new_array(&occurs, c->domain->n_codes, "codes", err);
    if (st != KANON_OK)
        return st;
    a->name = m->profile->names.items[i];
    a->type = c->domain->type;
    a->missing = count_missing(c, m->data->n_rows);
    for (int64_t row = 0; row < m->data->n_rows; row++)
        occurs[kanon__code_at(c->codes, row)] = true;
    for (uint32_t code = 0; code < c->domain->n_codes; code++)
        a->distinct += occurs[code] && code != c->domain->missing_code;
    kanon__free(occurs);
    st = count_without(i, m, &ticker, err);
    kanon__shared_ticker_add(&m->ticker, 1);
    return st;
}

static kanon_status copy_sets(const maker *m, const kanon__column_set *found, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__profile *p = m->profile;
    const char **next;
    KANON_TRY(kanon__new_list(&p->sets, NULL, n, "sets of columns", err), out);
    KANON_TRY(kanon__new_array(&p->set_names, n * KANON__SET_MOST, "sets of columns", err), out);
    next = p->set_names;
    for (int64_t i = 0; i < n; i++) {
        const kanon__column_set *s = &found[i];
        *p->sets[i] = (kanon_column_set){.columns = next,
                                         .n_columns = (size_t)s->n,
                                         .classes = s->classes,
                                         .records = s->records,
                                         .persons = s->entities,
                                         .share = (double)s->entities / (double)p->public.persons};
        for (int j = 0; j < s->n; j++)
            *next++ = p->names.items[s->columns[j]];
        if (s->n == 1)
            p->attributes[s->columns[0]]->unique = s->entities;
    }
    p->public.sets = (const kanon_column_set *const *)p->sets;
    p->public.n_sets = (size_t)n;
out:
    return st;
}

static kanon_status describe_attributes(maker *m, const kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__profile *p = m->profile;
    kanon__column_set *found = NULL;
    int64_t n_found = 0;
    for (int i = 0; i < m->table.n_columns; i++) {
        const char *name = m->data->columns[m->data->quasi[i]].name;
        KANON_TRY(kanon__texts_add(&p->names, name, strlen(name), err), out);
    }
    KANON_TRY(kanon__new_list(&p->attributes, NULL, m->table.n_columns, "attributes", err), out);
    p->public.attributes = (const kanon_profile_attribute *const *)p->attributes;
    p->public.n_attributes = (size_t)m->table.n_columns;
    kanon__shared_ticker_init(&m->ticker, ticker, m->table.n_columns);
    st = kanon__pool_run(m->threads, m->table.n_columns, describe_attribute, m, err);
    kanon__shared_ticker_clear(&m->ticker);
    KANON_TRY(st, out);
    KANON_TRY(kanon__column_sets_find(&found, &n_found, &m->table, m->threads, ticker, err), out);
    KANON_TRY(copy_sets(m, found, n_found, err), out);
out:
    kanon__free(found);
    return st;
}

/* ---- the profile ------------------------------------------------------------------------------------------------- */

void kanon_profile_free(kanon_profile *profile)
{
    kanon__profile *p = (kanon__profile *)profile;
    if (p == NULL)
        return;
    kanon__free(p->costs);
    kanon__free(p->below);
    kanon__free(p->set_names);
    kanon__free(p->sets);
    kanon__free(p->attributes);
    kanon__free(p->sizes);
    kanon__texts_clear(&p->names);
    kanon__free(p);
}

static kanon_status set_up(maker *m, const kanon_table *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *d = m->data;
    KANON_TRY(kanon__new_array(&m->columns, d->n_quasi, "columns", err), out);
    for (int i = 0; i < d->n_quasi; i++)
        m->columns[i] = (kanon__set_column){d->columns[d->quasi[i]].codes, d->columns[d->quasi[i]].domain->n_codes};
    m->table = (kanon__set_table){.n_rows = d->n_rows,
                                  .n_columns = d->n_quasi,
                                  .columns = m->columns,
                                  .entities = d->has_entity ? &d->entity_codes : NULL,
                                  .n_entities = d->n_entities};
    KANON_TRY(kanon__new_array(&m->profile, 1, "a profile", err), out);
    m->profile->public.records = d->n_rows;
    m->profile->public.has_entity = d->has_entity;
    m->profile->public.persons = d->has_entity ? d->n_entities : d->n_rows;
    m->profile->public.k = table->policy.k;
out:
    return st;
}

/* A report must not overwrite what the table was read from. It counts original records, so it is its owner's alone. */
static kanon_status open_report(kanon__output **out, const kanon_table *table, const kanon_profile_options *o,
                                kanon_error *err)
{
    int json;
    if (o->report == NULL)
        return KANON_OK;
    kanon_status st = kanon__reports_are_built(err);
    if (st == KANON_OK)
        st = kanon__output_format(&json, o->report, "json", err);
    if (st == KANON_OK && kanon__table_reads(table, o->report->location))
        st = kanon__fail(err, KANON_EINVAL, "%s: the report would overwrite an input", o->report->location);
    if (st == KANON_OK)
        st = kanon__output_open(out, o->report, false, err);
    if (st == KANON_OK)
        kanon__output_make_private(*out);
    return st;
}

static kanon_status save_report(kanon__output *output, const kanon_profile *profile, kanon_error *err)
{
    if (output == NULL)
        return KANON_OK;
    kanon_status st = kanon__profile_json(output, profile, err);
    if (st == KANON_OK)
        st = kanon__output_finish(output, err);
    return st == KANON_OK ? kanon__output_commit(&output, 1, err) : st;
}

static kanon_status make_profile(kanon_profile **out, const kanon_table *table, const kanon_profile_options *o,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    maker m = {.data = &table->data, .threads = kanon__pool_threads(o->threads)};
    kanon__ticker ticker;
    kanon__output *report = NULL;
    kanon__ticker_init(&ticker, o->tick, o->payload, "counting");
    KANON_TRY(open_report(&report, table, o, err), out); /* fails early where it cannot be written */
    KANON_TRY(set_up(&m, table, err), out);
    KANON_TRY(describe_classes(&m, err), out);
    KANON_TRY(describe_attributes(&m, &ticker, err), out);
    if (!o->without_costs)
        KANON_TRY(kanon__profile_costs(m.profile, table, o, err), out);
    KANON_TRY(save_report(report, &m.profile->public, err), out);
    *out = &m.profile->public;
    m.profile = NULL;
out:
    kanon__output_free(report);
    kanon_profile_free((kanon_profile *)m.profile);
    kanon__free(m.columns);
    return st;
}

kanon_status kanon_profile_table(kanon_profile **out, const kanon_table *table, const kanon_profile_options *options,
                                 kanon_error *err)
{
    kanon__call call;
    kanon_profile_options o;
    kanon__taken_output taken;
    *out = NULL;
    kanon__call_begin(&call, table->context);
    kanon_status st = kanon__take_options(&o, sizeof o, options, err);
    st = kanon__output_take(&taken, &o.report, st, err);
    kanon__call_ticks(&o.tick, &o.payload);
    if (st == KANON_OK)
        st = kanon__check_seed(o.seed, "seed", err);
    if (st == KANON_OK)
        st = make_profile(out, table, &o, err);
    kanon__outputs_end(&taken, 1);
    return kanon__call_end(&call, st);
}
