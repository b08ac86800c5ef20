/* SHA-256: the vectors of FIPS 180-4, and the plain way against the processor's instructions. */
#include "core/keyed_hash.h"
#include "core/random.h"
#include "support.h"

static void assert_digest(const void *bytes, size_t size, const char *expected)
{
    char digest[KANON__SHA256_TEXT];
    kanon__sha256_of(digest, bytes, size);
    assert_string_equal(digest, expected);
}

/* The examples that NIST gives for the standard, and the lengths around the end of a block. */
static void sha256_of_known_texts(void **state)
{
    (void)state;
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    const char *four = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                       "mnopqrstnopqrstu";
    assert_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest(two, strlen(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_digest(four, strlen(four), "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void sha256_of_a_million_letters(void **state)
{
    (void)state;
    char *letters = malloc(1000000);
    assert_non_null(letters);
    memset(letters, 'a', 1000000);
    assert_digest(letters, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(letters);
}

static void sha256_ways_agree(void **state)
{
    (void)state;
    enum { MOST = 40, ROUNDS = 300 };
    kanon__sha256_blocks fast = kanon__sha256_ni();
    unsigned char bytes[64 * MOST];
    kanon__random random;
    if (fast == NULL)
        skip();
    kanon__random_init(&random, 7, 0);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t left[8], right[8];
        size_t n = (size_t)kanon__random_below(&random, MOST + 1);
        for (int i = 0; i < 8; i++)
            left[i] = right[i] = (uint32_t)kanon__random_next(&random);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)kanon__random_next(&random);
        kanon__sha256_plain(left, bytes, n);
        fast(right, bytes, n);
        assert_memory_equal(left, right, sizeof left);
    }
}

/* In how many pieces the bytes come must not matter: every length up to five blocks, cut at random places. */
static void sha256_of_pieces(void **state)
{
    (void)state;
    enum { MOST = 320 };
    unsigned char bytes[MOST];
    kanon__random random;
    kanon__random_init(&random, 8, 0);
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (unsigned char)kanon__random_next(&random);
    for (size_t size = 0; size <= MOST; size++) {
        char whole[KANON__SHA256_TEXT], pieces[KANON__SHA256_TEXT];
        kanon__sha256 hash;
        kanon__sha256_of(whole, bytes, size);
        kanon__sha256_begin(&hash);
        for (size_t at = 0; at < size;) {
            size_t n = (size_t)kanon__random_below(&random, 100);
            n = n < size - at ? n : size - at;
            kanon__sha256_add(&hash, bytes + at, n);
            at += n;
        }
        kanon__sha256_finish(pieces, &hash);
        assert_string_equal(pieces, whole);
    }
}

/* RFC 4231, test cases 1 and 2, whose keys are shorter than a secret: HMAC fills keys up with zeros, too. And a text of
 * every length around the ends of blocks, in pieces and at once. */
static void keyed_hashes_are_hmac(void **state)
{
    static const char *const expected[] = {"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                                           "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"};
    static const char *const texts[] = {"Hi There", "what do ya want for nothing?"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        kanon__secret secret = {{0}};
        kanon__keyed_hash hash;
        unsigned char digest[KANON__KEYED_HASH_BYTES];
        char text[2 * KANON__KEYED_HASH_BYTES + 1];
        memset(secret.bytes, 0x0b, 20);
        if (i == 1)
            memcpy(memset(&secret, 0, sizeof secret), "Jefe", 4);
        kanon__keyed_hash_begin(&hash, &secret);
        kanon__keyed_hash_add(&hash, texts[i], strlen(texts[i]));
        kanon__keyed_hash_end(&hash, digest);
        for (int j = 0; j < KANON__KEYED_HASH_BYTES; j++)
            snprintf(text + 2 * j, 3, "%02x", digest[j]);
        assert_string_equal(text, expected[i]);
    }
    for (size_t size = 0; size < 200; size++) {
        static unsigned char bytes[200];
        unsigned char whole[KANON__KEYED_HASH_BYTES], pieces[KANON__KEYED_HASH_BYTES];
        kanon__secret secret = {{7}};
        kanon__keyed_hash hash;
        kanon__keyed_hash_begin(&hash, &secret);
        kanon__keyed_hash_add(&hash, bytes, size);
        kanon__keyed_hash_end(&hash, whole);
        kanon__keyed_hash_begin(&hash, &secret);
        for (size_t i = 0; i < size; i++)
            kanon__keyed_hash_add(&hash, bytes + i, 1);
        kanon__keyed_hash_end(&hash, pieces);
        assert_memory_equal(whole, pieces, sizeof whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_of_known_texts),
        cmocka_unit_test(sha256_of_a_million_letters),
        cmocka_unit_test(sha256_ways_agree),
        cmocka_unit_test(sha256_of_pieces),
        cmocka_unit_test(keyed_hashes_are_hmac),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
