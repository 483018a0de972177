/* What differs between the schedulers of Kubernetes' versions: a line for each behaviour, a column
 * for each minor release, and for a patch release that changes a decision. Rules ask for a
 * behaviour, never for a version, so a further version is a column. Feature gates that change
 * decisions switch behaviours of the engine's own copy.
 *
 * Source: engine/plugins/rules/v1.36.md, v1.37.md. Threads: immutable once the engine is made. */
#ifndef BERTH_MODEL_BEHAVIOURS_H
#define BERTH_MODEL_BEHAVIOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/status.h"

/* clang-format off */
#define BERTH__BEHAVIOUR_LIST(X) \
    /* 1.                      15 32 33 34 35 36 .3 37  requests of pods */ \
    X(rounds_by_container,      1, 0, 0, 0, 0, 0, 0, 0) /* each container's amount by itself */ \
    X(requests_of_status,       0, 0, 1, 1, 1, 1, 1, 1) /* of pods on nodes: resized in place */ \
    X(requests_of_pod,          0, 0, 0, 1, 1, 1, 1, 1) /* spec.resources replaces the sum */ \
    X(hugepages_of_pod,         0, 0, 0, 1, 1, 1, 1, 1) /* of hugepages-*, too */ \
    X(requests_of_pod_status,   0, 0, 0, 0, 0, 1, 1, 1) /* requests_of_status at pod level */ \
    X(requests_by_source,       0, 0, 0, 0, 0, 0, 0, 1) /* summed up, then compared */ \
    /* 1.                      15 32 33 34 35 36 .3 37  filters */ \
    X(taint_comparisons,        0, 0, 0, 0, 0, 0, 0, 0) /* tolerations with Lt and Gt */ \
    X(node_name_restricts,      0, 0, 0, 0, 0, 0, 0, 1) /* NodeName speaks at preFilter */ \
    X(sidecar_ports,            0, 0, 1, 1, 1, 1, 1, 1) /* of restartable init containers */ \
    X(fit_unresolvable,         0, 0, 0, 1, 1, 1, 1, 1) /* a request above a node's whole */ \
    X(csi_migration,            0, 1, 1, 1, 1, 1, 1, 1) /* in-tree volumes are CSI volumes */ \
    X(portworx_migrated,        0, 0, 0, 0, 0, 1, 1, 1) /* by no annotation's leave */ \
    X(volume_attributes_classes,0, 0, 0, 1, 1, 1, 1, 1) /* of claim and volume: equal */ \
    X(csi_drivers_required,     0, 0, 0, 0, 0, 0, 0, 1) /* where their CSIDriver says so */ \
    X(namespace_selectors,      0, 1, 1, 1, 1, 1, 1, 1) /* of pod (anti-)affinity terms */ \
    X(refuses_malformed_terms,  0, 1, 1, 1, 1, 1, 1, 1) /* before a node is looked at */ \
    X(own_namespaces_open,      0, 0, 0, 1, 1, 1, 1, 0) /* own negated selectors match all */ \
    X(declared_features,        0, 0, 0, 0, 0, 1, 1, 1) /* NodeDeclaredFeatures is there */ \
    X(dynamic_resources,        0, 0, 0, 1, 1, 1, 1, 1) /* DynamicResources is there */ \
    X(devices_back_resources,   0, 0, 0, 0, 0, 1, 1, 1) /* extended ones, by DeviceClasses */ \
    /* 1.                      15 32 33 34 35 36 .3 37  devices */ \
    X(device_taint_rules,       0, 0, 0, 0, 0, 0, 0, 1) /* DeviceTaintRules are there */ \
    X(devices_roll_back,        0, 0, 0, 0, 0, 0, 1, 1) /* a device that is refused in the end */ \
    X(distinct_keeps_all,       0, 0, 0, 0, 0, 0, 0, 1) /* values, not the last of each request */ \
    X(counters_by_driver,       0, 0, 0, 0, 0, 0, 0, 1) /* not by the pool's name alone */ \
    X(counters_by_node,         0, 0, 0, 0, 0, 0, 0, 1) /* their slices reach some nodes, too */ \
    X(compatibility_groups_off, 0, 0, 0, 0, 0, 0, 0, 1) /* slices with some are not there */ \
    X(capacity_may_fail,        0, 0, 0, 0, 0, 0, 0, 1) /* where a request has no number */ \
    X(all_asks_whole_capacity,  0, 0, 0, 0, 0, 0, 0, 1) /* whatever of it is in use */ \
    X(bare_shares_count,        0, 0, 0, 0, 0, 0, 0, 1) /* as uses: those of no capacity */ \
    X(device_texts_new,         0, 0, 0, 0, 0, 0, 0, 1) /* of selectors and limits */ \
    /* 1.                      15 32 33 34 35 36 .3 37  scores */ \
    X(balance_skips_empty,      0, 0, 1, 1, 1, 1, 1, 1) /* pods that ask for nothing */ \
    X(balance_of_difference,    0, 0, 0, 0, 0, 1, 1, 1) /* what the pod makes of the balance */ \
    X(volume_capacity_scores,   0, 0, 0, 0, 0, 0, 0, 1) /* VolumeBinding has a score */ \
    X(image_volumes,            0, 0, 0, 0, 0, 1, 1, 1) /* count for ImageLocality, */ \
    X(image_volumes_raise_bound,0, 0, 0, 0, 0, 0, 0, 1) /* and as one container each */ \
    /* 1.                      15 32 33 34 35 36 .3 37  the cycle */ \
    X(ties_by_heap,             0, 0, 0, 0, 1, 1, 1, 1) /* tie rule `kubernetes` is possible */ \
    X(tries_nominated_first,    0, 1, 1, 1, 1, 1, 1, 1) /* the pod's own node, before others */ \
    X(passes_discarded_node,    1, 0, 0, 0, 0, 0, 0, 0) /* the one beyond the limit */ \
    X(first_where_none_ranks,   0, 1, 1, 1, 1, 1, 1, 1) /* without scorers the first will do */ \
    X(order_follows_tree,       1, 0, 0, 0, 0, 0, 0, 0) /* at once, not with the next new node */ \
    X(beta_zones_alone,         1, 0, 0, 0, 0, 0, 0, 0) /* zone labels of the beta alone */ \
    /* 1.                      15 32 33 34 35 36 .3 37  preemption */ \
    X(preemption_policies,      0, 1, 1, 1, 1, 1, 1, 1) /* preemptionPolicy is known */ \
    X(samples_candidates,       0, 1, 1, 1, 1, 1, 1, 1) /* potential nodes, so many of them */ \
    X(spares_leaving_victims,   0, 0, 0, 0, 1, 1, 1, 1) /* who is on its way out is not asked */ \
    X(explains_preemption,      0, 1, 1, 1, 1, 1, 1, 1) /* failure messages have its part */ \
    X(victims_read_clock_once,  0, 0, 0, 0, 0, 0, 0, 1) /* of pods that have not started */ \
    X(spends_first_budget,      0, 0, 0, 0, 0, 0, 0, 1) /* none behind the first violated one */ \
    X(spends_budgets,           0, 1, 1, 1, 1, 1, 1, 1) /* a victim takes from its budgets */ \
    X(tells_of_nomination,      0, 0, 0, 0, 0, 0, 0, 1) /* in the message */ \
    X(tells_of_idle_claims,     0, 0, 0, 1, 1, 1, 1, 0) /* why none was deallocated */ \
    X(forgets_nominations,      0, 0, 0, 0, 1, 1, 1, 1) /* where postFilter has no plugin */ \
    /* 1.                      15 32 33 34 35 36 .3 37  texts */ \
    X(taint_text_names_none,    0, 0, 0, 1, 1, 1, 1, 1) /* untolerated taint(s) */ \
    X(volume_texts_new,         0, 0, 1, 1, 1, 1, 1, 1) /* of VolumeBinding */ \
    X(restriction_text_new,     0, 0, 0, 1, 1, 1, 1, 1) /* of VolumeRestrictions */ \
    X(error_texts_name_plugins, 0, 1, 1, 1, 1, 1, 1, 1) /* running PreFilter plugin ... */ \
    X(selector_texts_by_field,  0, 1, 1, 1, 1, 1, 1, 1) /* what is wrong, and where */ \
    X(selector_texts_as_json,   0, 0, 0, 1, 1, 1, 1, 1) /* lists of values */ \
    X(selector_texts_of_keys,   0, 0, 0, 0, 1, 1, 1, 1) /* label keys and their bytes */ \
    /* 1.                      15 32 33 34 35 36 .3 37  the queue */ \
    X(backoff_of_rejections,    0, 0, 0, 1, 1, 1, 1, 1) /* errors count by themselves */ \
    X(backoff_in_seconds,       0, 0, 1, 1, 1, 1, 1, 1) /* expiries on whole seconds */ \
    X(backoff_pops_early,       0, 0, 1, 1, 1, 1, 1, 1) /* if nothing else is active */
/* clang-format on */

typedef struct berth__behaviours {
#define X(name, ...) bool name;
    BERTH__BEHAVIOUR_LIST(X)
#undef X
} berth__behaviours;

/* Kubernetes 1.OLDEST to 1.NEWEST, and 1.15 by another way. */
enum {
    BERTH__KUBERNETES_LEGACY = 15,
    BERTH__KUBERNETES_OLDEST = 32,
    BERTH__KUBERNETES_NEWEST = 37,
};

/* The minor release of a number as berth_engine_config.kubernetes has it. */
static inline uint32_t berth__minor_of(uint32_t release)
{
    const uint32_t minor = release & UINT16_MAX;
    return minor != 0 ? minor : BERTH__KUBERNETES_NEWEST;
}

/* The behaviours of a release (berth_engine_config.kubernetes; 0: the newest) with feature gates
 * switched: "Name=true,Other=false", as kube-scheduler's --feature-gates takes them; absent: none.
 * Errors:
 * E_UNSUPPORTED (no such version; a gate whose setting is not implemented), E_INVALID (malformed
 * gates, no gate of that version, a locked one). */
berth_status berth__behaviours_make(uint32_t release, berth_str switches, berth__behaviours *out,
                                    berth_error *error);

#endif
