/* Arrow streams as columns of R.
 *
 * Schema and batches belong to a handle while R's vectors are made, because making them may jump. What the release does not
 * show is null, and becomes NA. */
#include "host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct batches {
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray *at;
    size_t n, room;
} batches;

void batches_free(void *object)
{
    batches *b = object;
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i].release != NULL)
            b->at[i].release(&b->at[i]);
    free(b->at);
    if (b->schema.release != NULL)
        b->schema.release(&b->schema);
    if (b->stream.release != NULL)
        b->stream.release(&b->stream);
    free(b);
}

static int64_t batches_rows(const batches *b)
{
    int64_t rows = 0;
    for (size_t i = 0; i < b->n; i++)
        rows += b->at[i].length;
    return rows;
}

/* ---- cells ---- */

static int is_valid(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *bits = a->n_buffers > 0 ? a->buffers[0] : NULL;
    i += a->offset;
    return bits == NULL || (bits[i / 8] >> (i % 8) & 1);
}

static int64_t whole_at(const struct ArrowArray *a, char format, int64_t i)
{
    const void *values = a->buffers[1];
    i += a->offset;
    switch (format) {
    case 'c':
        return ((const int8_t *)values)[i];
    case 'C':
        return ((const uint8_t *)values)[i];
    case 's':
        return ((const int16_t *)values)[i];
    case 'S':
        return ((const uint16_t *)values)[i];
    case 'i':
        return ((const int32_t *)values)[i];
    case 'I':
        return ((const uint32_t *)values)[i];
    default:
        return ((const int64_t *)values)[i];
    }
}

/* Two's complement of 16 bytes, low half first. */
static double decimal_at(const struct ArrowArray *a, int scale, int64_t i)
{
    uint64_t half[2];
    memcpy(half, (const char *)a->buffers[1] + 16 * (i + a->offset), sizeof half);
    int negative = half[1] >> 63;
    if (negative) {
        half[0] = ~half[0] + 1;
        half[1] = ~half[1] + (half[0] == 0);
    }
    long double number = ((long double)half[1] * 18446744073709551616.0L + (long double)half[0]) / powl(10.0L, scale);
    return (double)(negative ? -number : number);
}

static SEXP text_at(const struct ArrowArray *a, const char *format, int64_t i)
{
    i += a->offset;
    if (format[0] == 'v') { /* views: 12 bytes or fewer stand in the view itself */
        const char *view = (const char *)a->buffers[1] + 16 * i;
        int32_t part[4];
        memcpy(part, view, sizeof part);
        const char *from = part[0] <= 12 ? view + 4 : (const char *)a->buffers[2 + part[2]] + part[3];
        return Rf_mkCharLenCE(from, part[0], CE_UTF8);
    }
    const char *bytes = a->buffers[2];
    if (format[0] == 'U') {
        const int64_t *ends = (const int64_t *)a->buffers[1] + i;
        return Rf_mkCharLenCE(bytes == NULL ? "" : bytes + ends[0], (int)(ends[1] - ends[0]), CE_UTF8);
    }
    const int32_t *ends = (const int32_t *)a->buffers[1] + i;
    return Rf_mkCharLenCE(bytes == NULL ? "" : bytes + ends[0], ends[1] - ends[0], CE_UTF8);
}

/* ---- columns ---- */

/* A column: its arrays, one for each batch, or the one of a dictionary. */
typedef struct arrays {
    struct ArrowArray **at;
    size_t n;
    int64_t rows;
} arrays;

#define EACH_CELL(c, array, cell, place)                                                                                    \
    for (int64_t part_ = 0, place = 0; part_ < (int64_t)(c)->n; part_++)                                                    \
        for (int64_t cell = 0; cell < (c)->at[part_]->length; cell++, place++)                                              \
            for (const struct ArrowArray *array = (c)->at[part_]; array != NULL; array = NULL)

static SEXP logical_column(const arrays *c)
{
    SEXP out = PROTECT(Rf_allocVector(LGLSXP, (R_xlen_t)c->rows));
    int *values = LOGICAL(out);
    EACH_CELL(c, a, i, at)
    {
        int64_t bit = i + a->offset;
        values[at] = is_valid(a, i) ? ((const uint8_t *)a->buffers[1])[bit / 8] >> (bit % 8) & 1 : NA_LOGICAL;
    }
    UNPROTECT(1);
    return out;
}

static SEXP none_column(const arrays *c)
{
    SEXP out = Rf_allocVector(LGLSXP, (R_xlen_t)c->rows);
    for (int64_t i = 0; i < c->rows; i++)
        LOGICAL(out)[i] = NA_LOGICAL;
    return out;
}

