/* The calls of kanon_blocks.h one by one: bytes that are damaged or made up, steps in a wrong order, parts that are missing
 * or came twice, what is refused by name, parts of a CSV file, and no memory. */
#include "unit/block_world.h"
#include "core/alloc.h"
#include "core/random.h"
#include "core/sha256.h"
#include "unit/embed_helpers.h"

static void assert_refused(kanon_status got, kanon_status wanted, const kanon_error *err, const char *words)
{
    assert_int_equal(got, wanted);
    assert_holds(err->message, words);
    assert_true(err->hint[0] != '\0');
}

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

/* Pieces of every kind; some kinds twice. */
typedef enum piece_kind { DOMAIN, CUTS, COUNTS, GROUPS, REST, OFFERS, TALLY, CODES } piece_kind;
enum { N_FORMS = 11 };
static const struct {
    piece_kind kind;
    const char *name;
} forms_of[N_FORMS] = {{DOMAIN, "a domain"}, {DOMAIN, "a domain"}, {CUTS, "cuts"},
                       {CUTS, "cuts"},       {COUNTS, "counts"},   {GROUPS, "groups of a block"},
                       {REST, "a rest"},     {OFFERS, "offers"},   {TALLY, "a tally"},
                       {CODES, "codes"},     {CODES, "codes"}};

static kanon_piece *piece_of(const block_world *w, int form)
{
    kanon_piece *const pieces[N_FORMS] = {w->domain, w->parts[1],   w->open,  w->cuts, w->counts[0], w->groups[0],
                                          w->rest,   w->all_offers, w->tally, w->read, w->codes};
    return pieces[form];
}

static void write_all(collected out[N_FORMS], const block_world *w)
{
    for (int i = 0; i < N_FORMS; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        out[i] = (collected){0};
        const kanon_sink sink = sink_of(&out[i], NULL);
        assert_done(kanon_piece_write(piece_of(w, i), &sink, &err), &err);
    }
}

/* Use a piece, whatever comes of it. */
static void use(const block_world *w, kanon_piece *piece, piece_kind kind)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_offers *offers = NULL;
    kanon_measures *measures = NULL;
    kanon_piece *other = NULL;
    int32_t block_of[WORLD_ROWS];
    if (kind == DOMAIN && kanon_piece_merge(piece, w->parts[0], &err) == KANON_OK)
        kanon_domain_seal(piece, w->schema, &err);
    if (kind == CUTS) {
        assert_done(kanon_cuts_block_of(block_of, piece, w->tables[0], &err), &err);
        kanon_cuts_next(piece, w->counts[0], &err);
    }
    if (kind == COUNTS && kanon_piece_merge(piece, w->counts[1], &err) == KANON_OK) {
        assert_done(kanon_cuts_new(&other, w->domain, 8, &err), &err);
        kanon_cuts_next(other, piece, &err);
    }
    if (kind == GROUPS)
        kanon_rest_offer(&offers, w->rest, piece, &err);
    if (kind == REST) {
        kanon_rest_offer(&offers, piece, w->groups[0], &err);
        kanon_rest_place(piece, w->all_offers, &err);
    }
    if (kind == OFFERS) {
        collected rest = {0};
        const kanon_sink to = sink_of(&rest, NULL);
        assert_done(kanon_piece_write(w->rest, &to, &err), &err);
        assert_done(kanon_piece_read(&other, KANON_BYTES(rest.text, rest.size), w->domain, NULL, &err), &err);
        kanon_rest_place(other, piece, &err);
        free(rest.text);
    }
    if (kind == TALLY && kanon_piece_merge(piece, w->tally, &err) == KANON_OK)
        kanon_tally_measures(&measures, piece, w->domain, &err);
    if (kind == CODES) {
        kanon_codes_seal(piece, w->parts[0], w->domain, &err);
        kanon_codes_count(&other, piece, w->open, &err);
        if (kanon_codes_rows(piece) <= WORLD_ROWS)
            kanon_codes_block_of(block_of, piece, w->cuts, &err);
    }
    kanon_piece_free(other);
    kanon_piece_free(offers);
    kanon_measures_free(measures);
}

