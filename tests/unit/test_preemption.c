/* Preemption and nominated pods: what-ifs leave no trace, the cheapest node is nominated, nodes are
 * kept for nominated pods, and the messages are kube-scheduler's. */
#include <stdlib.h>

#include "profile_points.h"
#define SMALL_KUBERNETES 32 /* test_rules_by_version.c has the messages of other versions */
#include "rule_cluster.h"

#include "base/text.h"
#include "decide/preemption.h"
#include "explain/message.h"

/* ---- objects ---- */

static berth_node_id add_node(small_cluster *c, const char *name, const char *cpu)
{
    return (berth_node_id)small_addf(
        c,
        "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {zone: z}}\n"
        "status: {allocatable: {cpu: '%s', memory: 8Gi, pods: '110'}}\n",
        name, cpu);
}

/* Add a pod that requests `cpu` cores; the other arguments are parts of its text. */
static berth_pod_id add_pod(small_cluster *c, const char *name, const char *cpu, int priority,
                            const char *spec, const char *meta, const char *status)
{
    return small_addf(c,
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, uid: u-%s%s}\n"
                      "spec: {priority: %d, containers: [{name: c, image: i, resources: {requests: "
                      "{cpu: %s}}}]%s}\nstatus: {%s}\n",
                      name, name, meta, priority, cpu, spec, status);
}

static berth_pod_id add_running(small_cluster *c, const char *name, const char *node,
                                const char *cpu, int priority)
{
    char spec[128];
    snprintf(spec, sizeof(spec), ", nodeName: %s", node);
    return add_pod(c, name, cpu, priority, spec, "", "");
}

static berth_pod_id add_pending(small_cluster *c, const char *name, const char *cpu, int priority)
{
    return add_pod(c, name, cpu, priority, "", "", "");
}

static void remove_object(small_cluster *c, berth_kind kind, const char *space, const char *name)
{
    assert_int_equal(
        berth_engine_remove(c->engine, kind, berth__text_of(space), berth__text_of(name), NULL),
        BERTH_OK);
}

static berth_status update_object(void *context, const berth_object *object,
                                  const berth_error *origin, berth_error *error)
{
    (void)origin;
    small_cluster *c = context;
    return berth_engine_update(c->engine, object, error);
}

/* Update a pod that requests one core, with this status. */
static void update_pod(small_cluster *c, const char *name, const char *status)
{
    char text[512];
    berth_error error;
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {priority: 10, containers: "
             "[{name: c, image: i, resources: {requests: {cpu: 1}}}]}\nstatus: {%s}\n",
             name, status);
    small_require(
        berth_reader_text(c->reader, berth__text_of(text), "test", update_object, c, &error),
        &error);
}

/* ---- answers ---- */

/* Preemption's choice as "NODE: VICTIM VICTIM ...", "" if there was none. Valid until the next
 * call. */
static const char *choice(small_cluster *c, berth_pod_id pod)
{
    static char text[1024];
    small_decide(c, pod);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    berth_node_id node = berth_explanation_nominated(c->explanation);
    text[0] = '\0';
    if (node == BERTH_NODE_NONE)
        return text;
    berth_str name = berth_engine_node_name(c->engine, node), space;
    size_t at = (size_t)snprintf(text, sizeof(text), "%.*s:", (int)name.len, name.data);
    for (uint32_t i = 0; i < berth_explanation_victim_count(c->explanation); i++) {
        berth_engine_pod_name(c->engine, berth_explanation_victim(c->explanation, i), &space,
                              &name);
        at += (size_t)snprintf(text + at, sizeof(text) - at, " %.*s", (int)name.len, name.data);
    }
    return text;
}

/* The preemption part of the failure message, or NULL. */
static const char *words(small_cluster *c, berth_pod_id pod)
{
    small_decide(c, pod);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    return strstr(berth_explanation_message(c->explanation).data, " preemption: ");
}

static berth_node_id placed_on(small_cluster *c, berth_pod_id pod)
{
    small_decide(c, pod);
    return c->placement.verdict == BERTH_VERDICT_PLACED ? c->placement.node : BERTH_NODE_NONE;
}

static void bind(small_cluster *c, berth_pod_id pod, berth_node_id node)
{
    assert_int_equal(berth_engine_bind(c->engine, pod, node, NULL), BERTH_OK);
}

static void nominate(small_cluster *c, berth_pod_id pod, berth_node_id node)
{
    assert_int_equal(berth_engine_nominate(c->engine, pod, node, NULL), BERTH_OK);
}

/* ---- choice ---- */

static void three_nodes(small_cluster *c)
{
    add_node(c, "a", "2");
    add_node(c, "b", "2");
    add_node(c, "c", "2");
    add_running(c, "a0", "a", "2", 5);
    add_pod(c, "b0", "1", 3, ", nodeName: b", "", "startTime: '2026-01-01T00:00:00Z'");
    add_pod(c, "b1", "1", 3, ", nodeName: b", "", "startTime: '2026-01-02T00:00:00Z'");
    add_pod(c, "c0", "1", 3, ", nodeName: c", ", labels: {app: c}", "");
    add_pod(c, "c1", "1", 2, ", nodeName: c", ", labels: {app: c}", "");
}

static void test_cheapest_node(void **state)
{
    small_cluster *c = *state;
    three_nodes(c);
    assert_string_equal(choice(c, add_pending(c, "big", "1500m", 10)), "c: c0 c1");
    assert_string_equal(choice(c, add_pending(c, "small", "1", 10)), "c: c1");
    assert_string_equal(choice(c, add_pending(c, "middle", "1", 3)), "c: c1");
    assert_null(words(c, add_pending(c, "again", "1", 10)));
}

/* Update a running pod that requests one core. */
static void update_running(small_cluster *c, const char *name, const char *node, int priority,
                           const char *status)
{
    char text[512];
    berth_error error;
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {nodeName: %s, priority: %d, "
             "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}\nstatus: {%s}\n",
             name, node, priority, status);
    small_require(
        berth_reader_text(c->reader, berth__text_of(text), "test", update_object, c, &error),
        &error);
}

static void reprioritize(small_cluster *c, const char *name, const char *node, int priority)
{
    update_running(c, name, node, priority, "");
}

