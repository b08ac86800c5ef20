/* kanon for other engines: one release by many processes. This header is for engines, which are built together with the
 * library: it is not covered by the promise of 1.x, and KANON_BLOCKS_VERSION rises when something in it changes.
 *
 * A table that is grouped in blocks (kanon_options.blocks) can be grouped by any number of processes, on one machine or on
 * many. The engine, such as Spark or a program with workers, moves rows and bytes; this library decides. The release is
 * equal to that of kanon_anonymize with the same blocks and seed on one machine, whatever the parts, their order and the
 * number of processes are. docs/blocks.md has an example.
 *
 *     what                        where          calls
 *     0 is it possible            driver         kanon_blocks_allow
 *     1 domain of the whole       each part      kanon_domain_read, or kanon_codes_read
 *                                 driver         kanon_piece_merge, kanon_domain_seal
 *     2 cuts, level by level      driver         kanon_cuts_new; then, until kanon_cuts_done:
 *                                 each part      kanon_codes_count, or kanon_cuts_count
 *                                 driver         kanon_piece_merge, kanon_cuts_next
 *     3 rows go to their block    each part      kanon_codes_block_of, or kanon_cuts_block_of
 *     4 groups                    each block     kanon_block_group, kanon_block_groups_new
 *     5 records left over         each block     kanon_rest_new
 *                                 driver         kanon_piece_merge; then, until kanon_rest_done:
 *                                 each block     kanon_rest_offer
 *                                 driver         kanon_piece_merge, kanon_rest_place
 *     6 they go to their group    each block     kanon_grouping_new, kanon_publish
 *     7 figures                   each block     kanon_tally_new
 *                                 driver         kanon_piece_merge, kanon_tally_measures
 *
 * Conventions, beyond those of kanon.h:
 * - A place is a number that orders the records of the whole table; no two records share one. For a file the row number will
 *   do, and so will any numbers that rise from row to row. Blocks hold their records in the order of their places.
 * - What travels between processes is a kanon_piece of one of eight kinds. A function says by the names kanon_domain,
 *   kanon_cuts, kanon_counts, kanon_codes, kanon_block_groups, kanon_rest, kanon_offers and kanon_tally which kind it takes
 *   or gives. The compiler takes them for one type; the library looks. KANON_EINVAL: a piece is NULL or of another kind. A
 *   function that cannot fail gives 0 or NULL then.
 * - Pieces hold values of the table: keep their bytes as the table is kept.
 * - The schema is the same in all processes, and so are the read options that say how a file is to be understood. */
#ifndef KANON_BLOCKS_H
#define KANON_BLOCKS_H

#include <kanon_arrow.h>

#define KANON_BLOCKS_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a run with this schema and these options can be done in blocks by several processes. KANON_EINVAL names what
 * cannot, and why: entities, constraints, suppression, a limit of what is singled out, permuted columns, drawn ends,
 * recoding of attributes, a time limit, groups to start from; and where options->blocks is not given or is below k. */
KANON_API kanon_status kanon_blocks_allow(const kanon_schema *schema, const kanon_options *options, kanon_error *err);

/* ---- parts of a CSV file ----------------------------------------------------------------------------------------- */

/* A stretch of a file that begins and ends between two rows. */
typedef struct kanon_csv_part {
    int64_t offset, size; /* in bytes */
} kanon_csv_part;

/* Where a large CSV file can be divided. The bytes of the header, then those of a part, are a CSV of their own, which
 * is read with the delimiter, header and encoding that stand here. */
typedef struct kanon_csv_parts {
    int64_t header_size;  /* the header is the first bytes of the file; 0: it has none */
    char delimiter[2];    /* as found, or as the input says: for kanon_input */
    kanon_header header;  /* likewise */
    const char *encoding; /* likewise */
    const kanon_csv_part *parts;
    size_t n_parts;
} kanon_csv_parts;

/* Divide a table in a file into parts of about `part_bytes`; a longer row is a part of its own. The file is read once.
 * Quoted cells may hold line ends. KANON_EINVAL: not a file of UTF-8 text (another encoding, packed, standard input, a
 * database): such a table has to be read by one process. */
