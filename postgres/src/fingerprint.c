/* Whether two streams hold the same rows, in any order: a sum over keyed hashes of the rows.
 *
 * The release that the library made and checked is one stream; what stands in the table when it was written is read
 * back as another. Equal sums under a random key mean equal rows, so that the check of the library holds for the table.
 * Cells are hashed by what they mean: a category is its text, whether it came from a dictionary, an enum or a truth
 * value. */
#include "host.h"

#include "common/hashfn.h"

static uint64 mix(uint64 h, const void *bytes, int length)
{
    return hash_bytes_extended(bytes, length, h);
}

static uint64 hash_cell(uint64 h, const cell *c)
{
    if (c->null)
        return mix(h, "n", 1);
    switch (c->kind) {
    case 't':
        h = mix(h, &c->length, sizeof c->length);
        return mix(h, c->text, c->length);
    case 'b':
        return hash_cell(h, &(cell){.kind = 't', .text = c->whole ? "true" : "false", .length = c->whole ? 4 : 5});
    case 'i':
        return mix(h, &c->whole, sizeof c->whole);
    case 'd':
        return mix(h, &c->wide, sizeof c->wide);
    default: {
        double number = c->number == 0 ? 0 : c->number; /* one zero */
        return mix(h, &number, sizeof number);
    }
    }
}

static bool is_upper_end(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, "_max") == 0;
}

/* The largest number of its type has no successor, so a range up to it has no end. */
static bool is_last(const cell *c)
{
    return c->kind == 'i' && (c->whole == PG_INT32_MAX || c->whole == PG_INT64_MAX);
}

void fingerprint_init(fingerprint *f, const definition *d)
{
    memset(f, 0, sizeof *f);
    f->empty_is_null = d->incremental;
    if (!pg_strong_random(f->key, sizeof f->key))
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("there are no random numbers")));
}

void fingerprint_row(fingerprint *f, const struct ArrowSchema *schema, const struct ArrowArray *batch, int64_t row)
{
    uint64 h[2] = {f->key[0], f->key[1]};
    for (int64_t i = 0; i < batch->n_children; i++) {
        cell c = arrow_cell(schema->children[i], batch->children[i], row + batch->offset);
        c.null = c.null || (is_last(&c) && is_upper_end(schema->children[i]->name)) ||
                 (c.kind == 't' && c.length == 0 && f->empty_is_null);
        h[0] = hash_cell(h[0], &c);
        h[1] = hash_cell(h[1], &c);
    }
    f->sum[0] += h[0];
    f->sum[1] += h[1];
    f->rows++;
}

void fingerprint_batch(fingerprint *f, const struct ArrowSchema *schema, const struct ArrowArray *batch)
{
    for (int64_t row = 0; row < batch->length; row++)
        fingerprint_row(f, schema, batch, row);
}

bool fingerprint_equal(const fingerprint *a, const fingerprint *b)
{
    return a->rows == b->rows && a->sum[0] == b->sum[0] && a->sum[1] == b->sum[1];
}
