/* From one CSV file to another: people.csv, described by people.yaml, becomes release.csv.
 *
 * The four calls of every run: read the schema, read the table, group its records, publish the result. */
#include <kanon.h>

#include <stdio.h>

static int explain(const kanon_error *err)
{
    fprintf(stderr, "%s: %s\n", kanon_enum_text(KANON_ENUM_STATUS, err->status), err->message);
    if (err->hint[0] != '\0')
        fprintf(stderr, "hint: %s\n", err->hint);
    return 1;
}

int main(void)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_options options = {.struct_size = sizeof options, .k = 3, .seed = 1};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH("release.csv")};
    const kanon_notice *notice;
    int exit_status = 0;

    if (kanon_schema_read(&schema, KANON_PATH("people.yaml"), NULL, &err) != KANON_OK ||
        kanon_table_read(&table, KANON_PATH("people.csv"), schema, NULL, &err) != KANON_OK ||
        kanon_anonymize(&grouping, table, &options, &err) != KANON_OK ||
        kanon_publish(table, grouping, &outputs, &err) != KANON_OK) {
        exit_status = explain(&err);
        goto out;
    }
    for (size_t i = 0; (notice = kanon_grouping_notice_at(grouping, i)) != NULL; i++)
        if (notice->kind != KANON_NOTICE_NOTE)
            fprintf(stderr, "warning: %s\n", notice->text);
    const kanon_grouping_info *made = kanon_grouping_describe(grouping);
    printf("%lld records in %lld groups, the smallest has %lld\n", (long long)made->rows, (long long)made->groups,
           (long long)made->smallest);

    /* Asking for more than a table can give is an error with a status of its own. */
    kanon_grouping_free(grouping);
    grouping = NULL;
    options.k = 10;
    if (kanon_anonymize(&grouping, table, &options, &err) == KANON_EINFEASIBLE)
        printf("%s: %s\n", kanon_enum_text(KANON_ENUM_STATUS, err.status), err.message);
out:
    /* Every object is freed by its own function, which takes NULL, too. A table does not need its schema any longer. */
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return exit_status;
}
