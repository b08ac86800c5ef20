/* Slow, obvious versions of every algorithm, written from the papers and docs/algorithms.md alone, which the tests hold
 * against the library's own. They share nothing with it but the encoded table, the random numbers and, because a centroid
 * is rounded to a whole unit, the size of that unit. A lack of memory ends the program. */
#ifndef KANON_TESTS_REFERENCE_H
#define KANON_TESTS_REFERENCE_H

#include "core/random.h"
#include "model/space.h"

#include <stdbool.h>

/* What a group array holds besides group numbers, which count from 0. */
enum { REF_SUPPRESSED = -1, REF_FREE = -2, REF_REJECTED = -3 };

/* `n` zeroed elements. */
#define REF_NEW(type, n) ((type *)ref_alloc((size_t)(n), sizeof(type)))
void *ref_alloc(size_t n, size_t size);

/* ---- the table as numbers ---------------------------------------------------------------------------------------- */

typedef struct ref_attribute {
    const kanon__column *column;
    bool numeric;
    int64_t min, range;   /* numeric: over the table, in steps of the column's scale */
    int *height, *leaves; /* categorical: by node */
    int64_t weight, weight_divisor;
    int64_t full;        /* quasi: what D = 1 on this attribute costs, in the units of D */
    int64_t center_full; /* quasi: the same in the units in which centroids lie */
} ref_attribute;

/* Records are numbered 0 .. n-1; record i is row row[i] of the table, so a sample is a model too. */
typedef struct ref_model {
    int n;
    int *row;
    int n_quasi, n_sensitive;
    ref_attribute *quasi, *sensitive;
    int64_t scale;   /* units of D to 1: the least common multiple of all denominators */
    int64_t q_scale; /* the same for the sum of Q-diversity */
    int64_t s_scale; /* and for pairwise contributions */
    bool exact;      /* false: no common unit fits the library's numbers, and D is rounded as the library does it */
} ref_model;

/* The library's space of the quasi attributes, for its unit; kanon__space_free. */
kanon__space *ref_library_space(const kanon_table *table);
ref_model *ref_model_new(const kanon_table *table);
void ref_model_free(ref_model *model);
/* The records `records` of `model` as a table of their own with the ranges and domains of the whole. */
ref_model ref_model_sample(const ref_model *model, const int *records, int n);
void ref_model_sample_clear(ref_model *sample);

bool ref_is_missing(const ref_model *model, const ref_attribute *attribute, int record);
/* Numeric: in steps. Categorical: the leaf's number. */
int64_t ref_value(const ref_model *model, const ref_attribute *attribute, int record);
/* Where the record's number lies on a quasi attribute, in the units of centroids; a missing one twice its full cost away. */
int64_t ref_position(const ref_model *model, int attribute, int record);
/* Record order by one attribute: numbers ascending with missing ones last, categories by leaf; below 0, 0 or above 0. */
int ref_compare(const ref_model *model, const ref_attribute *attribute, int left, int right);

/* ---- sets of records: D and Q-diversity -------------------------------------------------------------------------- */

/* What a set of records looks like on one attribute. */
typedef struct ref_span {
    int size;
    bool missing, present; /* numeric: some member has no value, has one */
    int64_t min, max;
    int node;      /* categorical: the lca */
    uint64_t seen; /* categorical without taxonomy: the leaves */
} ref_span;

/* One span per quasi attribute, on the heap. */
ref_span *ref_spans_new(const ref_model *model);
void ref_spans_add(const ref_model *model, ref_span *spans, int record);
/* Of the records i with group[i] == g. */
void ref_spans_of(const ref_model *model, const int *group, int g, ref_span *spans);
/* The cost of the span in units of D, and its Q-diversity in units of q_scale, weighted. */
int64_t ref_span_units(const ref_attribute *attribute, const ref_span *span);
int64_t ref_span_q(const ref_model *model, const ref_attribute *attribute, const ref_span *span);
int64_t ref_spans_units(const ref_model *model, const ref_span *spans);
int64_t ref_spans_q(const ref_model *model, const ref_span *spans);
/* Whether the record could join without a change on any attribute. */
bool ref_spans_cover(const ref_model *model, const ref_span *spans, int record);

int ref_size(const ref_model *model, const int *group, int g);
int64_t ref_units_of(const ref_model *model, const int *group, int g); /* D(P) */
int64_t ref_loss_of(const ref_model *model, const int *group, int g);  /* |P| D(P) */
int64_t ref_loss_all(const ref_model *model, const int *group, int n_groups);
/* D(P + record) and |P + record| D(P + record) - |P| D(P) for the group g. */
int64_t ref_units_with(const ref_model *model, int *group, int g, int record);
int64_t ref_increase(const ref_model *model, int *group, int g, int record);
/* Every free record, in their order, joins the group with the least increase. */
void ref_join_cheapest(const ref_model *model, int *group, int n_groups);
int64_t ref_distance(const ref_model *model, int left, int right);
/* What a suppressed record costs. */
int64_t ref_suppressed_units(const ref_model *model);

/* ---- centroids --------------------------------------------------------------------------------------------------- */

