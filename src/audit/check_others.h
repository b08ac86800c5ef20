/* What other files say of a release that is checked: the table that it was made of, releases before it, a population. */
#ifndef KANON_AUDIT_CHECK_OTHERS_H
#define KANON_AUDIT_CHECK_OTHERS_H

#include "audit/check_original.h"
#include "audit/joint_releases.h"
#include "audit/population.h"

/* The release as it was read. */
typedef struct kanon__others_subject {
    const kanon__source *source;
    const kanon_schema *schema;
    const uint32_t *class_of; /* by row */
    int64_t n_classes, n_rows;
    bool has_entity; /* it has the entity column itself */
    kanon__ticker *ticker;
} kanon__others_subject;

/* All zero is none. */
typedef struct kanon__others {
    kanon__original original;
    uint32_t *persons; /* by row of the release; NULL: the original does not tell, or not that classes have enough of them */
    int64_t n_persons;
    int64_t n_open; /* rows of which it is not known whose they are: classes may have more persons than are counted */
    kanon__joint joint;
    kanon__population population;
    kanon__findings findings;
} kanon__others;

/* Read and compare what is given. On failure what was read so far stays in *out, to be cleared. */
kanon_status kanon__others_read(kanon__others *out, const kanon__others_subject *subject, const kanon_check_options *given,
                                kanon_error *err);
/* The findings as lists, once the release is measured: `k` is what is asked (0: nothing), `persons` the fewest in a
 * class, `suppressed` the rows that say nothing. */
kanon_status kanon__others_list(kanon__others *others, const kanon_schema *schema, int64_t k, int64_t persons,
                                int64_t suppressed, kanon_error *err);
void kanon__others_clear(kanon__others *others);

#endif
