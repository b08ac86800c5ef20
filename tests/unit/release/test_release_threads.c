/* A release is made in parts on several threads: the same bytes and the same errors with any number of them. */
#include "core/conveyor.h"
#include "core/random.h"
#include "model/grouping.h"
#include "support.h"

#include <sched.h>
#include <stdatomic.h>

static const int thread_counts[] = {1, 2, 3, 8};
enum { N_COUNTS = 4 };

/* ---- the conveyor ------------------------------------------------------------------------------------------------ */

enum { N_PARTS = 300, MOST_SLOTS = 40 };

typedef struct belt {
    atomic_int busy[MOST_SLOTS]; /* by part_buffer */
    int64_t made[MOST_SLOTS];
    int64_t taken[N_PARTS + 1];
    int64_t n_taken;
    int64_t make_fails, make_fails_too, take_fails; /* part; -1: none */
    atomic_bool trouble;
} belt;

static kanon_status make(int64_t index, int slot, void *payload, kanon_error *err)
{
    belt *b = payload;
    if (atomic_fetch_add(&b->busy[slot], 1) != 0)
        atomic_store(&b->trouble, true);
    for (atomic_int i = 0; i < index * 7 % 11 * 50; i++)
        continue; /* parts take different times */
    if (index % 16 == 5)
        sched_yield(); /* which may take very long where other work is waiting */
    b->made[slot] = index;
    if (index == b->make_fails || index == b->make_fails_too)
        return kanon__fail(err, KANON_EDATA, "part %lld", (long long)index);
    return KANON_OK;
}

static kanon_status take(int64_t index, int slot, void *payload, kanon_error *err)
{
    belt *b = payload;
    if (b->made[slot] != index || b->n_taken != index)
        atomic_store(&b->trouble, true);
    b->taken[b->n_taken++] = index;
    atomic_fetch_sub(&b->busy[slot], 1);
    return index == b->take_fails ? kanon__fail(err, KANON_EIO, "taking %lld", (long long)index) : KANON_OK;
}

static belt run_belt(int threads, belt b, kanon_status expected, const char *message)
{
    kanon_error err = KANON_INIT(kanon_error);
    int n_slots = kanon__conveyor_slots(threads, N_PARTS);
    assert_in_range(n_slots, 1, MOST_SLOTS);
    assert_int_equal(kanon__conveyor_run(threads, N_PARTS, n_slots, make, take, &b, &err), expected);
    assert_string_equal(err.message, message);
    assert_false(atomic_load(&b.trouble));
    return b;
}

static void parts_are_taken_in_order(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++)
        for (int c = 0; c < N_COUNTS; c++) {
            belt none = {.make_fails = -1, .make_fails_too = -1, .take_fails = -1};
            belt b = run_belt(thread_counts[c], none, KANON_OK, "");
            assert_int_equal(b.n_taken, N_PARTS);
            belt one = none; /* the lowest one is told, all before it are taken and none after */
            one.make_fails = 150;
            one.make_fails_too = 151 + round % 3;
            b = run_belt(thread_counts[c], one, KANON_EDATA, "part 150");
            assert_int_equal(b.n_taken, 150);
            belt last = none;
            last.take_fails = 77;
            b = run_belt(thread_counts[c], last, KANON_EIO, "taking 77");
            assert_int_equal(b.n_taken, 78);
        }
    assert_int_equal(kanon__conveyor_slots(1, 100), 1); /* one thread needs no second part_buffer */
    assert_int_equal(kanon__conveyor_slots(8, 3), 3);
    assert_int_equal(kanon__conveyor_slots(8, 0), 1);
    assert_int_equal(kanon__conveyor_run(8, 0, 1, make, take, NULL, NULL), KANON_OK);
}

/* ---- releases ---------------------------------------------------------------------------------------------------- */

enum { N_ROWS = 1500, N_GROUPS = 60, LONG_NOTE = 700000 };

