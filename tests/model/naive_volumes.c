/* VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone: filters.md §7 to §10. */
#include <math.h>
#include <string.h>

#include "naive.h"
#include "naive_migration.h"

typedef berth_persistent_volume volume_object;
typedef berth_persistent_volume_claim claim_object;

/* ---- claims, volumes, classes ---- */

static bool uses_claim(const berth_volume *volume)
{
    return volume->source.kind == BERTH_VOLUME_CLAIM ||
           volume->source.kind == BERTH_VOLUME_EPHEMERAL;
}

static berth_str claim_name(naive_region *region, const berth_pod *pod, const berth_volume *volume)
{
    if (volume->source.kind == BERTH_VOLUME_CLAIM) {
        return volume->source.handle;
    }
    return naive_str(
        naive_print(region, "%.*s-%.*s", NAIVE_TEXT(pod->meta.name), NAIVE_TEXT(volume->name)));
}

static const claim_object *find_claim(const naive_attempt *a, const berth_pod *pod,
                                      const berth_volume *volume)
{
    return naive_find(a->cluster, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, naive_namespace(&pod->meta),
                      claim_name(a->region, pod, volume));
}

static const volume_object *find_volume(const naive_attempt *a, berth_str name)
{
    return naive_find(a->cluster, BERTH_KIND_PERSISTENT_VOLUME, (berth_str){0}, name);
}

/* The deprecated annotation takes precedence over the field. */
static berth_str class_name(const berth_metadata *meta, berth_str field)
{
    const berth_str *old =
        naive_label(meta->annotations, naive_str("volume.beta.kubernetes.io/storage-class"));
    return old != NULL ? *old : field;
}

static berth_str claim_class(const claim_object *claim)
{
    return class_name(&claim->meta, claim->storage_class);
}

static const berth_storage_class *find_class(const naive_attempt *a, berth_str name)
{
    return name.len == 0 ? NULL
                         : naive_find(a->cluster, BERTH_KIND_STORAGE_CLASS, (berth_str){0}, name);
}

static bool owned_by(const claim_object *claim, const berth_pod *pod)
{
    for (uint32_t i = 0; i < claim->meta.owner_count; i++) {
        const berth_owner *owner = &claim->meta.owners[i];
        if (owner->controller && naive_same(owner->uid, pod->meta.uid)) {
            return true;
        }
    }
    return false;
}

static naive_outcome refuse_all(naive_attempt *a, naive_refusal *r, const char *reason)
{
    naive_refuse(a, r, true, reason);
    return NAIVE_REFUSE;
}

static const char *claim_missing(naive_attempt *a, berth_str name)
{
    return naive_print(a->region, "persistentvolumeclaim \"%.*s\" not found", NAIVE_TEXT(name));
}

/* Reads the next item of a list separated by "__", without blanks around it; returns false at the
 * end. */
static bool next_zone(berth_str *rest, berth_str *item)
{
    if (rest->data == NULL) {
        return false;
    }
    const char *end = rest->len > 0 ? memmem(rest->data, rest->len, "__", 2) : NULL;
    uint32_t len = end != NULL ? (uint32_t)(end - rest->data) : rest->len;
    *item = (berth_str){rest->data, len};
    *rest = end != NULL ? (berth_str){end + 2, rest->len - len - 2} : (berth_str){0};
    while (item->len > 0 && item->data[0] == ' ') {
        item->data++;
        item->len--;
    }
    while (item->len > 0 && item->data[item->len - 1] == ' ') {
        item->len--;
    }
    return true;
}

/* ---- VolumeRestrictions ---- */

static bool once_only(const claim_object *claim)
{
    return claim != NULL && naive_in(claim->access_modes, naive_str("ReadWriteOncePod"));
}

static bool inline_disk(const berth_volume *volume)
{
    berth_volume_kind kind = volume->source.kind;
    return kind == BERTH_VOLUME_GCE_PD || kind == BERTH_VOLUME_AWS_EBS ||
           kind == BERTH_VOLUME_RBD || kind == BERTH_VOLUME_ISCSI;
}

/* Does a pod on a node of the cluster use the claim, by name? */
static bool claim_in_use(const naive_attempt *a, berth_str ns, berth_str name)
{
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        const naive_pod *p = &a->cluster->pods[i];
        if (p->node.len == 0 || !naive_same(naive_namespace(&p->pod->meta), ns) ||
            naive_find_node(a->cluster, p->node) == NULL) {
            continue;
        }
        for (uint32_t v = 0; v < p->pod->volume_count; v++) {
            if (p->pod->volumes[v].source.kind == BERTH_VOLUME_CLAIM &&
                naive_same(p->pod->volumes[v].source.handle, name)) {
                return true;
            }
        }
    }
    return false;
}

/* Does an earlier volume of the pod use the same claim? */
static bool repeated(const berth_pod *pod, uint32_t v)
{
    for (uint32_t i = 0; i < v; i++) {
        if (pod->volumes[i].source.kind == BERTH_VOLUME_CLAIM &&
            naive_same(pod->volumes[i].source.handle, pod->volumes[v].source.handle)) {
            return true;
        }
    }
    return false;
}

naive_outcome naive_pre_restrictions(naive_attempt *a, const berth_plugin_ref *ref,
                                     naive_refusal *r)
{
    (void)ref;
    bool disks = false;
    for (uint32_t v = 0; v < a->pod->volume_count; v++) {
        const berth_volume *volume = &a->pod->volumes[v];
        disks = disks || inline_disk(volume);
        if (volume->source.kind != BERTH_VOLUME_CLAIM) {
            continue;
        }
        const claim_object *claim = find_claim(a, a->pod, volume);
        if (claim == NULL) {
            return refuse_all(a, r, claim_missing(a, volume->source.handle));
        }
        if (once_only(claim) && !repeated(a->pod, v)) {
            a->claim_conflicts +=
                claim_in_use(a, naive_namespace(&a->pod->meta), volume->source.handle);
        }
    }
    return !disks && a->claim_conflicts == 0 ? NAIVE_SKIP : NAIVE_GO_ON;
}

