/* The check of Arrow releases: every kind of buffer is damaged in turn, after it was built and before it is checked, and no
 * stream comes out. */
#include "unit/arrow_release_cases.h"
#include "model/grouping.h"
#include "pipeline/arrow_export.h"
#include "release/sink/arrow_release.h"
#include "verify/verify_arrow.h"
#include "to_stream.h"

/* One way to spoil the batches: bytes of a buffer, or a number of the structs. */
typedef struct damage {
    const char *name;
    int child;         /* of the first batch; -1: the batch itself */
    bool of_dictionary;
    int buffer;        /* -1: see `what` */
    size_t byte;
    unsigned char flip; /* bits of that byte */
    size_t stride;      /* and of bytes so far apart in all records; 0: no others */
    int64_t records;    /* in so many only; 0: in all */
    int64_t fewer_nulls;
    enum {
        BYTES,
        LENGTH,
        NULL_COUNT,
        DROP_BATCH,
        NAME,
        FORMAT,
        N_CHILDREN,
        SWAP,
        NO_NULLS,
        MORE_ENTRIES,
        RECORD_IN_FRONT
    } what;
} damage;

static void spoil(struct ArrowSchema *schema, kanon__arrow_batches *batches, void *payload)
{
    const damage *d = payload;
    struct ArrowArray *batch = &batches->batches[0], *array = d->child >= 0 ? batch->children[d->child] : batch;
    static char name[] = "other", format[] = "s";
    if (d->of_dictionary)
        array = array->dictionary;
    switch (d->what) {
    case LENGTH:
        array->length--;
        break;
    case NULL_COUNT:
        array->null_count++;
        break;
    case NO_NULLS:
        array->null_count = 0;
        array->buffers[0] = NULL;
        break;
    case DROP_BATCH:
        batch = &batches->batches[--batches->n_batches];
        batch->release(batch);
        break;
    case NAME:
        schema->children[d->child]->name = name;
        break;
    case FORMAT:
        schema->children[d->child]->format = format;
        break;
    case N_CHILDREN:
        schema->children[schema->n_children - 1]->release(schema->children[schema->n_children - 1]);
        schema->n_children--;
        break;
    case SWAP: { /* the rows of two records of different groups */
        int32_t *values = (int32_t *)(uintptr_t)array->buffers[1];
        int32_t first = values[0];
        values[0] = values[3];
        values[3] = first;
        break;
    }
    case RECORD_IN_FRONT: { /* the values begin later in their buffers, as those of a slice do */
        static char values[64], validity;
        size_t width = d->child == 3 ? 2 : 4, n = (size_t)array->length + (d->child == 3 ? 0 : 1);
        memcpy(values + width, array->buffers[1], n * width);
        memset(values, 0, width);
        if (array->buffers[0] != NULL)
            validity = (char)(*(const char *)array->buffers[0] << 1);
        array->buffers[0] = array->buffers[0] != NULL ? &validity : NULL;
        array->buffers[1] = values;
        array->offset = 1;
        break;
    }
    case MORE_ENTRIES: { /* one that no record has */
        static int32_t offsets[16];
        assert_in_range(array->length, 1, N_OF(offsets) - 2);
        memcpy(offsets, array->buffers[1], (size_t)(array->length + 1) * sizeof *offsets);
        offsets[array->length + 1] = offsets[array->length];
        array->length++;
        array->buffers[1] = offsets;
        break;
    }
    default:
        array->null_count -= d->fewer_nulls;
        for (int64_t i = 0; i < (d->stride == 0 ? 1 : d->records > 0 ? d->records : array->length); i++)
            ((unsigned char *)(uintptr_t)array->buffers[d->buffer])[d->byte + (size_t)i * d->stride] ^= d->flip;
    }
}

static void assert_refused(const kanon_table *table, const kanon_grouping *grouping, kanon_numeric numeric,
                           bool shuffle, const damage *damages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        struct ArrowArrayStream stream = {0};
        kanon_outputs options = {.struct_size = sizeof options, .numeric = numeric, .shuffle = shuffle, .threads = 1};
        damage d = damages[i];
        kanon_status st = kanon__arrow_export(&stream, table, grouping, &options, &err, spoil, &d);
        if (st != KANON_EINTERNAL || stream.release != NULL)
            fail_msg("%s: %s", damages[i].name, kanon_enum_text(KANON_ENUM_STATUS, st));
    }
}

