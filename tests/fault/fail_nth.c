/* A library to preload: it makes the n-th call of one kind fail, in the whole process, whoever makes it: the
 * program, SQLite, libyaml, jansson or the C library's own streams. tests/fault/run_faults.py drives it through the
 * environment:
 *
 *     FAIL_KIND    which calls are counted: memory, open, read, write, sync, rename, unlink, truncate, map, thread,
 *                  stat, lock; or short-read, short-write: the call succeeds, but moves one byte only
 *     FAIL_AT      the number of the call that fails, from 1; 0: none, calls are only counted
 *     FAIL_SIGNAL  the number of a signal that the process sends itself before that call, which then does not fail
 *     FAIL_STAYS   set: every call from then on fails as well, as on a disk that is full and stays so
 *     FAIL_COUNTS  a file that gets how many calls of each kind were made, one "kind number" per line
 *
 * What goes to standard error never fails, so that the message can be checked. Nothing here allocates. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
    MEMORY,
    OPEN,
    READ,
    WRITE,
    SYNC,
    RENAME,
    UNLINK,
    TRUNCATE,
    MAP,
    THREAD,
    STAT,
    LOCK,
    SHORT_READ,
    SHORT_WRITE,
    N_KINDS
};

static const struct {
    const char *name;
    int error;
} kinds[N_KINDS] = {
    [MEMORY] = {"memory", ENOMEM},    [OPEN] = {"open", EMFILE},
    [READ] = {"read", EIO},           [WRITE] = {"write", ENOSPC},
    [SYNC] = {"sync", EIO},           [RENAME] = {"rename", EIO},
    [UNLINK] = {"unlink", EIO},       [TRUNCATE] = {"truncate", EIO},
    [MAP] = {"map", ENOMEM},          [THREAD] = {"thread", EAGAIN},
    [STAT] = {"stat", EIO},           [LOCK] = {"lock", EIO},
    [SHORT_READ] = {"short-read", 0}, [SHORT_WRITE] = {"short-write", 0},
};

static atomic_long counts[N_KINDS];
static int wanted = -1; /* the kind that fails; -1: none */
static long wanted_at;
static int stays, ready, signal_number;

/* Counts a call and says whether it is to fail. Calls before the constructor below and after the destructor are left
 * alone. */
static int fails(enum kind kind)
{
    if (!ready)
        return 0;
    long number = atomic_fetch_add(&counts[kind], 1) + 1;
    if ((int)kind != wanted || wanted_at == 0 || (stays ? number < wanted_at : number != wanted_at))
        return 0;
    if (signal_number != 0) {
        kill(getpid(), signal_number);
        return 0;
    }
    if (kinds[kind].error != 0)
        errno = kinds[kind].error;
    return 1;
}

/* The function that would have been called. */
static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("FAIL_KIND"), *at = getenv("FAIL_AT"), *signal_text = getenv("FAIL_SIGNAL");
    for (int i = 0; kind != NULL && i < N_KINDS; i++)
        if (strcmp(kind, kinds[i].name) == 0)
            wanted = i;
    wanted_at = at != NULL ? atol(at) : 0;
    signal_number = signal_text != NULL ? atoi(signal_text) : 0;
    stays = getenv("FAIL_STAYS") != NULL;
    ready = 1;
}

