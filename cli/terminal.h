/* What the program knows about the terminal that it prints on: its width, and whether colours are wanted. Colours are
 * used on terminals only, never where NO_COLOR is set or TERM is dumb, so that files and pipes hold plain text. */
#ifndef KANON_CLI_TERMINAL_H
#define KANON_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Columns: those of the terminal within reason, 80 where `file` is none. */
int terminal_width(FILE *file);

typedef enum style { STYLE_PLAIN = 0, STYLE_HEADING, STYLE_GOOD, STYLE_WARNING, STYLE_BAD } style;

/* What comes next on `file` has this style; nothing is printed where colours are not wanted. */
void terminal_style(FILE *file, style next);

#endif
