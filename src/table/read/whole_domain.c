/* See whole_domain.h. Cost: a dictionary entry per distinct text and part; sealing sorts them once. */
#include "table/read/whole_domain.h"

#include "core/alloc.h"
#include "core/take_options.h"
#include "core/text.h"
#include "table/read/arrow_text.h"
#include "table/read/open_table.h"
#include "table/read/part_codes.h"
#include "table/read/released_text.h"
#include "table/read/table_reader.h"
#include "table/value/levels.h"

#include <kanon_blocks.h>
#include <stdlib.h>
#include <string.h>

/* ---- one object --------------------------------------------------------------------------------------------------- */

kanon_status kanon__whole_new(kanon__whole **out, int n_columns, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__whole *d = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&d, 1, "a domain", err), out);
    d->piece = kanon__piece_begin(&kanon__domain_kind);
    d->references = 1;
    d->notices_place = INT64_MAX;
    KANON_TRY(kanon__new_array(&d->columns, n_columns, "a domain", err), out);
    d->n_columns = n_columns;
    for (int i = 0; i < n_columns; i++) {
        d->columns[i].null_code = KANON__NO_CODE;
        KANON_TRY(kanon__dictionary_init(&d->columns[i].texts, err), out);
    }
    *out = d;
    d = NULL;
out:
    kanon__piece_free(d);
    return st;
}

kanon__whole *kanon__whole_share(const kanon__whole *domain)
{
    kanon__whole *shared = (kanon__whole *)domain; /* what a reader sees does not change */
    __atomic_add_fetch(&shared->references, 1, __ATOMIC_RELAXED);
    return shared;
}

void kanon__whole_free(void *domain)
{
    kanon__whole *d = domain;
    if (__atomic_sub_fetch(&d->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int i = 0; d->columns != NULL && i < d->n_columns; i++) {
        kanon__whole_column *c = &d->columns[i];
        kanon__domain_free(c->domain);
        kanon__free(c->codes);
        kanon__free(c->firsts);
        kanon__free(c->counts);
        kanon__dictionary_clear(&c->texts);
        kanon__dictionary_clear(&c->levels.names);
        kanon__free(c->name);
    }
    kanon__data_clear(&d->data);
    kanon__notices_clear(&d->told);
    kanon__texts_clear(&d->warnings);
    kanon__texts_clear(&d->notices);
    kanon__texts_clear(&d->privacy);
    kanon__free(d->columns);
    kanon__free(d->name);
    kanon__free(d);
}

kanon_status kanon__whole_check(const kanon__whole *domain, bool sealed, kanon_error *err)
{
    if (domain->sealed == sealed)
        return KANON_OK;
    return sealed ? kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the domain is not sealed"),
                                "merge the domains of all parts, then seal it")
                  : kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the domain is sealed"),
                                "merge the domains of all parts before it is sealed");
}

kanon_status kanon__whole_take(const kanon__whole **out, const kanon_domain *given, kanon_error *err)
{
    const kanon__whole *whole = kanon__piece_as(given, &kanon__domain_kind, err);
    if (whole == NULL)
        return KANON_EINVAL;
    *out = whole;
    return kanon__whole_check(whole, true, err);
}

const kanon__whole_column *kanon__whole_find(const kanon__whole *domain, const char *name)
{
    for (int i = 0; i < domain->n_columns; i++)
        if (strcmp(domain->columns[i].name, name) == 0)
            return &domain->columns[i];
    return NULL;
}

uint32_t kanon__whole_code(const kanon__whole_column *c, const char *text, size_t length)
{
    uint32_t at = kanon__dictionary_find(&c->texts, text, length);
    return at != KANON__NO_CODE ? c->codes[at] : KANON__NO_CODE;
}

bool kanon__whole_equal(const kanon__whole *a, const kanon__whole *b)
{
    return a == b || memcmp(a->fingerprint, b->fingerprint, sizeof a->fingerprint) == 0;
}

