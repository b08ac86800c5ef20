/* Sorting with looks (core/sort.h) and looks without a ticker (core/ticker.h). */
#include "core/alloc.h"
#include "core/context.h"
#include "core/sort.h"
#include "core/ticker.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

typedef struct item {
    uint32_t key, place;
} item;

static int by_key(const void *left, const void *right)
{
    const item *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Around the length of a run, where the number of merges is odd and even, and where the last run is alone. */
static void test_sorts_as_qsort(void **state)
{
    static const int64_t sizes[] = {0, 1, 2, 1000, 16384, 16385, 32768, 32769, 49153, 65536, 100000, 300001};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t n = sizes[i];
        item *items = malloc((size_t)(n + 1) * sizeof *items), *expected = malloc((size_t)(n + 1) * sizeof *expected);
        kanon_error err = KANON_INIT(kanon_error);
        uint32_t mix = 1;
        for (int64_t j = 0; j < n; j++) {
            mix = mix * 1664525 + 1013904223;
            items[j] = (item){mix >> (i % 2 == 0 ? 8 : 26), (uint32_t)j};
        }
        memcpy(expected, items, (size_t)n * sizeof *items);
        qsort(expected, (size_t)n, sizeof *expected, by_key);
        assert_done(kanon__sort(items, n, sizeof *items, by_key, &err), &err);
        assert_memory_equal(items, expected, (size_t)n * sizeof *items);
        free(expected);
        free(items);
    }
}

static int stop(const kanon_progress *progress, void *payload)
{
    assert_string_equal(progress->stage, "writing");
    ++*(int *)payload;
    return 1;
}

/* The tick of the call is asked, in the stage that began last, and only while the call runs. */
static void test_stops_in_a_call(void **state)
{
    enum { N = 40000 };
    kanon_error err = KANON_INIT(kanon_error);
    kanon__call outer, inner;
    kanon_tick tick = stop;
    int asked = 0;
    void *payload = &asked;
    kanon__ticker ticker;
    item *items = calloc(N, sizeof *items);
    (void)state;
    assert_done(kanon__sort(items, N, sizeof *items, by_key, &err), &err);
    kanon__call_begin(&outer, NULL);
    kanon__call_ticks(&tick, &payload);
    kanon__ticker_init(&ticker, tick, payload, "writing");
    kanon__call_begin(&inner, NULL); /* without a tick: that of the call around it */
    assert_int_equal(kanon__sort(items, N, sizeof *items, by_key, &err), KANON_ECANCELLED);
    assert_string_equal(err.message, "stopped while writing");
    kanon__call_end(&inner, KANON_OK);
    kanon__call_end(&outer, KANON_OK);
    assert_int_equal(asked, 1);
    assert_done(kanon__poll_tick(KANON__TICK_POLL_NS, &err), &err);
    assert_int_equal(asked, 1);
    free(items);
}

/* Sorted in runs that are then merged (sort.c): a comparison of items of two runs is of a merge. */
enum { RUN = 16384, N_RUNS = 3 };

typedef struct watch {
    bool merges;         /* items of two runs were compared */
    bool only_in_merges; /* the first poll after that is to stop, and none before */
    kanon_tick tick;
    void *payload;
} watch;

static watch watched;

static int by_key_watched(const void *left, const void *right)
{
    const item *a = left, *b = right;
    if (!watched.merges && a->place / RUN != b->place / RUN) {
        watched.merges = true;
        if (watched.only_in_merges)
            kanon__call_ticks(&watched.tick, &watched.payload); /* so that the next look asks, whatever the clock says */
    }
    return by_key(left, right);
}

static int stop_where_asked(const kanon_progress *progress, void *payload)
{
    (void)progress, (void)payload;
    return !watched.only_in_merges || watched.merges;
}

/* Both the runs and the merges look. */
static void test_looks_everywhere(void **state)
{
    (void)state;
    for (int only_in_merges = 0; only_in_merges < 2; only_in_merges++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__call call;
        item *items = calloc(N_RUNS * RUN, sizeof *items);
        for (uint32_t i = 0; i < N_RUNS * RUN; i++)
            items[i] = (item){i * 2654435761u, i};
        watched = (watch){.only_in_merges = only_in_merges == 1, .tick = stop_where_asked};
        kanon__call_begin(&call, NULL);
        kanon__call_ticks(&watched.tick, &watched.payload);
        assert_int_equal(kanon__sort(items, N_RUNS * RUN, sizeof *items, by_key_watched, &err), KANON_ECANCELLED);
        assert_int_equal(watched.merges, only_in_merges == 1);
        kanon__call_end(&call, KANON_OK);
        free(items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts_as_qsort),
        cmocka_unit_test(test_stops_in_a_call),
        cmocka_unit_test(test_looks_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