void naive_restrictions_change(naive_attempt *a, const berth_pod *pod, int sign)
{
    for (uint32_t v = 0; v < a->pod->volume_count; v++) {
        const berth_volume *mine = &a->pod->volumes[v];
        if (mine->source.kind != BERTH_VOLUME_CLAIM || repeated(a->pod, v) ||
            !once_only(find_claim(a, a->pod, mine))) {
            continue;
        }
        for (uint32_t i = 0; i < pod->volume_count; i++) {
            a->claim_conflicts +=
                pod->volumes[i].source.kind == BERTH_VOLUME_CLAIM &&
                        naive_same(pod->volumes[i].source.handle, mine->source.handle)
                    ? sign
                    : 0;
        }
    }
}

static bool disks_conflict(const berth_volume_source *a, const berth_volume_source *b)
{
    bool reads = a->read_only && b->read_only;
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == BERTH_VOLUME_AWS_EBS) {
        return naive_same(a->handle, b->handle);
    }
    if (a->kind == BERTH_VOLUME_GCE_PD || a->kind == BERTH_VOLUME_ISCSI) {
        return naive_same(a->handle, b->handle) && !reads;
    }
    if (a->kind != BERTH_VOLUME_RBD || !naive_same(a->pool, b->pool) ||
        !naive_same(a->handle, b->handle) || reads) {
        return false;
    }
    for (uint32_t i = 0; i < a->monitors.count; i++) {
        if (naive_in(b->monitors, a->monitors.items[i])) {
            return true;
        }
    }
    return false;
}

bool naive_disks_taken(naive_attempt *a, const berth_node *node)
{
    for (uint32_t v = 0; v < a->pod->volume_count; v++) {
        for (size_t i = 0; i < a->cluster->pod_count; i++) {
            const naive_pod *p = &a->cluster->pods[i];
            for (uint32_t w = 0; naive_on(p, node) && w < p->pod->volume_count; w++) {
                if (disks_conflict(&a->pod->volumes[v].source, &p->pod->volumes[w].source)) {
                    return true;
                }
            }
        }
    }
    return false;
}

bool naive_restrictions(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                        naive_refusal *r)
{
    (void)ref;
    if (naive_disks_taken(a, node)) {
        return naive_refuse(a, r, false, "node(s) had no available disk");
    }
    if (a->claim_conflicts > 0) {
        return naive_refuse(a, r, false,
                            a->cluster->kubernetes >= 34
                                ? "node(s) unavailable due to PersistentVolumeClaim with "
                                  "ReadWriteOncePod access mode already in-use by another pod"
                                : "node has pod using PersistentVolumeClaim with the same name and "
                                  "ReadWriteOncePod access mode");
    }
    return true;
}

/* ---- NodeVolumeLimits ---- */

/* A volume as its CSI driver knows it. */
typedef struct attachment {
    berth_str driver;
    const char *handle;
} attachment;

typedef struct attachments {
    attachment *items;
    size_t count;
} attachments;

static bool attached(const attachments *list, const attachment *item)
{
    for (size_t i = 0; i < list->count; i++) {
        if (naive_same(list->items[i].driver, item->driver) &&
            strcmp(list->items[i].handle, item->handle) == 0) {
            return true;
        }
    }
    return false;
}

static void attach(naive_region *region, attachments *list, attachment item)
{
    if (item.driver.len > 0 && !attached(list, &item)) {
        list->items = naive_grow(region, list->items, list->count, sizeof(*list->items));
        list->items[list->count++] = item;
    }
}

static const berth_csi_node *csi_node_of(const naive_attempt *a, const berth_node *node)
{
    return naive_find(a->cluster, BERTH_KIND_CSI_NODE, (berth_str){0}, node->meta.name);
}

static bool portworx_migrated(const naive_attempt *a, const berth_csi_node *csi)
{
    const berth_str *list = naive_label(csi->meta.annotations,
                                        naive_str("storage.alpha.kubernetes.io/migrated-plugins"));
    return a->cluster->kubernetes >= 36 ||
           (list != NULL && naive_contains(*list, "kubernetes.io/portworx-volume"));
}

/* The CSI driver behind an in-tree or CSI source on a node with `csi`; absent: none. */
static berth_str driver_of(const naive_attempt *a, const berth_volume_source *source,
                           const berth_csi_node *csi)
{
    if (csi == NULL && source->kind != BERTH_VOLUME_CSI) {
        return (berth_str){0};
    }
    switch (source->kind) {
    case BERTH_VOLUME_CSI:
        return source->driver;
    case BERTH_VOLUME_AWS_EBS:
        return naive_str("ebs.csi.aws.com");
    case BERTH_VOLUME_GCE_PD:
        return naive_str("pd.csi.storage.gke.io");
    case BERTH_VOLUME_AZURE_DISK:
        return naive_str("disk.csi.azure.com");
    case BERTH_VOLUME_CINDER:
        return naive_str("cinder.csi.openstack.org");
    case BERTH_VOLUME_PORTWORX:
        return portworx_migrated(a, csi) ? naive_str("pxd.portworx.com") : (berth_str){0};
    default:
        return (berth_str){0};
    }
}

