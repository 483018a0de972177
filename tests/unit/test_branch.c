/* Branches call by call: data shared with the engine, refusals, conflicts of commits, memory that
 * runs out. tests/model/test_branch_model.c tests decisions on branches. */
#include <dirent.h>

#include "branch_cluster.h"
#include "model/pod.h"

static const char one_core[] = "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]";
static const char four_cores[] =
    "containers: [{name: c, image: i, resources: {requests: {cpu: 4}}}]";

/* ---- separate from the engine ---- */

static void test_alone(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    berth_pod_id there = small_pod(c, "there", "a", "", one_core);
    berth_pod_id waits = small_pod(c, "waits", NULL, "", one_core);
    uint64_t digest = berth_engine_digest(c->engine);
    berth_engine *branch = branch_off(c), *other = branch_off(c);
    assert_int_equal(place(branch, waits), a);
    take_off(branch, there);
    assert_int_equal(berth_engine_pod_node(branch, waits), a);
    assert_int_equal(berth_engine_digest(c->engine), digest);
    assert_int_equal(berth_engine_digest(other), digest);
    remove_named(other, BERTH_KIND_NODE, "a");
    assert_int_equal(berth_engine_pod_node(branch, waits), a);
    assert_int_equal(place(other, waits), BERTH_NODE_NONE);
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_check(branch, &error), &error);
    small_require(berth_engine_check(other, &error), &error);
    berth_branch_drop(branch);
    berth_engine_destroy(other);
    berth_branch_drop(NULL);
    assert_int_equal(berth_engine_digest(c->engine), digest);
    berth_engine_trim(c->engine);
    assert_int_equal(place(c->engine, waits), a);
}

