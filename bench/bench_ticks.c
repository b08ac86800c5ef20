/* How long a host may have to wait until it can stop a call: the most processor time between two ticks, by call and stage.
 *
 *     bench_ticks TABLE SCHEMA SECONDS ALGORITHM [SETTING=VALUE | refine=NAME | blocks=none]...
 *
 * Reads, groups, releases, checks, publishes, measures, reports, keeps and changes the table on one thread, and prints every
 * gap of more than 60 ms; a grouping is stopped after SECONDS. It fails where a gap is longer than 100 ms. Processor time,
 * not the clock: a busy machine must not look like a missing tick. Ticks come every 50 ms at most, so shorter gaps say
 * nothing. */
#include <kanon_arrow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_GAPS = 64, SHOWN_MS = 60, ALLOWED_MS = 100 };

typedef struct gap {
    char name[160];
    double seconds;
} gap;

static struct {
    const char *call;
    char stage[64];
    double last, begun, most_seconds;
    int stopped;
    gap gaps[MOST_GAPS];
    int n;
} now;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void note(const char *stage)
{
    char name[sizeof now.gaps[0].name];
    double seconds = processor_seconds(), passed = seconds - now.last;
    int i = 0;
    now.last = seconds;
    snprintf(name, sizeof name, "%s: %s to %s", now.call, now.stage, stage);
    while (i < now.n && strcmp(now.gaps[i].name, name) != 0)
        i++;
    if (i == now.n && now.n < MOST_GAPS)
        memcpy(now.gaps[now.n++].name, name, sizeof name);
    if (i < now.n && passed > now.gaps[i].seconds)
        now.gaps[i].seconds = passed;
    snprintf(now.stage, sizeof now.stage, "%s", stage);
}

static int tick(const kanon_progress *progress, void *payload)
{
    (void)payload;
    note(progress->stage);
    now.stopped = strcmp(now.call, "group") == 0 && now.last - now.begun > now.most_seconds;
    return now.stopped;
}

static void begin(const char *call)
{
    now.call = call;
    now.begun = now.last = processor_seconds();
    snprintf(now.stage, sizeof now.stage, "begin");
}

static void end(kanon_status status, const kanon_error *err)
{
    note("end");
    if (status == KANON_OK || now.stopped)
        return;
    fprintf(stderr, "%s: %s\n", now.call, err->message);
    exit(2);
}

static int print_gaps(const char *algorithm)
{
    int failed = 0;
    for (int i = 0; i < now.n; i++) {
        int ms = (int)(now.gaps[i].seconds * 1000);
        if (ms > SHOWN_MS)
            printf("| %s | %s | %d |\n", algorithm, now.gaps[i].name, ms);
        failed |= ms > ALLOWED_MS;
    }
    return failed;
}

static int discard(const void *bytes, size_t size, void *payload)
{
    (void)bytes, (void)size, (void)payload;
    return 0;
}

/* ---- a state in memory, as a host keeps it; in a file, its sync would be one call of the system ---- */

static struct {
    char *bytes;
    int64_t size, room;
} kept;

static int keep_read(void *bytes, size_t size, int64_t offset, void *payload)
{
    (void)payload;
    memcpy(bytes, kept.bytes + offset, size);
    return 0;
}

static int keep_write(const void *bytes, size_t size, int64_t offset, void *payload)
{
    (void)payload;
    int64_t end = offset + (int64_t)size;
    if (end > kept.room) {
        kept.room = 2 * end;
        kept.bytes = realloc(kept.bytes, (size_t)kept.room);
        if (kept.bytes == NULL)
            return 1;
    }
    memcpy(kept.bytes + offset, bytes, size);
    kept.size = end > kept.size ? end : kept.size;
    return 0;
}

static int keep_truncate(int64_t size, void *payload)
{
    (void)payload;
    kept.size = size;
    return 0;
}

static int64_t keep_size(void *payload)
{
    (void)payload;
    return kept.size;
}

