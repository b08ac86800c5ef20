/* What whole rows tell: singled_out and singled_out_all. Examples by hand, and plain loops over the text of releases of
 * random tables, by every algorithm. KANON_TEST_SEED=N begins with another table. */
#include "support.h"

#include "measures/singled_out.h"
#include "measures/whole_row.h"

#include "core/random.h"
#include "table/read/table.h"

#include <math.h>

enum { N_TABLES = 150, STREAM = 83, MOST_COLUMNS = 8, MOST_ROWS = 64 };

/* ---- a released file, cell by cell -------------------------------------------------------------------------------- */

typedef struct rows {
    char *text;
    const char *cells[MOST_ROWS + 1][MOST_COLUMNS]; /* row 0: names */
    int n, n_columns;
} rows;

/* No cell of these tests has quotes. */
static rows cut_rows(char *text)
{
    rows r = {.text = text};
    assert_non_null(text);
    for (char *line = text; *line != '\0'; r.n++) {
        assert_true(r.n <= MOST_ROWS);
        int column = 0;
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        for (char *cell = line; cell != NULL; column++) {
            char *comma = strchr(cell, ',');
            r.cells[r.n][column] = cell;
            if (comma != NULL)
                *comma++ = '\0';
            cell = comma;
        }
        r.n_columns = column;
        line = end + 1;
    }
    return r;
}

static int column_called(const rows *r, const char *name)
{
    for (int i = 0; i < r->n_columns; i++)
        if (strcmp(r->cells[0][i], name) == 0)
            return i;
    return -1;
}

/* The share of the rows that no row of another person equals in the columns; `persons` (NULL: none) by row. */
static double slow_share(const rows *r, const char *const *columns, int n, const int *persons)
{
    int found = 0;
    for (int row = 1; row < r->n; row++) {
        bool alone = true;
        for (int other = 1; other < r->n && alone; other++) {
            bool same = persons != NULL ? persons[row - 1] != persons[other - 1] : row != other;
            for (int i = 0; i < n && same; i++) {
                int column = column_called(r, columns[i]);
                same = strcmp(r->cells[row][column], r->cells[other][column]) == 0;
            }
            alone = !same;
        }
        found += alone;
    }
    return r->n > 1 ? (double)found / (r->n - 1) : NAN;
}

static void assert_share(double value, double expected, const char *what)
{
    if (!(value == expected || (isnan(value) && isnan(expected))))
        fail_msg("%s is %.15g, not %.15g", what, value, expected);
}

static double figure_of(const kanon_measures *m, const char *name, const char *attribute)
{
    const kanon_figure *found = kanon_measures_find(m, name, attribute);
    if (found == NULL)
        fail_msg("there is no figure %s", name);
    return found->value;
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static const char visits[] = "patient,age,zip,disease\np1,31,10115,flu\np1,31,10115,asthma\np2,31,10115,flu\n"
                             "p3,36,10119,gout\np4,58,80331,gout\np4,61,80331,flu\n";

/* The table of docs/profile.md in two groups of two persons: [31..36],1011* and [58..61],80331. */
static void by_hand(void **state)
{
    static const int64_t groups[] = {1, 1, 1, 1, 2, 2};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_measures *m = NULL;
    (void)state;
    kanon_table *t = table_of("attributes: {age: quasi, zip: {role: quasi, mask: right}, disease: sensitive, "
                              "patient: insensitive}\n",
                              visits);
    kanon_grouping *g = grouping_of(t, groups);
    assert_done(kanon_evaluate(&m, t, g, NULL, &err), &err);
    assert_share(figure_of(m, "singled_out", "disease"), 4.0 / 6, "disease"); /* all but the two with flu */
    assert_share(figure_of(m, "singled_out", "patient"), 2.0 / 6, "patient"); /* p2 and p3 */
    assert_share(figure_of(m, "singled_out_all", NULL), 1, "all");
    kanon_measures_free(m);
    kanon_grouping_free(g);
    kanon_table_free(t);
    /* persons: asthma is p1's alone, gout p3's; the rows of the second group are all p4's */
    t = table_of("entity: patient\nattributes: {age: quasi, zip: {role: quasi, mask: right}, disease: sensitive}\n", visits);
    g = grouping_of(t, groups);
    assert_done(kanon_evaluate(&m, t, g, NULL, &err), &err);
    assert_share(figure_of(m, "singled_out", "disease"), 4.0 / 6, "disease, persons");
    assert_share(figure_of(m, "singled_out_all", NULL), 4.0 / 6, "all, persons");
    kanon_measures_free(m);
    kanon_grouping_free(g);
    kanon_table_free(t);
}

/* Groups that look alike are one class, and suppressed records that are kept look like a group of stars. */
static void looks(void **state)
{
    static const int64_t groups[] = {1, 1, 2, 2, 0, 3, 3};
    static const char csv[] = "age,zip,d\n1,a,x\n2,b,y\n1,b,x\n2,a,z\n9,b,x\n1,a,x\n9,b,y\n";
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        char yaml[256];
        kanon_measures *m = NULL;
        snprintf(yaml, sizeof yaml, "attributes: {age: quasi, zip: quasi, d: insensitive}\nprivacy: {suppressed: %s}\n",
                 kept ? "keep" : "drop");
        kanon_table *t = table_of(yaml, csv);
        kanon_grouping *g = grouping_of(t, groups);
        assert_done(kanon_evaluate(&m, t, g, NULL, &err), &err);
        /* [1..2],* x x y z; [1..9],* x y; and *,* x where it is kept */
        assert_share(figure_of(m, "singled_out", "d"), kept ? 5.0 / 7 : 4.0 / 6, "d");
        kanon_measures_free(m);
        kanon_grouping_free(g);
        kanon_table_free(t);
    }
}

