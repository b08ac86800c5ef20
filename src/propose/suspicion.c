/* See suspicion.h.
 *
 * Whether a column repeats a quasi-identifier is asked of the rows in two ways. Each is compared with what would be found
 * had the column nothing to do with it: the quasi cells of other rows, drawn at random. By chance alone many a number lies
 * in a wide interval.
 *
 *     it says it       37/10115    [30..39]   a word or number of the cell is one of the values that the quasi cell covers
 *     it tells it      master      [14..16]   all quasi cells in the rows of one value can be of one value */
#include "propose/suspicion.h"

#include "core/alloc.h"
#include "core/escape.h"
#include "core/random.h"
#include "core/text.h"
#include "core/ticker.h"
#include "propose/dependencies.h"

#include <stdio.h>
#include <string.h>

enum { FEW_RECORDS = 20 };  /* in fewer, nearly every column is nearly unique */
enum { FEW_VALUES = 10 };   /* of a column with so many values a name says nothing about persons */
enum { SHORT = 3 };         /* bytes: of names, numbers and sentences on average at least, where there are few */
enum { EXACT_VALUES = 20 }; /* so many dates are years, months or a few days */
enum { LEAST_BY_CHANCE = 20, STRAYS_OF = 50 }; /* as in propose/dependencies.c */
enum { SURE_PAIRS = 10 }; /* so many pairs of equal numbers are to be expected where there is none: no chance */
enum { ROW_NS = 200 };

/* ---- a column alone ---------------------------------------------------------------------------------------------- */

bool kanon__column_is_telling_text(const kanon__column_facts *f)
{
    return f->shape.type == KANON_TYPE_CATEGORICAL && f->n_rows >= FEW_RECORDS && kanon__column_is_nearly_unique(f);
}

/* Whether no two rows have one number although its range is so small that many would by chance: it numbers the rows. */
static bool numbers_rows(const kanon__column_facts *f)
{
    double pairs = (double)f->n_present * (double)(f->n_present - 1) / 2;
    return f->shape.type == KANON_TYPE_INTEGER && f->n_present >= FEW_RECORDS && f->n_distinct == f->n_present &&
           pairs >= SURE_PAIRS * (f->max - f->min + 1);
}

/* Whether it is called a number, a code or a name, and nearly each cell has another one: an identifier of whatever. */
static bool numbers_by_name(const kanon__column_facts *f)
{
    static const char *const words[] = {"id",      "ids",        "no",    "nr",         "number",   "num",
                                        "nummer",  "numero",     "code",  "codigo",     "key",      "ref",
                                        "name",    "names",      "nom",   "nombre",     "person",   "holder",
                                        "kennung", "schluessel", "clave", "identifier", "reference"};
    bool fits = f->shape.type == KANON_TYPE_INTEGER || f->shape.type == KANON_TYPE_CATEGORICAL;
    for (size_t i = 0; i < sizeof words / sizeof *words && fits; i++)
        if (kanon__name_has_word(f->name, words[i]))
            return f->n_present >= FEW_RECORDS && kanon__column_is_nearly_unique(f);
    return false;
}

/* What others know may be written as names are (towns, titles); anything else that is, is names of persons. */
kanon__kind kanon__column_identity(const kanon__column_facts *f, kanon__kind kind)
{
    bool known = kind != KANON__KIND_UNKNOWN && kanon__kind_at(kind)->role == KANON_ROLE_QUASI;
    if (kind != KANON__KIND_UNKNOWN && kanon__kind_at(kind)->role == KANON_ROLE_IDENTIFYING)
        return kind;
    if (kanon__column_is_free_text(f))
        return KANON__KIND_free_text;
    bool coded = kanon__kind_has(kind, KANON__TRAIT_CODE); /* which is masked */
    if ((!coded && numbers_by_name(f)) || (!known && numbers_rows(f)))
        return KANON__KIND_record_id;
    return !known && kanon__column_has_full_names(f, kind != KANON__KIND_UNKNOWN) ? KANON__KIND_person_name
                                                                                  : KANON__KIND_UNKNOWN;
}

/* The name of a column is no proof if it has few values, or if numbers of records repeat: "number of rooms". */
static bool identifies_by(const kanon__column_facts *f, kanon__kind identity)
{
    if (identity == f->shaped || identity != f->named || kanon__column_is_free_text(f))
        return true;
    if (kanon__kind_has(identity, KANON__TRAIT_RECORD))
        return kanon__column_is_nearly_unique(f) && f->n_present >= FEW_RECORDS;
    return f->n_distinct > FEW_VALUES || (f->n_distinct > 1 && kanon__column_is_nearly_unique(f) && f->mean_length >= SHORT);
}

