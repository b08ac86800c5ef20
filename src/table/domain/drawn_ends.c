/* See drawn_ends.h. */
#include "table/domain/drawn_ends.h"

#include "core/alloc.h"
#include "core/sort.h"
#include "core/ticker.h"

#include <string.h>

static uint32_t number_count(const kanon__domain *d)
{
    return d->n_codes - (d->missing_code != KANON__NO_CODE);
}

bool kanon__data_is_drawn(const kanon__data *data)
{
    for (int i = 0; i < data->n_quasi; i++)
        if (data->columns[data->quasi[i]].drawn)
            return true;
    return false;
}

kanon_status kanon__drawn_column_check(const kanon__column *c, const char *source, kanon_error *err)
{
    const kanon__domain *d = c->domain;
    const char *what = NULL, *hint = "remove 'ends', or give the column bands";
    if (!c->drawn || c->role != KANON_ROLE_QUASI || number_count(d) == 0)
        return KANON_OK;
    if (!kanon__type_is_numeric(d->type) || d->type == KANON_TYPE_ORDINAL)
        what = "has drawn ends, but not all of its values are numbers or dates";
    else if (d->scaled == NULL)
        what = "has drawn ends, but numbers with too many digits for that";
    else if (d->type == KANON_TYPE_DATE && kanon__value_has_time(&d->format))
        what = "has drawn ends, but its dates have times";
    if (what == NULL)
        return KANON_OK;
    return kanon__hint(err, kanon__fail(err, KANON_EDATA, "%s: %s: the column %s", source, c->name, what), "%s", hint);
}

/* ---- rules ---------------------------------------------------------------------------------------------------------- */

static int compare_gaps(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The usual step is the median of the differences of neighbours. */
static kanon_status find_rule(kanon__end_rule *out, const kanon__domain *d, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *gaps = NULL, n = (int64_t)number_count(d) - 1, grid = 0;
    *out = (kanon__end_rule){.unit = 1, .grid = 1, .scale = d->scale};
    if (n >= 0) {
        out->range[0] = d->scaled[0];
        out->range[1] = d->scaled[n];
    }
    if (n < 1)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&gaps, n, "drawn ends", err), out);
    for (int64_t i = 0; i < n; i++) {
        gaps[i] = d->scaled[i + 1] - d->scaled[i];
        grid = common_divisor(gaps[i], grid);
    }
    KANON_TRY(kanon__sort(gaps, n, sizeof *gaps, compare_gaps, err), out);
    out->unit = gaps[n / 2];
    out->grid = grid;
out:
    kanon__free(gaps);
    return st;
}

/* ---- the secret ----------------------------------------------------------------------------------------------------- */

static void put_number(unsigned char *to, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t take_number(const unsigned char *from)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number |= (uint64_t)from[i] << (8 * i);
    return number;
}

static void add_number(kanon__keyed_hash *hash, uint64_t number)
{
    unsigned char bytes[8];
    put_number(bytes, number);
    kanon__keyed_hash_add(hash, bytes, sizeof bytes);
}

static void add_text(kanon__keyed_hash *hash, const char *text, size_t length)
{
    add_number(hash, length);
    kanon__keyed_hash_add(hash, text, length);
}

/* What a record says in a column, however it is written. */
static void add_value(kanon__keyed_hash *hash, const kanon__column *c, int64_t row)
{
    uint32_t code = kanon__code_at(c->codes, row);
    uint64_t bits;
    size_t length;
    if (code == c->domain->missing_code) {
        add_text(hash, "", 0);
    } else if (kanon__type_has_mean(c->domain->type)) {
        double value = c->domain->values[code] + 0.0; /* there is one zero */
        memcpy(&bits, &value, sizeof bits);
        add_number(hash, bits);
    } else {
        const char *text = kanon__column_text(c, code, &length);
        add_text(hash, text, length);
    }
}

