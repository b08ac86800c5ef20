/* The table of algorithms. */
#include "algorithms/algorithm.h"

#include <string.h>

#define KANON_ALGORITHM(name) extern const kanon__algorithm kanon__algorithm_##name;
#include "algorithms/algorithms.def"
#undef KANON_ALGORITHM

static const kanon__algorithm *const algorithms[] = {
#define KANON_ALGORITHM(name) &kanon__algorithm_##name,
#include "algorithms/algorithms.def"
#undef KANON_ALGORITHM
};

size_t kanon_algorithm_count(void)
{
    return sizeof algorithms / sizeof algorithms[0];
}

const kanon_algorithm_info *kanon_algorithm_at(size_t i)
{
    return i < kanon_algorithm_count() ? &algorithms[i]->info : NULL;
}

const kanon__algorithm *kanon__algorithm_find(const char *name)
{
    for (size_t i = 0; i < kanon_algorithm_count(); i++)
        if (strcmp(algorithms[i]->info.name, name) == 0)
            return algorithms[i];
    return NULL;
}

const kanon_algorithm_info *kanon_algorithm_find(const char *name)
{
    const kanon__algorithm *found = kanon__algorithm_find(name);
    return found != NULL ? &found->info : NULL;
}
