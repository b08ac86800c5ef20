/* The CSV reader against a plain one that goes byte by byte, on random input. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, memfd_create */
#include "unit/csv_trace.h"

#include "core/random.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the plain reader -------------------------------------------------------------------------------------------- */

typedef struct plain {
    const unsigned char *bytes;
    size_t size, at;
    char delimiter;
    char names[64][160]; /* as messages show them */
    int n_names;
    long line;
    trace cells;
    int n_cells;
    char error[1024]; /* empty: none */
} plain;

static void plain_fail(plain *p, long line, int column, const char *what)
{
    if (column < p->n_names && p->names[column][0] != '\0')
        snprintf(p->error, sizeof p->error, "t.csv:%ld: %s: %s", line, p->names[column], what);
    else
        snprintf(p->error, sizeof p->error, "t.csv:%ld: column %d: %s", line, column + 1, what);
}

static bool plain_only_blank_lines_left(const plain *p)
{
    for (size_t i = p->at; i < p->size; i++)
        if (p->bytes[i] != '\n' && !(p->bytes[i] == '\r' && i + 1 < p->size && p->bytes[i + 1] == '\n'))
            return false;
    return true;
}

/* The bytes of the character at `at`, 0 where it is not UTF-8, by way of its number. */
static size_t plain_character(const plain *p, size_t at)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = p->bytes[at];
    size_t length = 0;
    while (length < 8 && (first << length & 0x80) != 0)
        length++;
    if (length < 2 || length > 4 || at + length > p->size)
        return 0;
    unsigned number = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (p->bytes[at + i] >> 6 != 2)
            return 0;
        number = number << 6 | (p->bytes[at + i] & 0x3f);
    }
    if (number < least[length] || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff))
        return 0;
    return length;
}

static bool plain_at_line_break(const plain *p)
{
    return p->bytes[p->at] == '\n' || (p->bytes[p->at] == '\r' && p->at + 1 < p->size && p->bytes[p->at + 1] == '\n');
}

static bool plain_cell(plain *p)
{
    trace text = {0};
    bool quoted = p->at < p->size && p->bytes[p->at] == '"', closed = false;
    long opened = p->line;
    put(&text, "", 0);
    p->at += quoted;
    while (p->error[0] == '\0' && p->at < p->size) {
        unsigned char c = p->bytes[p->at];
        bool inside = quoted && !closed;
        if (!inside && (c == (unsigned char)p->delimiter || plain_at_line_break(p)))
            break;
        size_t length = c < 0x80 ? c != 0 : plain_character(p, p->at);
        if (closed)
            plain_fail(p, p->line, p->n_cells, "text after a closing quote");
        else if (c == '"' && !inside)
            plain_fail(p, p->line, p->n_cells, "a quote inside an unquoted cell");
        else if (length == 0)
            plain_fail(p, p->line, p->n_cells, c == 0 ? "a NUL byte" : "not UTF-8");
        else if (c == '"' && p->at + 1 < p->size && p->bytes[p->at + 1] == '"') {
            put(&text, "\"", 1);
            p->at += 2;
        } else if (c == '"') {
            closed = true;
            p->at++;
        } else {
            put(&text, (const char *)p->bytes + p->at, length);
            p->at += length;
            p->line += c == '\n';
        }
    }
    if (p->error[0] == '\0' && quoted && !closed)
        plain_fail(p, opened, p->n_cells, "the quote that begins here is never closed");
    put_cell(&p->cells, text.text, text.length, quoted);
    p->n_cells++;
    free(text.text);
    return p->error[0] == '\0';
}

/* Read a row into p->cells; false on an error. */
static bool plain_row(plain *p, bool *crlf)
{
    p->cells.length = 0;
    p->n_cells = 0;
    while (plain_cell(p)) {
        if (p->at < p->size && p->bytes[p->at] == (unsigned char)p->delimiter) {
            p->at++;
            continue;
        }
        *crlf = p->at < p->size && p->bytes[p->at] == '\r';
        p->line += p->at < p->size;
        p->at += p->at == p->size ? 0 : *crlf ? 2 : 1;
        return true;
    }
    return false;
}

/* How often `c` stands outside quotes, on the first line or anywhere. */
static int plain_count(const plain *p, char c, bool first_line)
{
    int n = 0;
    bool quoted = false;
    for (size_t i = p->at; i < p->size; i++) {
        if (p->bytes[i] == '"')
            quoted = !quoted;
        if (p->bytes[i] == '\n' && !quoted && first_line)
            break;
        n += !quoted && p->bytes[i] == (unsigned char)c;
    }
    return n;
}