static berth_str provisioner_driver(const naive_attempt *a, berth_str provisioner,
                                    const berth_csi_node *csi)
{
    static const struct {
        const char *plugin;
        berth_volume_kind kind;
    } in_tree[] = {
        {"kubernetes.io/aws-ebs", BERTH_VOLUME_AWS_EBS},
        {"kubernetes.io/gce-pd", BERTH_VOLUME_GCE_PD},
        {"kubernetes.io/azure-disk", BERTH_VOLUME_AZURE_DISK},
        {"kubernetes.io/cinder", BERTH_VOLUME_CINDER},
        {"kubernetes.io/portworx-volume", BERTH_VOLUME_PORTWORX},
    };
    for (size_t i = 0; i < sizeof(in_tree) / sizeof(in_tree[0]); i++) {
        if (naive_is(provisioner, in_tree[i].plugin)) {
            berth_volume_source source = {.kind = in_tree[i].kind};
            berth_str driver = driver_of(a, &source, csi);
            return driver.len > 0 || csi == NULL ? driver : provisioner;
        }
    }
    return provisioner;
}

static const char *handle_of(naive_attempt *a, const berth_volume_source *source)
{
    const char *whole = naive_print(a->region, "%.*s", NAIVE_TEXT(source->handle));
    bool url = source->kind == BERTH_VOLUME_AWS_EBS && strncmp(whole, "aws://", 6) == 0;
    return url && strstr(whole, "/vol-") != NULL ? strstr(whole, "/vol-") + 1 : whole;
}

/* "LOCALE-REGION" of a zone "LOCALE-REGION-ZONE"; absent for a zone of another form. */
static berth_str gce_region(berth_str zone)
{
    uint32_t dashes = 0, last = 0;
    for (uint32_t i = 0; i < zone.len; i++) {
        dashes += zone.data[i] == '-';
        last = zone.data[i] == '-' ? i : last;
    }
    return dashes == 2 ? (berth_str){zone.data, last} : (berth_str){0};
}

/* An in-tree GCE volume's handle names its zone, or its region if it is in several zones. Returns
 * NULL if the zones belong to several regions: the volume cannot be translated. */
static const char *gce_handle(naive_attempt *a, const volume_object *volume)
{
    const char *const keys[2] = {"failure-domain.beta.kubernetes.io/zone",
                                 "topology.kubernetes.io/zone"};
    const char *disk = handle_of(a, &volume->source);
    berth_str zones = {0}, first = {0}, zone;
    for (int k = 0; k < 2 && zones.len == 0; k++) {
        const berth_str *value = naive_label(volume->meta.labels, naive_str(keys[k]));
        zones = value != NULL ? *value : zones;
    }
    if (zones.len == 0) {
        return disk; /* as for an inline volume */
    }
    if (!naive_contains(zones, "__")) {
        return naive_print(a->region, "zone %.*s: %s", NAIVE_TEXT(zones), disk);
    }
    while (next_zone(&zones, &zone)) {
        berth_str region = gce_region(zone);
        first = first.data == NULL ? region : first;
        if (region.data == NULL || !naive_same(region, first)) {
            return NULL;
        }
    }
    return naive_print(a->region, "region %.*s: %s", NAIVE_TEXT(first), disk);
}

/* Two PersistentVolumes or inline volumes with the same handle are one attachment. */
static attachment volume_attachment(naive_attempt *a, const volume_object *volume,
                                    const berth_csi_node *csi)
{
    const char *handle = volume->source.kind == BERTH_VOLUME_GCE_PD ? gce_handle(a, volume)
                                                                    : handle_of(a, &volume->source);
    return handle == NULL || naive_translation_problem(a->region, &volume->source,
                                                       volume->meta.labels) != NULL
               ? (attachment){0}
               : (attachment){driver_of(a, &volume->source, csi), handle};
}

static attachment claim_attachment(naive_attempt *a, const claim_object *claim,
                                   const berth_csi_node *csi)
{
    const volume_object *volume =
        claim->volume_name.len > 0 ? find_volume(a, claim->volume_name) : NULL;
    if (volume != NULL) {
        return volume_attachment(a, volume, csi);
    }
    const berth_storage_class *class = find_class(a, claim_class(claim));
    if (class == NULL) {
        return (attachment){0};
    }
    return (attachment){
        provisioner_driver(a, class->provisioner, csi),
        naive_print(a->region, "not yet a volume: %.*s/%.*s",
                    NAIVE_TEXT(naive_namespace(&claim->meta)), NAIVE_TEXT(claim->meta.name)),
    };
}

/* Add the attachments of a pod. Returns false if a claim is missing, with the reason in `r` if not
 * NULL. */
static bool pod_attachments(naive_attempt *a, const berth_pod *pod, const berth_csi_node *csi,
                            attachments *list, naive_refusal *r)
{
    for (uint32_t v = 0; v < pod->volume_count; v++) {
        const berth_volume *volume = &pod->volumes[v];
        const char *problem =
            csi != NULL && csi->meta.name.data != NULL && !uses_claim(volume)
                ? naive_translation_problem(a->region, &volume->source, (berth_map){0})
                : NULL;
        if (problem != NULL && r != NULL) {
            r->error = true;
            return naive_refuse(a, r, true,
                                naive_print(a->region,
                                            "running \"NodeVolumeLimits\" filter plugin: "
                                            "converting volume(%.*s) from inline to csi: %s",
                                            NAIVE_TEXT(volume->name), problem));
        }
        if (!uses_claim(volume)) {
            attachment disk = {driver_of(a, &volume->source, csi), handle_of(a, &volume->source)};
            attach(a->region, list, problem == NULL ? disk : (attachment){0});
            continue;
        }
        const claim_object *claim = find_claim(a, pod, volume);
        if (claim != NULL) {
            attach(a->region, list, claim_attachment(a, claim, csi));
        } else if (r != NULL) {
            berth_str name = claim_name(a->region, pod, volume);
            return naive_refuse(a, r, true,
                                naive_print(a->region, "looking up PVC %.*s/%.*s: %s",
                                            NAIVE_TEXT(naive_namespace(&pod->meta)),
                                            NAIVE_TEXT(name), claim_missing(a, name)));
        }
    }
    return true;
}

