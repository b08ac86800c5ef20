/* Times a table as an Arrow stream against the same table as CSV: bench_arrow [ROWS [THREADS]]
 *
 * Ten columns, all encoded but one: integers, floats, a date, a timestamp, bool, text, dictionaries. The CSV file is written
 * to TMPDIR and read once before the clock starts. Then both tables are released, checks included: the one of CSV as CSV to
 * /dev/null, the one of Arrow as a stream, in order and in random order. Each way is taken three times; the best one is
 * told, in milliseconds of the clock, and of releases also of the processors. */
#include <kanon_arrow.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N_COLUMNS = 10, N_CITIES = 300, BATCH = 1 << 16, ROUNDS = 3 };

static const char *const names[N_COLUMNS] = {"id",  "age",  "height", "income", "score",
                                             "day", "seen", "member", "zip",    "city"};
static const char *const formats[N_COLUMNS] = {"l", "C", "s", "g", "f", "tdD", "tss:", "b", "u", "s"};

static const char schema_text[] = "attributes: {id: {role: identifying}, age: {role: quasi}, height: {role: quasi},\n"
                                  "  income: {role: quasi}, score: {role: quasi}, day: {role: quasi, type: date},\n"
                                  "  seen: {role: sensitive}, member: {role: quasi}, city: {role: quasi},\n"
                                  "  zip: {role: quasi, type: categorical}}\n";

/* All values, column by column. */
typedef struct values {
    int64_t n;
    int64_t *id, *seen;
    uint8_t *age, *member;
    int16_t *height, *city;
    double *income;
    float *score;
    int32_t *day, *zip_ends;
    char *zip;
    char cities[N_CITIES * 8];
    int32_t city_ends[N_CITIES + 1];
} values;

static void *room(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL)
        exit(1);
    return memory;
}

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

static void make_values(values *v, int64_t n)
{
    size_t rows = (size_t)n;
    *v = (values){.n = n, .id = room(rows * 8), .seen = room(rows * 8), .age = room(rows), .member = room(rows / 8 + 1)};
    v->height = room(rows * 2);
    v->city = room(rows * 2);
    v->income = room(rows * 8);
    v->score = room(rows * 4);
    v->day = room(rows * 4);
    v->zip_ends = room((rows + 1) * 4);
    v->zip = room(rows * 5 + 1);
    for (int64_t i = 0; i < n; i++) {
        v->id[i] = 1000000007 + i * 3;
        v->seen[i] = 1700000000 + 60 * (int64_t)draw(100000);
        v->age[i] = (uint8_t)draw(100);
        v->member[i / 8] |= (uint8_t)(draw(2) << i % 8);
        v->height[i] = (int16_t)(1400 + draw(700));
        v->city[i] = (int16_t)draw(N_CITIES);
        v->income[i] = (double)draw(100000) / 4;
        v->score[i] = (float)draw(1000) / 10;
        v->day[i] = (int32_t)draw(20000);
        v->zip_ends[i + 1] = v->zip_ends[i] + snprintf(v->zip + v->zip_ends[i], 6, "%05u", draw(3000) * 31);
    }
    for (int i = 0; i < N_CITIES; i++)
        v->city_ends[i + 1] = v->city_ends[i] + snprintf(v->cities + v->city_ends[i], 8, "city%d", i);
}

/* ---- as CSV ----------------------------------------------------------------------------------------------------------- */

static void write_csv(const values *v, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        exit(1);
    for (int i = 0; i < N_COLUMNS; i++)
        fprintf(file, "%s%s", names[i], i + 1 < N_COLUMNS ? "," : "\n");
    for (int64_t i = 0; i < v->n; i++) {
        char day[32], seen[32];
        time_t days = (time_t)v->day[i] * 86400, seconds = (time_t)v->seen[i];
        struct tm parts;
        strftime(day, sizeof day, "%Y-%m-%d", gmtime_r(&days, &parts));
        strftime(seen, sizeof seen, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &parts));
        fprintf(file, "%lld,%d,%d,%.10g,%.7g,%s,%s,%s,%.5s,%.*s\n", (long long)v->id[i], v->age[i], v->height[i],
                v->income[i], (double)v->score[i], day, seen, (v->member[i / 8] >> i % 8 & 1) != 0 ? "true" : "false",
                v->zip + v->zip_ends[i], (int)(v->city_ends[v->city[i] + 1] - v->city_ends[v->city[i]]),
                v->cities + v->city_ends[v->city[i]]);
    }
    fclose(file);
}

