/* Times the reading of a table and watches the memory it takes: bench_read TABLE SCHEMA [THREADS]
 *
 * Memory is RssAnon of /proc/self/status: pages of the process's own, so that the mapped input does not count. A second
 * thread looks every 2 ms while the table is read; what is told is the highest value seen, less the value before. */
#include <kanon.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static atomic_bool finished;

static long anonymous_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "RssAnon:", 8) == 0)
            kib = strtol(line + 8, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kib;
}

static void *watch(void *payload)
{
    long *peak_kib = payload;
    while (!atomic_load(&finished)) {
        long now = anonymous_kib();
        if (now > *peak_kib)
            *peak_kib = now;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return NULL;
}

static double seconds(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int encoded_columns(const kanon_table *table)
{
    int n = 0;
    for (size_t i = 0; kanon_table_column_at(table, i) != NULL; i++) {
        kanon_role role = kanon_table_column_at(table, i)->role;
        n += role == KANON_ROLE_QUASI || role == KANON_ROLE_SENSITIVE;
    }
    return n;
}

static void tell(const kanon_table *table, double took, double cpu, long grown_kib)
{
    double rows = (double)kanon_table_rows(table);
    int encoded = encoded_columns(table);
    printf("rows %.0f\n", rows);
    printf("encoded %d\n", encoded);
    printf("seconds %.3f\n", took);
    printf("cpu %.3f\n", cpu);
    printf("peak_mib %.1f\n", (double)grown_kib / 1024);
    printf("bytes_per_record %.1f\n", rows > 0 ? (double)grown_kib * 1024 / rows : 0.0);
    printf("limit %d\n", 24 + 4 * encoded);
}

int main(int argc, char **argv)
{
    kanon_read_options options = {.struct_size = sizeof options, .threads = argc == 4 ? atoi(argv[3]) : 0};
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: bench_read TABLE SCHEMA [THREADS]\n");
        return 2;
    }
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    if (kanon_schema_read(&schema, KANON_PATH(argv[2]), NULL, &err) != KANON_OK) {
        fprintf(stderr, "bench_read: %s\n", err.message);
        return 1;
    }
    long before_kib = anonymous_kib(), peak_kib = before_kib;
    pthread_t watcher;
    if (before_kib < 0 || pthread_create(&watcher, NULL, watch, &peak_kib) != 0) {
        fprintf(stderr, "bench_read: cannot watch the memory of this process\n");
        return 1;
    }
    double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    kanon_status st = kanon_table_read(&table, KANON_PATH(argv[1]), schema, &options, &err);
    double took = seconds(CLOCK_MONOTONIC) - start;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    atomic_store(&finished, true);
    pthread_join(watcher, NULL);
    if (st == KANON_OK)
        tell(table, took, cpu, peak_kib - before_kib);
    else
        fprintf(stderr, "bench_read: %s\n", err.message);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st == KANON_OK ? 0 : 1;
}
