/* The stack of parts that recursive splitting works on.
 *
 * Mondrian, top-down, the median and the gap partition all split the table again and again. They share one layout: `order`
 * holds all rows, and a part is a stretch of it with its rows ascending. A split moves the left rows of a part to its front,
 * so parts never overlap and no lists are copied. The depth is that of the data, so the stack is on the heap.
 *
 *     order   [ 0 4 9 | 2 3 7 8 | 1 5 6 ]       stack  [ (7, 10) (3, 7) ]   the left-most part is on top
 *               done    next      later
 *
 * The left half is pushed last, so parts are finished from left to right; group and part numbers depend on that. */
#ifndef KANON_PARTITION_ROW_PARTS_H
#define KANON_PARTITION_ROW_PARTS_H

#include "core/alloc.h"

/* A finished partition of the rows: part i is rows[begins[i] .. begins[i + 1]), ascending. begins has n + 1 entries. */
typedef struct kanon__parts {
    int32_t *rows;
    int64_t *begins;
    int64_t n;
} kanon__parts;

static inline void kanon__parts_free(kanon__parts *parts)
{
    if (parts == NULL)
        return;
    kanon__free(parts->rows);
    kanon__free(parts->begins);
    kanon__free(parts);
}

/* order[begin .. end) */
typedef struct kanon__row_part {
    int64_t begin, end;
} kanon__row_part;

typedef struct kanon__row_parts {
    kanon__row_part *items;
    int64_t n, capacity;
} kanon__row_parts;

static inline kanon_status kanon__row_parts_push(kanon__row_parts *stack, kanon__row_part part, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&stack->items, &stack->capacity, stack->n + 1, "parts", err);
    if (st == KANON_OK)
        stack->items[stack->n++] = part;
    return st;
}

/* Push both halves of a part, the left one on top. */
static inline kanon_status kanon__row_parts_push_halves(kanon__row_parts *stack, kanon__row_part part, int64_t middle,
                                                        kanon_error *err)
{
    kanon_status st = kanon__row_parts_push(stack, (kanon__row_part){middle, part.end}, err);
    return st == KANON_OK ? kanon__row_parts_push(stack, (kanon__row_part){part.begin, middle}, err) : st;
}

/* The stack is not empty. */
static inline kanon__row_part kanon__row_parts_pop(kanon__row_parts *stack)
{
    return stack->items[--stack->n];
}

#endif
