/* Makes and releases arrays and schemas. Each array owns one private block: the list of its buffers, its dictionary or its
 * children, and a reference to the memory that its buffers lie in. */
#include "release/sink/arrow_array.h"

#include "core/alloc.h"
#include "core/spill.h"
#include "database/batch.h"

#include <stdio.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------- */

kanon_status kanon__arrow_memory_new(kanon__arrow_memory **out, const kanon_table *table, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, 1, "an Arrow array", err);
    if (st != KANON_OK)
        return st;
    (*out)->references = 1;
    (*out)->table = table != NULL ? kanon__table_share(table) : NULL;
    return KANON_OK;
}

kanon_status kanon__arrow_memory_block(kanon__arrow_memory *memory, int i, int64_t size, kanon_error *err)
{
    memory->sizes[i] = (size_t)size;
    return kanon__new_array((char **)&memory->blocks[i], size, "released records", err);
}

kanon__arrow_memory *kanon__arrow_memory_share(kanon__arrow_memory *memory)
{
    __atomic_add_fetch(&memory->references, 1, __ATOMIC_RELAXED);
    return memory;
}

void kanon__arrow_memory_free(kanon__arrow_memory *memory)
{
    if (memory == NULL || __atomic_sub_fetch(&memory->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int i = 0; i < KANON__ARROW_BLOCKS; i++)
        kanon__free(memory->blocks[i]);
    kanon__spill_free(memory->aside, memory->aside_size);
    kanon_table_free(memory->table);
    kanon__free(memory);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------- */

typedef struct array_block {
    kanon__arrow_memory *memory; /* NULL: an array of records */
    char *aside;                 /* its part of what lies aside; NULL: none */
    size_t aside_size;
    const struct ArrowArray *given; /* the column of the input whose buffers these are; NULL: they are not */
    const void **buffers;
    struct ArrowArray dictionary;
    struct ArrowArray *children;
    struct ArrowArray **child_list;
} array_block;

static void free_block(array_block *block)
{
    if (block == NULL)
        return;
    kanon__free(block->child_list);
    kanon__free(block->children);
    kanon__free(block->buffers);
    kanon__arrow_memory_free(block->memory);
    kanon__free(block);
}

void kanon__arrow_array_clear(struct ArrowArray *array)
{
    if (array->release != NULL)
        array->release(array);
}

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) /* one that was moved away is marked as released */
        kanon__arrow_array_clear(array->children[i]);
    if (array->dictionary != NULL)
        kanon__arrow_array_clear(array->dictionary);
    free_block(array->private_data);
    array->release = NULL;
}

static kanon_status new_block(array_block **out, int64_t n_buffers, kanon_error *err)
{
    kanon_status st = KANON_OK;
    array_block *block = NULL;
    KANON_TRY(kanon__new_array(&block, 1, "an Arrow array", err), out);
    KANON_TRY(kanon__new_array(&block->buffers, n_buffers, "an Arrow array", err), out);
    *out = block;
    block = NULL;
out:
    free_block(block);
    return st;
}

kanon_status kanon__arrow_array_init(struct ArrowArray *out, kanon__arrow_memory *memory, int64_t length, int64_t null_count,
                                     const void *const *buffers, int64_t n_buffers, kanon_error *err)
{
    array_block *block = NULL;
    *out = (struct ArrowArray){0};
    kanon_status st = new_block(&block, n_buffers, err);
    if (st != KANON_OK) {
        kanon__arrow_memory_free(memory);
        return st;
    }
    block->memory = memory;
    for (int64_t i = 0; i < n_buffers; i++)
        block->buffers[i] = buffers[i];
    *out = (struct ArrowArray){.length = length,
                               .null_count = null_count,
                               .n_buffers = n_buffers,
                               .buffers = block->buffers,
                               .release = release_array,
                               .private_data = block};
    return KANON_OK;
}

void kanon__arrow_array_rest(const struct ArrowArray *array)
{
    if (array->release != release_array)
        return;
    const array_block *block = array->private_data;
    kanon__spill_rest(block->aside, block->aside_size);
    if (block->given != NULL)
        kanon__batch_rest(block->given);
}

