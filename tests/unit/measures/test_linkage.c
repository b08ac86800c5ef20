/* Linkage by the tightest cover, by hand and, on Adult, against plain loops over the text of a release.
 * tests/unit/measures/test_whole_row.c has the comparison on random tables, by every algorithm. */
#include "support.h"

#include "core/random.h"
#include "measures/linkage.h"
#include "measures/singled_out.h"
#include "model/terms.h"
#include "table/read/table.h"

#include <math.h>

static double figure_of(const kanon_table *t, const int64_t *groups, const char *name, const char *attribute)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_measures *m = NULL;
    kanon_grouping *g = grouping_of(t, groups);
    assert_done(kanon_evaluate(&m, t, g, NULL, &err), &err);
    const kanon_figure *found = kanon_measures_find(m, name, attribute);
    assert_non_null(found);
    double value = found->value;
    kanon_measures_free(m);
    kanon_grouping_free(g);
    return value;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.15g, not %.15g", value, expected);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static const char visits[] = "patient,age,zip,disease\np1,31,10115,flu\np1,31,10115,asthma\np2,31,10115,flu\n"
                             "p3,36,10119,gout\np4,58,80331,gout\np4,61,80331,flu\n";
static const int64_t visits_groups[] = {1, 1, 1, 1, 2, 2};

static void records(void **state)
{
    (void)state;
    kanon_table *t = table_of("attributes: {age: quasi, zip: {role: quasi, mask: right}, disease: sensitive, "
                              "patient: insensitive}\n",
                              visits);
    assert_near(figure_of(t, visits_groups, "linkage_quasi", NULL), (4 * 1.0 / 4 + 2 * 1.0 / 2) / 6);
    /* the patient is known: p1 and p4 have two rows each */
    assert_near(figure_of(t, visits_groups, "linkage_all", NULL), (2 * 1.0 / 2 + 1 + 1 + 2 * 1.0 / 2) / 6);
    /* of these two rows each has a value of its own: one of two guesses is right */
    assert_near(figure_of(t, visits_groups, "inference_found", "disease"), 4.0 / 6);
    assert_near(figure_of(t, visits_groups, "inference_found_gain", "disease"), (4.0 / 6 - 3.0 / 6) / (3.0 / 6));
    kanon_table_free(t);
}

/* Any of a person's rows is the person's; each person counts once. */
static void persons(void **state)
{
    (void)state;
    kanon_table *t = table_of("entity: patient\nattributes: {age: quasi, zip: {role: quasi, mask: right}, "
                              "disease: sensitive}\n",
                              visits);
    assert_near(figure_of(t, visits_groups, "linkage_quasi", NULL), (2.0 / 4 + 1.0 / 4 + 1.0 / 4 + 1) / 4);
    kanon_table_free(t);
}

/* [24..26] is tighter than [20..29], so 25 is taken for one of the wrong rows; a record that is left out is never found,
 * and one that is kept as * is taken for another's where that covers it. */
static void tightest(void **state)
{
    static const char csv[] = "age\n20\n25\n29\n24\n26\n90\n25\n";
    static const int64_t groups[] = {1, 1, 1, 2, 2, 0, 0};
    (void)state;
    kanon_table *t = table_of("attributes: {age: {role: quasi, type: integer}}\n", csv);
    assert_near(figure_of(t, groups, "linkage_quasi", NULL), (2 * 1.0 / 3 + 2 * 1.0 / 2) / 7);
    kanon_table_free(t);
    t = table_of("attributes: {age: {role: quasi, type: integer}}\nprivacy: {suppressed: keep}\n", csv);
    assert_near(figure_of(t, groups, "linkage_quasi", NULL), (2 * 1.0 / 3 + 2 * 1.0 / 2 + 1.0 / 2) / 7);
    kanon_table_free(t);
}

/* Cells that changed places tell nothing of a row: who knows the ward finds as many as who does not, and the disease is
 * guessed from the class, wherever its cells stand. The note, which is as it is, tells the records apart. */
static void permuted(void **state)
{
    static const char csv[] = "age,note,ward,disease\n"
                              "20,a,1,flu\n25,b,2,flu\n29,c,3,gout\n40,d,4,gout\n45,e,5,gout\n49,f,6,flu\n";
    static const int64_t groups[] = {1, 1, 1, 2, 2, 2};
    (void)state;
    kanon_table *t = table_of("attributes: {age: quasi, ward: {role: insensitive, permute: true}, "
                              "disease: {role: sensitive, permute: true}, note: identifying}\n", csv);
    assert_near(figure_of(t, groups, "linkage_all", NULL), 1.0 / 3);
    assert_near(figure_of(t, groups, "inference_found", "disease"), 2.0 / 3); /* as inference */
    kanon_table_free(t);
    t = table_of("attributes: {age: quasi, note: insensitive, ward: {role: sensitive, permute: true}, "
                 "disease: {role: sensitive, permute: true}}\n", csv);
    assert_near(figure_of(t, groups, "linkage_all", NULL), 1);
    assert_near(figure_of(t, groups, "inference_found", "disease"), 2.0 / 3);
    assert_near(figure_of(t, groups, "inference_found", "ward"), 1.0 / 3); /* one of three, at random */
    kanon_table_free(t);
}

