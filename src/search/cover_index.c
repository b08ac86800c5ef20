/* See cover_index.h. The bits of a dimension are a matrix, a row of n_words words for each bucket of codes:
 *
 *                   slot 0 .. 63   slot 64 .. 127        next(row): AND of the rows of the record's buckets and of `alive`,
 *     bucket 0     [ 1011...      | 0010...      ]       word by word, until a word is not 0; its lowest bit is the slot
 *     bucket 1     [ 0111...      | 0110...      ]
 *
 * So a question costs at most n_dimensions * n_words ANDs, and mostly stops in one of the first words. Buckets of more than
 * one code are a superset (a Bloom-like filter), which the caller checks. */
#include "search/cover_index.h"

#include "core/alloc.h"

/* The bits of all dimensions together take at most this many bytes, as long as a dimension keeps 16 buckets. */
static const int64_t MOST_BYTES = (int64_t)256 << 20;

/* The least shift that leaves at most so many buckets. */
static int shift_for(uint32_t n_codes, int64_t most_buckets)
{
    int shift = 0;
    while ((int64_t)(n_codes >> shift) + 1 > most_buckets)
        shift++;
    return shift;
}

static int64_t most_buckets(int64_t n_words, int n_dimensions)
{
    int64_t most = MOST_BYTES / (n_words * 8 + 1) / (n_dimensions > 0 ? n_dimensions : 1);
    return most > 16 ? most : 16;
}

int64_t kanon__cover_index_need(const kanon__data *t, int64_t n_slots)
{
    int64_t n_words = (n_slots + 63) / 64, n_rows_of_bits = 1, most = most_buckets(n_words, t->n_quasi);
    for (int i = 0; i < t->n_quasi; i++) {
        uint32_t n_codes = t->columns[t->quasi[i]].domain->n_codes;
        n_rows_of_bits += (n_codes >> shift_for(n_codes, most)) + 1;
    }
    return n_rows_of_bits * n_words * (int64_t)sizeof(uint64_t);
}

kanon_status kanon__cover_index_new(kanon__cover_index **out, const kanon__space *space, int64_t n_slots, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cover_index *x = NULL;
    int m = space->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&x, 1, "the index of groups", err), out);
    x->space = space;
    x->n_slots = n_slots;
    x->n_words = (n_slots + 63) / 64;
    int64_t most = most_buckets(x->n_words, m);
    KANON_TRY(kanon__new_array(&x->alive, x->n_words, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&x->bits, m, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&x->shifts, m, "the index of groups", err), out);
    for (int64_t slot = 0; slot < n_slots; slot++)
        x->alive[slot / 64] |= (uint64_t)1 << slot % 64;
    for (int i = 0; i < m; i++) {
        uint32_t n_codes = space->dimensions[i].n_codes;
        x->shifts[i] = shift_for(n_codes, most);
        KANON_TRY(kanon__new_array(&x->bits[i], ((n_codes >> x->shifts[i]) + 1) * x->n_words, "the index of groups", err),
                  out);
    }
    *out = x;
    x = NULL;
out:
    kanon__cover_index_free(x);
    return st;
}

void kanon__cover_index_free(kanon__cover_index *x)
{
    if (x == NULL)
        return;
    for (int i = 0; x->bits != NULL && i < x->space->n_dimensions; i++)
        kanon__free(x->bits[i]);
    kanon__free(x->shifts);
    kanon__free(x->bits);
    kanon__free(x->alive);
    kanon__free(x);
}

void kanon__cover_index_add(kanon__cover_index *x, int64_t slot, int i, uint32_t lo, uint32_t hi)
{
    uint64_t bit = (uint64_t)1 << slot % 64;
    for (int64_t bucket = lo >> x->shifts[i]; bucket <= hi >> x->shifts[i]; bucket++)
        x->bits[i][bucket * x->n_words + slot / 64] |= bit;
}

void kanon__cover_index_remove(kanon__cover_index *x, int64_t slot)
{
    x->alive[slot / 64] &= ~((uint64_t)1 << slot % 64);
}

/* The slots that cover the record's code on dimension i, and maybe more. */
static const uint64_t *row_of_bits(const kanon__cover_index *x, int i, int64_t row)
{
    int64_t bucket = kanon__code_at(x->space->dimensions[i].codes, row) >> x->shifts[i];
    return x->bits[i] + bucket * x->n_words;
}

int64_t kanon__cover_index_next(const kanon__cover_index *x, int64_t row, int64_t from)
{
    int m = x->space->n_dimensions;
    for (int64_t word = from / 64; word < x->n_words; word++) {
        uint64_t common = x->alive[word];
        if (word == from / 64) /* slots before `from` do not count */
            common &= ~(uint64_t)0 << from % 64;
        for (int i = 0; i < m && common != 0; i++)
            common &= row_of_bits(x, i, row)[word];
        if (common != 0)
            return word * 64 + __builtin_ctzll(common);
    }
    return -1;
}

void kanon__covered_range(const kanon__dimension *d, uint32_t lo, uint32_t hi, uint32_t *first, uint32_t *last)
{
    *first = lo;
    *last = hi;
    if (d->coordinates == NULL) {
        int32_t node = kanon__taxonomy_lca(d->column->domain->taxonomy, (int32_t)lo, (int32_t)hi);
        *first = (uint32_t)d->column->domain->taxonomy->first_leaf[node];
        *last = (uint32_t)d->column->domain->taxonomy->last_leaf[node];
    } else if (hi == d->column->domain->missing_code && lo != hi) {
        *first = 0; /* such a group is released as "*", which covers every number */
    }
}
