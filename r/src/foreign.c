/* What others made: releases of any tool, whose loss is measured, and certificates, which are verified. */
#include "host.h"

/* ---- releases ---- */

typedef struct judging {
    kanon_measures *measures;
    const kanon_table *table;
    const kanon_schema *schema;
    const char *path; /* of the release; NULL: the stream counts */
    struct ArrowArrayStream stream;
    kanon_evaluate_options options;
} judging;

static kanon_status do_judge(void *arguments, kanon_error *err)
{
    judging *w = arguments;
    const kanon_input *release = w->path != NULL ? KANON_PATH(w->path) : KANON_STREAM(&w->stream);
    return kanon_evaluate_release(&w->measures, w->table, release, w->schema, &w->options, err);
}

static void free_measures(void *measures)
{
    kanon_measures_free(measures);
}

/* evaluate_release(table, schema, release, options): `release` is a path or a stream. */
SEXP r_evaluate_release(SEXP table, SEXP schema, SEXP release, SEXP options)
{
    SEXP owner = PROTECT(result_new(free_measures));
    ticker t;
    ticker_init(&t);
    judging w = {.table = handle_get(table, &TABLE), .schema = handle_get(schema, &SCHEMA)};
    w.options = (kanon_evaluate_options){.struct_size = sizeof w.options,
                                         .k = item_whole(options, "k"),
                                         .threads = (int)item_whole(options, "threads"),
                                         .tick = ticker_tick,
                                         .payload = &t};
    w.options.settings = settings_of(item(options, "settings"), &w.options.n_settings);
    int foreign = 0, show = (int)item_whole(options, "progress");
    kanon_error err = KANON_INIT(kanon_error);
    if (TYPEOF(release) == STRSXP)
        w.path = path_of(release);
    else
        stream_take(&w.stream, release, &foreign);
    /* a foreign stream is read here; the tick may come on any thread, so it asks R nothing */
    kanon_status st = foreign ? do_judge(&w, &err) : run(do_judge, &w, &t, show, &err);
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

/* ---- certificates ---- */

typedef struct verifying {
    kanon_certificate found;
    const kanon_table *table;
    const char *path;
    kanon_prove_options options;
} verifying;

static kanon_status do_verify(void *arguments, kanon_error *err)
{
    verifying *w = arguments;
    return kanon_certificate_check(&w->found, w->table, KANON_PATH(w->path), &w->options, err);
}

/* certificate_check(table, options): whether the file options$path proves what it says. */
SEXP r_certificate_check(SEXP table, SEXP options)
{
    ticker t;
    ticker_init(&t);
    verifying w = {.found = KANON_INIT(kanon_certificate),
                   .table = handle_get(table, &TABLE),
                   .path = path_of(item(options, "path"))};
    w.options = (kanon_prove_options){.struct_size = sizeof w.options,
                                      .threads = (int)item_whole(options, "threads"),
                                      .tick = ticker_tick,
                                      .payload = &t};
    kanon_error err = KANON_INIT(kanon_error);
    if (run(do_verify, &w, &t, (int)item_whole(options, "progress"), &err) != KANON_OK)
        raise_failure(&err);
    SEXP list = PROTECT(list_new("holds", "records", "k", "lower_bound", "reason", NULL));
    SET_VECTOR_ELT(list, 0, Rf_ScalarLogical(w.found.holds != 0));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal((double)w.found.records));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal((double)w.found.k));
    SET_VECTOR_ELT(list, 3, Rf_ScalarReal(w.found.lower_bound));
    SET_VECTOR_ELT(list, 4, Rf_ScalarString(utf8(w.found.reason)));
    UNPROTECT(1);
    return list;
}
