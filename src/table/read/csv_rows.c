/* Reading all rows of a CSV source once: texts become dictionary codes, column by column.
 *
 * 1. The input is cut into as many parts as there are threads. A part begins after a line break that stands in no quotes;
 *    the parity of the quotes before it decides, and is counted in parallel.
 * 2. Each thread reads its part with dictionaries of its own.
 * 3. The dictionaries are joined in the order of the parts, so that texts are numbered by first appearance, as one thread
 *    would number them; codes are translated. */
#include "table/read/csv_source.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "table/domain/data.h"

#include <string.h>

enum { MARK_BYTES = 1 << 18, LEAST_PART = 1 << 18 };

/* A part of the input, from the beginning of a row to that of another, and what is in it. */
typedef struct part {
    size_t begin, end;
    kanon__csv csv;
    kanon__dictionary *dictionaries; /* by number among the wanted columns, as all that follows */
    kanon__codes *raw;
    int64_t *capacities; /* of these */
    uint32_t **common;   /* by code: that of its text in the dictionary of all parts */
    int64_t n_rows;
    kanon__mark *marks; /* rows count from the part's first one */
    int64_t n_marks, marks_capacity;
    char *scratch; /* for cells with doubled quotes */
    int64_t scratch_capacity;
    kanon__ticker ticker;
} part;

typedef struct csv_read {
    kanon__csv_source *source;
    kanon__raw_columns *columns;
    part *parts;
    int n_parts;
    bool *odd_quotes; /* by stretch of the input: whether it holds an odd number of quotes */
    size_t first_row, end;
    kanon__shared_ticker ticker;
} csv_read;

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

/* Where the parts would begin if rows did not matter. */
static size_t stretch_begin(const csv_read *r, int64_t i)
{
    return r->first_row + (r->end - r->first_row) / (size_t)r->n_parts * (size_t)i;
}

static bool has_odd_quotes(const char *at, const char *end)
{
    const uint64_t ones = 0x0101010101010101u, low = 0x7f * ones;
    uint64_t found = 0; /* in each byte, whether the quotes at its place in the words so far are odd in number */
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        word ^= ones * '"';
        found ^= ~(((word & low) + low) | word | low);
    }
    bool odd = __builtin_popcountll(found) % 2 != 0;
    for (; at < end; at++)
        odd ^= *at == '"';
    return odd;
}

