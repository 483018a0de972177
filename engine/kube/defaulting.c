/* What an API server and its admission plugins add to a manifest, as far as placement reads it.
 * Each rule is a function that replaces the part that it changes by a changed copy. Sources:
 * kubernetes v1.32 pkg/apis/core/v1/defaults.go, pkg/apis/storage/v1/defaults.go,
 * pkg/registry/core/pod/strategy.go (matchLabelKeys), plugin/pkg/admission/priority,
 * plugin/pkg/admission/storage/storageclass. */
#include "kube/reader_state.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

typedef struct defaulter {
    berth_reader *reader;
    berth__arena *arena;
    const berth__field_path *path; /* of the pod specification */
    const berth__json *spec;
} defaulter;

/* A copy of `count` elements with room for `extra` more; NULL when out of memory. */
static void *copy_array(berth__arena *arena, const void *from, uint32_t count, uint32_t extra,
                        size_t size)
{
    void *copy = berth__arena_alloc_zero(arena, ((size_t)count + extra) * size, 8);
    if (copy != NULL && count > 0)
        memcpy(copy, from, count * size);
    return copy;
}

bool berth__is_fresh(const berth_reader *reader, const berth_metadata *meta)
{
    return reader->options.apply_defaults && berth__str_empty(meta->uid);
}

/* ---- classes ---- */

static const berth__priority_class builtin_classes[] = {
    {{"system-cluster-critical", 23}, 2000000000, {0}, false},
    {{"system-node-critical", 20}, 2000001000, {0}, false},
};

static berth__priority_class *find_kept_class(const berth_reader *reader, berth_str name)
{
    uint32_t found = berth__names_find(&reader->class_names, name);
    return found != BERTH__NAMES_NONE ? &reader->classes[found] : NULL;
}

static const berth__priority_class *find_class(const berth_reader *reader, berth_str name)
{
    const berth__priority_class *found = NULL;
    for (; found == NULL && reader != NULL; reader = reader->options.known)
        found = find_kept_class(reader, name);
    for (size_t i = 0; found == NULL && i < 2; i++) {
        if (berth__str_eq(builtin_classes[i].name, name))
            found = &builtin_classes[i];
    }
    return found;
}

/* The class of pods that name none: the lowest of the default classes, as in the admission
 * plugin. */
static const berth__priority_class *find_global_class(const berth_reader *reader)
{
    while (reader != NULL && reader->global_class == 0)
        reader = reader->options.known;
    return reader != NULL ? &reader->classes[reader->global_class - 1] : NULL;
}

/* Account for a new class, or (`anew`) for one that replaced a default class. */
static void note_global_class(berth_reader *reader, uint32_t from, bool anew)
{
    uint32_t to = anew ? reader->class_count : from + 1;
    if (anew)
        reader->global_class = from = 0;
    for (uint32_t i = from; i < to; i++) {
        const berth__priority_class *class = &reader->classes[i];
        const berth__priority_class *best =
            reader->global_class > 0 ? &reader->classes[reader->global_class - 1] : NULL;
        if (class->global_default && (best == NULL || class->value < best->value ||
                                      (class->value == best->value && class < best)))
            reader->global_class = i + 1;
    }
}

/* Put a class in the place of another, or (NULL) add it. */
static bool keep_class(berth_reader *reader, berth__priority_class *place,
                       const berth__priority_class *class)
{
    if (place != NULL) {
        bool was_default = place->global_default;
        *place = *class;
        note_global_class(reader, (uint32_t)(place - reader->classes), was_default);
        return true;
    }
    if (!berth__grow(reader->allocator, &reader->classes, &reader->class_capacity,
                     reader->class_count + 1, sizeof(*reader->classes)))
        return false;
    reader->classes[reader->class_count] = *class;
    if (!berth__names_follow(&reader->kept, &reader->class_names, reader->classes,
                             sizeof(*reader->classes), reader->class_count + 1))
        return false;
    berth__names_put(&reader->class_names);
    note_global_class(reader, reader->class_count++, false);
    return true;
}

