/* The points of a grid with their figures, and how they are written. Made by tradeoff.c; written by curve_csv.c (CSV)
 * and curve_write.c (JSON, SVG and page). */
#ifndef KANON_TRADEOFF_CURVE_H
#define KANON_TRADEOFF_CURVE_H

#include "tradeoff/grid.h"
#include "core/output.h"

/* Point i has n_axes items of `places` and N_FIGURES items of `figures` (tradeoff.c), from i times that number on; its
 * kanon_curve_point refers to them. The first axis is k. */
struct kanon_curve {
    kanon__grid grid;
    kanon_curve_point *points;
    int64_t n;
    kanon_setting *places; /* n_axes for each point */
    kanon_figure **figures; /* the figures of tradeoff.c for each point */
    const char *algorithm; /* of the algorithm's own table, or of the schema */
    const char *table_name;
    uint64_t seed;
};

/* The figures that decide: the names of `n` of them, information_loss first. */
const char *const *kanon__curve_criteria(int *n);
/* The value of the point's figure of that name. */
double kanon__curve_figure(const kanon_curve_point *point, const char *name);

void kanon__curve_csv(kanon__output *output, const kanon_curve *curve);
kanon_status kanon__curve_json(kanon__output *output, const kanon_curve *curve, kanon_error *err);
kanon_status kanon__curve_plot(kanon__output *output, const kanon_curve *curve, bool html, kanon_error *err);

#endif
