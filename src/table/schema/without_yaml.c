/* Compiled in place of the reader of schema files, where KANON_YAML is off: reading one returns KANON_EINVAL and says
 * that it was not built. Schemas are then made by the setters. */
#include "table/schema/schema.h"

kanon_status kanon__schema_parse(kanon_schema **out, const char *bytes, size_t size, const char *path, kanon_error *err)
{
    (void)bytes, (void)size, (void)path;
    *out = NULL;
    return kanon__fail(err, KANON_EINVAL, "this build of libkanon has no schema files");
}