static void plain_choose_delimiter(plain *p, const kanon__csv_options *options)
{
    p->delimiter = options->delimiter;
    int most = 0;
    for (const char *c = ",;\t|"; p->delimiter == 0 && *c != '\0'; c++)
        most = plain_count(p, *c, options->candidates == NULL) > most ? plain_count(p, *c,
                                                                                    options->candidates == NULL) : most;
    for (const char *c = ",;\t|"; p->delimiter == 0 && *c != '\0'; c++) {
        int n = plain_count(p, *c, options->candidates == NULL);
        if (n > 0 && (n == most || options->candidates != NULL))
            p->delimiter = *c;
    }
    if (p->delimiter == 0)
        p->delimiter = ',';
}

/* One line, and a CR outside quotes that is not before the line's own LF. */
static bool plain_lone_returns(const plain *p)
{
    bool quoted = false;
    plain rest = *p;
    for (size_t i = p->at; i < p->size; i++) {
        rest.at = i + 1;
        if (p->bytes[i] == '\n' && !plain_only_blank_lines_left(&rest))
            return false;
    }
    for (size_t i = p->at; i < p->size && p->bytes[i] != '\n'; i++) {
        if (p->bytes[i] == '"')
            quoted = !quoted;
        if (p->bytes[i] == '\r' && !quoted && (i + 1 == p->size || p->bytes[i + 1] != '\n'))
            return true;
    }
    return false;
}

/* The names as messages show them, out of the trace of the header's cells. */
static void plain_take_names(plain *p, trace *out, const char *const *texts)
{
    for (int i = 0; i < p->n_cells && p->error[0] == '\0'; i++) {
        plain name = {.bytes = (const unsigned char *)texts[i], .size = strlen(texts[i])};
        size_t shown = 0;
        put_cell(out, texts[i], name.size, false);
        while (shown < name.size) {
            size_t length = name.bytes[shown] < 0x80 ? 1 : plain_character(&name, shown);
            if (shown + length > 120)
                break;
            shown += length;
        }
        memcpy(p->names[i], texts[i], shown);
        for (size_t j = 0; j < shown; j++)
            if (name.bytes[j] < 0x20)
                p->names[i][j] = ' ';
        strcpy(p->names[i] + shown, shown < name.size ? "..." : "");
        for (int j = i - 1; j >= 0; j--)
            if (strcmp(texts[j], texts[i]) == 0)
                snprintf(p->error, sizeof p->error, "t.csv:1: column %d: the same name as column %d", i + 1, j + 1);
    }
}

/* Cut the trace of a row back into its texts: no cell of a header in these tests holds "][" or ends in a bracket. */
static int split_cells(char *cells, const char *texts[64])
{
    int n = 0;
    for (char *at = cells; *at != '\0' && n < 64; n++) {
        at += *at == '"' ? 2 : 1;
        texts[n] = at;
        while (!(at[0] == ']' && (at[1] == '\0' || at[1] == '[' || (at[1] == '"' && at[2] == '['))))
            at++;
        *at++ = '\0';
    }
    return n;
}

static void plain_header(plain *p, trace *t, bool crlf)
{
    const char *texts[64];
    trace names = {0};
    char *cells = strdup(p->cells.text);
    assert_int_equal(split_cells(cells, texts), p->n_cells);
    plain_take_names(p, &names, texts);
    if (p->error[0] == '\0') {
        p->n_names = p->n_cells;
        put_opened(t, p->delimiter, crlf, p->n_cells);
        putf(&names, "\n");
        put(t, names.text, names.length);
    }
    free(names.text);
    free(cells);
}

