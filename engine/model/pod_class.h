/* Pod classes: everything that the rules read of a pod, interned.
 *
 * A class consists of parts (requests, node rules, images, ports, identity, pod rules, volumes,
 * claims of devices). Each part is interned by itself, so classes that differ in one part share the
 * others. Pods of one template have one class. Classes and parts count their users and are freed
 * with the last one. */
#ifndef BERTH_MODEL_POD_CLASS_H
#define BERTH_MODEL_POD_CLASS_H

#include "model/labels.h"
#include "model/model.h"
#include "model/tolerations.h"

/* Common head of every part. No two parts of an engine ever have the same `serial`. */
typedef struct berth__part {
    berth__keymap_entry entry;
    berth__arena arena; /* holds the part itself */
    uint64_t serial;
    uint32_t users;
    bool has_texts; /* some words of its key are text ids */
} berth__part;

/* ---- requests ---- */

typedef struct berth__scalar_request {
    uint32_t resource;
    int64_t ask;    /* what a node must have free */
    int64_t use;    /* what the pod uses once it is on the node */
    int64_t scored; /* what its containers request, in NodeResourcesFit's score */
} berth__scalar_request;

/* Totals of a pod. `ask` and `use` differ if a pod on a node was resized in place. Under v1.15's
 * rules, only `ask` includes init containers. Source: component-helpers v0.32, resource/helpers.go,
 * PodRequests; Kubernetes v1.15.3, predicates.GetResourceRequest and nodeinfo.calculateResource. */
typedef struct berth__request {
    berth__part part;
    int64_t ask[BERTH__SCALARS]; /* cpu milli, memory, ephemeral-storage */
    int64_t use[BERTH__SCALARS];
    /* For scores, of a pod on the node: milli, with 100m for containers without a request; bytes,
     * with 200 MiB for those. */
    int64_t nonzero_cpu;
    int64_t nonzero_memory;
    /* The same for the pod that is scored, which counts only its containers. */
    int64_t scored_cpu;
    int64_t scored_memory;
    const berth__scalar_request *scalars; /* every named scalar, by resource */
    uint32_t scalar_count;
    bool best_effort; /* no regular container has a cpu or memory request or limit above 0 */
} berth__request;

/* ---- requirements on a node's own facts ---- */

/* spec.nodeName is not part of a class: a pod that has one is on that node (see api/engine.c). */
typedef struct berth__interned_node_preference {
    int32_t weight;
    berth__node_term term;
} berth__interned_node_preference;

/* Features of a kubelet that a pod's fields require.
 * Source: component-helpers v0.36, nodedeclaredfeatures. */
#define BERTH__FEATURE_LIST(X)                                 \
    X(RESTARTS_ALL, 0, "RestartAllContainersOnContainerExits") \
    X(HOST_NETWORK_USERS, 1, "UserNamespacesHostNetworkSupport")
enum {
#define X(name, bit, text) BERTH__FEATURE_##name = 1 << (bit),
    BERTH__FEATURE_LIST(X)
#undef X
};

typedef struct berth__node_rules {
    berth__part part;
    uint32_t features; /* BERTH__FEATURE_*: the node must declare them */
    bool has_selector; /* nodeSelector has entries */
    bool has_required;
    bool has_preferred;
    berth__labels selector; /* every pair must be on the node */
    /* v1.15.3 ignores the whole nodeSelector map if one key or value is malformed. */
    bool selector_malformed;
    berth__interned_node_selector required;
    const berth__interned_node_preference *preferred;
    uint32_t preferred_count;
    berth_str preferred_problem; /* of malformed terms, in kube-scheduler's words; absent: none */
    berth__tolerations tolerations;
} berth__node_rules;

/* ---- images and ports ---- */

typedef struct berth__image_list {
    berth__part part;
    const berth__sym *names; /* normalised names: of init containers, regular ones, image volumes */
    uint32_t count;
    uint32_t init_count;
    uint32_t container_count; /* init containers included */
} berth__image_list;

typedef struct berth__host_port {
    berth__sym ip;
    berth__sym protocol;
    int32_t port;
} berth__host_port;

/* By port, protocol and address. */
static inline int berth__host_port_order(const void *a, const void *b)
{
    const berth__host_port *one = a, *other = b;
    if (one->port != other->port)
        return one->port < other->port ? -1 : 1;
    if (one->protocol != other->protocol)
        return one->protocol < other->protocol ? -1 : 1;
    return (one->ip > other->ip) - (one->ip < other->ip);
}

typedef struct berth__port_list {
    berth__part part;
    const berth__host_port
        *items; /* hostPort > 0, of containers that run while the pod runs; sorted */
    uint32_t count;
} berth__port_list;

