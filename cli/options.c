/* Options: the table, the parser, the schema that the options describe, and the help. No option is known by name to
 * parser and help. */
#include "command.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_INDENT = 26, COLUMN_GAP = 2 };

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const option rows[] = {
#define KANON_OPTION(called, place, ...) {.id = #called, .offset = offsetof(arguments, place), __VA_ARGS__},
#include "options/options.def"
#undef KANON_OPTION
};
enum { N_ROWS = sizeof rows / sizeof *rows };

const option *option_at(size_t i)
{
    return i < N_ROWS ? &rows[i] : NULL;
}

const char *category_text(option_category category)
{
    static const char *const texts[N_CATEGORIES] = {
        [OF_COLUMNS] = "columns", [OF_READING] = "reading", [OF_PRIVACY] = "privacy", [OF_GROUPS] = "groups",
        [OF_RELEASE] = "release", [OF_STATES] = "states",   [OF_FILES] = "files",     [OF_THE_RUN] = "run",
    };
    return texts[category];
}

/* A row in the words of the command. */
static option worded(const option *row, const command *self)
{
    option out = *row;
    for (size_t i = 0; i < MOST_WORDINGS; i++) {
        const option_wording *other = &row->wordings[i];
        if ((other->commands & self->in) == 0)
            continue;
        out.name = other->name != NULL ? other->name : out.name;
        out.argument = other->argument != NULL ? other->argument : out.argument;
        out.brief = other->brief != NULL ? other->brief : out.brief;
    }
    return out;
}

const option *option_next(option_walk *walk)
{
    while (walk->next < N_ROWS) {
        const option *row = &rows[walk->next++];
        if ((row->commands & walk->self->in) != 0) {
            walk->now = worded(row, walk->self);
            return &walk->now;
        }
    }
    return NULL;
}

/* The default of a seed is given, too, where it stands in the arguments as 0. */
const char *next_choice(const char **choices, size_t *length)
{
    while (**choices != '\0') {
        const char *word = *choices;
        *length = strcspn(word, "|");
        *choices += *length + (word[*length] == '|');
        if (word[0] < 'A' || word[0] > 'Z')
            return word;
    }
    return NULL;
}

