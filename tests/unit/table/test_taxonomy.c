/* Taxonomies: numbering, lowest common ancestors, masks, missing values. */
#include "core/random.h"
#include "table/value/number.h"

#include "unit/taxonomy_helpers.h"

enum { SEED = 41076 };

/* ---- trees of values --------------------------------------------------------------------------------------------- */

/* The values end with a NULL. */
static void fill(kanon__dictionary *values, const char *const *texts)
{
    uint32_t code;
    assert_int_equal(kanon__dictionary_init(values, NULL), KANON_OK);
    for (; *texts != NULL; texts++)
        assert_int_equal(kanon__dictionary_add(values, &code, *texts, strlen(*texts), NULL), KANON_OK);
}

typedef enum shape { FLAT, MASK_RIGHT, MASK_LEFT } shape;

static kanon_status make(kanon__tree **out, shape as, const kanon__dictionary *values, kanon_error *err)
{
    return as == FLAT ? kanon__tree_flat(out, values, err) : kanon__tree_mask(out, values, as == MASK_LEFT, err);
}

static kanon__taxonomy *taxonomy_of_values(shape as, const char *const *texts, const char *extra)
{
    kanon__dictionary values;
    kanon__tree *tree = NULL;
    fill(&values, texts);
    assert_int_equal(make(&tree, as, &values, NULL), KANON_OK);
    kanon__dictionary_clear(&values);
    return finish(tree, extra);
}

/* ---- worked trees ------------------------------------------------------------------------------------------------ */

static void the_tree_of_the_header_is_numbered_as_drawn(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of(DISEASE);
    static const char *const labels[] = {"*", "Cancer", "Viral", "HIV", "Flu"};
    static const int32_t parent[] = {-1, 0, 0, 2, 2}, first[] = {0, 0, 1, 1, 2}, last[] = {2, 0, 2, 1, 2},
                         height[] = {2, 0, 1, 0, 0};
    assert_int_equal(t->n_nodes, 5);
    assert_int_equal(t->n_leaves, 3);
    for (int32_t i = 0; i < 5; i++) {
        assert_label(t, i, labels[i]);
        assert_int_equal(t->parent[i], parent[i]);
        assert_int_equal(t->first_leaf[i], first[i]);
        assert_int_equal(t->last_leaf[i], last[i]);
        assert_int_equal(t->height[i], height[i]);
    }
    assert_sound(t);
    assert_false(t->flat);
    assert_lca(t, "HIV", "Flu", "Viral", 1);
    assert_lca(t, "Cancer", "HIV", "*", 2);
    assert_lca(t, "Flu", "Flu", "Flu", 0);
    assert_int_equal(leaf(t, "Viral"), -1);
    assert_int_equal(leaf(t, "Cold"), -1);
    assert_int_equal(node(t, "Cold"), -1);
    assert_int_equal(node(t, ""), -1);
    kanon__taxonomy_free(t);
}

/* Loukides, table 1: a leaf may lie directly below the root while others are three levels down. */
static void ragged_trees_have_the_longest_way_down_as_height(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of("Cancer;Disease\nHIV;Viral;Disease\nFlu;Respiratory;Viral;Disease\n"
                                     "Bronchitis;Respiratory;Viral;Disease\nPneumonia;Respiratory;Viral;Disease\n");
    assert_int_equal(t->n_leaves, 5);
    assert_int_equal(t->height[0], 3);
    assert_lca(t, "Flu", "Pneumonia", "Respiratory", 1);
    assert_lca(t, "HIV", "Flu", "Viral", 2);
    assert_lca(t, "Cancer", "Pneumonia", "Disease", 3);
    assert_int_equal(t->last_leaf[node(t, "Viral")] - t->first_leaf[node(t, "Viral")] + 1, 4);
    assert_sound(t);
    kanon__taxonomy_free(t);
}

