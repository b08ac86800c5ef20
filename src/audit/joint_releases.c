/* See joint_releases.h.
 *
 *     1. Each release becomes the class of each row, and the number of the record that it is: that of its key, or its place
 *        in the original.
 *     2. A record has a tuple, its class in each release (0: absent); records with one tuple are a joint class.
 *     3. Persons and sensitive values are sorted by class, and different neighbours are counted. The value of a record is
 *        that of the last release that has it. */
#include "audit/joint_releases.h"

#include "audit/class_table.h"
#include "audit/file_columns.h"
#include "audit/key_rows.h"
#include "audit/quasi_columns.h"
#include "core/alloc.h"
#include "core/sort.h"
#include "table/read/open_table.h"

#include <string.h>

/* A release as far as it matters. */
typedef struct release {
    kanon__source *owned; /* NULL: the source is the caller's */
    const kanon__source *source;
    int64_t n_rows;
    uint32_t *class_of;  /* by row */
    uint32_t *record_of; /* by row */
    kanon__file_column *columns;
    int n_columns, n_quasi; /* the quasi columns come first, then the sensitive ones, and the persons */
} release;

typedef struct joiner {
    kanon__joint *found;
    const kanon__joint_subject *subject;
    release *releases;
    int64_t n_releases;
    kanon__dictionary keys;
    kanon__dictionary *values; /* by sensitive column */
    kanon__dictionary persons;
    uint32_t *person_of; /* by record; NULL: not known */
} joiner;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static kanon_status add_column(release *r, const char *name, int first, int last, bool plain, kanon_error *err)
{
    kanon__file_column *column = &r->columns[r->n_columns++];
    KANON_CHECK(kanon__file_column_init(column, name, first, last, plain, err));
    column->exact = !plain;
    return KANON_OK;
}

static kanon_status add_quasi(joiner *j, release *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__quasi_place *places = NULL;
    int n = 0;
    KANON_TRY(kanon__quasi_places(&places, &n, r->source, j->subject->schema, NULL, err), out);
    for (int i = 0; i < n; i++)
        KANON_TRY(add_column(r, places[i].name, places[i].first, places[i].last, false, err), out);
out:
    kanon__free(places);
    return st;
}

static kanon_status add_columns(joiner *j, release *r, kanon_error *err)
{
    const kanon_schema *schema = j->subject->schema;
    const char *entity = schema->said[KANON__WHOLE_ENTITY];
    KANON_CHECK(kanon__new_array(&r->columns, r->source->n_columns + j->found->sensitive.n + 1, "columns", err));
    KANON_CHECK(add_quasi(j, r, err));
    r->n_quasi = r->n_columns;
    if (r->n_quasi == 0)
        return kanon__fail(err, KANON_EDATA, "%s:1: no column of the file is a quasi one", r->source->name);
    for (int64_t i = 0; i < j->found->sensitive.n; i++) {
        const char *name = j->found->sensitive.items[i];
        int place = kanon__source_find(r->source, name);
        KANON_CHECK(add_column(r, name, place, place, true, err)); /* one that is not there is not read */
    }
    if (entity != NULL)
        KANON_CHECK(add_column(r, entity, kanon__source_find(r->source, entity), -1, true, err));
    return KANON_OK;
}

/* The columns of which the file has something. */
static kanon_status read_columns(joiner *j, release *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__file_column *there = NULL;
    int n = 0;
    KANON_TRY(kanon__new_array(&there, r->n_columns, "columns", err), out);
    for (int i = 0; i < r->n_columns; i++)
        if (r->columns[i].first >= 0)
            there[n++] = r->columns[i];
    st = kanon__file_columns_read(there, n, &r->n_rows, r->source, j->subject->schema, j->subject->ticker, err);
    for (int i = 0, at = 0; i < r->n_columns; i++)
        if (r->columns[i].first >= 0)
            r->columns[i] = there[at++];
out:
    kanon__free(there);
    return st;
}

static kanon_status find_classes(release *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__class_table classes = {.width = r->n_quasi};
    uint32_t *tuple = NULL;
    KANON_TRY(kanon__new_array(&tuple, r->n_quasi, "a row", err), out);
    KANON_TRY(kanon__new_array(&r->class_of, r->n_rows, "classes of rows", err), out);
    for (int64_t row = 0; row < r->n_rows; row++) {
        for (int i = 0; i < r->n_quasi; i++)
            tuple[i] = r->columns[i].codes[row];
        KANON_TRY(kanon__class_table_add(&classes, &r->class_of[row], tuple, err), out);
    }
out:
    kanon__class_table_clear(&classes);
    kanon__free(tuple);
    return st;
}

