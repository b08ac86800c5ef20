/* See check_others.h. */
#include "audit/check_others.h"

#include "audit/class_table.h"
#include "core/alloc.h"
#include "measures/measure.h"
#include "table/value/figure_text.h"
#include "verdict/verdict.h"

#include <math.h>
#include <string.h>

/* The columns that are given, or else the key of the schema. */
static kanon_status take_key(kanon__check_key *out, const kanon_check_options *given, const kanon_schema *schema,
                             kanon_error *err)
{
    out->is_said = given->n_key > 0;
    for (size_t i = 0; i < given->n_key; i++)
        KANON_CHECK(kanon__texts_add(&out->columns, given->key[i], strlen(given->key[i]), err));
    return out->is_said ? KANON_OK : kanon__texts_append(&out->columns, &schema->key, err);
}

/* *out: the persons of the class that has the fewest. */
static kanon_status count_fewest(int64_t *out, const uint32_t *person_of, const kanon__others_subject *subject,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__class_table pairs = {.width = 2}; /* of a class and a person */
    int64_t *persons = NULL;
    KANON_TRY(kanon__new_array(&persons, subject->n_classes, "persons", err), out);
    for (int64_t row = 0; row < subject->n_rows; row++) {
        uint32_t pair[2] = {subject->class_of[row], person_of[row]}, code, n_before = pairs.n;
        KANON_TRY(kanon__class_table_add(&pairs, &code, pair, err), out);
        persons[pair[0]] += code == n_before;
    }
    *out = INT64_MAX;
    for (int64_t i = 0; i < subject->n_classes; i++)
        *out = persons[i] < *out ? persons[i] : *out;
out:
    kanon__free(persons);
    kanon__class_table_clear(&pairs);
    return st;
}

/* Persons that are not known are counted as the fewest that they can be. That shows that a class has enough of them; what
 * else is counted with them would be no figure of the release. */
static kanon_status drop_open_persons(kanon__others *others, const kanon__others_subject *subject, int64_t k,
                                      kanon_error *err)
{
    int64_t fewest = 0;
    if (others->n_open == 0)
        return KANON_OK;
    KANON_CHECK(count_fewest(&fewest, others->persons, subject, err));
    if (k > 0 && fewest >= k)
        return KANON_OK;
    kanon__free(others->persons);
    others->persons = NULL;
    return KANON_OK;
}

kanon_status kanon__others_read(kanon__others *out, const kanon__others_subject *subject, const kanon_check_options *given,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__check_key key = {.is_said = false};
    KANON_TRY(take_key(&key, given, subject->schema, err), out);
    if (given->original != NULL) {
        KANON_TRY(kanon__original_read(&out->original, given->original, subject->source, subject->schema, &key,
                                       subject->class_of, subject->ticker, err),
                  out);
        if (!subject->has_entity)
            KANON_TRY(kanon__original_persons(&out->persons, &out->n_persons, &out->original, subject->class_of,
                                              subject->n_classes, err),
                      out);
        for (int64_t row = 0; out->persons != NULL && row < subject->n_rows; row++)
            out->n_open += out->original.comparison.owner_of[row] < 0;
        KANON_TRY(drop_open_persons(out, subject, given->k > 0 ? given->k : subject->schema->k, err), out);
    }
    if (given->n_earlier > 0) {
        const kanon__joint_subject joint = {.release = subject->source,
                                            .schema = subject->schema,
                                            .key = &key,
                                            .original = &out->original,
                                            .ticker = subject->ticker};
        KANON_TRY(kanon__joint_read(&out->joint, &joint, given->earlier, given->n_earlier, err), out);
    }
    if (given->population != NULL) {
        const kanon__population_subject people = {.release = subject->source,
                                                  .schema = subject->schema,
                                                  .class_of = subject->class_of,
                                                  .n_classes = subject->n_classes,
                                                  .person_of = out->persons,
                                                  .ticker = subject->ticker};
        KANON_TRY(kanon__population_read(&out->population, &people, given->population, err), out);
    }
out:
    kanon__texts_clear(&key.columns);
    return st;
}

/* Classes of which rows are known to be of enough persons hold, whoever the other rows are. */
static kanon_status list_persons(kanon__others *others, int64_t persons, kanon_error *err)
{
    bool too_few = others->persons == NULL;
    if (others->n_open == 0)
        return kanon__findings_add(&others->findings, "persons", NULL, NULL, persons, KANON_MARK_MET, err,
                                   "persons counted by the original: at least %lld in each class", (long long)persons);
    return kanon__findings_add(
        &others->findings, "persons", NULL, NULL, others->n_open, too_few ? KANON_MARK_NOT_SHOWN : KANON_MARK_MET, err,
        too_few ? "%lld row%s may be any of several records, so persons cannot be counted: k and risk are of "
                  "records; a key in both files shows whose they are"
                : "%lld row%s may be any of several records; each class has enough persons all the same",
        (long long)others->n_open, others->n_open == 1 ? "" : "s");
}

static kanon_status add_figure(kanon__others *others, const kanon__measure *measure, double value, kanon_error *err)
{
    return kanon__findings_figure(&others->findings, measure->info.shown.name, NULL, measure->info.shown.brief, value, false,
                                  err);
}

/* What somebody finds who knows originals; where rows look alike, no more than one of k. */
static kanon_status list_linkage(kanon__others *others, int64_t k, kanon_error *err)
{
    const kanon__comparison *c = &others->original.comparison;
    if (isnan(c->linkage_quasi))
        return KANON_OK;
    KANON_CHECK(add_figure(others, &kanon__measure_linkage_quasi, c->linkage_quasi, err));
    KANON_CHECK(add_figure(others, &kanon__measure_linkage_all, c->linkage_all, err));
    if (c->linkage_error > 0)
        KANON_CHECK(add_figure(others, &kanon__measure_linkage_error, c->linkage_error, err));
    return kanon__findings_add(&others->findings, "linkage", NULL, NULL, 0,
                               kanon__linkage_mark(c->linkage_quasi, c->linkage_all, k), err, KANON__LINKAGE_SENTENCE,
                               kanon__show_share(c->linkage_quasi).text, kanon__show_share(c->linkage_all).text);
}

kanon_status kanon__others_list(kanon__others *others, const kanon_schema *schema, int64_t k, int64_t persons,
                                int64_t suppressed, kanon_error *err)
{
    if (others->original.table != NULL)
        KANON_CHECK(kanon__original_list(&others->findings, &others->original, schema, suppressed, err));
    if (others->original.table != NULL)
        KANON_CHECK(list_linkage(others, k, err));
    if (others->persons != NULL || others->n_open > 0)
        KANON_CHECK(list_persons(others, persons, err));
    KANON_CHECK(kanon__joint_list(&others->findings, &others->joint, schema, k, err));
    KANON_CHECK(kanon__population_list(&others->findings, &others->population, schema, k, err));
    return kanon__findings_list(&others->findings, err);
}

void kanon__others_clear(kanon__others *others)
{
    kanon__findings_clear(&others->findings);
    kanon__population_clear(&others->population);
    kanon__joint_clear(&others->joint);
    kanon__free(others->persons);
    kanon__original_clear(&others->original);
}