/* ---- what other pods see of a pod ---- */

typedef struct berth__identity {
    berth__part part;
    berth__sym namespace_name;
    berth__labels labels;
    berth__labels annotations; /* those that plugins read */
    /* controller owner; 0 if there is none */
    berth__sym owner_api_version;
    berth__sym owner_kind;
    berth__sym owner_name;
    berth__sym owner_uid;
    berth__sym pod_group; /* in the same namespace; 0: none, or groups are not followed */
} berth__identity;

/* ---- requirements on other pods ---- */

/* A pod (anti-)affinity term; an omitted namespace is filled in. */
typedef struct berth__pod_term {
    berth__sym topology_key;
    int32_t weight; /* of preferred terms */
    berth__selector selector;
    const berth__sym *namespaces; /* sorted */
    uint32_t namespace_count;
    berth__selector namespace_selector; /* NOTHING when nil */
} berth__pod_term;

typedef struct berth__pod_terms {
    const berth__pod_term *items;
    uint32_t count;
} berth__pod_terms;

typedef struct berth__spread_rule {
    int32_t max_skew;
    int32_t min_domains; /* 1 when nil */
    berth__sym topology_key;
    bool hard; /* DoNotSchedule */
    bool soft; /* ScheduleAnyway; for any other word both are false */
    bool honor_affinity;
    bool honor_taints;
    berth__selector selector; /* includes matchLabelKeys */
} berth__spread_rule;

typedef struct berth__pod_rules {
    berth__part part;
    bool has_affinity; /* podAffinity or podAntiAffinity is present */
    berth__pod_terms required_affinity;
    berth__pod_terms required_anti_affinity;
    berth__pod_terms preferred_affinity;
    berth__pod_terms preferred_anti_affinity;
    const berth__spread_rule *spreads;
    uint32_t spread_count;
    bool malformed; /* some term has a malformed selector; its own text says why */
} berth__pod_rules;

/* ---- volumes ---- */

/* Whether the storage plugins handle volumes of that kind. */
static inline bool berth__is_storage(berth_volume_kind kind)
{
    return kind != BERTH_VOLUME_OTHER && kind != BERTH_VOLUME_IMAGE &&
           kind != BERTH_VOLUME_EMPTY_DIR;
}

typedef struct berth__pod_volume {
    berth_volume_kind kind;
    berth__sym name;   /* of the volume in the pod */
    berth__sym handle; /* claim name for CLAIM and EPHEMERAL */
    berth__sym pool;
    berth__sym uri;
    berth__sym disk_kind;
    const berth__sym *monitors;
    uint32_t monitor_count;
    bool read_only;
} berth__pod_volume;

typedef struct berth__volume_list {
    berth__part part;
    berth__sym namespace_name;      /* of the claims */
    berth__sym pod_uid;             /* if a volume is EPHEMERAL, else 0 */
    berth__sym pod_name;            /* the same */
    const berth__pod_volume *items; /* the volumes of storage kinds */
    uint32_t count;
} berth__volume_list;

/* ---- claims of devices ---- */

/* An entry of spec.resourceClaims; entries whose template needed no claim are left out. */
typedef struct berth__device_demand {
    berth__sym entry; /* its name in the pod */
    berth__sym claim; /* the claim's name; 0: it has none yet */
    bool from_template;
    bool neither; /* it names neither a claim nor a template */
} berth__device_demand;

typedef struct berth__claim_list {
    berth__part part;
    berth__sym namespace_name; /* of pod and claims */
    berth__sym pod_uid, pod_name;
    const berth__device_demand *items; /* in order; empty: no entry needs a claim */
    uint32_t count;
} berth__claim_list;

/* ---- extended resources that devices may provide ---- */

/* What one container requests of one of them. */
typedef struct berth__container_ask {
    uint32_t container; /* its number, init containers first */
    bool lasts;         /* a regular container, or an init container that keeps running */
    uint32_t resource;  /* a column */
    berth__sym request; /* name of the device request made for it: container-N-request-M */
    berth__sym name;    /* the container's name */
    int64_t count;      /* above 0 */
} berth__container_ask;

typedef struct berth__extended_asks {
    berth__part part;
    const berth__container_ask *items; /* by container */
    uint32_t count;
} berth__extended_asks;

/* ---- the class ---- */

