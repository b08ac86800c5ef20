/* See compare_original.h.
 *
 * Whether a file with as many rows as the table has its order is found on some rows, against the table moved by half its
 * length: in the right order much more fits, whatever else is wrong with some columns. A file with fewer rows has the order
 * if all its rows can be found one after the other; the first way and the last way to do this say which rows have one record
 * only. */
#include "audit/cell_notation.h"
#include "audit/comparer.h"
#include "audit/key_rows.h"
#include "core/alloc.h"
#include "core/sort.h"
#include "table/domain/column_type.h"
#include "table/value/number.h"

#include <string.h>

enum { ROW_NS = 60 }; /* to compare a cell */

/* ---- columns ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__reading_new(kanon__reading *out, const kanon__comparer *c, int file, int table, kanon_error *err)
{
    const kanon__compared_column *column = &c->found->columns[table];
    const kanon__dictionary *texts = &c->file[file].texts;
    *out = (kanon__reading){.column = table};
    if (column->quasi)
        return kanon__cell_regions_read(&out->regions, &c->table->data.columns[column->place], texts, c->schema, err);
    KANON_CHECK(kanon__new_array(&out->code_of, texts->n, "cells", err));
    KANON_CHECK(kanon__new_array(&out->any, texts->n, "cells", err));
    for (uint32_t i = 0; i < texts->n; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(texts, i, &length);
        char number[KANON__NUMBER_TEXT];
        if (!c->file[file].plain && length < sizeof number) { /* plain columns have it already */
            memcpy(number, text, length);
            length = kanon__file_text_canonical(number, length, &c->plain[table].kind);
            text = number;
        }
        out->code_of[i] = kanon__dictionary_find(&c->plain[table].texts, text, length);
        out->any[i] = kanon__notation_is_any(text, length);
    }
    return KANON_OK;
}

void kanon__reading_clear(kanon__reading *reading)
{
    kanon__cell_regions_clear(&reading->regions);
    kanon__free(reading->code_of);
    kanon__free(reading->any);
}

/* The column of the file NAME_min is of the quasi column NAME of the table, NAME_max is the other one of it. */
static int find_split(const kanon__comparer *c, const char *name, bool *is_max)
{
    size_t length = strlen(name);
    if (length < 4 || (strcmp(name + length - 4, "_min") != 0 && strcmp(name + length - 4, "_max") != 0))
        return -1;
    *is_max = name[length - 1] == 'x';
    for (int i = 0; i < c->table->data.n_columns; i++) {
        const kanon__column *column = &c->table->data.columns[i];
        if (column->role == KANON_ROLE_QUASI && kanon__column_is_numeric(column) && strlen(column->name) == length - 4 &&
            memcmp(column->name, name, length - 4) == 0 && kanon__source_find(c->release, column->name) < 0 &&
            kanon__source_find_part(c->release, column->name, "_min") >= 0 &&
            kanon__source_find_part(c->release, column->name, "_max") >= 0)
            return i;
    }
    return -1;
}

/* What is identifying is not read, and released under no circumstances. */
static bool is_unread(const kanon__source *source, int place)
{
    return source->unread != NULL && source->unread[place];
}

/* The type of a column of the table, as it was found or as the schema says. */
static kanon__value_kind kind_of(const kanon__comparer *c, int place)
{
    const kanon__column *column = &c->table->data.columns[place];
    const kanon__attribute *attribute = kanon__schema_find(c->schema, column->name);
    if (column->domain != NULL)
        return (kanon__value_kind){column->domain->type, column->domain->format};
    return attribute != NULL ? (kanon__value_kind){attribute->type, kanon__attribute_format(attribute, c->schema)}
                             : (kanon__value_kind){.type = KANON_TYPE_UNKNOWN};
}