kanon_status kanon__whole_has(const kanon__whole *domain, const kanon_table *part, kanon_error *err)
{
    bool same = part->whole != NULL && kanon__whole_equal(part->whole, domain) && part->data.n_quasi == domain->data.n_quasi;
    for (int i = 0; same && i < domain->data.n_quasi; i++)
        same = strcmp(part->data.columns[part->data.quasi[i]].name, domain->data.columns[domain->data.quasi[i]].name) == 0;
    if (same)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "the table was not read with this domain");
    return kanon__hint(err, st, "read it with the sealed domain of the whole table in the read options");
}

int64_t kanon_domain_rows(const kanon_domain *domain)
{
    const kanon__whole *d = kanon__piece_as(domain, &kanon__domain_kind, NULL);
    return d != NULL ? d->n_rows : 0;
}

/* ---- adding ------------------------------------------------------------------------------------------------------- */

kanon_status kanon__whole_add(kanon__whole_column *c, const char *text, size_t length, int64_t n, int64_t first,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t before = c->texts.n, code;
    KANON_TRY(kanon__grow_array(&c->counts, &c->counts_capacity, (int64_t)before + 1, "a domain", err), out);
    KANON_TRY(kanon__grow_array(&c->firsts, &c->firsts_capacity, (int64_t)before + 1, "a domain", err), out);
    KANON_TRY(kanon__dictionary_add(&c->texts, &code, text, length, err), out);
    if (code == before) {
        c->counts[code] = 0;
        c->firsts[code] = first;
    }
    c->counts[code] += n;
    c->firsts[code] = first < c->firsts[code] ? first : c->firsts[code];
out:
    return st;
}

void kanon__whole_add_null(kanon__whole_column *c, int64_t n, int64_t first)
{
    if (n == 0)
        return;
    c->first_null = c->n_null == 0 || first < c->first_null ? first : c->first_null;
    c->n_null += n;
}

/* The warnings of the part with the first place. */
static kanon_status take_notices(kanon__whole *d, const kanon__texts *privacy, const kanon__texts *notices, int64_t place,
                                 kanon_error *err)
{
    if (place >= d->notices_place)
        return KANON_OK;
    kanon__texts_clear(&d->privacy);
    kanon__texts_clear(&d->notices);
    kanon_status st = kanon__texts_append(&d->privacy, privacy, err);
    d->notices_place = place;
    return st == KANON_OK ? kanon__texts_append(&d->notices, notices, err) : st;
}

/* ---- the domain of a part ----------------------------------------------------------------------------------------- */

static int64_t place_of(const kanon_places *places, int64_t row)
{
    return places->each != NULL ? places->each[row] : places->first + row;
}

/* What is needed of one column of a part. */
static kanon_status add_column(kanon__whole_column *out, const kanon__reader *r, int column, const kanon_places *places,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__dictionary *texts = &r->raw.dictionaries[column];
    int64_t *counts = NULL, *firsts = NULL;
    const char *name = r->data->columns[column].name;
    KANON_TRY(kanon__copy_text(&out->name, name, strlen(name), "a column name", err), out);
    out->natural = r->source->natural != NULL ? r->source->natural[column] : KANON_TYPE_UNKNOWN;
    if (r->source->levels != NULL) {
        out->levels.fault = r->source->levels[column].fault;
        KANON_TRY(kanon__levels_copy(&out->levels.names, &r->source->levels[column].names, err), out);
    }
    KANON_TRY(kanon__new_array(&counts, texts->n, "a domain", err), out);
    KANON_TRY(kanon__new_array(&firsts, texts->n, "a domain", err), out);
    for (int64_t row = 0; row < r->data->n_rows; row++) {
        uint32_t code = kanon__code_at(r->raw.codes[column], row);
        int64_t place = place_of(places, row);
        firsts[code] = counts[code]++ == 0 || place < firsts[code] ? place : firsts[code];
    }
    for (uint32_t code = 0; code < texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(texts, code, &length);
        if (code == r->raw.null_codes[column])
            kanon__whole_add_null(out, counts[code], firsts[code]);
        else
            KANON_TRY(kanon__whole_add(out, text, length, counts[code], firsts[code], err), out);
    }
out:
    kanon__free(firsts);
    kanon__free(counts);
    return st;
}