KANON_API kanon_status kanon_csv_parts_find(kanon_csv_parts **out, const kanon_input *table, const kanon_schema *schema,
                                            const kanon_read_options *options, int64_t part_bytes, kanon_error *err);
KANON_API void kanon_csv_parts_free(kanon_csv_parts *parts);

/* Call `row` for every row of a table that was read from CSV, in order: its number and its text as it stands in the
 * source, in UTF-8, with its line end (the last row may have none). A result other than 0 stops the work:
 * KANON_ECANCELLED. KANON_EINVAL: the table is not from CSV. */
KANON_API kanon_status kanon_table_row_texts(const kanon_table *table,
                                             int (*row)(int64_t row, const char *text, size_t size, void *payload),
                                             void *payload, kanon_error *err);

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

typedef struct kanon_piece kanon_piece;

/* Hand the piece to the sink as bytes. They are the same on every machine, equal content is equal bytes, and they end with a
 * checksum. */
KANON_API kanon_status kanon_piece_write(const kanon_piece *piece, const kanon_sink *sink, kanon_error *err);
/* The piece in bytes or a file, of any kind. `domain` is the sealed domain of the whole, also for codes that are not sealed
 * yet; of domains and counts it is not looked at and may be NULL. A domain comes back as it was before it was sealed:
 * kanon_domain_seal it once in every process. `context` NULL: that of the domain. KANON_EDATA: the bytes are damaged, or no
 * piece; KANON_EVERSION: they come from another version; KANON_EINVAL: the piece was made with another domain. */
KANON_API kanon_status kanon_piece_read(kanon_piece **out, const kanon_input *input, const kanon_domain *domain,
                                        const kanon_context *context, kanon_error *err);
/* Add `other`, which stays as it is, to `into`. The order of merging does not matter. KANON_EINVAL: they are not of one kind
 * that can be merged, or do not belong together:
 *
 *     domains     have the same columns and are not sealed
 *     counts      are of the same cuts, at the same level
 *     rests       are of different blocks, and nothing in them was placed
 *     offers      are of different blocks, to the same rest as it is now
 *     tallies     are of blocks of one table, with the same k */
KANON_API kanon_status kanon_piece_merge(kanon_piece *into, const kanon_piece *other, kanon_error *err);
/* Free a piece, or nothing where it is NULL. Of a domain this drops the caller's reference. */
KANON_API void kanon_piece_free(kanon_piece *piece);

/* ---- domain ------------------------------------------------------------------------------------------------------ */

/* The distinct texts of every encoded column, with the number of their records and the place of the first one. Types,
 * ranges and orders of values are those of the whole table, so they can be found only when the domains of all parts
 * are merged: then the domain is sealed. A table that is read with a sealed domain (kanon_read_options.domain) is a
 * part of the whole table: its costs and cells are those of the whole. Tables and cuts hold references of their own.
 * kanon.h declares kanon_domain. */

/* The places of a part's rows. */
typedef struct kanon_places {
    size_t struct_size;  /* sizeof(kanon_places) */
    int64_t first;       /* rows have the places first, first + 1, ... unless `each` is given */
    const int64_t *each; /* the place of each row, in any order; NULL: see `first` */
    int64_t n;           /* how many these are: one for each row, else KANON_EINVAL */
} kanon_places;

/* The domain of a part: a table of its own, whose rows are at `places` (NULL: 0, 1, ...) in the whole. A part without
 * records is a domain, too. */
KANON_API kanon_status kanon_domain_read(kanon_domain **out, const kanon_input *input, const kanon_places *places,
                                         const kanon_schema *schema, const kanon_read_options *options, kanon_error *err);
/* Find the types and orders of all columns as the schema says. KANON_EDATA names the column and the row (the place of
 * its record + 1) of what does not fit. Nothing happens where it is sealed already. A sealed domain does not change
 * any more. */
KANON_API kanon_status kanon_domain_seal(kanon_domain *domain, const kanon_schema *schema, kanon_error *err);
/* Records of the whole, as far as it was merged. */
KANON_API int64_t kanon_domain_rows(const kanon_domain *domain);
/* The i-th thing the user should know about the columns, NULL past the last; none before the domain is sealed. */
KANON_API const kanon_notice *kanon_domain_notice_at(const kanon_domain *domain, size_t i);

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/* How the whole table is cut into blocks. While it is not done, some parts are open: they are cut again when their
 * histograms are known. */
