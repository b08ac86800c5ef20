/* See permutation.h.
 *
 *   1. One pass over the input: a hash of each row (what it says in all columns that are released, quasi-identifiers exactly),
 *      under a key made of the seed, and the cells of permuted columns.
 *   2. The secret: a hash under the same key of the sum of all these hashes, so that it does not depend on the order of the
 *      rows, and nobody has it who lacks a single one.
 *   3. The rows of each group in the order of a hash of their hashes under the secret; once for the rows, and once for the
 *      cells of each column. The i-th row shows the i-th cell.
 *
 * Equal rows have equal hashes and are interchangeable. */
#include "release/permutation.h"

#include "core/alloc.h"
#include "core/keyed_hash.h"
#include "core/pool.h"
#include "core/sort.h"
#include "core/ticker.h"
#include "release/canonical_text.h"

#include <string.h>

enum { SUM_WORDS = KANON__KEYED_HASH_BYTES / 8, QUOTED = 1, DOUBLED = 2, NO_VALUE = 4, ODD = 8 };

typedef struct row_hash {
    uint64_t words[2];
} row_hash;

/* Of one part of the source. */
typedef struct part_sum {
    uint64_t words[SUM_WORDS];
    char **bytes; /* by permuted column: its cells, one after the other */
    int64_t *n_bytes, *capacity;
} part_sum;

typedef struct permuter {
    kanon__permutation *permutation;
    const kanon_table *table;
    const int32_t *group_of;
    kanon__keyed_hash begun; /* by the seed, before any text */
    row_hash *hashes;        /* by row */
    part_sum *parts;
    kanon__secret secret;
    uint64_t *keys; /* by row, of the order that is being made */
} permuter;

/* ---- 1. hashes and cells ------------------------------------------------------------------------------------------- */

static void put_number(unsigned char *to, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t take_number(const unsigned char *from)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number |= (uint64_t)from[i] << (8 * i);
    return number;
}

static void begin_hashes(kanon__keyed_hash *out, uint64_t seed)
{
    static const char name[] = "kanon: permuted";
    kanon__secret key = {{0}};
    memcpy(key.bytes, name, sizeof name);
    put_number(key.bytes + KANON__SECRET_BYTES - 8, seed);
    kanon__keyed_hash_begin(out, &key);
}

/* With its length, so that no two lists of texts look alike. */
static void add_text(kanon__keyed_hash *hash, const char *text, size_t length)
{
    unsigned char size[8];
    put_number(size, length);
    kanon__keyed_hash_add(hash, size, sizeof size);
    kanon__keyed_hash_add(hash, text, length);
}

/* A row while it is read. */
typedef struct row_reader {
    kanon__cursor *cursor;
    char *scratch; /* for cells with doubled quotes */
    int64_t capacity;
} row_reader;

static kanon_status add_cell(kanon__keyed_hash *hash, row_reader *r, const kanon__column *c, int64_t row,
                             const kanon__cell *cell, kanon_error *err)
{
    static const kanon__column plain = {0}; /* some runs encode insensitive columns, too, and it must make no difference */
    kanon__canonical canonical;
    const char *text = cell->text;
    size_t length = cell->length;
    bool encoded = c->role != KANON_ROLE_INSENSITIVE;
    if (cell->null || (encoded && kanon__code_at(c->codes, row) == c->domain->missing_code)) { /* whatever text says it */
        add_text(hash, "", 0);
        return KANON_OK;
    }
    if (cell->doubled) {
        KANON_CHECK(kanon__grow_array(&r->scratch, &r->capacity, (int64_t)cell->length, "a cell", err));
        length = kanon__csv_unescape(r->scratch, cell);
        text = r->scratch;
    }
    kanon__canonical_cell(&canonical, encoded ? c : &plain, text, length);
    add_text(hash, canonical.text, canonical.length);
    return KANON_OK;
}