static kanon_status open_earlier(joiner *j, release *r, const kanon_input *given, kanon_error *err)
{
    kanon__input input;
    kanon__csv_reading how;
    KANON_CHECK(kanon__table_input_take(&input, &how, given, KANON_OK, err));
    if (how.header == KANON_HEADER_UNSAID)
        how.header = KANON_HEADER_YES;
    KANON_CHECK(kanon__table_source_read(&r->owned, &input, &how, j->subject->ticker, err));
    r->source = r->owned;
    return KANON_OK;
}

/* ---- who is who -------------------------------------------------------------------------------------------------- */

static bool has_columns(const kanon__source *source, const kanon__texts *key, const char **missing)
{
    for (int64_t i = 0; i < key->n; i++)
        if (kanon__source_find(source, key->items[i]) < 0) {
            *missing = key->items[i];
            return false;
        }
    return key->n > 0;
}

/* *out: all releases have the key. */
static kanon_status has_key(const joiner *j, bool *out, kanon_error *err)
{
    const char *missing = NULL;
    *out = j->subject->key->columns.n > 0;
    for (int64_t i = 0; *out && i < j->n_releases; i++) {
        const kanon__source *source = j->releases[i].source;
        *out = has_columns(source, &j->subject->key->columns, &missing);
        if (!*out && j->subject->key->is_said) {
            kanon_status st = kanon__fail(err, KANON_EDATA, "%s:1: %s: there is no such column, which is one of the key",
                                          source->name, missing);
            return kanon__hint(err, st, "the columns of the key must be in all releases");
        }
    }
    return KANON_OK;
}

static kanon_status number_by_key(joiner *j, kanon_error *err)
{
    KANON_CHECK(kanon__dictionary_init(&j->keys, err));
    for (int64_t i = 0; i < j->n_releases; i++) {
        release *r = &j->releases[i];
        KANON_CHECK(kanon__keys_number(&j->keys, &r->record_of, &r->n_rows, &j->subject->key->columns, r->source,
                                       j->subject->ticker, err));
    }
    j->found->n_records = j->keys.n;
    return KANON_OK;
}

/* Whether each row is a record of its own, whose cells it covers. */
static bool is_placed(const kanon__comparison *c)
{
    for (int i = 0; i < c->n_columns; i++)
        if (c->columns[i].uncovered > 0 && !c->columns[i].permuted)
            return false;
    return c->unplaced == 0 && c->foreign == 0 && c->doubled == 0;
}

static kanon_status take_places(release *r, const kanon__comparison *c, kanon_error *err)
{
    KANON_CHECK(kanon__new_array(&r->record_of, r->n_rows, "records", err));
    for (int64_t row = 0; row < r->n_rows; row++)
        r->record_of[row] = (uint32_t)c->row_of[row];
    return KANON_OK;
}

/* The last release is the one that is checked, which is compared already. */
static kanon_status number_by_original(joiner *j, kanon_error *err)
{
    static const kanon__texts no_key = {0};
    const kanon__original *original = j->subject->original;
    j->found->n_records = original->table->data.n_rows;
    for (int64_t i = 0; i < j->n_releases && j->found->open == NULL; i++) {
        release *r = &j->releases[i];
        bool is_last = i + 1 == j->n_releases;
        kanon__comparison own = {.n_rows = 0};
        const kanon__comparison *c = is_last ? &original->comparison : &own;
        kanon_status st = is_last ? KANON_OK
                                  : kanon__compare_original(&own, original->table, r->source, j->subject->schema, &no_key,
                                                            r->class_of, j->subject->ticker, err);
        if (st == KANON_OK && !is_placed(c))
            j->found->open = is_last ? "rows of the file may be several records of the original, or none"
                                     : "rows of an earlier release may be several records of the original, or none";
        else if (st == KANON_OK)
            st = take_places(r, c, err);
        kanon__comparison_clear(&own);
        KANON_CHECK(st);
    }
    return KANON_OK;
}

static kanon_status number_records(joiner *j, kanon_error *err)
{
    bool by_key = false;
    KANON_CHECK(has_key(j, &by_key, err));
    if (by_key)
        return number_by_key(j, err);
    if (j->subject->original->table != NULL)
        return number_by_original(j, err);
    j->found->open = "who is who in them is known by a key that all have, or by the original";
    return KANON_OK;
}

