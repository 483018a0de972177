/* Finds the groups that are placed together.
 * Source: kube-scheduler v1.37, backend/queue/workload_forest.go; framework/types.go,
 * GetChildGroups. */
#include "api/group_tree.h"

#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"

typedef struct building {
    berth__group_tree *tree;
    const berth__model *model;
    const berth__related *related;
    berth__arena *arena;
    uint32_t capacity;
    berth_error *error;
} building;

/* A group below another one, before it is placed in the tree. */
typedef struct child {
    const berth__related_object *object;
    berth_str name;
} child;

static berth_status fail_to_find(const building *own, berth__sym name, bool composite)
{
    const berth_str space = berth__text(own->model, own->tree->namespace_name);
    const berth_str text = berth__text(own->model, name);
    if (berth__related_group(own->related, own->tree->namespace_name, name, composite) != NULL)
        return berth__error_set(own->error, BERTH_E_INVALID,
                                "%.*s/%.*s is below more than %d other groups", (int)space.len,
                                space.data, (int)text.len, text.data, BERTH__GROUP_LEVELS_MAX - 1);
    return berth__error_set(own->error, BERTH_E_NOT_FOUND, "there is no %s %.*s/%.*s",
                            composite ? "CompositePodGroup" : "PodGroup", (int)space.len,
                            space.data, (int)text.len, text.data);
}

/* ---- downwards ---- */

static berth_status add_part(building *own, const berth__group_facts *facts, berth__sym name,
                             bool composite, uint32_t parent)
{
    berth__group_tree *tree = own->tree;
    if (tree->count == own->capacity) {
        const uint32_t capacity = own->capacity > 0 ? 2 * own->capacity : 1;
        berth__group_part *parts =
            berth__arena_alloc(own->arena, (size_t)capacity * sizeof(*parts), 8);
        if (parts == NULL)
            return berth__error_no_memory(own->error);
        if (tree->count > 0)
            memcpy(parts, tree->parts, (size_t)tree->count * sizeof(*parts));
        tree->parts = parts;
        own->capacity = capacity;
    }
    tree->parts[tree->count] = (berth__group_part){.facts = facts,
                                                   .name = name,
                                                   .composite = composite,
                                                   .parent = parent,
                                                   .end = tree->count + 1,
                                                   .source = tree->count};
    tree->count++;
    tree->leaf_count += !composite;
    return BERTH_OK;
}

/* Groups are placed in the order of their creation. */
static int in_order(const void *a, const void *b)
{
    const child *one = a, *other = b;
    const int64_t first = one->object->group.created_ns, second = other->object->group.created_ns;
    if (first != second)
        return first < second ? -1 : 1;
    const int by_name = berth__str_cmp(one->name, other->name);
    return by_name != 0 ? by_name
                        : (one->object->key.kind > other->object->key.kind) -
                              (one->object->key.kind < other->object->key.kind);
}

static berth_status list_children(const building *own, berth__sym parent, child **out,
                                  uint32_t *count)
{
    const berth__related_object *first =
        berth__related_children(own->related, own->tree->namespace_name, parent);
    uint32_t i = 0;
    *count = 0;
    for (const berth__related_object *one = first; one != NULL; one = one->next_sibling)
        ++*count;
    *out = berth__arena_alloc(own->arena, *count * sizeof(child), 8);
    if (*out == NULL)
        return berth__error_no_memory(own->error);
    for (const berth__related_object *one = first; one != NULL; one = one->next_sibling)
        (*out)[i++] = (child){one, berth__text(own->model, one->key.name)};
    berth__sort(*out, *count, sizeof(child), in_order);
    return BERTH_OK;
}

/* Add the groups below a composite one. */
static berth_status add_below(building *own, uint32_t parent, uint32_t level)
{
    child *children;
    uint32_t count;
    BERTH_TRY(list_children(own, own->tree->parts[parent].name, &children, &count));
    for (uint32_t i = 0; i < count; i++) {
        const berth__related_object *object = children[i].object;
        const bool composite = object->key.kind == BERTH_KIND_COMPOSITE_POD_GROUP;
        const uint32_t at = own->tree->count;
        BERTH_TRY(add_part(own, &object->group, object->key.name, composite, parent));
        if (composite && level < BERTH__GROUP_LEVELS_MAX)
            BERTH_TRY(add_below(own, at, level + 1));
    }
    own->tree->parts[parent].end = own->tree->count;
    return BERTH_OK;
}

/* ---- the leaves ---- */

static berth_status list_leaves(building *own)
{
    berth__group_tree *tree = own->tree;
    uint64_t *words = berth__arena_alloc(own->arena, tree->leaf_count * sizeof(*words), 8);
    uint32_t count = 0;
    tree->leaves = berth__arena_alloc(own->arena, tree->leaf_count * sizeof(*tree->leaves), 8);
    if (words == NULL || tree->leaves == NULL)
        return berth__error_no_memory(own->error);
    for (uint32_t i = 0; i < tree->count; i++)
        if (!tree->parts[i].composite)
            words[count++] = (uint64_t)tree->parts[i].name << 32 | i;
    berth__sort_words(words, count);
    for (uint32_t i = 0; i < count; i++)
        tree->leaves[i] = (uint32_t)words[i];
    return BERTH_OK;
}

uint32_t berth__group_tree_leaf(const berth__group_tree *tree, berth__sym name)
{
    uint32_t low = 0, high = tree->leaf_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (tree->parts[tree->leaves[middle]].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tree->leaf_count && tree->parts[tree->leaves[low]].name == name ? tree->leaves[low]
                                                                                 : UINT32_MAX;
}

berth_status berth__group_tree_make(berth__group_tree *tree, const berth__model *model,
                                    const berth__related *related, berth__arena *arena,
                                    berth__sym namespace_name, berth__sym pod_group,
                                    berth_error *error)
{
    building own = {
        .tree = tree, .model = model, .related = related, .arena = arena, .error = error};
    berth__sym root;
    bool composite;
    *tree = (berth__group_tree){.namespace_name = namespace_name};
    if (!berth__related_root(related, namespace_name, pod_group, &root, &composite))
        return fail_to_find(&own, root, composite);
    const berth__group_facts *facts =
        berth__related_group(related, namespace_name, root, composite);
    BERTH_TRY(add_part(&own, facts, root, composite, 0));
    if (composite)
        BERTH_TRY(add_below(&own, 0, 2));
    return list_leaves(&own);
}