static int64_t first_place(const kanon_places *places, int64_t n)
{
    int64_t first = INT64_MAX;
    for (int64_t row = 0; row < n; row++)
        first = place_of(places, row) < first ? place_of(places, row) : first;
    return first;
}

static kanon_status domain_of_rows(kanon__whole **out, const kanon__reader *r, const kanon_places *places, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__whole *d = NULL;
    int n = 0, at = 0;
    for (int i = 0; i < r->data->n_columns; i++)
        n += r->encoded[i];
    KANON_TRY(kanon__whole_new(&d, n, err), out);
    KANON_TRY(kanon__copy_text(&d->name, r->source->name, strlen(r->source->name), "a name", err), out);
    d->delimiter = r->source->delimiter;
    d->n_rows = r->data->n_rows;
    for (int i = 0; i < r->data->n_columns; i++)
        if (r->encoded[i])
            KANON_TRY(add_column(&d->columns[at++], r, i, places, err), out);
    KANON_TRY(take_notices(d, &r->table->privacy, &r->table->warnings, first_place(places, d->n_rows), err), out);
    *out = d;
    d = NULL;
out:
    kanon__piece_free(d);
    return st;
}

/* The domain of the rows of a source, which is taken over in any case, and their codes where `codes` is not NULL. */
static kanon_status read_source(kanon_domain **out, kanon_codes **codes, kanon__source *source, const kanon_places *places,
                                const kanon_schema *schema, kanon_read_options *o, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_table *table = NULL;
    kanon__reader r = {0};
    kanon__whole *domain = NULL;
    kanon__call_ticks(&o->tick, &o->payload);
    KANON_TRY(kanon__table_begin(&table, &r, source, schema, o, true, err), out);
    if (places->each != NULL && places->n != table->data.n_rows) {
        st = kanon__fail(err, KANON_EINVAL, "%lld places for %lld records", (long long)places->n,
                         (long long)table->data.n_rows);
        st = kanon__hint(err, st, "hand over one place for each record");
        goto out;
    }
    KANON_TRY(kanon__note_released_text(table, schema, err), out);
    KANON_TRY(domain_of_rows(&domain, &r, places, err), out);
    if (codes != NULL)
        KANON_TRY(kanon__part_codes_of(codes, &r, domain, err), out);
    *out = &domain->piece;
    domain = NULL;
out:
    kanon__piece_free(domain);
    kanon__reader_clear(&r);
    kanon_table_free(table);
    return st;
}

static kanon_status take_places(kanon_places *out, const kanon_places *given, kanon_error *err)
{
    KANON_CHECK(kanon__take_options(out, sizeof *out, given, err));
    if (out->each != NULL || out->n == 0)
        return KANON_OK;
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "%lld places, and none is given", (long long)out->n),
                       "hand over one place for each record, or that of the first one");
}

static kanon_status read_part(kanon_domain **out, kanon_codes **codes, const kanon_input *given, const kanon_places *places,
                              const kanon_schema *schema, const kanon_read_options *options, kanon_error *err)
{
    kanon__call call;
    kanon__input input;
    kanon__csv_reading how;
    kanon_places p;
    kanon_read_options o;
    kanon__source *source = NULL;
    *out = NULL;
    kanon_status begun = kanon__reader_call(&call, schema, options, err);
    kanon_status st = begun == KANON_OK ? take_places(&p, places, err) : begun;
    if (st == KANON_OK)
        st = kanon__read_options_take(&o, options, err);
    st = kanon__table_input_take(&input, &how, given, st, err);
    if (st == KANON_OK)
        st = kanon__reader_open(&source, &input, &how, schema, err);
    if (st == KANON_OK)
        st = read_source(out, codes, source, &p, schema, &o, err);
    return begun == KANON_OK ? kanon__call_end(&call, st) : st;
}

