/* States whose pages are right and whose contents are not, as no program of this project writes them: every statement below
 * breaks one rule of the file, and the command that relies on the rule says that the state is damaged. */
#include "state/store/state_requirements.h"
#include "state/store/store.h"
#include "support.h"

static const char yaml[] = "missing: '?'\n"
                           "joint-k: off\nattributes:\n"
                           "  id: {role: identifying}\n"
                           "  who: {role: identifying}\n"
                           "  age: {role: quasi, type: integer, weight: 2}\n"
                           "  city: {role: quasi}\n"
                           "  zip: {role: quasi, mask: right}\n"
                           "  ill: {role: sensitive}\n"
                           "privacy:\n"
                           "  k: 3\n"
                           "  suppress: 0.1\n"
                           "  constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]\n"
                           "key: [id]\n"
                           "entity: who\nentity-together: true\n";

enum { N_PEOPLE = 60 };

/* A state with a release, records that are gone and a log, under the name x.state, and a copy of it. */
static void make_state(void)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    static const char gone[] = "id\np3\np4\np30\n";
    static const char more[] = "id,who,age,city,zip,ill\nn1,x1,30,town1,1001,flu\nn2,x2,31,?,1002,gout\n";
    place path = scratch("x.state"), release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    FILE *file = fopen(scratch("t.csv").text, "wb");
    fputs("id,who,age,city,zip,ill\n", file);
    for (int i = 0; i < N_PEOPLE; i++)
        fprintf(file, "p%d,w%d,%d,town%d,10%02d,%s\n", i, i - i % 2, 20 + i % 40, i % 5, i, i % 3 ? "flu" : "gout");
    fputs("q1,?,?,?,1000,flu\n", file);
    fclose(file);
    write_text(scratch("s.yaml").text, yaml);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, &(kanon_options){.struct_size = sizeof(kanon_options), .k = 3}, &err),
                &err);
    assert_done(kanon_state_create(path.text, table, schema, grouping, &outputs, NULL, &err), &err);
    assert_done(kanon_state_open(&state, path.text, NULL, &err), &err);
    assert_done(kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "gone"), &options, &done, &err),
                &err);
    assert_done(kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), &options, &done, &err),
                &err);
    kanon_state_close(state);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

static void copy_file(const char *from, const char *to)
{
    struct stat is;
    assert_int_equal(stat(from, &is), 0);
    char *bytes = read_text(from);
    write_bytes(to, bytes, (size_t)is.st_size);
    free(bytes);
}

/* Through the layer of the store, so that the pages get their checksums. */
static void damage(const char *sql)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__store store;
    copy_file(scratch("x.state").text, scratch("y.state").text);
    assert_done(kanon__store_open(&store, scratch("y.state").text, NULL, 0, &err), &err);
    assert_done(kanon__store_begin(&store, true, &err), &err);
    kanon_status st = kanon__store_run(&store, sql, &err);
    if (st != KANON_OK)
        fail_msg("%s: %s", sql, err.message);
    assert_done(kanon__store_commit(&store, &err), &err);
    kanon__store_close(&store);
}

enum { INSERT, DELETE, UPDATE, OPTIMIZE, RELEASE, DESCRIBE, AUDIT, N_COMMANDS };

static kanon_status run(int command, kanon_error *err)
{
    static const char more[] = "id,who,age,city,zip,ill\nn8,x8,33,town1,1003,flu\nn9,x9,39,town2,1004,gout\n";
    static const char gone[] = "id\np10\np11\nn1\n", other[] = "id,age\np20,25\np21,26\n";
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_state_info *info = NULL;
    kanon_audit *audit = NULL;
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    kanon_status st = kanon_state_open(&state, scratch("y.state").text, NULL, err);
    if (st != KANON_OK)
        return st;
    st = command == INSERT
             ? kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), NULL, &done, err)
         : command == DELETE
             ? kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "gone"), NULL, &done, err)
         : command == UPDATE
             ? kanon_state_change(state, KANON_UPDATE, KANON_BYTES_AS(other, strlen(other), "other"), NULL, &done, err)
         : command == OPTIMIZE ? kanon_state_improve(state, NULL, NULL, &done, err)
         : command == RELEASE  ? kanon_state_release(state, &options, &done, err)
         : command == DESCRIBE ? kanon_state_describe(&info, state, err)
                               : kanon_state_audit(&audit, state, 0, err);
    kanon_audit_free(audit);
    kanon_state_info_free(info);
    kanon_state_close(state);
    return st;
}

