/* What several fuzz targets share: an expectation, errors on one line, output in memory, files in a folder of their
 * own, a small table with its schema, and a state of it. Only the public header is used. */
#ifndef KANON_FUZZ_SUPPORT_H
#define KANON_FUZZ_SUPPORT_H

#include "kanon.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define require(holds)                                                                                                 \
    do {                                                                                                               \
        if (!(holds)) {                                                                                                \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds);                                        \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A failure says why, on one line, and is none of those that mean a defect. */
static inline void require_error(kanon_status st, const kanon_error *err)
{
    require(st != KANON_OK && st != KANON_EINTERNAL && st != KANON_ECANCELLED && err->status == st);
    require(err->message[0] != '\0' && strchr(err->message, '\n') == NULL && strchr(err->hint, '\n') == NULL);
}

static inline void require_done(kanon_status st, const kanon_error *err)
{
    if (st != KANON_OK)
        fprintf(stderr, "%s\n", err->message);
    require(st == KANON_OK);
}

/* ---- output in memory -------------------------------------------------------------------------------------------- */

typedef struct memory_output {
    char *bytes; /* NULL: nothing was written; else it ends with a zero */
    size_t size;
    int told; /* how often finish was called, and what it was told last */
    int complete;
} memory_output;

static inline int memory_write(const void *bytes, size_t size, void *payload)
{
    memory_output *out = payload;
    char *grown = realloc(out->bytes, out->size + size + 1);
    require(grown != NULL);
    memcpy(grown + out->size, bytes, size);
    out->bytes = grown;
    out->size += size;
    out->bytes[out->size] = '\0';
    return 0;
}

static inline int memory_finish(int complete, void *payload)
{
    memory_output *out = payload;
    out->told++;
    out->complete = complete;
    return 0;
}

static inline kanon_sink memory_sink(memory_output *out)
{
    return (kanon_sink){.struct_size = sizeof(kanon_sink),
                        .name = "memory.csv",
                        .write = memory_write,
                        .finish = memory_finish,
                        .payload = out};
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static char fuzz_folder[4096];

/* With everything below it. */
static inline void remove_directory(const char *path)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -rf './%s'", path);
    if (path[0] == '/')
        snprintf(command, sizeof command, "rm -rf '%s'", path);
    if (strchr(path, '\'') == NULL)
        (void)!system(command);
}

static inline void remove_fuzz_folder(void)
{
    remove_directory(fuzz_folder);
}

/* The path of a name in a folder that goes when the process ends. The text is valid until the next call. */
static inline const char *fuzz_path(const char *name)
{
    static char path[4200];
    if (fuzz_folder[0] == '\0') {
        const char *parent = getenv("TMPDIR");
        snprintf(fuzz_folder, sizeof fuzz_folder, "%s/kanon-fuzz.XXXXXX", parent != NULL ? parent : "/tmp");
        require(mkdtemp(fuzz_folder) != NULL);
        atexit(remove_fuzz_folder);
    }
    snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
    return path;
}

static inline void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static inline uint8_t *file_bytes(const char *path, size_t *size)
{
    struct stat info;
    require(stat(path, &info) == 0);
    FILE *file = fopen(path, "rb");
    *size = (size_t)info.st_size;
    uint8_t *bytes = malloc(*size + 1);
    require(file != NULL && bytes != NULL && fread(bytes, 1, *size, file) == *size && fclose(file) == 0);
    return bytes;
}

/* ---- a small table ----------------------------------------------------------------------------------------------- */

static const char small_schema[] =
    "missing: ['?']\n"
    "key: id\n"
    "attributes:\n"
    "  id: identifying\n"
    "  age: {role: quasi, type: integer}\n"
    "  born: {role: quasi, type: date}\n"
    "  job: {role: quasi, taxonomy: {Health: [nurse, surgeon], Food: [baker, cook]}}\n"
    "  zip: {role: quasi, mask: right}\n"
    "  ill: sensitive\n"
    "privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]}\n";

static const char small_table[] = "id,age,born,job,zip,ill\n"
                                  "1,31,1990-02-28,nurse,101,flu\n"
                                  "2,34,1987-01-01,surgeon,102,asthma\n"
                                  "3,36,1985-12-31,nurse,101,flu\n"
                                  "4,58,1963-05-05,baker,803,gout\n"
                                  "5,61,1960-06-06,cook,803,flu\n"
                                  "6,63,1958-07-07,baker,804,flu\n"
                                  "7,?,1954-08-08,cook,804,asthma\n"
                                  "8,66,1955-09-09,cook,805,gout\n";

typedef struct small {
    kanon_schema *schema;
    kanon_table *table;
} small;

/* Made once: inputs only read it. */
static inline const small *small_case(void)
{
    static small made;
    kanon_error err = KANON_INIT(kanon_error);
    if (made.table == NULL) {
        require_done(
            kanon_schema_read(&made.schema, KANON_BYTES_AS(small_schema, strlen(small_schema), "s.yaml"), NULL, &err), &err);
        kanon_read_options options = {.struct_size = sizeof options, .threads = 1};
        require_done(kanon_table_read(&made.table, KANON_BYTES_AS(small_table, strlen(small_table), "t.csv"), made.schema,
                                      &options, &err),
                     &err);
    }
    return &made;
}

/* The bytes of a state of the small table with two releases. */
static inline const uint8_t *small_state(size_t *size)
{
    static uint8_t *bytes;
    static size_t n_bytes;
    if (bytes == NULL) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *grouping = NULL;
        kanon_state *state = NULL;
        kanon_change change = KANON_INIT(kanon_change);
        memory_output first = {0}, second = {0};
        kanon_sink to_first = memory_sink(&first), to_second = memory_sink(&second);
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&to_first), .threads = 1};
        kanon_options options = {.struct_size = sizeof options, .algorithm = "kmember", .threads = 1};
        kanon_change_options how = {.struct_size = sizeof how, .outputs = &outputs};
        const small *s = small_case();
        const char *path = fuzz_path("made.state");
        require_done(kanon_anonymize(&grouping, s->table, &options, &err), &err);
        require_done(kanon_state_create(path, s->table, s->schema, grouping, &outputs, NULL, &err), &err);
        require_done(kanon_state_open(&state, path, NULL, &err), &err);
        outputs.release = KANON_TO_SINK(&to_second);
        static const char more[] = "id,age,born,job,zip,ill\n9,35,1986-01-01,nurse,103,gout\n";
        require_done(
            kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "d.csv"), &how, &change, &err), &err);
        kanon_state_close(state);
        kanon_grouping_free(grouping);
        free(first.bytes);
        free(second.bytes);
        bytes = file_bytes(path, &n_bytes);
    }
    *size = n_bytes;
    return bytes;
}

