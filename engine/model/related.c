/* Stores Services, controllers, Namespaces and groups of pods, and finds them by what refers to
 * them. */
#include "model/related.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"
#include "objects/object_copy.h"

/* ---- life ---- */

berth_status berth__related_create(berth__model *model, berth__related **out)
{
    berth__related *related =
        berth__alloc_zero(model->allocator, sizeof(*related), _Alignof(berth__related));
    if (related == NULL)
        return BERTH_E_NOMEM;
    related->model = model;
    related->epoch = related->namespace_epoch = berth__model_next_epoch(model);
    if (berth__keymap_init(&related->objects, model->allocator) != BERTH_OK ||
        berth__keymap_init(&related->lists, model->allocator) != BERTH_OK ||
        berth__label_index_init(&related->services, model->allocator) != BERTH_OK) {
        berth__related_destroy(related);
        return BERTH_E_NOMEM;
    }
    *out = related;
    return BERTH_OK;
}

/* Whether it lists the groups below a composite one. */
static bool is_family(const berth__related_list *list)
{
    return list->key.kind == BERTH_KIND_COUNT;
}

static void free_object(berth__related_object *object)
{
    berth__arena arena = object->arena; /* the object is part of it */
    berth__arena_destroy(&arena);
}

void berth__related_destroy(berth__related *related)
{
    if (related == NULL)
        return;
    const berth_allocator *allocator = related->model->allocator;
    for (uint32_t i = 0; related->lists.buckets != NULL && i < related->lists.bucket_count; i++)
        for (berth__keymap_entry *entry = related->lists.buckets[i], *next; entry != NULL;
             entry = next) {
            next = entry->next;
            berth__related_list *list = (berth__related_list *)entry;
            for (berth__related_object *object = is_family(list) ? NULL : list->first, *after;
                 object != NULL; object = after) {
                after = object->next;
                free_object(object);
            }
            berth__free(allocator, list, sizeof(*list));
        }
    berth__keymap_destroy(&related->objects);
    berth__keymap_destroy(&related->lists);
    berth__label_index_destroy(&related->services);
    berth__free(allocator, related, sizeof(*related));
}

/* ---- finding ---- */

static berth__related_object *find(const berth__related *related, berth_kind kind,
                                   berth__sym namespace_name, berth__sym name)
{
    const uint32_t key[3] = {(uint32_t)kind, namespace_name, name};
    return (berth__related_object *)berth__keymap_find(&related->objects, key, sizeof(key));
}

static berth__related_list *find_list(const berth__related *related, berth_kind kind,
                                      berth__sym namespace_name, berth__sym parent)
{
    const uint32_t key[3] = {(uint32_t)kind, namespace_name, parent};
    return (berth__related_list *)berth__keymap_find(&related->lists, key, sizeof(key));
}

const berth__related_object *berth__related_first(const berth__related *related, berth_kind kind,
                                                  berth__sym namespace_name)
{
    const berth__related_list *list = find_list(related, kind, namespace_name, 0);
    return list != NULL ? list->first : NULL;
}

const berth__related_object *berth__related_children(const berth__related *related,
                                                     berth__sym namespace_name, berth__sym parent)
{
    const berth__related_list *list = find_list(related, BERTH_KIND_COUNT, namespace_name, parent);
    return list != NULL ? list->first : NULL;
}

berth__labels berth__related_namespace(const berth__related *related, berth__sym name,
                                       bool *present)
{
    const berth__related_object *object = find(related, BERTH_KIND_NAMESPACE, 0, name);
    *present = object != NULL;
    return object != NULL ? object->labels : (berth__labels){0};
}

const berth__group_facts *berth__related_pod_group(const berth__related *related,
                                                   berth__sym namespace_name, berth__sym name)
{
    const berth__related_object *object = find(related, BERTH_KIND_POD_GROUP, namespace_name, name);
    return object != NULL ? &object->group : NULL;
}

