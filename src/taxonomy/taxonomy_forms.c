/* Reads a taxonomy in any of its forms. The CSV of ARX is read by table/schema/taxonomy_file.c; here are the others:
 *
 *     indented     Person            YAML    Person:           parents   node,parent       JSON  {"name": "Person",
 *                    Male                      Male:                     Person,                   "children": [
 *                    Female                    Female:                   Male,Person                 {"name": "Male"},
 *                                                                        Female,Person               {"name": "Female"}]}
 *
 * YAML is read in the block form that is written here: one "name:" per line, indented by spaces. Several outermost
 * names get the root "*". */
#include "core/alloc.h"
#include "core/escape.h"
#include "core/output.h"
#include "core/text.h"
#include "table/schema/tree_internal.h"
#include "taxonomy/taxonomy_document.h"

#include <string.h>

enum { DEEPEST = 200 };

/* ---- which form ---------------------------------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), n = strlen(ending);
    return length >= n && strcmp(name + length - n, ending) == 0;
}

static kanon_taxonomy_form form_of(const char *name, const char *bytes, size_t size)
{
    static const char header[] = "node,parent";
    if (ends_in(name, ".txt"))
        return KANON_TAXONOMY_INDENTED;
    if (ends_in(name, ".yaml") || ends_in(name, ".yml"))
        return KANON_TAXONOMY_YAML;
    if (ends_in(name, ".json"))
        return KANON_TAXONOMY_JSON;
    bool parents = bytes != NULL && size >= sizeof header && memcmp(bytes, header, sizeof header - 1) == 0;
    return parents ? KANON_TAXONOMY_PARENTS : KANON_TAXONOMY_CSV;
}

kanon_status kanon__form_find(kanon_taxonomy_form *form, const char *name, const char *bytes, size_t size, kanon_error *err)
{
    if ((int)*form < 0 || *form > KANON_TAXONOMY_JSON)
        return kanon__fail(err, KANON_EINVAL, "there is no form of a taxonomy of number %d", (int)*form);
    if (*form == KANON_TAXONOMY_AUTO)
        *form = form_of(name, bytes, size);
    return KANON_OK;
}

/* ---- nodes as they come -------------------------------------------------------------------------------------------- */

/* Nodes, each with its parent before it; -1: outermost. */
typedef struct node_list {
    const kanon__input *input;
    kanon__tree *tree;
} node_list;

/* Names are compared as cells are, so they come without the white space at their ends. */
static kanon_status list_add(node_list *l, int32_t *node, int32_t parent, const char *label, size_t length, kanon_error *err)
{
    kanon__trim(&label, &length);
    return kanon__tree_add(l->tree, node, parent, label, length, err);
}

static kanon_status fail_at(const node_list *l, int64_t line, const char *what, const char *hint, kanon_error *err)
{
    return kanon__hint(err, kanon__fail(err, KANON_EDATA, "%s:%lld: %s", l->input->path, (long long)line, what), "%s", hint);
}

/* ---- lines with indents -------------------------------------------------------------------------------------------- */

/* The open nodes above a line: their indents and numbers. */
typedef struct outline_stack {
    int depth;
    size_t indents[DEEPEST];
    int32_t nodes[DEEPEST];
} outline_stack;

/* "name:", "'name':" or "\"name\":" without quotes and colon, in place; false where it is none of them. */
static bool strip_yaml(char *text, size_t *length)
{
    size_t n = *length;
    if (n == 0 || text[n - 1] != ':')
        return false;
    n--;
    if (n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n - 1] == text[0]) {
        char quote = text[0];
        size_t to = 0;
        for (size_t i = 1; i + 1 < n; i++) {
            if (quote == '"' ? text[i] == '\\' : text[i] == '\'')
                i++; /* \" and '' stand for one character; no others are written */
            text[to++] = text[i];
        }
        *length = to;
        return true;
    }
    *length = n;
    return n > 0 && memchr("{[&*!|>%@`\"'#-", text[0], 14) == NULL && memchr(text, ':', n) == NULL;
}

