/* A release and people of whom somebody knows the quasi columns: how many of them each row may be.
 *
 *     F_g   people whose values are in the region of the cells of class g       f_g   persons (without an entity rows) of g
 *
 * The region of a class is what its cells cover (cell_regions.h), so regions may overlap, as those of most releases do. */
#ifndef KANON_AUDIT_POPULATION_H
#define KANON_AUDIT_POPULATION_H

#include "audit/check_original.h"

/* All zero: there is no population. */
typedef struct kanon__population {
    bool persons_known; /* whose the rows are; else each class counts as one person, and only F_g is told */
    int64_t n_people, n_rows;
    int64_t n_classes;
    int64_t *fits;    /* by class: F_g */
    int64_t *persons; /* by class: f_g */
    int64_t *rows;    /* by class */
    double least,
        most; /* presence of a person: the sum of f_g / F_g over the classes whose regions they are in, at most 1 */
} kanon__population;

typedef struct kanon__population_subject {
    const kanon__source *release;
    const kanon_schema *schema;
    const uint32_t *class_of; /* by row */
    int64_t n_classes;
    const uint32_t *person_of; /* by row; NULL: not known */
    kanon__ticker *ticker;
} kanon__population_subject;

/* KANON_EDATA: the population lacks a quasi column of the release, or people: a class has more persons than people fit
 * it. */
kanon_status kanon__population_read(kanon__population *out, const kanon__population_subject *subject,
                                    const kanon_input *people, kanon_error *err);
void kanon__population_clear(kanon__population *population);
/* The findings and figures; `k` is what is asked of each class, 0: nothing. KANON_EDATA: a k-map without a whole K. */
kanon_status kanon__population_list(kanon__findings *out, const kanon__population *population, const kanon_schema *schema,
                                    int64_t k, kanon_error *err);

#endif
