/* Data frames as Arrow streams of one batch.
 *
 * Values are copied: data.table changes vectors in place, and R's own vectors must not be touched by a thread that frees a
 * table. So the stream is plain C and may be read and released on any thread. While it is filled it belongs to a handle,
 * because reading R's vectors may jump. Buffers belong to a frame with a count of references: the stream's and one for each
 * array that was handed out, since a consumer may release children one by one. */
#include "host.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

typedef struct column {
    char *name, *format;
    int64_t length, nulls, flags;
    uint8_t *validity; /* NULL: no nulls */
    void *values;      /* numbers, indices or bits; of texts the offsets */
    char *bytes;       /* of texts; NULL: not a column of texts */
    struct column *dictionary;
} column;

typedef struct frame {
    atomic_int references;
    int64_t rows, n;
    column *columns;
    int given; /* the batch was handed out */
} frame;

/* ---- memory ---- */

static void column_clear(column *c)
{
    free(c->name);
    free(c->format);
    free(c->validity);
    free(c->values);
    free(c->bytes);
    if (c->dictionary != NULL)
        column_clear(c->dictionary);
    free(c->dictionary);
}

static void frame_drop(frame *f)
{
    if (atomic_fetch_sub(&f->references, 1) > 1)
        return;
    for (int64_t i = 0; i < f->n; i++)
        column_clear(&f->columns[i]);
    free(f->columns);
    free(f);
}

static void *take(size_t n, size_t size)
{
    void *memory = calloc(n == 0 ? 1 : n, size);
    if (memory == NULL)
        raise_failure(&(kanon_error){.status = KANON_ENOMEM, .message = "out of memory for a copy of the data frame"});
    return memory;
}

static char *copy_text(const char *text)
{
    return strcpy(take(strlen(text) + 1, 1), text);
}

/* ---- the stream's callbacks, which know nothing of R ---- */

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release != NULL)
            s->children[i]->release(s->children[i]);
        free(s->children[i]);
    }
    if (s->dictionary != NULL && s->dictionary->release != NULL)
        s->dictionary->release(s->dictionary);
    free(s->dictionary);
    free(s->children);
    free((char *)s->format);
    free((char *)s->name);
    s->release = NULL;
}

static int fill_schema(struct ArrowSchema *out, const column *c)
{
    memset(out, 0, sizeof *out);
    out->release = release_schema;
    out->format = strdup(c->format);
    out->name = strdup(c->name == NULL ? "" : c->name);
    out->flags = ARROW_FLAG_NULLABLE | c->flags;
    if (c->dictionary != NULL) {
        out->dictionary = calloc(1, sizeof *out->dictionary);
        if (out->dictionary == NULL || fill_schema(out->dictionary, c->dictionary) != 0)
            return ENOMEM;
    }
    return out->format == NULL || out->name == NULL ? ENOMEM : 0;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    frame *f = stream->private_data;
    int failed = fill_schema(out, &(column){.format = "+s"});
    out->children = calloc((size_t)f->n + 1, sizeof *out->children);
    for (int64_t i = 0; !failed && i < f->n; i++) {
        struct ArrowSchema *child = out->children == NULL ? NULL : calloc(1, sizeof *child);
        failed = child == NULL;
        if (child != NULL) {
            out->children[out->n_children++] = child;
            failed = fill_schema(child, &f->columns[i]);
        }
    }
    if (failed)
        release_schema(out);
    return failed ? ENOMEM : 0;
}

typedef struct holder {
    frame *owner;
    const void *buffers[3];
} holder;

static void release_array(struct ArrowArray *a)
{
    holder *h = a->private_data;
    for (int64_t i = 0; i < a->n_children; i++) {
        if (a->children[i]->release != NULL)
            a->children[i]->release(a->children[i]);
        free(a->children[i]);
    }
    if (a->dictionary != NULL && a->dictionary->release != NULL)
        a->dictionary->release(a->dictionary);
    free(a->dictionary);
    free(a->children);
    frame_drop(h->owner);
    free(h);
    a->release = NULL;
}

