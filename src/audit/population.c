/* See population.h. Each class is looked up in the index of the people (region_index.h) twice: to count those who fit, and
 * to add its part to the presence of each of them, to a node of the index where all below it fit. */
#include "audit/population.h"

#include "audit/file_columns.h"
#include "audit/quasi_columns.h"
#include "audit/region_index.h"
#include "core/alloc.h"
#include "core/sort.h"
#include "table/schema/policy.h"

#include <string.h>

typedef struct people_reader {
    kanon__population *found;
    const kanon__population_subject *subject;
    kanon_table *people;
    kanon__file_column *columns;  /* the quasi columns of the release */
    kanon__cell_regions *regions; /* by column */
    int *places;                  /* by column: in the table of the people */
    int n_columns;
    int64_t *some_row; /* by class */
    kanon__region_index *index;
    const kanon__cell_regions **pointers; /* to the regions of each column */
    uint32_t *texts;                      /* of a class */
    int64_t class_id;                     /* that is looked up */
    double *of_node, *of_place;           /* presence that a node adds to all below it, and a tuple's own */
} people_reader;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static kanon_status add_column(people_reader *p, const kanon__quasi_place *column, kanon_error *err)
{
    int place = kanon__source_find(p->people->source, column->name);
    if (place < 0) {
        kanon_status st = kanon__fail(err, KANON_EDATA, "%s:1: %s: the population has no such column, which is a quasi one",
                                      p->people->source->name, column->name);
        return kanon__hint(err, st, "the columns of the population have the names that they have in the release");
    }
    p->places[p->n_columns] = place;
    return kanon__file_column_init(&p->columns[p->n_columns++], column->name, column->first, column->last, false, err);
}

static kanon_status add_columns(people_reader *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_schema *schema = p->subject->schema;
    kanon__quasi_place *quasi = NULL;
    int n = 0;
    KANON_TRY(kanon__quasi_places(&quasi, &n, p->subject->release, schema, p->people->source, err), out);
    KANON_TRY(kanon__new_array(&p->columns, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&p->regions, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&p->places, n, "columns", err), out);
    for (int i = 0; i < n; i++)
        KANON_TRY(add_column(p, &quasi[i], err), out);
out:
    kanon__free(quasi);
    return st;
}

static kanon_status read_columns(people_reader *p, kanon_error *err)
{
    const kanon_schema *schema = p->subject->schema;
    KANON_CHECK(add_columns(p, err));
    KANON_CHECK(kanon__file_columns_read(p->columns, p->n_columns, &p->found->n_rows, p->subject->release, schema,
                                         p->subject->ticker, err));
    for (int i = 0; i < p->n_columns; i++)
        KANON_CHECK(kanon__cell_regions_read(&p->regions[i], &p->people->data.columns[p->places[i]], &p->columns[i].texts,
                                             schema, err));
    return KANON_OK;
}

