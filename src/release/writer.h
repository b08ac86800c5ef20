/* Writing a release and a groups file. Every line is passed to a watcher, the independent check, before it is
 * written. */
#ifndef KANON_RELEASE_WRITER_H
#define KANON_RELEASE_WRITER_H

#include "core/output.h"
#include "core/ticker.h"
#include "release/permutation.h"
#include "release/recode.h"

/* Told of every row of the table, with the cursor that stands on it: before it leaves, with the line as it is in the
 * buffer that is written, or that it stays out, with NULL in its place. */
typedef kanon_status (*kanon__row_watcher)(int64_t row, const kanon__cursor *cursor, const char *line, size_t length,
                                           void *payload, kanon_error *err);

/* What is written, and how. */
typedef struct kanon__release {
    const kanon_table *table;
    const int32_t *group_of;
    const kanon__recoding *recoding;
    const kanon__permutation *permutation; /* NULL: every row shows its own cells */
    const int32_t *order; /* all rows, first those that leave, in the order in which they do; NULL: as in the input */
    int64_t n_left_out;   /* the last of `order` stay out, or, where that is NULL, those of group 0 */
    int threads;
    kanon__row_watcher watcher;
    /* the watcher will soon be told of row `far`, and of row `near` before it */
    void (*ahead)(int64_t far, int64_t near, void *payload);
    void *payload;
} kanon__release;

/* NAME_min and NAME_max must not meet a column that is called so already. */
kanon_status kanon__released_name_is_free(const kanon_table *table, const char *name, kanon_error *err);
/* The input's columns in order without the identifying ones, quasi cells as recoded, all else byte for byte as it was. */
kanon_status kanon__release_write(kanon__output *output, const kanon__release *release, kanon__ticker *ticker,
                                  kanon_error *err);
/* CSV with the columns row and group, both from 1, in input order; group 0 is a suppressed record. */
void kanon__groups_write(kanon__output *output, const int32_t *group_of, int64_t n_rows);

#endif
