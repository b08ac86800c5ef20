/* kanon serve: the page in the browser with this program behind it, for tables that are too large for the browser alone. It
 * listens on this machine only, for one visitor, until it is stopped.
 * Run by main.c; calls serve/http.h, serve/served_page.h and progress.c for signals. */
#include "command.h"
#include "progress.h"

#ifdef KANON_SERVE
#include "serve/http.h"
#include "serve/served_page.h"
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

static const char *const examples[] = {
    "kanon serve",
    "kanon serve --port 8080 --threads 2",
    NULL,
};

#ifdef KANON_SERVE

static const char *temporary_folder(void)
{
    const char *said = getenv("TMPDIR");
    return said != NULL && *said != '\0' ? said : "/tmp";
}

/* A table, what is made of it and the release must fit on the disk. */
static int64_t most_bytes(const char *folder)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0)
        return (int64_t)1 << 30;
    return (int64_t)(disk.f_bavail / 4 * disk.f_frsize);
}

static bool told_to_stop(void)
{
    return signals_caught() != 0;
}

/* What is in the way of a server, and what to do about it. */
static void say_why_not(const http_options *serving, int why)
{
    if (why == EADDRINUSE && serving->port != 0)
        say("another program has port %d; leave --port away to get any that is free", serving->port);
    else if (why == EACCES && serving->port != 0 && serving->port < 1024)
        say("port %d is kept for the system; choose one from 1024 on, or leave --port away", serving->port);
    else
        say("the server cannot start (its files go below %s, which TMPDIR names): %s", serving->temporary, strerror(why));
}

static int serve_page(const arguments *args, const char *page)
{
    http_options serving = {
        .page = page,
        .port = (int)args->port,
        .threads = args->threads > 0 ? (int)args->threads : 1,
        .most_bytes = most_bytes(temporary_folder()),
        .temporary = temporary_folder(),
    };
    signals_catch();
    http *server = http_open(&serving);
    if (server == NULL) {
        say_why_not(&serving, errno);
        return EXIT_SYSTEM;
    }
    printf("%s\n", http_address(server));
    fflush(stdout);
    if (!args->quiet)
        say("open this address in a browser on this machine; it works once. Ctrl-C stops the server");
    bool well = http_run(server, told_to_stop);
    http_close(server);
    if (!well)
        say("the server stopped: %s", strerror(errno));
    else if (!args->quiet)
        say("stopped; the files of the visit are removed");
    return well ? EXIT_DONE : EXIT_SYSTEM;
}

static int run(const command *self, const arguments *args)
{
    (void)self;
    char path[PAGE_PATH];
    const char *found = args->page != NULL ? args->page : page_find(path) ? path : NULL;
    char *page = found != NULL ? page_read(found) : NULL;
    if (page == NULL && args->page != NULL) {
        say("%s: no page of kanon can be read there; make web builds one", args->page);
        return EXIT_INPUT;
    }
    if (page == NULL) {
        say("the page is not there; make web builds it, and --page FILE names another one");
        return EXIT_SYSTEM;
    }
    int status = serve_page(args, page);
    free(page);
    return status;
}

#else

static int run(const command *self, const arguments *args)
{
    (void)self;
    (void)args;
    say("this program was built without libmicrohttpd, which kanon serve needs");
    return EXIT_SYSTEM;
}

#endif

const command command_serve = {
    .name = "serve",
    .summary = "serve the web interface on this machine",
    .usage = "[OPTION]...",
    .description =
        "Prints an address of this machine under which a browser shows the page of kanon: open a table, describe its "
        "columns, choose, run, and take the release away. The work is done by this program, so tables may be larger than "
        "a browser can hold. Nobody else can reach the page: it listens on this machine alone, the address works once, "
        "and what was sent is kept in a folder that only you can read until the program ends.",
    .in = IN_SERVE,
    .examples = examples,
    .run = run,
};
