/* See row_numbers.h. A number and a code together are a key of a hash table, whose value is the number that follows. */
#include "measures/row_numbers.h"

#include "core/alloc.h"
#include "core/hash_key.h"
#include "core/ticker.h"

#include <string.h>

typedef struct slot {
    uint64_t key;
    int64_t number; /* plus one; 0: free */
} slot;

kanon_status kanon__row_numbers_new(kanon__row_numbers *out, int64_t n_rows, kanon_error *err)
{
    *out = (kanon__row_numbers){.n_rows = n_rows, .n = n_rows > 0};
    return kanon__new_array(&out->of, n_rows, "numbers of rows", err);
}

kanon_status kanon__row_numbers_copy(kanon__row_numbers *out, const kanon__row_numbers *of, kanon_error *err)
{
    KANON_CHECK(kanon__row_numbers_new(out, of->n_rows, err));
    out->n = of->n;
    if (of->n_rows > 0)
        memcpy(out->of, of->of, (size_t)of->n_rows * sizeof *of->of);
    return KANON_OK;
}

void kanon__row_numbers_clear(kanon__row_numbers *numbers)
{
    kanon__free(numbers->of);
    *numbers = (kanon__row_numbers){0};
}

kanon_status kanon__row_numbers_add(kanon__row_numbers *numbers, kanon__codes codes, kanon_error *err)
{
    enum { NS_PER_ROW = 40 };
    kanon_status st = KANON_OK;
    kanon__hash_key secret;
    slot *slots = NULL;
    uint64_t n_slots = 16, last;
    while (n_slots < 2 * (uint64_t)numbers->n_rows)
        n_slots *= 2;
    last = n_slots - 1;
    KANON_TRY(kanon__poll_tick(numbers->n_rows * NS_PER_ROW, err), out);
    KANON_TRY(kanon__new_array(&slots, (int64_t)n_slots, "numbers of rows", err), out);
    kanon__hash_key_draw(&secret);
    numbers->n = 0;
    for (int64_t row = 0; row < numbers->n_rows; row++) {
        uint64_t key = (uint64_t)(uint32_t)numbers->of[row] << 32 | kanon__code_at(codes, row);
        uint64_t at = kanon__hash_pair(&secret, key, 0) & last;
        while (slots[at].number != 0 && slots[at].key != key)
            at = (at + 1) & last;
        if (slots[at].number == 0)
            slots[at] = (slot){key, ++numbers->n};
        numbers->of[row] = (int32_t)(slots[at].number - 1);
    }
out:
    kanon__free(slots);
    return st;
}
