/* See whole_row.h. The rows of a class lie side by side, so that a class costs what its rows and their codes do: one place
 * by code is used for all classes, and cleared after each. */
#include "measures/whole_row.h"

#include "core/alloc.h"
#include "measures/source_columns.h"

#include <math.h>
#include <string.h>

/* Rows, class by class: class i is rows[begins[i] .. begins[i + 1]). */
typedef struct division {
    int32_t *rows;
    int64_t *begins;
    int64_t n;
} division;

struct kanon__whole_row {
    const kanon__codes *persons;
    kanon__ticker *ticker;
    int64_t n_rows, n_released;
    division classes; /* of the quasi cells */
    division left;    /* of all columns so far, of rows that these do not single out */
    int64_t n_found;  /* the rows that they do */
};

#define MANY UINT32_MAX /* rows of several persons */

/* What one class has of one code. */
typedef struct place {
    uint32_t n, person;
    int64_t next; /* where the next of its rows goes */
} place;

typedef struct column {
    kanon__codes codes;
    place *places;   /* by code; n 0: the class does not have it */
    uint32_t *found; /* the codes of the class, in the order in which they come */
    int64_t n_found;
} column;

enum { NS_PER_ROW = 15 };

static void clear_division(division *d)
{
    kanon__free(d->begins);
    kanon__free(d->rows);
    *d = (division){0};
}

static kanon_status divide(division *out, const int32_t *class_of, int64_t n_rows, int64_t n_classes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *next = NULL, n_released = 0;
    out->n = n_classes;
    KANON_TRY(kanon__new_array(&out->begins, n_classes + 1, "classes of rows", err), out);
    KANON_TRY(kanon__new_array(&next, n_classes, "classes of rows", err), out);
    for (int64_t row = 0; row < n_rows; row++)
        if (class_of[row] >= 0)
            out->begins[class_of[row] + 1]++;
    for (int64_t i = 0; i < n_classes; i++) {
        next[i] = n_released;
        out->begins[i + 1] += n_released;
        n_released = out->begins[i + 1];
    }
    KANON_TRY(kanon__new_array(&out->rows, n_released, "classes of rows", err), out);
    for (int64_t row = 0; row < n_rows; row++)
        if (class_of[row] >= 0)
            out->rows[next[class_of[row]]++] = (int32_t)row;
    st = kanon__poll_tick(KANON__TICK_POLL_NS, err);
out:
    kanon__free(next);
    return st;
}

static kanon_status copy_division(division *out, const division *of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    out->n = of->n;
    KANON_TRY(kanon__new_array(&out->begins, of->n + 1, "classes of rows", err), out);
    memcpy(out->begins, of->begins, (size_t)(of->n + 1) * sizeof *of->begins);
    KANON_TRY(kanon__new_array(&out->rows, of->begins[of->n], "classes of rows", err), out);
    if (of->begins[of->n] > 0)
        memcpy(out->rows, of->rows, (size_t)of->begins[of->n] * sizeof *of->rows);
out:
    return st;
}

/* ---- one class and one column ------------------------------------------------------------------------------------ */

static uint32_t person_of(const kanon__whole_row *w, int32_t row)
{
    return w->persons != NULL ? kanon__code_at(*w->persons, row) : (uint32_t)row;
}

static void count_class(const kanon__whole_row *w, column *c, const int32_t *rows, int64_t n)
{
    c->n_found = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t code = kanon__code_at(c->codes, rows[i]), person = person_of(w, rows[i]);
        place *p = &c->places[code];
        if (p->n++ == 0) {
            c->found[c->n_found++] = code;
            p->person = person;
        } else if (p->person != person) {
            p->person = MANY;
        }
    }
}

static void clear_class(column *c)
{
    for (int64_t i = 0; i < c->n_found; i++)
        c->places[c->found[i]].n = 0;
}

/* How many rows the classes and this column single out. */
static kanon_status count_all(const kanon__whole_row *w, column *c, int64_t *n_single, kanon_error *err)
{
    const division *d = &w->classes;
    *n_single = 0;
    for (int64_t i = 0; i < d->n; i++) {
        int64_t n = d->begins[i + 1] - d->begins[i];
        count_class(w, c, d->rows + d->begins[i], n);
        for (int64_t j = 0; j < c->n_found; j++)
            *n_single += c->places[c->found[j]].person != MANY ? c->places[c->found[j]].n : 0;
        clear_class(c);
        KANON_CHECK(kanon__tick(w->ticker, 0, 0, n * NS_PER_ROW, err));
    }
    return KANON_OK;
}

