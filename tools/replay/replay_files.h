/* The folder that a replay writes its results to. */
#ifndef BERTH_TOOLS_REPLAY_FILES_H
#define BERTH_TOOLS_REPLAY_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "berth/output.h"
#include "replay/replay_plot.h"

typedef struct replay_files {
    const char *folder; /* NULL: nothing is written */
    FILE *pods;         /* pods.csv, open during the replay; NULL: not wanted */
    berth_output_file *pods_file;
} replay_files;

/* Make the folder, unless it is there, and open pods.csv in it if wanted. Errors: E_IO. */
berth_status replay_files_open(replay_files *files, const char *folder, bool pods,
                               berth_error *error);

/* Write report.json, series.csv and waits.csv, and with plots plots.gp; close pods.csv. What was
 * there under these names is replaced. Errors: E_IO. */
berth_status replay_files_write(replay_files *files, const replay *r, replay_plots plots,
                                berth_error *error);

/* Give up what is open, after a failure. */
void replay_files_close(replay_files *files);

#endif
