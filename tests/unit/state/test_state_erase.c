/* Deleted means gone: after a delete or an update no byte of the old values is in the file of the state, and no other file
 * lies beside it. The values are searched in the raw bytes, as text and as numbers in every form in which a state keeps
 * numbers. */
#define _GNU_SOURCE
#include "core/random.h"
#include "support.h"

enum { N_ROWS = 330 };

/* ---- searching --------------------------------------------------------------------------------------------------- */

typedef struct file_bytes {
    unsigned char *bytes;
    size_t size;
} file_bytes;

static file_bytes read_bytes(const char *path)
{
    struct stat is;
    file_bytes out = {0};
    assert_int_equal(stat(path, &is), 0);
    out.bytes = (unsigned char *)read_text(path);
    out.size = (size_t)is.st_size;
    return out;
}

static bool has(const file_bytes *file, const void *part, size_t size)
{
    return memmem(file->bytes, file->size, part, size) != NULL;
}

/* The number with its highest byte first, as SQLite keeps it, and last, as the index does, in as few bytes as it needs and
 * in eight; and as a varint. */
static bool has_number(const file_bytes *file, int64_t number)
{
    unsigned char form[16];
    for (int size = 4; size <= 8; size += 4) {
        for (int i = 0; i < size; i++)
            form[i] = (unsigned char)(number >> 8 * (size - 1 - i));
        if (has(file, form, (size_t)size))
            return true;
        for (int i = 0; i < size; i++)
            form[i] = (unsigned char)(number >> 8 * i);
        if (has(file, form, (size_t)size))
            return true;
    }
    for (int sign = 0; sign < 3; sign++) { /* codes in the index: with the sign in the lowest bit, and 1 more */
        uint64_t rest = sign < 2 ? (uint64_t)number << sign : ((uint64_t)number << 1) + 1;
        size_t size = 0;
        for (; rest >= 0x80; rest >>= 7)
            form[size++] = (unsigned char)(rest | 0x80);
        form[size++] = (unsigned char)rest;
        if (has(file, form, size))
            return true;
    }
    return false;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static const char yaml[] = "joint-k: off\nattributes:\n"
                           "  id: {role: identifying}\n"
                           "  pay: {role: quasi, type: integer}\n"
                           "  city: {role: quasi}\n"
                           "  zip: {role: quasi, mask: right}\n"
                           "  job: {role: quasi, taxonomy: {office: {clerk: , boss: }, cook: }}\n"
                           "  ill: {role: sensitive}\n"
                           "  grade: {role: sensitive, taxonomy: {good: , bad: {worse: , worst: }}}\n"
                           "  note: {role: insensitive}\n"
                           "privacy: {k: 3}\n"
                           "key: [id]\n";
static const char header[] = "id,pay,city,zip,job,ill,grade,note\n";

/* What is in nobody's record but that of the one who goes. */
static const char *const traces[] = {"XIDENTX", "XCITYX", "98765", "9876*", "987**", "XJOBX",
                                     "XILLX",   "XGRADEX", "XNOTEX"};
enum { N_TRACES = sizeof traces / sizeof *traces };
static const int64_t pay = 1234567891; /* far above all others: the range, boxes and summaries know it, too */

static kanon_state *make_state(uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    kanon__random random;
    static const char *const jobs[] = {"clerk", "boss", "cook"}, *const grades[] = {"good", "worse", "worst"};
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon__random_init(&random, seed, 0);
    FILE *file = fopen(scratch("t.csv").text, "wb");
    fputs(header, file);
    for (int i = 0; i < N_ROWS; i++)
        fprintf(file, "p%d,%d,town%d,1%04d,%s,ill%d,%s,n%d\n", i, 1000 + (int)kanon__random_below(&random, 100000),
                (int)kanon__random_below(&random, 9), (int)kanon__random_below(&random, 300),
                jobs[kanon__random_below(&random, 3)], (int)kanon__random_below(&random, 5),
                grades[kanon__random_below(&random, 3)], i);
    fclose(file);
    write_text(scratch("s.yaml").text, yaml);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
    assert_done(kanon_state_create(scratch("x.state").text, table, schema, grouping, &outputs, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    unlink(scratch("t.csv").text);
    unlink(release.text);
    assert_done(kanon_state_open(&state, scratch("x.state").text, NULL, &err), &err);
    return state;
}

typedef enum change_kind { INSERT, DELETE, UPDATE } change_kind;

static void change(kanon_state *state, change_kind kind, const char *rows, const kanon_outputs *outputs)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    kanon_change_options options = {.struct_size = sizeof options, .grow_taxonomy = 1, .outputs = outputs};
    size_t n = strlen(rows);
    kanon_status st = kind == INSERT
                          ? kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(rows, n, "delta"), &options, &done, &err)
                      : kind == DELETE
                          ? kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(rows, n, "delta"), &options, &done, &err)
                          : kanon_state_change(state, KANON_UPDATE, KANON_BYTES_AS(rows, n, "delta"), &options, &done, &err);
    assert_done(st, &err);
}

