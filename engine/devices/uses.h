/* Devices in use: how the allocations of claims, written or in flight, use each device. Keyed by
 * driver, pool and name, so it does not matter whether a device is offered, or by which slice.
 * Source: kube-scheduler v1.36, plugins/dynamicresources/allocateddevices.go. */
#ifndef BERTH_DEVICES_USES_H
#define BERTH_DEVICES_USES_H

#include "base/keymap.h"
#include "store/device_facts.h"

/* One device that is offered or allocated. */
typedef struct berth__device_use {
    berth__keymap_entry entry;
    struct {
        berth__sym driver, pool, device;
    } key;
    uint32_t whole;      /* allocation results that use it exclusively */
    uint32_t shared;     /* results that share it */
    uint32_t capacities; /* sharing results that state what they consume */
    berth__consumed_capacity *consumed;
    uint32_t consumed_count, consumed_capacity;
    bool offered; /* some slice lists it */
    /* For the current search, 0 between searches: whether the search has recorded capacity of the
     * device as taken; how often it has taken the device; the view that named the device last. */
    bool entered;
    uint32_t taken;
    uint64_t seen;
} berth__device_use;

typedef struct berth__device_uses {
    const berth_allocator *allocator;
    berth__keymap table;
} berth__device_uses;

berth_status berth__device_uses_init(berth__device_uses *uses, const berth_allocator *allocator);
void berth__device_uses_destroy(berth__device_uses *uses);

/* The entry of a device, added if it is new; NULL when out of memory. */
berth__device_use *berth__device_use_get(berth__device_uses *uses, berth__sym driver,
                                         berth__sym pool, berth__sym device);

/* Count an allocation's devices as in use, or no longer. Add fails only when out of memory, and
 * then changes nothing. */
bool berth__device_uses_add(berth__device_uses *uses, const berth__device_allocation *allocation);
void berth__device_uses_remove(berth__device_uses *uses,
                               const berth__device_allocation *allocation);

/* Free the entries that no allocation uses and no slice lists. */
void berth__device_uses_trim(berth__device_uses *uses);

/* How much of a capacity, in nanos, all sharers of the device consume. */
__int128 berth__device_use_consumed(const berth__device_use *use, berth__device_name name);

static inline bool berth__device_use_any(const berth__device_use *use)
{
    return use->whole > 0 || use->shared > 0;
}

#endif
