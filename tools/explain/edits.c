/* Finds and applies the changes that a pod allows. */
#include "explain/edits.h"

#include <stdlib.h>
#include <string.h>

#include "cli/words.h"

enum { TAINT_SETS_MAX = 8 };

static edit *add(edits *e, edit_kind kind, berth_str key)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->items[i].kind == kind && words_equal(e->items[i].key, key))
            return &e->items[i];
    if (e->count == EDITS_MAX)
        return NULL;
    e->items[e->count] = (edit){.kind = kind, .key = key};
    return &e->items[e->count++];
}

static bool same_taints(const edit *e, const berth_taint *taints, uint32_t count)
{
    if (e->taint_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!words_equal(e->taints[i].key, taints[i].key) ||
            !words_equal(e->taints[i].value, taints[i].value) ||
            !words_equal(e->taints[i].effect, taints[i].effect))
            return false;
    return true;
}

static bool is_of_trouble(const berth_taint *taint)
{
    static const char prefix[] = "node.kubernetes.io/";
    return taint->key.len >= sizeof(prefix) - 1 &&
           memcmp(taint->key.data, prefix, sizeof(prefix) - 1) == 0;
}

static void note_taints(edits *e, const berth_taint *taints, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_of_trouble(&taints[i]))
            return;
    for (uint32_t i = 0; i < e->count; i++)
        if (same_taints(&e->items[i], taints, count)) {
            e->items[i].nodes++;
            return;
        }
    if (count == 0 || e->count == TAINT_SETS_MAX)
        return;
    edit *own = &e->items[e->count++];
    *own = (edit){.kind = EDIT_TOLERATE, .taint_count = count, .nodes = 1};
    memcpy(own->taints, taints, count * sizeof(*taints));
}

static int by_nodes(const void *a, const void *b)
{
    const edit *left = a;
    const edit *right = b;
    return left->nodes > right->nodes ? -1 : left->nodes < right->nodes;
}

/* Find taints to tolerate. A node may have taints even if another reason was reported, because an
 * earlier rule may have refused first. */
static void find_taints(edits *e, const berth_engine *engine, const berth_pod *pod,
                        const berth_explanation *why)
{
    for (uint32_t i = 0; i < berth_explanation_refusal_count(why); i++) {
        berth_refusal refusal = berth_explanation_refusal(why, i);
        berth_taint taints[TAINTS_MAX];
        uint32_t count = untolerated_of(engine, pod, refusal.node, taints);
        note_taints(e, taints, count);
    }
    qsort(e->items, e->count, sizeof(*e->items), by_nodes);
}

static bool has_host_port(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->container_count; i++)
        for (uint32_t k = 0; k < pod->containers[i].port_count; k++)
            if (pod->containers[i].ports[k].host_port > 0)
                return true;
    return false;
}

bool node_names_of(const berth_node_selector_term *term, word_table *names)
{
    bool any = false;
    for (uint32_t i = 0; i < term->match_fields.count; i++) {
        const berth_requirement *wanted = &term->match_fields.items[i];
        if (!words_equal(wanted->key, words_of("metadata.name")) ||
            !words_equal(wanted->op, words_of("In")))
            continue;
        any = true;
        for (uint32_t k = 0; k < wanted->values.count; k++)
            (void)word_table_add(names, wanted->values.items[k]);
    }
    return any;
}

/* Whether the DaemonSet controller chose the pod's node. */
static bool is_of_daemon_set(const berth_pod *pod)
{
    bool owned = false;
    const berth_node_selector *required = pod->node_affinity.required;
    for (uint32_t i = 0; i < pod->meta.owner_count; i++)
        owned |= pod->meta.owners[i].controller &&
                 words_equal(pod->meta.owners[i].kind, words_of("DaemonSet"));
    word_table names = {0};
    bool named = owned && required != NULL && required->count > 0;
    for (uint32_t t = 0; named && t < required->count; t++)
        named = node_names_of(&required->terms[t], &names);
    word_table_free(&names);
    return named;
}