static int fill_array(struct ArrowArray *out, const column *c, frame *f)
{
    memset(out, 0, sizeof *out);
    holder *h = calloc(1, sizeof *h);
    if (h == NULL)
        return ENOMEM;
    *h = (holder){f, {c->validity, c->values, c->bytes}};
    atomic_fetch_add(&f->references, 1);
    out->length = c->length;
    out->null_count = c->nulls;
    out->n_buffers = c->bytes != NULL ? 3 : c->values != NULL ? 2 : 1;
    out->buffers = h->buffers;
    out->private_data = h;
    out->release = release_array;
    if (c->dictionary != NULL) {
        out->dictionary = calloc(1, sizeof *out->dictionary);
        if (out->dictionary == NULL)
            return ENOMEM;
        return fill_array(out->dictionary, c->dictionary, f);
    }
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    frame *f = stream->private_data;
    memset(out, 0, sizeof *out);
    if (f->given)
        return 0;
    f->given = 1;
    int failed = fill_array(out, &(column){.length = f->rows}, f);
    if (failed)
        return failed;
    out->children = calloc((size_t)f->n + 1, sizeof *out->children);
    for (int64_t i = 0; !failed && i < f->n; i++) {
        struct ArrowArray *child = out->children == NULL ? NULL : calloc(1, sizeof *child);
        failed = child == NULL;
        if (child != NULL) {
            out->children[out->n_children++] = child;
            failed = fill_array(child, &f->columns[i], f);
        }
    }
    if (failed)
        release_array(out);
    return failed ? ENOMEM : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "out of memory";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    frame_drop(stream->private_data);
    stream->release = NULL;
}

/* ---- columns of R ---- */

static void set_null(column *c, int64_t row)
{
    if (c->validity == NULL) {
        c->validity = take((size_t)(c->length + 7) / 8, 1);
        memset(c->validity, 0xff, (size_t)(c->length + 7) / 8);
    }
    c->validity[row / 8] &= (uint8_t) ~(1u << (row % 8));
    c->nulls++;
}

static void fail_column(const column *c, const char *what, const char *hint) __attribute__((noreturn));

static void fail_column(const column *c, const char *what, const char *hint)
{
    kanon_error err = {.status = KANON_EDATA};
    snprintf(err.message, sizeof err.message, "column %s %s", c->name, what);
    snprintf(err.hint, sizeof err.hint, "%s", hint);
    raise_failure(&err);
}

static void read_logical(column *c, SEXP vector)
{
    c->format = copy_text("b");
    uint8_t *bits = c->values = take((size_t)(c->length + 7) / 8, 1);
    for (int64_t i = 0; i < c->length; i++) {
        int value = LOGICAL_ELT(vector, (R_xlen_t)i);
        if (value == NA_LOGICAL)
            set_null(c, i);
        else if (value)
            bits[i / 8] |= (uint8_t)(1u << (i % 8));
    }
}

static void read_integer(column *c, SEXP vector)
{
    c->format = copy_text("i");
    int32_t *values = c->values = take((size_t)c->length, sizeof *values);
    INTEGER_GET_REGION(vector, 0, (R_xlen_t)c->length, values);
    for (int64_t i = 0; i < c->length; i++)
        if (values[i] == NA_INTEGER) {
            values[i] = 0;
            set_null(c, i);
        }
}

/* NA is null; NaN stays what it is, and means "no value" to the library as well. */
static void read_double(column *c, SEXP vector)
{
    c->format = copy_text("g");
    double *values = c->values = take((size_t)c->length, sizeof *values);
    REAL_GET_REGION(vector, 0, (R_xlen_t)c->length, values);
    for (int64_t i = 0; i < c->length; i++)
        if (R_IsNA(values[i])) {
            values[i] = 0;
            set_null(c, i);
        }
}

/* bit64: the bits of an int64 in a double. */
static void read_integer64(column *c, SEXP vector)
{
    c->format = copy_text("l");
    int64_t *values = c->values = take((size_t)c->length, sizeof *values);
    for (int64_t i = 0; i < c->length; i++) {
        double bits = REAL_ELT(vector, (R_xlen_t)i);
        memcpy(&values[i], &bits, sizeof bits);
        if (values[i] == INT64_MIN) {
            values[i] = 0;
            set_null(c, i);
        }
    }
}

/* A number of either kind as a double; NA where there is none. */
static double number_at(SEXP vector, int64_t i)
{
    if (TYPEOF(vector) == REALSXP)
        return REAL_ELT(vector, (R_xlen_t)i);
    int value = INTEGER_ELT(vector, (R_xlen_t)i);
    return value == NA_INTEGER ? NA_REAL : value;
}

