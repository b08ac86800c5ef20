/* kanon: k-anonymity by clustering.
 *
 * A run is: read a schema, read a table, group its records, publish what came out.
 *
 *     kanon_schema_read(&schema, KANON_PATH("hospital.yaml"), NULL, &err);
 *     kanon_table_read(&table, KANON_PATH("hospital.csv"), schema, NULL, &err);
 *     kanon_anonymize(&grouping, table, &(kanon_options){.struct_size = sizeof(kanon_options), .k = 10}, &err);
 *     kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH("release.csv")};
 *     kanon_publish(table, grouping, &outputs, &err);
 *
 * Conventions, for every function below:
 * - Functions that can fail return a kanon_status. On failure the out parameter is NULL, nothing stays allocated, and *err,
 *   unless err is NULL, says why. Messages never hold a cell value.
 * - Structs that the caller allocates begin with struct_size = sizeof(the struct), which KANON_INIT sets. A NULL options
 *   pointer and a zero field mean "the default". A field that the library does not know, because the program was built
 *   against a newer version, must be zero; else the call is KANON_EINVAL.
 * - Structs that the library fills or hands out can grow at their end, too. Never compare their sizes and never copy arrays
 *   of them: a list of them is an array of pointers, or a function that gives the i-th one and NULL past the last. They live
 *   as long as what they were asked of.
 * - Row numbers start at 0 here and at 1 in files. Group numbers start at 1; group 0 is a suppressed record.
 * - The library does not print, exit, abort or keep global state, nor touch signal handlers; its threads block signals.
 *   Objects that are not being changed may be used from several threads at once. */
#ifndef KANON_H
#define KANON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(KANON_API) /* a package that has the library inside itself defines it as nothing, and exports nothing */
#elif defined(__GNUC__)
#define KANON_API __attribute__((visibility("default")))
#else
#define KANON_API
#endif

/* The beginning of every struct that has a struct_size: kanon_options options = KANON_INIT(kanon_options); */
#ifdef __cplusplus
#define KANON_INIT(type)                                                                                                    \
    ([] {                                                                                                                   \
        type kanon_init_ = {};                                                                                              \
        kanon_init_.struct_size = sizeof(type);                                                                             \
        return kanon_init_;                                                                                                 \
    }())
#else
#define KANON_INIT(type) {.struct_size = sizeof(type)}
#endif

/* The version of this header. */
#define KANON_VERSION_MAJOR 0
#define KANON_VERSION_MINOR 1
#define KANON_VERSION_PATCH 0
/* The same as one number: 10203 for 1.2.3. */
#define KANON_VERSION_NUMBER (KANON_VERSION_MAJOR * 10000 + KANON_VERSION_MINOR * 100 + KANON_VERSION_PATCH)

/* The version of the library that runs: as text, "1.2.3", and as the number above. */
KANON_API const char *kanon_version(void);
KANON_API int kanon_version_number(void);

/* Seeds are whole numbers from 0 to this one, 2^53 - 1, which every host can hold exactly; others are KANON_EINVAL. */
#define KANON_SEED_MAX UINT64_C(9007199254740991)

/* ---- status and errors ------------------------------------------------------------------------------------------- */

typedef enum kanon_status {
    KANON_OK = 0,
    KANON_EINVAL,      /* the call is wrong: an option, a setting, an unknown name */
    KANON_EDATA,       /* the input is wrong: table, schema, taxonomy, groups file */
    KANON_EINFEASIBLE, /* no grouping can meet the requirement */
    KANON_ENOMEM,      /* out of memory */
    KANON_EIO,         /* a file could not be read or written */
    KANON_ECANCELLED,  /* the tick asked to stop */
    KANON_EVERSION,    /* a file was made by a newer version, or by an older one whose files are no longer read */
    KANON_EINTERNAL    /* a result failed its independent check: a defect in this library */
} kanon_status;

/* What went wrong. `message` is one line, in the form FILE:LINE: COLUMN: WHAT where a place in a file is to blame;
 * `hint`, possibly empty, says what to do next. Both are always terminated. They speak of schemas and options, not of flags
 * or buttons; `topic` lets the caller add what to do in its own terms. It is NULL or one of these words, which stay the same
 * from version to version; more may come:
 *     k               k is not given
 *     roles           no column is a quasi-identifier
 *     columns         a column that the table does not have, and no other is called like it
 *     header          the first line of a table may name columns or be a record: kanon_input.header
 *     encoding        the bytes of a table are not in the encoding: kanon_input.encoding
 *     entity          the column that says whose record it is, is not given
 *     memory          kanon_options.memory is too small
 *     driver          a driver for a database or for Parquet files is not there: KANON_CATALOGUE_DRIVER
 *     repair          kanon_options.start does not satisfy what is asked: kanon_options.repair
 *     numeric         kanon_outputs.numeric does not suit the names of the columns
 *     certificate     the file is not a certificate
 *     state           the file is not a state, or one of an older version
 *     state-exists    a state is there already
 *     wait            another process works on the state: kanon_state_options.wait_seconds
 *     update          a new record has the key of an old one: KANON_UPDATE
 *     grow-taxonomy   a new value is not in the taxonomy: kanon_change_options.grow_taxonomy
 *     again           the delta was applied already: kanon_change_options.again
 *     joint-k         no release keeps joint classes so large: kanon_change_options.joint_k, or what the state says */
typedef struct kanon_error {
    size_t struct_size; /* no more than this is written; where it is not set nothing is, and the status alone tells */
    kanon_status status;
    char message[1024];
    char hint[512];
    const char *topic;
} kanon_error;

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Enums of this header whose values have words: those of schemas, options and reports. */
typedef enum kanon_enum {
    KANON_ENUM_STATUS = 0,      /* done, wrong call, bad input, ... */
    KANON_ENUM_ROLE,            /* insensitive, identifying, quasi, sensitive */
    KANON_ENUM_TYPE,            /* unknown, integer, decimal, date, categorical, ordinal */
    KANON_ENUM_HEADER,          /* unsaid, yes, no */
    KANON_ENUM_RECODE,          /* record, attribute */
    KANON_ENUM_NUMERIC,         /* default, interval, range, mean, columns */
    KANON_ENUM_POINT_RESULT,    /* optimal, dominated, infeasible */
    KANON_ENUM_TAXONOMY_FORM,   /* auto, csv, indented, yaml, parents, json */
    KANON_ENUM_TAXONOMY_METHOD, /* bands, frequency, dates, mask, prefixes, rare */
    KANON_ENUM_MARK             /* met, failed, look, not shown */
} kanon_enum;

/* The word for a value, such as a kanon_role; NULL: the enum has no such value. */
KANON_API const char *kanon_enum_text(kanon_enum which, int value);
/* The value that a word stands for; -1: the enum has no such word. */
KANON_API int kanon_enum_value(kanon_enum which, const char *text);

/* What a notice is about. */
typedef enum kanon_notice_kind {
    KANON_NOTICE_GENERAL = 0, /* a warning: how the input was understood, how the result was made */
    KANON_NOTICE_PRIVACY,     /* a warning to be shown also to users who want quiet: the release may tell more than its k
                                 suggests */
    KANON_NOTICE_NOTE         /* no warning: what is known about how good the result is */
} kanon_notice_kind;

/* A line for the user; it holds no cell value. */
typedef struct kanon_notice {
    kanon_notice_kind kind;
    const char *text;
} kanon_notice;

/* ---- progress and cancelling ------------------------------------------------------------------------------------- */

typedef struct kanon_progress {
    size_t struct_size;
    const char *stage;   /* "reading", "grouping", "writing", ... */
    int64_t done, total; /* in the stage's own unit; total 0: not known */
    const char *detail;  /* how good the result is by now, for people; NULL: nothing to say */
    int can_finish;      /* the work is of the kind that can end at any time: KANON_TICK_FINISH */
} kanon_progress;

/* What a tick can answer besides 0: end soon with the best result so far. Work that can only be done or not is stopped. */
#define KANON_TICK_FINISH 2

/* Called every few milliseconds to seconds during long work, possibly from a worker thread (unless the context says
 * otherwise) but never from two at once.
 * A result other than 0 and KANON_TICK_FINISH stops the work: the running call returns KANON_ECANCELLED and leaves nothing
 * behind. */
typedef int (*kanon_tick)(const kanon_progress *progress, void *payload);

/* ---- context ----------------------------------------------------------------------------------------------------- */

/* How the library behaves in somebody's process. The struct and what it points to are the caller's, stay as they are and
 * outlive every object that was made with it. A schema, a table read with it, its groupings and measures, and a state are
 * made with a context, and every call on them runs in it. NULL, and a zero field, mean what each field says here. What
 * libyaml, jansson and SQLite allocate for themselves does not pass through it. */
typedef struct kanon_context {
    size_t struct_size;
    /* Memory, aligned as malloc aligns it: all three or none (malloc, realloc and free). They may be called by several
     * threads at once, and release also outside of a call, when an object is freed. NULL: out of memory. */
    void *(*allocate)(size_t size, void *payload);
    void *(*reallocate)(void *memory, size_t size, void *payload);
    void (*release)(void *memory, void *payload);
    void *payload;
    const char *temporary; /* folder of temporary files; NULL: TMPDIR, else /tmp */
    int threads;           /* no call uses more, its own included; 0: no limit */
    int tick_on_caller;    /* ticks run on the thread that made the call, never on a worker */
} kanon_context;

/* ---- input ------------------------------------------------------------------------------------------------------- */

/* Whether the first line of a CSV file names the columns. */
typedef enum kanon_header {
    KANON_HEADER_UNSAID = 0, /* it should; a first line that looks like data is an error that asks */
    KANON_HEADER_YES,        /* it does; a column without a name is called c1, c2, ... by its place */
    KANON_HEADER_NO          /* it is a record; the columns are called c1, c2, ... */
} kanon_header;

