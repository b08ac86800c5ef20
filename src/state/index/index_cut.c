/* Where to cut a set of groups or nodes that is too large for one node.
 *
 * What makes a good node follows from how records search. A record mostly finds its best group among those whose boxes
 * contain it, and there the one with the least units wins. So it is not enough that the groups of a node lie close
 * together: groups that span an attribute are best kept apart from those that do not, and groups of many units from those
 * of few.
 *     1. Take a sample of at most 4096 items.
 *     2. For each key (middle of the box on an attribute, narrowest group on an attribute, least units): sort the sample
 *        by it, and rate every cut between different keys in the middle half: n * cost of each side (rate), prefix and
 *        suffix.
 *     3. Apply the best cut to all items. Where it takes off less than an eighth, cut at half instead.
 *
 * The result depends on nothing but the items. */
#include "state/index/index_cut.h"

#include "core/alloc.h"

#include <string.h>

enum { SAMPLE_MOST = 4096, ITEM_BITS = 12 };

/* A cut, and how good it is. */
typedef struct cut_choice {
    bool found;
    int which;     /* key */
    int64_t key;   /* items with a smaller one come first */
    int64_t score; /* the smaller, the better */
} cut_choice;

kanon_status kanon__cutter_init(kanon__cutter *out, const kanon__current_space *space, int64_t n_items, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t size = 4 * (int64_t)space->n + 1, n = n_items < SAMPLE_MOST ? n_items : SAMPLE_MOST, total;
    *out = (kanon__cutter){.space = space};
    if (__builtin_mul_overflow(n_items, size, &total))
        return kanon__fail(err, KANON_ENOMEM, "out of memory for the index of groups");
    KANON_TRY(kanon__new_array(&out->summaries, total, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&out->sample, n, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&out->sorted, n, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&out->sorted_too, n, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&out->before, n, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&out->around, size, "the index of groups", err), out);
out:
    if (st != KANON_OK)
        kanon__cutter_clear(out);
    return st;
}

void kanon__cutter_clear(kanon__cutter *c)
{
    kanon__free(c->around);
    kanon__free(c->before);
    kanon__free(c->sorted_too);
    kanon__free(c->sorted);
    kanon__free(c->sample);
    kanon__free(c->summaries);
    *c = (kanon__cutter){0};
}

/* Key `which` of an item, which fits 32 bits: twice the middle on each attribute, the narrowest group on each, the least
 * units. */
static int64_t key_of(const kanon__cutter *c, int64_t item, int which)
{
    const int32_t *s = kanon__cutter_summary(c, item);
    int m = c->space->n;
    if (which < m)
        return (int64_t)s[4 * which] + s[4 * which + 1];
    return which < 2 * m ? s[4 * (which - m) + 2] : s[4 * m];
}

/* Joins an item to the summary of a side. */
static void widen(const kanon__cutter *c, bool first, int64_t item)
{
    const int32_t *s = kanon__cutter_summary(c, item);
    int32_t *a = c->around;
    for (int i = 0; i < 4 * c->space->n; i += 2) {
        a[i] = first || s[i] < a[i] ? s[i] : a[i];
        a[i + 1] = first || s[i + 1] > a[i + 1] ? s[i + 1] : a[i + 1];
    }
}

/* The cost of a side as a node, by c->around. The weights are measured: a record outside of a category's box is far away,
 * outside of a number's mostly not. */
static int64_t rate(const kanon__cutter *c)
{
    int64_t score = 0;
    for (int i = 0; i < c->space->n; i++) {
        const kanon__current_dimension *d = &c->space->dimensions[i];
        const int32_t *a = c->around + 4 * i;
        score += (int64_t)kanon__coordinates_units(d, a[0], a[1]) * (d->numeric ? 3 : 12) + 4 * ((int64_t)a[3] - a[2]);
    }
    return score;
}

/* Merge sort of c->sorted, bottom-up, between two arrays; a pointer to the one that is sorted in the end. */
static const uint64_t *sort(const kanon__cutter *c, int64_t n)
{
    uint64_t *from = c->sorted, *to = c->sorted_too;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = begin + width < n ? begin + width : n, end = middle + width < n ? middle + width : n;
            int64_t left = begin, right = middle;
            for (int64_t i = begin; i < end; i++) {
                bool is_left = right == end || (left < middle && from[left] < from[right]);
                to[i] = from[is_left ? left : right];
                left += is_left;
                right += !is_left;
            }
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Step 2 for one key. The position in the sample fills the low bits, so that keys sort with their items. */
static void try_key(const kanon__cutter *c, int64_t n, int which, cut_choice *best)
{
    enum { ITEM_MASK = (1 << ITEM_BITS) - 1 };
    int64_t from = n / 4 > 1 ? n / 4 : 1, to = n - n / 4;
    for (int64_t i = 0; i < n; i++)
        c->sorted[i] = (uint64_t)key_of(c, c->sample[i], which) << ITEM_BITS | (uint64_t)i;
    const uint64_t *sorted = sort(c, n);
    if (sorted[from - 1] >> ITEM_BITS == sorted[to < n ? to : n - 1] >> ITEM_BITS)
        return;
    for (int64_t i = 0; i < n && i <= to; i++) {
        if (i >= from && sorted[i] >> ITEM_BITS != sorted[i - 1] >> ITEM_BITS)
            c->before[i] = i * rate(c);
        widen(c, i == 0, c->sample[sorted[i] & ITEM_MASK]);
    }
    for (int64_t i = n - 1; i >= from; i--) {
        widen(c, i == n - 1, c->sample[sorted[i] & ITEM_MASK]);
        if (i > to || sorted[i] >> ITEM_BITS == sorted[i - 1] >> ITEM_BITS)
            continue;
        int64_t score = c->before[i] + (n - i) * rate(c);
        if (!best->found || score < best->score)
            *best = (cut_choice){true, which, (int64_t)(sorted[i] >> ITEM_BITS), score};
    }
}

/* Brings the items below the key to the front; how many there are. */
static int64_t part(const kanon__cutter *c, int64_t *items, int64_t n, const cut_choice *choice)
{
    int64_t n_first = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t item = items[i];
        if (key_of(c, item, choice->which) >= choice->key)
            continue;
        items[i] = items[n_first];
        items[n_first++] = item;
    }
    return n_first;
}

/* All items may divide otherwise than the sample did, hence the lower limit of an eighth. */
int64_t kanon__cutter_cut(kanon__cutter *c, int64_t *items, int64_t n)
{
    cut_choice best = {.found = false};
    int64_t step = n > SAMPLE_MOST ? 2 * n / SAMPLE_MOST : 1, n_sampled = 0;
    for (int64_t i = 0; i < n && n_sampled < SAMPLE_MOST; i += step)
        c->sample[n_sampled++] = items[i];
    for (int which = 0; which <= 2 * c->space->n; which++)
        try_key(c, n_sampled, which, &best);
    int64_t cut = best.found ? part(c, items, n, &best) : 0;
    return cut < (n + 7) / 8 || cut > n - (n + 7) / 8 ? n / 2 : cut;
}
