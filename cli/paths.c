/* See paths.h. Files are compared by kanon_same_file, so that links and other spellings are seen through. */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_driver(const char *location)
{
    return strncmp(location, "adbc:", 5) == 0;
}

const char *shown(const char *location)
{
    static char names[2][512];
    static int next;
    if (!is_driver(location))
        return location;
    next = !next;
    kanon_location_name(names[next], sizeof names[next], location);
    return names[next];
}

bool is_standard(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static int named_twice(const command *self, const char *path)
{
    return wrong_usage(self, "%s is named twice", is_standard(path) ? "standard output" : shown(path));
}

static int is_input(const command *self, const char *path)
{
    return wrong_usage(self, "%s is named twice, as an input and as an output", shown(path));
}

/* A state is an SQLite file with an application id of its own. */
bool is_state(const char *path)
{
    enum { ID_AT = 68, HEADER = 72 };
    char header[HEADER] = "";
    FILE *file = fopen(path, "rb");
    size_t n = file != NULL ? fread(header, 1, sizeof header, file) : 0;
    if (file != NULL)
        fclose(file);
    return n == sizeof header && memcmp(header, "SQLite format 3", 16) == 0 && memcmp(header + ID_AT, "knon", 4) == 0;
}

/* An output against the outputs after it, the inputs and the state. "-" as an input is not what it is as an output. */
static int check_output(const command *self, const command_paths *paths, int which)
{
    const char *path = paths->outputs[which];
    for (int i = which + 1; i < paths->n_outputs; i++)
        if (kanon_same_file(path, paths->outputs[i]))
            return named_twice(self, path);
    for (int i = 0; i < paths->n_inputs; i++)
        if (!is_standard(path) && kanon_same_file(path, paths->inputs[i]))
            return is_input(self, path);
    if (paths->state != NULL && kanon_same_file(path, paths->state))
        return named_twice(self, path);
    if (paths->state != NULL && !is_standard(path) && kanon_state_owns(paths->state, path))
        return wrong_usage(self, "%s belongs to the state %s", path, paths->state);
    return EXIT_DONE;
}

int check_paths(const command *self, const command_paths *paths)
{
    int status = EXIT_DONE;
    for (int i = 0; i < paths->n_outputs && status == EXIT_DONE; i++)
        if (paths->outputs[i] != NULL)
            status = check_output(self, paths, i);
    return status;
}

int check_schema_paths(const command *self, const command_paths *paths, const kanon_schema *schema)
{
    const char *file;
    for (size_t at = 0; (file = kanon_schema_file(schema, at)) != NULL; at++)
        for (int i = 0; i < paths->n_outputs; i++)
            if (paths->outputs[i] != NULL && !is_standard(paths->outputs[i]) && kanon_same_file(paths->outputs[i], file))
                return is_input(self, paths->outputs[i]);
    return EXIT_DONE;
}

/* Whether a file can be made at `path`. The library finds out too, but only after the work. */
static bool is_writable_place(const char *path)
{
    struct stat place;
    if (is_driver(path)) /* whose driver finds out */
        return true;
    if (stat(path, &place) == 0 && !S_ISREG(place.st_mode)) {
        errno = EISDIR;
        return !S_ISDIR(place.st_mode) && access(path, W_OK) == 0;
    }
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *directory = calloc(length + 2, 1);
    if (directory == NULL)
        return false;
    memcpy(directory, slash == NULL ? "." : path, slash == NULL ? 1 : length);
    bool writable = access(directory, W_OK | X_OK) == 0;
    int reason = errno;
    free(directory);
    errno = reason;
    return writable;
}

int check_places(const command_paths *paths)
{
    for (int i = 0; i < paths->n_outputs; i++) {
        const char *path = paths->outputs[i];
        if (path == NULL || is_standard(path) || is_writable_place(path))
            continue;
        say("cannot write %s: %s", path, strerror(errno));
        return EXIT_SYSTEM;
    }
    return EXIT_DONE;
}
