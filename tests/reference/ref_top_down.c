/* top-down: of all cuts of a cell the one with the least loss of both sides. Every cut is carried out and measured. */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

typedef struct choice {
    int attribute, first,
        last; /* records whose values are the lowest and the highest of the run that stays; attribute -1: none */
    int64_t loss;
} choice;

static bool is_inside(const ref_model *model, const ref_attribute *attribute, int record, int first, int last)
{
    return ref_compare(model, attribute, record, first) >= 0 && ref_compare(model, attribute, record, last) <= 0;
}

/* Group g of `from` with the records outside the run moved to group `right`. */
static void carry_out(const ref_model *model, const choice *c, const int *from, int *group, int g, int right)
{
    memcpy(group, from, (size_t)model->n * sizeof *group);
    for (int i = 0; i < model->n; i++)
        if (from[i] == g && !is_inside(model, &model->quasi[c->attribute], i, c->first, c->last))
            group[i] = right;
}

static bool is_lowest(const ref_model *model, const ref_attribute *attribute, const int *group, int g, int record)
{
    for (int i = 0; i < model->n; i++)
        if (group[i] == g && ref_compare(model, attribute, i, record) < 0)
            return false;
    return true;
}

/* Whether choice a comes before b among cuts of equal loss: first attribute, lowest first value, lowest last value. */
static bool comes_first(const ref_model *model, const choice *a, const choice *b)
{
    if (a->attribute != b->attribute)
        return a->attribute < b->attribute;
    const ref_attribute *attribute = &model->quasi[a->attribute];
    int first = ref_compare(model, attribute, a->first, b->first);
    return first < 0 || (first == 0 && ref_compare(model, attribute, a->last, b->last) < 0);
}

static void consider(const ref_job *job, const choice *c, const int *from, int *scratch, int g, int right, choice *best)
{
    const ref_model *model = job->model;
    choice here = *c;
    carry_out(model, c, from, scratch, g, right);
    if (ref_size(model, scratch, g) < job->k || ref_size(model, scratch, right) < job->k)
        return;
    here.loss = ref_loss_of(model, scratch, g) + ref_loss_of(model, scratch, right);
    if (best->attribute < 0 || here.loss < best->loss || (here.loss == best->loss && comes_first(model, &here, best)))
        *best = here;
}

/* Numbers keep everything up to a value; categories any run of leaves. */
static choice best_cut(const ref_job *job, const int *group, int *scratch, int g, int right)
{
    const ref_model *model = job->model;
    choice best = {.attribute = -1};
    for (int a = 0; a < model->n_quasi; a++)
        for (int i = 0; i < model->n; i++)
            for (int j = 0; j < model->n; j++) {
                const ref_attribute *attribute = &model->quasi[a];
                if (group[i] != g || group[j] != g || ref_compare(model, attribute, i, j) > 0)
                    continue;
                if (attribute->numeric && !is_lowest(model, attribute, group, g, i))
                    continue;
                consider(job, &(choice){.attribute = a, .first = i, .last = j}, group, scratch, g, right, &best);
            }
    return best;
}

void ref_top_down(const ref_job *job, int *group)
{
    const ref_model *model = job->model;
    int *scratch = REF_NEW(int, model->n), n_groups = 1;
    memset(group, 0, (size_t)model->n * sizeof *group);
    for (int g = 0; g < n_groups;) {
        choice best = best_cut(job, group, scratch, g, n_groups);
        if (best.attribute < 0) {
            g++;
            continue;
        }
        carry_out(model, &best, group, scratch, g, n_groups);
        memcpy(group, scratch, (size_t)model->n * sizeof *group);
        n_groups++;
    }
    free(scratch);
}
