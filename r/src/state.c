/* States: tables that change, kept in a file of their own.
 *
 * A state keeps the tick that it was opened with, so its ticker lives as long as it does. SQLite must not be used in a
 * forked child, so a state knows the process that opened it. */
#include "host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct open_state {
    kanon_state *state;
    ticker t;
    pid_t process;
} open_state;

void state_free(void *object)
{
    open_state *s = object;
    if (s->process == getpid()) /* a child leaves the file of its parent alone */
        kanon_state_close(s->state);
    free(s);
}

static open_state *state_of(SEXP handle)
{
    open_state *s = handle_get(handle, &STATE);
    if (s->process != getpid())
        raise_usage("the state was opened by another process", "open it in this one: kanon_state(path)");
    return s;
}

/* ---- making, opening, closing ---- */

typedef struct creation {
    const char *path;
    const kanon_table *table;
    const kanon_schema *schema;
    const kanon_grouping *grouping;
    kanon_state_options options;
} creation;

static kanon_status do_create(void *arguments, kanon_error *err)
{
    creation *w = arguments;
    return kanon_state_create(w->path, w->table, w->schema, w->grouping, NULL, &w->options, err);
}

SEXP r_state_create(SEXP table, SEXP schema, SEXP grouping, SEXP options)
{
    ticker t;
    ticker_init(&t);
    creation w = {.path = path_of(item(options, "path")),
                  .table = handle_get(table, &TABLE),
                  .schema = handle_get(schema, &SCHEMA),
                  .grouping = handle_get(grouping, &GROUPING)};
    w.options = (kanon_state_options){.struct_size = sizeof w.options,
                                      .tick = ticker_tick,
                                      .payload = &t,
                                      .joint_k = item_whole(options, "joint_k"),
                                      .released = (int)item_whole(options, "released")};
    kanon_error err = KANON_INIT(kanon_error);
    if (run(do_create, &w, &t, 0, &err) != KANON_OK)
        raise_failure(&err);
    return R_NilValue;
}

typedef struct opening {
    open_state *to;
    const char *path;
    kanon_state_options options;
} opening;

static kanon_status do_open(void *arguments, kanon_error *err)
{
    opening *w = arguments;
    return kanon_state_open(&w->to->state, w->path, &w->options, err);
}

SEXP r_state_open(SEXP options)
{
    SEXP handle = PROTECT(handle_new(&STATE));
    opening w = {.path = path_of(item(options, "path"))};
    w.options = (kanon_state_options){.struct_size = sizeof w.options,
                                      .wait_seconds = (int)item_whole(options, "wait_seconds")};
    w.to = calloc(1, sizeof *w.to);
    if (w.to == NULL)
        raise_failure(&(kanon_error){.status = KANON_ENOMEM, .message = "out of memory"});
    ticker_init(&w.to->t);
    w.to->process = getpid();
    handle_set(handle, w.to);
    w.options.tick = ticker_tick;
    w.options.payload = &w.to->t;
    kanon_error err = KANON_INIT(kanon_error);
    if (run(do_open, &w, &w.to->t, 0, &err) != KANON_OK) {
        handle_clear(handle);
        raise_failure(&err);
    }
    UNPROTECT(1);
    return handle;
}

SEXP r_state_close(SEXP handle)
{
    if (TYPEOF(handle) == EXTPTRSXP && R_ExternalPtrTag(handle) == Rf_install(STATE.name))
        handle_clear(handle);
    return R_NilValue;
}

/* ---- changes ---- */

typedef struct changing {
    kanon_state *state;
    const char *what, *refine;
    struct ArrowArrayStream stream;
    kanon_change_options options;
    kanon_change done;
} changing;

static kanon_status do_change(void *arguments, kanon_error *err)
{
    changing *w = arguments;
    static const char *const kinds[] = {"insert", "delete", "update"};
    for (int kind = KANON_INSERT; kind <= KANON_UPDATE; kind++)
        if (strcmp(w->what, kinds[kind]) == 0)
            return kanon_state_change(w->state, (kanon_change_kind)kind, KANON_STREAM(&w->stream), &w->options, &w->done,
                                      err);
    if (strcmp(w->what, "improve") == 0)
        return kanon_state_improve(w->state, w->refine, &w->options, &w->done, err);
    return kanon_state_release(w->state, &w->options, &w->done, err);
}