/* ---- as an Arrow stream ----------------------------------------------------------------------------------------------- */

/* A batch: its arrays, in one piece of memory. */
typedef struct batch {
    struct ArrowArray columns[N_COLUMNS], dictionary, *children[N_COLUMNS];
    const void *buffers[N_COLUMNS][3], *dictionary_buffers[3], *none[1];
} batch;

typedef struct stream_state {
    const values *values;
    int64_t next;
} stream_state;

static void release_child(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array)
{
    free(array->private_data);
    array->release = NULL;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_state *s = stream->private_data;
    const values *v = s->values;
    int64_t n = v->n - s->next < BATCH ? v->n - s->next : BATCH;
    const void *const all[N_COLUMNS] = {v->id, v->age, v->height, v->income, v->score, v->day, v->seen, v->member,
                                        v->zip_ends, v->city};
    *out = (struct ArrowArray){0};
    if (n == 0)
        return 0;
    batch *b = room(sizeof *b);
    for (int i = 0; i < N_COLUMNS; i++) {
        b->buffers[i][1] = all[i];
        b->buffers[i][2] = v->zip;
        b->columns[i] = (struct ArrowArray){.length = n, .offset = s->next, .n_buffers = formats[i][0] == 'u' ? 3 : 2,
                                            .buffers = b->buffers[i], .release = release_child};
        b->children[i] = &b->columns[i];
    }
    b->dictionary_buffers[1] = v->city_ends;
    b->dictionary_buffers[2] = v->cities;
    b->dictionary = (struct ArrowArray){.length = N_CITIES, .n_buffers = 3, .buffers = b->dictionary_buffers,
                                        .release = release_child};
    b->columns[N_COLUMNS - 1].dictionary = &b->dictionary;
    *out = (struct ArrowArray){.length = n, .n_buffers = 1, .n_children = N_COLUMNS, .buffers = b->none,
                               .children = b->children, .release = release_batch, .private_data = b};
    s->next += n;
    return 0;
}

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    static struct ArrowSchema columns[N_COLUMNS], *children[N_COLUMNS], cities = {.format = "u"};
    (void)stream;
    for (int i = 0; i < N_COLUMNS; i++) {
        columns[i] = (struct ArrowSchema){.format = formats[i], .name = names[i], .release = release_schema};
        children[i] = &columns[i];
    }
    columns[N_COLUMNS - 1].dictionary = &cities;
    *out = (struct ArrowSchema){.format = "+s", .name = "", .n_children = N_COLUMNS, .children = children,
                                .release = release_schema};
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

/* ---- the clock -------------------------------------------------------------------------------------------------------- */

static double now_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void need(kanon_status st, const kanon_error *err)
{
    if (st == KANON_OK)
        return;
    fprintf(stderr, "bench_arrow: %s\n", err->message);
    exit(1);
}

/* `path` NULL: from the stream. */
static kanon_table *read_table(const values *v, const char *path, const kanon_schema *schema, int threads)
{
    kanon_read_options options = {.struct_size = sizeof options, .threads = threads};
    stream_state state = {.values = v};
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, &state};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    need(path != NULL ? kanon_table_read(&table, KANON_PATH(path), schema, &options, &err)
                      : kanon_table_read(&table, KANON_STREAM(&stream), schema, &options, &err),
         &err);
    return table;
}

/* The best time of some. */
static void time_reading(const char *name, const values *v, const char *path, const kanon_schema *schema, int threads)
{
    double best = -1;
    for (int round = 0; round < ROUNDS + (path != NULL); round++) {
        double begin = now_ms(CLOCK_MONOTONIC);
        kanon_table *table = read_table(v, path, schema, threads);
        double took = now_ms(CLOCK_MONOTONIC) - begin;
        kanon_table_free(table);
        best = best < 0 || took < best ? took : best;
    }
    printf("%s_ms %.0f\n", name, best);
}

