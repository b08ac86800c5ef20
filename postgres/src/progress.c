/* Progress of refreshes, shown by the view kanon.progress.
 *
 * The server has room for the progress of one command in the entry of each backend, which all sessions can read, and
 * clears it when the command ends or fails. Its own views look for the numbers of their commands; ours is one that the
 * server does not use. So nothing has to be preloaded. What others than the owner see is decided as in the server's
 * views. */
#include "host.h"

#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/acl.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"

#define COMMAND ((ProgressCommandType)0x6b61) /* far beyond those of the server */

enum { PARAM_STAGE, PARAM_DONE, PARAM_TOTAL };

/* Stages by number, because shared memory has room for numbers only. Those of the library, and our own. */
static const char *const stages[] = {"starting", "reading rows",      "writing rows", "reading back", "reading",
                                     "grouping", "grouping a sample", "cutting",      "refining",     "regrouping",
                                     "counting", "measuring",         "writing",      "checking",     "keeping"};

void progress_begin(Oid release)
{
    pgstat_progress_start_command(COMMAND, release);
}

void progress_stage(const char *stage, int64_t done, int64_t total)
{
    for (int i = 0; i < lengthof(stages); i++)
        if (strcmp(stages[i], stage) == 0)
            pgstat_progress_update_param(PARAM_STAGE, i);
    pgstat_progress_update_param(PARAM_DONE, done);
    pgstat_progress_update_param(PARAM_TOTAL, total);
}

void progress_end(void)
{
    pgstat_progress_end_command();
}

SQL_FUNCTION(kanon_progress_rows);

Datum kanon_progress_rows(PG_FUNCTION_ARGS)
{
    ReturnSetInfo *set = (ReturnSetInfo *)fcinfo->resultinfo;
    InitMaterializedSRF(fcinfo, 0);
    int n = pgstat_fetch_stat_numbackends();
    for (int i = 1; i <= n; i++) {
        LocalPgBackendStatus *local = pgstat_fetch_stat_local_beentry(i);
        PgBackendStatus *entry = local == NULL ? NULL : &local->backendStatus;
        Datum values[7] = {0};
        bool nulls[7] = {false};
        if (entry == NULL || entry->st_progress_command != COMMAND)
            continue;
        bool allowed = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
                       has_privs_of_role(GetUserId(), entry->st_userid);
        int64 stage = entry->st_progress_param[PARAM_STAGE];
        values[0] = Int32GetDatum(entry->st_procpid);
        values[1] = ObjectIdGetDatum(entry->st_databaseid);
        nulls[2] = nulls[3] = nulls[4] = nulls[5] = !allowed;
        if (allowed) {
            values[2] = ObjectIdGetDatum(entry->st_progress_command_target);
            values[3] = CStringGetTextDatum(stage >= 0 && stage < lengthof(stages) ? stages[stage] : "working");
            values[4] = Int64GetDatum(entry->st_progress_param[PARAM_DONE]);
            values[5] = Int64GetDatum(entry->st_progress_param[PARAM_TOTAL]);
            nulls[5] = entry->st_progress_param[PARAM_TOTAL] == 0;
        }
        tuplestore_putvalues(set->setResult, set->setDesc, values, nulls);
    }
    return (Datum)0;
}
