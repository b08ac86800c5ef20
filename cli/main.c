/* The program: finds the command, runs it, and makes sure that what it printed has arrived. Errors of the library are
 * printed here and become an exit status. setlocale is never called, so numbers are printed the same way everywhere.
 * Calls the commands (cmd_*.c), options.c for arguments and help, hints.c and progress.c. */
#include "command.h"
#include "hints.h"
#include "paths.h"
#include "progress.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const command *const commands[] = {
    &command_init,       &command_profile, &command_anonymize, &command_improve,  &command_evaluate,   &command_bound,
    &command_tradeoff,   &command_check,   &command_insert,    &command_delete,   &command_update,     &command_optimize,
    &command_release,    &command_state,   &command_audit,     &command_taxonomy, &command_algorithms, &command_drivers,
    &command_sample,     &command_serve,   &command_help,      &command_completion, &command_man,      &command_docs,
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

const command *command_at(size_t i)
{
    return i < N_COMMANDS ? commands[i] : NULL;
}

const command *command_find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

const char *exit_text(int status)
{
    static const char *const texts[EXIT_COUNT] = {
        [EXIT_DONE] = "done",
        [EXIT_UNMET] = "the requirement is not met, or no grouping can meet it",
        [EXIT_USAGE] = "wrong usage",
        [EXIT_INPUT] = "bad input: table, schema, taxonomy, groups file, certificate or state",
        [EXIT_SYSTEM] = "file, memory, disk or an internal check failed, or it was cancelled",
    };
    return texts[status];
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* Characters in column names and file names could change what a terminal shows. */
void print_clean(FILE *file, const char *text)
{
    char shown[512];
    size_t size = kanon_escape(shown, sizeof shown, text) + 1;
    char *whole = size <= sizeof shown ? shown : malloc(size);
    if (whole == NULL) { /* what there is room for */
        fputs(shown, file);
        return;
    }
    if (whole != shown)
        kanon_escape(whole, size, text);
    fputs(whole, file);
    if (whole != shown)
        free(whole);
}

/* The message and, after a semicolon, the hint. */
static void say_line(style prefix, const char *text, const char *hint)
{
    terminal_style(stderr, prefix);
    fputs("kanon:", stderr);
    terminal_style(stderr, STYLE_PLAIN);
    fputc(' ', stderr);
    print_clean(stderr, text);
    if (*hint != '\0') {
        size_t length = strlen(text);
        fputs(length > 0 && text[length - 1] == '?' ? " " : "; ", stderr);
        print_clean(stderr, hint);
    }
    fputc('\n', stderr);
}

void say(const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    say_line(strncmp(line, "warning:", 8) == 0 ? STYLE_WARNING : STYLE_HEADING, line, "");
}

/* Columns are named on the command line by flags, of which the library does not know. A notice has any length, and say has
 * room for a line. */
static void print_warnings(const kanon_table *table, kanon_notice_kind kind)
{
    const kanon_notice *notice;
    for (size_t i = 0; (notice = kanon_table_notice_at(table, i)) != NULL; i++) {
        if (notice->kind != kind)
            continue;
        terminal_style(stderr, STYLE_WARNING);
        fputs("kanon: warning:", stderr);
        terminal_style(stderr, STYLE_PLAIN);
        fputc(' ', stderr);
        print_clean(stderr, notice->text);
        if (strstr(notice->text, "so withheld: ") != NULL)
            fputs(": --insensitive NAME,..., or default-role: insensitive in the schema", stderr);
        fputc('\n', stderr);
    }
}

void print_privacy_warnings(const kanon_table *table)
{
    print_warnings(table, KANON_NOTICE_PRIVACY);
}

void print_table_warnings(const kanon_table *table, bool quiet)
{
    if (!quiet)
        print_warnings(table, KANON_NOTICE_GENERAL);
}

static void see_help(char *buffer, size_t size, const command *self)
{
    if (self == NULL)
        snprintf(buffer, size, "see kanon --help");
    else
        snprintf(buffer, size, "see kanon %s --help", self->name);
}

int wrong_usage(const command *self, const char *format, ...)
{
    char line[1024], hint[64];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    see_help(hint, sizeof hint, self);
    say_line(STYLE_BAD, line, hint);
    return EXIT_USAGE;
}

/* With the nearest command as a hint. */
int unknown_command(const char *name)
{
    const char *names[N_COMMANDS];
    for (size_t i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i]->summary == NULL ? NULL : commands[i]->name;
    const char *near = kanon_nearest_word(names, N_COMMANDS, name);
    if (near != NULL)
        return wrong_usage(NULL, "unknown command %s, did you mean %s?", name, near);
    return wrong_usage(NULL, "unknown command %s", name);
}

void stop_if_asked(const char *consequence)
{
    if (signals_caught() == 0)
        return;
    say_line(STYLE_BAD, "stopped", consequence);
    signals_die();
}

/* The message of an error with its hint, and the exit status that belongs to it. */
int failed(const command *self, const kanon_error *err)
{
    char hint[2 * sizeof err->hint];
    stop_if_asked("nothing was written");
    const char *flags = hint_about(err->topic);
    snprintf(hint, sizeof hint, "%s%s%s", err->hint, *err->hint != '\0' && *flags != '\0' ? "; " : "", flags);
    if (err->status == KANON_EINVAL && *hint == '\0')
        see_help(hint, sizeof hint, self);
    say_line(STYLE_BAD, *err->message != '\0' ? err->message : kanon_enum_text(KANON_ENUM_STATUS, err->status), hint);
    return exit_of(err->status);
}

/* ---- help of the whole ------------------------------------------------------------------------------------------- */

void print_command_list(FILE *file)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (commands[i]->summary != NULL)
            fprintf(file, "  %-12s%s\n", commands[i]->name, commands[i]->summary);
}

