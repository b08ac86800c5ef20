/* The groups file: the group of every row, numbered by their first rows, as one process numbers them. Nobody knows all
 * groups: each block names the first row of a row's group, and which rows are first ones takes a bit per row.
 *
 *     1 by part: the first rows of its rows' groups come together; the part tells which of its own rows are first ones
 *     2 by part: the number of a group is the number of first rows up to its own; the lines are printed
 *     3 the driver puts the lines of all parts together */
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of a part, and the place of the first row of its group. */
typedef struct row_lead {
    int64_t lead; /* NO_GROUP: the record is suppressed */
    uint32_t slot, unused;
} row_lead;

static const int64_t NO_GROUP = INT64_MAX;

/* ---- what a block tells -------------------------------------------------------------------------------------------- */

/* The first place of each group: places rise. */
static kanon_status find_leads(int64_t **out, const block_text *text, const int64_t *group_of, kanon_error *err)
{
    int64_t n_groups = 0;
    for (int64_t row = 0; row < text->n_rows; row++)
        n_groups = group_of[row] > n_groups ? group_of[row] : n_groups;
    kanon_status st = worker_new(out, n_groups + 1, sizeof **out, err);
    for (int64_t row = text->n_rows - 1; st == KANON_OK && row >= 0; row--)
        (*out)[group_of[row]] = text->places[row];
    if (st == KANON_OK)
        (*out)[0] = NO_GROUP;
    return st;
}

kanon_status block_leads_write(const workers_run *run, const block_text *text, const int64_t *group_of, int64_t block,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *lead_of = NULL;
    bundle leads = {0};
    if (run->order->groups == NULL)
        return KANON_OK;
    WORKER_TRY(find_leads(&lead_of, text, group_of, err));
    WORKER_TRY(bundle_init(&leads, run->n_parts, 0, err));
    for (int64_t row = 0, part = 0; row < text->n_rows; row++) {
        part = part_of_place(run, text->places[row], part);
        leads.marks[part].byte += (int64_t)sizeof(row_lead);
    }
    WORKER_TRY(bundle_sum(&leads, err));
    for (int64_t row = 0, part = 0; row < text->n_rows; row++) {
        part = part_of_place(run, text->places[row], part);
        row_lead lead = {.lead = lead_of[group_of[row]], .slot = (uint32_t)(text->places[row] - part_place(run, part))};
        memcpy(leads.bytes + row * (int64_t)sizeof lead, &lead, sizeof lead);
    }
    WORKER_TRY(bundle_write(&leads, &run->exchange, "leads", block, err));
out:
    bundle_clear(&leads);
    free(lead_of);
    return st;
}

/* ---- step 1 -------------------------------------------------------------------------------------------------------- */

static int64_t words_of(int64_t n_rows)
{
    return n_rows / 64 + 1;
}

/* The leads of a part's rows in the order of the table. */
static kanon_status collect_leads(int64_t *lead_of, const workers_run *run, int64_t part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = run->part_rows[part], left = n;
    row_lead *found = NULL;
    memset(lead_of, -1, (size_t)n * sizeof *lead_of);
    WORKER_TRY(worker_new(&found, n, sizeof *found, err));
    for (int64_t block = 0; block < run->n_blocks; block++) {
        bundle_mark own = {left * (int64_t)sizeof *found, 0};
        WORKER_TRY(bundle_read((char *)found, NULL, &own, run->n_parts, part, &run->exchange, "leads", block, err));
        int64_t n_found = own.byte / (int64_t)sizeof *found;
        for (int64_t i = 0; i < n_found; i++)
            if (found[i].slot < n)
                lead_of[found[i].slot] = found[i].lead;
        left -= n_found;
    }
    for (int64_t slot = 0; slot < n; slot++)
        if (left != 0 || lead_of[slot] < 0) {
            st = worker_fail(err, KANON_EINTERNAL, "the check found a record without a group");
            break;
        }
out:
    free(found);
    return st;
}

static kanon_status mark_first_rows(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    int64_t n = run->part_rows[part], *lead_of = NULL;
    uint64_t *is_first = NULL;
    exchange_file file;
    WORKER_TRY(worker_new(&lead_of, n, sizeof *lead_of, err));
    WORKER_TRY(worker_new(&is_first, words_of(n), sizeof *is_first, err));
    WORKER_TRY(collect_leads(lead_of, run, part, err));
    for (int64_t slot = 0; slot < n; slot++)
        if (lead_of[slot] == part_place(run, part) + slot)
            is_first[slot / 64] |= (uint64_t)1 << slot % 64;
    WORKER_TRY(exchange_create(&file, &run->exchange, "first", part, err));
    exchange_write(&file, is_first, (size_t)words_of(n) * sizeof *is_first);
    WORKER_TRY(exchange_finish(&file, st, err));
    WORKER_TRY(exchange_create(&file, &run->exchange, "lead", part, err));
    exchange_write(&file, lead_of, (size_t)n * sizeof *lead_of);
    WORKER_TRY(exchange_finish(&file, st, err));
out:
    free(is_first);
    free(lead_of);
    return st;
}

