/* kanon_propose: a schema for a table about which nothing was said yet.
 *
 *     source -> texts and codes of every column -> facts -> roles -> sets that single out most -> schema */
#include "core/alloc.h"
#include "core/context.h"
#include "core/escape.h"
#include "core/output.h"
#include "core/pool.h"
#include "core/sink_guard.h"
#include "core/take_options.h"
#include "propose/schema_text.h"
#include "table/read/open_table.h"
#include "table/text/source.h"

#include <kanon_arrow.h>
#include <string.h>

enum { BEST_SETS = 2 };          /* of each size, that are shown */
enum { SMALL = 200, TINY = 50 }; /* records below which a smaller k is proposed */

/* All of it lives in one allocation list: what the public struct points to is owned here. */
typedef struct proposal {
    kanon_proposal public; /* first: a pointer to it is one to the whole */
    kanon_proposed_column **columns;
    kanon__texts names;   /* of the columns */
    kanon__texts reasons; /* likewise */
    kanon_column_set **sets;
    const char **set_names;
    kanon__texts notes;
    char *schema;
} proposal;

/* What is needed only while a proposal is made. */
typedef struct maker {
    kanon__source *source;
    kanon__raw_columns raw;
    int *wanted;
    kanon__column_facts *facts;
    kanon__roles roles;
    kanon__texts missing;
    const kanon__csv_reading *how;
    const kanon_propose_options *options;
    proposal *proposal;
} maker;

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static kanon_status read_columns(maker *m, const kanon_propose_options *o, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int n = m->source->n_columns;
    KANON_TRY(kanon__new_array(&m->wanted, n, "column numbers", err), out);
    KANON_TRY(kanon__new_array(&m->raw.dictionaries, n, "dictionaries", err), out);
    KANON_TRY(kanon__new_array(&m->raw.codes, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&m->raw.null_codes, n, "columns", err), out);
    for (int i = 0; i < n; i++) {
        m->wanted[i] = i;
        m->raw.null_codes[i] = KANON__NO_CODE;
    }
    m->raw.wanted = m->wanted;
    m->raw.n_wanted = n;
    m->raw.threads = o->threads;
    m->raw.ticker = ticker;
    KANON_TRY(m->source->class->read(m->source, &m->raw, err), out);
    if (m->source->n_rows == 0) {
        st = kanon__fail(err, KANON_EDATA, "%s: no records", m->source->name);
        kanon__hint(err, st, "a schema is proposed from the records of a table");
    }
out:
    return st;
}

static kanon_status find_column_facts(int64_t i, void *payload, kanon_error *err)
{
    maker *m = payload;
    kanon_type natural = m->source->natural != NULL ? m->source->natural[i] : KANON_TYPE_UNKNOWN;
    kanon_status st = kanon__column_facts_find(&m->facts[i], m->source->column_names[i], &m->raw.dictionaries[i],
                                               m->raw.codes[i], m->source->n_rows, m->raw.null_codes[i], natural,
                                               m->source->delimiter, err);
    return st == KANON_OK ? kanon__poll_tick(KANON__TICK_POLL_NS, err) : st;
}

/* Whether some column has dates that can only be read in this format. */
static bool has_certain_dates(const maker *m, const char *format)
{
    for (int i = 0; i < m->source->n_columns; i++) {
        const kanon__column_shape *s = &m->facts[i].shape;
        if (s->type == KANON_TYPE_DATE && s->kind != KANON__SHAPE_AMBIGUOUS_DATES && strcmp(s->format.date, format) == 0)
            return true;
    }
    return false;
}

/* A table writes its dates in one way: where a column leaves it open whether the day or the month comes first, the other
 * columns tell. The user is asked to look at it all the same. */
static void settle_dates(maker *m)
{
    for (int i = 0; i < m->source->n_columns; i++) {
        kanon__column_shape *s = &m->facts[i].shape;
        if (s->kind == KANON__SHAPE_AMBIGUOUS_DATES && !has_certain_dates(m, s->format.date) &&
            has_certain_dates(m, s->other_date))
            kanon__column_shape_take_other_date(s);
    }
}

