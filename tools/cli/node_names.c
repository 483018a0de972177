/* Finds the domain that all nodes of a table share. */
#include "cli/node_names.h"

#include <string.h>

#include "cli/terminal.h"
#include "cli/words.h"

static berth_str domain_of(berth_str name)
{
    const char *dot = name.len > 0 ? memchr(name.data, '.', name.len) : NULL;
    if (dot == NULL || dot == name.data)
        return (berth_str){0};
    return (berth_str){dot, name.len - (uint32_t)(dot - name.data)};
}

void node_names_add(node_names *n, berth_str name)
{
    const berth_str domain = domain_of(name);
    if (!n->seen)
        n->domain = domain;
    else if (!words_equal(domain, n->domain))
        n->domain = (berth_str){0};
    n->seen = true;
}

berth_str node_names_short(const node_names *n, berth_str name)
{
    if (n->domain.len > 0 && words_equal(domain_of(name), n->domain))
        name.len -= n->domain.len;
    return name;
}

void node_names_tell(const node_names *n, FILE *file)
{
    char text[400];
    const int len =
        snprintf(text, sizeof(text), "Node names are shown without %.*s; -o wide has them whole.",
                 (int)n->domain.len, n->domain.data);
    const size_t shown = (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
    terminal_wrap(file, text, shown, 0, 0);
    fputc('\n', file);
}
