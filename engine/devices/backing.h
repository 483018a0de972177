/* Which DeviceClass backs an extended resource, and which claim was written for a pod's extended
 * resources.
 *
 * A class backs the resource that is named after it, and the resource that it names. If several
 * classes name the same resource, the newest backs it; among equally new ones, the first by name.
 * The other classes then back only the resource named after them, and not even that one if a class
 * that is at least as new precedes them by name. A kube-scheduler that has just read the classes in
 * the order of their names does the same. Source: dynamic-resource-allocation v0.36,
 * deviceclass/extendedresourcecache.
 * Threads: those of the devices that it belongs to. */
#ifndef BERTH_DEVICES_BACKING_H
#define BERTH_DEVICES_BACKING_H

#include "base/keymap.h"
#include "model/model.h"
#include "store/device_facts.h"

/* A class that names a resource. */
typedef struct berth__backing_class {
    berth__keymap_entry entry; /* by resource, if the class backs it */
    berth__sym resource;
    bool known; /* it backs the resource that is named after it */
    const berth__device_class *of;
} berth__backing_class;

/* A written claim for extended resources, by its pod. */
typedef struct berth__written_claim {
    berth__keymap_entry entry;
    struct {
        berth__sym namespace_name, pod;
    } key;
    uint32_t id;
} berth__written_claim;

typedef struct berth__backing {
    const berth__storage *storage;
    berth__arena arena; /* holds the classes */
    berth__keymap by_resource;
    berth__backing_class *classes; /* those that name a resource, sorted by name */
    uint32_t class_count;
    uint64_t seen;  /* changes of classes in the store that were applied */
    uint64_t epoch; /* how often the classes have changed */
    berth__keymap by_pod;
    berth__written_claim **written; /* by claim id; NULL: not such a claim */
    uint32_t written_capacity;
} berth__backing;

berth_status berth__backing_init(berth__backing *backing, const berth__storage *storage);
void berth__backing_destroy(berth__backing *backing);

/* Apply changes of the store's classes. Returns false when out of memory. */
bool berth__backing_follow(berth__backing *backing);

/* The class that backs a resource; NULL: none. */
const berth__device_class *berth__backing_find(const berth__backing *backing, berth__sym resource);

/* A claim has changed. Returns false when out of memory. */
bool berth__backing_note_claim(berth__backing *backing, const berth__device_claim *claim);

/* The claim that was written for a pod's extended resources; NULL: none. */
berth__device_claim *berth__backing_written(const berth__backing *backing,
                                            berth__sym namespace_name, berth_str pod);

#endif
