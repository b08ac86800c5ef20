/* Proposed schemas: words of names, patterns of values, dependencies, sets of columns that single out, and what of it stands
 * in the schema. */
#include "arrow_producer.h"
#include "propose/column_facts.h"
#include "support.h"

/* ---- names --------------------------------------------------------------------------------------------------------- */

static void assert_words(const char *name, const char *expected)
{
    char words[KANON__NAME_WORDS];
    kanon__name_words(words, name);
    assert_string_equal(words, expected);
}

static void names_are_cut_into_words(void **state)
{
    (void)state;
    assert_words("dateOfBirth", "date of birth");
    assert_words("Stra\303\237e", "strasse");
    assert_words("GR\303\226SSE", "groesse");
    assert_words("pr\303\251nom", "prenom");
    assert_words("contrase\303\261a", "contrasena");
    assert_words("ICD10_code", "icd 10 code");
    assert_words("HTTPServer", "httpserver"); /* capitals in a row are one word with what follows */
    assert_words("  a--b  ", "a b");
    assert_words("", "");
    assert_words("\346\227\245", "");
    char longer[2 * KANON__NAME_WORDS], words[KANON__NAME_WORDS];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    kanon__name_words(words, longer);
    assert_true(strlen(words) < KANON__NAME_WORDS);
}

static void assert_named(const char *name, kanon__kind expected)
{
    if (kanon__kind_of_name(name) != expected)
        fail_msg("%s is of kind %d instead of %d", name, (int)kanon__kind_of_name(name), (int)expected);
}

static void names_tell_kinds(void **state)
{
    (void)state;
    assert_named("surname", KANON__KIND_given_name);
    assert_named("Patientenname", KANON__KIND_person_name);
    assert_named("e-mail", KANON__KIND_mail);
    assert_named("Telefonnummer", KANON__KIND_phone);
    assert_named("dateofbirth", KANON__KIND_birth_date);
    assert_named("Geburtsdatum", KANON__KIND_birth_date);
    assert_named("date de naissance", KANON__KIND_birth_date);
    assert_named("c\303\263digo_postal", KANON__KIND_postcode);
    assert_named("native-country", KANON__KIND_nationality);
    assert_named("maritalStatus", KANON__KIND_family);
    assert_named("Religion", KANON__KIND_religion);
    assert_named("Gewerkschaftsmitglied", KANON__KIND_trade_union);
    assert_named("sexual_orientation", KANON__KIND_orientation); /* not sex */
    assert_named("license_plate", KANON__KIND_vehicle);          /* not a licence */
    assert_named("icd10", KANON__KIND_diagnosis);
    assert_named("v17", KANON__KIND_UNKNOWN);
    assert_named("", KANON__KIND_UNKNOWN);
    assert_named("hours-per-week", KANON__KIND_circumstance);
    assert_named("HbA1c", KANON__KIND_laboratory);
    assert_named("fecha_nac", KANON__KIND_birth_date);
    assert_named("tension_systolique", KANON__KIND_laboratory);
    assert_named("Wochenarbeitszeit", KANON__KIND_circumstance);
}

/* The word that says more, else the one with the safer role. */
static void the_safer_kind_wins(void **state)
{
    (void)state;
    assert_named("patient age", KANON__KIND_age);          /* a patient is no number here */
    assert_named("city name", KANON__KIND_place);          /* a name of no person */
    assert_named("age at diagnosis", KANON__KIND_age);     /* quasi before sensitive */
    assert_named("email of the doctor", KANON__KIND_mail); /* identifying before quasi */
    assert_named("credit card", KANON__KIND_account);      /* the longer words hide "credit" */
    assert_named("patient id", KANON__KIND_person_id);
    assert_named("Haushaltseinkommen", KANON__KIND_money); /* not a household: whole words before compounds */
    assert_named("Krankenhauskosten", KANON__KIND_money);  /* the last part of a compound says what it is */
    assert_named("job satisfaction", KANON__KIND_answer);  /* an opinion about a job */
    assert_named("trust in the police", KANON__KIND_answer);
    assert_named("tax office", KANON__KIND_institution); /* an office, and no tax */
    assert_named("insurance cost", KANON__KIND_money);   /* what few know counts less */
    assert_int_equal(kanon__kind_of_rest("hospital id"), KANON__KIND_institution);
    assert_int_equal(kanon__kind_of_rest("number of children"), KANON__KIND_family);
    assert_int_equal(kanon__kind_of_rest("id"), KANON__KIND_UNKNOWN);
}

