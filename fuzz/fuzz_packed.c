/* Any bytes as an object of kanon_blocks.h: refused with a message on one line, or an object that is written as the same
 * bytes and can be used. The first byte says which kind; head and checksum are added here, so that what is behind them is
 * reached. */
#include "core/sha256.h"
#include "fuzz_support.h"

#include "../tests/unit/block_world.h"

static block_world *world(void)
{
    static block_world *made = NULL;
    kanon_error err = {0};
    if (made == NULL) {
        made = malloc(sizeof *made);
        require(made != NULL);
        require_done(world_make(made, &err), &err);
    }
    return made;
}

static int hex(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Head, bytes and checksum. */
static uint8_t *pack(char kind, const uint8_t *data, size_t size)
{
    const char head[8] = {'k', 'a', 'n', 'o', 'n', kind, '1', '\n'};
    char sum[KANON__SHA256_TEXT];
    uint8_t *bytes = malloc(size + 24);
    require(bytes != NULL);
    memcpy(bytes, head, 8);
    if (size > 0)
        memcpy(bytes + 8, data, size);
    kanon__sha256_of(sum, bytes, size + 8);
    for (int i = 0; i < 16; i++)
        bytes[size + 8 + (size_t)i] = (uint8_t)(16 * hex(sum[2 * i]) + hex(sum[2 * i + 1]));
    return bytes;
}

/* Try one kind: make, write, and use by the statements that follow. */
#define TRY_KIND(type, made, ...)                                                                                           \
    type *made = NULL;                                                                                                      \
    kanon_status st = type##_from_bytes(&(made), __VA_ARGS__, &err);                                                        \
    require((st == KANON_OK) == ((made) != NULL));                                                                          \
    if (st != KANON_OK)                                                                                                     \
        require_error(st, &err);                                                                                            \
    else                                                                                                                    \
        require_done(type##_write(made, &sink, &err), &err)

static void try_kind(char kind, const uint8_t *bytes, size_t size)
{
    block_world *w = world();
    kanon_error err = {0};
    memory_output out = {0};
    kanon_sink sink = memory_sink(&out);
    int32_t block_of[WORLD_ROWS];
    if (kind == 'D') {
        TRY_KIND(kanon_domain, made, bytes, size, NULL);
        if (made != NULL && kanon_domain_merge(made, w->parts[0], NULL) == KANON_OK)
            kanon_domain_seal(made, w->schema, NULL);
        kanon_domain_free(made);
    } else if (kind == 'C') {
        TRY_KIND(kanon_cuts, made, w->domain, bytes, size);
        if (made != NULL)
            require_done(kanon_cuts_block_of(block_of, made, w->tables[0], &err), &err);
        kanon_cuts_free(made);
    } else if (kind == 'H') {
        TRY_KIND(kanon_counts, made, bytes, size, NULL);
        if (made != NULL)
            kanon_counts_merge(made, w->counts[1], NULL);
        kanon_counts_free(made);
    } else if (kind == 'G') {
        kanon_offers *offers = NULL;
        TRY_KIND(kanon_block_groups, made, w->domain, bytes, size);
        if (made != NULL)
            kanon_rest_offer(&offers, w->rest, made, NULL);
        kanon_offers_free(offers);
        kanon_block_groups_free(made);
    } else if (kind == 'R') {
        TRY_KIND(kanon_rest, made, w->domain, bytes, size);
        if (made != NULL)
            kanon_rest_place(made, w->all_offers, NULL);
        kanon_rest_free(made);
    } else if (kind == 'O') {
        TRY_KIND(kanon_offers, made, w->domain, bytes, size);
        if (made != NULL)
            kanon_offers_merge(made, w->offers[0], NULL);
        kanon_offers_free(made);
    } else if (kind == 'K') {
        kanon_counts *counts = NULL;
        TRY_KIND(kanon_codes, made, w->domain, bytes, size);
        if (made != NULL) {
            kanon_codes_seal(made, w->parts[0], w->domain, NULL);
            kanon_codes_count(&counts, made, w->open, NULL);
        }
        kanon_counts_free(counts);
        kanon_codes_free(made);
    } else if (kind == 'T') {
        TRY_KIND(kanon_tally, made, w->domain, bytes, size);
        if (made != NULL)
            kanon_tally_merge(made, w->tally, NULL);
        kanon_tally_free(made);
    }
    require(out.bytes == NULL || (out.size == size && memcmp(out.bytes, bytes, size) == 0));
    free(out.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    uint8_t *bytes = pack((char)data[0], data + 1, size - 1);
    try_kind((char)data[0], bytes, size + 23);
    free(bytes);
    return 0;
}
