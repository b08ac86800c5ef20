/* The independent check of a release in Arrow batches: see verify_arrow.h, and arrow_check.h for its parts. */
#include "verify/verify_arrow.h"

#include "core/alloc.h"
#include "core/arrow_block.h"
#include "core/pool.h"
#include "core/ticker.h"
#include "verify/arrow_check.h"
#include "verify/verify.h"

#include <string.h>

typedef kanon__arrow_check check;
typedef kanon__checked_field field;

kanon_status kanon__checked_fail(const check *c, const field *f, int64_t row, const char *what, kanon_error *err)
{
    return kanon__fail(err, KANON_EINTERNAL, "the check found %s: record %lld, column %s", what, (long long)row + 1,
                       c->table->data.columns[f->number].name);
}

/* ---- permuted columns ---------------------------------------------------------------------------------------------- */

static uint64_t hash_value(const kanon__cell_sums *s, kanon__read_value value)
{
    int64_t key = value.kind == KANON__READ_REAL /* two zeros are one number */
                      ? kanon__read_key_of((kanon__read_shape){.letter = 'f'}, value)
                      : 0;
    if (value.kind == KANON__READ_TEXT)
        return kanon__cell_sums_hash(s, value.kind, value.bytes, value.length);
    if (value.kind == KANON__READ_WHOLE)
        return kanon__cell_sums_hash(s, value.kind, (const char *)&value.whole, sizeof value.whole);
    return kanon__cell_sums_hash(s, value.kind, (const char *)&key, sizeof key);
}

void kanon__checked_count(const check *c, const field *f, int64_t row, kanon__read_value shown, kanon__read_value has)
{
    kanon__cell_sums_count(c->sums, c->claim->group_of[row], f->number, hash_value(c->sums, shown),
                           hash_value(c->sums, has));
}

/* ---- resting ------------------------------------------------------------------------------------------------------ */

static void rest_arrays(const kanon__read_column *column, int64_t begin, int64_t end)
{
    for (int64_t i = kanon__read_batch(column, begin); i < column->n_batches && column->begins[i] < end; i++)
        kanon__arrow_array_rest(column->arrays[i]);
}

/* What was read of these records, in the input and in the release, is not wanted soon. In another order it is. */
static void rest_records(const check *c, const field *f, int64_t begin, int64_t end)
{
    if (c->claim->order != NULL || begin >= end)
        return;
    if (c->arrow != NULL)
        rest_arrays(&f->given, begin, end);
    for (int i = 0; i < f->n_children; i++)
        rest_arrays(&f->released[i], begin, end);
}

/* A batch that is read on comes back in memory, so this is done once in some batches. */
void kanon__checked_rest(const check *c, const field *f, int64_t *rested, int64_t at)
{
    enum { WORTH_IT = 1 << 18 };
    if (at - *rested < WORTH_IT)
        return;
    rest_records(c, f, *rested, at);
    *rested = at;
}

/* The records of a range up to `at` were read. */
static void rest_behind(const check *c, kanon__checked_range *range, int64_t at)
{
    int64_t rested = range->rested;
    for (int i = 0; i < c->n_fields; i++)
        if (range->field == NULL || range->field == &c->fields[i]) {
            range->rested = rested;
            kanon__checked_rest(c, &c->fields[i], &range->rested, at);
        }
}

/* ---- ranges of records -------------------------------------------------------------------------------------------- */

kanon_status kanon__checked_block(check *c, kanon__checked_range *range, int64_t at, int64_t *n, kanon_error *err)
{
    enum { RECORD_NS = 10 };
    *n = range->end - at < KANON__READ_BLOCK ? range->end - at : KANON__READ_BLOCK;
    kanon__shared_ticker_add(&c->ticker, *n);
    rest_behind(c, range, at);
    return kanon__tick(&range->ticker, 0, 0, *n * RECORD_NS, err);
}

/* ---- the schema --------------------------------------------------------------------------------------------------- */

/* Whether the format is that of numbers or dates. */
static bool is_number_format(const char *format)
{
    return (strchr("csilCSILfg", format[0]) != NULL && format[0] != '\0' && format[1] == '\0') ||
           strncmp(format, "d:", 2) == 0 || strncmp(format, "td", 2) == 0 || strncmp(format, "ts", 2) == 0;
}