/* Words of health, money and opinions that are a part of what others can know. */
static void what_others_know_is_not_sensitive(void **state)
{
    static const char *const names[] = {
        "tax office",       "tax class",         "drug store",         "treatment center",  "cancer registry region",
        "vote district",    "polling station",   "loan officer",       "health insurer",    "sickness fund",
        "retirement age",   "age at onset",      "place of death",     "date of diagnosis", "exam board",
        "school grade",     "military rank",     "rental status",      "Rentenalter",       "Steuerklasse",
        "Krankenhausname",  "Operationssaal",    "Kostentraeger",      "Behandlungsort",    "Alter bei Diagnose",
        "Kirchengemeinde",  "Wahlkreis",         "Krankenkasse",       "Steuerberater",     "Gesundheitsamt",
        "lieu du deces",    "age au diagnostic", "bureau de vote",     "hopital",           "centre d examen",
        "edad diagnostico", "lugar de muerte",   "distrito electoral", "centro de salud",   "fecha de muerte"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (kanon__kind_at(kanon__kind_of_name(names[i]))->role == KANON_ROLE_SENSITIVE)
            fail_msg("%s is sensitive", names[i]);
}

/* ---- patterns ------------------------------------------------------------------------------------------------------ */

static bool fits(const char *pattern, const char *text)
{
    return kanon__pattern_fits(pattern, text, strlen(text));
}

static void patterns_fit_whole_texts(void **state)
{
    (void)state;
    assert_true(fits("999-99-9999", "123-45-6789"));
    assert_false(fits("999-99-9999", "123-45-67890"));
    assert_false(fits("999-99-9999", "123-45-678"));
    assert_true(fits("W{1,64}@W{1,64}.AA{1,20}", "a.b+c@mail.example.org"));
    assert_false(fits("W{1,64}@W{1,64}.AA{1,20}", "a b@mail.org"));
    assert_false(fits("W{1,64}@W{1,64}.AA{1,20}", "a@b"));
    assert_true(fits("H{4}", "0aF9"));
    assert_false(fits("H{4}", "0aG9"));
    assert_true(fits("http://~*", "http://"));
    assert_true(fits("", ""));
    assert_false(fits("", "x"));
    assert_false(fits("A{2,3}", "a"));
    assert_true(fits("A{2,3}", "ab"));
    assert_false(fits("A{2,3}", "abcd"));
}

/* Which kind a text has by its form, identifying ones before others. */
static kanon__kind kind_of(const char *text)
{
    for (size_t i = 0; kanon__pattern_at(i) != NULL; i++)
        if (fits(kanon__pattern_at(i)->pattern, text))
            return kanon__pattern_at(i)->kind;
    return KANON__KIND_UNKNOWN;
}

static void texts_have_kinds(void **state)
{
    (void)state;
    assert_int_equal(kind_of("DE02120300000000202051"), KANON__KIND_account);
    assert_int_equal(kind_of("FR14 2004 1010 0505 0001 3M02 606"), KANON__KIND_account);
    assert_int_equal(kind_of("+49 30 1234567"), KANON__KIND_phone);
    assert_int_equal(kind_of("(030) 123456"), KANON__KIND_phone);
    assert_int_equal(kind_of("0151/2345678"), KANON__KIND_phone);
    assert_int_equal(kind_of("192.168.0.1"), KANON__KIND_network);
    assert_int_equal(kind_of("https://example.org/x?y"), KANON__KIND_web);
    assert_int_equal(kind_of("123e4567-e89b-12d3-a456-426614174000"), KANON__KIND_record_id);
    assert_int_equal(kind_of("E11.9"), KANON__KIND_diagnosis);
    assert_int_equal(kind_of("01067"), KANON__KIND_UNKNOWN);
    assert_int_equal(kind_of("blue"), KANON__KIND_UNKNOWN);
}

/* ---- proposals ------------------------------------------------------------------------------------------------------ */

/* A table while it is printed. */
typedef struct text {
    char bytes[60000];
    size_t n;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->bytes + t->n, sizeof t->bytes - t->n, format, args);
    va_end(args);
    assert_true(t->n < sizeof t->bytes);
}

static kanon_proposal *propose(const char *csv, int threads)
{
    kanon_proposal *proposal = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_propose_options options = {.struct_size = sizeof options, .threads = threads};
    assert_done(kanon_propose(&proposal, KANON_BYTES_AS(csv, strlen(csv), "table.csv"), &options, &err), &err);
    return proposal;
}