/* Whether a column of whole numbers is exact as int, as double, or only as text. */
static SEXPTYPE whole_type(const arrays *c, char format)
{
    const int64_t exact = INT64_C(9007199254740992);
    SEXPTYPE type = strchr("cCsSi", format) != NULL ? INTSXP : REALSXP;
    EACH_CELL(c, a, i, at)
    {
        if (!is_valid(a, i))
            continue;
        int64_t value = whole_at(a, format, i);
        if (type == INTSXP && value == NA_INTEGER)
            type = REALSXP;
        if (value > exact || value < -exact)
            return STRSXP;
    }
    return type;
}

static SEXP whole_column(const arrays *c, char format)
{
    SEXPTYPE type = whole_type(c, format);
    SEXP out = PROTECT(Rf_allocVector(type, (R_xlen_t)c->rows));
    char text[24];
    EACH_CELL(c, a, i, at)
    {
        int valid = is_valid(a, i);
        int64_t value = valid ? whole_at(a, format, i) : 0;
        if (type == INTSXP)
            INTEGER(out)[at] = valid ? (int)value : NA_INTEGER;
        else if (type == REALSXP)
            REAL(out)[at] = valid ? (double)value : NA_REAL;
        else {
            if (format == 'L')
                snprintf(text, sizeof text, "%llu", (unsigned long long)value);
            else
                snprintf(text, sizeof text, "%lld", (long long)value);
            SET_STRING_ELT(out, (R_xlen_t)at, valid ? Rf_mkChar(text) : NA_STRING);
        }
    }
    UNPROTECT(1);
    return out;
}

static SEXP integer64_column(const arrays *c)
{
    SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)c->rows));
    EACH_CELL(c, a, i, at)
    {
        int64_t value = is_valid(a, i) ? whole_at(a, 'l', i) : INT64_MIN;
        memcpy(&REAL(out)[at], &value, sizeof value);
    }
    SEXP class = PROTECT(Rf_mkString("integer64"));
    Rf_setAttrib(out, R_ClassSymbol, class);
    UNPROTECT(2);
    return out;
}

static SEXP real_column(const arrays *c, const char *format)
{
    int scale = 0, precision;
    if (format[0] == 'd')
        sscanf(format, "d:%d,%d", &precision, &scale);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)c->rows));
    double *values = REAL(out);
    EACH_CELL(c, a, i, at)
    {
        if (!is_valid(a, i))
            values[at] = NA_REAL;
        else if (format[0] == 'd')
            values[at] = decimal_at(a, scale, i);
        else
            values[at] = format[0] == 'f' ? (double)((const float *)a->buffers[1])[i + a->offset]
                                          : ((const double *)a->buffers[1])[i + a->offset];
    }
    UNPROTECT(1);
    return out;
}

static SEXP date_column(const arrays *c, const char *format)
{
    const int64_t per_day = format[2] == 'm' ? INT64_C(86400000) : 1;
    SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)c->rows));
    EACH_CELL(c, a, i, at)
    {
        REAL(out)[at] = is_valid(a, i) ? floor((double)whole_at(a, per_day == 1 ? 'i' : 'l', i) / (double)per_day) : NA_REAL;
    }
    SEXP class = PROTECT(Rf_mkString("Date"));
    Rf_setAttrib(out, R_ClassSymbol, class);
    UNPROTECT(2);
    return out;
}

static SEXP time_column(const arrays *c, const char *format)
{
    const int64_t units = format[2] == 's' ? 1 : format[2] == 'm' ? 1000 : format[2] == 'u' ? 1000000 : 1000000000;
    SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)c->rows));
    EACH_CELL(c, a, i, at)
    {
        int64_t value = is_valid(a, i) ? whole_at(a, 'l', i) : 0;
        int64_t second = value / units - (value % units < 0), rest = value - second * units;
        REAL(out)[at] = is_valid(a, i) ? (double)second + (double)rest / (double)units : NA_REAL;
    }
    SEXP class = PROTECT(Rf_allocVector(STRSXP, 2));
    SET_STRING_ELT(class, 0, Rf_mkChar("POSIXct"));
    SET_STRING_ELT(class, 1, Rf_mkChar("POSIXt"));
    Rf_setAttrib(out, R_ClassSymbol, class);
    SEXP zone = PROTECT(Rf_mkString(format[4] == '\0' ? "UTC" : format + 4));
    Rf_setAttrib(out, Rf_install("tzone"), zone);
    UNPROTECT(3);
    return out;
}

static SEXP text_column(const arrays *c, const char *format)
{
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)c->rows));
    EACH_CELL(c, a, i, at)
    {
        SET_STRING_ELT(out, (R_xlen_t)at, is_valid(a, i) ? text_at(a, format, i) : NA_STRING);
    }
    UNPROTECT(1);
    return out;
}

static SEXP plain_column(const arrays *c, const char *format);

