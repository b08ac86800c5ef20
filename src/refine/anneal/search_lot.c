#include "refine/anneal/search_lot.h"

#include "core/alloc.h"

#include <string.h>

/* Vectors are read beyond the last record. */
enum { BEYOND = 16 };

static kanon_status init_attempt(kanon__attempt *out, int32_t room, int m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&out->free, room / 64 + 1, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->taken, room, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->base, (int64_t)room + BEYOND, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->terms, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->tables, ((int64_t)room + BEYOND) * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->spans, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->rims, KANON__LOT_GROUPS * 2 * (int64_t)m, "moves", err), out);
out:
    return st;
}

kanon_status kanon__lot_init(kanon__lot *out, const kanon__costs *costs, int32_t room, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = costs->n_dimensions;
    *out = (kanon__lot){
        .kernels = kanon__kernels_choose(false), .room = room, .n_dimensions = m, .stride = (int64_t)room + BEYOND};
    KANON_TRY(kanon__new_array(&out->records, room, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->lanes, out->stride * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->numeric, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->categorical, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->codes, out->stride * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->n_codes, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->known_as, m, "moves", err), out);
    for (int i = costs->n_numeric; i < m; i++) {
        KANON_TRY(kanon__new_array(&out->known_as[i], costs->dimensions[i]->n_codes, "moves", err), out);
        memset(out->known_as[i], 0xff, costs->dimensions[i]->n_codes * sizeof *out->known_as[i]);
    }
    for (int i = 0; i < KANON__LOT_ATTEMPTS; i++)
        KANON_TRY(init_attempt(&out->attempts[i], room, m, err), out);
out:
    if (st != KANON_OK)
        kanon__lot_clear(out);
    return st;
}

void kanon__lot_clear(kanon__lot *lot)
{
    for (int i = 0; i < KANON__LOT_ATTEMPTS; i++) {
        kanon__free(lot->attempts[i].rims);
        kanon__free(lot->attempts[i].spans);
        kanon__free(lot->attempts[i].tables);
        kanon__free(lot->attempts[i].terms);
        kanon__free(lot->attempts[i].base);
        kanon__free(lot->attempts[i].taken);
        kanon__free(lot->attempts[i].free);
    }
    for (int i = 0; lot->known_as != NULL && i < lot->n_dimensions; i++)
        kanon__free(lot->known_as[i]);
    kanon__free(lot->known_as);
    kanon__free(lot->n_codes);
    kanon__free(lot->codes);
    kanon__free(lot->categorical);
    kanon__free(lot->numeric);
    kanon__free(lot->lanes);
    kanon__free(lot->records);
    *lot = (kanon__lot){0};
}

static uint32_t *lane_of(const kanon__lot *lot, int dimension)
{
    return lot->lanes + dimension * lot->stride;
}

/* ---- laying out -------------------------------------------------------------------------------------------------- */

static void free_all(kanon__attempt *a, const kanon__lot *lot, const kanon__costs *c)
{
    for (int i = 0; i < lot->n_categorical; i++) {
        int dimension = lot->categorical[i];
        a->terms[i] = (kanon__kernel_term){.at = (const int32_t *)lane_of(lot, dimension),
                                           .table = a->tables + dimension * lot->stride,
                                           .n_table = lot->n_codes[dimension]};
    }
    int32_t words = lot->n / 64;
    memset(a->free, 0xff, (size_t)words * sizeof *a->free);
    a->free[words] = ((uint64_t)1 << (lot->n & 63)) - 1;
    a->n_taken = 0;
    for (int i = 0; i < lot->n_numeric; i++)
        a->spans[i] = (kanon__span_term){.at = lane_of(lot, lot->numeric[i]), .full = c->full[lot->numeric[i]]};
}

static void fill_numeric(kanon__lot *lot, const kanon__patch *p, int i)
{
    uint32_t *lane = lane_of(lot, i);
    for (int32_t j = 0; j < lot->n; j++)
        lane[j] = kanon__patch_record(p, lot->records[j])[i];
}

