/* Devices as facts: what ResourceSlices offer, what DeviceClasses select, and what ResourceClaims
 * request and have been allocated. Every text is interned; facts refer to other objects by name,
 * never by pointer.
 *
 * Source: kube-scheduler v1.36, resource.k8s.io/v1. v1beta1 and v1beta2 are read into the same
 * structs. */
#ifndef BERTH_STORE_DEVICE_FACTS_H
#define BERTH_STORE_DEVICE_FACTS_H

#include "store/storage.h"

/* A qualified name as it was written: `id` (domain 0) or `domain/id`. A name without a domain
 * belongs to the driver of its device or claim. */
typedef struct berth__device_name {
    berth__sym domain;
    berth__sym id;
} berth__device_name;

/* ---- offers ---- */

typedef enum berth__attribute_kind {
    BERTH__ATTRIBUTE_INT,
    BERTH__ATTRIBUTE_BOOL,
    BERTH__ATTRIBUTE_STRING,
    BERTH__ATTRIBUTE_VERSION,
    BERTH__ATTRIBUTE_UNSUPPORTED, /* a list, or no known field is set: selectors can't read it */
} berth__attribute_kind;

typedef struct berth__device_attribute {
    berth__device_name name;
    berth__attribute_kind kind;
    berth__sym text; /* of a string or version */
    int64_t number;  /* of an int or bool */
} berth__device_attribute;

typedef enum berth__capacity_policy {
    BERTH__CAPACITY_WHOLE,  /* no requestPolicy, or an empty one */
    BERTH__CAPACITY_VALUES, /* validValues */
    BERTH__CAPACITY_RANGE,  /* validRange */
} berth__capacity_policy;

/* Amounts are nanos. */
typedef struct berth__device_capacity {
    berth__device_name name;
    __int128 value;
    berth__capacity_policy policy;
    bool has_policy; /* requestPolicy is present */
    bool has_default, has_min, has_max, has_step;
    __int128 fallback; /* requestPolicy.default */
    __int128 min, max, step;
    const __int128 *values; /* in the order given */
    uint32_t value_count;
} berth__device_capacity;

typedef struct berth__device_counter {
    berth__sym name;
    __int128 value;
} berth__device_counter;

/* In a slice: the counters of a set that devices share. In a device: the amounts that it takes from
 * them. */
typedef struct berth__counter_set {
    berth__sym name;
    const berth__device_counter *items;
    uint32_t count;
} berth__counter_set;

typedef struct berth__device_taint {
    berth__sym key, value, effect;
} berth__device_taint;

/* The nodes that can use a slice's devices, or one of its devices. */
typedef struct berth__device_reach {
    berth__sym node_name; /* 0: not given */
    bool all_nodes;
    bool has_selector;
    berth__interned_node_selector selector;
    berth_str
        problem; /* the fault of a malformed selector, in kube-scheduler's words; absent: none */
} berth__device_reach;

typedef struct berth__device {
    berth__sym name;
    bool allow_multiple; /* allowMultipleAllocations */
    bool binds_to_node;
    const berth__device_attribute *attributes; /* by text of domain, then id */
    uint32_t attribute_count;
    const berth__device_capacity *capacities; /* sorted the same way */
    uint32_t capacity_count;
    const berth__counter_set *consumes;
    uint32_t consume_count;
    const berth__device_taint *taints;
    uint32_t taint_count;
    const berth__sym *binding_conditions;
    uint32_t binding_condition_count;
    const berth__sym *binding_failures;
    uint32_t binding_failure_count;
    berth__device_reach reach; /* used if the slice has perDeviceNodeSelection */
} berth__device;

typedef struct berth__slice_facts {
    berth__stored_facts head;
    berth__sym driver;
    berth__sym pool;
    int64_t generation;
    int64_t slice_count;       /* slices of the pool at this generation */
    berth__device_reach reach; /* if nothing is set: chosen by device, or no nodes */
    bool per_device;           /* perDeviceNodeSelection */
    const berth__counter_set *shared_counters;
    uint32_t shared_counter_count;
    const berth__device *devices; /* as listed */
    uint32_t device_count;
    bool left_out; /* not in its pool: devices declare compatibility groups, which are off */
} berth__slice_facts;

/* A CEL expression as text; `cel` false: a selector of another, unknown kind. */
typedef struct berth__device_selector {
    berth__sym expression;
    bool cel;
} berth__device_selector;

typedef struct berth__device_class_facts {
    berth__stored_facts head;
    const berth__device_selector *selectors;
    uint32_t selector_count;
    berth__sym extended_resource; /* extendedResourceName; 0: none */
    int64_t created_ns;           /* creationTimestamp; INT64_MIN: absent */
} berth__device_class_facts;

/* ---- requests ---- */

typedef enum berth__allocation_mode {
    BERTH__ALLOCATE_COUNT,
    BERTH__ALLOCATE_ALL,
    BERTH__ALLOCATE_UNKNOWN,
} berth__allocation_mode;

