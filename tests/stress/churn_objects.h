/* Objects that exist once and never again. Each of their texts is unique if the features request
 * it. */
#ifndef BERTH_TESTS_STRESS_CHURN_OBJECTS_H
#define BERTH_TESTS_STRESS_CHURN_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/berth.h"

/* The parts that are unique to an object. */
#define CHURN_FEATURES(X)     \
    X(LABELS, "labels")       \
    X(SPACES, "namespaces")   \
    X(SELECTORS, "selectors") \
    X(TERMS, "terms")         \
    X(SPREADS, "spreads")     \
    X(KEYS, "topology-keys")  \
    X(IMAGES, "images")       \
    X(PORTS, "ports")         \
    X(AMOUNTS, "amounts")     \
    X(RESOURCES, "resources") \
    X(VOLUMES, "volumes")     \
    X(CLAIMS, "claims")       \
    X(WAITING, "waiting")     \
    X(CSI, "csi")             \
    X(RELATED, "related")     \
    X(OWNERS, "owners")       \
    X(NODES, "nodes")         \
    X(UPDATES, "updates")     \
    X(TAINTS, "taints")       \
    X(ORPHANS, "orphans")     \
    X(GATES, "gates")

typedef enum churn_feature {
#define X(name, text) CHURN_##name,
    CHURN_FEATURES(X)
#undef X
        CHURN_FEATURE_COUNT
} churn_feature;

extern const char *const churn_names[CHURN_FEATURE_COUNT];

static inline bool churn_has(uint32_t features, churn_feature one)
{
    return (features >> one & 1) != 0;
}

/* Add or remove pod number `number` and everything around it by the given functions, so that an
 * engine, a branch and a scheduler can be churned in the same way. */
typedef struct churn_target {
    void *context;
    berth_status (*add)(void *context, const berth_object *object, berth_object_id *id,
                        berth_error *error);
    berth_status (*remove)(void *context, berth_kind kind, berth_str space, berth_str name,
                           berth_error *error);
    berth_str (*place)(void *context,
                       uint64_t number); /* where a pod has to run; NULL: nowhere yet */
    bool pods_alone;
} churn_target;

berth_status churn_add_pod(const churn_target *to, uint32_t features, uint64_t number,
                           berth_pod_id *id, berth_error *error);
berth_status churn_remove_pod(const churn_target *to, uint32_t features, uint64_t number,
                              berth_error *error);
berth_status churn_add_node(const churn_target *to, uint32_t features, uint64_t number,
                            berth_error *error);
/* Put node number `number`; with `updates`, under the name of one of that many nodes. */
berth_status churn_put_node(berth_status (*put)(void *context, const berth_object *object,
                                                berth_object_id *id, berth_error *error),
                            void *context, uint32_t features, uint64_t number, berth_error *error);
enum { CHURN_NODE_COUNT = 24, CHURN_NODE_EVERY = 16 };
berth_status churn_remove_node(const churn_target *to, uint32_t features, uint64_t number,
                               berth_error *error);

#endif
