/* The engine and its memory: whichever allocation fails, the call either fails as a whole or
 * manages without the memory, the state is unchanged, the same call succeeds later, and no memory
 * leaks. And: a decision on a pod of a warm class allocates nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arena_pieces.h"
#include "berth/plugin.h"
#include "berth/profile.h"
#include "berth/transaction.h"
#include "counted_memory.h"
#include "small_cluster.h"

static berth_status create(counted *c, berth_path path, berth_engine **out)
{
    berth_allocator allocator = {c, counted_allocate, counted_release};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.allocator = &allocator;
    config.threads = 1;
    config.path = path;
    berth_status status = berth_engine_create(&config, out, NULL);
    allocator = (berth_allocator){.context = NULL}; /* the engine has a copy */
    return status;
}

/* ---- objects that use every feature ---- */

typedef struct rich_node {
    small_node base;
    berth_key_value labels[4];
    berth_taint taint;
    berth_resource allocatable[5];
    berth_str image_name;
    berth_image image;
} rich_node;

static const berth_object *rich_node_object(rich_node *r, berth_object *object, const char *name,
                                            const char *word)
{
    (void)small_node_object(&r->base, object, name, word);
    memcpy(r->labels, r->base.labels, sizeof(r->base.labels));
    r->labels[2] = (berth_key_value){text("new-key"), text(word)};
    r->labels[3] = (berth_key_value){text(word), text("x")};
    r->taint = (berth_taint){text("soft"), text(word), text("PreferNoSchedule"), NULL};
    memcpy(r->allocatable, r->base.allocatable, sizeof(r->base.allocatable));
    r->allocatable[3] = (berth_resource){text("example.com/gpu"), {4, 0}};
    r->allocatable[4] = (berth_resource){text("hugepages-2Mi"), {1 << 22, 0}};
    r->image_name = text("app:1");
    r->image = (berth_image){{&r->image_name, 1}, INT64_C(700) << 20, NULL};
    berth_node *node = &r->base.node;
    node->meta.labels = (berth_map){r->labels, 4};
    node->taints = &r->taint;
    node->taint_count = 1;
    node->allocatable = (berth_resources){r->allocatable, 5};
    node->images = &r->image;
    node->image_count = 1;
    return object;
}

typedef struct rich_pod {
    small_pod base;
    berth_resource requests[3];
    berth_port port;
    berth_key_value label;
    berth_label_selector peers;
    berth_pod_affinity_term terms[2];
    berth_topology_spread spread;
    berth_toleration toleration;
    berth_preferred_node_term preferred;
    berth_requirement exists;
    berth_volume volume;
} rich_pod;

static const berth_object *rich_pod_object(rich_pod *r, berth_object *object, const char *name,
                                           const char *node)
{
    (void)small_pod_object(&r->base, object, name, node, 700);
    memcpy(r->requests, r->base.requests, sizeof(r->base.requests));
    r->requests[2] = (berth_resource){text("example.com/fpga"), {0, 0}};
    r->base.container.requests = (berth_resources){r->requests, 3};
    r->port = (berth_port){.host_port = 8080};
    r->base.container.ports = &r->port;
    r->base.container.port_count = 1;
    r->label = (berth_key_value){text("app"), text("rich")};
    r->peers = (berth_label_selector){.match_labels = {&r->label, 1}};
    r->terms[0] = (berth_pod_affinity_term){.label_selector = &r->peers,
                                            .topology_key = text("kubernetes.io/hostname")};
    r->terms[1] = (berth_pod_affinity_term){.label_selector = &r->peers,
                                            .topology_key = text("topology.kubernetes.io/zone"),
                                            .weight = 10};
    r->spread = (berth_topology_spread){.max_skew = 1,
                                        .topology_key = text("topology.kubernetes.io/zone"),
                                        .when_unsatisfiable = text("DoNotSchedule"),
                                        .label_selector = &r->peers};
    r->toleration = (berth_toleration){.key = text("soft"), .op = text("Exists")};
    r->exists = (berth_requirement){text("new-key"), text("Exists"), {NULL, 0}};
    r->preferred = (berth_preferred_node_term){5, {{&r->exists, 1}, {NULL, 0}}};
    r->volume = (berth_volume){text("disk"), {.kind = BERTH_VOLUME_GCE_PD, .handle = text("pd")}};
    berth_pod *pod = &r->base.pod;
    pod->meta.labels = (berth_map){&r->label, 1};
    pod->pod_anti_affinity = (berth_pod_affinity){.present = true,
                                                  .required = &r->terms[0],
                                                  .required_count = 1,
                                                  .preferred = &r->terms[1],
                                                  .preferred_count = 1};
    pod->spreads = &r->spread;
    pod->spread_count = 1;
    pod->tolerations = &r->toleration;
    pod->toleration_count = 1;
    pod->node_affinity.preferred = &r->preferred;
    pod->node_affinity.preferred_count = 1;
    pod->volumes = &r->volume;
    pod->volume_count = 1;
    pod->has_priority = true;
    pod->priority = 10;
    return object;
}