static kanon_status add_column(kanon__comparer *c, int first, int last, int place, kanon_error *err)
{
    int at = c->found->n_columns++;
    const char *name = c->table->data.columns[place].name;
    bool quasi = c->table->data.columns[place].role == KANON_ROLE_QUASI;
    c->found->columns[at] = (kanon__compared_column){
        .name = name, .place = place, .quasi = quasi, .shuffled = c->table->data.columns[place].permuted, .exchanged = -1};
    KANON_CHECK(kanon__file_column_init(&c->file[at], name, first, last, !quasi, err));
    KANON_CHECK(kanon__file_column_init(&c->plain[at], name, place, place, true, err));
    c->file[at].kind = c->plain[at].kind = kind_of(c, place);
    return KANON_OK;
}

static kanon_status pair_columns(kanon__comparer *c, kanon_error *err)
{
    int n = c->release->n_columns;
    KANON_CHECK(kanon__new_array(&c->found->columns, n, "columns", err));
    KANON_CHECK(kanon__new_array(&c->file, n, "columns", err));
    KANON_CHECK(kanon__new_array(&c->plain, n, "columns", err));
    KANON_CHECK(kanon__new_array(&c->readings, n, "columns", err));
    for (int i = 0; i < n; i++) {
        const char *name = c->release->column_names[i];
        bool is_max = false;
        int place = kanon__source_find(c->table->source, name), last = i;
        if (place < 0) {
            place = find_split(c, name, &is_max);
            last = place >= 0 ? kanon__source_find_part(c->release, c->table->data.columns[place].name, "_max") : i;
        }
        if (place < 0)
            KANON_CHECK(kanon__texts_add_shown(&c->found->extra, name, err));
        else if (!is_max && !is_unread(c->table->source, place))
            KANON_CHECK(add_column(c, i, last, place, err));
    }
    return KANON_OK;
}

/* Only the plain columns of the table have texts: its quasi columns are encoded already. */
static kanon_status read_originals(kanon__comparer *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__file_column *columns = NULL;
    int64_t n_rows = 0;
    int n = 0;
    KANON_TRY(kanon__new_array(&columns, c->found->n_columns, "columns", err), out);
    for (int i = 0; i < c->found->n_columns; i++)
        if (!c->found->columns[i].quasi)
            columns[n++] = c->plain[i];
    if (n > 0)
        st = kanon__file_columns_read(columns, n, &n_rows, c->table->source, c->schema, c->ticker, err);
    for (int i = 0, at = 0; i < c->found->n_columns; i++)
        if (!c->found->columns[i].quasi)
            c->plain[i] = columns[at++];
out:
    kanon__free(columns);
    return st;
}

/* What the texts of a quasi column are as a whole. */
static void look_at_cells(kanon__comparer *c, int i)
{
    enum { PARTS = 5 }; /* one cell in five is a mean: the column has means */
    kanon__compared_column *column = &c->found->columns[i];
    const kanon__cell_regions *regions = &c->readings[i].regions;
    int64_t n_between = 0;
    for (int64_t row = 0; column->quasi && row < c->found->n_rows; row++) {
        uint32_t text = c->file[i].codes[row];
        const kanon__cell_region *region = kanon__cell_region_of(regions, text);
        column->unknown += text != KANON__NO_CODE && regions->unknown[text];
        n_between += region->lo == region->hi + 1 && region->hi < UINT32_MAX;
    }
    column->means = n_between * PARTS > c->found->n_rows;
}

static kanon_status read_both(kanon__comparer *c, kanon_error *err)
{
    kanon__comparison *found = c->found;
    KANON_CHECK(pair_columns(c, err));
    KANON_CHECK(read_originals(c, err));
    KANON_CHECK(kanon__file_columns_read(c->file, found->n_columns, &found->n_rows, c->release, c->schema, c->ticker, err));
    found->n_records = c->table->data.n_rows;
    for (int i = 0; i < found->n_columns; i++) {
        KANON_CHECK(kanon__reading_new(&c->readings[i], c, i, i, err));
        look_at_cells(c, i);
    }
    KANON_CHECK(kanon__new_array(&found->owner_of, found->n_rows, "rows", err));
    return kanon__new_array(&found->row_of, found->n_rows, "rows", err);
}

/* ---- by key ------------------------------------------------------------------------------------------------------ */

static kanon_status fail_without_key(const kanon__source *source, const char *column, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s:1: %s: there is no such column, which is one of the key",
                                  source->name, column);
    return kanon__hint(err, st, "the columns of the key must be in the table and in its release");
}

