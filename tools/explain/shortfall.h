/* What refused nodes lack for a pod: amounts, tolerations, labels; node by node, nearest first. */
#ifndef BERTH_TOOLS_SHORTFALL_H
#define BERTH_TOOLS_SHORTFALL_H

#include "berth/berth.h"
#include "cli/text_buffer.h"

/* A resource that a node lacks. Texts are the engine's. */
typedef struct shortage {
    berth_str resource;
    int64_t asked;       /* cpu in milli, all else in units; "pods": 1 */
    int64_t free;        /* negative if more is requested than exists */
    int64_t allocatable; /* of the node */
    int64_t less;        /* asked - free */
} shortage;

enum { SHORTAGES_MAX = 16, TAINTS_MAX = 16, MISSING_MAX = 16 };

/* Lists the resources that the node lacks for the pod; returns their number, at most
 * SHORTAGES_MAX. */
uint32_t shortages_of(const berth_engine *engine, berth_pod_id pod, berth_node_id node,
                      shortage out[SHORTAGES_MAX]);

/* The node's taints that keep the pod away; at most TAINTS_MAX. */
uint32_t untolerated_of(const berth_engine *engine, const berth_pod *pod, berth_node_id node,
                        berth_taint out[TAINTS_MAX]);

/* The labels that the node would need for the pod's nodeSelector and for one term of its required
 * node affinity, the one that needs the fewest; at most MISSING_MAX. `*all`: they are enough. They
 * are not enough if a label would have to be absent, or if the node would need another name. */
uint32_t missing_labels_of(const berth_engine *engine, const berth_pod *pod, berth_node_id node,
                           berth_key_value out[MISSING_MAX], bool *all);

/* The kind of refusal by the plugin's name, of v1.32 and later and of v1.15. */
bool refused_for_resources(berth_str plugin);
bool refused_for_taints(berth_str plugin);
bool refused_for_labels(berth_str plugin);
bool refused_for_spread(berth_str plugin);
bool refused_as_cordoned(berth_str plugin);
bool refused_for_devices(berth_str plugin);

/* One node that was refused. */
typedef struct refused_node {
    berth_node_id node;
    uint32_t first; /* first of its refusals in the explanation */
    uint32_t count;
    double distance; /* distance from accepting the pod; smaller is nearer */
    char *lack;      /* "500m cpu short (asks 1, 500m of 2 free)" */
} refused_node;

typedef struct shortfalls {
    refused_node *nodes; /* nearest first, then in search order */
    uint32_t count;
} shortfalls;

/* Describe every refusal of an explanation. `pod` is the object of `id`. */
void shortfalls_make(shortfalls *s, berth_engine *engine, berth_pod_id id, const berth_pod *pod,
                     const berth_explanation *why);
void shortfalls_free(shortfalls *s);

/* Writes "key=value:effect", as kubectl does. */
void taint_text(text_buffer *out, const berth_taint *taint);

#endif