/* What times are to be released as: instants in UTC, others without a zone. `mean`: in whole seconds. */
static const char *format_of_time(const kanon__domain *domain, bool mean)
{
    bool zoned = strcmp(domain->format.date, KANON__DATE_ISO_ZONE) == 0;
    if (mean)
        return zoned ? "tss:UTC" : "tss:";
    if (domain->scale > 6)
        return zoned ? "tsn:UTC" : "tsn:";
    return zoned ? "tsu:UTC" : "tsu:";
}

static const char *format_of_domain(const kanon__domain *domain)
{
    if (domain->type == KANON_TYPE_DATE && kanon__value_has_time(&domain->format))
        return format_of_time(domain, false);
    return domain->type == KANON_TYPE_INTEGER   ? "l" /* levels and categories are indices */
           : domain->type == KANON_TYPE_DECIMAL ? "g"
           : domain->type == KANON_TYPE_DATE    ? "tdD"
                                                : "i";
}

/* The formats of what a column of the table is to be released as. */
static void expected_type(const check *c, field *f, const char **format, const char **entries)
{
    const kanon__column *column = &c->table->data.columns[f->number];
    const struct ArrowSchema *given = c->arrow != NULL ? c->arrow->schema.children[f->number] : NULL;
    bool levels = column->domain != NULL && column->domain->type == KANON_TYPE_ORDINAL;
    bool numeric = kanon__column_is_numeric(column) && !levels;
    *entries = NULL;
    f->levels = levels && f->quasi >= 0;
    if (f->quasi < 0 && given != NULL) {
        *format = given->format;
        *entries = given->dictionary != NULL ? given->dictionary->format : NULL;
        return;
    }
    if (f->quasi < 0 && (column->role != KANON_ROLE_SENSITIVE || !numeric)) {
        *format = "u";
        return;
    }
    const kanon__taxonomy *tree = column->domain->taxonomy;
    if (f->quasi >= 0 && given != NULL && strcmp(given->format, "b") == 0 && tree != NULL && tree->flat && !tree->given) {
        *format = "b"; /* truth values stay such */
        return;
    }
    *format = format_of_domain(column->domain);
    *entries = numeric ? NULL : "u";
    if (f->quasi >= 0 && levels && c->claim->numeric == KANON_NUMERIC_INTERVAL) {
        *format = "u";
        *entries = NULL;
        f->levels = false;
    }
    if (f->quasi < 0 || !numeric)
        return;
    const char *own = given == NULL ? "" : given->dictionary != NULL ? given->dictionary->format : given->format;
    if (c->claim->numeric == KANON_NUMERIC_INTERVAL) {
        *format = "u";
    } else if (c->claim->numeric == KANON_NUMERIC_MEAN) {
        bool times = column->domain->type == KANON_TYPE_DATE && kanon__value_has_time(&column->domain->format);
        *format = times ? format_of_time(column->domain, true) : column->domain->type == KANON_TYPE_DATE ? "tdD" : "g";
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
    if (f->levels != ((schema->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0) && !kept)
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
    if (f->quasi >= 0 && kanon__column_is_numeric(column) && (c->claim->numeric == KANON_NUMERIC_COLUMNS || f->levels)) {
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
    return KANON_OK;
}

static kanon_status check_schema(check *c, kanon_error *err)
{
    const kanon__data *d = &c->table->data;
    int child = 0;
    KANON_CHECK(kanon__new_array(&c->fields, d->n_columns, "the check of the release", err));
    if (c->claim->schema->format == NULL || strcmp(c->claim->schema->format, "+s") != 0)
        return kanon__fail(err, KANON_EINTERNAL, "the check found no record batches");
    for (int i = 0, quasi = 0; i < d->n_columns; i++) {
        if (d->columns[i].role == KANON_ROLE_IDENTIFYING)
            continue;
        field *f = &c->fields[c->n_fields++];
        *f = (field){.number = i, .quasi = d->columns[i].role == KANON_ROLE_QUASI ? quasi++ : -1, .child = child};
        KANON_CHECK(check_field(c, f, err));
        child += f->n_children;
    }
    if (child != c->claim->schema->n_children)
        return kanon__fail(err, KANON_EINTERNAL, "the check found columns that are not expected");
    return KANON_OK;
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
    c->n_places = c->table->data.n_rows - claim->n_left_out;
    if (st == KANON_OK && c->begins[claim->n_batches] != c->n_places)
        st = kanon__fail(err, KANON_EINTERNAL, "the check saw %lld records of %lld", (long long)c->begins[claim->n_batches],
                         (long long)c->n_places);
    return st;
}

/* All records must be there, but for the suppressed ones where they are not kept. */
static kanon_status check_who_is_there(const check *c, kanon_error *err)
{
    for (int64_t row = 0; row < c->table->data.n_rows; row++) {
        bool expected = c->claim->group_of[row] >= 0 || c->claim->requirement.policy->keep_suppressed;
        bool there = c->place_of == NULL ? c->claim->n_left_out == 0 : c->place_of[row] >= 0;
        if (there != expected)
            return kanon__fail(err, KANON_EINTERNAL,
                               there ? "the check found record %lld in the release, which is suppressed"
                                     : "the check found record %lld not in the release",
                               (long long)row + 1);
    }
    return KANON_OK;
}

/* The place of each row in the release; the order must name every row once. */
static kanon_status check_order(check *c, kanon_error *err)
{
    const int32_t *order = c->claim->order;
    int64_t n = c->table->data.n_rows;
    if (order == NULL)
        return check_who_is_there(c, err);
    KANON_CHECK(kanon__new_array(&c->place_of, n, "the check of the release", err));
    memset(c->place_of, 0xff, (size_t)n * sizeof *c->place_of);
    for (int64_t i = 0; i < c->n_places; i++) {
        if (order[i] < 0 || order[i] >= n || c->place_of[order[i]] >= 0)
            return kanon__fail(err, KANON_EINTERNAL, "the check found a record twice");
        c->place_of[order[i]] = (int32_t)i;
    }
    return check_who_is_there(c, err);
}

/* The first place of each group in the release; every group has one. */
static kanon_status find_groups(check *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__arrow_claim *claim = c->claim;
    bool *seen = NULL;
    int64_t n = 0;
    KANON_TRY(kanon__verify_grouping(&c->table->data, claim->group_of, claim->n_groups, claim->requirement.k, err), out);
    KANON_TRY(kanon__new_array(&c->first_places, claim->n_groups, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&seen, claim->n_groups, "the check of the release", err), out);
    for (int64_t place = 0; place < c->n_places; place++) {
        int32_t group = claim->group_of[kanon__checked_row(c, place)];
        if (group < 0 || seen[group])
            continue;
        seen[group] = true;
        c->first_places[n++] = (int32_t)place;
    }
    if (n != claim->n_groups)
        st = kanon__fail(err, KANON_EINTERNAL, "the check found a group without records");
out:
    kanon__free(seen);
    return st;
}

/* ---- arrays and dictionaries -------------------------------------------------------------------------------------- */

static kanon_status init_columns(check *c, field *f, kanon_error *err)
{
    const kanon__arrow_claim *claim = c->claim;
    for (int part = 0; part < f->n_children; part++)
        KANON_CHECK(kanon__read_column_init(&f->released[part], claim->schema->children[f->child + part], claim->batches,
                                            claim->n_batches, c->begins, f->child + part, err));
    if (c->arrow != NULL)
        KANON_CHECK(kanon__read_column_init(&f->given, c->arrow->schema.children[f->number], c->arrow->batches,
                                            c->arrow->n_batches, c->arrow->batch_rows, f->number, err));
    return KANON_OK;
}

/* One task for each column and batch. */
static kanon_status check_arrays(int64_t task, void *payload, kanon_error *err)
{
    const check *c = payload;
    const field *f = &c->fields[task / c->claim->n_batches];
    int64_t batch = task % c->claim->n_batches;
    for (int part = 0; part < f->n_children; part++) {
        const char *wrong = NULL;
        const struct ArrowArray *array = f->released[part].arrays[batch];
        if (!kanon__read_is_sound(f->released[part].shape, array))
            wrong = "an array out of order";
        else if (!kanon__read_is_bare(f->released[part].shape, array))
            wrong = "an array with more than its values";
        if (wrong != NULL)
            return kanon__fail(err, KANON_EINTERNAL, "the check found %s: batch %lld, column %s", wrong,
                               (long long)batch + 1, c->table->data.columns[f->number].name);
        kanon__arrow_array_rest(array);
    }
    return KANON_OK;
}

/* A dictionary of levels holds all that were declared, and no other. */
static kanon_status check_levels(const check *c, const field *f, const kanon__read_column *released, kanon_error *err)
{
    const kanon__dictionary *levels = &c->table->data.columns[f->number].domain->levels;
    for (int64_t batch = 0; batch < released->n_batches; batch++) {
        const struct ArrowArray *dictionary = released->arrays[batch]->dictionary;
        bool good = dictionary->length == levels->n;
        for (int64_t i = 0; good && kanon__read_has_new_entries(released, batch) && i < dictionary->length; i++) {
            kanon__read_value entry = kanon__read_entry(released, batch, i);
            good = entry.kind == KANON__READ_TEXT && entry.length <= UINT32_MAX &&
                   kanon__dictionary_find(levels, entry.bytes, entry.length) == (uint32_t)i;
        }
        if (!good)
            return kanon__fail(err, KANON_EINTERNAL, "the check found other levels than declared: column %s",
                               c->table->data.columns[f->number].name);
    }
    return KANON_OK;
}

/* A dictionary holds no value that no record of the release has. */
static kanon_status check_entries(const check *c, const field *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int part = 0; st == KANON_OK && f->levels && part < f->n_children; part++)
        st = check_levels(c, f, &f->released[part], err);
    if (st != KANON_OK || f->levels)
        return st;
    const kanon__read_column *released = &f->released[0];
    bool *used = NULL;
    int64_t n_used = 0;
    if (released->shape.index_size == 0)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&used, released->n_entries, "the check of the release", err), out);
    for (int64_t at = 0, rested = 0, n; at < c->n_places; at += n) {
        kanon__read_keys entries;
        kanon__checked_rest(c, f, &rested, at);
        n = c->n_places - at;
        n = n < KANON__READ_BLOCK ? n : KANON__READ_BLOCK;
        kanon__read_block(&entries, released, NULL, at, n);
        for (int64_t i = 0; i < n; i++)
            if (entries.valid[i] && !used[entries.keys[i]]) {
                used[entries.keys[i]] = true;
                n_used++;
            }
    }
    if (n_used != released->n_entries)
        st = kanon__fail(err, KANON_EINTERNAL, "the check found a dictionary with values of no record: column %s",
                         c->table->data.columns[f->number].name);
out:
    kanon__free(used);
    return st;
}

