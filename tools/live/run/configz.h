/* The active configuration as /configz shows it. */
#ifndef BERTH_LIVE_CONFIGZ_H
#define BERTH_LIVE_CONFIGZ_H

#include "live/run/session.h"

/* Write it as kube-scheduler does, with the names of its fields. `options->setup` must be resolved.
 * Owner: freed with free. */
char *configz_text(const session_options *options);

#endif
