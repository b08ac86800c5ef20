/* Permuted columns: the cells of a group change rows inside the group and nothing else changes, in every form of a release; the
 * places depend on seed and content alone; and the check finds every other cell. */
#include "core/random.h"
#include "arrow_consumer.h"
#include "arrow_producer.h"
#include "model/grouping.h"
#include "release/sink/arrow_release.h"
#include "release/writer.h"
#include "support.h"
#include "to_stream.h"
#include "verify/verify_arrow.h"

#include <kanon_blocks.h>

enum { MOST_ROWS = 64, MOST_COLUMNS = 6 };
#define GROUPS(...) ((const int64_t[]){__VA_ARGS__})

static const char yaml[] = "attributes:\n"
                           "  id: insensitive\n"
                           "  age: {role: quasi, type: integer}\n"
                           "  ill: {role: sensitive, permute: true}\n"
                           "  dose: {role: sensitive, type: integer, permute: true}\n"
                           "  note: {role: insensitive, permute: yes}\n"
                           "  name: identifying\n";

/* ---- releases as cells ----------------------------------------------------------------------------------------------- */

typedef struct cells {
    int n_rows, n_columns; /* the header is no row */
    char text[MOST_ROWS][MOST_COLUMNS][40];
} cells;

/* No cell of these tables has a comma. */
static void take_csv(cells *out, const char *csv)
{
    *out = (cells){.n_rows = -1};
    for (const char *line = csv; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *at = line;
        for (int column = 0;; column++) {
            size_t length = strcspn(at, ",\n");
            assert_true(column < MOST_COLUMNS && out->n_rows + 1 < MOST_ROWS && length < 40);
            if (out->n_rows >= 0)
                memcpy(out->text[out->n_rows][column], at, length);
            out->n_columns = column + 1;
            at += length + 1;
            if (at[-1] == '\n')
                break;
        }
        out->n_rows++;
    }
}

static void publish(const kanon_table *table, const kanon_grouping *grouping, const kanon_outputs *how, cells *out)
{
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("release.csv");
    kanon_outputs outputs = how != NULL ? *how : (kanon_outputs)KANON_INIT(kanon_outputs);
    outputs.release = KANON_TO_PATH(path.text);
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    char *text = read_text(path.text);
    take_csv(out, text);
    free(text);
}