struct ArrowArrayStream; /* kanon_arrow.h */

/* Where data come in: exactly one of location, bytes and stream, else KANON_EINVAL. Bytes other than NULL are given, also
 * where their size is 0. The struct and all texts in it may go when the call returns. */
typedef struct kanon_input {
    size_t struct_size;   /* sizeof(kanon_input) */
    const char *location; /* a path, "-" for standard input, or where else a table is: see "table" below */
    const void *bytes;    /* in memory; they may go when the call returns unless the function says that they are kept */
    size_t size;
    struct ArrowArrayStream *stream; /* of record batches; moved: it is released when the call returns, whatever happens */
    const char *name;                /* stands in messages and reports; NULL: the location, "input" or "Arrow stream" */
    /* How a table in CSV is to be read; nothing else has these. */
    const char *delimiter; /* one character, or "tab"; NULL or "": one of , ; tab | found from the header line */
    kanon_header header;
    const char *encoding; /* utf-8, utf-16, utf-16le, utf-16be, latin-1 (iso-8859-1) or windows-1252; NULL: UTF-8, or what
                             the first bytes show, which is a warning then */
} kanon_input;

/* kanon_table_read(&table, KANON_PATH("patients.csv"), ...): an input that lives as long as the block it stands in, in C++
 * as long as the expression. */
#ifndef __cplusplus
#define KANON_PATH(p) (&(const kanon_input){.struct_size = sizeof(kanon_input), .location = (p)})
#define KANON_BYTES(b, n) (&(const kanon_input){.struct_size = sizeof(kanon_input), .bytes = (b), .size = (n)})
#define KANON_BYTES_AS(b, n, called)                                                                                        \
    (&(const kanon_input){.struct_size = sizeof(kanon_input), .bytes = (b), .size = (n), .name = (called)})
#define KANON_STREAM(s) (&(const kanon_input){.struct_size = sizeof(kanon_input), .stream = (s)})
#else
struct kanon_input_literal : kanon_input {
    kanon_input_literal(const char *at, const void *all, size_t n, struct ArrowArrayStream *rows, const char *called)
        : kanon_input()
    {
        struct_size = sizeof(kanon_input);
        location = at;
        bytes = all;
        size = n;
        stream = rows;
        name = called;
    }
    operator const kanon_input *() const { return this; }
};
#define KANON_PATH(p) (kanon_input_literal((p), NULL, 0, NULL, NULL))
#define KANON_BYTES(b, n) (kanon_input_literal(NULL, (b), (n), NULL, NULL))
#define KANON_BYTES_AS(b, n, called) (kanon_input_literal(NULL, (b), (n), NULL, (called)))
#define KANON_STREAM(s) (kanon_input_literal(NULL, NULL, 0, (s), NULL))
#endif

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Where bytes go that are not to be written to a file. `write` gets them in order; 0 is success, anything else an errno.
 * Every sink that was handed to a call is told once by `finish` (NULL: nobody needs to know) how the call ended: complete !=
 * 0, all outputs of the call are whole and checked; 0, what was written must not be used. Both may be called on a worker
 * thread of the call, one at a time, but on the calling thread where the context says tick_on_caller. Only sinks in options
 * without a struct_size, and sinks without one, are not told. */
typedef struct kanon_sink {
    size_t struct_size; /* sizeof(kanon_sink) */
    const char *name; /* for messages; a report's format goes by its ending, as that of a path; may be NULL */
    int (*write)(const void *bytes, size_t size, void *payload);
    int (*finish)(int complete, void *payload);
    void *payload;
} kanon_sink;

/* Where bytes or rows go: one of location, sink and stream; none of them: nothing is wanted. All outputs of a call appear,
 * or none does. */
typedef struct kanon_output {
    size_t struct_size;
    const char *location;   /* a path, "-" for standard output, or of a release and its groups where else a table is */
    const kanon_sink *sink; /* gets the bytes */
    struct ArrowArrayStream *stream; /* of a release alone: filled when the call succeeds; the caller releases it */
    const char *format; /* "html", "json", "svg", "csv", ...; NULL: by the ending of the location or of the sink's name */
} kanon_output;

/* .release = KANON_TO_PATH("release.csv"): an output that lives as long as the block it stands in, in C++ as long as the
 * expression. */
#ifndef __cplusplus
#define KANON_TO_PATH(p) (&(const kanon_output){.struct_size = sizeof(kanon_output), .location = (p)})
#define KANON_TO_SINK(s) (&(const kanon_output){.struct_size = sizeof(kanon_output), .sink = (s)})
#define KANON_TO_STREAM(s) (&(const kanon_output){.struct_size = sizeof(kanon_output), .stream = (s)})
#else
struct kanon_output_literal : kanon_output {
    kanon_output_literal(const char *at, const kanon_sink *to, struct ArrowArrayStream *rows) : kanon_output()
    {
        struct_size = sizeof(kanon_output);
        location = at;
        sink = to;
        stream = rows;
    }
    operator const kanon_output *() const { return this; }
};
#define KANON_TO_PATH(p) (kanon_output_literal((p), NULL, NULL))
#define KANON_TO_SINK(s) (kanon_output_literal(NULL, (s), NULL))
#define KANON_TO_STREAM(s) (kanon_output_literal(NULL, NULL, (s)))
#endif

/* ---- schema ------------------------------------------------------------------------------------------------------ */

typedef enum kanon_role {
    KANON_ROLE_INSENSITIVE = 0, /* released as it is */
    KANON_ROLE_IDENTIFYING,     /* never released */
    KANON_ROLE_QUASI,           /* generalised */
    KANON_ROLE_SENSITIVE        /* released as it is, protected by the grouping */
} kanon_role;

typedef enum kanon_type {
    KANON_TYPE_UNKNOWN = 0, /* to be found from the values */
    KANON_TYPE_INTEGER,
    KANON_TYPE_DECIMAL,
    KANON_TYPE_DATE,
    KANON_TYPE_CATEGORICAL,
    KANON_TYPE_ORDINAL /* categories in an order: intervals of levels */
} kanon_type;

/* A setting of an algorithm, a refinement or a measure, as text. Programs make arrays of it, and so does the library: it has
 * these two fields in every version. */
typedef struct kanon_setting {
    const char *name, *value;
} kanon_setting;

typedef struct kanon_schema kanon_schema;

/* An empty schema, to be filled by kanon_schema_set. */
KANON_API kanon_status kanon_schema_new(kanon_schema **out, const kanon_context *context, kanon_error *err);
/* The schema in YAML. Paths in a file are relative to it, those in bytes to the working directory. */
KANON_API kanon_status kanon_schema_read(kanon_schema **out, const kanon_input *input, const kanon_context *context,
                                         kanon_error *err);
KANON_API void kanon_schema_free(kanon_schema *schema);

/* Say something of a column or, where `column` is NULL, of the whole. `name` and `text` are a key and its value in a schema
 * file; docs/schema.md describes them. Of a column:
 *
 *     role              quasi, sensitive, identifying, insensitive
 *     type              integer, decimal, date, categorical, ordinal
 *     taxonomy          the path of a file, which is read when a table is read; relative to the working directory
 *     mask              right, left
 *     weight            a number above 0
 *     bands             a width, edges [0, 18, 65], or of dates week, month, quarter, year or decade
 *     top, bottom       where the outermost bands begin and end
 *     format            of dates: %d.%m.%Y
 *     decimal, thousands   separators of its numbers
 *     order             of an ordinal column, from the lowest level to the highest: [none, primary, secondary]
 *
 * Of the whole: missing, empty, header, encoding, decimal, thousands, default-role, key, entity, entity-together, k,
 * suppress, suppressed and joint-k, as in a file, and
 *
 *     algorithm         its name
 *     settings          those of the algorithm, which is said first: {iterations: 2, ties: relaxed}
 *     same              [["?", NA], ["*", "**"]]; adds to what is there
 *     constraint        {model: t-closeness, attribute: disease, t: 0.3}, model=t-closeness,attribute=disease,t=0.3, or a
 *                       list of the first; adds to what is there
 *
 * A list is written as [a, "b, c"], one item also without brackets; JSON is understood. A text replaces what was said under
 * that name before, and what cannot be beside it: a taxonomy, a mask, bands, an order, a format and another type exclude
 * each other, and the last one counts. NULL removes what was said. KANON_EINVAL: it is wrong, and nothing has changed. */
KANON_API kanon_status kanon_schema_set(kanon_schema *schema, const char *column, const char *name, const char *text,
                                        kanon_error *err);
/* What is said, as kanon_schema_set takes it; NULL: nothing, or there is no such name. Valid until the schema changes. */
KANON_API const char *kanon_schema_get(const kanon_schema *schema, const char *column, const char *name);
/* The i-th column of which something is said, and the i-th constraint; NULL past the last. */
KANON_API const char *kanon_schema_column_at(const kanon_schema *schema, size_t i);
KANON_API const char *kanon_schema_constraint_at(const kanon_schema *schema, size_t i);

/* Write all that is said, and nothing else, as a schema file: kanon_schema_read gives an equal schema. Taxonomies stand in
 * it as they were given, as paths or themselves; paths are relative to the file where they lie below its folder. */
KANON_API kanon_status kanon_schema_write(const kanon_schema *schema, const kanon_output *output, kanon_error *err);

/* A taxonomy file is read when a table is read, a path being relative to the working directory; bytes, in the form of a
 * taxonomy file, are read at once. */