/* Nodes without pods of lower priority are skipped; every change keeps this up to date. */
static void test_lower_pods_are_known(void **state)
{
    small_cluster *c = *state;
    berth_error error;
    add_node(c, "a", "1");
    berth_pod_id high = add_pending(c, "high", "1", 10);
    add_running(c, "x", "a", "1", 10);
    assert_string_equal(choice(c, high), "");
    reprioritize(c, "x", "a", 9);
    assert_string_equal(choice(c, high), "a: x");
    reprioritize(c, "x", "a", 10);
    assert_string_equal(choice(c, high), "");

    small_require(berth_engine_begin(c->engine, &error), &error);
    reprioritize(c, "x", "a", 3);
    assert_string_equal(choice(c, high), "a: x");
    small_require(berth_engine_rollback(c->engine, &error), &error);
    assert_string_equal(choice(c, high), "");
    reprioritize(c, "x", "a", 3);
    small_require(berth_engine_begin(c->engine, &error), &error);
    remove_object(c, BERTH_KIND_POD, "default", "x");
    add_running(c, "w", "a", "1", 20);
    assert_string_equal(choice(c, high), "");
    small_require(berth_engine_rollback(c->engine, &error), &error);
    assert_string_equal(choice(c, high), "a: x");

    remove_object(c, BERTH_KIND_POD, "default", "x");
    add_running(c, "w", "a", "1", 20);
    assert_string_equal(choice(c, high), "");
    remove_object(c, BERTH_KIND_POD, "default", "w");
    berth_pod_id low = add_pending(c, "z", "1", -5);
    bind(c, low, berth_engine_find_node(c->engine, berth__text_of("a")));
    assert_string_equal(choice(c, high), "a: z");
}

static void test_budgets(void **state)
{
    small_cluster *c = *state;
    three_nodes(c);
    berth_pod_id small = add_pending(c, "small", "1", 10);
    berth_pod_id big = add_pending(c, "big", "1500m", 10);
    small_budget(c, "{matchLabels: {app: c}}", "disruptionsAllowed: 0");
    assert_string_equal(choice(c, small), "b: b1");
    remove_object(c, BERTH_KIND_POD_DISRUPTION_BUDGET, "default", "b");
    assert_string_equal(choice(c, small), "c: c1");
    /* One disruption is allowed, which covers one victim: the first of the two, the more important
     * one. */
    small_budget(c, "{matchLabels: {app: c}}", "disruptionsAllowed: 1");
    assert_string_equal(choice(c, big), "b: b0 b1");
    assert_string_equal(choice(c, small), "c: c0"); /* c1 is protected, so it is put back first */
    remove_object(c, BERTH_KIND_POD_DISRUPTION_BUDGET, "default", "b");
    small_budget(c, "{matchLabels: {app: c}}", "disruptionsAllowed: 2");
    assert_string_equal(choice(c, big), "c: c0 c1");
    remove_object(c, BERTH_KIND_POD_DISRUPTION_BUDGET, "default", "b");
    /* Pods that are already being disrupted are not counted. */
    small_budget(c, "{matchLabels: {app: c}}",
                 "disruptionsAllowed: 0, disruptedPods: {c0: '2026-01-01T00:00:00Z', "
                 "c1: '2026-01-01T00:00:00Z'}");
    assert_string_equal(choice(c, big), "c: c0 c1");
    remove_object(c, BERTH_KIND_POD_DISRUPTION_BUDGET, "default", "b");
    /* An empty selector matches no pod, and no selector matches a pod without labels. */
    small_budget(c, "{}", "disruptionsAllowed: 0");
    assert_string_equal(choice(c, small), "c: c1");
    remove_object(c, BERTH_KIND_POD_DISRUPTION_BUDGET, "default", "b");
    small_budget(c, "{matchExpressions: [{key: app, operator: DoesNotExist}]}",
                 "disruptionsAllowed: 0");
    assert_string_equal(choice(c, small), "c: c1");
    berth_error error;
    assert_int_equal(berth_engine_remove(c->engine, BERTH_KIND_POD_DISRUPTION_BUDGET,
                                         berth__text_of("default"), berth__text_of("other"),
                                         &error),
                     BERTH_E_NOT_FOUND);
}

/* Of two budgets, one of which counts the pod as disrupted already, the other one still counts. */
static void test_counted_in_one_of_two_budgets(void **state)
{
    small_cluster *c = *state;
    three_nodes(c);
    const berth_pod_id small = add_pending(c, "small", "1", 10);
    small_addf(c, "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"
                  "spec: {selector: {matchLabels: {app: c}}}\n"
                  "status: {disruptionsAllowed: 0, disruptedPods: {c0: '2026-01-01T00:00:00Z', "
                  "c1: '2026-01-01T00:00:00Z'}}\n");
    assert_string_equal(choice(c, small), "c: c1");
    small_budget(c, "{matchLabels: {app: c}}", "disruptionsAllowed: 0");
    assert_string_equal(choice(c, small), "b: b1");
}

/* A pod without a start time counts as started last, so it is evicted first. */
static void test_start_times(void **state)
{
    small_cluster *c = *state;
    add_node(c, "a", "3");
    add_running(c, "unknown", "a", "1", 3);
    add_pod(c, "early", "1", 3, ", nodeName: a", "", "startTime: '2026-01-01T00:00:00Z'");
    add_pod(c, "late", "1", 3, ", nodeName: a", "", "startTime: '2026-01-02T00:00:00Z'");
    assert_string_equal(choice(c, add_pending(c, "one", "1", 10)), "a: unknown");
    assert_string_equal(choice(c, add_pending(c, "two", "2", 10)), "a: late unknown");
    add_node(c, "b", "1");
    add_running(c, "other", "b", "1", 3);
    /* Neither victim has a start time: the first node in search order is chosen. */
    assert_string_equal(choice(c, add_pending(c, "third", "1", 10)), "a: unknown");
}

/* The pod started on that day. */
static void restart(small_cluster *c, const char *name, const char *node, int day)
{
    char status[64];
    snprintf(status, sizeof(status), "startTime: '2026-01-0%dT00:00:00Z'", day);
    update_running(c, name, node, 3, status);
}

/* The pod that started last is evicted. What was found for a node is found again after a pod there
 * has changed in nothing but its start, also in a transaction that is rolled back, and if there
 * were more changes than the journal of lists keeps. */
static void test_start_times_change(void **state)
{
    small_cluster *c = *state;
    berth_error error;
    add_node(c, "a", "1");
    add_node(c, "b", "1");
    add_running(c, "a0", "a", "1", 3);
    add_running(c, "b0", "b", "1", 3);
    const berth_pod_id high = add_pending(c, "high", "1", 10);
    restart(c, "a0", "a", 1);
    restart(c, "b0", "b", 2);
    assert_string_equal(choice(c, high), "b: b0");
    restart(c, "a0", "a", 3);
    assert_string_equal(choice(c, high), "a: a0");
    small_require(berth_engine_begin(c->engine, &error), &error);
    restart(c, "b0", "b", 4);
    assert_string_equal(choice(c, high), "b: b0");
    small_require(berth_engine_rollback(c->engine, &error), &error);
    assert_string_equal(choice(c, high), "a: a0");
    restart(c, "a0", "a", 1);
    for (int i = 0; i <= BERTH__LIST_JOURNAL; i++)
        restart(c, "b0", "b", 2);
    assert_string_equal(choice(c, high), "b: b0");
    small_require(berth_engine_check(c->engine, &error), &error);
}

