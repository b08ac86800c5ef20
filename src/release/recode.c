/* Makes the texts of a release: the text of each group's extent in each quasi attribute, block by block in parallel. The
 * only entry is kanon__recoding_new; calls release/extent.h, core and table. */
#include "release/recode.h"

#include "core/alloc.h"
#include "core/output.h"
#include "core/pool.h"
#include "release/extent.h"

#include <string.h>

/* What is known while the texts are made. */
typedef struct draft {
    kanon__recoding *recoding;
    const kanon__extents *extents;
} draft;

/* The texts of a block of groups. */
typedef struct block_text {
    char *bytes;
    int64_t n, capacity;
} block_text;

static const kanon__column *quasi_column(const kanon__recoding *r, int i)
{
    return &r->table->data.columns[r->table->data.quasi[i]];
}

int kanon__recoding_parts(const kanon__recoding *r, int i)
{
    return r->numeric == KANON_NUMERIC_COLUMNS && kanon__column_is_numeric(quasi_column(r, i)) ? 2 : 1;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static kanon_status append(block_text *b, const char *text, size_t length, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&b->bytes, &b->capacity, b->n + (int64_t)length, "released cells", err);
    if (st == KANON_OK && length > 0) {
        memcpy(b->bytes + b->n, text, length);
        b->n += (int64_t)length;
    }
    return st;
}

static kanon_status append_code(block_text *b, const kanon__column *c, uint32_t code, kanon_error *err)
{
    size_t length;
    const char *text = kanon__column_text(c, code, &length);
    return append(b, text, length, err);
}

static kanon_status append_interval(block_text *b, const kanon__recoding *r, const kanon__column *c, const kanon__extent *e,
                                    kanon_error *err)
{
    /* a level may have a comma in its name, and no database has ranges of levels */
    bool range = r->numeric == KANON_NUMERIC_RANGE && c->domain->type != KANON_TYPE_ORDINAL;
    KANON_CHECK(append(b, "[", 1, err));
    KANON_CHECK(append_code(b, c, e->lo, err));
    KANON_CHECK(append(b, range ? "," : "..", range ? 1 : 2, err));
    KANON_CHECK(append_code(b, c, e->hi, err));
    return append(b, "]", 1, err);
}

/* One part of a cell that shows bands. As columns, an open end is empty. */
static kanon_status append_bands(block_text *b, const kanon__recoding *r, const kanon__column *c, const kanon__band bands[2],
                                 int part, kanon_error *err)
{
    const kanon__band *lo = &bands[0], *hi = &bands[1];
    kanon__band_style style = kanon__domain_band_style(c->domain, r->numeric == KANON_NUMERIC_RANGE);
    char text[KANON__BAND_TEXT];
    if (r->numeric != KANON_NUMERIC_COLUMNS)
        return append(b, text, kanon__band_text(text, lo, hi, &style), err);
    if (part == 0 ? lo->open_below : hi->open_above)
        return KANON_OK;
    return append(b, text, kanon__band_end_text(text, part == 0 ? lo->first : hi->last, &style), err);
}

/* One part of a numeric cell. */
static kanon_status append_number(block_text *b, const draft *d, int i, int64_t group, int part, kanon_error *err)
{
    const kanon__recoding *r = d->recoding;
    const kanon__column *c = quasi_column(r, i);
    const kanon__extent *e = &d->extents->cells[i][group];
    kanon__cell_kind kind = kanon__extents_kind(d->extents, i, group);
    char buffer[KANON__NUMBER_TEXT];
    kanon__band bands[2];
    if (kind == KANON__CELL_MISSING)
        return append_code(b, c, c->domain->missing_code, err);
    if (kind == KANON__CELL_ANY)
        return append(b, "*", 1, err);
    if (kanon__extents_bands(bands, d->extents, i, group))
        return append_bands(b, r, c, bands, part, err);
    if (r->numeric == KANON_NUMERIC_COLUMNS)
        return append_code(b, c, part == 0 ? e->lo : e->hi, err);
    bool levels = c->domain->type == KANON_TYPE_ORDINAL;
    if (e->lo == e->hi && (r->numeric != KANON_NUMERIC_RANGE || levels)) /* a range type takes nothing but ranges */
        return append_code(b, c, e->lo, err);
    if (r->numeric == KANON_NUMERIC_MEAN && !levels)
        return append(b, buffer, kanon__extents_mean(buffer, d->extents, i, group), err);
    return append_interval(b, r, c, e, err);
}

static kanon_status append_category(block_text *b, const draft *d, int i, int64_t group, kanon_error *err)
{
    size_t length;
    int32_t node = kanon__extents_node(d->extents, i, group);
    const char *label = kanon__taxonomy_label(quasi_column(d->recoding, i)->domain->taxonomy, node, &length);
    return append(b, label, length, err);
}

/* Put quotes around the text that begins at `begin`, and double those inside, from its end on. */
static kanon_status quote(block_text *b, int64_t begin, kanon_error *err)
{
    int64_t longer = 2;
    for (int64_t i = begin; i < b->n; i++)
        longer += b->bytes[i] == '"';
    KANON_CHECK(kanon__grow_array(&b->bytes, &b->capacity, b->n + longer, "released cells", err));
    int64_t to = b->n + longer;
    b->bytes[--to] = '"';
    for (int64_t from = b->n - 1; from >= begin; from--) {
        b->bytes[--to] = b->bytes[from];
        if (b->bytes[from] == '"')
            b->bytes[--to] = '"';
    }
    b->bytes[begin] = '"';
    b->n += longer;
    return KANON_OK;
}

