/* The files in memory in which SQLite sorts (state/store/memory_file.h), against one array. */
#include "state/store/memory_file.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 18, STEPS = 2000, LARGEST = 1 << 17 };

static uint32_t next(uint32_t *mix)
{
    *mix = *mix * 1664525 + 1013904223;
    return *mix >> 8;
}

static void check_read(sqlite3_file *file, const unsigned char *expected, int64_t size, int64_t offset, int n)
{
    unsigned char *bytes = malloc((size_t)n);
    memset(bytes, 1, (size_t)n);
    int rc = file->pMethods->xRead(file, bytes, n, offset);
    assert_int_equal(rc, offset + n <= size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ);
    assert_memory_equal(bytes, expected + offset, (size_t)n);
    free(bytes);
}

/* Writes over pieces and beyond the end, cuts, and reads, also beyond the end: what is not there is zero. */
static void test_reads_what_was_written(void **state)
{
    static unsigned char expected[MOST + LARGEST], bytes[LARGEST];
    sqlite3_file *file = calloc(1, (size_t)kanon__memory_file_size());
    sqlite3_int64 size = 0, told;
    uint32_t mix = 7;
    (void)state;
    kanon__memory_file_open(file);
    for (int i = 0; i < STEPS; i++) {
        int64_t offset = next(&mix) % MOST;
        int n = 1 + (int)(next(&mix) % (i % 10 == 0 ? LARGEST : 5000));
        if (i % 50 == 49) {
            offset = offset < size ? offset : size;
            assert_int_equal(file->pMethods->xTruncate(file, offset), SQLITE_OK);
            memset(expected + offset, 0, sizeof expected - (size_t)offset);
            size = offset;
        } else if (i % 2 == 0) {
            memset(bytes, (int)(next(&mix) % 255 + 1), (size_t)n);
            assert_int_equal(file->pMethods->xWrite(file, bytes, n, offset), SQLITE_OK);
            memcpy(expected + offset, bytes, (size_t)n);
            size = offset + n > size ? offset + n : size;
        }
        check_read(file, expected, size, next(&mix) % MOST, 1 + (int)(next(&mix) % LARGEST));
        assert_int_equal(file->pMethods->xFileSize(file, &told), SQLITE_OK);
        assert_int_equal(told, size);
    }
    assert_int_equal(file->pMethods->xClose(file), SQLITE_OK);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads_what_was_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
