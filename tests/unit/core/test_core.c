/* The ground everything stands on: random numbers, selection, threads, texts, options, progress, memory. */
#include "core/alloc.h"
#include "core/pool.h"
#include "core/random.h"
#include "core/select.h"
#include "core/take_options.h"
#include "core/texts.h"
#include "core/ticker.h"
#include "support.h"

#include <kanon_host.h>
#include <sched.h>
#include <stdatomic.h>

/* ---- random numbers ---------------------------------------------------------------------------------------------- */

/* The published outputs of xoshiro256** for the state 1, 2, 3, 4. */
static void random_matches_published_values(void **state)
{
    static const uint64_t expected[] = {11520u,
                                        0u,
                                        1509978240u,
                                        1215971899390074240u,
                                        1216172134540287360u,
                                        607988272756665600u,
                                        16172922978634559625u,
                                        8476171486693032832u,
                                        10595114339597558777u,
                                        2904607092377533576u};
    (void)state;
    kanon__random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(kanon__random_next(&random) == expected[i]);
}

/* splitmix64 gives e220a8397b1dcdaf for 0 and these four for 1234567: with stream 0 the seed is their exclusive or. */
static void seeds_go_through_splitmix(void **state)
{
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                        4593380528125082431u};
    (void)state;
    kanon__random random;
    kanon__random_init(&random, 0xe220a8397b1dcdafu ^ 1234567u, 0);
    for (int i = 0; i < 4; i++)
        assert_true(random.state[i] == expected[i]);
    kanon__random_init(&random, 42, 7);
    assert_true(kanon__random_next(&random) == 0x24bfb39aeb008c15u);
    assert_true(kanon__random_next(&random) == 0xd858489e7fc02496u);
    kanon__random_init(&random, UINT64_MAX, 3);
    assert_true(kanon__random_next(&random) == 0x19b71738009a8f02u);
}

static void streams_differ(void **state)
{
    enum { N = 40 };
    uint64_t first[N];
    (void)state;
    for (uint64_t i = 0; i < N; i++) {
        kanon__random random, again;
        kanon__random_init(&random, i % 4, i / 4);
        kanon__random_init(&again, i % 4, i / 4);
        first[i] = kanon__random_next(&random);
        assert_true(first[i] == kanon__random_next(&again));
        for (uint64_t j = 0; j < i; j++)
            assert_true(first[i] != first[j]);
    }
}

