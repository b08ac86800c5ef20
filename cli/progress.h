/* Progress and stopping. Progress is shown on standard error: on a terminal as one line, when the work lasts longer than a
 * second; elsewhere, such as in a log, as a line every ten seconds. Ctrl-C, SIGTERM and SIGHUP ask the work to stop. */
#ifndef KANON_CLI_PROGRESS_H
#define KANON_CLI_PROGRESS_H

#include "options.h"

#include <kanon.h>

#include <stdbool.h>

typedef struct progress {
    bool wanted, terminal;
    double begin, stage_begin, last; /* seconds */
    double left;                     /* seconds to the end of the stage, as shown; below 0: nothing was shown */
    const char *stage;               /* the one shown last */
    int width;                       /* of the line on the screen, 0: none */
} progress;

void progress_begin(progress *out, bool quiet);
/* A kanon_tick; the payload is the progress. */
int progress_tick(const kanon_progress *now, void *payload);
/* The table at a location, with what the options say of CSV. */
kanon_input table_at(const char *location, const arguments *args);
/* With progress: how the table is read, and how a proof is checked. */
kanon_prove_options prove_options(const arguments *args, progress *show);
kanon_read_options read_options(const arguments *args, progress *show);
/* Erase the line. */
void progress_end(progress *show);
/* The same of a command whose results are what it prints from now on: a signal ends it at once, whoever reads. Where
 * files are the result, they are there, and the exit status says so. */
void progress_end_to_print(progress *show);
/* Seconds since progress_begin. */
double progress_seconds(const progress *show);

/* From here on Ctrl-C and SIGTERM ask the work to stop; the second one ends the program at once. Work that can end at any
 * time is not stopped by the first Ctrl-C: the user is told that it ends with the best result so far, and that the next one
 * stops it with nothing written. */
void signals_catch(void);
/* The same where the file at `path` is a regular one. Reading anything else can wait without end and without a tick; as
 * long as nothing is half-written a signal may end that at once. */
void signals_catch_reading(const char *path);
/* The signal that came, 0: none. */
int signals_caught(void);
/* End the program by that signal, so that the shell sees why it ended. */
void signals_die(void);

#endif