/* A column alone is a column of one class. Columns in any order leave the same rows. */
static void columns_alone(void **state)
{
    static const int32_t one[6] = {0, 0, 0, 0, 0, 0}, none[6] = {-1, -1, -1, -1, -1, -1};
    static uint32_t cells[3][6] = {{0, 1, 0, 2, 2, 2}, {0, 0, 1, 1, 0, 0}, {0, 1, 2, 3, 4, 4}};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__whole_row *w = NULL;
    double share = 0;
    (void)state;
    for (int first = 0; first < 2; first++) {
        assert_done(kanon__whole_row_new(&w, one, 6, 1, NULL, NULL, &err), &err);
        assert_share(kanon__whole_row_all(w), 0, "nothing");
        assert_done(kanon__whole_row_add(w, &share, (kanon__codes){.cells = cells[first], .width = 4}, 3, false, &err), &err);
        assert_share(share, first == 0 ? 1.0 / 6 : 0, "the first column");
        assert_done(kanon__whole_row_add(w, &share, (kanon__codes){.cells = cells[1 - first], .width = 4}, 3, false, &err), &err);
        assert_share(kanon__whole_row_all(w), 4.0 / 6, "two columns"); /* all but the last two */
        assert_done(kanon__whole_row_add(w, &share, (kanon__codes){.cells = cells[2], .width = 4}, 5, false, &err), &err);
        assert_share(share, 4.0 / 6, "the third column");
        kanon__whole_row_free(w);
    }
    assert_done(kanon__whole_row_new(&w, none, 6, 0, NULL, NULL, &err), &err);
    assert_true(isnan(kanon__whole_row_all(w)));
    kanon__whole_row_free(w);
}

/* ---- random tables ----------------------------------------------------------------------------------------------- */

static const char *const released[] = {"age", "zip", "ill", "cost", "note"};
enum { N_RELEASED = 5, N_QUASI = 2 };

static const char random_yaml[] = "missing: [\"?\"]\n"
                                  "attributes:\n"
                                  "  age: {role: quasi, type: integer%s}\n"
                                  "  zip: {role: quasi, taxonomy: {North: {n1: , n2: }, South: {s1: , s2: }}}\n"
                                  "  ill: sensitive\n";

