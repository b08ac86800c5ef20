/* Checked allocation. Every size is checked for overflow, every failure becomes KANON_ENOMEM that names what was wanted.
 * Memory comes from the context of the call (core/context.h), and goes back there whenever it is freed. */
#ifndef KANON_CORE_ALLOC_H
#define KANON_CORE_ALLOC_H

#include "core/status.h"

#include <stdbool.h>

/* Point *out at `n` zeroed elements; `what` names them in the error: "row order". n = 0 gives a pointer that can be
 * freed. */
#define kanon__new_array(out, n, what, err) kanon__alloc_array((void **)(out), (n), sizeof **(out), (what), (err))
/* Give *array (n elements of room *capacity) room for at least `needed` elements; the new ones are not zeroed. */
#define kanon__grow_array(array, capacity, needed, what, err)                                                               \
    kanon__alloc_grow((void **)(array), (capacity), (needed), sizeof **(array), (what), (err))

/* A list as callers get it, whose elements can grow from version to version: *out becomes an array of `n` pointers to them.
 * They are equal to those of `array`, or zero where it is NULL, and in the one block of memory that *out is. */
#define kanon__new_list(out, array, n, what, err)                                                                           \
    kanon__alloc_list((void ***)(out), (array), (n), sizeof ***(out), (what), (err))

kanon_status kanon__alloc_array(void **out, int64_t n, size_t size, const char *what, kanon_error *err);
kanon_status kanon__alloc_grow(void **array, int64_t *capacity, int64_t needed, size_t size, const char *what,
                               kanon_error *err);
kanon_status kanon__alloc_list(void ***out, const void *array, int64_t n, size_t size, const char *what, kanon_error *err);
/* A terminated copy of `length` bytes. */
kanon_status kanon__copy_text(char **out, const char *text, size_t length, const char *what, kanon_error *err);
void kanon__free(void *memory);
/* What is free on the heap goes back to the system, where that can be done: after something large that does not come
 * again. */
void kanon__give_back_free(void);

/* For tests, where the library is built with KANON_TEST_HOOKS: the n-th allocation from now on fails (1: the next one), and
 * every one after it where `and_all_after`; 0 switches this off. */
void kanon__alloc_fail_at(int64_t n, bool and_all_after);
/* How many allocations were asked for since the last kanon__alloc_fail_at. */
int64_t kanon__alloc_count(void);
/* Bytes on the heap now, and the most since the start or since the last call with `from_now_on`. */
int64_t kanon__alloc_in_use(void);
int64_t kanon__alloc_peak(bool from_now_on);

#endif
