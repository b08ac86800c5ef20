/* The numbers of a domain as Arrow values: in the type of the column where it came from Arrow as numbers or dates, else
 * int64 (integer), float64 (decimal), date32 (date) or a timestamp (date with hours). */
#ifndef KANON_RELEASE_SINK_ARROW_VALUES_H
#define KANON_RELEASE_SINK_ARROW_VALUES_H

#include "table/read/arrow_view.h"
#include "table/read/table.h"

typedef struct kanon__arrow_values {
    const char *format; /* the type as Arrow writes it; of the table, or a literal */
    kanon__arrow_type type;
    char *bytes;            /* by code: type.width bytes */
    uint32_t *least, *most; /* by code: the codes of the smallest and largest value among those that doubles do not tell
                               apart; NULL: codes are in exact order */
} kanon__arrow_values;

/* The type of times with so many digits of a second: seconds, micro- or nanoseconds. */
const char *kanon__arrow_time_format(const kanon__domain *domain, int places);
/* The type that the numbers of a column are released in, without the numbers. */
const char *kanon__arrow_values_format(const kanon_table *table, int column);
/* Find that type: `format` and `type` are set, nothing else. True: it is that of the column in the source. */
bool kanon__arrow_values_find_type(kanon__arrow_values *out, const kanon_table *table, int column);
/* Of a numeric column without bands. */
kanon_status kanon__arrow_values_init(kanon__arrow_values *out, const kanon_table *table, int column, kanon_error *err);
void kanon__arrow_values_clear(kanon__arrow_values *values);

/* An end of a band of the domain, in its scale, as a value of the type at `to`. False where the type does not hold it: what
 * is written would not read back as the end. */
bool kanon__arrow_values_put_end(const kanon__arrow_values *values, char *to, const kanon__domain *domain, int64_t end);

static inline const char *kanon__arrow_values_at(const kanon__arrow_values *v, uint32_t code)
{
    return v->bytes + (size_t)code * (size_t)v->type.width;
}

/* The ends of an interval of codes. */
static inline const char *kanon__arrow_values_low(const kanon__arrow_values *v, uint32_t code)
{
    return kanon__arrow_values_at(v, v->least != NULL ? v->least[code] : code);
}

static inline const char *kanon__arrow_values_high(const kanon__arrow_values *v, uint32_t code)
{
    return kanon__arrow_values_at(v, v->most != NULL ? v->most[code] : code);
}

#endif
