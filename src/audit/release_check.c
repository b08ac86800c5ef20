/* What a released file really reaches, whichever tool wrote it.
 *
 * A class is the set of records whose quasi cells are the same texts: what differs in the file differs for its reader,
 * whatever it means. Quotes of CSV are not part of a text, white space is; a null is no text and differs from all. Only the
 * schema can say that two texts are one (`same`). The file is read once. Every cell becomes the code of its text, every row
 * the class of its codes, in one hash table whose size is that of the distinct rows.
 *
 *     row       [15-19],Male   [15,20),Male   *,*   **,*
 *     texts          0,0            1,0       2,1    3,1
 *     class           0              1         2      3
 *
 * Records with nothing but fully general cells are counted, and are a class like any other: what the reader sees of them is
 * that they were too few or too unusual to be shown. What texts mean is looked up only to tell which cells are fully
 * general, and to warn where two texts of a column mean the same.
 *
 * What was asked and cannot be counted, because a column is not in the file or cannot be read, is a failure that is listed:
 * a check that leaves something out must not end well. So is a column that nobody gave a role. */
#include "audit/check_others.h"
#include "audit/check_privacy.h"
#include "audit/check_verdict.h"
#include "audit/class_table.h"
#include "audit/made_by.h"
#include "audit/plain_values.h"
#include "audit/quasi_columns.h"
#include "audit/quasi_texts.h"
#include "audit/same_texts.h"
#include "audit/suspicious_columns.h"
#include "core/alloc.h"
#include "core/context.h"
#include "core/escape.h"
#include "core/take_input.h"
#include "core/take_options.h"
#include "core/text.h"
#include "core/ticker.h"
#include "measures/measure.h"
#include "table/domain/column_shape.h"
#include "table/domain/column_type.h"
#include "table/read/open_table.h"
#include "table/schema/schema.h"
#include "table/value/dictionary.h"
#include "table/value/figure_text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SIZES = 10 };
static const double default_threshold = 0.2;

/* The check and what its pointers point at. */
typedef struct report {
    kanon_check check; /* first, so that a pointer to it is one to the report */
    kanon_class_size **smallest;
    kanon__texts columns;          /* the names of the sensitive columns */
    kanon__privacy_result privacy; /* its lists also take what is found while the file is read */
    kanon__texts violated, unnamed;
    kanon_verdict verdict;
    kanon__made_by made;
    kanon__others others; /* the original, ... */
} report;

/* A sensitive column, or the one that says whose record it is. */
typedef struct sensitive_column {
    int column;
    kanon__dictionary texts;
    uint32_t *codes; /* of each row */
    int64_t codes_capacity;
} sensitive_column;

typedef struct checker {
    const kanon_schema *schema;
    kanon__source *source;
    kanon__cursor *cursor;
    report *report;
    kanon__quasi_column *quasi;
    sensitive_column *sensitive;
    int *insensitive; /* columns of the file */
    int n_quasi, n_sensitive, n_insensitive;
    sensitive_column entity; /* column -1: the file does not have it */
    bool has_others;         /* the file is compared with others */
    kanon__same_texts same;
    kanon__class_table classes;
    kanon__suspicions suspicions;
    uint32_t *class_of; /* of each row */
    int64_t class_of_capacity;
    uint32_t *tuple; /* of the current row */
    char *scratch;   /* for cells with doubled quotes */
    int64_t scratch_capacity;
    kanon__cell missing; /* a text that means "no value"; "" where none does */
    kanon__ticker ticker;
} checker;

/* ---- classes ----------------------------------------------------------------------------------------------------- */

/* Null in a tuple: no text is like it. */
#define NULL_CELL KANON__NO_CODE

