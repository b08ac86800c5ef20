/* See suppressed_records.h. A suppressed record belongs to the region of the first record near it that has a group: one
 * with its own tuple, else one of a neighbouring tuple, else the record before it in index order. Cuts are at other
 * places in each round, so a record at a border meets all groups around it in time.
 *
 * Cost: O(suppressed records * neighbours) for each round, O(1) for a record that comes or goes. */
#include "refine/anneal/suppressed_records.h"

#include "core/alloc.h"

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* A group of the tuple's records; -1: those that were looked at are suppressed. */
static int32_t group_of_tuple(const kanon__search_state *s, int32_t ordinal)
{
    enum { MOST = 8 };
    int64_t tuple = s->neighbourhood->index->order[ordinal], begin = s->tuples->begins[tuple];
    int64_t end = s->tuples->begins[tuple + 1];
    end = end - begin < MOST ? end : begin + MOST;
    for (int64_t i = begin; i < end; i++)
        if (s->group_of[s->tuples->rows[i]] >= 0)
            return s->group_of[s->tuples->rows[i]];
    return -1;
}

static int32_t group_near(const kanon__search_state *s, int32_t row)
{
    const kanon__neighbourhood *near = s->neighbourhood;
    int32_t ordinal = s->ordinal_of[row], group = group_of_tuple(s, ordinal);
    for (int32_t i = 0; i < near->width && group < 0; i++)
        group = group_of_tuple(s, near->ordinals[(int64_t)ordinal * near->width + i]);
    return group;
}

/* How many records are suppressed. */
static int64_t find_homes(kanon__regions *r)
{
    const kanon__search_state *s = r->state;
    int32_t last = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < s->space->n_rows; i++) {
        int32_t row = s->rows[i], group = s->group_of[row];
        if (group >= 0) {
            last = r->region_of[group];
            continue;
        }
        group = group_near(s, row);
        r->homes[n] = group >= 0 ? r->region_of[group] : last;
        r->ranges[r->homes[n]].n_suppressed++;
        r->ranges[r->homes[n++]].n_records++;
    }
    return n;
}

void kanon__suppressed_share(kanon__regions *r)
{
    r->homes = r->rows + r->row_begins[r->state->n_groups];
    int64_t n = find_homes(r), left = r->state->may_suppress > n ? r->state->may_suppress - n : 0, given = 0, before = 0;
    for (int64_t i = 0; i < r->n_regions; i++) { /* rounded so that all shares together are what is left */
        kanon__region_range *range = &r->ranges[i];
        before += range->n_records;
        int64_t until = (int64_t)((__int128)left * before / r->state->space->n_rows);
        range->most_suppressed = range->n_suppressed + until - given;
        given = until;
    }
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__region_allow_suppression(kanon__region *r, int64_t most, int64_t full, kanon_error *err)
{
    r->most_suppressed = (int32_t)most;
    r->full = full;
    return kanon__new_array(&r->suppressed, most, "suppressed records", err);
}

void kanon__region_suppress(kanon__region *r, int32_t record)
{
    r->member_index[record] = r->n_suppressed;
    r->suppressed[r->n_suppressed++] = record;
    r->group_of[record] = KANON__NO_GROUP;
    r->loss += r->full;
}

void kanon__region_return(kanon__region *r, int32_t record)
{
    int32_t last = r->suppressed[--r->n_suppressed];
    r->suppressed[r->member_index[record]] = last;
    r->member_index[last] = r->member_index[record];
    r->loss -= r->full;
}
