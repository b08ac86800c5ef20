/* The independent check of a release in Arrow batches: see verify_arrow.h.
 *
 * Columns are checked one per task. A task of a quasi column goes through all records and does two things for each: it makes
 * sure that the table's code says what stands in the input, and that the released cell covers what the code says. Where the
 * source has cells of text, they are read in their own order, part by part, by tasks that come first. */
#include "verify/verify_arrow.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "table/number.h"
#include "verify/arrow_cells.h"
#include "verify/arrow_reader.h"
#include "verify/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A released column, and what it is to hold. */
typedef struct field {
    int number; /* of the table's column */
    int quasi;  /* its place among the quasi columns; -1: kept */
    int child;  /* the first child of the batches; NAME_max is the next one */
    int n_children;
    kanon__read_shape shape;
    bool own_type;              /* numbers in the type that they have in the input */
    kanon__read_shape original; /* of the input, where that is Arrow */
    uint32_t *class_of;         /* quasi, by group: equal numbers where groups show the same */
} field;

typedef struct check {
    const kanon__arrow_claim *claim;
    const kanon_table *table;
    const kanon__arrow_source *arrow; /* NULL: the input is not from Arrow */
    field *fields;
    int n_fields;
    int64_t *begins;   /* by batch of the release: its first record, and the number of records */
    int32_t *place_of; /* by row: its place in the release; NULL: its own number */
} check;

static kanon_status fail(const check *c, const field *f, int64_t row, const char *what, kanon_error *err)
{
    return kanon__fail(err, KANON_EINTERNAL, "the check found %s: record %lld, column %s", what, (long long)row + 1,
                       c->table->data.columns[f->number].name);
}

/* ---- the schema --------------------------------------------------------------------------------------------------- */

/* Whether the format is that of numbers or dates. */
static bool is_number_format(const char *format)
{
    return (strchr("csilCSILfg", format[0]) != NULL && format[0] != '\0' && format[1] == '\0') ||
           strncmp(format, "d:", 2) == 0 || strncmp(format, "td", 2) == 0;
}

static const char *format_of_type(kanon_type type)
{
    return type == KANON_TYPE_INTEGER ? "l" : type == KANON_TYPE_DECIMAL ? "g" : type == KANON_TYPE_DATE ? "tdD" : "i";
}

/* The formats of what a column of the table is to be released as. */
static void expected_type(const check *c, field *f, const char **format, const char **entries)
{
    const kanon__column *column = &c->table->data.columns[f->number];
    const struct ArrowSchema *given = c->arrow != NULL ? c->arrow->schema.children[f->number] : NULL;
    bool numeric = kanon__column_is_numeric(column);
    *entries = NULL;
    if (f->quasi < 0 && given != NULL) {
        *format = given->format;
        *entries = given->dictionary != NULL ? given->dictionary->format : NULL;
        return;
    }
    if (f->quasi < 0 && column->role != KANON_ROLE_SENSITIVE) {
        *format = "u";
        return;
    }
    *format = format_of_type(column->domain->type);
    *entries = numeric ? NULL : "u";
    if (f->quasi < 0 || !numeric)
        return;
    const char *own = given == NULL ? "" : given->dictionary != NULL ? given->dictionary->format : given->format;
    if (c->claim->numeric == KANON_ARROW_TEXT) {
        *format = "u";
    } else if (c->claim->numeric == KANON_ARROW_MEAN) {
        *format = column->domain->type == KANON_TYPE_DATE ? "tdD" : "g";
    } else if (is_number_format(own)) {
        *format = own;
        f->own_type = true;
    }
}

/* A kept dictionary that is put together from several may have wider indices, and texts that are no views. */
static bool is_expected(const check *c, const field *f, const struct ArrowSchema *schema, const char *format,
                        const char *entries)
{
    bool kept = f->quasi < 0 && c->arrow != NULL;
    if (schema->release == NULL || (schema->dictionary != NULL) != (entries != NULL) || schema->n_children != 0)
        return false;
    if (strcmp(schema->format, format) != 0 && !(kept && entries != NULL && strcmp(schema->format, "i") == 0))
        return false;
    if (!kept && (schema->flags & ARROW_FLAG_NULLABLE) == 0)
        return false;
    return entries == NULL || strcmp(schema->dictionary->format, entries) == 0 ||
           (kept && strcmp(entries, "vu") == 0 && strcmp(schema->dictionary->format, "u") == 0);
}

