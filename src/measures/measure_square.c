/* Square error: Rashidy eq. 4. In two passes over a group, mean first, which loses no digits to cancellation.
 * Called through evaluate.c; calls measure.h and the taxonomy. */
#include "measures/measure.h"

#include "core/alloc.h"
#include "model/terms.h"

/* The mean is taken from the group's least value, so that equal values have an error of exactly 0. Of a value in a band only
 * the middle of the band is known. */
static double numeric_error(const kanon__subject *s, const kanon__column *c, int64_t group, const uint32_t extent[2])
{
    uint32_t lo = extent[0], n_numbers = kanon__n_numbers(c->domain);
    if (lo == extent[1])
        return 0;
    double range = kanon__domain_high(c->domain, n_numbers - 1) - c->domain->values[0];
    double base = kanon__domain_middle(c->domain, lo), sum = 0, error = 0;
    int64_t n_present = 0;
    for (int64_t place = s->begins[group]; place < s->begins[group + 1]; place++) {
        uint32_t code = kanon__code_at(c->codes, s->members[place]);
        if (code == c->domain->missing_code) {
            error += 1;
            continue;
        }
        sum += kanon__domain_middle(c->domain, code) - base;
        n_present++;
    }
    for (int64_t place = s->begins[group]; range > 0 && place < s->begins[group + 1]; place++) {
        uint32_t code = kanon__code_at(c->codes, s->members[place]);
        if (code == c->domain->missing_code)
            continue;
        double distance = (kanon__domain_middle(c->domain, code) - base - sum / (double)n_present) / range;
        error += distance * distance;
    }
    return error;
}

/* The lca is above every value of its group, so the distance of each value is the height of the lca. */
static double categorical_error(const kanon__subject *s, const kanon__column *c, int64_t group, const uint32_t extent[2])
{
    double distance = (double)kanon__term_part(KANON__TERMS_LOSS, c->domain, extent[0], extent[1]) /
                      (double)kanon__term_whole(KANON__TERMS_LOSS, c->domain);
    return (double)s->grouping->sizes[group] * distance * distance;
}

static kanon_status square_error(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    *out = 0;
    for (int a = 0; a < s->table->n_quasi; a++) {
        const kanon__column *c = kanon__subject_quasi(s, a);
        uint32_t *extents = NULL;
        double error = 0;
        kanon_status st = kanon__grouping_extents(&extents, s->grouping, c, err);
        if (st != KANON_OK)
            return st;
        for (int64_t group = 0; group < s->grouping->n_groups; group++)
            error += (kanon__column_is_numeric(c) ? numeric_error : categorical_error)(s, c, group, extents + 2 * group);
        kanon__free(extents);
        *out += c->weight * error;
    }
    return KANON_OK;
}

const kanon__measure kanon__measure_square_error = {
    KANON__MEASURE_INFO(square_error, TABLE,
                        "sum over records in groups and quasi attributes of the squared distance to the group's centroid: "
                        "|value - mean| / R or h(lca) / H; a missing number among others is at distance 1"),
    .compute = square_error,
};
