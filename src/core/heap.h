/* The priority queue: a binary heap over items of any type.
 *
 * KANON__HEAP(name, type, before) defines the type `name` and its functions, all of them inline: the hot searches compare
 * items by their own rule, without a call through a pointer. `before(const type *a, const type *b)` says whether a comes out
 * before b. It must be a strict weak order. A caller that wants equal keys in a fixed order puts the tie rule, as a rule the
 * lowest index, into `before`: the heap itself keeps no order among equals.
 *
 *               [0]                items[0] comes first; items[i] comes no later than
 *           [1]     [2]            its children items[2 i + 1] and items[2 i + 2].
 *         [3] [4] [5] [6]
 *
 * An all-zero struct is an empty heap. n = 0 empties it and keeps its room. Callers may read items[0 .. n).
 *
 *     name_push(heap, item, err)    add an item; may allocate, so it may fail
 *     name_reserve(heap, n, err)    room for n items, after which up to n of them are added by
 *     name_put(heap, item)          which cannot fail
 *     name_pop(heap)                take out the first one; the heap is not empty
 *     name_replace(heap, item)      pop and put in one pass; the heap is not empty
 *     name_clear(heap)              free it
 *
 * A push and a pop take O(log n) comparisons. */
#ifndef KANON_CORE_HEAP_H
#define KANON_CORE_HEAP_H

#include "core/alloc.h"

#define KANON__HEAP_INLINE __attribute__((unused)) static inline

#define KANON__HEAP(name, type, before)                                                                                     \
    typedef struct name {                                                                                                   \
        type *items;                                                                                                        \
        int64_t n, capacity;                                                                                                \
    } name;                                                                                                                 \
                                                                                                                            \
    KANON__HEAP_INLINE kanon_status name##_reserve(name *heap, int64_t n, kanon_error *err)                                 \
    {                                                                                                                       \
        return n > heap->capacity ? kanon__grow_array(&heap->items, &heap->capacity, n, "a priority queue", err)            \
                                  : KANON_OK;                                                                               \
    }                                                                                                                       \
                                                                                                                            \
    /* Sift up: parents that come later move down until the item's place is found. */                                       \
    KANON__HEAP_INLINE void name##_put(name *heap, type item)                                                               \
    {                                                                                                                       \
        int64_t at = heap->n++;                                                                                             \
        for (; at > 0 && before(&item, &heap->items[(at - 1) / 2]); at = (at - 1) / 2)                                      \
            heap->items[at] = heap->items[(at - 1) / 2];                                                                    \
        heap->items[at] = item;                                                                                             \
    }                                                                                                                       \
                                                                                                                            \
    KANON__HEAP_INLINE kanon_status name##_push(name *heap, type item, kanon_error *err)                                    \
    {                                                                                                                       \
        kanon_status st = name##_reserve(heap, heap->n + 1, err);                                                           \
        if (st == KANON_OK)                                                                                                 \
            name##_put(heap, item);                                                                                         \
        return st;                                                                                                          \
    }                                                                                                                       \
                                                                                                                            \
    /* Sift down: the earlier child moves up while it comes before the item. */                                             \
    KANON__HEAP_INLINE void name##_replace(name *heap, type item)                                                           \
    {                                                                                                                       \
        int64_t at = 0;                                                                                                     \
        for (int64_t child = 1; child < heap->n; child = 2 * at + 1) {                                                      \
            child += child + 1 < heap->n && before(&heap->items[child + 1], &heap->items[child]);                           \
            if (!before(&heap->items[child], &item))                                                                        \
                break;                                                                                                      \
            heap->items[at] = heap->items[child];                                                                           \
            at = child;                                                                                                     \
        }                                                                                                                   \
        heap->items[at] = item;                                                                                             \
    }                                                                                                                       \
                                                                                                                            \
    KANON__HEAP_INLINE type name##_pop(name *heap)                                                                          \
    {                                                                                                                       \
        type first = heap->items[0];                                                                                        \
        heap->n--;                                                                                                          \
        name##_replace(heap, heap->items[heap->n]);                                                                         \
        return first;                                                                                                       \
    }                                                                                                                       \
                                                                                                                            \
    KANON__HEAP_INLINE void name##_clear(name *heap)                                                                        \
    {                                                                                                                       \
        kanon__free(heap->items);                                                                                           \
        *heap = (name){0};                                                                                                  \
    }                                                                                                                       \
                                                                                                                            \
    struct name /* for the semicolon that follows the macro */

#endif