static const kanon_proposed_column *column(const kanon_proposal *p, const char *name)
{
    for (size_t i = 0; i < p->n_columns; i++)
        if (strcmp(p->columns[i]->name, name) == 0)
            return p->columns[i];
    fail_msg("no column %s", name);
    return NULL;
}

/* The schema reads back, and the table can be read with it. */
static void assert_runs(const kanon_proposal *p, const char *csv)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(strlen(p->schema), p->schema_size);
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(p->schema, p->schema_size, "proposed"), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_BYTES_AS(csv, strlen(csv), "table.csv"), schema, NULL, &err), &err);
    for (size_t i = 0; i < p->n_columns; i++)
        assert_int_equal(kanon_table_column_at(table, (int)i)->role, p->columns[i]->role);
    assert_int_equal(atoll(kanon_schema_get(schema, NULL, "k")), p->k);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* degree and level say the same; town follows from zip, which has two values for one of them; job is independent. */
static void dependent_columns_count_once(void **state)
{
    static const char *const degrees[] = {"none", "school", "bachelor", "master"};
    text t = {0};
    (void)state;
    add(&t, "age,degree,education,zip,city,job\n");
    for (int i = 0; i < 400; i++) {
        int level = i * 7 % 4, zip = i * 13 % 6;
        add(&t, "%d,%s,%d,0%d067,%s,job%d\n", 20 + i * 31 % 50, degrees[level], level + 1, zip, zip < 4 ? "Adorf" : "Bdorf",
            i * 11 % 5 + (i % 3));
    }
    kanon_proposal *p = propose(t.bytes, 1);
    assert_int_equal(column(p, "education")->role, KANON_ROLE_QUASI);
    assert_int_equal(column(p, "degree")->role, KANON_ROLE_IDENTIFYING);
    assert_string_equal(column(p, "degree")->same_as, "education");
    assert_int_equal(column(p, "zip")->role, KANON_ROLE_QUASI);
    assert_int_equal(column(p, "zip")->type, KANON_TYPE_CATEGORICAL);
    assert_int_equal(column(p, "city")->role, KANON_ROLE_IDENTIFYING);
    assert_string_equal(column(p, "city")->same_as, "zip");
    assert_int_equal(column(p, "job")->role, KANON_ROLE_QUASI);
    assert_null(column(p, "job")->same_as);
    assert_holds(p->schema, "mask: right");
    assert_runs(p, t.bytes);
    kanon_proposal_free(p);
}

/* Ten records: each age occurs once or twice, so it determines sex by chance; one contradiction more ends a dependency. */
static void chance_is_no_dependency(void **state)
{
    text t = {0};
    (void)state;
    add(&t, "age,sex\n");
    for (int i = 0; i < 10; i++)
        add(&t, "%d,%s\n", 20 + i / 2, i / 2 % 2 ? "m" : "f");
    kanon_proposal *few = propose(t.bytes, 1);
    assert_int_equal(column(few, "sex")->role, KANON_ROLE_QUASI);
    kanon_proposal_free(few);
    for (int i = 0; i < 200; i++)
        add(&t, "%d,%s\n", 20 + i % 5, i % 5 % 2 ? "m" : "f");
    kanon_proposal *many = propose(t.bytes, 1);
    assert_int_equal(column(many, "sex")->role, KANON_ROLE_IDENTIFYING);
    assert_string_equal(column(many, "sex")->same_as, "age");
    kanon_proposal_free(many);
    add(&t, "20,m\n");
    kanon_proposal *contradicted = propose(t.bytes, 1);
    assert_int_equal(column(contradicted, "sex")->role, KANON_ROLE_QUASI);
    kanon_proposal_free(contradicted);
}

/* A sensitive value that tells sex undoes its generalisation. */
static void sensitive_columns_must_not_tell(void **state)
{
    text t = {0};
    (void)state;
    add(&t, "sex,age,disease\n");
    for (int i = 0; i < 300; i++)
        add(&t, "%s,%d,%s\n", i % 2 ? "m" : "f", 20 + i * 17 % 41,
            i % 2 ? (i % 4 == 1 ? "a" : "b") : (i % 4 == 0 ? "c" : "d"));
    kanon_proposal *p = propose(t.bytes, 1);
    assert_int_equal(column(p, "disease")->role, KANON_ROLE_IDENTIFYING);
    assert_holds(column(p, "disease")->reason, "it tells sex");
    kanon_proposal_free(p);
}

