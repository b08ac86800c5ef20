/* Options: those that several commands have, the parser, the schema that the options describe, and the help. All of it
 * reads the option table of the command; no option is known by name outside its table.
 * Called by main.c, the commands and cmd_man.c; calls the library for the schema only. */
#include "command.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_INDENT = 26, COLUMN_GAP = 2 };

/* ---- options of several commands --------------------------------------------------------------------------------- */

const option option_schema = {
    .name = "schema",
    .letter = 's',
    .argument = "SCHEMA",
    .help = "the schema (YAML): the role of each column, and what is asked for",
    .kind = OPTION_TEXT,
    AT(schema),
};
const option option_quasi = {
    .name = "quasi",
    .argument = "A,B",
    .help = "these columns are quasi-identifiers; with --quasi no schema is needed",
    .kind = OPTION_NAMES,
    AT(quasi),
};
const option option_sensitive = {
    .name = "sensitive",
    .argument = "A,B",
    .help = "these columns are sensitive",
    .kind = OPTION_NAMES,
    AT(sensitive),
};
const option option_identifying = {
    .name = "identifying",
    .argument = "A,B",
    .help = "these columns are identifying: they are never released",
    .kind = OPTION_NAMES,
    AT(identifying),
};
const option option_insensitive = {
    .name = "insensitive",
    .argument = "A,B",
    .help = "these columns are released as they are",
    .kind = OPTION_NAMES,
    AT(insensitive),
};
const option option_taxonomy = {
    .name = "taxonomy",
    .argument = "A=FILE",
    .help = "the taxonomy of column A; can be repeated",
    .kind = OPTION_PAIR,
    AT(taxonomies),
};
const option option_bands = {
    .name = "bands",
    .argument = "A=WIDTH",
    .help = "show the numbers of column A in bands: of this width, with edges such as 0,18,65, or of dates week, month, "
            "quarter, year or decade; can be repeated",
    .kind = OPTION_PAIR,
    AT(bands),
};
const option option_top = {
    .name = "top",
    .argument = "A=NUMBER",
    .help = "all numbers of column A from this one on are one band; can be repeated",
    .kind = OPTION_PAIR,
    AT(tops),
};
const option option_bottom = {
    .name = "bottom",
    .argument = "A=NUMBER",
    .help = "all numbers of column A up to this one are one band; can be repeated",
    .kind = OPTION_PAIR,
    AT(bottoms),
};
const option option_missing = {
    .name = "missing",
    .argument = "TEXT",
    .help = "this text means that there is no value, in addition to the empty text; can be repeated",
    .kind = OPTION_ITEM,
    AT(missing),
};
const option option_empty = {
    .name = "empty",
    .argument = "missing|value",
    .help = "whether the empty text means that there is no value, or is a value like others (default: the schema's, else "
            "missing)",
    .kind = OPTION_CHOICE,
    AT(empty),
    .min = EMPTY_MISSING,
};
const option option_type = {
    .name = "type",
    .argument = "A=TYPE",
    .help = "the values of column A are of this type: integer, decimal, date, categorical or ordinal; can be "
            "repeated",
    .kind = OPTION_PAIR,
    AT(types),
};
const option option_order = {
    .name = "order",
    .argument = "A=LOW,...,HIGH",
    .help = "the levels of the ordinal column A, from the lowest to the highest: none,primary,secondary; can be repeated",
    .kind = OPTION_PAIR,
    AT(orders),
};
const option option_format = {
    .name = "format",
    .argument = "A=FORMAT",
    .help = "how the dates of column A are written, such as %d.%m.%Y; can be repeated",
    .kind = OPTION_PAIR,
    AT(formats),
};
const option option_decimal = {
    .name = "decimal",
    .argument = "C",
    .help = "what stands before the decimals of numbers: a point or a comma (default: found from the numbers)",
    .kind = OPTION_CHARACTER,
    AT(decimal),
};
const option option_thousands = {
    .name = "thousands",
    .argument = "C",
    .help = "what stands between the thousands of numbers (default: found from the numbers)",
    .kind = OPTION_CHARACTER,
    AT(thousands),
};
const option option_header = {
    .name = "header",
    .argument = "yes|no",
    .help = "whether the first line names the columns; with no they are called c1, c2, ... (default: it does, and a line "
            "that looks like data is an error)",
    .kind = OPTION_CHOICE,
    AT(header),
    .min = KANON_HEADER_YES,
};
const option option_encoding = {
    .name = "encoding",
    .argument = "NAME",
    .help = "utf-8, utf-16, utf-16le, utf-16be, latin-1 or windows-1252 (default: found from the bytes)",
    .kind = OPTION_TEXT,
    AT(encoding),
};
const option option_constraint = {
    .name = "constraint",
    .argument = "MODEL",
    .help =
        "a constraint on every group in addition to k, such as model=distinct-l-diversity,attribute=A,l=3; models: "
        "distinct-l-diversity, entropy-l-diversity, recursive-l-diversity, p-sensitive-k-anonymity, alpha-k, t-closeness; "
        "can be repeated",
    .kind = OPTION_ITEM,
    AT(constraints),
};
const option option_entity = {
    .name = "entity",
    .argument = "A",
    .help = "column A says whose record it is: groups hold k different entities, not k records",
    .kind = OPTION_TEXT,
    AT(entity),
};
const option option_entity_together = {
    .name = "entity-together",
    .help = "with --entity, or entity in the schema: all records of an entity are in one group",
    .kind = OPTION_SWITCH,
    AT(entity_together),
};
const option option_suppress = {
    .name = "suppress",
    .argument = "SHARE",
    .help = "suppress up to this share of the records where that lowers the loss, such as 0.01",
    .kind = OPTION_TEXT,
    AT(suppress),
};
const option option_suppressed = {
    .name = "suppressed",
    .argument = "WHAT",
    .help = "drop: suppressed records are left out of the release (default); keep: they are released with * in every "
            "quasi-identifier, if they are at least k and satisfy every constraint",
    .kind = OPTION_TEXT,
    AT(suppressed),
};
const option option_k = {
    .letter = 'k',
    .argument = "K",
    .help = "the least number of records in a group (default: the schema's)",
    .kind = OPTION_INTEGER,
    AT(k),
    .min = 2,
    .max = INT64_MAX,
};
const option option_from_certificate = {
    .name = "from-certificate",
    .argument = "FILE",
    .help = "verify the certificate in FILE, which kanon bound wrote for TABLE, and add its lower_bound, and the gap to it, to "
            "the figures",
    .kind = OPTION_TEXT,
    AT(from_certificate),
    .aside = true,
};

