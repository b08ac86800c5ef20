/* Settings: what a user may tune in an algorithm, a refinement or a measure. Each owner gives a table of them; the user's
 * texts are checked against it. */
#ifndef KANON_TABLE_SETTINGS_H
#define KANON_TABLE_SETTINGS_H

#include "core/entry.h"
#include "core/status.h"

#include <stdbool.h>

/* The settings of a run, in the order of the algorithm's table; NULL where neither the user nor the table gives a value. */
typedef struct kanon__settings {
    const kanon_setting_info *infos;
    size_t n;
    const char **values;
} kanon__settings;

/* Which of the words in "strict|relaxed" `value` is; -1: none of them. */
int kanon__choice_find(const char *choices, const char *value);
/* Check the user's settings against the owner's table; later ones win. KANON_EINVAL names the valid ones. */
kanon_status kanon__settings_init(kanon__settings *out, const kanon__entry *owner, const kanon_setting *given,
                                  size_t n_given, kanon_error *err);
void kanon__settings_clear(kanon__settings *settings);
/* The value of a setting that has one; `name` must be in the table. */
bool kanon__setting_given(const kanon__settings *settings, const char *name);
const char *kanon__setting_text(const kanon__settings *settings, const char *name);
int64_t kanon__setting_integer(const kanon__settings *settings, const char *name);
double kanon__setting_number(const kanon__settings *settings, const char *name);
bool kanon__setting_flag(const kanon__settings *settings, const char *name);
bool kanon__setting_is(const kanon__settings *settings, const char *name, const char *choice);

#endif
