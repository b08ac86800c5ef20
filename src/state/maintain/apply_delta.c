/* Applies a delta, a CSV file of records that are inserted, deleted or updated, to a state.
 *
 *     1. Match the columns of the file with those of the state.
 *     2. Unless records are deleted: scan all rows once, so that new categories and more digits are known, and every
 *        mistake is found, before a record moves (scan_rows).
 *     3. insert: each row becomes a record and joins a group at once. delete: all named records are collected and
 *        removed, then their groups shrink together. update: the same as delete, but records keep their numbers; then
 *        they join groups with their new values, in file order.
 *     4. Enforce the requirements on the groups that changed (enforce_constraints.c), and search around them where the
 *        state's groups were made by a search (local_search.c).
 *
 * A mistake names file, line and column, never the cell. */
#include "core/alloc.h"
#include "core/output.h"
#include "state/maintain/delta_ranges.h"
#include "state/maintain/enforce_constraints.h"
#include "state/maintain/group_changes.h"
#include "state/maintain/local_search.h"
#include "state/maintain/session.h"
#include "state/store/entity_index.h"
#include "state/store/release_rows.h"
#include "state/store/watch.h"
#include "table/schema/tree_internal.h"

#include <string.h>

/* A delta while it is applied. `row` is the record at hand; `old` the record of the state that it names. */
typedef struct delta {
    kanon_state *state;
    const kanon__delta_options *options;
    kanon__source *source;
    kanon__cursor *cursor;
    int *cell_of; /* by column of the state: its column in the file; -1: not there */
    kanon__cell_reader reader;
    kanon__row row, old;
    int64_t *codes;      /* of one record */
    const char *missing; /* what is written for null; NULL: the state has no text for it */
    int *scales;         /* by column: digits after the point that are needed */
    /* records that are deleted or updated, in file order */
    kanon__record *targets;
    int64_t n_targets, targets_capacity;
    int64_t *ids, *old_codes;
    kanon__dictionary seen; /* their ids */
    kanon__change_counts done;
    kanon__delta_ranges *ranges; /* before it, and with it */
    kanon__ticker ticker;
} delta;

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* Whether the file must have the column: all to insert; those of the key to delete or update, or all where there is no
 * key. */
static bool is_needed(const delta *d, int column)
{
    return d->options->kind == KANON_INSERT || d->state->n_key == 0 || d->state->columns[column].key > 0;
}

static kanon_status match_columns(delta *d, kanon_error *err)
{
    const kanon_state *s = d->state;
    const char *line = d->source->class->line_of_row != NULL ? ":1" : ""; /* of the names */
    int n_found = 0;
    for (int i = 0; i < s->n_columns; i++) {
        d->cell_of[i] = kanon__source_find(d->source, s->columns[i].name);
        n_found += d->cell_of[i] >= 0;
        if (d->cell_of[i] >= 0 || !is_needed(d, i))
            continue;
        kanon_status st = kanon__fail(err, KANON_EDATA, "%s%s: %s: the %s has no such column", d->source->name, line,
                                      s->columns[i].name, line[0] != '\0' ? "file" : "stream");
        return kanon__hint(err, st,
                           d->options->kind == KANON_INSERT ? "new records have all columns of the table"
                           : s->n_key > 0                          ? "records are named by the columns of the schema's key"
                                          : "the schema has no key, so records are named by all their columns");
    }
    for (int i = 0; n_found < d->source->n_columns && i < d->source->n_columns; i++) {
        bool known = false;
        for (int j = 0; j < s->n_columns && !known; j++)
            known = d->cell_of[j] == i;
        if (!known)
            return kanon__hint(err,
                               kanon__fail(err, KANON_EDATA, "%s%s: %s: the table has no such column", d->source->name, line,
                                           d->source->column_names[i]),
                               "take the column out of the %s", line[0] != '\0' ? "file" : "stream");
    }
    return KANON_OK;
}

