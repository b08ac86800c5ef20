/* See check_original.h. */
#include "audit/check_original.h"

#include "audit/key_rows.h"
#include "audit/quasi_columns.h"
#include "core/alloc.h"
#include "core/escape.h"
#include "table/read/open_table.h"
#include "table/read/table_reader.h"

#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The schema without bands and requirements, and without what it says of columns that the table does not have. What is below
 * its pointers stays the schema's, but `attributes` and the items of `key`. */
static kanon_status plain_schema(kanon_schema *out, const kanon_schema *schema, const kanon__texts *key, bool quasi_alone,
                                 const kanon__source *source, kanon_error *err)
{
    *out = *schema;
    out->attributes = NULL;
    out->n_constraints = 0;
    out->key = (kanon__texts){0};
    KANON_CHECK(kanon__new_array(&out->attributes, schema->n_attributes, "columns", err));
    for (int64_t i = 0; i < schema->n_attributes; i++) {
        const kanon__attribute *attribute = &schema->attributes[i];
        bool is_quasi = kanon__schema_role(schema, attribute) == KANON_ROLE_QUASI;
        if (kanon__source_find(source, attribute->name) < 0 || (quasi_alone && !is_quasi)) {
            out->attributes[i] = (kanon__attribute){.name = attribute->name, .role = KANON_ROLE_IDENTIFYING};
            out->attributes[i].has_role = quasi_alone && !is_quasi; /* whatever the default role is */
            continue;
        }
        out->attributes[i] = *attribute;
        out->attributes[i].said[KANON__COLUMN_BANDS] = NULL;
        out->attributes[i].said[KANON__COLUMN_TOP] = NULL;
        out->attributes[i].said[KANON__COLUMN_BOTTOM] = NULL;
    }
    for (int64_t i = 0; i < key->n; i++)
        if (kanon__source_find(source, key->items[i]) >= 0)
            KANON_CHECK(kanon__texts_add(&out->key, key->items[i], strlen(key->items[i]), err));
    const char *entity = schema->said[KANON__WHOLE_ENTITY];
    if (entity != NULL && (quasi_alone || kanon__source_find(source, entity) < 0))
        out->said[KANON__WHOLE_ENTITY] = NULL;
    return KANON_OK;
}

/* The source is taken over in any case. */
static kanon_status read_plain(kanon_table **out, kanon__source *source, const kanon_schema *schema, const kanon__texts *key,
                               bool quasi_alone, kanon__ticker *ticker, kanon_error *err)
{
    kanon_schema plain = {.attributes = NULL};
    kanon_read_options options = {.struct_size = sizeof options, .tick = ticker->tick, .payload = ticker->payload};
    kanon_status st = plain_schema(&plain, schema, key, quasi_alone, source, err);
    if (st == KANON_OK)
        st = kanon__table_from_source(out, source, &plain, &options, err);
    else
        kanon__source_free(source);
    kanon__texts_clear(&plain.key);
    kanon__free(plain.attributes);
    return st;
}

static kanon_status read_input(kanon_table **out, const kanon_input *given, const kanon_schema *schema,
                               const kanon__texts *key, bool quasi_alone, kanon__ticker *ticker, kanon_error *err)
{
    kanon__input input;
    kanon__csv_reading how;
    kanon__source *source = NULL;
    *out = NULL;
    KANON_CHECK(kanon__table_input_take(&input, &how, given, KANON_OK, err));
    KANON_CHECK(kanon__reader_open(&source, &input, &how, schema, err));
    return read_plain(out, source, schema, key, quasi_alone, ticker, err);
}

kanon_status kanon__plain_table_read(kanon_table **out, const kanon_input *input, const kanon_schema *schema,
                                     const kanon__texts *key, kanon__ticker *ticker, kanon_error *err)
{
    return read_input(out, input, schema, key, false, ticker, err);
}

kanon_status kanon__quasi_table_read(kanon_table **out, const kanon_input *input, const kanon_schema *schema,
                                     kanon__ticker *ticker, kanon_error *err)
{
    static const kanon__texts no_key = {0};
    return read_input(out, input, schema, &no_key, true, ticker, err);
}

kanon_status kanon__original_read(kanon__original *out, const kanon_input *input, const kanon__source *release,
                                  const kanon_schema *schema, const kanon__check_key *key, const uint32_t *class_of,
                                  kanon__ticker *ticker, kanon_error *err)
{
    static const kanon__texts no_key = {0};
    const kanon__texts *columns = &key->columns;
    KANON_CHECK(kanon__plain_table_read(&out->table, input, schema, columns, ticker, err));
    if (!key->is_said && !kanon__key_is_in(columns, out->table->source, release)) /* only the schema names it */
        columns = &no_key;
    out->comparison.with_linkage = true;
    return kanon__compare_original(&out->comparison, out->table, release, schema, columns, class_of, ticker, err);
}

