/* The header against abi.def: what older programs rely on has not moved, and what is new lies behind what they know. That
 * everything in the header has a row is for scripts/check-abi to say. */
#include "support.h"

#include <kanon_arrow.h>

typedef enum row_kind { FIELD, SIZE, NUMBER } row_kind;

typedef struct row {
    row_kind kind;
    const char *version, *owner, *name; /* of a field its struct, which is the owner of a size, too */
    long long pinned, pinned_size, now, now_size;
} row;

static const row rows[] = {
#define KANON_FIELD(version, type, field, at, size)                                                                         \
    {FIELD, #version, #type, #field, at, size, offsetof(type, field), sizeof(((type *)0)->field)},
#define KANON_SIZE(version, type, size) {SIZE, #version, #type, "", size, 0, sizeof(type), 0},
#define KANON_NUMBER(version, name, number) {NUMBER, #version, "", #name, number, 0, (long long)name, 0},
#include "unit/api/abi.def"
};

enum { N_ROWS = sizeof rows / sizeof *rows };

static void nothing_has_moved(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (int i = 0; i < N_ROWS; i++) {
        const row *r = &rows[i];
        bool frozen = strcmp(r->owner, "kanon_setting") == 0;
        bool good = r->kind == SIZE && !frozen ? r->now >= r->pinned : r->now == r->pinned && r->now_size == r->pinned_size;
        if (!good)
            print_error("%s %s: %lld (%lld) since %s, now %lld (%lld)\n", r->owner, r->name, r->pinned, r->pinned_size,
                        r->version, r->now, r->now_size);
        n_wrong += !good;
    }
    assert_int_equal(n_wrong, 0);
}

/* What filled the end of an older struct up was never set by its programs: a field there would have any value. */
static void new_fields_lie_behind_old_structs(void **state)
{
    (void)state;
    for (int i = 0; i < N_ROWS; i++)
        for (int j = i + 1; rows[i].kind == SIZE && j < N_ROWS; j++)
            if (rows[j].kind == FIELD && strcmp(rows[i].owner, rows[j].owner) == 0 && rows[j].pinned < rows[i].pinned)
                fail_msg("%s.%s lies within the struct of version %s", rows[j].owner, rows[j].name, rows[i].version);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_has_moved),
        cmocka_unit_test(new_fields_lie_behind_old_structs),
    };
    if (sizeof(void *) != 8)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
