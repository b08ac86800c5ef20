/* The functions that the package calls. */
#include "host.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, n)                                                                                                      \
    {                                                                                                                       \
        "C_" #name, (DL_FUNC)r_##name, n                                                                                    \
    }

static const R_CallMethodDef entries[] = {
    ENTRY(live, 0),
    ENTRY(about, 0),
    ENTRY(catalogue, 0),
    ENTRY(frame_stream, 2),
    ENTRY(stream_frame, 2),
    ENTRY(stream_new, 0),
    ENTRY(schema_new, 2),
    ENTRY(schema_get, 3),
    ENTRY(schema_set, 4),
    ENTRY(propose, 2),
    ENTRY(profile, 2),
    ENTRY(table_import, 3),
    ENTRY(table_describe, 1),
    ENTRY(anonymise, 2),
    ENTRY(grouping_new, 2),
    ENTRY(grouping_from_release, 3),
    ENTRY(grouping_describe, 1),
    ENTRY(grouping_rows, 1),
    ENTRY(evaluate, 3),
    ENTRY(evaluate_release, 4),
    ENTRY(advise, 2),
    ENTRY(verdict, 3),
    ENTRY(release, 3),
    ENTRY(publish, 3),
    ENTRY(check, 3),
    ENTRY(bound, 2),
    ENTRY(certificate_check, 2),
    ENTRY(taxonomy_build, 3),
    ENTRY(taxonomy_check, 2),
    ENTRY(tradeoff, 2),
    ENTRY(state_create, 4),
    ENTRY(state_open, 1),
    ENTRY(state_close, 1),
    ENTRY(state_change, 3),
    ENTRY(state_release, 2),
    ENTRY(state_describe, 1),
    ENTRY(state_audit, 2),
    {NULL, NULL, 0},
};

void attribute_visible R_init_kanon(DllInfo *library)
{
    R_registerRoutines(library, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(library, FALSE);
    R_forceSymbols(library, TRUE);
}
