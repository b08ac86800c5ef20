/* The quasi-identifiers of a part of a table as codes: kanon_codes. All that cutting a table needs of its records, in a few
 * bytes each, so that a part is read once and not once for each level of cuts.
 *
 *     read      by column: the number of each record's text in the domain of the part    kanon_codes_read
 *     sealed    by column: its code in the domain of the whole                           kanon_codes_seal, kanon_codes_new
 *     counted   and by record: its node in the tree of cuts                              partition/cut_tree.c
 *
 * Made by part_codes.c, and by whole_domain.c as it reads a part; counted by src/partition. */
#ifndef KANON_TABLE_PART_CODES_H
#define KANON_TABLE_PART_CODES_H

#include "table/read/table_reader.h"
#include "table/read/whole_domain.h"

typedef struct kanon__part_codes {
    kanon_piece piece;
    /* a reference; NULL: they are numbers of texts of the part, by their first places; null is the last */
    kanon__whole *whole;
    int64_t n_rows;
    int n_columns; /* quasi-identifiers, in their order */
    kanon__codes *columns;
    int64_t least;      /* of the cuts that the records were counted with; 0: of none yet */
    int64_t n_nodes;    /* that these cuts had */
    kanon__codes nodes; /* by record: how far down it is */
} kanon__part_codes;

extern const kanon__piece_kind kanon__codes_kind;

/* The codes of the rows that a reader has read, in the domain of this part. */
kanon_status kanon__part_codes_of(kanon_codes **out, const kanon__reader *reader, const kanon__whole *part,
                                  kanon_error *err);

#endif
