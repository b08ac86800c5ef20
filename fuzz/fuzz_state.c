/* A state with damaged bytes: it is refused, or it is sound and gives the release that it gave before. The input is
 * a list of changes of six bytes: where (3), what is done (1), and two values. If the first byte is odd the
 * checksums of the changed pages are made right again, so that the damage reaches the code behind them; then nothing
 * may crash, that is all. */
#include "fuzz_support.h"
#include "state/store/page_checksum.h"

static size_t damage(uint8_t *bytes, size_t size, const uint8_t *data, size_t n)
{
    bool changed[4096] = {false};
    size_t n_pages = size / KANON__PAGE_SIZE;
    require(n_pages <= 4096);
    for (const uint8_t *edit = data + 1; edit + 6 <= data + n; edit += 6) {
        size_t at = ((size_t)edit[0] << 16 | (size_t)edit[1] << 8 | edit[2]) % size;
        changed[at / KANON__PAGE_SIZE] = true;
        switch (edit[3] % 6) {
        case 0:
            bytes[at] = edit[4];
            break;
        case 1:
            bytes[at] ^= (uint8_t)(1 << edit[4] % 8);
            break;
        case 2:
            bytes[at] = (uint8_t)(bytes[at] + edit[4]);
            break;
        case 3: /* zeros, as of a page that was never written */
            for (size_t i = 0; i < edit[4] && at + i < size; i++)
                bytes[at + i] = 0;
            break;
        case 4: /* another page's contents */
            memmove(bytes + at / KANON__PAGE_SIZE * KANON__PAGE_SIZE, bytes + edit[4] % n_pages * KANON__PAGE_SIZE,
                    KANON__PAGE_SIZE);
            break;
        default: /* big-endian numbers of two bytes are what SQLite's pages are made of */
            bytes[at] = edit[4];
            if (at + 1 < size)
                bytes[at + 1] = edit[5];
        }
    }
    if (n > 1 && n % 6 == 2) /* a file that was cut */
        size = size * data[n - 1] / 256;
    for (size_t page = 0; n > 0 && (data[0] & 1) != 0 && page < size / KANON__PAGE_SIZE; page++)
        if (changed[page])
            kanon__page_write_checksum(bytes + page * KANON__PAGE_SIZE, (int64_t)(page * KANON__PAGE_SIZE));
    return size;
}

/* What the state releases, as text; NULL: it is refused. */
static char *released(const char *path, int command)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    kanon_audit *audit = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    memory_output out = {0};
    kanon_sink sink = memory_sink(&out);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink), .threads = 1};
    kanon_change_options how = {.struct_size = sizeof how, .outputs = &outputs};
    static const char delta[] = "id,age,born,job,zip,ill\n10,40,1970-01-01,cook,110,flu\n", key[] = "id\n3\n";

    kanon_status st = kanon_state_open(&state, path, NULL, &err);
    if (st == KANON_OK && command == 0)
        st = kanon_state_describe(&info, state, &err);
    if (st == KANON_OK && command == 0)
        st = kanon_state_audit(&audit, state, 0, &err);
    if (st == KANON_OK && command == 1)
        st = kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(delta, strlen(delta), "d.csv"), NULL, &change, &err);
    if (st == KANON_OK && command == 2)
        st = kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(key, strlen(key), "d.csv"), NULL, &change, &err);
    if (st == KANON_OK && command == 3)
        st = kanon_state_improve(state, NULL, NULL, &change, &err);
    if (st == KANON_OK)
        st = kanon_state_release(state, &how, &change, &err);
    if (st != KANON_OK) {
        require(st != KANON_ECANCELLED && err.status == st && err.message[0] != '\0' &&
                strchr(err.message, '\n') == NULL);
        free(out.bytes);
        out.bytes = NULL;
    }
    kanon_audit_free(audit);
    kanon_state_info_free(info);
    kanon_state_close(state);
    return out.bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *expected[4];
    size_t n_bytes;
    const uint8_t *bytes = small_state(&n_bytes);
    const char *path = fuzz_path("x.state");
    int command = size > 0 ? data[0] / 2 % 4 : 0;
    if (expected[command] == NULL) {
        write_file(path, bytes, n_bytes);
        expected[command] = released(path, command);
        require(expected[command] != NULL);
    }
    uint8_t *copy = malloc(n_bytes);
    require(copy != NULL);
    memcpy(copy, bytes, n_bytes);
    write_file(path, copy, damage(copy, n_bytes, data, size));
    char *now = released(path, command);
    require(now == NULL || (size > 0 && (data[0] & 1) != 0) || strcmp(now, expected[command]) == 0);
    free(now);
    free(copy);
    unlink(fuzz_path("x.state-journal"));
    return 0;
}
