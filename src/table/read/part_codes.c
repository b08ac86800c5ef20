/* See part_codes.h. A code has as many bytes as its domain needs. */
#include "table/read/part_codes.h"

#include "core/alloc.h"
#include "core/context.h"

#include <string.h>

/* ---- one object --------------------------------------------------------------------------------------------------- */

static kanon_status new_codes(kanon__part_codes **out, int64_t n_rows, int n_columns, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, 1, "codes", err);
    if (st != KANON_OK)
        return st;
    (*out)->piece = kanon__piece_begin(&kanon__codes_kind);
    (*out)->n_rows = n_rows;
    st = kanon__new_array(&(*out)->columns, n_columns, "codes", err);
    (*out)->n_columns = st == KANON_OK ? n_columns : 0;
    return st;
}

static void free_codes(void *object)
{
    kanon__part_codes *c = object;
    for (int i = 0; i < c->n_columns; i++)
        kanon__codes_clear(&c->columns[i]);
    kanon__codes_clear(&c->nodes);
    kanon__free(c->columns);
    kanon__piece_free(c->whole);
    kanon__free(c);
}

int64_t kanon_codes_rows(const kanon_codes *codes)
{
    const kanon__part_codes *c = kanon__piece_as(codes, &kanon__codes_kind, NULL);
    return c != NULL ? c->n_rows : 0;
}

/* ---- of a table --------------------------------------------------------------------------------------------------- */

static kanon_status of_table(kanon_codes **out, const kanon_table *part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__part_codes *c = NULL;
    const kanon__data *d = &part->data;
    if (part->whole == NULL)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the table was read without a domain"),
                           "read it with the sealed domain of the whole table in the read options");
    KANON_TRY(kanon__whole_has(part->whole, part, err), out);
    KANON_TRY(new_codes(&c, d->n_rows, d->n_quasi, err), out);
    c->whole = kanon__whole_share(part->whole);
    for (int i = 0; i < d->n_quasi; i++) {
        const kanon__column *column = &d->columns[d->quasi[i]];
        KANON_TRY(kanon__codes_new(&c->columns[i], d->n_rows, column->domain->n_codes, false, err), out);
        memcpy(c->columns[i].cells, column->codes.cells, column->codes.size);
    }
    *out = &c->piece;
    c = NULL;
out:
    kanon__piece_free(c);
    return st;
}

kanon_status kanon_codes_new(kanon_codes **out, const kanon_table *part, kanon_error *err)
{
    *out = NULL;
    KANON_RETURN_IN(part->context, of_table(out, part, err));
}

/* ---- of rows that are read ---------------------------------------------------------------------------------------- */

/* The numbers of a column's texts: a reader counts null among them, and texts as they come; here null is the last, and texts
 * come by their first places, as they do when the domain was packed. */
static kanon_status number_texts(uint32_t **out, const kanon__reader *r, int column, const kanon__whole_column *texts,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *order = NULL, *number = NULL, null = r->raw.null_codes[column], at = 0;
    KANON_TRY(kanon__whole_order(&order, texts, err), out);
    KANON_TRY(kanon__new_array(&number, texts->texts.n, "codes", err), out);
    KANON_TRY(kanon__new_array(out, r->raw.dictionaries[column].n, "codes", err), out);
    for (uint32_t i = 0; i < texts->texts.n; i++)
        number[order[i]] = i;
    for (uint32_t code = 0; code < r->raw.dictionaries[column].n; code++)
        (*out)[code] = code == null ? texts->texts.n : number[at++];
out:
    kanon__free(number);
    kanon__free(order);
    return st;
}

static kanon_status take_column(kanon__codes *out, const kanon__reader *r, int column, const kanon__whole *part,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__whole_column *texts = kanon__whole_find(part, r->data->columns[column].name);
    uint32_t *number = NULL;
    KANON_TRY(number_texts(&number, r, column, texts, err), out);
    KANON_TRY(kanon__codes_new(out, r->data->n_rows, texts->texts.n + 1, false, err), out);
    for (int64_t row = 0; row < r->data->n_rows; row++)
        kanon__code_set(*out, row, number[kanon__code_at(r->raw.codes[column], row)]);
out:
    kanon__free(number);
    return st;
}

kanon_status kanon__part_codes_of(kanon_codes **out, const kanon__reader *r, const kanon__whole *part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__part_codes *c = NULL;
    KANON_TRY(new_codes(&c, r->data->n_rows, r->data->n_quasi, err), out);
    for (int i = 0; i < c->n_columns; i++)
        KANON_TRY(take_column(&c->columns[i], r, r->data->quasi[i], part, err), out);
    *out = &c->piece;
    c = NULL;
out:
    kanon__piece_free(c);
    return st;
}

