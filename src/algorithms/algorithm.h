/* What an algorithm is to the rest of the program: a row of algorithms.def, and a function that fills a run. */
#ifndef KANON_ALGORITHMS_ALGORITHM_H
#define KANON_ALGORITHMS_ALGORITHM_H

#include "core/random.h"
#include "core/texts.h"
#include "core/ticker.h"
#include "loss/space.h"

/* The settings of a run, in the order of the algorithm's table; NULL where neither the user nor the table gives a value. */
typedef struct kanon__settings {
    const kanon_setting_info *infos;
    size_t n;
    const char **values;
} kanon__settings;

typedef struct kanon__run {
    const kanon_table *table;
    const kanon__space *space;
    int64_t k;
    uint64_t seed;
    int threads;
    const kanon__settings *settings;
    kanon__ticker *ticker;
    kanon__texts *warnings; /* what the user should know: what happened and which setting to change */
    int32_t *group_of;      /* out, by row: its group from 0, or KANON__SUPPRESSED; numbers in any order */
    int32_t n_groups;       /* out */
} kanon__run;

#define KANON__SUPPRESSED (-1)

typedef struct kanon__algorithm {
    kanon_algorithm_info info;
    /* The table has at least k rows. Deterministic for a seed, whatever the number of threads. */
    kanon_status (*run)(kanon__run *run, kanon_error *err);
} kanon__algorithm;

const kanon__algorithm *kanon__algorithm_find(const char *name);

/* Check the user's settings against the algorithm's table; later ones win. KANON_EINVAL names the valid ones. */
kanon_status kanon__settings_init(kanon__settings *out, const char *owner, const kanon_setting_info *infos, size_t n_infos,
                                  const kanon_setting *given, size_t n_given, kanon_error *err);
void kanon__settings_clear(kanon__settings *settings);
/* The value of a setting that has one; `name` must be in the table. */
bool kanon__setting_given(const kanon__settings *settings, const char *name);
const char *kanon__setting_text(const kanon__settings *settings, const char *name);
int64_t kanon__setting_integer(const kanon__settings *settings, const char *name);
double kanon__setting_number(const kanon__settings *settings, const char *name);
bool kanon__setting_flag(const kanon__settings *settings, const char *name);
bool kanon__setting_is(const kanon__settings *settings, const char *name, const char *choice);

#endif
