/* Devices in use: what the allocations of claims, written or in flight, hold of each device. Kept
 * by driver, pool and name, so that it does not matter whether, or by which slice, a device is
 * offered. Source: kube-scheduler v1.36, plugins/dynamicresources/allocateddevices.go. */
#ifndef BERTH_DEVICES_USES_H
#define BERTH_DEVICES_USES_H

#include "base/keymap.h"
#include "store/device_facts.h"

/* One device that is offered, or was given to somebody. */
typedef struct berth__device_use {
    berth__keymap_entry entry;
    struct {
        berth__sym driver, pool, device;
    } key;
    uint32_t whole;      /* results that have it for themselves */
    uint32_t shared;     /* that share it */
    uint32_t capacities; /* of these, those that say what they consume */
    berth__consumed_capacity *consumed;
    uint32_t consumed_count, consumed_capacity;
    bool offered; /* some slice lists it */
    /* Of the search under way, and 0 between searches: claims that hold it; whether capacity of it
     * was entered as taken; the view that named it last. */
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

/* The entry of a device, made if there is none; NULL when out of memory. */
berth__device_use *berth__device_use_get(berth__device_uses *uses, berth__sym driver,
                                         berth__sym pool, berth__sym device);

/* An allocation holds its devices from now on, or no longer. Add fails only for want of memory, and
 * then changes nothing. */
bool berth__device_uses_add(berth__device_uses *uses, const berth__device_allocation *allocation);
void berth__device_uses_remove(berth__device_uses *uses,
                               const berth__device_allocation *allocation);

/* Give up the entries that nobody holds and no slice lists. */
void berth__device_uses_trim(berth__device_uses *uses);

/* What is consumed of a capacity in nanos, by all that share the device. */
__int128 berth__device_use_consumed(const berth__device_use *use, berth__device_name name);

static inline bool berth__device_use_any(const berth__device_use *use)
{
    return use->whole > 0 || use->shared > 0;
}

#endif
