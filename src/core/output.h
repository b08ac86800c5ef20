/* An output file that appears whole or not at all: written to a temporary file in the directory of its place, named by
 * kanon__output_commit, removed by kanon__output_free where it was not committed. A new file has the permissions that the
 * process gives to new files, one that replaces another has those of the other, a private one is its owner's alone. "-" and
 * things that are not regular files (devices, pipes) are written to directly, and so is a caller's sink, which is told in
 * the end whether to keep what it got. */
#ifndef KANON_CORE_OUTPUT_H
#define KANON_CORE_OUTPUT_H

#include "core/sha256.h"
#include "core/take_output.h"

#include <stdbool.h>

typedef struct kanon__output kanon__output;

/* Whether two paths name one file, however they are written, or will once it is there. */
bool kanon__output_same_place(const char *left, const char *right);
/* A file is opened at once, so that an unwritable place is known before the work begins; a stream is refused. `to` was taken
 * (core/take_output.h). `with_sha256`: keep a checksum. */
kanon_status kanon__output_open(kanon__output **out, const kanon_output *to, bool with_sha256, kanon_error *err);
/* Only the owner may read and write the file, whatever the process gives to new files and whatever stood there before: it
 * tells more about single records than the release does. */
void kanon__output_make_private(kanon__output *output);
/* Buffered. A failure is kept and told by kanon__output_finish. */
void kanon__output_write(kanon__output *output, const void *bytes, size_t size);
void kanon__output_text(kanon__output *output, const char *text);
void kanon__output_integer(kanon__output *output, int64_t value);
/* Whether a cell with this text has to stand in quotes. Delimiter '\0': there is one column, whose readers find no delimiter
 * in the header line, so everything that can be one stands in quotes. */
bool kanon__output_needs_quotes(const char *text, size_t length, char delimiter);
/* A CSV cell: quoted where `delimiter`, quotes, line breaks or spaces at its ends ask for it. */
void kanon__output_cell(kanon__output *output, const char *text, size_t length, char delimiter);
/* Another name of the file that is being written, for somebody who opens it by its name and writes all of it; nothing else
 * is written then. False: it is no file. */
enum { KANON__OUTPUT_NAME = 4160 };
bool kanon__output_other_name(kanon__output *output, char out[KANON__OUTPUT_NAME]);
/* Everything is on disk, or *err says why not. Call it once. */
kanon_status kanon__output_finish(kanon__output *output, kanon_error *err);
/* Give the finished files (NULL ones are passed over) their names, then tell the sinks, in this order: all of them, or what
 * stood there before comes back. The hint names an output that could not be taken back, such as a sink that was told. */
kanon_status kanon__output_commit(kanon__output *const *outputs, int n, kanon_error *err);
/* Whether somebody may have it: its file has its name, or its sink was told that it is complete. */
bool kanon__output_is_out(const kanon__output *output);
/* Of the finished output; "" where it was opened without. */
const char *kanon__output_sha256(const kanon__output *output);
int64_t kanon__output_bytes(const kanon__output *output);
void kanon__output_free(kanon__output *output);

#endif
