/* What a host brings along, for tests: an allocator that counts and can fail, sinks that keep what they get and can fail, a
 * tick that can cancel, and one table as CSV and as an Arrow stream. */
#ifndef KANON_TESTS_EMBED_HELPERS_H
#define KANON_TESTS_EMBED_HELPERS_H

#include "arrow_consumer.h"
#include "arrow_producer.h"
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])
/* As KANON_TRY: the status so far, in `st`. */
#define STEP(call)                                                                                                          \
    do {                                                                                                                    \
        if (st == KANON_OK)                                                                                                 \
            st = (call);                                                                                                    \
    } while (0)

/* ---- the host ---------------------------------------------------------------------------------------------------- */

typedef struct host {
    pthread_t owner;
    atomic_llong n_asked, n_live, fail_at; /* allocations; fail_at 0: none fails */
    atomic_int n_ticks, n_foreign;         /* callbacks; those on another thread than the owner's */
    int cancel_at;                         /* the tick that cancels; 0: none */
    kanon_context context;
} host;

static inline bool host_may_have(host *h)
{
    long long asked = atomic_fetch_add(&h->n_asked, 1) + 1, at = atomic_load(&h->fail_at);
    return at == 0 || asked != at;
}

static inline void *host_allocate(size_t size, void *payload)
{
    host *h = payload;
    void *memory = host_may_have(h) ? malloc(size) : NULL;
    if (memory != NULL)
        atomic_fetch_add(&h->n_live, 1);
    return memory;
}

static inline void *host_reallocate(void *memory, size_t size, void *payload)
{
    return host_may_have(payload) ? realloc(memory, size) : NULL;
}

static inline void host_release(void *memory, void *payload)
{
    atomic_fetch_sub(&((host *)payload)->n_live, 1);
    free(memory);
}

static inline void host_called(host *h)
{
    if (!pthread_equal(pthread_self(), h->owner))
        atomic_fetch_add(&h->n_foreign, 1);
}

static inline int host_tick(const kanon_progress *progress, void *payload)
{
    host *h = payload;
    (void)progress;
    host_called(h);
    int n = atomic_fetch_add(&h->n_ticks, 1) + 1;
    return h->cancel_at > 0 && n == h->cancel_at;
}

/* The host of the thread that calls this; its objects are made in h->context. */
static inline void host_init(host *h, int threads)
{
    *h = (host){.owner = pthread_self()};
    h->context = (kanon_context){.struct_size = sizeof h->context,
                                 .allocate = host_allocate,
                                 .reallocate = host_reallocate,
                                 .release = host_release,
                                 .payload = h,
                                 .temporary = scratch_directory,
                                 .threads = threads,
                                 .tick_on_caller = 1};
}

/* ---- sinks ------------------------------------------------------------------------------------------------------- */

typedef struct collected {
    host *host; /* NULL: the thread is not looked at */
    char *text; /* terminated */
    size_t size;
    int n_writes, n_finished, n_complete;
    int fail_write_at, fail_finish; /* the write that fails; 1: finish fails. Both with ENOSPC */
} collected;

static inline int collect(const void *bytes, size_t size, void *payload)
{
    collected *c = payload;
    if (c->host != NULL)
        host_called(c->host);
    if (++c->n_writes == c->fail_write_at)
        return ENOSPC;
    char *text = realloc(c->text, c->size + size + 1);
    if (text == NULL)
        return ENOMEM;
    memcpy(text + c->size, bytes, size);
    c->text = text;
    c->size += size;
    c->text[c->size] = '\0';
    return 0;
}

static inline int collect_finish(int complete, void *payload)
{
    collected *c = payload;
    if (c->host != NULL)
        host_called(c->host);
    c->n_finished++;
    c->n_complete += complete != 0;
    return c->fail_finish ? ENOSPC : 0;
}

static inline kanon_sink sink_of(collected *c, const char *name)
{
    return (kanon_sink){sizeof(kanon_sink), name, collect, collect_finish, c};
}

/* ---- a table ----------------------------------------------------------------------------------------------------- */

enum { N_PEOPLE_COLUMNS = 5, CELL_SIZE = 16 };

/* People: id, age, zip, city (some are missing) and disease. */
typedef struct people {
    int n;
    char (*texts)[CELL_SIZE]; /* row by row */
    const char **cells[N_PEOPLE_COLUMNS];
    arrow_field fields[N_PEOPLE_COLUMNS];
    arrow_table table;
    char *csv;
} people;

