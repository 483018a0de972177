/* Relabels, uncordons and adds nodes on the branch. */
#include "explain/node_remedies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "loading/node_list.h"
#include "loading/usage.h"

enum {
    TRIES_MAX = 8,          /* nodes that are relabelled or uncordoned */
    SHAPES_MAX = 32,        /* different shapes: one more node of each is tried */
    SHAPES_ON_MANY_MAX = 8, /* the same limit on large clusters, */
    MANY_NODES = 20000,     /* where a new node costs a new layout, which takes milliseconds */
    SHAPES_SHOWN = 3,       /* of the shapes that help, at most this many are shown */
    LABELS_MAX = 512,
    AMOUNTS_MAX = 64,
};

/* Decide about the unchanged pod on the branch's present state. */
static berth_status decide(const remedy_search *s, trial *t, trial_answer *answer,
                           berth_error *error)
{
    pod_draft draft;
    pod_draft_open(&draft, s->object);
    berth_status status = trial_decide(t, &draft.pod, 0, answer, error);
    pod_draft_close(&draft);
    return status;
}

/* ---- labels ---- */

static berth_status relabel(trial *t, berth_node_id node, const berth_key_value *missing,
                            uint32_t count, berth_error *error)
{
    berth_object *object = NULL;
    TRY(berth_engine_node_object(t->branch, node, NULL, &object, error));
    berth_node changed = *object->as.node;
    berth_map *labels = &changed.meta.labels;
    berth_key_value *all = heap_new((size_t)labels->count + count, sizeof(*all));
    uint32_t used = 0;
    for (uint32_t i = 0; i < labels->count; i++) {
        bool replaced = false;
        for (uint32_t k = 0; k < count && !replaced; k++)
            replaced = words_equal(labels->entries[i].key, missing[k].key);
        if (!replaced)
            all[used++] = labels->entries[i];
    }
    memcpy(all + used, missing, count * sizeof(*missing));
    *labels = (berth_map){all, used + count};
    const berth_object update = {.kind = BERTH_KIND_NODE, .as.node = &changed};
    berth_status status = berth_engine_update(t->branch, &update, error);
    free(all);
    berth_object_destroy(object);
    return status;
}

static void tell_labels(text_buffer *text, const char *node, const berth_key_value *missing,
                        uint32_t count)
{
    text_add(text, "label node %s", node);
    for (uint32_t i = 0; i < count; i++)
        text_add(text, " %.*s=%.*s", (int)missing[i].key.len, missing[i].key.data,
                 (int)missing[i].value.len, missing[i].value.data);
}

static berth_status try_labels(const remedy_search *s, trial *t, berth_node_id node,
                               const berth_key_value *missing, uint32_t count, remedies *out,
                               bool *helped, berth_error *error)
{
    trial_answer answer = {.verdict = BERTH_VERDICT_ERROR};
    TRY(trial_begin(t, error));
    berth_status status = relabel(t, node, missing, count, error);
    if (status == BERTH_OK)
        status = decide(s, t, &answer, error);
    trial_back(t);
    *helped = status == BERTH_OK && answer.verdict == BERTH_VERDICT_PLACED;
    if (*helped) {
        text_buffer text = {0};
        tell_labels(&text, answer.node, missing, count);
        remedies_add(out, "nodeLabel", text.text, &answer);
        text_free(&text);
    }
    return status;
}

/* Try labels on nodes that may need nothing else, those that need the fewest first. */
static berth_status try_relabelling(const remedy_search *s, trial *t, remedies *out,
                                    berth_error *error)
{
    bool helped = false;
    uint32_t tries = 0;
    for (uint32_t wanted = 1; wanted <= 3; wanted++)
        for (uint32_t i = 0; i < s->lacks->count && !helped && tries < TRIES_MAX; i++) {
            const refused_node *node = &s->lacks->nodes[i];
            berth_key_value missing[MISSING_MAX];
            bool enough = false;
            if (!refused_for_labels(berth_explanation_refusal(s->why, node->first).plugin))
                continue;
            uint32_t count = missing_labels_of(s->engine, s->object, node->node, missing, &enough);
            if (!enough || count != wanted)
                continue;
            tries++;
            TRY(try_labels(s, t, node->node, missing, count, out, &helped, error));
        }
    return BERTH_OK;
}

