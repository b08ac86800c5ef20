/* What the reader of schema files (table/yaml) and the setters (schema.c) agree on: limits that both check, so that
 * a schema is valid whichever way it is made. */
#ifndef KANON_TABLE_SCHEMA_LIMITS_H
#define KANON_TABLE_SCHEMA_LIMITS_H

enum { KANON__WEIGHT_MAX = 1000000 }; /* weights are above 0 and at most this */

#endif
