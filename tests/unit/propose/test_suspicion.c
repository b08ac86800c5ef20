/* Suspicions: which columns identify, repeat or tell quasi-identifiers, or are exact; and which only look so by chance.
 * Every table is made so that the answer is known. */
#include "propose/suspicion.h"
#include "support.h"

enum { ROWS = 400, COLUMNS = 4, CELL = 64 };

/* A table while it is made: cells by column and row. */
typedef struct world {
    char cells[COLUMNS][ROWS][CELL];
    const char *names[COLUMNS];
    kanon_role roles[COLUMNS];
    int n_columns, n_rows;
    kanon__dictionary texts[COLUMNS];
    kanon__codes codes[COLUMNS];
    kanon__column_facts facts[COLUMNS];
    kanon__suspect suspects[COLUMNS];
    kanon__cover covers[ROWS]; /* of column 0, where it is one of a release */
    kanon__suspicions found;
} world;

static uint32_t state_of_random;

/* The same numbers in each run. */
static int draw(int below)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (int)((state_of_random >> 16) % (uint32_t)below);
}

static world *new_world(int n_rows)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->n_rows = n_rows;
    state_of_random = 7;
    return w;
}

static int add_column(world *w, const char *name, kanon_role role)
{
    w->names[w->n_columns] = name;
    w->roles[w->n_columns] = role;
    return w->n_columns++;
}

static void set(world *w, int column, int row, const char *format, ...) __attribute__((format(printf, 4, 5)));
static void set(world *w, int column, int row, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(w->cells[column][row], CELL, format, args);
    va_end(args);
}

static void read_columns(world *w)
{
    kanon_error err = KANON_INIT(kanon_error);
    for (int c = 0; c < w->n_columns; c++) {
        assert_done(kanon__dictionary_init(&w->texts[c], &err), &err);
        assert_done(kanon__codes_new(&w->codes[c], w->n_rows, UINT32_MAX, false, &err), &err);
        for (int row = 0; row < w->n_rows; row++) {
            uint32_t code;
            assert_done(kanon__dictionary_add(&w->texts[c], &code, w->cells[c][row], strlen(w->cells[c][row]), &err), &err);
            kanon__code_set(w->codes[c], row, code);
        }
        assert_done(kanon__column_facts_find(&w->facts[c], w->names[c], &w->texts[c], w->codes[c], w->n_rows, KANON__NO_CODE,
                                             KANON_TYPE_UNKNOWN, ',', &err),
                    &err);
        w->suspects[c] = (kanon__suspect){.facts = &w->facts[c], .role = w->roles[c]};
    }
}

static void find(world *w)
{
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__suspicions_find(&w->found, w->suspects, w->n_columns, &err), &err);
}

/* What is suspected of the column; NONE: nothing. */
static kanon__suspicion suspicion_of(const world *w, int column)
{
    for (int64_t i = 0; i < w->found.n; i++)
        if (w->found.items[i].column == column)
            return w->found.items[i];
    return (kanon__suspicion){.other = -1};
}

static void assert_suspected(const world *w, int column, kanon__suspicion_kind kind, const char *text)
{
    kanon__suspicion s = suspicion_of(w, column);
    if (s.kind != kind)
        fail_msg("%s: kind %d instead of %d: %s", w->names[column], (int)s.kind, (int)kind, s.text);
    if (text != NULL)
        assert_holds(s.text, text);
}

static void end_world(world *w)
{
    kanon__suspicions_clear(&w->found);
    for (int c = 0; c < w->n_columns; c++) {
        kanon__column_facts_clear(&w->facts[c]);
        kanon__codes_clear(&w->codes[c]);
        kanon__dictionary_clear(&w->texts[c]);
    }
    free(w);
}

/* One column, with a text for each row. */
static kanon__suspicion_kind kind_of_column(const char *name, kanon_role role, const char *const *texts, int n_texts, int n)
{
    world *w = new_world(n);
    int column = add_column(w, name, role);
    for (int row = 0; row < n; row++)
        set(w, column, row, "%s", texts[row % n_texts]);
    read_columns(w);
    find(w);
    kanon__suspicion_kind kind = suspicion_of(w, column).kind;
    end_world(w);
    return kind;
}

/* ---- a column alone ---------------------------------------------------------------------------------------------- */

