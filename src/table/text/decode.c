/* See decode.h. The steps in order: look at the first bytes, unpack, find the encoding, decode. A file that is UTF-8 already
 * is walked through once and stays what it is. */
#include "table/text/decode.h"

#include "core/alloc.h"
#include "core/spill.h"
#include "table/text/csv.h"
#include "table/text/file_kind.h"
#include "table/text/text_encoding.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IN_MEMORY = 1 << 20 };
/* Text of persons is rarely packed to less than a hundredth; what unpacks to far more is made to fill disks. */
enum { MOST_UNPACKED = 1 << 26, MOST_RATIO = 250 };

/* ---- bytes in and out -------------------------------------------------------------------------------------------- */

kanon_status kanon__byte_reader_next(kanon__byte_reader *r, const char **bytes, size_t *n, kanon_error *err)
{
    *n = 0;
    if (r->position >= r->input->size)
        return kanon__input_unchanged(r->input, err);
    kanon_status st = kanon__input_chunk(r->input, r->position, r->input->size, r->buffer, bytes, n, err);
    if (st != KANON_OK)
        return st;
    if (*n > KANON__INPUT_CHUNK)
        *n = KANON__INPUT_CHUNK;
    r->position += *n;
    if (r->hash != NULL)
        kanon__sha256_add(r->hash, *bytes, *n);
    return KANON_OK;
}

static kanon_status flush(kanon__byte_store *s, kanon_error *err)
{
    const char *at = s->bytes;
    if (s->fd < 0) {
        kanon_status st = kanon__spill_open(&s->fd, err);
        if (st != KANON_OK)
            return st;
    }
    while (s->n > 0) {
        ssize_t written = write(s->fd, at, (size_t)s->n);
        if (written < 0 && errno != EINTR) {
            kanon_status st = kanon__fail_errno(err, errno, "write a temporary file in", kanon__spill_directory());
            return kanon__hint(err, st, "set TMPDIR to a directory with room for the text of the input");
        }
        if (written > 0) {
            at += written;
            s->n -= written;
        }
    }
    return KANON_OK;
}

kanon_status kanon__byte_store_add(kanon__byte_store *s, const char *bytes, size_t n, kanon_error *err)
{
    if (n > s->most - s->size) {
        kanon_status st = kanon__fail(err, KANON_EDATA, "%s: it unpacks to more than %d times its size", s->path,
                                      (int)MOST_RATIO);
        return kanon__hint(err, st, "unpack it yourself if that is right, and read the file that comes out");
    }
    s->size += n;
    while (n > 0) {
        kanon_status st = kanon__grow_array(&s->bytes, &s->capacity,
                                            s->n + (int64_t)n < IN_MEMORY ? s->n + (int64_t)n : (int64_t)IN_MEMORY,
                                            "the text of the input", err);
        if (st != KANON_OK)
            return st;
        size_t room = (size_t)(IN_MEMORY - s->n), part = n < room ? n : room;
        memcpy(s->bytes + s->n, bytes, part);
        s->n += (int64_t)part;
        bytes += part;
        n -= part;
        if (s->n == IN_MEMORY && (st = flush(s, err)) != KANON_OK)
            return st;
    }
    return KANON_OK;
}

static void clear_store(kanon__byte_store *s)
{
    if (s->fd >= 0)
        close(s->fd);
    kanon__free(s->bytes);
}

/* The bytes of the store become those of the input; its path and where it is stay. */
static kanon_status take_store(kanon__input *in, kanon__byte_store *s, kanon_error *err)
{
    struct stat info;
    kanon__input fresh = {.path = in->path, .file = in->file, .size = s->size};
    memcpy(fresh.sha256, in->sha256, sizeof fresh.sha256);
    if (s->fd >= 0) {
        kanon_status st = flush(s, err);
        if (st != KANON_OK)
            return st;
        if (fstat(s->fd, &info) != 0)
            return kanon__fail_errno(err, errno, "read", in->path);
        fresh.has_file = true;
        fresh.fd = s->fd;
        fresh.opened = info;
        s->fd = -1;
    } else {
        fresh.bytes = s->size > 0 ? s->bytes : NULL;
        fresh.owned = s->bytes;
        s->bytes = NULL;
    }
    in->path = in->file = NULL;
    kanon__input_close(in);
    *in = fresh;
    return KANON_OK;
}