/* ---- a release, seen from outside -------------------------------------------------------------------------------- */

/* Whether every line of a CSV release occurs at least k times when only its first n_quasi cells are read; a line of
 * stars is suppressed. For releases whose cells have no quotes or separators. */
static inline bool lines_are_alike(const char *release, int n_quasi, int k)
{
    const char *lines[512];
    size_t lengths[512];
    int n = 0;
    const char *at = strchr(release, '\n');
    for (at = at != NULL ? at + 1 : ""; *at != '\0' && n < 512; n++) {
        int cells = 0;
        size_t length = 0;
        for (; at[length] != '\n' && at[length] != '\0'; length++)
            if (at[length] == ',' && ++cells == n_quasi)
                break;
        lines[n] = at;
        lengths[n] = length;
        at += strcspn(at, "\n");
        at += *at != '\0';
    }
    for (int i = 0; i < n; i++) {
        int alike = 0;
        bool stars = true;
        for (size_t c = 0; c < lengths[i]; c++)
            stars = stars && (lines[i][c] == '*' || lines[i][c] == ',');
        for (int j = 0; j < n; j++)
            alike += lengths[i] == lengths[j] && memcmp(lines[i], lines[j], lengths[i]) == 0;
        if (!stars && alike < k)
            return false;
    }
    return true;
}

#endif