static void clear_maker(maker *m)
{
    int n = m->source->n_columns;
    for (int i = 0; i < n; i++) {
        if (m->facts != NULL)
            kanon__column_facts_clear(&m->facts[i]);
        if (m->raw.codes != NULL)
            kanon__codes_clear(&m->raw.codes[i]);
        if (m->raw.dictionaries != NULL)
            kanon__dictionary_clear(&m->raw.dictionaries[i]);
    }
    kanon__texts_clear(&m->missing);
    kanon__roles_clear(&m->roles);
    kanon__free(m->facts);
    kanon__free(m->raw.null_codes);
    kanon__free(m->raw.codes);
    kanon__free(m->raw.dictionaries);
    kanon__free(m->wanted);
}

/* ---- missing texts --------------------------------------------------------------------------------------------------- */

static bool is_released(const maker *m, int column)
{
    kanon_role role = m->roles.decisions[column].role;
    return role == KANON_ROLE_QUASI || role == KANON_ROLE_SENSITIVE;
}

/* A number that means "no value" in one column may be a value in another one; then it stays a value in both. */
static bool is_value_elsewhere(const maker *m, const char *text, size_t length)
{
    for (int i = 0; i < m->roles.n_columns; i++) {
        uint32_t code = kanon__dictionary_find(m->facts[i].texts, text, length);
        if (is_released(m, i) && code != KANON__NO_CODE && !m->facts[i].missing[code])
            return true;
    }
    return false;
}

/* The texts of released columns that mean "no value", but the empty one. */
static kanon_status collect_missing(maker *m, kanon_error *err)
{
    enum { LOOK_NS = 50 };
    kanon_status st = KANON_OK;
    for (int i = 0; i < m->roles.n_columns; i++) {
        const kanon__column_facts *f = &m->facts[i];
        for (uint32_t code = 0; is_released(m, i) && code < f->texts->n; code++) {
            size_t length;
            const char *text = kanon__dictionary_text(f->texts, code, &length);
            if (!f->missing[code] || length == 0 || kanon__texts_find(&m->missing, text, length) >= 0)
                continue;
            KANON_TRY(kanon__poll_tick(m->roles.n_columns * LOOK_NS, err), out);
            if (!kanon__shape_is_sentinel(&f->shape, code) || !is_value_elsewhere(m, text, length))
                KANON_TRY(kanon__texts_add(&m->missing, text, length, err), out);
            else
                KANON_TRY(kanon__texts_addf(&m->proposal->notes, err,
                                            "%.*s: a number far from all others may mean that there is no value; other "
                                            "columns have it as a value.",
                                            KANON__CUT(f->name, 80)),
                          out);
        }
    }
out:
    return st;
}

/* ---- sets ------------------------------------------------------------------------------------------------------------ */

/* The sets of each size that single out most, as names; what singles out hardly anybody is left out. */
static kanon_status keep_sets(proposal *p, const kanon__column_set *found, int64_t n, const int *numbers, int64_t n_persons,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    int kept_of[KANON__SET_MOST + 1] = {0};
    const char **next;
    KANON_TRY(kanon__new_list(&p->sets, NULL, KANON__SET_MOST * BEST_SETS, "sets of columns", err), out);
    KANON_TRY(kanon__new_array(&p->set_names, KANON__SET_MOST * BEST_SETS * KANON__SET_MOST, "sets of columns", err), out);
    next = p->set_names;
    for (int64_t i = 0; i < n; i++) {
        const kanon__column_set *s = &found[i];
        if (s->entities * 2000 < n_persons || kept_of[s->n]++ >= BEST_SETS)
            continue;
        *p->sets[p->public.n_sets++] = (kanon_column_set){.columns = next,
                                                          .n_columns = (size_t)s->n,
                                                          .classes = s->classes,
                                                          .records = s->records,
                                                          .persons = s->entities,
                                                          .share = (double)s->entities / (double)n_persons};
        for (int j = 0; j < s->n; j++)
            *next++ = p->names.items[numbers[s->columns[j]]];
    }
    p->public.sets = (const kanon_column_set *const *)p->sets;
out:
    return st;
}

