/* See cut_counts.h. Rows are sorted by open part, then counted part by part and dimension by dimension in one dense
 * array: O(rows * dimensions), and a sort of the values that occur. */
#include "partition/cut_counts.h"

#include "core/alloc.h"
#include "core/context.h"

#include <stdlib.h>
#include <string.h>

static kanon_status new_counts(kanon__cut_counts **out, const unsigned char of_cuts[KANON__FINGERPRINT], int64_t n_lists,
                               kanon_error *err)
{
    KANON_CHECK(kanon__new_array(out, 1, "histograms", err));
    (*out)->piece = kanon__piece_begin(&kanon__counts_kind);
    memcpy((*out)->of_cuts, of_cuts, KANON__FINGERPRINT);
    (*out)->n_lists = n_lists;
    return kanon__new_array(&(*out)->ends, n_lists, "histograms", err);
}

static void free_counts(void *object)
{
    kanon__cut_counts *counts = object;
    kanon__free(counts->entries);
    kanon__free(counts->ends);
    kanon__free(counts);
}

/* ---- counting ----------------------------------------------------------------------------------------------------- */

/* The rows of a part of the table by open leaf: those of leaf i are rows[ends[i - 1] .. ends[i]). */
typedef struct open_rows {
    int32_t *rows;
    int64_t *ends;
} open_rows;

/* `open_of`, by row: its open leaf; -1: it is in none. */
static kanon_status sort_rows(open_rows *out, const kanon__cut_tree *c, const int32_t *open_of, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *begins = NULL;
    KANON_TRY(kanon__new_array(&out->ends, c->n_open + 1, "histograms", err), out);
    KANON_TRY(kanon__new_array(&begins, c->n_open + 1, "histograms", err), out);
    for (int64_t row = 0; row < n; row++)
        if (open_of[row] >= 0)
            begins[open_of[row] + 1]++;
    for (int64_t i = 0; i < c->n_open; i++)
        begins[i + 1] += begins[i];
    memcpy(out->ends, begins, (size_t)(c->n_open + 1) * sizeof *begins);
    KANON_TRY(kanon__new_array(&out->rows, begins[c->n_open], "histograms", err), out);
    for (int64_t row = 0; row < n; row++)
        if (open_of[row] >= 0)
            out->rows[begins[open_of[row]]++] = (int32_t)row;
out:
    kanon__free(begins);
    return st;
}

static void clear_rows(open_rows *r)
{
    kanon__free(r->ends);
    kanon__free(r->rows);
}

static int by_code(const void *left, const void *right)
{
    uint32_t a = ((const kanon__code_count *)left)->code, b = ((const kanon__code_count *)right)->code;
    return a < b ? -1 : a > b;
}

/* Put the codes of a list in order: they lie between lo and hi, and `seen` says which there are. Few codes that are far
 * apart are sorted, many are looked for. */
static void order_list(kanon__code_count *entries, int64_t n, const int64_t *seen, uint32_t lo, uint32_t hi)
{
    enum { PER_ENTRY = 16 }; /* a step of a sort costs as much as to look at so many */
    if (hi - lo >= n * PER_ENTRY) {
        qsort(entries, (size_t)n, sizeof *entries, by_code);
        return;
    }
    for (uint32_t code = lo; n > 0; code++)
        if (seen[code] > 0) {
            (entries++)->code = code;
            n--;
        }
}

/* Append the histogram of some rows. `seen`, by code, is all zero before and after. */
static kanon_status count_list(kanon__cut_counts *out, int64_t *used, int64_t *seen, kanon__codes codes, const int32_t *rows,
                               int64_t n, kanon_error *err)
{
    int64_t first = *used;
    uint32_t lo = UINT32_MAX, hi = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t code = kanon__code_at(codes, rows[i]);
        if (seen[code]++ > 0)
            continue;
        KANON_CHECK(kanon__grow_array(&out->entries, &out->capacity, *used + 1, "histograms", err));
        out->entries[(*used)++].code = code;
        lo = code < lo ? code : lo;
        hi = code > hi ? code : hi;
    }
    if (*used > first)
        order_list(out->entries + first, *used - first, seen, lo, hi);
    for (int64_t i = first; i < *used; i++) {
        out->entries[i].n = seen[out->entries[i].code];
        seen[out->entries[i].code] = 0;
    }
    return KANON_OK;
}

