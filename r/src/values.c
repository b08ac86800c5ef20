/* R values as options of the library, and what the library gives as R values. */
#include "host.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- in ---- */

SEXP item(SEXP list, const char *name)
{
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(list, i);
    return R_NilValue;
}

const char *text_of(SEXP value)
{
    if (Rf_isNull(value))
        return NULL;
    if (TYPEOF(value) != STRSXP || Rf_xlength(value) != 1 || STRING_ELT(value, 0) == NA_STRING)
        raise_usage("an option must be one text", "");
    return Rf_translateCharUTF8(STRING_ELT(value, 0));
}

const char *path_of(SEXP value)
{
    const char *path = text_of(value);
    if (path == NULL)
        return NULL;
    const char *expanded = R_ExpandFileName(Rf_translateChar(STRING_ELT(value, 0)));
    char *copy = R_alloc(strlen(expanded) + 1, 1); /* R keeps one buffer for all paths */
    return strcpy(copy, expanded);
}

static void __attribute__((noreturn)) raise_named(const char *what, const char *name)
{
    char message[120];
    snprintf(message, sizeof message, "%s %s", name, what);
    raise_usage(message, "");
}

const char *item_text(SEXP list, const char *name)
{
    SEXP value = item(list, name);
    if (!Rf_isNull(value) && (TYPEOF(value) != STRSXP || Rf_xlength(value) != 1 || STRING_ELT(value, 0) == NA_STRING))
        raise_named("must be one text", name);
    return text_of(value);
}

double item_number(SEXP list, const char *name)
{
    SEXP value = item(list, name);
    if (Rf_isNull(value))
        return 0;
    double number = Rf_xlength(value) == 1 && (Rf_isNumeric(value) || Rf_isLogical(value)) ? Rf_asReal(value) : NAN;
    if (!isfinite(number))
        raise_named("must be one number", name);
    return number;
}

int64_t item_whole(SEXP list, const char *name)
{
    const double most = 9007199254740992.0; /* 2^53: from here on a double skips whole numbers */
    double number = item_number(list, name);
    if (number != floor(number) || fabs(number) > most)
        raise_named("must be a whole number", name);
    return (int64_t)number;
}

kanon_setting *settings_of(SEXP named, size_t *n)
{
    *n = (size_t)Rf_xlength(named);
    if (*n == 0)
        return NULL;
    SEXP names = Rf_getAttrib(named, R_NamesSymbol);
    if (TYPEOF(named) != STRSXP || Rf_isNull(names))
        raise_usage("settings must have names", "");
    kanon_setting *at = (kanon_setting *)R_alloc(*n, sizeof *at);
    for (size_t i = 0; i < *n; i++) {
        at[i].name = Rf_translateCharUTF8(STRING_ELT(names, (R_xlen_t)i));
        at[i].value = Rf_translateCharUTF8(STRING_ELT(named, (R_xlen_t)i));
    }
    return at;
}

/* ---- out ---- */

SEXP utf8(const char *text)
{
    return text == NULL ? NA_STRING : Rf_mkCharCE(text, CE_UTF8);
}

SEXP text_vector(const char *const *texts, size_t n)
{
    SEXP vector = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)n));
    for (size_t i = 0; i < n; i++)
        SET_STRING_ELT(vector, (R_xlen_t)i, utf8(texts[i]));
    UNPROTECT(1);
    return vector;
}

SEXP notices_of(notice_at *at, const void *object, int notes)
{
    R_xlen_t n = 0, next = 0;
    for (size_t i = 0; at(object, i) != NULL; i++)
        n += (at(object, i)->kind == KANON_NOTICE_NOTE) == notes;
    SEXP vector = PROTECT(Rf_allocVector(STRSXP, n));
    for (size_t i = 0; at(object, i) != NULL; i++)
        if ((at(object, i)->kind == KANON_NOTICE_NOTE) == notes)
            SET_STRING_ELT(vector, next++, utf8(at(object, i)->text));
    UNPROTECT(1);
    return vector;
}

SEXP private_notices(notice_at *at, const void *object)
{
    int n = 0;
    while (at(object, (size_t)n) != NULL && at(object, (size_t)n)->kind == KANON_NOTICE_PRIVACY)
        n++;
    return Rf_ScalarInteger(n);
}

