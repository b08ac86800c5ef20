/* Checks of the file that need no group index: every page, and what the tables say about each other.
 *
 * Each check reports damage as KANON_EDATA with the part that does not fit. */
#ifndef KANON_STATE_CHECK_FILE_H
#define KANON_STATE_CHECK_FILE_H

#include "state/store/state.h"

/* Page checksums, SQLite's own integrity check, tallies against records, names against records. */
kanon_status kanon__check_file(kanon_state *state, kanon_error *err);
/* The entity index has each record once; releases are numbered from 1; no record was released in the future. */
kanon_status kanon__check_counts(kanon_state *state, kanon_error *err);

#endif
