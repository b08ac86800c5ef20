/* Reading a table: rows of a source to encoded columns.
 *
 * 1. Columns are matched with the attributes of the schema; each gets a role.
 * 2. The source reads its rows once and gives, for every column that is encoded, its distinct texts and a code per row.
 * 3. A domain orders the texts of each column, and the codes are translated.
 * Called by hosts (kanon_table_read, kanon_table_from_arrow) and by src/state for the records that it holds. */
#include "table/table.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/pool.h"
#include "core/take_options.h"
#include "database/location.h"
#include "table/released_text.h"
#include "table/source/arrow_source.h"
#include "table/source/open_table.h"
#include "table/spellings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is needed only while the rows are read. */
typedef struct reader {
    kanon_table *table;
    kanon__data *data;     /* the table's */
    kanon__source *source; /* likewise */
    const kanon_schema *schema;
    const kanon__attribute **attributes; /* by column; NULL: not named */
    kanon__raw_columns raw;
    bool encode_all;             /* insensitive columns, too */
    bool *encoded;               /* by column */
    kanon__texts *notices;       /* by column */
    kanon__spellings *spellings; /* likewise */
    int entity;                  /* the column that says whose record it is; -1: there is none */
    int n_read;                  /* columns whose cells are kept */
    kanon__ticker ticker;
} reader;

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/* Where the names of the columns stand, for messages: in the first line of a file. */
static const char *header_line(const reader *r)
{
    return r->source->class->line_of_row != NULL ? ":1" : "";
}

/* A name in the schema that the table lacks: most often a slip of the pen, so the nearest name is told. */
static kanon_status fail_no_column(const reader *r, const char *name, int line, kanon_error *err)
{
    const char *nearest =
        kanon_nearest_word((const char *const *)r->source->column_names, (size_t)r->source->n_columns, name);
    kanon_status st;
    if (line > 0 && r->schema->path != NULL)
        st = kanon__fail(err, KANON_EDATA, "%s:%d: %s: the table has no such column", r->schema->path, line, name);
    else
        st = kanon__fail(err, KANON_EDATA, "%s%s: %s: the table has no such column", r->source->name, header_line(r), name);
    if (nearest != NULL)
        return kanon__hint(err, st, "did you mean '%s'?", nearest);
    return r->source->class->line_of_row != NULL
               ? kanon__hint(err, st, "the names are in the first line of the table; is the delimiter right?")
               : kanon__hint(err, st, "name a column of the table, or leave the attribute out of the schema");
}

static kanon_status check_names(const reader *r, kanon_error *err)
{
    const kanon_schema *s = r->schema;
    for (int64_t i = 0; i < s->n_attributes; i++)
        if (kanon__source_find(r->source, s->attributes[i].name) < 0)
            return fail_no_column(r, s->attributes[i].name, s->attributes[i].line, err);
    for (int64_t i = 0; i < s->key.n; i++)
        if (kanon__source_find(r->source, s->key.items[i]) < 0)
            return fail_no_column(r, s->key.items[i], s->key_line, err);
    if (s->entity != NULL && kanon__source_find(r->source, s->entity) < 0)
        return fail_no_column(r, s->entity, s->entity_line, err);
    return KANON_OK;
}

static kanon_status set_up_column(reader *r, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__column *c = &r->data->columns[i];
    const char *name = r->source->column_names[i];
    const kanon__attribute *a = kanon__schema_find(r->schema, name);
    r->attributes[i] = a;
    KANON_TRY(kanon__copy_text(&c->name, name, strlen(name), "a column name", err), out);
    c->role = a != NULL && a->has_role ? a->role : i == r->entity ? KANON_ROLE_IDENTIFYING : r->schema->default_role;
    c->role_from_flags = a != NULL && a->role_from_flags;
    c->weight = a != NULL ? a->weight : 1;
    if (a != NULL && a->weight_text != NULL)
        KANON_TRY(kanon__copy_text(&c->weight_text, a->weight_text, strlen(a->weight_text), "a weight", err), out);
    if (a != NULL && a->taxonomy_path != NULL)
        KANON_TRY(kanon__copy_text(&c->taxonomy_path, a->taxonomy_path, strlen(a->taxonomy_path), "a file name", err), out);
    if (a != NULL && kanon__attribute_has_bands(a) && c->role != KANON_ROLE_QUASI && c->role != KANON_ROLE_IDENTIFYING) {
        st = kanon__fail(err, KANON_EDATA, "%s: %s: the column has bands, but its role is %s", r->source->name, name,
                         kanon_role_text(c->role));
        kanon__hint(err, st, "only quasi-identifiers are generalised: give it the role quasi, or remove the bands");
        goto out;
    }
    r->encoded[i] = c->role == KANON_ROLE_QUASI || c->role == KANON_ROLE_SENSITIVE ||
                    (c->role == KANON_ROLE_INSENSITIVE && r->encode_all);
    r->n_read += r->encoded[i] || i == r->entity;
    r->data->n_quasi += c->role == KANON_ROLE_QUASI;
    r->data->n_sensitive += c->role == KANON_ROLE_SENSITIVE;
out:
    return st;
}

