/* kanon_publish: release, groups and reports, every file that is wanted, or none. The release is checked line by line
 * while it is written; files get their names when all of them are complete. */
#include "pipeline/publish.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/output.h"
#include "core/pool.h"
#include "core/take_input.h"
#include "core/ticker.h"
#include "database/location.h"
#include "pipeline/arrow_export.h"
#include "pipeline/guarded_outputs.h"
#include "pipeline/release_plan.h"
#include "pipeline/shown_groups.h"
#include "pipeline/table_output.h"
#include "release/writer.h"
#include "report/codebook.h"
#include "report/markup.h"
#include "report/report.h"
#include "verify/verify.h"

#include <errno.h>
#include <kanon_host.h>
#include <string.h>

/* One call of kanon_publish: its options, the files that are being written and the progress. */
typedef struct publication {
    const kanon_table *table;
    const kanon_grouping *grouping;
    kanon_outputs wanted;
    kanon__table_output *typed;        /* the release is no CSV; NULL: it is */
    kanon__table_output *typed_groups; /* likewise */
    kanon__output *release, *groups, *report, *report_external, *codebook;
    struct ArrowArrayStream rows;    /* the release where it is a stream */
    bool is_typed, groups_are_typed; /* they are to be no CSV */
    bool report_is_page, external_is_page;
    kanon__codebook_form codebook_form;
    bool named_by_sum;               /* a report or a state names the release by its checksum */
    kanon__ticker ticker;
} publication;

/* Ranges are for databases, which would take a comma in an end for the one between the two ends. */
static kanon_status check_ranges(const kanon_table *t, kanon_error *err)
{
    for (int i = 0; i < t->data.n_quasi; i++) {
        const kanon__column *c = &t->data.columns[t->data.quasi[i]];
        const kanon__value_format *format = &c->domain->format;
        bool date = c->domain->type == KANON_TYPE_DATE;
        bool comma = date ? strchr(format->date, ',') != NULL
                          : kanon__value_decimal(format) == ',' || format->thousands == ',';
        if (!kanon__column_is_numeric(c) || !comma)
            continue;
        kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: %s with commas cannot be released as ranges", c->name,
                                      date ? "dates" : "numbers");
        return kanon__hint(err, st, "choose another numeric form: interval, mean or columns");
    }
    return KANON_OK;
}

/* As the command line names it, for the report. */
static const char *numeric_name(kanon_numeric numeric)
{
    static const char *const names[] = {"", "interval", "range", "mean", "columns"};
    return names[numeric];
}

enum { N_OUTPUTS = KANON__N_OUTPUTS };

/* Two outputs in one place, or an output over the input. */
static kanon_status fail_twice(const char *path, kanon_error *err)
{
    char name[512];
    kanon_location_name(name, sizeof name, path);
    return kanon__fail(err, KANON_EINVAL, "%s is asked for twice", strcmp(path, "-") == 0 ? "standard output" : name);
}

kanon_status kanon__publish_check(const char *const *paths, int n, const kanon_table *t, kanon_error *err)
{
    for (int i = 0; i < n; i++) {
        if (paths[i] == NULL)
            continue;
        for (int j = i + 1; j < n; j++)
            if (paths[j] != NULL && kanon__location_same(paths[i], paths[j]))
                return fail_twice(paths[i], err);
        if (kanon__table_reads(t, paths[i]))
            return fail_twice(paths[i], err);
    }
    return KANON_OK;
}

static kanon_status open_output(kanon__output **out, const kanon_output *wanted, bool with_sha256, kanon_error *err)
{
    return wanted != NULL ? kanon__output_open(out, wanted, with_sha256, err) : KANON_OK;
}

static bool is_stream(const publication *p)
{
    return p->wanted.release != NULL && p->wanted.release->stream != NULL;
}

static kanon_status open_release(publication *p, const char *groups, kanon_error *err)
{
    const kanon_output *release = p->wanted.release;
    if (p->is_typed)
        return kanon__table_output_open(&p->typed, &p->release, release->location, groups, p->table, p->grouping, NULL, err);
    return is_stream(p) ? KANON_OK : open_output(&p->release, release, p->named_by_sum, err);
}

