/* NodeVolumeLimits: how many volumes a CSI driver can attach to a node, and since v1.37 whether the
 * driver is installed there.
 * Source: kube-scheduler v1.32 and v1.37, plugins/nodevolumelimits/csi.go. */
#include <string.h>

#include "base/bits.h"
#include "base/sort.h"
#include "plugins/claim_lookup.h"
#include "plugins/registry.h"

/* The volumes that the pod attaches, each once. */
typedef struct wanted {
    berth__attachment *items; /* sorted */
    uint32_t count;
    berth__driver_count *drivers; /* of the items */
    uint32_t driver_count;
} wanted;

/* Kinds of nodes: the pod attaches different volumes on each. */
enum {
    WITH_CSI_NODE,
    WITH_PORTWORX_MIGRATED,
    WITHOUT_CSI_NODE, /* no CSINode, if that makes a difference */
    KINDS_OF_NODES,
};

typedef struct filter_state {
    /* The first volume whose claim does not exist or was not created for the pod; NULL: none. */
    const berth__pod_volume *broken;
    bool missing;
    /* The first volume before `broken` that its CSI driver does not have, an error on nodes with a
     * CSINode, and why; NULL: none. */
    const berth__pod_volume *untranslated;
    berth_str problem;
    wanted wanted[KINDS_OF_NODES];
    /* The drivers of these volumes that must be installed on the node. */
    berth__sym *required;
    uint32_t required_count;
    /* The fill state of nodes for each wanted driver; NULL if it differs with Portworx migrated, or
     * out of memory. */
    const berth__driver_fill **fills;
} filter_state;

static void want(wanted *list, berth__attachments attachments)
{
    if (attachments.items[0] != 0)
        list->items[list->count++] = attachments.items[0];
}

/* Sort by driver, drop duplicates and count the items of each driver. */
static void settle(wanted *list)
{
    uint32_t count = 0;
    berth__sort_words(list->items, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        berth__attachment item = list->items[i];
        berth__sym driver = berth__attachment_driver(item);
        if (count > 0 && list->items[count - 1] == item)
            continue;
        list->items[count++] = item;
        if (list->driver_count == 0 || list->drivers[list->driver_count - 1].driver != driver)
            list->drivers[list->driver_count++] = (berth__driver_count){driver, 0};
        list->drivers[list->driver_count - 1].count++;
    }
    list->count = count;
}

/* Note the volume if it is the first that its CSI driver does not have. Returns false when out of
 * memory. */
static bool note_untranslated(const berth__view *view, const berth__pod_volume *volume,
                              berth__arena *arena, filter_state *own)
{
    bool ok = true;
    if (own->untranslated != NULL)
        return true;
    own->problem = berth__storage_disk_problem(view->storage, volume, arena, &ok);
    own->untranslated = own->problem.len > 0 ? volume : NULL;
    return ok;
}

/* Collect the attachments of one volume. Returns false when out of memory. */
static bool want_volume(berth__view *view, const berth__pod_volume *volume,
                        const berth__claim *claim, berth__arena *arena, filter_state *own)
{
    const berth__disk *disk = NULL;
    if (claim == NULL && ((disk = berth__storage_disk_make(view->storage, volume)) == NULL ||
                          !note_untranslated(view, volume, arena, own)))
        return false;
    for (uint32_t kind = 0; kind < KINDS_OF_NODES; kind++) {
        berth__csi_node_facts facts = {.migrated = (uint32_t)(kind == WITH_PORTWORX_MIGRATED)
                                                   << BERTH__IN_TREE_PORTWORX};
        const berth__storage_node node = {.facts = kind != WITHOUT_CSI_NODE ? &facts : NULL};
        want(&own->wanted[kind], claim != NULL
                                     ? berth__storage_claim_attachments(view->storage, claim, &node)
                                     : berth__storage_disk_attachments(view->storage, disk, &node));
    }
    return true;
}

static bool is_of_interest(const berth__volume_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        berth_volume_kind kind = list->items[i].kind;
        if (kind != BERTH_VOLUME_ISCSI && kind != BERTH_VOLUME_RBD)
            return true;
    }
    return false;
}

/* Whether each driver gets the same number of volumes with and without Portworx migrated. */
static bool same_drivers(const wanted *a, const wanted *b)
{
    bool same = a->driver_count == b->driver_count;
    for (uint32_t i = 0; same && i < a->driver_count; i++)
        same = a->drivers[i].driver == b->drivers[i].driver &&
               a->drivers[i].count == b->drivers[i].count;
    return same;
}

