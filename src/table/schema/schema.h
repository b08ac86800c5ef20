/* The schema: what each column is and what is asked of the release. Filled by schema.c, by schema_yaml.c from a file;
 * read by table.c, policy.c, audit and state. */
#ifndef KANON_TABLE_SCHEMA_H
#define KANON_TABLE_SCHEMA_H

#include "core/texts.h"
#include "table/schema/taxonomy.h"
#include "table/value/fraction.h"
#include "table/value/levels.h"
#include "table/value/value_format.h"

#include <stdbool.h>

typedef struct kanon__attribute {
    char *name;
    bool has_role; /* false: only its taxonomy or type is known, the role is the default one */
    bool role_from_flags;
    kanon_role role;
    kanon_type type;
    double weight;       /* 1 unless said */
    char *weight_text;   /* as written, so that it can be taken exactly; NULL: 1 */
    char *taxonomy_path; /* as it can be opened from the working directory; NULL: none */
    kanon__tree *tree;   /* written inline; NULL: none */
    kanon_mask mask;
    kanon__dictionary levels; /* of an ordinal column, in their order; n 0: not said */
    char *bands; /* a width, a unit of the calendar, or edges with commas between them; NULL: none */
    char *top, *bottom;         /* where the outermost bands begin; NULL: nowhere */
    kanon__value_format format; /* how its numbers or dates are written; {0}: as is found */
    int line;                   /* in the schema file; 0: said by a flag */
} kanon__attribute;

/* A constraint as written, with the line for messages; its model is checked where constraints are known. */
typedef struct kanon__constraint_text {
    kanon__texts names, values; /* model, attribute, l, t, ... */
    int line;
} kanon__constraint_text;

struct kanon_schema {
    const kanon_context *context;
    char *path; /* of the file; NULL: made of flags alone */
    kanon__attribute *attributes;
    int64_t n_attributes, attributes_capacity;
    kanon__dictionary names; /* of the attributes: the code of a name is the number of its attribute */
    kanon__texts missing; /* texts that mean "no value"; the first is the empty one unless that is a value */
    bool missing_from_flags;
    kanon__texts same; /* texts 2i and 2i + 1 are two spellings of one cell of a file that is checked */
    char decimal, thousands; /* separators of all numbers; 0: not said */
    kanon_header header;
    char *encoding; /* of the table; NULL: as is found */
    kanon_role default_role;
    bool has_default_role;
    int64_t k; /* 0: not said */
    kanon__constraint_text *constraints;
    int64_t n_constraints, constraints_capacity;
    char *algorithm; /* NULL: not said */
    kanon_setting *settings;
    int64_t n_settings, settings_capacity;
    kanon__texts key;
    char *entity; /* NULL: not said */
    bool entity_together;
    kanon__fraction suppress; /* of the records may be suppressed */
    bool keep_suppressed;     /* they are released, as a class like any other; else they are left out */
    int64_t joint_k;          /* 0: not said, KANON_JOINT_K_OFF */
    int entity_line, key_line, constraints_line;
};

/* The schema in `size` bytes of YAML; `path` stands in messages, and paths in the schema are relative to its directory.
 * KANON_EDATA names the line and the column of what is wrong. */
kanon_status kanon__schema_parse(kanon_schema **out, const char *bytes, size_t size, const char *path, kanon_error *err);
/* Whether numbers of the attribute are shown in bands (table/value/bands.h). */
static inline bool kanon__attribute_has_bands(const kanon__attribute *attribute)
{
    return attribute->bands != NULL || attribute->top != NULL || attribute->bottom != NULL;
}
/* The attribute of that name, NULL where the schema does not name it. */
const kanon__attribute *kanon__schema_find(const kanon_schema *schema, const char *column);
/* The same of a name that is not terminated. */
const kanon__attribute *kanon__schema_find_text(const kanon_schema *schema, const char *name, size_t length);
/* Add a text that means "no value". One without letters is the empty text, which the schema has or which is a value. */
kanon_status kanon__schema_note_missing(kanon_schema *schema, const char *text, size_t length, kanon_error *err);
/* Two texts are one to whoever checks a file; they need no end. */
kanon_status kanon__schema_add_same(kanon_schema *schema, const char *text, size_t length, const char *other,
                                    size_t other_length, kanon_error *err);
/* Whether the text means "no value". */
/* "keep" or "drop"; false: it is neither. */
bool kanon__schema_keep_suppressed(kanon_schema *schema, const char *what);
bool kanon__schema_is_missing(const kanon_schema *schema, const char *text, size_t length);

#endif
