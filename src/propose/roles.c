/* See roles.h for the steps. */
#include "propose/roles.h"

#include "core/alloc.h"
#include "core/escape.h"
#include "propose/coarsening.h"
#include "propose/dependencies.h"
#include "propose/entity.h"
#include "propose/suspicion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FALLBACK_QUASI = 6 }; /* columns that become quasi where none is known to be */

/* ---- a column alone ---------------------------------------------------------------------------------------------- */

static void give(kanon__decision *d, kanon_role role, const char *reason)
{
    d->role = role;
    snprintf(d->reason, sizeof d->reason, "%s", reason);
}

static void describe_unique(kanon__decision *d, const kanon__column_facts *f)
{
    d->role = KANON_ROLE_IDENTIFYING;
    if (f->n_distinct == f->n_present)
        snprintf(d->reason, sizeof d->reason, "unique: each value occurs once");
    else
        snprintf(d->reason, sizeof d->reason, "nearly unique: %lld values in %lld cells", (long long)f->n_distinct,
                 (long long)f->n_present);
}

/* A number that repeats stands for something else than a record. */
static void describe_repeated(kanon__decision *d, const kanon__column_facts *f)
{
    d->role = KANON_ROLE_IDENTIFYING;
    snprintf(d->reason, sizeof d->reason, "a number that repeats: %lld values in %lld records", (long long)f->n_distinct,
             (long long)f->n_present);
}

/* The type that a schema names. A column that is only nearly of a type would be refused, so it is read as categories. */
static kanon_type type_of(const kanon__column_facts *f, kanon__kind kind)
{
    const kanon__column_shape *s = &f->shape;
    bool whole = s->type == KANON_TYPE_INTEGER;
    if ((s->kind == KANON__SHAPE_NEARLY_NUMBERS || s->kind == KANON__SHAPE_NEARLY_DATES) && s->n_others > 0)
        return KANON_TYPE_CATEGORICAL;
    if (f->bands)
        return KANON_TYPE_ORDINAL;
    bool codes = kanon__kind_has(kind, KANON__TRAIT_CODE) ||
                 (kanon__kind_has(kind, KANON__TRAIT_NOMINAL) && !kanon__column_is_counted(f));
    return whole && codes ? KANON_TYPE_CATEGORICAL : s->type;
}

static void decide_unknown(kanon__decision *d, const kanon__column_facts *f)
{
    d->unknown = true;
    if (kanon__column_is_nearly_unique(f))
        describe_unique(d, f);
    else if (f->n_distinct == 1 && f->n_missing == 0)
        give(d, KANON_ROLE_INSENSITIVE, "the same in all records");
    else
        give(d, KANON_ROLE_IDENTIFYING,
             "withheld: nothing is known about it; quasi generalises it, insensitive releases it");
}

static void decide_alone(kanon__decision *d, const kanon__column_facts *f)
{
    d->kind = kanon__column_kind(f);
    d->type = type_of(f, d->kind);
    d->mask = kanon__coarsening_masks(f, d->kind, d->type);
    d->light = kanon__kind_has(d->kind, KANON__TRAIT_LIGHT);
    d->same_as = -1;
    const kanon__kind_info *info = kanon__kind_at(d->kind);
    kanon__kind identity = kanon__column_identity(f, d->kind);
    if (f->n_distinct == 0)
        give(d, KANON_ROLE_IDENTIFYING, "withheld: it has no values");
    else if (kanon__kind_has(d->kind, KANON__TRAIT_RECORD) && f->n_distinct < f->n_present)
        describe_repeated(d, f);
    else if (identity != KANON__KIND_UNKNOWN)
        give(d, KANON_ROLE_IDENTIFYING, kanon__kind_at(identity)->reason);
    else if (d->kind == KANON__KIND_UNKNOWN)
        decide_unknown(d, f);
    else if (!d->mask && d->type == KANON_TYPE_CATEGORICAL && kanon__column_is_telling_text(f))
        describe_unique(d, f);
    else
        give(d, info->role, info->reason);
}

/* ---- columns beside others ------------------------------------------------------------------------------------------ */

static bool is_medical(kanon__kind kind)
{
    return kind == KANON__KIND_health || kind == KANON__KIND_diagnosis || kind == KANON__KIND_laboratory ||
           kind == KANON__KIND_drug || kind == KANON__KIND_genetics || kind == KANON__KIND_outcome;
}

/* "status" and "event" are the course of an illness in a medical table, as numbers of a few values or as words that say so;
 * elsewhere nobody knows what they are. */
