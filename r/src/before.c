/* Before anything is released: a schema that is proposed for a table, and the risk of the table as it is. */
#include "host.h"

static SEXP text_column(SEXP frame, int j, size_t n)
{
    SEXP column = Rf_allocVector(STRSXP, (R_xlen_t)n);
    SET_VECTOR_ELT(frame, j, column);
    return column;
}

static double *number_column(SEXP frame, int j, size_t n)
{
    SEXP column = Rf_allocVector(REALSXP, (R_xlen_t)n);
    SET_VECTOR_ELT(frame, j, column);
    return REAL(column);
}

/* "a, b" for people would be two columns called so: a list of names for each set. */
static SEXP set_frame(const kanon_column_set *const *sets, size_t n)
{
    SEXP frame = PROTECT(list_new("columns", "classes", "records", "persons", "share", NULL));
    SET_VECTOR_ELT(frame, 0, Rf_allocVector(VECSXP, (R_xlen_t)n));
    double *numbers[4];
    for (int j = 0; j < 4; j++)
        numbers[j] = number_column(frame, j + 1, n);
    for (size_t i = 0; i < n; i++) {
        SET_VECTOR_ELT(VECTOR_ELT(frame, 0), (R_xlen_t)i, text_vector(sets[i]->columns, sets[i]->n_columns));
        numbers[0][i] = (double)sets[i]->classes;
        numbers[1][i] = (double)sets[i]->records;
        numbers[2][i] = (double)sets[i]->persons;
        numbers[3][i] = sets[i]->share;
    }
    UNPROTECT(1);
    return frame;
}

/* ---- a schema ---- */

typedef struct proposing {
    kanon_proposal *proposal;
    struct ArrowArrayStream stream;
    kanon_propose_options options;
} proposing;

static kanon_status do_propose(void *arguments, kanon_error *err)
{
    proposing *w = arguments;
    return kanon_propose(&w->proposal, KANON_STREAM(&w->stream), &w->options, err);
}

static void free_proposal(void *proposal)
{
    kanon_proposal_free(proposal);
}

static SEXP proposed_columns(const kanon_proposal *p)
{
    SEXP frame = PROTECT(list_new("name", "role", "type", "reason", "same_as", "distinct", "missing", NULL));
    SEXP texts[5];
    for (int j = 0; j < 5; j++)
        texts[j] = text_column(frame, j, p->n_columns);
    double *distinct = number_column(frame, 5, p->n_columns), *missing = number_column(frame, 6, p->n_columns);
    for (size_t i = 0; i < p->n_columns; i++) {
        const kanon_proposed_column *c = p->columns[i];
        const char *said[] = {c->name, kanon_enum_text(KANON_ENUM_ROLE, (int)c->role),
                              c->type == KANON_TYPE_UNKNOWN ? NULL : kanon_enum_text(KANON_ENUM_TYPE, (int)c->type),
                              c->reason, c->same_as};
        for (int j = 0; j < 5; j++)
            SET_STRING_ELT(texts[j], (R_xlen_t)i, utf8(said[j]));
        distinct[i] = (double)c->distinct;
        missing[i] = (double)c->missing;
    }
    UNPROTECT(1);
    return frame;
}

/* propose(stream, options): what is proposed, with the schema as YAML in `text`. */
SEXP r_propose(SEXP stream, SEXP options)
{
    SEXP owner = PROTECT(result_new(free_proposal));
    ticker t;
    ticker_init(&t);
    proposing w = {.options = {.struct_size = sizeof w.options,
                               .threads = (int)item_whole(options, "threads"),
                               .without_bands = !item_whole(options, "bands"),
                               .schema = KANON_TO_PATH(path_of(item(options, "path"))),
                               .tick = ticker_tick,
                               .payload = &t}};
    int foreign, show = (int)item_whole(options, "progress");
    kanon_error err = KANON_INIT(kanon_error);
    stream_take(&w.stream, stream, &foreign);
    take_on_main(foreign, &w.options.tick, &w.options.context);
    kanon_status st = foreign ? do_propose(&w, &err) : run(do_propose, &w, &t, show, &err);
    result_keep(owner, w.proposal);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    const kanon_proposal *p = w.proposal;
    SEXP list = PROTECT(list_new("text", "records", "k", "entity", "key", "columns", "sets", "notes", NULL));
    SET_VECTOR_ELT(list, 0, Rf_ScalarString(utf8(p->schema)));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal((double)p->records));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal((double)p->k));
    SET_VECTOR_ELT(list, 3, Rf_ScalarString(utf8(p->entity)));
    SET_VECTOR_ELT(list, 4, Rf_ScalarString(utf8(p->key)));
    SET_VECTOR_ELT(list, 5, proposed_columns(p));
    SET_VECTOR_ELT(list, 6, set_frame(p->sets, p->n_sets));
    SET_VECTOR_ELT(list, 7, text_vector(p->notes, p->n_notes));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}

/* ---- the risk ---- */

typedef struct profiling {
    kanon_profile *profile;
    const kanon_table *table;
    kanon_profile_options options;
} profiling;

static kanon_status do_profile(void *arguments, kanon_error *err)
{
    profiling *w = arguments;
    return kanon_profile_table(&w->profile, w->table, &w->options, err);
}

