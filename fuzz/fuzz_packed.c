/* Any bytes as an object of kanon_blocks.h: refused with a message on one line, or an object that is written as the same
 * bytes and can be used. The first byte says which kind; head and checksum are added here, so that what is behind them is
 * reached. */
#include "core/sha256.h"
#include "fuzz_support.h"

#include "../tests/unit/block_world.h"

static block_world *world(void)
{
    static block_world *made = NULL;
    kanon_error err = KANON_INIT(kanon_error);
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
    const char head[8] = {'k', 'a', 'n', 'o', 'n', kind, kind == 'T' ? '3' : '1', '\n'};
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

static void use(char kind, kanon_piece *made)
{
    block_world *w = world();
    kanon_error err = KANON_INIT(kanon_error);
    kanon_piece *other = NULL;
    int32_t block_of[WORLD_ROWS];
    if (kind == 'D' && kanon_piece_merge(made, w->parts[0], NULL) == KANON_OK)
        kanon_domain_seal(made, w->schema, NULL);
    if (kind == 'C')
        require_done(kanon_cuts_block_of(block_of, made, w->tables[0], &err), &err);
    if (kind == 'H')
        kanon_piece_merge(made, w->counts[1], NULL);
    if (kind == 'G')
        kanon_rest_offer(&other, w->rest, made, NULL);
    if (kind == 'R')
        kanon_rest_place(made, w->all_offers, NULL);
    if (kind == 'O')
        kanon_piece_merge(made, w->offers[0], NULL);
    if (kind == 'K') {
        kanon_codes_seal(made, w->parts[0], w->domain, NULL);
        kanon_codes_count(&other, made, w->open, NULL);
    }
    if (kind == 'T')
        kanon_piece_merge(made, w->tally, NULL);
    kanon_piece_free(other);
}

/* Make, write, and use. */
static void try_kind(char kind, const uint8_t *bytes, size_t size)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_piece *made = NULL;
    memory_output out = {0};
    kanon_sink sink = memory_sink(&out);
    kanon_status st = kanon_piece_read(&made, KANON_BYTES(bytes, size), world()->domain, NULL, &err);
    require((st == KANON_OK) == (made != NULL));
    if (st != KANON_OK) {
        require_error(st, &err);
        return;
    }
    require_done(kanon_piece_write(made, &sink, &err), &err);
    require(out.size == size && memcmp(out.bytes, bytes, size) == 0);
    use(kind, made);
    kanon_piece_free(made);
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
