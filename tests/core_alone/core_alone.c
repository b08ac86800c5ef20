/* What a program does with the library alone: people.csv becomes release.csv. What is not built says so. */
#include <kanon.h>

#include <stdio.h>
#include <string.h>

static int n_wrong;

static void done(kanon_status status, const kanon_error *err)
{
    if (status != KANON_OK) {
        printf("%s: %s\n", kanon_enum_text(KANON_ENUM_STATUS, status), err->message);
        n_wrong++;
    }
}

static void refused(kanon_status status, kanon_error *err, const char *message)
{
    if (status != KANON_EINVAL || strcmp(err->message, message) != 0) {
        printf("expected '%s', got '%s: %s'\n", message, kanon_enum_text(KANON_ENUM_STATUS, status), err->message);
        n_wrong++;
    }
    *err = (kanon_error)KANON_INIT(kanon_error);
}

int main(void)
{
    static const char no_schema_files[] = "this build of libkanon has no schema files";
    static const char no_reports[] = "this build of libkanon has no reports";
    static const char no_states[] = "this build of libkanon has no states";
    static const char no_gzip[] = "t.gz: this build of libkanon does not read gzip: KANON_GZIP was left out";
    static const char no_zstd[] = "t.zst: this build of libkanon does not read zstd: KANON_ZSTD was left out";
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL, *other = NULL;
    kanon_table *table = NULL, *packed = NULL;
    kanon_grouping *grouping = NULL, *none = NULL;
    kanon_state *state = NULL;
    kanon_curve *curve = NULL;
    kanon_lower_bound *bound = NULL;
    kanon_options options = {.struct_size = sizeof options, .k = 3};
    kanon_outputs release = {.struct_size = sizeof release, .release = KANON_TO_PATH("release.csv")};
    kanon_outputs report = {
        .struct_size = sizeof report, .release = KANON_TO_PATH("none.csv"), .report = KANON_TO_PATH("none.json")};
    kanon_tradeoff_options grid = {.struct_size = sizeof grid, .k = "2,3", .json = KANON_TO_PATH("none.json")};
    kanon_bound_options proof = {.struct_size = sizeof proof, .k = 3, .certificate = KANON_TO_PATH("none.json")};

    done(kanon_schema_new(&schema, NULL, &err), &err);
    done(kanon_schema_set(schema, "age", "role", "quasi", &err), &err);
    done(kanon_schema_set(schema, "city", "role", "quasi", &err), &err);
    done(kanon_schema_set(schema, "disease", "role", "sensitive", &err), &err);
    done(kanon_table_read(&table, KANON_PATH("people.csv"), schema, NULL, &err), &err);
    if (n_wrong > 0)
        return 1;
    done(kanon_anonymize(&grouping, table, &options, &err), &err);
    if (n_wrong > 0)
        return 1;
    done(kanon_publish(table, grouping, &release, &err), &err);

    options.algorithm = "oka";
    refused(kanon_anonymize(&none, table, &options, &err), &err, "there is no algorithm 'oka'");
    if (kanon_catalogue_find(KANON_CATALOGUE_ALGORITHM, "oka") != NULL ||
        kanon_catalogue_find(KANON_CATALOGUE_ALGORITHM, "mondrian") == NULL) {
        printf("the algorithms are not those that were built\n");
        n_wrong++;
    }
    refused(kanon_schema_read(&other, KANON_PATH("people.csv"), NULL, &err), &err, no_schema_files);
    refused(kanon_table_read(&packed, KANON_BYTES_AS("\x1f\x8b\x08", 3, "t.gz"), schema, NULL, &err), &err, no_gzip);
    refused(kanon_table_read(&packed, KANON_BYTES_AS("\x28\xb5\x2f\xfd", 4, "t.zst"), schema, NULL, &err), &err, no_zstd);
    refused(kanon_publish(table, grouping, &report, &err), &err, no_reports);
    refused(kanon_tradeoff(&curve, table, &grid, &err), &err, no_reports);
    refused(kanon_bound(&bound, table, &proof, &err), &err, no_reports);
    refused(kanon_state_open(&state, "none.state", NULL, &err), &err, no_states);
    refused(kanon_state_create("none.state", table, schema, grouping, NULL, NULL, &err), &err, no_states);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return n_wrong > 0;
}
