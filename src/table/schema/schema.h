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

/* What can be said of a column, and of the whole: the rows of schema_keys.c, in their order. */
typedef enum kanon__column_key {
    KANON__COLUMN_ROLE = 0,
    KANON__COLUMN_TYPE,
    KANON__COLUMN_TAXONOMY,
    KANON__COLUMN_MASK,
    KANON__COLUMN_WEIGHT,
    KANON__COLUMN_BANDS,
    KANON__COLUMN_TOP,
    KANON__COLUMN_BOTTOM,
    KANON__COLUMN_FORMAT,
    KANON__COLUMN_DECIMAL,
    KANON__COLUMN_THOUSANDS,
    KANON__COLUMN_ORDER,
    KANON__COLUMN_PERMUTE,
    KANON__COLUMN_ENDS,
    KANON__COLUMN_KEYS
} kanon__column_key;

typedef enum kanon__whole_key {
    KANON__WHOLE_MISSING = 0,
    KANON__WHOLE_EMPTY,
    KANON__WHOLE_HEADER,
    KANON__WHOLE_ENCODING,
    KANON__WHOLE_DECIMAL,
    KANON__WHOLE_THOUSANDS,
    KANON__WHOLE_DEFAULT_ROLE,
    KANON__WHOLE_KEY,
    KANON__WHOLE_ENTITY,
    KANON__WHOLE_ENTITY_TOGETHER,
    KANON__WHOLE_ALGORITHM,
    KANON__WHOLE_SETTINGS,
    KANON__WHOLE_SAME,
    KANON__WHOLE_RELEASE,
    KANON__WHOLE_K, /* from here on below `privacy` */
    KANON__WHOLE_SUPPRESS,
    KANON__WHOLE_SUPPRESSED,
    KANON__WHOLE_SINGLED_OUT,
    KANON__WHOLE_JOINT_K,
    KANON__WHOLE_CONSTRAINT,
    KANON__WHOLE_KEYS
} kanon__whole_key;

typedef enum kanon__mask { KANON__MASK_NONE = 0, KANON__MASK_RIGHT, KANON__MASK_LEFT } kanon__mask;

typedef struct kanon__attribute {
    char *name;
    /* As text; NULL: nothing. Lists are in flow form, bands as kanon__bands_check takes them, and the path of a taxonomy is
     * as it can be opened from the working directory. */
    char *said[KANON__COLUMN_KEYS];
    /* what follows from it */
    bool has_role; /* false: only its taxonomy or type is known, the role is the default one */
    bool role_from_flags;
    kanon_role role;
    kanon_type type;
    double weight;     /* 1 unless said */
    kanon__tree *tree; /* a taxonomy that was given itself, not its path; NULL: none */
    kanon__mask mask;
    kanon__dictionary levels;   /* of an ordinal column, in their order; n 0: not said */
    kanon__value_format format; /* how its numbers or dates are written; {0}: as is found */
    int line;                   /* in the schema file; 0: said by a flag */
} kanon__attribute;

/* A constraint as written, with the line for messages; its model is checked where constraints are known. */
typedef struct kanon__constraint_text {
    kanon__texts names, values; /* model, attribute, l, t, ... */
    char *text;                 /* as a mapping; NULL: it was read from a state */
    int line;
} kanon__constraint_text;

struct kanon_schema {
    const kanon_context *context;
    char *path; /* of the file; NULL: made of flags alone */
    kanon__attribute *attributes;
    int64_t n_attributes, attributes_capacity;
    kanon__dictionary names; /* of the attributes: the code of a name is the number of its attribute */
    char *said[KANON__WHOLE_KEYS]; /* as text; NULL: nothing */
    /* what follows from it */
    kanon__texts missing; /* texts that mean "no value"; the first is the empty one unless that is a value */
    kanon__texts same;    /* texts 2i and 2i + 1 are two spellings of one cell of a file that is checked */
    char decimal, thousands; /* separators of all numbers; 0: not said */
    kanon_header header;
    kanon_role default_role;
    bool has_default_role;
    int64_t k; /* 0: not said */
    kanon__constraint_text *constraints;
    int64_t n_constraints, constraints_capacity;
    kanon_setting *settings; /* of the algorithm */
    int64_t n_settings, settings_capacity;
    kanon__texts key;
    bool entity_together;
    kanon__fraction suppress; /* of the records may be suppressed */
    bool keep_suppressed;     /* they are released, as a class like any other; else they are left out */
    kanon__fraction singled_out; /* of the released rows, at most, by all that is released as it is */
    int64_t joint_k;          /* 0: not said, KANON_JOINT_K_OFF */
    kanon__texts release_keys, release_values; /* what is said of the release: purpose, recipient, ... */
    int entity_line, key_line, constraints_line;
};

/* The schema in `size` bytes of YAML; `path` stands in messages, and paths in the schema are relative to its directory.
 * KANON_EDATA names the line and the column of what is wrong. */
kanon_status kanon__schema_parse(kanon_schema **out, const char *bytes, size_t size, const char *path, kanon_error *err);
/* What is said of a column; NULL: nothing, also of none. */
static inline const char *kanon__attribute_said(const kanon__attribute *attribute, kanon__column_key key)
{
    return attribute != NULL ? attribute->said[key] : NULL;
}
/* Whether numbers of the attribute are shown in bands (table/value/bands.h). */
static inline bool kanon__attribute_has_bands(const kanon__attribute *attribute)
{
    return attribute->said[KANON__COLUMN_BANDS] != NULL || attribute->said[KANON__COLUMN_TOP] != NULL ||
           attribute->said[KANON__COLUMN_BOTTOM] != NULL;
}
/* Whether the cells of the column change places inside their groups. */
static inline bool kanon__attribute_is_permuted(const kanon__attribute *attribute)
{
    const char *said = kanon__attribute_said(attribute, KANON__COLUMN_PERMUTE);
    return said != NULL && said[0] == 't'; /* "true" */
}
/* Whether the ends of its intervals are drawn. */
static inline bool kanon__attribute_is_drawn(const kanon__attribute *attribute)
{
    const char *said = kanon__attribute_said(attribute, KANON__COLUMN_ENDS);
    return said != NULL && said[0] == 'd'; /* "drawn" */
}
/* Whether it has a tree of categories. */
static inline bool kanon__attribute_has_tree(const kanon__attribute *attribute)
{
    return attribute->said[KANON__COLUMN_TAXONOMY] != NULL || attribute->tree != NULL ||
           attribute->mask != KANON__MASK_NONE;
}
/* Whether the schema names the column: a file does, or something is said of it. */
bool kanon__attribute_is_named(const kanon__attribute *attribute);
/* The attribute of that name, which is made where it is new. */
kanon_status kanon__schema_want(kanon__attribute **out, kanon_schema *schema, const char *column, kanon_error *err);
void kanon__constraint_clear(kanon__constraint_text *constraint);
/* The attribute of that name, NULL where the schema does not name it. */
const kanon__attribute *kanon__schema_find(const kanon_schema *schema, const char *column);
/* The same of a name that is not terminated. */
const kanon__attribute *kanon__schema_find_text(const kanon_schema *schema, const char *name, size_t length);
/* Whether the text means "no value". */
bool kanon__schema_is_missing(const kanon_schema *schema, const char *text, size_t length);

#endif
