/* Bundles: lines of text that go from one numbering to another, as from the parts of the table to its blocks and back.
 *
 * A bundle is one file of the exchange folder. Its lines stand key by key, so that whoever wants those of one key reads one
 * stretch of each bundle. Each line has a slot, its number in the part of the table that it comes from; inside a key lines
 * stand in the order of the table.
 *
 *     the lines, key by key | slot and size of each line, likewise | by key: where it begins in both */
#ifndef KANON_CLI_BUNDLE_H
#define KANON_CLI_BUNDLE_H

#include "workers/exchange.h"

typedef struct bundle_line {
    uint32_t slot, size;
} bundle_line;

typedef struct bundle_mark {
    int64_t byte, line;
} bundle_mark;

typedef struct bundle {
    char *bytes;
    bundle_line *lines;
    bundle_mark *marks; /* by key, and one more: where the last one ends */
    int64_t n_keys;
} bundle;

/* Room for the marks of n_keys and for n_lines; bytes are allocated by bundle_sum, when the sizes are known. */
kanon_status bundle_init(bundle *out, int64_t n_keys, int64_t n_lines, kanon_error *err);
void bundle_clear(bundle *b);
/* marks[key] holds what belongs to each key: from here on it says where that begins. Allocates the bytes. */
kanon_status bundle_sum(bundle *b, kanon_error *err);
kanon_status bundle_write(const bundle *b, const exchange *x, const char *kind, int64_t number, kanon_error *err);

/* Add what each key has in a bundle to totals[key]. */
kanon_status bundle_count(bundle_mark *totals, int64_t n_keys, const exchange *x, const char *kind, int64_t number,
                          kanon_error *err);
/* The lines of one key: *n becomes what there is; the arrays have room for n->byte and n->line as they were.
 * KANON_EINTERNAL: there is more. */
kanon_status bundle_read(char *bytes, bundle_line *lines, bundle_mark *n, int64_t n_keys, int64_t key, const exchange *x,
                         const char *kind, int64_t number, kanon_error *err);

#endif
