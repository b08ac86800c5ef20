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

enum { N_REFINEMENTS = sizeof refinements / sizeof refinements[0] };

const kanon__entry *kanon__refinement_entry(size_t i)
{
    return i < N_REFINEMENTS ? &refinements[i]->info : NULL;
}

const kanon__refinement *kanon__refinement_find(const char *name)
{
    for (size_t i = 0; i < N_REFINEMENTS; i++)
        if (strcmp(refinements[i]->info.shown.name, name) == 0)
            return refinements[i];
    return NULL;
}