kanon_status kanon__unpack_damaged(const kanon__byte_store *out, const char *format, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: the %s file is damaged or not complete", out->path, format);
    return kanon__hint(err, st, "copy it again from where it was made");
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

typedef kanon_status (*decoder)(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err);

/* Put what `decode` makes of the input in its place. */
static kanon_status replace(kanon__input *in, decoder decode, bool packed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__byte_reader *reader = NULL;
    kanon__byte_store store = {.path = in->path, .fd = -1, .most = SIZE_MAX / 2};
    kanon__sha256 hash;
    bool first = in->sha256[0] == '\0';
    if (packed && in->size < MOST_UNPACKED)
        store.most = in->size * MOST_RATIO > MOST_UNPACKED ? in->size * MOST_RATIO : MOST_UNPACKED;
    KANON_TRY(kanon__new_array(&reader, 1, "a copy buffer", err), out);
    reader->input = in;
    kanon__sha256_begin(&hash);
    reader->hash = first ? &hash : NULL;
    KANON_TRY(decode(&store, reader, err), out);
    if (first) {
        const char *rest;
        size_t n = 1;
        while (n > 0) /* what the decoder left: the checksum is that of the whole file */
            KANON_TRY(kanon__byte_reader_next(reader, &rest, &n, err), out);
        kanon__sha256_finish(in->sha256, &hash);
    }
    KANON_TRY(take_store(in, &store, err), out);
out:
    kanon__free(reader);
    clear_store(&store);
    return st;
}

static kanon_status unpack(kanon__input *in, kanon_error *err)
{
    kanon__file_kind kind;
    kanon_status st = kanon__file_kind_find(&kind, in, err);
    if (st == KANON_OK && (kind == KANON__FILE_GZIP || kind == KANON__FILE_ZSTD)) {
        st = replace(in, kind == KANON__FILE_GZIP ? kanon__unpack_gzip : kanon__unpack_zstd, true, err);
        if (st == KANON_OK)
            st = kanon__file_kind_find(&kind, in, err);
    }
    return st == KANON_OK ? kanon__file_kind_refuse(kind, in, err) : st;
}

static kanon_status fail_unknown(const char *encoding, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL, "there is no encoding '%.40s'", encoding);
    return kanon__topic(
        err, kanon__hint(err, st, "encodings are utf-8, utf-16, utf-16le, utf-16be, latin-1 and windows-1252"), "encoding");
}

bool kanon__encoding_is_known(const char *name)
{
    kanon__encoding encoding;
    return kanon__encoding_named(&encoding, name);
}

static kanon_status decode(kanon__input *in, const char *encoding, bool presume, kanon__texts *notices, kanon_error *err)
{
    static const decoder decoders[] = {[KANON__ENCODING_UTF16LE] = kanon__decode_utf16le,
                                       [KANON__ENCODING_UTF16BE] = kanon__decode_utf16be,
                                       [KANON__ENCODING_LATIN1] = kanon__decode_latin1,
                                       [KANON__ENCODING_WINDOWS1252] = kanon__decode_windows1252};
    kanon_status st = KANON_OK;
    kanon__encoding found = KANON__ENCODING_UTF8;
    if (encoding != NULL && !kanon__encoding_named(&found, encoding))
        return fail_unknown(encoding, err);
    KANON_TRY(unpack(in, err), out);
    if (encoding == NULL || found == KANON__ENCODING_UTF16)
        KANON_TRY(kanon__encoding_find(&found, in, found == KANON__ENCODING_UTF16, presume, err), out);
    if (found == KANON__ENCODING_UTF8)
        goto out;
    KANON_TRY(replace(in, decoders[found], false, err), out);
    if (encoding == NULL && notices != NULL)
        KANON_TRY(kanon__texts_addf(notices, err, "%s: read as %s; if that is wrong, say which encoding it has", in->path,
                                    kanon__encoding_text(found)),
                  out);
out:
    return st;
}

kanon_status kanon__input_decode(kanon__input *in, const char *encoding, kanon__texts *notices, kanon_error *err)
{
    return decode(in, encoding, false, notices, err);
}

kanon_status kanon__input_presume(kanon__input *in, kanon__texts *notices, kanon_error *err)
{
    return decode(in, NULL, true, notices, err);
}
