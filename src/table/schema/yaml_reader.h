/* Reading YAML as a stream of events: what all values of a schema file have in common.
 *
 * A function that reads a value is called when the value's first event is the current one, and returns when its last one
 * is. Nothing is kept of the file but what the schema keeps; aliases are refused, so a small file stays small.
 *
 *     schema_yaml.c  ->  attribute_yaml.c  ->  taxonomy_yaml.c  ->  yaml_reader.c  ->  libyaml
 *
 * Every error has the line and the column of what it is about. */
#ifndef KANON_TABLE_YAML_YAML_READER_H
#define KANON_TABLE_YAML_YAML_READER_H

#include "table/schema/flow_text.h"
#include "table/schema/schema_keys.h"
#include "table/value/dictionary.h"

#include <yaml.h>

enum {
    KANON__YAML_DEPTH = 64, /* nested mappings and lists; also the bound of the recursion of those who read them */
    KANON__YAML_SHOWN = 80  /* bytes of a key in a message */
};

typedef struct kanon__yaml_reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one */
    int depth;
    const char *bytes;
    size_t size;
    const char *path;
    bool has_attributes;
    bool is_schema;       /* it had a key that schemas have */
    yaml_mark_t together; /* where entity-together stands */
    kanon_error *err;
} kanon__yaml_reader;

typedef struct kanon__yaml_key {
    char *text;
    yaml_mark_t mark;
} kanon__yaml_key;

typedef kanon_status (*kanon__yaml_value)(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target);

/* Names that must differ, and where each of them is. */
typedef struct kanon__yaml_names {
    kanon__dictionary texts;
    yaml_mark_t *marks;
    int64_t marks_capacity;
} kanon__yaml_names;

/* KANON_EDATA with the place of `mark`. */
kanon_status kanon__yaml_fail(const kanon__yaml_reader *r, yaml_mark_t mark, const char *format, ...) KANON__PRINTF(3, 4);
/* The current event is not what was `expected`. */
kanon_status kanon__yaml_fail_expected(const kanon__yaml_reader *r, const char *expected);
/* A key as a message can show it: short. */
const char *kanon__yaml_shown(char buffer[KANON__YAML_SHOWN], const char *text);

/* Go on to the next event. */
kanon_status kanon__yaml_next(kanon__yaml_reader *r);
/* The text of the current event, a scalar; whether it is YAML's null; whether it is that or an empty text. */
const char *kanon__yaml_text(const kanon__yaml_reader *r);
bool kanon__yaml_is_null(const kanon__yaml_reader *r);
bool kanon__yaml_is_empty(const kanon__yaml_reader *r);
kanon_status kanon__yaml_want_text(const kanon__yaml_reader *r, const char *expected);

void kanon__yaml_names_clear(kanon__yaml_names *n);
/* Add a text at the place of the current event; *first_line is not 0 where it was there before. */
kanon_status kanon__yaml_names_add(kanon__yaml_reader *r, kanon__yaml_names *n, const char *text, size_t length,
                                   size_t *first_line);

/* A mapping, whose values `read_value` reads; a list, whose items `read_item` reads. */
kanon_status kanon__yaml_mapping(kanon__yaml_reader *r, const char *expected, kanon__yaml_value read_value, void *target);
kanon_status kanon__yaml_list(kanon__yaml_reader *r, const char *expected,
                              kanon_status (*read_item)(kanon__yaml_reader *, void *), void *target);
/* Which of the names a key is. */
kanon_status kanon__yaml_key_of(kanon__yaml_reader *r, int *out, const kanon__yaml_key *k, const char *const *names,
                                size_t n);

/* What several keys have (attribute_yaml.c, taxonomy_yaml.c): what is wrong with something (KANON_EINVAL) is wrong at `mark`
 * of the file; one more text, null as an empty one; a value of the key, of the column or, where it is NULL, of the whole. */
kanon_status kanon__yaml_place(const kanon__yaml_reader *r, yaml_mark_t mark, kanon_status status);
kanon_status kanon__yaml_add_text(kanon__yaml_reader *r, kanon__texts *out);
kanon_status kanon__yaml_say(kanon__yaml_reader *r, kanon_schema *schema, kanon__attribute *attribute, int key);
/* A taxonomy that is written in the schema. */
kanon_status kanon__yaml_taxonomy(kanon__yaml_reader *r, kanon__tree **out);
/* What is said of the column that the key names; the target is the schema. */
kanon_status kanon__yaml_attribute(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target);

#endif
