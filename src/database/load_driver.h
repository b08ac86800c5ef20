/* Drivers of ADBC: libraries that are found and loaded at run time (docs/decisions/0015-drivers-at-run-time.md).
 *
 * A driver NAME is libadbc_driver_NAME.so, or libduckdb.so. It is looked for, in this order:
 *     1. in the folders of KANON_DRIVER_PATH, then of ADBC_DRIVER_PATH, with colons between them
 *     2. where the system looks for libraries
 *     3. in the Python packages of VIRTUAL_ENV and CONDA_PREFIX, and in the user's own
 * A library stays loaded once it is: drivers have threads and states that outlive their objects. */
#ifndef KANON_DATABASE_LOAD_DRIVER_H
#define KANON_DATABASE_LOAD_DRIVER_H

#include "core/entry.h"
#include "core/status.h"
#include "database/adbc.h"

#include <stdbool.h>

/* The i-th driver that is known by name; NULL past the last. */
const kanon__entry *kanon__driver_entry(size_t i);
/* The library of a driver, as dlopen gives it. KANON_EIO with what to install where there is none. `called` stands in
 * messages. */
kanon_status kanon__driver_library(void **out, const char *name, const char *called, kanon_error *err);
/* Load a driver and let it fill in its table of functions. */
kanon_status kanon__driver_load(kanon__adbc_driver *out, const char *name, const char *called, kanon_error *err);
/* The driver that a function belongs to is not called for a while: its code, and what it has left in the heap, leave
 * memory. */
void kanon__driver_rest(kanon__adbc_unused inside);
/* Whether a table appears and disappears with the transaction in it, and the old one comes back. */
bool kanon__driver_keeps_promises(const char *name);

#endif
