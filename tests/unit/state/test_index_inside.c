/* The inside of the group index, node by node: what inner nodes say of the groups below them holds, the nearest groups are
 * those that a look at every group finds, groups are added to leaves in every stage, and damage is noticed. */
#include "core/alloc.h"
#include "core/random.h"
#include "state/index/index_near.h"
#include "state/index/index_node.h"
#include "state/maintain/session.h"
#include "support.h"

enum { STRIDE = KANON__NODE_ROOM, N_ROWS = 1900, M = 3, MOST_GROUPS = N_ROWS };

/* A state of groups of two in three levels of nodes; `rule` is added to the attribute `age`, `steps` are those of `pay`. */
static kanon_state *make_wide_state(uint64_t seed, const char *rule, int steps)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    kanon__random random;
    char yaml[400];
    place path = scratch("x.state"), csv = scratch("t.csv"), text = scratch("s.yaml");
    snprintf(yaml, sizeof yaml,
             "missing: '?'\nattributes:\n  age: {role: quasi, type: integer%s}\n  pay: {role: quasi, type: decimal}\n"
             "  job: {role: quasi, taxonomy: {cook: , baker: , office: {clerk: , boss: }}}\nprivacy: {k: 2}\n",
             rule);
    write_text(text.text, yaml);
    FILE *file = fopen(csv.text, "wb");
    assert_non_null(file);
    fprintf(file, "age,pay,job\n");
    kanon__random_init(&random, seed, 0);
    for (int i = 0; i < N_ROWS; i++) {
        static const char *const jobs[] = {"cook", "baker", "clerk", "boss"};
        int age = (int)kanon__random_below(&random, 100), pay = (int)kanon__random_below(&random, 5000) * steps;
        if (i % 97 == 5)
            fprintf(file, "?,%d,%s\n", pay, jobs[pay % 4]);
        else
            fprintf(file, "%d,%d.%d,%s\n", age, pay, age % 10, jobs[pay % 4]);
    }
    fclose(file);
    assert_done(kanon_schema_read(&schema, KANON_PATH(text.text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(csv.text), schema, NULL, &err), &err);
    kanon_options options = {.struct_size = sizeof options, .algorithm = "mondrian"};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    unlink(path.text);
    assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&state, path.text, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    assert_done(kanon__session_begin(state, true, &err), &err);
    return state;
}

static kanon_state *make_state(uint64_t seed, const char *rule)
{
    return make_wide_state(seed, rule, 1);
}

static void end(kanon_state *state)
{
    kanon__session_end(state);
    kanon_state_close(state);
}

static kanon__node *node_of(kanon_state *state, int64_t id)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__node *node = NULL;
    assert_done(kanon__node_get(state->index, &node, id, &err), &err);
    assert_done(kanon__node_load_codes(state->index, node, &err), &err);
    return node;
}

static kanon__node *root_of(kanon_state *state)
{
    return node_of(state, state->root);
}

