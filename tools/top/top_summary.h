/* The summary of berth top about the whole cluster. */
#ifndef BERTH_TOOLS_TOP_SUMMARY_H
#define BERTH_TOOLS_TOP_SUMMARY_H

#include <stdio.h>

#include "top/top.h"

void top_summary_print(const top *t, FILE *file);

#endif
