/* See notices.h. */
#include "core/notices.h"

#include "core/alloc.h"

kanon_status kanon__notices_add(kanon__notices *notices, kanon_notice_kind kind, const kanon__texts *texts,
                                kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&notices->items, &notices->capacity, notices->n + texts->n, "notices", err));
    for (int64_t i = 0; i < texts->n; i++)
        notices->items[notices->n++] = (kanon_notice){kind, texts->items[i]};
    return KANON_OK;
}

const kanon_notice *kanon__notices_at(const kanon__notices *notices, size_t i)
{
    return i < (size_t)notices->n ? &notices->items[i] : NULL;
}

void kanon__notices_clear(kanon__notices *notices)
{
    kanon__free(notices->items);
    *notices = (kanon__notices){0};
}