static kanon_table *random_rows(uint64_t seed, int n, bool entity, bool kept, int *persons)
{
    static const int ages[] = {0, 3, 10, 12, 40, 41}; /* drawn ends are between them */
    static const char *const zips[] = {"n1", "n2", "s1", "s2", "?"};
    kanon__random random;
    char csv[8192] = "who,age,zip,ill,cost,note\n", yaml[1024], attributes[512];
    kanon__random_init(&random, seed, STREAM);
    for (int i = 0; i < n; i++) {
        char age[16];
        persons[i] = (int)kanon__random_below(&random, n - n / 4);
        snprintf(age, sizeof age, "%d", ages[kanon__random_below(&random, 6)]);
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "p%d,%s,%s,%d,%d,%d\n", persons[i],
                 kanon__random_below(&random, 8) == 0 ? "?" : age, zips[kanon__random_below(&random, 5)],
                 (int)kanon__random_below(&random, 3), (int)kanon__random_below(&random, 9),
                 (int)kanon__random_below(&random, 5));
    }
    const char *permute = seed % 5 < 2 ? ", permute: true" : "";
    snprintf(attributes, sizeof attributes, random_yaml, seed % 7 < 3 ? ", ends: drawn" : "");
    snprintf(yaml, sizeof yaml,
             "%s  cost: {role: sensitive, type: integer%s}\n  note: {role: insensitive%s}\n  who: {role: %s}\n%s"
             "privacy: {suppressed: %s}\n",
             attributes, permute, seed % 5 == 0 ? permute : "", seed % 3 == 0 ? "insensitive" : "identifying",
             entity ? "entity: who\n" : "", kept ? "keep" : "drop");
    return table_of(yaml, csv);
}

/* Whether the cells of the column change places in their groups. */
static bool is_permuted(const kanon_table *t, const char *name)
{
    for (int i = 0; i < t->data.n_columns; i++)
        if (strcmp(t->data.columns[i].name, name) == 0)
            return t->data.columns[i].permuted;
    return false;
}

/* The figures of whole rows in the text of a release, beside those of `m` (NULL: they are not asked for) and `check`. A
 * permuted column is none of those that single out together. */
static void compare_figures(const rows *r, const kanon_table *t, const kanon_measures *m, const kanon_check *check, const int *persons)
{
    const char *columns[MOST_COLUMNS], *together[MOST_COLUMNS];
    int n = 0, n_together = 0;
    for (int i = 0; i < N_RELEASED; i++)
        columns[n++] = released[i];
    if (column_called(r, "who") >= 0)
        columns[n++] = "who";
    for (int i = 0; i < n; i++)
        if (!is_permuted(t, columns[i]))
            together[n_together++] = columns[i];
    double all = slow_share(r, together, n_together, persons);
    if (m != NULL)
        assert_share(figure_of(m, "singled_out_all", NULL), all, "singled_out_all");
    if (check != NULL)
        assert_share(check->singled_out_all, all, "singled_out_all of a check");
    for (int i = N_QUASI; i < n; i++) {
        const char *known[] = {"age", "zip", columns[i]};
        double share = slow_share(r, known, 3, persons);
        if (m != NULL)
            assert_share(figure_of(m, "singled_out", columns[i]), share, columns[i]);
        for (size_t j = 0; check != NULL && j < check->n_figures; j++)
            if (strcmp(check->figures[j]->figure, "singled_out") == 0 &&
                strcmp(check->figures[j]->attribute, columns[i]) == 0)
                assert_share(check->figures[j]->value, share, columns[i]);
    }
}

/* ---- linkage ------------------------------------------------------------------------------------------------------ */

/* What a released cell of age or zip covers, and what it costs: whole ages and halves of a height, times the range. */
typedef struct region {
    bool all;
    int lo, hi;           /* of age */
    const char *zip;      /* of zip: a leaf, or the first letter of all leaves below a node */
    size_t n_zip;
    int cost;
} region;

static region age_region(const char *cell, int range)
{
    region r = {0};
    r.all = strcmp(cell, "*") == 0 || strcmp(cell, "?") == 0;
    if (!r.all && sscanf(cell, "[%d..%d]", &r.lo, &r.hi) != 2)
        r.lo = r.hi = atoi(cell);
    r.cost = 2 * (r.all ? range : r.hi - r.lo);
    return r;
}

static region zip_region(const char *cell, int range)
{
    region r = {.zip = cell, .n_zip = strlen(cell)};
    r.all = strcmp(cell, "*") == 0 || strcmp(cell, "?") == 0;
    if (strcmp(cell, "North") == 0 || strcmp(cell, "South") == 0) {
        r.zip = cell[0] == 'N' ? "n" : "s";
        r.n_zip = 1;
    }
    r.cost = range * (r.all ? 2 : r.n_zip == 1);
    return r;
}

static bool is_covered(const region *age, const region *zip, const char *const *original)
{
    bool age_fits = age->all || (strcmp(original[0], "?") != 0 && atoi(original[0]) >= age->lo &&
                                 atoi(original[0]) <= age->hi);
    return age_fits && (zip->all || strncmp(zip->zip, original[1], zip->n_zip) == 0);
}

typedef struct linked {
    double found; /* the mean over records, or persons */
    double right; /* likewise, over released records: the secret is guessed */
} linked;

