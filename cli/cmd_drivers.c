/* kanon drivers: which drivers for Parquet files and databases are here, and how to get the others. The list is that of the
 * library.
 * Run by main.c; calls the library. */
#include "command.h"
#include "terminal.h"

#include <string.h>

static const char *const examples[] = {
    "kanon drivers",
    "KANON_DRIVER_PATH=/opt/drivers kanon drivers",
    NULL,
};

/* One paragraph for each: what it reaches, and where it is or how to get it. */
static void print_driver(const kanon_entry *driver, bool *missing)
{
    enum { INDENT = 4 };
    char path[4096], line[4608];
    bool found = kanon_driver_find(path, sizeof path, driver->name) > 0;
    terminal_style(stdout, STYLE_HEADING);
    fputs(driver->name, stdout);
    terminal_style(stdout, STYLE_PLAIN);
    printf(" - %s\n%*s", driver->brief, INDENT, "");
    snprintf(line, sizeof line, found ? "found: %s" : "not here: %s", found ? path : driver->more);
    print_wrapped(stdout, line, INDENT, INDENT);
    *missing = *missing || !found;
}

static int run(const command *self, const arguments *args)
{
    bool missing = false;
    (void)self, (void)args;
    for (size_t i = 0; i < kanon_catalogue_count(KANON_CATALOGUE_DRIVER); i++)
        print_driver(kanon_catalogue_at(KANON_CATALOGUE_DRIVER, i), &missing);
    if (kanon_catalogue_count(KANON_CATALOGUE_DRIVER) == 0)
        say("this build has no drivers");
    if (missing)
        print_wrapped(stdout,
                      "Drivers are looked for in the folders of KANON_DRIVER_PATH and ADBC_DRIVER_PATH, where the system "
                      "has "
                      "its libraries, and in the Python packages of VIRTUAL_ENV, CONDA_PREFIX and the user.",
                      0, 0);
    return EXIT_DONE;
}

const command command_drivers = {
    .name = "drivers",
    .summary = "list the drivers for Parquet files and databases",
    .usage = "",
    .description = "Lists what TABLE can be besides CSV, which driver each needs, and whether it is here. A driver is a "
                   "library that is loaded when it is needed; CSV files and tables of SQLite files need none.",
    .in = IN_OTHERS,
    .examples = examples,
    .run = run,
};
