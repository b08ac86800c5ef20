/* Runs of the library in one process, as the campaigns want them: requests on standard input, answers on standard
 * output. Starting a process for each of 100,000 runs would take longer than the runs. It sees only the public
 * header, decides nothing and checks nothing but that a sink is told exactly once how the call ended; what is right
 * is judged by the Python on the other side.
 *
 * A request and an answer are fields, each "NAME LENGTH\n" and so many bytes and "\n", and a line "." at the end.
 * The field `do` says what is to be done: anonymize, insert, delete, update, optimize, release, describe, audit,
 * check. */
#include "kanon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 64, MOST_SETTINGS = 32 };

/* ---- fields ------------------------------------------------------------------------------------------------------ */

typedef struct field {
    char name[32];
    char *bytes; /* ends with a zero that does not count */
    size_t size;
} field;

static field fields[MOST_FIELDS];
static int n_fields;

static void give_up(const char *why)
{
    fprintf(stderr, "driver: %s\n", why);
    exit(99);
}

/* Whether there was a request. */
static int read_request(void)
{
    char line[128];
    for (int i = 0; i < n_fields; i++)
        free(fields[i].bytes);
    for (n_fields = 0; fgets(line, sizeof line, stdin) != NULL; n_fields++) {
        if (strcmp(line, ".\n") == 0)
            return 1;
        if (n_fields == MOST_FIELDS)
            give_up("too many fields");
        field *f = &fields[n_fields];
        if (sscanf(line, "%31s %zu", f->name, &f->size) != 2 || (f->bytes = malloc(f->size + 1)) == NULL)
            give_up("not a field");
        if (fread(f->bytes, 1, f->size, stdin) != f->size || getchar() != '\n')
            give_up("a field is cut");
        f->bytes[f->size] = '\0';
    }
    return 0;
}

