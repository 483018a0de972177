/* Which DeviceClass stands behind an extended resource, and which claim was written for a pod's
 * extended resources.
 *
 * A class stands behind the resource that is named after it, and behind the one that it names. Of
 * classes that name the same one the newest does, of those of one age the first by name; the others
 * stand behind nothing then but their own name, and not even that if they come after the one that
 * does. So they do for a kube-scheduler that has just read them, by name. Source:
 * dynamic-resource-allocation v0.36, deviceclass/extendedresourcecache. Threads: as of the devices
 * that it belongs to. */
#ifndef BERTH_DEVICES_BACKING_H
#define BERTH_DEVICES_BACKING_H

#include "base/keymap.h"
#include "model/model.h"
#include "store/device_facts.h"

/* A class that names a resource. */
typedef struct berth__backing_class {
    berth__keymap_entry entry; /* by resource, of the one that stands behind it */
    berth__sym resource;
    bool known; /* it stands behind the resource that is named after it */
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
    berth__arena arena; /* of the classes */
    berth__keymap by_resource;
    berth__backing_class *classes; /* that name a resource, by name */
    uint32_t class_count;
    uint64_t seen;  /* of the store's changes of classes */
    uint64_t epoch; /* how often they have changed */
    berth__keymap by_pod;
    berth__written_claim **written; /* by claim id; NULL: it is none */
    uint32_t written_capacity;
} berth__backing;

berth_status berth__backing_init(berth__backing *backing, const berth__storage *storage);
void berth__backing_destroy(berth__backing *backing);

/* Follow the store's classes. Returns false when out of memory. */
bool berth__backing_follow(berth__backing *backing);

/* The class behind a resource, NULL: none. */
const berth__device_class *berth__backing_find(const berth__backing *backing, berth__sym resource);

/* A claim has changed. Returns false when out of memory. */
bool berth__backing_note_claim(berth__backing *backing, const berth__device_claim *claim);

/* The written claim of a pod's extended resources, NULL: none. */
berth__device_claim *berth__backing_written(const berth__backing *backing,
                                            berth__sym namespace_name, berth_str pod);

#endif
