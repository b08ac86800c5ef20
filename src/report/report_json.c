/* The report for programs: one JSON object, with its sections in a fixed order. NAN becomes null, seeds beyond 2^63
 * become text. */
#include "core/alloc.h"
#include "report/criteria.h"
#include "report/json_text.h"
#include "report/markup.h"
#include "report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The version of the report's shape: raised when a name changes its meaning or goes away. */
enum { REPORT_FORMAT = 1 };

/* Set `key` to `value`, which is given away; false where either could not be made. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return object != NULL && json_object_set_new(object, key, value) == 0;
}

static json_t *text_list(const kanon__texts *texts)
{
    json_t *list = json_array();
    bool good = true;
    for (int64_t i = 0; good && i < texts->n; i++)
        good = json_array_append_new(list, kanon__json_string(texts->items[i])) == 0;
    return kanon__json_whole(list, good);
}

/* Every column with its role and type; others are told only what the release shows of the type. */
static json_t *column_list(const kanon_table *t, bool external)
{
    json_t *list = json_array();
    bool good = true;
    for (int i = 0; good && i < t->data.n_columns; i++) {
        const kanon__column *c = &t->data.columns[i];
        json_t *column = json_pack("{s:o, s:s}", "name", kanon__json_string(c->name), "role",
                                   kanon_enum_text(KANON_ENUM_ROLE, c->role));
        good = json_array_append_new(list, column) == 0;
        if (!good || c->domain == NULL)
            continue;
        const char *type = external ? kanon__told_type(c->domain) : kanon_enum_text(KANON_ENUM_TYPE, c->domain->type);
        good = set(column, "type", json_string(type)) && set(column, "weight", json_real(c->weight));
    }
    return kanon__json_whole(list, good);
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
static bool set_figures(json_t *root, const kanon__report *r)
{
    const kanon_measures *m = r->measures;
    json_t *formulas = json_object(), *attributes = json_object();
    bool good = set(root, "formulas", formulas) && set(root, "attributes", attributes);
    if (!r->external)
        good = good && set(root, "measure_settings", text_list(&m->settings));
    if (!r->external && m->certificate != NULL)
        good = good && set(root, "certificate", kanon__json_bytes(m->certificate, strlen(m->certificate)));
    for (size_t i = 0; good && i < m->n; i++) {
        const kanon_figure *f = &m->figures[i];
        json_t *place = f->attribute == NULL ? root : object_of(attributes, f->attribute);
        good = set(place, f->name, kanon__json_figure(f)) && set(formulas, f->name, json_string(f->formula));
    }
    return good;
}

/* The settings that give the groups again where a clock or a signal had a part in them. */
static json_t *repeat_list(const kanon_grouping *g)
{
    const kanon_setting *pairs;
    size_t n = kanon_grouping_repeat(g, &pairs);
    json_t *list = json_object();
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
        good = set(list, pairs[i].name, kanon__json_string(pairs[i].value));
    return kanon__json_whole(list, good);
}

/* What the algorithm chose or found, and what a clock did, is not for others: originals decide it. */
static bool set_origin(json_t *root, const kanon__report *r)
{
    const kanon_grouping *g = r->made;
    bool good = set(root, "algorithm", g->algorithm != NULL ? json_string(g->algorithm) : json_null());
    if (r->measures->k > 0)
        good = good && set(root, "k_asked", json_integer(r->measures->k));
    if (g->algorithm == NULL)
        return good;
    good = good && set(root, "recode", json_string(g->recode_maps != NULL ? "attribute" : "record")) &&
           set(root, "revision", json_integer(g->revision));
    if (g->refinement != NULL)
        good = good && set(root, "refinement", json_string(g->refinement));
    if (r->external)
        return good;
    if (g->blocks > 0)
        good = good && set(root, "blocks", json_integer(g->blocks));
    if (g->notes.n > 0)
        good = good && set(root, "notes", text_list(&g->notes));
    if (g->refinement != NULL)
        good = good && set(root, "refine_settings", text_list(&g->refine_settings));
    good = good && set(root, "stopped", json_boolean(g->stopped));
    if (g->repeat.n > 0)
        good = good && set(root, "repeat", repeat_list(g));
    return good && set(root, "settings", text_list(&g->settings)) && set(root, "seed", kanon__json_seed(g->seed)) &&
           set(root, "seconds", json_real(g->seconds));
}

/* A figure that may not be there, or be infinite. */
static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The constraints in addition to k, what is reached, and what they cost; for others, what was asked. */
static bool set_requirements(json_t *root, const kanon__report *r)
{
    const kanon_grouping *g = r->made;
    json_t *list = json_array();
    bool good = set(root, "constraints", list);
    for (int64_t i = 0; good && i < g->n_constraints; i++) {
        json_t *one = json_object();
        good = json_array_append_new(list, one) == 0 && set(one, "sentence",
                                                            kanon__json_string(g->constraints[i].sentence)) &&
               set(one, "asked", real_or_null(g->constraints[i].asked));
        if (!r->external)
            good = good && set(one, "reached", real_or_null(g->constraints[i].reached));
    }
    if (r->external)
        return good;
    if (r->table->data.has_entity)
        good = good && set(root, "entities", json_integer(r->table->data.n_entities));
    if (g->most_suppressed >= 0)
        good = good && set(root, "most_suppressed", json_integer(g->most_suppressed));
    if (g->n_constraints > 0 || g->most_suppressed >= 0)
        good = good && set(root, "loss_without_constraints", real_or_null(g->loss_without));
    return good;
}

/* What somebody who has to sign reads first, row by row. */
static json_t *verdict_list(const kanon_verdict *verdict)
{
    const kanon_verdict_row *row;
    json_t *list = json_array();
    bool good = true;
    for (size_t i = 0; good && (row = kanon_verdict_at(verdict, i)) != NULL; i++)
        good = json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:b}", "row", row->name, "heading", row->heading,
                                                     "mark", kanon_enum_text(KANON_ENUM_MARK, (int)row->mark), "sentence",
                                                     kanon__json_string(row->sentence), "asked", row->asked)) == 0;
    return kanon__json_whole(list, good);
}

