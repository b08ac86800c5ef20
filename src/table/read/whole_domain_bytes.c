/* The domain of a whole table in bytes (core/packed.h): columns, and of each the texts in the order of their first
 * places. What sealing finds is not packed; it is found again in every process. */
#include "core/alloc.h"
#include "core/context.h"
#include "table/read/whole_domain.h"
#include "table/value/levels.h"

#include <kanon_blocks.h>
#include <string.h>

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static void pack_levels(kanon__packer *p, const kanon__source_levels *levels)
{
    kanon__pack_number(p, levels->fault != NULL);
    kanon__pack_number(p, levels->names.n);
    for (uint32_t i = 0; i < levels->names.n; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(&levels->names, i, &length);
        kanon__pack_text(p, text, length);
    }
}

static void pack_column(kanon__packer *p, const kanon__whole_column *c)
{
    uint32_t *order = NULL;
    int64_t before = 0;
    if (p->st == KANON_OK)
        p->st = kanon__whole_order(&order, c, p->err);
    if (p->st != KANON_OK)
        return;
    kanon__pack_text(p, c->name, strlen(c->name));
    kanon__pack_number(p, (uint64_t)c->natural);
    if (c->natural == KANON_TYPE_ORDINAL)
        pack_levels(p, &c->levels);
    kanon__pack_number(p, (uint64_t)c->n_null);
    if (c->n_null > 0)
        kanon__pack_signed(p, c->first_null);
    kanon__pack_number(p, c->texts.n);
    for (uint32_t i = 0; i < c->texts.n; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(&c->texts, order[i], &length);
        int64_t first = c->firsts[order[i]];
        kanon__pack_text(p, text, length);
        kanon__pack_number(p, (uint64_t)c->counts[order[i]]);
        if (i == 0)
            kanon__pack_signed(p, first);
        else
            kanon__pack_number(p, (uint64_t)first - (uint64_t)before);
        before = first;
    }
    kanon__free(order);
}

/* All that counts: names of parts and warnings do not. */
static void pack_values(kanon__packer *p, const kanon__whole *d)
{
    kanon__pack_number(p, (unsigned char)d->delimiter);
    kanon__pack_number(p, (uint64_t)d->n_rows);
    kanon__pack_number(p, (uint64_t)d->n_columns);
    for (int i = 0; i < d->n_columns; i++)
        pack_column(p, &d->columns[i]);
}

static void pack_texts(kanon__packer *p, const kanon__texts *texts)
{
    kanon__pack_number(p, (uint64_t)texts->n);
    for (int64_t i = 0; i < texts->n; i++)
        kanon__pack_text(p, texts->items[i], strlen(texts->items[i]));
}

kanon_status kanon__whole_fingerprint(unsigned char out[KANON__FINGERPRINT], const kanon__whole *d, kanon_error *err)
{
    kanon__packer p;
    kanon__packer_init(&p, &kanon__domain_kind.packed, err);
    pack_values(&p, d);
    kanon_status st = kanon__packer_fingerprint(out, &p);
    kanon__packer_clear(&p);
    return st;
}

void kanon__pack_domain(kanon__packer *p, const kanon__whole *domain)
{
    for (int i = 0; i < KANON__FINGERPRINT; i++)
        kanon__pack_number(p, domain->fingerprint[i]);
}

kanon_status kanon__unpack_domain(kanon__unpacker *u, const kanon__whole *domain, kanon_error *err)
{
    bool same = true;
    for (int i = 0; i < KANON__FINGERPRINT; i++)
        same = kanon__unpack_number(u) == domain->fingerprint[i] && same;
    if (same)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s in bytes: made with another domain", u->kind->name);
    return kanon__hint(err, st, "hand over the sealed domain of the whole table");
}

