/* Warnings of columns that are released as they are and say more about persons than their role supposes. */
#ifndef KANON_PIPELINE_RELEASED_NOTICE_H
#define KANON_PIPELINE_RELEASED_NOTICE_H

#include "model/grouping.h"

/* Add to grouping->privacy, and to its `identifying` or `telling`, what is suspicious about sensitive and insensitive columns (propose/suspicion.h), judged by a sample of
 * the rows. Nothing is read where there are none. What was found when the table was read is not said again. */
kanon_status kanon__released_notice(kanon_grouping *grouping, const kanon_table *table, kanon_error *err);

/* The bytes that this takes at most, about. */
int64_t kanon__released_notice_need(const kanon__data *data);

#endif
