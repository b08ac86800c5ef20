/* kanon completion: the script that completes kanon's command line in bash, zsh or fish. Commands, options and the words
 * that an option takes come from the option tables and from the library, so that a new option needs no line here. Run by
 * main.c, and by the build for the files that are installed; calls the library for names. */
#include "command.h"

#include <string.h>

static const char *const examples[] = {
    "source <(kanon completion bash)",
    "kanon completion zsh >~/.zfunc/_kanon",
    "kanon completion fish >~/.config/fish/completions/kanon.fish",
    NULL,
};

/* ---- what can stand where ------------------------------------------------------------------------------------------ */

typedef struct word_buffer {
    char text[4096];
} word_buffer;

static void add_word(word_buffer *to, const char *word, size_t length)
{
    size_t used = strlen(to->text);
    snprintf(to->text + used, sizeof to->text - used, "%s%.*s", used > 0 ? " " : "", (int)length, word);
}

static void add_entries(word_buffer *to, kanon_catalogue list)
{
    const kanon_entry *entry;
    for (size_t i = 0; (entry = kanon_catalogue_at(list, i)) != NULL; i++)
        add_word(to, entry->name, strlen(entry->name));
}

static void add_commands(word_buffer *to)
{
    for (size_t i = 0; command_at(i) != NULL; i++)
        if (command_at(i)->summary != NULL)
            add_word(to, command_at(i)->name, strlen(command_at(i)->name));
}

static void add_choices(word_buffer *to, const char *choices)
{
    size_t length;
    for (const char *word = next_choice(&choices, &length); word != NULL; word = next_choice(&choices, &length))
        add_word(to, word, length);
}

/* Whether a file is meant by what an argument or an operand is called. */
static bool is_file(const char *called)
{
    static const char *const names[] = {"FILE", "SCHEMA", "RELEASE", "STATE", "TABLE", "DELTA", "DIR", "FOLDER"};
    for (size_t i = 0; called != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(called, names[i]) == 0)
            return true;
    return false;
}

/* The words that an option takes; "": any text. */
static void words_of_option(word_buffer *out, const option *opt)
{
    out->text[0] = '\0';
    if (strcmp(opt->id, "algorithm") == 0) {
        add_entries(out, KANON_CATALOGUE_ALGORITHM);
    } else if (strcmp(opt->id, "refine") == 0) {
        add_entries(out, KANON_CATALOGUE_REFINEMENT);
        add_word(out, "none", strlen("none"));
    } else if (opt->words != NULL && opt->kind != OPTION_PAIRS) {
        add_choices(out, opt->words);
    } else if (strchr(opt->argument, '|') != NULL) {
        add_choices(out, opt->argument);
    }
}

/* Likewise the operand of a command. */
static void words_of_operand(word_buffer *out, const command *self)
{
    out->text[0] = '\0';
    if (self == &command_algorithms) {
        add_entries(out, KANON_CATALOGUE_ALGORITHM);
        add_entries(out, KANON_CATALOGUE_REFINEMENT);
    } else if (self == &command_help) {
        add_commands(out);
        for (size_t i = 0; help_topic_at(i) != NULL; i++)
            add_word(out, help_topic_at(i), strlen(help_topic_at(i)));
    } else if (self->operand != NULL && strchr(self->operand, '|') != NULL) {
        add_choices(out, self->operand);
    } else if (self == &command_sample) {
        add_word(out, "hospital", strlen("hospital"));
    }
}

static bool takes_files(const command *self)
{
    return is_file(self->operand) || is_file(self->second);
}

/* ---- bash ---------------------------------------------------------------------------------------------------------- */

/* "COMMAND --name"|"COMMAND -n") */
static void bash_pattern(const command *self, const option *opt)
{
    fputs("    ", stdout);
    if (opt->name != NULL)
        printf("\"%s --%s\"", self->name, opt->name);
    if (opt->letter != 0)
        printf("%s\"%s -%c\"", opt->name != NULL ? "|" : "", self->name, opt->letter);
    fputs(") ", stdout);
}

