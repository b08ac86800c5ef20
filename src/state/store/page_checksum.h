/* Pages with a checksum. SQLite reads and writes a state through this layer, which puts a sum over each page into the eight
 * bytes that the file format leaves free at its end, and refuses a page whose sum is wrong. So whatever a fault of the disk
 * or another program did to the file is noticed before it is used. */
#ifndef KANON_STATE_PAGE_CHECKSUM_H
#define KANON_STATE_PAGE_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

enum { KANON__PAGE_SIZE = 4096, KANON__PAGE_RESERVED = 8 };

/* The layer's name for sqlite3_open_v2; NULL where SQLite could not take it in. */
const char *kanon__checksum_vfs_name(void);
/* Put the sum into a page that stands at byte `offset` of the file; whether it is right. A page of zeros holds nothing and
 * is right without. */
void kanon__page_write_checksum(unsigned char page[KANON__PAGE_SIZE], int64_t offset);
bool kanon__page_checksum_holds(const unsigned char page[KANON__PAGE_SIZE], int64_t offset);

#endif
