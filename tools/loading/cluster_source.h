/* The source of live clusters, an interface: commands do not depend on the network. tools/live
 * implements it, and a program that was built with it registers it at its start. */
#ifndef BERTH_TOOLS_CLUSTER_SOURCE_H
#define BERTH_TOOLS_CLUSTER_SOURCE_H

#include "berth/status.h"
#include "loading/cluster_kinds.h"

/* Which server to read, and which kinds. */
typedef struct cluster_request {
    const char *kubeconfig; /* NULL: the files of KUBECONFIG, then ~/.kube/config */
    const char *context;    /* NULL: the current one */
    const cluster_kind *const *kinds;
    size_t kind_count;
} cluster_request;

/* The server's objects: a List in JSON, its items in the order of the kinds. Zeroed: nothing. */
typedef struct cluster_text {
    char *text; /* a mapping of `file`; the owner unmaps it */
    size_t bytes;
    int file;                 /* an in-memory file; the owner closes it */
    char server[256];         /* its URL */
    char version[64];         /* "v1.36.2" */
    char namespace_name[128]; /* of the context */
} cluster_text;

typedef struct cluster_source {
    /* Errors: BERTH_E_NOT_FOUND, BERTH_E_IO, BERTH_E_PARSE, BERTH_E_INVALID, BERTH_E_UNSUPPORTED,
     * with the file, the server or the missing permission; `*out` is untouched then. */
    berth_status (*read)(const cluster_request *request, cluster_text *out, berth_error *error);
    /* commands without an input read the cluster of the current context */
    bool is_default;
} cluster_source;

/* Call once, before a command runs. Owner: borrowed as long as the program runs. */
void cluster_source_register(const cluster_source *source);

/* Returns NULL if the program was built without a source. */
const cluster_source *cluster_source_registered(void);

#endif
