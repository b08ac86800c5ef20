/* What all pages have in common: one style sheet inside the page, light and dark, for the screen and for A4 paper,
 * without scripts, fonts or pictures from elsewhere. */
#ifndef KANON_REPORT_PAGE_H
#define KANON_REPORT_PAGE_H

#include "report/markup.h"

/* Head and heading of a page; `subject` follows `title`, and is escaped. */
void kanon__page_begin(kanon__output *output, const char *title, const char *subject);
void kanon__page_end(kanon__output *output);

/* A part begins with its heading; `id` is its name inside the page. */
void kanon__html_begin(kanon__output *output, const char *id, const char *heading);
void kanon__html_end(kanon__output *output);
/* Any text, escaped. */
void kanon__html_text(kanon__output *output, const char *text);

#endif
