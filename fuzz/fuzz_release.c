/* The bytes decide a table and settings; the table is anonymised, and the release is checked here by plain means
 * that share nothing with the library: k (of persons where they are asked for), the constraint, the budget of
 * suppressed records, and that every cell covers its original. A refusal must be true: the whole table as one group
 * violates something. */
#include "fuzz_support.h"

#include <ctype.h>

enum { MOST_ROWS = 24, N_QUASI = 3 };

typedef struct input {
    const uint8_t *at, *end;
} input;

static unsigned take(input *in, unsigned below)
{
    return (in->at < in->end ? *in->at++ : 0u) % below;
}

/* A record as numbers; -1: missing. Jobs 0 and 1 are below Health, 2 and 3 below Food, 4 stands directly below the
 * root. */
typedef struct record {
    int age, job, zip, ill, who;
} record;

static const char *const jobs[] = {"nurse", "surgeon", "baker", "cook", "pilot"};
static const char *const algorithms[] = {"auto",
                                         "kmember",
                                         "densest",
                                         "strips",
                                         "kmember-p",
                                         "oka",
                                         "kmeans-adjust-each",
                                         "kmeans-fill",
                                         "tgc",
                                         "kmeans-adjust-last",
                                         "tgc-u",
                                         "tgc-p",
                                         "tgc-b",
                                         "mondrian",
                                         "top-down",
                                         "greedy-threshold",
                                         "wfcm",
                                         "attribute-cut",
                                         "full-domain"};

typedef struct wish {
    int n, k, model, limit, entity, together, n_budget, share; /* share of 20; -1: no budget */
    const char *algorithm, *refine;
    bool attribute_level;
    int64_t blocks;
    uint64_t seed;
} wish;

/* ---- from bytes to a run ----------------------------------------------------------------------------------------- */

static void decide(input *in, wish *w, record *records)
{
    unsigned bits = take(in, 256);
    w->n = 1 + (int)take(in, MOST_ROWS);
    w->k = 2 + (int)take(in, 4);
    w->algorithm = algorithms[take(in, sizeof algorithms / sizeof *algorithms)];
    w->model = (int)take(in, 4);
    w->limit = 2 + (int)take(in, 2);
    w->entity = (bits & 1) != 0;
    w->together = w->entity && (bits & 2) != 0;
    w->share = (bits & 4) != 0 ? (int)take(in, 11) : -1;
    w->refine = (bits & 8) != 0 ? "il-optimization" : (bits & 16) != 0 ? "none" : NULL;
    w->attribute_level = (bits & 32) != 0;
    w->blocks = (bits & 64) != 0 ? 2 + (int64_t)take(in, 10) : KANON_BLOCKS_NONE;
    w->seed = bits / 128;
    if (strcmp(w->algorithm, "attribute-cut") != 0 && strcmp(w->algorithm, "full-domain") != 0)
        w->attribute_level = false;
    if (w->attribute_level) {
        w->refine = NULL;
        w->blocks = KANON_BLOCKS_NONE;
    }
    for (int i = 0; i < w->n; i++) {
        unsigned shape = take(in, 256);
        records[i].age = shape >= 240 ? -1 : (int)(shape % 40);
        shape = take(in, 256);
        records[i].job = shape >= 250 ? -1 : (int)(shape % 5);
        records[i].zip = (int)(shape / 5 % 20);
        shape = take(in, 256);
        records[i].ill = (int)(shape % 4);
        records[i].who = (int)(shape / 4 % 12);
    }
}

static const char *number_text(char *buffer, int number)
{
    if (number < 0)
        return "?";
    sprintf(buffer, "%d", number);
    return buffer;
}

static void write_table(char *out, const wish *w, const record *records)
{
    char age[16];
    out += sprintf(out, "who,age,job,zip,ill\n");
    for (int i = 0; i < w->n; i++) {
        const record *r = &records[i];
        out += sprintf(out, "p%d,%s,%s,1%02d,v%d\n", r->who, number_text(age, r->age), r->job < 0 ? "?" : jobs[r->job],
                       r->zip, r->ill);
    }
}

