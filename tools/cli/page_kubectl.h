/* Completion of `kubectl berth`. */
#ifndef BERTH_TOOLS_PAGE_KUBECTL_H
#define BERTH_TOOLS_PAGE_KUBECTL_H

#include "cli/pages.h"

/* Print what the last word may become, as kubectl expects it from the program
 * kubectl_complete-berth: a word a line, a tab and its description where there is one, and at the
 * end what the shell should do with file names. `words` are those behind "kubectl berth". Returns
 * an exit code. */
int page_kubectl(const subcommand *commands, size_t count, int word_count, char **words);

#endif