static kanon_status check_key(const kanon__comparer *c, const kanon__texts *key, kanon_error *err)
{
    for (int64_t i = 0; i < key->n; i++) {
        if (kanon__source_find(c->table->source, key->items[i]) < 0)
            return fail_without_key(c->table->source, key->items[i], err);
        if (kanon__source_find(c->release, key->items[i]) < 0)
            return fail_without_key(c->release, key->items[i], err);
    }
    return KANON_OK;
}

static kanon_status match_by_key(kanon__comparer *c, const kanon__texts *key, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__comparison *found = c->found;
    kanon__key_rows *keys = NULL;
    kanon__cursor *cursor = NULL;
    found->how = KANON__COMPARED_BY_KEY;
    KANON_TRY(check_key(c, key, err), out);
    KANON_TRY(kanon__key_rows_new(&keys, key, c->table->source, c->release, c->ticker, err), out);
    KANON_TRY(c->release->class->open(&cursor, c->release, err), out);
    for (int64_t row = 0; row < found->n_rows; row++) {
        int64_t record = -1;
        bool has_row = false, again = false;
        KANON_TRY(c->release->class->next(cursor, &has_row, err), out);
        KANON_TRY(kanon__key_rows_look(keys, &record, &again, cursor, err), out);
        found->doubled += again;
        found->foreign += record < 0;
        found->row_of[row] = (int32_t)record;
        KANON_TRY(kanon__tick(c->ticker, row, found->n_rows, ROW_NS * 5, err), out);
    }
    found->missing = found->n_records - (found->n_rows - found->doubled - found->foreign);
out:
    c->release->class->close(cursor);
    kanon__key_rows_free(keys);
    return st;
}

/* ---- in order ---------------------------------------------------------------------------------------------------- */

/* Rows of some, evenly spread. */
enum { SOME_ROWS = 2000 };

static int64_t some_row(const kanon__comparer *c, int64_t i, int64_t n)
{
    return n < c->found->n_rows ? i * (c->found->n_rows / n) : i;
}

/* Of some cells, those that fit in the order and those that fit the records half a table further on. */
static void count_some(const kanon__comparer *c, const kanon__reading *reading, int file, int64_t *fit, int64_t *chance)
{
    int64_t n_rows = c->found->n_rows, n = n_rows < SOME_ROWS ? n_rows : SOME_ROWS;
    *fit = *chance = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = some_row(c, i, n), other = (row + (n_rows + 1) / 2) % n_rows;
        *fit += kanon__reading_fits(c, reading, c->file[file].codes[row], row);
        *chance += kanon__reading_fits(c, reading, c->file[file].codes[row], other);
    }
}

/* The cells of a column of the file in those rows alone, so that no more texts are read than these have. */
static kanon_status take_some(kanon__file_column *out, const kanon__comparer *c, int file, kanon_error *err)
{
    const kanon__file_column *column = &c->file[file];
    int64_t n_rows = c->found->n_rows, n = n_rows < SOME_ROWS ? n_rows : SOME_ROWS;
    KANON_CHECK(kanon__file_column_init(out, column->name, column->first, column->last, column->plain, err));
    out->kind = column->kind;
    KANON_CHECK(kanon__new_array(&out->codes, n_rows, "cells", err));
    for (int64_t i = 0; i < n; i++) {
        int64_t row = some_row(c, i, n);
        size_t length;
        out->codes[row] = column->codes[row];
        if (column->codes[row] == KANON__NO_CODE)
            continue;
        const char *text = kanon__dictionary_text(&column->texts, column->codes[row], &length);
        KANON_CHECK(kanon__dictionary_add(&out->texts, &out->codes[row], text, length, err));
    }
    return KANON_OK;
}

