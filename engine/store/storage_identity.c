/* Identity of volumes: which volumes are the same to the driver that attaches them.
 * Source: kube-scheduler v1.32, plugins/nodevolumelimits; csi-translation-lib v0.32, plugins;
 * Kubernetes v1.15.3, predicates.go (volume filters), csi_volume_predicate.go. */
#include <string.h>

#include "base/text.h"
#include "store/in_tree_handle.h"

static const struct {
    const char *plugin;
    const char *driver;
    const char *zone_key; /* the topology label into which zones turn; NULL: they stay */
} in_tree_plugins[BERTH__IN_TREE_COUNT] = {
    [BERTH__IN_TREE_EBS] = {"kubernetes.io/aws-ebs", "ebs.csi.aws.com",
                            "topology.ebs.csi.aws.com/zone"},
    [BERTH__IN_TREE_GCE_PD] = {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io",
                               "topology.gke.io/zone"},
    [BERTH__IN_TREE_AZURE_DISK] = {"kubernetes.io/azure-disk", "disk.csi.azure.com", NULL},
    [BERTH__IN_TREE_CINDER] = {"kubernetes.io/cinder", "cinder.csi.openstack.org",
                               "topology.cinder.csi.openstack.org/zone"},
    [BERTH__IN_TREE_PORTWORX] = {"kubernetes.io/portworx-volume", "pxd.portworx.com", NULL},
};

static const char zone_beta_key[] = "failure-domain.beta.kubernetes.io/zone";
static const char zone_key[] = "topology.kubernetes.io/zone";
static const char region_beta_key[] = "failure-domain.beta.kubernetes.io/region";
static const char region_key[] = "topology.kubernetes.io/region";

static berth__in_tree in_tree_of(berth_volume_kind kind)
{
    switch (kind) {
    case BERTH_VOLUME_AWS_EBS:
        return BERTH__IN_TREE_EBS;
    case BERTH_VOLUME_GCE_PD:
        return BERTH__IN_TREE_GCE_PD;
    case BERTH_VOLUME_AZURE_DISK:
        return BERTH__IN_TREE_AZURE_DISK;
    case BERTH_VOLUME_CINDER:
        return BERTH__IN_TREE_CINDER;
    case BERTH_VOLUME_PORTWORX:
        return BERTH__IN_TREE_PORTWORX;
    default:
        return BERTH__IN_TREE_NONE;
    }
}

static const char *driver_text(const berth__storage *storage, berth__in_tree in_tree)
{
    return storage->model->behaviours.csi_migration ? in_tree_plugins[in_tree].driver
                                                    : in_tree_plugins[in_tree].plugin;
}

static berth__sym intern(berth__storage *storage, berth_str text, bool *ok)
{
    return berth__intern_add(&storage->model->strings, text, ok);
}

berth__sym berth__storage_in_tree_driver(berth__storage *storage, berth__in_tree in_tree, bool *ok)
{
    return intern(storage, berth__text_of(driver_text(storage, in_tree)), ok);
}

uint32_t berth__storage_migrated_plugins(berth_str list)
{
    uint32_t bits = 0, begin = 0;
    while (begin < list.len) {
        uint32_t end = begin;
        while (end < list.len && list.data[end] != ',')
            end++;
        berth_str item = {list.data + begin, end - begin};
        for (uint32_t i = 1; i < BERTH__IN_TREE_COUNT; i++)
            if (berth__str_is(item, in_tree_plugins[i].plugin))
                bits |= 1u << i;
        begin = end + 1;
    }
    return bits;
}

bool berth__storage_migrated(const berth__storage_node *node, berth__in_tree in_tree)
{
    if (node == NULL || node->facts == NULL)
        return false;
    return in_tree != BERTH__IN_TREE_PORTWORX || (node->facts->migrated & 1u << in_tree) != 0;
}

/* ---- handles ---- */

static berth__attachment make_attachment(berth__sym driver, berth__sym handle)
{
    return (berth__attachment)driver << 32 | handle;
}

/* The claim represents the volume that it will get. */
static berth__attachment private_attachment(berth__sym driver, const berth__claim *claim)
{
    return make_attachment(driver, claim->id | BERTH__STORAGE_NODE_BIT);
}

