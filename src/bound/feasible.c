/* Prices that become dual feasible, in passes:
 *
 *   1. Separate all items, on several threads; the violated sets become cuts.
 *   2. In the order of the items: lower the prices of a violated set's members until it is not violated, each in proportion
 *      to how far it is above the floor, prices that are dual feasible. After the first pass the tuple of the item, which
 *      all its sets hold, pays before the others.
 *   3. Items without a violated set leave. The others owe what their search could not exclude: every set of an item holds
 *      its tuple, so lowering the price of the tuple by the debt would be enough for all of them.
 *   4. Where all debts together are small, or the work is stopped, they are paid. Else begin again with the items that are
 *      left, and search them more patiently. At the end of patience an item pays a part of its debt in each pass: a lower
 *      price has fewer boxes to search, and mostly the debt turns out to be smaller.
 *   5. Take off the tolerance from every price: what was let pass is paid for.
 *
 * It is right because lowering a price violates nothing, and because each set belongs to the problem of its first tuple
 * in an order that stays. */
#include "bound/feasible.h"

#include "core/ticker.h"

#include <math.h>

/* Entries that a search visits: in the first pass, how much more in each pass, and at most (a hundredth of a second). */
enum { FIRST_BUDGET = 20000, GROWTH = 4, PATIENCE = 1 << 21, MOST_PASSES = 200 };
static const double SMALL_SHARE = 0.03; /* step 4: of what the prices are worth */
static const double PART = 0.2;         /* step 4: of its price, the most that an item pays in one pass */
/* Without a limit of time, a trial is hopeless where a pass with so large a budget leaves so many items. */
enum { TRIAL_BUDGET = 320000 };
static const double LEFT_OPEN = 0.1;

typedef struct feasible_run {
    kanon__separation *separation;
    kanon__priced_table *table;
    const int32_t *floor; /* by tuple: dual feasible prices */
    int32_t tolerance;
    int64_t let_pass; /* excess of k records */
    double worth;     /* what debts are compared with */
    int64_t budget;
    bool first_pays; /* the tuple that all sets of an item hold, before the others */
    bool failed;     /* a price left its range */
} feasible_run;

static feasible_run begin(kanon__separation *s, const kanon__feasible_task *task)
{
    return (feasible_run){.separation = s,
                          .table = s->table,
                          .floor = task->floor,
                          .tolerance = task->tolerance,
                          .let_pass = task->tolerance * s->table->k,
                          .worth = (double)task->worth,
                          .budget = FIRST_BUDGET};
}

static void lower(feasible_run *f, int64_t tuple, int64_t units)
{
    int32_t *price = &f->table->prices[tuple];
    if (*price - units < KANON__LOWEST_PRICE)
        f->failed = true;
    else
        *price -= (int32_t)units;
}

/* How far a tuple's price is above the floor. */
static int64_t raised(const feasible_run *f, int64_t tuple)
{
    int64_t raise = (int64_t)f->table->prices[tuple] - f->floor[tuple];
    return raise > 0 ? raise : 0;
}

/* How much the set's prices are above what they may sum up to; *raise is how far they are above the floor. */
static int64_t excess_of(const feasible_run *f, const kanon__violated_set *set, int64_t *raise)
{
    int64_t excess = -f->table->k * set->units;
    *raise = 0;
    for (int64_t i = 0; i < set->n; i++) {
        excess += (int64_t)set->times[i] * f->table->prices[set->tuples[i]];
        *raise += set->times[i] * raised(f, set->tuples[i]);
    }
    return excess;
}

/* Lower a share of the raise of each member, or all members alike. */
static void lower_members(feasible_run *f, const kanon__violated_set *set, double share, int64_t each)
{
    for (int64_t i = 0; i < set->n; i++) {
        int64_t most = raised(f, set->tuples[i]), units = (int64_t)ceil(share * (double)most);
        lower(f, set->tuples[i], (units < most ? units : most) + each);
    }
}

/* 2. Sets of this pass that came before may have lowered its prices enough already. At the floor the set is not violated, so
 * the raise is at least the excess. */
