/* See private_file.h. The mask of new files belongs to the process, and a library must not change it; on Linux a thread can
 * leave what it shares with the others and have a mask of its own. */
#define _GNU_SOURCE /* unshare */
#include "database/private_file.h"

#include "core/context.h"
#include "core/pool.h"

#include <fcntl.h>
#ifdef __linux__
#include <sched.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

bool kanon__private_file_create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd >= 0 && close(fd) == 0;
}

void kanon__private_file_close_to_others(const char *path)
{
    struct stat file;
    if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && (file.st_mode & 077) != 0)
        chmod(path, 0600);
}

typedef struct private_errand {
    void (*errand)(void *payload);
    void *payload;
    kanon__call *call;
} private_errand;

static void *do_errand(void *argument)
{
    private_errand *e = argument;
#if defined(__linux__) && defined(CLONE_FS)
    if (unshare(CLONE_FS) == 0)
        umask(077);
#endif
    kanon__call_adopt(e->call);
    e->errand(e->payload);
    kanon__call_adopt(NULL);
    return NULL;
}

void kanon__do_privately(void (*errand)(void *payload), void *payload)
{
    private_errand e = {errand, payload, kanon__call_now()};
    pthread_t thread;
    if (kanon__call_threads() == 0 && kanon__pool_start_helper(&thread, do_errand, &e))
        pthread_join(thread, NULL);
    else
        errand(payload);
}
