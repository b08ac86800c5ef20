/* The kind of a column by its name: see kinds.h.
 *
 * A name is cut into words ("dateOfBirth": date of birth) and compared with every row of words in propose/knowledge.def.
 * Names without separators ("dateofbirth") are compared with the row as one word. */
#include "propose/kinds.h"

#include <string.h>

#define WEAK KANON__TRAIT_WEAK
#define PERSON KANON__TRAIT_PERSON
#define RECORD KANON__TRAIT_RECORD
#define STABLE KANON__TRAIT_STABLE
#define CODE KANON__TRAIT_CODE
#define FINE KANON__TRAIT_FINE
#define NOMINAL KANON__TRAIT_NOMINAL
#define OWN KANON__TRAIT_OWN
#define LIGHT KANON__TRAIT_LIGHT
#define ABOUT KANON__TRAIT_ABOUT

static const kanon__kind_info infos[KANON__KIND_COUNT] = {
    [KANON__KIND_UNKNOWN] = {KANON_ROLE_IDENTIFYING, 0, "nothing is known about it"},
#define KANON_KIND(kind, role, traits, reason) [KANON__KIND_##kind] = {KANON_ROLE_##role, traits, reason},
#include "propose/knowledge.def"
};

typedef struct row_of_words {
    kanon__kind kind;
    const char *words;
} row_of_words;

static const row_of_words rows[] = {
#define KANON_WORD(kind, words) {KANON__KIND_##kind, words},
#include "propose/knowledge.def"
};
enum { N_ROWS = sizeof rows / sizeof *rows };

const kanon__kind_info *kanon__kind_at(kanon__kind kind)
{
    return &infos[kind];
}

/* ---- words of a name --------------------------------------------------------------------------------------------- */

/* Letters outside ASCII that names of columns have in German, French and Spanish, by their second byte after 0xC3. */
static const char *plain_letter(unsigned char second)
{
    static const struct {
        unsigned char first, last;
        const char *plain;
    } letters[] = {{0x84, 0x84, "ae"}, {0x96, 0x96, "oe"}, {0x9c, 0x9c, "ue"}, {0x9f, 0x9f, "ss"},
                   {0x80, 0x85, "a"},  {0x87, 0x87, "c"},  {0x88, 0x8b, "e"},  {0x8c, 0x8f, "i"},
                   {0x91, 0x91, "n"},  {0x92, 0x95, "o"},  {0x99, 0x9b, "u"}};
    unsigned char capital = second >= 0xa0 ? (unsigned char)(second - 0x20) : second;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (capital >= letters[i].first && capital <= letters[i].last)
            return letters[i].plain;
    return "";
}

typedef enum letter_class { NO_LETTER, DIGIT, SMALL, CAPITAL } letter_class;

static letter_class class_of(unsigned char c, unsigned char next)
{
    if (c >= '0' && c <= '9')
        return DIGIT;
    if ((c >= 'a' && c <= 'z') || (c == 0xc3 && next >= 0x9f))
        return SMALL;
    return (c >= 'A' && c <= 'Z') || c == 0xc3 ? CAPITAL : NO_LETTER;
}

/* Whether a word ends between two characters: letters and digits part, and a capital after a small letter begins one. */
static bool parts(letter_class before, letter_class now)
{
    return before != NO_LETTER && now != NO_LETTER && before != now && !(before == CAPITAL && now == SMALL);
}

void kanon__name_words(char out[KANON__NAME_WORDS], const char *name)
{
    size_t n = 0;
    letter_class before = NO_LETTER;
    for (const unsigned char *at = (const unsigned char *)name; *at != '\0' && n + 4 < KANON__NAME_WORDS; at++) {
        letter_class now = class_of(at[0], at[1]);
        if (n > 0 && out[n - 1] != ' ' && (now == NO_LETTER || parts(before, now)))
            out[n++] = ' ';
        before = now;
        if (now == NO_LETTER)
            continue;
        if (at[0] == 0xc3) {
            for (const char *plain = plain_letter(*++at); *plain != '\0'; plain++)
                out[n++] = *plain;
        } else {
            out[n++] = (char)(now == CAPITAL ? at[0] - 'A' + 'a' : at[0]);
        }
    }
    out[n > 0 && out[n - 1] == ' ' ? n - 1 : n] = '\0';
}

/* ---- rows of words ------------------------------------------------------------------------------------------------ */

/* Whether a word fits a pattern in which a star is any letters. */
static bool word_fits(const char *pattern, size_t pattern_length, const char *word, size_t length)
{
    while (pattern_length > 0 && *pattern != '*') {
        if (length == 0 || *pattern != *word)
            return false;
        pattern++, pattern_length--, word++, length--;
    }
    if (pattern_length == 0)
        return length == 0;
    for (size_t skipped = 0; skipped <= length; skipped++)
        if (word_fits(pattern + 1, pattern_length - 1, word + skipped, length - skipped))
            return true;
    return false;
}

/* The letters of `words` that the row matches from its first one on; 0: it does not. */
static size_t match_at(const char *row, const char *words)
{
    const char *at = words;
    for (;;) {
        size_t pattern = strcspn(row, " "), word = strcspn(at, " ");
        if (word == 0 || !word_fits(row, pattern, at, word))
            return 0;
        at += word;
        row += pattern;
        if (*row == '\0')
            return (size_t)(at - words);
        row++;
        at += *at == ' ';
    }
}

/* Whether the texts are the same without their spaces. */
static bool same_letters(const char *left, const char *right)
{
    for (;; left++, right++) {
        left += *left == ' ';
        right += *right == ' ';
        if (*left != *right)
            return false;
        if (*left == '\0')
            return true;
    }
}