/* ---- the state before the call under test ---- */

enum { NODES = 6 };

static void must(berth_status status)
{
    assert_int_equal(status, BERTH_OK);
}

static void put_pod(berth_engine *engine, const char *name, const char *node, int32_t milli)
{
    small_pod pod;
    berth_object object;
    must(berth_engine_add(engine, small_pod_object(&pod, &object, name, node, milli), NULL, NULL));
}

static void build(berth_engine *engine)
{
    static const char *const zones[] = {"z0", "z1", "z2"};
    for (int i = 0; i < NODES; i++) {
        char name[] = {'n', (char)('0' + i), '\0'};
        small_node node;
        berth_object object;
        must(berth_engine_add(engine, small_node_object(&node, &object, name, zones[i % 3]), NULL,
                              NULL));
        put_pod(engine, (char[]){'r', (char)('0' + i), '\0'}, name, 300 * (i + 1));
    }
    put_pod(engine, "a", NULL, 100);
    put_pod(engine, "b", NULL, 2500);
    put_pod(engine, "huge", NULL, 3900);
    put_pod(engine, "lost", "n9", 100);
    rich_pod rich;
    berth_object object;
    must(berth_engine_add(engine, rich_pod_object(&rich, &object, "rich-0", "n2"), NULL, NULL));
    must(berth_engine_add(engine, rich_pod_object(&rich, &object, "rich-1", NULL), NULL, NULL));
    berth_node_id order[NODES];
    uint32_t count = 0;
    must(berth_engine_node_order(engine, order, NODES, &count, NULL));
    assert_int_equal(count, NODES);
}

static berth_pod_id pod_id(berth_engine *engine, const char *name)
{
    berth_pod_id id = berth_engine_find_pod(engine, text(""), text(name));
    assert_true(id != BERTH_POD_NONE);
    return id;
}

/* ---- the visible state ---- */

typedef struct picture {
    berth_counts counts;
    uint64_t digest;
    uint64_t pending;
    berth_pod_id waiting[16];
    int64_t amounts[16][4][2];
    bool present[16];
} picture;

static void take_picture(berth_engine *engine, picture *out)
{
    static const char *const resources[] = {"cpu", "memory", "pods", "example.com/gpu"};
    berth_error error;
    if (berth_engine_check(engine, &error) != BERTH_OK)
        fail_msg("%s: %s", error.object, error.message);
    memset(out, 0, sizeof(*out));
    berth_engine_counts(engine, &out->counts);
    out->digest = berth_engine_digest(engine);
    must(berth_engine_pending(engine, out->waiting, 16, &out->pending, NULL));
    for (berth_node_id node = 0; node < 16; node++)
        for (int r = 0; r < 4; r++)
            out->present[node] = berth_engine_node_resource(
                                     engine, node, text(resources[r]), &out->amounts[node][r][0],
                                     &out->amounts[node][r][1], &error) == BERTH_OK;
}

/* Compares member by member, because padding is not set. */
static void same_counts(const berth_counts *wanted, const berth_counts *got)
{
    assert_int_equal(wanted->nodes, got->nodes);
    assert_int_equal(wanted->pods_running, got->pods_running);
    assert_int_equal(wanted->pods_pending, got->pods_pending);
    assert_int_equal(wanted->pods_orphaned, got->pods_orphaned);
    assert_int_equal(wanted->pod_classes, got->pod_classes);
}

static void same_picture(const picture *wanted, const picture *got)
{
    same_counts(&wanted->counts, &got->counts);
    assert_true(wanted->digest == got->digest);
    assert_int_equal(wanted->pending, got->pending);
    assert_memory_equal(wanted->waiting, got->waiting, sizeof(got->waiting));
    assert_memory_equal(wanted->present, got->present, sizeof(got->present));
    assert_memory_equal(wanted->amounts, got->amounts, sizeof(got->amounts));
}

/* The results of decisions (node, total and counts for each pending pod), and the order of nodes
 * after the next new node. */