/* ---- releases --------------------------------------------------------------------------------------------------------- */

/* The grouping of one table for another one with the same records. */
static kanon_grouping *copy_grouping(const kanon_grouping *given, const kanon_table *table)
{
    int64_t n = kanon_grouping_describe(given)->rows, *group_of = room((size_t)n * sizeof *group_of);
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    for (int64_t i = 0; i < n; i++)
        group_of[i] = kanon_grouping_group_of(given, i);
    need(kanon_grouping_new(&grouping, table, group_of, &err), &err);
    free(group_of);
    return grouping;
}

static void release_once(const kanon_table *table, const kanon_grouping *grouping, bool csv, bool shuffle, int threads)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_PATH("/dev/null"),
                             .threads = threads,
                             .numeric = KANON_NUMERIC_COLUMNS};
    struct ArrowArrayStream stream = {0};
    kanon_outputs typed = {
        .struct_size = sizeof typed, .release = KANON_TO_STREAM(&stream), .threads = threads, .shuffle = shuffle};
    if (csv) {
        need(kanon_publish(table, grouping, &outputs, &err), &err);
        return;
    }
    need(kanon_publish(table, grouping, &typed, &err), &err);
    stream.release(&stream);
}

static void time_release(const char *name, const kanon_table *table, const kanon_grouping *grouping, bool csv, bool shuffle,
                         int threads)
{
    double best = -1, best_cpu = -1;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ms(CLOCK_MONOTONIC), begin_cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);
        release_once(table, grouping, csv, shuffle, threads);
        double took = now_ms(CLOCK_MONOTONIC) - begin, cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu;
        best = best < 0 || took < best ? took : best;
        best_cpu = best_cpu < 0 || cpu < best_cpu ? cpu : best_cpu;
    }
    printf("%s_ms %.0f\n%s_cpu_ms %.0f\n", name, best, name, best_cpu);
}

static void time_releases(const values *v, const char *path, const kanon_schema *schema, int threads)
{
    kanon_table *csv = read_table(v, path, schema, threads), *arrow = read_table(v, NULL, schema, threads);
    kanon_options options = {.struct_size = sizeof options, .k = 10, .algorithm = "mondrian", .threads = threads};
    kanon_grouping *made = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    need(kanon_anonymize(&made, csv, &options, &err), &err);
    kanon_grouping *of_csv = copy_grouping(made, csv), *of_arrow = copy_grouping(made, arrow);
    time_release("csv_release", csv, of_csv, true, false, threads);
    time_release("csv_to_arrow", csv, of_csv, false, false, threads);
    time_release("arrow_release", arrow, of_arrow, false, false, threads);
    time_release("arrow_shuffled", arrow, of_arrow, false, true, threads);
    kanon_grouping_free(of_arrow);
    kanon_grouping_free(of_csv);
    kanon_grouping_free(made);
    kanon_table_free(arrow);
    kanon_table_free(csv);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 1000000;
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    const char *directory = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    char csv[1024], yaml[1024];
    values v;
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    snprintf(csv, sizeof csv, "%s/bench-arrow-%ld.csv", directory, (long)getpid());
    snprintf(yaml, sizeof yaml, "%s/bench-arrow-%ld.yaml", directory, (long)getpid());
    make_values(&v, n);
    write_csv(&v, csv);
    FILE *file = fopen(yaml, "w");
    if (file == NULL || fputs(schema_text, file) < 0 || fclose(file) != 0)
        exit(1);
    need(kanon_schema_read(&schema, KANON_PATH(yaml), NULL, &err), &err);
    printf("rows %lld\nthreads %d\n", (long long)n, threads);
    time_reading("csv", &v, csv, schema, threads);
    time_reading("arrow", &v, NULL, schema, threads);
    time_releases(&v, csv, schema, threads);
    kanon_schema_free(schema);
    unlink(csv);
    unlink(yaml);
    return 0;
}
