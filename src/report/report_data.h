/* What a report shows of a grouping in addition to its figures: histograms, and what the loss comes from. Counts and
 * sizes only, never a value of the table.
 * Made by report.c; read by report_json.c and the sections of the page. */
#ifndef KANON_REPORT_REPORT_DATA_H
#define KANON_REPORT_REPORT_DATA_H

#include "model/grouping.h"
#include "report/bins.h"

enum { KANON__N_THRESHOLDS = 4 };
enum { KANON__BEFORE = 0, KANON__AFTER = 1 };
/* In a report for others, a bin of groups stands for at least this many. */
enum { KANON__EXTERNAL_GROUPS = 5 };

extern const int kanon__thresholds[KANON__N_THRESHOLDS]; /* 3, 5, 11, 20: a risk of 1/3, ... */

typedef struct kanon__attribute_cost {
    double loss;    /* the attribute's part of the information loss */
    double share;   /* of the whole loss; 0 where there is none */
    double average; /* per record, from 0 to 1 */
    double without; /* the information loss of the same groups if the attribute were not there */
    double any;     /* the share of the records that show nothing of it: any value, or the root of the taxonomy */
} kanon__attribute_cost;

typedef struct kanon__variety {
    kanon__bins distinct;                  /* groups by their number of distinct values */
    kanon__bins top;                       /* groups by the share of the most frequent value, in percent rounded down */
    int64_t single_groups, single_records; /* with one value only */
} kanon__variety;

typedef struct kanon__report_data {
    int64_t k_asked;      /* 0: nothing was asked */
    int64_t k;            /* asked for; otherwise the smallest group */
    int64_t rare;         /* values with fewer records than this are not shown by name */
    int64_t least_groups; /* fewer are not shown, either */
    int64_t n_classes;    /* combinations of quasi values in the original */
    int64_t n_unique;     /* records that only records of their own entity equal; without entities, none at all */
    kanon__bins sizes;    /* groups by size, with their loss */
    kanon__bins kinds;    /* records by how many had the same quasi values before: 1, 2 to k - 1, k and more */
    /* Records by risk, before and after: 1 / risk rounded down, which is the size of the class without entities. The limits
     * are those of the thresholds. */
    kanon__bins risk[2];
    double highest_risk, average_risk;     /* after */
    int64_t above[2][KANON__N_THRESHOLDS]; /* records with a risk above the threshold */
    double loss, total_weight;
    kanon__attribute_cost *costs;        /* by quasi attribute */
    int64_t worst_groups, worst_records; /* the tenth of the groups (rounded up) that loses most */
    double worst_loss;
    kanon__variety *variety; /* by sensitive attribute */
} kanon__report_data;

kanon_status kanon__report_data_init(kanon__report_data *out, const kanon_table *table, const kanon_grouping *grouping,
                                     int64_t k_asked, kanon_error *err);
void kanon__report_data_clear(kanon__report_data *data);
/* Take away what describes few groups, and what the release does not show: bins are joined until each has
 * KANON__EXTERNAL_GROUPS, costs by group are gone, shares are of the records that are in the release. */
void kanon__report_data_coarsen(kanon__report_data *data, const kanon_table *table, const kanon_grouping *shown);

/* part / whole, and 0 of nothing. */
static inline double kanon__share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

#endif
