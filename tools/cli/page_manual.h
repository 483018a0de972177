/* Manual pages in man(7). */
#ifndef BERTH_TOOLS_PAGE_MANUAL_H
#define BERTH_TOOLS_PAGE_MANUAL_H

#include "cli/options.h"
#include "cli/pages.h"

extern const char *page_manual_summary; /* summary of the command whose page is written */

void page_manual_of_program(const subcommand *commands, size_t count);
void page_manual_of_command(const command_help *help, const option_group *groups,
                            size_t group_count);

#endif
