/* The lists and figures that the sample hospital is made of. All figures are whole numbers, so that every machine makes
 * the same table of them. Read by hospital_rows.c and, for the taxonomies, by hospital.c. */
#ifndef KANON_CLI_HOSPITAL_VALUES_H
#define KANON_CLI_HOSPITAL_VALUES_H

#include <stdint.h>

/* What depends on age is given at a few ages, the anchors, and read off a straight line between two of them. */
enum { SAMPLE_N_ANCHORS = 13, SAMPLE_OLDEST = 104 };

enum {
    SAMPLE_N_WOMENS_NAMES = 72,
    SAMPLE_N_MENS_NAMES = 72,
    SAMPLE_N_LAST_NAMES = 120,
    SAMPLE_N_ZIPS = 68,
    SAMPLE_N_MARITAL = 6,
    SAMPLE_N_OCCUPATIONS = 24,
    SAMPLE_N_DIAGNOSES = 48
};

typedef enum sample_district { SAMPLE_CITY = 0, SAMPLE_SUBURB, SAMPLE_COUNTRY, SAMPLE_N_DISTRICTS } sample_district;

typedef struct sample_zip {
    const char *text;
    sample_district district;
    uint16_t weight;
} sample_zip;

typedef struct sample_marital {
    const char *name, *path; /* path: the taxonomy above the value, parent;...;root */
    uint16_t per_mille[SAMPLE_N_ANCHORS];
} sample_marital;

/* The occupations that come with an age; those after them are chosen, once in a life. */
enum { SAMPLE_NO_OCCUPATION = 0, SAMPLE_PUPIL, SAMPLE_STUDENT, SAMPLE_RETIRED, SAMPLE_HOMEMAKER };

typedef struct sample_occupation {
    const char *name, *path;
    uint8_t women, men;                   /* how many choose it */
    uint8_t district[SAMPLE_N_DISTRICTS]; /* how common it is there */
    uint8_t first_age;                    /* until then they study for it */
} sample_occupation;

/* When patients come: on any day, on an agreed working day, or mostly in winter. */
typedef enum sample_season { SAMPLE_ANY_DAY = 0, SAMPLE_AGREED, SAMPLE_WINTER, SAMPLE_N_SEASONS } sample_season;

typedef struct sample_diagnosis {
    const char *name, *path;
    uint8_t women, men;          /* percent of the weights below; 0: never */
    uint8_t first_age, last_age; /* never outside */
    sample_season season;
    uint16_t median_cost, spread;      /* of a log-normal cost: whole currency units, and 100 times its sigma */
    uint16_t weight[SAMPLE_N_ANCHORS]; /* how common it is at that age */
} sample_diagnosis;

extern const uint8_t sample_anchors[SAMPLE_N_ANCHORS];
extern const uint16_t sample_age_weight[SAMPLE_N_ANCHORS]; /* of single years of age among the patients */
extern const uint16_t sample_women_per_mille[SAMPLE_N_ANCHORS];
extern const uint16_t sample_cost_percent[SAMPLE_N_ANCHORS];      /* what a treatment costs at that age */
extern const uint16_t sample_weekday_weight[SAMPLE_N_SEASONS][7]; /* from Monday */
extern const uint16_t sample_month_weight[SAMPLE_N_SEASONS][12];

extern const char *const sample_womens_names[]; /* from the oldest generation to the youngest */
extern const char *const sample_mens_names[];
extern const char *const sample_last_names[]; /* from common to rare */

extern const sample_zip sample_zips[];
extern const sample_marital sample_maritals[]; /* in the order in which a life meets them */
extern const sample_occupation sample_occupations[];
extern const sample_diagnosis sample_diagnoses[];

#endif
