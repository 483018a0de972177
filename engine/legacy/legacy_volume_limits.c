/* MaxEBSVolumeCount, MaxGCEPDVolumeCount, MaxAzureDiskVolumeCount, MaxCinderVolumeCount and
 * MaxCSIVolumeCountPred of v1.15: how many volumes of one kind a node can have. v1.32 counts them
 * all by CSI driver, in NodeVolumeLimits. A claim whose volume is unknown counts for every in-tree
 * kind, under driver 0.
 * Source: Kubernetes v1.15.3, algorithm/predicates/predicates.go, MaxPDVolumeCountChecker;
 * csi_volume_predicate.go; pkg/volume/util/attach_limit.go. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/sha1.h"
#include "base/text.h"
#include "legacy/legacy_registry.h"
#include "plugins/claim_lookup.h"

enum {
    EBS_DEFAULT = 39,
    EBS_NITRO = 25,
    GCE_PD_DEFAULT = 16,
    AZURE_DISK_DEFAULT = 16,
    CINDER_DEFAULT = 256,
};

/* The volumes that the pod would attach, each once. */
typedef struct wanted {
    berth__attachment *items;
    uint32_t count;
} wanted;

static void want(wanted *list, berth__attachment item)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i] == item)
            return;
    list->items[list->count++] = item;
}

/* Find the attachments of one volume of the list; none if the volume does not count. */
static bool attachments_of(berth__view *view, const berth__volume_list *list,
                           const berth__pod_volume *volume, berth__attachments *out)
{
    *out = (berth__attachments){{0}};
    if (volume->kind == BERTH_VOLUME_EPHEMERAL) /* unknown to v1.15 */
        return true;
    if (volume->kind == BERTH_VOLUME_CLAIM) {
        const berth__claim *claim =
            berth__storage_claim_make(view->storage, list->namespace_name, volume->handle);
        if (claim != NULL)
            *out = berth__storage_claim_attachments(view->storage, claim, NULL);
        return claim != NULL;
    }
    const berth__disk *disk = berth__storage_disk_make(view->storage, volume);
    if (disk != NULL)
        *out = berth__storage_disk_attachments(view->storage, disk, NULL);
    return disk != NULL;
}

/* How many of the wanted attachments are new to a node. */
static uint32_t count_new(const berth__node_volumes *volumes, const wanted *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        count += volumes == NULL || !berth__volume_is_attached(volumes, list->items[i]);
    return count;
}

/* The limit that a node publishes as a resource. */
static bool published(const berth__view *view, uint32_t resource, uint32_t slot, int64_t *limit)
{
    bool named = false;
    if (resource == BERTH__RESOURCE_NONE)
        return false;
    *limit = berth__node_allocatable(berth__view_node(view, slot)->facts, resource, &named);
    return named;
}

BERTH__EXPLAIN_ALWAYS(legacy_volume_limits_explain, BERTH_CODE_UNSCHEDULABLE,
                      "node(s) exceed max volume count")

/* ---- in-tree kinds ---- */

typedef struct in_tree_kind {
    berth__in_tree in_tree;
    const char *resource;
    int64_t limit; /* the default */
} in_tree_kind;

typedef struct in_tree_state {
    wanted wanted;
    berth__sym driver;
    uint32_t resource;
    int64_t limit;                    /* the limit of nodes that publish none */
    const berth__sym *instance_types; /* their column if it affects the limit, or NULL */
} in_tree_state;

static bool want_in_tree(berth__view *view, const berth__volume_list *list, in_tree_state *own)
{
    for (uint32_t i = 0; i < list->count; i++) {
        berth__attachments found;
        if (!attachments_of(view, list, &list->items[i], &found))
            return false;
        for (uint32_t k = 0; k < 2; k++) {
            berth__sym driver = berth__attachment_driver(found.items[k]);
            if (found.items[k] != 0 && (driver == 0 || driver == own->driver))
                want(&own->wanted, found.items[k]);
        }
    }
    return true;
}

/* Branches share interned texts, hence the lock. */
static berth__sym in_tree_driver(berth__view *view, berth__in_tree in_tree, bool *ok)
{
    berth__model_lock(view->model);
    berth__sym driver = berth__storage_in_tree_driver(view->storage, in_tree, ok);
    berth__model_unlock(view->model);
    return driver;
}