static void the_zip_codes_of_truta_and_lin_are_masked(void **state)
{
    (void)state;
    kanon__taxonomy *truta = taxonomy_of_values(MASK_RIGHT, (const char *const[]){"41076", "41935", "48201", NULL}, NULL);
    assert_int_equal(truta->height[0], 5);
    assert_label(truta, 0, "*****");
    assert_lca(truta, "41076", "41935", "41***", 3);
    assert_lca(truta, "41076", "48201", "4****", 4);
    assert_sound(truta);
    kanon__taxonomy_free(truta);
    kanon__taxonomy *lin = taxonomy_of_values(MASK_RIGHT, (const char *const[]){"75275", "75278", "75277", NULL}, NULL);
    assert_lca(lin, "75275", "75278", "7527*", 1);
    assert_int_equal(leaf(lin, "75275"), 0);
    assert_int_equal(leaf(lin, "75277"), 1);
    assert_int_equal(leaf(lin, "75278"), 2);
    assert_int_equal(lin->height[0], 5); /* though all share the first four */
    assert_false(lin->flat);
    kanon__taxonomy_free(lin);
}

/* ---- random trees ------------------------------------------------------------------------------------------------ */

/* Lowest common ancestor by marking all ancestors of the one and climbing from the other. */
static int32_t slow_lca(const kanon__taxonomy *t, int32_t a, int32_t b, bool *marked)
{
    memset(marked, 0, (size_t)t->n_nodes);
    for (int32_t i = t->leaf_node[a]; i >= 0; i = t->parent[i])
        marked[i] = true;
    int32_t i = t->leaf_node[b];
    while (!marked[i])
        i = t->parent[i];
    return i;
}

static void assert_heights(const kanon__taxonomy *t)
{
    int32_t *height = calloc((size_t)t->n_nodes, sizeof *height);
    for (int32_t l = 0; l < t->n_leaves; l++) {
        int32_t way = 0;
        for (int32_t i = t->leaf_node[l]; i >= 0; i = t->parent[i], way++) {
            assert_in_range(l, t->first_leaf[i], t->last_leaf[i]);
            if (height[i] < way)
                height[i] = way;
        }
    }
    assert_memory_equal(height, t->height, (size_t)t->n_nodes * sizeof *height);
    free(height);
}

/* A tree of up to 60 nodes called n0, n1, ..., some of them deep and thin. */
static kanon__tree *random_tree(kanon__random *random)
{
    kanon__tree *tree = NULL;
    int32_t added;
    char label[16] = "n0";
    int64_t n = 1 + kanon__random_below(random, 60), reach = 1 + kanon__random_below(random, 10);
    assert_int_equal(kanon__tree_new(&tree, label, NULL), KANON_OK);
    for (int64_t i = 1; i < n; i++) {
        int64_t near = i < reach ? i : reach;
        snprintf(label, sizeof label, "n%d", (int)i);
        assert_int_equal(
            kanon__tree_add(tree, &added, (int32_t)(i - 1 - kanon__random_below(random, near)), label, strlen(label), NULL),
            KANON_OK);
        assert_int_equal(added, i);
    }
    return tree;
}

/* Children keep the order in which they were added. */
static void assert_order_kept(const kanon__taxonomy *t)
{
    int64_t last_child[64] = {0};
    for (int32_t i = 1; i < t->n_nodes; i++) {
        size_t length;
        int64_t number;
        const char *label = kanon__taxonomy_label(t, i, &length);
        assert_true(kanon__parse_integer(&number, label + 1, length - 1));
        assert_true(number > last_child[t->parent[i]]);
        last_child[t->parent[i]] = number;
    }
}

static void the_lca_of_random_trees_is_that_of_ancestor_sets(void **state)
{
    (void)state;
    kanon__random random;
    print_message("seed %d\n", SEED);
    kanon__random_init(&random, SEED, 0);
    for (int round = 0; round < 300; round++) {
        bool marked[64];
        kanon__taxonomy *t = finish(random_tree(&random), NULL);
        assert_sound(t);
        assert_heights(t);
        assert_order_kept(t);
        for (int32_t lo = 0; lo < t->n_leaves; lo++)
            for (int32_t hi = lo; hi < t->n_leaves; hi++)
                assert_int_equal(kanon__taxonomy_lca(t, lo, hi), slow_lca(t, lo, hi, marked));
        kanon__taxonomy_free(t);
    }
}

