#include "sample/hospital_rows.h"
#include "sample/hospital_values.h"

#include "core/alloc.h"
#include "core/output.h"
#include "core/ticker.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
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
    "  # Numbers and dates become intervals: [30-34].\n"
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
    kanon_status st = kanon__new_array(out, (int64_t)size, "a file name", err);
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
    return kanon__fail_errno(err, reason == EEXIST ? ENOTDIR : reason, "make the directory", path);
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

static kanon_status open_files(kanon__output *files[N_FILES], const char *dir, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < N_FILES && st == KANON_OK; i++) {
        char *path = NULL;
        st = join(&path, dir, file_names[i], err);
        if (st == KANON_OK)
            st = kanon__output_open(&files[i], path, false, err);
        kanon__free(path);
    }
    return st;
}

static void write_leaf(kanon__output *file, const char *name, const char *path)
{
    kanon__output_text(file, name);
    kanon__output_text(file, ";");
    kanon__output_text(file, path);
    kanon__output_text(file, "\n");
}

static void write_taxonomies(kanon__output *files[N_FILES])
{
    for (int i = 0; i < KANON__N_MARITAL; i++)
        write_leaf(files[MARITAL_STATUS], kanon__maritals[i].name, kanon__maritals[i].path);
    for (int i = 0; i < KANON__N_OCCUPATIONS; i++)
        write_leaf(files[OCCUPATION], kanon__occupations[i].name, kanon__occupations[i].path);
    for (int i = 0; i < KANON__N_DIAGNOSES; i++)
        write_leaf(files[DIAGNOSIS], kanon__diagnoses[i].name, kanon__diagnoses[i].path);
}

static kanon_status write_table(kanon__output *file, const kanon__hospital *hospital, int64_t n_rows, kanon__ticker *ticker,
                                kanon_error *err)
{
    enum { ROWS_PER_TICK = 1024, NS_PER_ROW = 300 };
    char row[KANON__HOSPITAL_ROW];
    kanon__output_text(file, KANON__HOSPITAL_HEADER);
    for (int64_t i = 0; i < n_rows; i++) {
        if (i % ROWS_PER_TICK == 0) {
            kanon_status st = kanon__tick(ticker, i, n_rows, ROWS_PER_TICK * NS_PER_ROW, err);
            if (st != KANON_OK)
                return st;
        }
        kanon__output_write(file, row, kanon__hospital_row(hospital, i, row));
    }
    return KANON_OK;
}

static kanon_status write_files(kanon__output *files[N_FILES], const kanon__hospital *hospital, int64_t n_rows,
                                kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__output_text(files[SCHEMA], schema_text);
    write_taxonomies(files);
    KANON_TRY(write_table(files[TABLE], hospital, n_rows, ticker, err), out);
    for (int i = 0; i < N_FILES; i++)
        KANON_TRY(kanon__output_finish(files[i], err), out);
    KANON_TRY(kanon__output_commit(files, N_FILES, err), out);
out:
    return st;
}

kanon_status kanon_sample_hospital(const char *dir, int64_t n_rows, uint64_t seed, kanon_tick tick, void *payload,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__hospital *hospital = NULL;
    kanon__output *files[N_FILES] = {NULL};
    kanon__ticker ticker;
    char *deepest = NULL;
    size_t first_made = 0;
    if (dir == NULL || dir[0] == '\0')
        return kanon__fail(err, KANON_EINVAL, "the sample needs a directory");
    if (n_rows < 1)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "a sample of %lld rows is not possible", (long long)n_rows),
                           "ask for at least 1 row");
    kanon__ticker_init(&ticker, tick, payload, "writing");
    KANON_TRY(kanon__hospital_new(&hospital, seed, err), out);
    KANON_TRY(join(&deepest, dir, "taxonomies", err), out);
    KANON_TRY(make_directories(deepest, &first_made, err), out);
    KANON_TRY(open_files(files, dir, err), out);
    KANON_TRY(write_files(files, hospital, n_rows, &ticker, err), out);
out:
    for (int i = 0; i < N_FILES; i++)
        kanon__output_free(files[i]);
    if (st != KANON_OK && deepest != NULL)
        remove_directories(deepest, first_made);
    kanon__free(deepest);
    kanon__hospital_free(hospital);
    return st;
}