/* The column of the file is read as each other column of the table, if little of it fits under its own name. */
static kanon_status find_best(const kanon__comparer *c, int file, int64_t *fit, int64_t *chance, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = c->found->n_rows < SOME_ROWS ? c->found->n_rows : SOME_ROWS;
    kanon__file_column some = {.name = NULL};
    kanon__comparer of_some = *c; /* its one file column is `some` */
    of_some.file = &some;
    count_some(c, &c->readings[file], file, fit, chance);
    if (*fit * 2 >= n)
        return KANON_OK;
    KANON_TRY(take_some(&some, c, file, err), out);
    for (int i = 0; st == KANON_OK && i < c->found->n_columns && *fit * 2 < n; i++) {
        kanon__reading reading = {0};
        int64_t fit_here = 0, chance_here = 0;
        if (i == file)
            continue;
        st = kanon__reading_new(&reading, &of_some, 0, i, err);
        if (st == KANON_OK)
            count_some(&of_some, &reading, 0, &fit_here, &chance_here);
        if (fit_here > *fit + (n - *fit) / 2) {
            *fit = fit_here;
            *chance = chance_here;
        }
        kanon__reading_clear(&reading);
    }
out:
    kanon__free(some.codes);
    kanon__dictionary_clear(&some.texts);
    return st;
}

/* Whether the rows, as many as the records, are in the order of the table. */
static kanon_status find_order(const kanon__comparer *c, bool *out, kanon_error *err)
{
    int64_t n = c->found->n_rows < SOME_ROWS ? c->found->n_rows : SOME_ROWS, more = 0, most = 0;
    int64_t row = 0;
    while (row < c->found->n_rows && kanon__row_fits(c, row, row))
        row++;
    *out = row == c->found->n_rows;
    for (int i = 0; !*out && i < c->found->n_columns; i++) {
        int64_t fit = 0, chance = 0;
        if (c->found->columns[i].shuffled)
            continue;
        KANON_CHECK(find_best(c, i, &fit, &chance, err));
        more += fit - chance;
        most += n - chance;
    }
    *out |= n == 1 || more * 2 > most;
    return KANON_OK;
}

/* The rows are found in the table one after the other, from its begin on: each is the first record that it fits. */
static kanon_status find_from_begin(kanon__comparer *c, bool *out, kanon_error *err)
{
    int64_t record = 0;
    *out = true;
    for (int64_t row = 0; *out && row < c->found->n_rows; row++, record++) {
        while (record < c->found->n_records && !kanon__row_fits(c, row, record))
            record++;
        *out = record < c->found->n_records;
        c->found->row_of[row] = (int32_t)record;
        KANON_CHECK(kanon__poll_tick(ROW_NS * c->found->n_columns, err));
    }
    return KANON_OK;
}

/* The same from its end on. A row that is another record then may be either. */
static kanon_status find_from_end(kanon__comparer *c, kanon_error *err)
{
    int64_t record = c->found->n_records - 1;
    for (int64_t row = c->found->n_rows - 1; row >= 0; row--, record--) {
        while (record >= 0 && !kanon__row_fits(c, row, record))
            record--;
        if (c->found->row_of[row] != record) {
            c->found->row_of[row] = -1;
            c->found->unplaced++;
        }
        KANON_CHECK(kanon__poll_tick(ROW_NS * c->found->n_columns, err));
    }
    return KANON_OK;
}

/* *out: the rows have the order of the table, and are placed. */
static kanon_status match_in_order(kanon__comparer *c, bool *out, kanon_error *err)
{
    kanon__comparison *found = c->found;
    *out = false;
    found->how = KANON__COMPARED_IN_ORDER;
    found->missing = found->unplaced = 0;
    if (found->n_rows > found->n_records || found->n_columns == 0)
        return KANON_OK;
    if (found->n_rows == found->n_records) {
        KANON_CHECK(find_order(c, out, err));
        for (int64_t row = 0; row < found->n_rows; row++)
            found->row_of[row] = (int32_t)row;
        return KANON_OK;
    }
    KANON_CHECK(find_from_begin(c, out, err));
    if (*out)
        KANON_CHECK(find_from_end(c, err));
    found->missing = *out ? found->n_records - found->n_rows : 0;
    return KANON_OK;
}

/* ---- what does not fit ------------------------------------------------------------------------------------------- */