/* Texts become a factor. Entries of other types are looked up: R has no factors of numbers. */
static SEXP dictionary_column(const arrays *c, const struct ArrowSchema *s)
{
    arrays entries = {&c->at[0]->dictionary, c->n > 0, c->n > 0 ? c->at[0]->dictionary->length : 0};
    SEXP levels = PROTECT(plain_column(&entries, s->dictionary->format));
    SEXP codes = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)c->rows));
    EACH_CELL(c, a, i, at)
    {
        INTEGER(codes)[at] = is_valid(a, i) ? (int)whole_at(a, s->format[0], i) + 1 : NA_INTEGER;
    }
    SEXP out;
    if (TYPEOF(levels) == STRSXP) {
        int ordered = (s->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
        SEXP class = PROTECT(Rf_mkString("factor"));
        if (ordered) {
            class = PROTECT(Rf_allocVector(STRSXP, 2));
            SET_STRING_ELT(class, 0, Rf_mkChar("ordered"));
            SET_STRING_ELT(class, 1, Rf_mkChar("factor"));
        }
        Rf_setAttrib(codes, R_LevelsSymbol, levels);
        Rf_setAttrib(codes, R_ClassSymbol, class);
        UNPROTECT(ordered ? 2 : 1);
        out = codes;
    } else {
        SEXP call = PROTECT(Rf_lang3(Rf_install("["), levels, codes));
        out = Rf_eval(call, R_BaseEnv);
        UNPROTECT(1);
    }
    UNPROTECT(2);
    return out;
}

static SEXP plain_column(const arrays *c, const char *format)
{
    if (format[0] == 'n')
        return none_column(c);
    if (format[0] == 'b')
        return logical_column(c);
    if (strncmp(format, "td", 2) == 0)
        return date_column(c, format);
    if (strncmp(format, "ts", 2) == 0)
        return time_column(c, format);
    if (format[0] == 'f' || format[0] == 'g' || format[0] == 'd')
        return real_column(c, format);
    if (format[0] == 'u' || format[0] == 'U' || format[0] == 'v')
        return text_column(c, format);
    return whole_column(c, format[0]);
}

static int is_named(SEXP names, const char *name)
{
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return 1;
    return 0;
}

static SEXP columns_of(const batches *b, SEXP whole)
{
    int64_t n = b->schema.n_children;
    SEXP list = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)n)), names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)n));
    for (int64_t i = 0; i < n; i++) {
        const struct ArrowSchema *s = b->schema.children[i];
        arrays c = {(struct ArrowArray **)R_alloc(b->n + 1, sizeof *c.at), b->n, batches_rows(b)};
        for (size_t j = 0; j < b->n; j++)
            c.at[j] = b->at[j].children[i];
        SET_STRING_ELT(names, (R_xlen_t)i, utf8(s->name));
        SET_VECTOR_ELT(list, (R_xlen_t)i,
                       s->dictionary != NULL && b->n > 0                   ? dictionary_column(&c, s)
                       : s->format[0] == 'l' && is_named(whole, s->name) ? integer64_column(&c)
                                                                           : plain_column(&c, s->format));
    }
    Rf_setAttrib(list, R_NamesSymbol, names);
    UNPROTECT(2);
    return list;
}

/* 0, or an errno of the stream. */
static int read_batches(batches *b)
{
    int failed = b->stream.get_schema(&b->stream, &b->schema);
    while (failed == 0) {
        if (b->n == b->room) {
            b->room = 2 * b->room + 8;
            struct ArrowArray *grown = realloc(b->at, b->room * sizeof *grown);
            if (grown == NULL)
                return -1;
            b->at = grown;
        }
        memset(&b->at[b->n], 0, sizeof *b->at);
        failed = b->stream.get_next(&b->stream, &b->at[b->n]);
        if (failed != 0 || b->at[b->n].release == NULL)
            break;
        b->n++;
    }
    return failed;
}

SEXP batches_new(void)
{
    SEXP handle = PROTECT(handle_new(&BATCHES));
    batches *b = calloc(1, sizeof *b);
    if (b == NULL)
        raise_failure(&(kanon_error){.status = KANON_ENOMEM, .message = "out of memory"});
    handle_set(handle, b);
    UNPROTECT(1);
    return handle;
}

struct ArrowArrayStream *batches_stream(SEXP handle)
{
    return &((batches *)handle_get(handle, &BATCHES))->stream;
}

SEXP frame_of(SEXP handle, SEXP whole)
{
    batches *b = handle_get(handle, &BATCHES);
    if (read_batches(b) != 0) {
        kanon_error err = KANON_INIT(kanon_error);
        const char *why = b->stream.get_last_error(&b->stream);
        fail(&err, KANON_EIO, why == NULL ? "the stream cannot be read" : why);
        handle_clear(handle);
        raise_failure(&err);
    }
    SEXP list = PROTECT(columns_of(b, whole));
    handle_clear(handle);
    UNPROTECT(1);
    return list;
}

/* A stream as a named list of columns, on the main thread. */
SEXP r_stream_frame(SEXP stream, SEXP whole)
{
    int foreign;
    SEXP handle = PROTECT(batches_new());
    stream_take(batches_stream(handle), stream, &foreign);
    SEXP list = frame_of(handle, whole);
    UNPROTECT(1);
    return list;
}
