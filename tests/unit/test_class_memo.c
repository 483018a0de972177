/* Classes by template_id: a pod gets the class of the first pod with its id; a pod that breaks the
 * promise in a field that the engine checks gets its own class. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena_pieces.h"
#include "base/text.h"
#include "counted_memory.h"
#include "one_model.h"

/* The class of a pod added under that id. */
static berth__class *class_under(const berth_pod *pod, uint64_t id)
{
    berth_pod given = *pod;
    given.template_id = id;
    return class_of(&given);
}

static void release(berth__class *cls)
{
    berth__class_release(&model, cls);
}

static berth_pod pod_for(const char *scheduler)
{
    return (berth_pod){.meta = {.name = BERTH_STR("p")},
                       .scheduler_name = berth__text_of(scheduler)};
}

/* The memo answers by id alone: a different pod under the same id, which breaks the promise, gets
 * the same class. */
static void test_recalled(void **state)
{
    (void)state;
    const berth_pod a = pod_for("a"), b = pod_for("b");
    berth__class *first = class_under(&a, 7);
    assert_ptr_equal(class_under(&b, 7), first);
    assert_ptr_equal(class_under(&a, 7), first);
    assert_int_equal(first->users, 3);
    berth__class *other = class_under(&b, 8);
    assert_ptr_not_equal(other, first);
    assert_ptr_equal(class_under(&b, 0), other);
    assert_ptr_equal(class_under(&a, 0), first);
    for (int i = 0; i < 4; i++)
        release(first);
    release(other);
    release(other);
}

/* Fields that change in a pod's life, or with its place, are checked despite the promise. */
static void test_looked_at(void **state)
{
    (void)state;
    const berth_str gate = BERTH_STR("g");
    berth_pod pods[6];
    berth__class *classes[6];
    for (uint32_t i = 0; i < 6; i++)
        pods[i] = pod_for("s");
    pods[1].meta.namespace_name = BERTH_STR("other");
    pods[2].meta.deleting = true;
    pods[3].scheduling_gates = (berth_strs){&gate, 1};
    pods[4].meta.namespace_name = BERTH_STR("default");
    for (uint32_t i = 0; i < 6; i++) {
        classes[i] = class_under(&pods[i], UINT64_MAX - 3);
        berth__class *own = class_under(&pods[i], 0);
        assert_ptr_equal(classes[i], own);
        release(own);
    }
    assert_ptr_equal(classes[4], classes[0]);
    assert_ptr_equal(classes[5], classes[0]);
    for (uint32_t i = 0; i < 6; i++)
        release(classes[i]);
}

/* Numbers of classes: small, unique, and reused. */
static void test_places(void **state)
{
    enum { CLASSES = 40 };
    (void)state;
    berth__class *classes[CLASSES];
    bool taken[CLASSES] = {false};
    char name[16];
    for (uint32_t round = 0; round < 3; round++) {
        memset(taken, 0, sizeof(taken));
        for (uint32_t i = 0; i < CLASSES; i++) {
            snprintf(name, sizeof(name), "s%u", (unsigned)(round * CLASSES + i));
            const berth_pod pod = pod_for(name);
            classes[i] = class_of(&pod);
            assert_in_range(classes[i]->place, 0, CLASSES - 1);
            assert_false(taken[classes[i]->place]);
            taken[classes[i]->place] = true;
        }
        for (uint32_t i = 0; i < CLASSES; i++)
            release(classes[(i * 7 + round) % CLASSES]);
    }
}

/* After a class is removed, everything is looked up again. */
static void test_gone(void **state)
{
    (void)state;
    const berth_pod a = pod_for("a"), b = pod_for("b");
    release(class_under(&a, 7));
    berth__class *anew = class_under(&b, 7);
    assert_int_equal(anew->users, 1);
    berth_str scheduler = berth__text(&model, anew->scheduler_name);
    assert_true(berth__str_is(scheduler, "b"));
    release(class_under(&a, 8));
    berth__class *again = class_under(&a, 7);
    assert_ptr_not_equal(again, anew);
    release(anew);
    release(again);
}

/* The same under another pod's name is another class, in spite of the same id. */
static void differs_by_name(berth_pod pod)
{
    berth__class *first = class_under(&pod, 7);
    pod.meta.name = BERTH_STR("q");
    berth__class *second = class_under(&pod, 7);
    assert_ptr_not_equal(first, second);
    release(first);
    release(second);
}

/* The claim of an ephemeral volume is named after its pod. */
static void test_ephemeral(void **state)
{
    (void)state;
    const berth_volume volume = {.name = BERTH_STR("v"),
                                 .source = {.kind = BERTH_VOLUME_EPHEMERAL}};
    berth_pod pod = pod_for("a");
    pod.volumes = &volume;
    pod.volume_count = 1;
    differs_by_name(pod);
}

/* What a pod's claims say when one can't be had is about that pod. */
static void test_claims(void **state)
{
    (void)state;
    const berth_pod_claim claim = {.name = BERTH_STR("gpu"), .claim = BERTH_STR("shared")};
    berth_pod pod = pod_for("a");
    pod.resource_claims = &claim;
    pod.resource_claim_count = 1;
    differs_by_name(pod);
}

/* More ids than places: the later of two wins, and each gets its own class. */
static void test_many(void **state)
{
    enum { MANY = 10000 };
    (void)state;
    static berth__class *classes[MANY];
    const berth_pod pods[3] = {pod_for("a"), pod_for("b"), pod_for("c")};
    for (uint64_t serial = 1; serial <= MANY; serial++) {
        const berth_pod *pod = &pods[serial % 3];
        classes[serial - 1] = class_under(pod, serial);
        assert_ptr_equal(class_under(pod, serial), classes[serial - 1]);
        release(classes[serial - 1]);
        if (serial > 3)
            assert_ptr_equal(classes[serial - 1], classes[serial - 4]);
    }
    for (uint32_t i = 0; i < MANY; i++)
        release(classes[i]);
}

/* Without memory the memo stays empty, and nothing else changes. */
static void test_scarce_memory(void **state)
{
    (void)state;
    counted c = {.for_good = true};
    const berth_allocator allocator = {&c, counted_allocate, counted_release};
    berth__class_memo memo = {0};
    berth__class cls, other;
    berth_pod pod = pod_for("a");
    for (unsigned fail_at = 1; fail_at <= 2; fail_at++) {
        atomic_store(&c.calls, 0);
        atomic_store(&c.fail_at, fail_at);
        for (uint64_t serial = 1; serial <= 129; serial++) {
            berth__class *given = serial % 64 == 1 ? &cls : &other;
            pod.template_id = serial;
            berth__class_remember(&memo, &allocator, &pod, given);
            assert_ptr_equal(berth__class_recall(&memo, &pod), fail_at == 1 ? NULL : given);
        }
        pod.template_id = 0;
        assert_null(berth__class_recall(&memo, &pod));
        berth__class_memo_destroy(&memo, &allocator);
        assert_int_equal(atomic_load(&c.bytes), 0);
    }
}

#define WITH_MODEL(test) cmocka_unit_test_setup_teardown(test, model_set_up, model_tear_down)

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        WITH_MODEL(test_recalled), WITH_MODEL(test_looked_at),           WITH_MODEL(test_places),
        WITH_MODEL(test_gone),     WITH_MODEL(test_ephemeral),           WITH_MODEL(test_claims),
        WITH_MODEL(test_many),     cmocka_unit_test(test_scarce_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
