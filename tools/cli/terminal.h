/* What standard output is: how wide, and whether in colour. Settled once, before anything is
 * written; afterwards read on the program's own thread. */
#ifndef BERTH_TOOLS_TERMINAL_H
#define BERTH_TOOLS_TERMINAL_H

#include <stdint.h>
#include <stdio.h>

/* The words of --color, in the order of terminal_color. */
extern const char *const terminal_color_names[];

typedef enum terminal_color {
    TERMINAL_COLOR_AUTO = 0, /* where standard output is a terminal, and NO_COLOR is not set */
    TERMINAL_COLOR_ALWAYS,
    TERMINAL_COLOR_NEVER,
} terminal_color;

/* Choose the colour. Without a call: AUTO. */
void terminal_set_color(terminal_color color);

/* How many columns a line may have: what COLUMNS says, else the terminal, else 100. UINT32_MAX once
 * terminal_set_wide was called. */
uint32_t terminal_width(void);

/* Lines may be as long as they are (-o wide). */
void terminal_set_wide(void);

/* What a piece of text is. */
typedef enum terminal_paint {
    PAINT_HEAD, /* a title */
    PAINT_GOOD,
    PAINT_BAD,
    PAINT_DIM,
} terminal_paint;

/* The bytes that begin a colour, and end it; "" where there is none. */
const char *terminal_paint_on(terminal_paint paint);
const char *terminal_paint_off(void);

/* Write text, broken at blanks (not before a parenthesis) so that no line is wider than the
 * terminal where that can be had. `at` columns of the first line are taken; further lines begin
 * with `indent` blanks. Writes no line break at the end. */
void terminal_wrap(FILE *file, const char *text, size_t len, uint32_t at, uint32_t indent);

#endif