static void read_date(column *c, SEXP vector)
{
    c->format = copy_text("tdD");
    int32_t *values = c->values = take((size_t)c->length, sizeof *values);
    for (int64_t i = 0; i < c->length; i++) {
        double day = floor(number_at(vector, i));
        if (!isfinite(day))
            set_null(c, i);
        else if (fabs(day) > INT32_MAX)
            fail_column(c, "has a date that is out of range", "");
        else
            values[i] = (int32_t)day;
    }
}

/* Whole seconds stay whole. Parts of seconds are kept as nanoseconds: microseconds would not give the double back. */
static int64_t time_units(SEXP vector, int64_t n)
{
    const double ends = 9.2e9; /* seconds: what an int64 of nanoseconds reaches */
    int parts = 0, far = 0;
    for (int64_t i = 0; i < n; i++) {
        double time = number_at(vector, i);
        parts = parts || (isfinite(time) && time != floor(time));
        far = far || (isfinite(time) && fabs(time) > ends);
    }
    return !parts ? 1 : far ? 1000000 : 1000000000;
}

static void read_time(column *c, SEXP vector)
{
    const double most = 9e11; /* seconds: before the year 30000 */
    int64_t units = time_units(vector, c->length);
    c->format = copy_text(units == 1 ? "tss:UTC" : units == 1000000 ? "tsu:UTC" : "tsn:UTC");
    int64_t *values = c->values = take((size_t)c->length, sizeof *values);
    for (int64_t i = 0; i < c->length; i++) {
        double time = number_at(vector, i), second = floor(time);
        if (!isfinite(time))
            set_null(c, i);
        else if (fabs(time) > most)
            fail_column(c, "has a time that is out of range", "");
        else
            values[i] = (int64_t)second * units + (int64_t)llround((time - second) * (double)units);
    }
}

/* The text of a cell in UTF-8; NULL: NA. */
static const char *utf8_at(const column *c, SEXP vector, int64_t i)
{
    SEXP cell = STRING_ELT(vector, (R_xlen_t)i);
    if (cell == NA_STRING)
        return NULL;
    if (Rf_getCharCE(cell) == CE_BYTES)
        fail_column(c, "has a text that is marked as bytes", "convert it to UTF-8 with iconv");
    return Rf_translateCharUTF8(cell);
}

static void read_text(column *c, SEXP vector)
{
    size_t total = 0;
    const void *top = vmaxget();
    for (int64_t i = 0; i < c->length; i++, vmaxset(top)) {
        const char *text = utf8_at(c, vector, i);
        total += text == NULL ? 0 : strlen(text);
    }
    int large = total > INT32_MAX;
    c->format = copy_text(large ? "U" : "u");
    c->bytes = take(total + 1, 1);
    c->values = take((size_t)c->length + 1, large ? sizeof(int64_t) : sizeof(int32_t));
    size_t end = 0;
    for (int64_t i = 0; i < c->length; i++, vmaxset(top)) {
        const char *text = utf8_at(c, vector, i);
        size_t length = text == NULL ? 0 : strlen(text);
        if (text == NULL)
            set_null(c, i);
        else
            memcpy(c->bytes + end, text, length);
        end += length;
        if (large)
            ((int64_t *)c->values)[i + 1] = (int64_t)end;
        else
            ((int32_t *)c->values)[i + 1] = (int32_t)end;
    }
}

static void read_factor(column *c, SEXP vector)
{
    SEXP levels = Rf_getAttrib(vector, R_LevelsSymbol);
    if (TYPEOF(levels) != STRSXP || TYPEOF(vector) != INTSXP)
        fail_column(c, "is a factor without levels", "");
    c->format = copy_text("i");
    c->flags = Rf_inherits(vector, "ordered") ? ARROW_FLAG_DICTIONARY_ORDERED : 0;
    int64_t n = (int64_t)Rf_xlength(levels);
    int32_t *place = (int32_t *)R_alloc((size_t)n + 1, sizeof *place), used = 0;
    SEXP entries = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)n));
    for (int64_t i = 0; i < n; i++) { /* addNA makes a level NA, which is no value */
        place[i] = STRING_ELT(levels, (R_xlen_t)i) == NA_STRING ? -1 : used;
        if (place[i] >= 0)
            SET_STRING_ELT(entries, used++, STRING_ELT(levels, (R_xlen_t)i));
    }
    int32_t *values = c->values = take((size_t)c->length, sizeof *values);
    for (int64_t i = 0; i < c->length; i++) {
        int code = INTEGER_ELT(vector, (R_xlen_t)i);
        if (code != NA_INTEGER && (code < 1 || code > n))
            fail_column(c, "is a factor with a code that has no level", "");
        if (code == NA_INTEGER || place[code - 1] < 0)
            set_null(c, i);
        else
            values[i] = place[code - 1];
    }
    c->dictionary = take(1, sizeof *c->dictionary);
    c->dictionary->name = copy_text(c->name);
    c->dictionary->length = used;
    read_text(c->dictionary, entries);
    UNPROTECT(1);
}

