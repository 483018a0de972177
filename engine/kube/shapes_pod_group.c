/* The fields of PodGroups, and those by which a pod names its group. */
#include "kube/shapes.h"

const berth__shape berth__scheduling_group_shape[] = {BERTH__LEAF("podGroupName"),
                                                      BERTH__SHAPE_LAST};

static const berth__shape gang_shape[] = {BERTH__LEAF("minCount"), BERTH__SHAPE_LAST};

static const berth__shape group_policy_shape[] = {
    BERTH__LEAF("basic"), BERTH__PART("gang", gang_shape), BERTH__SHAPE_LAST};

static const berth__shape group_topology_shape[] = {BERTH__LEAF("key"), BERTH__SHAPE_LAST};

static const berth__shape group_constraints_shape[] = {
    BERTH__PART("topology", group_topology_shape), BERTH__SHAPE_LAST};

static const berth__shape disruption_mode_shape[] = {BERTH__LEAF("single"), BERTH__LEAF("all"),
                                                     BERTH__SHAPE_LAST};

static const berth__shape pod_group_spec_shape[] = {
    BERTH__LEAF("parentCompositePodGroupName"),
    BERTH__LEAF("workloadRef"),
    BERTH__PART("schedulingPolicy", group_policy_shape),
    BERTH__PART("schedulingConstraints", group_constraints_shape),
    BERTH__LEAF("resourceClaims"),
    BERTH__PART("disruptionMode", disruption_mode_shape),
    BERTH__LEAF("priorityClassName"),
    BERTH__LEAF("priority"),
    BERTH__LEAF("preemptionPolicy"),
    BERTH__SHAPE_LAST};

const berth__shape berth__pod_group_shape[] = {BERTH__LEAF("apiVersion"),
                                               BERTH__LEAF("kind"),
                                               BERTH__PART("metadata", berth__metadata_shape),
                                               BERTH__PART("spec", pod_group_spec_shape),
                                               BERTH__LEAF("status"),
                                               BERTH__SHAPE_LAST};
