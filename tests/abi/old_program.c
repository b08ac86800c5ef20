/* A program that was built once, against the header of its day, and runs with every later library of the same major version:
 * tests/abi/make-program made old_program.x86_64 of it. Built with KANON_TEST_APPENDED against a header whose structs have a
 * field more (tests/abi/appended), it sets that field of the struct that its argument names, or of none. */
#include <kanon.h>

#include <stdio.h>
#include <string.h>

static const char people[] = "age,city,disease\n21,Rome,flu\n22,Rome,gout\n23,Rome,flu\n"
                             "61,Oslo,gout\n62,Oslo,flu\n63,Oslo,gout\n";
static const char expected[] = "age,city,disease\n[21..23],Rome,flu\n[21..23],Rome,gout\n[21..23],Rome,flu\n"
                               "[61..63],Oslo,gout\n[61..63],Oslo,flu\n[61..63],Oslo,gout\n";

/* What a library of another version could write over: the space behind the error. */
static struct {
    kanon_error err;
    unsigned char behind[256];
} said = {KANON_INIT(kanon_error), {0}};

static char released[1024];
static int n_complete, n_failed;

static int take(const void *bytes, size_t size, void *payload)
{
    size_t used = strlen(released);
    (void)payload;
    if (size >= sizeof released - used)
        return 1;
    memcpy(released + used, bytes, size);
    return 0;
}

static int finish(int complete, void *payload)
{
    (void)payload;
    n_complete += complete != 0;
    n_failed += complete == 0;
    return 0;
}

static int fail(const char *what)
{
    printf("%s: %s; %s\n", what, said.err.message, said.err.hint);
    return 1;
}

/* Whether the error is what this program knows as one. */
static int is_sound(kanon_status status)
{
    for (size_t i = 0; i < sizeof said.behind; i++)
        if (said.behind[i] != 0)
            return 0;
    return said.err.status == status && said.err.message[0] != '\0' && strlen(said.err.message) < sizeof said.err.message &&
           strlen(said.err.hint) < sizeof said.err.hint;
}

static kanon_status make_schema(kanon_schema **out)
{
    kanon_status st = kanon_schema_new(out, NULL, &said.err);
    if (st == KANON_OK)
        st = kanon_schema_set(*out, "age", "role", "quasi", &said.err);
    if (st == KANON_OK)
        st = kanon_schema_set(*out, "city", "role", "quasi", &said.err);
    if (st == KANON_OK)
        st = kanon_schema_set(*out, "disease", "role", "sensitive", &said.err);
    return st;
}

int main(int argc, char **argv)
{
    const char *set = argc > 1 ? argv[1] : "";
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL, *none = NULL;
    kanon_options options = KANON_INIT(kanon_options), no_k = KANON_INIT(kanon_options);
    kanon_input input = KANON_INIT(kanon_input);
    kanon_sink sink = KANON_INIT(kanon_sink);
    kanon_output output = KANON_INIT(kanon_output);
    kanon_outputs outputs = KANON_INIT(kanon_outputs);
    input.bytes = people;
    input.size = strlen(people);
    options.k = 3;
    sink.name = "release.csv";
    sink.write = take;
    sink.finish = finish;
    output.sink = &sink;
    outputs.release = &output;
#ifdef KANON_TEST_APPENDED
    input.appended = strcmp(set, "input") == 0;
    options.appended = strcmp(set, "options") == 0;
    outputs.appended = strcmp(set, "outputs") == 0;
    output.appended = strcmp(set, "output") == 0;
    sink.appended = strcmp(set, "sink") == 0;
    said.err.appended = 7;
#endif
    if (kanon_version_number() / 10000 != KANON_VERSION_MAJOR)
        return fail("another major version");
    if (make_schema(&schema) != KANON_OK)
        return fail("the schema");
    kanon_status st = kanon_table_read(&table, &input, schema, NULL, &said.err);
    if (st == KANON_OK &&
        (kanon_anonymize(&none, table, &no_k, &said.err) != KANON_EINVAL || none != NULL || !is_sound(KANON_EINVAL) ||
         said.err.topic == NULL || strcmp(said.err.topic, "k") != 0))
        return fail("a call without k");
    if (st == KANON_OK)
        st = kanon_anonymize(&grouping, table, &options, &said.err);
    if (st == KANON_OK)
        st = kanon_publish(table, grouping, &outputs, &said.err);
#ifdef KANON_TEST_APPENDED
    if (said.err.appended != 7) /* of an older library it stays what it was */
        return fail("the error");
#endif
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    if (set[0] != '\0') { /* nobody but a library that knows the field may pass over it */
        if (st != KANON_EINVAL || !is_sound(st) || strstr(said.err.message, "does not have") == NULL || n_complete > 0)
            return fail("an unknown field was taken");
    } else if (st != KANON_OK || strcmp(released, expected) != 0 || n_complete != 1 || n_failed != 0) {
        return fail("releasing");
    }
    puts("done");
    return 0;
}
