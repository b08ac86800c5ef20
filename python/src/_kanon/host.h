/* What the files of the extension share: handles, errors, the ticker, and how Python values become options.
 *
 * The extension translates and decides nothing. Objects of the library are capsules with a name each; the package around
 * them has the classes. A function that can take long releases the GIL and is given a ticker, through which another thread
 * sees how far it is and stops it. */
#ifndef PYKANON_HOST_H
#define PYKANON_HOST_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <kanon.h>
#include <kanon_arrow.h>
#include <kanon_blocks.h>
#include <kanon_host.h>

/* ---- handles.c ---- */

#define SCHEMA "pykanon.schema"
#define TABLE "pykanon.table"
#define GROUPING "pykanon.grouping"
#define STATE "pykanon.state"
#define TICKER "pykanon.ticker"
#define PIECE "pykanon.piece"
#define TAXONOMY "pykanon.taxonomy"

/* A new capsule that owns `object` and frees it; on failure the object is freed. `keeps`, unless NULL, lives as long. */
PyObject *handle_new(void *object, const char *name, PyObject *keeps);
/* The object of a capsule; NULL: another kind of object or another process's state, the exception is set. */
void *handle_get(PyObject *capsule, const char *name);
PyObject *live_objects(PyObject *module, PyObject *none);

/* ---- errors.c ---- */

/* Raises what pykanon.errors makes of a failed call; always NULL. */
PyObject *raise_failure(const kanon_error *err);

/* ---- ticker.c ---- */

typedef struct ticker ticker;
int ticker_tick(const kanon_progress *progress, void *payload);
void ticker_free(void *object);
PyObject *ticker_new(PyObject *module, PyObject *none);
PyObject *ticker_read(PyObject *module, PyObject *capsule);
PyObject *ticker_stop(PyObject *module, PyObject *args);
PyObject *ticker_reset(PyObject *module, PyObject *capsule);

/* ---- values.c ---- */

/* "name=value" pairs of a dict of texts. settings_free releases them. */
typedef struct settings {
    kanon_setting *at;
    size_t n;
} settings;
int settings_of(settings *out, PyObject *dict); /* 0, or -1 with the exception set; None: no settings */
void settings_free(settings *s);

/* Grows by what a sink gets. */
typedef struct byte_sink {
    char *bytes;
    size_t n, room;
    kanon_sink sink;
} byte_sink;
void byte_sink_init(byte_sink *out, const char *name);
PyObject *byte_sink_take(byte_sink *s); /* bytes; the sink is empty then */
void byte_sink_free(byte_sink *s);

/* A text of the library: names of columns in it may have been cut, or not be UTF-8 at all. */
PyObject *text_of(const char *text);
/* A list of the texts of notices, those that are notes or all others; `at` gives the i-th, NULL past the last. */
typedef const kanon_notice *notice_at(const void *object, size_t i);
PyObject *notices_of(notice_at *at, const void *object, int notes);
int private_notices(notice_at *at, const void *object); /* how many, the first ones, are about privacy */
PyObject *text_list(const char *const *texts, size_t n);
/* [(name, heading, mark, sentence, asked)] */
PyObject *verdict_rows(const kanon_verdict *verdict);
PyObject *figure_list(const kanon_figure *const *figures, size_t n);
/* Moves the stream out of a capsule "arrow_array_stream": 0, or -1 with the exception set. */
int stream_take(struct ArrowArrayStream *out, PyObject *capsule);
/* What is read: a str (a location), bytes or a capsule of a stream, which is moved. `stream` has room for it. 0, or -1
 * with the exception set. The texts live as long as `given`. */
int input_of(kanon_input *out, struct ArrowArrayStream *stream, PyObject *given, const char *name);
/* A capsule "arrow_array_stream" that owns the stream; NULL: it is released, the exception is set. */
PyObject *stream_give(struct ArrowArrayStream *stream);

/* ---- grouping.c ---- */

/* The options of a run, from keywords: k, algorithm, settings, seed, threads and so on; they stay alive with the keywords.
 * 0, or -1 with the exception set. `t` may be NULL. */
typedef struct run_options {
    kanon_options o;
    settings of_algorithm, of_refinement, said;
    PyObject *texts; /* what `said` points to */
} run_options;
int run_options_of(run_options *out, PyObject *keywords, ticker *t);
void run_options_free(run_options *options);
PyObject *measures_list(const kanon_measures *measures);

/* ---- the functions of the module, by file ---- */

PyObject *schema_new(PyObject *module, PyObject *args);
PyObject *schema_set(PyObject *module, PyObject *args);
PyObject *schema_get(PyObject *module, PyObject *args);
PyObject *table_import(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *table_describe(PyObject *module, PyObject *capsule);
PyObject *anonymize(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *grouping_describe(PyObject *module, PyObject *capsule);
PyObject *grouping_rows(PyObject *module, PyObject *capsule);
PyObject *grouping_new(PyObject *module, PyObject *args);
PyObject *grouping_from_release(PyObject *module, PyObject *args);
PyObject *advise(PyObject *module, PyObject *args);
PyObject *verdict(PyObject *module, PyObject *args);
PyObject *evaluate(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *evaluate_release(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *release(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *publish(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *check(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *bound(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *certificate_check(PyObject *module, PyObject *args);
PyObject *tradeoff(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *profile(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *propose(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *catalogue(PyObject *module, PyObject *none);
PyObject *state_create(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *state_open(PyObject *module, PyObject *args);
PyObject *state_change(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *state_release(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *state_describe(PyObject *module, PyObject *capsule);
PyObject *state_audit(PyObject *module, PyObject *args);
PyObject *taxonomy_read(PyObject *module, PyObject *args);
PyObject *taxonomy_build(PyObject *module, PyObject *args);
PyObject *taxonomy_count(PyObject *module, PyObject *args);
PyObject *taxonomy_nodes(PyObject *module, PyObject *capsule);
PyObject *taxonomy_write(PyObject *module, PyObject *args);
PyObject *taxonomy_check(PyObject *module, PyObject *args);
PyObject *blocks_allow(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *domain_read(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *domain_seal(PyObject *module, PyObject *args);
PyObject *domain_describe(PyObject *module, PyObject *capsule);
PyObject *cuts_new(PyObject *module, PyObject *args);
PyObject *cuts_describe(PyObject *module, PyObject *capsule);
PyObject *cuts_count(PyObject *module, PyObject *args);
PyObject *cuts_next(PyObject *module, PyObject *args);
PyObject *cuts_block_of(PyObject *module, PyObject *args);
PyObject *block_memory(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *block_group(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *block_groups_new(PyObject *module, PyObject *args);
PyObject *rest_new(PyObject *module, PyObject *capsule);
PyObject *rest_offer(PyObject *module, PyObject *args);
PyObject *rest_place(PyObject *module, PyObject *args);
PyObject *rest_describe(PyObject *module, PyObject *capsule);
PyObject *tally_new(PyObject *module, PyObject *args);
PyObject *tally_measures(PyObject *module, PyObject *args);
PyObject *tally_verdict(PyObject *module, PyObject *args);
PyObject *piece_write(PyObject *module, PyObject *capsule);
PyObject *piece_read(PyObject *module, PyObject *args);
PyObject *piece_merge(PyObject *module, PyObject *args);

/* How a call that takes long is made: the GIL is not held. */
#define WITHOUT_GIL(call)                                                                                                   \
    do {                                                                                                                    \
        Py_BEGIN_ALLOW_THREADS call;                                                                                        \
        Py_END_ALLOW_THREADS                                                                                                \
    } while (0)

#endif
