/* What a file is by its first bytes, so that the message about one that is no text can say what to do. */
#ifndef KANON_TABLE_SOURCE_FILE_KIND_H
#define KANON_TABLE_SOURCE_FILE_KIND_H

#include "table/text/input.h"

typedef enum kanon__file_kind {
    KANON__FILE_TEXT = 0, /* or unknown */
    KANON__FILE_GZIP,
    KANON__FILE_ZSTD,
    KANON__FILE_FIRST_REFUSED /* this and the following: a row of the table in file_kind.c */
} kanon__file_kind;

kanon_status kanon__file_kind_find(kanon__file_kind *out, const kanon__input *input, kanon_error *err);
/* KANON_EDATA for a file that is no text, which says what it is; KANON_OK for the others. */
kanon_status kanon__file_kind_refuse(kanon__file_kind kind, const kanon__input *input, kanon_error *err);

#endif