/* Whether the records of the class have nothing but fully general cells. */
static bool is_general(const checker *c, uint32_t class_id)
{
    const uint32_t *tuple = c->classes.tuples + (int64_t)class_id * c->classes.width;
    for (int i = 0; i < c->n_quasi; i++)
        if (tuple[i] != NULL_CELL && !c->quasi[i].any[tuple[i]])
            return false;
    return true;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* The file's own copy of the name NAME + suffix; NULL where it has no such column. */
static const char *find_column(const kanon__source *source, const char *name, const char *suffix)
{
    int column = kanon__source_find_part(source, name, suffix);
    return column >= 0 ? source->column_names[column] : NULL;
}

/* Whether somebody said what the column is: its attribute has a role, or columns without one have. */
static bool has_role(const kanon_schema *schema, const kanon__attribute *attribute)
{
    return (attribute != NULL && attribute->has_role) ||
           (schema->has_default_role && schema->default_role != KANON_ROLE_IDENTIFYING);
}

/* Whether NAME_min and NAME_max, which the schema does not know, stand in the file in place of the quasi attribute NAME. */
static bool is_split(const checker *c, const kanon__attribute *attribute)
{
    if (kanon__schema_role(c->schema, attribute) != KANON_ROLE_QUASI || find_column(c->source, attribute->name, "") != NULL)
        return false;
    const char *min = find_column(c->source, attribute->name, "_min"),
               *max = find_column(c->source, attribute->name, "_max");
    return min != NULL && max != NULL && kanon__schema_find(c->schema, min) == NULL &&
           kanon__schema_find(c->schema, max) == NULL;
}

/* The attribute of a column: that of its name, or NAME of NAME_min and NAME_max; NULL where the schema does not know it. */
static const kanon__attribute *attribute_of(const checker *c, const char *column)
{
    const kanon__attribute *attribute = kanon__schema_find(c->schema, column);
    size_t length = strlen(column);
    if (attribute != NULL || length < 4)
        return attribute;
    length -= 4;
    if (strcmp(column + length, "_min") != 0 && strcmp(column + length, "_max") != 0)
        return NULL;
    attribute = kanon__schema_find_text(c->schema, column, length);
    return attribute != NULL && is_split(c, attribute) ? attribute : NULL;
}

/* The name of the root of the attribute's taxonomy, NULL where it has none. */
static kanon_status copy_root(char **out, const kanon__attribute *attribute, kanon_error *err)
{
    kanon__taxonomy *taxonomy = NULL;
    kanon_status st = kanon__taxonomy_of(&taxonomy, attribute, err);
    if (st == KANON_OK && taxonomy != NULL) {
        size_t length = 0;
        const char *label = kanon__taxonomy_label(taxonomy, 0, &length);
        kanon__trim(&label, &length);
        st = kanon__copy_text(out, label, length, "a taxonomy's root", err);
    }
    kanon__taxonomy_free(taxonomy);
    return st;
}

/* "BEGIN WORD: NAME, NAMEEND"; all names, however many they are. One with white space at an end is in quotes. */
static kanon_status join_names(char **out, const char *begin, const char *word, const kanon__texts *names, const char *end,
                               kanon_error *err)
{
    size_t size = strlen(begin) + strlen(word) + strlen(end) + 3, used;
    for (int64_t i = 0; i < names->n; i++)
        size += strlen(names->items[i]) + 4;
    kanon_status st = kanon__new_array(out, (int64_t)size, "column names", err);
    if (st != KANON_OK)
        return st;
    used = (size_t)snprintf(*out, size, "%s%s: ", begin, word);
    for (int64_t i = 0; i < names->n; i++) {
        const char *name = names->items[i];
        size_t length = strlen(name);
        kanon__trim(&name, &length);
        const char *quote = length < strlen(names->items[i]) ? "\"" : "";
        used += (size_t)snprintf(*out + used, size - used, "%s%s%s%s", i > 0 ? ", " : "", quote, names->items[i], quote);
    }
    snprintf(*out + used, size - used, "%s", end);
    return KANON_OK;
}

static kanon_status add_quasi(checker *c, int column, const kanon__attribute *attribute, kanon_error *err)
{
    kanon__quasi_column *quasi = &c->quasi[c->n_quasi++];
    *quasi = (kanon__quasi_column){.column = column};
    kanon_status st = kanon__dictionary_init(&quasi->texts, err);
    if (st != KANON_OK || attribute == NULL)
        return st;
    quasi->kind = (kanon__value_kind){attribute->type, kanon__attribute_format(attribute, c->schema)};
    if (quasi->kind.type == KANON_TYPE_UNKNOWN &&
        kanon__attribute_has_tree(attribute))
        quasi->kind.type = KANON_TYPE_CATEGORICAL;
    return copy_root(&quasi->root, attribute, err);
}

static kanon_status add_sensitive(checker *c, int column, kanon_error *err)
{
    sensitive_column *sensitive = &c->sensitive[c->n_sensitive++];
    *sensitive = (sensitive_column){.column = column};
    const char *name = c->source->column_names[column];
    kanon_status st = kanon__dictionary_init(&sensitive->texts, err);
    return st != KANON_OK ? st : kanon__texts_add(&c->report->columns, name, strlen(name), err);
}

static kanon_status add_entity(checker *c, int column, kanon_error *err)
{
    c->entity.column = column;
    kanon_status st = kanon__dictionary_init(&c->entity.texts, err);
    return st != KANON_OK
               ? st
               : kanon__texts_addf(&c->report->privacy.warnings, err, "%s: the file shows which records are one entity's",
                                   c->source->column_names[column]);
}

static kanon_status add_column(checker *c, int column, kanon_error *err)
{
    const char *name = c->source->column_names[column];
    const kanon__attribute *attribute = attribute_of(c, name);
    bool is_entity = c->schema->said[KANON__WHOLE_ENTITY] != NULL && strcmp(c->schema->said[KANON__WHOLE_ENTITY], name) == 0;
    kanon_status st = is_entity ? add_entity(c, column, err) : KANON_OK;
    if (st == KANON_OK && !has_role(c->schema, attribute)) /* an entity has no role of its own, and needs none */
        return is_entity ? KANON_OK : kanon__texts_add_shown(&c->report->unnamed, name, err);
    if (st != KANON_OK)
        return st;
    switch (kanon__schema_role(c->schema, attribute)) {
    case KANON_ROLE_QUASI:
        return add_quasi(c, column, attribute, err);
    case KANON_ROLE_SENSITIVE:
        return add_sensitive(c, column, err);
    case KANON_ROLE_IDENTIFYING:
        c->report->check.identifying_columns++;
        return kanon__texts_addf(&c->report->privacy.warnings, err, "%s: an identifying column is in the file", name);
    case KANON_ROLE_INSENSITIVE:
        c->insensitive[c->n_insensitive++] = column;
        break;
    }
    return KANON_OK;
}

/* What a default role makes of columns that nobody named is as good as said, and still worth a look. */
static kanon_status warn_of_default_role(checker *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__texts names = {0};
    char *list = NULL;
    for (int i = 0; i < c->source->n_columns && st == KANON_OK; i++) {
        const kanon__attribute *attribute = attribute_of(c, c->source->column_names[i]);
        if ((attribute == NULL || !attribute->has_role) && has_role(c->schema, attribute))
            st = kanon__texts_add_shown(&names, c->source->column_names[i], err);
    }
    if (st == KANON_OK && names.n > 0)
        st = join_names(&list, "not named in the schema, so ",
                        kanon_enum_text(KANON_ENUM_ROLE, c->schema->default_role), &names, "", err);
    if (st == KANON_OK && names.n > 0)
        st = kanon__texts_add(&c->report->privacy.warnings, list, strlen(list), err);
    kanon__texts_clear(&names);
    kanon__free(list);
    return st;
}

/* k over fewer columns than the schema names is not the k that was asked for. */
static kanon_status note_absent(checker *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < c->schema->n_attributes && st == KANON_OK; i++) {
        const kanon__attribute *attribute = &c->schema->attributes[i];
        bool is_quasi = kanon__attribute_is_named(attribute) && kanon__schema_role(c->schema, attribute) == KANON_ROLE_QUASI;
        if (is_quasi && !is_split(c, attribute) && find_column(c->source, attribute->name, "") == NULL)
            st = kanon__texts_addf(&c->report->privacy.not_shown, err, "%s: a quasi column of the schema is not in the file",
                                   attribute->name);
    }
    return st;
}