static void test_words(void **state)
{
    small_cluster *c = *state;
    add_node(c, "a", "2");
    add_node(c, "b", "2");
    add_running(c, "a0", "a", "2", 10);
    add_running(c, "b0", "b", "1", 5);
    assert_string_equal(
        words(c, add_pending(c, "huge", "3", 10)),
        " preemption: 0/2 nodes are available: 1 Insufficient cpu, 1 No preemption victims found "
        "for incoming pod.");
    assert_string_equal(
        words(c, add_pod(c, "picky", "1", 10, ", nodeSelector: {zone: other}", "", "")),
        " preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
    assert_string_equal(words(c, add_pod(c, "meek", "2", 10, ", preemptionPolicy: Never", "", "")),
                        " preemption: not eligible due to preemptionPolicy=Never.");
    assert_null(words(c, add_pending(c, "able", "2", 10)));
    assert_int_equal(berth_explanation_nominated(c->explanation),
                     berth_engine_find_node(c->engine, berth__text_of("b")));
}

static void test_earlier_victims(void **state)
{
    static const char *const leaving = ", deletionTimestamp: '2026-01-01T00:00:00Z'";
    static const char *const by_scheduler =
        "conditions: [{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler}]";
    small_cluster *c = *state;
    berth_node_id a = add_node(c, "a", "2");
    add_pod(c, "a0", "1", 1, ", nodeName: a", leaving, by_scheduler);
    add_running(c, "a1", "a", "1", 20);
    berth_pod_id pod = add_pending(c, "p", "1", 10);
    assert_string_equal(choice(c, pod), "a: a0"); /* the pod is not nominated to the node */
    nominate(c, pod, a);
    assert_string_equal(words(c, pod), " preemption: not eligible due to a terminating pod on the "
                                       "nominated node.");
    nominate(c, pod, BERTH_NODE_NONE);
    assert_string_equal(choice(c, pod), "a: a0");
    /* A terminating pod does not count if it was not preempted, or has a higher priority. */
    nominate(c, pod, a);
    remove_object(c, BERTH_KIND_POD, "default", "a0");
    add_pod(c, "a2", "1", 1, ", nodeName: a", leaving,
            "conditions: [{type: DisruptionTarget, status: 'False', reason: "
            "PreemptionByScheduler}, {type: DisruptionTarget, status: 'True', reason: "
            "DeletionByTaintManager}]");
    add_pod(c, "a3", "0", 30, ", nodeName: a", leaving, by_scheduler);
    assert_string_equal(choice(c, pod), "a: a2");
}

/* ---- v1.15 ---- */

static void add_budget(small_cluster *c, const char *app, int allowed)
{
    small_addf(c,
               "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: %s}\n"
               "spec: {selector: {matchLabels: {app: %s}}}\nstatus: {disruptionsAllowed: %d}\n",
               app, app, allowed);
}

static void add_victim(small_cluster *c, const char *name, const char *node, int priority,
                       const char *app)
{
    char meta[64], spec[64];
    snprintf(meta, sizeof(meta), ", labels: {app: %s}", app);
    snprintf(spec, sizeof(spec), ", nodeName: %s", node);
    add_pod(c, name, "1", priority, spec, meta, "");
}

/* In v1.15, a victim does not use up its budget, so two that share the last disruption violate
 * nothing; and protected victims come first, whatever their priority. */
static void test_budgets_of_1_15(void **state)
{
    static const berth_plugin_ref fits = {.name = TEXT("PodFitsResources")};
    berth_profile legacy = {.era = BERTH_ERA_V1ALPHA1};
    profile_points points;
    berth_plugin_list *lists = own_points(&legacy, &points);
    lists[BERTH_POINT_FILTER] = (berth_plugin_list){&fits, 1};
    lists[BERTH_POINT_POST_FILTER] =
        berth_profile_list(berth_profile_default_of(SMALL_KUBERNETES), BERTH_POINT_POST_FILTER);
    static const char *const nodes[] = {"b: b0", "a: a0 a1"};
    static const char *const orders[] = {"c: c2 c1 c0", "c: c1 c2 c0"};
    (void)state;
    for (int old = 0; old < 2; old++) {
        small_cluster c;
        small_open(&c, old ? &legacy : berth_profile_default_of(SMALL_KUBERNETES));
        add_node(&c, "a", "2");
        add_node(&c, "b", "2");
        add_victim(&c, "a0", "a", 2, "x");
        add_victim(&c, "a1", "a", 1, "x");
        add_victim(&c, "b0", "b", 1, "u");
        add_budget(&c, "x", 1);
        add_budget(&c, "u", 0);
        assert_string_equal(choice(&c, add_pending(&c, "p", "2", 10)), nodes[old]);
        small_close(&c);
        small_open(&c, old ? &legacy : berth_profile_default_of(SMALL_KUBERNETES));
        add_node(&c, "c", "3");
        add_victim(&c, "c0", "c", 1, "w");
        add_victim(&c, "c1", "c", 2, "u");
        add_victim(&c, "c2", "c", 3, "w");
        add_budget(&c, "u", 0);
        assert_string_equal(choice(&c, add_pending(&c, "p", "3", 10)), orders[old]);
        small_close(&c);
    }
}

/* ---- what-ifs leave no trace ---- */

/* Host ports are a set: two pods that share a port are one entry, which is removed with the
 * first. */
static void test_ports_come_back(void **state)
{
    static const char *const with_port =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {priority: %d, %scontainers: "
        "[{name: c, image: i, ports: [{containerPort: 1, hostPort: %d}], resources: {requests: "
        "{cpu: %s}}}]}\n";
    small_cluster *c = *state;
    add_node(c, "a", "2");
    for (int i = 0; i < 2; i++) {
        small_addf(c, with_port, i == 0 ? "a0" : "a1", i, "nodeName: a, ", 80, "1");
    }
    berth_pod_id pod = small_addf(c, with_port, "p", 1, "", 81, "2");
    berth_pod_id same = small_addf(c, with_port, "q", 0, "", 80, "0");
    for (int i = 0; i < 3; i++) {
        /* a0 leaves and its port is free. */
        assert_string_equal(choice(c, pod), "");
        assert_string_equal(choice(c, same), "");
        assert_non_null(strstr(berth_explanation_message(c->explanation).data, "free ports"));
    }
}

/* Spread and affinity counters see pods leave; afterwards the state is the same, however often the
 * question is asked. */
static void test_counters_come_back(void **state)
{
    small_cluster *c = *state;
    berth_error error;
    add_node(c, "a", "4");
    add_node(c, "b", "4");
    add_pod(c, "a0", "1", 1,
            ", nodeName: a, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuring"
            "Execution: [{topologyKey: zone, labelSelector: {matchLabels: {app: x}}}]}}",
            ", labels: {app: x}", "");
    berth_pod_id pod =
        add_pod(c, "p", "1", 10,
                ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
                "DoNotSchedule, labelSelector: {matchLabels: {app: x}}}]",
                ", labels: {app: x}", "");
    for (int i = 0; i < 3; i++) {
        assert_string_equal(choice(c, pod), "a: a0");
        small_require(berth_engine_check(c->engine, &error), &error);
    }
}

/* ---- nominated pods ---- */

static void test_node_is_kept(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = add_node(c, "a", "2"), b = add_node(c, "b", "1");
    berth_pod_id first = add_pending(c, "first", "2", 10);
    nominate(c, first, a);
    berth_pod_id equal = add_pending(c, "equal", "1500m", 10);
    berth_pod_id lower = add_pending(c, "lower", "1", 9);
    berth_pod_id higher = add_pending(c, "higher", "2", 11);
    assert_int_equal(placed_on(c, equal), BERTH_NODE_NONE);
    assert_string_equal(small_refusal(c, a), "NodeResourcesFit: Insufficient cpu");
    assert_int_equal(placed_on(c, lower), b);
    assert_int_equal(placed_on(c, higher), a);
    assert_int_equal(placed_on(c, first), a);
    assert_int_equal(c->placement.feasible_count, 1);
    assert_int_equal(c->placement.start, c->placement.next); /* no search was needed */
    /* The nomination is suspended while the pod is on a node. */
    bind(c, first, b);
    assert_int_equal(placed_on(c, equal), a);
    assert_int_equal(berth_engine_unbind(c->engine, first, NULL), BERTH_OK);
    assert_int_equal(placed_on(c, equal), BERTH_NODE_NONE);
    /* A pod that takes the node over ends nominations of lower priority. */
    nominate(c, higher, a);
    nominate(c, higher, BERTH_NODE_NONE);
    assert_int_equal(placed_on(c, equal), a);
    remove_object(c, BERTH_KIND_POD, "default", "equal");
}

static void test_own_node_first(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = add_node(c, "a", "2"), b = add_node(c, "b", "4");
    berth_pod_id pod = add_pending(c, "p", "1", 10);
    assert_int_equal(placed_on(c, pod), b); /* it has more room */
    nominate(c, pod, a);
    assert_int_equal(placed_on(c, pod), a);
    add_running(c, "a0", "a", "2", 10);
    assert_int_equal(placed_on(c, pod), b);
    assert_string_equal(small_refusal(c, a), "NodeResourcesFit: Insufficient cpu");
    assert_int_equal(berth_explanation_refusal_count(c->explanation), 1);
    assert_int_equal(c->placement.next, c->placement.start); /* both nodes were visited once */
    remove_object(c, BERTH_KIND_NODE, "", "a");
    assert_int_equal(placed_on(c, pod), b);
}

/* Of equal nodes the one for which the pod is nominated comes first, wherever the search begins. */
static void test_own_node_among_equals(void **state)
{
    small_cluster *c = *state;
    static const char *const nodes[] = {"a", "b", "c"}, *const pods[] = {"a0", "b0", "c0"};
    for (int i = 0; i < 3; i++) {
        add_node(c, nodes[i], "2");
        add_running(c, pods[i], nodes[i], "2", 5);
    }
    berth_pod_id pod = add_pending(c, "p", "2", 10);
    assert_int_equal(berth_engine_set_rotation(c->engine, 1, NULL), BERTH_OK);
    assert_string_equal(choice(c, pod), "b: b0");
    nominate(c, pod, 0);
    assert_int_equal(berth_engine_set_rotation(c->engine, 1, NULL), BERTH_OK);
    assert_string_equal(choice(c, pod), "a: a0");
}

static void test_nomination_by_status(void **state)
{
    small_cluster *c = *state;
    berth_error error;
    berth_node_id a = add_node(c, "a", "1");
    berth_pod_id pod = add_pod(c, "p", "1", 10, "", "", "nominatedNodeName: a");
    berth_pod_id other = add_pending(c, "q", "1", 10);
    assert_int_equal(placed_on(c, other), BERTH_NODE_NONE);
    assert_int_equal(placed_on(c, pod), a);
    update_pod(c, "p", "");
    assert_int_equal(placed_on(c, other), a);
    update_pod(c, "p", "nominatedNodeName: a");
    assert_int_equal(placed_on(c, other), BERTH_NODE_NONE);
    remove_object(c, BERTH_KIND_POD, "default", "p");
    assert_int_equal(placed_on(c, other), a);
    /* A nomination made by a call survives updates without nominatedNodeName. */
    pod = add_pending(c, "p", "1", 10);
    nominate(c, pod, a);
    update_pod(c, "p", "");
    assert_int_equal(placed_on(c, other), BERTH_NODE_NONE);
    nominate(c, pod, BERTH_NODE_NONE);
    assert_int_equal(placed_on(c, other), a);
    assert_int_equal(berth_engine_nominate(c->engine, pod, 77, &error), BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_nominate(c->engine, 12345, a, &error), BERTH_E_NOT_FOUND);
    bind(c, pod, a);
    assert_int_equal(berth_engine_nominate(c->engine, pod, a, &error), BERTH_E_STATE);
}

/* A nominated pod's terms count, even if no other pod has any. */
static void test_terms_of_nominated_pods(void **state)
{
    static const char *const keeps_away =
        ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: zone, labelSelector: {matchLabels: {app: %s}}}]}}";
    small_cluster *c = *state;
    char spec[256];
    berth_node_id a = add_node(c, "a", "4");
    snprintf(spec, sizeof(spec), keeps_away, "x");
    berth_pod_id first = add_pod(c, "first", "1", 10, spec, "", "");
    /* The second pod needs a rule of its own; without any, the filter would be skipped. */
    snprintf(spec, sizeof(spec), keeps_away, "w");
    berth_pod_id second = add_pod(c, "second", "1", 10, spec, ", labels: {app: x}", "");
    berth_pod_id plain = add_pod(c, "plain", "1", 10, "", ", labels: {app: x}", "");
    assert_int_equal(placed_on(c, second), a);
    nominate(c, first, a);
    assert_int_equal(placed_on(c, second), BERTH_NODE_NONE);
    assert_string_equal(small_refusal(c, a), "InterPodAffinity: node(s) didn't satisfy existing "
                                             "pods anti-affinity rules");
    assert_int_equal(placed_on(c, plain), a);
    nominate(c, first, BERTH_NODE_NONE);
    assert_int_equal(placed_on(c, second), a);
}