static const struct {
    const char *class;
    void (*read)(column *c, SEXP vector);
} classes[] = {{"factor", read_factor}, {"Date", read_date}, {"POSIXct", read_time}, {"integer64", read_integer64}};

static void read_column(column *c, SEXP vector)
{
    int type = TYPEOF(vector);
    if ((int64_t)Rf_xlength(vector) != c->length || !Rf_isNull(Rf_getAttrib(vector, R_DimSymbol)))
        fail_column(c, "is not a vector with one value for each row", "");
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (Rf_inherits(vector, classes[i].class) && (type == INTSXP || type == REALSXP)) {
            classes[i].read(c, vector);
            return;
        }
    if (type == LGLSXP)
        read_logical(c, vector);
    else if (type == INTSXP)
        read_integer(c, vector);
    else if (type == REALSXP)
        read_double(c, vector);
    else if (type == STRSXP)
        read_text(c, vector);
    else if (type == VECSXP || type == RAWSXP || type == CPLXSXP) /* the library refuses it unless it is never released */
        c->format = copy_text(type == VECSXP ? "+l" : type == RAWSXP ? "z" : "+w:2");
    else
        fail_column(c, "has a type that is not supported",
                    "convert it to logical, numbers, text, a factor, Date or POSIXct");
}

/* frame_stream(columns, rows): the columns of a data frame, a named list. */
SEXP r_frame_stream(SEXP columns, SEXP rows)
{
    SEXP names = Rf_getAttrib(columns, R_NamesSymbol), handle = PROTECT(handle_new(&STREAM));
    int64_t n = (int64_t)Rf_xlength(columns);
    if (TYPEOF(columns) != VECSXP || (n > 0 && TYPEOF(names) != STRSXP))
        raise_usage("the table is not a data frame", "");
    frame *f = calloc(1, sizeof *f);
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    column *all = calloc((size_t)n + 1, sizeof *all);
    if (f == NULL || stream == NULL || all == NULL) {
        free(f), free(stream), free(all);
        raise_failure(&(kanon_error){.status = KANON_ENOMEM, .message = "out of memory for a copy of the data frame"});
    }
    atomic_init(&f->references, 1);
    f->columns = all;
    f->n = n;
    f->rows = (int64_t)Rf_asReal(rows);
    *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, f};
    handle_set(handle, stream); /* owns it all from here on: the lines below may jump */
    for (int64_t i = 0; i < n; i++) {
        all[i].name = copy_text(Rf_translateCharUTF8(STRING_ELT(names, (R_xlen_t)i)));
        all[i].length = f->rows;
        read_column(&all[i], VECTOR_ELT(columns, (R_xlen_t)i));
    }
    UNPROTECT(1);
    return handle;
}

/* ---- streams that come in ---- */

void stream_free(void *stream)
{
    struct ArrowArrayStream *s = stream;
    if (s->release != NULL)
        s->release(s);
    free(s);
}

void stream_take(struct ArrowArrayStream *out, SEXP handle, int *foreign)
{
    *foreign = Rf_inherits(handle, "nanoarrow_array_stream");
    if (*foreign && TYPEOF(handle) != EXTPTRSXP)
        raise_usage("the Arrow stream is not an external pointer", "");
    struct ArrowArrayStream *given = *foreign ? R_ExternalPtrAddr(handle) : handle_get(handle, &STREAM);
    if (given == NULL || given->release == NULL)
        raise_usage("the Arrow stream was read or released before", "make a new one");
    *out = *given;
    given->release = NULL; /* moved: the finalizer of the handle has nothing left to release */
}

/* An empty stream of the shape that nanoarrow has: for tests, and for releases as streams. */
SEXP r_stream_new(void)
{
    SEXP handle = PROTECT(handle_new(&STREAM));
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        raise_failure(&(kanon_error){.status = KANON_ENOMEM, .message = "out of memory"});
    handle_set(handle, stream);
    UNPROTECT(1);
    return handle;
}
