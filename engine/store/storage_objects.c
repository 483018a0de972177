/* Compiles storage objects (volumes, claims, classes, CSI nodes) into interned facts. */
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/selector_problems.h"
#include "objects/object_copy.h"
#include "store/device_facts.h"
#include "store/storage.h"

/* ---- reading metadata ---- */

/* The value under `key`; `data` is NULL if the map lacks it. */
static berth_str value_of(berth_map map, const char *key)
{
    for (uint32_t i = 0; i < map.count; i++)
        if (berth__str_is(map.entries[i].key, key))
            return map.entries[i].value.data != NULL ? map.entries[i].value : BERTH_STR("");
    return (berth_str){0};
}

static berth__sym intern(berth__storage *storage, berth_str text, bool *ok)
{
    return berth__intern_add(&storage->model->strings, text, ok);
}

/* Absent and empty texts are both 0. */
static berth__sym intern_filled(berth__storage *storage, berth_str text, bool *ok)
{
    return text.len > 0 ? intern(storage, text, ok) : 0;
}

/* The deprecated annotation has precedence over the field. */
static berth__sym class_of(berth__storage *storage, const berth_metadata *meta, berth_str field,
                           bool *ok)
{
    berth_str old = value_of(meta->annotations, "volume.beta.kubernetes.io/storage-class");
    return intern_filled(storage, old.data != NULL ? old : field, ok);
}

static const berth__sym *intern_all(berth__storage *storage, berth__arena *arena, berth_strs texts,
                                    bool *ok)
{
    berth__sym *syms = berth__arena_alloc(arena, texts.count * sizeof(*syms), sizeof(*syms));
    if (syms == NULL) {
        *ok = false;
        return NULL;
    }
    for (uint32_t i = 0; i < texts.count; i++)
        syms[i] = intern(storage, texts.items[i], ok);
    return syms;
}

/* An amount in whole units, rounded up. */
static __int128 units_of(berth_quantity amount)
{
    return (__int128)amount.units + (amount.nanos > 0);
}

static void read_attributes_class(berth__storage *storage, berth_str name,
                                  berth__attributes_class *out, bool *ok)
{
    bool supported = storage->model->behaviours.volume_attributes_classes;
    out->name = supported ? intern_filled(storage, name, ok) : 0;
    out->unsupported = !supported && name.len > 0;
}

/* ---- claims ---- */

static berth__sym controller_uid(berth__storage *storage, const berth_metadata *meta, bool *ok)
{
    for (uint32_t i = 0; i < meta->owner_count; i++)
        if (meta->owners[i].controller)
            return intern_filled(storage, meta->owners[i].uid, ok);
    return 0;
}

/* Note why the claim can't be matched with volumes, in kube-scheduler's words. */
static void note_problem(berth__storage *storage, const berth_persistent_volume_claim *source,
                         berth__claim_facts *out, bool *ok)
{
    berth__arena *arena = &out->head.arena;
    const berth_metadata *meta = &source->meta;
    berth_str space = meta->namespace_name, why = {0};
    if (space.len == 0)
        space = BERTH_STR("default");
    if (out->selector.kind == BERTH__SELECTOR_INVALID)
        why = berth__selector_problem(arena, &storage->model->behaviours, source->selector, ok);
    else if (!out->attributes.unsupported)
        return;
    size_t bytes = (size_t)space.len + meta->name.len + why.len + 160;
    char *text = berth__arena_alloc(arena, bytes, 1);
    if (text == NULL) {
        *ok = false;
        return;
    }
    int len =
        out->attributes.unsupported
            ? snprintf(text, bytes,
                       "unsupported volumeAttributesClassName is set on claim %.*s/%.*s when the "
                       "feature-gate VolumeAttributesClass is disabled",
                       (int)space.len, space.data, (int)meta->name.len, meta->name.data)
            : snprintf(text, bytes,
                       "error creating internal label selector for claim: %.*s/%.*s: %.*s",
                       (int)space.len, space.data, (int)meta->name.len, meta->name.data,
                       (int)why.len, why.data);
    out->problem = (berth_str){text, (uint32_t)len};
}

