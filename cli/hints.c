/* See hints.h. One row for each topic of an error: the text stands after the hint of the library, with a semicolon
 * between them. A new topic of the library gets its row here; scripts/check-messages finds those without one. */
#include "hints.h"

#include <stddef.h>
#include <string.h>

/* One row for each topic of kanon.h; scripts/check-messages compares the two. */
static const struct {
    const char *topic, *hint;
} hints[] = {
    {"k", "give -k K, or k below privacy in the schema"},
    {"roles", "--quasi A,B names them, too"},
    {"columns", "--quasi A,B has commas between names"},
    {"header", "--header yes and --header no do that"},
    {"encoding", "--encoding NAME does that"},
    {"entity", "--entity A names it, too"},
    {"memory", "--memory SIZE says how much"},
    {"driver", "kanon drivers lists them"},
    {"numeric", "--numeric interval and --numeric range add no columns"},
    {"certificate", "kanon bound --certificate writes one"},
    {"state", "kanon anonymize --state makes one"},
    {"state-exists", "kanon insert, delete and update change it"},
    {"wait", "--wait SECONDS says how long"},
    {"update", "kanon update does that"},
    {"grow-taxonomy", "--grow-taxonomy does that"},
    {"again", "--again does that; kanon release writes a release"},
    {"joint-k", "--joint-k K says how large they are, --joint-k off that they are only counted"},
    {"repair", "--repair does that"},
};

const char *hint_about(const char *topic)
{
    for (size_t i = 0; topic != NULL && i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].topic, topic) == 0)
            return hints[i].hint;
    return "";
}
