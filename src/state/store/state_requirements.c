/* Copies, writes and reads the requirements of a state.
 *
 *     number   name                    value
 *     0 ..     a setting: model, l, …  its text, of constraint `number` in the order of the schema
 *     -1       entity                  the column; entity-together: the records of an entity stay in one group
 *     -1       suppress, singled-out   numerator/denominator of the share
 *     -1       ends-secret             what drawn ends are drawn from, in hexadecimal digits
 *     -2 ..    permute                 of column 0, 1, ...: true
 *     -2 ..    ends                    of column 0, 1, ...: unit, grid, scale and range of drawn ends
 *
 * Texts are kept as the schema had them: constraints/ parses them anew for each table, by the same code as for a schema. */
#include "state/store/state_requirements.h"

#include "core/alloc.h"
#include "core/context.h"
#include "table/domain/drawn_ends.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum { OF_ALL = -1, OF_COLUMNS = -2 }; /* instead of a constraint's number */

/* ---- copying ----------------------------------------------------------------------------------------------------- */

/* Adds a constraint without settings. */
static kanon_status add_constraint(kanon_schema *schema, kanon__constraint_text **out, kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&schema->constraints, &schema->constraints_capacity, schema->n_constraints + 1,
                                  "constraints", err));
    *out = &schema->constraints[schema->n_constraints++];
    **out = (kanon__constraint_text){0};
    return KANON_OK;
}

static kanon_status say(kanon__constraint_text *c, const char *name, const char *value, size_t length, kanon_error *err)
{
    kanon_status st = kanon__texts_add(&c->names, name, strlen(name), err);
    return st == KANON_OK ? kanon__texts_add(&c->values, value, length, err) : st;
}

static kanon_status set_entity(kanon_schema *schema, const char *column, bool together, kanon_error *err)
{
    kanon_status st = kanon_schema_set(schema, NULL, "entity", column, err);
    return st == KANON_OK && together ? kanon_schema_set(schema, NULL, "entity-together", "true", err) : st;
}

/* Line numbers of the schema file are not copied: who has the state may not have that file. */
kanon_status kanon__state_requirements_copy(kanon_schema *to, const kanon_schema *from, kanon_error *err)
{
    kanon__constraint_text *c;
    for (int64_t i = 0; i < from->n_constraints; i++) {
        const kanon__constraint_text *said = &from->constraints[i];
        KANON_CHECK(add_constraint(to, &c, err));
        for (int64_t j = 0; j < said->names.n; j++)
            KANON_CHECK(say(c, said->names.items[j], said->values.items[j], strlen(said->values.items[j]), err));
    }
    if (from->said[KANON__WHOLE_ENTITY] != NULL)
        KANON_CHECK(set_entity(to, from->said[KANON__WHOLE_ENTITY], from->entity_together, err));
    to->suppress = from->suppress;
    to->singled_out = from->singled_out;
    return KANON_OK;
}

kanon_status kanon__state_requirements_resolve(kanon_state *s, kanon_error *err)
{
    s->entity = -1;
    const char *entity = s->requirements->said[KANON__WHOLE_ENTITY];
    for (int i = 0; entity != NULL && i < s->n_columns; i++)
        if (strcmp(s->columns[i].name, entity) == 0)
            s->entity = i;
    if (entity != NULL && s->entity < 0)
        return kanon__store_damaged(&s->store, "its entity", err);
    return KANON_OK;
}

/* ---- in the file ------------------------------------------------------------------------------------------------- */

static kanon_status put(kanon_state *s, sqlite3_stmt *statement, int64_t number, const char *name, const char *value,
                        kanon_error *err)
{
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_blob64(statement, 3, value, strlen(value), SQLITE_STATIC);
    return kanon__store_step(&s->store, statement, NULL, err);
}

static kanon_status put_share(kanon_state *s, sqlite3_stmt *statement, const char *name, kanon__fraction share,
                              kanon_error *err)
{
    char text[64];
    snprintf(text, sizeof text, "%lld/%lld", (long long)share.numerator, (long long)share.denominator);
    return share.denominator > 0 ? put(s, statement, OF_ALL, name, text, err) : KANON_OK;
}

