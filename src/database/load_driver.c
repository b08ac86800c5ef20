/* See load_driver.h. The list of known drivers says how to get them; others are found by their name alone. */
#define _GNU_SOURCE /* RTLD_NODELETE, dl_iterate_phdr, madvise */
#include "database/load_driver.h"

#include "core/alloc.h"

#include <kanon_host.h>
#include <ctype.h>
#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

#define DRIVER(called, reaches, get) KANON__ENTRY(.name = called, .brief = reaches, .more = get)

static const kanon__entry known[] = {
    DRIVER("duckdb", "Parquet files; CSV, JSON and others by a query; DuckDB files",
           "get libduckdb from duckdb.org/install (C/C++) or from the npm package @duckdb/node-bindings-linux-x64"),
    DRIVER("postgresql", "PostgreSQL servers", "pip install adbc-driver-postgresql"),
    DRIVER("sqlite", "SQLite files by a query; tables of them are read without a driver", "pip install adbc-driver-sqlite"),
    DRIVER("snowflake", "Snowflake, to read", "pip install adbc-driver-snowflake"),
    DRIVER("flightsql", "Flight SQL servers, to read", "pip install adbc-driver-flightsql"),
};

const kanon__entry *kanon__driver_entry(size_t i)
{
    return i < sizeof known / sizeof *known ? &known[i] : NULL;
}

static const kanon_entry *find_known(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].shown.name, name) == 0)
            return &known[i].shown;
    return NULL;
}

bool kanon__driver_keeps_promises(const char *name)
{
    return strcmp(name, "duckdb") == 0 || strcmp(name, "postgresql") == 0 || strcmp(name, "sqlite") == 0;
}

/* ---- looking ------------------------------------------------------------------------------------------------------ */

/* A look for the library of a driver. */
typedef struct look {
    const char *name;
    char file[128];       /* libadbc_driver_NAME.so */
    char path[PATH_SIZE]; /* that was loaded */
    char wrong[256];      /* what was there and could not be loaded */
    void *library;
} look;

/* Try a file, or a name that the system knows. */
static bool try_library(look *l, const char *path)
{
    bool is_name = strchr(path, '/') == NULL;
    if (l->library != NULL || (!is_name && access(path, R_OK) != 0))
        return l->library != NULL;
    l->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const char *reason = l->library == NULL ? dlerror() : NULL;
    if (l->library != NULL)
        snprintf(l->path, sizeof l->path, "%s", path);
    else if (!is_name && l->wrong[0] == '\0')
        snprintf(l->wrong, sizeof l->wrong, "%s", reason != NULL ? reason : path);
    return l->library != NULL;
}

/* The folders of a list with colons between them. */
static void try_folders(look *l, const char *folders)
{
    char path[PATH_SIZE];
    while (folders != NULL && *folders != '\0' && l->library == NULL) {
        size_t length = strcspn(folders, ":");
        if (length > 0 && snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, l->file) < (int)sizeof path)
            try_library(l, path);
        folders += length + (folders[length] == ':');
    }
}

/* The Python packages below a prefix. The library of the package duckdb needs Python around it, so it serves only hosts that
 * are Python. */
