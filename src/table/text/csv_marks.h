/* Where the bytes of a CSV are that may need more than to be passed over: the delimiter, the quote, control characters (line
 * breaks and NUL are some) and bytes outside ASCII. Some kB are looked at together, so that who walks along a row finds the
 * next place in a list.
 *
 *     bytes      4 2 , " 5 , M a i n   S t " , B o n n \n
 *     offsets    2 3 5 13 14 19 */
#ifndef KANON_TABLE_CSV_MARKS_H
#define KANON_TABLE_CSV_MARKS_H

#include <stddef.h>
#include <stdint.h>

enum { KANON__MARKED_BYTES = 4096 }; /* that are looked at together, at most */
enum { KANON__MARKS_AT_ONCE = 16 };  /* offsets are written in steps of so many */

typedef struct kanon__marks {
    const char *begin, *end; /* the bytes that were looked at */
    size_t wanted;           /* how many come next; for the caller */
    int n, next;             /* marks in them; the first one that was not visited */
    uint16_t offsets[KANON__MARKED_BYTES + KANON__MARKS_AT_ONCE];
} kanon__marks;

/* Ways to find the same marks: a later one needs more of the processor. */
typedef enum kanon__marks_way { KANON__MARKS_PLAIN, KANON__MARKS_SSE2, KANON__MARKS_AVX2 } kanon__marks_way;

/* The last way that this processor has; it has those before it, too. */
kanon__marks_way kanon__marks_best(void);
/* Mark the n bytes from `begin` on. */
void kanon__marks_find(kanon__marks *out, const char *begin, size_t n, char delimiter, kanon__marks_way way);

#endif
