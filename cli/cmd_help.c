/* kanon help: the help of a command, or of a topic that concerns several. The lists come from the tables of the library and
 * of the program, so what is new there is in the help. A topic is one row of `topics`.
 * Run by main.c; calls the library, options.c and the other commands. */
#include "command.h"

#include <string.h>

static const char *const examples[] = {"kanon help anonymize", "kanon help models", NULL};

enum { INDENT = 4 };

/* A name, and below it what there is to say. */
static void print_item(const char *name, const char *text)
{
    printf("  %s\n%*s", name, INDENT, "");
    print_wrapped(stdout, text, INDENT, INDENT);
}

static void print_entries(kanon_catalogue list)
{
    const kanon_entry *entry;
    for (size_t i = 0; (entry = kanon_catalogue_at(list, i)) != NULL; i++)
        print_item(entry->name, entry->brief);
}

static void print_algorithms(void)
{
    puts("Algorithms make the groups (kanon anonymize -a NAME):");
    print_entries(KANON_CATALOGUE_ALGORITHM);
    printf("\nWithout -a and without an algorithm in the schema: %s.\n",
           kanon_catalogue_find(KANON_CATALOGUE_ALGORITHM, NULL)->name);
    puts("kanon algorithms NAME says when to use one, and lists its settings for --set.");
}

static void print_refinements(void)
{
    puts("Refinements make finished groups better (kanon anonymize --refine NAME):");
    print_entries(KANON_CATALOGUE_REFINEMENT);
    puts("\nkanon algorithms NAME lists the settings, for --moves, --time-limit and\n--refine-set.");
}

static void print_models(void)
{
    puts("Privacy models: what a constraint asks of every group in addition to k.");
    const kanon_entry *model;
    const kanon_setting_info *parameter;
    for (size_t i = 0; (model = kanon_catalogue_at(KANON_CATALOGUE_MODEL, i)) != NULL; i++) {
        char sentence[512];
        model_sentence(sentence, sizeof sentence, model);
        print_item(model->name, sentence);
        for (size_t j = 0; (parameter = kanon_entry_setting(model, j)) != NULL; j++) {
            int at = printf("%*s%s: ", INDENT, "", parameter->name);
            print_wrapped(stdout, parameter->help, at, at);
        }
    }
    puts("\nIn the schema, below privacy:\n"
         "  constraints:\n"
         "    - {model: distinct-l-diversity, attribute: disease, l: 3}\n"
         "On the command line:\n"
         "  --constraint model=distinct-l-diversity,attribute=disease,l=3");
}

static void print_measures(void)
{
    puts("Measures: what kanon evaluate and the reports compute. [a]: of each attribute.");
    const kanon_entry *measure;
    for (size_t i = 0; (measure = kanon_catalogue_at(KANON_CATALOGUE_MEASURE, i)) != NULL; i++) {
        char name[128];
        bool of_table = strcmp(measure->scope, "table") == 0;
        snprintf(name, sizeof name, "%s%s", measure->name, of_table ? "" : "[a]");
        print_item(name, measure->brief);
    }
}

static void print_exit_status(void)
{
    puts("Exit status:");
    for (int status = 0; status < EXIT_COUNT; status++)
        printf("  %d  %s\n", status, exit_text(status));
    puts("\nA run that does not end in 0 leaves no partial file and changes no state. A\n"
         "signal ends the program by that signal, with nothing written: a shell shows 130\n"
         "for Ctrl-C, 143 for SIGTERM. The first Ctrl-C during a search ends the search\n"
         "with the best groups so far, says so, and the run goes on to status 0.");
}

static void print_schema(void)
{
    puts("A schema is a YAML file: the role of each column, and what is asked for.\n\n"
         "  missing: [\"?\", \"\"]        # texts that mean \"no value\"\n"
         "  attributes:\n"
         "    name:    {role: identifying}                      # never released\n"
         "    age:     {role: quasi, type: integer}             # generalised\n"
         "    zip:     {role: quasi, type: categorical, mask: right}\n"
         "    job:     {role: quasi, taxonomy: job.csv, weight: 2}\n"
         "    disease: {role: sensitive}                        # protected by the groups\n"
         "    ward:    {role: insensitive}                      # released as it is\n"
         "  privacy:\n"
         "    k: 10\n"
         "    constraints:\n"
         "      - {model: distinct-l-diversity, attribute: disease, l: 3}\n"
         "  algorithm: {name: auto}\n"
         "  entity: patient           # groups hold k different patients\n"
         "  key: [id]                 # names a record, for delete and update\n\n"
         "A column that nobody names is withheld. Paths are relative to the schema. Flags\n"
         "(--quasi, --sensitive, --taxonomy, ...) win over the file. All keys:\n"
         "man 5 kanon-schema, or docs/schema.md.");
}

