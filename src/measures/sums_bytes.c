/* Sums of a release that many processes made: kanon_tally. Each block adds up its groups (sums.h); the sums of all
 * blocks, which travel packed, have the figures of the whole. */
#include "core/alloc.h"
#include "core/context.h"
#include "measures/measure.h"
#include "table/read/whole_domain.h"

#include <kanon_blocks.h>
#include <string.h>

typedef struct tally {
    kanon_piece piece;
    kanon__whole *domain; /* a reference */
    kanon__sums sums;
} tally;

static void free_tally(void *object)
{
    tally *t = object;
    kanon__sums_clear(&t->sums);
    kanon__piece_free(t->domain);
    kanon__free(t);
}

/* Its sums are all zero. */
static kanon_status new_tally(tally **out, const kanon__whole *domain, kanon_error *err)
{
    tally *t = NULL;
    kanon_status st = kanon__new_array(&t, 1, "a tally", err);
    if (st != KANON_OK)
        return st;
    t->piece = kanon__piece_begin(&kanon__tally_kind);
    t->domain = kanon__whole_share(domain);
    *out = t;
    return KANON_OK;
}

/* ---- a block ----------------------------------------------------------------------------------------------------- */

static kanon_status tally_of(kanon_tally **out, const kanon_table *rows, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    tally *t = NULL;
    kanon__settings settings = {0};
    kanon__subject subject = {0};
    kanon__ticker ticker;
    if (rows->whole == NULL || g->n_recode_maps > 0) {
        st = kanon__fail(err, KANON_EINVAL, "the table is not a part of a larger one, grouped record by record");
        return kanon__hint(err, st, "read it with the sealed domain of the whole table in the read options");
    }
    KANON_TRY(kanon__whole_has(rows->whole, rows, err), out);
    KANON_TRY(kanon__grouping_fits(g, rows, err), out);
    kanon__ticker_init(&ticker, NULL, NULL, "measuring");
    KANON_TRY(kanon__measure_settings(&settings, NULL, 0, err), out);
    KANON_TRY(kanon__subject_init(&subject, &rows->data, g, false, &settings, &ticker, err), out);
    KANON_TRY(new_tally(&t, rows->whole, err), out);
    KANON_TRY(kanon__subject_sums(&t->sums, &subject, KANON__SUMS_OF_GROUPS, NULL, err), out);
    t->sums.data = &t->domain->data;
    t->sums.k = g->k;
    *out = &t->piece;
    t = NULL;
out:
    kanon__piece_free(t);
    kanon__subject_clear(&subject);
    kanon__settings_clear(&settings);
    return st;
}

kanon_status kanon_tally_new(kanon_tally **out, const kanon_table *rows, const kanon_grouping *grouping, kanon_error *err)
{
    *out = NULL;
    KANON_RETURN_IN(rows->context, tally_of(out, rows, grouping, err));
}

static kanon_status merge(void *to, const void *from, kanon_error *err)
{
    tally *into = to;
    const tally *other = from;
    if (kanon__whole_equal(into->domain, other->domain) && into->sums.k == other->sums.k)
        return kanon__sums_merge(&into->sums, &other->sums, err);
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the tallies are of different tables, or of another k"),
                       "merge those of the blocks of one table");
}

static kanon_status measures_of(kanon_measures **out, const tally *t, const kanon__whole *domain, kanon_error *err)
{
    if (!kanon__whole_equal(t->domain, domain) || t->sums.n_rows != domain->n_rows) {
        kanon_status st = kanon__fail(err, KANON_EDATA, "the tally is of %lld records, the table has %lld",
                                      (long long)t->sums.n_rows, (long long)domain->n_rows);
        return kanon__hint(err, st, "merge the tallies of all blocks of the table, each once");
    }
    kanon__sums sums = t->sums;
    sums.data = &domain->data; /* whose names the figures keep */
    return kanon__measures_of_sums(out, &sums, 0, err);
}

