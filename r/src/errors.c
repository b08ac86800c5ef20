/* A failed call as a condition: the function raise_failure of the package makes it from status, message, hint and topic. */
#include "host.h"

#include <signal.h>
#include <string.h>

kanon_status fail(kanon_error *err, kanon_status status, const char *message)
{
    *err = (kanon_error){.struct_size = sizeof(kanon_error), .status = status};
    strncpy(err->message, message, sizeof err->message - 1);
    return status;
}

/* The interrupt was taken while the work was stopped. It is sent again, so that R treats it as it treats any other: handlers
 * are called, a script ends. Where R holds interrupts back, the condition kanon_cancelled follows. */
static void interrupt_again(void)
{
    raise(SIGINT);
    R_CheckUserInterrupt();
}

void raise_failure(const kanon_error *err)
{
    if (err->status == KANON_ECANCELLED)
        interrupt_again();
    SEXP name = PROTECT(Rf_mkString("kanon"));
    SEXP find = PROTECT(Rf_lang2(Rf_install("asNamespace"), name));
    SEXP package = PROTECT(Rf_eval(find, R_BaseEnv));
    SEXP message = PROTECT(Rf_ScalarString(utf8(err->message))), hint = PROTECT(Rf_ScalarString(utf8(err->hint)));
    SEXP topic = PROTECT(Rf_ScalarString(utf8(err->topic == NULL ? "" : err->topic)));
    SEXP status = PROTECT(Rf_ScalarInteger((int)err->status));
    SEXP call = PROTECT(Rf_lang5(Rf_install("raise_failure"), status, message, hint, topic));
    Rf_eval(call, package);
    Rf_error("%s", err->message); /* not reached: raise_failure stops */
}

void raise_usage(const char *message, const char *hint)
{
    kanon_error err = KANON_INIT(kanon_error);
    fail(&err, KANON_EINVAL, message);
    strncpy(err.hint, hint, sizeof err.hint - 1);
    raise_failure(&err);
}
