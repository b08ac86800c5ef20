/* One release by many processes: kanon_blocks.h for an engine that is written in Python, such as pykanon.spark.
 *
 * All that travels between processes is one kind of capsule, as it is one type in C: the library knows what it is, and says
 * so where another kind is needed. Places are bytes of int64. */
#include "host.h"

#include <string.h>

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* A copy of places, because bytes may not be aligned; NULL: the exception is set. PyMem_Free releases it. */
static int64_t *places_of(const char *bytes, Py_ssize_t size, int64_t rows)
{
    if ((int64_t)size != rows * (int64_t)sizeof(int64_t)) {
        PyErr_SetString(PyExc_ValueError, "a place is needed for each row of the table");
        return NULL;
    }
    int64_t *places = PyMem_Malloc((size_t)size + 1);
    if (places == NULL)
        PyErr_NoMemory();
    else
        memcpy(places, bytes, (size_t)size);
    return places;
}

/* Two handles; 0, or -1 with the exception set. */
static int two_of(PyObject *args, const char *first_name, void **first, const char *second_name, void **second)
{
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "OO", &a, &b))
        return -1;
    *first = handle_get(a, first_name);
    *second = *first == NULL ? NULL : handle_get(b, second_name);
    return *second == NULL ? -1 : 0;
}

static PyObject *none_or_failure(kanon_status st, const kanon_error *err)
{
    if (st != KANON_OK)
        return raise_failure(err);
    Py_RETURN_NONE;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* piece_write(piece): its bytes. */
PyObject *piece_write(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_piece *piece = handle_get(capsule, PIECE);
    if (piece == NULL)
        return NULL;
    byte_sink bytes;
    byte_sink_init(&bytes, "a piece");
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_piece_write(piece, &bytes.sink, &err));
    if (st == KANON_OK)
        return byte_sink_take(&bytes);
    byte_sink_free(&bytes);
    return raise_failure(&err);
}

/* piece_read(bytes, domain=None): the piece that piece_write wrote. */
PyObject *piece_read(PyObject *module, PyObject *args)
{
    (void)module;
    const char *bytes;
    Py_ssize_t size;
    PyObject *domain_capsule = Py_None;
    if (!PyArg_ParseTuple(args, "y#|O", &bytes, &size, &domain_capsule))
        return NULL;
    const kanon_domain *domain = domain_capsule == Py_None ? NULL : handle_get(domain_capsule, PIECE);
    if (domain == NULL && domain_capsule != Py_None)
        return NULL;
    kanon_piece *piece = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_piece_read(&piece, KANON_BYTES(bytes, (size_t)size), domain, NULL, &err));
    return st == KANON_OK ? handle_new(piece, PIECE, NULL) : raise_failure(&err);
}

/* piece_merge(into, other) */
PyObject *piece_merge(PyObject *module, PyObject *args)
{
    (void)module;
    void *into, *other;
    if (two_of(args, PIECE, &into, PIECE, &other) != 0)
        return NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_piece_merge(into, other, &err));
    return none_or_failure(st, &err);
}

/* ---- domain ------------------------------------------------------------------------------------------------------ */

/* blocks_allow(schema, **options): an error names what several processes cannot do. */
PyObject *blocks_allow(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    PyObject *capsule;
    run_options options;
    if (!PyArg_ParseTuple(args, "O", &capsule))
        return NULL;
    const kanon_schema *schema = handle_get(capsule, SCHEMA);
    if (schema == NULL || run_options_of(&options, keywords, NULL) != 0)
        return NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon_blocks_allow(schema, &options.o, &err);
    run_options_free(&options);
    return none_or_failure(st, &err);
}

/* domain_read(schema, stream, places, ticker): the domain of a part, with the place of each of its rows. */
PyObject *domain_read(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"schema", "stream", "places", "ticker", "threads", "strict", NULL};
    PyObject *schema_capsule, *stream_capsule, *ticker_capsule;
    const char *bytes;
    Py_ssize_t size;
    int threads = 0, strict = 1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOy#O|ip", names, &schema_capsule, &stream_capsule, &bytes, &size,
                                     &ticker_capsule, &threads, &strict))
        return NULL;
    kanon_schema *schema = handle_get(schema_capsule, SCHEMA);
    ticker *t = schema == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    int64_t n_places = (int64_t)size / (int64_t)sizeof(int64_t);
    int64_t *places = t == NULL ? NULL : places_of(bytes, size, n_places);
    struct ArrowArrayStream stream;
    if (places == NULL || stream_take(&stream, stream_capsule) != 0) {
        PyMem_Free(places);
        return NULL;
    }
    kanon_read_options options = {
        .struct_size = sizeof options, .strict = strict, .threads = threads, .tick = ticker_tick, .payload = t};
    const kanon_places at = {.struct_size = sizeof at, .each = places, .n = n_places};
    kanon_domain *domain = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_domain_read(&domain, KANON_STREAM(&stream), &at, schema, &options, &err));
    PyMem_Free(places);
    return st == KANON_OK ? handle_new(domain, PIECE, NULL) : raise_failure(&err);
}

