/* A page of HTML that shows a cluster, or a replay, by itself: template, styles and script are in
 * it, and nothing is fetched. */
#ifndef BERTH_TOOLS_REPORT_PAGE_H
#define BERTH_TOOLS_REPORT_PAGE_H

#include <stdio.h>

#include "berth/status.h"

/* Write the page around `data`, a JSON document of `bytes`. Whatever stands in its texts is text on
 * the page, too. */
void report_page_write(const char *data, size_t bytes, FILE *file);

#endif
