/* Reading the rows of a table, step by step: what table.c (a table of its own, or a part of a larger one) and whole_domain.c
 * (the domain of a part) share. Neither step is of use without the one before it.
 *
 *     kanon__reader_rows      columns are matched with the schema, rows are read: distinct texts, and a code per row
 *     kanon__reader_encode    texts are ordered, codes are translated */
#ifndef KANON_TABLE_TABLE_READER_H
#define KANON_TABLE_TABLE_READER_H

#include "core/context.h"
#include "table/read/csv_source.h"
#include "table/domain/spellings.h"
#include "table/read/table.h"

/* What is needed only while the rows are read. */
typedef struct kanon__reader {
    kanon_table *table;
    kanon__data *data;     /* the table's */
    kanon__source *source; /* likewise */
    const kanon_schema *schema;
    const kanon__attribute **attributes; /* by column; NULL: not named */
    kanon__raw_columns raw;
    bool encode_all;             /* insensitive columns, too */
    bool *encoded;               /* by column */
    kanon__texts *notices;       /* by column */
    kanon__spellings *spellings; /* likewise */
    const struct kanon__whole *whole; /* whose domains are taken; NULL: they are made */
    int entity;                  /* the column that says whose record it is; -1: there is none */
    int n_read;                  /* columns whose cells are kept */
    kanon__ticker ticker;
} kanon__reader;

/* Begin the call that reads a table, in the context of the options or else the schema. */
kanon_status kanon__reader_call(kanon__call *call, const kanon_schema *schema, const kanon_read_options *options,
                                kanon_error *err);
/* The options that `given` (NULL: none) has, what is said as text in their fields. */
kanon_status kanon__read_options_take(kanon_read_options *out, const kanon_read_options *given, kanon_error *err);
/* The rows of an input, which is taken over in any case. What the caller does not say of CSV, the schema does. */
kanon_status kanon__reader_open(kanon__source **out, kanon__input *input, const kanon__csv_reading *said,
                                const kanon_schema *schema, kanon_error *err);
/* A table whose rows were read (kanon__reader_rows) and are not encoded yet. The source is taken over in any case; the
 * reader is cleared by the caller, before the table. */
kanon_status kanon__table_begin(kanon_table **out, kanon__reader *reader, kanon__source *source, const kanon_schema *schema,
                                const kanon_read_options *options, bool may_be_empty, kanon_error *err);
/* Match the columns and read the rows of reader->source; table, data, source, schema and `entity` -1 are set. An empty table
 * is KANON_EDATA unless `may_be_empty`. */
kanon_status kanon__reader_rows(kanon__reader *reader, bool strict, bool may_be_empty, kanon_error *err);
/* Encode the columns in domains of their own or, where it is not NULL, in that of the whole table. */
kanon_status kanon__reader_encode(kanon__reader *reader, const struct kanon__whole *whole, kanon_error *err);
void kanon__reader_clear(kanon__reader *reader);

/* What the schema says of a column: its name, role and weight. Cleared with the data that it belongs to. */
kanon_status kanon__column_describe(kanon__column *out, const char *name, bool is_entity, const kanon_schema *schema,
                                    kanon_error *err);
/* Fill the lists of quasi and sensitive columns. */
kanon_status kanon__data_list_columns(kanon__data *data, kanon_error *err);
/* A quasi-identifier in which nearly every one of `n` records with a value has a category of its own is released as its
 * root: a warning. */
kanon_status kanon__note_distinct(kanon__texts *warnings, const kanon__column *column, int64_t n, kanon_error *err);

#endif
