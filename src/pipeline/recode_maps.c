/* See recode_maps.h. The room is allocated before the algorithm runs, and moved to the grouping when it has ended. */
#include "pipeline/recode_maps.h"

#include "core/alloc.h"

#include <string.h>

kanon_status kanon__recode_maps_init(kanon__recode_maps *m, const kanon__data *table, kanon_error *err)
{
    *m = (kanon__recode_maps){0};
    KANON_CHECK(kanon__new_array(&m->maps, table->n_quasi, "recode maps", err));
    KANON_CHECK(kanon__new_array(&m->ranges, table->n_quasi, "recode maps", err));
    for (int i = 0; i < table->n_quasi; i++) {
        const kanon__column *c = &table->columns[table->quasi[i]];
        KANON_CHECK(kanon__new_array(&m->maps[i].ranges, 2 * (int64_t)c->domain->n_codes, "recode maps", err));
        m->ranges[i] = m->maps[i].ranges;
        m->n = i + 1;
        KANON_CHECK(kanon__copy_text(&m->maps[i].column, c->name, strlen(c->name), "a column name", err));
    }
    return KANON_OK;
}

void kanon__recode_maps_clear(kanon__recode_maps *m)
{
    kanon__recode_map_array_free(m->maps, m->n);
    kanon__free(m->ranges);
    *m = (kanon__recode_maps){0};
}

void kanon__recode_maps_hand_over(kanon__recode_maps *m, kanon_grouping *g)
{
    g->recode_maps = m->maps;
    g->n_recode_maps = m->n;
    m->maps = NULL;
}
