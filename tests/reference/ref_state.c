#include "reference/ref_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- losses ------------------------------------------------------------------------------------------------------ */

static int height(const ref_tree *t, int node)
{
    int most = 0;
    for (int i = node + 1; i < t->n; i++)
        if (t->parent[i] == node && height(t, i) + 1 > most)
            most = height(t, i) + 1;
    return most;
}

static int depth(const ref_tree *t, int node)
{
    return node == 0 ? 0 : depth(t, t->parent[node]) + 1;
}

static int lca(const ref_tree *t, int a, int b)
{
    while (a != b) {
        if (depth(t, a) >= depth(t, b))
            a = t->parent[a];
        else
            b = t->parent[b];
    }
    return a;
}

/* The range of a number over everybody in the table, at least 1. */
static int64_t range(const ref_state *s, int a)
{
    int64_t least = 0, most = 0;
    bool any = false;
    for (int i = 0; i < s->n; i++) {
        int64_t v = s->people[i].number[a];
        if (v == REF_MISSING)
            continue;
        least = !any || v < least ? v : least;
        most = !any || v > most ? v : most;
        any = true;
    }
    return most > least ? most - least : 1;
}

/* What D is a whole number of: the product of all denominators. */
static int64_t denominator(const ref_state *s)
{
    int64_t product = 1;
    for (int a = 0; a < REF_NUMBERS; a++)
        product *= range(s, a);
    for (int c = 0; c < REF_CATEGORIES; c++)
        product *= height(&s->tree[c], 0);
    return product;
}

/* A set of people, by their places in the state. */
typedef struct crowd {
    int n;
    int who[512];
} crowd;

static int64_t number_term(const ref_state *s, const crowd *c, int a, int64_t unit)
{
    int64_t least = 0, most = 0;
    int n_missing = 0;
    bool any = false;
    for (int i = 0; i < c->n; i++) {
        int64_t v = s->people[c->who[i]].number[a];
        if (v == REF_MISSING) {
            n_missing++;
            continue;
        }
        least = !any || v < least ? v : least;
        most = !any || v > most ? v : most;
        any = true;
    }
    if (n_missing > 0)
        return n_missing == c->n ? 0 : unit;
    return (most - least) * (unit / range(s, a));
}

/* IL = |P| D(P) in units of 1 / denominator. */
static int64_t loss(const ref_state *s, const crowd *c)
{
    int64_t unit = denominator(s), sum = 0;
    if (c->n == 0)
        return 0;
    for (int a = 0; a < REF_NUMBERS; a++)
        sum += s->weight[a] * number_term(s, c, a, unit);
    for (int a = 0; a < REF_CATEGORIES; a++) {
        int node = s->people[c->who[0]].leaf[a];
        for (int i = 1; i < c->n; i++)
            node = lca(&s->tree[a], node, s->people[c->who[i]].leaf[a]);
        sum += s->weight[REF_NUMBERS + a] * height(&s->tree[a], node) * (unit / height(&s->tree[a], 0));
    }
    return c->n * sum;
}

static crowd members(const ref_state *s, int64_t group)
{
    crowd c = {0};
    for (int i = 0; i < s->n; i++)
        if (s->people[i].group == group)
            c.who[c.n++] = i;
    return c;
}

int64_t ref_state_size(const ref_state *s, int64_t group)
{
    return members(s, group).n;
}

static crowd with(crowd c, int who)
{
    c.who[c.n++] = who;
    return c;
}

static crowd without(crowd c, int who)
{
    crowd left = {0};
    for (int i = 0; i < c.n; i++)
        if (c.who[i] != who)
            left.who[left.n++] = c.who[i];
    return left;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void split(ref_state *s, int64_t group)
{
    crowd old = members(s, group), fresh = {0};
    int64_t number = s->next_group++;
    while (fresh.n < s->k) {
        int best = -1;
        int64_t least = 0;
        for (int i = 0; i < old.n; i++) {
            crowd left = without(old, old.who[i]), more = with(fresh, old.who[i]);
            int64_t sum = loss(s, &left) + loss(s, &more);
            if (best < 0 || sum < least) {
                best = old.who[i];
                least = sum;
            }
        }
        old = without(old, best);
        fresh = with(fresh, best);
    }
    for (int i = 0; i < fresh.n; i++)
        s->people[fresh.who[i]].group = number;
}

/* FindBestCluster for somebody who is in the table but in no group. */
static void place(ref_state *s, int who)
{
    int64_t best = 0, least = 0;
    for (int64_t group = 1; group < s->next_group; group++) {
        crowd now = members(s, group), then = with(now, who);
        if (now.n == 0)
            continue;
        int64_t increase = loss(s, &then) - loss(s, &now);
        if (best == 0 || increase < least) {
            best = group;
            least = increase;
        }
    }
    if (best == 0)
        best = s->next_group++;
    s->people[who].group = best;
    if (ref_state_size(s, best) >= 2 * s->k)
        split(s, best);
}

void ref_state_insert(ref_state *s, ref_person person)
{
    int at = s->n++;
    person.group = 0;
    while (at > 0 && s->people[at - 1].id > person.id) {
        s->people[at] = s->people[at - 1];
        at--;
    }
    s->people[at] = person;
    place(s, at);
}

void ref_state_delete(ref_state *s, const int64_t *ids, int n, bool more_will_come)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < s->n; j++)
            if (s->people[j].id == ids[i]) {
                memmove(&s->people[j], &s->people[j + 1], (size_t)(s->n - j - 1) * sizeof s->people[0]);
                s->n--;
                break;
            }
    if (s->n < s->k) {
        if (!more_will_come)
            abort();
        for (int i = 0; i < s->n; i++)
            s->people[i].group = s->next_group;
        s->next_group += s->n > 0;
        return;
    }
    for (int64_t group = 1, last = s->next_group; group < last; group++) {
        crowd c = members(s, group);
        if (c.n == 0 || c.n >= s->k)
            continue;
        for (int i = 0; i < c.n; i++)
            s->people[c.who[i]].group = 0;
        for (int i = 0; i < c.n; i++)
            place(s, c.who[i]);
    }
}