/* The first leaf below the root. */
static kanon__node *leaf_of(kanon_state *state)
{
    kanon__node *node = root_of(state);
    while (node->level > 0)
        node = node_of(state, node->keys[0]);
    return node;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* A group below an inner slot: its box lies within that of the slot, it is between the narrowest and the widest, costs at
 * least the least units, has at least the fewest members, and no lower number. */
static void compare_group(const kanon_state *state, const kanon__node *inner, int above, const kanon__node *leaf, int slot)
{
    for (int i = 0; i < M; i++) {
        const kanon__current_dimension *d = &state->space->dimensions[i];
        const int32_t *of = leaf->coordinates + 2 * i * STRIDE + slot, *all = inner->coordinates + 4 * i * STRIDE + above;
        int32_t units = kanon__coordinates_units(d, of[0], of[STRIDE]);
        assert_true(all[0] <= of[0] && of[STRIDE] <= all[STRIDE]);
        assert_true(all[2 * STRIDE] <= units);
        assert_true(units <= all[3 * STRIDE]);
        assert_true(all[3 * STRIDE] <= d->full);
    }
    assert_true(inner->units[above] <= leaf->units[slot]);
    assert_true(inner->sizes[above] <= leaf->sizes[slot]);
    assert_true(inner->lowest_groups[above] <= leaf->keys[slot]);
}

/* Every group below `node` against slot `above` of `inner`; how many there are. */
static int64_t compare_below(kanon_state *state, const kanon__node *inner, int above, int64_t id)
{
    const kanon__node *node = node_of(state, id);
    int64_t n = 0;
    for (int slot = 0; slot < node->n; slot++) {
        if (node->level == 0)
            compare_group(state, inner, above, node, slot);
        n += node->level == 0 ? 1 : compare_below(state, inner, above, node->keys[slot]);
    }
    return n;
}

static int64_t compare_inner(kanon_state *state, int64_t id)
{
    const kanon__node *node = node_of(state, id);
    int64_t n = 0;
    for (int slot = 0; node->level > 0 && slot < node->n; slot++) {
        n += compare_below(state, node, slot, node->keys[slot]);
        compare_inner(state, node->keys[slot]);
    }
    return n;
}

/* Bands make a group wider than its codes, by at most one band on each side; open ones by the way to the end. */
static void summaries_bound_what_is_below(void **unused)
{
    static const char *const rules[] = {
        "", ", bands: 7", ", bands: 40", ", bands: '0,18,40,65'", ", bands: 5, top: 60", ", top: 50"};
    (void)unused;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        kanon_state *state = make_state(test_seed() + i, rules[i]);
        assert_int_equal(root_of(state)->level, 2);
        assert_true(compare_inner(state, state->root) > 700);
        end(state);
    }
}

static void assert_damaged(kanon_state *state)
{
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon__group_index_check(state->index, &err), KANON_EDATA);
    assert_holds(err.message, "damaged");
}

/* One number of a summary is wrong by one; a share may be too small, never too large. */
static void wrong_summaries_are_found(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)unused;
    kanon_state *state = make_state(test_seed(), "");
    kanon__node *root = root_of(state), *inner = node_of(state, root->keys[1]);
    assert_done(kanon__group_index_check(state->index, &err), &err);
    kanon__node *const both[] = {root, inner};
    for (int which = 0; which < 2; which++) {
        kanon__node *node = both[which];
        for (int column = 0; column < 4 * M; column++) {
            node->codes[column * STRIDE + 1] ^= 1;
            assert_damaged(state);
            node->codes[column * STRIDE + 1] ^= 1;
        }
        int64_t *const numbers[] = {&node->sizes[1], &node->lowest_groups[1]};
        for (int i = 0; i < 2; i++) {
            ++*numbers[i];
            assert_damaged(state);
            *numbers[i] -= 2;
            assert_damaged(state);
            ++*numbers[i];
        }
        int32_t units = node->units[1];
        int64_t share = node->least_shares[1];
        node->units[1] = INT32_MAX; /* more than a group below costs */
        node->least_shares[1] = KANON__SHARE_MOST;
        assert_damaged(state);
        node->units[1] = units;
        node->least_shares[1] = share;
        assert_done(kanon__group_index_check(state->index, &err), &err);
    }
    inner->level = 2; /* a node that is no level below the other */
    assert_damaged(state);
    inner->level = 1;
    assert_done(kanon__group_index_check(state->index, &err), &err);
    end(state);
}

/* ---- the nearest groups ------------------------------------------------------------------------------------------ */

typedef struct seen_group {
    int64_t number, units;
} seen_group;

typedef struct near_scan {
    const kanon_state *state;
    int32_t box[2 * M];
    int64_t own;
    seen_group groups[MOST_GROUPS];
    int64_t n;
} near_scan;

