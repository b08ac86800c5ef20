#include "reference/random_table.h"

#include "reference/reference.h"
#include "table/value/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_COLUMNS = 8,
    MAX_NODES = 16,
    MAX_DEPTH = 4,
    CELL = 24,
    TABLE_STREAM = 77 /* the tables' own random numbers */
};

typedef enum kind { INTEGER, DECIMAL, DATE, FLAT, TREE, MASK, N_KINDS } kind;

typedef struct column_plan {
    kind kind;
    const char *role;
    const char *weight; /* NULL: none said */
    int64_t min, n_values;
    int scale; /* decimals */
    int missing_percent;
    /* TREE: node 0 is the root */
    int n_nodes, parent[MAX_NODES];
    bool inlined;
    bool mask_left;
    char bands[96]; /* keys of the schema; empty: none */
    int below_least, above_most; /* INTEGER: as levels, so many of which nobody uses; -1: as numbers */
} column_plan;

typedef struct table_plan {
    kanon__random random;
    int n_rows, n_columns;
    column_plan columns[MAX_COLUMNS];
    char (*cells)[MAX_COLUMNS][CELL];
    char directory[64];
} table_plan;

static int below(table_plan *plan, int n)
{
    return (int)kanon__random_below(&plan->random, n);
}

static bool one_in(table_plan *plan, int n)
{
    return below(plan, n) == 0;
}

/* ---- what the columns are ---------------------------------------------------------------------------------------- */

static int depth_of(const column_plan *column, int node)
{
    int depth = 0;
    for (; node != 0; node = column->parent[node])
        depth++;
    return depth;
}

static bool is_leaf(const column_plan *column, int node)
{
    for (int i = 1; i < column->n_nodes; i++)
        if (column->parent[i] == node)
            return false;
    return true;
}

static void plan_tree(table_plan *plan, column_plan *column)
{
    column->n_nodes = 3 + below(plan, MAX_NODES - 3);
    for (int i = 1; i < column->n_nodes; i++) {
        do {
            column->parent[i] = below(plan, i);
        } while (depth_of(column, column->parent[i]) >= MAX_DEPTH);
    }
    column->inlined = one_in(plan, 2);
}

static void plan_values(table_plan *plan, column_plan *column, bool wide)
{
    static const int most[N_KINDS] = {[INTEGER] = 12, [DECIMAL] = 30, [DATE] = 40, [FLAT] = 6, [TREE] = 1, [MASK] = 12};
    column->n_values = 1 + below(plan, most[column->kind]);
    if (wide && (column->kind == INTEGER || column->kind == DECIMAL))
        column->n_values = 100000 + below(plan, 1000000);
    if (one_in(plan, 10))
        column->n_values = 1;
    column->min = below(plan, 40) - 20;
    column->scale = 1 + below(plan, 2);
    column->mask_left = one_in(plan, 2);
    if (one_in(plan, 4))
        column->missing_percent = one_in(plan, 8) ? 100 : 5 + below(plan, 40);
    if (column->kind == TREE)
        plan_tree(plan, column);
}

static void plan_columns(table_plan *plan)
{
    static const char *const weights[] = {"1", "2", "0.5", "3"};
    static const kind sensitive_kinds[] = {FLAT, TREE, INTEGER, DECIMAL};
    int n_quasi = 1 + below(plan, 4), n_sensitive = below(plan, 3);
    bool weighted = one_in(plan, 3), wide = one_in(plan, 6);
    plan->n_columns = n_quasi + n_sensitive + one_in(plan, 4);
    for (int i = 0; i < plan->n_columns; i++) {
        column_plan *column = &plan->columns[i];
        /* every column is drawn from what is left to place, so roles come in any order */
        int left = plan->n_columns - i, drawn = below(plan, left);
        if (drawn < n_quasi) {
            n_quasi--;
            column->role = "quasi";
            column->kind = (kind)below(plan, N_KINDS);
        } else if (drawn < n_quasi + n_sensitive) {
            n_sensitive--;
            column->role = "sensitive";
            column->kind = sensitive_kinds[below(plan, 4)];
        } else {
            column->role = "insensitive";
            column->kind = FLAT;
        }
        plan_values(plan, column, wide && column->role[0] == 'q');
        if (weighted && column->role[0] != 'i')
            column->weight = weights[below(plan, 4)];
    }
}

