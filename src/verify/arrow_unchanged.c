/* Kept columns of an Arrow release hold the values of the input: those of its Arrow arrays, or the numbers that the codes of
 * the table stand for, which were held against the cells before. Cells of text are compared by verify_arrow.c. */
#include "verify/arrow_check.h"

#include "core/alloc.h"

static const char other_value[] = "a kept column with another value than the input's";

/* What one task compares with. */
typedef struct kept_pass {
    kanon__arrow_check *check;
    const kanon__checked_field *field;
    int64_t *known;            /* dictionaries: by entry of the input, one more than the released entry of the same value */
    kanon__read_value *values; /* of a table that is not from Arrow, by code */
} kept_pass;

static kanon__read_value original_of(const kept_pass *p, int64_t row)
{
    if (p->values == NULL)
        return kanon__read_row(&p->field->given, row);
    return p->values[kanon__code_at(p->check->table->data.columns[p->field->number].codes, row)];
}

/* One record. */
static bool is_same(const kept_pass *p, int64_t place)
{
    return kanon__read_equal(kanon__read_row(&p->field->released[0], place),
                             original_of(p, kanon__checked_row(p->check, place)));
}

static kanon_status check_one_by_one(const kept_pass *p, int64_t place, int64_t n, kanon_error *err)
{
    for (int64_t i = place; i < place + n; i++)
        if (!is_same(p, i))
            return kanon__checked_fail(p->check, p->field, kanon__checked_row(p->check, i), other_value, err);
    return KANON_OK;
}

/* ---- Arrow against Arrow ------------------------------------------------------------------------------------------ */

/* Whether the rows of a batch are the buffers of the input: then they are equal. */
static bool is_input_itself(const kept_pass *p, int64_t batch)
{
    const kanon__read_column *released = &p->field->released[0], *given = &p->field->given;
    if (p->check->arrow == NULL || p->check->claim->order != NULL || released->shape.index_size > 0 ||
        released->shape.letter == 'v' || batch >= given->n_batches || released->begins[batch] != given->begins[batch] ||
        released->begins[batch + 1] != given->begins[batch + 1])
        return false;
    const struct ArrowArray *one = released->arrays[batch], *two = given->arrays[batch];
    if (one->n_buffers != two->n_buffers || one->offset != two->offset + given->skipped[batch])
        return false;
    for (int64_t i = 1; i < one->n_buffers; i++)
        if (one->buffers[i] != two->buffers[i])
            return false;
    return one->null_count == 0 && two->null_count == 0;
}

/* Numbers, or entries of dictionaries; each pair of entries is compared once. */
static kanon_status check_keys(const kept_pass *p, int64_t place, int64_t n, kanon_error *err)
{
    kanon__read_keys one, two;
    const int32_t *order = p->check->claim->order;
    kanon__read_block(&one, &p->field->released[0], NULL, place, n);
    kanon__read_block(&two, &p->field->given, order != NULL ? order + place : NULL, place, n);
    for (int64_t i = 0; i < n; i++) {
        if (p->known == NULL ? one.valid[i] == two.valid[i] && one.keys[i] == two.keys[i]
                             : one.valid[i] && two.valid[i] && p->known[two.keys[i]] == one.keys[i] + 1)
            continue;
        if (!is_same(p, place + i))
            return kanon__checked_fail(p->check, p->field, kanon__checked_row(p->check, place + i), other_value, err);
        if (p->known != NULL && one.valid[i] && two.valid[i])
            p->known[two.keys[i]] = one.keys[i] + 1;
    }
    return KANON_OK;
}

/* Texts of two arrays without nulls, from these places on: their lengths, and then all bytes. */
static bool are_same_texts(int size, const struct ArrowArray *one, int64_t place, const struct ArrowArray *two,
                           int64_t other, int64_t n)
{
    int64_t begin = (int64_t)kanon__read_whole(one->buffers[1], place, size, true), length = 0;
    int64_t other_begin = (int64_t)kanon__read_whole(two->buffers[1], other, size, true);
    for (int64_t i = 1; i <= n; i++) {
        length = (int64_t)kanon__read_whole(one->buffers[1], place + i, size, true) - begin;
        if (length != (int64_t)kanon__read_whole(two->buffers[1], other + i, size, true) - other_begin)
            return false;
    }
    return length == 0 ||
           memcmp((const char *)one->buffers[2] + begin, (const char *)two->buffers[2] + other_begin, (size_t)length) == 0;
}