static void below_is_uniform(void **state)
{
    enum { DRAWS = 60000 };
    (void)state;
    kanon__random random;
    kanon__random_init(&random, 1, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(kanon__random_below(&random, 1), 0);
    for (int64_t n = 2; n <= 7; n++) {
        int64_t seen[7] = {0}, expected = DRAWS / n;
        for (int i = 0; i < DRAWS; i++) {
            int64_t x = kanon__random_below(&random, n);
            assert_true(x >= 0 && x < n);
            seen[x]++;
        }
        for (int64_t x = 0; x < n; x++) /* the standard deviation is below 125 */
            assert_true(seen[x] > expected - 750 && seen[x] < expected + 750);
    }
}

/* 2^64 holds 3 * 2^61 two and two thirds times: a plain remainder would give the lower two thirds 3/4 of the draws. */
static void below_favours_no_remainder(void **state)
{
    enum { DRAWS = 100000 };
    (void)state;
    kanon__random random;
    kanon__random_init(&random, 2, 0);
    int64_t n = (int64_t)3 << 61, low = 0;
    for (int i = 0; i < DRAWS; i++) {
        int64_t x = kanon__random_below(&random, n);
        assert_true(x >= 0 && x < n);
        low += x < n / 3 * 2;
    }
    assert_true(low > DRAWS * 0.66 && low < DRAWS * 0.673);
    assert_true(kanon__random_below(&random, INT64_MAX) >= 0);
}

static void unit_is_below_one(void **state)
{
    double sum = 0, least = 1, most = 0;
    (void)state;
    kanon__random random;
    kanon__random_init(&random, 3, 0);
    for (int i = 0; i < 100000; i++) {
        double x = kanon__random_unit(&random);
        assert_true(x >= 0 && x < 1 && x * 0x1p53 == (double)(int64_t)(x * 0x1p53));
        sum += x;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    assert_true(sum > 49400 && sum < 50600 && least < 0.001 && most > 0.999);
    random = (kanon__random){{0, UINT64_MAX / 5 + 1, 0, 0}}; /* whatever the bits, never 1 */
    for (int i = 0; i < 1000; i++)
        assert_true(kanon__random_unit(&random) < 1);
}

static void shuffle_makes_every_permutation(void **state)
{
    int64_t seen[27] = {0};
    (void)state;
    kanon__random random;
    kanon__random_init(&random, 4, 0);
    for (int i = 0; i < 60000; i++) {
        int32_t items[] = {0, 1, 2};
        kanon__random_shuffle(&random, items, 3);
        seen[items[0] * 9 + items[1] * 3 + items[2]]++;
    }
    int n_seen = 0;
    for (int i = 0; i < 27; i++) {
        n_seen += seen[i] > 0;
        assert_true(seen[i] == 0 || (seen[i] > 9400 && seen[i] < 10600));
    }
    assert_int_equal(n_seen, 6);
    enum { N = 1000 };
    int32_t items[N], places[N] = {0};
    for (int32_t i = 0; i < N; i++)
        items[i] = i;
    kanon__random_shuffle(&random, items, N);
    for (int i = 0; i < N; i++)
        places[items[i]]++;
    for (int i = 0; i < N; i++)
        assert_int_equal(places[i], 1);
    kanon__random_shuffle(&random, items, 0);
    kanon__random_shuffle(&random, items, 1);
}

static void samples_are_distinct(void **state)
{
    enum { MOST = 30 };
    int32_t out[MOST], scratch_items[MOST];
    (void)state;
    kanon__random random;
    kanon__random_init(&random, 5, 0);
    for (int64_t population = 0; population <= MOST; population++)
        for (int64_t n = 0; n <= population; n++) {
            bool seen[MOST] = {false};
            kanon__random_sample(&random, out, n, scratch_items, population);
            for (int64_t i = 0; i < n; i++) {
                assert_true(out[i] >= 0 && out[i] < population && !seen[out[i]]);
                seen[out[i]] = true;
            }
        }
    int64_t counts[10] = {0};
    for (int i = 0; i < 20000; i++) {
        kanon__random_sample(&random, out, 3, scratch_items, 10);
        for (int j = 0; j < 3; j++)
            counts[out[j]]++;
    }
    for (int i = 0; i < 10; i++)
        assert_true(counts[i] > 5600 && counts[i] < 6400);
}

/* ---- selection --------------------------------------------------------------------------------------------------- */

static int by_number(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void assert_selects(const uint32_t *values, int64_t n, int64_t k)
{
    uint32_t *copy = malloc((size_t)n * sizeof *copy), *sorted = malloc((size_t)n * sizeof *sorted);
    assert_non_null(copy);
    assert_non_null(sorted);
    memcpy(copy, values, (size_t)n * sizeof *copy);
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_number);
    assert_int_equal(kanon__select(copy, n, k), sorted[k]);
    qsort(copy, (size_t)n, sizeof *copy, by_number); /* nothing got lost */
    assert_memory_equal(copy, sorted, (size_t)n * sizeof *copy);
    free(sorted);
    free(copy);
}

static void select_agrees_with_sorting(void **state)
{
    uint32_t values[200];
    (void)state;
    kanon__random random;
    kanon__random_init(&random, 6, 0);
    for (int64_t n = 1; n <= 200; n++) {
        int64_t distinct = n % 4 == 0 ? 3 : n % 4 == 1 ? 1 : n % 4 == 2 ? n : (int64_t)UINT32_MAX + 1;
        for (int64_t i = 0; i < n; i++)
            values[i] = (uint32_t)kanon__random_below(&random, distinct);
        for (int64_t k = 0; k < n; k += 1 + n / 16)
            assert_selects(values, n, k);
        assert_selects(values, n, n - 1);
    }
}

static void select_has_no_bad_order(void **state)
{
    enum { N = 300000 };
    uint32_t *values = malloc(N * sizeof *values);
    (void)state;
    assert_non_null(values);
    for (int shape = 0; shape < 4; shape++) {
        for (uint32_t i = 0; i < N; i++)
            values[i] = shape == 0 ? i : shape == 1 ? N - i : shape == 2 ? (i < N / 2 ? i : N - i) : i % 2;
        assert_selects(values, N, N / 2);
        assert_selects(values, N, 7);
    }
    free(values);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

enum { N_TASKS = 200 };

typedef struct work {
    uint64_t results[N_TASKS];
    atomic_int runs[N_TASKS];
    const char *fails; /* by task: 'f' fails, 's' fails after the others, where there are other threads */
    bool has_others;
} work;

static kanon_status one_task(int64_t index, void *payload, kanon_error *err)
{
    work *w = payload;
    kanon__random random;
    atomic_fetch_add(&w->runs[index], 1);
    kanon__random_init(&random, 9, (uint64_t)index);
    w->results[index] = kanon__random_next(&random);
    if (w->fails == NULL || (size_t)index >= strlen(w->fails) || w->fails[index] == '.')
        return KANON_OK;
    while (w->fails[index] == 's' && w->has_others && atomic_load(&w->runs[strchr(w->fails, 'f') - w->fails]) == 0)
        sched_yield();
    kanon_status status = index % 2 == 0 ? KANON_EDATA : KANON_EIO;
    return kanon__hint(err, kanon__fail(err, status, "task %lld", (long long)index), "hint %lld", (long long)index);
}

static void results_do_not_depend_on_threads(void **state)
{
    static work alone, together;
    (void)state;
    memset(&alone, 0, sizeof alone);
    assert_int_equal(kanon__pool_run(1, N_TASKS, one_task, &alone, NULL), KANON_OK);
    for (int threads = 0; threads <= 8; threads++) {
        memset(&together, 0, sizeof together);
        assert_int_equal(kanon__pool_run(threads, N_TASKS, one_task, &together, NULL), KANON_OK);
        assert_memory_equal(alone.results, together.results, sizeof alone.results);
        for (int i = 0; i < N_TASKS; i++)
            assert_int_equal(atomic_load(&together.runs[i]), 1);
    }
    memset(&together, 0, sizeof together);
    assert_int_equal(kanon__pool_run(8, 0, one_task, &together, NULL), KANON_OK);
    assert_int_equal(atomic_load(&together.runs[0]), 0);
    assert_int_equal(kanon__pool_run(8, 1, one_task, &together, NULL), KANON_OK);
    assert_int_equal(atomic_load(&together.runs[0]), 1);
    assert_int_equal(atomic_load(&together.runs[1]), 0);
}

static void lowest_failure_is_told(void **state)
{
    static work w;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (int round = 0; round < 5; round++)
        for (int threads = 1; threads <= 8; threads++) {
            memset(&w, 0, sizeof w);
            err = (kanon_error)KANON_INIT(kanon_error);
            w.fails = ".....s.f.f";
            w.has_others = threads > 1;
            assert_int_equal(kanon__pool_run(threads, N_TASKS, one_task, &w, &err), KANON_EIO);
            assert_int_equal(err.status, KANON_EIO);
            assert_string_equal(err.message, "task 5");
            assert_string_equal(err.hint, "hint 5");
        }
    memset(&w, 0, sizeof w);
    w.fails = "...f";
    assert_int_equal(kanon__pool_run(1, N_TASKS, one_task, &w, NULL), KANON_EIO);
    assert_int_equal(atomic_load(&w.runs[3]), 1);
    assert_int_equal(atomic_load(&w.runs[4]), 0); /* what had not begun does not begin */
}

static void thread_counts_are_sane(void **state)
{
    (void)state;
    assert_true(kanon__pool_threads(0) >= 1);
    assert_int_equal(kanon__pool_threads(3), 3);
    assert_in_range(kanon__pool_threads(INT32_MAX), 1, 4096);
    assert_true(kanon__pool_threads(-1) >= 1);
}

/* ---- texts, options, progress ------------------------------------------------------------------------------------ */

static void nearest_text(void **state)
{
    static const char *const names[] = {"age", "zip-code", "gender", "disease"};
    (void)state;
    assert_string_equal(kanon_nearest_word(names, 4, "age"), "age");
    assert_string_equal(kanon_nearest_word(names, 4, "Age"), "age");
    assert_string_equal(kanon_nearest_word(names, 4, "zipcode"), "zip-code");
    assert_string_equal(kanon_nearest_word(names, 4, "gendre"), "gender");
    assert_string_equal(kanon_nearest_word(names, 4, "diseases"), "disease");
    assert_null(kanon_nearest_word(names, 4, "salary"));
    assert_null(kanon_nearest_word(names, 4, "occupation"));
    assert_null(kanon_nearest_word(names, 0, "age"));
    static const char *const twins[] = {"bat", "cat"};
    assert_string_equal(kanon_nearest_word(twins, 2, "rat"), "bat"); /* as near as the other, and first */
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(kanon_nearest_word(names, 4, longest));
}

static void texts_grow(void **state)
{
    kanon__texts texts = {0};
    char line[2000], expected[32];
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_int_equal(kanon__texts_addf(&texts, NULL, "line %d", i), KANON_OK);
    assert_int_equal(texts.n, 100);
    for (int i = 0; i < 100; i++) {
        snprintf(expected, sizeof expected, "line %d", i);
        assert_string_equal(texts.items[i], expected);
        assert_int_equal(kanon__texts_find(&texts, expected, strlen(expected)), i);
    }
    assert_int_equal(kanon__texts_find(&texts, "line 1", 4), -1);
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    assert_int_equal(kanon__texts_addf(&texts, NULL, "%s", line), KANON_OK);
    assert_true(strlen(texts.items[100]) >= 1000);
    kanon__texts_clear(&texts);
    assert_int_equal(texts.n, 0);
    kanon__texts_clear(&texts);
}

/* The file VERSION, the header and the library say the same. */
static void one_version(void **state)
{
    char line[64] = "", text[64];
    (void)state;
    FILE *f = fopen("VERSION", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    snprintf(text, sizeof text, "%d.%d.%d\n", KANON_VERSION_MAJOR, KANON_VERSION_MINOR, KANON_VERSION_PATCH);
    assert_string_equal(line, text);
    snprintf(text, sizeof text, "%s\n", kanon_version());
    assert_string_equal(line, text);
    assert_int_equal(kanon_version_number(), KANON_VERSION_NUMBER);
}

typedef struct old_options {
    size_t struct_size;
    int a;
} old_options;

typedef struct new_options {
    size_t struct_size;
    int a, b;
    const char *c;
} new_options;

static void options_of_callers_of_other_versions(void **state)
{
    new_options local;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    struct {
        old_options given;
        unsigned char garbage[64];
    } older;
    memset(&older, 0xa5, sizeof older);
    older.given = (old_options){offsetof(new_options, b), 7};
    assert_int_equal(kanon__take_options(&local, sizeof local, &older, &err), KANON_OK);
    assert_int_equal(local.a, 7);
    assert_int_equal(local.b, 0);
    assert_null(local.c);
    memset(&local, 0xa5, sizeof local);
    assert_int_equal(kanon__take_options(&local, sizeof local, NULL, &err), KANON_OK);
    assert_true(local.a == 0 && local.b == 0 && local.c == NULL);
    new_options newer = {sizeof newer, 1, 0, NULL};
    old_options small[2] = {{0, 0}, {99, 99}};
    assert_int_equal(kanon__take_options(small, sizeof small[0], &newer, &err), KANON_OK);
    assert_int_equal(small[0].a, 1);
    assert_int_equal(small[1].a, 99);
    newer.c = "c"; /* what the library does not know is refused, not passed over */
    assert_int_equal(kanon__take_options(small, sizeof small[0], &newer, &err), KANON_EINVAL);
    assert_holds(err.message, "the call asks for what kanon ");
    assert_holds(err.message, kanon_version());
    assert_holds(err.hint, "newer kanon");
    assert_int_equal(small[0].a, 1); /* a call that fails has to tell the sinks among the others */
    for (size_t wrong = 0; wrong < sizeof wrong; wrong++) {
        newer.struct_size = wrong;
        assert_int_equal(kanon__take_options(&local, sizeof local, &newer, &err), KANON_EINVAL);
        assert_holds(err.message, "struct_size");
    }
    newer.struct_size = SIZE_MAX / 2; /* of a struct that nobody has initialised */
    assert_int_equal(kanon__take_options(&local, sizeof local, &newer, &err), KANON_EINVAL);
}

static void results_for_callers_of_other_versions(void **state)
{
    new_options local = {99, 1, 2, "c"};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    old_options older[2] = {{offsetof(old_options, a) + sizeof(int), 0}, {77, 77}};
    assert_int_equal(kanon__check_out(&older[0], &err), KANON_OK);
    kanon__give_out(&older[0], &local, sizeof local);
    assert_int_equal(older[0].struct_size, offsetof(old_options, a) + sizeof(int));
    assert_int_equal(older[0].a, 1);
    assert_int_equal(older[1].struct_size, 77);
    old_options known = {99, 5};
    new_options newer = {sizeof newer, 0, 7, "later"};
    kanon__give_out(&newer, &known, sizeof known);
    assert_int_equal(newer.struct_size, sizeof newer);
    assert_int_equal(newer.a, 5);
    assert_string_equal(newer.c, "later");
    newer.struct_size = 0;
    assert_int_equal(kanon__check_out(&newer, &err), KANON_EINVAL);
    assert_holds(err.message, "struct_size");
}

/* In the interface, for one function: what lies behind kanon_options is of a later version. */
static void unknown_options_are_refused(void **state)
{
    struct {
        kanon_options known;
        int64_t later;
    } options = {.known = {.struct_size = sizeof options, .k = 2}};
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_of("attributes: {a: {role: quasi}}\n", "a\n1\n2\n3\n4\n");
    assert_done(kanon_anonymize(&grouping, table, &options.known, &err), &err);
    kanon_grouping_free(grouping);
    options.later = INT64_MIN;
    assert_int_equal(kanon_anonymize(&grouping, table, &options.known, &err), KANON_EINVAL);
    assert_null(grouping);
    assert_holds(err.hint, "newer kanon");
    kanon_table_free(table);
}

/* A caller whose kanon_options ends after k: what lies behind it is not looked at. */
static void short_options_in_the_interface(void **state)
{
    kanon_options options;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_of("attributes: {a: {role: quasi}}\n", "a\n1\n2\n3\n4\n");
    memset(&options, 0xa5, sizeof options);
    options.struct_size = offsetof(kanon_options, algorithm);
    options.k = 2;
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    assert_true(kanon_grouping_describe(grouping)->smallest >= 2);
    kanon_grouping_free(grouping);
    options.struct_size = 0;
    assert_int_equal(kanon_anonymize(&grouping, table, &options, &err), KANON_EINVAL);
    assert_null(grouping);
    kanon_table_free(table);
    entries(scratch_directory, true);
}

typedef struct ticks {
    int n, stop_at;
    kanon_progress last;
} ticks;

static int count_tick(const kanon_progress *progress, void *payload)
{
    ticks *t = payload;
    t->last = *progress;
    return ++t->n == t->stop_at ? 5 : 0;
}

static void ticker_calls_and_cancels(void **state)
{
    ticks t = {0};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__ticker ticker;
    (void)state;
    assert_int_equal(kanon__tick(NULL, 1, 2, 1000000000, &err), KANON_OK);
    kanon__ticker_init(&ticker, NULL, NULL, "resting");
    assert_int_equal(kanon__tick(&ticker, 1, 2, 1000000000, &err), KANON_OK);
    kanon__ticker_init(&ticker, count_tick, &t, "testing");
    assert_int_equal(kanon__tick(&ticker, 3, 40, 1, &err), KANON_OK);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.last.struct_size, sizeof t.last);
    assert_string_equal(t.last.stage, "testing");
    assert_int_equal(t.last.done, 3);
    assert_int_equal(t.last.total, 40);
    t = (ticks){.stop_at = 1};
    kanon__ticker_init(&ticker, count_tick, &t, "testing");
    assert_int_equal(kanon__tick(&ticker, 3, 40, 1, &err), KANON_ECANCELLED);
    assert_int_equal(err.status, KANON_ECANCELLED);
    assert_string_equal(err.message, "stopped while testing");
    kanon__ticker_init(&ticker, count_tick, &(ticks){.stop_at = 1}, "testing");
    assert_int_equal(kanon__tick(&ticker, 3, 40, 1, NULL), KANON_ECANCELLED);
}

static void ticker_is_not_called_too_often(void **state)
{
    ticks t = {0};
    kanon__ticker ticker;
    (void)state;
    kanon__ticker_init(&ticker, count_tick, &t, "testing");
    kanon__ticker_step(1000000);
    for (int milliseconds = 1; milliseconds <= 120; milliseconds++)
        assert_int_equal(kanon__tick(&ticker, 0, 0, 1000000000, NULL), KANON_OK);
    kanon__ticker_step(0);
    assert_int_equal(t.n, 4); /* at 1, 31, 61 and 91 */
}

/* The caller says a nanosecond where it is a millisecond: the ticker finds out. */
static void ticker_finds_out_what_work_takes(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__ticker ticker;
    ticks t = {0};
    kanon__ticker_init(&ticker, count_tick, &t, "testing");
    kanon__ticker_step(1);
    for (int i = 0; i < 300; i++) {
        kanon__ticker_pass(1000000);
        assert_int_equal(kanon__tick(&ticker, i, 300, 1, &err), KANON_OK);
    }
    kanon__ticker_step(0);
    assert_in_range(t.n, 7, 11); /* every 30 ms, and the clock is read every 5 to 10 calls */
}

/* ---- memory and errors ------------------------------------------------------------------------------------------- */

static void sizes_are_checked(void **state)
{
    int64_t *array = NULL, capacity = 0;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_int_equal(kanon__new_array(&array, INT64_MAX, "numbers", &err), KANON_ENOMEM);
    assert_null(array);
    assert_holds(err.message, "numbers");
    assert_int_equal(kanon__new_array(&array, -1, "numbers", &err), KANON_ENOMEM);
    assert_null(array);
    assert_int_equal(kanon__new_array(&array, 0, "numbers", &err), KANON_OK);
    kanon__free(array);
    array = NULL;
    for (int64_t i = 0; i < 1000; i++) {
        assert_int_equal(kanon__grow_array(&array, &capacity, i + 1, "numbers", &err), KANON_OK);
        assert_true(capacity > i);
        array[i] = i;
    }
    for (int64_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    int64_t before = capacity;
    assert_int_equal(kanon__grow_array(&array, &capacity, INT64_MAX, "numbers", &err), KANON_ENOMEM);
    assert_int_equal(capacity, before);
    assert_int_equal(array[999], 999);
    kanon__free(array);
}

static void allocations_fail_on_demand(void **state)
{
    int64_t *array = NULL;
    (void)state;
    for (int all_after = 0; all_after < 2; all_after++) {
        kanon__alloc_fail_at(3, all_after);
        for (int i = 1; i <= 5; i++) {
            bool expected = i == 3 || (i > 3 && all_after);
            kanon_status st = kanon__new_array(&array, 1, "a number", NULL);
            assert_int_equal(st, expected ? KANON_ENOMEM : KANON_OK);
            assert_int_equal(array == NULL, expected);
            kanon__free(array);
        }
        assert_int_equal(kanon__alloc_count(), 5);
    }
    kanon__alloc_fail_at(0, false);
}

/* Of structs that are no multiple of a pointer, too: the elements follow each other behind the pointers. */
static void lists_are_one_block(void **state)
{
    (void)state;
    typedef struct pair {
        int64_t a;
        char b;
    } pair;
    static const pair given[] = {{1, 'x'}, {2, 'y'}, {3, 'z'}};
    kanon_error err = KANON_INIT(kanon_error);
    for (int64_t n = 0; n <= 3; n++) {
        pair **list = NULL, **zeros = NULL;
        kanon__alloc_fail_at(2, false);
        assert_done(kanon__new_list(&list, given, n, "pairs", &err), &err);
        assert_int_equal(kanon__new_list(&zeros, NULL, n, "pairs", &err), KANON_ENOMEM);
        assert_null(zeros);
        assert_done(kanon__new_list(&zeros, NULL, n, "pairs", &err), &err);
        kanon__alloc_fail_at(0, false);
        for (int64_t i = 0; i < n; i++) {
            assert_int_equal((uintptr_t)list[i] % _Alignof(pair), 0);
            assert_true(list[i]->a == given[i].a && list[i]->b == given[i].b);
            assert_true(zeros[i]->a == 0 && zeros[i]->b == 0);
        }
        kanon__free(zeros);
        kanon__free(list);
    }
}

static void errors_are_always_terminated(void **state)
{
    char longest[5000];
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memset(&err, 0xa5, sizeof err);
    err.struct_size = sizeof err;
    assert_int_equal(kanon__fail(&err, KANON_EDATA, "%s", longest), KANON_EDATA);
    assert_string_equal(err.hint, "");
    assert_int_equal(kanon__hint(&err, KANON_EDATA, "%s", longest), KANON_EDATA);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_int_equal(strlen(err.hint), sizeof err.hint - 1);
    assert_int_equal(kanon__fail(NULL, KANON_EIO, "x"), KANON_EIO);
    assert_int_equal(kanon__hint(NULL, KANON_EIO, "x"), KANON_EIO);
    for (int i = KANON_OK; i <= KANON_EINTERNAL; i++)
        for (int j = KANON_OK; j < i; j++)
            assert_string_not_equal(kanon_enum_text(KANON_ENUM_STATUS, i), kanon_enum_text(KANON_ENUM_STATUS, j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matches_published_values),
        cmocka_unit_test(seeds_go_through_splitmix),
        cmocka_unit_test(streams_differ),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(below_favours_no_remainder),
        cmocka_unit_test(unit_is_below_one),
        cmocka_unit_test(shuffle_makes_every_permutation),
        cmocka_unit_test(samples_are_distinct),
        cmocka_unit_test(select_agrees_with_sorting),
        cmocka_unit_test(select_has_no_bad_order),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(lowest_failure_is_told),
        cmocka_unit_test(thread_counts_are_sane),
        cmocka_unit_test(nearest_text),
        cmocka_unit_test(texts_grow),
        cmocka_unit_test(one_version),
        cmocka_unit_test(options_of_callers_of_other_versions),
        cmocka_unit_test(results_for_callers_of_other_versions),
        cmocka_unit_test(unknown_options_are_refused),
        cmocka_unit_test(unknown_options_are_refused),
        cmocka_unit_test(short_options_in_the_interface),
        cmocka_unit_test(ticker_calls_and_cancels),
        cmocka_unit_test(ticker_is_not_called_too_often),
        cmocka_unit_test(ticker_finds_out_what_work_takes),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(allocations_fail_on_demand),
        cmocka_unit_test(lists_are_one_block),
        cmocka_unit_test(errors_are_always_terminated),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