static kanon_status open_outputs(publication *p, kanon_error *err)
{
    const kanon_outputs *o = &p->wanted;
    const char *groups = p->groups_are_typed ? o->groups->location : NULL;
    KANON_CHECK(open_release(p, groups, err));
    if (p->groups_are_typed)
        KANON_CHECK(kanon__table_output_open(&p->typed_groups, &p->groups, groups, groups, p->table, p->grouping, p->typed,
                                             err));
    else
        KANON_CHECK(open_output(&p->groups, o->groups, false, err));
    KANON_CHECK(open_output(&p->report, o->report, false, err));
    KANON_CHECK(open_output(&p->report_external, o->report_external, false, err));
    KANON_CHECK(open_output(&p->codebook, o->codebook, false, err));
    if (p->groups != NULL) /* groups and report tell about single records; what is meant for others follows the umask */
        kanon__output_make_private(p->groups);
    if (p->report != NULL)
        kanon__output_make_private(p->report);
    return KANON_OK;
}

/* The writer calls this for every line before the line is written. */
static kanon_status watch_row(int64_t row, const kanon__cursor *cursor, const char *line, size_t length, void *payload,
                              kanon_error *err)
{
    return kanon__verifier_row(payload, row, cursor, line, length, err);
}

/* The writer calls this some rows ahead, so that the check does not wait for memory. */
static void expect_row(int64_t far, int64_t near, void *payload)
{
    kanon__verifier_prefetch(payload, far, near);
}

/* What a task hands to the check: the texts of a block of groups. */
typedef struct text_check {
    kanon__verifier *verifier;
    const kanon__recoding *recoding;
} text_check;

static kanon_status check_block(int64_t block, void *payload, kanon_error *err)
{
    const text_check *s = payload;
    int64_t first = block * KANON__RECODING_BLOCK, last = first + KANON__RECODING_BLOCK - 1, n = s->recoding->n_groups;
    for (int64_t group = first; group <= (last < n ? last : n); group++) /* the one after the last: suppressed records */
        for (int run = 0; run < kanon__verifier_runs(s->verifier); run++) {
            size_t length;
            const char *text = kanon__recoding_text(s->recoding, group < n ? group : -1, run, &length);
            KANON_CHECK(kanon__verifier_text(s->verifier, group, run, text, length, err));
        }
    return kanon__poll_tick(KANON__TICK_POLL_NS, err);
}

/* The texts of all groups are checked first, then each line as it is made, and at the end what only all rows
 * together show. The file is not named yet. */
static kanon_status write_release(publication *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const uint32_t **recode_map = NULL;
    kanon__permutation *permutation = NULL;
    kanon__recoding *recoding = NULL;
    kanon__verifier *verifier = NULL;
    kanon__released_rows rows = {0};
    const kanon_grouping *g = p->grouping;
    const kanon_table *t = p->table;
    int threads = p->wanted.threads;
    const kanon__requirement required = kanon__release_requirement(t, g, p->wanted.numeric == KANON_NUMERIC_MEAN);
    KANON_TRY(kanon__release_map(&recode_map, t, g, err), out);
    KANON_TRY(kanon__permutation_new(&permutation, t, g->group_of, g->seed, threads, err), out);
    const kanon__row_order shuffled = {.table = t,
                                       .group_of = g->group_of,
                                       .n_groups = g->n_groups,
                                       .recode_map = recode_map,
                                       .drawn = g->drawn,
                                       .permutation = permutation,
                                       .means = p->wanted.numeric == KANON_NUMERIC_MEAN,
                                       .seed = p->wanted.shuffle_seed,
                                       .threads = threads};
    KANON_TRY(kanon__release_rows(&rows, t, g, p->wanted.shuffle ? &shuffled : NULL, false, err), out);
    KANON_TRY(kanon__recoding_new(&recoding, t, g->group_of, g->n_groups, recode_map, g->drawn, p->wanted.numeric, threads,
                                  err),
              out);
    KANON_TRY(kanon__verifier_new(&verifier, t, g->group_of, g->n_groups, p->wanted.numeric, recode_map != NULL, err), out);
    text_check all = {verifier, recoding};
    KANON_TRY(kanon__pool_run(threads, g->n_groups / KANON__RECODING_BLOCK + 1, check_block, &all, err), out);
    kanon__release release = {.table = t,
                              .group_of = g->group_of,
                              .recoding = recoding,
                              .permutation = permutation,
                              .order = rows.order,
                              .n_left_out = rows.n_left_out,
                              .threads = threads,
                              .watcher = watch_row,
                              .ahead = expect_row,
                              .payload = verifier};
    if (p->wanted.release->sink != NULL && kanon__call_stays_on_thread()) /* the sink is a callback, too */
        release.threads = 1;
    KANON_TRY(kanon__release_write(p->release, &release, &p->ticker, err), out);
    KANON_TRY(kanon__verifier_finish(verifier, &required, threads, err), out);
    KANON_TRY(kanon__output_finish(p->release, err), out);
out:
    kanon__free(rows.order);
    kanon__verifier_free(verifier);
    kanon__recoding_free(recoding);
    kanon__permutation_free(permutation);
    kanon__free(recode_map);
    return st;
}

