/* The table of watched kinds, and the order of their first lists. */
#include "live/watch/watcher.h"

#include <stdlib.h>

#include "cli/heap.h"

#define CORE "/api/v1/"
#define APPS "/apis/apps/v1/"
#define STORAGE "/apis/storage.k8s.io/v1/"
#define DEVICES "/apis/resource.k8s.io/v1/"

/* Devices are served in this API version, and decided, from Kubernetes 1.34 on; DeviceTaintRules
 * from 1.37 on. */
enum { DEVICES_MINOR = 34, TAINT_RULES_MINOR = 37 };

/* Finished pods use nothing and are not requested. */
static const watch_resource resources[BERTH_KIND_COUNT] = {
    {BERTH_KIND_NAMESPACE, CORE "namespaces", "", "namespaces", false},
    {BERTH_KIND_STORAGE_CLASS, STORAGE "storageclasses", "", "storageclasses.storage.k8s.io",
     false},
    {BERTH_KIND_CSI_DRIVER, STORAGE "csidrivers", "", "csidrivers.storage.k8s.io", false},
    {BERTH_KIND_CSI_NODE, STORAGE "csinodes", "", "csinodes.storage.k8s.io", false},
    {BERTH_KIND_CSI_STORAGE_CAPACITY, STORAGE "csistoragecapacities", "",
     "csistoragecapacities.storage.k8s.io", false},
    {BERTH_KIND_PERSISTENT_VOLUME, CORE "persistentvolumes", "", "persistentvolumes", false},
    {BERTH_KIND_PERSISTENT_VOLUME_CLAIM, CORE "persistentvolumeclaims", "",
     "persistentvolumeclaims", false},
    {BERTH_KIND_VOLUME_ATTACHMENT, STORAGE "volumeattachments", "",
     "volumeattachments.storage.k8s.io", false},
    {BERTH_KIND_SERVICE, CORE "services", "", "services", false},
    {BERTH_KIND_REPLICATION_CONTROLLER, CORE "replicationcontrollers", "", "replicationcontrollers",
     false},
    {BERTH_KIND_REPLICA_SET, APPS "replicasets", "", "replicasets.apps", false},
    {BERTH_KIND_STATEFUL_SET, APPS "statefulsets", "", "statefulsets.apps", false},
    {BERTH_KIND_POD_DISRUPTION_BUDGET, "/apis/policy/v1/poddisruptionbudgets", "",
     "poddisruptionbudgets.policy", false},
    {BERTH_KIND_NODE, CORE "nodes", "", "nodes", false},
    {BERTH_KIND_POD, CORE "pods",
     "fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed", "pods", false},
    {BERTH_KIND_RESOURCE_SLICE, DEVICES "resourceslices", "", "resourceslices.resource.k8s.io",
     true},
    {BERTH_KIND_DEVICE_CLASS, DEVICES "deviceclasses", "", "deviceclasses.resource.k8s.io", true},
    {BERTH_KIND_RESOURCE_CLAIM, DEVICES "resourceclaims", "", "resourceclaims.resource.k8s.io",
     true},
    {BERTH_KIND_DEVICE_TAINT_RULE, DEVICES "devicetaintrules", "",
     "devicetaintrules.resource.k8s.io", true},
    {BERTH_KIND_POD_GROUP, "/apis/scheduling.k8s.io/v1beta1/podgroups", "",
     "podgroups.scheduling.k8s.io", true},
    {BERTH_KIND_COMPOSITE_POD_GROUP, "/apis/scheduling.k8s.io/v1alpha3/compositepodgroups", "",
     "compositepodgroups.scheduling.k8s.io", true},
};

struct watcher {
    const live_transport *transport;
    watch_sink sink, inner; /* the caller's sink, and the one for the reflectors */
    berth_reader *reader;
    reflector reflectors[BERTH_KIND_COUNT]; /* indexed by kind */
    uint32_t listed_count;
    int minor;               /* of the version whose decisions are made */
    bool groups, composites; /* PodGroups are followed, and CompositePodGroups */
};

