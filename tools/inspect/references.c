/* Keeps references as texts that name their targets; objects are recorded under the same texts. A
 * pod that the reader marks as a replica costs one look into a small cache. */
#include "inspect/references.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/suggest.h"
#include "cli/text_buffer.h"
#include "inspect/fresh.h"

/* ---- names ---- */

/* Writes "KIND NAMESPACE/NAME", or "KIND NAME" without a namespace. */
static berth_str name_of(text_buffer *out, berth_str kind, berth_str namespace_name, berth_str name)
{
    if (namespace_name.data != NULL)
        return text_name(out, kind, namespace_name, name);
    text_clear(out);
    text_add_str(out, kind);
    text_add_str(out, words_of(" "));
    text_add_str(out, name);
    return text_str(out);
}

static void add(word_table *table, berth_str kind, berth_str namespace_name, berth_str name)
{
    text_buffer named = {0};
    (void)word_table_add(table, name_of(&named, kind, namespace_name, name));
    text_free(&named);
}

static berth_str namespace_of(const berth_metadata *meta)
{
    return meta->namespace_name.len > 0 ? meta->namespace_name : words_of("default");
}

/* Record a reference; returns its number in `wanted`. */
static uint32_t want(references *r, finding_kind kind, berth_str of, berth_str namespace_name,
                     berth_str name, uint64_t count)
{
    text_buffer named = {0}, key = {0};
    text_add(&key, "%c", 'A' + (int)kind);
    text_add_str(&key, name_of(&named, of, namespace_name, name));
    uint32_t number = word_table_add(&r->wanted, text_str(&key));
    text_free(&named);
    text_free(&key);
    size_t before = r->capacity;
    r->items = heap_grow(r->items, &r->capacity, (size_t)number + 1, sizeof(*r->items));
    if (r->capacity > before)
        memset(r->items + before, 0, (r->capacity - before) * sizeof(*r->items));
    r->items[number].kind = kind;
    r->items[number].count += count;
    return number;
}

/* ---- pods ---- */

static bool is_moved(const references *r, const berth_pod *pod)
{
    return r->all_pods_move || pod->node_name.len == 0;
}

/* Count a pod of a namespace, which is mostly that of the previous pod. Returns the namespace's
 * number. */
static uint32_t number_namespace(references *r, berth_str name)
{
    uint32_t number = r->last_namespace;
    if (number >= r->namespaces.count ||
        !words_equal(word_table_get(&r->namespaces, number), name)) {
        number = word_table_add(&r->namespaces, name);
        size_t before = r->namespace_capacity;
        r->namespace_pods = heap_grow(r->namespace_pods, &r->namespace_capacity, (size_t)number + 1,
                                      sizeof(*r->namespace_pods));
        if (r->namespace_capacity > before)
            memset(r->namespace_pods + before, 0,
                   (r->namespace_capacity - before) * sizeof(*r->namespace_pods));
        r->last_namespace = number;
    }
    r->namespace_pods[number]++;
    return number;
}

/* Whether default spreading uses the selectors of this kind of controller. */
static bool spreads_by(berth_str kind)
{
    return words_equal(kind, words_of("ReplicaSet")) ||
           words_equal(kind, words_of("StatefulSet")) ||
           words_equal(kind, words_of("ReplicationController"));
}

static uint32_t want_owners(references *r, const berth_pod *pod, bool is_over)
{
    uint32_t controller = UINT32_MAX;
    for (uint32_t i = 0; i < pod->meta.owner_count; i++) {
        const berth_owner *owner = &pod->meta.owners[i];
        const berth_str in = namespace_of(&pod->meta);
        add(&r->owners, owner->kind, in, owner->name);
        if (owner->controller && spreads_by(owner->kind))
            controller = want(r, FINDING_CONTROLLER, owner->kind, in, owner->name,
                              !is_over && is_moved(r, pod));
    }
    return controller;
}

static void want_claims(references *r, const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->volume_count; i++) {
        const berth_volume_source *source = &pod->volumes[i].source;
        if (source->kind == BERTH_VOLUME_CLAIM)
            want(r, is_moved(r, pod) ? FINDING_CLAIM : FINDING_CLAIM_RUNNING,
                 words_of("PersistentVolumeClaim"), namespace_of(&pod->meta), source->handle, 1);
    }
}

/* Record claims of devices, named or made from templates. Pods with a node have their devices
 * already. */