/* The audit of a release of a state with all before it. What classes there are only the originals tell, so an external
 * report has what is required alone. */
static bool set_joint(json_t *root, const kanon__report *r)
{
    const kanon__joint_status *j = &r->grouping->joint;
    if (j->releases == 0 || (r->external && !j->required))
        return true;
    json_t *joint = json_object();
    bool good = set(root, "joint", joint) && set(joint, "required", j->required ? json_integer(j->k) : json_null());
    if (r->external)
        return good;
    return good && set(joint, "releases", json_integer(j->releases)) && set(joint, "k", json_integer(j->k)) &&
           set(joint, "joint_k", json_integer(j->smallest)) && set(joint, "records_below_k", json_integer(j->below)) &&
           set(joint, "made_below_k", json_integer(j->made_below)) && set(joint, "withheld", json_integer(j->withheld)) &&
           set(joint, "holds", json_boolean(j->made_below == 0));
}

/* What the schema says of the release, and the threshold. */
static bool set_release(json_t *root, const kanon__report *r)
{
    json_t *said = json_object();
    bool good = set(root, "release", said);
    for (int i = 0; good && i < KANON__RELEASE_KEYS; i++) {
        const char *text = kanon__report_said(r, &kanon__release_keys[i]);
        if (text != NULL)
            good = set(said, kanon__release_keys[i].name, kanon__json_bytes(text, strlen(text)));
    }
    kanon__threshold t = kanon__report_threshold(r);
    bool known = isfinite(t.chosen) && isfinite(t.risk);
    return good && set(root, "threshold_chosen", real_or_null(t.chosen)) &&
           set(root, "threshold_met", known ? json_boolean(t.met) : json_null());
}

/* The figure of a criterion: one of the table, or an object by column; null: it was not counted. Others see only those that
 * the release shows. */
static bool set_criterion(json_t *object, const kanon__report *r, const char *name)
{
    const kanon_figure *f = kanon_measures_find(r->measures, name, NULL);
    json_t *columns = NULL;
    bool good = true;
    if (f != NULL)
        return set(object, name, kanon__json_figure(f));
    for (size_t i = 0; good && (f = kanon_measures_at(r->measures, i)) != NULL; i++) {
        if (f->attribute == NULL || strcmp(f->name, name) != 0)
            continue;
        if (columns == NULL)
            good = set(object, name, columns = json_object());
        good = good && set(columns, f->attribute, kanon__json_figure(f));
    }
    return good && (columns != NULL || r->external || set(object, name, json_null())); /* others are told what there is */
}