berth_status berth__register_priority_class(berth_reader *reader, const berth__item *item)
{
    bool ok = true;
    berth__priority_class_object object = {0};
    berth__decoder decoder = {&reader->object, reader->error};
    reader->classes_learnt++;
    berth_status status = berth__decode_fields(&decoder, NULL, item->tree,
                                               berth__admission_fields_priority_class, &object);
    if (status != BERTH_OK)
        return berth__reader_fault(reader, item, status);
    object.class.name = berth__arena_str(&reader->kept, object.meta.name, &ok);
    object.class.preemption_policy =
        berth__arena_str(&reader->kept, object.class.preemption_policy, &ok);
    if (!ok || !keep_class(reader, find_kept_class(reader, object.meta.name), &object.class))
        return berth__reader_no_memory(reader);
    return BERTH_OK;
}

static berth_str named_class(const berth__json *spec)
{
    const berth__json *name = berth__json_get(spec, "priorityClassName");
    return name != NULL && name->type == BERTH__JSON_STRING ? name->as.text : (berth_str){0};
}

bool berth__priority_class_is_awaited(const berth_reader *reader, const berth__json *spec)
{
    berth_str name = named_class(spec);
    return reader->options.apply_defaults && !reader->finishing && !berth__str_empty(name) &&
           berth__json_get(spec, "priority") == NULL && find_class(reader, name) == NULL;
}

/* The default class is the newest one marked as default, and among equals the first by name. */
berth_status berth__register_storage_class(berth_reader *reader, const berth_storage_class *object)
{
    bool marked = false;
    bool ok = true;
    for (uint32_t i = 0; i < object->meta.annotations.count; i++) {
        const berth_key_value *entry = &object->meta.annotations.entries[i];
        marked = marked ||
                 ((berth__str_is(entry->key, "storageclass.kubernetes.io/is-default-class") ||
                   berth__str_is(entry->key, "storageclass.beta.kubernetes.io/is-default-class")) &&
                  berth__str_is(entry->value, "true"));
    }
    berth_str before = reader->default_storage_class;
    int64_t time = object->meta.creation_time_ns;
    bool newer = before.data == NULL || time > reader->default_storage_class_time ||
                 (time == reader->default_storage_class_time &&
                  berth__str_cmp(object->meta.name, before) < 0);
    if (!marked || !newer)
        return BERTH_OK;
    reader->default_storage_class = berth__arena_str(&reader->kept, object->meta.name, &ok);
    reader->default_storage_class_time = time;
    return ok ? BERTH_OK : berth__reader_no_memory(reader);
}

/* ---- amounts ---- */

/* The API server keeps no amounts finer than a thousandth. */
static berth_quantity round_up_milli(berth_quantity amount)
{
    int32_t rest = amount.nanos % 1000000;
    if (rest == 0)
        return amount;
    amount.nanos += 1000000 - rest;
    if (amount.nanos == 1000000000 && amount.units < INT64_MAX) {
        amount.nanos = 0;
        amount.units++;
    }
    return amount;
}

static bool round_amounts(berth__arena *arena, berth_resources *resources)
{
    berth_resource *copy = NULL;
    for (uint32_t i = 0; i < resources->count; i++) {
        if (resources->items[i].amount.nanos % 1000000 == 0)
            continue;
        if (copy == NULL)
            copy = copy_array(arena, resources->items, resources->count, 0, sizeof(*copy));
        if (copy == NULL)
            return false;
        copy[i].amount = round_up_milli(copy[i].amount);
    }
    if (copy != NULL)
        resources->items = copy;
    return true;
}

static bool has_name(const berth__names *names, berth_str name)
{
    return berth__names_find(names, name) != BERTH__NAMES_NONE;
}

/* A limit without a request is also the request. */
static bool requests_from_limits(berth__arena *arena, berth_container *container)
{
    uint32_t given = container->requests.count;
    uint32_t missing = 0;
    berth__names names;
    if (!berth__names_make(arena, container->requests.items, sizeof(*container->requests.items),
                           given, given, &names))
        return false;
    for (uint32_t i = 0; i < container->limits.count; i++)
        missing += !has_name(&names, container->limits.items[i].name);
    if (missing == 0)
        return true;
    berth_resource *items =
        copy_array(arena, container->requests.items, given, missing, sizeof(*items));
    if (items == NULL)
        return false;
    uint32_t count = given;
    for (uint32_t i = 0; i < container->limits.count; i++) {
        if (!has_name(&names, container->limits.items[i].name))
            items[count++] = container->limits.items[i];
    }
    container->requests = (berth_resources){items, count};
    return true;
}

