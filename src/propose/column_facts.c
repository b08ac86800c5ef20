/* See column_facts.h. Everything is counted on the distinct texts of a column, so that the work does not grow with the
 * records; only their frequencies are read row by row. */
#include "propose/column_facts.h"

#include "core/alloc.h"
#include "core/text.h"
#include "table/schema/taxonomy.h"

#include <string.h>

enum { PATTERN_TEXTS = 2000 };        /* distinct texts that patterns are tried on */
enum { LONG_TEXT = 40, MASKED = 16 }; /* bytes: of a sentence at least, of a code that is masked at most */

/* ---- missing texts ----------------------------------------------------------------------------------------------- */

static bool is_blank(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return length == 0;
}

/* Among categories, "none", "x" or "-" may be values; these texts are not. */
static bool is_never_a_value(const char *text, size_t length)
{
    static const char *const texts[] = {"NA",   "N/A",  "na", "n/a",  "#N/A",  "<NA>", "NaN",   "nan",
                                        "NULL", "null", "?",  "k.A.", "k. A.", "k.a.", "NS/NC", "s/d"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strlen(texts[i]) == length && memcmp(texts[i], text, length) == 0)
            return true;
    return memchr(text, ' ', length) != NULL && kanon__text_is_generic(text, length); /* "keine Angabe" */
}

/* -1, -9, -99 among words. */
static bool is_negative_code(const char *text, size_t length)
{
    bool nines = true;
    for (size_t i = 1; i < length; i++)
        nines = nines && text[i] == '9';
    return length >= 2 && length <= 4 && text[0] == '-' && ((length == 2 && text[1] >= '1' && text[1] <= '9') || nines);
}

/* Empty cells first; what else means "no value" depends on the shape, which does not look at them. */
static void find_blank(kanon__column_facts *f, uint32_t null_code)
{
    for (uint32_t code = 0; code < f->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->texts, code, &length);
        f->missing[code] = code == null_code || is_blank(text, length);
    }
}

/* The texts for "no value" of a numeric column, and its number for it. */
static void find_missing(kanon__column_facts *f)
{
    bool numeric = f->shape.type != KANON_TYPE_CATEGORICAL;
    bool words = (f->shape.n_integers + f->shape.n_decimals) * 5 < f->shape.n_present;
    for (uint32_t code = 0; code < f->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->texts, code, &length);
        f->missing[code] = f->missing[code] || kanon__shape_is_sentinel(&f->shape, code) ||
                           (numeric ? kanon__text_is_generic(text, length)
                                    : is_never_a_value(text, length) || (words && is_negative_code(text, length)));
    }
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static kanon_status count_values(kanon__column_facts *f, kanon_error *err)
{
    int64_t *counts = NULL;
    kanon_status st = kanon__new_array(&counts, f->texts->n, "texts of a column", err);
    for (int64_t row = 0; st == KANON_OK && row < f->n_rows; row++)
        counts[kanon__code_at(f->codes, row)]++;
    for (uint32_t code = 0; st == KANON_OK && code < f->texts->n; code++) {
        if (f->missing[code]) {
            f->n_missing += counts[code];
            continue;
        }
        f->n_distinct++;
        f->most = counts[code] > f->most ? counts[code] : f->most;
    }
    f->n_present = f->n_rows - f->n_missing;
    kanon__free(counts);
    return st;
}

static void measure_text(kanon__column_facts *f, const char *text, size_t length)
{
    f->mean_length += (double)length;
    for (size_t i = 0; i < length; i++)
        f->mean_spaces += text[i] == ' ';
    f->can_mask = f->can_mask && length <= MASKED && kanon__tree_can_mask(text, length);
}

static void measure_number(kanon__column_facts *f, const char *text, size_t length, bool *has_number)
{
    kanon__decimal number;
    if (!kanon__value_parse(&number, f->shape.type, &f->shape.format, text, length))
        return;
    f->min = !*has_number || number.value < f->min ? number.value : f->min;
    f->max = !*has_number || number.value > f->max ? number.value : f->max;
    *has_number = true;
}

