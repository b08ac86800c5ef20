/* Writes a release in parts: each part is made and checked on one thread, and the parts are written in the order of the
 * rows (core/conveyor.h). A line is a list of pieces, which are either recoded runs or bytes of the input. */
#include "release/writer.h"

#include "core/alloc.h"
#include "core/conveyor.h"

#include <stdio.h>
#include <string.h>

/* A piece of a line: a run of quasi columns, or columns that stand side by side in the input and are copied together. */
typedef struct piece {
    int run; /* -1: copied */
    int first, last;
    const kanon__permuted_column *permuted; /* it alone is the piece: the cell of another row; NULL: no */
} piece;

/* A buffer slot: where a part of the release is made. */
typedef struct part_buffer {
    kanon__cursor *cursor;
    char *bytes;
    int64_t n, capacity;
    int64_t part; /* that lies there, checked */
} part_buffer;

typedef struct writer {
    const kanon__release *release;
    const kanon_table *table;
    kanon__output *output;
    kanon__ticker *ticker;
    piece *pieces;
    int n_pieces;
    part_buffer *slots;
    int n_slots;
    int64_t n_parts, n_taken;
    int64_t *positions; /* in another order than the input's: where each row begins */
} writer;

/* ---- the header -------------------------------------------------------------------------------------------------- */

static void write_delimiter(writer *w, bool *first)
{
    if (!*first)
        kanon__output_write(w->output, &w->table->source->delimiter, 1);
    *first = false;
}

kanon_status kanon__released_name_is_free(const kanon_table *t, const char *name, kanon_error *err)
{
    for (int i = 0; i < t->data.n_columns; i++)
        if (t->data.columns[i].role != KANON_ROLE_IDENTIFYING && strcmp(t->data.columns[i].name, name) == 0) {
            kanon_status st = kanon__fail(err, KANON_EINVAL, "%s:1: %s: the release would have two columns of this name",
                                          t->source->name, name);
            kanon__hint(err, st, "choose another numeric form, or rename the column");
            return kanon__topic(err, st, "numeric");
        }
    return KANON_OK;
}

static kanon_status write_name(writer *w, const char *name, const char *suffix, bool *first, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *whole = NULL;
    size_t size = strlen(name) + strlen(suffix) + 1;
    KANON_TRY(kanon__new_array(&whole, (int64_t)size, "a column name", err), out);
    snprintf(whole, size, "%s%s", name, suffix);
    if (suffix[0] != '\0')
        KANON_TRY(kanon__released_name_is_free(w->table, whole, err), out);
    write_delimiter(w, first);
    kanon__output_cell(w->output, whole, size - 1,
                       kanon__recoding_is_alone(w->release->recoding) ? '\0' : w->table->source->delimiter);
out:
    kanon__free(whole);
    return st;
}

static kanon_status write_header(writer *w, kanon_error *err)
{
    const kanon_table *t = w->table;
    bool first = true;
    for (int i = 0, quasi = 0; i < t->data.n_columns; i++) {
        const kanon__column *c = &t->data.columns[i];
        if (c->role == KANON_ROLE_IDENTIFYING)
            continue;
        bool two = c->role == KANON_ROLE_QUASI && kanon__recoding_parts(w->release->recoding, quasi) == 2;
        quasi += c->role == KANON_ROLE_QUASI;
        KANON_CHECK(write_name(w, c->name, two ? "_min" : "", &first, err));
        if (two)
            KANON_CHECK(write_name(w, c->name, "_max", &first, err));
    }
    kanon__output_text(w->output, t->source->crlf ? "\r\n" : "\n");
    return KANON_OK;
}

/* ---- a line ------------------------------------------------------------------------------------------------------ */

/* The pieces of every line, in order. */
static void list_pieces(writer *w)
{
    const kanon_table *t = w->table;
    for (int i = 0, quasi = 0; i < t->data.n_columns; i++) {
        bool is_quasi = t->data.columns[i].role == KANON_ROLE_QUASI;
        piece *before = w->n_pieces > 0 ? &w->pieces[w->n_pieces - 1] : NULL;
        if (t->data.columns[i].role == KANON_ROLE_IDENTIFYING)
            continue;
        int run = is_quasi ? w->release->recoding->run_of[quasi++] : -1;
        const kanon__permuted_column *permuted = kanon__permuted(w->release->permutation, i);
        bool joins = before != NULL && permuted == NULL && before->permuted == NULL && before->run == run;
        if (joins && (is_quasi || before->last == i - 1))
            before->last = i;
        else
            w->pieces[w->n_pieces++] = (piece){.run = run, .first = i, .last = i, .permuted = permuted};
    }
}

