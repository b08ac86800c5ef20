/* See token.h. Calls the system's random numbers. */
#define _DEFAULT_SOURCE /* getentropy */
#include "serve/token.h"

#include <string.h>
#include <unistd.h>

enum { TOKEN_BYTES = 32 };

bool token_new(token *out)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[TOKEN_BYTES];
    out->text[0] = '\0';
    if (getentropy(bytes, sizeof bytes) != 0)
        return false;
    for (int i = 0; i < TOKEN_BYTES; i++) {
        out->text[2 * i] = digits[bytes[i] >> 4];
        out->text[2 * i + 1] = digits[bytes[i] & 15];
    }
    out->text[2 * TOKEN_BYTES] = '\0';
    return true;
}

bool token_equal(const token *secret, const char *text)
{
    size_t length = strlen(secret->text);
    if (text == NULL || length == 0 || strlen(text) != length)
        return false;
    unsigned char different = 0;
    for (size_t i = 0; i < length; i++)
        different |= (unsigned char)(secret->text[i] ^ text[i]);
    return different == 0;
}