static kanon_status count_rows(kanon_counts **out, const kanon__cut_tree *c, const kanon__codes *codes,
                               const int32_t *open_of, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cut_counts *counts = NULL;
    open_rows r = {0};
    int64_t *seen = NULL, used = 0, most = 1;
    int m = c->space->n_dimensions;
    KANON_TRY(new_counts(&counts, c->fingerprint, c->n_open * m, err), out);
    KANON_TRY(sort_rows(&r, c, open_of, n, err), out);
    for (int i = 0; i < m; i++)
        most = c->space->dimensions[i].n_codes > most ? c->space->dimensions[i].n_codes : most;
    KANON_TRY(kanon__new_array(&seen, most, "histograms", err), out);
    for (int64_t list = 0; list < counts->n_lists; list++) {
        int64_t leaf = list / m, begin = r.ends[leaf];
        KANON_TRY(count_list(counts, &used, seen, codes[list % m], r.rows + begin, r.ends[leaf + 1] - begin, err), out);
        counts->ends[list] = used;
    }
    *out = &counts->piece;
    counts = NULL;
out:
    kanon__free(seen);
    clear_rows(&r);
    kanon__piece_free(counts);
    return st;
}

static kanon_status count_table(kanon_counts **out, const kanon__cut_tree *c, const kanon_table *part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__codes *codes = NULL;
    int32_t *open_of = NULL;
    int64_t n = part->data.n_rows;
    KANON_TRY(kanon__cuts_codes(&codes, c, part, err), out);
    KANON_TRY(kanon__new_array(&open_of, n, "histograms", err), out);
    for (int64_t row = 0; row < n; row++)
        open_of[row] = c->nodes[kanon__cuts_leaf(c, codes, row)].open;
    KANON_TRY(count_rows(out, c, codes, open_of, n, err), out);
out:
    kanon__free(open_of);
    kanon__free(codes);
    return st;
}

kanon_status kanon_cuts_count(kanon_counts **out, const kanon_cuts *cuts, const kanon_table *part, kanon_error *err)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, err);
    *out = NULL;
    if (c == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(part->context, count_table(out, c, part, err));
}

static kanon_status count_codes(kanon_counts **out, const kanon__cut_tree *c, kanon__part_codes *codes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *open_of = NULL;
    KANON_TRY(kanon__cuts_walk(c, codes, err), out);
    KANON_TRY(kanon__new_array(&open_of, codes->n_rows, "histograms", err), out);
    for (int64_t row = 0; row < codes->n_rows; row++)
        open_of[row] = c->nodes[kanon__code_at(codes->nodes, row)].open;
    KANON_TRY(count_rows(out, c, codes->columns, open_of, codes->n_rows, err), out);
out:
    kanon__free(open_of);
    return st;
}

kanon_status kanon_codes_count(kanon_counts **out, kanon_codes *codes, const kanon_cuts *cuts, kanon_error *err)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, err);
    kanon__part_codes *own = c != NULL ? kanon__piece_as(codes, &kanon__codes_kind, err) : NULL;
    *out = NULL;
    if (own == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(codes->context, count_codes(out, c, own, err));
}

/* ---- merging ------------------------------------------------------------------------------------------------------ */

static int64_t list_begin(const kanon__cut_counts *counts, int64_t list)
{
    return list > 0 ? counts->ends[list - 1] : 0;
}

/* Append the sum of two lists, both with rising codes. */
static void add_lists(kanon__code_count *to, int64_t *used, const kanon__cut_counts *a, const kanon__cut_counts *b,
                      int64_t list)
{
    int64_t i = list_begin(a, list), j = list_begin(b, list);
    while (i < a->ends[list] || j < b->ends[list]) {
        bool from_a = j >= b->ends[list] || (i < a->ends[list] && a->entries[i].code <= b->entries[j].code);
        bool from_b = i >= a->ends[list] || (j < b->ends[list] && b->entries[j].code <= a->entries[i].code);
        kanon__code_count sum = from_a ? a->entries[i] : b->entries[j];
        sum.n += from_a && from_b ? b->entries[j].n : 0;
        to[(*used)++] = sum;
        i += from_a;
        j += from_b;
    }
}

