#include "report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The version of the report's shape: raised when a name changes its meaning or goes away. */
enum { REPORT_FORMAT = 1 };

static json_t *text_list(const kanon__texts *texts)
{
    json_t *list = json_array();
    for (int64_t i = 0; list != NULL && i < texts->n; i++)
        if (json_array_append_new(list, json_string(texts->items[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *figure_value(const kanon_figure *figure)
{
    if (figure->whole && fabs(figure->value) < 9e15)
        return json_integer((json_int_t)figure->value);
    return isfinite(figure->value) ? json_real(figure->value) : json_null();
}

static json_t *column_list(const kanon_table *t)
{
    json_t *list = json_array();
    for (int i = 0; list != NULL && i < t->n_columns; i++) {
        const kanon__column *c = &t->columns[i];
        json_t *column = json_pack("{s:s, s:s}", "name", c->name, "role", kanon_role_text(c->role));
        bool good = column != NULL;
        if (good && c->encoded)
            good = json_object_set_new(column, "type", json_string(kanon_type_text(c->type))) == 0 &&
                   json_object_set_new(column, "weight", json_real(c->weight)) == 0;
        if (!good || json_array_append_new(list, column) != 0) {
            if (!good)
                json_decref(column);
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* Set `key` to `value`, which is given away; false where either could not be made. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return object != NULL && json_object_set_new(object, key, value) == 0;
}

/* The object of a column inside `parent`, made where it is not there yet; borrowed. */
static json_t *object_of(json_t *parent, const char *column)
{
    json_t *object = json_object_get(parent, column);
    if (object != NULL)
        return object;
    return set(parent, column, json_object()) ? json_object_get(parent, column) : NULL;
}

/* Figures of the whole table stand at the top, those of a column under "attributes". */
static bool set_figures(json_t *root, const kanon_measures *m)
{
    json_t *formulas = json_object(), *attributes = json_object();
    bool good = set(root, "formulas", formulas) && set(root, "attributes", attributes);
    for (size_t i = 0; good && i < m->n; i++) {
        const kanon_figure *f = &m->figures[i];
        json_t *place = f->attribute == NULL ? root : object_of(attributes, f->attribute);
        good = set(place, f->name, figure_value(f)) && set(formulas, f->name, json_string(f->formula));
    }
    return good;
}

/* JSON's whole numbers end at 2^63; seeds beyond are text. */
static json_t *seed_value(uint64_t seed)
{
    char text[24];
    if (seed <= INT64_MAX)
        return json_integer((json_int_t)seed);
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    return json_string(text);
}

static bool set_origin(json_t *root, const kanon_grouping *g)
{
    bool good = set(root, "algorithm", g->algorithm != NULL ? json_string(g->algorithm) : json_null());
    if (g->algorithm == NULL)
        return good;
    if (g->refinement != NULL)
        good = good && set(root, "refinement", json_string(g->refinement));
    return good && set(root, "revision", json_integer(g->revision)) && set(root, "settings", text_list(&g->settings)) &&
           set(root, "k_asked", json_integer(g->k)) && set(root, "seed", seed_value(g->seed)) &&
           set(root, "seconds", json_real(g->seconds));
}

static bool set_files(json_t *root, const kanon__report *r, const char *input_sha256)
{
    bool good = set(root, "input", json_pack("{s:s, s:s}", "path", r->table->input.path, "sha256", input_sha256));
    if (r->release_path != NULL)
        good = good && set(root, "output", json_pack("{s:s, s:s, s:s}", "path", r->release_path, "sha256", r->release_sha256,
                                                     "numeric", r->numeric));
    return good;
}

kanon_status kanon__report_write(kanon__output *output, const kanon__report *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char input_sha256[KANON__SHA256_TEXT];
    char *text = NULL;
    json_t *root = json_object();
    KANON_TRY(kanon__sha256_of(input_sha256, r->table->input.bytes, r->table->input.size, err), out);
    bool good = set(root, "format", json_integer(REPORT_FORMAT)) && set(root, "kanon", json_string(kanon_version())) &&
                set_figures(root, r->measures) && set_origin(root, r->grouping) && set_files(root, r, input_sha256) &&
                set(root, "columns", column_list(r->table)) && set(root, "warnings", text_list(&r->grouping->warnings));
    if (good)
        text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    if (text == NULL) {
        st = kanon__fail(err, KANON_ENOMEM, "out of memory for the report");
        goto out;
    }
    kanon__output_text(output, text);
    kanon__output_text(output, "\n");
out:
    free(text);
    json_decref(root);
    return st;
}
