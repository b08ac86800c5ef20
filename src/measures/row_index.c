/* The rows of a column in order of code, with prefix sets: a slice is the exclusive or of two prefix sets, corrected by
 * the rows between the marks and the slice's ends. N_MARKS sets bound both the memory and that correction. */
#include "measures/row_index.h"

#include "core/alloc.h"

enum { N_MARKS = 32, WORD_BITS = 64 }; /* a set per mark is 4 bytes per row for all marks together */

static void flip(uint64_t *set, int32_t row)
{
    set[row / WORD_BITS] ^= (uint64_t)1 << (row % WORD_BITS);
}

/* Counting sort. */
static kanon_status sort_rows(kanon__row_index *index, const kanon__column *c, int64_t n_rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *next = NULL;
    KANON_TRY(kanon__new_array(&next, (int64_t)c->domain->n_codes + 1, "row order", err), out);
    KANON_TRY(kanon__new_array(&index->rows, n_rows, "row order", err), out);
    for (int64_t row = 0; row < n_rows; row++)
        if (kanon__code_at(c->codes, row) != c->domain->missing_code)
            next[kanon__code_at(c->codes, row) + 1]++;
    for (uint32_t code = 0; code < c->domain->n_codes; code++)
        next[code + 1] += next[code];
    index->n = next[c->domain->n_codes];
    for (int64_t row = 0; row < n_rows; row++)
        if (kanon__code_at(c->codes, row) != c->domain->missing_code)
            index->rows[next[kanon__code_at(c->codes, row)]++] = (int32_t)row;
out:
    kanon__free(next);
    return st;
}

kanon_status kanon__row_index_init(kanon__row_index *out, const kanon__column *column, int64_t n_rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row_index index = {.codes = column->codes, .n_words = (n_rows + WORD_BITS - 1) / WORD_BITS};
    *out = (kanon__row_index){0};
    KANON_TRY(sort_rows(&index, column, n_rows, err), out);
    index.step = index.n / N_MARKS + 1;
    KANON_TRY(kanon__new_array(&index.prefixes, (N_MARKS + 1) * index.n_words, "row sets", err), out);
    for (int mark = 1; mark <= N_MARKS; mark++) {
        uint64_t *set = index.prefixes + mark * index.n_words;
        for (int64_t word = 0; word < index.n_words; word++)
            set[word] = (set - index.n_words)[word];
        for (int64_t i = (mark - 1) * index.step; i < mark * index.step && i < index.n; i++)
            flip(set, index.rows[i]);
    }
    *out = index;
    index = (kanon__row_index){0};
out:
    kanon__row_index_clear(&index);
    return st;
}

void kanon__row_index_clear(kanon__row_index *index)
{
    kanon__free(index->prefixes);
    kanon__free(index->rows);
    *index = (kanon__row_index){0};
}

int64_t kanon__row_index_before(const kanon__row_index *index, uint32_t code)
{
    int64_t lo = 0, hi = index->n;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (kanon__code_at(index->codes, index->rows[middle]) < code)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The mark nearest to a place in the order. */
static int64_t nearest_mark(const kanon__row_index *index, int64_t at)
{
    return (at + index->step / 2) / index->step;
}

/* Flip the rows between a mark and the place that it stands for. */
static void flip_between(const kanon__row_index *index, uint64_t *set, int64_t mark, int64_t at)
{
    int64_t from = mark * index->step;
    if (from > index->n)
        from = index->n; /* the last marks stand behind the end */
    for (int64_t i = from; i < at; i++)
        flip(set, index->rows[i]);
    for (int64_t i = at; i < from; i++)
        flip(set, index->rows[i]);
}

void kanon__row_index_slice(const kanon__row_index *index, uint64_t *set, int64_t begin, int64_t end)
{
    int64_t first = nearest_mark(index, begin), last = nearest_mark(index, end);
    const uint64_t *before = index->prefixes + first * index->n_words, *after = index->prefixes + last * index->n_words;
    for (int64_t word = 0; word < index->n_words; word++)
        set[word] = before[word] ^ after[word];
    flip_between(index, set, first, begin);
    flip_between(index, set, last, end);
}
