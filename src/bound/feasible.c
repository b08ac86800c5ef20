/* Prices that become dual feasible, in passes:
 *
 *   1. Separate all items, on several threads; the violated sets become cuts.
 *   2. In the order of the items: lower the prices of a violated set's members, all by the same, until it is not violated.
 *   3. Items without a violated set leave. The others owe what their search could not exclude: every set of an item holds
 *      its tuple, so lowering the price of the tuple by the debt would be enough for all of them.
 *   4. Where all debts together are small, or the work is stopped, they are paid. Else begin again with the items that are
 *      left, and search them more patiently. At the end of patience an item pays a part of its debt in each pass: a lower
 *      price has fewer boxes to search, and mostly the debt turns out to be smaller.
 *   5. Take off the tolerance from every price: what was let pass is paid for.
 *
 * It is right because lowering a price violates nothing, and because each set belongs to the problem of its first tuple in
 * an order that stays. Called by lower_bound.c. Calls separation.h, cuts.h. */
#include "bound/feasible.h"

/* Entries that a search visits: in the first pass, how much more in each pass, and at most (a hundredth of a second). */
enum { FIRST_BUDGET = 20000, GROWTH = 4, PATIENCE = 1 << 21, MOST_PASSES = 200 };
static const double SMALL_SHARE = 0.03; /* step 4: of what the prices are worth */
static const double PART = 0.2;         /* step 4: of its price, the most that an item pays in one pass */

typedef struct feasible_run {
    kanon__separation *separation;
    kanon__priced_table *table;
    int64_t let_pass; /* excess of k records */
    int64_t budget;
    bool failed; /* a price left its range */
} feasible_run;

static void lower(feasible_run *f, int64_t tuple, int64_t units)
{
    int32_t *price = &f->table->prices[tuple];
    if (*price - units < KANON__LOWEST_PRICE)
        f->failed = true;
    else
        *price -= (int32_t)units;
}

/* 2. Sets of this pass that came before may have lowered its prices enough already. */
static void lower_set(feasible_run *f, const kanon__violated_set *set)
{
    const kanon__priced_table *t = f->table;
    int64_t excess = -t->k * set->units;
    for (int64_t i = 0; i < set->n; i++)
        excess += (int64_t)set->times[i] * t->prices[set->tuples[i]];
    int64_t each = excess > 0 ? (excess + t->k - 1) / t->k : 0;
    for (int64_t i = 0; i < set->n && each > 0; i++)
        lower(f, set->tuples[i], each);
}

/* 4. How much it paid. */
static int64_t pay_part(feasible_run *f, int64_t tuple, int64_t due)
{
    int64_t price = f->table->prices[tuple], most = (int64_t)(PART * (double)(price > 0 ? price : -price));
    most += f->let_pass > 0 ? f->let_pass : 1;
    lower(f, tuple, due < most ? due : most);
    return due < most ? due : most;
}

/* 3. What the items owe after the prices were lowered; those that owe nothing leave. The sum of what all records owe. */
static int64_t settle(feasible_run *f)
{
    kanon__separation *s = f->separation;
    int64_t left = 0, sum = 0;
    for (int64_t i = 0; i < s->n && !f->failed; i++) {
        kanon__separation_item item = s->items[i];
        item.due = item.set.at_most - f->let_pass - (item.price - f->table->prices[item.tuple]);
        if (item.due > 0 && item.set.n == 0 && f->budget >= PATIENCE)
            item.due -= pay_part(f, item.tuple, item.due);
        if (item.due <= 0)
            continue;
        sum += item.due * f->table->counts[item.tuple];
        s->items[left++] = item;
    }
    s->n = left;
    return sum;
}

/* 4. Debts, either all or only those that are no higher than the price of the tuple was: the others are far from what they
 * will turn out to be. Who has paid leaves. */
static void pay(feasible_run *f, bool all)
{
    kanon__separation *s = f->separation;
    int64_t left = 0;
    for (int64_t i = 0; i < s->n && !f->failed; i++) {
        kanon__separation_item item = s->items[i];
        if (all || item.due <= s->radius[item.tuple])
            lower(f, item.tuple, item.due);
        else
            s->items[left++] = item;
    }
    s->n = left;
}

/* 1 to 3. *due is what is owed. */
static kanon_status pass(feasible_run *f, int32_t tolerance, kanon__cuts *cuts, int64_t *due, kanon__ticker *ticker,
                         kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__separation *s = f->separation;
    int64_t enough = f->budget / GROWTH > FIRST_BUDGET ? f->budget / GROWTH : FIRST_BUDGET;
    KANON_TRY(kanon__separation_run(s, tolerance, f->budget, enough, ticker, err), out);
    KANON_TRY(kanon__cuts_add(cuts, s->items, s->n, err), out);
    for (int64_t i = 0; i < s->n && !f->failed; i++)
        lower_set(f, &s->items[i].set);
    *due = settle(f);
out:
    return st;
}

kanon_status kanon__make_feasible(kanon__separation *s, int32_t tolerance, int64_t worth, kanon__cuts *cuts, bool *feasible,
                                  kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__priced_table *t = s->table;
    feasible_run f = {.separation = s, .table = t, .let_pass = tolerance * t->k, .budget = FIRST_BUDGET};
    *feasible = false;
    KANON_TRY(kanon__separation_start(s, err), out);
    for (int passes = 0; s->n > 0 && !f.failed && st == KANON_OK; passes++) {
        int64_t due = 0;
        st = pass(&f, tolerance, cuts, &due, ticker, err);
        if (st != KANON_OK && (st != KANON_ECANCELLED || passes == 0)) /* no debt is known before the first pass ends */
            goto out;
        bool end = st != KANON_OK || passes == MOST_PASSES;
        if (end || (double)due <= SMALL_SHARE * (double)worth)
            pay(&f, end);
        f.budget = f.budget * GROWTH < PATIENCE ? f.budget * GROWTH : PATIENCE;
    }
    for (int64_t tuple = 0; tuple < t->n && !f.failed; tuple++) /* 5. */
        lower(&f, tuple, tolerance);
    *feasible = !f.failed;
out:
    return st;
}