PyObject *domain_seal(PyObject *module, PyObject *args)
{
    (void)module;
    void *domain, *schema;
    if (two_of(args, PIECE, &domain, SCHEMA, &schema) != 0)
        return NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_domain_seal(domain, schema, &err));
    return none_or_failure(st, &err);
}

static const kanon_notice *domain_notice(const void *domain, size_t i)
{
    return kanon_domain_notice_at(domain, i);
}

/* (rows, [warning]) */
PyObject *domain_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_domain *domain = handle_get(capsule, PIECE);
    if (domain == NULL)
        return NULL;
    return Py_BuildValue("LN", (long long)kanon_domain_rows(domain), notices_of(domain_notice, domain, 0));
}

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

PyObject *cuts_new(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    long long least;
    if (!PyArg_ParseTuple(args, "OL", &capsule, &least))
        return NULL;
    const kanon_domain *domain = handle_get(capsule, PIECE);
    if (domain == NULL)
        return NULL;
    kanon_cuts *cuts = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_cuts_new(&cuts, domain, least, &err));
    return st == KANON_OK ? handle_new(cuts, PIECE, NULL) : raise_failure(&err);
}

/* (done, level, [records of each block]) */
PyObject *cuts_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_cuts *cuts = handle_get(capsule, PIECE);
    PyObject *rows = cuts == NULL ? NULL : PyList_New(0);
    for (int64_t block = 0; rows != NULL && block < kanon_cuts_blocks(cuts); block++) {
        PyObject *n = PyLong_FromLongLong((long long)kanon_cuts_rows(cuts, block));
        if (n == NULL || PyList_Append(rows, n) != 0)
            Py_CLEAR(rows);
        Py_XDECREF(n);
    }
    if (rows == NULL)
        return NULL;
    return Py_BuildValue("OiN", kanon_cuts_done(cuts) ? Py_True : Py_False, kanon_cuts_level(cuts), rows);
}

PyObject *cuts_count(PyObject *module, PyObject *args)
{
    (void)module;
    void *cuts, *table;
    if (two_of(args, PIECE, &cuts, TABLE, &table) != 0)
        return NULL;
    kanon_counts *counts = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_cuts_count(&counts, cuts, table, &err));
    return st == KANON_OK ? handle_new(counts, PIECE, NULL) : raise_failure(&err);
}

PyObject *cuts_next(PyObject *module, PyObject *args)
{
    (void)module;
    void *cuts, *counts;
    if (two_of(args, PIECE, &cuts, PIECE, &counts) != 0)
        return NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_cuts_next(cuts, counts, &err));
    return none_or_failure(st, &err);
}

/* The block of each row, as bytes of int32. */
PyObject *cuts_block_of(PyObject *module, PyObject *args)
{
    (void)module;
    void *cuts, *table;
    if (two_of(args, PIECE, &cuts, TABLE, &table) != 0)
        return NULL;
    size_t size = (size_t)kanon_table_rows(table) * sizeof(int32_t);
    int32_t *block_of = PyMem_Malloc(size + 1);
    if (block_of == NULL)
        return PyErr_NoMemory();
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_cuts_block_of(block_of, cuts, table, &err));
    PyObject *bytes = st == KANON_OK ? PyBytes_FromStringAndSize((const char *)block_of, (Py_ssize_t)size)
                                     : raise_failure(&err);
    PyMem_Free(block_of);
    return bytes;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* block_memory(cuts, schema, records, **options): about how many bytes a block of so many records takes. */
PyObject *block_memory(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    PyObject *cuts_capsule, *schema_capsule;
    long long records;
    run_options options;
    if (!PyArg_ParseTuple(args, "OOL", &cuts_capsule, &schema_capsule, &records))
        return NULL;
    const kanon_cuts *cuts = handle_get(cuts_capsule, PIECE);
    const kanon_schema *schema = cuts == NULL ? NULL : handle_get(schema_capsule, SCHEMA);
    if (schema == NULL || run_options_of(&options, keywords, NULL) != 0)
        return NULL;
    int64_t bytes = 0;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon_block_memory(&bytes, cuts, schema, &options.o, records, &err);
    run_options_free(&options);
    return st == KANON_OK ? PyLong_FromLongLong((long long)bytes) : raise_failure(&err);
}

/* block_group(table, cuts, block, ticker, **options) */
PyObject *block_group(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    PyObject *table_capsule, *cuts_capsule, *ticker_capsule;
    long long block;
    run_options options;
    if (!PyArg_ParseTuple(args, "OOLO", &table_capsule, &cuts_capsule, &block, &ticker_capsule))
        return NULL;
    const kanon_table *table = handle_get(table_capsule, TABLE);
    const kanon_cuts *cuts = table == NULL ? NULL : handle_get(cuts_capsule, PIECE);
    ticker *t = cuts == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    if (t == NULL || run_options_of(&options, keywords, t) != 0)
        return NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_block_group(&grouping, table, cuts, block, &options.o, &err));
    run_options_free(&options);
    return st == KANON_OK ? handle_new(grouping, GROUPING, NULL) : raise_failure(&err);
}

