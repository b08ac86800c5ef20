/* Drawn ends: intervals cover their groups and are wider by what the rule says, their place is drawn evenly, the loss counts
 * what is released, a group keeps its place as long as it has its name, and the check finds ends that are none. */
#include "core/random.h"
#include "arrow_consumer.h"
#include "arrow_producer.h"
#include "model/grouping.h"
#include "release/sink/arrow_release.h"
#include "support.h"
#include "table/domain/drawn_ends.h"
#include "table/read/csv_source.h"
#include "to_stream.h"
#include "verify/verify.h"
#include "verify/verify_arrow.h"

#include <kanon_blocks.h>
#include <math.h>

enum { N = 120, N_GROUPS = 12, DAY = 18000 };

static const char yaml[] = "missing: '?'\nattributes:\n"
                           "  age: {role: quasi, type: integer, ends: drawn}\n"
                           "  pay: {role: quasi, type: decimal, ends: drawn, weight: 2}\n"
                           "  day: {role: quasi, type: date, ends: drawn}\n"
                           "  rank: {role: quasi, type: integer}\n"
                           "  ill: {role: sensitive}\n";

/* Numbers as the test knows them: years, hundredths, days. */
typedef struct people {
    int64_t values[N][4];
    int64_t group_of[N];
    bool missing[N];
} people;

static void make_people(people *p, uint64_t seed)
{
    kanon__random random;
    kanon__random_init(&random, seed, 0);
    for (int i = 0; i < N; i++) {
        int64_t group = i % N_GROUPS;
        p->group_of[i] = group + 1;
        p->values[i][0] = 20 + group * 5 + kanon__random_below(&random, group % 3 == 0 ? 1 : 4);
        p->values[i][1] = 25 * (group * 10 + kanon__random_below(&random, 1 + group * 4));
        p->values[i][2] = DAY + group * 30 + kanon__random_below(&random, 100);
        p->values[i][3] = group;
        p->missing[i] = i % (2 * N_GROUPS) == 5;
    }
}

static kanon_table *table_of_people(const people *p)
{
    char csv[N * 80], *at = csv + sprintf(csv, "age,pay,day,rank,ill\n");
    for (int i = 0; i < N; i++) {
        char day[KANON__NUMBER_TEXT], age[24];
        kanon__format_date(day, p->values[i][2]);
        snprintf(age, sizeof age, "%lld", (long long)p->values[i][0]);
        at += sprintf(at, "%s,%lld.%02lld,%s,%lld,x%d\n", p->missing[i] ? "?" : age, (long long)p->values[i][1] / 100,
                      (long long)p->values[i][1] % 100, day, (long long)p->values[i][3], i % 3);
    }
    return table_of(yaml, csv);
}

/* ---- the rule, by hand ----------------------------------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

typedef struct facts {
    int64_t least, most, unit, grid;
} facts;

static facts facts_of(const people *p, int column)
{
    int64_t values[N], gaps[N], n = 0, n_gaps = 0, grid = 0;
    for (int i = 0; i < N; i++)
        if (column > 0 || !p->missing[i])
            values[n++] = p->values[i][column];
    qsort(values, (size_t)n, sizeof *values, compare_numbers);
    for (int64_t i = 1; i < n; i++)
        if (values[i] > values[i - 1])
            gaps[n_gaps++] = values[i] - values[i - 1];
    for (grid = gaps[0];; grid--) {
        bool divides = true;
        for (int64_t i = 0; i < n_gaps; i++)
            divides = divides && gaps[i] % grid == 0;
        if (divides)
            break;
    }
    qsort(gaps, (size_t)n_gaps, sizeof *gaps, compare_numbers);
    return (facts){values[0], values[n - 1], gaps[n_gaps / 2], grid};
}

static void group_ends(int64_t out[2], const people *p, int column, int64_t group)
{
    out[0] = INT64_MAX;
    out[1] = INT64_MIN;
    for (int i = 0; i < N; i++)
        if (p->group_of[i] == group && (column > 0 || !p->missing[i])) {
            out[0] = p->values[i][column] < out[0] ? p->values[i][column] : out[0];
            out[1] = p->values[i][column] > out[1] ? p->values[i][column] : out[1];
        }
}

/* How much wider the interval of a group becomes. */
static int64_t extra(const facts *f, const int64_t ends[2])
{
    int64_t eighth = (ends[1] - ends[0]) / 8 / f->grid * f->grid, usual = 2 * f->unit;
    int64_t room = ends[0] - f->least + f->most - ends[1];
    int64_t wanted = eighth > usual ? eighth : usual;
    return wanted < room ? wanted : room;
}