static int discard(const void *bytes, size_t size, void *payload)
{
    (void)bytes, (void)size, (void)payload;
    return 0;
}

/* The checksum of a release that is a stream is that of its text, which is made and discarded. */
static kanon_status sum_text(publication *p, kanon_error *err)
{
    const kanon_sink nowhere = {.struct_size = sizeof(kanon_sink), .name = "release.csv", .write = discard};
    const kanon_outputs given = p->wanted;
    p->wanted.release = KANON_TO_SINK(&nowhere);
    p->wanted.numeric = given.numeric == KANON_NUMERIC_MEAN ? KANON_NUMERIC_MEAN : KANON_NUMERIC_INTERVAL;
    kanon_status st = kanon__output_open(&p->release, p->wanted.release, true, err);
    if (st == KANON_OK)
        st = write_release(p, err);
    p->wanted = given;
    return st;
}

static kanon_status make_release(publication *p, bool is_recorded, kanon_error *err)
{
    if (p->typed != NULL)
        return kanon__table_output_write(p->typed, &p->wanted, err);
    if (p->release != NULL)
        return write_release(p, err);
    if (!is_stream(p))
        return KANON_OK;
    if (is_recorded)
        KANON_CHECK(sum_text(p, err));
    return kanon__arrow_export(&p->rows, p->table, p->grouping, &p->wanted, err, NULL, NULL);
}

static const char *release_name(const publication *p)
{
    return p->typed != NULL ? kanon__table_output_name(p->typed) : kanon__output_name(p->wanted.release);
}

/* A report names the release by its checksum, so it is written after it. */
static kanon_status write_report(publication *p, kanon__output *output, bool is_page, const kanon_measures *measures,
                                 bool external, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *shown = NULL;
    if (external) {
        st = kanon__shown_groups_new(&shown, p->table, p->grouping, p->wanted.numeric, p->wanted.threads, err);
        if (st != KANON_OK)
            return st;
    }
    kanon__report report = {.table = p->table,
                            .grouping = external ? shown : p->grouping,
                            .made = p->grouping,
                            .measures = measures,
                            .external = external,
                            .command = p->wanted.command,
                            .shuffle = p->wanted.shuffle != 0,
                            .advice = external ? NULL : p->wanted.advice,
                            .html = is_page};
    if (p->release != NULL && !is_stream(p)) {
        report.release_path = release_name(p);
        report.release_sha256 = kanon__output_sha256(p->release);
        report.numeric = numeric_name(p->wanted.numeric);
    }
    st = kanon__report_write(output, &report, err);
    kanon__shown_groups_free(shown);
    return st == KANON_OK ? kanon__output_finish(output, err) : st;
}