static kanon__suspicion_kind suspect_identity(char *text, const kanon__column_facts *f, kanon__kind kind)
{
    kanon__kind identity = kanon__column_identity(f, kind);
    if (numbers_rows(f)) {
        snprintf(text, KANON__SUSPICION_TEXT, "looks identifying: it numbers the records");
        return KANON__SUSPECT_UNIQUE;
    }
    if (identity != KANON__KIND_UNKNOWN && identifies_by(f, identity)) {
        snprintf(text, KANON__SUSPICION_TEXT, "looks identifying: %s", kanon__kind_at(identity)->reason);
        return KANON__SUSPECT_PERSON;
    }
    if (!kanon__column_is_telling_text(f))
        return KANON__SUSPECT_NONE;
    snprintf(text, KANON__SUSPICION_TEXT, "looks identifying: nearly every cell has a value of its own");
    return KANON__SUSPECT_UNIQUE;
}

/* Whether the numbers may be degrees of places that are near each other, with a street's exactness: 52.51234. */
static bool looks_like_degrees(const kanon__column_facts *f, double most)
{
    enum { LENGTH = 7, TIMES = 5, FROM_ZERO = 2 };
    double span = f->max - f->min, middle = (f->min + f->max) / 2;
    middle = middle < 0 ? -middle : middle;
    return f->shape.type == KANON_TYPE_DECIMAL && f->n_distinct > EXACT_VALUES && f->min >= -most && f->max <= most &&
           middle >= FROM_ZERO && middle >= TIMES * span && f->mean_length >= LENGTH;
}

/* Two columns that nobody calls coordinates, and that are: one goes to 90 degrees, the other to 180. */
static bool is_place(const kanon__suspect *columns, int n, int column)
{
    enum { NORTH = 90, EAST = 180 };
    for (int i = 0; i < n; i++) {
        const kanon__column_facts *a = columns[column].facts, *b = columns[i].facts;
        bool other = i != column && columns[i].role != KANON_ROLE_IDENTIFYING && b->n_distinct > 0;
        if (other && ((looks_like_degrees(a, NORTH) && looks_like_degrees(b, EAST)) ||
                      (looks_like_degrees(a, EAST) && looks_like_degrees(b, NORTH))))
            return true;
    }
    return false;
}

static kanon__suspicion_kind suspect_exact(char *text, const kanon__column_facts *f, kanon__kind kind, bool degrees)
{
    bool varied = f->n_distinct > EXACT_VALUES || (f->n_present >= FEW_RECORDS && kanon__column_is_nearly_unique(f));
    bool hour = kind == KANON__KIND_clock && f->shaped == kind;
    bool place = degrees || (kind == KANON__KIND_coordinate && (f->shaped == kind || f->shape.type == KANON_TYPE_DECIMAL));
    const char *what = f->shape.type == KANON_TYPE_DATE ? (kanon__value_has_time(&f->shape.format) ? "times" : "dates")
                       : hour                           ? "times"
                       : place                          ? "coordinates"
                                                        : NULL;
    if (!varied || what == NULL)
        return KANON__SUSPECT_NONE;
    snprintf(text, KANON__SUSPICION_TEXT, "has exact %s, which single out persons", what);
    return KANON__SUSPECT_EXACT;
}

static kanon__suspicion_kind suspect_known(char *text, const kanon__column_facts *f, kanon__kind kind)
{
    if (kanon__kind_at(kind)->role != KANON_ROLE_QUASI || kanon__kind_has(kind, KANON__TRAIT_WEAK) || f->n_distinct < 2)
        return KANON__SUSPECT_NONE;
    snprintf(text, KANON__SUSPICION_TEXT, "may be known to others, and is no quasi-identifier");
    return KANON__SUSPECT_KNOWN;
}

/* ---- covers -------------------------------------------------------------------------------------------------------- */

/* A quasi-identifier while others are compared with it. */
typedef struct target {
    const kanon__suspect *suspect;
    const kanon__column_facts *facts;
    const kanon__cover *covers;
    kanon__cover *own; /* of a table: each value covers itself */
    kanon__value_format format;
    bool dates;
} target;

