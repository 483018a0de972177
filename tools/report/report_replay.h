/* Writes the data of a replay's report from the files that berth replay wrote. */
#ifndef BERTH_TOOLS_REPORT_REPLAY_H
#define BERTH_TOOLS_REPORT_REPLAY_H

#include <stdio.h>

#include "berth/status.h"

/* Read report.json and series.csv of `folder` and write them as data. Errors: BERTH_E_IO,
 * BERTH_E_PARSE. */
berth_status report_replay_write(const char *folder, const char *title, FILE *file,
                                 berth_error *error);

#endif
