/* See http.h. One thread: the loop waits for connections and for engines, and looks once a second for connections that
 * send too slowly. */
#include "serve/http.h"

#include "serve/http_guard.h"
#include "serve/served_page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_ORDER = 16 * 1024 * 1024, MOST_CONNECTIONS = SLOW_MOST, CONNECTION_MEMORY = 64 * 1024, IDLE_SECONDS = 60 };

struct http {
    struct MHD_Daemon *daemon;
    http_options options;
    visit_files files;
    engines engines;
    token token, session;
    slow_connections slow;
    int port;
    char address[160];
};

/* A request while its body arrives: a file of the visit, or a text. */
typedef struct arriving {
    int status; /* with which it is refused; 0: it is not */
    int64_t received, most;
    int fd; /* -1: the body is kept in `text` */
    int64_t number;
    char *text;
    bool answered; /* the page knows the number of the file */
} arriving;

/* ---- responses --------------------------------------------------------------------------------------------------- */

static enum MHD_Result respond(struct MHD_Connection *c, int status, struct MHD_Response *response, const char *type)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Content-Security-Policy", "frame-ancestors 'none'"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    if (response == NULL)
        return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    MHD_add_response_header(response, "Content-Type", type);
    enum MHD_Result sent = MHD_queue_response(c, (unsigned)status, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result respond_text(struct MHD_Connection *c, int status, char *text, const char *type)
{
    if (text == NULL)
        return MHD_NO;
    return respond(c, status, MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE), type);
}

static enum MHD_Result respond_json(struct MHD_Connection *c, json_t *value)
{
    char *text = value != NULL ? json_dumps(value, JSON_COMPACT) : NULL;
    json_decref(value);
    return respond_text(c, MHD_HTTP_OK, text, "application/json");
}

static enum MHD_Result refuse(struct MHD_Connection *c, int status)
{
    static const char text[] = "kanon: this request is refused. Open the address that kanon serve printed; it works once.\n";
    return respond(c, status, MHD_create_response_from_buffer(sizeof text - 1, (void *)text, MHD_RESPMEM_PERSISTENT),
                   "text/plain; charset=utf-8");
}

