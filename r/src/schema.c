/* Schemas: what the package was told about columns and requirements, setter by setter. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

SEXP r_schema_new(SEXP path)
{
    SEXP handle = PROTECT(handle_new(&SCHEMA));
    const char *file = path_of(path);
    kanon_schema *schema = NULL;
    kanon_error err = {0};
    kanon_status st = file == NULL ? kanon_schema_new(&schema, NULL, &err) : kanon_schema_read(&schema, file, NULL, &err);
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
    for (int role = KANON_ROLE_INSENSITIVE; role <= KANON_ROLE_SENSITIVE; role++)
        if (strcmp(value, kanon_role_text((kanon_role)role)) == 0)
            return column == NULL ? kanon_schema_set_default_role(s, (kanon_role)role, err)
                                  : kanon_schema_set_role(s, column, (kanon_role)role, err);
    return fail(err, KANON_EINVAL, "a role is quasi, sensitive, identifying or insensitive");
}

static kanon_status set_type(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    for (int type = KANON_TYPE_INTEGER; type <= KANON_TYPE_CATEGORICAL; type++)
        if (strcmp(value, kanon_type_text((kanon_type)type)) == 0)
            return kanon_schema_set_type(s, column, (kanon_type)type, err);
    return fail(err, KANON_EINVAL, "a type is integer, decimal, date or categorical");
}

static kanon_status set_weight(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    return kanon_schema_set_weight(s, column, R_atof(value), err);
}

static kanon_status set_tree(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    return kanon_schema_set_taxonomy_bytes(s, column, value, strlen(value), "taxonomy", err);
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

static const struct {
    const char *name;
    set_function set;
} setters[] = {
    {"role", set_role},
    {"type", set_type},
    {"weight", set_weight},
    {"taxonomy", kanon_schema_set_taxonomy},
    {"tree", set_tree},
    {"mask", set_mask},
    {"bands", kanon_schema_set_bands},
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

static kanon_status set_key(kanon_schema *s, SEXP columns, kanon_error *err)
{
    size_t n = (size_t)Rf_xlength(columns);
    const char **names = (const char **)R_alloc(n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = Rf_translateCharUTF8(STRING_ELT(columns, (R_xlen_t)i));
    return kanon_schema_set_key(s, names, n, err);
}

/* schema_set(schema, what, column, value): `what` is a row of the table above, or "key" with the columns as value. */
SEXP r_schema_set(SEXP handle, SEXP what, SEXP column, SEXP value)
{
    kanon_schema *schema = handle_get(handle, &SCHEMA);
    const char *name = text_of(what);
    kanon_error err = {0};
    kanon_status st = fail(&err, KANON_EINVAL, "there is no such setter");
    if (strcmp(name, "key") == 0)
        st = set_key(schema, value, &err);
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++)
        if (strcmp(setters[i].name, name) == 0)
            st = setters[i].set(schema, text_of(column),
                                strcmp(name, "taxonomy") == 0 ? path_of(value) : text_of(value), &err);
    if (st != KANON_OK)
        raise_failure(&err);
    return R_NilValue;
}
