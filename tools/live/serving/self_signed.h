/* A certificate for a server that was given none, as kube-scheduler makes one: for this process
 * alone, and kept only in memory. */
#ifndef BERTH_LIVE_SELF_SIGNED_H
#define BERTH_LIVE_SELF_SIGNED_H

#include "berth/status.h"

/* Make a key (P-256) and a certificate for `host`, localhost and the loopback addresses. It is
 * valid for a year. `host` is a name or an address; "": none. Owner: both are PEM, freed with free.
 * Errors: BERTH_E_INTERNAL. */
berth_status self_signed_make(const char *host, char **certificate, char **key, berth_error *error);

#endif
