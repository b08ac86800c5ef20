#include "model/space.h"

#include "core/alloc.h"
#include "model/units.h"

#include <math.h>

/* Sums of units stay below 2^30, so that they fit 32 bits in every kernel. */
static const double MOST_UNITS = (double)(1 << 30);

static uint32_t n_numbers(const kanon__column *column)
{
    return column->n_codes - (column->missing_code != KANON__NO_CODE);
}

/* The largest step of which every difference of the column's values is a multiple; 0 where there are no two values. */
static int64_t common_step(const kanon__column *column)
{
    int64_t step = 0;
    for (uint32_t i = 1; i < n_numbers(column); i++)
        step = kanon__gcd(column->scaled[i] - column->scaled[i - 1], step);
    return step;
}

/* A term of this dimension is a whole number times weight / parts. 0: no such number is known. */
static int64_t parts_of(const kanon__column *column, kanon__terms terms)
{
    if (!kanon__column_is_numeric(column))
        return terms != KANON__TERMS_LOSS        ? column->taxonomy->n_leaves
               : column->taxonomy->height[0] > 0 ? column->taxonomy->height[0]
                                                 : 1;
    uint32_t n = n_numbers(column);
    if (n < 2)
        return 1;
    return column->scaled != NULL ? (column->scaled[n - 1] - column->scaled[0]) / common_step(column) : 0;
}

static kanon_status set_scale(kanon__space *s, kanon__terms terms, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__term *items = NULL;
    KANON_TRY(kanon__new_array(&items, s->n_dimensions, "attributes", err), out);
    for (int i = 0; i < s->n_dimensions; i++) {
        const kanon__column *column = s->dimensions[i].column;
        items[i] = (kanon__term){.weight = kanon__weight_parse(column->weight_text), .parts = parts_of(column, terms)};
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

static kanon_status set_positions(kanon__dimension *d, kanon_error *err)
{
    kanon_status st = kanon__new_array(&d->position, d->n_codes, "positions", err);
    if (st != KANON_OK)
        return st;
    const kanon__column *c = d->column;
    uint32_t n = n_numbers(c);
    double range = n > 0 ? c->values[n - 1] - c->values[0] : 0;
    int64_t whole_range = n > 1 && c->scaled != NULL ? c->scaled[n - 1] - c->scaled[0] : 0;
    for (uint32_t i = 1; i < n; i++) {
        if (whole_range > 0)
            d->position[i] = kanon__units_position(d->full, c->scaled[i] - c->scaled[0], whole_range);
        else if (isfinite(range))
            d->position[i] = (uint32_t)floor((c->values[i] - c->values[0]) / range * d->full + 0.5);
        else /* the ends lie further apart than a double can tell */
            d->position[i] = (uint32_t)floor(
                (c->values[i] / 2 - c->values[0] / 2) / (c->values[n - 1] / 2 - c->values[0] / 2) * d->full + 0.5);
    }
    if (c->missing_code != KANON__NO_CODE)
        d->position[c->missing_code] = 2 * d->full;
    return KANON_OK;
}

uint32_t kanon__dimension_climb(const kanon__dimension *d, uint32_t lo, uint32_t hi)
{
    if (d->counted)
        return kanon__dimension_count_units(d, lo < hi ? 2 : 1);
    return d->node_units[kanon__taxonomy_lca(d->column->taxonomy, (int32_t)lo, (int32_t)hi)];
}

uint32_t kanon__dimension_count_units(const kanon__dimension *d, uint32_t n_distinct)
{
    int64_t counted = n_distinct - (d->terms == KANON__TERMS_SECRETS);
    return kanon__units_part(d->full, counted, d->column->taxonomy->n_leaves);
}

static uint32_t units_of_node(const kanon__dimension *d, int32_t node)
{
    const kanon__taxonomy *t = d->column->taxonomy;
    int64_t n_leaves = t->last_leaf[node] - t->first_leaf[node] + 1;
    if (d->terms == KANON__TERMS_LOSS)
        return t->height[0] > 0 ? kanon__units_part(d->full, t->height[node], t->height[0]) : 0;
    return kanon__units_part(d->full, n_leaves - (d->terms == KANON__TERMS_SECRETS), t->n_leaves);
}

static void set_pair_units(kanon__dimension *d)
{
    for (uint32_t lo = 0; lo < d->n_codes; lo++)
        for (uint32_t hi = lo; hi < d->n_codes; hi++) {
            uint32_t units = d->counted ? kanon__dimension_count_units(d, lo < hi ? 2 : 1)
                                        : kanon__dimension_climb(d, lo, hi);
            d->pair_units[(size_t)lo * d->n_codes + hi] = d->pair_units[(size_t)hi * d->n_codes + lo] = units;
        }
}

static kanon_status set_node_units(kanon__dimension *d, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__taxonomy *t = d->column->taxonomy;
    KANON_TRY(kanon__new_array(&d->node_units, t->n_nodes, "taxonomy costs", err), out);
    for (int32_t node = 0; node < t->n_nodes; node++)
        d->node_units[node] = units_of_node(d, node);
    d->counted = d->terms != KANON__TERMS_LOSS && t->flat;
    if (d->n_codes > KANON__PAIR_TABLE_LEAVES)
        goto out;
    KANON_TRY(kanon__new_array(&d->pair_units, (int64_t)d->n_codes * d->n_codes, "taxonomy costs", err), out);
    set_pair_units(d);
out:
    return st;
}

kanon_status kanon__space_new(kanon__space **out, const kanon_table *table, const int *columns, int n_columns,
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
            .column = column, .codes = column->codes, .n_codes = column->n_codes, .terms = terms};
    }
    KANON_TRY(set_scale(s, terms, err), out);
    for (int i = 0; i < s->n_dimensions; i++) {
        kanon__dimension *d = &s->dimensions[i];
        KANON_TRY(kanon__column_is_numeric(d->column) ? set_positions(d, err) : set_node_units(d, err), out);
    }
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
        kanon__free(s->dimensions[i].pair_units);
        kanon__free(s->dimensions[i].node_units);
        kanon__free(s->dimensions[i].position);
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
