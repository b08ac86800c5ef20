/* A driver of ADBC for tests, as a library that is loaded at run time: a database in memory with one table of people, which
 * counts its calls and fails at the one that it is told. Its errors say what no message may repeat. One table can be
 * written, in a transaction; what was committed stays until the next fake_reset. */
#include "drivers/fake_driver.h"
#include "database/adbc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { N_ROWS = 12, MOST_BATCHES = 64 };

static const int64_t ages[N_ROWS] = {21, 22, 23, 24, 35, 36, 37, 38, 61, 62, 63, 64};
static const char cities[N_ROWS + 1] = "RRRROOOORROO"; /* Rome and Oslo */

static fake_state now;
static struct ArrowArray written[MOST_BATCHES]; /* bound rows, until they are replaced */
static int n_written;
static struct ArrowSchema written_schema;

/* ---- what tests are told ------------------------------------------------------------------------------------------ */

static void drop_written(void)
{
    for (int i = 0; i < n_written; i++)
        if (written[i].release != NULL)
            written[i].release(&written[i]);
    n_written = 0;
    if (written_schema.release != NULL)
        written_schema.release(&written_schema);
    written_schema.release = NULL;
}

__attribute__((visibility("default"))) void fake_reset(int fail_at, bool damages)
{
    drop_written();
    now = (fake_state){.fail_at = fail_at, .damages = damages, .kept_rows = FAKE_OLD_ROWS};
}

__attribute__((visibility("default"))) void fake_forget_rollback(void)
{
    now.no_rollback = true;
}

__attribute__((visibility("default"))) const fake_state *fake_now(void)
{
    return &now;
}

/* ---- failing ------------------------------------------------------------------------------------------------------ */

static bool fails(void)
{
    return ++now.calls == now.fail_at;
}

static void release_error(kanon__adbc_error *error)
{
    free(error->message);
    error->message = NULL;
    error->release = NULL;
    now.alive--;
}

static kanon__adbc_status answer(kanon__adbc_error *error)
{
    if (!fails())
        return KANON__ADBC_OK;
    error->message = strdup("could not send 'Anna' to " FAKE_SECRET);
    if (now.calls % 2 == 0) /* not all drivers have one */
        memcpy(error->sqlstate, "08006", 5);
    error->release = release_error;
    now.alive++;
    return 10;
}

/* ---- the table of people ------------------------------------------------------------------------------------------ */

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    for (int64_t i = 0; i < array->n_buffers; i++)
        free((void *)array->buffers[i]);
    free(array->children);
    free(array->buffers);
    array->release = NULL;
    now.alive--;
}

static struct ArrowArray new_array(int64_t length, int n_buffers, int n_children)
{
    now.alive++;
    return (struct ArrowArray){.length = length,
                               .n_buffers = n_buffers,
                               .n_children = n_children,
                               .buffers = calloc(3, sizeof(void *)),
                               .children = calloc((size_t)n_children + 1, sizeof(struct ArrowArray *)),
                               .release = release_array};
}

static struct ArrowArray new_ages(int first, int n)
{
    struct ArrowArray out = new_array(n, 2, 0);
    int64_t *values = malloc(sizeof ages);
    memcpy(values, ages + first, (size_t)n * sizeof *ages);
    out.buffers[1] = values;
    return out;
}

static struct ArrowArray new_cities(int first, int n)
{
    struct ArrowArray out = new_array(n, 3, 0);
    int32_t *offsets = calloc(N_ROWS + 1, sizeof *offsets);
    char *bytes = malloc(4 * N_ROWS);
    for (int i = 0; i < n; i++) {
        memcpy(bytes + 4 * i, cities[first + i] == 'R' ? "Rome" : "Oslo", 4);
        offsets[i + 1] = 4 * (i + 1);
    }
    out.buffers[1] = offsets;
    out.buffers[2] = bytes;
    return out;
}

/* A stream over the people, or over what was written; `next` counts batches. */
typedef struct rows {
    bool of_written;
    int next;
} rows;

static void release_field(struct ArrowSchema *field)
{
    field->release = NULL;
    now.alive--;
}

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    schema->release = NULL;
    now.alive--;
}

/* The formats of columns that were written are kept as they came; names and formats outlive the copy. */
static void copy_schema(struct ArrowSchema *out, const struct ArrowSchema *from)
{
    static const char *const names[] = {"age", "city"}, *const formats[] = {"l", "u"};
    int64_t n = from != NULL ? from->n_children : 2;
    now.alive++;
    *out = (struct ArrowSchema){.format = "+s", .name = "", .n_children = n, .release = release_schema};
    out->children = calloc((size_t)n, sizeof *out->children);
    for (int64_t i = 0; i < n; i++) {
        const struct ArrowSchema *given = from != NULL ? from->children[i] : NULL;
        now.alive++;
        out->children[i] = malloc(sizeof **out->children);
        *out->children[i] = (struct ArrowSchema){.format = given != NULL ? given->format : formats[i],
                                                 .name = given != NULL ? given->name : names[i],
                                                 .flags = ARROW_FLAG_NULLABLE,
                                                 .dictionary = given != NULL ? given->dictionary : NULL,
                                                 .release = release_field};
    }
}

static int rows_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const rows *r = stream->private_data;
    if (fails())
        return EIO;
    copy_schema(out, r->of_written ? &written_schema : NULL);
    return 0;
}

