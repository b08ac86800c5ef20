/* Tables: where their rows come from, how they are put together (table_reader.h has the steps), and the public
 * accessors. */
#include "table/read/table.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/take_options.h"
#include "database/location.h"
#include "table/read/open_table.h"
#include "table/read/released_text.h"
#include "table/read/table_reader.h"
#include "table/read/whole_domain.h"
#include "table/schema/said_options.h"

#include <kanon_blocks.h>
#include <string.h>

/* Whether the schema asks for distances on all columns, which must all be encoded then. */
static bool clusters_on_all(const kanon_schema *schema)
{
    bool all = false;
    for (int64_t i = 0; i < schema->n_settings; i++)
        all = all || (strcmp(schema->settings[i].name, "cluster-on") == 0 && strcmp(schema->settings[i].value, "all") == 0);
    return all;
}

kanon_status kanon__table_begin(kanon_table **out, kanon__reader *r, kanon__source *source, const kanon_schema *schema,
                                const kanon_read_options *o, bool may_be_empty, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_table *t = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&t, 1, "a table", err), out);
    t->context = kanon__call_context();
    t->references = 1;
    KANON_TRY(kanon__new_array(&t->identity, 1, "a table", err), out);
    t->identity->references = 1;
    t->source = source;
    source = NULL;
    *r = (kanon__reader){.schema = schema, .source = t->source, .entity = -1, .table = t, .data = &t->data};
    r->encode_all = o->encode_all != 0 || clusters_on_all(r->schema);
    r->raw.memory = t->memory = o->memory;
    r->raw.threads = o->threads;
    kanon__ticker_init(&r->ticker, o->tick, o->payload, "reading");
    KANON_TRY(kanon__policy_init(&t->policy, schema, err), out);
    KANON_TRY(kanon__texts_append(&t->missing, &schema->missing, err), out);
    KANON_TRY(kanon__reader_rows(r, o->strict != 0, may_be_empty, err), out);
    *out = t;
    t = NULL;
out:
    if (t != NULL && st != KANON_OK)
        kanon__reader_clear(r);
    kanon_table_free(t);
    kanon__source_free(source);
    return st;
}

/* The columns as callers see them. */
static kanon_status list_columns(kanon_table *t, kanon_error *err)
{
    KANON_CHECK(kanon__new_array(&t->listed, t->data.n_columns, "columns", err));
    for (int i = 0; i < t->data.n_columns; i++) {
        const kanon__column *c = &t->data.columns[i];
        t->listed[i] = (kanon_table_column){c->name, c->role, c->domain != NULL ? c->domain->type : KANON_TYPE_UNKNOWN};
    }
    return KANON_OK;
}

kanon_status kanon__read_options_take(kanon_read_options *out, const kanon_read_options *given, kanon_error *err)
{
    static const kanon__said_option rows[] = {
        {"strict", KANON__SAID_INT, offsetof(kanon_read_options, strict)},
        {"memory", KANON__SAID_INT64, offsetof(kanon_read_options, memory)},
        {"threads", KANON__SAID_INT, offsetof(kanon_read_options, threads)},
    };
    KANON_CHECK(kanon__take_options(out, sizeof *out, given, err));
    return kanon__said_take(out, rows, sizeof rows / sizeof *rows, out->said, out->n_said, err);
}

kanon_status kanon__table_from_source(kanon_table **out, kanon__source *source, const kanon_schema *schema,
                                      const kanon_read_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_read_options o;
    kanon_table *t = NULL;
    kanon__reader r = {0};
    const kanon__whole *whole = NULL;
    *out = NULL;
    st = kanon__read_options_take(&o, options, err);
    if (st == KANON_OK && o.domain != NULL)
        st = kanon__whole_take(&whole, o.domain, err);
    if (st != KANON_OK) {
        kanon__source_free(source);
        return st;
    }
    kanon__call_ticks(&o.tick, &o.payload);
    KANON_TRY(kanon__table_begin(&t, &r, source, schema, &o, false, err), out);
    KANON_TRY(kanon__reader_encode(&r, whole, err), out);
    t->whole = whole != NULL ? kanon__whole_share(whole) : NULL;
    KANON_TRY(list_columns(t, err), out);
    *out = t;
    t = NULL;
out:
    kanon__reader_clear(&r);
    kanon_table_free(t);
    return st;
}

/* A table that a caller reads, with what there is to say about it. */
static kanon_status read_and_note(kanon_table **out, kanon__source *source, const kanon_schema *schema,
                                  const kanon_read_options *options, kanon_error *err)
{
    kanon_status st = kanon__table_from_source(out, source, schema, options, err);
    if (st == KANON_OK && (*out)->whole == NULL) /* a part is read again and again */
        st = kanon__note_released_text(*out, schema, err);
    if (st != KANON_OK) {
        kanon_table_free(*out);
        *out = NULL;
    }
    return st;
}

kanon_status kanon__reader_open(kanon__source **out, kanon__input *input, const kanon__csv_reading *said,
                                const kanon_schema *schema, kanon_error *err)
{
    kanon__csv_reading how = *said;
    if (how.header == KANON_HEADER_UNSAID)
        how.header = schema->header;
    if (how.encoding == NULL)
        how.encoding = schema->said[KANON__WHOLE_ENCODING];
    return kanon__table_source_new(out, input, &how, err);
}

