/* Tables from Arrow streams, and checks of releases, which are streams as well.
 *
 * A stream of a data frame is plain C and is read on the work thread. One of another package may call R when it is read, so
 * the main thread reads it, and the tick that comes on it checks for interrupts. */
#include "host.h"

#include <string.h>

static void check_interrupt(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
}

/* A tick on the main thread: non-zero where an interrupt came. */
static int main_tick(const kanon_progress *progress, void *payload)
{
    (void)progress, (void)payload;
    return !R_ToplevelExec(check_interrupt, NULL);
}

static const kanon_context main_context = {.struct_size = sizeof main_context, .tick_on_caller = 1};

void take_on_main(int foreign, kanon_tick *tick, const kanon_context **context)
{
    if (!foreign)
        return;
    *tick = main_tick;
    *context = &main_context;
}

typedef struct import {
    kanon_table *table;
    struct ArrowArrayStream stream;
    const kanon_schema *schema;
    kanon_read_options options;
} import;

static kanon_status do_import(void *arguments, kanon_error *err)
{
    import *w = arguments;
    return kanon_table_read(&w->table, KANON_STREAM(&w->stream), w->schema, &w->options, err);
}

SEXP r_table_import(SEXP schema, SEXP stream, SEXP options)
{
    SEXP handle = PROTECT(handle_new(&TABLE));
    ticker t;
    ticker_init(&t);
    import w = {.schema = handle_get(schema, &SCHEMA)};
    w.options = (kanon_read_options){.struct_size = sizeof w.options,
                                     .strict = (int)item_whole(options, "strict"),
                                     .memory = item_whole(options, "memory"),
                                     .threads = (int)item_whole(options, "threads"),
                                     .tick = ticker_tick,
                                     .payload = &t};
    int foreign, show = (int)item_whole(options, "progress");
    kanon_error err = KANON_INIT(kanon_error);
    stream_take(&w.stream, stream, &foreign);
    take_on_main(foreign, &w.options.tick, &w.options.context);
    kanon_status st = foreign ? do_import(&w, &err) : run(do_import, &w, &t, show, &err);
    if (st != KANON_OK) {
        kanon_table_free(w.table);
        raise_failure(&err);
    }
    handle_set(handle, w.table);
    UNPROTECT(1);
    return handle;
}

static const kanon_notice *table_notice(const void *table, size_t i)
{
    return kanon_table_notice_at(table, i);
}

SEXP r_table_describe(SEXP handle)
{
    const kanon_table *table = handle_get(handle, &TABLE);
    int n = 0;
    while (kanon_table_column_at(table, (size_t)n) != NULL)
        n++;
    SEXP list = PROTECT(list_new("rows", "name", "role", "type", "warnings", "privacy", NULL));
    SET_VECTOR_ELT(list, 0, Rf_ScalarReal((double)kanon_table_rows(table)));
    for (int j = 1; j <= 3; j++)
        SET_VECTOR_ELT(list, j, Rf_allocVector(STRSXP, n));
    for (int i = 0; i < n; i++) {
        const kanon_table_column *column = kanon_table_column_at(table, (size_t)i);
        SET_STRING_ELT(VECTOR_ELT(list, 1), i, utf8(column->name));
        SET_STRING_ELT(VECTOR_ELT(list, 2), i, utf8(kanon_enum_text(KANON_ENUM_ROLE, column->role)));
        SET_STRING_ELT(VECTOR_ELT(list, 3), i, utf8(kanon_enum_text(KANON_ENUM_TYPE, column->type)));
    }
    SET_VECTOR_ELT(list, 4, notices_of(table_notice, table, 0));
    SET_VECTOR_ELT(list, 5, private_notices(table_notice, table));
    UNPROTECT(1);
    return list;
}

/* ---- checks ---- */

enum { MOST_EARLIER = 64 };

/* The tables that a release is compared with, each a path or a stream, in the order original, population, earlier ones. */
typedef struct checking {
    kanon_check *found;
    kanon_input others[2 + MOST_EARLIER];
    const kanon_input *earlier[MOST_EARLIER];
    struct ArrowArrayStream streams[2 + MOST_EARLIER];
    const char *key[MOST_EARLIER];
    struct ArrowArrayStream stream;
    const kanon_schema *schema;
    kanon_check_options options;
} checking;

static kanon_status do_check(void *arguments, kanon_error *err)
{
    checking *w = arguments;
    return kanon_check_read(&w->found, KANON_STREAM(&w->stream), w->schema, &w->options, err);
}

static void free_check(void *check)
{
    kanon_check_free(check);
}