static void pack(kanon__packer *p, const void *object)
{
    const kanon__whole *d = object;
    pack_values(p, d);
    kanon__pack_text(p, d->name, strlen(d->name));
    kanon__pack_signed(p, d->notices_place);
    pack_texts(p, &d->privacy);
    pack_texts(p, &d->notices);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static kanon_status unpack_levels(kanon__source_levels *out, kanon__unpacker *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *fault = NULL;
    bool faulty = kanon__unpack_upto(u, 1) != 0;
    int64_t n = kanon__unpack_count(u, 1);
    for (int64_t i = 0; st == KANON_OK && i < n && !u->damaged; i++) {
        size_t length;
        const char *text = kanon__unpack_text(u, &length);
        st = kanon__levels_add(&out->names, text, length, &fault, err);
        u->damaged = u->damaged || fault != NULL;
    }
    out->fault = faulty ? "cannot be one, or is another one in other batches" : NULL;
    return st;
}

/* Texts are different, their first places rise, and all records are counted. */
static kanon_status unpack_column(kanon__whole_column *c, kanon__unpacker *u, int64_t n_rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t length;
    const char *name = kanon__unpack_text(u, &length);
    int64_t left = n_rows, first = 0;
    bool sound = memchr(name, '\0', length) == NULL;
    KANON_TRY(kanon__copy_text(&c->name, name, length, "a column name", err), out);
    c->natural = (kanon_type)kanon__unpack_upto(u, KANON_TYPE_ORDINAL);
    if (c->natural == KANON_TYPE_ORDINAL)
        KANON_TRY(unpack_levels(&c->levels, u, err), out);
    int64_t n_null = kanon__unpack_upto(u, n_rows);
    if (n_null > 0)
        kanon__whole_add_null(c, n_null, kanon__unpack_signed(u));
    left -= n_null;
    int64_t n = kanon__unpack_count(u, 3);
    for (int64_t i = 0; i < n && sound && !u->damaged; i++) {
        const char *text = kanon__unpack_text(u, &length);
        int64_t count = kanon__unpack_upto(u, left);
        if (i == 0)
            first = kanon__unpack_signed(u);
        else
            sound = !__builtin_add_overflow(first, kanon__unpack_upto(u, INT64_MAX), &first);
        left -= count;
        KANON_TRY(kanon__whole_add(c, text, length, count, first, err), out);
        sound = sound && count > 0 && c->texts.n == i + 1 && (i == 0 || c->firsts[i - 1] < first) &&
                (n_null == 0 || first != c->first_null);
    }
    KANON_TRY(kanon__unpacker_check(u, sound && left == 0, err), out);
out:
    return st;
}

static kanon_status unpack_texts(kanon__texts *out, kanon__unpacker *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = kanon__unpack_count(u, 1);
    for (int64_t i = 0; i < n && st == KANON_OK; i++) {
        size_t length;
        const char *text = kanon__unpack_text(u, &length);
        u->damaged = u->damaged || memchr(text, '\0', length) != NULL;
        st = kanon__texts_add(out, text, length, err);
    }
    return st;
}

static kanon_status unpack(kanon_piece **out, kanon__unpacker *u, const kanon__whole *none, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__whole *d = NULL;
    size_t length;
    (void)none;
    char delimiter = (char)kanon__unpack_upto(u, 127);
    int64_t n_rows = kanon__unpack_upto(u, INT64_MAX), n_columns = kanon__unpack_count(u, 4);
    KANON_TRY(kanon__unpacker_check(u, n_columns <= INT32_MAX, err), out);
    KANON_TRY(kanon__whole_new(&d, (int)n_columns, err), out);
    d->delimiter = delimiter;
    d->n_rows = n_rows;
    for (int i = 0; i < d->n_columns; i++)
        KANON_TRY(unpack_column(&d->columns[i], u, n_rows, err), out);
    const char *name = kanon__unpack_text(u, &length);
    KANON_TRY(kanon__unpacker_check(u, memchr(name, '\0', length) == NULL, err), out);
    KANON_TRY(kanon__copy_text(&d->name, name, length, "a name", err), out);
    d->notices_place = kanon__unpack_signed(u);
    KANON_TRY(unpack_texts(&d->privacy, u, err), out);
    KANON_TRY(unpack_texts(&d->notices, u, err), out);
    *out = &d->piece;
    d = NULL;
out:
    kanon__piece_free(d);
    return st;
}

const kanon__piece_kind kanon__domain_kind = {.packed = {'D', '1', "a domain"},
                                              .pack = pack,
                                              .unpack = unpack,
                                              .merge = kanon__whole_merge,
                                              .free = kanon__whole_free};