static void count_uncovered(kanon__comparer *c, const kanon__reading *reading, int file, int64_t *out)
{
    *out = 0;
    for (int64_t row = 0; row < c->found->n_rows; row++)
        if (c->found->row_of[row] >= 0)
            *out += !kanon__reading_fits(c, reading, c->file[file].codes[row], c->found->row_of[row]);
}

/* Of means those that are not between the least and the largest value of their class. */
static kanon_status count_no_means(kanon__comparer *c, int i, const uint32_t *class_of, int64_t *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *originals = &c->table->data.columns[c->found->columns[i].place];
    const kanon__cell_regions *regions = &c->readings[i].regions;
    uint32_t n_classes = 0, *least = NULL, *most = NULL;
    *out = 0;
    for (int64_t row = 0; row < c->found->n_rows; row++)
        n_classes = class_of[row] >= n_classes ? class_of[row] + 1 : n_classes;
    KANON_TRY(kanon__new_array(&least, n_classes, "means", err), out);
    KANON_TRY(kanon__new_array(&most, n_classes, "means", err), out);
    for (uint32_t j = 0; j < n_classes; j++)
        least[j] = UINT32_MAX;
    for (int64_t row = 0; row < c->found->n_rows; row++) {
        uint32_t class_id = class_of[row];
        int64_t record = c->found->row_of[row];
        if (record < 0)
            continue;
        uint32_t code = kanon__code_at(originals->codes, record);
        least[class_id] = code < least[class_id] ? code : least[class_id];
        most[class_id] = code > most[class_id] ? code : most[class_id];
    }
    for (int64_t row = 0; row < c->found->n_rows; row++) {
        uint32_t text = c->file[i].codes[row], class_id = class_of[row];
        const kanon__cell_region *region = kanon__cell_region_of(regions, text);
        bool is_number = region->lo == region->hi || (region->lo == region->hi + 1 && region->hi < UINT32_MAX);
        bool fits = is_number
                        ? region->hi >= least[class_id] && region->lo <= most[class_id]
                        : c->found->row_of[row] < 0 || kanon__reading_fits(c, &c->readings[i], text, c->found->row_of[row]);
        *out += !fits;
    }
out:
    kanon__free(least);
    kanon__free(most);
    return st;
}

/* A value of a class, of the file or of the table. */
typedef struct class_value {
    uint32_t class_id, code;
} class_value;

static int by_class(const void *left, const void *right)
{
    const class_value *a = left, *b = right;
    if (a->class_id != b->class_id)
        return a->class_id < b->class_id ? -1 : 1;
    return (a->code > b->code) - (a->code < b->code);
}

/* By class: it has a row of which it is not known which record it is. */
static kanon_status find_open(bool **out, const kanon__comparer *c, const uint32_t *class_of, kanon_error *err)
{
    uint32_t n_classes = 0;
    for (int64_t row = 0; row < c->found->n_rows; row++)
        n_classes = class_of[row] >= n_classes ? class_of[row] + 1 : n_classes;
    KANON_CHECK(kanon__new_array(out, n_classes, "classes", err));
    for (int64_t row = 0; row < c->found->n_rows; row++)
        (*out)[class_of[row]] |= c->found->row_of[row] < 0;
    return KANON_OK;
}

/* How many of the sorted `left` have none of their own among the sorted `right`. */
static int64_t count_unpaired(const class_value *left, int64_t n_left, const class_value *right, int64_t n_right)
{
    int64_t n = 0, at = 0;
    for (int64_t i = 0; i < n_left; i++) {
        while (at < n_right && by_class(&right[at], &left[i]) < 0)
            at++;
        if (at < n_right && by_class(&right[at], &left[i]) == 0)
            at++;
        else
            n++;
    }
    return n;
}

