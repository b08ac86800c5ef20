/* A release and the table that it was made of: every finding by hand, and random files, some of them doctored, against a
 * matching of rows and records by augmenting paths. */
#include "support.h"

#include "audit/compare_original.h"
#include "core/alloc.h"
#include "core/random.h"
#include "table/read/open_table.h"

static kanon_schema *schema_in_scratch(void)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    return schema;
}

static kanon_status try_check(kanon_check **out, const char *schema_text, const char *release, const char *original,
                              const char *key, kanon_error *err)
{
    write_text(scratch("s.yaml").text, schema_text);
    write_text(scratch("r.csv").text, release);
    write_text(scratch("o.csv").text, original);
    kanon_schema *schema = schema_in_scratch();
    kanon_check_options options = {
        .struct_size = sizeof options, .original = KANON_PATH(scratch("o.csv").text), .key = &key};
    options.n_key = key != NULL;
    kanon_status st = kanon_check_read(out, KANON_PATH(scratch("r.csv").text), schema, &options, err);
    kanon_schema_free(schema);
    return st;
}

static kanon_check *check(const char *schema_text, const char *release, const char *original, const char *key)
{
    kanon_check *found = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(try_check(&found, schema_text, release, original, key, &err), &err);
    return found;
}

static const kanon_finding *finding(const kanon_check *check, const char *name, const char *column)
{
    for (size_t i = 0; i < check->n_findings; i++)
        if (strcmp(check->findings[i]->name, name) == 0 &&
            (column == NULL || (check->findings[i]->column != NULL && strcmp(check->findings[i]->column, column) == 0)))
            return check->findings[i];
    return NULL;
}

