/* A JSON value as text. Called by report_json.c, tradeoff/curve_write.c and profile/profile_json.c; calls jansson. */
#ifndef KANON_REPORT_JSON_TEXT_H
#define KANON_REPORT_JSON_TEXT_H

#include <jansson.h>

/* To be freed with kanon__free; NULL: out of memory. */
char *kanon__json_text(const json_t *value);

#endif