static double number_or_na(double value)
{
    return isnan(value) ? NA_REAL : value;
}

static SEXP change_list(const kanon_change *c)
{
    SEXP list = PROTECT(list_new("changed", "splits", "dispersed", "records", "groups", "suppressed", "k", "release",
                                 "withheld", "repaired", "loss_before", "loss", "bytes", "joint_k", "joint_required",
                                 "joint_smallest", "joint_below", "joint_made_below", "question", "privacy",
                                 NULL));
    const double numbers[] = {(double)c->changed,  (double)c->splits,     (double)c->dispersed,
                              (double)c->records,  (double)c->groups,     (double)c->suppressed,
                              (double)c->k,        (double)c->release,    (double)c->withheld,
                              (double)c->repaired, number_or_na(c->loss_before), number_or_na(c->loss)};
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
        SET_VECTOR_ELT(list, i, Rf_ScalarReal(numbers[i]));
    SET_VECTOR_ELT(list, 13, Rf_ScalarReal((double)c->joint_k));
    SET_VECTOR_ELT(list, 14, Rf_ScalarLogical(c->joint_required));
    SET_VECTOR_ELT(list, 15, Rf_ScalarReal((double)c->joint_smallest));
    SET_VECTOR_ELT(list, 16, Rf_ScalarReal((double)c->joint_below));
    SET_VECTOR_ELT(list, 17, Rf_ScalarReal((double)c->joint_made_below));
    SET_VECTOR_ELT(list, 18, Rf_ScalarString(utf8(c->question)));
    SET_VECTOR_ELT(list, 19, Rf_ScalarString(utf8(c->privacy)));
    UNPROTECT(1);
    return list;
}

typedef struct output_files {
    kanon_output groups, report, report_external, codebook;
} output_files;

static const kanon_output *file_at(kanon_output *out, SEXP path)
{
    *out = (kanon_output){.struct_size = sizeof *out, .location = path_of(path)};
    return out;
}

/* The files that a release brings along, its notation and the order of its records. */
static kanon_outputs files_of(output_files *files, SEXP options)
{
    return (kanon_outputs){.struct_size = sizeof(kanon_outputs),
                           .groups = file_at(&files->groups, item(options, "groups")),
                           .report = file_at(&files->report, item(options, "report")),
                           .report_external = file_at(&files->report_external, item(options, "report_external")),
                           .codebook = file_at(&files->codebook, item(options, "codebook")),
                           .numeric = (kanon_numeric)item_whole(options, "numeric"),
                           .shuffle = (int)item_whole(options, "shuffle"),
                           .shuffle_seed = (uint64_t)item_whole(options, "shuffle_seed")};
}

/* state_change(state, stream, options): options$what; a release goes to options$path, or comes back as bytes. */
SEXP r_state_change(SEXP handle, SEXP stream, SEXP options)
{
    open_state *s = state_of(handle);
    changing w = {.state = s->state, .what = item_text(options, "what"), .refine = item_text(options, "refine"),
                  .done = KANON_INIT(kanon_change)};
    output_files files;
    kanon_outputs outputs = files_of(&files, options);
    w.options = (kanon_change_options){.struct_size = sizeof w.options,
                                       .grow_taxonomy = (int)item_whole(options, "grow_taxonomy"),
                                       .joint_k = item_whole(options, "joint_k"),
                                       .again = (int)item_whole(options, "again"),
                                       .effort = item_text(options, "effort")};
    int show = (int)item_whole(options, "progress"), foreign = 0, releases = strcmp(w.what, "release") == 0;
    SEXP owner = PROTECT(result_new(byte_sink_free));
    byte_sink *bytes = byte_sink_new("release.csv");
    result_keep(owner, bytes);
    const char *path = path_of(item(options, "path"));
    const kanon_output to = {
        .struct_size = sizeof to, .location = path, .sink = path == NULL ? &bytes->sink : NULL};
    outputs.release = &to;
    if (releases)
        w.options.outputs = &outputs;
    if (!Rf_isNull(stream))
        stream_take(&w.stream, stream, &foreign);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = foreign ? do_change(&w, &err) : run(do_change, &w, &s->t, show, &err);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    SEXP list = PROTECT(change_list(&w.done));
    SET_VECTOR_ELT(list, 12, byte_sink_raw(bytes));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}

