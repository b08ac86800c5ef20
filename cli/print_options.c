/* See print_options.h. */
#include "print_options.h"

#include "command.h"

#include <inttypes.h>
#include <string.h>

/* Whether the next member is the first one of its object or array. */
typedef struct writer {
    bool first;
} writer;

static void put_text(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

/* "name": */
static void put_name(writer *to, const char *name)
{
    if (!to->first)
        fputs(", ", stdout);
    to->first = false;
    put_text(name);
    fputs(": ", stdout);
}

/* Nothing where there is no value. */
static void put_member(writer *to, const char *name, const char *value)
{
    if (value == NULL)
        return;
    put_name(to, name);
    put_text(value);
}

static void put_flag(writer *to, const char *name, bool value)
{
    put_name(to, name);
    fputs(value ? "true" : "false", stdout);
}

static void put_words(writer *to, const option *row)
{
    const char *words = row->words != NULL ? row->words : row->argument;
    bool first = true;
    if (words == NULL || (row->words == NULL && strchr(words, '|') == NULL))
        return;
    put_name(to, "words");
    putchar('[');
    size_t length;
    for (const char *word = next_choice(&words, &length); word != NULL; word = next_choice(&words, &length)) {
        printf("%s\"%.*s\"", first ? "" : ", ", (int)length, word);
        first = false;
    }
    putchar(']');
}

/* The names of the commands; of those that have --help alone none. */
static void put_commands(writer *to, unsigned in)
{
    bool first = true;
    put_name(to, "commands");
    putchar('[');
    for (size_t i = 0; command_at(i) != NULL; i++)
        if ((command_at(i)->in & in & ~(unsigned)IN_OTHERS) != 0) {
            printf("%s\"%s\"", first ? "" : ", ", command_at(i)->name);
            first = false;
        }
    putchar(']');
}

static void put_wordings(writer *to, const option *row)
{
    if (row->wordings[0].commands == 0)
        return;
    put_name(to, "wordings");
    for (size_t i = 0; i < MOST_WORDINGS && row->wordings[i].commands != 0; i++) {
        const option_wording *other = &row->wordings[i];
        writer inner = {.first = true};
        fputs(i == 0 ? "[{" : ", {", stdout);
        put_commands(&inner, other->commands);
        put_member(&inner, "name", other->name);
        put_member(&inner, "argument", other->argument);
        put_member(&inner, "brief", other->brief);
        putchar('}');
    }
    putchar(']');
}

/* What each host calls it, or why it has none. */
static void put_hosts(writer *to, const option *row)
{
    const struct {
        const char *name, *text;
    } hosts[] = {{"python", row->in_python}, {"spark", row->in_spark}, {"r", row->in_r},
                 {"sql", row->in_sql},       {"page", row->in_page},   {"workers", row->in_workers}};
    const size_t n = sizeof hosts / sizeof *hosts, reason = strlen(NOT(""));
    for (int lacks = 0; lacks < 2; lacks++) {
        writer inner = {.first = true};
        put_name(to, lacks ? "not_with" : "hosts");
        putchar('{');
        if (!lacks)
            put_member(&inner, "schema", row->in_schema);
        for (size_t i = 0; i < n; i++) {
            const char *text = hosts[i].text;
            bool has = text == NULL || strncmp(text, NOT(""), reason) != 0;
            if (has && !lacks && i + 1 < n) /* workers are no host: they have the options of the program */
                put_member(&inner, hosts[i].name, text != NULL ? text : row->id);
            else if (!has && lacks)
                put_member(&inner, hosts[i].name, text + reason);
        }
        putchar('}');
    }
}

/* "not_with" again, with the names of host and command: {"python improve": "why"}. */
static void put_lacks(writer *to, const option *row)
{
    writer inner = {.first = true};
    put_name(to, "lacks");
    putchar('{');
    for (size_t i = 0; i < MOST_LACKS && row->lacks[i].hosts != NULL; i++)
        for (const char *host = row->lacks[i].hosts; *host != '\0'; host += strspn(host, " ")) {
            int length = (int)strcspn(host, " ");
            for (size_t j = 0; command_at(j) != NULL; j++) {
                char called[64];
                if ((command_at(j)->in & row->lacks[i].commands) == 0)
                    continue;
                snprintf(called, sizeof called, "%.*s %s", length, host, command_at(j)->name);
                put_member(&inner, called, row->lacks[i].reason);
            }
            host += length;
        }
    putchar('}');
}

/* "python=columns r=columns" as an object. */
static void put_assignments(writer *to, const char *name, const char *text)
{
    writer inner = {.first = true};
    if (text == NULL)
        return;
    put_name(to, name);
    putchar('{');
    while (*text != '\0') {
        char host[16], value[64];
        int length = (int)strcspn(text, "="), size = (int)strcspn(text + length + 1, " ");
        snprintf(host, sizeof host, "%.*s", length, text);
        snprintf(value, sizeof value, "%.*s", size, text + length + 1);
        put_member(&inner, host, value);
        text += length + 1 + size;
        text += strspn(text, " ");
    }
    putchar('}');
}

static void put_row(const option *row)
{
    static const char *const kinds[] = {
        [OPTION_SWITCH] = "switch", [OPTION_TEXT] = "text",           [OPTION_WORD] = "word",     [OPTION_TEXTS] = "texts",
        [OPTION_NAMES] = "names",   [OPTION_PAIRS] = "pairs",         [OPTION_WHOLE] = "whole",   [OPTION_BLOCKS] = "blocks",
        [OPTION_OR_OFF] = "or-off", [OPTION_NUMBER] = "number",       [OPTION_SIZE] = "size",     [OPTION_SEED] = "seed",
        [OPTION_SHARE] = "share",   [OPTION_CHARACTER] = "character", [OPTION_INPUT] = "input",   [OPTION_OUTPUT] = "output",
    };
    const char letter[] = {row->letter, '\0'};
    writer to = {.first = true};
    putchar('{');
    put_member(&to, "id", row->id);
    put_member(&to, "name", row->name);
    put_member(&to, "letter", row->letter != 0 ? letter : NULL);
    put_member(&to, "argument", row->argument);
    put_member(&to, "kind", kinds[row->kind]);
    put_words(&to, row);
    if (row->kind == OPTION_WHOLE || row->kind == OPTION_OR_OFF) {
        put_name(&to, "min");
        printf("%" PRId64, row->min);
    }
    if (row->kind == OPTION_WHOLE && row->max < INT64_MAX) {
        put_name(&to, "max");
        printf("%" PRId64, row->max);
    }
    put_member(&to, "default", row->standard);
    put_member(&to, "unset", row->unset);
    put_member(&to, "category", category_text(row->category));
    put_member(&to, "brief", row->brief);
    put_member(&to, "more", row->more);
    put_member(&to, "example", row->example);
    put_member(&to, "since", row->since != NULL ? row->since : "0.1.0");
    put_member(&to, "implies", row->implies);
    put_member(&to, "scope", row->in_schema != NULL ? "schema" : "run");
    put_flag(&to, "first", row->first);
    put_flag(&to, "aside", row->aside);
    put_commands(&to, row->commands);
    put_wordings(&to, row);
    put_hosts(&to, row);
    put_lacks(&to, row);
    put_assignments(&to, "host_defaults", row->defaults);
    put_assignments(&to, "host_words", row->host_words);
    putchar('}');
}

void print_options(void)
{
    const option *row;
    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        fputs(i == 0 ? "[" : ",\n ", stdout);
        put_row(row);
    }
    fputs("]\n", stdout);
}