/* Nobody knows what "x" is; it determines sex and date of birth of its records, and occurs several times. */
static void persons_are_found_without_a_name(void **state)
{
    text t = {0};
    (void)state;
    add(&t, "x,sex,born,month\n");
    for (int i = 0; i < 400; i++) {
        int person = i * 7 % 150;
        add(&t, "%c%05d,%s,19%02d-0%d-11,%d\n", 'a' + person % 20, person * 37, person % 2 ? "m" : "f", 40 + person % 50,
            1 + person % 9, i % 12);
    }
    kanon_proposal *p = propose(t.bytes, 1);
    assert_non_null(p->entity);
    assert_string_equal(p->entity, "x");
    assert_int_equal(column(p, "x")->role, KANON_ROLE_IDENTIFYING);
    assert_null(p->key);
    assert_holds(p->schema, "entity: x\n");
    kanon_proposal_free(p);
}

/* By hand: age singles out 22; age and sex 20f, 20m, 22f and no other; sex nobody. */
static void sets_single_out(void **state)
{
    static const char csv[] = "age,sex\n20,f\n20,m\n21,m\n21,m\n22,f\n23,f\n23,f\n";
    (void)state;
    kanon_proposal *p = propose(csv, 1);
    assert_int_equal(p->n_sets, 2);
    assert_int_equal(p->sets[0]->n_columns, 1);
    assert_string_equal(p->sets[0]->columns[0], "age");
    assert_int_equal(p->sets[0]->persons, 1);
    assert_int_equal(p->sets[0]->classes, 4);
    assert_int_equal(p->sets[1]->n_columns, 2);
    assert_int_equal(p->sets[1]->persons, 3);
    assert_int_equal(p->sets[1]->classes, 5);
    assert_true(p->sets[1]->share == 3.0 / 7);
    kanon_proposal_free(p);
}

/* Odd names are quoted, and nothing of an identifying column is shown. */
static void names_can_hold_anything(void **state)
{
    static const char csv[] =
        "\"a \"\"b\"\"\",no,\"x: {y}\",age,\"line\nbreak\",mail\n"
        "1,2,3,20,5,secret@example.org\n2,2,3,21,5,hidden@example.org\n3,2,3,22,5,private@example.org\n";
    (void)state;
    kanon_proposal *p = propose(csv, 1);
    assert_runs(p, csv);
    assert_null(strstr(p->schema, "example.org"));
    assert_int_equal(column(p, "mail")->role, KANON_ROLE_IDENTIFYING);
    assert_int_equal(column(p, "x: {y}")->role, KANON_ROLE_INSENSITIVE); /* the same in all records */
    kanon_proposal_free(p);
}

static void threads_do_not_matter(void **state)
{
    text t = {0};
    (void)state;
    add(&t, "age,sex,zip,race,job,city,date\n");
    for (int i = 0; i < 500; i++)
        add(&t, "%d,%d,%05d,r%d,j%d,c%d,2020-01-%02d\n", i * 7 % 60, i % 2, i * 11 % 40, i * 3 % 5, i * 5 % 9, i * 13 % 8,
            1 + i * 17 % 28);
    kanon_proposal *one = propose(t.bytes, 1), *three = propose(t.bytes, 3);
    assert_string_equal(one->schema, three->schema);
    assert_int_equal(one->n_columns, 7);
    kanon_proposal_free(three);
    kanon_proposal_free(one);
}

/* Five years for ages with more than 20 values, one band from 90 on; none where nobody wants them. */
static void ages_have_bands(void **state)
{
    text t = {0};
    kanon_proposal *without = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_propose_options options = {.struct_size = sizeof options, .without_bands = 1};
    (void)state;
    add(&t, "age,height\n");
    for (int i = 0; i < 300; i++)
        add(&t, "%d,%d.%d\n", 18 + i % 75, 150 + i % 43, i % 10);
    kanon_proposal *p = propose(t.bytes, 1);
    assert_holds(p->schema, "age:    {role: quasi, type: integer, bands: 5, top: 90}");
    assert_holds(p->schema, "height: {role: quasi, type: decimal, bands: 5}"); /* 43 / 20, up to 1, 2 or 5 */
    assert_runs(p, t.bytes);
    kanon_proposal_free(p);
    assert_done(kanon_propose(&without, KANON_BYTES_AS(t.bytes, t.n, "t.csv"), &options, &err), &err);
    assert_null(strstr(without->schema, "bands:"));
    kanon_proposal_free(without);
}

