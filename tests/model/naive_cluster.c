/* The naive cluster: lists of objects, the node tree, and the few facts that depend on history
 * (node order, ports in use, image sizes, reserved volumes). */
#include <string.h>

#include "naive.h"

void naive_cluster_free(naive_cluster *cluster)
{
    naive_region_free(&cluster->region);
    memset(cluster, 0, sizeof(*cluster));
}

/* ---- finding ---- */

static size_t object_index(const naive_cluster *cluster, berth_kind kind, berth_str namespace_name,
                           berth_str name)
{
    const naive_objects *list = &cluster->objects[kind];
    for (size_t i = 0; i < list->count; i++) {
        const berth_metadata *meta = list->items[i];
        if (naive_same(meta->name, name) &&
            (namespace_name.len == 0 || naive_same(naive_namespace(meta), namespace_name))) {
            return i;
        }
    }
    return SIZE_MAX;
}

const void *naive_find(const naive_cluster *cluster, berth_kind kind, berth_str namespace_name,
                       berth_str name)
{
    size_t i = object_index(cluster, kind, namespace_name, name);
    return i == SIZE_MAX ? NULL : cluster->objects[kind].items[i];
}

const berth_node *naive_find_node(const naive_cluster *cluster, berth_str name)
{
    return naive_find(cluster, BERTH_KIND_NODE, (berth_str){0}, name);
}

naive_pod *naive_find_pod(const naive_cluster *cluster, berth_str namespace_name, berth_str name)
{
    for (size_t i = 0; i < cluster->pod_count; i++) {
        const berth_metadata *meta = &cluster->pods[i].pod->meta;
        if (naive_same(meta->name, name) && naive_same(naive_namespace(meta), namespace_name)) {
            return &cluster->pods[i];
        }
    }
    return NULL;
}

/* ---- node tree (cycle.md §2) ---- */

/* A label that is present counts even if it is empty, the beta label first; v1.15 knows only that
 * one. */
static berth_str zone_label(const naive_cluster *cluster, const berth_node *node, const char *beta,
                            const char *stable)
{
    const berth_str *value = naive_label(node->meta.labels, naive_str(beta));
    if (value == NULL && !cluster->legacy) {
        value = naive_label(node->meta.labels, naive_str(stable));
    }
    return value != NULL ? *value : naive_str("");
}

static berth_str region_of(const naive_cluster *cluster, const berth_node *node)
{
    return zone_label(cluster, node, "failure-domain.beta.kubernetes.io/region",
                      "topology.kubernetes.io/region");
}

static berth_str zone_of(const naive_cluster *cluster, const berth_node *node)
{
    return zone_label(cluster, node, "failure-domain.beta.kubernetes.io/zone",
                      "topology.kubernetes.io/zone");
}

static void tree_add(naive_cluster *cluster, const berth_node *node)
{
    naive_zone *zone = NULL;
    for (size_t i = 0; i < cluster->zone_count; i++) {
        if (naive_same(cluster->zones[i].region, region_of(cluster, node)) &&
            naive_same(cluster->zones[i].zone, zone_of(cluster, node))) {
            zone = &cluster->zones[i];
        }
    }
    if (zone == NULL) {
        cluster->zones = naive_grow(&cluster->region, cluster->zones, cluster->zone_count,
                                    sizeof(*cluster->zones));
        zone = &cluster->zones[cluster->zone_count++];
        *zone = (naive_zone){.region = region_of(cluster, node), .zone = zone_of(cluster, node)};
    }
    zone->names = naive_grow(&cluster->region, zone->names, zone->count, sizeof(*zone->names));
    zone->names[zone->count++] = node->meta.name;
}

static void tree_remove(naive_cluster *cluster, berth_str name)
{
    for (size_t z = 0; z < cluster->zone_count; z++) {
        naive_zone *zone = &cluster->zones[z];
        for (size_t i = 0; i < zone->count; i++) {
            if (naive_same(zone->names[i], name)) {
                memmove(&zone->names[i], &zone->names[i + 1],
                        (--zone->count - i) * sizeof(*zone->names));
            }
        }
        if (zone->count == 0) {
            memmove(zone, zone + 1, (--cluster->zone_count - z) * sizeof(*zone));
            return;
        }
    }
}