static void bash_arguments(const command *self)
{
    word_buffer words;
    option_walk walk = {.self = self};
    for (const option *opt; (opt = option_next(&walk)) != NULL;) {
        if (opt->argument == NULL)
            continue;
        words_of_option(&words, opt);
        bash_pattern(self, opt);
        if (is_file(opt->argument))
            puts("_kanon_files; return ;;");
        else if (*words.text != '\0')
            printf("_kanon_words '%s'; return ;;\n", words.text);
        else
            puts("return ;;");
    }
}

static void bash_command(const command *self)
{
    word_buffer words;
    printf("    %s)\n        options='", self->name);
    option_walk walk = {.self = self};
    for (const option *opt; (opt = option_next(&walk)) != NULL;) {
        if (opt->name != NULL)
            printf("--%s ", opt->name);
        if (opt->letter != 0)
            printf("-%c ", opt->letter);
    }
    words_of_operand(&words, self);
    printf("'\n        words='%s'\n        files=%s ;;\n", words.text, takes_files(self) ? "yes" : "");
}

static void print_bash(void)
{
    word_buffer all = {""};
    add_commands(&all);
    puts("# bash completion of kanon, made by: kanon completion bash\n"
         "_kanon_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\"); }\n"
         "_kanon_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); }\n"
         "_kanon()\n{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options='' words='' files=''\n"
         "    COMPREPLY=()\n"
         "    # --name=value comes as three words\n"
         "    if [ \"$word\" = = ]; then\n        word=''\n"
         "    elif [ \"$before\" = = ]; then\n        before=${COMP_WORDS[COMP_CWORD-2]}\n    fi");
    printf("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        _kanon_words '%s --help --version'\n        return\n    fi\n",
           all.text);
    puts("    case \"${COMP_WORDS[1]} $before\" in");
    for (size_t i = 0; command_at(i) != NULL; i++)
        if (command_at(i)->summary != NULL)
            bash_arguments(command_at(i));
    puts("    esac\n    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; command_at(i) != NULL; i++)
        if (command_at(i)->summary != NULL)
            bash_command(command_at(i));
    puts("    esac\n"
         "    case $word in\n"
         "    -*) _kanon_words \"$options\" ;;\n"
         "    *) if [ -n \"$files\" ]; then _kanon_files; else _kanon_words \"$words\"; fi ;;\n"
         "    esac\n}\n"
         "complete -F _kanon kanon");
}

/* ---- zsh ----------------------------------------------------------------------------------------------------------- */

/* In single quotes, with a backslash before each character of `special`. */
static void put_quoted(const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, *text) != NULL)
            putchar('\\');
        putchar(*text);
    }
}

/* One way to write an option, as _arguments wants it: --name=[help]:ARGUMENT:action. `mark` stands after the name. */
static void zsh_way(const option *opt, const char *name, const char *mark)
{
    word_buffer words;
    printf(" \\\n            '*%s%s[", name, opt->argument != NULL ? mark : "");
    put_quoted(opt->brief, "[]:\\");
    putchar(']');
    if (opt->argument != NULL) {
        words_of_option(&words, opt);
        putchar(':');
        put_quoted(opt->argument, ":\\");
        putchar(':');
        if (is_file(opt->argument))
            fputs("_files", stdout);
        else if (*words.text != '\0')
            printf("(%s)", words.text);
        else
            putchar(' ');
    }
    putchar('\'');
}

static void zsh_option(const option *opt)
{
    char name[64];
    if (opt->letter != 0) {
        snprintf(name, sizeof name, "-%c", opt->letter);
        zsh_way(opt, name, "+");
    }
    if (opt->name != NULL) {
        snprintf(name, sizeof name, "--%s", opt->name);
        zsh_way(opt, name, "=");
    }
}

