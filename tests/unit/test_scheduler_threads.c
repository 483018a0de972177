/* Several threads post events while the scheduling thread runs: no event is lost, and the events of
 * one object stay in order. Each producer changes its own pods and node in an order in which a lost
 * or swapped event would be refused; another thread answers bindings.
 *
 * BERTH_TEST_ROUNDS: changes of each producer, 400 if unset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>

#include "berth/berth.h"
#include "small_cluster.h"

enum { PRODUCERS = 4, PODS = 8, BINDINGS_MAX = 1 << 16 };

typedef struct shop {
    berth_engine *engine;
    berth_scheduler *scheduler;
    uint32_t rounds;
    atomic_uint running;  /* producers that have not finished */
    atomic_uint notices;  /* calls of notify */
    atomic_ullong posted; /* events, including answers */
    atomic_uint failures;
    /* Bindings that wait for an answer: written by the scheduling thread, released by `told`. */
    berth_binding_id bindings[BINDINGS_MAX];
    atomic_uint told;
    atomic_bool over;
    uint32_t troubles;
} shop;

typedef struct producer {
    shop *shop;
    uint32_t number;
    pthread_t thread;
} producer;

static void sent(shop *s, berth_status status)
{
    if (status == BERTH_OK)
        atomic_fetch_add(&s->posted, 1);
    else
        atomic_fetch_add(&s->failures, 1);
}

static void post_pod(shop *s, const char *name, bool add, uint32_t round)
{
    small_pod pod;
    berth_object object;
    char value[16];
    snprintf(value, sizeof(value), "r%u", (unsigned)round);
    berth_key_value label = {text("round"), text(value)};
    small_pod_object(&pod, &object, name, NULL, 1 + (int32_t)(round % 3));
    pod.pod.meta.labels = (berth_map){&label, 1};
    sent(s, add ? berth_scheduler_post_add(s->scheduler, &object, NULL)
                : berth_scheduler_post_update(s->scheduler, &object, NULL));
    memset(&pod, 0xee, sizeof(pod)); /* the scheduler's copy must not need it any more */
    memset(value, 0xee, sizeof(value));
}

static void post_node(shop *s, const char *name, bool add, const char *zone)
{
    small_node node;
    berth_object object;
    small_node_object(&node, &object, name, zone);
    sent(s, add ? berth_scheduler_post_add(s->scheduler, &object, NULL)
                : berth_scheduler_post_update(s->scheduler, &object, NULL));
    memset(&node, 0xee, sizeof(node));
}

static void *produce(void *context)
{
    producer *p = context;
    shop *s = p->shop;
    char name[32], node[32];
    snprintf(node, sizeof(node), "node-%u", (unsigned)p->number);
    for (uint32_t round = 0; round < s->rounds; round++) {
        post_node(s, node, true, "z1");
        for (uint32_t i = 0; i < PODS; i++) {
            snprintf(name, sizeof(name), "pod-%u-%u", (unsigned)p->number, (unsigned)i);
            post_pod(s, name, true, round);
            post_pod(s, name, false, round + 1);
        }
        post_node(s, node, false, "z2");
        if (round % 16 == 0)
            sched_yield();
        for (uint32_t i = 0; i < PODS; i++) {
            snprintf(name, sizeof(name), "pod-%u-%u", (unsigned)p->number, (unsigned)i);
            /* The pods of the last round stay. */
            if (round + 1 < s->rounds)
                sent(s, berth_scheduler_post_remove(s->scheduler, BERTH_KIND_POD, text("default"),
                                                    text(name), NULL));
        }
        if (round + 1 < s->rounds)
            sent(s, berth_scheduler_post_remove(s->scheduler, BERTH_KIND_NODE, text(""), text(node),
                                                NULL));
    }
    atomic_fetch_sub(&s->running, 1);
    return NULL;
}

static void *answer(void *context)
{
    shop *s = context;
    uint32_t done = 0;
    while (!atomic_load(&s->over) || done < atomic_load(&s->told)) {
        if (done == atomic_load(&s->told)) {
            sched_yield();
            continue;
        }
        sent(s, berth_scheduler_bind_done(s->scheduler, s->bindings[done],
                                          done % 5 == 0 ? BERTH_ANSWER_FAILED : BERTH_ANSWER_DONE,
                                          NULL));
        done++;
    }
    return NULL;
}

