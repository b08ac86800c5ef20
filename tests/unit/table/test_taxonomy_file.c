/* Taxonomy files: what is read, and every problem a file can have. */
#include "unit/taxonomy_helpers.h"

#include <kanon_arrow.h>
#include <unistd.h>

/* ---- good files -------------------------------------------------------------------------------------------------- */

static void repeated_neighbours_are_one_node(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of("Male;Male;*\nFemale;Female;*\nAgender;Other;*\nUnknown;*;*\n");
    assert_int_equal(t->n_nodes, 6);
    assert_int_equal(t->n_leaves, 4);
    assert_int_equal(t->parent[node(t, "Male")], 0);
    assert_int_equal(t->parent[node(t, "Unknown")], 0);
    assert_int_equal(t->height[0], 2);
    kanon__taxonomy_free(t);
}

static void a_line_given_twice_counts_once(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of("a;x;*\nb;x;*\na;x;x;*\na;x;*;*\n");
    assert_int_equal(t->n_leaves, 2);
    assert_int_equal(t->n_nodes, 4);
    kanon__taxonomy_free(t);
}

static void csv_in_all_its_forms_is_read(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of("\xef\xbb\xbf"
                                     "a,x,*\r\n\"b, \"\"2\"\"\",x,*\r\n\"c\nd\",*\r\n\r\n");
    assert_int_equal(t->n_leaves, 3);
    assert_int_equal(leaf(t, "b, \"2\""), 1);
    assert_int_equal(leaf(t, "c\nd"), 2);
    assert_sound(t);
    kanon__taxonomy_free(t);
    t = taxonomy_of("a,1;x;*\nb;x;*"); /* a semicolon wins, so that commas can be part of names */
    assert_int_equal(leaf(t, "a,1"), 0);
    kanon__taxonomy_free(t);
}

/* The first mention decides the order, wherever the other lines stand. */
static void children_keep_the_order_of_their_first_mention(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of("z;q;*\ny;p;*\nx;q;*\nw;*\nv;p;*\n");
    static const char *const order[] = {"z", "x", "y", "v", "w"};
    for (int32_t l = 0; l < 5; l++)
        assert_int_equal(leaf(t, order[l]), l);
    assert_sound(t);
    kanon__taxonomy_free(t);
}

/* ---- bad files --------------------------------------------------------------------------------------------------- */

static void assert_told(const char *text, const char *message, const char *hint)
{
    kanon__tree *tree = (kanon__tree *)&message;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(parse(&tree, text, &err), KANON_EDATA);
    assert_null(tree);
    assert_int_equal(err.status, KANON_EDATA);
    assert_string_equal(err.message, message);
    assert_string_equal(err.hint, hint);
}

static void every_problem_is_told_with_its_line(void **state)
{
    (void)state;
    assert_told("a;x;*\nb;;*\n", "t.csv:2: column 2: empty cell",
                "give the cell a name or leave it out: lines may have different lengths");
    assert_told("a;x;*\n\nb;x;*\n", "t.csv:2: column 1: empty cell",
                "give the cell a name or leave it out: lines may have different lengths");
    assert_told("\na;x;*\n", "t.csv:1: column 1: empty cell",
                "give the cell a name or leave it out: lines may have different lengths");
    assert_told("a;x;*\nb;;*\nb;y;*\n", "t.csv:2: column 2: empty cell", /* and nothing about the path of b */
                "give the cell a name or leave it out: lines may have different lengths");
    assert_told("a;x;*\nb;x;*\nc;x;y\n", "t.csv:3: column 3: the line does not end in the common root",
                "let every line end in the same name, that of the root");
    assert_told("a;x;*\nb;x;*\nc\n", "t.csv:3: column 1: the line does not end in the common root",
                "let every line end in the same name, that of the root");
    assert_told("a;x;*\n*\n", "t.csv:2: column 1: the line has no value below the root",
                "write one line per value: value;parent;...;root");
    assert_told("*\n", "t.csv:1: column 1: the line has no value below the root",
                "write one line per value: value;parent;...;root");
    assert_told("*;*;*\n", "t.csv:1: column 1: the line has no value below the root",
                "write one line per value: value;parent;...;root");
    assert_told("a;x;y;x;*\n", "t.csv:1: column 4: the name comes twice on the line",
                "let each line go up from the value: value;parent;...;root");
    assert_told("b;*\na;*;y;*\n", "t.csv:2: column 4: the name comes twice on the line",
                "let each line go up from the value: value;parent;...;root");
    assert_told("a;x;*\nb;x;*\na;y;*\n", "t.csv:3: column 1: the leaf has another path on line 1",
                "give every value one path to the root");
    assert_told("a;x;*\nb;x;*\na;*\n", "t.csv:3: column 1: the leaf has another path on line 1",
                "give every value one path to the root");
    assert_told("a;x;y;*\nb;x;z;*\n", "t.csv:2: column 2: the name has another parent on line 1",
                "let both lines name the same parent, or use different names");
    assert_told("x;*\na;x;*\nb;x;*\n", "t.csv:1: column 1: the leaf has other values below it on line 2",
                "give the node above them another name");
    assert_told("a;x;*\nb;x;*\nx;*\n", "t.csv:3: column 1: the leaf has other values below it on line 1",
                "give the node above them another name");
}

