/* kanon taxonomy: taxonomies as files. build makes one from a column of a table, check finds what is wrong with one, show
 * prints it as a tree, convert writes it in another form. Run by main.c; the work is in the library. */
#include "paths.h"
#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const examples[] = {
    "kanon taxonomy build patients.csv --column zip --prefixes 3,1 -o zip.csv",
    "kanon taxonomy check zip.csv --table patients.csv --column zip",
    "kanon taxonomy check -s patients.yaml --table patients.csv --column zip",
    "kanon taxonomy show zip.csv --table patients.csv --column zip --depth 2",
    "kanon taxonomy convert zip.csv -o zip.yaml",
    NULL,
};

static kanon_column_options column_of(const arguments *args, const kanon_schema *schema)
{
    return (kanon_column_options){.struct_size = sizeof(kanon_column_options),
                                  .column = args->column,
                                  .missing = args->missing.items,
                                  .n_missing = args->missing.n,
                                  .empty_is_value = args->empty == EMPTY_VALUE,
                                  .schema = schema};
}

/* The schema, if there is one, and the file of the taxonomy: that of the column in the schema where no file is given. */
static kanon_status named_files(kanon_schema **schema, const char **file, const arguments *args, kanon_error *err)
{
    *file = args->second;
    kanon_status st = args->schema != NULL ? kanon_schema_read(schema, KANON_PATH(args->schema), NULL, err) : KANON_OK;
    if (st == KANON_OK && *schema != NULL && *file == NULL && args->column != NULL)
        *file = kanon_schema_get(*schema, args->column, "taxonomy");
    return st;
}

/* There is neither a file nor a schema that names one. */
static int no_taxonomy(const command *self, const arguments *args)
{
    if (args->schema == NULL)
        return wrong_usage(self, "no FILE given");
    return args->column == NULL ? wrong_usage(self, "no FILE and no column; give --column A")
                                : wrong_usage(self, "no FILE, and the schema names none for %s", args->column);
}

static const char *output_of(const arguments *args)
{
    return args->release != NULL ? args->release : "-";
}

/* ---- build and convert ------------------------------------------------------------------------------------------- */

static int run_build(const command *self, const arguments *args)
{
    enum { N_METHODS = sizeof args->methods / sizeof *args->methods };
    kanon_taxonomy *taxonomy = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    int method = -1, n = 0;
    for (int i = 0; i < N_METHODS; i++)
        if (args->methods[i] != NULL) {
            method = i;
            n++;
        }
    if (args->column == NULL)
        return wrong_usage(self, "no column; give --column A");
    if (n != 1)
        return wrong_usage(self, "%s of --widths, --frequencies, --dates, --mask, --prefixes and --rare",
                           n == 0 ? "give one" : "give only one");
    kanon_schema *schema = NULL;
    const char *unused;
    kanon_status st = named_files(&schema, &unused, args, &err);
    kanon_column_options column = column_of(args, schema);
    const kanon_input table = table_at(args->second, args);
    if (st == KANON_OK)
        st = kanon_taxonomy_build(&taxonomy, &table, &column, (kanon_taxonomy_method)method, args->methods[method], NULL,
                                  &err);
    if (st == KANON_OK)
        st = kanon_taxonomy_write(taxonomy, KANON_TO_PATH(output_of(args)), (kanon_taxonomy_form)args->form, &err);
    kanon_taxonomy_free(taxonomy);
    kanon_schema_free(schema);
    return st == KANON_OK ? EXIT_DONE : failed(self, &err);
}

static int run_convert(const command *self, const arguments *args)
{
    kanon_taxonomy *taxonomy = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    if (args->form == KANON_TAXONOMY_AUTO && is_standard(output_of(args)))
        return wrong_usage(self, "no form; give --form, or an output that ends in .csv, .txt, .yaml or .json");
    kanon_status st = kanon_taxonomy_read(&taxonomy, KANON_PATH(args->second), KANON_TAXONOMY_AUTO, NULL, &err);
    if (st == KANON_OK)
        st = kanon_taxonomy_write(taxonomy, KANON_TO_PATH(output_of(args)), (kanon_taxonomy_form)args->form, &err);
    kanon_taxonomy_free(taxonomy);
    return st == KANON_OK ? EXIT_DONE : failed(self, &err);
}

/* ---- check ------------------------------------------------------------------------------------------------------- */

