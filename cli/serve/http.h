/* The server of kanon serve: one page, one visitor, on this machine alone.
 *
 *     GET    /?token=T           the page; T works once, and the page gets another one for when it is loaded again
 *     POST   /api/file           a file, as it is: {"file": NUMBER}
 *     GET    /api/file/N         a file that an answer named; DELETE removes it
 *     POST   /api/job            begin a job (engines.h): {"job": NUMBER}
 *     GET    /api/job/N          its progress, or its answer
 *     POST   /api/job/N/finish   end it with the best so far;  POST /api/job/N/stop  at once
 *     DELETE /api/engine/N       end an engine
 *
 * Every request below /api carries the secret of the visit. A request under another name of the host, from another page, or
 * without the secret is refused before its body is read. Used by cmd_serve.c; calls libmicrohttpd and engines.h. */
#ifndef KANON_CLI_HTTP_H
#define KANON_CLI_HTTP_H

#include "serve/engines.h"
#include "serve/token.h"

#include <stdbool.h>

typedef struct http http;

typedef struct http_options {
    const char *page; /* its text */
    int port;         /* 0: any */
    int threads;
    int64_t most_bytes; /* the largest file that is taken */
    const char *temporary;
} http_options;

/* Begin to listen; NULL: errno says why. */
http *http_open(const http_options *options);
/* The address to open, with the token, which works once. */
const char *http_address(const http *self);
/* Answer requests until `stop` says so. False: the system failed. */
bool http_run(http *self, bool (*stop)(void));
void http_close(http *self);

#endif
