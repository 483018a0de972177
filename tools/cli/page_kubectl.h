/* Completion of `kubectl berth`. */
#ifndef BERTH_TOOLS_PAGE_KUBECTL_H
#define BERTH_TOOLS_PAGE_KUBECTL_H

#include "cli/pages.h"

/* Print the completions of the last word in the form that kubectl expects from the program
 * kubectl_complete-berth: one word per line, with a tab and a description if there is one; the last
 * line says whether the shell may complete file names. `words` are those after "kubectl berth".
 * Returns an exit code. */
int page_kubectl(const subcommand *commands, size_t count, int word_count, char **words);

#endif
