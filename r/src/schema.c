/* Schemas: what the package was told about columns and requirements, setter by setter. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

/* schema_new(path, text): of a file, of YAML, or of neither. */
SEXP r_schema_new(SEXP path, SEXP text)
{
    SEXP handle = PROTECT(handle_new(&SCHEMA));
    const char *file = path_of(path), *yaml = text_of(text);
    kanon_schema *schema = NULL;
    kanon_error err = {0};
    kanon_status st = file != NULL   ? kanon_schema_read(&schema, KANON_PATH(file), NULL, &err)
                      : yaml != NULL ? kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "schema"), NULL, &err)
                                     : kanon_schema_new(&schema, NULL, &err);
    if (st != KANON_OK)
        raise_failure(&err);
    handle_set(handle, schema);
    UNPROTECT(1);
    return handle;
}

/* A column (NULL: none) and a value as text. */
typedef kanon_status (*set_function)(kanon_schema *schema, const char *column, const char *value, kanon_error *err);

static kanon_status set_role(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    int role = kanon_enum_value(KANON_ENUM_ROLE, value);
    if (role < 0)
        return fail(err, KANON_EINVAL, "a role is quasi, sensitive, identifying or insensitive");
    return column == NULL ? kanon_schema_set_default_role(s, (kanon_role)role, err)
                          : kanon_schema_set_role(s, column, (kanon_role)role, err);
}

static kanon_status set_type(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    int type = kanon_enum_value(KANON_ENUM_TYPE, value);
    return type > KANON_TYPE_UNKNOWN
               ? kanon_schema_set_type(s, column, (kanon_type)type, err)
               : fail(err, KANON_EINVAL, "a type is integer, decimal, date, categorical or ordinal");
}

static kanon_status set_weight(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    return kanon_schema_set_weight(s, column, R_atof(value), err);
}

static kanon_status set_taxonomy(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    return kanon_schema_set_taxonomy(s, column, KANON_PATH(value), err);
}

static kanon_status set_tree(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    return kanon_schema_set_taxonomy(s, column, KANON_BYTES_AS(value, strlen(value), "taxonomy"), err);
}

static kanon_status set_mask(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    int right = strcmp(value, "right") == 0;
    if (!right && strcmp(value, "left") != 0)
        return fail(err, KANON_EINVAL, "a mask is right or left");
    return kanon_schema_set_mask(s, column, right ? KANON_MASK_RIGHT : KANON_MASK_LEFT, err);
}

static kanon_status add_missing(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    (void)column;
    return kanon_schema_add_missing(s, value, err);
}

static kanon_status set_empty(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    (void)column;
    return kanon_schema_set_empty(s, strcmp(value, "value") == 0, err);
}

static kanon_status add_constraint(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    (void)column;
    return kanon_schema_add_constraint(s, value, err);
}

static kanon_status set_entity(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    return kanon_schema_set_entity(s, column, strcmp(value, "together") == 0, err);
}

static kanon_status set_suppress(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    (void)column;
    return kanon_schema_set_suppress(s, value, err);
}

static kanon_status set_suppressed(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    (void)column;
    return kanon_schema_set_suppressed(s, value, err);
}

/* Decimal and thousands separator, "-" for one that is not said. */
static kanon_status set_separators(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    if (strlen(value) != 2)
        return fail(err, KANON_EINVAL, "a separator is one character, such as , or .");
    return kanon_schema_set_separators(s, column, (char)(value[0] == '-' ? 0 : value[0]),
                                       (char)(value[1] == '-' ? 0 : value[1]), err);
}

static const struct {
    const char *name;
    set_function set;
} setters[] = {
    {"role", set_role},
    {"type", set_type},
    {"weight", set_weight},
    {"taxonomy", set_taxonomy},
    {"tree", set_tree},
    {"mask", set_mask},
    {"bands", kanon_schema_set_bands},
    {"format", kanon_schema_set_format},
    {"separators", set_separators},
    {"top", kanon_schema_set_top},
    {"bottom", kanon_schema_set_bottom},
    {"missing", add_missing},
    {"empty", set_empty},
    {"same", kanon_schema_add_same},
    {"constraint", add_constraint},
    {"entity", set_entity},
    {"suppress", set_suppress},
    {"suppressed", set_suppressed},
};

static const char **texts_of(SEXP vector, size_t *n)
{
    *n = (size_t)Rf_xlength(vector);
    const char **texts = (const char **)R_alloc(*n + 1, sizeof *texts);
    for (size_t i = 0; i < *n; i++)
        texts[i] = Rf_translateCharUTF8(STRING_ELT(vector, (R_xlen_t)i));
    return texts;
}

/* schema_role(schema, column): what the schema says of the column; NULL: nothing. */
SEXP r_schema_role(SEXP handle, SEXP column)
{
    kanon_role role;
    if (!kanon_schema_role(handle_get(handle, &SCHEMA), text_of(column), &role))
        return R_NilValue;
    return Rf_mkString(kanon_enum_text(KANON_ENUM_ROLE, role));
}

/* schema_set(schema, what, column, value): `what` is a row of the table above, "key" with the columns as value, or "order"
 * with the levels. */
SEXP r_schema_set(SEXP handle, SEXP what, SEXP column, SEXP value)
{
    kanon_schema *schema = handle_get(handle, &SCHEMA);
    const char *name = text_of(what);
    kanon_error err = {0};
    kanon_status st = fail(&err, KANON_EINVAL, "there is no such setter");
    size_t n;
    if (strcmp(name, "key") == 0) {
        const char **columns = texts_of(value, &n);
        st = kanon_schema_set_key(schema, columns, n, &err);
    }
    if (strcmp(name, "order") == 0) {
        const char **levels = texts_of(value, &n);
        st = kanon_schema_set_order(schema, text_of(column), levels, n, &err);
    }
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++)
        if (strcmp(setters[i].name, name) == 0)
            st = setters[i].set(schema, text_of(column),
                                strcmp(name, "taxonomy") == 0 ? path_of(value) : text_of(value), &err);
    if (st != KANON_OK)
        raise_failure(&err);
    return R_NilValue;
}
