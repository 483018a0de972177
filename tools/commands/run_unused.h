/* Options of kube-scheduler that berth run accepts although they change nothing here, so that
 * kube-scheduler's command line works. */
#ifndef BERTH_COMMANDS_RUN_UNUSED_H
#define BERTH_COMMANDS_RUN_UNUSED_H

#include "cli/options.h"

/* The table of these options. Owner: static. */
option_group run_unused_options(void);

/* Warn of each one that was given. */
void run_unused_warn(void);

#endif
