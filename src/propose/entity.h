/* Whose record each row is: the column that says it, if persons have several records.
 *
 * A candidate is an identifying column whose values repeat. What counts is what follows from it: the records of one
 * value agree in nearly all rows, where records drawn at random would not. Sex, a date of birth or an age are a
 * person's own: people who share a house, a school or a plan differ in them. A plain number of a record (`id`) is
 * believed with less, a column of which nothing is known needs more, and where the evidence is too weak the user is
 * asked. */
#ifndef KANON_PROPOSE_ENTITY_H
#define KANON_PROPOSE_ENTITY_H

#include "propose/roles.h"

/* From facts, kinds and roles of all columns. */
kanon_status kanon__entity_find(kanon__entity_answer *out, const kanon__roles *roles, kanon_error *err);

#endif