static unsigned threads_now(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* A branch works on its caller's thread alone. */
static void test_no_threads(void **state)
{
    small_cluster *c = *state;
    const unsigned before = threads_now();
    berth_engine *branch = branch_off(c);
    assert_int_equal(threads_now(), before);
    berth_branch_drop(branch);
}

/* A branch that changes one node knows of all others whether they take pods. */
static void test_unschedulable_nodes(void **state)
{
    enum { NODES = 128 };
    small_cluster *c = *state;
    berth_node_id ids[NODES];
    for (int i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", i);
        ids[i] = small_node(c, name, "");
    }
    const berth_pod_id pod = small_pod(c, "p", NULL, "", one_core);
    for (int i = 1; i < NODES; i++)
        assert_int_equal(berth_engine_cordon_node(c->engine, ids[i], true, NULL), BERTH_OK);
    small_decide(c, pod);
    assert_int_equal(c->placement.node, ids[0]);
    berth_engine *branch = branch_off(c);
    assert_int_equal(berth_engine_cordon_node(branch, ids[0], true, NULL), BERTH_OK);
    assert_int_equal(place(branch, pod), BERTH_NODE_NONE);
    assert_int_equal(place(c->engine, pod), ids[0]);
    berth_branch_drop(branch);
}

/* The engine of a dropped branch is reused for another state, without traces of the first. */
static void test_again(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    berth_pod_id pods[3];
    pods[0] = small_pod(c, "p", NULL, "", four_cores);
    pods[1] = small_pod(c, "q", NULL, "", four_cores);
    for (int i = 0; i < 20; i++) {
        berth_engine *branch = branch_off(c);
        assert_int_not_equal(place(branch, pods[0]), BERTH_NODE_NONE);
        assert_int_equal(place(branch, pods[1]), BERTH_NODE_NONE);
        assert_int_equal(berth_engine_begin(branch, NULL), BERTH_OK); /* stays open to the end */
        take_off(branch, pods[0]);
        berth_branch_drop(branch);
    }
    berth_node_id b = small_node(c, "b", "");
    assert_int_not_equal(place(c->engine, pods[0]), BERTH_NODE_NONE);
    berth_engine *branch = branch_off(c);
    berth_node_id second = place(branch, pods[1]);
    assert_int_not_equal(second, BERTH_NODE_NONE);
    assert_int_not_equal(second, berth_engine_pod_node(c->engine, pods[0]));
    assert_int_equal(berth_engine_close_node(branch, b, true, NULL), BERTH_OK);
    berth_branch_drop(branch);
}

/* What the next branch decides about the pod, which it leaves where it is. */
static berth_node_id decide_next(const small_cluster *c, berth_pod_id pod)
{
    berth_engine *branch = branch_off(c);
    berth_error error = {.code = BERTH_OK};
    berth_decide_options options;
    berth_placement placement;
    berth_decide_options_init(&options);
    small_require(berth_engine_decide(branch, pod, &options, &placement, &error), &error);
    small_require(berth_engine_check(branch, &error), &error);
    berth_branch_drop(branch);
    return placement.node;
}

static berth_status update_node(void *engine, const berth_object *object, const berth_error *origin,
                                berth_error *error)
{
    (void)origin;
    return berth_engine_update(engine, object, error);
}

static void resize(small_cluster *c, const char *node, int cores)
{
    char text[256];
    const int len = snprintf(text, sizeof(text),
                             "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n"
                             "status: {allocatable: {cpu: %d, memory: 8Gi, pods: 110}}\n",
                             node, cores);
    assert_int_equal(berth_reader_text(c->reader, (berth_str){text, (uint32_t)len}, "test",
                                       update_node, c->engine, NULL),
                     BERTH_OK);
}

/* The next branch continues with the trees of an earlier one, which know the nodes as they were. */
static void test_changed_nodes(void **state)
{
    (void)state;
    small_cluster c;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.path = BERTH_PATH_INDEX;
    small_open_as(&c, config);
    const berth_node_id a = small_node(&c, "a", ""), b = small_node(&c, "b", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", one_core);
    resize(&c, "a", 16);
    assert_int_equal(decide_next(&c, pod), a);
    assert_int_equal(berth_engine_close_node(c.engine, a, true, NULL), BERTH_OK);
    assert_int_equal(decide_next(&c, pod), b);
    assert_int_equal(berth_engine_close_node(c.engine, a, false, NULL), BERTH_OK);
    assert_int_equal(decide_next(&c, pod), a);
    resize(&c, "a", 2);
    assert_int_equal(decide_next(&c, pod), b);
    resize(&c, "a", 64);
    assert_int_equal(decide_next(&c, pod), a);
    small_close(&c);
}

/* A node of the second page that knows of one node with the image learns of all when a pod comes
 * and goes, as kube-scheduler copies it then. Its counters are the same again; the next branch
 * notices all the same, and its tree with it. */
static void test_image_counts_of_later_nodes(void **state)
{
    enum { LAST = 257, OTHERS = 100 };
    static const char image[] = "images: [{names: ['i:latest'], sizeBytes: 100000000000}]";
    (void)state;
    small_cluster c;
    berth_engine_config config;
    berth_node_id last = 0;
    berth_engine_config_init(&config);
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = 100;
    config.profiles = &profile;
    config.profile_count = 1;
    config.path = BERTH_PATH_INDEX;
    small_open_as(&c, config);
    for (unsigned i = 0; i <= LAST; i++)
        last = (berth_node_id)small_addf(
            &c,
            "apiVersion: v1\nkind: Node\nmetadata: {name: n%u}\n"
            "status: {allocatable: {cpu: %u, memory: 8Gi, pods: 110}, %s}\n",
            i, i == LAST ? 8 : 4, i == LAST ? image : "images: []");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", one_core);
    const berth_pod_id guest = small_pod(&c, "q", NULL, "", "containers: [{name: c}]");
    small_decide(&c, pod);
    assert_int_equal(c.placement.node, last);
    for (unsigned i = 0; i < OTHERS; i++) {
        char text[256];
        const int len = snprintf(text, sizeof(text),
                                 "apiVersion: v1\nkind: Node\nmetadata: {name: n%u}\n"
                                 "status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}, %s}\n",
                                 i, image);
        assert_int_equal(berth_reader_text(c.reader, (berth_str){text, (uint32_t)len}, "test",
                                           update_node, c.engine, NULL),
                         BERTH_OK);
    }
    small_decide(&c, pod);
    assert_int_not_equal(c.placement.node, last);
    assert_int_not_equal(decide_next(&c, pod), last);
    assert_int_equal(berth_engine_bind(c.engine, guest, last, NULL), BERTH_OK);
    assert_int_equal(berth_engine_unbind(c.engine, guest, NULL), BERTH_OK);
    assert_int_equal(decide_next(&c, pod), last);
    small_close(&c);
}

/* The first nodes of two pages of nodes go and come back. A later branch takes the pods of each off
 * its counters once and adds them once. A pod of the zone keeps others out of it until it goes. */
static void test_nodes_of_two_pages(void **state)
{
    enum { PAGE = 256 };
    static const char lonely[] =
        "nodeSelector: {zone: z}, affinity: {podAntiAffinity: "
        "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
        "{matchLabels: {app: web}}}]}}, containers: [{name: c, image: i}]";
    small_cluster *c = *state;
    for (int i = 0; i < PAGE + 2; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "n%d", i);
        small_node(c, name, i < PAGE ? "" : ", labels: {zone: z}");
    }
    small_pod(c, "goes", "n256", ", labels: {app: web}", one_core);
    small_pod(c, "stays", "n257", ", labels: {app: web}", one_core);
    const berth_pod_id pod = small_pod(c, "p", NULL, "", lonely);
    assert_int_equal(decide_next(c, pod), BERTH_NODE_NONE);
    remove_named(c->engine, BERTH_KIND_NODE, "n0");
    remove_named(c->engine, BERTH_KIND_NODE, "n256");
    assert_int_equal(decide_next(c, pod), BERTH_NODE_NONE);
    small_node(c, "n0", "");
    small_node(c, "n256", ", labels: {zone: z}");
    remove_named(c->engine, BERTH_KIND_POD, "stays");
    assert_int_equal(decide_next(c, pod), BERTH_NODE_NONE);
    remove_named(c->engine, BERTH_KIND_POD, "goes");
    assert_int_not_equal(decide_next(c, pod), BERTH_NODE_NONE);
}

enum { AGE = 1024 }; /* publications after which nothing is kept for future branches */

static void fill_one(counted_cluster *t)
{
    small_node(&t->c, "a", "");
    t->pods[0] = small_pod(&t->c, "p", NULL, "", four_cores);
}

static void branch_and_drop(counted_cluster *t)
{
    berth_engine *branch = branch_off(&t->c);
    assert_int_not_equal(place(branch, t->pods[0]), BERTH_NODE_NONE);
    berth_branch_drop(branch);
}

/* Returns the bytes of the engine after more publications. The pod moves back and forth in between,
 * so that snapshots differ. */
static size_t publish_often(counted_cluster *t, int publications)
{
    for (int i = 0; i < publications; i++) {
        if (i % 2 == 0)
            assert_int_not_equal(place(t->c.engine, t->pods[0]), BERTH_NODE_NONE);
        else
            take_off(t->c.engine, t->pods[0]);
        assert_int_equal(berth_engine_publish(t->c.engine, NULL), BERTH_OK);
    }
    return atomic_load(&t->counted.bytes);
}

/* However often its engine is reused, a branch needs no more memory. */
static void test_same_memory(void **state)
{
    (void)state;
    static counted_cluster t;
    counted_open(&t, fill_one);
    for (int i = 0; i < 4; i++)
        branch_and_drop(&t);
    size_t bytes = atomic_load(&t.counted.bytes);
    for (int i = 0; i < 300; i++)
        branch_and_drop(&t);
    assert_int_equal(atomic_load(&t.counted.bytes), bytes);
    counted_close(&t);
}

/* After many publications an idle engine of a branch is freed together with its snapshot: the
 * memory is that of an engine that never had a branch. The next branch starts counting publications
 * anew. */
static void test_age(void **state)
{
    (void)state;
    static counted_cluster plain, branched;
    counted_open(&plain, fill_one);
    assert_int_equal(berth_engine_publish(plain.c.engine, NULL), BERTH_OK);
    counted_open(&branched, fill_one);
    branch_and_drop(&branched);
    assert_true(publish_often(&branched, AGE) > publish_often(&plain, AGE));
    assert_int_equal(publish_often(&branched, 2), publish_often(&plain, 2));
    branch_and_drop(&branched);
    counted_close(&plain);
    counted_close(&branched);
}

static void set_pods(berth_engine *engine, const char *name, int64_t pods)
{
    const berth_resource amounts[] = {
        {TEXT("cpu"), {4, 0}}, {TEXT("memory"), {INT64_C(8) << 30, 0}}, {TEXT("pods"), {pods, 0}}};
    const berth_node node = {.meta.name = {name, (uint32_t)strlen(name)},
                             .allocatable = {amounts, 3}};
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
    assert_int_equal(berth_engine_update(engine, &object, NULL), BERTH_OK);
}

/* A branch whose tree was built for an earlier state sees later changes of a node, even if only the
 * number of pods changed. */
static void test_pod_limit_follows(void **state)
{
    (void)state;
    small_cluster c;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.path = BERTH_PATH_INDEX;
    small_open_as(&c, config);
    small_node(&c, "a", "");
    small_node(&c, "b", "");
    berth_pod_id pod = small_pod(&c, "p", NULL, "", "containers: []");
    small_decide(&c, pod); /* assigns slots to nodes, which branches need */
    for (int64_t limit = 110; limit >= 0; limit -= 110) {
        set_pods(c.engine, "a", limit);
        set_pods(c.engine, "b", 110 - limit);
        berth_engine *branch = branch_off(&c);
        for (int i = 0; i < 100; i++) { /* until a tree pays off */
            berth_placement placement;
            assert_int_equal(berth_engine_decide(branch, pod, NULL, &placement, NULL), BERTH_OK);
            assert_int_equal(placement.path, BERTH_PATH_INDEX);
            assert_int_equal(placement.node, limit > 0 ? 0 : 1);
        }
        berth_branch_drop(branch);
    }
    small_close(&c);
}

/* ---- refusals of a branch ---- */

static void test_refusals(void **state)
{
    small_cluster *c = *state;
    berth_error error = {.code = BERTH_OK};
    small_node(c, "a", "");
    berth_engine *branch = branch_off(c);
    assert_int_equal(berth_engine_publish(branch, &error), BERTH_E_STATE);
    assert_string_equal(error.message, "a branch publishes nothing");
    assert_null(berth_engine_pin(branch));
    berth_scheduler *scheduler;
    assert_int_equal(berth_scheduler_create(branch, NULL, &scheduler, &error), BERTH_E_STATE);
    uint32_t count = 7;
    assert_int_equal(berth_branch_commit(c->engine, NULL, 0, &count, &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_begin(branch, NULL), BERTH_OK);
    assert_int_equal(berth_branch_commit(branch, NULL, 0, &count, &error), BERTH_E_STATE);
    assert_int_equal(count, 0);
    berth_branch_drop(branch);
    assert_int_equal(berth_engine_begin(c->engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_publish(c->engine, &error), BERTH_E_STATE);
    assert_int_equal(berth_engine_rollback(c->engine, NULL), BERTH_OK);
}

static void test_budgets(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_budget(c, "{matchLabels: {app: x}}", "disruptionsAllowed: 1");
    berth_pod_id pods[2];
    bool forbidden[2];
    pods[0] = small_pod(c, "p", "a", ", labels: {app: x}", one_core);
    pods[1] = small_pod(c, "q", "a", ", labels: {app: x}", one_core);
    berth_engine *branch = branch_off(c);
    assert_int_equal(berth_engine_forbidden(branch, pods, 2, forbidden), 1);
    assert_true(!forbidden[0] && forbidden[1]);
    assert_int_equal(berth_engine_forbidden(c->engine, pods, 2, forbidden), 1);
    berth_branch_drop(branch);
}

/* ---- commits ---- */

/* A branch that places p (on any node), moves m, and unbinds t. */
typedef struct deal {
    berth_node_id a, b;
    berth_pod_id p, m, t;
    berth_engine *branch;
} deal;

static deal make_deal(small_cluster *c)
{
    deal d;
    d.a = small_node(c, "a", "");
    d.b = small_node(c, "b", "");
    d.t = small_pod(c, "t", "a", "", four_cores);
    d.m = small_pod(c, "m", "b", "", one_core);
    d.p = small_pod(c, "p", NULL, "", four_cores);
    d.branch = branch_off(c);
    take_off(d.branch, d.t);
    take_off(d.branch, d.m);
    assert_int_equal(berth_engine_bind(d.branch, d.m, d.a, NULL), BERTH_OK);
    assert_int_equal(place(d.branch, d.p), d.b);
    return d;
}

static berth_conflict only_conflict(const deal *d)
{
    berth_conflict conflicts[2] = {{0}};
    berth_error error = {.code = BERTH_OK};
    uint32_t count = 0;
    small_require(berth_branch_commit(d->branch, conflicts, 2, &count, &error), &error);
    assert_int_equal(count, 1);
    return conflicts[0];
}

static void test_commit(void **state)
{
    small_cluster *c = *state;
    deal d = make_deal(c);
    uint32_t count = 7;
    assert_int_equal(berth_branch_commit(d.branch, NULL, 0, &count, NULL), BERTH_OK);
    assert_int_equal(count, 0);
    assert_int_equal(berth_engine_pod_node(c->engine, d.p), d.b);
    assert_int_equal(berth_engine_pod_node(c->engine, d.m), d.a);
    assert_int_equal(berth_engine_pod_node(c->engine, d.t), BERTH_NODE_NONE);
    assert_int_equal(berth_engine_digest(c->engine), berth_engine_digest(d.branch));
    /* At a second commit, every pod has moved away from where the snapshot had it. */
    berth_conflict conflicts[3];
    assert_int_equal(berth_branch_commit(d.branch, conflicts, 3, &count, NULL), BERTH_OK);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(conflicts[i].kind, BERTH_CONFLICT_POD_MOVED);
    berth_branch_drop(d.branch);
}

/* Records of pods are in pages; the placed pod is not in the first one. */
static void test_commit_with_many_pods(void **state)
{
    enum { PODS = 2 * BERTH__PODS_A_PAGE };
    small_cluster *c = *state;
    berth_pod_id last = BERTH_POD_NONE;
    uint32_t count = 7;
    const berth_node_id a = small_node(c, "a", "");
    for (int i = 0; i < PODS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%d", i);
        last = small_pod(c, name, NULL, "", one_core);
    }
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, last), a);
    assert_int_equal(berth_branch_commit(branch, NULL, 0, &count, NULL), BERTH_OK);
    assert_int_equal(count, 0);
    assert_int_equal(berth_engine_pod_node(c->engine, last), a);
    berth_branch_drop(branch);
}

static void test_commit_pod_gone(void **state)
{
    small_cluster *c = *state;
    deal d = make_deal(c);
    remove_named(c->engine, BERTH_KIND_POD, "p");
    remove_named(c->engine, BERTH_KIND_POD, "t"); /* equivalent to unbound */
    uint64_t digest = berth_engine_digest(c->engine);
    berth_conflict conflict = only_conflict(&d);
    assert_int_equal(conflict.kind, BERTH_CONFLICT_POD_GONE);
    assert_int_equal(conflict.pod, d.p);
    assert_int_equal(conflict.node, d.b);
    assert_int_equal(berth_engine_digest(c->engine), digest);
    berth_branch_drop(d.branch);
}

static void test_commit_pod_moved(void **state)
{
    small_cluster *c = *state;
    deal d = make_deal(c);
    take_off(c->engine, d.t);
    assert_int_equal(berth_engine_bind(c->engine, d.t, d.b, NULL), BERTH_OK);
    berth_conflict conflicts[4];
    uint32_t count = 0;
    assert_int_equal(berth_branch_commit(d.branch, conflicts, 4, &count, NULL), BERTH_OK);
    /* It still conflicts with the other one, too. */
    assert_int_equal(count, 2);
    assert_int_equal(conflicts[0].kind, BERTH_CONFLICT_POD_MOVED);
    assert_int_equal(conflicts[0].pod, d.t);
    assert_int_equal(conflicts[0].node, BERTH_NODE_NONE);
    assert_int_equal(conflicts[1].kind, BERTH_CONFLICT_NO_FIT);
    assert_int_equal(conflicts[1].pod, d.p);
    assert_int_equal(berth_engine_pod_node(c->engine, d.m), d.b);
    berth_branch_drop(d.branch);
}

static void test_commit_node_gone(void **state)
{
    small_cluster *c = *state;
    deal d = make_deal(c);
    remove_named(c->engine, BERTH_KIND_NODE, "a");
    berth_conflict conflict = only_conflict(&d);
    assert_int_equal(conflict.kind, BERTH_CONFLICT_NODE_GONE);
    assert_int_equal(conflict.pod, d.m);
    assert_int_equal(conflict.node, d.a);
    assert_int_equal(berth_engine_pod_node(c->engine, d.m), d.b);
    assert_int_equal(berth_engine_pod_node(c->engine, d.p), BERTH_NODE_NONE);
    berth_branch_drop(d.branch);
}

static void test_commit_no_fit(void **state)
{
    small_cluster *c = *state;
    deal d = make_deal(c);
    small_pod(c, "late", "b", "", four_cores);
    berth_conflict conflict = only_conflict(&d);
    assert_int_equal(conflict.kind, BERTH_CONFLICT_NO_FIT);
    assert_int_equal(conflict.pod, d.p);
    assert_int_equal(berth_engine_pod_node(c->engine, d.t), d.a);
    assert_int_equal(berth_engine_pod_node(c->engine, d.m), d.b);
    berth_branch_drop(d.branch);
}

/* A node made on the branch is found on the engine by its name, whatever its id there. */
static void test_commit_new_node(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    berth_pod_id pod = small_pod(c, "p", NULL, "",
                                 "nodeSelector: {new: '1'}, "
                                 "containers: [{name: c, image: i}]");
    berth_engine *engine = c->engine, *branch = branch_off(c);
    c->engine = branch;
    berth_node_id fresh = small_node(c, "fresh", ", labels: {new: '1'}");
    berth_pod_id own = small_pod(c, "own", NULL, "", one_core);
    c->engine = engine;
    assert_int_equal(place(branch, pod), fresh);
    assert_int_not_equal(place(branch, own), BERTH_NODE_NONE); /* the engine has no such pod */
    deal d = {.branch = branch};
    assert_int_equal(only_conflict(&d).kind, BERTH_CONFLICT_NODE_GONE);
    small_node(c, "between", "");
    berth_node_id id = small_node(c, "fresh", ", labels: {new: '1'}");
    assert_int_not_equal(id, fresh);
    uint32_t count = 7;
    assert_int_equal(berth_branch_commit(branch, NULL, 0, &count, NULL), BERTH_OK);
    assert_int_equal(count, 0);
    assert_int_equal(berth_engine_pod_node(engine, pod), id);
    berth_branch_drop(branch);
}

/* Placements are committed in their order: the second needs the first. */
static void test_commit_in_order(void **state)
{
    static const char follows[] =
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
        "kubernetes.io/hostname, labelSelector: {matchLabels: {app: leads}}}]}}, "
        "containers: [{name: c, image: i}]";
    small_cluster *c = *state;
    small_node(c, "a", ", labels: {kubernetes.io/hostname: a}");
    berth_pod_id follower = small_pod(c, "follower", NULL, "", follows);
    berth_pod_id leader = small_pod(c, "leader", NULL, ", labels: {app: leads}", one_core);
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, follower), BERTH_NODE_NONE);
    assert_int_not_equal(place(branch, leader), BERTH_NODE_NONE);
    assert_int_not_equal(place(branch, follower), BERTH_NODE_NONE);
    uint32_t count = 7;
    assert_int_equal(berth_branch_commit(branch, NULL, 0, &count, NULL), BERTH_OK);
    assert_int_equal(count, 0);
    berth_branch_drop(branch);
}

