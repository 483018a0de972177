/* model/related.h: objects by name and in order, and the default selector for topology spread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "model/related.h"

typedef struct world {
    berth__model model;
    berth__related *related;
    berth__arena arena;
} world;

static int set_up(void **state)
{
    static world w;
    memset(&w, 0, sizeof(w));
    assert_int_equal(berth__model_init(&w.model, berth__allocator_default(), NULL), BERTH_OK);
    assert_int_equal(berth__related_create(&w.model, &w.related), BERTH_OK);
    berth__arena_init(&w.arena, berth__allocator_default());
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    berth__arena_destroy(&w->arena);
    berth__related_destroy(w->related);
    berth__model_destroy(&w->model);
    return 0;
}

static berth__sym sym(world *w, const char *text)
{
    bool ok = true;
    berth__sym out = berth__intern_add(&w->model.strings, berth__text_of(text), &ok);
    assert_true(ok);
    return out;
}

/* Reads "k=v k=v" as a map. */
static berth_map map_of(berth_key_value *entries, const char *text)
{
    berth_map map = {entries, 0};
    while (*text != '\0') {
        size_t key = strcspn(text, "="), value = strcspn(text + key + 1, " ");
        entries[map.count].key = (berth_str){text, (uint32_t)key};
        entries[map.count++].value = (berth_str){text + key + 1, (uint32_t)value};
        text += key + 1 + value;
        text += *text == ' ';
    }
    return map;
}

/* `selector` NULL: nil. */
static berth_status put(world *w, berth_kind kind, const char *name, const char *selector,
                        bool replace)
{
    berth_key_value entries[8];
    berth_label_selector compiled = {.match_labels =
                                         map_of(entries, selector != NULL ? selector : "")};
    berth_metadata meta = {.name = berth__text_of(name), .namespace_name = berth__text_of("ns")};
    berth_service service = {meta, selector != NULL, compiled.match_labels};
    berth_controller controller = {meta, selector != NULL ? &compiled : NULL};
    berth_namespace space = {{.name = berth__text_of(name), .labels = compiled.match_labels}};
    berth_object object = {.kind = kind};
    if (kind == BERTH_KIND_SERVICE)
        object.as.service = &service;
    else if (kind == BERTH_KIND_NAMESPACE)
        object.as.namespace_object = &space;
    else if (kind == BERTH_KIND_REPLICATION_CONTROLLER)
        object.as.replication_controller = &controller;
    else if (kind == BERTH_KIND_REPLICA_SET)
        object.as.replica_set = &controller;
    else
        object.as.stateful_set = &controller;
    return berth__related_add(w->related, &object, replace, NULL);
}

static void check_default(world *w, const char *labels, const char *api_version, const char *kind,
                          const char *owner, const char *wanted)
{
    berth_key_value entries[8];
    bool ok = true;
    berth__identity identity = {.namespace_name = sym(w, "ns")};
    identity.labels =
        berth__labels_make(&w->model.strings, &w->arena, map_of(entries, labels), &ok);
    if (owner != NULL) {
        identity.owner_api_version = sym(w, api_version);
        identity.owner_kind = sym(w, kind);
        identity.owner_name = sym(w, owner);
    }
    berth__selector selector =
        berth__related_default_selector(w->related, &w->arena, &identity, &ok);
    char text[256] = "";
    for (uint32_t i = 0; i < selector.count; i++) {
        const berth__interned_requirement *one = &selector.items[i];
        berth_str key = berth__text(&w->model, one->key);
        berth_str value = berth__text(&w->model, one->values[0]);
        assert_int_equal(one->op, BERTH__OP_IN);
        assert_int_equal(one->value_count, 1);
        size_t at = strlen(text);
        snprintf(text + at, sizeof(text) - at, "%s%.*s=%.*s", i > 0 ? " " : "", (int)key.len,
                 key.data, (int)value.len, value.data);
    }
    assert_true(ok);
    assert_string_equal(text, wanted);
    assert_int_equal(selector.kind, selector.count > 0 ? BERTH__SELECTOR_REQUIREMENTS
                                                       : BERTH__SELECTOR_EVERYTHING);
}

/* Interns the labels in order, because selectors are printed in the order of their ids. */
static void name_labels(world *w)
{
    sym(w, "a");
    sym(w, "b");
    sym(w, "c");
}

