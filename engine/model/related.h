/* Other objects that rules about pods read: Services, controllers that own pods, Namespaces, and
 * the PodGroups and CompositePodGroups that pods belong to. */
#ifndef BERTH_MODEL_RELATED_H
#define BERTH_MODEL_RELATED_H

#include "base/undo_log.h"
#include "model/label_index.h"
#include "model/pod_class.h"

/* A PodGroup has at most three groups above it, as the API limits the templates of a Workload. */
enum { BERTH__GROUP_LEVELS_MAX = 4 };

/* The facts of a PodGroup or CompositePodGroup that rules read. */
typedef struct berth__group_facts {
    int32_t min_count; /* of a gang: pods, or groups right below a composite one; 1 otherwise */
    int32_t priority;
    bool disrupts_all;
    bool never_preempts; /* its own preemptionPolicy is Never */
    bool constrained;    /* it has schedulingConstraints; */
    berth__sym topology; /* their topology key; the pods stay in one domain; 0: none */
    berth__sym parent;   /* its composite group; 0: none, or composite groups are not followed */
    int64_t created_ns;
} berth__group_facts;

/* One Service, ReplicationController, ReplicaSet, StatefulSet, Namespace, PodGroup or
 * CompositePodGroup. Its key has no padding. */
typedef struct berth__related_object {
    berth__keymap_entry entry;
    struct {
        uint32_t kind;             /* berth_kind */
        berth__sym namespace_name; /* 0 for a Namespace */
        berth__sym name;
    } key;
    struct berth__related_object *next, *previous; /* of the same kind and namespace, by arrival */
    /* Groups with the same parent, in no order. */
    struct berth__related_object *next_sibling, *previous_sibling;
    berth__arena arena; /* holds the object itself */
    /* The map of a Service or ReplicationController, whose selectors are plain maps; the labels of
     * a Namespace. */
    berth__labels labels;
    berth__selector selector; /* NOTHING when nil; never INVALID if made from a map */
    berth__group_facts group; /* of a PodGroup or CompositePodGroup */
    const berth_object *kept; /* the original, if the engine keeps objects; else NULL */
} berth__related_object;

/* The objects of one kind in one namespace, or the groups right below a composite one. */
typedef struct berth__related_list {
    berth__keymap_entry entry;
    struct {
        uint32_t kind; /* BERTH_KIND_COUNT: the groups below `parent` */
        berth__sym namespace_name, parent;
    } key;
    berth__related_object *first, *last; /* `last` is NULL for groups below another */
} berth__related_list;

typedef struct berth__related {
    berth__model *model;
    uint64_t stamp; /* of the copy-on-write owner that may change it */
    berth__keymap objects;
    berth__keymap lists;
    berth__label_index services; /* by their selectors */
    uint32_t service_count;
    uint32_t controller_count;
    uint64_t epoch;           /* of Services and controllers: changes with each of them */
    uint64_t namespace_epoch; /* the same for Namespaces */
    berth__undo_log *undo;    /* NULL: changes are final */
} berth__related;

berth_status berth__related_create(berth__model *model, berth__related **out);
void berth__related_destroy(berth__related *related);

/* A copy that shares nothing with the original, for a caller that will change what a snapshot
 * shows. NULL when out of memory. Cost: linear in the objects. */
berth__related *berth__related_copy(const berth__related *related);

/* Release all objects; see base/cow_owner.h. */
berth__release berth__related_release;

/* Add an object of one of the kinds above, or replace the one of its name, which keeps its place in
 * the order of arrival. Before add and remove, the caller reserves room for a record in `undo`.
 * Errors: BERTH_E_EXISTS, BERTH_E_NOT_FOUND (replace), BERTH_E_NOMEM; nothing has changed then. */
berth_status berth__related_add(berth__related *related, const berth_object *object, bool replace,
                                berth_error *error);

/* Errors: BERTH_E_NOT_FOUND. */
berth_status berth__related_remove(berth__related *related, berth_kind kind,
                                   berth_str namespace_name, berth_str name, berth_error *error);

/* The first object of a kind in a namespace, linked by `next` in order of arrival; NULL: none. */
const berth__related_object *berth__related_first(const berth__related *related, berth_kind kind,
                                                  berth__sym namespace_name);

/* The labels of a namespace; `*present` says whether the object exists. */
berth__labels berth__related_namespace(const berth__related *related, berth__sym name,
                                       bool *present);

/* The facts of a PodGroup, or NULL if there is none. */
const berth__group_facts *berth__related_pod_group(const berth__related *related,
                                                   berth__sym namespace_name, berth__sym name);

/* The same for a CompositePodGroup, or for whichever kind it is. */
const berth__group_facts *berth__related_composite(const berth__related *related,
                                                   berth__sym namespace_name, berth__sym name);
const berth__group_facts *berth__related_group(const berth__related *related,
                                               berth__sym namespace_name, berth__sym name,
                                               bool composite);

/* The root above a PodGroup: its name, and whether it is composite. False: a group above it does
 * not exist (`*name` is the first that is missing), or it is below too many (`*name` is its own).
 */
bool berth__related_root(const berth__related *related, berth__sym namespace_name,
                         berth__sym pod_group, berth__sym *name, bool *composite);

/* The first of the groups right below a composite one, linked by `next_sibling` in no order; they
 * are known whether or not the parent is. NULL: none. */
const berth__related_object *berth__related_children(const berth__related *related,
                                                     berth__sym namespace_name, berth__sym parent);

/* Call `visit` for each Service of the namespace whose selector may match the labels, until it
 * returns false; the caller checks the match. */
void berth__related_visit_services(const berth__related *related, berth__sym namespace_name,
                                   berth__labels labels,
                                   bool (*visit)(void *context, void *service), void *context);

/* Whether any object may select pods of this identity. Cheap. */
bool berth__related_may_select(const berth__related *related, const berth__identity *identity);

/* The selector by which pods of this identity are spread if they have no constraints: it requires
 * all matching Services and the owning controller. EVERYTHING if there are none. Memory comes from
 * `arena`; the result is valid as long as the arena and the objects.
 * Source: kube-scheduler v1.32, plugins/helper/spread.go. */
berth__selector berth__related_default_selector(const berth__related *related, berth__arena *arena,
                                                const berth__identity *identity, bool *ok);

#endif
