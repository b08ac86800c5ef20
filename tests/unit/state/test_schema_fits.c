/* A state is made with the schema that its table was read with: every way in which another one differs is told. */
#include "state/maintain/schema_fits.h"
#include "support.h"

static const char csv[] =
    "age,born,job,zip,note,ill,who\n30,2000-01-01,cook,101,a,flu,p1\n40,2001-01-01,clerk,102,b,cold,p2\n"
    "50,2002-01-01,cook,103,c,flu,p1\n";

static const char columns[] = "default-role: insensitive\n"
                              "attributes:\n"
                              "  age: {role: quasi, bands: 5, top: 80, bottom: 10, weight: 2}\n"
                              "  born: {role: quasi}\n"
                              "  job: {role: quasi, taxonomy: {kitchen: {cook: }, clerk: }}\n"
                              "  zip: {role: quasi, mask: right}\n"
                              "  ill: {role: sensitive}\n";

static const char wishes[] = "entity: who\n"
                             "privacy: {k: 2, suppress: 0.1, constraints: [{model: alpha-k, attribute: ill, alpha: 0.7}]}\n";

static kanon_schema *schema_of(const char *text)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    write_text(scratch("s.yaml").text, text);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    return schema;
}

/* `text` with one part replaced. */
static char *with(const char *text, const char *old, const char *replacement)
{
    const char *at = strstr(text, old);
    char *out = malloc(strlen(text) + strlen(replacement) + 1);
    assert_non_null(at);
    assert_non_null(out);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, replacement, at + strlen(old));
    return out;
}

static void the_difference_is_told(void **state)
{
    static const struct {
        const char *old, *replacement, *what; /* NULL: it fits */
    } cases[] = {
        {"k: 2", "k: 3", NULL}, /* k is said of each run */
        {"default-role: insensitive", "default-role: identifying", "note"},
        {"  born: {role: quasi}\n", "", "born"},
        {"  ill: {role: sensitive}", "  ill: {role: insensitive}", "ill"},
        {", weight: 2", "", "age"},
        {", weight: 2", ", weight: 3", "age"},
        {"{role: quasi}", "{role: quasi, weight: 2}", "born"},
        {", weight: 2", ", weight: 2.0", "age"}, /* as it is written */
        {"bands: 5", "bands: 10", "age"},
        {"top: 80, ", "", "age"},
        {"bottom: 10", "bottom: 9", "age"},
        {"born: {role: quasi}", "born: {role: quasi, bands: year}", "born"},
        {", taxonomy: {kitchen: {cook: }, clerk: }", "", "job"},
        {", mask: right", "", "zip"},
        {"alpha: 0.7", "alpha: 0.8", "constraints"},
        {"{model: alpha-k, attribute: ill, alpha: 0.7}", "", "constraints"},
        {"{model: alpha-k, attribute: ill, alpha: 0.7}", "{model: distinct-l-diversity, attribute: ill, l: 2}",
         "constraints"},
        {"{model: alpha-k, attribute: ill, alpha: 0.7}", "{alpha: 0.7, model: alpha-k, attribute: ill}", "constraints"},
        {"entity: who", "entity: note", "entity"},
        {"entity: who\n", "", "entity"},
        {"entity: who", "entity: who\nentity-together: true", "entity"},
        {"suppress: 0.1", "suppress: 0.2", "suppress"},
        {"suppress: 0.1", "suppress: 0.01", "suppress"},
        {"suppress: 0.1, ", "", "suppress"},
    };
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    char text[1200];
    (void)state;
    snprintf(text, sizeof text, "%s%s", columns, wishes);
    write_text(scratch("t.csv").text, csv);
    kanon_schema *own = schema_of(text);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), own, NULL, &err), &err);
    assert_done(kanon__schema_fits(table, own, &err), &err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *other_text = with(text, cases[i].old, cases[i].replacement), expected[200];
        kanon_schema *other = schema_of(other_text);
        kanon_status st = kanon__schema_fits(table, other, &err);
        if (cases[i].what == NULL) {
            assert_int_equal(st, KANON_OK);
        } else {
            snprintf(expected, sizeof expected, "%s: the schema is not the one that the table was read with", cases[i].what);
            if (st != KANON_EINVAL || strcmp(err.message, expected) != 0)
                fail_msg("%s -> %s: %s", cases[i].old, cases[i].replacement, st == KANON_OK ? "fits" : err.message);
        }
        kanon_schema_free(other);
        free(other_text);
    }
    kanon_table_free(table);
    kanon_schema_free(own);
}

/* Without an entity, and where a mask has no value to make a tree of. */
static void what_is_not_there_fits(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    (void)state;
    write_text(scratch("t.csv").text, "zip,age\n,1\n,2\n");
    kanon_schema *masked = schema_of("attributes: {zip: {role: quasi, mask: right}, age: {role: quasi}}\n"),
                 *plain = schema_of("attributes: {zip: {role: quasi}, age: {role: quasi}}\n"),
                 *personal = schema_of("attributes: {zip: {role: quasi, mask: right}, age: {role: quasi}}\nentity: age\n");
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), masked, NULL, &err), &err);
    assert_done(kanon__schema_fits(table, masked, &err), &err);
    assert_done(kanon__schema_fits(table, plain, &err), &err);
    assert_int_equal(kanon__schema_fits(table, personal, &err), KANON_EINVAL);
    kanon_table_free(table);
    kanon_schema_free(personal);
    kanon_schema_free(plain);
    kanon_schema_free(masked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_difference_is_told), cmocka_unit_test(what_is_not_there_fits)};
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
