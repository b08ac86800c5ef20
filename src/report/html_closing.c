/* The last sections of the page: the words that it uses, and room for signatures. */
#include "report/html_parts.h"

static const struct {
    const char *word, *meaning;
} glossary[] = {
    {"Quasi-identifier", "A column that outsiders may know of a person, such as age or postcode. It is generalised."},
    {"Identifying column", "A column that names a person, such as a name or an account number. It is never released."},
    {"Sensitive column",
     "A column whose values must not become known of a person, such as a diagnosis. It is released as it "
     "is; the groups protect it."},
    {"Group", "Records that look the same in all quasi-identifiers of the release."},
    {"k-anonymous", "Every group has at least k records. With persons: records of at least k different persons."},
    {"Generalise", "Replace a value with a broader one that covers it: 37 with [35..42], nurse with health care."},
    {"Taxonomy", "A tree of categories: which broader category covers which narrower ones."},
    {"Suppress", "Release a record with * in every quasi-identifier."},
    {"l-diverse", "Every group has at least l different (or well spread) sensitive values."},
    {"t-close", "The sensitive values of every group are spread nearly as those of the whole table."},
    {"Loss", "How much precision the quasi-identifiers lose: 0 % is the original, 100 % says nothing."},
    {"Risk of a record", "The chance to pick the right record of a known person: one divided by the size of its group."},
};

void kanon__html_glossary(kanon__output *o)
{
    kanon__html_begin(o, "glossary", "Glossary");
    kanon__output_text(o, "<dl>\n");
    for (size_t i = 0; i < sizeof glossary / sizeof *glossary; i++)
        kanon__markup(o, "<dt>%s</dt><dd>%s</dd>\n", glossary[i].word, glossary[i].meaning);
    kanon__output_text(o, "</dl>\n");
    kanon__html_end(o);
}

void kanon__html_sign_off(kanon__output *o)
{
    static const char *const lines[] = {"Name", "Role", "Date", "Signature"};
    kanon__html_begin(o, "sign-off", "Sign-off");
    kanon__output_text(o,
                       "<p>To be filled in by hand. The checksums under <a href=\"#origin\">How it was made</a> say which "
                       "files this is about.</p>\n<table class=\"sign\"><thead><tr><th></th><th>Prepared by</th>"
                       "<th>Approved by</th></tr></thead><tbody>\n");
    for (int i = 0; i < 4; i++)
        kanon__markup(o, "<tr><th scope=\"row\">%s</th><td></td><td></td></tr>\n", lines[i]);
    kanon__output_text(o, "</tbody></table>\n");
    kanon__html_end(o);
}
