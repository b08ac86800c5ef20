/* kanon init: proposes a schema for a table. The schema goes to standard output or to a file; what was decided is summed up
 * on standard error.
 * Run by main.c; calls the library and progress.c. */
#include "paths.h"
#include "progress.h"

#include <string.h>

static const char *const examples[] = {
    "kanon init patients.csv -o patients.yaml",
    "kanon anonymize patients.csv -s patients.yaml -o release.csv",
    NULL,
};

/* On standard error: how many columns have which role, and what to do next. */
static void print_summary(const kanon_proposal *p, const arguments *args)
{
    size_t counts[4] = {0};
    for (size_t i = 0; i < p->n_columns; i++)
        counts[p->columns[i]->role]++;
    say("%lld records, %zu columns: %zu quasi, %zu sensitive, %zu insensitive, %zu withheld", (long long)p->records,
        p->n_columns, counts[KANON_ROLE_QUASI], counts[KANON_ROLE_SENSITIVE], counts[KANON_ROLE_INSENSITIVE],
        counts[KANON_ROLE_IDENTIFYING]);
    if (p->entity != NULL)
        say("entity: %s says whose record each row is; groups will hold k persons", shown(p->entity));
    for (size_t i = 0; i < p->n_notes; i++)
        say("warning: %s", p->notes[i]);
    if (args->release != NULL && !is_standard(args->release))
        say("read %s, then: kanon anonymize %s -s %s -o RELEASE", args->release, shown(args->operand), args->release);
}

static int run(const command *self, const arguments *args)
{
    kanon_proposal *proposal = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    progress show;
    progress_begin(&show, args->quiet);
    kanon_propose_options proposing = {
        .struct_size = sizeof proposing,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = &show,
        .schema = KANON_TO_PATH(args->release != NULL ? args->release : "-"),
    };
    signals_catch();
    const kanon_input input = table_at(args->operand, args);
    kanon_status st = kanon_propose(&proposal, &input, &proposing, &err);
    progress_end(&show);
    if (st == KANON_OK && !args->quiet)
        print_summary(proposal, args);
    kanon_proposal_free(proposal);
    return st == KANON_OK ? EXIT_DONE : failed(self, &err);
}

const command command_init = {
    .name = "init",
    .summary = "propose a schema for a table",
    .usage = "TABLE [-o SCHEMA] [OPTION]...",
    .description =
        "Reads TABLE (CSV, Parquet, FILE.db#TABLE or adbc:...; -: standard input) and proposes a schema that runs as it is, "
        "with a reason behind each "
        "line: roles and types of the columns, texts that mean \"no value\", masks and bands, columns that say the "
        "same, whose record each row is, and k. Columns are known by their names, in English, German, French "
        "and Spanish, and by the form of their values. A column of which nothing is known is withheld.",
    .operand = "TABLE",
    .in = IN_INIT,
    .examples = examples,
    .run = run,
};