typedef kanon_piece kanon_cuts;
/* Histograms of the open parts: how many records have which value. */
typedef kanon_piece kanon_counts;

/* Blocks of at least `least` records, which is kanon_options.blocks. The first cut follows from the sealed domain
 * alone. */
KANON_API kanon_status kanon_cuts_new(kanon_cuts **out, const kanon_domain *domain, int64_t least, kanon_error *err);
/* Not 0: no part is open. */
KANON_API int kanon_cuts_done(const kanon_cuts *cuts);
/* How often the table was cut so far: open parts are cut one level deeper by each kanon_cuts_next. */
KANON_API int kanon_cuts_level(const kanon_cuts *cuts);
/* Parts so far; blocks, when it is done. They are numbered from 0. */
KANON_API int64_t kanon_cuts_blocks(const kanon_cuts *cuts);
/* The records of a block (or part) of the whole; 0: there is no such block. */
KANON_API int64_t kanon_cuts_rows(const kanon_cuts *cuts, int64_t block);
/* out[row] becomes the block (or part) of each row of a table that was read with the domain. */
KANON_API kanon_status kanon_cuts_block_of(int32_t *out, const kanon_cuts *cuts, const kanon_table *part, kanon_error *err);
/* The histograms of a part of the table, which was read with the domain. */
KANON_API kanon_status kanon_cuts_count(kanon_counts **out, const kanon_cuts *cuts, const kanon_table *part,
                                        kanon_error *err);
/* Cut every open part, by the merged counts of all parts of the table. KANON_EDATA: the counts are not those of all
 * records: some are missing, or counted twice. After KANON_ENOMEM the cuts can only be freed. */
KANON_API kanon_status kanon_cuts_next(kanon_cuts *cuts, const kanon_counts *counts, kanon_error *err);

/* ---- codes ------------------------------------------------------------------------------------------------------- */

/* The quasi-identifiers of a part as codes, in a few bytes a record: all that cuts need of it. Where the table is far away,
 * or takes long to read, each part is read once, and its codes are kept for all levels. They remember how far down the tree
 * of cuts their records are, so that each level is one step more, and records of finished parts are passed over. Whoever
 * keeps the bytes as they were read may do so: then each level begins from the top. */
typedef kanon_piece kanon_codes;

/* The codes of a part that was read with the sealed domain. */
KANON_API kanon_status kanon_codes_new(kanon_codes **out, const kanon_table *part, kanon_error *err);
/* The codes of a part together with its domain, by one reading: kanon_domain_read says the rest. They can be counted when
 * they are sealed. */
KANON_API kanon_status kanon_codes_read(kanon_codes **out, kanon_domain **domain, const kanon_input *input,
                                        const kanon_places *places, const kanon_schema *schema,
                                        const kanon_read_options *options, kanon_error *err);
/* `part` is the domain that was read with the codes, alone; `whole` the sealed one of all parts. KANON_EINVAL: they do not
 * belong together, or the codes are sealed. */
KANON_API kanon_status kanon_codes_seal(kanon_codes *codes, const kanon_domain *part, const kanon_domain *whole,
                                        kanon_error *err);
KANON_API int64_t kanon_codes_rows(const kanon_codes *codes);
/* As kanon_cuts_count and kanon_cuts_block_of; the codes remember where their records are. */
KANON_API kanon_status kanon_codes_count(kanon_counts **out, kanon_codes *codes, const kanon_cuts *cuts, kanon_error *err);
KANON_API kanon_status kanon_codes_block_of(int32_t *out, kanon_codes *codes, const kanon_cuts *cuts, kanon_error *err);

/* ---- groups of a block ------------------------------------------------------------------------------------------- */

/* Group the records of one block. `rows` are all of them, read with the domain, in the order of their places; the cuts
 * are done. KANON_EINVAL: what kanon_blocks_allow refuses, or the table has more or fewer records than the block.
 * Where there are several blocks, records can be left over: they are in no group yet (group 0), and a grouping with
 * such records cannot be published. Records that the algorithm suppresses have group 0, too, and keep it: they are not
 * left over. */