const berth__group_facts *berth__related_composite(const berth__related *related,
                                                   berth__sym namespace_name, berth__sym name)
{
    const berth__related_object *object =
        find(related, BERTH_KIND_COMPOSITE_POD_GROUP, namespace_name, name);
    return object != NULL ? &object->group : NULL;
}

const berth__group_facts *berth__related_group(const berth__related *related,
                                               berth__sym namespace_name, berth__sym name,
                                               bool composite)
{
    return composite ? berth__related_composite(related, namespace_name, name)
                     : berth__related_pod_group(related, namespace_name, name);
}

bool berth__related_root(const berth__related *related, berth__sym namespace_name,
                         berth__sym pod_group, berth__sym *name, bool *composite)
{
    const berth__group_facts *facts = berth__related_pod_group(related, namespace_name, pod_group);
    *name = pod_group;
    *composite = false;
    for (uint32_t level = 1; facts != NULL && facts->parent != 0; level++) {
        if (level == BERTH__GROUP_LEVELS_MAX) {
            *name = pod_group;
            *composite = false;
            return false;
        }
        *name = facts->parent;
        *composite = true;
        facts = berth__related_composite(related, namespace_name, *name);
    }
    return facts != NULL;
}

void berth__related_visit_services(const berth__related *related, berth__sym namespace_name,
                                   berth__labels labels,
                                   bool (*visit)(void *context, void *service), void *context)
{
    berth__label_index_visit(&related->services, namespace_name, labels, visit, context);
}

/* ---- making objects ---- */

/* The selector that a plain map means. Kubernetes does not check these maps for validity. */
static berth__selector map_selector(berth__arena *arena, berth__labels labels, bool *ok)
{
    if (labels.count == 0)
        return (berth__selector){.kind = BERTH__SELECTOR_EVERYTHING};
    berth__interned_requirement *items = berth__arena_alloc_zero(
        arena, labels.count * sizeof(*items), _Alignof(berth__interned_requirement));
    if (items == NULL) {
        *ok = false;
        return (berth__selector){.kind = BERTH__SELECTOR_NOTHING};
    }
    for (uint32_t i = 0; i < labels.count; i++) {
        items[i].key = labels.items[i].key;
        items[i].op = BERTH__OP_IN;
        items[i].values = &labels.items[i].value;
        items[i].value_count = 1;
    }
    return (berth__selector){BERTH__SELECTOR_REQUIREMENTS, labels.count, items, {0}};
}

static void read_map(berth__related *related, berth__related_object *out, const berth_map *map,
                     bool *ok)
{
    if (map == NULL)
        return; /* nil stays NOTHING */
    out->labels = berth__labels_make(&related->model->strings, &out->arena, *map, ok);
    if (*ok)
        out->selector = map_selector(&out->arena, out->labels, ok);
}

/* The API allows a single topology. */
static berth__sym topology_of(berth__model *model, berth_strs keys, bool *ok)
{
    return keys.count > 0 ? berth__intern_add(&model->strings, keys.items[0], ok) : 0;
}

static berth__sym parent_of(berth__model *model, berth_str name, bool *ok)
{
    return name.data != NULL && model->behaviours.composite_pod_groups
               ? berth__intern_add(&model->strings, name, ok)
               : 0;
}

static berth__group_facts group_facts(berth__model *model, const berth_pod_group *group, bool *ok)
{
    return (berth__group_facts){
        .min_count = group->gang ? group->min_count : 1,
        .priority = group->has_priority ? group->priority : 0,
        .disrupts_all = group->disrupts_all,
        .never_preempts = berth__str_is(group->preemption_policy, "Never"),
        .constrained = group->constrained || group->topology_keys.count > 0,
        .topology = topology_of(model, group->topology_keys, ok),
        .parent = parent_of(model, group->parent, ok),
        .created_ns = group->meta.creation_time_ns,
    };
}

static berth__group_facts composite_facts(berth__model *model,
                                          const berth_composite_pod_group *group, bool *ok)
{
    return (berth__group_facts){
        .min_count = group->gang ? group->min_group_count : 1,
        .priority = group->has_priority ? group->priority : 0,
        .disrupts_all = group->disrupts_all,
        .never_preempts = berth__str_is(group->preemption_policy, "Never"),
        .topology = topology_of(model, group->topology_keys, ok),
        .parent = parent_of(model, group->parent, ok),
        .created_ns = group->meta.creation_time_ns,
    };
}