/* The texts that cells are compared with. */
static kanon_status list_texts(const check *c, field *f, kanon_error *err)
{
    const kanon__domain *domain = c->table->data.columns[f->number].domain;
    if (c->arrow != NULL || domain == NULL)
        return KANON_OK;
    kanon_status st = kanon__new_array(&f->texts, domain->n_codes, "the check of the release", err);
    for (uint32_t code = 0; st == KANON_OK && code < domain->n_codes; code++) {
        size_t length;
        const char *text = kanon__domain_text(domain, code, &length);
        bool fits = length <= sizeof f->texts[code].bytes && code != domain->missing_code;
        f->texts[code].length = fits ? (unsigned char)length : KANON__CHECKED_LONG;
        if (fits)
            memcpy(f->texts[code].bytes, text, length);
    }
    return st;
}

static kanon_status prepare_column(int64_t number, void *payload, kanon_error *err)
{
    const check *c = payload;
    field *f = &c->fields[number];
    kanon_status st = check_entries(c, f, err);
    if (st == KANON_OK)
        st = list_texts(c, f, err);
    if (st == KANON_OK && f->quasi >= 0)
        st = kanon__quasi_prepare(c, f, err);
    rest_records(c, f, 0, c->table->data.n_rows);
    return st == KANON_OK ? kanon__poll_tick(KANON__TICK_POLL_NS, err) : st;
}

