/* The address of an HTTP extender and how its identity is verified, from its configuration. */
#ifndef BERTH_LIVE_EXTENDER_ACCESS_H
#define BERTH_LIVE_EXTENDER_ACCESS_H

#include "berth/kube.h"
#include "live/transport/curl_transport.h"

typedef struct extender_access {
    server_access server;
    char *texts[8]; /* that the server's members point to */
    unsigned text_count;
} extender_access;

/* Errors: BERTH_E_INVALID (the field is named). Owner: freed by extender_access_free, even after an
 * error. */
berth_status extender_access_make(extender_access *access, const berth_extender_config *config,
                                  berth_error *error);
void extender_access_free(extender_access *access);

/* For a transport; `self` is the extender_access. */
extern const access_ops extender_access_ops;

#endif