bool option_given(const option *opt, const arguments *args)
{
    const void *value = (const char *)args + opt->offset;
    switch (opt->kind) {
    case OPTION_SWITCH:
        return *(const bool *)value;
    case OPTION_TEXT:
    case OPTION_INPUT:
    case OPTION_OUTPUT:
        return *(const char *const *)value != NULL;
    case OPTION_TEXTS:
    case OPTION_NAMES:
        return ((const text_list *)value)->n > 0;
    case OPTION_PAIRS:
        return ((const pair_list *)value)->n > 0;
    case OPTION_WHOLE:
    case OPTION_BLOCKS:
    case OPTION_OR_OFF:
    case OPTION_SIZE:
        return *(const int64_t *)value != 0;
    case OPTION_SEED:
        return *(const int64_t *)value >= 0;
    case OPTION_SHARE:
    case OPTION_NUMBER:
        return *(const double *)value > 0;
    case OPTION_CHARACTER:
        return *(const char *)value != 0;
    case OPTION_WORD:
        return *(const int *)value != 0;
    }
    return false;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Without strtoull, which accepts signs and leading spaces. */
bool parse_unsigned(uint64_t *out, const char *text)
{
    uint64_t value = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        unsigned digit = (unsigned)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* 0.2, .2, 1: digits with or without a point. */
static bool parse_decimal(double *out, const char *text)
{
    enum { MOST_DIGITS = 15 };
    double digits = 0, unit = 1;
    int n_digits = 0;
    bool point = false;
    for (; *text != '\0'; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9' || ++n_digits > MOST_DIGITS)
            return false;
        digits = digits * 10 + (*text - '0');
        unit *= point ? 10 : 1;
    }
    *out = digits / unit;
    return n_digits > 0;
}

/* One printable ASCII character but the quote, or the word tab. */
static bool parse_character(char *out, const char *text)
{
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        text = "\t";
    unsigned char c = (unsigned char)text[0];
    bool printable = c == '\t' || (c >= ' ' && c < 0x7f);
    *out = text[0];
    return printable && c != '"' && text[1] == '\0';
}

/* Which of the words a|b|c `text` is, -1: none of them. */
static int parse_choice(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (int i = 0; *words != '\0'; i++) {
        size_t word = strcspn(words, "|");
        if (word == length && strncmp(words, text, length) == 0)
            return i;
        words += word + (words[word] == '|');
    }
    return -1;
}

/* Room for one item more; lists on a command line are short. */
static bool grow(void *items, size_t n, size_t size)
{
    void *larger = realloc(*(void **)items, (n + 1) * size);
    if (larger != NULL)
        *(void **)items = larger;
    return larger != NULL;
}

static int add_text(text_list *list, const char *text)
{
    if (!grow(&list->items, list->n, sizeof *list->items)) {
        say("out of memory");
        return EXIT_SYSTEM;
    }
    list->items[list->n++] = text;
    return EXIT_DONE;
}

/* Cuts `names` at its commas. */
static int add_names(const command *self, const char *called, text_list *list, char *names)
{
    int status = EXIT_DONE;
    while (status == EXIT_DONE && names != NULL) {
        char *comma = strchr(names, ',');
        if (comma != NULL)
            *comma = '\0';
        status = *names == '\0' ? wrong_usage(self, "%s: a column name is empty", called) : add_text(list, names);
        names = comma == NULL ? NULL : comma + 1;
    }
    return status;
}

/* A word that an option does not know. Every host says it in these words, with its own name of the option. */
static int unknown_word(const command *self, const char *called, const char *words, const char *word)
{
    char list[256] = "";
    for (size_t used = 0; *words != '\0' && used < sizeof list - 1; used = strlen(list)) {
        int length = (int)strcspn(words, "|");
        snprintf(list + used, sizeof list - used, "%s%.*s", used > 0 ? ", " : "", length, words);
        words += length + (words[length] == '|');
    }
    return wrong_usage(self, "%s: there is no '%s'; choose one of: %s", called, word, list);
}

/* Cuts `text` at its first equal sign. */
static int add_pair(const command *self, const char *called, pair_list *list, const option *opt, char *text)
{
    char *equal = strchr(text, '=');
    if (equal == NULL || equal == text)
        return wrong_usage(self, "%s wants %s", called, opt->argument);
    if (!grow(&list->items, list->n, sizeof *list->items)) {
        say("out of memory");
        return EXIT_SYSTEM;
    }
    *equal = '\0';
    list->items[list->n++] = (kanon_setting){text, equal + 1};
    if (opt->words == NULL || parse_choice(opt->words, equal + 1) >= 0)
        return EXIT_DONE;
    char whose[256];
    snprintf(whose, sizeof whose, "%s: %s", called, text);
    return unknown_word(self, whose, opt->words, equal + 1);
}

/* A number of records, or a word: auto, none. */
static bool parse_blocks(int64_t *out, const char *text)
{
    uint64_t number;
    if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0) {
        *out = text[0] == 'a' ? 0 : KANON_BLOCKS_NONE;
        return true;
    }
    if (!parse_unsigned(&number, text) || number < 2 || number > INT64_MAX)
        return false;
    *out = (int64_t)number;
    return true;
}

/* Digits, and K, M, G or T for a power of 1024. */
static bool parse_size(int64_t *out, const char *text)
{
    static const char letters[] = "KMGT";
    char digits[24];
    size_t length = strlen(text);
    const char *letter = length > 0 ? strchr(letters, text[length - 1]) : NULL;
    uint64_t number;
    length -= letter != NULL;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    int shift = letter != NULL ? 10 * (int)(letter - letters + 1) : 0;
    if (!parse_unsigned(&number, digits) || number == 0 || number > (uint64_t)INT64_MAX >> shift)
        return false;
    *out = (int64_t)(number << shift);
    return true;
}

/* A number within the limits of its option; anything else is wrong usage. */
static int store_number(const command *self, const char *called, void *place, const option *opt, const char *value)
{
    uint64_t number;
    double decimal;
    if (opt->kind == OPTION_SHARE || opt->kind == OPTION_NUMBER) {
        bool share = opt->kind == OPTION_SHARE;
        if (!parse_decimal(&decimal, value) || !(decimal > 0) || (share && decimal > 1))
            return wrong_usage(self, "%s must be a number above 0%s", called, share ? " and at most 1" : "");
        *(double *)place = decimal;
    } else if (opt->kind == OPTION_SEED) {
        if (!parse_unsigned(&number, value) || number > KANON_SEED_MAX)
            return wrong_usage(self, "%s must be a whole number from 0 to %" PRIu64, called, (uint64_t)KANON_SEED_MAX);
        *(int64_t *)place = (int64_t)number;
    } else if (!parse_unsigned(&number, value) || number < (uint64_t)opt->min || number > (uint64_t)opt->max) {
        if (opt->max == INT64_MAX)
            return wrong_usage(self, "%s must be a whole number, %" PRId64 " or more", called, opt->min);
        return wrong_usage(self, "%s must be a whole number from %" PRId64 " to %" PRId64, called, opt->min, opt->max);
    } else {
        *(int64_t *)place = (int64_t)number;
    }
    return EXIT_DONE;
}

/* A text of those that its argument lists, if it lists any. */
static int store_text(const command *self, const char *called, const option *opt, const char **place, char *value)
{
    if (*value == '\0')
        return wrong_usage(self, "%s: the %s is empty", called, opt->argument);
    if (strchr(opt->argument, '|') != NULL && parse_choice(opt->argument, value) < 0)
        return unknown_word(self, called, opt->argument, value);
    *place = value;
    return EXIT_DONE;
}

/* `called` is the option as the user wrote it. */
static int store(arguments *out, const command *self, const option *opt, const char *called, char *value)
{
    void *place = (char *)out + opt->offset;
    switch (opt->kind) {
    case OPTION_SWITCH:
        *(bool *)place = true;
        return EXIT_DONE;
    case OPTION_TEXT:
    case OPTION_INPUT:
    case OPTION_OUTPUT:
        return store_text(self, called, opt, place, value);
    case OPTION_TEXTS:
        return add_text(place, value);
    case OPTION_NAMES:
        return add_names(self, called, place, value);
    case OPTION_PAIRS:
        return add_pair(self, called, place, opt, value);
    case OPTION_BLOCKS:
        if (!parse_blocks(place, value))
            return wrong_usage(self, "%s must be a whole number from 2 upwards, auto or none", called);
        return EXIT_DONE;
    case OPTION_OR_OFF:
        if (strcmp(value, "off") == 0)
            *(int64_t *)place = KANON_JOINT_K_OFF;
        else if (!parse_blocks(place, value) || *(int64_t *)place < opt->min)
            return wrong_usage(self, "%s must be a whole number from %lld upwards, or off", called, (long long)opt->min);
        return EXIT_DONE;
    case OPTION_SIZE:
        if (!parse_size(place, value))
            return wrong_usage(self, "%s must be a number of bytes such as 500M or 2G", called);
        return EXIT_DONE;
    case OPTION_WHOLE:
    case OPTION_SEED:
    case OPTION_SHARE:
    case OPTION_NUMBER:
        return store_number(self, called, place, opt, value);
    case OPTION_CHARACTER:
        if (!parse_character(place, value))
            return wrong_usage(self, "%s must be one character, such as ; or | or tab", called);
        return EXIT_DONE;
    case OPTION_WORD:
        if ((*(int *)place = parse_choice(opt->argument, value)) < 0)
            return unknown_word(self, called, opt->argument, value);
        *(int *)place += (int)opt->min;
        return EXIT_DONE;
    }
    return EXIT_SYSTEM;
}

/* ---- parser ------------------------------------------------------------------------------------------------------ */

/* With the nearest option of the command as a hint. */
static int unknown_option(const command *self, const char *name)
{
    const char *names[N_ROWS];
    size_t n = 0;
    option_walk walk = {.self = self};
    for (const option *opt; (opt = option_next(&walk)) != NULL;)
        names[n++] = opt->name;
    const char *near = kanon_nearest_word(names, n, name);
    if (near != NULL)
        return wrong_usage(self, "unknown option --%s, did you mean --%s?", name, near);
    return wrong_usage(self, "unknown option --%s", name);
}

/* By its full name; abbreviations are not accepted, because a new option could make them ambiguous. */
static const option *find_long(option_walk *walk, const char *name, size_t length)
{
    const option *opt;
    while ((opt = option_next(walk)) != NULL)
        if (opt->name != NULL && strlen(opt->name) == length && memcmp(opt->name, name, length) == 0)
            break;
    return opt;
}

static const option *find_letter(option_walk *walk, char letter)
{
    const option *opt;
    while ((opt = option_next(walk)) != NULL && opt->letter != letter)
        ;
    return opt;
}

/* The words that are still to be read. */
typedef struct word_reader {
    const command *self;
    int argc;
    char **argv;
} word_reader;

/* NULL past the last word. */
static char *next_word(word_reader *words)
{
    if (words->argc == 0)
        return NULL;
    words->argc--;
    return *words->argv++;
}

/* --name, --name=value, --name value */
static int parse_long(arguments *out, word_reader *words, char *word)
{
    option_walk walk = {.self = words->self};
    char *name = word + 2;
    size_t length = strcspn(name, "=");
    const option *opt = find_long(&walk, name, length);
    char *value = name[length] == '=' ? name + length + 1 : NULL;
    name[length] = '\0'; /* from here on `word` is the option as it is called in messages */
    if (opt == NULL)
        return unknown_option(words->self, name);
    if (opt->argument == NULL && value != NULL)
        return wrong_usage(words->self, "%s takes no value", word);
    if (opt->argument != NULL && value == NULL && (value = next_word(words)) == NULL)
        return wrong_usage(words->self, "%s needs a value: %s", word, opt->argument);
    return store(out, words->self, opt, word, value);
}

/* -s value, -svalue, -qv */
static int parse_letters(arguments *out, word_reader *words, char *word)
{
    int status = EXIT_DONE;
    for (char *letter = word + 1; *letter != '\0' && status == EXIT_DONE; letter++) {
        char called[3] = {'-', *letter, '\0'};
        option_walk walk = {.self = words->self};
        const option *opt = find_letter(&walk, *letter);
        if (opt == NULL)
            return wrong_usage(words->self, "unknown option %s", (unsigned char)*letter < 0x80 ? called : word);
        if (opt->argument == NULL) {
            status = store(out, words->self, opt, called, NULL);
            continue;
        }
        char *value = letter[1] != '\0' ? letter + 1 : next_word(words);
        if (value == NULL)
            return wrong_usage(words->self, "%s needs a value: %s", called, opt->argument);
        return store(out, words->self, opt, called, value);
    }
    return status;
}

/* The first word that is no option is the operand, the next one the second operand, if the command has one. */
static int parse_operand(arguments *out, const command *self, const char *word)
{
    bool is_second = out->operand != NULL;
    const char *called = is_second ? self->second : self->operand;
    if (called == NULL || out->second != NULL)
        return wrong_usage(self, "one word too many: %s", word);
    if (*word == '\0')
        return wrong_usage(self, "%s is empty", called);
    *(is_second ? &out->second : &out->operand) = word;
    return EXIT_DONE;
}

/* Options and operands in any order; after -- there are only operands. Reports wrong usage itself. */
int arguments_parse(arguments *out, const command *self, int argc, char **argv)
{
    word_reader words = {self, argc, argv};
    int status = EXIT_DONE;
    bool only_operands = false;
    *out = (arguments){.wait = -1, .shuffle_seed = -1};
    for (char *word; status == EXIT_DONE && !out->help && (word = next_word(&words)) != NULL;) {
        if (only_operands || word[0] != '-' || word[1] == '\0')
            status = parse_operand(out, self, word);
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (word[1] == '-')
            status = parse_long(out, &words, word);
        else
            status = parse_letters(out, &words, word);
    }
    const char *word = out->help ? next_word(&words) : NULL;
    out->help_all = word != NULL && strcmp(word, "all") == 0;
    if (status != EXIT_DONE || out->help)
        return status;
    if (self->operand != NULL && !self->operand_optional && out->operand == NULL)
        return wrong_usage(self, "no %s given", self->operand);
    if (self->second != NULL && !self->second_optional && out->second == NULL)
        return wrong_usage(self, "no %s given", self->second);
    if (out->quiet && out->verbose)
        return wrong_usage(self, "--quiet and --verbose exclude each other");
    return EXIT_DONE;
}

void arguments_clear(arguments *args)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        void *value = (char *)args + rows[i].offset;
        if (rows[i].kind == OPTION_TEXTS || rows[i].kind == OPTION_NAMES)
            free(((text_list *)value)->items);
        else if (rows[i].kind == OPTION_PAIRS)
            free(((pair_list *)value)->items);
    }
    *args = (arguments){0};
}

