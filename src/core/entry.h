/* An entry of the catalogue (kanon.h), as the tables of the library have it. What hosts get is its first member, so that the
 * settings are found from it. */
#ifndef KANON_CORE_ENTRY_H
#define KANON_CORE_ENTRY_H

#include <kanon.h>

typedef struct kanon__entry {
    kanon_entry shown;
    const kanon_setting_info *settings;
    size_t n_settings;
} kanon__entry;

/* One without settings. */
#define KANON__ENTRY(...)                                                                                                   \
    {                                                                                                                       \
        .shown = {.struct_size = sizeof(kanon_entry), __VA_ARGS__}                                                          \
    }

/* The i-th status and the i-th notation; NULL past the last. */
const kanon__entry *kanon__status_entry(size_t i);
const kanon__entry *kanon__notation_entry(size_t i);

#endif
