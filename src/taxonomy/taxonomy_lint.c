/* The linter of taxonomies: counts what is wrong or odd in a file, with the first line of each kind, however much is wrong.
 *
 *   1. Read the lines of a CSV into steps, without a judgement; other forms are read whole and have no lines.
 *   2. Per line: empty cells, spaces around names, the root, a name twice on a line, depth.
 *   3. Per name: parents, leaf and inner node at once, single children, names that differ in letter case alone.
 *   4. With a table: values that no leaf has, and leaves that no value has. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/take_input.h"
#include "table/text/decode.h"
#include "taxonomy/taxonomy_document.h"

#include <string.h>

typedef enum finding_kind {
    EMPTY_CELL,
    OTHER_ROOT,
    NO_PARENT,
    TWO_PARENTS,
    TWO_PATHS,
    TWICE_ON_LINE,
    UNKNOWN_VALUE,
    SPACES,
    LETTER_CASE,
    LEAF_AND_INNER,
    SAME_LINE_TWICE,
    DEPTHS,
    SINGLE_CHILD,
    UNUSED_LEAF,
    N_KINDS
} finding_kind;

static const struct {
    const char *name, *sentence;
    bool is_error, in_table;
} kinds[N_KINDS] = {
    [EMPTY_CELL] = {"empty-cell", "lines have an empty cell; give it a name or leave it out", true, false},
    [OTHER_ROOT] = {"other-root", "lines do not end in the root that most lines end in", true, false},
    [NO_PARENT] = {"no-parent", "lines have a value and nothing above it; write value;...;root", true, false},
    [TWO_PARENTS] = {"two-parents", "names stand below two different names; use different names", true, false},
    [TWO_PATHS] = {"two-paths", "values have two lines with different paths; keep one of them", true, false},
    [TWICE_ON_LINE] = {"twice-on-line", "lines have a name twice with others between them", true, false},
    [UNKNOWN_VALUE] = {"unknown-value", "values of the table are no leaf of the taxonomy; add them", true, true},
    [SPACES] = {"spaces", "names begin or end with a space, which counts", false, false},
    [LETTER_CASE] = {"letter-case", "names differ from another one in letter case alone", false, false},
    [LEAF_AND_INNER] = {"leaf-and-inner", "names are a value and a group of other values", false, false},
    [SAME_LINE_TWICE] = {"same-line", "values have the same line more than once", false, false},
    [DEPTHS] = {"depths", "lines have fewer levels than the longest one", false, false},
    [SINGLE_CHILD] = {"single-child", "groups have a single member, so they add a level and hide nothing", false, false},
    [UNUSED_LEAF] = {"unused-leaf", "leaves are no value of the table", false, false},
};

/* A name, as all lines together know it. */
typedef struct name_fact {
    uint32_t parent;   /* KANON__NO_CODE: none so far */
    int64_t line;      /* where it first stands */
    int64_t leaf_line; /* where it first is a value; 0: nowhere */
    int64_t n_ends, n_children;
    bool is_inner, two_parents, two_paths;
    int64_t seen_on; /* the last line it was seen on */
} name_fact;

typedef struct lint_line {
    int64_t line, first, n;
} lint_line;

typedef struct linter {
    kanon__dictionary names;
    name_fact *facts;
    uint32_t *steps;
    lint_line *lines;
    int64_t facts_capacity, steps_capacity, lines_capacity, n_steps, n_lines;
    int64_t counts[N_KINDS], places[N_KINDS];
    char *scratch;
    int64_t scratch_capacity;
} linter;

typedef struct lint_result {
    kanon_taxonomy_check check; /* first: a pointer to it is one to the whole */
    kanon_taxonomy_finding **findings;
} lint_result;

static void found(linter *l, finding_kind kind, int64_t line)
{
    if (l->counts[kind]++ == 0 || line < l->places[kind])
        l->places[kind] = line;
}