/* Make the piece again; where that works, write it and use it. */
static kanon_status take(const block_world *w, int form, const char *bytes, size_t size, collected *again, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_sink to = sink_of(again, NULL);
    kanon_piece *piece = NULL;
    STEP(kanon_piece_read(&piece, KANON_BYTES(bytes, size), w->domain, NULL, err));
    STEP(kanon_piece_write(piece, &to, err));
    if (st == KANON_OK)
        use(w, piece, forms_of[form].kind);
    kanon_piece_free(piece);
    return st;
}

static block_world *world_new(void)
{
    kanon_error err = KANON_INIT(kanon_error);
    block_world *w = malloc(sizeof *w);
    assert_non_null(w);
    assert_done(world_make(w, &err), &err);
    assert_true(w->n_blocks > 2 && kanon_rest_count(w->rest) > 2);
    assert_non_null(w->tally);
    return w;
}

static void world_end(block_world *w)
{
    world_free(w);
    free(w);
}

/* Every byte that is changed, and every byte that is missing, is found. */
static void damage_is_found(void **state)
{
    block_world *w = world_new();
    collected forms[N_FORMS];
    (void)state;
    write_all(forms, w);
    for (int form = 0; form < N_FORMS; form++) {
        for (size_t i = 0; i < forms[form].size; i++) {
            kanon_error err = KANON_INIT(kanon_error);
            collected again = {0};
            forms[form].text[i] ^= 1;
            kanon_status st = take(w, form, forms[form].text, forms[form].size, &again, &err);
            assert_true(st == KANON_EDATA || (st == KANON_EVERSION && i == 6));
            forms[form].text[i] ^= 1;
            char *less = malloc(i + 1); /* a byte behind the end would be found by the sanitizer */
            memcpy(less, forms[form].text, i);
            assert_int_equal(take(w, form, less, i, &again, &err), KANON_EDATA);
            free(less);
            free(again.text);
        }
    }
    for (int form = 0; form < N_FORMS; form++)
        free(forms[form].text);
    world_end(w);
}

/* ---- pieces of another kind ---------------------------------------------------------------------------------------- */

#define REFUSED(call) assert_refused(call, KANON_EINVAL, &err, words)

/* Hand the piece over wherever one of the kind `wanted` is taken. */
static void assert_not_taken(block_world *w, piece_kind wanted, kanon_piece *piece, const char *words)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *grouping = NULL;
    kanon_measures *measures = NULL;
    kanon_piece *out = NULL;
    kanon_rest_record record = {.struct_size = sizeof record};
    const int64_t places[WORLD_ROWS] = {0};
    int32_t block_of[WORLD_ROWS];
    int64_t bytes;
    if (wanted == DOMAIN) {
        collected cuts = {0};
        const kanon_sink to = sink_of(&cuts, NULL);
        assert_done(kanon_piece_write(w->cuts, &to, &err), &err);
        REFUSED(kanon_piece_read(&out, KANON_BYTES(cuts.text, cuts.size), piece, NULL, &err));
        free(cuts.text);
        REFUSED(kanon_piece_merge(w->parts[0], piece, &err));
        REFUSED(kanon_domain_seal(piece, w->schema, &err));
        REFUSED(kanon_cuts_new(&out, piece, 8, &err));
        REFUSED(kanon_codes_seal(w->read, piece, w->domain, &err));
        REFUSED(kanon_codes_seal(w->read, w->parts[0], piece, &err));
        REFUSED(kanon_tally_measures(&measures, w->tally, piece, &err));
    } else if (wanted == CUTS) {
        REFUSED(kanon_cuts_block_of(block_of, piece, w->tables[0], &err));
        REFUSED(kanon_cuts_count(&out, piece, w->tables[0], &err));
        REFUSED(kanon_cuts_next(piece, w->counts[0], &err));
        REFUSED(kanon_codes_count(&out, w->codes, piece, &err));
        REFUSED(kanon_codes_block_of(block_of, w->codes, piece, &err));
        REFUSED(kanon_block_group(&grouping, w->rows[0], piece, 0, &w->options, &err));
        REFUSED(kanon_block_memory(&bytes, piece, w->schema, &w->options, 9, &err));
        REFUSED(kanon_block_groups_new(&out, w->rows[0], NULL, piece, 0, places, &err));
    } else if (wanted == COUNTS) {
        REFUSED(kanon_piece_merge(w->counts[0], piece, &err));
        REFUSED(kanon_cuts_next(w->open, piece, &err));
    } else if (wanted == CODES) {
        REFUSED(kanon_codes_seal(piece, w->parts[0], w->domain, &err));
        REFUSED(kanon_codes_count(&out, piece, w->open, &err));
        REFUSED(kanon_codes_block_of(block_of, piece, w->open, &err));
    } else if (wanted == GROUPS) {
        REFUSED(kanon_rest_new(&out, piece, &err));
        REFUSED(kanon_rest_offer(&out, w->rest, piece, &err));
    } else if (wanted == REST) {
        REFUSED(kanon_piece_merge(w->rest, piece, &err));
        REFUSED(kanon_rest_offer(&out, piece, w->groups[0], &err));
        REFUSED(kanon_rest_place(piece, w->all_offers, &err));
        REFUSED(kanon_rest_at(&record, piece, 0, &err));
    } else if (wanted == OFFERS) {
        REFUSED(kanon_piece_merge(w->all_offers, piece, &err));
        REFUSED(kanon_rest_place(w->rest, piece, &err));
    } else {
        REFUSED(kanon_piece_merge(w->tally, piece, &err));
        REFUSED(kanon_tally_measures(&measures, piece, w->domain, &err));
    }
    assert_true(out == NULL && grouping == NULL && measures == NULL);
}

