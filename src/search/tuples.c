/* See tuples.h. Cost: O(attributes * (n + codes)), as codes are small whole numbers and sort by counting. */
#include "search/tuples.h"

#include "core/alloc.h"
#include "core/ticker.h"

#include <string.h>

enum { PASS_NS = 10 }; /* what a record costs in one pass over all */

/* A radix sort: a stable counting sort for each dimension from the last to the first, so the first one decides. */
kanon_status kanon__sort_rows(int32_t *sorted, const kanon__space *space, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *other = NULL;
    int64_t *begins = NULL, most = 0, n = space->n_rows;
    for (int i = 0; i < space->n_dimensions; i++)
        most = space->dimensions[i].n_codes > most ? space->dimensions[i].n_codes : most;
    KANON_TRY(kanon__new_array(&other, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&begins, most + 1, "row order", err), out);
    for (int64_t row = 0; row < n; row++)
        sorted[row] = (int32_t)row;
    for (int i = space->n_dimensions - 1; i >= 0; i--) {
        const kanon__dimension *d = &space->dimensions[i];
        memset(begins, 0, ((size_t)d->n_codes + 1) * sizeof *begins);
        for (int64_t row = 0; row < n; row++)
            begins[kanon__code_at(d->codes, row) + 1]++;
        for (uint32_t code = 0; code < d->n_codes; code++)
            begins[code + 1] += begins[code];
        memcpy(other, sorted, (size_t)n * sizeof *sorted);
        for (int64_t j = 0; j < n; j++)
            sorted[begins[kanon__code_at(d->codes, other[j])]++] = other[j];
        KANON_TRY(kanon__poll_tick(n * PASS_NS, err), out);
    }
out:
    kanon__free(begins);
    kanon__free(other);
    return st;
}

static bool same_tuple(const kanon__space *space, int32_t left, int32_t right)
{
    for (int i = space->n_dimensions - 1; i >= 0; i--) /* in sorted order neighbours differ in the last ones first */
        if (kanon__code_at(space->dimensions[i].codes, left) != kanon__code_at(space->dimensions[i].codes, right))
            return false;
    return true;
}

kanon_status kanon__tuples_new(kanon__tuples **out, const kanon__space *space, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tuples *t = NULL;
    int64_t n = space->n_rows, m = space->n_dimensions, n_tuples = 0;
    *out = NULL;
    KANON_TRY(kanon__new_array(&t, 1, "distinct records", err), out);
    t->n_dimensions = space->n_dimensions;
    KANON_TRY(kanon__new_array(&t->rows, n, "distinct records", err), out);
    KANON_TRY(kanon__sort_rows(t->rows, space, err), out);
    for (int64_t i = 0; i < n; i++)
        n_tuples += i == 0 || !same_tuple(space, t->rows[i - 1], t->rows[i]);
    KANON_TRY(kanon__poll_tick(n * PASS_NS, err), out);
    KANON_TRY(kanon__new_array(&t->begins, n_tuples + 1, "distinct records", err), out);
    KANON_TRY(kanon__new_array(&t->codes, n_tuples * m, "distinct records", err), out);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && same_tuple(space, t->rows[i - 1], t->rows[i]))
            continue;
        for (int j = 0; j < m; j++)
            t->codes[t->n * m + j] = kanon__code_at(space->dimensions[j].codes, t->rows[i]);
        t->begins[t->n++] = i;
    }
    t->begins[t->n] = n;
    KANON_TRY(kanon__poll_tick(n * PASS_NS, err), out);
    *out = t;
    t = NULL;
out:
    kanon__tuples_free(t);
    return st;
}

void kanon__tuples_free(kanon__tuples *t)
{
    if (t == NULL)
        return;
    kanon__free(t->codes);
    kanon__free(t->begins);
    kanon__free(t->rows);
    kanon__free(t);
}