static void read_body(berth__related *related, berth__related_object *out,
                      const berth_object *source, bool *ok)
{
    const berth_service *service = source->as.service;
    const berth_label_selector *selector = NULL;
    switch (source->kind) {
    case BERTH_KIND_SERVICE:
        read_map(related, out, service->has_selector ? &service->selector : NULL, ok);
        break;
    case BERTH_KIND_REPLICATION_CONTROLLER:
        selector = source->as.replication_controller->selector;
        read_map(related, out, selector != NULL ? &selector->match_labels : NULL, ok);
        break;
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
        selector = source->kind == BERTH_KIND_REPLICA_SET ? source->as.replica_set->selector
                                                          : source->as.stateful_set->selector;
        out->selector = berth__selector_make(&related->model->strings, &out->arena, selector, ok);
        break;
    case BERTH_KIND_POD_GROUP:
        out->group = group_facts(related->model, source->as.pod_group, ok);
        break;
    case BERTH_KIND_COMPOSITE_POD_GROUP:
        out->group = composite_facts(related->model, source->as.composite_pod_group, ok);
        break;
    default:
        BERTH_ASSERT(source->kind == BERTH_KIND_NAMESPACE);
        out->labels = berth__labels_make(&related->model->strings, &out->arena,
                                         source->as.namespace_object->meta.labels, ok);
        break;
    }
}

static berth__sym namespace_of(berth__related *related, berth_kind kind, berth_str text, bool *ok)
{
    if (kind == BERTH_KIND_NAMESPACE)
        return 0;
    return text.len > 0 ? berth__intern_add(&related->model->strings, text, ok)
                        : related->model->known.default_namespace;
}

/* An empty object in an arena of its own. NULL when out of memory. */
static berth__related_object *new_object(const berth__related *related)
{
    berth__arena arena;
    berth__arena_init_sized(&arena, related->model->allocator, 512);
    berth__related_object *object =
        berth__arena_alloc_zero(&arena, sizeof(*object), _Alignof(berth__related_object));
    if (object == NULL)
        return NULL;
    object->arena = arena;
    object->entry.key = &object->key;
    object->entry.key_bytes = sizeof(object->key);
    return object;
}

/* Compile an object, without linking it. NULL when out of memory. */
static berth__related_object *make_object(berth__related *related, const berth_object *source)
{
    const berth_metadata *meta = source->as.any;
    bool ok = true;
    berth__related_object *object = new_object(related);
    if (object == NULL)
        return NULL;
    object->key.kind = (uint32_t)source->kind;
    object->key.namespace_name = namespace_of(related, source->kind, meta->namespace_name, &ok);
    berth_str name = meta->name.data != NULL ? meta->name : BERTH_STR("");
    object->key.name = berth__intern_add(&related->model->strings, name, &ok);
    read_body(related, object, source, &ok);
    if (ok &&
        berth__object_keep(related->model->keep_objects, &object->arena, source, &object->kept))
        return object;
    free_object(object);
    return NULL;
}

/* ---- lists and index ---- */

/* The list, which is made if there is none; NULL when out of memory. */
static berth__related_list *get_list(berth__related *related, berth_kind kind,
                                     berth__sym namespace_name, berth__sym parent)
{
    berth__related_list *list = find_list(related, kind, namespace_name, parent);
    if (list != NULL)
        return list;
    list =
        berth__alloc_zero(related->model->allocator, sizeof(*list), _Alignof(berth__related_list));
    if (list == NULL)
        return NULL;
    list->key.kind = (uint32_t)kind;
    list->key.namespace_name = namespace_name;
    list->key.parent = parent;
    list->entry.key = &list->key;
    list->entry.key_bytes = sizeof(list->key);
    berth__keymap_add(&related->lists, &list->entry);
    return list;
}