static bool is_course(const kanon__column_facts *f)
{
    static const char *const words[] = {"dead",    "alive",      "died",      "deceased",  "censored", "event",
                                        "relapse", "survived",   "remission", "recovered", "cured",    "stable",
                                        "lebt",    "verstorben", "vivant",    "vivo",      "I",        "II",
                                        "III",     "IV",         "yes",       "no"};
    enum { FEW = 5 };
    if (f->shape.type != KANON_TYPE_CATEGORICAL)
        return f->n_distinct <= FEW;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (f->n_distinct <= FEW && kanon__dictionary_find(f->texts, words[i], strlen(words[i])) != KANON__NO_CODE)
            return true;
    return false;
}

/* "time" beside an event is how long somebody was observed. */
static bool is_time_of_course(const kanon__column_facts *f)
{
    static const char *const names[] = {"time", "days", "months", "weeks", "duration"};
    char words[KANON__NAME_WORDS];
    kanon__name_words(words, f->name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(words, names[i]) == 0)
            return f->shape.type == KANON_TYPE_INTEGER || f->shape.type == KANON_TYPE_DECIMAL;
    return false;
}

static void find_courses(kanon__roles *r)
{
    bool medical = false, course = false;
    for (int i = 0; i < r->n_columns; i++)
        medical = medical || is_medical(r->decisions[i].kind);
    for (int i = 0; i < r->n_columns; i++) {
        kanon__decision *d = &r->decisions[i];
        course = course || d->kind == KANON__KIND_outcome || (d->kind == KANON__KIND_course && medical);
        if (d->kind != KANON__KIND_course || (medical && is_course(&r->facts[i])))
            continue;
        d->kind = KANON__KIND_UNKNOWN;
        decide_unknown(d, &r->facts[i]);
    }
    for (int i = 0; i < r->n_columns; i++)
        if (medical && course && is_time_of_course(&r->facts[i])) {
            r->decisions[i].kind = KANON__KIND_course;
            give(&r->decisions[i], KANON_ROLE_SENSITIVE, kanon__kind_at(KANON__KIND_course)->reason);
        }
}

/* The letters of a name before its number; 0: it has none. */
static size_t stem_of(const char *name)
{
    size_t n = strlen(name), end = n;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    return end < n ? end : 0;
}

/* Whether two columns are questions of one list with one scale of answers: q1 and q2, from 1 to 5. */
static bool same_scale(const kanon__column_facts *a, const kanon__column_facts *b)
{
    enum { LEAST = 4, MOST = 11 };
    size_t stem = stem_of(a->name);
    return stem > 0 && stem == stem_of(b->name) && memcmp(a->name, b->name, stem) == 0 &&
           a->shape.type == KANON_TYPE_INTEGER && b->shape.type == KANON_TYPE_INTEGER && a->n_distinct >= LEAST &&
           a->n_distinct <= MOST && a->min >= 0 && a->max <= MOST - 1 && a->min == b->min && a->max == b->max;
}

/* Questions without a name, five or more with one scale: no trait that others know is asked five times. */
static void find_scales(kanon__roles *r)
{
    enum { LEAST_QUESTIONS = 5 };
    for (int i = 0; i < r->n_columns; i++) {
        int n = 0;
        for (int j = 0; j < r->n_columns && r->decisions[i].unknown; j++)
            n += same_scale(&r->facts[i], &r->facts[j]) &&
                 (r->decisions[j].unknown || r->decisions[j].kind == KANON__KIND_answer);
        if (n < LEAST_QUESTIONS)
            continue;
        r->decisions[i].unknown = false;
        r->decisions[i].kind = KANON__KIND_answer;
        give(&r->decisions[i], KANON_ROLE_SENSITIVE, "one of several questions with one scale of answers");
    }
}

/* ---- columns that say the same ------------------------------------------------------------------------------------- */

static bool is_released(const kanon__decision *d)
{
    return d->role == KANON_ROLE_QUASI || d->role == KANON_ROLE_SENSITIVE;
}

/* Whether column i is the one to keep of two that say the same: quasi before sensitive, then what has an order or a mask,
 * then the first. */
static bool is_kept(const kanon__roles *r, int i, int j)
{
    const kanon__decision *a = &r->decisions[i], *b = &r->decisions[j];
    bool a_general = a->type != KANON_TYPE_CATEGORICAL || a->mask, b_general = b->type != KANON_TYPE_CATEGORICAL || b->mask;
    if (a->role != b->role)
        return a->role == KANON_ROLE_QUASI;
    return a_general != b_general ? a_general : i < j;
}

