/* One line on a terminal, overwritten at most ten times a second, or a line every ten seconds, and the signal that was
 * caught. The signal handler only sets a flag; the next tick passes it on to the library. */
#include "progress.h"

#include "terminal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SHOW_AFTER 1.0
#define SHOW_EVERY 0.1
#define LOG_EVERY 10.0 /* where there is no terminal */

static volatile sig_atomic_t caught;
static volatile sig_atomic_t printing; /* results for a reader; no tick will come */

static double seconds_now(void)
{
    struct timespec now;
#ifdef KANON_TEST_HOOKS
    static double seconds; /* of a test that says when something happens: each look is a tick later (core/ticker.h) */
    if (getenv("KANON_TEST_AT_TICK") != NULL)
        return seconds += 0.031;
#endif
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_begin(progress *out, bool quiet)
{
    double now = seconds_now();
    *out = (progress){
        .wanted = !quiet, .terminal = isatty(STDERR_FILENO), .begin = now, .stage_begin = now, .last = now, .left = -1};
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

/* The new line overwrites the old one, with spaces over what is left of it; in a log it follows. */
static void show_line(progress *show, const char *line)
{
    if (!show->terminal) {
        fprintf(stderr, "%s\n", line);
        fflush(stderr);
        return;
    }
    int width = (int)strlen(line);
    int rest = show->width > width ? show->width - width : 0;
    fprintf(stderr, "\r%s%*s", line, rest, "");
    fflush(stderr);
    show->width = width;
}

/* Seconds until the stage is done. What was said once is never more later: as long as the work takes longer than was
 * thought, the number stays where it is. */
static double time_left(progress *show, double share, double spent)
{
    double estimate = spent / share - spent;
    if (show->left < 0 || estimate < show->left)
        show->left = estimate;
    return show->left;
}

/* "kanon: grouping [=====>    ]  52 %, 12 s left, DETAIL". Where the terminal is narrow, the detail goes first, then the
 * bar; a log has neither. */
static void format_share(char *line, size_t size, progress *show, const kanon_progress *now, double spent)
{
    enum { WIDEST_BAR = 30, LEAST_BAR = 8 };
    char bar[WIDEST_BAR + 1] = "", duration[24], detail[64] = "", share_text[16];
    double share = (double)now->done / (double)now->total;
    share = share > 1 ? 1 : share;
    format_duration(duration, sizeof duration, time_left(show, share, spent));
    snprintf(share_text, sizeof share_text, "%3.0f %%", 100 * share);
    if (now->detail != NULL)
        snprintf(detail, sizeof detail, ", %.40s", now->detail);
    size_t fixed = strlen("kanon:  [] ,  left") + strlen(now->stage) + strlen(share_text) + strlen(duration);
    /* a line that fills the last column would break */
    int room = show->terminal ? terminal_width(stderr) - 1 - (int)fixed : 0;
    if (room < LEAST_BAR + (int)strlen(detail))
        detail[0] = '\0';
    int bars = room - (int)strlen(detail);
    bars = bars > WIDEST_BAR ? WIDEST_BAR : bars;
    for (int i = 0; i < bars; i++)
        bar[i] = (char)(i < (int)(share * bars) ? '=' : i == (int)(share * bars) ? '>' : ' ');
    if (bars >= LEAST_BAR)
        snprintf(line, size, "kanon: %.32s [%s] %s, %s left%s", now->stage, bar, share_text, duration, detail);
    else
        snprintf(line, size, "kanon: %.32s %s, %s left", now->stage, share_text, duration);
}

/* The tick of all library calls: stops after a signal, and shows stage, share and time left. SIGINT during work that
 * can end early asks for what has been found so far; a second one stops it. */
int progress_tick(const kanon_progress *now, void *payload)
{
    progress *show = payload;
    double time = seconds_now();
    printing = 0;
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
        show->left = -1;
    }
    double after = show->terminal ? SHOW_AFTER : LOG_EVERY, every = show->terminal ? SHOW_EVERY : LOG_EVERY;
    if (!show->wanted || time - show->begin < after || time - show->last < every)
        return 0;
    show->last = time;

    char line[200];
    if (now->total <= 0 || now->done <= 0)
        snprintf(line, sizeof line, "kanon: %.32s", now->stage);
    else
        format_share(line, sizeof line, show, now, time - show->stage_begin);
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

void progress_end_to_print(progress *show)
{
    progress_end(show);
    printing = 1;
}

/* Only sets a flag; the next tick acts on it. Whoever waits for a reader of what is printed ends at once. */
static void on_signal(int signal_number)
{
    caught = signal_number;
    if (printing)
        raise(signal_number); /* which is not caught again: SA_RESETHAND */
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

kanon_input table_at(const char *location, const arguments *args)
{
    return (kanon_input){
        .struct_size = sizeof(kanon_input),
        .location = location,
        .delimiter = args->delimiter,
        .header = (kanon_header)args->header,
        .encoding = args->encoding,
    };
}

kanon_prove_options prove_options(const arguments *args, progress *show)
{
    return (kanon_prove_options){
        .struct_size = sizeof(kanon_prove_options), .threads = (int)args->threads, .tick = progress_tick, .payload = show};
}

kanon_read_options read_options(const arguments *args, progress *show)
{
    return (kanon_read_options){
        .struct_size = sizeof(kanon_read_options),
        .strict = args->strict,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = show,
    };
}
