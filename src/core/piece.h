/* What travels between processes: kanon_piece. Each kind is a struct of its own that begins with a kanon_piece, and has a
 * kanon__piece_kind that says how it is packed, unpacked, merged and freed; what all kinds have in common is done once, in
 * piece.c and pipeline/piece_read.c.
 *
 * Callers have one type for all kinds, with a name for each. With a type for each they would have to cast wherever they
 * read, write, merge or free, and a wrong cast is wrong memory. Of which kind bytes are is known only when they are read;
 * so each function looks at the kind, and a wrong one is an error with a message. */
#ifndef KANON_CORE_PIECE_H
#define KANON_CORE_PIECE_H

#include "core/packed.h"

#include <kanon_blocks.h>

struct kanon__whole; /* table/read/whole_domain.h */

typedef struct kanon__piece_kind {
    kanon__packed_kind packed;
    bool of_domain; /* it is read with the sealed domain of the whole */
    void (*pack)(kanon__packer *packer, const void *object);
    /* `whole` is NULL unless of_domain. What is left in the bytes is looked at by the caller. */
    kanon_status (*unpack)(kanon_piece **out, kanon__unpacker *unpacker, const struct kanon__whole *whole, kanon_error *err);
    kanon_status (*merge)(void *into, const void *other, kanon_error *err); /* NULL: there is nothing to merge */
    void (*free)(void *object);
} kanon__piece_kind;

struct kanon_piece {
    const kanon__piece_kind *kind;
    const kanon_context *context;
};

/* The beginning of a new object, which is made in this call. */
kanon_piece kanon__piece_begin(const kanon__piece_kind *kind);
/* The object behind a piece. NULL, and KANON_EINVAL in *err: the piece is NULL or of another kind. */
void *kanon__piece_as(const kanon_piece *piece, const kanon__piece_kind *kind, kanon_error *err);
/* An object of any kind; it may be NULL. */
void kanon__piece_free(void *object);

#endif