static void list_nodes(naive_cluster *cluster)
{
    size_t count = cluster->objects[BERTH_KIND_NODE].count;
    cluster->order = naive_alloc(&cluster->region, (count + 1) * sizeof(*cluster->order));
    cluster->order_count = 0;
    for (size_t i = 0; cluster->order_count < count; i++) {
        for (size_t z = 0; z < cluster->zone_count; z++) {
            if (i < cluster->zones[z].count) {
                cluster->order[cluster->order_count++] = cluster->zones[z].names[i];
            }
        }
    }
}

/* ---- images ---- */

static naive_image *find_image(naive_image *images, size_t count, berth_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (naive_same(images[i].name, name)) {
            return &images[i];
        }
    }
    return NULL;
}

static void add_image(naive_cluster *cluster, berth_str name, int64_t size, berth_str node)
{
    naive_image *image = find_image(cluster->images, cluster->image_count, name);
    if (image == NULL) {
        cluster->images = naive_grow(&cluster->region, cluster->images, cluster->image_count,
                                     sizeof(*cluster->images));
        image = &cluster->images[cluster->image_count++];
        *image = (naive_image){.name = name, .size = size};
    }
    berth_strs nodes = {image->nodes, (uint32_t)image->node_count};
    if (!naive_in(nodes, node)) {
        image->nodes = naive_grow(&cluster->region, image->nodes, image->node_count, sizeof(node));
        image->seen = naive_grow(&cluster->region, image->seen, image->node_count, sizeof(size_t));
        image->nodes[image->node_count++] = node;
    }
}

static void add_images(naive_cluster *cluster, const berth_node *node)
{
    for (uint32_t i = 0; i < node->image_count; i++) {
        const berth_image *image = &node->images[i];
        for (uint32_t k = 0; k < image->names.count; k++) {
            add_image(cluster, image->names.items[k], image->size_bytes, node->meta.name);
        }
    }
}

/* A name that is on no node any more is forgotten, together with its size. */
static void remove_images(naive_cluster *cluster, berth_str node)
{
    size_t kept = 0;
    for (size_t i = 0; i < cluster->image_count; i++) {
        naive_image image = cluster->images[i];
        for (size_t k = 0; k < image.node_count; k++) {
            if (naive_same(image.nodes[k], node)) {
                image.nodes[k] = image.nodes[--image.node_count];
                image.seen[k] = image.seen[image.node_count];
            }
        }
        if (image.node_count > 0) {
            cluster->images[kept++] = image;
        }
    }
    cluster->image_count = kept;
}

static void note_change(naive_cluster *cluster, berth_str node)
{
    berth_strs *changed = &cluster->changed;
    if (node.len == 0 || naive_in(*changed, node)) {
        return;
    }
    berth_str *items = naive_grow(&cluster->region, (void *)(uintptr_t)changed->items,
                                  changed->count, sizeof(node));
    items[changed->count] = node;
    *changed = (berth_strs){items, changed->count + 1};
}

void naive_copy_changed(naive_cluster *cluster)
{
    for (size_t i = 0; i < cluster->image_count; i++) {
        naive_image *image = &cluster->images[i];
        for (size_t k = 0; k < image->node_count; k++) {
            if (naive_in(cluster->changed, image->nodes[k])) {
                image->seen[k] = image->node_count;
            }
        }
    }
    cluster->changed.count = 0;
}

void naive_refresh(naive_cluster *cluster)
{
    const naive_objects *nodes = &cluster->objects[BERTH_KIND_NODE];
    berth_strs known = {cluster->order, (uint32_t)cluster->order_count};
    bool outdated = cluster->legacy || nodes->count < cluster->order_count;
    for (size_t i = 0; i < nodes->count; i++) {
        const berth_node *node = nodes->items[i];
        outdated = outdated || !naive_in(known, node->meta.name);
    }
    if (outdated) {
        list_nodes(cluster);
    }
}

/* ---- pods on nodes ---- */