static kanon_status find_sets(maker *m, const kanon_propose_options *o, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__roles *r = &m->roles;
    kanon__set_column *columns = NULL;
    kanon__column_set *found = NULL;
    int *numbers = NULL; /* by column of the set table: that of the source */
    int64_t n_found = 0;
    kanon__set_table t = {.n_rows = m->source->n_rows};
    KANON_TRY(kanon__new_array(&columns, r->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&numbers, r->n_columns, "column numbers", err), out);
    for (int i = 0; i < r->n_columns; i++)
        if (r->decisions[i].role == KANON_ROLE_QUASI) {
            numbers[t.n_columns] = i;
            columns[t.n_columns++] = (kanon__set_column){m->facts[i].codes, m->facts[i].texts->n};
        }
    t.columns = columns;
    if (r->entity >= 0) {
        t.entities = &m->facts[r->entity].codes;
        t.n_entities = m->facts[r->entity].texts->n;
    }
    KANON_TRY(kanon__column_sets_find(&found, &n_found, &t, kanon__pool_threads(o->threads), ticker, err), out);
    KANON_TRY(keep_sets(m->proposal, found, n_found, numbers, r->entity >= 0 ? t.n_entities : t.n_rows, err), out);
out:
    kanon__free(found);
    kanon__free(numbers);
    kanon__free(columns);
    return st;
}

/* ---- the proposal ------------------------------------------------------------------------------------------------ */

void kanon_proposal_free(kanon_proposal *out)
{
    proposal *p = (proposal *)out;
    if (p == NULL)
        return;
    kanon__free(p->schema);
    kanon__texts_clear(&p->notes);
    kanon__free(p->set_names);
    kanon__free(p->sets);
    kanon__texts_clear(&p->reasons);
    kanon__texts_clear(&p->names);
    kanon__free(p->columns);
    kanon__free(p);
}

static kanon_status copy_columns(maker *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    proposal *p = m->proposal;
    const kanon__roles *r = &m->roles;
    KANON_TRY(kanon__new_list(&p->columns, NULL, r->n_columns, "columns", err), out);
    for (int i = 0; i < r->n_columns; i++) {
        const kanon__decision *d = &r->decisions[i];
        KANON_TRY(kanon__texts_add(&p->names, m->facts[i].name, strlen(m->facts[i].name), err), out);
        KANON_TRY(kanon__texts_add(&p->reasons, d->reason, strlen(d->reason), err), out);
        *p->columns[i] = (kanon_proposed_column){.name = p->names.items[i],
                                                 .role = d->role,
                                                 .type = is_released(m, i) ? d->type : KANON_TYPE_UNKNOWN,
                                                 .reason = p->reasons.items[i],
                                                 .distinct = m->facts[i].n_distinct,
                                                 .missing = m->facts[i].n_missing};
    }
    for (int i = 0; i < r->n_columns; i++)
        p->columns[i]->same_as = r->decisions[i].same_as >= 0 ? p->names.items[r->decisions[i].same_as] : NULL;
    p->public.columns = (const kanon_proposed_column *const *)p->columns;
    p->public.n_columns = (size_t)r->n_columns;
    p->public.entity = r->entity >= 0 ? p->names.items[r->entity] : NULL;
    p->public.key = r->key >= 0 ? p->names.items[r->key] : NULL;
out:
    return st;
}

/* 10 is a common choice; a small table would lose everything for it. */
static int64_t choose_k(int64_t n_persons)
{
    return n_persons >= SMALL ? 10 : n_persons >= TINY ? 5 : 2;
}

static kanon_status note_lack(maker *m, kanon_error *err)
{
    int n_quasi = 0;
    for (int i = 0; i < m->roles.n_columns; i++)
        n_quasi += m->roles.decisions[i].role == KANON_ROLE_QUASI;
    if (n_quasi > 0)
        return KANON_OK;
    return kanon__texts_addf(&m->proposal->notes, err,
                             "No column can be a quasi-identifier: give the role quasi to at least one.");
}