static bool is_followed(const watcher *w, int kind)
{
    switch ((berth_kind)kind) {
    case BERTH_KIND_RESOURCE_SLICE:
    case BERTH_KIND_DEVICE_CLASS:
    case BERTH_KIND_RESOURCE_CLAIM:
        return w->minor >= DEVICES_MINOR;
    case BERTH_KIND_DEVICE_TAINT_RULE:
        return w->minor >= TAINT_RULES_MINOR;
    case BERTH_KIND_POD_GROUP:
        return w->groups;
    case BERTH_KIND_COMPOSITE_POD_GROUP:
        return w->composites;
    default:
        return true;
    }
}

static uint32_t followed_count(const watcher *w)
{
    uint32_t count = 0;
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        count += is_followed(w, kind);
    return count;
}

static uint64_t on_change(void *context, const watch_change *change)
{
    watcher *w = context;
    return w->sink.change(w->sink.context, change);
}

static bool on_is_full(void *context)
{
    watcher *w = context;
    return w->sink.is_full != NULL && w->sink.is_full(w->sink.context);
}

static void on_listed(void *context, berth_kind kind)
{
    watcher *w = context;
    w->listed_count++;
    if (w->listed_count == followed_count(w) - 1)
        reflector_start(&w->reflectors[BERTH_KIND_POD]);
    w->sink.listed(w->sink.context, kind);
}

static void on_seen(void *context, const object_entry *entry, const object_view *view)
{
    watcher *w = context;
    if (w->sink.seen != NULL)
        w->sink.seen(w->sink.context, entry, view);
}

static void on_gone(void *context, berth_kind kind, const object_entry *entry)
{
    watcher *w = context;
    if (w->sink.gone != NULL)
        w->sink.gone(w->sink.context, kind, entry);
}

static void on_text(void *context, berth_kind kind, const object_view *view, berth_str text)
{
    const watcher *w = context;
    w->sink.text(w->sink.context, kind, view, text);
}

watcher *watcher_create(const live_transport *transport, const watch_sink *sink, int minor,
                        bool groups, bool composites)
{
    /* A workload yields one pod, which is ignored; nothing is read ahead. */
    const berth_read_options options = {.size = sizeof(options), .templates = true, .threads = 1};
    watcher *w = heap_new(1, sizeof(*w));
    w->transport = transport;
    w->sink = *sink;
    w->minor = minor;
    w->groups = groups;
    w->composites = composites;
    w->inner = (watch_sink){.change = on_change,
                            .is_full = on_is_full,
                            .listed = on_listed,
                            .seen = on_seen,
                            .text = sink->text != NULL ? on_text : NULL,
                            .gone = on_gone,
                            .context = w};
    if (berth_reader_create(&options, &w->reader, NULL) != BERTH_OK) {
        free(w);
        return NULL;
    }
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        reflector_init(&w->reflectors[kind], transport, &resources[kind], &w->inner, w->reader);
    return w;
}

void watcher_start(watcher *w)
{
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        if (kind != BERTH_KIND_POD && is_followed(w, kind))
            reflector_start(&w->reflectors[kind]);
}

void watcher_stop(watcher *w)
{
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        reflector_stop(&w->reflectors[kind]);
}

void watcher_destroy(watcher *w)
{
    if (w == NULL)
        return;
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        reflector_free(&w->reflectors[kind]);
    berth_reader_destroy(w->reader);
    free(w);
}

bool watcher_is_synced(const watcher *w)
{
    return w->listed_count == followed_count(w);
}

int64_t watcher_lost_ns(const watcher *w)
{
    int64_t now_ns = live_now(w->transport), worst_ns = 0;
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        int64_t since_ns = is_followed(w, kind) ? reflector_lost_since(&w->reflectors[kind]) : 0;
        if (since_ns != 0 && now_ns - since_ns > worst_ns)
            worst_ns = now_ns - since_ns;
    }
    return worst_ns;
}

const char *watcher_denied(const watcher *w)
{
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        if (w->reflectors[kind].status_denied != 0)
            return resources[kind].rbac;
    return NULL;
}

const object_entry *watcher_find(const watcher *w, berth_kind kind, berth_str namespace_name,
                                 berth_str name)
{
    return object_table_find(&w->reflectors[kind].table, namespace_name, name);
}

const reflector *watcher_reflector(const watcher *w, berth_kind kind)
{
    return &w->reflectors[kind];
}
