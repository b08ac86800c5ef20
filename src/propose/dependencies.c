/* See dependencies.h. One pass over the rows, which ends at the first contradiction: most pairs of columns contradict each
 * other in the first rows. */
#include "propose/dependencies.h"

#include "core/alloc.h"
#include "core/random.h"
#include "core/ticker.h"

#include <string.h>

/* If the columns were independent, so many pairs of records with one value of the first would be expected to differ in the
 * second. */
#define LEAST_EXPECTED 20.0

/* The number of the value, where all missing texts are one. */
static uint32_t value_at(const kanon__column_facts *f, int64_t row)
{
    uint32_t code = kanon__code_at(f->codes, row);
    return f->missing[code] ? KANON__NO_CODE - 1 : code;
}

/* Whether each value of `from` meets one value of `to`. `met` has an entry for each text of `from`. */
static bool agrees(uint32_t *met, const kanon__column_facts *from, const kanon__column_facts *to)
{
    uint32_t met_missing = KANON__NO_CODE;
    for (uint32_t code = 0; code < from->texts->n; code++)
        met[code] = KANON__NO_CODE;
    for (int64_t row = 0; row < from->n_rows; row++) {
        uint32_t code = kanon__code_at(from->codes, row), value = value_at(to, row);
        uint32_t *place = from->missing[code] ? &met_missing : &met[code];
        if (*place != KANON__NO_CODE && *place != value)
            return false;
        *place = value;
    }
    return true;
}

/* Pairs of the rows that have one value. */
static kanon_status count_pairs(double *out, const kanon__column_facts *f, const int32_t *rows, int64_t n, kanon_error *err)
{
    int64_t *counts = NULL, n_missing = 0;
    *out = 0;
    kanon_status st = kanon__new_array(&counts, f->texts->n, "texts of a column", err);
    for (int64_t i = 0; st == KANON_OK && i < n; i++) {
        uint32_t code = kanon__code_at(f->codes, rows != NULL ? rows[i] : i);
        *(f->missing[code] ? &n_missing : &counts[code]) += 1;
    }
    for (uint32_t code = 0; st == KANON_OK && code < f->texts->n; code++)
        *out += (double)counts[code] * (double)(counts[code] - 1) / 2;
    if (st == KANON_OK && n_missing > 0)
        *out += (double)n_missing * (double)(n_missing - 1) / 2;
    kanon__free(counts);
    return st;
}

kanon_status kanon__column_determines(bool *out, const kanon__column_facts *from, const kanon__column_facts *to,
                                      const int32_t *rows, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *met = NULL;
    int64_t counted = rows != NULL ? n : from->n_rows;
    double alike_from, alike_to, all = (double)counted * (double)(counted - 1) / 2;
    *out = false;
    if (counted < 2 || from->n_distinct < 2 || to->n_distinct < 2 || to->n_distinct > from->n_distinct + 1)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&met, from->texts->n, "texts of a column", err), out);
    if (!agrees(met, from, to))
        goto out;
    KANON_TRY(count_pairs(&alike_from, from, rows, counted, err), out);
    KANON_TRY(count_pairs(&alike_to, to, rows, counted, err), out);
    *out = alike_from * (1 - alike_to / all) >= LEAST_EXPECTED;
out:
    kanon__free(met);
    return st;
}

/* ---- nearly the same ------------------------------------------------------------------------------------------------- */

enum { LEAST_BY_CHANCE = 20 }; /* rows that differ where values are dealt out anew; fewer prove nothing */

/* Of the records of one value: the majority vote of Boyer and Moore. */
typedef struct vote {
    uint32_t value;
    int64_t lead, n;
} vote;

/* Rows whose value is not that of most rows with their value of `from`; `all`: the rows that were compared. `anew`: each row
 * has the value of a row that is drawn at random. */
static void count_strays(int64_t *strays, int64_t *all, vote *votes, const kanon__column_facts *from,
                         const kanon__column_facts *to, bool anew)
{
    memset(votes, 0, (size_t)from->texts->n * sizeof *votes);
    *strays = *all = 0;
    for (int pass = 0; pass < 2; pass++) {
        kanon__random random; /* both passes draw the same */
        kanon__random_init(&random, 0, 0);
        for (int64_t row = 0; row < from->n_rows; row++) {
            int64_t of = anew ? kanon__random_below(&random, from->n_rows) : row;
            uint32_t code = kanon__code_at(from->codes, row), value = kanon__code_at(to->codes, of);
            vote *v = &votes[code];
            if (from->missing[code] || to->missing[value])
                continue;
            if (pass == 1) {
                *all += v->n > 1;
                *strays += v->n > 1 && value != v->value;
                continue;
            }
            v->n++;
            if (v->lead == 0)
                v->value = value;
            v->lead += value == v->value ? 1 : -1;
        }
    }
}

/* Whether the first rows tell that `to` does not stay the same: most pairs of columns end here. */
static bool differs_soon(vote *votes, const kanon__column_facts *from, const kanon__column_facts *to)
{
    enum { LOOKED_AT = 1000, LEAST = 100, SHARE = 4 };
    int64_t compared = 0, different = 0;
    for (int64_t row = 0; row < from->n_rows && row < LOOKED_AT; row++) {
        uint32_t code = kanon__code_at(from->codes, row), value = kanon__code_at(to->codes, row);
        if (from->missing[code] || to->missing[value])
            continue;
        if (votes[code].n++ == 0) {
            votes[code].value = value;
            continue;
        }
        compared++;
        different += votes[code].value != value;
    }
    return compared >= LEAST && different * SHARE > compared;
}

kanon_status kanon__column_stays(bool *out, const kanon__column_facts *from, const kanon__column_facts *to, kanon_error *err)
{
    enum { LOOK_NS = 100, ROW_NS = 20 };
    kanon_status st = KANON_OK;
    vote *votes = NULL;
    int64_t strays, all, by_chance, compared;
    *out = false;
    KANON_TRY(kanon__poll_tick(from->n_rows * ROW_NS + LOOK_NS, err), out);
    if (from->n_rows < 2 || to->n_distinct < 2 || to->n_distinct > from->n_distinct + from->n_distinct / 50)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&votes, from->texts->n, "texts of a column", err), out);
    if (differs_soon(votes, from, to))
        goto out;
    count_strays(&strays, &all, votes, from, to, false);
    if (strays * 50 > all)
        goto out;
    count_strays(&by_chance, &compared, votes, from, to, true);
    *out = by_chance >= LEAST_BY_CHANCE && strays * 10 <= by_chance;
out:
    kanon__free(votes);
    return st;
}
