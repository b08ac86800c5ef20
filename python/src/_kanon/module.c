/* The module pykanon._kanon: its functions. _kanon.pyi has their signatures, the package what people use. */
#include "host.h"

#define WITH_KEYWORDS(name)                                                                                                 \
    {                                                                                                                       \
#name, (PyCFunction)(void (*)(void))name, METH_VARARGS | METH_KEYWORDS, NULL                                        \
    }

static PyMethodDef functions[] = {
    {"live_objects", live_objects, METH_NOARGS, NULL},
    {"ticker_new", ticker_new, METH_NOARGS, NULL},
    {"ticker_read", ticker_read, METH_O, NULL},
    {"ticker_stop", ticker_stop, METH_VARARGS, NULL},
    {"ticker_reset", ticker_reset, METH_O, NULL},
    {"schema_new", schema_new, METH_VARARGS, NULL},
    {"schema_set", schema_set, METH_VARARGS, NULL},
    {"schema_get", schema_get, METH_VARARGS, NULL},
    WITH_KEYWORDS(table_import),
    {"table_describe", table_describe, METH_O, NULL},
    WITH_KEYWORDS(anonymize),
    {"grouping_new", grouping_new, METH_VARARGS, NULL},
    {"grouping_from_release", grouping_from_release, METH_VARARGS, NULL},
    {"grouping_describe", grouping_describe, METH_O, NULL},
    {"grouping_rows", grouping_rows, METH_O, NULL},
    {"advise", advise, METH_VARARGS, NULL},
    {"verdict", verdict, METH_VARARGS, NULL},
    WITH_KEYWORDS(evaluate),
    WITH_KEYWORDS(evaluate_release),
    WITH_KEYWORDS(release),
    WITH_KEYWORDS(publish),
    WITH_KEYWORDS(check),
    WITH_KEYWORDS(bound),
    {"certificate_check", certificate_check, METH_VARARGS, NULL},
    WITH_KEYWORDS(tradeoff),
    WITH_KEYWORDS(profile),
    WITH_KEYWORDS(propose),
    {"catalogue", catalogue, METH_NOARGS, NULL},
    WITH_KEYWORDS(state_create),
    {"state_open", state_open, METH_VARARGS, NULL},
    WITH_KEYWORDS(state_change),
    WITH_KEYWORDS(state_release),
    {"state_describe", state_describe, METH_O, NULL},
    {"state_audit", state_audit, METH_VARARGS, NULL},
    {"taxonomy_read", taxonomy_read, METH_VARARGS, NULL},
    {"taxonomy_build", taxonomy_build, METH_VARARGS, NULL},
    {"taxonomy_count", taxonomy_count, METH_VARARGS, NULL},
    {"taxonomy_nodes", taxonomy_nodes, METH_O, NULL},
    {"taxonomy_write", taxonomy_write, METH_VARARGS, NULL},
    {"taxonomy_check", taxonomy_check, METH_VARARGS, NULL},
    WITH_KEYWORDS(blocks_allow),
    WITH_KEYWORDS(domain_read),
    {"domain_seal", domain_seal, METH_VARARGS, NULL},
    {"domain_describe", domain_describe, METH_O, NULL},
    {"cuts_new", cuts_new, METH_VARARGS, NULL},
    {"cuts_describe", cuts_describe, METH_O, NULL},
    {"cuts_count", cuts_count, METH_VARARGS, NULL},
    {"cuts_next", cuts_next, METH_VARARGS, NULL},
    {"cuts_block_of", cuts_block_of, METH_VARARGS, NULL},
    WITH_KEYWORDS(block_memory),
    WITH_KEYWORDS(block_group),
    {"block_groups_new", block_groups_new, METH_VARARGS, NULL},
    {"rest_new", rest_new, METH_O, NULL},
    {"rest_offer", rest_offer, METH_VARARGS, NULL},
    {"rest_place", rest_place, METH_VARARGS, NULL},
    {"rest_describe", rest_describe, METH_O, NULL},
    {"tally_new", tally_new, METH_VARARGS, NULL},
    {"tally_measures", tally_measures, METH_VARARGS, NULL},
    {"tally_verdict", tally_verdict, METH_VARARGS, NULL},
    {"piece_write", piece_write, METH_O, NULL},
    {"piece_read", piece_read, METH_VARARGS, NULL},
    {"piece_merge", piece_merge, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int add_version(PyObject *module)
{
    return PyModule_AddStringConstant(module, "version", kanon_version());
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_version}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "pykanon._kanon",
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__kanon(void);

PyMODINIT_FUNC PyInit__kanon(void)
{
    return PyModuleDef_Init(&definition);
}