kanon_status kanon_domain_read(kanon_domain **out, const kanon_input *input, const kanon_places *places,
                               const kanon_schema *schema, const kanon_read_options *options, kanon_error *err)
{
    return read_part(out, NULL, input, places, schema, options, err);
}

kanon_status kanon_codes_read(kanon_codes **out, kanon_domain **domain, const kanon_input *input, const kanon_places *places,
                              const kanon_schema *schema, const kanon_read_options *options, kanon_error *err)
{
    *out = NULL;
    return read_part(domain, out, input, places, schema, options, err);
}

/* ---- merging ------------------------------------------------------------------------------------------------------ */

static kanon_status check_alike(const kanon__whole *into, const kanon__whole *other, kanon_error *err)
{
    bool alike = into->n_columns == other->n_columns && into->delimiter == other->delimiter;
    for (int i = 0; alike && i < into->n_columns; i++)
        alike = strcmp(into->columns[i].name, other->columns[i].name) == 0 &&
                into->columns[i].natural == other->columns[i].natural &&
                kanon__levels_equal(&into->columns[i].levels.names, &other->columns[i].levels.names);
    if (alike)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "the domains have different columns");
    return kanon__hint(err, st, "read all parts of one table, with the same schema and options");
}

static kanon_status merge_column(kanon__whole_column *into, const kanon__whole_column *other, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (uint32_t code = 0; st == KANON_OK && code < other->texts.n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(&other->texts, code, &length);
        st = kanon__whole_add(into, text, length, other->counts[code], other->firsts[code], err);
    }
    kanon__whole_add_null(into, other->n_null, other->first_null);
    return st;
}

kanon_status kanon__whole_merge(void *to, const void *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__whole *into = to;
    const kanon__whole *other = from;
    KANON_TRY(kanon__whole_check(into, false, err), out);
    KANON_TRY(kanon__whole_check(other, false, err), out);
    KANON_TRY(check_alike(into, other, err), out);
    for (int i = 0; i < into->n_columns; i++)
        KANON_TRY(merge_column(&into->columns[i], &other->columns[i], err), out);
    into->n_rows += other->n_rows;
    KANON_TRY(take_notices(into, &other->privacy, &other->notices, other->notices_place, err), out);
out:
    return st;
}

/* ---- sealing ------------------------------------------------------------------------------------------------------ */

/* A text by the place of its first record, for sorting. */
typedef struct placed_text {
    int64_t first;
    uint32_t code;
} placed_text;

static int by_place(const void *left, const void *right)
{
    const placed_text *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->code < b->code ? -1 : a->code > b->code;
}

kanon_status kanon__whole_order(uint32_t **order, const kanon__whole_column *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    placed_text *sorted = NULL;
    *order = NULL;
    KANON_TRY(kanon__new_array(&sorted, c->texts.n, "a domain", err), out);
    KANON_TRY(kanon__new_array(order, c->texts.n, "a domain", err), out);
    for (uint32_t i = 0; i < c->texts.n; i++)
        sorted[i] = (placed_text){c->firsts[i], i};
    qsort(sorted, c->texts.n, sizeof *sorted, by_place);
    for (uint32_t i = 0; i < c->texts.n; i++)
        (*order)[i] = sorted[i].code;
out:
    kanon__free(sorted);
    return st;
}

/* Put the texts in the order of their first places. */
static kanon_status sort_texts(kanon__whole_column *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *order = NULL;
    kanon__whole_column sorted = {0};
    KANON_TRY(kanon__whole_order(&order, c, err), out);
    KANON_TRY(kanon__dictionary_init(&sorted.texts, err), out);
    for (uint32_t i = 0; i < c->texts.n; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(&c->texts, order[i], &length);
        KANON_TRY(kanon__whole_add(&sorted, text, length, c->counts[order[i]], c->firsts[order[i]], err), out);
    }
    kanon__whole_column old = *c;
    c->texts = sorted.texts;
    c->counts = sorted.counts;
    c->firsts = sorted.firsts;
    c->counts_capacity = sorted.counts_capacity;
    c->firsts_capacity = sorted.firsts_capacity;
    sorted = old;
out:
    kanon__free(sorted.firsts);
    kanon__free(sorted.counts);
    kanon__dictionary_clear(&sorted.texts);
    kanon__free(order);
    return st;
}