static void find_fills(berth__prepare *prepare, filter_state *own)
{
    const berth__view *view = prepare->cycle->view;
    const wanted *list = &own->wanted[0];
    if (own->broken != NULL || !same_drivers(list, &own->wanted[1]))
        return;
    const berth__driver_fill **fills =
        berth__arena_alloc(prepare->arena, list->driver_count * sizeof(*fills), 8);
    bool found = fills != NULL;
    for (uint32_t i = 0; found && i < list->driver_count; i++) {
        fills[i] = berth__driver_fill_get(view->volume_use, list->drivers[i].driver, view->layout);
        found = fills[i] != NULL;
    }
    own->fills = found ? fills : NULL;
}

static bool must_be_installed(const berth__view *view, berth__sym driver)
{
    const berth__csi_driver_record *record = berth__storage_driver(view->storage, driver);
    return record != NULL && record->facts != NULL && record->facts->must_be_installed;
}

static bool is_required(const filter_state *own, berth__sym driver)
{
    uint32_t i = 0;
    while (i < own->required_count && own->required[i] != driver)
        i++;
    return i < own->required_count;
}

static void find_required(berth__prepare *prepare, filter_state *own)
{
    const berth__view *view = prepare->cycle->view;
    uint32_t most = 0;
    for (uint32_t kind = 0; kind < KINDS_OF_NODES; kind++)
        most += own->wanted[kind].driver_count;
    own->required = berth__arena_alloc(prepare->arena, most * sizeof(*own->required), 4);
    prepare->ok &= own->required != NULL;
    for (uint32_t kind = 0; kind < KINDS_OF_NODES && prepare->ok; kind++)
        for (uint32_t i = 0; i < own->wanted[kind].driver_count; i++) {
            const berth__sym driver = own->wanted[kind].drivers[i].driver;
            if (must_be_installed(view, driver) && !is_required(own, driver))
                own->required[own->required_count++] = driver;
        }
}

static berth__outcome node_volume_limits_prepare(berth__prepare *prepare)
{
    berth__view *view = prepare->cycle->view;
    const berth__volume_list *list = prepare->cycle->cls->volumes;
    filter_state *own = prepare->state;
    prepare->stays = list == NULL;
    if (list == NULL || !is_of_interest(list))
        return BERTH__SKIP;
    prepare->ok = berth__volumes_refresh(view);
    for (uint32_t i = 0; i < KINDS_OF_NODES && prepare->ok; i++) {
        own->wanted[i].items =
            berth__arena_alloc(prepare->arena, list->count * sizeof(berth__attachment), 8);
        own->wanted[i].drivers =
            berth__arena_alloc(prepare->arena, list->count * sizeof(berth__driver_count), 8);
        prepare->ok = own->wanted[i].items != NULL && own->wanted[i].drivers != NULL;
    }
    for (uint32_t i = 0; i < list->count && prepare->ok && own->broken == NULL; i++) {
        const berth__pod_volume *volume = &list->items[i];
        const berth__claim *claim =
            berth__uses_claim(volume) ? berth__claim_find(view, list, volume) : NULL;
        own->missing = berth__uses_claim(volume) && claim == NULL;
        if (own->missing ||
            (volume->kind == BERTH_VOLUME_EPHEMERAL && !berth__claim_is_owned(claim, list)))
            own->broken = volume;
        else
            prepare->ok = want_volume(view, volume, claim, prepare->arena, own);
    }
    prepare->may_fail = (own->broken != NULL && !own->missing) || own->untranslated != NULL;
    if (!prepare->ok)
        return BERTH__ACTIVE;
    for (uint32_t kind = 0; kind < KINDS_OF_NODES; kind++)
        settle(&own->wanted[kind]);
    if (view->model->behaviours.csi_drivers_required)
        find_required(prepare, own);
    find_fills(prepare, own);
    return BERTH__ACTIVE;
}

/* The number of items that are not attached yet. */
static uint32_t count_new(const berth__node_volumes *volumes, const berth__attachment *items,
                          uint32_t count)
{
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < count; i++)
        fresh += !berth__volume_is_attached(volumes, items[i]);
    return fresh;
}

/* Whether a driver's attached volumes plus the pod's new `items` are within its limit. The pod's
 * volumes are looked up among the attached ones only if they would not fit as new ones. */
static bool within(const berth__node_volumes *volumes, const berth__driver_count *asked,
                   const berth__attachment *items, const berth__driver_limit *limit)
{
    if (limit == NULL)
        return true;
    int64_t attached = berth__volumes_attached(volumes, limit->driver);
    if (attached + asked->count <= limit->count)
        return true;
    uint32_t more = count_new(volumes, items, asked->count);
    return more == 0 || attached + more <= limit->count;
}