/* ---- cordons ---- */

/* Uncordon as kubectl and then the node controller do: remove the mark, and the taint that stands
 * for it. */
static berth_status uncordon(trial *t, berth_node_id node, berth_error *error)
{
    berth_object *object = NULL;
    TRY(berth_engine_node_object(t->branch, node, NULL, &object, error));
    berth_node changed = *object->as.node;
    berth_taint *kept = heap_new((size_t)changed.taint_count + 1, sizeof(*kept));
    uint32_t count = 0;
    for (uint32_t i = 0; i < changed.taint_count; i++)
        if (!words_equal(changed.taints[i].key, words_of("node.kubernetes.io/unschedulable")))
            kept[count++] = changed.taints[i];
    changed.taints = kept;
    changed.taint_count = count;
    changed.unschedulable = false;
    const berth_object update = {.kind = BERTH_KIND_NODE, .as.node = &changed};
    berth_status status = berth_engine_update(t->branch, &update, error);
    free(kept);
    berth_object_destroy(object);
    return status;
}

static berth_status try_uncordon(const remedy_search *s, trial *t, berth_node_id node,
                                 remedies *out, bool *helped, berth_error *error)
{
    trial_answer answer = {.verdict = BERTH_VERDICT_ERROR};
    TRY(trial_begin(t, error));
    berth_status status = uncordon(t, node, error);
    if (status == BERTH_OK)
        status = decide(s, t, &answer, error);
    trial_back(t);
    *helped = status == BERTH_OK && answer.verdict == BERTH_VERDICT_PLACED;
    if (*helped) {
        char text[320];
        snprintf(text, sizeof(text), "uncordon node %s", answer.node);
        remedies_add(out, "uncordon", text, &answer);
    }
    return status;
}

static berth_status try_uncordoning(const remedy_search *s, trial *t, remedies *out,
                                    berth_error *error)
{
    bool helped = false;
    uint32_t tries = 0;
    for (uint32_t i = 0; i < s->lacks->count && !helped && tries < TRIES_MAX; i++) {
        const refused_node *node = &s->lacks->nodes[i];
        if (!refused_as_cordoned(berth_explanation_refusal(s->why, node->first).plugin))
            continue;
        tries++;
        TRY(try_uncordon(s, t, node->node, out, &helped, error));
    }
    return BERTH_OK;
}

berth_status node_remedies_change(const remedy_search *s, trial *t, remedies *out,
                                  berth_error *error)
{
    TRY(try_relabelling(s, t, out, error));
    return try_uncordoning(s, t, out, error);
}

/* ---- one more node ---- */

/* Nodes that differ only in their names: same amounts, taints, zone and type. */
typedef struct shape {
    char *key;
    berth_node_id node; /* the first of them */
    uint32_t nodes;
} shape;

static void add_label(text_buffer *key, const berth_engine *engine, berth_node_id node,
                      const char *label)
{
    text_add(key, "|");
    text_add_str(key, berth_engine_node_label(engine, node, words_of(label)));
}

static void shape_key(text_buffer *key, const remedy_search *s, berth_node_id node)
{
    berth_amount amounts[AMOUNTS_MAX];
    berth_taint taints[TAINTS_MAX];
    uint32_t count = berth_engine_node_allocatable(s->engine, node, amounts, AMOUNTS_MAX);
    text_clear(key);
    for (uint32_t i = 0; i < count && i < AMOUNTS_MAX; i++)
        text_add(key, "%.*s=%lld,", (int)amounts[i].resource.len, amounts[i].resource.data,
                 (long long)amounts[i].amount);
    count = berth_engine_node_taints(s->engine, node, taints, TAINTS_MAX);
    for (uint32_t i = 0; i < count && i < TAINTS_MAX; i++) {
        text_add(key, "|");
        taint_text(key, &taints[i]);
    }
    add_label(key, s->engine, node, "topology.kubernetes.io/zone");
    add_label(key, s->engine, node, "node.kubernetes.io/instance-type");
    for (uint32_t i = 0; i < s->object->node_selector.count; i++) {
        text_add(key, "|");
        text_add_str(
            key, berth_engine_node_label(s->engine, node, s->object->node_selector.entries[i].key));
    }
}

