/* A deliberately naive scheduler: kube-scheduler's rules, v1.32 to v1.37, as plain loops over all
 * pods and nodes, with everything recounted for every decision. It shares only the public object
 * structs with the engine, and two pieces of code: CEL selectors of devices, and Go's sort, which
 * is tested against Go itself. Tests judge the engine by it. Plainness is more important than speed
 * here. The pages that its files cite (filters.md, scores.md, cycle.md, quantities.md) are those of
 * engine/plugins/rules. */
#ifndef BERTH_NAIVE_H
#define BERTH_NAIVE_H

#include <stdarg.h>

#include "berth/objects.h"
#include "berth/profile.h"

/* ---- memory (naive_region.c): allocated piece by piece, freed all at once ---- */

typedef struct naive_region {
    struct naive_block *blocks;
} naive_region;

/* Zeroed memory; ends the program when there is none. */
void *naive_alloc(naive_region *region, size_t bytes);

/* The plugins that a profile runs at a point. */
static inline berth_plugin_list naive_list(const berth_profile *profile, berth_point point)
{
    return (uint32_t)point < profile->point_count ? profile->points[point] : (berth_plugin_list){0};
}
/* Returns `items` with room for one more item after the first `count`. */
void *naive_grow(naive_region *region, void *items, size_t count, size_t item_bytes);
char *naive_print(naive_region *region, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void naive_region_free(naive_region *region);

/* ---- text, labels, selectors (naive_match.c) ---- */

/* An amount in units of 1e-9. */
typedef __int128 naive_nanos;

#define NAIVE_TEXT(s) ((int)(s).len), ((s).data ? (s).data : "")

berth_str naive_str(const char *text);
bool naive_same(berth_str a, berth_str b); /* absent equals empty */
bool naive_is(berth_str a, const char *text);
bool naive_starts(berth_str a, const char *prefix);
bool naive_contains(berth_str a, const char *part);
bool naive_in(berth_strs list, berth_str item);
const berth_str *naive_label(berth_map labels, berth_str key);
berth_str naive_namespace(const berth_metadata *meta);
bool naive_same_object(const berth_metadata *a, const berth_metadata *b);
bool naive_qualified_name(berth_str key);

naive_nanos naive_amount(berth_quantity quantity);
int64_t naive_value(naive_nanos amount);       /* rounded up to units */
int64_t naive_milli_value(naive_nanos amount); /* rounded up to thousandths */
bool naive_resource(berth_resources list, berth_str name, naive_nanos *amount);

bool naive_map_matches(berth_map wanted, berth_map labels);
bool naive_selector_matches(const berth_label_selector *selector, berth_map labels);
bool naive_selector_empty(const berth_label_selector *selector);
bool naive_selector_valid(const berth_label_selector *selector);
/* `name` absent: matchFields are ignored. */
bool naive_term_valid(const berth_node_selector_term *term);
bool naive_term_matches(const berth_node_selector_term *term, berth_map labels, berth_str name);
bool naive_node_selector_matches(const berth_node_selector *selector, berth_map labels,
                                 berth_str name);
bool naive_wants_node(const berth_pod *pod, const berth_node *node);
bool naive_tolerates(const berth_pod *pod, const berth_taint *taint);
/* Returns a NoSchedule or NoExecute taint that the pod does not tolerate, or NULL. */
const berth_taint *naive_untolerated(const berth_pod *pod, const berth_node *node);

/* ---- the cluster (naive_cluster.c) ---- */

typedef struct naive_pod {
    const berth_pod *pod;
    berth_str node; /* its node; absent: pending */
    uint64_t place; /* its position in NodeInfo.Pods of the node */
} naive_pod;

/* A host port in use on a node: a set, not a multiset (filters.md §5). */
typedef struct naive_port {
    berth_str node, ip, protocol;
    int32_t number;
} naive_port;

/* Taken by the placement of `pod`: a volume for a claim, or (no volume) a claim to provision. */
typedef struct naive_reservation {
    const berth_metadata *pod;
    berth_str volume;
    berth_str claim_namespace, claim_name, claim_uid;
    berth_str node;
} naive_reservation;

/* Devices taken by the placement of `pod` for a claim, not yet written to the claim. */
typedef struct naive_device_hold {
    const berth_metadata *pod, *claim;
    const berth_claim_allocation *allocation;
} naive_device_hold;

/* An image name known to the cluster; its size is that of the node that first reported it. */
typedef struct naive_image {
    berth_str name;
    int64_t size;
    berth_str *nodes;
    size_t *seen; /* by node: nodes with the image when it was last copied for a cycle */
    size_t node_count;
} naive_image;

typedef struct naive_zone {
    berth_str region, zone;
    berth_str *names;
    size_t count;
} naive_zone;

typedef struct naive_objects {
    const void **items;
    size_t count;
} naive_objects;

/* Objects are borrowed: the caller keeps them while they are in the cluster. */
typedef struct naive_cluster {
    naive_region region;
    bool legacy;         /* the scheduler is that of v1.15; set before the first node */
    uint32_t kubernetes; /* 32 to 37: Kubernetes 1.N; 0: v1.15; also set before the first node */
    bool early_patch;    /* 1.36 before 1.36.3; also set before the first node */
    naive_objects objects[BERTH_KIND_COUNT]; /* in order of addition; no pods */
    naive_pod *pods;
    size_t pod_count;
    naive_port *ports;
    size_t port_count;
    naive_reservation *reservations;
    size_t reservation_count;
    naive_device_hold *holds;
    size_t hold_count;
    naive_image *images;
    size_t image_count;
    berth_strs changed; /* nodes to copy when the next cycle begins */
    naive_zone *zones;  /* the node tree of cycle.md §2 */
    size_t zone_count;
    berth_str *order; /* the snapshot's node list */
    size_t order_count;
    uint32_t start; /* rotation index */
} naive_cluster;

void naive_cluster_free(naive_cluster *cluster);
void naive_add(naive_cluster *cluster, const berth_object *object);
void naive_remove(naive_cluster *cluster, berth_kind kind, berth_str namespace_name,
                  berth_str name);
void naive_update(naive_cluster *cluster, const berth_object *object);
/* Put a pod on a node and reserve its volumes if the profile binds volumes; or take it off
 * again. */
void naive_bind(naive_cluster *cluster, const berth_profile *profile, const berth_pod *pod,
                berth_str node);
void naive_unbind(naive_cluster *cluster, const berth_pod *pod);
/* Finds any object but a pod; `namespace_name` absent: not compared. Returns NULL if there is
 * none. */
const void *naive_find(const naive_cluster *cluster, berth_kind kind, berth_str namespace_name,
                       berth_str name);
naive_pod *naive_find_pod(const naive_cluster *cluster, berth_str namespace_name, berth_str name);
const berth_node *naive_find_node(const naive_cluster *cluster, berth_str name);
/* Update the node order, as the scheduler's snapshot at the start of a cycle. v1.15 has no such
 * list: its order is that of the tree. (How far v1.15 has walked each zone when nodes come and go
 * is not modelled: cluster_sync of the engine says why.) */
void naive_refresh(naive_cluster *cluster);
/* Copy the facts about images to nodes that have changed or whose pods have changed. */
void naive_copy_changed(naive_cluster *cluster);
/* The host ports that a pod takes on any node, in entries that name no node yet. */
naive_port *naive_host_ports(naive_region *region, const naive_cluster *cluster,
                             const berth_pod *pod, size_t *count);
/* Move a pod, in the cluster or in a copy of it whose memory is `region`. */
void naive_put_on(naive_region *region, naive_cluster *cluster, naive_pod *pod, berth_str node);
void naive_take_off(naive_cluster *cluster, naive_pod *pod);

/* ---- one attempt to place one pod ---- */

#define NAIVE_PLUGIN_MAX 64

typedef struct naive_refusal {
    const berth_node *node;
    berth_str plugin;
    bool unresolvable;
    bool error; /* not a refusal: the filter lacks the state that its preFilter would have left */
    const char **reasons;
    size_t reason_count;
} naive_refusal;

/* The number of pods in a topology domain. */
typedef struct naive_count {
    uint32_t which; /* constraint index */
    berth_str key, value;
    int64_t count;
} naive_count;

typedef struct naive_counts {
    naive_count *items;
    size_t count;
} naive_counts;

/* A spread constraint with its selector resolved: `pairs` AND `selector`. */
typedef struct naive_spread {
    const berth_topology_spread *spread;
    berth_map pairs;
    const berth_label_selector *selector; /* NULL: matches nothing, or everything if optional */
    bool selector_optional;               /* set for default constraints */
} naive_spread;

typedef struct naive_attempt {
    naive_region *region;
    naive_cluster *cluster; /* a copy in a dry run */
    const berth_profile *profile;
    const berth_pod *pod;
    const berth_node **nodes; /* the snapshot, in order */
    size_t node_count;
    bool error; /* a rule failed */
    bool skip[NAIVE_PLUGIN_MAX];
    /* NodeAffinity */
    bool affinity_listed; /* NodeAffinity names nodes, too */
    bool allow_listed;
    berth_str *allowed;
    size_t allowed_count;
    /* DynamicResources */
    bool devices_looked_up;
    const berth_resource_claim **claims;
    size_t claim_count;
    const berth_resource_claim **unavailable; /* claims whose devices do not serve a node */
    size_t unavailable_count;
    berth_strs asked;                    /* resources that devices may back */
    const berth_resource_claim *special; /* for these resources; NULL: no devices back them */
    const berth_resource_claim *written; /* the same, if an earlier attempt left it */
    /* VolumeRestrictions */
    int64_t claim_conflicts;
    /* PodTopologySpread */
    naive_spread *spreads;
    size_t spread_count;
    naive_counts spread_counts;
    /* InterPodAffinity: A, N and E of filters.md §12 */
    naive_counts affinity_counts, anti_counts, existing_counts;
} naive_attempt;

typedef enum naive_outcome { NAIVE_GO_ON, NAIVE_SKIP, NAIVE_REFUSE } naive_outcome;

/* PreFilter: on NAIVE_REFUSE the whole attempt ends with `refusal` (its node is NULL).
 * Filter: returns true if the node passes; otherwise `refusal` has the reason.
 * Score: fills in one value for each feasible node; false: skip the plugin. */
typedef naive_outcome naive_pre_filter_fn(naive_attempt *a, const berth_plugin_ref *ref,
                                          naive_refusal *refusal);
typedef bool naive_filter_fn(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                             naive_refusal *refusal);
typedef bool naive_score_fn(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                            size_t count, int64_t *values);

typedef struct naive_plugin {
    const char *name;
    naive_pre_filter_fn *pre_filter;
    naive_filter_fn *filter;
    naive_score_fn *score;
} naive_plugin;

/* Record a reason (kept as it is) with the code U or, if `unresolvable`, UU. Returns false. */
bool naive_refuse(naive_attempt *a, naive_refusal *refusal, bool unresolvable, const char *reason);
bool naive_on(const naive_pod *pod, const berth_node *node);
int64_t naive_count_get(const naive_counts *counts, uint32_t which, berth_str key, berth_str value);
void naive_count_add(naive_region *region, naive_counts *counts, uint32_t which, berth_str key,
                     berth_str value, int64_t n);

/* naive_requests.c */
bool naive_scalar_name(berth_str name);
bool naive_extended_name(berth_str name);
/* Which requests of a pod: those of a pod to be placed, those of a pod on a node, or either as
 * NodeResourcesFit scores it, where missing cpu and memory requests count as in scores.md §0. */
typedef enum naive_ask {
    NAIVE_INCOMING,
    NAIVE_INCOMING_SCORED,
    NAIVE_HELD,
    NAIVE_HELD_SCORED,
} naive_ask;
/* A pod's request for one resource in the unit of comparison: cpu in milli. */
int64_t naive_pod_request(uint32_t kubernetes, const berth_pod *pod, berth_str name, naive_ask ask);
int64_t naive_node_request(const naive_attempt *a, const berth_node *node, berth_str name,
                           bool scored);
int64_t naive_allocatable(const berth_node *node, berth_str name, bool *present);

/* naive_filters.c */
naive_pre_filter_fn naive_pre_node_affinity, naive_pre_node_name, naive_pre_ports,
    naive_pre_features;
naive_filter_fn naive_node_unschedulable, naive_node_name, naive_taints, naive_node_affinity,
    naive_ports, naive_fit, naive_features;

/* naive_affinity.c */
naive_pre_filter_fn naive_pre_spread, naive_pre_affinity;
naive_filter_fn naive_spread_filter, naive_affinity_filter;
naive_score_fn naive_spread_score, naive_affinity_score;
void naive_spread_change(naive_attempt *a, const berth_pod *pod, const berth_node *node, int sign);
void naive_affinity_change(naive_attempt *a, const berth_pod *pod, const berth_node *node,
                           int sign);

/* naive_volumes.c */
naive_pre_filter_fn naive_pre_restrictions, naive_pre_binding, naive_pre_zone;
naive_filter_fn naive_restrictions, naive_volume_limits, naive_binding, naive_zone_filter;
void naive_restrictions_change(naive_attempt *a, const berth_pod *pod, int sign);
/* Does an inline disk of the pod conflict with one of a pod on the node? */
bool naive_disks_taken(naive_attempt *a, const berth_node *node);
/* Is a volume's zone label valid? Its items are separated by "__"; an empty item makes it
 * invalid. */
bool naive_zones_valid(berth_str list);
bool naive_zones_contain(berth_str list, berth_str zone);
/* Reserve VolumeBinding's choice on `node`; nothing if VolumeBinding refuses the node. */
void naive_reserve(naive_cluster *cluster, const berth_pod *pod, const berth_node *node);

/* naive_devices.c */
naive_pre_filter_fn naive_pre_devices;
/* naive_extended.c */
#define NAIVE_SPECIAL "<extended-resources>" /* the name of a claim that is not written yet */
bool naive_may_be_backed(berth_str name);
const berth_device_class *naive_class_behind(const naive_attempt *a, berth_str resource);
/* The number of devices on the node that back a resource; returns false if there are none. */
bool naive_backed_amounts(const naive_attempt *attempt, const berth_node *node, berth_str name,
                          int64_t *capacity, int64_t *used);

naive_filter_fn naive_devices_filter;
naive_score_fn naive_score_binding, naive_devices_score;
/* The part of postFilter's message that comes from DynamicResources. */
const char *naive_devices_post_filter(const naive_attempt *a);
/* Hold the devices that the claims of a pod get on `node`; nothing if the pod does not fit
 * there. */
void naive_take_devices(naive_cluster *cluster, const berth_profile *profile, const berth_pod *pod,
                        const berth_node *node);

/* naive_scores.c */
naive_score_fn naive_score_taints, naive_score_node_affinity, naive_score_fit, naive_score_balanced,
    naive_score_images;
/* An image's size scaled by how widespread it is; 0 if the node lacks it. */
int64_t naive_image_size(const naive_attempt *a, const berth_node *node, berth_str image);
double naive_ln(double x);
/* Scale the values so that the greatest is `most`; `reverse`: so that it is 0. */
void naive_normalize(int64_t *values, size_t count, int64_t most, bool reverse);

/* naive_legacy.c: finds a predicate or priority of v1.15 by name, or returns NULL; and the amount
 * that v1.15 counts as requested on a node. */
const naive_plugin *naive_legacy_plugin(berth_str name);
int64_t naive_legacy_request(const naive_attempt *a, const berth_node *node, berth_str name,
                             bool substitute);

/* ---- decisions (naive_cycle.c, naive_preempt.c) ---- */

typedef struct naive_score {
    berth_str plugin;
    int64_t *values; /* normalized and weighted, one for each feasible node */
} naive_score;

typedef struct naive_decision {
    naive_region region;
    bool error;
    uint32_t start, next;
    bool allow_listed; /* candidates were visited in no defined order */
    const berth_node **feasible;
    size_t feasible_count;
    naive_refusal *refusals;
    size_t refusal_count;
    size_t refused_nodes;   /* the same number, unless several predicates refuse a node */
    const char *pre_filter; /* NULL: the pod was not refused before any node was visited */
    berth_str
        nominated_refuser; /* the plugin that refused the node of nominatedNodeName; "": none */
    naive_score *scores;
    size_t score_count;
    int64_t *total;
    int64_t best_total;
    size_t best_count;
    const berth_node
        *chosen; /* the choice of v1.35 among the best; until v1.34, any of them is right */
    bool preemption_error; /* dry runs ended with errors, and none found a candidate */
    const char *message;   /* NULL: some node was feasible */
    const berth_node *nominated;
    const berth_pod **victims;
    size_t victim_count;
} naive_decision;

/* Decide; changes only the rotation index of the cluster. */
void naive_decide(naive_cluster *cluster, const berth_profile *profile, const berth_pod *pod,
                  naive_decision *out);
/* Choose again after the order of the feasible nodes has changed. */
void naive_choose(naive_decision *decision);
void naive_decision_free(naive_decision *decision);

/* Run the filters on one node, with nominated pods (cycle.md §5). */
bool naive_passes(naive_attempt *a, const berth_node *node, naive_refusal *refusal);
/* Change the PreFilter state and the cluster as if `pod` came to or left `node`. */
void naive_try_on(naive_attempt *a, naive_pod *pod, const berth_node *node);
void naive_try_off(naive_attempt *a, naive_pod *pod, const berth_node *node);
naive_attempt *naive_attempt_copy(const naive_attempt *a);

/* A histogram of reasons, printed as in cycle.md §8. */
typedef struct naive_histogram {
    const char **reasons;
    size_t *counts;
    size_t count;
} naive_histogram;
void naive_histogram_add(naive_region *region, naive_histogram *h, const char *reason, size_t n);
const char *naive_histogram_message(naive_region *region, naive_histogram *h, size_t node_count);

/* Returns the PostFilter part of the message, or NULL if a node was nominated. */
const char *naive_preempt(naive_attempt *a, const naive_refusal *refusals, size_t refusal_count,
                          naive_decision *out);

/* ---- JSON of the decision vectors (naive_json.c) ---- */

typedef struct naive_scenario {
    naive_region region;
    const char *name;
    naive_cluster cluster; /* loaded; with the version of the vectors */
    const berth_pod **pending;
    size_t pending_count;
    const berth_profile *profile;
    const void *expected; /* json_t */
    void *root;           /* json_t */
} naive_scenario;

/* Read one line of a vector file; ends the program with a message if the line is invalid. */
void naive_scenario_read(const char *line, naive_scenario *out);
void naive_scenario_free(naive_scenario *scenario);

#endif
