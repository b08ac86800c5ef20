/* Compiled in place of all that makes or reads JSON and pages, where KANON_REPORTS is off: asking for a report, a plot
 * or a certificate returns KANON_EINVAL and says that it was not built. */
#include "bound/certificate.h"
#include "profile/profile.h"
#include "report/codebook.h"
#include "report/markup.h"
#include "report/report.h"
#include "tradeoff/curve.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* functions that only refuse look at nothing */

kanon_status kanon__reports_are_built(kanon_error *err)
{
    return kanon__fail(err, KANON_EINVAL, "this build of libkanon has no reports");
}

kanon_status kanon__report_write(kanon__output *output, const kanon__report *report, kanon_error *err)
{
    return kanon__reports_are_built(err);
}

kanon_status kanon__codebook_form_of(kanon__codebook_form *out, const kanon_output *to, kanon_error *err)
{
    return kanon__reports_are_built(err);
}

kanon_status kanon__codebook_write(kanon__output *output, const kanon__codebook *book, kanon__codebook_form form,
                                   kanon_error *err)
{
    return kanon__reports_are_built(err);
}

const char *kanon__file_name(const char *path)
{
    return path;
}

kanon_status kanon__curve_json(kanon__output *output, const kanon_curve *curve, kanon_error *err)
{
    return kanon__reports_are_built(err);
}

kanon_status kanon__curve_plot(kanon__output *output, const kanon_curve *curve, bool html, kanon_error *err)
{
    return kanon__reports_are_built(err);
}

kanon_status kanon__profile_json(kanon__output *output, const kanon_profile *profile, kanon_error *err)
{
    return kanon__reports_are_built(err);
}

kanon_status kanon__certificate_open(kanon__output **out, const kanon_table *table, const kanon_output *to,
                                     kanon_error *err)
{
    *out = NULL;
    return kanon__reports_are_built(err);
}

kanon_status kanon__certificate_write(kanon__output *output, const kanon_table *table, const kanon_lower_bound *bound,
                                      kanon_error *err)
{
    return kanon__reports_are_built(err);
}

kanon_status kanon_certificate_check(kanon_certificate *out, const kanon_table *table, const kanon_input *certificate,
                                     const kanon_prove_options *options, kanon_error *err)
{
    return kanon__reports_are_built(err);
}