static const field *find(const char *name)
{
    for (int i = 0; i < n_fields; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

static const char *text_of(const char *name)
{
    const field *f = find(name);
    return f != NULL ? f->bytes : NULL;
}

static long long number_of(const char *name)
{
    const char *text = text_of(name);
    return text != NULL ? atoll(text) : 0;
}

static void answer(const char *name, const char *bytes, size_t size)
{
    printf("%s %zu\n", name, size);
    fwrite(bytes, 1, size, stdout);
    putchar('\n');
}

static void answer_text(const char *name, const char *text)
{
    answer(name, text, strlen(text));
}

static void answer_number(const char *name, long long number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", number);
    answer_text(name, text);
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

typedef struct output {
    char *bytes;
    size_t size;
    int told, complete;
} output;

static int take_bytes(const void *bytes, size_t size, void *payload)
{
    output *out = payload;
    char *grown = realloc(out->bytes, out->size + size + 1);
    if (grown == NULL)
        give_up("no memory");
    memcpy(grown + out->size, bytes, size);
    out->bytes = grown;
    out->size += size;
    return 0;
}

static int take_end(int complete, void *payload)
{
    output *out = payload;
    out->told++;
    out->complete = complete;
    return 0;
}

enum { RELEASE, GROUPS, REPORT, EXTERNAL, N_OUTPUTS };
static const char *const output_names[N_OUTPUTS] = {"release", "groups", "report", "external"};

typedef struct wanted {
    output outputs[N_OUTPUTS];
    kanon_sink sinks[N_OUTPUTS];
    kanon_output to[N_OUTPUTS];
    kanon_outputs options;
} wanted;

/* The field `want` names the outputs; with a field `out` they are files beside that path. */
static const kanon_outputs *want(wanted *w)
{
    const char *names = text_of("want");
    memset(w, 0, sizeof *w);
    if (names == NULL)
        return NULL;
    const kanon_output **slots[N_OUTPUTS] = {&w->options.release, &w->options.groups, &w->options.report,
                                             &w->options.report_external};
    for (int i = 0; i < N_OUTPUTS; i++) {
        w->sinks[i] = (kanon_sink){.struct_size = sizeof(kanon_sink), .name = i >= REPORT ? "r.json" : "o.csv",
                                   .write = take_bytes,
                                   .finish = take_end,
                                   .payload = &w->outputs[i]};
        if (strstr(names, output_names[i]) != NULL)
            w->to[i] = *KANON_TO_SINK(&w->sinks[i]), *slots[i] = &w->to[i];
    }
    w->options.struct_size = sizeof w->options;
    w->options.numeric = (kanon_numeric)(KANON_NUMERIC_INTERVAL + number_of("numeric"));
    w->options.shuffle = (int)number_of("shuffle");
    w->options.threads = (int)number_of("threads");
    return &w->options;
}

static void answer_outputs(wanted *w, kanon_status st)
{
    const char *names = text_of("want");
    for (int i = 0; i < N_OUTPUTS; i++) {
        output *out = &w->outputs[i];
        if (names != NULL && strstr(names, output_names[i]) != NULL) {
            if (out->told > 1 || (out->told == 1 && out->complete != (st == KANON_OK)) ||
                (out->told == 0 && st == KANON_OK))
                answer_text("broken", "a sink was not told once how the call ended");
            if (st == KANON_OK)
                answer(output_names[i], out->bytes != NULL ? out->bytes : "", out->size);
        }
        free(out->bytes);
    }
}

static void answer_status(kanon_status st, const kanon_error *err)
{
    answer_number("status", st);
    if (st != KANON_OK) {
        answer_text("message", err->message);
        answer_text("hint", err->hint);
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* NAME=VALUE, one per line; the field is cut up. */
static size_t settings_of(const char *name, kanon_setting *settings)
{
    const field *f = find(name);
    size_t n = 0;
    for (char *line = f != NULL ? strtok(f->bytes, "\n") : NULL; line != NULL && n < MOST_SETTINGS;
         line = strtok(NULL, "\n")) {
        char *equals = strchr(line, '=');
        if (equals == NULL)
            give_up("not a setting");
        *equals = '\0';
        settings[n++] = (kanon_setting){line, equals + 1};
    }
    return n;
}

static void anonymize(void)
{
    kanon_setting settings[MOST_SETTINGS], refine_settings[MOST_SETTINGS];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    wanted w;
    const kanon_outputs *outputs = want(&w);
    const field *csv = find("table"), *yaml = find("schema");
    int threads = (int)number_of("threads");
    kanon_read_options reading = {
        .struct_size = sizeof reading, .threads = threads, .encode_all = (int)number_of("all")};
    kanon_options options = {.struct_size = sizeof options,
                             .k = number_of("k"),
                             .algorithm = text_of("algorithm"),
                             .settings = settings,
                             .n_settings = settings_of("settings", settings),
                             .seed = (uint64_t)number_of("seed"),
                             .threads = threads,
                             .refine = text_of("refine"),
                             .refine_settings = refine_settings,
                             .n_refine_settings = settings_of("refine-settings", refine_settings),
                             .blocks = number_of("blocks"),
                             .memory = number_of("memory"),
                             .effort = text_of("effort"),
                             .recode = (kanon_recode)number_of("recode"),
                             .suppress = text_of("suppress")};
    if (csv == NULL || yaml == NULL)
        give_up("no table or no schema");
    kanon_status st = kanon_schema_read(&schema, KANON_BYTES_AS(yaml->bytes, yaml->size, "s.yaml"), NULL, &err);
    if (st == KANON_OK)
        st = kanon_table_read(&table, KANON_BYTES_AS(csv->bytes, csv->size, "t.csv"), schema, &reading, &err);
    if (st == KANON_OK)
        st = kanon_anonymize(&grouping, table, &options, &err);
    if (st == KANON_OK && text_of("state") != NULL)
        st = kanon_state_create(text_of("state"), table, schema, grouping, outputs, NULL, &err);
    else if (st == KANON_OK && outputs != NULL)
        st = kanon_publish(table, grouping, outputs, &err);
    answer_status(st, &err);
    answer_outputs(&w, grouping != NULL ? st : st == KANON_OK ? KANON_EINTERNAL : st);
    const kanon_notice *notice;
    for (size_t i = 0; table != NULL && (notice = kanon_table_notice_at(table, i)) != NULL; i++)
        answer_text("warning", notice->text);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static kanon_status change_state(const char *what, kanon_state *state, const kanon_outputs *outputs, kanon_change *done,
                                 kanon_error *err)
{
    const field *delta = find("delta");
    const char *bytes = delta != NULL ? delta->bytes : "";
    size_t size = delta != NULL ? delta->size : 0;
    kanon_change_options options = {.struct_size = sizeof options,
                                    .grow_taxonomy = (int)number_of("grow"),
                                    .outputs = outputs,
                                    .joint_k = number_of("joint-k")};
    if (strcmp(what, "insert") == 0)
        return kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(bytes, size, "d.csv"), &options, done, err);
    if (strcmp(what, "delete") == 0)
        return kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(bytes, size, "d.csv"), &options, done, err);
    if (strcmp(what, "update") == 0)
        return kanon_state_change(state, KANON_UPDATE, KANON_BYTES_AS(bytes, size, "d.csv"), &options, done, err);
    if (strcmp(what, "optimize") == 0)
        return kanon_state_improve(state, text_of("refine"), &options, done, err);
    return kanon_state_release(state, &options, done, err);
}

static kanon_status describe(kanon_state *state, kanon_error *err)
{
    kanon_state_info *info = NULL;
    kanon_status st = kanon_state_describe(&info, state, err);
    if (st == KANON_OK) {
        answer_number("records", info->records);
        answer_number("groups", info->groups);
        answer_number("suppressed", info->suppressed);
        answer_number("k", info->k);
        answer_number("departed", info->departed);
        answer_number("releases", (long long)info->n_releases);
        answer_number("history", (long long)info->n_history);
    }
    kanon_state_info_free(info);
    return st;
}

static kanon_status audit(kanon_state *state, kanon_error *err)
{
    kanon_audit *found = NULL;
    kanon_status st = kanon_state_audit(&found, state, number_of("k"), err);
    if (st == KANON_OK) {
        answer_number("records", found->records);
        answer_number("departed", found->departed);
        answer_number("classes", found->classes);
        answer_number("smallest", found->smallest);
        answer_number("below", found->below);
    }
    kanon_audit_free(found);
    return st;
}

static void on_state(const char *what)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    wanted w;
    const kanon_outputs *outputs = want(&w);
    kanon_status st = kanon_state_open(&state, text_of("state"), NULL, &err);
    int opened = st == KANON_OK;
    if (opened && strcmp(what, "describe") == 0) {
        st = describe(state, &err);
    } else if (opened && strcmp(what, "audit") == 0) {
        st = audit(state, &err);
    } else if (opened) {
        st = change_state(what, state, outputs, &done, &err);
        answer_number("changed", done.changed);
        answer_number("records", done.records);
        answer_number("withheld", done.withheld);
        answer_number("release-number", done.release);
        answer_number("committed", done.committed);
        answer_number("joint-k", done.joint_k);
        answer_number("joint-required", done.joint_required);
        answer_number("joint-smallest", done.joint_smallest);
        answer_number("joint-below", done.joint_below);
        answer_number("joint-made-below", done.joint_made_below);
    }
    answer_status(st, &err);
    answer_outputs(&w, opened ? st : KANON_EIO);
    kanon_state_close(state);
}

/* What `check` finds in a release. */
static void check_release(void)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_check *check = NULL;
    const field *csv = find("table"), *yaml = find("schema");
    const kanon_input input = {.struct_size = sizeof input,
                               .bytes = csv->bytes,
                               .size = csv->size,
                               .name = "r.csv",
                               .delimiter = (char[]){text_of("delimiter")[0], '\0'}};
    kanon_status st = kanon_schema_read(&schema, KANON_BYTES_AS(yaml->bytes, yaml->size, "s.yaml"), NULL, &err);
    if (st == KANON_OK)
        st = kanon_check_read(&check, &input, schema, NULL, &err);
    answer_status(st, &err);
    if (check != NULL) {
        answer_number("k", check->k);
        answer_number("holds", check->holds);
        answer_number("classes", check->classes);
        answer_number("not-shown", (long long)check->n_not_shown);
        for (size_t i = 0; i < check->n_violated; i++)
            answer_text("violated", check->violated[i]);
    }
    kanon_check_free(check);
    kanon_schema_free(schema);
}

int main(void)
{
    while (read_request()) {
        const char *what = text_of("do");
        if (what == NULL)
            give_up("nothing to do");
        if (strcmp(what, "anonymize") == 0)
            anonymize();
        else if (strcmp(what, "check") == 0)
            check_release();
        else
            on_state(what);
        puts(".");
        fflush(stdout);
    }
    return 0;
}