/* The reason is `verb` the other column `then`. */
static void withhold(const kanon__roles *r, int column, int other, const char *verb, const char *then)
{
    kanon__decision *d = &r->decisions[column];
    d->role = KANON_ROLE_IDENTIFYING;
    d->same_as = other;
    snprintf(d->reason, sizeof d->reason, "withheld: it %s %.*s%s", verb, KANON__CUT(r->facts[other].name, 80),
             then);
}

/* Of two columns i and j that are released: what one of them tells about the other. */
static kanon_status compare_columns(const kanon__roles *r, int i, int j, const int32_t *rows, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool there, back;
    kanon__decision *decisions = r->decisions;
    KANON_TRY(kanon__column_determines(&there, &r->facts[i], &r->facts[j], rows, n, err), out);
    KANON_TRY(kanon__column_determines(&back, &r->facts[j], &r->facts[i], rows, n, err), out);
    if (there && back) {
        bool keep_i = is_kept(r, i, j);
        withhold(r, keep_i ? j : i, keep_i ? i : j, "says the same as", ", which counts once");
    } else if (there || back) {
        int from = there ? i : j, to = there ? j : i;
        if (decisions[from].role == KANON_ROLE_SENSITIVE && decisions[to].role == KANON_ROLE_QUASI) {
            withhold(r, from, to, "tells", " of every record");
        } else if (decisions[from].role == KANON_ROLE_QUASI && decisions[to].role == KANON_ROLE_QUASI) {
            withhold(r, to, from, "follows from", ", which counts once");
            decisions[to].follows = true;
        }
    }
out:
    return st;
}

/* The first row of each person; *rows stays NULL where nobody says whose record it is. */
static kanon_status list_persons(int32_t **rows, int64_t *n, const kanon__roles *r, kanon_error *err)
{
    bool *seen = NULL;
    if (r->entity < 0)
        return KANON_OK;
    const kanon__column_facts *f = &r->facts[r->entity];
    kanon_status st = kanon__new_array(rows, f->texts->n, "row order", err);
    if (st == KANON_OK)
        st = kanon__new_array(&seen, f->texts->n, "entities", err);
    for (int64_t row = 0; st == KANON_OK && row < f->n_rows; row++) {
        uint32_t code = kanon__code_at(f->codes, row);
        if (!seen[code])
            (*rows)[(*n)++] = (int32_t)row;
        seen[code] = true;
    }
    kanon__free(seen);
    return st;
}

static kanon_status find_dependencies(const kanon__roles *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *rows = NULL;
    int64_t n = 0;
    KANON_TRY(list_persons(&rows, &n, r, err), out);
    for (int i = 0; i < r->n_columns; i++)
        for (int j = i + 1; j < r->n_columns; j++)
            if (is_released(&r->decisions[i]) && is_released(&r->decisions[j]))
                KANON_TRY(compare_columns(r, i, j, rows, n, err), out);
out:
    kanon__free(rows);
    return st;
}

/* ---- whose record it is -------------------------------------------------------------------------------------------- */

static kanon_status find_entity(kanon__roles *r, kanon_error *err)
{
    kanon__entity_answer *answer = &r->answer;
    kanon_status st = kanon__entity_find(answer, r, err);
    if (st != KANON_OK || answer->belief != KANON__ENTITY_PROPOSED)
        return st;
    const kanon__column_facts *f = &r->facts[answer->column];
    kanon__decision *d = &r->decisions[answer->column];
    r->entity = answer->column;
    r->n_entities = f->n_distinct + (f->n_missing > 0);
    d->unknown = false;
    snprintf(d->reason, sizeof d->reason, "it says whose record it is: %lld persons in %lld records",
             (long long)r->n_entities, (long long)f->n_rows);
    return KANON_OK;
}

/* The first column whose values are numbers of records: present in all, and no two alike. Names are no keys. */
static void find_key(kanon__roles *r)
{
    for (int i = r->n_columns - 1; i >= 0; i--) {
        const kanon__column_facts *f = &r->facts[i];
        kanon__kind kind = r->decisions[i].kind;
        bool numbers = kanon__kind_has(kind, KANON__TRAIT_RECORD) || kind == KANON__KIND_person_id ||
                       kind == KANON__KIND_national_id || kind == KANON__KIND_person;
        if (numbers && f->name[0] != '\0' && f->n_missing == 0 && f->n_distinct == f->n_rows)
            r->key = i;
    }
}

/* ---- how values are read ------------------------------------------------------------------------------------------- */

