/* Builds the space of a state, measures it, and converts codes to coordinates and shares to units. The ideas are in the
 * header.
 *
 * The order of a change: ranges are set (records.c, or kanon__current_space_widen), then kanon__current_space_measure
 * chooses the scale, sets the units of all attributes, lowers the worth of shares and begins a new epoch. */
#include "state/store/current_space.h"

#include "core/alloc.h"
#include "table/schema/tree_internal.h"

/* Sums of units stay below 2^30: twice the full cost, the coordinate of a missing number, fits 32 bits. */
static const double MOST_UNITS = (double)((1 << 30) - 1);

/* ---- building ---------------------------------------------------------------------------------------------------- */

static void clear_taxonomy(kanon__current_dimension *d)
{
    kanon__free(d->node_units);
    kanon__free(d->leaf_of);
    kanon__taxonomy_free(d->taxonomy);
    d->node_units = d->leaf_of = NULL;
    d->taxonomy = NULL;
}

/* A tree has nodes in the order in which they came, a taxonomy in depth-first order: leaf_of leads from one to the other. */
static kanon_status set_taxonomy(kanon__current_dimension *d, const kanon__state_column *c, kanon_error *err)
{
    clear_taxonomy(d);
    KANON_CHECK(kanon__taxonomy_from_tree(&d->taxonomy, c->tree, NULL, 0, err));
    KANON_CHECK(kanon__new_array(&d->leaf_of, c->tree->n_nodes, "tree nodes", err));
    KANON_CHECK(kanon__new_array(&d->node_units, c->tree->n_nodes, "tree nodes", err));
    for (int32_t node = 0; node < c->tree->n_nodes; node++) {
        size_t length;
        const char *label = kanon__tree_label(c->tree, node, &length);
        d->leaf_of[node] = kanon__taxonomy_leaf(d->taxonomy, label, length);
    }
    d->n_tree_nodes = c->tree->n_nodes;
    return KANON_OK;
}

/* The rule in the scale of the column's codes, which has all digits of its ends. */
static kanon_status set_bands(kanon__current_dimension *d, const kanon__state_column *c, kanon_error *err)
{
    kanon_status st = kanon__band_rule_new(&d->rule, c->bands[0], c->bands[1], c->bands[2], c->type, c->name, err);
    if (st == KANON_OK && (kanon__band_rule_scale(d->rule) > c->scale || !kanon__band_rule_rescale(d->rule, c->scale)))
        st = kanon__fail(err, KANON_EDATA, "%s: the ends of the bands have too many digits", c->name);
    return st;
}

kanon_status kanon__current_space_new(kanon__current_space **out, const kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__current_space *space = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&space, 1, "attributes", err), out);
    KANON_TRY(kanon__new_array(&space->dimensions, s->n_dimensions, "attributes", err), out);
    space->n = s->n_dimensions;
    KANON_TRY(kanon__new_array(&space->terms, s->n_dimensions, "attributes", err), out);
    space->worth = s->worth;
    for (int i = 0; i < space->n; i++) {
        kanon__current_dimension *d = &space->dimensions[i];
        const kanon__state_column *c = &s->columns[s->dimensions[i]];
        d->weight = kanon__weight_parse(c->weight_text);
        d->numeric = kanon__state_numeric(c);
        d->n_levels = c->order.n;
        d->lo = d->low = 1;
        if (kanon__state_has_bands(c))
            KANON_TRY(set_bands(d, c, err), out);
        if (!d->numeric)
            KANON_TRY(set_taxonomy(d, c, err), out);
    }
    *out = space;
    space = NULL;
out:
    kanon__current_space_free(space);
    return st;
}

void kanon__current_space_free(kanon__current_space *space)
{
    if (space == NULL)
        return;
    for (int i = 0; space->dimensions != NULL && i < space->n; i++) {
        kanon__band_rule_free(space->dimensions[i].rule);
        clear_taxonomy(&space->dimensions[i]);
    }
    kanon__free(space->terms);
    kanon__free(space->dimensions);
    kanon__free(space);
}