/* The secret, and the rules of the columns. */
static kanon_status put_draw(kanon_state *s, sqlite3_stmt *statement, kanon_error *err)
{
    char text[2 * KANON__SECRET_BYTES + 1], rule[120];
    for (int i = 0; i < KANON__SECRET_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", s->draw->secret.bytes[i]);
    KANON_CHECK(put(s, statement, OF_ALL, "ends-secret", text, err));
    for (int i = 0; i < s->n_dimensions; i++) {
        const kanon__end_rule *r = &s->draw->rules[i];
        if (r->unit == 0)
            continue;
        snprintf(rule, sizeof rule, "%lld %lld %d %lld %lld", (long long)r->unit, (long long)r->grid, r->scale,
                 (long long)r->range[0], (long long)r->range[1]);
        KANON_CHECK(put(s, statement, OF_COLUMNS - s->dimensions[i], "ends", rule, err));
    }
    return KANON_OK;
}

kanon_status kanon__state_requirements_save(kanon_state *s, kanon_error *err)
{
    static const char insert[] = "INSERT INTO requirements VALUES(?, ?, ?)";
    kanon_status st = KANON_OK;
    sqlite3_stmt *statement = NULL;
    const kanon_schema *w = s->requirements;
    KANON_TRY(kanon__store_prepare(&s->store, &statement, insert, err), out);
    for (int64_t i = 0; i < w->n_constraints; i++) {
        const kanon__constraint_text *c = &w->constraints[i];
        for (int64_t j = 0; j < c->names.n; j++)
            KANON_TRY(put(s, statement, i, c->names.items[j], c->values.items[j], err), out);
    }
    const char *entity = w->said[KANON__WHOLE_ENTITY], *key = w->entity_together ? "entity-together" : "entity";
    if (entity != NULL)
        KANON_TRY(put(s, statement, OF_ALL, key, entity, err), out);
    KANON_TRY(put_share(s, statement, "suppress", w->suppress, err), out);
    KANON_TRY(put_share(s, statement, "singled-out", w->singled_out, err), out);
    for (int i = 0; i < s->n_columns; i++)
        if (s->columns[i].permuted)
            KANON_TRY(put(s, statement, OF_COLUMNS - i, "permute", "true", err), out);
    if (s->draw != NULL)
        KANON_TRY(put_draw(s, statement, err), out);
out:
    sqlite3_finalize(statement);
    return st;
}

/* A share as an exact fraction; false where it is none. */
static bool take_share(kanon__fraction *out, const char *text, size_t length)
{
    char share[64];
    long long numerator, denominator;
    if (length >= sizeof share)
        return false;
    memcpy(share, text, length);
    share[length] = '\0';
    if (sscanf(share, "%lld/%lld", &numerator, &denominator) != 2 || numerator < 0 || denominator < 1 ||
        numerator > denominator)
        return false;
    *out = (kanon__fraction){numerator, denominator};
    return true;
}

static bool take_rule(kanon_state *s, kanon__state_column *c, const char *value, size_t length)
{
    enum { MOST_SCALE = 18 };
    char text[120];
    long long unit, grid, least, most;
    kanon__end_rule *r = c->dimension >= 0 && s->draw != NULL ? &s->draw->rules[c->dimension] : NULL;
    if (r == NULL || length >= sizeof text || !kanon__state_numeric(c) || kanon__state_has_bands(c))
        return false;
    memcpy(text, value, length);
    text[length] = '\0';
    if (sscanf(text, "%lld %lld %d %lld %lld", &unit, &grid, &r->scale, &least, &most) != 5 || grid < 1 || unit < grid ||
        r->scale < 0 || r->scale > MOST_SCALE || least > most)
        return false;
    r->range[0] = least;
    r->range[1] = most;
    r->unit = unit;
    r->grid = grid;
    c->drawn = true;
    return true;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_secret(kanon_state *s, const char *value, size_t length)
{
    for (size_t i = 0; length == 2 * KANON__SECRET_BYTES && i < KANON__SECRET_BYTES; i++) {
        int high = digit_of(value[2 * i]), low = digit_of(value[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        s->draw->secret.bytes[i] = (unsigned char)(high * 16 + low);
    }
    return length == 2 * KANON__SECRET_BYTES;
}

/* What is said of a column. */
static bool take_column(kanon_state *s, int64_t number, const char *name, const char *value, size_t length)
{
    int64_t i = OF_COLUMNS - number;
    if (i < s->n_columns && strcmp(name, "ends") == 0)
        return take_rule(s, &s->columns[i], value, length);
    if (i >= s->n_columns || strcmp(name, "permute") != 0 || length != strlen("true") || memcmp(value, "true", length) != 0)
        return false;
    kanon__state_column *c = &s->columns[i];
    c->permuted = c->role == KANON_ROLE_SENSITIVE || c->role == KANON_ROLE_INSENSITIVE;
    return c->permuted;
}

/* Rows come by rising number, so a constraint begins where the number is the next one. */
static kanon_status take_row(kanon_state *s, sqlite3_stmt *row, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_schema *w = s->requirements;
    int64_t number = sqlite3_column_int64(row, 0);
    const char *name = (const char *)sqlite3_column_text(row, 1), *value = sqlite3_column_blob(row, 2);
    size_t length = (size_t)sqlite3_column_bytes(row, 2);
    char *entity = NULL;
    bool good = name != NULL && value != NULL && memchr(value, '\0', length) == NULL && number > -(int64_t)INT32_MAX &&
                number <= w->n_constraints;
    if (good && number <= OF_COLUMNS) {
        good = take_column(s, number, name, value, length);
    } else if (good && number == OF_ALL && strcmp(name, "ends-secret") == 0) {
        good = s->draw != NULL && take_secret(s, value, length);
    } else if (good && number >= 0) {
        kanon__constraint_text *c = number < w->n_constraints ? &w->constraints[number] : NULL;
        if (c == NULL)
            KANON_TRY(add_constraint(w, &c, err), out);
        KANON_TRY(say(c, name, value, length, err), out);
    } else if (good && strcmp(name, "suppress") == 0) {
        good = take_share(&w->suppress, value, length);
    } else if (good && strcmp(name, "singled-out") == 0) {
        good = take_share(&w->singled_out, value, length);
    } else if (good) {
        KANON_TRY(kanon__copy_text(&entity, value, length, "a column name", err), out);
        KANON_TRY(set_entity(w, entity, strcmp(name, "entity-together") == 0, err), out);
    }
    if (!good)
        st = kanon__store_damaged(&s->store, "its requirements", err);
out:
    kanon__free(entity);
    return st;
}

/* Room for the rules, where ends are drawn: the rows of the columns come before the others. */
static kanon_status begin_draw(kanon_state *s, kanon_error *err)
{
    int64_t n = 0;
    static const char count[] = "SELECT count(*) FROM requirements WHERE name = 'ends-secret'";
    KANON_CHECK(kanon__store_query_number(&s->store, &n, count, err));
    return n > 0 ? kanon__draw_new(&s->draw, s->n_dimensions, err) : KANON_OK;
}

kanon_status kanon__state_requirements_load(kanon_state *s, kanon_error *err)
{
    static const char select[] = "SELECT * FROM requirements ORDER BY number, name";
    kanon_status st = KANON_OK;
    sqlite3_stmt *rows = NULL;
    KANON_TRY(kanon_schema_new(&s->requirements, kanon__call_context(), err), out);
    KANON_TRY(begin_draw(s, err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &rows, select, err), out);
    while (kanon__store_next(&s->store, rows, &st, err))
        KANON_TRY(take_row(s, rows, err), out);
    KANON_TRY(st, out);
    for (int64_t i = 0; i < s->requirements->n_constraints; i++)
        if (kanon__texts_find(&s->requirements->constraints[i].names, "model", strlen("model")) < 0)
            KANON_TRY(kanon__store_damaged(&s->store, "its requirements", err), out);
    KANON_TRY(kanon__state_requirements_resolve(s, err), out);
out:
    sqlite3_finalize(rows);
    return st;
}

void kanon__state_requirements_clear(kanon_state *s)
{
    kanon_schema_free(s->requirements);
    kanon__free(s->changed_groups);
    kanon__draw_free(s->draw);
    s->draw = NULL;
    s->requirements = NULL;
    s->changed_groups = NULL;
    s->n_changed_groups = s->changed_groups_capacity = 0;
}