static void persons_are_known_by_their_values(void **state)
{
    static const char *const names[] = {"Ann Lee",        "Robert Fox", "Maria Soto", "M\303\274ller, Hans",
                                        "Jean-Luc Petit", "Eva Brandt"};
    static const char *const titles[] = {"Software Engineer", "Sales Manager", "Head Nurse",
                                         "Team Lead",         "Data Analyst",  "Shift Lead"};
    static const char *const towns[] = {"New York", "Bad Homburg", "Los Angeles", "Fort Worth", "Santa Cruz", "Palo Alto"};
    static const char *const illnesses[] = {"Crohn Disease", "Hay Fever", "Type Two",
                                            "Heart Failure", "Gout",      "Lyme Disease"};
    static const char *const mails[] = {"a@b.org", "c@d.org", "e@f.org"};
    static const char *const rooms[] = {"1", "2", "3", "4"};
    (void)state;
    assert_int_equal(kind_of_column("x", KANON_ROLE_INSENSITIVE, names, 6, 60), KANON__SUSPECT_PERSON);
    assert_int_equal(kind_of_column("x", KANON_ROLE_SENSITIVE, names, 6, 60), KANON__SUSPECT_PERSON);
    assert_int_equal(kind_of_column("x", KANON_ROLE_INSENSITIVE, titles, 6, 60), KANON__SUSPECT_NONE);
    assert_int_equal(kind_of_column("x", KANON_ROLE_INSENSITIVE, towns, 6, 60), KANON__SUSPECT_NONE);
    assert_int_equal(kind_of_column("disease", KANON_ROLE_SENSITIVE, names, 6, 60), KANON__SUSPECT_PERSON);
    assert_int_equal(kind_of_column("disease", KANON_ROLE_SENSITIVE, illnesses, 6, 60), KANON__SUSPECT_NONE);
    assert_int_equal(kind_of_column("x", KANON_ROLE_INSENSITIVE, mails, 3, 60), KANON__SUSPECT_PERSON);
    /* a name alone is no proof: few values are no persons */
    assert_int_equal(kind_of_column("number of parts", KANON_ROLE_INSENSITIVE, rooms, 4, 60), KANON__SUSPECT_NONE);
    assert_int_equal(kind_of_column("patient", KANON_ROLE_SENSITIVE, rooms, 4, 60), KANON__SUSPECT_NONE);
    assert_true(kanon__suspicion_identifies(KANON__SUSPECT_PERSON));
    assert_false(kanon__suspicion_identifies(KANON__SUSPECT_REPEATS));
}

/* 40 numbers of 1 .. 40 without a repetition are no chance, 40 of a million are. */
static void numbers_of_records_are_found(void **state)
{
    world *w = new_world(40);
    int dense = add_column(w, "x", KANON_ROLE_INSENSITIVE), wide = add_column(w, "y", KANON_ROLE_INSENSITIVE);
    (void)state;
    for (int row = 0; row < 40; row++) {
        set(w, dense, row, "%d", (row * 7) % 40 + 1);
        set(w, wide, row, "%d", 1000 + row * 24989 % 1000003);
    }
    read_columns(w);
    find(w);
    assert_suspected(w, dense, KANON__SUSPECT_UNIQUE, "numbers the records");
    assert_suspected(w, wide, KANON__SUSPECT_NONE, NULL);
    end_world(w);
}

static void exact_values_are_found(void **state)
{
    world *w = new_world(100);
    int day = add_column(w, "x", KANON_ROLE_SENSITIVE), point = add_column(w, "y", KANON_ROLE_INSENSITIVE),
        minute = add_column(w, "z", KANON_ROLE_INSENSITIVE), year = add_column(w, "since", KANON_ROLE_INSENSITIVE);
    (void)state;
    for (int row = 0; row < 100; row++) {
        set(w, day, row, "%02d.%02d.2020", 1 + row % 28, 1 + row % 12);
        set(w, point, row, "52.%05d, 13.%05d", draw(99999), draw(99999));
        set(w, minute, row, "%02d:%02d", draw(24), draw(60));
        set(w, year, row, "20%02d-01-01", row % 10); /* ten years are nothing exact */
    }
    read_columns(w);
    find(w);
    assert_suspected(w, day, KANON__SUSPECT_EXACT, "exact dates");
    assert_suspected(w, point, KANON__SUSPECT_EXACT, "exact coordinates");
    assert_suspected(w, minute, KANON__SUSPECT_EXACT, "exact times");
    assert_suspected(w, year, KANON__SUSPECT_NONE, NULL);
    end_world(w);
}

/* Two columns of degrees near Berlin; a measured value with as many decimals has no partner. */
static void places_are_found_without_a_name(void **state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        world *w = new_world(100);
        int north = add_column(w, "x", KANON_ROLE_INSENSITIVE), east = add_column(w, "y", KANON_ROLE_INSENSITIVE),
            measured = add_column(w, "v", KANON_ROLE_INSENSITIVE);
        for (int row = 0; row < 100; row++) {
            set(w, north, row, "52.%05d", 40000 + draw(20000));
            set(w, east, row, alone ? "%d" : "13.%05d", alone ? draw(9) : draw(60000));
            set(w, measured, row, "%d.%05d", draw(9), draw(99999));
        }
        read_columns(w);
        find(w);
        assert_suspected(w, north, alone ? KANON__SUSPECT_NONE : KANON__SUSPECT_EXACT, alone ? NULL : "exact coordinates");
        assert_suspected(w, east, alone ? KANON__SUSPECT_NONE : KANON__SUSPECT_EXACT, alone ? NULL : "exact coordinates");
        assert_suspected(w, measured, KANON__SUSPECT_NONE, NULL);
        end_world(w);
    }
}

