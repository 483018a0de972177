/* ResourceClaimTemplates: the claims made from them for pods of manifests, and the messages if that
 * is not possible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "berth/kube.h"

#define STR(s) (int)(s).len, (s).data != NULL ? (s).data : ""

#define TEMPLATE(name)                                                                             \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: " name          \
    "}\nspec:\n  metadata: {labels: {a: b}, annotations: {x: 'y'}}\n  spec: {devices: {requests: " \
    "[{name: r, exactly: {deviceClassName: gpu}}]}}\n---\n"
#define POD(name, more)                                                                       \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\nspec: {containers: [{name: c}], " \
    "resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}\n" more "---\n"

/* The objects from a reader, one word each. */
typedef struct made {
    char text[4096];
    uint32_t missing; /* notes about missing templates */
} made;

static berth_status take(void *context, const berth_object *object, const berth_error *origin,
                         berth_error *error)
{
    made *m = context;
    size_t at = strlen(m->text);
    (void)origin;
    (void)error;
    if (object->kind == BERTH_KIND_RESOURCE_CLAIM) {
        const berth_resource_claim *claim = object->as.resource_claim;
        const berth_owner *owner = claim->meta.owner_count > 0 ? claim->meta.owners : NULL;
        at += (size_t)snprintf(m->text + at, sizeof(m->text) - at, "claim(%.*s/%.*s of %.*s",
                               STR(claim->meta.namespace_name), STR(claim->meta.name),
                               owner != NULL ? (int)owner->uid.len : 0,
                               owner != NULL ? owner->uid.data : "");
        for (uint32_t i = 0; i < claim->meta.annotations.count; i++)
            at += (size_t)snprintf(m->text + at, sizeof(m->text) - at, " %.*s=%.*s",
                                   STR(claim->meta.annotations.entries[i].key),
                                   STR(claim->meta.annotations.entries[i].value));
        snprintf(m->text + at, sizeof(m->text) - at, " %u %u) ", claim->meta.labels.count,
                 claim->request_count);
    }
    if (object->kind == BERTH_KIND_POD) {
        const berth_pod *pod = object->as.pod;
        at += (size_t)snprintf(m->text + at, sizeof(m->text) - at, "pod(%.*s", STR(pod->meta.name));
        for (uint32_t i = 0; i < pod->resource_claim_status_count; i++)
            at += (size_t)snprintf(m->text + at, sizeof(m->text) - at, " %.*s=%.*s",
                                   STR(pod->resource_claim_statuses[i].name),
                                   STR(pod->resource_claim_statuses[i].claim));
        snprintf(m->text + at, sizeof(m->text) - at, ") ");
    }
    return BERTH_OK;
}

static void note(void *context, const berth_note *what)
{
    made *m = context;
    m->missing += what->what == BERTH_NOTE_CLAIM_TEMPLATE_MISSING;
}

static berth_reader *read_with(made *m, berth_read_options options, const char *text)
{
    berth_error error = {.code = BERTH_OK};
    berth_reader *reader = NULL;
    options.size = sizeof(options);
    options.note = note;
    options.note_context = m;
    *m = (made){.missing = 0};
    assert_int_equal(berth_reader_create(&options, &reader, &error), BERTH_OK);
    const berth_str all = {text, (uint32_t)strlen(text)};
    if (berth_reader_text(reader, all, "t", take, m, &error) != BERTH_OK ||
        berth_reader_finish(reader, NULL, take, m, &error) != BERTH_OK)
        fail_msg("%s: %s: %s", error.object, error.field, error.message);
    return reader;
}

static void expect(berth_read_options options, const char *text, const char *wanted)
{
    made m;
    berth_reader_destroy(read_with(&m, options, text));
    assert_string_equal(m.text, wanted);
}

static const berth_read_options fresh = {.apply_defaults = true};

#define CLAIM_P                                                                                   \
    "claim(default/p-gpu-c4ad8 of berth-default/p x=y resource.kubernetes.io/pod-claim-name=gpu " \
    "1 1) "

