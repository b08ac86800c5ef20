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

#include <sqlite3.h>

#include <stdbool.h>
#include <stdint.h>

enum { KANON__PAGE_SIZE = 4096, KANON__PAGE_RESERVED = 8 };

/* The layer of one state. SQLite finds layers by name in a list of the process; this one is in the list only while the state
 * is being opened, under a name of its own. */
typedef struct kanon__page_layer {
    sqlite3_vfs vfs;
    char name[40];
} kanon__page_layer;

/* sqlite3_open_v2 through the layer, which must stay where it is until *db is closed. */
int kanon__page_layer_open(kanon__page_layer *layer, const char *path, sqlite3 **db, int flags);
/* Put the sum into a page that stands at byte `offset` of the file; whether it is right. A page of zeros holds nothing and
 * is right without. */
void kanon__page_write_checksum(unsigned char page[KANON__PAGE_SIZE], int64_t offset);
bool kanon__page_checksum_holds(const unsigned char page[KANON__PAGE_SIZE], int64_t offset);

#endif
