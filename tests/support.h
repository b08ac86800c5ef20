/* What tests need of the world around the library: a directory of their own, files, tables made of texts. */
#ifndef KANON_TESTS_SUPPORT_H
#define KANON_TESTS_SUPPORT_H

#include <kanon.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

enum { PATH_SIZE = 1024 };

typedef struct place {
    char text[PATH_SIZE];
} place;

/* ---- files ------------------------------------------------------------------------------------------------------- */

static char scratch_directory[PATH_SIZE / 2];

static inline place inside(const char *directory, const char *name)
{
    place out;
    assert_true(snprintf(out.text, sizeof out.text, "%s/%s", directory, name) < PATH_SIZE);
    return out;
}

static inline place scratch(const char *name)
{
    assert_true(scratch_directory[0] != '\0'); /* or it would be the root, which all tests share: see make_scratch */
    return inside(scratch_directory, name);
}

static inline bool exists(const char *path)
{
    struct stat is;
    return lstat(path, &is) == 0;
}

/* How many files the directory holds; with `remove`, they are removed, directories with all that is in them. */
static inline int entries(const char *path, bool remove)
{
    DIR *directory = opendir(path);
    int n = 0;
    if (directory == NULL)
        return -1;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        n++;
        place at = inside(path, entry->d_name);
        if (remove && unlink(at.text) != 0) {
            entries(at.text, true);
            rmdir(at.text);
        }
    }
    closedir(directory);
    return n;
}

static inline int make_scratch(void **state)
{
    const char *temporary = getenv("TMPDIR");
    (void)state;
    snprintf(scratch_directory, sizeof scratch_directory, "%s/kanon-test-XXXXXX", temporary != NULL ? temporary : "/tmp");
    return mkdtemp(scratch_directory) != NULL ? 0 : -1;
}

static inline int remove_scratch(void **state)
{
    (void)state;
    entries(scratch_directory, true);
    return rmdir(scratch_directory);
}

static inline void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* The file's bytes, terminated, to be freed; NULL where there is none. */
static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(file);
    char *text = malloc(size + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

static inline void assert_file(const char *path, const char *expected)
{
    char *text = read_text(path);
    if (text == NULL)
        fail_msg("%s is not there", path);
    assert_string_equal(text, expected);
    free(text);
}

/* ---- what the library says --------------------------------------------------------------------------------------- */

static inline void assert_done(kanon_status status, const kanon_error *err)
{
    if (status != KANON_OK)
        fail_msg("%s: %s; %s", kanon_enum_text(KANON_ENUM_STATUS, status), err->message, err->hint);
}

static inline void assert_holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, text);
}

/* Everything that was allocated has been freed: told where it happens, not when the program ends. */
static inline void assert_no_leak(void)
{
#if defined(__SANITIZE_ADDRESS__)
    assert_int_equal(__lsan_do_recoverable_leak_check(), 0);
#endif
}

static inline int no_leak(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    return __lsan_do_recoverable_leak_check();
#else
    return 0;
#endif
}

/* The seed of a random test, told so that a failure can be repeated: KANON_TEST_SEED=7. */
static inline uint64_t test_seed(void)
{
    const char *given = getenv("KANON_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : 1;
    print_message("seed %llu\n", (unsigned long long)seed);
    return seed;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Both texts are written to s.yaml and t.csv, which stays there for the table to be read again. */
static inline kanon_status read_table(kanon_table **out, const char *yaml, const char *csv,
                                      const kanon_read_options *options, kanon_error *err)
{
    kanon_schema *schema = NULL;
    place schema_path = scratch("s.yaml"), table_path = scratch("t.csv");
    write_text(schema_path.text, yaml);
    write_text(table_path.text, csv);
    *out = NULL;
    assert_done(kanon_schema_read(&schema, KANON_PATH(schema_path.text), NULL, err), err);
    kanon_status st = kanon_table_read(out, KANON_PATH(table_path.text), schema, options, err);
    kanon_schema_free(schema);
    return st;
}

static inline kanon_table *table_of(const char *yaml, const char *csv)
{
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(read_table(&table, yaml, csv, NULL, &err), &err);
    return table;
}

static inline kanon_grouping *grouping_of(const kanon_table *table, const int64_t *group_of)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_grouping_new(&grouping, table, group_of, &err), &err);
    return grouping;
}

#endif
