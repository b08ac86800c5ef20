/* What kanon init would propose for a table about which nothing was said. */
#ifndef KANON_CLI_PRINT_PROPOSAL_H
#define KANON_CLI_PRINT_PROPOSAL_H

#include "options.h"

/* On standard error: the roles in one line, and the commands that use them. Nothing where the table cannot be read, or is
 * not a file that can be read again: the usage error has been printed already. */
void print_proposal(const arguments *args);

#endif
