/* A taxonomy that is written in the schema file, as mappings and lists below one another. Called by attribute_yaml.c;
 * makes a tree of table/schema/taxonomy.h.
 *
 *     taxonomy: {Europe: [France, Spain], Asia: [Japan]}        the root is *, as nothing stands above the two
 */
#include "core/alloc.h"
#include "core/text.h"
#include "table/schema/yaml_reader.h"

#include <string.h>

/* A taxonomy as it is written: label i has the parent parents[i], -1 where it stands at the top. */
typedef struct outline {
    kanon__yaml_names labels;
    int64_t *parents;
    int64_t parents_capacity;
} outline;

/* The current event is a label. Labels are values, so messages do not show them. */
static kanon_status outline_add(kanon__yaml_reader *r, outline *o, int64_t parent)
{
    kanon_status st = KANON_OK;
    size_t first_line = 0, length = 0;
    const char *text = NULL;
    if (r->event.type == YAML_SCALAR_EVENT) {
        text = kanon__yaml_text(r);
        length = strlen(text);
        kanon__trim(&text, &length);
    }
    if (length == 0)
        return kanon__yaml_fail_expected(r, "a value of the taxonomy");
    KANON_TRY(kanon__grow_array(&o->parents, &o->parents_capacity, (int64_t)o->labels.texts.n + 1, "a taxonomy", r->err),
              out);
    KANON_TRY(kanon__yaml_names_add(r, &o->labels, text, length, &first_line), out);
    if (first_line > 0)
        return kanon__yaml_fail(r, r->event.start_mark, "this value is twice in the taxonomy, first on line %zu",
                                first_line);
    o->parents[o->labels.texts.n - 1] = parent;
out:
    return st;
}

/* What stands below `parent`: a mapping of values to what is below them, a list of values and such mappings, or nothing.
 * KANON__YAML_DEPTH bounds the recursion. */
static kanon_status outline_read(kanon__yaml_reader *r, outline *o, int64_t parent)
{
    kanon_status st = KANON_OK;
    bool is_list = r->event.type == YAML_SEQUENCE_START_EVENT;
    if (kanon__yaml_is_empty(r))
        return KANON_OK;
    if (!is_list && r->event.type != YAML_MAPPING_START_EVENT)
        return kanon__hint(r->err, kanon__yaml_fail_expected(r, "a mapping or a list of the values below, or nothing"),
                           "write a single value below another as [VALUE]");
    for (;;) {
        KANON_TRY(kanon__yaml_next(r), out);
        if (r->event.type == YAML_SEQUENCE_END_EVENT || r->event.type == YAML_MAPPING_END_EVENT)
            break;
        if (is_list && r->event.type == YAML_MAPPING_START_EVENT) {
            KANON_TRY(outline_read(r, o, parent), out);
            continue;
        }
        KANON_TRY(outline_add(r, o, parent), out);
        if (!is_list) {
            int64_t node = (int64_t)o->labels.texts.n - 1;
            KANON_TRY(kanon__yaml_next(r), out);
            KANON_TRY(outline_read(r, o, node), out);
        }
    }
out:
    return st;
}

/* Whether the first label is the root: all others are below it, and there are others. */
static bool outline_has_root(const outline *o)
{
    for (uint32_t i = 1; i < o->labels.texts.n; i++)
        if (o->parents[i] < 0)
            return false;
    return o->labels.texts.n > 1;
}

static kanon_status outline_to_tree(kanon__yaml_reader *r, kanon__tree **out, const outline *o)
{
    kanon_status st = KANON_OK;
    kanon__tree *tree = NULL;
    int32_t *numbers = NULL; /* of the tree's nodes, one per label */
    char *root = NULL;
    size_t length = 1;
    bool has_root = outline_has_root(o);
    const char *text = has_root ? kanon__dictionary_text(&o->labels.texts, 0, &length) : "*";
    KANON_TRY(kanon__copy_text(&root, text, length, "a taxonomy", r->err), out);
    KANON_TRY(kanon__new_array(&numbers, o->labels.texts.n, "a taxonomy", r->err), out);
    KANON_TRY(kanon__tree_new(&tree, root, r->err), out);
    for (uint32_t i = has_root; i < o->labels.texts.n; i++) {
        int32_t parent = o->parents[i] < 0 ? 0 : numbers[o->parents[i]];
        text = kanon__dictionary_text(&o->labels.texts, i, &length);
        KANON_TRY(kanon__tree_add(tree, &numbers[i], parent, text, length, r->err), out);
    }
    *out = tree;
    tree = NULL;
out:
    kanon__tree_free(tree);
    kanon__free(numbers);
    kanon__free(root);
    return st;
}

kanon_status kanon__yaml_taxonomy(kanon__yaml_reader *r, kanon__tree **out)
{
    kanon_status st = KANON_OK;
    outline o = {0};
    yaml_mark_t mark = r->event.start_mark;
    KANON_TRY(kanon__dictionary_init(&o.labels.texts, r->err), out);
    KANON_TRY(outline_read(r, &o, -1), out);
    if (o.labels.texts.n == 0) {
        st = kanon__yaml_fail(r, mark, "the taxonomy is empty");
        goto out;
    }
    uint32_t star = kanon__dictionary_find(&o.labels.texts, "*", 1);
    if (star != KANON__NO_CODE && !outline_has_root(&o)) {
        st = kanon__yaml_fail(r, o.labels.marks[star], "the taxonomy has '*' below its root, which is '*' too");
        goto out;
    }
    KANON_TRY(outline_to_tree(r, out, &o), out);
out:
    kanon__free(o.parents);
    kanon__yaml_names_clear(&o.labels);
    return st;
}
