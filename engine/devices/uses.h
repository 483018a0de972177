/* Devices in use: how the allocations of claims, written or in flight, use each device. Keyed by
 * driver, pool and name, so it does not matter whether a device is offered, or by which slice.
 * Source: kube-scheduler v1.36, plugins/dynamicresources/allocateddevices.go. */
#ifndef BERTH_DEVICES_USES_H
#define BERTH_DEVICES_USES_H

#include "base/keymap.h"
#include "store/device_facts.h"

struct berth__used_pool;

/* One device that is offered or allocated. */
typedef struct berth__device_use {
    struct berth__used_pool *pool;
    berth__sym device;
    uint32_t whole;      /* allocation results that use it exclusively */
    uint32_t shared;     /* results that share it */
    uint32_t capacities; /* sharing results that state what they consume */
    berth__consumed_capacity *consumed;
    uint32_t consumed_count, consumed_capacity;
    uint32_t offers; /* devices of open pools (devices/catalog.h) that are this one */
    /* For the current search, 0 between searches: whether the search has recorded capacity of the
     * device as taken; how often it has taken the device; the view that named the device last. */
    bool entered;
    uint32_t taken;
    uint64_t seen;
} berth__device_use;

/* The devices of a pool that are offered or allocated. It exists while there are some. */
typedef struct berth__used_pool {
    berth__keymap_entry entry;
    struct {
        berth__sym driver, name;
    } key;
    berth__device_use **places; /* by a hash of the name, then in turn; NULL: free */
    uint32_t place_count;       /* a power of two, more than `count`; 0: none */
    uint32_t count;
    uint32_t busy; /* devices in use */
} berth__used_pool;

typedef struct berth__device_uses {
    const berth_allocator *allocator;
    berth__keymap pools;
} berth__device_uses;

berth_status berth__device_uses_init(berth__device_uses *uses, const berth_allocator *allocator);
void berth__device_uses_destroy(berth__device_uses *uses);

/* The pool of that driver and name, added if it is new; NULL when out of memory. */
berth__used_pool *berth__used_pool_get(berth__device_uses *uses, berth__sym driver,
                                       berth__sym name);

/* Free a pool that has no devices. */
void berth__used_pool_tidy(berth__device_uses *uses, berth__used_pool *pool);

/* The entry of a device, added if it is new; NULL when out of memory. */
berth__device_use *berth__device_use_get(const berth__device_uses *uses, berth__used_pool *pool,
                                         berth__sym device);

/* The device is offered once less. An entry that is neither offered nor in use is freed. */
void berth__device_use_withdraw(berth__device_uses *uses, berth__device_use *use);

/* Count an allocation's devices as in use, or no longer. Add fails only when out of memory, and
 * then changes nothing. Remove frees entries that are not offered. */
bool berth__device_uses_add(berth__device_uses *uses, const berth__device_allocation *allocation);
void berth__device_uses_remove(berth__device_uses *uses,
                               const berth__device_allocation *allocation);

/* How much of a capacity, in nanos, all sharers of the device consume. */
__int128 berth__device_use_consumed(const berth__device_use *use, berth__device_name name);

static inline bool berth__device_use_any(const berth__device_use *use)
{
    return use->whole > 0 || use->shared > 0;
}

#endif
