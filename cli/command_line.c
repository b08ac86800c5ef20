/* The inverse of arguments_parse: one function for each kind of option, as store in options.c has one case for each. A
 * value that is the default is not written. */
#include "command_line.h"
#include "paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* `text` in single quotes; a quote in it ends them, stands alone and begins them again. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}

/* Quoted for a shell where that is needed. What drivers are told may hold passwords, and is not repeated. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,=+:@%";
    fputc(' ', out);
    word = shown(word);
    if (word[0] != '\0' && strspn(word, plain) == strlen(word))
        fputs(word, out);
    else
        put_quoted(out, word);
}

static void put_name(FILE *out, const option *opt)
{
    if (opt->letter != 0)
        fprintf(out, " -%c", opt->letter);
    else
        fprintf(out, " --%s", opt->name);
}

/* Name and value, as two words of a shell. */
static void put_option(FILE *out, const option *opt, const char *value)
{
    put_name(out, opt);
    put_word(out, value);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* "NAME=VALUE"; NULL: out of memory. */
static char *joined(const kanon_setting *pair)
{
    size_t size = strlen(pair->name) + strlen(pair->value) + 2;
    char *word = malloc(size);
    if (word != NULL)
        snprintf(word, size, "%s=%s", pair->name, pair->value);
    return word;
}

static bool put_pairs(FILE *out, const option *opt, const pair_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        char *word = joined(&list->items[i]);
        if (word == NULL)
            return false;
        put_option(out, opt, word);
        free(word);
    }
    return true;
}

static void put_texts(FILE *out, const option *opt, const text_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        put_option(out, opt, list->items[i]);
}

static void put_number(FILE *out, const option *opt, int64_t value)
{
    char digits[24];
    if (value < 0 && opt->kind != OPTION_BLOCKS) /* not given */
        return;
    snprintf(digits, sizeof digits, "%" PRId64, value);
    put_option(out, opt, opt->kind == OPTION_BLOCKS && value == KANON_BLOCKS_NONE ? "none" : digits);
}

/* The word number `choice` of opt->argument, a|b|c, of which the first has number opt->min; 0 is the default. */
static void put_choice(FILE *out, const option *opt, int choice)
{
    const char *words = opt->argument;
    for (int i = (int)opt->min; i < choice; i++)
        words += strcspn(words, "|") + 1;
    put_name(out, opt);
    fprintf(out, " %.*s", (int)strcspn(words, "|"), words);
}

static void put_character(FILE *out, const option *opt, char c)
{
    put_option(out, opt, c == '\t' ? "tab" : (char[]){c, '\0'});
}

/* Writes an option as it was given, or nothing where it was not; false where there is no memory. */
static bool put_given(FILE *out, const option *opt, const arguments *args)
{
    const void *value = (const char *)args + opt->offset;
    if (!option_given(opt, args))
        return true;
    switch (opt->kind) {
    case OPTION_SWITCH:
        put_name(out, opt);
        break;
    case OPTION_TEXT:
    case OPTION_INPUT:
    case OPTION_OUTPUT:
        put_option(out, opt, *(const char *const *)value);
        break;
    case OPTION_TEXTS:
    case OPTION_NAMES:
        put_texts(out, opt, value);
        break;
    case OPTION_PAIRS:
        return put_pairs(out, opt, value);
    case OPTION_WHOLE:
    case OPTION_SEED:
    case OPTION_BLOCKS:
    case OPTION_OR_OFF:
    case OPTION_SIZE:
        put_number(out, opt, *(const int64_t *)value);
        break;
    case OPTION_SHARE:
    case OPTION_NUMBER:
        put_name(out, opt);
        fprintf(out, " %.15g", *(const double *)value);
        break;
    case OPTION_CHARACTER:
        put_character(out, opt, *(const char *)value);
        break;
    case OPTION_WORD:
        put_choice(out, opt, *(const int *)value);
        break;
    }
    return true;
}

char *command_line(const command *self, const arguments *args)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    bool good = fprintf(out, "kanon %s", self->name) > 0;
    if (args->operand != NULL)
        put_word(out, args->operand);
    if (args->second != NULL)
        put_word(out, args->second);
    option_walk walk = {.self = self};
    for (const option *opt; good && (opt = option_next(&walk)) != NULL;)
        if (!opt->aside)
            good = put_given(out, opt, args);
    good = ferror(out) == 0 && good;
    good = fclose(out) == 0 && good;
    if (good)
        return text;
    free(text);
    return NULL;
}