static kanon_status begin_target(target *t, const kanon__suspect *s, kanon_error *err)
{
    const kanon__column_facts *f = s->facts;
    *t = (target){.suspect = s, .facts = f, .covers = s->covers, .format = s->date_format, .dates = s->dates};
    if (s->covers != NULL)
        return KANON_OK;
    KANON_CHECK(kanon__new_array(&t->own, f->texts->n, "texts of a column", err));
    t->covers = t->own;
    t->dates = f->shape.type == KANON_TYPE_DATE;
    t->format = f->shape.format;
    for (uint32_t code = 0; code < f->texts->n; code++) {
        kanon__cover *c = &t->own[code];
        kanon__decimal number;
        c->text = kanon__dictionary_text(f->texts, code, &c->length);
        kanon__trim(&c->text, &c->length);
        c->any = f->missing[code] || c->length == 0;
        if (f->shape.type != KANON_TYPE_CATEGORICAL &&
            kanon__value_parse(&number, f->shape.type, &f->shape.format, c->text, c->length)) {
            c->numeric = true;
            c->low = c->high = number.value;
        }
    }
    return KANON_OK;
}

static const kanon__cover *cover_at(const target *t, int64_t row)
{
    return &t->covers[kanon__code_at(t->facts->codes, row)];
}

/* ---- it says it -------------------------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The number that begins at `at`, with a point or a comma before its decimals; its length, 0: there is none. */
static size_t number_at(double *out, const char *at, size_t length)
{
    char plain[KANON__NUMBER_TEXT];
    kanon__decimal number;
    size_t n = 0;
    while (n < length && n + 1 < sizeof plain &&
           ((at[n] >= '0' && at[n] <= '9') || (n > 0 && (at[n] == '.' || at[n] == ',')))) {
        plain[n] = at[n] == ',' ? '.' : at[n];
        n++;
    }
    while (n > 0 && plain[n - 1] == '.')
        n--;
    if (n == 0 || !kanon__parse_decimal(&number, plain, n))
        return 0;
    *out = number.value;
    return n;
}

static bool says_number(const kanon__cover *c, const char *text, size_t length)
{
    for (size_t i = 0, n; i<length; i += n> 0 ? n : 1) {
        double value;
        n = i > 0 && is_word(text[i - 1]) ? 0 : number_at(&value, text + i, length - i);
        if (n > 0 && value >= c->low && value <= c->high)
            return true;
    }
    return false;
}

/* Dates have the characters between their parts that may stand between values, too: every piece that begins and ends at
 * words is tried. */
static bool says_date(const kanon__cover *c, const kanon__value_format *format, const char *text, size_t length)
{
    for (size_t begin = 0; begin < length; begin++) {
        if (!is_word(text[begin]) || (begin > 0 && is_word(text[begin - 1])))
            continue;
        for (size_t end = begin + 6; end <= length; end++) {
            kanon__decimal day;
            if ((end == length || !is_word(text[end])) &&
                kanon__value_parse(&day, KANON_TYPE_DATE, format, text + begin, end - begin) && day.value >= c->low &&
                day.value <= c->high)
                return true;
        }
    }
    return false;
}

static bool says_text(const kanon__cover *c, const char *text, size_t length)
{
    for (size_t i = 0; i + c->length <= length; i++)
        if ((i == 0 || !is_word(text[i - 1])) && memcmp(text + i, c->text, c->length) == 0 &&
            (c->prefix || i + c->length == length || !is_word(text[i + c->length])))
            return true;
    return false;
}

/* Whether a text names a value, or a set of values, that lies in the cover. */
static bool names_part(const kanon__label_ranges *names, const kanon__cover *c, const char *text, size_t length)
{
    kanon__trim(&text, &length);
    uint32_t label = kanon__dictionary_find(names->labels, text, length);
    return label != KANON__NO_CODE && names->low[label] >= c->low && names->high[label] <= c->high;
}

/* The whole text, or a piece of it between marks that stand between values. */
static bool says_name(const kanon__label_ranges *names, const kanon__cover *c, const char *text, size_t length)
{
    if (names_part(names, c, text, length))
        return true;
    for (size_t begin = 0, end; begin < length; begin = end + 1) {
        for (end = begin; end < length && strchr("/|;,_+", text[end]) == NULL; end++)
            ;
        if (end - begin < length && names_part(names, c, text + begin, end - begin))
            return true;
    }
    return false;
}

static bool says(const target *t, const kanon__cover *c, const char *text, size_t length)
{
    const kanon__label_ranges *names = &t->suspect->names;
    return !c->numeric             ? says_text(c, text, length)
           : names->labels != NULL ? says_name(names, c, text, length)
           : t->dates              ? says_date(c, &t->format, text, length)
                                   : says_number(c, text, length);
}