/* The first records of the table come once more, and the release changes. */
static void change(const char *path, const kanon_state_options *keeping)
{
    enum { MOST = 100000 };
    static char text[MOST];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_audit *audit = NULL;
    struct ArrowArrayStream stream = {0};
    kanon_change_options options = {.struct_size = sizeof options};
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_STREAM(&stream), .shuffle = 1, .threads = 1, .tick = tick};
    FILE *file = fopen(path, "r");
    size_t size = file != NULL ? fread(text, 1, MOST, file) : 0;
    if (file != NULL)
        fclose(file);
    while (size > 0 && text[size - 1] != '\n')
        size--;
    begin("open");
    end(kanon_state_open(&state, "bench", keeping, &err), &err);
    begin("insert");
    end(kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(text, size, "delta.csv"), &options, &done, &err), &err);
    begin("release of changes");
    options.outputs = &outputs;
    end(kanon_state_release(state, &options, &done, &err), &err);
    stream.release(&stream);
    begin("audit");
    end(kanon_state_audit(&audit, state, 0, &err), &err);
    kanon_audit_free(audit);
    kanon_state_close(state);
}

static void release(const char *path, kanon_table *table, kanon_schema *schema, kanon_grouping *grouping)
{
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream = {0};
    kanon_check *check = NULL;
    kanon_measures *measures = NULL;
    kanon_outputs typed = {
        .struct_size = sizeof typed, .release = KANON_TO_STREAM(&stream), .shuffle = 1, .threads = 1, .tick = tick};
    kanon_check_options checking = {.struct_size = sizeof checking, .tick = tick, .k = 10};
    kanon_sink sink = {.struct_size = sizeof(kanon_sink), .name = "release.csv", .write = discard};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink), .threads = 1, .tick = tick};
    kanon_sink page = {.struct_size = sizeof(kanon_sink), .name = "report.html", .write = discard};
    kanon_outputs report = {.struct_size = sizeof report, .report = KANON_TO_SINK(&page), .threads = 1, .tick = tick};
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .threads = 1, .tick = tick};
    const kanon_state_storage storage = {sizeof storage, keep_read, keep_write, keep_truncate, keep_size, NULL};
    kanon_state_options keeping = {.struct_size = sizeof keeping, .tick = tick, .storage = &storage};
    begin("release");
    end(kanon_publish(table, grouping, &typed, &err), &err);
    begin("check");
    end(kanon_check_read(&check, KANON_STREAM(&stream), schema, &checking, &err), &err);
    kanon_check_free(check);
    begin("publish");
    end(kanon_publish(table, grouping, &outputs, &err), &err);
    begin("measure");
    end(kanon_evaluate(&measures, table, grouping, &brief, &err), &err);
    kanon_measures_free(measures);
    begin("report");
    end(kanon_publish(table, grouping, &report, &err), &err);
    begin("keep");
    end(kanon_state_create("bench", table, schema, grouping, &outputs, &keeping, &err), &err);
    change(path, &keeping);
    free(kept.bytes);
}

int main(int argc, char **argv)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_setting settings[16];
    if (argc < 5)
        return 2;
    kanon_read_options reading = {.struct_size = sizeof reading, .tick = tick, .threads = 1};
    kanon_options options = {
        .struct_size = sizeof options, .k = 10, .algorithm = argv[4], .threads = 1, .tick = tick, .settings = settings};
    for (int i = 5; i < argc && options.n_settings < 16; i++) {
        char *value = strchr(argv[i], '=');
        if (value == NULL)
            return 2;
        *value++ = '\0';
        if (strcmp(argv[i], "refine") == 0)
            options.refine = value;
        else if (strcmp(argv[i], "blocks") == 0)
            options.blocks = KANON_BLOCKS_NONE;
        else
            settings[options.n_settings++] = (kanon_setting){argv[i], value};
    }
    now.most_seconds = atof(argv[3]);
    begin("schema");
    end(kanon_schema_read(&schema, KANON_PATH(argv[2]), NULL, &err), &err);
    begin("read");
    end(kanon_table_read(&table, KANON_PATH(argv[1]), schema, &reading, &err), &err);
    begin("group");
    end(kanon_anonymize(&grouping, table, &options, &err), &err);
    if (grouping != NULL)
        release(argv[1], table, schema, grouping);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return print_gaps(argv[4]);
}
