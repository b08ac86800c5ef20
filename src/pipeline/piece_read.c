/* Any piece from bytes: the one place that knows all kinds. */
#include "core/context.h"
#include "measures/sums.h"
#include "partition/cut_counts.h"
#include "partition/rest.h"
#include "table/text/input.h"

/* NULL: the bytes are none of these. */
static const kanon__piece_kind *kind_of(const void *bytes, size_t size)
{
    static const kanon__piece_kind *const kinds[] = {&kanon__domain_kind,       &kanon__cuts_kind, &kanon__counts_kind,
                                                     &kanon__codes_kind,        &kanon__rest_kind, &kanon__offers_kind,
                                                     &kanon__block_groups_kind, &kanon__tally_kind};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kanon__packed_letter(bytes, size) == kinds[i]->packed.letter)
            return kinds[i];
    return NULL;
}

static kanon_status read_bytes(kanon_piece **out, const void *bytes, size_t size, const kanon_domain *domain,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_piece *piece = NULL;
    const kanon__whole *whole = NULL;
    const kanon__piece_kind *kind = kind_of(bytes, size);
    kanon__unpacker u;
    if (kind == NULL)
        return kanon__hint(err, kanon__fail(err, KANON_EDATA, "the bytes are not a piece"),
                           "hand over all bytes of one object as they were written");
    KANON_TRY(kanon__unpacker_init(&u, &kind->packed, bytes, size, err), out);
    if (kind->of_domain)
        KANON_TRY(kanon__whole_take(&whole, domain, err), out);
    KANON_TRY(kind->unpack(&piece, &u, whole, err), out);
    KANON_TRY(kanon__unpacker_end(&u, err), out);
    *out = piece;
    piece = NULL;
out:
    kanon__piece_free(piece);
    return st;
}

kanon_status kanon_piece_read(kanon_piece **out, const kanon_input *given, const kanon_domain *domain,
                              const kanon_context *context, kanon_error *err)
{
    kanon__call call;
    kanon__input input;
    *out = NULL;
    kanon_status begun = kanon__context_check(context, err);
    if (begun == KANON_OK)
        kanon__call_begin(&call, context != NULL || domain == NULL ? context : domain->context);
    kanon_status st = kanon__input_take(&input, given, KANON__INPUT_PIECE, begun, err);
    if (st == KANON_OK)
        st = kanon__input_load(&input, err);
    if (st == KANON_OK)
        st = read_bytes(out, input.bytes, input.size, domain, err);
    kanon__input_close(&input);
    return begun == KANON_OK ? kanon__call_end(&call, st) : st;
}
