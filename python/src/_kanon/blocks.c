/* One release by many processes: kanon_blocks.h for an engine that is written in Python, such as pykanon.spark.
 *
 * What travels between processes has one way out, one way in and one merge for all kinds (travel_*), because they differ in
 * nothing but the function that is called. Places are bytes of int64. */
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

/* ---- what travels ------------------------------------------------------------------------------------------------ */

#define WRITES(name)                                                                                                        \
    static kanon_status write_##name(const void *object, const kanon_sink *sink, kanon_error *err)                          \
    {                                                                                                                       \
        return kanon_##name##_write(object, sink, err);                                                                     \
    }
#define MERGES(name)                                                                                                        \
    static kanon_status merge_##name(void *into, const void *other, kanon_error *err)                                       \
    {                                                                                                                       \
        return kanon_##name##_merge(into, other, err);                                                                      \
    }
/* `argument` is what from_bytes wants in addition: a domain or a context. */
#define READS(name, argument)                                                                                               \
    static kanon_status read_##name(void **out, const kanon_domain *domain, const void *bytes, size_t size,                 \
                                    kanon_error *err)                                                                       \
    {                                                                                                                       \
        kanon_##name *object = NULL;                                                                                        \
        (void)domain;                                                                                                       \
        kanon_status st = kanon_##name##_from_bytes(&object, argument, err);                                                \
        *out = object;                                                                                                      \
        return st;                                                                                                          \
    }
#define BY_CONTEXT bytes, size, NULL
#define BY_DOMAIN domain, bytes, size

WRITES(domain)
WRITES(cuts)
WRITES(counts)
WRITES(block_groups)
WRITES(rest)
WRITES(offers)
WRITES(tally)
MERGES(domain)
MERGES(counts)
MERGES(rest)
MERGES(offers)
MERGES(tally)
READS(domain, BY_CONTEXT)
READS(counts, BY_CONTEXT)
READS(cuts, BY_DOMAIN)
READS(block_groups, BY_DOMAIN)
READS(rest, BY_DOMAIN)
READS(offers, BY_DOMAIN)
READS(tally, BY_DOMAIN)

static const struct traveller {
    const char *kind; /* for travel_read */
    const char *name; /* of the capsule */
    int needs_domain;
    kanon_status (*write)(const void *object, const kanon_sink *sink, kanon_error *err);
    kanon_status (*read)(void **out, const kanon_domain *domain, const void *bytes, size_t size, kanon_error *err);
    kanon_status (*merge)(void *into, const void *other, kanon_error *err); /* NULL: there is only one */
} travellers[] = {
    {"domain", DOMAIN, 0, write_domain, read_domain, merge_domain},
    {"cuts", CUTS, 1, write_cuts, read_cuts, NULL},
    {"counts", COUNTS, 0, write_counts, read_counts, merge_counts},
    {"block_groups", BLOCK_GROUPS, 1, write_block_groups, read_block_groups, NULL},
    {"rest", REST, 1, write_rest, read_rest, merge_rest},
    {"offers", OFFERS, 1, write_offers, read_offers, merge_offers},
    {"tally", TALLY, 1, write_tally, read_tally, merge_tally},
};
enum { N_TRAVELLERS = sizeof travellers / sizeof travellers[0] };

/* NULL: not a capsule of these kinds, the exception is set. */
static const struct traveller *traveller_of(PyObject *capsule)
{
    for (size_t i = 0; i < N_TRAVELLERS; i++)
        if (PyCapsule_IsValid(capsule, travellers[i].name))
            return &travellers[i];
    PyErr_SetString(PyExc_TypeError, "an object that travels between processes is needed");
    return NULL;
}

/* travel_write(object): its bytes. */
PyObject *travel_write(PyObject *module, PyObject *capsule)
{
    (void)module;
    const struct traveller *t = traveller_of(capsule);
    void *object = t == NULL ? NULL : handle_get(capsule, t->name);
    if (object == NULL)
        return NULL;
    byte_sink bytes;
    byte_sink_init(&bytes, t->kind);
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = t->write(object, &bytes.sink, &err));
    if (st == KANON_OK)
        return byte_sink_take(&bytes);
    byte_sink_free(&bytes);
    return raise_failure(&err);
}