/* ---- persons ----------------------------------------------------------------------------------------------------- */

/* By the original, whose records are those of all releases. */
static bool take_from_original(joiner *j)
{
    const kanon__original *original = j->subject->original;
    if (original->table == NULL || !original->table->data.has_entity || j->keys.n > 0)
        return false;
    const kanon__data *data = &original->table->data;
    for (int64_t record = 0; record < j->found->n_records; record++)
        j->person_of[record] = kanon__code_at(data->entity_codes, record);
    return true;
}

/* By the entity column, where every release has it. */
static kanon_status take_from_releases(joiner *j, bool *known, kanon_error *err)
{
    *known = true;
    for (int64_t i = 0; i < j->n_releases; i++)
        *known &= j->releases[i].columns[j->releases[i].n_columns - 1].first >= 0;
    if (*known)
        KANON_CHECK(kanon__dictionary_init(&j->persons, err));
    for (int64_t i = 0; *known && i < j->n_releases; i++) {
        const release *r = &j->releases[i];
        const kanon__file_column *column = &r->columns[r->n_columns - 1];
        for (int64_t row = 0; row < r->n_rows; row++) {
            size_t length;
            const char *text = kanon__dictionary_text(&column->texts, column->codes[row], &length);
            KANON_CHECK(kanon__dictionary_add(&j->persons, &j->person_of[r->record_of[row]], text, length, err));
        }
    }
    return KANON_OK;
}

/* By the key that the original has, too. */
static kanon_status take_by_key(joiner *j, bool *known, kanon_error *err)
{
    const kanon__original *original = j->subject->original;
    uint32_t *numbers = NULL, n_before = j->keys.n;
    int64_t n_rows = 0;
    const char *missing = NULL;
    *known = original->table != NULL && original->table->data.has_entity && n_before > 0 &&
             has_columns(original->table->source, &j->subject->key->columns, &missing);
    if (!*known)
        return KANON_OK;
    KANON_CHECK(kanon__keys_number(&j->keys, &numbers, &n_rows, &j->subject->key->columns, original->table->source,
                                   j->subject->ticker, err));
    int64_t n_known = 0;
    for (int64_t row = 0; row < n_rows; row++)
        if (numbers[row] < n_before) {
            j->person_of[numbers[row]] = kanon__code_at(original->table->data.entity_codes, row);
            n_known++;
        }
    *known = n_known == n_before;
    kanon__free(numbers);
    return KANON_OK;
}

