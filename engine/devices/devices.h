/* The devices of one engine or branch: what its store offers and what its claims hold, kept current
 * from the store's journal of devices. Threads: the deciding one; while a decision's workers
 * search, whoever holds the lock. */
#ifndef BERTH_DEVICES_DEVICES_H
#define BERTH_DEVICES_DEVICES_H

#include <pthread.h>

#include "devices/backing.h"
#include "devices/outcomes.h"

struct berth__held_devices;

typedef struct berth__devices {
    berth__storage *storage;
    berth__model *model;
    pthread_mutex_t lock; /* of what searches write. sync: itself */
    berth__device_uses uses;
    berth__catalog catalog;
    berth__verdicts verdicts;
    berth__outcome_table outcomes;
    berth__backing backing;
    struct berth__held_devices **held; /* by claim id: what is counted in `uses`; NULL: nothing */
    uint32_t held_capacity;
    uint64_t seen;         /* of the store's journal */
    bool fresh;            /* everything is to be looked at */
    bool slices_changed;   /* the catalog is to be made anew */
    uint64_t removals;     /* texts given up when the question began */
    berth__arena searches; /* what a search makes */
} berth__devices;

berth_status berth__devices_create(berth__storage *storage, berth__devices **out);
/* Accepts NULL. */
void berth__devices_destroy(berth__devices *devices);

/* A question begins. While it lasts its thread keeps pointers to outcomes; the engine's thread may
 * give up texts meanwhile, if this is a branch's, but none that the question's pod holds. */
void berth__devices_begin_question(berth__devices *devices);

/* Take over what changed in the store, and the epoch of the node facts. Returns false when out of
 * memory; the next call makes up for it. Cost: of what changed; after a change of a slice a look at
 * every device. */
bool berth__devices_refresh(berth__devices *devices, uint64_t layout_epoch);

#endif