/* Rows in which the cell does not say what the quasi cell covers; it stops where they are too many. `anew`: the quasi
 * cell is that of a row that is drawn at random. */
static int64_t count_silent(int64_t *all, const kanon__column_facts *f, const target *t, bool anew)
{
    int64_t silent = 0;
    kanon__random random;
    kanon__random_init(&random, 0, 0);
    *all = 0;
    for (int64_t row = 0; row < f->n_rows; row++) {
        uint32_t code = kanon__code_at(f->codes, row);
        const kanon__cover *c = cover_at(t, anew ? kanon__random_below(&random, f->n_rows) : row);
        size_t length;
        const char *text = kanon__dictionary_text(f->texts, code, &length);
        if (f->missing[code] || c->any)
            continue;
        ++*all;
        silent += !says(t, c, text, length);
        if (!anew && silent > LEAST_BY_CHANCE && silent * STRAYS_OF / 4 > *all)
            break;
    }
    return silent;
}

static bool repeats(const kanon__column_facts *f, const target *t)
{
    int64_t all, compared, silent = count_silent(&all, f, t, false);
    if (all == 0 || silent * STRAYS_OF > all)
        return false;
    int64_t by_chance = count_silent(&compared, f, t, true);
    return by_chance >= LEAST_BY_CHANCE && silent * 10 <= by_chance;
}

/* ---- it tells it --------------------------------------------------------------------------------------------------- */

/* What the quasi cells of the rows of one value have in common. */
typedef struct common {
    kanon__cover cover;
    int64_t n;
} common;

/* Narrow `c` to what it has in common with `next`; false, and as it was: nothing. */
static bool narrow(kanon__cover *c, const kanon__cover *next)
{
    if (c->numeric != next->numeric)
        return false;
    if (c->numeric) {
        double low = c->low > next->low ? c->low : next->low, high = c->high < next->high ? c->high : next->high;
        if (low > high)
            return false;
        c->low = low;
        c->high = high;
        return true;
    }
    const kanon__cover *longer = c->length >= next->length ? c : next, *shorter = longer == c ? next : c;
    bool same = shorter->length == longer->length;
    if ((!same && !shorter->prefix) || memcmp(longer->text, shorter->text, shorter->length) != 0)
        return false;
    if (same && (!c->prefix || !next->prefix))
        c->prefix = false;
    else if (longer == next)
        *c = *next;
    return true;
}

static int64_t count_strays(int64_t *all, common *met, const kanon__column_facts *f, const target *t, bool anew)
{
    int64_t strays = 0;
    kanon__random random;
    kanon__random_init(&random, 0, 0);
    memset(met, 0, (size_t)f->texts->n * sizeof *met);
    *all = 0;
    for (int64_t row = 0; row < f->n_rows; row++) {
        uint32_t code = kanon__code_at(f->codes, row);
        const kanon__cover *c = cover_at(t, anew ? kanon__random_below(&random, f->n_rows) : row);
        if (f->missing[code] || c->any)
            continue;
        if (met[code].n++ == 0) {
            met[code].cover = *c;
            continue;
        }
        ++*all;
        strays += !narrow(&met[code].cover, c);
        if (!anew && strays > LEAST_BY_CHANCE && strays * STRAYS_OF / 4 > *all)
            break;
    }
    return strays;
}

static kanon_status tells(bool *out, const kanon__column_facts *f, const target *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    common *met = NULL;
    int64_t all, compared;
    *out = false;
    if (t->suspect->covers == NULL)
        return kanon__column_stays(out, f, t->facts, err);
    KANON_TRY(kanon__new_array(&met, f->texts->n, "texts of a column", err), out);
    int64_t strays = count_strays(&all, met, f, t, false);
    if (all == 0 || strays * STRAYS_OF > all)
        goto out;
    int64_t by_chance = count_strays(&compared, met, f, t, true);
    *out = by_chance >= LEAST_BY_CHANCE && strays * 10 <= by_chance;
out:
    kanon__free(met);
    return st;
}

/* ---- columns and quasi-identifiers ---------------------------------------------------------------------------------- */

/* Names of quasi-identifiers, with commas; the first ones of many. */
static void add_name(char *names, size_t size, const char *name)
{
    size_t used = strlen(names);
    if (used + 80 + 3 < size)
        snprintf(names + used, size - used, "%s%.*s", used > 0 ? ", " : "", KANON__CUT(name, 80));
}

