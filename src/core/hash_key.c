/* See hash_key.h: where keys come from. The system's random numbers never block here and may be missing, as in a sandbox
 * that forbids the call and has no devices; then addresses and the clock have to do, which differ from run to run. */
#include "core/hash_key.h"

#include <fcntl.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/random.h>
#endif

static bool ask_system(void *out, size_t size)
{
#ifdef __linux__
    if (getrandom(out, size, GRND_NONBLOCK) == (ssize_t)size)
        return true;
#endif
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool good = read(file, out, size) == (ssize_t)size;
    close(file);
    return good;
}

static void make_do(kanon__hash_key *out)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t hash = (uint64_t)(uintptr_t)out ^ (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec;
    uint64_t *words[] = {&out->first, &out->second, &out->step};
    for (int i = 0; i < 3; i++) {
        hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(uintptr_t)&ask_system;
        *words[i] = hash ^ hash >> 29;
    }
}

void kanon__hash_key_draw(kanon__hash_key *out)
{
    if (!ask_system(out, sizeof *out))
        make_do(out);
    out->step |= 1;
}
