/* Random objects that are neither nodes nor pods: storage, services, controllers, budgets. */
#include "cluster_gen_parts.h"

uint32_t gen_object_names(berth_kind kind)
{
    switch (kind) {
    case BERTH_KIND_NAMESPACE:
    case BERTH_KIND_STORAGE_CLASS:
    case BERTH_KIND_SERVICE:
        return 3;
    case BERTH_KIND_REPLICATION_CONTROLLER:
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        return 2;
    case BERTH_KIND_PERSISTENT_VOLUME:
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
    case BERTH_KIND_CSI_NODE:
        return 10;
    case BERTH_KIND_CSI_DRIVER:
        return 1;
    case BERTH_KIND_RESOURCE_SLICE:
    case BERTH_KIND_RESOURCE_CLAIM:
        return 12;
    case BERTH_KIND_DEVICE_CLASS:
        return 3;
    case BERTH_KIND_DEVICE_TAINT_RULE:
        return 2;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
    case BERTH_KIND_VOLUME_ATTACHMENT:
        return 4;
    default:
        return 0;
    }
}

static berth_strs access_modes(cluster_gen *g, uint32_t most)
{
    const uint32_t count = gen_competes(g) ? 1 : 1 + gen_below(g, most);
    berth_str *modes = naive_alloc(&g->region, count * sizeof(*modes));
    modes[0] = naive_str("ReadWriteOnce");
    for (uint32_t i = 0; i < count && !gen_competes(g); i++) {
        modes[i] = PICK(g, "ReadWriteOnce", "ReadWriteOnce", "ReadWriteOnce", "ReadOnlyMany",
                        "ReadOnlyMany", "ReadWriteOncePod", "ReadWriteMany", "Unheard");
    }
    return (berth_strs){modes, count};
}

/* Sometimes give the class by the old annotation, which goes before that of the spec. */
static void old_class(cluster_gen *g, berth_metadata *meta, berth_str *name)
{
    if (gen_chance(g, 15)) {
        gen_add_label(g, &meta->annotations, "volume.beta.kubernetes.io/storage-class", *name);
        *name = PICK(g, "class0", "class1", "class2");
    }
}

/* Volumes pv0 to pv4 belong to the claims with the same numbers; the others are free and local.
 * Their capacities differ, so the smallest is unique, except when pods compete. */
static void *gen_volume(cluster_gen *g, uint32_t index)
{
    berth_persistent_volume *v = naive_alloc(&g->region, sizeof(*v));
    berth_node_selector *s = naive_alloc(&g->region, sizeof(*s));
    berth_node_selector_term *t = naive_alloc(&g->region, sizeof(*t));
    berth_requirement *r = naive_alloc(&g->region, sizeof(*r));
    v->capacity = gen_mebi(1024 + 512 * gen_below(g, 3) + (gen_competes(g) ? 0 : index));
    v->access_modes = access_modes(g, 3);
    v->volume_mode = naive_str(gen_chance(g, 10) ? "Block" : "Filesystem");
    v->storage_class = naive_str(index < 5 ? "class0" : "class2");
    old_class(g, &v->meta, &v->storage_class);
    gen_add_label(g, &v->meta.labels, "disk", PICK(g, "ssd", "hdd"));
    v->has_claim_ref = index < 5;
    v->phase = naive_str(index < 5 ? "Bound" : "Available");
    v->source.kind = BERTH_VOLUME_OTHER;
    if (v->has_claim_ref) {
        v->claim_namespace = naive_str("default");
        v->claim_name = gen_numbered(g, "claim", index);
        v->claim_uid = gen_numbered(g, "claim-uid-", index);
        v->source.kind = gen_chance(g, 70) ? BERTH_VOLUME_CSI : BERTH_VOLUME_GCE_PD;
        v->source.driver = naive_str("driver0");
        v->source.handle = gen_numbered(g, "handle", index);
        if (gen_chance(g, 50)) {
            gen_add_label(g, &v->meta.labels, ZONE,
                          PICK(g, "z0", "z1", "z0__z1", " z1 __z2", "z0__", "a-b-c__a-b-d"));
        }
    }
    if (gen_chance(g, gen_competes(g) ? 20 : 60)) {
        bool zonal = gen_chance(g, 50);
        *r = (berth_requirement){
            naive_str(zonal ? ZONE : "rack"), naive_str(gen_chance(g, 85) ? "In" : "NotIn"), {0}};
        r->values = gen_values(g, gen_node_value, 1);
        t->match_expressions = (berth_requirements){r, 1};
        *s = (berth_node_selector){t, 1};
        v->node_affinity = s;
    }
    gen_recent_volume(g, v);
    return v;
}