/* ---- schema ------------------------------------------------------------------------------------------------------ */

bool arguments_have_schema(const arguments *args)
{
    return args->schema != NULL || args->quasi.n > 0;
}

int no_schema(const command *self)
{
    return wrong_usage(self, "no schema; give -s SCHEMA, or name columns with --quasi; kanon init proposes one");
}

static bool names_column(const text_list *columns, const char *column)
{
    for (size_t i = 0; i < columns->n; i++)
        if (strcmp(columns->items[i], column) == 0)
            return true;
    return false;
}

/* Two flags that name the same column contradict each other. Neither may win: what one protects, the other publishes. */
static kanon_status check_roles_differ(const arguments *args, kanon_error *err)
{
    const struct {
        const char *flag;
        const text_list *columns;
    } roles[] = {{"quasi", &args->quasi},
                 {"sensitive", &args->sensitive},
                 {"identifying", &args->identifying},
                 {"insensitive", &args->insensitive}};
    const size_t n = sizeof roles / sizeof roles[0];
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            for (size_t i = 0; i < roles[a].columns->n; i++) {
                const char *column = roles[a].columns->items[i];
                if (!names_column(roles[b].columns, column))
                    continue;
                *err = (kanon_error){.struct_size = sizeof(kanon_error), .status = KANON_EINVAL};
                snprintf(err->message, sizeof err->message, "%.100s: both --%s and --%s name it", column, roles[a].flag,
                         roles[b].flag);
                snprintf(err->hint, sizeof err->hint, "a column has one role");
                return KANON_EINVAL;
            }
    return KANON_OK;
}

