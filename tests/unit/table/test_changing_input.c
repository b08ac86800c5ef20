/* Another process truncates or rewrites the input while a release is made of it: an error that says so, and no output. */
#include "support.h"
#include "table/read/csv_source.h"
#include "table/read/table.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { N_ROWS = 120000, ROW_BYTES = 12, HEADER_BYTES = 8 };

/* Ways to change it. All rewrite what stands there with bytes of the same number, so that only the time tells; the last one
 * adds a row. */
typedef enum way { TRUNCATE, EMPTY, OTHER_ROWS, OTHER_ORDER, QUOTES, APPEND, N_WAYS } way;

static const char yaml[] = "attributes: {age: {role: quasi, type: integer}, ill: {role: sensitive}}\nprivacy: {k: 2}\n";

static char *text_of(int first)
{
    char *text = malloc(HEADER_BYTES + N_ROWS * ROW_BYTES + 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "age,ill\n");
    for (int row = 0; row < N_ROWS; row++)
        at += sprintf(at, "%02d,ill%05d\n", 20 + row / 1000 % 60, (row + first) % 1000);
    assert_int_equal(at - text, HEADER_BYTES + N_ROWS * ROW_BYTES);
    return text;
}

static void set_back(const char *path)
{
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The clock of a file may stand still for some milliseconds, so it is set back. */
static place make_file(void)
{
    place path = scratch("t.csv");
    char *text = text_of(0);
    write_text(path.text, text);
    set_back(path.text);
    free(text);
    return path;
}

static void put_at(const char *path, off_t at, const char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, at), (ssize_t)size);
    close(fd);
}

static void change(const char *path, way how)
{
    static const off_t middle = HEADER_BYTES + (off_t)(N_ROWS / 2) * ROW_BYTES;
    char *other = text_of(7);
    if (how == TRUNCATE)
        assert_int_equal(truncate(path, middle), 0);
    if (how == EMPTY)
        assert_int_equal(truncate(path, 0), 0);
    if (how == OTHER_ROWS)
        put_at(path, 0, other, strlen(other));
    if (how == OTHER_ORDER)
        put_at(path, middle, "20,ill00001\n99,ill00000\n", 24);
    if (how == QUOTES)
        put_at(path, middle, "20,\"ll\"0000", 11);
    if (how == APPEND)
        put_at(path, HEADER_BYTES + (off_t)N_ROWS * ROW_BYTES, "20,ill00001\n", 12);
    free(other);
}

static void assert_changed(kanon_status st, const kanon_error *err)
{
    char expected[PATH_SIZE + 100];
    snprintf(expected, sizeof expected, "%s: the file has changed while it was read", scratch("t.csv").text);
    assert_string_equal(err->message, expected);
    assert_int_equal(st, KANON_EIO);
    assert_int_equal(err->status, KANON_EIO);
}

static kanon_schema *make_schema(void)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    write_text(scratch("s.yaml").text, yaml);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    return schema;
}

/* ---- while the table is read ------------------------------------------------------------------------------------- */

/* After the input was opened and its header was read, before its rows are. */
static void between_opening_and_reading(void **state)
{
    (void)state;
    kanon_schema *schema = make_schema();
    for (int how = 0; how < N_WAYS; how++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_read_options options = {.struct_size = sizeof options, .threads = 1 + how % 3};
        kanon__input input = {0};
        kanon__source *source = NULL;
        kanon_table *table = NULL;
        place path = make_file();
        assert_done(kanon__input_open_upto(&input, path.text, UINT64_MAX, "a file", &err), &err);
        assert_done(kanon__csv_source_new(&source, &input, &(kanon__csv_reading){.delimiter = 0}, &err), &err);
        change(path.text, (way)how);
        assert_changed(kanon__table_from_source(&table, source, schema, &options, &err), &err);
        assert_null(table);
        assert_no_leak();
    }
    kanon_schema_free(schema);
}

typedef struct intruder {
    const char *path, *stage;
    way how;
    bool sets_back; /* the time of the last write */
    bool done;
} intruder;

/* The clock of files has moved since the file was changed. */
static void wait_for_clock(const char *path)
{
    struct stat file, other;
    place clock = scratch("clock");
    assert_int_equal(stat(path, &file), 0);
    do {
        write_text(clock.text, "x");
        assert_int_equal(stat(clock.text, &other), 0);
    } while (other.st_ctim.tv_sec == file.st_ctim.tv_sec && other.st_ctim.tv_nsec == file.st_ctim.tv_nsec);
    assert_int_equal(unlink(clock.text), 0);
}

