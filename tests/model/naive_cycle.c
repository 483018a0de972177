/* One attempt to place one pod, step by step: cycle.md §3 to §8, v1.36.md §6 and §9. */
#include <stdlib.h>
#include <string.h>

#include "naive.h"

static const naive_plugin plugins[] = {
    {"NodeUnschedulable", NULL, naive_node_unschedulable, NULL},
    {"NodeName", naive_pre_node_name, naive_node_name, NULL},
    {"TaintToleration", NULL, naive_taints, naive_score_taints},
    {"NodeAffinity", naive_pre_node_affinity, naive_node_affinity, naive_score_node_affinity},
    {"NodePorts", naive_pre_ports, naive_ports, NULL},
    {"NodeResourcesFit", NULL, naive_fit, naive_score_fit},
    {"VolumeRestrictions", naive_pre_restrictions, naive_restrictions, NULL},
    {"NodeVolumeLimits", NULL, naive_volume_limits, NULL},
    {"VolumeBinding", naive_pre_binding, naive_binding, naive_score_binding},
    {"VolumeZone", naive_pre_zone, naive_zone_filter, NULL},
    {"PodTopologySpread", naive_pre_spread, naive_spread_filter, naive_spread_score},
    {"InterPodAffinity", naive_pre_affinity, naive_affinity_filter, naive_affinity_score},
    {"DynamicResources", naive_pre_devices, naive_devices_filter, naive_devices_score},
    {"NodeDeclaredFeatures", naive_pre_features, naive_features, NULL},
    {"NodeResourcesBalancedAllocation", NULL, NULL, naive_score_balanced},
    {"ImageLocality", NULL, NULL, naive_score_images},
};
#define PLUGIN_COUNT (sizeof(plugins) / sizeof(plugins[0]))

/* The functions of a plugin; none for a plugin that the scheduler runs elsewhere. */
static const naive_plugin *plugin_of(const berth_plugin_ref *ref)
{
    static const naive_plugin nothing = {0};
    berth_str name = ref->implementation.len > 0 ? ref->implementation : ref->name;
    const naive_plugin *legacy = naive_legacy_plugin(name);
    for (size_t i = 0; i < PLUGIN_COUNT; i++) {
        if (naive_is(name, plugins[i].name)) {
            return &plugins[i];
        }
    }
    return legacy != NULL ? legacy : &nothing;
}

static bool skipped(const naive_attempt *a, const naive_plugin *plugin)
{
    return plugin >= plugins && plugin < plugins + PLUGIN_COUNT && a->skip[plugin - plugins];
}

/* ---- plugins that a profile leaves out at some of their points ---- */

static const berth_plugin_ref *listed(const naive_attempt *a, berth_point point, berth_str name)
{
    const berth_plugin_list list = naive_list(a->profile, point);
    for (uint32_t i = 0; i < list.count; i++) {
        if (naive_same(list.items[i].name, name)) {
            return &list.items[i];
        }
    }
    return NULL;
}

/* Does the plugin run at a point but not at the preparing point before it? A profile without the
 * list of that point leaves out no plugin. */
static bool bare(const naive_attempt *a, berth_point before, berth_str name)
{
    return a->profile->era == BERTH_ERA_V1 && naive_list(a->profile, before).items != NULL &&
           listed(a, before, name) == NULL;
}

/* The error of a filter that lacks the state of its preFilter, or NULL. VolumeRestrictions checks
 * disks first. */
static const char *missed_by_filter(naive_attempt *a, berth_str name, const berth_node *node)
{
    static const char *const texts[][2] = {
        {"NodePorts", "reading \"PreFilterNodePorts\" from cycleState: not found"},
        {"NodeResourcesFit",
         "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found"},
        {"VolumeRestrictions", "cannot read \"PreFilterVolumeRestrictions\" from cycleState"},
        {"VolumeBinding", "not found"},
        {"PodTopologySpread", "reading \"PreFilterPodTopologySpread\" from cycleState: not found"},
        {"InterPodAffinity",
         "error reading \"PreFilterInterPodAffinity\" from cycleState: not found"},
        {"DynamicResources", "not found"},
        {"NodeDeclaredFeatures",
         "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found"},
    };
    if (!bare(a, BERTH_POINT_PRE_FILTER, name) ||
        (naive_is(name, "VolumeRestrictions") && naive_disks_taken(a, node))) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (naive_is(name, texts[i][0])) {
            return naive_print(a->region, "running \"%.*s\" filter plugin: %s", NAIVE_TEXT(name),
                               texts[i][1]);
        }
    }
    return NULL;
}

