/* Options that a host gives as text, {"effort", "best"}: names, words and ranges are those of options.def, the values go
 * into the fields of a struct. */
#ifndef KANON_TABLE_SAID_OPTIONS_H
#define KANON_TABLE_SAID_OPTIONS_H

#include "core/status.h"

#include <stdbool.h>

/* The type of the field. */
typedef enum kanon__said_type { KANON__SAID_TEXT = 0, KANON__SAID_INT, KANON__SAID_INT64 } kanon__said_type;

/* An option that can be said for a struct. */
typedef struct kanon__said_option {
    const char *id; /* of its row in options.def */
    kanon__said_type type;
    size_t offset;
} kanon__said_option;

/* Put what is said into the fields of `options`, over what they have; of one name the last one counts. KANON_EINVAL names
 * the option that is wrong. Texts are not copied. */
kanon_status kanon__said_take(void *options, const kanon__said_option *rows, size_t n_rows, const kanon_setting *said,
                              size_t n_said, kanon_error *err);

#endif