static kanon_status find_persons(joiner *j, kanon_error *err)
{
    bool known = false;
    if (j->subject->schema->said[KANON__WHOLE_ENTITY] == NULL)
        return KANON_OK;
    KANON_CHECK(kanon__new_array(&j->person_of, j->found->n_records, "persons", err));
    known = take_from_original(j);
    if (!known)
        KANON_CHECK(take_by_key(j, &known, err));
    if (!known)
        KANON_CHECK(take_from_releases(j, &known, err));
    j->found->of_persons = known;
    if (!known)
        j->found->open = "whose their records are is not known";
    return KANON_OK;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

/* By record: its class in each release, from 1. */
static kanon_status find_joint_classes(joiner *j, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__joint *found = j->found;
    kanon__class_table classes = {.width = (int)j->n_releases};
    uint32_t *tuples = NULL;
    KANON_TRY(kanon__new_array(&tuples, found->n_records * j->n_releases, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&found->class_of, found->n_records, "joint classes", err), out);
    for (int64_t i = 0; i < j->n_releases; i++)
        for (int64_t row = 0; row < j->releases[i].n_rows; row++)
            tuples[j->releases[i].record_of[row] * j->n_releases + i] = j->releases[i].class_of[row] + 1;
    for (int64_t record = 0; record < found->n_records; record++) {
        bool is_seen = false;
        for (int64_t i = 0; i < j->n_releases; i++)
            is_seen |= tuples[record * j->n_releases + i] > 0;
        found->class_of[record] = UINT32_MAX; /* of none: no release has it */
        if (is_seen)
            KANON_TRY(kanon__class_table_add(&classes, &found->class_of[record], tuples + record * j->n_releases, err), out);
    }
    found->n_classes = classes.n;
    KANON_TRY(kanon__new_array(&found->sizes, classes.n, "joint classes", err), out);
    for (uint32_t i = 0; i < classes.n; i++)
        found->sizes[i] = classes.sizes[i];
out:
    kanon__class_table_clear(&classes);
    kanon__free(tuples);
    return st;
}

typedef struct class_item {
    uint32_t class_id, item;
} class_item;

static int by_class(const void *left, const void *right)
{
    const class_item *a = left, *b = right;
    if (a->class_id != b->class_id)
        return a->class_id < b->class_id ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

/* How many different items (by record; KANON__NO_CODE: none) the records of each class have. */
static kanon_status count_different(int64_t *out, const kanon__joint *found, const uint32_t *items, kanon_error *err)
{
    kanon_status st = KANON_OK;
    class_item *list = NULL;
    int64_t n = 0;
    KANON_TRY(kanon__new_array(&list, found->n_records, "joint classes", err), out);
    for (int64_t record = 0; record < found->n_records; record++)
        if (found->class_of[record] != UINT32_MAX && items[record] != KANON__NO_CODE)
            list[n++] = (class_item){found->class_of[record], items[record]};
    KANON_TRY(kanon__sort(list, n, sizeof *list, by_class, err), out);
    memset(out, 0, (size_t)found->n_classes * sizeof *out);
    for (int64_t i = 0; i < n; i++)
        out[list[i].class_id] += i == 0 || by_class(&list[i - 1], &list[i]) != 0;
out:
    kanon__free(list);
    return st;
}

/* A sensitive column: the last value of each record. */
static kanon_status count_values(joiner *j, int column, int64_t *different, uint32_t *value_of, kanon_error *err)
{
    int64_t *fewest = &j->found->fewest[column];
    KANON_CHECK(kanon__dictionary_init(&j->values[column], err));
    for (int64_t record = 0; record < j->found->n_records; record++)
        value_of[record] = KANON__NO_CODE;
    for (int64_t i = 0; i < j->n_releases; i++) {
        const release *r = &j->releases[i];
        const kanon__file_column *c = &r->columns[r->n_quasi + column];
        for (int64_t row = 0; c->first >= 0 && row < r->n_rows; row++) {
            size_t length;
            const char *text = kanon__dictionary_text(&c->texts, c->codes[row], &length);
            KANON_CHECK(kanon__dictionary_add(&j->values[column], &value_of[r->record_of[row]], text, length, err));
        }
    }
    KANON_CHECK(count_different(different, j->found, value_of, err));
    *fewest = INT64_MAX;
    for (int64_t i = 0; i < j->found->n_classes; i++)
        *fewest = different[i] > 0 && different[i] < *fewest ? different[i] : *fewest;
    return KANON_OK;
}

static kanon_status count(joiner *j, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__joint *found = j->found;
    int64_t *different = NULL;
    uint32_t *value_of = NULL;
    KANON_TRY(find_joint_classes(j, err), out);
    if (found->of_persons)
        KANON_TRY(count_different(found->sizes, found, j->person_of, err), out);
    for (int64_t i = 0; i < found->n_classes; i++)
        found->smallest = i == 0 || found->sizes[i] < found->smallest ? found->sizes[i] : found->smallest;
    KANON_TRY(kanon__new_array(&different, found->n_classes, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&value_of, found->n_records, "joint classes", err), out);
    for (int i = 0; i < found->sensitive.n; i++)
        KANON_TRY(count_values(j, i, different, value_of, err), out);
out:
    kanon__free(value_of);
    kanon__free(different);
    return st;
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

/* The sensitive columns of the release that is checked. */
static kanon_status list_sensitive(joiner *j, kanon_error *err)
{
    const kanon_schema *schema = j->subject->schema;
    const kanon__source *file = j->subject->release;
    for (int i = 0; i < file->n_columns; i++) {
        const char *name = file->column_names[i];
        if (kanon__schema_role(schema, kanon__schema_find(schema, name)) == KANON_ROLE_SENSITIVE)
            KANON_CHECK(kanon__texts_add(&j->found->sensitive, name, strlen(name), err));
    }
    KANON_CHECK(kanon__new_array(&j->found->fewest, j->found->sensitive.n, "sensitive columns", err));
    return kanon__new_array(&j->values, j->found->sensitive.n, "sensitive columns", err);
}

static kanon_status join(joiner *j, const kanon_input *const *earlier, kanon_error *err)
{
    KANON_CHECK(list_sensitive(j, err));
    KANON_CHECK(kanon__new_array(&j->releases, j->n_releases, "releases", err));
    for (int64_t i = 0; i < j->n_releases; i++) {
        release *r = &j->releases[i];
        r->source = j->subject->release;
        if (i + 1 < j->n_releases)
            KANON_CHECK(open_earlier(j, r, earlier[i], err));
        KANON_CHECK(add_columns(j, r, err));
        KANON_CHECK(read_columns(j, r, err));
        KANON_CHECK(find_classes(r, err));
    }
    KANON_CHECK(number_records(j, err));
    if (j->found->open != NULL)
        return KANON_OK;
    KANON_CHECK(find_persons(j, err));
    return j->found->open == NULL ? count(j, err) : KANON_OK;
}

kanon_status kanon__joint_read(kanon__joint *out, const kanon__joint_subject *subject, const kanon_input *const *earlier,
                               size_t n_earlier, kanon_error *err)
{
    joiner j = {.found = out, .subject = subject, .n_releases = (int64_t)n_earlier + 1};
    out->n_releases = j.n_releases;
    kanon_status st = join(&j, earlier, err);
    for (int64_t i = 0; j.releases != NULL && i < j.n_releases; i++) {
        kanon__file_columns_clear(j.releases[i].columns, j.releases[i].n_columns);
        kanon__free(j.releases[i].class_of);
        kanon__free(j.releases[i].record_of);
        kanon__source_free(j.releases[i].owned);
    }
    for (int64_t i = 0; j.values != NULL && i < out->sensitive.n; i++)
        kanon__dictionary_clear(&j.values[i]);
    kanon__free(j.values);
    kanon__free(j.releases);
    kanon__free(j.person_of);
    kanon__dictionary_clear(&j.persons);
    kanon__dictionary_clear(&j.keys);
    return st;
}

void kanon__joint_clear(kanon__joint *joint)
{
    kanon__texts_clear(&joint->sensitive);
    kanon__free(joint->fewest);
    kanon__free(joint->class_of);
    kanon__free(joint->sizes);
    *joint = (kanon__joint){0};
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static kanon_status list_figures(kanon__findings *out, const kanon__joint *joint, int64_t below, int64_t k, kanon_error *err)
{
    KANON_CHECK(kanon__findings_figure(out, "joint_k", NULL,
                                       "records (with an entity persons) in the smallest class of all releases together",
                                       (double)joint->smallest, true, err));
    if (k > 0)
        KANON_CHECK(kanon__findings_figure(out, "records_below_k", NULL, "records in such classes of fewer than k",
                                           (double)below, true, err));
    for (int64_t i = 0; i < joint->sensitive.n; i++)
        KANON_CHECK(kanon__findings_figure(out, "joint_distinct", joint->sensitive.items[i],
                                           "the fewest different values in such a class", (double)joint->fewest[i], true,
                                           err));
    return KANON_OK;
}

kanon_status kanon__joint_list(kanon__findings *out, const kanon__joint *joint, const kanon_schema *schema, int64_t k,
                               kanon_error *err)
{
    int64_t wanted = schema->joint_k == 0 ? k : schema->joint_k == KANON_JOINT_K_OFF ? 0 : schema->joint_k, below = 0;
    long long n_earlier = joint->n_releases - 1;
    const char *ending = n_earlier == 1 ? "" : "s", *what = joint->of_persons ? "persons" : "records";
    if (joint->n_releases == 0)
        return KANON_OK;
    if (joint->open != NULL)
        return kanon__findings_add(out, "earlier", NULL, NULL, 0, KANON_MARK_NOT_SHOWN, err,
                                   "what %lld earlier release%s reveal%s together with this one cannot be counted: %s",
                                   n_earlier, ending, n_earlier == 1 ? "s" : "", joint->open);
    for (int64_t record = 0; record < joint->n_records; record++)
        below += joint->class_of[record] != UINT32_MAX && joint->sizes[joint->class_of[record]] < wanted;
    KANON_CHECK(list_figures(out, joint, below, wanted > 0 ? wanted : k, err));
    if (below > 0)
        return kanon__findings_add(out, "earlier", NULL, NULL, below, KANON_MARK_FAILED, err,
                                   "together with %lld earlier release%s %lld record%s among fewer than %lld %s: joint k is "
                                   "%lld",
                                   n_earlier, ending, (long long)below, below == 1 ? " is" : "s are", (long long)wanted,
                                   what, (long long)joint->smallest);
    return kanon__findings_add(out, "earlier", NULL, NULL, joint->smallest, KANON_MARK_MET, err,
                               "together with %lld earlier release%s each record is among at least %lld %.*s", n_earlier,
                               ending, (long long)joint->smallest, (int)strlen(what) - (joint->smallest == 1), what);
}