static void print_usage(FILE *file)
{
    fputs("usage: kanon COMMAND [OPTION]...\n\ncommands:\n", file);
    print_command_list(file);
}

void print_help(FILE *file)
{
    fputs("kanon makes tables k-anonymous by clustering: in what it releases, every record\n"
          "looks like at least k-1 others.\n\n",
          file);
    print_usage(file);
    fputs("\ntopics (kanon help TOPIC):\n", file);
    print_topic_list(file);
    fputs("\noptions:\n"
          "  -h, --help      print this help; kanon COMMAND --help says more\n"
          "  --version       print the version\n"
          "\nexit status:\n",
          file);
    for (int status = 0; status < EXIT_COUNT; status++)
        fprintf(file, "  %d  %s\n", status, exit_text(status));
    fputs("\nexamples:\n"
          "  kanon sample hospital -o demo\n"
          "  kanon anonymize demo/hospital.csv -s demo/hospital.yaml -k 10 -o release.csv\n",
          file);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* A closed standard descriptor would be given to the next file that is opened, and messages would end up in it. These stand
 * in for it and cannot be used. */
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Parses the arguments and runs the command, or prints its help. */
static int run_command(const command *self, int argc, char **argv)
{
    arguments args;
    int status = arguments_parse(&args, self, argc, argv);
    if (status == EXIT_DONE && args.help)
        print_command_help(stdout, self, args.help_all);
    else if (status == EXIT_DONE)
        status = self->run(self, &args);
    arguments_clear(&args);
    return status;
}

/* Improving is one act. Of the groups of a state it has the options of the other commands for states. */
static const command *choose(const command *self, int n_words, char **words)
{
    for (int i = 0; i < n_words; i++)
        if (self == &command_improve && is_state(words[i]))
            return &command_optimize;
    return self;
}

/* The first word is the command; help and version can be asked for in its place. */
static int dispatch(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (word == NULL) {
        print_usage(stderr);
        fputs("\nsee kanon --help\n", stderr);
        return EXIT_USAGE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return run_command(&command_help, 0, NULL);
    if (strcmp(word, "--version") == 0) {
        printf("kanon %s\n", kanon_version());
        return EXIT_DONE;
    }
    if (word[0] == '-')
        return wrong_usage(NULL, "unknown option %s", word);
    const command *self = command_find(word);
    return self == NULL ? unknown_command(word) : run_command(choose(self, argc - 2, argv + 2), argc - 2, argv + 2);
}

/* Output that did not arrive is not done. */
static int finish_output(int status)
{
    errno = 0;
    bool lost = fflush(stdout) != 0;
    lost = ferror(stdout) != 0 || lost;
    lost = close(STDOUT_FILENO) != 0 || lost;
    if (!lost || status != EXIT_DONE)
        return status;
    say("cannot write to standard output%s%s", errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    return EXIT_SYSTEM;
}

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe is an error like any other, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that reaches the limit of its size */
    return finish_output(dispatch(argc, argv));
}