/* block_groups_new(table, grouping, cuts, block, places) */
PyObject *block_groups_new(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *table_capsule, *grouping_capsule, *cuts_capsule;
    long long block;
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "OOOLy#", &table_capsule, &grouping_capsule, &cuts_capsule, &block, &bytes, &size))
        return NULL;
    const kanon_table *table = handle_get(table_capsule, TABLE);
    const kanon_grouping *grouping = table == NULL ? NULL : handle_get(grouping_capsule, GROUPING);
    const kanon_cuts *cuts = grouping == NULL ? NULL : handle_get(cuts_capsule, PIECE);
    int64_t *places = cuts == NULL ? NULL : places_of(bytes, size, kanon_table_rows(table));
    if (places == NULL)
        return NULL;
    kanon_block_groups *groups = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_block_groups_new(&groups, table, grouping, cuts, block, places, &err));
    PyMem_Free(places);
    return st == KANON_OK ? handle_new(groups, PIECE, NULL) : raise_failure(&err);
}

/* ---- records left over ------------------------------------------------------------------------------------------- */

PyObject *rest_new(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_block_groups *groups = handle_get(capsule, PIECE);
    if (groups == NULL)
        return NULL;
    kanon_rest *rest = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon_rest_new(&rest, groups, &err);
    return st == KANON_OK ? handle_new(rest, PIECE, NULL) : raise_failure(&err);
}

PyObject *rest_offer(PyObject *module, PyObject *args)
{
    (void)module;
    void *rest, *groups;
    if (two_of(args, PIECE, &rest, PIECE, &groups) != 0)
        return NULL;
    kanon_offers *offers = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_rest_offer(&offers, rest, groups, &err));
    return st == KANON_OK ? handle_new(offers, PIECE, NULL) : raise_failure(&err);
}

PyObject *rest_place(PyObject *module, PyObject *args)
{
    (void)module;
    void *rest, *offers;
    if (two_of(args, PIECE, &rest, PIECE, &offers) != 0)
        return NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_rest_place(rest, offers, &err));
    return none_or_failure(st, &err);
}

/* (place, from_block, to_block, to_group) of a record left over */
static PyObject *rest_record(const kanon_rest *rest, int64_t i)
{
    kanon_rest_record r = {.struct_size = sizeof r};
    kanon_error err = KANON_INIT(kanon_error);
    if (kanon_rest_at(&r, rest, i, &err) != KANON_OK)
        return raise_failure(&err);
    return Py_BuildValue("LLLL", (long long)r.place, (long long)r.from_block, (long long)r.to_block, (long long)r.to_group);
}

/* (done, how many records were left over, [(place, from_block, to_block, to_group)], empty until it is done) */
PyObject *rest_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_rest *rest = handle_get(capsule, PIECE);
    PyObject *records = rest == NULL ? NULL : PyList_New(0);
    if (records == NULL)
        return NULL;
    int done = kanon_rest_done(rest);
    int64_t n = kanon_rest_count(rest);
    for (int64_t i = 0; records != NULL && done && i < n; i++) {
        PyObject *record = rest_record(rest, i);
        if (record == NULL || PyList_Append(records, record) != 0)
            Py_CLEAR(records);
        Py_XDECREF(record);
    }
    return records == NULL ? NULL : Py_BuildValue("OLN", done ? Py_True : Py_False, (long long)n, records);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

PyObject *tally_new(PyObject *module, PyObject *args)
{
    (void)module;
    void *table, *grouping;
    if (two_of(args, TABLE, &table, GROUPING, &grouping) != 0)
        return NULL;
    kanon_tally *tally = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_tally_new(&tally, table, grouping, &err));
    return st == KANON_OK ? handle_new(tally, PIECE, NULL) : raise_failure(&err);
}

static const kanon_notice *measures_notice(const void *measures, size_t i)
{
    return kanon_measures_notice_at(measures, i);
}

/* tally_verdict(tally, domain, singled_out): rows of the verdict; singled_out is NAN where it was not counted. */
PyObject *tally_verdict(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *tally_capsule, *domain_capsule;
    double singled_out;
    if (!PyArg_ParseTuple(args, "OOd", &tally_capsule, &domain_capsule, &singled_out))
        return NULL;
    kanon_tally *tally = handle_get(tally_capsule, PIECE);
    kanon_domain *domain = tally == NULL ? NULL : handle_get(domain_capsule, PIECE);
    if (domain == NULL)
        return NULL;
    kanon_verdict *verdict = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_tally_verdict(&verdict, tally, domain, singled_out, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *rows = verdict_rows(verdict);
    kanon_verdict_free(verdict);
    return rows;
}

/* (figures, [warning about privacy]) */
PyObject *tally_measures(PyObject *module, PyObject *args)
{
    (void)module;
    void *tally, *domain;
    if (two_of(args, PIECE, &tally, PIECE, &domain) != 0)
        return NULL;
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_tally_measures(&measures, tally, domain, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *both = Py_BuildValue("NN", measures_list(measures), notices_of(measures_notice, measures, 0));
    kanon_measures_free(measures);
    return both;
}