static int64_t count(const kanon_check *check, const char *name, const char *column)
{
    const kanon_finding *found = finding(check, name, column);
    return found != NULL ? found->count : 0;
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static const char *const schema = "missing: ['?']\n"
                                  "attributes:\n"
                                  "  id: {role: insensitive}\n"
                                  "  age: {role: quasi, type: integer}\n"
                                  "  job: {role: quasi, taxonomy: {In: {Desk: {clerk: , judge: }, cook: }, farmer: }}\n"
                                  "  ill: {role: sensitive, type: categorical}\n"
                                  "  pay: {role: insensitive}\n";
static const char *const table = "id,age,job,ill,pay\n"
                                 "a,20,clerk,flu,1.50\n"
                                 "b,22,judge,gout,2\n"
                                 "c,30,cook,flu,?\n"
                                 "d,35,farmer,cold,4\n";

static void test_covers(void **state)
{
    (void)state;
    static const struct {
        const char *release, *column; /* the one column with a cell that does not cover; NULL: none */
    } cases[] = {
        {"id,age,job,ill,pay\na,[20..22],Desk,flu,1.5\nb,[20..22],Desk,gout,2.0\nc,>=30,\"{cook, "
         "farmer}\",flu,\nd,*,*,cold,4\n",
         NULL},
        {"id,age,job,ill,pay\na,[20..22],Desk,flu,1.5\nb,\"[20,22)\",Desk,gout,2\nc,30,cook,flu,?\nd,35,farmer,cold,4\n",
         "age"},
        {"id,age,job,ill,pay\na,20,Desk,flu,1.5\nb,22,Desk,gout,2\nc,30,Desk,flu,?\nd,35,farmer,cold,4\n", "job"},
        {"id,age,job,ill,pay\na,20,Desk,flu,1.5\nb,22,Desk,gout,2\nc,30,In,gout,?\nd,35,farmer,cold,4\n", "ill"},
        {"id,age,job,ill,pay\na,20,Desk,flu,1.5\nb,22,Desk,gout,2\nc,30,In,flu,3\nd,35,farmer,cold,4\n", "pay"},
        {"id,age_min,age_max,job,ill,pay\na,20,22,Desk,*,1.5\nb,20,22,Desk,gout,2\nc,30,35,In,flu,?\nd,30,,*,cold,4\n",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int by_key = 0; by_key < 2; by_key++) {
            kanon_check *found = check(schema, cases[i].release, table, by_key ? "id" : NULL);
            assert_non_null(strstr(finding(found, "compared", NULL)->sentence, by_key ? "by key" : "in the order"));
            for (int j = 0; j < 5; j++) {
                static const char *const columns[] = {"id", "age", "job", "ill", "pay"};
                bool is_it = cases[i].column != NULL && strcmp(cases[i].column, columns[j]) == 0;
                assert_int_equal(count(found, "uncovered", columns[j]), is_it);
            }
            assert_int_equal(found->holds, cases[i].column == NULL);
            kanon_check_free(found);
        }
}

/* Numbers and dates may be written in another form, as typed files do; codes may not. */
static void test_forms(void **state)
{
    (void)state;
    const char *forms = "attributes:\n  age: {role: quasi}\n  day: {role: sensitive, type: date, format: '%d.%m.%Y'}\n"
                        "  pay: {role: sensitive, type: decimal, decimal: ','}\n  code: {role: insensitive}\n";
    const char *original = "age;day;pay;code\n20;01.02.2020;1,50;007\n21;02.02.2020;2;011\n";
    kanon_check *found = check(forms, "age,day,pay,code\n*,2020-02-01,1.5,007\n*,2020-02-02,2.0,011\n", original, NULL);
    assert_null(finding(found, "uncovered", NULL));
    kanon_check_free(found);
    found = check(forms, "age;day;pay;code\n*;01.02.2020;1,5;7\n*;01.02.2020;2,0;011\n", original, NULL);
    assert_int_equal(count(found, "uncovered", "day"), 1);
    assert_int_equal(count(found, "uncovered", "code"), 1);
    assert_int_equal(count(found, "uncovered", "pay"), 0);
    kanon_check_free(found);
}

static void test_unknown(void **state)
{
    (void)state;
    kanon_check *found = check(schema,
                               "id,age,job,ill,pay,note\na,young,clerk,flu,1.5,x\nb,22,boss,gout,2,x\nc,30,cook,flu,?,x\n"
                               "d,35,farmer,cold,4,x\n",
                               table, NULL);
    assert_int_equal(count(found, "unknown", "age"), 1);
    assert_int_equal(count(found, "uncovered", "age"), 1);
    assert_int_equal(count(found, "unknown", "job"), 1);
    assert_non_null(finding(found, "extra_column", "note"));
    assert_int_equal(found->n_unnamed, 1);
    assert_false(found->holds);
    kanon_check_free(found);
}

/* One record is not there, one twice, and one is nobody's; by its key, and as one of a multiset. */
/* A table in the order of its ages, and a release in nearly the same: it is no other order with wrong cells. */
static void test_nearly_in_order(void **state)
{
    (void)state;
    char original[4000] = "age,year,ill\n", release[6000] = "age,year,ill\n";
    for (int i = 0; i < 120; i++) {
        int j = i ^ 1, low = j / 2 * 2; /* neighbours change places */
        snprintf(original + strlen(original), sizeof original - strlen(original), "%d,%d,x%d\n", i, 1900 + i, i % 7);
        snprintf(release + strlen(release), sizeof release - strlen(release), "[%d..%d],[%d..%d],x%d\n", low, low + 1,
                 1900 + low, 1901 + low, j % 7);
    }
    const char *two = "attributes:\n  age: {role: quasi, type: integer}\n  year: {role: quasi, type: integer}\n"
                      "  ill: {role: sensitive}\n";
    kanon_check *found = check(two, release, original, NULL);
    assert_non_null(strstr(finding(found, "compared", NULL)->sentence, "as a multiset"));
    assert_null(finding(found, "uncovered", NULL));
    assert_true(found->holds);
    kanon_check_free(found);
}

/* What the schema says of a column that the original does not have is no matter. */
static void test_extra(void **state)
{
    (void)state;
    char more[600];
    snprintf(more, sizeof more, "%s  note: {role: insensitive}\nkey: [id, note]\n", schema);
    kanon_check *found = check(more,
                               "id,age,job,ill,pay,note\na,20,clerk,flu,1.5,x\nb,22,judge,gout,2,x\nc,30,cook,flu,?,x\n"
                               "d,35,farmer,cold,4,x\n",
                               table, NULL);
    assert_int_equal(finding(found, "extra_column", "note")->mark, KANON_MARK_LOOK);
    assert_true(found->holds);
    kanon_check_free(found);
}

static void test_records(void **state)
{
    (void)state;
    const char *release =
        "id,age,job,ill,pay\nd,35,farmer,cold,4\na,20,clerk,flu,1.5\na,20,clerk,flu,1.5\nz,22,judge,gout,9\n";
    for (int by_key = 0; by_key < 2; by_key++) {
        kanon_check *found = check(schema, release, table, by_key ? "id" : NULL);
        assert_int_equal(count(found, "doubled", NULL), 1);
        assert_int_equal(count(found, "foreign", NULL), 1);
        assert_int_equal(count(found, "missing", NULL), 2);
        assert_false(found->holds);
        kanon_check_free(found);
    }
    /* in another order nothing is wrong, and records that are left out are worth a look */
    kanon_check *found = check(schema, "id,age,job,ill,pay\nd,35,farmer,cold,4\na,[20..22],Desk,flu,1.5\n", table, NULL);
    assert_int_equal(count(found, "missing", NULL), 2);
    assert_int_equal(finding(found, "missing", NULL)->mark, KANON_MARK_LOOK);
    assert_true(found->holds);
    kanon_check_free(found);
    char limited[600];
    snprintf(limited, sizeof limited, "%sprivacy: {suppress: 0.25}\n", schema);
    found = check(limited, "id,age,job,ill,pay\nd,35,farmer,cold,4\na,[20..22],Desk,flu,1.5\n", table, NULL);
    assert_int_equal(finding(found, "missing", NULL)->mark, KANON_MARK_FAILED);
    kanon_check_free(found);
}

/* Rows that say nothing are suppressed as are those that are not in the file. */
static void test_suppressed(void **state)
{
    (void)state;
    static const struct {
        const char *suppress, *release;
        int count;
        kanon_mark mark;
    } cases[] = {
        {"0", "a,s\n*,x\n*,x\n[3..4],x\n[3..4],x\n", 2, KANON_MARK_LOOK},
        {"0.5", "a,s\n*,x\n*,x\n[3..4],x\n[3..4],x\n", 0, KANON_MARK_MET},
        {"0.25", "a,s\n*,x\n[3..4],x\n[3..4],x\n", 2, KANON_MARK_LOOK},
        {"0.5", "a,s\n*,x\n[3..4],x\n[3..4],x\n", 1, KANON_MARK_LOOK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[200];
        snprintf(said, sizeof said,
                 "attributes:\n  a: {role: quasi, type: integer}\n  s: {role: insensitive}\nprivacy: {suppress: %s}\n",
                 cases[i].suppress);
        kanon_check *found = check(said, cases[i].release, "a,s\n1,x\n2,x\n3,x\n4,x\n", NULL);
        assert_int_equal(count(found, "missing", NULL), cases[i].count);
        if (cases[i].count > 0)
            assert_int_equal(finding(found, "missing", NULL)->mark, cases[i].mark);
        kanon_check_free(found);
    }
}

/* Each row fits two records, and each kind as many as it has rows; but (2, 2) fits none of them, and four share three. */
static void test_too_few_records(void **state)
{
    (void)state;
    const char *two = "attributes:\n  a: {role: quasi, type: integer}\n  b: {role: quasi, type: integer}\n"
                      "  s: {role: insensitive}\nprivacy: {k: 2, suppress: 0}\n";
    kanon_check *found = check(two, "a,b,s\n1,[1..2],x\n[1..2],1,x\n[1..2],1,x\n1,[1..2],x\n",
                               "a,b,s\n1,1,x\n1,2,x\n2,1,x\n2,2,x\n", NULL);
    assert_int_equal(count(found, "doubled", NULL), 1);
    assert_int_equal(count(found, "missing", NULL), 1);
    assert_int_equal(finding(found, "missing", NULL)->mark, KANON_MARK_FAILED);
    assert_false(found->holds);
    kanon_check_free(found);
}

static void test_exchanged(void **state)
{
    (void)state;
    kanon_check *found = check(schema,
                               "id,age,ill,job,pay\na,[20..22],clerk,flu,1.5\nb,[20..22],judge,gout,2\nc,30,cook,flu,?\n"
                               "d,35,farmer,cold,4\n",
                               table, NULL);
    const kanon_finding *exchanged = finding(found, "exchanged", NULL);
    assert_non_null(exchanged);
    assert_true((strcmp(exchanged->column, "ill") == 0) != (strcmp(exchanged->column, "job") == 0));
    assert_null(finding(found, "uncovered", NULL));
    assert_false(found->holds);
    kanon_check_free(found);
}

static void test_permuted(void **state)
{
    (void)state;
    kanon_check *found = check(schema,
                               "id,age,job,ill,pay\na,[20..22],Desk,gout,1.5\nb,[20..22],Desk,flu,2\nc,30,cook,flu,?\n"
                               "d,35,farmer,cold,4\n",
                               table, "id");
    assert_int_equal(count(found, "permuted", "ill"), 2);
    assert_int_equal(count(found, "uncovered", "ill"), 0);
    assert_true(found->holds);
    kanon_check_free(found);
}

static void test_one_record(void **state)
{
    (void)state;
    kanon_check *found = check(schema, "id,age,job,ill,pay\na,20,clerk,flu,1.5\n",
                               "id,age,job,ill,pay\na,20,clerk,flu,1.5\n", NULL);
    assert_non_null(strstr(finding(found, "compared", NULL)->sentence, "with the 1 record of the original"));
    kanon_check_free(found);
}

/* What the schema permutes: its cells are those of the class, whether it is compared in order or as a multiset. */
static void test_permuted_by_schema(void **state)
{
    (void)state;
    const char *permuted = "attributes:\n  age: {role: quasi, type: integer}\n  ill: {role: insensitive, permute: true}\n";
    const char *original = "age,ill\n20,flu\n21,hiv\n22,flu\n30,cold\n31,none\n";
    static const struct {
        const char *release;
        int wrong, untold;
    } cases[] = {
        {"age,ill\n[20..22],hiv\n[20..22],flu\n[20..22],flu\n[30..31],none\n[30..31],cold\n", 0, 0},
        {"age,ill\n[20..22],hiv\n[20..22],flu\n[20..22],cold\n[30..31],none\n[30..31],cold\n", 1, 0},
        {"age,ill\n[20..22],hiv\n[20..22],flu\n[20..22],*\n[30..31],none\n[30..31],cold\n", 0, 0},
        {"age,ill\n[30..31],cold\n[30..31],none\n[20..22],hiv\n[20..22],flu\n[20..22],flu\n", 0, 0},
        {"age,ill\n[30..31],flu\n[30..31],none\n[20..22],hiv\n[20..22],flu\n[20..22],cold\n", 2, 0},
        /* whose 22 the first class has is not known */
        {"age,ill\n[20..31],cold\n[20..31],flu\n[20..30],none\n[20..30],hiv\n[20..30],flu\n", 0, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_check *found = check(permuted, cases[i].release, original, NULL);
        assert_int_equal(count(found, "uncovered", "ill"), cases[i].wrong);
        assert_int_equal(count(found, "permuted", "ill"), cases[i].untold);
        if (cases[i].untold > 0)
            assert_int_equal(finding(found, "permuted", "ill")->mark, KANON_MARK_NOT_SHOWN);
        assert_int_equal(found->holds, cases[i].wrong == 0 && cases[i].untold == 0);
        kanon_check_free(found);
    }
}

static void test_means(void **state)
{
    (void)state;
    kanon_check *found = check(
        schema, "id,age,job,ill,pay\na,21,clerk,flu,1.5\nb,21,clerk,gout,2\nc,32.5,In,flu,?\nd,32.5,In,cold,4\n", table,
        "id");
    assert_non_null(finding(found, "means", "age"));
    assert_int_equal(count(found, "uncovered", "age"), 0);
    assert_int_equal(count(found, "uncovered", "job"), 2);
    kanon_check_free(found);
    found = check(schema, "id,age,job,ill,pay\na,23.5,Desk,flu,1.5\nb,23.5,Desk,gout,2\nc,32.5,*,flu,?\nd,32.5,*,cold,4\n",
                  table, "id");
    assert_int_equal(count(found, "uncovered", "age"), 2);
    kanon_check_free(found);
}

/* Two persons of the four records in the first class; in order it is seen, without an order only if nothing is alike. */
static void test_persons(void **state)
{
    (void)state;
    const char *visits = "attributes:\n  who: {role: identifying}\n  age: {role: quasi}\n  drug: {role: insensitive}\n"
                         "entity: who\nprivacy: {k: 2}\n";
    const char *original = "who,age,drug\np,20,x\np,20,y\nq,21,x\nr,40,x\ns,41,y\n,41,z\n";
    kanon_check *found = check(visits, "age,drug\n[20..21],x\n[20..21],y\n[20..21],x\n[40..41],x\n[40..41],y\n[40..41],z\n",
                               original, NULL);
    assert_int_equal(found->entities, 2);
    assert_true(found->holds);
    assert_true(found->highest_risk > 0.66 && found->highest_risk < 0.67); /* two of three records are p's */
    assert_false(found->original_shows);
    kanon_check_free(found);
    found = check(visits, "age,drug\n[40..41],z\n[20..21],x\n[40..41],y\n[20..21],y\n[40..41],x\n[20..21],x\n", original,
                  NULL);
    assert_int_equal(found->entities, 2); /* who is which x of the first class does not matter */
    assert_true(found->holds);
    kanon_check_free(found);
    /* both may be any of the two classes */
    found = check(visits, "age,drug\n[20..41],x\n20,y\n[20..41],x\n[20..40],x\n[20..41],z\n*,y\n", original, NULL);
    assert_false(found->holds);
    assert_int_equal(finding(found, "persons", NULL)->mark, KANON_MARK_NOT_SHOWN);
    kanon_check_free(found);
    /* the figures are of records then, and no worst case of persons */
    found = check(visits, "age,drug\n[20..42],y\n[20..41],x\n[20..41],y\n[20..42],x\n[20..41],x\n[20..42],z\n", original,
                  NULL);
    assert_int_equal(finding(found, "persons", NULL)->mark, KANON_MARK_NOT_SHOWN);
    assert_int_equal(found->entities, 0);
    assert_int_equal(found->k, 3);
    assert_true(found->highest_risk > 0.33 && found->highest_risk < 0.34);
    assert_int_equal(found->n_not_shown, 1);
    assert_false(found->holds);
    kanon_check_free(found);
    /* one person alone */
    found = check(visits, "age,drug\n20,x\n20,y\n[21..40],x\n[21..40],x\n41,y\n41,z\n", original, NULL);
    assert_int_equal(found->entities, 1);
    assert_false(found->holds);
    assert_int_equal(found->n_not_shown, 0);
    kanon_check_free(found);
}

static void test_bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *release, *original, *key, *message;
    } cases[] = {
        {"id,age,job,ill,pay\na,20,clerk,flu,1\n", "id,age,job,ill,pay\na,20,pilot,flu,1\n", NULL, "o.csv:2: job"},
        {"id,age,job,ill,pay\na,20,clerk,flu,1\n", "id,age,job,ill,pay\na,20,clerk,flu\n", NULL, "o.csv:2: "},
        {"age,job,ill,pay\n20,clerk,flu,1\n", "id,age,job,ill,pay\na,20,clerk,flu,1\n", "id", "r.csv:1: id: "},
        {"id,age,job,ill,pay\na,20,clerk,flu,1\n", "age,job,ill,pay\n20,clerk,flu,1\n", "id", "o.csv:1: id: "},
        {"id,age,job,ill,pay\na,20,clerk,flu,1\n", "id,age,job,ill,pay\na,20,clerk,flu,1\na,20,clerk,flu,1\n", "id",
         "o.csv:3: id: an earlier record has the same key"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_check *found = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(try_check(&found, schema, cases[i].release, cases[i].original, cases[i].key, &err), KANON_EDATA);
        assert_null(found);
        if (strstr(err.message, cases[i].message) == NULL)
            fail_msg("%s instead of %s", err.message, cases[i].message);
    }
}

/* ---- random files ------------------------------------------------------------------------------------------------ */

enum { MOST_ROWS = 16 };

/* What fits what, and a matching of rows with records. */
typedef struct matching {
    int n_rows, n_records;
    bool fits[MOST_ROWS][MOST_ROWS];
    int row_of[MOST_ROWS]; /* by record */
} matching;

static bool find_path(matching *m, int row, bool *seen)
{
    for (int record = 0; record < m->n_records; record++) {
        if (!m->fits[row][record] || seen[record])
            continue;
        seen[record] = true;
        if (m->row_of[record] < 0 || find_path(m, m->row_of[record], seen)) {
            m->row_of[record] = row;
            return true;
        }
    }
    return false;
}

static int match(matching m)
{
    int n = 0;
    for (int record = 0; record < m.n_records; record++)
        m.row_of[record] = -1;
    for (int row = 0; row < m.n_rows; row++) {
        bool seen[MOST_ROWS] = {false};
        n += find_path(&m, row, seen);
    }
    return n;
}

typedef struct random_file {
    int n, age[MOST_ROWS], job[MOST_ROWS], ill[MOST_ROWS];
    int n_rows, lo[MOST_ROWS], hi[MOST_ROWS], node[MOST_ROWS], sick[MOST_ROWS], from[MOST_ROWS];
} random_file;

/* Nodes of a taxonomy of four leaves: 0..3 leaves, 4 and 5 their parents, 6 the root. */
static bool node_covers(int node, int leaf)
{
    return node == leaf || node == 6 || (node >= 4 && leaf / 2 == node - 4);
}

static void make_file(random_file *f, kanon__random *r)
{
    f->n = 2 + (int)kanon__random_below(r, MOST_ROWS - 4);
    for (int i = 0; i < f->n; i++) {
        f->age[i] = (int)kanon__random_below(r, 6);
        f->job[i] = (int)kanon__random_below(r, 4);
        f->ill[i] = (int)kanon__random_below(r, 3);
    }
    f->n_rows = 0;
    for (int i = 0; i < f->n; i++) {
        int row = f->n_rows, leaf = f->job[i];
        if (kanon__random_below(r, 12) == 0)
            continue; /* suppressed */
        f->lo[row] = f->age[i] - (int)kanon__random_below(r, 2);
        f->hi[row] = f->age[i] + (int)kanon__random_below(r, 2);
        f->node[row] = kanon__random_below(r, 3) == 0 ? leaf : kanon__random_below(r, 2) == 0 ? 4 + leaf / 2 : 6;
        f->sick[row] = f->ill[i];
        f->from[row] = i;
        f->n_rows++;
        if (kanon__random_below(r, 10) == 0) { /* wrong */
            f->lo[row] = f->hi[row] = (int)kanon__random_below(r, 8);
            f->from[row] = -1;
        }
    }
}

static void write_random(random_file *f, kanon__random *r, bool shuffled)
{
    static const char *const nodes[] = {"a", "b", "c", "d", "ab", "cd", "*"};
    char text[4096] = "age,job,ill\n";
    for (int i = 0; i < f->n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,%s,i%d\n", f->age[i], nodes[f->job[i]], f->ill[i]);
    write_text(scratch("o.csv").text, text);
    for (int i = f->n_rows - 1; shuffled && i > 0; i--) {
        int j = (int)kanon__random_below(r, (uint64_t)i + 1);
        int *const columns[] = {f->lo, f->hi, f->node, f->sick, f->from};
        for (int c = 0; c < 5; c++) {
            int kept = columns[c][i];
            columns[c][i] = columns[c][j];
            columns[c][j] = kept;
        }
    }
    strcpy(text, "age,job,ill\n");
    for (int i = 0; i < f->n_rows; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "[%d..%d],%s,i%d\n", f->lo[i], f->hi[i], nodes[f->node[i]],
                 f->sick[i]);
    write_text(scratch("r.csv").text, text);
}

static matching fits_of(const random_file *f)
{
    matching m = {.n_rows = f->n_rows, .n_records = f->n};
    for (int row = 0; row < f->n_rows; row++)
        for (int i = 0; i < f->n; i++)
            m.fits[row][i] = f->lo[row] <= f->age[i] && f->hi[row] >= f->age[i] && node_covers(f->node[row], f->job[i]) &&
                             f->sick[row] == f->ill[i];
    return m;
}

static bool same_rows(const random_file *f, int a, int b)
{
    return f->lo[a] == f->lo[b] && f->hi[a] == f->hi[b] && f->node[a] == f->node[b] && f->sick[a] == f->sick[b];
}

/* No matching of all rows (and all records, if there are as many) has the record in a row that is not like this one. */
static void assert_forced(const random_file *f, matching m, int row, int record)
{
    assert_true(m.fits[row][record]);
    for (int i = 0; i < f->n_rows; i++)
        if (same_rows(f, i, row))
            m.fits[i][record] = false;
    if (match(m) == m.n_rows)
        fail_msg("row %d may be another record than %d", row, record);
}

static void compare_random(const random_file *f)
{
    kanon_table *original = NULL;
    kanon_schema *read = schema_in_scratch();
    kanon_error err = KANON_INIT(kanon_error);
    kanon__source *source = NULL;
    kanon__input input;
    kanon__csv_reading how;
    kanon__ticker ticker;
    kanon__comparison found = {.n_rows = 0};
    static const kanon__texts no_key = {0};
    kanon__ticker_init(&ticker, NULL, NULL, "reading");
    assert_done(kanon_table_read(&original, KANON_PATH(scratch("o.csv").text), read, NULL, &err), &err);
    assert_done(kanon__table_input_take(&input, &how, KANON_PATH(scratch("r.csv").text), KANON_OK, &err), &err);
    assert_done(kanon__table_source_read(&source, &input, &how, &ticker, &err), &err);
    assert_done(kanon__compare_original(&found, original, source, read, &no_key, NULL, &ticker, &err), &err);
    matching m = fits_of(f);
    if (found.columns[0].means) /* many wrong numbers look like means */
        goto out;
    int unmatched = m.n_rows - match(m), placed = 0;
    if (found.how == KANON__COMPARED_AS_MULTISET) {
        assert_int_equal(found.foreign + found.doubled, unmatched);
        int foreign = 0;
        for (int row = 0; row < f->n_rows; row++) {
            int n = 0;
            for (int i = 0; i < f->n; i++)
                n += m.fits[row][i];
            foreign += n == 0;
        }
        assert_int_equal(found.foreign, foreign);
        for (int row = 0; row < f->n_rows; row++)
            if (found.row_of[row] >= 0 && unmatched == 0)
                assert_forced(f, m, row, found.row_of[row]);
        assert_int_equal(found.missing, f->n - (f->n_rows - found.foreign - found.doubled));
    } else {
        int misfits[3] = {0};
        for (int row = 0; row < f->n_rows; row++) {
            int record = found.row_of[row];
            placed += record >= 0;
            if (record < 0)
                continue;
            assert_true(f->n_rows < f->n || record == row);
            misfits[0] += f->lo[row] > f->age[record] || f->hi[row] < f->age[record];
            misfits[1] += !node_covers(f->node[row], f->job[record]);
            misfits[2] += f->sick[row] != f->ill[record];
        }
        assert_int_equal(found.unplaced, f->n_rows - placed);
        for (int i = 0; i < 3; i++)
            assert_int_equal(found.columns[i].uncovered, misfits[i]);
    }
out:
    kanon__comparison_clear(&found);
    kanon__source_free(source);
    kanon_table_free(original);
    kanon_schema_free(read);
}

static void test_random_files(void **state)
{
    (void)state;
    enum { FILES = 600 };
    const char *said = getenv("KANON_TEST_SEED");
    uint64_t seed = said != NULL ? strtoull(said, NULL, 10) : 1;
    kanon__random r;
    printf("seed %llu\n", (unsigned long long)seed);
    kanon__random_init(&r, seed, 0);
    write_text(scratch("s.yaml").text,
               "attributes:\n  age: {role: quasi, type: integer}\n"
               "  job: {role: quasi, taxonomy: {ab: [a, b], cd: [c, d]}}\n  ill: {role: sensitive}\n");
    for (int i = 0; i < FILES; i++) {
        random_file f;
        make_file(&f, &r);
        if (f.n_rows == 0)
            continue;
        write_random(&f, &r, i % 2 == 0);
        compare_random(&f);
    }
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void test_no_memory(void **state)
{
    (void)state;
    static const char *const releases[] = {
        "id,age,job,ill,pay\na,[20..22],Desk,gout,1.5\nb,[20..22],Desk,flu,2\nc,30,\"{cook,farmer}\",flu,?\nd,35,farmer,"
        "cold,4\n",
        "id,age,job,ill,pay\nd,35,farmer,cold,4\na,20,clerk,flu,1.5\na,20,clerk,flu,1.5\nz,22,judge,gout,9\n",
    };
    for (int i = 0; i < 2; i++) {
        kanon_status st = KANON_ENOMEM;
        for (int64_t n = 1; st == KANON_ENOMEM; n++) {
            kanon_check *found = NULL;
            kanon_error err = KANON_INIT(kanon_error);
            write_text(scratch("s.yaml").text, schema);
            write_text(scratch("r.csv").text, releases[i]);
            write_text(scratch("o.csv").text, table);
            kanon_schema *read = schema_in_scratch();
            kanon_check_options options = {.struct_size = sizeof options, .original = KANON_PATH(scratch("o.csv").text)};
            kanon__alloc_fail_at(n, n % 2 == 0);
            st = kanon_check_read(&found, KANON_PATH(scratch("r.csv").text), read, &options, &err);
            kanon__alloc_fail_at(0, false);
            assert_true((found == NULL) == (st != KANON_OK));
            kanon_check_free(found);
            kanon_schema_free(read);
        }
        assert_int_equal(st, KANON_OK);
        assert_no_leak();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_covers),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_extra),
        cmocka_unit_test(test_nearly_in_order),
        cmocka_unit_test(test_suppressed),
        cmocka_unit_test(test_too_few_records),
        cmocka_unit_test(test_exchanged),
        cmocka_unit_test(test_permuted),
        cmocka_unit_test(test_one_record),
        cmocka_unit_test(test_permuted_by_schema),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_persons),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_random_files),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
