/* The rows of the sample hospital. Each is a pure function of seed and row number, so that a longer table begins with the
 * rows of a shorter one. */
#ifndef KANON_SAMPLE_HOSPITAL_ROWS_H
#define KANON_SAMPLE_HOSPITAL_ROWS_H

#include "core/status.h"

enum { KANON__HOSPITAL_ROW = 256 }; /* room for a row */

#define KANON__HOSPITAL_HEADER "id,name,age,sex,zip,marital-status,occupation,admission,diagnosis,cost\n"

typedef struct kanon__hospital kanon__hospital;

kanon_status kanon__hospital_new(kanon__hospital **out, uint64_t seed, kanon_error *err);
void kanon__hospital_free(kanon__hospital *hospital);
/* Print row `row` (from 0) as a line of CSV with its line break and return its length. It is not terminated. */
size_t kanon__hospital_row(const kanon__hospital *hospital, int64_t row, char out[KANON__HOSPITAL_ROW]);

#endif