/* The CSINode of a slot's node, or NULL. */
static const berth__csi_node_facts *csi_node(const berth__view *view, uint32_t slot)
{
    const berth__node_volumes *volumes = berth__slot_volumes(view, slot);
    return volumes != NULL && volumes->record != NULL ? volumes->record->facts : NULL;
}

static bool needs_translation(const berth__view *view, const filter_state *own, uint32_t slot)
{
    return own->untranslated != NULL && csi_node(view, slot) != NULL;
}

static bool migrates_portworx(const berth__csi_node_facts *facts)
{
    return (facts->migrated & 1u << BERTH__IN_TREE_PORTWORX) != 0;
}

/* A driver that the pod needs and the node lacks; 0: none. */
static berth__sym missing_driver(const berth__view *view, const filter_state *own, uint32_t slot)
{
    if (own->required_count == 0)
        return 0;
    const berth__csi_node_facts *facts = csi_node(view, slot);
    const wanted *list = &own->wanted[facts == NULL              ? WITHOUT_CSI_NODE
                                      : migrates_portworx(facts) ? WITH_PORTWORX_MIGRATED
                                                                 : WITH_CSI_NODE];
    for (uint32_t i = 0; i < list->driver_count; i++) {
        const berth__sym driver = list->drivers[i].driver;
        if (is_required(own, driver) && (facts == NULL || !berth__csi_installed(facts, driver)))
            return driver;
    }
    return 0;
}

static bool fits(const berth__view *view, const filter_state *own, uint32_t slot)
{
    const berth__node_volumes *volumes = berth__slot_volumes(view, slot);
    if (volumes == NULL || volumes->record == NULL || volumes->record->facts == NULL)
        return true;
    const berth__csi_node_facts *facts = volumes->record->facts;
    const wanted *list =
        &own->wanted[migrates_portworx(facts) ? WITH_PORTWORX_MIGRATED : WITH_CSI_NODE];
    const berth__attachment *items = list->items;
    for (uint32_t i = 0; i < list->driver_count; i++) {
        const berth__driver_count *driver = &list->drivers[i];
        if (!within(volumes, driver, items, berth__csi_limit(facts, driver->driver)))
            return false;
        items += driver->count;
    }
    return true;
}

/* The slots of a tile with room for all of the pod's volumes, even if none is attached yet. */
static berth__mask with_room(const berth__view *view, const filter_state *own, uint32_t tile)
{
    berth__mask out = {{0}};
    if (own->fills == NULL)
        return out;
    out = (berth__mask){{UINT64_MAX, UINT64_MAX}};
    for (uint32_t i = 0; i < own->wanted[0].driver_count; i++) {
        const berth__mask room = berth__driver_fill_room(own->fills[i], view->kernels, tile,
                                                         own->wanted[0].drivers[i].count);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            out.words[w] &= room.words[w];
    }
    return out;
}

/* Whether one of these volumes is attached on some node, so that it may count there already. */
static bool is_attached(const berth__view *view, const wanted *list)
{
    bool attached = false;
    for (uint32_t i = 0; i < list->count; i++)
        attached |= berth__volume_use_attaches(view->volume_use, list->items[i]);
    return attached;
}

/* Of slots without room for new volumes, keep those whose nodes have the pod's volumes already. */
static void keep_attached(const berth__view *view, const filter_state *own, uint32_t tile,
                          berth__mask *mask)
{
    if (own->fills != NULL && !is_attached(view, &own->wanted[WITH_CSI_NODE]) &&
        !is_attached(view, &own->wanted[WITH_PORTWORX_MIGRATED])) {
        *mask = (berth__mask){{0}};
        return;
    }
    const berth__mask asked = *mask;
    BERTH__MASK_EACH(&asked, s)
    {
        if (!fits(view, own, tile * BERTH__TILE + s))
            berth__bit_clear(mask->words, s);
    }
}

/* Clear the slots that lack a driver that the pod needs. */
static void keep_installed(const berth__view *view, const filter_state *own, uint32_t tile,
                           berth__mask *mask)
{
    BERTH__MASK_EACH(mask, s)
    {
        if (missing_driver(view, own, tile * BERTH__TILE + s) != 0)
            berth__bit_clear(mask->words, s);
    }
}

/* Clear the slots where a volume of the pod would have to be translated and can't be. */
static void keep_translated(const berth__view *view, const filter_state *own, uint32_t tile,
                            berth__mask *mask)
{
    BERTH__MASK_EACH(mask, s)
    {
        if (needs_translation(view, own, tile * BERTH__TILE + s))
            berth__bit_clear(mask->words, s);
    }
}

