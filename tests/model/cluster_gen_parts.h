/* Shared by the parts of the random generator. */
#ifndef BERTH_CLUSTER_GEN_PARTS_H
#define BERTH_CLUSTER_GEN_PARTS_H

#include "cluster_gen.h"

#define ZONE "topology.kubernetes.io/zone"
#define REGION "topology.kubernetes.io/region"
#define BETA_ZONE "failure-domain.beta.kubernetes.io/zone"
#define HOSTNAME "kubernetes.io/hostname"

/* One item of a pool of texts. */
#define PICK(g, ...)                                                                \
    ({                                                                              \
        static const char *const pool_[] = {__VA_ARGS__};                           \
        naive_str(pool_[gen_below(g, (uint32_t)(sizeof(pool_) / sizeof(*pool_)))]); \
    })

/* An array of up to `max` items of type T, each made by `one`. */
#define SOME(g, type, max, count_out, one)                                 \
    ({                                                                     \
        uint32_t n_ = gen_below(g, (max) + 1);                             \
        type *items_ = naive_alloc(&(g)->region, (n_ + 1) * sizeof(type)); \
        for (uint32_t i_ = 0; i_ < n_; i_++) {                             \
            items_[i_] = one(g);                                           \
        }                                                                  \
        (count_out) = n_;                                                  \
        items_;                                                            \
    })

/* ---- texts, labels, amounts (cluster_gen.c) ---- */

berth_str gen_numbered(cluster_gen *g, const char *prefix, uint32_t number);
berth_str gen_random_name(cluster_gen *g, const char *prefix, uint32_t count);
void gen_add_label(cluster_gen *g, berth_map *map, const char *key, berth_str value);
void gen_add_resource(cluster_gen *g, berth_resources *list, const char *name,
                      berth_quantity amount);
berth_quantity gen_milli(uint32_t amount);
berth_quantity gen_mebi(uint32_t amount);

/* ---- names and selectors from small pools (cluster_gen.c) ---- */

berth_str gen_namespace_name(cluster_gen *g);
berth_str gen_image_name(cluster_gen *g);
berth_str gen_pod_label_value(cluster_gen *g, berth_str key);
berth_str gen_app_value(cluster_gen *g);
berth_str gen_node_value(cluster_gen *g);
berth_str gen_some_node(cluster_gen *g);
berth_strs gen_values(cluster_gen *g, berth_str (*one)(cluster_gen *), uint32_t least);
const berth_label_selector *gen_label_selector(cluster_gen *g);
berth_node_affinity gen_node_affinity(cluster_gen *g);
berth_resources gen_requests(cluster_gen *g);
/* Do pods compete for claims? */
bool gen_competes(const cluster_gen *g);

/* ---- features of Kubernetes 1.33 and later (cluster_gen_recent.c) ---- */

void gen_recent_node(cluster_gen *g, berth_node *node);
void gen_recent_pod(cluster_gen *g, berth_pod *pod);
/* For a pod that already has its node and conditions. */
void gen_recent_status(cluster_gen *g, berth_pod *pod);
void gen_recent_namespaces(cluster_gen *g, berth_label_selector *selector);
void gen_recent_volume(cluster_gen *g, berth_persistent_volume *volume);
void gen_recent_claim(cluster_gen *g, berth_persistent_volume_claim *claim);
void gen_recent_csi_node(cluster_gen *g, berth_csi_node *node);

/* ---- devices (cluster_gen_devices.c) ---- */

bool gen_has_devices(const cluster_gen *g);
/* Make a slice, a class or a claim, without its name. */
void *gen_device_object(cluster_gen *g, berth_kind kind, uint32_t index);
void gen_pod_devices(cluster_gen *g, berth_pod *pod);
void gen_class_requests(cluster_gen *g, berth_resources *list);

#endif
