/* The options that berth run and berth serve share: which API server, the certificate that they
 * show, and their log. Named as in kube-scheduler. */
#ifndef BERTH_COMMANDS_LIVE_FLAGS_H
#define BERTH_COMMANDS_LIVE_FLAGS_H

#include "cli/options.h"

/* Their values, once the options were parsed. A program runs one command. */
typedef struct live_flags {
    const char *kubeconfig, *context, *master;
    const char *certificate_file, *key_file;
    uint64_t verbosity;
    int format; /* 1: JSON */
} live_flags;

extern live_flags live_flags_given;

/* The tables of these options. Owner: static. */
option_group live_flags_of_access(void);
option_group live_flags_of_serving(void);

/* Sets up the log as the options say. */
void live_flags_set_log(void);

#endif