static void node_volume_limits_filter(const berth__question *cycle, const void *instance,
                                      const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    const filter_state *own = opaque;
    if (own->broken != NULL) {
        *mask = (berth__mask){{0}};
        return;
    }
    if (own->untranslated != NULL)
        keep_translated(cycle->view, own, tile, mask);
    if (own->required_count > 0)
        keep_installed(cycle->view, own, tile, mask);
    if (own->wanted[WITH_CSI_NODE].count + own->wanted[WITH_PORTWORX_MIGRATED].count == 0)
        return;
    const berth__mask roomy = with_room(cycle->view, own, tile);
    berth__mask rest = *mask;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        rest.words[w] &= ~roomy.words[w];
    if (berth__mask_empty(&rest))
        return;
    keep_attached(cycle->view, own, tile, &rest);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= roomy.words[w] | rest.words[w];
}

static void node_volume_limits_busy_tiles(const berth__question *cycle, const void *instance,
                                          const void *opaque, uint64_t *tiles)
{
    (void)instance;
    const filter_state *own = opaque;
    const berth__layout *layout = cycle->view->layout;
    const bool attaches =
        own->wanted[WITH_CSI_NODE].count + own->wanted[WITH_PORTWORX_MIGRATED].count > 0;
    if (own->broken != NULL || own->required_count > 0 || (attaches && own->fills == NULL)) {
        memset(tiles, 0xff, ((size_t)layout->tile_count + 63) / 64 * sizeof(*tiles));
        return;
    }
    for (uint32_t i = 0; attaches && i < own->wanted[0].driver_count; i++)
        berth__driver_fill_busy(own->fills[i], layout, cycle->view->kernels,
                                own->wanted[0].drivers[i].count, tiles);
}

static void node_volume_limits_explain(const berth__question *cycle, const void *instance,
                                       const void *opaque, uint32_t slot, berth__reasons *reasons)
{
    (void)instance;
    const filter_state *own = opaque;
    const berth__volume_list *list = cycle->cls->volumes;
    if (needs_translation(cycle->view, own, slot)) {
        const berth_str name = berth__text(cycle->view->model, own->untranslated->name);
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      BERTH__ERROR_PREFIX "converting volume(%.*s) from inline to csi: %.*s",
                      (int)name.len, name.data, (int)own->problem.len, own->problem.data);
        reasons->failed = true;
        return;
    }
    if (own->broken == NULL && missing_driver(cycle->view, own, slot) != 0) {
        const berth_str driver =
            berth__text(cycle->view->model, missing_driver(cycle->view, own, slot));
        berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE,
                      "%.*s CSI driver is not installed on the node", (int)driver.len, driver.data);
        return;
    }
    if (own->broken == NULL) {
        berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE, "node(s) exceed max volume count");
        return;
    }
    if (!own->missing) {
        berth__reason_not_owned(reasons, cycle->view, list, own->broken, BERTH__ERROR_PREFIX);
        reasons->failed = true;
        return;
    }
    berth_str space = berth__text(cycle->view->model, list->namespace_name);
    berth_str name = berth__text(cycle->view->model, own->broken->handle);
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                  "looking up PVC %.*s/%.*s: persistentvolumeclaim \"%.*s\" not found",
                  (int)space.len, space.data, (int)name.len, name.data, (int)name.len, name.data);
}

/* Wake for removed pods only if they had volumes that count. */
static bool node_volume_limits_wakes(berth__wake *wake, const berth__waiter *waiter,
                                     const void *instance)
{
    (void)waiter;
    (void)instance;
    if ((wake->bits & BERTH_WAKE_POD_REMOVE) == 0)
        return true;
    const berth__volume_list *list = wake->before->volumes;
    return list != NULL && is_of_interest(list);
}

const berth__plugin_ops berth__plugin_node_volume_limits = {
    .name = "NodeVolumeLimits",
    .flags = BERTH__PREPARE_EACH | BERTH__FILTERS_LATE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_POD_REMOVE | BERTH_WAKE_CLAIM | BERTH_WAKE_VOLUME |
               BERTH_WAKE_STORAGE_CLASS | BERTH_WAKE_CSI_NODE | BERTH_WAKE_CSI_DRIVER |
               BERTH_WAKE_ATTACHMENT,
    .wakes = node_volume_limits_wakes,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = node_volume_limits_prepare,
    .filter = node_volume_limits_filter,
    .busy_tiles = node_volume_limits_busy_tiles,
    .explain = node_volume_limits_explain,
    /* The pod's volumes do not depend on other pods, and the view already shows theirs. */
    .adjust = berth__plugin_adjust_nothing,
};
