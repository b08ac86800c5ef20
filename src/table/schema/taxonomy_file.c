/* Taxonomy files: one line per value, from the value up to the root. Every problem of a file is found before any is
 * reported, so that all of them can be corrected at once. Called where a table or a released file is read with a
 * schema; declared in taxonomy.h. */
#include "table/schema/tree_internal.h"

#include "core/alloc.h"
#include "core/text.h"
#include "table/text/csv.h"
#include "table/text/decode.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what is read ------------------------------------------------------------------------------------------------ */

typedef enum problem_kind {
    EMPTY_CELL = 0,
    OTHER_ROOT,
    NO_VALUE,
    REPEATED,
    OTHER_PATH,
    TWO_PARENTS,
    LEAF_AND_INNER
} problem_kind;

typedef struct problem {
    int64_t line, other_line; /* 0: no other line is part of it */
    int column;
    problem_kind kind;
} problem;

/* A cell that does not repeat its neighbour. */
typedef struct step {
    uint32_t label;
    int column; /* from 1 */
} step;

/* A line of the file: steps from the leaf up to the root. */
typedef struct way {
    int64_t line, first, n_steps;
    bool bad;          /* has a problem that says nothing about the other lines */
    bool repeats_leaf; /* its second cell is that of the leaf again */
} way;

/* What the lines say about a label. */
typedef struct fact {
    uint32_t parent; /* the one most lines name */
    int64_t parent_line, votes;
    int64_t n_ends;                /* lines that end in it */
    int64_t leaf_line, inner_line; /* where it first stands as which; 0: nowhere */
    int64_t last_way;              /* the last one it was seen on, from 1 */
    bool repeated;                 /* a line has it as its leaf and right after that again */
    bool own_leaf;                 /* it is a node, and a value of its own below that */
} fact;

typedef struct taxonomy_reader {
    const kanon__input *input;
    kanon__dictionary labels;
    step *steps;
    way *ways;
    problem *problems;
    fact *facts; /* by label */
    int64_t n_steps, steps_capacity, n_ways, ways_capacity, n_problems, problems_capacity;
    char *text; /* a cell without its doubled quotes */
    int64_t text_capacity;
    uint32_t root;
} taxonomy_reader;

static void reader_clear(taxonomy_reader *r)
{
    kanon__free(r->text);
    kanon__free(r->facts);
    kanon__free(r->problems);
    kanon__free(r->ways);
    kanon__free(r->steps);
    kanon__dictionary_clear(&r->labels);
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *what, *hint;
} explanations[] = {
    [EMPTY_CELL] = {"empty cell", "give the cell a name or leave it out: lines may have different lengths"},
    [OTHER_ROOT] = {"the line does not end in the common root", "let every line end in the same name, that of the root"},
    [NO_VALUE] = {"the line has no value below the root", "write one line per value: value;parent;...;root"},
    [REPEATED] = {"the name comes twice on the line", "let each line go up from the value: value;parent;...;root"},
    [OTHER_PATH] = {"the leaf has another path", "give every value one path to the root"},
    [TWO_PARENTS] = {"the name has another parent", "let both lines name the same parent, or use different names"},
    [LEAF_AND_INNER] = {"the leaf has other values below it", "give the node above them another name"},
};

static kanon_status add_problem(taxonomy_reader *r, problem_kind kind, int64_t line, int column, int64_t other_line,
                                kanon_error *err)
{
    kanon_status st = kanon__grow_array(&r->problems, &r->problems_capacity, r->n_problems + 1, "taxonomy problems", err);
    if (st == KANON_OK)
        r->problems[r->n_problems++] = (problem){.line = line, .other_line = other_line, .column = column, .kind = kind};
    return st;
}

