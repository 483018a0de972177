/* The width of standard output, its colours, and text broken to that width. */
#include "cli/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/plain_text.h"

enum { WIDTH_OF_A_FILE = 100, WIDTH_LEAST = 40, ROOM_LEAST = 24 };

const char *const terminal_color_names[] = {"auto", "always", "never", NULL};

static terminal_color chosen;
static bool wide;
static uint32_t known_width; /* 0: not determined yet */
static int known_colored = -1;

void terminal_set_color(terminal_color color)
{
    chosen = color;
    known_colored = -1;
}

void terminal_set_wide(void)
{
    wide = true;
}

static uint32_t find_width(void)
{
    struct winsize size;
    uint64_t columns = 0;
    const char *text = getenv("COLUMNS");
    if ((text == NULL || !options_number(text, 1, UINT16_MAX, &columns)) && isatty(STDOUT_FILENO) &&
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    if (columns == 0)
        return WIDTH_OF_A_FILE;
    return columns < WIDTH_LEAST ? WIDTH_LEAST : (uint32_t)columns;
}

uint32_t terminal_width(void)
{
    if (known_width == 0)
        known_width = find_width();
    return wide ? UINT32_MAX : known_width;
}

/* no-color.org: NO_COLOR counts if it is set and not empty. */
static bool find_colored(void)
{
    const char *refused = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    if (chosen != TERMINAL_COLOR_AUTO)
        return chosen == TERMINAL_COLOR_ALWAYS;
    return (refused == NULL || refused[0] == '\0') && isatty(STDOUT_FILENO) &&
           (kind == NULL || strcmp(kind, "dumb") != 0);
}

static bool colored(void)
{
    if (known_colored < 0)
        known_colored = find_colored();
    return known_colored != 0;
}

const char *terminal_paint_on(terminal_paint paint)
{
    static const char *const codes[] = {
        [PAINT_HEAD] = "\033[1m",
        [PAINT_GOOD] = "\033[32m",
        [PAINT_BAD] = "\033[31m",
        [PAINT_DIM] = "\033[2m",
    };
    return colored() ? codes[paint] : "";
}

const char *terminal_paint_off(void)
{
    return colored() ? "\033[0m" : "";
}

/* The length up to the next blank at which a line may be broken. No break before a parenthesis,
 * which belongs to the word before it. */
static size_t word_length(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && (text[at] != ' ' || (at + 1 < len && text[at + 1] == '(')))
        at++;
    return at;
}

void terminal_wrap(FILE *file, const char *text, size_t len, uint32_t at, uint32_t indent)
{
    uint32_t width = terminal_width();
    uint32_t column = at;
    size_t from = 0;
    if (width != UINT32_MAX && indent + ROOM_LEAST > width)
        width = indent + ROOM_LEAST; /* a line that is too wide reads better than tiny pieces */
    while (from < len) {
        size_t word = word_length(text + from, len - from);
        bool first = column == at && from == 0;
        if (!first && column + 1 + word > width) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', file);
            column++;
        }
        plain_text_write(file, text + from, word);
        column += (uint32_t)plain_text_length(text + from, word);
        from += word + 1;
    }
}
