/* Prints foreign texts, such as names and messages, on a terminal without letting them control it.
 *
 * ASCII and Unicode control characters (C0 and C1, with line breaks), characters that change the
 * direction of writing, and bytes that are not UTF-8 are written as \n, \x1b, \u009b. Everything
 * else is unchanged, backslashes included: this output is for people, programs read -o json. */
#ifndef BERTH_TOOLS_PLAIN_TEXT_H
#define BERTH_TOOLS_PLAIN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* The number of bytes that plain_text_write writes. */
size_t plain_text_length(const char *text, size_t len);

void plain_text_write(FILE *file, const char *text, size_t len);

/* Format a line and write it as plain text, with a line break. */
void plain_text_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
