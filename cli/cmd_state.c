/* kanon state: prints what a state holds: columns, constraints, releases and history. Changes nothing.
 * Run by main.c; opens the state through state_command.c. */
#include "progress.h"
#include "state_command.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const char *const examples[] = {"kanon state patients.state", NULL};

enum { WIDTH = 14 };

static void print_text(const char *name, const char *text)
{
    if (text == NULL || *text == '\0')
        return;
    printf("%-*s ", WIDTH, name);
    for (; *text != '\0'; text++)
        if (*text != '\n')
            putchar(*text);
        else if (text[1] != '\0')
            putchar(' ');
    putchar('\n');
}

static void print_number(const char *name, int64_t number)
{
    printf("%-*s %" PRId64 "\n", WIDTH, name, number);
}

/* UTC, so that it reads the same everywhere. */
static const char *time_text(char buffer[32], int64_t seconds)
{
    time_t when = (time_t)seconds;
    struct tm parts;
    if (gmtime_r(&when, &parts) == NULL || strftime(buffer, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        snprintf(buffer, 32, "-");
    return buffer;
}

/* One line per release, the oldest first. */
static void print_releases(const kanon_state_info *info)
{
    char when[32];
    for (size_t i = 0; i < info->n_releases; i++) {
        const kanon_state_release_info *r = info->releases[i];
        printf("%-*s %" PRId64 " %s: %" PRId64 " records in %" PRId64 " groups, k %" PRId64, WIDTH, "release", r->number,
               time_text(when, r->time), r->records, r->groups, r->k);
        if (!isnan(r->loss))
            printf(", average loss %.4f", r->loss);
        if (r->joint_k > 0)
            printf(", joint k %" PRId64 ", %" PRId64 " withheld", r->joint_k, r->withheld);
        if (r->sha256 == NULL || r->sha256[0] == '\0') {
            puts(", the changes alone");
            continue;
        }
        fputs(", sha256 ", stdout);
        print_clean(stdout, r->sha256);
        putchar('\n');
    }
}

/* One line per command that changed the state. */
static void print_history(const kanon_state_info *info)
{
    char when[32];
    for (size_t i = 0; i < info->n_history; i++) {
        const kanon_state_event *e = info->history[i];
        printf("%-*s %" PRId64 " %s: ", WIDTH, "history", e->number, time_text(when, e->time));
        print_clean(stdout, e->command != NULL ? e->command : "-");
        printf(", %" PRId64 " records in %" PRId64 " groups", e->records, e->groups);
        if (e->detail != NULL && *e->detail != '\0') {
            fputs(" (", stdout);
            print_clean(stdout, e->detail);
            putchar(')');
        }
        putchar('\n');
    }
}

/* The constraints, and what the least protected group reaches of each. */
static void print_constraints(const kanon_state_info *info)
{
    for (size_t i = 0; i < info->n_constraints; i++) {
        printf("%-*s ", WIDTH, "keeps");
        print_clean(stdout, info->constraints[i]->sentence);
        printf(" (asked %.6g, reached %.6g)\n", info->constraints[i]->asked, info->constraints[i]->reached);
    }
    print_text("entity", info->entity);
    if (info->entity_together)
        printf("%-*s all records of an entity are in one group\n", WIDTH, "keeps");
    if (info->most_suppressed >= 0)
        print_number("may_suppress", info->most_suppressed);
}

/* All that kanon_state_describe says, one line each. */
static void print_info(const kanon_state_info *info)
{
    print_number("records", info->records);
    print_number("groups", info->groups);
    print_number("suppressed", info->suppressed);
    print_number("k", info->k);
    print_number("k_asked", info->k_asked);
    if (info->joint_k > 0)
        print_number("joint_k_asked", info->joint_k);
    else
        print_text("joint_k_asked", info->joint_k == KANON_JOINT_K_OFF ? "off" : "off (made by an older version)");
    print_constraints(info);
    print_number("columns", info->columns);
    print_number("quasi", info->quasi);
    print_number("departed", info->departed);
    printf("%-*s %.10g\n", WIDTH, "avg_loss", info->loss);
    if (!isnan(info->drift))
        printf("%-*s %.4f on a sample of %" PRId64 " records\n", WIDTH, "drift", info->drift, info->drift_records);
    print_text("algorithm", info->algorithm);
    print_number("revision", info->revision);
    print_text("settings", info->settings);
    print_text("refinement", info->refinement);
    if (info->blocks > 0)
        print_number("blocks", info->blocks);
    printf("%-*s %" PRIu64 "\n", WIDTH, "seed", info->seed);
    print_text("made_by", info->program);
    print_releases(info);
    print_history(info);
    printf("%-*s sound\n", WIDTH, "file");
}

/* Describing a state checks it as a whole, so a damaged file is reported here. */
static int run(const command *self, const arguments *args)
{
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    progress show;
    int status = EXIT_DONE;
    progress_begin(&show, args->quiet);
    signals_catch();
    kanon_status st = open_state(&state, args, &show, &err);
    if (st == KANON_OK)
        st = kanon_state_describe(&info, state, &err);
    err.status = st;
    progress_end_to_print(&show);
    if (st == KANON_OK)
        print_info(info);
    else
        status = failed(self, &err);
    kanon_state_info_free(info);
    kanon_state_close(state);
    return status;
}

const command command_state = {
    .name = "state",
    .summary = "check a state and say what is in it",
    .usage = "STATE [OPTION]...",
    .description =
        "Checks every page, record and group of STATE and prints what it holds: counts, settings, releases, history, "
        "and how far the groups have drifted from what a fresh run would make. Exit status 3 where the file is "
        "damaged.",
    .operand = "STATE",
    .in = IN_STATE,
    .examples = examples,
    .run = run,
};
