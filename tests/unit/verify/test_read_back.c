/* What somebody else has written is read back: every changed cell is found, whatever the column holds, and other batches,
 * offsets and spellings of the same values are no change. */
#include "arrow_producer.h"
#include "core/alloc.h"
#include "support.h"
#include "verify/read_back.h"

#include <errno.h>

enum { N_ROWS = 5, N_COLUMNS = 10, MOST_BATCHES = 64 };

typedef const char *const cells[N_ROWS];

static cells wholes = {"1", "2", "3", "4", "5"}, others = {"1", NULL, "3", "4", "5"},
             reals = {"1", "1.25", "-7", "1e300", "0"}, some_reals = {"2.5", "2.75", NULL, "-2.5", "9e15"},
             texts = {"a", "b", "", "aa", "long text, with more"}, some_texts = {"a", NULL, "", "c", "d"},
             words = {"x", "y", "x", NULL, "z"}, days = {"0", "1", "-1", "20000", "7"}, truths = {"0", "1", "1", "0", "1"},
             amounts = {"100", "101", "-5", "0", "99999"};

static const arrow_field plain[N_COLUMNS] = {
    {"whole", "l", NULL, wholes},       {"other", "i", NULL, others}, {"real", "g", NULL, reals},
    {"some", "g", NULL, some_reals},    {"text", "u", NULL, texts},   {"note", "u", NULL, some_texts},
    {"word", "c", "u", words},          {"day", "tdD", NULL, days},   {"truth", "b", NULL, truths},
    {"amount", "d:9,2", NULL, amounts},
};

/* The digest of a table as it is given. */
static kanon__row_digest digest_of(const arrow_table *table, const arrow_layout *layout, bool ordered)
{
    arrow_counts counts = {0};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batches[MOST_BATCHES];
    int64_t n = 0;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__row_digest digest;
    arrow_produce(&stream, table, layout, &counts);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    for (;; n++) {
        assert_true(n < MOST_BATCHES);
        assert_int_equal(stream.get_next(&stream, &batches[n]), 0);
        if (batches[n].release == NULL)
            break;
    }
    assert_done(kanon__row_digest_of(&digest, ordered, &schema, batches, n, 1, &err), &err);
    for (int64_t i = 0; i < n; i++)
        batches[i].release(&batches[i]);
    schema.release(&schema);
    stream.release(&stream);
    assert_int_equal(digest.n_rows, table->n_rows);
    return digest;
}

static kanon_status reads_back(const kanon__row_digest *digest, const arrow_table *table, const arrow_layout *layout)
{
    arrow_counts counts = {0};
    struct ArrowArrayStream stream;
    kanon_error err = KANON_INIT(kanon_error);
    arrow_produce(&stream, table, layout, &counts);
    kanon_status st = kanon__verify_read_back(digest, &stream, "t.parquet", &err);
    assert_int_equal(counts.released_arrays, counts.arrays);
    assert_int_equal(counts.released_streams, 1);
    return st;
}

static const arrow_table as_given = {N_COLUMNS, plain, N_ROWS};
static const arrow_layout at_once = {0}, shifted = {.batch_offset = 2, .rows_behind = 1, .unknown_nulls = true},
                          otherwise = {.batch_rows = 2,
                                       .array_offset = 3,
                                       .unknown_nulls = true,
                                       .always_validity = true,
                                       .empty_batches = true,
                                       .odd_dictionary = true};

static void the_same_values_read_back(void **state)
{
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        kanon__row_digest digest = digest_of(&as_given, &at_once, ordered);
        assert_int_equal(reads_back(&digest, &as_given, &at_once), KANON_OK);
        assert_int_equal(reads_back(&digest, &as_given, &otherwise), KANON_OK);
        digest = digest_of(&as_given, &otherwise, ordered);
        assert_int_equal(reads_back(&digest, &as_given, &at_once), KANON_OK);
        /* without the dictionary: an array must be sound as a whole, and rows that nobody looks at hold garbage here */
        const arrow_table without = {6, plain, N_ROWS};
        digest = digest_of(&without, &at_once, ordered);
        assert_int_equal(reads_back(&digest, &without, &shifted), KANON_OK);
    }
}