/* The lots of neighbours have few codes: what boxes cost is asked for each of them, not for each record. */
static void fill_categorical(kanon__lot *lot, const kanon__patch *p, int i)
{
    uint32_t *lane = lane_of(lot, i), *codes = lot->codes + i * lot->stride;
    int32_t *known_as = lot->known_as[i], n = 0;
    for (int32_t j = 0; j < lot->n; j++) {
        uint32_t code = kanon__patch_record(p, lot->records[j])[i];
        if (known_as[code] < 0) {
            known_as[code] = n;
            codes[n++] = code;
        }
        lane[j] = (uint32_t)known_as[code];
    }
    for (int32_t j = 0; j < n; j++)
        known_as[codes[j]] = -1;
    lot->n_codes[i] = n;
}

/* Whether a record of the groups may differ from another on the dimension. */
static bool varies(const kanon__patch *p, const int32_t *groups, int32_t n_groups, int i)
{
    uint32_t value = kanon__patch_rim(p, groups[0])[i], differ = 0;
    for (int32_t j = 0; j < n_groups; j++) {
        const uint32_t *rim = kanon__patch_rim(p, groups[j]);
        differ |= (rim[i] ^ value) | (rim[p->costs->n_dimensions + i] ^ value);
    }
    return differ != 0;
}

