/* See location.h. Parsing only: nothing is opened but to look at the first bytes of a file. */
#include "database/location.h"

#include "core/alloc.h"
#include "core/output.h"

#include <kanon_host.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char scheme[] = "adbc:";
static const char *const sqlite_endings[] = {".db", ".db3", ".sqlite", ".sqlite3"};

/* ---- files -------------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length > size && strncasecmp(text + length - size, ending, size) == 0;
}

/* What a regular file begins with: a Parquet file, an SQLite file, or something else. */
static kanon__location_kind look_at(const char *path)
{
    char bytes[16] = "";
    struct stat file; /* a pipe must not be opened twice: whoever writes to it would take the first one for its reader */
    int fd = strcmp(path, "-") != 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode) ? open(path, O_RDONLY | O_CLOEXEC)
                                                                                       : -1;
    if (fd < 0)
        return KANON__AT_FILE;
    ssize_t n = read(fd, bytes, sizeof bytes);
    close(fd);
    if (n == sizeof bytes && memcmp(bytes, "SQLite format 3", sizeof bytes) == 0)
        return KANON__AT_SQLITE;
    if (n <= 8 || memcmp(bytes, "PAR1", 4) != 0)
        return KANON__AT_FILE;
    /* a text may begin with these letters, too; its other bytes tell */
    bool is_binary = memchr(bytes, '\0', (size_t)n) != NULL;
    return is_binary || ends_with(path, strlen(path), ".parquet") ? KANON__AT_PARQUET : KANON__AT_FILE;
}

static bool is_there(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0;
}

/* The part of FILE#TABLE that names the file, to be freed; NULL: it is not of that form. */
static char *file_part(const char *text)
{
    const char *mark = strrchr(text, '#');
    if (mark == NULL || mark == text || mark[1] == '\0' || is_there(text))
        return NULL;
    char *path = NULL;
    if (kanon__copy_text(&path, text, (size_t)(mark - text), "a file name", NULL) != KANON_OK)
        return NULL;
    size_t length = strlen(path);
    bool found = look_at(path) == KANON__AT_SQLITE;
    for (size_t i = 0; i < sizeof sqlite_endings / sizeof *sqlite_endings; i++)
        found = found || ends_with(path, length, sqlite_endings[i]);
    if (found)
        return path;
    kanon__free(path);
    return NULL;
}

/* ---- options ------------------------------------------------------------------------------------------------------ */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* %26 becomes &, in place; what is no such thing stays as it is. */
static void decode(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '%' && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0) {
            *to++ = (char)(hex_digit(at[1]) * 16 + hex_digit(at[2]));
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

static kanon_status fail_option(const char *driver, const char *what, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL, "adbc:%s: %s", driver, what);
    return kanon__hint(err, st,
                       "write adbc:DRIVER?uri=...&table=NAME, or query=... in place of the table, as the last option");
}

