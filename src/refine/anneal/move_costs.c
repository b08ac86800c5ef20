/* Sets up the layout of move_costs.h: sorts the dimensions by kind and copies the pair costs of the space into tables with
 * rows of a power of two. The copy costs memory once (kanon__move_costs_need) and saves a multiplication in each lookup.
 *
 * Called once per search by anneal_search.c. Calls model/space.h. */
#include "refine/anneal/move_costs.h"

#include "core/alloc.h"

/* In the order of the layout. */
enum { NUMERIC, TABLED, CLIMBING, N_KINDS };

static int kind_of(const kanon__dimension *d)
{
    return kanon__dimension_is_line(d) ? NUMERIC : d->pair_units != NULL ? TABLED : CLIMBING;
}

static void order_dimensions(kanon__move_costs *c, const kanon__space *space)
{
    int n = 0;
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int i = 0; i < space->n_dimensions; i++) {
            if (kind_of(&space->dimensions[i]) != kind)
                continue;
            c->dimensions[n] = &space->dimensions[i];
            c->full[n] = space->dimensions[i].full;
            c->sources[n++] = i;
            c->n_numeric += kind == NUMERIC;
            c->n_tabled += kind == TABLED;
        }
}

/* The least b with n_codes <= 2^b. */
static int bits_for(uint32_t n_codes)
{
    int bits = 0;
    while (n_codes > 1u << bits)
        bits++;
    return bits;
}

/* Only entries with lo <= hi are set: no caller asks for others. */
static kanon_status fill_tables(kanon__move_costs *c, kanon_error *err)
{
    int64_t n = 0;
    int end = c->n_numeric + c->n_tabled;
    for (int i = c->n_numeric; i < end; i++)
        n += (int64_t)1 << 2 * bits_for(c->dimensions[i]->n_codes);
    kanon_status st = kanon__new_array(&c->table_units, n, "taxonomy costs", err);
    if (st != KANON_OK)
        return st;
    uint32_t *next = c->table_units;
    for (int i = c->n_numeric; i < end; i++) {
        const kanon__dimension *d = c->dimensions[i];
        int shift = bits_for(d->n_codes);
        c->tables[i] = (kanon__pair_costs){next, shift};
        for (uint32_t lo = 0; lo < d->n_codes; lo++)
            for (uint32_t hi = lo; hi < d->n_codes; hi++)
                next[(size_t)lo << shift | hi] = kanon__dimension_units(d, lo, hi);
        next += (size_t)1 << 2 * shift;
    }
    return KANON_OK;
}

int64_t kanon__move_costs_need(const kanon__data *t)
{
    int64_t n = 0;
    for (int i = 0; i < t->n_quasi; i++) {
        const kanon__column *c = &t->columns[t->quasi[i]];
        if ((c->domain->taxonomy != NULL || c->domain->bands != NULL) && c->domain->n_codes <= KANON__PAIR_TABLE_LEAVES)
            n += (int64_t)1 << 2 * bits_for(c->domain->n_codes);
    }
    return n * (int64_t)sizeof(uint32_t);
}

kanon_status kanon__move_costs_new(kanon__move_costs **out, const kanon__space *space, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__move_costs *c = NULL;
    int m = space->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "costs", err), out);
    c->n_dimensions = m;
    KANON_TRY(kanon__new_array(&c->dimensions, m, "costs", err), out);
    KANON_TRY(kanon__new_array(&c->sources, m, "costs", err), out);
    KANON_TRY(kanon__new_array(&c->full, m, "costs", err), out);
    KANON_TRY(kanon__new_array(&c->tables, m, "costs", err), out);
    order_dimensions(c, space);
    KANON_TRY(fill_tables(c, err), out);
    *out = c;
    c = NULL;
out:
    kanon__move_costs_free(c);
    return st;
}

void kanon__move_costs_free(kanon__move_costs *c)
{
    if (c == NULL)
        return;
    kanon__free(c->table_units);
    kanon__free(c->tables);
    kanon__free(c->full);
    kanon__free(c->sources);
    kanon__free(c->dimensions);
    kanon__free(c);
}

void kanon__move_costs_coordinates(const kanon__move_costs *c, const uint32_t *codes, uint32_t *out)
{
    for (int i = 0; i < c->n_dimensions; i++) {
        uint32_t code = codes[c->sources[i]];
        out[i] = i < c->n_numeric ? c->dimensions[i]->coordinates[code] : code;
    }
}