static kanon_status set_up_columns(checker *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&c->quasi, c->source->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&c->sensitive, c->source->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&c->insensitive, c->source->n_columns, "columns", err), out);
    for (int i = 0; i < c->source->n_columns; i++)
        KANON_TRY(add_column(c, i, err), out);
    if (c->n_quasi == 0) {
        st = kanon__fail(err, KANON_EDATA, "%s: no column of the file is a quasi one", c->source->name);
        kanon__hint(err, st, "name its quasi columns in the schema: {role: quasi}; is the delimiter right?");
        kanon__topic(err, st, "roles");
        goto out;
    }
    KANON_TRY(note_absent(c, err), out);
    KANON_TRY(warn_of_default_role(c, err), out);
    c->classes.width = c->n_quasi;
    KANON_TRY(kanon__new_array(&c->tuple, c->n_quasi, "a row", err), out);
out:
    return st;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The code of a cell's text. A null that is not in a quasi column is a missing value, as in a table: the same as every text
 * that means "no value". */
static kanon_status code_of(checker *c, uint32_t *out, kanon__dictionary *texts, const kanon__cell *cell, kanon_error *err)
{
    const char *text = cell->text;
    size_t length = cell->length;
    if (cell->doubled) {
        kanon_status st = kanon__grow_array(&c->scratch, &c->scratch_capacity, (int64_t)length, "a cell", err);
        if (st != KANON_OK)
            return st;
        length = kanon__csv_unescape(c->scratch, cell);
        text = c->scratch;
    }
    kanon__same_texts_replace(&c->same, &text, &length);
    return kanon__dictionary_add(texts, out, text, length, err);
}