/* ---- containers ---- */

static bool default_ports(berth__arena *arena, berth_container *container, bool host_network)
{
    berth_port *ports =
        copy_array(arena, container->ports, container->port_count, 0, sizeof(*ports));
    if (ports == NULL)
        return false;
    for (uint32_t i = 0; i < container->port_count; i++) {
        if (berth__str_empty(ports[i].protocol))
            ports[i].protocol = BERTH_STR("TCP");
        if (host_network && ports[i].host_port == 0)
            ports[i].host_port = ports[i].container_port;
    }
    container->ports = ports;
    return true;
}

static berth_status default_containers(defaulter *d, const berth_container **containers,
                                       uint32_t count)
{
    const berth__json *host = berth__json_get(d->spec, "hostNetwork");
    bool host_network = host != NULL && host->type == BERTH__JSON_BOOL && host->count != 0;
    berth_container *copy = copy_array(d->arena, *containers, count, 0, sizeof(*copy));
    bool ok = copy != NULL;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = requests_from_limits(d->arena, &copy[i]) &&
             round_amounts(d->arena, &copy[i].requests) &&
             round_amounts(d->arena, &copy[i].limits) &&
             (copy[i].port_count == 0 || default_ports(d->arena, &copy[i], host_network));
    if (!ok)
        return berth__reader_no_memory(d->reader);
    *containers = copy;
    return BERTH_OK;
}

/* ---- priority ---- */

/* An API server refuses a pod whose class does not exist; a dump may lack classes that the server
 * has. */
static void default_priority(defaulter *d, berth_pod *pod)
{
    berth_str name = named_class(d->spec);
    const berth__priority_class *class =
        berth__str_empty(name) ? find_global_class(d->reader) : find_class(d->reader, name);
    if (class == NULL && !berth__str_empty(name) && !pod->has_priority) {
        berth__note(d->reader, d->reader->item, BERTH_NOTE_PRIORITY_CLASS_MISSING, name,
                    (berth_str){0});
    }
    if (!pod->has_priority) {
        pod->has_priority = true;
        pod->priority = class != NULL ? class->value : 0;
    }
    if (berth__str_empty(pod->preemption_policy))
        pod->preemption_policy = class != NULL && !berth__str_empty(class->preemption_policy)
                                     ? class->preemption_policy
                                     : BERTH_STR("PreemptLowerPriority");
}

/* ---- matchLabelKeys of pod affinity ---- */

typedef struct term_keys {
    berth_strs match;
    berth_strs mismatch;
} term_keys;

