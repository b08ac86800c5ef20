/* Which rows of the old release a new one still has, so that a refresh by change writes only the others.
 *
 * Rows are compared by their keyed hashes (fingerprint.c), which a verification of the whole table follows. Rows that look
 * alike are interchangeable: each new row takes one old row of its kind, in no particular order. Somebody who reads both
 * releases learns from the places of rows no more than from their difference. Called by refresh.c and sink.c. */
#include "host.h"

#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

enum { ROWS_BETWEEN_INTERRUPTS = 1000 };

typedef struct kind {
    row_hash hash;
    int64_t first; /* of the old rows of this kind, linked by `next`; -1: none is left, -2: no kind here */
} kind;

struct difference {
    kind *kinds;
    uint64 mask;
    ItemPointerData *places; /* not valid: a new row has taken it */
    int64_t *next;
    int64_t n, room;
};

static kind *find(difference *d, row_hash h)
{
    uint64 at = h.a & d->mask;
    while (d->kinds[at].first != -2 && (d->kinds[at].hash.a != h.a || d->kinds[at].hash.b != h.b))
        at = (at + 1) & d->mask;
    return &d->kinds[at];
}

difference *difference_new(run *r, int64_t n)
{
    difference *d = MemoryContextAllocZero(r->context, sizeof *d);
    uint64 room = 16;
    while (room < (uint64)n * 2)
        room *= 2;
    d->mask = room - 1;
    d->room = n;
    d->kinds = MemoryContextAllocHuge(r->context, room * sizeof *d->kinds);
    for (uint64 i = 0; i < room; i++)
        d->kinds[i].first = -2;
    d->places = MemoryContextAllocHuge(r->context, ((Size)n + 1) * sizeof *d->places);
    d->next = MemoryContextAllocHuge(r->context, ((Size)n + 1) * sizeof *d->next);
    return d;
}

void difference_add(difference *d, row_hash h, ItemPointerData at)
{
    if (d->n == d->room)
        elog(ERROR, "the release has more rows than it had");
    kind *k = find(d, h);
    d->places[d->n] = at;
    d->next[d->n] = k->first == -2 ? -1 : k->first;
    k->hash = h;
    k->first = d->n++;
}

/* The first column of the frame is the place of the row. */
difference *difference_of(run *r, frame *old, const fingerprint *key)
{
    difference *d = difference_new(r, frame_rows(old));
    frame_stream(&r->release, old);
    if (r->release.get_schema(&r->release, &r->batch_schema) != 0)
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
    while (r->release.get_next(&r->release, &r->batch) == 0 && r->batch.release != NULL) {
        const int64_t *places = r->batch.children[0]->buffers[1];
        for (int64_t row = 0; row < r->batch.length; row++) {
            ItemPointerData at;
            ItemPointerSet(&at, (BlockNumber)(places[row] >> 16), (OffsetNumber)(places[row] & 0xffff));
            difference_add(d, fingerprint_row(key, &r->batch_schema, &r->batch, row, 1), at);
        }
        r->batch.release(&r->batch);
        CHECK_FOR_INTERRUPTS();
    }
    r->batch_schema.release(&r->batch_schema);
    r->release.release(&r->release);
    return d;
}

bool difference_take(difference *d, row_hash h, ItemPointer at)
{
    kind *k = find(d, h);
    if (k->first < 0)
        return false;
    int64_t taken = k->first;
    k->first = d->next[taken];
    *at = d->places[taken];
    ItemPointerSetInvalid(&d->places[taken]);
    return true;
}

/* Deletes the old rows that no new one has taken. */
int64_t difference_delete(difference *d, Relation release)
{
    int64_t deleted = 0;
    for (int64_t i = 0; i < d->n; i++) {
        if (!ItemPointerIsValid(&d->places[i]))
            continue;
        simple_table_tuple_delete(release, &d->places[i], GetActiveSnapshot());
        if (++deleted % ROWS_BETWEEN_INTERRUPTS == 0)
            CHECK_FOR_INTERRUPTS();
    }
    return deleted;
}