enum { WORDS = KANON__KEYED_HASH_BYTES / 8 };

/* Of the sum of the hashes of all records, so that their order does not matter and nobody has it who lacks one of them. */
static kanon_status make_secret(kanon__secret *out, const kanon__data *data, uint64_t seed, kanon_error *err)
{
    enum { ROW_NS = 1000, LOOK = 1024 };
    static const char name[] = "kanon: drawn ends";
    kanon__secret key = {{0}};
    unsigned char digest[KANON__KEYED_HASH_BYTES];
    uint64_t sum[WORDS] = {0};
    kanon__keyed_hash begun;
    memcpy(key.bytes, name, sizeof name);
    put_number(key.bytes + KANON__SECRET_BYTES - 8, seed);
    kanon__keyed_hash_begin(&begun, &key);
    for (int64_t row = 0; row < data->n_rows; row++) {
        kanon__keyed_hash hash = begun;
        for (int i = 0; i < data->n_quasi; i++)
            add_value(&hash, &data->columns[data->quasi[i]], row);
        for (int i = 0; i < data->n_sensitive; i++)
            add_value(&hash, &data->columns[data->sensitive[i]], row);
        kanon__keyed_hash_end(&hash, digest);
        for (int i = 0; i < WORDS; i++)
            sum[i] += take_number(digest + 8 * i);
        if (row % LOOK == 0)
            KANON_CHECK(kanon__poll_tick(LOOK * ROW_NS, err));
    }
    add_text(&begun, "secret", strlen("secret"));
    for (int i = 0; i < WORDS; i++)
        add_number(&begun, sum[i]);
    kanon__keyed_hash_end(&begun, digest);
    memcpy(out->bytes, digest, sizeof out->bytes);
    return KANON_OK;
}

kanon_status kanon__draw_new(kanon__draw **out, int n_rules, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__draw *d = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&d, 1, "drawn ends", err), out);
    d->n_rules = n_rules;
    KANON_TRY(kanon__new_array(&d->rules, n_rules, "drawn ends", err), out);
    *out = d;
    d = NULL;
out:
    kanon__draw_free(d);
    return st;
}

kanon_status kanon__draw_of_table(kanon__draw **out, const kanon__data *data, uint64_t seed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__draw *d = NULL;
    *out = NULL;
    if (!kanon__data_is_drawn(data))
        return KANON_OK;
    KANON_TRY(kanon__draw_new(&d, data->n_quasi, err), out);
    KANON_TRY(make_secret(&d->secret, data, seed, err), out);
    for (int i = 0; i < data->n_quasi; i++)
        if (data->columns[data->quasi[i]].drawn)
            KANON_TRY(find_rule(&d->rules[i], data->columns[data->quasi[i]].domain, err), out);
    *out = d;
    d = NULL;
out:
    kanon__draw_free(d);
    return st;
}

void kanon__draw_free(kanon__draw *d)
{
    if (d != NULL)
        kanon__free(d->rules);
    kanon__free(d);
}

/* ---- ends ----------------------------------------------------------------------------------------------------------- */

/* A length of the rule in the scale of the domain, which may have other values now; at least 1. */
static int64_t in_scale(int64_t length, int from, int to)
{
    for (; from < to; from++)
        if (__builtin_mul_overflow(length, (int64_t)10, &length))
            return INT64_MAX / 4;
    for (; from > to; from--)
        length = length / 10 + (length % 10 != 0);
    return length > 0 ? length : 1;
}

/* A number that is as likely as any other, the same for a group and a column for ever. */
static uint64_t drawn_number(const kanon__keyed_hash *begun, int64_t name)
{
    unsigned char digest[KANON__KEYED_HASH_BYTES];
    kanon__keyed_hash hash = *begun;
    add_number(&hash, (uint64_t)name);
    kanon__keyed_hash_end(&hash, digest);
    return take_number(digest);
}

