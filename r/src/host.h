/* What the files of the package share: handles, errors, long calls, and how R values become options.
 *
 * The package translates and decides nothing. Objects of the library are external pointers with a finalizer. R may leave a
 * function from any line that allocates (longjmp), so what C owns at such a line belongs to a handle. Work that takes long
 * runs on a thread of its own, which touches nothing of R, while the main thread waits and looks for interrupts. */
#ifndef KANON_R_HOST_H
#define KANON_R_HOST_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include <pthread.h>
#include <stdint.h>

#include <kanon.h>
#include <kanon_arrow.h>

/* ---- handles.c ---- */

typedef struct kind {
    const char *name;
    void (*free)(void *object);
} kind;
extern const kind SCHEMA, TABLE, GROUPING, STATE, STREAM, BATCHES, RESULT;

/* An empty handle, to be protected by the caller: made before the object is, because making it may jump. */
SEXP handle_new(const kind *of);
/* The handle owns the object from now on. */
void handle_set(SEXP handle, void *object);
/* The object of a handle; raises a usage error where it is another kind of thing, was freed, or was saved and loaded. */
void *handle_get(SEXP handle, const kind *of);
/* Frees the object now; the handle is empty then. */
void handle_clear(SEXP handle);
/* A handle for what a call of the library gives and R copies: made before the call, cleared after the copy. */
typedef struct result {
    void *object;
    void (*free)(void *object);
} result;
SEXP result_new(void (*free_object)(void *object));
void result_keep(SEXP handle, void *object);

/* ---- errors.c ---- */

/* Signals the condition of a failed call, an interrupt where it was cancelled. Jumps: nothing of C may be on the stack. */
void raise_failure(const kanon_error *err) __attribute__((noreturn));
void raise_usage(const char *message, const char *hint) __attribute__((noreturn));
kanon_status fail(kanon_error *err, kanon_status status, const char *message);

/* ---- run.c ---- */

/* What the tick of the library leaves for the main thread, and the other way round. */
typedef struct ticker {
    pthread_mutex_t lock;
    int answer; /* 0: go on; else stop */
    char stage[64], detail[128];
    int64_t done, total;
} ticker;
void ticker_init(ticker *out);
int ticker_tick(const kanon_progress *progress, void *payload);

typedef kanon_status (*work_function)(void *arguments, kanon_error *err);
/* work(arguments) on a thread of its own. KANON_ECANCELLED: an interrupt came, also where the work was done nevertheless;
 * the caller frees what it made. `show`: progress on standard error. */
kanon_status run(work_function work, void *arguments, ticker *t, int show, kanon_error *err);

/* ---- values.c ---- */

SEXP item(SEXP list, const char *name);                   /* R_NilValue where there is none */
const char *item_text(SEXP list, const char *name);       /* UTF-8, as long as the call; NULL where there is none */
double item_number(SEXP list, const char *name);          /* 0 where there is none */
int64_t item_whole(SEXP list, const char *name);
const char *text_of(SEXP value);                          /* of a character vector of length one; NULL of NULL */
const char *path_of(SEXP value);                          /* a path, with ~ expanded */
kanon_setting *settings_of(SEXP named, size_t *n);        /* of a named character vector; as long as the call */
SEXP utf8(const char *text);                              /* a CHARSXP; NA of NULL */
SEXP text_vector(const char *const *texts, size_t n);
typedef const kanon_notice *notice_at(const void *object, size_t i); /* NULL past the last */
SEXP notices_of(notice_at *at, const void *object, int notes); /* the texts of those that are notes, or of all others */
SEXP private_notices(notice_at *at, const void *object);       /* how many, the first ones, are about privacy */
SEXP figure_frame(const kanon_figure *const *figures, size_t n); /* list of name, column, value, formula */
/* The rows of a verdict, as the columns of a data frame. */
SEXP verdict_frame(const kanon_verdict *verdict);
SEXP measure_frame(const kanon_measures *measures);             /* likewise */
/* list_new("a", "b", NULL): a named list to be filled by SET_VECTOR_ELT. */
SEXP list_new(const char *first, ...);

typedef struct byte_sink {
    char *bytes;
    size_t n, room;
    kanon_sink sink;
} byte_sink;
byte_sink *byte_sink_new(const char *name);
void byte_sink_free(void *sink);
SEXP byte_sink_raw(const byte_sink *s);

/* ---- table.c ---- */

/* Where a stream is foreign: it is read on the main thread, and the tick that comes there looks for interrupts. */
void take_on_main(int foreign, kanon_tick *tick, const kanon_context **context);

/* ---- frame_in.c, frame_out.c ---- */

/* Moves the stream out of a handle of ours, or out of an external pointer of nanoarrow; *foreign: it may call R when it is
 * read, and must be read on the main thread. */
void stream_take(struct ArrowArrayStream *out, SEXP handle, int *foreign);
void stream_free(void *stream);
/* A handle with an empty stream, which is filled in place. */
SEXP batches_new(void);
struct ArrowArrayStream *batches_stream(SEXP handle);
/* The columns of the stream in such a handle as R vectors, in a named list; the handle is empty then. `whole`: names of
 * columns that become integer64. */
SEXP frame_of(SEXP handle, SEXP whole);
void batches_free(void *batches);

/* ---- state.c ---- */

void state_free(void *state);

/* ---- .Call ---- */

SEXP r_live(void);
SEXP r_about(void);
SEXP r_catalogue(void);
SEXP r_frame_stream(SEXP columns, SEXP rows);
SEXP r_stream_frame(SEXP stream, SEXP whole);
SEXP r_stream_new(void);
SEXP r_schema_new(SEXP path, SEXP text);
SEXP r_schema_get(SEXP schema, SEXP name, SEXP column);
SEXP r_schema_set(SEXP schema, SEXP name, SEXP column, SEXP value);
SEXP r_propose(SEXP stream, SEXP options);
SEXP r_profile(SEXP table, SEXP options);
SEXP r_table_import(SEXP schema, SEXP stream, SEXP options);
SEXP r_table_describe(SEXP table);
SEXP r_anonymise(SEXP table, SEXP options);
SEXP r_grouping_new(SEXP table, SEXP numbers);
SEXP r_grouping_from_release(SEXP table, SEXP schema, SEXP path);
SEXP r_grouping_describe(SEXP grouping);
SEXP r_grouping_rows(SEXP grouping);
SEXP r_evaluate(SEXP table, SEXP grouping, SEXP options);
SEXP r_evaluate_release(SEXP table, SEXP schema, SEXP release, SEXP options);
SEXP r_advise(SEXP table, SEXP grouping);
SEXP r_verdict(SEXP table, SEXP grouping, SEXP options);
SEXP r_release(SEXP table, SEXP grouping, SEXP options);
SEXP r_publish(SEXP table, SEXP grouping, SEXP options);
SEXP r_check(SEXP schema, SEXP stream, SEXP options);
SEXP r_bound(SEXP table, SEXP options);
SEXP r_certificate_check(SEXP table, SEXP options);
SEXP r_taxonomy_build(SEXP values, SEXP method, SEXP levels);
SEXP r_taxonomy_check(SEXP path, SEXP values);
SEXP r_tradeoff(SEXP table, SEXP options);
SEXP r_state_create(SEXP table, SEXP schema, SEXP grouping, SEXP options);
SEXP r_state_open(SEXP options);
SEXP r_state_close(SEXP state);
SEXP r_state_change(SEXP state, SEXP stream, SEXP options);
SEXP r_state_release(SEXP state, SEXP options);
SEXP r_state_describe(SEXP state);
SEXP r_state_audit(SEXP state, SEXP k);

#endif
