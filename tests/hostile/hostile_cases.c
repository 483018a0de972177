/* Clusters that somebody who controls objects might send, each with one list of any requested
 * length.
 *
 * Usage: hostile_cases --list | CASE N
 * Prints the names of the cases, or the objects of one case with a list of length N. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile_templates.h"

/* ---- templates ---- */

/* The end of the repetition that begins at `from`, behind its '<'. */
static const char *end_of(const char *from)
{
    unsigned depth = 1;
    for (;; from++) {
        depth += *from == '<';
        depth -= *from == '>';
        if (depth == 0)
            return from;
    }
}

static void print(const char *from, const char *end, uint32_t n, uint32_t number)
{
    for (; from < end; from++) {
        if (*from == '#') {
            printf("%u", number);
        } else if (*from == '@') {
            printf("%u", n);
        } else if (*from == '<') {
            const char *last = end_of(from + 1);
            for (uint32_t i = 0; i < n; i++) {
                if (i > 0 && from[1] != '.')
                    putchar(from[1]);
                print(from + 2, last, n, i);
            }
            from = last;
        } else {
            putchar(*from);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++)
            printf("%s %u\n", templates[i].name, templates[i].n);
        return 0;
    }
    for (size_t i = 0; argc == 3 && i < sizeof(templates) / sizeof(templates[0]); i++)
        if (strcmp(templates[i].name, argv[1]) == 0) {
            const char *text = templates[i].text;
            print(text, text + strlen(text), (uint32_t)strtoul(argv[2], NULL, 10), 0);
            return 0;
        }
    fprintf(stderr, "usage: hostile_cases --list | CASE N\n");
    return 2;
}