static void assert_low(const char *label, double expected)
{
    double low = 0;
    if (!kanon__band_label_low(&low, label, strlen(label)) || low != expected)
        fail_msg("%s begins at %g", label, low);
}

static void bands_have_an_order(void **state)
{
    static const char *const none[] = {"", "flu", "12", "a-b", "20-10", "-5", "10 - x"};
    double low;
    (void)state;
    assert_low("[0-10)", 0);
    assert_low("10-19", 10);
    assert_low("[20, 30)", 20);
    assert_low("18 to 24", 18);
    assert_low("18 bis 24 Jahre", 18);
    assert_low("65+", 65);
    assert_low("65 and over", 65);
    assert_low(">65", 65.5); /* behind 65 */
    assert_low("1.5-2.5", 1.5);
    assert_true(kanon__band_label_low(&low, "under 18", 8) && low < 0);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (kanon__band_label_low(&low, none[i], strlen(none[i])))
            fail_msg("%s is a band", none[i]);
    text t = {0};
    add(&t, "age,size,year,weight\n");
    for (int i = 0; i < 300; i++)
        add(&t, "[%d-%d),%d,%d,%d.%03d\n", i % 10 * 10, i % 10 * 10 + 10, i * 7 % 30, 1990 + i * 11 % 25, 1 + i % 9,
            100 + i * 13 % 800);
    kanon_proposal *p = propose(t.bytes, 1);
    assert_holds(p->schema, "type: ordinal, order: [\"[0-10)\", \"[10-20)\", \"[20-30)\"");
    assert_holds(p->schema, "decimal: \".\"");
    assert_holds(p->schema, "check whether its numbers are thousands");
    assert_int_equal(p->n_notes, 1);
    assert_holds(p->notes[0], "weight: ");
    assert_runs(p, t.bytes);
    kanon_proposal_free(p);
}

/* Years and numbers of things have an order, whatever they are of. */
static void counts_are_no_places(void **state)
{
    text t = {0};
    (void)state;
    add(&t, "age,school year,hospital beds,district\n");
    for (int i = 0; i < 300; i++)
        add(&t, "%d,%d,%d,%d\n", 20 + i % 9, 1990 + i * 7 % 25, i * 11 % 400, i * 13 % 29);
    kanon_proposal *p = propose(t.bytes, 1);
    assert_int_equal(column(p, "school year")->type, KANON_TYPE_INTEGER);
    assert_int_equal(column(p, "hospital beds")->type, KANON_TYPE_INTEGER);
    assert_int_equal(column(p, "district")->type, KANON_TYPE_CATEGORICAL);
    kanon_proposal_free(p);
}

/* What a column is called does not hide what it holds. */
static void values_count_more_than_sensitive_names(void **state)
{
    static const char *const first[] = {"Ann", "Eva", "Tom", "Paul", "Maria"}, *const last[] = {"Lee", "Fox", "Orr", "Kay"};
    text t = {0};
    (void)state;
    add(&t, "age,cancer year,surgery,pain,treatment,exam,tax file number\n");
    for (int i = 0; i < 300; i++)
        add(&t, "%d,%d,%02d:%02d,%s %s,%d,%d,%d\n", 20 + i % 9, 1990 + i * 7 % 25, i * 11 % 24, i * 13 % 60, first[i % 5],
            last[i * 3 % 4], i * 17 % 3, 5000 + i, 100000 + i * 7919 % 899981);
    kanon_proposal *p = propose(t.bytes, 1);
    assert_int_equal(column(p, "cancer year")->role, KANON_ROLE_QUASI);     /* a year */
    assert_int_not_equal(column(p, "surgery")->role, KANON_ROLE_SENSITIVE); /* times of a day */
    assert_int_equal(column(p, "pain")->role, KANON_ROLE_IDENTIFYING);      /* full names */
    assert_int_equal(column(p, "treatment")->role, KANON_ROLE_SENSITIVE);
    assert_int_equal(column(p, "exam")->role, KANON_ROLE_IDENTIFYING);            /* it numbers the records */
    assert_int_equal(column(p, "tax file number")->role, KANON_ROLE_IDENTIFYING); /* a number, and each once */
    kanon_proposal_free(p);
}

/* ---- ways in and out ------------------------------------------------------------------------------------------------ */