static enum MHD_Result respond_done(struct MHD_Connection *c, refusal refused)
{
    return refused != 0 ? refuse(c, refused) : respond_json(c, json_object());
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

/* The page begins a new visit: what an earlier one left goes, and its secret with it. */
static enum MHD_Result give_page(http *self, struct MHD_Connection *c)
{
    if (!token_equal(&self->token, MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token")))
        return refuse(c, MHD_HTTP_FORBIDDEN);
    engines_end_all(&self->engines);
    visit_empty(&self->files);
    if (!token_new(&self->token) || !token_new(&self->session))
        return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR);
    return respond_text(c, MHD_HTTP_OK, page_for(self->options.page, &self->session, &self->token, self->options.most_bytes),
                        "text/html; charset=utf-8");
}

static enum MHD_Result give_file(http *self, struct MHD_Connection *c, int64_t number)
{
    int64_t size = 0;
    int fd = visit_open_file(&self->files, number, &size);
    if (fd < 0)
        return refuse(c, MHD_HTTP_NOT_FOUND);
    struct MHD_Response *response = MHD_create_response_from_fd64((uint64_t)size, fd);
    if (response == NULL)
        close(fd);
    return respond(c, MHD_HTTP_OK, response, "application/octet-stream");
}

static enum MHD_Result begin_job(http *self, struct MHD_Connection *c, const arriving *body)
{
    int64_t job = 0;
    json_t *order = body->text != NULL ? json_loadb(body->text, (size_t)body->received, 0, NULL) : NULL;
    refusal refused = order != NULL ? engines_ask(&self->engines, order, &job) : MHD_HTTP_BAD_REQUEST;
    json_decref(order);
    return refused != 0 ? refuse(c, refused) : respond_json(c, json_pack("{s:I}", "job", (json_int_t)job));
}

static enum MHD_Result look_at_job(http *self, struct MHD_Connection *c, int64_t job)
{
    json_t *found = engines_look(&self->engines, job);
    return found == NULL ? refuse(c, MHD_HTTP_NOT_FOUND) : respond_json(c, found);
}

/* "PREFIX/NUMBER" with `rest` after it; 0: it is something else. */
static int64_t number_in(const char *url, const char *prefix, const char *rest)
{
    size_t length = strlen(prefix);
    char *end;
    if (strncmp(url, prefix, length) != 0 || url[length] < '1' || url[length] > '9')
        return 0;
    errno = 0;
    long long number = strtoll(url + length, &end, 10);
    return errno == 0 && strcmp(end, rest) == 0 ? number : 0;
}

/* A request whose body is complete. */
static enum MHD_Result answer(http *self, struct MHD_Connection *c, const char *url, const char *method,
                              const arriving *body)
{
    bool get = strcmp(method, "GET") == 0, post = strcmp(method, "POST") == 0, delete = strcmp(method, "DELETE") == 0;
    int64_t number;
    if (get && strcmp(url, "/") == 0)
        return give_page(self, c);
    if (post && strcmp(url, "/api/file") == 0)
        return respond_json(c, json_pack("{s:I}", "file", (json_int_t)body->number));
    if (post && strcmp(url, "/api/job") == 0)
        return begin_job(self, c, body);
    if (get && (number = number_in(url, "/api/file/", "")) > 0)
        return give_file(self, c, number);
    if (get && (number = number_in(url, "/api/job/", "")) > 0)
        return look_at_job(self, c, number);
    if (post && (number = number_in(url, "/api/job/", "/finish")) > 0)
        return respond_done(c, engines_finish(&self->engines, number));
    if (post && (number = number_in(url, "/api/job/", "/stop")) > 0)
        return respond_done(c, engines_stop(&self->engines, number));
    if (delete &&(number = number_in(url, "/api/file/", "")) > 0)
        visit_remove_file(&self->files, number);
    else if (delete &&(number = number_in(url, "/api/engine/", "")) > 0)
        engines_end(&self->engines, number);
    else
        return refuse(c, MHD_HTTP_NOT_FOUND);
    return respond_done(c, 0);
}

/* ---- requests as they arrive ------------------------------------------------------------------------------------- */

/* The head of a request is there: whether its body is taken, and where it goes. */
static arriving *begin(http *self, struct MHD_Connection *c, const char *url, const char *method)
{
    arriving *body = calloc(1, sizeof *body);
    if (body == NULL)
        return NULL;
    body->fd = -1;
    body->status = guard_request(c, url, method, self->port, &self->session);
    bool file = strcmp(url, "/api/file") == 0 && strcmp(method, "POST") == 0;
    body->most = file ? self->options.most_bytes : strcmp(url, "/api/job") == 0 ? MOST_ORDER : 0;
    if (body->status == 0 && guard_length(c) > body->most)
        body->status = MHD_HTTP_CONTENT_TOO_LARGE;
    if (body->status == 0 && file && (body->fd = visit_new_file(&self->files, &body->number)) < 0)
        body->status = MHD_HTTP_INSUFFICIENT_STORAGE;
    return body;
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static void take(arriving *body, const char *data, size_t size)
{
    if (body->status != 0)
        return;
    if ((int64_t)size > body->most - body->received) {
        body->status = MHD_HTTP_CONTENT_TOO_LARGE;
        return;
    }
    if (body->fd >= 0) {
        if (!write_all(body->fd, data, size))
            body->status = MHD_HTTP_INSUFFICIENT_STORAGE;
    } else {
        char *text = realloc(body->text, (size_t)body->received + size);
        if (text == NULL) {
            body->status = MHD_HTTP_SERVICE_UNAVAILABLE;
            return;
        }
        body->text = text;
        memcpy(text + body->received, data, size);
    }
    body->received += (int64_t)size;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *c, const char *url, const char *method, const char *version,
                              const char *data, size_t *size, void **state)
{
    http *self = cls;
    (void)version;
    arriving *body = *state;
    if (body == NULL) {
        *state = body = begin(self, c, url, method);
        if (body == NULL)
            return MHD_NO;
        return body->status != 0 ? refuse(c, body->status) : MHD_YES;
    }
    if (*size > 0) {
        take(body, data, *size);
        slow_received(&self->slow, c, (int64_t)*size);
        *size = 0;
        return body->status != 0 ? MHD_NO : MHD_YES; /* in the midst of a body there is no answer: the connection ends */
    }
    /* Another visitor may have come while the body arrived. */
    int refused = guard_request(c, url, method, self->port, &self->session);
    body->answered = refused == 0;
    return refused != 0 ? refuse(c, refused) : answer(self, c, url, method, body);
}

static void completed(void *cls, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why)
{
    http *self = cls;
    arriving *body = *state;
    slow_restart(&self->slow, c);
    if (body == NULL)
        return;
    if (body->fd >= 0) {
        close(body->fd);
        if (why != MHD_REQUEST_TERMINATED_COMPLETED_OK || !body->answered)
            visit_remove_file(&self->files, body->number);
    }
    free(body->text);
    free(body);
    *state = NULL;
}

static void connected(void *cls, struct MHD_Connection *c, void **state, enum MHD_ConnectionNotificationCode what)
{
    http *self = cls;
    (void)state;
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        slow_begin(&self->slow, c);
    else
        slow_end(&self->slow, c);
}

/* ---- the server -------------------------------------------------------------------------------------------------- */

/* Nobody outside this machine can reach it. */
static int listen_here(int port, int *found)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof here;
    int one = 1;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&here, sizeof here) != 0 || listen(fd, MOST_CONNECTIONS) != 0 ||
        getsockname(fd, (struct sockaddr *)&here, &size) != 0) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    *found = ntohs(here.sin_port);
    return fd;
}

