/* See bridge.h: the work. A run reads, groups, measures and publishes as `kanon anonymize` does, in the same order and
 * with the same defaults, so that equal requests give equal bytes. */
#include "bridge.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

kanon_input bridge_table(const json_t *request)
{
    return (kanon_input){
        .struct_size = sizeof(kanon_input),
        .location = bridge_text(request, "table"),
        .delimiter = bridge_text(request, "delimiter"),
        .header = (kanon_header)bridge_word(request, "header"),
        .encoding = bridge_text(request, "encoding"),
    };
}

kanon_read_options bridge_reading(bridge *self, const json_t *request)
{
    return (kanon_read_options){
        .struct_size = sizeof(kanon_read_options),
        .threads = self->context.threads,
        .memory = bridge_integer(request, "memory"),
        .tick = self->tick,
        .payload = self->payload,
        .context = &self->context,
    };
}

/* Whether the request asks for distances on all columns, which must all be encoded then. */
static int clusters_on_all(const json_t *request)
{
    const char *asked = bridge_text(json_object_get(request, "settings"), "cluster-on");
    return asked != NULL && strcmp(asked, "all") == 0;
}

kanon_status bridge_read(kanon_schema **schema, kanon_table **table, bridge *self, const json_t *request, kanon_error *err)
{
    const char *path = bridge_text(request, "schema");
    if (path == NULL || bridge_text(request, "table") == NULL)
        return bridge_fail(err, KANON_EINVAL, "no table, or no schema");
    kanon_status st = kanon_schema_read(schema, KANON_PATH(path), &self->context, err);
    kanon_read_options reading = bridge_reading(self, request);
    if (st != KANON_OK)
        return st;
    reading.encode_all = clusters_on_all(request);
    const kanon_input input = bridge_table(request);
    return kanon_table_read(table, &input, *schema, &reading, err);
}

/* ---- what was found ---------------------------------------------------------------------------------------------- */

static json_t *figures_of(const kanon_measures *measures)
{
    json_t *table = json_object(), *columns = json_object();
    for (size_t i = 0; kanon_measures_at(measures, i) != NULL; i++) {
        const kanon_figure *f = kanon_measures_at(measures, i);
        json_t *of = table;
        if (f->attribute != NULL && (of = json_object_get(columns, f->attribute)) == NULL)
            json_object_set_new(columns, f->attribute, of = json_object());
        json_object_set_new(of, f->name, bridge_number(f->value));
    }
    return json_pack("{s:o, s:o}", "table", table, "columns", columns);
}

static json_t *table_warnings(const kanon_table *table)
{
    json_t *out = json_array();
    const kanon_notice *notice;
    for (size_t i = 0; (notice = kanon_table_notice_at(table, i)) != NULL; i++)
        json_array_append_new(
            out, json_pack("{s:s, s:b}", "text", notice->text, "privacy", notice->kind == KANON_NOTICE_PRIVACY));
    return out;
}

/* The notes, or all that are none. */
static json_t *grouping_texts(const kanon_grouping *grouping, int notes)
{
    json_t *out = json_array();
    const kanon_notice *notice;
    for (size_t i = 0; (notice = kanon_grouping_notice_at(grouping, i)) != NULL; i++)
        if ((notice->kind == KANON_NOTICE_NOTE) == notes)
            json_array_append_new(out, json_string(notice->text));
    return out;
}

static json_t *advice_of(const kanon_table *table, const kanon_grouping *grouping)
{
    json_t *out = json_array();
    kanon_advice *advice = NULL;
    const kanon_advice_item *item;
    if (kanon_advise(&advice, table, grouping, NULL) != KANON_OK)
        return out;
    for (size_t i = 0; (item = kanon_advice_at(advice, i)) != NULL; i++)
        json_array_append_new(out, json_pack("{s:s, s:o}", "text", item->sentence, "topic", bridge_string(item->topic)));
    kanon_advice_free(advice);
    return out;
}

static json_t *verdict_rows(const kanon_verdict *verdict)
{
    json_t *out = json_array();
    const kanon_verdict_row *row;
    for (size_t i = 0; (row = kanon_verdict_at(verdict, i)) != NULL; i++)
        json_array_append_new(out, json_pack("{s:s, s:s, s:s, s:s}", "row", row->name, "heading", row->heading, "mark",
                                             kanon_enum_text(KANON_ENUM_MARK, (int)row->mark), "sentence", row->sentence));
    return out;
}

