/* The verdict: what somebody who has to sign a release reads first. A list of rows in the order of verdict.def, each with
 * a mark and a sentence without any value of the table. Two sources fill it: a run, which has the originals
 * (verdict_run.c), and the check of a file (audit/). */
#ifndef KANON_VERDICT_VERDICT_H
#define KANON_VERDICT_VERDICT_H

#include "core/texts.h"

#include <stdbool.h>

typedef enum kanon__verdict_kind {
#define KANON_VERDICT_ROW(kind, name, heading) KANON__VERDICT_##kind,
#include "verdict/verdict.def"
#undef KANON_VERDICT_ROW
    KANON__N_VERDICT_KINDS
} kanon__verdict_kind;

struct kanon_verdict {
    kanon__texts sentences;
    kanon_verdict_row *rows; /* in the order of their kinds; of one kind in that in which they were added */
    int64_t n, capacity;
};

/* Whether more than this share of the rows may be singled out before somebody should look. */
#define KANON__SINGLED_OUT_LOOK 0.05

/* Add a row. `asked`: the verdict fails where it is not met. Texts among the arguments are spelled out where a terminal or
 * a page could not show them. */
kanon_status kanon__verdict_add(kanon_verdict *verdict, kanon__verdict_kind kind, kanon_mark mark, bool asked,
                                kanon_error *err, const char *format, ...) KANON__PRINTF(6, 7);
/* How the columns that are released as they are single out the rows: `n` columns, and the share of the rows (NAN: not
 * counted); at most `limit` are asked for, NAN: nothing is. */
kanon_status kanon__verdict_add_singled_out(kanon_verdict *verdict, int n, double share, double limit, kanon_error *err);
/* What somebody finds who knows the originals; nothing is added where that was not counted (NAN). Where rows look alike, it is
 * no more than one of k. */
#define KANON__LINKAGE_SENTENCE                                                                                             \
    "who knows a person's quasi-identifiers finds the row in %s of the cases; who knows all other columns, too, but one "   \
    "sensitive one, in %s"
kanon_mark kanon__linkage_mark(double quasi, double all, int64_t k);
kanon_status kanon__verdict_add_linkage(kanon_verdict *verdict, double quasi, double all, int64_t k, kanon_error *err);
/* A sensitive column of which so many records are in groups with one value, and with one value in 90 % or more. */
kanon_status kanon__verdict_add_homogeneous(kanon_verdict *verdict, const char *column, double one, double nearly,
                                            kanon_error *err);
/* There is no such column, of any that are sensitive. */
kanon_status kanon__verdict_add_mixed(kanon_verdict *verdict, bool any, kanon_error *err);
void kanon__verdict_clear(kanon_verdict *verdict);

#endif