/* The columns: age_min 0, age_max 1, temp 2 3, day 4 5, job 6, ill 7, dose 8, note 9. */
static void damaged_columns_are_refused(void **state)
{
    static const damage damages[] = {
        {.name = "age_min above the smallest", .child = 0, .buffer = 1, .byte = 0, .flip = 1}, /* 21 instead of 20 */
        {.name = "age_max below the largest", .child = 1, .buffer = 1, .byte = 8, .flip = 8},  /* 16 instead of 24 */
        {.name = "age_min lower in one record alone", .child = 0, .buffer = 1, .byte = 0, .flip = 4}, /* 16 instead of 20 */
        {.name = "age_min of a group", .child = 0, .buffer = 1, .flip = 1, .stride = 8, .records = 3},
        {.name = "age_max of a group", .child = 1, .buffer = 1, .flip = 8, .stride = 8, .records = 3},
        /* of 1.5 */
        {.name = "temp_min of a group", .child = 2, .buffer = 1, .byte = 7, .flip = 0x80, .stride = 8, .records = 3},
        {.name = "day_max of a group", .child = 5, .buffer = 1, .byte = 1, .flip = 1, .stride = 4, .records = 3},
        {.name = "category of a group", .child = 6, .buffer = 1, .flip = 1, .stride = 4, .records = 3},
        {.name = "number of a missing value", .child = 0, .buffer = 0, .byte = 0, .flip = 0x60, .fewer_nulls = 2},
        {.name = "temp_max", .child = 3, .buffer = 1, .byte = 7, .flip = 0x40},
        {.name = "day_min", .child = 4, .buffer = 1, .byte = 1, .flip = 0x80},
        {.name = "validity of age_min", .child = 0, .buffer = 0, .byte = 0, .flip = 1},
        {.name = "a suppressed record shows", .child = 0, .buffer = 0, .byte = 1, .flip = 8, .fewer_nulls = 1},
        {.name = "a suppressed record shows a category", .child = 6, .buffer = 0, .byte = 1, .flip = 8, .fewer_nulls = 1},
        {.name = "null_count", .child = 0, .buffer = -1, .what = NULL_COUNT},
        {.name = "validity taken away", .child = 0, .buffer = -1, .what = NO_NULLS},
        {.name = "length of a column", .child = 5, .buffer = -1, .what = LENGTH},
        {.name = "length of the batch", .child = -1, .buffer = -1, .what = LENGTH},
        {.name = "no batch", .child = -1, .buffer = -1, .what = DROP_BATCH},
        {.name = "name", .child = 2, .buffer = -1, .what = NAME},
        {.name = "type", .child = 2, .buffer = -1, .what = FORMAT},
        {.name = "columns", .child = -1, .buffer = -1, .what = N_CHILDREN},
        {.name = "index of a category", .child = 6, .buffer = 1, .byte = 0, .flip = 1},
        {.name = "index out of range", .child = 6, .buffer = 1, .byte = 2, .flip = 1},
        {.name = "label", .child = 6, .of_dictionary = true, .buffer = 2, .byte = 0, .flip = 1},
        {.name = "offset of a label", .child = 6, .of_dictionary = true, .buffer = 1, .byte = 4, .flip = 1},
        {.name = "length of the dictionary", .child = 6, .of_dictionary = true, .buffer = -1, .what = LENGTH},
        {.name = "value under a null", .child = 0, .buffer = 1, .byte = 5 * 8, .flip = 1},
        {.name = "entry of no record", .child = 6, .of_dictionary = true, .buffer = -1, .what = MORE_ENTRIES},
        {.name = "sensitive text", .child = 7, .buffer = 2, .byte = 0, .flip = 1},
        {.name = "sensitive offset", .child = 7, .buffer = 1, .byte = 4, .flip = 1},
        {.name = "sensitive number", .child = 8, .buffer = 1, .byte = 0, .flip = 2},
        {.name = "sensitive null", .child = 8, .buffer = 0, .byte = 0, .flip = 4},
        {.name = "insensitive text", .child = 9, .buffer = 2, .byte = 0, .flip = 2},
        {.name = "insensitive offset", .child = 9, .buffer = 1, .byte = 4, .flip = 2},
    };
    (void)state;
    kanon_table *table = table_of(people_yaml, people_csv);
    kanon_grouping *grouping = grouping_of(table, people_groups);
    assert_refused(table, grouping, KANON_NUMERIC_COLUMNS, false, damages, N_OF(damages));
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void damaged_texts_and_means_are_refused(void **state)
{
    static const damage texts[] = {
        {.name = "low end", .child = 0, .buffer = 2, .byte = 2, .flip = 1},          /* [21..24] */
        {.name = "low end of a group", .child = 0, .buffer = 2, .byte = 2, .flip = 1, .stride = 7, .records = 3},
        {.name = "high end of a group", .child = 0, .buffer = 2, .byte = 5, .flip = 4, .stride = 7, .records = 3}, /* 20 */
        {.name = "bracket", .child = 0, .buffer = 2, .byte = 0, .flip = 1},          /* Z20-24] */
        {.name = "offset", .child = 0, .buffer = 1, .byte = 4, .flip = 1},
        {.name = "day", .child = 2, .buffer = 2, .byte = 9, .flip = 9},
        {.name = "category", .child = 3, .buffer = 1, .byte = 0, .flip = 1},
    };
    static const damage means[] = {
        {.name = "mean", .child = 0, .buffer = 1, .byte = 6, .flip = 0x10},
        {.name = "mean of a group", .child = 0, .buffer = 1, .byte = 6, .flip = 0x10, .stride = 8, .records = 3},
        {.name = "mean of dates of a group", .child = 2, .buffer = 1, .byte = 1, .flip = 1, .stride = 4, .records = 3},
        {.name = "mean of dates", .child = 2, .buffer = 1, .byte = 1, .flip = 1},
    };
    (void)state;
    kanon_table *table = table_of(people_yaml, people_csv);
    kanon_grouping *grouping = grouping_of(table, people_groups);
    assert_refused(table, grouping, KANON_NUMERIC_INTERVAL, false, texts, N_OF(texts));
    assert_refused(table, grouping, KANON_NUMERIC_MEAN, false, means, N_OF(means));
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Of an Arrow table, gathered columns are damaged: those in order are the input's own buffers. Columns: q 0, b 1, c 2, S 3,
 * l 4, f 5, g 6, d 7, u 8, U 9, v 10, date 11, ms 12, ts 13, n 14, cu 15, Iv 16, sl 17, iU 18. */
static void damaged_kept_columns_are_refused(void **state)
{
    static const size_t widths[] = {0, 0, 1, 2, 8, 4, 8, 16, 4, 8, 16, 4, 8, 8, 0, 1, 4, 2, 4};
    damage damages[64];
    size_t n = 0;
    (void)state;
    for (int child = 2; child < N_KEPT; child++) /* the slots of nulls are damaged, too */
        if (child != 14)
            damages[n++] = (damage){
                .name = kept_fields[child].name, .child = child, .buffer = 1, .stride = widths[child], .flip = 1};
    damages[n++] = (damage){.name = "bits", .child = 1, .buffer = 1, .flip = 0x7f};
    damages[n++] = (damage){.name = "bits behind the last record", .child = 1, .buffer = 1, .flip = 0x80};
    damages[n++] = (damage){.name = "record in front", .child = 3, .buffer = -1, .what = RECORD_IN_FRONT};
    damages[n++] = (damage){.name = "text in front", .child = 8, .buffer = -1, .what = RECORD_IN_FRONT};
    damages[n++] = (damage){.name = "text", .child = 8, .buffer = 2, .byte = 0, .flip = 1};
    damages[n++] = (damage){.name = "large text", .child = 9, .buffer = 2, .byte = 0, .flip = 1};
    damages[n++] = (damage){.name = "piece of views", .child = 10, .buffer = 2, .byte = 9, .flip = 1};
    damages[n++] = (damage){.name = "validity", .child = 4, .buffer = 0, .byte = 0, .flip = 0x7f};
    damages[n++] = (damage){.name = "entry", .child = 17, .of_dictionary = true, .buffer = 1, .byte = 0, .flip = 1};
    arrow_counts counts = {0};
    kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}}\n",
                                &(arrow_table){N_KEPT, kept_fields, N_KEPT_ROWS},
                                &(arrow_layout){0}, &counts);
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1, 1, 1, 1, 1));
    assert_refused(table, grouping, KANON_NUMERIC_COLUMNS, true, damages, n);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Records that change places within a column no longer match their own. */
