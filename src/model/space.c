/* Builds the space: chooses the scale and tabulates the costs of each dimension.
 *
 *   1. The exact scale of a dimension is the least number of units to 1 that makes all its terms whole: the denominator of
 *      weight / parts, where a category has parts = height (or leaves) and a number range / step.
 *   2. The scale is the least common multiple of these, dimension by dimension, as long as sums of units fit; a dimension
 *      that does not fit is rounded. Then it is multiplied as far as fits, for finer rounding.
 *   3. A number's coordinate is its share of the range in units, rounded half up. A category gets units by taxonomy node,
 *      and by pair of codes where it has few leaves. */
#include "model/space.h"

#include "core/alloc.h"
#include "model/units.h"

/* Sums of units stay below 2^30, so that they fit 32 bits in every kernel. */
static const double MOST_UNITS = (double)(1 << 30);

/* The greatest common divisor of all parts of the column's terms; 0 where there is one only. */
static int64_t common_step(const kanon__domain *domain)
{
    int64_t step = 0;
    for (uint32_t i = 0; i < kanon__n_numbers(domain); i++)
        step = kanon__gcd(kanon__number_low(domain, i), step);
    for (uint32_t i = 0; domain->bands != NULL && i < kanon__n_numbers(domain); i++)
        step = kanon__gcd(kanon__number_high(domain, i), step);
    return step;
}

/* 1. Every term of the dimension is a whole number times weight / parts. 0: no such number is known. */
static int64_t parts_of(const kanon__domain *domain, kanon__terms terms)
{
    if (!kanon__type_is_numeric(domain->type))
        return kanon__term_whole(terms, domain);
    if (kanon__n_numbers(domain) < 2 && domain->bands == NULL)
        return 1;
    if (domain->scaled == NULL)
        return 0;
    int64_t step = common_step(domain);
    return step > 0 ? kanon__term_whole(terms, domain) / step : 1;
}

static kanon_status set_scale(kanon__space *s, kanon__terms terms, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__unit_term *items = NULL;
    KANON_TRY(kanon__new_array(&items, s->n_dimensions, "attributes", err), out);
    for (int i = 0; i < s->n_dimensions; i++) {
        const kanon__column *column = s->dimensions[i].column;
        items[i] = (kanon__unit_term){.weight = kanon__weight_parse(column->weight_text),
                                      .parts = parts_of(column->domain, terms)};
        items[i].weight.value = column->weight; /* as it was set; the text may have fewer digits */
    }
    s->scale = kanon__units_choose_scale(items, s->n_dimensions, MOST_UNITS);
    for (int i = 0; i < s->n_dimensions; i++) {
        s->dimensions[i].exact = items[i].exact;
        s->dimensions[i].full = kanon__units_full(&items[i].weight, s->scale);
    }
out:
    kanon__free(items);
    return st;
}

static kanon_status set_pairs(kanon__dimension *d, kanon_error *err);

/* 3. Without bands both ends are the value; a band of no missing number costs at least its width. */
static kanon_status set_coordinates(kanon__dimension *d, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__domain *domain = d->column->domain;
    int64_t whole = kanon__term_whole(d->terms, domain);
    KANON_TRY(kanon__new_array(&d->coordinates, d->n_codes, "coordinates", err), out);
    d->lows = d->highs = d->coordinates;
    if (domain->bands != NULL) {
        d->lows = d->highs = NULL;
        KANON_TRY(kanon__new_array(&d->lows, d->n_codes, "coordinates", err), out);
        KANON_TRY(kanon__new_array(&d->highs, d->n_codes, "coordinates", err), out);
    }
    for (uint32_t i = 0; i < kanon__n_numbers(domain); i++) {
        d->lows[i] = kanon__units_position(d->full, kanon__number_low(domain, i), whole);
        if (domain->bands == NULL)
            continue;
        d->highs[i] = kanon__units_position(d->full, kanon__number_high(domain, i), whole);
        d->coordinates[i] = d->lows[i] + (d->highs[i] - d->lows[i]) / 2;
    }
    if (domain->missing_code != KANON__NO_CODE) /* the last code */
        d->coordinates[d->n_codes - 1] = d->lows[d->n_codes - 1] = d->highs[d->n_codes - 1] = 2 * d->full;
    if (domain->bands != NULL)
        st = set_pairs(d, err);
out:
    return st;
}