static berth__outcome prepare_in_tree(berth__prepare *prepare, const in_tree_kind *kind)
{
    berth__view *view = prepare->cycle->view;
    const berth__volume_list *list = prepare->cycle->cls->volumes;
    int64_t told = view->model->attached_volumes_max;
    in_tree_state *own = prepare->state;
    bool ok = true;
    if (list == NULL)
        return BERTH__SKIP;
    /* At most one of a volume's attachments is the plugin's: a class has another driver. */
    own->wanted.items =
        berth__arena_alloc(prepare->arena, list->count * sizeof(berth__attachment), 8);
    if (own->wanted.items != NULL && berth__volumes_refresh(view)) {
        own->driver = in_tree_driver(view, kind->in_tree, &ok);
        own->resource = berth__resource_find(view->model, berth__text_of(kind->resource));
        own->limit = told > 0 ? told : kind->limit;
        ok &= want_in_tree(view, list, own);
    } else {
        ok = false;
    }
    if (ok && told == 0 && kind->in_tree == BERTH__IN_TREE_EBS && own->wanted.count > 0) {
        own->instance_types =
            berth__layout_column(view->layout, &view->nodes, view->model->known.instance_type);
        ok &= own->instance_types != NULL;
    }
    prepare->ok = ok;
    return own->wanted.count > 0 ? BERTH__ACTIVE : BERTH__SKIP;
}

static bool contains(berth_str text, const char *part)
{
    return text.len > 0 && memmem(text.data, text.len, part, strlen(part)) != NULL;
}

/* Whether a machine type takes fewer EBS volumes. */
static bool is_nitro(berth_str type)
{
    return (type.len > 1 && strchr("cmr", type.data[0]) != NULL && type.data[1] == '5') ||
           contains(type, "t3") || contains(type, "z1d");
}

static int64_t limit_of(const berth__view *view, const in_tree_state *own, uint32_t slot)
{
    int64_t limit;
    if (published(view, own->resource, slot, &limit))
        return limit;
    if (own->instance_types != NULL && own->instance_types[slot] != 0 &&
        is_nitro(berth__text(view->model, own->instance_types[slot])))
        return EBS_NITRO;
    return own->limit;
}

/* A node above its limit takes no pod that uses volumes of the kind, even if they are attached. */
static void legacy_volume_limits_filter_in_tree(const berth__question *cycle,
                                                const void *opaque_instance, const void *opaque,
                                                uint32_t tile, berth__mask *mask)
{
    (void)opaque_instance;
    const in_tree_state *own = opaque;
    BERTH__MASK_EACH(mask, s)
    {
        uint32_t slot = tile * BERTH__TILE + s;
        const berth__node_volumes *volumes = berth__slot_volumes(cycle->view, slot);
        int64_t count = count_new(volumes, &own->wanted);
        if (volumes != NULL)
            count += berth__volumes_attached(volumes, 0) +
                     (own->driver != 0 ? berth__volumes_attached(volumes, own->driver) : 0);
        if (count > limit_of(cycle->view, own, slot))
            berth__bit_clear(mask->words, s);
    }
}

/* Defines the predicate `symbol` on one kind. */
#define IN_TREE(symbol, predicate, which, resource_name, most)                                  \
    static berth__outcome prepare_##symbol(berth__prepare *prepare)                             \
    {                                                                                           \
        static const in_tree_kind kind = {which, resource_name, most};                          \
        return prepare_in_tree(prepare, &kind);                                                 \
    }                                                                                           \
    const berth__plugin_ops berth__plugin_##symbol = {                                          \
        .name = predicate,                                                                      \
        .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNSCHEDULABLE,                             \
        .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS | BERTH_WAKE_NODE_ALLOCATABLE | \
                   BERTH_WAKE_POD_REMOVE | BERTH__WAKE_STORAGE,                                 \
        .filter_state_bytes = sizeof(in_tree_state),                                            \
        .prepare_filter = prepare_##symbol,                                                     \
        .filter = legacy_volume_limits_filter_in_tree,                                          \
        .explain = legacy_volume_limits_explain,                                                \
        .adjust = berth__plugin_adjust_nothing,                                                 \
    }

IN_TREE(max_ebs_volume_count, "MaxEBSVolumeCount", BERTH__IN_TREE_EBS, "attachable-volumes-aws-ebs",
        EBS_DEFAULT);
IN_TREE(max_gce_pd_volume_count, "MaxGCEPDVolumeCount", BERTH__IN_TREE_GCE_PD,
        "attachable-volumes-gce-pd", GCE_PD_DEFAULT);
IN_TREE(max_azure_disk_volume_count, "MaxAzureDiskVolumeCount", BERTH__IN_TREE_AZURE_DISK,
        "attachable-volumes-azure-disk", AZURE_DISK_DEFAULT);
IN_TREE(max_cinder_volume_count, "MaxCinderVolumeCount", BERTH__IN_TREE_CINDER,
        "attachable-volumes-cinder", CINDER_DEFAULT);

/* ---- CSI ---- */

/* A driver whose volumes the pod attaches. */
typedef struct csi_driver {
    berth__sym name;
    uint32_t resource;
    wanted wanted;
} csi_driver;

typedef struct csi_state {
    csi_driver *drivers;
    uint32_t driver_count;
} csi_state;

/* The resource of a driver's limit. Resource names have at most 63 characters; a longer driver name
 * is cut and made unique by a digest. */