KANON_API kanon_status kanon_schema_set_taxonomy(kanon_schema *schema, const char *column, const kanon_input *taxonomy,
                                                 kanon_error *err);


/* ---- table ------------------------------------------------------------------------------------------------------- */

typedef struct kanon_table kanon_table;
typedef struct kanon_piece kanon_domain; /* see kanon_blocks.h */

typedef struct kanon_read_options {
    size_t struct_size;
    int strict;     /* columns that the schema does not name are an error instead of a warning */
    kanon_tick tick;
    void *payload;
    int encode_all; /* also encode the insensitive columns, for the setting cluster-on=all */
    int64_t memory; /* bytes that may be used: a table that would take much of them is in a temporary file; 0: any number */
    int threads; /* 0: as many as there are processors; where `memory` is limited, one reads */
    const kanon_context *context; /* NULL: the schema's */
    const kanon_domain *domain; /* sealed: the table is a part of a larger one, whose domain it has (kanon_blocks.h). A value
                                   that is not in it is KANON_EDATA. NULL: the table is the whole */
    const kanon_setting *said;  /* as in kanon_options: strict, memory, threads */
    size_t n_said;
} kanon_read_options;

/* Tables are found by their location, wherever this header has a path of a table:
 *
 *     patients.csv, -                            CSV, or standard input
 *     patients.parquet                           a Parquet file, by way of DuckDB
 *     data.db#patients                           a table of an SQLite file; #TABLE can be left out where it has only one
 *     adbc:DRIVER?uri=...&schema=...&table=...   a table that an ADBC driver reaches
 *     adbc:DRIVER?uri=...&query=SELECT ...       what a query gives; the query comes last and is taken as it stands
 *
 * Other options are the driver's. A value is written as in URLs (%26 is &), or KEY-env=NAME names the environment variable
 * that holds it, KEY-file=PATH the file. Drivers are libraries that are loaded at run time: docs/databases.md. A release is
 * written to such a place by its name: NAME.parquet, FILE.db#TABLE, adbc:...&table=NAME. */

/* Read and encode a table as `schema` says, which also says of its header and encoding what the input does not. A CSV
 * file of more than 1 MiB stays open and is read again when a release is written. KANON_EIO: it was truncated or
 * rewritten meanwhile; kanon_publish says so, too. Bytes and the batches of a stream are kept: bytes must outlive the
 * table. */
KANON_API kanon_status kanon_table_read(kanon_table **out, const kanon_input *input, const kanon_schema *schema,
                                        const kanon_read_options *options, kanon_error *err);
KANON_API void kanon_table_free(kanon_table *table);

KANON_API int64_t kanon_table_rows(const kanon_table *table);

typedef struct kanon_table_column {
    const char *name;
    kanon_role role;
    kanon_type type; /* KANON_TYPE_UNKNOWN: its values are not looked at, as it is neither quasi nor sensitive */
} kanon_table_column;

/* The i-th column, from 0; NULL past the last. */
KANON_API const kanon_table_column *kanon_table_column_at(const kanon_table *table, size_t i);
/* The i-th thing the user should know about how the table was read, NULL past the last; those about privacy come first. */
KANON_API const kanon_notice *kanon_table_notice_at(const kanon_table *table, size_t i);

/* ---- catalogue --------------------------------------------------------------------------------------------------- */

typedef enum kanon_setting_type {
    KANON_SETTING_INTEGER = 0,
    KANON_SETTING_NUMBER,
    KANON_SETTING_FLAG,   /* true or false */
    KANON_SETTING_CHOICE, /* one of the words in `choices` */
    KANON_SETTING_TEXT    /* what `help` says */
} kanon_setting_type;

/* What can be given to an algorithm, a refinement, the measures, a privacy model, or as an option. */
typedef struct kanon_setting_info {
    const char *name;
    kanon_setting_type type;
    double min, max;           /* of integers and numbers, both allowed; INFINITY: no limit */
    const char *default_value; /* as text; NULL: there is none, and `help` says what that means */
    const char *choices;       /* the words "strict|relaxed"; of a text, those that it may be beside others */
    const char *help;          /* one sentence; of an option what holds without it, or NULL */
    int above_min;             /* min itself is not allowed */
    int required;              /* it must be given */
} kanon_setting_info;

/* What the library has, list by list, for hosts that show it. */
typedef enum kanon_catalogue {
    KANON_CATALOGUE_ALGORITHM = 0, /* what makes groups: kanon_options.algorithm */
    KANON_CATALOGUE_REFINEMENT,    /* what can follow any algorithm to make its groups better: kanon_options.refine */
    KANON_CATALOGUE_MODEL,         /* what a constraint can ask of every group in addition to k */
    KANON_CATALOGUE_MEASURE,       /* the figures of kanon_evaluate, in the order of kanon_measures_at */
    KANON_CATALOGUE_OPTION,        /* every option of the program and the hosts: docs/options.md */
    KANON_CATALOGUE_DRIVER,        /* drivers for databases and Parquet files that are known by name; others work, too */
    KANON_CATALOGUE_NOTATION,      /* ways to write generalised numbers: kanon_numeric */
    KANON_CATALOGUE_STATUS         /* how calls end, by kanon_status */
} kanon_catalogue;

/* An entry of a list, which belongs to the library and stays. Every entry has a name and a brief; what else is NULL or 0
 * where nothing else is said. */
typedef struct kanon_entry {
    size_t struct_size;  /* sizeof(kanon_entry) of the library that runs: what lies behind it, the library does not have */
    const char *name;    /* as in calls and schemas; of options as in hosts: "shuffle_seed" */
    const char *brief;   /* one line: what it is or does. Of models what holds of every group, with {1} and {2} for the
                            parameters; of measures the formula; of drivers what they reach */
    const char *more;    /* sentences. Algorithms, refinements: when to use them; drivers: how to get them; some options */
    const char *source;  /* the paper of algorithms, refinements and models */
    const char *scope;   /* measures: what a figure is about, "table", or each "quasi", "sensitive" or
                            "released" attribute, which is released as it is */
    const char *example; /* how a notation looks; a value of some options */
    const char *since;   /* options: the version that brought it */
    uint32_t revision;   /* algorithms, refinements: another one may make other groups of the same seed */
} kanon_entry;

KANON_API size_t kanon_catalogue_count(kanon_catalogue list);
/* NULL past the last. */
KANON_API const kanon_entry *kanon_catalogue_at(kanon_catalogue list, size_t i);
/* The entry of that name; NULL: there is none. `name` NULL: the algorithm that runs where none is named; of other lists
 * NULL. */
KANON_API const kanon_entry *kanon_catalogue_find(kanon_catalogue list, const char *name);
/* What can be set of it, in order; NULL past the last, and of entry NULL. Algorithms, refinements: their settings; models:
 * the parameters of a constraint; measures: what the figure depends on (kanon_evaluate_options.settings); options: one, the
 * value. */
KANON_API const kanon_setting_info *kanon_entry_setting(const kanon_entry *entry, size_t j);

/* ---- grouping ---------------------------------------------------------------------------------------------------- */

typedef struct kanon_grouping kanon_grouping;

#define KANON_BLOCKS_NONE (-1)

typedef enum kanon_recode {
    KANON_RECODE_RECORD = 0, /* each group shows what it holds */
    KANON_RECODE_ATTRIBUTE   /* one mapping per attribute: equal values are shown equal in the whole release */
} kanon_recode;

struct kanon_outputs; /* below */

typedef struct kanon_options {
    size_t struct_size;
    int64_t k;                     /* 0: what the schema says */
    const char *algorithm;         /* NULL: what the schema says, else the default */
    const kanon_setting *settings; /* win over those of the schema */
    size_t n_settings;
    uint64_t seed; /* at most KANON_SEED_MAX */
    int threads; /* 0: as many as there are processors */
    kanon_tick tick;
    void *payload;
    const char *refine; /* a refinement to run afterwards, or "none"; NULL: that of the algorithm, if it has one */
    int64_t blocks; /* at least so many records are grouped at a time, blocks of the table in parallel; 0: all at once unless
                       that would take longer than about a minute or too much memory; KANON_BLOCKS_NONE: all at once */
    int64_t memory; /* bytes that may be used, table and release included; 0: any number */
    const kanon_setting *refine_settings; /* of the refinement */
    size_t n_refine_settings;
    const char *effort; /* "fast", "balanced" or "best", where algorithm or refinement can be told; NULL: its default */
    int compare; /* also find what constraints, entities and suppression cost: the report then holds the loss without them */
    /* KANON_RECODE_ATTRIBUTE needs an algorithm that makes such mappings, attribute-cut (taken where no algorithm of its
     * kind is named in the schema or here) or full-domain, and neither refinement nor blocks. */
    kanon_recode recode;
    const char *suppress; /* the share of the records that may be suppressed, "0.01"; NULL: what the schema says */
    /* Make these groups of the table better, in place of new ones: no algorithm runs, only the refinement (NULL: "search").
     * The result never loses more. NULL: an algorithm groups the table. */
    const kanon_grouping *start;
    int repair; /* with start: where it does not satisfy what is asked, change it as far as that takes; 0: refuse it */
    /* Where `memory` is limited: what will be written of the groups. Means, and releases that are no CSV files, take other
     * memory. Nothing is written here. NULL: a release as CSV, with intervals. */
    const struct kanon_outputs *outputs;
    /* Options as text, by their names in docs/options.md, for hosts whose users say them: {"effort", "best"},
     * {"memory", "2G"}. They win over the fields. Here these can be said: k, algorithm, suppress, repair, refine, effort,
     * recode, blocks, memory, seed, threads. */
    const kanon_setting *said;
    size_t n_said;
} kanon_options;