static void *gen_claim(cluster_gen *g, uint32_t index)
{
    berth_persistent_volume_claim *c = naive_alloc(&g->region, sizeof(*c));
    c->meta.namespace_name = naive_str("default");
    c->meta.uid = gen_numbered(g, "claim-uid-", index);
    c->access_modes = access_modes(g, 2);
    c->volume_mode = naive_str(gen_chance(g, 10) ? "Block" : "Filesystem");
    if (gen_chance(g, 10)) {
        berth_label_selector *s = naive_alloc(&g->region, sizeof(*s));
        gen_add_label(g, &s->match_labels, "disk", PICK(g, "ssd", "hdd"));
        c->selector = s;
    }
    c->request = gen_mebi(512 * (1 + gen_below(g, 4)));
    c->storage_class = naive_str(index < 5 ? "class0" : index < 8 ? "class2" : "class1");
    c->phase = naive_str(index < 5 ? "Bound" : "Pending");
    c->meta.deleting = gen_chance(g, 2);
    if (index < 5) {
        c->volume_name = gen_numbered(g, "pv", index);
        gen_add_label(g, &c->meta.annotations, "pv.kubernetes.io/bind-completed", naive_str("yes"));
    } else if (gen_chance(g, 5)) {
        c->storage_class = PICK(g, "", "class0", "absent");
    } else {
        old_class(g, &c->meta, &c->storage_class);
    }
    gen_recent_claim(g, c);
    return c;
}

static berth_str zone_value(cluster_gen *g)
{
    return gen_random_name(g, "z", 4);
}

/* class0: immediate; class1: provisioned late; class2: local volumes only. */
static void *gen_class(cluster_gen *g, uint32_t index)
{
    berth_storage_class *c = naive_alloc(&g->region, sizeof(*c));
    c->provisioner = naive_str(index == 2 ? "kubernetes.io/no-provisioner" : "driver0");
    c->binding_mode = naive_str(index == 0 ? "Immediate" : "WaitForFirstConsumer");
    if (index == 1 && gen_chance(g, 50)) {
        berth_topology_term *t = naive_alloc(&g->region, sizeof(*t));
        berth_requirement *r = naive_alloc(&g->region, sizeof(*r));
        *r = (berth_requirement){naive_str(ZONE), naive_str("In"), gen_values(g, zone_value, 1)};
        t->expressions = (berth_requirements){r, gen_chance(g, 90)};
        c->allowed_topologies = t;
        c->allowed_topology_count = 1;
    }
    return c;
}

static void *gen_csi_node(cluster_gen *g)
{
    berth_csi_node *n = naive_alloc(&g->region, sizeof(*n));
    berth_csi_node_driver *d = naive_alloc(&g->region, 2 * sizeof(*d));
    d[0] = (berth_csi_node_driver){naive_str("driver0"), naive_str("x"), gen_chance(g, 90),
                                   1 + (int32_t)gen_below(g, 3), NULL};
    d[1] =
        (berth_csi_node_driver){naive_str("pd.csi.storage.gke.io"), naive_str("x"), true, 2, NULL};
    n->drivers = d;
    n->driver_count = 1 + gen_below(g, 2);
    gen_recent_csi_node(g, n);
    return n;
}

static void *gen_capacity(cluster_gen *g, uint32_t index)
{
    berth_csi_storage_capacity *c = naive_alloc(&g->region, sizeof(*c));
    berth_label_selector *s = naive_alloc(&g->region, sizeof(*s));
    c->meta.namespace_name = naive_str("default");
    c->storage_class = naive_str("class1");
    gen_add_label(g, &s->match_labels, ZONE, gen_numbered(g, "z", index));
    c->node_topology = gen_chance(g, 90) ? s : NULL;
    c->has_capacity = gen_chance(g, 90);
    c->capacity = gen_mebi(512 * gen_below(g, 6));
    c->has_maximum_volume_size = gen_chance(g, 30);
    c->maximum_volume_size = gen_mebi(512 * gen_below(g, 6));
    return c;
}

static void *gen_attachment(cluster_gen *g)
{
    berth_volume_attachment *a = naive_alloc(&g->region, sizeof(*a));
    a->attacher = naive_str("driver0");
    a->node_name = gen_some_node(g);
    a->persistent_volume = gen_random_name(g, "pv", 5);
    return a;
}

static void *gen_service(cluster_gen *g)
{
    berth_service *s = naive_alloc(&g->region, sizeof(*s));
    s->meta.namespace_name = gen_namespace_name(g);
    s->has_selector = gen_chance(g, 90);
    if (s->has_selector && gen_chance(g, 95)) {
        gen_add_label(g, &s->selector, "app", gen_app_value(g));
    }
    return s;
}

static void *gen_controller(cluster_gen *g, bool map_only)
{
    berth_controller *c = naive_alloc(&g->region, sizeof(*c));
    berth_label_selector *s = naive_alloc(&g->region, sizeof(*s));
    c->meta.namespace_name = gen_namespace_name(g);
    gen_add_label(g, &s->match_labels, "env", gen_pod_label_value(g, naive_str("env")));
    c->selector = map_only ? s : gen_label_selector(g);
    return c;
}

static void *gen_budget(cluster_gen *g)
{
    berth_pod_disruption_budget *b = naive_alloc(&g->region, sizeof(*b));
    b->meta.namespace_name = gen_namespace_name(g);
    b->selector = gen_label_selector(g);
    b->disruptions_allowed = (int32_t)gen_below(g, 3);
    return b;
}

