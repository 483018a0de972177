/* Messages and wakes between two threads: complete, in order, and none lost, whether the putter
 * gathers or not. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "live/run/inbox.h"
#include "live/transport/event_loop.h"

enum { MESSAGES = 20000, WAKES = 20000 };

static uint64_t put_removal(inbox *box)
{
    return inbox_put_change(box, MESSAGE_REMOVE, BERTH_KIND_POD, BERTH_STR("ns"), BERTH_STR("p"),
                            NULL);
}

/* Takes messages until MESSAGE_STOP. Returns their number; UINT64_MAX: one was out of order. */
static uint64_t take_all(inbox *box)
{
    uint64_t last = 0;
    bool stops = false, in_order = true;
    while (!stops) {
        message *next;
        for (message *m = inbox_take(box, INT64_MAX); m != NULL; m = next) {
            next = m->next;
            in_order &= m->number == ++last;
            stops = m->kind == MESSAGE_STOP;
            message_free(m);
        }
    }
    return in_order ? last : UINT64_MAX;
}

static void *taker(void *context)
{
    static uint64_t taken;
    taken = take_all(context);
    return &taken;
}

static void pass(bool gathers)
{
    inbox box;
    pthread_t thread;
    void *taken;
    inbox_init(&box);
    if (gathers)
        inbox_gather(&box);
    assert_int_equal(pthread_create(&thread, NULL, taker, &box), 0);
    for (int i = 1; i <= MESSAGES; i++) {
        assert_int_equal(put_removal(&box), i);
        if (i % 7 == 0)
            inbox_wake(&box);
        if (gathers && i % 64 == 0)
            inbox_flush(&box);
    }
    assert_int_equal(inbox_put(&box, MESSAGE_STOP), MESSAGES + 1);
    pthread_join(thread, &taken);
    assert_int_equal(*(uint64_t *)taken, MESSAGES + 1);
    inbox_destroy(&box);
}

static void test_messages(void **state)
{
    (void)state;
    pass(false);
    pass(true);
}

typedef struct exchange {
    inbox box;
    _Atomic uint64_t taken;
} exchange;

static void *answerer(void *context)
{
    exchange *x = context;
    for (bool stops = false; !stops;) {
        message *next;
        for (message *m = inbox_take(&x->box, INT64_MAX); m != NULL; m = next) {
            next = m->next;
            stops = m->kind == MESSAGE_STOP;
            atomic_store(&x->taken, m->number);
            message_free(m);
        }
    }
    return NULL;
}

/* A flush wakes the taker at once. If it had to look again after a second each time, this test
 * would not end in time. */
static void test_flush(void **state)
{
    (void)state;
    pthread_t thread;
    exchange x = {.taken = 0};
    inbox_init(&x.box);
    inbox_gather(&x.box);
    assert_int_equal(pthread_create(&thread, NULL, answerer, &x), 0);
    for (int i = 0; i < 500; i++) {
        const uint64_t number = put_removal(&x.box);
        inbox_flush(&x.box);
        while (atomic_load(&x.taken) < number)
            sched_yield();
    }
    (void)inbox_put(&x.box, MESSAGE_STOP);
    pthread_join(thread, NULL);
    inbox_destroy(&x.box);
}

static void *woken(void *context)
{
    exchange *x = context;
    for (bool stops = false; !stops;) {
        message *m = inbox_take(&x->box, INT64_MAX);
        stops = m != NULL;
        if (stops)
            message_free(m);
        atomic_fetch_add(&x->taken, 1);
    }
    return NULL;
}

/* A wake ends the wait at once, too: by itself, or with the next flush. */
static void test_wake(void **state)
{
    (void)state;
    for (int gathers = 0; gathers < 2; gathers++) {
        pthread_t thread;
        exchange x = {.taken = 0};
        inbox_init(&x.box);
        if (gathers)
            inbox_gather(&x.box);
        assert_int_equal(pthread_create(&thread, NULL, woken, &x), 0);
        for (int i = 0; i < 500; i++) {
            const uint64_t before = atomic_load(&x.taken);
            inbox_wake(&x.box);
            if (gathers)
                inbox_flush(&x.box);
            while (atomic_load(&x.taken) == before)
                sched_yield();
        }
        (void)inbox_put(&x.box, MESSAGE_STOP);
        pthread_join(thread, NULL);
        inbox_destroy(&x.box);
    }
}