/* Does a score read state that its missing preScore would have left? */
static bool misses_score_state(const naive_attempt *a, berth_str name)
{
    return (naive_is(name, "TaintToleration") || naive_is(name, "PodTopologySpread") ||
            naive_is(name, "InterPodAffinity")) &&
           bare(a, BERTH_POINT_PRE_SCORE, name);
}

/* ---- filters on one node ---- */

/* Runs one plugin on a node. */
static bool run_filter(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                       naive_refusal *refusal)
{
    const naive_plugin *plugin = plugin_of(ref);
    if (skipped(a, plugin)) {
        return true;
    }
    const char *missed = missed_by_filter(a, ref->name, node);
    refusal->error = missed != NULL;
    if (missed != NULL) {
        return naive_refuse(a, refusal, true, missed);
    }
    if (naive_is(ref->name, "VolumeZone") && bare(a, BERTH_POINT_PRE_FILTER, ref->name) &&
        plugin->pre_filter(a, ref, refusal) == NAIVE_REFUSE) {
        return false;
    }
    return plugin->filter == NULL || plugin->filter(a, ref, node, refusal);
}

static bool run_filters(naive_attempt *a, const berth_node *node, naive_refusal *refusal)
{
    const berth_plugin_list list = naive_list(a->profile, BERTH_POINT_FILTER);
    *refusal = (naive_refusal){.node = node};
    for (uint32_t i = 0; i < list.count; i++) {
        if (!run_filter(a, &list.items[i], node, refusal)) {
            refusal->plugin = list.items[i].name;
            return false;
        }
    }
    return true;
}

static bool skips(const naive_attempt *a, const char *name)
{
    for (size_t p = 0; p < PLUGIN_COUNT; p++) {
        if (strcmp(plugins[p].name, name) == 0) {
            return a->skip[p];
        }
    }
    return true;
}

static void tell_plugins(naive_attempt *a, const berth_pod *pod, const berth_node *node, int sign)
{
    if (!skips(a, "VolumeRestrictions")) {
        naive_restrictions_change(a, pod, sign);
    }
    if (!skips(a, "PodTopologySpread")) {
        naive_spread_change(a, pod, node, sign);
    }
    if (!skips(a, "InterPodAffinity")) {
        naive_affinity_change(a, pod, node, sign);
    }
}

void naive_try_on(naive_attempt *a, naive_pod *pod, const berth_node *node)
{
    naive_put_on(a->region, a->cluster, pod, node->meta.name);
    tell_plugins(a, pod->pod, node, 1);
}

void naive_try_off(naive_attempt *a, naive_pod *pod, const berth_node *node)
{
    naive_take_off(a->cluster, pod);
    tell_plugins(a, pod->pod, node, -1);
}

static void *copy_of(naive_region *region, const void *items, size_t count, size_t bytes)
{
    void *copy = naive_alloc(region, 2 * (count + 1) * bytes);
    if (count > 0) {
        memcpy(copy, items, count * bytes);
    }
    return copy;
}

static void copy_counts(naive_region *region, naive_counts *counts)
{
    counts->items = copy_of(region, counts->items, counts->count, sizeof(*counts->items));
}

naive_attempt *naive_attempt_copy(const naive_attempt *a)
{
    naive_attempt *copy = naive_alloc(a->region, sizeof(*copy));
    naive_cluster *cluster = naive_alloc(a->region, sizeof(*cluster));
    *copy = *a;
    *cluster = *a->cluster;
    copy->cluster = cluster;
    cluster->region = (naive_region){0};
    cluster->pods = copy_of(a->region, cluster->pods, cluster->pod_count, sizeof(naive_pod));
    cluster->ports = copy_of(a->region, cluster->ports, cluster->port_count, sizeof(naive_port));
    copy_counts(a->region, &copy->spread_counts);
    copy_counts(a->region, &copy->affinity_counts);
    copy_counts(a->region, &copy->anti_counts);
    copy_counts(a->region, &copy->existing_counts);
    return copy;
}

