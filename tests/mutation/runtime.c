/* Which mutant is awake (KANON_MUTANT), and which mutants a process reached (appended to the file KANON_MUTANT_HITS). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 10000

static int awake = -1;
static unsigned char reached[MOST];

int kanon_mutant_awake(int number)
{
    if (awake < 0) {
        const char *text = getenv("KANON_MUTANT");
        awake = text == NULL ? 0 : atoi(text);
    }
    /* Written on first sight, since a process may end by a signal or _exit. */
    if (!reached[number]) {
        reached[number] = 1;
        const char *path = getenv("KANON_MUTANT_HITS");
        int file = path == NULL ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
        if (file >= 0) {
            char line[16];
            int length = snprintf(line, sizeof line, "%d\n", number);
            if (write(file, line, (size_t)length) != length)
                abort();
            close(file);
        }
    }
    return number == awake;
}