void kanon__original_clear(kanon__original *original)
{
    kanon__comparison_clear(&original->comparison);
    kanon_table_free(original->table);
    original->table = NULL;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static const char *ending(int64_t n)
{
    return n == 1 ? "" : "s";
}

static kanon_status list_how(kanon__findings *out, const kanon__comparison *c, kanon_error *err)
{
    static const char *const how[] = {"row by row, in the order of the table", "by key",
                                      "as a multiset: the order of the table is not that of the file"};
    if (c->is_partial)
        KANON_CHECK(
            kanon__findings_add(out, "partial", NULL, NULL, 0, KANON_MARK_LOOK, err,
                                "so many rows fit so many records that not every pair was looked at; a key in both files "
                                "tells which is which"));
    return kanon__findings_add(out, "compared", NULL, NULL, c->n_rows, KANON_MARK_MET, err,
                               "compared with the %lld record%s of the original %s", (long long)c->n_records,
                               ending(c->n_records), how[c->how]);
}

static kanon_status list_exchanged(kanon__findings *out, const kanon__comparison *c, int i, kanon_error *err)
{
    const kanon__compared_column *column = &c->columns[i], *other = &c->columns[column->exchanged];
    bool is_mutual = other->exchanged == i;
    if (is_mutual && column->exchanged < i)
        return KANON_OK; /* said of the other one */
    return kanon__findings_add(out, "exchanged", column->name, other->name, c->n_rows, KANON_MARK_FAILED, err,
                               is_mutual
                                   ? "the columns %.*s and %.*s are exchanged: the cells of each are those of the other"
                                   : "the column %.*s has the cells of the column %.*s of the original",
                               KANON__CUT(column->name, 200), KANON__CUT(other->name, 200));
}

static kanon_status list_column(kanon__findings *out, const kanon__comparison *c, int i, kanon_error *err)
{
    const kanon__compared_column *column = &c->columns[i];
    const char *least = c->how == KANON__COMPARED_AS_MULTISET ? "at least " : "";
    if (column->exchanged >= 0)
        return list_exchanged(out, c, i, err);
    if (column->unknown > 0)
        KANON_CHECK(kanon__findings_add(out, "unknown", column->name, NULL, column->unknown, KANON_MARK_LOOK, err,
                                        "%.*s: %lld cell%s cannot be read as a value, an interval or a node",
                                        KANON__CUT(column->name, 200), (long long)column->unknown, ending(column->unknown)));
    if (column->means && c->how == KANON__COMPARED_AS_MULTISET)
        return kanon__findings_add(out, "means", column->name, NULL, 0, KANON_MARK_NOT_SHOWN, err,
                                   "%.*s: its cells are means, which can be compared by key or in order only",
                                   KANON__CUT(column->name, 200));
    if (column->means)
        KANON_CHECK(kanon__findings_add(out, "means", column->name, NULL, 0, KANON_MARK_LOOK, err,
                                        "%.*s: its cells are means: they lie between the values of their class, and do not "
                                        "cover them",
                                        KANON__CUT(column->name, 200)));
    if (column->untold > 0)
        KANON_CHECK(kanon__findings_add(out, "permuted", column->name, NULL, column->untold, KANON_MARK_NOT_SHOWN, err,
                                        "%.*s: whether %lld permuted cell%s of records of the same class is not known, as "
                                        "rows may be any of several records: a key in both files shows it",
                                        KANON__CUT(column->name, 200), (long long)column->untold,
                                        column->untold == 1 ? " is" : "s are"));
    if (column->uncovered == 0)
        return KANON_OK;
    if (column->permuted)
        return kanon__findings_add(out, "permuted", column->name, NULL, column->uncovered, KANON_MARK_LOOK, err,
                                   "%.*s: %lld cell%s of other records of the same class: its values are permuted within "
                                   "classes",
                                   KANON__CUT(column->name, 200), (long long)column->uncovered,
                                   column->uncovered == 1 ? " is" : "s are");
    return kanon__findings_add(out, "uncovered", column->name, NULL, column->uncovered, KANON_MARK_FAILED, err,
                               column->quasi      ? "%.*s: %s%lld cell%s not cover the original"
                               : column->shuffled ? "%.*s: %s%lld cell%s not have the value of a record of the same class"
                                                  : "%.*s: %s%lld cell%s not have the value of the original",
                               KANON__CUT(column->name, 200), least, (long long)column->uncovered,
                               column->uncovered == 1 ? " does" : "s do");
}

/* Records that are suppressed are not in the file, or are rows that say nothing, and there may be as many of them as the
 * schema allows. */
static kanon_status list_missing(kanon__findings *out, const kanon__comparison *c, const kanon_schema *schema,
                                 int64_t suppressed, kanon_error *err)
{
    int64_t most = kanon__fraction_of(schema->suppress, c->n_records), missing = c->missing > 0 ? c->missing : 0;
    bool is_limited = schema->said[KANON__WHOLE_SUPPRESS] != NULL && most >= 0, too_many = is_limited && missing > most;
    if (is_limited && !too_many && missing + suppressed > most) /* a group may be all stars though nothing was suppressed */
        return kanon__findings_add(out, "missing", NULL, NULL, missing + suppressed, KANON_MARK_LOOK, err,
                                   "%lld record%s of the original %s not in the file or a row that says nothing, more "
                                   "than may be suppressed",
                                   (long long)(missing + suppressed), ending(missing + suppressed),
                                   missing + suppressed == 1 ? "is" : "are");
    if (missing == 0)
        return KANON_OK;
    return kanon__findings_add(out, "missing", NULL, NULL, c->missing, too_many ? KANON_MARK_FAILED : KANON_MARK_LOOK, err,
                               too_many ? "%lld record%s of the original %s not in the file, more than may be suppressed"
                                        : "%lld record%s of the original %s not in the file",
                               (long long)c->missing, ending(c->missing), c->missing == 1 ? "is" : "are");
}

static kanon_status list_records(kanon__findings *out, const kanon__comparison *c, const kanon_schema *schema,
                                 int64_t suppressed, kanon_error *err)
{
    const char *least = c->how == KANON__COMPARED_AS_MULTISET ? "at least " : "";
    if (c->foreign > 0)
        KANON_CHECK(kanon__findings_add(out, "foreign", NULL, NULL, c->foreign, KANON_MARK_FAILED, err,
                                        "%s%lld row%s not of any record of the original", least, (long long)c->foreign,
                                        c->foreign == 1 ? " is" : "s are"));
    if (c->doubled > 0)
        KANON_CHECK(kanon__findings_add(out, "doubled", NULL, NULL, c->doubled, KANON_MARK_FAILED, err,
                                        "%s%lld row%s of records that are in the file already", least, (long long)c->doubled,
                                        c->doubled == 1 ? " is" : "s are"));
    return list_missing(out, c, schema, suppressed, err);
}

/* Whether the rows are in the order of the table, as far as they are known. As a multiset they are not: they would have been
 * found in order. */
static kanon_status list_order(kanon__findings *out, const kanon__comparison *c, kanon_error *err)
{
    bool is_ordered = c->how != KANON__COMPARED_AS_MULTISET;
    int32_t before = -1;
    for (int64_t row = 0; row < c->n_rows && is_ordered; row++) {
        if (c->row_of[row] < 0)
            continue;
        is_ordered = c->row_of[row] >= before;
        before = c->row_of[row];
    }
    return is_ordered ? kanon__findings_add(out, "order", NULL, NULL, 0, KANON_MARK_LOOK, err,
                                            "that of the table: those who know it know which row is whose; shuffle the rows")
                      : kanon__findings_add(out, "order", NULL, NULL, 0, KANON_MARK_MET, err, "it is not that of the table");
}

kanon_status kanon__original_list(kanon__findings *out, const kanon__original *original, const kanon_schema *schema,
                                  int64_t suppressed, kanon_error *err)
{
    const kanon__comparison *c = &original->comparison;
    KANON_CHECK(list_how(out, c, err));
    for (int i = 0; i < c->n_columns; i++)
        KANON_CHECK(list_column(out, c, i, err));
    for (int64_t i = 0; i < c->extra.n; i++)
        KANON_CHECK(kanon__findings_add(out, "extra_column", c->extra.items[i], NULL, 0, KANON_MARK_LOOK, err,
                                        "%.*s: the original has no such column", KANON__CUT(c->extra.items[i], 200)));
    KANON_CHECK(list_records(out, c, schema, suppressed, err));
    return list_order(out, c, err);
}

/* ---- persons ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__original_persons(uint32_t **out, int64_t *n_persons, const kanon__original *original,
                                     const uint32_t *class_of, int64_t n_classes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *data = &original->table->data;
    const kanon__comparison *c = &original->comparison;
    uint32_t *person_of = NULL, *first = NULL; /* by class: one of its persons; n_entities: none is known */
    *out = NULL;
    if (!data->has_entity)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&person_of, c->n_rows, "persons", err), out);
    KANON_TRY(kanon__new_array(&first, n_classes, "persons", err), out);
    for (int64_t i = 0; i < n_classes; i++)
        first[i] = (uint32_t)data->n_entities;
    for (int64_t row = 0; row < c->n_rows; row++)
        if (c->owner_of[row] >= 0)
            first[class_of[row]] = kanon__code_at(data->entity_codes, c->owner_of[row]);
    for (int64_t row = 0; row < c->n_rows; row++)
        person_of[row] = c->owner_of[row] >= 0 ? kanon__code_at(data->entity_codes, c->owner_of[row]) : first[class_of[row]];
    *n_persons = data->n_entities + 1;
    *out = person_of;
    person_of = NULL;
out:
    kanon__free(first);
    kanon__free(person_of);
    return st;
}