typedef struct outlook {
    uint32_t node_count;
    berth_node_id order[16];
    uint64_t count;
    int64_t facts[16][5];
} outlook;

static void take_outlook(berth_engine *engine, outlook *out)
{
    berth_pod_id waiting[16];
    memset(out, 0, sizeof(*out));
    must(berth_engine_pending(engine, waiting, 16, &out->count, NULL));
    for (uint64_t i = 0; i < out->count; i++) {
        berth_placement got;
        must(berth_engine_decide(engine, waiting[i], NULL, &got, NULL));
        const int64_t facts[] = {got.verdict, (int64_t)got.node, got.total, got.feasible_count,
                                 got.best_count};
        memcpy(out->facts[i], facts, sizeof(facts));
    }
    small_node node;
    berth_object object;
    must(berth_engine_add(engine, small_node_object(&node, &object, "last", "z0"), NULL, NULL));
    must(berth_engine_node_order(engine, out->order, 16, &out->node_count, NULL));
}

static void same_outlook(const outlook *wanted, const outlook *got)
{
    assert_int_equal(wanted->node_count, got->node_count);
    assert_memory_equal(wanted->order, got->order, sizeof(got->order));
    assert_int_equal(wanted->count, got->count);
    for (uint64_t i = 0; i < wanted->count; i++)
        for (int f = 0; f < 5; f++)
            if (wanted->facts[i][f] != got->facts[i][f])
                fail_msg("decision %u, fact %d: %lld instead of %lld", (unsigned)i, f,
                         (long long)got->facts[i][f], (long long)wanted->facts[i][f]);
}

/* ---- the calls ---- */

static berth_status add_rich_node(berth_engine *engine)
{
    rich_node node;
    berth_object object;
    return berth_engine_add(engine, rich_node_object(&node, &object, "new", "z9"), NULL, NULL);
}

static berth_status bring_node_of_orphan(berth_engine *engine)
{
    rich_node node;
    berth_object object;
    return berth_engine_add(engine, rich_node_object(&node, &object, "n9", "z0"), NULL, NULL);
}

static berth_status update_node(berth_engine *engine)
{
    rich_node node;
    berth_object object;
    return berth_engine_update(engine, rich_node_object(&node, &object, "n2", "z9"), NULL);
}

static berth_status add_pending_pod(berth_engine *engine)
{
    rich_pod pod;
    berth_object object;
    (void)rich_pod_object(&pod, &object, "new", NULL);
    pod.label.value = text("other");
    pod.base.pod.scheduling_gates = (berth_strs){&pod.label.value, 1};
    return berth_engine_add(engine, &object, NULL, NULL);
}

static berth_status add_running_pod(berth_engine *engine)
{
    rich_pod pod;
    berth_object object;
    (void)rich_pod_object(&pod, &object, "new", "n1");
    pod.requests[2] = (berth_resource){text("example.com/gpu"), {1, 0}};
    pod.label.value = text("other");
    return berth_engine_add(engine, &object, NULL, NULL);
}

static berth_status add_nominated_pod(berth_engine *engine)
{
    small_pod pod;
    berth_object object;
    (void)small_pod_object(&pod, &object, "new", NULL, 3000);
    pod.pod.nominated_node_name = text("n0");
    return berth_engine_add(engine, &object, NULL, NULL);
}

static berth_status update_pending_pod(berth_engine *engine)
{
    rich_pod pod;
    berth_object object;
    return berth_engine_update(engine, rich_pod_object(&pod, &object, "a", NULL), NULL);
}

static berth_status bind_by_update(berth_engine *engine)
{
    rich_pod pod;
    berth_object object;
    return berth_engine_update(engine, rich_pod_object(&pod, &object, "a", "n4"), NULL);
}

static berth_status move_running_pod(berth_engine *engine)
{
    rich_pod pod;
    berth_object object;
    (void)rich_pod_object(&pod, &object, "r3", "n5");
    pod.label.value = text("other");
    return berth_engine_update(engine, &object, NULL);
}

static berth_status decide_plain(berth_engine *engine)
{
    berth_placement got;
    return berth_engine_decide(engine, pod_id(engine, "a"), NULL, &got, NULL);
}

static berth_status decide_rich(berth_engine *engine)
{
    berth_placement got;
    return berth_engine_decide(engine, pod_id(engine, "rich-1"), NULL, &got, NULL);
}