/* ---- what is released ------------------------------------------------------------------------------------------------ */

/* A cell of a release with two columns as a whole number of its last digit. */
static int64_t number_at(const char **at, int column)
{
    char text[64];
    size_t length = strcspn(*at, ",\n");
    int64_t out = 0;
    assert_true(length > 0 && length < sizeof text);
    memcpy(text, *at, length);
    text[length] = '\0';
    *at += length + 1;
    if (column == 2)
        assert_true(kanon__parse_date(&out, text, length));
    else
        out = llround(strtod(text, NULL) * (column == 1 ? 100 : 1));
    return out;
}

static void intervals_are_wider_by_the_rule(void **state)
{
    people p;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    make_people(&p, test_seed());
    kanon_table *table = table_of_people(&p);
    kanon_grouping *grouping = grouping_of(table, p.group_of);
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(scratch("r.csv").text), .numeric = KANON_NUMERIC_COLUMNS};
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    char *text = read_text(scratch("r.csv").text);
    const char *at = strchr(text, '\n') + 1;
    double loss = 0;
    for (int i = 0; i < N; i++) {
        for (int column = 0; column < 4; column++) {
            facts f = facts_of(&p, column);
            int64_t own[2], shown[2];
            group_ends(own, &p, column, p.group_of[i]);
            if (column == 0 && p.group_of[i] == 6) { /* numbers next to missing ones */
                assert_memory_equal(at, "*,*,", 4);
                at += 4;
                loss += 1;
                continue;
            }
            for (int end = 0; end < 2; end++)
                shown[end] = number_at(&at, column);
            int64_t more = column < 3 ? extra(&f, own) : 0;
            assert_true(f.least <= shown[0] && shown[0] <= own[0] && own[1] <= shown[1] && shown[1] <= f.most);
            assert_int_equal(shown[1] - shown[0], own[1] - own[0] + more);
            assert_int_equal((own[0] - shown[0]) % f.grid, 0);
            if (column < 3)
                assert_true(shown[0] < shown[1]);
            loss += (column == 1 ? 2 : 1) * (double)(shown[1] - shown[0]) / (double)(f.most - f.least);
        }
        at += strcspn(at, "\n") + 1;
    }
    kanon_measures *measures = NULL;
    assert_done(kanon_evaluate(&measures, table, grouping, NULL, &err), &err);
    assert_true(fabs(kanon_measures_find(measures, "information_loss", NULL)->value - loss) < 1e-9);
    kanon_measures_free(measures);
    free(text);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* All forms show the same ends. */
