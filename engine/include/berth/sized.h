/* The exported twins of functions that read or write structs: each takes the sizes of the caller's
 * structs as arguments. C and C++ programs call the inline functions of the same names without
 * _sized, which pass the sizes they were compiled with; those carry the documentation. Programs
 * that are not compiled (dlsym, ctypes) call these. engine.h, "Sizes", has the rule. */
#ifndef BERTH_SIZED_H
#define BERTH_SIZED_H

#include "berth/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

struct berth_claim_choice;
struct berth_conflict;
struct berth_counts;
struct berth_decide_options;
struct berth_device_fit;
struct berth_engine;
struct berth_engine_config;
struct berth_explanation;
struct berth_group_options;
struct berth_memory;
struct berth_node;
struct berth_node_template;
struct berth_object_id;
struct berth_placement;
struct berth_pod;
struct berth_pod_status;
struct berth_reason_count;
struct berth_refusal;
struct berth_scheduler;
struct berth_scheduler_counters;
struct berth_scheduler_options;
struct berth_snapshot;
struct berth_step;
struct berth_taken_device;
struct berth_extended_request;

/* engine.h */
BERTH_API void berth_engine_config_init_sized(struct berth_engine_config *config, size_t size);
BERTH_API berth_status berth_engine_add_sized(struct berth_engine *engine,
                                              const berth_object *object, const uint32_t *sizes,
                                              struct berth_object_id *id, size_t id_size,
                                              berth_error *error);
BERTH_API berth_status berth_engine_add_node_sized(struct berth_engine *engine,
                                                   const struct berth_node *node, size_t size,
                                                   berth_node_id *id, berth_error *error);
BERTH_API berth_status berth_engine_add_pod_sized(struct berth_engine *engine,
                                                  const struct berth_pod *pod, size_t size,
                                                  berth_pod_id *id, berth_error *error);
BERTH_API berth_status berth_engine_update_sized(struct berth_engine *engine,
                                                 const berth_object *object, const uint32_t *sizes,
                                                 berth_error *error);
BERTH_API void berth_engine_counts_sized(const struct berth_engine *engine,
                                         struct berth_counts *out, size_t size);
BERTH_API berth_status berth_engine_memory_sized(const struct berth_engine *engine,
                                                 struct berth_memory *out, size_t size,
                                                 berth_error *error);
BERTH_API void berth_decide_options_init_sized(struct berth_decide_options *options, size_t size);
BERTH_API berth_status berth_engine_decide_sized(struct berth_engine *engine, berth_pod_id pod,
                                                 const struct berth_decide_options *options,
                                                 struct berth_placement *out, size_t size,
                                                 berth_error *error);
BERTH_API berth_status berth_engine_schedule_sized(struct berth_engine *engine, berth_pod_id pod,
                                                   struct berth_placement *out, size_t size,
                                                   berth_error *error);
BERTH_API void berth_explanation_refusal_sized(const struct berth_explanation *explanation,
                                               uint32_t i, struct berth_refusal *out, size_t size);
BERTH_API uint32_t berth_explanation_reason_counts_sized(
    const struct berth_explanation *explanation, struct berth_reason_count *out, size_t size,
    uint32_t capacity);

/* transaction.h */
BERTH_API berth_status berth_engine_schedule_group_sized(struct berth_engine *engine,
                                                         const berth_pod_id *pods, uint32_t count,
                                                         struct berth_placement *placements,
                                                         size_t size, uint32_t *placed,
                                                         berth_error *error);
BERTH_API berth_status berth_engine_schedule_pods_sized(struct berth_engine *engine,
                                                        const berth_pod_id *pods, uint32_t count,
                                                        const struct berth_group_options *options,
                                                        struct berth_placement *placements,
                                                        size_t size, uint32_t *fitted,
                                                        berth_error *error);

/* template.h */
BERTH_API berth_status berth_engine_add_nodes_sized(struct berth_engine *engine,
                                                    const struct berth_node_template *from,
                                                    const uint32_t *sizes, uint32_t count,
                                                    berth_node_id *nodes, berth_error *error);

/* query.h */
BERTH_API berth_status berth_engine_device_fits_sized(struct berth_engine *engine, berth_pod_id pod,
                                                      berth_node_id node,
                                                      struct berth_device_fit *out, size_t size,
                                                      uint32_t capacity, uint32_t *count,
                                                      berth_error *error);

