/* What a released file loses of its table, whichever tool wrote it: every cell is read as kanon check reads it, and costs
 * what the formula of the information loss says. Ranges, domains and heights are those of the table.
 *
 *     an interval          the part of the range between its ends; of whole numbers, between those inside: [15,20) is 15-19;
 *                          with bands, between its edges: [15..19] is from 15 to 20
 *     a taxonomy's node    its height over the height of the tree; a set, the node above all of it
 *     8130*                the share of characters that are stars, where it is no node
 *     *, the root          1
 *     a missing value      0
 *     anything else        1, and it is counted as unknown
 *
 * Equal cells cost the same, so each text is read once and counted. Records that the file lacks are suppressed ones, as are
 * those with nothing but * in their quasi cells. Classes are made of texts as they stand, as in kanon check, and those of
 * stars are classes like others; only where the classes become groups do they go by what texts mean, and stars are group
 * 0. */
#include "audit/cell_notation.h"
#include "audit/compare_original.h"
#include "audit/key_rows.h"
#include "core/alloc.h"
#include "core/context.h"
#include "core/take_options.h"
#include "core/text.h"
#include "measures/measure.h"
#include "measures/whole_row.h"
#include "model/terms.h"
#include "table/read/open_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_COMPARED = 4, N_LINKED = 3 }; /* figures of the comparison with the table */

/* What one text of a column says. */
typedef struct parsed_text {
    double cost;      /* from 0 to 1 */
    double cover;     /* likewise, by leaves, and nothing for a single value */
    uint32_t meaning; /* equal for texts that mean the same */
    bool any, unknown;
    int64_t n; /* cells */
} parsed_text;

/* A quasi attribute of the table as the file has it. */
typedef struct released {
    const kanon__column *column; /* of the table */
    kanon__value_kind kind;      /* of its values */
    int first, last;             /* columns of the file; two where NAME_min and NAME_max stand in place of NAME */
    double min, max;             /* of a numeric attribute; min above max: it has no value */
    kanon__dictionary texts, meanings;
    parsed_text *parsed; /* by text */
    int64_t parsed_capacity;
} released;

