#include "core/ticker.h"

#include <time.h>

enum { TICK_NS = 50 * 1000 * 1000, CHECK_NS = 5 * 1000 * 1000 };

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double kanon__seconds(void)
{
    return (double)now_ns() * 1e-9;
}

void kanon__ticker_init(kanon__ticker *out, kanon_tick tick, void *payload, const char *stage)
{
    *out = (kanon__ticker){.tick = tick, .payload = payload, .stage = stage};
}

kanon_status kanon__tick(kanon__ticker *ticker, int64_t done, int64_t total, int64_t work, kanon_error *err)
{
    if (ticker == NULL || ticker->tick == NULL)
        return KANON_OK;
    ticker->next_check -= work;
    if (ticker->next_check > 0)
        return KANON_OK;
    ticker->next_check = CHECK_NS;
    int64_t now = now_ns();
    if (now - ticker->last_ns < TICK_NS)
        return KANON_OK;
    ticker->last_ns = now;
    kanon_progress progress = {sizeof progress, ticker->stage, done, total};
    if (ticker->tick(&progress, ticker->payload) != 0)
        return kanon__fail(err, KANON_ECANCELLED, "stopped while %s", ticker->stage);
    return KANON_OK;
}