static void listed_attachments(naive_attempt *a, const berth_node *node, attachments *list)
{
    const naive_objects *objects = &a->cluster->objects[BERTH_KIND_VOLUME_ATTACHMENT];
    for (size_t i = 0; i < objects->count; i++) {
        const berth_volume_attachment *object = objects->items[i];
        const volume_object *volume = find_volume(a, object->persistent_volume);
        if (naive_same(object->node_name, node->meta.name) && volume != NULL &&
            volume->source.kind == BERTH_VOLUME_CSI) {
            attach(a->region, list, (attachment){object->attacher, handle_of(a, &volume->source)});
        }
    }
}

static int64_t count_driver(const attachments *list, berth_str driver)
{
    int64_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        count += naive_same(list->items[i].driver, driver);
    }
    return count;
}

static bool is_installed(const berth_csi_node *csi, berth_str driver)
{
    for (uint32_t d = 0; csi != NULL && d < csi->driver_count; d++) {
        if (naive_same(csi->drivers[d].name, driver)) {
            return true;
        }
    }
    return false;
}

/* A driver that pods wait for and that the node lacks; NULL: none. */
static const berth_str *missing_driver(naive_attempt *a, const berth_csi_node *csi)
{
    attachments wanted = {0};
    const berth_str *missing = NULL;
    pod_attachments(a, a->pod, csi, &wanted, NULL);
    for (size_t i = 0; i < wanted.count && a->cluster->kubernetes >= 37; i++) {
        berth_str name = wanted.items[i].driver;
        const berth_csi_driver *driver =
            naive_find(a->cluster, BERTH_KIND_CSI_DRIVER, (berth_str){0}, name);
        if (driver != NULL && driver->prevent_pod_scheduling_if_missing &&
            !is_installed(csi, name)) {
            missing = &wanted.items[i].driver;
        }
    }
    return missing;
}

bool naive_volume_limits(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                         naive_refusal *r)
{
    (void)ref;
    const berth_csi_node no_csi_node = {0};
    const berth_csi_node *csi = csi_node_of(a, node);
    attachments wanted = {0}, used = {0}, added = {0};
    if (!pod_attachments(a, a->pod, csi != NULL ? csi : &no_csi_node, &wanted, r)) {
        return false;
    }
    const berth_str *missing = missing_driver(a, csi);
    if (missing != NULL) {
        return naive_refuse(a, r, false,
                            naive_print(a->region, "%.*s CSI driver is not installed on the node",
                                        NAIVE_TEXT(*missing)));
    }
    if (csi == NULL) {
        return true;
    }
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        if (naive_on(&a->cluster->pods[i], node)) {
            pod_attachments(a, a->cluster->pods[i].pod, csi, &used, NULL);
        }
    }
    for (size_t i = 0; i < wanted.count; i++) {
        if (!attached(&used, &wanted.items[i])) {
            attach(a->region, &added, wanted.items[i]);
        }
    }
    listed_attachments(a, node, &used);
    for (uint32_t d = 0; d < csi->driver_count; d++) {
        const berth_csi_node_driver *driver = &csi->drivers[d];
        int64_t more = count_driver(&added, driver->name);
        if (driver->has_count && more > 0 &&
            count_driver(&used, driver->name) + more > driver->count) {
            return naive_refuse(a, r, false, "node(s) exceed max volume count");
        }
    }
    return true;
}

/* ---- VolumeBinding: reservations, and kinds of claims ---- */

static const naive_reservation *reserved_volume(const naive_attempt *a, const volume_object *volume)
{
    for (size_t i = 0; i < a->cluster->reservation_count; i++) {
        const naive_reservation *r = &a->cluster->reservations[i];
        if (r->volume.len > 0 && naive_same(r->volume, volume->meta.name)) {
            return r;
        }
    }
    return NULL;
}

/* The node selected for provisioning a claim; absent: undecided. */
static berth_str selected_node(const naive_attempt *a, const claim_object *claim)
{
    for (size_t i = 0; i < a->cluster->reservation_count; i++) {
        const naive_reservation *r = &a->cluster->reservations[i];
        if (r->volume.len == 0 && naive_same(r->claim_name, claim->meta.name) &&
            naive_same(r->claim_namespace, naive_namespace(&claim->meta))) {
            return r->node;
        }
    }
    const berth_str *node =
        naive_label(claim->meta.annotations, naive_str("volume.kubernetes.io/selected-node"));
    return node != NULL ? *node : (berth_str){0};
}

typedef enum claim_state { CLAIM_BOUND, CLAIM_DELAYED, CLAIM_IMMEDIATE } claim_state;

static claim_state state_of(const naive_attempt *a, const claim_object *claim)
{
    if (claim->volume_name.len > 0) {
        bool done = naive_label(claim->meta.annotations,
                                naive_str("pv.kubernetes.io/bind-completed")) != NULL;
        return done ? CLAIM_BOUND : CLAIM_IMMEDIATE;
    }
    const berth_storage_class *class = find_class(a, claim_class(claim));
    return class != NULL && naive_is(class->binding_mode, "WaitForFirstConsumer") ? CLAIM_DELAYED
                                                                                  : CLAIM_IMMEDIATE;
}

/* ---- VolumeBinding: PreFilter ---- */