static void assert_present(bool wanted)
{
    file_bytes file = read_bytes(scratch("x.state").text);
    for (int i = 0; i < N_TRACES; i++)
        if (has(&file, traces[i], strlen(traces[i])) != wanted)
            fail_msg("%s is %s the file", traces[i], wanted ? "not in" : "still in");
    if (has_number(&file, pay) != wanted)
        fail_msg("the number is %s the file", wanted ? "not in" : "still in");
    free(file.bytes);
    assert_int_equal(entries(scratch_directory, false), 2); /* the state and the schema: no journal beside it */
}

static void assert_sound(kanon_state *state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state_info *info = NULL;
    assert_done(kanon_state_describe(&info, state, &err), &err);
    kanon_state_info_free(info);
}

/* Other changes before and after, so that pages split and merge, and copies of cells could stay in their gaps. */
static void change_others(kanon_state *state, kanon__random *random, int round)
{
    char rows[8192];
    int used = snprintf(rows, sizeof rows, "%s", header);
    for (int i = 0; i < 40; i++)
        used += snprintf(rows + used, sizeof rows - (size_t)used, "q%d-%d,%d,town%d,1%04d,cook,ill1,good,m%d\n", round, i,
                         1000 + (int)kanon__random_below(random, 100000), (int)kanon__random_below(random, 9),
                         (int)kanon__random_below(random, 300), i);
    change(state, INSERT, rows, NULL);
    used = snprintf(rows, sizeof rows, "id\n");
    for (int i = 0; i < 25; i++)
        used += snprintf(rows + used, sizeof rows - (size_t)used, "p%d\n", 25 * round + i);
    change(state, DELETE, rows, NULL);
}

static void a_deleted_record_is_gone(void **unused)
{
    static const char insert[] = "id,pay,city,zip,job,ill,grade,note\n"
                                 "XIDENTX,1234567891,XCITYX,98765,XJOBX,XILLX,XGRADEX,XNOTEX\n";
    uint64_t seed = test_seed();
    (void)unused;
    for (int round = 0; round < 6; round++) {
        kanon__random random;
        kanon_error err = KANON_INIT(kanon_error);
        kanon_change done = KANON_INIT(kanon_change);
        place release = scratch("r.csv");
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
        kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
        kanon_state *state = make_state(seed + (uint64_t)round);
        kanon__random_init(&random, seed + (uint64_t)round, 1);
        change(state, INSERT, insert, NULL);
        for (int i = 0; i < round; i++)
            change_others(state, &random, i);
        if (round % 2 == 0) /* it was released, so hashes stay of it */
            assert_done(kanon_state_release(state, &options, &done, &err), &err);
        unlink(release.text);
        assert_present(true);
        if (round == 4)
            change(state, UPDATE,
                   "id,pay,city,zip,job,ill,grade,note\nXIDENTX,5000,town1,10001,cook,ill1,good,n\n", NULL);
        change(state, DELETE, "id\nXIDENTX\n", NULL);
        assert_present(false);
        assert_sound(state);
        for (int i = 10; i < 12; i++)
            change_others(state, &random, i);
        assert_present(false);
        change(state, INSERT, insert, NULL); /* it may come back, as a new value */
        assert_present(true);
        assert_sound(state);
        assert_done(kanon_state_improve(state, NULL, NULL, &done, &err), &err);
        kanon_state_close(state);
        entries(scratch_directory, true);
    }
}

/* Between the pointers to cells and the cells of a page of a B-tree (https://sqlite.org/fileformat2.html, section 1.6) there
 * is nothing: SQLite leaves copies of cells there that it moved. */
static void assert_no_gap_is_used(const file_bytes *file)
{
    for (size_t page = 0; page + 4096 <= file->size; page += 4096) {
        size_t at = page + (page == 0 ? 100 : 0);
        const unsigned char *page_header = file->bytes + at;
        if (page_header[0] != 2 && page_header[0] != 5 && page_header[0] != 10 && page_header[0] != 13)
            continue;
        size_t n = (size_t)page_header[3] << 8 | page_header[4], end = page + ((size_t)page_header[5] << 8 | page_header[6]);
        for (at += (page_header[0] < 10 ? 12 : 8) + 2 * n; at < end; at++)
            assert_int_equal(file->bytes[at], 0);
    }
}

