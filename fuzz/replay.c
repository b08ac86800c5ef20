/* Feeds every file of the directories (or files) given to a fuzz target, in the order of their names: what fuzzing found
 * stays tested where there is no fuzzer. The name is printed before each input: the last one printed is to blame. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "replay: cannot %s %s\n", what, path);
    exit(1);
}

static void replay_file(const char *path, size_t size)
{
    /* As many bytes as the input has, so that a sanitizer sees a read past its end. */
    uint8_t *data = malloc(size > 0 ? size : 1);
    FILE *file = fopen(path, "rb");
    if (data == NULL || file == NULL || fread(data, 1, size, file) != size)
        fail("read", path);
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_directory(const char *dir)
{
    struct dirent **entries = NULL;
    int n = scandir(dir, &entries, is_visible, alphasort), n_replayed = 0;
    if (n < 0)
        fail("list", dir);
    for (int i = 0; i < n; i++) {
        char path[4096];
        struct stat info;
        int length = snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        if (length < 0 || (size_t)length >= sizeof path || stat(path, &info) != 0)
            fail("find", entries[i]->d_name);
        if (S_ISREG(info.st_mode)) {
            replay_file(path, (size_t)info.st_size);
            n_replayed++;
        }
        free(entries[i]);
    }
    free(entries);
    return n_replayed;
}

int main(int argc, char **argv)
{
    int n_replayed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) != 0)
            fail("find", argv[i]);
        if (S_ISDIR(info.st_mode)) {
            n_replayed += replay_directory(argv[i]);
        } else {
            replay_file(argv[i], (size_t)info.st_size);
            n_replayed++;
        }
    }
    printf("%d inputs\n", n_replayed);
    return n_replayed > 0 ? 0 : 1;
}