static berth_status explain(berth_engine *engine)
{
    berth_placement got;
    berth_explanation *explanation;
    must(berth_explanation_create(NULL, &explanation, NULL));
    const berth_decide_options options = {.size = sizeof(options), .explanation = explanation};
    berth_status status = berth_engine_decide(engine, pod_id(engine, "huge"), &options, &got, NULL);
    if (status == BERTH_OK)
        assert_true(berth_explanation_message(explanation).len > 0);
    berth_explanation_destroy(explanation);
    return status;
}

static berth_status bind(berth_engine *engine)
{
    return berth_engine_bind(engine, pod_id(engine, "rich-1"), 0, NULL);
}

static berth_status nominate(berth_engine *engine)
{
    return berth_engine_nominate(engine, pod_id(engine, "b"), 3, NULL);
}

static berth_status add_object(berth_engine *engine, berth_kind kind, const void *of_kind)
{
    berth_object object = {.kind = kind};
    object.as.any = of_kind;
    return berth_engine_add(engine, &object, NULL, NULL);
}

static const berth_key_value rich_label = {{"app", 3}, {"rich", 4}};
static const berth_label_selector rich_selector = {.match_labels = {&rich_label, 1}};

static berth_status add_service(berth_engine *engine)
{
    const berth_service service = {
        .meta = {.name = text("s")}, .has_selector = true, .selector = {&rich_label, 1}};
    return add_object(engine, BERTH_KIND_SERVICE, &service);
}

static berth_status add_replica_set(berth_engine *engine)
{
    const berth_controller set = {.meta = {.name = text("s")}, .selector = &rich_selector};
    return add_object(engine, BERTH_KIND_REPLICA_SET, &set);
}

static berth_status add_namespace(berth_engine *engine)
{
    const berth_key_value label = {text("team"), text("x")};
    const berth_namespace space = {.meta = {.name = text("x"), .labels = {&label, 1}}};
    return add_object(engine, BERTH_KIND_NAMESPACE, &space);
}

static berth_status add_budget(berth_engine *engine)
{
    const berth_pod_disruption_budget budget = {.meta = {.name = text("b")},
                                                .selector = &rich_selector};
    return add_object(engine, BERTH_KIND_POD_DISRUPTION_BUDGET, &budget);
}

static berth_status add_storage_class(berth_engine *engine)
{
    const berth_storage_class cls = {.meta = {.name = text("fast")},
                                     .provisioner = text("csi.example.com"),
                                     .binding_mode = text("WaitForFirstConsumer")};
    return add_object(engine, BERTH_KIND_STORAGE_CLASS, &cls);
}

static berth_status add_volume(berth_engine *engine)
{
    const berth_str mode = text("ReadWriteOnce");
    const berth_persistent_volume volume = {.meta = {.name = text("pv")},
                                            .capacity = {1 << 30, 0},
                                            .access_modes = {&mode, 1},
                                            .source = {.kind = BERTH_VOLUME_CSI,
                                                       .handle = text("h"),
                                                       .driver = text("csi.example.com")}};
    return add_object(engine, BERTH_KIND_PERSISTENT_VOLUME, &volume);
}

static berth_status add_claim(berth_engine *engine)
{
    const berth_str mode = text("ReadWriteOnce");
    const berth_persistent_volume_claim claim = {.meta = {.name = text("claim")},
                                                 .access_modes = {&mode, 1},
                                                 .volume_name = text("pv"),
                                                 .request = {1 << 20, 0}};
    return add_object(engine, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, &claim);
}

static berth_status remove_node(berth_engine *engine)
{
    return berth_engine_remove(engine, BERTH_KIND_NODE, text(""), text("n2"), NULL);
}

static berth_status remove_pod(berth_engine *engine)
{
    return berth_engine_remove(engine, BERTH_KIND_POD, text(""), text("rich-0"), NULL);
}

static berth_status unbind(berth_engine *engine)
{
    return berth_engine_unbind(engine, pod_id(engine, "rich-0"), NULL);
}

static berth_status cordon(berth_engine *engine)
{
    return berth_engine_cordon_node(engine, 2, true, NULL);
}

static berth_status schedule_group(berth_engine *engine)
{
    const berth_pod_id pods[] = {pod_id(engine, "a"), pod_id(engine, "rich-1"),
                                 pod_id(engine, "b")};
    uint32_t placed;
    return berth_engine_schedule_group(engine, pods, 3, NULL, &placed, NULL);
}

