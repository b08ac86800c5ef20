/* A taxonomy that is written in the schema file, as mappings and lists below one another.
 *
 *     taxonomy: {Europe: [France, Spain], Asia: [Japan]}        the root is *, as nothing stands above the two */
#include "core/alloc.h"
#include "core/text.h"
#include "table/schema/tree_internal.h"
#include "table/schema/yaml_reader.h"

#include <string.h>

/* A taxonomy as it is written: label i is node i. */
typedef struct outline {
    kanon__yaml_names labels;
    kanon__tree *tree;
} outline;

/* The current event is a label. Labels are values, so messages do not show them. */
static kanon_status outline_add(kanon__yaml_reader *r, outline *o, int32_t *node, int32_t parent)
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
    KANON_TRY(kanon__yaml_names_add(r, &o->labels, text, length, &first_line), out);
    if (first_line > 0)
        return kanon__yaml_fail(r, r->event.start_mark, "this value is twice in the taxonomy, first on line %zu",
                                first_line);
    KANON_TRY(kanon__tree_add(o->tree, node, parent, text, length, r->err), out);
out:
    return st;
}

/* What stands below `parent`: a mapping of values to what is below them, a list of values and such mappings, or nothing.
 * KANON__YAML_DEPTH bounds the recursion. */
static kanon_status outline_read(kanon__yaml_reader *r, outline *o, int32_t parent)
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
        int32_t node;
        KANON_TRY(outline_add(r, o, &node, parent), out);
        if (!is_list) {
            KANON_TRY(kanon__yaml_next(r), out);
            KANON_TRY(outline_read(r, o, node), out);
        }
    }
out:
    return st;
}

kanon_status kanon__yaml_taxonomy(kanon__yaml_reader *r, kanon__tree **out)
{
    kanon_status st = KANON_OK;
    outline o = {0};
    yaml_mark_t mark = r->event.start_mark;
    KANON_TRY(kanon__dictionary_init(&o.labels.texts, r->err), out);
    KANON_TRY(kanon__tree_new(&o.tree, NULL, r->err), out);
    KANON_TRY(outline_read(r, &o, -1), out);
    if (o.labels.texts.n == 0) {
        st = kanon__yaml_fail(r, mark, "the taxonomy is empty");
        goto out;
    }
    uint32_t star = kanon__dictionary_find(&o.labels.texts, "*", 1);
    if (star != KANON__NO_CODE && !kanon__tree_has_root(o.tree)) {
        st = kanon__yaml_fail(r, o.labels.marks[star], "the taxonomy has '*' below its root, which is '*' too");
        goto out;
    }
    KANON_TRY(kanon__tree_root(&o.tree, r->err), out);
    *out = o.tree;
    o.tree = NULL;
out:
    kanon__tree_free(o.tree);
    kanon__yaml_names_clear(&o.labels);
    return st;
}