static void what_others_know_is_named(void **state)
{
    static const char *const texts[] = {"husband", "wife", "child"};
    (void)state;
    assert_int_equal(kind_of_column("marital status", KANON_ROLE_INSENSITIVE, texts, 3, 60), KANON__SUSPECT_KNOWN);
    assert_int_equal(kind_of_column("marital status", KANON_ROLE_SENSITIVE, texts, 3, 60), KANON__SUSPECT_NONE);
    assert_int_equal(kind_of_column("marital status", KANON_ROLE_QUASI, texts, 3, 60), KANON__SUSPECT_NONE);
    assert_int_equal(kind_of_column("v17", KANON_ROLE_INSENSITIVE, texts, 3, 60), KANON__SUSPECT_NONE);
}

/* ---- columns and quasi-identifiers ---------------------------------------------------------------------------------- */

/* 37/10115 says age and zip; a number that has nothing to do with them does not, nor one that is nearly the same. */
static void several_values_in_a_cell_are_found(void **state)
{
    world *w = new_world(ROWS);
    int age = add_column(w, "x", KANON_ROLE_QUASI), zip = add_column(w, "y", KANON_ROLE_QUASI),
        both = add_column(w, "z", KANON_ROLE_INSENSITIVE), other = add_column(w, "v", KANON_ROLE_INSENSITIVE);
    (void)state;
    for (int row = 0; row < ROWS; row++) {
        int years = 18 + draw(60), town_number = 10115 + draw(5000); /* nearly each pair is another */
        set(w, age, row, "%d", years);
        set(w, zip, row, "%d", town_number);
        set(w, both, row, "%d/%d", years, town_number);
        set(w, other, row, "%d/%d", years + 1, 10115 + draw(5000));
    }
    read_columns(w);
    find(w);
    assert_suspected(w, both, KANON__SUSPECT_UNIQUE, NULL); /* which is worse */
    assert_suspected(w, other, KANON__SUSPECT_UNIQUE, NULL);
    kanon__suspicions_clear(&w->found);
    for (int row = 0; row < ROWS; row++) { /* fewer places: pairs repeat */
        char *slash = strchr(w->cells[both][row], '/');
        int years = atoi(w->cells[both][row]), town_number = 10115 + atoi(slash + 1) % 4;
        set(w, zip, row, "%d", town_number);
        set(w, both, row, "%d/%d", years, town_number);
        set(w, other, row, "%d/%d", years + 1, 10115 + draw(4));
    }
    for (int c = 0; c < w->n_columns; c++) {
        kanon__column_facts_clear(&w->facts[c]);
        kanon__codes_clear(&w->codes[c]);
        kanon__dictionary_clear(&w->texts[c]);
    }
    read_columns(w);
    find(w);
    assert_suspected(w, both, KANON__SUSPECT_REPEATS, "repeats x, y in every record");
    assert_int_equal(suspicion_of(w, both).other, age);
    assert_suspected(w, other, KANON__SUSPECT_REPEATS,
                     "tells x in every record"); /* years + 1 tell years, and not the place */
    end_world(w);
}

/* A degree tells the years of school; a town follows from its postcode; a coin says nothing. */
static void what_determines_is_found(void **state)
{
    static const char *const degrees[] = {"none", "school", "bachelor", "master"};
    world *w = new_world(ROWS);
    int years = add_column(w, "x", KANON_ROLE_QUASI), degree = add_column(w, "y", KANON_ROLE_INSENSITIVE),
        half = add_column(w, "z", KANON_ROLE_INSENSITIVE), coin = add_column(w, "v", KANON_ROLE_SENSITIVE);
    (void)state;
    for (int row = 0; row < ROWS; row++) {
        int level = draw(4);
        set(w, years, row, "%d", 9 + level);
        set(w, degree, row, "%s", degrees[level]);
        set(w, half, row, "%s", level < 2 ? "low" : "high");
        set(w, coin, row, "%s", draw(2) ? "heads" : "tails");
    }
    read_columns(w);
    find(w);
    assert_suspected(w, degree, KANON__SUSPECT_REPEATS, "tells x in every record");
    assert_suspected(w, half, KANON__SUSPECT_REPEATS, "follows from x");
    assert_suspected(w, coin, KANON__SUSPECT_NONE, NULL);
    end_world(w);
}

