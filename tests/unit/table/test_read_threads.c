/* A table is read in parts on several threads: the same codes, the same marks that fit the file and the same errors with any
 * number of them, however quotes and line breaks lie around the cuts. */
#include "core/random.h"
#include "support.h"
#include "table/read/csv_source.h"
#include "table/read/table.h"

static const int thread_counts[] = {1, 2, 3, 8};
enum { N_COUNTS = 4, TEXT_BYTES = 2200000, SMALL_BYTES = 700000 };

static const char yaml[] = "missing: [\"\", \"?\"]\n"
                           "entity: who\n"
                           "attributes:\n"
                           "  who: {role: identifying}\n"
                           "  age: {role: quasi, type: integer}\n"
                           "  job: {role: quasi}\n"
                           "  note: {role: insensitive}\n"
                           "  ill: {role: sensitive}\n"
                           "  pay: {role: sensitive, type: decimal}\n";

/* A cell in quotes; `wild`: with much in it that is text only because of them. */
static void put_quoted(FILE *file, kanon__random *random, bool wild, int64_t longest)
{
    static const char calm[] = "abc xyz", storm[] = "a,\n\n\r\"\"\",b";
    fputc('"', file);
    for (int64_t n = kanon__random_below(random, longest); n > 0; n--) {
        char c = wild ? storm[kanon__random_below(random, sizeof storm - 1)]
                      : calm[kanon__random_below(random, sizeof calm - 1)];
        fputc(c, file);
        if (c == '"')
            fputc(c, file);
    }
    fputc('"', file);
}

/* Kinds: 0 plain, 1 quoted cells, 2 quotes and line breaks all over, 3 cells longer than a part. */
static char *make_text(uint64_t seed, int kind, size_t size)
{
    kanon__random random;
    char *text = NULL;
    size_t used = 0;
    FILE *file = open_memstream(&text, &used);
    const char *line_end = kind == 1 ? "\r\n" : "\n";
    kanon__random_init(&random, seed, (uint64_t)kind);
    fprintf(file, "who,age,job,note,ill,pay%s", line_end);
    for (int row = 0; ftell(file) < (long)size; row++) {
        fprintf(file, "p%lld,%lld,", (long long)kanon__random_below(&random, 3000),
                (long long)kanon__random_below(&random, 300));
        if (kind == 0)
            fprintf(file, "j%lld,,", (long long)(row / 100));
        else
            put_quoted(file, &random, kind >= 2, 4);
        if (kind > 0)
            fputc(',', file);
        if (kind > 0)
            put_quoted(file, &random, kind >= 2, kind == 3 && row % 500 == 300 ? 900000 : 60);
        if (kind > 0)
            fputc(',', file);
        fprintf(file, "\xc3\xa4%d,%lld.%02d%s", row % 5, (long long)kanon__random_below(&random, row / 2 + 5), row % 100,
                line_end);
    }
    assert_int_equal(fclose(file), 0);
    return text;
}

static kanon_status read_with(kanon_table **out, const char *text, int threads, kanon_error *err)
{
    kanon_read_options options = {.struct_size = sizeof options, .threads = threads};
    return read_table(out, yaml, text, &options, err);
}

static void assert_same_codes(kanon__codes a, kanon__codes b, int64_t n)
{
    assert_int_equal(a.width, b.width);
    for (int64_t row = 0; row < n; row++)
        assert_int_equal(kanon__code_at(a, row), kanon__code_at(b, row));
}