/* The text that a table would give to null: none of the column's, white space at the ends left aside. */
static size_t null_text(char buffer[KANON__ARROW_TEXT_SIZE], const kanon__whole_column *c)
{
    for (int which = 0;; which++) {
        size_t length = kanon__arrow_null_text(buffer, which), other;
        bool taken = false;
        for (uint32_t i = 0; i < c->texts.n && !taken; i++) {
            const char *text = kanon__dictionary_text(&c->texts, i, &other);
            taken = kanon__same_value(text, other, buffer, length);
        }
        if (!taken)
            return length;
    }
}

/* The column as a table would have read it: texts and null in the order of their first places. */
typedef struct read_column {
    kanon__dictionary values;
    int64_t *counts, *firsts;
    uint32_t null_code;
} read_column;

static kanon_status add_value(read_column *out, const char *text, size_t length, int64_t n, int64_t first, kanon_error *err)
{
    uint32_t code;
    kanon_status st = kanon__dictionary_add(&out->values, &code, text, length, err);
    if (st == KANON_OK) {
        out->counts[code] = n;
        out->firsts[code] = first;
    }
    return st;
}

static kanon_status as_read(read_column *out, const kanon__whole_column *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char null[KANON__ARROW_TEXT_SIZE];
    size_t null_length = c->n_null > 0 ? null_text(null, c) : 0;
    bool waits = c->n_null > 0;
    out->null_code = KANON__NO_CODE;
    KANON_TRY(kanon__dictionary_init(&out->values, err), out);
    KANON_TRY(kanon__new_array(&out->counts, (int64_t)c->texts.n + 1, "a domain", err), out);
    KANON_TRY(kanon__new_array(&out->firsts, (int64_t)c->texts.n + 1, "a domain", err), out);
    for (uint32_t i = 0; i < c->texts.n || waits; i++) {
        if (waits && (i >= c->texts.n || c->first_null < c->firsts[i])) {
            out->null_code = out->values.n;
            KANON_TRY(add_value(out, null, null_length, c->n_null, c->first_null, err), out);
            waits = false;
        }
        if (i >= c->texts.n)
            break;
        size_t length;
        const char *text = kanon__dictionary_text(&c->texts, i, &length);
        KANON_TRY(add_value(out, text, length, c->counts[i], c->firsts[i], err), out);
    }
out:
    return st;
}

static void clear_read(read_column *r)
{
    kanon__free(r->firsts);
    kanon__free(r->counts);
    kanon__dictionary_clear(&r->values);
}

/* Only what messages need of a source: rows are told by their places. */
static const kanon__source_class no_rows = {0};

