/* The page as kanon serve gives it: the file that `make web` builds, which may ask this server, and no other, and knows the
 * secrets of its visit. Used by http.c. */
#ifndef KANON_CLI_SERVED_PAGE_H
#define KANON_CLI_SERVED_PAGE_H

#include "serve/token.h"

#include <stdbool.h>
#include <stdint.h>

/* The text of the page, to be freed; NULL: the file is not there, or is no page of kanon. */
char *page_read(const char *path);
/* The page for one visit, to be freed; NULL: no memory. `again` opens it once more. */
char *page_for(const char *page, const token *session, const token *again, int64_t table_bytes);
/* Where the page is that was installed or built with the program; false: nowhere. */
enum { PAGE_PATH = 1024 };
bool page_find(char path[PAGE_PATH]);

#endif
