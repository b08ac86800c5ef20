/* Simulated annealing of one patch: a step may make the loss grow, by the less the cooler it is. */
#ifndef KANON_REFINE_ANNEAL_SEARCH_ANNEAL_H
#define KANON_REFINE_ANNEAL_SEARCH_ANNEAL_H

#include "core/ticker.h"
#include "refine/anneal/search_moves.h"

/* Minus the logarithms of evenly spread chances. One of them times the temperature is how much the loss may grow: a growth
 * of x is accepted with a chance of exp(-x / temperature). */
enum { KANON__CHANCES = 4096 };

typedef struct kanon__cooling {
    const float *chances;
    int64_t moves;
    double hot, cold; /* the temperature in the beginning and at the end, in units of loss; 0: nothing may grow */
} kanon__cooling;

void kanon__chances_fill(float *chances);
/* Ends early where the ticker says so. */
kanon_status kanon__anneal(kanon__mover *mover, const kanon__cooling *cooling, kanon__ticker *ticker, kanon_error *err);

#endif