typedef struct release_reader {
    const kanon_table *table;
    const kanon_schema *schema;
    kanon__source *source;
    kanon__cursor *cursor;
    released *quasi;           /* in the table's order */
    uint32_t *tuple;           /* the texts of the current row, or their meanings */
    kanon__dictionary classes; /* tuples as texts */
    int64_t *sizes;            /* of the classes */
    int64_t *class_of;         /* by row: its class from 1, 0: nothing but stars; NULL: not wanted, and texts are classes */
    int32_t *look_of;          /* by row of the file: its class, where texts are classes */
    kanon__key_rows *keys;     /* say which row of the table it is; NULL: the file has the rows of the table in its order */
    int64_t sizes_capacity, look_capacity, n_rows, n_suppressed;
    kanon__meaning meaning;
    char *scratch, *key;
    int64_t scratch_capacity, key_capacity;
    kanon__ticker ticker;
} release_reader;

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static double bound_value(const kanon__end *bound, double at_infinity)
{
    static const double powers[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    return bound->infinite ? at_infinity : (double)bound->mantissa / powers[bound->scale];
}

/* Widen [*lo, *hi] to the interval in `text`; false where it is none, or none of the table's values can lie in it. */
static bool join_interval(const released *q, double *lo, double *hi, const char *text, size_t length)
{
    kanon__interval interval;
    if (!kanon__notation_interval(&interval, text, length, &q->kind))
        return false;
    double begin = bound_value(&interval.lo, q->min), end = bound_value(&interval.hi, q->max);
    if (q->min > q->max || begin > q->max || end < q->min)
        return false;
    *lo = begin < *lo ? begin : *lo;
    *hi = end > *hi ? end : *hi;
    return true;
}

static double interval_cost(const released *q, double lo, double hi)
{
    /* bands of whole numbers fill their edges: [20..24] is from 20 to 25 */
    if (q->column->domain->bands != NULL && q->column->domain->band_texts[0] != NULL &&
        q->column->domain->type != KANON_TYPE_DECIMAL && hi < q->max)
        hi = floor(hi) + 1;
    if (q->column->domain->type != KANON_TYPE_DECIMAL) {
        lo = ceil(lo);
        hi = floor(hi);
    }
    lo = lo < q->min ? q->min : lo;
    hi = hi > q->max ? q->max : hi;
    return hi > lo ? (hi - lo) / (q->max - q->min) : 0; /* a mean lies between two whole numbers: a single value still */
}

/* A set of nodes: its leaves, and the height of its highest node, which may stand above the lca of its only leaf. */
typedef struct node_set {
    int32_t first, last, height;
} node_set;

static bool join_node(const released *q, node_set *set, const char *text, size_t length)
{
    const kanon__taxonomy *t = q->column->domain->taxonomy;
    int32_t node = kanon__taxonomy_node(t, text, length);
    if (node < 0)
        return false;
    set->first = t->first_leaf[node] < set->first ? t->first_leaf[node] : set->first;
    set->last = t->last_leaf[node] > set->last ? t->last_leaf[node] : set->last;
    set->height = t->height[node] > set->height ? t->height[node] : set->height;
    return true;
}

static void cost_of_nodes(parsed_text *s, const kanon__taxonomy *t, const node_set *set)
{
    int32_t node = kanon__taxonomy_lca(t, set->first, set->last);
    int64_t height = kanon__node_part(KANON__TERMS_LOSS, t, node);
    int64_t leaves = set->first < set->last ? kanon__node_part(KANON__TERMS_QDIVERSITY, t, node) : 0;
    height = height > set->height ? height : set->height;
    s->cost = (double)height / (double)kanon__node_whole(KANON__TERMS_LOSS, t);
    s->cover = (double)leaves / (double)kanon__node_whole(KANON__TERMS_QDIVERSITY, t);
}

/* The elements of a canonical set {a,b}, or the one element that a text is; false where one of them is not known. */
static bool cost_of_elements(const released *q, parsed_text *s, const char *text, size_t length, bool is_set)
{
    bool numeric = kanon__column_is_numeric(q->column);
    double lo = INFINITY, hi = -INFINITY;
    node_set nodes = {.first = INT32_MAX, .last = -1};
    const char *at = is_set ? text + 1 : text, *end = is_set ? text + length - 1 : text + length;
    for (;; at++) {
        const char *comma = is_set ? memchr(at, ',', (size_t)(end - at)) : NULL;
        size_t n = (size_t)((comma != NULL ? comma : end) - at);
        if (!(numeric ? join_interval(q, &lo, &hi, at, n) : join_node(q, &nodes, at, n)))
            return false;
        at += n;
        if (comma == NULL)
            break;
    }
    if (numeric)
        s->cost = s->cover = interval_cost(q, lo, hi);
    else
        cost_of_nodes(s, q->column->domain->taxonomy, &nodes);
    return true;
}

/* 8130* and ***30; characters are code points. */
static bool cost_of_mask(parsed_text *s, const char *text, size_t length)
{
    size_t n_characters = 0, n_stars = 0, n_changes = 0;
    for (size_t i = 0; i < length; i++) {
        n_characters += ((unsigned char)text[i] & 0xc0) != 0x80;
        n_stars += text[i] == '*';
        n_changes += i > 0 && (text[i] == '*') != (text[i - 1] == '*');
    }
    s->cost = s->cover = (double)n_stars / (double)n_characters;
    return n_changes == 1;
}

static bool is_root(const released *q, const char *text, size_t length)
{
    const kanon__taxonomy *t = q->column->domain->taxonomy;
    return t != NULL && t->height[0] > 0 && kanon__taxonomy_node(t, text, length) == 0;
}

/* Fill everything but the meaning's number; its canonical text is left in r->meaning. */
static kanon_status interpret(release_reader *r, const released *q, parsed_text *s, const char *text, size_t length,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__meaning *meaning = &r->meaning;
    s->cost = s->cover = 1;
    s->any = kanon__notation_is_any(text, length) || is_root(q, text, length);
    if (s->any)
        return kanon__notation_read(meaning, "*", 1, &q->kind, err);
    if (kanon__schema_is_missing(r->schema, text, length)) {
        s->cost = s->cover = 0;
        return kanon__notation_read(meaning, "\0", 1, &q->kind, err); /* a byte that no cell has */
    }
    KANON_TRY(kanon__notation_read(meaning, text, length, &q->kind, err), out);
    size_t canonical_length = (size_t)meaning->length;
    if (meaning->kind == KANON__NOTATION_ANY || is_root(q, meaning->text, canonical_length)) {
        s->any = true;
        return kanon__notation_read(meaning, "*", 1, &q->kind, err);
    }
    bool is_set = meaning->kind == KANON__NOTATION_SET;
    bool known = cost_of_elements(q, s, text, length, false) || /* a name may have spaces and braces of its own */
                 cost_of_elements(q, s, meaning->text, canonical_length, is_set) ||
                 (!is_set && cost_of_mask(s, meaning->text, canonical_length));
    if (!known) {
        s->cost = s->cover = 1;
        s->unknown = true;
    }
out:
    return st;
}

/* What the text says, interpreted where it is new: where no cells like those of `key` were there before. */
static kanon_status look_up(release_reader *r, released *q, parsed_text **out, const char *text, size_t length,
                            size_t key_length, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t n_before = q->texts.n, code;
    kanon__trim(&text, &length);
    KANON_TRY(kanon__grow_array(&q->parsed, &q->parsed_capacity, (int64_t)n_before + 1, "cells", err), out);
    KANON_TRY(kanon__dictionary_add(&q->texts, &code, r->key, key_length, err), out);
    parsed_text *s = &q->parsed[code];
    if (code == n_before) {
        *s = (parsed_text){0};
        KANON_TRY(interpret(r, q, s, text, length, err), out);
        KANON_TRY(kanon__dictionary_add(&q->meanings, &s->meaning, r->meaning.text, (size_t)r->meaning.length, err), out);
    }
    *out = s;
out:
    return st;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The text of a cell at r->scratch + at. Null says "any value", as a star does; where `is_open`, nothing: the end of an
 * interval that has none. */
static kanon_status copy_cell(release_reader *r, int64_t at, size_t *length, int column, bool is_open, kanon_error *err)
{
    static const kanon__cell any = {.text = "*", .length = 1}, none = {.text = "", .length = 0};
    const kanon__cell *cell = &r->cursor->cells[column];
    if (cell->null)
        cell = is_open ? &none : &any;
    int64_t needed = at + (int64_t)cell->length + 1;
    kanon_status st = kanon__grow_array(&r->scratch, &r->scratch_capacity, needed, "a cell", err);
    if (st == KANON_OK)
        *length = kanon__csv_unescape(r->scratch + at, cell);
    return st;
}

/* Add the cell to the key as it stands: its length, and its text unless it is null. What the text of a number does not tell
 * has a length that no text has. */
static kanon_status add_to_key(release_reader *r, size_t *length, int column, kanon_error *err)
{
    const kanon__cell *cell = &r->cursor->cells[column];
    uint64_t n = cell->null ? UINT64_MAX : cell->length;
    size_t n_text = cell->null ? 0 : cell->length;
    kanon_status st = kanon__grow_array(&r->key, &r->key_capacity, (int64_t)(*length + sizeof n + n_text), "a cell", err);
    if (st != KANON_OK)
        return st;
    if (n_text > 0)
        n = n_text = kanon__csv_unescape(r->key + *length + sizeof n, cell);
    if (cell->odd)
        n = UINT64_MAX - 1 - cell->null;
    memcpy(r->key + *length, &n, sizeof n);
    *length += sizeof n + n_text;
    return KANON_OK;
}

/* Null, or empty in text, where nulls are not told apart. */
static bool is_nothing(const kanon__cell *cell)
{
    return cell->null || cell->length == 0;
}

/* NAME_min and NAME_max are read as [min,max], or as one cell where both are the same. Nothing beside a number is an
 * open end, [min..] or [..max]: a comma at an end could be taken for a decimal one. */
static kanon_status read_cell(release_reader *r, released *q, parsed_text **out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t length = 0, n_max = 0, n_key = 0;
    KANON_TRY(add_to_key(r, &n_key, q->first, err), out);
    if (q->first == q->last) {
        KANON_TRY(copy_cell(r, 0, &length, q->first, false, err), out);
        return look_up(r, q, out, r->scratch, length, n_key, err);
    }
    KANON_TRY(add_to_key(r, &n_key, q->last, err), out);
    bool is_open = is_nothing(&r->cursor->cells[q->first]) != is_nothing(&r->cursor->cells[q->last]);
    size_t n_between = is_open ? 2 : 1;
    KANON_TRY(copy_cell(r, 1, &length, q->first, is_open, err), out);
    KANON_TRY(copy_cell(r, (int64_t)(1 + length + n_between), &n_max, q->last, is_open, err), out);
    char *min = r->scratch + 1, *max = min + length + n_between;
    if (length == n_max && memcmp(min, max, length) == 0)
        return look_up(r, q, out, min, length, n_key, err);
    r->scratch[0] = '[';
    memcpy(min + length, is_open ? ".." : ",", n_between);
    max[n_max] = ']';
    return look_up(r, q, out, r->scratch, length + n_between + n_max + 2, n_key, err);
out:
    return st;
}

static kanon_status read_row(release_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int n_quasi = r->table->data.n_quasi, n_any = 0;
    for (int i = 0; i < n_quasi; i++) {
        parsed_text *s = NULL;
        KANON_TRY(read_cell(r, &r->quasi[i], &s, err), out);
        r->tuple[i] = r->class_of != NULL ? s->meaning : (uint32_t)(s - r->quasi[i].parsed);
        n_any += s->any;
        s->n++;
    }
    r->n_rows++;
    int64_t row = r->n_rows - 1;
    if (r->keys != NULL)
        KANON_TRY(kanon__key_rows_find(r->keys, &row, r->cursor, err), out);
    bool suppressed = n_any == n_quasi;
    r->n_suppressed += suppressed;
    if (suppressed && r->class_of != NULL)
        goto out;
    uint32_t n_before = r->classes.n, class_id;
    KANON_TRY(kanon__grow_array(&r->sizes, &r->sizes_capacity, (int64_t)n_before + 1, "classes", err), out);
    size_t n_bytes = (size_t)n_quasi * sizeof *r->tuple;
    KANON_TRY(kanon__dictionary_add(&r->classes, &class_id, (const char *)r->tuple, n_bytes, err), out);
    if (class_id == n_before)
        r->sizes[class_id] = 0;
    r->sizes[class_id]++;
    if (r->class_of != NULL) {
        r->class_of[row] = (int64_t)class_id + 1;
        goto out;
    }
    KANON_TRY(kanon__grow_array(&r->look_of, &r->look_capacity, r->n_rows, "classes", err), out);
    r->look_of[r->n_rows - 1] = (int32_t)class_id;
out:
    return st;
}

static kanon_status read_rows(release_reader *r, kanon_error *err)
{
    enum { ROW_NS = 100, CELL_NS = 20 };
    kanon_status st = KANON_OK;
    char place[KANON__PLACE_TEXT];
    for (;;) {
        bool has_row = false;
        KANON_TRY(r->source->class->next(r->cursor, &has_row, err), out);
        if (!has_row)
            break;
        if (r->n_rows == r->table->data.n_rows) {
            st = kanon__fail(err, KANON_EDATA, "%s: more records than the %lld of the table",
                             kanon__source_place(place, r->source, r->n_rows), (long long)r->table->data.n_rows);
            kanon__hint(err, st, "give the table that the release was made of");
            goto out;
        }
        KANON_TRY(read_row(r, err), out);
        KANON_TRY(kanon__tick(&r->ticker, r->cursor->done, r->cursor->total, ROW_NS + r->source->n_columns * CELL_NS, err),
                  out);
    }
out:
    return st;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static kanon_status set_up_attribute(release_reader *r, released *q, const kanon__column *column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool numeric = kanon__column_is_numeric(column);
    uint32_t n_numbers = numeric ? kanon__n_numbers(column->domain) : 0;
    q->column = column;
    q->kind = (kanon__value_kind){column->domain->type, column->domain->format};
    q->min = n_numbers > 0 ? column->domain->values[0] : 1;
    q->max = n_numbers > 0 ? kanon__domain_high(column->domain, n_numbers - 1) : 0;
    q->first = q->last = kanon__source_find_part(r->source, column->name, "");
    if (q->first < 0 && numeric) {
        q->first = kanon__source_find_part(r->source, column->name, "_min");
        q->last = kanon__source_find_part(r->source, column->name, "_max");
    }
    if (q->first < 0 || q->last < 0) {
        st = kanon__fail(err, KANON_EDATA, "%s:1: %s: the file has no such column, which is a quasi attribute of the table",
                         r->source->name, column->name);
        return kanon__hint(err, st, "a column that was left out is one of stars; is the delimiter right?");
    }
    KANON_TRY(kanon__dictionary_init(&q->texts, err), out);
    KANON_TRY(kanon__dictionary_init(&q->meanings, err), out);
out:
    return st;
}

/* The rows of a release, whose columns are those of the table. */
static kanon_status read_release(kanon__source **out, const kanon_input *release, kanon_error *err)
{
    kanon__input input;
    kanon__csv_reading how;
    kanon_status st = kanon__table_input_take(&input, &how, release, KANON_OK, err);
    if (how.header == KANON_HEADER_UNSAID)
        how.header = KANON_HEADER_YES;
    return st == KANON_OK ? kanon__table_source_read(out, &input, &how, NULL, err) : st;
}

static kanon_status open_release(release_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(r->source->class->open(&r->cursor, r->source, err), out);
    KANON_TRY(kanon__new_array(&r->quasi, r->table->data.n_quasi, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->tuple, r->table->data.n_quasi, "a row", err), out);
    KANON_TRY(kanon__dictionary_init(&r->classes, err), out);
    for (int i = 0; i < r->table->data.n_quasi; i++)
        KANON_TRY(set_up_attribute(r, &r->quasi[i], &r->table->data.columns[r->table->data.quasi[i]], err), out);
out:
    return st;
}

static void close_release(release_reader *r)
{
    for (int i = 0; r->quasi != NULL && i < r->table->data.n_quasi; i++) {
        kanon__free(r->quasi[i].parsed);
        kanon__dictionary_clear(&r->quasi[i].meanings);
        kanon__dictionary_clear(&r->quasi[i].texts);
    }
    kanon__free(r->key);
    kanon__free(r->scratch);
    kanon__meaning_clear(&r->meaning);
    kanon__free(r->look_of);
    kanon__free(r->sizes);
    kanon__dictionary_clear(&r->classes);
    kanon__free(r->tuple);
    kanon__free(r->quasi);
    r->source->class->close(r->cursor);
    kanon__source_free(r->source);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* The cells of an attribute cost shares of a whole, whatever the table's parts are. */
static void add_cells(kanon__sums *sums, const release_reader *r, int i, int64_t *n_unknown)
{
    const released *q = &r->quasi[i];
    sums->quasi[i].whole = sums->quasi[i].whole_cover = KANON__WHOLE_OF_DOUBLES;
    for (uint32_t j = 0; j < q->texts.n; j++) {
        const parsed_text *s = &q->parsed[j];
        kanon__sums_add_cells(sums, i, s->n, kanon__part_of_double(s->cost), kanon__part_of_double(s->cover));
        *n_unknown += s->unknown ? s->n : 0;
    }
}

/* The rows of the file that are one of a kind, by its columns that the table releases as they are. */
static kanon_status measure_rows(kanon_measures *m, release_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *data = &r->table->data;
    kanon__whole_row *w = NULL;
    int *columns = NULL, *places = NULL, n = 0;
    double *shares = NULL;
    bool *apart = NULL;
    KANON_TRY(kanon__new_array(&columns, data->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&places, data->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&shares, data->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&apart, data->n_columns, "columns", err), out);
    for (int i = 0; i < data->n_columns; i++) {
        int column = kanon__column_is_kept(&data->columns[i]) ? kanon__source_find(r->source, data->columns[i].name) : -1;
        if (column >= 0) {
            columns[n] = column;
            apart[n] = data->columns[i].permuted;
            places[n++] = i;
        }
    }
    KANON_TRY(kanon__whole_row_new(&w, r->look_of, r->n_rows, r->classes.n, NULL, &r->ticker, err), out);
    KANON_TRY(kanon__whole_row_add_source(w, shares, r->source, columns, apart, n, 1, err), out);
    m->figures[m->n++] = (kanon_figure){.name = kanon__measure_singled_out_all.info.shown.name,
                                        .formula = kanon__measure_singled_out_all.info.shown.brief,
                                        .value = kanon__whole_row_all(w)};
    for (int i = 0; i < n; i++)
        m->figures[m->n++] = (kanon_figure){.name = kanon__measure_singled_out.info.shown.name,
                                            .attribute = data->columns[places[i]].name,
                                            .formula = kanon__measure_singled_out.info.shown.brief,
                                            .value = shares[i]};
out:
    kanon__whole_row_free(w);
    kanon__free(apart);
    kanon__free(shares);
    kanon__free(places);
    kanon__free(columns);
    return st;
}

static void add_measure(kanon_measures *m, const kanon__measure *measure, double value)
{
    m->figures[m->n++] =
        (kanon_figure){.name = measure->info.shown.name, .formula = measure->info.shown.brief, .value = value};
}

/* What is wrong with the file, however little it loses; and how many records it lets find. */
static kanon_status add_comparison(kanon_measures *m, release_reader *r, kanon_error *err)
{
    static const kanon__texts no_key = {0};
    kanon__comparison c = {.with_linkage = true};
    bool has_key = kanon__key_is_in(&r->schema->key, r->table->source, r->source);
    kanon_status st = kanon__compare_original(&c, r->table, r->source, r->schema, has_key ? &r->schema->key : &no_key,
                                              (const uint32_t *)r->look_of, &r->ticker, err);
    double uncovered = 0, exchanged = 0;
    for (int i = 0; st == KANON_OK && i < c.n_columns; i++) {
        const kanon__compared_column *column = &c.columns[i];
        uncovered += (double)column->uncovered;
        exchanged += column->exchanged >= 0;
    }
    const kanon_figure figures[] = {
        {"uncovered_cells", NULL, "cells of the file that do not cover, or are not, those of their records; in permuted "
                                  "columns: of their class", uncovered, 1},
        {"records_doubled", NULL, "rows of the file of records that have rows enough", (double)c.doubled, 1},
        {"records_foreign", NULL, "rows of the file that are of no record of the table", (double)c.foreign, 1},
        {"columns_exchanged", NULL, "columns of the file whose cells are those of another column", exchanged, 1},
    };
    for (int i = 0; st == KANON_OK && i < N_COMPARED; i++)
        m->figures[m->n++] = figures[i];
    if (st == KANON_OK && !isnan(c.linkage_quasi)) {
        add_measure(m, &kanon__measure_linkage_quasi, c.linkage_quasi);
        add_measure(m, &kanon__measure_linkage_all, c.linkage_all);
        if (c.linkage_error > 0)
            add_measure(m, &kanon__measure_linkage_error, c.linkage_error);
    }
    kanon__comparison_clear(&c);
    return st;
}

/* Whose records are whose is not in the file, nor how many values a class had before. */
static kanon_status measure(kanon_measures **out, release_reader *r, int64_t k, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__sums sums = {0};
    const kanon__data *data = &r->table->data;
    int64_t n_unknown = 0;
    unsigned has = KANON__SUM_SIZES | KANON__SUM_LOSSES | KANON__SUM_COVERS | (data->has_entity ? 0 : KANON__SUM_RISKS);
    KANON_TRY(kanon__sums_init(&sums, data, has, err), out);
    sums.k = k;
    sums.n_rows = data->n_rows;
    sums.n_lost = data->n_rows - r->n_rows;
    sums.n_suppressed = r->n_suppressed + sums.n_lost;
    sums.n_groups = r->classes.n;
    KANON_TRY(kanon__sums_add_classes(&sums, r->sizes, r->classes.n, NULL, NULL, 0, err), out);
    for (int i = 0; i < data->n_quasi; i++)
        add_cells(&sums, r, i, &n_unknown);
    KANON_TRY(kanon__measures_of_sums(out, &sums, 2 + data->n_columns + N_COMPARED + N_LINKED, err), out);
    if (!data->has_entity && r->n_rows > 0)
        KANON_TRY(measure_rows(*out, r, err), out);
    (*out)->figures[(*out)->n++] = (kanon_figure){
        .name = "unknown_cells",
        .formula = "cells of the file that are no value, interval or node of the table's attribute; each costs 1",
        .value = (double)n_unknown,
        .whole = 1,
    };
    KANON_TRY(add_comparison(*out, r, err), out);
out:
    if (st != KANON_OK) {
        kanon_measures_free(*out);
        *out = NULL;
    }
    kanon__sums_clear(&sums);
    return st;
}

/* Evaluate the release in `source`, which is taken over in any case. */
static kanon_status evaluate(kanon_measures **out, const kanon_table *table, kanon__source *source,
                             const kanon_schema *schema, const kanon_evaluate_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_evaluate_options o;
    release_reader r = {.table = table, .schema = schema, .source = source};
    *out = NULL;
    KANON_TRY(kanon__take_options(&o, sizeof o, options, err), out);
    kanon__call_ticks(&o.tick, &o.payload);
    if (o.n_settings > 0) {
        st = kanon__fail(err, KANON_EINVAL, "there is no setting for the figures of a release file");
        kanon__hint(err, st, "settings are for the measures of a grouping");
        goto out;
    }
    kanon__ticker_init(&r.ticker, o.tick, o.payload, "reading");
    KANON_TRY(open_release(&r, err), out);
    KANON_TRY(read_rows(&r, err), out);
    st = measure(out, &r, o.k, err);
out:
    close_release(&r);
    return st;
}

kanon_status kanon_evaluate_release(kanon_measures **out, const kanon_table *table, const kanon_input *release,
                                    const kanon_schema *schema, const kanon_evaluate_options *options, kanon_error *err)
{
    kanon__call call;
    kanon__source *source = NULL;
    *out = NULL;
    kanon__call_begin(&call, table->context);
    kanon_status st = read_release(&source, release, err);
    return kanon__call_end(&call, st == KANON_OK ? evaluate(out, table, source, schema, options, err) : st);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static kanon_status take_classes(kanon_grouping **out, const kanon_table *table, kanon__source *source,
                                 const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    release_reader r = {.table = table, .schema = schema, .source = source};
    int64_t *class_of = NULL;
    KANON_TRY(kanon__new_array(&class_of, table->data.n_rows, "a grouping", err), out);
    r.class_of = class_of;
    kanon__ticker_init(&r.ticker, NULL, NULL, "reading");
    KANON_TRY(kanon__key_rows_new(&r.keys, &schema->key, table->source, source, &r.ticker, err), out);
    KANON_TRY(open_release(&r, err), out);
    KANON_TRY(read_rows(&r, err), out);
    if (r.n_rows < table->data.n_rows && r.keys == NULL) {
        st = kanon__fail(err, KANON_EDATA, "%s: %lld records, and the table has %lld: which are missing cannot be told",
                         source->name, (long long)r.n_rows, (long long)table->data.n_rows);
        kanon__hint(err, st,
                    "give the groups of the records (row,group) in place of the release, or name its columns that tell "
                    "records "
                    "apart: key in the schema");
        goto out;
    }
    KANON_TRY(kanon_grouping_new(out, table, class_of, err), out);
out:
    kanon__key_rows_free(r.keys);
    kanon__free(class_of);
    close_release(&r);
    return st;
}

kanon_status kanon_grouping_from_release(kanon_grouping **out, const kanon_table *table, const kanon_input *release,
                                         const kanon_schema *schema, kanon_error *err)
{
    kanon__call call;
    kanon__source *source = NULL;
    *out = NULL;
    kanon__call_begin(&call, table->context);
    kanon_status st = read_release(&source, release, err);
    return kanon__call_end(&call, st == KANON_OK ? take_classes(out, table, source, schema, err) : st);
}
