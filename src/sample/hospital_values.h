/* The lists and figures that the sample hospital is made of. All figures are whole numbers, so that every machine makes the
 * same table of them. */
#ifndef KANON_SAMPLE_HOSPITAL_VALUES_H
#define KANON_SAMPLE_HOSPITAL_VALUES_H

#include <stdint.h>

/* What depends on age is given at a few ages, the anchors, and read off a straight line between two of them. */
enum { KANON__N_ANCHORS = 13, KANON__OLDEST = 104 };

enum {
    KANON__N_WOMENS_NAMES = 72,
    KANON__N_MENS_NAMES = 72,
    KANON__N_LAST_NAMES = 120,
    KANON__N_ZIPS = 68,
    KANON__N_MARITAL = 6,
    KANON__N_OCCUPATIONS = 24,
    KANON__N_DIAGNOSES = 48
};

typedef enum kanon__district { KANON__CITY = 0, KANON__SUBURB, KANON__COUNTRY, KANON__N_DISTRICTS } kanon__district;

typedef struct kanon__zip {
    const char *text;
    kanon__district district;
    uint16_t weight;
} kanon__zip;

typedef struct kanon__marital {
    const char *name, *path; /* path: the taxonomy above the value, parent;...;root */
    uint16_t per_mille[KANON__N_ANCHORS];
} kanon__marital;

/* The occupations that come with an age; those after them are chosen, once in a life. */
enum { KANON__NO_OCCUPATION = 0, KANON__PUPIL, KANON__STUDENT, KANON__RETIRED, KANON__HOMEMAKER };

typedef struct kanon__occupation {
    const char *name, *path;
    uint8_t women, men;                   /* how many choose it */
    uint8_t district[KANON__N_DISTRICTS]; /* how common it is there */
    uint8_t first_age;                    /* until then they study for it */
} kanon__occupation;

/* When patients come: on any day, on an agreed working day, or mostly in winter. */
typedef enum kanon__season { KANON__ANY_DAY = 0, KANON__AGREED, KANON__WINTER, KANON__N_SEASONS } kanon__season;

typedef struct kanon__diagnosis {
    const char *name, *path;
    uint8_t women, men;          /* percent of the weights below; 0: never */
    uint8_t first_age, last_age; /* never outside */
    kanon__season season;
    uint16_t median_cost, spread;      /* of a log-normal cost: whole currency units, and 100 times its sigma */
    uint16_t weight[KANON__N_ANCHORS]; /* how common it is at that age */
} kanon__diagnosis;

extern const uint8_t kanon__anchors[KANON__N_ANCHORS];
extern const uint16_t kanon__age_weight[KANON__N_ANCHORS]; /* of single years of age among the patients */
extern const uint16_t kanon__women_per_mille[KANON__N_ANCHORS];
extern const uint16_t kanon__cost_percent[KANON__N_ANCHORS];      /* what a treatment costs at that age */
extern const uint16_t kanon__weekday_weight[KANON__N_SEASONS][7]; /* from Monday */
extern const uint16_t kanon__month_weight[KANON__N_SEASONS][12];

extern const char *const kanon__womens_names[]; /* from the oldest generation to the youngest */
extern const char *const kanon__mens_names[];
extern const char *const kanon__last_names[]; /* from common to rare */

extern const kanon__zip kanon__zips[];
extern const kanon__marital kanon__maritals[]; /* in the order in which a life meets them */
extern const kanon__occupation kanon__occupations[];
extern const kanon__diagnosis kanon__diagnoses[];

#endif