/* Both reports from one evaluation, unless the caller has measured already. */
static kanon_status write_reports(publication *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_measures *own = NULL;
    kanon_advice *own_advice = NULL;
    const kanon_measures *measures = p->wanted.measures;
    kanon_evaluate_options options = {
        .struct_size = sizeof options, .threads = p->wanted.threads, .tick = p->wanted.tick, .payload = p->wanted.payload};
    kanon_advise_options advising = {
        .struct_size = sizeof advising, .threads = p->wanted.threads, .tick = p->wanted.tick, .payload = p->wanted.payload};
    if (measures == NULL) {
        KANON_TRY(kanon_evaluate(&own, p->table, p->grouping, &options, err), out);
        measures = own;
    }
    advising.proved = kanon_measures_find(measures, "gap", NULL) != NULL;
    if (p->report != NULL && p->wanted.advice == NULL) {
        KANON_TRY(kanon_advise_with(&own_advice, p->table, p->grouping, &advising, err), out);
        p->wanted.advice = own_advice;
    }
    if (p->report != NULL)
        KANON_TRY(write_report(p, p->report, p->report_is_page, measures, false, err), out);
    if (p->report_external != NULL)
        KANON_TRY(write_report(p, p->report_external, p->external_is_page, measures, true, err), out);
out:
    kanon_advice_free(own_advice);
    kanon_measures_free(own);
    return st;
}

/* How to read the release, for those who get it. */
static kanon_status write_codebook(publication *p, kanon_error *err)
{
    const char *release = p->wanted.release != NULL && !is_stream(p) ? release_name(p) : NULL;
    bool has_name = release != NULL && strcmp(release, "-") != 0;
    const kanon__codebook book = {
        .table = p->table, .numeric = p->wanted.numeric, .release = has_name ? kanon__file_name(release) : "release.csv"};
    kanon_status st = kanon__codebook_write(p->codebook, &book, p->codebook_form, err);
    return st == KANON_OK ? kanon__output_finish(p->codebook, err) : st;
}

kanon_status kanon_publish(const kanon_table *table, const kanon_grouping *grouping, const kanon_outputs *outputs,
                           kanon_error *err)
{
    return kanon__publish(table, grouping, outputs, err, NULL, NULL);
}

kanon_status kanon__finished_name(void *finished, bool *undone, kanon_error *err)
{
    const kanon__finished *f = finished;
    kanon_status st = kanon__output_commit(f->files, N_OUTPUTS, err);
    *undone = st != KANON_OK && (f->release == NULL || !kanon__output_is_out(f->release));
    return st;
}

/* Files and sinks get CSV, unless their location is that of a typed table. */
static kanon_status is_typed_table(bool *out, const kanon_output *wanted, kanon_error *err)
{
    int csv;
    if (wanted == NULL)
        return KANON_OK;
    if (wanted->location != NULL)
        KANON_CHECK(kanon__table_output_wanted(out, wanted->location, err));
    if (!*out && wanted->stream == NULL)
        return kanon__output_format(&csv, wanted, "csv", err);
    return wanted->format == NULL ? KANON_OK
                                  : kanon__fail(err, KANON_EINVAL, "a format is for text: this output has its own");
}

kanon_status kanon__choose_numeric(kanon_numeric *numeric, bool typed, kanon_error *err)
{
    if (*numeric < KANON_NUMERIC_DEFAULT || *numeric > KANON_NUMERIC_COLUMNS)
        return kanon__fail(err, KANON_EINVAL, "there is no numeric form %d", (int)*numeric);
    if (typed && *numeric == KANON_NUMERIC_RANGE) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "a typed table has no texts for ranges of numbers");
        return kanon__hint(err, st, "choose another numeric form: columns or mean");
    }
    if (*numeric == KANON_NUMERIC_DEFAULT)
        *numeric = typed ? KANON_NUMERIC_COLUMNS : KANON_NUMERIC_INTERVAL;
    return KANON_OK;
}

/* Where columns have types, numbers are shown as such: NAME_min and NAME_max, unless a mean is asked for, or of a stream a
 * text. */
