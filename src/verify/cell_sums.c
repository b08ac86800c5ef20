/* See cell_sums.h. */
#include "verify/cell_sums.h"

#include "core/alloc.h"

kanon_status kanon__cell_sums_new(kanon__cell_sums **out, const kanon__data *data, int64_t n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cell_sums *s = NULL;
    int n = 0;
    *out = NULL;
    for (int i = 0; i < data->n_columns; i++)
        n += data->columns[i].permuted;
    if (n == 0)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&s, 1, "the check of the release", err), out);
    kanon__hash_key_draw(&s->key);
    s->data = data;
    s->n_groups = n_groups;
    KANON_TRY(kanon__new_array(&s->place_of, data->n_columns, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&s->sums, (n_groups + 1) * n, "the check of the release", err), out);
    for (int i = 0; i < data->n_columns; i++)
        s->place_of[i] = data->columns[i].permuted ? s->n++ : -1;
    *out = s;
    s = NULL;
out:
    kanon__cell_sums_free(s);
    return st;
}

void kanon__cell_sums_free(kanon__cell_sums *s)
{
    if (s == NULL)
        return;
    kanon__free((void *)s->sums);
    kanon__free(s->place_of);
    kanon__free(s);
}

kanon_status kanon__cell_sums_check(const kanon__cell_sums *s, kanon_error *err)
{
    for (int i = 0; s != NULL && i < s->data->n_columns; i++)
        for (int64_t group = 0; s->place_of[i] >= 0 && group <= s->n_groups; group++)
            if (atomic_load_explicit(&s->sums[group * s->n + s->place_of[i]], memory_order_relaxed) != 0)
                return kanon__fail(err, KANON_EINTERNAL,
                                   "the check found a group that shows other cells than its records have, column %s",
                                   s->data->columns[i].name);
    return KANON_OK;
}
