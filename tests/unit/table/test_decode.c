/* Encodings and packed files from memory, as hosts hand them over: table/text/decode.h. */
#include "support.h"

#include "core/alloc.h"
#include "core/random.h"
#include "table/text/decode.h"

#include <stdlib.h>
#include <string.h>

typedef struct sample {
    const char *bytes;
    size_t size;
    const char *encoding;
} sample;

#define SAMPLE(text, encoding)                                                                                              \
    {                                                                                                                       \
        text, sizeof text - 1, encoding                                                                                     \
    }

/* "a,é\n1,2\n" in every encoding, found or said. */
static const sample samples[] = {
    SAMPLE("a,\xc3\xa9\n1,2\n", NULL),
    SAMPLE("a,\xc3\xa9\n1,2\n", "UTF-8"),
    SAMPLE("a,\xe9\n1,2\n", NULL),
    SAMPLE("a,\xe9\n1,2\n", "latin1"),
    SAMPLE("a,\xe9\n1,2\n", "ISO-8859-1"),
    SAMPLE("a,\xe9\n1,2\n", "cp1252"),
    SAMPLE("\xff\xfe"
           "a\0,\0\xe9\0\n\0"
           "1\0,\0"
           "2\0\n\0",
           NULL),
    SAMPLE("\xfe\xff\0a\0,\0\xe9\0\n\0"
           "1\0,\0"
           "2\0\n",
           NULL),
    SAMPLE("a\0,\0\xe9\0\n\0"
           "1\0,\0"
           "2\0\n\0",
           NULL),
    SAMPLE("\0a\0,\0\xe9\0\n\0"
           "1\0,\0"
           "2\0\n",
           NULL),
    SAMPLE("a\0,\0\xe9\0\n\0"
           "1\0,\0"
           "2\0\n\0",
           "utf-16"),
    SAMPLE("\0a\0,\0\xe9\0\n\0"
           "1\0,\0"
           "2\0\n",
           "UTF_16BE"),
};

static kanon_status decode(kanon__input *input, const sample *s, kanon_error *err)
{
    kanon_status st = kanon__input_from_bytes(input, "t.csv", s->bytes, s->size, NULL, err);
    return st == KANON_OK ? kanon__input_decode(input, s->encoding, NULL, err) : st;
}

static void every_encoding(void **state)
{
    static const char expected[] = "a,\xc3\xa9\n1,2\n";
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        kanon__input input = {0};
        kanon_error err = KANON_INIT(kanon_error);
        assert_done(decode(&input, &samples[i], &err), &err);
        if (input.size != sizeof expected - 1 || memcmp(input.bytes, expected, input.size) != 0)
            fail_msg("sample %d", (int)i);
        kanon__input_close(&input);
    }
}

static void pairs_of_surrogates(void **state)
{
    static const sample good = SAMPLE("\xff\xfe"
                                      "\x3d\xd8\x00\xde"
                                      "\n\0",
                                      NULL); /* U+1F600 */
    static const sample bad[] = {SAMPLE("\xff\xfe"
                                        "\x3d\xd8"
                                        "\n\0",
                                        NULL),
                                 SAMPLE("\xff\xfe"
                                        "\x00\xde"
                                        "\n\0",
                                        NULL),
                                 SAMPLE("\xff\xfe"
                                        "\n\0\x3d\xd8",
                                        NULL),
                                 SAMPLE("\xff\xfe"
                                        "\n",
                                        NULL)};
    kanon__input input = {0};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_done(decode(&input, &good, &err), &err);
    assert_int_equal(input.size, 5);
    assert_memory_equal(input.bytes, "\xf0\x9f\x98\x80\n", 5);
    kanon__input_close(&input);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(decode(&input, &bad[i], &err), KANON_EDATA);
        assert_string_equal(err.message, "t.csv: not UTF-16LE");
        assert_string_equal(err.topic, "encoding");
        kanon__input_close(&input);
    }
}