static void free_profile(void *profile)
{
    kanon_profile_free(profile);
}

static SEXP attribute_frame(const kanon_profile *p)
{
    SEXP frame = PROTECT(list_new("name", "type", "distinct", "missing", "unique", "unique_without", NULL));
    SEXP name = text_column(frame, 0, p->n_attributes), type = text_column(frame, 1, p->n_attributes);
    double *numbers[4];
    for (int j = 0; j < 4; j++)
        numbers[j] = number_column(frame, j + 2, p->n_attributes);
    for (size_t i = 0; i < p->n_attributes; i++) {
        const kanon_profile_attribute *a = p->attributes[i];
        SET_STRING_ELT(name, (R_xlen_t)i, utf8(a->name));
        SET_STRING_ELT(type, (R_xlen_t)i, utf8(kanon_enum_text(KANON_ENUM_TYPE, (int)a->type)));
        numbers[0][i] = (double)a->distinct;
        numbers[1][i] = (double)a->missing;
        numbers[2][i] = (double)a->unique;
        numbers[3][i] = (double)a->unique_without;
    }
    UNPROTECT(1);
    return frame;
}

static SEXP size_frame(const kanon_profile *p)
{
    SEXP frame = PROTECT(list_new("size", "classes", NULL));
    double *size = number_column(frame, 0, p->n_sizes), *classes = number_column(frame, 1, p->n_sizes);
    for (size_t i = 0; i < p->n_sizes; i++) {
        size[i] = (double)p->sizes[i]->size;
        classes[i] = (double)p->sizes[i]->classes;
    }
    UNPROTECT(1);
    return frame;
}

static SEXP below_frame(const kanon_profile *p)
{
    SEXP frame = PROTECT(list_new("k", "classes", "records", "persons", "share", NULL));
    double *numbers[5];
    for (int j = 0; j < 5; j++)
        numbers[j] = number_column(frame, j, p->n_below);
    for (size_t i = 0; i < p->n_below; i++) {
        const kanon_profile_below *b = p->below[i];
        const double row[] = {(double)b->k, (double)b->classes, (double)b->records, (double)b->persons, b->share};
        for (int j = 0; j < 5; j++)
            numbers[j][i] = row[j];
    }
    UNPROTECT(1);
    return frame;
}

static SEXP cost_frame(const kanon_profile *p)
{
    SEXP frame = PROTECT(list_new("k", "avg_loss", "seconds", NULL));
    double *k = number_column(frame, 0, p->n_costs), *loss = number_column(frame, 1, p->n_costs),
           *seconds = number_column(frame, 2, p->n_costs);
    for (size_t i = 0; i < p->n_costs; i++) {
        k[i] = (double)p->costs[i]->k;
        loss[i] = ISNAN(p->costs[i]->avg_loss) ? NA_REAL : p->costs[i]->avg_loss;
        seconds[i] = p->costs[i]->seconds;
    }
    UNPROTECT(1);
    return frame;
}

/* profile(table, options): the figures, and tables of classes, columns, sets of columns and costs. */
SEXP r_profile(SEXP table, SEXP options)
{
    SEXP owner = PROTECT(result_new(free_profile));
    ticker t;
    ticker_init(&t);
    profiling w = {.table = handle_get(table, &TABLE),
                   .options = {.struct_size = sizeof w.options,
                               .threads = (int)item_whole(options, "threads"),
                               .seed = (uint64_t)item_whole(options, "seed"),
                               .without_costs = !item_whole(options, "costs"),
                               .report = KANON_TO_PATH(path_of(item(options, "report"))),
                               .tick = ticker_tick,
                               .payload = &t}};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = run(do_profile, &w, &t, (int)item_whole(options, "progress"), &err);
    result_keep(owner, w.profile);
    if (st != KANON_OK) {
        handle_clear(owner);
        raise_failure(&err);
    }
    const kanon_profile *p = w.profile;
    SEXP list = PROTECT(list_new("records", "persons", "k", "classes", "smallest", "largest", "average_class_size",
                                 "unique_records", "unique_persons", "highest_risk", "average_risk", "sample_records",
                                 "has_entity", "sizes", "attributes", "sets", "below", "costs", NULL));
    const double numbers[] = {(double)p->records,        (double)p->persons,        (double)p->k,
                              (double)p->classes,        (double)p->smallest,       (double)p->largest,
                              p->average_class_size,     (double)p->unique_records, (double)p->unique_persons,
                              p->highest_risk,           p->average_risk,           (double)p->sample_records};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    for (int i = 0; i < NUMBERS; i++)
        SET_VECTOR_ELT(list, i, Rf_ScalarReal(numbers[i]));
    SET_VECTOR_ELT(list, NUMBERS, Rf_ScalarLogical(p->has_entity != 0));
    SET_VECTOR_ELT(list, NUMBERS + 1, size_frame(p));
    SET_VECTOR_ELT(list, NUMBERS + 2, attribute_frame(p));
    SET_VECTOR_ELT(list, NUMBERS + 3, set_frame(p->sets, p->n_sets));
    SET_VECTOR_ELT(list, NUMBERS + 4, below_frame(p));
    SET_VECTOR_ELT(list, NUMBERS + 5, cost_frame(p));
    handle_clear(owner);
    UNPROTECT(2);
    return list;
}
