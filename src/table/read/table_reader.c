/* See table_reader.h.
 *
 * 1. Columns are matched with the attributes of the schema; each gets a role.
 * 2. The source reads its rows once and gives, for every column that is encoded, its distinct texts and a code per row.
 * 3. A domain orders the texts of each column, and the codes are translated. */
#include "table/read/table_reader.h"

#include "core/alloc.h"
#include "core/escape.h"
#include "core/pool.h"
#include "table/domain/column_type.h"
#include "table/domain/drawn_ends.h"
#include "table/read/whole_domain.h"

#include <kanon_host.h>
#include <stdio.h>
#include <string.h>

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/* Where the names of the columns stand, for messages: in the first line of a file. */
static const char *header_line(const kanon__reader *r)
{
    return r->source->class->line_of_row != NULL ? ":1" : "";
}

/* A name in the schema that the table lacks: most often a slip of the pen, so the nearest name is told. */
static kanon_status fail_no_column(const kanon__reader *r, const char *name, int line, kanon_error *err)
{
    const char *nearest = kanon_nearest_word((const char *const *)r->source->column_names, (size_t)r->source->n_columns,
                                             name);
    kanon_status st;
    if (line > 0 && r->schema->path != NULL)
        st = kanon__fail(err, KANON_EDATA, "%s:%d: %s: the table has no such column", r->schema->path, line, name);
    else
        st = kanon__fail(err, KANON_EDATA, "%s%s: %s: the table has no such column", r->source->name, header_line(r), name);
    if (nearest != NULL)
        return kanon__hint(err, st, "did you mean '%s'?", nearest);
    kanon__topic(err, st, "columns");
    return r->source->class->line_of_row != NULL
               ? kanon__hint(err, st, "the names are in the first line of the table; is the delimiter right?")
               : kanon__hint(err, st, "name a column of the table, or leave this one out");
}

static kanon_status check_names(const kanon__reader *r, kanon_error *err)
{
    const kanon_schema *s = r->schema;
    for (int64_t i = 0; i < s->n_attributes; i++)
        if (kanon__attribute_is_named(&s->attributes[i]) && kanon__source_find(r->source, s->attributes[i].name) < 0)
            return fail_no_column(r, s->attributes[i].name, s->attributes[i].line, err);
    for (int64_t i = 0; i < s->key.n; i++)
        if (kanon__source_find(r->source, s->key.items[i]) < 0)
            return fail_no_column(r, s->key.items[i], s->key_line, err);
    if (s->said[KANON__WHOLE_ENTITY] != NULL && kanon__source_find(r->source, s->said[KANON__WHOLE_ENTITY]) < 0)
        return fail_no_column(r, s->said[KANON__WHOLE_ENTITY], s->entity_line, err);
    return KANON_OK;
}

kanon_status kanon__column_describe(kanon__column *c, const char *name, bool is_entity, const kanon_schema *schema,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__attribute *a = kanon__schema_find(schema, name);
    KANON_TRY(kanon__copy_text(&c->name, name, strlen(name), "a column name", err), out);
    c->role = a != NULL && a->has_role ? a->role : is_entity ? KANON_ROLE_IDENTIFYING : schema->default_role;
    c->role_from_flags = a != NULL && a->role_from_flags;
    c->weight = a != NULL ? a->weight : 1;
    c->permuted = kanon__attribute_is_permuted(a);
    c->drawn = kanon__attribute_is_drawn(a);
    const char *weight = kanon__attribute_said(a, KANON__COLUMN_WEIGHT);
    const char *path = kanon__attribute_said(a, KANON__COLUMN_TAXONOMY);
    if (weight != NULL)
        KANON_TRY(kanon__copy_text(&c->weight_text, weight, strlen(weight), "a weight", err), out);
    if (path != NULL)
        KANON_TRY(kanon__copy_text(&c->taxonomy_path, path, strlen(path), "a file name", err), out);
out:
    return st;
}

