/* The kinds of objects that matter for placements, in the best order for reading a cluster: kinds
 * that admission applies come before pods. `berth dump` lets kubectl fetch them, a live read lists
 * them. */
#ifndef BERTH_TOOLS_CLUSTER_KINDS_H
#define BERTH_TOOLS_CLUSTER_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "loading/engine_setup.h"

typedef struct cluster_kind {
    const char *resource;   /* kubectl's name for it: "nodes", "replicasets.apps" */
    const char *kind;       /* "Node" */
    const char *plugins[4]; /* plugins that read it; none: it is always needed */
    const char *why;
} cluster_kind;

extern const cluster_kind cluster_kinds[];
extern const size_t cluster_kind_count;

/* Whether a plugin of the resolved setup reads it. */
bool cluster_kind_is_read(const cluster_kind *kind, const engine_setup *setup);

#endif