static void forms_agree(void **state)
{
    people p;
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    (void)state;
    make_people(&p, 5);
    kanon_table *table = table_of_people(&p);
    kanon_grouping *grouping = grouping_of(table, p.group_of);
    kanon_outputs in_csv = {
        .struct_size = sizeof in_csv, .release = KANON_TO_PATH(scratch("r.csv").text), .numeric = KANON_NUMERIC_INTERVAL};
    kanon_outputs as_text = {.struct_size = sizeof as_text, .numeric = KANON_NUMERIC_INTERVAL};
    kanon_group_view *view = NULL;
    assert_done(kanon_publish(table, grouping, &in_csv, &err), &err);
    char *text = read_text(scratch("r.csv").text), expected[200];
    assert_done(release_to_stream(&stream, table, grouping, &as_text, &err), &err);
    arrow_taken texts = arrow_take(&stream);
    assert_done(release_to_stream(&stream, table, grouping, NULL, &err), &err);
    arrow_taken ends = arrow_take(&stream);
    assert_done(kanon_group_view_new(&view, table, grouping, &err), &err);
    const char *at = strchr(text, '\n') + 1;
    for (int row = 0; row < N; row++, at = strchr(at, '\n') + 1)
        for (int column = 0; column < 3; column++) {
            kanon_group_cell seen = KANON_INIT(kanon_group_cell);
            char *shown = arrow_taken_cell(&texts, row, column), *low = arrow_taken_cell(&ends, row, 2 * column),
                 *high = arrow_taken_cell(&ends, row, 2 * column + 1);
            const char *cell = at;
            for (int i = 0; i < column; i++)
                cell = strchr(cell, ',') + 1;
            assert_done(kanon_group_view_cell(&seen, view, p.group_of[row], column, &err), &err);
            if (shown == NULL) {
                assert_memory_equal(cell, "*,", 2);
                assert_null(low);
                assert_int_equal(seen.shows, KANON_SHOWS_ANY);
                continue;
            }
            snprintf(expected, sizeof expected, "%s,", shown);
            assert_memory_equal(cell, expected, strlen(expected));
            snprintf(expected, sizeof expected, "[%s..%s]", seen.min_text, seen.max_text);
            assert_string_equal(shown, expected);
            if (column != 1) { /* doubles are printed in another way */
                snprintf(expected, sizeof expected, "[%s..%s]", low, high);
                assert_string_equal(shown, expected);
            } else {
                assert_true(strtod(low, NULL) == seen.min && strtod(high, NULL) == seen.max);
            }
            free(high);
            free(low);
            free(shown);
        }
    kanon_group_view_free(view);
    arrow_taken_clear(&ends);
    arrow_taken_clear(&texts);
    free(text);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

#define CELLS(...) ((const char *const[]){__VA_ARGS__})

/* Columns with types of their own show in them what the same table of texts shows. */
static void types_keep_their_ends(void **state)
{
    const arrow_field fields[] = {
        {"a", "s", NULL, CELLS("20", "21", "25", "25", "31", "40", "40", "60")},
        {"b", "d:9,2", NULL, CELLS("150", "175", "200", "325", "325", "400", "1025", "9975")},
        {"c", "tdD", NULL, CELLS("18000", "18001", "18010", "18020", "18020", "18090", "18100", "18365")},
        {"d", "g", NULL, CELLS("0.5", "0.75", "1", "1.5", "2.25", "2.5", "8", "9.75")}};
    static const char schema_text[] = "attributes:\n"
                                      "  a: {role: quasi, type: integer, ends: drawn}\n"
                                      "  b: {role: quasi, type: decimal, ends: drawn}\n"
                                      "  c: {role: quasi, type: date, ends: drawn}\n"
                                      "  d: {role: quasi, type: decimal, ends: drawn}\n";
    static const char csv[] = "a,b,c,d\n20,1.50,2019-04-14,0.5\n21,1.75,2019-04-15,0.75\n25,2.00,2019-04-24,1\n"
                              "25,3.25,2019-05-04,1.5\n31,3.25,2019-05-04,2.25\n40,4.00,2019-07-13,2.5\n"
                              "40,10.25,2019-07-23,8\n60,99.75,2020-04-13,9.75\n";
    static const int64_t group_of[] = {1, 1, 2, 2, 1, 3, 3, 2};
    const arrow_table given = {4, fields, 8};
    arrow_counts counts = {0};
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    kanon_schema *schema = NULL;
    kanon_table *text = table_of(schema_text, csv), *typed = NULL;
    (void)state;
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    arrow_produce(&stream, &given, &(arrow_layout){.batch_rows = 3}, &counts);
    assert_done(kanon_table_read(&typed, KANON_STREAM(&stream), schema, NULL, &err), &err);
    kanon_grouping *of_text = grouping_of(text, group_of), *of_typed = grouping_of(typed, group_of);
    for (int i = 0; i < 4; i++) /* texts have as many digits as they need, and types as they can have */
        for (int end = 0; end < 6; end++) {
            double shown[2][2];
            assert_true(kanon__grouping_drawn_at(shown[0], of_text, &text->data.columns[i], end / 2));
            assert_true(kanon__grouping_drawn_at(shown[1], of_typed, &typed->data.columns[i], end / 2));
            assert_true(shown[0][end % 2] == shown[1][end % 2]);
        }
    assert_done(release_to_stream(&stream, typed, of_typed, NULL, &err), &err);
    arrow_taken taken = arrow_take(&stream);
    char *printed = arrow_taken_print(&taken);
    assert_holds(printed, "a_min:s,a_max:s,b_min:d:9,2,b_max:d:9,2,c_min:tdD,c_max:tdD,d_min:g,d_max:g");
    free(printed);
    arrow_taken_clear(&taken);
    kanon_schema_free(schema);
    kanon_grouping_free(of_typed);
    kanon_grouping_free(of_text);
    kanon_table_free(typed);
    kanon_table_free(text);
}

/* ---- places ---------------------------------------------------------------------------------------------------------- */

/* Three places for an interval of one value, 100 times each on average: six standard deviations to either side. */
static void every_place_is_as_likely(void **state)
{
    int seen[3] = {0}, together = 0;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of("attributes: {a: {role: quasi, ends: drawn}, b: {role: quasi, ends: drawn}}\n",
                                  "a,b\n5,5\n5,5\n1,1\n2,2\n3,3\n4,4\n6,6\n7,7\n8,8\n9,9\n");
    static const int32_t group_of[] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        kanon__draw *draw = NULL;
        kanon__drawn_ends *ends = NULL;
        assert_done(kanon__draw_of_table(&draw, &table->data, seed, &err), &err);
        assert_done(kanon__drawn_ends_new(&ends, &table->data, draw, group_of, 2, NULL, &err), &err);
        const int64_t *a = kanon__drawn_ends_of(ends, 0, 0), *b = kanon__drawn_ends_of(ends, 1, 0);
        assert_int_equal(a[1] - a[0], 2);
        seen[5 - a[0]]++;
        together += a[0] == b[0];
        assert_int_equal(kanon__drawn_ends_of(ends, 0, 1)[0], 1); /* no end leaves the range of the column */
        assert_int_equal(kanon__drawn_ends_of(ends, 0, 1)[1], 9);
        kanon__drawn_ends_free(ends);
        kanon__draw_free(draw);
    }
    for (int i = 0; i < 3; i++)
        assert_in_range(seen[i], 100 - 50, 100 + 50);
    assert_in_range(together, 100 - 50, 100 + 50); /* columns are drawn by themselves */
    kanon_table_free(table);
}