kanon_status kanon__current_space_update_trees(kanon__current_space *space, const kanon_state *s, kanon_error *err)
{
    for (int i = 0; i < space->n; i++) {
        const kanon__state_column *c = &s->columns[s->dimensions[i]];
        kanon__current_dimension *d = &space->dimensions[i];
        if (d->numeric || d->n_tree_nodes == c->tree->n_nodes)
            continue;
        space->measured = false;
        KANON_CHECK(set_taxonomy(d, c, err));
    }
    return KANON_OK;
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

static int64_t range_of(const kanon__current_dimension *d)
{
    return d->low < d->high ? d->high - d->low : 0;
}

/* The end of the band of a code; that of an open one is the extreme of all records. */
static int64_t end_of(const kanon__current_dimension *d, int64_t code, bool upper)
{
    kanon__band band;
    if (d->rule == NULL || !kanon__code_fits(code) || !kanon__band_of(d->rule, code, &band))
        return code;
    if (upper)
        return band.open_above ? d->hi : band.high;
    return band.open_below ? d->lo : band.low;
}

/* A damaged file may have codes that do not fit, which have no band. */
static void set_range(kanon__current_dimension *d)
{
    bool good = d->lo <= d->hi && kanon__code_fits(d->lo) && kanon__code_fits(d->hi);
    if (d->n_levels > 0) { /* used or not */
        d->low = 0;
        d->high = (int64_t)d->n_levels - 1;
        return;
    }
    d->low = good ? end_of(d, d->lo, false) : d->lo;
    d->high = good ? end_of(d, d->hi, true) : d->hi;
}

/* In contrast to model/space.c a range counts as it is, not in steps of the values that occur: records come and go. */
static int64_t choose_scale(kanon__current_space *space)
{
    for (int i = 0; i < space->n; i++) {
        const kanon__current_dimension *d = &space->dimensions[i];
        int64_t parts = d->numeric ? range_of(d) : kanon__node_whole(KANON__TERMS_LOSS, d->taxonomy);
        space->terms[i] = (kanon__unit_term){.weight = d->weight, .parts = parts > 0 ? parts : 1};
    }
    return kanon__units_choose_scale(space->terms, space->n, MOST_UNITS);
}

static void set_units(kanon__current_dimension *d, int64_t scale)
{
    int64_t range = range_of(d);
    d->full = (int32_t)kanon__units_full(&d->weight, scale);
    d->step = d->numeric && range > 0 && d->full % range == 0 ? d->full / range : 0;
    if (d->numeric)
        return;
    const kanon__taxonomy *t = d->taxonomy;
    for (int32_t node = 0; node < t->n_nodes; node++)
        d->node_units[node] = kanon__height_units(d, kanon__node_part(KANON__TERMS_LOSS, t, node));
}

static const double SHARE_ONE = (double)(1 << 24);
static const int64_t WORTH_LEAST = 1 << 20; /* below it shares are of no use */

/* What shares are worth now that ranges and trees are as wide as they are: the worst attribute counts. */
static int64_t devalue(kanon__current_space *space)
{
    int64_t worth = space->worth;
    for (int i = 0; i < space->n; i++) {
        kanon__current_dimension *d = &space->dimensions[i];
        int64_t extent = d->numeric ? range_of(d) : d->taxonomy->height[0];
        if (d->extent > 0 && extent > d->extent) {
            int64_t left = (int64_t)((__int128)space->worth * d->extent / extent);
            worth = left < worth ? left : worth;
        }
        d->extent = extent;
    }
    return worth;
}

static double full_cost(const kanon__current_space *space)
{
    double full = 0;
    for (int i = 0; i < space->n; i++)
        full += space->dimensions[i].full;
    return full > 1 ? full : 1;
}

static void set_worth(kanon__current_space *space, int64_t worth)
{
    for (int i = 0; i < space->n; i++)
        if (space->dimensions[i].rule != NULL && kanon__band_rule_widest(space->dimensions[i].rule) == INT64_MAX)
            worth = 0;
    space->worth = worth < WORTH_LEAST ? 0 : worth;
    space->in_units = full_cost(space) / SHARE_ONE * ((double)space->worth / (double)KANON__WORTH_FULL);
}

void kanon__shares_reset(kanon__current_space *space)
{
    set_worth(space, KANON__WORTH_FULL);
}

void kanon__current_space_measure(kanon__current_space *space)
{
    for (int i = 0; i < space->n; i++)
        set_range(&space->dimensions[i]);
    int64_t scale = choose_scale(space);
    for (int i = 0; i < space->n; i++)
        set_units(&space->dimensions[i], scale);
    set_worth(space, devalue(space));
    space->epoch++;
    space->measured = true;
}

int64_t kanon__share_of(const kanon__current_space *space, int64_t units)
{
    return space->worth > 0 ? (int64_t)((double)units / space->in_units) : 0;
}

/* A lower bound: positions and full costs are rounded, so up to four units per attribute are taken off. A damaged file may
 * have any share; what comes out can still be added to the units of a box without overflow. */
int32_t kanon__share_units(const kanon__current_space *space, int64_t share)
{
    int64_t units = (int64_t)((double)share * space->in_units * (1 - 1e-9)) - 4 * (int64_t)space->n - 1;
    return units < 0 ? 0 : units > (int64_t)MOST_UNITS ? (int32_t)MOST_UNITS : (int32_t)units;
}

bool kanon__current_space_widen(kanon__current_space *space, const int64_t *codes)
{
    bool wider = false;
    for (int i = 0; i < space->n; i++) {
        kanon__current_dimension *d = &space->dimensions[i];
        int64_t code = codes[i];
        if (!d->numeric || code == KANON__NULL_CODE || (d->lo <= code && code <= d->hi))
            continue;
        bool empty = d->lo > d->hi;
        d->lo = empty || code < d->lo ? code : d->lo;
        d->hi = empty || code > d->hi ? code : d->hi;
        wider = true;
    }
    return wider;
}

bool kanon__code_is_known(const kanon__current_dimension *d, int64_t code)
{
    if (d->numeric)
        return code == KANON__NULL_CODE || (d->lo <= code && code <= d->hi);
    return kanon__category_is_known(d, code);
}

/* The coordinate of a number in the range. */
static int32_t position_of(const kanon__current_dimension *d, int64_t number)
{
    if (d->step > 0)
        return (int32_t)((number - d->low) * d->step);
    int64_t range = range_of(d);
    return range > 0 ? (int32_t)kanon__units_position((uint32_t)d->full, number - d->low, range) : 0;
}

/* The coordinate of an end of a band. In a damaged file it may lie outside of the range. */
static int32_t position_of_end(const kanon__current_dimension *d, int64_t code, bool upper)
{
    int64_t end = end_of(d, code, upper);
    return position_of(d, end < d->low ? d->low : end > d->high ? d->high : end);
}

int32_t kanon__coordinate_of(const kanon__current_dimension *d, int64_t code)
{
    if (!d->numeric)
        return d->leaf_of[code];
    if (code == KANON__NULL_CODE)
        return 2 * d->full;
    return d->rule != NULL ? position_of_end(d, code, false) : position_of(d, code);
}

int32_t kanon__coordinate_high(const kanon__current_dimension *d, int64_t code)
{
    if (d->rule == NULL || code == KANON__NULL_CODE)
        return kanon__coordinate_of(d, code);
    return position_of_end(d, code, true);
}

int32_t kanon__coordinates_units(const kanon__current_dimension *d, int32_t lo, int32_t hi)
{
    if (!d->numeric)
        return d->node_units[kanon__taxonomy_lca(d->taxonomy, lo, hi)];
    return hi - lo < d->full ? hi - lo : d->full;
}

int32_t kanon__coordinates_height(const kanon__current_dimension *d, int32_t lo, int32_t hi)
{
    return (int32_t)kanon__node_part(KANON__TERMS_LOSS, d->taxonomy, kanon__taxonomy_lca(d->taxonomy, lo, hi));
}