typedef struct state_releasing {
    kanon_state *state;
    kanon_change_options options;
    kanon_change done;
} state_releasing;

static kanon_status do_state_release(void *arguments, kanon_error *err)
{
    state_releasing *w = arguments;
    return kanon_state_release(w->state, &w->options, &w->done, err);
}

/* state_release(state, options): what the state is then, and the released columns in `columns`. */
SEXP r_state_release(SEXP state, SEXP options)
{
    open_state *s = state_of(state);
    SEXP handle = PROTECT(batches_new());
    state_releasing w = {.state = s->state, .done = KANON_INIT(kanon_change)};
    output_files files;
    kanon_outputs outputs = files_of(&files, options);
    outputs.release = KANON_TO_STREAM(batches_stream(handle));
    w.options = (kanon_change_options){
        .struct_size = sizeof w.options, .joint_k = item_whole(options, "joint_k"), .outputs = &outputs};
    kanon_error err = KANON_INIT(kanon_error);
    if (run(do_state_release, &w, &s->t, 0, &err) != KANON_OK) {
        handle_clear(handle);
        raise_failure(&err);
    }
    SEXP columns = PROTECT(frame_of(handle, item(options, "integer64")));
    handle_clear(handle);
    SEXP list = PROTECT(change_list(&w.done));
    SEXP out = PROTECT(list_new("done", "columns", NULL));
    SET_VECTOR_ELT(out, 0, list);
    SET_VECTOR_ELT(out, 1, columns);
    UNPROTECT(4);
    return out;
}

/* ---- what it is ---- */

typedef struct looking {
    kanon_state *state;
    kanon_state_info *info;
    kanon_audit *audit;
    int64_t k;
} looking;

static kanon_status do_describe(void *arguments, kanon_error *err)
{
    looking *w = arguments;
    return kanon_state_describe(&w->info, w->state, err);
}

static void free_info(void *info)
{
    kanon_state_info_free(info);
}

SEXP r_state_describe(SEXP handle)
{
    open_state *s = state_of(handle);
    looking w = {.state = s->state};
    kanon_error err = KANON_INIT(kanon_error);
    SEXP owner = PROTECT(result_new(free_info));
    kanon_status st = run(do_describe, &w, &s->t, 0, &err);
    result_keep(owner, w.info);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    const kanon_state_info *i = w.info;
    SEXP list = PROTECT(list_new("program", "algorithm", "k_asked", "k", "records", "groups", "suppressed", "departed",
                                 "releases", "loss", "joint_k", NULL));
    const double numbers[] = {(double)i->k_asked,    (double)i->k,        (double)i->records,    (double)i->groups,
                              (double)i->suppressed, (double)i->departed, (double)i->n_releases, number_or_na(i->loss),
                              (double)i->joint_k};
    SET_VECTOR_ELT(list, 0, Rf_ScalarString(utf8(i->program)));
    SET_VECTOR_ELT(list, 1, Rf_ScalarString(utf8(i->algorithm)));
    for (int j = 0; j < (int)(sizeof numbers / sizeof *numbers); j++)
        SET_VECTOR_ELT(list, 2 + j, Rf_ScalarReal(numbers[j]));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}

static kanon_status do_audit(void *arguments, kanon_error *err)
{
    looking *w = arguments;
    return kanon_state_audit(&w->audit, w->state, w->k, err);
}

SEXP r_state_audit(SEXP handle, SEXP k)
{
    open_state *s = state_of(handle);
    looking w = {.state = s->state, .k = (int64_t)Rf_asReal(k)};
    kanon_error err = KANON_INIT(kanon_error);
    if (run(do_audit, &w, &s->t, 0, &err) != KANON_OK) {
        kanon_audit_free(w.audit);
        raise_failure(&err);
    }
    const double numbers[] = {(double)w.audit->releases, (double)w.audit->records,  (double)w.audit->departed,
                              (double)w.audit->classes,  (double)w.audit->smallest, (double)w.audit->k,
                              (double)w.audit->below,    (double)w.audit->classes_below};
    kanon_audit_free(w.audit);
    SEXP list =
        PROTECT(list_new("releases", "records", "departed", "classes", "smallest", "k", "below", "classes_below", NULL));
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
        SET_VECTOR_ELT(list, i, Rf_ScalarReal(numbers[i]));
    UNPROTECT(1);
    return list;
}
