/* The density around a record: the D of the cluster of k that grows from it, among the records that are still free.
 *
 * Seeds are the distinct tuples, each represented by its lowest free record. A growth repeatedly adds the free record with
 * which the cluster costs least, of equals the lowest row. Equal records follow one another in that order, so a growth
 * proceeds tuple by tuple. Measuring a growth takes no record; only kanon__density_take_found does.
 *
 * Two implementations give the same answer: a scan of all tuples, and a best-first search (search/best_first.h) whose
 * frontier begins with the seed's leaf and the siblings along the path to the root. What is near is mostly in that leaf.
 * Where nothing is, as with dozens of independent attributes, the flat scan goes on in its place (auto).
 *
 * May call the tree (search/free_tree.h) and the flat scan (search/flat_scan.h). */
#ifndef KANON_SEARCH_DENSITY_H
#define KANON_SEARCH_DENSITY_H

#include "model/space.h"

typedef struct kanon__density kanon__density;

/* All rows of the space are free. `way` is the value of the setting "search": scan, index or auto. */
kanon_status kanon__density_new(kanon__density **out, const kanon__space *space, const char *way, kanon_error *err);
void kanon__density_free(kanon__density *density);
/* For tests: whether the tree was given up. */
bool kanon__density_is_flat(const kanon__density *density);
int64_t kanon__density_n_seeds(const kanon__density *density);
int64_t kanon__density_n_free(const kanon__density *density);
/* The seed that stands for a free record, and the seed's lowest free record; -1: there is none. */
int32_t kanon__density_seed_of(const kanon__density *density, int64_t row);
int32_t kanon__density_record_of(const kanon__density *density, int32_t seed);
/* D of the cluster of k records that grows from the seed. At least k records are free, one of them the seed's. */
kanon_status kanon__density_measure(kanon__density *density, int32_t seed, int64_t k, uint32_t *units, kanon_error *err);
/* Take the seed's record: a cluster begins. */
kanon_status kanon__density_begin_cluster(kanon__density *density, int32_t seed, kanon_error *err);
/* The free record with which the cluster that was begun costs least and, through *units, what it then costs; the lowest of
 * equals. -1: none is free. */
kanon_status kanon__density_find_next(kanon__density *density, int32_t *row, uint32_t *units, kanon_error *err);
/* Take the record that was found last; it joins the cluster. */
void kanon__density_take_found(kanon__density *density);

/* A growth that its caller guides. It begins at a seed, whose tuple is found first; what is found is set aside, or taken.
 * Between a first tuple that is set aside and the end nothing is taken. */
kanon_status kanon__density_start_growth(kanon__density *density, int32_t seed, kanon_error *err);
/* The records of the tuple that was found last, ascending; some may be taken. Returns how many. */
int64_t kanon__density_found_rows(const kanon__density *density, const int32_t **rows);
/* The tuple that was found last does not come again before the end. */
kanon_status kanon__density_set_aside(kanon__density *density, kanon_error *err);
/* The tuple of a free record joins the cluster; D of what has joined. */
void kanon__density_extend(kanon__density *density, int32_t row);
uint32_t kanon__density_units(const kanon__density *density);
void kanon__density_take(kanon__density *density, int32_t row);
void kanon__density_end_growth(kanon__density *density);

#endif
