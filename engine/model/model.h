/* The symbol tables that everything in an engine shares: strings, resources, taint lists, images. */
#ifndef BERTH_MODEL_MODEL_H
#define BERTH_MODEL_MODEL_H

#include "base/intern.h"
#include "base/keymap.h"
#include "berth/profile.h"

/* Resource columns that always exist; extended and other scalar resources follow. Amounts are int64:
 * cpu in milli, everything else in units. */
enum {
    BERTH__CPU = 0,
    BERTH__MEMORY = 1,
    BERTH__EPHEMERAL = 2,
    BERTH__SCALARS = 3, /* the first scalar resource */
    BERTH__RESOURCES_MAX = 1024,
};
#define BERTH__RESOURCE_NONE UINT32_MAX

typedef struct berth__taint {
    berth__sym key;
    berth__sym value;
    berth__sym effect;
} berth__taint;

/* A node's taints in list order. Interned: equal lists have one id; id 0 is the empty list. */
typedef struct berth__taint_list {
    berth__keymap_entry entry;
    uint32_t id;
    uint32_t count;
    berth__taint items[];
} berth__taint_list;

/* An image name that some present node has. The size is that of the first node that brought it. */
typedef struct berth__image {
    int64_t size_bytes;
    uint32_t node_count; /* 0: no node has it, the size is void */
} berth__image;

/* Ids of the texts that rules name. */
#define BERTH__KNOWN_LIST(X)                                        \
    X(empty, "")                                                    \
    X(no_schedule, "NoSchedule")                                    \
    X(no_execute, "NoExecute")                                      \
    X(prefer_no_schedule, "PreferNoSchedule")                       \
    X(op_exists, "Exists")                                          \
    X(op_equal, "Equal")                                            \
    X(unschedulable, "node.kubernetes.io/unschedulable")            \
    X(hostname, "kubernetes.io/hostname")                           \
    X(zone, "topology.kubernetes.io/zone")                          \
    X(region, "topology.kubernetes.io/region")                      \
    X(zone_beta, "failure-domain.beta.kubernetes.io/zone")          \
    X(region_beta, "failure-domain.beta.kubernetes.io/region")      \
    X(any_ip, "0.0.0.0")                                            \
    X(tcp, "TCP")                                                   \
    X(metadata_name, "metadata.name")                               \
    X(default_namespace, "default")                                 \
    X(default_scheduler, "default-scheduler")

typedef struct berth__model {
    const berth_allocator *allocator;
    berth_era era;
    berth__intern strings;
    struct {
#define X(name, text) berth__sym name;
        BERTH__KNOWN_LIST(X)
#undef X
    } known;
    berth__sym resource_names[BERTH__RESOURCES_MAX];
    uint32_t resource_count;
    berth__keymap taint_lists;
    berth__taint_list **taints_by_id;
    uint32_t taint_list_count;
    uint32_t taint_list_capacity;
    berth__image *images; /* by image name id; grown on demand */
    uint32_t image_capacity;
    berth__keymap parts;   /* of pod classes, see pod_class.h */
    berth__keymap classes;
    uint32_t class_count;
    uint64_t class_serial; /* the last serial given to a class or part */
    uint32_t *words;       /* scratch for keys */
    uint32_t word_count;
    uint32_t word_capacity;
    berth__arena scratch; /* reset at each object */
} berth__model;

berth_status berth__model_init(berth__model *model, const berth_allocator *allocator,
                               berth_era era);
/* All classes must have been released. */
void berth__model_destroy(berth__model *model);

static inline berth_str berth__text(const berth__model *model, berth__sym sym)
{
    return berth__intern_text(&model->strings, sym);
}

/* The column of a resource name. `find` gives BERTH__RESOURCE_NONE for a name without one; `add` makes
 * one for names that kube-scheduler counts as scalar, and BERTH__RESOURCE_NONE for all others.
 * Source: kube-scheduler v1.32, framework/types.go, Resource.Add; v1helper.IsScalarResourceName. */
uint32_t berth__resource_find(const berth__model *model, berth_str name);
uint32_t berth__resource_add(berth__model *model, berth_str name, bool *ok);

/* Whether a name is an extended resource: unprefixed and kubernetes.io names are not. */
bool berth__resource_is_extended(berth_str name);

/* Amounts as the scheduler reads them: rounded away from zero to milli or to units. Returns false
 * when the result does not fit. */
bool berth__amount_read(__int128 nanos, bool milli, int64_t *out);
__int128 berth__amount_nanos(berth_quantity amount);

/* The interned list of taints (id 0 when there are none); NULL when out of memory. */
const berth__taint_list *berth__taints_intern(berth__model *model, const berth_taint *taints,
                                              uint32_t count);

/* Whether a toleration of that shape accepts a taint. `op`: 0 reads as Equal.
 * Source: k8s.io/api v0.32, core/v1/toleration.go. */
typedef struct berth__toleration {
    berth__sym key;   /* 0 or the empty text: any key */
    berth__sym op;
    berth__sym value;
    berth__sym effect; /* 0 or the empty text: any effect */
} berth__toleration;
bool berth__tolerates(const berth__model *model, const berth__toleration *toleration,
                      const berth__taint *taint);

/* The image table's entry of a name, or NULL if no node ever had it. */
berth__image *berth__image_find(const berth__model *model, berth__sym name);
/* One more or one fewer present node has the image. `add` returns false when out of memory. */
bool berth__image_add(berth__model *model, berth__sym name, int64_t size_bytes);
void berth__image_remove(berth__model *model, berth__sym name);

#endif
