/* The Kubernetes version of a cluster, as its nodes report it. kube-scheduler of that version
 * decides unless an option names another. */
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

/* Starts zeroed. */
typedef struct cluster_version {
    cluster_version_count counts[CLUSTER_VERSIONS_MAX]; /* newest first */
    uint32_t count;
    char chosen[32]; /* as a value of --kubernetes; empty: no node reports a version */
    bool known; /* Berth knows the newest of them; otherwise the nearest known version was chosen */
    bool of_server; /* no node reports a version, so the API server's version counts */
} cluster_version;

/* The result of a live read. */
typedef struct cluster_version_live {
    const char *text; /* NULL: nothing was read from a server */
    size_t bytes;
    const char *server; /* the API server's version; it decides if no node reports one */
} cluster_version_live;

/* Look for kubeletVersion in the result of a live read and in the files. The newest one decides if
 * --kubernetes is not given. Standard input is read to its end, and can be read again afterwards.
 * Unreadable files are skipped; the later parsing reports them. `version` must outlive the
 * setup. */
void cluster_version_find(cluster_version *version, const cluster_version_live *live,
                          const text_list *files, engine_setup *setup);

/* Writes the version that decides: "1.32.2", or "1.37" for its newest patch. */
void cluster_version_decides(const engine_setup *setup, char *text, size_t size);

/* Writes a sentence such as "kube-scheduler 1.32.2, the version of the nodes", and a warning, which
 * may be empty. */
void cluster_version_say(const cluster_version *version, const engine_setup *setup, char *text,
                         size_t size, char *warning, size_t warning_size);

/* Prints that sentence as a line of a summary, without the warning. */
void cluster_version_print(const cluster_version *version, const engine_setup *setup, FILE *file);

#endif
