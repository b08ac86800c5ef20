/* See header_shape.h. */
#include "table/read/header_shape.h"

#include "core/alloc.h"
#include "table/value/number.h"

#include <string.h>

enum { ROWS_READ = 1000, FIRST_YEAR = 1800, LAST_YEAR = 2100 };

static bool is_blank(const char *name)
{
    return name[strspn(name, " \t")] == '\0';
}

static bool is_value(const char *name)
{
    kanon__decimal number;
    int64_t days;
    size_t length = strlen(name);
    return kanon__parse_decimal(&number, name, length) || kanon__parse_date(&days, name, length);
}

/* Blank names say nothing here; a header of nothing but blanks is found by them. */
static bool all_values(const kanon__csv *csv)
{
    int n = 0;
    for (int i = 0; i < csv->n_columns; i++) {
        if (is_blank(csv->names[i]))
            continue;
        if (!is_value(csv->names[i]))
            return false;
        n++;
    }
    return n > 0;
}

/* Note which names stand in the row as cells of their own columns. */
static void note_repeated(const kanon__csv *csv, bool *repeated)
{
    for (int i = 0; i < csv->n_columns; i++) {
        const kanon__cell *cell = &csv->cells[i];
        if (!repeated[i] && cell->length > 0 && strlen(csv->names[i]) == cell->length &&
            memcmp(csv->names[i], cell->text, cell->length) == 0)
            repeated[i] = true;
    }
}

/* The first name that comes again, where at least half of them do; -1: fewer do. */
static kanon_status find_repeated(int *column, kanon__csv *csv, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool *repeated = NULL, has_row = true;
    int n = 0;
    *column = -1;
    KANON_TRY(kanon__new_array(&repeated, csv->n_columns, "column names", err), out);
    /* what is wrong with a row is told by whoever reads it for good */
    for (int row = 0; row < ROWS_READ && kanon__csv_next(csv, &has_row, NULL) == KANON_OK && has_row; row++)
        note_repeated(csv, repeated);
    for (int i = csv->n_columns - 1; i >= 0; i--) {
        *column = repeated[i] ? i : *column;
        n += repeated[i];
    }
    *column = n * 2 >= csv->n_columns ? *column : -1;
out:
    kanon__free(repeated);
    kanon__csv_rewind(csv);
    return st;
}

/* The first of some numbers among the names that are neither years (2019, 2020) nor a sequence (1, 2, 3), as columns are
 * called; -1: there are none. */
static int find_numbers(const kanon__csv *csv)
{
    int first = -1, n = 0;
    bool years = true, sequence = true;
    int64_t before = 0;
    for (int i = 0; i < csv->n_columns; i++) {
        int64_t number;
        kanon__decimal decimal;
        if (!kanon__parse_decimal(&decimal, csv->names[i], strlen(csv->names[i])))
            continue;
        bool whole = kanon__parse_integer(&number, csv->names[i], strlen(csv->names[i]));
        years = years && whole && number >= FIRST_YEAR && number <= LAST_YEAR;
        sequence = sequence && whole && (n == 0 || number == before + 1);
        first = n == 0 ? i : first;
        before = whole ? number : 0;
        n++;
    }
    return years || (sequence && n > 1) ? -1 : first;
}

kanon_status kanon__header_judge(kanon__header_shape *out, int *column, kanon__csv *csv, kanon_error *err)
{
    *out = KANON__HEADER_NAMES;
    *column = 0;
    if (all_values(csv)) {
        *out = KANON__HEADER_NUMBERS;
        return KANON_OK;
    }
    kanon_status st = find_repeated(column, csv, err);
    if (st != KANON_OK)
        return st;
    if (*column >= 0) {
        *out = KANON__HEADER_REPEATED;
        return KANON_OK;
    }
    *column = find_numbers(csv);
    if (*column >= 0) {
        *out = KANON__HEADER_NUMBERS;
        return KANON_OK;
    }
    for (*column = 0; *column < csv->n_columns; (*column)++)
        if (is_blank(csv->names[*column])) {
            *out = KANON__HEADER_EMPTY;
            return KANON_OK;
        }
    return KANON_OK;
}
