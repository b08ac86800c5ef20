/* How a quasi-identifier is to be generalised: masks of codes, bands of numbers and dates. */
#ifndef KANON_PROPOSE_COARSENING_H
#define KANON_PROPOSE_COARSENING_H

#include "propose/roles.h"

/* Whether the values are codes that are masked from the right: by their kind, because they look like codes, or because
 * numbers stand for many categories. */
bool kanon__coarsening_masks(const kanon__column_facts *facts, kanon__kind kind, kanon_type type);
/* Set the bands of a numeric quasi-identifier: none where it has few values. */
void kanon__coarsening_bands(kanon__decision *decision, const kanon__column_facts *facts);

#endif