static int intrude(const kanon_progress *progress, void *payload)
{
    intruder *i = payload;
    if (!i->done && strcmp(progress->stage, i->stage) == 0) {
        if (i->sets_back)
            wait_for_clock(i->path);
        change(i->path, i->how);
        if (i->sets_back)
            set_back(i->path);
        i->done = true;
    }
    return 0;
}

/* By the tick, which comes with the first rows. */
static void during_reading(void **state)
{
    (void)state;
    kanon_schema *schema = make_schema();
    for (int how = 0; how < N_WAYS; how++)
        for (int threads = 1; threads <= 4; threads += 3) {
            kanon_error err = KANON_INIT(kanon_error);
            place path = make_file();
            intruder i = {.path = path.text, .stage = "reading", .how = (way)how};
            kanon_read_options options = {.struct_size = sizeof options, .threads = threads, .tick = intrude, .payload = &i};
            kanon_table *table = NULL;
            assert_changed(kanon_table_read(&table, KANON_PATH(path.text), schema, &options, &err), &err);
            assert_true(i.done);
            assert_null(table);
            assert_no_leak();
        }
    kanon_schema_free(schema);
}

/* Whoever reads rows up to the last one learns of it there: here, the check of a published file. */
static void during_a_check(void **state)
{
    (void)state;
    kanon_schema *schema = make_schema();
    for (int how = 0; how < N_WAYS; how++) {
        kanon_error err = KANON_INIT(kanon_error);
        place path = make_file();
        intruder i = {.path = path.text, .stage = "reading", .how = (way)how};
        kanon_check_options options = {.struct_size = sizeof options, .tick = intrude, .payload = &i};
        kanon_check *check = NULL;
        assert_changed(kanon_check_read(&check, KANON_PATH(path.text), schema, &options, &err), &err);
        assert_true(i.done);
        assert_null(check);
    }
    kanon_schema_free(schema);
}

/* The time of the last write is as it was before, the time of the last change is not. */
static void times_are_set_back(void **state)
{
    (void)state;
    kanon_schema *schema = make_schema();
    for (int how = OTHER_ROWS; how <= QUOTES; how++) {
        kanon_error err = KANON_INIT(kanon_error);
        place path = make_file();
        intruder i = {.path = path.text, .stage = "reading", .how = (way)how, .sets_back = true}, j = i;
        kanon_check_options options = {.struct_size = sizeof options, .tick = intrude, .payload = &i};
        kanon_read_options reading = {.struct_size = sizeof reading, .threads = 2, .tick = intrude, .payload = &j};
        kanon_check *check = NULL;
        kanon_table *table = NULL;
        assert_changed(kanon_check_read(&check, KANON_PATH(path.text), schema, &options, &err), &err);
        assert_null(check);
        path = make_file();
        assert_changed(kanon_table_read(&table, KANON_PATH(path.text), schema, &reading, &err), &err);
        assert_null(table);
        assert_true(i.done && j.done);
    }
    kanon_schema_free(schema);
}

/* ---- before the release has its name ----------------------------------------------------------------------------- */

typedef struct work {
    place path;
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
} work;

/* `last` is a row more. */
static work begin_work_with(const char *last)
{
    kanon_error err = KANON_INIT(kanon_error);
    work w = {.path = make_file(), .schema = make_schema()};
    int64_t *group_of = malloc((N_ROWS + 1) * sizeof *group_of);
    assert_non_null(group_of);
    for (int row = 0; row < N_ROWS; row++)
        group_of[row] = 1 + row / 1000 % 60;
    group_of[N_ROWS] = group_of[N_ROWS - 1];
    put_at(w.path.text, HEADER_BYTES + (off_t)N_ROWS * ROW_BYTES, last, strlen(last));
    set_back(w.path.text);
    assert_done(kanon_table_read(&w.table, KANON_PATH(w.path.text), w.schema, NULL, &err), &err);
    assert_done(kanon_grouping_new(&w.grouping, w.table, group_of, &err), &err);
    free(group_of);
    return w;
}

static work begin_work(void)
{
    return begin_work_with("");
}

static void end_work(work *w)
{
    kanon_grouping_free(w->grouping);
    kanon_table_free(w->table);
    kanon_schema_free(w->schema);
    assert_int_equal(entries(scratch_directory, true), 2); /* t.csv and s.yaml */
    assert_no_leak();
}

static void between_reading_and_publishing(void **state)
{
    (void)state;
    for (int how = 0; how < N_WAYS; how++)
        for (int shuffle = 0; shuffle < 2; shuffle++) {
            kanon_error err = KANON_INIT(kanon_error);
            place release = scratch("r.csv"), groups = scratch("g.csv");
            work w = begin_work();
            kanon_outputs outputs = {.struct_size = sizeof outputs,
                                     .release = KANON_TO_PATH(release.text),
                                     .groups = KANON_TO_PATH(groups.text),
                                     .shuffle = shuffle,
                                     .threads = 1 + how % 3};
            change(w.path.text, (way)how);
            assert_changed(kanon_publish(w.table, w.grouping, &outputs, &err), &err);
            end_work(&w);
        }
}