static size_t port_index(const naive_cluster *cluster, const naive_port *port)
{
    for (size_t i = 0; i < cluster->port_count; i++) {
        const naive_port *p = &cluster->ports[i];
        if (naive_same(p->node, port->node) && naive_same(p->ip, port->ip) &&
            naive_same(p->protocol, port->protocol) && p->number == port->number) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void add_host_ports(naive_region *region, const berth_container *container,
                           naive_port **list, size_t *count)
{
    for (uint32_t i = 0; i < container->port_count; i++) {
        const berth_port *port = &container->ports[i];
        if (port->host_port <= 0) {
            continue;
        }
        *list = naive_grow(region, *list, *count, sizeof(**list));
        (*list)[(*count)++] = (naive_port){
            .ip = port->host_ip.len > 0 ? port->host_ip : naive_str("0.0.0.0"),
            .protocol = port->protocol.len > 0 ? port->protocol : naive_str("TCP"),
            .number = port->host_port,
        };
    }
}

naive_port *naive_host_ports(naive_region *region, const naive_cluster *cluster,
                             const berth_pod *pod, size_t *count)
{
    naive_port *list = NULL;
    *count = 0;
    for (uint32_t c = 0; c < pod->container_count; c++) {
        add_host_ports(region, &pod->containers[c], &list, count);
    }
    for (uint32_t c = 0; c < pod->init_container_count && cluster->kubernetes >= 33; c++) {
        if (pod->init_containers[c].restart_always) {
            add_host_ports(region, &pod->init_containers[c], &list, count);
        }
    }
    return list;
}

/* The position of the last other pod on the node of the pod; 0: none. */
static uint64_t last_place(const naive_cluster *cluster, const naive_pod *pod)
{
    uint64_t last = 0;
    for (size_t i = 0; i < cluster->pod_count; i++) {
        const naive_pod *other = &cluster->pods[i];
        if (other != pod && naive_same(other->node, pod->node) && other->place > last) {
            last = other->place;
        }
    }
    return last;
}

void naive_put_on(naive_region *region, naive_cluster *cluster, naive_pod *pod, berth_str node)
{
    size_t count;
    naive_port *ports = naive_host_ports(region, cluster, pod->pod, &count);
    pod->node = node;
    pod->place = last_place(cluster, pod) + 1;
    for (size_t i = 0; i < count; i++) {
        ports[i].node = node;
        if (port_index(cluster, &ports[i]) == SIZE_MAX) {
            cluster->ports =
                naive_grow(region, cluster->ports, cluster->port_count, sizeof(*ports));
            cluster->ports[cluster->port_count++] = ports[i];
        }
    }
}

void naive_take_off(naive_cluster *cluster, naive_pod *pod)
{
    naive_region region = {0};
    size_t count;
    naive_port *ports = naive_host_ports(&region, cluster, pod->pod, &count);
    for (size_t i = 0; i < count; i++) {
        ports[i].node = pod->node;
        size_t found = port_index(cluster, &ports[i]);
        if (found != SIZE_MAX) {
            cluster->ports[found] = cluster->ports[--cluster->port_count];
        }
    }
    /* The last pod of the node fills the gap. */
    uint64_t last = last_place(cluster, pod);
    for (size_t i = 0; i < cluster->pod_count; i++) {
        naive_pod *other = &cluster->pods[i];
        if (naive_same(other->node, pod->node) && other->place == last && last > pod->place) {
            other->place = pod->place;
        }
    }
    pod->node = (berth_str){0};
    naive_region_free(&region);
}

static bool lists(const berth_profile *profile, berth_point point, const char *name)
{
    const berth_plugin_list list = naive_list(profile, point);
    for (uint32_t i = 0; i < list.count; i++) {
        if (naive_is(list.items[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool filters_by(const berth_profile *profile, const char *name)
{
    return lists(profile, BERTH_POINT_FILTER, name);
}

/* Without its preFilter, which reads the claims, DynamicResources finds nothing to reserve. */
static bool takes_devices(const berth_profile *profile)
{
    return filters_by(profile, "DynamicResources") &&
           (naive_list(profile, BERTH_POINT_PRE_FILTER).items == NULL ||
            lists(profile, BERTH_POINT_PRE_FILTER, "DynamicResources"));
}

static bool binds_volumes(const berth_profile *profile)
{
    return filters_by(profile, "VolumeBinding") || filters_by(profile, "CheckVolumeBinding");
}

void naive_bind(naive_cluster *cluster, const berth_profile *profile, const berth_pod *pod,
                berth_str node)
{
    naive_pod *entry = naive_find_pod(cluster, naive_namespace(&pod->meta), pod->meta.name);
    const berth_node *target = naive_find_node(cluster, node);
    if (target != NULL && binds_volumes(profile)) {
        naive_reserve(cluster, pod, target);
    }
    if (target != NULL && takes_devices(profile)) {
        naive_take_devices(cluster, profile, pod, target);
    }
    naive_put_on(&cluster->region, cluster, entry, node);
    note_change(cluster, node);
}

/* Drop the holds of a pod on devices. */
static void drop_holds(naive_cluster *cluster, const berth_metadata *pod)
{
    size_t kept = 0;
    for (size_t i = 0; i < cluster->hold_count; i++) {
        if (!naive_same_object(cluster->holds[i].pod, pod)) {
            cluster->holds[kept++] = cluster->holds[i];
        }
    }
    cluster->hold_count = kept;
}

/* A claim that was never written is removed with its pod. */
static void drop_special(naive_cluster *cluster, berth_str namespace_name, berth_str name)
{
    size_t kept = 0;
    for (size_t i = 0; i < cluster->hold_count; i++) {
        const naive_device_hold *hold = &cluster->holds[i];
        if (!naive_is(hold->claim->name, NAIVE_SPECIAL) || !naive_same(hold->pod->name, name) ||
            !naive_same(naive_namespace(hold->pod), namespace_name)) {
            cluster->holds[kept++] = *hold;
        }
    }
    cluster->hold_count = kept;
}

/* Drops the holds for a claim that was removed (`now` NULL), replaced by another one of its name,
 * or allocated its own devices; and after any change, once its pod is gone. */
static void claim_changes(naive_cluster *cluster, const berth_metadata *meta,
                          const berth_resource_claim *now)
{
    size_t kept = 0;
    for (size_t i = 0; i < cluster->hold_count; i++) {
        naive_device_hold hold = cluster->holds[i];
        bool same =
            !naive_is(hold.claim->name, NAIVE_SPECIAL) && naive_same_object(hold.claim, meta);
        if (!same ||
            (now != NULL && now->allocation == NULL && naive_same(hold.claim->uid, now->meta.uid) &&
             naive_find_pod(cluster, naive_namespace(hold.pod), hold.pod->name) != NULL)) {
            hold.claim = same ? &now->meta : hold.claim;
            cluster->holds[kept++] = hold;
        }
    }
    cluster->hold_count = kept;
}

void naive_unbind(naive_cluster *cluster, const berth_pod *pod)
{
    naive_pod *entry = naive_find_pod(cluster, naive_namespace(&pod->meta), pod->meta.name);
    size_t kept = 0;
    for (size_t i = 0; i < cluster->reservation_count; i++) {
        if (!naive_same_object(cluster->reservations[i].pod, &pod->meta)) {
            cluster->reservations[kept++] = cluster->reservations[i];
        }
    }
    cluster->reservation_count = kept;
    drop_holds(cluster, &pod->meta);
    note_change(cluster, entry->node);
    naive_take_off(cluster, entry);
}

/* ---- objects are added, changed and removed ---- */

static void add_pod(naive_cluster *cluster, const berth_pod *pod)
{
    if (naive_is(pod->phase, "Succeeded") || naive_is(pod->phase, "Failed")) {
        return;
    }
    cluster->pods =
        naive_grow(&cluster->region, cluster->pods, cluster->pod_count, sizeof(*cluster->pods));
    naive_pod *entry = &cluster->pods[cluster->pod_count++];
    *entry = (naive_pod){.pod = pod};
    if (pod->node_name.len > 0) {
        naive_put_on(&cluster->region, cluster, entry, pod->node_name);
        note_change(cluster, pod->node_name);
    }
}

static void remove_pod(naive_cluster *cluster, naive_pod *entry)
{
    if (entry->node.len > 0) {
        note_change(cluster, entry->node);
        naive_take_off(cluster, entry);
    }
    size_t i = (size_t)(entry - cluster->pods);
    memmove(entry, entry + 1, (--cluster->pod_count - i) * sizeof(*entry));
}

/* An event about a volume or claim replaces the assumptions of a placement about it. */
static void drop_reservations(naive_cluster *cluster, berth_kind kind, const berth_metadata *meta)
{
    size_t kept = 0;
    for (size_t i = 0; i < cluster->reservation_count; i++) {
        const naive_reservation *r = &cluster->reservations[i];
        bool volume = kind == BERTH_KIND_PERSISTENT_VOLUME && naive_same(r->volume, meta->name);
        bool claim = kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM && r->volume.len == 0 &&
                     naive_same(r->claim_name, meta->name) &&
                     naive_same(r->claim_namespace, naive_namespace(meta));
        if (!volume && !claim) {
            cluster->reservations[kept++] = *r;
        }
    }
    cluster->reservation_count = kept;
}

void naive_add(naive_cluster *cluster, const berth_object *object)
{
    if (object->kind == BERTH_KIND_POD) {
        add_pod(cluster, object->as.pod);
        return;
    }
    naive_objects *list = &cluster->objects[object->kind];
    list->items = naive_grow(&cluster->region, list->items, list->count, sizeof(*list->items));
    list->items[list->count++] = object->as.any;
    if (object->kind == BERTH_KIND_NODE) {
        tree_add(cluster, object->as.node);
        add_images(cluster, object->as.node);
        note_change(cluster, object->as.node->meta.name);
    }
}

void naive_remove(naive_cluster *cluster, berth_kind kind, berth_str namespace_name, berth_str name)
{
    if (kind == BERTH_KIND_POD) {
        drop_special(cluster, namespace_name, name);
        remove_pod(cluster, naive_find_pod(cluster, namespace_name, name));
        return;
    }
    naive_objects *list = &cluster->objects[kind];
    size_t i = object_index(cluster, kind, namespace_name, name);
    drop_reservations(cluster, kind, list->items[i]);
    if (kind == BERTH_KIND_RESOURCE_CLAIM) {
        claim_changes(cluster, list->items[i], NULL);
    }
    memmove(&list->items[i], &list->items[i + 1], (--list->count - i) * sizeof(*list->items));
    if (kind == BERTH_KIND_NODE) {
        tree_remove(cluster, name);
        remove_images(cluster, name);
    }
}

static void update_node(naive_cluster *cluster, const berth_node *old, const berth_node *node)
{
    if (!naive_same(region_of(cluster, old), region_of(cluster, node)) ||
        !naive_same(zone_of(cluster, old), zone_of(cluster, node))) {
        tree_remove(cluster, old->meta.name);
        tree_add(cluster, node);
    }
    remove_images(cluster, old->meta.name);
    add_images(cluster, node);
    note_change(cluster, node->meta.name);
}

void naive_update(naive_cluster *cluster, const berth_object *object)
{
    const berth_metadata *meta = object->as.any;
    if (object->kind == BERTH_KIND_POD) {
        remove_pod(cluster, naive_find_pod(cluster, naive_namespace(meta), meta->name));
        add_pod(cluster, object->as.pod);
        return;
    }
    bool namespaced = meta->namespace_name.len > 0;
    size_t i = object_index(cluster, object->kind,
                            namespaced ? meta->namespace_name : (berth_str){0}, meta->name);
    const void **slot = &cluster->objects[object->kind].items[i];
    if (object->kind == BERTH_KIND_NODE) {
        update_node(cluster, *slot, object->as.node);
    }
    drop_reservations(cluster, object->kind, meta);
    if (object->kind == BERTH_KIND_RESOURCE_CLAIM) {
        claim_changes(cluster, meta, object->as.resource_claim);
    }
    *slot = object->as.any;
}
