/* The report of a profile: one JSON object; NAN becomes null. */
#include "profile/profile.h"

#include "core/alloc.h"
#include "report/json_text.h"

#include <jansson.h>
#include <math.h>

enum { PROFILE_FORMAT = 1, MOST_SIZES = 1000 };

/* Set `key` to `value`, which is given away; false where either could not be made. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return object != NULL && json_object_set_new(object, key, value) == 0;
}

static bool set_integer(json_t *object, const char *key, int64_t value)
{
    return set(object, key, json_integer((json_int_t)value));
}

static bool set_real(json_t *object, const char *key, double value)
{
    return set(object, key, isfinite(value) ? json_real(value) : json_null());
}

/* A new object at the end of the list; borrowed. NULL: out of memory. */
static json_t *append_object(json_t *list)
{
    json_t *object = json_object();
    return json_array_append_new(list, object) == 0 ? object : NULL;
}

static bool set_counts(json_t *root, const kanon_profile *p)
{
    return set_integer(root, "format", PROFILE_FORMAT) && set(root, "kanon", json_string(kanon_version())) &&
           set_integer(root, "records", p->records) && set_integer(root, "persons", p->persons) &&
           set(root, "has_entity", json_boolean(p->has_entity)) && set_integer(root, "classes", p->classes) &&
           set_integer(root, "smallest_class", p->smallest) && set_integer(root, "largest_class", p->largest) &&
           set_real(root, "avg_class_size", p->average_class_size) &&
           set_integer(root, "unique_records", p->unique_records) &&
           set_integer(root, "unique_persons", p->unique_persons) && set_real(root, "highest_risk", p->highest_risk) &&
           set_real(root, "average_risk", p->average_risk) && set_integer(root, "sample_records", p->sample_records);
}

static bool set_sizes(json_t *root, const kanon_profile *p)
{
    json_t *list = json_array();
    bool good = set(root, "class_sizes", list);
    for (size_t i = 0; good && i < p->n_sizes && i < MOST_SIZES; i++) {
        json_t *one = append_object(list);
        good = set_integer(one, "size", p->sizes[i]->size) && set_integer(one, "classes", p->sizes[i]->classes);
    }
    return good;
}

static bool set_attributes(json_t *root, const kanon_profile *p)
{
    json_t *list = json_array();
    bool good = set(root, "attributes", list);
    for (size_t i = 0; good && i < p->n_attributes; i++) {
        const kanon_profile_attribute *a = p->attributes[i];
        json_t *one = append_object(list);
        good = set(one, "name", json_string(a->name)) &&
               set(one, "type", json_string(kanon_enum_text(KANON_ENUM_TYPE, a->type))) &&
               set_integer(one, "distinct", a->distinct) && set_integer(one, "missing", a->missing) &&
               set_integer(one, "unique", a->unique) && set_integer(one, "unique_without", a->unique_without);
    }
    return good;
}

static bool set_sets(json_t *root, const kanon_profile *p)
{
    json_t *list = json_array();
    bool good = set(root, "sets", list);
    for (size_t i = 0; good && i < p->n_sets; i++) {
        const kanon_column_set *s = p->sets[i];
        json_t *one = append_object(list), *names = json_array();
        good = set(one, "columns", names);
        for (size_t j = 0; good && j < s->n_columns; j++)
            good = json_array_append_new(names, json_string(s->columns[j])) == 0;
        good = good && set_integer(one, "classes", s->classes) && set_integer(one, "records", s->records) &&
               set_integer(one, "persons", s->persons) && set_real(one, "share", s->share);
    }
    return good;
}

static bool set_below(json_t *root, const kanon_profile *p)
{
    json_t *list = json_array();
    bool good = set(root, "below", list);
    for (size_t i = 0; good && i < p->n_below; i++) {
        const kanon_profile_below *b = p->below[i];
        json_t *one = append_object(list);
        good = set_integer(one, "k", b->k) && set_integer(one, "classes", b->classes) &&
               set_integer(one, "records", b->records) && set_integer(one, "persons", b->persons) &&
               set_real(one, "share", b->share);
    }
    return good;
}

static bool set_costs(json_t *root, const kanon_profile *p)
{
    json_t *list = json_array();
    bool good = set(root, "costs", list);
    for (size_t i = 0; good && i < p->n_costs; i++) {
        json_t *one = append_object(list);
        good = set_integer(one, "k", p->costs[i]->k) && set_real(one, "avg_loss", p->costs[i]->avg_loss) &&
               set_real(one, "seconds", p->costs[i]->seconds);
    }
    return good;
}

kanon_status kanon__profile_json(kanon__output *output, const kanon_profile *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    json_t *root = json_object();
    bool good = set_counts(root, p) && set_sizes(root, p) && set_attributes(root, p) && set_sets(root, p) &&
                set_below(root, p) && set_costs(root, p);
    char *text = good ? kanon__json_text(root) : NULL;
    if (text != NULL) {
        kanon__output_text(output, text);
        kanon__output_text(output, "\n");
    } else {
        st = kanon__fail(err, KANON_ENOMEM, "out of memory for the report");
    }
    kanon__free(text);
    json_decref(root);
    return st;
}