static int by_count(const void *a, const void *b)
{
    const shape *left = a;
    const shape *right = b;
    if (left->nodes != right->nodes)
        return left->nodes > right->nodes ? -1 : 1;
    return left->node < right->node ? -1 : left->node > right->node;
}

static berth_status find_shapes(const remedy_search *s, shape out[SHAPES_MAX], uint32_t *count,
                                berth_error *error)
{
    uint32_t node_count = 0;
    berth_node_id *nodes = NULL;
    text_buffer key = {0};
    *count = 0;
    TRY(node_list_make(s->engine, &nodes, &node_count, error));
    for (uint32_t i = 0; i < node_count; i++) {
        uint32_t at = 0;
        shape_key(&key, s, nodes[i]);
        while (at < *count && strcmp(out[at].key, key.text) != 0)
            at++;
        if (at < *count)
            out[at].nodes++;
        else if (at < SHAPES_MAX)
            out[(*count)++] = (shape){heap_text(key.text, key.len), nodes[i], 1};
    }
    qsort(out, *count, sizeof(*out), by_count);
    text_free(&key);
    free(nodes);
    return BERTH_OK;
}

/* The pods that DaemonSets have put on a node. */
typedef struct daemons {
    berth_object **objects;
    berth_pod *pods;
    uint32_t count;
} daemons;

static void daemons_free(daemons *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        berth_object_destroy(d->objects[i]);
    free(d->objects);
    free(d->pods);
}

static berth_status find_daemons(const remedy_search *s, berth_node_id node, daemons *out,
                                 berth_error *error)
{
    uint32_t most = berth_engine_node_pods(s->engine, node, NULL, 0);
    *out = (daemons){.objects = heap_new(most, sizeof(*out->objects)),
                     .pods = heap_new(most, sizeof(*out->pods))};
    berth_pod_id pod = berth_engine_next_pod(s->engine, node, BERTH_POD_NONE);
    for (; pod != BERTH_POD_NONE; pod = berth_engine_next_pod(s->engine, node, pod)) {
        berth_pod_info info = {.size = sizeof(info)};
        TRY(berth_engine_pod_info(s->engine, pod, &info, error));
        if (!words_equal(info.owner_kind, words_of("DaemonSet")))
            continue;
        TRY(berth_engine_pod_object(s->engine, pod, NULL, &out->objects[out->count], error));
        out->pods[out->count] = *out->objects[out->count]->as.pod;
        out->pods[out->count++].template_id = 0;
    }
    return BERTH_OK;
}

static berth_status add_like(const remedy_search *s, trial *t, berth_node_id node,
                             berth_error *error)
{
    berth_object *object = NULL;
    daemons own = {0};
    TRY(berth_engine_node_object(s->engine, node, NULL, &object, error));
    berth_status status = find_daemons(s, node, &own, error);
    berth_node fresh = *object->as.node;
    fresh.unschedulable = false;
    const berth_node_template from = {
        .size = sizeof(from), .node = &fresh, .pod_count = own.count, .pods = own.pods};
    if (status == BERTH_OK)
        status = berth_engine_add_nodes(t->branch, &from, 1, NULL, error);
    daemons_free(&own);
    berth_object_destroy(object);
    return status;
}

static void tell_amounts(text_buffer *text, const berth_amount *amounts, uint32_t count)
{
    for (uint32_t i = 0, told = 0; i < count; i++) {
        char amount[64];
        if (amounts[i].amount == 0)
            continue;
        usage_amount(amounts[i].resource, amounts[i].amount, amount, sizeof(amount));
        text_add(text, "%s%.*s %s", told++ > 0 ? ", " : "", (int)amounts[i].resource.len,
                 amounts[i].resource.data, amount);
    }
}