static bool same_cell(const rows *r, int row, int other, const char *column)
{
    int i = column_called(r, column);
    return strcmp(r->cells[row][i], r->cells[other][i]) == 0;
}

/* Add the rows that show the same quasi cells as one of `chosen`. */
static void add_classes(bool *chosen, const rows *r)
{
    bool all[MOST_ROWS + 1] = {false};
    for (int i = 1; i < r->n; i++)
        for (int j = 1; j < r->n && !all[i]; j++)
            all[i] = chosen[j] && same_cell(r, i, j, "age") && same_cell(r, i, j, "zip");
    memcpy(chosen, all, sizeof all);
}

/* Everybody is looked for by age and zip and these other columns; `at` is by released row its row of `table`. `whole`: it is
 * not known which row of a class has which secret. */
static linked slow_linkage(const rows *r, const rows *table, const int *at, const char *const *known, int n_known,
                           const char *secret, bool whole, const int *persons)
{
    linked out = {0};
    int n = table->n - 1, least = 1000, most = -1000, n_released = r->n - 1;
    double weights = 0;
    for (int i = 1; i <= n; i++)
        if (strcmp(table->cells[i][column_called(table, "age")], "?") != 0) {
            int age = atoi(table->cells[i][column_called(table, "age")]);
            least = age < least ? age : least;
            most = age > most ? age : most;
        }
    int range = most > least ? most - least : 1;
    for (int i = 1; i <= n; i++) {
        const char *original[] = {table->cells[i][column_called(table, "age")], table->cells[i][column_called(table, "zip")]};
        bool tightest[MOST_ROWS + 1] = {false}, is_released = false;
        int best = -1, n_tight = 0, n_own = 0, of_person = 0, n_modes = 0, n_mode = 0, n_same = 0;
        for (int j = 1; j < r->n; j++) {
            region age = age_region(r->cells[j][column_called(r, "age")], range);
            region zip = zip_region(r->cells[j][column_called(r, "zip")], range);
            bool fits = is_covered(&age, &zip, original);
            for (int c = 0; c < n_known && fits; c++)
                fits = strcmp(r->cells[j][column_called(r, known[c])], table->cells[i][column_called(table, known[c])]) == 0;
            is_released = is_released || at[j - 1] == i - 1;
            if (!fits || (best >= 0 && age.cost + zip.cost > best))
                continue;
            if (age.cost + zip.cost < best)
                memset(tightest, 0, sizeof tightest);
            best = age.cost + zip.cost;
            tightest[j] = true;
        }
        for (int j = 1; j < r->n; j++) {
            bool own = persons != NULL ? persons[at[j - 1]] == persons[i - 1] : at[j - 1] == i - 1;
            n_tight += tightest[j];
            n_own += tightest[j] && own;
        }
        for (int j = 1; j <= n; j++)
            of_person += persons != NULL ? persons[j - 1] == persons[i - 1] : i == j;
        weights += 1.0 / of_person;
        out.found += is_released && n_tight > 0 ? (double)n_own / n_tight / of_person : 0;
        if (secret == NULL || !is_released)
            continue;
        if (whole)
            add_classes(tightest, r);
        for (int j = 1; j < r->n; j++) { /* each of the tightest rows stands for its value */
            int same = 0, earlier = 0;
            for (int o = 1; o < r->n && tightest[j]; o++)
                if (tightest[o] && strcmp(r->cells[o][column_called(r, secret)], r->cells[j][column_called(r, secret)]) == 0) {
                    same++;
                    earlier += o < j;
                }
            if (!tightest[j] || earlier > 0)
                continue;
            n_modes = same > n_mode ? 1 : n_modes + (same == n_mode);
            n_mode = same > n_mode ? same : n_mode;
            if (strcmp(r->cells[j][column_called(r, secret)], table->cells[i][column_called(table, secret)]) == 0)
                n_same = same;
        }
        out.right += n_same == n_mode && n_mode > 0 ? 1.0 / n_modes : 0;
    }
    out.found = n > 0 ? out.found / weights : NAN;
    out.right = n_released > 0 ? out.right / n_released : NAN;
    return out;
}

static void assert_close(double value, double expected, const char *what)
{
    if (!(fabs(value - expected) < 1e-12 || (isnan(value) && isnan(expected))))
        fail_msg("%s is %.15g, not %.15g", what, value, expected);
}

static int n_linked; /* files of which it is known which record each row is */

