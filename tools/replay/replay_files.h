/* The folder to which a replay writes its results. */
#ifndef BERTH_TOOLS_REPLAY_FILES_H
#define BERTH_TOOLS_REPLAY_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "berth/output.h"
#include "replay/replay_plot.h"

typedef struct replay_files {
    const char *folder; /* NULL: nothing is written */
    FILE *pods;         /* pods.csv, open during the replay; NULL: not requested */
    berth_output_file *pods_file;
} replay_files;

/* Create the folder if necessary, and open pods.csv in it if requested. Errors: BERTH_E_IO. */
berth_status replay_files_open(replay_files *files, const char *folder, bool pods,
                               berth_error *error);

/* Write report.json, series.csv and waits.csv, and plots.gp if plots are requested; close pods.csv.
 * Existing files of these names are replaced. Errors: BERTH_E_IO. */
berth_status replay_files_write(replay_files *files, const replay *r, replay_plots plots,
                                berth_error *error);

/* Discard open files after a failure. */
void replay_files_close(replay_files *files);

#endif