typedef struct berth__device_toleration {
    berth__sym key;    /* 0: empty, any */
    berth__sym value;  /* 0: empty */
    berth__sym effect; /* 0: empty, any */
    bool exists;       /* operator Exists */
    bool equal;        /* operator Equal or none; if neither, it tolerates nothing */
} berth__device_toleration;

typedef struct berth__capacity_ask {
    berth__device_name name;
    __int128 value; /* nanos */
} berth__capacity_ask;

/* `exactly` of a request, or one alternative of firstAvailable. */
typedef struct berth__device_ask {
    berth__sym name;       /* of the alternative; 0 in `exactly` */
    berth__sym class_name; /* 0: empty */
    const berth__device_selector *selectors;
    uint32_t selector_count;
    berth__allocation_mode mode;
    berth__sym mode_text; /* as given */
    int64_t count;
    bool admin_access;
    const berth__device_toleration *tolerations;
    uint32_t toleration_count;
    const berth__capacity_ask *capacities;
    uint32_t capacity_count;
} berth__device_ask;

typedef struct berth__device_request {
    berth__sym name;
    /* True: the request takes the first of `asks` that can be satisfied. False: `asks` has one
     * entry, or none if the kind of the request is unknown. */
    bool first_available;
    const berth__device_ask *asks;
    uint32_t ask_count;
} berth__device_request;

typedef struct berth__device_constraint {
    const berth__sym *requests; /* as written, REQUEST or REQUEST/SUBREQUEST; none: all requests */
    uint32_t request_count;
    berth__device_name match;    /* matchAttribute; id 0: none */
    berth__device_name distinct; /* distinctAttribute; id 0: none */
} berth__device_constraint;

/* ---- allocations ---- */

typedef struct berth__consumed_capacity {
    berth__device_name name;
    __int128 value; /* nanos */
} berth__consumed_capacity;

/* One device of an allocation. */
typedef struct berth__device_result {
    berth__sym request; /* REQUEST or REQUEST/SUBREQUEST */
    berth__sym driver, pool, device;
    bool admin_access;
    berth__sym share_id; /* 0: not shared */
    const berth__consumed_capacity *consumed;
    uint32_t consumed_count;
    const berth__sym *binding_conditions;
    uint32_t binding_condition_count;
    const berth__sym *binding_failures;
    uint32_t binding_failure_count;
} berth__device_result;

typedef struct berth__device_allocation {
    const berth__device_result *results;
    uint32_t result_count;
    bool has_selector; /* nodeSelector is present; without it every node can use the devices */
    berth__interned_node_selector selector;
    berth_str problem;    /* the fault of a malformed selector; absent: none */
    int64_t allocated_ns; /* allocationTimestamp; INT64_MIN: absent */
} berth__device_allocation;

/* status.devices: a driver's report about an allocated device. */
typedef struct berth__device_condition {
    berth__sym type;
    bool is_true;
} berth__device_condition;

typedef struct berth__device_status {
    berth__sym driver, pool, device;
    const berth__device_condition *conditions;
    uint32_t condition_count;
} berth__device_status;

typedef struct berth__device_claim_facts {
    berth__stored_facts head;
    berth__sym uid;
    berth__sym owner_uid;  /* of the controller, or 0 */
    berth__sym owner_name; /* the same */
    bool deleting;
    bool extended; /* annotated resource.kubernetes.io/extended-resource-claim: "true" */
    const berth__device_request *requests;
    uint32_t request_count;
    const berth__device_constraint *constraints;
    uint32_t constraint_count;
    const berth__device_allocation *allocation; /* NULL: not allocated */
    const berth__sym *reserved_for;             /* uids */
    uint32_t reserved_for_count;
    const berth__device_status *statuses;
    uint32_t status_count;
} berth__device_claim_facts;

/* The allocation that a placement chose for a claim. The store that made it owns this copy. Stores
 * that follow a snapshot of that store borrow the copy and do not count uses. */
typedef struct berth__device_choice {
    berth__device_allocation allocation; /* first: records point to it */
    berth__arena arena;                  /* holds all of it */
    const berth__storage *owner;
    uint64_t born; /* the owner's stamp when it was made */
    uint32_t uses; /* by the claim's record, reservation lists, undo records */
} berth__device_choice;

/* ---- records ---- */

typedef struct berth__device_class {
    berth__stored record;
    uint32_t id;                      /* of the record, below the store's device_class_count */
    berth__device_class_facts *facts; /* NULL: the class does not exist */
} berth__device_class;

/* A DeviceTaintRule. 0 means any driver, pool or device. */
typedef struct berth__taint_rule_facts {
    berth__stored_facts head;
    bool selects; /* it has a selector */
    berth__sym driver, pool, device;
    berth__device_taint taint;
} berth__taint_rule_facts;

typedef struct berth__taint_rule {
    berth__stored record;
    berth__taint_rule_facts *facts; /* NULL: the rule does not exist */
} berth__taint_rule;