/* The text of a piece. Quoted cells keep their quotes, so that copied bytes are those of the input. */
static inline const char *piece_text(const writer *w, const piece *p, int64_t row, const kanon__cell *cells, size_t *length)
{
    int32_t group = w->release->group_of[row];
    if (p->run >= 0)
        return kanon__recoding_text(w->release->recoding, group, p->run, length);
    kanon__cell other;
    const kanon__cell *first = &cells[p->first], *last = &cells[p->last];
    if (p->permuted != NULL) {
        other = kanon__permuted_cell(p->permuted, row);
        first = last = &other;
    }
    const char *begin = first->text - first->quoted, *end = last->text + last->length + last->quoted;
    *length = (size_t)(end - begin);
    return begin;
}

static kanon_status append(part_buffer *d, const char *text, size_t length, kanon_error *err)
{
    enum { LINE_END = 2 }; /* room for what follows the piece */
    if (d->capacity - d->n < (int64_t)length + LINE_END)
        KANON_CHECK(kanon__grow_array(&d->bytes, &d->capacity, d->n + (int64_t)length + LINE_END, "released lines", err));
    memcpy(d->bytes + d->n, text, length);
    d->n += (int64_t)length;
    return KANON_OK;
}

/* Whether row `row`, which is the i-th that comes by, is released. */
static inline bool leaves(const writer *w, int64_t i, int64_t row)
{
    const kanon__release *r = w->release;
    return r->n_left_out == 0 || (r->order != NULL ? i < w->table->data.n_rows - r->n_left_out : r->group_of[row] >= 0);
}