static void write_decimal(int64_t steps, int scale, char *cell);

/* An end for bands, near the values of the column: `step` is counted from the least of them. */
static void write_end(const column_plan *column, int64_t step, char text[CELL])
{
    char number[KANON__NUMBER_TEXT];
    if (column->kind == DATE) {
        kanon__format_date(number, 18300 + column->min + step);
        snprintf(text, CELL, "%.*s", CELL - 1, number);
    } else if (column->kind == DECIMAL) {
        write_decimal(column->min + step, column->scale, text);
    } else {
        snprintf(text, CELL, "%d", (int)(column->min + step));
    }
}

static void plan_bands(table_plan *plan, column_plan *column)
{
    static const char *const units[] = {"week", "month", "quarter", "year", "decade"};
    char ends[3][CELL], *at = column->bands;
    int n = (int)column->n_values, form = below(plan, 4);
    if (column->kind > DATE || column->role[0] != 'q' || one_in(plan, 4) || column->below_least >= 0)
        return;
    int middle = below(plan, n + 1);
    write_end(column, below(plan, n + 1) - n, ends[0]);
    write_end(column, middle + 1, ends[1]);
    write_end(column, middle + 2 + below(plan, n), ends[2]);
    if (form == 0)
        at += sprintf(at, ", bands: [%s, %s, %s]", ends[0], ends[1], ends[2]);
    else if (form == 1 && column->kind == DATE)
        at += sprintf(at, ", bands: %s", units[below(plan, 5)]);
    else if (form < 3)
        at += sprintf(at, ", bands: %d%s", 1 + below(plan, n / 3 + 2), column->kind == DECIMAL && n < 100 ? "e-1" : "");
    if (form == 3 || one_in(plan, 3))
        at += sprintf(at, ", bottom: %s", ends[0]);
    if (form == 3 || one_in(plan, 3))
        sprintf(at, ", top: %s", ends[1 + below(plan, 2)]);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void write_tree_value(table_plan *plan, const column_plan *column, char *cell)
{
    int node;
    do {
        node = below(plan, column->n_nodes);
    } while (!is_leaf(column, node));
    snprintf(cell, CELL, "n%d", node);
}

static void write_decimal(int64_t steps, int scale, char *cell)
{
    int64_t unit = scale == 1 ? 10 : 100, size = steps < 0 ? -steps : steps;
    snprintf(cell, CELL, "%s%d.%0*d", steps < 0 ? "-" : "", (int)(size / unit), scale, (int)(size % unit));
}

static void write_cell(table_plan *plan, const column_plan *column, char *cell)
{
    char number[KANON__NUMBER_TEXT];
    int64_t value = column->min + below(plan, (int)column->n_values);
    if (below(plan, 100) < column->missing_percent) {
        strcpy(cell, "?");
        return;
    }
    switch (column->kind) {
    case INTEGER:
        snprintf(cell, CELL, "%d", (int)value);
        break;
    case DECIMAL:
        write_decimal(value, column->scale, cell);
        break;
    case DATE:
        kanon__format_date(number, 18300 + value);
        snprintf(cell, CELL, "%.*s", CELL - 1, number);
        break;
    case TREE:
        write_tree_value(plan, column, cell);
        break;
    case MASK: /* digits of which many share their beginning or end, some shorter */
        snprintf(cell, CELL, "%d", (int)(4100 + (value + 20) * 37 % 400) / (value % 7 == 3 ? 10 : 1));
        break;
    default:
        snprintf(cell, CELL, "v%d", (int)value + 20);
        break;
    }
}

static void fill_cells(table_plan *plan)
{
    int duplicates_percent = one_in(plan, 3) ? below(plan, 70) : 0;
    for (int row = 0; row < plan->n_rows; row++) {
        if (row > 0 && below(plan, 100) < duplicates_percent) {
            memcpy(plan->cells[row], plan->cells[below(plan, row)], sizeof plan->cells[row]);
            continue;
        }
        for (int i = 0; i < plan->n_columns; i++)
            write_cell(plan, &plan->columns[i], plan->cells[row][i]);
    }
}

/* Some columns of few whole numbers are levels instead. Nothing is drawn for it, so that the other columns stay what they
 * are. */
static void plan_levels(table_plan *plan, uint64_t seed)
{
    for (int i = 0; i < plan->n_columns; i++) {
        column_plan *column = &plan->columns[i];
        uint64_t bits = (seed + 7 * (uint64_t)i) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
        bool are_levels = column->kind == INTEGER && column->n_values <= 12 && bits % 3 == 0;
        column->below_least = are_levels ? (int)(bits / 3 % 2) : -1;
        column->above_most = are_levels ? (int)(bits / 6 % 3) : -1;
    }
}

/* "type: ordinal, order: [...]" */
static void write_levels(FILE *file, const column_plan *column)
{
    fputs("ordinal, order: [", file);
    for (int64_t i = -column->below_least; i < column->n_values + column->above_most; i++)
        fprintf(file, "%s\"%d\"", i > -column->below_least ? ", " : "", (int)(column->min + i));
    fputs("]", file);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "table for a test: %s: %s\n", what, why);
    abort();
}

