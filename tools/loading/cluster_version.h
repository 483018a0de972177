/* The version that a cluster runs, as its nodes tell it: kube-scheduler of that version decides
 * unless another one is asked for. */
#ifndef BERTH_TOOLS_CLUSTER_VERSION_H
#define BERTH_TOOLS_CLUSTER_VERSION_H

#include <stdio.h>

#include "cli/options.h"
#include "loading/engine_setup.h"

enum { CLUSTER_VERSIONS_MAX = 16 };

typedef struct cluster_version_count {
    uint32_t minor, patch; /* of Kubernetes 1 */
    uint64_t nodes;
} cluster_version_count;

/* Zeroed: nothing looked at. */
typedef struct cluster_version {
    cluster_version_count counts[CLUSTER_VERSIONS_MAX]; /* newest first */
    uint32_t count;
    char chosen[32]; /* what --kubernetes would say; empty: the nodes tell nothing */
    bool known;      /* Berth knows the newest of them; else the nearest that it knows was chosen */
    bool of_server;  /* no node tells a version: the one count is the API server's */
} cluster_version;

/* What a live read brought. */
typedef struct cluster_version_live {
    const char *text; /* NULL: nothing was read from a server */
    size_t bytes;
    const char *server; /* the API server's version, which decides if no node tells one */
} cluster_version_live;

/* Look for kubeletVersion in what a live read brought and in the files, and let the newest one
 * decide if --kubernetes is not given.
 * Standard input is read to its end, and can be read again. What can't be read is passed over:
 * whoever reads it in earnest says so. `version` outlives the setup. */
void cluster_version_find(cluster_version *version, const cluster_version_live *live,
                          const text_list *files, engine_setup *setup);

/* The version that decides: "1.32.2", or "1.37" for its newest patch. */
void cluster_version_decides(const engine_setup *setup, char *text, size_t size);

/* "kube-scheduler 1.32.2, the version of the nodes" and the like; the second text is a warning, or
 * empty. */
void cluster_version_say(const cluster_version *version, const engine_setup *setup, char *text,
                         size_t size, char *warning, size_t warning_size);

/* The same as a line of a summary, without the warning. */
void cluster_version_print(const cluster_version *version, const engine_setup *setup, FILE *file);

#endif
