/* See csv.h. The reader goes from mark to mark: every quote, delimiter, control character and byte outside ASCII is one
 * (csv_marks.h), and only these are looked at one by one. */
#include "table/text/csv.h"

#include "core/alloc.h"
#include "table/text/csv_dialect.h"
#include "table/text/csv_marks.h"
#include "table/value/dictionary.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_MARKED = 256, MAX_COLUMNS = 1000000, LABEL = 160 };
enum { WINDOW = 1 << 18, FIRST_FILL = 1 << 9, LONG_ROW = 1 << 24, LONGEST_CHARACTER = 4 };

static const size_t longest_cell = INT32_MAX;

/* The walk along one row. */
typedef struct walk {
    const char *end;     /* of the rows, or of the window */
    const char *cell;    /* where the current cell begins */
    const char *row_end; /* past the row's line break; NULL: still on the way */
    int64_t n_cells;     /* complete ones */
    int64_t n_breaks;    /* line breaks inside quotes */
    char delimiter;
    bool partial;   /* the rows go on past the window */
    bool cut;       /* the walk depends on what comes after the window: the row must be read again in a larger one */
    bool in_quotes; /* it was cut inside a quoted cell */
} walk;

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* A name on one line and not too long. */
static const char *short_name(char out[LABEL], const char *name)
{
    enum { LONGEST = 120 };
    size_t length = strlen(name);
    bool cut = length > LONGEST;
    if (cut)
        for (length = LONGEST; ((unsigned char)name[length] & 0xc0) == 0x80; length--)
            ;
    for (size_t i = 0; i < length; i++)
        out[i] = (unsigned char)name[i] < 0x20 ? ' ' : name[i];
    strcpy(out + length, cut ? "..." : "");
    return out;
}

/* The column's name, or "column N" where it has none. */
static const char *column_label(char out[LABEL], const kanon__csv *csv, int64_t column)
{
    if (csv->names != NULL && column < csv->n_columns && csv->names[column][0] != '\0')
        return short_name(out, csv->names[column]);
    snprintf(out, LABEL, "column %lld", (long long)column + 1);
    return out;
}

static int64_t count_breaks(const char *at, const char *end)
{
    int64_t n = 0;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        n++;
        at++;
    }
    return n;
}

/* Where the file cannot be read any more, the line does not matter: see or_changed. */
static int64_t line_at(const kanon__csv *csv, size_t position)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    int64_t line = 1;
    size_t n;
    for (size_t at = 0; at < position; at += n) {
        if (kanon__input_chunk(csv->input, at, position, buffer, &bytes, &n, NULL) != KANON_OK)
            break;
        line += count_breaks(bytes, bytes + n);
    }
    return line;
}

static kanon_status fail_at(const kanon__csv *csv, int64_t line, int64_t column, kanon_error *err, const char *what)
{
    char label[LABEL];
    return kanon__fail(err, KANON_EDATA, "%s:%lld: %s: %s", csv->input->path, (long long)line,
                       column_label(label, csv, column), what);
}

/* The line of the row that is being read: csv->position is still its beginning. */
static int64_t row_line(const kanon__csv *csv)
{
    return csv->line > 0 ? csv->line : line_at(csv, csv->position);
}

/* What is wrong at `at`. So near the end of the window, the bytes after it may put it right. */
static kanon_status fail_in_row(const kanon__csv *csv, walk *w, const char *at, kanon_error *err, const char *what,
                                const char *hint)
{
    w->cut = w->partial && w->end - at < LONGEST_CHARACTER;
    if (w->cut)
        return KANON_EDATA;
    return kanon__hint(err, fail_at(csv, row_line(csv) + w->n_breaks, w->n_cells, err, what), "%s", hint);
}

