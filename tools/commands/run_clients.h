/* The options of berth run about the clients of what it serves: who they are, and what they may
 * read. Named as in kube-scheduler. */
#ifndef BERTH_COMMANDS_RUN_CLIENTS_H
#define BERTH_COMMANDS_RUN_CLIENTS_H

#include "cli/options.h"
#include "live/run/session.h"

/* The table of these options. Owner: static. */
option_group run_clients_options(void);

/* Take them over. Call run_clients_free when no session runs any more. Errors: BERTH_E_ARG (a
 * time), those of kubeconfig_read_file. */
berth_status run_clients_read(session_options *session, berth_error *error);
void run_clients_free(void);

#endif
