/* See report.h. The entry: computes what both forms need (report_data.c), then writes one of them (report_json.c,
 * report_html.c). */
#include "report/external.h"
#include "verdict/verdict_run.h"

kanon_status kanon__reports_are_built(kanon_error *err)
{
    (void)err;
    return KANON_OK;
}

kanon_status kanon__report_write(kanon__output *output, const kanon__report *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__report_data data = {0};
    kanon__report told = *r;
    kanon_measures *measures = NULL;
    kanon_verdict verdict = {0};
    char input_sha256[KANON__SHA256_TEXT];
    KANON_TRY(kanon__report_data_init(&data, r->table, r->grouping, r->measures->k, err), out);
    KANON_TRY(kanon__source_sha256(input_sha256, r->table->source, err), out);
    if (r->external) {
        KANON_TRY(kanon__external_measures(&measures, r, err), out);
        told.measures = measures;
        kanon__report_data_coarsen(&data, r->table, r->grouping);
    }
    const kanon__verdict_source judged = {.data = &r->table->data,
                                          .policy = &r->table->policy,
                                          .warnings = &r->table->privacy,
                                          .made = r->made,
                                          .measures = told.measures,
                                          .order = r->shuffle ? KANON__ORDER_OF_HASHES : KANON__ORDER_OF_TABLE,
                                          .released = r->release_path != NULL,
                                          .external = r->external};
    KANON_TRY(kanon__verdict_of_run(&verdict, &judged, err), out);
    told.verdict = &verdict;
    if (r->html)
        st = kanon__report_html(output, &told, &data, input_sha256, err);
    else
        st = kanon__report_json(output, &told, &data, input_sha256, err);
out:
    kanon__verdict_clear(&verdict);
    kanon_measures_free(measures);
    kanon__report_data_clear(&data);
    return st;
}
