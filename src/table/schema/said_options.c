/* See said_options.h. */
#include "table/schema/said_options.h"

#include "core/option_rows.h"
#include "core/texts.h"
#include "table/schema/settings.h"
#include "table/value/number.h"

#include <string.h>

/* Whether a name is that of the option: with - or _ between its parts. */
static bool is_name(const option *row, const char *name)
{
    size_t i = 0;
    while (name[i] != '\0' && (name[i] == row->name[i] || (name[i] == '_' && row->name[i] == '-')))
        i++;
    return name[i] == '\0' && row->name[i] == '\0';
}

static kanon_status fail_unknown(const kanon__said_option *rows, size_t n_rows, const char *name, kanon_error *err)
{
    enum { MOST = 32 };
    const char *names[MOST];
    for (size_t i = 0; i < n_rows && i < MOST; i++)
        names[i] = kanon__option(rows[i].id)->name;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "there is no option '%s' here", name);
    return kanon__hint_words(err, st, "choose one of:", names, n_rows, name);
}

static kanon_status take_word(int64_t *out, const option *row, const char *words, const char *text, kanon_error *err)
{
    int at = kanon__choice_find(words, text);
    *out = at + row->min;
    if (at >= 0)
        return KANON_OK;
    return kanon__hint_choice(err, kanon__fail(err, KANON_EINVAL, "%s: there is no such word", row->name), words, text);
}

/* Digits, and K, M, G or T for a power of 1024. */
static bool parse_size(int64_t *out, const char *text)
{
    static const char letters[] = "KMGT";
    size_t length = strlen(text);
    const char *letter = length > 0 ? strchr(letters, text[length - 1]) : NULL;
    int shift = letter != NULL ? 10 * (int)(letter - letters + 1) : 0;
    if (!kanon__parse_integer(out, text, length - (letter != NULL)) || *out < 1 || *out > INT64_MAX >> shift)
        return false;
    *out <<= shift;
    return true;
}

static kanon_status take_number(int64_t *out, const option *row, const char *text, kanon_error *err)
{
    int64_t least = row->kind == OPTION_SEED ? 0 : row->min;
    int64_t most = row->kind == OPTION_SEED ? (int64_t)KANON_SEED_MAX : row->max;
    if (kanon__parse_integer(out, text, strlen(text)) && *out >= least && *out <= most)
        return KANON_OK;
    if (most == INT64_MAX)
        return kanon__fail(err, KANON_EINVAL, "%s must be a whole number, %lld or more", row->name, (long long)least);
    return kanon__fail(err, KANON_EINVAL, "%s must be a whole number from %lld to %lld", row->name, (long long)least,
                       (long long)most);
}

static kanon_status take_value(int64_t *out, const option *row, const char *text, kanon_error *err)
{
    switch (row->kind) {
    case OPTION_SWITCH:
        return take_word(out, row, "false|true", text, err);
    case OPTION_WORD:
        return take_word(out, row, row->argument, text, err);
    case OPTION_BLOCKS:
        if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0) {
            *out = text[0] == 'a' ? 0 : KANON_BLOCKS_NONE;
            return KANON_OK;
        }
        if (kanon__parse_integer(out, text, strlen(text)) && (*out == 0 || *out == KANON_BLOCKS_NONE || *out >= 2))
            return KANON_OK;
        return kanon__fail(err, KANON_EINVAL, "%s must be a whole number from 2 upwards, auto or none", row->name);
    case OPTION_SIZE:
        if (parse_size(out, text))
            return KANON_OK;
        return kanon__fail(err, KANON_EINVAL, "%s must be a number of bytes such as 500M or 2G", row->name);
    default:
        return take_number(out, row, text, err);
    }
}

static kanon_status take_one(void *options, const kanon__said_option *to, const char *text, kanon_error *err)
{
    char *place = (char *)options + to->offset;
    int64_t value;
    if (to->type == KANON__SAID_TEXT) {
        memcpy(place, &text, sizeof text);
        return KANON_OK;
    }
    KANON_CHECK(take_value(&value, kanon__option(to->id), text, err));
    int narrow = (int)value;
    if (to->type == KANON__SAID_INT)
        memcpy(place, &narrow, sizeof narrow);
    else
        memcpy(place, &value, sizeof value);
    return KANON_OK;
}

kanon_status kanon__said_take(void *options, const kanon__said_option *rows, size_t n_rows, const kanon_setting *said,
                              size_t n_said, kanon_error *err)
{
    for (size_t i = 0; i < n_said; i++) {
        size_t at = 0;
        if (said[i].name == NULL || said[i].value == NULL)
            return kanon__fail(err, KANON_EINVAL, "an option as text has no %s", said[i].name == NULL ? "name" : "value");
        while (at < n_rows && !is_name(kanon__option(rows[at].id), said[i].name))
            at++;
        if (at == n_rows)
            return fail_unknown(rows, n_rows, said[i].name, err);
        KANON_CHECK(take_one(options, &rows[at], said[i].value, err));
        const char *implied = kanon__option(rows[at].id)->implies;
        for (size_t j = 0; implied != NULL && j < n_rows; j++)
            if (strcmp(rows[j].id, implied) == 0)
                KANON_CHECK(take_one(options, &rows[j], "true", err));
    }
    return KANON_OK;
}
