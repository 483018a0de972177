/* Objects that plugins read of the pods' surroundings: Services, the controllers that own pods, and
 * Namespaces. */
#ifndef BERTH_MODEL_RELATED_H
#define BERTH_MODEL_RELATED_H

#include "base/undo_log.h"
#include "model/label_index.h"
#include "model/pod_class.h"

/* One Service, ReplicationController, ReplicaSet, StatefulSet or Namespace. No padding in the
 * key. */
typedef struct berth__related_object {
    berth__keymap_entry entry;
    struct {
        uint32_t kind;             /* berth_kind */
        berth__sym namespace_name; /* 0 for a Namespace */
        berth__sym name;
    } key;
    struct berth__related_object *next, *previous; /* of the kind and namespace, by arrival */
    berth__arena arena;                            /* holds the object itself */
    /* Of Services and ReplicationControllers, whose selectors are plain maps: the map; labels of a
     * Namespace. */
    berth__labels labels;
    berth__selector selector; /* NOTHING when nil; one that stands for a map is never INVALID */
    const berth_object *kept; /* as it was given, where objects are kept; else NULL */
} berth__related_object;

/* The objects of one kind in one namespace. */
typedef struct berth__related_list {
    berth__keymap_entry entry;
    struct {
        uint32_t kind;
        berth__sym namespace_name;
    } key;
    berth__related_object *first, *last;
} berth__related_list;

typedef struct berth__related {
    berth__model *model;
    uint64_t stamp; /* of the copy-on-write owner that may change it */
    berth__keymap objects;
    berth__keymap lists;
    berth__label_index services; /* by selector */
    uint32_t service_count;
    uint32_t controller_count;
    uint64_t epoch;           /* of Services and controllers: differs after every change */
    uint64_t namespace_epoch; /* the same for Namespaces */
    berth__undo_log *undo;    /* NULL: changes are for good */
} berth__related;

berth_status berth__related_create(berth__model *model, berth__related **out);
void berth__related_destroy(berth__related *related);

/* A copy that shares nothing with it, for one who is about to change what a snapshot
 * shows. NULL when out of memory. Cost: linear in the objects. */
berth__related *berth__related_copy(const berth__related *related);

/* Release the whole; see base/cow_owner.h. */
berth__release berth__related_release;

/* Add an object of one of the kinds above, or replace the one of its name (which keeps its place
 * in the order of arrival). Errors: E_EXISTS, E_NOT_FOUND (replace), E_NOMEM; nothing has changed
 * then. In add and remove alike, room for a record has been reserved in `undo`. */
berth_status berth__related_add(berth__related *related, const berth_object *object, bool replace,
                                berth_error *error);

/* Errors: E_NOT_FOUND. */
berth_status berth__related_remove(berth__related *related, berth_kind kind,
                                   berth_str namespace_name, berth_str name, berth_error *error);

/* The first object of a kind in a namespace, linked by `next` in order of arrival; NULL: none. */
const berth__related_object *berth__related_first(const berth__related *related, berth_kind kind,
                                                  berth__sym namespace_name);

/* The labels of a namespace; `*present` tells whether there is such an object. */
berth__labels berth__related_namespace(const berth__related *related, berth__sym name,
                                       bool *present);

/* Call `visit` for each Service of the namespace whose selector may match the labels, until it
 * returns false; the caller checks. */
void berth__related_visit_services(const berth__related *related, berth__sym namespace_name,
                                   berth__labels labels,
                                   bool (*visit)(void *context, void *service), void *context);

/* Whether there may be anything that selects pods of this identity: cheap. */
bool berth__related_may_select(const berth__related *related, const berth__identity *identity);

/* The selector by which pods of this identity are spread when they name no constraints: the
 * Services that match it and the controller that owns it, all required. EVERYTHING if there is
 * none of them. Memory comes from `arena`; valid as long as it and the objects.
 * Source: kube-scheduler v1.32, plugins/helper/spread.go. */
berth__selector berth__related_default_selector(const berth__related *related, berth__arena *arena,
                                                const berth__identity *identity, bool *ok);

#endif