/* The BERTH__OFFERS_ bits of access modes and volumeMode. */
static uint8_t mode_bits(berth_strs modes, bool block, bool *all_known)
{
    static const struct {
        const char *mode;
        uint8_t bit;
    } known[] = {
        {"ReadWriteOnce", BERTH__OFFERS_ONCE},
        {"ReadOnlyMany", BERTH__OFFERS_READ},
        {"ReadWriteMany", BERTH__OFFERS_MANY},
        {"ReadWriteOncePod", BERTH__OFFERS_ONE_POD},
    };
    uint8_t bits = block ? BERTH__OFFERS_BLOCK : 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < modes.count; i++)
        for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
            if (berth__str_is(modes.items[i], known[k].mode)) {
                bits |= known[k].bit;
                found++;
            }
    *all_known = found == modes.count;
    return bits;
}

static void compile_claim(berth__storage *storage, const berth_persistent_volume_claim *source,
                          berth__claim_facts *out, bool *ok)
{
    berth__arena *arena = &out->head.arena;
    berth_str node = value_of(source->meta.annotations, "volume.kubernetes.io/selected-node");
    out->uid = intern_filled(storage, source->meta.uid, ok);
    out->owner_uid = controller_uid(storage, &source->meta, ok);
    out->class_name = class_of(storage, &source->meta, source->storage_class, ok);
    out->specified_class = intern_filled(storage, source->storage_class, ok);
    out->volume_name = intern_filled(storage, source->volume_name, ok);
    out->selected_node = intern(storage, node, ok);
    out->access_modes = intern_all(storage, arena, source->access_modes, ok);
    out->access_mode_count = source->access_modes.count;
    out->block = berth__str_is(source->volume_mode, "Block");
    read_attributes_class(storage, source->volume_attributes_class, &out->attributes, ok);
    bool all_known;
    out->asks = mode_bits(source->access_modes, out->block, &all_known);
    out->asks_more = !all_known || source->selector != NULL || out->attributes.name != 0;
    out->bind_completed =
        value_of(source->meta.annotations, "pv.kubernetes.io/bind-completed").data != NULL;
    out->lost = berth__str_is(source->phase, "Lost");
    out->deleting = source->meta.deleting;
    out->has_selector = source->selector != NULL;
    out->selector = berth__selector_make(&storage->model->strings, arena, source->selector, ok);
    note_problem(storage, source, out, ok);
    out->request = berth__amount_nanos(source->request);
}

/* ---- volumes ---- */

/* kube-scheduler shows only a node's labels to a volume's node affinity, so fields always match. */
static void drop_fields(berth__interned_node_selector selector, berth__node_term *terms)
{
    for (uint32_t i = 0; i < selector.count; i++)
        terms[i].field_count = 0;
}

berth__interned_node_selector berth__storage_affinity(berth__storage *storage, berth__arena *arena,
                                                      const berth_node_selector *source, bool *ok)
{
    berth__interned_node_selector made =
        berth__node_selector_make(&storage->model->strings, arena, source, ok);
    berth__node_term *terms =
        berth__arena_alloc(arena, made.count * sizeof(*terms), _Alignof(berth__node_term));
    if (terms == NULL) {
        *ok = false;
        return made;
    }
    if (made.count > 0)
        memcpy(terms, made.terms, made.count * sizeof(*terms));
    drop_fields(made, terms);
    return (berth__interned_node_selector){terms, made.count};
}

/* Read the items of a zone label: a list joined by "__", with blanks around items dropped. An empty
 * item makes the whole label invalid. Source: component-helpers v0.32,
 * cloud-provider/volume/helpers, LabelZonesToSet. */
static void read_zones(berth__storage *storage, berth__arena *arena, berth_str label,
                       berth__zone_set *out, bool *ok)
{
    berth__sym *values =
        berth__arena_alloc(arena, (label.len / 2 + 1) * sizeof(*values), sizeof(*values));
    if (values == NULL) {
        *ok = false;
        return;
    }
    uint32_t count = 0, begin = 0;
    while (begin <= label.len) {
        uint32_t end = begin;
        while (end < label.len && !(end + 1 < label.len && memcmp(label.data + end, "__", 2) == 0))
            end++;
        berth_str item = {label.data + begin, end - begin};
        while (item.len > 0 && strchr(" \t\n\v\f\r", item.data[0]) != NULL) {
            item.data++;
            item.len--;
        }
        while (item.len > 0 && strchr(" \t\n\v\f\r", item.data[item.len - 1]) != NULL)
            item.len--;
        if (item.len == 0)
            return;
        values[count++] = intern(storage, item, ok);
        begin = end + 2;
        if (end == label.len)
            break;
    }
    *out = (berth__zone_set){values, count};
}

