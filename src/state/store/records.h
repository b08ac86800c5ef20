/* The records of a state: cells, key hashes, codes, and how many records have which number.
 *
 * A record is a row of cells (kanon__row, store/record_cells.c) with a number that it keeps for ever (kanon__record).
 * "Name" means the record's key, or all its cells where the schema has no key. */
#ifndef KANON_STATE_RECORDS_H
#define KANON_STATE_RECORDS_H

#include "state/store/current_space.h"
#include "table/text/csv.h"

/* Room for one record. The cells point into `bytes`, or, before it is packed, into a file that the caller reads. */
typedef struct kanon__row {
    kanon__cell *cells; /* by column of the state */
    char *bytes;        /* what they point into */
    int64_t bytes_capacity, n_bytes;
} kanon__row;

kanon_status kanon__row_init(kanon__row *out, const kanon_state *state, kanon_error *err);
void kanon__row_clear(kanon__row *row);
/* The row's cells as one line of CSV without its end, in row->bytes, where the cells lie afterwards. */
kanon_status kanon__row_pack(const kanon_state *state, kanon__row *row, kanon_error *err);
/* Find the cells of a packed line; false where it is none. */
bool kanon__row_unpack(const kanon_state *state, kanon__row *row);
/* A copy of a packed line, and its cells. */
kanon_status kanon__row_take(kanon_state *state, kanon__row *row, const char *line, size_t size, kanon_error *err);
/* The hash of a record's name: of its key, or of all cells where there is none. Quotes do not count. */
uint64_t kanon__row_name(const kanon_state *state, const kanon__cell *cells);
bool kanon__rows_have_same_name(const kanon_state *state, const kanon__cell *left, const kanon__cell *right);
/* The hashes of the sensitive cells, which the audit compares, and last that of the entity where there are entities. */
void kanon__row_sensitive_hashes(const kanon_state *state, const kanon__cell *cells, uint64_t *out);
static inline int kanon__row_n_hashes(const kanon_state *s)
{
    return s->n_sensitive + (s->entity >= 0);
}
/* The hash of the entity that the record belongs to, where there are entities; whether two records belong to the same
 * one. */
uint64_t kanon__row_entity(const kanon_state *state, const kanon__cell *cells);
bool kanon__rows_have_same_entity(const kanon_state *state, const kanon__cell *left, const kanon__cell *right);

/* The code of a cell. Where it can have none, *why says what is wrong with it and *hint what would be right. `scale`
 * becomes the digits after the point that the number needs, if that is more. */
typedef struct kanon__cell_reader {
    kanon_state *state;
    bool grow; /* put unknown categories below the root */
    int64_t n_grown;
    char *scratch;
    int64_t scratch_capacity;
} kanon__cell_reader;

kanon_status kanon__cell_code(kanon__cell_reader *reader, int column, const kanon__cell *cell, int64_t *code, int *scale,
                              const char **why, const char **hint, kanon_error *err);
void kanon__cell_reader_clear(kanon__cell_reader *reader);
/* Whether the cell's text means "no value". */
bool kanon__cell_is_missing(const kanon_state *state, const kanon__cell *cell);

/* ---- in the file ------------------------------------------------------------------------------------------------- */

kanon_status kanon__records_open(kanon_state *state, kanon_error *err);
void kanon__records_close(kanon_state *state);
/* Writes the tallies; moves new key hashes to the others when they have become many. */
kanon_status kanon__records_save(kanon_state *state, kanon_error *err);
/* Make the index of names, once the first records are in. */
kanon_status kanon__records_index(kanon_state *state, kanon_error *err);

typedef struct kanon__record {
    int64_t id;
    int64_t last_group, last_since; /* the group of the last release, and since which release; since 0: never released */
} kanon__record;

/* Add a record (its row packed), or write over one of that id. Numbers are tallied by kanon__records_tally. */
kanon_status kanon__record_put(kanon_state *state, const kanon__record *record, const kanon__row *row, const int64_t *codes,
                               kanon_error *err);
/* Read a record; `row` and `codes` may be NULL. KANON_EDATA where there is none. */
kanon_status kanon__record_get(kanon_state *state, kanon__record *out, int64_t id, kanon__row *row, int64_t *codes,
                               kanon_error *err);
kanon_status kanon__record_remove(kanon_state *state, int64_t id, kanon_error *err);
/* The lowest record above `after` with the name of `cells`; its id is 0 where there is none. `scratch` holds its row
 * afterwards; `codes` may be NULL. */
kanon_status kanon__record_find(kanon_state *state, kanon__record *out, int64_t after, const kanon__cell *cells,
                                kanon__row *scratch, int64_t *codes, kanon_error *err);
/* Every record by rising id. */
typedef kanon_status (*kanon__record_visitor)(const kanon__record *record, const char *cells, size_t size,
                                              const int64_t *codes, void *payload, kanon_error *err);
kanon_status kanon__records_visit(kanon_state *state, kanon__record_visitor visitor, void *payload, kanon_error *err);

/* Every record by rising id, without cells and codes. */
typedef kanon_status (*kanon__record_lister)(const kanon__record *record, void *payload, kanon_error *err);
kanon_status kanon__records_list(kanon_state *state, kanon__record_lister lister, void *payload, kanon_error *err);
/* The lowest record that has the key of a lower one; 0 where all keys differ. */
kanon_status kanon__records_find_duplicate(kanon_state *state, int64_t *out, kanon_error *err);

/* Writes that `n` records have a number; of a new state. */
kanon_status kanon__records_put_tally(kanon_state *state, int dimension, int64_t code, int64_t n, kanon_error *err);
/* One record more (1) or less (-1) with these numbers. */
kanon_status kanon__records_tally(kanon_state *state, const int64_t *codes, int change, kanon_error *err);
/* The ranges of the records in the file. */
kanon_status kanon__ranges_read(kanon_state *state, kanon_error *err);
/* Bring a numeric column to another scale, everywhere in the file but the index. */
kanon_status kanon__records_rescale(kanon_state *state, int column, int scale, kanon_error *err);

/* A sum over all records, for a check: which key hash each of them has. */
static inline uint64_t kanon__name_fingerprint(int64_t record, uint64_t name)
{
    uint64_t mixed = (name ^ (uint64_t)record * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    return mixed ^ mixed >> 32;
}
kanon_status kanon__names_fingerprint(kanon_state *state, uint64_t *out, kanon_error *err);

#endif