kanon_status kanon__permuted_cells(int64_t *differ, int64_t *untold, const kanon__comparer *c, int column,
                                   const uint32_t *class_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__reading *reading = &c->readings[column];
    int64_t n_cells = 0, n_values = 0, n_rows = c->found->n_rows;
    class_value *of_file = NULL, *of_table = NULL;
    bool *open = NULL;
    *untold = 0;
    KANON_TRY(find_open(&open, c, class_of, err), out);
    KANON_TRY(kanon__new_array(&of_file, n_rows, "values of classes", err), out);
    KANON_TRY(kanon__new_array(&of_table, n_rows, "values of classes", err), out);
    for (int64_t row = 0; row < n_rows; row++) {
        uint32_t text = c->file[column].codes[row];
        if (open[class_of[row]]) {
            ++*untold;
            continue;
        }
        of_table[n_values++] = (class_value){class_of[row], c->plain[column].codes[c->found->row_of[row]]};
        if (!reading->any[text])
            of_file[n_cells++] = (class_value){class_of[row], reading->code_of[text]};
    }
    KANON_TRY(kanon__sort(of_file, n_cells, sizeof *of_file, by_class, err), out);
    KANON_TRY(kanon__sort(of_table, n_values, sizeof *of_table, by_class, err), out);
    *differ = count_unpaired(of_file, n_cells, of_table, n_values);
out:
    kanon__free(open);
    kanon__free(of_file);
    kanon__free(of_table);
    return st;
}

/* What the schema permutes has the values of its class. Any other column may be found to be permuted, too: row by row its
 * cells do not fit, and in every class that is known all do. */
static kanon_status look_at_classes(kanon__comparer *c, int i, const uint32_t *class_of, kanon_error *err)
{
    kanon__compared_column *column = &c->found->columns[i];
    int64_t differ = 0, untold = 0;
    if (column->quasi || class_of == NULL || (column->uncovered == 0 && !column->shuffled))
        return KANON_OK;
    KANON_CHECK(kanon__permuted_cells(&differ, &untold, c, i, class_of, err));
    column->away = column->uncovered;
    column->permuted = differ == 0;
    if (column->shuffled) {
        column->uncovered = differ;
        column->untold = untold;
    }
    return KANON_OK;
}

/* Cells that do not fit the column `table`: row by row, or however they are dealt out. */
static kanon_status count_misfits(kanon__comparer *c, const kanon__reading *reading, int file, int64_t *out,
                                  kanon_error *err)
{
    if (c->found->how == KANON__COMPARED_AS_MULTISET)
        return kanon__unmatched_cells(out, c, reading, file, err);
    count_uncovered(c, reading, file, out);
    return KANON_OK;
}

/* Column i has misfits under its name. Under which other name are there a tenth of them at most? */
static kanon_status find_exchanged(kanon__comparer *c, const int64_t *misfits, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t least = misfits[i] / 10 + 1;
    for (int j = 0; st == KANON_OK && j < c->found->n_columns; j++) {
        kanon__reading reading = {0};
        int64_t n = 0;
        if (j == i || misfits[j] == 0)
            continue;
        st = kanon__reading_new(&reading, c, i, j, err);
        if (st == KANON_OK)
            st = count_misfits(c, &reading, i, &n, err);
        if (st == KANON_OK && n < least) {
            least = n;
            c->found->columns[i].exchanged = j;
        }
        kanon__reading_clear(&reading);
        if (st == KANON_OK)
            st = kanon__tick(c->ticker, 0, 0, KANON__TICK_POLL_NS, err);
    }
    return st;
}

/* One cell in twenty must be wrong, or it is not the header that is. */
static kanon_status find_exchanges(kanon__comparer *c, kanon_error *err)
{
    enum { PARTS = 20 };
    kanon_status st = KANON_OK;
    int64_t *misfits = NULL;
    KANON_TRY(kanon__new_array(&misfits, c->found->n_columns, "columns", err), out);
    for (int i = 0; i < c->found->n_columns; i++)
        if (!c->found->columns[i].permuted && (!c->found->columns[i].means || c->found->columns[i].uncovered > 0))
            KANON_TRY(count_misfits(c, &c->readings[i], i, &misfits[i], err), out);
    for (int i = 0; i < c->found->n_columns; i++)
        if (misfits[i] * PARTS >= c->found->n_rows && misfits[i] > 0)
            KANON_TRY(find_exchanged(c, misfits, i, err), out);
out:
    kanon__free(misfits);
    return st;
}