/* No address of ours has an escape, so none is resolved: what looks like another address is another one. */
static size_t keep_escapes(void *cls, struct MHD_Connection *c, char *text)
{
    (void)cls;
    (void)c;
    return strlen(text);
}

http *http_open(const http_options *options)
{
    http *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->options = *options;
    self->engines = (engines){.files = &self->files, .threads = options->threads};
    int fd = listen_here(options->port, &self->port);
    if (fd < 0 || !token_new(&self->token) || !visit_open(&self->files, options->temporary)) {
        if (fd >= 0)
            close(fd);
        free(self);
        return NULL;
    }
    self->daemon = MHD_start_daemon(
        MHD_USE_ITC, 0, NULL, NULL, handle, self, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, completed, self,
        MHD_OPTION_NOTIFY_CONNECTION, connected, self, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_END);
    if (self->daemon == NULL) {
        close(fd);
        http_close(self);
        errno = EADDRNOTAVAIL;
        return NULL;
    }
    snprintf(self->address, sizeof self->address, "http://127.0.0.1:%d/?token=%s", self->port, self->token.text);
    return self;
}

const char *http_address(const http *self)
{
    return self->address;
}

/* How long to wait: a second, for connections that are slow; less where libmicrohttpd has something left to do. */
static struct timeval patience(http *self)
{
    MHD_UNSIGNED_LONG_LONG most = 1000, wanted;
    if (MHD_get_timeout(self->daemon, &wanted) == MHD_YES && wanted < most)
        most = wanted;
    return (struct timeval){.tv_sec = (time_t)(most / 1000), .tv_usec = (suseconds_t)(most % 1000 * 1000)};
}

bool http_run(http *self, bool (*stop)(void))
{
    while (!stop()) {
        fd_set readable, writable, others;
        int highest = -1;
        FD_ZERO(&readable);
        FD_ZERO(&writable);
        FD_ZERO(&others);
        if (MHD_get_fdset(self->daemon, &readable, &writable, &others, &highest) != MHD_YES)
            return false;
        engines_wait_for(&self->engines, &readable, &highest);
        struct timeval wait = patience(self);
        int ready = select(highest + 1, &readable, &writable, &others, &wait);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0)
            return false;
        engines_hear(&self->engines, &readable);
        MHD_run_from_select(self->daemon, &readable, &writable, &others);
        slow_cut(&self->slow);
    }
    return true;
}

void http_close(http *self)
{
    if (self == NULL)
        return;
    if (self->daemon != NULL)
        MHD_stop_daemon(self->daemon);
    engines_end_all(&self->engines);
    visit_close(&self->files);
    free(self);
}