static kanon_status count_quotes(int64_t i, void *payload, kanon_error *err)
{
    const csv_read *r = payload;
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    size_t n, end = stretch_begin(r, i + 1);
    for (size_t at = stretch_begin(r, i); at < end; at += n) {
        kanon_status st = kanon__input_chunk(&r->source->input, at, end, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        r->odd_quotes[i] ^= has_odd_quotes(bytes, bytes + n);
    }
    return KANON_OK;
}

/* The beginning of the next row. Where the number of quotes so far is odd, a line break is text: quotes stand around cells
 * or twice inside them. Where one does not, the part that it stands in is refused, and it does not matter how those after it
 * were cut. */
static kanon_status next_row(size_t *out, const csv_read *r, size_t at, bool quoted, kanon_error *err)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    *out = r->end;
    for (size_t n; at < r->end; at += n) {
        kanon_status st = kanon__input_chunk(&r->source->input, at, r->end, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        for (size_t i = 0; i < n; i++) {
            quoted ^= bytes[i] == '"';
            if (bytes[i] == '\n' && !quoted) {
                *out = at + i + 1;
                return KANON_OK;
            }
        }
    }
    return KANON_OK;
}

static kanon_status cut(csv_read *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool quoted = false;
    KANON_TRY(kanon__new_array(&r->odd_quotes, r->n_parts, "parts of the input", err), out);
    if (r->n_parts > 1)
        KANON_TRY(kanon__pool_run(r->n_parts, r->n_parts - 1, count_quotes, r, err), out);
    r->parts[0].begin = r->first_row;
    for (int i = 1; i < r->n_parts; i++) {
        quoted ^= r->odd_quotes[i - 1];
        KANON_TRY(next_row(&r->parts[i].begin, r, stretch_begin(r, i), quoted, err), out);
        r->parts[i - 1].end = r->parts[i].begin;
    }
    r->parts[r->n_parts - 1].end = r->end;
out:
    return st;
}

/* ---- a part ------------------------------------------------------------------------------------------------------ */

static kanon_status add_cell(const csv_read *r, part *p, int i, const kanon__cell *cell, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *text = cell->text;
    size_t length = cell->length, readable = 0;
    uint32_t code;
    if (text != NULL) /* else the row is too short for this column */
        readable = p->csv.window_end - p->csv.window_begin - (size_t)(text - p->csv.window);
    if (cell->doubled) {
        KANON_TRY(kanon__grow_array(&p->scratch, &p->scratch_capacity, (int64_t)length, "a cell", err), out);
        length = kanon__csv_unescape(p->scratch, cell);
        text = p->scratch;
        readable = length;
    }
    KANON_TRY(kanon__dictionary_add_from(&p->dictionaries[i], &code, text, length, readable, err), out);
    if (!kanon__codes_hold(p->raw[i], code))
        KANON_TRY(kanon__codes_move(&p->raw[i], p->n_rows, p->capacities[i], code + 1, r->columns->spilled, err), out);
    kanon__code_set(p->raw[i], p->n_rows, code);
out:
    return st;
}

/* Room for one more row. The first guess comes from the part's size, so that large tables are not copied while they grow. */
static kanon_status make_room(const csv_read *r, part *p, int i, kanon_error *err)
{
    int64_t needed = p->n_rows + 1, capacity = p->capacities[i];
    if (needed <= capacity)
        return KANON_OK;
    capacity += capacity / 2 + 1000;
    if (p->n_rows >= 1000) {
        double row_bytes = (double)(p->csv.position - p->begin) / (double)p->n_rows;
        int64_t guess = (int64_t)((double)(p->end - p->begin) / row_bytes * 1.01) + 1000;
        if (guess > needed)
            capacity = guess;
        if (kanon__codes_are_scarce(r->columns, capacity)) /* there is only one part then */
            r->columns->spilled = true;
    }
    kanon_status st = kanon__codes_move(&p->raw[i], p->n_rows, capacity, p->dictionaries[i].n, r->columns->spilled, err);
    if (st == KANON_OK)
        p->capacities[i] = capacity;
    return st;
}

/* The next row gets a mark where the last one is far enough away. */
static kanon_status put_mark(csv_read *r, part *p, kanon_error *err)
{
    if (p->n_marks > 0 && p->csv.position - p->marks[p->n_marks - 1].position < MARK_BYTES)
        return KANON_OK;
    if (p->n_marks > 0)
        kanon__shared_ticker_add(&r->ticker, (int64_t)(p->csv.position - p->marks[p->n_marks - 1].position));
    kanon_status st = kanon__grow_array(&p->marks, &p->marks_capacity, p->n_marks + 1, "places in the input", err);
    if (st == KANON_OK)
        p->marks[p->n_marks++] = (kanon__mark){.row = p->n_rows, .position = p->csv.position};
    return st;
}

static kanon_status fail_many(const csv_read *r, kanon_error *err)
{
    return kanon__fail(err, KANON_EDATA, "%s: more than %lld records", r->source->input.path, (long long)KANON__MAX_ROWS);
}

static kanon_status read_part(int64_t number, void *payload, kanon_error *err)
{
    enum { MANY_CELLS = 256, CELL_NS = 20 };
    kanon_status st = KANON_OK;
    csv_read *r = payload;
    part *p = &r->parts[number];
    const kanon__raw_columns *columns = r->columns;
    while (p->csv.position < p->end) {
        bool has_row;
        KANON_TRY(put_mark(r, p, err), out);
        KANON_TRY(kanon__csv_next(&p->csv, &has_row, err), out);
        if (p->n_rows >= KANON__MAX_ROWS) {
            st = fail_many(r, err);
            goto out;
        }
        for (int i = 0; i < columns->n_wanted; i++) {
            KANON_TRY(make_room(r, p, i, err), out);
            KANON_TRY(add_cell(r, p, i, &p->csv.cells[columns->wanted[i]], err), out);
            if (i % MANY_CELLS == MANY_CELLS - 1)
                KANON_TRY(kanon__tick(&p->ticker, 0, 0, MANY_CELLS * CELL_NS, err), out);
        }
        p->n_rows++;
        KANON_TRY(kanon__tick(&p->ticker, 0, 0, 200, err), out);
    }
out:
    return st;
}

static kanon_status set_up_part(csv_read *r, part *p, kanon_error *err)
{
    enum { DICTIONARY_NS = 2000 };
    kanon_status st = KANON_OK;
    int n = r->columns->n_wanted;
    KANON_TRY(kanon__csv_open(&p->csv, &r->source->input, &r->source->options, err), out);
    KANON_TRY(kanon__new_array(&p->raw, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&p->capacities, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&p->common, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&p->dictionaries, n, "dictionaries", err), out);
    for (int i = 0; i < n; i++) {
        KANON_TRY(kanon__poll_tick(DICTIONARY_NS, err), out);
        KANON_TRY(kanon__dictionary_init(&p->dictionaries[i], err), out);
    }
    if (p->begin > r->first_row)
        kanon__csv_seek(&p->csv, p->begin);
    kanon__shared_ticker_task(&p->ticker, &r->ticker);
out:
    return st;
}

static void clear_part(part *p, int n_wanted)
{
    for (int i = 0; i < n_wanted; i++) {
        if (p->raw != NULL)
            kanon__codes_clear(&p->raw[i]);
        if (p->dictionaries != NULL)
            kanon__dictionary_clear(&p->dictionaries[i]);
        if (p->common != NULL)
            kanon__free(p->common[i]);
    }
    kanon__free(p->scratch);
    kanon__free(p->marks);
    kanon__free(p->dictionaries);
    kanon__free(p->common);
    kanon__free(p->capacities);
    kanon__free(p->raw);
    kanon__csv_close(&p->csv);
}

/* ---- all parts together ------------------------------------------------------------------------------------------ */

/* Texts that are new in a part come after those of the parts before it, so they are in the order of first appearance. */
static kanon_status add_texts(kanon__dictionary *all, part *p, int64_t i, kanon_error *err)
{
    kanon__dictionary *own = &p->dictionaries[i];
    kanon_status st = kanon__new_array(&p->common[i], own->n, "codes", err);
    for (uint32_t code = 0; st == KANON_OK && code < own->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(own, code, &length);
        st = kanon__dictionary_add(all, &p->common[i][code], text, length, err);
    }
    kanon__dictionary_clear(own);
    return st;
}

static void append_codes(kanon__codes to, int64_t first, part *p, int64_t i)
{
    kanon__codes_translate(to, first, p->raw[i], p->n_rows, p->common[i]);
    kanon__codes_clear(&p->raw[i]);
}

static kanon_status join_column(int64_t i, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const csv_read *r = payload;
    const kanon__raw_columns *columns = r->columns;
    part *first = &r->parts[0];
    kanon__dictionary *all = &columns->dictionaries[columns->wanted[i]];
    kanon__codes *raw = &columns->codes[columns->wanted[i]];
    *all = first->dictionaries[i];
    *raw = first->raw[i];
    first->dictionaries[i] = (kanon__dictionary){0};
    first->raw[i] = (kanon__codes){0};
    if (r->n_parts == 1)
        return KANON_OK;
    for (int p = 1; p < r->n_parts; p++)
        KANON_TRY(add_texts(all, &r->parts[p], i, err), out);
    KANON_TRY(kanon__codes_move(raw, first->n_rows, r->source->base.n_rows, all->n, false, err), out);
    int64_t n_rows = first->n_rows;
    for (int p = 1; p < r->n_parts; p++) {
        append_codes(*raw, n_rows, &r->parts[p], i);
        n_rows += r->parts[p].n_rows;
    }
out:
    return st;
}

static kanon_status join_marks(const csv_read *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__csv_source *s = r->source;
    kanon__source *base = &s->base;
    int64_t n = 0;
    for (int p = 0; p < r->n_parts; p++)
        n += r->parts[p].n_marks;
    KANON_TRY(kanon__new_array(&s->marks, n, "places in the input", err), out);
    KANON_TRY(kanon__new_array(&base->part_rows, n, "places in the input", err), out);
    for (int p = 0; p < r->n_parts; p++) {
        for (int64_t i = 0; i < r->parts[p].n_marks; i++) {
            kanon__mark mark = r->parts[p].marks[i];
            base->part_rows[base->n_parts++] = base->n_rows + mark.row;
            s->marks[s->n_marks++] = (kanon__mark){.row = base->n_rows + mark.row, .position = mark.position};
        }
        base->n_rows += r->parts[p].n_rows;
    }
out:
    return st;
}

/* Of a source that was read before, nothing changes: others may be reading it. */
static kanon_status check_rows(const csv_read *r, kanon_error *err)
{
    int64_t n = 0;
    for (int p = 0; p < r->n_parts; p++)
        n += r->parts[p].n_rows;
    if (n == r->source->base.n_rows)
        return KANON_OK;
    return kanon__fail(err, KANON_EIO, "%s: the file has changed while it was read", r->source->input.path);
}

static kanon_status join(csv_read *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(r->source->n_marks > 0 ? check_rows(r, err) : join_marks(r, err), out);
    if (r->source->base.n_rows > KANON__MAX_ROWS) {
        st = fail_many(r, err);
        goto out;
    }
    KANON_TRY(kanon__pool_run(r->n_parts, r->columns->n_wanted, join_column, r, err), out);
out:
    return st;
}

static kanon_status find_rows(csv_read *r, kanon_error *err)
{
    kanon__csv csv;
    kanon_status st = kanon__csv_open(&csv, &r->source->input, &r->source->options, err);
    if (st != KANON_OK)
        return st;
    r->first_row = csv.position;
    r->end = csv.end;
    kanon__csv_close(&csv);
    return KANON_OK;
}

/* Where memory is short, one part: each has a dictionary of its own. */
static int count_parts(const csv_read *r)
{
    size_t fit = (r->end - r->first_row) / LEAST_PART, threads = (size_t)kanon__pool_threads(r->columns->threads);
    if (r->columns->memory > 0 || fit < 2)
        return 1;
    return (int)(fit < threads ? fit : threads);
}

kanon_status kanon__csv_source_read(kanon__source *source, kanon__raw_columns *columns, kanon_error *err)
{
    kanon_status st = KANON_OK;
    csv_read r = {.source = (kanon__csv_source *)source, .columns = columns};
    kanon__shared_ticker_init(&r.ticker, columns->ticker, (int64_t)source->size);
    KANON_TRY(find_rows(&r, err), out);
    int n_parts = count_parts(&r);
    KANON_TRY(kanon__new_array(&r.parts, n_parts, "parts of the input", err), out);
    r.n_parts = n_parts;
    KANON_TRY(cut(&r, err), out);
    for (int i = 0; i < n_parts; i++)
        KANON_TRY(set_up_part(&r, &r.parts[i], err), out);
    KANON_TRY(kanon__pool_run(n_parts, n_parts, read_part, &r, err), out);
    KANON_TRY(kanon__input_unchanged(&r.source->input, err), out);
    KANON_TRY(join(&r, err), out);
out:
    for (int i = 0; i < r.n_parts; i++)
        clear_part(&r.parts[i], columns->n_wanted);
    kanon__free(r.odd_quotes);
    kanon__free(r.parts);
    kanon__shared_ticker_clear(&r.ticker);
    return st;
}

/* ---- parts for others --------------------------------------------------------------------------------------------- */

/* Whether the bytes from a row on hold an odd number of quotes. */
static kanon_status quotes_between(bool *odd, const csv_read *r, size_t at, size_t end, kanon_error *err)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    *odd = false;
    for (size_t n; at < end; at += n) {
        kanon_status st = kanon__input_chunk(&r->source->input, at, end, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        *odd ^= has_odd_quotes(bytes, bytes + n);
    }
    return KANON_OK;
}

/* Whether a blank line ends at `at`, which is between two rows: a quoted cell ends with its quote, so that no line break of
 * a cell stands right before that of its row. */
static kanon_status ends_blank(bool *out, const csv_read *r, size_t at, kanon_error *err)
{
    char end[3] = {0};
    size_t n = at - r->first_row < sizeof end ? at - r->first_row : sizeof end;
    kanon_status st = kanon__input_read(&r->source->input, at - n, end + sizeof end - n, n, err);
    char before = end[1] == '\r' ? end[0] : end[1];
    *out = before == '\n' || before == '\0'; /* \0: the line is the first of all rows */
    return st;
}

/* The next place where a part may end: blank lines at the end of a CSV are no rows, so a part ends with a row that is no
 * blank line. */
static kanon_status next_end(size_t *out, const csv_read *r, size_t at, bool quoted, kanon_error *err)
{
    bool blank = true;
    kanon_status st = next_row(out, r, at, quoted, err);
    while (st == KANON_OK && *out < r->end && (st = ends_blank(&blank, r, *out, err)) == KANON_OK && blank)
        st = next_row(out, r, *out, false, err);
    return st;
}

kanon_status kanon__csv_source_cut(size_t **begins, int64_t *n, size_t *end, kanon__source *source, size_t part_bytes,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    csv_read r = {.source = (kanon__csv_source *)source};
    int64_t capacity = 0;
    *begins = NULL;
    *n = 0;
    KANON_TRY(find_rows(&r, err), out);
    for (size_t at = r.first_row; at < r.end;) {
        bool quoted;
        KANON_TRY(kanon__grow_array(begins, &capacity, *n + 1, "parts of the input", err), out);
        (*begins)[(*n)++] = at;
        if (r.end - at <= part_bytes)
            break;
        KANON_TRY(quotes_between(&quoted, &r, at, at + part_bytes, err), out);
        KANON_TRY(next_end(&at, &r, at + part_bytes, quoted, err), out);
    }
    *end = r.end;
out:
    if (st != KANON_OK) {
        kanon__free(*begins);
        *begins = NULL;
    }
    return st;
}
