/* A short search around what changed.
 *
 * I3M+ and I3M- place one record after the other and never look back, so groups that a search has made lose what it had
 * gained where records come and go. The refinement that made them, given the changed groups and some groups around each of
 * them as a small table, wins most of that back:
 *
 *     1. List the changed groups and the NEIGHBOURS groups nearest to each.
 *     2. Search with a number of moves for each of their records (kanon__local_search).
 *
 * Its cost follows the change, not the table. The number of moves is fixed, so that equal commands on equal states give
 * equal groups with any number of threads. Entities that stay together are not searched: a record could leave the
 * others. */
#include "state/maintain/local_search.h"

#include "core/pool.h"
#include "refine/refinement.h"
#include "state/store/state_requirements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEIGHBOURS = 3,         /* groups around a changed one */
    MOVES = 40,             /* for each record, */
    BEST_FACTOR = 8,        /* so many times as many with effort=best */
    LARGEST_IN_K = 8,       /* groups of more than so many times k are left alone */
    MOST_RECORDS = 1000000, /* where more would be read, kanon optimize is the better way */
};

bool kanon__state_was_set(const kanon_state *s, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = s->settings; at != NULL && (at = strstr(at, line)) != NULL; at += length)
        if ((at == s->settings || at[-1] == '\n') && (at[length] == '\0' || at[length] == '\n'))
            return true;
    return false;
}

kanon_status kanon__local_search_plan(kanon_state *s, const char *effort, kanon_error *err)
{
    bool made_by_search = s->refinement != NULL && strcmp(s->refinement, "search") == 0 &&
                          !kanon__state_was_set(s, "effort=fast");
    bool best = effort != NULL && strcmp(effort, "best") == 0, fast = effort != NULL && strcmp(effort, "fast") == 0;
    s->search_moves = 0;
    if (effort != NULL && !best && !fast && strcmp(effort, "balanced") != 0)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "there is no effort '%s'", effort),
                           "choose one of: fast, balanced, best");
    if (made_by_search && !fast && !kanon__entities_stay_together(s))
        s->search_moves = best ? MOVES * BEST_FACTOR : MOVES;
    return KANON_OK;
}

/* Large groups are of records that hardly differ: there is little to gain, and reading them would cost more than the change.
 * Those that changed stay where requirements have to be checked. */
static kanon_status drop_large(const kanon_state *s, kanon__group_refs *refs, kanon_error *err)
{
    int64_t n = 0;
    for (int64_t i = 0; i < refs->n; i++) {
        kanon__group_slot at;
        KANON_CHECK(kanon__group_index_locate(s->index, &at, &refs->items[i], err));
        bool small = at.node != NULL && kanon__group_size(at) <= LARGEST_IN_K * s->k;
        bool needed = kanon__state_has_requirements(s) && s->n_changed_groups > 0 &&
                      bsearch(&refs->items[i].number, s->changed_groups, (size_t)s->n_changed_groups,
                              sizeof *s->changed_groups, kanon__compare_numbers) != NULL;
        if (small || needed)
            refs->items[n++] = refs->items[i];
    }
    refs->n = n;
    return KANON_OK;
}

kanon_status kanon__local_search_list(kanon_state *s, kanon__group_refs *refs, int64_t *n_near, kanon_error *err)
{
    int64_t n_changed = refs->n, most_groups = MOST_RECORDS / (2 * s->k);
    *n_near = 0;
    if (s->search_moves == 0 || n_changed > most_groups) {
        s->search_moves = 0;
        if (!kanon__state_has_requirements(s))
            refs->n = 0; /* nobody has to look at them */
        return KANON_OK;
    }
    for (int64_t i = 0; i < n_changed && refs->n < most_groups; i++) {
        kanon__group_slot at;
        KANON_CHECK(kanon__group_index_locate(s->index, &at, &refs->items[i], err));
        if (at.node != NULL)
            KANON_CHECK(kanon__group_index_nearest(s->index, refs, at, NEIGHBOURS, err));
    }
    kanon__group_refs_sort(refs);
    KANON_CHECK(drop_large(s, refs, err));
    *n_near = refs->n * 2 * s->k;
    return KANON_OK;
}

kanon_status kanon__local_search(const kanon_state *s, kanon__run *outer, int64_t n_near, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__refinement *search = kanon__refinement_find("search");
    kanon__settings settings = {0};
    kanon__texts warnings = {0};
    char moves[32];
    kanon_setting given = {"moves", moves};
    kanon__run run = *outer;
    int64_t n = run.table->n_rows < n_near ? run.table->n_rows : n_near;
    if (s->search_moves == 0 || n == 0 || run.n_groups < 2) /* 0 moves would mean: as many as for a fresh run */
        return KANON_OK;
    snprintf(moves, sizeof moves, "%lld", (long long)(s->search_moves * n));
    KANON_TRY(kanon__settings_init(&settings, &search->info, &given, 1, err), out);
    run.settings = &settings;
    run.may_suppress = 0; /* no command suppresses records */
    run.warnings = &warnings;
    run.threads = kanon__pool_threads(0);
    KANON_TRY(search->run(&run, err), out);
    outer->n_groups = run.n_groups;
out:
    kanon__texts_clear(&warnings);
    kanon__settings_clear(&settings);
    return st;
}
