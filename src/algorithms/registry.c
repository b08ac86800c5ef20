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

kanon_status kanon__algorithm_run(kanon__run *run, const char *name, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__settings defaults = {0};
    const kanon__algorithm *algorithm = kanon__algorithm_find(name);
    const kanon__settings *own = run->settings;
    KANON_TRY(kanon__settings_init(&defaults, name, algorithm->info.settings, algorithm->info.n_settings, NULL, 0, err),
              out);
    run->settings = &defaults;
    st = algorithm->run(run, err);
    run->settings = own;
out:
    kanon__settings_clear(&defaults);
    return st;
}