/* ---- the layout that a snapshot shared ---- */

static void overwrite(void *context, void *memory, size_t bytes)
{
    memset(memory, 0xdb, bytes);
    counted_release(context, memory, bytes);
}

/* A decision keeps what it has found in the columns of the layout, and where they lie. Closing a
 * node copies the layout if a snapshot shares it, and the old columns go with the snapshot. The
 * first decisions do not score the node that the last one prefers. */
static void closed_with_a_snapshot(berth_path path)
{
    enum { NODES = 640, CLOSED = 512, BEST = 600 };
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, overwrite};
    berth_error error = {.code = BERTH_OK};
    berth_engine_config config;
    berth_placement placement;
    berth_engine_config_init(&config);
    config.allocator = &allocator;
    config.path = path;
    small_cluster c;
    small_open_as(&c, config);
    for (int i = 0; i < NODES; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        small_node(&c, name, i == BEST ? ", labels: {disk: best}" : ", labels: {disk: other}");
    }
    const berth_pod_id pod = small_pod(
        &c, "p", NULL, "",
        "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, "
        "preference: {matchExpressions: [{key: disk, operator: In, values: [a, b, c, d, e, f, g, "
        "h, best]}]}}]}}, containers: [{name: c}]");
    const berth_decide_options again = {.size = sizeof(again), .flags = BERTH_DECIDE_KEEP_ROTATION};
    for (int i = 0; i < 3; i++) { /* the state of a kind is kept if it comes again */
        small_require(berth_engine_decide(c.engine, pod, &again, &placement, &error), &error);
        assert_true(placement.node < CLOSED);
    }
    small_require(berth_engine_publish(c.engine, &error), &error);
    berth_snapshot *snapshot = berth_engine_pin(c.engine);
    for (berth_node_id node = 0; node < CLOSED; node++)
        small_require(berth_engine_close_node(c.engine, node, true, &error), &error);
    berth_snapshot_unpin(snapshot);
    small_require(berth_engine_publish(c.engine, &error), &error);
    small_require(berth_engine_publish(c.engine, &error), &error);
    small_require(berth_engine_decide(c.engine, pod, NULL, &placement, &error), &error);
    assert_int_equal(placement.node, BEST);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

