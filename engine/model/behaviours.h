/* The differences between the schedulers of Kubernetes' versions: a line for each behaviour, a
 * column for each minor release and for each patch release that changes a decision. Rules test a
 * behaviour, never a version, so a new version is a new column. Feature gates that change decisions
 * switch behaviours in the engine's own copy.
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
    X(rounds_by_container,      1, 0, 0, 0, 0, 0, 0, 0) /* each container is rounded alone */ \
    X(requests_of_status,       0, 0, 1, 1, 1, 1, 1, 1) /* pods on nodes: resized in place */ \
    X(requests_of_pod,          0, 0, 0, 1, 1, 1, 1, 1) /* spec.resources replaces the sum */ \
    X(requests_of_pod_status,   0, 0, 0, 0, 0, 1, 1, 1) /* requests_of_status at pod level */ \
    X(requests_by_source,       0, 0, 0, 0, 0, 0, 0, 1) /* sum each source, then compare sums */ \
    /* 1.                      15 32 33 34 35 36 .3 37  filters */ \
    X(taint_comparisons,        0, 0, 0, 0, 0, 0, 0, 0) /* tolerations with Lt and Gt exist */ \
    X(spread_node_policies,     1, 1, 1, 1, 1, 1, 1, 1) /* nodeAffinityPolicy, nodeTaintsPolicy */ \
    X(spread_label_keys,        1, 1, 1, 1, 1, 1, 1, 1) /* matchLabelKeys of spread constraints */ \
    X(node_name_restricts,      0, 0, 0, 0, 0, 0, 0, 1) /* NodeName narrows nodes in preFilter */ \
    X(sidecar_ports,            0, 0, 1, 1, 1, 1, 1, 1) /* restartable init containers count */ \
    X(fit_unresolvable,         0, 0, 0, 1, 1, 1, 1, 1) /* for requests above the whole node */ \
    X(csi_migration,            0, 1, 1, 1, 1, 1, 1, 1) /* in-tree volumes are CSI volumes */ \
    X(portworx_migrated,        0, 0, 0, 0, 0, 1, 1, 1) /* without its annotation */ \
    X(volume_attributes_classes,0, 0, 0, 1, 1, 1, 1, 1) /* claim and volume must have the same */ \
    X(csi_drivers_required,     0, 0, 0, 0, 0, 0, 0, 1) /* if their CSIDriver requires it */ \
    X(namespace_selectors,      0, 1, 1, 1, 1, 1, 1, 1) /* in pod (anti-)affinity terms */ \
    X(refuses_malformed_terms,  0, 1, 1, 1, 1, 1, 1, 1) /* before looking at any node */ \
    X(own_namespaces_open,      0, 0, 0, 1, 1, 1, 1, 0) /* own negated selectors match all */ \
    X(declared_features,        0, 0, 0, 0, 0, 1, 1, 1) /* plugin NodeDeclaredFeatures exists */ \
    X(dynamic_resources,        0, 0, 0, 1, 1, 1, 1, 1) /* plugin DynamicResources exists */ \
    X(devices_back_resources,   0, 0, 0, 0, 0, 1, 1, 1) /* extended resources by DeviceClasses */ \
    /* 1.                      15 32 33 34 35 36 .3 37  devices */ \
    X(device_taint_rules,       0, 0, 0, 0, 0, 0, 0, 1) /* DeviceTaintRules exist */ \
    X(cel_of_1_37,              0, 0, 0, 0, 0, 0, 0, 1) /* the language of selectors: cel/cel.h */ \
    X(devices_roll_back,        0, 0, 0, 0, 0, 0, 1, 1) /* when a device is finally refused */ \
    X(distinct_keeps_all,       0, 0, 0, 0, 0, 0, 0, 1) /* values, not each request's last one */ \
    X(counters_by_driver,       0, 0, 0, 0, 0, 0, 0, 1) /* not by the pool's name alone */ \
    X(counters_by_node,         0, 0, 0, 0, 0, 0, 0, 1) /* slices with counters have a reach */ \
    X(compatibility_groups_off, 0, 0, 0, 0, 0, 0, 0, 1) /* slices that have some are ignored */ \
    X(capacity_may_fail,        0, 0, 0, 0, 0, 0, 0, 1) /* if a request's amount is malformed */ \
    X(all_asks_whole_capacity,  0, 0, 0, 0, 0, 0, 0, 1) /* `All` ignores what is in use */ \
    X(bare_shares_count,        0, 0, 0, 0, 0, 0, 0, 1) /* shares without capacity are uses */ \
    X(device_texts_new,         0, 0, 0, 0, 0, 0, 0, 1) /* texts about selectors and limits */ \
    /* 1.                      15 32 33 34 35 36 .3 37  scores */ \
    X(balance_skips_empty,      0, 0, 1, 1, 1, 1, 1, 1) /* for pods without requests */ \
    X(balance_of_difference,    0, 0, 0, 0, 0, 1, 1, 1) /* score: how the pod changes balance */ \
    X(volume_capacity_scores,   0, 0, 0, 0, 0, 0, 0, 1) /* VolumeBinding has a score */ \
    X(image_volumes,            0, 0, 0, 0, 0, 1, 1, 1) /* ImageLocality counts them, */ \
    X(image_volumes_raise_bound,0, 0, 0, 0, 0, 0, 0, 1) /* each as one more container */ \
    /* 1.                      15 32 33 34 35 36 .3 37  the cycle */ \
    X(ties_by_heap,             0, 0, 0, 0, 1, 1, 1, 1) /* tie rule `kubernetes` is available */ \
    X(tries_nominated_first,    0, 1, 1, 1, 1, 1, 1, 1) /* tries the nominated node first */ \
    X(passes_discarded_node,    1, 0, 0, 0, 0, 0, 0, 0) /* rotation passes the discarded node */ \
    X(first_where_none_ranks,   0, 1, 1, 1, 1, 1, 1, 1) /* no scorers: the first node is taken */ \
    X(order_follows_tree,       1, 0, 0, 0, 0, 0, 0, 0) /* at once, not at the next new node */ \
    X(beta_zones_alone,         1, 0, 0, 0, 0, 0, 0, 0) /* only the beta zone labels count */ \
    X(reuses_scores,            0, 0, 0, 0, 0, 0, 0, 0) /* asked for, to be refused: profile.h */ \
    /* 1.                      15 32 33 34 35 36 .3 37  preemption */ \
    X(preemption_policies,      0, 1, 1, 1, 1, 1, 1, 1) /* preemptionPolicy exists */ \
    X(samples_candidates,       0, 1, 1, 1, 1, 1, 1, 1) /* of potential nodes, a limited number */ \
    X(spares_leaving_victims,   0, 0, 0, 0, 1, 1, 1, 1) /* terminating victims stay untouched */ \
    X(explains_preemption,      0, 1, 1, 1, 1, 1, 1, 1) /* failure messages mention preemption */ \
    X(victims_read_clock_once,  0, 0, 0, 0, 0, 0, 0, 1) /* for pods that have not started */ \
    X(spends_first_budget,      0, 0, 0, 0, 0, 0, 0, 1) /* none after the first violated one */ \
    X(spends_budgets,           0, 1, 1, 1, 1, 1, 1, 1) /* a victim uses up its budgets */ \
    X(tells_of_nomination,      0, 0, 0, 0, 0, 0, 0, 1) /* in the message */ \
    X(tells_of_idle_claims,     0, 0, 0, 1, 1, 1, 1, 0) /* why none was deallocated */ \
    X(forgets_nominations,      0, 0, 0, 0, 1, 1, 1, 1) /* if postFilter has no plugin */ \
    /* 1.                      15 32 33 34 35 36 .3 37  groups */ \
    X(pod_groups,               0, 0, 0, 0, 0, 0, 0, 0) /* PodGroups are placed as a whole */ \
    X(pod_group_policies,       0, 0, 0, 0, 0, 0, 0, 0) /* they have a preemptionPolicy */ \
    X(pod_group_placements,     0, 0, 0, 0, 0, 0, 0, 0) /* they are tried domain by domain */ \
    X(composite_pod_groups,     0, 0, 0, 0, 0, 0, 0, 0) /* and as parts of composite groups */ \
    /* 1.                      15 32 33 34 35 36 .3 37  texts */ \
    X(taint_text_names_none,    0, 0, 0, 1, 1, 1, 1, 1) /* "untolerated taint(s)" */ \
    X(volume_texts_new,         0, 0, 1, 1, 1, 1, 1, 1) /* texts of VolumeBinding */ \
    X(restriction_text_new,     0, 0, 0, 1, 1, 1, 1, 1) /* texts of VolumeRestrictions */ \
    X(error_texts_name_plugins, 0, 1, 1, 1, 1, 1, 1, 1) /* "running PreFilter plugin ..." */ \
    X(selector_texts_by_field,  0, 1, 1, 1, 1, 1, 1, 1) /* they name the field and the fault */ \
    X(selector_texts_as_json,   0, 0, 0, 1, 1, 1, 1, 1) /* lists of values */ \
    X(selector_texts_of_keys,   0, 0, 0, 0, 1, 1, 1, 1) /* label keys and their bytes */ \
    /* 1.                      15 32 33 34 35 36 .3 37  the queue */ \
    X(backoff_of_rejections,    0, 0, 0, 1, 1, 1, 1, 1) /* errors have a count of their own */ \
    X(backoff_in_seconds,       0, 0, 1, 1, 1, 1, 1, 1) /* expiries fall on whole seconds */ \
    X(backoff_pops_early,       0, 0, 1, 1, 1, 1, 1, 1) /* if no other pod is active */
