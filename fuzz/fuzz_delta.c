/* Any bytes as records to insert, delete or update: the state has all of them afterwards or is as it was. The first
 * byte chooses the command and its options. What is released in the same step has no class smaller than k. */
#include "fuzz_support.h"

enum { RECORDS = 9, K = 2 };

static void check_state(kanon_state *state, int64_t records, int64_t releases)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state_info *info = NULL;
    require_done(kanon_state_describe(&info, state, &err), &err);
    require(info->records == records && info->n_releases == (size_t)releases && info->k >= K);
    kanon_state_info_free(info);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n_bytes;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    memory_output out = {0};
    kanon_sink sink = memory_sink(&out);
    if (size == 0)
        return 0;
    const uint8_t *bytes = small_state(&n_bytes);
    const char *path = fuzz_path("x.state");
    write_file(path, bytes, n_bytes);
    require_done(kanon_state_open(&state, path, NULL, &err), &err);

    int command = data[0] % 3;
    bool releases = (data[0] & 0x40) != 0;
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink), .threads = 1};
    kanon_change_options how = {.struct_size = sizeof how,
                                .grow_taxonomy = (data[0] & 0x10) != 0,
                                .outputs = releases ? &outputs : NULL,
                                .joint_k = (data[0] & 0x20) != 0 ? K : 0};
    kanon_status st =
        command == 0
            ? kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(data + 1, size - 1, "d.csv"), &how, &change, &err)
        : command == 1
            ? kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(data + 1, size - 1, "d.csv"), &how, &change, &err)
            : kanon_state_change(state, KANON_UPDATE, KANON_BYTES_AS(data + 1, size - 1, "d.csv"), &how, &change, &err);
    require(out.told == releases && (!releases || out.complete == (st == KANON_OK)));
    int64_t records = RECORDS;
    if (st == KANON_OK)
        records += command == 0 ? change.changed : command == 1 ? -change.changed : 0;
    else
        require_error(st, &err);
    if (size % 4 == 0) /* the whole check takes most of the time */
        check_state(state, records, st == KANON_OK && releases ? 3 : 2);
    require(st != KANON_OK || change.records == records);
    require(st != KANON_OK || !releases || lines_are_alike(out.bytes, 4, K) || memchr(data, '"', size) != NULL);
    kanon_state_close(state);
    free(out.bytes);
    return 0;
}
