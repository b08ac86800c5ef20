/* See piece.h. */
#include "core/piece.h"

#include "core/context.h"
#include "core/sink_guard.h"

kanon_piece kanon__piece_begin(const kanon__piece_kind *kind)
{
    return (kanon_piece){kind, kanon__call_context()};
}

void *kanon__piece_as(const kanon_piece *piece, const kanon__piece_kind *kind, kanon_error *err)
{
    kanon_status st;
    if (piece != NULL && piece->kind == kind)
        return (void *)piece; /* whether it may change is for the caller to know */
    if (piece == NULL)
        st = kanon__fail(err, KANON_EINVAL, "there is no piece where %s is needed", kind->packed.name);
    else
        st = kanon__fail(err, KANON_EINVAL, "this piece is %s, not %s", piece->kind->packed.name, kind->packed.name);
    kanon__hint(err, st, "hand over %s", kind->packed.name);
    return NULL;
}

static kanon_status fail_missing(const char *what, kanon_error *err)
{
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "there is no %s", what), "hand over one");
}

/* A sink is told that it gets nothing. */
static kanon_status write_nothing(const kanon_sink *sink, kanon_error *err)
{
    kanon__sink_guard guard;
    kanon__sink_guard_begin(&guard, &sink, NULL);
    kanon__sink_guard_end(&guard, 1);
    return fail_missing("piece", err);
}

static kanon_status write_piece(const kanon_piece *piece, const kanon_sink *sink, kanon_error *err)
{
    kanon__packer packer;
    kanon__packer_init(&packer, &piece->kind->packed, err);
    piece->kind->pack(&packer, piece);
    kanon_status st = kanon__packer_send(&packer, sink);
    kanon__packer_clear(&packer);
    return st;
}

kanon_status kanon_piece_write(const kanon_piece *piece, const kanon_sink *sink, kanon_error *err)
{
    if (piece == NULL)
        return write_nothing(sink, err);
    if (sink == NULL)
        return fail_missing("sink", err);
    KANON_RETURN_IN(piece->context, write_piece(piece, sink, err));
}

kanon_status kanon_piece_merge(kanon_piece *into, const kanon_piece *other, kanon_error *err)
{
    if (into == NULL)
        return fail_missing("piece", err);
    if (into->kind->merge == NULL)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "%s cannot be merged", into->kind->packed.name),
                           "a domain, counts, a rest, offers and a tally can");
    if (kanon__piece_as(other, into->kind, err) == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(into->context, into->kind->merge(into, other, err));
}

void kanon__piece_free(void *object)
{
    kanon_piece *piece = object;
    if (piece != NULL)
        piece->kind->free(piece);
}

void kanon_piece_free(kanon_piece *piece)
{
    kanon__piece_free(piece);
}