typedef struct berth__slice {
    berth__stored record;
    uint32_t id;               /* of the record, below the store's slice_count */
    berth__slice_facts *facts; /* NULL: the slice does not exist */
} berth__slice;

/* The reservation of a claim (kube-scheduler: allocations in flight, and the assume cache) is the
 * allocation that a placement chose for it. It ends when the claim itself has an allocation, when
 * the claim is removed, or when another claim (uid) takes its name. After the pod is removed, any
 * update of the claim ends it. */
struct berth__device_claim {
    berth__stored record;
    uint32_t id;                      /* of the record, below the store's device_claim_count */
    berth__device_claim_facts *facts; /* NULL: the claim does not exist */
    const berth__device_allocation *chosen; /* reserved; NULL: not reserved */
};

/* The claim's own allocation, or else the reserved one; NULL: neither. */
static inline const berth__device_allocation *
berth__device_claim_allocation(const berth__device_claim *claim)
{
    return claim->facts != NULL && claim->facts->allocation != NULL ? claim->facts->allocation
                                                                    : claim->chosen;
}

/* ---- in the store ---- */

/* Records by name, or NULL. A record may lack an object. */
berth__device_claim *berth__storage_device_claim(const berth__storage *storage,
                                                 berth__sym namespace_name, berth__sym name);
berth__device_class *berth__storage_device_class(const berth__storage *storage, berth__sym name);

/* The record for the claim that a placement makes for a pod's extended resources, until the claim
 * is written: it has no object. The first call makes it (NULL: out of memory), under the model's
 * lock. */
berth__device_claim *berth__storage_special_claim_make(berth__storage *storage,
                                                       berth__sym namespace_name, berth_str pod);
/* Find it; `*out` is NULL if there is none. False: out of memory. */
bool berth__storage_special_claim(const berth__storage *storage, berth__sym namespace_name,
                                  berth_str pod, const berth__device_claim **out);
/* Whether a record is of that kind; if so, `*pod` is its pod's name. */
bool berth__device_claim_is_special(const berth__storage *storage, const berth__device_claim *claim,
                                    berth_str *pod);

/* Records by id, below the store's counts; some have no object. */
static inline berth__device_claim *berth__storage_device_claim_at(const berth__storage *storage,
                                                                  uint32_t id)
{
    return (berth__device_claim *)storage->device_claims.items[id];
}
static inline berth__device_class *berth__storage_device_class_at(const berth__storage *storage,
                                                                  uint32_t id)
{
    return (berth__device_class *)storage->device_classes.items[id];
}
static inline berth__slice *berth__storage_slice_at(const berth__storage *storage, uint32_t id)
{
    return (berth__slice *)storage->slices.items[id];
}

/* The allocation chosen for one claim. */
typedef struct berth__device_grant {
    berth__device_claim *claim;
    const berth__device_allocation *allocation; /* is copied; its texts are interned */
} berth__device_grant;

/* Reserve the allocations that a placement chose, in the order of its claims. A claim that is
 * already allocated or reserved is only recorded in the pod's list. The caller has reserved room
 * for 2 records in `undo`; for unreserve, for one. Errors: BERTH_E_NOMEM, nothing reserved. */
berth_status berth__storage_reserve_devices(berth__storage *storage, uint32_t pod,
                                            const berth__device_grant *grants, uint32_t count);

/* Give back what the pod's placement reserved. Does nothing if it reserved nothing. */
void berth__storage_unreserve_devices(berth__storage *storage, uint32_t pod);

/* The i-th claim of the pod's placement; NULL: there is none. The claim itself records its
 * allocation. */
berth__device_claim *berth__storage_granted_claim(const berth__storage *storage, uint32_t pod,
                                                  uint32_t i);

/* ---- between the files of this module ---- */

/* Fill the facts of an object of these kinds; their arena exists already. */
void berth__storage_compile_slice(berth__storage *storage, const berth_resource_slice *source,
                                  berth__slice_facts *out, bool *ok);
void berth__storage_compile_taint_rule(berth__storage *storage,
                                       const berth_device_taint_rule *source,
                                       berth__taint_rule_facts *out, bool *ok);
void berth__storage_compile_device_class(berth__storage *storage, const berth_device_class *source,
                                         berth__device_class_facts *out, bool *ok);
void berth__storage_compile_device_claim(berth__storage *storage,
                                         const berth_resource_claim *source,
                                         berth__device_claim_facts *out, bool *ok);

/* Copy an allocation, with one use; NULL when out of memory. Using and releasing do nothing for a
 * copy that another store owns. They accept NULL. */
const berth__device_allocation *berth__device_choice_make(berth__storage *storage,
                                                          const berth__device_allocation *source);
void berth__device_choice_use(const berth__storage *storage,
                              const berth__device_allocation *chosen);
void berth__device_choice_drop(berth__storage *storage, const berth__device_allocation *chosen);

#endif
