/* SHA-256 of what was read and written, so that a report names its files beyond doubt. */
#ifndef KANON_CORE_SHA256_H
#define KANON_CORE_SHA256_H

#include "core/status.h"

enum { KANON__SHA256_TEXT = 65 }; /* 64 hexadecimal digits and the end */

typedef struct kanon__sha256 kanon__sha256;

kanon_status kanon__sha256_new(kanon__sha256 **out, kanon_error *err);
void kanon__sha256_free(kanon__sha256 *hash);
kanon_status kanon__sha256_add(kanon__sha256 *hash, const void *bytes, size_t size, kanon_error *err);
/* The digest of all that was added; the hash can only be freed afterwards. */
kanon_status kanon__sha256_finish(char out[KANON__SHA256_TEXT], kanon__sha256 *hash, kanon_error *err);
kanon_status kanon__sha256_of(char out[KANON__SHA256_TEXT], const void *bytes, size_t size, kanon_error *err);

#endif