/* ---- 1: steps ------------------------------------------------------------------------------------------------------ */

static kanon_status add_step(linter *l, const char *text, size_t length, int64_t line, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t n_before = l->names.n, name;
    KANON_TRY(kanon__grow_array(&l->facts, &l->facts_capacity, (int64_t)n_before + 1, "taxonomy names", err), out);
    KANON_TRY(kanon__grow_array(&l->steps, &l->steps_capacity, l->n_steps + 1, "taxonomy cells", err), out);
    KANON_TRY(kanon__dictionary_add(&l->names, &name, text, length, err), out);
    if (name == n_before) {
        l->facts[name] = (name_fact){.parent = KANON__NO_CODE, .line = line};
        if (length > 0 && (strchr(" \t", text[0]) != NULL || strchr(" \t", text[length - 1]) != NULL))
            found(l, SPACES, line);
    }
    lint_line *own = &l->lines[l->n_lines - 1];
    if (own->n > 0 && l->steps[l->n_steps - 1] == name)
        goto out; /* a level that repeats the one below it fills the line up */
    l->steps[l->n_steps++] = name;
    own->n++;
out:
    return st;
}

static kanon_status add_line(linter *l, int64_t line, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&l->lines, &l->lines_capacity, l->n_lines + 1, "taxonomy lines", err);
    if (st == KANON_OK)
        l->lines[l->n_lines++] = (lint_line){.line = line, .first = l->n_steps};
    return st;
}

