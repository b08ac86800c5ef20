/* The files of the sample hospital: the fixed texts, the order of writing, and directories that are made and, where the
 * sample fails, removed again. */
#include "sample/hospital.h"

#include "sample/hospital_rows.h"
#include "sample/hospital_values.h"
#include "sample/sample_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TABLE, SCHEMA, MARITAL_STATUS, OCCUPATION, DIAGNOSIS, N_FILES };

static const char *const file_names[N_FILES] = {
    [TABLE] = "hospital.csv",
    [SCHEMA] = "hospital.yaml",
    [MARITAL_STATUS] = "taxonomies/marital-status.csv",
    [OCCUPATION] = "taxonomies/occupation.csv",
    [DIAGNOSIS] = "taxonomies/diagnosis.csv",
};

static const char schema_text[] =
    "# What the columns of hospital.csv are, and what a release of it must hold to.\n"
    "# The patients are invented; no row is about a real person.\n"
    "\n"
    "# Cells with one of these texts have no value.\n"
    "missing: [\"?\", \"\"]\n"
    "\n"
    "# Every column has a role:\n"
    "#   identifying  names a person; left out of a release\n"
    "#   quasi        could be known to somebody who looks for a person; made less exact, so that each record looks like\n"
    "#                k-1 others\n"
    "#   sensitive    what must not become known about a person; released as it is\n"
    "#   insensitive  neither; released as it is\n"
    "attributes:\n"
    "  id:             {role: identifying}\n"
    "  name:           {role: identifying}\n"
    "\n"
    "  # Numbers and dates become intervals: [30..34].\n"
    "  age:            {role: quasi, type: integer}\n"
    "  admission:      {role: quasi, type: date}\n"
    "\n"
    "  # Few values and no order among them: a group with different ones gets \"*\".\n"
    "  sex:            {role: quasi, type: categorical}\n"
    "\n"
    "  # Digits are masked one by one from the right: 47203, 4720*, 472**, ...\n"
    "  zip:            {role: quasi, type: categorical, mask: right}\n"
    "\n"
    "  # A taxonomy says what a value may become: the file has a line VALUE;PARENT;...;* for each value.\n"
    "  # Paths are relative to this file.\n"
    "  marital-status: {role: quasi, type: categorical, taxonomy: taxonomies/marital-status.csv}\n"
    "  occupation:     {role: quasi, type: categorical, taxonomy: taxonomies/occupation.csv}\n"
    "\n"
    "  # Here the taxonomy says which diagnoses are alike.\n"
    "  diagnosis:      {role: sensitive, type: categorical, taxonomy: taxonomies/diagnosis.csv}\n"
    "  cost:           {role: sensitive, type: decimal}\n"
    "\n"
    "# Every released record must look like at least k-1 others on all quasi columns together.\n"
    "privacy:\n"
    "  k: 5\n";

/* ---- directories ------------------------------------------------------------------------------------------------- */

static kanon_status join(char **out, const char *dir, const char *name, kanon_error *err)
{
    size_t length = strlen(dir), size = length + strlen(name) + 2;
    kanon_status st = sample_new((void **)out, size, "a file name", err);
    if (st == KANON_OK)
        snprintf(*out, size, "%s%s%s", dir, length > 0 && dir[length - 1] == '/' ? "" : "/", name);
    return st;
}

static kanon_status make_one(const char *path, bool *made, kanon_error *err)
{
    struct stat is;
    *made = mkdir(path, 0777) == 0;
    int reason = errno;
    if (*made || (stat(path, &is) == 0 && S_ISDIR(is.st_mode)))
        return KANON_OK;
    return sample_fail_errno(err, reason == EEXIST ? ENOTDIR : reason, "make the directory", path);
}

/* Make `path` and what is missing above it. *first_made is the length of the first part that was made here, 0: none;
 * it is right after a failure too. */