static bool is_name(const char *is, const char *name, const char *suffix)
{
    size_t length = strlen(name);
    return is != NULL && strncmp(is, name, length) == 0 && strcmp(is + length, suffix) == 0;
}

static kanon_status check_field(const check *c, field *f, kanon_error *err)
{
    const kanon__column *column = &c->table->data.columns[f->number];
    const struct ArrowSchema *schema = c->claim->schema;
    const char *format, *entries, *suffixes[2] = {"", ""};
    expected_type(c, f, &format, &entries);
    f->n_children = 1;
    if (f->quasi >= 0 && kanon__column_is_numeric(column) && c->claim->numeric == KANON_ARROW_COLUMNS) {
        f->n_children = 2;
        suffixes[0] = "_min";
        suffixes[1] = "_max";
    }
    for (int i = 0; i < f->n_children; i++) {
        int64_t child = f->child + i;
        if (child >= schema->n_children || !is_name(schema->children[child]->name, column->name, suffixes[i]) ||
            !is_expected(c, f, schema->children[child], format, entries))
            return kanon__fail(err, KANON_EINTERNAL, "the check found another column than expected: column %s",
                               column->name);
    }
    f->shape = kanon__read_shape_of(schema->children[f->child]);
    if (c->arrow != NULL)
        f->original = kanon__read_shape_of(c->arrow->schema.children[f->number]);
    return KANON_OK;
}

static kanon_status check_schema(check *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *d = &c->table->data;
    int child = 0;
    KANON_TRY(kanon__new_array(&c->fields, d->n_columns, "the check of the release", err), out);
    if (c->claim->schema->format == NULL || strcmp(c->claim->schema->format, "+s") != 0) {
        st = kanon__fail(err, KANON_EINTERNAL, "the check found no record batches");
        goto out;
    }
    for (int i = 0, quasi = 0; i < d->n_columns; i++) {
        if (d->columns[i].role == KANON_ROLE_IDENTIFYING)
            continue;
        field *f = &c->fields[c->n_fields++];
        *f = (field){.number = i, .quasi = d->columns[i].role == KANON_ROLE_QUASI ? quasi++ : -1, .child = child};
        KANON_TRY(check_field(c, f, err), out);
        child += f->n_children;
    }
    if (child != c->claim->schema->n_children)
        st = kanon__fail(err, KANON_EINTERNAL, "the check found columns that are not expected");
out:
    return st;
}

/* ---- batches and records ------------------------------------------------------------------------------------------ */

static kanon_status check_batches(check *c, kanon_error *err)
{
    const kanon__arrow_claim *claim = c->claim;
    kanon_status st = kanon__new_array(&c->begins, claim->n_batches + 1, "the check of the release", err);
    for (int64_t i = 0; st == KANON_OK && i < claim->n_batches; i++) {
        const struct ArrowArray *batch = &claim->batches[i];
        bool good = batch->release != NULL && batch->n_children == claim->schema->n_children && batch->offset == 0 &&
                    batch->null_count == 0 && batch->length >= 0;
        for (int64_t child = 0; good && child < batch->n_children; child++)
            good = batch->children[child]->length == batch->length;
        if (!good)
            return kanon__fail(err, KANON_EINTERNAL, "the check found a batch with columns of other lengths");
        c->begins[i + 1] = c->begins[i] + batch->length;
    }
    if (st == KANON_OK && c->begins[claim->n_batches] != c->table->data.n_rows)
        st = kanon__fail(err, KANON_EINTERNAL, "the check saw %lld records of %lld", (long long)c->begins[claim->n_batches],
                         (long long)c->table->data.n_rows);
    return st;
}