/* The quasi column of a release: years in bands of ten, and in one that is nearly everything. */
static void releases_are_compared_by_what_cells_cover(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        world *w = new_world(ROWS);
        int band = add_column(w, "x", KANON_ROLE_QUASI), age = add_column(w, "y", KANON_ROLE_INSENSITIVE),
            word = add_column(w, "z", KANON_ROLE_INSENSITIVE), coin = add_column(w, "v", KANON_ROLE_INSENSITIVE);
        for (int row = 0; row < ROWS; row++) {
            int years = 20 + draw(60), low = wide ? row % 2 : years / 10 * 10, high = wide ? 99 : low + 9;
            set(w, band, row, "[%d..%d]", low, high);
            set(w, age, row, "%d years", years);
            set(w, word, row, "%c%c", 'a' + years / 6, 'a' + years / 6);
            set(w, coin, row, "%d", 20 + draw(60));
        }
        read_columns(w);
        for (uint32_t code = 0; code < w->texts[band].n; code++) {
            size_t length;
            const char *text = kanon__dictionary_text(&w->texts[band], code, &length);
            w->covers[code] = (kanon__cover){.numeric = true, .text = text, .length = length};
            w->covers[code].low = atoi(text + 1);
            w->covers[code].high = atoi(strchr(text, '.') + 2);
        }
        w->suspects[band].covers = w->covers;
        find(w);
        assert_suspected(w, age, wide ? KANON__SUSPECT_NONE : KANON__SUSPECT_REPEATS,
                         wide ? NULL : "repeats x in every record");
        assert_suspected(w, word, KANON__SUSPECT_NONE, NULL); /* words of six years are in two bands of ten */
        assert_suspected(w, coin, KANON__SUSPECT_NONE, NULL);
        end_world(w);
    }
}

/* Masked postcodes: a town that lies below one mask tells it, and the postcode itself says it. */
static void masked_cells_are_compared(void **state)
{
    static const char *const towns[] = {"Adorf", "Bedorf", "Cedorf", "Dedorf"};
    world *w = new_world(ROWS);
    int mask = add_column(w, "x", KANON_ROLE_QUASI), zip = add_column(w, "y", KANON_ROLE_INSENSITIVE),
        town = add_column(w, "z", KANON_ROLE_INSENSITIVE), other = add_column(w, "v", KANON_ROLE_INSENSITIVE);
    (void)state;
    for (int row = 0; row < ROWS; row++) {
        int town_number = draw(4), low = draw(10);
        set(w, mask, row, draw(2) ? "%d01**" : "%d0***", town_number + 1);
        set(w, zip, row, "%d01%02d", town_number + 1, low);
        set(w, town, row, "%s", towns[town_number]);
        set(w, other, row, "%s", towns[draw(4)]);
    }
    read_columns(w);
    for (uint32_t code = 0; code < w->texts[mask].n; code++) {
        kanon__cover *c = &w->covers[code];
        c->text = kanon__dictionary_text(&w->texts[mask], code, &c->length);
        c->length = (size_t)(strchr(c->text, '*') - c->text);
        c->prefix = true;
    }
    w->suspects[mask].covers = w->covers;
    find(w);
    assert_suspected(w, zip, KANON__SUSPECT_REPEATS, "repeats x");
    assert_suspected(w, town, KANON__SUSPECT_REPEATS, "tells x");
    assert_suspected(w, other, KANON__SUSPECT_NONE, NULL);
    end_world(w);
}

/* Dates are found in cells with other values, in the format of the quasi column. */
static void dates_inside_cells_are_found(void **state)
{
    world *w = new_world(ROWS);
    int born = add_column(w, "x", KANON_ROLE_QUASI), text = add_column(w, "y", KANON_ROLE_SENSITIVE);
    (void)state;
    for (int row = 0; row < ROWS; row++) {
        int day = 1 + draw(9), month = 1 + draw(9);
        set(w, born, row, "%02d.%02d.1980", day, month);
        set(w, text, row, "%c,%02d.%02d.1980", "mf"[draw(2)], day, month);
    }
    read_columns(w);
    find(w);
    assert_suspected(w, text, KANON__SUSPECT_REPEATS, "repeats x");
    end_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(persons_are_known_by_their_values),
        cmocka_unit_test(numbers_of_records_are_found),
        cmocka_unit_test(exact_values_are_found),
        cmocka_unit_test(places_are_found_without_a_name),
        cmocka_unit_test(what_others_know_is_named),
        cmocka_unit_test(several_values_in_a_cell_are_found),
        cmocka_unit_test(what_determines_is_found),
        cmocka_unit_test(releases_are_compared_by_what_cells_cover),
        cmocka_unit_test(masked_cells_are_compared),
        cmocka_unit_test(dates_inside_cells_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