/* The cell with a text that tells it from all others. Numbers are never printed like this. */
static const kanon__cell *as_seen(const kanon__cell *cell)
{
    static const kanon__cell minus_zero = {.text = "-0", .length = 2}, no_number = {.text = "nan", .length = 3};
    return !cell->odd ? cell : cell->null ? &no_number : &minus_zero;
}

static kanon_status read_row(checker *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t row = c->report->check.records;
    uint32_t class_id = 0;
    for (int i = 0; i < c->n_quasi; i++) {
        const kanon__cell *cell = as_seen(&c->cursor->cells[c->quasi[i].column]);
        c->tuple[i] = NULL_CELL;
        if (!cell->null)
            KANON_TRY(code_of(c, &c->tuple[i], &c->quasi[i].texts, cell, err), out);
    }
    KANON_TRY(kanon__class_table_add(&c->classes, &class_id, c->tuple, err), out);
    for (int i = c->entity.column < 0 ? 0 : -1; i < c->n_sensitive; i++) {
        sensitive_column *s = i < 0 ? &c->entity : &c->sensitive[i];
        KANON_TRY(kanon__grow_array(&s->codes, &s->codes_capacity, row + 1, "sensitive values", err), out);
        const kanon__cell *cell = &c->cursor->cells[s->column];
        KANON_TRY(code_of(c, &s->codes[row], &s->texts, cell->null ? &c->missing : cell, err), out);
    }
    KANON_TRY(kanon__grow_array(&c->class_of, &c->class_of_capacity, row + 1, "classes of rows", err), out);
    c->class_of[row] = class_id;
    c->report->check.records++;
out:
    return st;
}