/* Group the rows of `table` so that every group has at least k rows. The grouping has passed the independent check.
 * KANON_EINFEASIBLE: no grouping can meet the requirement. Deterministic for a seed, whatever the number of threads.
 * Safe to call from several threads on one table. */
KANON_API kanon_status kanon_anonymize(kanon_grouping **out, const kanon_table *table, const kanon_options *options,
                                       kanon_error *err);
/* The grouping in a groups file: a table with the columns row and group, in CSV or wherever tables are (kanon_table_read).
 * It can be evaluated whatever it is; to be released it must satisfy the schema of the table (kanon_publish). */
KANON_API kanon_status kanon_grouping_read(kanon_grouping **out, const kanon_table *table, const kanon_input *groups,
                                           kanon_error *err);
/* The groups of a release of `table`, whichever tool wrote it: records whose quasi cells mean the same are a group, records
 * with nothing but * are suppressed. Notations are those of kanon_check_read; the texts that mean "no value" come from
 * `schema`. Where the file has the columns of the schema's key, they tell which record a row is; records that it lacks are
 * suppressed. Else it has the records of the table in the same order. KANON_EDATA: it has more, or fewer without a key, or
 * lacks a column. */
KANON_API kanon_status kanon_grouping_from_release(kanon_grouping **out, const kanon_table *table,
                                                   const kanon_input *release, const kanon_schema *schema, kanon_error *err);
/* The grouping in memory: group_of has a group number for each row of the table, 0 for suppressed. */
KANON_API kanon_status kanon_grouping_new(kanon_grouping **out, const kanon_table *table, const int64_t *group_of,
                                          kanon_error *err);
KANON_API void kanon_grouping_free(kanon_grouping *grouping);

typedef struct kanon_grouping_info {
    int64_t rows, groups, suppressed;
    int64_t smallest;      /* the size of the smallest group; 0: there is none */
    const char *algorithm; /* that made it; NULL: it was read or given */
    int stopped;           /* it was ended early, by KANON_TICK_FINISH or a time limit */
} kanon_grouping_info;

/* It lives as long as the grouping. */
KANON_API const kanon_grouping_info *kanon_grouping_describe(const kanon_grouping *grouping);
KANON_API int64_t kanon_grouping_group_of(const kanon_grouping *grouping, int64_t row);
/* The settings of the refinement that make the same groups again on any machine, in place of a time limit and of being
 * stopped; how many there are. 0 where nothing of it depended on a clock or a signal, and where blocks were refined and
 * stopped, each at another move. */
KANON_API size_t kanon_grouping_repeat(const kanon_grouping *grouping, const kanon_setting **out);
/* The i-th thing the user should know about the grouping and how it was made, NULL past the last: warnings about privacy,
 * other warnings, notes. A grouping of kanon_anonymize warns of each sensitive column of which a group shows one value only.
 */
KANON_API const kanon_notice *kanon_grouping_notice_at(const kanon_grouping *grouping, size_t i);

/* ---- what groups show -------------------------------------------------------------------------------------------- */

/* What every group shows in every quasi column, as data: the same that any release of the grouping shows. */
typedef struct kanon_group_view kanon_group_view;

typedef enum kanon_shows {
    KANON_SHOWS_ANY = 0, /* any value: a suppressed record, numbers next to missing ones, a root called "*" */
    KANON_SHOWS_MISSING, /* every value is missing */
    KANON_SHOWS_RANGE,   /* the numbers or dates from `min` to `max` */
    KANON_SHOWS_CATEGORY /* a value of the taxonomy, or one that stands for several */
} kanon_shows;

typedef struct kanon_group_cell {
    size_t struct_size;
    kanon_shows shows;
    double min, max; /* KANON_SHOWS_RANGE, dates as days, times as seconds since 1970-01-01; an open band ends at infinity;
                        else NAN */
    const char *min_text, *max_text; /* the same as the release writes it, "" for an open end; else NULL */
    const char *category;            /* KANON_SHOWS_CATEGORY: its name; else NULL */
} kanon_group_cell;

/* Computed once for all groups. The view outlives the table and the grouping. */
KANON_API kanon_status kanon_group_view_new(kanon_group_view **out, const kanon_table *table, const kanon_grouping *grouping,
                                            kanon_error *err);
KANON_API void kanon_group_view_free(kanon_group_view *view);
KANON_API int64_t kanon_group_view_groups(const kanon_group_view *view);
/* The records of a group; group 0: those that are suppressed. */
KANON_API int64_t kanon_group_view_records(const kanon_group_view *view, int64_t group);
/* The rows of these records, ascending; *n becomes how many there are. They live as long as the view. NULL: there is no such
 * group. */
KANON_API const int64_t *kanon_group_view_members(const kanon_group_view *view, int64_t group, int64_t *n);
/* The share of the records that show nothing in a quasi column: any value, the root of its taxonomy, or suppressed. NAN: not
 * a quasi column. */
KANON_API double kanon_group_view_general(const kanon_group_view *view, int column);
/* What a group shows in a column of the table. The caller sets out->struct_size; texts live as long as the view.
 * KANON_EINVAL: no such group, or not a quasi column. */
KANON_API kanon_status kanon_group_view_cell(kanon_group_cell *out, const kanon_group_view *view, int64_t group, int column,
                                             kanon_error *err);

/* ---- measures ---------------------------------------------------------------------------------------------------- */

typedef struct kanon_measures kanon_measures;

typedef struct kanon_evaluate_options {
    size_t struct_size;
    const kanon_setting *settings;
    size_t n_settings;
    int threads;
    kanon_tick tick;
    void *payload;
    int brief; /* counts and information loss alone, which cost next to nothing */
    /* that the measures assume: neighbour_bound, discernibility, ...; 0: that of the grouping, or of the schema */
    int64_t k;
} kanon_evaluate_options;

/* Every measure of the grouping. */
KANON_API kanon_status kanon_evaluate(kanon_measures **out, const kanon_table *table, const kanon_grouping *grouping,
                                      const kanon_evaluate_options *options, kanon_error *err);
/* What a released file of `table` loses, whichever tool wrote it: the measures of sizes, losses, certainty penalties and,
 * without an entity, risks; unknown_cells, those that could not be read and count as fully general; and what the comparison
 * with the table finds: uncovered_cells, records_doubled, records_foreign, columns_exchanged. Notations are those of
 * kanon_check_read;
 * ranges and taxonomies come from the table, the texts that mean "no value" from `schema`. The records may be in any
 * order; those that the file lacks count as suppressed. KANON_EDATA: a quasi column is not there, or more records than in
 * the table. */
KANON_API kanon_status kanon_evaluate_release(kanon_measures **out, const kanon_table *table, const kanon_input *release,
                                              const kanon_schema *schema, const kanon_evaluate_options *options,
                                              kanon_error *err);
KANON_API void kanon_measures_free(kanon_measures *measures);

typedef struct kanon_figure {
    const char *name;      /* as in the report: "information_loss" */
    const char *attribute; /* the column that it is about, in a text of the table; NULL: the whole table */
    const char *formula;   /* for people */
    double value;          /* NAN: there is none, as the average of nothing */
    int whole;             /* the value is a count */
} kanon_figure;

/* The i-th figure; NULL past the last. */
KANON_API const kanon_figure *kanon_measures_at(const kanon_measures *measures, size_t i);
/* The i-th thing about privacy that the figures show, NULL past the last: each sensitive column of which a group shows one
 * value only. */
KANON_API const kanon_notice *kanon_measures_notice_at(const kanon_measures *measures, size_t i);
/* The figure of that name about that column (NULL: the whole table); NULL where there is none. */
KANON_API const kanon_figure *kanon_measures_find(const kanon_measures *measures, const char *name, const char *attribute);

/* What a finished run teaches, in plain sentences: which column pays most, which columns say nothing, which requirement is
 * tight, what a change would save, what to run next. No sentence holds a value of the table. What a change saves was tried by
 * short runs on the table, or on a part of a large one, limited by moves and never by seconds, so it is the same on every
 * machine; pieces that save less than 2 % of the loss are not given. */
typedef struct kanon_advice kanon_advice;
KANON_API kanon_status kanon_advise(kanon_advice **out, const kanon_table *table, const kanon_grouping *grouping,
                                    kanon_error *err);

typedef struct kanon_advise_options {
    size_t struct_size;
    int measured; /* only what the groups themselves show: nothing is tried, and nothing is promised */
    int proved;   /* it is known how near the groups are to the best, so that no proof is advised */
    int threads;  /* 0: as many as there are processors */
    kanon_tick tick;
    void *payload;
} kanon_advise_options;

/* The same with options; NULL: none. */
KANON_API kanon_status kanon_advise_with(kanon_advice **out, const kanon_table *table, const kanon_grouping *grouping,
                                         const kanon_advise_options *options, kanon_error *err);
KANON_API void kanon_advice_free(kanon_advice *advice);

typedef struct kanon_advice_item {
    const char *sentence; /* without a full stop */
    /* What it is about, so that the caller can add what to do in its own terms: NULL, or one of "payer", "leave-out",
     * "taxonomy", "weight", "bands", "narrower-bands", "hidden", "missing", "constraint", "suppress", "refine", "tradeoff",
     * "quasi" and "bound"; more may come. */
    const char *topic;
    /* The share of the loss that the change saves, in the units of the run that is advised on: its weights, and the ranges of
     * the whole columns; what is left out loses nothing. Below 0: one column pays for the others. NAN: nothing was tried. */
    double saves;
    double others;      /* the share of what the other columns lose that they no longer do; NAN: it is about no column */
    const char *column; /* the quasi-identifier that is to change, a text of the table; NULL: none */
    /* The change as an option and its value, such as "bands" and "age=5"; NULL: there is none. */
    const char *option, *value;
} kanon_advice_item;

