/* What the figures of whole rows take, beside the grouping that they are about: seconds of the processor, on one
 * thread.
 *
 *     bench_rows TABLE SCHEMA K */
#include "measures/linkage.h"
#include "measures/singled_out.h"
#include "table/read/table.h"

#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void need(kanon_status st, const kanon_error *err)
{
    if (st == KANON_OK)
        return;
    fprintf(stderr, "bench_rows: %s\n", err->message);
    exit(1);
}

int main(int argc, char **argv)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon__singled_out singled_out = {0};
    kanon__row_numbers insensitive = {0};
    kanon__linkage linkage = {0};
    if (argc != 4)
        return 2;
    kanon_read_options reading = {.struct_size = sizeof reading, .threads = 1};
    kanon_options grouping_by = {
        .struct_size = sizeof grouping_by, .k = atoll(argv[3]), .algorithm = "mondrian", .threads = 1};
    need(kanon_schema_read(&schema, KANON_PATH(argv[2]), NULL, &err), &err);
    need(kanon_table_read(&table, KANON_PATH(argv[1]), schema, &reading, &err), &err);
    double begin = seconds();
    need(kanon_anonymize(&grouping, table, &grouping_by, &err), &err);
    double grouped = seconds();
    need(kanon__singled_out_find(&singled_out, NULL, table, grouping, NULL, 1, NULL, &err), &err);
    double counted = seconds();
    kanon__singled_out_clear(&singled_out);
    need(kanon__singled_out_find(&singled_out, &insensitive, table, grouping, NULL, 1, NULL, &err), &err);
    double numbered = seconds();
    need(kanon__linkage_find(&linkage, table, grouping, &insensitive, NULL, KANON__LINKAGE_WORK, NULL, &err), &err);
    double linked = seconds();
    printf("mondrian %.3f\nsingled_out %.3f\nlinkage %.3f\n", grouped - begin, counted - grouped, linked - numbered);
    printf("singled_out_all %.6f\nlinkage_quasi %.6f\nlinkage_all %.6f\nlinkage_error %.6f\n", singled_out.all,
           linkage.quasi, linkage.all, linkage.error);
    kanon__linkage_clear(&linkage);
    kanon__row_numbers_clear(&insensitive);
    kanon__singled_out_clear(&singled_out);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return 0;
}
