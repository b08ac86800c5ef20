/* Earlier releases and populations against plain loops over all pairs of records, on random files. */
#include "support.h"

#include "core/alloc.h"
#include "core/random.h"

#include <math.h>

enum { MOST = 14, MOST_RELEASES = 3 };

static const char *const text_of_schema = "attributes:\n"
                                          "  id: {role: insensitive}\n"
                                          "  age: {role: quasi, type: integer}\n"
                                          "  job: {role: quasi, taxonomy: {ab: [a, b], cd: [c, d]}}\n"
                                          "  ill: {role: sensitive}\n"
                                          "privacy: {k: 3}\n";

static kanon_schema *new_schema(void)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    write_text(scratch("s.yaml").text, text_of_schema);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    return schema;
}

static double figure(const kanon_check *check, const char *name)
{
    for (size_t i = 0; i < check->n_compared; i++)
        if (strcmp(check->compared[i]->name, name) == 0)
            return check->compared[i]->value;
    fail_msg("there is no %s", name);
    return NAN;
}

static uint64_t seed_of_test(void)
{
    const char *said = getenv("KANON_TEST_SEED");
    uint64_t seed = said != NULL ? strtoull(said, NULL, 10) : 1;
    printf("seed %llu\n", (unsigned long long)seed);
    return seed;
}

/* ---- earlier releases -------------------------------------------------------------------------------------------- */

/* By release and record: its class from 1, 0: it is not there; and its value. */
typedef struct releases {
    int n, records, class_of[MOST_RELEASES][MOST], ill[MOST_RELEASES][MOST];
} releases;

static bool alike(const releases *r, int a, int b)
{
    for (int i = 0; i < r->n; i++)
        if (r->class_of[i][a] != r->class_of[i][b])
            return false;
    return true;
}

static bool is_shown(const releases *r, int record)
{
    for (int i = 0; i < r->n; i++)
        if (r->class_of[i][record] > 0)
            return true;
    return false;
}

static int last_value(const releases *r, int record)
{
    int value = -1;
    for (int i = 0; i < r->n; i++)
        if (r->class_of[i][record] > 0)
            value = r->ill[i][record];
    return value;
}

static void expect_joint(const releases *r, const kanon_check *check)
{
    int smallest = MOST + 1, below = 0, fewest = MOST + 1;
    for (int a = 0; a < r->records; a++) {
        int size = 0, values = 0;
        if (!is_shown(r, a))
            continue;
        for (int b = 0; b < r->records; b++) {
            bool is_new = is_shown(r, b) && alike(r, a, b);
            size += is_new;
            for (int c = 0; c < b; c++)
                is_new &= !(alike(r, a, c) && is_shown(r, c) && last_value(r, c) == last_value(r, b));
            values += is_new;
        }
        smallest = size < smallest ? size : smallest;
        fewest = values < fewest ? values : fewest;
        below += size < 3;
    }
    assert_int_equal((int)figure(check, "joint_k"), smallest);
    assert_int_equal((int)figure(check, "records_below_k"), below);
    assert_int_equal((int)figure(check, "joint_distinct"), fewest);
}

static void make_releases(releases *r, kanon__random *random)
{
    r->n = 2 + (int)kanon__random_below(random, 2);
    r->records = 4 + (int)kanon__random_below(random, MOST - 4);
    for (int i = 0; i < r->n; i++)
        for (int a = 0; a < r->records; a++) {
            r->class_of[i][a] = a == 0 ? 1 : (int)kanon__random_below(random, 3);
            r->ill[i][a] = (int)kanon__random_below(random, 3);
        }
}

static void write_release(const releases *r, int i, kanon__random *random)
{
    char text[2048] = "id,age,job,ill\n", name[24];
    int shift = (int)kanon__random_below(random, r->records);
    for (int at = 0; at < r->records; at++) {
        int a = (at + shift) % r->records;
        if (r->class_of[i][a] > 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "n%d,[%d..%d],ab,i%d\n", a, r->class_of[i][a], i + 9,
                     r->ill[i][a]);
    }
    snprintf(name, sizeof name, "r%d.csv", i);
    write_text(scratch(name).text, text);
}

