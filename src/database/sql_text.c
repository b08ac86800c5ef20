/* See sql_text.h. */
#include "database/sql_text.h"

#include "core/alloc.h"

#include <stdio.h>
#include <string.h>

char *kanon__sql_quote(char *to, const char *name, char quote)
{
    *to++ = quote;
    for (; *name != '\0'; name++) {
        if (*name == quote)
            *to++ = quote;
        *to++ = *name;
    }
    *to++ = quote;
    return to;
}

char *kanon__sql_file(char *to, const char *path)
{
    if (path[0] == '/')
        return kanon__sql_quote(to, path, '\'');
    char *end = kanon__sql_quote(to + 2, path, '\'');
    memcpy(to, "'./", 3); /* over the quote */
    return end;
}

kanon_status kanon__sql_about(char **out, const char *before, const char *schema, const char *table, const char *behind,
                              kanon_error *err)
{
    size_t size = strlen(before) + strlen(behind) + 2 * strlen(table) + (schema != NULL ? 2 * strlen(schema) : 0) + 8;
    kanon_status st = kanon__new_array(out, (int64_t)size, "a query", err);
    if (st != KANON_OK)
        return st;
    char *at = *out + sprintf(*out, "%s", before);
    if (schema != NULL) {
        at = kanon__sql_quote(at, schema, '"');
        *at++ = '.';
    }
    at = kanon__sql_quote(at, table, '"');
    strcpy(at, behind);
    return KANON_OK;
}