/* The lca of some codes is the highest lca of two neighbours among them, and units never fall towards the root. So the units
 * of a run are the largest of two runs that cover it, each as long as a power of two. */
static uint32_t units_of_run(const kanon__dimension *d, uint32_t lo, uint32_t hi)
{
    uint32_t level = 31 - (uint32_t)__builtin_clz(hi - lo);
    const uint32_t *runs = d->step_units + (size_t)level * d->n_codes;
    uint32_t left = runs[lo], right = runs[hi - (1u << level)];
    return left > right ? left : right;
}

uint32_t kanon__dimension_climb(const kanon__dimension *d, uint32_t lo, uint32_t hi)
{
    if (d->step_units != NULL && lo < hi)
        return units_of_run(d, lo, hi);
    if (d->coordinates != NULL)
        return kanon__dimension_units(d, lo, hi);
    if (d->counted)
        return kanon__dimension_count_units(d, lo < hi ? 2 : 1);
    return d->node_units[kanon__taxonomy_lca(d->column->domain->taxonomy, (int32_t)lo, (int32_t)hi)];
}

uint32_t kanon__dimension_count_units(const kanon__dimension *d, uint32_t n_distinct)
{
    int64_t counted = n_distinct - (d->terms == KANON__TERMS_S_DIVERSITY);
    return kanon__units_part(d->full, counted, d->column->domain->taxonomy->n_leaves);
}

/* Both halves of the table, so that callers need not order the codes. */
static void set_pair_units(kanon__dimension *d)
{
    for (uint32_t lo = 0; lo < d->n_codes; lo++)
        for (uint32_t hi = lo; hi < d->n_codes; hi++) {
            uint32_t units = d->counted ? kanon__dimension_count_units(d, lo < hi ? 2 : 1)
                                        : kanon__dimension_climb(d, lo, hi);
            d->pair_units[(size_t)lo * d->n_codes + hi] = d->pair_units[(size_t)hi * d->n_codes + lo] = units;
        }
}

static kanon_status set_pairs(kanon__dimension *d, kanon_error *err)
{
    if (d->n_codes > KANON__PAIR_TABLE_LEAVES)
        return KANON_OK;
    kanon_status st = kanon__new_array(&d->pair_units, (int64_t)d->n_codes * d->n_codes, "taxonomy costs", err);
    if (st == KANON_OK)
        set_pair_units(d);
    return st;
}

/* Level by level: a run is two of half its length. */
static kanon_status set_steps(kanon__dimension *d, kanon_error *err)
{
    uint32_t n = d->n_codes, *steps = NULL;
    if (n <= KANON__PAIR_TABLE_LEAVES || n > KANON__STEP_TABLE_LEAVES || d->counted)
        return KANON_OK;
    uint32_t n_levels = 32 - (uint32_t)__builtin_clz(n);
    kanon_status st = kanon__new_array(&steps, (int64_t)n_levels * n, "taxonomy costs", err);
    if (st != KANON_OK)
        return st;
    for (uint32_t lo = 0; lo + 1 < n; lo++)
        steps[lo] = kanon__dimension_climb(d, lo, lo + 1);
    for (uint32_t level = 1; level < n_levels; level++) {
        const uint32_t *halves = steps + (size_t)(level - 1) * n;
        uint32_t half = 1u << (level - 1);
        for (uint32_t lo = 0; lo + 2 * half < n; lo++)
            steps[(size_t)level * n + lo] = halves[lo] > halves[lo + half] ? halves[lo] : halves[lo + half];
    }
    d->step_units = steps;
    return KANON_OK;
}

void kanon__dimension_update_pairs(kanon__dimension *d)
{
    if (d->pair_units != NULL)
        set_pair_units(d);
}

static kanon_status set_node_units(kanon__dimension *d, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__taxonomy *t = d->column->domain->taxonomy;
    KANON_TRY(kanon__new_array(&d->node_units, t->n_nodes, "taxonomy costs", err), out);
    int64_t whole = kanon__node_whole(d->terms, t);
    for (int32_t node = 0; node < t->n_nodes; node++)
        d->node_units[node] = kanon__units_part(d->full, kanon__node_part(d->terms, t, node), whole);
    d->counted = d->terms != KANON__TERMS_LOSS && t->flat;
    KANON_TRY(set_pairs(d, err), out);
    KANON_TRY(set_steps(d, err), out);
out:
    return st;
}