/* A whole number may come back as a real, a day as its text; a name may not change. */
static void types_may_change_and_names_may_not(void **state)
{
    static cells days_in_words = {"1970-01-01", "1970-01-02", "1969-12-31", "2024-10-04", "1970-01-08"},
                 yes_or_no = {"false", "true", "true", "false", "true"}, sums = {"1.00", "1.01", "-0.05", "0.00", "999.99"};
    arrow_field fields[N_COLUMNS];
    arrow_table table = {N_COLUMNS, fields, N_ROWS};
    kanon__row_digest digest = digest_of(&as_given, &at_once, true);
    (void)state;
    memcpy(fields, plain, sizeof fields);
    fields[0].format = fields[1].format = "g";
    fields[6] = (arrow_field){"word", "U", NULL, words};
    fields[7] = (arrow_field){"day", "u", NULL, days_in_words};
    fields[8] = (arrow_field){"truth", "u", NULL, yes_or_no};
    fields[9] = (arrow_field){"amount", "u", NULL, sums};
    assert_int_equal(reads_back(&digest, &table, &at_once), KANON_OK);
    fields[0].name = "all";
    assert_int_equal(reads_back(&digest, &table, &at_once), KANON_EIO);
}

/* One cell at a time takes another value, or loses it, or has one where it had none. */
static void every_changed_cell_is_found(void **state)
{
    static const char *const instead[N_COLUMNS] = {"6", "7", "1.75", "1.5", "ab", "e", "zz", "8", NULL, "102"};
    const arrow_layout *layouts[] = {&at_once, &otherwise};
    kanon__row_digest digest = digest_of(&as_given, &at_once, false);
    (void)state;
    for (int column = 0; column < N_COLUMNS; column++)
        for (int row = 0; row < N_ROWS; row++)
            for (int way = 0; way < 2; way++) {
                const char *changed[N_ROWS];
                arrow_field fields[N_COLUMNS];
                memcpy(fields, plain, sizeof fields);
                memcpy(changed, plain[column].cells, sizeof changed);
                const char *old = changed[row];
                changed[row] = way == 0 ? instead[column] : NULL;
                if (column == 8 && way == 0)
                    changed[row] = old[0] == '0' ? "1" : "0";
                if (changed[row] == old)
                    continue; /* was none, is none */
                fields[column].cells = changed;
                arrow_table table = {N_COLUMNS, fields, N_ROWS};
                if (reads_back(&digest, &table, layouts[row % 2]) != KANON_EIO)
                    fail_msg("column %s, row %d, way %d: nobody notices", plain[column].name, row, way);
            }
}

static void other_rows_are_found(void **state)
{
    static cells first = {"1", "2", "3", "4", "5"}, turned = {"2", "1", "3", "4", "5"};
    const arrow_field one = {"whole", "l", NULL, first}, other = {"whole", "l", NULL, turned};
    const arrow_table given = {1, &one, N_ROWS}, swapped = {1, &other, N_ROWS}, fewer = {1, &one, N_ROWS - 1};
    (void)state;
    kanon__row_digest in_order = digest_of(&given, &at_once, true), in_any = digest_of(&given, &at_once, false);
    assert_int_equal(reads_back(&in_order, &swapped, &at_once), KANON_EIO);
    assert_int_equal(reads_back(&in_any, &swapped, &at_once), KANON_OK);
    assert_int_equal(reads_back(&in_any, &fewer, &at_once), KANON_EIO);
}

/* Enough batches for several tasks, each of which begins with its own. */
static void many_batches_are_one_table(void **state)
{
    enum { N = 40 };
    static char squares[N][8];
    const char *given[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(squares[i], sizeof squares[i], "%d", i * i);
        given[i] = squares[i];
    }
    const arrow_field field = {"whole", "l", NULL, given};
    const arrow_table table = {1, &field, N};
    const arrow_layout one_by_one = {.batch_rows = 1};
    kanon__row_digest digest = digest_of(&table, &one_by_one, true);
    assert_int_equal(reads_back(&digest, &table, &at_once), KANON_OK);
    given[N - 1] = "0";
    assert_int_equal(reads_back(&digest, &table, &at_once), KANON_EIO);
}

/* ---- drivers that break the interface ---------------------------------------------------------------------------- */

