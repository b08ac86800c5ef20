/* The measures linkage_quasi, linkage_all and inference_found: what an attacker gets who knows a person's original values
 * in some columns and takes the tightest released region that covers them.
 *
 *     known columns   the quasi ones (linkage_quasi); also every column that is released as it is, but for permuted ones and
 *                     the one that is asked for (linkage_all)
 *     candidates      released rows whose regions cover what is known of the quasi columns, and whose other known cells
 *                     are equal
 *     tightest        those of them whose region costs least: the sum of the terms of the loss, in units
 *     success         the share of the tightest rows that are the person's
 *     guess           from the values of the tightest rows; of a permuted column from those of their whole classes, as the
 *                     place of a cell inside its class is drawn
 *
 * A cell of missing values, alone or next to others, is a region that covers all. Records that are not in the release are
 * never found. Needs the originals, so it is for those who have them. */
#ifndef KANON_MEASURES_LINKAGE_H
#define KANON_MEASURES_LINKAGE_H

#include "core/ticker.h"
#include "measures/row_numbers.h"
#include "model/grouping.h"

typedef struct kanon__linkage {
    double quasi, all;    /* the mean success: over records or, with entities, persons; NAN: there are none */
    double error;         /* the larger of their standard errors; 0: all records were asked */
    double *found, *gain; /* by sensitive attribute: inference_found, and over the best guess without groups */
} kanon__linkage;

/* Of a release of the groups. `insensitive`: the rows' numbers by the insensitive columns that are not permuted. About so
 * many records times classes are looked at, and so many rows counted; where it would be more, a sample is drawn, of
 * KANON__LINKAGE_SAMPLE records at least. */
#define KANON__LINKAGE_WORK (INT64_C(1) << 31)
enum { KANON__LINKAGE_SAMPLE = 1000, KANON__LINKAGE_STREAM = 38 };
kanon_status kanon__linkage_find(kanon__linkage *out, const kanon_table *table, const kanon_grouping *grouping,
                                 const kanon__row_numbers *insensitive, int64_t most_work, kanon__ticker *ticker,
                                 kanon_error *err);
void kanon__linkage_clear(kanon__linkage *found);

/* The rows of a release, whoever made it: each is that of one record. */
typedef struct kanon__linked_rows {
    const int32_t *class_of; /* by record: the class of its row; negative: it has none */
    int64_t n_classes;       /* rows of a class have the same quasi cells */
    const uint32_t *regions; /* by class and quasi attribute: the first and the last code that is covered; none: first > last */
    const int64_t *costs;    /* by class: what its region costs, in any unit */
    /* Whether the class really covers the record, where its regions do; NULL: always. */
    bool (*covers)(const void *payload, int64_t class_id, int64_t record);
    const void *payload;
} kanon__linked_rows;

/* The mean success, and its standard error (0: all records were asked). */
typedef struct kanon__linkage_found {
    double share, error;
} kanon__linkage_found;

/* Of an attacker who knows the quasi columns and what `known` numbers. */
kanon_status kanon__linkage_of_rows(kanon__linkage_found *out, const kanon_table *table, const kanon__linked_rows *rows,
                                    const kanon__row_numbers *known, int64_t most_work, kanon__ticker *ticker,
                                    kanon_error *err);

#endif
