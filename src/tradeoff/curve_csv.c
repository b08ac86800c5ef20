/* A trade-off curve as CSV: one line per point with its settings, figures and whether it is optimal. */
#include "tradeoff/curve.h"

#include "table/value/number.h"

#include <math.h>
#include <string.h>

static void put_cell(kanon__output *o, const char *text)
{
    kanon__output_text(o, ",");
    kanon__output_cell(o, text, strlen(text), ',');
}

/* Empty where there is none. */
static void put_number(kanon__output *o, double value)
{
    char text[KANON__NUMBER_TEXT] = "";
    if (isfinite(value))
        text[kanon__format_double(text, value)] = '\0';
    put_cell(o, text);
}

void kanon__curve_csv(kanon__output *o, const kanon_curve *c)
{
    kanon__output_text(o, "result");
    for (int i = 0; i < c->grid.n_axes; i++)
        put_cell(o, c->grid.axes[i].name);
    for (size_t i = 0; i < c->points[0].n_figures; i++)
        put_cell(o, c->figures[i]->name);
    kanon__output_text(o, ",from_k,seconds\n");
    for (int64_t i = 0; i < c->n; i++) {
        const kanon_curve_point *p = &c->points[i];
        kanon__output_text(o, kanon_enum_text(KANON_ENUM_POINT_RESULT, p->result));
        for (size_t j = 0; j < p->n_settings; j++)
            put_cell(o, p->settings[j].value);
        for (size_t j = 0; j < p->n_figures; j++)
            put_number(o, p->figures[j]->value);
        put_number(o, p->from_k > 0 ? (double)p->from_k : NAN);
        put_number(o, round(p->seconds * 1000) / 1000);
        kanon__output_text(o, "\n");
    }
}
