/* Pages with a checksum. SQLite reads and writes a state through this layer, which puts a sum over each page into the eight
 * bytes that the file format leaves free at its end, and refuses a page whose sum is wrong. So whatever a fault of the disk
 * or another program did to the file is noticed before it is used. */
#ifndef KANON_STATE_PAGE_CHECK_H
#define KANON_STATE_PAGE_CHECK_H

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
void kanon__page_seal(unsigned char page[KANON__PAGE_SIZE], int64_t offset);
bool kanon__page_is_sound(const unsigned char page[KANON__PAGE_SIZE], int64_t offset);

#endif
