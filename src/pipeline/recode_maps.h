/* The recode maps of one run, one per quasi attribute: room for the algorithm to fill, then a part of the grouping.
 *
 * Attribute-level recoding (--recode attribute) replaces each code of an attribute by one range of codes in every group.
 * The algorithm sees plain arrays of ranges (kanon__run.recode_maps); the grouping also needs the column names
 * (kanon__recode_map). This struct holds both views of the same memory until the grouping takes it over. */
#ifndef KANON_PIPELINE_RECODE_MAPS_H
#define KANON_PIPELINE_RECODE_MAPS_H

#include "model/grouping.h"

typedef struct kanon__recode_maps {
    kanon__recode_map *maps; /* by quasi attribute */
    uint32_t **ranges;       /* ranges[i] is maps[i].ranges: what kanon__run.recode_maps points to */
    int n;                   /* maps that are allocated */
} kanon__recode_maps;

/* Allocate the maps of the table's quasi attributes. Call kanon__recode_maps_clear also after a failure. */
kanon_status kanon__recode_maps_init(kanon__recode_maps *maps, const kanon__data *table, kanon_error *err);
void kanon__recode_maps_clear(kanon__recode_maps *maps);
/* The grouping takes over the maps; `ranges` stays valid until kanon__recode_maps_clear. */
void kanon__recode_maps_hand_over(kanon__recode_maps *maps, kanon_grouping *grouping);

#endif
