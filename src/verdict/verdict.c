/* See verdict.h: the list, and the rows whose words both sources share. */
#include "verdict/verdict.h"

#include "core/alloc.h"
#include "table/value/figure_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *heading;
} kinds[] = {
#define KANON_VERDICT_ROW(kind, name, heading) {name, heading},
#include "verdict/verdict.def"
#undef KANON_VERDICT_ROW
};

static kanon__verdict_kind kind_of(const kanon_verdict_row *row)
{
    kanon__verdict_kind kind = 0;
    while (row->name != kinds[kind].name)
        kind++;
    return kind;
}

/* Behind the rows of its kind and of those before it. */
static void insert(kanon_verdict *v, kanon__verdict_kind kind, kanon_verdict_row row)
{
    int64_t at = v->n++;
    for (; at > 0 && kind_of(&v->rows[at - 1]) > kind; at--)
        v->rows[at] = v->rows[at - 1];
    v->rows[at] = row;
}

static kanon_status add_text(kanon_verdict *v, kanon__verdict_kind kind, kanon_mark mark, bool asked, const char *sentence,
                             kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&v->rows, &v->capacity, v->n + 1, "a verdict", err));
    KANON_CHECK(kanon__texts_add_shown(&v->sentences, sentence, err));
    insert(v, kind,
           (kanon_verdict_row){.name = kinds[kind].name,
                               .heading = kinds[kind].heading,
                               .mark = mark,
                               .sentence = v->sentences.items[v->sentences.n - 1],
                               .asked = asked});
    return KANON_OK;
}

kanon_status kanon__verdict_add(kanon_verdict *v, kanon__verdict_kind kind, kanon_mark mark, bool asked, kanon_error *err,
                                const char *format, ...)
{
    va_list arguments, again;
    char *sentence = NULL;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    kanon_status st = kanon__new_array(&sentence, (int64_t)length + 1, "a verdict", err);
    if (st == KANON_OK) {
        vsnprintf(sentence, (size_t)length + 1, format, again);
        st = add_text(v, kind, mark, asked, sentence, err);
    }
    va_end(again);
    va_end(arguments);
    kanon__free(sentence);
    return st;
}

kanon_status kanon__verdict_add_singled_out(kanon_verdict *v, int n, double share, double limit, kanon_error *err)
{
    const kanon__verdict_kind row = KANON__VERDICT_RELEASED;
    bool asked = !isnan(limit);
    char most[80] = "";
    if (asked)
        snprintf(most, sizeof most, " (asked: at most %s)", kanon__show_share(limit).text);
    if (n == 0)
        return kanon__verdict_add(v, row, KANON_MARK_MET, asked, err, "none");
    if (isnan(share))
        return kanon__verdict_add(v, row, asked ? KANON_MARK_NOT_SHOWN : KANON_MARK_LOOK, asked, err,
                                  "%d column%s; the rows that %s out are not counted%s", n, n == 1 ? "" : "s",
                                  n == 1 ? "it singles" : "they single", most);
    kanon_mark mark = asked && share > limit             ? KANON_MARK_FAILED
                      : share >= KANON__SINGLED_OUT_LOOK ? KANON_MARK_LOOK
                                                         : KANON_MARK_MET;
    return kanon__verdict_add(v, row, mark, asked, err,
                              "%d column%s; together with the quasi-identifiers %s out %s of the rows%s", n,
                              n == 1 ? "" : "s", n == 1 ? "it singles" : "they single", kanon__show_share(share).text, most);
}

kanon_mark kanon__linkage_mark(double quasi, double all, int64_t k)
{
    double at_most = k > 1 ? 1 / (double)k : KANON__SINGLED_OUT_LOOK;
    return fmax(quasi, all) > at_most + 1e-9 ? KANON_MARK_LOOK : KANON_MARK_MET;
}

kanon_status kanon__verdict_add_linkage(kanon_verdict *v, double quasi, double all, int64_t k, kanon_error *err)
{
    if (isnan(quasi))
        return KANON_OK;
    return kanon__verdict_add(v, KANON__VERDICT_RELEASED, kanon__linkage_mark(quasi, all, k), false, err,
                              KANON__LINKAGE_SENTENCE, kanon__show_share(quasi).text, kanon__show_share(all).text);
}

kanon_status kanon__verdict_add_homogeneous(kanon_verdict *v, const char *column, double one, double nearly,
                                            kanon_error *err)
{
    return kanon__verdict_add(v, KANON__VERDICT_HOMOGENEOUS, KANON_MARK_LOOK, false, err,
                              "in %s, %s of the records are in groups in which at least 90 %% share one value, and %s in "
                              "groups with one value only; distinct-l-diversity, alpha-k or t-closeness limit that",
                              column, kanon__show_share(nearly).text, kanon__show_share(one).text);
}

kanon_status kanon__verdict_add_mixed(kanon_verdict *v, bool any, kanon_error *err)
{
    return kanon__verdict_add(v, KANON__VERDICT_HOMOGENEOUS, KANON_MARK_MET, false, err, "%s",
                              any ? "in no group do 90 % of the records share a sensitive value" : "no column is sensitive");
}

void kanon__verdict_clear(kanon_verdict *v)
{
    kanon__texts_clear(&v->sentences);
    kanon__free(v->rows);
    *v = (kanon_verdict){0};
}

const kanon_verdict_row *kanon_verdict_at(const kanon_verdict *verdict, size_t i)
{
    return i < (size_t)verdict->n ? &verdict->rows[i] : NULL;
}

int kanon_verdict_holds(const kanon_verdict *verdict)
{
    for (int64_t i = 0; i < verdict->n; i++) {
        const kanon_verdict_row *row = &verdict->rows[i];
        if (row->mark == KANON_MARK_FAILED || (row->mark == KANON_MARK_NOT_SHOWN && row->asked))
            return 0;
    }
    return 1;
}
