/* See row_run.h. Everything that is made for the part is freed by one function; the rows of the part keep their order.
 * May call the model and the constraints; knows no algorithm. */
#include "partition/row_run.h"

kanon_status kanon__row_run_init(kanon__row_run *out, const kanon__run *whole, const int32_t *rows, int64_t n,
                                 int32_t *group_of, kanon_error *err)
{
    *out = (kanon__row_run){.run = *whole};
    KANON_CHECK(kanon__data_rows(&out->table, whole->table, rows, n, err));
    KANON_CHECK(kanon__space_new(&out->space, &out->table, out->table.quasi, out->table.n_quasi, KANON__TERMS_LOSS, err));
    if (whole->constraints != NULL) {
        out->constraints = kanon__constraints_for(whole->constraints, &out->table);
        out->run.constraints = &out->constraints;
    }
    out->run.table = &out->table;
    out->run.space = out->space;
    out->run.group_of = group_of;
    out->run.n_groups = 0;
    out->run.recode_maps = NULL;
    if (whole->may_suppress > 0 && whole->table->n_rows > 0)
        out->run.may_suppress = (int64_t)((__int128)whole->may_suppress * n / whole->table->n_rows);
    return KANON_OK;
}

void kanon__row_run_clear(kanon__row_run *part)
{
    kanon__space_free(part->space);
    part->space = NULL;
    kanon__data_clear_rows(&part->table);
}
