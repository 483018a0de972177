/* The columns of the table of behaviours, and feature gates as switches of its lines. */
#include "model/behaviours.h"

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "berth/engine.h"
#include "model/gate_dependencies.h"
#include "model/gate_switches.h"
#include "model/other_gates.h"

enum { COLUMN_COUNT = 8 };

/* A line of the table, read by column. */
typedef struct line {
    size_t offset;
    uint8_t columns[COLUMN_COUNT];
} line;

/* The first release of each column. A column also holds for later patches, up to the next
 * column. */
static const struct {
    uint32_t minor, patch;
} firsts[COLUMN_COUNT] = {
    {BERTH__KUBERNETES_LEGACY, 0}, {32, 0}, {33, 0}, {34, 0}, {35, 0}, {36, 0}, {36, 3}, {37, 0}};

static const line lines[] = {
#define X(name, ...) {offsetof(berth__behaviours, name), {__VA_ARGS__}},
    BERTH__BEHAVIOUR_LIST(X)
#undef X
};

uint32_t berth_kubernetes_versions(uint32_t *out, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t c = COLUMN_COUNT; c-- > 0;) {
        if (firsts[c].minor == BERTH__KUBERNETES_LEGACY)
            continue;
        if (count < capacity)
            out[count] = BERTH_KUBERNETES(firsts[c].minor, firsts[c].patch);
        count++;
    }
    return count;
}

static void set(berth__behaviours *out, size_t offset, bool value)
{
    *(bool *)(void *)((char *)out + offset) = value;
}

static berth_status make_column(uint32_t minor, uint32_t patch, berth__behaviours *out,
                                berth_error *error)
{
    uint32_t column = COLUMN_COUNT;
    for (uint32_t c = 0; c < COLUMN_COUNT; c++)
        if (firsts[c].minor == minor && firsts[c].patch <= patch)
            column = c;
    for (size_t i = 0; column < COLUMN_COUNT && i < sizeof(lines) / sizeof(lines[0]); i++)
        set(out, lines[i].offset, lines[i].columns[column]);
    if (column < COLUMN_COUNT)
        return BERTH_OK;
    return berth__error_set(error, BERTH_E_UNSUPPORTED,
                            "Kubernetes 1.%u is not known: 1.%d to 1.%d are", (unsigned)minor,
                            BERTH__KUBERNETES_OLDEST, BERTH__KUBERNETES_NEWEST);
}

/* ---- feature gates ---- */

/* A feature gate that decisions depend on. A setting other than the default is accepted if there is
 * a behaviour for it, and refused otherwise. */
typedef struct gate {
    const char *name;
    uint8_t first, last;  /* versions that have it */
    uint8_t on_since;     /* from this version on by default; 0: never */
    uint8_t locked_since; /* from this version on; 0: never */
    size_t behaviour;     /* the behaviour that it switches, or NONE */
} gate;

enum { LAST = BERTH__KUBERNETES_NEWEST };
#define NONE SIZE_MAX
#define SWITCHES(name) offsetof(berth__behaviours, name)

