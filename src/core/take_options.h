/* Option structs grow at their end only; a caller built against an older header passes a shorter one. Every public
 * function with options calls this first. */
#ifndef KANON_CORE_TAKE_OPTIONS_H
#define KANON_CORE_TAKE_OPTIONS_H

#include "core/status.h"

/* Copy the options that `given` (NULL: none) has into `local`, of `size` bytes, and zero the rest. Both begin with
 * struct_size. */
kanon_status kanon__take_options(void *local, size_t size, const void *given, kanon_error *err);
/* Fail unless the seed, which is called `name`, is at most KANON_SEED_MAX. */
kanon_status kanon__check_seed(uint64_t seed, const char *name, kanon_error *err);

#endif