static void the_odd_line_is_blamed(void **state)
{
    (void)state;
    assert_told("a;x;+\nb;x;*\nc;x;*\n", "t.csv:1: column 3: the line does not end in the common root",
                "let every line end in the same name, that of the root");
    assert_told("a;x;y;*\nb;x;z;*\nc;x;z;*\n", "t.csv:1: column 2: the name has another parent on line 3",
                "let both lines name the same parent, or use different names");
}

static void all_problems_are_told_at_once(void **state)
{
    (void)state;
    assert_told("a;x;*\nb;x;+\nc;;*\na;y;*\nd;x;*\n",
                "t.csv:2: column 3: the line does not end in the common root (and 2 more: line 3: empty cell, line 4: the "
                "leaf has another path on line 1)",
                "let every line end in the same name, that of the root");
    assert_told("a;x;*\nb;;;*\nc;x;*\n", "t.csv:2: column 2: empty cell (and 1 more: line 2: empty cell)",
                "give the cell a name or leave it out: lines may have different lengths");
    assert_told("a\nb\nc\n",
                "t.csv:1: column 1: the line has no value below the root (and 2 more: line 2: the line does not end in the "
                "common root, line 3: the line does not end in the common root)",
                "write one line per value: value;parent;...;root");
    /* one is the parent of the other, and the other way round */
    assert_told("a;x;y;*\nb;y;x;*\n",
                "t.csv:2: column 2: the name has another parent on line 1 (and 1 more: line 2: the name has another parent "
                "on line 1)",
                "let both lines name the same parent, or use different names");
}

static void broken_csv_is_told_by_its_reader(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n\n", "\"a;b\n", "a\"b;*\n", "a;\xff;*\n", "\"a\"b;*\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kanon__tree *tree = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(parse(&tree, texts[i], &err), KANON_EDATA);
        assert_null(tree);
        assert_memory_equal(err.message, "t.csv:", 6);
    }
}

/* However many problems, however long the path: one terminated line without a value in it. */
static void long_lists_are_cut(void **state)
{
    (void)state;
    enum { N_LINES = 3000 };
    char *text = malloc(N_LINES * 32), path[2000];
    size_t n = (size_t)sprintf(text, "ok;secret;*\nfine;secret;*\n");
    for (int i = 0; i < N_LINES; i++)
        n += (size_t)sprintf(text + n, i % 2 ? "v%d;;*\n" : "v%d;secret;root%d\n", i, i);
    for (size_t length = 1; length < sizeof path; length += 37) {
        kanon__tree *tree = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        memset(path, 'p', length);
        path[length] = '\0';
        kanon__input input = in_memory(path, text, n);
        assert_int_equal(kanon__tree_parse(&tree, &input, &err), KANON_EDATA);
        assert_true(strlen(err.message) < sizeof err.message);
        assert_null(strstr(err.message, "secret"));
        assert_null(strstr(err.message, "v1"));
        if (length > 200)
            continue;
        const char *list = strstr(err.message, " (and 2999 more: line 4: empty cell, line 5: ");
        assert_non_null(list);
        int n_listed = 0;
        for (const char *at = list; (at = strstr(at, " line ")) != NULL; at++)
            n_listed += at[6] >= '0' && at[6] <= '9';
        assert_in_range(n_listed, 7, 9);
        assert_string_equal(err.message + strlen(err.message) - 6, ", ...)");
    }
    free(text);
}

/* ---- size -------------------------------------------------------------------------------------------------------- */

static void wide_files_are_read(void **state)
{
    (void)state;
    enum { N_LEAVES = 200000 };
    char *text = malloc(N_LEAVES * 32);
    size_t n = 0;
    for (int i = 0; i < N_LEAVES; i++)
        n += (size_t)sprintf(text + n, "v%d;g%d;h%d;*\n", i, i / 10, i / 1000);
    kanon__input input = in_memory("wide.csv", text, n);
    kanon__tree *tree = NULL;
    assert_int_equal(kanon__tree_parse(&tree, &input, NULL), KANON_OK);
    free(text);
    kanon__taxonomy *t = finish(tree, NULL);
    assert_int_equal(t->n_leaves, N_LEAVES);
    assert_int_equal(t->n_nodes, N_LEAVES + N_LEAVES / 10 + N_LEAVES / 1000 + 1);
    assert_lca(t, "v123450", "v123459", "g12345", 1);
    assert_lca(t, "v123000", "v123999", "h123", 2);
    assert_lca(t, "v0", "v199999", "*", 3);
    kanon__taxonomy_free(t);
}