/* ---- masks and flat trees ---------------------------------------------------------------------------------------- */

static void shorter_values_are_filled_up_on_the_masked_side(void **state)
{
    (void)state;
    static const char *const values[] = {"75275", "752", "7", "75299", NULL};
    kanon__taxonomy *right = taxonomy_of_values(MASK_RIGHT, values, NULL);
    assert_sound(right);
    assert_lca(right, "752", "75275", "752**", 2);
    assert_lca(right, "7", "752", "7****", 4);
    assert_lca(right, "75275", "75299", "752**", 2);
    assert_int_equal(right->height[node(right, "752*")], 1);
    assert_int_equal(right->height[node(right, "7*")], 1);
    assert_int_equal(right->height[node(right, "7***")], 3);
    for (int32_t l = 0; l < right->n_leaves; l++) { /* every leaf has H nodes above it */
        int above = 0;
        for (int32_t i = right->parent[right->leaf_node[l]]; i >= 0; i = right->parent[i])
            above++;
        assert_int_equal(above, 5);
    }
    kanon__taxonomy_free(right);
    kanon__taxonomy *left = taxonomy_of_values(MASK_LEFT, values, NULL);
    assert_sound(left);
    assert_label(left, 0, "*****");
    assert_int_equal(left->height[node(left, "*5275")], 1);
    assert_int_equal(left->height[node(left, "**752")], 2);
    assert_int_equal(left->height[node(left, "***75")], 3);
    assert_lca(left, "752", "75275", "*****", 5);
    kanon__taxonomy_free(left);
}

static void masks_from_the_left_share_endings(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of_values(MASK_LEFT, (const char *const[]){"b12", "a12", "a13", "2", NULL}, NULL);
    assert_sound(t);
    assert_lca(t, "a12", "b12", "*12", 1);
    assert_lca(t, "a12", "2", "**2", 2);
    assert_lca(t, "a12", "a13", "***", 3);
    kanon__taxonomy_free(t);
}

static void characters_not_bytes_are_masked(void **state)
{
    (void)state;
    /* two letters of two bytes, one of three, one of four */
    kanon__taxonomy *t = taxonomy_of_values(
        MASK_RIGHT, (const char *const[]){"\xc3\xa4\xc3\xb6\xe2\x82\xac", "\xc3\xa4\xc3\xb6\xf0\x9f\x98\x80", NULL}, NULL);
    assert_int_equal(t->height[0], 3);
    assert_label(t, 0, "***");
    assert_lca(t, "\xc3\xa4\xc3\xb6\xe2\x82\xac", "\xc3\xa4\xc3\xb6\xf0\x9f\x98\x80", "\xc3\xa4\xc3\xb6*", 1);
    assert_true(node(t, "\xc3\xa4**") > 0);
    assert_sound(t);
    kanon__taxonomy_free(t);
}

static void masks_of_next_to_nothing_have_a_root(void **state)
{
    (void)state;
    kanon__taxonomy *none = taxonomy_of_values(MASK_RIGHT, (const char *const[]){NULL}, "?");
    assert_int_equal(none->n_leaves, 1);
    assert_lca(none, "?", "?", "?", 0);
    assert_label(none, 0, "*");
    kanon__taxonomy_free(none);
    kanon__taxonomy *empty = taxonomy_of_values(MASK_LEFT, (const char *const[]){"", NULL}, NULL);
    assert_int_equal(empty->n_leaves, 1);
    assert_int_equal(empty->n_nodes, 2);
    assert_int_equal(leaf(empty, ""), 0);
    kanon__taxonomy_free(empty);
    kanon__taxonomy *some = taxonomy_of_values(MASK_RIGHT, (const char *const[]){"", "ab", NULL}, NULL);
    assert_sound(some);
    assert_lca(some, "", "ab", "**", 2);
    assert_int_equal(some->height[node(some, "*")], 1);
    kanon__taxonomy_free(some);
}