static json_t *verdict_of(const bridge *self, const json_t *request)
{
    kanon_verdict *verdict = NULL;
    const kanon_output nowhere = {.struct_size = sizeof nowhere}; /* only that there is a release matters */
    const kanon_outputs outputs = {.struct_size = sizeof outputs,
                                   .release = &nowhere,
                                   .measures = self->measures,
                                   .shuffle = bridge_flag(request, "shuffle")};
    if (kanon_verdict_of(&verdict, self->table, self->grouping, &outputs, NULL) != KANON_OK)
        return json_array();
    json_t *rows = verdict_rows(verdict);
    kanon_verdict_free(verdict);
    return rows;
}

/* How many groups have which size, and which share of each quasi column shows nothing any more. */
static kanon_status put_view(json_t *answer, const bridge *self, kanon_error *err)
{
    kanon_group_view *view = NULL;
    kanon_status st = kanon_group_view_new(&view, self->table, self->grouping, err);
    if (st != KANON_OK)
        return st;
    json_t *sizes = json_object(), *general = json_object();
    char key[24];
    for (int64_t g = 1; g <= kanon_group_view_groups(view); g++) {
        snprintf(key, sizeof key, "%lld", (long long)kanon_group_view_records(view, g));
        json_object_set_new(sizes, key, json_integer(json_integer_value(json_object_get(sizes, key)) + 1));
    }
    const kanon_table_column *column;
    for (int c = 0; (column = kanon_table_column_at(self->table, (size_t)c)) != NULL; c++)
        if (column->role == KANON_ROLE_QUASI)
            json_object_set_new(general, column->name, bridge_number(kanon_group_view_general(view, c)));
    json_object_set_new(answer, "sizes", sizes);
    json_object_set_new(answer, "general", general);
    kanon_group_view_free(view);
    return KANON_OK;
}

static json_t *columns_of(const kanon_table *table)
{
    json_t *out = json_array();
    const kanon_table_column *column;
    for (size_t c = 0; (column = kanon_table_column_at(table, c)) != NULL; c++)
        json_array_append_new(out, json_pack("{s:s, s:s, s:s}", "name", column->name, "role",
                                             kanon_enum_text(KANON_ENUM_ROLE, column->role),
                                             "type", kanon_enum_text(KANON_ENUM_TYPE, column->type)));
    return out;
}

static json_t *repeat_of(const kanon_grouping *grouping)
{
    const kanon_setting *pairs;
    json_t *out = json_object();
    size_t n = kanon_grouping_repeat(grouping, &pairs);
    for (size_t i = 0; i < n; i++)
        json_object_set_new(out, pairs[i].name, json_string(pairs[i].value));
    return out;
}

static kanon_status put_result(json_t *answer, const bridge *self, kanon_error *err)
{
    const kanon_grouping *g = self->grouping;
    const kanon_grouping_info *made = kanon_grouping_describe(g);
    json_object_set_new(answer, "records", json_integer(made->rows));
    json_object_set_new(answer, "groups", json_integer(made->groups));
    json_object_set_new(answer, "suppressed", json_integer(made->suppressed));
    json_object_set_new(answer, "smallest", json_integer(made->smallest));
    json_object_set_new(answer, "algorithm", bridge_string(made->algorithm));
    json_object_set_new(answer, "stopped", json_boolean(made->stopped));
    json_object_set_new(answer, "repeat", repeat_of(g));
    json_object_set_new(answer, "columns", columns_of(self->table));
    json_object_set_new(answer, "warnings", table_warnings(self->table));
    json_object_set_new(answer, "remarks", grouping_texts(g, 0));
    json_object_set_new(answer, "notes", grouping_texts(g, 1));
    return put_view(answer, self, err);
}

/* ---- run and publish --------------------------------------------------------------------------------------------- */

static kanon_status group(bridge *self, const json_t *request, kanon_error *err)
{
    size_t n_settings, n_refine_settings;
    kanon_setting *settings = bridge_settings(request, "settings", &n_settings);
    kanon_setting *refine_settings = bridge_settings(request, "refineSettings", &n_refine_settings);
    kanon_options grouping = {
        .struct_size = sizeof grouping,
        .k = bridge_integer(request, "k"),
        .algorithm = bridge_text(request, "algorithm"),
        .settings = settings,
        .n_settings = n_settings,
        .refine = bridge_text(request, "refine"),
        .refine_settings = refine_settings,
        .n_refine_settings = n_refine_settings,
        .effort = bridge_text(request, "effort"),
        .suppress = bridge_text(request, "suppress"),
        .recode = (kanon_recode)bridge_word(request, "recode"),
        .compare = bridge_flag(request, "compare"),
        .seed = bridge_seed(request, "seed"),
        .memory = bridge_integer(request, "memory"),
        .threads = self->context.threads,
        .tick = self->tick,
        .payload = self->payload,
    };
    kanon_status st = kanon_anonymize(&self->grouping, self->table, &grouping, err);
    free(settings);
    free(refine_settings);
    return st;
}

