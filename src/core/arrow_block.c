/* See arrow_block.h. What is behind an array or a schema is one piece of memory: lists, texts, its dictionary, its children,
 * and a reference to the memory that buffers lie in. */
#include "core/arrow_block.h"

#include "core/alloc.h"
#include "core/spill.h"

#include <stdio.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------- */

/* Columns take whole pages, so that each can leave memory alone. */
enum { PAGE = 4096, ALIGNMENT = 64 };

kanon_status kanon__arrow_memory_new(kanon__arrow_memory **out, void *owner, void (*drop)(void *), kanon_error *err)
{
    kanon_status st = kanon__new_array(out, 1, "an Arrow array", err);
    if (st == KANON_OK)
        **out = (kanon__arrow_memory){.references = 1, .owner = owner, .drop = drop};
    else if (owner != NULL)
        drop(owner);
    return st;
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

void kanon__arrow_memory_free(kanon__arrow_memory *m)
{
    if (m == NULL || __atomic_sub_fetch(&m->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int i = 0; i < KANON__ARROW_BLOCKS; i++)
        kanon__free(m->blocks[i]);
    if (m->spilled)
        kanon__spill_free(m->room, m->room_size);
    else
        kanon__free(m->room);
    if (m->owner != NULL)
        m->drop(m->owner);
    kanon__free(m);
}

kanon_status kanon__arrow_room_new(kanon__arrow_memory *m, size_t size, bool spilled, kanon_error *err)
{
    kanon_status st = spilled ? kanon__spill_new((void **)&m->room, size, err)
                              : kanon__new_array(&m->room, (int64_t)size, "a batch", err);
    m->room_size = st == KANON_OK ? size : 0;
    m->spilled = spilled && st == KANON_OK;
    return st;
}

char *kanon__arrow_room_take(kanon__arrow_memory *m, size_t size)
{
    char *at = m->room + m->room_used;
    m->room_used += kanon__arrow_room_piece(size);
    return at;
}

size_t kanon__arrow_room_piece(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t kanon__arrow_room_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------- */

/* What is behind an array; its buffers, children and their list follow it. */
typedef struct array_block {
    kanon__arrow_memory *memory; /* NULL: an array of records without a room */
    const char *begin;           /* of its part of the room; NULL: none */
    size_t size;
    bool in_room;                   /* this block itself */
    const struct ArrowArray *given; /* the column of the input whose buffers these are; NULL: they are not */
    struct ArrowArray dictionary;
} array_block;

enum { MOST_BUFFERS = 3 }; /* of arrays in a room */

static size_t block_size(int64_t n_buffers, int64_t n_children)
{
    return sizeof(array_block) + (size_t)n_buffers * sizeof(void *) +
           (size_t)n_children * (sizeof(struct ArrowArray) + sizeof(struct ArrowArray *));
}

size_t kanon__arrow_room_arrays(int n_columns, int n_encoded)
{
    return kanon__arrow_room_pages(kanon__arrow_room_piece(block_size(1, n_columns)) +
                                   (size_t)(n_columns + n_encoded) * kanon__arrow_room_piece(block_size(MOST_BUFFERS, 0)));
}

void kanon__arrow_array_clear(struct ArrowArray *array)
{
    if (array->release != NULL)
        array->release(array);
}

/* An array that lies in a room may be gone with its reference. */
static void release_array(struct ArrowArray *array)
{
    array_block *block = array->private_data;
    kanon__arrow_memory *memory = block->memory;
    for (int64_t i = 0; i < array->n_children; i++) /* one that was moved away is marked as released */
        kanon__arrow_array_clear(array->children[i]);
    if (array->dictionary != NULL)
        kanon__arrow_array_clear(array->dictionary);
    array->release = NULL;
    if (!block->in_room)
        kanon__free(block);
    kanon__arrow_memory_free(memory);
}

static kanon_status init_array(struct ArrowArray *out, kanon__arrow_memory *memory, int64_t length, int64_t n_buffers,
                               int64_t n_children, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *bytes = NULL;
    size_t size = block_size(n_buffers, n_children);
    bool in_room = memory != NULL && memory->room != NULL;
    *out = (struct ArrowArray){0};
    if (in_room)
        bytes = kanon__arrow_room_take(memory, size);
    else
        st = kanon__new_array(&bytes, (int64_t)size, "an Arrow array", err);
    if (st != KANON_OK) {
        kanon__arrow_memory_free(memory);
        return st;
    }
    array_block *block = (array_block *)(void *)bytes;
    const void **buffers = (void *)(block + 1);
    struct ArrowArray *children = (void *)(buffers + n_buffers);
    struct ArrowArray **list = (void *)(children + n_children);
    for (int64_t i = 0; i < n_children; i++)
        list[i] = &children[i];
    block->memory = memory;
    block->in_room = in_room;
    *out = (struct ArrowArray){.length = length,
                               .n_buffers = n_buffers,
                               .n_children = n_children,
                               .buffers = buffers,
                               .children = n_children > 0 ? list : NULL,
                               .release = release_array,
                               .private_data = block};
    return KANON_OK;
}

kanon_status kanon__arrow_array_init(struct ArrowArray *out, kanon__arrow_memory *memory, int64_t length, int64_t null_count,
                                     const void *const *buffers, int64_t n_buffers, kanon_error *err)
{
    kanon_status st = init_array(out, memory, length, n_buffers, 0, err);
    for (int64_t i = 0; st == KANON_OK && buffers != NULL && i < n_buffers; i++)
        out->buffers[i] = buffers[i];
    out->null_count = st == KANON_OK ? null_count : 0;
    return st;
}

/* A record is never null: the one buffer is NULL. */
kanon_status kanon__arrow_array_init_struct(struct ArrowArray *out, kanon__arrow_memory *memory, int64_t length,
                                            int n_children, kanon_error *err)
{
    return init_array(out, memory, length, 1, n_children, err);
}

void kanon__arrow_array_adopt(struct ArrowArray *array, struct ArrowArray *dictionary)
{
    array_block *block = array->private_data;
    block->dictionary = *dictionary;
    dictionary->release = NULL;
    array->dictionary = &block->dictionary;
}

/* ---- rest --------------------------------------------------------------------------------------------------------- */

void kanon__arrow_column_begin(kanon__arrow_memory *m)
{
    m->room_used = kanon__arrow_room_pages(m->room_used);
    m->column = m->room_used;
}

void kanon__arrow_column_end(struct ArrowArray *column)
{
    array_block *block = column->private_data;
    block->begin = block->memory->room + block->memory->column;
    block->size = block->memory->room_used - block->memory->column;
    kanon__arrow_array_rest(column);
}

void kanon__arrow_array_rest(const struct ArrowArray *array)
{
    if (array->release != release_array)
        return;
    const array_block *block = array->private_data;
    if (block->begin != NULL && block->memory->spilled)
        kanon__spill_rest((void *)block->begin, block->size);
    if (block->given != NULL)
        kanon__arrow_array_rest(block->given);
}

void kanon__arrow_array_rests_with(struct ArrowArray *array, const struct ArrowArray *given)
{
    array_block *block = array->private_data;
    block->given = block->memory->owner != NULL ? given : NULL; /* a copy does not keep the input alive */
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
    if (m->owner != NULL || m->references > 1)
        return 0;
    for (int i = 0; i < KANON__ARROW_BLOCKS; i++)
        size += is_used(array, m, i) ? kanon__arrow_room_piece(m->sizes[i]) : 0;
    return kanon__arrow_room_pages(size);
}

static void move_aside(struct ArrowArray *array, kanon__arrow_memory *aside)
{
    array_block *block = array->private_data;
    kanon__arrow_memory *m = block->memory;
    kanon__arrow_column_begin(aside);
    for (int i = 0; i < KANON__ARROW_BLOCKS; i++) {
        if (!is_used(array, m, i))
            continue;
        const char *from = m->blocks[i];
        char *to = kanon__arrow_room_take(aside, m->sizes[i]);
        if (m->sizes[i] > 0)
            memcpy(to, from, m->sizes[i]);
        for (int64_t k = 0; k < array->n_buffers; k++) {
            const char *buffer = array->buffers[k];
            if (buffer == from || (buffer > from && buffer < from + m->sizes[i]))
                array->buffers[k] = to + (buffer - from);
        }
    }
    block->memory = kanon__arrow_memory_share(aside);
    kanon__arrow_memory_free(m);
    kanon__arrow_column_end(array);
}

kanon_status kanon__arrow_array_put_aside(struct ArrowArray *records, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_memory *aside = NULL;
    size_t size = 0;
    for (int64_t i = 0; i < records->n_children; i++)
        size += size_aside(records->children[i]);
    if (size == 0)
        return KANON_OK;
    KANON_TRY(kanon__arrow_memory_new(&aside, NULL, NULL, err), out);
    KANON_TRY(kanon__arrow_room_new(aside, size, true, err), out);
    for (int64_t i = 0; i < records->n_children; i++)
        if (size_aside(records->children[i]) > 0)
            move_aside(records->children[i], aside);
out:
    kanon__arrow_memory_free(aside);
    return st;
}

/* ---- schemas ------------------------------------------------------------------------------------------------------ */

static kanon_status own_format(const char **out, const char *format, kanon_error *err)
{
    char *copy = NULL;
    kanon_status st = kanon__copy_text(&copy, format, strlen(format), "an Arrow type", err);
    *out = copy;
    return st;
}

kanon_status kanon__arrow_field_init(kanon__arrow_field *out, const char *name, const char *suffix, const char *format,
                                     const char *entry_format, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t size = strlen(name) + strlen(suffix) + 1;
    char *own_name = NULL;
    *out = (kanon__arrow_field){.flags = ARROW_FLAG_NULLABLE};
    KANON_TRY(kanon__new_array(&own_name, (int64_t)size, "a column name", err), out);
    snprintf(own_name, size, "%s%s", name, suffix);
    out->name = own_name;
    KANON_TRY(own_format(&out->format, format, err), out);
    if (entry_format != NULL)
        KANON_TRY(own_format(&out->entry_format, entry_format, err), out);
out:
    if (st != KANON_OK)
        kanon__arrow_field_clear(out);
    return st;
}

void kanon__arrow_field_clear(kanon__arrow_field *field)
{
    kanon__free((void *)field->entry_format);
    kanon__free((void *)field->format);
    kanon__free((void *)field->name);
    *field = (kanon__arrow_field){0};
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
    kanon__free(schema->private_data);
    schema->release = NULL;
}

/* What is behind a schema: its children, their list and its texts. */
static kanon_status init_schema(struct ArrowSchema *out, const char *name, const char *format, int64_t flags, int n_children,
                                kanon_error *err)
{
    char *bytes = NULL;
    size_t name_size = strlen(name) + 1, format_size = strlen(format) + 1;
    size_t size = (size_t)n_children * (sizeof(struct ArrowSchema) + sizeof(struct ArrowSchema *)) + name_size + format_size;
    *out = (struct ArrowSchema){0};
    kanon_status st = kanon__new_array(&bytes, (int64_t)size, "an Arrow schema", err);
    if (st != KANON_OK)
        return st;
    struct ArrowSchema *children = (void *)bytes, **list = (void *)(children + n_children);
    char *texts = (char *)(list + n_children);
    for (int i = 0; i < n_children; i++)
        list[i] = &children[i];
    memcpy(texts, name, name_size);
    memcpy(texts + name_size, format, format_size);
    *out = (struct ArrowSchema){.format = texts + name_size,
                                .name = texts,
                                .flags = flags,
                                .n_children = n_children,
                                .children = n_children > 0 ? list : NULL,
                                .release = release_schema,
                                .private_data = children};
    return KANON_OK;
}

/* A dictionary has the place of a child. */
static kanon_status init_field(struct ArrowSchema *out, const kanon__arrow_field *field, kanon_error *err)
{
    kanon_status st = init_schema(out, field->name, field->format, field->flags, field->entry_format != NULL, err);
    if (st != KANON_OK)
        return st;
    out->metadata = field->metadata;
    if (field->entry_format == NULL)
        return KANON_OK;
    out->dictionary = out->children[0];
    out->children = NULL;
    out->n_children = 0;
    st = init_schema(out->dictionary, "", field->entry_format, field->entry_flags, 0, err);
    if (st != KANON_OK)
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
