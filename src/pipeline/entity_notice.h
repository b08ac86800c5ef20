/* A warning for tables in which persons have several records although no entity is declared: groups of k records may
 * then hold fewer than k persons. */
#ifndef KANON_PIPELINE_ENTITY_NOTICE_H
#define KANON_PIPELINE_ENTITY_NOTICE_H

#include "model/grouping.h"

/* Add to grouping->privacy which withheld column looks like the entity, and how many groups hold fewer than k of its
 * values; grouping->whose is then that text. Nothing is added where the table has an entity or no such column. Columns are
 * judged by a sample of the rows. */
kanon_status kanon__entity_notice(kanon_grouping *grouping, const kanon_table *table, kanon_error *err);

#endif
