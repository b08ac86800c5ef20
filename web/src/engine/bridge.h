/* The bridge between a page and the library: requests and answers in JSON, files by their names in the working folder.
 *
 * A request is {"do": NAME, ...}, an answer an object of what was found, or {"error": {"code", "message", "hint", "topic"}}.
 * The module of WebAssembly and a server on the same machine answer alike, since both call bridge_answer. protocol.ts has
 * the same requests as types. Only public headers of the library are used.
 *
 *     bridge.c            which request is answered by what, errors, the entry points of WebAssembly
 *     bridge_describe.c   before the work: sample, schema, proposal, profile, taxonomies
 *     bridge_run.c        the work: grouping, releases, the curve, checks of released files
 *     bridge_json.c       fields of requests, YAML as JSON */
#ifndef KANON_WEB_BRIDGE_H
#define KANON_WEB_BRIDGE_H

#include <jansson.h>
#include <kanon.h>

/* What outlives a request: the last run, so that its release can be had in another form. All zero at first. */
typedef struct bridge {
    kanon_context context;
    kanon_tick tick;
    void *payload;
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
    kanon_measures *measures;
} bridge;

/* The answer to a request; never NULL but where memory is out. */
json_t *bridge_answer(bridge *self, const json_t *request);
void bridge_forget(bridge *self);

/* One request each: what was found goes into `answer`, an empty object. */
typedef kanon_status bridge_request(bridge *self, const json_t *request, json_t *answer, kanon_error *err);
bridge_request bridge_about, bridge_sample, bridge_schema, bridge_propose, bridge_profile;
bridge_request bridge_taxonomy_build, bridge_taxonomy_show, bridge_taxonomy_check;
bridge_request bridge_run, bridge_measure, bridge_publish, bridge_tradeoff, bridge_check, bridge_evaluate;

/* ---- fields of a request ----------------------------------------------------------------------------------------- */

/* The text, number or truth of a field; NULL, 0 and 0 where it is not there. */
const char *bridge_text(const json_t *object, const char *name);
int64_t bridge_integer(const json_t *object, const char *name);
int bridge_flag(const json_t *object, const char *name);
/* A field that is one of several words, as its number; 0 where it is not there. */
int bridge_word(const json_t *object, const char *name);
/* A seed, as a number or as its digits; 0 where it is not there, and for all that is no seed one that the library
 * refuses. */
uint64_t bridge_seed(const json_t *object, const char *name);
/* Fail where a field is none of its words, or neither true nor false. */
kanon_status bridge_check_fields(const json_t *request, kanon_error *err);
/* A field {NAME: TEXT} as settings, to be freed with free; their texts belong to the request. NULL with *n 0: none. */
kanon_setting *bridge_settings(const json_t *object, const char *name, size_t *n);

/* ---- fields of an answer ----------------------------------------------------------------------------------------- */

/* A number, null where it is not finite. */
json_t *bridge_number(double value);
/* A text, null where it is NULL. */
json_t *bridge_string(const char *text);
json_t *bridge_strings(const char *const *texts, size_t n);
/* The YAML file at `path`: mappings as [[KEY, VALUE], ...] in "map", lists in "list", every scalar a text. */
kanon_status bridge_yaml(json_t **out, const char *path, kanon_error *err);

kanon_status bridge_fail(kanon_error *err, kanon_status status, const char *message);
/* How tables are read: {"table": PATH, "delimiter", "header", "encoding"}. */
kanon_read_options bridge_reading(bridge *self, const json_t *request);
/* The field "table", with how it is to be read. */
kanon_input bridge_table(const json_t *request);
/* {"schema": PATH} and the table, read with it. */
kanon_status bridge_read(kanon_schema **schema, kanon_table **table, bridge *self, const json_t *request, kanon_error *err);

#endif
