/* Changes of a pod that may let it onto a node; they are tried one or two at a time. */
#ifndef BERTH_TOOLS_EDITS_H
#define BERTH_TOOLS_EDITS_H

#include "cli/words.h"
#include "explain/pod_draft.h"
#include "explain/shortfall.h"

typedef enum edit_kind {
    EDIT_TOLERATE,
    EDIT_SELECTOR,
    EDIT_NODE_AFFINITY,
    EDIT_AFFINITY,
    EDIT_ANTI_AFFINITY,
    EDIT_SPREAD,
    EDIT_HOST_PORTS,
    EDIT_GATES,
} edit_kind;

typedef struct edit {
    edit_kind kind;
    berth_str key;                  /* key of the selector's entry, or topology key */
    berth_taint taints[TAINTS_MAX]; /* to tolerate */
    uint32_t taint_count;
    uint32_t nodes; /* nodes refused for these taints */
} edit;

enum { EDITS_MAX = 32 };

typedef struct edits {
    edit items[EDITS_MAX];
    uint32_t count;
} edits;

/* Find the possible changes of the pod, in view of the nodes that refused it. Taints that the
 * system sets on nodes in trouble (node.kubernetes.io/...) are never tolerated. Node affinity that
 * the DaemonSet controller writes into its pods stays: each pod belongs to its node. */
void edits_find(edits *e, const berth_engine *engine, const berth_pod *pod,
                const berth_explanation *why);

/* Add the names of nodes that a term requires to `names`; false if it requires none. */
bool node_names_of(const berth_node_selector_term *term, word_table *names);

/* Apply one change. */
void edit_apply(const edit *e, pod_draft *draft);

/* Writes "tolerate dedicated=infra:NoSchedule". */
void edit_text(const edit *e, const berth_pod *pod, text_buffer *out);

/* The value of JSON's member `kind`: "toleration". */
const char *edit_kind_name(edit_kind kind);

#endif
