/* A command, and what all commands use to print. Data goes to standard output, everything else to standard error. A
 * command is a constant: its rows of options.def feed parser, help and manual page, and run does the work. main.c has the
 * list of commands.
 * Included by all of cli/; the functions are in main.c and, for figures, in cmd_evaluate.c. */
#ifndef KANON_CLI_COMMAND_H
#define KANON_CLI_COMMAND_H

#include "exit.h"
#include "options.h"

#if defined(__GNUC__)
#define CLI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CLI_PRINTF(fmt, args)
#endif

struct command {
    const char *name;
    const char *summary;     /* one line; NULL: not shown in the list of commands */
    const char *usage;       /* what stands after "kanon NAME" */
    const char *description; /* a paragraph */
    const char *operand;     /* what its operand is called; NULL: it takes none */
    bool operand_optional;
    const char *second;                                     /* the same of a second one */
    bool second_optional;
    unsigned in;                                            /* IN_...: which rows of options.def are its options */
    const char *const *examples;                            /* likewise */
    const kanon_setting_info *(*setting)(size_t i);         /* what --set takes, NULL past the last; NULL: nothing to list */
    int (*run)(const command *self, const arguments *args); /* returns an exit status */
};

extern const command command_anonymize, command_evaluate, command_bound, command_tradeoff, command_check, command_algorithms,
    command_sample, command_man, command_docs, command_taxonomy, command_help, command_completion;
extern const command command_insert, command_delete, command_update, command_optimize, command_release, command_state,
    command_audit, command_init, command_profile, command_drivers, command_serve, command_improve;

/* The i-th command, NULL past the last. */
const command *command_at(size_t i);
const command *command_find(const char *name);
/* "name summary" of every shown command, one line each. */
void print_command_list(FILE *file);
/* The help of the program as a whole. */
void print_help(FILE *file);
/* The topics of kanon help that are no commands: the i-th, NULL past the last; and a line for each. */
const char *help_topic_at(size_t i);
void print_topic_list(FILE *file);
/* What exit status `status` means. */
const char *exit_text(int status);

/* One line on standard error: "kanon: ...". Control characters, which column names may hold, are spelled out. */
void say(const char *format, ...) CLI_PRINTF(1, 2);
/* What the user should know about the table before it is released. --quiet does not silence this. */
void print_privacy_warnings(const kanon_table *table);
/* What else there is to know about how it was read; nothing with --quiet. */
void print_table_warnings(const kanon_table *table, bool quiet);
/* Text of others, with everything spelled out that a terminal should not get. */
void print_clean(FILE *file, const char *text);
/* Report wrong usage and where the help is (self may be NULL), and return EXIT_USAGE. */
int wrong_usage(const command *self, const char *format, ...) CLI_PRINTF(2, 3);
int unknown_command(const char *name);
/* Where a signal asked to stop: say so, and what that means for the output, and die by it. */
void stop_if_asked(const char *consequence);
/* Report the error of the library, with what to do on the command line, and return the exit status; or stop as above, with
 * nothing written. */
int failed(const command *self, const kanon_error *err);
/* The i-th setting of the measures; NULL past the last. */
const kanon_setting_info *measure_setting(size_t i);
/* Every figure, one line each: name, value and, if wanted, formula. */
void print_figures(FILE *file, const kanon_measures *measures, bool with_formulas);

#endif
