/* What the files of the extension share: a run and what it owns, errors, columns, streams of rows, and the writer of
 * releases.
 *
 * The extension translates and decides nothing. PostgreSQL leaves a function from any line that may ereport (longjmp),
 * so two rules hold everywhere. What the library or malloc made belongs to a run, whose memory context frees it. And no
 * error of the server jumps over a frame of the library: rows are read before the library is called, releases are written
 * after it has returned, and its tick reads two flags and writes progress, which cannot fail. One callback may raise, that
 * which reads pages of a state: it catches the error, fails, and the error is raised when the library has returned. */
#ifndef KANON_POSTGRES_HOST_H
#define KANON_POSTGRES_HOST_H

/* clang-format off */
#include "postgres.h"
#undef PGDLLEXPORT /* everything else is hidden, and before version 16 the server does not say so itself */
#define PGDLLEXPORT __attribute__((visibility("default")))
#include "fmgr.h"
/* clang-format on */
/* A function that SQL calls, and that is seen outside. */
#define SQL_FUNCTION(name)                                                                                                  \
    extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS);                                                                        \
    PG_FUNCTION_INFO_V1(name)

#include "access/tupdesc.h"
#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "utils/palloc.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include <kanon.h>
#include <kanon_arrow.h>

/* ---- status.c: errors of the library as errors of the server ---- */

/* Raises what a call of the library failed with, or the interrupt that stopped it. */
extern void raise_failure(const kanon_error *err) pg_attribute_noreturn();
extern void check(kanon_status status, const kanon_error *err);
/* In PG_CATCH of a callback of the library: keeps the error in `context` until the library has returned, which fails then,
 * and `check` raises it. */
extern void keep_error(MemoryContext context);
extern void forget_error(void);
/* Text of the server as UTF-8, and the other way round; the result is in the current context, or the text itself. */
extern char *to_utf8(const char *text);
extern char *from_utf8(const char *text);

/* ---- run.c: one call, and all that it owns ---- */

typedef struct frame frame;
typedef struct pages pages; /* state.c */

typedef struct run {
    MemoryContext context; /* deleting it frees everything below */
    MemoryContextCallback callback;
    kanon_context library;
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
    kanon_measures *measures;
    kanon_check *found;
    kanon_state *state;
    pages *pages;
    kanon_state_storage storage;
    kanon_audit *audit;
    struct ArrowArrayStream release;
    struct ArrowArray batch;
    struct ArrowSchema batch_schema;
    StringInfoData bytes; /* of malloc: what the library wrote to a sink */
    frame *frames;        /* rows that were read and are not yet the library's */
    int save_nest;
    Oid save_user;
    int save_security;
    bool switched;
} run;

/* A run in a context of its own below the current one; names are looked up in pg_catalog only until it ends. */
extern run *run_begin(void);
extern void run_end(run *r);
/* From here on the rights are those of `owner`, as in REFRESH MATERIALIZED VIEW. */
extern void run_as(run *r, Oid owner);
extern void run_as_caller(run *r);
/* Texts have one style until AtEOXact_GUC of the level that this returns, and names mean the same. */
extern int run_style(void);
/* Bytes that a run may use: maintenance_work_mem. */
extern int64_t run_memory(void);
extern int run_threads(void);
extern int run_tick(const kanon_progress *progress, void *payload);

/* ---- module.c ---- */

extern int kanon_threads;

/* ---- progress.c ---- */

extern void progress_begin(Oid release);
extern void progress_stage(const char *stage, int64_t done, int64_t total);
extern void progress_end(void);

/* ---- definition.c: what kanon.define stored ---- */

typedef enum shown {
    SHOWN_NOT,  /* read, not released */
    SHOWN_KEPT, /* as it is */
    SHOWN_CATEGORY,
    SHOWN_RANGE,
    SHOWN_COLUMNS, /* NAME_min and NAME_max */
    SHOWN_TEXT,
    SHOWN_MEAN
} shown;

typedef enum reading {
    READ_TEXT,
    READ_BOOL,
    READ_INT2,
    READ_INT4,
    READ_INT8,
    READ_FLOAT4,
    READ_FLOAT8,
    READ_DATE,
    READ_TIMESTAMP,
    READ_TIMESTAMPTZ,
    READ_DECIMAL
} reading;

typedef struct column {
    char *name;        /* what the definition calls it; of the server's encoding, as all names are */
    char *source_name; /* what the source calls it now */
    char *released[2]; /* what the release calls it; the second one of NAME_min and NAME_max */
    char *role;
    shown shown;
    reading reading; /* how the library gets it */
    int scale;       /* of READ_DECIMAL */
    bool exclusive;  /* decimals in bands: the upper end is not in them */
    bool is_ordinal;
    Oid base;        /* type in the source, below domains */
    Oid type;        /* in the release */
    int32 typmod;
} column;

/* When a refresh computes every measure and a report: as the definition says, else up to REPORT_RECORDS records. */
typedef enum report_when { REPORT_UNSAID, REPORT_ALWAYS, REPORT_NEVER } report_when;
enum { REPORT_RECORDS = 100000 };

