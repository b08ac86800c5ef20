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

typedef struct numbering {
    slot *slots;
    uint64_t n_slots;
    kanon__hash_key secret;
    int64_t n;
} numbering;

kanon_status kanon__row_numbers_new(kanon__row_numbers *out, int64_t n_rows, kanon_error *err)
{
    *out = (kanon__row_numbers){.n_rows = n_rows, .n = n_rows > 0};
    kanon_status st = kanon__new_array(&out->shown, n_rows, "numbers of rows", err);
    out->known = out->shown;
    return st;
}

/* Two lists from now on. */
static kanon_status split(kanon__row_numbers *numbers, const int32_t *known, kanon_error *err)
{
    int32_t *copy = NULL;
    KANON_CHECK(kanon__new_array(&copy, numbers->n_rows, "numbers of rows", err));
    if (numbers->n_rows > 0)
        memcpy(copy, known, (size_t)numbers->n_rows * sizeof *copy);
    numbers->known = copy;
    return KANON_OK;
}

kanon_status kanon__row_numbers_copy(kanon__row_numbers *out, const kanon__row_numbers *of, kanon_error *err)
{
    KANON_CHECK(kanon__row_numbers_new(out, of->n_rows, err));
    out->n = of->n;
    if (of->n_rows > 0)
        memcpy(out->shown, of->shown, (size_t)of->n_rows * sizeof *of->shown);
    return of->known != of->shown ? split(out, of->known, err) : KANON_OK;
}

void kanon__row_numbers_clear(kanon__row_numbers *numbers)
{
    if (numbers->known != numbers->shown)
        kanon__free(numbers->known);
    kanon__free(numbers->shown);
    *numbers = (kanon__row_numbers){0};
}

static int32_t number_of(numbering *m, int32_t number, uint32_t code)
{
    uint64_t key = (uint64_t)(uint32_t)number << 32 | code, last = m->n_slots - 1;
    uint64_t at = kanon__hash_pair(&m->secret, key, 0) & last;
    while (m->slots[at].number != 0 && m->slots[at].key != key)
        at = (at + 1) & last;
    if (m->slots[at].number == 0)
        m->slots[at] = (slot){key, ++m->n};
    return (int32_t)(m->slots[at].number - 1);
}

static kanon_status add(kanon__row_numbers *numbers, kanon__codes shown, kanon__codes known, bool two, kanon_error *err)
{
    enum { ROWS_PER_TICK = 1 << 16, NS_PER_ROW = 60 };
    kanon_status st = KANON_OK;
    numbering m = {.n_slots = 16};
    if (two && numbers->known == numbers->shown)
        KANON_TRY(split(numbers, numbers->shown, err), out);
    two = numbers->known != numbers->shown;
    if (!two && numbers->n == numbers->n_rows) /* no two rows are equal any more */
        goto out;
    while (m.n_slots < (two ? 4 : 2) * (uint64_t)numbers->n_rows)
        m.n_slots *= 2;
    KANON_TRY(kanon__new_array(&m.slots, (int64_t)m.n_slots, "numbers of rows", err), out);
    kanon__hash_key_draw(&m.secret);
    for (int64_t row = 0; row < numbers->n_rows; row++) {
        numbers->shown[row] = number_of(&m, numbers->shown[row], kanon__code_at(shown, row));
        if (row % ROWS_PER_TICK == 0)
            KANON_TRY(kanon__poll_tick(ROWS_PER_TICK * NS_PER_ROW, err), out);
    }
    for (int64_t row = 0; two && row < numbers->n_rows; row++) {
        numbers->known[row] = number_of(&m, numbers->known[row], kanon__code_at(known, row));
        if (row % ROWS_PER_TICK == 0)
            KANON_TRY(kanon__poll_tick(ROWS_PER_TICK * NS_PER_ROW, err), out);
    }
    numbers->n = m.n;
out:
    kanon__free(m.slots);
    return st;
}

kanon_status kanon__row_numbers_add(kanon__row_numbers *numbers, kanon__codes codes, kanon_error *err)
{
    return add(numbers, codes, codes, false, err);
}

kanon_status kanon__row_numbers_add_both(kanon__row_numbers *numbers, kanon__codes shown, kanon__codes known,
                                         kanon_error *err)
{
    return add(numbers, shown, known, true, err);
}