/* No function takes a piece of another kind for its own, nor NULL: nothing changes, nothing is made. */
static void wrong_kinds_are_refused(void **state)
{
    block_world *w = world_new();
    collected before[N_FORMS], after[N_FORMS];
    char words[80];
    (void)state;
    write_all(before, w);
    for (int as = 0; as < N_FORMS; as++) {
        const char *wanted = forms_of[as].name;
        snprintf(words, sizeof words, "no piece where %s is needed", wanted);
        assert_not_taken(w, forms_of[as].kind, NULL, words);
        for (int form = 0; form < N_FORMS; form++) {
            snprintf(words, sizeof words, "this piece is %s, not %s", forms_of[form].name, wanted);
            if (forms_of[form].kind != forms_of[as].kind)
                assert_not_taken(w, forms_of[as].kind, piece_of(w, form), words);
        }
    }
    write_all(after, w);
    for (int form = 0; form < N_FORMS; form++) {
        assert_int_equal(after[form].size, before[form].size);
        assert_memory_equal(after[form].text, before[form].text, before[form].size);
        free(after[form].text);
        free(before[form].text);
    }
    world_end(w);
}

/* A table is read with a domain, or without any. */
static void tables_take_no_other_piece(void **state)
{
    block_world *w = world_new();
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    const kanon_read_options read = {.struct_size = sizeof read, .domain = w->cuts};
    const kanon_input first = world_input(w->csv[0]);
    (void)state;
    assert_refused(kanon_table_read(&table, &first, w->schema, &read, &err), KANON_EINVAL,
                   &err, "this piece is cuts, not a domain");
    assert_null(table);
    world_end(w);
}

/* What cannot fail says nothing of a piece of another kind. */
static void wrong_kinds_tell_nothing(void **state)
{
    block_world *w = world_new();
    kanon_piece *const others[] = {w->tally, NULL};
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kanon_domain_rows(others[i]), 0);
        assert_null(kanon_domain_notice_at(others[i], 0));
        assert_int_equal(kanon_cuts_done(others[i]), 0);
        assert_int_equal(kanon_cuts_level(others[i]), 0);
        assert_int_equal(kanon_cuts_blocks(others[i]), 0);
        assert_int_equal(kanon_cuts_rows(others[i], 0), 0);
        assert_int_equal(kanon_codes_rows(others[i]), 0);
        assert_int_equal(kanon_rest_done(others[i]), 0);
        assert_int_equal(kanon_rest_count(others[i]), 0);
    }
    world_end(w);
}