/* 1.234 and 17 can be thousands; 0.234, 1.5 and 1234 cannot. */
static bool can_be_thousands(const kanon__column_facts *f, const char *text, size_t length, int64_t *n_decimals)
{
    enum { GROUP = 3 };
    const char mark = f->shape.format.decimal;
    if (f->shape.type != KANON_TYPE_DECIMAL || f->shape.format.thousands != 0)
        return false;
    kanon__trim(&text, &length);
    const char *at = memchr(text, mark == 0 ? '.' : mark, length);
    size_t before = at == NULL ? length : (size_t)(at - text);
    *n_decimals += at != NULL;
    if (before == 0 || before > GROUP || (at != NULL && (text[0] == '0' || text[0] == '-' || text[0] == '+')))
        return false;
    return at == NULL || length - before - 1 == GROUP;
}

static void measure_values(kanon__column_facts *f)
{
    bool has_number = false;
    int64_t n_decimals = 0;
    f->can_mask = f->n_distinct > 0;
    f->thousands = true;
    for (uint32_t code = 0; code < f->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->texts, code, &length);
        if (f->missing[code])
            continue;
        measure_text(f, text, length);
        if (f->shape.type != KANON_TYPE_CATEGORICAL)
            measure_number(f, text, length, &has_number);
        f->thousands = f->thousands && can_be_thousands(f, text, length, &n_decimals);
    }
    f->thousands = f->thousands && n_decimals > 0;
    f->mean_length /= f->n_distinct > 0 ? (double)f->n_distinct : 1;
    f->mean_spaces /= f->n_distinct > 0 ? (double)f->n_distinct : 1;
}

/* ---- bands ------------------------------------------------------------------------------------------------------- */

/* A number at the beginning; its length, 0: there is none. */
static size_t leading_number(double *out, const char *text, size_t length)
{
    kanon__decimal number;
    size_t n = 0;
    while (n < length && ((text[n] >= '0' && text[n] <= '9') ||
                          (n > 0 && text[n] == '.' && n + 1 < length && text[n + 1] >= '0' && text[n + 1] <= '9')))
        n++;
    if (n == 0 || !kanon__parse_decimal(&number, text, n))
        return 0;
    *out = number.value;
    return n;
}

static size_t skip(const char *text, size_t length, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(words[i]);
        if (size <= length && memcmp(text, words[i], size) == 0)
            return size;
    }
    return 0;
}

bool kanon__band_label_low(double *out, const char *text, size_t length)
{
    static const char *const below[] = {"<=",         "<",      "under ", "Under ",    "below ",    "up to ",
                                        "less than ", "unter ", "bis ",   "moins de ", "menos de ", "hasta "};
    static const char *const above[] = {">=",           ">",        "over ",         "Over ", "from ", "ab ",
                                        "\303\274ber ", "plus de ", "m\303\241s de "};
    static const char *const between[] = {"-", "\342\200\223", "to ", "bis ", "\303\240 ", "a ", ",", "to"};
    static const char *const after[] = {"+",       "and over",     "and older", "or more",         "plus",
                                        "et plus", "y m\303\241s", "und mehr",  "und \303\244lter"};
    enum { BEFORE_ALL = 1000000000 };
    double low, high;
    kanon__trim(&text, &length);
    if (length > 0 && (text[0] == '[' || text[0] == '(' || text[0] == ']'))
        text++, length--;
    size_t down = skip(text, length, below, sizeof below / sizeof *below);
    size_t up = down > 0 ? 0 : skip(text, length, above, sizeof above / sizeof *above);
    text += down + up, length -= down + up;
    kanon__trim(&text, &length);
    size_t n = leading_number(&low, text, length);
    if (n == 0)
        return false;
    text += n, length -= n;
    kanon__trim(&text, &length);
    *out = down > 0 ? low - BEFORE_ALL : up > 0 ? low + 0.5 : low;
    if (down + up > 0 || skip(text, length, after, sizeof after / sizeof *after) > 0)
        return true;
    size_t mark = skip(text, length, between, sizeof between / sizeof *between);
    text += mark, length -= mark;
    kanon__trim(&text, &length);
    return mark > 0 && leading_number(&high, text, length) > 0 && high > low;
}

/* All values name bands, and no two of them begin alike. */
static bool are_bands(const kanon__column_facts *f)
{
    enum { MOST_BANDS = 50 };
    double lows[MOST_BANDS];
    int n = 0;
    if (f->shape.type != KANON_TYPE_CATEGORICAL || f->n_distinct < 2 || f->n_distinct > MOST_BANDS)
        return false;
    for (uint32_t code = 0; code < f->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->texts, code, &length);
        if (f->missing[code])
            continue;
        if (!kanon__band_label_low(&lows[n], text, length))
            return false;
        for (int i = 0; i < n; i++)
            if (lows[i] == lows[n])
                return false;
        n++;
    }
    return true;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* How many of the first values fit a pattern of each kind. Returns how many were tried. */
