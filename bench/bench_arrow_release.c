/* Times a release as an Arrow stream beside one as CSV, checks included: bench_arrow_release TABLE SCHEMA GROUPS RELEASE
 * THREADS
 *
 * Tells seconds of the clock: of the CSV release, of the stream, and of one in random order. */
#include <kanon_arrow.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static kanon_status read_inputs(char **argv, kanon_schema **schema, kanon_table **table, kanon_grouping **grouping,
                                kanon_error *err)
{
    kanon_status st = kanon_schema_read(schema, KANON_PATH(argv[2]), NULL, err);
    if (st == KANON_OK)
        st = kanon_table_read(table, KANON_PATH(argv[1]), *schema, NULL, err);
    if (st == KANON_OK)
        st = kanon_grouping_read(grouping, *table, KANON_PATH(argv[3]), err);
    return st;
}

static kanon_status time_stream(const kanon_table *table, const kanon_grouping *grouping, int threads, int shuffle,
                                kanon_error *err)
{
    struct ArrowArrayStream stream = {0};
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_STREAM(&stream), .threads = threads, .shuffle = shuffle};
    double begin = seconds();
    kanon_status st = kanon_publish(table, grouping, &outputs, err);
    if (st == KANON_OK) {
        printf(" %.3f", seconds() - begin);
        stream.release(&stream);
    }
    return st;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: bench_arrow_release TABLE SCHEMA GROUPS RELEASE THREADS\n");
        return 2;
    }
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_PATH(argv[4]),
                             .threads = atoi(argv[5]),
                             .numeric = KANON_NUMERIC_COLUMNS};
    kanon_status st = read_inputs(argv, &schema, &table, &grouping, &err);
    double begin = seconds();
    if (st == KANON_OK)
        st = kanon_publish(table, grouping, &outputs, &err);
    printf("%.3f", seconds() - begin);
    if (st == KANON_OK)
        st = time_stream(table, grouping, outputs.threads, 0, &err);
    if (st == KANON_OK)
        st = time_stream(table, grouping, outputs.threads, 1, &err);
    printf("\n");
    if (st != KANON_OK)
        fprintf(stderr, "bench_arrow_release: %s\n", err.message);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st == KANON_OK ? 0 : 1;
}