static void random_masks_cover_what_they_show(void **state)
{
    (void)state;
    kanon__random random;
    print_message("seed %d\n", SEED);
    kanon__random_init(&random, SEED, 1);
    for (int round = 0; round < 200; round++) {
        kanon__dictionary values;
        kanon__tree *tree = NULL;
        uint32_t code;
        bool from_left = round % 2 == 1;
        assert_int_equal(kanon__dictionary_init(&values, NULL), KANON_OK);
        for (int64_t i = kanon__random_below(&random, 30); i >= 0; i--) {
            char text[8];
            size_t length = (size_t)kanon__random_below(&random, 6);
            for (size_t j = 0; j < length; j++)
                text[j] = (char)('a' + kanon__random_below(&random, 3));
            assert_int_equal(kanon__dictionary_add(&values, &code, text, length, NULL), KANON_OK);
        }
        assert_int_equal(kanon__tree_mask(&tree, &values, from_left, NULL), KANON_OK);
        kanon__taxonomy *t = finish(tree, NULL);
        assert_sound(t);
        assert_int_equal(t->n_leaves, values.n);
        for (int32_t l = 0; l < t->n_leaves; l++) {
            size_t leaf_length, length;
            const char *text = kanon__taxonomy_label(t, t->leaf_node[l], &leaf_length);
            for (int32_t i = t->parent[t->leaf_node[l]], stars = 1; i >= 0; i = t->parent[i], stars++) {
                const char *label = kanon__taxonomy_label(t, i, &length);
                size_t visible = length - (size_t)stars;
                assert_int_equal(t->height[i], stars);
                assert_true(visible <= leaf_length);
                assert_memory_equal(from_left ? label + stars : label, text + (from_left ? leaf_length - visible : 0),
                                    visible);
            }
        }
        kanon__taxonomy_free(t);
        kanon__dictionary_clear(&values);
    }
}

static void assert_no_mask(const char *value, const char *message)
{
    kanon__dictionary values;
    kanon__tree *tree = (kanon__tree *)&values;
    kanon_error err = KANON_INIT(kanon_error);
    fill(&values, (const char *const[]){"123", value, NULL});
    assert_int_equal(kanon__tree_mask(&tree, &values, false, &err), KANON_EDATA);
    assert_null(tree);
    assert_string_equal(err.message, message);
    assert_true(err.hint[0] != '\0');
    kanon__dictionary_clear(&values);
}

static void values_that_cannot_be_masked_are_refused(void **state)
{
    (void)state;
    char text[257];
    assert_no_mask("12*", "a value with a star cannot be told from a masked one");
    assert_no_mask("*", "a value with a star cannot be told from a masked one");
    memset(text, 'x', sizeof text);
    text[256] = '\0';
    assert_no_mask(text, "a value of more than 255 characters is masked one by one");
    text[255] = '\0';
    kanon__taxonomy *t = taxonomy_of_values(MASK_RIGHT, (const char *const[]){text, "y", NULL}, NULL);
    assert_int_equal(t->height[0], 255);
    assert_sound(t);
    kanon__taxonomy_free(t);
}

static void flat_trees_are_in_byte_order(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of_values(FLAT, (const char *const[]){"b", "\xc3\xa4", "ab", "", "a", "B", NULL}, NULL);
    static const char *const order[] = {"", "B", "a", "ab", "b", "\xc3\xa4"};
    assert_true(t->flat);
    assert_int_equal(t->n_leaves, 6);
    assert_int_equal(t->height[0], 1);
    for (int32_t l = 0; l < 6; l++)
        assert_int_equal(leaf(t, order[l]), l);
    assert_lca(t, "a", "b", "*", 1);
    assert_sound(t);
    kanon__taxonomy_free(t);
}