/* What is broken, and the command that must notice; the others may, and must not crash. */
static const struct {
    const char *sql;
    int command;
} damages[] = {
    {"DELETE FROM meta WHERE name = 'k'", INSERT},
    {"UPDATE meta SET value = 1 WHERE name = 'k'", INSERT},
    {"UPDATE meta SET value = 'three' WHERE name = 'k'", INSERT},
    {"UPDATE meta SET value = -1 WHERE name = 'n_records'", INSERT},
    {"UPDATE meta SET value = value + 1 WHERE name = 'n_records'", DESCRIBE},
    {"UPDATE meta SET value = value - 1 WHERE name = 'n_records'", DESCRIBE},
    {"UPDATE meta SET value = value + 1 WHERE name = 'n_groups'", DESCRIBE},
    {"UPDATE meta SET value = value + 1 WHERE name = 'n_suppressed'", DESCRIBE},
    {"UPDATE meta SET value = 1 WHERE name = 'next_record'", DESCRIBE},
    {"UPDATE meta SET value = 1 WHERE name = 'next_group'", DESCRIBE},
    {"UPDATE meta SET value = 1 WHERE name = 'next_change'", DESCRIBE},
    {"UPDATE meta SET value = 0 WHERE name = 'first_unfiled'", INSERT},
    {"UPDATE meta SET value = 2 WHERE name = 'first_unfiled'", DESCRIBE},
    {"UPDATE meta SET value = 99999 WHERE name = 'root'", DESCRIBE},
    {"UPDATE meta SET value = 0 WHERE name = 'root'", DESCRIBE},
    {"UPDATE meta SET value = 'x' WHERE name = 'seed'", INSERT},
    {"UPDATE meta SET value = NULL WHERE name = 'seed'", INSERT},
    {"UPDATE meta SET value = ';;' WHERE name = 'delimiter'", INSERT},
    {"UPDATE meta SET value = NULL WHERE name = 'delimiter'", INSERT},
    {"UPDATE meta SET value = NULL WHERE name = 'line_end'", INSERT},
    {"UPDATE meta SET value = NULL WHERE name = 'secret'", INSERT},
    {"UPDATE meta SET value = x'00' WHERE name = 'secret'", INSERT},
    {"UPDATE meta SET value = 'text' WHERE name = 'secret'", INSERT},
    {"UPDATE meta SET value = x'0011' WHERE name = 'last_delta'", INSERT},
    {"DELETE FROM meta WHERE name = 'last_delta'", INSERT},
    {"DELETE FROM columns", INSERT},
    {"DELETE FROM columns WHERE number = 0", INSERT},
    {"UPDATE columns SET role = 9 WHERE number = 2", INSERT},
    {"UPDATE columns SET role = -1 WHERE number = 2", INSERT},
    {"UPDATE columns SET type = 99 WHERE number = 2", INSERT},
    {"UPDATE columns SET type = 0 WHERE number = 2", INSERT},
    {"UPDATE columns SET type = -1 WHERE number = 2", INSERT},
    {"UPDATE columns SET growth = 7 WHERE number = 3", INSERT},
    {"UPDATE columns SET growth = -7 WHERE number = 3", INSERT},
    {"UPDATE columns SET scale = 19 WHERE number = 2", INSERT},
    {"UPDATE columns SET scale = -1 WHERE number = 2", INSERT},
    {"UPDATE columns SET key = -1 WHERE number = 0", INSERT},
    {"UPDATE columns SET weight = 'heavy' WHERE number = 2", INSERT},
    {"UPDATE columns SET weight = '0' WHERE number = 2", INSERT},
    {"UPDATE columns SET flat = 0 WHERE number = 3", INSERT},
    {"UPDATE columns SET flat = 1 WHERE number = 2", INSERT},
    {"UPDATE columns SET missing = 9999 WHERE number = 3", INSERT},
    {"UPDATE columns SET missing = -5 WHERE number = 3", INSERT},
    {"UPDATE columns SET missing = 0 WHERE number = 3", INSERT},
    {"UPDATE columns SET given = 0 WHERE number = 3", INSERT},
    {"UPDATE columns SET given = 9999 WHERE number = 3", INSERT},
    {"UPDATE columns SET role = 0", INSERT},
    {"UPDATE columns SET format = NULL WHERE number = 2", INSERT},
    {"UPDATE columns SET format = printf('%0200d', 1) WHERE number = 2", INSERT},
    {"UPDATE columns SET format = ',,' WHERE number = 2", INSERT},
    {"UPDATE columns SET format = ',. ' WHERE number = 2", INSERT},
    {"UPDATE columns SET format = ',' WHERE number = 3", INSERT},
    {"UPDATE columns SET bands = '5' WHERE number = 3", INSERT},
    {"UPDATE columns SET bands = '5' WHERE number = 5", INSERT},
    {"UPDATE columns SET bands = 'wide' WHERE number = 2", INSERT},
    {"UPDATE columns SET top = '5', bottom = '50' WHERE number = 2", INSERT},
    {"UPDATE trees SET parent = 9999 WHERE col = 3 AND node = 2", INSERT},
    {"UPDATE trees SET parent = -2 WHERE col = 3 AND node = 2", INSERT},
    {"UPDATE trees SET parent = -1 WHERE col = 3 AND node = 2", INSERT},
    {"UPDATE trees SET node = 77 WHERE col = 3 AND node = 2", INSERT},
    {"UPDATE trees SET label = (SELECT label FROM trees WHERE col = 3 AND node = 1) WHERE col = 3 AND node = 2", INSERT},
    {"UPDATE trees SET label = NULL WHERE col = 3 AND node = 0", INSERT},
    {"DELETE FROM trees WHERE col = 3", INSERT},
    {"CREATE TABLE other(a)", INSERT},
    {"DROP TABLE entity_index", INSERT},
    {"DROP INDEX names", INSERT},
    {"UPDATE requirements SET value = 'nothing' WHERE name = 'model'", DESCRIBE},
    {"UPDATE requirements SET value = NULL WHERE name = 'model'", INSERT},
    {"DELETE FROM requirements WHERE name = 'model'", INSERT},
    {"UPDATE requirements SET value = '3/2' WHERE name = 'suppress'", INSERT},
    {"UPDATE requirements SET value = 'some' WHERE name = 'suppress'", INSERT},
    {"UPDATE requirements SET value = printf('%0100d', 1) WHERE name = 'suppress'", INSERT},
    {"UPDATE requirements SET value = 'nobody' WHERE name = 'entity-together'", INSERT},
    {"UPDATE requirements SET number = 5 WHERE number = 0", INSERT},
    {"UPDATE requirements SET number = -2 WHERE name = 'suppress'", INSERT},
    {"UPDATE requirements SET value = '-1' WHERE name = 'l'", DESCRIBE},
    {"UPDATE records SET cells = 'no cells' WHERE id = 6", DESCRIBE},
    {"UPDATE records SET cells = NULL WHERE id = 6", DESCRIBE},
    {"UPDATE records SET cells = x'22' || cells WHERE id = 6", DESCRIBE},
    {"UPDATE records SET cells = cells || ',' WHERE id = 6", DESCRIBE},
    {"UPDATE records SET p0 = 'x' WHERE id = 6", DESCRIBE},
    {"UPDATE records SET p0 = 9223372036854775806 WHERE id = 6", DESCRIBE},
    {"UPDATE records SET p0 = p0 + 1 WHERE id = 6", DESCRIBE},
    {"UPDATE records SET p1 = 9999 WHERE id = 6", DESCRIBE},
    {"UPDATE records SET p1 = NULL WHERE id = 6", DESCRIBE},
    {"UPDATE records SET p1 = 0 WHERE id = 6", DESCRIBE},
    {"UPDATE records SET name = name + 1 WHERE id = 6", DESCRIBE},
    {"UPDATE records SET name = NULL WHERE id = 6", DESCRIBE},
    {"UPDATE records SET id = 900 WHERE id = 6", DESCRIBE},
    {"DELETE FROM records WHERE id = 6", DESCRIBE},
    /* two persons with all that is theirs change places: only their groups tell */
    {"UPDATE records SET id = id + 1000 WHERE id IN (7, 8); UPDATE records SET id = id - 32 WHERE id IN (39, 40);"
     "UPDATE records SET id = id - 968 WHERE id > 1000;"
     "UPDATE entity_index SET record = record + 1000 WHERE record IN (7, 8);"
     "UPDATE entity_index SET record = record - 32 WHERE record IN (39, 40);"
     "UPDATE entity_index SET record = record - 968 WHERE record > 1000", DESCRIBE},
    {"UPDATE records SET since = 0, shown = 0 WHERE id = 6", -1},
    {"UPDATE records SET shown = (SELECT value FROM meta WHERE name = 'next_group') WHERE id = 6", DESCRIBE},
    {"UPDATE records SET since = 99 WHERE id = 6", DESCRIBE},
    {"UPDATE departed_records SET shown = 99999", DESCRIBE},
    {"INSERT INTO membership_history VALUES(6, 1, 99999)", DESCRIBE},
    {"DELETE FROM new_names", DESCRIBE},
    {"UPDATE new_names SET id = 6", DESCRIBE},
    {"DELETE FROM tallies", DESCRIBE},
    {"DELETE FROM tallies WHERE dimension = 1", DESCRIBE},
    {"UPDATE tallies SET n = n + 1 WHERE dimension = 0", DESCRIBE},
    {"UPDATE tallies SET n = -5 WHERE dimension = 0", DELETE},
    {"UPDATE tallies SET n = 0", DELETE},
    {"UPDATE tallies SET code = 9223372036854775807 WHERE dimension = 0 AND code = (SELECT max(code) FROM tallies WHERE "
     "dimension = 0)", INSERT},
    {"INSERT INTO tallies VALUES(0, -9223372036854775807, 1), (0, 9223372036854775806, 1)", INSERT},
    {"DELETE FROM node_pages", DESCRIBE},
    {"UPDATE node_pages SET entries = x''", DESCRIBE},
    {"UPDATE node_pages SET entries = x'ffffffffffffffffffff'", DESCRIBE},
    {"UPDATE node_pages SET entries = substr(entries, 1, length(entries) - 1)", DESCRIBE},
    {"UPDATE node_pages SET entries = entries || x'00'", DESCRIBE},
    {"UPDATE node_pages SET entries = NULL", DESCRIBE},
    {"DELETE FROM member_pages", DESCRIBE},
    {"UPDATE member_pages SET entries = x''", DESCRIBE},
    {"UPDATE member_pages SET entries = x'ffffffffffffffffffff'", DESCRIBE},
    {"UPDATE member_pages SET entries = substr(entries, 1, length(entries) - 1)", DESCRIBE},
    {"UPDATE member_pages SET entries = entries || x'00'", DESCRIBE},
    {"UPDATE log_parts SET entries = x'ff'", DESCRIBE},
    {"UPDATE log_parts SET entries = substr(entries, 1, length(entries) - 1)", DESCRIBE},
    {"UPDATE log_parts SET entries = entries || x'01'", DESCRIBE},
    {"UPDATE log_parts SET entries = x'010100'", DESCRIBE},
    {"UPDATE log_parts SET entries = x'01020401'", DESCRIBE},
    {"UPDATE log_parts SET number = number + 1000", DESCRIBE},
    {"DELETE FROM log_parts", DESCRIBE},
    {"DELETE FROM releases WHERE number = 1", -1},
    {"UPDATE releases SET sha256 = NULL", -1},
    {"UPDATE departed_records SET hashes = x'00'", AUDIT},
    {"UPDATE departed_records SET hashes = NULL", AUDIT},
    {"UPDATE departed_records SET since = 0", AUDIT},
    {"INSERT INTO departed_records VALUES(9999, 1, 1, 1, zeroblob(16))", -1},
    {"INSERT INTO departed_records SELECT id, shown, since, 1, zeroblob(16) FROM records WHERE id = 8", -1},
    {"DELETE FROM entity_index", DESCRIBE},
    {"UPDATE entity_index SET entity = entity + 1 WHERE record = 6", DESCRIBE},
    {"INSERT INTO entity_index VALUES(1, 9999)", DESCRIBE},
    {"UPDATE history SET command = NULL, detail = NULL", -1},
    {"DELETE FROM missing", -1},
    {"UPDATE meta SET value = 9223372036854775807 WHERE name = 'next_group'", INSERT},
    {"UPDATE columns SET name = NULL WHERE number = 2", INSERT},
    {"UPDATE columns SET bands = '0.5' WHERE number = 2", INSERT},
    {"UPDATE columns SET bands = '1000000000000000000' WHERE number = 2", -1},
    {"UPDATE requirements SET value = '-1/2' WHERE name = 'suppress'", INSERT},
    {"UPDATE requirements SET value = '1/0' WHERE name = 'suppress'", INSERT},
    {"UPDATE requirements SET value = x'3100' WHERE name = 'l'", INSERT},
    {"UPDATE requirements SET number = -3", INSERT},
    {"UPDATE node_pages SET id = 999999999999 WHERE id = (SELECT max(id) FROM node_pages)", INSERT},
    {"UPDATE node_pages SET id = -1 WHERE id = (SELECT max(id) FROM node_pages)", INSERT},
    {"UPDATE records SET p0 = 'x' WHERE id = 11", DELETE},
    {"UPDATE records SET p0 = 'x' WHERE id = 21", UPDATE},
    {"UPDATE records SET cells = 'no cells' WHERE id = 21", UPDATE},
    {"UPDATE records SET cells = 'no cells' WHERE id = 50", -1},
    {"UPDATE tallies SET n = 9223372036854775807", INSERT},
    {"INSERT INTO tallies VALUES(0, -9223372036854775807, 1)", DESCRIBE},
    {"INSERT INTO tallies VALUES(0, 9223372036854775806, 1)", DESCRIBE},
    {"DELETE FROM records; UPDATE meta SET value = 0 WHERE name = 'n_records'", RELEASE},
    {"DELETE FROM records WHERE id = 1; UPDATE meta SET value = value - 1 WHERE name = 'n_records'", RELEASE},
    {"DELETE FROM records WHERE id = (SELECT max(id) FROM records);"
     "UPDATE meta SET value = value - 1 WHERE name = 'n_records'", RELEASE},
    {"UPDATE records SET id = 0 WHERE id = 6", DESCRIBE},
    {"INSERT INTO membership_history VALUES(-5, 1, 1)", -1},
    {"INSERT INTO membership_history VALUES(9999, 1, 1)", -1},
    {"INSERT INTO departed_records VALUES(-5, 1, 1, 1, zeroblob(16))", -1},
    {"UPDATE records SET shown = 1, since = 1 WHERE id IN (7, 9)", -1},
    {"UPDATE meta SET value = NULL WHERE name IN ('settings', 'algorithm')", -1},
};

