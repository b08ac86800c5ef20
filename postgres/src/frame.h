/* Rows of a query in plain memory, in batches as Arrow has them. source.c fills them, frame.c hands them out. */
#ifndef KANON_POSTGRES_FRAME_H
#define KANON_POSTGRES_FRAME_H

#include "host.h"

#include <stdatomic.h>

enum { BATCH_ROWS = 32768 };

/* One array of a batch. */
typedef struct array {
    int64_t nulls;
    uint8_t *validity; /* NULL: no nulls so far */
    char *values;      /* numbers, bits, or the offsets of texts */
    char *bytes;       /* of texts */
    size_t used, room; /* of `bytes` */
} array;

typedef struct batch {
    struct batch *next;
    int64_t rows;
    array *arrays;
} batch;

typedef struct field {
    char *name;
    char format[32];
    reading reading;
    int scale, width; /* bytes of a value; 0: bits */
} field;

struct frame {
    atomic_int references;
    frame *next; /* in the list of the run */
    run *owner;
    int n;
    field *fields;
    batch *first, *last;
    const batch *given; /* the last one that the stream handed out */
    int64_t rows, bytes;
};

#endif
