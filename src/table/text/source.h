/* A row source: where the rows of a table come from, and how they are read again.
 *
 * Encoded columns hold only quasi and sensitive values. Whoever writes rows out (a release, a state) reads them again, as
 * cells of text, through a cursor. Each kind of source is one file in table/read/ with a row of functions:
 *
 *     csv_source.c     a file, or bytes in memory; parts begin at marks
 *     arrow_source.c   the batches of an Arrow stream; cells are printed as they are asked for
 *
 * A source does not change once its rows are read, so several threads may read it, each with its own cursor. */
#ifndef KANON_TABLE_SOURCE_H
#define KANON_TABLE_SOURCE_H

#include "core/sha256.h"
#include "core/ticker.h"
#include "table/text/csv.h"
#include "table/value/codes.h"
#include "table/value/dictionary.h"

typedef struct kanon__source kanon__source;

/* Reads rows one after the other. The cells of a row stand in one line of CSV, with the source's delimiter between them, and
 * are valid until the cursor moves on: neighbouring cells can be copied as one piece. */
typedef struct kanon__cursor {
    const kanon__source *source;
    kanon__cell *cells;  /* of the current row, one per column */
    int64_t row;         /* its number, from 0; -1: none was read yet */
    size_t begin, end;   /* where the row lies in the source, with its line end, if source->has_places */
    int64_t done, total; /* how far it is, in a unit of its own */
} kanon__cursor;

/* The columns that are to be encoded, and where their texts go. */
typedef struct kanon__raw_columns {
    const int *wanted; /* column numbers */
    int n_wanted;
    kanon__dictionary *dictionaries; /* by column: its texts in the order in which they first appear */
    kanon__codes *codes;             /* by column: the dictionary code of each row */
    uint32_t *null_codes;            /* by column: the text that stands for null; KANON__NO_CODE: no cell is null */
    int64_t memory;                  /* bytes that may be used; 0: any number */
    int threads;
    bool spilled; /* out: the codes lie in a file */
    const kanon__ticker *ticker;
} kanon__raw_columns;

/* Where the codes of so many records would take much of the memory that may be used, they go into a file. */
bool kanon__codes_are_scarce(const kanon__raw_columns *columns, int64_t n_rows);

typedef struct kanon__source_class {
    void (*free)(kanon__source *source);
    /* Read every row once: fill `columns`, n_rows and the parts of the source. Of a source that has rows and was read before,
     * other columns may be read: then it does not change. */
    kanon_status (*read)(kanon__source *source, kanon__raw_columns *columns, kanon_error *err);
    /* A cursor before the first row. */
    kanon_status (*open)(kanon__cursor **out, const kanon__source *source, kanon_error *err);
    void (*close)(kanon__cursor *cursor); /* NULL is none, as for free() */
    /* The next row becomes row `row`: 0, the first of a part, or any row where `positions` are those of locate(). */
    void (*seek)(kanon__cursor *cursor, int64_t row, const int64_t *positions);
    /* Read the next row into cursor->cells; *has_row is false past the last one. */
    kanon_status (*next)(kanon__cursor *cursor, bool *has_row, kanon_error *err);
    /* By row, where it is, so that rows can be read in any order; NULL: a source that needs no such list. */
    kanon_status (*locate)(int64_t **positions, const kanon__source *source, int threads, kanon_error *err);
    /* Add all that was read to a checksum. */
    kanon_status (*hash)(const kanon__source *source, kanon__sha256 *hash, kanon_error *err);
    /* KANON_EIO: it is not what it was when it was opened; NULL: a source that cannot change. */
    kanon_status (*unchanged)(const kanon__source *source, kanon_error *err);
    /* The line of the file on which a row begins; NULL: rows have no lines. For messages. */
    int64_t (*line_of_row)(const kanon__source *source, int64_t row);
} kanon__source_class;

/* The levels of an ordinal column as the source knows them. */
typedef struct kanon__source_levels {
    kanon__dictionary names;
    const char *fault; /* of one of them: why it can be none; NULL: they are in order */
} kanon__source_levels;

struct kanon__source {
    const kanon__source_class *class;
    char *name; /* for messages and reports: a path, "standard input", "Arrow stream" */
    char *file; /* where it is read, so that nothing may be written there meanwhile; NULL: in no file */
    int n_columns;
    char **column_names;
    kanon__dictionary names; /* the same, to be found; see kanon__source_index */
    kanon_type *natural; /* by column: its type where the schema names none; NULL or KANON_TYPE_UNKNOWN: its texts tell */
    kanon__source_levels *levels; /* by column, where some are ordinal by nature; else NULL */
    bool *unread; /* by column: it is neither read nor released, so it may have any type; NULL: all are read */
    int64_t n_rows;
    int64_t n_parts;
    int64_t *part_rows;              /* the first row of each part; a part is what one thread reads at a time */
    char delimiter;                  /* of a release of it */
    bool crlf;                       /* likewise, its line ends */
    bool has_places;                 /* each row lies in one place, after the one before it: cursors tell where */
    const char *bytes;               /* all of it, in memory; NULL: it does not lie in memory, or not in one place */
    size_t size;                     /* of all of it, in bytes */
    char sha256[KANON__SHA256_TEXT]; /* of the file, where that is not what is read; "": the class tells */
};

void kanon__source_free(kanon__source *source);
/* Make the columns known by their names, which are different, so that many of them are found quickly. */
kanon_status kanon__source_index(kanon__source *source, kanon_error *err);
/* The column of that name; -1: there is none. */
int kanon__source_find(const kanon__source *source, const char *name);
/* The column called NAME + suffix, such as age_min; -1: there is none. */
int kanon__source_find_part(const kanon__source *source, const char *name, const char *suffix);
/* SHA-256 of what was read. */
kanon_status kanon__source_sha256(char out[KANON__SHA256_TEXT], const kanon__source *source, kanon_error *err);
/* What a source gives when it is read again must be what it gave first. KANON_EIO: it was changed in between. */
kanon_status kanon__source_unchanged(const kanon__source *source, kanon_error *err);
enum { KANON__PLACE_TEXT = 512 };
/* "FILE:LINE", or "NAME: row N" where rows have no lines: the place of a row, for messages. */
const char *kanon__source_place(char out[KANON__PLACE_TEXT], const kanon__source *source, int64_t row);

/* KANON_EDATA at the current row: "FILE:LINE: COLUMN: WHAT". */
kanon_status kanon__cursor_fail(const kanon__cursor *cursor, int column, const char *what, kanon_error *err);

#endif