/* What is no piece is not written, merged or read. */
static void what_is_no_piece_is_refused(void **state)
{
    static const char others[][24] = {"", "kanonX1\n0123456789abcdef", "kanon", "<html>"};
    block_world *w = world_new();
    kanon_error err = KANON_INIT(kanon_error);
    kanon_piece *piece = w->rest;
    collected bytes = {0};
    const kanon_sink to = sink_of(&bytes, NULL);
    (void)state;
    assert_refused(kanon_piece_write(NULL, &to, &err), KANON_EINVAL, &err, "there is no piece");
    assert_true(bytes.n_finished == 1 && bytes.n_complete == 0);
    assert_refused(kanon_piece_write(w->rest, NULL, &err), KANON_EINVAL, &err, "there is no sink");
    assert_refused(kanon_piece_merge(NULL, w->rest, &err), KANON_EINVAL, &err, "there is no piece");
    assert_refused(kanon_piece_merge(w->cuts, w->cuts, &err), KANON_EINVAL, &err, "cuts cannot be merged");
    assert_refused(kanon_piece_merge(w->codes, w->codes, &err), KANON_EINVAL, &err, "codes cannot be merged");
    assert_refused(kanon_piece_merge(w->groups[0], w->groups[1], &err), KANON_EINVAL, &err, "groups of a block cannot");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        size_t size = i == 1 ? sizeof others[i] : strlen(others[i]);
        assert_refused(kanon_piece_read(&piece, KANON_BYTES(others[i], size), w->domain, NULL, &err), KANON_EDATA, &err,
                       "the bytes are not a piece");
        assert_null(piece);
    }
    assert_int_equal(kanon_piece_read(&piece, NULL, w->domain, NULL, &err), KANON_EINVAL);
    kanon_piece_free(NULL);
    world_end(w);
}

static void release_stream(struct ArrowArrayStream *stream)
{
    ++*(int *)stream->private_data;
    stream->release = NULL;
}

/* From a file as from memory; a stream is no piece, and is released. */
static void pieces_are_read_from_files(void **state)
{
    block_world *w = world_new();
    kanon_error err = KANON_INIT(kanon_error);
    kanon_piece *piece = NULL;
    collected bytes = {0};
    const kanon_sink to = sink_of(&bytes, NULL);
    place path = scratch("a.piece");
    int n_released = 0;
    struct ArrowArrayStream stream = {.release = release_stream, .private_data = &n_released};
    (void)state;
    assert_done(kanon_piece_write(w->cuts, &to, &err), &err);
    FILE *file = fopen(path.text, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.text, 1, bytes.size, file), bytes.size);
    fclose(file);
    assert_done(kanon_piece_read(&piece, KANON_PATH(path.text), w->domain, NULL, &err), &err);
    assert_int_equal(kanon_cuts_blocks(piece), w->n_blocks);
    kanon_piece_free(piece);
    assert_int_equal(kanon_piece_read(&piece, KANON_PATH("/nowhere/a.piece"), w->domain, NULL, &err), KANON_EIO);
    assert_null(piece);
    assert_refused(kanon_piece_read(&piece, KANON_STREAM(&stream), w->domain, NULL, &err), KANON_EINVAL, &err,
                   "not a stream");
    assert_int_equal(n_released, 1);
    free(bytes.text);
    world_end(w);
}

/* A place for each row, or that of the first one. */
static void places_are_counted(void **state)
{
    static const int64_t each[] = {9, 4};
    static const char csv[] = "age,zip,sex,ill\n20,100,F,x\n21,101,M,y\n";
    block_world *w = world_new();
    kanon_error err = KANON_INIT(kanon_error);
    kanon_domain *domain = NULL;
    kanon_codes *codes = NULL;
    kanon_places places = {.struct_size = sizeof places, .n = 2};
    const kanon_input input = {.struct_size = sizeof input, .bytes = csv, .size = sizeof csv - 1};
    (void)state;
    assert_refused(kanon_domain_read(&domain, &input, &places, w->schema, NULL, &err), KANON_EINVAL, &err, "none is given");
    places = (kanon_places){.struct_size = sizeof places, .each = each, .n = 1};
    assert_refused(kanon_codes_read(&codes, &domain, &input, &places, w->schema, NULL, &err), KANON_EINVAL, &err,
                   "1 places for 2 records");
    assert_true(codes == NULL && domain == NULL);
    places.n = 2;
    assert_done(kanon_codes_read(&codes, &domain, &input, &places, w->schema, NULL, &err), &err);
    assert_int_equal(kanon_codes_rows(codes), 2);
    assert_int_equal(kanon_domain_rows(domain), 2);
    kanon_piece_free(codes);
    kanon_piece_free(domain);
    world_end(w);
}