static void test_made(void **state)
{
    (void)state;
    expect(fresh, TEMPLATE("t") POD("p", ""), CLAIM_P "pod(p gpu=p-gpu-c4ad8) ");
    /* The template comes after the pod; then it is repeated, once with more fields and once
     * unchanged. */
    expect(fresh, POD("p", "") TEMPLATE("t") TEMPLATE("t"), CLAIM_P "pod(p gpu=p-gpu-c4ad8) ");
    /* The status takes precedence. A finished pod needs no claim, nor does a pod that an API server
     * already has. */
    expect(fresh,
           TEMPLATE("t") POD(
               "p", "status: {resourceClaimStatuses: [{name: gpu, resourceClaimName: mine}]}\n"),
           "pod(p gpu=mine) ");
    expect(fresh, TEMPLATE("t") POD("p", "status: {phase: Failed}\n"), "pod(p) ");
    expect(fresh, TEMPLATE("t") POD("p", "status: {phase: Succeeded}\n"), "pod(p) ");
    expect(fresh, TEMPLATE("t") POD("p", "status: {phase: Running}\n"),
           CLAIM_P "pod(p gpu=p-gpu-c4ad8) ");
    /* What the status says of other entries stays. */
    expect(fresh,
           TEMPLATE("t") POD(
               "p", "status: {resourceClaimStatuses: [{name: nic, resourceClaimName: mine}]}\n"),
           CLAIM_P "pod(p nic=mine gpu=p-gpu-c4ad8) ");
    /* A pod without entries waits for no template. */
    expect(fresh,
           "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {resourceClaims: null}\n---\n"
           "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {resourceClaims: []}\n",
           "pod(p) pod(q) ");
    /* The annotation that names the entry is not the template's. */
    expect(fresh,
           "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n"
           "spec:\n  metadata: {labels: {a: b}, annotations: {x: 'y', "
           "resource.kubernetes.io/pod-claim-name: other}}\n  spec: {devices: {requests: [{name: "
           "r, exactly: {deviceClassName: gpu}}]}}\n---\n" POD("p", ""),
           CLAIM_P "pod(p gpu=p-gpu-c4ad8) ");
    expect(fresh, TEMPLATE("t") POD("p, uid: u", ""), "pod(p) ");
    expect((berth_read_options){.apply_defaults = false}, TEMPLATE("t") POD("p", ""), "pod(p) ");
    /* A pod that serves as a template for other pods gets claims of its own, whatever claims it
     * has. */
    expect(
        (berth_read_options){.apply_defaults = true, .templates = true},
        POD("p, uid: u", "status: {resourceClaimStatuses: [{name: gpu, resourceClaimName: old}]}\n")
            TEMPLATE("t"),
        "claim(default/p-gpu-c4ad8 of u x=y resource.kubernetes.io/pod-claim-name=gpu 1 1) "
        "pod(p gpu=p-gpu-c4ad8) ");
}

static void test_replicas(void **state)
{
    made m;
    (void)state;
    berth_reader_destroy(read_with(
        &m, fresh,
        TEMPLATE("t") "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": []}\n---\n"
                      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec: "
                      "{replicas: 2, selector: {}, template: {spec: {containers: [{name: c}], "
                      "resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}}}\n"));
    assert_non_null(strstr(m.text, "claim(default/s-0-gpu-"));
    assert_non_null(strstr(m.text, "pod(s-1 gpu=s-1-gpu-"));
    /* Two templates whose texts differ only in the name. */
    berth_reader_destroy(read_with(
        &m, fresh,
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":["
        "{\"kind\":\"ResourceClaimTemplate\",\"apiVersion\":\"resource.k8s.io/v1\",\"metadata\":"
        "{\"name\":\"t\"},\"spec\":{\"spec\":{}}},"
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"spec\":{"
        "\"resourceClaims\":[{\"name\":\"g\",\"resourceClaimTemplateName\":\"t\"}]}},"
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"b\"},\"spec\":{"
        "\"resourceClaims\":[{\"name\":\"g\",\"resourceClaimTemplateName\":\"t\"}]}},"
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\"},\"spec\":{"
        "\"resourceClaims\":[{\"name\":\"g\",\"resourceClaimTemplateName\":\"t\"}]}}]}"));
    assert_non_null(strstr(m.text, "pod(a g=a-g-"));
    assert_non_null(strstr(m.text, "pod(b g=b-g-"));
    assert_non_null(strstr(m.text, "pod(c g=c-g-"));
}