/* What the user should look at in how a released column is read. */
static void add_doubts(kanon__decision *d, const kanon__column_facts *f)
{
    const kanon__column_shape *s = &f->shape;
    size_t used = strlen(d->reason), left = sizeof d->reason - used;
    char *end = d->reason + used;
    if (!is_released(d))
        return;
    if (s->kind == KANON__SHAPE_AMBIGUOUS_DATES)
        snprintf(end, left, "; check the format: %s is possible, too", s->other_date);
    else if (s->kind == KANON__SHAPE_AMBIGUOUS_NUMBERS)
        snprintf(end, left, "; check the decimal separator");
    else if (f->thousands && (d->type == KANON_TYPE_DECIMAL || d->type == KANON_TYPE_INTEGER))
        snprintf(end, left, "; check whether its numbers are thousands");
    else if (d->type == KANON_TYPE_DATE && d->role == KANON_ROLE_QUASI && kanon__value_has_time(&s->format))
        snprintf(end, left, "; bands are of days: without the hours it could have them");
    else if (s->kind != KANON__SHAPE_PLAIN && s->n_others > 0 && s->type != KANON_TYPE_CATEGORICAL)
        snprintf(end, left, "; %lld of %lld cells are no %ss, so it is read as categories", (long long)s->n_others,
                 (long long)f->n_present, s->type == KANON_TYPE_DATE ? "date" : "number");
    else if (d->mask && d->role == KANON_ROLE_QUASI)
        snprintf(end, left, "; masked from the right");
    else if (d->top[0] != '\0')
        snprintf(end, left, "; in bands, and %s or more is one (HIPAA)", d->top);
    else if (d->bands[0] != '\0')
        snprintf(end, left, "; in bands, so that no exact value is shown");
}

/* ---- enough quasi-identifiers -------------------------------------------------------------------------------------- */

/* The column that can best be generalised among those of which nothing is known; `all`: also nearly unique numbers. */
static int find_fallback(const kanon__roles *r, bool all)
{
    int best = -1;
    for (int i = 0; i < r->n_columns; i++) {
        const kanon__column_facts *f = &r->facts[i];
        const kanon__decision *d = &r->decisions[i];
        bool fits = d->unknown && d->role == KANON_ROLE_IDENTIFYING && f->n_distinct >= 2 &&
                    (!kanon__column_is_nearly_unique(f) || (all && d->type != KANON_TYPE_CATEGORICAL));
        if (fits && (best < 0 || f->n_distinct < r->facts[best].n_distinct))
            best = i;
    }
    return best;
}

/* A release needs a quasi-identifier. Where no column is known to be one, some of which nothing is known have to be it. */
static void fill_up(const kanon__roles *r)
{
    int n_quasi = 0;
    for (int i = 0; i < r->n_columns; i++)
        n_quasi += r->decisions[i].role == KANON_ROLE_QUASI;
    if (n_quasi > 0)
        return;
    for (int i = 0; i < FALLBACK_QUASI; i++) {
        int column = find_fallback(r, false);
        if (column < 0 && i == 0)
            column = find_fallback(r, true);
        if (column < 0)
            return;
        r->decisions[column].unknown = false;
        give(&r->decisions[column], KANON_ROLE_QUASI, "nothing is known about any column, and it has few values");
    }
}

kanon_status kanon__roles_decide(kanon__roles *out, const kanon__column_facts *facts, int n_columns, bool bands,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__roles){.n_columns = n_columns, .facts = facts, .entity = -1, .key = -1};
    KANON_TRY(kanon__new_array(&out->decisions, n_columns, "roles of columns", err), out);
    for (int i = 0; i < n_columns; i++)
        decide_alone(&out->decisions[i], &facts[i]);
    find_courses(out);
    find_scales(out);
    KANON_TRY(find_entity(out, err), out); /* first: what says whose record it is, is no quasi-identifier */
    fill_up(out);
    KANON_TRY(find_dependencies(out, err), out);
    find_key(out);
    for (int i = 0; i < n_columns; i++) {
        if (bands && out->decisions[i].role == KANON_ROLE_QUASI)
            kanon__coarsening_bands(&out->decisions[i], &facts[i]);
        add_doubts(&out->decisions[i], &facts[i]);
    }
out:
    return st;
}

kanon_status kanon__roles_judge(kanon__roles *out, const kanon__column_facts *facts, int n_columns, const kanon_role *given,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__roles){.n_columns = n_columns, .facts = facts, .entity = -1, .key = -1};
    KANON_TRY(kanon__new_array(&out->decisions, n_columns, "roles of columns", err), out);
    for (int i = 0; i < n_columns; i++) {
        decide_alone(&out->decisions[i], &facts[i]);
        out->decisions[i].role = given[i];
    }
    KANON_TRY(kanon__entity_find(&out->answer, out, err), out);
out:
    return st;
}

void kanon__roles_clear(kanon__roles *roles)
{
    kanon__free(roles->decisions);
    roles->decisions = NULL;
}
