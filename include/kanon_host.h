/* kanon for programs that have users: texts for people, and locations that must not be confused.
 *
 * The command line and the hosts are made with these calls. The promise of 1.x does not cover them. */
#ifndef KANON_HOST_H
#define KANON_HOST_H

#include <kanon.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Text of others (a column name, a file name) as it can be shown on a terminal or a page: control characters, C1 controls,
 * marks that turn the direction of text, and bytes that are not UTF-8 become \n, \x1b, \u202e. At most `size` bytes of it
 * are written to `out` with a terminator, whole characters only; how many bytes all of it has is returned. Messages, hints
 * and warnings of the library went through this already; twice is the same as once. */
KANON_API size_t kanon_escape(char *out, size_t size, const char *text);
/* The word most like `text`, for "did you mean": by letters added, left out, changed or swapped. NULL where none is near;
 * words that are NULL are passed over. */
KANON_API const char *kanon_nearest_word(const char *const *words, size_t n, const char *text);

/* ---- locations --------------------------------------------------------------------------------------------------- */

/* What messages and reports call a location: the driver and the table, none of the options. Otherwise as kanon_escape. */
KANON_API size_t kanon_location_name(char *out, size_t size, const char *location);
/* Load the driver called `name`, and write where it was found as kanon_escape does; 0: there is none that can be loaded. */
KANON_API size_t kanon_driver_find(char *out, size_t size, const char *name);
/* The table at a location (kanon.h) that is no CSV, as a stream (kanon_arrow.h): a Parquet file, a table of an SQLite file,
 * what an ADBC driver reaches. Every function that reads tables reads these, too; this is for hosts that want the
 * rows themselves. The stream holds its connection until it is released. `context` may be NULL. */
KANON_API kanon_status kanon_open_stream(struct ArrowArrayStream *out, const char *location, const kanon_context *context,
                                         kanon_error *err);
/* Whether two locations are one, so that to write at the first would change the second: one file, however it is written and
 * whatever links lead to it, or will once it is there; one table of a database; or a table and the file that it is in. */
KANON_API int kanon_same_file(const char *left, const char *right);
/* Whether `path` is the state at `state` or one of the files that belong to it, such as STATE-journal. No output may be
 * written there. Neither has to exist. */
KANON_API int kanon_state_owns(const char *state, const char *path);

/* ---- schemas ----------------------------------------------------------------------------------------------------- */

/* The i-th file that is read for the schema: its own, then its taxonomies. NULL past the last. */
KANON_API const char *kanon_schema_file(const kanon_schema *schema, size_t i);

#ifdef __cplusplus
}
#endif
#endif
