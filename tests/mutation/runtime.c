/* Which mutant is awake (KANON_MUTANT), and which mutants a process reached (appended to the file KANON_MUTANT_HITS). */
#include "runtime.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

unsigned char kanon_mutant_reached[KANON_MUTANTS_MOST];

/* Written on first sight, since a process may end by a signal or _exit. */
static void tell(int number)
{
    const char *path = getenv("KANON_MUTANT_HITS");
    int file = path == NULL ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    char line[16];
    int length = snprintf(line, sizeof line, "%d\n", number);
    if (file >= 0 && write(file, line, (size_t)length) != length)
        abort();
    if (file >= 0)
        close(file);
}

int kanon_mutant_reach(int number)
{
    const char *text = getenv("KANON_MUTANT");
    tell(number);
    kanon_mutant_reached[number] = text != NULL && atoi(text) == number ? 2 : 1;
    return kanon_mutant_reached[number];
}
