/* See column_shape.h. Plain numbers are looked for first, since most columns are decided by them; other separators and date
 * formats are tried where some text is no number. A format that reads less than half of the first texts is given up. */
#include "table/domain/column_shape.h"

#include "core/alloc.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

/* One cell in five may be something else in a column that is nearly of a type. */
enum { FITTING_PARTS = 4, ALL_PARTS = 5 };
enum { TRIAL = 1024 }; /* texts after which formats that do not read half of them are given up */

static const kanon__value_format number_formats[] = {
    {.decimal = '.'},
    {.decimal = ','},
    {.decimal = ',', .thousands = '.'},
    {.decimal = '.', .thousands = ','},
    {.decimal = ',', .thousands = ' '},
    {.decimal = '.', .thousands = ' '},
    {.decimal = '.', .thousands = '\''},
};

/* In this order: the first that reads every text is taken, unless a later one reads one differently. Points stand between
 * days, months and years where people write the day first, so there is no second reading of them. */
static const kanon__value_format date_formats[] = {
    {.date = ""},
    {.date = KANON__DATE_ISO_TIME},
    {.date = KANON__DATE_ISO_ZONE},
    {.date = "%d.%m.%Y"},
    {.date = "%d/%m/%Y"},
    {.date = "%m/%d/%Y"},
    {.date = "%Y/%m/%d"},
    {.date = "%d-%m-%Y"},
    {.date = "%m-%d-%Y"},
    {.date = "%d.%m.%y"},
    {.date = "%d/%m/%y"},
    {.date = "%m/%d/%y"},
    {.date = "%d %b %Y"},
    {.date = "%d-%b-%Y"},
    {.date = "%d-%b-%y"},
    {.date = "%b %d, %Y"},
    {.date = "%d.%m.%Y %H:%M"},
    {.date = "%d.%m.%Y %H:%M:%S"},
    {.date = "%d/%m/%Y %H:%M"},
    {.date = "%d/%m/%Y %H:%M:%S"},
    {.date = "%m/%d/%Y %H:%M"},
    {.date = "%m/%d/%Y %H:%M:%S"},
    {.date = "%Y/%m/%d %H:%M"},
    {.date = "%Y/%m/%d %H:%M:%S"},
};

enum {
    N_NUMBERS = sizeof number_formats / sizeof number_formats[0],
    N_DATES = sizeof date_formats / sizeof date_formats[0],
    MOST_FORMATS = N_DATES
};

/* What is known while a shape is found. */
typedef struct finder {
    const kanon__shape_texts *column;
    kanon__column_shape *shape;
    int64_t *counts; /* by code: its cells */
    bool *generic;   /* by code */
} finder;