void kanon__arrow_array_rests_with(struct ArrowArray *array, const struct ArrowArray *given)
{
    array_block *block = array->private_data;
    block->given = block->memory->table != NULL ? given : NULL; /* a copy does not keep the input alive */
}

void kanon__arrow_array_adopt(struct ArrowArray *array, struct ArrowArray *dictionary)
{
    array_block *block = array->private_data;
    block->dictionary = *dictionary;
    dictionary->release = NULL;
    array->dictionary = &block->dictionary;
}

kanon_status kanon__arrow_array_init_struct(struct ArrowArray *out, int64_t length, int n_children, kanon_error *err)
{
    kanon_status st = KANON_OK;
    array_block *block = NULL;
    *out = (struct ArrowArray){0};
    KANON_TRY(new_block(&block, 1, err), out); /* a record is never null: the one buffer is NULL */
    KANON_TRY(kanon__new_array(&block->children, n_children, "an Arrow array", err), out);
    KANON_TRY(kanon__new_array(&block->child_list, n_children, "an Arrow array", err), out);
    for (int i = 0; i < n_children; i++)
        block->child_list[i] = &block->children[i];
    *out = (struct ArrowArray){.length = length,
                               .n_buffers = 1,
                               .n_children = n_children,
                               .buffers = block->buffers,
                               .children = block->child_list,
                               .release = release_array,
                               .private_data = block};
    block = NULL;
out:
    free_block(block);
    return st;
}

/* ---- arrays aside ------------------------------------------------------------------------------------------------- */

/* Columns take whole pages, so that each can leave memory alone. */
enum { PAGE = 4096, ALIGNMENT = 64 };

static size_t round_up(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

/* Whether a buffer of the array begins in block i of its memory. */
static bool is_used(const struct ArrowArray *array, const kanon__arrow_memory *m, int i)
{
    for (int64_t k = 0; m->blocks[i] != NULL && k < array->n_buffers; k++) {
        const char *buffer = array->buffers[k], *begin = m->blocks[i];
        if (buffer == begin || (buffer > begin && buffer < begin + m->sizes[i]))
            return true;
    }
    return false;
}

/* What the blocks of a column take aside; 0: it has none for itself. */
static size_t size_aside(const struct ArrowArray *array)
{
    const kanon__arrow_memory *m = ((array_block *)array->private_data)->memory;
    size_t size = 0;
    if (m->table != NULL || m->references > 1)
        return 0;
    for (int i = 0; i < KANON__ARROW_BLOCKS; i++)
        size += is_used(array, m, i) ? round_up(m->sizes[i], ALIGNMENT) : 0;
    return round_up(size, PAGE);
}

static void move_aside(struct ArrowArray *array, kanon__arrow_memory *aside, char *to, size_t size)
{
    array_block *block = array->private_data;
    kanon__arrow_memory *m = block->memory;
    block->aside = to;
    block->aside_size = size;
    for (int i = 0; i < KANON__ARROW_BLOCKS; i++) {
        if (!is_used(array, m, i))
            continue;
        const char *from = m->blocks[i];
        if (m->sizes[i] > 0)
            memcpy(to, from, m->sizes[i]);
        for (int64_t k = 0; k < array->n_buffers; k++) {
            const char *buffer = block->buffers[k];
            if (buffer == from || (buffer > from && buffer < from + m->sizes[i]))
                block->buffers[k] = to + (buffer - from);
        }
        to += round_up(m->sizes[i], ALIGNMENT);
    }
    block->memory = kanon__arrow_memory_share(aside);
    kanon__arrow_memory_free(m);
    kanon__arrow_array_rest(array);
}

kanon_status kanon__arrow_array_put_aside(struct ArrowArray *records, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_memory *aside = NULL;
    size_t size = 0, at = 0;
    for (int64_t i = 0; i < records->n_children; i++)
        size += size_aside(records->children[i]);
    if (size == 0)
        return KANON_OK;
    KANON_TRY(kanon__arrow_memory_new(&aside, NULL, err), out);
    KANON_TRY(kanon__spill_new((void **)&aside->aside, size, err), out);
    aside->aside_size = size;
    for (int64_t i = 0; i < records->n_children; i++) {
        size_t own = size_aside(records->children[i]);
        if (own > 0)
            move_aside(records->children[i], aside, aside->aside + at, own);
        at += own;
    }
out:
    kanon__arrow_memory_free(aside);
    return st;
}

/* ---- schemas ------------------------------------------------------------------------------------------------------ */

kanon_status kanon__arrow_field_init(kanon__arrow_field *out, const char *name, const char *suffix, const char *format,
                                     const char *entry_format, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t size = strlen(name) + strlen(suffix) + 1;
    *out = (kanon__arrow_field){.flags = ARROW_FLAG_NULLABLE};
    KANON_TRY(kanon__new_array(&out->name, (int64_t)size, "a column name", err), out);
    snprintf(out->name, size, "%s%s", name, suffix);
    KANON_TRY(kanon__copy_text(&out->format, format, strlen(format), "an Arrow type", err), out);
    if (entry_format != NULL)
        KANON_TRY(kanon__copy_text(&out->entry_format, entry_format, strlen(entry_format), "an Arrow type", err), out);
out:
    if (st != KANON_OK)
        kanon__arrow_field_clear(out);
    return st;
}

void kanon__arrow_field_clear(kanon__arrow_field *field)
{
    kanon__free(field->entry_format);
    kanon__free(field->format);
    kanon__free(field->name);
    *field = (kanon__arrow_field){0};
}

typedef struct schema_block {
    char *name, *format;
    struct ArrowSchema dictionary;
    struct ArrowSchema *children;
    struct ArrowSchema **child_list;
} schema_block;

static void free_schema_block(schema_block *block)
{
    if (block == NULL)
        return;
    kanon__free(block->child_list);
    kanon__free(block->children);
    kanon__free(block->format);
    kanon__free(block->name);
    kanon__free(block);
}

void kanon__arrow_schema_clear(struct ArrowSchema *schema)
{
    if (schema->release != NULL)
        schema->release(schema);
}

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        kanon__arrow_schema_clear(schema->children[i]);
    if (schema->dictionary != NULL)
        kanon__arrow_schema_clear(schema->dictionary);
    free_schema_block(schema->private_data);
    schema->release = NULL;
}

