/* See column_facts.h. Everything is counted on the distinct texts of a column, so that the work does not grow with the
 * records; only their frequencies are read row by row. */
#include "propose/column_facts.h"

#include "core/alloc.h"
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
    static const char *const texts[] = {"NA", "N/A", "na", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strlen(texts[i]) == length && memcmp(texts[i], text, length) == 0)
            return true;
    return false;
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
    for (uint32_t code = 0; code < f->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->texts, code, &length);
        f->missing[code] = f->missing[code] || code == f->shape.sentinel ||
                           (numeric ? kanon__text_is_generic(text, length) : is_never_a_value(text, length));
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

static void measure_values(kanon__column_facts *f)
{
    bool has_number = false;
    f->can_mask = f->n_distinct > 0;
    for (uint32_t code = 0; code < f->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->texts, code, &length);
        if (f->missing[code])
            continue;
        measure_text(f, text, length);
        if (f->shape.type != KANON_TYPE_CATEGORICAL)
            measure_number(f, text, length, &has_number);
    }
    f->mean_length /= f->n_distinct > 0 ? (double)f->n_distinct : 1;
    f->mean_spaces /= f->n_distinct > 0 ? (double)f->n_distinct : 1;
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
    out->shaped = kind_of_values(out);
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

/* The form of an identifier wins, and so does that of a date, since a date of a diagnosis is a date. */
kanon__kind kanon__column_kind(const kanon__column_facts *f)
{
    if (f->named != KANON__KIND_UNKNOWN && kanon__kind_at(f->named)->role == KANON_ROLE_IDENTIFYING)
        return f->named;
    if (f->shaped != KANON__KIND_UNKNOWN && kanon__kind_at(f->shaped)->role == KANON_ROLE_IDENTIFYING)
        return f->shaped;
    if (f->shape.type == KANON_TYPE_DATE)
        return f->named == KANON__KIND_birth_date ? f->named : KANON__KIND_event_date;
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
bool kanon__column_has_full_names(const kanon__column_facts *f)
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
    return n_names * 10 >= n * 9 && (n_given * 8 >= n || (n >= 20 && f->n_distinct * 2 >= f->n_present));
}
