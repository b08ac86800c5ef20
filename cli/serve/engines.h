/* The engines of kanon serve: each is a process that answers requests of a page, one after the other, in a folder of its
 * own. A process, because it can be stopped at any moment, as a worker of the browser can, and what it held goes with it.
 * Parent and child speak in lines of JSON. Used by http.c; calls bridge.h in the child. */
#ifndef KANON_CLI_ENGINES_H
#define KANON_CLI_ENGINES_H

#include "serve/visit_files.h"

#include <jansson.h>
#include <sys/select.h>
#include <sys/types.h>

enum { MOST_ENGINES = 4 };

typedef struct engine {
    int64_t number; /* given by the page; 0: free */
    pid_t process;  /* 0: none runs */
    int channel;
    char folder[32];  /* its name in the folder of the visit */
    json_t *files;    /* names that its folder has */
    int64_t job;      /* what it works on; 0: nothing */
    json_t *wanted;   /* files that the page wants to have of it */
    json_t *progress; /* the last that it said; NULL: nothing yet */
    json_t *answer;   /* of the job; NULL: not there yet */
    char *text;       /* what was read of the next line */
    size_t length, room;
} engine;

typedef struct engines {
    visit_files *files;
    int threads;
    int64_t last_job;
    engine all[MOST_ENGINES];
} engines;

/* The status of a refusal, as HTTP has it; 0: done. */
typedef int refusal;

/* Begin a job: {"engine": N, "request": {...}, "files": {NAME: NUMBER}, "wanted": [NAME]}. */
refusal engines_ask(engines *self, const json_t *order, int64_t *job);
/* {"progress"} or {"answer", "files"} of a job; NULL: there is no such job. */
json_t *engines_look(engines *self, int64_t job);
/* End the job with the best so far, or at once; the answer of a job that was ended at once never comes. */
refusal engines_finish(engines *self, int64_t job);
refusal engines_stop(engines *self, int64_t job);
/* End an engine, or all of them, with their folders. */
void engines_end(engines *self, int64_t number);
void engines_end_all(engines *self);

/* For the loop of the server: which channels to wait for, and what came over them. */
void engines_wait_for(const engines *self, fd_set *readable, int *highest);
void engines_hear(engines *self, const fd_set *readable);

#endif
