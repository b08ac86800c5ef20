/* What the schema file's reader and the setters agree on. */
#ifndef KANON_TABLE_SCHEMA_YAML_H
#define KANON_TABLE_SCHEMA_YAML_H

enum { KANON__WEIGHT_MAX = 1000000 }; /* weights are above 0 and at most this */

#endif
