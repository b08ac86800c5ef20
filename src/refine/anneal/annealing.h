/* Simulated annealing of one region.
 *
 * The Metropolis rule: a move that makes the loss grow by x is accepted with probability exp(-x / temperature). That is
 * x <= -ln(u) * temperature for a u drawn evenly from (0, 1), so each step first draws the threshold that its move may not
 * exceed; a move can then be rejected as soon as a part of its costs is above it. The logarithms come from a table. */
#ifndef KANON_REFINE_ANNEAL_ANNEALING_H
#define KANON_REFINE_ANNEAL_ANNEALING_H

#include "core/ticker.h"
#include "refine/anneal/moves.h"

/* Entries of the table of -ln(u), for evenly spread u. */
enum { KANON__THRESHOLDS = 4096 };

typedef struct kanon__cooling_schedule {
    const float *thresholds; /* filled by kanon__thresholds_fill */
    int64_t moves;
    double hot, cold; /* the temperature at the beginning and at the end, in units of loss; 0: the loss may not grow */
} kanon__cooling_schedule;

void kanon__thresholds_fill(float *thresholds);
/* Ends early where the ticker says so: then *complete is false. */
kanon_status kanon__anneal(kanon__move_engine *engine, const kanon__cooling_schedule *cooling, bool *complete,
                           kanon__ticker *ticker, kanon_error *err);

#endif