static bool nominated_here(const naive_attempt *a, const naive_pod *p, const berth_node *node)
{
    return p->node.len == 0 && naive_same(p->pod->nominated_node_name, node->meta.name) &&
           p->pod->priority >= a->pod->priority && !naive_same_object(&p->pod->meta, &a->pod->meta);
}

/* A copy of the attempt with the pods nominated for the node on it; NULL if there are none. */
static naive_attempt *with_nominated(naive_attempt *a, const berth_node *node)
{
    naive_attempt *with = NULL;
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        if (nominated_here(a, &a->cluster->pods[i], node)) {
            with = with != NULL ? with : naive_attempt_copy(a);
            naive_try_on(with, &with->cluster->pods[i], node);
        }
    }
    return with;
}

bool naive_passes(naive_attempt *a, const berth_node *node, naive_refusal *refusal)
{
    naive_attempt *with = with_nominated(a, node);
    if (with != NULL && !run_filters(with, node, refusal)) {
        a->error = a->error || with->error;
        return false;
    }
    return run_filters(a, node, refusal);
}

/* ---- PreFilter ---- */

/* Returns the refusal of all nodes, or NULL. */
static naive_refusal *run_pre_filters(naive_attempt *a)
{
    const berth_plugin_list list = naive_list(a->profile, BERTH_POINT_PRE_FILTER);
    for (uint32_t i = 0; i < list.count; i++) {
        const naive_plugin *plugin = plugin_of(&list.items[i]);
        if (plugin->pre_filter == NULL) {
            continue;
        }
        naive_refusal *refusal = naive_alloc(a->region, sizeof(*refusal));
        naive_outcome outcome = plugin->pre_filter(a, &list.items[i], refusal);
        a->skip[plugin - plugins] = outcome == NAIVE_SKIP;
        if (outcome == NAIVE_REFUSE) {
            refusal->plugin = list.items[i].name;
            return refusal;
        }
    }
    return NULL;
}

/* ---- search ---- */

static uint32_t nodes_to_find(const naive_attempt *a, size_t n)
{
    int64_t p = a->profile->percentage_of_nodes_to_score;
    int64_t minimum = a->profile->min_feasible_nodes > 0 ? a->profile->min_feasible_nodes : 100;
    bool modern = a->profile->era == BERTH_ERA_V1;
    if (modern && naive_list(a->profile, BERTH_POINT_SCORE).count == 0) {
        return 1;
    }
    if ((int64_t)n < minimum || p >= 100) {
        return (uint32_t)n;
    }
    if (p == 0) {
        p = 50 - (int64_t)n / 125;
        p = p < 5 ? 5 : p;
    }
    int64_t k = (int64_t)n * p / 100;
    return (uint32_t)(k < minimum ? minimum : k);
}

static void record(naive_decision *d, const naive_refusal *refusal)
{
    d->refusals = naive_grow(&d->region, d->refusals, d->refusal_count, sizeof(*refusal));
    d->refusals[d->refusal_count++] = *refusal;
}

static void record_node(naive_decision *d, const naive_refusal *refusal)
{
    record(d, refusal);
    d->refused_nodes++;
}

/* Records every predicate that fails when evaluated separately. */
static size_t record_failing(naive_attempt *a, naive_decision *d, const berth_node *node)
{
    const berth_plugin_list list = naive_list(a->profile, BERTH_POINT_FILTER);
    size_t before = d->refusal_count;
    for (uint32_t i = 0; i < list.count; i++) {
        const naive_plugin *plugin = plugin_of(&list.items[i]);
        naive_refusal refusal = {.node = node, .plugin = list.items[i].name};
        if (plugin->filter != NULL && !plugin->filter(a, &list.items[i], node, &refusal)) {
            record(d, &refusal);
        }
    }
    return d->refusal_count - before;
}

/* v1.15 with alwaysCheckAllPredicates: records a refusal for each predicate that fails while the
 * nominated pods are on the node; if all pass, those that fail without these pods. */
static void record_all(naive_attempt *a, naive_decision *d, const berth_node *node)
{
    naive_attempt *with = with_nominated(a, node);
    if (with == NULL || record_failing(with, d, node) == 0) {
        record_failing(a, d, node);
    }
    d->refused_nodes++;
}

/* Tries the node of status.nominatedNodeName alone first, except in v1.15. Returns true if it is
 * feasible. */
