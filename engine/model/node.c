/* Node objects compiled into one block of interned facts. */
#include "model/node.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/pod_class.h"

/* Node facts store the number of labels in 24 bits. */
enum { LABELS_MAX = 0xffffff };

static const char avoid_pods_key[] = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/* Region and zone joined as in kube-scheduler's node tree; 0 when both are empty. */
static berth__sym zone_key(berth__model *model, berth__labels labels, bool legacy, bool *ok)
{
    berth__sym region = berth__labels_get(labels, model->known.region_beta);
    berth__sym zone = berth__labels_get(labels, model->known.zone_beta);
    if (!legacy && region == 0)
        region = berth__labels_get(labels, model->known.region);
    if (!legacy && zone == 0)
        zone = berth__labels_get(labels, model->known.zone);
    berth_str region_text = berth__text(model, region), zone_text = berth__text(model, zone);
    if (region_text.len + zone_text.len == 0)
        return 0;
    size_t len = (size_t)region_text.len + zone_text.len + 3;
    char *joined = berth__arena_alloc(&model->scratch, len, 1);
    if (joined == NULL) {
        *ok = false;
        return 0;
    }
    if (region_text.len > 0)
        memcpy(joined, region_text.data, region_text.len);
    memcpy(joined + region_text.len, ":\0:", 3);
    if (zone_text.len > 0)
        memcpy(joined + region_text.len + 3, zone_text.data, zone_text.len);
    return berth__intern_add(&model->strings, (berth_str){joined, (uint32_t)len}, ok);
}

/* Reads repeated conditions as v1.15.3 does: a node is unready if any entry says so, and under
 * pressure if the last one says so. */
static uint8_t condition_bits(const berth_node *node)
{
    static const struct {
        const char *type;
        const char *status;
        bool is; /* set the bit when the status equals, or differs from, `status` */
        bool last;
        uint8_t bit;
    } table[] = {
        {"Ready", "True", false, false, BERTH__NODE_NOT_READY},
        {"NetworkUnavailable", "False", false, false, BERTH__NODE_NETWORK_UNAVAILABLE},
        {"MemoryPressure", "True", true, true, BERTH__NODE_MEMORY_PRESSURE},
        {"DiskPressure", "True", true, true, BERTH__NODE_DISK_PRESSURE},
        {"PIDPressure", "True", true, true, BERTH__NODE_PID_PRESSURE},
    };
    uint8_t bits = 0;
    for (uint32_t i = 0; i < node->condition_count; i++) {
        const berth_condition *condition = &node->conditions[i];
        for (size_t t = 0; t < sizeof(table) / sizeof(table[0]); t++) {
            if (!berth__str_is(condition->type, table[t].type))
                continue;
            if (table[t].last)
                bits &= (uint8_t)~table[t].bit;
            if (berth__str_is(condition->status, table[t].status) == table[t].is)
                bits |= table[t].bit;
        }
    }
    return bits;
}

/* The declared features that pods may require. */
static uint8_t declared_features(const berth_node *node)
{
    uint8_t features = 0;
    for (uint32_t i = 0; i < node->declared_features.count; i++) {
#define X(name, bit, text)                                     \
    if (berth__str_is(node->declared_features.items[i], text)) \
        features |= BERTH__FEATURE_##name;
        BERTH__FEATURE_LIST(X)
#undef X
    }
    return features;
}

/* The position of a resource's amount in the sorted amounts, or where it would be. */
static uint32_t amount_place(const berth__node_amount *amounts, uint32_t count, uint32_t resource)
{
    uint32_t place;
    BERTH__SEARCH(place, count, i, amounts[i].resource < resource);
    return place;
}

/* Each resource counts once; if it is repeated, the last entry counts. */
static void put_amount(berth__node_amount *amounts, uint16_t *count, berth__node_amount amount)
{
    uint32_t at = amount_place(amounts, *count, amount.resource);
    if (at == *count || amounts[at].resource != amount.resource) {
        memmove(&amounts[at + 1], &amounts[at], (*count - at) * sizeof(*amounts));
        (*count)++;
    }
    amounts[at] = amount;
}