static berth__related_list *list_of(berth__related *related, const berth__related_object *object)
{
    return get_list(related, (berth_kind)object->key.kind, object->key.namespace_name, 0);
}

/* The list of an object's siblings; NULL: it has no parent. */
static berth__related_list *family_of(const berth__related *related,
                                      const berth__related_object *object)
{
    return object->group.parent == 0 ? NULL
                                     : find_list(related, BERTH_KIND_COUNT,
                                                 object->key.namespace_name, object->group.parent);
}

/* Make sure that an object can join its siblings. False when out of memory. */
static bool reserve_family(berth__related *related, const berth__related_object *object)
{
    return object->group.parent == 0 ||
           get_list(related, BERTH_KIND_COUNT, object->key.namespace_name, object->group.parent) !=
               NULL;
}

static void join_family(const berth__related *related, berth__related_object *object)
{
    berth__related_list *family = family_of(related, object);
    if (family == NULL)
        return;
    object->previous_sibling = NULL;
    object->next_sibling = family->first;
    if (family->first != NULL)
        family->first->previous_sibling = object;
    family->first = object;
}

static void leave_family(const berth__related *related, const berth__related_object *object)
{
    berth__related_list *family = family_of(related, object);
    if (family == NULL)
        return;
    *(object->previous_sibling != NULL ? &object->previous_sibling->next_sibling : &family->first) =
        object->next_sibling;
    if (object->next_sibling != NULL)
        object->next_sibling->previous_sibling = object->previous_sibling;
}

static bool is_group(uint32_t kind)
{
    return kind == BERTH_KIND_POD_GROUP || kind == BERTH_KIND_COMPOSITE_POD_GROUP;
}

static void note_change(berth__related *related, const berth__related_object *object)
{
    if (object->key.kind == BERTH_KIND_NAMESPACE)
        related->namespace_epoch = berth__model_next_epoch(related->model);
    else if (!is_group(object->key.kind)) /* no counter or cache depends on these */
        related->epoch = berth__model_next_epoch(related->model);
}

static bool index_service(berth__related *related, berth__related_object *object)
{
    return object->key.kind != BERTH_KIND_SERVICE ||
           berth__label_index_add(&related->services, object->key.namespace_name, &object->selector,
                                  object);
}

static void forget_service(berth__related *related, berth__related_object *object)
{
    if (object->key.kind == BERTH_KIND_SERVICE)
        berth__label_index_remove(&related->services, object->key.namespace_name, &object->selector,
                                  object);
}

static bool is_controller(berth_kind kind)
{
    return kind != BERTH_KIND_SERVICE && kind != BERTH_KIND_NAMESPACE && !is_group((uint32_t)kind);
}

/* Change the number of objects of a kind. */
static void count_object(berth__related *related, berth_kind kind, bool more)
{
    uint32_t by = more ? 1 : UINT32_MAX; /* or one fewer */
    if (kind == BERTH_KIND_SERVICE)
        related->service_count += by;
    else if (is_controller(kind))
        related->controller_count += by;
}

/* Make the neighbours in a list, or its ends, point at an object whose own links are set. */
static void link_object(berth__related_list *list, berth__related_object *object)
{
    *(object->previous != NULL ? &object->previous->next : &list->first) = object;
    *(object->next != NULL ? &object->next->previous : &list->last) = object;
}

static void unlink_object(berth__related_list *list, const berth__related_object *object)
{
    *(object->previous != NULL ? &object->previous->next : &list->first) = object->next;
    *(object->next != NULL ? &object->next->previous : &list->last) = object->previous;
}

static void drop_if_empty(berth__related *related, berth__related_list *list)
{
    if (list == NULL || list->first != NULL)
        return;
    berth__keymap_remove(&related->lists, &list->entry);
    berth__free(related->model->allocator, list, sizeof(*list));
}

static berth__related_list *own_list(const berth__related *related,
                                     const berth__related_object *object)
{
    return find_list(related, (berth_kind)object->key.kind, object->key.namespace_name, 0);
}

/* ---- undoing ---- */

