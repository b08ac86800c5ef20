/* From plain C arrays to plain C arrays: two columns in memory are described by Arrow structs, which are nothing but
 * pointers to them, and the release is read from the arrays that come back. No value is turned into text or copied in. */
#include <kanon_arrow.h>

#include <stdio.h>

enum { N = 6, N_COLUMNS = 2 };

static const int32_t ages[N] = {21, 61, 24, 65, 23, 63};
static const double incomes[N] = {1800.5, 2500, 2100, 2400, 1950, 2450.25};

/* All structs below are static, so there is nothing to free. A release marks a struct, and what is below it, as released. */
static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        schema->children[i]->release = NULL;
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++)
        array->children[i]->release = NULL;
    array->release = NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    static struct ArrowSchema columns[N_COLUMNS], *children[N_COLUMNS] = {&columns[0], &columns[1]};
    (void)stream;
    columns[0] = (struct ArrowSchema){.format = "i", .name = "age", .release = release_schema};    /* int32 */
    columns[1] = (struct ArrowSchema){.format = "g", .name = "income", .release = release_schema}; /* double */
    *out = (struct ArrowSchema){"+s", "", NULL, 0, N_COLUMNS, children, NULL, release_schema, NULL};
    return 0;
}

/* The first call gives the batch, the second says by a released array that there are no more. */
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    static const void *buffers[N_COLUMNS][2] = {{NULL, ages}, {NULL, incomes}}, *no_validity[1] = {NULL};
    static struct ArrowArray columns[N_COLUMNS], *children[N_COLUMNS] = {&columns[0], &columns[1]};
    *out = (struct ArrowArray){0};
    if (stream->private_data != NULL)
        return 0;
    stream->private_data = &columns;
    for (int i = 0; i < N_COLUMNS; i++)
        columns[i] = (struct ArrowArray){.length = N, .n_buffers = 2, .buffers = buffers[i], .release = release_array};
    *out = (struct ArrowArray){N, 0, 0, 1, N_COLUMNS, no_validity, children, NULL, release_array, NULL};
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

/* age_min, age_max and income. Where records are suppressed, their age_min and age_max are null: see buffers[0]. */
static void print_release(struct ArrowArrayStream *released)
{
    struct ArrowArray batch = {0};
    while (released->get_next(released, &batch) == 0 && batch.release != NULL) {
        const int32_t *min = (const int32_t *)batch.children[0]->buffers[1] + batch.children[0]->offset;
        const int32_t *max = (const int32_t *)batch.children[1]->buffers[1] + batch.children[1]->offset;
        const double *income = (const double *)batch.children[2]->buffers[1] + batch.children[2]->offset;
        for (int64_t i = 0; i < batch.length; i++)
            printf("%d to %d: %.2f\n", (int)min[i], (int)max[i], income[i]);
        batch.release(&batch);
    }
    released->release(released);
}

int main(void)
{
    struct ArrowArrayStream people = {get_schema, get_next, get_last_error, release_stream, NULL}, released = {0};
    kanon_options options = {.struct_size = sizeof options, .k = 3, .seed = 1};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_STREAM(&released)};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    int failed = kanon_schema_new(&schema, NULL, &err) != KANON_OK ||
                 kanon_schema_set(schema, "age", "role", "quasi", &err) != KANON_OK ||
                 kanon_schema_set(schema, "income", "role", "sensitive", &err) != KANON_OK ||
                 kanon_table_read(&table, KANON_STREAM(&people), schema, NULL, &err) != KANON_OK ||
                 kanon_anonymize(&grouping, table, &options, &err) != KANON_OK ||
                 kanon_publish(table, grouping, &outputs, &err) != KANON_OK;
    if (failed)
        fprintf(stderr, "%s\n", err.message);
    else
        print_release(&released);
    if (people.release != NULL) /* kanon_table_read was not reached */
        people.release(&people);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return failed;
}