/* How well the formats of one list read the texts. */
typedef struct trial {
    kanon_type type;
    const kanon__value_format *formats;
    int n_formats;
    int64_t cells[MOST_FORMATS]; /* read by each */
    int64_t texts[MOST_FORMATS];
    bool alive[MOST_FORMATS];
} trial;

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static const char *const generic_texts[] = {
    "na",
    "n/a",
    "n.a.",
    "#n/a",
    "#na",
    "<na>",
    "nan",
    "null",
    "(null)",
    "#null!",
    "none",
    "nil",
    "nat",
    "\\n",
    "?",
    "??",
    "???",
    ".",
    "..",
    "...",
    "-",
    "--",
    "---",
    "_",
    "*",
    "x",
    "unknown",
    "unk",
    "missing",
    "blank",
    "(blank)",
    "empty",
    "undefined",
    "not available",
    "not known",
    "not applicable",
    "not reported",
    "not stated",
    "refused",
    "k.a.",
    "k. a.",
    "keine angabe",
    "keine antwort",
    "ohne angabe",
    "wei\303\237 nicht",
    "weiss nicht",
    "nicht bekannt",
    "nicht erhoben",
    "trifft nicht zu",
    "verweigert",
    "unbekannt",
    "fehlt",
    "don't know",
    "do not know",
    "no answer",
    "no response",
    "prefer not to say",
    "not asked",
    "not recorded",
    "inconnu",
    "non renseign\303\251",
    "sans r\303\251ponse",
    "ne sait pas",
    "nsp",
    "refus",
    "manquant",
    "desconocido",
    "no consta",
    "no sabe",
    "no contesta",
    "no responde",
    "sin respuesta",
    "sin datos",
    "ns/nc",
    "s/d",
    "#value!",
    "#div/0!",
    "#ref!",
    "#name?",
    "#num!",
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool kanon__text_is_generic(const char *text, size_t length)
{
    kanon__trim(&text, &length);
    for (size_t i = 0; i < sizeof generic_texts / sizeof generic_texts[0]; i++) {
        size_t n = 0;
        while (n < length && generic_texts[i][n] != '\0' && lower(text[n]) == generic_texts[i][n])
            n++;
        if (n == length && generic_texts[i][n] == '\0' && n > 0)
            return true;
    }
    return false;
}

/* 01067, but not 0 and not -05. */
static bool has_leading_zero(const char *text, size_t length)
{
    kanon__trim(&text, &length);
    return length >= 2 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

/* 12a, I21.9, B-7: one word of digits and a few letters. */
static bool is_code(const char *text, size_t length)
{
    enum { MOST_LETTERS = 3 };
    int digits = 0, letters = 0;
    kanon__trim(&text, &length);
    for (size_t i = 0; i < length; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9', letter = lower(text[i]) >= 'a' && lower(text[i]) <= 'z';
        if (!digit && !letter && strchr(".-/_", text[i]) == NULL)
            return false;
        digits += digit;
        letters += letter;
    }
    return digits > 0 && letters > 0 && letters <= MOST_LETTERS;
}

static bool is_present(const finder *f, uint32_t code)
{
    return f->column->missing == NULL || !f->column->missing[code];
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static kanon_status count_cells(finder *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__shape_texts *c = f->column;
    KANON_TRY(kanon__new_array(&f->counts, c->texts->n, "texts of a column", err), out);
    KANON_TRY(kanon__new_array(&f->generic, c->texts->n, "texts of a column", err), out);
    if (c->counts != NULL && c->texts->n > 0)
        memcpy(f->counts, c->counts, c->texts->n * sizeof *f->counts);
    for (int64_t row = 0; c->counts == NULL && row < c->n_rows; row++)
        f->counts[kanon__code_at(c->codes, row)]++;
out:
    return st;
}

/* What can be said of each text by itself. */
static void count_kinds(finder *f)
{
    kanon__column_shape *s = f->shape;
    for (uint32_t code = 0; code < f->column->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->column->texts, code, &length);
        kanon__decimal number;
        int64_t whole, cells = f->counts[code];
        if (!is_present(f, code))
            continue;
        s->n_distinct++;
        s->n_present += cells;
        if (kanon__parse_integer(&whole, text, length)) {
            s->n_integers += cells;
            s->n_leading_zeros += has_leading_zero(text, length) ? cells : 0;
        } else if (kanon__parse_decimal(&number, text, length)) {
            s->n_decimals += cells;
        } else if (kanon__text_is_generic(text, length)) {
            f->generic[code] = true;
            s->n_generic += cells;
            if (s->n_generic_texts < KANON__SHAPE_GENERIC)
                s->generic[s->n_generic_texts++] = code;
        } else if (is_code(text, length)) {
            s->n_codes += cells;
        }
    }
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static void give_up_hopeless(trial *t, int64_t n_texts)
{
    for (int i = 0; i < t->n_formats; i++)
        t->alive[i] = t->alive[i] && t->texts[i] * 2 >= n_texts;
}

/* How many texts and cells each format reads; generic texts are left out. */
static void try_formats(const finder *f, trial *t)
{
    int64_t n_texts = 0;
    for (uint32_t code = 0; code < f->column->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->column->texts, code, &length);
        kanon__decimal value;
        if (!is_present(f, code) || f->generic[code])
            continue;
        for (int i = 0; i < t->n_formats; i++)
            if (t->alive[i] && kanon__value_parse(&value, t->type, &t->formats[i], text, length)) {
                t->cells[i] += f->counts[code];
                t->texts[i]++;
            }
        if (++n_texts == TRIAL)
            give_up_hopeless(t, n_texts);
    }
}

/* Whether two formats that read every text read one differently. */
static bool differ(const finder *f, const trial *t, int i, int j)
{
    for (uint32_t code = 0; code < f->column->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->column->texts, code, &length);
        kanon__decimal one, other;
        if (is_present(f, code) && !f->generic[code] && kanon__value_parse(&one, t->type, &t->formats[i], text, length) &&
            kanon__value_parse(&other, t->type, &t->formats[j], text, length) && one.value != other.value)
            return true;
    }
    return false;
}

/* The format that reads most cells, the first of several. */
static int best_of(const trial *t)
{
    int best = 0;
    for (int i = 1; i < t->n_formats; i++)
        if (t->alive[i] && (!t->alive[best] || t->cells[i] > t->cells[best]))
            best = i;
    return best;
}

/* A later format that reads as many cells as the best one, and one of them differently; -1: there is none. What is written
 * with a point is a decimal number, unless the file separates its cells as those do that write a comma. */
static int rival_of(const finder *f, const trial *t, int best)
{
    bool plain_dates = t->type == KANON_TYPE_DATE && t->formats[best].date[0] == '\0';
    bool plain_numbers = t->type != KANON_TYPE_DATE && best == 0 && f->column->delimiter != ';';
    for (int i = best + 1; !plain_dates && !plain_numbers && i < t->n_formats; i++)
        if (t->alive[i] && t->cells[i] == t->cells[best] && differ(f, t, best, i))
            return i;
    return -1;
}

/* The separators or the format that the schema names are the only ones to try. */
static void begin_trial(trial *t, const finder *f, kanon_type type)
{
    bool dates = type == KANON_TYPE_DATE;
    const kanon__value_format *said = &f->column->format;
    bool one = dates ? said->date[0] != '\0' : said->decimal != 0 || said->thousands != 0;
    *t = (trial){.type = type,
                 .formats = one     ? said
                            : dates ? date_formats
                                    : number_formats,
                 .n_formats = one     ? 1
                              : dates ? N_DATES
                                      : N_NUMBERS};
    for (int i = 0; i < t->n_formats; i++)
        t->alive[i] = true;
    try_formats(f, t);
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

/* The first text that the format does not read. */
static uint32_t first_unread(const finder *f, kanon_type type, const kanon__value_format *format)
{
    for (uint32_t code = 0; code < f->column->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->column->texts, code, &length);
        kanon__decimal value;
        if (is_present(f, code) && !kanon__value_parse(&value, type, format, text, length))
            return code;
    }
    return KANON__NO_CODE;
}

/* Take the best format of a trial as the column's; whether the texts are of the type, or nearly. */
static bool take_best(const finder *f, trial *t, kanon__shape_kind nearly, kanon__shape_kind ambiguous, bool any_share)
{
    kanon__column_shape *s = f->shape;
    int best = best_of(t), rival = rival_of(f, t, best);
    int64_t fitting = t->cells[best], others = s->n_present - s->n_generic - fitting;
    bool good = fitting > 0 && fitting * ALL_PARTS >= (fitting + others) * FITTING_PARTS;
    if (!good && !any_share)
        return false;
    s->format = t->formats[best];
    s->type = t->type;
    s->n_fitting = fitting;
    s->n_others = others;
    s->kind = rival >= 0 && good ? ambiguous : others + s->n_generic > 0 ? nearly : KANON__SHAPE_PLAIN;
    s->other_date = s->kind == KANON__SHAPE_AMBIGUOUS_DATES ? t->formats[rival].date : NULL;
    s->first_other = first_unread(f, s->type, &s->format);
    return true;
}

static void become_categorical(kanon__column_shape *s, kanon__shape_kind kind)
{
    s->kind = kind;
    s->type = KANON_TYPE_CATEGORICAL;
    s->format = (kanon__value_format){0};
    s->n_fitting = s->n_present;
    s->n_others = 0;
    s->first_other = KANON__NO_CODE;
}

/* Whole numbers where every number is one. */
static void prefer_integers(const finder *f)
{
    kanon__column_shape *s = f->shape;
    for (uint32_t code = 0; code < f->column->texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(f->column->texts, code, &length);
        kanon__decimal value;
        if (is_present(f, code) && kanon__value_parse(&value, KANON_TYPE_DECIMAL, &s->format, text, length) &&
            !kanon__value_parse(&value, KANON_TYPE_INTEGER, &s->format, text, length))
            return;
    }
    s->type = KANON_TYPE_INTEGER;
}

/* Codes are numbers to the eye only: with zeros in front, or with letters in most of what is no number. */
static bool looks_like_codes(const kanon__column_shape *s)
{
    bool zeros = s->n_leading_zeros > 0 && s->n_decimals == 0;
    return (zeros && s->n_others <= s->n_codes) || (s->n_others > 0 && s->n_codes * 2 >= s->n_others);
}

static void judge_numbers(const finder *f, bool any)
{
    kanon__column_shape *s = f->shape;
    prefer_integers(f);
    if (any && s->kind != KANON__SHAPE_AMBIGUOUS_NUMBERS && looks_like_codes(s))
        become_categorical(s, KANON__SHAPE_CODES);
}

/* Most columns of numbers are plain ones, which need no other format to be tried. */
static bool is_plain(const finder *f, kanon_type wanted)
{
    const kanon__column_shape *s = f->shape;
    const kanon__value_format *said = &f->column->format;
    bool one_reading = f->column->delimiter != ';' || s->n_decimals == 0;
    return said->decimal == 0 && said->thousands == 0 && s->n_integers + s->n_decimals == s->n_present && one_reading &&
           (wanted != KANON_TYPE_INTEGER || s->n_decimals == 0);
}

static void judge_plain(const finder *f, bool any)
{
    kanon__column_shape *s = f->shape;
    s->format = number_formats[0];
    s->type = s->n_decimals > 0 ? KANON_TYPE_DECIMAL : KANON_TYPE_INTEGER;
    if (any && looks_like_codes(s))
        become_categorical(s, KANON__SHAPE_CODES);
}

static void judge(const finder *f, kanon_type wanted)
{
    kanon__column_shape *s = f->shape;
    trial t;
    bool any = wanted == KANON_TYPE_UNKNOWN;
    become_categorical(s, KANON__SHAPE_PLAIN);
    if (s->n_present == 0 || s->n_generic == s->n_present || wanted == KANON_TYPE_CATEGORICAL)
        return;
    if (wanted != KANON_TYPE_DATE && is_plain(f, wanted)) {
        judge_plain(f, any);
        return;
    }
    if (wanted != KANON_TYPE_DATE) {
        begin_trial(&t, f, any ? KANON_TYPE_DECIMAL : wanted); /* whole numbers have fewer readings */
        if (take_best(f, &t, KANON__SHAPE_NEARLY_NUMBERS, KANON__SHAPE_AMBIGUOUS_NUMBERS, !any)) {
            judge_numbers(f, any);
            return;
        }
    }
    if (any || wanted == KANON_TYPE_DATE) {
        begin_trial(&t, f, KANON_TYPE_DATE);
        take_best(f, &t, KANON__SHAPE_NEARLY_DATES, KANON__SHAPE_AMBIGUOUS_DATES, !any);
    }
}

/* ---- numbers that mean "no value" -------------------------------------------------------------------------------- */

/* The whole numbers of a column that can mean "no value", and the others. */
typedef struct codes_seen {
    double numbers[KANON__SHAPE_SENTINELS + 1];
    uint32_t codes[KANON__SHAPE_SENTINELS + 1];
    int n;
    bool once;  /* one of them is in one cell only */
    double end; /* the least of them above, in amount */
} codes_seen;

static void note_code(codes_seen *seen, double number, uint32_t code, int64_t cells)
{
    if (seen->n > KANON__SHAPE_SENTINELS)
        return;
    seen->numbers[seen->n] = number;
    seen->codes[seen->n++] = code;
    seen->once = seen->once || cells < 2;
    seen->end = seen->end == 0 || number < seen->end ? number : seen->end;
}

/* 99, 999, 9999, ... */
static bool is_nines(double value)
{
    for (double nines = 99; nines < 1e9; nines = nines * 10 + 9)
        if (value == nines)
            return true;
    return false;
}

/* 77, 88, 97, 98, 99 and the like: the codes of surveys for refused, not applicable and not known. */
static bool is_high_code(double value)
{
    for (double nines = 99; nines < 1e9; nines = nines * 10 + 9)
        if (value == nines || value == nines - 1 || value == nines - 2 || value == nines / 9 * 8 || value == nines / 9 * 7)
            return true;
    return false;
}

static bool is_low_code(double value)
{
    return (value >= 1 && value <= 9 && value == (int)value) || is_high_code(value);
}

/* The value of each text; false: it is no number. */
static bool number_of(const finder *f, uint32_t code, double *out)
{
    size_t length;
    const char *text = kanon__dictionary_text(f->column->texts, code, &length);
    kanon__decimal number;
    if (!is_present(f, code) || !kanon__value_parse(&number, KANON_TYPE_DECIMAL, &f->shape->format, text, length))
        return false;
    *out = number.value;
    return true;
}

static void take_codes(kanon__column_shape *s, const codes_seen *seen)
{
    for (int i = 0; i < seen->n && s->n_sentinels < KANON__SHAPE_SENTINELS; i++)
        s->sentinels[s->n_sentinels++] = seen->codes[i];
    s->sentinel = s->sentinels[0];
}

/* Below zero: -1, -9, -99, ... where nothing else is negative. Several are codes if one of them is 8, 9 or nines and there is no
 * row of them without a gap, or if all other values are far larger. */
static void find_low_codes(const finder *f)
{
    codes_seen seen = {0};
    double most = 0, number;
    bool any = false, telling = false;
    int64_t n_others = 0;
    for (uint32_t code = 0; code < f->column->texts->n; code++) {
        if (!number_of(f, code, &number))
            continue;
        if (number >= 0) {
            most = number > most ? number : most;
            n_others++;
            continue;
        }
        if (!is_low_code(-number))
            return;
        any = true;
        telling = telling || number == -8 || number == -9 || is_nines(-number);
        note_code(&seen, -number, code, f->counts[code]);
    }
    if (!any || seen.n > KANON__SHAPE_SENTINELS || seen.once || n_others == 0)
        return;
    bool one = seen.n == 1 && (seen.numbers[0] == 1 || telling);
    bool row = seen.n > 4; /* -1, -2, -3, ... are values */
    if (one || (seen.n > 1 && !row && (telling || most >= 100)))
        take_codes(f->shape, &seen);
}

/* Above: nines, and numbers of codes next to them, far above all other values. */
static void find_high_codes(const finder *f)
{
    codes_seen seen = {0};
    double top = 0, next = 0, number;
    for (uint32_t code = 0; code < f->column->texts->n; code++)
        if (number_of(f, code, &number))
            top = number > top ? number : top;
    if (!is_nines(top) && !is_nines(top + 1))
        return;
    for (uint32_t code = 0; code < f->column->texts->n; code++) {
        if (!number_of(f, code, &number))
            continue;
        if (is_high_code(number) && number * 1.5 > top)
            note_code(&seen, number, code, f->counts[code]);
        else
            next = number > next ? number : next;
    }
    bool plain = seen.n > 1 || is_nines(top);
    if (seen.n > 0 && seen.n <= KANON__SHAPE_SENTINELS && !seen.once && plain && next * 3 < seen.end &&
        f->shape->n_distinct > 2)
        take_codes(f->shape, &seen);
}

/* In more cells than one each. */
static void find_sentinels(const finder *f)
{
    find_low_codes(f);
    find_high_codes(f);
}

bool kanon__shape_is_sentinel(const kanon__column_shape *shape, uint32_t code)
{
    for (int i = 0; i < shape->n_sentinels; i++)
        if (shape->sentinels[i] == code)
            return true;
    return false;
}

const kanon__value_format *kanon__shape_formats(kanon_type type, int *n)
{
    *n = type == KANON_TYPE_DATE ? N_DATES : N_NUMBERS;
    return type == KANON_TYPE_DATE ? date_formats : number_formats;
}

kanon_status kanon__column_shape_find(kanon__column_shape *out, const kanon__shape_texts *column, kanon_type wanted,
                                      kanon_error *err)
{
    kanon_status st = KANON_OK;
    finder f = {.column = column, .shape = out};
    *out = (kanon__column_shape){.first_other = KANON__NO_CODE, .sentinel = KANON__NO_CODE};
    KANON_TRY(count_cells(&f, err), out);
    count_kinds(&f);
    judge(&f, wanted);
    if (out->type == KANON_TYPE_INTEGER || out->type == KANON_TYPE_DECIMAL)
        find_sentinels(&f);
out:
    kanon__free(f.generic);
    kanon__free(f.counts);
    return st;
}

void kanon__column_shape_take_other_date(kanon__column_shape *shape)
{
    const char *first = NULL, *second = shape->other_date;
    for (int i = 0; i < N_DATES; i++)
        if (strcmp(date_formats[i].date, shape->format.date) == 0)
            first = date_formats[i].date;
    if (first == NULL || second == NULL)
        return;
    snprintf(shape->format.date, sizeof shape->format.date, "%s", second);
    shape->other_date = first;
}
