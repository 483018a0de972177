/* Recognizes words that name an output format. If one is given where a file is expected, it is a
 * mistake. */
#ifndef BERTH_TOOLS_REPORT_FORMAT_WORDS_H
#define BERTH_TOOLS_REPORT_FORMAT_WORDS_H

#include <stdbool.h>

/* Whether `text` names a format, ignoring case. "./json" is a file. */
bool is_format_word(const char *text);

#endif