const option option_algorithm = {
    .name = "algorithm",
    .letter = 'a',
    .argument = "NAME",
    .help = "how to group (default: the schema's); kanon algorithms lists them",
    .kind = OPTION_TEXT,
    AT(algorithm),
};
const option option_refine = {
    .name = "refine",
    .argument = "NAME",
    .help = "make the groups better afterwards; kanon algorithms lists the refinements, too",
    .kind = OPTION_TEXT,
    AT(refine),
};
const option option_seed = {
    .name = "seed",
    .argument = "N",
    .help = "the seed of all random choices (default: 0); the same seed gives the same groups",
    .kind = OPTION_SEED,
    AT(seed),
};
const option option_numeric = {
    .name = "numeric",
    .argument = "interval|range|mean|columns",
    .help = "how numbers are released: [20..29], [20,29], the mean of the group, or two columns NAME_min and NAME_max "
            "(default: interval)",
    .kind = OPTION_CHOICE,
    AT(numeric),
};
const option option_shuffle = {
    .name = "shuffle",
    .help = "release the records in the order of a hash of their released cells, which tells nothing about that of the "
            "table",
    .kind = OPTION_SWITCH,
    AT(shuffle),
};
const option option_shuffle_seed = {
    .name = "shuffle-seed",
    .argument = "N",
    .help = "--shuffle with the hash that N names (default: 0): the same N gives the same released records the same order",
    .kind = OPTION_INTEGER,
    AT(shuffle_seed),
    .max = KANON_SEED_MAX,
};
const option option_threads = {
    .name = "threads",
    .argument = "N",
    .help = "threads to use (default: one per processor); the result does not depend on it",
    .kind = OPTION_INTEGER,
    AT(threads),
    .min = 1,
    .max = 1024,
    .aside = true,
};
const option option_delimiter = {
    .name = "delimiter",
    .argument = "C",
    .help = "what separates the cells: one character, or 'tab' (default: , ; | or tab, found from the header line)",
    .kind = OPTION_CHARACTER,
    AT(delimiter),
};
const option option_strict = {
    .name = "strict",
    .help = "columns that nobody gave a role are an error instead of a warning",
    .kind = OPTION_SWITCH,
    AT(strict),
};
const option option_quiet = {
    .name = "quiet",
    .letter = 'q',
    .help = "no progress, no summary, no warnings but those about privacy",
    .kind = OPTION_SWITCH,
    AT(quiet),
    .aside = true,
};
const option option_help = {
    .name = "help",
    .letter = 'h',
    .help = "print this help",
    .kind = OPTION_SWITCH,
    AT(help),
    .aside = true,
};

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