/* The first line of a file that holds a secret. Its name is not repeated: it may be the secret, by mistake. */
static kanon_status read_first_line(char **out, const kanon__option *option, const char *driver, kanon_error *err)
{
    enum { MOST = 1 << 16 };
    kanon_status st = KANON_OK;
    char *line = NULL;
    FILE *file = fopen(option->value, "re");
    if (file == NULL) {
        int code = errno;
        return kanon__fail(err, KANON_EIO, "adbc:%s: the file of %s-file cannot be read: %s", driver, option->key,
                           strerror(code));
    }
    KANON_TRY(kanon__new_array(&line, MOST, "an option", err), out);
    if (fgets(line, MOST, file) == NULL)
        line[0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    *out = line;
    line = NULL;
out:
    kanon__free(line);
    fclose(file);
    return st;
}

static bool cut_ending(char *key, const char *ending)
{
    size_t length = strlen(key), size = strlen(ending);
    if (length <= size || strcmp(key + length - size, ending) != 0)
        return false;
    key[length - size] = '\0';
    return true;
}

/* KEY-env=NAME and KEY-file=PATH: the value comes from there. */
static kanon_status fetch_value(kanon__option *option, const char *driver, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *found = NULL;
    if (cut_ending(option->key, "-env")) {
        const char *value = getenv(option->value);
        if (value == NULL) {
            st = kanon__fail(err, KANON_EINVAL, "adbc:%s: %s-env names no variable of the environment", driver, option->key);
            return kanon__hint(err, st, "set that variable to the %s, and write its name here", option->key);
        }
        st = kanon__copy_text(&found, value, strlen(value), "an option", err);
    } else if (cut_ending(option->key, "-file")) {
        st = read_first_line(&found, option, driver, err);
    } else {
        return KANON_OK;
    }
    if (st == KANON_OK) {
        kanon__free(option->value);
        option->value = found;
    }
    return st;
}

/* Where the location itself has a place for the option; NULL: it is the driver's. */
static char **place_of(kanon__location *l, const char *key)
{
    return strcmp(key, "table") == 0    ? &l->table
           : strcmp(key, "schema") == 0 ? &l->schema
           : strcmp(key, "query") == 0  ? &l->query
                                        : NULL;
}

static kanon_status keep_option(kanon__location *l, kanon__option *option, kanon_error *err)
{
    char **place = place_of(l, option->key);
    if (place != NULL && *place == NULL) {
        *place = option->value;
        option->value = NULL;
        return KANON_OK;
    }
    if (place != NULL)
        return fail_option(l->driver, "an option is there twice", err);
    kanon_status st = kanon__grow_array(&l->options, &l->capacity, l->n_options + 1, "options", err);
    if (st != KANON_OK)
        return st;
    l->options[l->n_options++] = *option;
    *option = (kanon__option){0};
    return KANON_OK;
}

/* One KEY=VALUE of `length` bytes. */
static kanon_status take_option(kanon__location *l, const char *text, size_t length, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__option option = {0};
    const char *equals = memchr(text, '=', length);
    if (equals == NULL || equals == text)
        return fail_option(l->driver, "an option without a value", err);
    size_t key = (size_t)(equals - text);
    bool literal = key == 5 && memcmp(text, "query", 5) == 0;
    KANON_TRY(kanon__copy_text(&option.key, text, key, "an option", err), out);
    KANON_TRY(kanon__copy_text(&option.value, equals + 1, length - key - 1, "an option", err), out);
    if (!literal)
        decode(option.value);
    KANON_TRY(fetch_value(&option, l->driver, err), out);
    KANON_TRY(keep_option(l, &option, err), out);
out:
    kanon__free(option.key);
    kanon__free(option.value);
    return st;
}

static kanon_status take_options(kanon__location *l, const char *at, kanon_error *err)
{
    kanon_status st = KANON_OK;
    while (*at != '\0' && st == KANON_OK) {
        size_t length = strncmp(at, "query=", 6) == 0 ? strlen(at) : strcspn(at, "&");
        st = take_option(l, at, length, err);
        at += length + (at[length] == '&');
    }
    return st;
}

/* ---- locations ---------------------------------------------------------------------------------------------------- */

/* A name that says nothing but where: "adbc:DRIVER#TABLE" or "FILE#TABLE". */
static kanon_status set_name(kanon__location *l, const char *first, const char *table, kanon_error *err)
{
    size_t size = sizeof scheme + strlen(first) + (table != NULL ? strlen(table) : 0) + 2;
    kanon_status st = kanon__new_array(&l->name, (int64_t)size, "a name", err);
    if (st == KANON_OK)
        snprintf(l->name, size, "%s%s%s%s", l->kind == KANON__AT_DRIVER ? scheme : "", first, table != NULL ? "#" : "",
                 table != NULL ? table : "");
    return st;
}

static kanon_status parse_driver(kanon__location *l, const char *text, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *name = text + sizeof scheme - 1;
    size_t length = strcspn(name, "?");
    l->kind = KANON__AT_DRIVER;
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_' && name[i] != '-')
            length = 0; /* a name, and never a path */
    if (length == 0)
        return fail_option("", "no name of a driver", err);
    KANON_TRY(kanon__copy_text(&l->driver, name, length, "a name", err), out);
    if (name[length] == '?')
        KANON_TRY(take_options(l, name + length + 1, err), out);
    if ((l->table == NULL) == (l->query == NULL)) {
        st = fail_option(l->driver, l->table == NULL ? "neither a table nor a query" : "a table and a query", err);
        goto out;
    }
    KANON_TRY(set_name(l, l->driver, l->table, err), out);
out:
    return st;
}

/* `path` (may be NULL) is taken over. */
static kanon_status parse_table_of_file(kanon__location *l, const char *text, char *path, kanon_error *err)
{
    kanon_status st = KANON_OK;
    l->path = path;
    if (path == NULL)
        KANON_TRY(kanon__copy_text(&l->path, text, strlen(text), "a file name", err), out);
    else
        KANON_TRY(kanon__copy_text(&l->table, text + strlen(path) + 1, strlen(text) - strlen(path) - 1, "a name", err), out);
    KANON_TRY(kanon__copy_text(&l->name, text, strlen(text), "a name", err), out);
out:
    return st;
}

static kanon_status end_parse(kanon__location *l, kanon_status st)
{
    if (st != KANON_OK)
        kanon__location_clear(l);
    return st;
}

kanon_status kanon__location_to_read(kanon__location *out, const char *text, kanon_error *err)
{
    *out = (kanon__location){0};
    if (strncmp(text, scheme, sizeof scheme - 1) == 0 && !is_there(text))
        return end_parse(out, parse_driver(out, text, err));
    char *path = file_part(text);
    out->kind = path != NULL ? KANON__AT_SQLITE : look_at(text);
    return end_parse(out, parse_table_of_file(out, text, path, err));
}

kanon_status kanon__location_to_write(kanon__location *out, const char *text, kanon_error *err)
{
    *out = (kanon__location){0};
    if (strncmp(text, scheme, sizeof scheme - 1) == 0) {
        kanon_status st = parse_driver(out, text, err);
        if (st == KANON_OK && out->query != NULL)
            st = fail_option(out->driver, "a query is nowhere to write to", err);
        return end_parse(out, st);
    }
    char *path = file_part(text);
    bool parquet = path == NULL && ends_with(text, strlen(text), ".parquet");
    out->kind = path != NULL ? KANON__AT_SQLITE : parquet ? KANON__AT_PARQUET : KANON__AT_FILE;
    if (path == NULL && look_at(text) == KANON__AT_SQLITE) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: this is an SQLite database, and would be replaced", text);
        return kanon__hint(err, st, "name a table of it: %s#NAME", text);
    }
    return end_parse(out, parse_table_of_file(out, text, path, err));
}