static void draw(int64_t out[2], const kanon_table *table, const kanon__draw *from, const int32_t *group_of, int64_t name)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__drawn_ends *ends = NULL;
    assert_done(kanon__drawn_ends_new(&ends, &table->data, from, group_of, 2, (int64_t[]){name, 77}, &err), &err);
    memcpy(out, kanon__drawn_ends_of(ends, 0, 0), 2 * sizeof *out);
    kanon__drawn_ends_free(ends);
}

/* However often a group is released and whatever happens to the rest, its interval stays where it is: what all releases have
 * together is what the first one has. Where its values move, both ends move with them. */
static void a_named_group_keeps_its_place(void **state)
{
    static const char schema[] = "attributes: {a: {role: quasi, ends: drawn}, b: {role: quasi}}\n";
    static const int32_t group_of[] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__draw *from = NULL;
    (void)state;
    kanon_table *table = table_of(schema, "a,b\n50,5\n52,5\n1,1\n2,2\n3,3\n4,4\n6,6\n7,7\n8,8\n99,9\n");
    assert_done(kanon__draw_of_table(&from, &table->data, 1, &err), &err);
    kanon_table_free(table);
    for (int64_t name = 1; name <= 20; name++) {
        int64_t first[2], now[2], both[2] = {0, 100};
        for (int time = 0; time < 10; time++) {
            char csv[200];
            sprintf(csv, "a,b\n50,%d\n52,5\n1,1\n2,2\n%d,3\n4,4\n6,6\n%d,7\n8,8\n99,9\n", 5 + time, 3 + time, 70 + time);
            table = table_of(schema, csv);
            draw(now, table, from, group_of, name);
            kanon_table_free(table);
            if (time == 0)
                memcpy(first, now, sizeof first);
            both[0] = now[0] > both[0] ? now[0] : both[0];
            both[1] = now[1] < both[1] ? now[1] : both[1];
        }
        assert_memory_equal(both, first, sizeof both);
        table = table_of(schema, "a,b\n53,5\n55,5\n1,1\n2,2\n3,3\n4,4\n6,6\n7,7\n8,8\n99,9\n");
        draw(now, table, from, group_of, name);
        kanon_table_free(table);
        assert_int_equal(now[0], first[0] + 3);
        assert_int_equal(now[1], first[1] + 3);
    }
    kanon__draw_free(from);
}

