#include "refine/anneal/search_anneal.h"

#include <math.h>

/* Steps at one temperature and within one window of records that lie close together, which the caches like. */
enum { STEPS_AT_ONCE = 8192, WINDOW = 2000, STEP_NS = 200 };

void kanon__chances_fill(float *chances)
{
    for (int i = 0; i < KANON__CHANCES; i++)
        chances[i] = (float)-log((i + 0.5) / KANON__CHANCES);
}

static void make_steps(kanon__mover *m, const kanon__cooling *c, int64_t n, double temperature)
{
    m->window_size = m->patch->n < WINDOW ? m->patch->n : WINDOW;
    m->window += m->window_size;
    m->window = m->window < m->patch->n ? m->window : m->window - m->patch->n;
    for (int64_t i = 0; i < n; i++) {
        m->allowed = (int64_t)(temperature * (double)c->chances[kanon__random_next(&m->random) % KANON__CHANCES]);
        kanon__mover_step(m);
    }
}

kanon_status kanon__anneal(kanon__mover *m, const kanon__cooling *c, kanon__ticker *ticker, kanon_error *err)
{
    m->window = (int32_t)kanon__random_below(&m->random, m->patch->n);
    double temperature = c->hot, n_stages = ceil((double)c->moves / STEPS_AT_ONCE);
    double factor = c->hot > 0 && n_stages > 0 ? pow(c->cold / c->hot, 1 / n_stages) : 1;
    for (int64_t done = 0; done < c->moves && !ticker->finish; done += STEPS_AT_ONCE) {
        int64_t n = c->moves - done < STEPS_AT_ONCE ? c->moves - done : STEPS_AT_ONCE;
        make_steps(m, c, n, temperature);
        temperature *= factor;
        kanon_status st = kanon__tick(ticker, 0, 0, n * STEP_NS, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}