typedef enum fault { A_COLUMN_LESS, NEGATIVE_LENGTH, NEGATIVE_OFFSET, A_NULL_ROW, SHORT_COLUMN, N_FAULTS } fault;

static const uint8_t none_but_first[1] = {1};
static const void *row_validity[1] = {none_but_first};

static void spoil(struct ArrowArray *batch, int64_t number, void *payload)
{
    (void)number;
    switch (*(const fault *)payload) {
    case A_COLUMN_LESS:
        batch->n_children--;
        break;
    case NEGATIVE_LENGTH:
        batch->length = -1;
        break;
    case NEGATIVE_OFFSET:
        batch->offset = -1;
        break;
    case A_NULL_ROW:
        batch->null_count = 1;
        batch->n_buffers = 1;
        batch->buffers = row_validity;
        break;
    default:
        batch->children[0]->length--;
    }
}

static void broken_batches_are_refused(void **state)
{
    kanon__row_digest digest = digest_of(&as_given, &at_once, false);
    (void)state;
    for (int how = 0; how < N_FAULTS; how++) {
        fault f = (fault)how;
        arrow_layout layout = {.spoil = spoil, .payload = &f};
        assert_int_equal(reads_back(&digest, &as_given, &layout), KANON_EIO);
    }
    const arrow_layout no_schema = {.fail_schema = EIO}, no_rows = {.fail_next = EIO, .fail_at = 1};
    assert_int_equal(reads_back(&digest, &as_given, &no_schema), KANON_EIO);
    assert_int_equal(reads_back(&digest, &as_given, &no_rows), KANON_EIO);
}

/* A list is none of the types of a release. */
static void make_list(struct ArrowSchema *schema, void *payload)
{
    (void)payload;
    memcpy((char *)schema->children[1]->format, "+l", 3); /* there was "tss:" */
}

/* No number is no value, and a time is what it says. */
static void rare_values_read_back(void **state)
{
    static cells nothing = {"nan", "1", NULL, "2", "nan"}, none = {NULL, "1", NULL, "2", NULL},
                 times = {"0", "1000", "-1", "0", "7"}, others_times = {"0", "1000", "-2", "0", "7"};
    const arrow_field given[] = {{"x", "g", NULL, nothing}, {"t", "tss:", NULL, times}},
                      same[] = {{"x", "g", NULL, none}, {"t", "tss:", NULL, times}},
                      other[] = {{"x", "g", NULL, none}, {"t", "tss:", NULL, others_times}};
    const arrow_table tables[] = {{2, given, N_ROWS}, {2, same, N_ROWS}, {2, other, N_ROWS}};
    const arrow_layout listed = {.spoil_schema = make_list};
    kanon__row_digest digest = digest_of(&tables[0], &at_once, true);
    (void)state;
    assert_int_equal(reads_back(&digest, &tables[0], &otherwise), KANON_OK);
    assert_int_equal(reads_back(&digest, &tables[1], &at_once), KANON_OK);
    assert_int_equal(reads_back(&digest, &tables[2], &at_once), KANON_EIO);
    assert_int_not_equal(reads_back(&digest, &tables[0], &listed), KANON_OK);
}

#ifdef KANON_TEST_HOOKS
static void no_memory_is_told(void **state)
{
    kanon__row_digest digest = digest_of(&as_given, &at_once, true);
    kanon_status st = KANON_ENOMEM;
    (void)state;
    for (int64_t at = 1; st != KANON_OK; at++) {
        assert_true(at < 100);
        kanon__alloc_fail_at(at, false);
        st = reads_back(&digest, &as_given, &at_once);
        kanon__alloc_fail_at(0, false);
        assert_true(st == KANON_OK || st == KANON_ENOMEM);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_values_read_back),   cmocka_unit_test(types_may_change_and_names_may_not),
        cmocka_unit_test(every_changed_cell_is_found), cmocka_unit_test(other_rows_are_found),
        cmocka_unit_test(many_batches_are_one_table),  cmocka_unit_test(broken_batches_are_refused),
        cmocka_unit_test(rare_values_read_back),
#ifdef KANON_TEST_HOOKS
        cmocka_unit_test(no_memory_is_told),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
