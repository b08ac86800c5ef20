/* See density.h. The frontier of a growth from a seed in leaf 5, before anything is added:
 *
 *               0                 frontier: the tuples of leaf 5, and the nodes 6, 2 and ... that branch off
 *           1       2             on the way to the root. Together they hold every free tuple once.
 *         3   4
 *            5 6                                                                                               */
#include "search/density.h"

#include "core/alloc.h"
#include "search/best_first.h"
#include "search/flat_scan.h"

#include <string.h>

/* Below this many records the scan is as fast as the search. */
enum { SMALL_TABLE = 200 };

/* The tree is given up when it has cost more than the flat scan would have, by one question for each so many records. */
enum { RECORDS_PER_QUESTION = 8 };

struct kanon__density {
    kanon__free_tree *tree;
    int64_t n_free;
    kanon__bound *box; /* of the cluster at hand, in cells of the tree: lo and hi per column */
    kanon__frontier frontier;
    int32_t found;          /* the place of the last answer */
    bool *has_come;         /* scan: by place, whether the growth at hand has added it; NULL: search */
    kanon__flat_scan *flat; /* in place of the nodes of the tree, where these were given up */
    bool may_be_flat;
    int32_t *hidden; /* flat: the tuples that the growth at hand has added */
    int64_t n_hidden, hidden_capacity;
    int64_t n_visits, n_questions; /* of nodes and tuples since they were compared last */
    int64_t excess;                /* by which the tree has cost more than the flat scan would have, in records looked at */
};

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

kanon_status kanon__density_new(kanon__density **out, const kanon__space *space, const char *way, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__density *d = NULL;
    bool scan = strcmp(way, "scan") == 0 || (strcmp(way, "auto") == 0 && space->n_rows < SMALL_TABLE);
    *out = NULL;
    KANON_TRY(kanon__new_array(&d, 1, "free records", err), out);
    d->n_free = space->n_rows;
    d->may_be_flat = strcmp(way, "auto") == 0 && !scan;
    KANON_TRY(kanon__free_tree_new(&d->tree, space, false, err), out);
    KANON_TRY(kanon__new_array(&d->box, 2 * space->n_dimensions, "a cluster", err), out);
    if (scan)
        KANON_TRY(kanon__new_array(&d->has_come, d->tree->n_places, "free records", err), out);
    *out = d;
    d = NULL;
out:
    kanon__density_free(d);
    return st;
}

void kanon__density_free(kanon__density *d)
{
    if (d == NULL)
        return;
    kanon__free(d->hidden);
    kanon__flat_scan_free(d->flat);
    kanon__free(d->has_come);
    kanon__frontier_clear(&d->frontier);
    kanon__free(d->box);
    kanon__free_tree_free(d->tree);
    kanon__free(d);
}

int64_t kanon__density_n_seeds(const kanon__density *d)
{
    return d->tree->n_places;
}

int64_t kanon__density_n_free(const kanon__density *d)
{
    return d->n_free;
}

int32_t kanon__density_seed_of(const kanon__density *d, int64_t row)
{
    return d->tree->place_of[row] >= 0 ? d->tree->place_of[row] : -1;
}