static void every_damage_is_noticed(void **unused)
{
    enum { N = sizeof damages / sizeof *damages };
    int n_noticed = 0;
    (void)unused;
    make_state();
    for (int i = 0; i < N; i++)
        for (int command = 0; command < N_COMMANDS; command++) {
            kanon_error err = KANON_INIT(kanon_error);
            damage(damages[i].sql);
            kanon_status st = run(command, &err);
            n_noticed += st != KANON_OK;
            if (st == KANON_OK && command == damages[i].command)
                fail_msg("command %d does not notice: %s", command, damages[i].sql);
            if (st != KANON_OK && command == damages[i].command && st != KANON_EDATA)
                fail_msg("command %d: %s: %s", command, damages[i].sql, err.message);
        }
    print_message("%d damages, %d commands refused\n", N, n_noticed);
    entries(scratch_directory, true);
}

/* ---- bytes of the index --------------------------------------------------------------------------------------------- */

/* Where the index of groups is kept: its nodes, the members of groups, the log. */
static const struct {
    const char *table, *key;
} packed[] = {{"node_pages", "id"}, {"member_pages", "id"}, {"log_parts", "number"}};
enum { N_PACKED = sizeof packed / sizeof *packed };

static int64_t ask(const char *sql)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__store store;
    int64_t answer;
    assert_done(kanon__store_open(&store, scratch("x.state").text, NULL, 0, &err), &err);
    assert_done(kanon__store_query_number(&store, &answer, sql, &err), &err);
    kanon__store_close(&store);
    return answer;
}

