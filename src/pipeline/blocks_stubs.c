/* Calls of kanon_blocks.h that are not there yet: each fails. This file shrinks as they come. Called by hosts. */
#include "core/status.h"

#include <kanon_blocks.h>

static kanon_status not_yet(kanon_error *err)
{
    return kanon__fail(err, KANON_EINVAL, "blocks by several processes: not there yet");
}

kanon_status kanon_tally_new(kanon_tally **out, const kanon_table *rows, const kanon_grouping *grouping, kanon_error *err)
{
    (void)out;
    (void)rows;
    (void)grouping;
    *out = NULL;
    return not_yet(err);
}

kanon_status kanon_tally_merge(kanon_tally *into, const kanon_tally *other, kanon_error *err)
{
    (void)into;
    (void)other;
    return not_yet(err);
}

void kanon_tally_free(kanon_tally *tally)
{
    (void)tally;
}

kanon_status kanon_tally_measures(kanon_measures **out, const kanon_tally *tally, const kanon_domain *domain,
                                  kanon_error *err)
{
    (void)out;
    (void)tally;
    (void)domain;
    *out = NULL;
    return not_yet(err);
}

kanon_status kanon_tally_write(const kanon_tally *tally, const kanon_sink *sink, kanon_error *err)
{
    (void)tally;
    (void)sink;
    return not_yet(err);
}

kanon_status kanon_tally_from_bytes(kanon_tally **out, const kanon_domain *domain, const void *bytes, size_t size,
                                    kanon_error *err)
{
    (void)out;
    (void)domain;
    (void)bytes;
    (void)size;
    *out = NULL;
    return not_yet(err);
}