static const char *claim_problem(naive_attempt *a, const berth_volume *volume)
{
    const claim_object *claim = find_claim(a, a->pod, volume);
    berth_str name = claim_name(a->region, a->pod, volume);
    bool ephemeral = volume->source.kind == BERTH_VOLUME_EPHEMERAL;
    if (claim == NULL && ephemeral) {
        return naive_print(a->region,
                           "waiting for ephemeral volume controller to create the "
                           "persistentvolumeclaim \"%.*s\"",
                           NAIVE_TEXT(name));
    }
    if (claim == NULL) {
        return claim_missing(a, name);
    }
    if (naive_is(claim->phase, "Lost")) {
        return naive_print(a->region,
                           "persistentvolumeclaim \"%.*s\" bound to non-existent "
                           "persistentvolume \"%.*s\"",
                           NAIVE_TEXT(name), NAIVE_TEXT(claim->volume_name));
    }
    if (claim->meta.deleting) {
        return naive_print(a->region, "persistentvolumeclaim \"%.*s\" is being deleted",
                           NAIVE_TEXT(name));
    }
    if (ephemeral && !owned_by(claim, a->pod)) {
        berth_str ns = naive_namespace(&a->pod->meta);
        return naive_print(
            a->region, "PVC %.*s/%.*s was not created for pod %.*s/%.*s (pod is not owner)",
            NAIVE_TEXT(ns), NAIVE_TEXT(name), NAIVE_TEXT(ns), NAIVE_TEXT(a->pod->meta.name));
    }
    return NULL;
}

naive_outcome naive_pre_binding(naive_attempt *a, const berth_plugin_ref *ref, naive_refusal *r)
{
    (void)ref;
    bool any = false;
    for (uint32_t v = 0; v < a->pod->volume_count; v++) {
        if (uses_claim(&a->pod->volumes[v])) {
            const char *problem = claim_problem(a, &a->pod->volumes[v]);
            any = true;
            if (problem != NULL) {
                return refuse_all(a, r, problem);
            }
        }
    }
    for (uint32_t v = 0; v < a->pod->volume_count; v++) {
        if (uses_claim(&a->pod->volumes[v]) &&
            state_of(a, find_claim(a, a->pod, &a->pod->volumes[v])) == CLAIM_IMMEDIATE) {
            return refuse_all(a, r, "pod has unbound immediate PersistentVolumeClaims");
        }
    }
    return any ? NAIVE_GO_ON : NAIVE_SKIP;
}

/* ---- VolumeBinding: a volume for a claim ---- */

static bool volume_reaches(const volume_object *volume, const berth_node *node)
{
    return volume->node_affinity == NULL ||
           naive_node_selector_matches(volume->node_affinity, node->meta.labels, (berth_str){0});
}

typedef enum claimed { CLAIMED_FREE, CLAIMED_MINE, CLAIMED_OTHER } claimed;

static claimed claimed_by(const naive_attempt *a, const volume_object *volume,
                          const claim_object *claim)
{
    const naive_reservation *r = reserved_volume(a, volume);
    berth_str ns = r != NULL ? r->claim_namespace : volume->claim_namespace;
    berth_str name = r != NULL ? r->claim_name : volume->claim_name;
    berth_str uid = r != NULL ? r->claim_uid : volume->claim_uid;
    if (r == NULL && !volume->has_claim_ref) {
        return CLAIMED_FREE;
    }
    bool mine = naive_same(ns, naive_namespace(&claim->meta)) &&
                naive_same(name, claim->meta.name) &&
                (uid.len == 0 || naive_same(uid, claim->meta.uid));
    return mine ? CLAIMED_MINE : CLAIMED_OTHER;
}

static bool same_mode(const volume_object *volume, const claim_object *claim)
{
    bool block = naive_is(volume->volume_mode, "Block");
    return block == naive_is(claim->volume_mode, "Block");
}

/* Before v1.34, VolumeAttributesClasses are unknown, and volumes and claims with one are not
 * matched. */
static bool same_attributes(const naive_attempt *a, const volume_object *volume,
                            const claim_object *claim)
{
    bool none = volume->volume_attributes_class.len == 0 && claim->volume_attributes_class.len == 0;
    return none || (a->cluster->kubernetes >= 34 &&
                    naive_same(volume->volume_attributes_class, claim->volume_attributes_class));
}

static bool modes_offered(const volume_object *volume, const claim_object *claim)
{
    for (uint32_t i = 0; i < claim->access_modes.count; i++) {
        if (!naive_in(volume->access_modes, claim->access_modes.items[i])) {
            return false;
        }
    }
    return true;
}

static bool taken(const naive_reservation *chosen, size_t count, const volume_object *volume)
{
    for (size_t i = 0; i < count; i++) {
        if (naive_same(chosen[i].volume, volume->meta.name)) {
            return true;
        }
    }
    return false;
}

static const volume_object *match_volume(const naive_attempt *a, const claim_object *claim,
                                         const berth_node *node, const naive_reservation *chosen,
                                         size_t chosen_count)
{
    const naive_objects *volumes = &a->cluster->objects[BERTH_KIND_PERSISTENT_VOLUME];
    const volume_object *best = NULL;
    for (size_t i = 0; i < volumes->count; i++) {
        const volume_object *volume = volumes->items[i];
        claimed owner = claimed_by(a, volume, claim);
        if (!naive_same(class_name(&volume->meta, volume->storage_class), claim_class(claim)) ||
            taken(chosen, chosen_count, volume) || owner == CLAIMED_OTHER ||
            naive_amount(volume->capacity) < naive_amount(claim->request) ||
            !same_mode(volume, claim) || !same_attributes(a, volume, claim) ||
            volume->meta.deleting) {
            continue;
        }
        if (owner == CLAIMED_MINE) {
            return volume_reaches(volume, node) ? volume : NULL;
        }
        if (naive_is(volume->phase, "Available") &&
            (claim->selector == NULL ||
             naive_selector_matches(claim->selector, volume->meta.labels)) &&
            volume_reaches(volume, node) && modes_offered(volume, claim) &&
            (best == NULL || naive_amount(volume->capacity) < naive_amount(best->capacity))) {
            best = volume;
        }
    }
    return best;
}

