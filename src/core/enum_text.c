/* The words of the enums in kanon.h, each in one place, and what else is said of statuses and notations (entry.h). */
#include "core/entry.h"

#include <string.h>

static const kanon__entry statuses[] = {
    [KANON_OK] = KANON__ENTRY(.name = "done", .brief = "nothing went wrong"),
    [KANON_EINVAL] = KANON__ENTRY(.name = "wrong call", .brief = "the call is wrong: an option, a setting, an unknown name"),
    [KANON_EDATA] = KANON__ENTRY(.name = "bad input", .brief = "the input is wrong: table, schema, taxonomy, groups file"),
    [KANON_EINFEASIBLE] =
        KANON__ENTRY(.name = "requirement cannot be met", .brief = "no grouping can meet the requirement"),
    [KANON_ENOMEM] = KANON__ENTRY(.name = "out of memory", .brief = "there is not enough memory"),
    [KANON_EIO] = KANON__ENTRY(.name = "input or output failed", .brief = "a file could not be read or written"),
    [KANON_ECANCELLED] = KANON__ENTRY(.name = "cancelled", .brief = "the caller asked to stop"),
    [KANON_EVERSION] =
        KANON__ENTRY(.name = "file of another version",
                     .brief = "a file was made by a newer version, or by an older one whose files are no longer read"),
    [KANON_EINTERNAL] = KANON__ENTRY(.name = "internal check failed",
                                     .brief = "a result failed its independent check: a defect in this library"),
};

/* KANON_NUMERIC_DEFAULT is none of its own. */
static const kanon__entry notations[] = {
    [KANON_NUMERIC_INTERVAL - 1] =
        KANON__ENTRY(.name = "interval", .brief = "the least and the greatest value of the group", .example = "[20..29]"),
    [KANON_NUMERIC_RANGE - 1] =
        KANON__ENTRY(.name = "range", .brief = "the same in a form that PostgreSQL casts to a range", .example = "[20,29]"),
    [KANON_NUMERIC_MEAN - 1] = KANON__ENTRY(.name = "mean", .brief = "the mean of the group", .example = "24.5"),
    [KANON_NUMERIC_COLUMNS - 1] =
        KANON__ENTRY(.name = "columns", .brief = "two columns NAME_min and NAME_max in place of NAME", .example = "20,29"),
};

#define N_OF(array) (sizeof(array) / sizeof *(array))

const kanon__entry *kanon__status_entry(size_t i)
{
    return i < N_OF(statuses) ? &statuses[i] : NULL;
}

const kanon__entry *kanon__notation_entry(size_t i)
{
    return i < N_OF(notations) ? &notations[i] : NULL;
}

/* The words of the other enums, by their values; NULL after the last. */
static const char *const words[][7] = {
    [KANON_ENUM_ROLE] = {"insensitive", "identifying", "quasi", "sensitive"},
    [KANON_ENUM_TYPE] = {"unknown", "integer", "decimal", "date", "categorical", "ordinal"},
    [KANON_ENUM_HEADER] = {"unsaid", "yes", "no"},
    [KANON_ENUM_RECODE] = {"record", "attribute"},
    [KANON_ENUM_POINT_RESULT] = {"optimal", "dominated", "infeasible"},
    [KANON_ENUM_TAXONOMY_FORM] = {"auto", "csv", "indented", "yaml", "parents", "json"},
    [KANON_ENUM_TAXONOMY_METHOD] = {"bands", "frequency", "dates", "mask", "prefixes", "rare"},
    [KANON_ENUM_MARK] = {"met", "failed", "look", "not shown"},
};

const char *kanon_enum_text(kanon_enum which, int value)
{
    const kanon__entry *entry = NULL;
    if (which == KANON_ENUM_STATUS)
        entry = kanon__status_entry((size_t)value);
    else if (which == KANON_ENUM_NUMERIC && value == KANON_NUMERIC_DEFAULT)
        return "default";
    else if (which == KANON_ENUM_NUMERIC)
        entry = kanon__notation_entry((size_t)value - 1);
    else
        return (size_t)which < N_OF(words) && (size_t)value < N_OF(*words) ? words[which][value] : NULL;
    return entry != NULL ? entry->shown.name : NULL;
}

int kanon_enum_value(kanon_enum which, const char *text)
{
    const char *word;
    for (int value = 0; (word = kanon_enum_text(which, value)) != NULL; value++)
        if (strcmp(word, text) == 0)
            return value;
    return -1;
}
