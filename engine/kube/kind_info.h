/* The kinds of objects that matter to placement, whether Berth keeps them or only reads them to
 * complete pods: the apiVersion under which Kubernetes serves each, and its fields. */
#ifndef BERTH_KUBE_KIND_INFO_H
#define BERTH_KUBE_KIND_INFO_H

#include "objects/fields.h"

typedef struct berth__kind_info {
    berth_str name;
    berth_str api_version;
    bool namespaced;
    bool of_devices;            /* resource.k8s.io: v1beta1 and v1beta2 are served, too */
    const berth__field *fields; /* all that Kubernetes knows, for notes (notes.c) */
} berth__kind_info;

/* The entry of a kind of berth/objects.h. */
const berth__kind_info *berth__kind_info_of(berth_kind kind);

/* The kind of berth/objects.h with that name and apiVersion (an absent one matches any group);
 * false if there is none. */
bool berth__kind_info_find(berth_str name, berth_str api_version, berth_kind *out);

/* The entry of that name, of any kind; NULL: none. */
const berth__kind_info *berth__kind_info_named(berth_str name);

/* All entries by index; NULL after the last. */
const berth__kind_info *berth__kind_info_at(uint32_t i);

/* Whether an apiVersion ("apps/v1", "v1") belongs to a group ("apps", ""); an absent one belongs to
 * any. */
bool berth__kind_info_group_is(berth_str api_version, berth_str group);

#endif
