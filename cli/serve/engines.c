/* See engines.h. The parent writes a request when the engine is free, and collects lines as they come. */
#include "serve/engines.h"

#include "serve/engine_process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BAD_REQUEST = 400, NOT_FOUND = 404, CONFLICT = 409, UNAVAILABLE = 503, READ_SIZE = 64 * 1024 };

/* ---- processes --------------------------------------------------------------------------------------------------- */

static bool start_process(engine *e, const engines *self)
{
    char folder[VISIT_PATH];
    int pair[2];
    if (!visit_folder(self->files, folder, e->folder) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return false;
    if (pair[0] >= FD_SETSIZE) { /* the loop of the server could not wait for it */
        close(pair[0]);
        close(pair[1]);
        return false;
    }
    pid_t process = fork();
    if (process == 0)
        engine_process(pair[1], folder, self->threads);
    close(pair[1]);
    if (process < 0) {
        close(pair[0]);
        return false;
    }
    e->process = process;
    e->channel = pair[0];
    return true;
}

static void end_process(engine *e)
{
    if (e->process == 0)
        return;
    kill(e->process, SIGKILL);
    close(e->channel);
    while (waitpid(e->process, NULL, 0) < 0 && errno == EINTR)
        ;
    e->process = 0;
    e->length = 0;
}

static void forget_job(engine *e)
{
    json_decref(e->wanted);
    json_decref(e->progress);
    json_decref(e->answer);
    e->wanted = NULL;
    e->progress = NULL;
    e->answer = NULL;
    e->job = 0;
}

static void end_engine(engines *self, engine *e)
{
    end_process(e);
    forget_job(e);
    json_decref(e->files);
    free(e->text);
    visit_remove_folder(self->files, e->folder);
    *e = (engine){0};
}

/* The engine of that number; a new one where there is room. */
static engine *engine_of(engines *self, int64_t number)
{
    engine *unused = NULL;
    for (int i = 0; i < MOST_ENGINES; i++) {
        if (self->all[i].number == number)
            return &self->all[i];
        if (self->all[i].number == 0)
            unused = &self->all[i];
    }
    if (unused != NULL) {
        *unused = (engine){.number = number};
        snprintf(unused->folder, sizeof unused->folder, "engine-%" PRId64, number);
    }
    return unused;
}

static engine *engine_with(engines *self, int64_t job)
{
    for (int i = 0; i < MOST_ENGINES; i++)
        if (job > 0 && self->all[i].job == job)
            return &self->all[i];
    return NULL;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* Paths in a request are names in the engine's folder. */
static bool paths_are_good(const json_t *request)
{
    static const char *const fields[] = {"table",  "schema",         "taxonomy", "release", "groups",
                                         "report", "reportExternal", "codebook", "out",     "folder"};
    const json_t *outputs = json_object_get(request, "outputs");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *own = json_string_value(json_object_get(request, fields[i]));
        const char *output = json_string_value(json_object_get(outputs, fields[i]));
        if ((own != NULL && !visit_good_name(own)) || (output != NULL && !visit_good_name(output)))
            return false;
    }
    return json_is_object(request);
}

static bool wanted_are_good(const json_t *wanted)
{
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const char *name = json_string_value(json_array_get(wanted, i));
        if (name == NULL || !visit_good_name(name))
            return false;
    }
    return true;
}

/* The files of a request are what the folder has: those of the request before go. */
static bool put_files(engines *self, engine *e, json_t *files)
{
    const char *name;
    json_t *value;
    char path[VISIT_PATH];
    if (!visit_folder(self->files, path, e->folder))
        return false;
    json_object_foreach(e->files, name, value)
    {
        snprintf(path, sizeof path, "%s/%s/%s", self->files->folder, e->folder, name);
        unlink(path);
    }
    json_decref(e->files);
    e->files = json_object();
    json_object_foreach(files, name, value)
    {
        if (!json_is_integer(value) || !visit_link(self->files, json_integer_value(value), e->folder, name))
            return false;
        json_object_set(e->files, name, value);
    }
    return true;
}

