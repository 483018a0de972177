/* Manual pages and completions of shells, written from the tables of options that the commands
 * parse and print as help: there is no other list of them. */
#ifndef BERTH_TOOLS_PAGES_H
#define BERTH_TOOLS_PAGES_H

#include <stddef.h>

/* A subcommand: runs with argv[0] naming it, and returns an exit code (exits.h). */
typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} subcommand;

/* What `berth completion` and `berth manual` do: argv[0] is the word itself. */
int pages_completion(const subcommand *commands, size_t count, int argc, char **argv);
int pages_manual(const subcommand *commands, size_t count, int argc, char **argv);

#endif