kanon_status no_memory(kanon_error *err)
{
    *err = (kanon_error){.struct_size = sizeof(kanon_error), .status = KANON_ENOMEM};
    return KANON_ENOMEM;
}

/* A schema takes lists as JSON has them. */
static kanon_status set_list(kanon_schema *schema, const char *column, const char *key, const text_list *list,
                             kanon_error *err)
{
    size_t size = sizeof "[]";
    for (size_t i = 0; i < list->n; i++)
        size += 2 * strlen(list->items[i]) + strlen("\"\",");
    char *text = malloc(size), *at = text;
    if (text == NULL)
        return no_memory(err);
    for (size_t i = 0; i < list->n; i++) {
        *at++ = i > 0 ? ',' : '[';
        *at++ = '"';
        for (const char *from = list->items[i]; *from != '\0'; *at++ = *from++)
            if (*from == '"' || *from == '\\')
                *at++ = '\\';
        *at++ = '"';
    }
    strcpy(at, "]");
    kanon_status st = kanon_schema_set(schema, column, key, text, err);
    free(text);
    return st;
}

/* The parts of a text between `separator`. */
static kanon_status set_parts(kanon_schema *schema, const char *column, const char *key, const char *text, char separator,
                              kanon_error *err)
{
    text_list list = {0};
    char *copy = strdup(text);
    int status = copy != NULL ? EXIT_DONE : EXIT_SYSTEM;
    for (char *part = copy; part != NULL && status == EXIT_DONE;) {
        char *end = strchr(part, separator);
        if (end != NULL)
            *end++ = '\0';
        status = add_text(&list, part);
        part = end;
    }
    kanon_status st = status == EXIT_DONE ? set_list(schema, column, key, &list, err) : no_memory(err);
    free(list.items);
    free(copy);
    return st;
}

