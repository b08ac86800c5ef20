/* Studies of a table: the lower bound and the curve of loss against risk; and what the library has to offer. */
#include "host.h"

/* ---- lower bound ---- */

typedef struct bounding {
    kanon_lower_bound *bound;
    const kanon_table *table;
    kanon_bound_options options;
} bounding;

static kanon_status do_bound(void *arguments, kanon_error *err)
{
    bounding *w = arguments;
    return kanon_bound(&w->bound, w->table, &w->options, err);
}

static void free_bound(void *bound)
{
    kanon_lower_bound_free(bound);
}

SEXP r_bound(SEXP table, SEXP options)
{
    ticker t;
    ticker_init(&t);
    bounding w = {.table = handle_get(table, &TABLE)};
    w.options = (kanon_bound_options){.struct_size = sizeof w.options,
                                      .k = item_whole(options, "k"),
                                      .seconds = item_number(options, "seconds"),
                                      .rounds = item_whole(options, "rounds"),
                                      .threads = (int)item_whole(options, "threads"),
                                      .certificate = KANON_TO_PATH(path_of(item(options, "certificate"))),
                                      .tick = ticker_tick,
                                      .payload = &t};
    kanon_error err = KANON_INIT(kanon_error);
    SEXP owner = PROTECT(result_new(free_bound));
    kanon_status st = run(do_bound, &w, &t, (int)item_whole(options, "progress"), &err);
    result_keep(owner, w.bound);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    SEXP list = PROTECT(list_new("records", "k", "lower_bound", "neighbour_bound", "rounds", "stopped", NULL));
    SET_VECTOR_ELT(list, 0, Rf_ScalarReal((double)w.bound->records));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal((double)w.bound->k));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal(w.bound->lower_bound));
    SET_VECTOR_ELT(list, 3, Rf_ScalarReal(w.bound->neighbour_bound));
    SET_VECTOR_ELT(list, 4, Rf_ScalarReal((double)w.bound->rounds));
    SET_VECTOR_ELT(list, 5, Rf_ScalarLogical(w.bound->stopped != 0));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}

/* ---- trade-off ---- */

typedef struct trading {
    kanon_curve *curve;
    const kanon_table *table;
    kanon_tradeoff_options options;
} trading;

static kanon_status do_tradeoff(void *arguments, kanon_error *err)
{
    trading *w = arguments;
    return kanon_tradeoff(&w->curve, w->table, &w->options, err);
}

static void free_curve(void *curve)
{
    kanon_curve_free(curve);
}

/* list(settings = c(k = "5", ...), result = "optimal", figures = list(...), from_k = 0) */
static SEXP point_list(const kanon_curve_point *point)
{
    SEXP list = PROTECT(list_new("settings", "result", "figures", "from_k", NULL));
    SEXP values = Rf_allocVector(STRSXP, (R_xlen_t)point->n_settings);
    SET_VECTOR_ELT(list, 0, values);
    SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)point->n_settings));
    for (size_t i = 0; i < point->n_settings; i++) {
        SET_STRING_ELT(values, (R_xlen_t)i, utf8(point->settings[i].value));
        SET_STRING_ELT(names, (R_xlen_t)i, utf8(point->settings[i].name));
    }
    Rf_setAttrib(values, R_NamesSymbol, names);
    SET_VECTOR_ELT(list, 1, Rf_ScalarString(utf8(kanon_enum_text(KANON_ENUM_POINT_RESULT, point->result))));
    SET_VECTOR_ELT(list, 2, figure_frame(point->figures, point->n_figures));
    SET_VECTOR_ELT(list, 3, Rf_ScalarReal((double)point->from_k));
    UNPROTECT(2);
    return list;
}

