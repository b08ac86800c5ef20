/* Groupings: made, described, evaluated and released. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

/* ---- making one ---- */

typedef struct grouping_work {
    kanon_grouping *grouping;
    const kanon_table *table;
    kanon_options options;
} grouping_work;

static kanon_status do_anonymise(void *arguments, kanon_error *err)
{
    grouping_work *w = arguments;
    return kanon_anonymize(&w->grouping, w->table, &w->options, err);
}

SEXP r_anonymise(SEXP table, SEXP options)
{
    SEXP handle = PROTECT(handle_new(&GROUPING));
    ticker t;
    ticker_init(&t);
    grouping_work w = {.table = handle_get(table, &TABLE)};
    kanon_options *o = &w.options;
    o->struct_size = sizeof *o;
    o->k = item_whole(options, "k");
    o->algorithm = item_text(options, "algorithm");
    o->settings = settings_of(item(options, "settings"), &o->n_settings);
    o->seed = (uint64_t)item_whole(options, "seed");
    o->threads = (int)item_whole(options, "threads");
    o->refine = item_text(options, "refine");
    o->refine_settings = settings_of(item(options, "refine_settings"), &o->n_refine_settings);
    o->blocks = item_whole(options, "blocks");
    o->memory = item_whole(options, "memory");
    o->effort = item_text(options, "effort");
    o->recode = item_whole(options, "by_attribute") ? KANON_RECODE_ATTRIBUTE : KANON_RECODE_RECORD;
    o->suppress = item_text(options, "suppress");
    o->start = Rf_isNull(item(options, "start")) ? NULL : handle_get(item(options, "start"), &GROUPING);
    o->repair = item_whole(options, "repair") != 0;
    o->tick = ticker_tick;
    o->payload = &t;
    kanon_error err = KANON_INIT(kanon_error);
    if (run(do_anonymise, &w, &t, (int)item_whole(options, "progress"), &err) != KANON_OK) {
        kanon_grouping_free(w.grouping);
        raise_failure(&err);
    }
    handle_set(handle, w.grouping);
    UNPROTECT(1);
    return handle;
}

/* The groups that are given, a number for each row. */
SEXP r_grouping_new(SEXP table, SEXP numbers)
{
    SEXP handle = PROTECT(handle_new(&GROUPING));
    const kanon_table *of = handle_get(table, &TABLE);
    R_xlen_t n = Rf_xlength(numbers);
    if (TYPEOF(numbers) != REALSXP || (int64_t)n != kanon_table_rows(of))
        raise_usage("groups has a whole number for each record", "0 is a suppressed record");
    int64_t *group_of = (int64_t *)R_alloc((size_t)n + 1, sizeof *group_of);
    for (R_xlen_t i = 0; i < n; i++) {
        double number = REAL(numbers)[i];
        if (!(number >= 0 && number <= 9007199254740992.0) || number != (double)(int64_t)number)
            raise_usage("groups has a whole number for each record", "0 is a suppressed record");
        group_of[i] = (int64_t)number;
    }
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    if (kanon_grouping_new(&grouping, of, group_of, &err) != KANON_OK)
        raise_failure(&err);
    handle_set(handle, grouping);
    UNPROTECT(1);
    return handle;
}

/* The groups of a release in a file: records that look alike there. */
SEXP r_grouping_from_release(SEXP table, SEXP schema, SEXP path)
{
    SEXP handle = PROTECT(handle_new(&GROUPING));
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    if (kanon_grouping_from_release(&grouping, handle_get(table, &TABLE), KANON_PATH(path_of(path)),
                                    handle_get(schema, &SCHEMA), &err) != KANON_OK)
        raise_failure(&err);
    handle_set(handle, grouping);
    UNPROTECT(1);
    return handle;
}

/* ---- what it is ---- */

static const kanon_notice *grouping_notice(const void *grouping, size_t i)
{
    return kanon_grouping_notice_at(grouping, i);
}

SEXP r_grouping_describe(SEXP handle)
{
    const kanon_grouping *g = handle_get(handle, &GROUPING);
    SEXP list = PROTECT(list_new("records", "groups", "suppressed", "k", "algorithm", "warnings", "notes", "privacy", NULL));
    const kanon_grouping_info *made = kanon_grouping_describe(g);
    SET_VECTOR_ELT(list, 0, Rf_ScalarReal((double)made->rows));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal((double)made->groups));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal((double)made->suppressed));
    SET_VECTOR_ELT(list, 3, Rf_ScalarReal((double)made->smallest));
    SET_VECTOR_ELT(list, 4, Rf_ScalarString(utf8(made->algorithm)));
    SET_VECTOR_ELT(list, 5, notices_of(grouping_notice, g, 0));
    SET_VECTOR_ELT(list, 6, notices_of(grouping_notice, g, 1));
    SET_VECTOR_ELT(list, 7, private_notices(grouping_notice, g));
    UNPROTECT(1);
    return list;
}

