/* Adds groups up, and sums to sums; see sums.h. */
#include "measures/sums.h"

#include "core/alloc.h"
#include "model/terms.h"

#include <string.h>

enum { FIXED_POINT = 60 };

kanon_status kanon__sums_init(kanon__sums *out, const kanon__data *data, unsigned has, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_folds = (int64_t)data->n_sensitive * KANON__N_GROUP_FIGURES;
    *out = (kanon__sums){.data = data, .has = has, .sample = 1};
    KANON_TRY(kanon__new_array(&out->quasi, data->n_quasi, "sums", err), out);
    KANON_TRY(kanon__new_array(&out->folds, n_folds, "sums", err), out);
    for (int i = 0; i < data->n_quasi; i++) {
        out->quasi[i].whole = kanon__term_whole(KANON__TERMS_LOSS, data->columns[data->quasi[i]].domain);
        out->quasi[i].whole_cover = kanon__term_whole(KANON__TERMS_QDIVERSITY, data->columns[data->quasi[i]].domain);
    }
    for (int64_t i = 0; i < n_folds; i++)
        out->folds[i].least = out->folds[i].most = NAN;
    KANON_TRY(kanon__new_array(&out->totals, data->n_sensitive, "sums", err), out);
    for (int i = 0; has & KANON__SUM_TOTALS && i < data->n_sensitive; i++)
        KANON_TRY(kanon__new_array(&out->totals[i], kanon__sums_codes(out, i), "sums", err), out);
out:
    if (st != KANON_OK)
        kanon__sums_clear(out);
    return st;
}

void kanon__sums_clear(kanon__sums *s)
{
    for (int i = 0; s->totals != NULL && i < s->data->n_sensitive; i++)
        kanon__free(s->totals[i]);
    kanon__free(s->totals);
    kanon__free(s->folds);
    kanon__free(s->quasi);
    kanon__free(s->classes);
    *s = (kanon__sums){0};
}

/* ---- adding groups ----------------------------------------------------------------------------------------------- */

/* The first count that is not before (size, own). */
static int64_t place_of(const kanon__sums *s, int64_t size, int64_t own)
{
    int64_t lo = 0, hi = s->n_counts;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        const kanon__class_count *c = &s->classes[middle];
        if (c->size < size || (c->size == size && c->own < own))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

kanon_status kanon__sums_add_records(kanon__sums *s, int64_t size, int64_t own, int64_t n, kanon_error *err)
{
    int64_t at = place_of(s, size, own);
    if (at == s->n_counts || s->classes[at].size != size || s->classes[at].own != own) {
        kanon_status st = kanon__grow_array(&s->classes, &s->capacity, s->n_counts + 1, "sums", err);
        if (st != KANON_OK)
            return st;
        memmove(&s->classes[at + 1], &s->classes[at], (size_t)(s->n_counts++ - at) * sizeof *s->classes);
        s->classes[at] = (kanon__class_count){size, own, 0};
    }
    s->classes[at].n += n;
    return KANON_OK;
}

kanon_status kanon__sums_add_classes(kanon__sums *s, const int64_t *sizes, int64_t n, const int32_t *class_of,
                                     const int32_t *own, int64_t n_rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    s->n_classes += n;
    for (int64_t i = 0; own == NULL && i < n; i++)
        KANON_TRY(kanon__sums_add_records(s, sizes[i], 1, sizes[i], err), out);
    for (int64_t row = 0; own != NULL && row < n_rows; row++)
        if (class_of[row] >= 0)
            KANON_TRY(kanon__sums_add_records(s, sizes[class_of[row]], own[row], 1, err), out);
out:
    return st;
}

void kanon__sums_add_cells(kanon__sums *s, int i, int64_t n, int64_t part, int64_t cover)
{
    s->quasi[i].losses += (__int128)n * part;
    s->quasi[i].covers += (__int128)n * cover;
}

static void fold(kanon__fold *into, const kanon__fold *other)
{
    if (other->n == 0)
        return;
    into->least = into->n == 0 || other->least < into->least ? other->least : into->least;
    into->most = into->n == 0 || other->most > into->most ? other->most : into->most;
    into->sum += other->sum;
    into->n += other->n;
}

void kanon__sums_add_values(kanon__sums *s, int i, kanon__group_values *values)
{
    static double (*const figures[])(kanon__group_values *) = {
#define ROW(NAME, name) kanon__group_##name,
        KANON__GROUP_FIGURES(ROW)
#undef ROW
    };
    for (int j = 0; j < KANON__N_GROUP_FIGURES; j++) {
        if ((s->has & KANON__SUM_OF(j)) == 0)
            continue;
        double value = figures[j](values);
        if (!isnan(value))
            fold(&s->folds[i * KANON__N_GROUP_FIGURES + j],
                 &(kanon__fold){1, value, value, (__int128)ldexp(value, FIXED_POINT)});
    }
    for (int64_t j = 0; s->totals[i] != NULL && j < values->n; j++)
        s->totals[i][values->codes[j]] += values->counts[values->codes[j]];
}

kanon_status kanon__sums_merge(kanon__sums *into, const kanon__sums *other, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&into->classes, &into->capacity, into->n_counts + other->n_counts, "sums", err);
    if (st != KANON_OK)
        return st; /* and into is what it was */
    for (int64_t i = 0; i < other->n_counts; i++) {
        const kanon__class_count *c = &other->classes[i];
        st = kanon__sums_add_records(into, c->size, c->own, c->n, err);
    }
    into->n_rows += other->n_rows;
    into->n_suppressed += other->n_suppressed;
    into->n_lost += other->n_lost;
    into->n_groups += other->n_groups;
    into->n_classes += other->n_classes;
    for (int i = 0; i < into->data->n_quasi; i++) {
        into->quasi[i].losses += other->quasi[i].losses;
        into->quasi[i].covers += other->quasi[i].covers;
        into->quasi[i].spreads += other->quasi[i].spreads;
        into->quasi[i].hidden += other->quasi[i].hidden;
    }
    for (int i = 0; i < into->data->n_sensitive * KANON__N_GROUP_FIGURES; i++)
        fold(&into->folds[i], &other->folds[i]);
    for (int i = 0; into->has & KANON__SUM_TOTALS && i < into->data->n_sensitive; i++)
        for (uint32_t code = 0; code < kanon__sums_codes(into, i); code++)
            into->totals[i][code] += other->totals[i][code];
    return st;
}

/* ---- what several measures read ---------------------------------------------------------------------------------- */

int64_t kanon__sums_records(const kanon__sums *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n_counts; i++)
        n += s->classes[i].n;
    return n;
}

/* Quotients of whole numbers this small are equal as doubles only where they are equal. */
double kanon__sums_above(const kanon__sums *s, double risk)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n_counts; i++)
        n += (double)s->classes[i].own / (double)s->classes[i].size > risk ? s->classes[i].n : 0;
    return kanon__ratio((double)n, (double)kanon__sums_records(s));
}

double kanon__fold_sum(const kanon__fold *f)
{
    return ldexp((double)f->sum, -FIXED_POINT);
}

double kanon__sums_share(const kanon__sums *s, const kanon__fold *f)
{
    return kanon__ratio(kanon__fold_sum(f), (double)kanon__sums_records(s));
}
