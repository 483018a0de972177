/* A text that grows, built piece by piece: sentences, and names of any length. */
#ifndef BERTH_TOOLS_TEXT_BUFFER_H
#define BERTH_TOOLS_TEXT_BUFFER_H

#include <stddef.h>

#include "berth/status.h"

/* Zeroed: empty. Terminated once something was added; freed by text_free. */
typedef struct text_buffer {
    char *text;
    size_t len;
    size_t capacity;
} text_buffer;

void text_clear(text_buffer *t);
void text_free(text_buffer *t);
void text_add(text_buffer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_str(text_buffer *t, berth_str piece);

/* Set the text to the full name of an object: "Pod default/web", or "default/web" if `kind` is
 * empty. An empty namespace stands for "default". */
berth_str text_name(text_buffer *t, berth_str kind, berth_str namespace_name, berth_str name);

/* Borrowed until the text changes; "" if there is none. */
berth_str text_str(const text_buffer *t);

#endif