static kanon_status scan_leaf(const kanon__node *leaf, void *payload, kanon_error *err)
{
    near_scan *s = payload;
    (void)err;
    for (int slot = 0; slot < leaf->n; slot++) {
        int64_t units = 0;
        for (int i = 0; i < M; i++) {
            const kanon__current_dimension *d = &s->state->space->dimensions[i];
            int32_t lo = kanon__coordinate_of(d, kanon__group_edge(leaf, slot, i, 0)),
                    hi = kanon__coordinate_high(d, kanon__group_edge(leaf, slot, i, 1));
            units += kanon__coordinates_units(d, lo < s->box[2 * i] ? lo : s->box[2 * i],
                                              hi > s->box[2 * i + 1] ? hi : s->box[2 * i + 1]);
        }
        if (leaf->keys[slot] != s->own)
            s->groups[s->n++] = (seen_group){leaf->keys[slot], units};
    }
    return KANON_OK;
}

static int by_units(const void *left, const void *right)
{
    const seen_group *a = left, *b = right;
    return a->units != b->units ? (a->units < b->units ? -1 : 1) : a->number < b->number ? -1 : a->number > b->number;
}

static void the_nearest_are_those_of_a_scan(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__random random;
    static near_scan s;
    (void)unused;
    kanon__random_init(&random, test_seed(), 9);
    for (int banded = 0; banded < 2; banded++) {
        kanon_state *state = make_state(test_seed() + 20, banded ? ", bands: 7" : "");
        for (int i = 0; i < 40; i++) {
            kanon__group_refs refs = {0};
            kanon__node *node = root_of(state);
            while (node->level > 0)
                node = node_of(state, node->keys[kanon__random_below(&random, node->n)]);
            kanon__group_slot at = {node, (int)kanon__random_below(&random, node->n)};
            int n = i == 0 ? MOST_GROUPS : 1 + (int)kanon__random_below(&random, 60);
            s = (near_scan){.state = state, .own = kanon__group_number(at)};
            for (int j = 0; j < 2 * M; j++)
                s.box[j] = node->coordinates[j * STRIDE + at.slot];
            assert_done(kanon__group_index_visit(state->index, scan_leaf, &s, &err), &err);
            qsort(s.groups, (size_t)s.n, sizeof *s.groups, by_units);
            assert_done(kanon__group_index_nearest(state->index, &refs, at, n, &err), &err);
            assert_int_equal(refs.n, n < s.n ? n : s.n);
            for (int64_t j = 0; j < refs.n; j++) {
                kanon__group_slot found;
                assert_int_equal(refs.items[j].number, s.groups[j].number);
                assert_done(kanon__group_index_locate(state->index, &found, &refs.items[j], &err), &err);
                assert_int_equal(kanon__group_number(found), refs.items[j].number);
            }
            kanon__group_refs_clear(&refs);
        }
        end(state);
    }
}

/* A node that is its own child: the search ends. */
static void a_search_in_a_circle_ends(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__group_refs refs = {0};
    (void)unused;
    kanon_state *state = make_state(test_seed(), "");
    kanon__node *root = root_of(state);
    kanon__group_slot at = {leaf_of(state), 0};
    for (int slot = 0; slot < root->n; slot++)
        root->keys[slot] = root->id;
    assert_int_equal(kanon__group_index_nearest(state->index, &refs, at, 1, &err), KANON_EDATA);
    assert_int_equal(refs.n, 0);
    kanon__group_refs_clear(&refs);
    end(state);
}

/* ---- every instruction set ----------------------------------------------------------------------------------------- */

