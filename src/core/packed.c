/* See packed.h. The checksum finds damage in transport; what the numbers mean is checked by whoever unpacks them, because
 * bytes with a right checksum can be made by anybody. */
#include "core/packed.h"

#include "core/alloc.h"
#include "core/output.h"
#include "core/sink_guard.h"

#include <string.h>

enum { HEAD = 8 };

/* ---- packing ------------------------------------------------------------------------------------------------------ */

static void put(kanon__packer *p, const void *bytes, size_t size)
{
    if (p->st == KANON_OK)
        p->st = kanon__grow_array(&p->bytes, &p->capacity, p->n + (int64_t)size, "packed bytes", p->err);
    if (p->st != KANON_OK || size == 0)
        return;
    memcpy(p->bytes + p->n, bytes, size);
    p->n += (int64_t)size;
}

void kanon__packer_init(kanon__packer *out, const kanon__packed_kind *kind, kanon_error *err)
{
    const char head[HEAD] = {'k', 'a', 'n', 'o', 'n', kind->letter, kind->version, '\n'};
    *out = (kanon__packer){.err = err};
    put(out, head, HEAD);
}

void kanon__packer_clear(kanon__packer *p)
{
    kanon__free(p->bytes);
    p->bytes = NULL;
}

void kanon__pack_number(kanon__packer *p, uint64_t number)
{
    unsigned char bytes[10];
    size_t n = 0;
    do {
        bytes[n++] = (unsigned char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        number >>= 7;
    } while (number > 0);
    put(p, bytes, n);
}

void kanon__pack_signed(kanon__packer *p, int64_t number)
{
    kanon__pack_number(p, ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0));
}

void kanon__pack_text(kanon__packer *p, const char *text, size_t length)
{
    kanon__pack_number(p, length);
    put(p, text, length);
}

void kanon__pack_bytes(kanon__packer *p, const void *bytes, size_t size)
{
    put(p, bytes, size);
}

static void checksum(unsigned char out[KANON__FINGERPRINT], const void *bytes, size_t size)
{
    unsigned char digest[KANON__SHA256_BYTES];
    kanon__sha256 hash;
    kanon__sha256_begin(&hash);
    kanon__sha256_add(&hash, bytes, size);
    kanon__sha256_end(&hash, digest);
    memcpy(out, digest, KANON__FINGERPRINT);
}

kanon_status kanon__packer_fingerprint(unsigned char out[KANON__FINGERPRINT], kanon__packer *p)
{
    if (p->st == KANON_OK)
        checksum(out, p->bytes, (size_t)p->n);
    return p->st;
}

kanon_status kanon__packer_send(kanon__packer *p, const kanon_sink *sink)
{
    kanon_status st = KANON_OK;
    kanon__output *output = NULL;
    kanon__sink_guard guard;
    unsigned char sum[KANON__FINGERPRINT];
    KANON_TRY(kanon__sink_guard_begin(&guard, &sink, p->err), out);
    KANON_TRY(kanon__packer_fingerprint(sum, p), out);
    KANON_TRY(kanon__output_open(&output, KANON_TO_SINK(sink), false, p->err), out);
    kanon__output_write(output, p->bytes, (size_t)p->n);
    kanon__output_write(output, sum, sizeof sum);
    KANON_TRY(kanon__output_finish(output, p->err), out);
    KANON_TRY(kanon__output_commit(&output, 1, p->err), out);
out:
    kanon__output_free(output);
    kanon__sink_guard_end(&guard, 1);
    return st;
}

/* ---- unpacking ---------------------------------------------------------------------------------------------------- */

static kanon_status fail_damaged(const kanon__packed_kind *kind, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s in bytes: they are damaged", kind->name);
    return kanon__hint(err, st, "hand over all bytes of one object as they were written");
}

char kanon__packed_letter(const void *bytes, size_t size)
{
    const char *at = bytes;
    return size >= HEAD && memcmp(at, "kanon", 5) == 0 && at[7] == '\n' ? at[5] : '\0';
}

kanon_status kanon__unpacker_init(kanon__unpacker *out, const kanon__packed_kind *kind, const void *bytes, size_t size,
                                  kanon_error *err)
{
    const unsigned char *at = bytes;
    unsigned char sum[KANON__FINGERPRINT];
    *out = (kanon__unpacker){.kind = kind};
    if (size < HEAD + KANON__FINGERPRINT || kanon__packed_letter(bytes, size) != kind->letter)
        return kanon__hint(err, kanon__fail(err, KANON_EDATA, "the bytes are not %s", kind->name),
                           "hand over all bytes of one object as they were written");
    if (at[6] != (unsigned char)kind->version)
        return kanon__hint(err, kanon__fail(err, KANON_EVERSION, "%s in bytes of another version", kind->name),
                           "use one version of the library in all processes");
    checksum(sum, bytes, size - sizeof sum);
    out->at = at + HEAD;
    out->end = at + size - sizeof sum;
    return memcmp(sum, out->end, sizeof sum) == 0 ? KANON_OK : fail_damaged(kind, err);
}

/* The shortest form alone is accepted, so that equal content is equal bytes. */
uint64_t kanon__unpack_number(kanon__unpacker *u)
{
    uint64_t number = 0;
    for (int shift = 0; shift < 64 && u->at < u->end; shift += 7) {
        uint64_t byte = *u->at++;
        if (shift == 63 && byte > 1)
            break;
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            u->damaged = u->damaged || (byte == 0 && shift > 0);
            return number;
        }
    }
    u->damaged = true;
    u->at = u->end;
    return 0;
}

int64_t kanon__unpack_upto(kanon__unpacker *u, int64_t most)
{
    uint64_t number = kanon__unpack_number(u);
    if (most >= 0 && number <= (uint64_t)most)
        return (int64_t)number;
    u->damaged = true;
    return 0;
}

int64_t kanon__unpack_signed(kanon__unpacker *u)
{
    uint64_t number = kanon__unpack_number(u);
    return (int64_t)((number >> 1) ^ (number & 1 ? UINT64_MAX : 0));
}

int64_t kanon__unpack_count(kanon__unpacker *u, int64_t least)
{
    return kanon__unpack_upto(u, (u->end - u->at) / (least > 0 ? least : 1));
}

const char *kanon__unpack_text(kanon__unpacker *u, size_t *length)
{
    *length = (size_t)kanon__unpack_count(u, 1);
    const char *text = (const char *)u->at;
    u->at += *length;
    return text;
}

const unsigned char *kanon__unpack_bytes(kanon__unpacker *u, int64_t size)
{
    const unsigned char *bytes = u->at;
    u->damaged = u->damaged || size < 0 || size > u->end - u->at;
    if (u->damaged)
        return NULL;
    u->at += size;
    return bytes;
}

kanon_status kanon__unpacker_check(const kanon__unpacker *u, bool sound, kanon_error *err)
{
    return !u->damaged && sound ? KANON_OK : fail_damaged(u->kind, err);
}

kanon_status kanon__unpacker_end(const kanon__unpacker *u, kanon_error *err)
{
    return kanon__unpacker_check(u, u->at == u->end, err);
}
