/* The domain of a whole table, put together from its parts: kanon_domain.
 *
 * Whoever reads a part knows the texts of its columns, but neither their types nor their order: "07" may be a number or a
 * code, and which text of two that are equal is shown depends on the record that comes first in the whole. So texts travel
 * with the number of their records and the place of the first one; sums and minima do not depend on the order of merging.
 * Sealing sorts the texts by their first place, as if all rows had been read in order, and builds the domains of the columns
 * as a table does.
 *
 *     part 1   age "24" 3 records, first at 0     part 2   age "24" 1, first at 9; "31" 2, first at 8
 *     whole    age "24" 4, first at 0; "31" 2, first at 8     -> sealed: codes 0 and 1
 *
 * Made by whole_domain.c, packed by whole_domain_bytes.c; a part is encoded in it by table_reader.c, and cut by
 * src/partition. */
#ifndef KANON_TABLE_WHOLE_DOMAIN_H
#define KANON_TABLE_WHOLE_DOMAIN_H

#include "core/notices.h"
#include "core/piece.h"
#include "table/domain/data.h"
#include "table/text/source.h"

typedef struct kanon__whole_column {
    char *name;
    kanon_type natural;       /* as the source says; KANON_TYPE_UNKNOWN: nothing */
    kanon__source_levels levels; /* likewise, of an ordinal column */
    kanon__dictionary texts;  /* as read, null not among them; sealed: in the order of their first places */
    int64_t *counts, *firsts; /* by text: its records, the place of the first one */
    int64_t counts_capacity, firsts_capacity;
    int64_t n_null, first_null; /* likewise, of null */
    /* sealed */
    kanon__domain *domain;
    uint32_t *codes;    /* by text, in the domain */
    uint32_t null_code; /* of null; KANON__NO_CODE: there is none */
} kanon__whole_column;

typedef struct kanon__whole {
    kanon_piece piece;
    int64_t references; /* changed atomically */
    char *name;         /* of a part, for messages */
    char delimiter;
    int64_t n_rows;
    int n_columns; /* those that are encoded */
    kanon__whole_column *columns;
    kanon__texts privacy, notices; /* warnings of the part with the first place: about names and columns that are kept */
    int64_t notices_place;
    /* sealed */
    bool sealed;
    kanon__data data;      /* the columns without rows; a space over it has the costs of the whole */
    kanon__texts warnings; /* about the values of the whole */
    kanon__notices told;   /* all of them, for the caller, where it is sealed */
    unsigned char fingerprint[KANON__FINGERPRINT];
} kanon__whole;

extern const kanon__piece_kind kanon__domain_kind;

kanon_status kanon__whole_new(kanon__whole **out, int n_columns, kanon_error *err);
kanon__whole *kanon__whole_share(const kanon__whole *domain);
/* What a kind of piece needs: drop a reference; merge. */
void kanon__whole_free(void *domain);
kanon_status kanon__whole_merge(void *into, const void *other, kanon_error *err);
/* The sealed domain that a caller hands over, else KANON_EINVAL. */
kanon_status kanon__whole_take(const kanon__whole **out, const kanon_domain *given, kanon_error *err);
/* KANON_EINVAL where it is not sealed, or is although it must not be. */
kanon_status kanon__whole_check(const kanon__whole *domain, bool sealed, kanon_error *err);
/* NULL: there is none of that name. */
const kanon__whole_column *kanon__whole_find(const kanon__whole *domain, const char *name);
/* The code of a text in a sealed domain; KANON__NO_CODE: the whole table does not have it. */
uint32_t kanon__whole_code(const kanon__whole_column *column, const char *text, size_t length);
/* Add records with a text. */
kanon_status kanon__whole_add(kanon__whole_column *column, const char *text, size_t length, int64_t n, int64_t first,
                              kanon_error *err);
void kanon__whole_add_null(kanon__whole_column *column, int64_t n, int64_t first);
/* The texts of a column by their first places: `order` has room for all. */
kanon_status kanon__whole_order(uint32_t **order, const kanon__whole_column *column, kanon_error *err);
/* How many records have each code of a sealed column; `out` has room for n_codes. */
void kanon__whole_histogram(int64_t *out, const kanon__whole_column *column);
/* What tells two domains apart: the checksum of all that counts. */
kanon_status kanon__whole_fingerprint(unsigned char out[KANON__FINGERPRINT], const kanon__whole *domain, kanon_error *err);
/* For what is made with a sealed domain: its fingerprint in bytes; KANON_EINVAL where that in the bytes is another one. */
void kanon__pack_domain(kanon__packer *packer, const kanon__whole *domain);
kanon_status kanon__unpack_domain(kanon__unpacker *unpacker, const kanon__whole *domain, kanon_error *err);
/* Of two that are sealed. */
bool kanon__whole_equal(const kanon__whole *left, const kanon__whole *right);
/* KANON_EINVAL where the table was not read with this domain, or with another schema. */
kanon_status kanon__whole_has(const kanon__whole *domain, const kanon_table *part, kanon_error *err);

#endif