static berth_status fit_count(berth_engine *engine)
{
    uint32_t count;
    berth_status status =
        berth_engine_fit_count(engine, pod_id(engine, "rich-0"), 5, &count, NULL, NULL, NULL);
    if (status == BERTH_OK)
        assert_true(count > 0);
    return status;
}

static berth_status close_node(berth_engine *engine)
{
    return berth_engine_close_node(engine, 2, true, NULL);
}

/* Half of the work is undone immediately and needs the same memory. */
static berth_status transaction(berth_engine *engine)
{
    berth_status status = berth_engine_begin(engine, NULL);
    if (status != BERTH_OK)
        return status;
    status = remove_node(engine);
    if (status == BERTH_OK)
        status = add_rich_node(engine);
    if (status == BERTH_OK)
        status = decide_rich(engine);
    if (status == BERTH_OK)
        status = bind(engine);
    must(berth_engine_rollback(engine, NULL));
    return status;
}

/* After a failure the caller's array is unchanged. */
static berth_status list_waiting(berth_engine *engine)
{
    berth_pod_id waiting[16] = {77};
    uint64_t count = 99;
    berth_status status = berth_engine_pending(engine, waiting, 16, &count, NULL);
    assert_true(status == BERTH_OK ? waiting[0] != 77 : waiting[0] == 77);
    assert_true(status == BERTH_OK ? count < 16 : count == 0);
    return status;
}

static const struct {
    const char *name;
    berth_status (*call)(berth_engine *engine);
} calls[] = {
    {"list the pods that wait", list_waiting},
    {"add a node", add_rich_node},
    {"add the node of an orphan", bring_node_of_orphan},
    {"update a node", update_node},
    {"add a pending pod", add_pending_pod},
    {"add a running pod", add_running_pod},
    {"add a nominated pod", add_nominated_pod},
    {"update a pending pod", update_pending_pod},
    {"bind by update", bind_by_update},
    {"move a running pod", move_running_pod},
    {"decide on a plain pod", decide_plain},
    {"decide on a pod with rules", decide_rich},
    {"explain", explain},
    {"bind", bind},
    {"nominate", nominate},
    {"add a service", add_service},
    {"add a replica set", add_replica_set},
    {"add a namespace", add_namespace},
    {"add a budget", add_budget},
    {"add a storage class", add_storage_class},
    {"add a volume", add_volume},
    {"add a claim", add_claim},
    {"remove a node", remove_node},
    {"remove a pod", remove_pod},
    {"unbind", unbind},
    {"cordon", cordon},
    {"close", close_node},
    {"schedule a group", schedule_group},
    {"count fits", fit_count},
    {"roll back", transaction},
};

/* ---- failing each allocation in turn ---- */

typedef struct reference {
    picture before, after;
    outlook former, outlook; /* before and after */
} reference;

static void run_whole(size_t which, berth_path path, reference *out)
{
    counted c = {0};
    berth_engine *engine;
    must(create(&c, path, &engine));
    build(engine);
    take_picture(engine, &out->before);
    must(calls[which].call(engine));
    take_picture(engine, &out->after);
    take_outlook(engine, &out->outlook);
    berth_engine_destroy(engine);
    must(create(&c, path, &engine));
    build(engine);
    take_outlook(engine, &out->former);
    berth_engine_destroy(engine);
    assert_int_equal(atomic_load(&c.bytes), 0);
}

/* The same in a transaction. A failed call has changed nothing there either. Then the transaction
 * is rolled back, whatever the result of the call, while there is still no memory. */
static bool run_rolled_back(size_t which, berth_path path, unsigned nth, bool for_good,
                            const reference *wanted)
{
    counted c = {.for_good = for_good};
    berth_engine *engine;
    picture got;
    outlook decisions;
    must(create(&c, path, &engine));
    build(engine);
    must(berth_engine_begin(engine, NULL));
    unsigned before = atomic_load(&c.calls);
    atomic_store(&c.fail_at, before + nth);
    berth_status status = calls[which].call(engine);
    bool reached = atomic_load(&c.calls) >= before + nth;
    if (status != BERTH_OK && !for_good) {
        assert_int_equal(status, BERTH_E_NOMEM);
        take_picture(engine, &got);
        same_picture(&wanted->before, &got);
        must(calls[which].call(engine));
        take_picture(engine, &got);
        got.counts.pod_classes =
            wanted->after.counts.pod_classes; /* more are kept in the transaction */
        same_picture(&wanted->after, &got);
    }
    must(berth_engine_rollback(engine, NULL));
    atomic_store(&c.fail_at, 0);
    take_picture(engine, &got);
    same_picture(&wanted->before, &got);
    take_outlook(engine, &decisions);
    same_outlook(&wanted->former, &decisions);
    berth_engine_destroy(engine);
    assert_int_equal(atomic_load(&c.bytes), 0);
    return reached;
}

