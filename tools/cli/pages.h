/* Manual pages and shell completions, written from the same tables of options that the commands
 * parse and print as help. There is no other list of options. */
#ifndef BERTH_TOOLS_PAGES_H
#define BERTH_TOOLS_PAGES_H

#include <stddef.h>

/* A subcommand: runs with argv[0] naming it, and returns an exit code (exits.h). */
typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} subcommand;

/* The commands `berth completion` and `berth manual`; argv[0] is that word. */
int pages_completion(const subcommand *commands, size_t count, int argc, char **argv);
int pages_manual(const subcommand *commands, size_t count, int argc, char **argv);

#endif
