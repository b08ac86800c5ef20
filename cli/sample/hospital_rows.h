/* The rows of the sample hospital. Each is a pure function of seed and row number, so that a longer table begins with
 * the rows of a shorter one. */
#ifndef KANON_CLI_HOSPITAL_ROWS_H
#define KANON_CLI_HOSPITAL_ROWS_H

#include "sample/sample_error.h"

enum { HOSPITAL_ROW = 256 }; /* room for a row */

#define HOSPITAL_HEADER "id,name,age,sex,zip,marital-status,occupation,admission,diagnosis,cost\n"

typedef struct hospital hospital;

kanon_status hospital_new(hospital **out, uint64_t seed, kanon_error *err);
void hospital_free(hospital *h);
/* Print row `row` (from 0) as a line of CSV with its line break and return its length. It is not terminated. */
size_t hospital_row(const hospital *h, int64_t row, char out[HOSPITAL_ROW]);

#endif