static berth_status read_amounts(berth__model *model, const berth_node *node,
                                 berth__node_amount *out, uint16_t *count, int64_t *pods_max,
                                 berth_error *error)
{
    for (uint32_t i = 0; i < node->allocatable.count; i++) {
        const berth_resource *item = &node->allocatable.items[i];
        __int128 nanos = berth__amount_nanos(item->amount);
        int64_t amount;
        bool ok = true;
        bool valid = berth__amount_is_valid(item->amount);
        berth_status problem = nanos < 0 || !valid ? BERTH_E_INVALID : BERTH_OK;
        if (problem == BERTH_OK &&
            !berth__amount_read(nanos, berth__str_is(item->name, "cpu"), &amount))
            problem = BERTH_E_RANGE;
        if (problem != BERTH_OK) {
            berth__error_set(error, problem, "%s",
                             problem == BERTH_E_RANGE ? "the amount does not fit 63 bits"
                             : valid                  ? "an amount must not be negative"
                                                      : BERTH__AMOUNT_INVALID);
            berth__error_field(error, "status.allocatable.%.*s", (int)item->name.len,
                               item->name.data);
            return problem;
        }
        if (berth__str_is(item->name, "pods")) {
            *pods_max = amount;
            continue;
        }
        uint32_t resource = berth__resource_add(model, item->name, &ok);
        if (!ok)
            return berth__error_set(error, BERTH_E_NOMEM,
                                    "no room for another resource name (there may be %d)",
                                    BERTH__RESOURCES_MAX);
        if (resource != BERTH__RESOURCE_NONE)
            put_amount(out, count, (berth__node_amount){resource, amount});
    }
    return BERTH_OK;
}

static uint32_t image_name_count(const berth_node *node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->image_count; i++)
        count += node->images[i].names.count;
    return count;
}

/* Reads each name once; if a name is repeated, its first entry counts, because kube-scheduler keeps
 * a map by name. Sorted by name for binary search. */
static uint32_t read_images(berth__model *model, const berth_node *node, berth__node_image *out,
                            bool *ok)
{
    uint32_t name_count = image_name_count(node), places_count = 0, count = 0;
    uint64_t *places = berth__arena_alloc(&model->scratch, name_count * sizeof(*places), 8);
    if (places == NULL) {
        *ok = false;
        return 0;
    }
    for (uint32_t i = 0; i < node->image_count; i++) {
        for (uint32_t n = 0; n < node->images[i].names.count; n++) {
            berth__sym name =
                berth__intern_add(&model->strings, node->images[i].names.items[n], ok);
            if (name != 0)
                places[places_count++] = (uint64_t)name << 32 | i;
        }
    }
    berth__sort_words(places, places_count);
    for (uint32_t p = 0; p < places_count; p++) {
        berth__sym name = (berth__sym)(places[p] >> 32);
        if (count == 0 || out[count - 1].name != name)
            out[count++] = (berth__node_image){name, node->images[(uint32_t)places[p]].size_bytes};
    }
    return count;
}

static size_t block_bytes(const berth__node_facts *facts)
{
    return sizeof(*facts) + facts->amount_count * sizeof(berth__node_amount) +
           facts->image_count * sizeof(berth__node_image) +
           ((size_t)facts->label_count + facts->annotation_count) * sizeof(berth__label);
}

/* Copy the head and its arrays into one block of exactly their size. */
static berth__node_facts *pack(berth__model *model, const berth__node_facts *head,
                               const berth__node_amount *amounts, const berth__node_image *images,
                               const berth__label *labels, const berth__label *annotations)
{
    berth__node_facts *block =
        berth__alloc(model->allocator, block_bytes(head), _Alignof(berth__node_facts));
    if (block == NULL)
        return NULL;
    *block = *head;
    if (head->amount_count > 0)
        memcpy(block->amounts, amounts, head->amount_count * sizeof(*amounts));
    char *at = (char *)(block->amounts + head->amount_count);
    if (head->image_count > 0)
        memcpy(at, images, head->image_count * sizeof(*images));
    at += head->image_count * sizeof(*images);
    if (head->label_count > 0)
        memcpy(at, labels, head->label_count * sizeof(*labels));
    at += head->label_count * sizeof(*labels);
    if (head->annotation_count > 0)
        memcpy(at, annotations, head->annotation_count * sizeof(*annotations));
    return block;
}

