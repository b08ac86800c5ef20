/* See batch_block.h. Nothing here fails but kanon__block_new. */
#include "database/batch_block.h"

#include "core/alloc.h"
#include "core/spill.h"
#include "database/batch.h"

#include <stdatomic.h>

enum { ALIGNMENT = 64, PAGE = 4096, MOST_BUFFERS = 3 };

/* At the beginning of its own memory. */
struct kanon__block {
    atomic_int references;
    bool spilled;
    size_t size, used;
    size_t column; /* where the present column begins */
};

/* What is behind an array. */
typedef struct owned {
    kanon__block *memory;
    char *begin; /* of its part of the memory, on a page of its own; NULL: it has none */
    size_t size;
    const void *buffers[MOST_BUFFERS];
} owned;

size_t kanon__block_piece(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t kanon__block_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

size_t kanon__block_room(int n_columns, int n_encoded)
{
    size_t n = (size_t)n_columns, arrays = 1 + n + (size_t)n_encoded;
    return kanon__block_pages(kanon__block_piece(sizeof(kanon__block)) + kanon__block_piece(n * sizeof(struct ArrowArray)) +
                              kanon__block_piece(n * sizeof(struct ArrowArray *)) +
                              (size_t)n_encoded * kanon__block_piece(sizeof(struct ArrowArray)) +
                              arrays * kanon__block_piece(sizeof(owned)));
}

kanon_status kanon__block_new(kanon__block **out, size_t size, bool spilled, kanon_error *err)
{
    char *bytes = NULL;
    kanon_status st = spilled ? kanon__spill_new((void **)&bytes, size, err)
                              : kanon__new_array(&bytes, (int64_t)size, "a batch", err);
    if (st != KANON_OK)
        return st;
    kanon__block *b = (kanon__block *)(void *)bytes;
    atomic_init(&b->references, 1);
    b->spilled = spilled;
    b->size = size;
    b->used = kanon__block_piece(sizeof *b);
    *out = b;
    return KANON_OK;
}

void kanon__block_drop(kanon__block *b)
{
    if (b == NULL || atomic_fetch_sub(&b->references, 1) > 1)
        return;
    if (b->spilled)
        kanon__spill_free(b, b->size);
    else
        kanon__free(b);
}

char *kanon__block_take(kanon__block *b, size_t size)
{
    char *at = (char *)b + b->used;
    b->used += kanon__block_piece(size);
    return at;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------- */

static void release_if_any(struct ArrowArray *array)
{
    if (array != NULL && array->release != NULL)
        array->release(array);
}

/* An array that is in the block itself may be gone with its reference. */
static void release_array(struct ArrowArray *array)
{
    owned *o = array->private_data;
    kanon__block *memory = o->memory;
    for (int64_t i = 0; i < array->n_children; i++)
        release_if_any(array->children[i]);
    release_if_any(array->dictionary);
    array->release = NULL;
    kanon__block_drop(memory);
}

void kanon__block_array(struct ArrowArray *out, kanon__block *b, int64_t length, int n_buffers, int n_children)
{
    owned *o = (owned *)(void *)kanon__block_take(b, sizeof *o);
    struct ArrowArray *children = (void *)kanon__block_take(b, (size_t)n_children * sizeof *children);
    struct ArrowArray **list = (void *)kanon__block_take(b, (size_t)n_children * sizeof *list);
    for (int i = 0; i < n_children; i++)
        list[i] = &children[i];
    o->memory = b;
    atomic_fetch_add(&b->references, 1);
    *out = (struct ArrowArray){.length = length,
                               .n_buffers = n_buffers,
                               .n_children = n_children,
                               .buffers = o->buffers,
                               .children = list,
                               .release = release_array,
                               .private_data = o};
}

struct ArrowArray *kanon__block_dictionary(struct ArrowArray *array, int64_t length, int n_buffers)
{
    const owned *o = array->private_data;
    array->dictionary = (void *)kanon__block_take(o->memory, sizeof *array->dictionary);
    kanon__block_array(array->dictionary, o->memory, length, n_buffers, 0);
    return array->dictionary;
}

void kanon__block_set_buffer(struct ArrowArray *array, int number, const void *buffer)
{
    ((owned *)array->private_data)->buffers[number] = buffer;
}

/* ---- columns ------------------------------------------------------------------------------------------------------ */

void kanon__block_begin_column(kanon__block *b)
{
    b->column = b->used = kanon__block_pages(b->used);
}

void kanon__block_end_column(kanon__block *b, struct ArrowArray *column)
{
    owned *o = column->private_data;
    o->begin = (char *)b + b->column;
    o->size = b->used - b->column;
    kanon__batch_rest(column);
}

void kanon__batch_rest(const struct ArrowArray *column)
{
    if (column->release != release_array)
        return;
    const owned *o = column->private_data;
    if (o->memory->spilled && o->begin != NULL)
        kanon__spill_rest(o->begin, o->size);
}
