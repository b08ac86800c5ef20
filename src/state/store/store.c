/* Opens, locks and closes the SQLite file of a state, and turns SQLite's result codes into kanon_status.
 *
 * What a state needs of SQLite, and which setting provides it:
 *     a crash leaves the state before or after a command   rollback journal, PRAGMA synchronous = EXTRA
 *     a file that somebody else made does no harm          defensive mode, no triggers, no views, cell_size_check
 *     deleted cells are gone                               PRAGMA secure_delete, and page_checksum.c for the gaps in pages
 *     a damaged page is noticed                            the VFS of page_checksum.c
 *     a new state is fast to write                         no journal and no syncs until it is complete (store_create)
 *
 * No message holds a value: SQLite's own messages may quote one, so only sqlite3_errstr is used. */
#include "state/store/store.h"

#include "core/alloc.h"
#include "state/store/page_checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- result codes ------------------------------------------------------------------------------------------------ */

kanon_status kanon__store_damaged(const kanon__store *store, const char *where, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: the state is damaged: %s", store->path, where);
    return kanon__hint(err, st, "go back to a copy of the file");
}

kanon_status kanon__store_fail(const kanon__store *store, int code, kanon_error *err)
{
    kanon_status st;
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return kanon__fail(err, KANON_ENOMEM, "out of memory for the state");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return kanon__store_damaged(store, "its pages do not fit together", err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        st = kanon__fail(err, KANON_EIO, "%s: another process is working on it", store->path);
        return kanon__topic(err, kanon__hint(err, st, "try again later, or wait longer"), "wait");
    case SQLITE_INTERRUPT: /* only kanon__store_set_tick asks for it */
        return kanon__fail(err, KANON_ECANCELLED, "stopped while %s", store->ticker.stage);
    case SQLITE_FULL:
        return kanon__fail(err, KANON_EIO, "cannot write %s: no room left", store->path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return kanon__fail(err, KANON_EIO, "cannot write %s: it is read-only", store->path);
    case SQLITE_IOERR:
        if (code == SQLITE_IOERR_NOMEM)
            return kanon__fail(err, KANON_ENOMEM, "out of memory for the state");
        if (code == SQLITE_IOERR_DATA || code == SQLITE_IOERR_CORRUPTFS)
            return kanon__store_damaged(store, "the checksum of a page is wrong", err);
        return kanon__fail(err, KANON_EIO, "cannot read or write %s: %s", store->path, sqlite3_errstr(code));
    case SQLITE_CANTOPEN:
        return kanon__fail(err, KANON_EIO, "cannot open %s, or make a file beside it", store->path);
    default:
        return kanon__fail(err, KANON_EINTERNAL, "%s: %s", store->path, sqlite3_errstr(code));
    }
}

static kanon_status fail_now(const kanon__store *store, kanon_error *err)
{
    return kanon__store_fail(store, sqlite3_extended_errcode(store->db), err);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* A path such as ":memory:" or "file:x" means something else to SQLite; with "./" before it, it is the name of a file. */
static kanon_status plain_path(char **out, const char *path, kanon_error *err)
{
    size_t size = strlen(path) + 3;
    KANON_CHECK(kanon__new_array(out, (int64_t)size, "a file name", err));
    snprintf(*out, size, "%s%s", path[0] == '/' ? "" : "./", path);
    return KANON_OK;
}

static kanon_status connect(kanon__store *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *name = NULL;
    KANON_TRY(plain_path(&name, s->path, err), out);
    KANON_TRY(kanon__new_array(&s->layer, 1, "the state", err), out);
    s->layer->storage = s->storage;
    int rc = kanon__page_layer_open(s->layer, name, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
    if (rc != SQLITE_OK)
        st = kanon__store_fail(s, s->db != NULL ? sqlite3_extended_errcode(s->db) : SQLITE_NOMEM, err);
out:
    kanon__free(name);
    return st;
}

/* Pages of SQLite's cache. */
enum { ROOM_LEAST = 300, ROOM_TO_CREATE = 3000, ROOM_MOST = 32768 };
/* Without syncs pages may be written early, and should be: what the commit has to write cannot be stopped. */
enum { SPILL_TO_CREATE = ROOM_TO_CREATE };

/* Few pages are kept once they have been read, since memory that was used before is cheaper than more of it; but pages that
 * were changed are kept until they are 128 MiB, since to write them early would sync the journal more than once. */
static kanon_status set_guards(kanon__store *s, int wait_seconds, kanon_error *err)
{
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_timeout(s->db, wait_seconds < INT_MAX / 1000 ? wait_seconds * 1000 : INT_MAX);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    return kanon__store_run(
        s,
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
        "PRAGMA temp_store = MEMORY; PRAGMA cache_size = 300; PRAGMA cache_spill = 32768; PRAGMA secure_delete = ON;"
        "PRAGMA max_page_count = 16777215", /* 64 GiB: page_checksum.c relies on it */
        err);
}

static int poll_tick(void *payload)
{
    kanon__store *s = payload;
    return kanon__tick(&s->ticker, 0, 0, KANON__TICK_POLL_NS, NULL) != KANON_OK;
}

void kanon__store_set_tick(kanon__store *s, kanon_tick tick, void *payload)
{
    enum { STEPS_PER_POLL = 4000 }; /* of SQLite's machine: less than a millisecond, and more where rows are hashed */
    kanon__ticker_init(&s->ticker, tick, payload, "keeping");
    if (s->db != NULL)
        sqlite3_progress_handler(s->db, tick != NULL ? STEPS_PER_POLL : 0, tick != NULL ? poll_tick : NULL, s);
}

kanon_status kanon__store_reserve_pages(kanon__store *s, int64_t n_pages, kanon_error *err)
{
    char sql[64];
    int64_t room = ROOM_LEAST + (n_pages < ROOM_MOST ? n_pages : ROOM_MOST);
    if (room <= s->room)
        return KANON_OK;
    s->room = room;
    snprintf(sql, sizeof sql, "PRAGMA cache_size = %d", (int)room);
    return kanon__store_run(s, sql, err);
}

/* By runs, each of a few milliseconds (memory_file.h): a run is as large as the cache, and 1 MiB at least. */
kanon_status kanon__store_index(kanon__store *s, const char *sql, kanon_error *err)
{
    int64_t room = s->room;
    char back[64];
    KANON_CHECK(kanon__store_run(s, "PRAGMA temp_store = FILE; PRAGMA cache_size = 300", err));
    KANON_CHECK(kanon__store_run(s, sql, err));
    snprintf(back, sizeof back, "PRAGMA temp_store = MEMORY; PRAGMA cache_size = %d", (int)(room > 0 ? room : ROOM_LEAST));
    return kanon__store_run(s, back, err);
}

/* The file is made with mode 0600, or is there and empty; SQLite then opens what is there. Pages leave room for the
 * checksum. */
static kanon_status make_empty_file(const char *path, kanon_error *err)
{
    struct stat file;
    int fd = open(path, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool is_empty = fd >= 0 && fstat(fd, &file) == 0 && file.st_size == 0;
    int error = fd >= 0 ? EEXIST : errno;
    if (fd >= 0)
        close(fd);
    return is_empty ? KANON_OK : kanon__fail_errno(err, error, "write", path);
}

kanon_status kanon__store_create(kanon__store *out, const char *path, const kanon_state_storage *storage, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char sql[256];
    int reserved = KANON__PAGE_RESERVED;
    *out = (kanon__store){.storage = storage};
    KANON_TRY(kanon__copy_text(&out->path, path, strlen(path), "a file name", err), out);
    if (storage == NULL)
        KANON_TRY(make_empty_file(path, err), out);
    KANON_TRY(connect(out, err), out);
    KANON_TRY(set_guards(out, 0, err), out);
    KANON_TRY(kanon__store_reserve_pages(out, ROOM_TO_CREATE, err), out);
    sqlite3_file_control(out->db, NULL, SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    snprintf(sql, sizeof sql,
             "PRAGMA page_size = %d; PRAGMA journal_mode = %s; PRAGMA synchronous = OFF; PRAGMA cache_spill = %d;"
             "PRAGMA application_id = %d; PRAGMA user_version = %d",
             KANON__PAGE_SIZE, storage != NULL ? "MEMORY" : "OFF", SPILL_TO_CREATE, KANON__STATE_ID, KANON__STATE_VERSION);
    KANON_TRY(kanon__store_run(out, sql, err), out);
    KANON_TRY(kanon__store_run(out, "BEGIN EXCLUSIVE", err), out);
    out->version = KANON__STATE_VERSION;
    out->in_transaction = true;
out:
    if (st != KANON_OK)
        kanon__store_close(out);
    return st;
}

/* The transaction was written without syncs, so the file is synced once, through a descriptor of its own after SQLite has
 * closed it. */
kanon_status kanon__store_finish(kanon__store *s, kanon_error *err)
{
    KANON_CHECK(kanon__store_commit(s, err));
    sqlite3_close_v2(s->db);
    s->db = NULL;
    if (s->storage != NULL)
        return KANON_OK;
    kanon_status st = KANON_OK;
    int fd = open(s->path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        st = kanon__fail_errno(err, errno, "write", s->path);
    if (fd >= 0)
        close(fd);
    return st;
}

static uint32_t number_at(const unsigned char *header, int offset)
{
    return (uint32_t)header[offset] << 24 | (uint32_t)header[offset + 1] << 16 | (uint32_t)header[offset + 2] << 8 |
           header[offset + 3];
}

/* Offsets in the header of an SQLite file: https://sqlite.org/fileformat2.html, section 1.3. */
enum { HEADER_SIZE = 100, PAGE_SIZE_AT = 16, FORMAT_AT = 18, RESERVED_AT = 20, COUNT_AT = 28, VERSION_AT = 60, ID_AT = 68 };

/* Through SQLite's own descriptor: closing another one of the same file would release all POSIX locks of the process. */
static kanon_status read_header(const kanon__store *s, unsigned char header[HEADER_SIZE], int64_t *size, kanon_error *err)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 bytes = 0;
    memset(header, 0, HEADER_SIZE);
    int rc = sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (rc == SQLITE_OK)
        rc = file->pMethods->xFileSize(file, &bytes);
    if (rc == SQLITE_OK && bytes >= HEADER_SIZE)
        rc = file->pMethods->xRead(file, header, HEADER_SIZE, 0);
    *size = bytes;
    return rc == SQLITE_OK ? KANON_OK : kanon__store_fail(s, rc, err);
}

static kanon_status check_is_file(const char *path, kanon_error *err)
{
    struct stat is;
    if (stat(path, &is) != 0)
        return kanon__fail_errno(err, errno, "read", path);
    return S_ISDIR(is.st_mode) ? kanon__fail_errno(err, EISDIR, "read", path) : KANON_OK;
}

static kanon_status check_version(const kanon__store *s, int64_t version, kanon_error *err)
{
    kanon_status st;
    if (version > KANON__STATE_VERSION) {
        st = kanon__fail(err, KANON_EVERSION, "%s: the state was made by a newer version", s->path);
        return kanon__hint(err, st, "this version reads states up to version %d", KANON__STATE_VERSION);
    }
    if (version < KANON__STATE_OLDEST) {
        st = kanon__fail(err, KANON_EVERSION, "%s: the state was made by an older version", s->path);
        return kanon__topic(err, kanon__hint(err, st, "make a new state from the table"), "state");
    }
    return KANON_OK;
}

/* Only what stays the same during a transaction of another process. The version may change, from one that is accepted to
 * another: it is read again when a transaction has begun. */
static kanon_status check_header(const kanon__store *s, kanon_error *err)
{
    unsigned char header[HEADER_SIZE];
    int64_t size;
    KANON_CHECK(read_header(s, header, &size, err));
    if (memcmp(header, "SQLite format 3", 16) != 0 || number_at(header, ID_AT) != KANON__STATE_ID) {
        kanon_status st = kanon__fail(err, KANON_EDATA, "%s: not a state", s->path);
        return kanon__topic(err, kanon__hint(err, st, "give a file that was made as a state"), "state");
    }
    KANON_CHECK(check_version(s, number_at(header, VERSION_AT), err));
    if (number_at(header, PAGE_SIZE_AT) >> 16 != KANON__PAGE_SIZE || header[RESERVED_AT] != KANON__PAGE_RESERVED ||
        header[FORMAT_AT] != 1 || header[FORMAT_AT + 1] != 1)
        return kanon__store_damaged(s, "its header", err);
    return KANON_OK;
}

kanon_status kanon__store_open(kanon__store *out, const char *path, const kanon_state_storage *storage, int wait_seconds,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__store){.storage = storage};
    KANON_TRY(kanon__copy_text(&out->path, path, strlen(path), "a file name", err), out);
    if (storage == NULL)
        KANON_TRY(check_is_file(path, err), out);
    KANON_TRY(connect(out, err), out);
    KANON_TRY(check_header(out, err), out);
    KANON_TRY(set_guards(out, wait_seconds, err), out);
    KANON_TRY(kanon__store_run(out,
                               storage == NULL ? "PRAGMA synchronous = EXTRA"
                                               : "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF",
                               err),
              out);
out:
    if (st != KANON_OK)
        kanon__store_close(out);
    return st;
}

void kanon__store_close(kanon__store *s)
{
    kanon__store_rollback(s);
    sqlite3_close_v2(s->db);
    kanon__free(s->layer);
    kanon__free(s->path);
    *s = (kanon__store){0};
}

/* ---- transactions ------------------------------------------------------------------------------------------------ */

/* Only once a transaction has begun: then nobody changes the file, and SQLite has rolled back what a crash left. */
static kanon_status check_size(const kanon__store *s, kanon_error *err)
{
    unsigned char header[HEADER_SIZE];
    int64_t size;
    kanon_status st = read_header(s, header, &size, err);
    if (st == KANON_OK && size != (int64_t)number_at(header, COUNT_AT) * KANON__PAGE_SIZE)
        st = kanon__store_damaged(s, "the file is too short or too long", err);
    return st;
}

/* The journal of a committed transaction that a kill left under its second name. Whoever may need it has the file locked,
 * and now this process has. */
static kanon_status remove_aside(const kanon__store *s, kanon_error *err)
{
    size_t size = strlen(s->path) + sizeof "-journal" KANON__ASIDE;
    char *aside = NULL;
    KANON_CHECK(kanon__new_array(&aside, (int64_t)size, "a file name", err));
    snprintf(aside, size, "%s-journal" KANON__ASIDE, s->path);
    unlink(aside);
    kanon__free(aside);
    return KANON_OK;
}

/* A first query takes the lock that BEGIN alone does not take. */
kanon_status kanon__store_begin(kanon__store *s, bool write, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (write && sqlite3_db_readonly(s->db, "main") == 1)
        return kanon__store_fail(s, SQLITE_READONLY, err);
    KANON_TRY(kanon__store_run(s, write ? "BEGIN IMMEDIATE" : "BEGIN", err), out);
    s->in_transaction = true;
    KANON_TRY(kanon__store_query_number(s, &s->version, "PRAGMA user_version", err), out); /* takes the lock */
    if (write && s->storage == NULL)
        KANON_TRY(remove_aside(s, err), out);
    KANON_TRY(check_size(s, err), out);
    KANON_TRY(check_version(s, s->version, err), out);
out:
    if (st != KANON_OK)
        kanon__store_rollback(s);
    return st;
}

kanon_status kanon__store_commit(kanon__store *s, kanon_error *err)
{
    kanon_status st = kanon__store_run(s, "COMMIT", err);
    if (st == KANON_OK)
        s->in_transaction = false;
    else
        kanon__store_rollback(s);
    return st;
}

/* The step while SQLite commits, and what came of it. */
typedef struct step_call {
    kanon__last_step step;
    void *payload;
    kanon_error *err;
    kanon_status status;
} step_call;

/* Whether the transaction stays. */
static bool call_step(void *payload)
{
    step_call *call = payload;
    bool undone = false;
    call->status = call->step != NULL ? call->step(call->payload, &undone, call->err) : KANON_OK;
    return call->status == KANON_OK || !undone;
}

/* After a failed commit SQLite rolls back when the file is next used: it is used at once. */
static void roll_back_now(kanon__store *s)
{
    kanon_error ignored = KANON_INIT(kanon_error);
    int64_t number;
    kanon__store_rollback(s);
    kanon__store_query_number(s, &number, "SELECT count(*) FROM sqlite_schema", &ignored);
}

/* The bytes are the host's, and so is the transaction: what this call leaves is kept only where the whole call succeeds. */
static kanon_status commit_hosted(kanon__store *s, kanon__last_step step, void *payload, kanon_error *err)
{
    bool undone = false;
    kanon_status st = step != NULL ? step(payload, &undone, err) : KANON_OK;
    if (st == KANON_OK)
        return kanon__store_commit(s, err);
    kanon__store_rollback(s);
    return st;
}

kanon_status kanon__store_commit_with(kanon__store *s, kanon__last_step step, void *payload, kanon_error *err)
{
    if (s->storage != NULL)
        return commit_hosted(s, step, payload, err);
    step_call call = {.step = step, .payload = payload, .err = err};
    kanon_error own = KANON_INIT(kanon_error);
    s->layer->last_step = call_step;
    s->layer->payload = &call;
    s->layer->is_committed = false;
    kanon_status st = kanon__store_run(s, "COMMIT", &own);
    bool called = s->layer->last_step == NULL;
    s->layer->last_step = NULL;
    if (called && (s->layer->is_committed || st == KANON_OK)) { /* the journal is gone, whatever SQLite says */
        s->in_transaction = false;
        if (call.status != KANON_OK)
            kanon__hint(err, call.status, "the change of %s IS made: do not make it again", s->path);
        return call.status;
    }
    roll_back_now(s);
    if (called && call.status != KANON_OK)
        return call.status;
    if (st == KANON_OK && step == NULL) /* nothing was changed */
        return KANON_OK;
    if (st == KANON_OK)
        return kanon__fail(err, KANON_EINTERNAL, "%s was committed without its last step", s->path);
    kanon__error_copy(err, &own);
    return st;
}

void kanon__store_rollback(kanon__store *s)
{
    if (s->in_transaction)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->in_transaction = s->has_views = false;
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

kanon_status kanon__store_run(kanon__store *s, const char *sql, kanon_error *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? KANON_OK : fail_now(s, err);
}

kanon_status kanon__store_prepare(kanon__store *s, sqlite3_stmt **out, const char *sql, kanon_error *err)
{
    *out = NULL;
    if (s->has_views && strchr("DIU", sql[0]) != NULL) /* DELETE, INSERT, UPDATE */
        return KANON_OK;
    return sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) == SQLITE_OK ? KANON_OK
                                                                                                 : fail_now(s, err);
}

kanon_status kanon__store_step(kanon__store *s, sqlite3_stmt *statement, bool *row, kanon_error *err)
{
    int rc = sqlite3_step(statement);
    if (row != NULL)
        *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW)
        return KANON_OK;
    kanon_status st = rc == SQLITE_DONE ? KANON_OK : fail_now(s, err);
    sqlite3_reset(statement);
    return st;
}

bool kanon__store_next(kanon__store *s, sqlite3_stmt *statement, kanon_status *st, kanon_error *err)
{
    bool row;
    *st = kanon__store_step(s, statement, &row, err);
    return *st == KANON_OK && row;
}

kanon_status kanon__store_query_number(kanon__store *s, int64_t *out, const char *sql, kanon_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    kanon_status st = kanon__store_prepare(s, &statement, sql, err);
    if (st == KANON_OK)
        st = kanon__store_step(s, statement, &row, err);
    *out = row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return st;
}
