/* Any bytes as a cell of every type: nothing breaks, and a canonical text reads as itself. */
#include "audit/cell_notation.h"

#include <stdlib.h>
#include <string.h>

static void read_cell(kanon__meaning *out, const char *text, size_t length, kanon_type type)
{
    if (kanon__notation_read(out, text, length, &(kanon__value_kind){.type = type}, NULL) != KANON_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (kanon_type type = KANON_TYPE_UNKNOWN; type <= KANON_TYPE_CATEGORICAL; type++) {
        kanon__meaning once = {0}, twice = {0};
        read_cell(&once, (const char *)data, size, type);
        read_cell(&twice, once.text, (size_t)once.length, type);
        if (once.kind != twice.kind || once.length != twice.length ||
            memcmp(once.text, twice.text, (size_t)once.length) != 0)
            abort();
        kanon__meaning_clear(&twice);
        kanon__meaning_clear(&once);
    }
    return 0;
}
