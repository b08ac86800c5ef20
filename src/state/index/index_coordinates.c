/* Decodes leaves that are only searched: from the bytes of a page straight to coordinates and units, without codes.
 *
 * Most leaves that a command reads are searched once or twice and never changed. The fast way applies where all columns
 * have widths of at most two bytes, no number is missing or has bands, and positions are not rounded: then a coordinate
 * is one multiplication, and all 32 slots are decoded by vector instructions. Otherwise the caller reads codes first
 * (index_pages.c). */
#include "state/index/index_node.h"

#include <string.h>

enum { ROOM = KANON__NODE_ROOM };

#define IN_EACH static inline __attribute__((always_inline))

/* A column: base + values[slot]. Slots that do not exist repeat the first, so that loops run over all 32, a number that the
 * compiler knows. */
typedef struct offsets {
    int64_t base;
    int32_t most; /* the largest of the values */
    bool equal;   /* all are 0 */
    int32_t values[ROOM];
} offsets;

/* False where the fast way does not apply: the column is wider, or a number is missing. */
IN_EACH bool read_offsets(kanon__byte_reader *r, offsets *out, int n)
{
    int width = kanon__read_width(r, &out->base, n);
    const unsigned char *restrict at = r->at;
    int32_t *restrict values = out->values, none = width == 1 ? 0xff : 0xffff, most = 0;
    if (r->bad || width > 2 || r->end - at + KANON__PAGE_PADDING < ROOM * width)
        return false;
    r->at += n * width;
    out->most = 0;
    out->equal = width == 0;
    if (width == 0)
        return true;
    unsigned char bytes[2 * ROOM];
    memcpy(bytes, at, (size_t)(width * ROOM));
    if (width == 1)
        for (int i = 0; i < ROOM; i++)
            values[i] = bytes[i];
    else
        for (int i = 0; i < ROOM; i++)
            values[i] = bytes[2 * i] | bytes[2 * i + 1] << 8;
    for (int i = n; i < ROOM; i++)
        values[i] = values[0];
    for (int i = 0; i < ROOM; i++)
        most = values[i] > most ? values[i] : most;
    out->most = most;
    return most < none;
}

IN_EACH void fill(int32_t *coordinates, int32_t coordinate)
{
    for (int i = 0; i < ROOM; i++)
        coordinates[i] = coordinate;
}

/* One side of a numeric attribute; false where a number is outside of the range or has bands, or positions are rounded. */
IN_EACH bool number_coordinates(const kanon__current_dimension *d, const offsets *restrict o, int32_t *restrict coordinates)
{
    if (d->rule != NULL || d->step <= 0 || d->step > INT32_MAX || o->base < d->lo || o->base > d->hi ||
        o->most > d->hi - o->base)
        return false;
    int32_t first = (int32_t)((o->base - d->lo) * d->step), step = (int32_t)d->step;
    if (o->equal)
        fill(coordinates, first);
    else
        for (int i = 0; i < ROOM; i++)
            coordinates[i] = first + o->values[i] * step;
    return true;
}

IN_EACH bool category_coordinates(const kanon__current_dimension *d, const offsets *restrict o,
                                  int32_t *restrict coordinates)
{
    int32_t least = 0;
    if (o->base < 0 || o->base >= d->n_tree_nodes || o->most >= d->n_tree_nodes - o->base)
        return false;
    const int32_t *leaf_of = d->leaf_of + o->base;
    if (o->equal) {
        fill(coordinates, leaf_of[0]);
        return leaf_of[0] >= 0;
    }
    for (int i = 0; i < ROOM; i++) {
        coordinates[i] = leaf_of[o->values[i]];
        least = coordinates[i] < least ? coordinates[i] : least;
    }
    return least >= 0;
}

IN_EACH void add_units(const kanon__current_dimension *d, const int32_t *restrict lo, const int32_t *restrict hi, int n,
                       int32_t *restrict units)
{
    if (d->numeric)
        for (int i = 0; i < ROOM; i++)
            units[i] += hi[i] - lo[i];
    else
        for (int i = 0; i < n; i++)
            if (lo[i] != hi[i])
                units[i] += kanon__coordinates_units(d, lo[i], hi[i]);
}

/* A box with lo behind hi, or bytes that are left over, mean damage, which the slow way reports. */
IN_EACH bool read_coordinates(const kanon__group_index *index, kanon__node *leaf, kanon__byte_reader r)
{
    const kanon__current_space *space = index->space;
    int n = (int)kanon__read_count(&r, KANON__NODE_MOST);
    int32_t bad = 0;
    if (!kanon__read_groups(index, leaf, &r, n))
        return false;
    memset(leaf->units, 0, sizeof leaf->units);
    for (int i = 0; i < space->n; i++) {
        const kanon__current_dimension *d = &space->dimensions[i];
        int32_t *lo = leaf->coordinates + (int64_t)2 * i * ROOM, *hi = lo + ROOM;
        for (int side = 0; side < 2; side++) {
            offsets o;
            int32_t *coordinates = side == 0 ? lo : hi;
            if (!read_offsets(&r, &o, n) ||
                !(d->numeric ? number_coordinates(d, &o, coordinates) : category_coordinates(d, &o, coordinates)))
                return false;
        }
        for (int slot = 0; slot < ROOM; slot++)
            bad |= lo[slot] > hi[slot];
        if (bad != 0)
            return false;
        add_units(d, lo, hi, n, leaf->units);
    }
    if (r.at != r.end)
        return false;
    leaf->n = n;
    leaf->epoch = space->epoch;
    return true;
}

/* ---- instruction sets ---------------------------------------------------------------------------------------------- */

#if defined(KANON_TEST_HOOKS)
static kanon__instructions last_allowed = KANON__AVX512;

void kanon__index_limit_instructions(kanon__instructions last)
{
    last_allowed = last;
}
#else
static const kanon__instructions last_allowed = KANON__AVX512;
#endif

kanon__instructions kanon__index_instructions(void)
{
    kanon__instructions found = KANON__PLAIN_C;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        found = KANON__AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        found = KANON__AVX512;
#endif
    return found < last_allowed ? found : last_allowed;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool avx2_coordinates(const kanon__group_index *index, kanon__node *leaf,
                                                             kanon__byte_reader r)
{
    return read_coordinates(index, leaf, r);
}
#endif

bool kanon__leaf_read_coordinates(const kanon__group_index *index, kanon__node *leaf, kanon__byte_reader r)
{
#if defined(__x86_64__)
    if (kanon__index_instructions() >= KANON__AVX2)
        return avx2_coordinates(index, leaf, r);
#endif
    return read_coordinates(index, leaf, r);
}