static const char random_yaml[] = "attributes:\n"
                                  "  id: {role: identifying}\n"
                                  "  age: {role: quasi, type: integer}\n"
                                  "  note: {role: insensitive}\n"
                                  "  job: {role: quasi}\n"
                                  "  name: {role: identifying}\n"
                                  "  pay: {role: quasi, type: decimal}\n"
                                  "  ill: {role: sensitive}\n";

/* A table in the making, and what its release has to be. */
typedef struct random_table {
    kanon__random random;
    int64_t group_of[N_ROWS];
    int age[N_ROWS], job[N_ROWS], pay[N_ROWS];
    char *notes[N_ROWS]; /* as they stand in the file */
    const char *line_end;
} random_table;

static const char *const jobs[] = {"cook", "\"baker, \"\"master\"\"\"", "none", "\"two\nlines\""};

/* A quoted cell with everything that makes reading hard. */
static char *random_note(kanon__random *random, int64_t longest)
{
    static const char alphabet[] = "abc,;\n\r \"xyz";
    int64_t n = kanon__random_below(random, longest);
    char *note = malloc((size_t)n * 2 + 3), *at = note;
    assert_non_null(note);
    *at++ = '"';
    for (int64_t i = 0; i < n; i++) {
        char c = alphabet[kanon__random_below(random, sizeof alphabet - 1)];
        *at++ = c;
        if (c == '"')
            *at++ = c;
    }
    strcpy(at, "\"");
    return note;
}

static random_table *make_random(uint64_t seed, int number)
{
    random_table *r = calloc(1, sizeof *r);
    assert_non_null(r);
    kanon__random_init(&r->random, seed, (uint64_t)number);
    r->line_end = number % 2 == 0 ? "\n" : "\r\n";
    for (int row = 0; row < N_ROWS; row++) {
        r->group_of[row] = row < 2 * N_GROUPS ? row % N_GROUPS + 1 : kanon__random_below(&r->random, N_GROUPS + 1);
        r->age[row] = (int)kanon__random_below(&r->random, 90) - 10;
        r->job[row] = number == 2 ? 1 : (int)kanon__random_below(&r->random, 4);
        r->pay[row] = (int)kanon__random_below(&r->random, 1000);
        bool plain = kanon__random_below(&r->random, 3) == 0;
        r->notes[row] = plain ? strdup("plain") : random_note(&r->random, row == N_ROWS / 2 ? LONG_NOTE : 5000);
    }
    return r;
}

static void free_random(random_table *r)
{
    for (int row = 0; row < N_ROWS; row++)
        free(r->notes[row]);
    free(r);
}