SEXP r_tradeoff(SEXP table, SEXP options)
{
    ticker t;
    ticker_init(&t);
    trading w = {.table = handle_get(table, &TABLE)};
    w.options = (kanon_tradeoff_options){.struct_size = sizeof w.options,
                                         .k = item_text(options, "k"),
                                         .suppress = item_text(options, "suppress"),
                                         .algorithm = item_text(options, "algorithm"),
                                         .refine = item_text(options, "refine"),
                                         .effort = item_text(options, "effort"),
                                         .seed = (uint64_t)item_whole(options, "seed"),
                                         .threads = (int)item_whole(options, "threads"),
                                         .plot = KANON_TO_PATH(path_of(item(options, "page"))),
                                         .tick = ticker_tick,
                                         .payload = &t};
    w.options.settings = settings_of(item(options, "settings"), &w.options.n_settings);
    kanon_error err = KANON_INIT(kanon_error);
    SEXP owner = PROTECT(result_new(free_curve));
    kanon_status st = run(do_tradeoff, &w, &t, (int)item_whole(options, "progress"), &err);
    result_keep(owner, w.curve);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    size_t n = 0;
    while (kanon_curve_at(w.curve, n) != NULL)
        n++;
    SEXP list = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)n));
    for (size_t i = 0; i < n; i++)
        SET_VECTOR_ELT(list, (R_xlen_t)i, point_list(kanon_curve_at(w.curve, i)));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}

/* ---- what there is ---- */

SEXP r_about(void)
{
    SEXP list = PROTECT(list_new("version", "yaml", "reports", "states", "unicode", NULL));
    SET_VECTOR_ELT(list, 0, Rf_ScalarString(utf8(kanon_version())));
#ifdef WITH_YAML
    SET_VECTOR_ELT(list, 1, Rf_ScalarLogical(1));
#else
    SET_VECTOR_ELT(list, 1, Rf_ScalarLogical(0));
#endif
#ifdef WITH_REPORTS
    SET_VECTOR_ELT(list, 2, Rf_ScalarLogical(1));
#else
    SET_VECTOR_ELT(list, 2, Rf_ScalarLogical(0));
#endif
#ifdef WITH_STATES
    SET_VECTOR_ELT(list, 3, Rf_ScalarLogical(1));
#else
    SET_VECTOR_ELT(list, 3, Rf_ScalarLogical(0));
#endif
#ifdef WITH_UNICODE
    SET_VECTOR_ELT(list, 4, Rf_ScalarLogical(1));
#else
    SET_VECTOR_ELT(list, 4, Rf_ScalarLogical(0));
#endif
    UNPROTECT(1);
    return list;
}

/* The lists of the library that R shows. */
static const struct {
    const char *kind;
    kanon_catalogue which;
} lists[] = {
    {"algorithm", KANON_CATALOGUE_ALGORITHM},
    {"refinement", KANON_CATALOGUE_REFINEMENT},
    {"model", KANON_CATALOGUE_MODEL},
    {"measure", KANON_CATALOGUE_MEASURE},
};

SEXP r_catalogue(void)
{
    enum { LISTS = sizeof lists / sizeof *lists };
    size_t n = 0;
    R_xlen_t at = 0;
    const kanon_entry *entry;
    for (size_t l = 0; l < LISTS; l++)
        n += kanon_catalogue_count(lists[l].which);
    SEXP list = PROTECT(list_new("kind", "name", "text", NULL));
    for (int j = 0; j < 3; j++)
        SET_VECTOR_ELT(list, j, Rf_allocVector(STRSXP, (R_xlen_t)n));
    for (size_t l = 0; l < LISTS; l++)
        for (size_t i = 0; (entry = kanon_catalogue_at(lists[l].which, i)) != NULL; i++, at++) {
            SET_STRING_ELT(VECTOR_ELT(list, 0), at, utf8(lists[l].kind));
            SET_STRING_ELT(VECTOR_ELT(list, 1), at, utf8(entry->name));
            SET_STRING_ELT(VECTOR_ELT(list, 2), at, utf8(entry->brief));
        }
    UNPROTECT(1);
    return list;
}