/* What the input says of CSV counts, before what the options say. */
static void input_says_how_it_is_read(void **state)
{
    static const char csv[] = "age:zip:sex:ill\n20:100:F:x\n";
    block_world *w = world_new();
    kanon_error err = KANON_INIT(kanon_error);
    kanon_domain *domain = NULL;
    kanon_input input = {.struct_size = sizeof input, .bytes = csv, .size = sizeof csv - 1};
    (void)state;
    input.delimiter = ";";
    assert_int_equal(kanon_domain_read(&domain, &input, NULL, w->schema, NULL, &err), KANON_EDATA);
    input.delimiter = ":";
    assert_done(kanon_domain_read(&domain, &input, NULL, w->schema, NULL, &err), &err);
    assert_int_equal(kanon_domain_rows(domain), 1);
    kanon_piece_free(domain);
    world_end(w);
}

/* ---- made-up bytes ------------------------------------------------------------------------------------------------- */

static int hex(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The checksum that belongs to the bytes before it. */
static void sign(char *bytes, size_t size)
{
    char text[KANON__SHA256_TEXT];
    kanon__sha256_of(text, bytes, size - 16);
    for (int i = 0; i < 16; i++)
        bytes[size - 16 + (size_t)i] = (char)(16 * hex(text[2 * i]) + hex(text[2 * i + 1]));
}

/* Bytes that somebody made up, with a right checksum: refused, or an object that is written as the same bytes and can be
 * used without harm. */
static void made_up_bytes_do_no_harm(void **state)
{
    enum { TRIES = 1500 };
    block_world *w = world_new();
    collected forms[N_FORMS];
    kanon__random random;
    int n_taken = 0;
    (void)state;
    kanon__random_init(&random, test_seed(), 0);
    write_all(forms, w);
    for (int form = 0; form < N_FORMS; form++)
        for (int i = 0; i < TRIES; i++) {
            kanon_error err = KANON_INIT(kanon_error);
            collected again = {0};
            size_t size = forms[form].size;
            char *bytes = malloc(size);
            memcpy(bytes, forms[form].text, size);
            for (int64_t changes = 1 + kanon__random_below(&random, 3); changes > 0; changes--)
                bytes[8 + kanon__random_below(&random, (int64_t)size - 24)] = (char)kanon__random_below(&random, 256);
            sign(bytes, size);
            kanon_status st = take(w, form, bytes, size, &again, &err);
            if (st == KANON_OK) {
                n_taken++;
                assert_int_equal(again.size, size);
                assert_memory_equal(again.text, bytes, size);
            } else {
                assert_true(st == KANON_EDATA || st == KANON_EINVAL || st == KANON_ENOMEM);
            }
            free(again.text);
            free(bytes);
        }
    print_message("%d of %d were objects\n", n_taken, N_FORMS * TRIES);
    assert_true(n_taken > TRIES / 10);
    for (int form = 0; form < N_FORMS; form++)
        free(forms[form].text);
    world_end(w);
}

/* ---- wrong steps --------------------------------------------------------------------------------------------------- */

static void wrong_steps_are_refused(void **state)
{
    block_world *w = world_new();
    kanon_error err = KANON_INIT(kanon_error);
    kanon_cuts *cuts = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_rest *rest = NULL;
    int32_t block_of[WORLD_ROWS];
    (void)state;
    /* domains */
    assert_refused(kanon_cuts_new(&cuts, w->parts[0], 8, &err), KANON_EINVAL, &err, "not sealed");
    assert_refused(kanon_piece_merge(w->parts[0], w->domain, &err), KANON_EINVAL, &err, "is sealed");
    kanon_read_options read = {.struct_size = sizeof read, .domain = w->parts[0]};
    const kanon_input first = world_input(w->csv[0]);
    assert_refused(kanon_table_read(&table, &first, w->schema, &read, &err), KANON_EINVAL,
                   &err, "not sealed");
    static const char other[] = "age,zip,sex,ill\n20,100,F,ill0\n77,999,F,ill0\n";
    read.domain = w->domain;
    assert_refused(kanon_table_read(&table, KANON_BYTES_AS(other, strlen(other), "t"), w->schema, &read, &err), KANON_EDATA,
                   &err, "t:3: age: the value is not in the domain");
    assert_null(strstr(err.message, "77"));
    /* counts: a part is missing, a part came twice, an old level */
    assert_refused(kanon_cuts_next(w->open, w->counts[0], &err), KANON_EDATA, &err, "not those of all records");
    assert_done(kanon_piece_merge(w->counts[0], w->counts[0], &err), &err);
    assert_refused(kanon_cuts_next(w->open, w->counts[0], &err), KANON_EDATA, &err, "not those of all records");
    assert_int_equal(kanon_cuts_done(w->cuts), 1);
    assert_done(kanon_cuts_next(w->cuts, w->counts[0], &err), &err); /* nothing is open: nothing happens */
    /* codes: not sealed yet, of another part, sealed twice, of a table without a domain */
    kanon_counts *counts = NULL;
    kanon_codes *codes = NULL;
    assert_refused(kanon_codes_count(&counts, w->read, w->open, &err), KANON_EINVAL, &err, "not of this domain");
    assert_refused(kanon_codes_seal(w->read, w->parts[1], w->domain, &err), KANON_EINVAL, &err, "not those of this part");
    assert_refused(kanon_codes_seal(w->read, w->parts[0], w->parts[1], &err), KANON_EINVAL, &err, "not sealed");
    assert_done(kanon_codes_seal(w->read, w->parts[0], w->domain, &err), &err);
    assert_refused(kanon_codes_seal(w->read, w->parts[0], w->domain, &err), KANON_EINVAL, &err, "not those of this part");
    assert_done(kanon_table_read(&table, KANON_BYTES_AS(w->csv[0], strlen(w->csv[0]), "t"), w->schema, NULL, &err), &err);
    assert_refused(kanon_codes_new(&codes, table, &err), KANON_EINVAL, &err, "without a domain");
    kanon_table_free(table);
    /* blocks */
    assert_refused(kanon_block_group(&grouping, w->rows[0], w->open, 0, &w->options, &err), KANON_EINVAL, &err, "not cut");
    assert_refused(kanon_block_group(&grouping, w->rows[0], w->cuts, 99, &w->options, &err), KANON_EINVAL, &err,
                   "no block 99");
    assert_refused(kanon_block_group(&grouping, w->tables[0], w->cuts, 0, &w->options, &err), KANON_EINVAL, &err, "has");
    w->options.blocks = 9;
    assert_refused(kanon_block_group(&grouping, w->rows[0], w->cuts, 0, &w->options, &err), KANON_EINVAL, &err,
                   "blocks of 8 records, and 9");
    w->options.blocks = 8;
    assert_done(kanon_table_read(&table, KANON_BYTES_AS(w->csv[0], strlen(w->csv[0]), "t"), w->schema, NULL, &err), &err);
    assert_refused(kanon_cuts_block_of(block_of, w->cuts, table, &err), KANON_EINVAL, &err, "not read with this domain");
    kanon_table_free(table);
    /* the rest */
    assert_refused(kanon_piece_merge(w->rest, w->rests[1], &err), KANON_EINVAL, &err, "the same block");
    assert_refused(kanon_rest_place(w->rest, w->offers[0], &err), KANON_EDATA, &err, "not those of all blocks");
    assert_refused(kanon_piece_merge(w->all_offers, w->offers[1], &err), KANON_EINVAL, &err, "the same block");
    assert_done(kanon_rest_new(&rest, w->groups[0], &err), &err);
    assert_refused(kanon_rest_place(rest, w->offers[0], &err), KANON_EDATA, &err, "not those of all blocks");
    kanon_rest_record record = {.struct_size = sizeof record};
    assert_refused(kanon_rest_at(&record, w->rest, 0, &err), KANON_EINVAL, &err, "has no group");
    assert_done(kanon_rest_place(w->rest, w->all_offers, &err), &err);
    assert_done(kanon_rest_at(&record, w->rest, 0, &err), &err);
    if (!kanon_rest_done(w->rest)) /* the same offers again */
        assert_refused(kanon_rest_place(w->rest, w->all_offers, &err), KANON_EDATA, &err, "to the records that are left");
    /* figures of a part */
    kanon_measures *measures = NULL;
    assert_refused(kanon_tally_measures(&measures, w->tally, w->domain, &err), KANON_EDATA, &err, "the table has 48");
    kanon_piece_free(rest);
    world_end(w);
}

/* ---- what is refused by name --------------------------------------------------------------------------------------- */

static void refuse_schema(const char *yaml, const kanon_options *options, const char *words)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "s"), NULL, &err), &err);
    assert_refused(kanon_blocks_allow(schema, options, &err), KANON_EINVAL, &err, words);
    kanon_schema_free(schema);
}

