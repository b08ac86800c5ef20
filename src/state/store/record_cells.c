/* The cells of one record: packed into a line of CSV, hashed for its key and its entity, and encoded.
 *
 *     cells  --pack-->  one line, as it is stored in records.cells  --unpack-->  cells that point into the line
 *     cells  --hash-->  key hash, entity hash, keyed hashes of sensitive cells (64 bits; equal cells have equal hashes)
 *     cell   --code-->  the whole number of state.h
 *
 * Hashes and comparisons take a cell as its value (core/text.h), so "a", a without quotes and a with spaces around it
 * are equal. Hashes only find candidates: whoever acts on a match compares the cells. */
#include "core/alloc.h"
#include "core/text.h"
#include "state/store/records.h"
#include "table/schema/tree_internal.h"
#include "table/value/number.h"

#include <string.h>

kanon_status kanon__row_init(kanon__row *out, const kanon_state *s, kanon_error *err)
{
    *out = (kanon__row){0};
    return kanon__new_array(&out->cells, s->n_columns, "a record", err);
}

void kanon__row_clear(kanon__row *row)
{
    kanon__free(row->bytes);
    kanon__free(row->cells);
    *row = (kanon__row){0};
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* The line is unpacked at once: the cells of the caller then point into it, and a line that cannot be read back is never
 * stored. */
kanon_status kanon__row_pack(const kanon_state *s, kanon__row *row, kanon_error *err)
{
    size_t most = 0;
    for (int i = 0; i < s->n_columns; i++)
        most += row->cells[i].length + 3;
    char *line = NULL;
    KANON_CHECK(kanon__new_array(&line, (int64_t)most, "a record", err));
    char *at = line;
    for (int i = 0; i < s->n_columns; i++) {
        const kanon__cell *cell = &row->cells[i];
        bool quote = cell->quoted || memchr(cell->text, s->delimiter, cell->length) != NULL;
        if (i > 0)
            *at++ = s->delimiter;
        if (quote)
            *at++ = '"';
        memcpy(at, cell->text, cell->length);
        at += cell->length;
        if (quote)
            *at++ = '"';
    }
    kanon__free(row->bytes);
    row->bytes = line;
    row->bytes_capacity = (int64_t)most;
    row->n_bytes = at - line;
    return kanon__row_unpack(s, row) ? KANON_OK : kanon__fail(err, KANON_EINTERNAL, "a record could not be packed");
}

static bool take_quoted(kanon__cell *cell, const char **at, const char *end)
{
    const char *from = ++*at;
    cell->quoted = true;
    for (;; (*at)++) {
        if (*at == end)
            return false;
        if (**at != '"')
            continue;
        if (*at + 1 == end || (*at)[1] != '"')
            break;
        cell->doubled = true;
        (*at)++;
    }
    cell->text = from;
    cell->length = (size_t)(*at - from);
    (*at)++;
    return true;
}

bool kanon__row_unpack(const kanon_state *s, kanon__row *row)
{
    const char *at = row->bytes, *end = row->bytes + row->n_bytes;
    for (int i = 0; i < s->n_columns; i++) {
        kanon__cell *cell = &row->cells[i];
        *cell = (kanon__cell){.text = at};
        if (i > 0 && (at == end || *at++ != s->delimiter))
            return false;
        if (at < end && *at == '"') {
            if (!take_quoted(cell, &at, end))
                return false;
            continue;
        }
        cell->text = at;
        while (at < end && *at != s->delimiter)
            at++;
        cell->length = (size_t)(at - cell->text);
    }
    return at == end;
}

/* ---- hashes ------------------------------------------------------------------------------------------------------ */

/* The cell without the white space at its ends: its value. Doubled quotes stay pairs. */
static kanon__cell value_of(const kanon__cell *cell)
{
    kanon__cell value = *cell;
    kanon__trim(&value.text, &value.length);
    return value;
}

/* The next byte of a cell without its doubled quotes; -1 past the last. */
static int next_byte(const kanon__cell *cell, size_t *at)
{
    if (*at >= cell->length)
        return -1;
    unsigned char byte = (unsigned char)cell->text[*at];
    *at += byte == '"' && cell->doubled ? 2 : 1;
    return byte;
}

/* FNV-1a over the bytes, and a number past all bytes as the end of the cell, so that ("ab", "c") and ("a", "bc") differ. */
static uint64_t hash_cell(uint64_t hash, const kanon__cell *cell)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    const kanon__cell value = value_of(cell);
    int byte;
    for (size_t at = 0; (byte = next_byte(&value, &at)) >= 0;)
        hash = (hash ^ (uint64_t)byte) * prime;
    return (hash ^ 0x1ff) * prime;
}

