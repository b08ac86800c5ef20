/* Figures as people read them: in reports, and in the sentences of a verdict. */
#ifndef KANON_TABLE_VALUE_FIGURE_TEXT_H
#define KANON_TABLE_VALUE_FIGURE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* A number as text, handed around by value so that it can stand among the arguments of a printf. */
typedef struct kanon__figure_text {
    char text[56];
} kanon__figure_text;

kanon__figure_text kanon__show_count(int64_t value);            /* 30,162 */
kanon__figure_text kanon__show_fixed(double value, int digits); /* 3.140 */
/* 12.3 %; below 0.1 % and above 99.9 % never rounded to nothing or all */
kanon__figure_text kanon__show_share(double share);
kanon__figure_text kanon__show_figure(double value, bool whole); /* about six digits; a dash where there is none */

#endif