/* Unneeded parts are NULL, except request, images and identity. */
typedef struct berth__class {
    berth__keymap_entry entry;
    uint64_t serial; /* no other class of the engine ever has it */
    uint32_t users;
    uint32_t place; /* a small number, unique among the classes that exist */
    const berth__request *request;
    const berth__node_rules *node_rules;
    const berth__image_list *images;
    const berth__port_list *ports;
    const berth__identity *identity;
    const berth__pod_rules *pod_rules;
    const berth__volume_list *volumes;
    const berth__claim_list *claims;
    const berth__extended_asks *extended; /* NULL also if devices provide no resources */
    berth__sym scheduler_name;
    berth__sym gates; /* names of scheduling gates joined by blanks; 0: none */
    bool preempts;    /* preemptionPolicy is not Never */
    bool deleting;
    berth_object *sample; /* the first pod of the class, if the engine keeps objects; else NULL */
    /* Uses by snapshots that were freed, not released yet; sync: atomic, pair MODEL-2. */
    atomic_uint due;
    struct berth__class *next_due;
} berth__class;

/* Find or make the class of a pod and add a user. Errors: BERTH_E_INVALID, BERTH_E_RANGE (field
 * named), BERTH_E_NOMEM. */
berth_status berth__class_of(berth__model *model, const berth_pod *pod, berth__class **out,
                             berth_error *error);
void berth__class_release(berth__model *model, berth__class *cls);

/* Have one use released when the lock is next held. Threads: any, without the lock. */
void berth__class_release_later(berth__model *model, berth__class *cls);

/* ---- between the files of this module ---- */

/* Compute a pod's totals into `out` (its scalars in the model's scratch arena). */
berth_status berth__request_compute(berth__model *model, const berth_pod *pod, berth__request *out,
                                    berth_error *error);

/* The features that a pod requires; none if nodes do not declare theirs. */
uint32_t berth__pod_features(const berth__model *model, const berth_pod *pod);

/* The entry of status.resourceClaimStatuses of that name; NULL: the claim does not exist yet. */
const berth_pod_claim *berth__pod_claim_made(const berth_pod *pod, berth_str name);

/* Fill a part's body from the pod; `arena` is the part's own. */
void berth__node_rules_fill(berth__model *model, berth__arena *arena, const berth_pod *pod,
                            berth__node_rules *out, bool *ok);
void berth__pod_rules_fill(berth__model *model, berth__arena *arena, const berth_pod *pod,
                           berth__pod_rules *out, bool *ok);

/* Which nodes a spread constraint counts, by its policies. */
void berth__spread_rule_set_policies(const berth__behaviours *behaviours,
                                     const berth_topology_spread *source, berth__spread_rule *out);
void berth__volume_list_fill(berth__model *model, berth__arena *arena, const berth_pod *pod,
                             berth__volume_list *out, bool *ok);

/* Read claims of devices back from the words of their key: namespace, uid, name, and three for each
 * entry. */
enum { BERTH__CLAIM_FROM_TEMPLATE = 1 };
void berth__claim_list_fill(berth__model *model, berth__arena *arena, const uint32_t *written,
                            uint32_t count, berth__claim_list *out, bool *ok);

/* Whether a pod requests a resource that devices may provide; and the requests of its containers
 * for these, written as words of a key and read back. Source: kube-scheduler v1.36,
 * extendeddynamicresources.go. */
bool berth__pod_asks_extended(const berth__model *model, const berth_pod *pod);
void berth__extended_asks_write(berth__model *model, const berth_pod *pod,
                                void (*put)(berth__model *model, uint32_t word, bool *ok),
                                bool *ok);
void berth__extended_asks_fill(berth__model *model, berth__arena *arena, const uint32_t *written,
                               uint32_t count, berth__extended_asks *out, bool *ok);

/* Whether a node of that name and those labels meets the nodeSelector and the required node
 * affinity (v1.32's reading); whether the pod tolerates a taint; the first NoSchedule or NoExecute
 * taint that it does not tolerate, or NULL. `rules` NULL: the pod has no rules about nodes. */
bool berth__node_rules_admit(const berth__intern *strings, const berth__node_rules *rules,
                             berth__sym name, berth__labels labels);
bool berth__node_rules_tolerate(const berth__model *model, const berth__node_rules *rules,
                                const berth__interned_taint *taint);
const berth__interned_taint *berth__node_rules_refused_by(const berth__model *model,
                                                          const berth__node_rules *rules,
                                                          const berth__taint_list *list);

/* The names of scheduling gates joined by blanks; 0: none. */
berth__sym berth__joined_gates(berth__model *model, berth_strs gates, bool *ok);

/* The image name as the scheduler looks it up: with ":latest" added if it has no tag. */
berth__sym berth__image_name(berth__model *model, berth_str image, bool *ok);

#endif
