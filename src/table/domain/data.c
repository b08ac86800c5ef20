/* Encoded columns: freeing them, and taking some of their rows. Blocks, samples and neighbourhoods are grouped as data of
 * their own, with the domains and ranges of the whole. */
#include "table/domain/data.h"

#include "core/alloc.h"

void kanon__data_clear(kanon__data *data)
{
    for (int i = 0; data->columns != NULL && i < data->n_columns; i++) {
        kanon__column *c = &data->columns[i];
        kanon__domain_free(c->domain);
        kanon__codes_clear(&c->codes);
        kanon__free(c->taxonomy_path);
        kanon__free(c->weight_text);
        kanon__free(c->name);
    }
    kanon__codes_clear(&data->entity_codes);
    kanon__free(data->sensitive);
    kanon__free(data->quasi);
    kanon__free(data->columns);
    *data = (kanon__data){0};
}

static kanon_status copy_codes(kanon__codes *out, kanon__codes from, uint32_t n_codes, const int32_t *rows, int64_t n,
                               kanon_error *err)
{
    kanon_status st = kanon__codes_new(out, n, n_codes, false, err);
    for (int64_t i = 0; st == KANON_OK && i < n; i++)
        kanon__code_set(*out, i, kanon__code_at(from, rows[i]));
    return st;
}

kanon_status kanon__data_rows(kanon__data *out, const kanon__data *whole, const int32_t *rows, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = *whole;
    out->n_rows = n;
    out->spilled = false;
    out->columns = NULL;
    out->entity_codes = (kanon__codes){0};
    KANON_TRY(kanon__new_array(&out->columns, whole->n_columns, "a part of the table", err), out);
    for (int i = 0; i < whole->n_columns; i++) {
        out->columns[i] = whole->columns[i];
        out->columns[i].codes = (kanon__codes){0};
    }
    for (int i = 0; i < whole->n_columns; i++)
        if (whole->columns[i].domain != NULL)
            KANON_TRY(copy_codes(&out->columns[i].codes, whole->columns[i].codes, whole->columns[i].domain->n_codes, rows, n,
                                 err),
                      out);
    if (whole->has_entity)
        KANON_TRY(copy_codes(&out->entity_codes, whole->entity_codes, (uint32_t)whole->n_entities, rows, n, err), out);
out:
    if (st != KANON_OK)
        kanon__data_clear_rows(out);
    return st;
}

void kanon__data_clear_rows(kanon__data *part)
{
    for (int i = 0; part->columns != NULL && i < part->n_columns; i++)
        kanon__codes_clear(&part->columns[i].codes);
    kanon__free(part->columns);
    part->columns = NULL;
    kanon__codes_clear(&part->entity_codes);
}
