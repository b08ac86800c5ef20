/* A table that lives on: a state keeps a table, its groups and what was released of it in one file. Records come from
 * memory, releases go to a sink. */
#include <kanon.h>

#include <stdio.h>
#include <string.h>

static const char first_csv[] = "id,age,city\n"
                                "1,21,Rome\n2,61,Oslo\n3,41,Rome\n4,44,Rome\n5,24,Rome\n6,65,Oslo\n";
static const char new_csv[] = "id,age,city\n7,90,Oslo\n8,91,Oslo\n9,92,Oslo\n10,22,Rome\n";
static const char gone_csv[] = "id\n1\n";

static int print_bytes(const void *bytes, size_t size, void *payload)
{
    (void)payload;
    return fwrite(bytes, 1, size, stdout) == size ? 0 : 1;
}

static const kanon_sink standard_output = {
    .struct_size = sizeof(kanon_sink), .name = "standard output", .write = print_bytes};
static const kanon_outputs release = {.struct_size = sizeof release, .release = KANON_TO_SINK(&standard_output)};
static const kanon_change_options and_release = {.struct_size = sizeof and_release, .outputs = &release};

/* The first release, and the state; objects that it was made of are not needed afterwards. */
static kanon_status create(const char *path, kanon_error *err)
{
    kanon_options options = {.struct_size = sizeof options, .k = 2, .algorithm = "kmember", .seed = 1};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_status st = kanon_schema_new(&schema, NULL, err);
    if (st == KANON_OK)
        st = kanon_schema_set(schema, "id", "role", "identifying", err);
    if (st == KANON_OK)
        st = kanon_schema_set(schema, NULL, "default-role", "quasi", err);
    if (st == KANON_OK)
        st = kanon_schema_set(schema, NULL, "key", "id", err); /* deletes and updates name a record by its key */
    if (st == KANON_OK)
        st = kanon_table_read(&table, KANON_BYTES_AS(first_csv, strlen(first_csv), "people"), schema, NULL, err);
    if (st == KANON_OK)
        st = kanon_anonymize(&grouping, table, &options, err);
    if (st == KANON_OK)
        st = kanon_state_create(path, table, schema, grouping, &release, NULL, err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st;
}

int main(void)
{
    static const char path[] = "people.state";
    kanon_state *state = NULL;
    kanon_audit *audit = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    kanon_error err = KANON_INIT(kanon_error);
    int failed = 1;

    if (create(path, &err) != KANON_OK || kanon_state_open(&state, path, NULL, &err) != KANON_OK)
        goto out;
    if (kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(new_csv, strlen(new_csv), "new people"), NULL, &change,
                           &err) != KANON_OK)
        goto out;
    printf("inserted %lld: %lld records in %lld groups\n", (long long)change.changed, (long long)change.records,
           (long long)change.groups);
    if (kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone_csv, strlen(gone_csv), "gone"), &and_release, &change,
                           &err) != KANON_OK)
        goto out;
    printf("deleted %lld, release %lld\n", (long long)change.changed, (long long)change.release);

    /* What a reader of both releases learns: records that were together in each of them are a joint class. None falls below
     * k unless kanon_state_options.joint_k says so: the person who was in a group with the deleted one waits for a later
     * release, and the new ones are in a group of their own. */
    if (kanon_state_audit(&audit, state, 0, &err) != KANON_OK)
        goto out;
    printf("%lld releases, %lld joint classes, %lld records in classes smaller than k\n", (long long)audit->releases,
           (long long)audit->classes, (long long)audit->below);
    failed = 0;
out:
    if (failed)
        fprintf(stderr, "%s\n", err.message);
    kanon_audit_free(audit);
    kanon_state_close(state);
    remove(path);
    return failed;
}