/* ---- v1.15 ---- */

#ifndef BERTH_NO_LEGACY

static int set_up_legacy(void **state)
{
    static const berth_plugin_ref predicate = {.name = {"GeneralPredicates", 17}};
    static const berth_plugin_ref preemption = {.name = {"DefaultPreemption", 17}};
    small_cluster *c = malloc(sizeof(*c));
    assert_non_null(c);
    berth_profile profile = {.era = BERTH_ERA_V1ALPHA1};
    profile_points room;
    berth_plugin_list *points = own_points(&profile, &room);
    points[BERTH_POINT_FILTER] = (berth_plugin_list){&predicate, 1};
    points[BERTH_POINT_POST_FILTER] = (berth_plugin_list){&preemption, 1};
    small_open(c, &profile);
    *state = c;
    return 0;
}

static void test_legacy(void **state)
{
    small_cluster *c = *state;
    three_nodes(c);
    /* v1.15 ignores preemptionPolicy, and its message does not mention preemption. */
    berth_pod_id pod = add_pod(c, "p", "1500m", 10, ", preemptionPolicy: Never", "", "");
    assert_string_equal(choice(c, pod), "c: c0 c1");
    assert_null(words(c, pod));
    assert_null(words(c, add_pending(c, "huge", "3", 10)));
    /* Victims do not use up a budget. */
    small_budget(c, "{matchLabels: {app: c}}", "disruptionsAllowed: 1");
    assert_string_equal(choice(c, pod), "c: c0 c1");
    remove_object(c, BERTH_KIND_POD_DISRUPTION_BUDGET, "default", "b");
    small_budget(c, "{matchLabels: {app: c}}", "disruptionsAllowed: 0");
    assert_string_equal(choice(c, pod), "b: b0 b1");
    /* Preemption waits for any terminating pod of lower priority on the nominated node. */
    add_pod(c, "a1", "0", 1, ", nodeName: a", ", deletionTimestamp: '2026-01-01T00:00:00Z'", "");
    nominate(c, pod, berth_engine_find_node(c->engine, berth__text_of("a")));
    assert_string_equal(choice(c, pod), "");
    nominate(c, pod, berth_engine_find_node(c->engine, berth__text_of("b")));
    assert_string_equal(choice(c, pod), "b: b0 b1");
}