static void *gen_namespace(cluster_gen *g)
{
    berth_namespace *n = naive_alloc(&g->region, sizeof(*n));
    if (gen_chance(g, 80)) {
        gen_add_label(g, &n->meta.labels, "team", PICK(g, "a", "b"));
    }
    return n;
}

static void *gen_driver(cluster_gen *g)
{
    berth_csi_driver *d = naive_alloc(&g->region, sizeof(*d));
    d->storage_capacity = gen_chance(g, 60);
    d->prevent_pod_scheduling_if_missing = g->kubernetes >= 37 && gen_chance(g, 50);
    return d;
}

/* Does a kind matter to the generated features? */
static bool wanted_kind(const cluster_gen *g, berth_kind kind)
{
    if (kind >= BERTH_KIND_STORAGE_CLASS && kind <= BERTH_KIND_VOLUME_ATTACHMENT) {
        return (g->features & GEN_VOLUMES) != 0;
    }
    if (kind >= BERTH_KIND_SERVICE && kind <= BERTH_KIND_STATEFUL_SET) {
        return (g->features & GEN_SPREAD) != 0;
    }
    if (kind == BERTH_KIND_POD_DISRUPTION_BUDGET) {
        return (g->features & GEN_PREEMPTION) != 0;
    }
    if (kind == BERTH_KIND_DEVICE_TAINT_RULE && g->kubernetes < 37) {
        return false;
    }
    if (kind > BERTH_KIND_POD) {
        return gen_has_devices(g);
    }
    return kind != BERTH_KIND_NAMESPACE || (g->features & GEN_AFFINITY) != 0;
}

/* Makes an object without its name; NULL: this kind is not made here. */
static void *gen_unnamed(cluster_gen *g, berth_kind kind, uint32_t index)
{
    switch (kind) {
    case BERTH_KIND_NAMESPACE:
        return gen_namespace(g);
    case BERTH_KIND_STORAGE_CLASS:
        return gen_class(g, index);
    case BERTH_KIND_CSI_DRIVER:
        return gen_driver(g);
    case BERTH_KIND_CSI_NODE:
        return gen_csi_node(g);
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        return gen_capacity(g, index);
    case BERTH_KIND_PERSISTENT_VOLUME:
        return gen_volume(g, index);
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        return gen_claim(g, index);
    case BERTH_KIND_VOLUME_ATTACHMENT:
        return gen_attachment(g);
    case BERTH_KIND_SERVICE:
        return gen_service(g);
    case BERTH_KIND_REPLICATION_CONTROLLER:
        return gen_controller(g, true);
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
        return gen_controller(g, false);
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        return gen_budget(g);
    case BERTH_KIND_RESOURCE_SLICE:
    case BERTH_KIND_DEVICE_CLASS:
    case BERTH_KIND_RESOURCE_CLAIM:
    case BERTH_KIND_DEVICE_TAINT_RULE:
        return gen_device_object(g, kind, index);
    default:
        return NULL;
    }
}

bool gen_object(cluster_gen *g, berth_kind kind, uint32_t index, berth_object *out)
{
    static const char *const namespaces[] = {"default", "prod", "dev"};
    static const struct {
        berth_kind kind;
        const char *prefix;
    } prefixes[] = {
        {BERTH_KIND_STORAGE_CLASS, "class"},
        {BERTH_KIND_PERSISTENT_VOLUME, "pv"},
        {BERTH_KIND_PERSISTENT_VOLUME_CLAIM, "claim"},
        {BERTH_KIND_CSI_NODE, "n"},
        {BERTH_KIND_CSI_DRIVER, "driver"},
        {BERTH_KIND_CSI_STORAGE_CAPACITY, "capacity"},
        {BERTH_KIND_VOLUME_ATTACHMENT, "attachment"},
        {BERTH_KIND_SERVICE, "service"},
        {BERTH_KIND_REPLICATION_CONTROLLER, "ctl"},
        {BERTH_KIND_REPLICA_SET, "ctl"},
        {BERTH_KIND_STATEFUL_SET, "ctl"},
        {BERTH_KIND_POD_DISRUPTION_BUDGET, "budget"},
        {BERTH_KIND_RESOURCE_SLICE, "slice"},
        {BERTH_KIND_DEVICE_CLASS, "devclass"},
        {BERTH_KIND_RESOURCE_CLAIM, "devclaim"},
        {BERTH_KIND_DEVICE_TAINT_RULE, "taintrule"},
    };
    if (!wanted_kind(g, kind)) {
        return false;
    }
    void *made = gen_unnamed(g, kind, index);
    if (made == NULL) {
        return false;
    }
    berth_metadata *meta = made;
    if (kind == BERTH_KIND_NAMESPACE) {
        meta->name = naive_str(namespaces[index]);
    }
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (prefixes[i].kind == kind) {
            meta->name = gen_numbered(g, prefixes[i].prefix, index);
        }
    }
    *out = (berth_object){.kind = kind, .as.any = made};
    return true;
}
