/* What happens when the server loads the extension: its setting, its security labels, its version.
 *
 * Labels say the role of a column: SECURITY LABEL FOR kanon ON COLUMN t.c IS 'quasi'. kanon.define reads them. */
#include "host.h"

#include "catalog/pg_class.h"
#include "commands/seclabel.h"
#include "utils/builtins.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

int kanon_threads = 1;

static const char *const roles[] = {"quasi", "sensitive", "insensitive", "identifying", "entity"};

static void check_label(const ObjectAddress *object, const char *label)
{
    if (object->classId != RelationRelationId || object->objectSubId == 0)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("labels of kanon are for columns")));
    if (label == NULL)
        return;
    for (int i = 0; i < lengthof(roles); i++)
        if (strcmp(roles[i], label) == 0)
            return;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no such role"),
                    errhint("A role is quasi, sensitive, insensitive, identifying or entity.")));
}

extern PGDLLEXPORT void _PG_init(void);

void _PG_init(void)
{
    DefineCustomIntVariable("kanon.threads", "How many threads a refresh may use.",
                            "Threads of the library block all signals and never call the server.", &kanon_threads, 1, 1, 256,
                            PGC_USERSET, 0, NULL, NULL, NULL);
    MarkGUCPrefixReserved("kanon");
    register_label_provider("kanon", check_label);
}

SQL_FUNCTION(kanon_version_text);

Datum kanon_version_text(PG_FUNCTION_ARGS)
{
    PG_RETURN_TEXT_P(cstring_to_text(kanon_version()));
}