static void records_in_wrong_places_are_refused(void **state)
{
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("1", "2", "3", "4", "5")},
                                         {"x", "i", NULL, CELLS("6", "7", "8", "9", "10")}};
    static const damage quasi = {.name = "quasi", .child = 0, .buffer = -1, .what = SWAP};
    static const damage kept = {.name = "kept", .child = 2, .buffer = -1, .what = SWAP};
    arrow_counts counts = {0};
    (void)state;
    kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}, x: {role: sensitive}}\n",
                                &(arrow_table){2, fields, 5},
                                &(arrow_layout){0}, &counts);
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1, 2, 2));
    assert_refused(table, grouping, KANON_NUMERIC_COLUMNS, false, &quasi, 1);
    assert_refused(table, grouping, KANON_NUMERIC_COLUMNS, true, &kept, 1);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Everything is one group that shows nothing, so only the input can tell that a code is wrong. */
static void wrong_codes_are_refused(void **state)
{
    const arrow_field fields[] = {{"u", "u", NULL, CELLS("a", "b", "c", "d")},
                                  {"d", "c", "u", CELLS("a", "b", "c", "d")},
                                  {"b", "b", NULL, CELLS("0", "1", "0", "1")},
                                  {"l", "l", NULL, CELLS("5", "6", "7", NULL)},
                                  {"t", "U", NULL, CELLS("x", "y", "x", "y")}};
    arrow_counts counts = {0};
    (void)state;
    kanon_table *table = import("default-role: insensitive\nattributes: {u: {role: quasi}, d: {role: quasi}, b: {role: "
                                "quasi, type: categorical},\n"
                                "  l: {role: sensitive}, t: {role: sensitive}}\n",
                                &(arrow_table){5, fields, 4}, &(arrow_layout){.batch_rows = 3}, &counts);
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1, 1));
    for (int column = 0; column < 5; column++) {
        kanon__codes codes = table->data.columns[column].codes;
        for (int64_t row = 0; row < 4; row++) {
            uint32_t code = kanon__code_at(codes, row);
            kanon_error err = KANON_INIT(kanon_error);
            struct ArrowArrayStream stream = {0};
            kanon__code_set(codes, row, kanon__code_at(codes, (row + 1) % 4));
            assert_int_equal(release_to_stream(&stream, table, grouping, NULL, &err), KANON_EINTERNAL);
            assert_holds(err.message, "a code that is not the input's value");
            kanon__code_set(codes, row, code);
        }
    }
    struct ArrowArrayStream stream = {0};
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(release_to_stream(&stream, table, grouping, NULL, &err), &err);
    stream.release(&stream);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- claims ---------------------------------------------------------------------------------------------------------- */