static void find_rules(edits *e, const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->node_selector.count; i++)
        (void)add(e, EDIT_SELECTOR, pod->node_selector.entries[i].key);
    if (pod->node_affinity.required != NULL && !is_of_daemon_set(pod))
        (void)add(e, EDIT_NODE_AFFINITY, (berth_str){0});
    for (uint32_t i = 0; i < pod->pod_affinity.required_count; i++)
        (void)add(e, EDIT_AFFINITY, pod->pod_affinity.required[i].topology_key);
    for (uint32_t i = 0; i < pod->pod_anti_affinity.required_count; i++)
        (void)add(e, EDIT_ANTI_AFFINITY, pod->pod_anti_affinity.required[i].topology_key);
    for (uint32_t i = 0; i < pod->spread_count; i++)
        if (words_equal(pod->spreads[i].when_unsatisfiable, words_of("DoNotSchedule")))
            (void)add(e, EDIT_SPREAD, pod->spreads[i].topology_key);
    if (has_host_port(pod))
        (void)add(e, EDIT_HOST_PORTS, (berth_str){0});
    if (pod->scheduling_gates.count > 0)
        (void)add(e, EDIT_GATES, (berth_str){0});
}

void edits_find(edits *e, const berth_engine *engine, const berth_pod *pod,
                const berth_explanation *why)
{
    e->count = 0;
    find_taints(e, engine, pod, why);
    find_rules(e, pod);
}

void edit_apply(const edit *e, pod_draft *draft)
{
    switch (e->kind) {
    case EDIT_TOLERATE:
        pod_draft_tolerate(draft, e->taints, e->taint_count);
        break;
    case EDIT_SELECTOR:
        pod_draft_drop_selector(draft, e->key);
        break;
    case EDIT_NODE_AFFINITY:
        pod_draft_drop_node_affinity(draft);
        break;
    case EDIT_AFFINITY:
        pod_draft_drop_affinity(draft, e->key);
        break;
    case EDIT_ANTI_AFFINITY:
        pod_draft_drop_anti_affinity(draft, e->key);
        break;
    case EDIT_SPREAD:
        pod_draft_soften_spread(draft, e->key);
        break;
    case EDIT_HOST_PORTS:
        pod_draft_drop_host_ports(draft);
        break;
    case EDIT_GATES:
        pod_draft_drop_gates(draft);
        break;
    }
}

const char *edit_kind_name(edit_kind kind)
{
    static const char *const names[] = {
        [EDIT_TOLERATE] = "toleration",           [EDIT_SELECTOR] = "nodeSelector",
        [EDIT_NODE_AFFINITY] = "nodeAffinity",    [EDIT_AFFINITY] = "podAffinity",
        [EDIT_ANTI_AFFINITY] = "podAntiAffinity", [EDIT_SPREAD] = "topologySpread",
        [EDIT_HOST_PORTS] = "hostPorts",          [EDIT_GATES] = "schedulingGates",
    };
    return names[kind];
}

static void selector_text(const berth_pod *pod, berth_str key, text_buffer *out)
{
    text_add(out, "drop nodeSelector %.*s", (int)key.len, key.data);
    for (uint32_t i = 0; i < pod->node_selector.count; i++)
        if (words_equal(pod->node_selector.entries[i].key, key))
            text_add(out, "=%.*s", (int)pod->node_selector.entries[i].value.len,
                     pod->node_selector.entries[i].value.data);
}

void edit_text(const edit *e, const berth_pod *pod, text_buffer *out)
{
    switch (e->kind) {
    case EDIT_TOLERATE:
        for (uint32_t i = 0; i < e->taint_count; i++) {
            text_add(out, "%s", i > 0 ? " and " : "tolerate ");
            taint_text(out, &e->taints[i]);
        }
        break;
    case EDIT_SELECTOR:
        selector_text(pod, e->key, out);
        break;
    case EDIT_NODE_AFFINITY:
        text_add(out, "drop the required node affinity");
        break;
    case EDIT_AFFINITY:
    case EDIT_ANTI_AFFINITY:
        text_add(out, "drop the required pod %s by %.*s",
                 e->kind == EDIT_AFFINITY ? "affinity" : "anti-affinity", (int)e->key.len,
                 e->key.data);
        break;
    case EDIT_SPREAD:
        text_add(out, "let the topology spread by %.*s be ScheduleAnyway", (int)e->key.len,
                 e->key.data);
        break;
    case EDIT_HOST_PORTS:
        text_add(out, "drop the host ports");
        break;
    case EDIT_GATES:
        text_add(out, "remove the scheduling gates");
        break;
    }
}
