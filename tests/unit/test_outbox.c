/* Orders between two threads: copied whole with their texts, in order, and counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/run/outbox.h"

enum { TEXTS = 64, LENGTH_MAX = 400, ORDERS = 20000 };

static char letters[TEXTS][LENGTH_MAX];
static uint32_t texts_made;

/* A text of its own length, made of one letter; a later call makes another one. */
static berth_str text(void)
{
    const uint32_t i = texts_made++, length = 23 + 5 * i;
    assert_true(i < TEXTS && length <= LENGTH_MAX);
    memset(letters[i], (int)('0' + i), length);
    return (berth_str){letters[i], length};
}

/* An equal text at another place. */
static void assert_copy(berth_str own, berth_str of)
{
    assert_int_equal(own.len, of.len);
    assert_ptr_not_equal(own.data, of.data);
    assert_memory_equal(own.data, of.data, of.len);
}

static void assert_copied(const order *o, const order_texts *of)
{
    assert_copy(o->namespace_name, of->namespace_name);
    assert_copy(o->name, of->name);
    assert_copy(o->node, of->node);
    assert_copy(o->message, of->message);
    assert_copy(o->preemptor_namespace, of->preemptor_namespace);
    assert_copy(o->preemptor_name, of->preemptor_name);
    assert_copy(o->scheduler, of->scheduler);
    assert_int_equal(o->claim_count, of->claim_count);
    for (uint32_t i = 0; i < of->claim_count; i++) {
        assert_copy(o->claims[i].claim_namespace, of->claims[i].claim_namespace);
        assert_copy(o->claims[i].claim_name, of->claims[i].claim_name);
        assert_copy(o->claims[i].volume, of->claims[i].volume);
    }
    assert_int_equal(o->device_count, of->device_count);
    for (uint32_t i = 0; i < of->device_count; i++) {
        assert_copy(o->devices[i].claim_namespace, of->devices[i].claim_namespace);
        assert_copy(o->devices[i].claim_name, of->devices[i].claim_name);
        assert_copy(o->devices[i].allocation, of->devices[i].allocation);
        assert_copy(o->devices[i].requests, of->devices[i].requests);
        assert_copy(o->devices[i].mappings, of->devices[i].mappings);
    }
}

/* Orders of several sizes lie side by side, so that one with too little room damages the next. */
static void an_order_is_copied_whole(void **state)
{
    (void)state;
    outbox box;
    outbox_init(&box);
    texts_made = 0;
    const berth_claim_choice claims[] = {{text(), text(), text()}, {text(), text(), text()}};
    const order_devices devices[] = {{text(), text(), text(), text(), text()},
                                     {text(), text(), text(), text(), text()},
                                     {text(), text(), text(), text(), text()}};
    order_texts texts = {text(), text(), text(), text(),  text(), text(),
                         text(), claims, 0,      devices, 0};
    for (uint32_t i = 0; i < 12; i++) {
        texts.claim_count = i % 3;
        texts.device_count = i / 3;
        outbox_put(&box, &(order){.decided_at = i, .attempt = i + 1}, &texts);
    }
    for (uint32_t i = 0; i < 12; i++) {
        order *o = outbox_take(&box);
        texts.claim_count = i % 3;
        texts.device_count = i / 3;
        assert_int_equal(o->decided_at, i);
        assert_int_equal(o->attempt, i + 1);
        assert_copied(o, &texts);
        free(o);
    }
    outbox_destroy(&box);
}

static void absent_texts_stay_absent(void **state)
{
    (void)state;
    outbox box;
    outbox_init(&box);
    outbox_put(&box, &(order){.kind = ORDER_FAILED}, &(order_texts){.name = BERTH_STR("p")});
    order *o = outbox_take(&box);
    assert_null(o->node.data);
    assert_int_equal(o->node.len, 0);
    assert_memory_equal(o->name.data, "p", 1);
    free(o);
    outbox_destroy(&box);
}

/* The order that is copied may stand in a list itself. */
static void a_copy_is_the_last_one(void **state)
{
    (void)state;
    outbox box;
    order other = {.attempt = 9};
    const order_texts none = {.claim_count = 0};
    outbox_init(&box);
    assert_null(outbox_take(&box));
    for (uint32_t round = 0; round < 3; round++) {
        outbox_put(&box, &(order){.next = &other, .attempt = 1}, &none);
        outbox_put(&box, &(order){.next = &other, .attempt = 2}, &none);
        assert_int_equal(outbox_count(&box), 2);
        for (uint32_t attempt = 1; attempt <= 2; attempt++) {
            order *o = outbox_take(&box);
            assert_int_equal(o->attempt, attempt);
            assert_int_equal(outbox_count(&box), 2 - attempt);
            free(o);
        }
        assert_null(outbox_take(&box));
    }
    for (uint32_t attempt = 1; attempt <= 5; attempt++) { /* one is always left behind */
        outbox_put(&box, &(order){.attempt = attempt}, &none);
        order *o = attempt > 1 ? outbox_take(&box) : NULL;
        assert_true(attempt == 1 || o->attempt == attempt - 1);
        free(o);
    }
    assert_int_equal(outbox_count(&box), 1); /* freed with the box */
    outbox_destroy(&box);
}

static void *putter(void *context)
{
    for (uint32_t i = 0; i < ORDERS; i++)
        outbox_put(context, &(order){.attempt = i}, &(order_texts){.name = BERTH_STR("p")});
    return NULL;
}

static void two_threads_lose_none(void **state)
{
    (void)state;
    outbox box;
    pthread_t thread;
    outbox_init(&box);
    assert_int_equal(pthread_create(&thread, NULL, putter, &box), 0);
    for (uint32_t taken = 0; taken < ORDERS;) {
        order *o = outbox_take(&box);
        assert_true(outbox_count(&box) <= ORDERS - taken);
        if (o == NULL)
            continue;
        assert_int_equal(o->attempt, taken++);
        free(o);
    }
    pthread_join(thread, NULL);
    assert_int_equal(outbox_count(&box), 0);
    outbox_destroy(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_is_copied_whole),
        cmocka_unit_test(absent_texts_stay_absent),
        cmocka_unit_test(a_copy_is_the_last_one),
        cmocka_unit_test(two_threads_lose_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