/* FNV leaves the low bits poorly mixed; the index of names and the audit compare all 64. */
static uint64_t finish_hash(uint64_t hash)
{
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

static const uint64_t HASH_BEGIN = UINT64_C(0xcbf29ce484222325);

/* Whether the column is part of a record's key; without a key all columns are. */
static bool names(const kanon_state *s, int column)
{
    return s->n_key == 0 || s->columns[column].key > 0;
}

uint64_t kanon__row_name(const kanon_state *s, const kanon__cell *cells)
{
    uint64_t hash = HASH_BEGIN;
    for (int i = 0; i < s->n_columns; i++)
        if (names(s, i))
            hash = hash_cell(hash, &cells[i]);
    return finish_hash(hash);
}

static bool cells_are_equal(const kanon__cell *left, const kanon__cell *right)
{
    const kanon__cell left_value = value_of(left), right_value = value_of(right);
    size_t at_left = 0, at_right = 0;
    for (;;) {
        int byte = next_byte(&left_value, &at_left);
        if (byte != next_byte(&right_value, &at_right))
            return false;
        if (byte < 0)
            return true;
    }
}

bool kanon__rows_have_same_name(const kanon_state *s, const kanon__cell *left, const kanon__cell *right)
{
    for (int i = 0; i < s->n_columns; i++)
        if (names(s, i) && !cells_are_equal(&left[i], &right[i]))
            return false;
    return true;
}

/* Eight bytes of the keyed hash of a text: who has not the secret cannot try values. They are only ever compared. The first
 * byte says what the text is, so that an entity and a sensitive value of the same text have nothing in common. */
static uint64_t keyed_hash(const kanon_state *s, char what, const kanon__cell *cell)
{
    kanon__keyed_hash hash;
    unsigned char digest[KANON__KEYED_HASH_BYTES];
    uint64_t out;
    kanon__keyed_hash_begin(&hash, &s->secret);
    kanon__keyed_hash_add(&hash, &what, 1);
    for (size_t at = 0; cell != NULL && at < cell->length;) {
        unsigned char byte = (unsigned char)next_byte(cell, &at);
        kanon__keyed_hash_add(&hash, &byte, 1);
    }
    kanon__keyed_hash_end(&hash, digest);
    memcpy(&out, digest, sizeof out);
    return out;
}

void kanon__row_sensitive_hashes(const kanon_state *s, const kanon__cell *cells, uint64_t *out)
{
    for (int i = 0, at = 0; i < s->n_columns; i++)
        if (s->columns[i].role == KANON_ROLE_SENSITIVE)
            out[at++] = keyed_hash(s, 'v', &cells[i]);
    if (s->entity >= 0 && kanon__cell_is_missing(s, &cells[s->entity]))
        out[s->n_sensitive] = keyed_hash(s, 'm', NULL); /* one entity, as in kanon__row_entity */
    else if (s->entity >= 0) {
        const kanon__cell entity = value_of(&cells[s->entity]); /* white space at its ends makes nobody another one */
        out[s->n_sensitive] = keyed_hash(s, 'e', &entity);
    }
}

/* Nothing tells missing entities apart, so all of them are one entity: that is the safe assumption. */
uint64_t kanon__row_entity(const kanon_state *s, const kanon__cell *cells)
{
    bool missing = kanon__cell_is_missing(s, &cells[s->entity]);
    return finish_hash(missing ? HASH_BEGIN : hash_cell(HASH_BEGIN, &cells[s->entity]));
}

bool kanon__rows_have_same_entity(const kanon_state *s, const kanon__cell *left, const kanon__cell *right)
{
    bool missing = kanon__cell_is_missing(s, &left[s->entity]);
    if (missing || kanon__cell_is_missing(s, &right[s->entity]))
        return missing && kanon__cell_is_missing(s, &right[s->entity]);
    return cells_are_equal(&left[s->entity], &right[s->entity]);
}

/* ---- codes ------------------------------------------------------------------------------------------------------- */

/* The value of the cell as plain text. */
static kanon_status plain_text(kanon__cell_reader *r, const kanon__cell *cell, const char **text, size_t *length,
                               kanon_error *err)
{
    const kanon__cell value = value_of(cell);
    *text = value.text;
    *length = value.length;
    if (!cell->doubled)
        return KANON_OK;
    KANON_CHECK(kanon__grow_array(&r->scratch, &r->scratch_capacity, (int64_t)cell->length + 1, "a cell", err));
    *length = kanon__csv_unescape(r->scratch, &value);
    *text = r->scratch;
    return KANON_OK;
}

bool kanon__cell_is_missing(const kanon_state *s, const kanon__cell *cell)
{
    for (int64_t i = 0; i < s->missing.n; i++) {
        kanon__cell other = {.text = s->missing.items[i], .length = strlen(s->missing.items[i])};
        if (cells_are_equal(cell, &other))
            return true;
    }
    return false;
}

static bool parse_number(const kanon__state_column *c, const char *text, size_t length, kanon__decimal *out)
{
    return kanon__value_parse(out, c->type, &c->format, text, length);
}

/* The number times 10^scale, where *scale first grows to the digits that the number has. */
static void number_code(const kanon__state_column *c, const char *text, size_t length, int64_t *code, int *scale,
                        const char **why, const char **hint)
{
    kanon__decimal number;
    if (!parse_number(c, text, length, &number)) {
        *why = c->type == KANON_TYPE_DATE      ? "not a date"
               : c->type == KANON_TYPE_INTEGER ? "not a whole number"
               : c->type == KANON_TYPE_ORDINAL ? "none of the levels of the column"
                                               : "not a number";
        *hint = c->type == KANON_TYPE_ORDINAL ? "a state keeps the levels that it was made with"
                : c->type != KANON_TYPE_DATE  ? "the column has had numbers so far"
                : c->format.date[0] == '\0' ? "dates are written YYYY-MM-DD"
                                            : "write dates as the column had them so far";
        return;
    }
    *why = "a number with more digits than a state can hold";
    *hint = "write at most 18 digits";
    if (!number.exact)
        return;
    if (number.scale > *scale)
        *scale = number.scale;
    *code = number.mantissa;
    for (int step = number.scale; step < *scale; step++)
        if (__builtin_mul_overflow(*code, (int64_t)10, code))
            return;
    if (kanon__code_fits(*code))
        *why = *hint = NULL;
}

kanon_status kanon__cell_code(kanon__cell_reader *r, int column, const kanon__cell *cell, int64_t *code, int *scale,
                              const char **why, const char **hint, kanon_error *err)
{
    kanon__state_column *c = &r->state->columns[column];
    const char *text;
    size_t length;
    bool is_missing = kanon__cell_is_missing(r->state, cell);
    *why = *hint = NULL;
    *code = KANON__NULL_CODE;
    if (kanon__state_numeric(c) && is_missing)
        return KANON_OK;
    KANON_CHECK(plain_text(r, cell, &text, &length, err));
    if (kanon__state_numeric(c)) {
        number_code(c, text, length, code, scale, why, hint);
        return KANON_OK;
    }
    if (c->tree == NULL)
        return KANON_OK;
    int32_t before = c->tree->n_nodes;
    KANON_CHECK(kanon__catalog_node(c, code, text, length, is_missing, r->grow, why, err));
    r->n_grown += c->tree->n_nodes > before;
    *hint = "correct it, or allow new values below the root of the taxonomy";
    return KANON_OK;
}

void kanon__cell_reader_clear(kanon__cell_reader *r)
{
    kanon__free(r->scratch);
    *r = (kanon__cell_reader){0};
}