/* travel_read(kind, bytes, domain): the object that travel_write wrote. */
PyObject *travel_read(PyObject *module, PyObject *args)
{
    (void)module;
    const char *kind, *bytes;
    Py_ssize_t size;
    PyObject *domain_capsule = Py_None;
    if (!PyArg_ParseTuple(args, "sy#|O", &kind, &bytes, &size, &domain_capsule))
        return NULL;
    size_t i = 0;
    while (i < N_TRAVELLERS && strcmp(travellers[i].kind, kind) != 0)
        i++;
    if (i == N_TRAVELLERS)
        return PyErr_Format(PyExc_ValueError, "nothing called %s travels", kind);
    const kanon_domain *domain = travellers[i].needs_domain ? handle_get(domain_capsule, DOMAIN) : NULL;
    if (travellers[i].needs_domain && domain == NULL)
        return NULL;
    void *object = NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = travellers[i].read(&object, domain, bytes, (size_t)size, &err));
    return st == KANON_OK ? handle_new(object, travellers[i].name, NULL) : raise_failure(&err);
}

/* travel_merge(into, other) */
PyObject *travel_merge(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *into_capsule, *other_capsule;
    if (!PyArg_ParseTuple(args, "OO", &into_capsule, &other_capsule))
        return NULL;
    const struct traveller *t = traveller_of(into_capsule);
    if (t == NULL)
        return NULL;
    if (t->merge == NULL)
        return PyErr_Format(PyExc_TypeError, "%s cannot be merged", t->kind);
    void *into = handle_get(into_capsule, t->name), *other = into == NULL ? NULL : handle_get(other_capsule, t->name);
    if (other == NULL)
        return NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = t->merge(into, other, &err));
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
    kanon_error err = {0};
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
    kanon_domain *domain = NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_domain_read_arrow(&domain, &stream, places, n_places, schema, &options, &err));
    PyMem_Free(places);
    return st == KANON_OK ? handle_new(domain, DOMAIN, NULL) : raise_failure(&err);
}

PyObject *domain_seal(PyObject *module, PyObject *args)
{
    (void)module;
    void *domain, *schema;
    if (two_of(args, DOMAIN, &domain, SCHEMA, &schema) != 0)
        return NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_domain_seal(domain, schema, &err));
    return none_or_failure(st, &err);
}

static const char *domain_warning(const void *domain, int i)
{
    return kanon_domain_warning(domain, i);
}

/* (rows, [warning]) */
PyObject *domain_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_domain *domain = handle_get(capsule, DOMAIN);
    if (domain == NULL)
        return NULL;
    return Py_BuildValue("LN", (long long)kanon_domain_rows(domain), texts_of(domain_warning, domain));
}

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

PyObject *cuts_new(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    long long least;
    if (!PyArg_ParseTuple(args, "OL", &capsule, &least))
        return NULL;
    const kanon_domain *domain = handle_get(capsule, DOMAIN);
    if (domain == NULL)
        return NULL;
    kanon_cuts *cuts = NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_cuts_new(&cuts, domain, least, &err));
    return st == KANON_OK ? handle_new(cuts, CUTS, NULL) : raise_failure(&err);
}

/* (done, level, [records of each block]) */
PyObject *cuts_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_cuts *cuts = handle_get(capsule, CUTS);
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
    if (two_of(args, CUTS, &cuts, TABLE, &table) != 0)
        return NULL;
    kanon_counts *counts = NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_cuts_count(&counts, cuts, table, &err));
    return st == KANON_OK ? handle_new(counts, COUNTS, NULL) : raise_failure(&err);
}

PyObject *cuts_next(PyObject *module, PyObject *args)
{
    (void)module;
    void *cuts, *counts;
    if (two_of(args, CUTS, &cuts, COUNTS, &counts) != 0)
        return NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_cuts_next(cuts, counts, &err));
    return none_or_failure(st, &err);
}