static void test_default_selector(void **state)
{
    world *w = *state;
    name_labels(w);
    check_default(w, "a=1", "", "", NULL, "");
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "one", "a=1", false), BERTH_OK);
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "two", "b=2 a=1", false), BERTH_OK);
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "nil", NULL, false), BERTH_OK);
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "all", "", false), BERTH_OK);
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "other", "c=9", false), BERTH_OK);
    check_default(w, "c=1", "", "", NULL, "");
    check_default(w, "a=1 c=1", "", "", NULL, "a=1");
    check_default(w, "a=1 b=2", "", "", NULL, "a=1 b=2");

    assert_int_equal(put(w, BERTH_KIND_REPLICA_SET, "rs", "c=3", false), BERTH_OK);
    assert_int_equal(put(w, BERTH_KIND_REPLICATION_CONTROLLER, "rc", "a=7 c=3", false), BERTH_OK);
    assert_int_equal(put(w, BERTH_KIND_STATEFUL_SET, "set", NULL, false), BERTH_OK);
    check_default(w, "a=1", "apps/v1", "ReplicaSet", "rs", "a=1 c=3");
    check_default(w, "b=1", "apps/v1", "ReplicaSet", "rs", "c=3");
    check_default(w, "a=1", "apps/v1beta1", "ReplicaSet", "rs", "a=1");
    check_default(w, "a=1", "apps/v1", "ReplicaSet", "gone", "a=1");
    check_default(w, "a=1", "apps/v1", "StatefulSet", "set", "a=1");
    /* the pairs of a ReplicationController replace those of the services */
    check_default(w, "a=1", "v1", "ReplicationController", "rc", "a=7 c=3");
    check_default(w, "a=1", "apps/v1", "ReplicationController", "rc", "a=1");
}

static void test_store(void **state)
{
    world *w = *state;
    uint64_t epoch = w->related->epoch;
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "x", "a=1", true), BERTH_E_NOT_FOUND);
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "x", "a=1", false), BERTH_OK);
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "x", "a=1", false), BERTH_E_EXISTS);
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "y", "a=1", false), BERTH_OK);
    assert_int_equal(put(w, BERTH_KIND_SERVICE, "x", "b=1", true), BERTH_OK);
    assert_true(w->related->epoch > epoch);

    /* the replaced object keeps its place */
    const berth__related_object *first =
        berth__related_first(w->related, BERTH_KIND_SERVICE, sym(w, "ns"));
    assert_int_equal(first->key.name, sym(w, "x"));
    assert_int_equal(first->next->key.name, sym(w, "y"));
    assert_null(first->next->next);
    check_default(w, "b=1", "", "", NULL, "b=1");

    assert_int_equal(berth__related_remove(w->related, BERTH_KIND_SERVICE, berth__text_of("ns"),
                                           berth__text_of("x"), NULL),
                     BERTH_OK);
    assert_int_equal(berth__related_remove(w->related, BERTH_KIND_SERVICE, berth__text_of("ns"),
                                           berth__text_of("x"), NULL),
                     BERTH_E_NOT_FOUND);
    check_default(w, "b=1", "", "", NULL, "");
    assert_null(berth__related_first(w->related, BERTH_KIND_SERVICE, sym(w, "default")));
}

static void test_namespaces(void **state)
{
    world *w = *state;
    bool present;
    uint64_t epoch = w->related->namespace_epoch;
    assert_int_equal(berth__related_namespace(w->related, sym(w, "dev"), &present).count, 0);
    assert_false(present);
    assert_int_equal(put(w, BERTH_KIND_NAMESPACE, "dev", "a=1 b=2", false), BERTH_OK);
    assert_int_equal(berth__related_namespace(w->related, sym(w, "dev"), &present).count, 2);
    assert_true(present);
    assert_true(w->related->namespace_epoch > epoch);
    epoch = w->related->namespace_epoch;
    assert_int_equal(berth__related_remove(w->related, BERTH_KIND_NAMESPACE, (berth_str){0},
                                           berth__text_of("dev"), NULL),
                     BERTH_OK);
    berth__related_namespace(w->related, sym(w, "dev"), &present);
    assert_false(present);
    assert_true(w->related->namespace_epoch > epoch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_default_selector, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_store, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_namespaces, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("related", tests, NULL, NULL);
}