KANON_API kanon_status kanon_block_group(kanon_grouping **out, const kanon_table *rows, const kanon_cuts *cuts,
                                         int64_t block, const kanon_options *options, kanon_error *err);
/* How many records are left over. */
KANON_API int64_t kanon_grouping_left(const kanon_grouping *grouping);
/* Not 0: this record is one of them. */
KANON_API int kanon_grouping_is_left(const kanon_grouping *grouping, int64_t row);
/* About how many bytes kanon_block_group takes for a block of so many records, its table included: what an engine
 * needs to know before it gives tasks to a machine. */
KANON_API kanon_status kanon_block_memory(int64_t *out, const kanon_cuts *cuts, const kanon_schema *schema,
                                          const kanon_options *options, int64_t records, kanon_error *err);

/* What the placing of the records left over needs of a block: the boxes of its groups and its records left over. It is
 * small, and takes the place of rows and grouping from here on. */
typedef kanon_piece kanon_block_groups;

/* Of a grouping made by kanon_block_group, with the place of every row, rising. */
KANON_API kanon_status kanon_block_groups_new(kanon_block_groups **out, const kanon_table *rows,
                                              const kanon_grouping *grouping, const kanon_cuts *cuts, int64_t block,
                                              const int64_t *places, kanon_error *err);

/* ---- records left over ------------------------------------------------------------------------------------------- */

/* The records left over in all blocks. In the order of their places, each joins the group of any block whose loss
 * grows least, of equals the one of the lowest block. */
typedef kanon_piece kanon_rest;
/* Groups that blocks offer to records left over. */
typedef kanon_piece kanon_offers;

/* The rest of one block. The rests of all blocks are merged, also of those where nothing is left over. */
KANON_API kanon_status kanon_rest_new(kanon_rest **out, const kanon_block_groups *groups, kanon_error *err);
/* Not 0: every record has a group; at once where nothing was left over. */
KANON_API int kanon_rest_done(const kanon_rest *rest);
/* What a block offers to the records that have no group yet. */
KANON_API kanon_status kanon_rest_offer(kanon_offers **out, const kanon_rest *rest, const kanon_block_groups *groups,
                                        kanon_error *err);
/* Place records as far as the offers of all blocks reach. Where a record's offers were taken by others before it, the
 * rest is not done: ask all blocks for new offers. Each call places one record at least. KANON_EDATA: offers of a
 * block are missing, or made before the last call. */
KANON_API kanon_status kanon_rest_place(kanon_rest *rest, const kanon_offers *offers, kanon_error *err);
/* How many records were left over, and where the i-th of them (by place) goes: group numbers are those of
 * kanon_grouping_group_of. KANON_EINVAL: no such record, or it has no group yet. */
KANON_API int64_t kanon_rest_count(const kanon_rest *rest);
typedef struct kanon_rest_record {
    size_t struct_size; /* sizeof(kanon_rest_record), set by the caller */
    int64_t place;
    int64_t from_block;
    int64_t to_block, to_group;
} kanon_rest_record;
KANON_API kanon_status kanon_rest_at(kanon_rest_record *out, const kanon_rest *rest, int64_t i, kanon_error *err);

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* What the figures of the whole release are made of. */
typedef kanon_piece kanon_tally;

/* Of one block with its complete groups: a table that was read with the domain, and a grouping without records left
 * over. */
KANON_API kanon_status kanon_tally_new(kanon_tally **out, const kanon_table *rows, const kanon_grouping *grouping,
                                       kanon_error *err);
/* All figures of kanon_evaluate but those that need the records of the whole table, with the default settings: the same
 * to the last digits of a double. Names of attributes lie in the domain, which must outlive the measures. KANON_EDATA:
 * the tally is not of all records of the domain. */
KANON_API kanon_status kanon_tally_measures(kanon_measures **out, const kanon_tally *tally, const kanon_domain *domain,
                                            kanon_error *err);
/* The verdict of a release whose rows have no order and whose cells were checked block by block. `singled_out`: the share of
 * the released rows that no other equals in all columns, which only all rows together show; NAN: it is not counted. */
KANON_API kanon_status kanon_tally_verdict(kanon_verdict **out, const kanon_tally *tally, const kanon_domain *domain,
                                           double singled_out, kanon_error *err);

#ifdef __cplusplus
}
#endif
#endif