static bool is_key(const kanon_schema *schema, const char *name)
{
    return kanon__texts_find(&schema->key, name, strlen(name)) >= 0;
}

/* A group shows one thing in a quasi-identifier, and what is withheld has no cells. */
static kanon_status check_permuted(const kanon__reader *r, const kanon__column *c, kanon_error *err)
{
    if (!c->permuted || c->role == KANON_ROLE_SENSITIVE || c->role == KANON_ROLE_INSENSITIVE)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: the column is permuted, but its role is %s", r->source->name,
                                  c->name, kanon_enum_text(KANON_ENUM_ROLE, c->role));
    return kanon__hint(err, st,
                       "only cells that are released as they are change places: give it the role sensitive or insensitive, "
                       "or remove 'permute'");
}

/* Only intervals have ends, and those of bands are given. */
static kanon_status check_drawn(const kanon__reader *r, const kanon__column *c, const kanon__attribute *a, kanon_error *err)
{
    kanon_status st;
    if (!c->drawn || c->role == KANON_ROLE_IDENTIFYING)
        return KANON_OK;
    if (c->role != KANON_ROLE_QUASI) {
        st = kanon__fail(err, KANON_EDATA, "%s: %s: the column has drawn ends, but its role is %s", r->source->name, c->name,
                         kanon_enum_text(KANON_ENUM_ROLE, c->role));
        return kanon__hint(err, st, "only quasi-identifiers are generalised: give it the role quasi, or remove 'ends'");
    }
    if (!kanon__attribute_has_bands(a))
        return KANON_OK;
    st = kanon__fail(err, KANON_EDATA, "%s: %s: the column has drawn ends and bands", r->source->name, c->name);
    return kanon__hint(err, st, "the ends of bands are no values of records: remove one of the two");
}

static kanon_status set_up_column(kanon__reader *r, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__column *c = &r->data->columns[i];
    const char *name = r->source->column_names[i];
    const kanon__attribute *a = kanon__schema_find(r->schema, name);
    r->attributes[i] = a;
    KANON_TRY(kanon__column_describe(c, name, i == r->entity, r->schema, err), out);
    if (a != NULL && kanon__attribute_has_bands(a) && c->role != KANON_ROLE_QUASI && c->role != KANON_ROLE_IDENTIFYING) {
        st = kanon__fail(err, KANON_EDATA, "%s: %s: the column has bands, but its role is %s", r->source->name, name,
                         kanon_enum_text(KANON_ENUM_ROLE, c->role));
        kanon__hint(err, st, "only quasi-identifiers are generalised: give it the role quasi, or remove the bands");
        goto out;
    }
    KANON_TRY(check_permuted(r, c, err), out);
    KANON_TRY(check_drawn(r, c, a, err), out);
    r->encoded[i] = c->role == KANON_ROLE_QUASI || c->role == KANON_ROLE_SENSITIVE ||
                    (c->role == KANON_ROLE_INSENSITIVE && r->encode_all);
    r->n_read += r->encoded[i] || i == r->entity;
    r->source->unread[i] = c->role == KANON_ROLE_IDENTIFYING && i != r->entity && !is_key(r->schema, name);
out:
    return st;
}

static kanon_status list_columns(int **list, int *n, const kanon__data *data, kanon_role role, kanon_error *err)
{
    kanon_status st = kanon__new_array(list, data->n_columns, "column numbers", err);
    for (int i = 0; st == KANON_OK && i < data->n_columns; i++)
        if (data->columns[i].role == role)
            (*list)[(*n)++] = i;
    return st;
}

kanon_status kanon__data_list_columns(kanon__data *data, kanon_error *err)
{
    kanon_status st = list_columns(&data->quasi, &data->n_quasi, data, KANON_ROLE_QUASI, err);
    return st == KANON_OK ? list_columns(&data->sensitive, &data->n_sensitive, data, KANON_ROLE_SENSITIVE, err) : st;
}

