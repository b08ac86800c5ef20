/* See terminal.h. The convention of NO_COLOR (no-color.org): any value but the empty one switches colours off. */
#define _DEFAULT_SOURCE /* TIOCGWINSZ */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 40, USUAL = 80, WIDEST = 120 };

int terminal_width(FILE *file)
{
    struct winsize size;
    int fd = fileno(file);
    if (fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL;
    return size.ws_col < NARROWEST ? NARROWEST : size.ws_col > WIDEST ? WIDEST : (int)size.ws_col;
}

static bool has_colours(FILE *file)
{
    const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
    int fd = fileno(file);
    return fd >= 0 && isatty(fd) && (refused == NULL || *refused == '\0') && kind != NULL && *kind != '\0' &&
           strcmp(kind, "dumb") != 0;
}

void terminal_style(FILE *file, style next)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "\x1b[0m",      [STYLE_HEADING] = "\x1b[1m", [STYLE_GOOD] = "\x1b[32m",
        [STYLE_WARNING] = "\x1b[1;33m", [STYLE_BAD] = "\x1b[1;31m",
    };
    if (has_colours(file))
        fputs(codes[next], file);
}
