/* Pod classes: which pods share one, what classes share, totals of requests, and that nothing
 * outlives its last user. Source of the totals: component-helpers v0.32, resource/helpers.go;
 * Kubernetes v1.15.3, predicates.GetResourceRequest. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "one_model.h"

static void release(berth__class *cls)
{
    berth__class_release(&model, cls);
}

static berth_resource cpu(int32_t milli)
{
    return (berth_resource){BERTH_STR("cpu"), {milli / 1000, milli % 1000 * 1000000}};
}

static berth_resource memory(int64_t bytes)
{
    return (berth_resource){BERTH_STR("memory"), {bytes, 0}};
}

static berth_container container(const berth_resource *requests, uint32_t count)
{
    return (berth_container){.image = BERTH_STR("app:1"), .requests = {requests, count}};
}

/* ---- requests ---- */

/* init [sidecar 500m, plain 1600m, sidecar 100m], container 900m, overhead 100m. */
static void request_of_example(int64_t *ask, int64_t *use)
{
    const berth_resource amounts[] = {cpu(500), cpu(1600), cpu(100), cpu(900), cpu(100)};
    berth_container init[3];
    for (int i = 0; i < 3; i++)
        init[i] = container(&amounts[i], 1);
    init[0].restart_always = init[2].restart_always = true;
    const berth_container regular = container(&amounts[3], 1);
    const berth_pod pod = {.init_containers = init,
                           .init_container_count = 3,
                           .containers = &regular,
                           .container_count = 1,
                           .overhead = {&amounts[4], 1}};
    berth__class *cls = class_of(&pod);
    *ask = cls->request->ask[BERTH__CPU];
    *use = cls->request->use[BERTH__CPU];
    release(cls);
}

static void test_sidecars_and_overhead(void **state)
{
    (void)state;
    int64_t ask, use;
    request_of_example(&ask, &use);
    assert_int_equal(ask, 2200);
    assert_int_equal(use, 2200);
}

/* v1.15 ignores sidecars and overhead, and counts init containers only for the pod to be placed. */
static void test_legacy_totals(void **state)
{
    (void)state;
    int64_t ask, use;
    berth__behaviours_make(BERTH__KUBERNETES_LEGACY, (berth_str){0}, &model.behaviours, NULL);
    request_of_example(&ask, &use);
    assert_int_equal(ask, 1600);
    assert_int_equal(use, 900);
}

/* Three containers of 100u cpu each: 1m from the exact sum, 3m if each is rounded separately. */
static void test_rounding(void **state)
{
    (void)state;
    const berth_resource tiny = {BERTH_STR("cpu"), {0, 100000}};
    berth_container containers[3];
    for (int i = 0; i < 3; i++)
        containers[i] = container(&tiny, 1);
    const berth_pod pod = {.containers = containers, .container_count = 3};
    berth__class *modern = class_of(&pod);
    assert_int_equal(modern->request->ask[BERTH__CPU], 1);
    release(modern);
    berth__behaviours_make(BERTH__KUBERNETES_LEGACY, (berth_str){0}, &model.behaviours, NULL);
    berth__class *legacy = class_of(&pod);
    assert_int_equal(legacy->request->ask[BERTH__CPU], 3);
    release(legacy);
}

static void test_nonzero_defaults(void **state)
{
    (void)state;
    const berth_resource amounts[] = {cpu(0), memory(1000)};
    const berth_container containers[] = {container(NULL, 0), container(amounts, 1),
                                          container(amounts + 1, 1)};
    const berth_pod pod = {.containers = containers, .container_count = 3};
    berth__class *cls = class_of(&pod);
    assert_int_equal(cls->request->ask[BERTH__CPU], 0);
    assert_int_equal(cls->request->ask[BERTH__MEMORY], 1000);
    assert_int_equal(cls->request->nonzero_cpu, 200); /* an explicit 0 stays 0 */
    assert_int_equal(cls->request->nonzero_memory, 2 * 209715200 + 1000);
    assert_false(cls->request->best_effort);
    release(cls);
}

