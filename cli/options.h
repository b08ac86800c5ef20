/* Options: the table options/options.def feeds the parser, the help, the manual pages, the completions and command_line.c.
 * Values are stored in `arguments`, where each option has its place; zero means that it is not given, except where noted.
 * Included through command.h; the functions are in options.c. */
#ifndef KANON_CLI_OPTIONS_H
#define KANON_CLI_OPTIONS_H

#include <kanon_host.h>

#include "options/option_row.h"

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
    const char *entity, *suppress, *suppressed, *singled_out, *state;
    int64_t k, threads, workers, rows, blocks, memory, joint_k; /* 0: not said */
    int64_t wait;                                               /* -1: not said */
    int64_t shuffle_seed;                                       /* likewise */
    uint64_t seed;
    double risk_threshold, most_seconds; /* 0: not said */
    const char *certificate, *proof, *from_certificate;
    const char *given_groups, *given_release; /* made before, by any tool */
    const char *original, *population;
    const char *new_groups;                   /* of groups that are made better */
    const char *page;
    int64_t port; /* 0: not said */
    const char *k_list, *shares, *json, *plot;
    const char *column, *table, *methods[6]; /* of taxonomies; methods by kanon_taxonomy_method */
    int64_t depth;                           /* 0: not said */
    int form;                                /* a kanon_taxonomy_form */
    pair_list settings, measure_settings, taxonomies, bands, tops, bottoms, refine_settings, types, formats, orders;
    pair_list masks, weights, ends;
    text_list quasi, sensitive, identifying, insensitive, permuted, missing, same, constraints, key, earlier;
    const char *default_role;
    int numeric; /* a kanon_numeric */
    int recode;  /* a kanon_recode */
    int header;  /* a kanon_header */
    int empty;   /* EMPTY_MISSING or EMPTY_VALUE; 0: not said */
    const char *encoding;
    char delimiter[2]; /* a character, or nothing: not said */
    char decimal, thousands; /* 0: not said */
    bool entity_together, shuffle, strict, quiet, verbose, help, help_all, grow_taxonomy, again, repair;
} arguments;

enum { EMPTY_MISSING = 1, EMPTY_VALUE };

/* The options of a command, one after the other, in the words of the command: {self} before the first call. */
typedef struct option_walk {
    const command *self;
    size_t next;
    option now;
} option_walk;
/* NULL past the last. Valid until the next call. */
const option *option_next(option_walk *walk);
/* The i-th row of the table, of whatever command; NULL past the last. */
const option *option_at(size_t i);
/* What a category is called. */
const char *category_text(option_category category);
/* The next word of "a|b|c" and its length, skipping placeholders, which are in capitals. *choices moves on; NULL: the
 * end. */
const char *next_choice(const char **choices, size_t *length);
/* Whether an option was given. */
bool option_given(const option *opt, const arguments *args);

/* Read argv[0 .. argc-1], what stands after the command's name. EXIT_DONE, or an exit status after the error was printed.
 * Where out->help is set the rest was not read. Free with arguments_clear either way. */
int arguments_parse(arguments *out, const command *self, int argc, char **argv);
void arguments_clear(arguments *args);
/* The schema file, if one was named, with the flags on top. */
kanon_status arguments_schema(kanon_schema **out, const arguments *args, kanon_error *err);
/* KANON_ENOMEM. */
kanon_status no_memory(kanon_error *err);
/* The k that a schema asks for; 0: it asks for none. */
int64_t schema_k(const kanon_schema *schema);
/* Whether a schema was named or enough said with flags. */
bool arguments_have_schema(const arguments *args);
/* Wrong usage where they do not. */
int no_schema(const struct command *self);
/* A whole number without sign, and nothing after it. */
bool parse_unsigned(uint64_t *out, const char *text);

/* `text` in lines of at most 80 columns, or of the width of the terminal. The first line goes on at column `at`, the next
 * ones begin at `indent`. */
void print_wrapped(FILE *file, const char *text, int at, int indent);
/* "-s, --schema SCHEMA" */
void option_syntax(char *buffer, size_t size, const option *opt);
/* "r (number from 0 to 1, default 1)" */
void setting_syntax(char *buffer, size_t size, const kanon_setting_info *setting);
/* What holds of every group, with the names of the model's parameters: {1} becomes l, and {1}th l-th. */
void model_sentence(char *buffer, size_t size, const kanon_entry *model);
/* A setting on a line of its own, and below it what it means. */
void print_setting(FILE *file, const kanon_setting_info *setting);
/* With `all`, every option, by category; else those that most runs need, where there are many. */
void print_command_help(FILE *file, const command *self, bool all);

#endif