static trace plain_trace(const kanon__input *input, const kanon__csv_options *options)
{
    plain p = {.bytes = (const unsigned char *)input->bytes, .size = input->size, .line = 1};
    trace t = {0};
    bool crlf = false;
    if (p.size >= 3 && memcmp(p.bytes, "\xef\xbb\xbf", 3) == 0)
        p.at = 3;
    if (plain_only_blank_lines_left(&p))
        snprintf(p.error, sizeof p.error, "t.csv:1: column 1: the file is empty");
    else if (plain_lone_returns(&p))
        snprintf(p.error, sizeof p.error, "t.csv:1: column 1: lines end with CR alone");
    plain_choose_delimiter(&p, options);
    plain first = p;
    int n_columns = 0;
    if (p.error[0] == '\0' && plain_row(&p, &crlf)) {
        n_columns = p.n_cells;
        if (options->no_header) {
            first.cells = p.cells;
            p = first;
            put_opened(&t, p.delimiter, crlf, n_columns);
        } else {
            plain_header(&p, &t, crlf);
        }
    }
    while (p.error[0] == '\0' && !plain_only_blank_lines_left(&p)) {
        long line = p.line;
        if (!plain_row(&p, &crlf))
            break;
        if (p.n_cells != n_columns && !options->ragged) {
            char what[80];
            snprintf(what, sizeof what, "%d cell%s, expected %d", p.n_cells, p.n_cells == 1 ? "" : "s", n_columns);
            plain_fail(&p, line, p.n_cells < n_columns ? p.n_cells : n_columns - 1, what);
            break;
        }
        putf(&t, "%ld: ", line);
        put(&t, p.cells.text, p.cells.length);
        put(&t, "\n", 1);
    }
    if (p.error[0] != '\0')
        putf(&t, "error %s\n", p.error);
    else
        put(&t, "end\n", 4);
    free(p.cells.text);
    return t;
}

/* ---- random input ------------------------------------------------------------------------------------------------ */

typedef struct arena {
    char *memory; /* pages that can be read, between two that cannot */
    size_t page, room;
    int file;
} arena;