/* NULL past the last. */
KANON_API const kanon_advice_item *kanon_advice_at(const kanon_advice *advice, size_t i);

/* ---- publishing -------------------------------------------------------------------------------------------------- */

/* How generalised numbers and dates are written. */
typedef enum kanon_numeric {
    KANON_NUMERIC_DEFAULT = 0, /* intervals in text; columns where columns have types: streams, Parquet, databases */
    KANON_NUMERIC_INTERVAL,    /* [20..29]; in Parquet files and databases columns */
    KANON_NUMERIC_RANGE,       /* [20,29], which PostgreSQL casts to a range */
    KANON_NUMERIC_MEAN,        /* the mean of the group; typed: float64, of dates date32, of times timestamp in seconds */
    KANON_NUMERIC_COLUMNS      /* two columns NAME_min and NAME_max in place of NAME, typed: in the type of the column */
} kanon_numeric;

typedef struct kanon_outputs {
    size_t struct_size;
    /* NULL: not wanted. Reports are pages for people in the format "html", else "json". */
    const kanon_output *release;
    const kanon_output *groups;
    const kanon_output *report;
    const kanon_output *report_external; /* for others: describes no single group, no seed, no checksum of the input */
    /* How to read the release, for those who get it: a page for people in the format "html", CSVW as "csvw" or where the
     * name ends in -metadata.json, else a Frictionless Table Schema. It holds no value that the release does not show,
     * but all of the taxonomies that the schema gives. */
    const kanon_output *codebook;
    kanon_numeric numeric;
    int shuffle; /* release the records in an order that tells nothing about that of the table: see shuffle_seed */
    kanon_tick tick;
    void *payload;
    const kanon_measures *measures; /* of this grouping and not brief, for the reports; NULL: they are computed */
    int threads;                    /* 0: as many as there are processors; what is written does not depend on it */
    const char
        *command; /* what makes the release again, such as a command line, for the page of `report`; NULL: not shown */
    /* The records of a shuffled release are in the order of a hash of their released cells, keyed by this seed. It depends
     * on what is released alone, so it is the same in every form of one release, there is nothing to undo, and the same
     * records are in the same order in every release with this seed. Not 0: shuffles, whatever `shuffle` says. */
    uint64_t shuffle_seed;
    /* Gets the group of each row of a release that is a stream, in its order, from 1, 0: suppressed and kept; room for all
     * rows of the table. A state that is made of the grouping gives its groups these numbers. NULL: not wanted. */
    int64_t *group_numbers;
    const kanon_setting *said; /* as in kanon_options: numeric, shuffle, shuffle-seed, threads */
    size_t n_said;
    const kanon_advice *advice; /* about this grouping, for `report`; NULL: it is made */
    /* Where the schema asks for a k-map: the people of whom so many must fit each row of the release, and the schema that
     * the table was read with. KANON_EINFEASIBLE: fewer fit, and nothing is written; KANON_EINVAL: one of them is not
     * given. */
    const kanon_input *population;
    const kanon_schema *population_schema;
} kanon_outputs;

/* Write what is wanted: all of it or nothing. Where that is the internal report of given measures alone, any grouping of
 * the table will do; else it must be one that may be released. KANON_EINVAL: the grouping is of another table (also of
 * one that was read again from the same file), or it was read or given by the caller and violates what the schema asks
 * for: k, entities, constraints, the share of suppressed records. Files are written to temporary files beside their place
 * and named when every one of them is complete and on disk. A new release or external report has the permissions that the
 * process gives to new files, one that replaces a file those of that file; groups and the internal report are always
 * their owner's alone (mode 0600). The cells of a release are checked to cover their originals. A host that limits the
 * size of files ignores SIGXFSZ, so that the limit is an error (KANON_EIO) and not the end of the process. */
KANON_API kanon_status kanon_publish(const kanon_table *table, const kanon_grouping *grouping, const kanon_outputs *outputs,
                                     kanon_error *err);
/* ---- proposing a schema ------------------------------------------------------------------------------------------ */

typedef struct kanon_propose_options {
    size_t struct_size;
    int threads; /* 0: as many as there are processors */
    kanon_tick tick;
    void *payload;
    const kanon_context *context; /* NULL: none */
    int without_bands;            /* propose none */
    const kanon_output *schema;   /* also write the schema here; NULL: not wanted */
} kanon_propose_options;

/* What is proposed for a column, and why. */
typedef struct kanon_proposed_column {
    const char *name;
    kanon_role role;
    kanon_type type;    /* of quasi and sensitive columns; else KANON_TYPE_UNKNOWN */
    const char *reason; /* a sentence without full stop; no cell value */
    const char *same_as; /* the column that says the same, or from which this one follows; NULL: none */
    int64_t distinct, missing; /* values, and cells without one */
} kanon_proposed_column;

/* Columns, and whom they single out: records that agree in all of them are a class, and a person is singled out who has a
 * class of their own. Without an entity each record is a person. */
typedef struct kanon_column_set {
    const char *const *columns; /* their names */
    size_t n_columns;
    int64_t classes;
    int64_t records; /* of persons in classes of their own */
    int64_t persons; /* with such a record */
    double share;    /* of all persons */
} kanon_column_set;

typedef struct kanon_proposal {
    int64_t records;
    const kanon_proposed_column *const *columns; /* in the order of the table */
    size_t n_columns;
    const char *entity, *key;     /* columns; NULL: none */
    int64_t k;                    /* that is proposed */
    const kanon_column_set *const *sets; /* of quasi columns: the two of one, two and three columns that single out most */
    size_t n_sets;
    const char *const *notes; /* what else the user should know */
    size_t n_notes;
    const char *schema; /* the schema in YAML, with a reason behind each line; kanon_schema_read reads it */
    size_t schema_size; /* in bytes, without the end */
} kanon_proposal;

/* Propose a schema for a table, by the names of its columns and the form of their values: roles, types, texts that mean "no
 * value", masks and bands, columns that say the same, whose record each row is. A column of which nothing is known is
 * withheld. What the input says of header and encoding, the schema says, too, and the name of the input is in its title.
 * Nothing in a proposal is a value of the table, but for texts that mean that there is none. The result does not depend on
 * the number of threads. */
KANON_API kanon_status kanon_propose(kanon_proposal **out, const kanon_input *table, const kanon_propose_options *options,
                                     kanon_error *err);
KANON_API void kanon_proposal_free(kanon_proposal *proposal);

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

typedef enum kanon_mark {
    KANON_MARK_MET = 0,
    KANON_MARK_FAILED,
    KANON_MARK_LOOK,     /* nothing that was asked is missing, and a person should look before the data are given away */
    KANON_MARK_NOT_SHOWN /* it could not be counted */
} kanon_mark;

/* One thing that decides whether a release may be given away. No sentence holds a value of the table. */
typedef struct kanon_verdict_row {
    const char *name;     /* "k", "persons", "requirement", "population", "suppressed", "identifying",
                             "released-as-they-are", "homogeneous", "earlier", "order" or "cells"; more may come */
    const char *heading;  /* the same for people */
    kanon_mark mark;      /* kanon_enum_text(KANON_ENUM_MARK, ...) is its word */
    const char *sentence; /* without a full stop */
    int asked;            /* it was required: the verdict fails where the row is not shown */
} kanon_verdict_row;

/* The rows in the same order and words wherever they are shown: the report, the program and every host. */
typedef struct kanon_verdict kanon_verdict;

/* The verdict of what `outputs` release of a grouping: NULL, or without a release: of the groups alone. Figures come from
 * outputs->measures, and are computed where these are NULL or brief; where they are brief, without what the originals let
 * find, which takes its time. */
KANON_API kanon_status kanon_verdict_of(kanon_verdict **out, const kanon_table *table, const kanon_grouping *grouping,
                                        const kanon_outputs *outputs, kanon_error *err);
KANON_API void kanon_verdict_free(kanon_verdict *verdict);
/* The i-th row; NULL past the last. */
KANON_API const kanon_verdict_row *kanon_verdict_at(const kanon_verdict *verdict, size_t i);
/* Whether no row has failed, and all that was asked could be shown. */
KANON_API int kanon_verdict_holds(const kanon_verdict *verdict);

/* ---- checking a published file ----------------------------------------------------------------------------------- */

typedef struct kanon_check_options {
    size_t struct_size;
    double risk_threshold; /* 0: 0.2 */
    kanon_tick tick;
    void *payload;
    int64_t k; /* that the file must have; 0: what the schema says */
    const kanon_context *context; /* NULL: the schema's */
    /* The table that the file was made of: each record is compared with its row, and persons are counted by the entity
     * column of the table. NULL: none. */
    const kanon_input *original;
    const char *const *key; /* columns that name a record, in all files; NULL: the key of the schema, where all have it */
    size_t n_key;
    /* Releases before this one, by any tool, whose joint classes with it must have k (the joint-k of the schema). Who is who
     * is known by the key, or where all have the rows of the original in its order. */
    const kanon_input *const *earlier;
    size_t n_earlier;
    /* People of whom somebody may know the quasi columns, by the names of the columns: how many fit each row. NULL: none. */
    const kanon_input *population;
} kanon_check_options;

typedef struct kanon_class_size {
    int64_t size;    /* records in a class */
    int64_t classes; /* how many classes have that size */
} kanon_class_size;

/* What the least protected class reaches in a privacy model on one sensitive column. */
typedef struct kanon_privacy_figure {
    const char *model;     /* as in a schema: "distinct-l-diversity" */
    const char *attribute; /* the sensitive column */
    const char *figure;    /* "distinct_l", "entropy_l", "recursive_c" (the c of (c,2)), "alpha", "t_closeness", ... */
    double value;
} kanon_privacy_figure;