/* How the state writes "no value" in a cell without quotes: "" where it can; NULL: it has no such text. */
static const char *missing_text(const kanon_state *s)
{
    const char *found = NULL;
    for (int64_t i = s->missing.n - 1; i >= 0; i--) {
        const char *text = s->missing.items[i];
        if (text[0] == '\0')
            return text;
        if (!kanon__output_needs_quotes(text, strlen(text), s->delimiter))
            found = text;
    }
    return found;
}

static kanon_status open_delta(delta *d, kanon_state *s, kanon_error *err)
{
    d->state = s;
    d->missing = missing_text(s);
    d->reader = (kanon__cell_reader){.state = s, .grow = d->options->grow_taxonomy};
    kanon__ticker_init(&d->ticker, s->tick, s->payload, "regrouping");
    KANON_CHECK(d->source->class->open(&d->cursor, d->source, err));
    KANON_CHECK(kanon__new_array(&d->cell_of, s->n_columns, "columns", err));
    KANON_CHECK(kanon__new_array(&d->scales, s->n_columns, "columns", err));
    KANON_CHECK(kanon__new_array(&d->codes, s->n_dimensions, "a record", err));
    KANON_CHECK(kanon__row_init(&d->row, s, err));
    KANON_CHECK(kanon__row_init(&d->old, s, err));
    for (int i = 0; i < s->n_columns; i++)
        d->scales[i] = s->columns[i].scale;
    return match_columns(d, err);
}

