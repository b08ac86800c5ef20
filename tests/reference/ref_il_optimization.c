/* il-optimization (Truta 4). */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

/* The group other than its own that covers the record and has the least D; -1: none. */
static int best_cover(const ref_model *model, const int *group, int n_groups, int own, int record)
{
    ref_span *spans = ref_spans_new(model);
    int best = -1;
    int64_t best_units = INT64_MAX;
    for (int g = 0; g < n_groups; g++) {
        ref_spans_of(model, group, g, spans);
        if (g == own || spans[0].size == 0 || !ref_spans_cover(model, spans, record))
            continue;
        int64_t units = ref_spans_units(model, spans);
        if (units < best_units) {
            best = g;
            best_units = units;
        }
    }
    free(spans);
    return best;
}

static bool is_totally_covered(const ref_model *model, const int *group, int n_groups, int g)
{
    for (int i = 0; i < model->n; i++)
        if (group[i] == g && best_cover(model, group, n_groups, g, i) == -1)
            return false;
    return true;
}

static void try_break(const ref_model *model, int *group, int n_groups, int g)
{
    if (!is_totally_covered(model, group, n_groups, g))
        return;
    int *broken = REF_NEW(int, model->n);
    memcpy(broken, group, (size_t)model->n * sizeof *broken);
    for (int i = 0; i < model->n; i++)
        if (group[i] == g)
            broken[i] = best_cover(model, broken, n_groups, g, i);
    if (ref_loss_all(model, broken, n_groups) < ref_loss_all(model, group, n_groups))
        memcpy(group, broken, (size_t)model->n * sizeof *group);
    free(broken);
}

void ref_il_optimization(const ref_model *model, int *group)
{
    int n_groups = 0;
    for (int i = 0; i < model->n; i++)
        if (group[i] >= n_groups)
            n_groups = group[i] + 1;
    int64_t *loss = REF_NEW(int64_t, n_groups); /* -1: not to be visited */
    for (int g = 0; g < n_groups; g++)
        loss[g] = is_totally_covered(model, group, n_groups, g) ? ref_loss_of(model, group, g) : -1;
    for (;;) {
        int next = -1;
        for (int g = 0; g < n_groups; g++)
            if (loss[g] >= 0 && (next == -1 || loss[g] > loss[next]))
                next = g;
        if (next == -1)
            break;
        loss[next] = -1;
        try_break(model, group, n_groups, next);
    }
    free(loss);
}
