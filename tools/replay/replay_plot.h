/* Draws pictures of a replay with gnuplot, from the files that it wrote. */
#ifndef BERTH_TOOLS_REPLAY_PLOT_H
#define BERTH_TOOLS_REPLAY_PLOT_H

#include <stdio.h>

#include "replay/replay.h"

typedef enum replay_plots { PLOTS_SVG, PLOTS_PNG, PLOTS_NONE } replay_plots;

/* The words of --plots, in that order. */
extern const char *const replay_plots_names[];

/* Write a gnuplot script that draws utilization, fragmentation, queue and waits from series.csv and
 * waits.csv beside it. */
void replay_plot_script(const replay *r, replay_plots kind, FILE *file);

/* Run gnuplot on `script` in `folder`, replacing the pictures of that kind. Errors:
 * BERTH_E_NOT_FOUND if there is no gnuplot; BERTH_E_IO if it cannot be run or fails, which it
 * reports itself on standard error. */
berth_status replay_plot_run(const char *folder, const char *script, replay_plots kind,
                             berth_error *error);

#endif