/* {"numeric", "shuffle", "shuffleSeed", "command", "outputs": {"release": PATH, ...}} */
static kanon_status publish(bridge *self, const json_t *request, kanon_error *err)
{
    const json_t *paths = json_object_get(request, "outputs");
    kanon_outputs outputs = {
        .struct_size = sizeof outputs,
        .release = KANON_TO_PATH(bridge_text(paths, "release")),
        .groups = KANON_TO_PATH(bridge_text(paths, "groups")),
        .report = KANON_TO_PATH(bridge_text(paths, "report")),
        .report_external = KANON_TO_PATH(bridge_text(paths, "reportExternal")),
        .codebook = KANON_TO_PATH(bridge_text(paths, "codebook")),
        .numeric = (kanon_numeric)bridge_word(request, "numeric"),
        .shuffle = bridge_flag(request, "shuffle"),
        .shuffle_seed = bridge_seed(request, "shuffleSeed"),
        .command = bridge_text(request, "command"),
        .measures = self->measures,
        .threads = self->context.threads,
        .tick = self->tick,
        .payload = self->payload,
    };
    return kanon_publish(self->table, self->grouping, &outputs, err);
}

/* Counts and loss, which cost next to nothing, or every measure. */
static kanon_status measure(kanon_measures **out, const bridge *self, int brief, kanon_error *err)
{
    kanon_evaluate_options evaluating = {
        .struct_size = sizeof evaluating,
        .brief = brief,
        .threads = self->context.threads,
        .tick = self->tick,
        .payload = self->payload,
    };
    return kanon_evaluate(out, self->table, self->grouping, &evaluating, err);
}

/* The release comes first: measures can take longer than the grouping, and are asked for afterwards. */
kanon_status bridge_run(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_measures *brief = NULL;
    bridge_forget(self);
    kanon_status st = bridge_read(&self->schema, &self->table, self, request, err);
    if (st == KANON_OK)
        st = group(self, request, err);
    if (st == KANON_OK)
        st = publish(self, request, err);
    if (st == KANON_OK)
        st = measure(&brief, self, 1, err);
    if (st == KANON_OK) {
        json_object_set_new(answer, "figures", figures_of(brief));
        st = put_result(answer, self, err);
    }
    kanon_measures_free(brief);
    if (st != KANON_OK)
        bridge_forget(self);
    return st;
}

kanon_status bridge_measure(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (self->grouping == NULL)
        return bridge_fail(err, KANON_EINVAL, "nothing was run yet");
    if (self->measures == NULL)
        st = measure(&self->measures, self, 0, err);
    if (st == KANON_OK) {
        json_object_set_new(answer, "figures", figures_of(self->measures));
        json_object_set_new(answer, "advice", advice_of(self->table, self->grouping));
        json_object_set_new(answer, "verdict", verdict_of(self, request));
    }
    return st;
}

kanon_status bridge_publish(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    (void)answer;
    return self->grouping != NULL ? publish(self, request, err) : bridge_fail(err, KANON_EINVAL, "nothing was run yet");
}

/* ---- curve ------------------------------------------------------------------------------------------------------- */

static json_t *point_of(const kanon_curve_point *point)
{
    json_t *settings = json_object(), *figures = json_object();
    for (size_t i = 0; i < point->n_settings; i++)
        json_object_set_new(settings, point->settings[i].name, json_string(point->settings[i].value));
    for (size_t i = 0; i < point->n_figures; i++)
        json_object_set_new(figures, point->figures[i]->name, bridge_number(point->figures[i]->value));
    return json_pack("{s:o, s:o, s:s, s:I}", "settings", settings, "figures", figures, "result",
                     kanon_enum_text(KANON_ENUM_POINT_RESULT, point->result), "fromK", (json_int_t)point->from_k);
}

kanon_status bridge_tradeoff(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_curve *curve = NULL;
    kanon_tradeoff_options grid = {
        .struct_size = sizeof grid,
        .k = bridge_text(request, "ks"),
        .suppress = bridge_text(request, "suppress"),
        .algorithm = bridge_text(request, "algorithm"),
        .effort = bridge_text(request, "effort"),
        .refine = bridge_text(request, "refine"),
        .seed = bridge_seed(request, "seed"),
        .threads = self->context.threads,
        .tick = self->tick,
        .payload = self->payload,
    };
    kanon_status st = bridge_read(&schema, &table, self, request, err);
    if (st == KANON_OK)
        st = kanon_tradeoff(&curve, table, &grid, err);
    json_t *points = json_array();
    int recommended = -1;
    for (size_t i = 0; st == KANON_OK && kanon_curve_at(curve, i) != NULL; i++) {
        json_array_append_new(points, point_of(kanon_curve_at(curve, i)));
        if (kanon_curve_at(curve, i) == kanon_curve_recommended(curve))
            recommended = (int)i;
    }
    json_object_set_new(answer, "points", points);
    json_object_set_new(answer, "recommended", json_integer(recommended));
    kanon_curve_free(curve);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st;
}

