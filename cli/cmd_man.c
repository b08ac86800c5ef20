/* kanon man: the manual pages, from the same tables as the help, so that they cannot differ. "kanon man" is kanon(1),
 * "kanon man check" is kanon-check(1).
 * Run by main.c, mostly in the build; calls the printers of options.c. */
#include "command.h"

#include <ctype.h>

static const char *const examples[] = {"kanon man anonymize > kanon-anonymize.1", NULL};

/* Text for roff: nothing in it is a request or an escape, and dashes stay dashes. */
static void print_roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void print_paragraph(const char *text)
{
    print_roff(text);
    putchar('\n');
}

/* Without a date: equal sources give equal pages. */
static void print_title(const char *name)
{
    fputs(".TH KANON", stdout);
    if (name != NULL) {
        fputs("\\-", stdout);
        for (; *name != '\0'; name++)
            putchar(toupper((unsigned char)*name));
    }
    printf(" 1 \"\" \"kanon %s\" \"User Commands\"\n", kanon_version());
}

static void print_exit_status(void)
{
    fputs(".SH EXIT STATUS\n", stdout);
    for (int status = 0; status < EXIT_COUNT; status++) {
        printf(".TP\n%d\n", status);
        print_paragraph(exit_text(status));
    }
}

static void print_examples(const char *const *lines)
{
    fputs(".SH EXAMPLES\n.nf\n", stdout);
    for (size_t i = 0; lines[i] != NULL; i++)
        print_paragraph(lines[i]);
    fputs(".fi\n", stdout);
}

/* From the same table as the help. */
static void print_options(const command *about)
{
    char left[128];
    fputs(".SH OPTIONS\n", stdout);
    option_walk walk = {.self = about};
    for (const option *opt; (opt = option_next(&walk)) != NULL;) {
        option_syntax(left, sizeof left, opt);
        const char *syntax = left;
        while (*syntax == ' ')
            syntax++;
        fputs(".TP\n.B ", stdout);
        print_paragraph(syntax);
        print_paragraph(opt->brief);
        if (opt->more != NULL)
            print_paragraph(opt->more);
    }
}

static void print_settings(const command *about)
{
    char syntax[256];
    const kanon_setting_info *setting;
    for (size_t i = 0; about->setting != NULL && (setting = about->setting(i)) != NULL; i++) {
        setting_syntax(syntax, sizeof syntax, setting);
        fputs(i == 0 ? ".SH SETTINGS\n.TP\n.B " : ".TP\n.B ", stdout);
        print_paragraph(syntax);
        print_paragraph(setting->help);
    }
}

/* The sections in the order of man-pages(7). */
static void print_command_page(const command *about)
{
    print_title(about->name);
    printf(".SH NAME\nkanon\\-%s \\- %s\n", about->name, about->summary != NULL ? about->summary : "manual pages");
    printf(".SH SYNOPSIS\n.B kanon %s\n", about->name);
    print_paragraph(about->usage);
    fputs(".SH DESCRIPTION\n", stdout);
    print_paragraph(about->description);
    print_options(about);
    print_settings(about);
    print_exit_status();
    print_examples(about->examples);
    fputs(".SH SEE ALSO\n.BR kanon (1),\n.BR kanon\\-schema (5)\n", stdout);
}

/* kanon(1): what the program is, and its commands. */
static void print_main_page(void)
{
    static const char *const lines[] = {
        "kanon sample hospital -o demo",
        "kanon anonymize demo/hospital.csv -s demo/hospital.yaml -k 10 -o release.csv",
        "kanon check release.csv -s demo/hospital.yaml -k 10",
        NULL,
    };
    print_title(NULL);
    fputs(".SH NAME\nkanon \\- k\\-anonymity by clustering\n"
          ".SH SYNOPSIS\n.B kanon\n.I COMMAND\n[\\fIOPTION\\fR]...\n"
          ".SH DESCRIPTION\n"
          "Makes tables k\\-anonymous: in what is released, every record looks like at least k\\-1 others.\n"
          "Data goes to standard output, everything else to standard error.\n"
          ".SH COMMANDS\n",
          stdout);
    for (size_t i = 0; command_at(i) != NULL; i++) {
        if (command_at(i)->summary == NULL)
            continue;
        printf(".TP\n.BR kanon\\-%s (1)\n", command_at(i)->name);
        print_paragraph(command_at(i)->summary);
    }
    print_exit_status();
    print_examples(lines);
    fputs(".SH SEE ALSO\n.BR kanon\\-schema (5)\n", stdout);
}

static int run(const command *self, const arguments *args)
{
    (void)self;
    const command *about = args->operand == NULL ? NULL : command_find(args->operand);
    if (args->operand != NULL && about == NULL)
        return unknown_command(args->operand);
    if (about != NULL)
        print_command_page(about);
    else
        print_main_page();
    return EXIT_DONE;
}

const command command_man = {
    .name = "man",
    .usage = "[COMMAND]",
    .description = "Prints the manual page of COMMAND, or of the whole program, for man(1).",
    .operand = "COMMAND",
    .operand_optional = true,
    .in = IN_OTHERS,
    .examples = examples,
    .run = run,
};
