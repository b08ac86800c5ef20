/* The independent check of a CSV release while it is written: invariants 1 to 3 of docs/ARCHITECTURE.md. Before: what
 * each attribute is. Then the texts of the groups are read and their cover computed, every line is compared with text
 * and input before it is written, and at the end records and means are counted, and what is required of groups and of
 * classes that look alike (verify_classes.c). */
#include "verify/verify.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "table/value/number.h"
#include "verify/arrow_cells.h"
#include "verify/bare_text.h"
#include "verify/cell_sums.h"
#include "verify/read_interval.h"
#include "verify/verify_bands.h"
#include "verify/verify_figures.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* A text that lies somewhere else. */
typedef struct span {
    const char *bytes;
    size_t length;
} span;

/* The codes that a released cell covers: none where lo > hi. */
typedef struct cover {
    uint32_t lo, hi;
} cover;

/* What is known of a quasi attribute before the release is looked at. */
typedef struct attribute {
    const kanon__column *column;
    int number; /* of the column */
    int run;    /* that it is in */
    bool numeric;
    bool bands;    /* then the numbers of the input are held against the ends that its group shows, in `figures` */
    span *own;     /* by code: its text in the table */
    cover *leaves; /* categorical, by taxonomy node: the leaves below it */
} attribute;

/* Sums that several threads add to, each mostly to another one. */
enum { N_SUMS = 64, ROWS_PER_SUM = 1024, SUM_BYTES = 64 };

typedef struct shared_sum {
    _Atomic uint64_t sum;
    char apart[SUM_BYTES - sizeof(uint64_t)];
} shared_sum;

struct kanon__verifier {
    const kanon_table *table;
    const int32_t *group_of;
    int64_t n_groups;
    kanon_numeric numeric;
    bool mapping;
    int n_runs;
    attribute *attributes; /* by quasi attribute */
    attribute *sensitive;  /* by sensitive column: only the texts of its codes */
    cover *covers;         /* by group and quasi attribute */
    span *texts;           /* by group and run, that of suppressed rows last; NULL: not understood yet */
    double *figures;       /* for means, mappings and bands, by group and quasi attribute: what is shown, in two numbers */
    _Atomic unsigned char *seen;      /* by row */
    shared_sum *links;                /* all of them together are 0 in the end: see link_row */
    kanon__cell_sums *sums;           /* of permuted columns; NULL: there are none */
    const kanon__arrow_source *arrow; /* the table's source where it came as an Arrow stream; else NULL */
};

/* ---- before ------------------------------------------------------------------------------------------------------ */

/* The leaves below each node, by walking up from every leaf; they must be a range without gaps. */
static kanon_status list_leaves(attribute *a, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__taxonomy *t = a->column->domain->taxonomy;
    int32_t *n_below = NULL;
    KANON_TRY(kanon__new_array(&n_below, t->n_nodes, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&a->leaves, t->n_nodes, "the check of the release", err), out);
    for (int32_t leaf = 0; leaf < t->n_leaves; leaf++)
        for (int32_t node = t->leaf_node[leaf]; node >= 0; node = t->parent[node]) {
            if (n_below[node]++ == 0)
                a->leaves[node].lo = (uint32_t)leaf;
            a->leaves[node].hi = (uint32_t)leaf;
        }
    for (int32_t node = 0; node < t->n_nodes; node++)
        if (n_below[node] == 0 || a->leaves[node].hi - a->leaves[node].lo != (uint32_t)n_below[node] - 1) {
            st = kanon__fail(err, KANON_EINTERNAL, "the check found a taxonomy out of order, column %s", a->column->name);
            goto out;
        }
out:
    kanon__free(n_below);
    return st;
}

static uint32_t number_count(const kanon__column *column)
{
    return column->domain->n_codes - (column->domain->missing_code != KANON__NO_CODE);
}

/* The missing code comes after those of the numbers, which rise. */
static kanon_status check_numbers(const kanon__column *column, kanon_error *err)
{
    uint32_t n = number_count(column);
    bool good = column->domain->missing_code == KANON__NO_CODE || column->domain->missing_code == n;
    for (uint32_t code = 1; code < n; code++)
        good = good && column->domain->values[code - 1] <= column->domain->values[code];
    if (!good)
        return kanon__fail(err, KANON_EINTERNAL, "the check found numbers out of order, column %s", column->name);
    return KANON_OK;
}

static kanon_status know_texts(attribute *a, kanon_error *err)
{
    a->numeric = kanon__column_is_numeric(a->column);
    KANON_CHECK(kanon__new_array(&a->own, a->column->domain->n_codes, "the check of the release", err));
    for (uint32_t code = 0; code < a->column->domain->n_codes; code++)
        a->own[code].bytes = kanon__column_text(a->column, code, &a->own[code].length);
    return KANON_OK;
}

