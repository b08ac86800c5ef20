/* The table of algorithms, made from algorithms.def, and running one by its name.
 *
 * The preprocessor reads algorithms.def twice: once for the declarations of the descriptors, once for the table. */
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

enum { N_ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

const kanon__entry *kanon__algorithm_entry(size_t i)
{
    return i < N_ALGORITHMS ? &algorithms[i]->info : NULL;
}

const kanon__algorithm *kanon__algorithm_find(const char *name)
{
    for (size_t i = 0; i < N_ALGORITHMS; i++)
        if (strcmp(algorithms[i]->info.shown.name, name) == 0)
            return algorithms[i];
    return NULL;
}

kanon_status kanon__algorithm_run(kanon__run *run, const char *name, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__settings defaults = {0};
    const kanon__algorithm *algorithm = kanon__algorithm_find(name);
    const kanon__settings *own = run->settings;
    KANON_TRY(kanon__settings_init(&defaults, &algorithm->info, NULL, 0, err), out);
    run->settings = &defaults;
    st = algorithm->run(run, err);
    run->settings = own;
out:
    kanon__settings_clear(&defaults);
    return st;
}
