/* The point of a curve that is recommended: of those that are not dominated, the one nearest to the corner where loss and
 * risk are least. Both are scaled from their least to their greatest value among these points; the risk by its logarithm,
 * because halving it is worth as much wherever one begins. Ties go to the first point.
 * Called through kanon_curve_recommended, by curve_write.c, too. */
#include "tradeoff/curve.h"

#include <math.h>

typedef struct span {
    double least, most;
} span;

/* What counts of a point: its loss, and the logarithm of its risk. */
static void figures_of(double out[2], const kanon_curve_point *p)
{
    out[0] = kanon__curve_figure(p, "information_loss");
    out[1] = log(kanon__curve_figure(p, "average_risk"));
}

static bool counts(const kanon_curve_point *p)
{
    double at[2];
    figures_of(at, p);
    return p->result == KANON_POINT_OPTIMAL && isfinite(at[0]) && isfinite(at[1]);
}

static double scaled(double value, const span *s)
{
    return s->most > s->least ? (value - s->least) / (s->most - s->least) : 0;
}

const kanon_curve_point *kanon_curve_recommended(const kanon_curve *c)
{
    span spans[2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    const kanon_curve_point *best = NULL;
    double nearest = INFINITY, at[2];
    for (int64_t i = 0; i < c->n; i++) {
        figures_of(at, &c->points[i]);
        for (int j = 0; j < 2 && counts(&c->points[i]); j++) {
            spans[j].least = fmin(spans[j].least, at[j]);
            spans[j].most = fmax(spans[j].most, at[j]);
        }
    }
    for (int64_t i = 0; i < c->n; i++) {
        figures_of(at, &c->points[i]);
        double distance = hypot(scaled(at[0], &spans[0]), scaled(at[1], &spans[1]));
        if (counts(&c->points[i]) && distance < nearest) {
            nearest = distance;
            best = &c->points[i];
        }
    }
    return best;
}