static kanon_status init_schema(struct ArrowSchema *out, const char *name, const char *format, int64_t flags, int n_children,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    schema_block *block = NULL;
    *out = (struct ArrowSchema){0};
    KANON_TRY(kanon__new_array(&block, 1, "an Arrow schema", err), out);
    KANON_TRY(kanon__copy_text(&block->name, name, strlen(name), "a column name", err), out);
    KANON_TRY(kanon__copy_text(&block->format, format, strlen(format), "an Arrow type", err), out);
    KANON_TRY(kanon__new_array(&block->children, n_children, "an Arrow schema", err), out);
    KANON_TRY(kanon__new_array(&block->child_list, n_children, "an Arrow schema", err), out);
    for (int i = 0; i < n_children; i++)
        block->child_list[i] = &block->children[i];
    *out = (struct ArrowSchema){.format = block->format,
                                .name = block->name,
                                .flags = flags,
                                .n_children = n_children,
                                .children = n_children > 0 ? block->child_list : NULL,
                                .release = release_schema,
                                .private_data = block};
    block = NULL;
out:
    free_schema_block(block);
    return st;
}

static kanon_status init_field(struct ArrowSchema *out, const kanon__arrow_field *field, kanon_error *err)
{
    kanon_status st = init_schema(out, field->name, field->format, field->flags, 0, err);
    if (st != KANON_OK || field->entry_format == NULL)
        return st;
    schema_block *block = out->private_data;
    st = init_schema(&block->dictionary, "", field->entry_format, field->entry_flags, 0, err);
    if (st == KANON_OK)
        out->dictionary = &block->dictionary;
    else
        kanon__arrow_schema_clear(out);
    return st;
}

kanon_status kanon__arrow_schema_init(struct ArrowSchema *out, const kanon__arrow_field *fields, int n, kanon_error *err)
{
    kanon_status st = init_schema(out, "", "+s", 0, n, err);
    for (int i = 0; st == KANON_OK && i < n; i++)
        st = init_field(out->children[i], &fields[i], err);
    if (st != KANON_OK)
        kanon__arrow_schema_clear(out);
    return st;
}
