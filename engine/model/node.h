/* A node as the engine keeps it: interned facts in one block, and the list of the pods on it. */
#ifndef BERTH_MODEL_NODE_H
#define BERTH_MODEL_NODE_H

#include "model/labels.h"
#include "model/model.h"

#define BERTH__SLOT_NONE UINT32_MAX
#define BERTH_POD_INDEX_NONE UINT32_MAX

/* Small records of a node have no padding: there may be a million nodes. */
#define BERTH__DENSE __attribute__((packed, aligned(4)))

typedef struct BERTH__DENSE berth__node_amount {
    uint32_t resource;
    int64_t allocatable;
} berth__node_amount;

typedef struct BERTH__DENSE berth__node_image {
    berth__sym name;
    int64_t size_bytes;
} berth__node_image;

/* The conditions and the annotation that v1.15's predicates and priorities read. */
enum {
    BERTH__NODE_NOT_READY = 1 << 0,           /* Ready present and not True */
    BERTH__NODE_NETWORK_UNAVAILABLE = 1 << 1, /* NetworkUnavailable present and not False */
    BERTH__NODE_MEMORY_PRESSURE = 1 << 2,
    BERTH__NODE_DISK_PRESSURE = 1 << 3,
    BERTH__NODE_PID_PRESSURE = 1 << 4,
    BERTH__NODE_AVOIDS_PODS = 1 << 5, /* has the annotation behind avoid_pods */
};

/* The contents of the Node object. Immutable; an update replaces all of it. The amounts, the images
 * and the labels follow the head, in this order. */
typedef struct berth__node_facts {
    uint64_t born;    /* stamp of the copy-on-write owner that added it */
    int64_t pods_max; /* allocatable "pods" */
    const berth__taint_list *taints;
    uint32_t image_count;
    uint32_t label_count : 24;
    uint32_t annotation_count : 8; /* annotations that plugins read; they follow the labels */
    berth__sym zone;               /* zone key, v1.32's rule; 0: none */
    berth__sym zone_legacy;        /* the same from the beta labels alone */
    berth__sym avoid_pods; /* annotation scheduler.alpha.kubernetes.io/preferAvoidPods, or 0 */
    uint16_t amount_count; /* up to BERTH__RESOURCES_MAX */
    uint8_t conditions;
    bool unschedulable : 1;
    uint8_t features : 7;         /* BERTH__FEATURE_* of pod_class.h */
    berth__node_amount amounts[]; /* in the order of resources */
} berth__node_facts;

static inline const berth__node_image *berth__node_images(const berth__node_facts *facts)
{
    return (const berth__node_image *)(const void *)(facts->amounts + facts->amount_count);
}

static inline berth__labels berth__node_labels(const berth__node_facts *facts)
{
    const void *items = berth__node_images(facts) + facts->image_count;
    return (berth__labels){items, facts->label_count};
}

static inline berth__labels berth__node_annotations(const berth__node_facts *facts)
{
    return (berth__labels){berth__node_labels(facts).items + facts->label_count,
                           facts->annotation_count};
}

/* A node, present or absent: while an absent node has bound pods, it keeps its id and these pods.
 * Then the id is free for another name (cluster/cluster_sweep.h). */
typedef struct berth__node_record {
    berth__sym name;    /* 0: the id is free */
    uint32_t slot;      /* in the current layout, or BERTH__SLOT_NONE */
    uint32_t first_pod; /* list through berth__pod_record.next */
    uint32_t pod_count;
    berth__node_facts *facts; /* NULL: the node is absent */
    uint64_t refreshed;       /* the last cycle before it or its pods changed; see model/images.h */
    bool closed;              /* takes no pods, whatever its facts say */
    union {
        int32_t lowest_priority; /* no pod on it has a lower one; INT32_MAX without pods */
        uint32_t next_free;      /* of a free id: the next one, or BERTH_NODE_NONE */
    };
} berth__node_record;

/* Node records by id: a table of pages that snapshots share (base/cow_array.h). */
enum { BERTH__NODE_PAGE_SHIFT = 8 };

static inline berth__node_record *berth__node_at(const berth__cow_array *nodes, uint32_t id)
{
    return berth__cow_array_item(nodes, id, sizeof(berth__node_record), BERTH__NODE_PAGE_SHIFT);
}

/* Compile a Node object. Errors: BERTH_E_INVALID, BERTH_E_RANGE (field named), BERTH_E_NOMEM. */
berth_status berth__node_facts_make(berth__model *model, const berth_node *node,
                                    berth__node_facts **out, berth_error *error);
/* A copy with another spec.unschedulable. NULL when out of memory. */
berth__node_facts *berth__node_facts_cordon(berth__model *model, const berth__node_facts *facts,
                                            bool unschedulable);
void berth__node_facts_free(const berth_allocator *allocator, berth__node_facts *facts);

/* Release facts; see base/cow_owner.h. */
berth__release berth__node_facts_release;

/* Whether two nodes' facts have the same contents besides images, allocatable amounts and labels;
 * and the same allocatable amounts. */
bool berth__node_rules_alike(const berth__node_facts *a, const berth__node_facts *b);
bool berth__node_amounts_equal(const berth__node_facts *a, const berth__node_facts *b);

/* The allocatable amount of a resource column; 0 if the node does not name it. */
int64_t berth__node_allocatable(const berth__node_facts *facts, uint32_t resource, bool *named);

#endif
