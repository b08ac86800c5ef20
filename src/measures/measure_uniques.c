/* Unique records before and after: equal tuples of the original quasi values are the groups of a release that changes
 * nothing. Where the table says whose records they are, a record is unique that only records of its own person equal. */
#include "measures/measure.h"

#include "core/alloc.h"
#include "search/tuples.h"

#include <stdlib.h>

typedef struct original {
    int64_t n_tuples, n_unique, smallest;
} original;

static int by_code(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* How many persons the rows belong to; without entities, every record is another's. `codes` has room for n codes. */
static int64_t count_persons(const kanon__data *t, const int32_t *rows, int64_t n, uint32_t *codes)
{
    int64_t n_persons = n > 0;
    if (!t->has_entity)
        return n;
    for (int64_t i = 0; i < n; i++)
        codes[i] = kanon__code_at(t->entity_codes, rows[i]);
    qsort(codes, (size_t)n, sizeof *codes, by_code);
    for (int64_t i = 1; i < n; i++)
        n_persons += codes[i] != codes[i - 1];
    return n_persons;
}

static kanon_status count_tuples(original *out, const kanon__data *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__space *space = NULL;
    kanon__tuples *tuples = NULL;
    uint32_t *codes = NULL;
    *out = (original){0};
    KANON_TRY(kanon__space_new(&space, t, t->quasi, t->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__tuples_new(&tuples, space, err), out);
    KANON_TRY(kanon__new_array(&codes, t->has_entity ? t->n_rows : 0, "entities", err), out);
    out->n_tuples = tuples->n;
    for (int64_t i = 0; i < tuples->n; i++) {
        int64_t size = tuples->begins[i + 1] - tuples->begins[i];
        int64_t n_persons = count_persons(t, tuples->rows + tuples->begins[i], size, codes);
        out->n_unique += n_persons == 1 ? size : 0;
        out->smallest = i == 0 || n_persons < out->smallest ? n_persons : out->smallest;
    }
out:
    kanon__free(codes);
    kanon__tuples_free(tuples);
    kanon__space_free(space);
    return st;
}

static kanon_status uniques_before(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    original before;
    kanon_status st = count_tuples(&before, s->table, err);
    (void)i;
    *out = (double)before.n_unique;
    return st;
}

const kanon__measure kanon__measure_uniques_before = {
    KANON__MEASURE_INFO(uniques_before, TABLE,
                        "number of records that no other, or with entities no other person's, equals on all quasi "
                        "attributes of the original table (sample uniques)"),
    .whole = true,
    .compute = uniques_before,
};

static kanon_status k_before(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    original before;
    kanon_status st = count_tuples(&before, s->table, err);
    (void)i;
    *out = (double)before.smallest;
    return st;
}

const kanon__measure kanon__measure_k_before = {
    KANON__MEASURE_INFO(k_before, TABLE,
                        "the fewest records, or with entities persons, that are equal on all quasi attributes of the "
                        "original table: its k without any change"),
    .whole = true,
    .compute = k_before,
};

static kanon_status distinct_tuples(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    original before;
    kanon_status st = count_tuples(&before, s->table, err);
    (void)i;
    *out = (double)before.n_tuples;
    return st;
}

const kanon__measure kanon__measure_distinct_tuples = {
    KANON__MEASURE_INFO(distinct_tuples, TABLE,
                        "number of different combinations of quasi values in the original table"),
    .whole = true,
    .compute = distinct_tuples,
};