/* ---- somebody else's file ---------------------------------------------------------------------------------------- */

static void put_constraints(json_t *answer, const kanon_check *c)
{
    json_t *figures = json_array(), *constraints = json_array(), *smallest = json_array();
    for (size_t i = 0; i < c->n_figures; i++)
        json_array_append_new(figures, json_pack("{s:s, s:s, s:s, s:o}", "model", c->figures[i]->model, "attribute",
                                                 c->figures[i]->attribute, "figure", c->figures[i]->figure, "value",
                                                 bridge_number(c->figures[i]->value)));
    for (size_t i = 0; i < c->n_constraints; i++)
        json_array_append_new(constraints,
                              json_pack("{s:s, s:o, s:o, s:b}", "sentence", c->constraints[i]->sentence, "asked",
                                        bridge_number(c->constraints[i]->asked), "reached",
                                        bridge_number(c->constraints[i]->reached), "holds", c->constraints[i]->holds));
    for (size_t i = 0; i < c->n_smallest; i++)
        json_array_append_new(smallest,
                              json_pack("[I, I]", (json_int_t)c->smallest[i]->size, (json_int_t)c->smallest[i]->classes));
    json_object_set_new(answer, "figures", figures);
    json_object_set_new(answer, "constraints", constraints);
    json_object_set_new(answer, "smallest", smallest);
}

static void put_check(json_t *answer, const kanon_check *c)
{
    json_object_set_new(answer, "records", json_integer(c->records));
    json_object_set_new(answer, "suppressed", json_integer(c->suppressed));
    json_object_set_new(answer, "classes", json_integer(c->classes));
    json_object_set_new(answer, "k", json_integer(c->k));
    json_object_set_new(answer, "kAsked", json_integer(c->k_asked));
    json_object_set_new(answer, "highestRisk", bridge_number(c->highest_risk));
    json_object_set_new(answer, "averageRisk", bridge_number(c->average_risk));
    json_object_set_new(answer, "shareAtRisk", bridge_number(c->share_at_risk));
    json_object_set_new(answer, "singledOutAll", bridge_number(c->singled_out_all));
    json_object_set_new(answer, "warnings", bridge_strings(c->warnings, c->n_warnings));
    json_object_set_new(answer, "violated", bridge_strings(c->violated, c->n_violated));
    json_object_set_new(answer, "verdict", verdict_rows(c->verdict));
    json_object_set_new(answer, "notShown", bridge_strings(c->not_shown, c->n_not_shown));
    json_object_set_new(answer, "asked", json_boolean(c->asked));
    json_object_set_new(answer, "holds", json_boolean(c->holds));
    put_constraints(answer, c);
}

kanon_status bridge_check(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_schema *schema = NULL;
    kanon_check *check = NULL;
    const char *path = bridge_text(request, "schema"), *release = bridge_text(request, "release");
    kanon_check_options checking = {
        .struct_size = sizeof checking,
        .k = bridge_integer(request, "k"),
        .tick = self->tick,
        .payload = self->payload,
    };
    kanon_status st = path != NULL && release != NULL ? kanon_schema_read(&schema, KANON_PATH(path), &self->context, err)
                                                      : bridge_fail(err, KANON_EINVAL, "no release, or no schema");
    if (st == KANON_OK)
        st = kanon_check_read(&check, KANON_PATH(release), schema, &checking, err);
    if (st == KANON_OK)
        put_check(answer, check);
    kanon_check_free(check);
    kanon_schema_free(schema);
    return st;
}

kanon_status bridge_evaluate(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_measures *measures = NULL;
    kanon_evaluate_options evaluating = {
        .struct_size = sizeof evaluating,
        .threads = self->context.threads,
        .k = bridge_integer(request, "k"),
        .tick = self->tick,
        .payload = self->payload,
    };
    const char *release = bridge_text(request, "release");
    kanon_status st = release != NULL ? bridge_read(&schema, &table, self, request, err)
                                      : bridge_fail(err, KANON_EINVAL, "no release");
    if (st == KANON_OK)
        st = kanon_evaluate_release(&measures, table, KANON_PATH(release), schema, &evaluating, err);
    if (st == KANON_OK)
        json_object_set_new(answer, "figures", figures_of(measures));
    kanon_measures_free(measures);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st;
}
