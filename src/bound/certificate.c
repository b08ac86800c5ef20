/* Writes the certificate. Its format is described in docs/lower-bound.md; prices come in the order of the table's rows.
 * The file holds no cell of the table. */
#include "bound/certificate.h"

enum { CERTIFICATE_FORMAT = 1, PRICES_PER_LINE = 10 };

kanon_status kanon__certificate_open(kanon__output **out, const kanon_table *table, const kanon_output *to,
                                     kanon_error *err)
{
    int json;
    *out = NULL;
    KANON_CHECK(kanon__output_format(&json, to, "json", err));
    if (kanon__table_reads(table, to->location))
        return kanon__fail(err, KANON_EINVAL, "%s is an input and would be overwritten", to->location);
    kanon_status st = kanon__output_open(out, to, false, err);
    if (st == KANON_OK) /* prices tell which records are unlike the others */
        kanon__output_make_private(*out);
    return st;
}

static void write_field(kanon__output *o, const char *name, int64_t value)
{
    kanon__output_text(o, "  \"");
    kanon__output_text(o, name);
    kanon__output_text(o, "\": ");
    kanon__output_integer(o, value);
    kanon__output_text(o, ",\n");
}

kanon_status kanon__certificate_write(kanon__output *o, const kanon_table *table, const kanon_lower_bound *bound,
                                      kanon_error *err)
{
    char sha256[KANON__SHA256_TEXT];
    KANON_CHECK(kanon__source_sha256(sha256, table->source, err));
    kanon__output_text(o, "{\n  \"certificate\": \"lower bound on the information loss\",\n");
    write_field(o, "format", CERTIFICATE_FORMAT);
    kanon__output_text(o, "  \"table_sha256\": \"");
    kanon__output_text(o, sha256);
    kanon__output_text(o, "\",\n");
    write_field(o, "records", bound->records);
    write_field(o, "k", bound->k);
    write_field(o, "scale", bound->scale);
    write_field(o, "price_sum", bound->price_sum);
    kanon__output_text(o, "  \"prices\": [");
    for (int64_t row = 0; row < bound->records; row++) {
        kanon__output_text(o, row == 0 ? "" : row % PRICES_PER_LINE == 0 ? ",\n    " : ", ");
        kanon__output_integer(o, bound->prices[row]);
    }
    kanon__output_text(o, "]\n}\n");
    KANON_CHECK(kanon__output_finish(o, err));
    return kanon__output_commit(&o, 1, err);
}
