/* kanon profile: the risk of a table before any work, and what k will cost. Tables for people on standard output, none wider
 * than 80 columns; the same as JSON with --report.
 * Run by main.c; calls the library and progress.c. */
#include "paths.h"
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const examples[] = {
    "kanon profile patients.csv -s patients.yaml",
    "kanon profile patients.csv --quasi age,zip,sex --report profile.json",
    NULL,
};

enum { LABEL = 20, NAME = 32, SETS_OF_A_SIZE = 3, LINE = 80 };

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void print_count(const char *label, int64_t value, const char *note)
{
    printf("%-*s %12" PRId64 "%s\n", LABEL, label, value, note);
}

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* A name in a column of `width` characters: cut, with a mark, or filled up. */
static void print_name(const char *name, int width)
{
    char cut[4 * NAME + 8];
    int used = 0;
    size_t n = 0;
    for (const char *c = name; *c != '\0' && n + 4 < sizeof cut; c++) {
        bool begins = ((unsigned char)*c & 0xc0) != 0x80;
        if (begins && used == width - 1 && c[1] != '\0') {
            cut[n++] = '~';
            used++;
            break;
        }
        used += begins;
        cut[n++] = *c;
    }
    cut[n] = '\0';
    print_clean(stdout, cut);
    printf("%*s", width > used ? width - used : 0, "");
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void print_classes(const kanon_profile *p)
{
    char note[64];
    print_count("records", p->records, "");
    if (p->has_entity)
        print_count("persons", p->persons, "");
    print_count("quasi-identifiers", (int64_t)p->n_attributes, "");
    print_count("classes", p->classes, "  records that agree in all of them");
    snprintf(note, sizeof note, "  to %" PRId64 ", %.3g on average", p->largest, p->average_class_size);
    print_count("class size", p->smallest, note);
    snprintf(note, sizeof note, "  %.1f %% of the records", percent(p->unique_records, p->records));
    print_count("unique records", p->unique_records, note);
    if (p->has_entity) {
        snprintf(note, sizeof note, "  %.1f %% of the persons", percent(p->unique_persons, p->persons));
        print_count("unique persons", p->unique_persons, note);
    }
    printf("%-*s %12.3g  on average, %.3g at most\n", LABEL, "risk", p->average_risk, p->highest_risk);
}

static const kanon_profile_cost *cost_of(const kanon_profile *p, int64_t k)
{
    for (size_t i = 0; i < p->n_costs; i++)
        if (p->costs[i]->k == k)
            return p->costs[i];
    return NULL;
}

static void print_cost(const kanon_profile_cost *cost)
{
    if (cost == NULL)
        return;
    if (isnan(cost->avg_loss))
        printf("  %8s", "none");
    else
        printf("  %8.3f  %8.3g", cost->avg_loss, cost->seconds);
}

/* One line for each k: what is below it now, and what it will cost. */
static void print_below(const kanon_profile *p)
{
    printf("\n%4s  %12s  %12s  %8s  %8s  %8s\n", "k", "classes", "records", "share", "loss", "seconds");
    printf("%4s  %12s  %12s  %8s  %8s\n", "", "below k", "below k", "%", "for k");
    for (size_t i = 0; i < p->n_below; i++) {
        const kanon_profile_below *b = p->below[i];
        printf("%4" PRId64 "  %12" PRId64 "  %12" PRId64 "  %8.1f", b->k, b->classes, b->records, 100 * b->share);
        print_cost(cost_of(p, b->k));
        putchar('\n');
    }
    for (size_t i = 0; i < p->n_costs; i++)
        if (p->costs[i]->k > p->below[p->n_below - 1]->k) {
            printf("%4" PRId64 "  %12s  %12s  %8s", p->costs[i]->k, "", "", "");
            print_cost(p->costs[i]);
            putchar('\n');
        }
    printf("\nloss: the average loss of a cell, from 0 to 1, estimated on %" PRId64 " records\n", p->sample_records);
}

static void print_attributes(const kanon_profile *p)
{
    const char *whom = p->has_entity ? "persons" : "records";
    printf("\n%-*s %8s %8s %12s %12s\n", NAME, "attribute", "values", "missing", "singles out", "without it");
    for (size_t i = 0; i < p->n_attributes; i++) {
        const kanon_profile_attribute *a = p->attributes[i];
        print_name(a->name, NAME);
        printf(" %8" PRId64 " %8" PRId64 " %12" PRId64 " %12" PRId64 "\n", a->distinct, a->missing, a->unique,
               a->unique_without);
    }
    printf("\nsingles out: %s by this attribute alone; without it: by all others together\n", whom);
}

/* The sets that single out most; of those with one attribute the table above says it. */
static void print_sets(const kanon_profile *p)
{
    int printed[4] = {0};
    bool first = true;
    for (size_t i = 0; i < p->n_sets; i++) {
        const kanon_column_set *s = p->sets[i];
        int room = (int)(LINE - 24) / (int)s->n_columns - 2;
        if (s->n_columns < 2 || s->n_columns > 3 || printed[s->n_columns]++ >= SETS_OF_A_SIZE)
            continue;
        if (first)
            printf("\n%12s %8s  %s\n", "singles out", "%", "attributes together");
        first = false;
        printf("%12" PRId64 " %8.1f  ", s->persons, 100 * s->share);
        for (size_t j = 0; j < s->n_columns; j++) {
            int length = (int)strlen(s->columns[j]);
            print_name(s->columns[j], length < room ? length : room);
            fputs(j + 1 < s->n_columns ? ", " : "\n", stdout);
        }
    }
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static kanon_status profile(kanon_schema *schema, const arguments *args, progress *show, kanon_error *err)
{
    kanon_table *table = NULL;
    kanon_profile *figures = NULL;
    kanon_read_options reading = read_options(args, show);
    kanon_profile_options profiling = {
        .struct_size = sizeof profiling,
        .threads = (int)args->threads,
        .seed = args->seed,
        .tick = progress_tick,
        .payload = show,
        .report = KANON_TO_PATH(args->report),
    };
    const kanon_input input = table_at(args->operand, args);
    kanon_status st = kanon_table_read(&table, &input, schema, &reading, err);
    if (st == KANON_OK)
        st = kanon_profile_table(&figures, table, &profiling, err);
    progress_end_to_print(show);
    if (st == KANON_OK)
        print_table_warnings(table, args->quiet);
    if (st == KANON_OK && (args->report == NULL || !is_standard(args->report))) {
        print_classes(figures);
        print_below(figures);
        print_attributes(figures);
        print_sets(figures);
    }
    kanon_profile_free(figures);
    kanon_table_free(table);
    return st;
}

static int run(const command *self, const arguments *args)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    progress show;
    if (!arguments_have_schema(args))
        return no_schema(self);
    progress_begin(&show, args->quiet);
    signals_catch();
    kanon_status st = arguments_schema(&schema, args, &err);
    if (st == KANON_OK)
        st = profile(schema, args, &show, &err);
    kanon_schema_free(schema);
    return st == KANON_OK ? EXIT_DONE : failed(self, &err);
}

const command command_profile = {
    .name = "profile",
    .summary = "show the risk of a table before any work, and what k will cost",
    .usage = "TABLE -s SCHEMA [--report FILE] [OPTION]...",
    .description =
        "Counts what the quasi-identifiers of TABLE (CSV, Parquet, FILE.db#TABLE or adbc:...; -: standard input) say about "
        "single persons: classes of records "
        "that agree in all of them, records in classes smaller than k for k from 2 to 20, and which attributes, pairs and "
        "triples single out most persons. Groups parts of the table to estimate the loss and the time for several k. With "
        "an entity, classes are counted in persons. No value of the table is printed.",
    .operand = "TABLE",
    .in = IN_PROFILE,
    .examples = examples,
    .run = run,
};