static void a_tree_of_no_values_is_a_root(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of_values(FLAT, (const char *const[]){NULL}, NULL);
    assert_int_equal(t->n_nodes, 1);
    assert_int_equal(t->n_leaves, 1);
    assert_int_equal(t->height[0], 0);
    kanon__taxonomy_free(t);
}

static void a_star_among_the_values_leaves_the_root_a_name_of_its_own(void **state)
{
    (void)state;
    kanon__taxonomy *t = taxonomy_of_values(FLAT, (const char *const[]){"a", "*", NULL}, NULL);
    assert_label(t, 0, "**");
    assert_lca(t, "*", "a", "**", 1);
    assert_sound(t);
    kanon__taxonomy_free(t);
    t = taxonomy_of_values(FLAT, (const char *const[]){"a", "**", NULL}, "*"); /* "*" means missing */
    assert_label(t, 0, "***");
    assert_int_equal(leaf(t, "*"), 2);
    assert_sound(t);
    kanon__taxonomy_free(t);
    t = taxonomy_of_values(MASK_RIGHT, (const char *const[]){"12", NULL}, "**");
    assert_label(t, 0, "***");
    assert_int_equal(t->height[0], 2);
    assert_sound(t);
    kanon__taxonomy_free(t);
}

/* ---- missing values ---------------------------------------------------------------------------------------------- */

static kanon_status with_missing(kanon__taxonomy **out, const char *text, const char *extra, kanon_error *err)
{
    kanon__tree *tree = NULL;
    assert_int_equal(parse(&tree, text, NULL), KANON_OK);
    kanon_status st = kanon__taxonomy_from_tree(out, tree, extra, strlen(extra), err);
    kanon__tree_free(tree);
    return st;
}

static void a_missing_value_becomes_the_last_leaf_below_the_root(void **state)
{
    (void)state;
    kanon__taxonomy *t = NULL;
    assert_int_equal(with_missing(&t, DISEASE, "", NULL), KANON_OK);
    assert_int_equal(t->n_leaves, 4);
    assert_int_equal(leaf(t, ""), 3);
    assert_int_equal(t->parent[t->leaf_node[3]], 0);
    assert_lca(t, "", "Flu", "*", 2);
    assert_sound(t);
    kanon__taxonomy_free(t);
}

static void a_missing_value_that_is_there_already_is_that_leaf(void **state)
{
    (void)state;
    kanon__taxonomy *t = NULL;
    assert_int_equal(with_missing(&t, "a;x;*\n?;*\nb;x;*\n", "?", NULL), KANON_OK);
    assert_int_equal(t->n_leaves, 3);
    assert_int_equal(leaf(t, "?"), 2);
    assert_sound(t);
    kanon__taxonomy_free(t);
    t = taxonomy_of_values(FLAT, (const char *const[]){"?", "a", NULL}, "?");
    assert_int_equal(t->n_leaves, 2);
    assert_int_equal(leaf(t, "?"), 0);
    kanon__taxonomy_free(t);
}

static void a_missing_value_has_no_other_place(void **state)
{
    (void)state;
    static const char *const deeper = "a value that means 'missing' has a place below the root of the taxonomy";
    kanon__taxonomy *t = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(with_missing(&t, "a;x;*\n?;x;*\n", "?", &err), KANON_EDATA);
    assert_string_equal(err.message, deeper);
    assert_true(err.hint[0] != '\0');
    assert_null(t);
    assert_int_equal(with_missing(&t, "a;?;*\n", "?", &err), KANON_EDATA); /* a child of the root, but no leaf */
    assert_string_equal(err.message, deeper);
    assert_int_equal(with_missing(&t, DISEASE, "*", &err), KANON_EDATA);
    assert_string_equal(err.message, "a value that means 'missing' is the root of the taxonomy");
    kanon__dictionary values;
    kanon__tree *tree = NULL;
    fill(&values, (const char *const[]){"123", NULL});
    assert_int_equal(kanon__tree_mask(&tree, &values, false, NULL), KANON_OK);
    assert_int_equal(kanon__taxonomy_from_tree(&t, tree, "12*", 3, &err), KANON_EDATA);
    assert_string_equal(err.message, deeper);
    kanon__tree_free(tree);
    kanon__dictionary_clear(&values);
}