/* Of a file the ends of its intervals count as the values inside, which drawn ones are not. */
static void compare_linkage_of_file(const kanon_measures *m, const kanon_table *t, double quasi, double all, bool moved)
{
    if (!moved || kanon_measures_find(m, "linkage_quasi", NULL) == NULL || kanon__data_is_drawn(&t->data))
        return;
    assert_close(figure_of(m, "linkage_quasi", NULL), quasi, "quasi, of the file");
    assert_close(figure_of(m, "linkage_all", NULL), all, "all, of the file");
    n_linked++;
}

/* Whether no permuted column shows all its cells where they were. */
static bool all_moved(const rows *r, const rows *table, const int *at, const kanon_table *t)
{
    for (int i = 0; i < N_RELEASED; i++) {
        bool moved = !is_permuted(t, released[i]);
        for (int j = 1; j < r->n && !moved; j++)
            moved = strcmp(r->cells[j][column_called(r, released[i])],
                           table->cells[at[j - 1] + 1][column_called(table, released[i])]) != 0;
        if (!moved)
            return false;
    }
    return true;
}

/* `of_file`: of the release file, in the order of the table. */
static void compare_linkage(const rows *r, const kanon_table *t, const kanon_measures *m, const kanon_measures *of_file,
                            const int *at, const int *persons)
{
    place path = scratch("t.csv");
    rows table = cut_rows(read_text(path.text));
    double most = 0, quasi = slow_linkage(r, &table, at, NULL, 0, NULL, false, persons).found;
    assert_close(figure_of(m, "linkage_quasi", NULL), quasi, "quasi");
    for (int secret = N_QUASI; secret < N_QUASI + 2; secret++) {
        const char *known[MOST_COLUMNS];
        int n = 0;
        for (int i = N_QUASI; i < N_RELEASED; i++)
            if (i != secret && !is_permuted(t, released[i]))
                known[n++] = released[i];
        if (column_called(r, "who") >= 0)
            known[n++] = "who";
        linked found = slow_linkage(r, &table, at, known, n, released[secret], is_permuted(t, released[secret]), persons);
        most = fmax(most, found.found);
        assert_close(figure_of(m, "inference_found", released[secret]), found.right, released[secret]);
        double base = figure_of(m, "inference_base", released[secret]);
        if (base < 1)
            assert_close(figure_of(m, "inference_found_gain", released[secret]), (found.right - base) / (1 - base), "gain");
    }
    assert_close(figure_of(m, "linkage_all", NULL), most, "all");
    assert_null(kanon_measures_find(m, "linkage_error", NULL));
    compare_linkage_of_file(of_file, t, quasi, most, all_moved(r, &table, at, t));
    free(table.text);
}

/* A release of the groups: its text, and what evaluation, evaluation of the file and check say of it. */
static void compare(const kanon_table *t, const kanon_grouping *g, const int *persons)
{
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("release.csv"), schema_path = scratch("s.yaml");
    kanon_outputs outputs = {sizeof outputs, .release = KANON_TO_PATH(path.text)};
    kanon_schema *schema = NULL;
    kanon_measures *of_groups = NULL, *of_file = NULL;
    kanon_check *check = NULL;
    int whose[MOST_ROWS], at[MOST_ROWS], n = 0;
    bool has_entity = t->data.has_entity;
    assert_done(kanon_publish(t, g, &outputs, &err), &err);
    rows r = cut_rows(read_text(path.text));
    for (int64_t row = 0; row < g->n_rows; row++)
        if (g->group_of[row] >= 0 || t->policy.keep_suppressed) {
            at[n] = (int)row;
            whose[n++] = persons[row];
        }
    assert_int_equal(n, r.n - 1);
    assert_done(kanon_evaluate(&of_groups, t, g, NULL, &err), &err);
    compare_figures(&r, t, of_groups, NULL, has_entity ? whose : NULL);
    assert_done(kanon_schema_read(&schema, KANON_PATH(schema_path.text), NULL, &err), &err);
    assert_done(kanon_evaluate_release(&of_file, t, KANON_PATH(path.text), schema, NULL, &err), &err);
    compare_linkage(&r, t, of_groups, of_file, at, has_entity ? persons : NULL);
    if (!has_entity && n > 0)
        compare_figures(&r, t, of_file, NULL, NULL);
    else
        assert_null(kanon_measures_find(of_file, "singled_out_all", NULL)); /* whose rows they are is not in the file */
    if (n > 0) {
        bool knows = has_entity && column_called(&r, "who") >= 0;
        assert_done(kanon_check_read(&check, KANON_PATH(path.text), schema, NULL, &err), &err);
        compare_figures(&r, t, NULL, check, knows ? whose : NULL);
    }
    kanon_check_free(check);
    kanon_measures_free(of_file);
    kanon_measures_free(of_groups);
    kanon_schema_free(schema);
    free(r.text);
}

