/* The table of options for programs: what scripts/check-options, scripts/make-docs and scripts/make-hosts read. */
#ifndef KANON_CLI_PRINT_OPTIONS_H
#define KANON_CLI_PRINT_OPTIONS_H

/* Every row of options/options.def as an object of a JSON array, one line each, on standard output. */
void print_options(void);

#endif
