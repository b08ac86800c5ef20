/* kanon sample: writes invented data to try the program out. Sample data is a matter of the program, so it is made in
 * cli/sample/ and not by the library.
 * Run by main.c; calls sample/hospital.c and progress.c. */
#include "command.h"
#include "progress.h"
#include "sample/hospital.h"

#include <string.h>

enum { DEFAULT_ROWS = 10000 };

static const char *const examples[] = {
    "kanon sample hospital --rows 10000 --seed 1 -o demo",
    "kanon anonymize demo/hospital.csv -s demo/hospital.yaml -k 10 -o release.csv",
    NULL,
};

/* Writes table, schema and taxonomies into a folder, which is named after the sample unless -o names one. */
static int run(const command *self, const arguments *args)
{
    kanon_error err = KANON_INIT(kanon_error);
    progress show;
    if (strcmp(args->operand, "hospital") != 0)
        return wrong_usage(self, "unknown sample %s; there is: hospital", args->operand);
    const char *dir = args->release != NULL ? args->release : args->operand;
    progress_begin(&show, args->quiet);
    signals_catch();
    int64_t n_rows = args->rows > 0 ? args->rows : DEFAULT_ROWS;
    kanon_status st = sample_hospital(dir, n_rows, args->seed, progress_tick, &show, &err);
    progress_end(&show);
    if (st != KANON_OK)
        return failed(self, &err);
    if (!args->quiet)
        say("wrote %s/hospital.csv, its schema %s/hospital.yaml and %s/taxonomies", dir, dir, dir);
    return EXIT_DONE;
}

const command command_sample = {
    .name = "sample",
    .summary = "make sample data to try things out",
    .usage = "hospital [--rows N] [--seed N] [-o DIR] [OPTION]...",
    .description = "Makes an invented patient table with its schema and taxonomies: hospital.csv, hospital.yaml, "
                   "taxonomies/. No record is of a real person.",
    .operand = "SAMPLE",
    .in = IN_SAMPLE,
    .examples = examples,
    .run = run,
};