/* Describe a node's amounts and taints. One of several nodes with the same description is enough,
 * even if their zones and labels differ. */
static void tell_shape(const remedy_search *s, berth_node_id node, text_buffer *text)
{
    berth_amount amounts[AMOUNTS_MAX];
    berth_taint taints[TAINTS_MAX];
    uint32_t count = berth_engine_node_allocatable(s->engine, node, amounts, AMOUNTS_MAX);
    tell_amounts(text, amounts, count < AMOUNTS_MAX ? count : AMOUNTS_MAX);
    count = berth_engine_node_taints(s->engine, node, taints, TAINTS_MAX);
    for (uint32_t i = 0; i < count && i < TAINTS_MAX; i++) {
        text_add(text, "|");
        taint_text(text, &taints[i]);
    }
}

static void note_like(const remedy_search *s, berth_node_id node, const trial_answer *answer,
                      remedies *out)
{
    berth_amount amounts[AMOUNTS_MAX];
    text_buffer text = {0};
    uint32_t count = berth_engine_node_allocatable(s->engine, node, amounts, AMOUNTS_MAX);
    text_add(&text, "one more node like ");
    text_add_str(&text, berth_engine_node_name(s->engine, node));
    text_add(&text, " (");
    tell_amounts(&text, amounts, count < AMOUNTS_MAX ? count : AMOUNTS_MAX);
    text_add(&text, ")");
    remedies_add(out, "newNode", text.text, answer);
    text_free(&text);
}

static berth_status try_like(const remedy_search *s, trial *t, berth_node_id node, remedies *out,
                             bool *helped, berth_error *error)
{
    trial_answer answer = {.verdict = BERTH_VERDICT_ERROR};
    TRY(trial_begin(t, error));
    berth_status status = add_like(s, t, node, error);
    if (status == BERTH_OK)
        status = decide(s, t, &answer, error);
    trial_back(t);
    *helped = status == BERTH_OK && answer.verdict == BERTH_VERDICT_PLACED;
    if (*helped)
        note_like(s, node, &answer, out);
    return status;
}

/* ---- a node made for the pod ---- */

static uint32_t made_amounts(const remedy_search *s, berth_amount amounts[AMOUNTS_MAX])
{
    uint32_t count = berth_engine_pod_requests(s->engine, s->pod, amounts, AMOUNTS_MAX - 1);
    count = count < AMOUNTS_MAX - 1 ? count : AMOUNTS_MAX - 1;
    amounts[count] = (berth_amount){words_of("pods"), 1};
    return count + 1;
}

/* Add a domain of a topology key that some node is in; the hostname is the new node's own. */
static void add_domain(const remedy_search *s, berth_str key, berth_key_value *labels,
                       uint32_t *count)
{
    bool there = words_equal(key, words_of("kubernetes.io/hostname")) || *count == MISSING_MAX;
    for (uint32_t i = 0; i < *count && !there; i++)
        there = words_equal(labels[i].key, key);
    berth_node_id limit = berth_engine_node_limit(s->engine);
    for (berth_node_id node = 0; node < limit && !there; node++) {
        berth_str value = berth_engine_node_label(s->engine, node, key);
        there = value.data != NULL;
        if (there)
            labels[(*count)++] = (berth_key_value){key, value};
    }
}

/* The labels with which the pod fits: those that a node without labels would lack, and the domains
 * of the pod's rules. */
static uint32_t made_labels(const remedy_search *s, trial *t, berth_node_id bare,
                            berth_key_value labels[MISSING_MAX])
{
    bool enough = false;
    const berth_pod *pod = s->object;
    uint32_t count = missing_labels_of(t->branch, pod, bare, labels, &enough);
    for (uint32_t i = 0; i < pod->spread_count; i++)
        if (words_equal(pod->spreads[i].when_unsatisfiable, words_of("DoNotSchedule")))
            add_domain(s, pod->spreads[i].topology_key, labels, &count);
    for (uint32_t i = 0; i < pod->pod_affinity.required_count; i++)
        add_domain(s, pod->pod_affinity.required[i].topology_key, labels, &count);
    return count;
}