/* A constraint of the schema, and what the file or the groups reach. */
typedef struct kanon_constraint_status {
    const char *sentence;
    double asked, reached; /* by the least protected class, in the unit of the model: l, c, alpha, t, or entities */
    int holds;
} kanon_constraint_status;

/* What a check found by comparing a file with another one. No sentence holds a value of a table. */
typedef struct kanon_finding {
    const char *name;     /* "compared", "uncovered", "unknown", "exchanged", "permuted", "means", "missing", "doubled",
                             "foreign", "partial", "extra_column", "order", "linkage", "persons", "earlier",
                             "population", "k_map"; more may come */
    const char *column;   /* it is about this column; NULL: the whole file */
    const char *other;    /* and this one, as of two that are exchanged; NULL: none */
    int64_t count;        /* cells, rows, records, ...; 0: nothing is counted */
    kanon_mark mark;      /* failed, not shown: `violated` or `not_shown` has the sentence, too */
    const char *sentence; /* without a full stop */
} kanon_finding;

typedef struct kanon_check {
    int64_t records;    /* in the file */
    int64_t suppressed; /* records whose every quasi cell is fully general; they are a class like any other */
    int64_t classes;    /* of records whose quasi cells are the same texts */
    int64_t k; /* records in the smallest class */
    double average_class_size;
    /* Prosecutor risk of a record: the records of its person in its class over those of the class. Without entities that is
     * 1 / size. Where the file lacks the entity column that the schema names, these count records, and `not_shown` says
     * so. */
    double highest_risk, average_risk; /* the average is over records */
    double share_at_risk;              /* share of the records with a risk above the threshold */
    const kanon_class_size *const *smallest;  /* the smallest class sizes, ascending */
    size_t n_smallest;
    /* Of every sensitive column, column by column; and then "singled_out" of every column that is released as it is: as
     * `singled_out_all`, of the quasi columns and this one. */
    const kanon_privacy_figure *const *figures;
    size_t n_figures;
    const char *const *warnings; /* things that make the release weaker than its k: an identifying column, ... */
    size_t n_warnings;
    int identifying_columns; /* identifying columns that are in the file */
    int64_t entities;        /* different entities in the class that has fewest; 0: the file does not have their column */
    const kanon_constraint_status *const *constraints; /* those about columns of the file */
    size_t n_constraints;
    int64_t k_asked;             /* 0: none */
    const char *const *violated; /* what was asked and does not hold, one sentence each */
    size_t n_violated;
    const char *const *not_shown; /* what was asked and cannot be counted in this file, one sentence each */
    size_t n_not_shown;
    int asked; /* something was asked of the file: a k, a constraint, entities */
    int holds; /* nothing is violated, and everything that was asked could be counted */
    /* Of a Parquet file that was read by its path: what its metadata say of how it was made, which the check does not rely
     * on: "kanon 1.0.0, k = 10, algorithm auto", and the role of each column as a JSON object. NULL: they say nothing. */
    const char *made_by, *made_roles;
    const char *const *unnamed; /* columns of the file that have no role; one of them is enough for `holds` to be 0 */
    size_t n_unnamed;
    const kanon_verdict *verdict; /* all of it, row by row, for people; `holds` is that of the verdict */
    /* The share of the records that no other record, or with entities no other person's, equals on the quasi columns and all
     * columns that are released as they are: sensitive and insensitive ones. */
    double singled_out_all;
    /* Comparisons with the original, earlier releases and a population, as far as they were given. */
    const kanon_finding *const *findings;
    size_t n_findings;
    const kanon_figure *const *compared; /* figures of the same: joint_k, journalist_risk, ... */
    size_t n_compared;
    int original_shows; /* something is not shown that the original would show */
} kanon_check;

/* Read a released file, whichever tool wrote it, and find what it really reaches. Classes are made of texts as they stand in
 * the file: cells that differ are different, whatever they mean, unless the schema says that two texts are one
 * (`same` of the schema). A sensitive cell that is suppressed or generalised counts as the commonest value of its class.
 * What was asked and cannot be counted (a column is not there, or its values cannot be read) never holds, nor does a file
 * with a column that has no role. Header and encoding are those of the input, whatever the schema says of the table.
 * KANON_EDATA also where one of the other files of the options has a fault, whose place the message names. */
KANON_API kanon_status kanon_check_read(kanon_check **out, const kanon_input *release, const kanon_schema *schema,
                                        const kanon_check_options *options, kanon_error *err);
KANON_API void kanon_check_free(kanon_check *check);

/* ---- profile: risk before any work ------------------------------------------------------------------------------- */

typedef struct kanon_profile_options {
    size_t struct_size;
    int threads; /* 0: as many as there are processors */
    uint64_t seed;
    kanon_tick tick;
    void *payload;
    int without_costs;          /* leave out the runs on a sample */
    const kanon_output *report; /* also write it here, as JSON; NULL: not wanted */
} kanon_profile_options;

typedef struct kanon_profile_attribute {
    const char *name;
    kanon_type type;
    int64_t distinct;       /* values */
    int64_t missing;        /* cells without one */
    int64_t unique;         /* persons that it singles out by itself */
    int64_t unique_without; /* persons that the other attributes together still single out */
} kanon_profile_attribute;

/* What is not yet k-anonymous: the classes with records of fewer than k persons. */
typedef struct kanon_profile_below {
    int64_t k;
    int64_t classes, records, persons;
    double share; /* of all records */
} kanon_profile_below;

/* What a k will cost, estimated on parts of the table. */
typedef struct kanon_profile_cost {
    int64_t k;
    double avg_loss; /* as the measure of that name, from 0 to 1; NAN: not possible on the sample */
    double seconds;  /* of grouping all records */
} kanon_profile_cost;

/* A class are the records that agree in all quasi-identifiers. Its size is the number of persons (entities) who have records
 * in it; without an entity each record is a person. */
typedef struct kanon_profile {
    int64_t records, persons;
    int has_entity;
    int64_t k; /* of the schema; 0: none */
    int64_t classes, smallest, largest;
    double average_class_size;
    int64_t unique_records, unique_persons; /* in classes of one person */
    double highest_risk, average_risk;      /* of a record: 1 / size of its class */
    const kanon_class_size *const *sizes;          /* all class sizes, ascending */
    size_t n_sizes;
    const kanon_profile_attribute *const *attributes; /* the quasi-identifiers, in the order of the table */
    size_t n_attributes;
    const kanon_column_set *const *sets; /* of one, two and three quasi-identifiers, those that single out most first */
    size_t n_sets;
    const kanon_profile_below *const *below; /* k from 2 to 20 */
    size_t n_below;
    const kanon_profile_cost *const *costs;
    size_t n_costs;
    int64_t sample_records; /* that the costs rest on */
} kanon_profile;

/* The risk of a table before it is anonymised, and what k will cost with the algorithm of its schema. No figure is a value
 * of the table. All but the seconds is the same for any number of threads. */
KANON_API kanon_status kanon_profile_table(kanon_profile **out, const kanon_table *table,
                                           const kanon_profile_options *options,
                                           kanon_error *err);
KANON_API void kanon_profile_free(kanon_profile *profile);

/* ---- lower bound ------------------------------------------------------------------------------------------------- */

typedef struct kanon_bound_options {
    size_t struct_size;
    int64_t k;      /* 0: what the schema says */
    double seconds; /* stop improving the bound after about so long; 0: when it has come to rest */
    int64_t rounds; /* stop after so many rounds of improving it; 0: chosen */
    int threads;    /* 0: as many as there are processors */
    kanon_tick tick;
    void *payload;
    const kanon_output *certificate; /* write the proof here, as JSON; it holds no cell of the table */
} kanon_bound_options;

typedef struct kanon_lower_bound {
    int64_t records, k;
    double lower_bound;     /* no grouping of all records into groups of at least k loses less information */
    double neighbour_bound; /* what the distances to the (k-1)-th nearest records alone say */
    int64_t rounds;         /* of improving it */
    int stopped;            /* by the time limit or the tick, before it came to rest */
    double seconds;
    const int64_t *prices; /* the proof, one price for each row: no k records together have more than k times what the box */
    int64_t scale;         /* around them costs, in units of which `scale` make 1; lower_bound is price_sum / scale */
    int64_t price_sum;
    double with_suppression; /* no grouping loses less, however many records it suppresses; at most lower_bound */
} kanon_lower_bound;

/* A lower bound on the information loss of every grouping, with its proof (docs/lower-bound.md). It holds whatever else the
 * groups must satisfy: constraints and entities only take groupings away. Once the neighbour bound is known, a tick that
 * asks to stop ends the improving, not the call. Without a time limit the result is the same for any number of threads.
 * KANON_EINFEASIBLE: the table has fewer than k records. */
KANON_API kanon_status kanon_bound(kanon_lower_bound **out, const kanon_table *table, const kanon_bound_options *options,
                                   kanon_error *err);
KANON_API void kanon_lower_bound_free(kanon_lower_bound *bound);

typedef struct kanon_prove_options {
    size_t struct_size;
    int threads; /* 0: as many as there are processors */
    kanon_tick tick;
    void *payload;
} kanon_prove_options;

typedef struct kanon_certificate {
    size_t struct_size; /* sizeof(kanon_certificate), set by the caller */
    int64_t records, k;
    double lower_bound; /* what the file claims */
    int holds;          /* the claim is proved */
    char reason[256];   /* why it is not */
} kanon_certificate;

/* Check a proof against the table, with code of its own: nothing of kanon_bound is used. KANON_EDATA: the input is not
 * such a proof at all. */