/* Leaves are read and searched by the same loops, compiled for each instruction set: they give the same answers. */
static void instruction_sets_agree(void **unused)
{
    enum { N_QUERIES = 60 };
    kanon_error err = KANON_INIT(kanon_error);
    static int64_t answers[N_QUERIES][3];
    (void)unused;
    for (int kind = 0; kind < 3; kind++) { /* plain; with bands; with numbers of four bytes and more */
        kanon_state *state = make_wide_state(test_seed() + 30, kind == 1 ? ", bands: 7" : "", kind == 2 ? 100003 : 1);
        for (int set = KANON__PLAIN_C; set <= KANON__AVX512; set++) {
            kanon__random random;
            kanon__random_init(&random, test_seed(), 11);
            kanon__session_end(state);
            kanon__index_limit_instructions((kanon__instructions)set);
            assert_true((int)kanon__index_instructions() <= set);
            assert_done(kanon__session_begin(state, false, &err), &err);
            for (int i = 0; i < N_QUERIES; i++) {
                kanon__group_slot cheapest, own;
                int64_t codes[M], other[M], record = 1 + kanon__random_below(&random, N_ROWS), answer[3];
                assert_done(kanon__record_get(state, NULL, record, NULL, codes, &err), &err);
                assert_done(kanon__group_index_group_of(state->index, &own, record, codes, &err), &err);
                assert_done(kanon__record_get(state, NULL, 1 + kanon__random_below(&random, N_ROWS), NULL, other, &err),
                            &err);
                codes[i % M] = other[i % M];
                assert_done(kanon__group_index_cheapest(state->index, &cheapest, codes, &answer[0], &err), &err);
                answer[1] = kanon__group_number(cheapest);
                answer[2] = kanon__group_number(own);
                if (set > KANON__PLAIN_C)
                    assert_memory_equal(answer, answers[i], sizeof answer);
                memcpy(answers[i], answer, sizeof answer);
            }
        }
        end(state);
    }
}

/* ---- groups and leaves ------------------------------------------------------------------------------------------- */

/* A group of one new record with the place of the first member of the leaf. */
static kanon__new_group like_the_first(kanon_state *state, const kanon__node *leaf, int64_t *member, int64_t *box,
                                       int64_t *codes)
{
    *member = state->next_record++;
    for (int i = 0; i < M; i++)
        codes[i] = box[2 * i] = box[2 * i + 1] = kanon__group_edge(leaf, 0, i, 0);
    return (kanon__new_group){state->next_group++, 1, member, box, codes};
}

static kanon_status count_groups(const kanon__node *leaf, void *payload, kanon_error *err)
{
    int64_t *n = payload;
    (void)err;
    for (int slot = 0; slot < leaf->n; slot++)
        assert_int_equal(leaf->begins[slot + 1] - leaf->begins[slot], leaf->sizes[slot]);
    *n += leaf->n;
    return KANON_OK;
}

/* To a leaf with its members in memory, and to one without, until both have been split. */
static void groups_are_added_in_every_stage(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)unused;
    for (int loaded = 0; loaded < 2; loaded++) {
        kanon_state *state = make_state(test_seed(), "");
        int64_t n = 0, now = 0, member, box[2 * M], codes[M];
        assert_done(kanon__group_index_visit(state->index, count_groups, &n, &err), &err);
        kanon__session_end(state);
        assert_done(kanon__session_begin(state, true, &err), &err);
        kanon__node *leaf = leaf_of(state);
        for (int i = 0; i < 2 * STRIDE; i++) {
            kanon__group_slot first = {leaf, 0};
            if (loaded)
                assert_done(kanon__group_index_load_members(state->index, first, &err), &err);
            kanon__new_group group = like_the_first(state, leaf, &member, box, codes);
            assert_done(kanon__group_index_add(state->index, first, &group, &err), &err);
            assert_in_range(leaf->n, 1, KANON__NODE_MOST);
        }
        assert_done(kanon__group_index_check(state->index, &err), &err);
        assert_done(kanon__group_index_visit(state->index, count_groups, &now, &err), &err);
        assert_int_equal(now, n + 2 * STRIDE);
        end(state);
    }
}

/* ---- a damaged tree ----------------------------------------------------------------------------------------------- */

enum { JOIN, REPLACE, ADD, SPLIT, REMOVE, CHECK, SMALLEST, SAVE, VISIT, N_CHANGES };