/* The names of the columns that neither the schema nor the entity names, with commas between them; "": there is none. */
static kanon_status list_unnamed(char **out, int *n, int *first, const kanon__reader *r, kanon_error *err)
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
static kanon_status note_unnamed(kanon__reader *r, bool strict, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *names = NULL, *line = NULL;
    int n = 0, first = -1;
    bool withheld = r->schema->default_role == KANON_ROLE_IDENTIFYING;
    KANON_TRY(list_unnamed(&names, &n, &first, r, err), out);
    if (n == 0)
        goto out;
    if (strict) {
        st = kanon__fail(err, KANON_EDATA, "%s%s: %s: the schema does not name %s%.*s", r->source->name, header_line(r),
                         r->source->column_names[first], n > 1 ? "these columns: " : "this column",
                         KANON__CUT(n > 1 ? names : "", 700));
        st = kanon__hint(err, st, "give each a role: identifying, quasi, sensitive or insensitive");
        goto out;
    }
    size_t size = strlen(names) + 160;
    KANON_TRY(kanon__new_array(&line, (int64_t)size, "a warning", err), out);
    snprintf(line, size, "not named in the schema, so %s: %s%s",
             withheld ? "withheld" : kanon_enum_text(KANON_ENUM_ROLE, r->schema->default_role), names,
             withheld ? "; to release a column, give it the role insensitive" : "");
    /* what is withheld does no harm; what is released and nobody has thought about may */
    KANON_TRY(kanon__texts_add_shown(withheld ? &r->table->warnings : &r->table->privacy, line, err), out);
out:
    kanon__free(line);
    kanon__free(names);
    return st;
}

/* Who a record belongs to cannot be generalised, and whoever sees it in the release can put a person's records together. */
static kanon_status check_entity(kanon__reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_schema *s = r->schema;
    if (r->entity < 0)
        return KANON_OK;
    const kanon__column *c = &r->data->columns[r->entity];
    if (c->role == KANON_ROLE_QUASI || c->role == KANON_ROLE_SENSITIVE) {
        st = s->entity_line > 0
                 ? kanon__fail(err, KANON_EDATA, "%s:%d: %s: the entity is a %s column", s->path, s->entity_line, c->name,
                               kanon_enum_text(KANON_ENUM_ROLE, c->role))
                 : kanon__fail(err, KANON_EINVAL, "%s: the entity is a %s column", c->name,
                               kanon_enum_text(KANON_ENUM_ROLE, c->role));
        return kanon__hint(err, st, "give it the role identifying, or name the column that says whose record it is");
    }
    if (c->role == KANON_ROLE_INSENSITIVE)
        st = kanon__texts_addf(
            &r->table->privacy, err,
            "%s: the release shows which records are one person's; with the role identifying it would not", c->name);
    return st;
}

