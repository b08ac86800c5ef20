/* See entity_records.h. Counting an entity's records in a group by sorting triples of group, entity and row. */
#include "model/entity_records.h"

#include "core/alloc.h"

#include <stdlib.h>

typedef struct occurrence {
    int32_t group;
    uint32_t entity;
    int32_t row;
} occurrence;

static int by_group_and_entity(const void *left, const void *right)
{
    const occurrence *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->entity < b->entity ? -1 : a->entity > b->entity;
}

kanon_status kanon__entity_records_new(int32_t **out, kanon__codes entities, const int32_t *group_of, int64_t n_rows,
                                       kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *records = NULL;
    occurrence *list = NULL;
    int64_t n = 0;
    *out = NULL;
    KANON_TRY(kanon__new_array(&records, n_rows, "records of entities", err), out);
    KANON_TRY(kanon__new_array(&list, n_rows, "records of entities", err), out);
    for (int64_t row = 0; row < n_rows; row++)
        if (group_of[row] >= 0)
            list[n++] = (occurrence){group_of[row], kanon__code_at(entities, row), (int32_t)row};
    qsort(list, (size_t)n, sizeof *list, by_group_and_entity);
    for (int64_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && by_group_and_entity(&list[begin], &list[end]) == 0;)
            end++;
        for (int64_t i = begin; i < end; i++)
            records[list[i].row] = (int32_t)(end - begin);
    }
    *out = records;
    records = NULL;
out:
    kanon__free(list);
    kanon__free(records);
    return st;
}