/* Returns false once the call makes fewer allocations than `nth`. */
static bool run_failing(size_t which, berth_path path, unsigned nth, bool for_good,
                        const reference *wanted)
{
    counted c = {.for_good = for_good};
    berth_engine *engine;
    picture got;
    outlook decisions;
    must(create(&c, path, &engine));
    build(engine);
    unsigned before = atomic_load(&c.calls);
    atomic_store(&c.fail_at, before + nth);
    berth_status status = calls[which].call(engine);
    bool reached = atomic_load(&c.calls) >= before + nth;
    atomic_store(&c.fail_at, 0);
    if (status != BERTH_OK) {
        assert_int_equal(status, BERTH_E_NOMEM);
        take_picture(engine, &got);
        same_picture(&wanted->before, &got);
        must(calls[which].call(engine));
    }
    take_picture(engine, &got);
    same_picture(&wanted->after, &got);
    take_outlook(engine, &decisions);
    same_outlook(&wanted->outlook, &decisions);
    berth_engine_destroy(engine);
    assert_int_equal(atomic_load(&c.bytes), 0);
    return reached;
}

static struct {
    const char *call;
    unsigned nth;
} doing;

typedef bool (*run)(size_t which, berth_path path, unsigned nth, bool for_good,
                    const reference *wanted);

/* How allocations fail: in which run, on which path, and whether all later ones fail, too. */
typedef struct failing {
    run run_one;
    berth_path path;
    bool for_good;
} failing;

static void test_failing(void **state)
{
    static reference wanted;
    const failing *how = *state;
    for (size_t which = 0; which < sizeof(calls) / sizeof(calls[0]); which++) {
        unsigned nth;
        run_whole(which, how->path, &wanted);
        doing.call = calls[which].name;
        for (nth = 1; doing.nth = nth, how->run_one(which, how->path, nth, how->for_good, &wanted);
             nth++)
            assert_true(nth < 1000);
    }
    doing.call = NULL;
}

/* Print the place where a test ended early. */
static int report(void **state)
{
    (void)state;
    if (doing.call != NULL)
        print_message("in \"%s\" with allocation %u failing\n", doing.call, doing.nth);
    doing.call = NULL;
    return 0;
}

static void test_create(void **state)
{
    (void)state;
    for (unsigned nth = 2;; nth++) {
        counted c = {.fail_at = nth / 2, .for_good = nth % 2 != 0};
        berth_engine *engine = NULL;
        berth_status status = create(&c, BERTH_PATH_AUTO, &engine);
        bool reached = atomic_load(&c.calls) >= nth / 2;
        if (status != BERTH_OK) {
            assert_int_equal(status, BERTH_E_NOMEM);
            assert_null(engine);
        }
        berth_engine_destroy(engine);
        assert_int_equal(atomic_load(&c.bytes), 0);
        if (!reached)
            break;
        assert_true(nth < 1000);
    }
}

/* "No nodes" and "no memory to list the nodes" are different results. */
static void test_order_without_memory(void **state)
{
    (void)state;
    bool reached = true;
    uint32_t refused = 0;
    for (unsigned nth = 1; reached; nth++) {
        counted c = {.for_good = false};
        berth_engine *engine;
        berth_error error;
        small_node node;
        berth_object object;
        berth_node_id order[16];
        uint32_t count = 99;
        must(create(&c, BERTH_PATH_SCAN, &engine));
        build(engine);
        must(berth_engine_add(engine, small_node_object(&node, &object, "last", "z0"), NULL, NULL));
        atomic_store(&c.fail_at, atomic_load(&c.calls) + nth);
        berth_status status = berth_engine_node_order(engine, order, 16, &count, &error);
        reached = atomic_load(&c.calls) >= atomic_load(&c.fail_at);
        assert_true(status == BERTH_OK || (status == BERTH_E_NOMEM && reached));
        assert_int_equal(count, status == BERTH_OK ? NODES + 1 : 0);
        refused += status != BERTH_OK;
        atomic_store(&c.fail_at, 0);
        must(berth_engine_node_order(engine, order, 16, &count, NULL));
        assert_int_equal(count, NODES + 1);
        berth_engine_destroy(engine);
        assert_int_equal(atomic_load(&c.bytes), 0);
    }
    assert_true(refused > 0);
}

