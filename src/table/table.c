/* Reading a table: bytes to rows to encoded columns. */
#include "table/table.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/pool.h"
#include "core/take_options.h"
#include "table/rows.h"

#include <stdlib.h>
#include <string.h>

/* What is needed only while the rows are read. */
typedef struct reading {
    kanon_table *table;
    const kanon_schema *schema;
    kanon__csv csv;
    const kanon__attribute **attributes; /* by column; NULL: not named */
    kanon__dictionary *dictionaries;     /* by column */
    kanon__codes *raw;                   /* by column: the dictionary code of each row */
    int64_t memory;                      /* bytes that may be used; 0: any number */
    bool encode_all;                     /* insensitive columns, too */
    int entity;                          /* the column that says whose record it is; -1: there is none */
    int n_read;                          /* columns whose cells are kept */
    int threads;
    kanon__ticker ticker;
} reading;

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static int find_column(const kanon__csv *csv, const char *name)
{
    for (int i = 0; i < csv->n_columns; i++)
        if (strcmp(csv->names[i], name) == 0)
            return i;
    return -1;
}

/* A name in the schema that the table lacks: most often a slip of the pen, so the nearest name is told. */
static kanon_status fail_no_column(const reading *r, const char *name, int line, kanon_error *err)
{
    const char *nearest = kanon__texts_nearest((const char *const *)r->csv.names, r->csv.n_columns, name);
    kanon_status st;
    if (line > 0 && r->schema->path != NULL)
        st = kanon__fail(err, KANON_EDATA, "%s:%d: %s: the table has no such column", r->schema->path, line, name);
    else
        st = kanon__fail(err, KANON_EDATA, "%s:1: %s: the table has no such column", r->table->input.path, name);
    if (nearest != NULL)
        return kanon__hint(err, st, "did you mean '%s'?", nearest);
    return kanon__hint(err, st, "the names are in the first line of the table; is the delimiter right?");
}

static kanon_status check_names(const reading *r, kanon_error *err)
{
    const kanon_schema *s = r->schema;
    for (int64_t i = 0; i < s->n_attributes; i++)
        if (find_column(&r->csv, s->attributes[i].name) < 0)
            return fail_no_column(r, s->attributes[i].name, s->attributes[i].line, err);
    for (int64_t i = 0; i < s->key.n; i++)
        if (find_column(&r->csv, s->key.items[i]) < 0)
            return fail_no_column(r, s->key.items[i], s->key_line, err);
    if (s->entity != NULL && find_column(&r->csv, s->entity) < 0)
        return fail_no_column(r, s->entity, s->entity_line, err);
    return KANON_OK;
}

static kanon_status set_up_column(reading *r, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__column *c = &r->table->columns[i];
    const char *name = r->csv.names[i];
    const kanon__attribute *a = kanon__schema_find(r->schema, name);
    r->attributes[i] = a;
    KANON_TRY(kanon__copy_text(&c->name, name, strlen(name), "a column name", err), out);
    c->role = a != NULL && a->has_role ? a->role : i == r->entity ? KANON_ROLE_IDENTIFYING : r->schema->default_role;
    c->role_from_flags = a != NULL && a->role_from_flags;
    c->weight = a != NULL ? a->weight : 1;
    c->missing_code = KANON__NO_CODE;
    if (a != NULL && a->weight_text != NULL)
        KANON_TRY(kanon__copy_text(&c->weight_text, a->weight_text, strlen(a->weight_text), "a weight", err), out);
    if (a != NULL && a->taxonomy_path != NULL)
        KANON_TRY(kanon__copy_text(&c->taxonomy_path, a->taxonomy_path, strlen(a->taxonomy_path), "a file name", err), out);
    c->encoded = c->role == KANON_ROLE_QUASI || c->role == KANON_ROLE_SENSITIVE ||
                 (c->role == KANON_ROLE_INSENSITIVE && r->encode_all);
    r->n_read += c->encoded || i == r->entity;
    r->table->n_quasi += c->role == KANON_ROLE_QUASI;
    r->table->n_sensitive += c->role == KANON_ROLE_SENSITIVE;
out:
    return st;
}

static kanon_status list_columns(kanon_table *t, int **list, int n, kanon_role role, kanon_error *err)
{
    kanon_status st = kanon__new_array(list, n, "column numbers", err);
    for (int i = 0, at = 0; st == KANON_OK && i < t->n_columns; i++)
        if (t->columns[i].role == role)
            (*list)[at++] = i;
    return st;
}

