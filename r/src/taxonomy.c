/* Taxonomies: made from the values of a column, and checked against them. Values come as CSV with the one column "value". */
#include "host.h"

#include <string.h>

static const kanon_column_options column = {.struct_size = sizeof column, .column = "value"};

static kanon_input input_of(SEXP values)
{
    return (kanon_input){.struct_size = sizeof(kanon_input),
                         .bytes = RAW(values),
                         .size = (size_t)Rf_xlength(values),
                         .name = "values"};
}

static void free_taxonomy(void *taxonomy)
{
    kanon_taxonomy_free(taxonomy);
}

/* taxonomy_build(values, method, levels): the bytes of a CSV file with the path of each value. */
SEXP r_taxonomy_build(SEXP values, SEXP method, SEXP levels)
{
    static const char *const methods[] = {"widths", "frequencies", "dates", "mask", "prefixes", "rare"};
    const char *name = text_of(method);
    int found = 0;
    while (strcmp(methods[found], name) != 0)
        found++;
    SEXP owner = PROTECT(result_new(free_taxonomy)), out = PROTECT(result_new(byte_sink_free));
    byte_sink *bytes = byte_sink_new("taxonomy.csv");
    result_keep(out, bytes);
    kanon_taxonomy *taxonomy = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    const kanon_input table = input_of(values);
    kanon_status st =
        kanon_taxonomy_build(&taxonomy, &table, &column, (kanon_taxonomy_method)found, text_of(levels), NULL, &err);
    result_keep(owner, taxonomy);
    if (st == KANON_OK)
        st = kanon_taxonomy_write(taxonomy, KANON_TO_SINK(&bytes->sink), KANON_TAXONOMY_CSV, &err);
    if (st != KANON_OK)
        raise_failure(&err);
    SEXP raw = PROTECT(byte_sink_raw(bytes));
    handle_clear(owner);
    handle_clear(out);
    UNPROTECT(3);
    return raw;
}

static void free_check(void *check)
{
    kanon_taxonomy_check_free(check);
}

/* taxonomy_check(path, values): what is wrong with the taxonomy in a file, and where values are not NULL, with both. */
SEXP r_taxonomy_check(SEXP path, SEXP values)
{
    SEXP owner = PROTECT(result_new(free_check));
    kanon_taxonomy_check *check = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_input table = {0};
    if (!Rf_isNull(values))
        table = input_of(values);
    kanon_status st = kanon_taxonomy_check_read(&check, KANON_PATH(path_of(path)), KANON_TAXONOMY_AUTO,
                                                Rf_isNull(values) ? NULL : &table, &column, NULL, &err);
    result_keep(owner, check);
    if (st != KANON_OK)
        raise_failure(&err);
    SEXP list = PROTECT(list_new("lines", "leaves", "errors", "findings", NULL));
    SEXP findings = list_new("name", "count", "line", "in_values", "is_error", "text", NULL);
    SET_VECTOR_ELT(list, 3, findings);
    static const SEXPTYPE types[] = {STRSXP, REALSXP, REALSXP, LGLSXP, LGLSXP, STRSXP};
    for (int j = 0; j < 6; j++)
        SET_VECTOR_ELT(findings, j, Rf_allocVector(types[j], (R_xlen_t)check->n));
    for (size_t i = 0; i < check->n; i++) {
        const kanon_taxonomy_finding *f = check->findings[i];
        SET_STRING_ELT(VECTOR_ELT(findings, 0), (R_xlen_t)i, utf8(f->name));
        REAL(VECTOR_ELT(findings, 1))[i] = (double)f->count;
        REAL(VECTOR_ELT(findings, 2))[i] = (double)f->line;
        LOGICAL(VECTOR_ELT(findings, 3))[i] = f->in_table != 0;
        LOGICAL(VECTOR_ELT(findings, 4))[i] = f->is_error != 0;
        SET_STRING_ELT(VECTOR_ELT(findings, 5), (R_xlen_t)i, utf8(f->sentence));
    }
    SET_VECTOR_ELT(list, 0, Rf_ScalarReal((double)check->lines));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal((double)check->leaves));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal((double)check->errors));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}