#endif

/* ---- many nodes ---- */

typedef struct crowd {
    berth__cluster cluster;
    berth__arena arena;
    berth__ready_profile profile;
    berth__machine *machine;
    berth__workers *workers;
    berth__decider decider;
    berth_allocator allocator;
    uint64_t calls, fail_at; /* calls of the allocator; fail_at 0: none fails */
    bool for_good;           /* that call and all later ones fail */
} crowd;

static void *counting_allocate(void *context, size_t bytes, size_t align)
{
    crowd *own = context;
    const berth_allocator *real = berth__allocator_default();
    bool fails = ++own->calls == own->fail_at ||
                 (own->for_good && own->fail_at != 0 && own->calls > own->fail_at);
    return fails ? NULL : real->allocate(real->context, bytes, align);
}

static void counting_release(void *context, void *memory, size_t bytes)
{
    (void)context;
    const berth_allocator *real = berth__allocator_default();
    real->release(real->context, memory, bytes);
}

static crowd *crowd_open(uint32_t threads, uint64_t seed)
{
    crowd *own = calloc(1, sizeof(*own));
    assert_non_null(own);
    own->allocator = (berth_allocator){own, counting_allocate, counting_release};
    const berth_allocator *allocator = &own->allocator;
    assert_int_equal(berth__cluster_init(&own->cluster, allocator, NULL), BERTH_OK);
    berth__arena_init(&own->arena, allocator);
    const berth__embedder_plugins none = {NULL, 0};
    assert_int_equal(berth__profile_make(own->cluster.model, &own->arena, none,
                                         berth_profile_default_of(SMALL_KUBERNETES), &own->profile,
                                         NULL),
                     BERTH_OK);
    assert_int_equal(berth__machine_create(allocator, NULL, &own->machine), BERTH_OK);
    assert_int_equal(berth__workers_create(allocator, own->machine, threads, false, &own->workers),
                     BERTH_OK);
    const berth__decider_setup setup = {.profiles = &own->profile,
                                        .profile_count = 1,
                                        .workers = own->workers,
                                        .path = BERTH_PATH_AUTO,
                                        .seed = seed};
    assert_int_equal(berth__decider_init(&own->decider, &own->cluster, &setup), BERTH_OK);
    return own;
}

static void crowd_close(crowd *own)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth__cluster_check(&own->cluster, &error), &error);
    berth__decider_destroy(&own->decider);
    berth__workers_destroy(own->workers);
    berth__machine_destroy(own->machine);
    berth__cluster_destroy(&own->cluster);
    berth__arena_destroy(&own->arena);
    free(own);
}

static uint32_t crowd_add(crowd *own, const berth_object *object)
{
    berth_error error = {.code = BERTH_OK};
    uint64_t id;
    small_require(berth__cluster_add(&own->cluster, object, &id, &error), &error);
    return (uint32_t)id;
}

static void crowd_node(crowd *own, uint32_t i, int64_t cpu)
{
    char name[32];
    snprintf(name, sizeof(name), "n%u", (unsigned)i);
    const berth_key_value labels[] = {
        {berth__text_of("zone"), berth__text_of(i % 2 != 0 ? "z1" : "z0")},
        {berth__text_of("host"), berth__text_of(name)}};
    const berth_resource allocatable[] = {{berth__text_of("cpu"), {cpu, 0}},
                                          {berth__text_of("pods"), {110, 0}}};
    const berth_node node = {.meta = {.name = berth__text_of(name), .labels = {labels, 2}},
                             .allocatable = {allocatable, 2}};
    berth_object object = {.kind = BERTH_KIND_NODE};
    object.as.node = &node;
    crowd_add(own, &object);
}