kanon_status kanon_tally_measures(kanon_measures **out, const kanon_tally *given, const kanon_domain *domain,
                                  kanon_error *err)
{
    const tally *t = kanon__piece_as(given, &kanon__tally_kind, err);
    const kanon__whole *whole = NULL;
    *out = NULL;
    if (t == NULL)
        return KANON_EINVAL;
    KANON_CHECK(kanon__whole_take(&whole, domain, err));
    KANON_RETURN_IN(given->context, measures_of(out, t, whole, err));
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* One list of what travels, for both ways: values go to the packer or, where there is none, come from the unpacker. */
typedef struct passage {
    kanon__packer *out;
    kanon__unpacker *in;
} passage;

static void pass(const passage *p, int64_t *number, int64_t most)
{
    if (p->out != NULL)
        kanon__pack_number(p->out, (uint64_t)*number);
    else
        *number = kanon__unpack_upto(p->in, most);
}

static void pass_sum(const passage *p, __int128 *sum)
{
    if (p->out != NULL) {
        kanon__pack_number(p->out, (uint64_t)*sum);
        kanon__pack_signed(p->out, (int64_t)(*sum >> 64));
    } else {
        uint64_t low = kanon__unpack_number(p->in);
        *sum = (__int128)((unsigned __int128)(uint64_t)kanon__unpack_signed(p->in) << 64 | low);
    }
}

static void pass_double(const passage *p, double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    if (p->out != NULL) {
        kanon__pack_number(p->out, bits);
    } else {
        bits = kanon__unpack_number(p->in);
        memcpy(value, &bits, sizeof bits);
        p->in->damaged = p->in->damaged || !isfinite(*value);
    }
}

static void pass_fold(const passage *p, kanon__fold *f, int64_t most)
{
    pass(p, &f->n, most);
    if (f->n == 0)
        return;
    pass_double(p, &f->least);
    pass_double(p, &f->most);
    pass_sum(p, &f->sum);
}

/* All but the classes. */
static void pass_sums(const passage *p, kanon__sums *s, int64_t n_rows)
{
    pass(p, &s->k, INT64_MAX);
    pass(p, &s->n_rows, n_rows);
    pass(p, &s->n_suppressed, s->n_rows);
    pass(p, &s->n_groups, s->n_rows);
    s->n_lost = s->n_suppressed;
    s->n_classes = s->n_groups;
    for (int i = 0; i < s->data->n_quasi; i++) {
        pass_sum(p, &s->quasi[i].losses);
        pass_sum(p, &s->quasi[i].covers);
        pass_sum(p, &s->quasi[i].spreads);
        pass(p, &s->quasi[i].hidden, s->n_rows);
    }
    for (int i = 0; i < s->data->n_sensitive * KANON__N_GROUP_FIGURES; i++)
        pass_fold(p, &s->folds[i], s->n_groups);
}

/* The values that there are, with their counts. */
static void pack_totals(kanon__packer *p, const kanon__sums *s, int i)
{
    uint64_t n = 0;
    for (uint32_t code = 0; code < kanon__sums_codes(s, i); code++)
        n += s->totals[i][code] > 0;
    kanon__pack_number(p, n);
    for (uint32_t code = 0; code < kanon__sums_codes(s, i); code++)
        if (s->totals[i][code] > 0) {
            kanon__pack_number(p, code);
            kanon__pack_number(p, (uint64_t)s->totals[i][code]);
        }
}

/* Codes rise; all records that are not suppressed have a value. */
static bool unpack_totals(kanon__sums *s, int i, kanon__unpacker *u)
{
    int64_t n = kanon__unpack_count(u, 2), left = s->n_rows - s->n_suppressed, last = -1;
    bool sound = true;
    for (int64_t j = 0; j < n && sound && !u->damaged; j++) {
        int64_t code = kanon__unpack_upto(u, (int64_t)kanon__sums_codes(s, i) - 1), count = kanon__unpack_upto(u, left);
        sound = code > last && count > 0;
        if (sound)
            s->totals[i][code] = count;
        last = code;
        left -= count;
    }
    return sound && left == 0;
}

void kanon__pack_sums(kanon__packer *p, const kanon__sums *s)
{
    kanon__sums copy = *s; /* nothing of it is changed */
    pass_sums(&(passage){.out = p}, &copy, s->n_rows);
    for (int i = 0; i < s->data->n_sensitive; i++)
        pack_totals(p, s, i);
    kanon__pack_number(p, (uint64_t)s->n_counts);
    for (int64_t i = 0; i < s->n_counts; i++) {
        kanon__pack_number(p, (uint64_t)s->classes[i].size);
        kanon__pack_number(p, (uint64_t)s->classes[i].own);
        kanon__pack_number(p, (uint64_t)s->classes[i].n);
    }
}

/* Classes rise; all records are in one or suppressed. */
static kanon_status unpack_classes(kanon__sums *s, kanon__unpacker *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const int64_t most = s->n_rows - s->n_suppressed;
    int64_t left = most, n_counts = kanon__unpack_count(u, 3);
    bool sound = true;
    for (int64_t i = 0; i < n_counts && sound && !u->damaged; i++) {
        int64_t size = kanon__unpack_upto(u, most), own = kanon__unpack_upto(u, size), n = kanon__unpack_upto(u, left);
        KANON_TRY(kanon__sums_add_records(s, size, own, n, err), out);
        const kanon__class_count *c = &s->classes[i];
        sound = s->n_counts == i + 1 && c->size == size && c->own == own && own > 0 && n > 0;
        left -= n;
    }
    st = kanon__unpacker_check(u, sound && left == 0, err);
out:
    return st;
}

kanon_status kanon__unpack_sums(kanon__sums *s, const kanon__data *data, kanon__unpacker *u, int64_t n_rows,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool sound = true;
    KANON_TRY(kanon__sums_init(s, data, KANON__SUMS_OF_GROUPS, err), out);
    pass_sums(&(passage){.in = u}, s, n_rows);
    for (int i = 0; i < data->n_sensitive && sound; i++)
        sound = unpack_totals(s, i, u);
    KANON_TRY(kanon__unpacker_check(u, sound, err), out);
    KANON_TRY(unpack_classes(s, u, err), out);
    st = kanon__unpacker_end(u, err);
out:
    if (st != KANON_OK)
        kanon__sums_clear(s);
    return st;
}

static void pack(kanon__packer *p, const void *object)
{
    const tally *t = object;
    kanon__pack_domain(p, t->domain);
    kanon__pack_sums(p, &t->sums);
}

static kanon_status unpack(kanon_piece **out, kanon__unpacker *u, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    tally *t = NULL;
    KANON_TRY(kanon__unpack_domain(u, whole, err), out);
    KANON_TRY(new_tally(&t, whole, err), out);
    KANON_TRY(kanon__unpack_sums(&t->sums, &t->domain->data, u, whole->n_rows, err), out);
    *out = &t->piece;
    t = NULL;
out:
    kanon__piece_free(t);
    return st;
}

const kanon__piece_kind kanon__tally_kind = {
    .packed = {'T', '4', "a tally"}, .of_domain = true, .pack = pack, .unpack = unpack, .merge = merge, .free = free_tally};