static berth_str label_of(berth_map labels, const char *key)
{
    for (uint32_t i = 0; i < labels.count; i++)
        if (berth__str_is(labels.entries[i].key, key))
            return labels.entries[i].value;
    return (berth_str){0};
}

/* The handle that the CSI driver uses for an in-tree volume (era v1), or the in-tree id itself. */
static berth__in_tree_handle in_tree_handle(const berth__storage *storage,
                                            const berth__in_tree_volume *volume,
                                            berth__arena *arena, bool *ok)
{
    if (!storage->model->behaviours.csi_migration)
        return (berth__in_tree_handle){.handle = volume->handle};
    return berth__in_tree_translate(arena, volume, ok);
}

/* ---- topology after translation ---- */

static bool names_key(const berth_node_selector *affinity, const char *key, bool with_values)
{
    for (uint32_t t = 0; affinity != NULL && t < affinity->count; t++)
        for (uint32_t i = 0; i < affinity->terms[t].match_expressions.count; i++) {
            const berth_requirement *item = &affinity->terms[t].match_expressions.items[i];
            if (berth__str_is(item->key, key) && (!with_values || item->values.count > 0))
                return true;
        }
    return false;
}

/* The zones of a label as the values of a requirement; none if there is no valid zone. */
static berth_strs split_zones(berth__arena *arena, berth_str label, bool *ok)
{
    if (label.data == NULL || label.len == 0)
        return (berth_strs){0};
    berth_str *items = berth__arena_alloc(arena, (label.len / 2 + 1) * sizeof(*items), 8);
    if (items == NULL) {
        *ok = false;
        return (berth_strs){0};
    }
    uint32_t count = 0, begin = 0;
    for (uint32_t end = 0; end <= label.len; end++) {
        bool joint = end + 1 < label.len && memcmp(label.data + end, "__", 2) == 0;
        if (end < label.len && !joint)
            continue;
        if (end > begin)
            items[count++] = (berth_str){label.data + begin, end - begin};
        end += joint;
        begin = end + 1;
    }
    return (berth_strs){items, count};
}

/* How a volume's topology changes in translation. */
typedef struct retopology {
    const char *zone_from; /* the zone key in use, renamed to zone_to */
    const char *zone_to;
    bool beta_region; /* rename the beta region key to the current one */
    berth_strs zones; /* if no term names zones: add these to every term */
} retopology;

static bool translate_term(berth__arena *arena, const berth_node_selector_term *term,
                           const retopology *how, berth_node_selector_term *out)
{
    uint32_t count = term->match_expressions.count;
    berth_requirement *items = berth__arena_alloc(arena, (count + 1) * sizeof(*items), 8);
    if (items == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = term->match_expressions.items[i];
        if (how->zones.count == 0 && berth__str_is(items[i].key, how->zone_from))
            items[i].key = berth__text_of(how->zone_to);
        else if (how->beta_region && berth__str_is(items[i].key, region_beta_key))
            items[i].key = berth__text_of(region_key);
    }
    if (how->zones.count > 0)
        items[count++] =
            (berth_requirement){berth__text_of(how->zone_to), BERTH_STR("In"), how->zones};
    *out = *term;
    out->match_expressions = (berth_requirements){items, count};
    return true;
}

static void translate_affinity(berth__storage *storage, const berth_persistent_volume *source,
                               const retopology *how, berth__pv_facts *facts, bool *ok)
{
    static const berth_node_selector_term nothing = {0};
    berth__arena *arena = &storage->model->scratch;
    uint32_t count = source->node_affinity != NULL ? source->node_affinity->count : 0;
    bool added = count == 0 && how->zones.count > 0;
    uint32_t term_count = added ? 1 : count;
    berth_node_selector_term *terms = berth__arena_alloc(arena, term_count * sizeof(*terms), 8);
    if (terms == NULL) {
        *ok = false;
        return;
    }
    for (uint32_t i = 0; i < term_count && *ok; i++)
        *ok = translate_term(arena, added ? &nothing : &source->node_affinity->terms[i], how,
                             &terms[i]);
    const berth_node_selector made = {terms, term_count};
    facts->has_migrated_affinity = source->node_affinity != NULL || added;
    if (*ok && facts->has_migrated_affinity)
        facts->migrated_affinity = berth__storage_affinity(storage, &facts->head.arena, &made, ok);
}

