/* See arrow_groups.h. */
#include "release/sink/arrow_groups.h"

#include "core/alloc.h"

enum { N_COLUMNS = 2, BATCH_ROWS = 65536 };

/* One of the two columns of the rows from `first` on. */
static kanon_status fill_column(struct ArrowArray *out, const int32_t *group_of, int64_t first, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_memory *memory = NULL;
    int64_t *values = NULL;
    KANON_TRY(kanon__arrow_memory_new(&memory, NULL, NULL, err), out);
    KANON_TRY(kanon__new_array(&values, n, "groups", err), out);
    memory->blocks[0] = values;
    for (int64_t i = 0; i < n; i++)
        values[i] = group_of != NULL ? (int64_t)group_of[first + i] + 1 : first + i + 1;
    st = kanon__arrow_array_init(out, memory, n, 0, (const void *[]){NULL, values}, 2, err);
    memory = NULL;
out:
    kanon__arrow_memory_free(memory);
    return st;
}

static kanon_status fill_batch(struct ArrowArray *out, const int32_t *group_of, int64_t first, int64_t n, kanon_error *err)
{
    KANON_CHECK(kanon__arrow_array_init_struct(out, NULL, n, N_COLUMNS, err));
    KANON_CHECK(fill_column(out->children[0], NULL, first, n, err));
    return fill_column(out->children[1], group_of, first, n, err);
}

kanon_status kanon__arrow_groups_new(kanon__arrow_batches **out, const int32_t *group_of, int64_t n_rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_batches *b = NULL;
    int64_t n_batches = (n_rows + BATCH_ROWS - 1) / BATCH_ROWS;
    KANON_TRY(kanon__new_array(&b, 1, "groups", err), out);
    KANON_TRY(kanon__new_array(&b->fields, N_COLUMNS, "columns", err), out);
    b->n_fields = N_COLUMNS;
    KANON_TRY(kanon__arrow_field_init(&b->fields[0], "row", "", "l", NULL, err), out);
    KANON_TRY(kanon__arrow_field_init(&b->fields[1], "group", "", "l", NULL, err), out);
    KANON_TRY(kanon__new_array(&b->batches, n_batches, "batches", err), out);
    b->n_batches = n_batches;
    for (int64_t i = 0; i < n_batches; i++) {
        int64_t first = i * BATCH_ROWS, n = n_rows - first < BATCH_ROWS ? n_rows - first : BATCH_ROWS;
        KANON_TRY(fill_batch(&b->batches[i], group_of, first, n, err), out);
    }
    *out = b;
    b = NULL;
out:
    kanon__arrow_batches_free(b);
    return st;
}