static kanon_status list_columns(kanon__data *data, int **list, int n, kanon_role role, kanon_error *err)
{
    kanon_status st = kanon__new_array(list, n, "column numbers", err);
    for (int i = 0, at = 0; st == KANON_OK && i < data->n_columns; i++)
        if (data->columns[i].role == role)
            (*list)[at++] = i;
    return st;
}

/* The names of the columns that neither the schema nor the entity names, with commas between them; "": there is none. */
static kanon_status list_unnamed(char **out, int *n, int *first, const reader *r, kanon_error *err)
{
    size_t size = 1, used = 0;
    *n = 0;
    for (int i = 0; i < r->source->n_columns; i++)
        size += strlen(r->source->column_names[i]) + 2;
    kanon_status st = kanon__new_array(out, (int64_t)size, "column names", err);
    for (int i = 0; st == KANON_OK && i < r->source->n_columns; i++) {
        if (r->attributes[i] != NULL || i == r->entity)
            continue;
        if ((*n)++ == 0)
            *first = i;
        used += (size_t)snprintf(*out + used, size - used, "%s%s", used > 0 ? ", " : "", r->source->column_names[i]);
    }
    return st;
}

/* What nobody declared is not released, and the user must know: all names are listed, however many they are. */
static kanon_status note_unnamed(reader *r, bool strict, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *names = NULL, *line = NULL;
    int n = 0, first = -1;
    bool withheld = r->schema->default_role == KANON_ROLE_IDENTIFYING;
    KANON_TRY(list_unnamed(&names, &n, &first, r, err), out);
    if (n == 0)
        goto out;
    if (strict) {
        st = kanon__fail(err, KANON_EDATA, "%s%s: %s: the schema does not name %s%.700s", r->source->name, header_line(r),
                         r->source->column_names[first], n > 1 ? "these columns: " : "this column", n > 1 ? names : "");
        st = kanon__hint(err, st, "give each a role: identifying, quasi, sensitive or insensitive");
        goto out;
    }
    size_t size = strlen(names) + 160;
    KANON_TRY(kanon__new_array(&line, (int64_t)size, "a warning", err), out);
    snprintf(line, size, "not named in the schema, so %s: %s%s",
             withheld ? "withheld" : kanon_role_text(r->schema->default_role), names,
             withheld ? "; to release a column, give it the role insensitive" : "");
    /* what is withheld does no harm; what is released and nobody has thought about may */
    KANON_TRY(kanon__texts_add_shown(withheld ? &r->table->warnings : &r->table->privacy, line, err), out);
out:
    kanon__free(line);
    kanon__free(names);
    return st;
}

/* Who a record belongs to cannot be generalised, and whoever sees it in the release can put a person's records together. */
static kanon_status check_entity(reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_schema *s = r->schema;
    if (r->entity < 0)
        return KANON_OK;
    const kanon__column *c = &r->data->columns[r->entity];
    if (c->role == KANON_ROLE_QUASI || c->role == KANON_ROLE_SENSITIVE) {
        st = s->entity_line > 0
                 ? kanon__fail(err, KANON_EDATA, "%s:%d: %s: the entity is a %s column", s->path, s->entity_line, c->name,
                               kanon_role_text(c->role))
                 : kanon__fail(err, KANON_EINVAL, "%s: the entity is a %s column", c->name, kanon_role_text(c->role));
        return kanon__hint(err, st, "give it 'role: identifying', or name the column that says whose record it is");
    }
    if (c->role == KANON_ROLE_INSENSITIVE)
        st = kanon__texts_addf(&r->table->privacy, err,
                               "%s: the release shows which records are one person's; with 'role: identifying' it would not",
                               c->name);
    return st;
}

