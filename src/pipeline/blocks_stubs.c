/* Calls of kanon_blocks.h that are not there yet: each fails. This file shrinks as they come. Called by hosts. */
#include "core/status.h"

#include <kanon_blocks.h>

static kanon_status not_yet(kanon_error *err)
{
    return kanon__fail(err, KANON_EINVAL, "blocks by several processes: not there yet");
}

kanon_status kanon_csv_parts_find(kanon_csv_parts **out, const char *path, const kanon_schema *schema,
                                  const kanon_read_options *options, int64_t part_bytes, kanon_error *err)
{
    (void)out;
    (void)path;
    (void)schema;
    (void)options;
    (void)part_bytes;
    *out = NULL;
    return not_yet(err);
}

void kanon_csv_parts_free(kanon_csv_parts *parts)
{
    (void)parts;
}

kanon_status kanon_table_row_texts(const kanon_table *table,
                                   int (*row)(int64_t row, const char *text, size_t size, void *payload), void *payload,
                                   kanon_error *err)
{
    (void)table;
    (void)row;
    (void)payload;
    return not_yet(err);
}

kanon_status kanon_block_groups_new(kanon_block_groups **out, const kanon_table *rows, const kanon_grouping *grouping,
                                    const kanon_cuts *cuts, int64_t block, const int64_t *places, kanon_error *err)
{
    (void)out;
    (void)rows;
    (void)grouping;
    (void)cuts;
    (void)block;
    (void)places;
    *out = NULL;
    return not_yet(err);
}

void kanon_block_groups_free(kanon_block_groups *groups)
{
    (void)groups;
}

kanon_status kanon_block_groups_write(const kanon_block_groups *groups, const kanon_sink *sink, kanon_error *err)
{
    (void)groups;
    (void)sink;
    return not_yet(err);
}

kanon_status kanon_block_groups_from_bytes(kanon_block_groups **out, const kanon_domain *domain, const void *bytes,
                                           size_t size, kanon_error *err)
{
    (void)out;
    (void)domain;
    (void)bytes;
    (void)size;
    *out = NULL;
    return not_yet(err);
}

kanon_status kanon_rest_new(kanon_rest **out, const kanon_block_groups *groups, kanon_error *err)
{
    (void)out;
    (void)groups;
    *out = NULL;
    return not_yet(err);
}

kanon_status kanon_rest_merge(kanon_rest *into, const kanon_rest *other, kanon_error *err)
{
    (void)into;
    (void)other;
    return not_yet(err);
}

void kanon_rest_free(kanon_rest *rest)
{
    (void)rest;
}

int kanon_rest_done(const kanon_rest *rest)
{
    (void)rest;
    return 0;
}

kanon_status kanon_rest_offer(kanon_offers **out, const kanon_rest *rest, const kanon_block_groups *groups, kanon_error *err)
{
    (void)out;
    (void)rest;
    (void)groups;
    *out = NULL;
    return not_yet(err);
}

kanon_status kanon_rest_place(kanon_rest *rest, const kanon_offers *offers, kanon_error *err)
{
    (void)rest;
    (void)offers;
    return not_yet(err);
}

int64_t kanon_rest_count(const kanon_rest *rest)
{
    (void)rest;
    return 0;
}

kanon_status kanon_rest_at(kanon_rest_record *out, const kanon_rest *rest, int64_t i, kanon_error *err)
{
    (void)out;
    (void)rest;
    (void)i;
    return not_yet(err);
}

kanon_status kanon_rest_write(const kanon_rest *rest, const kanon_sink *sink, kanon_error *err)
{
    (void)rest;
    (void)sink;
    return not_yet(err);
}

kanon_status kanon_rest_from_bytes(kanon_rest **out, const kanon_domain *domain, const void *bytes, size_t size,
                                   kanon_error *err)
{
    (void)out;
    (void)domain;
    (void)bytes;
    (void)size;
    *out = NULL;
    return not_yet(err);
}

kanon_status kanon_offers_merge(kanon_offers *into, const kanon_offers *other, kanon_error *err)
{
    (void)into;
    (void)other;
    return not_yet(err);
}

void kanon_offers_free(kanon_offers *offers)
{
    (void)offers;
}

kanon_status kanon_offers_write(const kanon_offers *offers, const kanon_sink *sink, kanon_error *err)
{
    (void)offers;
    (void)sink;
    return not_yet(err);
}

kanon_status kanon_offers_from_bytes(kanon_offers **out, const kanon_domain *domain, const void *bytes, size_t size,
                                     kanon_error *err)
{
    (void)out;
    (void)domain;
    (void)bytes;
    (void)size;
    *out = NULL;
    return not_yet(err);
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