static bool try_nominated(naive_attempt *a, naive_decision *d)
{
    naive_refusal refusal;
    const berth_node *node = naive_find_node(a->cluster, a->pod->nominated_node_name);
    if (a->pod->nominated_node_name.len == 0 || node == NULL ||
        a->profile->era == BERTH_ERA_V1ALPHA1) {
        return false;
    }
    if (naive_passes(a, node, &refusal)) {
        d->feasible[d->feasible_count++] = node;
        return true;
    }
    if (!refusal.error) {
        record_node(d, &refusal);
        d->nominated_refuser = refusal.plugin;
    }
    return false;
}

static const berth_node **candidates(const naive_attempt *a, size_t *count)
{
    berth_strs allowed = {a->allowed, (uint32_t)a->allowed_count};
    const berth_node **list = naive_alloc(a->region, (a->node_count + 1) * sizeof(*list));
    *count = 0;
    for (size_t i = 0; i < a->node_count; i++) {
        if (!a->allow_listed || naive_in(allowed, a->nodes[i]->meta.name)) {
            list[(*count)++] = a->nodes[i];
        }
    }
    return list;
}

static void search(naive_attempt *a, naive_decision *d)
{
    size_t n;
    const berth_node **list = candidates(a, &n);
    uint32_t wanted = nodes_to_find(a, n);
    size_t discarded = 0;
    for (size_t i = 0; i < n; i++) {
        const berth_node *node = list[(d->start + i) % n];
        naive_refusal refusal;
        bool known = d->refusal_count > 0 && d->refusals[0].node == node;
        bool passes = naive_passes(a, node, &refusal);
        if (!passes && refusal.error) { /* the search ends without a result */
            d->error = true;
            d->message = refusal.reasons[0];
            d->next = (uint32_t)((d->start + d->feasible_count + d->refused_nodes) % a->node_count);
            d->feasible_count = 0;
            return;
        }
        if (passes && d->feasible_count == wanted) {
            discarded = a->profile->era == BERTH_ERA_V1ALPHA1; /* its iterator is past the node */
            break;
        }
        if (passes) {
            d->feasible[d->feasible_count++] = node;
        } else if (a->profile->always_check_all) {
            record_all(a, d, node);
        } else if (!known) {
            record_node(d, &refusal);
        }
    }
    d->next =
        (uint32_t)((d->start + d->feasible_count + d->refused_nodes + discarded) % a->node_count);
}

/* ---- scores ---- */

/* A plugin that runs at preScore and not at score can only fail. */
static void prepare_in_vain(naive_attempt *a, naive_decision *d)
{
    const berth_plugin_list before = naive_list(a->profile, BERTH_POINT_PRE_SCORE);
    int64_t *unheard = naive_alloc(&d->region, (d->feasible_count + 1) * sizeof(*unheard));
    for (uint32_t i = 0; i < before.count; i++) {
        const naive_plugin *plugin = plugin_of(&before.items[i]);
        if (plugin->score != NULL && listed(a, BERTH_POINT_SCORE, before.items[i].name) == NULL) {
            plugin->score(a, &before.items[i], d->feasible, d->feasible_count, unheard);
        }
    }
}

static void score(naive_attempt *a, naive_decision *d)
{
    const berth_plugin_list list = naive_list(a->profile, BERTH_POINT_SCORE);
    size_t bytes = (d->feasible_count + 1) * sizeof(int64_t);
    if (list.count > 0 && a->profile->era == BERTH_ERA_V1) {
        prepare_in_vain(a, d);
    }
    d->total = naive_alloc(&d->region, bytes);
    for (uint32_t i = 0; i < list.count; i++) {
        const berth_plugin_ref *ref = &list.items[i];
        const naive_plugin *plugin = plugin_of(ref);
        int64_t *values = naive_alloc(&d->region, bytes);
        bool alone = bare(a, BERTH_POINT_PRE_SCORE, ref->name); /* it cannot be skipped */
        a->error = a->error || misses_score_state(a, ref->name);
        bool scores =
            plugin->score != NULL && plugin->score(a, ref, d->feasible, d->feasible_count, values);
        alone =
            alone && (naive_is(ref->name, "NodeAffinity") || naive_is(ref->name, "VolumeBinding") ||
                      naive_is(ref->name, "NodeResourcesBalancedAllocation"));
        if (!scores && !alone) {
            continue;
        }
        for (size_t n = 0; n < d->feasible_count; n++) {
            values[n] *= ref->weight;
            d->total[n] += values[n];
        }
        d->scores = naive_grow(&d->region, d->scores, d->score_count, sizeof(*d->scores));
        d->scores[d->score_count++] = (naive_score){ref->name, values};
    }
    for (size_t n = 0; n < d->feasible_count; n++) {
        d->total[n] = list.count == 0 ? 1 : d->total[n];
        if (n == 0 || d->total[n] > d->best_total) {
            d->best_total = d->total[n];
            d->best_count = 0;
        }
        d->best_count += d->total[n] == d->best_total;
    }
}