static void test_layout_of_a_freed_snapshot(void **state)
{
    (void)state;
    closed_with_a_snapshot(BERTH_PATH_AUTO);
    closed_with_a_snapshot(BERTH_PATH_SCAN);
    closed_with_a_snapshot(BERTH_PATH_INDEX);
}

/* ---- memory ---- */

static const char spread_spec[] =
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
    "labelSelector: {matchLabels: {app: x}}}], affinity: {podAntiAffinity: "
    "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
    "{matchLabels: {app: other}}}]}}, containers: [{name: c, image: i, ports: [{hostPort: 80}]}]";

static void fill(counted_cluster *t)
{
    small_node(&t->c, "a", ", labels: {zone: z1}");
    small_node(&t->c, "b", ", labels: {zone: z2}");
    small_pod(&t->c, "there", "a", ", labels: {app: x}", spread_spec);
    for (int i = 0; i < 3; i++)
        t->pods[i] = small_pod(&t->c, (const char *[]){"p", "q", "r"}[i], NULL,
                               ", labels: {app: x}", spread_spec);
    t->pods[3] = small_pod(&t->c, "own", "b", "", one_core);
}

/* Makes every call once, until an allocation fails. */
static berth_status try_branch(counted_cluster *t)
{
    berth_placement placement;
    berth_engine *engine = t->c.engine, *branch = NULL;
    berth_pod_id id;
    berth_status status = branch_make(engine, &branch, NULL);
    if (status == BERTH_OK)
        status = berth_engine_schedule(branch, t->pods[0], &placement, NULL);
    if (status == BERTH_OK)
        status = berth_engine_unbind(branch, t->pods[3], NULL);
    if (status == BERTH_OK)
        status = berth_engine_remove(branch, BERTH_KIND_NODE, (berth_str){0}, (berth_str)TEXT("b"),
                                     NULL);
    if (status == BERTH_OK)
        status = berth_engine_schedule(branch, t->pods[1], &placement, NULL);
    if (status == BERTH_OK)
        status = berth_engine_add_like(branch, t->pods[0], (berth_str)TEXT("like"), &id, NULL);
    return branch_end(branch, status);
}