static kanon_status make_directories(char *path, size_t *first_made, kanon_error *err)
{
    size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        bool made = false;
        if ((path[i] != '/' && path[i] != '\0') || path[i - 1] == '/')
            continue;
        char end = path[i];
        path[i] = '\0';
        kanon_status st = make_one(path, &made, err);
        path[i] = end;
        if (st != KANON_OK)
            return st;
        if (made && *first_made == 0)
            *first_made = i;
    }
    return KANON_OK;
}

/* Take back make_directories. A directory that somebody else has put something into stays. */
static void remove_directories(char *path, size_t first_made)
{
    for (size_t i = strlen(path); first_made > 0 && i >= first_made; i--) {
        if ((path[i] != '/' && path[i] != '\0') || path[i - 1] == '/')
            continue;
        path[i] = '\0';
        rmdir(path);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static kanon_status open_files(sample_file files[N_FILES], const char *dir, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < N_FILES && st == KANON_OK; i++) {
        char *path = NULL;
        st = join(&path, dir, file_names[i], err);
        if (st == KANON_OK)
            st = sample_file_open(&files[i], path, err);
        free(path);
    }
    return st;
}

static void write_leaf(sample_file *file, const char *name, const char *path)
{
    sample_file_text(file, name);
    sample_file_text(file, ";");
    sample_file_text(file, path);
    sample_file_text(file, "\n");
}

static void write_taxonomies(sample_file files[N_FILES])
{
    for (int i = 0; i < SAMPLE_N_MARITAL; i++)
        write_leaf(&files[MARITAL_STATUS], sample_maritals[i].name, sample_maritals[i].path);
    for (int i = 0; i < SAMPLE_N_OCCUPATIONS; i++)
        write_leaf(&files[OCCUPATION], sample_occupations[i].name, sample_occupations[i].path);
    for (int i = 0; i < SAMPLE_N_DIAGNOSES; i++)
        write_leaf(&files[DIAGNOSIS], sample_diagnoses[i].name, sample_diagnoses[i].path);
}

/* About every five milliseconds the caller learns how far the table is, and may stop the work. */
static kanon_status write_table(sample_file *file, const hospital *h, int64_t n_rows, kanon_tick tick, void *payload,
                                kanon_error *err)
{
    enum { ROWS_PER_TICK = 1 << 14 };
    char row[HOSPITAL_ROW];
    kanon_progress now = {.struct_size = sizeof now, .stage = "writing", .total = n_rows};
    sample_file_text(file, HOSPITAL_HEADER);
    for (int64_t i = 0; i < n_rows; i++) {
        now.done = i;
        if (tick != NULL && i % ROWS_PER_TICK == 0 && tick(&now, payload) != 0)
            return sample_fail(err, KANON_ECANCELLED, "stopped while writing", "");
        sample_file_write(file, row, hospital_row(h, i, row));
    }
    return KANON_OK;
}

kanon_status sample_hospital(const char *dir, int64_t n_rows, uint64_t seed, kanon_tick tick, void *payload,
                             kanon_error *err)
{
    hospital *h = NULL;
    sample_file files[N_FILES] = {0};
    char *deepest = NULL;
    size_t first_made = 0;
    if (dir == NULL || dir[0] == '\0')
        return sample_fail(err, KANON_EINVAL, "the sample needs a directory", "");
    if (n_rows < 1)
        return sample_fail(err, KANON_EINVAL, "a sample of no rows is not possible", "ask for at least 1 row");
    kanon_status st = hospital_new(&h, seed, err);
    if (st == KANON_OK)
        st = join(&deepest, dir, "taxonomies", err);
    if (st == KANON_OK)
        st = make_directories(deepest, &first_made, err);
    if (st == KANON_OK)
        st = open_files(files, dir, err);
    if (st == KANON_OK) {
        sample_file_text(&files[SCHEMA], schema_text);
        write_taxonomies(files);
        st = write_table(&files[TABLE], h, n_rows, tick, payload, err);
    }
    if (st == KANON_OK)
        st = sample_files_commit(files, N_FILES, err);
    for (int i = 0; i < N_FILES; i++)
        sample_file_clear(&files[i]);
    if (st != KANON_OK && deepest != NULL)
        remove_directories(deepest, first_made);
    free(deepest);
    hospital_free(h);
    return st;
}