/* Columns that nobody named leave with the release: the user must know, and with --strict must say so. */
static kanon_status tell_unnamed(reading *r, bool strict, kanon_error *err)
{
    char names[512] = "";
    size_t used = 0;
    int n_unnamed = 0, first = -1;
    for (int i = 0; i < r->csv.n_columns; i++) {
        if (r->attributes[i] != NULL || i == r->entity)
            continue;
        if (n_unnamed++ == 0)
            first = i;
        if (used + strlen(r->csv.names[i]) + 8 < sizeof names) {
            strcat(names + used, used > 0 ? ", " : "");
            strcat(names + used, r->csv.names[i]);
            used = strlen(names);
        } else if (used == 0 || names[used - 1] != '.') {
            strcat(names + used, used > 0 ? ", ..." : "...");
            used = strlen(names);
        }
    }
    if (n_unnamed == 0)
        return KANON_OK;
    if (strict) {
        kanon_status st = kanon__fail(err, KANON_EDATA, "%s:1: %s: the schema does not name %s%s", r->table->input.path,
                                      r->csv.names[first], n_unnamed > 1 ? "these columns: " : "this column",
                                      n_unnamed > 1 ? names : "");
        return kanon__hint(err, st, "give each a role: identifying, quasi, sensitive or insensitive");
    }
    return kanon__texts_addf(&r->table->warnings, err, "not named in the schema, so %s: %s",
                             kanon_role_text(r->schema->default_role), names);
}

/* Who a record belongs to cannot be generalised, and whoever sees it in the release can put a person's records together. */
static kanon_status check_entity(reading *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_schema *s = r->schema;
    if (r->entity < 0)
        return KANON_OK;
    const kanon__column *c = &r->table->columns[r->entity];
    if (c->role == KANON_ROLE_QUASI || c->role == KANON_ROLE_SENSITIVE) {
        st = s->entity_line > 0
                 ? kanon__fail(err, KANON_EDATA, "%s:%d: %s: the entity is a %s column", s->path, s->entity_line, c->name,
                               kanon_role_text(c->role))
                 : kanon__fail(err, KANON_EINVAL, "%s: the entity is a %s column", c->name, kanon_role_text(c->role));
        return kanon__hint(err, st, "give it 'role: identifying', or name the column that says whose record it is");
    }
    if (c->role == KANON_ROLE_INSENSITIVE)
        st = kanon__texts_addf(&r->table->warnings, err,
                               "%s: the release shows which records are one person's; with 'role: identifying' it would not",
                               c->name);
    return st;
}

