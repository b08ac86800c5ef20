/* kanon audit: what all releases of a state give away together. The exit status is 1 where a joint class is too small.
 * Run by main.c; opens the state through state_command.c. */
#include "progress.h"
#include "state_command.h"

#include <inttypes.h>

static const char *const examples[] = {"kanon audit patients.state", "kanon audit patients.state -k 20", NULL};

enum { WIDTH = 16 };

static void print_number(const char *name, int64_t number)
{
    printf("%-*s %" PRId64 "\n", WIDTH, name, number);
}

/* Sizes and counts of joint classes, one line each; no line contains a value. */
static void print_audit(const kanon_audit *audit)
{
    print_number("releases", audit->releases);
    print_number("records", audit->records);
    print_number("departed", audit->departed);
    print_number("joint_classes", audit->classes);
    print_number("joint_k", audit->smallest);
    print_number("k", audit->k);
    print_number("records_below_k", audit->below);
    print_number("classes_below_k", audit->classes_below);
    for (size_t i = 0; i < audit->n_sizes; i++)
        printf("%-*s %" PRId64 " x %" PRId64 "\n", WIDTH, "class_size", audit->sizes[i]->size, audit->sizes[i]->classes);
    for (size_t i = 0; i < audit->n_figures; i++) { /* they are all distinct_l */
        printf("%-*s %.10g ", WIDTH, "joint_distinct", audit->figures[i]->value);
        print_clean(stdout, audit->figures[i]->attribute);
        putchar('\n');
    }
    if (audit->fewest_entities > 0) {
        print_number("joint_entities", audit->fewest_entities);
        print_number("entities_below_k", audit->entities_below);
    }
}

/* The exit status is 1 where a joint class is smaller than k. */
static int run(const command *self, const arguments *args)
{
    kanon_state *state = NULL;
    kanon_audit *audit = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    progress show;
    int status = EXIT_DONE;
    progress_begin(&show, args->quiet);
    signals_catch();
    kanon_status st = open_state(&state, args, &show, &err);
    if (st == KANON_OK)
        st = kanon_state_audit(&audit, state, args->k, &err);
    err.status = st;
    progress_end_to_print(&show);
    if (st != KANON_OK) {
        status = failed(self, &err);
    } else {
        print_audit(audit);
        if (audit->below > 0) {
            say("%" PRId64 " records can be told from fewer than %" PRId64 " others by someone who has all releases",
                audit->below, audit->k - 1);
            status = EXIT_UNMET;
        }
        if (audit->entities_below > 0) {
            say("%" PRId64 " joint classes hold records of fewer than %" PRId64 " persons", audit->entities_below,
                audit->k);
            status = EXIT_UNMET;
        }
    }
    kanon_audit_free(audit);
    kanon_state_close(state);
    return status;
}

const command command_audit = {
    .name = "audit",
    .summary = "find what all releases of a state give away together",
    .usage = "STATE [-k K] [OPTION]...",
    .description =
        "Prints the sizes of the joint classes: records that shared a group in every recorded release, where not to be "
        "in a release counts as well. Someone who has all releases cannot distinguish the records of a class. The exit "
        "status is 1 where a class is smaller than K. Sizes are in persons if STATE has an entity.",
    .operand = "STATE",
    .in = IN_AUDIT,
    .examples = examples,
    .run = run,
};
