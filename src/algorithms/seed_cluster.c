/* See seed_cluster.h. Ties: the lowest record. */
#include "algorithms/seed_cluster.h"

#include "core/alloc.h"

/* A record that helps may cost 1/5 of an attribute's full loss more; beyond that the repair is cheaper on most tables. */
enum { TOLERATED_PART = 5 };

/* The search for records that help ends after so many tuples without one, and that in a tuple after so many records. */
enum { MOST_REFUSED = 200 };

/* Of more than so many times k equal records no part is chosen: all of them are one cluster. */
enum { MANY_EQUAL = 64 };

kanon_status kanon__seed_cluster_init(kanon__seed_cluster *out, const kanon__run *run, kanon__density *density,
                                      kanon_error *err)
{
    bool at_any_cost = run->table->has_entity; /* k records of one entity protect nobody */
    *out = (kanon__seed_cluster){.run = run, .density = density};
    out->tolerated = at_any_cost ? UINT32_MAX : (uint32_t)(run->space->scale / TOLERATED_PART);
    return kanon__new_array(&out->refused, run->k, "a cluster", err);
}

void kanon__seed_cluster_clear(kanon__seed_cluster *c)
{
    kanon__tally_clear(&c->tally);
    kanon__free(c->refused);
    kanon__free(c->rows);
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

static kanon_status join(kanon__seed_cluster *c, int32_t row, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&c->rows, &c->capacity, c->size + 1, "a cluster", err);
    if (st != KANON_OK)
        return st;
    c->rows[c->size++] = row;
    return kanon__tally_add(&c->tally, row, err);
}

static bool has_joined(const kanon__seed_cluster *c, int64_t since, int32_t row)
{
    for (int64_t i = since; i < c->size; i++)
        if (c->rows[i] == row)
            return true;
    return false;
}

/* The records of the tuple that was found last and help, while there is room and a constraint is violated. */
static kanon_status join_helpers(kanon__seed_cluster *c, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const int32_t *rows;
    int64_t n = kanon__density_found_rows(c->density, &rows);
    bool holds = kanon__tally_holds(&c->tally);
    for (int64_t i = 0, n_refused = 0; i < n && c->size < most && !holds && n_refused < MOST_REFUSED; i++) {
        if (kanon__density_seed_of(c->density, rows[i]) < 0)
            continue;
        if (!kanon__tally_helps(&c->tally, rows[i])) {
            n_refused++;
            continue;
        }
        KANON_TRY(join(c, rows[i], err), out);
        holds = kanon__tally_holds(&c->tally);
    }
out:
    return st;
}

/* Its other records, as many as there are places to spare. Those that helped have joined since the size was `before`. */
static kanon_status join_others(kanon__seed_cluster *c, int64_t before, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const int32_t *rows;
    int64_t n = kanon__density_found_rows(c->density, &rows), helpers_end = c->size, k = c->run->k;
    for (int64_t i = 0; i < n && c->size < k; i++) {
        if (kanon__density_seed_of(c->density, rows[i]) < 0 || (helpers_end > before && has_joined(c, before, rows[i])))
            continue;
        if (kanon__tally_lack(&c->tally) < k - c->size)
            KANON_TRY(join(c, rows[i], err), out);
        else if (c->n_refused < k)
            c->refused[c->n_refused++] = rows[i];
        else
            break; /* nothing that joins is left, and enough is kept in reserve */
    }
out:
    return st;
}

static uint32_t add_tolerated(const kanon__seed_cluster *c, uint32_t units)
{
    return c->tolerated < UINT32_MAX - units ? units + c->tolerated : UINT32_MAX;
}

/* Tuple by tuple, up to `most` records: below k of any kind, beyond it those that help while something is violated. */
static kanon_status grow_to(kanon__seed_cluster *c, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool beyond = most > c->run->k;
    uint32_t limit = beyond ? add_tolerated(c, c->units) : UINT32_MAX, units;
    for (int n_refused = 0; c->size < most && n_refused < MOST_REFUSED && !(beyond && kanon__tally_holds(&c->tally));) {
        int64_t before = c->size;
        int32_t row;
        KANON_TRY(kanon__density_find_next(c->density, &row, &units, err), out);
        if (row < 0 || units > limit)
            break;
        KANON_TRY(join_helpers(c, most, err), out);
        if (!beyond)
            KANON_TRY(join_others(c, before, err), out);
        if (c->size > before) {
            kanon__density_extend(c->density, row);
            c->units = units;
        } else if (n_refused++ == 0 && !beyond) {
            limit = add_tolerated(c, units);
        }
        KANON_TRY(kanon__density_set_aside(c->density, err), out);
    }
out:
    return st;
}