static kanon_status set_up_columns(reader *r, bool strict, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__data *d = r->data;
    int n = r->source->n_columns;
    KANON_TRY(check_names(r, err), out);
    r->entity = r->schema->entity != NULL ? kanon__source_find(r->source, r->schema->entity) : -1;
    d->has_entity = r->entity >= 0;
    d->entity_column = r->entity;
    KANON_TRY(kanon__new_array(&d->columns, n, "columns", err), out);
    d->n_columns = n;
    KANON_TRY(kanon__new_array(&r->attributes, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->encoded, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->notices, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->spellings, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->raw.dictionaries, n, "dictionaries", err), out);
    KANON_TRY(kanon__new_array(&r->raw.codes, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->raw.null_codes, n, "columns", err), out);
    for (int i = 0; i < n; i++) {
        r->raw.null_codes[i] = KANON__NO_CODE;
        KANON_TRY(set_up_column(r, i, err), out);
    }
    KANON_TRY(list_columns(d, &d->quasi, d->n_quasi, KANON_ROLE_QUASI, err), out);
    KANON_TRY(list_columns(d, &d->sensitive, d->n_sensitive, KANON_ROLE_SENSITIVE, err), out);
    KANON_TRY(check_entity(r, err), out);
    KANON_TRY(note_unnamed(r, strict, err), out);
    if (d->n_quasi == 0) {
        st = kanon__fail(err, KANON_EDATA, "%s: no column is a quasi-identifier",
                         r->schema->path != NULL ? r->schema->path : r->source->name);
        kanon__hint(err, st,
                    "give 'role: quasi' to the columns that could single out a person: age, place, profession, ...");
    }
out:
    return st;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static kanon_status read_rows(reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int *wanted = NULL;
    KANON_TRY(kanon__new_array(&wanted, r->n_read, "column numbers", err), out);
    for (int i = 0; i < r->data->n_columns; i++)
        if (r->encoded[i] || i == r->entity)
            wanted[r->raw.n_wanted++] = i;
    r->raw.wanted = wanted;
    r->raw.ticker = &r->ticker;
    KANON_TRY(r->source->class->read(r->source, &r->raw, err), out);
    r->data->n_rows = r->source->n_rows;
    r->data->spilled = r->raw.spilled;
    if (r->data->n_rows == 0) {
        bool is_text = r->source->class->line_of_row != NULL;
        st = is_text ? kanon__fail(err, KANON_EDATA, "%s:2: %s: no records after the header line", r->source->name,
                                   r->source->column_names[0])
                     : kanon__fail(err, KANON_EDATA, "%s: no records", r->source->name);
        kanon__hint(err, st, "%s",
                    is_text ? "a table has one line of column names and then one line for each record"
                            : "a table has at least one record");
    }
out:
    kanon__free(wanted);
    r->raw.wanted = NULL;
    return st;
}

static kanon__raw_column raw_column(const reader *r, int i)
{
    return (kanon__raw_column){.name = r->data->columns[i].name,
                               .source = r->source,
                               .n_rows = r->data->n_rows,
                               .codes = r->raw.codes[i],
                               .values = &r->raw.dictionaries[i],
                               .null_code = r->raw.null_codes[i],
                               .notices = &r->notices[i],
                               .natural = r->source->natural != NULL ? r->source->natural[i] : KANON_TYPE_UNKNOWN};
}

/* Whose record each row is. */
static kanon_status number_entities(reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__data *d = r->data;
    const kanon__dictionary *names = &r->raw.dictionaries[r->entity];
    uint32_t *code_of = NULL, null_code = r->raw.null_codes[r->entity];
    kanon__raw_column raw = raw_column(r, r->entity);
    KANON_TRY(kanon__new_array(&code_of, names->n, "entities", err), out);
    KANON_TRY(kanon__entities_number(code_of, &d->n_entities, names, null_code, r->schema, err), out);
    KANON_TRY(kanon__spellings_find(&r->spellings[r->entity], &raw, err), out);
    KANON_TRY(kanon__codes_new(&d->entity_codes, d->n_rows, (uint32_t)d->n_entities, d->spilled, err), out);
    for (int64_t row = 0; row < d->n_rows; row++)
        kanon__code_set(d->entity_codes, row, code_of[kanon__code_at(r->raw.codes[r->entity], row)]);
out:
    kanon__free(code_of);
    return st;
}

static kanon_status encode_column(int64_t i, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const reader *r = payload;
    kanon__column *column = &r->data->columns[i];
    kanon__codes *raw_codes = &r->raw.codes[i];
    kanon__dictionary *values = &r->raw.dictionaries[i];
    uint32_t *new_code = NULL;
    if (!r->encoded[i])
        return KANON_OK;
    kanon__raw_column raw = raw_column(r, (int)i);
    KANON_TRY(kanon__new_array(&new_code, values->n, "codes", err), out);
    KANON_TRY(kanon__domain_build(&column->domain, new_code, &raw, r->attributes[i], r->schema, err), out);
    if (!kanon__type_is_numeric(column->domain->type)) /* numbers are compared as numbers anyway */
        KANON_TRY(kanon__spellings_find(&r->spellings[i], &raw, err), out);
    KANON_TRY(kanon__codes_new(&column->codes, raw.n_rows, column->domain->n_codes, r->data->spilled, err), out);
    for (int64_t row = 0; row < raw.n_rows; row++)
        kanon__code_set(column->codes, row, new_code[kanon__code_at(raw.codes, row)]);
out:
    kanon__free(new_code);
    kanon__dictionary_clear(values);
    kanon__codes_clear(raw_codes);
    return st;
}

/* A quasi-identifier in which nearly every record has a category of its own is released as its root. */
static kanon_status note_distinct(reader *r, const kanon__column *c, kanon_error *err)
{
    enum { FEWEST = 20, PARTS = 4, ALL_PARTS = 5 }; /* from four in five on */
    int64_t n = 0, n_distinct = c->domain != NULL ? c->domain->n_codes : 0;
    if (c->role != KANON_ROLE_QUASI || kanon__column_taxonomy(c) == NULL || !c->domain->taxonomy->flat)
        return KANON_OK;
    n_distinct -= c->domain->missing_code != KANON__NO_CODE;
    for (int64_t row = 0; row < r->data->n_rows; row++)
        n += kanon__code_at(c->codes, row) != c->domain->missing_code;
    if (n < FEWEST || n_distinct * ALL_PARTS < n * PARTS)
        return KANON_OK;
    return kanon__texts_addf(
        &r->table->warnings, err,
        "%s: %lld of %lld values are different and it has no taxonomy, so most cells will be *; give it a "
        "taxonomy or a mask, or the role identifying",
        c->name, (long long)n_distinct, (long long)n);
}

/* What was found about the columns, in their order. */
static kanon_status collect_notices(reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < r->data->n_columns; i++) {
        for (int64_t j = 0; j < r->notices[i].n; j++)
            KANON_TRY(kanon__texts_add(&r->table->warnings, r->notices[i].items[j], strlen(r->notices[i].items[j]), err),
                      out);
        KANON_TRY(note_distinct(r, &r->data->columns[i], err), out);
    }
out:
    return st;
}

