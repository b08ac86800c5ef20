/* Times the writing of a release, its check included: bench_write TABLE SCHEMA GROUPS RELEASE THREADS
 *
 * Tells seconds of the clock and of the processors. */
#include <kanon.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
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

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: bench_write TABLE SCHEMA GROUPS RELEASE THREADS\n");
        return 2;
    }
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(argv[4]), .threads = atoi(argv[5])};
    kanon_status st = read_inputs(argv, &schema, &table, &grouping, &err);
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (st == KANON_OK)
        st = kanon_publish(table, grouping, &outputs, &err);
    if (st == KANON_OK)
        printf("%.3f %.3f\n", seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    else
        fprintf(stderr, "bench_write: %s\n", err.message);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st == KANON_OK ? 0 : 1;
}