/* A good release, and what is said of it. */
typedef struct release_claim {
    kanon_table *table;
    kanon_grouping *grouping;
    kanon__arrow_batches *batches;
    struct ArrowSchema schema;
    kanon__arrow_claim claim;
} release_claim;

static void make_claim(release_claim *out, const char *yaml, const char *csv, const int64_t *group_of)
{
    kanon_error err = KANON_INIT(kanon_error);
    out->table = table_of(yaml, csv);
    out->grouping = grouping_of(out->table, group_of);
    kanon__arrow_plan plan = {.table = out->table,
                              .group_of = out->grouping->group_of,
                              .n_groups = out->grouping->n_groups,
                              .numeric = KANON_NUMERIC_COLUMNS,
                              .threads = 1};
    assert_done(kanon__arrow_release_new(&out->batches, &plan, &err), &err);
    assert_done(kanon__arrow_schema_init(&out->schema, out->batches->fields, out->batches->n_fields, &err), &err);
    out->claim = (kanon__arrow_claim){.table = out->table,
                                      .group_of = out->grouping->group_of,
                                      .n_groups = out->grouping->n_groups,
                                      .requirement = {.policy = &out->table->policy, .k = 2, .most_suppressed = -1},
                                      .numeric = KANON_NUMERIC_COLUMNS,
                                      .schema = &out->schema,
                                      .batches = out->batches->batches,
                                      .n_batches = out->batches->n_batches};
}

static void clear_claim(release_claim *c)
{
    c->schema.release(&c->schema);
    kanon__arrow_batches_free(c->batches);
    kanon_grouping_free(c->grouping);
    kanon_table_free(c->table);
}

static void assert_claim(const kanon__arrow_claim *claim, const char *message)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon__verify_arrow(claim, 1, &err);
    assert_int_equal(st, message == NULL ? KANON_OK : KANON_EINTERNAL);
    if (message != NULL)
        assert_holds(err.message, message);
}

