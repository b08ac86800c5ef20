/* Database files that tell about single records: they are for their owner alone from the first byte on, with the
 * journals that stand beside them. */
#ifndef KANON_DATABASE_PRIVATE_FILE_H
#define KANON_DATABASE_PRIVATE_FILE_H

#include <stdbool.h>

/* An empty file with mode 0600, where none is; false: there is one, or it cannot be had. */
bool kanon__private_file_create(const char *path);
/* Do it so that no file that it makes can be opened by others, nor one of the threads that it starts, where the system lets
 * a thread have a mask of its own. Elsewhere it is done as it is: what it makes needs
 * kanon__private_file_close_to_others. */
void kanon__do_privately(void (*errand)(void *payload), void *payload);
void kanon__private_file_close_to_others(const char *path);

#endif
