/* kanon_measures_prove: lower_bound and gap among the figures of a grouping, from a certificate that is verified
 * first. */
#include "core/alloc.h"
#include "core/context.h"
#include "measures/measure.h"
#include "table/read/table.h"

#include <math.h>
#include <string.h>

static const char *name_of(const kanon_input *proof)
{
    return proof->name != NULL ? proof->name : proof->location != NULL ? proof->location : "the certificate";
}

static kanon_status check(kanon_certificate *found, const kanon_measures *m, const kanon_table *t, const kanon_input *proof,
                          const kanon_prove_options *options, kanon_error *err)
{
    kanon_status st = kanon_certificate_check(found, t, proof, options, err);
    if (st != KANON_OK)
        return st;
    const char *path = name_of(proof);
    if (!found->holds)
        return kanon__fail(err, KANON_EINFEASIBLE, "%s: not proved: %s", path, found->reason);
    if (m->k > 0 && m->k != found->k) {
        st = kanon__fail(err, KANON_EINFEASIBLE, "%s: the proof is about k = %lld, the groups are about k = %lld", path,
                         (long long)found->k, (long long)m->k);
        return kanon__hint(err, st, "prove a bound for this k");
    }
    return KANON_OK;
}

static kanon_status prove(kanon_measures *m, const kanon_table *t, const kanon_grouping *g, const kanon_input *proof,
                          const kanon_prove_options *options, kanon_error *err)
{
    kanon_certificate found = KANON_INIT(kanon_certificate);
    kanon_status st = KANON_OK;
    kanon_figure *figures = NULL;
    char *name = NULL;
    KANON_CHECK(kanon__grouping_fits(g, t, err));
    KANON_CHECK(check(&found, m, t, proof, options, err));
    const kanon_figure *loss = kanon_measures_find(m, "information_loss", NULL);
    bool is_about = loss != NULL && g->n_suppressed == 0 && g->smallest >= found.k; /* groupings such as this one */
    double least = found.lower_bound, gap = NAN;
    if (is_about)
        gap = loss->value > least ? loss->value / least : 1;
    KANON_CHECK(kanon__copy_text(&name, name_of(proof), strlen(name_of(proof)), "a name", err));
    KANON_TRY(kanon__new_array(&figures, (int64_t)m->n + 2, "measures", err), out);
    memcpy(figures, m->figures, m->n * sizeof *figures);
    figures[m->n] = (kanon_figure){"lower_bound", NULL,
                                   "the proved lower bound: no grouping of all records into groups of at least k loses less",
                                   least, false};
    figures[m->n + 1] = (kanon_figure){
        "gap", NULL, "information_loss / lower_bound: 1 is the best possible; not defined if records are suppressed", gap,
        false};
    kanon__free(m->figures);
    kanon__free(m->certificate);
    m->figures = figures;
    m->certificate = name;
    m->n += 2;
    name = NULL;
out:
    kanon__free(name);
    return st;
}

kanon_status kanon_measures_prove(kanon_measures *measures, const kanon_table *table, const kanon_grouping *grouping,
                                  const kanon_input *certificate, const kanon_prove_options *options, kanon_error *err)
{
    KANON_RETURN_IN(table->context, prove(measures, table, grouping, certificate, options, err));
}
