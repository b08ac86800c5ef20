/* Progress, an early end and a cancelled call. A tick is called now and then during long work; what it returns decides
 * whether the work goes on. */
#include <kanon.h>

#include <stdio.h>
#include <string.h>

enum { N_RECORDS = 3000 };

typedef struct watcher {
    char stage[32]; /* the last one that was printed: a copy, since the progress is gone after the tick */
    int answer;     /* what to return where the work can end with the best result so far */
} watcher;

static int watch(const kanon_progress *progress, void *payload)
{
    watcher *w = payload;
    if (strcmp(w->stage, progress->stage) != 0)
        printf("%s\n", progress->stage);
    snprintf(w->stage, sizeof w->stage, "%s", progress->stage);
    return progress->can_finish ? w->answer : 0;
}

static int cancel(const kanon_progress *progress, void *payload)
{
    (void)progress;
    (void)payload;
    return 1; /* a host returns its "stop" flag here, which another thread has set */
}

/* Invented people, as lines of CSV. */
static size_t make_table(char *out, size_t room)
{
    size_t n = (size_t)snprintf(out, room, "age,zip\n");
    for (int i = 0; i < N_RECORDS; i++)
        n += (size_t)snprintf(out + n, room - n, "%d,%d\n", 20 + i * 7919 % 61, 10000 + i * 104729 % 9001);
    return n;
}

int main(void)
{
    static char csv[N_RECORDS * 16];
    size_t size = make_table(csv, sizeof csv);
    watcher w = {"", KANON_TICK_FINISH};
    /* Ticks come on this thread and on no other: printf and the watcher need no lock. */
    kanon_context context = {.struct_size = sizeof context, .tick_on_caller = 1};
    kanon_read_options reading = {.struct_size = sizeof reading, .tick = watch, .payload = &w};
    kanon_setting moves = {"moves", "1000000000000"}; /* days of searching */
    kanon_options options = {.struct_size = sizeof options, .k = 5, .algorithm = "mondrian", .refine = "search", .seed = 1,
                             .refine_settings = &moves, .n_refine_settings = 1, .tick = watch, .payload = &w};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH("release.csv"), .tick = cancel};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    int failed = 1;

    if (kanon_schema_new(&schema, &context, &err) != KANON_OK ||
        kanon_schema_set(schema, NULL, "default-role", "quasi", &err) != KANON_OK ||
        kanon_table_read(&table, KANON_BYTES_AS(csv, size, "people"), schema, &reading, &err) != KANON_OK ||
        kanon_anonymize(&grouping, table, &options, &err) != KANON_OK)
        goto out;
    printf("ended early; every group has at least 5 records: %s\n",
           kanon_grouping_describe(grouping)->smallest >= 5 ? "yes" : "no");

    if (kanon_publish(table, grouping, &outputs, &err) != KANON_ECANCELLED)
        goto out;
    printf("%s: %s\n", kanon_enum_text(KANON_ENUM_STATUS, err.status), err.message);
    FILE *left = fopen("release.csv", "r");
    printf("release.csv is %s\n", left != NULL ? "there" : "not there");
    if (left != NULL)
        fclose(left);
    failed = left != NULL;
out:
    if (failed)
        fprintf(stderr, "%s\n", err.message);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return failed;
}
