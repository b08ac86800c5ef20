/* Tables to release as Arrow streams, one of CSV and one of every Arrow type, for several test programs. */
#ifndef KANON_TESTS_ARROW_RELEASE_CASES_H
#define KANON_TESTS_ARROW_RELEASE_CASES_H

#include "arrow_producer.h"
#include "support.h"
#include "to_stream.h"

#define CELLS(...) ((const char *const[]){__VA_ARGS__})
#define GROUPS(...) ((const int64_t[]){__VA_ARGS__})
#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static inline kanon_status release(struct ArrowArrayStream *out, const kanon_table *table, const kanon_grouping *grouping,
                            kanon_numeric numeric, bool shuffle, int threads, kanon_error *err)
{
    kanon_outputs options = {
        .struct_size = sizeof options, .numeric = numeric, .shuffle = shuffle, .threads = threads,
        .shuffle_seed = shuffle ? 5 : 0};
    *out = (struct ArrowArrayStream){0};
    kanon_status st = release_to_stream(out, table, grouping, &options, err);
    assert_true((st == KANON_OK) == (out->release != NULL));
    return st;
}

static const char people_yaml[] = "missing: [\"?\", NA]\n"
                                  "privacy: {suppressed: keep}\n"
                                  "default-role: insensitive\nattributes:\n"
                                  "  name: {role: identifying}\n"
                                  "  age: {role: quasi, type: integer}\n"
                                  "  temp: {role: quasi, type: decimal}\n"
                                  "  day: {role: quasi, type: date}\n"
                                  "  job: {role: quasi, taxonomy: {Work: {cook: , baker: }, none: }}\n"
                                  "  ill: {role: sensitive}\n"
                                  "  dose: {role: sensitive}\n"
                                  "  note: {role: insensitive}\n";

static const char people_csv[] = "name,age,temp,day,job,ill,dose,note\n"
                                 "Ann,20,-1.50,2020-02-28,cook,flu,1,a\n"
                                 "Bob,24,2,2020-03-01,baker,hiv,-2,\"b \"\"c\"\"\"\n"
                                 "Cid,21,-1.5,2020-02-29,cook,flu,?,\n"
                                 "Dan,-5,0.25,1969-12-31,none,NA,3,x\n"
                                 "Eve,-7,0.250,1969-12-31,none,?,4,y\n"
                                 "Fay,?,3,2020-01-01,cook,flu,5,z\n"
                                 "Gus,30,?,2020-01-01,cook,flu,6,z\n"
                                 "Hal,NA,4,?,?,flu,7,z\n"
                                 "Ida,?,4.0,?,NA,flu,8,z\n"
                                 "Jon,50,1,2020-01-01,baker,hiv,9,z\n"
                                 "Kim,50,1,2020-01-01,none,hiv,9,z\n"
                                 "Lea,50,1,2020-01-01,?,hiv,9,z\n";

/* Mixed on everything; equal but for age; missing next to numbers; only missing; the root of a taxonomy; suppressed. */
static const int64_t people_groups[] = {1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0};

static inline kanon_table *import(const char *yaml, const arrow_table *given, const arrow_layout *layout,
                                  arrow_counts *counts)
{
    struct ArrowArrayStream stream;
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("s.yaml");
    write_text(path.text, yaml);
    assert_done(kanon_schema_read(&schema, KANON_PATH(path.text), NULL, &err), &err);
    arrow_produce(&stream, given, layout, counts);
    assert_done(kanon_table_read(&table, KANON_STREAM(&stream), schema, NULL, &err), &err);
    kanon_schema_free(schema);
    return table;
}

/* Columns of every type that are kept; the quasi column makes one group. */
static const arrow_field kept_fields[] = {
    {"q", "u", NULL, CELLS("a", "b", "a", "b", "a", "b", "a")},
    {"b", "b", NULL, CELLS("1", NULL, "0", "1", "1", "0", NULL)},
    {"c", "c", NULL, CELLS("1", NULL, "-3", "4", "5", "6", "7")},
    {"S", "S", NULL, CELLS("1", "2", "3", "4", "5", "6", "65535")},
    {"l", "l", NULL, CELLS("1", NULL, "-3", "4", "5", "6", "7")},
    {"f", "f", NULL, CELLS("1.5", NULL, "-3", "4", "5", "6", "7")},
    {"g", "g", NULL, CELLS("1.5", "nan", "-3", NULL, "5", "6", "7")},
    {"d", "d:9,2", NULL, CELLS("150", NULL, "-3", "4", "5", "6", "7")},
    {"u", "u", NULL, CELLS("one", NULL, "", "four", "f\"i,v\ne", "six", "z\xc3\xbcrich")},
    {"U", "U", NULL, CELLS("one", NULL, "", "four", "five", "six", "seven")},
    {"v", "vu", NULL, CELLS("short", NULL, "exactly 12 b", "longer than that", "", "another long one", "longer than that")},
    {"date", "tdD", NULL, CELLS("1", NULL, "-3", "4", "5", "6", "7")},
    {"ms", "tdm", NULL, CELLS("86400000", NULL, "0", "0", "0", "0", "86400000")},
    {"ts", "tsu:Europe/Zurich", NULL, CELLS("1", NULL, "-3", "4", "5", "6", "7")},
    {"n", "n", NULL, CELLS(NULL, NULL, NULL, NULL, NULL, NULL, NULL)},
    {"cu", "c", "u", CELLS("10", "9", NULL, "10", "11", "9", "12")},
    {"Iv", "I", "vu", CELLS("x", "a text of some length", "x", NULL, "y", "another text", "x")},
    {"sl", "s", "l", CELLS("-5", "6", NULL, "-5", "6", "7", "8")},
    {"iU", "i", "U", CELLS("p", "q", NULL, "p", "q", "r", "s")},
};
enum { N_KEPT = N_OF(kept_fields), N_KEPT_ROWS = 7 };

#endif
