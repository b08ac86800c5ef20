/* See settings.h. Values are checked when they are given, so that reading a setting later cannot fail; a name that
 * does not exist gets the nearest one as a hint. */
#include "table/schema/settings.h"

#include "core/alloc.h"
#include "core/texts.h"
#include "table/value/number.h"

#include <stdio.h>
#include <string.h>

static int find_setting(const kanon_setting_info *infos, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(infos[i].name, name) == 0)
            return (int)i;
    return -1;
}

static kanon_status fail_unknown(const char *owner, const kanon_setting_info *infos, size_t n, const char *name,
                                 kanon_error *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    for (size_t i = 0; i < n && i < MOST; i++)
        names[i] = infos[i].name;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s has no setting '%s'", owner, name);
    if (n == 0)
        return kanon__hint(err, st, "it has none at all");
    return kanon__hint_words(err, st, "its settings are:", names, n < MOST ? n : MOST, name);
}

int kanon__choice_find(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (int i = 0; *choices != '\0'; i++) {
        size_t word = strcspn(choices, "|");
        if (word == length && memcmp(choices, value, length) == 0)
            return i;
        choices += word + (choices[word] == '|');
    }
    return -1;
}

static kanon_status check_number(const char *owner, const kanon_setting_info *info, const char *value, kanon_error *err)
{
    kanon__decimal number;
    int64_t whole;
    bool integer = info->type == KANON_SETTING_INTEGER;
    bool good = integer ? kanon__parse_integer(&whole, value, strlen(value)) : true;
    good = good && kanon__parse_decimal(&number, value, strlen(value)) && number.value >= info->min &&
           number.value <= info->max;
    if (good)
        return KANON_OK;
    char least[KANON__NUMBER_TEXT], most[KANON__NUMBER_TEXT];
    kanon__format_double(least, info->min);
    kanon__format_double(most, info->max);
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: '%s' is no value for the setting '%s'", owner, value, info->name);
    return kanon__hint(err, st, "give a %snumber from %s to %s", integer ? "whole " : "", least, most);
}

static kanon_status check_value(const char *owner, const kanon_setting_info *info, const char *value, kanon_error *err)
{
    const char *choices = info->type == KANON_SETTING_FLAG ? "true|false" : info->choices;
    if (info->type == KANON_SETTING_INTEGER || info->type == KANON_SETTING_NUMBER)
        return check_number(owner, info, value, err);
    if (info->type == KANON_SETTING_TEXT)
        return KANON_OK; /* its owner knows what it means */
    if (kanon__choice_find(choices, value) >= 0)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: '%s' is no value for the setting '%s'", owner, value, info->name);
    return kanon__hint(err, st, "give one of %s", choices);
}

kanon_status kanon__settings_init(kanon__settings *out, const kanon__entry *owner, const kanon_setting *given,
                                  size_t n_given, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_setting_info *infos = owner->settings;
    size_t n_infos = owner->n_settings;
    kanon__settings s = {.infos = infos, .n = n_infos};
    *out = (kanon__settings){0};
    KANON_TRY(kanon__new_array(&s.values, (int64_t)n_infos, "settings", err), out);
    for (size_t i = 0; i < n_infos; i++)
        s.values[i] = infos[i].default_value;
    for (size_t i = 0; i < n_given; i++) {
        int at = find_setting(infos, n_infos, given[i].name);
        if (at < 0) {
            st = fail_unknown(owner->shown.name, infos, n_infos, given[i].name, err);
            goto out;
        }
        KANON_TRY(check_value(owner->shown.name, &infos[at], given[i].value, err), out);
        s.values[at] = given[i].value;
    }
    *out = s;
    s.values = NULL;
out:
    kanon__free(s.values);
    return st;
}

void kanon__settings_clear(kanon__settings *settings)
{
    kanon__free(settings->values);
    *settings = (kanon__settings){0};
}

const char *kanon__setting_text(const kanon__settings *settings, const char *name)
{
    int at = find_setting(settings->infos, settings->n, name);
    return at >= 0 ? settings->values[at] : NULL;
}

bool kanon__setting_given(const kanon__settings *settings, const char *name)
{
    return kanon__setting_text(settings, name) != NULL;
}

int64_t kanon__setting_integer(const kanon__settings *settings, const char *name)
{
    const char *value = kanon__setting_text(settings, name);
    int64_t number = 0;
    if (value != NULL)
        kanon__parse_integer(&number, value, strlen(value));
    return number;
}

double kanon__setting_number(const kanon__settings *settings, const char *name)
{
    const char *value = kanon__setting_text(settings, name);
    kanon__decimal number = {0};
    if (value != NULL)
        kanon__parse_decimal(&number, value, strlen(value));
    return number.value;
}

bool kanon__setting_is(const kanon__settings *settings, const char *name, const char *choice)
{
    const char *value = kanon__setting_text(settings, name);
    return value != NULL && strcmp(value, choice) == 0;
}

bool kanon__setting_flag(const kanon__settings *settings, const char *name)
{
    return kanon__setting_is(settings, name, "true");
}