/* The undo record of an object that was added, removed or replaced. The removed object is kept,
 * with its links and its list, even if that list is empty. */
typedef struct exchange {
    berth__related_object *gone;
    berth__related_object *come;
} exchange;

static void return_service(berth__related *related, berth__related_object *object)
{
    if (object->key.kind == BERTH_KIND_SERVICE)
        berth__label_index_return(&related->services, object->key.namespace_name, &object->selector,
                                  object);
}

static void undo_exchange(void *owner, void *record)
{
    berth__related *related = owner;
    const exchange *own = record;
    berth__related_object *any = own->come != NULL ? own->come : own->gone;
    berth__related_list *list = own_list(related, any);
    BERTH_ASSERT(list != NULL);
    if (own->come != NULL) {
        forget_service(related, own->come);
        unlink_object(list, own->come);
        leave_family(related, own->come);
        berth__keymap_remove(&related->objects, &own->come->entry);
        count_object(related, (berth_kind)any->key.kind, false);
    }
    if (own->gone != NULL) {
        return_service(related, own->gone);
        link_object(list, own->gone);
        join_family(related, own->gone);
        berth__keymap_add(&related->objects, &own->gone->entry);
        count_object(related, (berth_kind)any->key.kind, true);
    }
    note_change(related, any);
    if (own->come != NULL)
        free_object(own->come);
}

static void keep_exchange(void *owner, void *record)
{
    berth__related *related = owner;
    berth__related_object *gone = ((const exchange *)record)->gone;
    if (gone == NULL)
        return;
    if (gone->key.kind == BERTH_KIND_SERVICE)
        berth__label_index_give_up(&related->services, gone->key.namespace_name, &gone->selector,
                                   gone);
    drop_if_empty(related, own_list(related, gone));
    drop_if_empty(related, family_of(related, gone));
    free_object(gone);
}

static const berth__undo_kind exchanged = {undo_exchange, keep_exchange};

/* Record the exchange. False: it cannot be undone, so the caller frees the removed object. */
static bool note_exchange(berth__related *related, berth__related_object *gone,
                          berth__related_object *come)
{
    exchange *record = related->undo == NULL
                           ? NULL
                           : berth__undo_push(related->undo, &exchanged, related, sizeof(*record));
    if (record == NULL)
        return false;
    *record = (exchange){gone, come};
    return true;
}

/* ---- adding and removing ---- */

/* Take an object out of all structures, or only hide it if that may be undone. */
static void take_out(berth__related *related, berth__related_list *list,
                     berth__related_object *object, bool undoable)
{
    if (undoable && object->key.kind == BERTH_KIND_SERVICE)
        berth__label_index_lend(&related->services, object->key.namespace_name, &object->selector,
                                object);
    else
        forget_service(related, object);
    unlink_object(list, object);
    leave_family(related, object);
    berth__keymap_remove(&related->objects, &object->entry);
    count_object(related, (berth_kind)object->key.kind, false);
    if (!undoable)
        free_object(object);
}

/* Put `fresh` into the list: at the end, or in the place of `old`, which is removed. */
static void put_in(berth__related *related, berth__related_list *list, berth__related_object *old,
                   berth__related_object *fresh)
{
    bool undoable = note_exchange(related, old, fresh);
    berth__related_list *left = old != NULL ? family_of(related, old) : NULL;
    fresh->previous = old != NULL ? old->previous : list->last;
    fresh->next = old != NULL ? old->next : NULL;
    if (old != NULL)
        take_out(related, list, old, undoable);
    link_object(list, fresh);
    join_family(related, fresh);
    if (!undoable)
        drop_if_empty(related, left);
    berth__keymap_add(&related->objects, &fresh->entry);
    count_object(related, (berth_kind)fresh->key.kind, true);
}