/* Names have at most 63 bytes; both parts are cut in proportion. */
static void test_long_names(void **state)
{
    made m;
    (void)state;
    berth_reader_destroy(read_with(
        &m, fresh,
        TEMPLATE("t") "apiVersion: v1\nkind: Pod\nmetadata: {name: "
                      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}\nspec: "
                      "{containers: [{name: c}], resourceClaims: [{name: "
                      "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, resourceClaimTemplateName: t}]}\n"));
    assert_non_null(strstr(m.text, "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbbbb-"));
}

static void test_missing(void **state)
{
    made m;
    (void)state;
    berth_reader_destroy(read_with(&m, fresh, TEMPLATE("other") POD("p", "") POD("q", "")));
    assert_string_equal(m.text, "pod(p) pod(q) ");
    assert_int_equal(m.missing, 2);
    /* A template in another namespace is another one. */
    berth_reader_destroy(read_with(&m, fresh, TEMPLATE("t, namespace: far") POD("p", "")));
    assert_int_equal(m.missing, 1);
    /* A reader can know the templates of another one. */
    berth_reader *first = read_with(&m, fresh, TEMPLATE("t"));
    berth_reader_destroy(
        read_with(&m, (berth_read_options){.apply_defaults = true, .known = first}, POD("p", "")));
    assert_string_equal(m.text, CLAIM_P "pod(p gpu=p-gpu-c4ad8) ");
    berth_reader_destroy(first);
}

/* And the classes of another one. */
static void test_known_classes(void **state)
{
    made m;
    (void)state;
    berth_reader *first =
        read_with(&m, fresh,
                  "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"
                  "value: 7\n---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: "
                  "{name: vm}\nhandler: vm\n");
    berth_reader_destroy(
        read_with(&m, (berth_read_options){.apply_defaults = true, .known = first},
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {priorityClassName: high, "
                  "runtimeClassName: vm, containers: [{name: c}]}\n"));
    assert_string_equal(m.text, "pod(p) ");
    berth_reader_destroy(first);
}

static void test_faults(void **state)
{
    berth_error error = {.code = BERTH_OK};
    berth_reader *reader = NULL;
    made m = {.missing = 0};
    (void)state;
    const berth_read_options options = {.size = sizeof(options), .apply_defaults = true};
    assert_int_equal(berth_reader_create(&options, &reader, &error), BERTH_OK);
    const char text[] = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: "
                        "{name: t}\nspec: {spec: {devices: 3}}\n";
    const berth_str all = {text, sizeof(text) - 1};
    assert_int_equal(berth_reader_text(reader, all, "t", take, &m, &error), BERTH_E_INVALID);
    assert_string_equal(error.field, "spec.spec.devices");
    assert_string_equal(error.object, "ResourceClaimTemplate default/t");
    const char nameless[] = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n";
    const berth_str none = {nameless, sizeof(nameless) - 1};
    assert_int_equal(berth_reader_text(reader, none, "t", take, &m, &error), BERTH_E_INVALID);
    assert_string_equal(error.field, "metadata.name");
    berth_reader_destroy(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made),          cmocka_unit_test(test_replicas),
        cmocka_unit_test(test_long_names),    cmocka_unit_test(test_missing),
        cmocka_unit_test(test_known_classes), cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