/* read.h */
BERTH_API uint32_t berth_engine_pod_claims_sized(const struct berth_engine *engine,
                                                 berth_pod_id pod, struct berth_claim_choice *out,
                                                 size_t size, uint32_t capacity);
BERTH_API uint32_t berth_engine_pod_devices_sized(const struct berth_engine *engine,
                                                  berth_pod_id pod, struct berth_taken_device *out,
                                                  size_t size, uint32_t capacity);
BERTH_API berth_status berth_engine_pod_claim_object_sized(const struct berth_engine *engine,
                                                           berth_pod_id pod, uint32_t nth,
                                                           const uint32_t *sizes,
                                                           const berth_allocator *allocator,
                                                           berth_object **out, berth_error *error);
BERTH_API berth_status berth_engine_pod_extended_claim_sized(
    const struct berth_engine *engine, berth_pod_id pod, const uint32_t *sizes,
    const berth_allocator *allocator, berth_object **out, berth_error *error);
BERTH_API uint32_t berth_engine_pod_extended_requests_sized(const struct berth_engine *engine,
                                                            berth_pod_id pod,
                                                            struct berth_extended_request *out,
                                                            size_t size, uint32_t capacity);
BERTH_API berth_status berth_engine_node_object_sized(const struct berth_engine *engine,
                                                      berth_node_id node, const uint32_t *sizes,
                                                      const berth_allocator *allocator,
                                                      berth_object **out, berth_error *error);
BERTH_API berth_status berth_engine_pod_object_sized(const struct berth_engine *engine,
                                                     berth_pod_id pod, const uint32_t *sizes,
                                                     const berth_allocator *allocator,
                                                     berth_object **out, berth_error *error);
BERTH_API berth_status berth_engine_objects_sized(
    struct berth_engine *engine, berth_kind kind, const uint32_t *sizes,
    berth_status (*each)(void *context, const berth_object *object, berth_error *error),
    void *context, berth_error *error);

/* snapshot.h */
BERTH_API void berth_snapshot_counts_sized(const struct berth_snapshot *snapshot,
                                           struct berth_counts *out, size_t size);

/* branch.h */
BERTH_API berth_status berth_branch_commit_sized(struct berth_engine *branch,
                                                 struct berth_conflict *conflicts, size_t size,
                                                 uint32_t capacity, uint32_t *count,
                                                 berth_error *error);

/* scheduler.h */
BERTH_API void berth_scheduler_options_init_sized(struct berth_scheduler_options *options,
                                                  size_t size);
BERTH_API berth_status berth_scheduler_add_sized(struct berth_scheduler *scheduler, int64_t now_ns,
                                                 const berth_object *object, const uint32_t *sizes,
                                                 struct berth_object_id *id, size_t id_size,
                                                 berth_error *error);
BERTH_API berth_status berth_scheduler_add_node_sized(struct berth_scheduler *scheduler,
                                                      int64_t now_ns, const struct berth_node *node,
                                                      size_t size, berth_node_id *id,
                                                      berth_error *error);
BERTH_API berth_status berth_scheduler_add_pod_sized(struct berth_scheduler *scheduler,
                                                     int64_t now_ns, const struct berth_pod *pod,
                                                     size_t size, berth_pod_id *id,
                                                     berth_error *error);
BERTH_API berth_status berth_scheduler_update_sized(struct berth_scheduler *scheduler,
                                                    int64_t now_ns, const berth_object *object,
                                                    const uint32_t *sizes, berth_error *error);
BERTH_API berth_status berth_scheduler_post_add_sized(struct berth_scheduler *scheduler,
                                                      const berth_object *object,
                                                      const uint32_t *sizes, berth_error *error);
BERTH_API berth_status berth_scheduler_post_update_sized(struct berth_scheduler *scheduler,
                                                         const berth_object *object,
                                                         const uint32_t *sizes, berth_error *error);
BERTH_API berth_status berth_scheduler_step_sized(struct berth_scheduler *scheduler, int64_t now_ns,
                                                  struct berth_step *out, size_t size,
                                                  size_t placement_size, berth_error *error);
BERTH_API void berth_scheduler_pod_sized(const struct berth_scheduler *scheduler, berth_pod_id pod,
                                         struct berth_pod_status *out, size_t size);
BERTH_API void berth_scheduler_count_sized(const struct berth_scheduler *scheduler,
                                           struct berth_scheduler_counters *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