/* The place of each row in the release; the order must name every row once. */
static kanon_status check_order(check *c, kanon_error *err)
{
    const int32_t *order = c->claim->order;
    int64_t n = c->table->data.n_rows;
    if (order == NULL)
        return KANON_OK;
    kanon_status st = kanon__new_array(&c->place_of, n, "the check of the release", err);
    if (st != KANON_OK)
        return st;
    memset(c->place_of, 0xff, (size_t)n * sizeof *c->place_of);
    for (int64_t i = 0; i < n; i++) {
        if (order[i] < 0 || order[i] >= n || c->place_of[order[i]] >= 0)
            return kanon__fail(err, KANON_EINTERNAL, "the check found a record twice");
        c->place_of[order[i]] = (int32_t)i;
    }
    return KANON_OK;
}

/* The part of an ordered list of beginnings that a number is in; `last` is tried first. */
static inline int64_t part_of(const int64_t *begins, int64_t n_parts, int64_t i, int64_t last)
{
    int64_t low = 0, high = n_parts;
    if (begins[last] <= i && i < begins[last + 1])
        return last;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (begins[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A released column, read record by record. */
typedef struct pass {
    const check *check;
    const field *field;
    int64_t batch, given_batch; /* the last ones */
} pass;

static inline kanon__read_value released_at(pass *p, int64_t place, int part)
{
    const check *c = p->check;
    p->batch = part_of(c->begins, c->claim->n_batches, place, p->batch);
    return kanon__read_at(p->field->shape, c->claim->batches[p->batch].children[p->field->child + part],
                          place - c->begins[p->batch]);
}

/* The value of an Arrow input. */
static inline kanon__read_value given_at(pass *p, int64_t row)
{
    const kanon__arrow_source *s = p->check->arrow;
    p->given_batch = part_of(s->batch_rows, s->n_batches, row, p->given_batch);
    const struct ArrowArray *batch = &s->batches[p->given_batch];
    return kanon__read_at(p->field->original, batch->children[p->field->number],
                          batch->offset + row - s->batch_rows[p->given_batch]);
}

static kanon_status check_arrays(const check *c, const field *f, kanon_error *err)
{
    for (int64_t i = 0; i < c->claim->n_batches; i++)
        for (int part = 0; part < f->n_children; part++)
            if (!kanon__read_is_sound(f->shape, c->claim->batches[i].children[f->child + part]))
                return kanon__fail(err, KANON_EINTERNAL, "the check found an array out of order: batch %lld, column %s",
                                   (long long)i + 1, c->table->data.columns[f->number].name);
    return KANON_OK;
}

/* ---- what codes say ----------------------------------------------------------------------------------------------- */

/* A text of the domain as a number of its type; as a double where `real`. */
static kanon__read_value number_of(const kanon__domain *domain, const char *text, size_t length, bool real)
{
    kanon__read_value value = {.kind = KANON__READ_WHOLE};
    kanon__decimal decimal;
    int64_t whole = 0;
    bool good = domain->type == KANON_TYPE_DATE      ? kanon__parse_date(&whole, text, length)
                : domain->type == KANON_TYPE_INTEGER ? kanon__parse_integer(&whole, text, length)
                                                     : kanon__parse_decimal(&decimal, text, length);
    if (!good)
        return (kanon__read_value){.kind = KANON__READ_NULL};
    if (domain->type == KANON_TYPE_DECIMAL || real)
        return (kanon__read_value){.kind = KANON__READ_REAL,
                                   .real = domain->type == KANON_TYPE_DECIMAL ? decimal.value : (double)whole};
    value.whole = whole;
    return value;
}

static bool is_missing_text(const check *c, const char *text, size_t length)
{
    for (int64_t i = 0; i < c->table->missing.n; i++)
        if (strlen(c->table->missing.items[i]) == length && memcmp(c->table->missing.items[i], text, length) == 0)
            return true;
    return false;
}

/* Whether a text of the input says the same as a code of the domain. */
static bool text_says(const check *c, const kanon__domain *domain, uint32_t code, const char *text, size_t length)
{
    size_t own_length;
    const char *own = kanon__domain_text(domain, code, &own_length);
    if (code == domain->missing_code)
        return is_missing_text(c, text, length);
    if (own_length == length && memcmp(own, text, length) == 0)
        return true;
    if (!kanon__type_is_numeric(domain->type))
        return false;
    kanon__read_value one = number_of(domain, own, own_length, false), other = number_of(domain, text, length, false);
    return one.kind != KANON__READ_NULL && kanon__read_equal(one, other);
}

/* Whether the value that row `row` has in an Arrow input says the same as its code. */
static bool value_says(const check *c, const field *f, int64_t row, uint32_t code, kanon__read_value given)
{
    const kanon__domain *domain = c->table->data.columns[f->number].domain;
    kanon__cell cell = {0};
    if (given.kind == KANON__READ_NULL || (given.kind == KANON__READ_REAL && isnan(given.real)))
        return code == domain->missing_code;
    if (given.kind == KANON__READ_TEXT)
        return text_says(c, domain, code, given.bytes, given.length);
    if (code != domain->missing_code) {
        cell.text = kanon__domain_text(domain, code, &cell.length);
        return kanon__arrow_cell_matches(c->arrow, row, f->number, &cell);
    }
    for (int64_t i = 0; i < c->table->missing.n; i++) { /* a number that means "no value" */
        cell.text = c->table->missing.items[i];
        cell.length = strlen(cell.text);
        if (kanon__arrow_cell_matches(c->arrow, row, f->number, &cell))
            return true;
    }
    return false;
}

/* ---- quasi columns ------------------------------------------------------------------------------------------------ */

/* What a group shows. */
typedef struct group_cells {
    bool seen;
    kanon__read_value cells[2];
    double ends[2];        /* of intervals in text, and of means */
    double least, largest; /* of the originals, for means */
    int32_t node;          /* of categories; -1: any value */
} group_cells;

typedef struct quasi_pass {
    pass pass;
    const kanon__domain *domain;
    bool numeric;
    group_cells *groups;
    kanon__read_value *originals; /* by code; null: not seen yet, or missing */
    int64_t *first_group;         /* by code, with a recode map: one more than the first group that has it */
} quasi_pass;

/* "LO" or "[LO..HI]". A number may end in a point, so every place for the two points is tried. */
static bool read_interval(const kanon__domain *domain, kanon__read_value text, double ends[2])
{
    kanon__read_value one = number_of(domain, text.bytes, text.length, true), other;
    ends[0] = ends[1] = one.real;
    if (one.kind == KANON__READ_REAL)
        return true;
    if (text.length < 6 || text.bytes[0] != '[' || text.bytes[text.length - 1] != ']')
        return false;
    for (size_t at = 2; at + 3 < text.length; at++) {
        if (text.bytes[at] != '.' || text.bytes[at + 1] != '.')
            continue;
        one = number_of(domain, text.bytes + 1, at - 1, true);
        other = number_of(domain, text.bytes + at + 2, text.length - at - 3, true);
        if (one.kind == KANON__READ_REAL && other.kind == KANON__READ_REAL) {
            ends[0] = one.real;
            ends[1] = other.real;
            if (one.real <= other.real)
                return true;
        }
    }
    return false;
}

/* What the cells of a group mean; false where they cannot be read. */
static bool understand(const quasi_pass *q, group_cells *s)
{
    const kanon__arrow_claim *claim = q->pass.check->claim;
    s->least = INFINITY;
    s->largest = -INFINITY;
    s->node = -1;
    if (q->pass.field->n_children == 2 &&
        (s->cells[0].kind == KANON__READ_NULL) != (s->cells[1].kind == KANON__READ_NULL))
        return false;
    if (s->cells[0].kind == KANON__READ_NULL)
        return true;
    if (!q->numeric) {
        s->node = kanon__taxonomy_node(q->domain->taxonomy, s->cells[0].bytes, s->cells[0].length);
        return s->node >= 0;
    }
    if (claim->numeric == KANON_ARROW_TEXT)
        return read_interval(q->domain, s->cells[0], s->ends);
    if (claim->numeric == KANON_ARROW_MEAN)
        s->ends[0] = s->cells[0].kind == KANON__READ_REAL ? s->cells[0].real : (double)s->cells[0].whole;
    return true;
}

/* Dates in milliseconds count by days. */
static __int128 whole_of(const field *f, kanon__read_value value)
{
    __int128 per_day = f->shape.per_day, rest = per_day > 0 ? value.whole % per_day : 0;
    return value.whole - (rest < 0 ? rest + per_day : rest);
}

static bool covers(const quasi_pass *q, group_cells *s, uint32_t code)
{
    const field *f = q->pass.field;
    if (s->cells[0].kind == KANON__READ_NULL)
        return true;
    if (!q->numeric) {
        for (int32_t node = q->domain->taxonomy->leaf_node[code]; node >= 0; node = q->domain->taxonomy->parent[node])
            if (node == s->node)
                return true;
        return false;
    }
    kanon__read_value original = q->originals[code];
    if (code == q->domain->missing_code || original.kind == KANON__READ_NULL)
        return false;
    switch (q->pass.check->claim->numeric) {
    case KANON_ARROW_TEXT:
        return s->ends[0] <= original.real && original.real <= s->ends[1];
    case KANON_ARROW_MEAN:
        s->least = original.real < s->least ? original.real : s->least;
        s->largest = original.real > s->largest ? original.real : s->largest;
        return true;
    default:
        if (original.kind != s->cells[0].kind)
            return false;
        if (original.kind == KANON__READ_REAL)
            return s->cells[0].real <= original.real && original.real <= s->cells[1].real;
        return s->cells[0].whole <= whole_of(f, original) && whole_of(f, original) <= s->cells[1].whole;
    }
}

/* A mean lies between the extremes of its group, up to the last digit shown. */
static bool is_mean_inside(const quasi_pass *q, const group_cells *s)
{
    if (s->cells[0].kind == KANON__READ_NULL || s->least > s->largest)
        return true;
    double slack = 1e-9 * (fabs(s->least) + fabs(s->largest)) + (q->domain->type == KANON_TYPE_DATE ? 0.5 : 0.005);
    return s->least - slack <= s->ends[0] && s->ends[0] <= s->largest + slack;
}

/* What the codes mean as numbers, where that is found from the texts of the domain. */
static void list_originals(quasi_pass *q)
{
    bool real = q->pass.check->claim->numeric != KANON_ARROW_COLUMNS;
    for (uint32_t code = 0; code < q->domain->n_codes; code++) {
        size_t length;
        const char *text = kanon__domain_text(q->domain, code, &length);
        if (code != q->domain->missing_code)
            q->originals[code] = number_of(q->domain, text, length, real);
    }
}

/* Hold the code of a row against an Arrow input. Numbers in a type of their own are known from there. */
static bool is_given(quasi_pass *q, int64_t row, uint32_t code)
{
    const field *f = q->pass.field;
    kanon__read_value given = given_at(&q->pass, row);
    bool own = f->own_type && code != q->domain->missing_code;
    if (own && q->originals[code].kind != KANON__READ_NULL && kanon__read_equal(q->originals[code], given))
        return true;
    if (!value_says(q->pass.check, f, row, code, given))
        return false;
    if (own)
        q->originals[code] = given;
    return true;
}

static bool is_like_before(const quasi_pass *q, int64_t group, uint32_t code)
{
    if (q->first_group[code] == 0)
        q->first_group[code] = group + 1;
    const group_cells *s = &q->groups[group], *before = &q->groups[q->first_group[code] - 1];
    return kanon__read_equal(s->cells[0], before->cells[0]) && kanon__read_equal(s->cells[1], before->cells[1]);
}

/* Groups come by in an order that nobody knows, so what they show is fetched some records ahead. */
static inline void look_ahead(const quasi_pass *q, int64_t place)
{
    enum { AHEAD = 12, LINE = 64 };
    const kanon__arrow_claim *claim = q->pass.check->claim;
    if (place + AHEAD >= q->pass.check->table->data.n_rows)
        return;
    int64_t group = claim->group_of[claim->order != NULL ? claim->order[place + AHEAD] : place + AHEAD];
    if (group >= 0 && group < claim->n_groups) {
        __builtin_prefetch(&q->groups[group]);
        __builtin_prefetch((const char *)&q->groups[group] + LINE);
    }
}

static kanon_status check_record(quasi_pass *q, int64_t place, kanon_error *err)
{
    const check *c = q->pass.check;
    const field *f = q->pass.field;
    int64_t row = c->claim->order != NULL ? c->claim->order[place] : place, group = c->claim->group_of[row];
    uint32_t code = kanon__code_at(c->table->data.columns[f->number].codes, row);
    kanon__read_value cells[2] = {released_at(&q->pass, place, 0)};
    if (f->n_children == 2)
        cells[1] = released_at(&q->pass, place, 1);
    if (c->arrow != NULL && !is_given(q, row, code))
        return fail(c, f, row, "a code that is not the input's value", err);
    if (group >= c->claim->n_groups)
        return fail(c, f, row, "a group that does not exist", err);
    if (group < 0)
        return cells[0].kind == KANON__READ_NULL && cells[1].kind == KANON__READ_NULL
                   ? KANON_OK
                   : fail(c, f, row, "a suppressed record that shows something", err);
    group_cells *s = &q->groups[group];
    if (!s->seen) {
        *s = (group_cells){.seen = true, .cells = {cells[0], cells[1]}};
        if (!understand(q, s))
            return fail(c, f, row, "a released cell that cannot be read", err);
    } else if (!kanon__read_equal(s->cells[0], cells[0]) || !kanon__read_equal(s->cells[1], cells[1])) {
        return fail(c, f, row, "a group that shows two things", err);
    }
    if (!covers(q, s, code))
        return fail(c, f, row, "a released cell that does not cover its original", err);
    if (q->first_group != NULL && !is_like_before(q, group, code))
        return fail(c, f, row, "one value shown in two ways", err);
    return KANON_OK;
}

/* ---- classes ------------------------------------------------------------------------------------------------------ */

/* A cell as bytes, with its kind in front. */
static size_t cell_bytes(char *to, kanon__read_value value)
{
    *to++ = (char)value.kind;
    switch (value.kind) {
    case KANON__READ_WHOLE:
        memcpy(to, &value.whole, sizeof value.whole);
        return 1 + sizeof value.whole;
    case KANON__READ_REAL:
        value.real += 0.0; /* no minus zero */
        memcpy(to, &value.real, sizeof value.real);
        return 1 + sizeof value.real;
    case KANON__READ_TEXT:
        memcpy(to, value.bytes, value.length);
        return 1 + value.length;
    default:
        return 1;
    }
}

/* Number what groups show: equal numbers where it is equal. */
static kanon_status number_shown(const quasi_pass *q, uint32_t *class_of, int64_t n_groups, kanon_error *err)
{
    enum { FIXED = 64 };
    kanon_status st = KANON_OK;
    kanon__dictionary distinct = {0};
    char *key = NULL;
    int64_t capacity = 0;
    KANON_TRY(kanon__dictionary_init(&distinct, err), out);
    for (int64_t group = 0; group < n_groups; group++) {
        const group_cells *s = &q->groups[group];
        int64_t room = FIXED + (s->cells[0].kind == KANON__READ_TEXT ? (int64_t)s->cells[0].length : 0);
        KANON_TRY(kanon__grow_array(&key, &capacity, room, "the check of the release", err), out);
        size_t length = cell_bytes(key, s->cells[0]);
        if (q->pass.field->n_children == 2)
            length += cell_bytes(key + length, s->cells[1]);
        KANON_TRY(kanon__dictionary_add(&distinct, &class_of[group], key, length, err), out);
    }
out:
    kanon__free(key);
    kanon__dictionary_clear(&distinct);
    return st;
}

static kanon_status check_quasi(const check *c, field *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *column = &c->table->data.columns[f->number];
    quasi_pass q = {.pass = {.check = c, .field = f}, .domain = column->domain, .numeric = kanon__column_is_numeric(column)};
    int64_t n_groups = c->claim->n_groups;
    KANON_TRY(kanon__new_array(&q.groups, n_groups, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&q.originals, column->domain->n_codes, "the check of the release", err), out);
    if (c->claim->mapping)
        KANON_TRY(kanon__new_array(&q.first_group, column->domain->n_codes, "the check of the release", err), out);
    if (q.numeric && !f->own_type)
        list_originals(&q);
    for (int64_t place = 0; place < c->table->data.n_rows; place++) {
        look_ahead(&q, place);
        KANON_TRY(check_record(&q, place, err), out);
    }
    for (int64_t group = 0; q.numeric && c->claim->numeric == KANON_ARROW_MEAN && group < n_groups; group++)
        if (!is_mean_inside(&q, &q.groups[group])) {
            st = kanon__fail(err, KANON_EINTERNAL, "the check found a mean outside its group, column %s", column->name);
            goto out;
        }
    KANON_TRY(kanon__new_array(&f->class_of, n_groups, "the check of the release", err), out);
    KANON_TRY(number_shown(&q, f->class_of, n_groups, err), out);
out:
    kanon__free(q.first_group);
    kanon__free(q.originals);
    kanon__free(q.groups);
    return st;
}

/* ---- kept columns ------------------------------------------------------------------------------------------------- */

/* What a code of a table that is not from Arrow is to be released as. */
static kanon__read_value value_of(const kanon__domain *domain, uint32_t code)
{
    size_t length;
    const char *text = kanon__domain_text(domain, code, &length);
    bool numeric = kanon__type_is_numeric(domain->type);
    if (code == domain->missing_code && (numeric || domain->missing_is_null))
        return (kanon__read_value){.kind = KANON__READ_NULL};
    return numeric ? number_of(domain, text, length, false)
                   : (kanon__read_value){KANON__READ_TEXT, length, {.bytes = text}};
}

/* The values of an Arrow input, or those that the codes stand for, which were held against the cells before. */
static kanon_status check_kept(const check *c, const field *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *column = &c->table->data.columns[f->number];
    kanon__read_value *values = NULL;
    uint32_t n_codes = c->arrow == NULL && column->domain != NULL ? column->domain->n_codes : 0;
    pass p = {.check = c, .field = f};
    if (c->arrow == NULL && column->role != KANON_ROLE_SENSITIVE)
        return KANON_OK; /* its cells were compared as they were read */
    KANON_TRY(kanon__new_array(&values, n_codes, "the check of the release", err), out);
    for (uint32_t code = 0; code < n_codes; code++)
        values[code] = value_of(column->domain, code);
    for (int64_t place = 0; place < c->table->data.n_rows; place++) {
        int64_t row = c->claim->order != NULL ? c->claim->order[place] : place;
        kanon__read_value original = c->arrow != NULL ? given_at(&p, row) : values[kanon__code_at(column->codes, row)];
        if (!kanon__read_equal(released_at(&p, place, 0), original)) {
            st = fail(c, f, row, "a kept column with another value than the input's", err);
            goto out;
        }
    }
out:
    kanon__free(values);
    return st;
}

static kanon_status check_column(int64_t number, void *payload, kanon_error *err)
{
    const check *c = payload;
    field *f = &c->fields[number];
    return f->quasi >= 0 ? check_quasi(c, f, err) : check_kept(c, f, err);
}

static kanon_status check_column_arrays(int64_t number, void *payload, kanon_error *err)
{
    const check *c = payload;
    return check_arrays(c, &c->fields[number], err);
}

/* ---- cells of text ------------------------------------------------------------------------------------------------ */

/* The text of a cell, with doubled quotes made single in `scratch`. */
static kanon_status cell_text(const kanon__cell *cell, char **scratch, int64_t *capacity, const char **text, size_t *length,
                              kanon_error *err)
{
    *text = cell->text;
    *length = cell->length;
    if (!cell->doubled)
        return KANON_OK;
    kanon_status st = kanon__grow_array(scratch, capacity, (int64_t)cell->length, "a cell", err);
    for (size_t i = *length = 0; st == KANON_OK && i < cell->length; i++) {
        (*scratch)[(*length)++] = cell->text[i];
        i += cell->text[i] == '"';
    }
    *text = *scratch;
    return st;
}

/* Encoded columns must say what stands in the input, and all others must be released as that text. */
static bool is_cell(const check *c, const field *f, int64_t row, const char *text, size_t length)
{
    const kanon__column *column = &c->table->data.columns[f->number];
    if (f->quasi >= 0 || column->role == KANON_ROLE_SENSITIVE)
        return text_says(c, column->domain, kanon__code_at(column->codes, row), text, length);
    pass p = {.check = c, .field = f};
    kanon__read_value value = released_at(&p, c->place_of != NULL ? c->place_of[row] : row, 0);
    return kanon__read_equal(value, (kanon__read_value){KANON__READ_TEXT, length, {.bytes = text}});
}

static kanon_status check_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const check *c = payload;
    const kanon__source *source = c->table->source;
    kanon__cursor *cursor = NULL;
    char *scratch = NULL;
    int64_t capacity = 0, end = part + 1 < source->n_parts ? source->part_rows[part + 1] : c->table->data.n_rows;
    KANON_TRY(source->class->open(&cursor, source, err), out);
    source->class->seek(cursor, source->part_rows[part], NULL);
    for (int64_t row = source->part_rows[part]; row < end; row++) {
        bool has_row;
        KANON_TRY(source->class->next(cursor, &has_row, err), out);
        if (!has_row) {
            st = kanon__fail(err, KANON_EINTERNAL, "%s ended early when it was read again", source->name);
            goto out;
        }
        for (int i = 0; i < c->n_fields; i++) {
            const char *text;
            size_t length;
            KANON_TRY(cell_text(&cursor->cells[c->fields[i].number], &scratch, &capacity, &text, &length, err), out);
            if (!is_cell(c, &c->fields[i], row, text, length)) {
                st = fail(c, &c->fields[i], row, "another value than the input's", err);
                goto out;
            }
        }
    }
out:
    kanon__free(scratch);
    if (cursor != NULL)
        source->class->close(cursor);
    return st;
}

/* ---- sizes and constraints ---------------------------------------------------------------------------------------- */

/* By group, the number of what it shows in all columns together; *n becomes how many there are. */
static kanon_status join_classes(const check *c, uint32_t *class_of, int64_t *n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary distinct = {0};
    *n = c->claim->n_groups > 0 ? 1 : 0;
    for (int i = 0; i < c->n_fields; i++) {
        if (c->fields[i].quasi < 0)
            continue;
        kanon__dictionary_clear(&distinct);
        KANON_TRY(kanon__dictionary_init(&distinct, err), out);
        for (int64_t group = 0; group < c->claim->n_groups; group++) {
            uint32_t pair[2] = {class_of[group], c->fields[i].class_of[group]};
            KANON_TRY(kanon__dictionary_add(&distinct, &class_of[group], (const char *)pair, sizeof pair, err), out);
        }
        *n = distinct.n;
    }
out:
    kanon__dictionary_clear(&distinct);
    return st;
}

static kanon_status check_privacy(const check *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__arrow_claim *claim = c->claim;
    uint32_t *class_of_group = NULL;
    int32_t *class_of = NULL;
    int64_t n_classes = 0, n = c->table->data.n_rows;
    KANON_TRY(kanon__verify_grouping(&c->table->data, claim->group_of, claim->n_groups, claim->k, err), out);
    KANON_TRY(kanon__new_array(&class_of_group, claim->n_groups, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&class_of, n, "the check of the release", err), out);
    KANON_TRY(join_classes(c, class_of_group, &n_classes, err), out);
    for (int64_t row = 0; row < n; row++)
        class_of[row] = claim->group_of[row] < 0 ? -1 : (int32_t)class_of_group[claim->group_of[row]];
    KANON_TRY(kanon__verify_grouping(&c->table->data, class_of, n_classes, claim->k, err), out);
    KANON_TRY(kanon__verify_privacy(&c->table->data, &c->table->policy, class_of, n_classes, claim->k, err), out);
out:
    kanon__free(class_of);
    kanon__free(class_of_group);
    return st;
}

kanon_status kanon__verify_arrow(const kanon__arrow_claim *claim, int threads, kanon_error *err)
{
    kanon_status st = KANON_OK;
    check c = {.claim = claim, .table = claim->table, .arrow = kanon__arrow_source_of(claim->table->source)};
    KANON_TRY(check_schema(&c, err), out);
    KANON_TRY(check_batches(&c, err), out);
    KANON_TRY(check_order(&c, err), out);
    KANON_TRY(kanon__pool_run(threads, c.n_fields, check_column_arrays, &c, err), out);
    if (c.arrow == NULL)
        KANON_TRY(kanon__pool_run(threads, c.table->source->n_parts, check_part, &c, err), out);
    KANON_TRY(kanon__pool_run(threads, c.n_fields, check_column, &c, err), out);
    KANON_TRY(check_privacy(&c, err), out);
out:
    for (int i = 0; c.fields != NULL && i < c.n_fields; i++)
        kanon__free(c.fields[i].class_of);
    kanon__free(c.fields);
    kanon__free(c.begins);
    kanon__free(c.place_of);
    return st;
}