/* ---- sealing ------------------------------------------------------------------------------------------------------ */

static kanon_status fail_part(kanon_error *err)
{
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the codes are not those of this part and domain"),
                       "hand over the domain that was read with them, and the sealed domain of the whole table");
}

/* By number of a part's text: its code in the whole; KANON__NO_CODE: the whole does not have it. Null is the last. */
static kanon_status translate_texts(uint32_t **out, const kanon__whole_column *part, const kanon__whole_column *whole,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *order = NULL;
    KANON_TRY(kanon__whole_order(&order, part, err), out);
    KANON_TRY(kanon__new_array(out, (int64_t)part->texts.n + 1, "codes", err), out);
    for (uint32_t i = 0; i < part->texts.n; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(&part->texts, order[i], &length);
        (*out)[i] = kanon__whole_code(whole, text, length);
    }
    (*out)[part->texts.n] = part->n_null > 0 ? whole->null_code : KANON__NO_CODE;
out:
    kanon__free(order);
    return st;
}

static kanon_status seal_column(kanon__codes *out, kanon__codes read, int64_t n_rows, const kanon__whole_column *part,
                                const kanon__whole_column *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *code_of = NULL;
    KANON_TRY(translate_texts(&code_of, part, whole, err), out);
    KANON_TRY(kanon__codes_new(out, n_rows, whole->domain->n_codes, false, err), out);
    for (int64_t row = 0; row < n_rows; row++) {
        uint32_t text = kanon__code_at(read, row), code = text <= part->texts.n ? code_of[text] : KANON__NO_CODE;
        if (code == KANON__NO_CODE) {
            st = fail_part(err);
            goto out;
        }
        kanon__code_set(*out, row, code);
    }
out:
    kanon__free(code_of);
    return st;
}

/* Whether both domains have the columns of the codes. */
static bool fits(const kanon__part_codes *c, const kanon__whole *part, const kanon__whole *whole)
{
    bool fit = c->whole == NULL && c->n_rows == part->n_rows && c->n_columns == whole->data.n_quasi &&
               part->n_columns == whole->n_columns;
    for (int i = 0; fit && i < part->n_columns; i++)
        fit = strcmp(part->columns[i].name, whole->columns[i].name) == 0;
    return fit;
}

/* Nothing changes unless all of it can be done. */
static kanon_status seal(kanon__part_codes *c, const kanon__whole *part, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__codes *sealed = NULL;
    if (!fits(c, part, whole))
        return fail_part(err);
    KANON_TRY(kanon__new_array(&sealed, c->n_columns, "codes", err), out);
    for (int i = 0; i < c->n_columns; i++) {
        int column = whole->data.quasi[i];
        KANON_TRY(seal_column(&sealed[i], c->columns[i], c->n_rows, &part->columns[column], &whole->columns[column], err),
                  out);
    }
    kanon__codes *read = c->columns;
    c->columns = sealed;
    c->whole = kanon__whole_share(whole);
    sealed = read;
out:
    for (int i = 0; sealed != NULL && i < c->n_columns; i++)
        kanon__codes_clear(&sealed[i]);
    kanon__free(sealed);
    return st;
}

kanon_status kanon_codes_seal(kanon_codes *codes, const kanon_domain *part, const kanon_domain *whole, kanon_error *err)
{
    kanon__part_codes *c = kanon__piece_as(codes, &kanon__codes_kind, err);
    const kanon__whole *own = c != NULL ? kanon__piece_as(part, &kanon__domain_kind, err) : NULL, *all = NULL;
    if (own == NULL)
        return KANON_EINVAL;
    KANON_CHECK(kanon__whole_take(&all, whole, err));
    KANON_RETURN_IN(codes->context, seal(c, own, all, err));
}

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