static int by_place(const void *left, const void *right)
{
    const problem *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

enum { WHAT_ROOM = 96, MOST_OTHERS = 9 };

static void describe(char out[WHAT_ROOM], const problem *p)
{
    int length = snprintf(out, WHAT_ROOM, "%s", explanations[p->kind].what);
    if (p->other_line > 0 && p->other_line != p->line)
        snprintf(out + length, WHAT_ROOM - (size_t)length, " on line %lld", (long long)p->other_line);
}

/* " (and 3 more: line 7: ..., line 9: ..., ...)", with as many of them as there is room for. */
static void list_others(char *out, size_t room, const taxonomy_reader *r)
{
    char what[WHAT_ROOM];
    size_t used = (size_t)snprintf(out, room, " (and %lld more:", (long long)r->n_problems - 1);
    int64_t i = 1;
    for (; i < r->n_problems && i <= MOST_OTHERS && used + WHAT_ROOM + 40 < room; i++) {
        describe(what, &r->problems[i]);
        used += (size_t)snprintf(out + used, room - used, "%s line %lld: %s", i > 1 ? "," : "",
                                 (long long)r->problems[i].line, what);
    }
    snprintf(out + used, room - used, "%s)", i < r->n_problems ? ", ..." : "");
}

static kanon_status fail_with_problems(taxonomy_reader *r, kanon_error *err)
{
    enum { PATH_ROOM = 200, OTHERS_ROOM = sizeof err->message - PATH_ROOM - WHAT_ROOM - 60 };
    char what[WHAT_ROOM], others[OTHERS_ROOM] = "";
    qsort(r->problems, (size_t)r->n_problems, sizeof *r->problems, by_place);
    const problem *first = &r->problems[0];
    describe(what, first);
    if (r->n_problems > 1)
        list_others(others, sizeof others, r);
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s:%lld: column %d: %s%s", r->input->path, (long long)first->line,
                                  first->column, what, others);
    return kanon__hint(err, st, "%s", explanations[first->kind].hint);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static kanon_status read_cell(taxonomy_reader *r, way *w, const kanon__cell *cell, int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *text = cell->text;
    size_t length = cell->length;
    uint32_t label;
    kanon__trim(&text, &length); /* no quote is white space, so doubled ones stay pairs */
    if (length == 0) {
        w->bad = true;
        return add_problem(r, EMPTY_CELL, w->line, column, 0, err);
    }
    if (cell->doubled) {
        KANON_TRY(kanon__grow_array(&r->text, &r->text_capacity, (int64_t)length, "a cell", err), out);
        length = kanon__csv_unescape(r->text, &(kanon__cell){.text = text, .length = length, .doubled = true});
        text = r->text;
    }
    KANON_TRY(kanon__dictionary_add(&r->labels, &label, text, length, err), out);
    if (w->n_steps > 0 && r->steps[r->n_steps - 1].label == label) {
        w->repeats_leaf |= w->n_steps == 1;
        goto out;
    }
    KANON_TRY(kanon__grow_array(&r->steps, &r->steps_capacity, r->n_steps + 1, "taxonomy cells", err), out);
    r->steps[r->n_steps++] = (step){.label = label, .column = column};
    w->n_steps++;
out:
    return st;
}

static kanon_status read_lines(taxonomy_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__csv csv = {0};
    bool has_row = false;
    KANON_TRY(
        kanon__csv_open(&csv, r->input, &(kanon__csv_options){.candidates = ";,", .no_header = true, .ragged = true}, err),
        out);
    while (true) {
        KANON_TRY(kanon__csv_next(&csv, &has_row, err), out);
        if (!has_row)
            break;
        way w = {.line = csv.line, .first = r->n_steps};
        for (int i = 0; i < csv.n_cells; i++)
            KANON_TRY(read_cell(r, &w, &csv.cells[i], i + 1, err), out);
        KANON_TRY(kanon__grow_array(&r->ways, &r->ways_capacity, r->n_ways + 1, "taxonomy lines", err), out);
        r->ways[r->n_ways++] = w;
    }
out:
    kanon__csv_close(&csv);
    return st;
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

/* The root is the name that most lines end in, the first of them where there are several: so the odd line is blamed. */
static void choose_root(taxonomy_reader *r)
{
    int64_t most = 0;
    for (int64_t i = 0; i < r->n_ways; i++) {
        const way *w = &r->ways[i];
        if (!w->bad)
            r->facts[r->steps[w->first + w->n_steps - 1].label].n_ends++;
    }
    for (uint32_t label = 0; label < r->labels.n; label++)
        if (r->facts[label].n_ends > most) {
            most = r->facts[label].n_ends;
            r->root = label;
        }
}

static kanon_status check_ends(taxonomy_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < r->n_ways; i++) {
        way *w = &r->ways[i];
        if (w->bad)
            continue;
        const step *last = &r->steps[w->first + w->n_steps - 1];
        w->bad = last->label != r->root || w->n_steps == 1;
        if (last->label != r->root)
            KANON_TRY(add_problem(r, OTHER_ROOT, w->line, last->column, 0, err), out);
        else if (w->n_steps == 1)
            KANON_TRY(add_problem(r, NO_VALUE, w->line, 1, 0, err), out);
    }
out:
    return st;
}

/* The vote of Boyer and Moore: a parent that most of the lines with the label name is left in the end; so here, too, the
 * odd line is blamed. */
static void vote_for_parents(taxonomy_reader *r)
{
    for (int64_t i = 0; i < r->n_ways; i++) {
        const way *w = &r->ways[i];
        if (w->bad) /* there may be no steps at all */
            continue;
        const step *steps = r->steps + w->first;
        for (int64_t j = 0; j + 1 < w->n_steps; j++) {
            fact *f = &r->facts[steps[j].label];
            if (f->votes == 0) {
                f->parent = steps[j + 1].label;
                f->parent_line = w->line;
            }
            f->votes += f->parent == steps[j + 1].label ? 1 : -1;
        }
    }
}

static kanon_status check_way(taxonomy_reader *r, int64_t number, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const way *w = &r->ways[number];
    const step *steps = r->steps + w->first;
    for (int64_t j = 0; j < w->n_steps; j++) {
        fact *f = &r->facts[steps[j].label];
        bool repeated = f->last_way == number + 1, below_root = j + 1 < w->n_steps;
        f->last_way = number + 1;
        if (repeated) {
            KANON_TRY(add_problem(r, REPEATED, w->line, steps[j].column, 0, err), out);
            continue;
        }
        int64_t *first_line = j == 0 ? &f->leaf_line : &f->inner_line;
        if (*first_line == 0)
            *first_line = w->line;
        f->repeated |= j == 0 && w->repeats_leaf;
        if (below_root && f->parent != steps[j + 1].label)
            KANON_TRY(add_problem(r, j == 0 ? OTHER_PATH : TWO_PARENTS, w->line, steps[j].column, f->parent_line, err), out);
    }
out:
    return st;
}

/* Without a problem, every label has one parent and all ways end in the root: the ways are a tree. A value that is a node as
 * well, and stands on its line as both, is a leaf below that node, as in ARX, which goes level by level. */
static kanon_status check_ways(taxonomy_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < r->n_ways; i++)
        if (!r->ways[i].bad)
            KANON_TRY(check_way(r, i, err), out);
    for (uint32_t label = 0; label < r->labels.n; label++) {
        fact *f = &r->facts[label];
        f->own_leaf = f->leaf_line > 0 && f->inner_line > 0 && f->repeated && label != r->root;
        if (f->leaf_line > 0 && f->inner_line > 0 && !f->own_leaf)
            KANON_TRY(add_problem(r, LEAF_AND_INNER, f->leaf_line, 1, f->inner_line, err), out);
    }
out:
    return st;
}