SEXP list_new(const char *first, ...)
{
    va_list more;
    R_xlen_t n = 0;
    va_start(more, first);
    for (const char *name = first; name != NULL; name = va_arg(more, const char *))
        n++;
    va_end(more);
    SEXP list = PROTECT(Rf_allocVector(VECSXP, n)), names = PROTECT(Rf_allocVector(STRSXP, n));
    va_start(more, first);
    const char *name = first;
    for (R_xlen_t i = 0; i < n; i++, name = va_arg(more, const char *))
        SET_STRING_ELT(names, i, Rf_mkChar(name));
    va_end(more);
    Rf_setAttrib(list, R_NamesSymbol, names);
    UNPROTECT(2);
    return list;
}

SEXP figure_frame(const kanon_figure *const *figures, size_t n)
{
    SEXP list = PROTECT(list_new("name", "column", "value", "formula", NULL));
    SEXP name = Rf_allocVector(STRSXP, (R_xlen_t)n);
    SET_VECTOR_ELT(list, 0, name);
    SEXP column = Rf_allocVector(STRSXP, (R_xlen_t)n);
    SET_VECTOR_ELT(list, 1, column);
    SEXP value = Rf_allocVector(REALSXP, (R_xlen_t)n);
    SET_VECTOR_ELT(list, 2, value);
    SEXP formula = Rf_allocVector(STRSXP, (R_xlen_t)n);
    SET_VECTOR_ELT(list, 3, formula);
    for (size_t i = 0; i < n; i++) {
        SET_STRING_ELT(name, (R_xlen_t)i, utf8(figures[i]->name));
        SET_STRING_ELT(column, (R_xlen_t)i, utf8(figures[i]->attribute));
        REAL(value)[i] = isnan(figures[i]->value) ? NA_REAL : figures[i]->value;
        SET_STRING_ELT(formula, (R_xlen_t)i, utf8(figures[i]->formula));
    }
    UNPROTECT(1);
    return list;
}

SEXP measure_frame(const kanon_measures *measures)
{
    size_t n = 0;
    while (kanon_measures_at(measures, n) != NULL)
        n++;
    const kanon_figure **figures = (const kanon_figure **)R_alloc(n + 1, sizeof *figures);
    for (size_t i = 0; i < n; i++)
        figures[i] = kanon_measures_at(measures, i);
    return figure_frame(figures, n);
}

SEXP verdict_frame(const kanon_verdict *verdict)
{
    R_xlen_t n = 0;
    while (kanon_verdict_at(verdict, (size_t)n) != NULL)
        n++;
    SEXP list = PROTECT(list_new("row", "heading", "mark", "sentence", "asked", NULL)), texts[4];
    for (int i = 0; i < 4; i++) {
        texts[i] = Rf_allocVector(STRSXP, n);
        SET_VECTOR_ELT(list, i, texts[i]);
    }
    SEXP asked = Rf_allocVector(LGLSXP, n);
    SET_VECTOR_ELT(list, 4, asked);
    for (R_xlen_t i = 0; i < n; i++) {
        const kanon_verdict_row *row = kanon_verdict_at(verdict, (size_t)i);
        const char *const cells[] = {row->name, row->heading, kanon_enum_text(KANON_ENUM_MARK, (int)row->mark), row->sentence};
        for (int column = 0; column < 4; column++)
            SET_STRING_ELT(texts[column], i, utf8(cells[column]));
        LOGICAL(asked)[i] = row->asked != 0;
    }
    UNPROTECT(1);
    return list;
}

/* ---- bytes ---- */

static int byte_sink_write(const void *bytes, size_t size, void *payload)
{
    byte_sink *s = payload;
    if (size > s->room - s->n) {
        size_t room = 2 * s->room + size + 4096;
        char *grown = realloc(s->bytes, room);
        if (grown == NULL)
            return ENOMEM;
        s->bytes = grown;
        s->room = room;
    }
    memcpy(s->bytes + s->n, bytes, size);
    s->n += size;
    return 0;
}

byte_sink *byte_sink_new(const char *name)
{
    byte_sink *s = calloc(1, sizeof *s);
    if (s == NULL)
        raise_failure(&(kanon_error){.status = KANON_ENOMEM, .message = "out of memory"});
    s->sink = (kanon_sink){.struct_size = sizeof(kanon_sink), .name = name, .write = byte_sink_write, .payload = s};
    return s;
}

void byte_sink_free(void *sink)
{
    byte_sink *s = sink;
    free(s->bytes);
    free(s);
}

SEXP byte_sink_raw(const byte_sink *s)
{
    SEXP raw = Rf_allocVector(RAWSXP, (R_xlen_t)s->n);
    if (s->n > 0)
        memcpy(RAW(raw), s->bytes, s->n);
    return raw;
}