/* Which quasi-identifiers the column repeats, else tells, else follows from. */
static kanon_status suspect_repeats(kanon__suspicion *s, const kanon__suspect *column, const target *targets, int n_targets,
                                    kanon_error *err)
{
    enum { NAMES = 240 };
    char said[NAMES] = "", told[NAMES] = "", from[NAMES] = "";
    int first[3] = {-1, -1, -1};
    const kanon__column_facts *f = column->facts;
    if (f->n_distinct < 2)
        return KANON_OK;
    for (int i = 0; i < n_targets; i++) {
        const target *t = &targets[i];
        bool found = repeats(f, t);
        int way = 0;
        KANON_CHECK(kanon__poll_tick(f->n_rows * ROW_NS, err));
        if (!found) {
            way = 1;
            KANON_CHECK(tells(&found, f, t, err));
        }
        if (!found && column->role == KANON_ROLE_INSENSITIVE && t->suspect->covers == NULL) {
            way = 2;
            KANON_CHECK(kanon__column_stays(&found, t->facts, f, err));
        }
        if (!found)
            continue;
        add_name(way == 0 ? said : way == 1 ? told : from, NAMES, t->facts->name);
        if (first[way] < 0)
            first[way] = i;
    }
    int way = said[0] != '\0' ? 0 : told[0] != '\0' ? 1 : 2;
    if (first[way] < 0)
        return KANON_OK;
    s->kind = KANON__SUSPECT_REPEATS;
    s->other = first[way];
    if (way == 2)
        snprintf(s->text, sizeof s->text, "follows from %s, and shows a part of what is generalised there", from);
    else
        snprintf(s->text, sizeof s->text, "%s %s in every record, and shows what is generalised there",
                 way == 0 ? "repeats" : "tells", way == 0 ? said : told);
    return KANON_OK;
}

static kanon_status suspect_column(kanon__suspicion *s, const kanon__suspect *column, bool degrees, const target *targets,
                                   int n_targets, kanon_error *err)
{
    const kanon__column_facts *f = column->facts;
    kanon__kind kind = kanon__column_kind(f);
    if (f->n_distinct == 0)
        return KANON_OK;
    s->kind = suspect_identity(s->text, f, kind);
    if (s->kind == KANON__SUSPECT_UNIQUE && suspect_exact(s->text, f, kind, degrees) != KANON__SUSPECT_NONE)
        s->kind = KANON__SUSPECT_EXACT;
    if (column->permuted && s->kind != KANON__SUSPECT_PERSON)
        s->kind = KANON__SUSPECT_NONE;
    if (s->kind == KANON__SUSPECT_NONE)
        KANON_CHECK(suspect_repeats(s, column, targets, n_targets, err));
    if (s->kind == KANON__SUSPECT_NONE && !column->permuted)
        s->kind = suspect_exact(s->text, f, kind, degrees);
    if (s->kind == KANON__SUSPECT_NONE && !column->permuted && column->role == KANON_ROLE_INSENSITIVE)
        s->kind = suspect_known(s->text, f, kind);
    return KANON_OK;
}

kanon_status kanon__suspicions_find(kanon__suspicions *out, const kanon__suspect *columns, int n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    target *targets = NULL;
    int *numbers = NULL, n_targets = 0; /* by target: its column */
    KANON_TRY(kanon__new_array(&targets, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&numbers, n, "columns", err), out);
    for (int i = 0; i < n; i++)
        if (columns[i].role == KANON_ROLE_QUASI) {
            numbers[n_targets] = i;
            KANON_TRY(begin_target(&targets[n_targets++], &columns[i], err), out);
        }
    for (int i = 0; i < n; i++) {
        kanon__suspicion found = {.column = i, .other = -1};
        if (columns[i].role != KANON_ROLE_SENSITIVE && columns[i].role != KANON_ROLE_INSENSITIVE)
            continue;
        KANON_TRY(suspect_column(&found, &columns[i], is_place(columns, n, i), targets, n_targets, err), out);
        if (found.kind == KANON__SUSPECT_NONE)
            continue;
        found.other = found.other >= 0 ? numbers[found.other] : -1;
        KANON_TRY(kanon__grow_array(&out->items, &out->capacity, out->n + 1, "suspicions", err), out);
        out->items[out->n++] = found;
    }
out:
    for (int i = 0; i < n_targets; i++)
        kanon__free(targets[i].own);
    kanon__free(numbers);
    kanon__free(targets);
    return st;
}

void kanon__suspicions_clear(kanon__suspicions *s)
{
    kanon__free(s->items);
    *s = (kanon__suspicions){0};
}