/* One cell as it stands in the file. */
static kanon_status append_cell(block_text *b, const draft *d, int i, int64_t group, int part, char delimiter,
                                kanon_error *err)
{
    const kanon__recoding *r = d->recoding;
    const kanon__column *c = quasi_column(r, i);
    int64_t begin = b->n;
    if (group == r->n_groups)
        return append(b, "*", 1, err);
    if (kanon__column_is_numeric(c))
        KANON_CHECK(append_number(b, d, i, group, part, err));
    else
        KANON_CHECK(append_category(b, d, i, group, err));
    if (kanon__output_needs_quotes(b->bytes + begin, (size_t)(b->n - begin), delimiter))
        KANON_CHECK(quote(b, begin, err));
    return KANON_OK;
}

static kanon_status append_runs(block_text *b, const draft *d, int64_t group, bool alone, kanon_error *err)
{
    const kanon__recoding *r = d->recoding;
    for (int i = 0; i < r->table->data.n_quasi; i++) {
        int64_t begin = b->n;
        for (int part = 0; part < kanon__recoding_parts(r, i); part++) {
            if (part > 0 || (i > 0 && r->run_of[i - 1] == r->run_of[i]))
                KANON_CHECK(append(b, &r->table->source->delimiter, 1, err));
            KANON_CHECK(append_cell(b, d, i, group, part, alone ? '\0' : r->table->source->delimiter, err));
        }
        if (alone && b->n == begin) /* an empty line is no record to many readers */
            KANON_CHECK(append(b, "\"\"", 2, err));
        r->ends[group * r->n_runs + r->run_of[i]] = b->n;
    }
    return KANON_OK;
}

bool kanon__recoding_is_alone(const kanon__recoding *r)
{
    int n_released = 0; /* asked for every name of the header, so it ends at the second one */
    for (int i = 0; i < r->table->data.n_columns && n_released < 2; i++)
        n_released += r->table->data.columns[i].role != KANON_ROLE_IDENTIFYING;
    return n_released == 1 && kanon__recoding_parts(r, 0) == 1;
}

static kanon_status write_block(int64_t number, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const draft *d = payload;
    block_text b = {0};
    bool alone = kanon__recoding_is_alone(d->recoding);
    int64_t first = number * KANON__RECODING_BLOCK, last = first + KANON__RECODING_BLOCK - 1;
    if (last > d->recoding->n_groups)
        last = d->recoding->n_groups;
    for (int64_t group = first; group <= last; group++)
        KANON_TRY(append_runs(&b, d, group, alone, err), out);
    d->recoding->blocks[number] = b.bytes;
    b.bytes = NULL;
out:
    kanon__free(b.bytes);
    return st;
}

/* ---- the recoding ------------------------------------------------------------------------------------------------ */

/* A kept column between two quasi columns parts their runs; one that is left out does not. */
static void number_runs(kanon__recoding *r)
{
    const kanon_table *t = r->table;
    for (int i = 0; i < t->data.n_quasi; i++) {
        bool parted = i == 0;
        for (int column = i > 0 ? t->data.quasi[i - 1] + 1 : 0; column < t->data.quasi[i]; column++)
            parted = parted || t->data.columns[column].role != KANON_ROLE_IDENTIFYING;
        r->n_runs += parted;
        r->run_of[i] = r->n_runs - 1;
    }
}

static int64_t block_count(const kanon__recoding *r)
{
    return r->n_groups / KANON__RECODING_BLOCK + 1;
}

static kanon_status make_texts(kanon__recoding *r, const int32_t *group_of, const uint32_t *const *recode_map,
                               const kanon__drawn_ends *drawn, int threads, kanon_error *err)
{
    enum { WORTH_A_THREAD = 10000 };
    kanon_status st = KANON_OK;
    kanon__extents *extents = NULL;
    KANON_TRY(kanon__extents_new(&extents, &r->table->data, group_of, r->n_groups, recode_map, drawn,
                                 r->numeric == KANON_NUMERIC_MEAN, threads, err),
              out);
    draft d = {.recoding = r, .extents = extents};
    KANON_TRY(kanon__pool_run(r->table->data.n_rows < WORTH_A_THREAD ? 1 : threads, block_count(r), write_block, &d, err),
              out);
out:
    kanon__extents_free(extents);
    return st;
}

kanon_status kanon__recoding_new(kanon__recoding **out, const kanon_table *table, const int32_t *group_of, int64_t n_groups,
                                 const uint32_t *const *recode_map, const kanon__drawn_ends *drawn, kanon_numeric numeric,
                                 int threads, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__recoding *r = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&r, 1, "released cells", err), out);
    r->table = table;
    r->numeric = numeric;
    r->n_groups = n_groups;
    KANON_TRY(kanon__new_array(&r->run_of, table->data.n_quasi, "released cells", err), out);
    number_runs(r);
    KANON_TRY(kanon__new_array(&r->ends, (n_groups + 1) * r->n_runs, "released cells", err), out);
    KANON_TRY(kanon__new_array(&r->blocks, block_count(r), "released cells", err), out);
    KANON_TRY(make_texts(r, group_of, recode_map, drawn, threads, err), out);
    *out = r;
    r = NULL;
out:
    kanon__recoding_free(r);
    return st;
}

void kanon__recoding_free(kanon__recoding *r)
{
    if (r == NULL)
        return;
    for (int64_t i = 0; r->blocks != NULL && i < block_count(r); i++)
        kanon__free(r->blocks[i]);
    kanon__free(r->blocks);
    kanon__free(r->ends);
    kanon__free(r->run_of);
    kanon__free(r);
}