void kanon__location_clear(kanon__location *l)
{
    for (int64_t i = 0; i < l->n_options; i++) {
        kanon__free(l->options[i].key);
        kanon__free(l->options[i].value);
    }
    kanon__free(l->options);
    kanon__free(l->query);
    kanon__free(l->table);
    kanon__free(l->schema);
    kanon__free(l->driver);
    kanon__free(l->path);
    kanon__free(l->name);
    *l = (kanon__location){0};
}

bool kanon__location_same_database(const kanon__location *l, const kanon__location *r)
{
    if (l->kind != r->kind || (l->kind != KANON__AT_SQLITE && l->kind != KANON__AT_DRIVER))
        return false;
    if (l->kind == KANON__AT_SQLITE)
        return kanon__output_same_place(l->path, r->path);
    bool same = strcmp(l->driver, r->driver) == 0 && l->n_options == r->n_options;
    for (int64_t i = 0; same && i < l->n_options; i++)
        same = strcmp(l->options[i].key, r->options[i].key) == 0 && strcmp(l->options[i].value, r->options[i].value) == 0;
    return same;
}

bool kanon__location_same(const char *left, const char *right)
{
    bool is_driver = strncmp(left, scheme, sizeof scheme - 1) == 0 || strncmp(right, scheme, sizeof scheme - 1) == 0;
    if (strcmp(left, right) == 0)
        return true;
    if (is_driver)
        return false;
    char *left_file = file_part(left), *right_file = file_part(right);
    bool same = kanon__output_same_place(left_file != NULL ? left_file : left, right_file != NULL ? right_file : right);
    if (same && left_file != NULL &&
        right_file != NULL) /* tables of one file; SQLite does not look at the case of letters */
        same = strcasecmp(left + strlen(left_file), right + strlen(right_file)) == 0;
    kanon__free(left_file);
    kanon__free(right_file);
    return same;
}

int kanon_same_file(const char *left, const char *right)
{
    return left != NULL && right != NULL && kanon__location_same(left, right);
}

/* The driver and the table, without looking at the other options; they may hold passwords. */
size_t kanon_location_name(char *out, size_t size, const char *location)
{
    char name[256] = "";
    size_t driver = strcspn(location, "?");
    if (strncmp(location, scheme, sizeof scheme - 1) != 0)
        return kanon_escape(out, size, location);
    const char *at = location + driver;
    while (*at != '\0' && strncmp(at + 1, "table=", 6) != 0 && strncmp(at + 1, "query=", 6) != 0)
        at += 1 + strcspn(at + 1, "&");
    bool has_table = *at != '\0' && at[1] == 't';
    snprintf(name, sizeof name, "%.*s%s%.*s", (int)(driver < 64 ? driver : 64), location, has_table ? "#" : "",
             has_table ? (int)strcspn(at + 7, "&") : 0, has_table ? at + 7 : "");
    decode(name);
    return kanon_escape(out, size, name);
}