/* A change of the first leaf, which looks at its parents. */
static kanon_status change_leaf(kanon_state *state, kanon__node *leaf, int change, kanon_error *err)
{
    kanon__group_index *index = state->index;
    kanon__group_slot first = {leaf, 0};
    int64_t member, box[2 * M], codes[M], n = 0;
    kanon_status st = KANON_OK;
    kanon__new_group group = like_the_first(state, leaf, &member, box, codes);
    leaf->loose = change >= CHECK && change != VISIT;
    codes[0] = change == JOIN ? state->space->dimensions[0].hi : codes[0];
    codes[2] = box[4] = box[5] = kanon__group_edge(leaf, leaf->n - 1, 2, 1);
    if (change == JOIN)
        return kanon__group_index_join(index, first, member, codes, err);
    if (change == REPLACE || change == ADD) {
        group.number = change == REPLACE ? leaf->keys[0] : group.number;
        return change == REPLACE ? kanon__group_index_replace(index, first, &group, err)
                                 : kanon__group_index_add(index, first, &group, err);
    }
    for (int i = 0; st == KANON_OK && (change == SPLIT || change == REMOVE) && i <= STRIDE; i++) {
        if (change == SPLIT) {
            st = kanon__group_index_add(index, first, &group, err);
            group.number = state->next_group++;
        } else if (leaf->n > 0) {
            st = kanon__group_index_remove(index, first, err);
        }
    }
    return change == CHECK      ? kanon__group_index_check(index, err)
           : change == SMALLEST ? kanon__group_index_smallest(index, &n, err)
           : change == SAVE     ? kanon__group_index_save(index, err)
           : change == VISIT    ? kanon__group_index_visit(index, count_groups, &n, err)
                                : st;
}

/* A leaf whose parent is no node, another leaf, or a node that does not have it. */
static void wrong_parents_are_found(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)unused;
    kanon_state *state = make_state(test_seed(), "");
    for (int change = 0; change < N_CHANGES; change++)
        for (int wrong = 0; wrong < 4; wrong++) {
            kanon__session_end(state);
            assert_done(kanon__session_begin(state, true, &err), &err);
            kanon__node *leaf = leaf_of(state), *root = root_of(state);
            int64_t parents[] = {leaf->parent, state->index->n_ids + 5, leaf->id, root->keys[1]};
            leaf->parent = parents[wrong];
            kanon_status st = change_leaf(state, leaf, change, &err);
            if (st != (wrong == 0 ? KANON_OK : KANON_EDATA))
                fail_msg("change %d, parent %d: %s", change, wrong, kanon_enum_text(KANON_ENUM_STATUS, st));
        }
    end(state);
}

/* Levels and children that do not fit, and numbers that get too many digits. */
static void trees_that_cannot_be_are_found(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    int64_t n = 0, number, box[2 * M] = {0}, codes[M] = {0};
    (void)unused;
    kanon_state *state = make_state(test_seed(), "");
    kanon__group_index *index = state->index;
    kanon__node *root = root_of(state), *inner = node_of(state, root->keys[0]);
    kanon__group_slot at;
    kanon__new_group group = {state->next_group++, 1, &number, box, codes};
    number = state->next_record++;
    assert_int_equal(kanon__group_index_add(index, (kanon__group_slot){0}, &group, &err), KANON_EDATA); /* not the first */
    inner->level = 0;
    assert_int_equal(kanon__group_index_visit(index, count_groups, &n, &err), KANON_EDATA);
    inner->level = 1;
    inner->parent = 0; /* two roots */
    assert_int_equal(kanon__group_index_visit(index, count_groups, &n, &err), KANON_EDATA);
    inner->parent = root->id;
    assert_int_equal(kanon__group_index_rescale(index, 1, INT64_MAX / 2, &err), KANON_EDATA);
    kanon__session_end(state);
    assert_done(kanon__session_begin(state, true, &err), &err);
    root = root_of(state);
    for (int slot = 0; slot < root->n; slot++)
        root->keys[slot] = root->id;
    assert_done(kanon__record_get(state, NULL, 1, NULL, codes, &err), &err);
    assert_int_equal(kanon__group_index_cheapest(state->index, &at, codes, NULL, &err), KANON_EDATA);
    assert_int_equal(kanon__group_index_group_of(state->index, &at, 1, codes, &err), KANON_EDATA);
    end(state);
}