/* Any groups, and some records in none. */
static void random_groups(void **state)
{
    uint64_t seed = test_seed();
    (void)state;
    for (uint64_t i = 0; i < N_TABLES; i++) {
        int64_t groups[MOST_ROWS];
        int persons[MOST_ROWS], n = 12;
        kanon__random random;
        kanon__random_init(&random, seed + i, STREAM + 1);
        kanon_table *t = random_rows(seed + i, n, i % 2 == 1, i % 4 < 2, persons);
        for (int row = 0; row < n; row++)
            groups[row] = kanon__random_below(&random, 5);
        kanon_grouping *g = grouping_of(t, groups);
        compare(t, g, persons);
        kanon_grouping_free(g);
        kanon_table_free(t);
    }
    assert_true(n_linked > N_TABLES / 4);
}

static void every_algorithm(void **state)
{
    uint64_t seed = test_seed();
    const kanon_entry *algorithm;
    int n_done = 0;
    (void)state;
    for (size_t i = 0; (algorithm = kanon_catalogue_at(KANON_CATALOGUE_ALGORITHM, i)) != NULL; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_options options = {sizeof options, .k = 3, .algorithm = algorithm->name, .seed = 1};
        int persons[MOST_ROWS];
        kanon_grouping *g = NULL;
        kanon_table *t = random_rows(seed + i, 60, i % 2 == 1, i % 4 < 2, persons);
        if (kanon_anonymize(&g, t, &options, &err) == KANON_OK) {
            compare(t, g, persons);
            n_done++;
        }
        kanon_grouping_free(g);
        kanon_table_free(t);
    }
    assert_true(n_done >= 15);
}

/* Whichever allocation fails, nothing is left. */
static void no_memory(void **state)
{
    int persons[MOST_ROWS];
    (void)state;
    kanon_table *t = random_rows(15, 12, true, true, persons); /* with permuted columns, and persons in the release */
    int64_t groups[12], n = 0;
    for (int row = 0; row < 12; row++)
        groups[row] = row % 4;
    kanon_grouping *g = grouping_of(t, groups);
    kanon_status st = KANON_ENOMEM;
    while (st == KANON_ENOMEM) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_evaluate_options options = {sizeof options, .threads = 1};
        kanon_measures *m = NULL;
        n++;
        kanon__alloc_fail_at(n, n % 2 == 0);
        st = kanon_evaluate(&m, t, g, &options, &err);
        kanon__alloc_fail_at(0, false);
        assert_true((m == NULL) == (st != KANON_OK));
        kanon_measures_free(m);
    }
    assert_int_equal(st, KANON_OK);
    assert_true(n > 100);
    kanon_grouping_free(g);
    kanon_table_free(t);
    assert_int_equal(no_leak(NULL), 0);
}

/* Memory that is too small to read the columns: the figures are not there, and never 0. */
static void little_memory(void **state)
{
    static const int64_t groups[] = {1, 1, 1, 1, 2, 2};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_read_options options = {sizeof options, .memory = 1};
    kanon_measures *m = NULL;
    kanon_table *t = NULL;
    (void)state;
    assert_done(read_table(&t, "attributes: {age: quasi, zip: quasi, disease: sensitive, patient: insensitive}\n", visits,
                           &options, &err),
                &err);
    kanon_grouping *g = grouping_of(t, groups);
    assert_done(kanon_evaluate(&m, t, g, NULL, &err), &err);
    assert_null(kanon_measures_find(m, "singled_out_all", NULL));
    assert_null(kanon_measures_find(m, "singled_out", "disease"));
    assert_null(kanon_measures_find(m, "linkage_all", NULL));
    assert_share(figure_of(m, "inference", "disease"), 0.5, "inference");
    kanon_measures_free(m);
    kanon_grouping_free(g);
    kanon_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(looks),
        cmocka_unit_test(columns_alone),
        cmocka_unit_test(random_groups),
        cmocka_unit_test(every_algorithm),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(little_memory),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
