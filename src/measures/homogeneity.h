/* Homogeneous groups: those in which all records, or nearly all, have one sensitive value. k does not hide it: a reader
 * who knows that a person is in such a group knows the value. */
#ifndef KANON_MEASURES_HOMOGENEITY_H
#define KANON_MEASURES_HOMOGENEITY_H

#include "measures/measure.h"

/* Whether a value that `most` of `size` records have is nearly all of them: at least 90 %. */
static inline bool kanon__is_nearly_all(int64_t most, int64_t size)
{
    return 10 * most >= 9 * size;
}

/* Add the warning about a sensitive column, if there is one: `one` is the share of the records in groups with one value,
 * `nearly` that in groups in which a value is nearly all. NAN: none. */
kanon_status kanon__homogeneity_warn(kanon__texts *warnings, const char *column, double one, double nearly,
                                     kanon_error *err);
/* Those of all sensitive columns, from the figures of `m`, into m->warnings. */
kanon_status kanon__homogeneity_warn_all(kanon_measures *m, kanon_error *err);

#endif