/* ---- failure message ---- */

void naive_histogram_add(naive_region *region, naive_histogram *h, const char *reason, size_t n)
{
    for (size_t i = 0; i < h->count; i++) {
        if (strcmp(h->reasons[i], reason) == 0) {
            h->counts[i] += n;
            return;
        }
    }
    h->reasons = naive_grow(region, h->reasons, h->count, sizeof(*h->reasons));
    h->counts = naive_grow(region, h->counts, h->count, sizeof(*h->counts));
    h->reasons[h->count] = reason;
    h->counts[h->count++] = n;
}

static int compare_texts(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

const char *naive_histogram_message(naive_region *region, naive_histogram *h, size_t node_count)
{
    const char **entries = naive_alloc(region, (h->count + 1) * sizeof(*entries));
    const char *text = naive_print(region, "0/%zu nodes are available:", node_count);
    for (size_t i = 0; i < h->count; i++) {
        entries[i] = naive_print(region, "%zu %s", h->counts[i], h->reasons[i]);
    }
    qsort(entries, h->count, sizeof(*entries), compare_texts);
    for (size_t i = 0; i < h->count; i++) {
        text = naive_print(region, "%s %s%s", text, entries[i], i + 1 < h->count ? "," : ".");
    }
    return text;
}

static const char *joined_reasons(naive_region *region, const naive_refusal *refusal)
{
    const char *text = "";
    for (size_t i = 0; i < refusal->reason_count; i++) {
        text = naive_print(region, "%s%s%s", text, i > 0 ? ", " : "", refusal->reasons[i]);
    }
    return text;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The plugins that narrowed the search. kube-scheduler keeps the one that refused the nominated
 * node in the same set. */
static const char *narrowing_plugins(const naive_attempt *a, const naive_decision *d)
{
    const char *names[3], *text = "";
    size_t count = 0;
    if (a->pod->node_name.len == 0 || a->affinity_listed) {
        names[count++] = "NodeAffinity";
    }
    if (a->pod->node_name.len > 0) {
        names[count++] = "NodeName";
    }
    if (d->nominated_refuser.len > 0) {
        names[count++] = naive_print(a->region, "%.*s", (int)d->nominated_refuser.len,
                                     d->nominated_refuser.data);
    }
    qsort(names, count, sizeof(*names), by_text);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(names[i - 1], names[i]) != 0) {
            text = naive_print(a->region, "%s%s%s", text, i > 0 ? " " : "", names[i]);
        }
    }
    return text;
}

static const char *failure_message(naive_attempt *a, const naive_decision *d)
{
    if (d->pre_filter != NULL) {
        return naive_print(a->region, "0/%zu nodes are available: %s.", a->node_count,
                           d->pre_filter);
    }
    naive_histogram h = {0};
    for (size_t i = 0; i < d->refusal_count; i++) {
        for (size_t k = 0; k < d->refusals[i].reason_count; k++) {
            naive_histogram_add(a->region, &h, d->refusals[i].reasons[k], 1);
        }
    }
    if (a->allow_listed && d->refused_nodes < a->node_count) {
        naive_histogram_add(a->region, &h,
                            naive_print(a->region, "node(s) didn't satisfy plugin(s) [%s]",
                                        narrowing_plugins(a, d)),
                            a->node_count - d->refused_nodes);
    }
    return naive_histogram_message(a->region, &h, a->node_count);
}

/* PostFilter: returns the reasons of its plugins, NULL if one of them helped, "" if there is
 * none. */
