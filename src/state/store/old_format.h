/* States of format 5, which had other names for some tables and columns.
 *
 * The first command that changes such a state renames them, in its own transaction: the state has the new format together
 * with the change, or nothing has happened to it. Renaming moves no row, so it takes no time. A command that only reads
 * sees the tables by their new names, as views that last as long as its transaction, and writes nothing: the file may be
 * one that it must not write. */
#ifndef KANON_STATE_OLD_FORMAT_H
#define KANON_STATE_OLD_FORMAT_H

#include "state/store/store.h"

/* Of a state whose version is an earlier one. `write`: the transaction is one that writes. */
kanon_status kanon__old_format_bring_up(kanon__store *store, bool write, kanon_error *err);

#endif