/* A reference to a group that moved to another leaf, and to one that is gone. */
static void groups_are_located(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__group_refs none = {0};
    (void)unused;
    kanon_state *state = make_state(test_seed(), "");
    kanon__node *leaf = leaf_of(state), *other = node_of(state, node_of(state, leaf->parent)->keys[1]);
    kanon__group_slot at;
    kanon__group_ref moved = {leaf->keys[2], other->id}, gone = {state->next_group, leaf->id};
    assert_done(kanon__group_index_locate(state->index, &at, &moved, &err), &err);
    assert_ptr_equal(at.node, leaf);
    assert_int_equal(at.slot, 2);
    assert_done(kanon__group_index_locate(state->index, &at, &gone, &err), &err);
    assert_null(at.node);
    kanon__group_refs_sort(&none);
    assert_int_equal(none.n, 0);
    /* entries of the log about a node that is no leaf */
    kanon__node inner = *root_of(state);
    assert_done(kanon__log_append_removal(state->index, &inner, 1, &err), &err);
    assert_int_equal(kanon__group_index_check(state->index, &err), KANON_EDATA);
    state->forgets = true;
    assert_int_equal(kanon__group_index_save(state->index, &err), KANON_EDATA);
    end(state);
}

/* ---- pages ----------------------------------------------------------------------------------------------------------- */

/* Pages of leaves with some bytes changed: all instruction sets find the same coordinates, or none. */
static void damaged_pages_are_read_alike(void **unused)
{
    enum { MOST = 4096 };
    kanon_error err = KANON_INIT(kanon_error);
    kanon__random random;
    int n_read = 0, n_refused = 0;
    (void)unused;
    kanon__random_init(&random, test_seed(), 12);
    for (int kind = 0; kind < 3; kind++) {
        kanon_state *state = make_wide_state(test_seed() + 40, kind == 1 ? ", bands: 7" : "", kind == 2 ? 100003 : 1);
        const kanon__node *leaf = leaf_of(state);
        kanon__node *read[2] = {NULL, NULL};
        const kanon__node_page *page = &state->index->pages[leaf->id / KANON__NODES_PER_PAGE];
        int slot = (int)(leaf->id % KANON__NODES_PER_PAGE);
        static unsigned char bytes[MOST + KANON__PAGE_PADDING];
        int64_t length = page->lengths[slot];
        assert_in_range(length, 10, MOST);
        for (int i = 0; i < 2; i++)
            assert_done(kanon__node_new(state->index, &read[i], 0, &err), &err);
        for (int attempt = 0; attempt < 6000; attempt++) {
            bool good[2];
            memcpy(bytes, page->bytes + page->begins[slot], (size_t)length);
            for (int64_t n = attempt == 0 ? 0 : 1 + kanon__random_below(&random, 2); n > 0; n--)
                bytes[3 + kanon__random_below(&random, length - 3)] = (unsigned char)kanon__random_below(
                    &random, attempt % 2 == 0 ? 4 : 256);
            for (int set = 0; set < 2; set++) {
                kanon__byte_reader r = {bytes, bytes + length - (attempt % 50 == 7), false};
                for (int i = 0; i < 3; i++)
                    kanon__read_varint(&r);
                kanon__index_limit_instructions(set == 0 ? KANON__PLAIN_C : KANON__AVX512);
                good[set] = kanon__leaf_read_coordinates(state->index, read[set], r);
            }
            assert_int_equal(good[0], good[1]);
            assert_true(good[0] || attempt > 0 || kind > 0); /* plain numbers that are not damaged are read */
            n_read += good[0];
            n_refused += !good[0];
            if (good[0]) {
                assert_int_equal(read[0]->n, read[1]->n);
                assert_memory_equal(read[0]->units, read[1]->units, (size_t)read[0]->n * sizeof *read[0]->units);
            }
        }
        end(state);
    }
    print_message("%d pages read, %d refused\n", n_read, n_refused);
    assert_true(n_read > 100 && n_refused > 100);
}