/* One column at a time where memory is short: its codes are there twice while it is encoded. */
static kanon_status encode_columns(reader *r, kanon_error *err)
{
    enum { WORTH_A_THREAD = 10000 };
    bool alone = r->raw.memory > 0 || r->data->n_rows < WORTH_A_THREAD;
    kanon_status st = kanon__pool_run(alone ? 1 : r->raw.threads, r->data->n_columns, encode_column, r, err);
    if (st == KANON_OK)
        st = collect_notices(r, err);
    for (int i = 0; st == KANON_OK && i < r->data->n_columns; i++)
        st = kanon__spellings_note(&r->spellings[i], r->data->columns[i].name, r->source, &r->table->warnings, err);
    return st;
}

/* ---- the table ---------------------------------------------------------------------------------------------------- */

static void clear_reader(reader *r)
{
    int n = r->data != NULL ? r->data->n_columns : 0;
    for (int i = 0; i < n; i++) {
        if (r->raw.codes != NULL)
            kanon__codes_clear(&r->raw.codes[i]);
        if (r->raw.dictionaries != NULL)
            kanon__dictionary_clear(&r->raw.dictionaries[i]);
        if (r->notices != NULL)
            kanon__texts_clear(&r->notices[i]);
    }
    kanon__free(r->notices);
    kanon__free(r->raw.null_codes);
    kanon__free(r->raw.codes);
    kanon__free(r->raw.dictionaries);
    kanon__free(r->spellings);
    kanon__free(r->encoded);
    kanon__free(r->attributes);
}