static void two_nodes_of_one_name_are_refused(void **state)
{
    (void)state;
    kanon__tree *tree = NULL;
    kanon__taxonomy *t = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    int32_t a, b;
    assert_int_equal(kanon__tree_new(&tree, "*", NULL), KANON_OK);
    assert_int_equal(kanon__tree_add(tree, &a, 0, "x", 1, NULL), KANON_OK);
    assert_int_equal(kanon__tree_add(tree, &b, a, "x", 1, NULL), KANON_OK);
    assert_int_equal(kanon__taxonomy_from_tree(&t, tree, NULL, 0, &err), KANON_OK); /* the value itself, below its node */
    assert_int_equal(kanon__taxonomy_leaf(t, "x", 1), 0);
    assert_int_equal(kanon__taxonomy_node(t, "x", 1), 1);
    kanon__taxonomy_free(t);
    assert_int_equal(kanon__tree_add(tree, &b, a, "x", 1, NULL), KANON_OK); /* but once */
    assert_false(kanon__tree_is_flat(tree));
    assert_int_equal(kanon__taxonomy_from_tree(&t, tree, NULL, 0, &err), KANON_EDATA);
    assert_string_equal(err.message, "two nodes of the taxonomy have the same name");
    assert_null(t);
    kanon__tree_free(tree);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static const kanon__dictionary *values_of_attempt;

static kanon_status try_values(const void *payload, kanon_error *err)
{
    kanon__tree *tree = (kanon__tree *)&payload;
    kanon_status st = make(&tree, *(const shape *)payload, values_of_attempt, err);
    if (st == KANON_OK)
        return finish_attempt(tree, err);
    assert_null(tree);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kanon__dictionary values;
    uint32_t code;
    assert_int_equal(kanon__dictionary_init(&values, NULL), KANON_OK);
    for (int i = 0; i < 100; i++) {
        char text[8];
        int length = snprintf(text, sizeof text, "%d", i * i);
        assert_int_equal(kanon__dictionary_add(&values, &code, text, (size_t)length, NULL), KANON_OK);
    }
    values_of_attempt = &values;
    for (shape as = FLAT; as <= MASK_LEFT; as++)
        assert_survives(try_values, &as, KANON_OK);
    kanon__dictionary_clear(&values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_of_the_header_is_numbered_as_drawn),
        cmocka_unit_test(ragged_trees_have_the_longest_way_down_as_height),
        cmocka_unit_test(the_zip_codes_of_truta_and_lin_are_masked),
        cmocka_unit_test(the_lca_of_random_trees_is_that_of_ancestor_sets),
        cmocka_unit_test(shorter_values_are_filled_up_on_the_masked_side),
        cmocka_unit_test(masks_from_the_left_share_endings),
        cmocka_unit_test(characters_not_bytes_are_masked),
        cmocka_unit_test(masks_of_next_to_nothing_have_a_root),
        cmocka_unit_test(random_masks_cover_what_they_show),
        cmocka_unit_test(values_that_cannot_be_masked_are_refused),
        cmocka_unit_test(flat_trees_are_in_byte_order),
        cmocka_unit_test(a_tree_of_no_values_is_a_root),
        cmocka_unit_test(a_star_among_the_values_leaves_the_root_a_name_of_its_own),
        cmocka_unit_test(a_missing_value_becomes_the_last_leaf_below_the_root),
        cmocka_unit_test(a_missing_value_that_is_there_already_is_that_leaf),
        cmocka_unit_test(a_missing_value_has_no_other_place),
        cmocka_unit_test(two_nodes_of_one_name_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