/* ---- VolumeBinding: provisioning ---- */

static bool topology_term_matches(const berth_topology_term *term, berth_map labels)
{
    for (uint32_t i = 0; i < term->expressions.count; i++) {
        const berth_str *value = naive_label(labels, term->expressions.items[i].key);
        if (value == NULL || !naive_in(term->expressions.items[i].values, *value)) {
            return false;
        }
    }
    return term->expressions.count > 0;
}

static bool topology_allowed(const berth_storage_class *class, const berth_node *node)
{
    for (uint32_t i = 0; i < class->allowed_topology_count; i++) {
        if (topology_term_matches(&class->allowed_topologies[i], node->meta.labels)) {
            return true;
        }
    }
    return class->allowed_topology_count == 0;
}

static bool enough_storage(const naive_attempt *a, const berth_storage_class *class,
                           const claim_object *claim, const berth_node *node)
{
    const naive_objects *list = &a->cluster->objects[BERTH_KIND_CSI_STORAGE_CAPACITY];
    const berth_csi_driver *driver =
        naive_find(a->cluster, BERTH_KIND_CSI_DRIVER, (berth_str){0}, class->provisioner);
    if (driver == NULL || !driver->storage_capacity || naive_amount(claim->request) == 0) {
        return true;
    }
    for (size_t i = 0; i < list->count; i++) {
        const berth_csi_storage_capacity *c = list->items[i];
        bool known = c->has_maximum_volume_size || c->has_capacity;
        berth_quantity limit = c->has_maximum_volume_size ? c->maximum_volume_size : c->capacity;
        if (naive_same(c->storage_class, class->meta.name) && known &&
            naive_value(naive_amount(limit)) >= naive_value(naive_amount(claim->request)) &&
            naive_selector_matches(c->node_topology, node->meta.labels)) {
            return true;
        }
    }
    return false;
}

/* ---- VolumeBinding: all claims of a pod on one node ---- */

typedef struct binding {
    bool node_conflict, volume_missing, unbound, no_space;
    const char *problem;       /* an error; NULL: none */
    naive_reservation *chosen; /* volumes for claims, then claims to provision */
    size_t count;
} binding;

static void choose(naive_attempt *a, binding *b, const claim_object *claim,
                   const volume_object *volume, const berth_node *node)
{
    b->chosen = naive_grow(a->region, b->chosen, b->count, sizeof(*b->chosen));
    b->chosen[b->count++] = (naive_reservation){
        .pod = &a->pod->meta,
        .volume = volume != NULL ? volume->meta.name : (berth_str){0},
        .claim_namespace = naive_namespace(&claim->meta),
        .claim_name = claim->meta.name,
        .claim_uid = claim->meta.uid,
        .node = node->meta.name,
    };
}

static void check_bound(naive_attempt *a, const claim_object *claim, const berth_node *node,
                        binding *b)
{
    const volume_object *volume = find_volume(a, claim->volume_name);
    if (b->volume_missing || b->node_conflict || b->problem != NULL) {
        return;
    }
    b->volume_missing = volume == NULL;
    if (volume != NULL && naive_is_migrated(csi_node_of(a, node), &volume->source)) {
        const berth_node_selector *rule = naive_translated_affinity(a->region, volume);
        b->problem = naive_translation_problem(a->region, &volume->source, volume->meta.labels);
        b->node_conflict =
            rule != NULL && !naive_node_selector_matches(rule, node->meta.labels, (berth_str){0});
        return;
    }
    b->node_conflict = volume != NULL && !volume_reaches(volume, node);
}

static void check_provisions(naive_attempt *a, const claim_object **claims, size_t count,
                             const berth_node *node, binding *b)
{
    for (size_t i = 0; i < count; i++) {
        const berth_storage_class *class = find_class(a, claim_class(claims[i]));
        if (class == NULL || class->provisioner.len == 0 ||
            naive_is(class->provisioner, "kubernetes.io/no-provisioner") ||
            !topology_allowed(class, node)) {
            b->unbound = true;
            return;
        }
        if (!enough_storage(a, class, claims[i], node)) {
            b->no_space = true;
            return;
        }
        choose(a, b, claims[i], NULL, node);
    }
}

/* Sorts by ascending request; equal ones keep the order of volumes. */
static void sort_by_request(const claim_object **claims, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t k = i;
             k > 0 && naive_amount(claims[k]->request) < naive_amount(claims[k - 1]->request);
             k--) {
            const claim_object *other = claims[k];
            claims[k] = claims[k - 1];
            claims[k - 1] = other;
        }
    }
}

static binding bind_volumes(naive_attempt *a, const berth_node *node)
{
    binding b = {0};
    size_t bytes = (a->pod->volume_count + 1) * sizeof(const claim_object *);
    const claim_object **find = naive_alloc(a->region, bytes);
    const claim_object **provision = naive_alloc(a->region, bytes);
    size_t find_count = 0, provision_count = 0;
    for (uint32_t v = 0; v < a->pod->volume_count; v++) {
        const claim_object *claim =
            uses_claim(&a->pod->volumes[v]) ? find_claim(a, a->pod, &a->pod->volumes[v]) : NULL;
        if (claim == NULL) {
            continue;
        }
        berth_str selected = selected_node(a, claim);
        if (state_of(a, claim) == CLAIM_BOUND) {
            check_bound(a, claim, node, &b);
        } else if (selected.data == NULL) {
            find[find_count++] = claim;
        } else {
            b.unbound = b.unbound || !naive_same(selected, node->meta.name);
            provision[provision_count++] = claim;
        }
    }
    if (b.unbound || b.problem != NULL) {
        return b;
    }
    sort_by_request(find, find_count);
    for (size_t i = 0; i < find_count; i++) {
        const volume_object *volume = match_volume(a, find[i], node, b.chosen, b.count);
        if (volume != NULL) {
            choose(a, &b, find[i], volume, node);
        } else {
            provision[provision_count++] = find[i];
        }
    }
    check_provisions(a, provision, provision_count, node, &b);
    return b;
}