/* ---- records ------------------------------------------------------------------------------------------------------ */

/* Whether the codes of a column decide about the release: what is shown covers them, or constraints are counted in them. */
static bool needs_codes(const check *c, const field *f)
{
    if (c->arrow == NULL || c->table->data.columns[f->number].domain == NULL)
        return false;
    return f->quasi < 0 || !f->own_type || c->claim->mapping || c->table->data.columns[f->number].domain->bands != NULL;
}

/* One task for each column and range of records. */
static kanon_status check_range(int64_t task, void *payload, kanon_error *err)
{
    check *c = payload;
    const field *f = &c->fields[task / c->n_ranges];
    int64_t number = task % c->n_ranges, n = c->n_places;
    kanon__checked_range range = {.begin = n * number / c->n_ranges, .end = n * (number + 1) / c->n_ranges, .field = f};
    kanon__shared_ticker_task(&range.ticker, &c->ticker);
    range.rested = range.begin;
    kanon_status st = f->quasi >= 0 ? kanon__quasi_check(c, f, &range, err) : kanon__unchanged_check(c, f, &range, err);
    n = c->table->data.n_rows; /* those that stay out, too, since what is shown depends on all codes */
    range.begin = range.rested = n * number / c->n_ranges;
    range.end = n * (number + 1) / c->n_ranges;
    if (st == KANON_OK && needs_codes(c, f))
        st = kanon__check_codes(c, f, &range, err);
    rest_records(c, f, n * number / c->n_ranges, n * (number + 1) / c->n_ranges);
    return st;
}

