/* Escapes characters that a terminal might interpret. */
#include "cli/plain_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

enum { SHOWN_BYTES = 8 };

/* Returns the length of the UTF-8 character at `text`, where `left` bytes remain, and its code;
 * 0: it is not valid. Readers reject invalid UTF-8 already, so the finer rules need not be checked
 * here. */
static size_t character(const unsigned char *text, size_t left, uint32_t *code)
{
    size_t len = text[0] < 0x80                      ? 1
                 : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                 : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                 : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                     : 0;
    if (len == 0 || len > left)
        return 0;
    *code = len == 1 ? text[0] : text[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    return len;
}

/* Whether a character changes the direction of writing: embeddings, overrides and isolates. */
static int turns_around(uint32_t code)
{
    return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* Writes the escape for the character at `text` to `shown` and returns its length, or 0 if the
 * character is printed as it is. `*used` receives the bytes of the character. */
static size_t show(const char *text, size_t left, char shown[SHOWN_BYTES], size_t *used)
{
    uint32_t code = 0;
    int len = 0;
    *used = character((const unsigned char *)text, left, &code);
    if (*used == 0) {
        *used = 1;
        len = snprintf(shown, SHOWN_BYTES, "\\x%02x", (unsigned char)*text);
    } else if (code == '\n' || code == '\t' || code == '\r') {
        len = snprintf(shown, SHOWN_BYTES, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    } else if (code < 0x20 || code == 0x7f) {
        len = snprintf(shown, SHOWN_BYTES, "\\x%02x", (unsigned)code);
    } else if ((code >= 0x80 && code < 0xa0) || turns_around(code)) {
        len = snprintf(shown, SHOWN_BYTES, "\\u%04x", (unsigned)code & 0xffffu);
    }
    return (size_t)len;
}

/* With a NULL `file`, only computes the length. */
static size_t put(FILE *file, const char *text, size_t len)
{
    char shown[SHOWN_BYTES];
    size_t total = 0;
    size_t from = 0;
    size_t used = 0;
    for (size_t at = 0; at < len; at += used) {
        size_t instead = show(text + at, len - at, shown, &used);
        total += instead > 0 ? instead : used;
        if (instead == 0 || file == NULL)
            continue;
        fwrite(text + from, 1, at - from, file);
        fwrite(shown, 1, instead, file);
        from = at + used;
    }
    if (file != NULL && from < len)
        fwrite(text + from, 1, len - from, file);
    return total;
}

size_t plain_text_length(const char *text, size_t len)
{
    return put(NULL, text, len);
}

void plain_text_write(FILE *file, const char *text, size_t len)
{
    (void)put(file, text, len);
}

void plain_text_line(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0)
        return;
    char *text = heap_new((size_t)len + 1, 1);
    va_start(args, format);
    vsnprintf(text, (size_t)len + 1, format, args);
    va_end(args);
    plain_text_write(file, text, (size_t)len);
    fputc('\n', file);
    free(text);
}