static kanon_measures *of_file(const kanon_table *t, const char *release)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_measures *m = NULL;
    place path = scratch("r.csv"), yaml = scratch("s.yaml");
    write_text(path.text, release);
    assert_done(kanon_schema_read(&schema, KANON_PATH(yaml.text), NULL, &err), &err);
    assert_done(kanon_evaluate_release(&m, t, KANON_PATH(path.text), schema, NULL, &err), &err);
    kanon_schema_free(schema);
    return m;
}

/* Likewise in a file of another tool, where the schema says that the ward is permuted. If the cells are those of the rows
 * after all, they tell the rows apart. */
static void permuted_files(void **state)
{
    (void)state;
    kanon_table *t = table_of("attributes: {age: {role: quasi, type: integer}, ward: {role: insensitive, permute: true}}\n",
                              "age,ward\n20,1\n25,2\n29,3\n40,4\n");
    kanon_measures *m = of_file(t, "age,ward\n[20-29],2\n[20-29],3\n[20-29],1\n40,4\n");
    assert_near(kanon_measures_find(m, "linkage_quasi", NULL)->value, 2.0 / 4);
    assert_near(kanon_measures_find(m, "linkage_all", NULL)->value, 2.0 / 4);
    kanon_measures_free(m);
    m = of_file(t, "age,ward\n[20-29],1\n[20-29],2\n[20-29],3\n40,4\n");
    assert_near(kanon_measures_find(m, "linkage_all", NULL)->value, 1);
    kanon_measures_free(m);
    kanon_table_free(t);
}

/* A set covers its elements, and nothing between them; a note that was changed is found by nobody. */
static void other_tools(void **state)
{
    (void)state;
    kanon_table *t = table_of("attributes: {age: {role: quasi, type: integer}, note: insensitive}\n",
                              "age,note\n20,a\n25,b\n30,c\n35,d\n");
    kanon_measures *m = of_file(t, "age,note\n\"{20, 30}\",a\n[20-35],x\n\"{20, 30}\",c\n35,d\n");
    assert_near(kanon_measures_find(m, "linkage_quasi", NULL)->value, (1.0 / 2 + 1 + 1.0 / 2 + 1) / 4);
    assert_near(kanon_measures_find(m, "linkage_all", NULL)->value, (1 + 0 + 1 + 1) / 4.0);
    assert_null(kanon_measures_find(m, "linkage_error", NULL));
    kanon_measures_free(m);
    /* in another order, where it is not known which of two rows is which record */
    m = of_file(t, "age,note\n35,*\n\"{20, 30}\",*\n[20-35],*\n\"{20, 30}\",*\n");
    assert_null(kanon_measures_find(m, "linkage_quasi", NULL));
    kanon_measures_free(m);
    kanon_table_free(t);
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

enum { N_WORK = 3000, MOST_ATTRIBUTES = 8 };

/* Class i covers the records whose attribute i is 0 or 1, not 2; all regions cost the same. So a record finds the classes of
 * its small attributes. */
static void find_all(kanon__linkage *out, int n_attributes, int64_t most_work)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__singled_out singled_out = {0};
    kanon__row_numbers insensitive = {0};
    kanon__random random;
    char *csv = malloc(N_WORK * 20 + 100), yaml[512] = "attributes: {";
    int64_t groups[N_WORK];
    size_t at = 0;
    kanon__random_init(&random, 5, 1);
    for (int a = 0; a < n_attributes; a++) {
        snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), "a%d: {role: quasi, type: integer}, ", a);
        at += (size_t)sprintf(csv + at, "a%d,", a);
    }
    strcat(yaml, "ill: sensitive}\n");
    at += (size_t)sprintf(csv + at, "ill\n");
    for (int row = 0; row < N_WORK; row++) {
        int small = (int)kanon__random_below(&random, n_attributes);
        groups[row] = small + 1;
        for (int a = 0; a < n_attributes; a++) {
            int64_t value = a != small && kanon__random_below(&random, 2) == 0 ? 2 : kanon__random_below(&random, 2);
            at += (size_t)sprintf(csv + at, "%d,", (int)value);
        }
        at += (size_t)sprintf(csv + at, "%c\n", 'a' + (int)kanon__random_below(&random, 3));
    }
    kanon_table *t = table_of(yaml, csv);
    kanon_grouping *g = grouping_of(t, groups);
    assert_done(kanon__singled_out_find(&singled_out, &insensitive, t, g, NULL, 1, NULL, &err), &err);
    assert_done(kanon__linkage_find(out, t, g, &insensitive, most_work, NULL, &err), &err);
    kanon__row_numbers_clear(&insensitive);
    kanon__singled_out_clear(&singled_out);
    kanon_grouping_free(g);
    kanon_table_free(t);
    free(csv);
}