/* The lowest byte comes first; machines that do so, too, copy. */
static bool lowest_first(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

static void pack_column(kanon__packer *p, kanon__codes codes, int64_t n)
{
    kanon__pack_number(p, (uint64_t)codes.width);
    if (lowest_first() || codes.width == 1) {
        kanon__pack_bytes(p, codes.cells, (size_t)n * (size_t)codes.width);
        return;
    }
    for (int64_t row = 0; row < n; row++) {
        uint32_t code = kanon__code_at(codes, row);
        const unsigned char bytes[] = {(unsigned char)code, (unsigned char)(code >> 8), (unsigned char)(code >> 16),
                                       (unsigned char)(code >> 24)};
        kanon__pack_bytes(p, bytes, (size_t)codes.width);
    }
}

static void pack(kanon__packer *p, const void *object)
{
    const kanon__part_codes *c = object;
    kanon__pack_number(p, c->whole != NULL);
    if (c->whole != NULL)
        kanon__pack_domain(p, c->whole);
    kanon__pack_number(p, (uint64_t)c->n_rows);
    kanon__pack_number(p, (uint64_t)c->n_columns);
    for (int i = 0; i < c->n_columns; i++)
        pack_column(p, c->columns[i], c->n_rows);
    kanon__pack_number(p, (uint64_t)c->least);
    if (c->least > 0) {
        kanon__pack_number(p, (uint64_t)c->n_nodes);
        pack_column(p, c->nodes, c->n_rows);
    }
}

static void take_bytes(kanon__codes out, const unsigned char *bytes, int64_t n)
{
    if (lowest_first() || out.width == 1) {
        if (n > 0)
            memcpy(out.cells, bytes, (size_t)n * (size_t)out.width);
        return;
    }
    for (int64_t row = 0; row < n; row++, bytes += out.width) {
        uint32_t code = bytes[0] | (uint32_t)bytes[1] << 8;
        if (out.width == 4)
            code |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        kanon__code_set(out, row, code);
    }
}

/* The highest of n codes; 0: there is none. */
static uint32_t highest(kanon__codes codes, int64_t n)
{
    uint32_t most = 0;
    for (int64_t row = 0; row < n; row++) {
        uint32_t code = kanon__code_at(codes, row);
        most = code > most ? code : most;
    }
    return most;
}

/* A column of codes below n_codes; 0: any. Its width is the one that they have in memory, where that is known. */
static kanon_status unpack_column(kanon__codes *out, kanon__unpacker *u, int64_t n, uint32_t n_codes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t width = kanon__unpack_upto(u, 4);
    const unsigned char *bytes = width > 0 ? kanon__unpack_bytes(u, n * width) : NULL;
    KANON_TRY(kanon__unpacker_check(u, bytes != NULL && width != 3, err), out);
    KANON_TRY(kanon__codes_new(out, n, n_codes > 0 ? n_codes : width < 4 ? 1u << 8 * width : UINT32_MAX, false, err), out);
    KANON_TRY(kanon__unpacker_check(u, out->width == width, err), out);
    take_bytes(*out, bytes, n);
    KANON_TRY(kanon__unpacker_check(u, n_codes == 0 || highest(*out, n) < n_codes, err), out);
out:
    return st;
}

static kanon_status unpack_columns(kanon__part_codes *c, kanon__unpacker *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < c->n_columns; i++) {
        const kanon__data *d = c->whole != NULL ? &c->whole->data : NULL;
        uint32_t n_codes = d != NULL ? d->columns[d->quasi[i]].domain->n_codes : 0;
        KANON_TRY(unpack_column(&c->columns[i], u, c->n_rows, n_codes, err), out);
    }
    c->least = kanon__unpack_upto(u, c->whole != NULL ? INT64_MAX : 0);
    if (c->least > 0) {
        c->n_nodes = kanon__unpack_upto(u, INT32_MAX);
        KANON_TRY(kanon__unpacker_check(u, c->n_nodes > 0, err), out);
        KANON_TRY(unpack_column(&c->nodes, u, c->n_rows, (uint32_t)c->n_nodes, err), out);
    }
out:
    return st;
}

static kanon_status unpack(kanon_piece **out, kanon__unpacker *u, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__part_codes *c = NULL;
    bool sealed = kanon__unpack_upto(u, 1) > 0;
    if (sealed)
        KANON_TRY(kanon__unpack_domain(u, whole, err), out);
    int64_t n_rows = kanon__unpack_upto(u, INT32_MAX), n_columns = kanon__unpack_upto(u, whole->data.n_quasi);
    KANON_TRY(kanon__unpacker_check(u, n_columns == whole->data.n_quasi, err), out);
    KANON_TRY(new_codes(&c, n_rows, (int)n_columns, err), out);
    c->whole = sealed ? kanon__whole_share(whole) : NULL;
    KANON_TRY(unpack_columns(c, u, err), out);
    *out = &c->piece;
    c = NULL;
out:
    kanon__piece_free(c);
    return st;
}

const kanon__piece_kind kanon__codes_kind = {
    .packed = {'K', '1', "codes"}, .of_domain = true, .pack = pack, .unpack = unpack, .free = free_codes};