static void follow(uint32_t minor)
{
    assert_int_equal(berth__behaviours_make(minor, (berth_str){0}, &model.behaviours, NULL),
                     BERTH_OK);
}

/* A status without resources adds to no total, so it does not change the class. */
static void test_status_without_resources(void **state)
{
    (void)state;
    const berth_resource held = {BERTH_STR("example.com/gpu"), {1, 0}};
    const berth_container one = {.name = BERTH_STR("app")};
    const berth_container_status status = {.name = one.name, .requests = {&held, 1}};
    berth_pod pod = {.containers = &one, .container_count = 1};
    follow(37);
    berth__class *plain = class_of(&pod);
    pod.container_statuses = &status;
    pod.container_status_count = 1;
    assert_ptr_equal(class_of(&pod), plain);
    release(plain);
    release(plain);
}

/* What a one-container pod counts on its node after an in-place resize. */
static void check_resized(uint32_t minor, int32_t spec, int32_t held, const char *reason,
                          int64_t ask, int64_t use)
{
    const berth_resource amounts[] = {cpu(spec), cpu(held)};
    berth_container one = container(&amounts[0], 1);
    one.name = BERTH_STR("app");
    const berth_container_status status = {.name = one.name,
                                           .has_resources = true,
                                           .requests = {&amounts[1], 1},
                                           .allocated = {&amounts[1], 1}};
    const berth_condition pending = {.type = BERTH_STR("PodResizePending"),
                                     .status = BERTH_STR("True"),
                                     .reason = berth__text_of(reason)};
    const berth_pod pod = {.containers = &one,
                           .container_count = 1,
                           .conditions = &pending,
                           .condition_count = 1,
                           .container_statuses = &status,
                           .container_status_count = 1};
    follow(minor);
    berth__class *cls = class_of(&pod);
    assert_int_equal(cls->request->ask[BERTH__CPU], ask);
    assert_int_equal(cls->request->use[BERTH__CPU], use);
    assert_int_equal(cls->request->nonzero_cpu, use);
    release(cls);
}

static void test_resized_pods(void **state)
{
    (void)state;
    check_resized(36, 500, 1000, "Deferred", 500, 1000);
    check_resized(36, 4000, 1000, "Deferred", 4000, 4000);
    check_resized(36, 4000, 1000, "Infeasible", 4000, 1000);
    check_resized(33, 500, 1000, "Deferred", 500, 1000);
    check_resized(32, 500, 1000, "Deferred", 500, 500);
    check_resized(32, 4000, 1000, "Infeasible", 4000, 4000);
}

/* Pod-level requests replace those of the containers, except in the score of NodeResourcesFit. */
static void test_pod_level_requests(void **state)
{
    (void)state;
    const berth_resource amounts[] = {cpu(1000)}, container_amounts[] = {cpu(300)};
    const berth_container containers[] = {container(NULL, 0), container(container_amounts, 1)};
    const berth_pod pod = {
        .containers = containers, .container_count = 2, .pod_requests = {amounts, 1}};
    follow(36);
    berth__class *cls = class_of(&pod);
    assert_int_equal(cls->request->ask[BERTH__CPU], 1000);
    assert_int_equal(cls->request->ask[BERTH__MEMORY], 0);
    assert_int_equal(cls->request->nonzero_cpu, 1000);
    assert_int_equal(cls->request->nonzero_memory,
                     2 * 209715200); /* the default of each container */
    assert_int_equal(cls->request->scored_cpu, 400);
    assert_int_equal(cls->request->scored_memory, 2 * 209715200);
    release(cls);
    follow(33);
    cls = class_of(&pod);
    assert_int_equal(cls->request->ask[BERTH__CPU], 300);
    assert_int_equal(cls->request->nonzero_memory, 2 * 209715200);
    release(cls);
}

