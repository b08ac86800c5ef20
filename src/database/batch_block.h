/* The memory of a batch that is made here: one block with the arrays, what is behind them, and all buffers.
 *
 *     | block, arrays, list of children |   column   |   column   | ...        columns begin on pages of their own
 *
 * A batch of a large table lies in an unnamed temporary file (core/spill.h), so that its columns can leave memory; the arrays
 * are in the same block, because small pieces of a heap that a driver uses meanwhile would keep all that it leaves there from
 * going back to the system. Every array counts as one reference of the block. Called by gather_columns.c. */
#ifndef KANON_DATABASE_BATCH_BLOCK_H
#define KANON_DATABASE_BATCH_BLOCK_H

#include "core/status.h"

#include <kanon_arrow.h>
#include <stdbool.h>

typedef struct kanon__block kanon__block;

/* What the block and the arrays of a batch take, where `n_encoded` of its columns have a dictionary. */
size_t kanon__block_room(int n_columns, int n_encoded);
/* A block with one reference and `size` zeroed bytes, room for the arrays among them. */
kanon_status kanon__block_new(kanon__block **out, size_t size, bool spilled, kanon_error *err);
void kanon__block_drop(kanon__block *block);

/* Sizes as a block counts them: each piece, and each column, which takes whole pages. */
size_t kanon__block_piece(size_t size);
size_t kanon__block_pages(size_t size);
/* The next piece; there must be room for it. */
char *kanon__block_take(kanon__block *block, size_t size);

/* An array in the block, with room for its buffers and children, which are released arrays. */
void kanon__block_array(struct ArrowArray *out, kanon__block *block, int64_t length, int n_buffers, int n_children);
/* The dictionary of an array, likewise. */
struct ArrowArray *kanon__block_dictionary(struct ArrowArray *array, int64_t length, int n_buffers);
void kanon__block_set_buffer(struct ArrowArray *array, int number, const void *buffer);
/* All that is taken between the two calls belongs to the column, which leaves memory then. */
void kanon__block_begin_column(kanon__block *block);
void kanon__block_end_column(kanon__block *block, struct ArrowArray *column);

#endif