static void try_python(look *l, const char *prefix, const char *below)
{
    char pattern[PATH_SIZE];
    glob_t found = {0};
    bool duckdb = strcmp(l->name, "duckdb") == 0;
    if (prefix == NULL || prefix[0] == '\0' || l->library != NULL)
        return;
    int length = duckdb ? snprintf(pattern, sizeof pattern, "%s%s/lib/python3*/site-packages/_duckdb*.so", prefix, below)
                        : snprintf(pattern, sizeof pattern, "%s%s/lib/python3*/site-packages/adbc_driver_%s/%s", prefix,
                                   below, l->name, l->file);
    if (length < (int)sizeof pattern && glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            try_library(l, found.gl_pathv[i]);
    globfree(&found);
}

static bool look_for(look *l, const char *name)
{
    *l = (look){.name = name};
    if (strcmp(name, "duckdb") == 0)
        snprintf(l->file, sizeof l->file, "libduckdb.so");
    else
        snprintf(l->file, sizeof l->file, "libadbc_driver_%s.so", name);
    try_folders(l, getenv("KANON_DRIVER_PATH"));
    try_folders(l, getenv("ADBC_DRIVER_PATH"));
    try_library(l, l->file);
    try_python(l, getenv("VIRTUAL_ENV"), "");
    try_python(l, getenv("CONDA_PREFIX"), "");
    try_python(l, getenv("HOME"), "/.local");
    return l->library != NULL;
}

size_t kanon_driver_find(char *out, size_t size, const char *name)
{
    look l;
    if (size > 0)
        out[0] = '\0';
    return look_for(&l, name) ? kanon_escape(out, size, l.path) : 0;
}

/* ---- loading ------------------------------------------------------------------------------------------------------ */

static kanon_status fail_missing(const look *l, const char *called, kanon_error *err)
{
    const kanon_entry *info = find_known(l->name);
    kanon_status st;
    if (l->wrong[0] != '\0') {
        st = kanon__fail(err, KANON_EIO, "%s: the driver %s cannot be loaded: %s", called, l->name, l->wrong);
        return kanon__topic(err, st, "driver");
    }
    st = kanon__fail(err, KANON_EIO, "%s: this needs the driver %s, which is not here", called, l->name);
    if (info != NULL)
        kanon__hint(err, st, "%s; set KANON_DRIVER_PATH to the folder of %s", info->more, l->file);
    else
        kanon__hint(err, st, "set KANON_DRIVER_PATH to the folder of %s", l->file);
    return kanon__topic(err, st, "driver");
}

kanon_status kanon__driver_library(void **out, const char *name, const char *called, kanon_error *err)
{
    look l;
    if (!look_for(&l, name))
        return fail_missing(&l, called, err);
    *out = l.library;
    return KANON_OK;
}

/* The function that fills in the table, by the names that drivers give it. */
static kanon__adbc_init find_init(void *library, const char *name)
{
    char own[128];
    snprintf(own, sizeof own, "AdbcDriver%c%sInit", toupper((unsigned char)name[0]), name + 1);
    const char *const names[] = {"AdbcDriverInit", own, "duckdb_adbc_init"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = dlsym(library, names[i]);
        kanon__adbc_init init;
        if (found != NULL) {
            memcpy(&init, &found, sizeof init); /* C has no cast from an object to a function; POSIX says they are alike */
            return init;
        }
    }
    return NULL;
}

/* A driver may leave out what it cannot do; what is called here it must have. */
static bool is_complete(const kanon__adbc_driver *d)
{
    return d->database_new != NULL && d->database_init != NULL && d->database_set_option != NULL &&
           d->database_release != NULL && d->connection_new != NULL && d->connection_init != NULL &&
           d->connection_release != NULL && d->statement_new != NULL && d->statement_release != NULL &&
           d->statement_set_sql_query != NULL && d->statement_execute_query != NULL;
}

kanon_status kanon__driver_load(kanon__adbc_driver *out, const char *name, const char *called, kanon_error *err)
{
    void *library;
    kanon__adbc_error error = {0};
    *out = (kanon__adbc_driver){0};
    kanon_status st = kanon__driver_library(&library, name, called, err);
    if (st != KANON_OK)
        return st;
    kanon__adbc_init init = find_init(library, name);
    if (init == NULL)
        return kanon__topic(err, kanon__fail(err, KANON_EIO, "%s: the library %s is no ADBC driver", called, name),
                            "driver");
    kanon__adbc_status code = init(KANON__ADBC_VERSION, out, &error);
    if (error.release != NULL)
        error.release(&error);
    if (code != KANON__ADBC_OK || !is_complete(out))
        return kanon__topic(err, kanon__fail(err, KANON_EIO, "%s: the driver %s does not begin", called, name), "driver");
    return KANON_OK;
}

/* ---- resting ------------------------------------------------------------------------------------------------------ */

static bool holds(const struct dl_phdr_info *library, uintptr_t address)
{
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - (library->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

/* Code that was changed when it was loaded is not what stands in the file. */
static bool is_as_in_file(const struct dl_phdr_info *library)
{
    for (int i = 0; i < library->dlpi_phnum; i++) {
        if (library->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *at = (const void *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr);
        for (; at->d_tag != DT_NULL; at++)
            if (at->d_tag == DT_TEXTREL || (at->d_tag == DT_FLAGS && (at->d_un.d_val & DF_TEXTREL) != 0))
                return false;
        return true;
    }
    return false;
}

/* Let the pages of the library go that nobody can write to; the system reads them again from its file. */
static int rest_library(struct dl_phdr_info *library, size_t size, void *inside)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)size;
    if (!holds(library, *(const uintptr_t *)inside))
        return 0;
    for (int i = 0; i < library->dlpi_phnum && is_as_in_file(library); i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        uintptr_t begin = (library->dlpi_addr + part->p_vaddr + page - 1) / page * page;
        uintptr_t end = (library->dlpi_addr + part->p_vaddr + part->p_memsz) / page * page;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) == 0 && begin < end)
            madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 1;
}

void kanon__driver_rest(kanon__adbc_unused inside)
{
    uintptr_t address;
    _Static_assert(sizeof address == sizeof inside, "a function has an address");
    memcpy(&address, &inside, sizeof address);
    dl_iterate_phdr(rest_library, &address);
    kanon__give_back_free();
}