/* Two batches of people; of what was written, the batches as they came, which are given away. */
static int rows_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    rows *r = stream->private_data;
    *out = (struct ArrowArray){0};
    if (fails())
        return EIO;
    if (r->of_written) {
        while (r->next < n_written && written[r->next].release == NULL)
            r->next++;
        if (r->next >= n_written)
            return 0;
        *out = written[r->next];
        written[r->next++].release = NULL;
        if (now.damages && out->length > 0 && out->children[0]->buffers[1] != NULL)
            ++*(char *)out->children[0]->buffers[1]; /* one number is another one */
        return 0;
    }
    if (r->next >= 2)
        return 0;
    int n = N_ROWS / 2, first = r->next++ * n;
    *out = new_array(n, 1, 2);
    for (int i = 0; i < 2; i++) {
        out->children[i] = malloc(sizeof **out->children);
        *out->children[i] = i == 0 ? new_ages(first, n) : new_cities(first, n);
    }
    return 0;
}

static const char *rows_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "lost 'Anna' on the way to " FAKE_SECRET;
}

static void rows_release(struct ArrowArrayStream *stream)
{
    free(stream->private_data);
    stream->release = NULL;
    now.alive--;
}

/* ---- objects ------------------------------------------------------------------------------------------------------ */

static kanon__adbc_status object_new(kanon__adbc_object *object, kanon__adbc_error *error)
{
    kanon__adbc_status code = answer(error);
    if (code == KANON__ADBC_OK) {
        object->private_data = calloc(1, 1);
        now.alive++;
    }
    return code;
}

static kanon__adbc_status object_release(kanon__adbc_object *object, kanon__adbc_error *error)
{
    free(object->private_data);
    object->private_data = NULL;
    now.alive--;
    return answer(error);
}

static kanon__adbc_status step(kanon__adbc_object *object, kanon__adbc_error *error)
{
    (void)object;
    return answer(error);
}

static kanon__adbc_status set_option(kanon__adbc_object *object, const char *key, const char *value,
                                     kanon__adbc_error *error)
{
    (void)object, (void)key, (void)value;
    return answer(error);
}

static kanon__adbc_status connection_init(kanon__adbc_object *connection, kanon__adbc_object *database,
                                          kanon__adbc_error *error)
{
    (void)connection, (void)database;
    return answer(error);
}

static kanon__adbc_status commit(kanon__adbc_object *connection, kanon__adbc_error *error)
{
    (void)connection;
    kanon__adbc_status code = answer(error);
    if (code == KANON__ADBC_OK)
        now.kept_rows = now.pending_rows;
    return code;
}

/* ---- statements --------------------------------------------------------------------------------------------------- */

/* What the next execution does. */
static enum { DO_READ, DO_READ_BACK, DO_NOTHING, DO_FILL } doing;
static struct ArrowArrayStream bound;

static kanon__adbc_status statement_new(kanon__adbc_object *connection, kanon__adbc_object *statement,
                                        kanon__adbc_error *error)
{
    (void)connection;
    return object_new(statement, error);
}

static kanon__adbc_status statement_release(kanon__adbc_object *statement, kanon__adbc_error *error)
{
    if (bound.release != NULL)
        bound.release(&bound);
    return object_release(statement, error);
}

static kanon__adbc_status set_sql_query(kanon__adbc_object *statement, const char *query, kanon__adbc_error *error)
{
    (void)statement;
    doing = strncmp(query, "DROP", 4) == 0 ? DO_NOTHING : strstr(query, "\"released\"") != NULL ? DO_READ_BACK : DO_READ;
    return answer(error);
}

static kanon__adbc_status bind_stream(kanon__adbc_object *statement, struct ArrowArrayStream *given,
                                      kanon__adbc_error *error)
{
    (void)statement;
    kanon__adbc_status code = answer(error);
    if (code == KANON__ADBC_OK) {
        bound = *given;
        given->release = NULL;
        doing = DO_FILL;
    }
    return code;
}

/* Take the bound rows to their end, as a bulk insert does. */
static void fill(void)
{
    drop_written();
    now.pending_rows = 0;
    bound.get_schema(&bound, &written_schema);
    while (n_written < MOST_BATCHES) {
        struct ArrowArray batch = {0};
        if (bound.get_next(&bound, &batch) != 0 || batch.release == NULL)
            break;
        now.pending_rows += batch.length;
        written[n_written++] = batch;
    }
}

static kanon__adbc_status execute(kanon__adbc_object *statement, struct ArrowArrayStream *out, int64_t *n,
                                  kanon__adbc_error *error)
{
    (void)statement;
    kanon__adbc_status code = answer(error);
    *n = 0;
    if (code != KANON__ADBC_OK)
        return code;
    if (doing == DO_FILL)
        fill();
    if (out == NULL || doing == DO_FILL || doing == DO_NOTHING)
        return KANON__ADBC_OK;
    rows *r = calloc(1, sizeof *r);
    r->of_written = doing == DO_READ_BACK;
    now.alive++;
    *out = (struct ArrowArrayStream){rows_schema, rows_next, rows_error, rows_release, r};
    return KANON__ADBC_OK;
}

__attribute__((visibility("default"))) uint8_t AdbcDriverInit(int version, void *driver, kanon__adbc_error *error);

uint8_t AdbcDriverInit(int version, void *driver, kanon__adbc_error *error)
{
    kanon__adbc_driver *d = driver;
    kanon__adbc_status code = answer(error);
    (void)version;
    if (code != KANON__ADBC_OK)
        return code;
    d->database_new = d->connection_new = object_new;
    d->database_init = step;
    d->connection_rollback = now.no_rollback ? NULL : step;
    d->database_set_option = d->connection_set_option = d->statement_set_option = set_option;
    d->database_release = d->connection_release = object_release;
    d->connection_init = connection_init;
    d->connection_commit = commit;
    d->statement_new = statement_new;
    d->statement_release = statement_release;
    d->statement_set_sql_query = set_sql_query;
    d->statement_bind_stream = bind_stream;
    d->statement_execute_query = execute;
    return code;
}
