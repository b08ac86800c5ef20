/* States whose bytes the caller keeps: the same groups and releases as of a file, and nothing beside them. */
#include "support.h"

#include <errno.h>

static const char yaml[] = "missing: ['a\"b', '?']\n" /* the first would need quotes in a delta */
                           "joint-k: off\nattributes:\n"
                           "  id: identifying\n"
                           "  age: {role: quasi, type: integer}\n"
                           "  city: quasi\n"
                           "  ill: sensitive\n"
                           "privacy: {k: 3}\n"
                           "key: [id]\n";

/* The bytes, after how many writes all fail, and the one call that fails; 0: none. */
typedef struct memory {
    unsigned char *bytes;
    int64_t size, room, writes, fail_after, calls, fail_at;
} memory;

static bool fails(memory *m)
{
    return ++m->calls == m->fail_at;
}

static int memory_read(void *bytes, size_t size, int64_t offset, void *payload)
{
    memory *m = payload;
    if (offset + (int64_t)size > m->size)
        return EINVAL; /* nothing behind the end is asked for */
    if (fails(m))
        return EIO;
    memcpy(bytes, m->bytes + offset, size);
    return 0;
}

static int memory_write(const void *bytes, size_t size, int64_t offset, void *payload)
{
    memory *m = payload;
    if (fails(m) || (m->fail_after > 0 && ++m->writes >= m->fail_after))
        return ENOSPC;
    int64_t end = offset + (int64_t)size;
    if (end > m->room) {
        m->room = end * 2;
        m->bytes = realloc(m->bytes, (size_t)m->room);
        assert_non_null(m->bytes);
    }
    if (offset > m->size)
        memset(m->bytes + m->size, 0, (size_t)(offset - m->size));
    memcpy(m->bytes + offset, bytes, size);
    m->size = end > m->size ? end : m->size;
    return 0;
}

static int memory_truncate(int64_t size, void *payload)
{
    if (fails(payload))
        return EIO;
    ((memory *)payload)->size = size;
    return 0;
}

static int64_t memory_size(void *payload)
{
    return ((memory *)payload)->size;
}

static kanon_state_storage storage_in(memory *m)
{
    return (kanon_state_storage){sizeof(kanon_state_storage), memory_read, memory_write, memory_truncate, memory_size, m};
}

static void create(const char *path, const kanon_state_storage *storage)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state_options options = {.struct_size = sizeof options, .storage = storage};
    char csv[8192] = "id,age,city,ill\n";
    for (int i = 0; i < 80; i++)
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "p%d,%d,town%d,%s\n", i, 20 + i * 7 % 50, i % 4,
                 i % 3 ? "flu" : "gout");
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "schema"), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_BYTES_AS(csv, strlen(csv), "table"), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
    assert_done(kanon_state_create(path, table, schema, grouping, NULL, &options, &err), &err);
    /* A state is never overwritten. */
    assert_int_equal(kanon_state_create(path, table, schema, grouping, NULL, &options, &err), KANON_EINVAL);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

static const char gone[] = "id\np3\np4\np30\n", more[] = "id,age,city,ill\nn1,30,town1,flu\nn2,31,town2,gout\n";

/* Changes the state and releases it to a file. */
static void change(const char *path, const kanon_state_storage *storage, const char *release)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_state_options options = {.struct_size = sizeof options, .storage = storage};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release)};
    kanon_change_options with = {.struct_size = sizeof with, .outputs = &outputs};
    assert_done(kanon_state_open(&state, path, &options, &err), &err);
    assert_done(kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "gone"), NULL, &done, &err),
                &err);
    assert_done(kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), &with, &done, &err),
                &err);
    assert_int_equal(done.records, 79);
    assert_int_equal(done.release, 1);
    kanon_state_close(state);
}

static void test_same_as_a_file(void **unused)
{
    (void)unused;
    memory m = {0};
    const kanon_state_storage storage = storage_in(&m);
    place path = scratch("nowhere.state"), file = scratch("there.state"), left = scratch("l.csv"), right = scratch("r.csv");
    create(path.text, &storage);
    create(file.text, NULL);
    assert_true(m.size > 0 && m.size % 4096 == 0);
    change(path.text, &storage, left.text);
    change(file.text, NULL, right.text);
    char *a = read_text(left.text), *b = read_text(right.text);
    assert_string_equal(a, b);
    free(a);
    free(b);
    assert_int_not_equal(access(path.text, F_OK), 0);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    kanon_state_options options = {.struct_size = sizeof options, .storage = &storage};
    assert_done(kanon_state_open(&state, path.text, &options, &err), &err);
    assert_done(kanon_state_describe(&info, state, &err), &err);
    assert_int_equal(info->n_releases, 1);
    kanon_state_info_free(info);
    kanon_state_close(state);
    free(m.bytes);
}

static int swallow(const void *bytes, size_t size, void *payload)
{
    (void)bytes, (void)size, (void)payload;
    return 0;
}

static int refuse(int complete, void *payload)
{
    (void)payload;
    return complete ? ENOSPC : 0;
}

