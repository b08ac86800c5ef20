/* Grids and dominance: see the header. The points of a grid are numbered like the digits of a counter, so no list of
 * them is kept. */
#include "tradeoff/grid.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

/* Splits a list at its commas; a value that is named twice would give two equal points. */
static kanon_status add_values(kanon__texts *values, const char *name, const char *list, bool single, kanon_error *err)
{
    for (const char *at = list;; at++) {
        size_t length = single ? strlen(at) : strcspn(at, ",");
        if (length == 0)
            return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "%s: an empty value in the list", name),
                               "write the values with a comma between them, such as 2,5,10");
        if (kanon__texts_find(values, at, length) >= 0)
            return kanon__fail(err, KANON_EINVAL, "%s: %.*s is named twice", name, (int)length, at);
        kanon_status st = kanon__texts_add(values, at, length, err);
        at += length;
        if (st != KANON_OK || *at == '\0')
            return st;
    }
}

/* An axis may be given once, and there is a limit to their number. */
static kanon_status check_room(const kanon__grid *g, const char *name, kanon_error *err)
{
    for (int i = 0; i < g->n_axes; i++)
        if (strcmp(g->axes[i].name, name) == 0)
            return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "%s is given twice", name),
                               "write all its values in one list");
    if (g->n_axes == KANON__GRID_AXES)
        return kanon__fail(err, KANON_EINVAL, "the grid has more than %d settings", KANON__GRID_AXES);
    return KANON_OK;
}

kanon_status kanon__grid_add(kanon__grid *g, const char *name, const char *list, bool single, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__grid_axis axis = {.stride = 1};
    KANON_TRY(check_room(g, name, err), out);
    KANON_TRY(add_values(&axis.values, name, list, single, err), out);
    if (axis.values.n > KANON__GRID_POINTS / kanon__grid_points(g)) {
        st = kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the grid has more than %d points", KANON__GRID_POINTS),
                         "give fewer values");
        goto out;
    }
    KANON_TRY(kanon__copy_text(&axis.name, name, strlen(name), "a name", err), out);
    for (int i = 0; i < g->n_axes; i++)
        g->axes[i].stride *= axis.values.n;
    g->axes[g->n_axes++] = axis;
    axis = (kanon__grid_axis){0};
out:
    kanon__texts_clear(&axis.values);
    return st;
}

void kanon__grid_clear(kanon__grid *g)
{
    for (int i = 0; i < g->n_axes; i++) {
        kanon__texts_clear(&g->axes[i].values);
        kanon__free(g->axes[i].name);
    }
    g->n_axes = 0;
}

int64_t kanon__grid_points(const kanon__grid *g)
{
    return g->n_axes == 0 ? 1 : g->axes[0].stride * g->axes[0].values.n;
}

const char *kanon__grid_value(const kanon__grid *g, int64_t point, int axis)
{
    const kanon__grid_axis *a = &g->axes[axis];
    return a->values.items[point / a->stride % a->values.n];
}

/* ---- dominance --------------------------------------------------------------------------------------------------- */

/* Equal groups give figures that differ in their last digits where the groups have other numbers. */
static bool is_less(double a, double b)
{
    return a < b - 1e-10 * fabs(b);
}

static bool dominates(const double *a, const double *b, int n_criteria)
{
    bool better = false;
    for (int i = 0; i < n_criteria; i++) {
        if (is_less(b[i], a[i]))
            return false;
        better = better || is_less(a[i], b[i]);
    }
    return better;
}

void kanon__find_dominated(bool *dominated, const double *values, int64_t n, int n_criteria)
{
    for (int64_t i = 0; i < n; i++) {
        dominated[i] = false;
        for (int64_t j = 0; j < n && !dominated[i]; j++)
            dominated[i] = dominates(&values[j * n_criteria], &values[i * n_criteria], n_criteria);
    }
}
