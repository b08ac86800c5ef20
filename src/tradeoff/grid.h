/* A grid: axes with values, every combination of which is a point; and which points are dominated (Pareto). */
#ifndef KANON_TRADEOFF_GRID_H
#define KANON_TRADEOFF_GRID_H

#include "core/texts.h"

#include <stdbool.h>

enum { KANON__GRID_AXES = 32, KANON__GRID_POINTS = 10000 };

/* An axis with distinct values. Value i of a point is (point / stride) modulo the number of values. */
typedef struct kanon__grid_axis {
    char *name;
    kanon__texts values;
    int64_t stride; /* from one value to the next, in points */
} kanon__grid_axis;

/* Zeroed: a single point without axes. */
typedef struct kanon__grid {
    kanon__grid_axis axes[KANON__GRID_AXES];
    int n_axes;
} kanon__grid;

/* One more axis, with the values between the commas of `list`, or with `list` itself where it is a single text. The last
 * axis changes first. KANON_EINVAL: an empty or a repeated value, an axis of that name is there, too many points. */
kanon_status kanon__grid_add(kanon__grid *grid, const char *name, const char *list, bool single, kanon_error *err);
void kanon__grid_clear(kanon__grid *grid);
int64_t kanon__grid_points(const kanon__grid *grid);
const char *kanon__grid_value(const kanon__grid *grid, int64_t point, int axis);

/* Which of `n` points are dominated: another one is better in one of its `n_criteria` values and worse in none. Small values
 * are good; what differs in the tenth digit or is NAN counts as equal. */
void kanon__find_dominated(bool *dominated, const double *values, int64_t n, int n_criteria);

#endif