/* 0.2, .2, 1: above 0 and at most 1. */
static bool parse_share(double *out, const char *text)
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
    return *out > 0 && *out <= 1;
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
    return EXIT_DONE;
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
    if (opt->kind == OPTION_SHARE) {
        if (!parse_share(place, value))
            return wrong_usage(self, "%s must be a number above 0 and at most 1", called);
    } else if (opt->kind == OPTION_SEED) {
        if (!parse_unsigned(&number, value) || number > KANON_SEED_MAX)
            return wrong_usage(self, "%s must be a whole number from 0 to %" PRIu64, called, (uint64_t)KANON_SEED_MAX);
        *(uint64_t *)place = number;
    } else if (!parse_unsigned(&number, value) || number < (uint64_t)opt->min || number > (uint64_t)opt->max) {
        if (opt->max == INT64_MAX)
            return wrong_usage(self, "%s must be a whole number, %" PRId64 " or more", called, opt->min);
        return wrong_usage(self, "%s must be a whole number from %" PRId64 " to %" PRId64, called, opt->min, opt->max);
    } else {
        *(int64_t *)place = (int64_t)number;
    }
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
        if (*value == '\0')
            return wrong_usage(self, "%s: the %s is empty", called, opt->argument);
        *(const char **)place = value;
        return EXIT_DONE;
    case OPTION_ITEM:
        return add_text(place, value);
    case OPTION_NAMES:
        return add_names(self, called, place, value);
    case OPTION_PAIR:
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
    case OPTION_INTEGER:
    case OPTION_SEED:
    case OPTION_SHARE:
        return store_number(self, called, place, opt, value);
    case OPTION_CHARACTER:
        if (!parse_character(place, value))
            return wrong_usage(self, "%s must be one character, such as ; or | or tab", called);
        return EXIT_DONE;
    case OPTION_CHOICE:
        if ((*(int *)place = parse_choice(opt->argument, value)) < 0)
            return wrong_usage(self, "%s must be one of %s", called, opt->argument);
        *(int *)place += (int)opt->min;
        return EXIT_DONE;
    }
    return EXIT_SYSTEM;
}

/* ---- parser ------------------------------------------------------------------------------------------------------ */

/* With the nearest option of the command as a hint. */
static int unknown_option(const command *self, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (; n < MOST && self->options[n] != NULL; n++)
        names[n] = self->options[n]->name;
    const char *near = kanon_nearest_word(names, n, name);
    if (near != NULL)
        return wrong_usage(self, "unknown option --%s, did you mean --%s?", name, near);
    return wrong_usage(self, "unknown option --%s", name);
}

/* By its full name; abbreviations are not accepted, because a new option could make them ambiguous. */
static const option *find_long(const command *self, const char *name, size_t length)
{
    for (size_t i = 0; self->options[i] != NULL; i++) {
        const char *known = self->options[i]->name;
        if (known != NULL && strlen(known) == length && memcmp(known, name, length) == 0)
            return self->options[i];
    }
    return NULL;
}

static const option *find_letter(const command *self, char letter)
{
    for (size_t i = 0; self->options[i] != NULL; i++)
        if (self->options[i]->letter == letter)
            return self->options[i];
    return NULL;
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
    char *name = word + 2;
    size_t length = strcspn(name, "=");
    const option *opt = find_long(words->self, name, length);
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
        const option *opt = find_letter(words->self, *letter);
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
    text_list *texts[] = {&args->quasi,       &args->sensitive, &args->identifying,
                          &args->insensitive, &args->missing,   &args->same,
                          &args->constraints};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]->items);
    free(args->settings.items);
    free(args->measure_settings.items);
    free(args->taxonomies.items);
    free(args->bands.items);
    free(args->tops.items);
    free(args->bottoms.items);
    free(args->refine_settings.items);
    free(args->types.items);
    free(args->formats.items);
    free(args->orders.items);
    *args = (arguments){0};
}

/* ---- schema ------------------------------------------------------------------------------------------------------ */

bool arguments_have_schema(const arguments *args)
{
    return args->schema != NULL || args->quasi.n > 0;
}

static bool names_column(const text_list *columns, const char *column)
{
    for (size_t i = 0; i < columns->n; i++)
        if (strcmp(columns->items[i], column) == 0)
            return true;
    return false;
}

