/* See findings.h. */
#include "audit/findings.h"

#include "core/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The list's own copy of a name. */
static kanon_status keep_name(kanon__findings *f, const char **name, kanon_error *err)
{
    if (*name == NULL)
        return KANON_OK;
    KANON_CHECK(kanon__texts_add(&f->names, *name, strlen(*name), err));
    *name = f->names.items[f->names.n - 1];
    return KANON_OK;
}

kanon_status kanon__findings_add(kanon__findings *f, const char *name, const char *column, const char *other, int64_t count,
                                 kanon_mark mark, kanon_error *err, const char *format, ...)
{
    char sentence[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    KANON_CHECK(keep_name(f, &column, err));
    KANON_CHECK(keep_name(f, &other, err));
    KANON_CHECK(kanon__texts_add_shown(&f->sentences, sentence, err));
    KANON_CHECK(kanon__grow_array(&f->made, &f->capacity, (int64_t)f->n + 1, "findings", err));
    f->made[f->n++] = (kanon_finding){.name = name, .column = column, .other = other, .count = count, .mark = mark};
    return KANON_OK;
}

kanon_status kanon__findings_figure(kanon__findings *f, const char *name, const char *column, const char *formula,
                                    double value, bool whole, kanon_error *err)
{
    KANON_CHECK(keep_name(f, &column, err));
    KANON_CHECK(kanon__grow_array(&f->numbers, &f->figures_capacity, (int64_t)f->n_figures + 1, "figures", err));
    f->numbers[f->n_figures++] = (kanon_figure){
        .name = name, .attribute = column, .formula = formula, .value = value, .whole = whole};
    return KANON_OK;
}

kanon_status kanon__findings_list(kanon__findings *f, kanon_error *err)
{
    for (size_t i = 0; i < f->n; i++)
        f->made[i].sentence = f->sentences.items[i];
    KANON_CHECK(kanon__new_list(&f->items, f->made, (int64_t)f->n, "findings", err));
    return kanon__new_list(&f->figures, f->numbers, (int64_t)f->n_figures, "figures", err);
}

void kanon__findings_clear(kanon__findings *f)
{
    kanon__free(f->items);
    kanon__free(f->figures);
    kanon__free(f->made);
    kanon__free(f->numbers);
    kanon__texts_clear(&f->sentences);
    kanon__texts_clear(&f->names);
    *f = (kanon__findings){0};
}
