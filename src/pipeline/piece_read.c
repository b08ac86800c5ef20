/* Any piece from bytes: the one place that knows all kinds. */
#include "core/context.h"
#include "core/take_input.h"
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

static kanon_status read_given(kanon_piece **out, const kanon__given *given, const kanon_domain *domain, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input input = {0};
    const kanon_input *in = &given->input;
    if (in->bytes != NULL)
        return read_bytes(out, in->bytes, in->size, domain, err);
    if (in->location == NULL)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "a piece is no stream"), "hand over its bytes or a file");
    KANON_TRY(kanon__input_open_upto(&input, in->location, UINT64_MAX, "a piece", err), out);
    KANON_TRY(kanon__input_load(&input, err), out);
    KANON_TRY(read_bytes(out, input.bytes, input.size, domain, err), out);
out:
    kanon__input_close(&input);
    return st;
}

kanon_status kanon_piece_read(kanon_piece **out, const kanon_input *input, const kanon_domain *domain,
                              const kanon_context *context, kanon_error *err)
{
    kanon__call call;
    kanon__given given;
    *out = NULL;
    kanon_status st = kanon__given_take(&given, input, kanon__context_check(context, err), err);
    if (st != KANON_OK)
        return st;
    kanon__call_begin(&call, context != NULL || domain == NULL ? context : domain->context);
    st = kanon__call_end(&call, read_given(out, &given, domain, err));
    kanon__given_clear(&given);
    return st;
}