berth_status berth__related_add(berth__related *related, const berth_object *object, bool replace,
                                berth_error *error)
{
    berth__related_object *fresh = make_object(related, object);
    if (fresh == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    berth__related_object *old =
        find(related, object->kind, fresh->key.namespace_name, fresh->key.name);
    if ((old != NULL) != replace) {
        free_object(fresh);
        return replace ? berth__error_set(error, BERTH_E_NOT_FOUND, "not found")
                       : berth__error_set(error, BERTH_E_EXISTS, "already exists");
    }
    berth__related_list *list = list_of(related, fresh);
    if (list == NULL || !reserve_family(related, fresh) || !index_service(related, fresh)) {
        free_object(fresh);
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    }
    put_in(related, list, old, fresh);
    note_change(related, fresh);
    return BERTH_OK;
}

berth_status berth__related_remove(berth__related *related, berth_kind kind,
                                   berth_str namespace_name, berth_str name, berth_error *error)
{
    const berth__model *model = related->model;
    berth__sym name_sym = berth__intern_find(&model->strings, name);
    berth__sym space = kind == BERTH_KIND_NAMESPACE ? 0
                       : namespace_name.len > 0
                           ? berth__intern_find(&model->strings, namespace_name)
                           : model->known.default_namespace;
    berth__related_object *object = find(related, kind, space, name_sym);
    if (object == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "not found");
    berth__related_list *list = own_list(related, object), *family = family_of(related, object);
    BERTH_ASSERT(list != NULL);
    note_change(related, object);
    bool undoable = note_exchange(related, object, NULL);
    take_out(related, list, object, undoable);
    if (!undoable) { /* undoing will need the lists */
        drop_if_empty(related, list);
        drop_if_empty(related, family);
    }
    return BERTH_OK;
}

/* ---- copying ---- */

static berth__related_object *copy_object(const berth__related *related,
                                          const berth__related_object *source)
{
    bool ok = true;
    berth__related_object *object = new_object(related);
    if (object == NULL)
        return NULL;
    object->key = source->key;
    object->labels = berth__labels_copy(&object->arena, source->labels, &ok);
    object->selector = berth__selector_copy(&object->arena, &source->selector, &ok);
    object->group = source->group;
    if (ok &&
        (source->kept == NULL || berth__object_keep(related->model->keep_objects, &object->arena,
                                                    source->kept, &object->kept)))
        return object;
    free_object(object);
    return NULL;
}

static bool copy_list(berth__related *to, const berth__related_list *from)
{
    for (const berth__related_object *source = from->first; source != NULL; source = source->next) {
        berth__related_object *object = copy_object(to, source);
        berth__related_list *list = object != NULL ? list_of(to, object) : NULL;
        if (list == NULL || !reserve_family(to, object) || !index_service(to, object)) {
            if (object != NULL)
                free_object(object);
            return false;
        }
        object->previous = list->last;
        link_object(list, object);
        join_family(to, object);
        berth__keymap_add(&to->objects, &object->entry);
        count_object(to, (berth_kind)object->key.kind, true);
    }
    return true;
}

berth__related *berth__related_copy(const berth__related *related)
{
    berth__related *copy;
    if (berth__related_create(related->model, &copy) != BERTH_OK)
        return NULL;
    copy->epoch = related->epoch;
    copy->namespace_epoch = related->namespace_epoch;
    const berth__keymap *lists = &related->lists;
    for (uint32_t i = 0; i < lists->bucket_count; i++)
        for (const berth__keymap_entry *entry = lists->buckets[i]; entry != NULL;
             entry = entry->next)
            if (!is_family((const berth__related_list *)entry) &&
                !copy_list(copy, (const berth__related_list *)entry)) {
                berth__related_destroy(copy);
                return NULL;
            }
    return copy;
}

void berth__related_release(const berth_allocator *allocator, void *context, void *object,
                            size_t bytes)
{
    (void)allocator;
    (void)context;
    (void)bytes;
    berth__related_destroy(object);
}

/* ---- the default selector ---- */

typedef struct merge {
    const berth__related *related;
    berth__arena *arena;
    berth__labels labels; /* of the pod */
    berth__label *items;  /* those of all matching objects, one after the other */
    uint32_t count, capacity;
    bool *ok;
} merge;

static void merge_labels(merge *to, berth__labels labels)
{
    if (labels.count > to->capacity - to->count) {
        uint32_t capacity = 2 * to->capacity + labels.count;
        berth__label *items = berth__arena_alloc(to->arena, capacity * sizeof(*items), 8);
        if (items == NULL) {
            *to->ok = false;
            return;
        }
        if (to->count > 0)
            memcpy(items, to->items, to->count * sizeof(*items));
        to->items = items;
        to->capacity = capacity;
    }
    if (labels.count > 0)
        memcpy(to->items + to->count, labels.items, labels.count * sizeof(*labels.items));
    to->count += labels.count;
}

static bool merge_service(void *context, void *item)
{
    merge *to = context;
    const berth__related_object *service = item;
    if (berth__selector_matches(&to->related->model->strings, &service->selector, to->labels))
        merge_labels(to, service->labels);
    return *to->ok;
}

/* The kind of an owner that spreading considers, or BERTH_KIND_COUNT. */
static berth_kind owner_kind(const berth__model *model, const berth__identity *identity)
{
    static const struct {
        const char *api_version;
        const char *kind;
        berth_kind value;
    } table[] = {
        {"v1", "ReplicationController", BERTH_KIND_REPLICATION_CONTROLLER},
        {"apps/v1", "ReplicaSet", BERTH_KIND_REPLICA_SET},
        {"apps/v1", "StatefulSet", BERTH_KIND_STATEFUL_SET},
    };
    if (identity->owner_kind == 0)
        return BERTH_KIND_COUNT;
    berth_str api_version = berth__text(model, identity->owner_api_version);
    berth_str kind = berth__text(model, identity->owner_kind);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (berth__str_is(api_version, table[i].api_version) && berth__str_is(kind, table[i].kind))
            return table[i].value;
    return BERTH_KIND_COUNT;
}

bool berth__related_may_select(const berth__related *related, const berth__identity *identity)
{
    return related->service_count > 0 ||
           (related->controller_count > 0 && identity->owner_kind != 0);
}

/* The requirements of both selectors, sorted by key. */
static berth__selector join(berth__arena *arena, const berth__selector *a, const berth__selector *b,
                            bool *ok)
{
    if (a->count == 0 || b->count == 0)
        return a->count == 0 ? *b : *a;
    berth__interned_requirement *items = berth__arena_alloc(
        arena, (a->count + b->count) * sizeof(*items), _Alignof(berth__interned_requirement));
    if (items == NULL) {
        *ok = false;
        return *a;
    }
    uint32_t count = 0, i = 0, k = 0;
    while (i < a->count || k < b->count) {
        bool first = k == b->count || (i < a->count && a->items[i].key <= b->items[k].key);
        items[count++] = first ? a->items[i++] : b->items[k++];
    }
    return (berth__selector){BERTH__SELECTOR_REQUIREMENTS, count, items, {0}};
}

berth__selector berth__related_default_selector(const berth__related *related, berth__arena *arena,
                                                const berth__identity *identity, bool *ok)
{
    merge to = {related, arena, identity->labels, NULL, 0, 0, ok};
    if (related->service_count > 0)
        berth__related_visit_services(related, identity->namespace_name, identity->labels,
                                      merge_service, &to);
    berth_kind kind = owner_kind(related->model, identity);
    const berth__related_object *owner = NULL;
    if (kind != BERTH_KIND_COUNT)
        owner = find(related, kind, identity->namespace_name, identity->owner_name);
    if (owner != NULL && kind == BERTH_KIND_REPLICATION_CONTROLLER)
        merge_labels(&to, owner->labels);
    berth__selector selector = {.kind = BERTH__SELECTOR_EVERYTHING};
    if (*ok) /* if a key is repeated, the last one counts */
        selector = map_selector(arena, berth__labels_of(arena, to.items, to.count, ok), ok);
    if (*ok && owner != NULL && kind != BERTH_KIND_REPLICATION_CONTROLLER &&
        owner->selector.kind == BERTH__SELECTOR_REQUIREMENTS)
        selector = join(arena, &selector, &owner->selector, ok);
    return selector;
}