/* Released dates and numbers that can be read in two ways are no silent guess. */
static kanon_status note_doubts(maker *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < m->roles.n_columns && st == KANON_OK; i++) {
        const kanon__column_shape *s = &m->facts[i].shape;
        if (is_released(m, i) && s->kind == KANON__SHAPE_AMBIGUOUS_DATES)
            st = kanon__texts_addf(&m->proposal->notes, err, "%s: all dates can be read as %s and as %s; %s is proposed.",
                                   m->facts[i].name, s->format.date, s->other_date, s->format.date);
        else if (is_released(m, i) && (s->kind == KANON__SHAPE_AMBIGUOUS_NUMBERS || m->facts[i].thousands))
            st = kanon__texts_addf(&m->proposal->notes, err,
                                   "%s: what stands in its numbers can be before decimals or between thousands; look at the "
                                   "proposal.",
                                   m->facts[i].name);
    }
    return st;
}

/* What only the user can know about whose record each row is. */
static kanon_status ask_entity(maker *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__entity_answer *a = &m->roles.answer;
    kanon__texts *notes = &m->proposal->notes;
    const kanon__column_facts *f = m->facts;
    if (a->belief == KANON__ENTITY_ASK && a->rival >= 0)
        KANON_TRY(kanon__texts_addf(notes, err,
                                    "Whose record is each row? %.*s and %.*s repeat. If one of them stands for a "
                                    "person, name "
                                    "it as the entity, so that groups hold k persons.",
                                    KANON__CUT(f[a->column].name, 80), KANON__CUT(f[a->rival].name, 80)),
                  out);
    else if (a->belief == KANON__ENTITY_ASK)
        KANON_TRY(kanon__texts_addf(notes, err,
                                    "Whose record is each row? %.*s repeats: %lld values in %lld records. If it stands "
                                    "for a "
                                    "person, add 'entity: %.*s', so that groups hold k persons.",
                                    KANON__CUT(f[a->column].name, 80), (long long)f[a->column].n_distinct,
                                    (long long)f[a->column].n_present,
                                    KANON__CUT(f[a->column].name, 80)),
                  out);
    else if (a->rival >= 0)
        KANON_TRY(kanon__texts_addf(notes, err,
                                    "Whose record is each row? Both %.*s and %.*s could say; %.*s is proposed as the "
                                    "entity.",
                                    KANON__CUT(f[a->column].name, 80), KANON__CUT(f[a->rival].name, 80),
                                    KANON__CUT(f[a->column].name, 80)),
                  out);
    if (a->household >= 0 && a->household != a->column)
        KANON_TRY(kanon__texts_addf(notes, err,
                                    "%.*s: several records share a household. If no household may be singled out, add "
                                    "'entity: %.*s'.",
                                    KANON__CUT(f[a->household].name, 80), KANON__CUT(f[a->household].name, 80)),
                  out);
out:
    return st;
}

static kanon_status write_schema(maker *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    proposal *p = m->proposal;
    const kanon__roles *r = &m->roles;
    p->public.records = m->source->n_rows;
    p->public.k = choose_k(r->entity >= 0 ? r->n_entities : m->source->n_rows);
    kanon__schema_plan plan = {.roles = r,
                               .table_name = m->source->name,
                               .n_rows = m->source->n_rows,
                               .k = p->public.k,
                               .header = m->how->header,
                               .encoding = m->how->encoding,
                               .missing = &m->missing,
                               .sets = p->public.sets,
                               .n_sets = p->public.n_sets,
                               .notes = &p->notes};
    KANON_TRY(kanon__schema_text(&p->schema, &p->public.schema_size, &plan, err), out);
    p->public.schema = p->schema;
    p->public.notes = (const char *const *)p->notes.items;
    p->public.n_notes = (size_t)p->notes.n;
out:
    return st;
}

/* The schema must not overwrite the table that it is for. */
static kanon_status open_schema(kanon__output **out, const kanon__source *source, const kanon_propose_options *o,
                                kanon_error *err)
{
    if (o->schema == NULL)
        return KANON_OK;
    const char *path = o->schema->location;
    if (path != NULL && source->file != NULL && kanon__output_same_place(path, source->file))
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "%s: the schema would overwrite the table", path),
                           "name another file for the schema");
    return kanon__output_open(out, o->schema, false, err);
}