static void what_cannot_be_done_is_refused(void **state)
{
    static const char plain[] = "attributes: {age: quasi}\nprivacy: {k: 3}\n";
    const kanon_setting limit = {"time-limit", "5"};
    kanon_options o = {.struct_size = sizeof o, .blocks = 100};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    (void)state;
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(plain, strlen(plain), "s"), NULL, &err), &err);
    assert_done(kanon_blocks_allow(schema, &o, &err), &err);
    kanon_schema_free(schema);
    refuse_schema("entity: who\nattributes: {age: quasi, who: identifying}\nprivacy: {k: 3}\n", &o, "an entity");
    refuse_schema("attributes: {age: quasi, ill: sensitive}\nprivacy: {k: 3, constraints: [{model: distinct-l-diversity, "
                  "attribute: ill, l: 2}]}\n",
                  &o, "a constraint");
    refuse_schema("attributes: {age: quasi}\nprivacy: {k: 3, suppress: 0.1}\n", &o, "suppression");
    o.suppress = "0.05";
    refuse_schema(plain, &o, "suppression");
    o.suppress = NULL;
    o.recode = KANON_RECODE_ATTRIBUTE;
    refuse_schema(plain, &o, "recoding of attributes");
    o.recode = KANON_RECODE_RECORD;
    o.refine_settings = &limit;
    o.n_refine_settings = 1;
    refuse_schema(plain, &o, "a time limit");
    o.n_refine_settings = 0;
    o.blocks = 2;
    refuse_schema(plain, &o, "smaller than k = 3");
    o.blocks = 0;
    refuse_schema(plain, &o, "not given");
}

