/* Any bytes as a CSV file: read with and without header, ragged or not, with and without vector instructions. */
#include "table/text/csv.h"

#include <stdlib.h>
#include <string.h>

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void check_cell(const kanon__csv *csv, const kanon__cell *cell)
{
    const char *begin = csv->input->bytes, *end = begin + csv->input->size;
    expect(cell->text >= begin && cell->text <= end && cell->length <= (size_t)(end - cell->text));
    expect(cell->quoted || !cell->doubled);
    expect(cell->quoted ||
           (memchr(cell->text, csv->delimiter, cell->length) == NULL && memchr(cell->text, '"', cell->length) == NULL &&
            memchr(cell->text, '\n', cell->length) == NULL));
    expect(memchr(cell->text, '\0', cell->length) == NULL);
    expect(cell->doubled == (memchr(cell->text, '"', cell->length) != NULL));
    char *text = malloc(cell->length + 1);
    expect(text != NULL);
    size_t length = kanon__csv_unescape(text, cell);
    expect(cell->doubled ? length < cell->length : length == cell->length);
    free(text);
}

static void check_error(kanon_status st, const kanon_error *err)
{
    expect((st == KANON_EDATA || st == KANON_ENOMEM) && err->status == st && err->message[0] != '\0');
    expect(strchr(err->message, '\n') == NULL);
}

/* Both readers give the same row, or the same error. */
static bool next_row(kanon__csv *a, kanon__csv *b)
{
    kanon_error error_a = KANON_INIT(kanon_error), error_b = KANON_INIT(kanon_error);
    bool has_a = false, has_b = false;
    size_t before = a->position;
    int64_t line_before = a->line;
    kanon_status st = kanon__csv_next(a, &has_a, &error_a);
    expect(kanon__csv_next(b, &has_b, &error_b) == st && has_a == has_b && a->position == b->position);
    if (st != KANON_OK) {
        check_error(st, &error_a);
        expect(strcmp(error_a.message, error_b.message) == 0);
        return false;
    }
    if (!has_a)
        return false;
    expect(a->position > before && a->position <= a->input->size && a->line > line_before);
    expect(a->n_cells == b->n_cells && a->n_cells > 0 && (a->ragged || a->n_cells == a->n_columns));
    for (int i = 0; i < a->n_cells; i++) {
        check_cell(a, &a->cells[i]);
        expect(a->cells[i].text == b->cells[i].text && a->cells[i].length == b->cells[i].length);
        expect(a->cells[i].quoted == b->cells[i].quoted && a->cells[i].doubled == b->cells[i].doubled);
    }
    return true;
}

static void read_all(const kanon__input *input, kanon__csv_options options)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__csv a, b;
    options.portable = false;
    kanon_status st = kanon__csv_open(&a, input, &options, &err);
    options.portable = true;
    expect(kanon__csv_open(&b, input, &options, NULL) == st);
    if (st != KANON_OK) {
        check_error(st, &err);
        return;
    }
    expect(a.n_columns > 0 && a.n_columns == b.n_columns && a.delimiter == b.delimiter && a.crlf == b.crlf);
    while (next_row(&a, &b))
        ;
    if (a.row >= 0) {
        int64_t line = a.line, row = a.row;
        bool has_row = true;
        kanon__csv_rewind(&a);
        while (a.row < row)
            expect(kanon__csv_next(&a, &has_row, NULL) == KANON_OK && has_row);
        expect(a.line <= line);
    }
    kanon__csv_close(&b);
    kanon__csv_close(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "fuzz.csv";
    kanon__input input = {.path = path, .bytes = (const char *)data, .size = size};
    read_all(&input, (kanon__csv_options){0});
    read_all(&input, (kanon__csv_options){.delimiter = ',', .ragged = true});
    read_all(&input, (kanon__csv_options){.candidates = ";,", .no_header = true, .ragged = true});
    read_all(&input, (kanon__csv_options){.delimiter = '\t', .no_header = true});
    return 0;
}
