/* See old_format.h. docs/state-store.md lists the names of both formats. */
#include "state/store/old_format.h"

#include <stdio.h>

static const char renames[] = "ALTER TABLE nodes RENAME TO node_pages;"
                              "ALTER TABLE crowds RENAME TO member_pages;"
                              "ALTER TABLE changes RENAME TO log_parts;"
                              "ALTER TABLE spells RENAME TO membership_history;"
                              "ALTER TABLE departed RENAME TO departed_records;"
                              "ALTER TABLE departed_records RENAME COLUMN secrets TO hashes;"
                              "ALTER TABLE wishes RENAME TO requirements;"
                              "ALTER TABLE persons RENAME TO entity_index;"
                              "ALTER TABLE tallies RENAME COLUMN place TO code;";

static const char views[] = "CREATE TEMP VIEW node_pages AS SELECT * FROM main.nodes;"
                            "CREATE TEMP VIEW member_pages AS SELECT * FROM main.crowds;"
                            "CREATE TEMP VIEW log_parts AS SELECT * FROM main.changes;"
                            "CREATE TEMP VIEW membership_history AS SELECT * FROM main.spells;"
                            "CREATE TEMP VIEW departed_records AS SELECT id, shown, since, until, secrets AS hashes "
                            "FROM main.departed;"
                            "CREATE TEMP VIEW requirements AS SELECT * FROM main.wishes;"
                            "CREATE TEMP VIEW entity_index AS SELECT * FROM main.persons;"
                            "CREATE TEMP VIEW tallies AS SELECT dimension, place AS code, n FROM main.tallies;";

kanon_status kanon__old_format_bring_up(kanon__store *s, bool write, kanon_error *err)
{
    char version[64];
    if (!write) {
        s->has_views = true;
        return kanon__store_run(s, views, err);
    }
    snprintf(version, sizeof version, "PRAGMA user_version = %d", KANON__STATE_VERSION);
    KANON_CHECK(kanon__store_run(s, renames, err));
    KANON_CHECK(kanon__store_run(s, version, err));
    s->version = KANON__STATE_VERSION;
    return KANON_OK;
}