static void compile_zones(berth__storage *storage, const berth_metadata *meta, berth__pv_facts *out,
                          bool *ok)
{
    static const char *const keys[BERTH__ZONE_LABELS] = {
        [BERTH__ZONE_BETA] = "failure-domain.beta.kubernetes.io/zone",
        [BERTH__REGION_BETA] = "failure-domain.beta.kubernetes.io/region",
        [BERTH__ZONE] = "topology.kubernetes.io/zone",
        [BERTH__REGION] = "topology.kubernetes.io/region",
    };
    for (uint32_t i = 0; i < BERTH__ZONE_LABELS; i++) {
        berth_str label = value_of(meta->labels, keys[i]);
        if (label.data != NULL)
            read_zones(storage, &out->head.arena, label, &out->zones[i], ok);
    }
}

/* A claimRef refers to a claim by namespace and name, whether or not the claim exists. */
static void compile_claim_ref(berth__storage *storage, const berth_persistent_volume *source,
                              berth__pv_facts *out, bool *ok)
{
    out->has_claim_ref = source->has_claim_ref;
    if (!source->has_claim_ref)
        return;
    out->claim_namespace = intern(storage, source->claim_namespace, ok);
    out->claim_name = intern(storage, source->claim_name, ok);
    out->claim_uid = intern_filled(storage, source->claim_uid, ok);
}

static void compile_pv(berth__storage *storage, const berth_persistent_volume *source,
                       berth__pv_facts *out, bool *ok)
{
    berth__arena *arena = &out->head.arena;
    out->class_name = class_of(storage, &source->meta, source->storage_class, ok);
    out->specified_class = intern_filled(storage, source->storage_class, ok);
    out->has_affinity = source->node_affinity != NULL;
    if (out->has_affinity)
        out->affinity = berth__storage_affinity(storage, arena, source->node_affinity, ok);
    out->labels = berth__labels_make(&storage->model->strings, arena, source->meta.labels, ok);
    compile_zones(storage, &source->meta, out, ok);
    out->access_modes = intern_all(storage, arena, source->access_modes, ok);
    out->access_mode_count = source->access_modes.count;
    out->block = berth__str_is(source->volume_mode, "Block");
    read_attributes_class(storage, source->volume_attributes_class, &out->attributes, ok);
    bool all_known; /* modes that only this volume knows are ones that claims with `asks` lack */
    out->offers = mode_bits(source->access_modes, out->block, &all_known);
    out->offers |= out->attributes.name != 0 ? BERTH__OFFERS_CLASS : 0;
    out->offers |= out->specified_class == out->class_name ? BERTH__ITEM_TELLS : 0;
    out->deleting = source->meta.deleting;
    out->available = berth__str_is(source->phase, "Available");
    compile_claim_ref(storage, source, out, ok);
    out->is_csi = source->source.kind == BERTH_VOLUME_CSI;
    out->capacity = berth__amount_nanos(source->capacity);
    if (*ok)
        berth__storage_identify_pv(storage, source, out, ok);
}

/* ---- classes ---- */

/* allowedTopologies as a node selector. A malformed requirement makes its term match nothing. */
static berth__node_term topology_term(berth__storage *storage, berth__arena *arena,
                                      const berth_topology_term *source, bool *ok)
{
    uint32_t count = source->expressions.count;
    berth_requirement *items =
        berth__arena_alloc(&storage->model->scratch, count * sizeof(*items), 8);
    if (items == NULL) {
        *ok = false;
        return (berth__node_term){0};
    }
    for (uint32_t i = 0; i < count; i++) {
        items[i] = source->expressions.items[i];
        items[i].op = BERTH_STR("In");
    }
    const berth_node_selector_term term = {.match_expressions = {items, count}};
    return berth__node_term_make(&storage->model->strings, arena, &term, ok);
}