/* Nor do the extremes of the column move what they once limited, and a group beyond them hides its ends, too. */
static void other_extremes_move_no_ends(void **state)
{
    static const char schema[] = "attributes: {a: {role: quasi, ends: drawn}, b: sensitive}\n";
    static const char *const others[] = {"10,x\n40,y\n", "10,x\n41,y\n", "10,x\n90,y\n", "0,x\n40,y\n", "38,x\n39,y\n"};
    static const int32_t group_of[] = {0, 0, 0, 0, 1, 1};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__draw *from = NULL;
    int beyond = 0;
    (void)state;
    kanon_table *table = table_of(schema, "a,b\n39,x\n39,y\n39,x\n39,y\n10,x\n40,y\n");
    assert_done(kanon__draw_of_table(&from, &table->data, 1, &err), &err);
    kanon_table_free(table);
    from->rules[0].unit = 4; /* so that 39 is near the end of the range */
    for (int64_t name = 1; name <= 20; name++) {
        int64_t first[2], now[2];
        char csv[200];
        for (int i = 0; i < 5; i++) {
            sprintf(csv, "a,b\n39,x\n39,y\n39,x\n39,y\n%s", others[i]);
            table = table_of(schema, csv);
            draw(i == 0 ? first : now, table, from, group_of, name);
            kanon_table_free(table);
            assert_true(first[0] <= 39 && 39 <= first[1] && first[1] <= 40 && first[1] - first[0] == 8);
            if (i > 0)
                assert_memory_equal(now, first, sizeof first);
        }
        for (int i = 0; i < 2; i++) { /* as many years, whatever comes after it */
            sprintf(csv, "a,b\n95,x\n95,y\n95,x\n95,y\n10,x\n%d,y\n", 96 + 100 * i);
            table = table_of(schema, csv);
            draw(i == 0 ? first : now, table, from, group_of, name);
            kanon_table_free(table);
        }
        assert_memory_equal(now, first, sizeof first);
        assert_true(first[0] <= 95 && 95 <= first[1] && first[1] - first[0] == 8);
        beyond += first[1] > 96;
    }
    assert_true(beyond > 5);
    kanon__draw_free(from);
}

