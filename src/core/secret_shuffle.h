/* A random order that nobody can compute again: every number that it is drawn from comes from the system's source of random
 * numbers, none from a generator whose state the order could give away. Called by pipeline/release_plan.c. */
#ifndef KANON_CORE_SECRET_SHUFFLE_H
#define KANON_CORE_SECRET_SHUFFLE_H

#include "core/status.h"

#include <stdint.h>

/* Put `items` into random order. KANON_EIO where the system has no random numbers; what it has is never replaced by a
 * weaker source. */
kanon_status kanon__secret_shuffle(int32_t *items, int64_t n, kanon_error *err);

#endif
