/* Words that name an output format. Given where a file is wanted, they are a mistake. */
#ifndef BERTH_TOOLS_REPORT_FORMAT_WORDS_H
#define BERTH_TOOLS_REPORT_FORMAT_WORDS_H

#include <stdbool.h>

/* Whether `text` is the name of a format, in letters of either case. "./json" is a file. */
bool is_format_word(const char *text);

#endif