static kanon_status copy_missing(kanon__texts *out, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; st == KANON_OK && i < schema->missing.n; i++)
        st = kanon__texts_add(out, schema->missing.items[i], strlen(schema->missing.items[i]), err);
    return st;
}

kanon_status kanon__table_from_source(kanon_table **out, kanon__source *source, const kanon_schema *schema,
                                      const kanon_read_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_read_options o;
    kanon_table *t = NULL;
    reader r = {.schema = schema, .source = source, .entity = -1};
    *out = NULL;
    KANON_TRY(kanon__take_options(&o, sizeof o, options, err), out);
    kanon__call_ticks(&o.tick, &o.payload);
    KANON_TRY(kanon__new_array(&t, 1, "a table", err), out);
    t->context = kanon__call_context();
    t->references = 1;
    KANON_TRY(kanon__new_array(&t->identity, 1, "a table", err), out);
    t->identity->references = 1;
    t->source = source;
    source = NULL;
    r.table = t;
    r.data = &t->data;
    r.encode_all = o.encode_all != 0;
    r.raw.memory = o.memory;
    r.raw.threads = o.threads;
    kanon__ticker_init(&r.ticker, o.tick, o.payload, "reading");
    KANON_TRY(kanon__policy_init(&t->policy, schema, err), out);
    KANON_TRY(copy_missing(&t->missing, schema, err), out);
    KANON_TRY(set_up_columns(&r, o.strict != 0, err), out);
    KANON_TRY(read_rows(&r, err), out);
    if (r.entity >= 0)
        KANON_TRY(number_entities(&r, err), out);
    KANON_TRY(encode_columns(&r, err), out);
    *out = t;
    t = NULL;
out:
    clear_reader(&r);
    kanon_table_free(t);
    kanon__source_free(source);
    return st;
}

/* A table that a caller reads, with what there is to say about it. */
static kanon_status read_and_note(kanon_table **out, kanon__source *source, const kanon_schema *schema,
                                  const kanon_read_options *options, kanon_error *err)
{
    kanon_status st = kanon__table_from_source(out, source, schema, options, err);
    if (st == KANON_OK)
        st = kanon__note_released_text(*out, err);
    if (st != KANON_OK) {
        kanon_table_free(*out);
        *out = NULL;
    }
    return st;
}

/* The table in an input, which is taken over in any case. */
static kanon_status read_input(kanon_table **out, kanon__input *input, const kanon_schema *schema,
                               const kanon_read_options *options, kanon_error *err)
{
    kanon_read_options o;
    kanon__source *source = NULL;
    kanon__texts notices = {0};
    kanon_status st = kanon__take_options(&o, sizeof o, options, err);
    kanon__csv_reading how = {.delimiter = o.delimiter,
                              .header = o.header != KANON_HEADER_UNSAID ? o.header : schema->header,
                              .encoding = o.encoding != NULL ? o.encoding : schema->encoding,
                              .notices = &notices};
    if (st != KANON_OK)
        kanon__input_close(input);
    else
        st = kanon__table_source_new(&source, input, &how, err);
    if (st == KANON_OK)
        st = read_and_note(out, source, schema, options, err);
    for (int64_t i = 0; st == KANON_OK && i < notices.n; i++)
        st = kanon__texts_add(&(*out)->warnings, notices.items[i], strlen(notices.items[i]), err);
    kanon__texts_clear(&notices);
    if (st != KANON_OK) {
        kanon_table_free(*out);
        *out = NULL;
    }
    return st;
}

