/* The table of refinements, from refinements.def. A new refinement adds a row there and touches nothing here. */
#include "refine/refinement.h"

#include <string.h>

#define KANON_REFINEMENT(name) extern const kanon__refinement kanon__refinement_##name;
#include "refine/refinements.def"
#undef KANON_REFINEMENT

static const kanon__refinement *const refinements[] = {
#define KANON_REFINEMENT(name) &kanon__refinement_##name,
#include "refine/refinements.def"
#undef KANON_REFINEMENT
};

size_t kanon_refinement_count(void)
{
    return sizeof refinements / sizeof refinements[0];
}

const kanon_algorithm_info *kanon_refinement_at(size_t i)
{
    return i < kanon_refinement_count() ? &refinements[i]->info : NULL;
}

const kanon__refinement *kanon__refinement_find(const char *name)
{
    for (size_t i = 0; i < kanon_refinement_count(); i++)
        if (strcmp(refinements[i]->info.name, name) == 0)
            return refinements[i];
    return NULL;
}
