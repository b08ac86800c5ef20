/* What users should know, as callers get it: made of lists of texts when an object is complete. The texts stay those of the
 * lists, which do not change any more. */
#ifndef KANON_CORE_NOTICES_H
#define KANON_CORE_NOTICES_H

#include "core/texts.h"

typedef struct kanon__notices {
    kanon_notice *items;
    int64_t n, capacity;
} kanon__notices;

/* A notice of this kind for each text, behind those that are there. */
kanon_status kanon__notices_add(kanon__notices *notices, kanon_notice_kind kind, const kanon__texts *texts,
                                kanon_error *err);
/* NULL past the last. */
const kanon_notice *kanon__notices_at(const kanon__notices *notices, size_t i);
void kanon__notices_clear(kanon__notices *notices);

#endif
