/* Converts JSON into public structs: shared by the files naive_json*.c. */
#ifndef BERTH_NAIVE_JSON_H
#define BERTH_NAIVE_JSON_H

#include <jansson.h>

#include "naive.h"

/* An array of `count` items of type T made by calling `one` on each; NULL for an absent list. */
#define NAIVE_JSON_LIST(r, type, json, count_out, one)                                 \
    ({                                                                                 \
        const json_t *list_ = (json);                                                  \
        size_t n_ = json_array_size(list_);                                            \
        type *items_ = list_ == NULL ? NULL : naive_alloc(r, (n_ + 1) * sizeof(type)); \
        for (size_t i_ = 0; i_ < n_; i_++) {                                           \
            items_[i_] = one(r, json_array_get(list_, i_));                            \
        }                                                                              \
        (count_out) = (uint32_t)n_;                                                    \
        items_;                                                                        \
    })

/* Returns a member; NULL if it is absent or null. */
const json_t *naive_json_get(const json_t *o, const char *key);
berth_str naive_json_text(const json_t *o, const char *key);
bool naive_json_flag(const json_t *o, const char *key);
berth_strs naive_json_strs(naive_region *r, const json_t *v);
berth_quantity naive_json_quantity(const json_t *v);
berth_resources naive_json_resources(naive_region *r, const json_t *v);
const berth_node_selector *naive_json_node_selector(naive_region *r, const json_t *v);
berth_metadata naive_json_metadata(naive_region *r, const json_t *object);
berth_taint naive_json_taint(naive_region *r, const json_t *v);
berth_toleration naive_json_toleration(naive_region *r, const json_t *v);
berth_condition naive_json_condition(naive_region *r, const json_t *v);

/* naive_json_devices.c */
void *naive_json_resource_slice(naive_region *r, const json_t *v);
void *naive_json_device_taint_rule(naive_region *r, const json_t *v);
void *naive_json_device_class(naive_region *r, const json_t *v);
void *naive_json_resource_claim(naive_region *r, const json_t *v);

#endif
