/* See engine_process.h. A request is a line of JSON; the answer is {"answer": ...}, after lines {"progress": ...}. The
 * child has nothing of the parent but the channel, and ends with it. */
#define _GNU_SOURCE
#include "serve/engine_process.h"

#include "engine/bridge.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { SAY_EVERY_MS = 60, STOP_WITH_BEST = 2, STOP_AT_ONCE = 1 };

typedef struct conversation {
    int channel;
    pthread_mutex_t lock; /* ticks come from any thread, one at a time */
    int64_t said;
    char stage[64];
    int stop;
} conversation;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Writes a line. Where the parent is gone, there is nobody to work for. */
static void say_json(int channel, json_t *line)
{
    char *text = line != NULL ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    if (text == NULL)
        _exit(1);
    size_t length = strlen(text);
    text[length++] = '\n';
    for (size_t done = 0; done < length;) {
        ssize_t n = write(channel, text + done, length - done);
        if (n <= 0)
            _exit(1);
        done += (size_t)n;
    }
    free(text);
}

/* Whether the parent said something while the child works: only to finish, or that it is gone. */
static void listen_for_stop(conversation *self)
{
    struct pollfd channel = {.fd = self->channel, .events = POLLIN};
    char word;
    if (poll(&channel, 1, 0) <= 0)
        return;
    ssize_t n = read(self->channel, &word, 1);
    if (n == 1 && word == ENGINE_FINISH)
        self->stop = STOP_WITH_BEST;
    else if (n <= 0)
        self->stop = STOP_AT_ONCE;
}

static int tick(const kanon_progress *now, void *payload)
{
    conversation *self = payload;
    pthread_mutex_lock(&self->lock);
    int64_t time = now_ms();
    if (time - self->said >= SAY_EVERY_MS || strncmp(now->stage, self->stage, sizeof self->stage - 1) != 0) {
        self->said = time;
        snprintf(self->stage, sizeof self->stage, "%s", now->stage);
        json_t *detail = now->detail != NULL ? json_string(now->detail) : json_null();
        say_json(self->channel,
                 json_pack("{s:{s:s, s:f, s:f, s:o, s:b}}", "progress", "stage", now->stage, "done", (double)now->done,
                           "total", (double)now->total, "detail", detail, "canFinish", now->can_finish));
        if (self->stop == 0)
            listen_for_stop(self);
    }
    int stop = self->stop == STOP_WITH_BEST && !now->can_finish ? 0 : self->stop;
    pthread_mutex_unlock(&self->lock);
    return stop;
}

/* Nothing of the parent's connections stays open here, and Ctrl-C is the parent's. */
static void leave_parent(int channel)
{
    for (int fd = 3; fd < 1024; fd++)
        if (fd != channel)
            close(fd);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(nothing, 2);
    }
    umask(077); /* what is written here is for the visitor alone */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

_Noreturn void engine_process(int channel, const char *folder, int threads)
{
    leave_parent(channel);
    FILE *in = fdopen(dup(channel), "r");
    if (in == NULL || chdir(folder) != 0)
        _exit(1);
    setvbuf(in, NULL, _IONBF, 0); /* what follows a request is for the tick */
    conversation parent = {.channel = channel, .lock = PTHREAD_MUTEX_INITIALIZER};
    bridge engine = {
        .context = {.struct_size = sizeof(kanon_context), .threads = threads, .temporary = "."},
        .tick = tick,
        .payload = &parent,
    };
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, in) > 0) {
        if (line[0] == ENGINE_FINISH || line[0] == '\n') /* came after the answer, or was read by the tick */
            continue;
        parent.stop = 0;
        parent.stage[0] = '\0';
        json_t *request = json_loads(line, 0, NULL);
        json_t *answer = bridge_answer(&engine, request);
        json_decref(request);
        say_json(channel, json_pack("{s:o}", "answer", answer != NULL ? answer : json_null()));
    }
    _exit(0);
}