static void want_devices(references *r, const berth_pod *pod)
{
    const berth_str kind = words_of("ResourceClaim"), in = namespace_of(&pod->meta);
    for (uint32_t i = 0; i < pod->resource_claim_count && is_moved(r, pod); i++)
        if (pod->resource_claims[i].claim.len > 0)
            want(r, FINDING_CLAIM, kind, in, pod->resource_claims[i].claim, 1);
    for (uint32_t i = 0; i < pod->resource_claim_status_count && is_moved(r, pod); i++)
        if (pod->resource_claim_statuses[i].claim.len > 0)
            want(r, FINDING_CLAIM, kind, in, pod->resource_claim_statuses[i].claim, 1);
}

static bool selects(const berth_pod_affinity_term *terms, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const berth_label_selector *by = terms[i].namespace_selector;
        if (by != NULL && (by->match_labels.count > 0 || by->match_expressions.count > 0))
            return true;
    }
    return false;
}

static bool selects_namespaces(const berth_pod *pod)
{
    const berth_pod_affinity *both[] = {&pod->pod_affinity, &pod->pod_anti_affinity};
    for (int i = 0; i < 2; i++)
        if (selects(both[i]->required, both[i]->required_count) ||
            selects(both[i]->preferred, both[i]->preferred_count))
            return true;
    return false;
}

/* Record the namespace of a new pod, unless it always exists. */
static uint32_t want_home(references *r, const berth_pod *pod)
{
    berth_str in = namespace_of(&pod->meta);
    if (!is_fresh(&pod->meta) || words_equal(in, words_of("default")))
        return UINT32_MAX;
    return want(r, FINDING_HOME, words_of("Namespace"), (berth_str){0}, in, 1);
}

static bool see_pod(references *r, const berth_pod *pod)
{
    reference_cached *cached = &r->cache[pod->template_id % REFERENCE_CACHE_SIZE];
    if (pod->template_id != 0 && cached->template_id == pod->template_id) {
        if (cached->controller != UINT32_MAX)
            r->items[cached->controller].count += is_moved(r, pod);
        if (cached->home != UINT32_MAX)
            r->items[cached->home].count++;
        r->namespace_pods[cached->namespace_number]++;
        return true;
    }
    bool is_over = words_equal(pod->phase, words_of("Succeeded")) ||
                   words_equal(pod->phase, words_of("Failed"));
    uint32_t controller = want_owners(r, pod, is_over);
    if (is_over)
        return false;
    uint32_t number = number_namespace(r, namespace_of(&pod->meta));
    uint32_t home = want_home(r, pod);
    want_claims(r, pod);
    want_devices(r, pod);
    r->selects_namespaces = r->selects_namespaces || selects_namespaces(pod);
    if (pod->template_id != 0 && pod->volume_count == 0 && pod->resource_claim_count == 0)
        *cached = (reference_cached){pod->template_id, controller, number, home};
    return false;
}

/* ---- other objects ---- */

static void see_claim(references *r, const berth_persistent_volume_claim *claim)
{
    if (claim->volume_name.len > 0)
        want(r, FINDING_VOLUME, words_of("PersistentVolume"), (berth_str){0}, claim->volume_name,
             1);
    else if (claim->storage_class.len > 0)
        want(r, FINDING_STORAGE_CLASS, words_of("StorageClass"), (berth_str){0},
             claim->storage_class, 1);
}

static void want_device_class(references *r, berth_str class_name)
{
    if (class_name.len > 0)
        want(r, FINDING_DEVICE_CLASS, words_of("DeviceClass"), (berth_str){0}, class_name, 1);
}

/* A claim with devices needs nothing more. */
static void see_device_claim(references *r, const berth_resource_claim *claim)
{
    if (claim->allocation != NULL)
        return;
    r->device_claims++;
    for (uint32_t i = 0; i < claim->request_count; i++) {
        const berth_claim_request *request = &claim->requests[i];
        if (request->exactly != NULL)
            want_device_class(r, request->exactly->class_name);
        for (uint32_t k = 0; k < request->first_available_count; k++)
            want_device_class(r, request->first_available[k].class_name);
    }
}

