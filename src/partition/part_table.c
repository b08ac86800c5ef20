/* See part_table.h. Copying the codes makes them contiguous: a block is scanned far more often than it is copied. */
#include "partition/part_table.h"

#include "core/alloc.h"

static kanon_status copy_codes(kanon__codes *out, kanon__codes from, uint32_t n_codes, const int32_t *rows, int64_t n,
                               kanon_error *err)
{
    kanon_status st = kanon__codes_new(out, n, n_codes, false, err);
    for (int64_t i = 0; st == KANON_OK && i < n; i++)
        kanon__code_set(*out, i, kanon__code_at(from, rows[i]));
    return st;
}

kanon_status kanon__part_table_init(kanon_table *out, const kanon_table *whole, const int32_t *rows, int64_t n,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = *whole;
    out->n_rows = n;
    out->columns = NULL;
    out->entity_codes = (kanon__codes){0};
    KANON_TRY(kanon__new_array(&out->columns, whole->n_columns, "a part of the table", err), out);
    for (int i = 0; i < whole->n_columns; i++) {
        out->columns[i] = whole->columns[i];
        out->columns[i].codes = (kanon__codes){0};
    }
    for (int i = 0; i < whole->n_columns; i++)
        if (whole->columns[i].encoded)
            KANON_TRY(copy_codes(&out->columns[i].codes, whole->columns[i].codes, whole->columns[i].n_codes, rows, n, err),
                      out);
    if (whole->has_entity)
        KANON_TRY(copy_codes(&out->entity_codes, whole->entity_codes, (uint32_t)whole->n_entities, rows, n, err), out);
out:
    if (st != KANON_OK)
        kanon__part_table_clear(out);
    return st;
}

void kanon__part_table_clear(kanon_table *part)
{
    for (int i = 0; part->columns != NULL && i < part->n_columns; i++)
        kanon__codes_clear(&part->columns[i].codes);
    kanon__free(part->columns);
    part->columns = NULL;
    kanon__codes_clear(&part->entity_codes);
}