static kanon_status keep_cell(permuter *p, part_sum *part, int place, int64_t row, const kanon__cell *cell, kanon_error *err)
{
    kanon__permuted_column *to = &p->permutation->columns[place];
    int64_t size = (int64_t)cell->length + 2 * cell->quoted;
    KANON_CHECK(kanon__grow_array(&part->bytes[place], &part->capacity[place], part->n_bytes[place] + size, "permuted cells",
                                  err));
    if (size > 0)
        memcpy(part->bytes[place] + part->n_bytes[place], cell->text - cell->quoted, (size_t)size);
    part->n_bytes[place] += size;
    to->ends[row] = size; /* until all parts are read */
    to->marks[row] = (unsigned char)((cell->quoted ? QUOTED : 0) | (cell->doubled ? DOUBLED : 0) |
                                     (cell->null ? NO_VALUE : 0) | (cell->odd ? ODD : 0));
    return KANON_OK;
}

static kanon_status take_row(permuter *p, part_sum *part, row_reader *r, int64_t row, kanon_error *err)
{
    unsigned char digest[KANON__KEYED_HASH_BYTES];
    kanon__keyed_hash hash = p->begun;
    for (int i = 0; i < p->table->data.n_columns; i++) {
        const kanon__column *c = &p->table->data.columns[i];
        const kanon__cell *cell = &r->cursor->cells[i];
        if (c->role == KANON_ROLE_IDENTIFYING)
            continue;
        KANON_CHECK(add_cell(&hash, r, c, row, cell, err));
        if (c->permuted)
            KANON_CHECK(keep_cell(p, part, p->permutation->place_of[i], row, cell, err));
    }
    kanon__keyed_hash_end(&hash, digest);
    for (int i = 0; i < SUM_WORDS; i++)
        part->words[i] += take_number(digest + 8 * i);
    p->hashes[row] = (row_hash){{take_number(digest), take_number(digest + 8)}};
    return KANON_OK;
}

static int64_t end_of(const permuter *p, int64_t part)
{
    const kanon__source *source = p->table->source;
    return part + 1 < source->n_parts ? source->part_rows[part + 1] : p->table->data.n_rows;
}

/* The rows of a part of the source. */
static kanon_status read_part(int64_t number, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    permuter *p = payload;
    part_sum *part = &p->parts[number];
    const kanon__source *source = p->table->source;
    row_reader r = {0};
    bool has_row;
    int n = p->permutation->n;
    KANON_TRY(kanon__new_array(&part->bytes, n, "permuted cells", err), out);
    KANON_TRY(kanon__new_array(&part->n_bytes, n, "permuted cells", err), out);
    KANON_TRY(kanon__new_array(&part->capacity, n, "permuted cells", err), out);
    KANON_TRY(source->class->open(&r.cursor, source, err), out);
    source->class->seek(r.cursor, source->part_rows[number], NULL);
    for (int64_t row = source->part_rows[number]; row < end_of(p, number); row++) {
        KANON_TRY(source->class->next(r.cursor, &has_row, err), out);
        if (!has_row)
            KANON_TRY(kanon__fail(err, KANON_EINTERNAL, "%s ended early when it was read again", source->name), out);
        KANON_TRY(take_row(p, part, &r, row, err), out);
    }
    st = kanon__poll_tick(KANON__TICK_POLL_NS, err);
out:
    if (r.cursor != NULL)
        source->class->close(r.cursor);
    kanon__free(r.scratch);
    return st;
}

/* The cells of all parts behind each other. */
static kanon_status join_cells(permuter *p, int place, kanon_error *err)
{
    kanon__permuted_column *to = &p->permutation->columns[place];
    int64_t n_bytes = 0, at = 0;
    for (int64_t part = 0; part < p->table->source->n_parts; part++)
        n_bytes += p->parts[part].n_bytes[place];
    KANON_CHECK(kanon__new_array(&to->bytes, n_bytes, "permuted cells", err));
    for (int64_t part = 0; part < p->table->source->n_parts; part++) {
        part_sum *from = &p->parts[part];
        if (from->n_bytes[place] > 0)
            memcpy(to->bytes + at, from->bytes[place], (size_t)from->n_bytes[place]);
        at += from->n_bytes[place];
        kanon__free(from->bytes[place]);
        from->bytes[place] = NULL;
    }
    for (int64_t row = 1; row < p->table->data.n_rows; row++)
        to->ends[row] += to->ends[row - 1];
    return KANON_OK;
}