static kanon_status seal_column(kanon__whole *d, int i, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__whole_column *c = &d->columns[i];
    kanon__column *column = &d->data.columns[i];
    kanon__source source = {.class = &no_rows, .name = d->name, .delimiter = d->delimiter, .n_rows = d->n_rows};
    read_column read = {0};
    uint32_t *codes = NULL;
    kanon__spellings spellings = {0};
    KANON_TRY(sort_texts(c, err), out);
    KANON_TRY(as_read(&read, c, err), out);
    KANON_TRY(kanon__new_array(&codes, read.values.n, "codes", err), out);
    KANON_TRY(kanon__new_array(&c->codes, c->texts.n, "codes", err), out);
    kanon__raw_column raw = {.name = c->name,
                             .source = &source,
                             .n_rows = d->n_rows,
                             .values = &read.values,
                             .null_code = read.null_code,
                             .natural = c->natural,
                             .levels = &c->levels,
                             .notices = &d->warnings,
                             .counts = read.counts,
                             .first_rows = read.firsts};
    KANON_TRY(kanon__domain_build(&c->domain, codes, &raw, kanon__schema_find(schema, c->name), schema, err), out);
    column->domain = kanon__domain_share(c->domain);
    if (!kanon__type_is_numeric(c->domain->type))
        KANON_TRY(kanon__spellings_find(&spellings, &raw, err), out);
    for (uint32_t at = 0, code = 0; code < read.values.n; code++)
        *(code == read.null_code ? &c->null_code : &c->codes[at++]) = codes[code];
    KANON_TRY(kanon__spellings_note(&spellings, c->name, &source, &d->warnings, err), out);
    int64_t n_missing = 0;
    for (uint32_t code = 0; code < read.values.n; code++)
        n_missing += codes[code] == c->domain->missing_code ? read.counts[code] : 0;
    KANON_TRY(kanon__note_distinct(&d->warnings, column, d->n_rows - n_missing, err), out);
out:
    kanon__free(codes);
    clear_read(&read);
    return st;
}

/* Back to what it was before it was sealed. */
static void open_seal(kanon__whole *d)
{
    for (int i = 0; i < d->n_columns; i++) {
        kanon__domain_free(d->columns[i].domain);
        kanon__free(d->columns[i].codes);
        d->columns[i].domain = NULL;
        d->columns[i].codes = NULL;
        d->columns[i].null_code = KANON__NO_CODE;
    }
    kanon__data_clear(&d->data);
    kanon__notices_clear(&d->told);
    kanon__texts_clear(&d->warnings);
}

static kanon_status seal(kanon__whole *d, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (d->sealed)
        return KANON_OK;
    if (d->n_rows == 0)
        return kanon__hint(err, kanon__fail(err, KANON_EDATA, "%s: no records", d->name), "a table has at least one record");
    KANON_TRY(kanon__new_array(&d->data.columns, d->n_columns, "a domain", err), out);
    d->data.n_columns = d->n_columns;
    for (int i = 0; i < d->n_columns; i++) {
        KANON_TRY(kanon__column_describe(&d->data.columns[i], d->columns[i].name, false, schema, err), out);
        KANON_TRY(seal_column(d, i, schema, err), out);
    }
    KANON_TRY(kanon__data_list_columns(&d->data, err), out);
    KANON_TRY(kanon__whole_fingerprint(d->fingerprint, d, err), out);
    KANON_TRY(kanon__notices_add(&d->told, KANON_NOTICE_PRIVACY, &d->privacy, err), out);
    KANON_TRY(kanon__notices_add(&d->told, KANON_NOTICE_GENERAL, &d->notices, err), out);
    KANON_TRY(kanon__notices_add(&d->told, KANON_NOTICE_GENERAL, &d->warnings, err), out);
    d->sealed = true;
out:
    if (st != KANON_OK)
        open_seal(d);
    return st;
}

kanon_status kanon_domain_seal(kanon_domain *domain, const kanon_schema *schema, kanon_error *err)
{
    kanon__whole *d = kanon__piece_as(domain, &kanon__domain_kind, err);
    if (d == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(domain->context, seal(d, schema, err));
}

void kanon__whole_histogram(int64_t *out, const kanon__whole_column *c)
{
    memset(out, 0, c->domain->n_codes * sizeof *out);
    for (uint32_t i = 0; i < c->texts.n; i++)
        out[c->codes[i]] += c->counts[i];
    if (c->null_code != KANON__NO_CODE)
        out[c->null_code] += c->n_null;
}

/* ---- warnings ----------------------------------------------------------------------------------------------------- */

const kanon_notice *kanon_domain_notice_at(const kanon_domain *domain, size_t i)
{
    const kanon__whole *d = kanon__piece_as(domain, &kanon__domain_kind, NULL);
    return d != NULL ? kanon__notices_at(&d->told, i) : NULL;
}