/* Zone and region keys are renamed to the current ones, unless only the beta keys are used (in the
 * affinity if it names zones, otherwise in the labels). */
static void retarget(berth__storage *storage, const berth_persistent_volume *source,
                     berth__in_tree in_tree, berth__pv_facts *facts, bool *ok)
{
    facts->has_migrated_affinity = facts->has_affinity;
    facts->migrated_affinity = facts->affinity;
    const char *driver_key = in_tree_plugins[in_tree].zone_key;
    if (driver_key == NULL)
        return;
    const berth_node_selector *affinity = source->node_affinity;
    berth_map labels = source->meta.labels;
    bool beta =
        !names_key(affinity, zone_key, false) &&
        (names_key(affinity, zone_beta_key, false) ||
         (label_of(labels, zone_key).data == NULL && label_of(labels, zone_beta_key).data != NULL));
    retopology how = {
        .zone_from = beta ? zone_beta_key : zone_key, .zone_to = driver_key, .beta_region = beta};
    if (!names_key(affinity, how.zone_from, true))
        how.zones = split_zones(&storage->model->scratch, label_of(labels, how.zone_from), ok);
    if (*ok)
        translate_affinity(storage, source, &how, facts, ok);
}

/* ---- volumes, disks, classes ---- */

void berth__storage_identify_pv(berth__storage *storage, const berth_persistent_volume *source,
                                berth__pv_facts *facts, bool *ok)
{
    const berth_volume_source *from = &source->source;
    if (from->kind == BERTH_VOLUME_CSI) {
        berth__sym driver = from->driver.len > 0 ? intern(storage, from->driver, ok) : 0;
        facts->handle = from->handle.len > 0 ? intern(storage, from->handle, ok) : 0;
        if (driver != 0 && facts->handle != 0)
            facts->attachment = make_attachment(driver, facts->handle);
        return;
    }
    facts->in_tree = in_tree_of(from->kind);
    if (facts->in_tree == BERTH__IN_TREE_NONE)
        return;
    berth_str zones = label_of(source->meta.labels, zone_beta_key);
    if (zones.len == 0)
        zones = label_of(source->meta.labels, zone_key);
    const berth__in_tree_volume volume = {.plugin = facts->in_tree,
                                          .handle = from->handle,
                                          .uri = from->uri,
                                          .disk_kind = from->disk_kind,
                                          .zones = zones};
    const berth__in_tree_handle made =
        in_tree_handle(storage, &volume, &storage->model->scratch, ok);
    facts->untranslated = made.problem.len > 0
                              ? berth__arena_str(&facts->head.arena, made.problem, ok)
                              : (berth_str){0};
    if (made.handle.len > 0)
        facts->attachment = make_attachment(
            intern(storage, berth__text_of(driver_text(storage, facts->in_tree)), ok),
            intern(storage, made.handle, ok));
    retarget(storage, source, facts->in_tree, facts, ok);
}

static berth__in_tree_handle disk_handle(const berth__storage *storage,
                                         const berth__pod_volume *volume, berth__arena *arena,
                                         bool *ok)
{
    const berth__model *model = storage->model;
    const berth__in_tree_volume in_tree = {.plugin = in_tree_of(volume->kind),
                                           .handle = berth__text(model, volume->handle),
                                           .uri = berth__text(model, volume->uri),
                                           .disk_kind = berth__text(model, volume->disk_kind)};
    return in_tree_handle(storage, &in_tree, arena, ok);
}

void berth__storage_identify_disk(berth__storage *storage, berth__disk *disk, bool *ok)
{
    disk->in_tree = in_tree_of(disk->volume.kind);
    disk->attachment = 0;
    if (disk->in_tree == BERTH__IN_TREE_NONE)
        return;
    const berth_str handle =
        disk_handle(storage, &disk->volume, &storage->model->scratch, ok).handle;
    if (handle.data == NULL)
        return;
    disk->attachment =
        make_attachment(intern(storage, berth__text_of(driver_text(storage, disk->in_tree)), ok),
                        intern(storage, handle, ok));
}