static const char *post_filter(naive_attempt *a, naive_decision *d)
{
    const berth_plugin_list list = naive_list(a->profile, BERTH_POINT_POST_FILTER);
    const char *reasons = "";
    for (uint32_t i = 0; i < list.count; i++) {
        const char *reason = NULL;
        if (naive_is(list.items[i].name, "DynamicResources")) {
            if (!a->devices_looked_up) {
                return "not found"; /* an error: its PreFilter did not run */
            }
            reason = naive_devices_post_filter(a);
        } else if (naive_is(list.items[i].name, "DefaultPreemption")) {
            reason = naive_preempt(a, d->refusals, d->refusal_count, d);
            if (d->nominated != NULL || d->preemption_error) {
                return reason; /* NULL before v1.37 if it helped */
            }
        } else {
            continue;
        }
        bool both = reasons[0] != '\0' && reason[0] != '\0';
        reasons = naive_print(a->region, "%s%s%s", reasons, both ? ", " : "", reason);
    }
    return reasons;
}

static void fail(naive_attempt *a, naive_decision *d)
{
    d->message = failure_message(a, d);
    const char *more = post_filter(a, d);
    if (more != NULL && more[0] != '\0') {
        d->message = naive_print(a->region, "%s %s", d->message, more);
    }
}

/* ---- the chosen node ---- */

/* As in Go's container/heap: the larger child (of equals the left one) moves up only if it is
 * larger than its parent. */
static void sift_down(size_t *heap, size_t count, size_t i, const int64_t *total)
{
    for (size_t child = 2 * i + 1; child < count; i = child, child = 2 * i + 1) {
        if (child + 1 < count && total[heap[child + 1]] > total[heap[child]]) {
            child++;
        }
        if (total[heap[child]] <= total[heap[i]]) {
            return;
        }
        size_t other = heap[i];
        heap[i] = heap[child];
        heap[child] = other;
    }
}

void naive_choose(naive_decision *d)
{
    size_t *heap = naive_alloc(&d->region, (d->feasible_count + 1) * sizeof(*heap));
    for (size_t i = 0; i < d->feasible_count; i++) {
        heap[i] = i;
    }
    for (size_t i = d->feasible_count / 2; i-- > 0;) {
        sift_down(heap, d->feasible_count, i, d->total);
    }
    d->chosen = d->feasible[heap[0]];
}

/* ---- the whole decision ---- */

void naive_decide(naive_cluster *cluster, const berth_profile *profile, const berth_pod *pod,
                  naive_decision *d)
{
    *d = (naive_decision){.start = cluster->start, .next = cluster->start};
    naive_attempt a = {.region = &d->region, .cluster = cluster, .profile = profile, .pod = pod};
    naive_refresh(cluster);
    if (pod->scheduling_gates.count == 0) {
        naive_copy_changed(cluster);
    }
    a.node_count = cluster->order_count;
    a.nodes = naive_alloc(&d->region, (a.node_count + 1) * sizeof(*a.nodes));
    d->feasible = naive_alloc(&d->region, (a.node_count + 1) * sizeof(*d->feasible));
    for (size_t i = 0; i < a.node_count; i++) {
        a.nodes[i] = naive_find_node(cluster, cluster->order[i]);
    }
    if (a.node_count == 0) {
        d->pre_filter = "no nodes available to schedule pods";
        d->message = d->pre_filter;
        return;
    }
    naive_refusal *refusal = run_pre_filters(&a);
    d->allow_listed = a.allow_listed;
    if (refusal != NULL) {
        d->pre_filter = joined_reasons(&d->region, refusal);
    } else if (!try_nominated(&a, d)) {
        search(&a, d);
        cluster->start = d->next;
    }
    if (d->error) {
        d->chosen = NULL; /* no scores, and no preemption */
    } else if (d->feasible_count == 0) {
        fail(&a, d);
    } else {
        score(&a, d);
        if (a.error && d->feasible_count == 1 && profile->era == BERTH_ERA_V1) {
            d->score_count = 0; /* a single node is taken without scores */
            d->total[0] = d->best_total = 0;
        }
        naive_choose(d);
    }
    bool legacy = profile->era == BERTH_ERA_V1ALPHA1;
    d->error = d->error || (a.error && (d->feasible_count > 1 || legacy));
}

void naive_decision_free(naive_decision *decision)
{
    naive_region_free(&decision->region);
    memset(decision, 0, sizeof(*decision));
}