/* TEXT=TEXT with one equals sign, so that nobody has to know at which of several it is divided. */
static kanon_status set_same(kanon_schema *schema, const char *pair, kanon_error *err)
{
    const char *sign = strchr(pair, '=');
    if (sign != NULL && strchr(sign + 1, '=') == NULL)
        return set_parts(schema, NULL, "same", pair, '=', err);
    *err = (kanon_error){.struct_size = sizeof(kanon_error), .status = KANON_EINVAL};
    snprintf(err->message, sizeof err->message, "--same: two texts with one = between them are expected");
    snprintf(err->hint, sizeof err->hint, "texts that have a = go into the schema: same: [[TEXT, TEXT]]");
    return KANON_EINVAL;
}

/* What was said for each column, or of each text of a list. */
static kanon_status set_items(kanon_schema *schema, const option *opt, const char *key, const void *value, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const pair_list *pairs = value;
    const text_list *texts = value;
    for (size_t i = 0; opt->kind == OPTION_PAIRS && i < pairs->n && st == KANON_OK; i++)
        st = strcmp(key, "order") == 0
                 ? set_parts(schema, pairs->items[i].name, key, pairs->items[i].value, ',', err)
                 : kanon_schema_set(schema, pairs->items[i].name, key, pairs->items[i].value, err);
    if (opt->kind != OPTION_PAIRS && (strcmp(key, "missing") == 0 || strcmp(key, "key") == 0))
        return set_list(schema, NULL, key, texts, err);
    const char *what = strcmp(key, "role") == 0 ? opt->id : "true";
    for (size_t i = 0; opt->kind != OPTION_PAIRS && i < texts->n && st == KANON_OK; i++)
        st = opt->kind == OPTION_NAMES         ? kanon_schema_set(schema, texts->items[i], key, what, err)
             : strcmp(key, "same") == 0        ? set_same(schema, texts->items[i], err)
                                               : kanon_schema_set(schema, NULL, "constraint", texts->items[i], err);
    return st;
}