static void during_publishing(void **state)
{
    (void)state;
    for (int how = 0; how < N_WAYS; how++) {
        kanon_error err = KANON_INIT(kanon_error);
        place release = scratch("r.csv");
        work w = begin_work();
        intruder i = {.path = w.path.text, .stage = "writing", .how = (way)how};
        kanon_outputs outputs = {.struct_size = sizeof outputs,
                                 .release = KANON_TO_PATH(release.text),
                                 .threads = 1 + how % 3,
                                 .tick = intrude,
                                 .payload = &i};
        assert_changed(kanon_publish(w.table, w.grouping, &outputs, &err), &err);
        assert_true(i.done);
        end_work(&w);
    }
}

/* A second name for the file moves the time of its last change, which then tells nothing. */
static void hide_change(const char *path)
{
    place name = scratch("name");
    set_back(path);
    assert_int_equal(link(path, name.text), 0);
}

/* A state keeps what was grouped, or nothing. */
static void between_reading_and_keeping(void **state)
{
    (void)state;
    for (int how = TRUNCATE; how <= OTHER_ROWS; how += OTHER_ROWS - TRUNCATE) {
        kanon_error err = KANON_INIT(kanon_error);
        place path = scratch("x.state");
        work w = begin_work();
        change(w.path.text, (way)how);
        assert_changed(kanon_state_create(path.text, w.table, w.schema, w.grouping, NULL, NULL, &err), &err);
        end_work(&w);
    }
}

/* Whoever rewrites sensitive values and hides that the file was changed does not get a release whose constraints were
 * counted on other values. */
static void what_was_counted_is_released(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("r.csv");
    (void)state;
    work w = begin_work();
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    put_at(w.path.text, HEADER_BYTES + (off_t)(N_ROWS / 2) * ROW_BYTES + 3, "ill00999", 8);
    hide_change(w.path.text);
    assert_int_equal(kanon_publish(w.table, w.grouping, &outputs, &err), KANON_EINTERNAL);
    assert_string_equal(err.message,
                        "the check found another value than the one that was counted: record 60001, column ill");
    assert_int_equal(unlink(scratch("name").text), 0);
    end_work(&w);
}

/* The last record is written in fewer bytes, with one more after it in the same number of bytes. */
static void a_record_more_is_found(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("r.csv");
    (void)state;
    work w = begin_work_with("79,\"  ill00999\"\n");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    put_at(w.path.text, HEADER_BYTES + (off_t)N_ROWS * ROW_BYTES, "79,ill00999\n1,a\n", 16);
    hide_change(w.path.text);
    assert_int_equal(kanon_publish(w.table, w.grouping, &outputs, &err), KANON_EINTERNAL);
    assert_holds(err.message, "had more records when it was read again");
    assert_int_equal(unlink(scratch("name").text), 0);
    end_work(&w);
}

/* The report names the checksum of the input: that of what was read. */
static void checksums_are_of_what_was_read(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    char sum[KANON__SHA256_TEXT];
    (void)state;
    work w = begin_work();
    assert_done(kanon__source_sha256(sum, w.table->source, &err), &err);
    change(w.path.text, OTHER_ROWS);
    assert_changed(kanon__source_sha256(sum, w.table->source, &err), &err);
    end_work(&w);
}

/* Nobody changes it: the release is made. A file that is replaced by another one is not changed. */
static void replaced_files_are_read_on(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("r.csv"), other = scratch("other.csv");
    (void)state;
    work w = begin_work();
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    write_text(other.text, "age,ill\n");
    assert_int_equal(rename(other.text, w.path.text), 0);
    assert_done(kanon_publish(w.table, w.grouping, &outputs, &err), &err);
    char *text = read_text(release.text), *input = text_of(0);
    assert_string_equal(text, input); /* every group has one age */
    free(input);
    free(text);
    assert_int_equal(unlink(release.text), 0);
    end_work(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_opening_and_reading),
        cmocka_unit_test(during_reading),
        cmocka_unit_test(during_a_check),
        cmocka_unit_test(times_are_set_back),
        cmocka_unit_test(between_reading_and_publishing),
        cmocka_unit_test(during_publishing),
        cmocka_unit_test(between_reading_and_keeping),
        cmocka_unit_test(what_was_counted_is_released),
        cmocka_unit_test(a_record_more_is_found),
        cmocka_unit_test(checksums_are_of_what_was_read),
        cmocka_unit_test(replaced_files_are_read_on),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