static berth_status add_made(const remedy_search *s, trial *t, berth_key_value *labels,
                             uint32_t *label_count, berth_error *error)
{
    berth_amount amounts[AMOUNTS_MAX];
    berth_resource resources[AMOUNTS_MAX];
    uint32_t count = made_amounts(s, amounts);
    for (uint32_t i = 0; i < count; i++) {
        bool cpu = words_equal(amounts[i].resource, words_of("cpu"));
        int64_t amount = amounts[i].amount;
        resources[i] = (berth_resource){
            amounts[i].resource,
            {cpu ? amount / 1000 : amount, cpu ? (int32_t)(amount % 1000) * 1000000 : 0}};
    }
    berth_node_id id = BERTH_NODE_NONE;
    const berth_key_value host = {words_of("kubernetes.io/hostname"), words_of("new-node")};
    const berth_node node = {.meta = {.name = words_of("new-node"), .labels = {&host, 1}},
                             .allocatable = {resources, count}};
    const berth_node_template from = {.size = sizeof(from), .node = &node};
    TRY(berth_engine_add_nodes(t->branch, &from, 1, &id, error));
    *label_count = made_labels(s, t, id, labels);
    return *label_count > 0 ? relabel(t, id, labels, *label_count, error) : BERTH_OK;
}

static berth_status try_made(const remedy_search *s, trial *t, remedies *out, berth_error *error)
{
    trial_answer answer = {.verdict = BERTH_VERDICT_ERROR};
    berth_key_value labels[MISSING_MAX];
    uint32_t label_count = 0;
    TRY(trial_begin(t, error));
    berth_status status = add_made(s, t, labels, &label_count, error);
    if (status == BERTH_OK)
        status = decide(s, t, &answer, error);
    trial_back(t);
    if (status != BERTH_OK || answer.verdict != BERTH_VERDICT_PLACED)
        return status;
    text_buffer text = {0};
    berth_amount amounts[AMOUNTS_MAX];
    text_add(&text, "a new node of ");
    uint32_t amount_count = made_amounts(s, amounts);
    tell_amounts(&text, amounts, amount_count);
    for (uint32_t i = 0; i < label_count; i++)
        text_add(&text, "%s %.*s=%.*s", i > 0 ? "," : " or more, labelled", (int)labels[i].key.len,
                 labels[i].key.data, (int)labels[i].value.len, labels[i].value.data);
    text_add(&text, "%s", label_count > 0 ? "" : " or more");
    remedies_add(out, "newNode", text.text, &answer);
    text_free(&text);
    return BERTH_OK;
}

/* Try one more node of a shape, unless one with the same description is known to help. */
static berth_status try_shape(const remedy_search *s, trial *t, berth_node_id node,
                              word_table *helpful, remedies *out, berth_error *error)
{
    text_buffer text = {0};
    uint32_t number = 0;
    bool helped = false;
    berth_status status = BERTH_OK;
    tell_shape(s, node, &text);
    if (!word_table_find(helpful, text_str(&text), &number))
        status = try_like(s, t, node, out, &helped, error);
    if (helped)
        (void)word_table_add(helpful, text_str(&text));
    text_free(&text);
    return status;
}

berth_status node_remedies_add(const remedy_search *s, trial *t, remedies *out, berth_error *error)
{
    shape shapes[SHAPES_MAX];
    uint32_t count = 0;
    word_table helpful = {0};
    TRY(find_shapes(s, shapes, &count, error));
    uint32_t tried = s->lacks->count > MANY_NODES ? SHAPES_ON_MANY_MAX : SHAPES_MAX;
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < count; i++) {
        if (status == BERTH_OK && helpful.count < SHAPES_SHOWN && i < tried)
            status = try_shape(s, t, shapes[i].node, &helpful, out, error);
        free(shapes[i].key);
    }
    bool none = helpful.count == 0;
    word_table_free(&helpful);
    return status == BERTH_OK && none ? try_made(s, t, out, error) : status;
}
