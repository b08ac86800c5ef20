/* One line on a terminal, overwritten at most ten times a second, and the signal that was caught. The signal handler
 * only sets a flag; the next tick passes it on to the library. */
#include "progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SHOW_AFTER 1.0
#define SHOW_EVERY 0.1

static volatile sig_atomic_t caught;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_begin(progress *out, bool quiet)
{
    double now = seconds_now();
    *out = (progress){.wanted = !quiet && isatty(STDERR_FILENO), .begin = now, .stage_begin = now, .last = now};
}

double progress_seconds(const progress *show)
{
    return seconds_now() - show->begin;
}

/* Rounded: the estimate is not more exact than that. */
static void format_duration(char *buffer, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(buffer, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(buffer, size, "%.0f min", seconds / 60);
    else
        snprintf(buffer, size, "%.1f h", seconds / 3600);
}

/* The new line overwrites the old one, with spaces over what is left of it. */
static void show_line(progress *show, const char *line)
{
    int width = (int)strlen(line);
    int rest = show->width > width ? show->width - width : 0;
    fprintf(stderr, "\r%s%*s", line, rest, "");
    fflush(stderr);
    show->width = width;
}

/* The tick of all library calls: stops after a signal, and shows stage, share and time left. SIGINT during work that
 * can end early asks for what has been found so far; a second one stops it. */
int progress_tick(const kanon_progress *now, void *payload)
{
    progress *show = payload;
    double time = seconds_now();
    if (caught == SIGINT && now->can_finish) {
        caught = 0;
        signals_catch();
        progress_end(show);
        fputs("kanon: stopping with the best result so far, which takes a moment; Ctrl-C again to write nothing\n", stderr);
        return KANON_TICK_FINISH;
    }
    if (caught != 0)
        return 1;
    if (show->stage == NULL || strcmp(show->stage, now->stage) != 0) {
        show->stage = now->stage;
        show->stage_begin = time;
    }
    if (!show->wanted || time - show->begin < SHOW_AFTER || time - show->last < SHOW_EVERY)
        return 0;
    show->last = time;

    char line[120], duration[24];
    double spent = time - show->stage_begin;
    if (now->total <= 0 || now->done <= 0) {
        snprintf(line, sizeof line, "kanon: %.32s", now->stage);
    } else {
        double share = (double)now->done / (double)now->total;
        share = share > 1 ? 1 : share;
        format_duration(duration, sizeof duration, spent / share - spent);
        snprintf(line, sizeof line, "kanon: %.32s %.0f %%, %s left%s%.40s", now->stage, 100 * share, duration,
                 now->detail != NULL ? ", " : "", now->detail != NULL ? now->detail : "");
    }
    show_line(show, line);
    return 0;
}

void progress_end(progress *show)
{
    if (show->width > 0) {
        show_line(show, "");
        fputc('\r', stderr);
    }
    show->width = 0;
}

/* Only sets a flag; the next tick acts on it. */
static void on_signal(int signal_number)
{
    caught = signal_number;
}

void signals_catch(void)
{
    struct sigaction stop = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}; /* the second one is not caught */
    struct sigaction old;
    if (caught != 0)
        return;
    sigemptyset(&stop.sa_mask);
    int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        /* background work begins with SIGINT ignored, under nohup SIGHUP is, and it stays so */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &stop, NULL);
    }
}

/* Reading standard input or a pipe can block for ever, so a signal then ends the program as usual. */
void signals_catch_reading(const char *path)
{
    struct stat file;
    if (strcmp(path, "-") != 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode))
        signals_catch();
}

int signals_caught(void)
{
    return (int)caught;
}

/* Ends by the signal itself, so that a shell sees why. */
void signals_die(void)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};
    sigemptyset(&normal.sa_mask);
    sigaction((int)caught, &normal, NULL);
    raise((int)caught);
}