static const berth__field term_keys_fields[] = {
    BERTH__FIELD("matchLabelKeys", STRS, term_keys, match),
    BERTH__FIELD("mismatchLabelKeys", STRS, term_keys, mismatch),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field weighted_term_keys_fields[] = {
    BERTH__FIELD_SAME("podAffinityTerm", term_keys_fields),
    BERTH__FIELD_AND_OTHERS,
};

/* Require (or forbid) the pod's own value of each key that the pod has a label for. */
static void add_requirements(const berth_pod *pod, berth_strs keys, const char *op,
                             berth_requirement *items, uint32_t *count)
{
    for (uint32_t k = 0; k < keys.count; k++) {
        for (uint32_t i = 0; i < pod->meta.labels.count; i++) {
            const berth_key_value *label = &pod->meta.labels.entries[i];
            if (!berth__str_eq(label->key, keys.items[k]))
                continue;
            items[(*count)++] =
                (berth_requirement){label->key, berth__text_of(op), {&label->value, 1}};
        }
    }
}

static bool merge_keys(defaulter *d, const berth_pod *pod, const term_keys *keys,
                       berth_pod_affinity_term *term)
{
    uint32_t most = keys->match.count + keys->mismatch.count;
    if (most == 0 || term->label_selector == NULL)
        return true;
    berth_label_selector *selector =
        copy_array(d->arena, term->label_selector, 1, 0, sizeof(*selector));
    if (selector == NULL)
        return false;
    berth_requirements *expressions = &selector->match_expressions;
    berth_requirement *items =
        copy_array(d->arena, expressions->items, expressions->count, most, sizeof(*items));
    if (items == NULL)
        return false;
    add_requirements(pod, keys->match, "In", items, &expressions->count);
    add_requirements(pod, keys->mismatch, "NotIn", items, &expressions->count);
    expressions->items = items;
    term->label_selector = selector;
    return true;
}

static berth_status merge_term_keys(defaulter *d, const berth__field_path *path,
                                    const berth__json *list, const berth__field *fields,
                                    const berth_pod *pod, const berth_pod_affinity_term **terms)
{
    berth__decoder decoder = {d->arena, d->reader->error};
    berth__decoded_list keys;
    if (list == NULL)
        return BERTH_OK;
    BERTH_TRY(berth__decode_list(&decoder, path, list, fields, sizeof(term_keys), &keys));
    berth_pod_affinity_term *copy = copy_array(d->arena, *terms, keys.count, 0, sizeof(*copy));
    bool ok = copy != NULL;
    for (uint32_t i = 0; ok && i < keys.count; i++)
        ok = merge_keys(d, pod, (const term_keys *)keys.items + i, &copy[i]);
    if (!ok)
        return berth__reader_no_memory(d->reader);
    *terms = copy;
    return BERTH_OK;
}

static berth_status default_affinity(defaulter *d, const char *key, const berth_pod *pod,
                                     berth_pod_affinity *affinity)
{
    static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
    static const char preferred[] = "preferredDuringSchedulingIgnoredDuringExecution";
    const berth__json *value = berth__json_get(berth__json_get(d->spec, "affinity"), key);
    if (value == NULL)
        return BERTH_OK;
    berth__field_path outer = {.up = d->path, .key = BERTH_STR("affinity")};
    berth__field_path inner = {.up = &outer, .key = berth__text_of(key)};
    berth__field_path at = {.up = &inner, .key = berth__text_of(required)};
    BERTH_TRY(merge_term_keys(d, &at, berth__json_get(value, required), term_keys_fields, pod,
                              &affinity->required));
    at.key = berth__text_of(preferred);
    return merge_term_keys(d, &at, berth__json_get(value, preferred), weighted_term_keys_fields,
                           pod, &affinity->preferred);
}

/* ---- whole objects ---- */

static void default_source(berth_volume_source *source)
{
    if (source->kind == BERTH_VOLUME_RBD && berth__str_empty(source->pool))
        source->pool = BERTH_STR("rbd");
    if (source->kind == BERTH_VOLUME_AZURE_DISK && source->disk_kind.data == NULL)
        source->disk_kind = BERTH_STR("Shared");
}

static berth_status default_volumes(defaulter *d, berth_pod *pod)
{
    berth_volume *copy = copy_array(d->arena, pod->volumes, pod->volume_count, 0, sizeof(*copy));
    if (copy == NULL)
        return berth__reader_no_memory(d->reader);
    for (uint32_t i = 0; i < pod->volume_count; i++)
        default_source(&copy[i].source);
    pod->volumes = copy;
    return BERTH_OK;
}

berth_status berth__default_pod(berth_reader *reader, const berth__field_path *path,
                                const berth__json *spec, berth__arena *arena, berth_pod *pod)
{
    defaulter d = {reader, arena, path, spec};
    BERTH_TRY(default_containers(&d, &pod->containers, pod->container_count));
    BERTH_TRY(default_containers(&d, &pod->init_containers, pod->init_container_count));
    if (!berth__default_pod_requests(d.arena, pod) || !round_amounts(d.arena, &pod->pod_requests) ||
        !round_amounts(d.arena, &pod->pod_limits))
        return berth__reader_no_memory(reader);
    default_priority(&d, pod);
    BERTH_TRY(berth__apply_runtime_class(reader, path, spec, arena, pod));
    BERTH_TRY(default_affinity(&d, "podAffinity", pod, &pod->pod_affinity));
    BERTH_TRY(default_affinity(&d, "podAntiAffinity", pod, &pod->pod_anti_affinity));
    BERTH_TRY(default_volumes(&d, pod));
    if (!round_amounts(arena, &pod->overhead))
        return berth__reader_no_memory(reader);
    if (berth__str_empty(pod->scheduler_name))
        pod->scheduler_name = BERTH_STR("default-scheduler");
    return BERTH_OK;
}

/* Every namespace has its name as a label. */
static berth_status default_namespace(berth_reader *reader, berth_namespace *object)
{
    static const berth_str key = {"kubernetes.io/metadata.name", 27};
    berth_map *labels = &object->meta.labels;
    for (uint32_t i = 0; i < labels->count; i++) {
        if (berth__str_eq(labels->entries[i].key, key))
            return BERTH_OK;
    }
    berth_key_value *copy =
        copy_array(&reader->object, labels->entries, labels->count, 1, sizeof(*copy));
    if (copy == NULL)
        return berth__reader_no_memory(reader);
    copy[labels->count] = (berth_key_value){key, object->meta.name};
    *labels = (berth_map){copy, labels->count + 1};
    return BERTH_OK;
}

static void default_volume(berth_persistent_volume *object)
{
    object->capacity = round_up_milli(object->capacity);
    default_source(&object->source);
    if (berth__str_empty(object->phase))
        object->phase = BERTH_STR("Available"); /* the volume controller sets it */
}

/* The annotation that was used before the field existed counts, too. */
bool berth__claim_has_class(const berth_persistent_volume_claim *object)
{
    bool named = object->storage_class.data != NULL;
    for (uint32_t i = 0; i < object->meta.annotations.count; i++)
        named = named || berth__str_is(object->meta.annotations.entries[i].key,
                                       "volume.beta.kubernetes.io/storage-class");
    return named;
}

static void default_claim(const berth_reader *reader, berth_persistent_volume_claim *object)
{
    object->request = round_up_milli(object->request);
    if (!berth__claim_has_class(object))
        object->storage_class = reader->default_storage_class;
    if (berth__str_empty(object->phase))
        object->phase = BERTH_STR("Pending");
}

/* What the admission plugin Priority does for a group, composite or not. */
static void default_group_priority(const berth_reader *reader, berth_str name, bool *given,
                                   int32_t *priority, berth_str *policy)
{
    const berth__priority_class *class =
        berth__str_empty(name) ? find_global_class(reader) : find_class(reader, name);
    if (class == NULL)
        return;
    if (berth__str_empty(*policy))
        *policy = class->preemption_policy;
    if (!*given)
        *priority = class->value;
    *given = true;
}

static void default_pod_group(const berth_reader *reader, berth_pod_group *group)
{
    default_group_priority(reader, group->priority_class, &group->has_priority, &group->priority,
                           &group->preemption_policy);
}

static void default_composite_group(const berth_reader *reader, berth_composite_pod_group *group)
{
    default_group_priority(reader, group->priority_class, &group->has_priority, &group->priority,
                           &group->preemption_policy);
}

static void default_storage_class(berth_storage_class *object)
{
    if (berth__str_empty(object->binding_mode))
        object->binding_mode = BERTH_STR("Immediate");
}

berth_status berth__default_object(berth_reader *reader, berth_kind kind, void *object)
{
    switch (kind) {
    case BERTH_KIND_NAMESPACE:
        return default_namespace(reader, object);
    case BERTH_KIND_NODE:
        return round_amounts(&reader->object, &((berth_node *)object)->allocatable)
                   ? BERTH_OK
                   : berth__reader_no_memory(reader);
    case BERTH_KIND_PERSISTENT_VOLUME:
        default_volume(object);
        return BERTH_OK;
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        default_claim(reader, object);
        return BERTH_OK;
    case BERTH_KIND_STORAGE_CLASS:
        default_storage_class(object);
        return BERTH_OK;
    case BERTH_KIND_POD_GROUP:
        default_pod_group(reader, object);
        return BERTH_OK;
    case BERTH_KIND_COMPOSITE_POD_GROUP:
        default_composite_group(reader, object);
        return BERTH_OK;
    default:
        return BERTH_OK;
    }
}
