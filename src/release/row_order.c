/* See row_order.h. One pass over the input hashes the rows, part by part on several threads; then the rows are dealt into
 * buckets by the first bits of their hashes, and each bucket is sorted by itself.
 *
 * What a group shows is hashed once for all its rows. A hash has 128 bits, so no two different rows share one: whoever finds
 * two has found a collision of SHA-256 cut to as many bits. */
#include "release/row_order.h"

#include "core/alloc.h"
#include "core/keyed_hash.h"
#include "core/pool.h"
#include "core/ticker.h"
#include "release/canonical_text.h"

#include <string.h>

enum { GROUP_HASH = 16 };

/* By group: what it shows in all quasi attributes. */
typedef struct shown {
    unsigned char hash[GROUP_HASH];
    uint64_t written; /* of the texts as they are released, where those are not the canonical ones; else 0 */
} shown;

typedef struct sorter {
    const kanon__row_order *order;
    const kanon_table *table;
    kanon__extents *extents;
    kanon__keyed_hash begun; /* by the seed, before any text */
    shown *groups;           /* suppressed records are the group after the last */
    uint64_t *first, *second; /* by row: its hash */
    uint64_t *written;        /* by row: of its bytes in the input, where those are not the canonical text; else 0 */
    int32_t *rows;            /* in buckets */
    int64_t *buckets;         /* where each begins */
    int64_t n_buckets;
    int shift; /* of the first word of a hash: what is left is the number of its bucket */
} sorter;

/* ---- hashes ------------------------------------------------------------------------------------------------------ */

static void begin(kanon__keyed_hash *out, uint64_t seed)
{
    static const char name[] = "kanon: order of rows";
    kanon__secret key = {{0}};
    memcpy(key.bytes, name, sizeof name);
    for (int i = 0; i < 8; i++)
        key.bytes[KANON__SECRET_BYTES - 1 - i] = (unsigned char)(seed >> (8 * i));
    kanon__keyed_hash_begin(out, &key);
}

static void add_number(kanon__keyed_hash *hash, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    kanon__keyed_hash_add(hash, bytes, sizeof bytes);
}

/* With its length, so that no two lists of texts look alike. */
static void add_text(kanon__keyed_hash *hash, const char *text, size_t length)
{
    add_number(hash, length);
    kanon__keyed_hash_add(hash, text, length);
}

static uint64_t word_of(const unsigned char *bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word = word << 8 | bytes[i];
    return word;
}