static const gate gates[] = {
    {"InPlacePodVerticalScaling", 33, LAST, 33, 35, SWITCHES(requests_of_status)},
    {"InPlacePodVerticalScaling", 32, 32, 0, 0, NONE}, /* alpha, off: other fields of the status */
    {"PodLevelResources", 33, LAST, 34, 0, SWITCHES(requests_of_pod)},
    {"PodLevelResources", 32, 32, 0, 0, NONE}, /* alpha, off: they count in scores, too */
    {"InPlacePodLevelResourcesVerticalScaling", 36, LAST, 36, 0, SWITCHES(requests_of_pod_status)},
    {"InPlacePodLevelResourcesVerticalScaling", 35, 35, 0, 0, NONE}, /* alpha, off */
    {"TaintTolerationComparisonOperators", 35, LAST, 0, 0, SWITCHES(taint_comparisons)},
    {"NodeDeclaredFeatures", 36, LAST, 36, 37, SWITCHES(declared_features)},
    {"NodeDeclaredFeatures", 35, 35, 0, 0, NONE}, /* alpha, off */
    {"DynamicResourceAllocation", 32, LAST, 34, 35, SWITCHES(dynamic_resources)},
    {"VolumeAttributesClass", 32, LAST, 34, 36, SWITCHES(volume_attributes_classes)},
    {"ImageVolume", 32, LAST, 35, 36, NONE},
    {"SchedulerPopFromBackoffQ", 33, LAST, 33, 0, SWITCHES(backoff_pops_early)},
    {"SidecarContainers", 32, 36, 32, 33, NONE},
    {"NodeInclusionPolicyInPodTopologySpread", 32, LAST, 32, 33, SWITCHES(spread_node_policies)},
    {"MatchLabelKeysInPodTopologySpread", 32, LAST, 32, 0, SWITCHES(spread_label_keys)},
    {"SchedulerQueueingHints", 32, 36, 32, 34, NONE},
    {"StorageCapacityScoring", 33, LAST, 37, 0, SWITCHES(volume_capacity_scores)},
    {"VolumeCapacityPriority", 32, 32, 0, 0, NONE},
    {"VolumeLimitScaling", 36, LAST, 37, 0, SWITCHES(csi_drivers_required)},
    {"VolumeLimitScaling", 35, 35, 0, 0, NONE},
    {"CSIMigrationPortworx", 32, 35, 32, 33, NONE},
    {"DRAExtendedResource", 36, LAST, 36, 37, SWITCHES(devices_back_resources)},
    {"DRAExtendedResource", 34, 35, 0, 0, NONE},
    {"DRAConsumableCapacity", 34, LAST, 36, 0, NONE},
    {"DRAPartitionableDevices", 33, LAST, 36, 0, NONE},
    {"DRADeviceTaints", 33, LAST, 36, 0, NONE},
    {"DRADeviceBindingConditions", 34, LAST, 36, 0, NONE},
    {"DRAPrioritizedList", 33, LAST, 34, 37, NONE},
    {"DRAAdminAccess", 32, LAST, 34, 36, NONE},
    {"DRAResourceClaimDeviceStatus", 34, LAST, 34, 37, NONE},
    {"AllAlpha", 32, LAST, 0, 0, NONE},
    {"AllBeta", 32, LAST, 0, 0, NONE},
    {"GangScheduling", 35, 36, 0, 0, NONE},
    {"GenericWorkload", 37, LAST, 0, 0, SWITCHES(pod_groups)},
    {"GenericWorkload", 35, 36, 0, 0, NONE},
    {"TopologyAwareWorkloadScheduling", 37, LAST, 0, 0, SWITCHES(pod_group_placements)},
    {"TopologyAwareWorkloadScheduling", 36, 36, 0, 0, NONE},
    {"WorkloadAwarePreemption", 36, 36, 0, 0, NONE},
    {"DRADeviceTaintRules", 37, LAST, 37, 0, SWITCHES(device_taint_rules)},
    {"DRADeviceTaintRules", 35, 36, 0, 0, NONE},
    {"DRAListTypeAttributes", 36, LAST, 0, 0, NONE},
    {"DRANodeAllocatableResources", 36, LAST, 0, 0, NONE},
    {"DRAWorkloadResourceClaims", 36, LAST, 0, 0, NONE},
    {"DRAFractionalCapacityRange", 37, LAST, 0, 0, NONE},
    {"DRADeviceCompatibilityGroups", 37, LAST, 0, 0, NONE},
    {"DRADerivedAttributes", 37, LAST, 0, 0, NONE},
    {"DRAOptionalNodeOperations", 37, LAST, 0, 0, NONE},
    {"CompositePodGroup", 37, LAST, 0, 0, SWITCHES(composite_pod_groups)},
    {"PodGroupPreemptionPolicy", 37, LAST, 0, 0, SWITCHES(pod_group_policies)},
    {"InPlacePodVerticalScalingSchedulerPreemption", 37, LAST, 0, 0, NONE},
    /* On by default, which changes decisions of few profiles: berth__profile_reuses_scores. */
    {"OpportunisticBatching", 35, LAST, 0, 0, SWITCHES(reuses_scores)},
};

