/* The handle that a CSI driver uses for a volume of an in-tree plugin, or why there is none.
 * Source: csi-translation-lib v0.32 to v0.37, plugins. */
#ifndef BERTH_STORE_IN_TREE_HANDLE_H
#define BERTH_STORE_IN_TREE_HANDLE_H

#include "base/arena.h"
#include "store/storage.h"

/* A volume as its in-tree plugin names it. */
typedef struct berth__in_tree_volume {
    berth__in_tree plugin;
    berth_str handle;
    berth_str uri;       /* of an Azure disk */
    berth_str disk_kind; /* of an Azure disk */
    berth_str zones;     /* of a PersistentVolume, joined by "__" */
} berth__in_tree_volume;

typedef struct berth__in_tree_handle {
    berth_str handle;  /* absent: the volume can't be translated */
    berth_str problem; /* why, in the library's words */
} berth__in_tree_handle;

/* Translate a volume. Texts that are made for it come from `arena`; `*ok` turns false when out of
 * memory. */
berth__in_tree_handle berth__in_tree_translate(berth__arena *arena,
                                               const berth__in_tree_volume *volume, bool *ok);

#endif
