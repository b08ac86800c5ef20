/* The annealing of a region, in stages of STEPS_AT_ONCE steps:
 *
 *   1. The window moves on: the steps of a stage begin with records of one window. Records are in index order, so those of
 *      a window and their neighbours fit the caches.
 *   2. Each step draws its acceptance threshold and tries one random move.
 *   3. The temperature falls by a constant factor, so that it is `cold` after the last stage. */
#include "refine/anneal/annealing.h"

#include <math.h>

/* STEP_NS: about what a step takes, for the ticker. */
enum { STEPS_AT_ONCE = 8192, WINDOW = 2000, STEP_NS = 200 };

void kanon__thresholds_fill(float *thresholds)
{
    for (int i = 0; i < KANON__THRESHOLDS; i++)
        thresholds[i] = (float)-log((i + 0.5) / KANON__THRESHOLDS);
}

/* A step of many attributes is worth a look at the clock; the others have one after the stage. */
static kanon_status run_stage(kanon__move_engine *e, const kanon__cooling_schedule *c, int64_t n, double temperature,
                              kanon__ticker *ticker, kanon_error *err)
{
    enum { MANY = 64, ATTRIBUTE_NS = 100 };
    int64_t cost = e->region->costs->n_dimensions > MANY ? (int64_t)e->region->costs->n_dimensions * ATTRIBUTE_NS : 0;
    /* 1. */
    e->window_size = e->region->n < WINDOW ? e->region->n : WINDOW;
    e->window_begin += e->window_size;
    e->window_begin = e->window_begin < e->region->n ? e->window_begin : e->window_begin - e->region->n;
    e->slack = (int64_t)temperature;
    /* 2. */
    for (int64_t i = 0; i < n; i++) {
        e->threshold = (int64_t)(temperature * (double)c->thresholds[kanon__random_next(&e->random) % KANON__THRESHOLDS]);
        i += kanon__move_engine_step(e); /* a move that takes longer counts more than once */
        kanon_status st = cost > 0 ? kanon__tick(ticker, 0, 0, cost, err) : KANON_OK;
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

kanon_status kanon__anneal(kanon__move_engine *e, const kanon__cooling_schedule *c, bool *complete, kanon__ticker *ticker,
                           kanon_error *err)
{
    e->window_begin = (int32_t)kanon__random_below(&e->random, e->region->n);
    double temperature = c->hot, n_stages = ceil((double)c->moves / STEPS_AT_ONCE);
    double factor = c->hot > 0 && n_stages > 0 ? pow(c->cold / c->hot, 1 / n_stages) : 1;
    *complete = true;
    for (int64_t done = 0; done < c->moves; done += STEPS_AT_ONCE) {
        if (ticker->finish) {
            *complete = false;
            break;
        }
        int64_t n = c->moves - done < STEPS_AT_ONCE ? c->moves - done : STEPS_AT_ONCE;
        kanon_status st = run_stage(e, c, n, temperature, ticker, err);
        temperature *= factor; /* 3. */
        if (st == KANON_OK)
            st = kanon__tick(ticker, 0, 0, n * STEP_NS, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}
