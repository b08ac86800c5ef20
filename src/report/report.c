/* See report.h. The entry: computes what both forms need (report_data.c), then writes one of them (report_json.c,
 * report_html.c). Called by pipeline/publish.c. */
#include "report/report.h"

#include <math.h>
#include <string.h>

kanon_status kanon__reports_are_built(kanon_error *err)
{
    (void)err;
    return KANON_OK;
}

bool kanon__report_is_html(const char *path)
{
    static const char ending[] = ".html";
    size_t length = strlen(path), tail = sizeof ending - 1;
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

/* Two significant digits. Zero, counts below 100 and what is not finite stay as they are. */
static double rounded(double value)
{
    if (!isfinite(value) || value == 0)
        return value;
    double unit = pow(10, floor(log10(fabs(value))) - 1);
    return unit >= 1 ? round(value / unit) * unit : round(value / unit) / (1 / unit);
}

/* The measures of an external report: what original values decide is rounded (measures/measure.h). */
static kanon_status external_measures(kanon_measures *out, const kanon_measures *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_figure *figures = NULL;
    KANON_TRY(kanon__new_array(&figures, (int64_t)m->n, "figures of the report", err), out);
    for (size_t i = 0; i < m->n; i++) {
        const kanon__measure *measure = kanon__measure_find(m->figures[i].name);
        figures[i] = m->figures[i];
        if (measure == NULL || measure->of_originals)
            figures[i].value = rounded(figures[i].value);
    }
    *out = *m;
    out->figures = figures;
out:
    return st;
}

kanon_status kanon__report_write(kanon__output *output, const kanon__report *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__report_data data = {0};
    kanon__report told = *r;
    kanon_measures measures = {0};
    char input_sha256[KANON__SHA256_TEXT];
    KANON_TRY(kanon__report_data_init(&data, r->table, r->grouping, r->measures->k, err), out);
    KANON_TRY(kanon__source_sha256(input_sha256, r->table->source, err), out);
    if (r->external) {
        KANON_TRY(external_measures(&measures, r->measures, err), out);
        told.measures = &measures;
        kanon__report_data_coarsen(&data, r->table);
    }
    if (r->html)
        st = kanon__report_html(output, &told, &data, input_sha256, err);
    else
        st = kanon__report_json(output, &told, &data, input_sha256, err);
out:
    kanon__free(measures.figures);
    kanon__report_data_clear(&data);
    return st;
}