/* ---- calls that do not allocate ---- */

static void expect_no_allocations(berth_path path, const char *pod)
{
    counted c = {0};
    berth_engine *engine;
    berth_placement got;
    must(create(&c, path, &engine));
    build(engine);
    berth_pod_id id = pod_id(engine, pod);
    for (int warm = 0; warm < 3; warm++) {
        must(berth_engine_schedule(engine, id, &got, NULL));
        assert_int_equal(got.verdict, BERTH_VERDICT_PLACED);
        must(berth_engine_unbind(engine, id, NULL));
    }
    arena_pieces_refuse = NULL; /* counts them */
    unsigned before = atomic_load(&c.calls);
    for (int i = 0; i < 100; i++) {
        must(berth_engine_schedule(engine, id, &got, NULL));
        must(berth_engine_unbind(engine, id, NULL));
    }
    assert_int_equal(atomic_load(&c.calls), before);
    arena_pieces_refuse = counted_piece;
    berth_engine_destroy(engine);
    assert_int_equal(atomic_load(&c.bytes), 0);
}

static void test_warm_decisions_do_not_allocate(void **state)
{
    (void)state;
    expect_no_allocations(BERTH_PATH_SCAN, "a");
    expect_no_allocations(BERTH_PATH_INDEX, "a");
    expect_no_allocations(BERTH_PATH_AUTO, "b");
    expect_no_allocations(BERTH_PATH_SCAN, "rich-1");
    expect_no_allocations(BERTH_PATH_AUTO, "rich-1");
}

static void remove_everything(berth_engine *engine)
{
    berth_pod_id orphan, waiting[32];
    for (int i = 0; i < NODES; i++) {
        const char name[] = {'n', (char)('0' + i), '\0'};
        must(berth_engine_remove(engine, BERTH_KIND_NODE, text(""), text(name), NULL));
    }
    while ((orphan = berth_engine_orphan(engine, NULL)) != BERTH_POD_NONE)
        must(berth_engine_unbind(engine, orphan, NULL));
    uint64_t count = 0;
    must(berth_engine_pending(engine, waiting, 32, &count, NULL));
    for (uint64_t i = 0; i < count; i++) {
        berth_str space, name;
        berth_engine_pod_name(engine, waiting[i], &space, &name);
        must(berth_engine_remove(engine, BERTH_KIND_POD, space, name, NULL));
    }
    must(berth_engine_remove(engine, BERTH_KIND_SERVICE, text(""), text("s"), NULL));
    berth_counts counts;
    berth_engine_counts(engine, &counts);
    assert_int_equal(counts.pods_pending + counts.pod_classes + counts.nodes, 0);
}

/* Removing all objects frees their memory, tens of kilobytes a round, except for texts and for
 * tables that fill up with time. */
static void test_removed_objects_leave_nothing(void **state)
{
    (void)state;
    counted c = {0};
    berth_engine *engine;
    size_t level = 0;
    must(create(&c, BERTH_PATH_AUTO, &engine));
    for (int round = 0; round < 40; round++) {
        build(engine);
        must(add_service(engine));
        remove_everything(engine);
        level = round == 20 ? atomic_load(&c.bytes) : level;
    }
    assert_true(atomic_load(&c.bytes) < level + 5000);
    berth_engine_destroy(engine);
    assert_int_equal(atomic_load(&c.bytes), 0);
}

/* Decisions keep data of at most 4,096 removed classes. */
static void expect_bounded_memory(berth_path path)
{
    enum { CLASSES = 10000, FULL = 5000 };
    counted c = {0};
    berth_engine *engine;
    berth_placement got;
    size_t level = 0;
    must(create(&c, path, &engine));
    build(engine);
    for (int i = 1; i <= CLASSES; i++) {
        put_pod(engine, "passing", NULL, i);
        must(berth_engine_decide(engine, pod_id(engine, "passing"), NULL, &got, NULL));
        must(berth_engine_remove(engine, BERTH_KIND_POD, text(""), text("passing"), NULL));
        level = i == FULL ? atomic_load(&c.bytes) : level;
    }
    assert_true(atomic_load(&c.bytes) < level + level / 50);
    berth_engine_destroy(engine);
    assert_int_equal(atomic_load(&c.bytes), 0);
}

static void test_memory_of_decisions_is_bounded(void **state)
{
    (void)state;
    expect_bounded_memory(BERTH_PATH_SCAN);
    expect_bounded_memory(BERTH_PATH_INDEX);
}

