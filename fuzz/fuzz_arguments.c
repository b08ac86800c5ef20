/* Any bytes as a command line: words with zeros between them, run by the program's own main in a folder with a
 * table, a schema, groups, a release and a state. It ends with one of its exit statuses, says something where it
 * fails, and prints no control characters. Words with a slash are left out, so that nothing outside of the folder is
 * touched; numbers that only say how long to work are cut. */
#define _GNU_SOURCE
#include "fuzz_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

int kanon_program_main(int argc, char **argv);

enum { MOST_WORDS = 24 };

static int home, standard_error, said,
    nowhere; /* the first folder; the real one; where the program's words go; /dev/null */

static void begin(void)
{
    size_t size;
    struct rlimit room = {1 << 20, 1 << 20};
    (void)small_state(&size);
    (void)fuzz_path("");
    home = open(".", O_RDONLY);
    require(home >= 0 && setrlimit(RLIMIT_FSIZE, &room) == 0);
    signal(SIGXFSZ, SIG_IGN);
    standard_error = dup(STDERR_FILENO);
    said = memfd_create("said", 0);
    nowhere = open("/dev/null", O_RDWR);
    require(standard_error >= 0 && said >= 0 && nowhere >= 0);
}

/* The folder as every input finds it. */
static void set_the_table(void)
{
    static const char release[] = "age,born,job,zip,ill\n[31..36],*,Health,10*,flu\n[31..36],*,Health,10*,gout\n";
    static const char groups[] = "row,group\n1,1\n2,1\n3,1\n4,2\n5,2\n6,2\n7,3\n8,3\n";
    static const char more[] = "id,age,born,job,zip,ill\n20,35,1986-01-01,nurse,103,gout\n";
    size_t size;
    const uint8_t *state = small_state(&size);
    DIR *folder = opendir(".");
    require(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, "made.state") != 0 && entry->d_name[0] != '.' && unlink(entry->d_name) != 0)
            remove_directory(entry->d_name);
    closedir(folder);
    write_file("t.csv", small_table, strlen(small_table));
    write_file("s.yaml", small_schema, strlen(small_schema));
    write_file("r.csv", release, strlen(release));
    write_file("g.csv", groups, strlen(groups));
    write_file("d.csv", more, strlen(more));
    write_file("x.state", state, size);
}

/* Digits beyond the third of a run of them, in words that say how long to work. */
static void shorten(char *word)
{
    size_t digits = 0, out = 0;
    for (size_t i = 0; word[i] != '\0'; i++) {
        digits = word[i] >= '0' && word[i] <= '9' ? digits + 1 : 0;
        if (digits <= 3 && word[i] != 'e' && word[i] != 'E')
            word[out++] = word[i];
    }
    word[out] = '\0';
}

static bool takes_long(const char *word)
{
    static const char *const words[] = {"moves", "time", "rows", "wait", "max-", "start", "round", "iter", "count",
                                        "mo",    "ti",   "ro",   "wa",   "--m",  "--t",   "--r",   "--w",  "threads"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(word, words[i]) != NULL)
            return true;
    return false;
}

static void check_words(int status)
{
    char text[1 << 16];
    ssize_t n = pread(said, text, sizeof text - 1, 0);
    require(n >= 0 && status >= 0 && status <= 4);
    text[n] = '\0';
    require(status == 0 || status == 1 || n > 0);
    for (ssize_t i = 0; i < n; i++)
        require(text[i] == '\n' || (unsigned char)text[i] >= ' ');
    require(ftruncate(said, 0) == 0 && lseek(said, 0, SEEK_SET) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool begun;
    char *words[MOST_WORDS + 2] = {0}, *bytes = malloc(size + 1);
    int n = 0;
    bool slow = false;
    if (!begun)
        begin();
    begun = true;
    require(bytes != NULL);
    memcpy(bytes, data, size);
    bytes[size] = '\0';
    words[n++] = (char[]){"kanon"};
    for (char *word = bytes; word <= bytes + size && n <= MOST_WORDS; word += strlen(word) + 1) {
        if (strchr(word, '/') != NULL || strstr(word, "best") != NULL)
            continue;
        if (slow || takes_long(word))
            shorten(word);
        slow = takes_long(word);
        words[n++] = word;
    }
    require(chdir(fuzz_folder) == 0);
    set_the_table();
    fflush(stdout);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    if (getenv("FUZZ_SHOWS") == NULL)
        dup2(said, STDERR_FILENO);
    int status = kanon_program_main(n, words);
    fflush(stderr);
    dup2(nowhere, STDOUT_FILENO);
    dup2(standard_error, STDERR_FILENO);
    clearerr(stdout);
    require(fchdir(home) == 0);
    check_words(status);
    free(bytes);
    return 0;
}
