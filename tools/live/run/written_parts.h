/* Parts of a configuration's file in the form in which Go writes them again: members without a
 * value are left out, except those that Go always writes.
 * Source: kube-scheduler v1.32 to v1.37, k8s.io/kube-scheduler/config/v1/types.go and
 * types_pluginargs.go; k8s.io/api/core/v1/types.go. */
#ifndef BERTH_LIVE_WRITTEN_PARTS_H
#define BERTH_LIVE_WRITTEN_PARTS_H

#include <jansson.h>

/* A Go struct, by the names of its members (written_parts.c). */
typedef struct written_struct written_struct;

extern const written_struct written_node_affinity;
extern const written_struct written_spread_constraint;
extern const written_struct written_shape_point;
extern const written_struct written_ratio;
extern const written_struct written_resource;
extern const written_struct written_extender;

/* An object of the file as this struct; members that the struct does not have are left out, and
 * what is no object has none. Owner: the caller frees the result. */
json_t *written_part(const written_struct *as, const json_t *given);

/* The same for a list's items; NULL: the list is absent or empty. */
json_t *written_parts(const written_struct *as, const json_t *given);

/* The texts of a list; NULL: the list is absent or empty. */
json_t *written_texts(const json_t *given);

#endif
