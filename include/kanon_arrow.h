/* kanon in memory: tables and releases as Arrow streams.
 *
 * The structs are those of the Arrow C data and C stream interfaces (arrow.apache.org, "The Arrow C data interface" and "The
 * Arrow C stream interface"), under their canonical guards, so that this header can stand next to any other that declares
 * them. Nothing of Arrow is linked.
 *
 *     kanon_table_read(&table, KANON_STREAM(&stream), schema, NULL, &err);
 *     kanon_anonymize(&grouping, table, &options, &err);
 *     kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_STREAM(&released)};
 *     kanon_publish(table, grouping, &outputs, &err);
 *
 * Conventions, for every function below:
 * - A stream that comes in is moved: it is marked as released when the function returns, and what it held is released
 * exactly
 *   once, also where the function fails. It is read on the calling thread, before the function returns.
 * - A stream that goes out belongs to the caller, who releases it. It holds references of its own and outlives the table and
 *   the grouping that it was made of. Its callbacks return errno; get_last_error says more. */
#ifndef KANON_ARROW_H
#define KANON_ARROW_H

#include <kanon.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* A table in a stream of record batches (kanon_input.stream). Columns: bool, integers, float 32 and 64, decimal128, utf8,
 * large utf8, string view, dictionaries of these, date32, date64, timestamps and null; KANON_EDATA names a column of any
 * other type. Null and NaN mean "no value", as the missing texts of the schema do. A number is read as its shortest
 * decimal text, a date as YYYY-MM-DD, a timestamp as ISO 8601, so the same table in a CSV file gives the same groups.
 * Values are not copied: the table keeps the batches. */

/* A release in a stream that is checked or evaluated: null means any value in a quasi column, and no value in others; where
 * one of NAME_min and NAME_max is null, an open end. */

/* A release as a stream (kanon_output.stream): the columns of the table in order without the identifying ones. Quasi
 * columns: numbers and dates as kanon_outputs.numeric says, categories as dictionary<int32, utf8>; a suppressed cell is
 * null. With bands, NAME_min and NAME_max are the first and the last number of the bands, of decimals the first number that
 * is not in them; one null beside a number is an open end; KANON_EINVAL where the type of the column cannot hold an end
 * exactly. All other columns as they were. The buffers are complete when the function returns, and were checked by code of
 * their own: every group has at least k records and satisfies the constraints, every cell covers its original, and columns
 * that are kept are equal to those of the table.
 *
 * Kept columns take nothing else with them. Dictionaries have one list of entries for all batches, those that released
 * records use, and wider indices if that list needs them. Slices, columns with nulls, bool columns and text views are
 * copied. An array of numbers or texts that is used whole (no offset, as long as its batch, no null) is not copied: the
 * stream refers to its buffers. The interface does not say how large buffers are; what a producer leaves in them behind the
 * last value is in the buffers of the stream, too. The tick is called with the stages "writing" and "checking". The caller's
 * struct must be released (or never used) when it comes in; it is filled when all of the call has succeeded.
 *
 * Of a state the columns have the types that it knows, numbers and dates in quasi columns, text in columns that are kept.
 * The checksum that is recorded is that of the release as CSV. */

/* How a release differs from the one before it, for a host that keeps the rows of the last one and knows of each in which
 * group it was. The numbers of groups are for the host alone: whoever reads several releases would follow groups by them. */
typedef struct kanon_release_changes {
    int whole;              /* the stream has the whole release: all rows of the last one go, and `removed` is empty */
    int64_t n_removed;      /* groups of the last release whose rows go, all of them */
    const int64_t *removed; /* ascending; a group may come again, with the same number and other rows */
    int64_t n_rows;
    const int64_t *group_of; /* of each row of the stream, in its order */
} kanon_release_changes;

KANON_API void kanon_release_changes_free(kanon_release_changes *changes);

/* kanon_state_release, to a stream, of what has changed since the last release: the rows of the groups that changed, as a
 * release of everything would have them, and which groups go. All other rows are as they were, so the last release without
 * the rows that go and with those that come is what kanon_state_release would give, but for the order. The rows of the
 * stream are checked as those of any release; that the other groups have at least k records is counted in the index of
 * groups, and that the groups of the stream have the members that the file knows is looked up there. Change.changed is the
 * number of rows. Where no row comes, the stream is left released.
 *
 * The state must have been opened with kanon_state_options.watch before the first change since the last release: what a
 * group was is not in the file. Where that is not so, another process has changed the state, joint-k is not off, the
 * constraints compare with the whole table, columns have bands, suppressed records are others than before, or more than half
 * of the records are in groups that changed, the release is a whole one, and `whole` says so. A release of changes has
 * neither a checksum nor a loss in the list of releases. options->outputs has a release that is a stream, and nothing
 * else. */
KANON_API kanon_status kanon_state_release_changes(kanon_release_changes **out, kanon_state *state,
                                                   const kanon_change_options *options, kanon_change *change,
                                                   kanon_error *err);

#ifdef __cplusplus
}
#endif
#endif