static void compile_class(berth__storage *storage, const berth_storage_class *source,
                          berth__storage_class_facts *out, bool *ok)
{
    berth__arena *arena = &out->head.arena;
    uint32_t count = source->allowed_topology_count;
    out->provisioner = intern_filled(storage, source->provisioner, ok);
    out->provisions = source->provisioner.len > 0 &&
                      !berth__str_is(source->provisioner, "kubernetes.io/no-provisioner");
    out->mode = source->binding_mode.data == NULL ? BERTH__BINDING_UNSET
                : berth__str_is(source->binding_mode, "WaitForFirstConsumer")
                    ? BERTH__BINDING_WAIT
                    : BERTH__BINDING_IMMEDIATE;
    berth__storage_identify_class(storage, source, out, ok);
    out->restricted = count > 0;
    berth__node_term *terms =
        berth__arena_alloc(arena, count * sizeof(*terms), _Alignof(berth__node_term));
    if (terms == NULL) {
        *ok = false;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        terms[i] = topology_term(storage, arena, &source->allowed_topologies[i], ok);
    out->topologies = (berth__interned_node_selector){terms, count};
}

/* ---- what drivers publish ---- */

static void compile_capacity(berth__storage *storage, const berth_csi_storage_capacity *source,
                             berth__capacity_facts *out, bool *ok)
{
    berth__selector selector =
        berth__selector_make(&storage->model->strings, &out->head.arena, source->node_topology, ok);
    out->class_name = intern_filled(storage, source->storage_class, ok);
    out->limit =
        units_of(source->has_maximum_volume_size ? source->maximum_volume_size : source->capacity);
    out->capacity = source->has_capacity ? (int64_t)units_of(source->capacity) : 0;
    out->everywhere = selector.kind == BERTH__SELECTOR_EVERYTHING;
    out->usable = (source->has_maximum_volume_size || source->has_capacity) &&
                  (out->everywhere || selector.kind == BERTH__SELECTOR_REQUIREMENTS);
    out->term = (berth__node_term){
        .valid = true, .expressions = selector.items, .expression_count = selector.count};
    out->chooses = (berth__interned_node_selector){&out->term, 1};
}

const berth__driver_limit *berth__csi_limit(const berth__csi_node_facts *facts, berth__sym driver)
{
    uint32_t place;
    BERTH__SEARCH(place, facts->limit_count, i, facts->limits[i].driver < driver);
    return place < facts->limit_count && facts->limits[place].driver == driver
               ? &facts->limits[place]
               : NULL;
}

bool berth__csi_installed(const berth__csi_node_facts *facts, berth__sym driver)
{
    uint32_t i = 0;
    while (i < facts->driver_count && facts->drivers[i] < driver)
        i++;
    return i < facts->driver_count && facts->drivers[i] == driver;
}

static void compile_csi_node(berth__storage *storage, const berth_csi_node *source,
                             berth__csi_node_facts *out, bool *ok)
{
    berth__driver_limit *limits =
        berth__arena_alloc(&out->head.arena, source->driver_count * sizeof(*limits), 8);
    uint64_t *order =
        berth__arena_alloc(&out->head.arena, source->driver_count * sizeof(*order), 8);
    uint64_t *drivers =
        berth__arena_alloc(&out->head.arena, source->driver_count * sizeof(*drivers), 8);
    uint32_t count = 0;
    if (limits == NULL || order == NULL || drivers == NULL) {
        *ok = false;
        return;
    }
    for (uint32_t i = 0; i < source->driver_count; i++)
        drivers[i] = intern(storage, source->drivers[i].name, ok);
    berth__sort_words(drivers, source->driver_count);
    out->drivers = drivers;
    out->driver_count = source->driver_count;
    for (uint32_t i = 0; i < source->driver_count; i++)
        if (source->drivers[i].has_count)
            order[count++] = (uint64_t)intern(storage, source->drivers[i].name, ok) << 32 | i;
    berth__sort_words(order, count);
    for (uint32_t i = 0; i < count; i++) {
        berth__sym driver = (berth__sym)(order[i] >> 32);
        if (i + 1 < count && order[i + 1] >> 32 == driver)
            continue; /* if a driver occurs twice, the last entry counts */
        limits[out->limit_count++] =
            (berth__driver_limit){driver, source->drivers[(uint32_t)order[i]].count};
    }
    out->limits = limits;
    out->migrated = berth__storage_migrated_plugins(
        value_of(source->meta.annotations, "storage.alpha.kubernetes.io/migrated-plugins"));
    if (storage->model->behaviours.portworx_migrated)
        out->migrated |= 1u << BERTH__IN_TREE_PORTWORX;
}

static void compile_attachment(berth__storage *storage, const berth_volume_attachment *source,
                               berth__attachment_facts *out, bool *ok)
{
    out->attacher = intern_filled(storage, source->attacher, ok);
    out->node_name = intern_filled(storage, source->node_name, ok);
    out->volume_name = intern_filled(storage, source->persistent_volume, ok);
}

/* ---- objects of any kind ---- */

static size_t facts_bytes(berth_kind kind)
{
    switch (kind) {
    case BERTH_KIND_STORAGE_CLASS:
        return sizeof(berth__storage_class_facts);
    case BERTH_KIND_CSI_DRIVER:
        return sizeof(berth__csi_driver_facts);
    case BERTH_KIND_CSI_NODE:
        return sizeof(berth__csi_node_facts);
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        return sizeof(berth__capacity_facts);
    case BERTH_KIND_PERSISTENT_VOLUME:
        return sizeof(berth__pv_facts);
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        return sizeof(berth__claim_facts);
    case BERTH_KIND_RESOURCE_SLICE:
        return sizeof(berth__slice_facts);
    case BERTH_KIND_DEVICE_CLASS:
        return sizeof(berth__device_class_facts);
    case BERTH_KIND_RESOURCE_CLAIM:
        return sizeof(berth__device_claim_facts);
    case BERTH_KIND_DEVICE_TAINT_RULE:
        return sizeof(berth__taint_rule_facts);
    default:
        return sizeof(berth__attachment_facts);
    }
}

static bool compile(berth__storage *storage, const berth_object *object, void *out)
{
    bool ok = true;
    switch (object->kind) {
    case BERTH_KIND_STORAGE_CLASS:
        compile_class(storage, object->as.storage_class, out, &ok);
        break;
    case BERTH_KIND_CSI_DRIVER:
        ((berth__csi_driver_facts *)out)->storage_capacity =
            object->as.csi_driver->storage_capacity;
        ((berth__csi_driver_facts *)out)->must_be_installed =
            object->as.csi_driver->prevent_pod_scheduling_if_missing;
        break;
    case BERTH_KIND_CSI_NODE:
        compile_csi_node(storage, object->as.csi_node, out, &ok);
        break;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        compile_capacity(storage, object->as.csi_storage_capacity, out, &ok);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME:
        compile_pv(storage, object->as.persistent_volume, out, &ok);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        compile_claim(storage, object->as.persistent_volume_claim, out, &ok);
        break;
    case BERTH_KIND_RESOURCE_SLICE:
        berth__storage_compile_slice(storage, object->as.resource_slice, out, &ok);
        break;
    case BERTH_KIND_DEVICE_CLASS:
        berth__storage_compile_device_class(storage, object->as.device_class, out, &ok);
        break;
    case BERTH_KIND_DEVICE_TAINT_RULE:
        berth__storage_compile_taint_rule(storage, object->as.device_taint_rule, out, &ok);
        break;
    case BERTH_KIND_RESOURCE_CLAIM:
        berth__storage_compile_device_claim(storage, object->as.resource_claim, out, &ok);
        break;
    default:
        compile_attachment(storage, object->as.volume_attachment, out, &ok);
        break;
    }
    return ok;
}

berth__stored_facts *berth__storage_compile(berth__storage *storage, const berth_object *object)
{
    size_t bytes = facts_bytes(object->kind);
    berth__arena arena;
    berth__arena_reset(&storage->model->scratch);
    berth__arena_init_sized(&arena, storage->model->allocator, bytes + 256);
    berth__stored_facts *facts = berth__arena_alloc_zero(&arena, bytes, 16);
    if (facts == NULL) {
        berth__arena_destroy(&arena);
        return NULL;
    }
    facts->arena = arena;
    bool ok = compile(storage, object, facts) &&
              berth__object_keep(storage->model->keep_objects, &facts->arena, object, &facts->kept);
    arena = facts->arena; /* the arena may have grown */
    if (ok)
        return facts;
    berth__arena_destroy(&arena);
    return NULL;
}
