/* See bridge.h: which request is answered by what, errors as JSON, and the entry points of the WebAssembly module,
 * which has one bridge. */
#include "bridge.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bridge_request *answer;
} requests[] = {
    {"about", bridge_about},
    {"sample", bridge_sample},
    {"schema", bridge_schema},
    {"propose", bridge_propose},
    {"profile", bridge_profile},
    {"taxonomy-build", bridge_taxonomy_build},
    {"taxonomy-show", bridge_taxonomy_show},
    {"taxonomy-check", bridge_taxonomy_check},
    {"run", bridge_run},
    {"measure", bridge_measure},
    {"publish", bridge_publish},
    {"tradeoff", bridge_tradeoff},
    {"check", bridge_check},
    {"evaluate", bridge_evaluate},
};

/* The same words in every host: design of the hosts, and the page's classes of errors. */
static const char *code_of(kanon_status status)
{
    static const char *const codes[] = {
        [KANON_OK] = "ok",
        [KANON_EINVAL] = "usage",
        [KANON_EDATA] = "data",
        [KANON_EINFEASIBLE] = "infeasible",
        [KANON_ENOMEM] = "memory",
        [KANON_EIO] = "io",
        [KANON_ECANCELLED] = "cancelled",
        [KANON_EVERSION] = "version",
        [KANON_EINTERNAL] = "internal",
    };
    return (size_t)status < sizeof codes / sizeof *codes ? codes[status] : "internal";
}

static json_t *refuse(const kanon_error *err, kanon_status status)
{
    return json_pack("{s:{s:s, s:s, s:s, s:o}}", "error", "code", code_of(status), "message",
                     err->message[0] != '\0' ? err->message : kanon_enum_text(KANON_ENUM_STATUS, status), "hint", err->hint,
                     "topic",
                     bridge_string(err->topic));
}

void bridge_forget(bridge *self)
{
    kanon_measures_free(self->measures);
    kanon_grouping_free(self->grouping);
    kanon_table_free(self->table);
    kanon_schema_free(self->schema);
    self->measures = NULL;
    self->grouping = NULL;
    self->table = NULL;
    self->schema = NULL;
}

json_t *bridge_answer(bridge *self, const json_t *request)
{
    const char *name = bridge_text(request, "do");
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = KANON_EINVAL;
    for (size_t i = 0; name != NULL && i < sizeof requests / sizeof *requests; i++) {
        if (strcmp(requests[i].name, name) != 0)
            continue;
        json_t *answer = json_object();
        st = bridge_check_fields(request, &err);
        if (st == KANON_OK)
            st = requests[i].answer(self, request, answer, &err);
        if (st == KANON_OK)
            return answer;
        json_decref(answer);
        return refuse(&err, st);
    }
    st = bridge_fail(&err, KANON_EINVAL, "no such request");
    return refuse(&err, st);
}

/* ---- WebAssembly ------------------------------------------------------------------------------------------------- */

#ifdef __EMSCRIPTEN__
#include <emscripten.h>

/* Module.onTick(stage, done, total, detail, can_finish) answers as a kanon_tick does. The body is JavaScript. */
/* clang-format off */
EM_JS(int, web_tick, (const char *stage, double done, double total, const char *detail, int can_finish), {
    const what = detail ? UTF8ToString(detail) : null;
    return Module["onTick"] ? Module["onTick"](UTF8ToString(stage), done, total, what, !!can_finish) : 0;
})
/* clang-format on */

static int tick(const kanon_progress *now, void *payload)
{
    (void)payload;
    return web_tick(now->stage, (double)now->done, (double)now->total, now->detail, now->can_finish);
}

char *web_call(const char *text);
void web_free(char *answer);

/* The answer as text, to be freed by web_free; NULL: out of memory. */
char *web_call(const char *text)
{
    static bridge only = {.context = {.struct_size = sizeof(kanon_context), .threads = 1, .temporary = "/tmp"},
                          .tick = tick};
    json_t *request = json_loads(text, 0, NULL);
    json_t *answer = bridge_answer(&only, request);
    char *out = answer != NULL ? json_dumps(answer, JSON_COMPACT) : NULL;
    json_decref(answer);
    json_decref(request);
    return out;
}

void web_free(char *answer)
{
    free(answer);
}
#endif
