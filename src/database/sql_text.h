/* Names of tables and columns in SQL, in quotes, so that no name is ever a part of the statement. */
#ifndef KANON_DATABASE_SQL_TEXT_H
#define KANON_DATABASE_SQL_TEXT_H

#include "core/status.h"

/* A statement about a table: "schema"."table" (`schema` NULL: none) between what stands before and behind it. To be
 * freed. */
kanon_status kanon__sql_about(char **out, const char *before, const char *schema, const char *table, const char *behind,
                              kanon_error *err);
/* `name` in quotes of the kind `quote`, with those inside doubled, at `to`; returns where that ends. There must be room for
 * twice the name and two bytes. */
char *kanon__sql_quote(char *to, const char *name, char quote);
/* The name of a file as DuckDB takes it for no more than that, likewise: "~" is no folder and "s3:" no server. There must be
 * room for twice the name and four bytes. */
char *kanon__sql_file(char *to, const char *path);

#endif