/* clang-format on */

typedef struct berth__behaviours {
#define X(name, ...) bool name;
    BERTH__BEHAVIOUR_LIST(X)
#undef X
} berth__behaviours;

/* Kubernetes 1.OLDEST to 1.NEWEST are supported, and 1.15 apart from them. */
enum {
    BERTH__KUBERNETES_LEGACY = 15,
    BERTH__KUBERNETES_OLDEST = 32,
    BERTH__KUBERNETES_NEWEST = 37,
};

/* The minor release in a number such as berth_engine_config.kubernetes. */
static inline uint32_t berth__minor_of(uint32_t release)
{
    const uint32_t minor = release & UINT16_MAX;
    return minor != 0 ? minor : BERTH__KUBERNETES_NEWEST;
}

/* Make the behaviours of a release (berth_engine_config.kubernetes; 0: the newest) with feature
 * gates applied: "Name=true,Other=false", as kube-scheduler's --feature-gates takes them; absent:
 * none.
 * Errors: BERTH_E_UNSUPPORTED (no such version; a gate whose setting is not implemented),
 * BERTH_E_INVALID (malformed gates, an unknown gate of that version, a locked one, one whose
 * dependency is off). */
berth_status berth__behaviours_make(uint32_t release, berth_str switches, berth__behaviours *out,
                                    berth_error *error);

#endif