/* An option that was given, under its key of a schema. */
static kanon_status set_option(kanon_schema *schema, const option *opt, const arguments *args, kanon_error *err)
{
    const void *value = (const char *)args + opt->offset;
    const char *colon = strstr(opt->in_schema, ": "), *key = colon != NULL ? colon + 2 : opt->in_schema;
    const char *words = opt->argument;
    char text[32] = "";
    size_t length = 0;
    switch (opt->kind) {
    case OPTION_PAIRS:
    case OPTION_NAMES:
    case OPTION_TEXTS:
        return set_items(schema, opt, key, value, err);
    case OPTION_TEXT:
        return kanon_schema_set(schema, NULL, key, *(const char *const *)value, err);
    case OPTION_SWITCH:
        return kanon_schema_set(schema, NULL, key, "true", err);
    case OPTION_CHARACTER:
        text[0] = *(const char *)value;
        break;
    case OPTION_WORD:
        for (int i = (int)opt->min; i <= *(const int *)value; i++) {
            const char *word = next_choice(&words, &length);
            snprintf(text, sizeof text, "%.*s", (int)length, word);
        }
        break;
    default:
        snprintf(text, sizeof text, "%" PRId64, *(const int64_t *)value);
        if (*(const int64_t *)value == KANON_JOINT_K_OFF)
            strcpy(text, "off");
        break;
    }
    return kanon_schema_set(schema, NULL, key, text, err);
}