/* ---- no memory ----------------------------------------------------------------------------------------------------- */

/* Every kind of change and search; nodes are split, merged into the log and written. */
static kanon_status change_much(kanon_state *state, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__group_index *index = state->index;
    kanon__node *leaf = NULL;
    kanon__group_slot at;
    kanon__group_refs refs = {0};
    kanon__member_list list = {0};
    int64_t member, box[2 * M], codes[M], id = state->root, n = 0;
    do {
        KANON_TRY(kanon__node_get(index, &leaf, id, err), out);
        id = leaf->keys[0];
    } while (leaf->level > 0);
    KANON_TRY(kanon__node_load_codes(index, leaf, err), out);
    for (int i = 0; i < M; i++)
        codes[i] = kanon__group_edge(leaf, 0, i, 0);
    KANON_TRY(kanon__group_index_members(index, (kanon__group_slot){leaf, 1}, &list, err), out);
    KANON_TRY(kanon__group_index_cheapest(index, &at, codes, NULL, err), out);
    KANON_TRY(kanon__group_index_join(index, at, state->next_record++, codes, err), out);
    KANON_TRY(kanon__group_index_nearest(index, &refs, at, 40, err), out);
    KANON_TRY(kanon__group_index_locate(index, &at, &refs.items[39], err), out);
    KANON_TRY(kanon__group_index_members(index, at, &list, err), out);
    KANON_TRY(kanon__group_index_join(index, at, state->next_record++, codes, err), out);
    for (int i = 0; i < STRIDE; i++) {
        kanon__group_slot first = {leaf, 0};
        if (i == STRIDE / 2)
            KANON_TRY(kanon__group_index_load_members(index, first, err), out);
        kanon__new_group group = like_the_first(state, leaf, &member, box, codes);
        KANON_TRY(kanon__group_index_add(index, first, &group, err), out);
        group.number = kanon__group_number(first);
        if (i % 8 == 0)
            KANON_TRY(kanon__group_index_replace(index, first, &group, err), out);
        if (i % 8 == 1)
            KANON_TRY(kanon__group_index_remove(index, first, err), out);
    }
    KANON_TRY(kanon__group_index_rescale(index, 1, 10, err), out);
    KANON_TRY(kanon__group_index_check(index, err), out);
    KANON_TRY(kanon__group_index_save(index, err), out);
    KANON_TRY(kanon__group_index_visit(index, count_groups, &n, err), out);
out:
    kanon__member_list_clear(&list);
    kanon__group_refs_clear(&refs);
    return st;
}

static void there_is_no_memory(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)unused;
    kanon_state *state = make_state(test_seed(), "");
    kanon__session_end(state);
    kanon__alloc_fail_at(0, false);
    assert_done(kanon__session_begin(state, true, &err), &err);
    kanon_status st = change_much(state, &err);
    int64_t n = kanon__alloc_count(), step = n / (getenv("KANON_ALL_FAULTS") != NULL ? 600 : 60) + 1, n_failed = 0;
    assert_done(st, &err);
    kanon__session_end(state);
    for (int64_t at = 1; at <= n; at += step) {
        kanon__alloc_fail_at(at, false);
        st = kanon__session_begin(state, true, &err);
        if (st == KANON_OK)
            st = change_much(state, &err);
        kanon__alloc_fail_at(0, false);
        assert_true(st == KANON_OK || st == KANON_ENOMEM);
        n_failed += st == KANON_ENOMEM;
        kanon__session_end(state);
    }
    print_message("%d allocations, %d failed\n", (int)n, (int)n_failed);
    assert_true(n_failed > 30);
    kanon_state_close(state);
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

enum { FULL = -2, UNDAMAGED, GONE, JOINED, TOO_MANY, KIND_ZERO, KIND_FOUR, SHORT, LONG, RECORD, GROUP, EMPTY, N_DAMAGES };