static kanon_status set_up_columns(kanon__reader *r, bool strict, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__data *d = r->data;
    int n = r->source->n_columns;
    KANON_TRY(check_names(r, err), out);
    const char *entity = r->schema->said[KANON__WHOLE_ENTITY];
    r->entity = entity != NULL ? kanon__source_find(r->source, entity) : -1;
    d->has_entity = r->entity >= 0;
    d->entity_column = r->entity;
    KANON_TRY(kanon__new_array(&d->columns, n, "columns", err), out);
    d->n_columns = n;
    KANON_TRY(kanon__new_array(&r->attributes, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->encoded, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->notices, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->spellings, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->source->unread, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->raw.dictionaries, n, "dictionaries", err), out);
    KANON_TRY(kanon__new_array(&r->raw.codes, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&r->raw.null_codes, n, "columns", err), out);
    for (int i = 0; i < n; i++) {
        r->raw.null_codes[i] = KANON__NO_CODE;
        KANON_TRY(set_up_column(r, i, err), out);
    }
    KANON_TRY(kanon__data_list_columns(d, err), out);
    KANON_TRY(check_entity(r, err), out);
    KANON_TRY(note_unnamed(r, strict, err), out);
    if (d->n_quasi == 0) {
        st = kanon__fail(err, KANON_EDATA, "%s: no column is a quasi-identifier",
                         r->schema->path != NULL ? r->schema->path : r->source->name);
        kanon__hint(err, st,
                    "give the role quasi to the columns that could single out a person: age, place, profession, ...");
        kanon__topic(err, st, "roles");
    }
out:
    return st;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static kanon_status read_rows(kanon__reader *r, bool may_be_empty, kanon_error *err)
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
    if (r->data->n_rows == 0 && !may_be_empty) {
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

kanon_status kanon__reader_rows(kanon__reader *r, bool strict, bool may_be_empty, kanon_error *err)
{
    kanon_status st = set_up_columns(r, strict, err);
    return st == KANON_OK ? read_rows(r, may_be_empty, err) : st;
}

/* ---- codes -------------------------------------------------------------------------------------------------------- */

static kanon__raw_column raw_column(const kanon__reader *r, int i)
{
    return (kanon__raw_column){.name = r->data->columns[i].name,
                               .source = r->source,
                               .n_rows = r->data->n_rows,
                               .codes = r->raw.codes[i],
                               .values = &r->raw.dictionaries[i],
                               .null_code = r->raw.null_codes[i],
                               .notices = &r->notices[i],
                               .levels = r->source->levels != NULL ? &r->source->levels[i] : NULL,
                               .natural = r->source->natural != NULL ? r->source->natural[i] : KANON_TYPE_UNKNOWN};
}

/* Whose record each row is. */
static kanon_status number_entities(kanon__reader *r, kanon_error *err)
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
    kanon__codes_translate(d->entity_codes, 0, r->raw.codes[r->entity], d->n_rows, code_of);
out:
    kanon__free(code_of);
    return st;
}

/* A text that the whole table does not have: the domain is not that of all parts. */
static kanon_status fail_unknown_text(const kanon__raw_column *raw, uint32_t code, kanon_error *err)
{
    char place[KANON__PLACE_TEXT];
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: the value is not in the domain of the whole table",
                                  kanon__source_place(place, raw->source, kanon__column_first_row(raw, code)), raw->name);
    return kanon__hint(err, st, "merge the domains of all parts of the table, then seal it");
}

/* The codes that the texts of a part have in the whole table. */
static kanon_status take_domain(kanon__column *column, uint32_t *new_code, const kanon__raw_column *raw,
                                const kanon__whole *whole, kanon_error *err)
{
    const kanon__whole_column *w = kanon__whole_find(whole, raw->name);
    if (w == NULL) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: the domain has no such column", raw->name);
        return kanon__hint(err, st, "read all parts with the same schema");
    }
    for (uint32_t code = 0; code < raw->values->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(raw->values, code, &length);
        new_code[code] = code == raw->null_code ? w->null_code : kanon__whole_code(w, text, length);
        if (new_code[code] == KANON__NO_CODE)
            return fail_unknown_text(raw, code, err);
    }
    column->domain = kanon__domain_share(w->domain);
    return KANON_OK;
}

static kanon_status make_domain(const kanon__reader *r, int64_t i, uint32_t *new_code, const kanon__raw_column *raw,
                                kanon_error *err)
{
    kanon__column *column = &r->data->columns[i];
    kanon_status st = kanon__domain_build(&column->domain, new_code, raw, r->attributes[i], r->schema, err);
    if (st == KANON_OK)
        st = kanon__drawn_column_check(column, r->source->name, err);
    if (st == KANON_OK && !kanon__type_is_numeric(column->domain->type)) /* numbers are compared as numbers anyway */
        st = kanon__spellings_find(&r->spellings[i], raw, err);
    return st;
}

