/* The words that name an output format of kubectl or of other commands of this program. */
#include "report/format_words.h"

#include <stddef.h>
#include <strings.h>

bool is_format_word(const char *text)
{
    static const char *const words[] = {"json", "yaml", "csv",  "markdown", "md",
                                        "name", "wide", "text", "table",    "html"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}
