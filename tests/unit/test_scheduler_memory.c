/* The scheduling loop without memory: whichever allocation fails, the call that needed it fails as
 * a whole or manages without it, the queue and the engine stay consistent, the same call succeeds
 * later, pods have the same outcomes, and nothing leaks. */
#include "arena_pieces.h"
#include "counted_memory.h"
#include "small_cluster.h"

#include "berth/scheduler.h"
#include "berth/snapshot.h"
#include "queue/pod_groups.h"

typedef struct scene {
    counted memory;
    berth_allocator allocator;
    berth_engine *engine;
    berth_scheduler *scheduler;
    int64_t now_ns;
    unsigned fail_at;  /* the allocation that fails, counted from the scheduler's creation */
    uint32_t failures; /* calls that ran out of memory */
    uint32_t binds, answers, evictions;
    const char *leaving; /* the victim to remove: its eviction was requested */
    berth_snapshot *snapshot;
} scene;

static void must(berth_status status)
{
    assert_int_equal(status, BERTH_OK);
}

static void check(scene *s)
{
    berth_error error = {.code = BERTH_OK};
    unsigned fail_at = atomic_exchange(&s->memory.fail_at, 0);
    if (berth_scheduler_check(s->scheduler, &error) != BERTH_OK ||
        berth_engine_check(s->engine, &error) != BERTH_OK)
        fail_msg("%s: %s", error.object, error.message);
    atomic_store(&s->memory.fail_at, fail_at);
}

/* Whether a call has to be repeated; a failed call has changed nothing. */
static bool again(scene *s, berth_status status)
{
    if (status == BERTH_OK)
        return false;
    assert_int_equal(status, BERTH_E_NOMEM);
    s->failures++;
    if (s->scheduler != NULL)
        check(s);
    return true;
}

static void add(scene *s, const berth_object *object)
{
    while (again(s, berth_scheduler_add(s->scheduler, s->now_ns, object, NULL, NULL)))
        ;
}

static void add_pod(scene *s, const char *name, const char *node, int32_t milli, int32_t priority)
{
    small_pod pod;
    berth_object object;
    small_pod_object(&pod, &object, name, node, milli);
    pod.pod.has_priority = true;
    pod.pod.priority = priority;
    add(s, &object);
}

static void post_pod(scene *s, const char *name)
{
    small_pod pod;
    berth_object object;
    small_pod_object(&pod, &object, name, NULL, 100);
    while (again(s, berth_scheduler_post_add(s->scheduler, &object, NULL)))
        ;
    while (again(s, berth_scheduler_post_update(s->scheduler, &object, NULL)))
        ;
}

/* The first binding fails at once; the others are answered later. */
static berth_answer on_bind(void *context, const berth_binding *binding)
{
    scene *s = context;
    (void)binding;
    return s->binds++ == 0 ? BERTH_ANSWER_FAILED : BERTH_ANSWER_LATER;
}

/* Every other victim is deleted at once; the rest take their time. */
static berth_answer on_evict(void *context, const berth_eviction *eviction)
{
    scene *s = context;
    berth_str space, name;
    if (s->evictions++ % 2 == 0)
        return BERTH_ANSWER_DONE;
    berth_engine_pod_name(s->engine, eviction->victim, &space, &name);
    s->leaving = name.data[name.len - 1] == '1' ? "low-1" : "low-2";
    return BERTH_ANSWER_LATER;
}

/* Shares the state with readers, so that later changes are copied first. */
static void publish(scene *s)
{
    while (again(s, berth_engine_publish(s->engine, NULL)))
        ;
    berth_snapshot_unpin(s->snapshot);
    s->snapshot = berth_engine_pin(s->engine);
}

/* The first answer is a failure; the second one never comes. */
static void answer(scene *s, berth_binding_id binding)
{
    uint32_t number = s->answers++;
    if (number == 1)
        return;
    while (again(s, berth_scheduler_bind_done(s->scheduler, binding,
                                              number == 0 ? BERTH_ANSWER_FAILED : BERTH_ANSWER_DONE,
                                              NULL)))
        ;
}

static void remove_pod(scene *s, const char *name)
{
    while (again(s, berth_scheduler_remove(s->scheduler, s->now_ns, BERTH_KIND_POD, text("default"),
                                           text(name), NULL)))
        ;
}

/* Steps until no pod is active or in backoff and nothing is under way. */
static void schedule(scene *s)
{
    for (int idle = 0; idle < 3;) {
        berth_step step;
        publish(s);
        if (again(s, berth_scheduler_step(s->scheduler, s->now_ns, &step, NULL)))
            continue;
        check(s);
        publish(s);
        if (step.kind == BERTH_STEP_ASSUMED)
            answer(s, step.binding);
        if (step.kind != BERTH_STEP_IDLE)
            continue;
        idle++;
        s->now_ns += INT64_C(10000000000);
        if (s->leaving != NULL)
            remove_pod(s, s->leaving);
        s->leaving = NULL;
    }
}