/* Some ranges for each thread. What a task learns of codes and entries helps it alone, so there are not more. */
static void cut_ranges(check *c, int threads)
{
    enum { WORTH_A_RANGE = 1 << 16, RANGES_PER_THREAD = 2 };
    int64_t n_threads = kanon__pool_threads(threads), most = c->table->data.n_rows / WORTH_A_RANGE + 1;
    c->n_ranges = n_threads == 1 ? 1 : n_threads * RANGES_PER_THREAD;
    c->n_ranges = c->n_ranges < most ? c->n_ranges : most;
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

/* Encoded columns must say what stands in the input; what is neither quasi-identifier nor number must be released as that
 * text. */
static bool is_cell(const check *c, const field *f, int64_t row, const char *text, size_t length)
{
    const kanon__column *column = &c->table->data.columns[f->number];
    if (f->quasi >= 0 || column->role == KANON_ROLE_SENSITIVE) {
        uint32_t code = kanon__code_at(column->codes, row);
        const kanon__checked_text *own = &f->texts[code];
        bool says = (f->code_bands == NULL && own->length == length && memcmp(own->bytes, text, length) == 0) ||
                    kanon__checked_text_says(c, f, code, text, length);
        if (!says || f->quasi >= 0 || (kanon__column_is_numeric(column) && column->domain->type != KANON_TYPE_ORDINAL))
            return says;
    }
    int64_t place = c->place_of != NULL ? c->place_of[row] : row;
    if (place < 0)
        return true; /* it is released nowhere */
    kanon__read_value value = kanon__read_row(&f->released[0], place), own = {KANON__READ_TEXT, length, {.bytes = text}};
    if (!kanon__cell_sums_has(c->sums, f->number))
        return kanon__read_equal(value, own);
    kanon__checked_count(c, f, row, value, own);
    return true;
}

/* Codes come by in no order, so their texts are fetched some rows ahead. */
static void look_ahead(const check *c, int64_t row)
{
    enum { AHEAD = 8 };
    for (int i = 0; row + AHEAD < c->table->data.n_rows && i < c->n_fields; i++)
        if (c->fields[i].texts != NULL)
            __builtin_prefetch(
                &c->fields[i].texts[kanon__code_at(c->table->data.columns[c->fields[i].number].codes, row + AHEAD)]);
}

static kanon_status check_row(const check *c, int64_t row, const kanon__cell *cells, char **scratch, int64_t *capacity,
                              kanon_error *err)
{
    for (int i = 0; i < c->n_fields; i++) {
        const char *text;
        size_t length;
        kanon_status st = cell_text(&cells[c->fields[i].number], scratch, capacity, &text, &length, err);
        if (st == KANON_OK && !is_cell(c, &c->fields[i], row, text, length))
            st = kanon__checked_fail(c, &c->fields[i], row, "another value than the input's", err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

static kanon_status check_rows(check *c, kanon__checked_range *range, kanon__cursor *cursor, char **scratch,
                               int64_t *capacity, kanon_error *err)
{
    int64_t n;
    for (int64_t at = range->begin;; at += n) {
        KANON_CHECK(kanon__checked_block(c, range, at, &n, err));
        if (n == 0)
            break;
        for (int64_t row = at; row < at + n; row++) {
            bool has_row;
            look_ahead(c, row);
            KANON_CHECK(cursor->source->class->next(cursor, &has_row, err));
            if (!has_row)
                return kanon__fail(err, KANON_EINTERNAL, "%s ended early when it was read again", cursor->source->name);
            KANON_CHECK(check_row(c, row, cursor->cells, scratch, capacity, err));
        }
    }
    return KANON_OK;
}

static kanon_status check_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    check *c = payload;
    const kanon__source *source = c->table->source;
    kanon__cursor *cursor = NULL;
    char *scratch = NULL;
    int64_t capacity = 0;
    kanon__checked_range range = {.begin = source->part_rows[part],
                                  .end = part + 1 < source->n_parts ? source->part_rows[part + 1] : c->table->data.n_rows,
                                  .rested = source->part_rows[part]};
    kanon__shared_ticker_task(&range.ticker, &c->ticker);
    KANON_TRY(source->class->open(&cursor, source, err), out);
    source->class->seek(cursor, range.begin, NULL);
    KANON_TRY(check_rows(c, &range, cursor, &scratch, &capacity, err), out);
out:
    kanon__free(scratch);
    if (cursor != NULL)
        source->class->close(cursor);
    return st;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static kanon_status check_contents(check *c, int threads, kanon_error *err)
{
    for (int i = 0; i < c->n_fields; i++)
        KANON_CHECK(init_columns(c, &c->fields[i], err));
    KANON_CHECK(kanon__pool_run(threads, c->n_fields * c->claim->n_batches, check_arrays, c, err));
    KANON_CHECK(kanon__pool_run(threads, c->n_fields, prepare_column, c, err));
    if (c->arrow == NULL)
        KANON_CHECK(kanon__pool_run(threads, c->table->source->n_parts, check_part, c, err));
    cut_ranges(c, threads);
    KANON_CHECK(kanon__pool_run(threads, c->n_fields * c->n_ranges, check_range, c, err));
    KANON_CHECK(kanon__cell_sums_check(c->sums, err));
    return kanon__check_classes(c, err);
}

static void clear_check(check *c)
{
    for (int i = 0; c->fields != NULL && i < c->n_fields; i++) {
        kanon__quasi_clear(&c->fields[i]);
        kanon__free(c->fields[i].texts);
        kanon__read_column_clear(&c->fields[i].given);
        for (int part = 0; part < 2; part++)
            kanon__read_column_clear(&c->fields[i].released[part]);
    }
    kanon__cell_sums_free(c->sums);
    kanon__free(c->fields);
    kanon__free(c->begins);
    kanon__free(c->first_places);
    kanon__free(c->place_of);
}

/* Progress is counted in records of columns; cells of text and codes are read in a pass of their own. */
static int64_t count_work(const check *c)
{
    int64_t passes = c->arrow == NULL ? 1 : 0;
    for (int i = 0; i < c->n_fields; i++)
        passes += 1 + needs_codes(c, &c->fields[i]);
    return passes * c->table->data.n_rows;
}

kanon_status kanon__verify_arrow(const kanon__arrow_claim *claim, int threads, kanon_error *err)
{
    kanon_status st = KANON_OK;
    check c = {.claim = claim, .table = claim->table, .arrow = kanon__arrow_source_of(claim->table->source)};
    KANON_TRY(kanon__cell_sums_new(&c.sums, &claim->table->data, claim->n_groups, err), out);
    KANON_TRY(check_schema(&c, err), out);
    KANON_TRY(check_batches(&c, err), out);
    KANON_TRY(check_order(&c, err), out);
    KANON_TRY(find_groups(&c, err), out);
    kanon__shared_ticker_init(&c.ticker, claim->ticker, count_work(&c));
    st = check_contents(&c, threads, err);
    kanon__shared_ticker_clear(&c.ticker);
out:
    clear_check(&c);
    return st;
}
