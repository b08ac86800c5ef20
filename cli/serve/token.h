/* Secrets of kanon serve: 256 random bits as text, compared in constant time. Used by http.c. */
#ifndef KANON_CLI_TOKEN_H
#define KANON_CLI_TOKEN_H

#include <stdbool.h>

typedef struct token {
    char text[65]; /* empty: nothing equals it */
} token;

/* A fresh secret; false where the system gives no random numbers. */
bool token_new(token *out);
/* Whether the text, which may be NULL, is the secret. The time taken does not tell how much of it is right. */
bool token_equal(const token *secret, const char *text);

#endif
