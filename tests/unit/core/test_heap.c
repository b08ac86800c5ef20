/* The priority queue: items come out in order, ties by the rule of the caller, whatever the order they went in. */
#include "core/heap.h"
#include "core/random.h"
#include "support.h"

typedef struct ticket {
    uint64_t key;
    int32_t index;
} ticket;

static bool ticket_before(const ticket *a, const ticket *b)
{
    return a->key != b->key ? a->key < b->key : a->index < b->index;
}

KANON__HEAP(ticket_heap, ticket, ticket_before);

static bool longer(const double *a, const double *b)
{
    return *a > *b;
}

KANON__HEAP(length_heap, double, longer);

static void equal_keys_come_out_by_index(void **state)
{
    static const ticket in[] = {{5, 2}, {5, 0}, {3, 4}, {5, 1}, {3, 3}};
    static const ticket expected[] = {{3, 3}, {3, 4}, {5, 0}, {5, 1}, {5, 2}};
    ticket_heap heap = {0};
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(ticket_heap_push(&heap, in[i], NULL), KANON_OK);
    for (int i = 0; i < 5; i++) {
        ticket first = ticket_heap_pop(&heap);
        assert_int_equal(first.key, expected[i].key);
        assert_int_equal(first.index, expected[i].index);
    }
    assert_int_equal(heap.n, 0);
    ticket_heap_clear(&heap);
    assert_null(heap.items);
}

/* Against a sorted list: random puts, pops and replacements with few distinct keys. */
static void any_mix_agrees_with_a_list(void **state)
{
    enum { MOST = 200, STEPS = 20000 };
    ticket list[MOST];
    int64_t n = 0;
    ticket_heap heap = {0};
    kanon__random random;
    (void)state;
    kanon__random_init(&random, 11, 0);
    assert_int_equal(ticket_heap_reserve(&heap, MOST, NULL), KANON_OK);
    for (int32_t step = 0; step < STEPS; step++) {
        ticket t = {(uint64_t)kanon__random_below(&random, 20), step};
        int64_t what = n == 0 ? 0 : n == MOST ? 1 : kanon__random_below(&random, 3), at;
        if (what > 0) {
            assert_int_equal(heap.items[0].key, list[0].key);
            assert_int_equal(heap.items[0].index, list[0].index);
            memmove(list, list + 1, (size_t)--n * sizeof *list);
        }
        if (what == 0)
            ticket_heap_put(&heap, t);
        else if (what == 1)
            ticket_heap_pop(&heap);
        else
            ticket_heap_replace(&heap, t);
        if (what != 1) {
            for (at = n++; at > 0 && ticket_before(&t, &list[at - 1]); at--)
                list[at] = list[at - 1];
            list[at] = t;
        }
        assert_int_equal(heap.n, n);
    }
    ticket_heap_clear(&heap);
}

static void the_caller_says_what_comes_first(void **state)
{
    length_heap heap = {0};
    (void)state;
    for (int i = 0; i < 30; i++)
        assert_int_equal(length_heap_push(&heap, (i * 7) % 30 / 2.0, NULL), KANON_OK);
    for (int i = 29; i >= 0; i--)
        assert_true(length_heap_pop(&heap) == i / 2.0);
    length_heap_clear(&heap);
}

#ifdef KANON_TEST_HOOKS
static void no_memory_leaves_the_heap_as_it_was(void **state)
{
    ticket_heap heap = {0};
    (void)state;
    kanon__alloc_fail_at(1, false);
    assert_int_equal(ticket_heap_push(&heap, (ticket){1, 1}, NULL), KANON_ENOMEM);
    kanon__alloc_fail_at(0, false);
    assert_int_equal(heap.n, 0);
    assert_int_equal(ticket_heap_push(&heap, (ticket){1, 1}, NULL), KANON_OK);
    ticket_heap_clear(&heap);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_keys_come_out_by_index),
        cmocka_unit_test(any_mix_agrees_with_a_list),
        cmocka_unit_test(the_caller_says_what_comes_first),
#ifdef KANON_TEST_HOOKS
        cmocka_unit_test(no_memory_leaves_the_heap_as_it_was),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