bool references_object(references *r, const berth_object *object)
{
    const berth_metadata *meta = object->as.any;
    berth_str in = {0};
    switch (object->kind) {
    case BERTH_KIND_POD:
        return see_pod(r, object->as.pod);
    case BERTH_KIND_NODE:
        r->nodes++;
        return false;
    case BERTH_KIND_CSI_NODE:
        r->csi_nodes++;
        return false;
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        r->budgets++;
        return false;
    case BERTH_KIND_PERSISTENT_VOLUME:
        r->csi_volumes += object->as.persistent_volume->source.kind == BERTH_VOLUME_CSI;
        break;
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        see_claim(r, object->as.persistent_volume_claim);
        in = namespace_of(meta);
        break;
    case BERTH_KIND_RESOURCE_SLICE:
        r->slices++;
        return false;
    case BERTH_KIND_RESOURCE_CLAIM:
        see_device_claim(r, object->as.resource_claim);
        in = namespace_of(meta);
        break;
    case BERTH_KIND_NAMESPACE:
        r->namespace_objects++;
        break;
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
    case BERTH_KIND_REPLICATION_CONTROLLER:
        in = namespace_of(meta);
        break;
    default:
        break;
    }
    add(&r->present, words_of(berth_kind_name(object->kind)), in, meta->name);
    return false;
}

void references_workload(references *r, berth_str kind, berth_str namespace_name, berth_str name)
{
    add(&r->workloads, kind, namespace_name, name);
}

/* ---- the end ---- */

void references_nodes(const berth_engine *engine, findings *f)
{
    if (berth_engine_orphan(engine, NULL) == BERTH_POD_NONE)
        return;
    berth_node_id limit = berth_engine_node_limit(engine);
    for (berth_node_id node = 0; node < limit; node++) {
        uint64_t count = 0;
        if (berth_engine_node_present(engine, node))
            continue;
        berth_pod_id pod = berth_engine_next_pod(engine, node, BERTH_POD_NONE);
        for (; pod != BERTH_POD_NONE; pod = berth_engine_next_pod(engine, node, pod))
            count++;
        if (count > 0)
            findings_add(f, FINDING_NODE, berth_engine_node_name(engine, node), NULL, count);
    }
}

/* Whether a ReplicaSet of this Deployment, or a Job of this CronJob, has pods: it is named after
 * the workload. */
static bool has_heirs(const references *r, berth_str workload, const char *from, const char *to)
{
    size_t from_len = strlen(from), to_len = strlen(to);
    if (workload.len <= from_len || memcmp(workload.data, from, from_len) != 0)
        return false;
    berth_str rest = {workload.data + from_len, workload.len - (uint32_t)from_len};
    for (uint32_t i = 0; i < r->owners.count; i++) {
        berth_str owner = word_table_get(&r->owners, i);
        if (owner.len > to_len + rest.len && memcmp(owner.data, to, to_len) == 0 &&
            memcmp(owner.data + to_len, rest.data, rest.len) == 0 &&
            owner.data[to_len + rest.len] == '-')
            return true;
    }
    return false;
}

/* Whether another workload of the input made this ReplicaSet or Job, which is then not reported. */
static bool has_maker(const references *r, berth_str workload, const char *from, const char *to)
{
    size_t from_len = strlen(from), to_len = strlen(to);
    if (workload.len <= from_len || memcmp(workload.data, from, from_len) != 0)
        return false;
    for (uint32_t i = 0; i < r->workloads.count; i++) {
        berth_str maker = word_table_get(&r->workloads, i);
        if (maker.len > to_len && memcmp(maker.data, to, to_len) == 0 &&
            workload.len > maker.len - to_len + from_len &&
            memcmp(workload.data + from_len, maker.data + to_len, maker.len - to_len) == 0)
            return true;
    }
    return false;
}

static void find_workloads(const references *r, findings *f)
{
    uint32_t number;
    for (uint32_t i = 0; i < r->workloads.count; i++) {
        berth_str workload = word_table_get(&r->workloads, i);
        text_buffer text = {0};
        if (word_table_find(&r->owners, workload, &number) ||
            has_heirs(r, workload, "Deployment", "ReplicaSet") ||
            has_heirs(r, workload, "CronJob", "Job") ||
            has_maker(r, workload, "ReplicaSet", "Deployment") ||
            has_maker(r, workload, "Job", "CronJob"))
            continue;
        text_add_str(&text, workload);
        text_add(&text, " comes from an API server, and none of its pods is in the input: "
                        "--expand makes them");
        findings_add(f, FINDING_WORKLOAD, text_str(&text), NULL, 1);
        text_free(&text);
    }
}

