/* Pages with a checksum: a layer between SQLite and the file (a VFS in SQLite's terms).
 *
 *     +-------------------------------------------------+----------+
 *     | 4088 bytes as SQLite wrote them                 | checksum |     one page of 4096 bytes
 *     +-------------------------------------------------+----------+
 *
 * SQLite's file format lets an application reserve bytes at the end of each page. The layer writes the checksum there,
 * and a read of a page whose checksum is wrong fails with SQLITE_IOERR_DATA. So what a faulty disk or another program did
 * to the file is noticed before it is used.
 *
 * The layer also joins a transaction with steps outside of the file (kanon__page_layer.last_step): the moment in which a
 * transaction is committed is that in which its journal goes, and the layer deletes the journal. */
#ifndef KANON_STATE_PAGE_CHECKSUM_H
#define KANON_STATE_PAGE_CHECKSUM_H

#include <kanon.h>
#include <sqlite3.h>

#include <stdbool.h>
#include <stdint.h>

enum { KANON__PAGE_SIZE = 4096, KANON__PAGE_RESERVED = 8 };

/* The layer of one state. SQLite finds layers by name in a list of the process; this one is in the list only while the state
 * is being opened, under a name of its own. */
typedef struct kanon__page_layer {
    sqlite3_vfs vfs;
    char name[40];
    /* The last step of the transaction that is being committed; NULL: none. It is called once, in place of deleting the
     * journal, when all pages are on disk:
     *     1. the journal gets another name, KANON__ASIDE: the transaction is committed, whatever happens to the process;
     *     2. last_step is called, while the file is still locked;
     *     3. where it returns false, the journal gets its name back, and SQLite rolls the transaction back by it;
     *        otherwise it is deleted. */
    bool (*last_step)(void *payload);
    void *payload;
    const kanon_state_storage *storage; /* NULL: the state is a file */
    bool is_committed; /* last_step was called and returned true: the transaction stays */
} kanon__page_layer;

#define KANON__ASIDE "-done" /* after the name of a journal: its transaction is committed */

/* sqlite3_open_v2 through the layer, which must stay where it is until *db is closed. */
int kanon__page_layer_open(kanon__page_layer *layer, const char *path, sqlite3 **db, int flags);
/* Put the sum into a page that stands at byte `offset` of the file; whether it is right. A page of zeros holds nothing and
 * is right without. */
void kanon__page_write_checksum(unsigned char page[KANON__PAGE_SIZE], int64_t offset);
/* Zeros into what is free within the page. */
void kanon__page_clear_free(unsigned char page[KANON__PAGE_SIZE], int64_t offset);
bool kanon__page_checksum_holds(const unsigned char page[KANON__PAGE_SIZE], int64_t offset);

#endif