/* What is decided on are the rows that are counted: of the three sets of two large classes 4 * 1,500; of 255 sets of eight
 * classes, four in each, 128 * 3,000, although 3,000 * 8 pairs of a record and a class are few. */
static void counted_rows(void **state)
{
    kanon__linkage some, all;
    (void)state;
    find_all(&all, 2, 4 * N_WORK);
    assert_true(all.error == 0);
    kanon__linkage_clear(&all);
    find_all(&some, MOST_ATTRIBUTES, 20 * N_WORK);
    find_all(&all, MOST_ATTRIBUTES, KANON__LINKAGE_WORK);
    assert_true(some.error > 0 && all.error == 0);
    assert_true(fabs(some.quasi - all.quasi) < 5 * some.error && fabs(some.all - all.all) < 5 * some.error);
    kanon__linkage_clear(&some);
    kanon__linkage_clear(&all);
}

/* ---- Adult ------------------------------------------------------------------------------------------------------- */

enum { N_QUASI = 8, N_CELLS = N_QUASI + 2, MOST_ROWS = 31000 };

typedef struct seen_row {
    int64_t lo[N_QUASI], hi[N_QUASI]; /* numbers, or leaves */
    int64_t cost;
    const char *known[2];
} seen_row;

/* All cells of a line, which is cut. */
static int cut_line(char *line, char **cells)
{
    int n = 0;
    for (char *at = line; at != NULL; n++) {
        cells[n] = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
    }
    return n;
}

/* What a cell covers; its cost is out of a common whole. */
static void read_cell(seen_row *out, int i, const kanon__column *c, const char *cell, int64_t common)
{
    const kanon__domain *d = c->domain;
    const kanon__taxonomy *t = d->taxonomy;
    long long lo, hi;
    if (t != NULL) {
        int32_t node = kanon__taxonomy_node(t, cell, strlen(cell));
        assert_true(node >= 0);
        out->lo[i] = t->first_leaf[node];
        out->hi[i] = t->last_leaf[node];
        out->cost += t->height[node] * (common / t->height[0]);
        return;
    }
    if (sscanf(cell, "[%lld..%lld]", &lo, &hi) != 2)
        lo = hi = atoll(cell);
    out->lo[i] = lo;
    out->hi[i] = hi;
    out->cost += (hi - lo) * (common / (int64_t)(d->values[d->n_codes - 1] - d->values[0]));
}

/* The rows of a file; of originals the cost is 0. */
static int read_rows(seen_row *out, char *text, const kanon_table *t, int64_t common)
{
    const kanon__data *data = &t->data;
    char *cells[32], *names[32], *line = text, *end = strchr(line, '\n');
    int n = 0, n_columns, known = 0, quasi = 0, column[N_CELLS], what[N_CELLS];
    *end = '\0';
    n_columns = cut_line(line, names);
    for (int i = 0; i < n_columns; i++) {
        if (strcmp(names[i], "relationship") == 0 || strcmp(names[i], "hours-per-week") == 0) {
            what[known + quasi] = -1;
            column[known++ + quasi] = i;
        }
        for (int q = 0; q < data->n_quasi; q++)
            if (strcmp(names[i], data->columns[data->quasi[q]].name) == 0) {
                what[known + quasi] = q;
                column[known + quasi++] = i;
            }
    }
    assert_int_equal(known + quasi, N_CELLS);
    for (line = end + 1; *line != '\0'; line = end + 1, n++) {
        int at = 0;
        end = strchr(line, '\n');
        *end = '\0';
        cut_line(line, cells);
        out[n] = (seen_row){.cost = 0};
        for (int i = 0; i < N_CELLS; i++)
            if (what[i] < 0)
                out[n].known[at++] = cells[column[i]];
            else
                read_cell(&out[n], what[i], &data->columns[data->quasi[what[i]]], cells[column[i]], common);
    }
    return n;
}