static SEXP figures_of(const kanon_check *c)
{
    SEXP list = PROTECT(list_new("model", "column", "figure", "value", NULL));
    for (int j = 0; j < 4; j++)
        SET_VECTOR_ELT(list, j, Rf_allocVector(j == 3 ? REALSXP : STRSXP, (R_xlen_t)c->n_figures));
    for (size_t i = 0; i < c->n_figures; i++) {
        SET_STRING_ELT(VECTOR_ELT(list, 0), (R_xlen_t)i, utf8(c->figures[i]->model));
        SET_STRING_ELT(VECTOR_ELT(list, 1), (R_xlen_t)i, utf8(c->figures[i]->attribute));
        SET_STRING_ELT(VECTOR_ELT(list, 2), (R_xlen_t)i, utf8(c->figures[i]->figure));
        REAL(VECTOR_ELT(list, 3))[i] = c->figures[i]->value;
    }
    UNPROTECT(1);
    return list;
}

static SEXP constraints_of(const kanon_check *c)
{
    SEXP list = PROTECT(list_new("requirement", "asked", "reached", "holds", NULL));
    SET_VECTOR_ELT(list, 0, Rf_allocVector(STRSXP, (R_xlen_t)c->n_constraints));
    SET_VECTOR_ELT(list, 1, Rf_allocVector(REALSXP, (R_xlen_t)c->n_constraints));
    SET_VECTOR_ELT(list, 2, Rf_allocVector(REALSXP, (R_xlen_t)c->n_constraints));
    SET_VECTOR_ELT(list, 3, Rf_allocVector(LGLSXP, (R_xlen_t)c->n_constraints));
    for (size_t i = 0; i < c->n_constraints; i++) {
        SET_STRING_ELT(VECTOR_ELT(list, 0), (R_xlen_t)i, utf8(c->constraints[i]->sentence));
        REAL(VECTOR_ELT(list, 1))[i] = c->constraints[i]->asked;
        REAL(VECTOR_ELT(list, 2))[i] = c->constraints[i]->reached;
        LOGICAL(VECTOR_ELT(list, 3))[i] = c->constraints[i]->holds != 0;
    }
    UNPROTECT(1);
    return list;
}

static SEXP findings_list(const kanon_check *c)
{
    SEXP list = PROTECT(list_new("name", "column", "other", "count", "mark", "sentence", NULL));
    for (int j = 0; j < 6; j++)
        SET_VECTOR_ELT(list, j, Rf_allocVector(j == 3 ? REALSXP : STRSXP, (R_xlen_t)c->n_findings));
    for (size_t i = 0; i < c->n_findings; i++) {
        const kanon_finding *f = c->findings[i];
        SET_STRING_ELT(VECTOR_ELT(list, 0), (R_xlen_t)i, utf8(f->name));
        SET_STRING_ELT(VECTOR_ELT(list, 1), (R_xlen_t)i, f->column != NULL ? utf8(f->column) : NA_STRING);
        SET_STRING_ELT(VECTOR_ELT(list, 2), (R_xlen_t)i, f->other != NULL ? utf8(f->other) : NA_STRING);
        REAL(VECTOR_ELT(list, 3))[i] = (double)f->count;
        SET_STRING_ELT(VECTOR_ELT(list, 4), (R_xlen_t)i, utf8(kanon_enum_text(KANON_ENUM_MARK, (int)f->mark)));
        SET_STRING_ELT(VECTOR_ELT(list, 5), (R_xlen_t)i, utf8(f->sentence));
    }
    UNPROTECT(1);
    return list;
}

static SEXP compared_list(const kanon_check *c)
{
    SEXP list = PROTECT(list_new("name", "column", "value", "formula", NULL));
    for (int j = 0; j < 4; j++)
        SET_VECTOR_ELT(list, j, Rf_allocVector(j == 2 ? REALSXP : STRSXP, (R_xlen_t)c->n_compared));
    for (size_t i = 0; i < c->n_compared; i++) {
        const kanon_figure *f = c->compared[i];
        SET_STRING_ELT(VECTOR_ELT(list, 0), (R_xlen_t)i, utf8(f->name));
        SET_STRING_ELT(VECTOR_ELT(list, 1), (R_xlen_t)i, f->attribute != NULL ? utf8(f->attribute) : NA_STRING);
        REAL(VECTOR_ELT(list, 2))[i] = f->value;
        SET_STRING_ELT(VECTOR_ELT(list, 3), (R_xlen_t)i, utf8(f->formula));
    }
    UNPROTECT(1);
    return list;
}