static kanon_status encode_column(int64_t i, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__reader *r = payload;
    kanon__column *column = &r->data->columns[i];
    kanon__codes *raw_codes = &r->raw.codes[i];
    kanon__dictionary *values = &r->raw.dictionaries[i];
    uint32_t *new_code = NULL;
    if (!r->encoded[i])
        return KANON_OK;
    kanon__raw_column raw = raw_column(r, (int)i);
    KANON_TRY(kanon__new_array(&new_code, values->n, "codes", err), out);
    KANON_TRY(r->whole != NULL ? take_domain(column, new_code, &raw, r->whole, err) : make_domain(r, i, new_code, &raw, err),
              out);
    KANON_TRY(kanon__codes_new(&column->codes, raw.n_rows, column->domain->n_codes, r->data->spilled, err), out);
    kanon__codes_translate(column->codes, 0, raw.codes, raw.n_rows, new_code);
    st = kanon__poll_tick(KANON__TICK_POLL_NS, err);
out:
    kanon__free(new_code);
    kanon__dictionary_clear(values);
    kanon__codes_clear(raw_codes);
    return st;
}

kanon_status kanon__note_distinct(kanon__texts *warnings, const kanon__column *c, int64_t n, kanon_error *err)
{
    enum { FEWEST = 20, PARTS = 4, ALL_PARTS = 5 }; /* from four in five on */
    int64_t n_distinct = c->domain->n_codes - (c->domain->missing_code != KANON__NO_CODE);
    if (c->role != KANON_ROLE_QUASI || kanon__column_taxonomy(c) == NULL || !c->domain->taxonomy->flat || n < FEWEST ||
        n_distinct * ALL_PARTS < n * PARTS)
        return KANON_OK;
    return kanon__texts_addf(
        warnings, err,
        "%s: %lld of %lld values are different and it has no taxonomy, so most cells will be *; give it a "
        "taxonomy or a mask, or the role identifying",
        c->name, (long long)n_distinct, (long long)n);
}

/* How many records have a value in the column. */
static int64_t count_present(const kanon__data *data, const kanon__column *c)
{
    int64_t n = 0;
    for (int64_t row = 0; row < data->n_rows; row++)
        n += kanon__code_at(c->codes, row) != c->domain->missing_code;
    return n;
}

/* What was found about the columns, in their order. */
static kanon_status collect_notices(kanon__reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < r->data->n_columns; i++) {
        const kanon__column *c = &r->data->columns[i];
        KANON_TRY(kanon__texts_append(&r->table->warnings, &r->notices[i], err), out);
        if (c->role == KANON_ROLE_QUASI)
            KANON_TRY(kanon__note_distinct(&r->table->warnings, c, count_present(r->data, c), err), out);
    }
    for (int i = 0; i < r->data->n_columns; i++)
        KANON_TRY(kanon__spellings_note(&r->spellings[i], r->data->columns[i].name, r->source, &r->table->warnings, err),
                  out);
out:
    return st;
}

/* One column at a time where memory is short: its codes are there twice while it is encoded. Of a part nothing is noted: the
 * domain of the whole has been asked. */
kanon_status kanon__reader_encode(kanon__reader *r, const kanon__whole *whole, kanon_error *err)
{
    enum { WORTH_A_THREAD = 10000 };
    kanon_status st = KANON_OK;
    bool alone = r->raw.memory > 0 || r->data->n_rows < WORTH_A_THREAD;
    r->whole = whole;
    if (r->entity >= 0)
        KANON_TRY(number_entities(r, err), out);
    KANON_TRY(kanon__pool_run(alone ? 1 : r->raw.threads, r->data->n_columns, encode_column, r, err), out);
    if (whole == NULL)
        KANON_TRY(collect_notices(r, err), out);
out:
    return st;
}

void kanon__reader_clear(kanon__reader *r)
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
    *r = (kanon__reader){0};
}