static bool set_criteria(json_t *root, const kanon__report *r)
{
    json_t *all = json_object();
    bool good = set(root, "criteria", all);
    for (int i = 0; good && i < KANON__CRITERIA; i++) {
        json_t *one = json_object();
        good = set(all, kanon__criteria[i].name, one);
        for (int j = 0; good && j < KANON__CRITERION_FIGURES && kanon__criteria[i].figures[j].name != NULL; j++)
            good = set_criterion(one, r, kanon__criteria[i].figures[j].name);
    }
    return good;
}

/* Input and release with their checksums. */
static bool set_files(json_t *root, const kanon__report *r, const char *input_sha256)
{
    bool good = true;
    if (!r->external) {
        const char *name = r->table->source->name;
        json_t *input = json_object();
        good = set(root, "input", input) && set(input, "path", kanon__json_bytes(name, strlen(name))) &&
               set(input, "sha256", json_string(input_sha256));
    }
    if (good && r->release_path != NULL) {
        const char *shown = r->external ? kanon__file_name(r->release_path) : r->release_path;
        json_t *output = json_object();
        good = set(root, "output", output) &&
               set(output, "path", kanon__json_bytes(shown, strlen(shown))) &&
               set(output, "sha256", r->release_sha256[0] != '\0' ? json_string(r->release_sha256) : json_null()) &&
               set(output, "numeric", json_string(r->numeric)) &&
               set(output, "shuffled", json_boolean(r->shuffle)) &&
               set(output, "order", json_string(r->shuffle ? "a keyed hash of the released rows" : "that of the input"));
    }
    return good;
}

/* ---- what the page shows as plots -------------------------------------------------------------------------------- */

/* How many records are above each threshold, before and after. */
static json_t *threshold_list(const kanon__report_data *d, bool external)
{
    json_t *list = json_array();
    bool good = true;
    for (int i = 0; good && i < KANON__N_THRESHOLDS; i++) {
        json_t *item = json_pack("{s:i, s:I, s:b}", "group_size", kanon__thresholds[i], "records_above",
                                 (json_int_t)d->above[KANON__AFTER][i], "met", d->above[KANON__AFTER][i] == 0);
        good = json_array_append_new(list, item) == 0;
        if (!external)
            good = good && set(item, "records_above_before", json_integer(d->above[KANON__BEFORE][i]));
    }
    return kanon__json_whole(list, good);
}

static bool set_bin(json_t *item, const kanon__bin *bin, bool with_loss)
{
    return set(item, "from", json_integer(bin->lo)) &&
           set(item, "to", bin->hi == INT64_MAX ? json_null() : json_integer(bin->hi)) &&
           set(item, "groups", json_integer(bin->groups)) && set(item, "records", json_integer(bin->records)) &&
           (!with_loss || set(item, "loss", json_real(bin->loss)));
}

static json_t *bin_list(const kanon__bins *bins, bool with_loss)
{
    json_t *list = json_array();
    bool good = true;
    for (int i = 0; good && i < bins->n; i++) {
        json_t *item = json_object();
        good = json_array_append_new(list, item) == 0 && set_bin(item, &bins->items[i], with_loss);
    }
    return kanon__json_whole(list, good);
}

static bool set_variety(json_t *root, const kanon__report *r, const kanon__report_data *d)
{
    json_t *all = json_object();
    bool good = set(root, "sensitive_values", all);
    for (int i = 0; good && i < r->table->data.n_sensitive; i++) {
        json_t *one = json_object();
        good = set(all, r->table->data.columns[r->table->data.sensitive[i]].name, one) &&
               set(one, "groups_by_distinct_values", bin_list(&d->variety[i].distinct, false)) &&
               set(one, "groups_by_percent_of_top_value", bin_list(&d->variety[i].top, false));
    }
    return good;
}

static bool set_worst(json_t *root, const kanon__report_data *d)
{
    return set(root, "worst_groups",
               json_pack("{s:I, s:I, s:f}", "groups", (json_int_t)d->worst_groups, "records", (json_int_t)d->worst_records,
                         "loss", d->worst_loss));
}