void kanon__lot_fill(kanon__lot *lot, const kanon__patch *p, const int32_t *groups, int32_t n_groups)
{
    const kanon__costs *c = p->costs;
    lot->n = 0;
    for (int32_t i = 0; i < n_groups; i++) {
        int32_t size = p->groups[groups[i]].size;
        memcpy(lot->records + lot->n, kanon__patch_members(p, groups[i]), (size_t)size * sizeof *lot->records);
        lot->n += size;
    }
    lot->n_numeric = lot->n_categorical = 0;
    for (int i = 0; i < c->n_dimensions; i++) {
        if (!varies(p, groups, n_groups, i))
            continue;
        if (i < c->n_numeric) {
            fill_numeric(lot, p, i);
            lot->numeric[lot->n_numeric++] = i;
        } else {
            fill_categorical(lot, p, i);
            lot->categorical[lot->n_categorical++] = i;
        }
    }
    for (int i = 0; i < KANON__LOT_ATTEMPTS; i++)
        free_all(&lot->attempts[i], lot, c);
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

static uint32_t category_units(const kanon__costs *c, int i, uint32_t lo, uint32_t hi, uint32_t code)
{
    lo = code < lo ? code : lo;
    hi = code > hi ? code : hi;
    if (i < c->n_numeric + c->n_tabled)
        return c->tables[i].units[(size_t)lo << c->tables[i].shift | hi];
    return kanon__dimension_climb(c->dimensions[i], lo, hi);
}

/* What each code costs in the box from lo to hi. */
static void set_table(const kanon__lot *lot, const kanon__costs *c, kanon__attempt *a, int dimension, uint32_t lo,
                      uint32_t hi)
{
    const uint32_t *codes = lot->codes + dimension * lot->stride;
    uint32_t *table = a->tables + dimension * lot->stride;
    for (int32_t i = 0; i < lot->n_codes[dimension]; i++)
        table[i] = category_units(c, dimension, lo, hi, codes[i]);
}

static void take(kanon__attempt *a, int32_t place)
{
    a->free[place >> 6] &= ~((uint64_t)1 << (place & 63));
    a->taken[a->n_taken++] = place;
}

static void start_rim(const kanon__lot *lot, const kanon__patch *p, int32_t place, uint32_t *rim)
{
    const uint32_t *record = kanon__patch_record(p, lot->records[place]);
    int m = p->costs->n_dimensions;
    for (int i = 0; i < m; i++)
        rim[i] = rim[m + i] = record[i];
}

static void begin_group(const kanon__lot *lot, const kanon__patch *p, kanon__attempt *a, int32_t seed, uint32_t *rim)
{
    start_rim(lot, p, seed, rim);
    take(a, seed);
    for (int i = 0; i < lot->n_numeric; i++)
        a->spans[i].lo = a->spans[i].hi = rim[lot->numeric[i]];
    for (int i = 0; i < lot->n_categorical; i++)
        set_table(lot, p->costs, a, lot->categorical[i], rim[lot->categorical[i]], rim[lot->categorical[i]]);
    lot->kernels->measure(a->base, lot->n, a->terms, lot->n_categorical);
}

/* The record at this place joins the growing group. */
static void add_member(const kanon__lot *lot, const kanon__patch *p, kanon__attempt *a, int32_t place, uint32_t *rim)
{
    int m = p->costs->n_dimensions;
    take(a, place);
    for (int i = 0; i < lot->n_numeric; i++) {
        kanon__span_term *t = &a->spans[i];
        uint32_t own = t->at[place];
        t->lo = own < t->lo ? own : t->lo;
        t->hi = own > t->hi ? own : t->hi;
    }
    bool wider = false;
    for (int i = 0; i < lot->n_categorical; i++) {
        int dimension = lot->categorical[i];
        uint32_t own = kanon__patch_record(p, lot->records[place])[dimension], *lo = &rim[dimension],
                 *hi = &rim[m + dimension];
        if (own >= *lo && own <= *hi)
            continue;
        *lo = own < *lo ? own : *lo;
        *hi = own > *hi ? own : *hi;
        set_table(lot, p->costs, a, dimension, *lo, *hi);
        wider = true;
    }
    if (wider)
        lot->kernels->measure(a->base, lot->n, a->terms, lot->n_categorical);
}

static void end_group(const kanon__lot *lot, const kanon__costs *c, const kanon__attempt *a, uint32_t *rim)
{
    for (int i = 0; i < lot->n_numeric; i++) {
        rim[lot->numeric[i]] = a->spans[i].lo;
        rim[c->n_dimensions + lot->numeric[i]] = a->spans[i].hi;
    }
}

void kanon__lot_grow(kanon__lot *lot, const kanon__patch *p, uint32_t attempts, int32_t group, const int32_t *seeds)
{
    const kanon__costs *c = p->costs;
    kanon__attempt *grown[KANON__LOT_ATTEMPTS];
    uint32_t *rims[KANON__LOT_ATTEMPTS];
    int32_t next[KANON__LOT_ATTEMPTS];
    int n = 0;
    for (int i = 0; i < KANON__LOT_ATTEMPTS; i++) {
        if (!(attempts >> i & 1))
            continue;
        grown[n] = &lot->attempts[i];
        rims[n] = grown[n]->rims + (int64_t)group * 2 * c->n_dimensions;
        grown[n]->units[group] = 0;
        begin_group(lot, p, grown[n], seeds[i], rims[n]);
        n++;
    }
    for (int64_t size = 1; size < p->k; size++) {
        for (int i = 0; i < n; i++)
            next[i] = (int32_t)lot->kernels->find_cheapest(&grown[i]->units[group], grown[i]->base, grown[i]->free, lot->n,
                                                           grown[i]->spans, lot->n_numeric);
        for (int i = 0; i < n; i++)
            add_member(lot, p, grown[i], next[i], rims[i]);
    }
    for (int i = 0; i < n; i++)
        end_group(lot, c, grown[i], rims[i]);
}

/* The rim on one dimension; `codes`: what the numbers in the lane stand for, NULL: themselves. */
static void enclose(uint32_t *rim, int m, int dimension, const uint32_t *lane, const uint32_t *codes, const int32_t *places,
                    int32_t n)
{
    uint32_t lo = rim[dimension], hi = lo;
    for (int32_t j = 1; j < n; j++) {
        uint32_t own = codes != NULL ? codes[lane[places[j]]] : lane[places[j]];
        lo = own < lo ? own : lo;
        hi = own > hi ? own : hi;
    }
    rim[dimension] = lo;
    rim[m + dimension] = hi;
}

void kanon__lot_take_rest(kanon__lot *lot, const kanon__patch *p, kanon__attempt *a, int32_t group)
{
    const kanon__costs *c = p->costs;
    uint32_t *rim = a->rims + (int64_t)group * 2 * c->n_dimensions;
    int32_t first = a->n_taken;
    for (int32_t place = 0; place < lot->n; place++)
        if (kanon__attempt_has(a, place))
            take(a, place);
    start_rim(lot, p, a->taken[first], rim);
    for (int i = 0; i < lot->n_numeric; i++)
        enclose(rim, c->n_dimensions, lot->numeric[i], lane_of(lot, lot->numeric[i]), NULL, a->taken + first,
                a->n_taken - first);
    for (int i = 0; i < lot->n_categorical; i++)
        enclose(rim, c->n_dimensions, lot->categorical[i], lane_of(lot, lot->categorical[i]),
                lot->codes + lot->categorical[i] * lot->stride, a->taken + first, a->n_taken - first);
    a->units[group] = kanon__costs_units(c, rim, NULL, NULL);
}