/* Add a pod that requests `cpu` cores; `node` UINT32_MAX: pending. */
static uint32_t crowd_pod(crowd *own, const char *letter, uint32_t i, uint32_t node, int64_t cpu,
                          int32_t priority)
{
    char name[32], host[32];
    snprintf(name, sizeof(name), "%s%u", letter, (unsigned)i);
    snprintf(host, sizeof(host), "n%u", (unsigned)node);
    const berth_resource request = {berth__text_of("cpu"), {cpu, 0}};
    const berth_container container = {.image = berth__text_of("i"), .requests = {&request, 1}};
    const berth_key_value label = {berth__text_of("app"), berth__text_of(letter)};
    const berth_label_selector selector = {.match_labels = {&label, 1}};
    const berth_topology_spread spread = {.max_skew = 1000,
                                          .topology_key = berth__text_of("zone"),
                                          .when_unsatisfiable = berth__text_of("DoNotSchedule"),
                                          .label_selector = &selector};
    const berth_pod_affinity_term term = {.label_selector = &selector,
                                          .topology_key = berth__text_of("host")};
    const berth_volume_source source = {.kind = BERTH_VOLUME_GCE_PD,
                                        .handle = berth__text_of(name)};
    const berth_volume disk = {.name = berth__text_of("v"), .source = source};
    const berth_port port = {.host_port = 1000 + (int32_t)i};
    berth_container ported = container;
    bool rich = strcmp(letter, "rich") == 0;
    ported.ports = &port;
    ported.port_count = rich ? 1 : 0;
    const berth_pod pod = {.meta = {.name = berth__text_of(name), .labels = {&label, 1}},
                           .node_name = node != UINT32_MAX ? berth__text_of(host) : (berth_str){0},
                           .has_priority = true,
                           .priority = priority,
                           .start_time_ns = 1000 + i * 7919 % 1000,
                           .containers = &ported,
                           .container_count = 1,
                           .pod_anti_affinity = {rich, &term, rich, NULL, 0},
                           .volumes = &disk,
                           .volume_count = rich,
                           .spreads = &spread,
                           .spread_count = rich || strcmp(letter, "spread") == 0};
    berth_object object = {.kind = BERTH_KIND_POD};
    object.as.pod = &pod;
    return crowd_add(own, &object);
}

static berth_status crowd_decide(crowd *own, uint32_t pod, berth_explanation *explanation,
                                 berth_placement *out)
{
    const berth_decide_options options = {.size = sizeof(options), .explanation = explanation};
    return berth__decide(&own->decider, pod, &options, out, NULL);
}

/* Decide a wave of pods on nodes full of lower-priority ones, and follow each nomination. Returns a
 * hash of the decisions. `explained`: decide with explanations. */
static uint64_t wave(uint32_t threads, uint32_t nodes, uint32_t pods, bool explained)
{
    crowd *own = crowd_open(threads, 5);
    berth_explanation *explanation = NULL;
    uint64_t digest = 0;
    assert_int_equal(berth_explanation_create(NULL, &explanation, NULL), BERTH_OK);
    for (uint32_t i = 0; i < nodes; i++)
        crowd_node(own, i, 3);
    for (uint32_t i = 0; i < nodes * 3; i++)
        crowd_pod(own, "low", i, i / 3, 1, (int32_t)(i * 31 % 4));
    for (uint32_t i = 0; i < pods; i++) {
        uint32_t pod = crowd_pod(own, "high", i, UINT32_MAX, 1 + i % 2, 10 + (int32_t)(i % 2));
        berth_placement placement;
        berth__preemption chosen;
        assert_int_equal(crowd_decide(own, pod, explained ? explanation : NULL, &placement),
                         BERTH_OK);
        assert_int_equal(placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
        if (!explained)
            assert_int_equal(berth__preempt(&own->decider, NULL, &chosen), BERTH_OK);
        uint32_t node = explained ? berth_explanation_nominated(explanation) : chosen.node;
        uint32_t count =
            explained ? berth_explanation_victim_count(explanation) : chosen.victim_count;
        assert_int_not_equal(node, BERTH_NODE_NONE);
        assert_int_equal(berth__nominations_reserve(&own->cluster.nominations, node), BERTH_OK);
        berth__nominations_take_over(&own->cluster.nominations, &own->cluster.pods, pod, node);
        digest = digest * 31 + node;
        for (uint32_t v = 0; v < count; v++) {
            uint32_t victim =
                explained ? (uint32_t)berth_explanation_victim(explanation, v) : chosen.victims[v];
            digest = digest * 31 + victim;
            berth_str name = berth__pod_name(berth__pod_at(&own->cluster.pods, victim));
            assert_int_equal(berth__cluster_remove(&own->cluster, BERTH_KIND_POD,
                                                   berth__text_of("default"), name, NULL),
                             BERTH_OK);
        }
    }
    berth_explanation_destroy(explanation);
    crowd_close(own);
    return digest;
}

/* With more than a hundred potential nodes, only some are tried, from a random one on. The choice
 * depends on the seed, not on the number of threads or on explanations. */
static void test_samples_repeat(void **state)
{
    (void)state;
    uint64_t once = wave(1, 400, 60, false);
    assert_int_equal(wave(4, 400, 60, false), once);
    assert_int_equal(wave(1, 400, 60, true), once);
}

/* Pods that are leaving do not count for a constraint, yet its hooks subtract them when they are
 * victims: but only on nodes that the constraint counts. */
static void test_victim_on_a_node_not_counted(void **state)
{
    static const berth_plugin_ref filters[] = {{.name = TEXT("NodeResourcesFit")},
                                               {.name = TEXT("PodTopologySpread")}};
    static const char *const nodes[] = {"n1", "n2", "n3"};
    static const char leaving[] = ", labels: {app: x}, deletionTimestamp: '2026-01-01T00:00:00Z'";
    berth_profile profile = *berth_profile_default_of(SMALL_KUBERNETES);
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_FILTER] = (berth_plugin_list){filters, 2};
    (void)state;
    for (int tainted = 0; tainted < 2; tainted++) {
        small_cluster c;
        small_open(&c, &profile);
        for (int i = 0; i < 3; i++)
            small_addf(&c,
                       "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {zone: %s}}\n"
                       "spec: {taints: [%s]}\nstatus: {allocatable: {cpu: 1, memory: 8Gi, pods: "
                       "'110'}}\n",
                       nodes[i], i < 2 ? "a" : "b",
                       i == 0 && tainted ? "{key: t, effect: NoSchedule}" : "");
        add_pod(&c, "leaving", "1", 1, ", nodeName: n1", leaving, "");
        add_pod(&c, "stays", "1", 20, ", nodeName: n2", ", labels: {app: x}", "");
        add_pod(&c, "other", "1", 20, ", nodeName: n3", "", "");
        const berth_pod_id pod =
            add_pod(&c, "p", "1", 10,
                    ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                    "whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: Honor, "
                    "labelSelector: {matchLabels: {app: x}}}]",
                    ", labels: {app: x}", "");
        assert_string_equal(choice(&c, pod), tainted ? "" : "n1: leaving");
        small_close(&c);
    }
}

