/* LimitRanges: defaults and bounds for the requests and limits of a namespace's containers, applied
 * as the admission plugin LimitRanger does.
 * Source: kubernetes v1.36 plugin/pkg/admission/limitranger. */
#ifndef BERTH_TOOLS_LIMIT_RANGES_H
#define BERTH_TOOLS_LIMIT_RANGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "berth/berth.h"
#include "cli/text_buffer.h"

typedef enum limit_bound {
    LIMIT_DEFAULT,
    LIMIT_DEFAULT_REQUEST,
    LIMIT_MIN,
    LIMIT_MAX,
    LIMIT_RATIO,
    LIMIT_BOUND_COUNT
} limit_bound;

/* One resource of one item of a LimitRange. */
typedef struct limit_entry {
    char *resource;
    bool of_pod; /* for all containers together, not for each */
    bool given[LIMIT_BOUND_COUNT];
    berth_quantity amount[LIMIT_BOUND_COUNT];
} limit_entry;

typedef struct limit_range {
    char *namespace_name;
    char *name;
    limit_entry *entries;
    size_t count;
    size_t capacity;
    size_t behind; /* number of fresh pods of all namespaces that came before it */
    berth_error place;
} limit_range;

/* Zeroed: none. */
typedef struct limit_ranges {
    limit_range *items;
    size_t count;
    size_t capacity;
    void **held; /* memory of the last changed pod */
    size_t held_count;
    size_t held_capacity;
} limit_ranges;

/* Take a LimitRange. Returns false if it limits anything other than pods and containers; those
 * limits are ignored. */
bool limit_ranges_add(limit_ranges *l, berth_str namespace_name, berth_str name,
                      const json_t *object);

/* Set the defaults in `*pod`, the caller's copy; valid until the next call. Returns the LimitRange
 * that changed it (the last one, if several did), or NULL. */
const limit_range *limit_ranges_apply(limit_ranges *l, berth_pod *pod);

/* Whether a pod is refused; if so, `reason` explains it in the plugin's words. */
bool limit_ranges_refuse(const limit_ranges *l, const berth_pod *pod, text_buffer *reason);

void limit_ranges_free(limit_ranges *l);

#endif