static kanon_status check_texts(const kept_pass *p, int64_t place, int64_t n, kanon_error *err)
{
    const kanon__read_column *released = &p->field->released[0], *given = &p->field->given;
    int64_t batch = kanon__read_batch(released, place), other = kanon__read_batch(given, place);
    const struct ArrowArray *one = released->arrays[batch], *two = given->arrays[other];
    bool at_once = p->check->claim->order == NULL && one->null_count == 0 && two->null_count == 0 &&
                   place + n <= released->begins[batch + 1] && place + n <= given->begins[other + 1];
    if (at_once && are_same_texts(released->shape.size, one, one->offset + place - released->begins[batch], two,
                                  two->offset + given->skipped[other] + place - given->begins[other], n))
        return KANON_OK;
    return check_one_by_one(p, place, n, err);
}

/* ---- codes -------------------------------------------------------------------------------------------------------- */

/* The number that each code of a table that is not from Arrow is to be released as; missing ones are null. */
static kanon_status list_values(kept_pass *p, kanon_error *err)
{
    const kanon__domain *domain = p->check->table->data.columns[p->field->number].domain;
    KANON_CHECK(kanon__new_array(&p->values, domain->n_codes, "the check of the release", err));
    for (uint32_t code = 0; code < domain->n_codes; code++) {
        size_t length;
        const char *text = kanon__domain_text(domain, code, &length);
        p->values[code] = code != domain->missing_code ? kanon__checked_number(domain, text, length, false)
                                                       : (kanon__read_value){.kind = KANON__READ_NULL};
    }
    return KANON_OK;
}

/* ---- records ------------------------------------------------------------------------------------------------------ */

/* Of a permuted column: any record of the group may have what is shown. */
static kanon_status count_block(const kept_pass *p, int64_t place, int64_t n)
{
    for (int64_t i = place; i < place + n; i++)
        kanon__checked_count(p->check, p->field, kanon__checked_row(p->check, i),
                             kanon__read_row(&p->field->released[0], i),
                             original_of(p, kanon__checked_row(p->check, i)));
    return KANON_OK;
}

static kanon_status check_block(const kept_pass *p, int64_t place, int64_t n, kanon_error *err)
{
    const kanon__read_shape shape = p->field->released[0].shape;
    if (kanon__cell_sums_has(p->check->sums, p->field->number))
        return count_block(p, place, n);
    if (p->values != NULL)
        return check_one_by_one(p, place, n, err);
    if (p->known != NULL || kanon__read_has_keys(shape))
        return check_keys(p, place, n, err);
    return shape.letter == 'u' ? check_texts(p, place, n, err) : check_one_by_one(p, place, n, err);
}

kanon_status kanon__unchanged_check(kanon__arrow_check *c, const kanon__checked_field *f, kanon__checked_range *range,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    kept_pass p = {.check = c, .field = f};
    int64_t n;
    const kanon__column *column = &c->table->data.columns[f->number];
    bool numbers = kanon__column_is_numeric(column) && column->domain->type != KANON_TYPE_ORDINAL;
    if (c->arrow == NULL && (column->role != KANON_ROLE_SENSITIVE || !numbers))
        return KANON_OK; /* its cells were compared as they were read */
    if (c->arrow == NULL)
        KANON_TRY(list_values(&p, err), out);
    else if (f->given.shape.index_size > 0)
        KANON_TRY(kanon__new_array(&p.known, f->given.n_entries, "the check of the release", err), out);
    for (int64_t at = range->begin;; at += n) {
        KANON_TRY(kanon__checked_block(c, range, at, &n, err), out);
        if (n == 0)
            break;
        int64_t batch = kanon__read_batch(&f->released[0], at), end = c->begins[batch + 1];
        bool permuted = kanon__cell_sums_has(c->sums, f->number);
        if (!permuted && is_input_itself(&p, batch) && at + n <= end)
            continue;
        KANON_TRY(check_block(&p, at, n, err), out);
    }
out:
    kanon__free(p.values);
    kanon__free(p.known);
    return st;
}
