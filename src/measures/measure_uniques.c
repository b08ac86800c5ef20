/* Unique records before and after: equal tuples of the original quasi values are the groups of a release that changes
 * nothing. Called through evaluate.c; calls search/tuples.h. */
#include "measures/measure.h"

#include "search/tuples.h"

typedef struct original {
    int64_t n_tuples, n_unique, smallest;
} original;

static kanon_status count_tuples(original *out, const kanon_table *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__space *space = NULL;
    kanon__tuples *tuples = NULL;
    *out = (original){0};
    KANON_TRY(kanon__space_new(&space, t, t->quasi, t->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__tuples_new(&tuples, space, err), out);
    out->n_tuples = tuples->n;
    for (int64_t i = 0; i < tuples->n; i++) {
        int64_t size = tuples->begins[i + 1] - tuples->begins[i];
        out->n_unique += size == 1;
        out->smallest = i == 0 || size < out->smallest ? size : out->smallest;
    }
out:
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
    .name = "uniques_before",
    .formula = "number of records that no other equals on all quasi attributes of the original table (sample uniques)",
    .whole = true,
    .compute = uniques_before,
};

static kanon_status uniques_after(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = 0;
    for (int64_t group = 0; group < s->grouping->n_groups; group++)
        *out += s->grouping->sizes[group] == 1;
    return KANON_OK;
}

const kanon__measure kanon__measure_uniques_after = {
    .name = "uniques_after",
    .formula = "number of groups of one record",
    .whole = true,
    .compute = uniques_after,
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
    .name = "k_before",
    .formula = "the fewest records that are equal on all quasi attributes of the original table: its k without any change",
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
    .name = "distinct_tuples",
    .formula = "number of different combinations of quasi values in the original table",
    .whole = true,
    .compute = distinct_tuples,
};