static kanon_status merge(void *to, const void *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cut_counts *into = to;
    const kanon__cut_counts *other = from;
    kanon__code_count *entries = NULL;
    int64_t *ends = NULL, used = 0, n = into->n_lists;
    if (n != other->n_lists || memcmp(into->of_cuts, other->of_cuts, sizeof into->of_cuts) != 0)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the counts are of different cuts"),
                           "count all parts with the cuts as they are now");
    if (n == 0)
        return KANON_OK;
    int64_t most = into->ends[n - 1] + other->ends[n - 1];
    KANON_TRY(kanon__new_array(&entries, most, "histograms", err), out);
    KANON_TRY(kanon__new_array(&ends, n, "histograms", err), out);
    for (int64_t list = 0; list < n; list++) {
        add_lists(entries, &used, into, other, list);
        ends[list] = used;
    }
    kanon__free(into->entries);
    kanon__free(into->ends);
    into->entries = entries;
    into->ends = ends;
    into->capacity = most;
    entries = NULL;
    ends = NULL;
out:
    kanon__free(ends);
    kanon__free(entries);
    return st;
}

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

static void pack(kanon__packer *p, const void *object)
{
    const kanon__cut_counts *c = object;
    for (int i = 0; i < KANON__FINGERPRINT; i++)
        kanon__pack_number(p, c->of_cuts[i]);
    kanon__pack_number(p, (uint64_t)c->n_lists);
    for (int64_t list = 0; list < c->n_lists; list++) {
        int64_t at = list_begin(c, list);
        uint32_t before = 0;
        kanon__pack_number(p, (uint64_t)(c->ends[list] - at));
        for (; at < c->ends[list]; at++) {
            kanon__pack_number(p, c->entries[at].code - before);
            kanon__pack_number(p, (uint64_t)c->entries[at].n);
            before = c->entries[at].code;
        }
    }
}

/* Codes rise, and every count is above 0. */
static kanon_status unpack_list(kanon__cut_counts *c, int64_t *used, kanon__unpacker *u, kanon_error *err)
{
    int64_t n = kanon__unpack_count(u, 2);
    uint32_t before = 0;
    bool sound = true;
    KANON_CHECK(kanon__grow_array(&c->entries, &c->capacity, *used + n, "histograms", err));
    for (int64_t i = 0; i < n; i++) {
        uint32_t step = (uint32_t)kanon__unpack_upto(u, (int64_t)UINT32_MAX - before);
        kanon__code_count entry = {before + step, kanon__unpack_upto(u, INT64_MAX)};
        sound = sound && (i == 0 || step > 0) && entry.n > 0;
        c->entries[(*used)++] = entry;
        before = entry.code;
    }
    return kanon__unpacker_check(u, sound, err);
}

static kanon_status unpack(kanon_piece **out, kanon__unpacker *u, const kanon__whole *none, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cut_counts *c = NULL;
    unsigned char of_cuts[KANON__FINGERPRINT];
    int64_t used = 0;
    (void)none;
    for (int i = 0; i < KANON__FINGERPRINT; i++)
        of_cuts[i] = (unsigned char)kanon__unpack_upto(u, UINT8_MAX);
    KANON_TRY(new_counts(&c, of_cuts, kanon__unpack_count(u, 1), err), out);
    for (int64_t list = 0; list < c->n_lists; list++) {
        KANON_TRY(unpack_list(c, &used, u, err), out);
        c->ends[list] = used;
    }
    *out = &c->piece;
    c = NULL;
out:
    kanon__piece_free(c);
    return st;
}

const kanon__piece_kind kanon__counts_kind = {
    .packed = {'H', '1', "counts"}, .pack = pack, .unpack = unpack, .merge = merge, .free = free_counts};
