#define _XOPEN_SOURCE 700
#include <kanon.h>

#include "sample/hospital.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { ID, NAME, AGE, SEX, ZIP, MARITAL, OCCUPATION, ADMISSION, DIAGNOSIS, COST, N_CELLS };
enum { N_ROWS = 200000, PATH_SIZE = 1024 };

static const char *const files[] = {"hospital.csv", "hospital.yaml", "taxonomies/marital-status.csv",
                                    "taxonomies/occupation.csv", "taxonomies/diagnosis.csv"};
enum { N_FILES = sizeof files / sizeof *files };

static char base[PATH_SIZE / 2]; /* the temporary directory of this run */

typedef struct row {
    char *cell[N_CELLS];
    int age;
} row;

/* A large table, made once. */
static char *text;
static row *rows;

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

typedef struct place {
    char text[PATH_SIZE];
} place;

static place below(const char *dir, const char *name)
{
    place out;
    assert_true(snprintf(out.text, sizeof out.text, "%s/%s", dir, name) < PATH_SIZE);
    return out;
}

static bool exists(const char *path)
{
    struct stat is;
    return lstat(path, &is) == 0;
}

static int count_entries(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static void make(const char *dir, int64_t n_rows, uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    if (sample_hospital(dir, n_rows, seed, NULL, NULL, &err) != KANON_OK)
        fail_msg("%s", err.message);
}

/* Remove a sample and the directories it is in. */
static void remove_sample(const char *dir)
{
    for (int i = 0; i < N_FILES; i++)
        unlink(below(dir, files[i]).text);
    rmdir(below(dir, "taxonomies").text);
    rmdir(dir);
    assert_false(exists(dir));
}

static bool is_missing(const char *cell)
{
    return cell[0] == '\0' || strcmp(cell, "?") == 0;
}

static bool is_one_of(const char *cell, const char *const *list, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(cell, list[i]) == 0)
            return true;
    return false;
}

static int split_rows(void **state)
{
    (void)state;
    size_t size;
    const char *tmp = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/kanon-sample-XXXXXX", tmp != NULL ? tmp : "/tmp");
    assert_non_null(mkdtemp(base));
    place dir = below(base, "large");
    make(dir.text, N_ROWS, 42);
    text = read_all(below(dir.text, files[0]).text, &size);
    rows = calloc(N_ROWS, sizeof *rows);
    assert_non_null(rows);
    char *at = strchr(text, '\n') + 1;
    for (int i = 0; i < N_ROWS; i++) {
        for (int j = 0; j < N_CELLS; j++) {
            rows[i].cell[j] = at;
            while (*at != ',' && *at != '\n')
                at++;
            assert_int_equal(*at, j < N_CELLS - 1 ? ',' : '\n');
            *at++ = '\0';
        }
        rows[i].age = atoi(rows[i].cell[AGE]);
    }
    assert_int_equal(at - text, size);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    remove_sample(below(base, "large").text);
    rmdir(base);
    free(rows);
    free(text);
    return exists(base);
}

/* ---- the files --------------------------------------------------------------------------------------------------- */

