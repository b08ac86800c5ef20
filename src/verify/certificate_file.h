/* The file of a certificate: one JSON object with whole numbers, texts and the list of prices.
 *
 * It is read here, with memory of core/alloc.h alone, so that a lack of memory is never taken for a file that is wrong.
 * Unknown members are skipped, whatever they hold. */
#ifndef KANON_VERIFY_CERTIFICATE_FILE_H
#define KANON_VERIFY_CERTIFICATE_FILE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole number of 64 bits, where the file has one. */
typedef struct kanon__file_number {
    bool given;
    int64_t value;
} kanon__file_number;

typedef struct kanon__certificate_file {
    kanon__file_number format, k, records, scale, price_sum;
    char table_sha256[65]; /* empty: none, or none of 64 characters */
    bool has_prices;       /* as a list */
    bool whole_prices;     /* of whole numbers alone */
    int64_t *prices, n_prices, capacity;
} kanon__certificate_file;

/* *valid is false where the bytes are not one JSON object, or one with two members of a name that is known here. Free with
 * kanon__certificate_file_clear in any case. */
kanon_status kanon__certificate_file_read(kanon__certificate_file *out, bool *valid, const char *bytes, size_t size,
                                          kanon_error *err);
void kanon__certificate_file_clear(kanon__certificate_file *file);

#endif