/* A cell that cannot be read would fit nobody. */
static kanon_status check_cells(const people_reader *p, kanon_error *err)
{
    for (int i = 0; i < p->n_columns; i++) {
        long long n = 0;
        for (int64_t row = 0; row < p->found->n_rows; row++) {
            uint32_t text = p->columns[i].codes[row];
            n += text != KANON__NO_CODE && p->regions[i].unknown[text];
        }
        if (n > 0) {
            kanon_status st = kanon__fail(err, KANON_EDATA,
                                          "%s: %s: %lld cell%s of the release cannot be read as values of the "
                                          "population",
                                          p->people->source->name, p->columns[i].name, n, n == 1 ? "" : "s");
            return kanon__hint(err, st, "give the column the type, mask or taxonomy that the release was made with");
        }
    }
    return KANON_OK;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

typedef struct class_person {
    uint32_t class_id, person;
} class_person;

static int by_class(const void *left, const void *right)
{
    const class_person *a = left, *b = right;
    if (a->class_id != b->class_id)
        return a->class_id < b->class_id ? -1 : 1;
    return (a->person > b->person) - (a->person < b->person);
}

static kanon_status count_persons(people_reader *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__population_subject *s = p->subject;
    int64_t n = p->found->n_rows;
    class_person *list = NULL;
    KANON_TRY(kanon__new_array(&list, s->person_of != NULL ? n : 0, "persons", err), out);
    for (int64_t row = 0; row < n; row++) {
        p->some_row[s->class_of[row]] = row;
        p->found->rows[s->class_of[row]]++;
        if (s->person_of != NULL)
            list[row] = (class_person){s->class_of[row], s->person_of[row]};
    }
    for (int64_t i = 0; i < s->n_classes && s->person_of == NULL; i++)
        p->found->persons[i] = p->found->persons_known ? p->found->rows[i] : 1;
    if (s->person_of == NULL)
        goto out;
    KANON_TRY(kanon__sort(list, n, sizeof *list, by_class, err), out);
    for (int64_t i = 0; i < n; i++)
        p->found->persons[list[i].class_id] += i == 0 || by_class(&list[i - 1], &list[i]) != 0;
out:
    kanon__free(list);
    return st;
}

static kanon_status list_classes(people_reader *p, kanon_error *err)
{
    int64_t n = p->subject->n_classes;
    p->found->n_classes = n;
    KANON_CHECK(kanon__new_array(&p->found->fits, n, "classes", err));
    KANON_CHECK(kanon__new_array(&p->found->persons, n, "classes", err));
    KANON_CHECK(kanon__new_array(&p->found->rows, n, "classes", err));
    KANON_CHECK(kanon__new_array(&p->some_row, n, "classes", err));
    return count_persons(p, err);
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

static kanon_status add_people(int32_t node, int32_t begin, int32_t end, void *payload, kanon_error *err)
{
    people_reader *p = payload;
    (void)node;
    (void)err;
    p->found->fits[p->class_id] += p->index->rows_before[end] - p->index->rows_before[begin];
    return KANON_OK;
}

static kanon_status add_presence(int32_t node, int32_t begin, int32_t end, void *payload, kanon_error *err)
{
    people_reader *p = payload;
    double part = (double)p->found->persons[p->class_id] / (double)p->found->fits[p->class_id];
    (void)end;
    (void)err;
    if (node >= 0)
        p->of_node[node] += part;
    else
        p->of_place[begin] += part;
    return KANON_OK;
}

static kanon_status look_up_classes(people_reader *p, kanon__region_found *found, kanon_error *err)
{
    enum { LOOK_NS = 5000 };
    const kanon__region_query query = {p->pointers, p->texts};
    for (p->class_id = 0; p->class_id < p->found->n_classes; p->class_id++) {
        for (int i = 0; i < p->n_columns; i++)
            p->texts[i] = p->columns[i].codes[p->some_row[p->class_id]];
        KANON_CHECK(kanon__region_index_find(p->index, &query, found, p, err));
        KANON_CHECK(kanon__tick(p->subject->ticker, p->class_id, p->found->n_classes, LOOK_NS, err));
    }
    return KANON_OK;
}

static kanon_status count_people(people_reader *p, kanon_error *err)
{
    KANON_CHECK(kanon__region_index_new(&p->index, &p->people->data, p->places, p->n_columns, err));
    KANON_CHECK(kanon__new_array(&p->pointers, p->n_columns, "columns", err));
    KANON_CHECK(kanon__new_array(&p->texts, p->n_columns, "columns", err));
    for (int i = 0; i < p->n_columns; i++)
        p->pointers[i] = &p->regions[i];
    p->found->n_people = p->people->data.n_rows;
    return look_up_classes(p, add_people, err);
}

/* Children come after their parents, so that one pass hands everything down. */
static kanon_status find_presence(people_reader *p, kanon_error *err)
{
    const kanon__tuple_tree *tree = p->index->tree;
    KANON_CHECK(kanon__new_array(&p->of_node, tree->n_nodes, "people", err));
    KANON_CHECK(kanon__new_array(&p->of_place, p->index->tuples->n, "people", err));
    KANON_CHECK(look_up_classes(p, add_presence, err));
    p->found->least = p->index->tuples->n > 0 ? 1 : 0;
    for (int64_t at = 0; at < tree->n_nodes; at++) {
        const kanon__tree_node *node = &tree->nodes[at];
        for (int i = 0; i < 2 && node->first_child >= 0; i++)
            p->of_node[node->first_child + i] += p->of_node[at];
        for (int32_t place = node->begin; place < node->end && node->first_child < 0; place++) {
            double presence = p->of_node[at] + p->of_place[place];
            presence = presence > 1 ? 1 : presence;
            p->found->least = presence < p->found->least ? presence : p->found->least;
            p->found->most = presence > p->found->most ? presence : p->found->most;
        }
    }
    return KANON_OK;
}

/* A population has everybody of whom there is a row. */
static kanon_status check_people(const people_reader *p, kanon_error *err)
{
    const kanon__population *found = p->found;
    long long lacking = 0, n_classes = 0;
    for (int64_t i = 0; i < found->n_classes; i++)
        if (found->fits[i] < found->persons[i]) {
            lacking += found->persons[i] - found->fits[i];
            n_classes++;
        }
    if (n_classes == 0)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EDATA,
                                  "%s: at least %lld person%s of the release %s not in the population: %lld "
                                  "class%s more persons than people who fit",
                                  p->people->source->name, lacking, lacking == 1 ? "" : "s", lacking == 1 ? "is" : "are",
                                  n_classes, n_classes == 1 ? " has" : "es have");
    return kanon__hint(err, st, "the population must have all of whom the table may be, under the same names of columns");
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

static kanon_status read_all(people_reader *p, const kanon_input *people, kanon_error *err)
{
    KANON_CHECK(kanon__quasi_table_read(&p->people, people, p->subject->schema, p->subject->ticker, err));
    KANON_CHECK(read_columns(p, err));
    KANON_CHECK(check_cells(p, err));
    KANON_CHECK(list_classes(p, err));
    KANON_CHECK(count_people(p, err));
    KANON_CHECK(check_people(p, err));
    return p->found->persons_known ? find_presence(p, err) : KANON_OK;
}

kanon_status kanon__population_read(kanon__population *out, const kanon__population_subject *subject,
                                    const kanon_input *people, kanon_error *err)
{
    people_reader p = {.found = out, .subject = subject};
    out->persons_known = subject->schema->said[KANON__WHOLE_ENTITY] == NULL || subject->person_of != NULL;
    kanon_status st = read_all(&p, people, err);
    kanon__free(p.of_node);
    kanon__free(p.of_place);
    kanon__free(p.texts);
    kanon__free(p.pointers);
    kanon__region_index_free(p.index);
    kanon__free(p.some_row);
    for (int i = 0; i < p.n_columns; i++)
        kanon__cell_regions_clear(&p.regions[i]);
    kanon__free(p.places);
    kanon__free(p.regions);
    kanon__file_columns_clear(p.columns, p.n_columns);
    kanon_table_free(p.people);
    return st;
}

void kanon__population_clear(kanon__population *population)
{
    kanon__free(population->fits);
    kanon__free(population->persons);
    kanon__free(population->rows);
    *population = (kanon__population){0};
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static kanon_status list_figures(kanon__findings *out, const kanon__population *p, int64_t k, kanon_error *err)
{
    double highest = 0, sum = 0;
    int64_t n_persons = 0, one = 0, few = 0, enough = 0, most = k > 2 ? k : 2;
    for (int64_t i = 0; i < p->n_classes; i++) {
        double risk = 1 / (double)p->fits[i];
        highest = risk > highest ? risk : highest;
        sum += (double)p->persons[i] * risk;
        n_persons += p->persons[i];
        one += p->fits[i] == 1 ? p->rows[i] : 0;
        few += p->fits[i] > 1 && p->fits[i] < most ? p->rows[i] : 0;
        enough += p->fits[i] >= most ? p->rows[i] : 0;
    }
    KANON_CHECK(kanon__findings_figure(out, "journalist_risk", NULL, "highest 1 / F_g: F_g people of the population fit",
                                       highest, false, err));
    if (p->persons_known)
        KANON_CHECK(kanon__findings_figure(out, "marketer_risk", NULL, "mean of 1 / F_g over the persons of the file",
                                           sum / (double)n_persons, false, err));
    KANON_CHECK(kanon__findings_figure(out, "rows_fit_one", NULL, "rows that fit exactly one person of the population",
                                       (double)one, true, err));
    KANON_CHECK(
        kanon__findings_figure(out, "rows_fit_few", NULL, "rows that fit more, and fewer than k", (double)few, true, err));
    KANON_CHECK(kanon__findings_figure(out, "rows_fit_k", NULL, "rows that fit at least k (2, if no k is required)",
                                       (double)enough, true, err));
    if (!p->persons_known)
        return KANON_OK;
    KANON_CHECK(kanon__findings_figure(out, "presence_least", NULL,
                                       "the least sum of f_g / F_g over the classes that a person of the population fits",
                                       p->least, false, err));
    return kanon__findings_figure(out, "presence_most", NULL, "the largest such sum, at most 1", p->most, false, err);
}

/* ---- k-map ------------------------------------------------------------------------------------------------------- */

/* Classes that fewer people fit than a k-map asks for. */
static kanon_status list_k_map(kanon__findings *out, const kanon__population *p, int64_t k, kanon_error *err)
{
    int64_t rows = 0;
    if (p->n_classes == 0)
        return kanon__findings_add(out, "k_map", NULL, NULL, 0, KANON_MARK_NOT_SHOWN, err,
                                   "k-map: how many people fit each row is known by a population only");
    for (int64_t i = 0; i < p->n_classes; i++)
        rows += p->fits[i] < k ? p->rows[i] : 0;
    return rows > 0 ? kanon__findings_add(out, "k_map", NULL, NULL, rows, KANON_MARK_FAILED, err,
                                          "k-map: fewer than %lld people of the population fit %lld row%s", (long long)k,
                                          (long long)rows, rows == 1 ? "" : "s")
                    : kanon__findings_add(out, "k_map", NULL, NULL, 0, KANON_MARK_MET, err,
                                          "k-map: at least %lld people of the population fit each row", (long long)k);
}

static kanon_status list_fits(kanon__findings *out, const kanon__population *p, int64_t k, kanon_error *err)
{
    int64_t least = INT64_MAX;
    if (p->n_classes == 0)
        return KANON_OK;
    for (int64_t i = 0; i < p->n_classes; i++)
        least = p->fits[i] < least ? p->fits[i] : least;
    KANON_CHECK(list_figures(out, p, k, err));
    return kanon__findings_add(out, "population", NULL, NULL, least, KANON_MARK_MET, err,
                               "each row fits at least %lld of the %lld people of the population", (long long)least,
                               (long long)p->n_people);
}

kanon_status kanon__population_list(kanon__findings *out, const kanon__population *p, const kanon_schema *schema, int64_t k,
                                    kanon_error *err)
{
    int64_t most = 0;
    KANON_CHECK(kanon__schema_k_map(&most, schema, err));
    KANON_CHECK(list_fits(out, p, most > 0 ? most : k, err));
    return most > 0 ? list_k_map(out, p, most, err) : KANON_OK;
}
