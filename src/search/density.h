/* How dense it is around a record: what a cluster of k costs that is grown from it, asked time and again as records are
 * taken.
 *
 * Seeds are the distinct tuples, each standing for its lowest free record. A growth adds the free record with which the
 * cluster costs least, the lowest of equals; equal records come one after the other, so it goes by tuples. Growing takes
 * nothing.
 *
 * Two ways to the same answer: a scan of all tuples, or a best-first search (search/best_first.h) that begins at the seed's
 * leaf, with all that branches off on the way from there to the root still to be looked at. */
#ifndef KANON_SEARCH_DENSITY_H
#define KANON_SEARCH_DENSITY_H

#include "model/space.h"

typedef struct kanon__density kanon__density;

/* All rows of the space are free. `way` is the value of the setting "search": scan, index or auto. */
kanon_status kanon__density_new(kanon__density **out, const kanon__space *space, const char *way, kanon_error *err);
void kanon__density_free(kanon__density *density);
int64_t kanon__density_n_seeds(const kanon__density *density);
int64_t kanon__density_n_free(const kanon__density *density);
/* The seed that stands for a free record, and the seed's lowest free record; -1: there is none. */
int32_t kanon__density_seed_of(const kanon__density *density, int64_t row);
int32_t kanon__density_record_of(const kanon__density *density, int32_t seed);
/* D of the cluster of k records grown from the seed. At least k records must be free, one of them the seed's. */
kanon_status kanon__density_measure(kanon__density *density, int32_t seed, int64_t k, uint32_t *units, kanon_error *err);
/* Take the seed's record: a cluster begins. */
kanon_status kanon__density_begin_cluster(kanon__density *density, int32_t seed, kanon_error *err);
/* The free record with which the cluster that was begun costs least and, through *units, what it then costs; the lowest of
 * equals. -1: none is free. */
kanon_status kanon__density_find_next(kanon__density *density, int32_t *row, uint32_t *units, kanon_error *err);
/* Take the record that was found last; it joins the cluster. */
void kanon__density_take_found(kanon__density *density);

#endif