static inline const char *put_text(people *p, int row, int column, const char *text)
{
    char *cell = p->texts[row * N_PEOPLE_COLUMNS + column];
    snprintf(cell, CELL_SIZE, "%s", text);
    return cell;
}

static inline const char *put_number(people *p, int row, int column, int number)
{
    char *cell = p->texts[row * N_PEOPLE_COLUMNS + column];
    snprintf(cell, CELL_SIZE, "%d", number);
    return cell;
}

/* `n` people with ids from `first` on. */
static inline people *people_new(int n, int first)
{
    static const char *const names[] = {"id", "age", "zip", "city", "disease"};
    static const char *const formats[] = {"l", "i", "u", "u", "c"};
    static const char *const cities[] = {"Rome", "Milan", "Oslo", "Bergen", "Bonn"};
    static const char *const diseases[] = {"flu", "gout", "cold", "asthma"};
    people *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->n = n;
    p->texts = calloc((size_t)n * N_PEOPLE_COLUMNS + 1, sizeof *p->texts);
    p->csv = malloc((size_t)n * N_PEOPLE_COLUMNS * (CELL_SIZE + 1) + 64);
    assert_non_null(p->texts);
    assert_non_null(p->csv);
    for (int c = 0; c < N_PEOPLE_COLUMNS; c++) {
        p->cells[c] = calloc((size_t)n + 1, sizeof *p->cells[c]);
        assert_non_null(p->cells[c]);
        p->fields[c] = (arrow_field){names[c], formats[c], c == 4 ? "u" : NULL, p->cells[c]};
    }
    size_t used = (size_t)sprintf(p->csv, "id,age,zip,city,disease\n");
    for (int row = 0; row < n; row++) {
        int64_t x = first + row;
        p->cells[0][row] = put_number(p, row, 0, (int)x);
        p->cells[1][row] = put_number(p, row, 1, (int)(18 + x * 7919 % 71));
        p->cells[2][row] = put_number(p, row, 2, (int)(10000 + x * 104729 % 397));
        p->cells[3][row] = x % 19 == 7 ? NULL : put_text(p, row, 3, cities[x * 31 % 5]);
        p->cells[4][row] = put_text(p, row, 4, diseases[x * x % 11 % 4]);
        for (int c = 0; c < N_PEOPLE_COLUMNS; c++)
            used += (size_t)sprintf(p->csv + used, "%s%c", p->cells[c][row] != NULL ? p->cells[c][row] : "",
                                    c + 1 < N_PEOPLE_COLUMNS ? ',' : '\n');
    }
    p->table = (arrow_table){N_PEOPLE_COLUMNS, p->fields, n};
    return p;
}

static inline void people_free(people *p)
{
    for (int c = 0; c < N_PEOPLE_COLUMNS; c++)
        free(p->cells[c]);
    free(p->csv);
    free(p->texts);
    free(p);
}

static const char people_countries[] = "Rome;Italy;Europe\nMilan;Italy;Europe\nOslo;Norway;Europe\nBergen;Norway;Europe\n"
                                       "Bonn;Germany;Europe\n";

static inline kanon_status people_schema(kanon_schema **out, const kanon_context *context, kanon_error *err)
{
    kanon_schema *schema = NULL;
    kanon_status st = kanon_schema_new(&schema, context, err);
    STEP(kanon_schema_set(schema, NULL, "missing", "", err));
    STEP(kanon_schema_set(schema, "id", "role", "identifying", err));
    STEP(kanon_schema_set(schema, NULL, "key", "id", err));
    STEP(kanon_schema_set(schema, "age", "role", "quasi", err));
    STEP(kanon_schema_set(schema, "zip", "role", "quasi", err));
    STEP(kanon_schema_set(schema, "zip", "mask", "right", err));
    STEP(kanon_schema_set(schema, "city", "role", "quasi", err));
    STEP(kanon_schema_set_taxonomy(schema, "city", KANON_BYTES_AS(people_countries, strlen(people_countries), "countries"),
                                   err));
    STEP(kanon_schema_set(schema, "disease", "role", "sensitive", err));
    if (st != KANON_OK) {
        kanon_schema_free(schema);
        schema = NULL;
    }
    *out = schema;
    return st;
}

static inline void assert_all_released(const arrow_counts *counts)
{
    assert_int_equal(counts->released_streams, counts->streams);
    assert_int_equal(counts->released_schemas, counts->schemas);
    assert_int_equal(counts->released_arrays, counts->arrays);
}

#endif