int32_t kanon__density_record_of(const kanon__density *d, int32_t seed)
{
    int32_t row = d->tree->places[seed].lowest;
    return row != KANON__NO_ROW ? row : -1;
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

static kanon__candidate cost_candidate(void *payload, int32_t what)
{
    kanon__density *d = payload;
    d->n_visits++;
    return kanon__candidate_of(d->tree, d->box, what);
}

static void extend_box(kanon__density *d, int32_t place)
{
    const uint32_t *cells = d->tree->cells + (int64_t)place * d->tree->n_columns;
    for (int i = 0; i < d->tree->space->n_dimensions; i++) {
        d->box[2 * i] = kanon__smaller(d->box[2 * i], cells[i]);
        d->box[2 * i + 1] = kanon__larger(d->box[2 * i + 1], cells[i]);
    }
}

/* Fill the frontier: the tuples of the leaf, and the sibling of each node on the path from there to the root. */
static kanon_status open_frontier(kanon__density *d, int32_t leaf, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__free_tree *t = d->tree;
    for (int32_t place = t->nodes[leaf].begin; place < t->nodes[leaf].end; place++)
        if (t->places[place].lowest != KANON__NO_ROW)
            KANON_TRY(kanon__frontier_push(&d->frontier, cost_candidate(d, ~place), err), out);
    for (int32_t node = leaf; t->parent[node] >= 0; node = t->parent[node]) {
        int32_t first = t->nodes[t->parent[node]].first_child, other = first == node ? first + 1 : first;
        if (t->lowest[other] != KANON__NO_ROW)
            KANON_TRY(kanon__frontier_push(&d->frontier, cost_candidate(d, other), err), out);
    }
out:
    return st;
}

bool kanon__density_is_flat(const kanon__density *d)
{
    return d->flat != NULL;
}

/* Between two growths: compare what the tree has cost since the last one with scans. */
static kanon_status weigh_tree(kanon__density *d, kanon_error *err)
{
    int64_t scan = kanon__flat_scan_work(d->tree, d->n_free);
    int64_t excess = d->excess + kanon__flat_scan_worth(d->n_visits) - d->n_questions * scan;
    d->n_visits = d->n_questions = 0;
    d->excess = excess > 0 ? excess : 0;
    return d->excess > scan / RECORDS_PER_QUESTION * d->n_free ? kanon__flat_scan_new(&d->flat, d->tree, err) : KANON_OK;
}

/* Begin a growth at a seed, free or not: its box is one tuple. */
static kanon_status start(kanon__density *d, int32_t seed, kanon_error *err)
{
    const uint32_t *cells = d->tree->cells + (int64_t)seed * d->tree->n_columns;
    for (int i = 0; i < d->tree->space->n_dimensions; i++)
        d->box[2 * i] = d->box[2 * i + 1] = cells[i];
    if (d->has_come != NULL) {
        memset(d->has_come, 0, (size_t)d->tree->n_places * sizeof *d->has_come);
        return KANON_OK;
    }
    if (d->flat != NULL)
        return KANON_OK;
    d->frontier.n = 0;
    kanon__free_tree_tighten(d->tree);
    return open_frontier(d, d->tree->places[seed].leaf, err);
}

/* The plain implementation: the cheapest of all tuples that the growth has not added. */
static kanon__candidate scan(kanon__density *d)
{
    kanon__candidate best = {.row = -1};
    for (int32_t place = 0; place < d->tree->n_places; place++) {
        if (d->tree->places[place].lowest == KANON__NO_ROW || d->has_come[place])
            continue;
        kanon__candidate c = cost_candidate(d, ~place);
        if (best.row < 0 || kanon__candidate_before(&c, &best))
            best = c;
    }
    return best;
}

kanon_status kanon__density_find_next(kanon__density *d, int32_t *row, uint32_t *units, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__candidate found;
    *row = -1;
    *units = 0;
    d->n_questions++;
    if (d->flat != NULL) {
        *row = (int32_t)kanon__flat_scan_find_cheapest(d->flat, d->box, units);
        d->found = *row >= 0 ? d->tree->place_of[*row] : d->found;
        return KANON_OK;
    }
    if (d->has_come != NULL)
        found = scan(d);
    else if (d->frontier.n == 0) /* everything was set aside; the search would begin again at the root */
        found = (kanon__candidate){.row = -1};
    else
        KANON_TRY(kanon__best_first(&found, &d->frontier, d->tree, cost_candidate, d, err), out);
    *row = found.row;
    *units = (uint32_t)found.cost;
    if (found.row >= 0)
        d->found = ~found.what;
out:
    return st;
}

static void hide(kanon__density *d, int32_t place, bool hidden)
{
    for (int32_t i = d->tree->places[place].next; i < d->tree->places[place].end; i++)
        if (kanon__free_tree_has(d->tree, d->tree->rows[i]))
            kanon__flat_scan_hide(d->flat, d->tree->rows[i], hidden);
}

kanon_status kanon__density_set_aside(kanon__density *d, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (d->has_come != NULL) {
        d->has_come[d->found] = true;
    } else if (d->flat == NULL) {
        kanon__frontier_pop(&d->frontier);
    } else {
        KANON_TRY(kanon__grow_array(&d->hidden, &d->hidden_capacity, d->n_hidden + 1, "a cluster", err), out);
        d->hidden[d->n_hidden++] = d->found;
        hide(d, d->found, true);
    }
out:
    return st;
}

kanon_status kanon__density_start_growth(kanon__density *d, int32_t seed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (d->may_be_flat && d->flat == NULL)
        KANON_TRY(weigh_tree(d, err), out);
    KANON_TRY(start(d, seed, err), out);
out:
    return st;
}

void kanon__density_end_growth(kanon__density *d)
{
    while (d->n_hidden > 0)
        hide(d, d->hidden[--d->n_hidden], false);
}

int64_t kanon__density_found_rows(const kanon__density *d, const int32_t **rows)
{
    const kanon__free_place *place = &d->tree->places[d->found];
    *rows = d->tree->rows + place->next;
    return place->end - place->next;
}

void kanon__density_extend(kanon__density *d, int32_t row)
{
    extend_box(d, d->tree->place_of[row]);
}

uint32_t kanon__density_units(const kanon__density *d)
{
    return kanon__free_tree_units(d->tree, d->box, d->box, 2);
}

kanon_status kanon__density_measure(kanon__density *d, int32_t seed, int64_t k, uint32_t *units, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t size = 0;
    KANON_TRY(kanon__density_start_growth(d, seed, err), out);
    while (size < k) {
        int32_t row;
        KANON_TRY(kanon__density_find_next(d, &row, units, err), out);
        extend_box(d, d->found);
        size += d->tree->places[d->found].end - d->tree->places[d->found].next;
        KANON_TRY(kanon__density_set_aside(d, err), out);
    }
out:
    kanon__density_end_growth(d);
    return st;
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

kanon_status kanon__density_begin_cluster(kanon__density *d, int32_t seed, kanon_error *err)
{
    kanon_status st = start(d, seed, err);
    d->found = seed;
    if (st == KANON_OK)
        kanon__density_take_found(d);
    return st;
}

void kanon__density_take(kanon__density *d, int32_t row)
{
    kanon__free_tree_take(d->tree, d->tree->place_of[row], row);
    if (d->flat != NULL)
        kanon__flat_scan_remove(d->flat, row);
    d->n_free--;
}

void kanon__density_take_found(kanon__density *d)
{
    int32_t row = d->tree->places[d->found].lowest;
    extend_box(d, d->found);
    kanon__density_take(d, row);
}
