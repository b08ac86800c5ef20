/* The descriptor of an algorithm: everything that the rest of the program knows about it.
 *
 * Each algorithm defines one `const kanon__algorithm kanon__algorithm_NAME` at the end of its file and has one row in
 * algorithms.def; registry.c builds the table of descriptors from that. The command line, the help, the checking of
 * settings, the block plan (pipeline/memory.c) and the conformance tests read the table. So a new algorithm touches
 * nothing else. How each field is chosen: CONTRIBUTING.md, "Adding an algorithm". */
#ifndef KANON_ALGORITHMS_ALGORITHM_H
#define KANON_ALGORITHMS_ALGORITHM_H

#include "search/run.h"

typedef struct kanon__algorithm {
    kanon__entry info; /* name, brief, more, source, revision, settings: public, see kanon.h */
    /* Fill run->group_of and run->n_groups. The table has at least k rows. Deterministic for a seed, whatever the
     * number of threads. */
    kanon_status (*run)(kanon__run *run, kanon_error *err);
    /* Peak memory of a run in addition to table and grouping: bytes per record, and per record and quasi attribute. The
     * block plan compares it with --memory; test_conformance.c fails where a run allocates more. */
    int32_t record_bytes, cell_bytes;
    /* Records that one thread groups in about a minute; 0: any number. Larger tables are cut into blocks unless --blocks
     * says otherwise, so changing it changes the groups of large tables. */
    int64_t records_per_minute;
    /* The refinement that follows unless another one is asked for; it gets the settings of the same name. NULL: none. */
    const char *refinement;
    /* It fills run->recode_maps where that is not NULL: one map per attribute produces these groups. Only such algorithms
     * run with --recode attribute. */
    bool recodes_attributes;
} kanon__algorithm;

/* From so many attributes on a table is wide: all records are about as far from each other, so that no index finds the near
 * ones without looking at most of them. */
enum { KANON__WIDE = 20 };

/* The bytes that a run takes on so many records. */
static inline int64_t kanon__algorithm_need(const kanon__algorithm *algorithm, int64_t n_records, int n_attributes)
{
    return n_records * (algorithm->record_bytes + (int64_t)algorithm->cell_bytes * n_attributes);
}

/* The i-th row; NULL past the last. */
const kanon__entry *kanon__algorithm_entry(size_t i);
/* NULL where there is no algorithm of this name. */
const kanon__algorithm *kanon__algorithm_find(const char *name);
/* Run another algorithm, which exists, with its default settings: for algorithms that are built from others. */
kanon_status kanon__algorithm_run(kanon__run *run, const char *name, kanon_error *err);

#endif
