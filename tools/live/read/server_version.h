/* The version of an API server, from its /version, and which version's rules decide for it. */
#ifndef BERTH_TOOLS_SERVER_VERSION_H
#define BERTH_TOOLS_SERVER_VERSION_H

#include <stdbool.h>

#include "berth/engine.h"

typedef struct server_version {
    int minor;         /* of Kubernetes 1.x; 0: of another major version */
    char text[16];     /* "1.38" */
    const char *rules; /* what decides; NULL: its rules are not known */
    char newest[16];   /* the newest rules known */
    bool is_newer;     /* one release newer than these, which therefore decide */
} server_version;

/* Parse the answer to /version. `rules`, from --kubernetes, decide instead if they are given, and
 * must live as long as `out`, which must not move. False: the text is none of an API server. */
bool server_version_parse(berth_str body, const char *rules, server_version *out);

/* Say on standard error, for a command, that the version's rules are not known. */
void server_version_refuse(const server_version *version, const char *command);

#endif