static SEXP check_list(const kanon_check *c)
{
    SEXP list = PROTECT(list_new("holds", "asked", "k", "k_asked", "records", "suppressed", "classes", "average_class_size",
                                 "highest_risk", "average_risk", "share_at_risk", "entities", "identifying_columns",
                                 "singled_out_all", "figures", "constraints", "warnings", "violated", "not_shown", "verdict",
                                 "findings", "compared", NULL));
    const double numbers[] = {(double)c->k,          (double)c->k_asked, (double)c->records, (double)c->suppressed,
                              (double)c->classes,    c->average_class_size, c->highest_risk,  c->average_risk,
                              c->share_at_risk, (double)c->entities, (double)c->identifying_columns, c->singled_out_all};
    SET_VECTOR_ELT(list, 0, Rf_ScalarLogical(c->holds != 0));
    SET_VECTOR_ELT(list, 1, Rf_ScalarLogical(c->asked != 0));
    for (int i = 0; i < 12; i++)
        SET_VECTOR_ELT(list, 2 + i, Rf_ScalarReal(numbers[i]));
    SET_VECTOR_ELT(list, 14, figures_of(c));
    SET_VECTOR_ELT(list, 15, constraints_of(c));
    SET_VECTOR_ELT(list, 16, text_vector(c->warnings, c->n_warnings));
    SET_VECTOR_ELT(list, 17, text_vector(c->violated, c->n_violated));
    SET_VECTOR_ELT(list, 18, text_vector(c->not_shown, c->n_not_shown));
    SET_VECTOR_ELT(list, 19, verdict_frame(c->verdict));
    SET_VECTOR_ELT(list, 20, findings_list(c));
    SET_VECTOR_ELT(list, 21, compared_list(c));
    UNPROTECT(1);
    return list;
}

/* Take one of the other tables, a path or a stream; NULL where there is none. `foreign` is set where R must be asked. */
static const kanon_input *take_other(checking *w, int i, SEXP given, const char *name, int *foreign)
{
    int is_foreign = 0;
    if (given == R_NilValue)
        return NULL;
    w->others[i] = (kanon_input){.struct_size = sizeof w->others[i], .name = name};
    if (TYPEOF(given) == STRSXP) {
        w->others[i].name = NULL;
        w->others[i].location = path_of(given);
    } else {
        stream_take(&w->streams[i], given, &is_foreign);
        w->others[i].stream = &w->streams[i];
    }
    *foreign |= is_foreign;
    return &w->others[i];
}

static void take_others(checking *w, SEXP options, int *foreign)
{
    SEXP earlier = item(options, "earlier"), key = item(options, "key");
    R_xlen_t n_earlier = Rf_xlength(earlier), n_key = Rf_xlength(key);
    if (n_earlier > MOST_EARLIER || n_key > MOST_EARLIER)
        raise_usage("there are more than 64 earlier releases or key columns", "");
    w->options.original = take_other(w, 0, item(options, "original"), "original", foreign);
    w->options.population = take_other(w, 1, item(options, "population"), "population", foreign);
    for (R_xlen_t i = 0; i < n_earlier; i++)
        w->earlier[i] = take_other(w, 2 + (int)i, VECTOR_ELT(earlier, i), "earlier release", foreign);
    for (R_xlen_t i = 0; i < n_key; i++)
        w->key[i] = Rf_translateCharUTF8(STRING_ELT(key, i));
    w->options.earlier = w->earlier;
    w->options.n_earlier = (size_t)n_earlier;
    w->options.key = w->key;
    w->options.n_key = (size_t)n_key;
}

SEXP r_check(SEXP schema, SEXP stream, SEXP options)
{
    SEXP owner = PROTECT(result_new(free_check));
    ticker t;
    ticker_init(&t);
    checking w = {.schema = handle_get(schema, &SCHEMA)};
    w.options = (kanon_check_options){.struct_size = sizeof w.options,
                                      .k = item_whole(options, "k"),
                                      .risk_threshold = item_number(options, "risk_threshold"),
                                      .tick = ticker_tick,
                                      .payload = &t};
    int foreign, show = (int)item_whole(options, "progress");
    kanon_error err = KANON_INIT(kanon_error);
    stream_take(&w.stream, stream, &foreign);
    take_others(&w, options, &foreign);
    take_on_main(foreign, &w.options.tick, &w.options.context);
    kanon_status st = foreign ? do_check(&w, &err) : run(do_check, &w, &t, show, &err);
    result_keep(owner, w.found);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    SEXP list = PROTECT(check_list(w.found));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}