/* One line for each kind of finding; no line contains a value. */
static int print_findings(const arguments *args, const char *file, const kanon_taxonomy_check *check)
{
    enum { WIDTH = 16 };
    printf("%-*s %" PRId64 "\n%-*s %" PRId64 "\n", WIDTH, "lines", check->lines, WIDTH, "leaves", check->leaves);
    for (size_t i = 0; i < check->n; i++) {
        const kanon_taxonomy_finding *f = check->findings[i];
        printf("%-*s %" PRId64 " %s, first in %s:%" PRId64 ": %s\n", WIDTH, f->name, f->count,
               f->is_error ? "errors" : "to look at", f->in_table ? shown(args->table) : file, f->line, f->sentence);
    }
    if (check->errors == 0)
        printf("%-*s good%s\n", WIDTH, "verdict", check->n > 0 ? ": it can be used; what is listed is worth a look" : "");
    else
        printf("%-*s bad: %d kind%s of errors\n", WIDTH, "verdict", check->errors, check->errors == 1 ? "" : "s");
    return check->errors == 0 ? EXIT_DONE : EXIT_UNMET;
}

static int run_check(const command *self, const arguments *args)
{
    kanon_taxonomy_check *check = NULL;
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    const char *file;
    int status;
    kanon_status st = named_files(&schema, &file, args, &err);
    if (st == KANON_OK && file == NULL) {
        status = no_taxonomy(self, args);
    } else {
        kanon_column_options column = column_of(args, schema);
        const kanon_input table = table_at(args->table, args);
        if (st == KANON_OK)
            st = kanon_taxonomy_check_read(&check, KANON_PATH(file), KANON_TAXONOMY_AUTO,
                                           args->table != NULL ? &table : NULL, &column, NULL, &err);
        status = st == KANON_OK ? print_findings(args, file, check) : failed(self, &err);
    }
    kanon_taxonomy_check_free(check);
    kanon_schema_free(schema);
    return status;
}

/* ---- show -------------------------------------------------------------------------------------------------------- */

enum { SCREEN_LINES = 40, DEEPEST_SHOWN = 1000 };

static kanon_taxonomy_node node_at(const kanon_taxonomy *taxonomy, int32_t i)
{
    kanon_taxonomy_node node = {.struct_size = sizeof node};
    kanon_error err = KANON_INIT(kanon_error);
    (void)kanon_taxonomy_get(&node, taxonomy, i, &err); /* the node exists */
    return node;
}

/* The most levels whose nodes fit the screen, at least one. LINES says how tall it is, as shells set it. */
static int32_t depth_that_fits(const kanon_taxonomy *taxonomy)
{
    const char *rows = getenv("LINES");
    uint64_t lines = SCREEN_LINES;
    if (rows != NULL && (!parse_unsigned(&lines, rows) || lines < 5 || lines > 100000))
        lines = SCREEN_LINES;
    int32_t depth = 1, n = kanon_taxonomy_nodes(taxonomy);
    for (;; depth++) {
        uint64_t shown = 0;
        int32_t deeper = 0;
        for (int32_t i = 0; i < n; i++) {
            int32_t at = node_at(taxonomy, i).depth;
            shown += at <= depth + 1;
            deeper += at == depth + 1;
        }
        if (deeper == 0 || shown + 2 > lines)
            return depth;
    }
}

/* "|   `-- name  3 leaves, 120 records" */
static void print_node(const kanon_taxonomy_node *node, const bool *goes_on, bool folded)
{
    for (int32_t level = 1; level < node->depth; level++)
        fputs(goes_on[level] ? "|   " : "    ", stdout);
    if (node->depth > 0)
        fputs(goes_on[node->depth] ? "|-- " : "`-- ", stdout);
    print_clean(stdout, node->name);
    if (folded)
        printf("  ... %" PRId32 " leaves", node->leaves);
    if (node->records >= 0)
        printf("%s%" PRId64 " records", folded ? ", " : "  ", node->records);
    putchar('\n');
}

/* Whether another child of the same parent comes after node i. */
static bool has_sibling(const kanon_taxonomy *taxonomy, int32_t i, const kanon_taxonomy_node *node)
{
    int32_t n = kanon_taxonomy_nodes(taxonomy);
    for (int32_t next = i + 1; next < n; next++) {
        kanon_taxonomy_node other = node_at(taxonomy, next);
        if (other.depth <= node->depth)
            return other.depth == node->depth && other.parent == node->parent;
    }
    return false;
}

