/* See source_columns.h. Calls table/text/source.h. */
#include "measures/source_columns.h"

#include "core/alloc.h"

/* Columns that are read at once, of which the first one is number `first`. */
static kanon_status visit_some(kanon__source *source, kanon__raw_columns *raw, int first, kanon__column_visit visit,
                               void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(source->class->read(source, raw, err), out);
    for (int i = 0; i < raw->n_wanted; i++) {
        int c = raw->wanted[i];
        KANON_TRY(visit(payload, first + i, raw->codes[c], raw->dictionaries[c].n, err), out);
    }
out:
    for (int i = 0; i < raw->n_wanted; i++) {
        kanon__codes_clear(&raw->codes[raw->wanted[i]]);
        kanon__dictionary_clear(&raw->dictionaries[raw->wanted[i]]);
    }
    return st;
}

kanon_status kanon__source_columns(kanon__source *source, int64_t n_rows, const int *columns, int n_columns, int threads,
                                   kanon__ticker *ticker, kanon__column_visit visit, void *payload, kanon_error *err)
{
    enum { CELLS_AT_ONCE = 1 << 25 };
    kanon_status st = KANON_OK;
    kanon__raw_columns raw = {.threads = threads, .ticker = ticker};
    int64_t most = CELLS_AT_ONCE / (n_rows + 1);
    most = most < 1 ? 1 : most;
    KANON_TRY(kanon__new_array(&raw.dictionaries, source->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&raw.codes, source->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&raw.null_codes, source->n_columns, "columns", err), out);
    for (int i = 0; i < n_columns; i += raw.n_wanted) {
        raw.wanted = columns + i;
        raw.n_wanted = n_columns - i < most ? n_columns - i : (int)most;
        KANON_TRY(visit_some(source, &raw, i, visit, payload, err), out);
    }
out:
    kanon__free(raw.null_codes);
    kanon__free(raw.codes);
    kanon__free(raw.dictionaries);
    return st;
}