static void test_earlier(void **state)
{
    (void)state;
    static const char *const key[] = {"id"};
    kanon__random random;
    kanon_schema *schema = new_schema();
    kanon__random_init(&random, seed_of_test(), 0);
    for (int turn = 0; turn < 200; turn++) {
        releases r;
        kanon_check *check = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        make_releases(&r, &random);
        place paths[MOST_RELEASES] = {scratch("r0.csv"), scratch("r1.csv"), scratch("r2.csv")};
        kanon_input inputs[MOST_RELEASES];
        const kanon_input *earlier[MOST_RELEASES];
        for (int i = 0; i < r.n; i++) {
            write_release(&r, i, &random);
            inputs[i] = (kanon_input){.struct_size = sizeof inputs[i], .location = paths[i].text};
            earlier[i] = &inputs[i];
        }
        const kanon_check_options options = {
            .struct_size = sizeof options, .key = key, .n_key = 1, .earlier = earlier, .n_earlier = (size_t)r.n - 1};
        assert_done(kanon_check_read(&check, &inputs[r.n - 1], schema, &options, &err), &err);
        expect_joint(&r, check);
        kanon_check_free(check);
    }
    kanon_schema_free(schema);
}

/* ---- a population ------------------------------------------------------------------------------------------------ */

/* More than a leaf of the index has. */
enum { MOST_PEOPLE = 90, CLASSES = 6 };

typedef struct people {
    int n, age[MOST_PEOPLE], job[MOST_PEOPLE];
    int n_classes, lo[CLASSES], hi[CLASSES], node[CLASSES], size[CLASSES];
} people;

/* Leaves a to d are 0 to 3, ab and cd 4 and 5, the root is 6. */
static bool fits(const people *p, int class_id, int person)
{
    int node = p->node[class_id], leaf = p->job[person];
    return p->lo[class_id] <= p->age[person] && p->hi[class_id] >= p->age[person] &&
           (node == leaf || node == 6 || (node >= 4 && leaf / 2 == node - 4));
}

static int count_fits(const people *p, int class_id)
{
    int n = 0;
    for (int i = 0; i < p->n; i++)
        n += fits(p, class_id, i);
    return n;
}

/* Classes whose regions some people fit, each with some of them. */
static void make_people(people *p, kanon__random *random)
{
    p->n = 4 + (int)kanon__random_below(random, MOST_PEOPLE - 4);
    for (int i = 0; i < p->n; i++) {
        p->age[i] = (int)kanon__random_below(random, 40);
        p->job[i] = (int)kanon__random_below(random, 4);
    }
    p->n_classes = 0;
    for (int i = 0; i < CLASSES; i++) {
        int c = p->n_classes, someone = (int)kanon__random_below(random, p->n);
        p->lo[c] = p->age[someone] - (int)kanon__random_below(random, 12);
        p->hi[c] = p->age[someone] + 1 + (int)kanon__random_below(random, 12);
        p->node[c] = kanon__random_below(random, 2) == 0 ? 6 : 4 + p->job[someone] / 2;
        if (i == 0) { /* everybody fits one of them, or the least presence would be 0 */
            p->lo[c] = 0;
            p->hi[c] = 50;
            p->node[c] = 6;
        }
        p->size[c] = 1 + (int)kanon__random_below(random, 1 + count_fits(p, c) / 4);
        bool is_new = true;
        for (int j = 0; j < c; j++)
            is_new &= p->lo[j] != p->lo[c] || p->hi[j] != p->hi[c] || p->node[j] != p->node[c];
        p->n_classes += is_new;
    }
}

