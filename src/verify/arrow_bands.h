/* Columns with bands in the check of an Arrow release.
 *
 * The code of such a column stands for a band, and its text says which: "[20..24]". So three things are held against each
 * other, all of them as exact numbers:
 *
 *     input      22           its number lies in the band of its code
 *     code       [20..24]     its band lies in what its group shows
 *     group      20, 34       begins and ends where the texts of the schema allow it (verify_bands.h) */
#ifndef KANON_VERIFY_ARROW_BANDS_H
#define KANON_VERIFY_ARROW_BANDS_H

#include "verify/arrow_check.h"

/* Read the band of every code. */
kanon_status kanon__checked_bands_init(const kanon__arrow_check *check, kanon__checked_field *field, kanon_error *err);
/* Understand what a group shows, which is not null; false where bands do not end there. */
bool kanon__checked_bands_understand(const kanon__arrow_check *check, const kanon__checked_field *field,
                                     kanon__checked_value *value);
/* Whether what a group shows covers all that a code stands for. */
bool kanon__checked_bands_cover(const kanon__arrow_check *check, const kanon__checked_field *field,
                                const kanon__checked_value *value, uint32_t code);
/* Whether a text or a value of the input, which do not mean "no value", lie in the band of the code. */
bool kanon__checked_bands_text_says(const kanon__arrow_check *check, const kanon__checked_field *field, uint32_t code,
                                    const char *text, size_t length);
bool kanon__checked_bands_value_says(const kanon__arrow_check *check, const kanon__checked_field *field, uint32_t code,
                                     kanon__read_value value);

#endif