/* A value of the rule's range in the scale of the domain; `up`: rounded up. */
static int64_t value_in_scale(int64_t value, int from, int to, bool up)
{
    for (; from < to; from++)
        if (__builtin_mul_overflow(value, (int64_t)10, &value))
            return value > 0 ? INT64_MAX / 4 : -(INT64_MAX / 4);
    for (; from > to; from--)
        value = value / 10 + (up ? value % 10 > 0 : -(value % 10 < 0));
    return value;
}

/* Where the ends of a group may lie: in the range of the rule. Beyond a side of it that the group itself is beyond, as far
 * as ends move at all, but not to dates without a name or below zero. A range of one value hid nothing, and is none. */
static void find_limits(int64_t limits[2], const int64_t ends[2], const kanon__end_rule *rule, const kanon__domain *d,
                        int64_t most_moved)
{
    enum { FIRST_DAY = -719162, LAST_DAY = 2932896 }; /* 0001-01-01, 9999-12-31 */
    bool is_date = d->type == KANON_TYPE_DATE, open = rule->range[0] == rule->range[1] && number_count(d) > 1;
    int64_t first = is_date ? FIRST_DAY : ends[0] >= 0 ? 0 : -(INT64_MAX / 4), last = is_date ? LAST_DAY : INT64_MAX / 4;
    limits[0] = value_in_scale(rule->range[0], rule->scale, d->scale, false);
    limits[1] = value_in_scale(rule->range[1], rule->scale, d->scale, true);
    if (open || ends[0] < limits[0])
        limits[0] = ends[0] < first ? ends[0] : ends[0] < first + most_moved ? first : ends[0] - most_moved;
    if (open || ends[1] > limits[1])
        limits[1] = ends[1] > last ? ends[1] : ends[1] > last - most_moved ? last : ends[1] + most_moved;
}

/* Both ends together move by `steps` of the grid, or as far as the limits allow. */
static void move_ends(int64_t ends[2], const kanon__end_rule *rule, const kanon__domain *d, int64_t unit, int64_t grid,
                      uint64_t random)
{
    int64_t limits[2], usual = 2 * (unit / grid), steps = (ends[1] - ends[0]) / 8 / grid;
    steps = steps > usual ? steps : usual;
    find_limits(limits, ends, rule, d, steps * grid);
    int64_t below = (ends[0] - limits[0]) / grid, above = (limits[1] - ends[1]) / grid;
    if (below + above <= steps) {
        ends[0] = limits[0];
        ends[1] = limits[1];
        return;
    }
    int64_t first = steps > above ? steps - above : 0, last = steps < below ? steps : below;
    int64_t down = first + (int64_t)((unsigned __int128)random * (uint64_t)(last - first + 1) >> 64);
    ends[0] -= down * grid;
    ends[1] += (steps - down) * grid;
}

static kanon_status draw_column(int64_t *ends, const kanon__column *c, const kanon__end_rule *rule, const kanon__draw *draw,
                                const int32_t *group_of, int64_t n_rows, int64_t n_groups, const int64_t *names,
                                kanon_error *err)
{
    const kanon__domain *d = c->domain;
    kanon__keyed_hash begun;
    int64_t unit = in_scale(rule->unit, rule->scale, d->scale), grid = in_scale(rule->grid, rule->scale, d->scale);
    kanon__keyed_hash_begin(&begun, &draw->secret);
    add_text(&begun, c->name, strlen(c->name));
    for (int64_t group = 0; group < n_groups; group++) {
        ends[2 * group] = INT64_MAX;
        ends[2 * group + 1] = INT64_MIN;
    }
    for (int64_t row = 0; row < n_rows; row++) {
        uint32_t code = kanon__code_at(c->codes, row);
        if (group_of[row] < 0 || code == d->missing_code)
            continue;
        int64_t *of = ends + 2 * (int64_t)group_of[row], value = d->scaled[code];
        of[0] = value < of[0] ? value : of[0];
        of[1] = value > of[1] ? value : of[1];
    }
    for (int64_t group = 0; group < n_groups; group++)
        if (ends[2 * group] <= ends[2 * group + 1])
            move_ends(ends + 2 * group, rule, d, unit, grid,
                      drawn_number(&begun, names != NULL ? names[group] : group + 1));
    return kanon__poll_tick(KANON__TICK_POLL_NS, err);
}