berth_status berth__node_facts_make(berth__model *model, const berth_node *node,
                                    berth__node_facts **out, berth_error *error)
{
    berth__arena_reset(&model->scratch);
    bool ok = true;
    berth__node_amount *amounts =
        berth__arena_alloc(&model->scratch, node->allocatable.count * sizeof(*amounts), 8);
    berth__node_image *images =
        berth__arena_alloc(&model->scratch, image_name_count(node) * sizeof(*images), 8);
    if (amounts == NULL || images == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    berth__node_facts facts = {0};
    BERTH_TRY(read_amounts(model, node, amounts, &facts.amount_count, &facts.pods_max, error));
    facts.image_count = read_images(model, node, images, &ok);
    berth__labels labels =
        berth__labels_make(&model->strings, &model->scratch, node->meta.labels, &ok);
    const berth__labels annotations = berth__annotations_make(
        &model->strings, &model->scratch, model->annotation_keys, node->meta.annotations, &ok);
    if (labels.count > LABELS_MAX) {
        berth__error_field(error, "metadata.labels");
        return berth__error_set(error, BERTH_E_RANGE, "a node has at most %d labels, found %u",
                                LABELS_MAX, (unsigned)labels.count);
    }
    facts.label_count = labels.count & LABELS_MAX;
    facts.annotation_count = annotations.count & 0xff; /* there are at most as many as keys */
    facts.taints = berth__taints_intern(model, node->taints, node->taint_count);
    facts.zone = zone_key(model, labels, false, &ok);
    facts.zone_legacy = zone_key(model, labels, true, &ok);
    for (uint32_t i = 0; i < node->meta.annotations.count; i++)
        if (berth__str_is(node->meta.annotations.entries[i].key, avoid_pods_key))
            facts.avoid_pods =
                berth__intern_add(&model->strings, node->meta.annotations.entries[i].value, &ok);
    facts.conditions = condition_bits(node);
    if (berth__text(model, facts.avoid_pods).len > 0)
        facts.conditions |= BERTH__NODE_AVOIDS_PODS;
    facts.features = declared_features(node) & 0x7f;
    facts.unschedulable = node->unschedulable;
    *out = ok && facts.taints != NULL
               ? pack(model, &facts, amounts, images, labels.items, annotations.items)
               : NULL;
    return *out != NULL ? BERTH_OK : berth__error_set(error, BERTH_E_NOMEM, "out of memory");
}

berth__node_facts *berth__node_facts_cordon(berth__model *model, const berth__node_facts *facts,
                                            bool unschedulable)
{
    berth__node_facts other = *facts;
    other.unschedulable = unschedulable;
    return pack(model, &other, facts->amounts, berth__node_images(facts),
                berth__node_labels(facts).items, berth__node_annotations(facts).items);
}

void berth__node_facts_free(const berth_allocator *allocator, berth__node_facts *facts)
{
    if (facts != NULL)
        berth__free(allocator, facts, block_bytes(facts));
}

void berth__node_facts_release(const berth_allocator *allocator, void *context, void *object,
                               size_t bytes)
{
    (void)context;
    (void)bytes;
    berth__node_facts_free(allocator, object);
}

bool berth__node_rules_alike(const berth__node_facts *a, const berth__node_facts *b)
{
    return a->taints == b->taints && a->zone == b->zone && a->zone_legacy == b->zone_legacy &&
           a->avoid_pods == b->avoid_pods && a->conditions == b->conditions &&
           a->features == b->features && a->unschedulable == b->unschedulable &&
           berth__labels_equal(berth__node_annotations(a), berth__node_annotations(b));
}

bool berth__node_amounts_equal(const berth__node_facts *a, const berth__node_facts *b)
{
    return a->pods_max == b->pods_max && a->amount_count == b->amount_count &&
           memcmp(a->amounts, b->amounts, a->amount_count * sizeof(berth__node_amount)) == 0;
}

int64_t berth__node_allocatable(const berth__node_facts *facts, uint32_t resource, bool *named)
{
    uint32_t at = amount_place(facts->amounts, facts->amount_count, resource);
    *named = at < facts->amount_count && facts->amounts[at].resource == resource;
    return *named ? facts->amounts[at].allocatable : 0;
}