static void test_failures(void **unused)
{
    (void)unused;
    memory m = {0};
    kanon_state_storage storage = storage_in(&m);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_state_options options = {.struct_size = sizeof options, .storage = &storage};
    create("x", &storage);
    /* An output that is refused at its end takes the change with it; the same update may come twice. */
    static const char other[] = "id,age\np5,33\n";
    const kanon_sink sink = {sizeof sink, "nobody", swallow, refuse, NULL};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    kanon_change_options with = {.struct_size = sizeof with, .outputs = &outputs};
    assert_done(kanon_state_open(&state, "x", &options, &err), &err);
    assert_int_equal(kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), &with, &done, &err),
                     KANON_EIO);
    for (int i = 0; i < 2; i++)
        assert_done(
            kanon_state_change(state, KANON_UPDATE, KANON_BYTES_AS(other, strlen(other), "other"), NULL, &done, &err), &err);
    assert_int_equal(done.records, 80);
    kanon_state_close(state);
    assert_done(kanon_state_open(&state, "x", &options, &err), &err);
    m.fail_after = 1;
    assert_int_equal(kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), NULL, &done, &err),
                     KANON_EIO);
    m.fail_after = 0;
    kanon_state_close(state);
    /* A page that was changed by somebody else is noticed. */
    m.bytes[m.size / 2] ^= 1;
    kanon_status st = kanon_state_open(&state, "x", &options, &err);
    kanon_state_info *info = NULL;
    if (st == KANON_OK)
        st = kanon_state_describe(&info, state, &err);
    assert_int_equal(st, KANON_EDATA);
    kanon_state_info_free(info);
    kanon_state_close(state);
    storage.write = NULL;
    assert_int_equal(kanon_state_open(&state, "x", &options, &err), KANON_EINVAL);
    free(m.bytes);
}

/* Each call of the storage fails in turn. The call says so, and with the bytes of before, which the host goes back to, the
 * state is as it was. */
static void test_each_call_fails(void **unused)
{
    (void)unused;
    memory m = {0};
    const kanon_state_storage storage = storage_in(&m);
    kanon_state_options options = {.struct_size = sizeof options, .storage = &storage};
    kanon_status st = KANON_EIO;
    create("x", &storage);
    int64_t size = m.size, n_failed = 0;
    unsigned char *before = malloc((size_t)size);
    memcpy(before, m.bytes, (size_t)size);
    for (int64_t at = 1; st != KANON_OK || m.calls >= at; at++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_state *state = NULL;
        kanon_change done = KANON_INIT(kanon_change);
        m.calls = 0;
        m.fail_at = at;
        st = kanon_state_open(&state, "x", &options, &err);
        if (st == KANON_OK)
            st = kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), NULL, &done, &err);
        m.fail_at = 0;
        kanon_state_close(state);
        if (st != KANON_OK)
            assert_int_equal(st, KANON_EIO);
        n_failed += st != KANON_OK;
        memcpy(m.bytes, before, (size_t)size);
        m.size = size;
    }
    print_message("%d calls failed\n", (int)n_failed);
    assert_true(n_failed > 10);
    /* a part of the last page is not there */
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    m.size -= 100;
    st = kanon_state_open(&state, "x", &options, &err);
    if (st == KANON_OK)
        st = kanon_state_describe(&info, state, &err);
    assert_int_equal(st, KANON_EDATA);
    kanon_state_close(state);
    free(before);
    free(m.bytes);
}

/* A state of an earlier format, as a database may have kept it: read as it is, and brought up by the first change. */
static void test_earlier_format(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    struct stat is;
    place old;
    memory m = {0};
    const kanon_state_storage storage = storage_in(&m);
    kanon_state_options options = {.struct_size = sizeof options, .storage = &storage, .watch = 1};
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    const char *source = getenv("KANON_SOURCE");
    snprintf(old.text, sizeof old.text, "%s/tests/states/format-5.state", source != NULL ? source : ".");
    assert_int_equal(stat(old.text, &is), 0);
    m.size = m.room = is.st_size;
    m.bytes = (unsigned char *)read_text(old.text);
    char *before = read_text(old.text);
    assert_done(kanon_state_open(&state, "nowhere.state", &options, &err), &err);
    assert_done(kanon_state_describe(&info, state, &err), &err);
    assert_int_equal(info->records, 87);
    kanon_state_info_free(info);
    assert_int_equal(m.size, is.st_size);
    assert_memory_equal(m.bytes, before, m.size);
    assert_done(kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS("id\np3-6\np3-7\n", 13, "gone"), NULL, &done, &err),
                &err);
    assert_int_equal(m.bytes[63], 6); /* the version of its tables */
    kanon_state_close(state);
    assert_done(kanon_state_open(&state, "nowhere.state", &options, &err), &err);
    assert_done(kanon_state_describe(&info, state, &err), &err);
    assert_int_equal(info->records, 85);
    kanon_state_info_free(info);
    kanon_state_close(state);
    free(before);
    free(m.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_same_as_a_file, no_leak),
        cmocka_unit_test_teardown(test_failures, no_leak),
        cmocka_unit_test_teardown(test_each_call_fails, no_leak),
        cmocka_unit_test_teardown(test_earlier_format, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