static void test_memory(void **state)
{
    (void)state;
    fail_each(fill, try_branch, true);
}

/* A node that is kept for a nominated pod. */
static void fill_nominated(counted_cluster *t)
{
    berth_error error = {.code = BERTH_OK};
    const berth_node_id a = small_node(&t->c, "a", "");
    const berth_pod_id kept =
        small_pod(&t->c, "kept", NULL, "",
                  "priority: 9, containers: [{name: c, resources: {requests: {cpu: 4}}}]");
    small_require(berth_engine_nominate(t->c.engine, kept, a, &error), &error);
    t->pods[0] = small_pod(&t->c, "p", NULL, "", one_core);
}

/* A snapshot shows all nominations, or there is no snapshot. */
static berth_status try_nominated(counted_cluster *t)
{
    berth_placement placement;
    berth_engine *branch = NULL;
    berth_status status = branch_make(t->c.engine, &branch, NULL);
    if (status == BERTH_OK)
        status = berth_engine_schedule(branch, t->pods[0], &placement, NULL);
    if (status == BERTH_OK)
        assert_int_equal(placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    berth_branch_drop(branch);
    return status;
}

static void test_memory_of_nominations(void **state)
{
    (void)state;
    fail_each(fill_nominated, try_nominated, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CLUSTER(test_alone),
        WITH_CLUSTER(test_no_threads),
        WITH_CLUSTER(test_unschedulable_nodes),
        WITH_CLUSTER(test_again),
        cmocka_unit_test(test_changed_nodes),
        cmocka_unit_test(test_image_counts_of_later_nodes),
        WITH_CLUSTER(test_nodes_of_two_pages),
        cmocka_unit_test(test_same_memory),
        cmocka_unit_test(test_age),
        cmocka_unit_test(test_pod_limit_follows),
        WITH_CLUSTER(test_refusals),
        WITH_CLUSTER(test_budgets),
        WITH_CLUSTER(test_commit),
        WITH_CLUSTER(test_commit_with_many_pods),
        WITH_CLUSTER(test_commit_pod_gone),
        WITH_CLUSTER(test_commit_pod_moved),
        WITH_CLUSTER(test_commit_node_gone),
        WITH_CLUSTER(test_commit_no_fit),
        WITH_CLUSTER(test_commit_new_node),
        WITH_CLUSTER(test_commit_in_order),
        cmocka_unit_test(test_layout_of_a_freed_snapshot),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_nominations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
