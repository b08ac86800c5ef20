/* The exit status, on which scripts rely, and which one each kanon_status becomes. README.md lists them for users.
 * Included by all commands through command.h. */
#ifndef KANON_CLI_EXIT_H
#define KANON_CLI_EXIT_H

#include <kanon.h>

enum {
    EXIT_DONE = 0,
    EXIT_UNMET = 1,  /* the requirement is not met, or no grouping can meet it */
    EXIT_USAGE = 2,  /* wrong usage */
    EXIT_INPUT = 3,  /* bad input */
    EXIT_SYSTEM = 4, /* file, memory or disk failed, a check failed, or it was cancelled */
    EXIT_COUNT
};

static inline int exit_of(kanon_status status)
{
    switch (status) {
    case KANON_OK:
        return EXIT_DONE;
    case KANON_EINFEASIBLE:
        return EXIT_UNMET;
    case KANON_EINVAL:
        return EXIT_USAGE;
    case KANON_EDATA:
        return EXIT_INPUT;
    case KANON_ENOMEM:
    case KANON_EIO:
    case KANON_ECANCELLED:
    case KANON_EVERSION:
    case KANON_EINTERNAL:
        break;
    }
    return EXIT_SYSTEM;
}

#endif