/* The status of an init container that runs to completion does not count for the pod. */
static void test_status_of_plain_init(void **state)
{
    (void)state;
    const berth_resource amounts[] = {cpu(1000)};
    const berth_resource held[] = {memory(1000)};
    const berth_container containers[] = {container(NULL, 0)};
    berth_container init[] = {container(NULL, 0)};
    const berth_container_status status = {
        .name = BERTH_STR("init"), .has_resources = true, .requests = {held, 1}};
    init[0].name = BERTH_STR("init");
    berth_pod pod = {.containers = containers,
                     .container_count = 1,
                     .init_containers = init,
                     .init_container_count = 1,
                     .init_container_statuses = &status,
                     .init_container_status_count = 1,
                     .pod_requests = {amounts, 1}};
    follow(36);
    berth__class *cls = class_of(&pod);
    assert_int_equal(cls->request->nonzero_memory, 209715200);
    release(cls);
    init[0].restart_always = true;
    cls = class_of(&pod);
    assert_int_equal(cls->request->nonzero_memory, 1000);
    release(cls);
}

/* The pod-level status counts since 1.36. */
static void test_resized_pod_level(void **state)
{
    (void)state;
    const berth_resource amounts[] = {cpu(1000), cpu(3000)};
    const berth_container one = container(NULL, 0);
    const berth_pod pod = {.containers = &one,
                           .container_count = 1,
                           .pod_requests = {&amounts[0], 1},
                           .has_status_resources = true,
                           .status_requests = {&amounts[1], 1}};
    follow(36);
    berth__class *cls = class_of(&pod);
    assert_int_equal(cls->request->use[BERTH__CPU], 3000);
    assert_int_equal(cls->request->ask[BERTH__CPU], 1000);
    release(cls);
    follow(35);
    cls = class_of(&pod);
    assert_int_equal(cls->request->use[BERTH__CPU], 1000);
    release(cls);
}

/* Amounts of a pod-level status that is not there distinguish no classes. */
static void test_pod_level_status_absent(void **state)
{
    (void)state;
    const berth_resource amounts[] = {{BERTH_STR("hugepages-2Mi"), {4194304, 0}}, cpu(3000)};
    const berth_container one = container(NULL, 0);
    const berth_pod pod = {.containers = &one, .container_count = 1};
    berth_pod reported = pod;
    reported.status_requests = reported.status_allocated = (berth_resources){amounts, 2};
    follow(37);
    berth__class *plain = class_of(&pod), *cls = class_of(&reported);
    assert_ptr_equal(plain, cls);
    assert_int_equal(cls->request->scalar_count, 0);
    release(plain);
    release(cls);
    reported.has_status_resources = true;
    cls = class_of(&reported);
    assert_int_equal(cls->request->scalar_count, 1);
    release(cls);
}

static void test_scalars(void **state)
{
    (void)state;
    const berth_resource amounts[] = {
        {BERTH_STR("example.com/gpu"), {2, 0}},
        {BERTH_STR("hugepages-2Mi"), {4194304, 0}},
        {BERTH_STR("pods"), {7, 0}},
        {BERTH_STR("storage"), {7, 0}},
        {BERTH_STR("attachable-volumes-x"), {1, 1}},
        {BERTH_STR("ephemeral-storage"), {9, 500000000}},
    };
    const berth_container one = container(amounts, 6);
    const berth_pod pod = {.containers = &one, .container_count = 1};
    berth__class *cls = class_of(&pod);
    assert_int_equal(cls->request->scalar_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const berth__scalar_request *scalar = &cls->request->scalars[i];
        assert_true(i == 0 || scalar->resource > scalar[-1].resource);
        assert_int_equal(scalar->ask, scalar->use);
        berth_str name = berth__text(&model, model.resource_names[scalar->resource]);
        assert_int_equal(scalar->ask, berth__str_is(name, "example.com/gpu") ? 2
                                      : berth__str_is(name, "hugepages-2Mi") ? 4194304
                                                                             : 2);
    }
    assert_int_equal(cls->request->ask[BERTH__EPHEMERAL], 10);
    assert_true(cls->request->best_effort);
    release(cls);
}

