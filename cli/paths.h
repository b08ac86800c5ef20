/* Where a command reads and writes: outputs in one place, or over an input, are wrong usage before anything is read. */
#ifndef KANON_CLI_PATHS_H
#define KANON_CLI_PATHS_H

#include "command.h"

/* The files of a command; NULL where one is not given. */
typedef struct command_paths {
    const char *const *outputs;
    int n_outputs;
    const char *const *inputs;
    int n_inputs;
    const char *state; /* it and the files that belong to it, such as STATE-journal, are nobody's output */
} command_paths;

/* A location as it may be shown: of adbc:... the driver and the table, since the rest may hold passwords. Valid until the
 * call after the next one. */
const char *shown(const char *location);
/* Whether the location is one of a driver, adbc:..., and no file. */
bool is_driver(const char *location);
/* Whether the path is "-", standard input or output. */
bool is_standard(const char *path);
/* Whether the path is a file that says of itself that it is a state. */
bool is_state(const char *path);
/* Wrong usage where an output is named twice, or is an input, or belongs to the state, also by way of links: outputs in one
 * place would overwrite each other, or what is still being read. */
int check_paths(const command *self, const command_paths *paths);
/* The same of the outputs and the files that a schema names. */
int check_schema_paths(const command *self, const command_paths *paths, const kanon_schema *schema);
/* Before the work, which may take minutes: whether each output can be written. */
int check_places(const command_paths *paths);

#endif
