/* A cluster that is read from an API server: options, and the text that was read. */
#ifndef BERTH_TOOLS_CLUSTER_LIVE_H
#define BERTH_TOOLS_CLUSTER_LIVE_H

#include "cli/options.h"
#include "loading/cluster_source.h"

enum { CLUSTER_LIVE_OPTIONS = 4 };

/* Zeroed: no live read. */
typedef struct cluster_live {
    /* options */
    bool wanted;
    const char *kubeconfig, *context;
    bool all_namespaces; /* accepted, but all namespaces are always read */
    /* result */
    cluster_text cluster;
    bool scales;   /* also read autoscalers */
    bool borrowed; /* the text belongs to another input, which outlives this one */
} cluster_live;

/* Write CLUSTER_LIVE_OPTIONS options to `out`; `live` must not move afterwards. */
void cluster_live_options(cluster_live *live, option *out);

/* After parsing: decide whether to read a cluster. `has_input`: the command line names files or a
 * specification. Returns EXIT_DONE, or EXIT_USAGE after a message on standard error. */
int cluster_live_check(cluster_live *live, bool has_input, const char *command);

/* Read the cluster if it is wanted and not read yet. `setup` is not resolved yet. Kinds that no
 * plugin of its configuration reads are left out, as `berth dump` does. Errors: the source's and
 * the configuration's. */
berth_status cluster_live_read(cluster_live *live, const engine_setup *setup, berth_error *error);

void cluster_live_free(cluster_live *live);

#endif