static void print_zsh(void)
{
    word_buffer words;
    puts("#compdef kanon\n# zsh completion of kanon, made by: kanon completion zsh\n_kanon()\n{\n"
         "    local -a commands\n    commands=(");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        if (command_at(i)->summary == NULL)
            continue;
        printf("        '%s:", command_at(i)->name);
        put_quoted(command_at(i)->summary, ":\\");
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
         "    shift words\n    (( CURRENT-- ))\n    case $words[1] in");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        const command *self = command_at(i);
        if (self->summary == NULL)
            continue;
        printf("    %s)\n        _arguments -S", self->name);
        option_walk walk = {.self = self};
        for (const option *opt; (opt = option_next(&walk)) != NULL;)
            zsh_option(opt);
        words_of_operand(&words, self);
        if (takes_files(self))
            printf(" \\\n            '*:%s:_files'", self->operand);
        else if (*words.text != '\0')
            printf(" \\\n            '1:%s:(%s)'", "word", words.text);
        puts(" ;;");
    }
    puts("    esac\n}\n"
         "if [ \"$funcstack[1]\" = _kanon ]; then\n    _kanon \"$@\"\nelse\n    compdef _kanon kanon\nfi");
}

/* ---- fish ---------------------------------------------------------------------------------------------------------- */

static void fish_text(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (strchr("'\\", *text) != NULL)
            putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void fish_option(const command *self, const option *opt)
{
    word_buffer words;
    printf("complete -c kanon -n '__fish_seen_subcommand_from %s'", self->name);
    if (opt->letter != 0)
        printf(" -s %c", opt->letter);
    if (opt->name != NULL)
        printf(" -l %s", opt->name);
    if (opt->argument != NULL) {
        words_of_option(&words, opt);
        if (is_file(opt->argument))
            fputs(" -r -F", stdout);
        else if (*words.text != '\0')
            printf(" -x -a '%s'", words.text);
        else
            fputs(" -x", stdout);
    }
    fputs(" -d ", stdout);
    fish_text(opt->brief);
    putchar('\n');
}

static void print_fish(void)
{
    word_buffer words;
    puts("# fish completion of kanon, made by: kanon completion fish\ncomplete -c kanon -f");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        const command *self = command_at(i);
        if (self->summary == NULL)
            continue;
        printf("complete -c kanon -n __fish_use_subcommand -a %s -d ", self->name);
        fish_text(self->summary);
        putchar('\n');
        words_of_operand(&words, self);
        if (takes_files(self))
            printf("complete -c kanon -n '__fish_seen_subcommand_from %s' -F\n", self->name);
        else if (*words.text != '\0')
            printf("complete -c kanon -n '__fish_seen_subcommand_from %s' -a '%s'\n", self->name, words.text);
        option_walk walk = {.self = self};
        for (const option *opt; (opt = option_next(&walk)) != NULL;)
            fish_option(self, opt);
    }
}

/* ---- the command --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
enum { N_SHELLS = sizeof shells / sizeof *shells };

static int run(const command *self, const arguments *args)
{
    const char *names[N_SHELLS];
    for (size_t i = 0; i < N_SHELLS; i++) {
        names[i] = shells[i].name;
        if (strcmp(shells[i].name, args->operand) == 0) {
            shells[i].print();
            return EXIT_DONE;
        }
    }
    const char *near = kanon_nearest_word(names, N_SHELLS, args->operand);
    return near != NULL ? wrong_usage(self, "unknown shell %s, did you mean %s?", args->operand, near)
                        : wrong_usage(self, "unknown shell %s; there are bash, zsh and fish", args->operand);
}

const command command_completion = {
    .name = "completion",
    .summary = "print the script that completes commands and options in a shell",
    .usage = "bash|zsh|fish",
    .description =
        "Prints a script for bash, zsh or fish that completes the commands of kanon, their options, and the words "
        "and files that options take.",
    .operand = "bash|zsh|fish",
    .in = IN_OTHERS,
    .examples = examples,
    .run = run,
};