static void release(const char *schema, const char *csv, const int64_t *group_of, uint64_t seed, const kanon_outputs *how,
                    cells *out)
{
    kanon_table *table = table_of(schema, csv);
    kanon_grouping *grouping = grouping_of(table, group_of);
    grouping->seed = seed;
    publish(table, grouping, how, out);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* A table whose cells tell their rows; every dose has two spellings. */
static void make_csv(char *csv, int n, const int *ids)
{
    strcpy(csv, "id,age,ill,dose,note,name\n");
    for (int i = 0; i < n; i++)
        sprintf(csv + strlen(csv), "%d,%d,\"i\"\"%d\",%s%d,n%d,p%d\n", ids[i], 20 + ids[i] % 7, ids[i],
                ids[i] % 2 ? "+" : "", ids[i] * 3, ids[i] / 2, ids[i]);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* Counted by sorting: what a group shows in a column, and what its rows have. */
static void assert_same_multiset(const cells *before, const cells *after, const int64_t *group_of, int64_t group, int column)
{
    char old[MOST_ROWS][40], new[MOST_ROWS][40];
    size_t n = 0;
    for (int row = 0; row < before->n_rows; row++)
        if (group_of[row] == group) {
            strcpy(old[n], before->text[row][column]);
            strcpy(new[n++], after->text[row][column]);
        }
    qsort(old, n, sizeof old[0], compare_texts);
    qsort(new, n, sizeof new[0], compare_texts);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(old[i], new[i]);
}

static const int in_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};

static int moved(const cells *before, const cells *after, int column)
{
    int n = 0;
    for (int row = 0; row < before->n_rows; row++)
        n += strcmp(before->text[row][column], after->text[row][column]) != 0;
    return n;
}

/* ---- what is released ---------------------------------------------------------------------------------------------- */

static void groups_keep_their_cells(void **state)
{
    char csv[4096];
    int64_t group_of[25];
    cells before, after, kept;
    (void)state;
    make_csv(csv, 25, in_order);
    take_csv(&before, csv);
    for (int i = 0; i < 25; i++)
        group_of[i] = 1 + i % 4;
    release(yaml, csv, group_of, 5, NULL, &after);
    assert_int_equal(after.n_rows, 25);
    for (int row = 0; row < 25; row++)
        assert_string_equal(after.text[row][0], before.text[row][0]); /* is not permuted */
    for (int column = 2; column < 5; column++) {
        for (int group = 1; group <= 4; group++)
            assert_same_multiset(&before, &after, group_of, group, column);
        assert_true(moved(&before, &after, column) > 8); /* of 25; each column by itself: */
    }
    int together = 0;
    for (int row = 0; row < 25; row++)
        together += atoi(after.text[row][2] + 4) * 3 == atoi(after.text[row][3]);
    assert_true(together < 15); /* as many as chance lets stay together, about one in six */

    kanon_outputs threads = KANON_INIT(kanon_outputs); /* nor does the number of threads matter */
    threads.threads = 4;
    release(yaml, csv, group_of, 5, &threads, &kept);
    assert_memory_equal(&kept, &after, sizeof kept);
    release(yaml, csv, group_of, 6, NULL, &kept); /* but the seed does */
    assert_memory_not_equal(&kept, &after, sizeof kept);
}

static void suppressed_rows_are_a_group(void **state)
{
    char csv[4096], keeping[512];
    int64_t group_of[25];
    cells before, after;
    (void)state;
    make_csv(csv, 25, in_order);
    take_csv(&before, csv);
    for (int i = 0; i < 25; i++)
        group_of[i] = i % 3;
    snprintf(keeping, sizeof keeping, "%sprivacy: {suppressed: keep}\n", yaml);
    release(keeping, csv, group_of, 1, NULL, &after);
    for (int column = 2; column < 5; column++)
        for (int group = 0; group <= 2; group++)
            assert_same_multiset(&before, &after, group_of, group, column);
    assert_true(moved(&before, &after, 2) > 8);
    release(yaml, csv, group_of, 1, NULL, &after); /* and stay out with their cells */
    assert_int_equal(after.n_rows, 16);
    for (int row = 0; row < 16; row++)
        assert_true(atoi(after.text[row][2] + 4) % 3 != 0);
}

/* The same records in another order show the same; also in a shuffled release, byte by byte. */
static void the_order_of_the_table_does_not_matter(void **state)
{
    char csv[4096];
    int ids[25];
    int64_t group_of[25];
    cells first, second;
    kanon__random random;
    kanon_outputs shuffled = KANON_INIT(kanon_outputs);
    (void)state;
    shuffled.shuffle = 1;
    kanon__random_init(&random, test_seed(), 0);
    make_csv(csv, 25, in_order);
    for (int i = 0; i < 25; i++) {
        ids[i] = in_order[i];
        group_of[i] = 1 + in_order[i] % 4;
    }
    release(yaml, csv, group_of, 5, NULL, &first);
    kanon__random_shuffle(&random, ids, 25);
    make_csv(csv, 25, ids);
    for (int i = 0; i < 25; i++)
        group_of[i] = 1 + ids[i] % 4;
    release(yaml, csv, group_of, 5, NULL, &second);
    for (int i = 0; i < 25; i++)
        for (int column = 0; column < 5; column++)
            assert_string_equal(second.text[i][column], first.text[ids[i]][column]);
    release(yaml, csv, group_of, 5, &shuffled, &second);
    make_csv(csv, 25, in_order);
    for (int i = 0; i < 25; i++)
        group_of[i] = 1 + in_order[i] % 4;
    release(yaml, csv, group_of, 5, &shuffled, &first);
    assert_memory_equal(&first, &second, sizeof first);
}

/* Six ways to deal out three cells, 100 times each on average: six standard deviations to either side. */
static void every_place_is_as_likely(void **state)
{
    int seen[6] = {0};
    cells before, after;
    char csv[4096];
    (void)state;
    make_csv(csv, 3, in_order);
    take_csv(&before, csv);
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1));
    for (uint64_t seed = 0; seed < 600; seed++) {
        kanon__permutation *p = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        assert_done(kanon__permutation_new(&p, table, grouping->group_of, seed, 1, &err), &err);
        const int32_t *from = kanon__permuted(p, 2)->from;
        assert_int_equal(from[0] + from[1] + from[2], 3);
        seen[from[0] * 2 + (from[1] > from[2])]++;
        kanon__permutation_free(p);
    }
    for (int i = 0; i < 6; i++)
        assert_in_range(seen[i], 100 - 55, 100 + 55);
    publish(table, grouping, NULL, &after);
    assert_same_multiset(&before, &after, GROUPS(1, 1, 1), 1, 2);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Places depend on every record: who lacks one of them has no place at all. Withheld columns do not count. */