static kanon_status read_csv(linter *l, const kanon__input *input, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__csv csv = {0};
    bool has_row = false;
    KANON_TRY(
        kanon__csv_open(&csv, input, &(kanon__csv_options){.candidates = ";,", .no_header = true, .ragged = true}, err),
        out);
    for (;;) {
        KANON_TRY(kanon__csv_next(&csv, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(add_line(l, csv.line, err), out);
        bool empty = false;
        for (int i = 0; i < csv.n_cells; i++) {
            const kanon__cell *cell = &csv.cells[i];
            empty = empty || cell->length == 0;
            if (cell->length == 0)
                continue;
            KANON_TRY(kanon__grow_array(&l->scratch, &l->scratch_capacity, (int64_t)cell->length, "a cell", err), out);
            size_t length = kanon__csv_unescape(l->scratch, cell);
            KANON_TRY(add_step(l, l->scratch, length, csv.line, err), out);
        }
        if (empty)
            found(l, EMPTY_CELL, csv.line);
    }
out:
    kanon__csv_close(&csv);
    return st;
}

/* A document that could be read as a whole: one line for each leaf, as its CSV would have. */
static kanon_status read_other(linter *l, const kanon__input *input, kanon_taxonomy_form form, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tree *tree = NULL;
    kanon_taxonomy *d = NULL;
    KANON_TRY(kanon__tree_read_form(&tree, input, form, err), out);
    KANON_TRY(kanon__document_new(&d, tree, err), out);
    for (int32_t leaf = 0; leaf < d->taxonomy->n_leaves; leaf++) {
        KANON_TRY(add_line(l, leaf + 1, err), out);
        for (int32_t node = d->taxonomy->leaf_node[leaf]; node >= 0; node = d->taxonomy->parent[node]) {
            size_t length;
            const char *label = kanon__taxonomy_label(d->taxonomy, node, &length);
            KANON_TRY(add_step(l, label, length, leaf + 1, err), out);
        }
    }
out:
    kanon_taxonomy_free(d);
    kanon__tree_free(tree);
    return st;
}

/* ---- 2: lines ------------------------------------------------------------------------------------------------------ */

static uint32_t most_common_end(const linter *l)
{
    uint32_t root = KANON__NO_CODE;
    for (int64_t i = 0; i < l->n_lines; i++)
        if (l->lines[i].n > 0)
            l->facts[l->steps[l->lines[i].first + l->lines[i].n - 1]].n_ends++;
    for (uint32_t name = 0; name < l->names.n; name++)
        if (root == KANON__NO_CODE || l->facts[name].n_ends > l->facts[root].n_ends)
            root = name;
    return root;
}

static void check_line(linter *l, const lint_line *line, uint32_t root, int64_t longest)
{
    const uint32_t *steps = l->steps + line->first;
    bool twice = false;
    for (int64_t j = 0; j < line->n; j++) {
        name_fact *f = &l->facts[steps[j]];
        twice = twice || f->seen_on == line->line;
        f->seen_on = line->line;
        f->is_inner = f->is_inner || j > 0;
    }
    if (twice)
        found(l, TWICE_ON_LINE, line->line);
    if (line->n == 1)
        found(l, NO_PARENT, line->line);
    else if (line->n > 0 && steps[line->n - 1] != root)
        found(l, OTHER_ROOT, line->line);
    if (line->n < longest)
        found(l, DEPTHS, line->line);
}

/* Who stands above whom; the first line that says so counts. */
static void check_parents(linter *l, const lint_line *line)
{
    const uint32_t *steps = l->steps + line->first;
    for (int64_t j = 0; j + 1 < line->n; j++) {
        name_fact *f = &l->facts[steps[j]];
        if (f->parent == KANON__NO_CODE) {
            f->parent = steps[j + 1];
            l->facts[steps[j + 1]].n_children++;
        } else if (f->parent != steps[j + 1] && !f->two_parents) {
            f->two_parents = true;
            found(l, j == 0 ? TWO_PATHS : TWO_PARENTS, line->line);
        }
    }
    name_fact *leaf = line->n > 0 ? &l->facts[steps[0]] : NULL;
    if (leaf != NULL && leaf->leaf_line > 0 && !leaf->two_parents)
        found(l, SAME_LINE_TWICE, line->line);
    if (leaf != NULL && leaf->leaf_line == 0)
        leaf->leaf_line = line->line;
}

/* ---- 3: names ------------------------------------------------------------------------------------------------------ */

/* Letters of ASCII in lower case and no spaces around: what two names have in common that should be one. */
static kanon_status check_case(linter *l, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary folded = {0};
    KANON_TRY(kanon__dictionary_init(&folded, err), out);
    for (uint32_t name = 0; name < l->names.n; name++) {
        size_t length;
        const char *text = kanon__dictionary_text(&l->names, name, &length);
        uint32_t n_before = folded.n, code;
        KANON_TRY(kanon__grow_array(&l->scratch, &l->scratch_capacity, (int64_t)length + 1, "a name", err), out);
        for (size_t i = 0; i < length; i++)
            l->scratch[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
        KANON_TRY(kanon__dictionary_add(&folded, &code, l->scratch, length, err), out);
        if (code < n_before)
            found(l, LETTER_CASE, l->facts[name].line);
    }
out:
    kanon__dictionary_clear(&folded);
    return st;
}

static void check_names(linter *l)
{
    for (uint32_t name = 0; name < l->names.n; name++) {
        const name_fact *f = &l->facts[name];
        if (f->leaf_line > 0 && f->is_inner)
            found(l, LEAF_AND_INNER, f->leaf_line);
        if (f->is_inner && f->n_children == 1)
            found(l, SINGLE_CHILD, f->line);
    }
}

/* ---- 4: the table -------------------------------------------------------------------------------------------------- */

static kanon_status check_table(linter *l, const kanon_input *table, const kanon_column_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__column_values values = {0};
    KANON_TRY(kanon__column_values_read(&values, table, options, err), out);
    for (uint32_t code = 0; code < values.texts.n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(&values.texts, code, &length);
        uint32_t name = kanon__dictionary_find(&l->names, text, length);
        if (name == KANON__NO_CODE || l->facts[name].leaf_line == 0)
            found(l, UNKNOWN_VALUE, values.lines[code]);
    }
    for (uint32_t name = 0; name < l->names.n; name++) {
        size_t length;
        const char *text = kanon__dictionary_text(&l->names, name, &length);
        if (l->facts[name].leaf_line > 0 && kanon__dictionary_find(&values.texts, text, length) == KANON__NO_CODE)
            found(l, UNUSED_LEAF, l->facts[name].leaf_line);
    }
out:
    kanon__column_values_clear(&values);
    return st;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

static kanon_status lint_lines(linter *l, kanon_error *err)
{
    uint32_t root = most_common_end(l);
    int64_t longest = 0;
    for (int64_t i = 0; i < l->n_lines; i++)
        longest = l->lines[i].n > longest ? l->lines[i].n : longest;
    for (int64_t i = 0; i < l->n_lines; i++) {
        check_line(l, &l->lines[i], root, longest);
        check_parents(l, &l->lines[i]);
    }
    check_names(l);
    return check_case(l, err);
}

static kanon_status make_result(kanon_taxonomy_check **out, const linter *l, kanon_error *err)
{
    lint_result *r = NULL;
    kanon_status st = kanon__new_array(&r, 1, "findings", err);
    if (st == KANON_OK)
        st = kanon__new_list(&r->findings, NULL, N_KINDS, "findings", err);
    if (st != KANON_OK) {
        kanon__free(r);
        return st;
    }
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (l->counts[kind] == 0)
            continue;
        *r->findings[r->check.n++] = (kanon_taxonomy_finding){.name = kinds[kind].name,
                                                              .sentence = kinds[kind].sentence,
                                                              .count = l->counts[kind],
                                                              .line = l->places[kind],
                                                              .in_table = kinds[kind].in_table,
                                                              .is_error = kinds[kind].is_error};
        r->check.errors += kinds[kind].is_error;
    }
    for (uint32_t name = 0; name < l->names.n; name++)
        r->check.leaves += l->facts[name].leaf_line > 0;
    r->check.findings = (const kanon_taxonomy_finding *const *)r->findings;
    r->check.lines = l->n_lines;
    *out = &r->check;
    return KANON_OK;
}

static kanon_status lint(kanon_taxonomy_check **out, const kanon_input *given, kanon_taxonomy_form form,
                         const kanon_input *table, const kanon_column_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    linter l = {0};
    kanon__input input = {0};
    KANON_TRY(kanon__dictionary_init(&l.names, err), out);
    KANON_TRY(kanon__input_take(&input, given, KANON__INPUT_TAXONOMY, KANON_OK, err), out);
    KANON_TRY(kanon__input_decode(&input, NULL, NULL, err), out);
    KANON_TRY(kanon__input_load(&input, err), out);
    KANON_TRY(kanon__form_find(&form, input.path, input.bytes, input.size, err), out);
    KANON_TRY(form == KANON_TAXONOMY_CSV ? read_csv(&l, &input, err) : read_other(&l, &input, form, err), out);
    KANON_TRY(lint_lines(&l, err), out);
    if (table != NULL)
        KANON_TRY(check_table(&l, table, options, err), out);
    KANON_TRY(make_result(out, &l, err), out);
out:
    kanon__given_drop(table);
    kanon__input_close(&input);
    kanon__free(l.scratch);
    kanon__free(l.lines);
    kanon__free(l.steps);
    kanon__free(l.facts);
    kanon__dictionary_clear(&l.names);
    return st;
}

kanon_status kanon_taxonomy_check_read(kanon_taxonomy_check **out, const kanon_input *input, kanon_taxonomy_form form,
                                       const kanon_input *table, const kanon_column_options *options,
                                       const kanon_context *context, kanon_error *err)
{
    *out = NULL;
    KANON_RETURN_READING(context, table, lint(out, input, form, table, options, err), err);
}

void kanon_taxonomy_check_free(kanon_taxonomy_check *check)
{
    lint_result *r = (lint_result *)check;
    if (r != NULL)
        kanon__free(r->findings);
    kanon__free(r);
}
