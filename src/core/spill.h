/* Memory that lies in an unnamed temporary file (in the context's folder, else TMPDIR): the system can put it aside when
 * memory is short, and no other process can open it. */
#ifndef KANON_CORE_SPILL_H
#define KANON_CORE_SPILL_H

#include "core/status.h"

/* A file that is gone with its descriptor. */
kanon_status kanon__spill_open(int *out, kanon_error *err);
/* Where such files lie, for messages. */
const char *kanon__spill_directory(void);

/* `size` zeroed bytes; room for them is taken on the disk at once. */
kanon_status kanon__spill_new(void **out, size_t size, kanon_error *err);
void kanon__spill_free(void *memory, size_t size);
/* The bytes are not wanted for a while; they stay what they are. */
void kanon__spill_rest(void *memory, size_t size);

#endif