static bool set_data(json_t *root, const kanon__report *r, const kanon__report_data *d)
{
    bool good = set(root, "group_sizes", bin_list(&d->sizes, !r->external)) && set_variety(root, r, d);
    if (kanon__report_has_risks(r))
        good = good && set(root, "thresholds", threshold_list(d, r->external)) &&
               set(root, "class_sizes_after", bin_list(&d->risk[KANON__AFTER], false));
    if (!r->external)
        good = good && set(root, "class_sizes_before", bin_list(&d->risk[KANON__BEFORE], false)) && set_worst(root, d) &&
               set(root, "loss_by_class_before", bin_list(&d->kinds, true));
    return good;
}

/* What is advised, as sentences. */
static json_t *advice_list(const kanon_advice *advice)
{
    json_t *list = json_array();
    const kanon_advice_item *item;
    bool good = true;
    for (size_t i = 0; good && (item = kanon_advice_at(advice, i)) != NULL; i++)
        good = json_array_append_new(list, kanon__json_string(item->sentence)) == 0;
    return kanon__json_whole(list, good);
}

/* What was tried of it: the change, and what it saves. */
static json_t *tried_list(const kanon_advice *advice)
{
    json_t *list = json_array();
    const kanon_advice_item *item;
    bool good = true;
    for (size_t i = 0; good && (item = kanon_advice_at(advice, i)) != NULL; i++) {
        if (!isfinite(item->saves))
            continue;
        json_t *one = json_object();
        good = json_array_append_new(list, one) == 0 && set(one, "option", json_string(item->option)) &&
               set(one, "value", kanon__json_string(item->value)) && set(one, "saves", json_real(item->saves)) &&
               set(one, "others", real_or_null(item->others)) &&
               set(one, "column", item->column != NULL ? kanon__json_string(item->column) : json_null());
    }
    return kanon__json_whole(list, good);
}

/* Those about privacy first, as kanon_table_notice_at has them. */
static json_t *warning_list(const kanon__report *r)
{
    json_t *list = text_list(&r->table->privacy);
    const kanon__texts *more[] = {&r->grouping->privacy, &r->table->warnings, &r->grouping->warnings};
    bool good = list != NULL;
    for (int i = 0; good && i < 3; i++) {
        json_t *part = text_list(more[i]);
        good = json_array_extend(list, part) == 0;
        json_decref(part);
    }
    return kanon__json_whole(list, good);
}

/* JSON escapes say the same as the characters themselves, and a terminal can show them. */
static void write_text(kanon__output *o, const char *text)
{
    const char *end = text + strlen(text), *from = text;
    char spelled[KANON__ESCAPE_SIZE];
    while (text < end) {
        const char *at = text;
        uint32_t code = kanon__utf8_next(&text, end);
        if (code < 0x7F || !kanon__must_escape(code))
            continue;
        kanon__output_write(o, from, (size_t)(at - from));
        snprintf(spelled, sizeof spelled, "\\u%04x", (unsigned)code);
        kanon__output_text(o, spelled);
        from = text;
    }
    kanon__output_write(o, from, (size_t)(end - from));
}

kanon_status kanon__report_json(kanon__output *output, const kanon__report *r, const kanon__report_data *data,
                                const char *input_sha256, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *text = NULL;
    json_t *root = json_object();
    bool good = set(root, "format", json_integer(REPORT_FORMAT)) && set(root, "kanon", json_string(kanon_version())) &&
                set(root, "external", json_boolean(r->external)) && set_figures(root, r) && set_origin(root, r) &&
                set_requirements(root, r) && set_joint(root, r) && set(root, "verdict", verdict_list(r->verdict)) &&
                set_release(root, r) && set_criteria(root, r) && set_files(root, r, input_sha256) &&
                set_data(root, r, data) && set(root, "columns", column_list(r->table, r->external));
    if (!r->external)
        good = good && set(root, "advice", advice_list(r->advice)) && set(root, "advice_tried", tried_list(r->advice)) &&
               set(root, "warnings", warning_list(r));
    if (good)
        text = kanon__json_text(root);
    if (text == NULL)
        KANON_TRY(kanon__fail(err, KANON_ENOMEM, "out of memory for the report"), out);
    write_text(output, text);
    kanon__output_text(output, "\n");
out:
    kanon__free(text);
    json_decref(root);
    return st;
}