/* One coordinate; a centroid has n_quasi of them. */
typedef struct ref_center {
    bool missing;     /* numeric: no member has a value */
    int64_t position; /* numeric */
    int node;         /* categorical */
} ref_center;

/* The centroid of group g. An empty group leaves `out` as it was. */
void ref_center_of(const ref_model *model, const int *group, int g, ref_center *out);
/* Its categorical coordinates become the most frequent value of the members, or else their middle one. */
void ref_center_use_values(const ref_model *model, const int *group, int g, bool mode, ref_center *out);
int64_t ref_center_term(const ref_model *model, int attribute, int record, const ref_center *center);
int64_t ref_center_distance(const ref_model *model, int record, const ref_center *center);
bool ref_centers_equal(const ref_model *model, const ref_center *left, const ref_center *right, int n_groups);
/* n_groups = floor(n/k) drawn records, and the centroids that they are. */
void ref_draw_seeds(const ref_model *model, kanon__random *random, int *seeds, ref_center *centers, int n_groups);

/* Lin's adjustment: groups of more than k give up what is farthest from their centroid, and what was given up goes to the
 * nearest group that is short of k while there is one. `centers` are moved along where `follow` is true. */
typedef struct ref_adjustment {
    int64_t k;
    int n_groups;
    bool size_factor, follow;
} ref_adjustment;

void ref_adjust(const ref_model *model, const ref_adjustment *how, int *group, ref_center *centers, kanon__random *random);

/* ---- S-diversity ------------------------------------------------------------------------------------------------- */

/* Weighted pairwise contribution of each two records, summed over the sensitive attributes; 0 where pc < 1 - r. */
typedef struct ref_pairs {
    int n;
    int64_t *units;
} ref_pairs;

ref_pairs ref_pairs_new(const ref_model *model, double r);
void ref_pairs_clear(ref_pairs *pairs);
int64_t ref_pairs_sum(const ref_pairs *pairs, const int *group, int g);
/* What the sum grows by when `record`, not of group g, joins it. */
int64_t ref_pairs_more(const ref_pairs *pairs, const int *group, int g, int record);
/* The sum over the sensitive attributes of S-diversity for a sum of contributions of `size` records. */
double ref_s_diversity(const ref_model *model, int64_t sum, int size);

/* ---- the algorithms ---------------------------------------------------------------------------------------------- */

typedef struct ref_settings {
    bool size_factor, suppress_small;
    int iterations, max_iterations;
    double r, w_u;
    int64_t s, max_size;       /* 0: 5k, none */
    double delta, delta_prime; /* below 0: chosen by sampling */
    bool split_raw, partition_none;
    bool narrowest, weighted_parts, regrow; /* tgc: ties, protect-parts, rejected */
    enum { REF_BY_SUM, REF_BY_CLUSTERS, REF_BY_RECORDS } choose_by;
    bool return_last;                                            /* kmeans-* */
    enum { REF_ANCESTOR, REF_MODE, REF_MEDIAN } category_center; /* wfcm */
    double threshold;                                            /* below 0: a quarter of the number of quasi attributes */
    bool relaxed;
    int64_t every; /* 0: by k */
    int64_t most_suppressed;
    const kanon_table *constraints; /* groups must keep those of this table, too; NULL: k alone */
} ref_settings;

/* The defaults of an algorithm; false where there is no reference of that name. */
bool ref_settings_init(ref_settings *out, const char *algorithm);

typedef struct ref_job {
    const ref_model *model;
    int64_t k;
    uint64_t seed;
    ref_settings settings;
} ref_job;

/* Fills group[0 .. n-1]; n >= k. */
typedef void (*ref_algorithm)(const ref_job *job, int *group);

void ref_kmember(const ref_job *job, int *group);
void ref_kmember_p(const ref_job *job, int *group);
void ref_oka(const ref_job *job, int *group);
void ref_kmeans_adjust_each(const ref_job *job, int *group);
void ref_kmeans_fill(const ref_job *job, int *group);
void ref_kmeans_adjust_last(const ref_job *job, int *group);
void ref_tgc(const ref_job *job, int *group);
void ref_greedy_threshold(const ref_job *job, int *group);
void ref_wfcm(const ref_job *job, int *group);
void ref_mondrian(const ref_job *job, int *group);
void ref_top_down(const ref_job *job, int *group);
void ref_densest(const ref_job *job, int *group);
/* The same, but fewer than k records stay free. Returns the number of groups. */
int ref_densest_free(const ref_job *job, int *group);
void ref_strips(const ref_job *job, int *group);
void ref_full_domain(const ref_job *job, int *group);
/* Median pre-partitioning alone: part[i] is the number of record i's part. Returns the number of parts. */
int ref_tgc_parts(const ref_job *job, double delta_prime, int *part);
/* Changes `group`, whose numbers follow the groups' first records. */
void ref_il_optimization(const ref_model *model, int *group);

/* The groups of the algorithm, one number per row of the table, REF_SUPPRESSED for none; to be freed. Numbers follow the
 * groups' first records. */
int *ref_run(const kanon_table *table, const char *algorithm, int64_t k, uint64_t seed, const ref_settings *settings);
/* Number groups by their first records. */
void ref_renumber(int *group, int n);

#endif
