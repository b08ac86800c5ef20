/* See criteria.h. Read by report_json.c and html_officer.c. */
#include "report/criteria.h"

#include <math.h>

const kanon__release_key kanon__release_keys[KANON__RELEASE_KEYS] = {
    {"purpose", "Purpose", false},
    {"recipient", "Recipient", false},
    {"controls", "Controls at the recipient", false},
    {"adversary", "Assumed attacker", true},
    {"threshold", "Highest accepted risk", false},
    {"threshold-reason", "Reason for it", true},
    {"population", "Population", false},
    {"valid-until", "Valid until", false},
    {"prepared-by", "Prepared by", true},
    {"reviewed-by", "Reviewed by", true},
};

const char *kanon__report_said(const kanon__report *r, const kanon__release_key *key)
{
    return r->external && key->internal ? NULL : kanon__policy_of_release(&r->table->policy, key->name);
}

kanon__threshold kanon__report_threshold(const kanon__report *r)
{
    kanon__threshold out = {NAN, NAN, false};
    kanon__fraction share;
    const char *text = kanon__policy_of_release(&r->table->policy, "threshold");
    const kanon_figure *risk = kanon_measures_find(r->measures, "highest_risk", NULL);
    if (text != NULL && kanon__fraction_parse(&share, text))
        out.chosen = (double)share.numerator / (double)share.denominator;
    if (risk != NULL)
        out.risk = risk->value;
    out.met = out.risk <= out.chosen + 1e-12;
    return out;
}

const kanon__criterion kanon__criteria[KANON__CRITERIA] = {
    {"singling_out",
     "Singling out",
     "Can a record of a person be told from all others?",
     {{"k", "Records in the smallest group", false},
      {"highest_risk", "Highest chance to pick the record of a person who is known to be in the table", true},
      {"average_risk", "The same on average", true},
      {"singled_out", "Records that are the only ones of their group with their value in a column that is released as it is",
       true},
      {"singled_out_all", "The same of all these columns together", true}}},
    {"linkability",
     "Linkability",
     "Can records of one person be linked, in this file or with another one?",
     {{"linkage_quasi", "Persons found by an attacker who knows all quasi-identifiers", true},
      {"linkage_all", "Persons found by an attacker who also knows the columns that are released as they are", true},
      {"journalist_risk", "Highest risk if it is not known that the person is in the table", true},
      {"marketer_risk", "Share of the records that a linkage to a register would match, on average", true}}},
    {"inference",
     "Inference",
     "Can a sensitive value of a person be derived?",
     {{"homogeneous", "Records in groups with one sensitive value", true},
      {"nearly_homogeneous", "Records in groups in which one value has 90 % or more", true},
      {"inference", "Records whose sensitive value is guessed right from their group", true},
      {"inference_gain", "Gain over a guess without groups", true},
      {"inference_found", "Records whose sensitive value is guessed right by an attacker who first finds the row", true},
      {"inference_found_gain", "Gain of that over a guess without groups", true}}},
};