/* ---- parts of a file ------------------------------------------------------------------------------------------------ */

typedef struct row_list {
    char text[4096];
    int n;
} row_list;

static int add_row(int64_t row, const char *text, size_t size, void *payload)
{
    row_list *list = payload;
    assert_int_equal(row, list->n++);
    strncat(list->text, text, size);
    return 0;
}

static int stop_at_two(int64_t row, const char *text, size_t size, void *payload)
{
    (void)text;
    (void)size;
    (void)payload;
    return row == 2;
}

/* The rows of all parts, each read as a table of its own, are the rows of the file. */
static void parts_hold_all_rows(const char *csv, int64_t part_bytes)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_csv_parts *parts = NULL;
    kanon_schema *schema = NULL;
    static const char yaml[] = "attributes: {a: quasi, b: insensitive}\n";
    place path = scratch("parts.csv");
    row_list rows = {0};
    write_text(path.text, csv);
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "s"), NULL, &err), &err);
    assert_done(kanon_csv_parts_find(&parts, KANON_PATH(path.text), schema, NULL, part_bytes, &err), &err);
    assert_int_equal(parts->header, KANON_HEADER_YES);
    assert_string_equal(parts->delimiter, ";");
    for (size_t i = 0; i < parts->n_parts; i++) {
        char bytes[4096];
        kanon_table *table = NULL;
        row_list part = {0};
        size_t header = (size_t)parts->header_size, size = (size_t)parts->parts[i].size;
        memcpy(bytes, csv, header);
        memcpy(bytes + header, csv + parts->parts[i].offset, size);
        const kanon_input input = {.struct_size = sizeof input,
                                   .bytes = bytes,
                                   .size = header + size,
                                   .delimiter = parts->delimiter,
                                   .header = parts->header,
                                   .encoding = parts->encoding};
        assert_done(kanon_table_read(&table, &input, schema, NULL, &err), &err);
        assert_done(kanon_table_row_texts(table, add_row, &part, &err), &err);
        assert_int_equal(part.n, kanon_table_rows(table));
        assert_int_equal(kanon_table_row_texts(table, stop_at_two, NULL, &err),
                         kanon_table_rows(table) > 2 ? KANON_ECANCELLED : KANON_OK);
        strcat(rows.text, part.text);
        rows.n += part.n;
        kanon_table_free(table);
    }
    assert_int_equal(rows.n, 7);
    assert_string_equal(rows.text, strchr(csv, '\n') + 1);
    kanon_csv_parts_free(parts);
    kanon_schema_free(schema);
}