/* Where even the first level is taller than the screen, its middle is left out, unless a depth was asked for. */
static void print_tree(const kanon_taxonomy *taxonomy, int32_t most_depth, int32_t most_children)
{
    bool goes_on[DEEPEST_SHOWN + 2] = {false};
    int32_t n = kanon_taxonomy_nodes(taxonomy), n_first = 0, n_left_out = 0;
    for (int32_t i = 0; i < n; i++) {
        kanon_taxonomy_node node = node_at(taxonomy, i);
        if (node.depth > most_depth)
            continue;
        n_first += node.depth == 1;
        if (node.depth == 1 && most_children > 0 && n_first > most_children) {
            n_left_out++;
            continue;
        }
        goes_on[node.depth] = has_sibling(taxonomy, i, &node);
        print_node(&node, goes_on, node.depth == most_depth && node.children > 0);
    }
    if (n_left_out > 0)
        printf("... and %" PRId32 " more\n", n_left_out);
}

static kanon_status show(const arguments *args, const char *file, const kanon_schema *schema, kanon_error *err)
{
    kanon_taxonomy *taxonomy = NULL;
    int64_t unknown = 0;
    kanon_column_options column = column_of(args, schema);
    kanon_status st = kanon_taxonomy_read(&taxonomy, KANON_PATH(file), KANON_TAXONOMY_AUTO, NULL, err);
    const kanon_input table = table_at(args->table, args);
    if (st == KANON_OK && args->table != NULL)
        st = kanon_taxonomy_count(taxonomy, &table, &column, &unknown, err);
    if (st == KANON_OK) {
        int32_t fits = depth_that_fits(taxonomy);
        bool asked = args->depth > 0;
        print_tree(taxonomy, asked ? (int32_t)args->depth : fits, asked || fits > 1 ? 0 : SCREEN_LINES);
        if (unknown > 0)
            say("%" PRId64 " records have values that the taxonomy lacks; kanon taxonomy check tells where", unknown);
    }
    kanon_taxonomy_free(taxonomy);
    return st;
}

static int run_show(const command *self, const arguments *args)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    const char *file;
    int status = EXIT_DONE;
    kanon_status st = named_files(&schema, &file, args, &err);
    if (st == KANON_OK && file == NULL)
        status = no_taxonomy(self, args);
    else if (st != KANON_OK || show(args, file, schema, &err) != KANON_OK)
        status = failed(self, &err);
    kanon_schema_free(schema);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------------- */

static int run(const command *self, const arguments *args)
{
    static const struct {
        const char *name;
        int (*run)(const command *self, const arguments *args);
    } actions[] = {{"build", run_build}, {"check", run_check}, {"show", run_show}, {"convert", run_convert}};
    static const char *const names[] = {"build", "check", "show", "convert"};
    bool may_lack_file = strcmp(args->operand, "check") == 0 || strcmp(args->operand, "show") == 0;
    if (args->table != NULL && args->column == NULL)
        return wrong_usage(self, "a table and no column; give --column A");
    if (args->second == NULL && !may_lack_file)
        return wrong_usage(self, "no FILE given");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, args->operand) == 0)
            return actions[i].run(self, args);
    const char *near = kanon_nearest_word(names, sizeof names / sizeof *names, args->operand);
    return near != NULL ? wrong_usage(self, "%s: not an action, did you mean %s?", args->operand, near)
                        : wrong_usage(self, "%s: not an action; it is build, check, show or convert", args->operand);
}

const command command_taxonomy = {
    .name = "taxonomy",
    .summary = "make, check, show and convert taxonomies",
    .usage = "build TABLE --column A METHOD | check FILE | show FILE | convert FILE [OPTION]...",
    .description =
        "build makes a taxonomy from the values of a column of TABLE, by one of the methods --widths, --frequencies, "
        "--dates, --mask, --prefixes and --rare. check counts what is wrong or odd in FILE, with the first line of each "
        "kind, and with --table what the taxonomy lacks; the exit status is 1 where it cannot be used. With --schema the "
        "texts that mean 'no value' are those of the schema, and FILE may be left out: it is then what the schema names "
        "for the column. show prints a tree, "
        "with --table the records of each node. convert writes FILE in another form. FILE is a CSV as ARX writes it, a CSV "
        "with the header node,parent, or by its ending indented text (.txt), YAML or JSON.",
    .operand = "ACTION",
    .second = "FILE",
    .second_optional = true,
    .in = IN_TAXONOMY,
    .examples = examples,
    .run = run,
};