/* Add node "n<number>" and pod "v<number>", which fills it. */
static void add_full_node(small_cluster *c, int number, int priority, const char *labels)
{
    char node[16], pod[16], spec[64];
    (void)snprintf(node, sizeof(node), "n%d", number);
    (void)snprintf(pod, sizeof(pod), "v%d", number);
    (void)snprintf(spec, sizeof(spec), ", nodeName: %s", node);
    add_node(c, node, "1");
    add_pod(c, pod, "1", priority, spec, labels, "");
}

/* One node that has to preempt one pod is enough if the profile wants no more candidates. The
 * search then starts at a random node. */
static void test_search_starts_anywhere(void **state)
{
    enum { NODES = 6, ROUNDS = 30 };
    (void)state;
    berth_profile profile = *berth_profile_default_of(SMALL_KUBERNETES);
    const berth_plugin_args args = {.preemption = {1, 1}};
    const berth_plugin_ref preemption = {.name = BERTH_STR("DefaultPreemption"), .args = &args};
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_POST_FILTER] = (berth_plugin_list){&preemption, 1};
    small_cluster c;
    small_open(&c, &profile);
    for (int i = 0; i < NODES; i++)
        add_full_node(&c, i, 1, "");
    const berth_pod_id pod = add_pending(&c, "p", "1", 10);
    unsigned chosen = 0;
    for (int i = 0; i < ROUNDS; i++)
        chosen |= 1U << (choice(&c, pod)[1] - '0');
    assert_int_equal(chosen, (1U << NODES) - 1);
    small_close(&c);
}

/* If all candidates violate a budget, the search continues until it finds one that does not,
 * whatever the wanted number of candidates and wherever it began. */
static void test_search_for_one_within_budgets(void **state)
{
    (void)state;
    berth_profile profile = *berth_profile_default_of(SMALL_KUBERNETES);
    const berth_plugin_args args = {.preemption = {1, 1}};
    const berth_plugin_ref preemption = {.name = BERTH_STR("DefaultPreemption"), .args = &args};
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_POST_FILTER] = (berth_plugin_list){&preemption, 1};
    small_cluster c;
    small_open(&c, &profile);
    for (int i = 0; i < 6; i++)
        add_full_node(&c, i, 1, i == 4 ? "" : ", labels: {app: x}");
    small_budget(&c, "{matchLabels: {app: x}}", "disruptionsAllowed: 0");
    berth_pod_id pod = add_pending(&c, "p", "1", 10);
    for (int i = 0; i < 20; i++)
        assert_string_equal(choice(&c, pod), "n4: v4");
    small_close(&c);
}

/* Preemption's choices for a pod among many nodes, of which each has a cheaper victim than the one
 * before. `args`: NULL: the defaults. */
static void choose_among_many(const berth_plugin_args *args, char choices[8][32])
{
    enum { NODES = 1500 };
    memset(choices, 0, 8 * sizeof(choices[0]));
    berth_profile profile = *berth_profile_default_of(SMALL_KUBERNETES);
    const berth_plugin_ref preemption = {.name = BERTH_STR("DefaultPreemption"), .args = args};
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_POST_FILTER] = (berth_plugin_list){&preemption, 1};
    small_cluster c;
    small_open(&c, &profile);
    for (int i = 0; i < NODES; i++)
        add_full_node(&c, i, NODES - i, "");
    berth_pod_id pod = add_pending(&c, "p", "1", NODES + 1);
    for (int i = 0; i < 8; i++)
        snprintf(choices[i], sizeof(choices[i]), "%s", choice(&c, pod));
    small_close(&c);
}

/* Without arguments a tenth of the potential nodes are tried, at least a hundred. */
static void test_default_number_of_candidates(void **state)
{
    const berth_plugin_args same = {.preemption = {10, 100}}, fewer = {.preemption = {9, 100}};
    char by_default[8][32], as_same[8][32], as_fewer[8][32];
    (void)state;
    choose_among_many(NULL, by_default);
    choose_among_many(&same, as_same);
    choose_among_many(&fewer, as_fewer);
    assert_memory_equal(by_default, as_same, sizeof(as_same));
    assert_memory_not_equal(by_default, as_fewer, sizeof(as_fewer));
}

/* The search stops at its limit; if nodes kept for nominated pods are then rejected, it
 * continues. */
static void test_search_goes_on(void **state)
{
    (void)state;
    enum { NODES = 13000, KEPT = 900 };
    berth_placement one, many;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        crowd *own = crowd_open(threads, 1);
        for (uint32_t i = 0; i < NODES; i++)
            crowd_node(own, i, 1);
        for (uint32_t i = 0; i < KEPT; i++) {
            uint32_t pod = crowd_pod(own, "kept", i, UINT32_MAX, 1, 10);
            assert_int_equal(berth__nominations_reserve(&own->cluster.nominations, i), BERTH_OK);
            berth__nominations_take_over(&own->cluster.nominations, &own->cluster.pods, pod, i);
        }
        uint32_t pod = crowd_pod(own, "p", 0, UINT32_MAX, 1, 10);
        for (uint32_t i = 0; i < 3; i++) {
            berth_placement *out = threads == 1 ? &one : &many;
            assert_int_equal(crowd_decide(own, pod, NULL, out), BERTH_OK);
            assert_int_equal(out->verdict, BERTH_VERDICT_PLACED);
            assert_int_equal(out->feasible_count, NODES * 5 / 100);
            /* Zones alternate and a zone's nodes are in order, so the kept nodes are the first ones
             * in both. */
            assert_int_equal(out->next, KEPT + (i + 1) * (NODES * 5 / 100));
            assert_true(out->node >= KEPT);
        }
        crowd_close(own);
    }
    assert_int_equal(one.node, many.node);
    assert_int_equal(one.next, many.next);
}

/* ---- memory ---- */

