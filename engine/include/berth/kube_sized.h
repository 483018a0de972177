/* The exported twins of the functions of kube.h that read or write structs; see sized.h. */
#ifndef BERTH_KUBE_SIZED_H
#define BERTH_KUBE_SIZED_H

#include "berth/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

struct berth_backoff;
struct berth_extender_config;
struct berth_read_options;
struct berth_reader;
struct berth_scheduler_config;

BERTH_API void berth_read_options_init_sized(struct berth_read_options *options, size_t size);
BERTH_API berth_status berth_reader_create_sized(const struct berth_read_options *options,
                                                 const uint32_t *sizes, struct berth_reader **out,
                                                 berth_error *error);
BERTH_API berth_status berth_object_write_sized(const berth_object *object, const uint32_t *sizes,
                                                berth_status (*write)(void *context,
                                                                      berth_str piece,
                                                                      berth_error *error),
                                                void *context, berth_error *error);
BERTH_API void berth_scheduler_config_backoff_sized(const struct berth_scheduler_config *config,
                                                    struct berth_backoff *out, size_t size);
BERTH_API void berth_scheduler_config_extender_sized(const struct berth_scheduler_config *config,
                                                     uint32_t i, struct berth_extender_config *out,
                                                     size_t size);

#ifdef __cplusplus
}
#endif

#endif
