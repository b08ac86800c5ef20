/* The exact terms of the loss; see terms.h. */
#include "model/terms.h"

#include <math.h>

int64_t kanon__part_of_double(double share)
{
    return llround(ldexp(share, 60));
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

uint32_t kanon__n_numbers(const kanon__domain *d)
{
    return d->n_codes - (d->missing_code != KANON__NO_CODE);
}

/* Of doubles; their range may overflow, and halves may lose the last bit. */
static int64_t double_part(const kanon__domain *d, uint32_t lo, uint32_t hi)
{
    double least = d->values[0], most = d->values[kanon__n_numbers(d) - 1];
    if (!(most > least))
        return 0;
    if (isfinite(most - least))
        return kanon__part_of_double((d->values[hi] - d->values[lo]) / (most - least));
    return kanon__part_of_double((d->values[hi] / 2 - d->values[lo] / 2) / (most / 2 - least / 2));
}

int64_t kanon__number_low(const kanon__domain *d, uint32_t code)
{
    return d->scaled != NULL ? d->scaled[code] - d->scaled[0] : double_part(d, 0, code);
}

int64_t kanon__number_high(const kanon__domain *d, uint32_t code)
{
    return d->scaled != NULL ? kanon__domain_scaled_high(d, code) - d->scaled[0] : double_part(d, 0, code);
}

static int64_t number_whole(const kanon__domain *d)
{
    uint32_t n = kanon__n_numbers(d);
    if (d->scaled == NULL)
        return KANON__WHOLE_OF_DOUBLES;
    int64_t range = n > 0 ? kanon__number_high(d, n - 1) : 0;
    return range > 0 ? range : 1;
}

static int64_t number_part(const kanon__domain *d, uint32_t lo, uint32_t hi)
{
    if (hi == d->missing_code)
        return lo == hi ? 0 : number_whole(d);
    return d->scaled != NULL ? kanon__domain_scaled_high(d, hi) - d->scaled[lo] : double_part(d, lo, hi);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

int64_t kanon__term_whole(kanon__terms terms, const kanon__domain *d)
{
    return kanon__type_is_numeric(d->type) ? number_whole(d) : kanon__node_whole(terms, d->taxonomy);
}

int64_t kanon__term_part(kanon__terms terms, const kanon__domain *d, uint32_t lo, uint32_t hi)
{
    if (kanon__type_is_numeric(d->type))
        return number_part(d, lo, hi);
    return kanon__node_part(terms, d->taxonomy, kanon__taxonomy_lca(d->taxonomy, (int32_t)lo, (int32_t)hi));
}