/* What a row matches in a name: letters begin .. end of its words. */
typedef struct match {
    kanon__kind kind;
    size_t begin, end;
    bool exact; /* no star */
    bool head;  /* the star comes first: the last part of a compound, which says what it is */
} match;

enum { MOST_MATCHES = 24 };

/* Whether `a` is a part of `b`, or says less of the same letters: a word of compounds less than a whole word, and the first
 * part of a compound less than the last one, where that is safer. */
static bool says_less(const match *a, const match *b)
{
    if (a->begin < b->begin || a->end > b->end)
        return false;
    bool first = !a->head && b->head && infos[a->kind].role == KANON_ROLE_SENSITIVE;
    return a->end - a->begin < b->end - b->begin ||
           (!a->exact && (b->exact || first || (b->head && !a->head && kanon__kind_has(b->kind, KANON__TRAIT_ABOUT))));
}

/* What says less than another match is left out. */
static size_t add_match(match matches[MOST_MATCHES], size_t n, match found)
{
    for (size_t i = 0; i < n; i++)
        if (says_less(&found, &matches[i]))
            return n;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!says_less(&matches[i], &found))
            matches[kept++] = matches[i];
    if (kept < MOST_MATCHES)
        matches[kept++] = found;
    return kept;
}

static size_t find_matches(match matches[MOST_MATCHES], const char *words)
{
    size_t n = 0, length = strlen(words);
    for (size_t i = 0; i < N_ROWS; i++) {
        bool exact = strchr(rows[i].words, '*') == NULL, head = rows[i].words[0] == '*';
        if (same_letters(rows[i].words, words))
            n = add_match(matches, n, (match){rows[i].kind, 0, length, exact, head});
        for (size_t begin = 0; begin < length; begin++) {
            bool may = (begin == 0 || words[begin - 1] == ' ') && (head || words[begin] == rows[i].words[0]);
            size_t matched = may ? match_at(rows[i].words, words + begin) : 0;
            if (matched > 0)
                n = add_match(matches, n, (match){rows[i].kind, begin, begin + matched, exact, head});
        }
    }
    return n;
}

enum { LEAST_STRONG = 10 };

/* Which of two kinds counts: a strong one before a weak one, then the safer role. What others may know counts least of the
 * strong ones, and an opinion about something more than what it is about. */
static int rank(kanon__kind kind)
{
    static const int by_role[] = {[KANON_ROLE_IDENTIFYING] = 6, [KANON_ROLE_QUASI] = 4, [KANON_ROLE_SENSITIVE] = 2};
    int here = kanon__kind_has(kind, KANON__TRAIT_ABOUT)   ? by_role[KANON_ROLE_QUASI] + 1
               : kanon__kind_has(kind, KANON__TRAIT_LIGHT) ? by_role[KANON_ROLE_SENSITIVE] - 1
                                                           : by_role[infos[kind].role];
    return (kanon__kind_has(kind, KANON__TRAIT_WEAK) ? 0 : LEAST_STRONG) + here;
}

/* Whether a word between two places of a name makes what follows the object of what comes before: "trust in the police". */
static bool is_linked(const char *words, size_t from, size_t to)
{
    static const char *const links[] = {"of", "in",  "with", "for", "to",  "about", "von", "mit",  "zu",  "zur", "zum",
                                        "an", "am",  "der",  "des", "de",  "du",    "d",   "la",   "le",  "les", "del",
                                        "en", "con", "al",   "a",   "por", "sur",   "au",  "dans", "fuer"};
    while (from < to) {
        from += words[from] == ' ';
        size_t length = strcspn(words + from, " ");
        for (size_t i = 0; i < sizeof links / sizeof *links; i++)
            if (strlen(links[i]) == length && memcmp(links[i], words + from, length) == 0)
                return true;
        from += length;
    }
    return false;
}

/* Whether an opinion or an amount is what the name ends with, or has an object: a tax office is an office. */
static bool is_about(const char *words, const match *m, const match *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].begin >= m->end && infos[all[i].kind].role == KANON_ROLE_QUASI && !is_linked(words, m->end, all[i].begin))
            return false;
    return true;
}

static kanon__kind best_kind(const char *name, bool identifiers)
{
    char words[KANON__NAME_WORDS];
    match matches[MOST_MATCHES], best = {.kind = KANON__KIND_UNKNOWN};
    int there = -1;
    kanon__name_words(words, name);
    size_t n = find_matches(matches, words);
    for (size_t i = 0; i < n; i++) {
        int here = rank(matches[i].kind);
        if (!identifiers && infos[matches[i].kind].role == KANON_ROLE_IDENTIFYING)
            continue;
        if (kanon__kind_has(matches[i].kind, KANON__TRAIT_ABOUT) && !is_about(words, &matches[i], matches, n))
            here = LEAST_STRONG;
        if (here > there || (here == there && matches[i].end - matches[i].begin > best.end - best.begin)) {
            best = matches[i];
            there = here;
        }
    }
    return best.kind;
}

kanon__kind kanon__kind_of_name(const char *name)
{
    return best_kind(name, true);
}

kanon__kind kanon__kind_of_rest(const char *name)
{
    return best_kind(name, false);
}

bool kanon__name_has_word(const char *name, const char *word)
{
    char words[KANON__NAME_WORDS];
    size_t length = strlen(word);
    kanon__name_words(words, name);
    for (const char *at = strstr(words, word); at != NULL; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}
