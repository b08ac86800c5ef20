/* The reader of certificates: what is JSON and what is not, what is kept, and a lack of memory, which is told as such. */
#include "core/alloc.h"
#include "support.h"
#include "verify/certificate_file.h"

static bool is_valid(const char *text, size_t size, kanon__certificate_file *file)
{
    kanon_error err = KANON_INIT(kanon_error);
    bool valid;
    char *exact = malloc(size + 1); /* with nothing behind it that the reader could run into */
    memcpy(exact, text, size);
    assert_done(kanon__certificate_file_read(file, &valid, exact, size, &err), &err);
    free(exact);
    return valid;
}

static void json_or_not(void **state)
{
    static const char *const good[] = {
        "{}",
        " { } ",
        "{\"x\":1}",
        "{\"x\":-0}",
        "{\"x\":[]}",
        "{\"x\":{}}",
        "{\"x\":[1,[2,{\"y\":null}]]}",
        "{\"x\":true,\"y\":false,\"z\":null}",
        "{\"x\":\"\\u00e9\\n\\\"\"}",
        "{\"x\":1.5e+3,\"y\":2E-1,\"z\":3e2}",
        "{\"prices\":[]}",
        "{\"prices\":[1, 2.5, \"x\", []]}",
        "{\"prices\":7}",
        "{\"k\":\"3\"}",
        "{\"table_sha256\":5}",
        "{\"x\":1,\"x\":2}",
        "{\"x\":\"\\u00AF\"}",
        "{\"x\":-9223372036854775809}",
        "{\"x\":0.5}",
        "{\"table_sha256\":\"short\"}",
    };
    static const char *const bad[] = {
        "",
        " ",
        "[]",
        "{",
        "{}x",
        "{x:1}",
        "{\"x\"}",
        "{\"x\":}",
        "{\"x\":1,}",
        "{\"x\":1 \"y\":2}",
        "{\"x\":01}",
        "{\"x\":-}",
        "{\"x\":1.}",
        "{\"x\":1e}",
        "{\"x\":1e+}",
        "{\"x\":.5}",
        "{\"x\":+1}",
        "{\"x\":nul}",
        "{\"x\":True}",
        "{\"x\":\"\\q\"}",
        "{\"x\":\"\\u12g4\"}",
        "{\"x\":\"\\u12",
        "{\"x\":\"\\",
        "{\"x\":\"a",
        "{\"x\":\"\n\"}",
        "{\"x\":[1}",
        "{\"x\":[1,]}",
        "{\"x\":{\"y\":1]}",
        "{\"prices\":[1,]}",
        "{\"prices\":[1",
        "{\"prices\":[-]}",
        "{\"k\":3,\"k\":3}",
        "{\"prices\":[],\"prices\":[]}",
        "{\"x\":{y:1}}",
        "{\"x\":{\"y\" 1}}",
        "{\"x\":t",
        "{\"x\":\"\\u00 0\"}",
        "{\"x\":\"\\u00G0\"}",
        "{\"x\":\"\\u00`0\"}",
        "{\"x\":1.5",
        "{\"x\":1e",
        "{\"x\":0",
        "{\"x\":-/}",
        "{\"x\":-:}",
        "{\"x\":1.:}",
        "{\"k\":",
        "{\"table_sha256\":",
    };
    (void)state;
    kanon__certificate_file file;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!is_valid(good[i], strlen(good[i]), &file))
            fail_msg("refused: %s", good[i]);
        kanon__certificate_file_clear(&file);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (is_valid(bad[i], strlen(bad[i]), &file))
            fail_msg("accepted: %s", bad[i]);
        kanon__certificate_file_clear(&file);
    }
}

static void nesting_has_an_end(void **state)
{
    char text[300];
    kanon__certificate_file file;
    (void)state;
    for (int depth = 63; depth <= 65; depth++) {
        strcpy(text, "{\"x\":");
        for (int i = 0; i < depth; i++)
            strcat(text, "[");
        for (int i = 0; i < depth; i++)
            strcat(text, "]");
        strcat(text, "}");
        assert_int_equal(is_valid(text, strlen(text), &file), depth <= 64);
        kanon__certificate_file_clear(&file);
    }
}

static void what_is_kept(void **state)
{
    static const char text[] = "{\"certificate\": \"x\", \"format\": 1, \"table_sha256\": "
                               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\",\r\n"
                               "\t\"records\": 3, \"k\": 2.0, \"scale\": 9223372036854775808, "
                               "\"price_sum\": -9223372036854775808, \"prices\": [-4, 0, 9223372036854775807]}\n";
    kanon__certificate_file file;
    (void)state;
    assert_true(is_valid(text, strlen(text), &file));
    assert_true(file.format.given && file.format.value == 1);
    assert_true(file.records.given && file.records.value == 3);
    assert_false(file.k.given);     /* not whole */
    assert_false(file.scale.given); /* more than 63 bits */
    assert_true(file.price_sum.given && file.price_sum.value == INT64_MIN);
    assert_int_equal(strlen(file.table_sha256), 64);
    assert_true(file.has_prices && file.whole_prices && file.n_prices == 3);
    assert_true(file.prices[0] == -4 && file.prices[1] == 0 && file.prices[2] == INT64_MAX);
    kanon__certificate_file_clear(&file);
    assert_true(is_valid("{\"prices\": [1, 1.5]}", 20, &file));
    assert_true(file.has_prices && !file.whole_prices && file.n_prices == 2);
    kanon__certificate_file_clear(&file);
}

static void no_memory_is_told(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__certificate_file file;
    bool valid = true;
    (void)state;
    kanon__alloc_fail_at(1, false);
    kanon_status st = kanon__certificate_file_read(&file, &valid, "{\"prices\": [1]}", 15, &err);
    kanon__alloc_fail_at(0, false);
    assert_int_equal(st, KANON_ENOMEM);
    assert_false(valid);
    kanon__certificate_file_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_or_not),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(what_is_kept),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
