/* The catalogue: what the library has, list by list. Each list is the table that the rest of the library reads; options have
 * rows for the program and the hosts (options/options.def), from which their entries are made. */
#include "algorithms/algorithm.h"
#include "constraints/constraints.h"
#include "core/option_rows.h"
#include "database/load_driver.h"
#include "measures/measure.h"
#include "pipeline/run_plan.h"
#include "refine/refinement.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Constant once they are made. */
static kanon__entry option_entries[KANON__N_OPTIONS];
static kanon_setting_info option_values[KANON__N_OPTIONS];

static kanon_setting_type type_of(const option *row)
{
    switch (row->kind) {
    case OPTION_SWITCH:
        return KANON_SETTING_FLAG;
    case OPTION_TEXT:
    case OPTION_WORD:
        return kanon__option_words(row) != NULL ? KANON_SETTING_CHOICE : KANON_SETTING_TEXT;
    case OPTION_WHOLE:
    case OPTION_SEED:
        return KANON_SETTING_INTEGER;
    case OPTION_SHARE:
    case OPTION_NUMBER:
        return KANON_SETTING_NUMBER;
    default:
        return KANON_SETTING_TEXT;
    }
}

static kanon_setting_info value_of(const option *row)
{
    kanon_setting_info value = {.name = row->id,
                                .type = type_of(row),
                                .default_value = row->standard,
                                .choices = kanon__option_words(row),
                                .help = row->unset};
    value.above_min = value.type == KANON_SETTING_NUMBER;
    if (row->kind == OPTION_WHOLE)
        value.min = (double)row->min;
    if (row->kind == OPTION_SEED)
        value.max = (double)KANON_SEED_MAX;
    else if (row->kind == OPTION_SHARE)
        value.max = 1;
    else if (row->kind == OPTION_NUMBER || row->max == INT64_MAX)
        value.max = INFINITY;
    else if (row->kind == OPTION_WHOLE)
        value.max = (double)row->max;
    return value;
}

static void make_options(void)
{
    for (size_t i = 0; i < KANON__N_OPTIONS; i++) {
        const option *row = &kanon__options[i];
        option_values[i] = value_of(row);
        option_entries[i] = (kanon__entry)KANON__ENTRY(.name = row->id, .brief = row->brief, .more = row->more,
                                                       .example = row->example,
                                                       .since = row->since != NULL ? row->since : "0.1.0");
        option_entries[i].settings = &option_values[i];
        option_entries[i].n_settings = 1;
    }
}

static const kanon__entry *option_entry(size_t i)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_options);
    return i < KANON__N_OPTIONS ? &option_entries[i] : NULL;
}

/* ---- all lists --------------------------------------------------------------------------------------------------- */

static const kanon__entry *entry_at(kanon_catalogue list, size_t i)
{
    static const kanon__entry *(*const lists[])(size_t i) = {
        [KANON_CATALOGUE_ALGORITHM] = kanon__algorithm_entry, [KANON_CATALOGUE_REFINEMENT] = kanon__refinement_entry,
        [KANON_CATALOGUE_MODEL] = kanon__model_entry,         [KANON_CATALOGUE_MEASURE] = kanon__measure_entry,
        [KANON_CATALOGUE_OPTION] = option_entry,              [KANON_CATALOGUE_DRIVER] = kanon__driver_entry,
        [KANON_CATALOGUE_NOTATION] = kanon__notation_entry,   [KANON_CATALOGUE_STATUS] = kanon__status_entry,
    };
    return (size_t)list < sizeof lists / sizeof *lists ? lists[list](i) : NULL;
}

const kanon_entry *kanon_catalogue_at(kanon_catalogue list, size_t i)
{
    const kanon__entry *entry = entry_at(list, i);
    return entry != NULL ? &entry->shown : NULL;
}

size_t kanon_catalogue_count(kanon_catalogue list)
{
    size_t n = 0;
    while (entry_at(list, n) != NULL)
        n++;
    return n;
}

const kanon_entry *kanon_catalogue_find(kanon_catalogue list, const char *name)
{
    const kanon_entry *entry;
    if (name == NULL && list == KANON_CATALOGUE_ALGORITHM)
        name = KANON__DEFAULT_ALGORITHM;
    for (size_t i = 0; name != NULL && (entry = kanon_catalogue_at(list, i)) != NULL; i++)
        if (strcmp(entry->name, name) == 0)
            return entry;
    return NULL;
}

const kanon_setting_info *kanon_entry_setting(const kanon_entry *entry, size_t j)
{
    const kanon__entry *own = (const kanon__entry *)entry; /* its first member */
    return own != NULL && j < own->n_settings ? &own->settings[j] : NULL;
}