static berth_answer on_bind(void *context, const berth_binding *binding)
{
    shop *s = context;
    unsigned told = atomic_load(&s->told);
    if (told == BINDINGS_MAX)
        return BERTH_ANSWER_DONE;
    s->bindings[told] = binding->id;
    atomic_store(&s->told, told + 1);
    return BERTH_ANSWER_LATER;
}

static void on_report(void *context, berth_trouble trouble, const berth_error *error)
{
    shop *s = context;
    char message[1200];
    if (trouble != BERTH_TROUBLE_EVENT)
        return; /* an answer may come after its pod was removed */
    berth_error_format(error, message, sizeof(message));
    fprintf(stderr, "refused: %s\n", message);
    s->troubles++;
}

static void on_notify(void *context)
{
    shop *s = context;
    atomic_fetch_add(&s->notices, 1);
}

static void open_shop(shop *s)
{
    berth_engine_config config;
    berth_scheduler_options options;
    const char *rounds = getenv("BERTH_TEST_ROUNDS");
    s->rounds = rounds != NULL ? (uint32_t)strtoul(rounds, NULL, 10) : 400;
    atomic_store(&s->running, PRODUCERS);
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &s->engine, NULL), BERTH_OK);
    berth_scheduler_options_init(&options);
    options.callbacks = (berth_scheduler_callbacks){
        .context = s, .bind = on_bind, .report = on_report, .notify = on_notify};
    assert_int_equal(berth_scheduler_create(s->engine, &options, &s->scheduler, NULL), BERTH_OK);
}

/* Steps until no thread posts any more and all posted events are applied. */
static void schedule(shop *s)
{
    int64_t now_ns = 0;
    berth_step step;
    for (uint32_t i = 0; atomic_load(&s->running) > 0 || i < 64; i++) {
        if (atomic_load(&s->running) > 0)
            i = 0;
        now_ns += 10000000;
        assert_int_equal(berth_scheduler_step(s->scheduler, now_ns, &step, NULL), BERTH_OK);
        if (step.kind == BERTH_STEP_IDLE)
            sched_yield();
    }
}

static void test_producers(void **state)
{
    (void)state;
    static shop s;
    producer producers[PRODUCERS];
    pthread_t answerer;
    berth_error error = {.code = BERTH_OK};
    open_shop(&s);
    assert_int_equal(pthread_create(&answerer, NULL, answer, &s), 0);
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        producers[i] = (producer){.shop = &s, .number = i};
        assert_int_equal(pthread_create(&producers[i].thread, NULL, produce, &producers[i]), 0);
    }
    schedule(&s);
    for (uint32_t i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i].thread, NULL);
    atomic_store(&s.over, true);
    pthread_join(answerer, NULL);
    assert_int_equal(berth_scheduler_advance(s.scheduler, INT64_C(1) << 60, &error), BERTH_OK);

    berth_scheduler_counters counters;
    berth_scheduler_count(s.scheduler, &counters);
    assert_int_equal(atomic_load(&s.failures), 0);
    assert_int_equal(s.troubles, 0);
    assert_int_equal(counters.events_refused, 0);
    assert_int_equal(counters.events_posted, atomic_load(&s.posted));
    assert_int_equal(counters.submitted, (uint64_t)PRODUCERS * PODS * s.rounds);
    assert_true(atomic_load(&s.notices) > 0);
    berth_counts counts;
    berth_engine_counts(s.engine, &counts);
    assert_int_equal(counts.nodes, PRODUCERS);
    assert_int_equal(counts.pods_running + counts.pods_pending, PRODUCERS * PODS);
    assert_int_equal(berth_scheduler_check(s.scheduler, &error), BERTH_OK);
    assert_int_equal(berth_engine_check(s.engine, &error), BERTH_OK);
    /* Events that are still posted are freed with the scheduler. */
    post_pod(&s, "late", true, 1);
    berth_scheduler_destroy(s.scheduler);
    berth_engine_destroy(s.engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_producers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
