/* Kinds of columns: what a column is, as its name or the shape of its values tells.
 *
 * The kinds, their words and their shapes are rows of propose/knowledge.def. A kind decides the role of a column and
 * the reason that the schema gives for it. */
#ifndef KANON_PROPOSE_KINDS_H
#define KANON_PROPOSE_KINDS_H

#include <kanon.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum kanon__kind {
    KANON__KIND_UNKNOWN = 0,
#define KANON_KIND(kind, role, traits, reason) KANON__KIND_##kind,
#include "propose/knowledge.def"
    KANON__KIND_COUNT
} kanon__kind;

/* Traits of a kind: propose/knowledge.def says what each means. */
enum {
    KANON__TRAIT_WEAK = 1,
    KANON__TRAIT_PERSON = 2,
    KANON__TRAIT_RECORD = 4,
    KANON__TRAIT_STABLE = 8,
    KANON__TRAIT_CODE = 16,
    KANON__TRAIT_FINE = 32,
    KANON__TRAIT_NOMINAL = 64,
    KANON__TRAIT_OWN = 128,
    KANON__TRAIT_LIGHT = 256,
    KANON__TRAIT_ABOUT = 512
};

typedef struct kanon__kind_info {
    kanon_role role;
    int traits;
    const char *reason;
} kanon__kind_info;

const kanon__kind_info *kanon__kind_at(kanon__kind kind);
static inline bool kanon__kind_has(kanon__kind kind, int trait)
{
    return (kanon__kind_at(kind)->traits & trait) != 0;
}

enum { KANON__NAME_WORDS = 256 };
/* The words of a column's name in lower case and ASCII, one space between two: "GeburtsDatum_2" is "geburts datum 2". What
 * does not fit is left out. */
void kanon__name_words(char out[KANON__NAME_WORDS], const char *name);
/* The kind that the name of a column tells. */
kanon__kind kanon__kind_of_name(const char *name);
/* The same without words of identifiers: of "admission type id" and "number of children", what the values are codes or counts
 * of. */
kanon__kind kanon__kind_of_rest(const char *name);

/* Whether one of those words is `word`. */
bool kanon__name_has_word(const char *name, const char *word);

/* Whether a word of a cell is a given name of many persons, in any case of ASCII letters. */
bool kanon__is_given_name(const char *word, size_t length);

/* Whether a text has the form of a pattern of propose/knowledge.def. */
bool kanon__pattern_fits(const char *pattern, const char *text, size_t length);
typedef struct kanon__pattern {
    kanon__kind kind;
    int percent;
    const char *pattern;
} kanon__pattern;
/* The patterns, row by row; NULL past the last. */
const kanon__pattern *kanon__pattern_at(size_t i);

#endif
