/* A slow and plain version of insert, delete and update: every loss is computed from the records, by the definition, as an
 * exact fraction; every group is looked at. */
#ifndef KANON_TESTS_REF_STATE_H
#define KANON_TESTS_REF_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum { REF_NUMBERS = 2, REF_CATEGORIES = 2, REF_MISSING = INT32_MIN };

/* A tree: node 0 is the root, a node's parent comes before it. */
typedef struct ref_tree {
    int n;
    int parent[64];
} ref_tree;

typedef struct ref_person {
    int64_t id;
    int64_t number[REF_NUMBERS]; /* in the smallest step that any value has; REF_MISSING */
    int leaf[REF_CATEGORIES];
    int64_t group; /* its number */
} ref_person;

typedef struct ref_state {
    int64_t k, next_group;
    int64_t weight[REF_NUMBERS + REF_CATEGORIES];
    ref_tree tree[REF_CATEGORIES];
    int n;
    ref_person people[512]; /* by rising id */
} ref_state;

void ref_state_insert(ref_state *state, ref_person person);
/* The people of these ids go. With `more_will_come`, fewer than k may be left. */
void ref_state_delete(ref_state *state, const int64_t *ids, int n, bool more_will_come);
int64_t ref_state_size(const ref_state *state, int64_t group);

#endif