static kanon_status read_rows(checker *c, kanon_error *err)
{
    enum { ROW_NS = 100, CELL_NS = 20 };
    kanon_status st = KANON_OK;
    for (;;) {
        bool has_row = false;
        KANON_TRY(c->source->class->next(c->cursor, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(read_row(c, err), out);
        KANON_TRY(kanon__tick(&c->ticker, c->cursor->done, c->cursor->total, ROW_NS + c->source->n_columns * CELL_NS, err),
                  out);
    }
    if (c->report->check.records == 0) {
        st = kanon__fail(err, KANON_EDATA, "%s: no records", c->source->name);
        kanon__hint(err, st, "a release has a line of column names and one line for each record");
    }
out:
    return st;
}

static kanon_status inspect_columns(checker *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < c->n_quasi; i++) {
        KANON_TRY(kanon__quasi_inspect(&c->quasi[i], c->source->column_names[c->quasi[i].column], c->schema,
                                       &c->report->privacy.warnings, err),
                  out);
        KANON_TRY(kanon__tick(&c->ticker, 0, 0, KANON__TICK_POLL_NS, err), out);
    }
out:
    return st;
}

/* ---- columns that are released as they are ------------------------------------------------------------------------- */

/* Warn of what they may say about persons, whatever role the schema gives them. */
static kanon_status warn_of_suspicions(checker *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_role *roles = NULL;
    kanon__value_kind *kinds = NULL;
    kanon__suspicions *found = &c->suspicions;
    char *const *names = c->source->column_names;
    KANON_TRY(kanon__new_array(&roles, c->source->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&kinds, c->source->n_columns, "columns", err), out);
    for (int i = 0; i < c->source->n_columns; i++)
        roles[i] = i == c->entity.column ? KANON_ROLE_IDENTIFYING : kanon__schema_role(c->schema, attribute_of(c, names[i]));
    for (int i = 0; i < c->n_quasi; i++)
        kinds[c->quasi[i].column] = c->quasi[i].kind;
    const kanon__released_file file = {c->schema, c->source, c->report->check.records, roles, kinds};
    KANON_TRY(kanon__suspicious_columns(found, &file, err), out);
    for (int64_t i = 0; i < found->n; i++)
        KANON_TRY(kanon__texts_addf(&c->report->privacy.warnings, err, "%.*s: %s",
                                    KANON__CUT(names[found->items[i].column], 200),
                                    found->items[i].text),
                  out);
out:
    kanon__free(kinds);
    kanon__free(roles);
    return st;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static void count_suppressed(const checker *c)
{
    for (uint32_t i = 0; i < c->classes.n; i++)
        c->report->check.suppressed += is_general(c, i) ? c->classes.sizes[i] : 0;
}

/* Many tools write suppressed records as rows of stars; whoever did so should know why k is small. */
static kanon_status warn_of_general(const checker *c, kanon_error *err)
{
    int64_t n_small = 0;
    for (uint32_t i = 0; i < c->classes.n; i++)
        n_small += is_general(c, i) && c->classes.sizes[i] < c->report->check.k_asked ? c->classes.sizes[i] : 0;
    return n_small == 0 ? KANON_OK
                        : kanon__texts_addf(&c->report->privacy.warnings, err,
                                            "suppressed records are a class like any other, and %lld are too few: leave "
                                            "them "
                                            "out of the file",
                                            (long long)n_small);
}

/* By row: its class. */
static kanon_status list_groups(int32_t **out, const checker *c, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, c->report->check.records, "classes of rows", err);
    for (int64_t row = 0; st == KANON_OK && row < c->report->check.records; row++)
        (*out)[row] = (int32_t)c->class_of[row];
    return st;
}

static kanon_status measure_privacy(checker *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    report *r = c->report;
    int32_t *group_of = NULL;
    kanon__released_column *columns = NULL;
    kanon__released_column entity = {0};
    KANON_TRY(list_groups(&group_of, c, err), out);
    KANON_TRY(kanon__tick(&c->ticker, 0, 0, KANON__TICK_POLL_NS, err), out);
    KANON_TRY(kanon__new_array(&columns, c->n_sensitive, "sensitive columns", err), out);
    for (int i = 0; i < c->n_sensitive; i++)
        columns[i] = (kanon__released_column){r->columns.items[i], c->sensitive[i].codes, &c->sensitive[i].texts};
    if (c->entity.column >= 0)
        entity = (kanon__released_column){c->schema->said[KANON__WHOLE_ENTITY], c->entity.codes, &c->entity.texts};
    kanon__released subject = {.schema = c->schema,
                               .source = c->source,
                               .n_rows = r->check.records,
                               .group_of = group_of,
                               .n_groups = c->classes.n,
                               .columns = columns,
                               .n_columns = c->n_sensitive,
                               .insensitive = c->insensitive,
                               .n_insensitive = c->n_insensitive,
                               .entity = c->entity.column >= 0 ? &entity : NULL,
                               .persons = r->others.persons,
                               .n_persons = r->others.n_persons,
                               .has_original = r->others.original.table != NULL,
                               .persons_open = r->others.n_open > 0,
                               .ticker = &c->ticker};
    KANON_TRY(kanon__check_privacy(&r->privacy, &subject, err), out);
    r->check.entities = r->privacy.fewest_entities;
    r->check.singled_out_all = r->privacy.singled_out_all;
out:
    kanon__free(columns);
    kanon__free(group_of);
    return st;
}

/* The smallest sizes and how many classes have them. */
static kanon_status list_smallest(report *r, const kanon__sums *sums, kanon_error *err)
{
    size_t n = 0;
    KANON_CHECK(kanon__new_list(&r->smallest, NULL, MOST_SIZES, "class sizes", err));
    for (int64_t i = 0, end; i < sums->n_counts && n < MOST_SIZES; i = end) {
        int64_t size = sums->classes[i].size, n_records = 0;
        for (end = i; end < sums->n_counts && sums->classes[end].size == size; end++)
            n_records += sums->classes[end].n;
        *r->smallest[n++] = (kanon_class_size){size, n_records / size};
    }
    r->check.n_smallest = n;
    return KANON_OK;
}

static kanon_status measure_classes(checker *c, double threshold, kanon_error *err)
{
    static const kanon__data no_columns = {0};
    kanon_status st = KANON_OK;
    kanon_check *check = &c->report->check;
    const int32_t *class_of = (const int32_t *)c->class_of, *own = c->report->privacy.own;
    kanon__sums sums = {0};
    KANON_TRY(kanon__sums_init(&sums, &no_columns, KANON__SUM_SIZES | KANON__SUM_RISKS, err), out);
    sums.n_rows = check->records;
    sums.n_groups = check->classes = c->classes.n;
    KANON_TRY(kanon__sums_add_classes(&sums, c->classes.sizes, c->classes.n, class_of, own, check->records, err), out);
    check->k = kanon__sums_smallest(&sums);
    check->average_class_size = kanon__measure_class_size_mean.figure(&sums, 0);
    check->highest_risk = kanon__measure_highest_risk.figure(&sums, 0);
    check->average_risk = kanon__measure_average_risk.figure(&sums, 0);
    check->share_at_risk = kanon__sums_above(&sums, threshold);
    KANON_TRY(list_smallest(c->report, &sums, err), out);
out:
    kanon__sums_clear(&sums);
    return st;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

/* It may be anything, so nothing of what was asked is worth much until somebody says what it is. */
static kanon_status list_unnamed(report *r, kanon_error *err)
{
    char *line = NULL;
    if (r->unnamed.n == 0)
        return KANON_OK;
    kanon_status st = join_names(&line, "", r->unnamed.n > 1 ? "columns without a role" : "a column without a role",
                                 &r->unnamed,
                                 "; give a role (insensitive: released as it is), or the default role insensitive", err);
    if (st == KANON_OK)
        st = kanon__texts_add(&r->violated, line, strlen(line), err);
    kanon__free(line);
    return st;
}

static kanon_status list_violated(const checker *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    report *r = c->report;
    kanon_check *check = &r->check;
    long long k = check->k, asked = check->k_asked, entities = check->entities;
    size_t n_violated = 0, n = r->privacy.n_constraints;
    for (size_t i = 0; i < n; i++)
        n_violated += !r->privacy.constraints[i]->holds;
    if (k < asked)
        KANON_TRY(kanon__texts_addf(&r->violated, err, "k is %lld, less than the %lld asked for", k, asked), out);
    if (r->privacy.own != NULL && entities < asked && r->others.n_open == 0)
        KANON_TRY(kanon__texts_addf(&r->violated, err, "a group has records of %lld person%s, fewer than the %lld asked for",
                                    entities, entities == 1 ? "" : "s", asked),
                  out);
    if (n_violated > 0)
        KANON_TRY(kanon__texts_addf(&r->violated, err, "%zu of %zu constraints %s violated", n_violated, n,
                                    n_violated == 1 ? "is" : "are"),
                  out);
    if (check->identifying_columns > 0)
        KANON_TRY(kanon__texts_addf(&r->violated, err, "%d identifying column%s in the file", check->identifying_columns,
                                    check->identifying_columns == 1 ? " is" : "s are"),
                  out);
    double most = kanon__fraction_value(c->schema->singled_out);
    if (check->singled_out_all > most)
        KANON_TRY(kanon__texts_addf(&r->violated, err,
                                    "the columns together single out %s of the rows, more than the %s asked for",
                                    kanon__show_share(check->singled_out_all).text, kanon__show_share(most).text),
                  out);
    KANON_TRY(list_unnamed(r, err), out);
out:
    return st;
}

/* The public fields point at the lists, which do not change any more. */
static void publish_lists(report *r)
{
    kanon_check *check = &r->check;
    check->smallest = (const kanon_class_size *const *)r->smallest;
    check->figures = (const kanon_privacy_figure *const *)r->privacy.figures;
    check->n_figures = r->privacy.n_figures;
    check->constraints = (const kanon_constraint_status *const *)r->privacy.constraints;
    check->n_constraints = r->privacy.n_constraints;
    check->warnings = (const char *const *)r->privacy.warnings.items;
    check->n_warnings = (size_t)r->privacy.warnings.n;
    check->unnamed = (const char *const *)r->unnamed.items;
    check->n_unnamed = (size_t)r->unnamed.n;
    check->violated = (const char *const *)r->violated.items;
    check->n_violated = (size_t)r->violated.n;
    check->not_shown = (const char *const *)r->privacy.not_shown.items;
    check->n_not_shown = (size_t)r->privacy.not_shown.n;
    check->findings = (const kanon_finding *const *)r->others.findings.items;
    check->n_findings = r->others.findings.n;
    check->compared = (const kanon_figure *const *)r->others.findings.figures;
    check->n_compared = r->others.findings.n_figures;
}

/* What the other files show is a part of the verdict. */
static kanon_status list_others(checker *c, kanon_error *err)
{
    report *r = c->report;
    bool persons_wanted = c->schema->said[KANON__WHOLE_ENTITY] != NULL && c->entity.column < 0;
    r->check.original_shows = persons_wanted && r->others.original.table == NULL;
    KANON_CHECK(kanon__others_list(&r->others, c->schema, r->check.k_asked, r->check.entities, r->check.suppressed,
                                    err));
    for (size_t i = 0; i < r->others.findings.n; i++) {
        const kanon_finding *finding = r->others.findings.items[i];
        if (finding->mark == KANON_MARK_NOT_SHOWN && strcmp(finding->name, "persons") == 0)
            KANON_CHECK(kanon__texts_add(&r->privacy.persons_not_shown, finding->sentence, strlen(finding->sentence), err));
        kanon__texts *to = finding->mark == KANON_MARK_FAILED       ? &r->violated
                           : finding->mark == KANON_MARK_NOT_SHOWN ? &r->privacy.not_shown
                                                                       : NULL;
        if (to != NULL)
            KANON_CHECK(kanon__texts_add(to, finding->sentence, strlen(finding->sentence), err));
    }
    return KANON_OK;
}

/* Before the figures: who is who in the file. */
static kanon_status read_others(checker *c, const kanon_check_options *given, kanon_error *err)
{
    const kanon__others_subject subject = {.source = c->source,
                                           .schema = c->schema,
                                           .class_of = c->class_of,
                                           .n_classes = c->classes.n,
                                           .n_rows = c->report->check.records,
                                           .has_entity = c->entity.column >= 0,
                                           .ticker = &c->ticker};
    return c->has_others ? kanon__others_read(&c->report->others, &subject, given, err) : KANON_OK;
}

/* The columns whose cells stand in their own rows. */
static int count_kept(const checker *c)
{
    int n = 0;
    for (int i = 0; i < c->n_sensitive + c->n_insensitive; i++) {
        int column = i < c->n_sensitive ? c->sensitive[i].column : c->insensitive[i - c->n_sensitive];
        n += !kanon__attribute_is_permuted(attribute_of(c, c->source->column_names[column]));
    }
    return n;
}

static kanon_status judge(checker *c, kanon_error *err)
{
    report *r = c->report;
    const kanon__checked checked = {.check = &r->check,
                                    .schema = c->schema,
                                    .persons_not_shown = &r->privacy.persons_not_shown,
                                    .suspicions = &c->suspicions,
                                    .column_names = c->source->column_names,
                                    .n_kept = count_kept(c),
                                    .n_permuted = c->n_sensitive + c->n_insensitive - count_kept(c),
                                    .has_original = c->report->others.original.table != NULL};
    KANON_CHECK(kanon__check_verdict(&r->verdict, &checked, err));
    r->check.verdict = &r->verdict;
    r->check.holds = kanon_verdict_holds(&r->verdict);
    return KANON_OK;
}

static kanon_status measure(checker *c, double threshold, int64_t k_asked, kanon_error *err)
{
    kanon_status st = KANON_OK;
    report *r = c->report;
    r->check.k_asked = k_asked;
    count_suppressed(c);
    KANON_TRY(warn_of_general(c, err), out);
    KANON_TRY(measure_privacy(c, err), out);
    KANON_TRY(measure_classes(c, threshold, err), out);
    KANON_TRY(list_violated(c, err), out);
    KANON_TRY(list_others(c, err), out);
    publish_lists(r);
    r->check.asked = k_asked > 0 || c->schema->n_constraints > 0 || c->schema->said[KANON__WHOLE_ENTITY] != NULL ||
                     c->schema->said[KANON__WHOLE_SINGLED_OUT] != NULL;
    st = judge(c, err);
out:
    return st;
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

static void clear_checker(checker *c)
{
    kanon__suspicions_clear(&c->suspicions);
    kanon__free(c->scratch);
    kanon__free(c->tuple);
    kanon__free(c->class_of);
    kanon__class_table_clear(&c->classes);
    kanon__same_texts_clear(&c->same);
    for (int i = 0; i < c->n_sensitive; i++) {
        kanon__free(c->sensitive[i].codes);
        kanon__dictionary_clear(&c->sensitive[i].texts);
    }
    kanon__free(c->insensitive);
    kanon__free(c->sensitive);
    kanon__free(c->entity.codes);
    kanon__dictionary_clear(&c->entity.texts);
    for (int i = 0; i < c->n_quasi; i++)
        kanon__quasi_texts_clear(&c->quasi[i]);
    kanon__free(c->quasi);
    c->source->class->close(c->cursor);
    kanon__source_free(c->source);
}

/* Check the release in `source`, which is taken over in any case. `notices` are the first warnings. */
static kanon_status check_source(kanon_check **out, kanon__source *source, const kanon_schema *schema,
                                 kanon_check_options given, const kanon__texts *notices, kanon_error *err)
{
    kanon_status st = KANON_OK;
    checker c = {.schema = schema, .source = source, .entity.column = -1, .missing = {.text = ""}};
    if (schema->missing.n > 0)
        c.missing = (kanon__cell){.text = schema->missing.items[0], .length = strlen(schema->missing.items[0])};
    if (!(given.risk_threshold >= 0 && given.risk_threshold <= 1)) {
        st = kanon__fail(err, KANON_EINVAL, "the risk threshold is not between 0 and 1");
        goto out;
    }
    if (given.k < 0) {
        st = kanon__fail(err, KANON_EINVAL, "k is negative");
        goto out;
    }
    kanon__ticker_init(&c.ticker, given.tick, given.payload, "reading");
    c.has_others = given.original != NULL || given.n_earlier > 0 || given.population != NULL;
    KANON_TRY(kanon__new_array(&c.report, 1, "a report", err), out);
    KANON_TRY(kanon__texts_append(&c.report->privacy.warnings, notices, err), out);
    KANON_TRY(c.source->class->open(&c.cursor, c.source, err), out);
    KANON_TRY(kanon__same_texts_read(&c.same, &schema->same, err), out);
    KANON_TRY(set_up_columns(&c, err), out);
    KANON_TRY(read_rows(&c, err), out);
    KANON_TRY(inspect_columns(&c, err), out);
    KANON_TRY(warn_of_suspicions(&c, err), out);
    KANON_TRY(read_others(&c, &given, err), out);
    KANON_TRY(measure(&c, given.risk_threshold > 0 ? given.risk_threshold : default_threshold,
                      given.k > 0 ? given.k : schema->k, err),
              out);
    *out = &c.report->check;
    c.report = NULL;
out:
    kanon_check_free(c.report != NULL ? &c.report->check : NULL);
    clear_checker(&c);
    return st;
}

/* Begin the call that checks a release, in the context of the options or else the schema. */
static kanon_status begin_check(kanon__call *call, kanon_check_options *given, const kanon_schema *schema,
                                const kanon_check_options *options, kanon_error *err)
{
    kanon_status st = kanon__take_options(given, sizeof *given, options, err);
    if (st == KANON_OK)
        st = kanon__context_check(given->context, err);
    if (st == KANON_OK)
        kanon__call_begin(call, given->context != NULL ? given->context : schema->context);
    if (st == KANON_OK)
        kanon__call_ticks(&given->tick, &given->payload);
    return st;
}

static kanon_status check_input(kanon_check **out, kanon__input *input, kanon__csv_reading how, const kanon_schema *schema,
                                kanon_check_options given, kanon_error *err)
{
    kanon__source *source = NULL;
    kanon__texts notices = {0};
    kanon__ticker ticker;
    how.notices = &notices;
    /* releases have a header, whatever their table has */
    if (how.header == KANON_HEADER_UNSAID && schema->header == KANON_HEADER_YES)
        how.header = KANON_HEADER_YES;
    kanon__ticker_init(&ticker, given.tick, given.payload, "reading");
    kanon_status st = kanon__table_source_read(&source, input, &how, &ticker, err);
    if (st == KANON_OK)
        st = check_source(out, source, schema, given, &notices, err);
    kanon__texts_clear(&notices);
    return st;
}

/* Of the other files those that the check did not come to read. */
static void drop_streams(const kanon_check_options *given)
{
    for (size_t i = 0; i < given->n_earlier; i++)
        kanon__given_drop(given->earlier[i]);
    if (given->original != NULL)
        kanon__given_drop(given->original);
    if (given->population != NULL)
        kanon__given_drop(given->population);
}

/* What the file says of itself. */
static kanon_status read_marks(kanon_check *check, const char *path, kanon_error *err)
{
    report *r = (report *)check;
    kanon_status st = kanon__made_by_read(&r->made, path, err);
    check->made_by = r->made.by;
    check->made_roles = r->made.roles;
    return st;
}

kanon_status kanon_check_read(kanon_check **out, const kanon_input *release, const kanon_schema *schema,
                              const kanon_check_options *options, kanon_error *err)
{
    kanon__call call;
    kanon_check_options given;
    kanon__input input;
    kanon__csv_reading how;
    *out = NULL;
    kanon_status begun = begin_check(&call, &given, schema, options, err);
    kanon_status st = kanon__table_input_take(&input, &how, release, begun, err);
    if (st == KANON_OK)
        st = check_input(out, &input, how, schema, given, err);
    drop_streams(&given);
    if (st == KANON_OK && release->location != NULL)
        st = read_marks(*out, release->location, err);
    if (st != KANON_OK) {
        kanon_check_free(*out);
        *out = NULL;
    }
    return begun == KANON_OK ? kanon__call_end(&call, st) : st;
}

void kanon_check_free(kanon_check *check)
{
    report *r = (report *)check;
    if (r == NULL)
        return;
    kanon__others_clear(&r->others);
    kanon__made_by_clear(&r->made);
    kanon__texts_clear(&r->unnamed);
    kanon__verdict_clear(&r->verdict);
    kanon__texts_clear(&r->violated);
    kanon__privacy_result_clear(&r->privacy);
    kanon__free(r->smallest);
    kanon__texts_clear(&r->columns);
    kanon__free(r);
}