static void lower_set(feasible_run *f, const kanon__separation_item *item)
{
    int64_t raise, excess = excess_of(f, &item->set, &raise);
    if (excess > 0 && f->first_pays) {
        int64_t most = raised(f, item->tuple);
        lower(f, item->tuple, excess < most ? excess : most);
        excess = excess_of(f, &item->set, &raise);
    }
    if (excess > 0)
        lower_members(f, &item->set, excess < raise ? (double)excess / (double)raise : 1, 0);
    excess = excess_of(f, &item->set, &raise);
    if (excess > 0) /* left by rounding */
        lower_members(f, &item->set, 0, (excess + f->table->k - 1) / f->table->k);
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
static kanon_status pass(feasible_run *f, kanon__cuts *cuts, int64_t *due, kanon__ticker *ticker, kanon_error *err)
{
    kanon__separation *s = f->separation;
    int64_t enough = f->budget / GROWTH > FIRST_BUDGET ? f->budget / GROWTH : FIRST_BUDGET;
    KANON_CHECK(kanon__separation_run(s, f->tolerance, f->budget, enough, ticker, err));
    if (cuts != NULL)
        KANON_CHECK(kanon__cuts_add(cuts, s->items, s->n, err));
    for (int64_t i = 0; i < s->n && !f->failed; i++)
        lower_set(f, &s->items[i]);
    *due = settle(f);
    return KANON_OK;
}

/* 1 to 4, once. KANON_ECANCELLED: the work was stopped, in the first pass without a result, later with all debts paid. */
static kanon_status go_on(feasible_run *f, bool last, kanon__cuts *cuts, kanon__ticker *ticker, kanon_error *err)
{
    int64_t due = 0;
    kanon_status st = pass(f, cuts, &due, ticker, err);
    if (st != KANON_OK && (st != KANON_ECANCELLED || !f->first_pays)) /* no debt is known before the first pass ends */
        return st;
    bool end = st != KANON_OK || last;
    if (end || (double)due <= SMALL_SHARE * f->worth)
        pay(f, end);
    f->first_pays = true;
    f->budget = f->budget * GROWTH < PATIENCE ? f->budget * GROWTH : PATIENCE;
    return st;
}

kanon_status kanon__make_feasible(kanon__separation *s, const kanon__feasible_task *task, kanon__cuts *cuts, bool *feasible,
                                  kanon__ticker *ticker, kanon_error *err)
{
    feasible_run f = begin(s, task);
    *feasible = false;
    KANON_CHECK(kanon__separation_start(s, err));
    kanon_status st = KANON_OK;
    for (int passes = 0; s->n > 0 && !f.failed && st == KANON_OK; passes++) {
        st = go_on(&f, passes == MOST_PASSES, cuts, ticker, err);
        if (st != KANON_OK && (st != KANON_ECANCELLED || !f.first_pays))
            return st;
    }
    for (int64_t tuple = 0; tuple < s->table->n && !f.failed; tuple++) /* 5. */
        lower(&f, tuple, task->tolerance);
    *feasible = !f.failed;
    return st;
}

kanon_status kanon__try_feasible(kanon__separation *s, const kanon__feasible_task *task, int64_t every, double most_seconds,
                                 double *ahead, kanon__ticker *ticker, kanon_error *err)
{
    feasible_run f = begin(s, task);
    double begun = kanon__seconds(), took = 0, share;
    *ahead = INFINITY;
    KANON_CHECK(kanon__separation_start(s, err));
    kanon__separation_sample(s, every);
    int64_t n = s->n;
    share = (double)n / (double)s->table->n;
    f.worth *= share;
    for (int passes = 0; s->n > 0 && !f.failed && passes < MOST_PASSES; passes++) {
        bool patient = f.budget >= TRIAL_BUDGET, limited = most_seconds > 0;
        KANON_CHECK(go_on(&f, false, NULL, ticker, err));
        took = (kanon__seconds() - begun) / share;
        if (limited ? took > most_seconds : patient && (double)s->n > LEFT_OPEN * (double)n)
            return KANON_OK;
    }
    if (!f.failed)
        *ahead = took;
    return KANON_OK;
}
