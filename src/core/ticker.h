/* Progress and cancel: one callback for both, called no more often than is useful. */
#ifndef KANON_CORE_TICKER_H
#define KANON_CORE_TICKER_H

#include "core/status.h"

typedef struct kanon__ticker {
    kanon_tick tick; /* may be NULL */
    void *payload;
    const char *stage;
    int64_t next_check; /* work units until the clock is looked at again */
    int64_t last_ns;
} kanon__ticker;

void kanon__ticker_init(kanon__ticker *out, kanon_tick tick, void *payload, const char *stage);
/* Say how far the stage is. `work` is roughly how many nanoseconds passed since the last call, so that cheap calls stay cheap:
 * the callback runs about every 50 ms. KANON_ECANCELLED where it asked to stop. A NULL ticker is fine. */
kanon_status kanon__tick(kanon__ticker *ticker, int64_t done, int64_t total, int64_t work, kanon_error *err);
/* Seconds on a clock that never goes back, and seconds of CPU used by this process. */
double kanon__seconds(void);

#endif