static kanon_status add_line(node_list *l, outline_stack *s, size_t indent, const char *text, size_t length, int64_t line,
                             kanon_error *err)
{
    while (s->depth > 0 && s->indents[s->depth - 1] >= indent)
        s->depth--;
    if (s->depth == 0 && indent > 0 && l->tree->n_nodes > 0)
        return fail_at(l, line, "the line is indented less than its group and more than the root",
                       "indent all names of one group alike", err);
    if (s->depth == DEEPEST)
        return fail_at(l, line, "nested too deeply", "a taxonomy has at most 200 levels", err);
    int32_t *node = &s->nodes[s->depth];
    s->indents[s->depth] = indent;
    kanon_status st = list_add(l, node, s->depth > 0 ? s->nodes[s->depth - 1] : -1, text, length, err);
    s->depth += st == KANON_OK;
    return st;
}

static kanon_status read_lines(node_list *l, bool yaml, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *at = l->input->bytes, *end = at + l->input->size;
    char *text = NULL;
    int64_t capacity = 0;
    outline_stack *stack = NULL;
    KANON_TRY(kanon__new_array(&stack, 1, "levels", err), out);
    for (int64_t line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *next = stop != NULL ? stop + 1 : end;
        stop = stop != NULL ? stop : end;
        while (stop > at && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t'))
            stop--;
        size_t indent = 0;
        while (at + indent < stop && at[indent] == ' ')
            indent++;
        size_t length = (size_t)(stop - at) - indent;
        if (length == 0 || (yaml && at[indent] == '#')) {
            at = next;
            continue;
        }
        KANON_TRY(kanon__grow_array(&text, &capacity, (int64_t)length, "a line", err), out);
        memcpy(text, at + indent, length);
        if (text[0] == '\t')
            st = fail_at(l, line, "indented with a tab", "indent with spaces", err);
        else if (yaml && !strip_yaml(text, &length))
            st = fail_at(l, line, "not of the form NAME:",
                         "write one name per line with a colon behind it, and names with "
                         "colons or signs in front in quotes",
                         err);
        else
            st = add_line(l, stack, indent, text, length, line, err);
        if (st != KANON_OK)
            goto out;
        at = next;
    }
out:
    kanon__free(stack);
    kanon__free(text);
    return st;
}

/* ---- parents ------------------------------------------------------------------------------------------------------- */

/* Parents may come after their children: the pairs are read first, then nodes are added level by level. */
typedef struct parent_pairs {
    kanon__dictionary labels;
    uint32_t *parents; /* by label; KANON__NO_CODE: outermost */
    int64_t *lines;    /* by label: where its parent is said; 0: nowhere */
    int64_t parents_capacity, lines_capacity;
} parent_pairs;

static kanon_status pair_label(parent_pairs *p, uint32_t *out, const kanon__cell *cell, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *text = NULL;
    uint32_t n_before = p->labels.n;
    KANON_TRY(kanon__new_array(&text, (int64_t)cell->length + 1, "a cell", err), out);
    size_t length = cell->length;
    if (cell->doubled)
        length = kanon__csv_unescape(text, cell);
    else
        memcpy(text, cell->text, length);
    const char *label = text;
    kanon__trim(&label, &length);
    KANON_TRY(kanon__grow_array(&p->parents, &p->parents_capacity, (int64_t)n_before + 1, "tree nodes", err), out);
    KANON_TRY(kanon__grow_array(&p->lines, &p->lines_capacity, (int64_t)n_before + 1, "tree nodes", err), out);
    KANON_TRY(kanon__dictionary_add(&p->labels, out, label, length, err), out);
    if (*out == n_before) {
        p->parents[*out] = KANON__NO_CODE;
        p->lines[*out] = 0;
    }
out:
    kanon__free(text);
    return st;
}

static kanon_status read_pairs(const node_list *l, parent_pairs *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__csv csv = {0};
    bool has_row = false;
    KANON_TRY(kanon__csv_open(&csv, l->input, &(kanon__csv_options){.candidates = ",;"}, err), out);
    if (csv.n_columns != 2) {
        st = fail_at(l, 1, "not two columns", "write the header node,parent and one line per node", err);
        goto out;
    }
    for (;;) {
        uint32_t node, parent;
        KANON_TRY(kanon__csv_next(&csv, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(pair_label(p, &node, &csv.cells[0], err), out);
        if (p->lines[node] != 0) {
            st = fail_at(l, csv.line, "the node stands on an earlier line, too", "give every node one line", err);
            goto out;
        }
        p->lines[node] = csv.line;
        if (csv.cells[1].length == 0)
            continue;
        KANON_TRY(pair_label(p, &parent, &csv.cells[1], err), out);
        p->parents[node] = parent;
    }
out:
    kanon__csv_close(&csv);
    return st;
}

/* Depth first from the outermost nodes; what is not reached is a circle. */
static kanon_status add_below(node_list *l, const parent_pairs *p, const uint32_t *first, const uint32_t *next, uint32_t top,
                              int32_t *node_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (uint32_t label = top; st == KANON_OK;) {
        size_t length;
        const char *text = kanon__dictionary_text(&p->labels, label, &length);
        uint32_t parent = p->parents[label];
        st = list_add(l, &node_of[label], parent == KANON__NO_CODE ? -1 : node_of[parent], text, length, err);
        if (first[label] != KANON__NO_CODE) {
            label = first[label];
            continue;
        }
        while (label != top && next[label] == KANON__NO_CODE)
            label = p->parents[label];
        if (label == top)
            break;
        label = next[label];
    }
    return st;
}

static kanon_status read_parents(node_list *l, kanon_error *err)
{
    kanon_status st = KANON_OK;
    parent_pairs p = {0};
    uint32_t *first = NULL, *next = NULL;
    int32_t *node_of = NULL;
    KANON_TRY(kanon__dictionary_init(&p.labels, err), out);
    KANON_TRY(read_pairs(l, &p, err), out);
    KANON_TRY(kanon__new_array(&first, p.labels.n, "tree nodes", err), out);
    KANON_TRY(kanon__new_array(&next, p.labels.n, "tree nodes", err), out);
    KANON_TRY(kanon__new_array(&node_of, p.labels.n, "tree nodes", err), out);
    memset(first, 0xff, p.labels.n * sizeof *first);
    memset(next, 0xff, p.labels.n * sizeof *next);
    for (uint32_t i = p.labels.n; i > 0; i--) { /* backwards, so that children keep their order */
        uint32_t parent = p.parents[i - 1];
        if (parent == KANON__NO_CODE)
            continue;
        next[i - 1] = first[parent];
        first[parent] = i - 1;
    }
    for (uint32_t i = 0; i < p.labels.n; i++)
        if (p.parents[i] == KANON__NO_CODE)
            KANON_TRY(add_below(l, &p, first, next, i, node_of, err), out);
    if ((uint32_t)l->tree->n_nodes < p.labels.n)
        st = fail_at(l, 1, "some nodes are above themselves", "let every chain of parents end in the root", err);
out:
    kanon__free(node_of);
    kanon__free(next);
    kanon__free(first);
    kanon__free(p.lines);
    kanon__free(p.parents);
    kanon__dictionary_clear(&p.labels);
    return st;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

typedef struct json_reader {
    node_list *list;
    const char *at, *end;
    int64_t line;
    char *text;
    int64_t length, capacity;
} json_reader;

static bool json_take(json_reader *r, char wanted)
{
    for (; r->at < r->end && strchr(" \t\r\n", *r->at) != NULL; r->at++)
        r->line += *r->at == '\n';
    if (r->at == r->end || *r->at != wanted)
        return false;
    r->at++;
    return true;
}

static kanon_status json_fail(const json_reader *r, kanon_error *err)
{
    return fail_at(r->list, r->line, "not a taxonomy in JSON",
                   "write {\"name\": \"*\", \"children\": [{\"name\": ...}, ...]}", err);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The four digits at `at`; -1 where they are none. */
static int32_t json_unit(const json_reader *r, const char *at)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = at + i < r->end ? hex_digit(at[i]) : -1;
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static void json_append(json_reader *r, uint32_t c)
{
    r->length = kanon__utf8_put(r->text + r->length, c) - r->text;
}

/* \n, \u00e9 and the like; r->at is behind the backslash. */
static bool json_escape(json_reader *r)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *found = r->at < r->end ? strchr(names, *r->at) : NULL;
    if (found != NULL && *found != '\0') {
        json_append(r, (unsigned char)values[found - names]);
        r->at++;
        return true;
    }
    int32_t unit = r->at < r->end && *r->at == 'u' ? json_unit(r, r->at + 1) : -1;
    if (unit <= 0)
        return false;
    r->at += 5;
    if (unit >= 0xd800 && unit < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u') {
        int32_t low = json_unit(r, r->at + 2);
        if (low < 0xdc00 || low > 0xdfff)
            return false;
        r->at += 6;
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
    if (unit >= 0xd800 && unit <= 0xdfff)
        return false;
    json_append(r, (uint32_t)unit);
    return true;
}

static kanon_status json_string(json_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    r->length = 0;
    if (!json_take(r, '"'))
        return json_fail(r, err);
    while (r->at < r->end && *r->at != '"') {
        KANON_TRY(kanon__grow_array(&r->text, &r->capacity, r->length + 4, "a name", err), out);
        if (*r->at == '\\') {
            r->at++;
            if (!json_escape(r))
                return json_fail(r, err);
        } else if ((unsigned char)*r->at < ' ') {
            return json_fail(r, err);
        } else {
            r->text[r->length++] = *r->at++;
        }
    }
    if (r->at++ >= r->end)
        return json_fail(r, err);
out:
    return st;
}

static bool json_key(const json_reader *r, const char *key)
{
    return (size_t)r->length == strlen(key) && memcmp(r->text, key, (size_t)r->length) == 0;
}

/* An object: its name comes first, as it is written here and by most tools. */
static kanon_status json_node(json_reader *r, int32_t parent, int depth, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (depth == DEEPEST || !json_take(r, '{'))
        return json_fail(r, err);
    KANON_TRY(json_string(r, err), out);
    if (!json_key(r, "name") || !json_take(r, ':'))
        return json_fail(r, err);
    KANON_TRY(json_string(r, err), out);
    int32_t own;
    KANON_TRY(list_add(r->list, &own, parent, r->text, (size_t)r->length, err), out);
    if (json_take(r, ',')) {
        KANON_TRY(json_string(r, err), out);
        if (!json_key(r, "children") || !json_take(r, ':') || !json_take(r, '['))
            return json_fail(r, err);
        if (!json_take(r, ']')) {
            do
                KANON_TRY(json_node(r, own, depth + 1, err), out);
            while (json_take(r, ','));
            if (!json_take(r, ']'))
                return json_fail(r, err);
        }
    }
    if (!json_take(r, '}'))
        return json_fail(r, err);
out:
    return st;
}

static kanon_status read_json(node_list *l, kanon_error *err)
{
    json_reader r = {.list = l, .at = l->input->bytes, .end = l->input->bytes + l->input->size, .line = 1};
    kanon_status st = json_node(&r, -1, 0, err);
    if (st == KANON_OK) {
        json_take(&r, '\0'); /* moves past white space */
        st = r.at == r.end ? st : json_fail(&r, err);
    }
    kanon__free(r.text);
    return st;
}

/* ---- all of them --------------------------------------------------------------------------------------------------- */

kanon_status kanon__tree_read_form(kanon__tree **out, const kanon__input *input, kanon_taxonomy_form form, kanon_error *err)
{
    kanon_status st = KANON_OK;
    static const char empty[] = "the taxonomy is empty", hint[] = "write one name per value, below those of its groups";
    node_list l = {.input = input};
    *out = NULL;
    if (form == KANON_TAXONOMY_CSV)
        return kanon__tree_parse(out, input, err);
    if (input->size == 0)
        return fail_at(&l, 1, empty, hint, err);
    KANON_TRY(kanon__tree_new(&l.tree, NULL, err), out);
    if (form == KANON_TAXONOMY_PARENTS)
        KANON_TRY(read_parents(&l, err), out);
    else if (form == KANON_TAXONOMY_JSON)
        KANON_TRY(read_json(&l, err), out);
    else
        KANON_TRY(read_lines(&l, form == KANON_TAXONOMY_YAML, err), out);
    if (l.tree->n_nodes == 0) {
        st = fail_at(&l, 1, empty, hint, err);
        goto out;
    }
    KANON_TRY(kanon__tree_root(&l.tree, err), out);
    *out = l.tree;
    l.tree = NULL;
out:
    kanon__tree_free(l.tree);
    return st;
}