static kanon_status save_schema(kanon__output *output, const proposal *p, kanon_error *err)
{
    if (output == NULL)
        return KANON_OK;
    kanon__output_write(output, p->public.schema, p->public.schema_size);
    kanon_status st = kanon__output_finish(output, err);
    return st == KANON_OK ? kanon__output_commit(&output, 1, err) : st;
}

/* The source is taken over in any case; how it was read, and what was found when it was opened. */
static kanon_status propose(kanon_proposal **out, kanon__source *source, const kanon__csv_reading *how,
                            const kanon_propose_options *o, kanon_error *err)
{
    kanon_status st = KANON_OK;
    maker m = {.source = source, .how = how, .options = o};
    kanon__ticker reading, counting;
    kanon__output *output = NULL;
    kanon__ticker_init(&reading, o->tick, o->payload, "reading");
    kanon__ticker_init(&counting, o->tick, o->payload, "counting");
    KANON_TRY(kanon__new_array(&m.proposal, 1, "a proposal", err), out);
    KANON_TRY(open_schema(&output, source, o, err), out); /* fails early where it cannot be written */
    KANON_TRY(read_columns(&m, o, &reading, err), out);
    KANON_TRY(kanon__new_array(&m.facts, source->n_columns, "columns", err), out);
    KANON_TRY(kanon__pool_run(kanon__pool_threads(o->threads), source->n_columns, find_column_facts, &m, err), out);
    settle_dates(&m);
    KANON_TRY(kanon__roles_decide(&m.roles, m.facts, source->n_columns, !o->without_bands, err), out);
    KANON_TRY(copy_columns(&m, err), out);
    KANON_TRY(kanon__texts_append(&m.proposal->notes, how->notices, err), out);
    KANON_TRY(note_lack(&m, err), out);
    KANON_TRY(note_doubts(&m, err), out);
    KANON_TRY(ask_entity(&m, err), out);
    KANON_TRY(collect_missing(&m, err), out);
    KANON_TRY(find_sets(&m, o, &counting, err), out);
    KANON_TRY(write_schema(&m, err), out);
    KANON_TRY(save_schema(output, m.proposal, err), out);
    *out = &m.proposal->public;
    m.proposal = NULL;
out:
    kanon__output_free(output);
    kanon_proposal_free((kanon_proposal *)m.proposal);
    clear_maker(&m);
    kanon__source_free(source);
    return st;
}

/* A public call: its options, with a guard in place of the caller's sink. */
typedef struct propose_call {
    kanon__call call;
    kanon_propose_options options;
    kanon__taken_output schema;
} propose_call;

static kanon_status begin_call(propose_call *c, const kanon_propose_options *given, kanon_error *err)
{
    kanon_status st = kanon__take_options(&c->options, sizeof c->options, given, err);
    if (st == KANON_OK)
        st = kanon__context_check(c->options.context, err);
    st = kanon__output_take(&c->schema, &c->options.schema, st, err);
    if (st != KANON_OK) {
        kanon__outputs_end(&c->schema, 1);
        return st;
    }
    kanon__call_begin(&c->call, c->options.context);
    kanon__call_ticks(&c->options.tick, &c->options.payload);
    return KANON_OK;
}

static kanon_status end_call(propose_call *c, kanon_status st)
{
    kanon__outputs_end(&c->schema, 1);
    return kanon__call_end(&c->call, st);
}

kanon_status kanon_propose(kanon_proposal **out, const kanon_input *table, const kanon_propose_options *options,
                           kanon_error *err)
{
    propose_call c;
    kanon__input input;
    kanon__csv_reading how;
    kanon__source *source = NULL;
    kanon__texts notices = {0};
    *out = NULL;
    kanon_status begun = begin_call(&c, options, err), st = kanon__table_input_take(&input, &how, table, begun, err);
    how.notices = &notices;
    if (st == KANON_OK)
        st = kanon__table_source_new(&source, &input, &how, err);
    if (st == KANON_OK)
        st = propose(out, source, &how, &c.options, err);
    kanon__texts_clear(&notices);
    return begun == KANON_OK ? end_call(&c, st) : st;
}