static void files_are_divided_at_rows(void **state)
{
    static const char csv[] = "a;b\n1;one\n2;\"two\nlines; and \"\"quotes\"\"\"\n3;three\n4;\"\n\n\"\n5;five\n6;\"\"\n7;end";
    (void)state;
    for (int64_t part_bytes = 0; part_bytes < 90; part_bytes++)
        parts_hold_all_rows(csv, part_bytes);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_csv_parts *parts = NULL;
    kanon_schema *schema = NULL;
    place path = scratch("latin.csv");
    write_text(path.text, "a\nZo\xeb\nx\n");
    assert_done(kanon_schema_new(&schema, NULL, &err), &err);
    assert_refused(kanon_csv_parts_find(&parts, KANON_PATH(path.text), schema, NULL, 10, &err), KANON_EINVAL, &err,
                   "only a file of UTF-8");
    kanon_schema_free(schema);
}

/* ---- no memory ------------------------------------------------------------------------------------------------------ */

/* Every allocation of every call fails in turn; nothing crashes, nothing stays. */
static void no_memory(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    block_world *w = world_new();
    (void)state;
    world_free(w);
    kanon__alloc_fail_at(0, false);
    assert_done(world_make(w, &err), &err);
    int64_t n = kanon__alloc_count(), step = n / 400 + 1;
    world_free(w);
    for (int64_t i = 1; i <= n; i += step) {
        kanon__alloc_fail_at(i, false);
        kanon_status st = world_make(w, &err);
        kanon__alloc_fail_at(0, false);
        assert_true(st == KANON_ENOMEM || st == KANON_OK); /* what only warns is left out where there is no memory */
        world_free(w);
    }
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(damage_is_found, no_leak),
        cmocka_unit_test_teardown(wrong_kinds_are_refused, no_leak),
        cmocka_unit_test_teardown(tables_take_no_other_piece, no_leak),
        cmocka_unit_test_teardown(wrong_kinds_tell_nothing, no_leak),
        cmocka_unit_test_teardown(what_is_no_piece_is_refused, no_leak),
        cmocka_unit_test_teardown(pieces_are_read_from_files, no_leak),
        cmocka_unit_test_teardown(places_are_counted, no_leak),
        cmocka_unit_test_teardown(input_says_how_it_is_read, no_leak),
        cmocka_unit_test_teardown(made_up_bytes_do_no_harm, no_leak),
        cmocka_unit_test_teardown(wrong_steps_are_refused, no_leak),
        cmocka_unit_test_teardown(what_cannot_be_done_is_refused, no_leak),
        cmocka_unit_test_teardown(files_are_divided_at_rows, no_leak),
        cmocka_unit_test_teardown(no_memory, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
