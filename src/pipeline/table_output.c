/* See table_output.h. */
#include "pipeline/table_output.h"

#include "core/alloc.h"
#include "database/location.h"
#include "database/writers.h"
#include "pipeline/arrow_export.h"
#include "release/sink/arrow_groups.h"
#include "table/read/table.h"
#include "verify/read_back.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { N_MARKS = 4 };

struct kanon__table_output {
    kanon__location location;
    kanon__table_writer *writer;
    kanon__output *place; /* among the outputs; the caller's */
    const kanon_table *table;
    const kanon_grouping *grouping;
    char *roles, k[24]; /* what the marks of a file say */
};

kanon_status kanon__table_output_wanted(bool *out, const char *location, kanon_error *err)
{
    kanon__location l = {0};
    kanon_status st = kanon__location_to_write(&l, location, err);
    *out = st == KANON_OK && l.kind != KANON__AT_FILE;
    kanon__location_clear(&l);
    return st;
}

/* ---- a place among the outputs ------------------------------------------------------------------------------------ */

/* Nothing passes through the sink of a table: it is there to be told that the call is complete. */
static int take_nothing(const void *bytes, size_t size, void *payload)
{
    (void)bytes, (void)payload;
    return size > 0 ? EINVAL : 0;
}

static int end_transaction(int complete, void *payload)
{
    kanon__table_output *t = payload;
    if (!complete)
        return 0; /* closing rolls back */
    return t->writer->class->commit(t->writer, NULL) == KANON_OK ? 0 : EIO;
}

/* ---- what a file says of itself ----------------------------------------------------------------------------------- */

/* {"age":"quasi",...}, of the columns of the table that are released. Names are written as JSON has them. */
static kanon_status describe_roles(char **out, const kanon_table *table, kanon_error *err)
{
    size_t size = 8;
    for (int i = 0; i < table->data.n_columns; i++)
        size += 6 * strlen(table->data.columns[i].name) + 32;
    KANON_CHECK(kanon__new_array(out, (int64_t)size, "a description", err));
    char *at = *out + sprintf(*out, "{");
    for (int i = 0; i < table->data.n_columns; i++) {
        const kanon__column *c = &table->data.columns[i];
        if (c->role == KANON_ROLE_IDENTIFYING)
            continue;
        at += sprintf(at, "%s\"", at[-1] == '{' ? "" : ",");
        for (const char *name = c->name; *name != '\0'; name++)
            if ((unsigned char)*name < 0x20)
                at += sprintf(at, "\\u%04x", (unsigned)*name);
            else
                at += sprintf(at, "%s%c", *name == '"' || *name == '\\' ? "\\" : "", *name);
        at += sprintf(at, "\":\"%s\"", kanon_enum_text(KANON_ENUM_ROLE, c->role));
    }
    sprintf(at, "}");
    return KANON_OK;
}

/* Neither a seed nor a checksum of the input: they would help to undo the release. */
static kanon_status open_parquet(kanon__table_output *t, kanon_error *err)
{
    char name[KANON__OUTPUT_NAME];
    const char *algorithm = t->grouping->algorithm;
    KANON_CHECK(describe_roles(&t->roles, t->table, err));
    snprintf(t->k, sizeof t->k, "%lld", (long long)t->grouping->k);
    const kanon__table_mark marks[N_MARKS] = {{"kanon.version", kanon_version()},
                                              {"kanon.k", t->k},
                                              {"kanon.algorithm", algorithm != NULL ? algorithm : "none"},
                                              {"kanon.roles", t->roles}};
    KANON_CHECK(kanon__output_open(&t->place, KANON_TO_PATH(t->location.path), true, err));
    if (!kanon__output_other_name(t->place, name))
        return kanon__fail(err, KANON_EINVAL, "%s: a Parquet file can only be written to a file", t->location.name);
    return kanon__parquet_writer_open(&t->writer, &t->location, name, marks, N_MARKS, err);
}

/* ---- opening, writing, closing ------------------------------------------------------------------------------------ */

static kanon_status open_database(kanon__table_output *t, const kanon__table_output *with, kanon_error *err)
{
    const kanon_sink sink = {.struct_size = sizeof sink,
                             .name = t->location.name,
                             .write = take_nothing,
                             .finish = end_transaction,
                             .payload = t};
    kanon_status st;
    if (with != NULL && kanon__location_same_database(&with->location, &t->location))
        st = with->writer->class->share(&t->writer, with->writer, &t->location, err);
    else if (t->location.kind == KANON__AT_SQLITE)
        st = kanon__sqlite_writer_open(&t->writer, &t->location, err);
    else
        st = kanon__driver_writer_open(&t->writer, &t->location, err);
    return st == KANON_OK ? kanon__output_open(&t->place, KANON_TO_SINK(&sink), false, err) : st;
}