static double plain_success(const seen_row *rows, int n, const seen_row *original, int own, bool knows)
{
    int64_t best = INT64_MAX;
    int n_tight = 0;
    bool has_own = false;
    for (int i = 0; i < n; i++) {
        bool fits = rows[i].cost <= best;
        for (int q = 0; q < N_QUASI && fits; q++)
            fits = original->lo[q] >= rows[i].lo[q] && original->hi[q] <= rows[i].hi[q];
        if (!fits || (knows && (strcmp(rows[i].known[0], original->known[0]) != 0 ||
                                strcmp(rows[i].known[1], original->known[1]) != 0)))
            continue;
        if (rows[i].cost < best)
            n_tight = has_own = 0;
        best = rows[i].cost;
        n_tight++;
        has_own = has_own || i == own;
    }
    return has_own ? 1.0 / n_tight : 0;
}

/* The figures of a sample are those of plain loops over its records, and near those of all. */
static void adult(void **state)
{
    const char *data = getenv("KANON_DATA");
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *t = NULL;
    kanon_grouping *g = NULL;
    kanon__singled_out singled_out = {0};
    kanon__row_numbers insensitive = {0};
    kanon__linkage sample, all;
    kanon__random random;
    double quasi = 0, known = 0;
    place release = scratch("adult.csv");
    (void)state;
    if (data == NULL || !exists(inside(data, "adult/adult.csv").text))
        skip();
    place yaml = inside(data, "adult/adult8.yaml"), csv = inside(data, "adult/adult.csv");
    assert_done(kanon_schema_read(&schema, KANON_PATH(yaml.text), NULL, &err), &err);
    assert_done(kanon_table_read(&t, KANON_PATH(csv.text), schema, NULL, &err), &err);
    kanon_options options = {sizeof options, .algorithm = "mondrian", .k = 10};
    kanon_outputs outputs = {sizeof outputs, .release = KANON_TO_PATH(release.text)};
    assert_done(kanon_anonymize(&g, t, &options, &err), &err);
    assert_done(kanon_publish(t, g, &outputs, &err), &err);
    assert_done(kanon__singled_out_find(&singled_out, &insensitive, t, g, NULL, 1, NULL, &err), &err);
    assert_done(kanon__linkage_find(&sample, t, g, &insensitive, 1, NULL, &err), &err);
    assert_done(kanon__linkage_find(&all, t, g, &insensitive, KANON__LINKAGE_WORK, NULL, &err), &err);

    int64_t common = 1;
    for (int i = 0; i < t->data.n_quasi; i++)
        common *= kanon__term_whole(KANON__TERMS_LOSS, t->data.columns[t->data.quasi[i]].domain);
    char *before = read_text(csv.text), *after = read_text(release.text);
    seen_row *originals = calloc(MOST_ROWS, sizeof *originals), *rows = calloc(MOST_ROWS, sizeof *rows);
    int n = read_rows(rows, after, t, common), n_asked = 0;
    assert_int_equal(read_rows(originals, before, t, common), n);
    kanon__random_init(&random, 0, KANON__LINKAGE_STREAM);
    for (int i = 0; i < n; i++)
        if (kanon__random_below(&random, n - i) < KANON__LINKAGE_SAMPLE - n_asked) {
            quasi += plain_success(rows, n, &originals[i], i, false);
            known += plain_success(rows, n, &originals[i], i, true);
            n_asked++;
        }
    assert_int_equal(n_asked, KANON__LINKAGE_SAMPLE);
    assert_near(sample.quasi, quasi / n_asked);
    assert_near(sample.all, known / n_asked);
    assert_true(sample.error > 0.005 && sample.error < 0.02); /* of 1,000 shares between 0 and 1 */
    assert_true(fabs(sample.quasi - all.quasi) < 4 * sample.error && fabs(sample.all - all.all) < 4 * sample.error);
    assert_true(all.error == 0 && all.all > 0.4 && all.quasi < 0.1); /* a half of Adult: 52 % and 6.7 % */

    free(rows);
    free(originals);
    free(after);
    free(before);
    kanon__linkage_clear(&all);
    kanon__linkage_clear(&sample);
    kanon__row_numbers_clear(&insensitive);
    kanon__singled_out_clear(&singled_out);
    kanon_grouping_free(g);
    kanon_table_free(t);
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records),
        cmocka_unit_test(persons),
        cmocka_unit_test(tightest),
        cmocka_unit_test(permuted),
        cmocka_unit_test(permuted_files),
        cmocka_unit_test(other_tools),
        cmocka_unit_test(counted_rows),
        cmocka_unit_test(adult),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
