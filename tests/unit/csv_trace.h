/* What the CSV reader read, as text that tests can compare. Every row is read again after a seek on the way. */
#ifndef KANON_TEST_CSV_TRACE_H
#define KANON_TEST_CSV_TRACE_H

#include "table/text/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char path[] = "t.csv";

/* One line per thing: `delimiter , lf 2 columns`, `names [a][b]`, `2: [x]"[y]` (line and cells, quoted ones marked), then
 * `end` or `error MESSAGE`. */
typedef struct trace {
    char *text;
    size_t length, capacity;
} trace;

static void put(trace *t, const char *bytes, size_t length)
{
    if (t->length + length + 1 > t->capacity) {
        t->capacity = (t->length + length + 1) * 2;
        t->text = realloc(t->text, t->capacity);
        assert_non_null(t->text);
    }
    memcpy(t->text + t->length, bytes, length);
    t->length += length;
    t->text[t->length] = '\0';
}

static void putf(trace *t, const char *format, ...) KANON__PRINTF(2, 3);
static void putf(trace *t, const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    put(t, line, (size_t)length);
}

static void put_cell(trace *t, const char *text, size_t length, bool quoted)
{
    put(t, quoted ? "\"[" : "[", quoted ? 2 : 1);
    put(t, text, length);
    put(t, "]", 1);
}

static void put_opened(trace *t, char delimiter, bool crlf, int n_columns)
{
    putf(t, "delimiter %c %s %d columns\n", delimiter, crlf ? "crlf" : "lf", n_columns);
}

static void put_row(trace *t, const kanon__csv *csv)
{
    for (int i = 0; i < csv->n_cells; i++) {
        const kanon__cell *cell = &csv->cells[i];
        char *buffer = malloc(cell->length + 1);
        assert_non_null(buffer);
        size_t length = kanon__csv_unescape(buffer, cell);
        assert_true(cell->doubled == (length < cell->length));
        put_cell(t, buffer, length, cell->quoted);
        free(buffer);
    }
    put(t, "\n", 1);
}

static void put_error(trace *t, const kanon_error *err, bool with_hint)
{
    putf(t, with_hint ? "error %s; %s\n" : "error %s\n", err->message, err->hint);
}

/* Seeking to a row must give the row, or its error, that reading up to it gave. */
static void check_seek(kanon__csv *csv, size_t position, const char *expected)
{
    kanon_error err = KANON_INIT(kanon_error);
    bool has_row;
    trace t = {0};
    kanon__csv_seek(csv, position);
    if (kanon__csv_next(csv, &has_row, &err) != KANON_OK) {
        put_error(&t, &err, false);
    } else if (has_row) {
        assert_int_equal(csv->row, 0);
        put_row(&t, csv);
        kanon__csv_fail(csv, 0, &err, "x");
        put(&t, err.message, strlen(err.message));
    } else {
        put(&t, "end\n", 4);
    }
    assert_string_equal(t.text, expected);
    free(t.text);
}

static trace read_trace(const kanon__input *input, const kanon__csv_options *options, bool with_hint)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__csv csv;
    trace t = {0}, step = {0};
    bool has_row = true;
    size_t position = 0;
    if (kanon__csv_open(&csv, input, options, &err) != KANON_OK) {
        put_error(&t, &err, with_hint);
        assert_null(csv.cells);
        assert_null(csv.names);
        return t;
    }
    put_opened(&t, csv.delimiter, csv.crlf, csv.n_columns);
    for (int i = 0; csv.names != NULL && i < csv.n_columns; i++)
        put_cell(&t, csv.names[i], strlen(csv.names[i]), false);
    put(&t, csv.names != NULL ? "\n" : "", csv.names != NULL);
    for (int64_t row = 0; has_row; row++) {
        step.length = 0;
        position = csv.position;
        kanon_status st = kanon__csv_next(&csv, &has_row, &err);
        if (st != KANON_OK) {
            assert_int_equal(st, KANON_EDATA);
            assert_int_equal(err.status, KANON_EDATA);
            put_error(&t, &err, with_hint);
            put_error(&step, &err, false);
            break;
        }
        if (has_row) {
            assert_int_equal(csv.row, row);
            putf(&t, "%lld: ", (long long)csv.line);
            put_row(&t, &csv);
            put_row(&step, &csv);
            kanon__csv_fail(&csv, 0, &err, "x");
            put(&step, err.message, strlen(err.message));
        } else {
            put(&t, "end\n", 4);
            put(&step, "end\n", 4);
        }
        if (row % 3 == 2) { /* on the way, too, and then on from there */
            kanon__csv kept = csv;
            check_seek(&csv, position, step.text);
            csv.position = kept.position;
            csv.next_line = kept.next_line;
            csv.row = kept.row;
        }
    }
    check_seek(&csv, position, step.text);
    free(step.text);
    kanon__csv_close(&csv);
    return t;
}

#endif