/* The columns that one flag names. */
static kanon_status set_roles(kanon_schema *schema, const text_list *columns, kanon_role role, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (size_t i = 0; i < columns->n && st == KANON_OK; i++)
        st = kanon_schema_set_role(schema, columns->items[i], role, err);
    return st;
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
                *err = (kanon_error){.status = KANON_EINVAL};
                snprintf(err->message, sizeof err->message, "%.100s: both --%s and --%s name it", column, roles[a].flag,
                         roles[b].flag);
                snprintf(err->hint, sizeof err->hint, "a column has one role");
                return KANON_EINVAL;
            }
    return KANON_OK;
}

/* The type of that name; KANON_TYPE_UNKNOWN: there is none. */
static kanon_type type_named(const char *name)
{
    for (kanon_type type = KANON_TYPE_INTEGER; type <= KANON_TYPE_ORDINAL; type++)
        if (strcmp(kanon_type_text(type), name) == 0)
            return type;
    return KANON_TYPE_UNKNOWN;
}

/* The levels of an ordinal column, with commas between them. */
static kanon_status set_order(kanon_schema *schema, const char *column, const char *text, kanon_error *err)
{
    size_t n = 1, length = strlen(text) + 1;
    for (const char *at = text; *at != '\0'; at++)
        n += *at == ',';
    char *copy = malloc(length);
    const char **levels = malloc(n * sizeof *levels);
    kanon_status st = KANON_ENOMEM;
    if (copy == NULL || levels == NULL) {
        *err = (kanon_error){.status = st, .message = "out of memory"};
    } else {
        memcpy(copy, text, length);
        n = 0;
        for (char *at = copy; at != NULL;) {
            char *comma = strchr(at, ',');
            levels[n++] = at;
            if (comma != NULL)
                *comma++ = '\0';
            at = comma;
        }
        st = kanon_schema_set_order(schema, column, levels, n, err);
    }
    free(levels);
    free(copy);
    return st;
}

/* Types, and how values are written. */
static kanon_status set_values(kanon_schema *schema, const arguments *args, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (size_t i = 0; i < args->types.n && st == KANON_OK; i++) {
        const kanon_setting *said = &args->types.items[i];
        kanon_type type = type_named(said->value);
        if (type == KANON_TYPE_UNKNOWN) {
            *err = (kanon_error){.status = KANON_EINVAL};
            snprintf(err->message, sizeof err->message, "--type %.100s: there is no such type", said->name);
            snprintf(err->hint, sizeof err->hint, "types are integer, decimal, date, categorical and ordinal");
            return KANON_EINVAL;
        }
        st = kanon_schema_set_type(schema, said->name, type, err);
    }
    for (size_t i = 0; i < args->orders.n && st == KANON_OK; i++)
        st = set_order(schema, args->orders.items[i].name, args->orders.items[i].value, err);
    for (size_t i = 0; i < args->formats.n && st == KANON_OK; i++)
        st = kanon_schema_set_format(schema, args->formats.items[i].name, args->formats.items[i].value, err);
    if (st == KANON_OK && (args->decimal != 0 || args->thousands != 0))
        st = kanon_schema_set_separators(schema, NULL, args->decimal, args->thousands, err);
    return st;
}

/* TEXT=TEXT with one equals sign, so that nobody has to know at which of several it is divided. */
static kanon_status set_same(kanon_schema *schema, const char *pair, kanon_error *err)
{
    const char *sign = strchr(pair, '=');
    char *text = NULL;
    if (sign == NULL || strchr(sign + 1, '=') != NULL) {
        *err = (kanon_error){.status = KANON_EINVAL};
        snprintf(err->message, sizeof err->message, "--same: two texts with one = between them are expected");
        snprintf(err->hint, sizeof err->hint, "texts that have a = go into the schema: same: [[TEXT, TEXT]]");
        return KANON_EINVAL;
    }
    text = strndup(pair, (size_t)(sign - pair));
    if (text == NULL) {
        *err = (kanon_error){.status = KANON_ENOMEM};
        snprintf(err->message, sizeof err->message, "not enough memory for the options");
        return KANON_ENOMEM;
    }
    kanon_status st = kanon_schema_add_same(schema, text, sign + 1, err);
    free(text);
    return st;
}

