/* See http_guard.h. */
#include "serve/http_guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

/* ---- who may ask ------------------------------------------------------------------------------------------------- */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* "127.0.0.1:PORT" or "localhost:PORT", with what a browser puts before it. */
static bool names_this_server(const char *text, const char *before, int port)
{
    static const char *const hosts[] = {"127.0.0.1", "localhost"};
    char expected[64];
    for (size_t i = 0; text != NULL && i < sizeof hosts / sizeof *hosts; i++) {
        snprintf(expected, sizeof expected, "%s%s:%d", before, hosts[i], port);
        if (strcasecmp(text, expected) == 0)
            return true;
    }
    return false;
}

/* A browser says from where a request comes; another program need not, but then it has no browser's secrets either. A page
 * may be opened by typing its address ("none"), and by nothing else. */
static bool comes_from_here(struct MHD_Connection *c, bool page, int port)
{
    const char *origin = header(c, "Origin"), *site = header(c, "Sec-Fetch-Site");
    if (origin != NULL && !names_this_server(origin, "http://", port))
        return false;
    if (site == NULL)
        return page || origin != NULL || header(c, "Sec-Fetch-Mode") == NULL;
    return strcmp(site, "same-origin") == 0 || (page && strcmp(site, "none") == 0);
}

static bool has_secret(struct MHD_Connection *c, const token *session)
{
    static const char scheme[] = "Bearer ";
    const char *given = header(c, "Authorization");
    return given != NULL && strncmp(given, scheme, sizeof scheme - 1) == 0 &&
           token_equal(session, given + sizeof scheme - 1);
}

int guard_request(struct MHD_Connection *c, const char *url, const char *method, int port, const token *session)
{
    bool page = strcmp(url, "/") == 0;
    if (!names_this_server(header(c, "Host"), "", port))
        return MHD_HTTP_MISDIRECTED_REQUEST;
    if (!comes_from_here(c, page, port))
        return MHD_HTTP_FORBIDDEN;
    if (!page && strncmp(url, "/api/", 5) != 0)
        return MHD_HTTP_NOT_FOUND;
    if (!page && !has_secret(c, session))
        return MHD_HTTP_UNAUTHORIZED;
    if (strcmp(method, "GET") != 0 && (page || (strcmp(method, "POST") != 0 && strcmp(method, "DELETE") != 0)))
        return MHD_HTTP_METHOD_NOT_ALLOWED;
    return 0;
}

int64_t guard_length(struct MHD_Connection *c)
{
    const char *length = header(c, "Content-Length");
    return length != NULL ? strtoll(length, NULL, 10) : -1;
}

/* ---- how slowly -------------------------------------------------------------------------------------------------- */

enum { PATIENCE_SECONDS = 10, LEAST_BYTES_PER_SECOND = 4096 };

static int64_t now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* The place of a connection; -1: there is none. */
static int find(const slow_connections *self, const struct MHD_Connection *c)
{
    for (int i = 0; i < SLOW_MOST; i++)
        if (self->all[i].connection == c)
            return i;
    return -1;
}

/* Those that are closing already count no more. */
static void make_room(slow_connections *self)
{
    int n = 0, oldest = -1;
    for (int i = 0; i < SLOW_MOST; i++) {
        if (self->all[i].connection == NULL || self->all[i].fd < 0)
            continue;
        n++;
        if (self->all[i].received == 0 && (oldest < 0 || self->all[i].turn < self->all[oldest].turn))
            oldest = i;
    }
    if (n < SLOW_FEW || oldest < 0)
        return;
    shutdown(self->all[oldest].fd, SHUT_RD);
    self->all[oldest].fd = -1;
}

void slow_begin(slow_connections *self, struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    int i = find(self, NULL);
    if (i < 0 || info == NULL)
        return;
    make_room(self);
    self->all[i].connection = c;
    self->all[i].fd = info->connect_fd;
    slow_restart(self, c);
}

void slow_end(slow_connections *self, struct MHD_Connection *c)
{
    int i = find(self, c);
    if (i >= 0)
        self->all[i].connection = NULL;
}

void slow_received(slow_connections *self, struct MHD_Connection *c, int64_t bytes)
{
    int i = find(self, c);
    if (i >= 0)
        self->all[i].received += bytes;
}

void slow_restart(slow_connections *self, struct MHD_Connection *c)
{
    int i = find(self, c);
    if (i < 0)
        return;
    self->all[i].since = now_seconds();
    self->all[i].received = 0;
    self->all[i].turn = self->turns++;
}

/* A browser keeps connections open that it does not use; closing them costs it nothing. */
void slow_cut(slow_connections *self)
{
    int64_t now = now_seconds();
    for (int i = 0; i < SLOW_MOST; i++) {
        if (self->all[i].connection == NULL || self->all[i].fd < 0)
            continue;
        int64_t over = now - self->all[i].since - PATIENCE_SECONDS;
        if (over > 0 && self->all[i].received < over * LEAST_BYTES_PER_SECOND)
            shutdown(self->all[i].fd, SHUT_RD);
    }
}
