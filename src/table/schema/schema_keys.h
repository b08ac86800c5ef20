/* The keys of a schema: one row for each thing that can be said of a column or of the whole. Reader and writer of schema
 * files, kanon_schema_set and kanon_schema_get go by these rows. */
#ifndef KANON_TABLE_SCHEMA_KEYS_H
#define KANON_TABLE_SCHEMA_KEYS_H

#include "table/schema/schema.h"

/* How it is written. */
typedef enum kanon__key_form {
    KANON__FORM_WORD = 0, /* one of `words` */
    KANON__FORM_NUMBER,
    KANON__FORM_TEXT,
    KANON__FORM_LIST,    /* [a, b], or a */
    KANON__FORM_EDGES,   /* likewise; kept with commas between the items */
    KANON__FORM_PAIRS,   /* {a: b}, or a=b,c=d */
    KANON__FORM_LISTS,   /* a list of lists; to say another one adds to it */
    KANON__FORM_MAPPINGS /* a list of mappings; likewise */
} kanon__key_form;

typedef struct kanon__saying kanon__saying;

typedef struct kanon__schema_key {
    const char *name;
    kanon__key_form form;
    const char *expected; /* "a weight" */
    const char *hint;     /* what would be right; NULL: nothing to say */
    const char *option;   /* whose words are those of the key; NULL: none */
    const char *noun;     /* what a column has that has it: "a mask"; NULL: it goes with any other key */
    unsigned types;       /* 1 << kanon_type, of columns that can have it */
    /* Check s->text or the items and keep what follows from them. Nothing has changed after a failure. NULL: any text */
    kanon_status (*take)(kanon__saying *s);
} kanon__schema_key;

/* Something that is being said. */
struct kanon__saying {
    kanon_schema *schema;
    kanon__attribute *attribute; /* NULL: it is about the whole */
    int key;                     /* a kanon__column_key or kanon__whole_key */
    kanon__texts items;          /* the text, or the texts of a list, or the names of pairs */
    kanon__texts values;         /* of pairs */
    bool is_list;                /* it was written as a list */
    bool from_file;              /* what cannot be beside it is not forgotten: the reader refuses it */
    int64_t wrong; /* the item that is to blame */
    kanon_error *err;
    const char *text; /* as it will be kept */
};

extern const kanon__schema_key kanon__column_keys[KANON__COLUMN_KEYS];
extern const kanon__schema_key kanon__whole_keys[KANON__WHOLE_KEYS];

/* Say it: it replaces what was said, or adds to it, and what cannot be beside it is forgotten. A message names no place.
 * Nothing has changed after a failure. */
kanon_status kanon__schema_say(kanon__saying *s);
/* Nothing is said of it any more. Of the whole, only to forget `empty` and `missing` takes memory. */
void kanon__attribute_forget(kanon__attribute *attribute, int key);
kanon_status kanon__schema_forget(kanon_schema *schema, int key, kanon_error *err);
/* Of what is said, the first that cannot be beside `key`; -1: there is none. */
int kanon__attribute_conflict(const kanon__attribute *attribute, int key);
/* Forget what cannot be beside `key`. */
void kanon__attribute_make_way(kanon__attribute *attribute, int key);
void kanon__saying_clear(kanon__saying *s);

#endif
