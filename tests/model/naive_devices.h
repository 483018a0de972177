/* How the naive scheduler searches for devices: shared by the files naive_device*.c. */
#ifndef BERTH_NAIVE_DEVICES_H
#define BERTH_NAIVE_DEVICES_H

#include "naive.h"

/* Append an item to a list in the region. */
#define APPEND(region, list, count, item)                                \
    do {                                                                 \
        (list) = naive_grow((region), (list), (count), sizeof(*(list))); \
        (list)[(count)++] = (item);                                      \
    } while (0)

/* The slices of a pool that are visible from a node. */
typedef struct naive_pool {
    berth_str driver, name;
    int64_t generation;
    const berth_resource_slice **slices; /* by name */
    size_t slice_count;
    const berth_resource_slice **counters; /* slices with counters that devices share */
    size_t counter_count;
    bool incomplete, invalid, conditions;
} naive_pool;

typedef struct naive_device {
    const berth_resource_slice *slice;
    const berth_slice_device *device;
    const naive_pool *pool;
} naive_device;

/* A request without alternatives, or one alternative. */
typedef struct naive_device_ask {
    const berth_resource_claim *of;
    size_t claim;
    const berth_claim_request *request;
    const berth_exact_request *exact;
    const berth_device_class *device_class;
    const char *name; /* REQUEST or REQUEST/SUBREQUEST */
    bool all;
    size_t need;
    naive_device *list; /* all possible devices, for a request for all */
} naive_device_ask;

/* The name in errors. */
static inline berth_str naive_own_name(const naive_device_ask *ask)
{
    return ask->request->exactly != NULL ? ask->request->name : ask->exact->name;
}

typedef struct naive_want {
    naive_device_ask *asks;
    size_t count, chosen;
    bool first_available;
} naive_want;

/* A device taken during a search. */
typedef struct naive_take {
    const naive_device_ask *ask;
    size_t claim;
    naive_device device;
    berth_resources consumed; /* for a device that can be shared */
    bool counted;             /* the device uses counters of its pool */
} naive_take;

typedef struct naive_counter {
    berth_str driver, pool, set, name;
    naive_nanos available, used;
} naive_counter;

typedef struct naive_bond_slot {
    berth_str request;
    const berth_slice_attribute *value; /* NULL: none */
} naive_bond_slot;

/* A constraint and its state. */
typedef struct naive_bond {
    size_t claim; /* a claim that a pod names twice counts as two */
    const berth_claim_constraint *constraint;
    size_t count;
    const berth_slice_attribute *value;
    naive_bond_slot *slots; /* since v1.37 one for each device */
    size_t slot_count;
} naive_bond;

typedef struct naive_search {
    naive_attempt *a;
    const berth_node *node;
    const berth_resource_claim **claims; /* claims without devices */
    size_t claim_count;
    naive_want **wants; /* by claim and request */
    naive_pool *pools;
    size_t pool_count;
    const berth_claim_allocation **uses; /* of the whole cluster */
    size_t use_count;
    naive_take *takes;
    size_t take_count;
    naive_counter *counters;
    size_t counter_count;
    naive_bond *bonds;
    size_t bond_count;
    const char *problem;
} naive_search;

typedef enum naive_found { NAIVE_NONE, NAIVE_SOLVED, NAIVE_TOO_MANY, NAIVE_FAILED } naive_found;

/* Run the statement for each device of any claim of the cluster, written or held. */
#define NAIVE_EACH_RESULT(s, result)                                                  \
    for (size_t u_ = 0; u_ < (s)->use_count; u_++)                                    \
        for (const berth_allocated_device *result = (s)->uses[u_]->results;           \
             result < (s)->uses[u_]->results + (s)->uses[u_]->result_count; result++) \
            if (!result->admin_access)

/* naive_devices.c */
const char *naive_claim_key(const naive_attempt *a, const berth_resource_claim *claim);
const naive_device_hold *naive_claim_held(const naive_attempt *a,
                                          const berth_resource_claim *claim);
const berth_device_class *naive_class_named(const naive_attempt *a, berth_str name);

/* naive_extended.c */
void naive_find_special(naive_attempt *a);
bool naive_special_on(naive_attempt *a, const berth_node *node, berth_resource_claim *out,
                      bool *none, naive_refusal *r);

/* naive_device_pools.c */
void naive_find_pools(naive_search *s);
bool naive_pool_has(const naive_pool *pool, const berth_resource_slice *slice);
bool naive_device_reaches(const berth_resource_slice *slice, const berth_slice_device *device,
                          const berth_node *node);

/* naive_device_take.c */
bool naive_is_result(const berth_allocated_device *result, const naive_device *device);
bool naive_device_free(const naive_search *s, const naive_device_ask *ask,
                       const naive_device *device);
/* Why the amounts that a request takes can't be computed; NULL: they can. */
const char *naive_capacity_problem(const naive_search *s, const berth_exact_request *ask,
                                   const naive_device *device);

/* Does the device have the requested capacity? `*out`, if not NULL, receives the amount that it
 * takes of each capacity. */
bool naive_capacity_fits(const naive_search *s, const berth_exact_request *ask,
                         const naive_device *device, bool whole, berth_resources *out);
/* NAIVE_SOLVED: the device is taken. */
naive_found naive_take_device(naive_search *s, const naive_device_ask *ask,
                              const naive_device *device, bool must);
void naive_release_device(naive_search *s);
naive_found naive_fail(naive_search *s, const char *text);

/* naive_device_search.c */
/* Collect the devices of all claims of the cluster, written or held. */
void naive_find_uses(naive_search *s);
/* Find devices for the claims of the attempt that have none, and for the special claim, if any. */
naive_found naive_solve(naive_search *s, const berth_resource_claim *special);

/* naive_selectors.c */
/* Does a selector accept a device, in that minor version? `*problem` receives its error. */
bool naive_selects(naive_region *region, uint32_t kubernetes, berth_str expression,
                   const naive_device *device, const char **problem);

#endif
