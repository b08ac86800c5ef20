/* Encodings of text: their names, how one is found, and decoders to UTF-8. */
#ifndef KANON_TABLE_SOURCE_TEXT_ENCODING_H
#define KANON_TABLE_SOURCE_TEXT_ENCODING_H

#include "table/text/decode.h"

typedef enum kanon__encoding {
    KANON__ENCODING_UTF8 = 0,
    KANON__ENCODING_UTF16, /* of either order of bytes */
    KANON__ENCODING_UTF16LE,
    KANON__ENCODING_UTF16BE,
    KANON__ENCODING_LATIN1,
    KANON__ENCODING_WINDOWS1252
} kanon__encoding;

/* False where no encoding has that name, in any case of letters. */
bool kanon__encoding_named(kanon__encoding *out, const char *name);
/* The name for people: "Windows-1252". */
const char *kanon__encoding_text(kanon__encoding encoding);
/* The encoding of the bytes: by a byte order mark, by zeros in every other byte, by whether they are UTF-8. What is nearly
 * UTF-8 is taken for that, so that the place of the fault is told. `utf16`: it is UTF-16, in one order of bytes.
 * `presume`: what is not UTF-16 is UTF-8. */
kanon_status kanon__encoding_find(kanon__encoding *out, const kanon__input *input, bool utf16, bool presume,
                                  kanon_error *err);

kanon_status kanon__decode_utf16le(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err);
kanon_status kanon__decode_utf16be(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err);
kanon_status kanon__decode_latin1(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err);
kanon_status kanon__decode_windows1252(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err);

#endif