/* The schema file, if one is given, changed by the flags, which have precedence. */
kanon_status arguments_schema(kanon_schema **out, const arguments *args, kanon_error *err)
{
    kanon_schema *schema = NULL;
    if (check_roles_differ(args, err) != KANON_OK)
        return err->status;
    kanon_status st = args->schema != NULL ? kanon_schema_read(&schema, KANON_PATH(args->schema), NULL, err)
                                           : kanon_schema_new(&schema, NULL, err);
    if (st == KANON_OK && (args->decimal != 0 || args->thousands != 0)) { /* one of them is about both */
        (void)kanon_schema_set(schema, NULL, "decimal", NULL, err);
        (void)kanon_schema_set(schema, NULL, "thousands", NULL, err);
    }
    for (size_t i = 0; i < N_ROWS && st == KANON_OK; i++) {
        bool in_schema = rows[i].in_schema != NULL && strncmp(rows[i].in_schema, "algorithm", strlen("algorithm")) != 0;
        if (in_schema && option_given(&rows[i], args)) /* the algorithm is an option of the run */
            st = set_option(schema, &rows[i], args, err);
    }
    if (st != KANON_OK) {
        kanon_schema_free(schema);
        schema = NULL;
    }
    *out = schema;
    return st;
}

int64_t schema_k(const kanon_schema *schema)
{
    const char *k = kanon_schema_get(schema, NULL, "k");
    return k != NULL ? strtoll(k, NULL, 10) : 0;
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

/* Prints words of a text that begins in column `at`; further lines begin in column `indent`. */
void print_wrapped(FILE *file, const char *text, int at, int indent)
{
    bool line_begins = true;
    int width = terminal_width(file);
    text += strspn(text, " ");
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (!line_begins && at + 1 + length >= width) { /* the last column stays free: some terminals go on in the next line */
            fprintf(file, "\n%*s", indent, "");
            at = indent;
            line_begins = true;
        }
        fprintf(file, "%s%.*s", line_begins ? "" : " ", length, text);
        at += length + !line_begins;
        line_begins = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

/* "-k, --name ARGUMENT", as help and manual page print it. */
void option_syntax(char *buffer, size_t size, const option *opt)
{
    char letter[5] = "    ";
    const char *argument = opt->argument == NULL ? "" : opt->argument;
    const char *space = opt->argument == NULL ? "" : " ";
    if (opt->letter != 0)
        snprintf(letter, sizeof letter, "-%c%s", opt->letter, opt->name == NULL ? "" : ", ");
    if (opt->name == NULL)
        snprintf(buffer, size, "%s%s%s", letter, space, argument);
    else
        snprintf(buffer, size, "%s--%s%s%s", letter, opt->name, space, argument);
}

/* "name (type and range, default value)". */
void setting_syntax(char *buffer, size_t size, const kanon_setting_info *setting)
{
    char values[128] = "text", standard[64] = "";
    if (setting->type == KANON_SETTING_INTEGER)
        snprintf(values, sizeof values, "whole number from %.16g to %.16g", setting->min, setting->max);
    else if (setting->type == KANON_SETTING_NUMBER)
        snprintf(values, sizeof values, "number from %.10g to %.10g", setting->min, setting->max);
    else if (setting->type != KANON_SETTING_TEXT)
        snprintf(values, sizeof values, "%s", setting->type == KANON_SETTING_FLAG ? "true or false" : setting->choices);
    if (setting->default_value != NULL)
        snprintf(standard, sizeof standard, ", default %s", setting->default_value);
    snprintf(buffer, size, "%s (%s%s)", setting->name, values, standard);
}

void model_sentence(char *buffer, size_t size, const kanon_entry *model)
{
    buffer[0] = '\0';
    for (const char *at = model->brief; *at != '\0'; at++) {
        size_t used = strlen(buffer);
        if (*at != '{') {
            snprintf(buffer + used, size - used, "%c", *at);
            continue;
        }
        bool is_ordinal = strncmp(at + strlen("{1}"), "th", 2) == 0;
        snprintf(buffer + used, size - used, "%s%s", kanon_entry_setting(model, (size_t)(at[1] - '1'))->name,
                 is_ordinal ? "-" : "");
        at += strlen("{1}") - 1;
    }
}

void print_setting(FILE *file, const kanon_setting_info *setting)
{
    enum { INDENT = 6 };
    char syntax[256];
    setting_syntax(syntax, sizeof syntax, setting);
    fprintf(file, "  %s\n%*s", syntax, INDENT, "");
    print_wrapped(file, setting->help, INDENT, INDENT);
}

static void print_option(FILE *file, const option *opt)
{
    char left[128];
    option_syntax(left, sizeof left, opt);
    int at = fprintf(file, "  %s", left);
    if (at + COLUMN_GAP > HELP_INDENT) {
        fputc('\n', file);
        at = 0;
    }
    fprintf(file, "%*s", HELP_INDENT - at, "");
    print_wrapped(file, opt->brief, HELP_INDENT, HELP_INDENT);
}

/* Options below a heading, where there are any. */
static void print_category(FILE *file, const command *self, option_category category)
{
    option_walk walk = {.self = self};
    size_t n = 0;
    for (const option *opt; (opt = option_next(&walk)) != NULL;) {
        if (opt->category != category)
            continue;
        if (n++ == 0)
            fprintf(file, "\noptions: %s\n", category_text(category));
        print_option(file, opt);
    }
}

/* The options that most runs need, and how to see the others; or all of them, where they are few. */
static void print_first_options(FILE *file, const command *self)
{
    enum { FEW = 14 };
    size_t n = 0;
    option_walk counted = {.self = self}, walk = {.self = self};
    while (option_next(&counted) != NULL)
        n++;
    fputs("\noptions:\n", file);
    for (const option *opt; (opt = option_next(&walk)) != NULL;)
        if (n <= FEW || opt->first)
            print_option(file, opt);
    if (n > FEW)
        fprintf(file, "\nAll %zu options: kanon %s --help all\n", n, self->name);
}

/* Help from the tables of the command, as the manual page. */
void print_command_help(FILE *file, const command *self, bool all)
{
    const kanon_setting_info *setting;
    int at = fprintf(file, "usage: kanon %s ", self->name);
    print_wrapped(file, self->usage, at, at);
    fputc('\n', file);
    print_wrapped(file, self->description, 0, 0);
    for (int category = 0; all && category < N_CATEGORIES; category++)
        print_category(file, self, (option_category)category);
    if (!all)
        print_first_options(file, self);
    for (size_t i = 0; self->setting != NULL && (setting = self->setting(i)) != NULL; i++) {
        fputs(i == 0 ? "\nsettings:\n" : "", file);
        print_setting(file, setting);
    }
    fputs("\nexamples:\n", file);
    for (size_t i = 0; self->examples[i] != NULL; i++)
        fprintf(file, "  %s\n", self->examples[i]);
}