static void print_taxonomies(void)
{
    puts("A taxonomy says what a category can be generalised to. In a file, one line for\n"
         "each value, from the value to the root, separated by ; or ,:\n\n"
         "  flu;respiratory;any\n"
         "  bronchitis;respiratory;any\n"
         "  hepatitis;viral;any\n\n"
         "In the schema: taxonomy: disease.csv, or written out as {any: {viral: {...}}},\n"
         "or mask: right (one character per level, as for postcodes). On the command line:\n"
         "--taxonomy disease=disease.csv. Without one, a category is either shown or *.");
}

static void print_commands(void)
{
    puts("Commands:");
    print_command_list(stdout);
    puts("\nkanon help COMMAND, or kanon COMMAND --help, says more.");
}

typedef struct topic {
    const char *name, *summary;
    void (*print)(void);
} topic;

static const topic topics[] = {
    {"commands", "what kanon can do", print_commands},
    {"schema", "the file that says what each column is", print_schema},
    {"taxonomies", "what categories can be generalised to", print_taxonomies},
    {"models", "privacy models in addition to k", print_models},
    {"grouping", "algorithms: ways to make groups", print_algorithms},
    {"refinements", "ways to make groups better", print_refinements},
    {"measures", "what is computed of a grouping", print_measures},
    {"exit-status", "what the number at the end means", print_exit_status},
};
enum { N_TOPICS = sizeof topics / sizeof *topics };

const char *help_topic_at(size_t i)
{
    return i < N_TOPICS ? topics[i].name : NULL;
}

void print_topic_list(FILE *file)
{
    for (size_t i = 0; i < N_TOPICS; i++)
        fprintf(file, "  %-13s%s\n", topics[i].name, topics[i].summary);
}

/* With the nearest command or topic as a hint. */
static int unknown_topic(const command *self, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (size_t i = 0; command_at(i) != NULL && n < MOST - N_TOPICS; i++)
        names[n++] = command_at(i)->summary != NULL ? command_at(i)->name : NULL;
    for (size_t i = 0; i < N_TOPICS; i++)
        names[n++] = topics[i].name;
    const char *near = kanon_nearest_word(names, n, name);
    if (near != NULL)
        return wrong_usage(self, "there is no help about %s, did you mean %s?", name, near);
    return wrong_usage(self, "there is no help about %s", name);
}

/* Commands before topics: kanon help NAME is the same as kanon NAME --help. */
static int run(const command *self, const arguments *args)
{
    const command *about = args->operand == NULL ? NULL : command_find(args->operand);
    if (args->operand == NULL) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (args->second != NULL && (about == NULL || strcmp(args->second, "all") != 0))
        return wrong_usage(self, "one word too many: %s", args->second);
    if (about != NULL) {
        print_command_help(stdout, about, args->second != NULL);
        return EXIT_DONE;
    }
    for (size_t i = 0; i < N_TOPICS; i++)
        if (strcmp(topics[i].name, args->operand) == 0) {
            topics[i].print();
            return EXIT_DONE;
        }
    return unknown_topic(self, args->operand);
}

const command command_help = {
    .name = "help",
    .summary = "say more about a command or a topic",
    .usage = "[COMMAND [all] | TOPIC]",
    .description =
        "Prints the help of a command, as kanon COMMAND --help does, with all also the rarer options, or of a topic: "
        "commands, schema, taxonomies, "
        "models, grouping, refinements, measures, exit-status.",
    .operand = "TOPIC",
    .operand_optional = true,
    .second = "all",
    .second_optional = true,
    .in = IN_OTHERS,
    .examples = examples,
    .run = run,
};
