/* See source.h. What all row sources have in common; each kind is a file of table/read/. */
#include "table/text/source.h"

#include "core/alloc.h"

#include <stdio.h>
#include <string.h>

void kanon__source_free(kanon__source *source)
{
    if (source == NULL)
        return;
    for (int i = 0; source->column_names != NULL && i < source->n_columns; i++)
        kanon__free(source->column_names[i]);
    kanon__free(source->column_names);
    kanon__dictionary_clear(&source->names);
    kanon__free(source->natural);
    kanon__free(source->unread);
    for (int i = 0; source->levels != NULL && i < source->n_columns; i++)
        kanon__dictionary_clear(&source->levels[i].names);
    kanon__free(source->levels);
    kanon__free(source->part_rows);
    kanon__free(source->name);
    kanon__free(source->file);
    source->class->free(source);
}

kanon_status kanon__source_index(kanon__source *source, kanon_error *err)
{
    kanon_status st = kanon__dictionary_init(&source->names, err);
    for (int i = 0; st == KANON_OK && i < source->n_columns; i++) {
        uint32_t code;
        st = kanon__dictionary_add(&source->names, &code, source->column_names[i], strlen(source->column_names[i]), err);
    }
    return st;
}

int kanon__source_find(const kanon__source *source, const char *name)
{
    uint32_t column = kanon__dictionary_find(&source->names, name, strlen(name));
    return column != KANON__NO_CODE ? (int)column : -1;
}

int kanon__source_find_part(const kanon__source *source, const char *name, const char *suffix)
{
    char whole[256];
    size_t length = strlen(name);
    if ((size_t)snprintf(whole, sizeof whole, "%s%s", name, suffix) < sizeof whole)
        return kanon__source_find(source, whole);
    for (int i = 0; i < source->n_columns; i++)
        if (strncmp(source->column_names[i], name, length) == 0 && strcmp(source->column_names[i] + length, suffix) == 0)
            return i;
    return -1;
}

kanon_status kanon__source_sha256(char out[KANON__SHA256_TEXT], const kanon__source *source, kanon_error *err)
{
    kanon__sha256 hash;
    if (source->sha256[0] != '\0') {
        memcpy(out, source->sha256, KANON__SHA256_TEXT);
        return KANON_OK;
    }
    kanon__sha256_begin(&hash);
    kanon_status st = source->class->hash(source, &hash, err);
    if (st == KANON_OK)
        kanon__sha256_finish(out, &hash);
    return st;
}

bool kanon__codes_are_scarce(const kanon__raw_columns *columns, int64_t n_rows)
{
    enum { BYTES_OF_A_CODE = 4, SHARE_FOR_CODES = 4 };
    int64_t n_wanted = columns->n_wanted > 0 ? columns->n_wanted : 1;
    return columns->memory > 0 && n_rows > columns->memory / SHARE_FOR_CODES / BYTES_OF_A_CODE / n_wanted;
}

kanon_status kanon__source_unchanged(const kanon__source *source, kanon_error *err)
{
    return source->class->unchanged != NULL ? source->class->unchanged(source, err) : KANON_OK;
}

kanon_status kanon__cursor_fail(const kanon__cursor *cursor, int column, const char *what, kanon_error *err)
{
    char place[KANON__PLACE_TEXT];
    return kanon__fail(err, KANON_EDATA, "%s: %s: %s", kanon__source_place(place, cursor->source, cursor->row),
                       cursor->source->column_names[column], what);
}

const char *kanon__source_place(char out[KANON__PLACE_TEXT], const kanon__source *source, int64_t row)
{
    if (source->class->line_of_row != NULL)
        snprintf(out, KANON__PLACE_TEXT, "%s:%lld", source->name, (long long)source->class->line_of_row(source, row));
    else
        snprintf(out, KANON__PLACE_TEXT, "%s: row %lld", source->name, (long long)row + 1);
    return out;
}
