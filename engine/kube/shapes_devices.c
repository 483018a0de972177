/* The fields that Kubernetes 1.36 knows in ResourceSlices, DeviceClasses, ResourceClaims and their
 * templates, including those of v1beta1. Source: k8s.io/api v0.36, resource. */
#include "kube/shapes.h"

static const berth__shape cel_shape[] = {BERTH__LEAF("expression"), BERTH__SHAPE_LAST};

static const berth__shape selector_shape[] = {BERTH__PART("cel", cel_shape), BERTH__SHAPE_LAST};

static const berth__shape opaque_shape[] = {BERTH__LEAF("driver"), BERTH__LEAF("parameters"),
                                            BERTH__SHAPE_LAST};

static const berth__shape config_shape[] = {BERTH__LEAF("source"), BERTH__LEAF("requests"),
                                            BERTH__PART("opaque", opaque_shape), BERTH__SHAPE_LAST};

static const berth__shape class_spec_shape[] = {
    BERTH__PART("selectors", selector_shape), BERTH__PART("config", config_shape),
    BERTH__LEAF("extendedResourceName"), BERTH__SHAPE_LAST};

const berth__shape berth__device_class_shape[] = {
    BERTH__LEAF("apiVersion"), BERTH__LEAF("kind"), BERTH__PART("metadata", berth__metadata_shape),
    BERTH__PART("spec", class_spec_shape), BERTH__SHAPE_LAST};

static const berth__shape rule_selector_shape[] = {BERTH__LEAF("driver"), BERTH__LEAF("pool"),
                                                   BERTH__LEAF("device"), BERTH__SHAPE_LAST};

static const berth__shape rule_taint_shape[] = {BERTH__LEAF("key"), BERTH__LEAF("value"),
                                                BERTH__LEAF("effect"), BERTH__LEAF("timeAdded"),
                                                BERTH__SHAPE_LAST};

static const berth__shape rule_spec_shape[] = {BERTH__PART("deviceSelector", rule_selector_shape),
                                               BERTH__PART("taint", rule_taint_shape),
                                               BERTH__SHAPE_LAST};

const berth__shape berth__device_taint_rule_shape[] = {
    BERTH__LEAF("apiVersion"),
    BERTH__LEAF("kind"),
    BERTH__PART("metadata", berth__metadata_shape),
    BERTH__PART("spec", rule_spec_shape),
    BERTH__LEAF("status"),
    BERTH__SHAPE_LAST};

static const berth__shape toleration_shape[] = {
    BERTH__LEAF("key"),    BERTH__LEAF("operator"),          BERTH__LEAF("value"),
    BERTH__LEAF("effect"), BERTH__LEAF("tolerationSeconds"), BERTH__SHAPE_LAST};

static const berth__shape amounts_shape[] = {BERTH__LEAF("requests"), BERTH__SHAPE_LAST};

static const berth__shape exact_shape[] = {BERTH__LEAF("name"),
                                           BERTH__LEAF("deviceClassName"),
                                           BERTH__PART("selectors", selector_shape),
                                           BERTH__LEAF("allocationMode"),
                                           BERTH__LEAF("count"),
                                           BERTH__LEAF("adminAccess"),
                                           BERTH__PART("tolerations", toleration_shape),
                                           BERTH__PART("capacity", amounts_shape),
                                           BERTH__SHAPE_LAST};

static const berth__shape request_shape[] = {BERTH__LEAF("name"),
                                             BERTH__PART("exactly", exact_shape),
                                             BERTH__PART("firstAvailable", exact_shape),
                                             BERTH__LEAF("deviceClassName"),
                                             BERTH__PART("selectors", selector_shape),
                                             BERTH__LEAF("allocationMode"),
                                             BERTH__LEAF("count"),
                                             BERTH__LEAF("adminAccess"),
                                             BERTH__PART("tolerations", toleration_shape),
                                             BERTH__PART("capacity", amounts_shape),
                                             BERTH__SHAPE_LAST};

static const berth__shape constraint_shape[] = {
    BERTH__LEAF("requests"), BERTH__LEAF("matchAttribute"), BERTH__LEAF("distinctAttribute"),
    BERTH__SHAPE_LAST};

static const berth__shape asked_shape[] = {BERTH__PART("requests", request_shape),
                                           BERTH__PART("constraints", constraint_shape),
                                           BERTH__PART("config", config_shape), BERTH__SHAPE_LAST};

static const berth__shape claim_spec_shape[] = {BERTH__PART("devices", asked_shape),
                                                BERTH__SHAPE_LAST};

static const berth__shape result_shape[] = {BERTH__LEAF("request"),
                                            BERTH__LEAF("driver"),
                                            BERTH__LEAF("pool"),
                                            BERTH__LEAF("device"),
                                            BERTH__LEAF("adminAccess"),
                                            BERTH__PART("tolerations", toleration_shape),
                                            BERTH__LEAF("bindingConditions"),
                                            BERTH__LEAF("bindingFailureConditions"),
                                            BERTH__LEAF("shareID"),
                                            BERTH__LEAF("consumedCapacity"),
                                            BERTH__SHAPE_LAST};

