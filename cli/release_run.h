/* A run that ends with a release: what kanon anonymize and kanon improve share, from the options to the last
 * messages. */
#ifndef KANON_CLI_RELEASE_RUN_H
#define KANON_CLI_RELEASE_RUN_H

#include "command.h"
#include "progress.h"

/* What a run holds while it goes on. */
typedef struct release_run {
    const command *self;
    const arguments *args;
    const char *groups; /* where the groups are written; NULL: nowhere */
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
    kanon_measures *measures; /* of `grouping`; NULL: nothing is printed */
    kanon_verdict *verdict;
    kanon_advice *advice;     /* tried, for the report; NULL: there is none */
    char *command;            /* what makes the release again, for the report; NULL: nobody asked */
    progress show;
    bool publishing;
} release_run;

/* Read the table. While standard input or a pipe is read, a signal ends the program at once. Warnings are printed. */
kanon_status release_run_read(release_run *run, const kanon_read_options *reading, kanon_error *err);
/* Add what both commands say to `options`; *refining, which they point to, is freed by the caller in any case. */
kanon_status release_run_options(kanon_options *options, kanon_setting **refining, release_run *run, kanon_error *err);
/* Make the groups. `options` says what only one command says: what to begin with, the algorithm, blocks. */
kanon_status release_run_group(release_run *run, kanon_options options, kanon_error *err);
/* Measure, unless nothing is to be printed, and write all outputs; with --state the state as well. */
kanon_status release_run_publish(release_run *run, kanon_error *err);
/* A figure of the groups; 0 where it was not measured. */
double release_run_figure(const release_run *run, const char *name);
/* The messages at the end: warnings; where a clock or a signal had a part in the groups, how to get them again; and which
 * files there are now. */
void release_run_print_warnings(const release_run *run);
/* What somebody has to look at before the release is given away; with --verbose, every row of the verdict. */
void release_run_print_verdict(const release_run *run);
void release_run_print_repeat(const release_run *run);
void release_run_print_written(const release_run *run);
void release_run_clear(release_run *run);

#endif