KANON_API kanon_status kanon_certificate_check(kanon_certificate *out, const kanon_table *table,
                                               const kanon_input *certificate, const kanon_prove_options *options,
                                               kanon_error *err);

/* Add the figures lower_bound and gap to those of a grouping, from a certificate, which is verified as by
 * kanon_certificate_check. Of a grouping with suppressed records the gap is NAN. KANON_EINFEASIBLE: it does not prove its
 * bound, or is about another k. */
KANON_API kanon_status kanon_measures_prove(kanon_measures *measures, const kanon_table *table,
                                            const kanon_grouping *grouping, const kanon_input *certificate,
                                            const kanon_prove_options *options, kanon_error *err);

/* ---- trade-off --------------------------------------------------------------------------------------------------- */

typedef struct kanon_tradeoff_options {
    size_t struct_size;
    const char *k;                 /* the values of k, with commas between them; NULL: 2,5,10,25,50,100 */
    const char *suppress;          /* likewise, shares of the records; NULL: what the schema says */
    const kanon_setting *settings; /* of the algorithm; a value may be several, with commas between them */
    size_t n_settings;
    const char *algorithm, *refine, *effort; /* as in kanon_options */
    const kanon_setting *measure_settings;   /* as in kanon_evaluate_options; the same for every point */
    size_t n_measure_settings;
    uint64_t seed;
    int threads;
    kanon_tick tick;
    void *payload;
    const kanon_output *csv, *json,
        *plot; /* where the curve is written to, all or nothing; NULL: not wanted. A plot is a page
                                              with plots and figures in the format "html", else "svg" */
} kanon_tradeoff_options;

typedef enum kanon_point_result {
    KANON_POINT_OPTIMAL = 0, /* no other point is better in one of the criteria and worse in none */
    KANON_POINT_DOMINATED,
    KANON_POINT_INFEASIBLE /* no grouping meets the requirement; there are no figures */
} kanon_point_result;

typedef struct kanon_curve_point {
    const kanon_setting *settings; /* its place in the grid: k first, then suppress where asked for, then settings */
    size_t n_settings;
    const kanon_figure *const *figures; /* the same for every point, in the same order */
    size_t n_figures;
    kanon_point_result result;
    double seconds; /* of grouping */
    /* The groups of a larger k are groups of this one, too. Where those of another point of the same settings lose less, the
     * figures are theirs, and this is its k; 0: the point's own groups. */
    int64_t from_k;
} kanon_curve_point;

typedef struct kanon_curve kanon_curve;

/* Group the table with every combination of the values and find which of them no other beats in information_loss,
 * highest_risk, average_risk, protection and query_error, of all of which less is better. Deterministic for a seed but for
 * the seconds, whatever the number of threads. KANON_EINVAL: not a grid; KANON_EINFEASIBLE: not one point can be met. */
KANON_API kanon_status kanon_tradeoff(kanon_curve **out, const kanon_table *table, const kanon_tradeoff_options *options,
                                      kanon_error *err);
KANON_API void kanon_curve_free(kanon_curve *curve);
/* The i-th point in the order of the grid, in which the last setting changes first; NULL past the last. */
KANON_API const kanon_curve_point *kanon_curve_at(const kanon_curve *curve, size_t i);
/* Of the points that no other beats, the one nearest to where both information_loss and average_risk (by its logarithm) are
 * least, each scaled from its least to its greatest value; NULL where there is none. */
KANON_API const kanon_curve_point *kanon_curve_recommended(const kanon_curve *curve);

/* ---- states: tables that live on --------------------------------------------------------------------------------- */

/* In place of a number: joint classes may have any size; they are counted, and nothing is withheld. */
#define KANON_JOINT_K_OFF (-1)

/* A state is one file that keeps a table, its groups and what was released of it. Every call below that changes it is
 * one transaction: all of it is done, or nothing, whatever happens to the process or the machine. Its outputs belong
 * to it: where one cannot get its name, or its sink refuses it, nothing is changed. Should a release be out that
 * could not be taken back, it stays recorded, and the hint says that the change is made. Two processes may use a file
 * at the same time; one waits for the other. A kanon_state is used by one thread at a time. */
typedef struct kanon_state kanon_state;

/* Where the bytes of a state are that is no file of its own, such as in tables of a database. The host keeps what was
 * written when a call has succeeded, and forgets it when one has failed: its own transaction makes the state, the outputs
 * and whatever else it does one. `read` and `write` get bytes that lie within a page of 4096 or are whole pages; `read` asks
 * for nothing behind `size`. All return 0 or an errno, and are called on the thread that made the call. */
typedef struct kanon_state_storage {
    size_t struct_size;
    int (*read)(void *bytes, size_t size, int64_t offset, void *payload);
    int (*write)(const void *bytes, size_t size, int64_t offset, void *payload);
    int (*truncate)(int64_t size, void *payload);
    int64_t (*size)(void *payload);
    void *payload;
} kanon_state_storage;

typedef struct kanon_state_options {
    size_t struct_size;
    int wait_seconds; /* how long to wait for another process; 0: 10 seconds, negative: not at all */
    kanon_tick tick;
    void *payload;
    const kanon_context *context; /* NULL: none, or that of the table that a state is made of */
    const kanon_state_storage *storage; /* in place of a file; the path stands in messages alone. It outlives the state. */
    int watch; /* keep in memory which groups change, for kanon_state_release_changes */
    int released; /* for a new state: the caller publishes what kanon_publish made of the grouping, as a stream, which is the
                   * state's first release, without a checksum in the list of releases */
    int64_t joint_k; /* of a new state, in place of what its schema says; 0: that, or else k; or KANON_JOINT_K_OFF */
} kanon_state_options;

/* KANON_EDATA: two records of the table have one key, by the columns that the schema names. A state has no room for them;
 * asked before the table is grouped, that costs no work. KANON_OK also where the schema names no key. */
KANON_API kanon_status kanon_table_check_key(const kanon_table *table, const kanon_schema *schema, kanon_tick tick,
                                             void *payload, kanon_error *err);
/* Publish what `outputs` asks for (NULL: nothing) and keep table and grouping in a new file at `path`, readable by
 * its owner alone. A release that is written is the state's first one. `schema` is the one that the table was read
 * with. A null of an Arrow table is kept as an empty text. KANON_EINVAL: the file is there already; the table was
 * read with another schema; the schema asks for what a state cannot keep up; the grouping was not made for a k, or
 * may not be released (kanon_publish); a column has nulls and another one empty texts that are values. KANON_EDATA:
 * two records have one key. */
KANON_API kanon_status kanon_state_create(const char *path, const kanon_table *table, const kanon_schema *schema,
                                          const kanon_grouping *grouping, const kanon_outputs *outputs,
                                          const kanon_state_options *options, kanon_error *err);
/* A state of the format before is read as it is, and the first change brings it to today's. KANON_EDATA: no state, or a
 * damaged one; KANON_EVERSION: made by a newer version, or by one whose states are no longer read. */
KANON_API kanon_status kanon_state_open(kanon_state **out, const char *path, const kanon_state_options *options,
                                        kanon_error *err);
KANON_API void kanon_state_close(kanon_state *state);

typedef struct kanon_change_options {
    size_t struct_size;
    int grow_taxonomy;            /* put unknown categories below the root instead of refusing them */
    const kanon_outputs *outputs; /* also publish what the state holds then; NULL: nothing */
    int64_t joint_k;              /* joint classes stay at least this large (docs/audit.md): a release withholds records,
                                     shows them in other groups, or fails; 0: what the state says; KANON_JOINT_K_OFF: they
                                     are counted and nothing is done */
    int again; /* insert or delete a delta also where it is the one that was applied last, instead of refusing it */
    /* Where the state's groups were made by the search (by auto with more effort than fast, or with it as the refinement):
     * how much it looks for less loss around the groups that an insert, delete or update changed. NULL or "balanced": a
     * little; "best": more; "fast": not at all, so that no other groups change. */
    const char *effort;
} kanon_change_options;

/* What a call did, and what the state is then. */
typedef struct kanon_change {
    size_t struct_size;        /* sizeof(kanon_change), set by the caller */
    int64_t changed;           /* records that were inserted, deleted or updated */
    int64_t splits, dispersed; /* groups that were split, dispersed */
    int64_t grown;             /* categories that are new */
    int64_t records, groups, suppressed, k;
    int64_t release;                 /* the number of the release that was recorded; 0: none */
    int64_t withheld, moved, merged; /* for joint_k: records left out or shown in another group, groups joined */
    int64_t below_joint_k;           /* records whose joint class was smaller before: nothing could be done */
    double loss_before, loss;        /* average loss; NAN where it was not asked for */
    double drift;                    /* loss now over that of a fresh run, on a sample, less 1; NAN likewise */
    int64_t repaired;                /* groups that were changed because they violated a constraint */
    int committed; /* the change is made. It can be although the call failed: kanon_state_change */
    /* What the release has done to joint classes, which count persons where there is an entity. Each is 0 for the first
     * release of a state and where nothing was released; all but the first two where it was not audited
     * (kanon_state_release_changes). */
    int64_t joint_k;          /* the size that they should have */
    int joint_required;       /* they must have it; 0: joint-k is off, or the state does not know */
    int64_t joint_smallest;   /* of all classes */
    int64_t joint_below;      /* records in classes smaller than joint_k */
    int64_t joint_made_below; /* of these, in classes that had joint_k before this release, or that it has made; where
                                 joint_required, none */
    char question[480]; /* a delta that makes the range of a column of numbers more than twice as wide, or whose numbers
                         * fit if two columns are exchanged: which columns, for people; "": nothing. No value is in it. */
    char privacy[480];  /* what k does not protect in the release, as kanon_grouping_notice_at says it, for people: groups
                         * with one sensitive value, by column; "": nothing */
} kanon_change;