/* What is missing up to k: the records that were refused, then the nearest ones. */
static kanon_status fill_up(kanon__seed_cluster *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t k = c->run->k, n;
    const int32_t *rows;
    for (int64_t i = 0; i < c->n_refused && c->size < k; i++) {
        KANON_TRY(join(c, c->refused[i], err), out);
        kanon__density_extend(c->density, c->refused[i]);
    }
    while (c->size < k) {
        int32_t row;
        uint32_t units;
        KANON_TRY(kanon__density_find_next(c->density, &row, &units, err), out);
        n = kanon__density_found_rows(c->density, &rows);
        for (int64_t i = 0; i < n && c->size < k; i++)
            if (kanon__density_seed_of(c->density, rows[i]) >= 0)
                KANON_TRY(join(c, rows[i], err), out);
        kanon__density_extend(c->density, row);
        KANON_TRY(kanon__density_set_aside(c->density, err), out);
    }
    c->units = kanon__density_units(c->density);
out:
    return st;
}

/* The full loss of an attribute for each record that the cluster lacks, shared by its records as D is. */
static uint64_t price_violation(kanon__seed_cluster *c)
{
    double lacking = (double)kanon__tally_violation(&c->tally) / (double)KANON__VIOLATION_UNIT;
    return (uint64_t)(lacking * (double)c->run->space->scale / (double)c->size);
}

kanon_status kanon__seed_cluster_grow(kanon__seed_cluster *c, int32_t seed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t k = c->run->k;
    kanon__tally_clear(&c->tally); /* anew: its counters are as many as the values that it has had */
    KANON_TRY(kanon__tally_init(&c->tally, c->run->constraints, err), out);
    KANON_TRY(kanon__density_start_growth(c->density, seed, err), out);
    c->size = c->n_refused = 0;
    c->units = 0;
    KANON_TRY(grow_to(c, k, err), out);
    if (c->size < k)
        KANON_TRY(fill_up(c, err), out);
    KANON_TRY(grow_to(c, 2 * k - 1, err), out);
    c->cost = c->units + price_violation(c);
out:
    kanon__density_end_growth(c->density);
    return st;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* A record that the cluster covers joins where that violates nothing new. */
static kanon_status join_covered(kanon__seed_cluster *c, int32_t row, kanon_error *err)
{
    bool joins = kanon__tally_helps(&c->tally, row);
    kanon_status st = joins ? KANON_OK : kanon__tally_holds_with(&c->tally, row, &joins, err);
    return st == KANON_OK && joins ? join(c, row, err) : st;
}

/* The free records of the tuple that was found last. All of them where that costs nothing and the cluster violates a
 * constraint anyway, or where they are many: to choose among them for each cluster would take the square of their number. */
static kanon_status cover_tuple(kanon__seed_cluster *c, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const int32_t *rows;
    int64_t n = kanon__density_found_rows(c->density, &rows);
    bool all = c->units == 0 && (n / MANY_EQUAL > c->run->k || !kanon__tally_holds(&c->tally));
    for (int64_t i = 0, n_refused = 0; i < n && c->size < most && n_refused < MOST_REFUSED; i++) {
        int64_t before = c->size;
        if (kanon__density_seed_of(c->density, rows[i]) < 0)
            continue;
        KANON_TRY(all ? join(c, rows[i], err) : join_covered(c, rows[i], err), out);
        n_refused += c->size == before;
    }
out:
    return st;
}

/* Records are set aside until all have been found: while one is, none may be taken. */
static kanon_status cover(kanon__seed_cluster *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t most = c->units == 0 ? INT64_MAX : 2 * c->run->k - 1;
    while (c->size < most) {
        int32_t row;
        uint32_t units;
        KANON_TRY(kanon__density_find_next(c->density, &row, &units, err), out);
        if (row < 0 || units > c->units)
            break;
        KANON_TRY(cover_tuple(c, most, err), out);
        KANON_TRY(kanon__density_set_aside(c->density, err), out);
    }
out:
    kanon__density_end_growth(c->density);
    return st;
}

static void take(kanon__seed_cluster *c, int64_t from, int32_t group)
{
    for (int64_t i = from; i < c->size; i++) {
        kanon__density_take(c->density, c->rows[i]);
        c->run->group_of[c->rows[i]] = group;
    }
}

kanon_status kanon__seed_cluster_make(kanon__seed_cluster *c, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t grown = c->size;
    KANON_TRY(kanon__density_start_growth(c->density, kanon__density_seed_of(c->density, c->rows[0]), err), out);
    for (int64_t i = 0; i < grown; i++)
        kanon__density_extend(c->density, c->rows[i]);
    take(c, 0, group);
    KANON_TRY(cover(c, err), out);
    take(c, grown, group);
out:
    return st;
}
