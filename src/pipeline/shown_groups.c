/* See shown_groups.h. Groups are sorted by the texts of their cells, in the form of the release; neighbours with equal texts
 * become one. Calls release/recode.h for the texts. */
#include "pipeline/shown_groups.h"

#include "core/alloc.h"
#include "core/sort.h"
#include "pipeline/release_plan.h"
#include "release/recode.h"
#include "table/read/table.h"

#include <string.h>

typedef struct looks {
    const kanon__recoding *texts;
    int64_t group; /* -1: suppressed records */
} looks;

static int compare_texts(const looks *a, const looks *b)
{
    for (int run = 0; run < a->texts->n_runs; run++) {
        size_t left, right;
        const char *x = kanon__recoding_text(a->texts, a->group, run, &left);
        const char *y = kanon__recoding_text(b->texts, b->group, run, &right);
        int order = memcmp(x, y, left < right ? left : right);
        if (order != 0 || left != right)
            return order != 0 ? order : left < right ? -1 : 1;
    }
    return 0;
}

static int by_texts(const void *left, const void *right)
{
    const looks *a = left, *b = right;
    int order = compare_texts(a, b);
    return order != 0 ? order : (a->group > b->group) - (a->group < b->group);
}

/* In class_of, which begins at the group -1, a number for each group; equal looks have equal numbers. */
static kanon_status number_looks(int32_t *class_of, int64_t *n_classes, const kanon__recoding *texts, bool with_suppressed,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    looks *all = NULL;
    int64_t n = 0;
    KANON_TRY(kanon__new_array(&all, texts->n_groups + 1, "what groups show", err), out);
    for (int64_t group = with_suppressed ? -1 : 0; group < texts->n_groups; group++)
        all[n++] = (looks){texts, group};
    KANON_TRY(kanon__sort(all, n, sizeof *all, by_texts, err), out);
    class_of[0] = -1;
    for (int64_t i = 0; i < n; i++) {
        *n_classes += i == 0 || compare_texts(&all[i - 1], &all[i]) != 0;
        class_of[all[i].group + 1] = (int32_t)(*n_classes - 1);
    }
out:
    kanon__free(all);
    return st;
}

/* A class shows the ends of its groups. */
static kanon_status take_ends(kanon_grouping *shown, const kanon_grouping *g, kanon_error *err)
{
    int64_t *from = NULL;
    KANON_CHECK(kanon__new_array(&from, shown->n_groups + 1, "what groups show", err));
    for (int64_t i = 0; i < shown->n_groups; i++)
        from[i] = -1;
    for (int64_t row = 0; row < g->n_rows; row++)
        if (shown->group_of[row] >= 0 && g->group_of[row] >= 0)
            from[shown->group_of[row]] = g->group_of[row];
    kanon_status st = kanon__drawn_ends_pick(&shown->drawn, g->drawn, from, shown->n_groups, err);
    kanon__free(from);
    return st;
}

kanon_status kanon__shown_groups_new(kanon_grouping **out, const kanon_table *t, const kanon_grouping *g,
                                     kanon_numeric numeric, int threads, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const uint32_t **recode_map = NULL;
    kanon__recoding *texts = NULL;
    int32_t *class_of = NULL, *group_of = NULL;
    int64_t n_classes = 0;
    *out = NULL;
    KANON_TRY(kanon__release_map(&recode_map, t, g, err), out);
    KANON_TRY(kanon__recoding_new(&texts, t, g->group_of, g->n_groups, recode_map, g->drawn, numeric, threads, err), out);
    KANON_TRY(kanon__new_array(&class_of, g->n_groups + 1, "what groups show", err), out);
    KANON_TRY(kanon__new_array(&group_of, g->n_rows, "a grouping", err), out);
    KANON_TRY(number_looks(class_of, &n_classes, texts, t->policy.keep_suppressed && g->n_suppressed > 0, err), out);
    for (int64_t row = 0; row < g->n_rows; row++)
        group_of[row] = class_of[g->group_of[row] < 0 ? 0 : g->group_of[row] + 1];
    st = kanon__grouping_adopt(out, group_of, g->n_rows, n_classes, err);
    group_of = NULL;
    if (st != KANON_OK)
        goto out;
    (*out)->recode_maps = g->recode_maps;
    (*out)->n_recode_maps = g->n_recode_maps;
    (*out)->shows = g;
    kanon__grouping_bind(*out, t);
    if (g->drawn != NULL)
        st = take_ends(*out, g, err);
out:
    if (st != KANON_OK && *out != NULL) {
        kanon__shown_groups_free(*out);
        *out = NULL;
    }
    kanon__free(group_of);
    kanon__free(class_of);
    kanon__recoding_free(texts);
    kanon__free(recode_map);
    return st;
}

void kanon__shown_groups_free(kanon_grouping *shown)
{
    if (shown == NULL)
        return;
    shown->recode_maps = NULL; /* the grouping's that it shows */
    shown->n_recode_maps = 0;
    kanon_grouping_free(shown);
}
