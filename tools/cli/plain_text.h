/* Texts of others, such as names and messages, on a terminal: what it might obey is shown instead.
 *
 * Control characters of ASCII and of Unicode (C1), line breaks among them, the ones that turn the
 * direction of writing around, and bytes that are no UTF-8 are written as \n, \x1b, \u009b.
 * All else stays as it is, backslashes included: it is for people, programs take -o json. */
#ifndef BERTH_TOOLS_PLAIN_TEXT_H
#define BERTH_TOOLS_PLAIN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* How many bytes plain_text_write writes. */
size_t plain_text_length(const char *text, size_t len);

void plain_text_write(FILE *file, const char *text, size_t len);

/* A line: what the format and its arguments give, as plain text, and a line break. */
void plain_text_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