static void assert_same_table(const kanon_table *a, const kanon_table *b)
{
    assert_int_equal(a->data.n_rows, b->data.n_rows);
    assert_int_equal(a->data.n_entities, b->data.n_entities);
    assert_same_codes(a->data.entity_codes, b->data.entity_codes, a->data.n_rows);
    for (int i = 0; i < a->data.n_columns; i++) {
        const kanon__column *left = &a->data.columns[i], *right = &b->data.columns[i];
        if (left->domain == NULL)
            continue;
        assert_int_equal(left->domain->n_codes, right->domain->n_codes);
        assert_int_equal(left->domain->missing_code, right->domain->missing_code);
        assert_same_codes(left->codes, right->codes, a->data.n_rows);
        for (uint32_t code = 0; code < left->domain->n_codes; code++) {
            size_t n_left, n_right;
            const char *one = kanon__column_text(left, code, &n_left), *other = kanon__column_text(right, code, &n_right);
            assert_int_equal(n_left, n_right);
            assert_memory_equal(one, other, n_left);
        }
    }
}

/* Every mark is where its row begins, the first is that of row 0, and none is far from the next but for one long row. */
static void assert_marks_fit(const kanon_table *t)
{
    kanon__csv csv;
    kanon_error err = KANON_INIT(kanon_error);
    bool has_row = true;
    int64_t mark = 0;
    const kanon__csv_source *s = (const kanon__csv_source *)t->source;
    assert_done(kanon__csv_open(&csv, &s->input, &s->options, &err), &err);
    for (int64_t row = 0; has_row; row++) {
        if (mark < s->n_marks && s->marks[mark].row == row)
            assert_int_equal(s->marks[mark++].position, csv.position);
        assert_true(mark > 0);
        if (csv.position - s->marks[mark - 1].position > 1 << 18)
            assert_true(row <= s->marks[mark - 1].row + 1 || mark == s->n_marks);
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
    }
    assert_int_equal(mark, s->n_marks);
    kanon__csv_close(&csv);
}

static void tables_do_not_depend_on_threads(void **state)
{
    uint64_t seed = test_seed();
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *alone = NULL;
        char *text = make_text(seed, kind, TEXT_BYTES);
        assert_done(read_with(&alone, text, 1, &err), &err);
        assert_marks_fit(alone);
        for (int c = 1; c < N_COUNTS; c++) {
            kanon_table *together = NULL;
            assert_done(read_with(&together, text, thread_counts[c], &err), &err);
            assert_same_table(alone, together);
            assert_marks_fit(together);
            kanon_table_free(together);
        }
        kanon_table_free(alone);
        free(text);
    }
}

/* A byte or two become something else; most often that is an error, and a quote turns the rest of the file inside out. */
static void spoil(char *text, kanon__random *random)
{
    static const char bad[] = "\"\"\"\"\n,\xff";
    size_t length = strlen(text), header = (size_t)(strchr(text, '\n') - text) + 1;
    for (int64_t n = 1 + kanon__random_below(random, 2); n > 0; n--) {
        size_t at = header + (size_t)kanon__random_below(random, (int64_t)(length - header));
        text[at] = text[at] == '"' ? 'x' : bad[kanon__random_below(random, sizeof bad - 1)];
    }
}

static void errors_do_not_depend_on_threads(void **state)
{
    uint64_t seed = test_seed();
    int n_errors = 0;
    (void)state;
    for (int round = 0; round < 36; round++) {
        kanon__random random;
        kanon__random_init(&random, seed, 100 + (uint64_t)round);
        kanon_error alone = KANON_INIT(kanon_error);
        kanon_table *table = NULL, *other = NULL;
        char *text = make_text(seed, round % 3, SMALL_BYTES);
        spoil(text, &random);
        kanon_status st = read_with(&table, text, 1, &alone);
        n_errors += st != KANON_OK;
        for (int c = 1; c < N_COUNTS; c++) {
            kanon_error together = KANON_INIT(kanon_error);
            assert_int_equal(read_with(&other, text, thread_counts[c], &together), st);
            assert_string_equal(together.message, alone.message);
            assert_string_equal(together.hint, alone.hint);
            if (st == KANON_OK)
                assert_same_table(table, other);
            kanon_table_free(other);
        }
        kanon_table_free(table);
        free(text);
    }
    print_message("%d errors\n", n_errors);
    assert_true(n_errors > 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_do_not_depend_on_threads),
        cmocka_unit_test(errors_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