/* Two leaves at the end of 10,000 shared nodes, and one that leaves half-way. */
static void deep_files_are_read(void **state)
{
    (void)state;
    enum { DEPTH = 10000 };
    char *text = malloc(3 * DEPTH * 8);
    size_t n = 0;
    for (int line = 0; line < 3; line++) {
        n += (size_t)sprintf(text + n, "leaf%d", line);
        for (int depth = line == 2 ? DEPTH / 2 : DEPTH - 1; depth >= 0; depth--)
            n += (size_t)sprintf(text + n, ";%d", depth);
        text[n++] = '\n';
    }
    kanon__input input = in_memory("deep.csv", text, n);
    kanon__tree *tree = NULL;
    assert_int_equal(kanon__tree_parse(&tree, &input, NULL), KANON_OK);
    free(text);
    kanon__taxonomy *t = finish(tree, NULL);
    assert_int_equal(t->height[0], DEPTH);
    assert_lca(t, "leaf0", "leaf1", "9999", 1);
    assert_lca(t, "leaf0", "leaf2", "5000", 5000);
    kanon__taxonomy_free(t);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static kanon_status try_file(const void *payload, kanon_error *err)
{
    kanon__tree *tree = (kanon__tree *)&payload;
    kanon_status st = parse(&tree, payload, err);
    if (st == KANON_OK)
        return finish_attempt(tree, err);
    assert_null(tree);
    return st;
}

static kanon_status try_path(const void *payload, kanon_error *err)
{
    kanon__tree *tree = (kanon__tree *)&payload;
    kanon_status st = kanon__tree_read(&tree, payload, err);
    if (st == KANON_OK)
        return finish_attempt(tree, err);
    assert_null(tree);
    return st;
}

static void a_file_is_read_from_its_path(void **state)
{
    (void)state;
    char dir[] = "/tmp/kanon-taxonomy-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/t.csv", dir);
    assert_int_equal(try_path(path, NULL), KANON_EIO);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(DISEASE, file);
    fclose(file);
    assert_survives(try_path, path, KANON_OK);
    unlink(path);
    rmdir(dir);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char large[8192];
    size_t n = 0;
    for (int i = 0; i < 200; i++)
        n += (size_t)sprintf(large + n, "\"v\"\"%d\";g%d;h;*\n", i, i / 10);
    assert_survives(try_file, DISEASE, KANON_OK);
    assert_survives(try_file, large, KANON_OK);
    assert_survives(try_file, "a;x;*\nb;;*\nc;x;+\na;y;*\nx;*\n", KANON_EDATA);
}

static int n_released;

static void release_stream(struct ArrowArrayStream *stream)
{
    n_released++;
    stream->release = NULL;
}

/* A stream is the library's once it is handed over, also where nothing has come of it yet. */
static void the_stream_of_a_call_that_fails_is_released(void **state)
{
    (void)state;
    const kanon_column_options column = {.struct_size = sizeof column, .column = "a"};
    kanon_taxonomy *taxonomy;
    kanon_taxonomy_check *check;
    for (int i = 0; i < 3; i++) {
        struct ArrowArrayStream stream = {.release = release_stream};
        kanon_status st = i == 0 ? kanon_taxonomy_check_read(&check, KANON_BYTES("", 0), KANON_TAXONOMY_YAML,
                                                             KANON_STREAM(&stream), &column, NULL, NULL)
                                 : kanon_taxonomy_build(&taxonomy, KANON_STREAM(&stream), &column,
                                                        i == 1 ? (kanon_taxonomy_method)99 : KANON_TAXONOMY_BANDS, "", NULL,
                                                        NULL);
        assert_int_not_equal(st, KANON_OK);
        assert_int_equal(n_released, i + 1);
        assert_null(stream.release);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_neighbours_are_one_node),
        cmocka_unit_test(a_line_given_twice_counts_once),
        cmocka_unit_test(csv_in_all_its_forms_is_read),
        cmocka_unit_test(children_keep_the_order_of_their_first_mention),
        cmocka_unit_test(a_file_is_read_from_its_path),
        cmocka_unit_test(every_problem_is_told_with_its_line),
        cmocka_unit_test(the_odd_line_is_blamed),
        cmocka_unit_test(all_problems_are_told_at_once),
        cmocka_unit_test(broken_csv_is_told_by_its_reader),
        cmocka_unit_test(long_lists_are_cut),
        cmocka_unit_test(wide_files_are_read),
        cmocka_unit_test(deep_files_are_read),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_stream_of_a_call_that_fails_is_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