static bool send_line(engine *e, const json_t *request)
{
    char *text = json_dumps(request, JSON_COMPACT);
    if (text == NULL)
        return false;
    size_t length = strlen(text), done = 0;
    text[length++] = '\n';
    while (done < length) {
        ssize_t n = send(e->channel, text + done, length - done, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    free(text);
    return done == length;
}

refusal engines_ask(engines *self, const json_t *order, int64_t *job)
{
    const json_t *request = json_object_get(order, "request");
    json_t *wanted = json_object_get(order, "wanted");
    int64_t number = json_integer_value(json_object_get(order, "engine"));
    if (number < 1 || !paths_are_good(request) || !wanted_are_good(wanted))
        return BAD_REQUEST;
    engine *e = engine_of(self, number);
    if (e == NULL)
        return UNAVAILABLE;
    if (e->job != 0 && e->answer == NULL)
        return CONFLICT;
    forget_job(e);
    if (!put_files(self, e, json_object_get(order, "files")))
        return BAD_REQUEST;
    if (e->process == 0 && !start_process(e, self))
        return UNAVAILABLE;
    if (!send_line(e, request)) {
        end_process(e);
        return UNAVAILABLE;
    }
    e->wanted = json_incref(wanted);
    e->job = *job = ++self->last_job;
    return 0;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static json_t *broken(void)
{
    return json_pack("{s:{s:s, s:s, s:s, s:n}}", "error", "code", "internal", "message", "the engine stopped", "hint",
                     "the table may need more memory than there is", "topic");
}

/* A whole line. The last progress is enough; the answer ends the job. */
static void take_line(engine *e, const char *text)
{
    json_t *line = json_loads(text, 0, NULL);
    json_t *progress = json_object_get(line, "progress"), *answer = json_object_get(line, "answer");
    if (progress != NULL) {
        json_decref(e->progress);
        e->progress = json_incref(progress);
    }
    /* Half a line is what an engine says whose memory ran out. */
    if ((line == NULL || answer != NULL) && e->answer == NULL)
        e->answer = json_is_object(answer) ? json_incref(answer) : broken();
    json_decref(line);
}

/* False: the engine is gone. */
static bool hear(engine *e)
{
    if (e->room < e->length + READ_SIZE + 1) {
        size_t room = 2 * (e->length + READ_SIZE + 1);
        char *text = realloc(e->text, room);
        if (text == NULL)
            return false;
        e->text = text;
        e->room = room;
    }
    ssize_t n = recv(e->channel, e->text + e->length, READ_SIZE, 0);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    char *line = e->text, *unseen = e->text + e->length, *end; /* what came before has no end of a line */
    e->length += (size_t)n;
    e->text[e->length] = '\0';
    while ((end = strchr(unseen, '\n')) != NULL) {
        *end = '\0';
        take_line(e, line);
        line = unseen = end + 1;
    }
    e->length -= (size_t)(line - e->text);
    memmove(e->text, line, e->length + 1);
    return true;
}

void engines_wait_for(const engines *self, fd_set *readable, int *highest)
{
    for (int i = 0; i < MOST_ENGINES; i++) {
        if (self->all[i].process == 0)
            continue;
        FD_SET(self->all[i].channel, readable);
        *highest = self->all[i].channel > *highest ? self->all[i].channel : *highest;
    }
}

void engines_hear(engines *self, const fd_set *readable)
{
    for (int i = 0; i < MOST_ENGINES; i++) {
        engine *e = &self->all[i];
        if (e->process == 0 || !FD_ISSET(e->channel, readable) || hear(e))
            continue;
        end_process(e);
        if (e->job != 0 && e->answer == NULL)
            e->answer = broken();
    }
}

/* The wanted files of an answer become files of the visit, which the page fetches by their numbers. */
static json_t *take_files(engines *self, engine *e)
{
    json_t *out = json_object();
    for (size_t i = 0; i < json_array_size(e->wanted); i++) {
        const char *name = json_string_value(json_array_get(e->wanted, i));
        int64_t number = visit_take(self->files, e->folder, name);
        if (number > 0)
            json_object_set_new(out, name, json_integer(number));
    }
    return out;
}

json_t *engines_look(engines *self, int64_t job)
{
    engine *e = engine_with(self, job);
    if (e == NULL)
        return NULL;
    if (e->answer == NULL)
        return json_pack("{s:o}", "progress", e->progress != NULL ? json_incref(e->progress) : json_null());
    json_t *out = json_pack("{s:O, s:o}", "answer", e->answer, "files", take_files(self, e));
    forget_job(e);
    return out;
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

refusal engines_finish(engines *self, int64_t job)
{
    static const char words[] = {ENGINE_FINISH, '\n'};
    engine *e = engine_with(self, job);
    if (e == NULL || e->process == 0) /* where the engine died, its channel's number may be a visitor's by now */
        return NOT_FOUND;
    return send(e->channel, words, sizeof words, MSG_NOSIGNAL) == (ssize_t)sizeof words ? 0 : UNAVAILABLE;
}

refusal engines_stop(engines *self, int64_t job)
{
    engine *e = engine_with(self, job);
    if (e == NULL)
        return NOT_FOUND;
    end_process(e);
    forget_job(e);
    return 0;
}

void engines_end(engines *self, int64_t number)
{
    for (int i = 0; i < MOST_ENGINES; i++)
        if (number > 0 && self->all[i].number == number)
            end_engine(self, &self->all[i]);
}

void engines_end_all(engines *self)
{
    for (int i = 0; i < MOST_ENGINES; i++)
        if (self->all[i].number != 0)
            end_engine(self, &self->all[i]);
}