static kanon_status choose_numeric(publication *p, kanon_error *err)
{
    kanon_numeric *numeric = &p->wanted.numeric;
    KANON_CHECK(kanon__choose_numeric(numeric, p->is_typed || is_stream(p), err));
    if (*numeric == KANON_NUMERIC_INTERVAL && p->is_typed)
        *numeric = KANON_NUMERIC_COLUMNS;
    return *numeric == KANON_NUMERIC_RANGE ? check_ranges(p->table, err) : KANON_OK;
}

static kanon_status choose_forms(publication *p, kanon_error *err)
{
    const kanon_outputs *w = &p->wanted;
    KANON_CHECK(is_typed_table(&p->groups_are_typed, w->groups, err));
    KANON_CHECK(is_typed_table(&p->is_typed, w->release, err));
    if (w->report != NULL || w->report_external != NULL || w->codebook != NULL)
        KANON_CHECK(kanon__reports_are_built(err));
    KANON_CHECK(kanon__report_is_html(&p->report_is_page, w->report, err));
    KANON_CHECK(kanon__report_is_html(&p->external_is_page, w->report_external, err));
    if (w->codebook != NULL)
        KANON_CHECK(kanon__codebook_form_of(&p->codebook_form, w->codebook, err));
    return choose_numeric(p, err);
}

/* The report of measures shows nothing of a release. */
static bool is_measures_alone(const kanon_outputs *w)
{
    return w->report != NULL && w->measures != NULL && w->release == NULL && w->groups == NULL &&
           w->report_external == NULL && w->codebook == NULL;
}

/* The order matters: everything that can be refused, then all files under temporary names, then the names, by `commit`
 * together with what must not happen without them. */
/* Bytes in memory. */
typedef struct memory_sink {
    char *bytes;
    int64_t n, capacity;
} memory_sink;

static int write_to_memory(const void *bytes, size_t size, void *payload)
{
    memory_sink *m = payload;
    if (kanon__grow_array(&m->bytes, &m->capacity, m->n + (int64_t)size, "a release", NULL) != KANON_OK)
        return ENOMEM;
    memcpy(m->bytes + m->n, bytes, size);
    m->n += (int64_t)size;
    return 0;
}

static kanon_status publish(const kanon_table *table, const kanon_grouping *grouping, const kanon_outputs *outputs,
                            kanon_error *err, kanon__commit commit, void *payload, bool is_trial);

/* How many people fit each row is counted in what is released, before it is written: kanon_check_read reads it, as
 * intervals, from memory. */
static kanon_status count_people(const publication *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_check *check = NULL;
    memory_sink memory = {.n = 0};
    const kanon_sink sink = {.struct_size = sizeof sink, .name = "release", .write = write_to_memory, .payload = &memory};
    const kanon_outputs trial = {.struct_size = sizeof trial,
                                 .release = KANON_TO_SINK(&sink),
                                 .numeric = KANON_NUMERIC_INTERVAL,
                                 .threads = p->wanted.threads};
    KANON_TRY(publish(p->table, p->grouping, &trial, err, NULL, NULL, true), out);
    const kanon_input release = {.struct_size = sizeof release,
                                 .bytes = memory.bytes != NULL ? memory.bytes : "",
                                 .size = (size_t)memory.n,
                                 .name = "release",
                                 .header = KANON_HEADER_YES};
    const kanon_check_options options = {.struct_size = sizeof options, .population = p->wanted.population};
    KANON_TRY(kanon_check_read(&check, &release, p->wanted.population_schema, &options, err), out);
    for (size_t i = 0; i < check->n_findings; i++)
        if (strcmp(check->findings[i]->name, "k_map") == 0 && check->findings[i]->mark != KANON_MARK_MET) {
            st = kanon__fail(err, KANON_EINFEASIBLE, "%s", check->findings[i]->sentence);
            kanon__hint(err, st, "a larger k makes regions wider");
        }
out:
    kanon_check_free(check);
    kanon__free(memory.bytes);
    return st;
}