static void create(scene *s, bool groups)
{
    berth_engine_config config;
    berth_scheduler_options options;
    berth_engine_config_init(&config);
    s->allocator = (berth_allocator){&s->memory, counted_allocate, counted_release};
    config.allocator = &s->allocator;
    config.threads = 1;
    if (groups) {
        config.kubernetes = 37;
        config.feature_gates = BERTH_STR("GenericWorkload=true");
    }
    must(berth_engine_create(&config, &s->engine, NULL));
    berth_scheduler_options_init(&options);
    options.callbacks.context = s;
    options.callbacks.bind = on_bind;
    options.callbacks.evict = on_evict;
    options.bind_timeout_ns = INT64_C(5000000000);
    small_pod pod;
    berth_object object;
    must(berth_engine_add(s->engine, small_pod_object(&pod, &object, "early", NULL, 100), NULL,
                          NULL));
    atomic_store(&s->memory.fail_at, s->fail_at + atomic_load(&s->memory.calls));
    while (again(s, berth_scheduler_create(s->engine, &options, &s->scheduler, NULL)))
        assert_null(s->scheduler);
}

/* Exercises everything once, on state shared with readers: nodes, pods, a preemption, bindings that
 * fail at once, later and by expiry, waking, removal. */
static void play(scene *s)
{
    small_node node;
    berth_object object;
    create(s, false);
    add(s, small_node_object(&node, &object, "n1", "z1"));
    add_pod(s, "low-1", "n1", 2000, 0);
    add_pod(s, "low-2", "n1", 2000, 0);
    add_pod(s, "high", NULL, 3000, 10);
    add_pod(s, "large", NULL, 3500, 0);
    post_pod(s, "posted");
    schedule(s);
    add(s, small_node_object(&node, &object, "n2", "z2"));
    schedule(s);
    while (again(s, berth_scheduler_post_remove(s->scheduler, BERTH_KIND_POD, text("default"),
                                                text("high"), NULL)))
        ;
    schedule(s);
}

static void add_member(scene *s, const char *name)
{
    small_pod pod;
    berth_object object;
    small_pod_object(&pod, &object, name, NULL, 2500);
    pod.pod.has_priority = true;
    pod.pod.priority = 10;
    pod.pod.pod_group = text("g");
    add(s, &object);
}

/* A PodGroup that preempts as a whole, and whose bindings fail at once, later and by expiry. */
static void play_groups(scene *s)
{
    small_node node;
    berth_object object;
    berth_pod_group group = {.meta = {.name = text("g"), .namespace_name = text("default")},
                             .gang = true,
                             .min_count = 2,
                             .has_priority = true,
                             .priority = 10};
    create(s, true);
    add(s, small_node_object(&node, &object, "n1", "z1"));
    add_pod(s, "low-1", "n1", 2000, 0);
    add(s, small_node_object(&node, &object, "n2", "z2"));
    add_pod(s, "low-2", "n2", 2000, 0);
    add_member(s, "a");
    add(s, &(berth_object){.kind = BERTH_KIND_POD_GROUP, .as.pod_group = &group});
    add_member(s, "b");
    schedule(s);
    add(s, small_node_object(&node, &object, "n3", "z2"));
    add_member(s, "c");
    schedule(s);
}

static void play_each(void (*scene_of)(scene *s))
{
    uint32_t failures = 0;
    for (unsigned n = 1;; n++) {
        scene s = {.fail_at = n};
        scene_of(&s);
        berth_scheduler_counters counters;
        berth_scheduler_count(s.scheduler, &counters);
        assert_int_equal(counters.bound, 4);
        assert_int_equal(counters.submitted, 4);
        assert_int_equal(counters.forgotten, 2);
        assert_int_equal(counters.expired, 1);
        assert_int_equal(counters.evictions, 2);
        bool reached = atomic_load(&s.memory.calls) >= atomic_load(&s.memory.fail_at);
        berth_snapshot_unpin(s.snapshot);
        berth_scheduler_destroy(s.scheduler);
        berth_engine_destroy(s.engine);
        assert_int_equal(atomic_load(&s.memory.bytes), 0);
        failures += s.failures;
        if (!reached)
            break;
    }
    assert_true(failures > 20);
}

static void test_every_allocation(void **state)
{
    (void)state;
    play_each(play);
}

static void test_every_allocation_for_groups(void **state)
{
    (void)state;
    play_each(play_groups);
}

/* Room for groups is reserved as a whole, or the caller learns that it is not. */
static void test_room_for_groups(void **state)
{
    (void)state;
    for (int composites = 0; composites < 2; composites++) {
        const uint32_t records = composites ? 3 : 1; /* a group's own, and those of two roots */
        counted memory = {0};
        const berth_allocator allocator = {&memory, counted_allocate, counted_release};
        berth__pod_groups groups = {0};
        must(berth__pod_groups_init(&groups, &allocator));
        for (uint32_t i = 0; i < records; i++) {
            atomic_store(&memory.fail_at, atomic_load(&memory.calls) + (i == 0 ? 1 : 2));
            memory.for_good = true; /* each attempt but the first gets one record */
            assert_false(berth__pod_groups_reserve(&groups, &allocator, composites));
        }
        atomic_store(&memory.fail_at, 0);
        assert_true(berth__pod_groups_reserve(&groups, &allocator, composites));
        assert_int_equal(groups.allocated, records);
        berth__pod_groups_destroy(&groups, &allocator);
        assert_int_equal(atomic_load(&memory.bytes), 0);
    }
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation),
                                       cmocka_unit_test(test_every_allocation_for_groups),
                                       cmocka_unit_test(test_room_for_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