static kanon_status set_costs(kanon__dimension *d, kanon_error *err)
{
    return kanon__column_is_numeric(d->column) ? set_coordinates(d, err) : set_node_units(d, err);
}

kanon_status kanon__space_new(kanon__space **out, const kanon__data *table, const int *columns, int n_columns,
                              kanon__terms terms, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__space *s = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "attributes", err), out);
    KANON_TRY(kanon__new_array(&s->dimensions, n_columns, "attributes", err), out);
    s->n_rows = table->n_rows;
    s->n_dimensions = n_columns;
    for (int i = 0; i < s->n_dimensions; i++) {
        const kanon__column *column = &table->columns[columns[i]];
        s->dimensions[i] = (kanon__dimension){
            .column = column, .codes = column->codes, .n_codes = column->domain->n_codes, .terms = terms};
    }
    KANON_TRY(set_scale(s, terms, err), out);
    for (int i = 0; i < s->n_dimensions; i++)
        KANON_TRY(set_costs(&s->dimensions[i], err), out);
    *out = s;
    s = NULL;
out:
    kanon__space_free(s);
    return st;
}

void kanon__space_free(kanon__space *s)
{
    if (s == NULL)
        return;
    for (int i = 0; s->dimensions != NULL && i < s->n_dimensions; i++) {
        kanon__free(s->dimensions[i].step_units);
        kanon__free(s->dimensions[i].pair_units);
        kanon__free(s->dimensions[i].node_units);
        if (s->dimensions[i].highs != s->dimensions[i].coordinates) {
            kanon__free(s->dimensions[i].highs);
            kanon__free(s->dimensions[i].lows);
        }
        kanon__free(s->dimensions[i].coordinates);
    }
    kanon__free(s->dimensions);
    kanon__free(s);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

void kanon__box_start(const kanon__space *s, kanon__bound *box, int64_t row)
{
    for (int i = 0; i < s->n_dimensions; i++)
        box[2 * i] = box[2 * i + 1] = kanon__code_at(s->dimensions[i].codes, row);
}

void kanon__box_add(const kanon__space *s, kanon__bound *box, int64_t row)
{
    for (int i = 0; i < s->n_dimensions; i++) {
        uint32_t code = kanon__code_at(s->dimensions[i].codes, row);
        if (code < box[2 * i])
            box[2 * i] = code;
        if (code > box[2 * i + 1])
            box[2 * i + 1] = code;
    }
}

void kanon__box_join(const kanon__space *s, kanon__bound *box, const kanon__bound *other)
{
    for (int i = 0; i < s->n_dimensions; i++) {
        if (other[2 * i] < box[2 * i])
            box[2 * i] = other[2 * i];
        if (other[2 * i + 1] > box[2 * i + 1])
            box[2 * i + 1] = other[2 * i + 1];
    }
}

uint32_t kanon__box_units(const kanon__space *s, const kanon__bound *box)
{
    uint32_t units = 0;
    for (int i = 0; i < s->n_dimensions; i++)
        units += kanon__dimension_units(&s->dimensions[i], box[2 * i], box[2 * i + 1]);
    return units;
}

uint32_t kanon__box_units_with(const kanon__space *s, const kanon__bound *box, int64_t row)
{
    uint32_t units = 0;
    for (int i = 0; i < s->n_dimensions; i++) {
        uint32_t code = kanon__code_at(s->dimensions[i].codes, row), lo = box[2 * i], hi = box[2 * i + 1];
        units += kanon__dimension_units(&s->dimensions[i], code < lo ? code : lo, code > hi ? code : hi);
    }
    return units;
}

uint32_t kanon__pair_units(const kanon__space *s, int64_t left, int64_t right)
{
    uint32_t units = 0;
    for (int i = 0; i < s->n_dimensions; i++) {
        uint32_t a = kanon__code_at(s->dimensions[i].codes, left), b = kanon__code_at(s->dimensions[i].codes, right);
        units += kanon__dimension_units(&s->dimensions[i], a < b ? a : b, a < b ? b : a);
    }
    return units;
}
