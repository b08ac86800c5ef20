/* The rows of the group index in the file: pages as blobs, and the log as numbered parts.
 *
 * This file knows where the bytes are, not what they mean: index/index_pages.c and index/index_log.c define the
 * formats. It exists so that the index needs no SQL.
 *
 *     table          row id                   bytes
 *     node_pages     number of a node page    the nodes of KANON__NODES_PER_PAGE neighbouring ids
 *     member_pages   id of a leaf             the members of its groups: a member page
 *     log_parts      number of a log part     the log entries that one command wrote */
#ifndef KANON_STATE_INDEX_ROWS_H
#define KANON_STATE_INDEX_ROWS_H

#include "state/store/store.h"

typedef enum kanon__page_table { KANON__NODE_PAGES = 0, KANON__MEMBER_PAGES, KANON__N_PAGE_TABLES } kanon__page_table;

/* Prepared statements for both tables of pages. An all-zero struct is closed. */
typedef struct kanon__index_rows {
    kanon__store *store;
    sqlite3_stmt *read[KANON__N_PAGE_TABLES], *write[KANON__N_PAGE_TABLES], *erase[KANON__N_PAGE_TABLES];
} kanon__index_rows;

kanon_status kanon__index_rows_open(kanon__index_rows *out, kanon__store *store, kanon_error *err);
void kanon__index_rows_close(kanon__index_rows *rows);

/* The bytes of a row, valid until kanon__index_rows_done; *size is -1 where there is no such row. */
kanon_status kanon__index_rows_read(kanon__index_rows *rows, kanon__page_table table, int64_t id, const void **bytes,
                                    int64_t *size, kanon_error *err);
/* Ends a read, also one that failed. */
void kanon__index_rows_done(kanon__index_rows *rows, kanon__page_table table);
kanon_status kanon__index_rows_write(kanon__index_rows *rows, kanon__page_table table, int64_t id, const void *bytes,
                                     int64_t size, kanon_error *err);
kanon_status kanon__index_rows_erase(kanon__index_rows *rows, kanon__page_table table, int64_t id, kanon_error *err);
/* The highest number of a node page; 0 also where there is none. */
kanon_status kanon__index_rows_last(kanon__index_rows *rows, int64_t *out, kanon_error *err);
/* Deletes all pages and the log. */
kanon_status kanon__index_rows_clear(kanon__index_rows *rows, kanon_error *err);

/* Every part of the log by rising number. */
typedef kanon_status (*kanon__log_part_visitor)(int64_t part, const void *bytes, int64_t size, void *payload,
                                                kanon_error *err);
kanon_status kanon__log_rows_visit(kanon__index_rows *rows, kanon__log_part_visitor visitor, void *payload,
                                   kanon_error *err);
kanon_status kanon__log_rows_append(kanon__index_rows *rows, int64_t part, const void *bytes, int64_t size,
                                    kanon_error *err);
kanon_status kanon__log_rows_clear(kanon__index_rows *rows, kanon_error *err);

#endif