/* ---- an own plugin ---- */

static void take_all(const berth_cycle *cycle, const void *instance, const void *plugin_state,
                     berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)plugin_state;
    (void)slice;
}

/* An engine with an own plugin is made as a whole or not at all, whichever piece of memory is
 * refused. */
static void test_create_with_an_own_plugin(void **state)
{
    static const berth_plugin own = {
        .size = sizeof(own), .name = "Own", .instance_bytes = 64, .filter = take_all};
    const berth_plugin *const plugins[] = {&own};
    const berth_plugin_ref ref = {.name = text("Own"), .weight = 1};
    const berth_plugin_list points[] = {[BERTH_POINT_FILTER] = {&ref, 1}};
    const berth_profile profile = {.points = points, .point_count = BERTH_POINT_FILTER + 1};
    (void)state;
    for (unsigned fail_at = 1, refused = 1; refused != 0; fail_at++) {
        counted memory = {.fail_at = fail_at};
        const berth_allocator allocator = {&memory, counted_allocate, counted_release};
        berth_engine *engine = NULL;
        berth_engine_config config;
        berth_engine_config_init(&config);
        config.allocator = &allocator;
        config.threads = 1;
        config.profiles = &profile;
        config.profile_count = 1;
        config.plugins = plugins;
        config.plugin_count = 1;
        const berth_status status = berth_engine_create(&config, &engine, NULL);
        refused = atomic_load(&memory.calls) >= fail_at;
        assert_int_equal(status, refused ? BERTH_E_NOMEM : BERTH_OK);
        atomic_store(&memory.fail_at, 0);
        berth_engine_destroy(engine);
        assert_int_equal(atomic_load(&memory.bytes), 0);
    }
}

/* In a transaction, room for undoing may be what is missing when nodes are laid out anew. */
static void test_layouts_in_a_transaction(void **state)
{
    (void)state;
    enum { MORE = 200 };
    counted c = {0};
    berth_engine *engine;
    berth_pod_id pod;
    berth_placement placement;
    uint32_t fails = 0;
    assert_int_equal(create(&c, BERTH_PATH_AUTO, &engine), BERTH_OK);
    build(engine);
    pod = pod_id(engine, "a");
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    for (uint32_t i = 0; i < MORE; i++) {
        berth_status status = BERTH_E_NOMEM;
        char name[16];
        small_node node;
        berth_object object;
        snprintf(name, sizeof(name), "more-%u", i);
        must(berth_engine_add(engine, small_node_object(&node, &object, name, "z0"), NULL, NULL));
        for (unsigned call = 1; status != BERTH_OK; call++) {
            atomic_store(&c.fail_at, atomic_load(&c.calls) + call);
            status = berth_engine_decide(engine, pod, NULL, &placement, NULL);
            atomic_store(&c.fail_at, 0);
            fails += status != BERTH_OK;
        }
    }
    assert_true(fails >= MORE);
    assert_int_equal(berth_engine_rollback(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_engine_destroy(engine);
    assert_int_equal(atomic_load(&c.bytes), 0);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
#define FAILING(name, run_one, path, for_good)       \
    {                                                \
        name, test_failing, NULL, report, &(failing) \
        {                                            \
            run_one, path, for_good                  \
        }                                            \
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_create_with_an_own_plugin),
        cmocka_unit_test(test_order_without_memory),
        FAILING("one failure by scan", run_failing, BERTH_PATH_SCAN, false),
        FAILING("one failure by index", run_failing, BERTH_PATH_INDEX, false),
        /* A rollback must not need memory either. */
        FAILING("no memory left by scan", run_failing, BERTH_PATH_SCAN, true),
        FAILING("no memory left by index", run_failing, BERTH_PATH_INDEX, true),
        FAILING("one failure in a transaction by scan", run_rolled_back, BERTH_PATH_SCAN, false),
        FAILING("one failure in a transaction by index", run_rolled_back, BERTH_PATH_INDEX, false),
        FAILING("no memory left in a transaction by scan", run_rolled_back, BERTH_PATH_SCAN, true),
        FAILING("no memory left in a transaction by index", run_rolled_back, BERTH_PATH_INDEX,
                true),
        cmocka_unit_test(test_layouts_in_a_transaction),
        cmocka_unit_test(test_warm_decisions_do_not_allocate),
        cmocka_unit_test(test_removed_objects_leave_nothing),
        cmocka_unit_test(test_memory_of_decisions_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
