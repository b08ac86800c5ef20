/* What the driver of fake_driver.c tells tests, who find these functions in its library by their names. */
#ifndef KANON_TESTS_DRIVERS_FAKE_DRIVER_H
#define KANON_TESTS_DRIVERS_FAKE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#define FAKE_SECRET "hunter2@example.org" /* in every error of the driver */
enum { FAKE_OLD_ROWS = 7 };               /* of the table that a release replaces */

typedef struct fake_state {
    int calls, fail_at; /* 0: no call fails */
    bool damages;       /* what is read back is not what was written */
    bool no_rollback;   /* the driver leaves that out */
    int64_t pending_rows, kept_rows;
    int alive; /* objects, streams, arrays, schemas and errors that were not released */
} fake_state;

void fake_reset(int fail_at, bool damages);
/* Until the next reset the driver has no rollback. */
void fake_forget_rollback(void);
const fake_state *fake_now(void);

#endif