/* One byte of one row becomes another one. */
static void damage_byte(int which, int64_t row, int64_t at, unsigned byte)
{
    char sql[500];
    snprintf(sql, sizeof sql,
             "UPDATE %s SET entries = CAST(substr(entries, 1, %lld) || x'%02x' || substr(entries, %lld) AS BLOB) "
             "WHERE %s = (SELECT %s FROM %s ORDER BY %s LIMIT 1 OFFSET %lld)",
             packed[which].table, (long long)at, byte, (long long)at + 2, packed[which].key, packed[which].key,
             packed[which].table, packed[which].key, (long long)row);
    damage(sql);
}

/* Of a state with a damaged byte it is said that it is damaged, or the release is the same as before; other commands may do
 * without that byte. */
static void assert_noticed(const char *before, int other)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = run(DESCRIBE, &err);
    if (st == KANON_OK) {
        assert_done(run(RELEASE, &err), &err);
        assert_file(scratch("r.csv").text, before);
        return;
    }
    assert_int_equal(st, KANON_EDATA);
    st = run(other, &err);
    if (st != KANON_OK && st != KANON_EDATA)
        fail_msg("command %d: %s", other, err.message);
}

/* With KANON_ALL_FAULTS at every place, else at some. */
static void every_byte_of_the_index_counts(void **unused)
{
    static const unsigned bytes[] = {0xff, 0x00, 0x80, 0x01};
    static const int others[] = {INSERT, DELETE, UPDATE, RELEASE};
    kanon_error err = KANON_INIT(kanon_error);
    char sql[200];
    int n = 0, turn = 0, step = getenv("KANON_ALL_FAULTS") != NULL ? 1 : 29;
    (void)unused;
    make_state();
    damage("SELECT 1");
    assert_done(run(RELEASE, &err), &err);
    char *before = read_text(scratch("r.csv").text);
    for (int which = 0; which < N_PACKED; which++) {
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", packed[which].table);
        for (int64_t row = 0, n_rows = ask(sql); row < n_rows; row++) {
            snprintf(sql, sizeof sql, "SELECT length(entries) FROM %s ORDER BY %s LIMIT 1 OFFSET %lld", packed[which].table,
                     packed[which].key, (long long)row);
            for (int64_t at = 0, size = ask(sql); at < size; at++, turn++) {
                if (at >= 12 && turn % step != 0)
                    continue;
                damage_byte(which, row, at, bytes[(turn + turn / 4) % 4]);
                assert_noticed(before, others[turn / 2 % 4]);
                n++;
            }
        }
    }
    print_message("%d bytes of %d\n", n, turn);
    assert_true(n > 40);
    free(before);
    entries(scratch_directory, true);
}

/* As it is, every command can be done. */
static void the_state_is_sound(void **unused)
{
    (void)unused;
    make_state();
    assert_int_equal(ask("SELECT count(*) FROM columns WHERE name = CAST('age' AS BLOB) AND weight = '2'"), 1);
    assert_int_equal(ask("SELECT count(*) FROM columns WHERE weight IS NOT NULL"), 1);
    for (int command = 0; command < N_COMMANDS; command++) {
        kanon_error err = KANON_INIT(kanon_error);
        damage("SELECT 1");
        if (command == OPTIMIZE) /* it moves single records, and entities stay together */
            assert_int_equal(run(command, &err), KANON_EINVAL);
        else
            assert_done(run(command, &err), &err);
    }
    entries(scratch_directory, true);
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_state_is_sound, no_leak),
        cmocka_unit_test_teardown(every_damage_is_noticed, no_leak),
        cmocka_unit_test_teardown(every_byte_of_the_index_counts, no_leak),
    };
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