static void false_claims_are_refused(void **state)
{
    static const int32_t twice[] = {0, 1, 2, 2}, wrong[] = {1, 0, 2, 3};
    release_claim c;
    (void)state;
    /* the groups show [1..2], [1..3]: equal values in two ways */
    make_claim(&c, "default-role: insensitive\nattributes: {a: {role: quasi}, s: {role: sensitive}}\n",
               "a,s\n1,x\n2,y\n1,x\n3,z\n",
               GROUPS(1, 1, 2, 2));
    kanon__arrow_claim claim = c.claim;
    assert_claim(&claim, NULL);
    claim.requirement.k = 3;
    assert_claim(&claim, "a group of 2 records, fewer than k = 3");
    claim = c.claim;
    claim.mapping = true;
    assert_claim(&claim, "one value shown in two ways");
    claim = c.claim;
    claim.order = twice;
    assert_claim(&claim, "a record twice");
    claim.order = wrong;
    assert_claim(&claim, "another value than the input's");
    claim = c.claim;
    claim.numeric = KANON_NUMERIC_MEAN;
    assert_claim(&claim, "another column than expected");
    clear_claim(&c);
}

/* Each of the groups has one sensitive value. What is shown of the first two is the same, so they are one class. */
static void constraints_hold_in_classes(void **state)
{
    static const char csv[] = "a,s\n1,x\n2,x\n1,y\n2,y\n5,p\n6,q\n";
    release_claim c;
    (void)state;
    make_claim(&c,
               "privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: s, l: 2}]}\n"
               "default-role: insensitive\nattributes: {a: {role: quasi}, s: {role: sensitive}}\n",
               csv, GROUPS(1, 1, 2, 2, 3, 3));
    assert_claim(&c.claim, NULL);
    clear_claim(&c);
    make_claim(&c,
               "privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: s, l: 2}]}\n"
               "default-role: insensitive\nattributes: {a: {role: quasi}, s: {role: sensitive}}\n",
               csv, GROUPS(1, 1, 3, 3, 3, 3));
    assert_claim(&c.claim, "violates a constraint");
    clear_claim(&c);
}

/* ---- every bit --------------------------------------------------------------------------------------------------- */

/* The bytes of a value in buffer 1, by format; 0: others. */
static size_t width_of(const char *format)
{
    static const struct {
        const char *format;
        size_t width;
    } widths[] = {{"i", 4}, {"I", 4}, {"l", 8}, {"L", 8}, {"g", 8}, {"f", 4}, {"tdD", 4}, {"s", 2}, {"S", 2},
                  {"c", 1}, {"C", 1}};
    for (size_t i = 0; i < N_OF(widths); i++)
        if (strcmp(format, widths[i].format) == 0)
            return widths[i].width;
    return 0;
}

/* Which of the bits that a reader looks at is flipped; `n` becomes how many there are. */
typedef struct flip {
    size_t at, n;
} flip;

static void flip_in(flip *f, const void *buffer, size_t n_bits)
{
    if (buffer != NULL && f->at >= f->n && f->at < f->n + n_bits)
        ((unsigned char *)(uintptr_t)buffer)[(f->at - f->n) / 8] ^= (unsigned char)(1u << (f->at - f->n) % 8);
    f->n += buffer != NULL ? n_bits : 0;
}

static void flip_array(flip *f, const char *format, struct ArrowArray *array)
{
    size_t n = (size_t)array->length, width = width_of(format), offset;
    bool text = format[0] == 'u';
    if (array->n_buffers < 2 || n == 0)
        return;
    flip_in(f, array->buffers[0], n);
    if (text) {
        memcpy(&offset, (const char *)array->buffers[1] + 4 * n, 4);
        flip_in(f, array->buffers[2], 8 * (offset & UINT32_MAX));
    }
    else if (width > 0)
        flip_in(f, array->buffers[1], 8 * width * n);
}

static void flip_bit(struct ArrowSchema *schema, kanon__arrow_batches *batches, void *payload)
{
    flip *f = payload;
    f->n = 0;
    for (int64_t child = 0; child < schema->n_children; child++) {
        struct ArrowArray *array = batches->batches[0].children[child];
        flip_array(f, schema->children[child]->format, array);
        if (array->dictionary != NULL)
            flip_array(f, schema->children[child]->dictionary->format, array->dictionary);
    }
}

/* Suppressed records, dictionaries, texts, means: whichever bit of a value or a validity changes, it is seen. Offsets
 * are left alone: no consumer knows how large a buffer is, so one that leads out of it cannot be seen. */