static int64_t count_patterns(int64_t fitting[KANON__KIND_COUNT], const kanon__column_facts *f)
{
    int64_t n = 0;
    for (uint32_t code = 0; code < f->texts->n && n < PATTERN_TEXTS; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->texts, code, &length);
        bool counted[KANON__KIND_COUNT] = {false};
        if (f->missing[code])
            continue;
        n++;
        for (size_t i = 0; kanon__pattern_at(i) != NULL; i++) {
            const kanon__pattern *p = kanon__pattern_at(i);
            if (!counted[p->kind] && kanon__pattern_fits(p->pattern, text, length))
                counted[p->kind] = (bool)++fitting[p->kind];
        }
    }
    return n;
}

/* Dates and numbers are neither phone numbers nor accounts; of several kinds the safest role counts, then the first row. */
static kanon__kind kind_of_values(const kanon__column_facts *f)
{
    int64_t fitting[KANON__KIND_COUNT] = {0};
    kanon__kind best = KANON__KIND_UNKNOWN;
    if (f->shape.type != KANON_TYPE_CATEGORICAL)
        return f->shape.type == KANON_TYPE_DATE ? KANON__KIND_event_date : KANON__KIND_UNKNOWN;
    int64_t n = count_patterns(fitting, f);
    for (size_t i = 0; kanon__pattern_at(i) != NULL; i++) {
        const kanon__pattern *p = kanon__pattern_at(i);
        bool safer = best == KANON__KIND_UNKNOWN || (kanon__kind_at(best)->role != KANON_ROLE_IDENTIFYING &&
                                                     kanon__kind_at(p->kind)->role == KANON_ROLE_IDENTIFYING);
        if (n > 0 && fitting[p->kind] * 100 >= n * p->percent && safer)
            best = p->kind;
    }
    return best;
}

/* A "number" or an "id" that has few values, in many records each, is a count or the code of a category. */
static kanon__kind kind_of_few(const kanon__column_facts *f)
{
    enum { FEW = 100, MANY_RECORDS = 10 };
    kanon__kind rest;
    if (f->n_distinct > FEW || f->n_distinct * MANY_RECORDS > f->n_present ||
        !kanon__kind_has(f->named, KANON__TRAIT_RECORD))
        return f->named;
    rest = kanon__kind_of_rest(f->name);
    return rest != KANON__KIND_UNKNOWN ? rest : f->named;
}

bool kanon__column_is_counted(const kanon__column_facts *f)
{
    static const char *const words[] = {"number",   "num",    "nb",     "count", "anzahl",  "anz",      "size",   "years",
                                        "year",     "yrs",    "months", "month", "weeks",   "days",     "hours",  "minutes",
                                        "jahre",    "jahr",   "monate", "tage",  "stunden", "groesse",  "zahl",   "dauer",
                                        "duration", "annees", "annee",  "mois",  "jours",   "heures",   "nombre", "duree",
                                        "anos",     "meses",  "dias",   "horas", "numero",  "duracion", "beds",   "rate"};
    enum { FIRST_YEAR = 1850, LAST_YEAR = 2100 };
    if (f->shape.type != KANON_TYPE_INTEGER)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (kanon__name_has_word(f->name, words[i]))
            return true;
    return f->min >= FIRST_YEAR && f->max <= LAST_YEAR && f->n_distinct > 1;
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

kanon_status kanon__column_facts_find(kanon__column_facts *out, const char *name, const kanon__dictionary *texts,
                                      kanon__codes codes, int64_t n_rows, uint32_t null_code, kanon_type natural,
                                      char delimiter, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__column_facts){
        .name = name, .texts = texts, .codes = codes, .n_rows = n_rows, .named = kanon__kind_of_name(name)};
    KANON_TRY(kanon__new_array(&out->missing, texts->n, "texts of a column", err), out);
    find_blank(out, null_code);
    kanon__shape_texts seen = {
        .texts = texts, .codes = codes, .n_rows = n_rows, .missing = out->missing, .delimiter = delimiter};
    KANON_TRY(kanon__column_shape_find(&out->shape, &seen, natural, err), out);
    find_missing(out);
    KANON_TRY(count_values(out, err), out);
    measure_values(out);
    out->bands = are_bands(out);
    out->shaped = kind_of_values(out);
    out->named = kind_of_few(out);
out:
    return st;
}