static kanon_status set_up_columns(reading *r, bool strict, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_table *t = r->table;
    KANON_TRY(check_names(r, err), out);
    r->entity = r->schema->entity != NULL ? find_column(&r->csv, r->schema->entity) : -1;
    t->has_entity = r->entity >= 0;
    t->entity_column = r->entity;
    t->entity_together = r->schema->entity_together;
    t->n_columns = r->csv.n_columns;
    KANON_TRY(kanon__new_array(&t->columns, t->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->attributes, t->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->dictionaries, t->n_columns, "dictionaries", err), out);
    KANON_TRY(kanon__new_array(&r->raw, t->n_columns, "columns", err), out);
    for (int i = 0; i < t->n_columns; i++)
        KANON_TRY(set_up_column(r, i, err), out);
    KANON_TRY(list_columns(t, &t->quasi, t->n_quasi, KANON_ROLE_QUASI, err), out);
    KANON_TRY(list_columns(t, &t->sensitive, t->n_sensitive, KANON_ROLE_SENSITIVE, err), out);
    KANON_TRY(check_entity(r, err), out);
    KANON_TRY(tell_unnamed(r, strict, err), out);
    if (t->n_quasi == 0) {
        st = kanon__fail(err, KANON_EDATA, "%s: no column is a quasi-identifier",
                         r->schema->path != NULL ? r->schema->path : t->input.path);
        kanon__hint(err, st,
                    "give 'role: quasi' to the columns that could single out a person: age, place, profession, ...");
    }
out:
    return st;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static kanon_status read_rows(reading *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_table *t = r->table;
    int *wanted = NULL;
    KANON_TRY(kanon__new_array(&wanted, r->n_read, "column numbers", err), out);
    for (int i = 0, at = 0; i < t->n_columns; i++)
        if (t->columns[i].encoded || i == r->entity)
            wanted[at++] = i;
    kanon__rows rows = {.table = t,
                        .wanted = wanted,
                        .n_wanted = r->n_read,
                        .dictionaries = r->dictionaries,
                        .raw = r->raw,
                        .memory = r->memory,
                        .threads = r->threads,
                        .ticker = &r->ticker};
    KANON_TRY(kanon__rows_read(&rows, err), out);
    if (t->n_rows == 0) {
        st = kanon__fail(err, KANON_EDATA, "%s:2: %s: no records after the header line", t->input.path, r->csv.names[0]);
        kanon__hint(err, st, "a table has one line of column names and then one line for each record");
    }
out:
    kanon__free(wanted);
    return st;
}

/* Whose record each row is. Nothing is known of missing entities, so all of them are taken for the same one. */
static kanon_status number_entities(reading *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_table *t = r->table;
    const kanon__dictionary *names = &r->dictionaries[r->entity];
    uint32_t *code_of = NULL, missing = KANON__NO_CODE;
    KANON_TRY(kanon__new_array(&code_of, names->n, "entities", err), out);
    for (uint32_t i = 0; i < names->n; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(names, i, &length);
        bool is_missing = kanon__schema_is_missing(r->schema, text, length);
        code_of[i] = is_missing && missing != KANON__NO_CODE ? missing : (uint32_t)t->n_entities++;
        missing = is_missing ? code_of[i] : missing;
    }
    KANON_TRY(kanon__codes_new(&t->entity_codes, t->n_rows, (uint32_t)t->n_entities, t->spilled, err), out);
    for (int64_t row = 0; row < t->n_rows; row++)
        kanon__code_set(t->entity_codes, row, code_of[kanon__code_at(r->raw[r->entity], row)]);
out:
    kanon__free(code_of);
    return st;
}

static kanon_status encode_column(int64_t i, void *payload, kanon_error *err)
{
    const reading *r = payload;
    kanon_table *t = r->table;
    if (!t->columns[i].encoded)
        return KANON_OK;
    kanon_status st = kanon__column_encode(t, &t->columns[i], r->raw[i], &r->dictionaries[i], r->attributes[i], r->schema,
                                           err);
    kanon__codes_clear(&r->raw[i]);
    return st;
}

/* One column at a time where memory is short: its codes are there twice while it is encoded. */
static kanon_status encode_columns(reading *r, kanon_error *err)
{
    enum { WORTH_A_THREAD = 10000 };
    bool alone = r->memory > 0 || r->table->n_rows < WORTH_A_THREAD;
    return kanon__pool_run(alone ? 1 : r->threads, r->table->n_columns, encode_column, r, err);
}

/* ---- the schema's wishes ----------------------------------------------------------------------------------------- */

static kanon_status copy_optional(char **out, const char *text, kanon_error *err)
{
    return text != NULL ? kanon__copy_text(out, text, strlen(text), "the schema", err) : KANON_OK;
}

static kanon_status copy_constraint(kanon__constraint_text *to, const kanon__constraint_text *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    to->line = from->line;
    for (int64_t i = 0; i < from->names.n; i++) {
        KANON_TRY(kanon__texts_add(&to->names, from->names.items[i], strlen(from->names.items[i]), err), out);
        KANON_TRY(kanon__texts_add(&to->values, from->values.items[i], strlen(from->values.items[i]), err), out);
    }
out:
    if (st != KANON_OK) { /* not counted yet, so nobody else frees it */
        kanon__texts_clear(&to->names);
        kanon__texts_clear(&to->values);
    }
    return st;
}

static kanon_status keep_wishes(kanon_table *t, const kanon_schema *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    t->schema_k = s->k;
    KANON_TRY(kanon__new_array(&t->constraints, s->n_constraints, "constraints", err), out);
    for (; t->n_constraints < s->n_constraints; t->n_constraints++)
        KANON_TRY(copy_constraint(&t->constraints[t->n_constraints], &s->constraints[t->n_constraints], err), out);
    for (int64_t i = 0; i < s->missing.n; i++)
        KANON_TRY(kanon__texts_add(&t->missing, s->missing.items[i], strlen(s->missing.items[i]), err), out);
    KANON_TRY(copy_optional(&t->schema_path, s->path, err), out);
    KANON_TRY(copy_optional(&t->schema_algorithm, s->algorithm, err), out);
    KANON_TRY(kanon__new_array(&t->schema_settings, s->n_settings, "settings", err), out);
    for (; t->n_schema_settings < s->n_settings; t->n_schema_settings++) {
        kanon_setting *to = &t->schema_settings[t->n_schema_settings];
        const kanon_setting *from = &s->settings[t->n_schema_settings];
        KANON_TRY(copy_optional((char **)&to->name, from->name, err), out);
        st = copy_optional((char **)&to->value, from->value, err);
        if (st != KANON_OK) {
            kanon__free((void *)to->name);
            goto out;
        }
    }
out:
    return st;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void clear_reading(reading *r)
{
    for (int i = 0; r->raw != NULL && i < r->table->n_columns; i++)
        kanon__codes_clear(&r->raw[i]);
    kanon__free(r->raw);
    if (r->dictionaries != NULL && r->table != NULL)
        for (int i = 0; i < r->table->n_columns; i++)
            kanon__dictionary_clear(&r->dictionaries[i]);
    kanon__free(r->dictionaries);
    kanon__free(r->attributes);
    kanon__csv_close(&r->csv);
}

kanon_status kanon__table_from_input(kanon_table **out, kanon__input *input, const kanon_schema *schema,
                                     const kanon_read_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_read_options o;
    kanon_table *t = NULL;
    reading r = {.schema = schema, .entity = -1};
    *out = NULL;
    KANON_TRY(kanon__take_options(&o, sizeof o, options, err), out);
    kanon__call_ticks(&o.tick, &o.payload);
    KANON_TRY(kanon__new_array(&t, 1, "a table", err), out);
    t->context = kanon__call_context();
    t->input = *input;
    *input = (kanon__input){0};
    r.table = t;
    r.encode_all = o.encode_all != 0;
    r.memory = o.memory;
    r.threads = o.threads;
    kanon__ticker_init(&r.ticker, o.tick, o.payload, "reading");
    t->csv_options.delimiter = o.delimiter;
    KANON_TRY(kanon__csv_open(&r.csv, &t->input, &t->csv_options, err), out);
    t->csv_options.delimiter = r.csv.delimiter;
    t->crlf = r.csv.crlf;
    KANON_TRY(keep_wishes(t, schema, err), out);
    KANON_TRY(set_up_columns(&r, o.strict != 0, err), out);
    KANON_TRY(read_rows(&r, err), out);
    if (r.entity >= 0)
        KANON_TRY(number_entities(&r, err), out);
    KANON_TRY(encode_columns(&r, err), out);
    t->most_suppressed = kanon__schema_may_suppress(schema, t->n_rows);
    *out = t;
    t = NULL;
out:
    clear_reading(&r);
    kanon_table_free(t);
    kanon__input_close(input);
    return st;
}

static kanon_status read_table(kanon_table **out, const char *path, const kanon_schema *schema,
                               const kanon_read_options *options, kanon_error *err)
{
    kanon__input input = {0};
    kanon_status st = kanon__input_open(&input, path, err);
    return st == KANON_OK ? kanon__table_from_input(out, &input, schema, options, err) : st;
}

kanon_status kanon_table_read(kanon_table **out, const char *path, const kanon_schema *schema,
                              const kanon_read_options *options, kanon_error *err)
{
    kanon__call call;
    kanon_read_options o;
    *out = NULL;
    kanon_status st = kanon__take_options(&o, sizeof o, options, err);
    if (st == KANON_OK)
        st = kanon__context_check(o.context, err);
    if (st != KANON_OK)
        return st;
    kanon__call_begin(&call, o.context != NULL ? o.context : schema->context);
    return kanon__call_end(&call, read_table(out, path, schema, options, err));
}

void kanon_table_free(kanon_table *t)
{
    if (t == NULL)
        return;
    for (int i = 0; t->columns != NULL && i < t->n_columns; i++) {
        kanon__column *c = &t->columns[i];
        kanon__taxonomy_free(c->taxonomy);
        kanon__dictionary_clear(&c->texts);
        kanon__free(c->scaled);
        kanon__free(c->values);
        kanon__codes_clear(&c->codes);
        kanon__free(c->taxonomy_path);
        kanon__free(c->weight_text);
        kanon__free(c->name);
    }
    for (int64_t i = 0; i < t->n_schema_settings; i++) {
        kanon__free((void *)t->schema_settings[i].value);
        kanon__free((void *)t->schema_settings[i].name);
    }
    kanon__free(t->schema_settings);
    for (int64_t i = 0; i < t->n_constraints; i++) {
        kanon__texts_clear(&t->constraints[i].names);
        kanon__texts_clear(&t->constraints[i].values);
    }
    kanon__free(t->constraints);
    kanon__codes_clear(&t->entity_codes);
    kanon__free(t->schema_algorithm);
    kanon__free(t->schema_path);
    kanon__texts_clear(&t->warnings);
    kanon__texts_clear(&t->missing);
    kanon__free(t->sensitive);
    kanon__free(t->quasi);
    kanon__free(t->columns);
    kanon__free(t->marks);
    kanon__input_close(&t->input);
    kanon__free(t);
}

int64_t kanon_table_rows(const kanon_table *table)
{
    return table->n_rows;
}

int kanon_table_columns(const kanon_table *table)
{
    return table->n_columns;
}

const char *kanon_table_column_name(const kanon_table *table, int column)
{
    return column >= 0 && column < table->n_columns ? table->columns[column].name : NULL;
}

kanon_role kanon_table_column_role(const kanon_table *table, int column)
{
    return column >= 0 && column < table->n_columns ? table->columns[column].role : KANON_ROLE_INSENSITIVE;
}

kanon_type kanon_table_column_type(const kanon_table *table, int column)
{
    return column >= 0 && column < table->n_columns ? table->columns[column].type : KANON_TYPE_UNKNOWN;
}

const char *kanon_table_warning(const kanon_table *table, int i)
{
    return i >= 0 && i < table->warnings.n ? table->warnings.items[i] : NULL;
}