/* Who lacks one record has another secret; the order of the records does not matter. */
static void the_secret_is_that_of_all_records(void **state)
{
    static const char schema[] = "attributes: {a: {role: quasi, ends: drawn}, b: sensitive}\n";
    static const char *const tables[] = {"a,b\n1,x\n2,y\n3,z\n", "a,b\n3,z\n1,x\n2,y\n", "a,b\n1,x\n2,y\n3,x\n",
                                         "a,b\n1,x\n2,y\n4,z\n"};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__draw *draws[5] = {NULL};
    (void)state;
    for (int i = 0; i < 5; i++) {
        kanon_table *table = table_of(schema, tables[i % 4]);
        assert_done(kanon__draw_of_table(&draws[i], &table->data, i == 4, &err), &err);
        kanon_table_free(table);
    }
    for (int i = 1; i < 5; i++)
        assert_true((memcmp(&draws[0]->secret, &draws[i]->secret, sizeof(kanon__secret)) == 0) == (i == 1));
    for (int i = 0; i < 5; i++)
        kanon__draw_free(draws[i]);
}

/* ---- the check -------------------------------------------------------------------------------------------------------- */

static void ends_that_are_none_are_found(void **state)
{
    static const int32_t group_of[] = {0, 0, 1, 1};
    static const char *const good[] = {"[3..5]", "[4..6]", "[1..9]"};
    static const char *const bad[] = {"4", "[4..4]", "[0..5]", "[3..10]", "[5..6]"};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of("attributes: {a: {role: quasi, ends: drawn}}\n", "a\n4\n4\n1\n9\n");
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        const kanon__csv_source *source = (const kanon__csv_source *)table->source;
        const char *text = i < 3 ? good[i] : bad[i - 3];
        kanon__verifier *v = NULL;
        kanon__csv csv = {0};
        char line[40];
        bool has_row;
        assert_done(kanon__verifier_new(&v, table, group_of, 2, KANON_NUMERIC_INTERVAL, false, &err), &err);
        kanon_status st = kanon__verifier_text(v, 0, 0, text, strlen(text), &err);
        assert_done(kanon__csv_open(&csv, &source->input, &source->options, &err), &err);
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        kanon__cursor here = {.cells = csv.cells, .begin = csv.row_begin, .end = csv.position};
        snprintf(line, sizeof line, "%s\n", text);
        if (st == KANON_OK)
            st = kanon__verifier_row(v, 0, &here, line, strlen(line), &err);
        if (st != (i < 3 ? KANON_OK : KANON_EINTERNAL))
            fail_msg("%s", text);
        kanon__csv_close(&csv);
        kanon__verifier_free(v);
    }
    kanon_table_free(table);
}

/* A stream with exact ends is refused, too. */
static void exact_streams_are_found(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of("attributes: {a: {role: quasi, ends: drawn}}\n", "a\n4\n4\n1\n9\n");
    kanon_grouping *grouping = grouping_of(table, (const int64_t[]){1, 1, 2, 2});
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        kanon_numeric numeric = kind % 4 < 2 ? KANON_NUMERIC_COLUMNS : KANON_NUMERIC_INTERVAL;
        kanon__arrow_batches *batches = NULL;
        struct ArrowSchema schema = {0};
        kanon__arrow_plan plan = {.table = table, .group_of = grouping->group_of, .n_groups = 2, .numeric = numeric,
                                  .drawn = kind % 2 == 0 ? grouping->drawn : NULL, .threads = 1};
        bool good = kind % 2 == 0 && kind < 4;
        if (kind == 4) { /* last: nobody is so old */
            plan.drawn = grouping->drawn;
            grouping->drawn->ends[0][3]++;
        }
        assert_done(kanon__arrow_release_new(&batches, &plan, &err), &err);
        assert_done(kanon__arrow_schema_init(&schema, batches->fields, batches->n_fields, &err), &err);
        const kanon__arrow_claim claim = {.table = table,
                                          .group_of = grouping->group_of,
                                          .n_groups = 2,
                                          .requirement = {.policy = &table->policy, .k = 2, .most_suppressed = -1},
                                          .numeric = numeric,
                                          .schema = &schema,
                                          .batches = batches->batches,
                                          .n_batches = batches->n_batches};
        assert_int_equal(kanon__verify_arrow(&claim, 1, &err), good ? KANON_OK : KANON_EINTERNAL);
        if (!good)
            assert_holds(err.message, "where ends are drawn, column a");
        schema.release(&schema);
        kanon__arrow_batches_free(batches);
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void assert_refused(const char *schema, const char *csv, const char *message)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    assert_int_equal(read_table(&table, schema, csv, NULL, &err), KANON_EDATA);
    assert_holds(err.message, message);
}