/* Whatever the bytes: an answer, and a text without half characters where an encoding was found. */
static void any_bytes(void **state)
{
    (void)state;
    kanon__random random;
    kanon__random_init(&random, 7, 0);
    for (int round = 0; round < 3000; round++) {
        static const char *const begins[] = {"",       "\x1f\x8b\x08", "\x28\xb5\x2f\xfd", "\xff\xfe", "\xfe\xff",
                                             "PK\3\4", "a,b\n"};
        char bytes[80];
        size_t begin = (size_t)kanon__random_below(&random, 7), n = strlen(begins[begin]);
        memcpy(bytes, begins[begin], n);
        for (size_t more = (size_t)kanon__random_below(&random, 60); more > 0; more--)
            bytes[n++] = (char)kanon__random_below(&random, 256);
        sample s = {bytes, n, NULL};
        kanon__input input = {0};
        kanon_error err = KANON_INIT(kanon_error);
        kanon_status st = decode(&input, &s, &err);
        assert_true(st == KANON_OK || st == KANON_EDATA);
        assert_true(st == KANON_OK || err.message[0] != '\0');
        kanon__input_close(&input);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        kanon_status st = KANON_ENOMEM;
        for (int64_t n = 1; st == KANON_ENOMEM; n++) {
            kanon__input input = {0};
            kanon__alloc_fail_at(n, false);
            st = decode(&input, &samples[i], NULL);
            kanon__alloc_fail_at(0, false);
            kanon__input_close(&input);
        }
        assert_int_equal(st, KANON_OK);
    }
}

/* The same for a whole table with dates, decimal commas, codes and warnings. */
static void tables_without_memory(void **state)
{
    static const char bytes[] = "d;n;z;\xe9\n31.12.1999;1.234,5;01067;a\n01.01.2000;2,5;80331;b\n";
    (void)state;
    kanon_status st = KANON_ENOMEM;
    for (int64_t n = 1; st == KANON_ENOMEM; n++) {
        kanon_table *table = NULL;
        kanon_schema *schema = NULL;
        assert_int_equal(kanon_schema_new(&schema, NULL, NULL), KANON_OK);
        assert_int_equal(kanon_schema_set(schema, NULL, "default-role", "quasi", NULL), KANON_OK);
        kanon__alloc_fail_at(n, false);
        st = kanon_table_read(&table, KANON_BYTES_AS(bytes, sizeof bytes - 1, "t.csv"), schema, NULL, NULL);
        kanon__alloc_fail_at(0, false);
        if (st == KANON_OK) {
            assert_int_equal(kanon_table_column_at(table, 0)->type, KANON_TYPE_DATE);
            assert_int_equal(kanon_table_column_at(table, 1)->type, KANON_TYPE_DECIMAL);
            assert_int_equal(kanon_table_column_at(table, 2)->type, KANON_TYPE_CATEGORICAL);
            assert_string_equal(kanon_table_column_at(table, 3)->name, "\xc3\xa9");
        }
        kanon_table_free(table);
        kanon_schema_free(schema);
    }
    assert_int_equal(st, KANON_OK);
}

static void setters_say_what_is_wrong(void **state)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_int_equal(kanon_schema_new(&schema, NULL, NULL), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, "d", "format", "%d.%m", &err), KANON_EINVAL);
    assert_string_equal(err.message, "column 'd': not a format of dates");
    assert_int_equal(kanon_schema_set(schema, "d", "format", "%d.%m.%Y", &err), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, "d", "format", NULL, &err), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, NULL, "decimal", ",", &err), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, NULL, "thousands", ",", &err), KANON_EINVAL);
    assert_string_equal(err.message, "thousands: not a separator of numbers");
    assert_string_equal(err.hint, "thousands have another separator than decimals");
    assert_int_equal(kanon_schema_set(schema, "n", "decimal", ",", &err), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, "n", "thousands", ".", &err), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, NULL, "encoding", "ebcdic", &err), KANON_EINVAL);
    assert_string_equal(err.message, "encoding: not an encoding");
    assert_int_equal(kanon_schema_set(schema, NULL, "encoding", "latin-1", &err), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, NULL, "header", "perhaps", &err), KANON_EINVAL);
    assert_string_equal(err.message, "header: there is no such word");
    assert_int_equal(kanon_schema_set(schema, NULL, "header", "no", &err), KANON_OK);
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding),
        cmocka_unit_test(pairs_of_surrogates),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(tables_without_memory),
        cmocka_unit_test(setters_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