static void close_delta(delta *d)
{
    kanon__delta_ranges_free(d->ranges);
    kanon__dictionary_clear(&d->seen);
    kanon__free(d->old_codes);
    kanon__free(d->ids);
    kanon__free(d->targets);
    kanon__row_clear(&d->old);
    kanon__row_clear(&d->row);
    kanon__free(d->codes);
    kanon__free(d->scales);
    kanon__free(d->cell_of);
    kanon__cell_reader_clear(&d->reader);
    if (d->cursor != NULL)
        d->source->class->close(d->cursor);
    kanon__source_free(d->source);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Whether it matters that a cell of the column is missing. */
static bool is_understood(const kanon_state *s, int column)
{
    kanon_role role = s->columns[column].role;
    return role == KANON_ROLE_QUASI || role == KANON_ROLE_SENSITIVE || column == s->entity;
}

/* Sets d->row from the file's row, in the order of the state's columns; columns that the file lacks are those of `old`, or
 * empty. A null is written as a text that means "no value" where the column has to be understood. */
static void fill_row(delta *d, const kanon__cell *old)
{
    for (int i = 0; i < d->state->n_columns; i++) {
        if (d->cell_of[i] >= 0)
            d->row.cells[i] = d->cursor->cells[d->cell_of[i]];
        else
            d->row.cells[i] = old != NULL ? old[i] : (kanon__cell){.text = ""};
        if (d->row.cells[i].null && is_understood(d->state, i) && d->missing != NULL)
            d->row.cells[i] = (kanon__cell){.text = d->missing, .length = strlen(d->missing)};
    }
}

/* Encodes d->row into d->codes; d->scales grow with the digits. Sensitive cells are checked, too. */
static kanon_status read_codes(delta *d, kanon_error *err)
{
    kanon_state *s = d->state;
    int64_t ignored = 0;
    for (int i = 0; i < s->n_columns; i++) {
        const kanon__state_column *c = &s->columns[i];
        const char *why = NULL, *hint = NULL;
        if (d->row.cells[i].null && is_understood(s, i)) {
            kanon_status bad = kanon__cursor_fail(d->cursor, d->cell_of[i], "null, and no text means 'no value'", err);
            return kanon__hint(err, bad, "write a value; what means 'no value' is said when the state is made");
        }
        if ((c->dimension < 0 && c->role != KANON_ROLE_SENSITIVE) || c->type == KANON_TYPE_UNKNOWN)
            continue;
        int64_t *code = c->dimension >= 0 ? &d->codes[c->dimension] : &ignored;
        kanon_status st = kanon__cell_code(&d->reader, i, &d->row.cells[i], code, &d->scales[i], &why, &hint, err);
        if (st == KANON_OK && why != NULL) {
            st = kanon__cursor_fail(d->cursor, d->cell_of[i] >= 0 ? d->cell_of[i] : 0, why, err);
            kanon__hint(err, st, "%s", hint);
            kanon__topic(err, st, kanon__state_numeric(c) ? NULL : "grow-taxonomy");
        }
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

static kanon_status fail_name(const delta *d, const char *what, const char *hint, kanon_error *err)
{
    int column = 0;
    for (int i = d->state->n_columns - 1; i >= 0; i--)
        if (d->state->columns[i].key == 1)
            column = d->cell_of[i];
    return kanon__hint(err, kanon__cursor_fail(d->cursor, column, what, err), "%s", hint);
}

static kanon_status fail_unknown(const delta *d, kanon_error *err)
{
    return fail_name(d, "there is no such record", "it may have been named before in this delta, or be written differently",
                     err);
}

/* Step 2. Rescaling and new trees invalidate codes and coordinates, so they happen before the first record moves. */
static kanon_status scan_rows(delta *d, kanon_error *err)
{
    kanon_state *s = d->state;
    bool has_row, grown = false;
    KANON_CHECK(kanon__delta_ranges_new(&d->ranges, s, err));
    for (;;) {
        KANON_CHECK(d->source->class->next(d->cursor, &has_row, err));
        if (!has_row)
            break;
        fill_row(d, NULL);
        if (d->options->kind == KANON_UPDATE) {
            kanon__record named;
            KANON_CHECK(kanon__record_find(s, &named, 0, d->row.cells, &d->old, NULL, err));
            if (named.id == 0)
                return fail_unknown(d, err);
            fill_row(d, d->old.cells);
        }
        KANON_CHECK(read_codes(d, err));
        kanon__delta_ranges_note(d->ranges, d->codes, d->scales);
        KANON_CHECK(kanon__tick(&d->ticker, d->cursor->done, d->cursor->total, 500, err));
    }
    for (int i = 0; i < s->n_columns; i++) {
        kanon__state_column *c = &s->columns[i];
        if (c->dimension >= 0 && kanon__state_numeric(c) && d->scales[i] > c->scale)
            KANON_CHECK(kanon__session_rescale(s, i, d->scales[i], err));
        grown = grown || (c->tree != NULL && c->tree->n_nodes > c->n_saved);
    }
    if (grown)
        KANON_CHECK(kanon__session_reload_trees(s, err));
    d->source->class->seek(d->cursor, 0, NULL);
    return KANON_OK;
}

/* ---- inserting --------------------------------------------------------------------------------------------------- */

/* Writes the record in d->row and d->codes to the file, and lets it join a group. */
static kanon_status insert_record(delta *d, kanon__record record, kanon_error *err)
{
    kanon_state *s = d->state;
    KANON_CHECK(kanon__row_pack(s, &d->row, err));
    KANON_CHECK(kanon__record_put(s, &record, &d->row, d->codes, err));
    KANON_CHECK(kanon__entity_index_add(s, record.id, d->row.cells, err));
    KANON_CHECK(kanon__records_tally(s, d->codes, 1, err));
    KANON_CHECK(kanon__groups_insert(s, record.id, d->codes, &d->done, err));
    s->n_records++;
    return KANON_OK;
}

static kanon_status insert_rows(delta *d, int64_t *n, kanon_error *err)
{
    kanon_state *s = d->state;
    bool has_row;
    for (*n = 0;; (*n)++) {
        kanon__record same = {0};
        KANON_CHECK(d->source->class->next(d->cursor, &has_row, err));
        if (!has_row)
            break;
        fill_row(d, NULL);
        if (s->n_key > 0)
            KANON_CHECK(kanon__record_find(s, &same, 0, d->row.cells, &d->old, NULL, err));
        if (same.id > 0) {
            kanon_status st = fail_name(d, "there is a record with this key already", "to change a record, update it", err);
            return kanon__topic(err, st, "update");
        }
        KANON_CHECK(read_codes(d, err));
        KANON_CHECK(insert_record(d, (kanon__record){.id = s->next_record++}, err));
        KANON_CHECK(kanon__tick(&d->ticker, d->cursor->done, d->cursor->total, 50000, err));
    }
    return kanon__source_unchanged(d->source, err);
}

/* ---- deleting ---------------------------------------------------------------------------------------------------- */

enum { PAGES_PER_RECORD = 2 }; /* that a deletion changes: of the record and of its key hash */

/* Collects the record that the row names, and with `departs` deletes it. Without a key several records may be equal: each
 * row then names another one, since those that were found before are deleted already. */
static kanon_status collect_target(delta *d, bool departs, kanon_error *err)
{
    kanon_state *s = d->state;
    int64_t n = d->n_targets, m = s->n_dimensions, capacity = d->targets_capacity;
    uint32_t code;
    fill_row(d, NULL);
    KANON_CHECK(kanon__grow_array(&d->targets, &d->targets_capacity, n + 1, "records", err));
    if (d->targets_capacity != capacity) {
        int64_t ids_capacity = capacity, codes_capacity = capacity * m;
        KANON_CHECK(kanon__grow_array(&d->ids, &ids_capacity, d->targets_capacity, "records", err));
        KANON_CHECK(kanon__grow_array(&d->old_codes, &codes_capacity, d->targets_capacity * m, "records", err));
        KANON_CHECK(kanon__store_reserve_pages(&s->store, PAGES_PER_RECORD * d->targets_capacity, err));
    }
    kanon__record *target = &d->targets[n];
    KANON_CHECK(kanon__record_find(s, target, 0, d->row.cells, &d->old, d->old_codes + n * m, err));
    if (target->id == 0)
        return fail_unknown(d, err);
    KANON_CHECK(kanon__dictionary_add(&d->seen, &code, (const char *)&target->id, sizeof target->id, err));
    if (code < n) { /* only an update can name a record twice: deleted ones are not found again */
        return fail_name(d, "a record is named twice", "name each record once", err);
    }
    int64_t id = d->ids[n] = target->id;
    d->n_targets++;
    if (departs && target->last_since > 0) {
        KANON_CHECK(kanon__departed_add(s, target, &d->old, err));
        KANON_CHECK(kanon__watch_leave(s, target->last_group, err));
    }
    KANON_CHECK(kanon__records_tally(s, d->old_codes + n * m, -1, err));
    KANON_CHECK(kanon__entity_index_remove(s, id, d->old.cells, err));
    if (departs)
        KANON_CHECK(kanon__record_remove(s, id, err));
    return KANON_OK;
}

static kanon_status collect_targets(delta *d, bool departs, kanon_error *err)
{
    bool has_row;
    KANON_CHECK(kanon__dictionary_init(&d->seen, err));
    for (;;) {
        KANON_CHECK(d->source->class->next(d->cursor, &has_row, err));
        if (!has_row)
            break;
        KANON_CHECK(collect_target(d, departs, err));
        KANON_CHECK(kanon__tick(&d->ticker, d->cursor->done, d->cursor->total, 10000, err));
    }
    return KANON_OK;
}

static kanon_status delete_rows(delta *d, int64_t *n, kanon_error *err)
{
    KANON_CHECK(collect_targets(d, true, err));
    KANON_CHECK(kanon__groups_delete(d->state, d->ids, d->old_codes, d->n_targets, false, &d->done, err));
    d->state->n_records -= d->n_targets;
    *n = d->n_targets;
    return KANON_OK;
}

/* ---- updating ---------------------------------------------------------------------------------------------------- */

/* The records leave with their old values, then come back with the new ones, in file order and under their numbers. */
static kanon_status update_rows(delta *d, int64_t *n, kanon_error *err)
{
    kanon_state *s = d->state;
    bool has_row;
    KANON_CHECK(collect_targets(d, false, err));
    KANON_CHECK(kanon__groups_delete(s, d->ids, d->old_codes, d->n_targets, true, &d->done, err));
    s->n_records -= d->n_targets;
    d->source->class->seek(d->cursor, 0, NULL);
    for (*n = 0; *n < d->n_targets; (*n)++) {
        KANON_CHECK(d->source->class->next(d->cursor, &has_row, err));
        KANON_CHECK(kanon__record_get(s, NULL, d->ids[*n], &d->old, NULL, err));
        fill_row(d, d->old.cells);
        KANON_CHECK(read_codes(d, err));
        KANON_CHECK(insert_record(d, d->targets[*n], err));
        KANON_CHECK(kanon__tick(&d->ticker, d->cursor->done, d->cursor->total, 50000, err));
    }
    return KANON_OK;
}

/* ---- the same delta twice ------------------------------------------------------------------------------------------ */

/* A delta is known by the keyed hash of its bytes and of what is done with it. One that is applied twice in a row is most
 * likely a second attempt by somebody who could not know that the first one succeeded: records would be there twice, or an
 * equal one deleted. An update is the same the second time. */
static kanon_status note_delta(delta *d, kanon_error *err)
{
    kanon_state *s = d->state;
    char bytes[KANON__SHA256_TEXT];
    unsigned char digest[KANON__KEYED_HASH_BYTES], kind = (unsigned char)d->options->kind;
    kanon__keyed_hash hash;
    KANON_CHECK(kanon__source_sha256(bytes, d->source, err));
    kanon__keyed_hash_begin(&hash, &s->secret);
    kanon__keyed_hash_add(&hash, &kind, 1);
    kanon__keyed_hash_add(&hash, bytes, sizeof bytes);
    kanon__keyed_hash_end(&hash, digest);
    bool same = s->has_last_delta && memcmp(digest, s->last_delta, sizeof digest) == 0, has_row = false;
    if (same) { /* a delta without records does nothing, however often */
        KANON_CHECK(d->source->class->next(d->cursor, &has_row, err));
        d->source->class->seek(d->cursor, 0, NULL);
    }
    if (has_row && kind != KANON_UPDATE && !d->options->again) {
        kanon_status st = kanon__fail(
            err, KANON_EDATA, "%s: the state has this delta already: it was the last one that was applied", d->source->name);
        kanon__hint(err, st, "nothing was changed; if the same records are to be %s once more, say so",
                    kind == KANON_INSERT ? "inserted" : "deleted");
        return kanon__topic(err, st, "again");
    }
    memcpy(s->last_delta, digest, sizeof digest);
    s->has_last_delta = true;
    return KANON_OK;
}

/* Said before a row is read: without a key a row with a new value names no record. */
static kanon_status check_key(const kanon_state *s, const kanon__delta_options *options, kanon_error *err)
{
    if (options->kind != KANON_UPDATE || s->n_key > 0)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "records cannot be updated without a key");
    return kanon__hint(err, st, "name the columns that tell records apart with 'key' in the schema, or delete and insert");
}

kanon_status kanon__session_apply(kanon_state *s, kanon__source *source, const kanon__delta_options *options,
                                  kanon__delta_result *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    delta d = {.options = options, .source = source};
    *out = (kanon__delta_result){0};
    KANON_TRY(check_key(s, options, err), out);
    KANON_TRY(open_delta(&d, s, err), out);
    KANON_TRY(note_delta(&d, err), out);
    KANON_TRY(kanon__local_search_plan(s, options->effort, err), out);
    s->forgets = options->kind != KANON_INSERT;
    if (options->kind != KANON_DELETE)
        KANON_TRY(scan_rows(&d, err), out);
    out->n_grown = d.reader.n_grown;
    if (d.ranges != NULL)
        kanon__delta_ranges_question(out->question, d.ranges);
    KANON_TRY(options->kind == KANON_INSERT   ? insert_rows(&d, &out->n_records, err)
              : options->kind == KANON_DELETE ? delete_rows(&d, &out->n_records, err)
                                                     : update_rows(&d, &out->n_records, err),
              out);
    KANON_TRY(kanon__enforce_constraints(s, &d.done, err), out);
    out->n_splits = d.done.n_splits;
    out->n_dispersed = d.done.n_dispersed;
    out->n_repaired = d.done.n_repaired;
out:
    close_delta(&d);
    return st;
}