static void find_namespaces(const references *r, findings *f)
{
    uint32_t number;
    for (uint32_t i = 0; r->selects_namespaces && i < r->namespaces.count; i++) {
        text_buffer name = {0};
        berth_str named = name_of(&name, words_of("Namespace"), (berth_str){0},
                                  word_table_get(&r->namespaces, i));
        if (!word_table_find(&r->present, named, &number))
            findings_add(f, FINDING_NAMESPACE, named, NULL, r->namespace_pods[i]);
        text_free(&name);
    }
}

/* Report a missing namespace, only if the input has Namespaces. */
static void find_home(const references *r, berth_str named, uint64_t count, findings *f)
{
    static const char kind[] = "Namespace ";
    const size_t skip = sizeof(kind) - 1;
    text_buffer name = {0}, text = {0};
    suggestion like;
    if (r->namespace_objects == 0)
        return;
    text_add_str(&name, (berth_str){named.data + skip, named.len - (uint32_t)skip});
    suggestion_begin(&like, text_str(&name).data);
    for (uint32_t i = 0; i < r->present.count; i++) {
        berth_str present = word_table_get(&r->present, i);
        if (present.len > skip && memcmp(present.data, kind, skip) == 0)
            suggestion_offer(&like, present.data + skip);
    }
    const char *best = suggestion_end(&like);
    text_add_str(&text, named);
    if (best != NULL)
        text_add(&text, " (did you mean %s?)", best);
    findings_add(f, FINDING_HOME, text_str(&text), NULL, count);
    text_free(&name);
    text_free(&text);
}

/* Whether the input has a namespace, or a pod in it. */
static bool has_namespace(const references *r, berth_str name)
{
    uint32_t number;
    text_buffer named = {0};
    const bool found =
        word_table_find(&r->namespaces, name, &number) ||
        word_table_find(&r->present, name_of(&named, words_of("Namespace"), (berth_str){0}, name),
                        &number);
    text_free(&named);
    return found;
}

/* A mistyped namespace would list nothing, which reads like a good answer. */
static void find_listed(const references *r, findings *f)
{
    uint32_t number;
    text_buffer text = {0};
    suggestion like;
    if (r->listed == NULL || has_namespace(r, words_of(r->listed)))
        return;
    suggestion_begin(&like, r->listed);
    for (number = 0; number < r->namespaces.count; number++)
        suggestion_offer(&like, word_table_get(&r->namespaces, number).data);
    const char *best = suggestion_end(&like);
    text_add(&text, "the input has no namespace '%s', so nothing is listed", r->listed);
    if (best != NULL)
        text_add(&text, ": did you mean '%s'?", best);
    findings_add(f, FINDING_VALUE, text_str(&text), NULL, 1);
    text_free(&text);
}

void references_end(const references *r, findings *f)
{
    uint32_t number;
    find_listed(r, f);
    for (uint32_t i = 0; i < r->wanted.count; i++) {
        berth_str key = word_table_get(&r->wanted, i);
        berth_str named = {key.data + 1, key.len - 1};
        if (r->items[i].count == 0 || word_table_find(&r->present, named, &number))
            continue;
        if (r->items[i].kind == FINDING_HOME)
            find_home(r, named, r->items[i].count, f);
        else
            findings_add(f, r->items[i].kind, named, NULL, r->items[i].count);
    }
    find_namespaces(r, f);
    find_workloads(r, f);
    if (r->csi_volumes > 0 && r->csi_nodes == 0 && r->nodes > 0)
        findings_add(f, FINDING_CSI_NODE,
                     words_of("the input has volumes of CSI drivers and no CSINode: how many a "
                              "node takes is not limited"),
                     NULL, 1);
    if (r->device_claims > 0 && r->slices == 0 && r->nodes > 0)
        findings_add(f, FINDING_SLICES,
                     words_of("the input has ResourceClaims without devices and no ResourceSlice: "
                              "no node offers a device"),
                     NULL, 1);
    if (r->wants_budgets && r->budgets == 0)
        findings_add(f, FINDING_BUDGETS,
                     words_of("the input has no PodDisruptionBudget: no pod is kept by one"), NULL,
                     1);
}

void references_free(references *r)
{
    word_table_free(&r->present);
    word_table_free(&r->wanted);
    word_table_free(&r->namespaces);
    word_table_free(&r->owners);
    word_table_free(&r->workloads);
    free(r->items);
    free(r->namespace_pods);
}
