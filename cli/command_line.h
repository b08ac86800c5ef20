/* The parser backwards: the command line that stands for given arguments. The report of a release shows it, so that the
 * release can be made again. */
#ifndef KANON_CLI_COMMAND_LINE_H
#define KANON_CLI_COMMAND_LINE_H

#include "command.h"

/* "kanon NAME OPERAND... OPTION...", quoted for a POSIX shell, to be freed with free; NULL: out of memory. Left out are
 * options that have their default, but for the seed, and those that do not change the release. */
char *command_line(const command *self, const arguments *args);

#endif