SEXP r_grouping_rows(SEXP handle)
{
    const kanon_grouping *g = handle_get(handle, &GROUPING);
    int64_t rows = kanon_grouping_describe(g)->rows;
    int small = kanon_grouping_describe(g)->groups <= INT32_MAX;
    SEXP vector = Rf_allocVector(small ? INTSXP : REALSXP, (R_xlen_t)rows);
    for (int64_t row = 0; row < rows; row++) {
        if (small)
            INTEGER(vector)[row] = (int)kanon_grouping_group_of(g, row);
        else
            REAL(vector)[row] = (double)kanon_grouping_group_of(g, row);
    }
    return vector;
}

/* ---- measures ---- */

typedef struct evaluation {
    kanon_measures *measures;
    const kanon_table *table;
    const kanon_grouping *grouping;
    kanon_evaluate_options options;
} evaluation;

static kanon_status do_evaluate(void *arguments, kanon_error *err)
{
    evaluation *w = arguments;
    return kanon_evaluate(&w->measures, w->table, w->grouping, &w->options, err);
}

static void free_measures(void *measures)
{
    kanon_measures_free(measures);
}

SEXP r_evaluate(SEXP table, SEXP grouping, SEXP options)
{
    SEXP owner = PROTECT(result_new(free_measures));
    ticker t;
    ticker_init(&t);
    evaluation w = {.table = handle_get(table, &TABLE), .grouping = handle_get(grouping, &GROUPING)};
    w.options = (kanon_evaluate_options){.struct_size = sizeof w.options,
                                         .threads = (int)item_whole(options, "threads"),
                                         .brief = (int)item_whole(options, "brief"),
                                         .tick = ticker_tick,
                                         .payload = &t};
    w.options.settings = settings_of(item(options, "settings"), &w.options.n_settings);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = run(do_evaluate, &w, &t, (int)item_whole(options, "progress"), &err);
    result_keep(owner, w.measures);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    SEXP list = PROTECT(measure_frame(w.measures));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}

/* ---- advice ---- */

typedef struct advising {
    kanon_advice *advice;
    const kanon_table *table;
    const kanon_grouping *grouping;
} advising;

static kanon_status do_advise(void *arguments, kanon_error *err)
{
    advising *w = arguments;
    return kanon_advise(&w->advice, w->table, w->grouping, err);
}

static void free_advice(void *advice)
{
    kanon_advice_free(advice);
}

SEXP r_advise(SEXP table, SEXP grouping)
{
    SEXP owner = PROTECT(result_new(free_advice));
    ticker t;
    ticker_init(&t);
    advising w = {.table = handle_get(table, &TABLE), .grouping = handle_get(grouping, &GROUPING)};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = run(do_advise, &w, &t, 0, &err);
    result_keep(owner, w.advice);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    R_xlen_t n = 0;
    while (kanon_advice_at(w.advice, (size_t)n) != NULL)
        n++;
    SEXP texts = PROTECT(Rf_allocVector(STRSXP, n));
    for (R_xlen_t i = 0; i < n; i++)
        SET_STRING_ELT(texts, i, utf8(kanon_advice_at(w.advice, (size_t)i)->sentence));
    handle_clear(owner);
    UNPROTECT(2);
    return texts;
}

/* ---- the verdict ---- */

typedef struct judging {
    kanon_verdict *verdict;
    const kanon_table *table;
    const kanon_grouping *grouping;
    kanon_outputs outputs;
} judging;

static kanon_status do_verdict(void *arguments, kanon_error *err)
{
    judging *w = arguments;
    return kanon_verdict_of(&w->verdict, w->table, w->grouping, &w->outputs, err);
}

static void free_verdict(void *verdict)
{
    kanon_verdict_free(verdict);
}

/* The rows for a release in this order. */
SEXP r_verdict(SEXP table, SEXP grouping, SEXP options)
{
    SEXP owner = PROTECT(result_new(free_verdict));
    ticker t;
    ticker_init(&t);
    judging w = {.table = handle_get(table, &TABLE), .grouping = handle_get(grouping, &GROUPING)};
    const kanon_output nowhere = {.struct_size = sizeof nowhere}; /* only that there is a release matters */
    w.outputs = (kanon_outputs){.struct_size = sizeof w.outputs,
                                .release = &nowhere,
                                .shuffle = (int)item_whole(options, "shuffle"),
                                .threads = (int)item_whole(options, "threads")};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = run(do_verdict, &w, &t, 0, &err);
    result_keep(owner, w.verdict);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    SEXP list = PROTECT(verdict_frame(w.verdict));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}

/* ---- releases ---- */

typedef struct releasing {
    struct ArrowArrayStream *stream;
    const kanon_table *table;
    const kanon_grouping *grouping;
    kanon_outputs outputs;
} releasing;

