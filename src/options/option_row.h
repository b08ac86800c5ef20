/* What is known of one option: a row of options.def. Whoever needs the table includes it between the definitions of
 * KANON_OPTION and its end; nothing here calls anything, so every layer and every host may read it. */
#ifndef KANON_OPTIONS_OPTION_ROW_H
#define KANON_OPTIONS_OPTION_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_SWITCH,    /* given or not */
    OPTION_TEXT,      /* a text that is not empty; where the row has words, one of them */
    OPTION_WORD,      /* one of the words, as a number: the first one is `min` */
    OPTION_TEXTS,     /* any text, empty or not; can be repeated */
    OPTION_NAMES,     /* names of columns with commas between them; can be repeated */
    OPTION_PAIRS,     /* NAME=VALUE; can be repeated. Hosts take a mapping */
    OPTION_WHOLE,     /* a whole number in min .. max */
    OPTION_BLOCKS,    /* a number of records, auto or none */
    OPTION_OR_OFF,    /* a whole number, min or more, or off */
    OPTION_NUMBER,    /* a number above 0, as a text */
    OPTION_SIZE,      /* bytes, as 500M or 2G */
    OPTION_SEED,      /* a whole number from 0 to KANON_SEED_MAX */
    OPTION_SHARE,     /* a number above 0, at most 1 */
    OPTION_CHARACTER, /* one character, or tab */
    OPTION_INPUT,     /* where something is read */
    OPTION_OUTPUT     /* where something is written */
} option_kind;

/* What an option is about: the sections of the help and of docs/options.md, in this order. */
typedef enum option_category {
    OF_COLUMNS,
    OF_READING,
    OF_PRIVACY,
    OF_GROUPS,
    OF_RELEASE,
    OF_STATES,
    OF_FILES,
    OF_THE_RUN,
    N_CATEGORIES
} option_category;

/* The commands that have an option, as bits. A host has a function for each, or says in docs/options.md why not. */
enum {
    IN_INIT = 1 << 0,
    IN_PROFILE = 1 << 1,
    IN_ANONYMIZE = 1 << 2,
    IN_IMPROVE = 1 << 3,
    IN_EVALUATE = 1 << 4,
    IN_BOUND = 1 << 5,
    IN_TRADEOFF = 1 << 6,
    IN_CHECK = 1 << 7,
    IN_INSERT = 1 << 8,
    IN_DELETE = 1 << 9,
    IN_UPDATE = 1 << 10,
    IN_OPTIMIZE = 1 << 11,
    IN_RELEASE = 1 << 12,
    IN_STATE = 1 << 13,
    IN_AUDIT = 1 << 14,
    IN_TAXONOMY = 1 << 15,
    IN_SAMPLE = 1 << 16,
    IN_SERVE = 1 << 17,
    IN_OTHERS = 1 << 18, /* commands that have --help alone */

    IN_RUNS = IN_ANONYMIZE | IN_IMPROVE,
    IN_TABLES = IN_RUNS | IN_PROFILE | IN_EVALUATE | IN_BOUND | IN_TRADEOFF, /* what reads a table with its schema */
    IN_SCHEMAS = IN_TABLES | IN_CHECK,
    IN_CHANGES = IN_INSERT | IN_DELETE | IN_UPDATE,
    IN_STATES = IN_CHANGES | IN_OPTIMIZE | IN_RELEASE, /* what can write a release of a state */
    IN_ALL = 2 * IN_OTHERS - 1
};

/* Where some of the commands say it in other words; NULL: as the row says. */
typedef struct option_wording {
    unsigned commands;
    const char *name, *argument, *brief;
} option_wording;

/* What some hosts lack of some commands only, although they have it elsewhere. */
typedef struct option_lack {
    const char *hosts; /* "python r" */
    unsigned commands;
    const char *reason; /* as in NOT(...) */
} option_lack;

enum { MOST_WORDINGS = 6, MOST_LACKS = 3 };

/* Why an option is not in a host, in place of its name there. A reason begins with a small letter and has no full stop. */
#define NOT(reason) "-" reason

typedef struct option {
    const char *id;       /* what hosts call it that do not say otherwise */
    const char *name;     /* on the command line, without the dashes; NULL: it has a letter only */
    char letter;          /* 0: none */
    const char *argument; /* NULL: it takes none. The words of OPTION_WORD, a|b|c */
    const char *words;    /* what the text may be, a|b|c, where `argument` does not list it; NULL: anything */
    option_kind kind;
    option_category category;
    int64_t min, max;     /* of a number */
    const char *standard; /* the default as a machine reads it; NULL: it is not given */
    const char *unset;    /* for people, what happens where it is not given; NULL: `standard`, or nothing */
    const char *brief;    /* one line, imperative where it does something, without a full stop */
    const char *more;     /* sentences; NULL: nothing more to say */
    const char *example;  /* a value; NULL: the words, or obvious */
    const char *since;    /* the version that brought it; NULL: 0.1.0 */
    const char *implies;  /* the id of a switch that it turns on */
    unsigned commands;
    bool first;      /* among the options that --help shows without being asked for all */
    bool aside;      /* the release does not depend on it: it is left out of the command that repeats a run */
    option_wording wordings[MOST_WORDINGS];
    /* What the hosts call it, or NOT(reason); NULL: its id. In the schema file: its key. */
    const char *in_schema, *in_python, *in_spark, *in_r, *in_sql, *in_page;
    const char *in_workers; /* NULL, or NOT(reason): --workers refuses it */
    option_lack lacks[MOST_LACKS];
    const char *defaults; /* of hosts that have another one, "python=columns r=columns"; NULL: none has */
    const char *host_words; /* of hosts that have other words, "sql=ranges|columns|text|mean"; NULL: none has */
    size_t offset;          /* where its value goes in the arguments of the program */
} option;

#endif