/* A message has the object, or the name in its place, and says where it comes from. */
static void test_contents(void **state)
{
    (void)state;
    inbox box;
    berth_pod pod = {.meta.name = BERTH_STR("p")};
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    inbox_init(&box);
    (void)inbox_put_change(&box, MESSAGE_ADD, BERTH_KIND_POD, BERTH_STR("x"), BERTH_STR("y"),
                           &object);
    (void)inbox_put_update(&box, &object, 9);
    (void)inbox_put_change(&box, MESSAGE_REMOVE, BERTH_KIND_NODE, (berth_str){0}, BERTH_STR("n"),
                           NULL);
    (void)inbox_put_change(&box, MESSAGE_REMOVE, BERTH_KIND_POD, BERTH_STR("space"),
                           BERTH_STR("pod-1"), NULL);
    message *add = inbox_take(&box, 0), *update = add->next, *node = update->next;
    message *removal = node->next;
    assert_int_equal(add->kind, MESSAGE_ADD);
    assert_int_equal(add->born, 0);
    assert_memory_equal(add->object->as.pod->meta.name.data, "p", 1);
    assert_int_equal(update->kind, MESSAGE_UPDATE);
    assert_int_equal(update->object_kind, BERTH_KIND_POD);
    assert_int_equal(update->born, 9);
    assert_int_equal(node->object_kind, BERTH_KIND_NODE);
    assert_null(node->object);
    assert_int_equal(node->namespace_name.len, 0);
    assert_memory_equal(node->name.data, "n", 1);
    assert_int_equal(removal->namespace_name.len, 5);
    assert_memory_equal(removal->namespace_name.data, "space", 5);
    assert_int_equal(removal->name.len, 5);
    assert_memory_equal(removal->name.data, "pod-1", 5);
    assert_null(removal->next);
    for (message *next; add != NULL; add = next) {
        next = add->next;
        message_free(add);
    }
    inbox_destroy(&box);
}

static void test_backlog(void **state)
{
    (void)state;
    inbox box;
    inbox_init(&box);
    inbox_gather(&box);
    inbox_flush(&box);
    assert_null(inbox_take(&box, 0));
    (void)put_removal(&box);
    (void)put_removal(&box);
    assert_int_equal(inbox_backlog(&box), 2);
    message *first = inbox_take(&box, 0);
    assert_int_equal(inbox_backlog(&box), 2); /* taken, but not processed */
    assert_int_equal(first->number, 1);
    assert_int_equal(first->next->number, 2);
    assert_null(first->next->next);
    message_free(first->next);
    message_free(first);
    assert_null(inbox_take(&box, 0));
    assert_int_equal(inbox_backlog(&box), 0);
    inbox_wake(&box); /* ends a wait at once */
    assert_null(inbox_take(&box, INT64_MAX));
    (void)put_removal(&box); /* freed with the box */
    inbox_destroy(&box);
}

/* ---- the loop ---- */

typedef struct post {
    event_loop *loop;
    _Atomic int written, seen;
} post;

static void on_wake(void *context)
{
    post *p = context;
    atomic_store(&p->seen, atomic_load(&p->written));
}

/* Writes the next number only when the loop has seen the last one: a lost wake ends that. */
static void *waker(void *context)
{
    post *p = context;
    for (int i = 1; i <= WAKES; i++) {
        atomic_store(&p->written, i);
        event_loop_wake(p->loop);
        event_loop_wake(p->loop);
        while (atomic_load(&p->seen) < i)
            sched_yield();
    }
    return NULL;
}

static void test_wakes(void **state)
{
    (void)state;
    pthread_t thread;
    post p = {.loop = event_loop_create()};
    assert_non_null(p.loop);
    event_loop_on_wake(p.loop, on_wake, &p);
    assert_int_equal(pthread_create(&thread, NULL, waker, &p), 0);
    while (atomic_load(&p.seen) < WAKES)
        event_loop_turn(p.loop, INT64_C(60000000000));
    pthread_join(thread, NULL);
    event_loop_destroy(p.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages), cmocka_unit_test(test_flush),
        cmocka_unit_test(test_wake),     cmocka_unit_test(test_contents),
        cmocka_unit_test(test_backlog),  cmocka_unit_test(test_wakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
