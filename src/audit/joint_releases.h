/* What several releases reveal together, whichever tools wrote them (docs/audit.md): the records that are in one class with
 * a record in every release are its joint class. A class of a release are the records with the same texts in all quasi
 * columns; not to be in a release is a value of its own. */
#ifndef KANON_AUDIT_JOINT_RELEASES_H
#define KANON_AUDIT_JOINT_RELEASES_H

#include "audit/check_original.h"

/* All zero: there are no earlier releases. */
typedef struct kanon__joint {
    int64_t n_releases; /* with the one that is checked */
    const char *open;   /* why records cannot be told to be the same; NULL: they can, and what follows is counted */
    bool of_persons;    /* sizes count persons */
    uint32_t *class_of; /* by record: its joint class */
    int64_t *sizes;     /* of the classes */
    int64_t n_records, n_classes, smallest;
    kanon__texts sensitive; /* columns, and the fewest different values of them in a class */
    int64_t *fewest;
} kanon__joint;

typedef struct kanon__joint_subject {
    const kanon__source *release; /* the one that is checked, ready for cursors */
    const kanon_schema *schema;
    const kanon__check_key *key;
    const kanon__original *original; /* without a table: there is none */
    kanon__ticker *ticker;
} kanon__joint_subject;

/* KANON_EDATA: an earlier file cannot be read, has no quasi column or no column of a key that was given, or two of its rows
 * have one key. */
kanon_status kanon__joint_read(kanon__joint *out, const kanon__joint_subject *subject, const kanon_input *const *earlier,
                               size_t n_earlier, kanon_error *err);
void kanon__joint_clear(kanon__joint *joint);
/* The findings and figures. `k` is what is asked of each release, 0: nothing. */
kanon_status kanon__joint_list(kanon__findings *out, const kanon__joint *joint, const kanon_schema *schema, int64_t k,
                               kanon_error *err);

#endif
