/* A small table in two parts, and everything that travels when it is grouped in blocks by several processes: for tests of
 * the calls of kanon_blocks.h one by one. All steps return a status, so that any of them may fail. */
#ifndef KANON_TESTS_BLOCK_WORLD_H
#define KANON_TESTS_BLOCK_WORLD_H

#include <kanon_blocks.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLD_ROWS = 48, WORLD_BLOCKS = 12 };

typedef struct block_world {
    char csv[2][4096];
    kanon_schema *schema;
    kanon_domain *parts[2]; /* not sealed */
    kanon_domain *domain;
    kanon_table *tables[2];
    kanon_codes *read, *codes; /* of the first part: as they were read; sealed, and counted with `open` */
    kanon_cuts *open, *cuts;   /* before the last level, and done */
    kanon_counts *counts[2];   /* of `open` */
    kanon_options options;
    int n_blocks;
    kanon_table *rows[WORLD_BLOCKS];
    char text[WORLD_BLOCKS][4096];
    kanon_block_groups *groups[WORLD_BLOCKS];
    kanon_rest *rests[WORLD_BLOCKS], *rest; /* of one block, of all */
    kanon_offers *offers[WORLD_BLOCKS], *all_offers;
    kanon_tally *tally;
} block_world;

/* As KANON_TRY: the status so far, in `st`. */
#define WORLD_STEP(call)                                                                                                    \
    do {                                                                                                                    \
        if (st == KANON_OK)                                                                                                 \
            st = (call);                                                                                                    \
    } while (0)

static const char world_yaml[] = "missing: ['?']\n"
                                 "attributes:\n"
                                 "  age: {role: quasi, weight: 2}\n"
                                 "  zip: {role: quasi, mask: right}\n"
                                 "  sex: quasi\n"
                                 "  ill: sensitive\n"
                                 "privacy: {k: 3}\n";

/* A table with a header, whatever its first line looks like. */
static inline kanon_input world_input(const char *csv)
{
    return (kanon_input){.struct_size = sizeof(kanon_input),
                         .bytes = csv,
                         .size = strlen(csv),
                         .name = "world",
                         .header = KANON_HEADER_YES};
}

static inline void world_row(char *out, size_t room, int row)
{
    snprintf(out, room, "%d,%d,%s,ill%d\n", 20 + row * 7 % 41, 100 + row * row % 37,
             row % 7 == 0 ? "?"
             : row % 3    ? "F"
                          : "M",
             row % 5);
}

/* Rows go to their blocks. The first grouping that is complete has a tally. */
static inline kanon_status world_blocks(block_world *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t places[WORLD_BLOCKS][WORLD_ROWS];
    int n[WORLD_BLOCKS] = {0}, row = 0;
    for (int i = 0; i < w->n_blocks; i++)
        strcpy(w->text[i], "age,zip,sex,ill\n");
    for (int part = 0; part < 2; part++) {
        int32_t block_of[WORLD_ROWS];
        WORLD_STEP(kanon_cuts_block_of(block_of, w->cuts, w->tables[part], err));
        for (int64_t i = 0; st == KANON_OK && i < kanon_table_rows(w->tables[part]); i++, row++) {
            char *text = w->text[block_of[i]];
            world_row(text + strlen(text), 64, row);
            places[block_of[i]][n[block_of[i]]++] = row;
        }
    }
    for (int i = 0; i < w->n_blocks; i++) {
        const kanon_read_options read = {.struct_size = sizeof read, .domain = w->domain};
        const kanon_input block = world_input(w->text[i]);
        kanon_grouping *grouping = NULL;
        WORLD_STEP(kanon_table_read(&w->rows[i], &block, w->schema, &read, err));
        WORLD_STEP(kanon_block_group(&grouping, w->rows[i], w->cuts, i, &w->options, err));
        WORLD_STEP(kanon_block_groups_new(&w->groups[i], w->rows[i], grouping, w->cuts, i, places[i], err));
        if (st == KANON_OK && w->tally == NULL && kanon_grouping_left(grouping) == 0)
            WORLD_STEP(kanon_tally_new(&w->tally, w->rows[i], grouping, err));
        kanon_grouping_free(grouping);
    }
    return st;
}

static inline kanon_status world_rest(block_world *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < w->n_blocks; i++)
        WORLD_STEP(kanon_rest_new(&w->rests[i], w->groups[i], err));
    WORLD_STEP(kanon_rest_new(&w->rest, w->groups[0], err));
    for (int i = 1; i < w->n_blocks; i++)
        WORLD_STEP(kanon_piece_merge(w->rest, w->rests[i], err));
    for (int i = 0; i < w->n_blocks; i++)
        WORLD_STEP(kanon_rest_offer(&w->offers[i], w->rest, w->groups[i], err));
    WORLD_STEP(kanon_rest_offer(&w->all_offers, w->rest, w->groups[0], err));
    for (int i = 1; i < w->n_blocks; i++)
        WORLD_STEP(kanon_piece_merge(w->all_offers, w->offers[i], err));
    return st;
}