static const berth__shape given_shape[] = {BERTH__PART("results", result_shape),
                                           BERTH__PART("config", config_shape), BERTH__SHAPE_LAST};

static const berth__shape allocation_shape[] = {
    BERTH__PART("devices", given_shape), BERTH__PART("nodeSelector", berth__node_selector_shape),
    BERTH__LEAF("allocationTimestamp"), BERTH__SHAPE_LAST};

static const berth__shape consumer_shape[] = {BERTH__LEAF("apiGroup"), BERTH__LEAF("resource"),
                                              BERTH__LEAF("name"), BERTH__LEAF("uid"),
                                              BERTH__SHAPE_LAST};

static const berth__shape status_device_shape[] = {
    BERTH__LEAF("driver"),      BERTH__LEAF("pool"),       BERTH__LEAF("device"),
    BERTH__LEAF("shareID"),     BERTH__LEAF("conditions"), BERTH__LEAF("data"),
    BERTH__LEAF("networkData"), BERTH__SHAPE_LAST};

static const berth__shape claim_status_shape[] = {
    BERTH__PART("allocation", allocation_shape), BERTH__PART("reservedFor", consumer_shape),
    BERTH__PART("devices", status_device_shape), BERTH__SHAPE_LAST};

const berth__shape berth__resource_claim_shape[] = {BERTH__LEAF("apiVersion"),
                                                    BERTH__LEAF("kind"),
                                                    BERTH__PART("metadata", berth__metadata_shape),
                                                    BERTH__PART("spec", claim_spec_shape),
                                                    BERTH__PART("status", claim_status_shape),
                                                    BERTH__SHAPE_LAST};

static const berth__shape template_spec_shape[] = {BERTH__PART("metadata", berth__metadata_shape),
                                                   BERTH__PART("spec", claim_spec_shape),
                                                   BERTH__SHAPE_LAST};

const berth__shape berth__resource_claim_template_shape[] = {
    BERTH__LEAF("apiVersion"), BERTH__LEAF("kind"), BERTH__PART("metadata", berth__metadata_shape),
    BERTH__PART("spec", template_spec_shape), BERTH__SHAPE_LAST};

static const berth__shape taint_shape[] = {BERTH__LEAF("key"), BERTH__LEAF("value"),
                                           BERTH__LEAF("effect"), BERTH__LEAF("timeAdded"),
                                           BERTH__SHAPE_LAST};

static const berth__shape counters_shape[] = {BERTH__LEAF("name"), BERTH__LEAF("counterSet"),
                                              BERTH__LEAF("counters"), BERTH__SHAPE_LAST};

static const berth__shape basic_shape[] = {BERTH__LEAF("attributes"),
                                           BERTH__LEAF("capacity"),
                                           BERTH__PART("consumesCounters", counters_shape),
                                           BERTH__LEAF("nodeName"),
                                           BERTH__PART("nodeSelector", berth__node_selector_shape),
                                           BERTH__LEAF("allNodes"),
                                           BERTH__PART("taints", taint_shape),
                                           BERTH__LEAF("bindsToNode"),
                                           BERTH__LEAF("bindingConditions"),
                                           BERTH__LEAF("bindingFailureConditions"),
                                           BERTH__LEAF("allowMultipleAllocations"),
                                           BERTH__LEAF("nodeAllocatableResourceMappings"),
                                           BERTH__SHAPE_LAST};

static const berth__shape device_shape[] = {BERTH__LEAF("name"),
                                            BERTH__LEAF("attributes"),
                                            BERTH__LEAF("capacity"),
                                            BERTH__PART("consumesCounters", counters_shape),
                                            BERTH__LEAF("nodeName"),
                                            BERTH__PART("nodeSelector", berth__node_selector_shape),
                                            BERTH__LEAF("allNodes"),
                                            BERTH__PART("taints", taint_shape),
                                            BERTH__LEAF("bindsToNode"),
                                            BERTH__LEAF("bindingConditions"),
                                            BERTH__LEAF("bindingFailureConditions"),
                                            BERTH__LEAF("allowMultipleAllocations"),
                                            BERTH__LEAF("nodeAllocatableResourceMappings"),
                                            BERTH__PART("basic", basic_shape),
                                            BERTH__SHAPE_LAST};

static const berth__shape pool_shape[] = {BERTH__LEAF("name"), BERTH__LEAF("generation"),
                                          BERTH__LEAF("resourceSliceCount"), BERTH__SHAPE_LAST};

static const berth__shape slice_spec_shape[] = {
    BERTH__LEAF("driver"),
    BERTH__PART("pool", pool_shape),
    BERTH__LEAF("nodeName"),
    BERTH__PART("nodeSelector", berth__node_selector_shape),
    BERTH__LEAF("allNodes"),
    BERTH__LEAF("perDeviceNodeSelection"),
    BERTH__PART("devices", device_shape),
    BERTH__PART("sharedCounters", counters_shape),
    BERTH__SHAPE_LAST};

const berth__shape berth__resource_slice_shape[] = {
    BERTH__LEAF("apiVersion"), BERTH__LEAF("kind"), BERTH__PART("metadata", berth__metadata_shape),
    BERTH__PART("spec", slice_spec_shape), BERTH__SHAPE_LAST};