static kanon_status know_attribute(attribute *a, kanon_error *err)
{
    KANON_CHECK(know_texts(a, err));
    a->bands = a->numeric && a->column->domain->bands != NULL;
    return a->numeric ? check_numbers(a->column, err) : list_leaves(a, err);
}

static kanon_status know_attributes(kanon__verifier *v, kanon_error *err)
{
    const kanon_table *t = v->table;
    bool in_run = false;
    KANON_CHECK(kanon__new_array(&v->attributes, t->data.n_quasi, "the check of the release", err));
    for (int i = 0, quasi = 0; i < t->data.n_columns; i++) {
        kanon_role role = t->data.columns[i].role;
        if (role == KANON_ROLE_QUASI) {
            v->n_runs += !in_run;
            v->attributes[quasi] = (attribute){.column = &t->data.columns[i], .number = i, .run = v->n_runs - 1};
            KANON_CHECK(know_attribute(&v->attributes[quasi++], err));
        }
        in_run = role == KANON_ROLE_QUASI || (role == KANON_ROLE_IDENTIFYING && in_run);
    }
    KANON_CHECK(kanon__new_array(&v->sensitive, t->data.n_sensitive, "the check of the release", err));
    for (int i = 0; i < t->data.n_sensitive; i++) {
        v->sensitive[i] = (attribute){.column = &t->data.columns[t->data.sensitive[i]], .number = t->data.sensitive[i]};
        KANON_CHECK(know_texts(&v->sensitive[i], err));
    }
    return KANON_OK;
}

kanon_status kanon__verifier_new(kanon__verifier **out, const kanon_table *table, const int32_t *group_of, int64_t n_groups,
                                 kanon_numeric numeric, bool mapping, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__verifier *v = NULL;
    int64_t n_cells = n_groups * table->data.n_quasi;
    *out = NULL;
    KANON_TRY(kanon__new_array(&v, 1, "the check of the release", err), out);
    v->table = table;
    v->group_of = group_of;
    v->n_groups = n_groups;
    v->numeric = numeric;
    v->mapping = mapping;
    v->arrow = kanon__arrow_source_of(table->source);
    if (!table->source->has_places && v->arrow == NULL)
        KANON_TRY(kanon__fail(err, KANON_EINTERNAL, "the check cannot read the rows of %s again", table->source->name), out);
    KANON_TRY(know_attributes(v, err), out);
    KANON_TRY(kanon__new_array(&v->covers, n_cells, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&v->texts, (n_groups + 1) * v->n_runs, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&v->seen, table->data.n_rows, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&v->links, N_SUMS, "the check of the release", err), out);
    KANON_TRY(kanon__cell_sums_new(&v->sums, &table->data, n_groups, err), out);
    bool bands = false;
    for (int i = 0; i < table->data.n_quasi; i++)
        bands = bands || v->attributes[i].bands;
    if (mapping || bands || numeric == KANON_NUMERIC_MEAN)
        KANON_TRY(kanon__new_array(&v->figures, n_cells * 2, "the check of the release", err), out);
    *out = v;
    v = NULL;
out:
    kanon__verifier_free(v);
    return st;
}

void kanon__verifier_free(kanon__verifier *v)
{
    if (v == NULL)
        return;
    kanon__cell_sums_free(v->sums);
    kanon__free(v->figures);
    kanon__free(v->links);
    kanon__free((void *)v->seen);
    kanon__free(v->texts);
    kanon__free(v->covers);
    for (int i = 0; v->attributes != NULL && i < v->table->data.n_quasi; i++) {
        kanon__free(v->attributes[i].leaves);
        kanon__free(v->attributes[i].own);
    }
    for (int i = 0; v->sensitive != NULL && i < v->table->data.n_sensitive; i++)
        kanon__free(v->sensitive[i].own);
    kanon__free(v->sensitive);
    kanon__free(v->attributes);
    kanon__free(v);
}

int kanon__verifier_runs(const kanon__verifier *v)
{
    return v->n_runs;
}

/* ---- what a group shows ------------------------------------------------------------------------------------------ */

/* A number of the column's type. */
static bool read_number(const kanon__column *column, const char *text, size_t length, double *value)
{
    const kanon__domain *domain = column->domain;
    return kanon__read_end(value, kanon__value_type_read(domain->type), &domain->format, text, length);
}