static uint32_t driver_resource(const berth__model *model, berth_str driver)
{
    enum { NAME_MAX_LEN = 63, KEPT = 23, DIGEST_BYTES = 8 };
    static const char prefix[] = "attachable-volumes-csi-";
    char text[sizeof(prefix) + NAME_MAX_LEN];
    size_t len = sizeof(prefix) - 1;
    memcpy(text, prefix, len);
    if (len + driver.len < NAME_MAX_LEN) {
        memcpy(text + len, driver.data, driver.len);
        return berth__resource_find(model, (berth_str){text, (uint32_t)len + driver.len});
    }
    uint8_t digest[BERTH__SHA1_BYTES];
    berth__sha1(driver.data, driver.len, digest);
    memcpy(text + len, driver.data, KEPT);
    len += KEPT;
    for (int i = 0; i < DIGEST_BYTES; i++, len += 2)
        snprintf(text + len, sizeof(text) - len, "%02x", digest[i]);
    return berth__resource_find(model, (berth_str){text, (uint32_t)len});
}

/* The entry of a driver, with room for `most` attachments; NULL when out of memory. */
static csi_driver *driver_of(berth__prepare *prepare, csi_state *own, berth__sym name,
                             uint32_t most)
{
    for (uint32_t i = 0; i < own->driver_count; i++)
        if (own->drivers[i].name == name)
            return &own->drivers[i];
    csi_driver *driver = &own->drivers[own->driver_count++];
    const berth__model *model = prepare->cycle->view->model;
    *driver =
        (csi_driver){.name = name, .resource = driver_resource(model, berth__text(model, name))};
    driver->wanted.items = berth__arena_alloc(prepare->arena, most * sizeof(berth__attachment), 8);
    return driver->wanted.items != NULL ? driver : NULL;
}

static bool want_csi(berth__prepare *prepare, const berth__volume_list *list, csi_state *own)
{
    for (uint32_t i = 0; i < list->count; i++) {
        berth__attachments found;
        if (list->items[i].kind != BERTH_VOLUME_CLAIM)
            continue;
        if (!attachments_of(prepare->cycle->view, list, &list->items[i], &found))
            return false;
        berth__sym name = berth__attachment_driver(found.items[0]);
        if (name == 0)
            continue;
        csi_driver *driver = driver_of(prepare, own, name, list->count);
        if (driver == NULL)
            return false;
        want(&driver->wanted, found.items[0]);
    }
    return true;
}

static berth__outcome legacy_volume_limits_prepare_csi(berth__prepare *prepare)
{
    const berth__volume_list *list = prepare->cycle->cls->volumes;
    csi_state *own = prepare->state;
    bool limited = false;
    if (list == NULL)
        return BERTH__SKIP;
    own->drivers = berth__arena_alloc(prepare->arena, list->count * sizeof(*own->drivers), 8);
    prepare->ok = own->drivers != NULL && berth__volumes_refresh(prepare->cycle->view) &&
                  want_csi(prepare, list, own);
    for (uint32_t i = 0; prepare->ok && i < own->driver_count; i++)
        limited |= own->drivers[i].resource != BERTH__RESOURCE_NONE;
    return limited ? BERTH__ACTIVE : BERTH__SKIP;
}

static bool fits_csi(const berth__view *view, const csi_state *own, uint32_t slot)
{
    const berth__node_volumes *volumes = berth__slot_volumes(view, slot);
    for (uint32_t i = 0; i < own->driver_count; i++) {
        const csi_driver *driver = &own->drivers[i];
        int64_t limit, count = count_new(volumes, &driver->wanted);
        if (count == 0 || !published(view, driver->resource, slot, &limit))
            continue;
        if (volumes != NULL)
            count += berth__volumes_attached(volumes, driver->name);
        if (count > limit)
            return false;
    }
    return true;
}

static void legacy_volume_limits_filter_csi(const berth__question *cycle,
                                            const void *opaque_instance, const void *opaque,
                                            uint32_t tile, berth__mask *mask)
{
    (void)opaque_instance;
    BERTH__MASK_EACH(mask, s)
    {
        if (!fits_csi(cycle->view, opaque, tile * BERTH__TILE + s))
            berth__bit_clear(mask->words, s);
    }
}

const berth__plugin_ops berth__plugin_max_csi_volume_count = {
    .name = "MaxCSIVolumeCountPred",
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNSCHEDULABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_ALLOCATABLE | BERTH_WAKE_POD_REMOVE |
               BERTH__WAKE_STORAGE,
    .filter_state_bytes = sizeof(csi_state),
    .prepare_filter = legacy_volume_limits_prepare_csi,
    .filter = legacy_volume_limits_filter_csi,
    .explain = legacy_volume_limits_explain,
    /* The state points into the view and does not depend on other pods. */
    .adjust = berth__plugin_adjust_nothing,
};