static kanon_status take_first_rows(int64_t part, void *payload, kanon_error *err)
{
    workers_run *run = payload;
    void *bytes = NULL;
    size_t size;
    kanon_status st = exchange_load(&bytes, &size, &run->exchange, "first", part, err);
    if (st == KANON_OK && size != (size_t)words_of(run->part_rows[part]) * sizeof(uint64_t))
        st = worker_fail(err, KANON_EINTERNAL, "the check found the groups of a part incomplete");
    if (st == KANON_OK)
        memcpy(run->first_rows.bits + run->first_rows.begin[part], bytes, size);
    free(bytes);
    exchange_drop(&run->exchange, "first", part);
    return st;
}

/* ---- step 2 -------------------------------------------------------------------------------------------------------- */

static int n_bits(uint64_t word)
{
    return __builtin_popcountll(word);
}

/* The number of first rows up to a place, which is one of them; -1: it is none. */
static int64_t number_at(const workers_run *run, int64_t place)
{
    int64_t lo = 0, hi = run->n_parts - 1;
    while (lo < hi) { /* the last part that begins at it or before */
        int64_t middle = (lo + hi + 1) / 2;
        if (part_place(run, middle) <= place)
            lo = middle;
        else
            hi = middle - 1;
    }
    int64_t slot = place - part_place(run, lo), word = run->first_rows.begin[lo] + slot / 64;
    uint64_t bit = (uint64_t)1 << slot % 64, bits = run->first_rows.bits[word];
    return slot < run->part_rows[lo] && (bits & bit) != 0 ? run->first_rows.before[word] + n_bits(bits & (bit - 1)) + 1 : -1;
}

/* Two numbers of up to 19 digits, a comma and a line end. */
enum { MOST_LINE = 2 * 20 + 2 };

static kanon_status print_groups(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    void *leads = NULL;
    char *text = NULL;
    size_t size, used = 0;
    exchange_file file;
    WORKER_TRY(exchange_load(&leads, &size, &run->exchange, "lead", part, err));
    int64_t n = (int64_t)(size / sizeof(int64_t)), capacity = 0;
    for (int64_t slot = 0; slot < n; slot++) {
        int64_t lead = ((const int64_t *)leads)[slot], number = lead == NO_GROUP ? 0 : number_at(run, lead);
        if (number < 0) {
            st = worker_fail(err, KANON_EINTERNAL, "the check found a group without its first record");
            goto out;
        }
        WORKER_TRY(worker_grow(&text, &capacity, (int64_t)used + MOST_LINE, 1, err));
        used += (size_t)snprintf(text + used, MOST_LINE, "%" PRId64 ",%" PRId64 "\n", part_place(run, part) + slot + 1,
                                 number);
    }
    WORKER_TRY(exchange_create(&file, &run->exchange, "grouplines", part, err));
    exchange_write(&file, text, used);
    WORKER_TRY(exchange_finish(&file, st, err));
out:
    free(text);
    free(leads);
    return st;
}

/* ---- step 3 -------------------------------------------------------------------------------------------------------- */

static kanon_status write_file(workers_run *run, kanon_error *err)
{
    static const char header[] = "row,group\n";
    int64_t at = (int64_t)sizeof header - 1;
    kanon_status st = release_write(&run->groups, header, sizeof header - 1, 0, err);
    for (int64_t part = 0; part < run->n_parts && st == KANON_OK; part++) {
        void *text = NULL;
        size_t size = 0;
        st = exchange_load(&text, &size, &run->exchange, "grouplines", part, err);
        if (st == KANON_OK)
            st = release_write(&run->groups, text, size, at, err);
        at += (int64_t)size;
        free(text);
        exchange_drop(&run->exchange, "grouplines", part);
    }
    return st;
}

/* Room for the bits of all parts, and where each part's begin. */
static kanon_status make_room(workers_run *run, int64_t *n_words, kanon_error *err)
{
    kanon_status st = KANON_OK;
    WORKER_TRY(worker_new(&run->first_rows.begin, run->n_parts + 1, sizeof *run->first_rows.begin, err));
    for (int64_t part = 0; part < run->n_parts; part++)
        run->first_rows.begin[part + 1] = run->first_rows.begin[part] + words_of(run->part_rows[part]);
    *n_words = run->first_rows.begin[run->n_parts];
    WORKER_TRY(worker_new(&run->first_rows.bits, *n_words, sizeof *run->first_rows.bits, err));
    WORKER_TRY(worker_new(&run->first_rows.before, *n_words, sizeof *run->first_rows.before, err));
out:
    return st;
}

kanon_status stage_group_file(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    worker_stage mark = {.name = "numbering groups",
                         .n_tasks = run->n_parts,
                         .run = mark_first_rows,
                         .done = take_first_rows,
                         .payload = run};
    worker_stage print = {.name = "writing groups", .n_tasks = run->n_parts, .run = print_groups, .payload = run};
    int64_t n_words = 0, n = 0;
    if (run->order->groups == NULL)
        return KANON_OK;
    WORKER_TRY(make_room(run, &n_words, err));
    WORKER_TRY(worker_pool_run(&run->pool, &mark, err));
    for (int64_t block = 0; block < run->n_blocks; block++)
        exchange_drop(&run->exchange, "leads", block);
    for (int64_t word = 0; word < n_words; word++) {
        run->first_rows.before[word] = n;
        n += n_bits(run->first_rows.bits[word]);
    }
    WORKER_TRY(worker_pool_run(&run->pool, &print, err));
    for (int64_t part = 0; part < run->n_parts; part++)
        exchange_drop(&run->exchange, "lead", part);
    WORKER_TRY(write_file(run, err));
out:
    return st;
}