__attribute__((destructor)) static void end(void)
{
    char line[64];
    const char *path = getenv("FAIL_COUNTS");
    ready = 0;
    long fd = path != NULL ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    for (int i = 0; fd >= 0 && i < N_KINDS; i++) {
        int length = snprintf(line, sizeof line, "%s %ld\n", kinds[i].name, atomic_load(&counts[i]));
        syscall(SYS_write, fd, line, length);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* glibc's own names, because dlsym itself may allocate */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails(MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *memory = memalign(alignment, size);
    if (memory == NULL)
        return ENOMEM;
    *out = memory;
    return 0;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* The third argument is there where a file may be made. */
#define MODE_OF(flags, last)                                                                                           \
    va_list args;                                                                                                      \
    va_start(args, last);                                                                                              \
    int mode = ((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE ? va_arg(args, int) : 0;                     \
    va_end(args)

int open(const char *path, int flags, ...)
{
    MODE_OF(flags, flags);
    return fails(OPEN) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_OF(flags, flags);
    return fails(OPEN) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
    MODE_OF(flags, flags);
    return fails(OPEN) ? -1 : (int)syscall(SYS_openat, directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...)
{
    MODE_OF(flags, flags);
    return fails(OPEN) ? -1 : (int)syscall(SYS_openat, directory, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*call)(const char *, const char *) = real("fopen");
    return fails(OPEN) ? NULL : call(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    FILE *(*call)(const char *, const char *) = real("fopen64");
    return fails(OPEN) ? NULL : call(path, mode);
}

int mkstemp(char *name)
{
    int (*call)(char *) = real("mkstemp");
    return fails(OPEN) ? -1 : call(name);
}

int mkostemp(char *name, int flags)
{
    int (*call)(char *, int) = real("mkostemp");
    return fails(OPEN) ? -1 : call(name, flags);
}

int mkdir(const char *path, mode_t mode)
{
    return fails(OPEN) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

/* ---- reading and writing ----------------------------------------------------------------------------------------- */

ssize_t read(int fd, void *bytes, size_t size)
{
    if (fails(READ))
        return -1;
    return syscall(SYS_read, fd, bytes, size > 1 && fails(SHORT_READ) ? 1 : size);
}

static ssize_t read_at(int fd, void *bytes, size_t size, off_t offset)
{
    if (fails(READ))
        return -1;
    return syscall(SYS_pread64, fd, bytes, size > 1 && fails(SHORT_READ) ? 1 : size, offset);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    return read_at(fd, bytes, size, offset);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset)
{
    return read_at(fd, bytes, size, offset);
}

size_t fread(void *bytes, size_t size, size_t n, FILE *file)
{
    size_t (*call)(void *, size_t, size_t, FILE *) = real("fread");
    return fails(READ) ? 0 : call(bytes, size, n, file);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    if (fd == STDERR_FILENO)
        return syscall(SYS_write, fd, bytes, size);
    if (fails(WRITE))
        return -1;
    return syscall(SYS_write, fd, bytes, size > 1 && fails(SHORT_WRITE) ? 1 : size);
}

static ssize_t write_at(int fd, const void *bytes, size_t size, off_t offset)
{
    if (fails(WRITE))
        return -1;
    return syscall(SYS_pwrite64, fd, bytes, size > 1 && fails(SHORT_WRITE) ? 1 : size, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    return write_at(fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    return write_at(fd, bytes, size, offset);
}

/* Streams write with the C library's inner calls; a flush of what is in their buffers fails here. */
int fflush(FILE *file)
{
    int (*call)(FILE *) = real("fflush");
    return file != NULL && file != stderr && __fpending(file) > 0 && fails(WRITE) ? EOF : call(file);
}

int fclose(FILE *file)
{
    int (*call)(FILE *) = real("fclose");
    int failed = __fpending(file) > 0 && fails(WRITE), error = errno, result = call(file);
    if (failed)
        errno = error;
    return failed ? EOF : result;
}

int ftruncate(int fd, off_t size)
{
    return fails(TRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return fails(TRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int posix_fallocate(int fd, off_t offset, off_t size)
{
    int (*call)(int, off_t, off_t) = real("posix_fallocate");
    return fails(TRUNCATE) ? ENOSPC : call(fd, offset, size);
}

int posix_fallocate64(int fd, off64_t offset, off64_t size)
{
    int (*call)(int, off64_t, off64_t) = real("posix_fallocate64");
    return fails(TRUNCATE) ? ENOSPC : call(fd, offset, size);
}

int fsync(int fd)
{
    return fails(SYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return fails(SYNC) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int link(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int unlink(const char *path)
{
    return fails(UNLINK) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int stat(const char *path, struct stat *out)
{
    return fails(STAT) ? -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0);
}

int lstat(const char *path, struct stat *out)
{
    return fails(STAT) ? -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *out)
{
    return fails(STAT) ? -1 : (int)syscall(SYS_fstat, fd, out);
}

int stat64(const char *path, struct stat64 *out)
{
    return fails(STAT) ? -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0);
}

int lstat64(const char *path, struct stat64 *out)
{
    return fails(STAT) ? -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

int fstat64(int fd, struct stat64 *out)
{
    return fails(STAT) ? -1 : (int)syscall(SYS_fstat, fd, out);
}

/* ---- locks, maps, threads ---------------------------------------------------------------------------------------- */

static int control(int fd, int command, void *argument)
{
    int locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    /* giving a lock back never fails */
    if (locks && ((struct flock *)argument)->l_type != F_UNLCK && fails(LOCK))
        return -1;
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

int fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    return control(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    return control(fd, command, argument);
}

int flock(int fd, int operation)
{
    return (operation & LOCK_UN) == 0 && fails(LOCK) ? -1 : (int)syscall(SYS_flock, fd, operation);
}

void *mmap(void *place, size_t size, int protection, int flags, int fd, off_t offset)
{
    return fails(MAP) ? MAP_FAILED : (void *)syscall(SYS_mmap, place, size, protection, flags, fd, offset);
}

void *mmap64(void *place, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return fails(MAP) ? MAP_FAILED : (void *)syscall(SYS_mmap, place, size, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *payload)
{
    int (*call)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = real("pthread_create");
    return fails(THREAD) ? EAGAIN : call(thread, attributes, start, payload);
}
