/* Whether a table was read with a schema: maintain/schema_fits.c. */
#ifndef KANON_STATE_SCHEMA_FITS_H
#define KANON_STATE_SCHEMA_FITS_H

#include "table/read/table.h"

/* KANON_EINVAL names the column or the requirement that differs. */
kanon_status kanon__schema_fits(const kanon_table *table, const kanon_schema *schema, kanon_error *err);

#endif