/* Writes an entry that cannot be about the leaf into the log, before the leaf is read. */
static void damage_log(kanon_state *state, kanon__node *leaf, int what)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__group_index *index = state->index;
    int64_t absent = state->next_group++, present = leaf->keys[0], member, box[2 * M], codes[M];
    kanon__new_group group = like_the_first(state, leaf, &member, box, codes);
    if (what == GONE || what == KIND_ZERO || what == KIND_FOUR) /* of the latter only the kind is wrong */
        assert_done(kanon__log_append_removal(index, leaf, what == GONE ? absent : present, &err), &err);
    else if (what == JOINED || what == RECORD || what == GROUP)
        assert_done(kanon__log_append_join(index, leaf,
                                           what == RECORD  ? present
                                           : what == GROUP ? state->next_group
                                                           : absent,
                                           what == RECORD ? state->next_record : member, codes, &err),
                    &err);
    if (what == FULL) { /* as many groups as there may be, and the first of them changes: no damage */
        for (int n = leaf->n; n < KANON__NODE_MOST; n++) {
            assert_done(kanon__log_append_group(index, leaf, &group, &err), &err);
            group.number = state->next_group++;
        }
        group.number = present;
        assert_done(kanon__log_append_group(index, leaf, &group, &err), &err);
        return;
    }
    for (int i = 0; i < (what == TOO_MANY ? STRIDE - leaf->n : what >= SHORT && what != RECORD && what != GROUP); i++) {
        assert_done(kanon__log_append_group(index, leaf, &group, &err), &err);
        group.number = state->next_group++;
    }
    kanon__log_entry *e = &index->log.entries[index->log.n_entries - 1];
    if (what == KIND_ZERO || what == KIND_FOUR)
        index->log.bytes[e->begin] = what == KIND_ZERO ? 0 : 4;
    e->length += what == LONG ? 1 : what == SHORT ? -1 : 0;
    if (what == EMPTY)
        e->length = 1;
}

static void a_log_that_cannot_be_is_refused(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)unused;
    kanon_state *state = make_state(test_seed(), "");
    for (int what = FULL; what < N_DAMAGES; what++) {
        kanon__session_end(state);
        assert_done(kanon__session_begin(state, true, &err), &err);
        kanon__node copy = *leaf_of(state), *leaf = NULL;
        int64_t codes[2 * M * STRIDE];
        memcpy(codes, copy.codes, sizeof codes);
        kanon__session_end(state);
        assert_done(kanon__session_begin(state, true, &err), &err);
        copy.codes = codes;
        state->index->log.n_bytes = 0;
        if (what != UNDAMAGED)
            damage_log(state, &copy, what);
        kanon_status st = kanon__node_get(state->index, &leaf, copy.id, &err);
        if (st != (what < 0 ? KANON_OK : KANON_EDATA))
            fail_msg("damage %d: %s", what, kanon_enum_text(KANON_ENUM_STATUS, st));
    }
    end(state);
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
        cmocka_unit_test_teardown(summaries_bound_what_is_below, no_leak),
        cmocka_unit_test_teardown(wrong_summaries_are_found, no_leak),
        cmocka_unit_test_teardown(the_nearest_are_those_of_a_scan, no_leak),
        cmocka_unit_test_teardown(a_search_in_a_circle_ends, no_leak),
        cmocka_unit_test_teardown(instruction_sets_agree, no_leak),
        cmocka_unit_test_teardown(groups_are_added_in_every_stage, no_leak),
        cmocka_unit_test_teardown(wrong_parents_are_found, no_leak),
        cmocka_unit_test_teardown(trees_that_cannot_be_are_found, no_leak),
        cmocka_unit_test_teardown(groups_are_located, no_leak),
        cmocka_unit_test_teardown(damaged_pages_are_read_alike, no_leak),
        cmocka_unit_test_teardown(there_is_no_memory, no_leak),
        cmocka_unit_test_teardown(a_log_that_cannot_be_is_refused, no_leak),
    };
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
