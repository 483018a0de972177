/* The template of a report, made by the build from page.html, page.css and page.js. */
#ifndef BERTH_TOOLS_REPORT_TEMPLATE_H
#define BERTH_TOOLS_REPORT_TEMPLATE_H

#include <stddef.h>

extern const unsigned char report_template[];
extern const size_t report_template_bytes;

#endif
