/* What differs between the schedulers of Kubernetes' versions: a line for each behaviour, a column
 * for each version. Rules ask for a behaviour, never for a version, so a further version is a
 * column. Feature gates that change decisions switch behaviours of the engine's own copy.
 *
 * Source: engine/plugins/rules/v1.36.md. Threads: immutable once the engine is made. */
#ifndef BERTH_MODEL_BEHAVIOURS_H
#define BERTH_MODEL_BEHAVIOURS_H

#include <stdbool.h>

#include "berth/status.h"

/* clang-format off */
#define BERTH__BEHAVIOUR_LIST(X) \
    /*                       1.  15  32  33  34  35  36  requests of pods */ \
    X(rounds_by_container,        1,  0,  0,  0,  0,  0) /* each container's amount by itself */ \
    X(requests_of_status,         0,  0,  1,  1,  1,  1) /* of pods on nodes: resized in place */ \
    X(requests_of_pod,            0,  0,  0,  1,  1,  1) /* spec.resources replaces the sum */ \
    X(hugepages_of_pod,           0,  0,  0,  1,  1,  1) /* of hugepages-*, too */ \
    X(requests_of_pod_status,     0,  0,  0,  0,  0,  1) /* requests_of_status at pod level */ \
    /*                       1.  15  32  33  34  35  36  filters */ \
    X(taint_comparisons,          0,  0,  0,  0,  0,  0) /* tolerations with Lt and Gt */ \
    X(sidecar_ports,              0,  0,  1,  1,  1,  1) /* of restartable init containers */ \
    X(fit_unresolvable,           0,  0,  0,  1,  1,  1) /* a request above a node's whole */ \
    X(csi_migration,              0,  1,  1,  1,  1,  1) /* in-tree volumes are CSI volumes */ \
    X(portworx_migrated,          0,  0,  0,  0,  0,  1) /* by no annotation's leave */ \
    X(volume_attributes_classes,  0,  0,  0,  1,  1,  1) /* of claim and volume: equal */ \
    X(namespace_selectors,        0,  1,  1,  1,  1,  1) /* of pod (anti-)affinity terms */ \
    X(refuses_malformed_terms,    0,  1,  1,  1,  1,  1) /* before a node is looked at */ \
    X(own_namespaces_open,        0,  0,  0,  1,  1,  1) /* own negated selectors match all */ \
    X(declared_features,          0,  0,  0,  0,  0,  1) /* NodeDeclaredFeatures is there */ \
    X(dynamic_resources,          0,  0,  0,  1,  1,  1) /* DynamicResources is there */ \
    X(devices_back_resources,     0,  0,  0,  0,  0,  1) /* extended ones, by DeviceClasses */ \
    /*                       1.  15  32  33  34  35  36  scores */ \
    X(balance_skips_empty,        0,  0,  1,  1,  1,  1) /* pods that ask for nothing */ \
    X(balance_of_difference,      0,  0,  0,  0,  0,  1) /* what the pod makes of the balance */ \
    X(image_volumes,              0,  0,  0,  0,  0,  1) /* count for ImageLocality */ \
    /*                       1.  15  32  33  34  35  36  the cycle */ \
    X(ties_by_heap,               0,  0,  0,  0,  1,  1) /* tie rule `kubernetes` is possible */ \
    X(tries_nominated_first,      0,  1,  1,  1,  1,  1) /* the pod's own node, before others */ \
    X(passes_discarded_node,      1,  0,  0,  0,  0,  0) /* the one beyond the limit */ \
    X(first_where_none_ranks,     0,  1,  1,  1,  1,  1) /* without scorers the first will do */ \
    X(order_follows_tree,         1,  0,  0,  0,  0,  0) /* at once, not with the next new node */ \
    X(beta_zones_alone,           1,  0,  0,  0,  0,  0) /* zone labels of the beta alone */ \
    /*                       1.  15  32  33  34  35  36  preemption */ \
    X(preemption_policies,        0,  1,  1,  1,  1,  1) /* preemptionPolicy is known */ \
    X(samples_candidates,         0,  1,  1,  1,  1,  1) /* potential nodes, so many of them */ \
    X(spares_leaving_victims,     0,  0,  0,  0,  1,  1) /* who is on its way out is not asked */ \
    X(explains_preemption,        0,  1,  1,  1,  1,  1) /* failure messages have its part */ \
    X(spends_budgets,             0,  1,  1,  1,  1,  1) /* a victim takes from its budgets */ \
    X(forgets_nominations,        0,  0,  0,  0,  1,  1) /* where postFilter has no plugin */ \
    /*                       1.  15  32  33  34  35  36  texts */ \
    X(taint_text_names_none,      0,  0,  0,  1,  1,  1) /* untolerated taint(s) */ \
    X(volume_texts_new,           0,  0,  1,  1,  1,  1) /* of VolumeBinding */ \
    X(restriction_text_new,       0,  0,  0,  1,  1,  1) /* of VolumeRestrictions */ \
    X(error_texts_name_plugins,   0,  1,  1,  1,  1,  1) /* running PreFilter plugin ... */ \
    X(selector_texts_by_field,    0,  1,  1,  1,  1,  1) /* what is wrong, and where */ \
    X(selector_texts_as_json,     0,  0,  0,  1,  1,  1) /* lists of values */ \
    X(selector_texts_of_keys,     0,  0,  0,  0,  1,  1) /* label keys and their bytes */ \
    /*                       1.  15  32  33  34  35  36  the queue */ \
    X(backoff_of_rejections,      0,  0,  0,  1,  1,  1) /* errors count by themselves */ \
    X(backoff_in_seconds,         0,  0,  1,  1,  1,  1) /* expiries on whole seconds */ \
    X(backoff_pops_early,         0,  0,  1,  1,  1,  1) /* if nothing else is active */
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
    BERTH__KUBERNETES_NEWEST = 36,
};

/* The behaviours of Kubernetes 1.`minor` (0: the newest) with feature gates switched:
 * "Name=true,Other=false", as kube-scheduler's --feature-gates takes them; absent: none. Errors:
 * E_UNSUPPORTED (no such version; a gate whose setting is not implemented), E_INVALID (malformed
 * gates, no gate of that version, a locked one). */
berth_status berth__behaviours_make(uint32_t minor, berth_str switches, berth__behaviours *out,
                                    berth_error *error);

#endif
