/* Objects arrive in any order, so pods, claims and volumes are joined by name once all are read. */
#include "plans/local_volumes.h"

#include <stdlib.h>

#include "cli/heap.h"
#include "cli/object_names.h"
#include "cli/text_buffer.h"

static uint32_t claim_number(local_volumes *l, berth_str namespace_name, berth_str name)
{
    uint32_t number = object_names_add(&l->claims, (berth_str){0}, namespace_name, name);
    size_t before = l->claim_capacity;
    l->claim_bound =
        heap_grow(l->claim_bound, &l->claim_capacity, l->claims.count, sizeof(*l->claim_bound));
    for (size_t i = before; i < l->claim_capacity; i++)
        l->claim_bound[i] = 0;
    return number;
}

static void bind_claim(local_volumes *l, uint32_t claim, berth_str volume)
{
    l->claim_bound[claim] = word_table_add(&l->bound, volume) + 1;
}

/* ---- collecting ---- */

static bool names_one_node(berth_requirements list, const char *key)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const berth_requirement *one = &list.items[i];
        if (words_equal(one->key, words_of(key)) && words_equal(one->op, words_of("In")) &&
            one->values.count == 1)
            return true;
    }
    return false;
}

/* Terms are alternatives, so a second term may allow another node. */
static bool is_local(const berth_persistent_volume *volume)
{
    const berth_node_selector *nodes = volume->node_affinity;
    if (nodes == NULL || nodes->count != 1)
        return false;
    return names_one_node(nodes->terms[0].match_expressions, "kubernetes.io/hostname") ||
           names_one_node(nodes->terms[0].match_fields, "metadata.name");
}

static void see_volume(local_volumes *l, const berth_persistent_volume *volume)
{
    if (!is_local(volume))
        return;
    word_table_add(&l->volumes, volume->meta.name);
    if (volume->has_claim_ref && volume->claim_name.len > 0)
        bind_claim(l, claim_number(l, volume->claim_namespace, volume->claim_name),
                   volume->meta.name);
}

static void see_claim(local_volumes *l, const berth_persistent_volume_claim *claim)
{
    if (claim->volume_name.len > 0)
        bind_claim(l, claim_number(l, claim->meta.namespace_name, claim->meta.name),
                   claim->volume_name);
}

static void see_pod(local_volumes *l, const berth_pod *pod, berth_pod_id id)
{
    for (uint32_t i = 0; i < pod->volume_count; i++) {
        const berth_volume *volume = &pod->volumes[i];
        text_buffer made = {0}; /* the claim's name, if it is made for the pod */
        berth_str claim = volume->source.handle;
        if (volume->source.kind == BERTH_VOLUME_EPHEMERAL) {
            text_add_str(&made, pod->meta.name);
            text_add_str(&made, words_of("-"));
            text_add_str(&made, volume->name);
            claim = text_str(&made);
        } else if (volume->source.kind != BERTH_VOLUME_CLAIM)
            continue;
        l->uses = heap_grow(l->uses, &l->use_capacity, l->use_count + 1, sizeof(*l->uses));
        l->uses[l->use_count++] =
            (local_use){.pod = id, .claim = claim_number(l, pod->meta.namespace_name, claim)};
        text_free(&made);
    }
}

void local_volumes_see(local_volumes *l, const berth_object *object, berth_pod_id pod)
{
    if (object->kind == BERTH_KIND_PERSISTENT_VOLUME)
        see_volume(l, object->as.persistent_volume);
    else if (object->kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM)
        see_claim(l, object->as.persistent_volume_claim);
    else if (object->kind == BERTH_KIND_POD && pod != BERTH_POD_NONE)
        see_pod(l, object->as.pod, pod);
}

static int by_pod(const void *a, const void *b)
{
    const local_use *left = a;
    const local_use *right = b;
    if (left->pod != right->pod)
        return left->pod < right->pod ? -1 : 1;
    return left->claim < right->claim ? -1 : left->claim > right->claim;
}

void local_volumes_end(local_volumes *l)
{
    if (l->use_count > 0)
        qsort(l->uses, l->use_count, sizeof(*l->uses), by_pod);
}

/* ---- questions ---- */

static size_t first_use(const local_volumes *l, berth_pod_id pod)
{
    size_t low = 0;
    size_t high = l->use_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->uses[middle].pod < pod)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

berth_str local_volumes_of(const local_volumes *l, berth_pod_id pod)
{
    for (size_t i = first_use(l, pod); i < l->use_count && l->uses[i].pod == pod; i++) {
        uint32_t bound = l->claim_bound[l->uses[i].claim];
        uint32_t number;
        if (bound == 0)
            continue;
        berth_str volume = word_table_get(&l->bound, bound - 1);
        if (word_table_find(&l->volumes, volume, &number))
            return volume;
    }
    return (berth_str){0};
}

void local_volumes_free(local_volumes *l)
{
    word_table_free(&l->volumes);
    word_table_free(&l->claims);
    word_table_free(&l->bound);
    free(l->claim_bound);
    free(l->uses);
}
