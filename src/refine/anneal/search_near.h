/* The near tuples of every tuple: where a record may find a better group. */
#ifndef KANON_REFINE_ANNEAL_SEARCH_NEAR_H
#define KANON_REFINE_ANNEAL_SEARCH_NEAR_H

#include "core/ticker.h"
#include "search/tree.h"

/* Tuples are known by their places in the index, where near ones stand close together. */
typedef struct kanon__near {
    kanon__tuple_tree *index;
    int32_t width;   /* neighbours of each */
    int32_t *places; /* by place: its nearest others, in no order */
} kanon__near;

/* The `width` nearest tuples of each tuple, fewer where there are fewer. */
kanon_status kanon__near_new(kanon__near **out, const kanon__space *space, const kanon__tuples *tuples, int64_t width,
                             int threads, kanon__ticker *ticker, kanon_error *err);
void kanon__near_free(kanon__near *near);

#endif
