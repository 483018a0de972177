/* The devices of one engine or branch: what its store offers and what its claims hold, kept up to
 * date by the store's journal of devices. Threads: the deciding thread; while a decision's workers
 * search, the thread that holds the lock. */
#ifndef BERTH_DEVICES_DEVICES_H
#define BERTH_DEVICES_DEVICES_H

#include <pthread.h>

#include "devices/backing.h"
#include "devices/outcomes.h"

struct berth__held_devices;

typedef struct berth__devices {
    berth__storage *storage;
    berth__model *model;
    pthread_mutex_t lock; /* protects what searches write. sync: itself */
    bool lost;            /* memory was short for an answer about devices. sync: lock */
    berth__device_uses uses;
    berth__catalog catalog;
    berth__verdicts verdicts;
    berth__outcome_table outcomes;
    berth__backing backing;
    struct berth__held_devices **held; /* by claim id: the devices counted in `uses`; NULL: none */
    uint32_t held_capacity;
    uint64_t seen; /* entries of the store's journal applied */
    bool fresh;    /* everything must be read */
    /* Changes for the catalog: numbers of slices, perhaps several times; and of any rule. */
    uint32_t *changed_slices;
    uint32_t changed_count, changed_capacity;
    bool rules_changed;
    const berth__taint_rule_facts **rules; /* those that select devices */
    uint32_t rule_capacity;
    uint64_t removals;     /* the model's count of removed texts when the question began */
    berth__arena searches; /* for searches */
} berth__devices;

berth_status berth__devices_create(berth__storage *storage, berth__devices **out);
/* Accepts NULL. */
void berth__devices_destroy(berth__devices *devices);

/* Begin a question, in which nothing is lost yet, and during which its thread keeps pointers to
 * outcomes and to programs; so programs are freed here if there are too many. If these are a
 * branch's devices, the engine's thread may remove texts meanwhile, but none that the question's
 * pod holds. */
void berth__devices_begin_question(berth__devices *devices);

/* Apply changes of the store, and the epoch of the view's node facts. The view must live until the
 * next call. Returns false when out of memory; the next call then does the rest. Cost: linear in
 * what changed. */
bool berth__devices_refresh(berth__devices *devices, const berth__view *view);

/* The store has changed: apply its changes before its journal is too short for them. What memory is
 * too short for is left to berth__devices_refresh. */
void berth__devices_keep_up(berth__devices *devices, const berth__view *view);

/* A node of that name has come: apply changes of the store, and list what the node sees if slices
 * name it, while a cluster is loaded rather than in the first decision that looks at all nodes.
 * Accepts NULL. */
void berth__devices_meet_node(berth__devices *devices, const berth__view *view, berth__sym name);

/* The node's id is free from now on. Accepts NULL. */
void berth__devices_forget_node(berth__devices *devices, uint32_t id);

#endif