typedef enum kanon_change_kind {
    KANON_INSERT = 0, /* each record of the delta (all columns of the table) joins the group whose loss grows least; a group
                         that reaches 2k records is split */
    KANON_DELETE,     /* the records that the delta names (by the schema's key, or by all columns) go; groups short of k are
                         dispersed */
    KANON_UPDATE      /* the records that the delta names by their key get the values of its other columns: deleted and
                         inserted, as one change */
} kanon_change_kind;

/* KANON_EINFEASIBLE: fewer than k records would be left, or no grouping could satisfy the constraints. Where records can go
 * or be put right, and only the release that the options ask for is not possible, the change is made all the same: the call
 * fails with KANON_EINFEASIBLE, nothing is written, and out->committed is set. So it is with deletes and updates, not with
 * inserts. */
KANON_API kanon_status kanon_state_change(kanon_state *state, kanon_change_kind kind, const kanon_input *delta,
                                          const kanon_change_options *options, kanon_change *out, kanon_error *err);
/* Make the groups better by a refinement (NULL: il-optimization). */
KANON_API kanon_status kanon_state_improve(kanon_state *state, const char *refinement, const kanon_change_options *options,
                                           kanon_change *out, kanon_error *err);
/* Publish what the state holds, and record it as a release where options->outputs asks for one. */
KANON_API kanon_status kanon_state_release(kanon_state *state, const kanon_change_options *options, kanon_change *out,
                                           kanon_error *err);

typedef struct kanon_state_release_info {
    int64_t number, time; /* time in seconds since 1970 */
    const char *sha256;
    int64_t records, groups, suppressed, withheld, k, joint_k;
    double loss; /* NAN, and sha256 empty: a release of changes (kanon_state_release_changes) */
} kanon_state_release_info;

typedef struct kanon_state_event {
    int64_t number, time;
    const char *command, *detail;
    int64_t records, groups; /* afterwards */
} kanon_state_event;

typedef struct kanon_state_info {
    const char *program, *algorithm, *refinement, *settings; /* settings: NAME=VALUE, one per line */
    uint32_t revision;
    uint64_t seed;
    int64_t blocks;
    int64_t k_asked, k, records, groups, suppressed, columns, quasi, departed;
    double loss, drift; /* as in kanon_change */
    int64_t drift_records;
    const kanon_state_release_info *const *releases;
    size_t n_releases;
    const kanon_state_event *const *history;
    size_t n_history;
    const kanon_constraint_status *const *constraints; /* of the groups, in addition to k */
    size_t n_constraints;
    const char *entity; /* the column that says whose record it is; NULL: there is none */
    int entity_together;
    int64_t most_suppressed; /* records that may be suppressed; -1: nothing was said */
    int64_t joint_k;         /* of releases; KANON_JOINT_K_OFF; 0: of a version that did not keep it, which is off, too */
} kanon_state_info;

/* Check every page, record and group of the file, and say what is in it. KANON_EDATA: something does not fit. */
KANON_API kanon_status kanon_state_describe(kanon_state_info **out, kanon_state *state, kanon_error *err);
KANON_API void kanon_state_info_free(kanon_state_info *info);

/* What somebody who has all releases can tell apart: records that were in one group in each of them are a joint class. */
typedef struct kanon_audit {
    int64_t releases;
    int64_t records;  /* that were ever released */
    int64_t departed; /* of these */
    int64_t classes;
    int64_t smallest; /* in records, or in persons where there is an entity; so are all sizes of classes */
    int64_t k;     /* what the classes are held against */
    int64_t below; /* records in classes smaller than k */
    int64_t classes_below;
    const kanon_class_size *const *sizes; /* how many classes have which size, ascending */
    size_t n_sizes;
    const kanon_privacy_figure *const *figures; /* distinct_l: the fewest distinct sensitive values in a joint class */
    size_t n_figures;
    int64_t fewest_entities; /* `smallest`; 0: the state knows no entities */
    int64_t entities_below;  /* likewise, classes_below */
} kanon_audit;

/* `k` 0: the state's joint_k, or its k where that is off. */
KANON_API kanon_status kanon_state_audit(kanon_audit **out, kanon_state *state, int64_t k, kanon_error *err);
KANON_API void kanon_audit_free(kanon_audit *audit);

/* ---- taxonomies -------------------------------------------------------------------------------------------------- */

/* A taxonomy as a document: made from the values of a column, checked, counted, and written in another form. */
typedef struct kanon_taxonomy kanon_taxonomy;

typedef enum kanon_taxonomy_form {
    KANON_TAXONOMY_AUTO = 0, /* by the ending of the name: .txt, .yaml, .json, else CSV; a CSV of parents by its header */
    KANON_TAXONOMY_CSV,      /* as ARX writes it: one line per value, value;parent;...;root */
    KANON_TAXONOMY_INDENTED, /* one name per line, two spaces more for each level */
    KANON_TAXONOMY_YAML,     /* a mapping of mappings, as schemas have it inline */
    KANON_TAXONOMY_PARENTS,  /* CSV with the header node,parent; the root has an empty parent */
    KANON_TAXONOMY_JSON      /* {"name": ..., "children": [...]} */
} kanon_taxonomy_form;

/* KANON_EDATA names the line of what is wrong. */
KANON_API kanon_status kanon_taxonomy_read(kanon_taxonomy **out, const kanon_input *input, kanon_taxonomy_form form,
                                           const kanon_context *context, kanon_error *err);
/* Write it; KANON_TAXONOMY_AUTO goes by the name of the output. */
KANON_API kanon_status kanon_taxonomy_write(const kanon_taxonomy *taxonomy, const kanon_output *output,
                                            kanon_taxonomy_form form, kanon_error *err);
KANON_API void kanon_taxonomy_free(kanon_taxonomy *taxonomy);

/* A column of a table. */
typedef struct kanon_column_options {
    size_t struct_size; /* sizeof(kanon_column_options) */
    const char *column;
    const char *const *missing; /* texts that mean "no value", in addition to the empty one; no taxonomy needs them */
    size_t n_missing;
    int empty_is_value;         /* the empty text does not mean "no value" */
    const kanon_schema *schema; /* what it says means "no value", `missing` in addition; NULL: none */
} kanon_column_options;

typedef enum kanon_taxonomy_method {
    KANON_TAXONOMY_BANDS = 0, /* numbers; levels: widths, each a multiple of the one before: "5,20" */
    KANON_TAXONOMY_FREQUENCY, /* numbers; levels: how many bands of about as many records each, falling: "16,4" */
    KANON_TAXONOMY_DATES,     /* dates; levels: some of month, quarter, year, decade, in this order: "month,year" */
    KANON_TAXONOMY_MASK,      /* one character per level; levels: "right" or "left" */
    KANON_TAXONOMY_PREFIXES,  /* levels: lengths in characters, falling: "3,1" */
    KANON_TAXONOMY_RARE       /* levels: values of fewer records than this are put below a node "other": "10" */
} kanon_taxonomy_method;

/* Make a taxonomy from the values of a column of a table; the root is "*". */
KANON_API kanon_status kanon_taxonomy_build(kanon_taxonomy **out, const kanon_input *table,
                                            const kanon_column_options *options, kanon_taxonomy_method method,
                                            const char *levels, const kanon_context *context, kanon_error *err);
/* Count the records of a table that each node stands for. *unknown becomes the number of records whose value is no leaf and
 * not missing. */
KANON_API kanon_status kanon_taxonomy_count(kanon_taxonomy *taxonomy, const kanon_input *table,
                                            const kanon_column_options *options, int64_t *unknown, kanon_error *err);

typedef struct kanon_taxonomy_node {
    size_t struct_size; /* sizeof(kanon_taxonomy_node), set by the caller */
    const char *name;
    int32_t parent, depth; /* -1 and 0 of the root */
    int32_t children, leaves;
    int64_t records; /* -1: not counted */
} kanon_taxonomy_node;

/* Nodes come depth first, each before its children; the root is node 0. */
KANON_API int32_t kanon_taxonomy_nodes(const kanon_taxonomy *taxonomy);
KANON_API kanon_status kanon_taxonomy_get(kanon_taxonomy_node *out, const kanon_taxonomy *taxonomy, int32_t node,
                                          kanon_error *err);

/* What the linter found, one entry for each kind. No entry holds a value of the table. */
typedef struct kanon_taxonomy_finding {
    const char *name;     /* such as "two-parents" */
    const char *sentence; /* what it means, and what to do */
    int64_t count;
    int64_t line; /* the first one; of the taxonomy, or of the table where `in_table` */
    int in_table;
    int is_error; /* the taxonomy cannot be used with this; else it is only worth a look */
} kanon_taxonomy_finding;

typedef struct kanon_taxonomy_check {
    size_t n;
    const kanon_taxonomy_finding *const *findings;
    int64_t lines, leaves; /* of the taxonomy */
    int errors;            /* how many findings are errors */
} kanon_taxonomy_check;

/* Check a taxonomy, and where `table` is not NULL whether it has all values of the column. Every line of a CSV is looked at,
 * whatever is wrong with the others; other forms must be sound. */
KANON_API kanon_status kanon_taxonomy_check_read(kanon_taxonomy_check **out, const kanon_input *input,
                                                 kanon_taxonomy_form form, const kanon_input *table,
                                                 const kanon_column_options *options, const kanon_context *context,
                                                 kanon_error *err);
KANON_API void kanon_taxonomy_check_free(kanon_taxonomy_check *check);

#ifdef __cplusplus
}
#endif
#endif
