#include "core/sha256.h"

#include "core/alloc.h"

#include <openssl/evp.h>

struct kanon__sha256 {
    EVP_MD_CTX *context;
};

kanon_status kanon__sha256_new(kanon__sha256 **out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__sha256 *hash = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&hash, 1, "a checksum", err), out);
    hash->context = EVP_MD_CTX_new();
    if (hash->context == NULL || EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) != 1) {
        st = kanon__fail(err, KANON_ENOMEM, "out of memory for a checksum");
        goto out;
    }
    *out = hash;
    hash = NULL;
out:
    kanon__sha256_free(hash);
    return st;
}

void kanon__sha256_free(kanon__sha256 *hash)
{
    if (hash != NULL)
        EVP_MD_CTX_free(hash->context);
    kanon__free(hash);
}

kanon_status kanon__sha256_add(kanon__sha256 *hash, const void *bytes, size_t size, kanon_error *err)
{
    if (EVP_DigestUpdate(hash->context, bytes, size) != 1)
        return kanon__fail(err, KANON_EINTERNAL, "the checksum library failed");
    return KANON_OK;
}

kanon_status kanon__sha256_finish(char out[KANON__SHA256_TEXT], kanon__sha256 *hash, kanon_error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (EVP_DigestFinal_ex(hash->context, digest, &size) != 1 || size != 32)
        return kanon__fail(err, KANON_EINTERNAL, "the checksum library failed");
    for (int i = 0; i < 32; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[64] = '\0';
    return KANON_OK;
}

kanon_status kanon__sha256_of(char out[KANON__SHA256_TEXT], const void *bytes, size_t size, kanon_error *err)
{
    kanon__sha256 *hash = NULL;
    kanon_status st = kanon__sha256_new(&hash, err);
    if (st == KANON_OK)
        st = kanon__sha256_add(hash, bytes, size, err);
    if (st == KANON_OK)
        st = kanon__sha256_finish(out, hash, err);
    kanon__sha256_free(hash);
    return st;
}
