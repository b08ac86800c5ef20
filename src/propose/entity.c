/* See entity.h. */
#include "propose/entity.h"

#include "core/alloc.h"
#include "propose/dependencies.h"

#include <string.h>

enum { MANY_RECORDS = 50 };   /* records of a person on average; more need proof, whatever the name of the column */
enum { HOUSEHOLD_SIZE = 10 }; /* records that share an identifier on average; more share a school, a plan or a place */
enum { FINE_VALUES = 10 };    /* a person's own column with so many values tells persons apart */

/* What follows from a candidate. */
typedef struct evidence {
    int n_own; /* columns that are a person's own */
    int n_all;
    bool fine; /* one of the own has many values */
} evidence;

/* How much the kind of a candidate says; more is better. */
typedef enum standing { NONE, UNNAMED, NUMBERED, NAMED } standing;

static double mean_records(const kanon__column_facts *f)
{
    return (double)f->n_present / (double)f->n_distinct;
}

/* Whether values repeat, in more than a few rows. */
static bool repeats(const kanon__column_facts *f)
{
    return f->n_distinct >= 2 && f->n_missing * 20 <= f->n_rows && f->n_distinct * 51 <= f->n_present * 50;
}

static standing standing_of(const kanon__roles *r, int column)
{
    const kanon__column_facts *f = &r->facts[column];
    const kanon__decision *d = &r->decisions[column];
    kanon_type type = f->shape.type;
    if (d->role != KANON_ROLE_IDENTIFYING || d->same_as >= 0 || !repeats(f) || kanon__column_is_free_text(f))
        return NONE;
    if (d->kind == KANON__KIND_person_id || d->kind == KANON__KIND_national_id || d->kind == KANON__KIND_person)
        return NAMED;
    if (kanon__kind_has(d->kind, KANON__TRAIT_RECORD))
        return NUMBERED;
    bool can_be = d->kind == KANON__KIND_UNKNOWN ||
                  (kanon__kind_has(d->kind, KANON__TRAIT_PERSON) && d->kind != KANON__KIND_household);
    return can_be && type != KANON_TYPE_DECIMAL && type != KANON_TYPE_DATE ? UNNAMED : NONE;
}

static kanon_status collect(evidence *out, const kanon__roles *r, int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (evidence){0};
    for (int i = 0; i < r->n_columns; i++) {
        const kanon__column_facts *f = &r->facts[i];
        bool follows = false;
        if (i == column)
            continue;
        KANON_TRY(kanon__column_stays(&follows, &r->facts[column], f, err), out);
        bool label = kanon__kind_at(r->decisions[i].kind)->role == KANON_ROLE_IDENTIFYING &&
                     f->n_distinct * 50 >= r->facts[column].n_distinct * 49; /* plan_id and plan_name */
        bool own = follows && !label && kanon__kind_has(r->decisions[i].kind, KANON__TRAIT_OWN);
        out->n_all += follows;
        out->n_own += own;
        out->fine |= own && f->n_distinct >= FINE_VALUES;
    }
out:
    return st;
}

static kanon__entity_belief judge(standing s, const evidence *e, const kanon__column_facts *f)
{
    bool plain = strpbrk(f->name, " _-.") == NULL; /* `id`, not `plan_id` */
    bool few = mean_records(f) <= MANY_RECORDS;
    if (s == NAMED)
        return few || e->n_own > 0 || e->n_all >= 2 ? KANON__ENTITY_PROPOSED : KANON__ENTITY_NO;
    if (s == NUMBERED && (e->n_own > 0 || (plain && e->n_all >= 2)))
        return KANON__ENTITY_PROPOSED;
    if (s == UNNAMED && few && (e->n_own >= 2 || e->fine))
        return KANON__ENTITY_PROPOSED;
    if (s == NUMBERED && plain && few && kanon__name_has_word(f->name, "id"))
        return KANON__ENTITY_ASK;
    if (s == NUMBERED && mean_records(f) <= HOUSEHOLD_SIZE && e->n_all > 0)
        return KANON__ENTITY_ASK;
    return s == UNNAMED && few && e->n_own > 0 && e->n_all >= 2 ? KANON__ENTITY_ASK : KANON__ENTITY_NO;
}

/* Of two columns that are believed alike: the one from which more follows, then the one whose values stand for more records,
 * which protects more. */
static bool is_better(const evidence *a, const kanon__column_facts *of_a, const evidence *b, const kanon__column_facts *of_b)
{
    if (a->n_own != b->n_own)
        return a->n_own > b->n_own;
    if (a->n_all != b->n_all)
        return a->n_all > b->n_all;
    return of_a->n_distinct < of_b->n_distinct;
}

/* Two columns with about as many values, of which one follows from the other, say the same. */
static kanon_status same_persons(bool *out, const kanon__column_facts *a, const kanon__column_facts *b, kanon_error *err)
{
    *out = false;
    if (a->n_distinct * 50 < b->n_distinct * 49 || b->n_distinct * 50 < a->n_distinct * 49)
        return KANON_OK;
    return kanon__column_stays(out, a, b, err);
}

kanon_status kanon__entity_find(kanon__entity_answer *out, const kanon__roles *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    evidence best = {0};
    int best_rank = 0;
    *out = (kanon__entity_answer){.column = -1, .rival = -1, .household = -1};
    for (int i = 0; i < r->n_columns; i++) {
        const kanon__column_facts *f = &r->facts[i];
        standing s = standing_of(r, i);
        evidence e;
        bool same = false;
        if (r->decisions[i].kind == KANON__KIND_household && repeats(f) && out->household < 0)
            out->household = i;
        if (s == NONE)
            continue;
        KANON_TRY(collect(&e, r, i, err), out);
        kanon__entity_belief belief = judge(s, &e, f);
        int rank = (int)belief * (NAMED + 1) + (int)s;
        if (belief == KANON__ENTITY_NO || rank < best_rank)
            continue;
        if (rank == best_rank)
            KANON_TRY(same_persons(&same, f, &r->facts[out->column], err), out);
        int loser = rank == best_rank && !same ? out->column : -1;
        if (rank > best_rank || is_better(&e, f, &best, &r->facts[out->column])) {
            out->column = i;
            out->belief = belief;
            best = e;
        } else {
            loser = same ? -1 : i;
        }
        out->rival = rank > best_rank ? -1 : loser >= 0 ? loser : out->rival;
        best_rank = rank;
    }
out:
    return st;
}