static arena arena_new(void)
{
    arena a = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    a.room = 2 * a.page;
    a.memory = mmap(NULL, a.room + 2 * a.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(a.memory != MAP_FAILED);
    assert_int_equal(mprotect(a.memory + a.page, a.room, PROT_READ | PROT_WRITE), 0);
    a.file = memfd_create("t.csv", MFD_CLOEXEC);
    assert_true(a.file >= 0);
    return a;
}

static void arena_free(arena *a)
{
    close(a->file);
    munmap(a->memory, a->room + 2 * a->page);
}

static size_t random_bytes(kanon__random *random, char *out, size_t room)
{
    static const char alphabet[] = ",,,\"\"\n\n\rab ;\t|\xc3\xa9\x80\x01";
    size_t n = (size_t)kanon__random_below(random, (int64_t)room);
    for (size_t i = 0; i < n; i++)
        out[i] = kanon__random_below(random, 200) == 0 ? '\0' : alphabet[kanon__random_below(random, sizeof alphabet - 1)];
    return n;
}

/* Mostly well-formed: rows of a few cells, with plain text that pushes marks to and over the borders of blocks. */
static size_t random_table(kanon__random *random, char *out, size_t room)
{
    static const char *const cells[] = {"",
                                        "a",
                                        "bc",
                                        "\"\"",
                                        "\"q\"",
                                        "\"x\"\"y\"",
                                        "\"1,2\"",
                                        "\"l\nm\"",
                                        "\"\r\n\"",
                                        "\xc3\xa9",
                                        "\"\xe2\x82\xac\"",
                                        "\xf0\x9f\x98\x80z",
                                        "\r",
                                        "1;2",
                                        "\t",
                                        "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
                                        "\"ppppppppppppppppppppppppppppppppppppppppp\"",
                                        "\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96"};
    static const char *const broken[] = {"\"", "x\"", "\"z\"z", "\xff", "\xe2\x82", "\n", "\"\"\""};
    int n_columns = 1 + (int)kanon__random_below(random, 4), n_rows = (int)kanon__random_below(random, 8);
    const char *line_end = kanon__random_below(random, 2) == 0 ? "\n" : "\r\n";
    bool names = kanon__random_below(random, 4) != 0;
    trace t = {0};
    put(&t, "\xef\xbb\xbf", kanon__random_below(random, 8) == 0 ? 3 : 0);
    for (int row = 0; row <= n_rows; row++) {
        int n = kanon__random_below(random, 40) == 0 ? (int)kanon__random_below(random, 6) : n_columns;
        for (int i = 0; i < n; i++) {
            put(&t, ",", i > 0);
            if (row == 0 && names)
                putf(&t, "%c", 'A' + i);
            if (row == 0 && names && kanon__random_below(random, 8) != 0)
                continue;
            const char *cell = kanon__random_below(random, 60) == 0
                                   ? broken[kanon__random_below(random, sizeof broken / sizeof broken[0])]
                                   : cells[kanon__random_below(random, sizeof cells / sizeof cells[0])];
            put(&t, cell, strlen(cell));
        }
        if (row < n_rows || kanon__random_below(random, 2) == 0)
            put(&t, line_end, strlen(line_end));
    }
    for (int64_t blank = kanon__random_below(random, 3); blank > 0; blank--)
        put(&t, line_end, strlen(line_end));
    size_t length = t.length < room ? t.length : room;
    memcpy(out, t.text, length);
    free(t.text);
    return length;
}

static void compare_traces(const trace *expected, const kanon__input *input, const kanon__csv_options *options,
                           const char *bytes)
{
    trace found = read_trace(input, options, false);
    if (expected->length != found.length || memcmp(expected->text, found.text, found.length) != 0) {
        print_message("%s, window %zu, input of %zu bytes:", options->portable ? "portable" : "vectors", options->window,
                      input->size);
        for (size_t i = 0; i < input->size; i++)
            print_message(" %02x", (unsigned char)bytes[i]);
        print_message("\nexpected:\n%s\nfound:\n%s\n", expected->text, found.text);
        fail();
    }
    free(found.text);
}

/* The same bytes in a file, read through windows that end anywhere. */
static void compare_in_file(const trace *expected, const arena *a, const char *bytes, size_t size,
                            kanon__csv_options options)
{
    static const size_t windows[] = {1, 2, 7, 63, 64, 65, 150, 1000};
    static int round;
    struct stat info;
    assert_int_equal(ftruncate(a->file, 0), 0);
    assert_int_equal(pwrite(a->file, bytes, size, 0), (ssize_t)size);
    assert_int_equal(fstat(a->file, &info), 0);
    kanon__input input = {
        .path = path, .size = size, .has_file = size > 0, .fd = a->file, .opened = info};
    options.window = windows[round / 2 % 8];
    options.portable = round++ % 2 == 0;
    compare_traces(expected, &input, &options, bytes);
}

/* Both ways of finding marks, with the input before and after memory that cannot be read, and in a file, say what the plain
 * reader says. */
static void compare(const arena *a, const char *bytes, size_t size, kanon__csv_options options)
{
    kanon__input whole = {.path = path, .bytes = bytes, .size = size};
    trace expected = plain_trace(&whole, &options);
    for (int way = 0; way < 4; way++) {
        char *place = way & 1 ? a->memory + a->page : a->memory + a->page + a->room - size;
        kanon__input input = {.path = path, .bytes = place, .size = size};
        memcpy(place, bytes, size);
        options.portable = way & 2;
        compare_traces(&expected, &input, &options, bytes);
    }
    compare_in_file(&expected, a, bytes, size, options);
    free(expected.text);
}

static kanon__csv_options random_options(kanon__random *random)
{
    return (kanon__csv_options){.delimiter = "\0\0,,;\t"[kanon__random_below(random, 6)],
                                .no_header = kanon__random_below(random, 2) == 0,
                                .ragged = kanon__random_below(random, 2) == 0};
}

static void test_agrees_with_the_plain_reader(void **state)
{
    (void)state;
    enum { SEED = 4180, ROUNDS = 12000 };
    static char bytes[4096];
    arena a = arena_new();
    kanon__random random;
    print_message("seed %d\n", SEED);
    kanon__random_init(&random, SEED, 0);
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = round % 3 == 0 ? random_bytes(&random, bytes, 60) : random_table(&random, bytes, sizeof bytes);
        compare(&a, bytes, size, random_options(&random));
    }
    arena_free(&a);
}

/* Each way to end a cell, moved byte by byte over two borders of blocks. */
static void test_block_borders(void **state)
{
    (void)state;
    static const char *const tails[] = {",y\nz,w\n", "\"\",y",     "\r\n1,2",      "\xc3\xa9,1\n", "\xf0\x9f\x98\x80\n",
                                        "",          "\n",         "\xf0\x9f\x98", "\"",           "\r",
                                        ",",         ",\"y\"\r\n", ",\"y\"\"\"\n"};
    arena a = arena_new();
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++)
        for (int quoted = 0; quoted < 2; quoted++)
            for (size_t length = 50; length < 140; length++) {
                char bytes[256] = "a,b\n";
                size_t n = 4;
                if (quoted)
                    bytes[n++] = '"';
                memset(bytes + n, 'x', length - n);
                n = length;
                if (quoted)
                    bytes[n++] = '"';
                size_t tail = strlen(tails[i]);
                memcpy(bytes + n, tails[i], tail);
                compare(&a, bytes, n + tail, (kanon__csv_options){0});
                compare(&a, bytes, n + tail, (kanon__csv_options){.ragged = true, .no_header = true});
            }
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_the_plain_reader),
        cmocka_unit_test(test_block_borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