kanon_status kanon__csv_fail(const kanon__csv *csv, int column, kanon_error *err, const char *format, ...)
{
    char what[768];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    int64_t line = csv->line;
    if (line == 0 && csv->n_cells > 0)
        line = line_at(csv, csv->row_begin);
    return fail_at(csv, line, column, err, what);
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

/* Go on at `at` without marks: the next one is looked for from there. After a jump perhaps one row is wanted, so few bytes
 * are looked at, then more. */
static void forget_marks(const kanon__csv *csv, const char *at)
{
    csv->marks->begin = csv->marks->end = at;
    csv->marks->n = csv->marks->next = 0;
    csv->marks->wanted = FIRST_MARKED;
}

static void find_marks(const kanon__csv *csv, const char *end)
{
    kanon__marks *m = csv->marks;
    const char *begin = m->end;
    size_t n = (size_t)(end - begin) < m->wanted ? (size_t)(end - begin) : m->wanted;
    kanon__marks_find(m, begin, n, csv->delimiter, csv->portable ? KANON__MARKS_PLAIN : kanon__marks_best());
    m->wanted = m->wanted * 4 < KANON__MARKED_BYTES ? m->wanted * 4 : KANON__MARKED_BYTES;
}

/* The next mark, w->end where there is none. */
static inline const char *next_mark(const kanon__csv *csv, const walk *w)
{
    kanon__marks *m = csv->marks;
    while (m->next == m->n) {
        if (m->end == w->end)
            return w->end;
        find_marks(csv, w->end);
    }
    return m->begin + m->offsets[m->next++];
}

/* Forget the marks before `at`. */
static inline void skip_to(const kanon__csv *csv, const char *at)
{
    kanon__marks *m = csv->marks;
    if (at > m->end)
        forget_marks(csv, at);
    while (m->next < m->n && m->begin + m->offsets[m->next] < at)
        m->next++;
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

/* Make the window begin at `position` and hold more bytes from there on than it does now. It is small after a jump, where
 * perhaps one row is wanted (rows in random order), and grows as reading goes on; it is at least twice a row that did not
 * fit. */
static kanon_status fill_window(kanon__csv *csv, size_t position, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool goes_on = csv->fill > 0 && position >= csv->window_begin && position <= csv->window_end;
    size_t kept = goes_on ? csv->window_end - position : 0, fill = goes_on ? csv->fill * 4 : FIRST_FILL;
    fill = fill < csv->most_fill ? fill : csv->most_fill;
    size_t wanted = kept < fill - fill / 2 ? fill : 2 * kept, there_is = csv->input->size - position;
    wanted = wanted < there_is ? wanted : there_is;
    KANON_TRY(kanon__grow_array(&csv->buffer, &csv->buffer_capacity, (int64_t)wanted, "a part of the input", err), out);
    if (kept > 0)
        memmove(csv->buffer, csv->buffer + (position - csv->window_begin), kept);
    csv->fill = fill;
    csv->marks_from = NULL;
    csv->window = csv->buffer;
    csv->window_begin = position;
    csv->window_end = position + kept;
    KANON_TRY(kanon__input_read(csv->input, csv->window_end, csv->buffer + kept, wanted - kept, err), out);
    csv->window_end = position + wanted;
out:
    return st;
}

static void set_up_window(kanon__csv *csv, const kanon__csv_options *options)
{
    csv->most_fill = options->window > 0 ? options->window : WINDOW;
    if (csv->input->bytes != NULL) {
        csv->window = csv->input->bytes;
        csv->window_end = csv->input->size;
    }
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

/* The bounds of the second byte keep out longer forms than needed, surrogates and what lies past U+10FFFF. */
size_t kanon__csv_character(const char *at, const char *end)
{
    const unsigned char *bytes = (const unsigned char *)at;
    unsigned char first = bytes[0];
    unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0 || (size_t)(end - at) < length || bytes[1] < least || bytes[1] > most)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* A mark that is text: a control character, or the first of some bytes outside ASCII, which are walked past. */
static kanon_status pass_text(const kanon__csv *csv, walk *w, const char *mark, kanon_error *err)
{
    if (*mark == '\0')
        return fail_in_row(csv, w, mark, err, "a NUL byte", "convert the file to UTF-8 text; it may be UTF-16");
    if (((unsigned char)*mark & 0x80) == 0)
        return KANON_OK;
    while (mark < w->end && ((unsigned char)*mark & 0x80) != 0) {
        size_t length = kanon__csv_character(mark, w->end);
        if (length == 0)
            return fail_in_row(csv, w, mark, err, "not UTF-8",
                               "convert the file, for example: iconv -f ISO-8859-1 -t UTF-8");
        mark += length;
    }
    skip_to(csv, mark);
    return KANON_OK;
}

/* Cells past the room there is are counted but not kept. */
static inline void put_cell(const kanon__csv *csv, walk *w, kanon__cell cell)
{
    if (w->n_cells < csv->cells_capacity)
        csv->cells[w->n_cells] = cell;
    w->n_cells++;
}

/* Take a quoted cell without marks in it where its end and the delimiter after it are known already; else take nothing. */
static inline bool take_simple_quoted(const kanon__csv *csv, walk *w)
{
    kanon__marks *m = csv->marks;
    if (m->n - m->next < 2)
        return false;
    const char *text = w->cell + 1, *mark = m->begin + m->offsets[m->next];
    if (mark[0] != '"' || mark[1] != w->delimiter)
        return false;
    put_cell(csv, w, (kanon__cell){.text = text, .length = (size_t)(mark - text), .quoted = true});
    w->cell = mark + 2;
    m->next += 2;
    return true;
}

/* Take simple cells up to the first mark that needs a closer look, and return that. This loop does nearly all of the work,
 * so it has its state to itself. */
static const char *take_simple(const kanon__csv *csv, walk *state)
{
    walk w = *state;
    const char *mark = next_mark(csv, &w);
    while (mark < w.end) {
        if (*mark == w.delimiter) {
            put_cell(csv, &w, (kanon__cell){.text = w.cell, .length = (size_t)(mark - w.cell)});
            w.cell = mark + 1;
        } else if (*mark != '"' || mark != w.cell || !take_simple_quoted(csv, &w)) {
            break;
        }
        mark = next_mark(csv, &w);
    }
    *state = w;
    return mark;
}

static void end_row(const kanon__csv *csv, walk *w, const char *mark)
{
    const char *cell_end = mark;
    if (mark < w->end && mark > w->cell && mark[-1] == '\r')
        cell_end--;
    put_cell(csv, w, (kanon__cell){.text = w->cell, .length = (size_t)(cell_end - w->cell)});
    w->row_end = mark < w->end ? mark + 1 : mark;
    w->cut = w->partial && mark == w->end;
}

/* What may stand after a closing quote: a delimiter, a line break, the end. */
static kanon_status leave_quotes(const kanon__csv *csv, walk *w, kanon__cell cell, const char *after, kanon_error *err)
{
    if (after < w->end && *after == w->delimiter) {
        w->cell = after + 1;
        skip_to(csv, w->cell);
    } else if (after == w->end) {
        w->row_end = after;
        w->cut = w->partial;
    } else if (*after == '\n') {
        w->row_end = after + 1;
    } else if (*after == '\r' && after + 1 < w->end && after[1] == '\n') {
        w->row_end = after + 2;
    } else {
        return fail_in_row(csv, w, after, err, "text after a closing quote", "write a quote inside a quoted cell twice");
    }
    put_cell(csv, w, cell);
    return KANON_OK;
}

static kanon_status take_quoted(const kanon__csv *csv, walk *w, kanon_error *err)
{
    kanon__cell cell = {.text = w->cell + 1, .quoted = true};
    int64_t breaks_before = w->n_breaks;
    for (;;) {
        const char *mark = next_mark(csv, w);
        if (mark == w->end) {
            w->n_breaks = breaks_before;
            w->in_quotes = true;
            return fail_in_row(csv, w, mark, err, "the quote that begins here is never closed",
                               "close it, and write a quote inside a quoted cell twice");
        }
        if (*mark == '"' && mark + 1 < w->end && mark[1] == '"') {
            cell.doubled = true;
            next_mark(csv, w);
        } else if (*mark == '"') {
            cell.length = (size_t)(mark - cell.text);
            return leave_quotes(csv, w, cell, mark + 1, err);
        } else if (*mark == '\n') {
            w->n_breaks++;
        } else {
            kanon_status st = pass_text(csv, w, mark, err);
            if (st != KANON_OK)
                return st;
        }
    }
}

static kanon_status walk_row(const kanon__csv *csv, walk *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    while (st == KANON_OK && w->row_end == NULL) {
        const char *mark = take_simple(csv, w);
        if (mark == w->end || *mark == '\n')
            end_row(csv, w, mark);
        else if (*mark != '"')
            st = pass_text(csv, w, mark, err);
        else if (mark == w->cell)
            st = take_quoted(csv, w, err);
        else
            st = fail_in_row(csv, w, mark, err, "a quote inside an unquoted cell",
                             "put the cell in quotes and write the quote inside it twice");
    }
    return st;
}

static kanon_status fail_long(const kanon__csv *csv, int64_t column, kanon_error *err)
{
    return kanon__hint(err, fail_at(csv, row_line(csv), column, err, "a cell of more than 2147483647 bytes"),
                       "check the quotes and the line ends");
}

static kanon_status check_lengths(const kanon__csv *csv, int64_t n_cells, kanon_error *err)
{
    for (int64_t i = 0; i < n_cells && i < csv->cells_capacity; i++)
        if (csv->cells[i].length > longest_cell)
            return fail_long(csv, i, err);
    return KANON_OK;
}

static kanon_status make_room(kanon__csv *csv, int64_t n_cells, kanon_error *err)
{
    if (n_cells > MAX_COLUMNS)
        return kanon__hint(err, fail_at(csv, row_line(csv), MAX_COLUMNS, err, "more than 1000000 cells in a row"),
                           "check the delimiter and the line ends");
    return kanon__grow_array(&csv->cells, &csv->cells_capacity, n_cells, "cells of a row", err);
}

/* Whether there is a quote past the window. */
static kanon_status find_quote(const kanon__csv *csv, bool *found, kanon_error *err)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    size_t n;
    *found = false;
    for (size_t at = csv->window_end; at < csv->end && !*found; at += n) {
        kanon_status st = kanon__input_chunk(csv->input, at, csv->end, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        *found = memchr(bytes, '"', n) != NULL;
    }
    return KANON_OK;
}

/* Get more of a row that was cut. A long one may be due to a quote that is never closed: the rest of the file is not read
 * into memory to find that out; *whole says that the window holds all that matters. */
static kanon_status widen(kanon__csv *csv, const walk *w, bool *whole, kanon_error *err)
{
    bool found = true;
    if ((size_t)(w->end - w->cell) > longest_cell)
        return fail_long(csv, w->n_cells, err);
    if (w->in_quotes && csv->window_end - csv->position >= LONG_ROW) {
        kanon_status st = find_quote(csv, &found, err);
        if (st != KANON_OK)
            return st;
    }
    *whole = !found;
    return found ? fill_window(csv, csv->position, err) : KANON_OK;
}

/* Read the row at csv->position. Where it has more cells than there is room for, and may have (`grow`), it is read again. */
static kanon_status read_row(kanon__csv *csv, bool grow, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *begin;
    bool whole = false;
    walk w;
    csv->line = csv->next_line;
    if (csv->position < csv->window_begin || csv->position >= csv->window_end)
        KANON_TRY(fill_window(csv, csv->position, err), out);
    for (;;) {
        size_t until = csv->window_end < csv->end ? csv->window_end : csv->end;
        begin = csv->window + (csv->position - csv->window_begin);
        w = (walk){.end = csv->window + (until - csv->window_begin),
                   .cell = begin,
                   .delimiter = csv->delimiter,
                   .partial = until < csv->end && !whole};
        if (begin != csv->marks_from || csv->marks->end > w.end)
            forget_marks(csv, begin);
        csv->marks_from = NULL;
        st = walk_row(csv, &w, err);
        if (w.cut) {
            KANON_TRY(widen(csv, &w, &whole, err), out);
            continue;
        }
        if (st != KANON_OK)
            goto out;
        if (!grow || w.n_cells <= csv->cells_capacity)
            break;
        KANON_TRY(make_room(csv, w.n_cells, err), out);
    }
    if ((size_t)(w.row_end - begin) > longest_cell)
        KANON_TRY(check_lengths(csv, w.n_cells, err), out);
    skip_to(csv, w.row_end);
    csv->marks_from = w.row_end;
    csv->n_cells = w.n_cells < INT32_MAX ? (int)w.n_cells : INT32_MAX;
    csv->row_begin = csv->position;
    csv->position += (size_t)(w.row_end - begin);
    csv->next_line += csv->next_line > 0 ? w.n_breaks + 1 : 0;
out:
    return st;
}

static kanon_status fail_ragged(const kanon__csv *csv, kanon_error *err)
{
    char what[80];
    bool few = csv->n_cells < csv->n_columns;
    bool blank = csv->n_cells == 1 && csv->cells[0].length == 0 && !csv->cells[0].quoted;
    snprintf(what, sizeof what, "%d %s, expected %d", csv->n_cells, csv->n_cells == 1 ? "cell" : "cells", csv->n_columns);
    kanon_status st = fail_at(csv, row_line(csv), few ? csv->n_cells : csv->n_columns - 1, err, what);
    return kanon__hint(err, st, "%s",
                       blank ? "remove the blank line"
                       : few ? "give each row a cell for every column, empty or not"
                             : "put cells that hold the delimiter in quotes");
}

/* What looks like bad data may be a file that was rewritten meanwhile. */
static kanon_status or_changed(const kanon__input *input, kanon_status st, kanon_error *err)
{
    kanon_status changed = st == KANON_EDATA ? kanon__input_unchanged(input, err) : KANON_OK;
    return changed != KANON_OK ? changed : st;
}

kanon_status kanon__csv_next(kanon__csv *csv, bool *has_row, kanon_error *err)
{
    *has_row = false;
    if (csv->position >= csv->end)
        return kanon__input_unchanged(csv->input, err);
    kanon_status st = read_row(csv, csv->ragged, err);
    if (st != KANON_OK)
        return or_changed(csv->input, st, err);
    if (csv->n_cells != csv->n_columns && !csv->ragged) {
        csv->position = csv->row_begin;
        csv->next_line = csv->line;
        return or_changed(csv->input, fail_ragged(csv, err), err);
    }
    csv->row++;
    *has_row = true;
    return KANON_OK;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static kanon_status take_names(kanon__csv *csv, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary seen = {0};
    char **names = NULL;
    int n = 0;
    KANON_TRY(kanon__dictionary_init(&seen, err), out);
    KANON_TRY(kanon__new_array(&names, csv->n_cells, "column names", err), out);
    for (; n < csv->n_cells; n++) {
        uint32_t code;
        KANON_TRY(kanon__new_array(&names[n], (int64_t)csv->cells[n].length + 1, "a column name", err), out);
        size_t length = kanon__csv_unescape(names[n], &csv->cells[n]);
        KANON_TRY(kanon__dictionary_add(&seen, &code, names[n], length, err), out);
        if (code < (uint32_t)n) {
            /* a name is not shown: the line may be a record */
            st = kanon__fail(err, KANON_EDATA, "%s:%lld: column %d: the same name as column %u", csv->input->path,
                             (long long)csv->line, n + 1, code + 1);
            st = kanon__hint(err, st, "give every column a name of its own, or say that the file has no header line");
            st = kanon__topic(err, st, "header");
            goto out;
        }
    }
    csv->names = names;
    csv->n_columns = n;
    names = NULL;
out:
    kanon__dictionary_clear(&seen);
    for (int i = 0; names != NULL && i < csv->n_cells; i++)
        kanon__free(names[i]);
    kanon__free(names);
    return st;
}

static kanon_status read_first_line(kanon__csv *csv, bool no_header, kanon_error *err)
{
    size_t begin = csv->position;
    kanon_status st = read_row(csv, true, err);
    if (st != KANON_OK)
        return st;
    const char *last = csv->window + (csv->position - 1 - csv->window_begin);
    csv->crlf = csv->position - begin >= 2 && last[0] == '\n' && last[-1] == '\r';
    if (!no_header) {
        csv->first_row = csv->position;
        csv->first_line = csv->next_line;
        return take_names(csv, err);
    }
    csv->first_row = begin;
    csv->first_line = 1;
    csv->n_columns = csv->n_cells;
    return KANON_OK;
}

kanon_status kanon__csv_open(kanon__csv *out, const kanon__input *input, const kanon__csv_options *options, kanon_error *err)
{
    static const kanon__csv_options defaults = {0};
    kanon_status st = KANON_OK;
    kanon__csv csv = {.input = input, .next_line = 1};
    *out = (kanon__csv){0};
    if (options == NULL)
        options = &defaults;
    csv.ragged = options->ragged;
    csv.portable = options->portable;
    set_up_window(&csv, options);
    KANON_TRY(kanon__new_array(&csv.marks, 1, "marks of the input", err), out);
    KANON_TRY(kanon__csv_find_dialect(&csv, options, err), out);
    KANON_TRY(read_first_line(&csv, options->no_header, err), out);
    kanon__csv_rewind(&csv);
    *out = csv;
    csv = (kanon__csv){0};
out:
    kanon__csv_close(&csv);
    return or_changed(input, st, err);
}

int kanon__csv_find_column(const kanon__csv *csv, const char *name)
{
    for (int i = 0; i < csv->n_columns; i++)
        if (strcmp(csv->names[i], name) == 0)
            return i;
    return -1;
}

void kanon__csv_rewind(kanon__csv *csv)
{
    csv->position = csv->first_row;
    csv->next_line = csv->first_line;
    csv->line = 0;
    csv->row = -1;
    csv->n_cells = 0;
}

void kanon__csv_seek(kanon__csv *csv, size_t position)
{
    kanon__csv_rewind(csv);
    if (position > csv->first_row) {
        csv->position = position;
        csv->next_line = 0;
    }
}

void kanon__csv_close(kanon__csv *csv)
{
    for (int i = 0; csv->names != NULL && i < csv->n_columns; i++)
        kanon__free(csv->names[i]);
    kanon__free(csv->names);
    kanon__free(csv->marks);
    kanon__free(csv->buffer);
    kanon__free(csv->cells);
    *csv = (kanon__csv){0};
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

size_t kanon__csv_unescape(char *buffer, const kanon__cell *cell)
{
    size_t n = 0;
    if (!cell->doubled) {
        memcpy(buffer, cell->text, cell->length);
        return cell->length;
    }
    for (size_t i = 0; i < cell->length; i++) {
        buffer[n++] = cell->text[i];
        if (cell->text[i] == '"')
            i++;
    }
    return n;
}

int64_t kanon__csv_line_of_row(const kanon__input *input, const kanon__csv_options *options, int64_t row)
{
    kanon__csv csv;
    bool has_row = true;
    int64_t line = 0;
    if (kanon__csv_open(&csv, input, options, NULL) != KANON_OK)
        return 0;
    while (line == 0 && kanon__csv_next(&csv, &has_row, NULL) == KANON_OK && has_row)
        if (csv.row == row)
            line = csv.line;
    kanon__csv_close(&csv);
    return line;
}