static void places_depend_on_all_records(void **state)
{
    static const char last[] = "23,22,\"i\"\"23\",+69,n11,p23\n";
    char csv[4096];
    int64_t group_of[24];
    cells first, second;
    (void)state;
    for (int i = 0; i < 24; i++)
        group_of[i] = 1 + i / 12;
    make_csv(csv, 24, in_order);
    assert_non_null(strstr(csv, last));
    release(yaml, csv, group_of, 5, NULL, &first);
    strcpy(strstr(csv, last), "23,22,\"i\"\"23\",+69,n11,other\n");
    release(yaml, csv, group_of, 5, NULL, &second);
    assert_memory_equal(&first, &second, sizeof first);
    strcpy(strstr(csv, "23,22,"), "23,21,\"i\"\"23\",+69,n11,other\n"); /* an age, in the other group */
    release(yaml, csv, group_of, 5, NULL, &second);
    int n = 0;
    for (int row = 0; row < 12; row++)
        n += strcmp(first.text[row][2], second.text[row][2]) != 0;
    assert_true(n > 3);
}

/* ---- Arrow --------------------------------------------------------------------------------------------------------- */

/* What a stream shows in a column, with the spelling of CSV left aside: numbers by value, texts without quotes. */
static void assert_same_cell(const char *in_csv, const char *in_stream)
{
    char plain[64];
    size_t n = 0;
    for (const char *at = in_csv; *at != '\0'; at++)
        if (*at == '"')
            at += at[1] == '"' ? (plain[n++] = '"', 1) : 0;
        else if (*at != '+')
            plain[n++] = *at;
    plain[n] = '\0';
    assert_string_equal(plain, in_stream);
}

static void assert_stream(const kanon_table *table, const kanon_grouping *grouping, bool shuffle, const cells *csv)
{
    static const int columns[] = {0, 2, 3, 4}; /* of the CSV release; age is two in a stream */
    struct ArrowArrayStream stream;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_outputs how = {.struct_size = sizeof how, .shuffle = shuffle};
    assert_done(release_to_stream(&stream, table, grouping, &how, &err), &err);
    arrow_taken taken = arrow_take(&stream);
    assert_int_equal(taken.n_rows, csv->n_rows);
    for (int row = 0; row < csv->n_rows; row++)
        for (int i = 0; i < 4; i++) {
            char *cell = arrow_taken_cell(&taken, row, columns[i] + (columns[i] > 1));
            assert_same_cell(csv->text[row][columns[i]], cell);
            free(cell);
        }
    arrow_taken_clear(&taken);
}

#define CELLS(...) ((const char *const[]){__VA_ARGS__})

/* A table in texts, and the same one in types: CSV and streams of both show the same in the same rows. */
static void streams_show_the_same(void **state)
{
    static const char csv[] = "id,age,ill,dose,note,name\n1,20,flu,3,a,x\n2,21,hiv,+6,b,x\n3,22,flu,9,c,x\n4,23,gout,12,d,x\n"
                              "5,24,flu,15,e,x\n6,25,hiv,18,f,x\n7,26,flu,21,g,x\n8,27,gout,24,h,x\n";
    const arrow_field fields[] = {
        {"id", "u", NULL, CELLS("1", "2", "3", "4", "5", "6", "7", "8")},
        {"age", "l", NULL, CELLS("20", "21", "22", "23", "24", "25", "26", "27")},
        {"ill", "c", "u", CELLS("flu", "hiv", "flu", "gout", "flu", "hiv", "flu", "gout")},
        {"dose", "s", NULL, CELLS("3", "6", "9", "12", "15", "18", "21", "24")},
        {"note", "u", NULL, CELLS("a", "b", "c", "d", "e", "f", "g", "h")},
        {"name", "u", NULL, CELLS("x", "x", "x", "x", "x", "x", "x", "x")}};
    static const int64_t group_of[] = {1, 2, 1, 2, 0, 1, 2, 1};
    const arrow_table given = {6, fields, 8};
    arrow_counts counts = {0};
    kanon_schema *schema = NULL;
    kanon_table *text = table_of(yaml, csv), *typed = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    kanon_grouping *of_text = grouping_of(text, group_of), *of_typed;
    (void)state;
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    arrow_produce(&stream, &given, &(arrow_layout){.batch_rows = 3}, &counts);
    assert_done(kanon_table_read(&typed, KANON_STREAM(&stream), schema, NULL, &err), &err);
    of_typed = grouping_of(typed, group_of);
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        kanon_outputs how = {.struct_size = sizeof how, .shuffle = shuffle};
        cells first, second;
        publish(text, of_text, &how, &first);
        publish(typed, of_typed, &how, &second);
        assert_int_equal(first.n_rows, 7);
        for (int row = 0; row < 7; row++)
            for (int column = 0; column < 5; column++)
                assert_same_cell(first.text[row][column], second.text[row][column]);
        assert_stream(text, of_text, shuffle, &first);
        assert_stream(typed, of_typed, shuffle, &first);
    }
    kanon_schema_free(schema);
    kanon_grouping_free(of_typed);
    kanon_grouping_free(of_text);
    kanon_table_free(typed);
    kanon_table_free(text);
}