typedef struct definition {
    char id[40];
    Oid release, source, owner;
    Datum settings; /* as they are kept */
    char *source_name; /* qualified */
    int n_columns;
    column *columns;
    kanon_options options;
    kanon_numeric numeric;
    bool shuffle;
    uint64_t shuffle_seed;
    report_when report;
    int n_key;
    const column **key;
    int64_t k, joint_k; /* joint_k 0: joint classes are not looked at */
    bool incremental;
    bool released; /* a state was made since the definition, or since kanon.restart */
    bool has_taxonomy; /* somebody said what values there are */
} definition;

/* The definition of a release; raises where there is none that the caller owns. Then the run has its owner's rights. */
extern definition *definition_open(run *r, Oid release);
/* Whoever waited for the release may find that its definition is another one: raises. Else what the snapshot shows
 * counts. */
extern void definition_still(definition *d);
/* Reads the settings of a definition whose source is set: columns, options, and the schema of the run. */
extern void definition_load(run *r, definition *d, Datum settings);
extern char *release_name(Oid release);

/* ---- source.c: rows of a query as an Arrow stream ---- */

typedef struct reader_column {
    const char *name; /* UTF-8 */
    reading reading;
    int scale;
    bool range; /* the column is a range; it becomes NAME_min and NAME_max */
    bool exclusive;
} reader_column;

/* Runs the query with the active snapshot and keeps its rows. */
extern frame *frame_read(run *r, const char *query, const reader_column *columns, int n);
/* A stream of its rows; the stream has a reference of its own. */
extern void frame_stream(struct ArrowArrayStream *out, frame *f);
extern void frame_drop(frame *f);
extern int64_t frame_rows(const frame *f);

/* Source and release of a definition. `where` is appended to the query, or NULL. */
extern frame *read_source(run *r, definition *d, const char *where);
/* `with_own`: also the columns that somebody has added. */
extern frame *read_release(run *r, definition *d, Snapshot snapshot, bool with_own);

/* ---- fingerprint.c: whether two streams hold the same rows ---- */

typedef struct fingerprint {
    uint64 key[2];
    uint64 sum[2];
    int64_t rows;
    bool empty_is_null; /* a state keeps NULL as an empty text */
} fingerprint;

extern void fingerprint_init(fingerprint *f, const definition *d);
/* One more row. */
extern void fingerprint_row(fingerprint *f, const struct ArrowSchema *schema, const struct ArrowArray *batch, int64_t row);
extern void fingerprint_batch(fingerprint *f, const struct ArrowSchema *schema, const struct ArrowArray *batch);
extern bool fingerprint_equal(const fingerprint *a, const fingerprint *b);

/* ---- arrow_read.c: cells of Arrow arrays ---- */

typedef struct cell {
    bool null;
    char kind; /* 'i' whole number, 'g' number, 't' text, 'd' decimal128, 'b' truth value */
    int64_t whole;
    double number;
    __int128 wide;
    const char *text; /* not terminated */
    int length;
} cell;

extern cell arrow_cell(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row);

/* ---- sink.c: a release into its table ---- */

typedef struct sink sink;

extern sink *sink_open(run *r, definition *d);
/* All rows of r->release, which is released then; `sum` gets what they are. */
extern void sink_write(sink *s, run *r, fingerprint *sum);
extern void sink_close(sink *s);

/* ---- refresh.c ---- */

/* What a refresh did. */
typedef struct refreshed {
    const char *kind;
    int64_t records, groups, suppressed, withheld, k;
    double loss, drift; /* NAN: not known */
    char *report;       /* NULL: none */
} refreshed;

extern void run_table(run *r, frame *rows);
extern void run_grouping(run *r, const definition *d);
extern char *run_publish(run *r, kanon_outputs *outputs, const kanon_output **slot, const char *name);
/* The rows of r->release in place of all that the table has, verified. */
extern void write_release(run *r, definition *d);
extern int keep_refresh(const definition *d, const refreshed *f);

/* ---- pages.c: the bytes of a state ---- */

/* Sets r->storage: of a new state, or of the one that there is. */
extern void pages_new(run *r, const definition *d);
extern void pages_open(run *r, const definition *d);
extern void pages_save(run *r, const definition *d);
extern void pages_close(pages *p);
extern void pages_free(pages *p);

/* ---- source_sum.c: whether all changes of a source were noted ---- */

typedef struct summed_column {
    int number; /* of the attribute */
    bool is_text, by_value;
    int16 length;
    Oid output;
} summed_column;

typedef struct source_sum {
    int64_t rows;
    uint64 sum;
} source_sum;

extern void summed_column_init(summed_column *c, TupleDesc shape, int number);
/* Texts are those of the styles that run_style sets. */
extern uint64 sum_of_row(const summed_column *columns, int n, TupleDesc shape, HeapTuple row);
extern source_sum source_sum_now(const definition *d);
extern source_sum source_sum_check(const definition *d);
extern void source_sum_keep(const definition *d, source_sum sum);

/* ---- state.c: refresh by change ---- */

/* A hint for ereport: how the release begins anew. */
extern int hint_anew(const definition *d);

extern bool state_exists(const definition *d);
/* The triggers that note changes fire. */
extern void state_mend(const definition *d);
/* The state of a release that was just grouped anew. */
extern void state_begin(run *r, definition *d);
extern void state_refresh(run *r, definition *d, refreshed *out);

#endif