/* The schema file, if one is given, changed by the flags, which have precedence. */
kanon_status arguments_schema(kanon_schema **out, const arguments *args, kanon_error *err)
{
    kanon_schema *schema = NULL;
    if (check_roles_differ(args, err) != KANON_OK)
        return err->status;
    kanon_status st = args->schema != NULL ? kanon_schema_read(&schema, args->schema, NULL, err)
                                           : kanon_schema_new(&schema, NULL, err);
    if (st == KANON_OK)
        st = set_roles(schema, &args->quasi, KANON_ROLE_QUASI, err);
    if (st == KANON_OK)
        st = set_roles(schema, &args->sensitive, KANON_ROLE_SENSITIVE, err);
    if (st == KANON_OK)
        st = set_roles(schema, &args->identifying, KANON_ROLE_IDENTIFYING, err);
    if (st == KANON_OK)
        st = set_roles(schema, &args->insensitive, KANON_ROLE_INSENSITIVE, err);
    for (size_t i = 0; i < args->taxonomies.n && st == KANON_OK; i++)
        st = kanon_schema_set_taxonomy(schema, args->taxonomies.items[i].name, args->taxonomies.items[i].value, err);
    for (size_t i = 0; i < args->bands.n && st == KANON_OK; i++)
        st = kanon_schema_set_bands(schema, args->bands.items[i].name, args->bands.items[i].value, err);
    for (size_t i = 0; i < args->tops.n && st == KANON_OK; i++)
        st = kanon_schema_set_top(schema, args->tops.items[i].name, args->tops.items[i].value, err);
    for (size_t i = 0; i < args->bottoms.n && st == KANON_OK; i++)
        st = kanon_schema_set_bottom(schema, args->bottoms.items[i].name, args->bottoms.items[i].value, err);
    if (st == KANON_OK)
        st = set_values(schema, args, err);
    for (size_t i = 0; i < args->missing.n && st == KANON_OK; i++)
        st = kanon_schema_add_missing(schema, args->missing.items[i], err);
    if (st == KANON_OK && args->empty != 0)
        st = kanon_schema_set_empty(schema, args->empty == EMPTY_VALUE, err);
    for (size_t i = 0; i < args->same.n && st == KANON_OK; i++)
        st = set_same(schema, args->same.items[i], err);
    for (size_t i = 0; i < args->constraints.n && st == KANON_OK; i++)
        st = kanon_schema_add_constraint(schema, args->constraints.items[i], err);
    if (st == KANON_OK && (args->entity != NULL || args->entity_together))
        st = kanon_schema_set_entity(schema, args->entity, args->entity_together, err);
    if (st == KANON_OK && args->suppress != NULL)
        st = kanon_schema_set_suppress(schema, args->suppress, err);
    if (st == KANON_OK && args->suppressed != NULL)
        st = kanon_schema_set_suppressed(schema, args->suppressed, err);
    if (st == KANON_OK && args->joint_k != 0)
        st = kanon_schema_set_joint_k(schema, args->joint_k, err);
    if (st != KANON_OK) {
        kanon_schema_free(schema);
        schema = NULL;
    }
    *out = schema;
    return st;
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
        if (!line_begins && at + 1 + length > width) {
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

void print_setting(FILE *file, const kanon_setting_info *setting)
{
    enum { INDENT = 6 };
    char syntax[256];
    setting_syntax(syntax, sizeof syntax, setting);
    fprintf(file, "  %s\n%*s", syntax, INDENT, "");
    print_wrapped(file, setting->help, INDENT, INDENT);
}

/* Help from the tables of the command, as the manual page. */
void print_command_help(FILE *file, const command *self)
{
    const kanon_setting_info *settings = NULL;
    size_t n_settings = self->settings != NULL ? self->settings(&settings) : 0;
    char left[128];
    int at = fprintf(file, "usage: kanon %s ", self->name);
    print_wrapped(file, self->usage, at, at);
    fputc('\n', file);
    print_wrapped(file, self->description, 0, 0);
    fputs("\noptions:\n", file);
    for (size_t i = 0; self->options[i] != NULL; i++) {
        option_syntax(left, sizeof left, self->options[i]);
        at = fprintf(file, "  %s", left);
        if (at + COLUMN_GAP > HELP_INDENT) {
            fputc('\n', file);
            at = 0;
        }
        fprintf(file, "%*s", HELP_INDENT - at, "");
        print_wrapped(file, self->options[i]->help, HELP_INDENT, HELP_INDENT);
    }
    if (n_settings > 0)
        fputs("\nsettings:\n", file);
    for (size_t i = 0; i < n_settings; i++)
        print_setting(file, &settings[i]);
    fputs("\nexamples:\n", file);
    for (size_t i = 0; self->examples[i] != NULL; i++)
        fprintf(file, "  %s\n", self->examples[i]);
}
