/* A table: encoded columns, the source of its rows, and the policy that its schema asks for.
 *
 *     source  --read-->  raw columns  --domains-->  data
 *     schema  --------------------------------->  policy
 *
 * The three are parts of one object so that callers have one thing to hold, but each function of the library takes only the
 * part that it needs: algorithms and measures take the data, requirements the policy, writers the source. */
#ifndef KANON_TABLE_TABLE_H
#define KANON_TABLE_TABLE_H

#include "core/notices.h"
#include "table/domain/data.h"
#include "table/schema/policy.h"
#include "table/text/source.h"

/* What tells two tables apart, whatever they hold: the address of this. Groupings share it with their table, so that the
 * address is not given to another table while a grouping remembers it. */
typedef struct kanon__identity {
    int64_t references; /* changed atomically */
} kanon__identity;

struct kanon_table {
    const kanon_context *context;
    kanon__data data;
    kanon__policy policy;
    kanon__source *source;
    kanon__texts missing; /* the texts that mean "no value" */
    kanon__texts privacy;  /* warnings that no user may silence: KANON_NOTICE_PRIVACY */
    kanon__texts warnings; /* the others */
    kanon__notices notices;     /* both, for the caller */
    kanon_table_column *listed; /* the columns, likewise */
    int64_t references; /* changed atomically: a release in Arrow may outlive the caller's handle */
    kanon__identity *identity;
    struct kanon__whole *whole; /* the domain of the table that it is a part of; NULL: none */
    int64_t memory;             /* bytes that may be used; 0: any number */
};

/* kanon_table_read of a source whose rows were not read yet. It is taken over in any case. */
kanon_status kanon__table_from_source(kanon_table **out, kanon__source *source, const kanon_schema *schema,
                                      const kanon_read_options *options, kanon_error *err);
/* One more reference, dropped by kanon_table_free. */
kanon_table *kanon__table_share(const kanon_table *table);

kanon__identity *kanon__identity_share(kanon__identity *identity);
/* Drop one reference. */
void kanon__identity_free(kanon__identity *identity);

/* Whether the path names a file that the table was read from: source, schema or taxonomy. */
bool kanon__table_reads(const kanon_table *table, const char *path);

#endif
