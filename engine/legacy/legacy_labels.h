/* The arguments of the v1.15 plugins that a Policy configures with node labels:
 * CheckNodeLabelPresence, NodeLabelPriority, CheckServiceAffinity, ServiceAntiAffinityPriority. */
#ifndef BERTH_LEGACY_LEGACY_LABELS_H
#define BERTH_LEGACY_LEGACY_LABELS_H

#include "plugins/plugin.h"

typedef struct berth__legacy_labels {
    const berth__sym *keys;
    uint32_t count;
    bool presence;
} berth__legacy_labels;

/* Read the arguments into the instance. Errors: BERTH_E_INVALID (no labels), BERTH_E_NOMEM. */
berth_status berth__legacy_labels_configure(berth__model *model, berth__arena *arena,
                                            const berth_plugin_args *args, void *instance,
                                            berth_error *error);

/* The columns of the labels in the view's layout, in the order of the keys, allocated in `arena`.
 * NULL when out of memory. Valid until the layout changes. */
const berth__sym **berth__legacy_label_columns(berth__view *view, berth__arena *arena,
                                               const berth__legacy_labels *labels);

#endif
