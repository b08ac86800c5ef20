/* The certificate of a lower bound: a JSON file with the dual prices. Whoever has the table can check it without trust
 * in this program; src/verify/verify_certificate.c does so with code of its own. */
#ifndef KANON_BOUND_CERTIFICATE_H
#define KANON_BOUND_CERTIFICATE_H

#include "core/output.h"
#include "table/read/table.h"

/* The file at `path`, which must not be one that the table was read from. */
kanon_status kanon__certificate_open(kanon__output **out, const kanon_table *table, const kanon_output *to,
                                     kanon_error *err);
/* Write it, and give it its name. */
kanon_status kanon__certificate_write(kanon__output *output, const kanon_table *table, const kanon_lower_bound *bound,
                                      kanon_error *err);

#endif