/* The table in an input, which is taken over in any case. */
static kanon_status try_input(kanon_table **out, kanon__input *input, kanon__csv_reading how, const kanon_schema *schema,
                              const kanon_read_options *options, kanon_error *err)
{
    kanon__source *source = NULL;
    kanon__texts notices = {0};
    how.notices = &notices;
    kanon_status st = kanon__reader_open(&source, input, &how, schema, err);
    if (st == KANON_OK)
        st = read_and_note(out, source, schema, options, err);
    if (st == KANON_OK)
        st = kanon__texts_append(&(*out)->warnings, &notices, err);
    if (st == KANON_OK)
        st = kanon__notices_add(&(*out)->notices, KANON_NOTICE_PRIVACY, &(*out)->privacy, err);
    if (st == KANON_OK)
        st = kanon__notices_add(&(*out)->notices, KANON_NOTICE_GENERAL, &(*out)->warnings, err);
    kanon__texts_clear(&notices);
    if (st != KANON_OK) {
        kanon_table_free(*out);
        *out = NULL;
    }
    return st;
}

/* The same. A large file is nearly always UTF-8, and whoever reads all its rows without an error has seen that it is. Only
 * where there is an error are its bytes walked through to find the encoding first. */
static kanon_status read_input(kanon_table **out, kanon__input *input, kanon__csv_reading *how, const kanon_schema *schema,
                               const kanon_read_options *options, kanon_error *err)
{
    kanon__input twin;
    if (!kanon__input_twin(&twin, input))
        return try_input(out, input, *how, schema, options, err);
    how->presume = true;
    kanon_status st = try_input(out, input, *how, schema, options, err);
    if (st == KANON_OK || st == KANON_ENOMEM || st == KANON_ECANCELLED) {
        kanon__input_close(&twin);
        return st;
    }
    kanon__error_clear(err); /* perhaps there is none */
    how->presume = false;
    return try_input(out, &twin, *how, schema, options, err);
}

kanon_status kanon__reader_call(kanon__call *call, const kanon_schema *schema, const kanon_read_options *options,
                                kanon_error *err)
{
    kanon_read_options o;
    kanon_status st = kanon__read_options_take(&o, options, err);
    if (st == KANON_OK)
        st = kanon__context_check(o.context, err);
    if (st == KANON_OK)
        kanon__call_begin(call, o.context != NULL ? o.context : schema->context);
    return st;
}

kanon_status kanon_table_read(kanon_table **out, const kanon_input *given, const kanon_schema *schema,
                              const kanon_read_options *options, kanon_error *err)
{
    kanon__call call;
    kanon__input input;
    kanon__csv_reading how;
    *out = NULL;
    kanon_status begun = kanon__reader_call(&call, schema, options, err);
    kanon_status st = kanon__table_input_take(&input, &how, given, begun, err);
    if (st == KANON_OK)
        st = read_input(out, &input, &how, schema, options, err);
    return begun == KANON_OK ? kanon__call_end(&call, st) : st;
}

kanon_table *kanon__table_share(const kanon_table *table)
{
    kanon_table *shared = (kanon_table *)table; /* what a reader sees does not change */
    __atomic_add_fetch(&shared->references, 1, __ATOMIC_RELAXED);
    return shared;
}

kanon__identity *kanon__identity_share(kanon__identity *identity)
{
    __atomic_add_fetch(&identity->references, 1, __ATOMIC_RELAXED);
    return identity;
}

void kanon__identity_free(kanon__identity *identity)
{
    if (identity != NULL && __atomic_sub_fetch(&identity->references, 1, __ATOMIC_ACQ_REL) == 0)
        kanon__free(identity);
}

bool kanon__table_reads(const kanon_table *t, const char *path)
{
    if (path == NULL)
        return false;
    if ((t->source->file != NULL && kanon__location_same(path, t->source->file)) ||
        (t->policy.schema_path != NULL && kanon__location_same(path, t->policy.schema_path)))
        return true;
    for (int i = 0; i < t->data.n_columns; i++) {
        const char *taxonomy = t->data.columns[i].taxonomy_path;
        if (taxonomy != NULL && kanon__location_same(path, taxonomy))
            return true;
    }
    return false;
}

void kanon_table_free(kanon_table *t)
{
    if (t == NULL || __atomic_sub_fetch(&t->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    kanon__free(t->listed);
    kanon__notices_clear(&t->notices);
    kanon__texts_clear(&t->warnings);
    kanon__texts_clear(&t->privacy);
    kanon__texts_clear(&t->missing);
    kanon__policy_clear(&t->policy);
    kanon__data_clear(&t->data);
    kanon__source_free(t->source);
    kanon__identity_free(t->identity);
    kanon__piece_free(t->whole);
    kanon__free(t);
}

int64_t kanon_table_rows(const kanon_table *table)
{
    return table->data.n_rows;
}

const kanon_table_column *kanon_table_column_at(const kanon_table *table, size_t i)
{
    return i < (size_t)table->data.n_columns ? &table->listed[i] : NULL;
}

const kanon_notice *kanon_table_notice_at(const kanon_table *table, size_t i)
{
    return kanon__notices_at(&table->notices, i);
}
