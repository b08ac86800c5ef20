/* full-domain: one level per attribute for all records.
 *
 * Each attribute is generalised to one level of its taxonomy (numbers: of a hierarchy of disjoint intervals), the same
 * for all records, and records that are then equal are a group. Of all combinations of levels the one with the least
 * loss is found and proven. Groups that are too small are suppressed where the budget allows it.
 *
 * Paper: the model is that of Samarati 2001, and of Lin's table 2; the search is described in lattice.c.
 * Cost: O(attributes * distinct records) to check a combination; how many are checked depends on how many are ruled out.
 * Ties: the lower level, attribute by attribute in column order. No random numbers. */
#include "algorithms/algorithm.h"
#include "algorithms/generalisation.h"

#include "core/alloc.h"

static kanon_status run_full_domain(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__generalisation g = {0};
    kanon__full_domain found = {0};
    kanon__bound **cuts = NULL;
    kanon__run_limit_time(run);
    KANON_TRY(kanon__generalisation_init(&g, run, err), out);
    KANON_TRY(kanon__full_domain_search(&found, &g, kanon__setting_integer(run->settings, "max-checks"), err), out);
    run->stopped = found.stopped;
    KANON_TRY(kanon__new_array(&cuts, found.n_dimensions, "levels", err), out);
    for (int i = 0; i < found.n_dimensions; i++)
        cuts[i] = found.levels[i].cuts[found.best[i]];
    KANON_TRY(kanon__full_domain_report(&found, run, err), out);
    KANON_TRY(kanon__generalisation_finish(&g, run, cuts, err), out);
out:
    kanon__free(cuts);
    kanon__full_domain_clear(&found);
    kanon__generalisation_clear(&g);
    return st;
}

static const kanon_setting_info full_domain_settings[] = {KANON__CHECKS_SETTING, KANON__TIME_SETTING};

const kanon__algorithm kanon__algorithm_full_domain = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "full-domain",
                       .brief = "show each attribute at one level of its taxonomy, the best of all combinations",
                       .more = "For attribute-level recoding where every value of a column must be shown at the same "
                               "level, as in statistical tables. The result is proven to lose least of all such releases. "
                               "attribute-cut loses less.",
                       .source = "Samarati: Protecting respondents' identities in microdata release, TKDE 2001; search in "
                                 "the manner of Kohlmayer and others: Flash, PASSAT 2012",
                       .revision = 2},
             .settings = full_domain_settings,
             .n_settings = sizeof full_domain_settings / sizeof full_domain_settings[0]},
    .record_bytes = 140,
    .cell_bytes = 40,
    .records_per_minute = 2000000,
    .recodes_attributes = true,
    .run = run_full_domain,
};
