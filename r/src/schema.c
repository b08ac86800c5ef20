/* Schemas: what the package was told about columns and requirements. */
#include "host.h"

#include <string.h>

/* schema_new(path, text): of a file, of YAML, or of neither. */
SEXP r_schema_new(SEXP path, SEXP text)
{
    SEXP handle = PROTECT(handle_new(&SCHEMA));
    const char *file = path_of(path), *yaml = text_of(text);
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = file != NULL   ? kanon_schema_read(&schema, KANON_PATH(file), NULL, &err)
                      : yaml != NULL ? kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "schema"), NULL, &err)
                                     : kanon_schema_new(&schema, NULL, &err);
    if (st != KANON_OK)
        raise_failure(&err);
    handle_set(handle, schema);
    UNPROTECT(1);
    return handle;
}

/* schema_get(schema, name, column): what is said of the column, or of the whole where it is NULL; NULL: nothing. */
SEXP r_schema_get(SEXP handle, SEXP name, SEXP column)
{
    const char *text = kanon_schema_get(handle_get(handle, &SCHEMA), text_of(column), text_of(name));
    if (text == NULL)
        return R_NilValue;
    return Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
}

/* schema_set(schema, name, column, value): a key of a schema, of a column or, where it is NULL, of the whole. A value of
 * NULL removes what was said; the key "tree" is a taxonomy as text, and "taxonomy" a path. */
SEXP r_schema_set(SEXP handle, SEXP name, SEXP column, SEXP value)
{
    kanon_schema *schema = handle_get(handle, &SCHEMA);
    const char *key = text_of(name), *of = text_of(column);
    const char *text = strcmp(key, "taxonomy") == 0 ? path_of(value) : text_of(value);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = strcmp(key, "tree") == 0
                          ? kanon_schema_set_taxonomy(schema, of, KANON_BYTES_AS(text, strlen(text), "taxonomy"), &err)
                          : kanon_schema_set(schema, of, key, text, &err);
    if (st != KANON_OK)
        raise_failure(&err);
    return R_NilValue;
}