/* Its first word, which is not 0. */
static uint64_t end_word(kanon__keyed_hash *hash)
{
    unsigned char digest[KANON__KEYED_HASH_BYTES];
    kanon__keyed_hash_end(hash, digest);
    uint64_t word = word_of(digest);
    return word != 0 ? word : 1;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Of one number as it stands and of a mean that is the same number the release has different texts. */
static void add_written(kanon__keyed_hash *hash, const sorter *s, int quasi, int64_t group, const kanon__canonical *cell)
{
    const kanon__extent *e = &s->extents->cells[quasi][group];
    size_t length = cell->length;
    const char *text = cell->text;
    if (kanon__extents_kind(s->extents, quasi, group) == KANON__CELL_RANGE && e->lo == e->hi)
        text = kanon__column_text(kanon__extents_column(s->extents, quasi), e->lo, &length);
    add_text(hash, text, length);
}

static void hash_group(const sorter *s, int64_t group)
{
    unsigned char digest[KANON__KEYED_HASH_BYTES];
    kanon__keyed_hash hash = s->begun, written = s->begun;
    bool means = s->order->means, suppressed = group == s->order->n_groups;
    for (int i = 0; i < s->table->data.n_quasi; i++) {
        kanon__canonical texts[2] = {{.text = "*", .length = 1}};
        int n = suppressed ? 1 : kanon__canonical_group(texts, s->extents, i, group, means);
        add_number(&hash, (uint64_t)n);
        for (int j = 0; j < n; j++)
            add_text(&hash, texts[j].text, texts[j].length);
        if (means && !suppressed)
            add_written(&written, s, i, group, &texts[0]);
    }
    kanon__keyed_hash_end(&hash, digest);
    memcpy(s->groups[group].hash, digest, GROUP_HASH);
    s->groups[group].written = means && !suppressed ? end_word(&written) : 0;
}

enum { GROUP_BLOCK = 1024 };

static kanon_status hash_groups(int64_t block, void *payload, kanon_error *err)
{
    const sorter *s = payload;
    int64_t first = block * GROUP_BLOCK, end = first + GROUP_BLOCK, n = s->order->n_groups + 1;
    for (int64_t group = first; group < (end < n ? end : n); group++)
        hash_group(s, group);
    return kanon__poll_tick(KANON__TICK_POLL_NS, err);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The cells of the current row, one after the other. */
typedef struct row_reader {
    kanon__cursor *cursor;
    char *scratch; /* for cells with doubled quotes */
    int64_t capacity;
} row_reader;

/* What a row shows in a column that is released as it is. */
static kanon__cell shown_cell(const sorter *s, const row_reader *r, int column, int64_t row)
{
    const kanon__permuted_column *permuted = kanon__permuted(s->order->permutation, column);
    return permuted != NULL ? kanon__permuted_cell(permuted, row) : r->cursor->cells[column];
}

static kanon_status cell_text(row_reader *r, const kanon__cell *cell, const char **text, size_t *length, kanon_error *err)
{
    *text = cell->text;
    *length = cell->length;
    if (!cell->doubled)
        return KANON_OK;
    KANON_CHECK(kanon__grow_array(&r->scratch, &r->capacity, (int64_t)cell->length, "a cell", err));
    *length = kanon__csv_unescape(r->scratch, cell);
    *text = r->scratch;
    return KANON_OK;
}

static bool is_kept(const kanon__column *c)
{
    return c->role != KANON_ROLE_IDENTIFYING && c->role != KANON_ROLE_QUASI;
}

/* The bytes of the cells that are released as they are; a null is none. */
static uint64_t hash_written(const sorter *s, const row_reader *r, int64_t row, uint64_t of_group)
{
    kanon__keyed_hash hash = s->begun;
    add_number(&hash, of_group);
    for (int i = 0; i < s->table->data.n_columns; i++) {
        if (!is_kept(&s->table->data.columns[i]))
            continue;
        const kanon__cell cell = shown_cell(s, r, i, row);
        add_number(&hash, (uint64_t)cell.null << 1 | cell.quoted);
        add_text(&hash, cell.text, cell.length);
    }
    return end_word(&hash);
}

static kanon_status hash_row(const sorter *s, row_reader *r, int64_t row, kanon_error *err)
{
    unsigned char digest[KANON__KEYED_HASH_BYTES];
    int32_t group = s->order->group_of[row];
    const shown *shows = &s->groups[group >= 0 ? group : s->order->n_groups];
    kanon__keyed_hash hash = s->begun;
    bool differs = shows->written != 0;
    kanon__keyed_hash_add(&hash, shows->hash, GROUP_HASH);
    for (int i = 0; i < s->table->data.n_columns; i++) {
        const kanon__column *c = &s->table->data.columns[i];
        kanon__canonical canonical;
        const char *text;
        size_t length;
        if (!is_kept(c))
            continue;
        const kanon__cell cell = shown_cell(s, r, i, row);
        KANON_CHECK(cell_text(r, &cell, &text, &length, err));
        kanon__canonical_cell(&canonical, c, text, length);
        add_text(&hash, canonical.text, canonical.length);
        differs = differs || cell.null || cell.quoted || canonical.length != length ||
                  memcmp(canonical.text, text, length) != 0;
    }
    kanon__keyed_hash_end(&hash, digest);
    s->first[row] = word_of(digest);
    s->second[row] = word_of(digest + 8);
    s->written[row] = differs ? hash_written(s, r, row, shows->written) : 0;
    return KANON_OK;
}

/* The rows of a part of the source. */
static kanon_status hash_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const sorter *s = payload;
    const kanon__source *source = s->table->source;
    row_reader r = {0};
    int64_t end = part + 1 < source->n_parts ? source->part_rows[part + 1] : s->table->data.n_rows;
    bool has_row;
    KANON_TRY(source->class->open(&r.cursor, source, err), out);
    source->class->seek(r.cursor, source->part_rows[part], NULL);
    for (int64_t row = source->part_rows[part]; row < end; row++) {
        KANON_TRY(source->class->next(r.cursor, &has_row, err), out);
        if (!has_row)
            KANON_TRY(kanon__fail(err, KANON_EINTERNAL, "%s ended early when it was read again", source->name), out);
        KANON_TRY(hash_row(s, &r, row, err), out);
    }
    st = kanon__poll_tick(KANON__TICK_POLL_NS, err);
out:
    if (r.cursor != NULL)
        source->class->close(r.cursor);
    kanon__free(r.scratch);
    return st;
}

/* ---- buckets ----------------------------------------------------------------------------------------------------- */

/* Equal rows by their numbers: it does not matter, but it is the same with any number of threads. */
static bool comes_before(const sorter *s, int32_t left, int32_t right)
{
    if (s->first[left] != s->first[right])
        return s->first[left] < s->first[right];
    if (s->second[left] != s->second[right])
        return s->second[left] < s->second[right];
    if (s->written[left] != s->written[right])
        return s->written[left] < s->written[right];
    return left < right;
}

/* Few rows. */
static void insert_sort(const sorter *s, int32_t *rows, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        int32_t row = rows[i];
        int64_t at = i;
        for (; at > 0 && comes_before(s, row, rows[at - 1]); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

static void sink_down(const sorter *s, int32_t *rows, int64_t at, int64_t n)
{
    int32_t row = rows[at];
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && comes_before(s, rows[child], rows[child + 1]);
        if (!comes_before(s, row, rows[child]))
            break;
        rows[at] = rows[child];
    }
    rows[at] = row;
}

/* Any number of them, in no more room: many rows of a table without other columns are equal. */
static void heap_sort(const sorter *s, int32_t *rows, int64_t n)
{
    for (int64_t at = n / 2; at-- > 0;)
        sink_down(s, rows, at, n);
    for (int64_t end = n - 1; end > 0; end--) {
        int32_t last = rows[end];
        rows[end] = rows[0];
        rows[0] = last;
        sink_down(s, rows, 0, end);
    }
}

static kanon_status sort_bucket(int64_t number, void *payload, kanon_error *err)
{
    enum { FEW = 24 };
    const sorter *s = payload;
    int64_t begin_at = s->buckets[number], n = s->buckets[number + 1] - begin_at;
    bool in_order = true;
    for (int64_t i = 1; i < n && in_order; i++) /* as equal rows are */
        in_order = comes_before(s, s->rows[begin_at + i - 1], s->rows[begin_at + i]);
    if (!in_order && n <= FEW)
        insert_sort(s, s->rows + begin_at, n);
    else if (!in_order)
        heap_sort(s, s->rows + begin_at, n);
    return kanon__poll_tick(n * 100, err);
}

static int64_t bucket_of(const sorter *s, int32_t row)
{
    return s->shift < 64 ? (int64_t)(s->first[row] >> s->shift) : 0;
}

/* Each bucket has some hundred rows, and they stay in the order in which they are listed. */
static kanon_status deal(sorter *s, const int32_t *rows, int64_t n, kanon_error *err)
{
    enum { USUAL = 256, MOST_BITS = 20 };
    int bits = 0;
    while (bits < MOST_BITS && n >> bits > USUAL)
        bits++;
    s->shift = 64 - bits;
    s->n_buckets = (int64_t)1 << bits;
    KANON_CHECK(kanon__new_array(&s->rows, n, "row order", err));
    KANON_CHECK(kanon__new_array(&s->buckets, s->n_buckets + 1, "row order", err));
    for (int64_t i = 0; i < n; i++)
        s->buckets[bucket_of(s, rows[i])]++;
    for (int64_t i = 0, sum = 0; i <= s->n_buckets; i++) {
        int64_t count = s->buckets[i];
        s->buckets[i] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        s->rows[s->buckets[bucket_of(s, rows[i])]++] = rows[i];
    memmove(s->buckets + 1, s->buckets, (size_t)s->n_buckets * sizeof *s->buckets); /* ends are the next one's beginnings */
    s->buckets[0] = 0;
    return KANON_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static kanon_status hash_rows(sorter *s, kanon_error *err)
{
    const kanon__row_order *o = s->order;
    const kanon__data *data = &s->table->data;
    KANON_CHECK(kanon__new_array(&s->groups, o->n_groups + 1, "groups", err));
    KANON_CHECK(kanon__extents_new(&s->extents, data, o->group_of, o->n_groups, o->recode_map, o->drawn, o->means,
                                   o->threads, err));
    KANON_CHECK(kanon__pool_run(o->threads, o->n_groups / GROUP_BLOCK + 1, hash_groups, s, err));
    kanon__extents_free(s->extents);
    s->extents = NULL;
    KANON_CHECK(kanon__new_array(&s->first, data->n_rows, "row hashes", err));
    KANON_CHECK(kanon__new_array(&s->second, data->n_rows, "row hashes", err));
    KANON_CHECK(kanon__new_array(&s->written, data->n_rows, "row hashes", err));
    return kanon__pool_run(o->threads, s->table->source->n_parts, hash_part, s, err);
}

kanon_status kanon__row_order_sort(int32_t *rows, int64_t n, const kanon__row_order *order, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sorter s = {.order = order, .table = order->table};
    begin(&s.begun, order->seed);
    KANON_TRY(hash_rows(&s, err), out);
    KANON_TRY(deal(&s, rows, n, err), out);
    KANON_TRY(kanon__pool_run(order->threads, s.n_buckets, sort_bucket, &s, err), out);
    memcpy(rows, s.rows, (size_t)n * sizeof *rows);
out:
    kanon__free(s.buckets);
    kanon__free(s.rows);
    kanon__free(s.written);
    kanon__free(s.second);
    kanon__free(s.first);
    kanon__extents_free(s.extents);
    kanon__free(s.groups);
    return st;
}