/* Begin the call that reads a table, in the context of the options or else the schema. */
static kanon_status begin_read(kanon__call *call, const kanon_schema *schema, const kanon_read_options *options,
                               kanon_error *err)
{
    kanon_read_options o;
    kanon_status st = kanon__take_options(&o, sizeof o, options, err);
    if (st == KANON_OK)
        st = kanon__context_check(o.context, err);
    if (st == KANON_OK)
        kanon__call_begin(call, o.context != NULL ? o.context : schema->context);
    return st;
}

kanon_status kanon_table_read(kanon_table **out, const char *path, const kanon_schema *schema,
                              const kanon_read_options *options, kanon_error *err)
{
    kanon__call call;
    kanon__input input = {0};
    *out = NULL;
    kanon_status st = begin_read(&call, schema, options, err);
    if (st != KANON_OK)
        return st;
    st = kanon__table_input_open(&input, path, err);
    return kanon__call_end(&call, st == KANON_OK ? read_input(out, &input, schema, options, err) : st);
}

kanon_status kanon_table_from_bytes(kanon_table **out, const void *bytes, size_t size, const char *name,
                                    const kanon_schema *schema, const kanon_read_options *options, kanon_error *err)
{
    kanon__call call;
    kanon__input input = {0};
    *out = NULL;
    kanon_status st = begin_read(&call, schema, options, err);
    if (st != KANON_OK)
        return st;
    st = kanon__input_from_bytes(&input, name, bytes, size, NULL, err);
    return kanon__call_end(&call, st == KANON_OK ? read_input(out, &input, schema, options, err) : st);
}

kanon_status kanon_table_from_arrow(kanon_table **out, struct ArrowArrayStream *stream, const kanon_schema *schema,
                                    const kanon_read_options *options, kanon_error *err)
{
    kanon__call call;
    kanon__source *source = NULL;
    *out = NULL;
    kanon_status st = begin_read(&call, schema, options, err);
    if (st != KANON_OK) {
        if (stream->release != NULL)
            stream->release(stream);
        return st;
    }
    st = kanon__arrow_source_new(&source, stream, NULL, err);
    return kanon__call_end(&call, st == KANON_OK ? read_and_note(out, source, schema, options, err) : st);
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
    if ((t->source->is_file && kanon__location_same(path, t->source->name)) ||
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
    kanon__texts_clear(&t->warnings);
    kanon__texts_clear(&t->privacy);
    kanon__texts_clear(&t->missing);
    kanon__policy_clear(&t->policy);
    kanon__data_clear(&t->data);
    kanon__source_free(t->source);
    kanon__identity_free(t->identity);
    kanon__free(t);
}

int64_t kanon_table_rows(const kanon_table *table)
{
    return table->data.n_rows;
}

int kanon_table_columns(const kanon_table *table)
{
    return table->data.n_columns;
}

static const kanon__column *column_at(const kanon_table *table, int column)
{
    return column >= 0 && column < table->data.n_columns ? &table->data.columns[column] : NULL;
}

const char *kanon_table_column_name(const kanon_table *table, int column)
{
    const kanon__column *c = column_at(table, column);
    return c != NULL ? c->name : NULL;
}

kanon_role kanon_table_column_role(const kanon_table *table, int column)
{
    const kanon__column *c = column_at(table, column);
    return c != NULL ? c->role : KANON_ROLE_INSENSITIVE;
}

kanon_type kanon_table_column_type(const kanon_table *table, int column)
{
    const kanon__column *c = column_at(table, column);
    return c != NULL && c->domain != NULL ? c->domain->type : KANON_TYPE_UNKNOWN;
}

const char *kanon_table_warning(const kanon_table *table, int i)
{
    if (i >= 0 && i < table->privacy.n)
        return table->privacy.items[i];
    i -= (int)table->privacy.n;
    return i >= 0 && i < table->warnings.n ? table->warnings.items[i] : NULL;
}

kanon_notice kanon_table_warning_kind(const kanon_table *table, int i)
{
    return i >= 0 && i < table->privacy.n ? KANON_NOTICE_PRIVACY : KANON_NOTICE_GENERAL;
}
