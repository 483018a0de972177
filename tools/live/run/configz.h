/* The configuration in use as /configz shows it. */
#ifndef BERTH_LIVE_CONFIGZ_H
#define BERTH_LIVE_CONFIGZ_H

#include "live/run/session.h"

/* As kube-scheduler's: the names are those of its own fields. `options->setup` is resolved. Owner:
 * freed with free. */
char *configz_text(const session_options *options);

#endif