static const gate *find_gate(berth_str name, uint32_t minor)
{
    for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++)
        if (berth__str_is(name, gates[i].name) && minor >= gates[i].first && minor <= gates[i].last)
            return &gates[i];
    return NULL;
}

static berth_status refuse_locked(const char *name, bool to, uint32_t minor, berth_error *error)
{
    return berth__error_set(error, BERTH_E_INVALID,
                            "feature gate %s is locked to %s in Kubernetes 1.%u", name,
                            to ? "true" : "false", (unsigned)minor);
}

static berth_status refuse_unknown(berth_str name, uint32_t minor, berth_error *error)
{
    berth__nearest nearest = berth__nearest_begin(name);
    for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++)
        if (minor >= gates[i].first && minor <= gates[i].last)
            berth__nearest_try(&nearest, berth__text_of(gates[i].name));
    berth__other_gates_try(&nearest, minor);
    bool has = nearest.found.len > 0;
    return berth__error_set(
        error, BERTH_E_INVALID,
        "kube-scheduler of Kubernetes 1.%u has no feature gate \"%.*s\"%s%.*s%s", (unsigned)minor,
        (int)name.len, name.data, has ? ": did you mean " : "", (int)nearest.found.len,
        has ? nearest.found.data : "", has ? "?" : "");
}

/* Accept a gate that changes no decision. */
static berth_status pass_gate(berth_str name, bool on, uint32_t minor, berth_error *error)
{
    const berth__other_gate *other = berth__other_gate_find(name, minor);
    if (other == NULL)
        return refuse_unknown(name, minor, error);
    if (other->locked_since != 0 && minor >= other->locked_since && on != other->locked_to)
        return refuse_locked(other->name, other->locked_to, minor, error);
    return BERTH_OK;
}

static berth_status switch_gate(berth_str name, bool on, uint32_t minor, berth__behaviours *out,
                                berth_error *error)
{
    const gate *found = find_gate(name, minor);
    if (found == NULL)
        return pass_gate(name, on, minor, error);
    bool by_default = found->on_since != 0 && minor >= found->on_since;
    if (on == by_default) { /* perhaps after the other setting: the last one counts */
        if (found->behaviour != NONE)
            set(out, found->behaviour, on);
        return BERTH_OK;
    }
    if (found->locked_since != 0 && minor >= found->locked_since)
        return refuse_locked(found->name, by_default, minor, error);
    if (found->behaviour == NONE)
        return berth__error_set(error, BERTH_E_UNSUPPORTED,
                                "feature gate %s=%s changes decisions of Kubernetes 1.%u in a way "
                                "that is not implemented",
                                found->name, on ? "true" : "false", (unsigned)minor);
    set(out, found->behaviour, on);
    return BERTH_OK;
}

static berth_status apply(berth__gate_switch set, uint32_t minor, berth__behaviours *out,
                          berth_error *error)
{
    bool on = berth__str_is(set.value, "true");
    if (set.name.len == 0 || (!on && !berth__str_is(set.value, "false")))
        return berth__error_set(error, BERTH_E_INVALID,
                                "a feature gate is NAME=true or NAME=false, not \"%.*s\"",
                                (int)set.entry.len, set.entry.data);
    return switch_gate(set.name, on, minor, out, error);
}

berth_status berth__behaviours_make(uint32_t release, berth_str switches, berth__behaviours *out,
                                    berth_error *error)
{
    berth__behaviours made;
    const uint32_t minor = berth__minor_of(release);
    const uint32_t patch_plus_one = release >> 16;
    BERTH_TRY(make_column(minor, patch_plus_one - 1, &made, error)); /* 0 - 1: the newest patch */
    for (berth_str rest = switches; rest.len > 0;)
        BERTH_TRY(apply(berth__gate_switch_next(&rest), minor, &made, error));
    BERTH_TRY(berth__gate_dependencies_check(switches, minor, error));
    *out = made;
    return BERTH_OK;
}
