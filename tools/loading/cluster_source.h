/* Where a live cluster is read from: an interface, so that commands need no network. tools/live
 * implements it; the program registers it at its start if it was built with it. */
#ifndef BERTH_TOOLS_CLUSTER_SOURCE_H
#define BERTH_TOOLS_CLUSTER_SOURCE_H

#include "berth/status.h"
#include "loading/cluster_kinds.h"

/* Which server, and what of it. */
typedef struct cluster_request {
    const char *kubeconfig; /* NULL: the files of KUBECONFIG, then ~/.kube/config */
    const char *context;    /* NULL: the current one */
    const cluster_kind *const *kinds;
    size_t kind_count;
} cluster_request;

/* What the server has: a List in JSON, its items in the order of the kinds. Zeroed: nothing. */
typedef struct cluster_text {
    char *text; /* a mapping of `file`, to be unmapped */
    size_t bytes;
    int file;                 /* in memory; to be closed */
    char server[256];         /* its URL */
    char version[64];         /* "v1.36.2" */
    char namespace_name[128]; /* of the context */
} cluster_text;

typedef struct cluster_source {
    /* Errors: E_NOT_FOUND, E_IO, E_PARSE, E_INVALID, E_UNSUPPORTED, saying which file or server, or
     * which permission is missing; `*out` is untouched then. */
    berth_status (*read)(const cluster_request *request, cluster_text *out, berth_error *error);
    /* Commands without an input read the cluster of the current context. */
    bool is_default;
} cluster_source;

/* Call once, before a command runs. Owner: borrowed as long as the program runs. */
void cluster_source_register(const cluster_source *source);

/* NULL: this program was built without one. */
const cluster_source *cluster_source_registered(void);

#endif
