/* The JSON texts that are written for every pod, put together without a tree: jansson builds all
 * others (write_json.h), and the same text of these, some ten times slower. */
#ifndef BERTH_LIVE_JSON_TEXT_H
#define BERTH_LIVE_JSON_TEXT_H

#include <stddef.h>

#include "berth/status.h"

typedef struct json_text {
    char *data; /* ends in NUL; on the heap. Owner: freed with free */
    size_t len, capacity;
} json_text;

/* Add a part as it is: punctuation, and keys with their quotes. */
void json_text_part(json_text *text, const char *part);

/* Add a string with quotes; what is no UTF-8 becomes question marks. Absent: "". */
void json_text_str(json_text *text, berth_str value);

/* Add a part, and then a string. */
void json_text_pair(json_text *text, const char *part, berth_str value);

#endif
