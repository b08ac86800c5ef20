/* The words of the enums in kanon.h, each in one place. */
#include <kanon.h>
#include <stdbool.h>
#include <string.h>

/* By their values; NULL after the last. */
static const char *const words[][10] = {
    [KANON_ENUM_STATUS] = {"done", "wrong call", "bad input", "requirement cannot be met", "out of memory",
                           "input or output failed", "cancelled", "file of another version", "internal check failed"},
    [KANON_ENUM_ROLE] = {"insensitive", "identifying", "quasi", "sensitive"},
    [KANON_ENUM_TYPE] = {"unknown", "integer", "decimal", "date", "categorical", "ordinal"},
    [KANON_ENUM_HEADER] = {"unsaid", "yes", "no"},
    [KANON_ENUM_RECODE] = {"record", "attribute"},
    [KANON_ENUM_NUMERIC] = {"default", "interval", "range", "mean", "columns"},
    [KANON_ENUM_POINT_RESULT] = {"optimal", "dominated", "infeasible"},
    [KANON_ENUM_TAXONOMY_FORM] = {"auto", "csv", "indented", "yaml", "parents", "json"},
    [KANON_ENUM_TAXONOMY_METHOD] = {"bands", "frequency", "dates", "mask", "prefixes", "rare"},
};

const char *kanon_enum_text(kanon_enum which, int value)
{
    bool is_there = (size_t)which < sizeof words / sizeof *words && (size_t)value < sizeof *words / sizeof **words;
    return is_there ? words[which][value] : NULL;
}

int kanon_enum_value(kanon_enum which, const char *text)
{
    const char *word;
    for (int value = 0; (word = kanon_enum_text(which, value)) != NULL; value++)
        if (strcmp(word, text) == 0)
            return value;
    return -1;
}
