/* Plots as inline SVG. The first series is light, the second dark, so that they are distinct without colour; a plot
 * with one series is dark. Values are not negative. */
#ifndef KANON_REPORT_SVG_PLOT_H
#define KANON_REPORT_SVG_PLOT_H

#include "report/markup.h"

enum { KANON__PLOT_WIDE = 640, KANON__PLOT_HALF = 350 };

/* The CSS rules of what is drawn; a page with plots has them once. */
extern const char kanon__plot_style[];
/* The same for readers who prefer dark pages; only of pages, because a picture alone has no background. */
extern const char kanon__plot_dark_style[];

typedef struct kanon__plot_bar {
    const char *label;
    size_t label_length;
    int indent; /* of the label, in steps */
    double values[2];
} kanon__plot_bar;

typedef struct kanon__plot {
    const char *title;   /* for those who do not see it; what it is about follows */
    const char *subject; /* a column's name; NULL: the whole table */
    int width;
    int n_series;
    const char *series[2]; /* for the legend, where there are two */
    bool shares;           /* the values are shares of 1 */
    const char *x_title, *y_title;
} kanon__plot;

/* Bars that stand, with their labels below: histograms. */
void kanon__plot_columns(kanon__output *output, const kanon__plot *plot, const kanon__plot_bar *bars, int n);
/* Bars that lie, with their labels to the left. */
void kanon__plot_rows(kanon__output *output, const kanon__plot *plot, const kanon__plot_bar *bars, int n);

typedef struct kanon__plot_axis {
    int n;
    const double *edges;      /* n + 1 */
    const double *heights[2]; /* n each */
    int n_ticks;
    const double *ticks;
    const char (*tick_labels)[32];
} kanon__plot_axis;

/* Bars of different width on an axis of numbers; the second series is a line around its bars. */
void kanon__plot_histogram(kanon__output *output, const kanon__plot *plot, const kanon__plot_axis *axis);

enum { KANON__PLOT_LABEL = 160, KANON__PLOT_POINTS_HEIGHT = 330 };

typedef struct kanon__plot_point {
    double x, y;
    bool is_dark;
    bool is_joined; /* the line goes through it */
    bool is_chosen; /* it has a ring, and its label is shown whatever others would be there */
    char label[KANON__PLOT_LABEL];
} kanon__plot_point;

/* Points with a line through some of them, by ascending x; two series name the light and the dark ones. On a logarithmic
 * axis points from x = 0 are at its left end. The plot is KANON__PLOT_POINTS_HEIGHT high. */
void kanon__plot_points(kanon__output *output, const kanon__plot *plot, const kanon__plot_point *points, int n,
                        bool logarithmic);

#endif