static void write_schema(char *out, const wish *w)
{
    out += sprintf(out,
                   "missing: ['?']\nattributes:\n  who: identifying\n  age: {role: quasi, type: integer}\n"
                   "  job: {role: quasi, type: categorical, taxonomy: {Health: [nurse, surgeon], Food: [baker, cook], "
                   "pilot: }}\n  zip: {role: quasi, mask: right}\n  ill: {role: sensitive, type: categorical}\n");
    if (w->entity)
        out += sprintf(out, "entity: who\nentity-together: %s\n", w->together ? "true" : "false");
    out += sprintf(out, "privacy:\n  k: %d\n", w->k);
    if (w->share >= 0)
        out += sprintf(out, "  suppress: 0.%02d\n", 5 * w->share);
    if (w->model == 1)
        out += sprintf(out, "  constraints: [{model: distinct-l-diversity, attribute: ill, l: %d}]\n", w->limit);
    if (w->model == 2)
        out += sprintf(out, "  constraints: [{model: alpha-k, attribute: ill, alpha: 0.%d}]\n", w->limit == 2 ? 5 : 75);
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

/* Counts of some of the records; of each person once per value. */
static bool satisfied(const wish *w, const record *records, const bool *in)
{
    bool pairs[12][4] = {{false}};
    int n_records = 0, n_persons = 0, n_values = 0, total = 0, most = 0, counts[4] = {0};
    for (int i = 0; i < w->n; i++)
        if (in[i]) {
            n_records++;
            if (!w->entity || !pairs[records[i].who][records[i].ill])
                counts[records[i].ill]++;
            pairs[records[i].who][records[i].ill] = true;
        }
    for (int person = 0; person < 12; person++)
        n_persons += pairs[person][0] || pairs[person][1] || pairs[person][2] || pairs[person][3];
    for (int value = 0; value < 4; value++) {
        n_values += counts[value] > 0;
        total += counts[value];
        most = counts[value] > most ? counts[value] : most;
    }
    if ((w->entity ? n_persons : n_records) < w->k)
        return false;
    if (w->model == 1)
        return n_values >= w->limit;
    if (w->model == 2)
        return w->limit == 2 ? 2 * most <= total : 4 * most <= 3 * total;
    return true;
}

/* Whether an age is covered: the number, [a..b], *, or ? for a missing one. */
static bool covers_age(const char *cell, int age)
{
    int low, high;
    if (strcmp(cell, "*") == 0)
        return true;
    if (age < 0)
        return strcmp(cell, "?") == 0;
    if (sscanf(cell, "[%d..%d]", &low, &high) == 2)
        return low <= age && age <= high;
    return isdigit((unsigned char)cell[0]) && atoi(cell) == age;
}

static bool covers_job(const char *cell, int job)
{
    if (strcmp(cell, "*") == 0)
        return true;
    if (job < 0)
        return strcmp(cell, "?") == 0;
    return strcmp(cell, jobs[job]) == 0 || (job <= 1 && strcmp(cell, "Health") == 0) ||
           ((job == 2 || job == 3) && strcmp(cell, "Food") == 0);
}

static bool covers_zip(const char *cell, int zip)
{
    char text[16];
    sprintf(text, "1%02d", zip);
    if (strcmp(cell, "*") == 0)
        return true;
    if (strlen(cell) != strlen(text))
        return false;
    for (size_t i = 0; text[i] != '\0'; i++)
        if (cell[i] == '*' ? cell[i + 1] != '*' && cell[i + 1] != '\0' : cell[i] != text[i])
            return false;
    return true;
}

typedef char row_cells[N_QUASI + 1][32];

/* Cells have neither quotes nor separators inside. Suppressed records are not there; their cells become empty. */
static void read_release(row_cells *rows, const wish *w, const kanon_grouping *grouping, const char *at)
{
    require(strncmp(at, "age,job,zip,ill\n", 16) == 0);
    at += 16;
    for (int i = 0; i < w->n; i++) {
        int taken = 0;
        if (kanon_grouping_group_of(grouping, i) == 0) {
            memset(rows[i], 0, sizeof rows[i]);
            continue;
        }
        require(sscanf(at, "%31[^,\n],%31[^,\n],%31[^,\n],%31[^,\n]\n%n", rows[i][0], rows[i][1], rows[i][2],
                       rows[i][3], &taken) == 4);
        at += taken;
    }
    require(*at == '\0');
}

static void check_group(const wish *w, const record *records, const row_cells *rows, const bool *in, int first)
{
    bool alike[MOST_ROWS] = {false};
    for (int i = 0; i < w->n; i++) {
        for (int a = 0; in[i] && a < N_QUASI; a++)
            require(strcmp(rows[i][a], rows[first][a]) == 0);
        alike[i] = in[i];
        for (int a = 0; a < N_QUASI; a++)
            alike[i] = alike[i] && strcmp(rows[i][a], rows[first][a]) == 0;
    }
    require(satisfied(w, records, in));
    require(satisfied(w, records, alike));
}

static void check_release(const wish *w, const record *records, const kanon_grouping *grouping, const char *release)
{
    static row_cells rows[MOST_ROWS];
    bool done[MOST_ROWS] = {false};
    int n_suppressed = 0;
    read_release(rows, w, grouping, release);
    for (int i = 0; i < w->n; i++) {
        char ill[8];
        n_suppressed += kanon_grouping_group_of(grouping, i) == 0;
        if (kanon_grouping_group_of(grouping, i) == 0)
            continue;
        sprintf(ill, "v%d", records[i].ill);
        require(strcmp(rows[i][3], ill) == 0);
        require(covers_age(rows[i][0], records[i].age) && covers_job(rows[i][1], records[i].job) &&
                covers_zip(rows[i][2], records[i].zip));
    }
    require(w->share < 0 || n_suppressed <= w->n * w->share / 20);
    for (int i = 0; i < w->n; i++) {
        bool in[MOST_ROWS] = {false};
        int64_t group = kanon_grouping_group_of(grouping, i);
        if (done[i] || group == 0)
            continue;
        for (int j = 0; j < w->n; j++) {
            in[j] = kanon_grouping_group_of(grouping, j) == group;
            done[j] = done[j] || in[j];
            require(!w->together || records[i].who != records[j].who || in[j]);
        }
        check_group(w, records, rows, in, i);
    }
}

/* A refusal without a budget is true only if the whole table cannot be one group. */
static void check_refusal(const wish *w, const record *records)
{
    bool all[MOST_ROWS];
    memset(all, true, sizeof all);
    require(w->share > 0 || !satisfied(w, records, all));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    wish w = {0};
    record records[MOST_ROWS];
    char table_text[MOST_ROWS * 64], schema_text[2048];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    memory_output out = {0};
    kanon_sink sink = memory_sink(&out);
    decide(&in, &w, records);
    write_table(table_text, &w, records);
    write_schema(schema_text, &w);

    require_done(kanon_schema_read(&schema, KANON_BYTES_AS(schema_text, strlen(schema_text), "s.yaml"), NULL, &err), &err);
    kanon_read_options reading = {.struct_size = sizeof reading, .threads = 1};
    require_done(kanon_table_read(&table, KANON_BYTES_AS(table_text, strlen(table_text), "t.csv"), schema, &reading, &err),
                 &err);
    /* the choice of delta on a sample takes longer than everything else */
    static const kanon_setting coarse = {"max-iterations", "1"};
    kanon_options options = {.struct_size = sizeof options,
                             .algorithm = w.algorithm,
                             .settings = &coarse,
                             .n_settings = strncmp(w.algorithm, "tgc", 3) == 0 ? 1 : 0,
                             .refine = w.refine,
                             .blocks = w.blocks,
                             .recode = w.attribute_level ? KANON_RECODE_ATTRIBUTE : KANON_RECODE_RECORD,
                             .seed = w.seed,
                             .effort = strcmp(w.algorithm, "auto") == 0 ? "fast" : NULL,
                             .threads = 1};
    kanon_status st = kanon_anonymize(&grouping, table, &options, &err);
    if (st == KANON_OK) {
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink), .threads = 1};
        require_done(kanon_publish(table, grouping, &outputs, &err), &err);
        require(out.told == 1 && out.complete);
        check_release(&w, records, grouping, out.bytes);
    } else {
        require_error(st, &err);
        if (st == KANON_EINFEASIBLE)
            check_refusal(&w, records);
        else
            require(st == KANON_EINVAL);
    }
    free(out.bytes);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return 0;
}
