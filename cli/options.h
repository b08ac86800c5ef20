/* Options: one table per command feeds the parser, the help, the manual page and command_line.c. Values are stored in
 * `arguments`, where each option has its place; zero means that it is not given, except where noted.
 * Included through command.h; the functions are in options.c. */
#ifndef KANON_CLI_OPTIONS_H
#define KANON_CLI_OPTIONS_H

#include <kanon.h>

#include <stdbool.h>
#include <stdio.h>

typedef struct command command;

typedef struct text_list {
    const char **items;
    size_t n;
} text_list;

typedef struct pair_list {
    kanon_setting *items;
    size_t n;
} pair_list;

/* What was said on the command line, of every command. Texts point into argv. */
typedef struct arguments {
    const char *operand, *second; /* NULL: none given */
    const char *schema, *algorithm, *refine, *release, *groups, *report, *report_external, *codebook, *effort;
    const char *moves, *time_limit;
    const char *entity, *suppress, *suppressed, *state;
    int64_t k, threads, workers, rows, blocks, memory, joint_k; /* 0: not said */
    int64_t wait;                                               /* -1: not said */
    int64_t shuffle_seed;                                       /* likewise */
    uint64_t seed;
    double risk_threshold; /* 0: not said */
    const char *certificate, *proof, *from_certificate;
    const char *start_release, *new_groups; /* of groups that are made better */
    const char *page;
    int64_t port;         /* 0: not said */
    int64_t most_seconds; /* 0: not said */
    const char *k_list, *shares, *json, *plot;
    const char *column, *table, *methods[6]; /* of taxonomies; methods by kanon_taxonomy_method */
    int64_t depth;                           /* 0: not said */
    int form;                                /* a kanon_taxonomy_form */
    pair_list settings, measure_settings, taxonomies, bands, tops, bottoms, refine_settings, types, formats, orders;
    text_list quasi, sensitive, identifying, insensitive, missing, same, constraints;
    int numeric; /* a kanon_numeric */
    int recode;  /* a kanon_recode */
    int header;  /* a kanon_header */
    int empty;   /* EMPTY_MISSING or EMPTY_VALUE; 0: not said */
    const char *encoding;
    char delimiter, decimal, thousands; /* 0: not said */
    bool entity_together, shuffle, strict, quiet, verbose, help, grow_taxonomy, again, repair;
} arguments;

enum { EMPTY_MISSING = 1, EMPTY_VALUE };

typedef enum option_kind {
    OPTION_SWITCH,    /* bool */
    OPTION_TEXT,      /* const char *, not empty */
    OPTION_ITEM,      /* text_list, grows by one, may be empty */
    OPTION_NAMES,     /* text_list, grows by the names between the commas */
    OPTION_PAIR,      /* pair_list, grows by one NAME=VALUE */
    OPTION_INTEGER,   /* int64_t in min .. max */
    OPTION_BLOCKS,    /* int64_t: a number of records, auto or none */
    OPTION_OR_OFF,    /* int64_t: min or more, or off: -1 */
    OPTION_SIZE,      /* int64_t: bytes, as 500M or 2G */
    OPTION_SEED,      /* uint64_t */
    OPTION_SHARE,     /* double above 0, at most 1 */
    OPTION_CHARACTER, /* char */
    OPTION_CHOICE     /* int: which of the words in `argument`, a|b|c; the first one is `min` */
} option_kind;

typedef struct option {
    const char *name;     /* without the dashes; NULL: it has a letter only */
    char letter;          /* 0: none */
    const char *argument; /* NULL: it takes none */
    const char *help;
    option_kind kind;
    size_t offset;    /* where its value goes in `arguments` */
    int64_t min, max; /* of an integer */
    bool aside;       /* the release does not depend on it: command_line leaves it out */
} option;

/* Where the value of an option goes. */
#define AT(field) .offset = offsetof(arguments, field)

/* Options that several commands have. */
extern const option option_schema, option_quasi, option_sensitive, option_identifying, option_insensitive, option_taxonomy,
    option_bands, option_top, option_bottom, option_missing, option_empty, option_type, option_order, option_format,
    option_decimal, option_thousands, option_header, option_encoding, option_constraint, option_entity,
    option_entity_together, option_suppress, option_suppressed, option_k,
    option_from_certificate, option_algorithm, option_refine, option_seed, option_numeric,
    option_shuffle, option_shuffle_seed, option_threads,
    option_delimiter, option_strict, option_quiet, option_help;
/* How the columns can be described. */
#define SCHEMA_OPTIONS                                                                                                      \
    &option_schema, &option_quasi, &option_sensitive, &option_identifying, &option_insensitive, &option_taxonomy,           \
        &option_bands, &option_top, &option_bottom, &option_type, &option_order, &option_format, &option_missing,           \
        &option_empty, &option_decimal, &option_thousands
/* How the table, or another file of CSV, is to be read. */
#define READING_OPTIONS &option_delimiter, &option_header, &option_encoding
/* In which form a release is written. */
#define FORM_OPTIONS &option_numeric, &option_shuffle, &option_shuffle_seed

/* Read argv[0 .. argc-1], what stands after the command's name. EXIT_DONE, or an exit status after the error was printed.
 * Where out->help is set the rest was not read. Free with arguments_clear either way. */
int arguments_parse(arguments *out, const command *self, int argc, char **argv);
void arguments_clear(arguments *args);
/* The schema file, if one was named, with the flags on top. */
kanon_status arguments_schema(kanon_schema **out, const arguments *args, kanon_error *err);
/* Whether a schema was named or enough said with flags. */
bool arguments_have_schema(const arguments *args);
/* A whole number without sign, and nothing after it. */
bool parse_unsigned(uint64_t *out, const char *text);

/* `text` in lines of at most 80 columns, or of the width of the terminal. The first line goes on at column `at`, the next ones begin at `indent`. */
void print_wrapped(FILE *file, const char *text, int at, int indent);
/* "-s, --schema SCHEMA" */
void option_syntax(char *buffer, size_t size, const option *opt);
/* "r (number from 0 to 1, default 1)" */
void setting_syntax(char *buffer, size_t size, const kanon_setting_info *setting);
/* A setting on a line of its own, and below it what it means. */
void print_setting(FILE *file, const kanon_setting_info *setting);
void print_command_help(FILE *file, const command *self);

#endif