/* The line of the row that the slot has read. */
static kanon_status write_row(const writer *w, part_buffer *d, int64_t row, kanon_error *err)
{
    const kanon_table *t = w->table;
    int64_t begin = d->n;
    for (int i = 0; i < w->n_pieces; i++) {
        size_t length;
        const char *text = piece_text(w, &w->pieces[i], row, d->cursor->cells, &length);
        KANON_CHECK(append(d, text, length, err));
        if (i + 1 < w->n_pieces)
            d->bytes[d->n++] = t->source->delimiter;
    }
    if (t->source->crlf)
        d->bytes[d->n++] = '\r';
    d->bytes[d->n++] = '\n';
    return w->release->watcher(row, d->cursor, d->bytes + begin, (size_t)(d->n - begin), w->release->payload, err);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* The first row of a part, as a number in the order of writing. */
static int64_t first_of(const writer *w, int64_t part)
{
    if (part == w->n_parts)
        return w->table->data.n_rows;
    return w->release->order == NULL ? w->table->source->part_rows[part] : w->table->data.n_rows * part / w->n_parts;
}

/* A source gives the rows that it gave when it was read first, and no other. */
static kanon_status read_again(kanon__cursor *cursor, bool expected, kanon_error *err)
{
    bool has_row;
    kanon_status st = cursor->source->class->next(cursor, &has_row, err);
    if (st == KANON_OK && has_row != expected)
        st = kanon__fail(err, KANON_EINTERNAL,
                         expected ? "%s ended early when it was read again" : "%s had more records when it was read again",
                         cursor->source->name);
    return st;
}

/* Rows come by in an order that groups do not know, so what they show is fetched some rows ahead: first where it lies, then
 * its bytes. */
static inline void look_ahead(const writer *w, int64_t i, int64_t end)
{
    enum { FAR = 12, NEAR = 6 };
    const kanon__release *r = w->release;
    size_t length;
    if (i + FAR >= end)
        return;
    int64_t far = r->order != NULL ? r->order[i + FAR] : i + FAR, near = r->order != NULL ? r->order[i + NEAR] : i + NEAR;
    kanon__recoding_prefetch(r->recoding, r->group_of[far]);
    r->ahead(far, near, r->payload);
    const char *text = kanon__recoding_text(r->recoding, r->group_of[near], 0, &length);
    __builtin_prefetch(text);
    __builtin_prefetch(text + 64);
}

static kanon_status make_part(int64_t part, int number, void *payload, kanon_error *err)
{
    const writer *w = payload;
    const int32_t *order = w->release->order;
    part_buffer *d = &w->slots[number];
    void (*seek)(kanon__cursor *, int64_t, const int64_t *) = w->table->source->class->seek;
    d->n = 0;
    if (order == NULL)
        seek(d->cursor, w->table->source->part_rows[part], NULL);
    int64_t end = first_of(w, part + 1);
    for (int64_t i = first_of(w, part); i < end; i++) {
        look_ahead(w, i, end);
        if (order != NULL)
            seek(d->cursor, order[i], w->positions);
        KANON_CHECK(read_again(d->cursor, true, err));
        int64_t row = order != NULL ? order[i] : i;
        KANON_CHECK(leaves(w, i, row) ? write_row(w, d, row, err)
                                      : w->release->watcher(row, d->cursor, NULL, 0, w->release->payload, err));
    }
    if (order == NULL && part + 1 == w->n_parts)
        KANON_CHECK(read_again(d->cursor, false, err));
    d->part = part;
    return KANON_OK;
}

/* Lines are checked as they are made; here it must be seen that all of them leave, in order. */
static kanon_status take_part(int64_t part, int number, void *payload, kanon_error *err)
{
    enum { WORTH_A_LOOK = 10 * 1000 * 1000 }; /* at the clock: there are few parts */
    writer *w = payload;
    if (w->slots[number].part != part || part != w->n_taken)
        return kanon__fail(err, KANON_EINTERNAL, "the check found the parts of the release out of order");
    w->n_taken++;
    if (w->slots[number].n > 0) /* all rows of the part may stay out */
        kanon__output_write(w->output, w->slots[number].bytes, (size_t)w->slots[number].n);
    return kanon__tick(w->ticker, first_of(w, part + 1), w->table->data.n_rows, WORTH_A_LOOK, err);
}

static kanon_status make_slots(writer *w, kanon_error *err)
{
    int n_slots = kanon__conveyor_slots(w->release->threads, w->n_parts);
    KANON_CHECK(kanon__new_array(&w->slots, n_slots, "slots", err));
    for (; w->n_slots < n_slots; w->n_slots++)
        KANON_CHECK(w->table->source->class->open(&w->slots[w->n_slots].cursor, w->table->source, err));
    return KANON_OK;
}

kanon_status kanon__release_write(kanon__output *output, const kanon__release *release, kanon__ticker *ticker,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_table *t = release->table;
    writer w = {.release = release, .table = t, .output = output, .ticker = ticker, .n_parts = t->source->n_parts};
    KANON_TRY(kanon__new_array(&w.pieces, t->data.n_columns, "columns", err), out);
    list_pieces(&w);
    KANON_TRY(write_header(&w, err), out);
    if (release->order != NULL && t->source->class->locate != NULL)
        KANON_TRY(t->source->class->locate(&w.positions, t->source, release->threads, err), out);
    KANON_TRY(make_slots(&w, err), out);
    KANON_TRY(kanon__conveyor_run(release->threads, w.n_parts, w.n_slots, make_part, take_part, &w, err), out);
    if (w.n_taken != w.n_parts)
        st = kanon__fail(err, KANON_EINTERNAL, "the check found a part of the release missing");
out:
    for (int i = 0; i < w.n_slots; i++) {
        t->source->class->close(w.slots[i].cursor);
        kanon__free(w.slots[i].bytes);
    }
    kanon__free(w.slots);
    kanon__free(w.positions);
    kanon__free(w.pieces);
    return st;
}

void kanon__groups_write(kanon__output *output, const int32_t *group_of, int64_t n_rows)
{
    kanon__output_text(output, "row,group\n");
    for (int64_t row = 0; row < n_rows; row++) {
        kanon__output_integer(output, row + 1);
        kanon__output_write(output, ",", 1);
        kanon__output_integer(output, (int64_t)group_of[row] + 1);
        kanon__output_write(output, "\n", 1);
    }
}