static void refusals(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_grouping *grouping = NULL;
    const kanon_options blocks = {.struct_size = sizeof blocks, .k = 2, .blocks = 10};
    const kanon_options recode = {.struct_size = sizeof recode, .k = 2, .recode = KANON_RECODE_ATTRIBUTE};
    (void)state;
    assert_refused("attributes: {a: {role: quasi, ends: drawn, bands: 5}}\n", "a\n1\n2\n",
                   "a: the column has drawn ends and bands");
    assert_refused("attributes: {a: {role: quasi, ends: drawn, top: 5}}\n", "a\n1\n2\n",
                   "a: the column has drawn ends and bands");
    assert_refused("attributes: {a: quasi, b: {role: sensitive, ends: drawn}}\n", "a,b\n1,2\n1,2\n",
                   "b: the column has drawn ends, but its role is");
    assert_refused("attributes: {a: {role: quasi, ends: drawn}}\n", "a\nx\ny\n",
                   "a: the column has drawn ends, but not all");
    assert_refused("attributes: {a: {role: quasi, ends: drawn}}\n", "a\n2020-01-01T10:00:00\n2020-01-02T10:00:00\n",
                   "its dates have times");
    assert_refused("attributes: {a: {role: quasi, ends: drawn, type: decimal}}\n", "a\n1e300\n2e-300\n", "too many digits");
    kanon_table *table = table_of("attributes: {a: {role: quasi, ends: drawn}}\n", "a\n1\n2\n");
    assert_int_equal(kanon_anonymize(&grouping, table, &recode, &err), KANON_EINVAL);
    assert_holds(err.message, "a: drawn ends differ where equal values are to be shown equal");
    grouping = grouping_of(table, (const int64_t[]){1, 1});
    kanon_outputs means = {
        .struct_size = sizeof means, .release = KANON_TO_PATH(scratch("r.csv").text), .numeric = KANON_NUMERIC_MEAN};
    assert_int_equal(kanon_publish(table, grouping, &means, &err), KANON_EINVAL);
    assert_holds(err.message, "a: a mean would show more than the drawn ends");
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    table = table_of("attributes: {a: {role: quasi, ends: exact, bands: 5}}\n", "a\n1\n2\n");
    kanon_table_free(table);
    assert_done(kanon_schema_new(&schema, NULL, &err), &err);
    assert_done(kanon_schema_set(schema, "a", "role", "quasi", &err), &err);
    assert_done(kanon_schema_set(schema, "a", "ends", "drawn", &err), &err);
    assert_int_equal(kanon_blocks_allow(schema, &blocks, &err), KANON_EINVAL);
    assert_holds(err.message, "a: ends: drawn is not possible in blocks");
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_wider_by_the_rule), cmocka_unit_test(types_keep_their_ends),
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(every_place_is_as_likely),        cmocka_unit_test(a_named_group_keeps_its_place),
        cmocka_unit_test(the_secret_is_that_of_all_records), cmocka_unit_test(ends_that_are_none_are_found),
        cmocka_unit_test(exact_streams_are_found),         cmocka_unit_test(refusals),
        cmocka_unit_test(other_extremes_move_no_ends),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