static void write_people(const people *p)
{
    static const char *const nodes[] = {"a", "b", "c", "d", "ab", "cd", "*"};
    char text[8192] = "job,name,age\n";
    for (int i = 0; i < p->n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s,n%d,%d\n", nodes[p->job[i]], i, p->age[i]);
    write_text(scratch("p.csv").text, text);
    strcpy(text, "age,job\n");
    for (int c = 0; c < p->n_classes; c++)
        for (int i = 0; i < p->size[c]; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "[%d..%d],%s\n", p->lo[c], p->hi[c],
                     nodes[p->node[c]]);
    write_text(scratch("r.csv").text, text);
}

static void expect_people(const people *p, const kanon_check *check)
{
    double highest = 0, sum = 0, least = 1, most = 0;
    int n = 0, one = 0, few = 0, enough = 0;
    for (int c = 0; c < p->n_classes; c++) {
        int f = count_fits(p, c);
        highest = 1.0 / f > highest ? 1.0 / f : highest;
        sum += (double)p->size[c] / f;
        n += p->size[c];
        one += f == 1 ? p->size[c] : 0;
        few += f == 2 ? p->size[c] : 0;
        enough += f >= 3 ? p->size[c] : 0;
    }
    for (int i = 0; i < p->n; i++) {
        double presence = 0;
        for (int c = 0; c < p->n_classes; c++)
            presence += fits(p, c, i) ? (double)p->size[c] / count_fits(p, c) : 0;
        presence = presence > 1 ? 1 : presence;
        least = presence < least ? presence : least;
        most = presence > most ? presence : most;
    }
    assert_true(fabs(figure(check, "journalist_risk") - highest) < 1e-12);
    assert_true(fabs(figure(check, "marketer_risk") - sum / n) < 1e-12);
    assert_int_equal((int)figure(check, "rows_fit_one"), one);
    assert_int_equal((int)figure(check, "rows_fit_few"), few);
    assert_int_equal((int)figure(check, "rows_fit_k"), enough);
    assert_true(fabs(figure(check, "presence_least") - least) < 1e-12);
    assert_true(fabs(figure(check, "presence_most") - most) < 1e-12);
}

static void test_population(void **state)
{
    (void)state;
    kanon__random random;
    kanon_schema *schema = new_schema();
    kanon__random_init(&random, seed_of_test(), 1);
    for (int turn = 0; turn < 200; turn++) {
        people p;
        kanon_check *check = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        make_people(&p, &random);
        write_people(&p);
        const kanon_check_options options = {.struct_size = sizeof options, .population = KANON_PATH(scratch("p.csv").text)};
        assert_done(kanon_check_read(&check, KANON_PATH(scratch("r.csv").text), schema, &options, &err), &err);
        expect_people(&p, check);
        kanon_check_free(check);
    }
    kanon_schema_free(schema);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void test_no_memory(void **state)
{
    (void)state;
    static const char *const key[] = {"id"};
    kanon_status st = KANON_ENOMEM;
    write_text(scratch("r.csv").text, "id,age,job,ill\n1,[1..3],ab,x\n2,[1..3],ab,y\n3,*,c,x\n");
    write_text(scratch("e.csv").text, "id,age,job,ill\n2,[1..3],ab,y\n1,[1..3],ab,x\n");
    write_text(scratch("p.csv").text, "age,job\n1,a\n2,b\n3,c\n4,d\n");
    kanon_schema *schema = new_schema();
    const kanon_input *const earlier[] = {KANON_PATH(scratch("e.csv").text)};
    const kanon_check_options options = {.struct_size = sizeof options,
                                         .key = key,
                                         .n_key = 1,
                                         .earlier = earlier,
                                         .n_earlier = 1,
                                         .population = KANON_PATH(scratch("p.csv").text)};
    for (int64_t n = 1; st == KANON_ENOMEM; n++) {
        kanon_check *check = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        kanon__alloc_fail_at(n, n % 2 == 0);
        st = kanon_check_read(&check, KANON_PATH(scratch("r.csv").text), schema, &options, &err);
        kanon__alloc_fail_at(0, false);
        assert_true((check == NULL) == (st != KANON_OK));
        kanon_check_free(check);
    }
    assert_int_equal(st, KANON_OK);
    kanon_schema_free(schema);
    assert_no_leak();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_earlier),
        cmocka_unit_test(test_population),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