/* Add the parts of one class that are left to `to`. */
static kanon_status divide_class(kanon__whole_row *w, column *c, division *to, int64_t *capacity, const int32_t *rows,
                                 int64_t n, kanon_error *err)
{
    count_class(w, c, rows, n);
    for (int64_t j = 0; j < c->n_found; j++) {
        place *p = &c->places[c->found[j]];
        if (p->person != MANY) {
            w->n_found += p->n;
            continue;
        }
        KANON_CHECK(kanon__grow_array(&to->begins, capacity, to->n + 2, "classes of rows", err));
        p->next = to->begins[to->n];
        to->begins[++to->n] = p->next + p->n;
    }
    for (int64_t i = 0; i < n; i++) {
        place *p = &c->places[kanon__code_at(c->codes, rows[i])];
        if (p->person == MANY)
            to->rows[p->next++] = rows[i];
    }
    clear_class(c);
    return kanon__tick(w->ticker, 0, 0, 2 * n * NS_PER_ROW, err);
}

static kanon_status divide_left(kanon__whole_row *w, column *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const division *from = &w->left;
    division to = {0};
    int64_t capacity = 0;
    KANON_TRY(kanon__new_array(&to.rows, from->begins[from->n], "classes of rows", err), out);
    KANON_TRY(kanon__grow_array(&to.begins, &capacity, 1, "classes of rows", err), out);
    to.begins[0] = 0;
    for (int64_t i = 0; i < from->n; i++)
        KANON_TRY(divide_class(w, c, &to, &capacity, from->rows + from->begins[i], from->begins[i + 1] - from->begins[i],
                               err),
                  out);
    clear_division(&w->left);
    w->left = to;
    to = (division){0};
out:
    clear_division(&to);
    return st;
}

/* ---- the whole row ----------------------------------------------------------------------------------------------- */

static double share_of(const kanon__whole_row *w, int64_t n)
{
    return w->n_released > 0 ? (double)n / (double)w->n_released : NAN;
}

kanon_status kanon__whole_row_add(kanon__whole_row *w, double *share, kanon__codes codes, uint32_t n_codes, bool apart,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    column c = {.codes = codes};
    int64_t n_single = 0;
    KANON_TRY(kanon__new_array(&c.places, n_codes, "values of a column", err), out);
    KANON_TRY(kanon__new_array(&c.found, n_codes, "values of a column", err), out);
    KANON_TRY(count_all(w, &c, &n_single, err), out);
    if (!apart)
        KANON_TRY(divide_left(w, &c, err), out);
    *share = share_of(w, n_single);
out:
    kanon__free(c.found);
    kanon__free(c.places);
    return st;
}

double kanon__whole_row_all(const kanon__whole_row *w)
{
    return share_of(w, w->n_found);
}

void kanon__whole_row_free(kanon__whole_row *w)
{
    if (w == NULL)
        return;
    clear_division(&w->left);
    clear_division(&w->classes);
    kanon__free(w);
}

kanon_status kanon__whole_row_new(kanon__whole_row **out, const int32_t *class_of, int64_t n_rows, int64_t n_classes,
                                  const kanon__codes *persons, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__whole_row *w = NULL;
    place nothing = {0};
    uint32_t found;
    kanon__codes same = {0};
    column quasi = {.places = &nothing, .found = &found};
    KANON_TRY(kanon__new_array(&w, 1, "rows", err), out);
    *w = (kanon__whole_row){.persons = persons, .ticker = ticker, .n_rows = n_rows};
    KANON_TRY(divide(&w->classes, class_of, n_rows, n_classes, err), out);
    w->n_released = w->classes.begins[n_classes];
    KANON_TRY(copy_division(&w->left, &w->classes, err), out);
    /* a column that says nothing leaves the rows that their quasi cells do not single out */
    KANON_TRY(kanon__codes_new(&same, n_rows, 1, false, err), out);
    quasi.codes = same;
    KANON_TRY(divide_left(w, &quasi, err), out);
    *out = w;
    w = NULL;
out:
    kanon__codes_clear(&same);
    kanon__whole_row_free(w);
    return st;
}

/* ---- columns of a source ------------------------------------------------------------------------------------------ */

typedef struct adding {
    kanon__whole_row *row;
    double *shares;
    const bool *apart;
} adding;

static kanon_status add_column(void *payload, int i, kanon__codes codes, uint32_t n_codes, kanon_error *err)
{
    adding *a = payload;
    return kanon__whole_row_add(a->row, &a->shares[i], codes, n_codes, a->apart[i], err);
}

kanon_status kanon__whole_row_add_source(kanon__whole_row *w, double *shares, kanon__source *source, const int *columns,
                                         const bool *apart, int n_columns, int threads, kanon_error *err)
{
    adding a = {w, shares, apart};
    return kanon__source_columns(source, w->n_rows, columns, n_columns, threads, w->ticker, add_column, &a, err);
}