static inline kanon_status world_cuts(block_world *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    WORLD_STEP(kanon_cuts_new(&w->open, w->domain, 8, err));
    WORLD_STEP(kanon_cuts_new(&w->cuts, w->domain, 8, err));
    for (int level = 0; st == KANON_OK && !kanon_cuts_done(w->cuts); level++) {
        kanon_counts *all = NULL, *other = NULL;
        WORLD_STEP(kanon_cuts_count(&all, w->cuts, w->tables[0], err));
        WORLD_STEP(kanon_cuts_count(&other, w->cuts, w->tables[1], err));
        WORLD_STEP(kanon_piece_merge(all, other, err));
        WORLD_STEP(kanon_cuts_next(w->cuts, all, err));
        kanon_piece_free(other);
        kanon_piece_free(all);
    }
    kanon_counts *counted = NULL;
    WORLD_STEP(kanon_codes_seal(w->codes, w->parts[0], w->domain, err));
    WORLD_STEP(kanon_codes_count(&counted, w->codes, w->open, err));
    kanon_piece_free(counted);
    for (int part = 0; part < 2; part++)
        WORLD_STEP(kanon_cuts_count(&w->counts[part], w->open, w->tables[part], err));
    if (st == KANON_OK)
        w->n_blocks = (int)kanon_cuts_blocks(w->cuts);
    return st;
}

static inline kanon_status world_make(block_world *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_input csv[2];
    memset(w, 0, sizeof *w);
    w->options = (kanon_options){
        .struct_size = sizeof w->options, .algorithm = "kmember", .refine = "none", .blocks = 8, .seed = 5, .threads = 1};
    for (int part = 0; part < 2; part++) {
        strcpy(w->csv[part], "age,zip,sex,ill\n");
        for (int row = part * 30; row < (part == 0 ? 30 : WORLD_ROWS); row++)
            world_row(w->csv[part] + strlen(w->csv[part]), 64, row);
        csv[part] = world_input(w->csv[part]);
    }
    WORLD_STEP(kanon_schema_read(&w->schema, KANON_BYTES_AS(world_yaml, strlen(world_yaml), "world"), NULL, err));
    kanon_read_options read = {.struct_size = sizeof read, .threads = 1};
    for (int part = 0; part < 2; part++) {
        const kanon_places places = {.struct_size = sizeof places, .first = part * 30};
        WORLD_STEP(kanon_domain_read(&w->parts[part], &csv[part], &places, w->schema, &read, err));
    }
    for (int i = 0; i < 2; i++) {
        kanon_domain *own = NULL;
        WORLD_STEP(kanon_codes_read(i == 0 ? &w->read : &w->codes, &own, &csv[0], NULL, w->schema, &read, err));
        kanon_piece_free(own);
    }
    WORLD_STEP(kanon_domain_read(&w->domain, &csv[0], NULL, w->schema, &read, err));
    WORLD_STEP(kanon_piece_merge(w->domain, w->parts[1], err));
    WORLD_STEP(kanon_domain_seal(w->domain, w->schema, err));
    read.domain = w->domain;
    for (int part = 0; part < 2; part++)
        WORLD_STEP(kanon_table_read(&w->tables[part], KANON_BYTES_AS(w->csv[part], strlen(w->csv[part]), "world"), w->schema,
                                    &read, err));
    WORLD_STEP(world_cuts(w, err));
    WORLD_STEP(world_blocks(w, err));
    WORLD_STEP(world_rest(w, err));
    return st;
}

static inline void world_free(block_world *w)
{
    for (int i = 0; i < WORLD_BLOCKS; i++) {
        kanon_piece_free(w->offers[i]);
        kanon_piece_free(w->rests[i]);
        kanon_piece_free(w->groups[i]);
        kanon_table_free(w->rows[i]);
    }
    kanon_piece_free(w->tally);
    kanon_piece_free(w->all_offers);
    kanon_piece_free(w->rest);
    kanon_piece_free(w->cuts);
    kanon_piece_free(w->open);
    kanon_piece_free(w->codes);
    kanon_piece_free(w->read);
    for (int part = 0; part < 2; part++) {
        kanon_piece_free(w->counts[part]);
        kanon_table_free(w->tables[part]);
        kanon_piece_free(w->parts[part]);
    }
    kanon_piece_free(w->domain);
    kanon_schema_free(w->schema);
}

#endif