static kanon_status check_k_map(const publication *p, kanon_error *err)
{
    kanon_status st;
    bool wanted = p->table->policy.k_map > 0;
    if (wanted && (p->wanted.population == NULL || p->wanted.population_schema == NULL)) {
        st = kanon__fail(err, KANON_EINVAL, "k-map: only a population shows how many people fit each row");
        return kanon__hint(err, st, "give a population, or leave out k-map");
    }
    if (!wanted && p->wanted.population != NULL) {
        st = kanon__fail(err, KANON_EINVAL, "a population is for a k-map, and none is asked for");
        return kanon__hint(err, st, "write {model: k-map, k: 5} below constraints in the schema");
    }
    return wanted ? count_people(p, err) : KANON_OK;
}

static kanon_status publish(const kanon_table *table, const kanon_grouping *grouping, const kanon_outputs *outputs,
                            kanon_error *err, kanon__commit commit, void *payload, bool is_trial)
{
    kanon_status st = KANON_OK;
    publication p = {.table = table, .grouping = grouping};
    kanon__guarded_outputs given;
    const char *paths[N_OUTPUTS];
    KANON_TRY(kanon__guarded_outputs_begin(&given, outputs, err), out);
    p.wanted = given.wanted;
    kanon__call_ticks(&p.wanted.tick, &p.wanted.payload);
    KANON_TRY(choose_forms(&p, err), out);
    const kanon_outputs *w = &p.wanted;
    p.named_by_sum = w->report != NULL || w->report_external != NULL || commit != NULL;
    kanon__ticker_init(&p.ticker, w->tick, w->payload, "writing");
    kanon__outputs_locations(paths, w);
    KANON_TRY(kanon__publish_check(paths, N_OUTPUTS, table, err), out);
    if (is_measures_alone(w))
        KANON_TRY(kanon__grouping_fits(grouping, table, err), out);
    else
        KANON_TRY(kanon__release_allowed(table, grouping, w->numeric == KANON_NUMERIC_MEAN, err), out);
    if (!is_trial && (w->release != NULL || w->population != NULL))
        KANON_TRY(check_k_map(&p, err), out);
    KANON_TRY(open_outputs(&p, err), out);
    if (p.typed_groups != NULL)
        KANON_TRY(kanon__table_output_write_groups(p.typed_groups, p.wanted.threads, err), out);
    else if (p.groups != NULL) {
        kanon__groups_write(p.groups, grouping->group_of, grouping->n_rows);
        KANON_TRY(kanon__output_finish(p.groups, err), out);
    }
    KANON_TRY(make_release(&p, commit != NULL, err), out);
    if (p.report != NULL || p.report_external != NULL)
        KANON_TRY(write_reports(&p, err), out);
    if (p.codebook != NULL)
        KANON_TRY(write_codebook(&p, err), out);
    KANON_TRY(kanon__source_unchanged(table->source, err), out);
    kanon__output *const files[N_OUTPUTS] = {p.groups, p.report, p.report_external, p.codebook, p.release};
    kanon__finished finished = {files, p.release, p.release != NULL ? kanon__output_sha256(p.release) : ""};
    bool undone;
    KANON_TRY(commit != NULL ? commit(&finished, payload, err) : kanon__finished_name(&finished, &undone, err), out);
    if (is_stream(&p))
        *w->release->stream = p.rows;
out:
    /* what looks like an error of this library may be an input that was changed before it was read again */
    if (st == KANON_EINTERNAL && kanon__source_unchanged(table->source, err) != KANON_OK)
        st = KANON_EIO;
    if (st != KANON_OK && p.rows.release != NULL)
        p.rows.release(&p.rows);
    if (p.wanted.population != NULL)
        kanon__given_drop(p.wanted.population);
    kanon__output_free(p.codebook);
    kanon__output_free(p.report_external);
    kanon__output_free(p.report);
    kanon__output_free(p.groups);
    kanon__output_free(p.release);
    kanon__table_output_close(p.typed_groups);
    kanon__table_output_close(p.typed);
    kanon__guarded_outputs_end(&given);
    return st;
}

kanon_status kanon__publish(const kanon_table *table, const kanon_grouping *grouping, const kanon_outputs *outputs,
                            kanon_error *err, kanon__commit commit, void *payload)
{
    kanon__call call;
    kanon__call_begin(&call, table->context);
    return kanon__call_end(&call, publish(table, grouping, outputs, err, commit, payload, false));
}
