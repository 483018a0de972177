/* Classes of replicas: those that the hint names get the class of the first of them, and nobody
 * else does. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "counted_memory.h"
#include "model/replica_hint.h"
#include "one_model.h"

/* The class of a pod that is handed out as a replica of that serial; 0: as none. */
static berth__class *replica_class(const berth_pod *pod, uint64_t serial)
{
    berth__replica_hint = (berth__replica_note){serial != 0 ? pod : NULL, serial};
    berth__class *cls = class_of(pod);
    berth__replica_hint = (berth__replica_note){0};
    return cls;
}

static void release(berth__class *cls)
{
    berth__class_release(&model, cls);
}

static berth_pod pod_in(const char *namespace_name)
{
    return (berth_pod){
        .meta = {.name = BERTH_LITERAL("p"), .namespace_name = berth__text_of(namespace_name)}};
}

/* The memo is what answers: another pod under the serial gets the class too, which no reader
 * would do. */
static void test_recalled(void **state)
{
    (void)state;
    const berth_pod a = pod_in("a"), b = pod_in("b");
    berth__class *first = replica_class(&a, 7);
    assert_ptr_equal(replica_class(&b, 7), first);
    assert_ptr_equal(replica_class(&a, 7), first);
    assert_int_equal(first->users, 3);
    berth__class *other = replica_class(&b, 8);
    assert_ptr_not_equal(other, first);
    assert_ptr_equal(replica_class(&b, 0), other);
    assert_ptr_equal(replica_class(&a, 0), first);
    for (int i = 0; i < 4; i++)
        release(first);
    release(other);
    release(other);
}

/* The hint is of one pod: another that is added meanwhile is looked up as ever. */
static void test_other_pod(void **state)
{
    (void)state;
    const berth_pod a = pod_in("a"), b = pod_in("b");
    berth__class *first = replica_class(&a, 7), *second;
    berth__replica_hint = (berth__replica_note){&a, 7};
    assert_int_equal(berth__class_of(&model, &b, &second, NULL), BERTH_OK);
    berth__replica_hint = (berth__replica_note){0};
    assert_ptr_not_equal(second, first);
    assert_int_equal(second->users, 1);
    release(first);
    release(second);
}

/* Once a class has gone, whatever it was, everything is looked up anew. */
static void test_gone(void **state)
{
    (void)state;
    const berth_pod a = pod_in("a"), b = pod_in("b");
    release(replica_class(&a, 7));
    berth__class *anew = replica_class(&b, 7);
    assert_int_equal(anew->users, 1);
    berth_str in = berth__text(&model, anew->identity->namespace_name);
    assert_true(berth__str_is(in, "b"));
    release(replica_class(&a, 8));
    berth__class *again = replica_class(&a, 7);
    assert_ptr_not_equal(again, anew);
    release(anew);
    release(again);
}

/* The claim of an ephemeral volume is named after its pod. */
static void test_ephemeral(void **state)
{
    (void)state;
    const berth_volume volume = {.name = BERTH_LITERAL("v"),
                                 .source = {.kind = BERTH_VOLUME_EPHEMERAL}};
    berth_pod pod = pod_in("a");
    pod.volumes = &volume;
    pod.volume_count = 1;
    berth__class *first = replica_class(&pod, 7);
    pod.meta.name = BERTH_LITERAL("q");
    berth__class *second = replica_class(&pod, 7);
    assert_ptr_not_equal(first, second);
    release(first);
    release(second);
}

/* More serials than places: the later of two wins, and each gets its own class. */
static void test_many(void **state)
{
    enum { MANY = 10000 };
    (void)state;
    static berth__class *classes[MANY];
    const berth_pod pods[3] = {pod_in("a"), pod_in("b"), pod_in("c")};
    for (uint64_t serial = 1; serial <= MANY; serial++) {
        const berth_pod *pod = &pods[serial % 3];
        classes[serial - 1] = replica_class(pod, serial);
        assert_ptr_equal(replica_class(pod, serial), classes[serial - 1]);
        release(classes[serial - 1]);
        if (serial > 3)
            assert_ptr_equal(classes[serial - 1], classes[serial - 4]);
    }
    for (uint32_t i = 0; i < MANY; i++)
        release(classes[i]);
}

/* Without memory for it nothing is remembered, and nothing is lost. */
static void test_scarce_memory(void **state)
{
    (void)state;
    counted c = {.for_good = true};
    const berth_allocator allocator = {&c, counted_allocate, counted_release};
    berth__class_memo memo = {0};
    berth__class cls, other;
    const berth_pod pod = pod_in("a");
    for (unsigned fail_at = 1; fail_at <= 2; fail_at++) {
        atomic_store(&c.calls, 0);
        atomic_store(&c.fail_at, fail_at);
        for (uint64_t serial = 1; serial <= 129; serial++) {
            berth__class *given = serial % 64 == 1 ? &cls : &other;
            berth__replica_hint = (berth__replica_note){&pod, serial};
            berth__class_remember(&memo, &allocator, &pod, given);
            assert_ptr_equal(berth__class_recall(&memo, &pod), fail_at == 1 ? NULL : given);
        }
        berth__replica_hint = (berth__replica_note){0};
        assert_null(berth__class_recall(&memo, &pod));
        berth__class_memo_destroy(&memo, &allocator);
        assert_int_equal(atomic_load(&c.bytes), 0);
    }
}

#define WITH_MODEL(test) cmocka_unit_test_setup_teardown(test, model_set_up, model_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MODEL(test_recalled), WITH_MODEL(test_other_pod),
        WITH_MODEL(test_gone),     WITH_MODEL(test_ephemeral),
        WITH_MODEL(test_many),     cmocka_unit_test(test_scarce_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