void kanon__column_facts_clear(kanon__column_facts *facts)
{
    kanon__free(facts->missing);
    facts->missing = NULL;
}

bool kanon__column_is_nearly_unique(const kanon__column_facts *f)
{
    return f->n_present > 0 && f->n_distinct * 10 >= f->n_present * 9;
}

bool kanon__column_is_free_text(const kanon__column_facts *f)
{
    bool varied = f->n_distinct * 5 >= f->n_present && f->n_distinct > 5;
    return f->shape.type == KANON_TYPE_CATEGORICAL && varied && (f->mean_length >= LONG_TEXT || f->mean_spaces >= 4);
}

/* The year of a cancer and the month of an arrest are years and months, by their values as well. */
static bool is_moment(const kanon__column_facts *f)
{
    static const char *const months[] = {"month", "monat", "mois", "mes"};
    enum { FIRST_YEAR = 1850, LAST_YEAR = 2100, LAST_MONTH = 12 };
    if (f->shape.type != KANON_TYPE_INTEGER || f->n_distinct < 2 || kanon__kind_has(f->named, KANON__TRAIT_ABOUT))
        return false;
    for (size_t i = 0; i < sizeof months / sizeof *months; i++)
        if (kanon__name_has_word(f->name, months[i]) && f->min >= 1 && f->max <= LAST_MONTH)
            return true;
    return f->min >= FIRST_YEAR && f->max <= LAST_YEAR && kanon__column_is_counted(f);
}

/* The form of an identifier wins, and so does that of a date, a time or a coordinate, since a date of a diagnosis is
 * a date. */
kanon__kind kanon__column_kind(const kanon__column_facts *f)
{
    if (f->named != KANON__KIND_UNKNOWN && kanon__kind_at(f->named)->role == KANON_ROLE_IDENTIFYING)
        return f->named;
    if (f->shaped != KANON__KIND_UNKNOWN && kanon__kind_at(f->shaped)->role == KANON_ROLE_IDENTIFYING)
        return f->shaped;
    if (f->shape.type == KANON_TYPE_DATE)
        return f->named == KANON__KIND_birth_date ? f->named : KANON__KIND_event_date;
    if (f->shaped != KANON__KIND_UNKNOWN && kanon__kind_at(f->shaped)->role == KANON_ROLE_QUASI)
        return f->shaped;
    if (f->named != KANON__KIND_UNKNOWN && kanon__kind_at(f->named)->role == KANON_ROLE_SENSITIVE && is_moment(f))
        return KANON__KIND_event_date;
    return f->named != KANON__KIND_UNKNOWN ? f->named : f->shaped;
}

/* ---- full names -------------------------------------------------------------------------------------------------- */

static bool is_capital(const char *text)
{
    return (*text >= 'A' && *text <= 'Z') || (unsigned char)*text == 0xc3;
}

/* Whether a text is two to four words with capitals in front and no digits: "Lee, Ann", "Jean-Luc O'Neil". `given`: one of
 * them is a given name. */
static bool is_full_name(const char *text, size_t length, bool *given)
{
    int n_words = 0;
    *given = false;
    for (size_t i = 0; i < length;) {
        size_t begin = i;
        while (i < length && text[i] != ' ' && text[i] != ',') {
            char c = text[i++];
            bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
            if (!letter && c != '-' && c != '\'' && c != '.')
                return false;
        }
        *given = *given || kanon__is_given_name(text + begin, i - begin);
        if (i > begin && !is_capital(text + begin))
            return false;
        n_words += i > begin;
        while (i < length && (text[i] == ' ' || text[i] == ','))
            i++;
    }
    return n_words >= 2 && n_words <= 4;
}

/* Titles and places have such forms, too: of names, many are given names, or nearly each is another. */
bool kanon__column_has_full_names(const kanon__column_facts *f, bool known)
{
    enum { LEAST_NAMES = 5 };
    int64_t n = 0, n_names = 0, n_given = 0;
    if (f->shape.type != KANON_TYPE_CATEGORICAL || f->n_distinct < LEAST_NAMES)
        return false;
    for (uint32_t code = 0; code < f->texts->n && n < PATTERN_TEXTS; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->texts, code, &length);
        bool given;
        if (f->missing[code])
            continue;
        n++;
        n_names += is_full_name(text, length, &given);
        n_given += given;
    }
    return n_names * 10 >= n * 9 && (n_given * 8 >= n || (!known && n >= 20 && f->n_distinct * 2 >= f->n_present));
}