/* Whether the groups go to that database. */
static kanon_status holds_groups(bool *out, const kanon__location *l, const char *groups, kanon_error *err)
{
    kanon__location other = {0};
    kanon_status st = groups != NULL ? kanon__location_to_write(&other, groups, err) : KANON_OK;
    *out = st == KANON_OK && groups != NULL && kanon__location_same_database(l, &other);
    kanon__location_clear(&other);
    return st;
}

kanon_status kanon__table_output_open(kanon__table_output **out, kanon__output **place, const char *location,
                                      const char *groups, const kanon_table *table, const kanon_grouping *grouping,
                                      const kanon__table_output *with, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__table_output *t = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&t, 1, "an output", err), out);
    t->table = table;
    t->grouping = grouping;
    KANON_TRY(kanon__location_to_write(&t->location, location, err), out);
    KANON_TRY(holds_groups(&t->location.is_private, &t->location, groups, err), out);
    st = t->location.kind == KANON__AT_PARQUET ? open_parquet(t, err) : open_database(t, with, err);
    *place = t->place; /* also where it failed: it is freed with the others */
    *out = t;
    t = NULL;
out:
    kanon__table_output_close(t);
    return st;
}

/* Takes the digest of the batches that were checked, on their way to the writer. */
typedef struct passage {
    kanon__row_digest digest;
    bool ordered;
    int threads;
    kanon_status status;
    kanon_error *err;
} passage;

static void take_digest(struct ArrowSchema *schema, kanon__arrow_batches *batches, void *payload)
{
    passage *p = payload;
    p->status = kanon__row_digest_of(&p->digest, p->ordered, schema, batches->batches, batches->n_batches,
                                     p->threads, p->err);
}

/* Write the rows, which are moved in any case, and compare what is there then with their digest. */
static kanon_status write_and_compare(kanon__table_output *t, struct ArrowArrayStream *rows, const kanon__row_digest *digest,
                                      kanon_error *err)
{
    struct ArrowArrayStream back = {0};
    KANON_CHECK(t->writer->class->write(t->writer, rows, err));
    KANON_CHECK(t->writer->class->read_back(t->writer, &back, err));
    KANON_CHECK(kanon__verify_read_back(digest, &back, t->location.name, err));
    return kanon__output_finish(t->place, err);
}

kanon_status kanon__table_output_write(kanon__table_output *t, const kanon_outputs *wanted, kanon_error *err)
{
    kanon_status st = KANON_OK;
    struct ArrowArrayStream rows = {0};
    passage pass = {.ordered = t->writer->keeps_order, .threads = wanted->threads, .err = err};
    KANON_TRY(kanon__arrow_export_aside(&rows, t->table, t->grouping, wanted, err, take_digest, &pass), out);
    KANON_TRY(pass.status, out);
    KANON_TRY(write_and_compare(t, &rows, &pass.digest, err), out);
out:
    if (rows.release != NULL)
        rows.release(&rows);
    return st;
}

kanon_status kanon__table_output_write_groups(kanon__table_output *t, int threads, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_batches *batches = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArrayStream rows = {0};
    kanon__row_digest digest;
    KANON_TRY(kanon__arrow_groups_new(&batches, t->grouping->group_of, t->grouping->n_rows, err), out);
    KANON_TRY(kanon__arrow_schema_init(&schema, batches->fields, batches->n_fields, err), out);
    KANON_TRY(kanon__row_digest_of(&digest, t->writer->keeps_order, &schema, batches->batches, batches->n_batches,
                                   threads, err),
              out);
    st = kanon__arrow_stream_init(&rows, batches, err);
    batches = NULL;
    KANON_TRY(st, out);
    KANON_TRY(write_and_compare(t, &rows, &digest, err), out);
out:
    if (rows.release != NULL)
        rows.release(&rows);
    kanon__arrow_schema_clear(&schema);
    kanon__arrow_batches_free(batches);
    return st;
}

const char *kanon__table_output_name(const kanon__table_output *t)
{
    return t->location.name;
}

void kanon__table_output_close(kanon__table_output *t)
{
    if (t == NULL)
        return;
    if (t->writer != NULL)
        t->writer->class->close(t->writer);
    kanon__location_clear(&t->location);
    kanon__free(t->roles);
    kanon__free(t);
}