static void every_flipped_bit_is_refused(void **state)
{
    (void)state;
    kanon_table *table = table_of(people_yaml, people_csv);
    kanon_grouping *grouping = grouping_of(table, people_groups);
    for (kanon_numeric form = KANON_NUMERIC_INTERVAL; form <= KANON_NUMERIC_COLUMNS; form++) {
        if (form == KANON_NUMERIC_RANGE) /* no stream has ranges */
            continue;
        flip f = {.at = 0, .n = 1};
        size_t n_allowed = 0;
        for (; f.at < f.n; f.at += form == KANON_NUMERIC_INTERVAL ? 3 : 1) {
            kanon_error err = KANON_INIT(kanon_error);
            struct ArrowArrayStream stream = {0};
            kanon_outputs options = {
                .struct_size = sizeof options, .numeric = form, .threads = 1};
            kanon_status st = kanon__arrow_export(&stream, table, grouping, &options, &err, flip_bit, &f);
            if (st == KANON_OK) {
                stream.release(&stream);
                n_allowed++;
            } else if (st != KANON_EINTERNAL) {
                fail_msg("bit %d: %s", (int)f.at, kanon_enum_text(KANON_ENUM_STATUS, st));
            }
        }
        print_message("form %d: %d bits, %d allowed\n", form, (int)f.n, (int)n_allowed);
        assert_true(n_allowed == 0);
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- structs ----------------------------------------------------------------------------------------------------- */

/* A number or a pointer of the structs is another one. */
static void other_structs_are_refused(void **state)
{
    static const int32_t below[] = {0, 1, -1, 3}, above[] = {0, 1, 4, 3};
    release_claim c;
    (void)state;
    make_claim(&c, "default-role: insensitive\nattributes: {a: {role: quasi}, s: {role: quasi, type: categorical}}\n",
               "a,s\n1,x\n2,x\n1,z\n3,z\n", GROUPS(1, 1, 2, 2));
    struct ArrowSchema *schema = &c.schema, *child = schema->children[0], *kept = schema->children[2];
    struct ArrowArray *batch = &c.batches->batches[0];
    assert_claim(&c.claim, NULL);
#define REFUSED(type, place, value)                                                                                         \
    do {                                                                                                                    \
        type before = (place);                                                                                              \
        (place) = (value);                                                                                                  \
        assert_claim(&c.claim, "the check");                                                                                \
        (place) = before;                                                                                                   \
    } while (0)
    REFUSED(const char *, schema->format, NULL);
    REFUSED(const char *, schema->format, "i");
    REFUSED(int64_t, schema->n_children, schema->n_children - 1);
    REFUSED(const char *, child->name, NULL);
    REFUSED(const char *, child->name, "a_mi");
    REFUSED(const char *, child->format, "u");
    REFUSED(int64_t, child->n_children, 1);
    REFUSED(int64_t, child->flags, 0);
    REFUSED(struct ArrowSchema *, child->dictionary, kept);
    REFUSED(struct ArrowSchema *, kept->dictionary, NULL);
    REFUSED(const char *, kept->format, "u");
    REFUSED(const char *, kept->dictionary->format, "U");
    REFUSED(int64_t, batch->offset, 1);
    REFUSED(int64_t, batch->null_count, 1);
    REFUSED(int64_t, batch->length, -1);
    REFUSED(int64_t, batch->n_children, 2);
    REFUSED(const int32_t *, c.claim.order, below);
    REFUSED(const int32_t *, c.claim.order, above);
    void (*release_schema)(struct ArrowSchema *) = child->release;
    child->release = NULL;
    assert_claim(&c.claim, "the check");
    child->release = release_schema;
    void (*release_batch)(struct ArrowArray *) = batch->release;
    batch->release = NULL;
    assert_claim(&c.claim, "the check");
    batch->release = release_batch;
#undef REFUSED
    assert_claim(&c.claim, NULL);
    clear_claim(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_columns_are_refused),
        cmocka_unit_test(damaged_texts_and_means_are_refused),
        cmocka_unit_test(damaged_kept_columns_are_refused),
        cmocka_unit_test(records_in_wrong_places_are_refused),
        cmocka_unit_test(wrong_codes_are_refused),
        cmocka_unit_test(false_claims_are_refused),
        cmocka_unit_test(constraints_hold_in_classes),
        cmocka_unit_test(every_flipped_bit_is_refused),
        cmocka_unit_test(other_structs_are_refused),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