static bool read_interval(const kanon__column *column, const char *separator, const char *text, size_t length,
                          double ends[2])
{
    const kanon__domain *domain = column->domain;
    kanon_type type = kanon__value_type_read(domain->type);
    return kanon__read_interval(ends, type, &domain->format, separator, text, length);
}

static bool is_missing_text(const kanon__column *column, const char *text, size_t length)
{
    size_t own_length;
    if (column->domain->missing_code == KANON__NO_CODE)
        return false;
    const char *own = kanon__column_text(column, column->domain->missing_code, &own_length);
    return own_length == length && memcmp(own, text, length) == 0;
}

/* How many of the rising values are below x, or not above it. */
static uint32_t count_below(const double *values, uint32_t n, double x, bool or_equal)
{
    uint32_t from = 0, until = n;
    while (from < until) {
        uint32_t middle = from + (until - from) / 2;
        if (values[middle] < x || (or_equal && values[middle] == x))
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

static cover covered_numbers(const kanon__column *column, const double ends[2])
{
    uint32_t n = number_count(column), below = count_below(column->domain->values, n, ends[0], false);
    uint32_t until = count_below(column->domain->values, n, ends[1], true);
    return until > below ? (cover){below, until - 1} : (cover){1, 0};
}

/* The same of bands. A group covers every number here; is_covered holds those of its records against `ends`. As columns, a
 * single empty cell is an open end, even where the text for "missing" is empty. */
static bool understand_bands(const kanon__verifier *v, const kanon__column *column, const span cells[2], cover *covered,
                             double ends[2])
{
    uint32_t n = number_count(column);
    const kanon__band_cell texts[2] = {{cells[0].bytes, cells[0].length}, {cells[1].bytes, cells[1].length}};
    bool two = v->numeric == KANON_NUMERIC_COLUMNS;
    if (is_missing_text(column, cells[0].bytes, cells[0].length) &&
        (!two || is_missing_text(column, cells[1].bytes, cells[1].length))) {
        *covered = (cover){column->domain->missing_code, column->domain->missing_code};
        ends[0] = INFINITY;
        ends[1] = -INFINITY;
        return true;
    }
    *covered = n > 0 ? (cover){0, n - 1} : (cover){1, 0};
    return kanon__verify_band_cell(column->domain, v->numeric, texts, ends);
}

/* Whether the column shows means; levels have none, and show their interval. */
static bool shows_means(const kanon__verifier *v, const kanon__column *column)
{
    return v->numeric == KANON_NUMERIC_MEAN && column->domain->type != KANON_TYPE_ORDINAL;
}

/* What stands between the ends of an interval. */
static const char *separator_of(const kanon__verifier *v, const kanon__column *column)
{
    return v->numeric == KANON_NUMERIC_RANGE && column->domain->type != KANON_TYPE_ORDINAL ? "," : "..";
}

/* Drawn ends lie inside the range of the column they were drawn for, and are never a single value where there are two. */
static bool is_drawn(const kanon__column *column, const double ends[2])
{
    uint32_t n = number_count(column);
    bool inside = n > 0 && ends[0] >= column->domain->values[0] && ends[1] <= column->domain->values[n - 1];
    return n > 0 && (inside || column->drawn_before) && (n == 1 || ends[0] < ends[1]);
}

/* What the cells of one attribute cover; false where they cannot be read. `ends` becomes what they show. */
static bool understand_numeric(const kanon__verifier *v, const kanon__column *column, const span cells[2], cover *covered,
                               double ends[2])
{
    const char *bytes = cells[0].bytes;
    size_t length = cells[0].length;
    uint32_t n = number_count(column);
    if (length == 1 && bytes[0] == '*') { /* even where it is also the text for "missing" */
        *covered = (cover){0, column->domain->n_codes - 1};
        ends[0] = -INFINITY;
        ends[1] = INFINITY;
        return true;
    }
    if (column->domain->bands != NULL)
        return understand_bands(v, column, cells, covered, ends);
    if (is_missing_text(column, bytes, length)) {
        /* a mean can happen to be the number that means "missing" */
        bool either = shows_means(v, column) && read_number(column, bytes, length, &ends[0]);
        *covered = (cover){either ? 0 : column->domain->missing_code, column->domain->missing_code};
        ends[0] = either ? ends[0] : INFINITY;
        ends[1] = either ? ends[0] : -INFINITY;
        return true;
    }
    bool one = v->numeric != KANON_NUMERIC_COLUMNS && read_number(column, bytes, length, &ends[0]);
    if (one)
        ends[1] = ends[0];
    else if (v->numeric == KANON_NUMERIC_COLUMNS
                 ? !read_number(column, bytes, length, &ends[0]) ||
                       !read_number(column, cells[1].bytes, cells[1].length, &ends[1])
                 : !read_interval(column, separator_of(v, column), bytes, length, ends))
        return false;
    if (column->drawn && !is_drawn(column, ends))
        return false;
    /* a mean covers every number, and is held against those of its group in the end */
    *covered = !shows_means(v, column) ? covered_numbers(column, ends) : n > 0 ? (cover){0, n - 1} : (cover){1, 0};
    return true;
}

static bool understand(const kanon__verifier *v, int64_t group, int i, const span cells[2])
{
    const attribute *a = &v->attributes[i];
    double ends[2] = {0};
    cover *covered = &v->covers[group * v->table->data.n_quasi + i];
    if (a->numeric) {
        if (!understand_numeric(v, a->column, cells, covered, ends))
            return false;
    } else {
        int32_t node = kanon__taxonomy_node(a->column->domain->taxonomy, cells[0].bytes, cells[0].length);
        if (node < 0)
            return false;
        *covered = a->leaves[node];
        ends[0] = ends[1] = node;
    }
    if (v->figures != NULL)
        memcpy(&v->figures[(group * v->table->data.n_quasi + i) * 2], ends, sizeof ends);
    return true;
}

/* Take the cell at *at off a piece of a line, as any reader of CSV would; false where that cannot be. What stood in quotes
 * goes to `scratch`, which moves on; NULL: it stays where it is, with its doubled quotes. */
static bool take_cell(const char **at, const char *end, char delimiter, char **scratch, span *cell)
{
    const char *from = *at;
    if (from < end && *from == '"') {
        cell->bytes = scratch != NULL ? *scratch : from + 1;
        for (from++; from < end && (*from != '"' || (from + 1 < end && from[1] == '"')); from++) {
            if (scratch != NULL)
                *(*scratch)++ = *from;
            from += *from == '"';
        }
        cell->length = (size_t)((scratch != NULL ? *scratch : from) - cell->bytes);
        if (from++ >= end)
            return false;
    } else {
        cell->bytes = from;
        while (from < end && *from != delimiter && *from != '"' && *from != '\n' && *from != '\r')
            from++;
        cell->length = (size_t)(from - cell->bytes);
    }
    *at = from < end ? from + 1 : end + 1;
    return from == end || *from == delimiter;
}

static bool is_star(const span *cell)
{
    return cell->length == 1 && cell->bytes[0] == '*';
}

/* The attribute whose cell cannot be read, -1 where all can and nothing follows them. */
static int first_unreadable(const kanon__verifier *v, int64_t group, int run, const char *bytes, size_t length,
                            char *scratch)
{
    const char *at = bytes, *end = bytes + length;
    int last = -1;
    for (int i = 0; i < v->table->data.n_quasi; i++) {
        span cells[2] = {{0}};
        bool two = v->numeric == KANON_NUMERIC_COLUMNS && v->attributes[i].numeric, good = true;
        if (v->attributes[i].run != run)
            continue;
        for (int part = 0; good && part < (two ? 2 : 1); part++)
            good = at <= end && take_cell(&at, end, v->table->source->delimiter, &scratch, &cells[part]) &&
                   (group < v->n_groups || is_star(&cells[part]));
        if (!good || (group < v->n_groups && !understand(v, group, i, cells)))
            return i;
        last = i;
    }
    return at == end + 1 ? -1 : last;
}

kanon_status kanon__verifier_text(kanon__verifier *v, int64_t group, int run, const char *bytes, size_t length,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *scratch = NULL;
    if (length > 0 && memchr(bytes, '"', length) != NULL)
        KANON_TRY(kanon__new_array(&scratch, (int64_t)length, "a cell", err), out);
    int unreadable = first_unreadable(v, group, run, bytes, length, scratch);
    if (unreadable >= 0)
        st = kanon__fail(err, KANON_EINTERNAL, "the check cannot read a cell of the release, column %s",
                         v->attributes[unreadable].column->name);
    else
        v->texts[group * v->n_runs + run] = (span){bytes, length};
out:
    kanon__free(scratch);
    return st;
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

/* Whether two texts of at least `width` and at most twice as many bytes are equal: their beginnings and their ends. */
static inline bool equal_ends(const char *a, const char *b, size_t length, size_t width)
{
    return memcmp(a, b, width) == 0 && memcmp(a + length - width, b + length - width, width) == 0;
}

/* memcmp for the short texts that most cells are: without a call and without a loop, whose end no processor foresees. */
static inline bool equal_bytes(const char *a, const char *b, size_t length)
{
    if (length > 16)
        return memcmp(a, b, length) == 0;
    if (length >= 8)
        return equal_ends(a, b, length, 8);
    if (length >= 4)
        return equal_ends(a, b, length, 4);
    return length < 2 ? length == 0 || *a == *b : equal_ends(a, b, length, 2);
}

/* Whether a cell of the input has this text. */
static inline bool says(const kanon__cell *cell, const char *bytes, size_t length)
{
    if (!cell->doubled)
        return cell->length == length && equal_bytes(cell->text, bytes, length);
    size_t n = 0;
    for (size_t i = 0; i < cell->length; i++, n++) {
        if (n == length || cell->text[i] != bytes[n])
            return false;
        i += cell->text[i] == '"';
    }
    return n == length;
}

/* Whether a cell of the input has this text but for the blanks around either. */
static bool says_barely(const kanon__cell *cell, const char *bytes, size_t length)
{
    kanon__cell bare = *cell;
    kanon__bare(&bare.text, &bare.length);
    kanon__bare(&bytes, &length);
    return says(&bare, bytes, length);
}

static bool says_missing(const kanon__verifier *v, const kanon__cell *cell)
{
    for (int64_t i = 0; i < v->table->missing.n; i++)
        if (says_barely(cell, v->table->missing.items[i], strlen(v->table->missing.items[i])))
            return true;
    return false;
}

/* Another text than the code's: one of several that mean "missing", the same with blanks around it, or another way to write
 * the number. */
static bool says_the_same(const kanon__verifier *v, const attribute *a, uint32_t code, const kanon__cell *cell)
{
    double value;
    if (code == a->column->domain->missing_code)
        return cell->null || says_missing(v, cell);
    if (cell->null)
        return false;
    if (says_barely(cell, a->own[code].bytes, a->own[code].length))
        return true;
    return a->numeric && !cell->doubled && read_number(a->column, cell->text, cell->length, &value) &&
           value == a->column->domain->values[code];
}

/* What the group of a row shows of an attribute with bands, read once more: exactly. */
static bool read_band(const kanon__verifier *v, int64_t group, int wanted, kanon__shown_band *out)
{
    const span *text = &v->texts[group * v->n_runs + v->attributes[wanted].run];
    const char *at = text->bytes, *end = text->bytes + text->length;
    kanon__band_cell cells[2] = {{0}};
    for (int i = 0; i <= wanted; i++) {
        int n_cells = v->numeric == KANON_NUMERIC_COLUMNS && v->attributes[i].numeric ? 2 : 1;
        if (v->attributes[i].run != v->attributes[wanted].run)
            continue;
        for (int part = 0; part < n_cells; part++) {
            span cell;
            if (at > end || !take_cell(&at, end, v->table->source->delimiter, NULL, &cell)) /* numbers have no quotes */
                return false;
            cells[part] = (kanon__band_cell){cell.bytes, cell.length};
        }
    }
    return kanon__verify_band_texts(v->attributes[wanted].column->domain, v->numeric, cells, out);
}

/* Where doubles cannot tell on which side of an end a number lies. */
static bool is_exactly_in_bands(const kanon__verifier *v, const attribute *a, int64_t row, int i, const kanon__cell *cell)
{
    kanon__decimal number;
    kanon__shown_band band;
    return kanon__verify_band_number(a->column->domain, cell->text, cell->length, &number) &&
           read_band(v, v->group_of[row], i, &band) && kanon__shown_band_covers(&band, &number);
}

/* A number in a band is what the input says, whatever its code. */
static bool is_in_bands(const kanon__verifier *v, const attribute *a, int64_t row, int i, uint32_t code,
                        const kanon__cell *cell)
{
    const double *shown = &v->figures[(v->group_of[row] * (int64_t)v->table->data.n_quasi + i) * 2];
    const double exact = 9007199254740992.0; /* whole numbers below it are doubles */
    double value;
    if (code == a->column->domain->missing_code)
        return says_the_same(v, a, code, cell);
    if (cell->null || cell->doubled || !read_number(a->column, cell->text, cell->length, &value) || says_missing(v, cell))
        return false;
    if ((shown[0] < value && value < shown[1]) || value < shown[0] || value > nextafter(shown[1], INFINITY))
        return shown[0] < value && value < shown[1];
    if (a->column->domain->type != KANON_TYPE_DECIMAL && fabs(value) < exact)
        return shown[0] <= value && value <= shown[1];
    return is_exactly_in_bands(v, a, row, i, cell);
}

/* The text in the input must be the code's, or the table was encoded wrongly, or the input is another one now. */
static inline bool says_code(const kanon__verifier *v, const attribute *a, uint32_t code, const kanon__cell *cell)
{
    return (!cell->null && says(cell, a->own[code].bytes, a->own[code].length)) || says_the_same(v, a, code, cell);
}

/* The code must be covered, and be the input's. */
static inline bool is_covered(const kanon__verifier *v, int64_t row, const cover *covers, int i, const kanon__cell *cells)
{
    const attribute *a = &v->attributes[i];
    const kanon__cell *cell = &cells[a->number];
    uint32_t code = kanon__code_at(a->column->codes, row);
    if (a->bands)
        return covers[i].lo <= code && code <= covers[i].hi && is_in_bands(v, a, row, i, code, cell);
    return covers[i].lo <= code && code <= covers[i].hi && says_code(v, a, code, cell);
}

/* The sensitive column that shows another value than the one that was counted for the constraints; -1: none. */
static inline int first_uncounted(const kanon__verifier *v, int64_t row, const kanon__cell *cells)
{
    for (int i = 0; i < v->table->data.n_sensitive; i++) {
        const attribute *a = &v->sensitive[i];
        if (!says_code(v, a, kanon__code_at(a->column->codes, row), &cells[a->number]))
            return a->number;
    }
    return -1;
}

/* Whether `bytes` come next in the line; if so, *at moves past them. */
static inline bool pass(const char **at, const char *end, const char *bytes, size_t length)
{
    if ((size_t)(end - *at) < length || !equal_bytes(*at, bytes, length))
        return false;
    *at += length;
    return true;
}

/* The cell that comes next in the line, with its quotes; *at moves past it. */
static bool pass_cell(const kanon__verifier *v, const char **at, const char *end, span *out)
{
    const char *from = *at;
    bool quoted = from < end && *from == '"';
    for (from += quoted; quoted && from < end && (*from != '"' || (from + 1 < end && from[1] == '"')); from++)
        from += *from == '"';
    if (quoted && from++ >= end)
        return false;
    while (!quoted && from < end && *from != v->table->source->delimiter && *from != '"' && *from != '\n' && *from != '\r')
        from++;
    *out = (span){*at, (size_t)(from - *at)};
    *at = from;
    return true;
}

/* Take note of a permuted cell, and of the one that the row has itself. */
static bool count_cell(const kanon__verifier *v, int64_t row, int column, const span *shown, const span *own)
{
    kanon__cell_sums_count(v->sums, v->group_of[row], column,
                           kanon__cell_sums_hash(v->sums, 0, shown->bytes, shown->length),
                           kanon__cell_sums_hash(v->sums, 0, own->bytes, own->length));
    return true;
}

/* Whether the line is what the row is to show: the text of its group in each run, and the input's bytes in all columns that
 * are neither quasi nor left out. What stands in permuted columns is counted: any row of the group may have it. */
static bool is_line(const kanon__verifier *v, int64_t row, const span *runs, const kanon__cell *cells, const char *line,
                    size_t length)
{
    const kanon_table *t = v->table;
    const char *at = line, *end = line + length;
    bool in_run = false, first = true;
    int run = 0;
    for (int i = 0; i < t->data.n_columns; i++) {
        kanon_role role = t->data.columns[i].role;
        if (role == KANON_ROLE_IDENTIFYING || (role == KANON_ROLE_QUASI && in_run))
            continue;
        if (!first && !pass(&at, end, &t->source->delimiter, 1))
            return false;
        first = false;
        in_run = role == KANON_ROLE_QUASI;
        size_t around = cells[i].quoted ? 1 : 0;
        const span own = {cells[i].text - around, cells[i].length + 2 * around};
        span shown;
        bool good;
        if (in_run)
            good = pass(&at, end, runs[run].bytes, runs[run].length);
        else if (kanon__cell_sums_has(v->sums, i))
            good = pass_cell(v, &at, end, &shown) && count_cell(v, row, i, &shown, &own);
        else
            good = pass(&at, end, own.bytes, own.length);
        run += in_run;
        if (!good)
            return false;
    }
    return pass(&at, end, t->source->crlf ? "\r\n" : "\n", t->source->crlf ? 2 : 1) && at == end;
}

static uint64_t link_of(int64_t row, size_t begin)
{
    uint64_t x = (uint64_t)begin * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)row;
    x = (x ^ x >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
    return (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
}

/* Whether the row's cells and its line end fill the place that it is said to have. Only the last row may lack the line
 * end. */
static inline bool fills_its_place(const kanon_table *t, int64_t row, const kanon__cursor *cursor)
{
    const kanon__cell *cells = cursor->cells, *last = &cells[t->data.n_columns - 1];
    const char *begin = cells[0].text - cells[0].quoted, *end = last->text + last->length + last->quoted;
    size_t place = cursor->end - cursor->begin, filled = (size_t)(end - begin), rest = place - filled;
    if (cursor->end > t->source->size || cursor->begin > cursor->end || filled > place || rest > 2)
        return false;
    if (t->source->bytes != NULL && begin != t->source->bytes + cursor->begin)
        return false;
    return rest == 0 ? row + 1 == t->data.n_rows : end[rest - 1] == '\n' && (rest == 1 || end[0] == '\r');
}

/* Each row must begin where the one before it ends, in whatever order they come: what a row adds for its successor, that one
 * takes away again. So the cells of one row cannot pass for another's, even where these look the same. */
static inline bool link_row(kanon__verifier *v, int64_t row, const kanon__cursor *cursor)
{
    const kanon_table *t = v->table;
    uint64_t sum = 0;
    if (!t->source->has_places)
        return true;
    if (row > 0)
        sum -= link_of(row, cursor->begin);
    if (row + 1 < t->data.n_rows)
        sum += link_of(row + 1, cursor->end);
    atomic_fetch_add_explicit(&v->links[row / ROWS_PER_SUM % N_SUMS].sum, sum, memory_order_relaxed);
    return fills_its_place(t, row, cursor);
}

/* Whether the row shows what its group does, is covered by it, and has the values that were counted. */
static kanon_status check_line(const kanon__verifier *v, int64_t row, int64_t group, const kanon__cell *cells,
                               const char *line, size_t length, kanon_error *err)
{
    const span *runs = &v->texts[group * v->n_runs];
    for (int run = 0; run < v->n_runs; run++)
        if (runs[run].bytes == NULL)
            return kanon__fail(err, KANON_EINTERNAL, "the check was not told what record %lld shows", (long long)row + 1);
    if (!is_line(v, row, runs, cells, line, length))
        return kanon__fail(err, KANON_EINTERNAL, "the check found another line than record %lld should have",
                           (long long)row + 1);
    for (int i = 0; group < v->n_groups && i < v->table->data.n_quasi; i++)
        if (!is_covered(v, row, &v->covers[group * v->table->data.n_quasi], i, cells))
            return kanon__fail(err, KANON_EINTERNAL,
                               "the check found a released cell that does not cover its original: record %lld, column %s",
                               (long long)row + 1, v->attributes[i].column->name);
    int uncounted = first_uncounted(v, row, cells);
    if (uncounted >= 0)
        return kanon__fail(err, KANON_EINTERNAL,
                           "the check found another value than the one that was counted: record %lld, "
                           "column %s",
                           (long long)row + 1, v->table->data.columns[uncounted].name);
    return KANON_OK;
}

kanon_status kanon__verifier_row(kanon__verifier *v, int64_t row, const kanon__cursor *cursor, const char *line,
                                 size_t length, kanon_error *err)
{
    const kanon__cell *cells = cursor->cells;
    if (row < 0 || row >= v->table->data.n_rows || v->group_of[row] >= v->n_groups)
        return kanon__fail(err, KANON_EINTERNAL, "the check found record %lld where none should be", (long long)row + 1);
    if (atomic_exchange_explicit(&v->seen[row], 1, memory_order_relaxed) != 0)
        return kanon__fail(err, KANON_EINTERNAL, "the check found record %lld twice", (long long)row + 1);
    if (v->arrow != NULL && !kanon__arrow_cells_match(v->arrow, row, cells))
        return kanon__fail(err, KANON_EINTERNAL, "the check found other values than those of record %lld",
                           (long long)row + 1);
    if (!link_row(v, row, cursor))
        return kanon__fail(err, KANON_EINTERNAL, "the check found record %lld in another place than it should be",
                           (long long)row + 1);
    int64_t group = v->group_of[row] >= 0 ? v->group_of[row] : v->n_groups;
    bool stays_out = group == v->n_groups && !v->table->policy.keep_suppressed;
    if (stays_out != (line == NULL))
        return kanon__fail(err, KANON_EINTERNAL,
                           stays_out ? "the check found record %lld in the release, which is suppressed"
                                     : "the check found record %lld not in the release",
                           (long long)row + 1);
    return stays_out ? KANON_OK : check_line(v, row, group, cells, line, length, err);
}

/* Where a text of the table lies, then the text: only of a large domain, because a small one stays in the cache. */
static inline void prefetch_text(const attribute *a, int64_t far, int64_t near)
{
    enum { FEW_CODES = 1024 };
    if (a->column->domain->n_codes <= FEW_CODES)
        return;
    __builtin_prefetch(&a->own[kanon__code_at(a->column->codes, far)]);
    __builtin_prefetch(a->own[kanon__code_at(a->column->codes, near)].bytes);
}

void kanon__verifier_prefetch(const kanon__verifier *v, int64_t far, int64_t near)
{
    int64_t group = v->group_of[far];
    for (int i = 0; i < v->table->data.n_quasi; i++)
        prefetch_text(&v->attributes[i], far, near);
    for (int i = 0; i < v->table->data.n_sensitive; i++)
        prefetch_text(&v->sensitive[i], far, near);
    if (group < 0)
        return;
    const cover *covers = &v->covers[group * v->table->data.n_quasi];
    __builtin_prefetch(&v->texts[group * v->n_runs]);
    __builtin_prefetch(covers);
    __builtin_prefetch(covers + v->table->data.n_quasi - 1);
}

/* ---- after ------------------------------------------------------------------------------------------------------- */

static kanon_status check_attribute(int64_t i, void *payload, kanon_error *err)
{
    const kanon__verifier *v = *(const kanon__verifier *const *)payload;
    const kanon__shown_figures figures = {v->attributes[i].column, v->group_of, v->table->data.n_rows, v->n_groups,
                                          v->figures + 2 * i, 2 * v->table->data.n_quasi};
    if (v->mapping)
        KANON_CHECK(kanon__verify_mapping(&figures, err));
    if (v->attributes[i].numeric && shows_means(v, v->attributes[i].column))
        KANON_CHECK(kanon__verify_means(&figures, err));
    return KANON_OK;
}

static kanon_status check_seen(const kanon__verifier *v, kanon_error *err)
{
    int64_t n_seen = 0;
    for (int64_t row = 0; row < v->table->data.n_rows; row++)
        n_seen += atomic_load_explicit(&v->seen[row], memory_order_relaxed) != 0;
    if (n_seen != v->table->data.n_rows)
        return kanon__fail(err, KANON_EINTERNAL, "the check saw %lld records of %lld", (long long)n_seen,
                           (long long)v->table->data.n_rows);
    return KANON_OK;
}

/* Groups with the same text in every run look alike. */
static bool look_alike(const void *payload, int64_t group, int64_t other)
{
    const kanon__verifier *v = payload;
    const span *a = &v->texts[group * v->n_runs], *b = &v->texts[other * v->n_runs];
    for (int run = 0; run < v->n_runs; run++)
        if (a[run].length != b[run].length || memcmp(a[run].bytes, b[run].bytes, a[run].length) != 0)
            return false;
    return true;
}

static uint64_t hash_look(const void *payload, int64_t group, const kanon__hash_key *key)
{
    const kanon__verifier *v = payload;
    const span *texts = &v->texts[group * v->n_runs];
    uint64_t hash = 0;
    for (int run = 0; run < v->n_runs; run++)
        hash = kanon__hash_next(key, hash, kanon__hash_text(key, texts[run].bytes, texts[run].length));
    return hash;
}

static kanon_status check_classes(const kanon__verifier *v, const kanon__requirement *required, kanon_error *err)
{
    const kanon__group_look look = {.equal = look_alike, .hash = hash_look, .payload = v};
    int32_t *class_of_group = NULL;
    int64_t n_classes = 0, n_looks = v->n_groups + kanon__verify_keeps(&v->table->data, required, v->group_of);
    kanon_status st = kanon__number_classes(&class_of_group, &n_classes, n_looks, &look, err);
    if (st == KANON_OK)
        st = kanon__verify_classes(&v->table->data, required, v->group_of, v->n_groups, class_of_group, n_classes, err);
    kanon__free(class_of_group);
    return st;
}

static kanon_status check_links(const kanon__verifier *v, kanon_error *err)
{
    uint64_t sum = 0;
    for (int i = 0; i < N_SUMS; i++)
        sum += atomic_load_explicit(&v->links[i].sum, memory_order_relaxed);
    if (sum != 0)
        return kanon__fail(err, KANON_EINTERNAL, "the check found lines of the input under the numbers of others");
    return KANON_OK;
}

kanon_status kanon__verifier_finish(const kanon__verifier *v, const kanon__requirement *required, int threads,
                                    kanon_error *err)
{
    kanon_status st = check_seen(v, err);
    if (st == KANON_OK)
        st = check_links(v, err);
    if (st == KANON_OK)
        st = kanon__cell_sums_check(v->sums, err);
    if (st == KANON_OK)
        st = check_classes(v, required, err);
    if (st == KANON_OK && v->figures != NULL)
        st = kanon__pool_run(threads, v->table->data.n_quasi, check_attribute, &v, err);
    return st;
}
