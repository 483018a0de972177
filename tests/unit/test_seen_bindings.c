/* Bindings of another scheduler, held for a moment and then given in the order of its queue: by
 * priority, then by arrival. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "live/run/seen_bindings.h"
#include "live/transport/transport.h"

static const int64_t held_ns = INT64_C(2000000000);

static seen_bindings held;
static inbox box;

static int start(void **state)
{
    (void)state;
    held = (seen_bindings){.count = 0};
    inbox_init(&box);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    seen_bindings_free(&held);
    assert_int_equal(held.count, 0);
    inbox_destroy(&box);
    return 0;
}

/* Hold the update of a pod; `priority` 0: the pod has none. */
static void hold(const char *namespace_name, const char *name, int32_t priority, uint64_t born,
                 int64_t now_ns)
{
    berth_pod pod = {.priority = 0};
    pod.meta.namespace_name = (berth_str){namespace_name, (uint32_t)strlen(namespace_name)};
    pod.meta.name = (berth_str){name, (uint32_t)strlen(name)};
    pod.has_priority = priority != 0;
    pod.priority = priority != 0 ? priority : 99;
    (void)inbox_put_update(&box, &(berth_object){.kind = BERTH_KIND_POD, .as.pod = &pod}, born);
    seen_bindings_hold(&held, inbox_take(&box, 0), now_ns);
}

static void assert_pod(message *m, const char *name)
{
    if (name == NULL) {
        assert_null(m);
        return;
    }
    assert_non_null(m);
    assert_int_equal(m->object->as.pod->meta.name.len, strlen(name));
    assert_memory_equal(m->object->as.pod->meta.name.data, name, strlen(name));
    message_free(m);
}

static void assert_next(int64_t now_ns, const char *name)
{
    assert_pod(seen_bindings_next(&held, now_ns), name);
}

static void the_first_of_the_queue_comes_first(void **state)
{
    (void)state;
    hold("ns", "later", 0, 5, 0);
    hold("ns", "earlier", 0, 4, 0);
    hold("ns", "high-later", 7, 9, 0);
    hold("ns", "low", -1, 1, 0);
    hold("ns", "one", 1, 6, 0);
    hold("ns", "high", 7, 8, 0);
    static const char *const order[] = {"high",  "high-later", "one", "earlier",
                                        "later", "low",        NULL};
    for (size_t i = 0; i < 7; i++)
        assert_next(held_ns, order[i]);
}

/* The oldest decides when one is due; which one that is, the queue decides. */
static void each_is_held_for_a_moment(void **state)
{
    (void)state;
    hold("ns", "a", 0, 3, 10);
    hold("ns", "b", 0, 1, 20);
    hold("ns", "c", 0, 2, 30);
    assert_next(held_ns + 9, NULL);
    assert_next(held_ns + 10, "b");
    assert_next(held_ns + 10, "c"); /* "a" still waits for its turn */
    assert_next(held_ns + 10, "a");
    assert_next(INT64_MAX, NULL);
    hold("ns", "d", 0, 3, 40);
    assert_next(held_ns + 39, NULL);
    assert_next(LIVE_NEVER, "d");
}

static void a_pod_is_taken_by_its_whole_name(void **state)
{
    (void)state;
    hold("ns", "a", 0, 1, 0);
    hold("ns", "b", 0, 2, 0);
    hold("other", "b", 5, 3, 0);
    hold("ns", "bb", 0, 4, 0);
    assert_null(seen_bindings_take(&held, BERTH_STR("ns"), BERTH_STR("c")));
    assert_null(seen_bindings_take(&held, BERTH_STR("other"), BERTH_STR("a")));
    assert_pod(seen_bindings_take(&held, BERTH_STR("ns"), BERTH_STR("b")), "b");
    assert_null(seen_bindings_take(&held, BERTH_STR("ns"), BERTH_STR("b")));
    assert_int_equal(held.count, 3);
    assert_next(held_ns, "b"); /* of the other namespace */
    assert_pod(seen_bindings_take(&held, BERTH_STR("ns"), BERTH_STR("a")), "a");
    assert_next(held_ns, "bb");
}

static void many_are_held(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 300; i++)
        hold("ns", "p", 0, 1 + i * 7 % 300, 0);
    for (uint64_t born = 1; born <= 250; born++) {
        message *m = seen_bindings_next(&held, held_ns);
        assert_int_equal(m->born, born);
        message_free(m);
    }
    assert_int_equal(held.count, 50); /* freed with the list */
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(the_first_of_the_queue_comes_first),
        T(each_is_held_for_a_moment),
        T(a_pod_is_taken_by_its_whole_name),
        T(many_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
