/* An Arrow stream through kanon: a producer in this program, as any Arrow library could be one, and a consumer that prints
 * whatever columns the released stream has. */
#include <kanon_arrow.h>

#include <stdio.h>
#include <string.h>

enum { N_BATCHES = 2, N_ROWS = 3 };

/* ---- a producer: two batches, which show two parts of the same buffers -------------------------------------------- */

static const int64_t ages[] = {21, 61, 24, 65, 23, 63};
static const char cities[] = "RomeOsloRomeOsloMilanOslo";
static const int32_t city_ends[] = {0, 4, 8, 12, 16, 21, 25};
static const void *no_validity[1], *age_buffers[] = {NULL, ages}, *city_buffers[] = {NULL, city_ends, cities};

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        schema->children[i]->release = NULL;
    schema->release = NULL; /* all structs are static: there is nothing to free */
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
    static struct ArrowSchema columns[2], *children[2] = {&columns[0], &columns[1]};
    (void)stream;
    columns[0] = (struct ArrowSchema){.format = "l", .name = "age", .release = release_schema};  /* int64 */
    columns[1] = (struct ArrowSchema){.format = "u", .name = "city", .release = release_schema}; /* utf8 */
    *out = (struct ArrowSchema){"+s", "", NULL, 0, 2, children, NULL, release_schema, NULL};
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    static struct ArrowArray columns[N_BATCHES][2], *children[N_BATCHES][2];
    int *next = stream->private_data, i = (*next)++;
    *out = (struct ArrowArray){0}; /* released: the end */
    if (i >= N_BATCHES)
        return 0; /* an error would be an errno */
    columns[i][0] = (struct ArrowArray){N_ROWS, 0, i * N_ROWS, 2, 0, age_buffers, NULL, NULL, release_array, NULL};
    columns[i][1] = (struct ArrowArray){N_ROWS, 0, i * N_ROWS, 3, 0, city_buffers, NULL, NULL, release_array, NULL};
    children[i][0] = &columns[i][0];
    children[i][1] = &columns[i][1];
    *out = (struct ArrowArray){N_ROWS, 0, 0, 1, 2, no_validity, children[i], NULL, release_array, NULL};
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

/* ---- a consumer --------------------------------------------------------------------------------------------------- */

static void print_cell(const struct ArrowSchema *type, const struct ArrowArray *array, int64_t i)
{
    const unsigned char *valid = array->buffers[0];
    int64_t at = array->offset + i;
    if (valid != NULL && (valid[at / 8] >> at % 8 & 1) == 0) {
        printf("null"); /* any value, or none */
    } else if (type->dictionary != NULL) { /* a category: an int32 that is the number of its name */
        print_cell(type->dictionary, array->dictionary, ((const int32_t *)array->buffers[1])[at]);
    } else if (strcmp(type->format, "l") == 0) {
        printf("%lld", (long long)((const int64_t *)array->buffers[1])[at]);
    } else if (strcmp(type->format, "u") == 0) {
        const int32_t *ends = (const int32_t *)array->buffers[1] + at;
        printf("%.*s", (int)(ends[1] - ends[0]), (const char *)array->buffers[2] + ends[0]);
    }
}

static int print_stream(struct ArrowArrayStream *stream)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray rows = {0};
    int error = stream->get_schema(stream, &schema);
    while (error == 0 && (error = stream->get_next(stream, &rows)) == 0 && rows.release != NULL) {
        for (int64_t i = 0; i < rows.length; i++)
            for (int64_t c = 0; c < rows.n_children; c++) {
                printf("%s=", schema.children[c]->name);
                print_cell(schema.children[c], rows.children[c], i);
                putchar(c + 1 < rows.n_children ? ' ' : '\n');
            }
        rows.release(&rows);
    }
    if (schema.release != NULL)
        schema.release(&schema);
    return error;
}

int main(void)
{
    int next = 0, failed = 1;
    struct ArrowArrayStream people = {get_schema, get_next, get_last_error, release_stream, &next}, released = {0};
    kanon_options options = {.struct_size = sizeof options, .k = 3, .seed = 1};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_STREAM(&released)};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    if (kanon_schema_new(&schema, NULL, &err) == KANON_OK &&
        kanon_schema_set(schema, NULL, "default-role", "quasi", &err) == KANON_OK &&
        kanon_table_read(&table, KANON_STREAM(&people), schema, NULL, &err) == KANON_OK &&
        kanon_anonymize(&grouping, table, &options, &err) == KANON_OK &&
        kanon_publish(table, grouping, &outputs, &err) == KANON_OK)
        failed = 0;
    if (people.release != NULL) /* kanon_table_read was not reached */
        people.release(&people);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    if (failed) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    failed = print_stream(&released); /* it outlives the table and the grouping */
    released.release(&released);
    return failed;
}
