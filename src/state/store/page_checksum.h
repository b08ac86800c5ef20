/* Pages with a checksum: a layer between SQLite and the file (a VFS in SQLite's terms).
 *
 *     +-------------------------------------------------+----------+
 *     | 4088 bytes as SQLite wrote them                 | checksum |     one page of 4096 bytes
 *     +-------------------------------------------------+----------+
 *
 * SQLite's file format lets an application reserve bytes at the end of each page. The layer writes the checksum there,
 * and a read of a page whose checksum is wrong fails with SQLITE_IOERR_DATA. So what a faulty disk or another program did
 * to the file is noticed before it is used. Called by store.c and check_file.c; includes nothing of src/state. */
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
