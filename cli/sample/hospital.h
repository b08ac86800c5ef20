/* The sample hospital: an invented patient table with its schema and taxonomies, to try the program out and to test
 * it. */
#ifndef KANON_CLI_HOSPITAL_H
#define KANON_CLI_HOSPITAL_H

#include <kanon.h>

/* Writes hospital.csv, hospital.yaml and taxonomies/ in the directory `dir`, which is made where it is missing: all files or
 * none. Equal seeds give equal bytes. KANON_ECANCELLED: the tick (may be NULL) asked to stop. */
kanon_status sample_hospital(const char *dir, int64_t n_rows, uint64_t seed, kanon_tick tick, void *payload,
                             kanon_error *err);

#endif