static kanon_status judge(taxonomy_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&r->facts, r->labels.n, "taxonomy names", err), out);
    choose_root(r);
    KANON_TRY(check_ends(r, err), out);
    vote_for_parents(r);
    KANON_TRY(check_ways(r, err), out);
    if (r->n_problems > 0)
        st = fail_with_problems(r, err);
out:
    return st;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static kanon_status new_tree(kanon__tree **out, const taxonomy_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *name = NULL;
    size_t length;
    const char *text = kanon__dictionary_text(&r->labels, r->root, &length);
    KANON_TRY(kanon__copy_text(&name, text, length, "the root's name", err), out);
    KANON_TRY(kanon__tree_new(out, name, err), out);
out:
    kanon__free(name);
    return st;
}

static kanon_status add_way(kanon__tree *tree, int32_t *node_of, const taxonomy_reader *r, const way *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const step *steps = r->steps + w->first;
    for (int64_t j = w->n_steps - 2; j >= 0 && st == KANON_OK; j--) {
        uint32_t label = steps[j].label;
        size_t length;
        const char *text = kanon__dictionary_text(&r->labels, label, &length);
        if (node_of[label] == 0)
            st = kanon__tree_add(tree, &node_of[label], node_of[steps[j + 1].label], text, length, err);
        fact *f = &r->facts[label];
        if (st == KANON_OK && j == 0 && f->own_leaf) {
            f->own_leaf = false; /* added once, whichever lines repeat it */
            st = kanon__tree_add(tree, &(int32_t){0}, node_of[label], text, length, err);
        }
    }
    return st;
}

static kanon_status build(kanon__tree **out, const taxonomy_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tree *tree = NULL;
    int32_t *node_of = NULL; /* by label; 0, the root's, means "none yet" for all others */
    KANON_TRY(kanon__new_array(&node_of, r->labels.n, "taxonomy names", err), out);
    KANON_TRY(new_tree(&tree, r, err), out);
    for (int64_t i = 0; i < r->n_ways; i++)
        KANON_TRY(add_way(tree, node_of, r, &r->ways[i], err), out);
    *out = tree;
    tree = NULL;
out:
    kanon__tree_free(tree);
    kanon__free(node_of);
    return st;
}

kanon_status kanon__tree_parse(kanon__tree **out, const kanon__input *input, kanon_error *err)
{
    kanon_status st = KANON_OK;
    taxonomy_reader r = {.input = input};
    *out = NULL;
    KANON_TRY(kanon__dictionary_init(&r.labels, err), out);
    KANON_TRY(read_lines(&r, err), out);
    KANON_TRY(judge(&r, err), out);
    KANON_TRY(build(out, &r, err), out);
out:
    reader_clear(&r);
    return st;
}

kanon_status kanon__tree_read(kanon__tree **out, const char *path, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input input = {0};
    *out = NULL;
    KANON_TRY(kanon__input_open(&input, path, KANON__INPUT_TAXONOMY, err), out);
    KANON_TRY(kanon__input_decode(&input, NULL, NULL, err), out);
    KANON_TRY(kanon__tree_parse(out, &input, err), out);
out:
    kanon__input_close(&input);
    return st;
}