static kanon_status do_release(void *arguments, kanon_error *err)
{
    releasing *w = arguments;
    w->outputs.release = KANON_TO_STREAM(w->stream);
    return kanon_publish(w->table, w->grouping, &w->outputs, err);
}

/* The released columns in a named list; with a stream of nanoarrow in `into`, that is filled instead. */
SEXP r_release(SEXP table, SEXP grouping, SEXP options)
{
    ticker t;
    ticker_init(&t);
    SEXP handle = PROTECT(batches_new()), into = item(options, "into");
    releasing w = {
        .stream = batches_stream(handle), .table = handle_get(table, &TABLE), .grouping = handle_get(grouping, &GROUPING)};
    w.outputs = (kanon_outputs){.struct_size = sizeof w.outputs,
                                .numeric = (kanon_numeric)item_whole(options, "numeric"),
                                .shuffle = (int)item_whole(options, "shuffle"),
                                .shuffle_seed = (uint64_t)item_whole(options, "shuffle_seed"),
                                .threads = (int)item_whole(options, "threads"),
                                .tick = ticker_tick,
                                .payload = &t};
    kanon_error err = KANON_INIT(kanon_error);
    if (run(do_release, &w, &t, (int)item_whole(options, "progress"), &err) != KANON_OK) {
        handle_clear(handle);
        raise_failure(&err);
    }
    SEXP out = into;
    if (Rf_isNull(into)) {
        out = frame_of(handle, item(options, "integer64"));
    } else {
        struct ArrowArrayStream *given = R_ExternalPtrAddr(into);
        if (given == NULL || given->release != NULL)
            raise_usage("the stream that the release goes to is not empty", "");
        *given = *w.stream;
        w.stream->release = NULL;
    }
    UNPROTECT(1);
    return out;
}

/* ---- files ---- */

typedef struct publishing {
    const kanon_table *table;
    const kanon_grouping *grouping;
    kanon_outputs outputs;
    const char *certificate; /* that proves a bound, for the report; NULL: none does */
} publishing;

static kanon_status do_publish(void *arguments, kanon_error *err)
{
    publishing *w = arguments;
    kanon_measures *measures = NULL;
    kanon_status st = KANON_OK;
    const kanon_evaluate_options measuring = {.struct_size = sizeof measuring,
                                              .threads = w->outputs.threads,
                                              .tick = w->outputs.tick,
                                              .payload = w->outputs.payload};
    const kanon_prove_options proving = {.struct_size = sizeof proving,
                                         .threads = w->outputs.threads,
                                         .tick = w->outputs.tick,
                                         .payload = w->outputs.payload};
    if (w->certificate != NULL)
        st = kanon_evaluate(&measures, w->table, w->grouping, &measuring, err);
    if (st == KANON_OK && w->certificate != NULL)
        st = kanon_measures_prove(measures, w->table, w->grouping, KANON_PATH(w->certificate), &proving, err);
    w->outputs.measures = measures;
    if (st == KANON_OK)
        st = kanon_publish(w->table, w->grouping, &w->outputs, err);
    kanon_measures_free(measures);
    return st;
}

/* publish(table, grouping, options): options$what is release, groups, report, report_external or codebook; without
 * options$path the bytes are returned. */
SEXP r_publish(SEXP table, SEXP grouping, SEXP options)
{
    ticker t;
    ticker_init(&t);
    publishing w = {.table = handle_get(table, &TABLE),
                    .grouping = handle_get(grouping, &GROUPING),
                    .certificate = path_of(item(options, "certificate"))};
    kanon_outputs *o = &w.outputs;
    *o = (kanon_outputs){.struct_size = sizeof *o,
                         .numeric = (kanon_numeric)item_whole(options, "numeric"),
                         .shuffle = (int)item_whole(options, "shuffle"),
                         .shuffle_seed = (uint64_t)item_whole(options, "shuffle_seed"),
                         .threads = (int)item_whole(options, "threads"),
                         .tick = ticker_tick,
                         .payload = &t};
    const char *what = item_text(options, "what"), *path = path_of(item(options, "path"));
    int show = (int)item_whole(options, "progress");
    SEXP owner = PROTECT(result_new(byte_sink_free));
    byte_sink *bytes = byte_sink_new("release.csv");
    result_keep(owner, bytes);
    const kanon_output to = {
        .struct_size = sizeof to, .location = path, .sink = path == NULL ? &bytes->sink : NULL};
    *(strcmp(what, "release") == 0    ? &o->release
      : strcmp(what, "groups") == 0   ? &o->groups
      : strcmp(what, "report") == 0   ? &o->report
      : strcmp(what, "codebook") == 0 ? &o->codebook
                                      : &o->report_external) = &to;
    kanon_error err = KANON_INIT(kanon_error);
    if (run(do_publish, &w, &t, show, &err) != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    SEXP out = PROTECT(path == NULL ? byte_sink_raw(bytes) : R_NilValue);
    handle_clear(owner);
    UNPROTECT(2);
    return out;
}