/* ---- 2. the secret ------------------------------------------------------------------------------------------------- */

static void make_secret(permuter *p)
{
    unsigned char sum[KANON__KEYED_HASH_BYTES], digest[KANON__KEYED_HASH_BYTES];
    kanon__keyed_hash hash = p->begun;
    for (int i = 0; i < SUM_WORDS; i++) {
        uint64_t word = 0;
        for (int64_t part = 0; part < p->table->source->n_parts; part++)
            word += p->parts[part].words[i];
        put_number(sum + 8 * i, word);
    }
    add_text(&hash, "secret", strlen("secret"));
    kanon__keyed_hash_add(&hash, sum, sizeof sum);
    kanon__keyed_hash_end(&hash, digest);
    memcpy(p->secret.bytes, digest, sizeof p->secret.bytes);
}

/* ---- 3. places ----------------------------------------------------------------------------------------------------- */

enum { KEY_BLOCK = 4096 };

/* One order: of the rows (column NULL), or of the cells of a column. */
typedef struct ordering {
    permuter *permuter;
    kanon__keyed_hash begun;
} ordering;

static kanon_status make_keys(int64_t block, void *payload, kanon_error *err)
{
    const ordering *o = payload;
    permuter *p = o->permuter;
    int64_t first = block * KEY_BLOCK, end = first + KEY_BLOCK, n = p->table->data.n_rows;
    for (int64_t row = first; row < (end < n ? end : n); row++) {
        unsigned char text[16], digest[KANON__KEYED_HASH_BYTES];
        kanon__keyed_hash hash = o->begun;
        put_number(text, p->hashes[row].words[0]);
        put_number(text + 8, p->hashes[row].words[1]);
        kanon__keyed_hash_add(&hash, text, sizeof text);
        kanon__keyed_hash_end(&hash, digest);
        p->keys[row] = take_number(digest);
    }
    return kanon__poll_tick(KANON__TICK_POLL_NS, err);
}

typedef struct keyed_row {
    int32_t group, row;
    uint64_t key;
} keyed_row;