berth_str berth__storage_disk_problem(const berth__storage *storage,
                                      const berth__pod_volume *volume, berth__arena *arena,
                                      bool *ok)
{
    return disk_handle(storage, volume, arena, ok).problem;
}

void berth__storage_identify_class(berth__storage *storage, const berth_storage_class *source,
                                   berth__storage_class_facts *facts, bool *ok)
{
    /* In-tree plugins with a CSI driver that are never migrated: their volumes are not counted. */
    static const char *const uncounted[] = {"kubernetes.io/azure-file",
                                            "kubernetes.io/vsphere-volume"};
    berth_str driver = source->provisioner;
    bool legacy = !storage->model->behaviours.csi_migration;
    for (uint32_t i = 1; i < BERTH__IN_TREE_COUNT; i++) {
        if (!berth__str_is(source->provisioner, in_tree_plugins[i].plugin))
            continue;
        facts->in_tree = legacy ? BERTH__IN_TREE_NONE : (berth__in_tree)i;
        /* v1.15 counts such a claim with every in-tree plugin anyway. */
        driver = berth__text_of(in_tree_plugins[i].driver);
        if (legacy)
            driver = (berth_str){0};
    }
    for (uint32_t i = 0; i < sizeof(uncounted) / sizeof(uncounted[0]); i++)
        if (berth__str_is(source->provisioner, uncounted[i]))
            driver = (berth_str){0};
    facts->driver = driver.len > 0 ? intern(storage, driver, ok) : 0;
}

/* ---- what counts on a node ---- */

static const berth__storage_class_facts *class_of(const berth__storage *storage,
                                                  const berth__claim_facts *claim)
{
    if (claim->class_name == 0)
        return NULL;
    const berth__storage_class_record *record =
        berth__storage_class_find(storage, claim->class_name);
    return record != NULL ? record->facts : NULL;
}

/* A claim without a volume counts with its class's driver. */
static berth__attachment unbound_attachment(const berth__storage *storage,
                                            const berth__claim *claim,
                                            const berth__storage_node *node)
{
    const berth__storage_class_facts *facts = class_of(storage, claim->facts);
    if (facts == NULL || facts->driver == 0)
        return 0;
    if (facts->in_tree != BERTH__IN_TREE_NONE && !berth__storage_migrated(node, facts->in_tree))
        return 0;
    return private_attachment(facts->driver, claim);
}

static const berth__pv_facts *volume_of(const berth__claim *claim)
{
    return claim->facts != NULL && claim->volume != NULL ? claim->volume->facts : NULL;
}

berth__attachments berth__storage_claim_attachments(const berth__storage *storage,
                                                    const berth__claim *claim,
                                                    const berth__storage_node *node)
{
    berth__attachments out = {{0}};
    const berth__pv_facts *volume = volume_of(claim);
    bool legacy = !storage->model->behaviours.csi_migration;
    if (volume != NULL) {
        if (legacy || volume->is_csi || berth__storage_migrated(node, volume->in_tree))
            out.items[0] = volume->attachment;
        return out;
    }
    if (claim->facts != NULL)
        out.items[0] = unbound_attachment(storage, claim, node);
    if (legacy)
        out.items[1] = private_attachment(0, claim);
    return out;
}

berth__attachments berth__storage_disk_attachments(const berth__storage *storage,
                                                   const berth__disk *disk,
                                                   const berth__storage_node *node)
{
    bool counts =
        !storage->model->behaviours.csi_migration || berth__storage_migrated(node, disk->in_tree);
    return (berth__attachments){{counts ? disk->attachment : 0, 0}};
}

berth__attachment berth__storage_listed_attachment(const berth__storage *storage,
                                                   const berth__listed_attachment *listed)
{
    const berth__attachment_facts *facts = listed->facts;
    const berth__pv_facts *volume = listed->volume != NULL ? listed->volume->facts : NULL;
    if (facts->attacher == 0 || volume == NULL || !volume->is_csi ||
        !storage->model->behaviours.csi_migration)
        return 0;
    return make_attachment(facts->attacher, volume->handle);
}