/* ---- the check ----------------------------------------------------------------------------------------------------- */

/* Cells that leave their group, that are there twice, or not at all. */
static void wrong_places_are_found(void **state)
{
    static const int32_t wrong[][4] = {{2, 1, 0, 3}, {0, 0, 2, 3}, {1, 1, 3, 2}, {0, 1, 2, 2}, {2, 3, 0, 1}};
    static const int32_t right[][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2}};
    const char *csv = "id,age,ill,dose,note,name\n1,20,flu,3,a,x\n2,21,hiv,6,b,x\n3,22,gout,9,c,x\n4,23,cold,12,d,x\n";
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2));
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < (kind == 0 ? sizeof right / sizeof *right : sizeof wrong / sizeof *wrong); i++)
            for (int column = 2; column < 5; column++) {
                kanon_error err = KANON_INIT(kanon_error);
                kanon__permutation *p = NULL;
                kanon__arrow_batches *batches = NULL;
                struct ArrowSchema schema = {0};
                assert_done(kanon__permutation_new(&p, table, grouping->group_of, 1, 1, &err), &err);
                memcpy(p->columns[p->place_of[column]].from, kind == 0 ? right[i] : wrong[i], sizeof right[i]);
                kanon__arrow_plan plan = {.table = table, .group_of = grouping->group_of, .n_groups = 2, .permutation = p,
                                          .numeric = KANON_NUMERIC_COLUMNS, .threads = 1};
                assert_done(kanon__arrow_release_new(&batches, &plan, &err), &err);
                assert_done(kanon__arrow_schema_init(&schema, batches->fields, batches->n_fields, &err), &err);
                const kanon__arrow_claim claim = {.table = table,
                                                  .group_of = grouping->group_of,
                                                  .n_groups = 2,
                                                  .requirement = {.policy = &table->policy, .k = 2, .most_suppressed = -1},
                                                  .numeric = KANON_NUMERIC_COLUMNS,
                                                  .schema = &schema,
                                                  .batches = batches->batches,
                                                  .n_batches = batches->n_batches};
                assert_int_equal(kanon__verify_arrow(&claim, 1, &err), kind == 0 ? KANON_OK : KANON_EINTERNAL);
                if (kind == 1)
                    assert_holds(err.message, "a group that shows other cells than its records have, column ");
                schema.release(&schema);
                kanon__arrow_batches_free(batches);
                kanon__permutation_free(p);
            }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- what is refused ----------------------------------------------------------------------------------------------- */

static void assert_refused(const char *schema, const char *message)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    assert_int_equal(read_table(&table, schema, "a,b\n1,2\n1,2\n", NULL, &err), KANON_EDATA);
    assert_holds(err.message, message);
}

static void roles_are_checked(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    const kanon_options blocks = {.struct_size = sizeof blocks, .k = 2, .blocks = 10};
    (void)state;
    assert_refused("attributes: {a: {role: quasi, permute: true}, b: sensitive}\n", "a: the column is permuted, but its role is");
    assert_refused("attributes: {a: quasi, b: {role: identifying, permute: true}}\n", "b: the column is permuted, but");
    kanon_table *table = table_of("attributes: {a: {role: quasi, permute: no}, b: {role: sensitive, permute: false}}\n",
                                  "a,b\n1,2\n1,2\n");
    kanon_table_free(table);
    assert_done(kanon_schema_new(&schema, NULL, &err), &err);
    assert_done(kanon_schema_set(schema, "a", "role", "quasi", &err), &err);
    assert_done(kanon_schema_set(schema, "b", "permute", "false", &err), &err);
    assert_done(kanon_blocks_allow(schema, &blocks, &err), &err);
    assert_done(kanon_schema_set(schema, "b", "permute", "true", &err), &err);
    assert_int_equal(kanon_blocks_allow(schema, &blocks, &err), KANON_EINVAL);
    assert_holds(err.message, "b: a permuted column is not possible in blocks");
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_keep_their_cells),      cmocka_unit_test(suppressed_rows_are_a_group),
        cmocka_unit_test(the_order_of_the_table_does_not_matter),
        cmocka_unit_test(every_place_is_as_likely),     cmocka_unit_test(places_depend_on_all_records),
        cmocka_unit_test(streams_show_the_same),        cmocka_unit_test(wrong_places_are_found),
        cmocka_unit_test(roles_are_checked),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
