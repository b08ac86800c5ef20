/* Who may ask, and how slowly: the checks before a request is looked at. Used by http.c. */
#ifndef KANON_CLI_HTTP_GUARD_H
#define KANON_CLI_HTTP_GUARD_H

#include "serve/token.h"

#include <microhttpd.h>
#include <stdint.h>

/* The status with which the request is refused, 0 where it may go on: Host must name this machine (pages of others reach
 * loopback under names of their own), Origin and Sec-Fetch-Site must be this page, and below /api the secret must be
 * there. */
int guard_request(struct MHD_Connection *c, const char *url, const char *method, int port, const token *session);
/* The length that the request says its body has; -1: it says none. */
int64_t guard_length(struct MHD_Connection *c);

/* Connections that send so slowly that they only keep others out: bytes below a rate since the last complete request. Of
 * more than SLOW_FEW, those that have sent nothing for the longest time make room for new ones. */
enum { SLOW_MOST = 64, SLOW_FEW = 16 };
typedef struct slow_connections {
    struct {
        struct MHD_Connection *connection;
        int64_t since, received;
        int64_t turn; /* they are numbered as they begin a request */
        int fd;
    } all[SLOW_MOST];
    int64_t turns;
} slow_connections;

void slow_begin(slow_connections *self, struct MHD_Connection *c);
void slow_end(slow_connections *self, struct MHD_Connection *c);
void slow_received(slow_connections *self, struct MHD_Connection *c, int64_t bytes);
/* The next request begins. */
void slow_restart(slow_connections *self, struct MHD_Connection *c);
/* Close those that are too slow. */
void slow_cut(slow_connections *self);

#endif
