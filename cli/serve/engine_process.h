/* The child of an engine: answers requests that come over a channel until it is closed. Used by engines.c. */
#ifndef KANON_CLI_ENGINE_PROCESS_H
#define KANON_CLI_ENGINE_PROCESS_H

/* What the parent says besides requests: end the search and keep the best so far. */
enum { ENGINE_FINISH = 'f' };

/* Does not return. */
_Noreturn void engine_process(int channel, const char *folder, int threads);

#endif