static int by_group_and_key(const void *left, const void *right)
{
    const keyed_row *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* The rows of all groups, one group after the other, in the order of a hash with this name. */
static kanon_status order_rows(keyed_row *out, permuter *p, const char *name, int threads, kanon_error *err)
{
    int64_t n = p->table->data.n_rows;
    ordering o = {.permuter = p};
    kanon__keyed_hash_begin(&o.begun, &p->secret);
    add_text(&o.begun, name, strlen(name));
    KANON_CHECK(kanon__pool_run(threads, (n + KEY_BLOCK - 1) / KEY_BLOCK, make_keys, &o, err));
    for (int64_t row = 0; row < n; row++)
        out[row] = (keyed_row){.group = p->group_of[row] < 0 ? -1 : p->group_of[row], .row = (int32_t)row, .key = p->keys[row]};
    return kanon__sort(out, n, sizeof *out, by_group_and_key, err);
}

static kanon_status draw_places(permuter *p, int threads, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = p->table->data.n_rows;
    keyed_row *rows = NULL, *cells = NULL;
    KANON_TRY(kanon__new_array(&p->keys, n, "permuted cells", err), out);
    KANON_TRY(kanon__new_array(&rows, n, "permuted cells", err), out);
    KANON_TRY(kanon__new_array(&cells, n, "permuted cells", err), out);
    KANON_TRY(order_rows(rows, p, "", threads, err), out);
    for (int i = 0; i < p->permutation->n; i++) {
        kanon__permuted_column *c = &p->permutation->columns[i];
        KANON_TRY(order_rows(cells, p, p->table->data.columns[c->column].name, threads, err), out);
        for (int64_t at = 0; at < n; at++)
            c->from[rows[at].row] = cells[at].row;
    }
out:
    kanon__free(cells);
    kanon__free(rows);
    kanon__free(p->keys);
    p->keys = NULL;
    return st;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------- */

static kanon_status make_columns(kanon__permutation **out, const kanon_table *t, int n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__permutation *p = NULL;
    KANON_TRY(kanon__new_array(&p, 1, "permuted cells", err), out);
    p->table = t;
    KANON_TRY(kanon__new_array(&p->columns, n, "permuted cells", err), out);
    KANON_TRY(kanon__new_array(&p->place_of, t->data.n_columns, "permuted cells", err), out);
    for (int i = 0; i < t->data.n_columns; i++) {
        p->place_of[i] = t->data.columns[i].permuted ? p->n : -1;
        if (!t->data.columns[i].permuted)
            continue;
        kanon__permuted_column *c = &p->columns[p->n++];
        c->column = i;
        KANON_TRY(kanon__new_array(&c->from, t->data.n_rows, "permuted cells", err), out);
        KANON_TRY(kanon__new_array(&c->ends, t->data.n_rows, "permuted cells", err), out);
        KANON_TRY(kanon__new_array(&c->marks, t->data.n_rows, "permuted cells", err), out);
    }
    *out = p;
    p = NULL;
out:
    kanon__permutation_free(p);
    return st;
}

static void clear_parts(permuter *p, int64_t n_parts)
{
    for (int64_t part = 0; p->parts != NULL && part < n_parts; part++) {
        for (int i = 0; p->parts[part].bytes != NULL && i < p->permutation->n; i++)
            kanon__free(p->parts[part].bytes[i]);
        kanon__free(p->parts[part].bytes);
        kanon__free(p->parts[part].n_bytes);
        kanon__free(p->parts[part].capacity);
    }
    kanon__free(p->parts);
}

kanon_status kanon__permutation_new(kanon__permutation **out, const kanon_table *t, const int32_t *group_of, uint64_t seed,
                                    int threads, kanon_error *err)
{
    kanon_status st = KANON_OK;
    permuter p = {.table = t, .group_of = group_of};
    int n = 0;
    *out = NULL;
    for (int i = 0; i < t->data.n_columns; i++)
        n += t->data.columns[i].permuted;
    if (n == 0)
        return KANON_OK;
    if (t->whole != NULL) /* it is refused earlier */
        return kanon__fail(err, KANON_EINVAL, "a part of a table has not the rows that permuted cells are drawn from");
    KANON_TRY(make_columns(&p.permutation, t, n, err), out);
    KANON_TRY(kanon__new_array(&p.hashes, t->data.n_rows, "permuted cells", err), out);
    KANON_TRY(kanon__new_array(&p.parts, t->source->n_parts, "permuted cells", err), out);
    begin_hashes(&p.begun, seed);
    KANON_TRY(kanon__pool_run(threads, t->source->n_parts, read_part, &p, err), out);
    for (int i = 0; i < n; i++)
        KANON_TRY(join_cells(&p, i, err), out);
    make_secret(&p);
    KANON_TRY(draw_places(&p, threads, err), out);
    *out = p.permutation;
out:
    clear_parts(&p, t->source->n_parts);
    kanon__free(p.hashes);
    if (st != KANON_OK)
        kanon__permutation_free(p.permutation);
    return st;
}

void kanon__permutation_free(kanon__permutation *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < p->n; i++) {
        kanon__free(p->columns[i].marks);
        kanon__free(p->columns[i].ends);
        kanon__free(p->columns[i].bytes);
        kanon__free(p->columns[i].from);
    }
    kanon__free(p->place_of);
    kanon__free(p->columns);
    kanon__free(p);
}

kanon__cell kanon__permuted_cell(const kanon__permuted_column *c, int64_t row)
{
    int32_t from = c->from[row];
    int64_t begin = from > 0 ? c->ends[from - 1] : 0;
    unsigned char marks = c->marks[from];
    int quote = marks & QUOTED ? 1 : 0;
    return (kanon__cell){.text = c->bytes + begin + quote,
                         .length = (size_t)(c->ends[from] - begin) - 2 * (size_t)quote,
                         .quoted = quote,
                         .doubled = marks & DOUBLED,
                         .null = marks & NO_VALUE,
                         .odd = marks & ODD};
}
