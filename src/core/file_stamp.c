/* Compares two answers of stat about a file. */
#include "core/file_stamp.h"

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool kanon__file_stamp_same(const struct stat *before, const struct stat *now)
{
    return now->st_dev == before->st_dev && now->st_ino == before->st_ino && now->st_size == before->st_size &&
           same_time(now->st_mtim, before->st_mtim) &&
           (same_time(now->st_ctim, before->st_ctim) || now->st_nlink != before->st_nlink);
}