static char *input_text(const random_table *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fprintf(file, "id,age,note,job,name,pay,ill%s", r->line_end);
    for (int row = 0; row < N_ROWS; row++)
        fprintf(file, "%d,%d,%s,%s,\"n\n%d\",%d.5,i%d%s", row, r->age[row], r->notes[row], jobs[r->job[row]], row,
                r->pay[row], row % 7, r->line_end);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void put_interval(FILE *file, int low, int high, const char *after)
{
    fprintf(file, low == high ? "%d%s" : "[%d%s..", low, after);
    if (low != high)
        fprintf(file, "%d%s]", high, after);
}

/* The release in the form KANON_NUMERIC_INTERVAL, from the definition. */
static char *expected_text(const random_table *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fprintf(file, "age,note,job,pay,ill%s", r->line_end);
    for (int row = 0; row < N_ROWS; row++) {
        int age[2] = {r->age[row], r->age[row]}, pay[2] = {r->pay[row], r->pay[row]}, job = r->job[row];
        if (r->group_of[row] == 0) /* suppressed, and not there */
            continue;
        for (int other = 0; other < N_ROWS; other++)
            if (r->group_of[other] == r->group_of[row]) {
                age[0] = r->age[other] < age[0] ? r->age[other] : age[0];
                age[1] = r->age[other] > age[1] ? r->age[other] : age[1];
                pay[0] = r->pay[other] < pay[0] ? r->pay[other] : pay[0];
                pay[1] = r->pay[other] > pay[1] ? r->pay[other] : pay[1];
                job = r->job[other] == job ? job : -1;
            }
        put_interval(file, age[0], age[1], "");
        fprintf(file, ",%s,%s,", r->notes[row], job >= 0 ? jobs[job] : "*");
        put_interval(file, pay[0], pay[1], ".5");
        fprintf(file, ",i%d%s", row % 7, r->line_end);
    }
    assert_int_equal(fclose(file), 0);
    return text;
}

static void bytes_do_not_depend_on_threads(void **state)
{
    uint64_t seed = test_seed();
    place release = scratch("release.csv");
    (void)state;
    for (int number = 0; number < 3; number++) {
        random_table *r = make_random(seed, number);
        char *input = input_text(r), *expected = expected_text(r);
        kanon_table *table = table_of(random_yaml, input);
        kanon_grouping *grouping = grouping_of(table, r->group_of);
        assert_true(table->source->n_parts > 8);    /* so many parts */
        for (int way = 0; way < 5; way++) { /* the numeric forms, and shuffled */
            char *first = NULL;
            for (int c = 0; c < N_COUNTS; c++) {
                kanon_error err = KANON_INIT(kanon_error);
                kanon_outputs outputs = {.struct_size = sizeof outputs,
                                         .release = KANON_TO_PATH(release.text),
                                         .numeric = (kanon_numeric)(KANON_NUMERIC_INTERVAL + way % 4),
                                         .shuffle = way == 4,
                                         .shuffle_seed = way == 4 ? 5 : 0,
                                         .threads = thread_counts[c]};
                assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
                char *text = read_text(release.text);
                assert_true(way != 0 || strcmp(text, expected) == 0);
                assert_true(way != 4 || (strlen(text) == strlen(expected) && strcmp(text, expected) != 0));
                assert_true(first == NULL || strcmp(text, first) == 0);
                if (first == NULL)
                    first = text;
                else
                    free(text);
            }
            free(first);
        }
        kanon_grouping_free(grouping);
        kanon_table_free(table);
        free(expected);
        free(input);
        free_random(r);
    }
}

/* Two records far from each other do not say what their codes say: the first is told, and nothing is there. */
static void errors_do_not_depend_on_threads(void **state)
{
    uint64_t seed = test_seed();
    place release = scratch("release.csv");
    (void)state;
    random_table *r = make_random(seed, 9);
    char *input = input_text(r);
    kanon_table *table = table_of(random_yaml, input);
    kanon_grouping *grouping = grouping_of(table, r->group_of);
    unlink(release.text);
    for (int wrong = 0; wrong < 2; wrong++) {
        int64_t row = wrong == 0 ? 901 : 1407;
        while (r->group_of[row] == 0)
            row++;
        kanon__codes codes = table->data.columns[table->data.quasi[0]].codes;
        kanon__code_set(codes, row, kanon__code_at(codes, row) == 0 ? 1 : kanon__code_at(codes, row) - 1);
    }
    int before = entries(scratch_directory, false);
    char told[200] = "";
    for (int shuffle = 0; shuffle < 2; shuffle++)
        for (int c = 0; c < N_COUNTS; c++) {
            kanon_error err = KANON_INIT(kanon_error);
            kanon_outputs outputs = {.struct_size = sizeof outputs,
                                     .release = KANON_TO_PATH(release.text),
                                     .threads = thread_counts[c],
                                     .shuffle = shuffle,
                                     .shuffle_seed = shuffle ? 5 : 0};
            assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINTERNAL);
            assert_holds(err.message, shuffle == 0 ? "record 90" : "record ");
            assert_true(c == 0 || strcmp(told, err.message) == 0);
            snprintf(told, sizeof told, "%.190s", err.message);
            assert_int_equal(entries(scratch_directory, false), before);
        }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    free(input);
    free_random(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_taken_in_order),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(errors_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
