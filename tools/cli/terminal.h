/* Properties of standard output: width and colour. Set once before anything is written; afterwards
 * read on the program's main thread. */
#ifndef BERTH_TOOLS_TERMINAL_H
#define BERTH_TOOLS_TERMINAL_H

#include <stdint.h>
#include <stdio.h>

/* The words of --color, in the order of terminal_color. */
extern const char *const terminal_color_names[];

typedef enum terminal_color {
    TERMINAL_COLOR_AUTO = 0, /* if standard output is a terminal and NO_COLOR is not set */
    TERMINAL_COLOR_ALWAYS,
    TERMINAL_COLOR_NEVER,
} terminal_color;

/* Choose the colour. Default: AUTO. */
void terminal_set_color(terminal_color color);

/* The width of a line: COLUMNS, else the terminal's width, else 100. UINT32_MAX after
 * terminal_set_wide. */
uint32_t terminal_width(void);

/* Do not limit the length of lines (-o wide). */
void terminal_set_wide(void);

/* The role of a piece of text, which decides its colour. */
typedef enum terminal_paint {
    PAINT_HEAD, /* a title */
    PAINT_GOOD,
    PAINT_BAD,
    PAINT_DIM,
} terminal_paint;

/* The bytes that begin and end a colour; "" without colour. */
const char *terminal_paint_on(terminal_paint paint);
const char *terminal_paint_off(void);

/* Write text, broken at blanks (not before a parenthesis) so that lines fit the terminal where
 * possible. `at` columns of the first line are already used; further lines begin with `indent`
 * blanks. Writes no line break at the end. */
void terminal_wrap(FILE *file, const char *text, size_t len, uint32_t at, uint32_t indent);

#endif
