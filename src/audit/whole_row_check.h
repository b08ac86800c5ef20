/* Which rows of a released file are one person's by all that the file shows: the figures singled_out and singled_out_all. */
#ifndef KANON_AUDIT_WHOLE_ROW_CHECK_H
#define KANON_AUDIT_WHOLE_ROW_CHECK_H

#include "audit/check_privacy.h"

/* Add the figures to *found, whose list has room for them. `persons` (NULL: the file does not have them) are by row. */
kanon_status kanon__whole_row_check(kanon__privacy_result *found, const kanon__released *released,
                                    const kanon__codes *persons, kanon_error *err);

#endif
