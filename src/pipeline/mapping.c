#include "pipeline/mapping.h"

#include "core/alloc.h"

#include <string.h>

kanon_status kanon__mapping_init(kanon__mapping *m, const kanon__data *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *m = (kanon__mapping){0};
    KANON_TRY(kanon__new_array(&m->columns, table->n_quasi, "what is shown", err), out);
    KANON_TRY(kanon__new_array(&m->shown, table->n_quasi, "what is shown", err), out);
    for (int i = 0; i < table->n_quasi; i++) {
        const kanon__column *c = &table->columns[table->quasi[i]];
        KANON_TRY(kanon__new_array(&m->columns[i].shown, 2 * (int64_t)c->domain->n_codes, "what is shown", err), out);
        m->shown[i] = m->columns[i].shown;
        m->n = i + 1;
        KANON_TRY(kanon__copy_text(&m->columns[i].column, c->name, strlen(c->name), "a column name", err), out);
    }
out:
    return st;
}

void kanon__mapping_clear(kanon__mapping *m)
{
    kanon__recoded_free(m->columns, m->n);
    kanon__free(m->shown);
    *m = (kanon__mapping){0};
}

void kanon__mapping_hand_over(kanon__mapping *m, kanon_grouping *g)
{
    g->recoded = m->columns;
    g->n_recoded = m->n;
    m->columns = NULL;
}