bool naive_binding(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                   naive_refusal *r)
{
    (void)ref;
    binding b = bind_volumes(a, node);
    if (b.problem != NULL) {
        r->error = true;
        return naive_refuse(a, r, true,
                            naive_print(a->region,
                                        "running \"VolumeBinding\" filter plugin: could not "
                                        "translate pv: %s",
                                        b.problem));
    }
    if (b.node_conflict) {
        naive_refuse(a, r, true,
                     a->cluster->kubernetes >= 33
                         ? "node(s) didn't match PersistentVolume's node affinity"
                         : "node(s) had volume node affinity conflict");
    }
    if (b.unbound) {
        naive_refuse(a, r, true, "node(s) didn't find available persistent volumes to bind");
    }
    if (b.no_space) {
        naive_refuse(a, r, true, "node(s) did not have enough free storage");
    }
    if (b.volume_missing) {
        naive_refuse(a, r, true,
                     "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
    }
    return r->reason_count == 0;
}

/* ---- VolumeBinding: score ---- */

/* For each storage class as specified: the volumes found, or else the room that drivers report. */
typedef struct class_use {
    berth_str name;
    int64_t requested, capacity;
} class_use;

static class_use *use_of(class_use *uses, size_t *count, berth_str name)
{
    for (size_t i = 0; i < *count; i++) {
        if (naive_same(uses[i].name, name)) {
            return &uses[i];
        }
    }
    uses[*count] = (class_use){.name = name};
    return &uses[(*count)++];
}

static const claim_object *claim_of(const naive_attempt *a, const naive_reservation *chosen)
{
    return naive_find(a->cluster, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, chosen->claim_namespace,
                      chosen->claim_name);
}

/* The smallest sufficient capacity, the first of equals; NULL: the driver reports none. */
static const berth_csi_storage_capacity *room_for(const naive_attempt *a, const claim_object *claim,
                                                  const berth_node *node)
{
    const naive_objects *list = &a->cluster->objects[BERTH_KIND_CSI_STORAGE_CAPACITY];
    const berth_storage_class *class = find_class(a, claim_class(claim));
    const berth_csi_driver *driver =
        naive_find(a->cluster, BERTH_KIND_CSI_DRIVER, (berth_str){0}, class->provisioner);
    const berth_csi_storage_capacity *best = NULL;
    int64_t least = INT64_MAX;
    bool asks = naive_amount(claim->request) > 0;
    for (size_t i = 0; asks && driver != NULL && driver->storage_capacity && i < list->count; i++) {
        const berth_csi_storage_capacity *c = list->items[i];
        berth_quantity limit = c->has_maximum_volume_size ? c->maximum_volume_size : c->capacity;
        int64_t units = naive_value(naive_amount(limit));
        if (naive_same(c->storage_class, class->meta.name) &&
            (c->has_maximum_volume_size || c->has_capacity) &&
            units >= naive_value(naive_amount(claim->request)) &&
            naive_selector_matches(c->node_topology, node->meta.labels) && units < least) {
            best = c;
            least = units;
        }
    }
    return best;
}

static int64_t prefers(const berth_plugin_ref *ref, int64_t utilization)
{
    static const berth_shape_point prefers_empty[] = {{0, 10}, {100, 0}};
    bool given = ref->args != NULL && ref->args->fit.shape_count > 0;
    const berth_shape_point *shape = given ? ref->args->fit.shape : prefers_empty;
    uint32_t count = given ? ref->args->fit.shape_count : 2;
    for (uint32_t i = 0; i < count; i++) {
        if (utilization <= shape[i].utilization) {
            return i == 0 ? 10 * shape[0].score
                          : 10 * shape[i - 1].score +
                                10 * (shape[i].score - shape[i - 1].score) *
                                    (utilization - shape[i - 1].utilization) /
                                    (shape[i].utilization - shape[i - 1].utilization);
        }
    }
    return 10 * shape[count - 1].score;
}

static int64_t score_node(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node)
{
    binding b = bind_volumes(a, node);
    class_use *uses = naive_alloc(a->region, (b.count + 1) * sizeof(*uses));
    size_t count = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < b.count; i++) {
        const volume_object *volume =
            b.chosen[i].volume.len > 0 ? find_volume(a, b.chosen[i].volume) : NULL;
        if (volume != NULL) {
            class_use *use = use_of(uses, &count, volume->storage_class);
            use->requested += naive_value(naive_amount(claim_of(a, &b.chosen[i])->request));
            use->capacity += naive_value(naive_amount(volume->capacity));
        }
    }
    bool found = count > 0;
    for (size_t i = 0; i < b.count && !found; i++) {
        const claim_object *claim = claim_of(a, &b.chosen[i]);
        const berth_csi_storage_capacity *room = room_for(a, claim, node);
        if (room != NULL) {
            class_use *use = use_of(uses, &count, claim->storage_class);
            use->requested += naive_value(naive_amount(claim->request));
            use->capacity = room->has_capacity ? naive_value(naive_amount(room->capacity)) : 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        bool full = uses[i].capacity == 0 || uses[i].requested > uses[i].capacity;
        sum += prefers(ref, full ? 100 : uses[i].requested * 100 / uses[i].capacity);
    }
    return count > 0 ? (int64_t)round((double)sum / (double)count) : 0;
}

bool naive_score_binding(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                         size_t count, int64_t *values)
{
    for (size_t n = 0; n < count; n++) {
        values[n] = a->cluster->kubernetes >= 37 ? score_node(a, ref, nodes[n]) : 0;
    }
    return a->cluster->kubernetes >= 37;
}

void naive_reserve(naive_cluster *cluster, const berth_pod *pod, const berth_node *node)
{
    naive_region region = {0};
    naive_attempt a = {.region = &region, .cluster = cluster, .pod = pod};
    naive_refusal r = {0};
    binding b = {0};
    if (naive_pre_binding(&a, NULL, &r) == NAIVE_GO_ON) {
        b = bind_volumes(&a, node);
    }
    if (b.node_conflict || b.unbound || b.no_space || b.volume_missing) {
        b.count = 0;
    }
    for (size_t i = 0; i < b.count; i++) {
        naive_reservation *chosen = &b.chosen[i];
        const volume_object *volume = find_volume(&a, chosen->volume);
        const claim_object *claim = naive_find(cluster, BERTH_KIND_PERSISTENT_VOLUME_CLAIM,
                                               chosen->claim_namespace, chosen->claim_name);
        /* Volumes and claims that are reserved already are not taken again. */
        if (volume != NULL ? claimed_by(&a, volume, claim) == CLAIMED_MINE
                           : selected_node(&a, claim).data != NULL) {
            continue;
        }
        cluster->reservations = naive_grow(&cluster->region, cluster->reservations,
                                           cluster->reservation_count, sizeof(*chosen));
        cluster->reservations[cluster->reservation_count++] = *chosen;
    }
    naive_region_free(&region);
}

/* ---- VolumeZone ---- */

static const char *const zone_keys[4][2] = {
    /* a label of a volume, and the other name that a node may have for it */
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", NULL},
    {"topology.kubernetes.io/region", NULL},
};

/* An empty item makes the whole label invalid. */
bool naive_zones_valid(berth_str list)
{
    berth_str item;
    while (next_zone(&list, &item)) {
        if (item.len == 0) {
            return false;
        }
    }
    return true;
}

bool naive_zones_contain(berth_str list, berth_str zone)
{
    berth_str item;
    while (next_zone(&list, &item)) {
        if (naive_same(item, zone)) {
            return true;
        }
    }
    return false;
}

static const volume_object *bound_volume(const naive_attempt *a, const berth_volume *volume)
{
    const claim_object *claim =
        volume->source.kind == BERTH_VOLUME_CLAIM ? find_claim(a, a->pod, volume) : NULL;
    return claim != NULL && claim->volume_name.len > 0 ? find_volume(a, claim->volume_name) : NULL;
}

static const char *zone_problem(naive_attempt *a, const berth_volume *volume)
{
    const claim_object *claim = find_claim(a, a->pod, volume);
    if (claim == NULL) {
        return claim_missing(a, volume->source.handle);
    }
    if (claim->volume_name.len > 0) {
        return find_volume(a, claim->volume_name) != NULL
                   ? NULL
                   : naive_print(a->region, "persistentvolume \"%.*s\" not found",
                                 NAIVE_TEXT(claim->volume_name));
    }
    berth_str name = claim_class(claim);
    if (name.len == 0) {
        return "PersistentVolumeClaim had no pv name and storageClass name";
    }
    const berth_storage_class *class = find_class(a, name);
    if (class == NULL) {
        return naive_print(a->region, "storageclass.storage.k8s.io \"%.*s\" not found",
                           NAIVE_TEXT(name));
    }
    if (class->binding_mode.data == NULL) {
        return naive_print(a->region, "VolumeBindingMode not set for StorageClass \"%.*s\"",
                           NAIVE_TEXT(name));
    }
    return naive_is(class->binding_mode, "WaitForFirstConsumer") ? NULL
                                                                 : "PersistentVolume had no name";
}

naive_outcome naive_pre_zone(naive_attempt *a, const berth_plugin_ref *ref, naive_refusal *r)
{
    (void)ref;
    bool collected = false;
    for (uint32_t v = 0; v < a->pod->volume_count; v++) {
        if (a->pod->volumes[v].source.kind != BERTH_VOLUME_CLAIM) {
            continue;
        }
        const char *problem = zone_problem(a, &a->pod->volumes[v]);
        if (problem != NULL) {
            return refuse_all(a, r, problem);
        }
        const volume_object *volume = bound_volume(a, &a->pod->volumes[v]);
        for (int k = 0; volume != NULL && k < 4; k++) {
            const berth_str *zones = naive_label(volume->meta.labels, naive_str(zone_keys[k][0]));
            collected = collected || (zones != NULL && naive_zones_valid(*zones));
        }
    }
    return collected ? NAIVE_GO_ON : NAIVE_SKIP;
}

static bool node_in_zones(const berth_node *node, int k, berth_str zones)
{
    const berth_str *value = naive_label(node->meta.labels, naive_str(zone_keys[k][0]));
    if (value == NULL && zone_keys[k][1] != NULL) {
        value = naive_label(node->meta.labels, naive_str(zone_keys[k][1]));
    }
    return value != NULL && naive_zones_contain(zones, *value);
}

bool naive_zone_filter(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                       naive_refusal *r)
{
    (void)ref;
    bool zoned = false;
    for (int k = 0; k < 4; k++) {
        zoned = zoned || naive_label(node->meta.labels, naive_str(zone_keys[k][0])) != NULL;
    }
    for (uint32_t v = 0; zoned && v < a->pod->volume_count; v++) {
        const volume_object *volume = bound_volume(a, &a->pod->volumes[v]);
        for (int k = 0; volume != NULL && k < 4; k++) {
            const berth_str *zones = naive_label(volume->meta.labels, naive_str(zone_keys[k][0]));
            if (zones != NULL && naive_zones_valid(*zones) && !node_in_zones(node, k, *zones)) {
                return naive_refuse(a, r, true, "node(s) had no available volume zone");
            }
        }
    }
    return true;
}
