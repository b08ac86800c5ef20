/* See served_page.h. */
#include "serve/served_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the page was built to allow no connection, and where its head begins. */
static const char no_connection[] = "connect-src 'none'";
static const char this_server[] = "connect-src 'self'";
static const char head[] = "<head>";

/* Beside the program: where it is installed, and where it is built. */
bool page_find(char path[PAGE_PATH])
{
    static const char *const places[] = {"../share/kanon/index.html", "../web/index.html"};
    char program[PAGE_PATH];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = '\0';
    char *name = strrchr(program, '/');
    if (name == NULL)
        return false;
    *name = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int written = snprintf(path, PAGE_PATH, "%s/%s", program, places[i]);
        if (written > 0 && written < PAGE_PATH && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static char *read_all(FILE *file)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0)
        return NULL;
    char *text = malloc((size_t)size + 1);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

char *page_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = read_all(file);
    fclose(file);
    if (text != NULL && (strstr(text, no_connection) == NULL || strstr(text, head) == NULL)) {
        free(text);
        return NULL;
    }
    return text;
}

char *page_for(const char *page, const token *session, const token *again, int64_t table_bytes)
{
    const char *after_head = strstr(page, head) + sizeof head - 1;
    char told[400];
    int length = snprintf(told, sizeof told,
                          "<meta name=\"kanon-serve\" content=\"{&quot;session&quot;:&quot;%s&quot;,&quot;again&quot;:"
                          "&quot;%s&quot;,&quot;tableBytes&quot;:%" PRId64 "}\">",
                          session->text, again->text, table_bytes);
    size_t size = strlen(page) + (size_t)length + 1;
    char *out = malloc(size);
    if (out == NULL)
        return NULL;
    snprintf(out, size, "%.*s%s%s", (int)(after_head - page), page, told, after_head);
    char *policy = strstr(out, no_connection);
    memcpy(policy, this_server, sizeof this_server - 1); /* of equal length */
    return out;
}

_Static_assert(sizeof no_connection == sizeof this_server, "one is written over the other");
