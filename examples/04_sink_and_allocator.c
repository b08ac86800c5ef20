/* A guest in somebody's process: the release goes to a sink of the caller, and all memory comes from the caller's allocator,
 * which counts it. At the end nothing is left. */
#include <kanon.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- an allocator: it puts the size in front of each block -------------------------------------------------------- */

typedef union block {
    size_t size;
    max_align_t alignment;
} block;

static void *resize(void *memory, size_t size, void *payload)
{
    block *b = memory != NULL ? (block *)memory - 1 : NULL;
    size_t old_size = b != NULL ? b->size : 0;
    b = realloc(b, sizeof *b + size);
    if (b == NULL)
        return NULL; /* the running call fails with KANON_ENOMEM */
    atomic_fetch_add((atomic_llong *)payload, (long long)size - (long long)old_size);
    b->size = size;
    return b + 1;
}

static void *allocate(size_t size, void *payload)
{
    return resize(NULL, size, payload);
}

static void release(void *memory, void *payload)
{
    block *b = (block *)memory - 1;
    atomic_fetch_sub((atomic_llong *)payload, (long long)b->size);
    free(b);
}

/* ---- a sink: it keeps the release in memory ----------------------------------------------------------------------- */

typedef struct text {
    char bytes[4096];
    size_t size;
    int complete;
} text;

static int write_text(const void *bytes, size_t size, void *payload)
{
    text *t = payload;
    if (size > sizeof t->bytes - t->size)
        return ENOSPC; /* an errno: the running call fails with KANON_EIO */
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return 0;
}

static int finish_text(int complete, void *payload)
{
    ((text *)payload)->complete = complete; /* before this call says so, the text must not be used */
    return 0;
}

int main(void)
{
    atomic_llong in_use = 0; /* several threads may allocate at once */
    text released = {{0}, 0, 0};
    kanon_context context = {sizeof context, allocate, resize, release, &in_use, .threads = 2, .tick_on_caller = 1};
    kanon_sink sink = {.struct_size = sizeof sink,
                       .name = "the release",
                       .write = write_text,
                       .finish = finish_text,
                       .payload = &released};
    kanon_options options = {.struct_size = sizeof options, .k = 3, .seed = 1};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);

    if (kanon_schema_read(&schema, KANON_PATH("people.yaml"), &context, &err) != KANON_OK ||
        kanon_table_read(&table, KANON_PATH("people.csv"), schema, NULL, &err) != KANON_OK ||
        kanon_anonymize(&grouping, table, &options, &err) != KANON_OK ||
        kanon_publish(table, grouping, &outputs, &err) != KANON_OK)
        fprintf(stderr, "%s\n", err.message);
    if (released.complete)
        printf("%.*s", (int)released.size, released.bytes);
    printf("objects take memory: %s\n", in_use > 0 ? "yes" : "no");
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    printf("bytes in use at the end: %lld\n", (long long)in_use);
    return !released.complete;
}