static kanon_status new_ends(kanon__drawn_ends **out, int n_quasi, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__drawn_ends *e = NULL;
    KANON_TRY(kanon__new_array(&e, 1, "drawn ends", err), out);
    e->n_quasi = n_quasi;
    KANON_TRY(kanon__new_array(&e->columns, n_quasi, "drawn ends", err), out);
    KANON_TRY(kanon__new_array(&e->ends, n_quasi, "drawn ends", err), out);
    *out = e;
    e = NULL;
out:
    kanon__drawn_ends_free(e);
    return st;
}

static kanon_status add_column(kanon__drawn_ends *e, int i, const char *name, int64_t n_groups, kanon_error *err)
{
    KANON_CHECK(kanon__copy_text(&e->columns[i], name, strlen(name), "a column name", err));
    return kanon__new_array(&e->ends[i], 2 * n_groups, "drawn ends", err);
}

kanon_status kanon__drawn_ends_new(kanon__drawn_ends **out, const kanon__data *data, const kanon__draw *draw,
                                   const int32_t *group_of, int64_t n_groups, const int64_t *names, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__drawn_ends *e = NULL;
    *out = NULL;
    KANON_TRY(new_ends(&e, data->n_quasi, err), out);
    for (int i = 0; i < data->n_quasi; i++) {
        const kanon__column *c = &data->columns[data->quasi[i]];
        if (!c->drawn || draw->rules[i].unit == 0 || number_count(c->domain) == 0 || c->domain->scaled == NULL)
            continue;
        KANON_TRY(add_column(e, i, c->name, n_groups, err), out);
        KANON_TRY(draw_column(e->ends[i], c, &draw->rules[i], draw, group_of, data->n_rows, n_groups, names, err), out);
    }
    *out = e;
    e = NULL;
out:
    kanon__drawn_ends_free(e);
    return st;
}

kanon_status kanon__drawn_ends_pick(kanon__drawn_ends **out, const kanon__drawn_ends *ends, const int64_t *from, int64_t n,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__drawn_ends *e = NULL;
    *out = NULL;
    KANON_TRY(new_ends(&e, ends->n_quasi, err), out);
    for (int i = 0; i < ends->n_quasi; i++) {
        if (ends->ends[i] == NULL)
            continue;
        KANON_TRY(add_column(e, i, ends->columns[i], n, err), out);
        for (int64_t group = 0; group < n; group++) {
            e->ends[i][2 * group] = from[group] >= 0 ? ends->ends[i][2 * from[group]] : INT64_MAX;
            e->ends[i][2 * group + 1] = from[group] >= 0 ? ends->ends[i][2 * from[group] + 1] : INT64_MIN;
        }
    }
    *out = e;
    e = NULL;
out:
    kanon__drawn_ends_free(e);
    return st;
}

void kanon__drawn_ends_free(kanon__drawn_ends *e)
{
    if (e == NULL)
        return;
    for (int i = 0; e->ends != NULL && i < e->n_quasi; i++) {
        kanon__free(e->ends[i]);
        kanon__free(e->columns[i]);
    }
    kanon__free(e->ends);
    kanon__free(e->columns);
    kanon__free(e);
}

const int64_t *kanon__drawn_ends_find(const kanon__drawn_ends *e, const char *column)
{
    for (int i = 0; e != NULL && i < e->n_quasi; i++)
        if (e->ends[i] != NULL && strcmp(e->columns[i], column) == 0)
            return e->ends[i];
    return NULL;
}