static void test_refused_amounts(void **state)
{
    (void)state;
    static const struct {
        berth_quantity amount;
        berth_status status;
    } cases[] = {
        {{-1, 0}, BERTH_E_INVALID},
        {{0, -1}, BERTH_E_INVALID},
        {{INT64_MAX, 0}, BERTH_E_RANGE}, /* cpu is multiplied by 1000 */
        {{INT64_MAX / 1000, 999999999}, BERTH_E_RANGE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const berth_resource amount = {BERTH_STR("cpu"), cases[i].amount};
        const berth_container one = container(&amount, 1);
        const berth_pod pod = {.containers = &one, .container_count = 1};
        berth__class *cls = NULL;
        berth_error error;
        assert_int_equal(berth__class_of(&model, &pod, &cls, &error), cases[i].status);
        assert_string_equal(error.field, "spec.containers[0].resources.requests.cpu");
        assert_null(cls);
    }
    const berth_resource large = memory(INT64_MAX);
    const berth_container two[] = {container(&large, 1), container(&large, 1)};
    const berth_pod pod = {.containers = two, .container_count = 2};
    berth__class *cls = NULL;
    assert_int_equal(berth__class_of(&model, &pod, &cls, NULL), BERTH_E_RANGE);
}

static void expect_refused(const berth_pod *pod, berth_status status, const char *field)
{
    berth__class *cls = NULL;
    berth_error error;
    assert_int_equal(berth__class_of(&model, pod, &cls, &error), status);
    assert_string_equal(error.field, field);
    assert_null(cls);
}

/* An amount below zero is refused wherever a pod has amounts, by the name of its field. */
static void test_refused_fields(void **state)
{
    (void)state;
    const berth_resource amount = cpu(-1);
    const berth_resources list = {&amount, 1};
    const berth_container one = container(&amount, 1);
    const berth_container_status requested = {.has_resources = true, .requests = list};
    const berth_container_status allocated = {.allocated = list};
    const struct {
        berth_pod pod;
        const char *field;
    } cases[] = {
        {{.init_containers = &one, .init_container_count = 1},
         "spec.initContainers[0].resources.requests.cpu"},
        {{.overhead = list}, "spec.overhead.cpu"},
        {{.pod_requests = list}, "spec.resources.requests.cpu"},
        {{.status_requests = list}, "status.resources.requests.cpu"},
        {{.status_allocated = list}, "status.allocatedResources.cpu"},
        {{.container_statuses = &requested, .container_status_count = 1},
         "status.containerStatuses[0].resources.requests.cpu"},
        {{.container_statuses = &allocated, .container_status_count = 1},
         "status.containerStatuses[0].allocatedResources.cpu"},
        {{.init_container_statuses = &allocated, .init_container_status_count = 1},
         "status.initContainerStatuses[0].allocatedResources.cpu"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(&cases[i].pod, BERTH_E_INVALID, cases[i].field);
}

/* Totals that do not fit: of a resource with a name of its own, of the pod as a whole, of the
 * containers that the pod as a whole replaces, and with what is assumed for those that request
 * nothing. */
static void test_refused_totals(void **state)
{
    (void)state;
    const berth_resource gpus = {BERTH_STR("x.org/gpu"), {INT64_MAX, 0}};
    const berth_resource bytes = memory(INT64_MAX), few = memory(1);
    const berth_resource cores = {BERTH_STR("cpu"), {INT64_MAX / 1000, 800000000}};
    const berth_container two_gpus[] = {container(&gpus, 1), container(&gpus, 1)};
    const berth_container two_bytes[] = {container(&bytes, 1), container(&bytes, 1)};
    const berth_container bare_bytes[] = {container(&bytes, 1), container(NULL, 0)};
    const berth_container bare_cores[] = {container(&cores, 1), container(NULL, 0)};
    const struct {
        berth_pod pod;
        const char *field;
    } cases[] = {
        {{.containers = two_gpus, .container_count = 2},
         "spec.containers[].resources.requests.x.org/gpu"},
        {{.containers = bare_bytes,
          .container_count = 1,
          .pod_requests = {&bytes, 1},
          .overhead = {&bytes, 1}},
         "spec.containers[].resources.requests.memory"},
        {{.containers = two_bytes, .container_count = 2, .pod_requests = {&few, 1}},
         "spec.containers[].resources.requests.memory"},
        {{.containers = bare_bytes, .container_count = 2},
         "spec.containers[].resources.requests.memory"},
        {{.containers = bare_cores, .container_count = 2},
         "spec.containers[].resources.requests.cpu"},
    };
    follow(36);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(&cases[i].pod, BERTH_E_RANGE, cases[i].field);
}

/* ---- sharing ---- */

/* A pod that uses every field, with storage for what it points to. */
typedef struct rich {
    berth_pod pod;
    berth_resource amounts[2];
    berth_port port;
    berth_container container;
    berth_key_value labels[2];
    berth_key_value selector;
    berth_toleration toleration;
    berth_label_selector peers;
    berth_pod_affinity_term term;
    berth_topology_spread spread;
    berth_volume volume;
    berth_owner owner;
} rich;

static void make_rich(rich *r)
{
    memset(r, 0, sizeof(*r));
    r->amounts[0] = cpu(250);
    r->amounts[1] = memory(1 << 20);
    r->port = (berth_port){.host_port = 80};
    r->container = container(r->amounts, 2);
    r->container.ports = &r->port;
    r->container.port_count = 1;
    r->labels[0] = (berth_key_value){BERTH_STR("app"), BERTH_STR("web")};
    r->labels[1] = (berth_key_value){BERTH_STR("tier"), BERTH_STR("front")};
    r->selector = (berth_key_value){BERTH_STR("disk"), BERTH_STR("ssd")};
    r->toleration = (berth_toleration){.op = BERTH_STR("Exists")};
    r->peers.match_labels = (berth_map){r->labels, 1};
    r->term =
        (berth_pod_affinity_term){.label_selector = &r->peers, .topology_key = BERTH_STR("zone")};
    r->spread = (berth_topology_spread){.max_skew = 1,
                                        .topology_key = BERTH_STR("zone"),
                                        .when_unsatisfiable = BERTH_STR("DoNotSchedule"),
                                        .label_selector = &r->peers};
    r->volume = (berth_volume){BERTH_STR("data"),
                               {.kind = BERTH_VOLUME_CLAIM, .handle = BERTH_STR("claim")}};
    r->owner = (berth_owner){
        .kind = BERTH_STR("ReplicaSet"), .name = BERTH_STR("web"), .controller = true};
    r->pod = (berth_pod){
        .meta = {.name = BERTH_STR("web-0"),
                 .labels = {r->labels, 2},
                 .owners = &r->owner,
                 .owner_count = 1},
        .containers = &r->container,
        .container_count = 1,
        .node_selector = {&r->selector, 1},
        .tolerations = &r->toleration,
        .toleration_count = 1,
        .pod_anti_affinity = {.present = true, .required = &r->term, .required_count = 1},
        .spreads = &r->spread,
        .spread_count = 1,
        .volumes = &r->volume,
        .volume_count = 1};
}

static void test_equal_pods_share_a_class(void **state)
{
    (void)state;
    rich first, second;
    make_rich(&first);
    make_rich(&second);
    /* Other memory, another name and uid, labels in another order: still the same class. */
    second.pod.meta.name = BERTH_STR("web-1");
    second.pod.meta.uid = BERTH_STR("u1");
    const berth_key_value turned[] = {second.labels[1], second.labels[0]};
    second.pod.meta.labels = (berth_map){turned, 2};
    berth__class *a = class_of(&first.pod), *b = class_of(&second.pod);
    assert_ptr_equal(a, b);
    assert_int_equal(a->users, 2);
    assert_int_equal(model.class_count, 1);
    assert_int_equal(model.parts.count, 7);
    release(a);
    assert_int_equal(model.class_count, 1);
    release(b);
    assert_int_equal(model.class_count, 0);
    assert_int_equal(model.parts.count, 0);
}

/* Fields that are absent or set to the API server's defaults make no difference. */
static void test_implied_values(void **state)
{
    (void)state;
    rich first, second;
    make_rich(&first);
    make_rich(&second);
    second.pod.meta.namespace_name = BERTH_STR("default");
    second.pod.scheduler_name = BERTH_STR("default-scheduler");
    second.pod.preemption_policy = BERTH_STR("PreemptLowerPriority");
    second.port.host_ip = BERTH_STR("0.0.0.0");
    second.port.protocol = BERTH_STR("TCP");
    berth__class *a = class_of(&first.pod), *b = class_of(&second.pod);
    assert_ptr_equal(a, b);
    release(a);
    release(b);
}

typedef enum change {
    CHANGE_CPU,
    CHANGE_TOLERATION,
    CHANGE_IMAGE,
    CHANGE_PORT,
    CHANGE_LABEL,
    CHANGE_SKEW,
    CHANGE_CLAIM,
    CHANGE_SCHEDULER,
    CHANGE_GATE,
    CHANGE_POLICY,
    CHANGE_DELETING,
    CHANGE_COUNT,
} change;

static void apply(rich *r, change what)
{
    static const berth_str gate = {"gate", 4};
    switch (what) {
    case CHANGE_CPU:
        r->amounts[0] = cpu(251);
        break;
    case CHANGE_TOLERATION:
        r->toleration.key = BERTH_STR("dedicated");
        break;
    case CHANGE_IMAGE:
        r->container.image = BERTH_STR("app:2");
        break;
    case CHANGE_PORT:
        r->port.host_port = 81;
        break;
    case CHANGE_LABEL:
        r->labels[1].value = BERTH_STR("back");
        break;
    case CHANGE_SKEW:
        r->spread.max_skew = 2;
        break;
    case CHANGE_CLAIM:
        r->volume.source.handle = BERTH_STR("other");
        break;
    case CHANGE_SCHEDULER:
        r->pod.scheduler_name = BERTH_STR("second");
        break;
    case CHANGE_GATE:
        r->pod.scheduling_gates = (berth_strs){&gate, 1};
        break;
    case CHANGE_POLICY:
        r->pod.preemption_policy = BERTH_STR("Never");
        break;
    case CHANGE_DELETING:
        r->pod.meta.deleting = true;
        break;
    case CHANGE_COUNT:
        break;
    }
}

static uint32_t parts_that_differ(const berth__class *a, const berth__class *b)
{
    return (uint32_t)((a->request != b->request) + (a->node_rules != b->node_rules) +
                      (a->images != b->images) + (a->ports != b->ports) +
                      (a->identity != b->identity) + (a->pod_rules != b->pod_rules) +
                      (a->volumes != b->volumes));
}

static void test_one_change_changes_one_part(void **state)
{
    (void)state;
    rich base, other;
    make_rich(&base);
    berth__class *a = class_of(&base.pod);
    for (int what = 0; what < CHANGE_COUNT; what++) {
        make_rich(&other);
        apply(&other, (change)what);
        berth__class *b = class_of(&other.pod);
        assert_ptr_not_equal(a, b);
        assert_true(b->serial > a->serial);
        assert_int_equal(parts_that_differ(a, b), what < CHANGE_SCHEDULER ? 1 : 0);
        assert_int_equal(model.parts.count, what < CHANGE_SCHEDULER ? 8 : 7);
        release(b);
        assert_int_equal(model.parts.count, 7);
        assert_int_equal(model.class_count, 1);
    }
    release(a);
}

/* One required anti-affinity term; each of its parts can be varied. */
typedef struct rule_pod {
    berth_str values[2], namespaces[2];
    berth_requirement labels, spaces;
    berth_label_selector selector, namespace_selector;
    berth_pod_affinity_term term, preferred;
    berth_pod pod;
} rule_pod;

static void make_rule_pod(rule_pod *r, int what)
{
    *r = (rule_pod){.values = {BERTH_STR("a"), berth__text_of(what == 1 ? "c" : "b")},
                    .namespaces = {BERTH_STR("n"), berth__text_of(what == 2 ? "o" : "m")}};
    r->labels = (berth_requirement){.key = berth__text_of(what == 3 ? "k" : "l"),
                                    .op = berth__text_of(what == 4 ? "NotIn" : "In"),
                                    .values = {r->values, what == 5 ? 1 : 2}};
    r->spaces = (berth_requirement){
        .key = berth__text_of(what == 6 ? "x" : "y"),
        .op = berth__text_of(what == 7 ? "DoesNotExist" : "Exists"),
    };
    r->selector = (berth_label_selector){.match_expressions = {&r->labels, what == 8 ? 0 : 1}};
    r->namespace_selector =
        (berth_label_selector){.match_expressions = {&r->spaces, what == 9 ? 0 : 1}};
    r->term =
        (berth_pod_affinity_term){.topology_key = berth__text_of(what == 10 ? "host" : "zone"),
                                  .label_selector = what == 11 ? NULL : &r->selector,
                                  .namespaces = {r->namespaces, what == 12 ? 1 : 2},
                                  .namespace_selector = what == 13 ? NULL : &r->namespace_selector};
    r->preferred = r->term;
    r->preferred.weight = what == 14 ? 2 : 1;
    const berth_pod_affinity both = {.present = true,
                                     .required = &r->term,
                                     .required_count = what == 15 ? 0 : 1,
                                     .preferred = &r->preferred,
                                     .preferred_count = what == 16 ? 0 : 1};
    if (what == 17)
        r->pod.pod_affinity = both;
    else
        r->pod.pod_anti_affinity = both;
}

enum { RULE_CHANGES = 18 }; /* the first has no change */

/* Terms that differ in any part are separate rules. */
static void test_rules_are_told_apart(void **state)
{
    (void)state;
    static rule_pod pods[RULE_CHANGES];
    berth__class *classes[RULE_CHANGES];
    for (int i = 0; i < RULE_CHANGES; i++) {
        make_rule_pod(&pods[i], i);
        classes[i] = class_of(&pods[i].pod);
        for (int k = 0; k < i; k++)
            if (classes[k]->pod_rules == classes[i]->pod_rules)
                fail_msg("pods %d and %d share their rules", k, i);
    }
    for (int i = 0; i < RULE_CHANGES; i++)
        release(classes[i]);
}

static void test_plain_pods_have_few_parts(void **state)
{
    (void)state;
    const berth_pod pod = {0};
    berth__class *cls = class_of(&pod);
    assert_non_null(cls->request);
    assert_non_null(cls->images);
    assert_non_null(cls->identity);
    assert_null(cls->node_rules);
    assert_null(cls->ports);
    assert_null(cls->pod_rules);
    assert_null(cls->volumes);
    assert_true(cls->preempts);
    assert_int_equal(cls->scheduler_name, model.known.default_scheduler);
    release(cls);
}

static void test_serials_are_not_used_again(void **state)
{
    (void)state;
    rich r;
    make_rich(&r);
    uint64_t last_class = 0, last_part = 0;
    for (int round = 0; round < 5; round++) {
        berth__class *cls = class_of(&r.pod);
        assert_true(cls->serial > last_class && cls->request->part.serial > last_part);
        last_class = cls->serial;
        last_part = cls->request->part.serial;
        release(cls);
    }
}

static void test_image_names(void **state)
{
    (void)state;
    static const struct {
        const char *image, *normal;
    } cases[] = {
        {"nginx", "nginx:latest"},
        {"nginx:1.2", "nginx:1.2"},
        {"host:5000/nginx", "host:5000/nginx:latest"},
        {"host:5000/nginx:1", "host:5000/nginx:1"},
        {"nginx@sha256:abc", "nginx@sha256:abc"},
        {"", ":latest"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool ok = true;
        berth__sym name = berth__image_name(&model, berth__text_of(cases[i].image), &ok);
        assert_true(ok && berth__str_is(berth__text(&model, name), cases[i].normal));
    }
}

/* ---- out of memory ---- */

typedef struct counted {
    size_t bytes;
    unsigned calls, fail_at;
} counted;

static void *counted_allocate(void *context, size_t bytes, size_t align)
{
    counted *c = context;
    if (++c->calls == c->fail_at)
        return NULL;
    c->bytes += bytes;
    return aligned_alloc(align, (bytes + align - 1) / align * align);
}

static void counted_release(void *context, void *memory_, size_t bytes)
{
    counted *c = context;
    c->bytes -= bytes;
    free(memory_);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    rich r;
    make_rich(&r);
    for (unsigned fail_at = 1;; fail_at++) {
        counted c = {.fail_at = fail_at};
        const berth_allocator allocator = {&c, counted_allocate, counted_release};
        berth__model poor;
        berth__class *cls;
        if (berth__model_init(&poor, &allocator, NULL) == BERTH_OK) {
            berth_status status = berth__class_of(&poor, &r.pod, &cls, NULL);
            if (status != BERTH_OK) {
                assert_int_equal(status, BERTH_E_NOMEM);
                assert_int_equal(poor.class_count + poor.parts.count + poor.classes.count, 0);
                assert_int_equal(berth__class_of(&poor, &r.pod, &cls, NULL), BERTH_OK);
            }
            berth__class_release(&poor, cls);
            berth__model_destroy(&poor);
        }
        assert_int_equal(c.bytes, 0);
        if (c.calls < fail_at)
            break;
    }
}

/* ---- released later ---- */

static void *collect(void *nothing)
{
    berth__model_collect(&model);
    return nothing;
}

/* While another thread holds the lock, nobody releases the uses that are due: the next one does. */
static void test_due_waits_for_the_lock(void **state)
{
    (void)state;
    const berth_container plain = container(NULL, 0);
    const berth_pod pod = {.containers = &plain, .container_count = 1};
    berth__class *cls = class_of(&pod);
    pthread_t other;
    berth__model_lock_slow(&model);
    berth__class_release_later(&model, cls);
    assert_int_equal(pthread_create(&other, NULL, collect, NULL), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(model.class_count, 1);
    berth__model_unlock_slow(&model);
    berth__model_collect(&model);
    assert_int_equal(model.class_count, 0);
}

#define WITH_MODEL(test) cmocka_unit_test_setup_teardown(test, model_set_up, model_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MODEL(test_sidecars_and_overhead),
        WITH_MODEL(test_legacy_totals),
        WITH_MODEL(test_rounding),
        WITH_MODEL(test_resized_pods),
        WITH_MODEL(test_pod_level_requests),
        WITH_MODEL(test_status_of_plain_init),
        WITH_MODEL(test_status_without_resources),
        WITH_MODEL(test_resized_pod_level),
        WITH_MODEL(test_pod_level_status_absent),
        WITH_MODEL(test_nonzero_defaults),
        WITH_MODEL(test_scalars),
        WITH_MODEL(test_refused_amounts),
        WITH_MODEL(test_refused_fields),
        WITH_MODEL(test_refused_totals),
        WITH_MODEL(test_equal_pods_share_a_class),
        WITH_MODEL(test_implied_values),
        WITH_MODEL(test_one_change_changes_one_part),
        WITH_MODEL(test_rules_are_told_apart),
        WITH_MODEL(test_plain_pods_have_few_parts),
        WITH_MODEL(test_serials_are_not_used_again),
        WITH_MODEL(test_image_names),
        WITH_MODEL(test_due_waits_for_the_lock),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
