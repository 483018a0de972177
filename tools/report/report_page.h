/* Writes a page of HTML that shows a cluster or a replay. The page contains its styles and its
 * script, and fetches nothing from the network. */
#ifndef BERTH_TOOLS_REPORT_PAGE_H
#define BERTH_TOOLS_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "berth/status.h"

/* Write the page around `data`, a JSON document of `bytes`. Markup in texts is shown as text.
 * `live`: berth serve serves the page, so it may query and follow its server. */
void report_page_write(const char *data, size_t bytes, bool live, FILE *file);

#endif
