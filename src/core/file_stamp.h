/* What tells that a file is as it was: its number, its size and its times. Used by whoever reads a file piece by piece. */
#ifndef KANON_CORE_FILE_STAMP_H
#define KANON_CORE_FILE_STAMP_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether `now` is the file that `before` was, and nobody has written to it. Whoever writes can set the time of the last
 * write back, but not the time of the last change (st_ctim). That time also moves where a name is given to the file or taken
 * from it, as when another file is put in its place; then the number of its names differs, and the time tells nothing. */
bool kanon__file_stamp_same(const struct stat *before, const struct stat *now);

#endif
