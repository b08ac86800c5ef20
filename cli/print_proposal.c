/* See print_proposal.h. */
#include "print_proposal.h"

#include "command.h"
#include "paths.h"
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NAMES = 6, LINE = 1000 };

/* "; quasi age, sex, zip and 3 more"; nothing where no column has the role. */
static void add_role(char line[LINE], const kanon_proposal *p, kanon_role role, const char *what)
{
    size_t n = 0, used = strlen(line);
    for (size_t i = 0; i < p->n_columns; i++) {
        if (p->columns[i]->role != role || n++ >= MOST_NAMES)
            continue;
        const char *lead = n > 1 ? "," : used > 0 ? "; " : "";
        used += (size_t)snprintf(line + used, LINE - used, "%s%s %.30s", lead, n > 1 ? "" : what, p->columns[i]->name);
    }
    if (n > MOST_NAMES)
        snprintf(line + used, LINE - used, " and %zu more", n - MOST_NAMES);
}

/* TABLE.yaml beside TABLE.csv. */
static void name_schema(char *out, size_t size, const char *table)
{
    const char *slash = strrchr(table, '/'), *dot = strrchr(table, '.');
    size_t length = dot != NULL && (slash == NULL || dot > slash + 1) && dot != table ? (size_t)(dot - table)
                                                                                      : strlen(table);
    snprintf(out, size, "%.*s.yaml", (int)(length < 400 ? length : 400), table);
}

void print_proposal(const arguments *args)
{
    kanon_proposal *p = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    char line[LINE] = "", schema[420], name[420];
    struct stat file;
    progress show;
    if (args->quiet || args->operand == NULL || stat(args->operand, &file) != 0 || !S_ISREG(file.st_mode))
        return;
    progress_begin(&show, args->quiet);
    kanon_propose_options proposing = {
        .struct_size = sizeof proposing, .threads = (int)args->threads, .tick = progress_tick, .payload = &show};
    signals_catch();
    const kanon_input input = table_at(args->operand, args);
    kanon_status st = kanon_propose(&p, &input, &proposing, &err);
    progress_end(&show);
    if (st == KANON_OK) {
        add_role(line, p, KANON_ROLE_QUASI, "quasi");
        add_role(line, p, KANON_ROLE_SENSITIVE, "sensitive");
        add_role(line, p, KANON_ROLE_INSENSITIVE, "insensitive");
        add_role(line, p, KANON_ROLE_IDENTIFYING, "withheld");
        name_schema(schema, sizeof schema, args->operand);
        snprintf(name, sizeof name, "%.400s", shown(args->operand));
        say("init would propose: %s", line);
        say("to use that: kanon init %s -o %s, read it, then: kanon anonymize %s -s %s -o RELEASE", name, shown(schema),
            name, shown(schema));
    }
    kanon_proposal_free(p);
}