/* Whichever allocation fails, the view is unchanged, and the next attempt has the same result. */
static void fail_every_allocation(const char *letter, bool for_good)
{
    crowd *own = crowd_open(1, 1);
    berth_explanation *explanation;
    berth_placement placement;
    assert_int_equal(berth_explanation_create(NULL, &explanation, NULL), BERTH_OK);
    for (uint32_t i = 0; i < 20; i++)
        crowd_node(own, i, 3);
    for (uint32_t i = 0; i < 60; i++)
        crowd_pod(own, letter, i, i / 3, 1, (int32_t)(i % 4));
    uint32_t kept = crowd_pod(own, letter, 1000, UINT32_MAX, 1, 20);
    assert_int_equal(berth__nominations_reserve(&own->cluster.nominations, 3), BERTH_OK);
    berth__nominations_take_over(&own->cluster.nominations, &own->cluster.pods, kept, 3);
    uint32_t pod = crowd_pod(own, letter, 1001, UINT32_MAX, 2, 10);
    uint32_t failures = 0;
    berth_status status;
    own->for_good = for_good;
    do {
        own->fail_at = own->calls + 1 + failures;
        status = crowd_decide(own, pod, explanation, &placement);
        own->fail_at = 0;
        failures += status != BERTH_OK;
        berth_error error = {.code = BERTH_OK};
        small_require(berth__cluster_check(&own->cluster, &error), &error);
    } while (status == BERTH_E_NOMEM);
    assert_int_equal(status, BERTH_OK);
    assert_true(failures > 3);
    uint32_t node = berth_explanation_nominated(explanation);
    assert_int_not_equal(node, BERTH_NODE_NONE);
    assert_int_equal(crowd_decide(own, pod, explanation, &placement), BERTH_OK);
    assert_int_equal(berth_explanation_nominated(explanation), node);
    berth_explanation_destroy(explanation);
    crowd_close(own);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    for (int for_good = 0; for_good <= 1; for_good++) {
        fail_every_allocation("plain", for_good != 0);
        fail_every_allocation("spread", for_good != 0);
        fail_every_allocation("rich", for_good != 0); /* uses every field that a pod can have */
    }
}

static void move_all(crowd *own, uint32_t node,
                     void (*move)(berth__dry_run *, const berth__class *))
{
    for (uint32_t i = berth__cluster_node(&own->cluster, node)->first_pod;
         i != BERTH_POD_INDEX_NONE; i = berth__pod_at(&own->cluster.pods, i)->next)
        move(&own->decider.dry_run, berth__pod_at(&own->cluster.pods, i)->cls);
}

/* Pods that were taken off are put back without any memory: only counts of pods may be lost, which
 * makes the answer invalid; they are counted again. */
static void test_put_back_without_memory(void **state)
{
    (void)state;
    crowd *own = crowd_open(1, 1);
    berth__preemption before, after;
    berth_placement placement;
    for (uint32_t i = 0; i < 10; i++)
        crowd_node(own, i, 3);
    for (uint32_t i = 0; i < 30; i++)
        crowd_pod(own, "rich", i, i / 3, 1, (int32_t)(i % 4));
    uint32_t pod = crowd_pod(own, "rich", 1000, UINT32_MAX, 2, 10);
    assert_int_equal(crowd_decide(own, pod, NULL, &placement), BERTH_OK);
    assert_int_equal(berth__preempt(&own->decider, NULL, &before), BERTH_OK);
    uint32_t slot = berth__cluster_node(&own->cluster, before.node)->slot,
             first = before.victims[0];
    assert_int_equal(berth__dry_run_begin(&own->decider.dry_run, slot), BERTH_OK);
    move_all(own, before.node, berth__dry_run_take);
    own->for_good = true;
    own->fail_at = own->calls + 1;
    move_all(own, before.node, berth__dry_run_put_back);
    own->fail_at = 0;
    const berth_status status = berth__dry_run_end(&own->decider.dry_run);
    assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
    assert_int_equal(berth__cluster_check(&own->cluster, NULL), BERTH_OK);
    assert_int_equal(crowd_decide(own, pod, NULL, &placement), BERTH_OK);
    assert_int_equal(berth__preempt(&own->decider, NULL, &after), BERTH_OK);
    assert_int_equal(after.node, before.node);
    assert_int_equal(after.victims[0], first);
    crowd_close(own);
}

/* The plugin that refused the nominated node is named among those that narrowed the search. */
static void test_words_of_a_named_and_nominated_node(void **state)
{
    small_cluster *c = *state;
    add_node(c, "a", "1");
    add_node(c, "b", "1");
    const berth_pod_id pod = add_pod(
        c, "p", "2", 0,
        ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}}}",
        "", "nominatedNodeName: a");
    small_decide(c, pod);
    assert_string_equal(berth_explanation_message(c->explanation).data,
                        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy "
                        "plugin(s) [NodeAffinity NodeResourcesFit]. preemption: 0/2 nodes are "
                        "available: 1 No preemption victims found for incoming pod, 1 Preemption "
                        "is not helpful for scheduling.");
    nominate(c, pod, BERTH_NODE_NONE);
    small_decide(c, pod);
    assert_non_null(strstr(berth_explanation_message(c->explanation).data, "[NodeAffinity]."));
}

/* A name is inserted into a sorted list at its place, and only once. */
static void test_list_of_plugins(void **state)
{
    static const struct {
        const char *reason, *plugin, *wanted;
    } cases[] = {
        {"x [B D]", "A", "x [A B D]"}, {"x [B D]", "C", "x [B C D]"}, {"x [B D]", "E", "x [B D E]"},
        {"x [B D]", "B", "x [B D]"},   {"x [B D]", "D", "x [B D]"},   {"x [B]", "Ba", "x [B Ba]"},
    };
    berth__arena arena;
    (void)state;
    berth__arena_init(&arena, berth__allocator_default());
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const berth_str made = berth__message_add_plugin(&arena, berth__text_of(cases[i].reason),
                                                         berth__text_of(cases[i].plugin));
        assert_true(berth__str_is(made, cases[i].wanted));
    }
    berth__arena_destroy(&arena);
}

int main(void)
{
#define RULE(test) cmocka_unit_test_setup_teardown(test, small_set_up, small_tear_down)
    const struct CMUnitTest tests[] = {
        RULE(test_cheapest_node),
        RULE(test_lower_pods_are_known),
        RULE(test_budgets),
        RULE(test_counted_in_one_of_two_budgets),
        RULE(test_start_times),
        RULE(test_start_times_change),
        RULE(test_words),
        RULE(test_words_of_a_named_and_nominated_node),
        cmocka_unit_test(test_list_of_plugins),
        cmocka_unit_test(test_budgets_of_1_15),
        RULE(test_earlier_victims),
        RULE(test_ports_come_back),
        RULE(test_counters_come_back),
        RULE(test_node_is_kept),
        RULE(test_own_node_first),
        RULE(test_own_node_among_equals),
        RULE(test_nomination_by_status),
        RULE(test_terms_of_nominated_pods),
#ifndef BERTH_NO_LEGACY
        cmocka_unit_test_setup_teardown(test_legacy, set_up_legacy, small_tear_down),
#endif
        cmocka_unit_test(test_samples_repeat),
        cmocka_unit_test(test_victim_on_a_node_not_counted),
        cmocka_unit_test(test_search_starts_anywhere),
        cmocka_unit_test(test_search_for_one_within_budgets),
        cmocka_unit_test(test_default_number_of_candidates),
        cmocka_unit_test(test_search_goes_on),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_put_back_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
