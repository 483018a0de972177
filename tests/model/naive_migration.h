/* Volumes of in-tree plugins as the CSI drivers see them that have taken over: where they may be
 * used, and which do not exist for the driver. Plainly from csi-translation-lib v0.32 to v0.37. */
#ifndef NAIVE_MIGRATION_H
#define NAIVE_MIGRATION_H

#include "naive.h"

/* Why a volume with these labels can't be translated; NULL: it can, or has no such driver. */
const char *naive_translation_problem(naive_region *region, const berth_volume_source *source,
                                      berth_map labels);

/* Whether the node has migrated the volume's plugin, in the eyes of VolumeBinding. */
bool naive_is_migrated(const berth_csi_node *csi, const berth_volume_source *source);

/* The rule on nodes after translation; NULL: none. */
const berth_node_selector *naive_translated_affinity(naive_region *region,
                                                     const berth_persistent_volume *volume);

#endif