static void arrow_gives_the_same_roles(void **state)
{
    static const char *const ages[] = {"20", "21", "22", "23", NULL, "20"}, *const sexes[] = {"m", "f", "m", "f", "m", "f"};
    static const char *const mails[] = {"a@b.org", "c@d.org", "e@f.org", "g@h.org", NULL, "i@j.org"};
    const arrow_field fields[] = {{"age", "l", NULL, ages}, {"sex", "u", NULL, sexes}, {"contact", "u", NULL, mails}};
    struct ArrowArrayStream stream;
    kanon_proposal *p = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    arrow_counts counts = {0};
    arrow_produce(&stream, &(arrow_table){3, fields, 6}, &(arrow_layout){0}, &counts);
    assert_done(kanon_propose(&p, KANON_STREAM(&stream), NULL, &err), &err);
    assert_null(stream.release);
    assert_int_equal(column(p, "age")->role, KANON_ROLE_QUASI);
    assert_int_equal(column(p, "age")->missing, 1);
    assert_int_equal(column(p, "sex")->role, KANON_ROLE_QUASI);
    assert_int_equal(column(p, "contact")->role, KANON_ROLE_IDENTIFYING);
    kanon_proposal_free(p);
}

typedef struct receiver {
    text got;
    int n_finished, complete;
} receiver;

static int receive(const void *bytes, size_t size, void *payload)
{
    receiver *r = payload;
    assert_true(r->got.n + size < sizeof r->got.bytes);
    memcpy(r->got.bytes + r->got.n, bytes, size);
    r->got.n += size;
    return 0;
}

static int finish(int complete, void *payload)
{
    receiver *r = payload;
    r->n_finished++;
    r->complete = complete;
    return 0;
}

static void sinks_are_told(void **state)
{
    static const char good[] = "age,sex\n20,f\n21,m\n", bad[] = "age,sex\n20\n";
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (int i = 0; i < 2; i++) {
        receiver r = {0};
        kanon_proposal *p = NULL;
        kanon_sink sink = {.struct_size = sizeof(kanon_sink), .write = receive, .finish = finish, .payload = &r};
        kanon_propose_options options = {.struct_size = sizeof options, .schema = KANON_TO_SINK(&sink)};
        const char *csv = i == 0 ? good : bad;
        kanon_status st = kanon_propose(&p, KANON_BYTES_AS(csv, strlen(csv), "t.csv"), &options, &err);
        assert_int_equal(st, i == 0 ? KANON_OK : KANON_EDATA);
        assert_int_equal(r.n_finished, 1);
        assert_int_equal(r.complete, i == 0);
        if (i == 0)
            assert_string_equal(r.got.bytes, p->schema);
        else
            assert_null(p);
        kanon_proposal_free(p);
    }
}

static void the_table_is_not_overwritten(void **state)
{
    kanon_proposal *p = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place table = scratch("t.csv");
    (void)state;
    write_text(table.text, "age,sex\n20,f\n21,m\n");
    kanon_propose_options options = {.struct_size = sizeof options, .schema = KANON_TO_PATH(table.text)};
    assert_int_equal(kanon_propose(&p, KANON_PATH(table.text), &options, &err), KANON_EINVAL);
    assert_holds(err.message, "would overwrite the table");
    assert_null(p);
    assert_file(table.text, "age,sex\n20,f\n21,m\n");
    write_text(table.text, "age,sex\n");
    assert_int_equal(kanon_propose(&p, KANON_PATH(table.text), NULL, &err), KANON_EDATA);
    assert_holds(err.message, "no records");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_cut_into_words),
        cmocka_unit_test(names_tell_kinds),
        cmocka_unit_test(the_safer_kind_wins),
        cmocka_unit_test(what_others_know_is_not_sensitive),
        cmocka_unit_test(patterns_fit_whole_texts),
        cmocka_unit_test(texts_have_kinds),
        cmocka_unit_test(dependent_columns_count_once),
        cmocka_unit_test(chance_is_no_dependency),
        cmocka_unit_test(sensitive_columns_must_not_tell),
        cmocka_unit_test(persons_are_found_without_a_name),
        cmocka_unit_test(sets_single_out),
        cmocka_unit_test(names_can_hold_anything),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(ages_have_bands),
        cmocka_unit_test(bands_have_an_order),
        cmocka_unit_test(counts_are_no_places),
        cmocka_unit_test(values_count_more_than_sensitive_names),
        cmocka_unit_test(arrow_gives_the_same_roles),
        cmocka_unit_test(sinks_are_told),
        cmocka_unit_test(the_table_is_not_overwritten),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