static kanon_status count_cells(kanon__comparer *c, const uint32_t *class_of, kanon_error *err)
{
    for (int i = 0; i < c->found->n_columns; i++) {
        kanon__compared_column *column = &c->found->columns[i];
        if (!column->means)
            count_uncovered(c, &c->readings[i], i, &column->uncovered);
        else if (class_of != NULL)
            KANON_CHECK(count_no_means(c, i, class_of, &column->uncovered, err));
        KANON_CHECK(look_at_classes(c, i, class_of, err));
        KANON_CHECK(kanon__tick(c->ticker, 0, 0, KANON__TICK_POLL_NS, err));
    }
    return KANON_OK;
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

static kanon_status compare_multiset(kanon__comparer *c, kanon_error *err)
{
    c->found->how = KANON__COMPARED_AS_MULTISET;
    return kanon__compare_multiset(c, err);
}

/* Whether many rows do not fit the record of their place. */
static bool is_doubtful(const kanon__comparer *c)
{
    enum { PARTS = 10 };
    int64_t n = 0;
    for (int64_t row = 0; row < c->found->n_rows; row++)
        n += c->found->row_of[row] >= 0 && !kanon__row_fits(c, row, c->found->row_of[row]);
    return n * PARTS > c->found->n_rows;
}

static bool has_faults(const kanon__comparison *found)
{
    bool any = found->doubled > 0 || found->foreign > 0 || found->is_partial;
    for (int i = 0; i < found->n_columns && !any; i++)
        any = found->columns[i].uncovered > 0;
    return any;
}

/* Rows of a sorted table that are nearly in its order, or rows that are in it and wrong? A multiset without a fault tells. */
static kanon_status doubt_order(kanon__comparer *c, bool *is_placed, kanon_error *err)
{
    KANON_CHECK(compare_multiset(c, err));
    *is_placed = has_faults(c->found);
    if (!*is_placed)
        return KANON_OK;
    for (int i = 0; i < c->found->n_columns; i++)
        c->found->columns[i].uncovered = c->found->columns[i].untold = 0;
    c->found->doubled = c->found->foreign = 0;
    c->found->is_partial = false;
    return match_in_order(c, is_placed, err);
}

static kanon_status compare(kanon__comparer *c, const kanon__texts *key, kanon_error *err)
{
    bool is_placed = false, is_done = false;
    KANON_CHECK(read_both(c, err));
    if (key->n > 0)
        KANON_CHECK(match_by_key(c, key, err));
    else
        KANON_CHECK(match_in_order(c, &is_placed, err));
    if (key->n == 0 && is_placed && is_doubtful(c)) {
        KANON_CHECK(doubt_order(c, &is_placed, err));
        is_done = !is_placed;
    }
    if (key->n == 0 && !is_placed) {
        if (!is_done)
            KANON_CHECK(compare_multiset(c, err));
    } else {
        KANON_CHECK(count_cells(c, c->class_of, err));
        for (int64_t row = 0; row < c->found->n_rows; row++)
            c->found->owner_of[row] = c->found->row_of[row];
    }
    KANON_CHECK(find_exchanges(c, err));
    return c->found->with_linkage ? kanon__compare_linkage(c, err) : KANON_OK;
}

kanon_status kanon__compare_original(kanon__comparison *out, const kanon_table *table, const kanon__source *release,
                                     const kanon_schema *schema, const kanon__texts *key, const uint32_t *class_of,
                                     kanon__ticker *ticker, kanon_error *err)
{
    kanon__comparer c = {
        .found = out, .table = table, .release = release, .schema = schema, .class_of = class_of, .ticker = ticker};
    kanon_status st = compare(&c, key, err);
    for (int i = 0; c.readings != NULL && i < out->n_columns; i++)
        kanon__reading_clear(&c.readings[i]);
    kanon__free(c.readings);
    kanon__file_columns_clear(c.plain, out->n_columns);
    kanon__file_columns_clear(c.file, out->n_columns);
    return st;
}

void kanon__comparison_clear(kanon__comparison *comparison)
{
    kanon__texts_clear(&comparison->extra);
    kanon__free(comparison->columns);
    kanon__free(comparison->row_of);
    kanon__free(comparison->owner_of);
    *comparison = (kanon__comparison){0};
}