/* Batches of records go and come; of nobody who is gone anything is left, whatever SQLite did to the pages. */
static void nothing_stays_of_many(void **unused)
{
    kanon_state *state = make_state(test_seed());
    kanon__random random;
    static bool is_there[3000];
    int n = 0;
    char rows[32768], note[32];
    (void)unused;
    kanon__random_init(&random, test_seed(), 2);
    for (int round = 0; round < 6; round++) {
        int used = snprintf(rows, sizeof rows, "%s", header), n_new = 20 + (int)kanon__random_below(&random, 100);
        for (int i = 0; i < n_new; i++, n++) {
            is_there[n] = true;
            used += snprintf(rows + used, sizeof rows - (size_t)used, "w%d,%d,town1,10001,cook,ill1,good,NOTE%06d%.*s\n", n,
                             1000 + (int)kanon__random_below(&random, 9000), n, (int)kanon__random_below(&random, 90),
                             "-----------------------------------------------"
                             "-----------------------------------------------");
        }
        change(state, INSERT, rows, NULL);
        used = snprintf(rows, sizeof rows, "id\n");
        for (int i = 0; i < n; i++)
            if (is_there[i] && kanon__random_below(&random, 3) == 0) {
                is_there[i] = false;
                used += snprintf(rows + used, sizeof rows - (size_t)used, "w%d\n", i);
            }
        change(state, DELETE, rows, NULL);
        file_bytes file = read_bytes(scratch("x.state").text);
        for (int i = 0; i < n; i++) {
            snprintf(note, sizeof note, "NOTE%06d", i);
            if (has(&file, note, strlen(note)) != is_there[i])
                fail_msg("round %d: %s is %s the file", round, note, is_there[i] ? "not in" : "still in");
        }
        assert_no_gap_is_used(&file);
        free(file.bytes);
    }
    assert_sound(state);
    kanon_state_close(state);
    entries(scratch_directory, true);
}

/* Values that an update replaces are gone, too, and a value that another record has stays. */
static void an_updated_value_is_gone(void **unused)
{
    kanon_state *state = make_state(7);
    file_bytes file;
    (void)unused;
    change(state, INSERT, "id,pay,city,zip,job,ill,grade,note\nu1,1234567891,XCITYX,98765,cook,XILLX,good,XNOTEX\n"
                          "u2,4000,XCITYX,98764,cook,ill1,good,n\n", NULL);
    change(state, UPDATE, "id,pay,city,zip,ill,note\nu1,4000,town1,10001,ill1,n\n", NULL);
    file = read_bytes(scratch("x.state").text);
    assert_false(has(&file, "98765", 5));
    assert_false(has(&file, "XILLX", 5));
    assert_false(has(&file, "XNOTEX", 6));
    assert_false(has_number(&file, pay));
    assert_true(has(&file, "XCITYX", 6)); /* u2 has it */
    assert_true(has(&file, "9876*", 5));
    free(file.bytes);
    change(state, DELETE, "id\nu2\n", NULL);
    file = read_bytes(scratch("x.state").text);
    assert_false(has(&file, "XCITYX", 6));
    assert_false(has(&file, "9876", 4));
    free(file.bytes);
    assert_sound(state);
    kanon_state_close(state);
    entries(scratch_directory, true);
}

/* A category that is gone is new again: it is refused like any other that nobody has. */
static void a_forgotten_category_is_new(void **unused)
{
    kanon_state *state = make_state(8);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    static const char row[] = "id,pay,city,zip,job,ill,grade,note\nu1,4000,XCITYX,10001,cook,ill1,good,n\n";
    (void)unused;
    change(state, INSERT, row, NULL);
    change(state, DELETE, "id\nu1\n", NULL);
    kanon_status st = kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(row, strlen(row), "delta"), NULL, &done, &err);
    assert_int_equal(st, KANON_EDATA);
    assert_holds(err.message, "city: no record had this value before");
    assert_sound(state);
    kanon_state_close(state);
    entries(scratch_directory, true);
}

/* Two states of the same table keep different hashes of the same departed record. */
static void hashes_depend_on_the_state(void **unused)
{
    unsigned char *hashes[2];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        kanon_state *state = make_state(9);
        kanon_error err = KANON_INIT(kanon_error);
        kanon_audit *audit = NULL;
        change(state, DELETE, "id\np1\np2\n", NULL);
        assert_done(kanon_state_audit(&audit, state, 0, &err), &err);
        assert_int_equal(audit->departed, 2);
        kanon_audit_free(audit);
        kanon_state_close(state);
        char command[3 * PATH_SIZE];
        snprintf(command, sizeof command, "sqlite3 -readonly %s 'select hex(hashes) from departed_records' 2>/dev/null >%s",
                 scratch("x.state").text, scratch("h.txt").text);
        if (system(command) != 0) {
            entries(scratch_directory, true);
            skip();
        }
        hashes[i] = (unsigned char *)read_text(scratch("h.txt").text);
        entries(scratch_directory, true);
    }
    assert_true(strlen((char *)hashes[0]) == 2 * 33);
    assert_string_not_equal((char *)hashes[0], (char *)hashes[1]);
    free(hashes[0]);
    free(hashes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_deleted_record_is_gone, no_leak),
        cmocka_unit_test_teardown(nothing_stays_of_many, no_leak),
        cmocka_unit_test_teardown(an_updated_value_is_gone, no_leak),
        cmocka_unit_test_teardown(a_forgotten_category_is_new, no_leak),
        cmocka_unit_test_teardown(hashes_depend_on_the_state, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