static void make_directory(char directory[64])
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || strlen(parent) > 30)
        parent = "/tmp";
    snprintf(directory, 64, "%s/kanon-reference-XXXXXX", parent);
    if (mkdtemp(directory) == NULL)
        fail(directory, "cannot be made");
}

static void path_in(char path[128], const char *directory, const char *name)
{
    snprintf(path, 128, "%s/%s", directory, name);
}

static FILE *create(const char *directory, const char *name)
{
    char path[128];
    path_in(path, directory, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        fail(path, "cannot be written");
    return file;
}

static void close_file(FILE *file)
{
    if (fclose(file) != 0)
        fail("a file", "cannot be written");
}

/* The node's children as a flow mapping; trees are at most MAX_DEPTH deep. */
static void write_inline(FILE *file, const column_plan *column, int node)
{
    const char *between = "{";
    for (int i = 1; i < column->n_nodes; i++) {
        if (column->parent[i] != node)
            continue;
        fprintf(file, "%sn%d: ", between, i);
        if (!is_leaf(column, i))
            write_inline(file, column, i);
        between = ", ";
    }
    fputs("}", file);
}

static void write_taxonomy_file(const table_plan *plan, int i)
{
    const column_plan *column = &plan->columns[i];
    char name[32];
    snprintf(name, sizeof name, "taxonomy%d.csv", i);
    FILE *file = create(plan->directory, name);
    for (int leaf = 1; leaf < column->n_nodes; leaf++) {
        if (!is_leaf(column, leaf))
            continue;
        for (int node = leaf; node != 0; node = column->parent[node])
            fprintf(file, "n%d;", node);
        fputs("all\n", file);
    }
    close_file(file);
}

static void write_schema(const table_plan *plan)
{
    static const char *const types[N_KINDS] = {"integer", "decimal", "date", "categorical", "categorical", "categorical"};
    FILE *file = create(plan->directory, "schema.yaml");
    fputs("missing: [\"?\"]\nattributes:\n", file);
    for (int i = 0; i < plan->n_columns; i++) {
        const column_plan *column = &plan->columns[i];
        fprintf(file, "  c%d: {role: %s, type: ", i, column->role);
        if (column->below_least >= 0)
            write_levels(file, column);
        else
            fputs(types[column->kind], file);
        if (column->weight != NULL)
            fprintf(file, ", weight: %s", column->weight);
        if (column->kind == MASK)
            fprintf(file, ", mask: %s", column->mask_left ? "left" : "right");
        if (column->kind == TREE && column->inlined) {
            fputs(", taxonomy: ", file);
            write_inline(file, column, 0);
        } else if (column->kind == TREE) {
            fprintf(file, ", taxonomy: taxonomy%d.csv", i);
            write_taxonomy_file(plan, i);
        }
        fprintf(file, "%s}\n", column->bands);
    }
    close_file(file);
}

static void write_rows(const table_plan *plan)
{
    FILE *file = create(plan->directory, "table.csv");
    for (int i = 0; i < plan->n_columns; i++)
        fprintf(file, "%sc%d", i > 0 ? "," : "", i);
    for (int row = 0; row < plan->n_rows; row++)
        for (int i = 0; i < plan->n_columns; i++)
            fprintf(file, "%s%s", i > 0 ? "," : "\n", plan->cells[row][i]);
    fputs("\n", file);
    close_file(file);
}

/* Without a seed (0) the table was not drawn. */
static kanon_table *read_table(const char *directory, uint64_t seed)
{
    char schema_path[128], table_path[128];
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    path_in(schema_path, directory, "schema.yaml");
    path_in(table_path, directory, "table.csv");
    const kanon_input input = {.struct_size = sizeof input, .location = table_path, .delimiter = ","};
    if (kanon_schema_read(&schema, KANON_PATH(schema_path), NULL, &err) != KANON_OK ||
        kanon_table_read(&table, &input, schema, NULL, &err) != KANON_OK) {
        fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
        fail(err.message, err.hint);
    }
    kanon_schema_free(schema);
    return table;
}

static void remove_directory(const char *directory)
{
    char path[128], name[32];
    path_in(path, directory, "schema.yaml");
    unlink(path);
    path_in(path, directory, "table.csv");
    unlink(path);
    for (int i = 0; i < MAX_COLUMNS; i++) {
        snprintf(name, sizeof name, "taxonomy%d.csv", i);
        path_in(path, directory, name);
        unlink(path);
    }
    rmdir(directory);
}

enum { USUAL_ROWS = 60 };

/* The plan and its files, in a directory of their own. */
static table_plan write_random_table(random_table *random, uint64_t seed, int most_rows, int n_rows, int64_t k, bool banded)
{
    table_plan plan = {.n_rows = 0};
    *random = (random_table){.seed = seed};
    kanon__random_init(&plan.random, seed, TABLE_STREAM);
    random->k = 2 + below(&plan, 5);
    plan.n_rows = 1 + below(&plan, most_rows);
    if (n_rows > 0) {
        random->k = k;
        plan.n_rows = n_rows;
    }
    plan.cells = ref_alloc((size_t)plan.n_rows, sizeof *plan.cells);
    plan_columns(&plan);
    fill_cells(&plan);
    plan_levels(&plan, seed);
    for (int i = 0; banded && i < plan.n_columns; i++) /* last, so that the cells do not depend on it */
        plan_bands(&plan, &plan.columns[i]);
    make_directory(plan.directory);
    write_schema(&plan);
    write_rows(&plan);
    return plan;
}

static random_table make_random_table(uint64_t seed, int most_rows, int n_rows, int64_t k, bool banded)
{
    random_table random;
    table_plan plan = write_random_table(&random, seed, most_rows, n_rows, k, banded);
    random.table = read_table(plan.directory, seed);
    remove_directory(plan.directory);
    free(plan.cells);
    return random;
}

random_table random_table_new(uint64_t seed)
{
    return make_random_table(seed, USUAL_ROWS, 0, 0, false);
}

random_table random_table_small(uint64_t seed, int most_rows)
{
    return make_random_table(seed, most_rows, 0, 0, false);
}

random_table random_table_sized(uint64_t seed, int n_rows, int64_t k)
{
    return make_random_table(seed, USUAL_ROWS, n_rows, k, false);
}

random_table random_table_banded(uint64_t seed)
{
    return make_random_table(seed, USUAL_ROWS, 0, 0, true);
}

void random_table_clear(random_table *random)
{
    kanon_table_free(random->table);
    random->table = NULL;
}

kanon_table *table_from_texts(const char *csv, const char *yaml)
{
    char directory[64];
    make_directory(directory);
    FILE *file = create(directory, "table.csv");
    fputs(csv, file);
    close_file(file);
    file = create(directory, "schema.yaml");
    fputs(yaml, file);
    close_file(file);
    kanon_table *table = read_table(directory, 0);
    remove_directory(directory);
    return table;
}
