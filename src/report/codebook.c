/* See codebook.h. Says of every released column what its cells look like; what is said follows from schema and form of the
 * release alone, never from the values of the table. */
#include "report/codebook.h"

#include <string.h>

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

kanon_status kanon__codebook_form_of(kanon__codebook_form *out, const kanon_output *to, kanon_error *err)
{
    int form;
    KANON_CHECK(kanon__output_format(&form, to, "json|csvw|html", err));
    *out = (kanon__codebook_form)form;
    if (to->format == NULL && ends_in(kanon__output_name(to), "-metadata.json"))
        *out = KANON__CODEBOOK_CSVW;
    return KANON_OK;
}

const char *kanon__codebook_date_format(const kanon__column *column)
{
    const kanon__domain *domain = column->domain;
    bool said = domain != NULL && domain->type == KANON_TYPE_DATE && domain->format.date[0] != '\0';
    return said ? domain->format.date : NULL;
}

const kanon__taxonomy *kanon__codebook_taxonomy(const kanon__column *c)
{
    const kanon__taxonomy *taxonomy = c->role == KANON_ROLE_QUASI ? kanon__column_taxonomy(c) : NULL;
    return taxonomy != NULL && taxonomy->given ? taxonomy : NULL;
}

bool kanon__codebook_is_missing(const kanon__column *c, int32_t node)
{
    uint32_t missing = c->domain->missing_code;
    return missing != KANON__NO_CODE && c->domain->taxonomy->leaf_node[missing] == node;
}

/* A quasi-identifier with a taxonomy, a mask, or neither. */
static kanon__field category_field(const kanon__column *c)
{
    kanon__field field = {.column = c, .suffix = "", .type = KANON_TYPE_CATEGORICAL};
    if (c->domain->taxonomy->flat)
        field.description = "The value itself, or * for any value.";
    else if (kanon__codebook_taxonomy(c) != NULL)
        field.description = "A node of the taxonomy: the value itself, or a broader category that covers it.";
    else
        field.description = "The value itself, or a broader one that covers it: * stands for any character, and at the end "
                            "for any value.";
    return field;
}

/* Whether all numbers are whole may be known from originals alone, unless the schema or the source says so. */
static kanon_type told_kind(const kanon__column *c)
{
    if (c->domain == NULL)
        return KANON_TYPE_CATEGORICAL;
    return c->domain->type == KANON_TYPE_INTEGER && !c->domain->type_is_said ? KANON_TYPE_DECIMAL : c->domain->type;
}

static const char *interval_pattern(const kanon__column *c)
{
    bool plain = told_kind(c) == KANON_TYPE_INTEGER && c->domain->format.thousands == 0;
    return plain ? "\\*|[-+]?[0-9]+|\\[([-+]?[0-9]+)?\\.\\.([-+]?[0-9]+)?\\]"
                 : "\\*|[^\\[\\]*]+|\\[[^\\[\\]]*\\.\\.[^\\[\\]]*[\\])]";
}

/* A numeric quasi-identifier as one column. */
static kanon__field number_field(const kanon__column *c, kanon_numeric numeric)
{
    kanon__field field = {.column = c, .suffix = "", .type = KANON_TYPE_CATEGORICAL};
    if (c->domain->type == KANON_TYPE_ORDINAL) {
        field.description = "A level, or an interval of levels in their order: [low..high] stands for one from low to high; "
                            "* stands for any level.";
    } else if (numeric == KANON_NUMERIC_MEAN) {
        field.type = c->domain->type == KANON_TYPE_DATE ? KANON_TYPE_DATE : KANON_TYPE_DECIMAL;
        field.any_is_missing = true;
        field.description = "The mean of the values of the group; * stands for any value.";
    } else if (numeric == KANON_NUMERIC_RANGE) {
        field.pattern = "\\*|[\\[(][^\\[\\]()]*,[^\\[\\]()]*[\\])]";
        field.description = "[28,53] stands for a value from 28 to 53, with ) for one below 53; an end that is missing is "
                            "open; * stands for any value.";
    } else {
        field.pattern = interval_pattern(c);
        field.description = "A value, or an interval: [28..53] stands for a value from 28 to 53, with ) for one below 53, "
                            "[90..] for 90 and more, [..18] for 18 and less; * stands for any value.";
    }
    return field;
}

int kanon__codebook_fields(kanon__field out[2], const kanon__codebook *book, int column)
{
    const kanon__column *c = &book->table->data.columns[column];
    if (c->role == KANON_ROLE_IDENTIFYING)
        return 0;
    if (c->role != KANON_ROLE_QUASI) {
        out[0] = (kanon__field){.column = c, .suffix = "", .description = "The value as it is in the table."};
        if (c->permuted)
            out[0].description = "A value of the group: rows that look alike in the quasi-identifiers have these values, and "
                                 "nothing tells which row has which.";
        out[0].type = told_kind(c);
        return 1;
    }
    if (!kanon__column_is_numeric(c)) {
        out[0] = category_field(c);
        return 1;
    }
    if (book->numeric != KANON_NUMERIC_COLUMNS) {
        out[0] = number_field(c, book->numeric);
        return 1;
    }
    out[0] = (kanon__field){.column = c, .suffix = "_min", .type = told_kind(c), .any_is_missing = true};
    bool levels = c->domain->type == KANON_TYPE_ORDINAL;
    out[0].description = levels ? "The lowest level that is possible; * or an empty cell: any."
                                : "The least value that is possible; * or an empty cell: any.";
    out[1] = out[0];
    out[1].suffix = "_max";
    out[1].description = levels ? "The highest level that is possible; * or an empty cell: any."
                                : "The largest value that is possible; * or an empty cell: any.";
    return 2;
}

kanon_status kanon__codebook_write(kanon__output *o, const kanon__codebook *book, kanon__codebook_form form,
                                   kanon_error *err)
{
    if (form != KANON__CODEBOOK_PAGE)
        return kanon__codebook_json(o, book, form == KANON__CODEBOOK_CSVW, err);
    kanon__codebook_page(o, book);
    return KANON_OK;
}