static void equal_seeds_give_equal_bytes(void **state)
{
    (void)state;
    const uint64_t seeds[] = {7, 7, 8};
    const char *names[] = {"first", "second", "other"};
    char *bytes[3];
    size_t sizes[3];
    for (int i = 0; i < 3; i++)
        make(below(base, names[i]).text, 3000, seeds[i]);
    for (int f = 0; f < N_FILES; f++) {
        for (int i = 0; i < 3; i++)
            bytes[i] = read_all(below(below(base, names[i]).text, files[f]).text, &sizes[i]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(bytes[0], bytes[1], sizes[0]);
        /* Another seed: other patients, the same schema and taxonomies. */
        assert_int_equal(strcmp(bytes[0], bytes[2]) == 0, f != 0);
        for (int i = 0; i < 3; i++)
            free(bytes[i]);
    }
    for (int i = 0; i < 3; i++)
        remove_sample(below(base, names[i]).text);
}

/* FNV-1a of the table: the same on every machine, under every compiler and option. A change of the lists, the figures or
 * the random numbers is meant to change it. */
static void bytes_are_the_same_everywhere(void **state)
{
    (void)state;
    size_t size;
    uint64_t hash = 0xcbf29ce484222325u;
    place dir = below(base, "known");
    make(dir.text, 10000, 1);
    char *bytes = read_all(below(dir.text, files[0]).text, &size);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    assert_true(hash == 0x60757bf439a3328eu);
    free(bytes);
    remove_sample(dir.text);
}

static void a_longer_table_begins_with_a_shorter_one(void **state)
{
    (void)state;
    size_t short_size, long_size;
    make(below(base, "short").text, 1000, 5);
    make(below(base, "long").text, 5000, 5);
    char *short_bytes = read_all(below(below(base, "short").text, files[0]).text, &short_size);
    char *long_bytes = read_all(below(below(base, "long").text, files[0]).text, &long_size);
    assert_true(short_size < long_size);
    assert_memory_equal(short_bytes, long_bytes, short_size);
    free(short_bytes);
    free(long_bytes);
    remove_sample(below(base, "short").text);
    remove_sample(below(base, "long").text);
}

static void directories_are_made_and_files_replaced(void **state)
{
    (void)state;
    size_t size;
    place dir = below(base, "a/b//c/");
    make(dir.text, 1, 1);
    make(dir.text, 2, 1);
    char *bytes = read_all(below(dir.text, files[0]).text, &size);
    int n_lines = 0;
    for (size_t i = 0; i < size; i++)
        n_lines += bytes[i] == '\n';
    assert_int_equal(n_lines, 3);
    assert_int_equal(count_entries(dir.text), 3);
    assert_int_equal(count_entries(below(dir.text, "taxonomies").text), 3);
    free(bytes);
    remove_sample(dir.text);
    rmdir(below(base, "a/b").text);
    rmdir(below(base, "a").text);
}

static void the_library_reads_it(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    place dir = below(base, "large");
    if (kanon_schema_read(&schema, KANON_PATH(below(dir.text, "hospital.yaml").text), NULL, &err) != KANON_OK)
        fail_msg("%s", err.message);
    if (kanon_table_read(&table, KANON_PATH(below(dir.text, "hospital.csv").text), schema, NULL, &err) != KANON_OK)
        fail_msg("%s", err.message);
    assert_string_equal(kanon_schema_get(schema, NULL, "k"), "5");
    assert_int_equal(kanon_table_rows(table), N_ROWS);
    assert_non_null(kanon_table_column_at(table, N_CELLS - 1));
    assert_null(kanon_table_column_at(table, N_CELLS));
    assert_null(kanon_table_notice_at(table, 0));
    const kanon_role roles[N_CELLS] = {KANON_ROLE_IDENTIFYING, KANON_ROLE_IDENTIFYING, KANON_ROLE_QUASI, KANON_ROLE_QUASI,
                                       KANON_ROLE_QUASI,       KANON_ROLE_QUASI,       KANON_ROLE_QUASI, KANON_ROLE_QUASI,
                                       KANON_ROLE_SENSITIVE,   KANON_ROLE_SENSITIVE};
    for (int i = 0; i < N_CELLS; i++)
        assert_int_equal(kanon_table_column_at(table, i)->role, roles[i]);
    assert_int_equal(kanon_table_column_at(table, AGE)->type, KANON_TYPE_INTEGER);
    assert_int_equal(kanon_table_column_at(table, ZIP)->type, KANON_TYPE_CATEGORICAL);
    assert_int_equal(kanon_table_column_at(table, ADMISSION)->type, KANON_TYPE_DATE);
    assert_int_equal(kanon_table_column_at(table, COST)->type, KANON_TYPE_DECIMAL);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* Each value of the column is a leaf of the file, and each leaf but for some rare ones is a value. */
static void check_cover(int column, const char *file)
{
    size_t size;
    const char *leaves[64];
    bool seen[64] = {false};
    int n = 0;
    char *bytes = read_all(below(below(base, "large").text, file).text, &size);
    for (char *at = bytes; *at != '\0'; n++) {
        char *end = strchr(at, '\n');
        assert_memory_equal(end - 2, ";*", 2);
        assert_true(n < 64);
        leaves[n] = at;
        at[strcspn(at, ";")] = '\0';
        at = end + 1;
    }
    for (int i = 0; i < N_ROWS; i++) {
        int j = 0;
        if (is_missing(rows[i].cell[column]))
            continue;
        while (j < n && strcmp(rows[i].cell[column], leaves[j]) != 0)
            j++;
        assert_true(j < n);
        seen[j] = true;
    }
    for (int j = 0; j < n; j++)
        assert_true(seen[j]);
    free(bytes);
}

static void taxonomies_cover_every_value(void **state)
{
    (void)state;
    check_cover(MARITAL, files[2]);
    check_cover(OCCUPATION, files[3]);
    check_cover(DIAGNOSIS, files[4]);
}

/* ---- the values -------------------------------------------------------------------------------------------------- */

static void cells_have_their_form(void **state)
{
    (void)state;
    for (int i = 0; i < N_ROWS; i++) {
        char *const *cell = rows[i].cell;
        assert_int_equal(strspn(cell[ID] + 1, "0123456789"), 7);
        assert_int_equal(cell[ID][0] == 'P' && cell[ID][8] == '\0', 1);
        assert_non_null(strchr(cell[NAME], ' '));
        assert_true(strlen(cell[AGE]) > 0 && strspn(cell[AGE], "0123456789") == strlen(cell[AGE]));
        assert_in_range(rows[i].age, 0, 104);
        assert_true(is_one_of(cell[SEX], (const char *const[]){"F", "M", "X"}, 3));
        if (!is_missing(cell[ZIP]))
            assert_true(strlen(cell[ZIP]) == 5 && strspn(cell[ZIP], "0123456789") == 5);
        assert_true(strcmp(cell[ADMISSION], "2020-01-01") >= 0 && strcmp(cell[ADMISSION], "2024-12-31") <= 0);
        if (!is_missing(cell[COST])) {
            size_t whole = strspn(cell[COST], "0123456789");
            assert_true(whole > 0 && cell[COST][whole] == '.');
            assert_true(strspn(cell[COST] + whole + 1, "0123456789") == 2 && cell[COST][whole + 3] == '\0');
        }
    }
}

static void diagnoses_suit_sex_and_age(void **state)
{
    (void)state;
    const char *const pregnancy[] = {"spontaneous delivery", "caesarean section", "miscarriage"};
    const char *const prostate[] = {"prostate cancer", "enlarged prostate"};
    for (int i = 0; i < N_ROWS; i++) {
        const char *diagnosis = rows[i].cell[DIAGNOSIS];
        char sex = rows[i].cell[SEX][0];
        if (is_one_of(diagnosis, pregnancy, 3))
            assert_true(sex == 'F' && rows[i].age >= 15 && rows[i].age <= 48);
        if (is_one_of(diagnosis, prostate, 2))
            assert_true(sex == 'M' && rows[i].age > 45);
        if (strcmp(diagnosis, "dementia") == 0)
            assert_true(rows[i].age >= 60);
        if (strcmp(diagnosis, "preterm birth") == 0)
            assert_int_equal(rows[i].age, 0);
    }
}

static void life_follows_age(void **state)
{
    (void)state;
    int n_old = 0, n_retired = 0;
    for (int i = 0; i < N_ROWS; i++) {
        const char *occupation = rows[i].cell[OCCUPATION], *marital = rows[i].cell[MARITAL];
        int age = rows[i].age;
        if (age < 18 && !is_missing(marital))
            assert_string_equal(marital, "never married");
        if (age < 18 && !is_missing(occupation))
            assert_string_equal(occupation, age < 6 ? "none" : "pupil");
        if (age >= 18)
            assert_true(strcmp(occupation, "none") != 0 && strcmp(occupation, "pupil") != 0);
        if (age < 55)
            assert_string_not_equal(occupation, "retired");
        if (age < 26)
            assert_string_not_equal(occupation, "physician");
        n_old += age >= 70;
        n_retired += age >= 70 && strcmp(occupation, "retired") == 0;
    }
    assert_true(n_retired > n_old * 8 / 10);
}

/* Within five standard deviations of `per_myriad` of all rows, and both ways of writing it. */
static void check_missing(int column, double per_myriad)
{
    int n_empty = 0, n_marks = 0;
    for (int i = 0; i < N_ROWS; i++) {
        n_empty += rows[i].cell[column][0] == '\0';
        n_marks += strcmp(rows[i].cell[column], "?") == 0;
    }
    double expected = N_ROWS * per_myriad / 10000;
    assert_true(fabs(n_empty + n_marks - expected) < 5 * sqrt(expected));
    assert_true(abs(n_empty - n_marks) < 5 * sqrt(expected));
}

static void missing_cells_are_as_many_as_planned(void **state)
{
    (void)state;
    for (int column = ID; column < N_CELLS; column++)
        for (int i = 0; i < N_ROWS; i++)
            if (column != ZIP && column != MARITAL && column != OCCUPATION && column != COST)
                assert_false(is_missing(rows[i].cell[column]));
    check_missing(ZIP, 70);
    check_missing(MARITAL, 50);
    check_missing(OCCUPATION, 150);
    check_missing(COST, 20);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int count_distinct(int column)
{
    char **cells = malloc(N_ROWS * sizeof *cells);
    assert_non_null(cells);
    for (int i = 0; i < N_ROWS; i++)
        cells[i] = rows[i].cell[column];
    qsort(cells, N_ROWS, sizeof *cells, compare_texts);
    int n = 1;
    for (int i = 1; i < N_ROWS; i++)
        n += strcmp(cells[i - 1], cells[i]) != 0;
    free(cells);
    return n;
}

static void costs_are_tariff_steps(void **state)
{
    (void)state;
    /* 4,980 single points, 3,000 steps of 5, 4,000 of 20, 3,001 of 100, and two texts for "missing". */
    assert_in_range(count_distinct(COST), 2000, 14983);
    const char *const kinds[] = {"concussion", "sepsis"};
    double sum[2] = {0}, largest = 0;
    int n[2] = {0};
    for (int i = 0; i < N_ROWS; i++) {
        double cost = strtod(rows[i].cell[COST], NULL);
        largest = fmax(largest, cost);
        for (int kind = 0; kind < 2; kind++)
            if (strcmp(rows[i].cell[DIAGNOSIS], kinds[kind]) == 0) {
                sum[kind] += cost;
                n[kind]++;
            }
    }
    assert_true(sum[1] / n[1] > 5 * sum[0] / n[0]);
    assert_true(largest > 100000 && largest < 1000000);
}

static void places_are_uneven(void **state)
{
    (void)state;
    int n_common = 0, n_far = 0;
    assert_in_range(count_distinct(ZIP), 60, 70);
    for (int i = 0; i < N_ROWS; i++) {
        n_common += strcmp(rows[i].cell[ZIP], "47203") == 0;
        n_far += !is_missing(rows[i].cell[ZIP]) && strncmp(rows[i].cell[ZIP], "47", 2) != 0;
    }
    assert_true(n_common > N_ROWS / 20);
    assert_true(n_far > 0 && n_far < N_ROWS / 500);
}

/* 0 = Monday, after Zeller. */
static int weekday(const char *date)
{
    int year = atoi(date), month = atoi(date + 5), day = atoi(date + 8);
    if (month < 3) {
        month += 12;
        year--;
    }
    return (day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400 + 5) % 7;
}

static void admissions_follow_week_and_season(void **state)
{
    (void)state;
    int on[7] = {0}, in_month[13] = {0}, n_agreed = 0, n_agreed_weekend = 0;
    assert_int_equal(weekday("2024-01-01"), 0);
    assert_int_equal(weekday("2024-02-29"), 3);
    for (int i = 0; i < N_ROWS; i++) {
        const char *date = rows[i].cell[ADMISSION];
        on[weekday(date)]++;
        if (strcmp(rows[i].cell[DIAGNOSIS], "influenza") == 0)
            in_month[atoi(date + 5)]++;
        if (strcmp(rows[i].cell[DIAGNOSIS], "knee arthrosis") == 0) {
            n_agreed++;
            n_agreed_weekend += weekday(date) >= 5;
        }
    }
    assert_true(on[0] > on[4] && on[4] > on[5] && on[4] > on[6]);
    assert_true(in_month[1] > 3 * in_month[7]);
    assert_true(n_agreed_weekend * 20 < n_agreed * 2);
    assert_int_equal(count_distinct(ADMISSION), 1827);
}

static void some_patients_come_again(void **state)
{
    (void)state;
    int n_later = 0, n_same_diagnosis = 0;
    for (int i = 0; i < N_ROWS; i++) {
        int first = atoi(rows[i].cell[ID] + 1) - 1;
        assert_in_range(first, 0, i);
        if (first == i)
            continue;
        char *const *now = rows[i].cell, *const *then = rows[first].cell;
        assert_string_equal(then[ID], now[ID]);
        assert_string_equal(then[NAME], now[NAME]);
        assert_string_equal(then[SEX], now[SEX]);
        if (!is_missing(then[ZIP]) && !is_missing(now[ZIP]))
            assert_string_equal(then[ZIP], now[ZIP]);
        assert_true(strcmp(then[ADMISSION], now[ADMISSION]) < 0);
        assert_in_range(rows[i].age - rows[first].age, 0, 5);
        n_later++;
        n_same_diagnosis += strcmp(then[DIAGNOSIS], now[DIAGNOSIS]) == 0;
    }
    assert_in_range(n_later, N_ROWS * 28 / 1000, N_ROWS * 32 / 1000);
    assert_true(n_same_diagnosis > n_later / 4);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void wrong_calls_make_nothing(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    place dir = below(base, "wrong");
    assert_int_equal(sample_hospital(dir.text, 0, 1, NULL, NULL, &err), KANON_EINVAL);
    assert_int_equal(err.status, KANON_EINVAL);
    assert_int_equal(sample_hospital(dir.text, -1, 1, NULL, NULL, NULL), KANON_EINVAL);
    assert_int_equal(sample_hospital("", 1, 1, NULL, NULL, &err), KANON_EINVAL);
    assert_int_equal(sample_hospital(NULL, 1, 1, NULL, NULL, &err), KANON_EINVAL);
    assert_false(exists(dir.text));
}

static void expect_eio(const char *dir, const char *named)
{
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(sample_hospital(dir, 10, 1, NULL, NULL, &err), KANON_EIO);
    assert_int_equal(err.status, KANON_EIO);
    if (strstr(err.message, named) == NULL)
        fail_msg("no %s in: %s", named, err.message);
}

static void unwritable_places_are_told(void **state)
{
    (void)state;
    place file = below(base, "file"), dir = below(base, "dir");
    fclose(fopen(file.text, "w"));
    expect_eio(file.text, "file");
    expect_eio(below(base, "file/under").text, "file");

    /* A directory stands where a file goes: the other files and the directory made for them are gone again. */
    assert_int_equal(mkdir(dir.text, 0777), 0);
    assert_int_equal(mkdir(below(dir.text, "hospital.yaml").text, 0777), 0);
    expect_eio(dir.text, "dir/hospital.yaml");
    assert_int_equal(count_entries(dir.text), 1);
    rmdir(below(dir.text, "hospital.yaml").text);

    if (geteuid() != 0) {
        assert_int_equal(chmod(dir.text, 0500), 0);
        expect_eio(dir.text, "dir/taxonomies");
    }
    assert_int_equal(count_entries(dir.text), 0);
    rmdir(dir.text);
    unlink(file.text);
}

static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    struct rlimit old;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 100000, .rlim_max = old.rlim_max}), 0);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = sample_hospital(below(base, "full").text, 10000, 1, NULL, NULL, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(st, KANON_EIO);
    assert_non_null(strstr(err.message, "full/hospital.csv"));
    assert_false(exists(below(base, "full").text));
}

typedef struct watch {
    int64_t n_calls, done, total;
    int result;
} watch;

static int record_progress(const kanon_progress *progress, void *payload)
{
    watch *w = payload;
    w->n_calls++;
    w->done = progress->done;
    w->total = progress->total;
    return w->result;
}

static void a_tick_can_stop_it(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    watch w = {.result = 1};
    size_t size, size_after;
    assert_int_equal(sample_hospital(below(base, "x/y").text, 1000, 1, record_progress, &w, &err), KANON_ECANCELLED);
    assert_int_equal(w.n_calls, 1);
    assert_int_equal(w.total, 1000);
    assert_false(exists(below(base, "x").text));

    /* What was there before stays as it was. */
    place dir = below(base, "kept");
    make(dir.text, 50, 1);
    char *before = read_all(below(dir.text, files[0]).text, &size);
    assert_int_equal(sample_hospital(dir.text, 1000, 2, record_progress, &w, &err), KANON_ECANCELLED);
    char *after = read_all(below(dir.text, files[0]).text, &size_after);
    assert_int_equal(size, size_after);
    assert_memory_equal(before, after, size);
    assert_int_equal(count_entries(dir.text), 3);
    assert_int_equal(count_entries(below(dir.text, "taxonomies").text), 3);
    w.result = 0;
    assert_int_equal(sample_hospital(dir.text, 1000, 2, record_progress, &w, &err), KANON_OK);
    free(before);
    free(after);
    remove_sample(dir.text);
}

/* The linker calls this instead of calloc: allocation number fail_at fails, and with fail_all_after every one after it. */
static int64_t n_allocations, fail_at;
static bool fail_all_after;
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
    n_allocations++;
    bool fails = fail_at > 0 && (fail_all_after ? n_allocations >= fail_at : n_allocations == fail_at);
    return fails ? NULL : __real_calloc(n, size);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    place dir = below(base, "p/q");
    for (int all_after = 0; all_after < 2; all_after++) {
        kanon_status st = KANON_ENOMEM;
        fail_all_after = all_after == 1;
        int64_t n = 1;
        for (; st != KANON_OK; n++) {
            kanon_error err = KANON_INIT(kanon_error);
            n_allocations = 0;
            fail_at = n;
            st = sample_hospital(dir.text, 10, 1, NULL, NULL, &err);
            fail_at = 0;
            if (st == KANON_OK)
                break;
            assert_int_equal(st, KANON_ENOMEM);
            assert_int_equal(err.status, KANON_ENOMEM);
            assert_false(exists(below(base, "p").text));
            assert_true(n < 1000);
        }
        assert_true(n > N_FILES);
        remove_sample(dir.text);
        rmdir(below(base, "p").text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_seeds_give_equal_bytes),
        cmocka_unit_test(bytes_are_the_same_everywhere),
        cmocka_unit_test(a_longer_table_begins_with_a_shorter_one),
        cmocka_unit_test(directories_are_made_and_files_replaced),
        cmocka_unit_test(the_library_reads_it),
        cmocka_unit_test(taxonomies_cover_every_value),
        cmocka_unit_test(cells_have_their_form),
        cmocka_unit_test(diagnoses_suit_sex_and_age),
        cmocka_unit_test(life_follows_age),
        cmocka_unit_test(missing_cells_are_as_many_as_planned),
        cmocka_unit_test(costs_are_tariff_steps),
        cmocka_unit_test(places_are_uneven),
        cmocka_unit_test(admissions_follow_week_and_season),
        cmocka_unit_test(some_patients_come_again),
        cmocka_unit_test(wrong_calls_make_nothing),
        cmocka_unit_test(unwritable_places_are_told),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(a_tick_can_stop_it),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests_name("sample", tests, split_rows, clean_up);
}