/* The block of each row, as bytes of int32. */
PyObject *cuts_block_of(PyObject *module, PyObject *args)
{
    (void)module;
    void *cuts, *table;
    if (two_of(args, CUTS, &cuts, TABLE, &table) != 0)
        return NULL;
    size_t size = (size_t)kanon_table_rows(table) * sizeof(int32_t);
    int32_t *block_of = PyMem_Malloc(size + 1);
    if (block_of == NULL)
        return PyErr_NoMemory();
    kanon_error err = {0};
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
    const kanon_cuts *cuts = handle_get(cuts_capsule, CUTS);
    const kanon_schema *schema = cuts == NULL ? NULL : handle_get(schema_capsule, SCHEMA);
    if (schema == NULL || run_options_of(&options, keywords, NULL) != 0)
        return NULL;
    int64_t bytes = 0;
    kanon_error err = {0};
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
    const kanon_cuts *cuts = table == NULL ? NULL : handle_get(cuts_capsule, CUTS);
    ticker *t = cuts == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    if (t == NULL || run_options_of(&options, keywords, t) != 0)
        return NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = {0};
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
    const kanon_cuts *cuts = grouping == NULL ? NULL : handle_get(cuts_capsule, CUTS);
    int64_t *places = cuts == NULL ? NULL : places_of(bytes, size, kanon_table_rows(table));
    if (places == NULL)
        return NULL;
    kanon_block_groups *groups = NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_block_groups_new(&groups, table, grouping, cuts, block, places, &err));
    PyMem_Free(places);
    return st == KANON_OK ? handle_new(groups, BLOCK_GROUPS, NULL) : raise_failure(&err);
}

/* ---- records left over ------------------------------------------------------------------------------------------- */

PyObject *rest_new(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_block_groups *groups = handle_get(capsule, BLOCK_GROUPS);
    if (groups == NULL)
        return NULL;
    kanon_rest *rest = NULL;
    kanon_error err = {0};
    kanon_status st = kanon_rest_new(&rest, groups, &err);
    return st == KANON_OK ? handle_new(rest, REST, NULL) : raise_failure(&err);
}

PyObject *rest_offer(PyObject *module, PyObject *args)
{
    (void)module;
    void *rest, *groups;
    if (two_of(args, REST, &rest, BLOCK_GROUPS, &groups) != 0)
        return NULL;
    kanon_offers *offers = NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_rest_offer(&offers, rest, groups, &err));
    return st == KANON_OK ? handle_new(offers, OFFERS, NULL) : raise_failure(&err);
}

PyObject *rest_place(PyObject *module, PyObject *args)
{
    (void)module;
    void *rest, *offers;
    if (two_of(args, REST, &rest, OFFERS, &offers) != 0)
        return NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_rest_place(rest, offers, &err));
    return none_or_failure(st, &err);
}

/* (place, from_block, to_block, to_group) of a record left over */
static PyObject *rest_record(const kanon_rest *rest, int64_t i)
{
    kanon_rest_record r = {.struct_size = sizeof r};
    kanon_error err = {0};
    if (kanon_rest_at(&r, rest, i, &err) != KANON_OK)
        return raise_failure(&err);
    return Py_BuildValue("LLLL", (long long)r.place, (long long)r.from_block, (long long)r.to_block, (long long)r.to_group);
}

/* (done, how many records were left over, [(place, from_block, to_block, to_group)], empty until it is done) */
PyObject *rest_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_rest *rest = handle_get(capsule, REST);
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
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_tally_new(&tally, table, grouping, &err));
    return st == KANON_OK ? handle_new(tally, TALLY, NULL) : raise_failure(&err);
}

static const char *measures_warning(const void *measures, int i)
{
    return kanon_measures_warning(measures, i);
}

/* (figures, [warning about privacy]) */
PyObject *tally_measures(PyObject *module, PyObject *args)
{
    (void)module;
    void *tally, *domain;
    if (two_of(args, TALLY, &tally, DOMAIN, &domain) != 0)
        return NULL;
    kanon_measures *measures = NULL;
    kanon_error err = {0};
    kanon_status st;
    WITHOUT_GIL(st = kanon_tally_measures(&measures, tally, domain, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *both = Py_BuildValue("NN", measures_list(measures), texts_of(measures_warning, measures));
    kanon_measures_free(measures);
    return both;
}
