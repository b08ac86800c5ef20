/* Any bytes as a groups file: refused with a message on one line, or a grouping whose numbers fit together. It can
 * be measured whatever it is, but is released only if it satisfies k and the constraint of the schema. */
#include "fuzz_support.h"

static void check_sizes(const kanon_grouping *grouping)
{
    const kanon_grouping_info *said = kanon_grouping_describe(grouping);
    int64_t n = said->rows, n_groups = said->groups, suppressed = 0;
    int64_t sizes[64] = {0}, smallest = n_groups > 0 ? INT64_MAX : 0;
    require(n == 8 && n_groups >= 0 && n_groups <= n);
    for (int64_t row = 0; row < n; row++) {
        int64_t group = kanon_grouping_group_of(grouping, row);
        require(group >= 0 && group <= n_groups);
        sizes[group]++;
        suppressed += group == 0;
    }
    for (int64_t group = 1; group <= n_groups; group++)
        smallest = sizes[group] < smallest ? sizes[group] : smallest;
    require(suppressed == said->suppressed && smallest == said->smallest);
}

/* The illnesses of the small table, by number. */
static bool is_diverse(const kanon_grouping *grouping)
{
    static const int ill[8] = {0, 1, 0, 2, 0, 0, 1, 2};
    int seen[9] = {0};
    for (int row = 0; row < 8; row++)
        seen[kanon_grouping_group_of(grouping, row)] |= 1 << ill[row];
    for (int64_t group = 1; group <= kanon_grouping_describe(grouping)->groups; group++)
        if ((seen[group] & (seen[group] - 1)) == 0)
            return false;
    return true;
}

static void publish(const kanon_grouping *grouping)
{
    kanon_error err = KANON_INIT(kanon_error);
    memory_output out = {0};
    kanon_sink sink = memory_sink(&out);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink), .threads = 1};
    kanon_status st = kanon_publish(small_case()->table, grouping, &outputs, &err);
    require(out.told == 1 && out.complete == (st == KANON_OK));
    const kanon_grouping_info *said = kanon_grouping_describe(grouping);
    bool allowed = (said->groups == 0 || said->smallest >= 2) &&
                   is_diverse(grouping);
    if (st == KANON_OK) {
        require(allowed && lines_are_alike(out.bytes, 4, 2));
    } else {
        require_error(st, &err);
        require(st == KANON_EINVAL);
    }
    free(out.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *grouping = NULL;
    kanon_measures *measures = NULL;
    kanon_status st = kanon_grouping_read(&grouping, small_case()->table, KANON_BYTES_AS(data, size, "g.csv"), &err);
    require((st == KANON_OK) == (grouping != NULL));
    if (st != KANON_OK) {
        require_error(st, &err);
        require(st == KANON_EDATA);
        return 0;
    }
    check_sizes(grouping);
    kanon_evaluate_options options = {.struct_size = sizeof options, .threads = 1, .brief = size % 4 != 0};
    require_done(kanon_evaluate(&measures, small_case()->table, grouping, &options, &err), &err);
    publish(grouping);
    kanon_measures_free(measures);
    kanon_grouping_free(grouping);
    return 0;
}
