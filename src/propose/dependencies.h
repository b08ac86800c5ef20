/* Functional dependencies: columns that say what others say already.
 *
 * A column determines another one if all records with one value of the first have one value of the second: a postcode
 * and its town. Two columns that determine each other say the same: education and education-num. By chance alone a
 * column with many values determines one with few; so it counts only where independent columns would disagree in many
 * pairs of records. */
#ifndef KANON_PROPOSE_DEPENDENCIES_H
#define KANON_PROPOSE_DEPENDENCIES_H

#include "propose/column_facts.h"

/* Whether `from` determines `to`, by more than chance. The rows that count for chance are `rows`, `n` of them: one of each
 * person, because the records of one person agree in more than chance. NULL: all. */
kanon_status kanon__column_determines(bool *out, const kanon__column_facts *from, const kanon__column_facts *to,
                                      const int32_t *rows, int64_t n, kanon_error *err);

/* Whether `to` stays the same in nearly all records of one value of `from`: it may differ in one of fifty rows, and in a
 * tenth of those in which it would differ if its values were dealt out anew. Rows without a value do not count. */
kanon_status kanon__column_stays(bool *out, const kanon__column_facts *from, const kanon__column_facts *to,
                                 kanon_error *err);

#endif
