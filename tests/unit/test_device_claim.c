/* The next step of a ResourceClaim, derived from what the server shows: whose allocation it is,
 * what is added to it, and which conditions are met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "live/writes/device_claim.h"

static const int64_t wall_ns = INT64_C(1795000000123456789);

#define PROTECTION "\"resource.kubernetes.io/delete-protection\""
#define OURS "{\"uid\":\"u-1\"}"

/* A claim c-1 of version 7, made as by printf from three pieces. */
static json_t *claim_of(const char *meta, const char *spec, const char *status)
{
    char text[4096];
    snprintf(
        text, sizeof(text),
        "{\"metadata\":{\"uid\":\"c-1\",\"resourceVersion\":\"7\"%s},\"spec\":{\"devices\":{%s}"
        "},\"status\":{%s}}",
        meta, spec, status);
    json_t *claim = json_loads(text, 0, NULL);
    if (claim == NULL)
        fail_msg("%s", text);
    return claim;
}

/* The step for a pod u-1; `allocation` and `classes` are JSON, "" for none. `*text` is the caller's
 * to free. */
static device_claim_step next(json_t *claim, const char *allocation, const char *classes,
                              char **text)
{
    json_t *chosen = json_loads(allocation, 0, NULL), *configs = json_loads(classes, 0, NULL);
    const device_claim_plan plan = {.name = BERTH_STR("gpu"),
                                    .uid = BERTH_STR("c-1"),
                                    .pod_name = BERTH_STR("web-1"),
                                    .pod_uid = BERTH_STR("u-1"),
                                    .allocation = chosen,
                                    .class_configs = configs};
    const device_claim_step step = device_claim_next(claim, &plan, wall_ns, text);
    json_decref(claim);
    json_decref(chosen);
    json_decref(configs);
    return step;
}

/* The same; the step and its text, "" for none, are these. */
static void is_next(json_t *claim, const char *allocation, const char *classes,
                    device_claim_step step, const char *wanted)
{
    char *text;
    assert_int_equal(next(claim, allocation, classes, &text), step);
    assert_string_equal(text != NULL ? text : "", wanted);
    free(text);
}

/* ---- whose allocation ---- */

#define RESULT(request, driver, pool, device, more)                           \
    "{\"request\":\"" request "\",\"driver\":\"" driver "\",\"pool\":\"" pool \
    "\",\"device\":\"" device "\"" more "}"
#define FIRST RESULT("r", "d", "p", "0", "")
#define SECOND RESULT("s", "d", "p", "1", "")
#define ALLOCATION(results) "{\"devices\":{\"results\":[" results "]}}"
#define ALLOCATED(results) "\"allocation\":" ALLOCATION(results)

/* Only an allocation of the same devices, in the same order, is our own of an earlier attempt. */
static void our_own_allocation(void **state)
{
    static const struct {
        const char *there;
        bool ours;
    } cases[] = {
        {FIRST "," SECOND, true},
        {SECOND "," FIRST, false},
        {FIRST, false},
        {FIRST "," SECOND "," SECOND, false},
        {"", false},
        {FIRST "," RESULT("r", "d", "p", "1", ""), false},
        {FIRST "," RESULT("s", "e", "p", "1", ""), false},
        {FIRST "," RESULT("s", "d", "q", "1", ""), false},
        {FIRST "," RESULT("s", "d", "p", "2", ""), false},
        {FIRST "," RESULT("s", "d", "p", "1", ",\"shareID\":\"x\""), false},
        {RESULT("x", "d", "p", "0", "") "," SECOND, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char status[1024];
        snprintf(status, sizeof(status),
                 "\"allocation\":{\"devices\":{\"results\":[%s]}},\"reservedFor\":[" OURS "]",
                 cases[i].there);
        is_next(claim_of("", "", status), ALLOCATION(FIRST "," SECOND), "{}",
                cases[i].ours ? DEVICE_CLAIM_READY : DEVICE_CLAIM_FAILED,
                cases[i].ours ? "" : "claim gpu got allocated elsewhere in the meantime");
    }
}

static void claims_that_are_gone(void **state)
{
    static const char deleted[] = "claim gpu got deleted in the meantime";
    (void)state;
    is_next(json_object(), "", "{}", DEVICE_CLAIM_FAILED, deleted);
    is_next(NULL, "", "{}", DEVICE_CLAIM_FAILED, deleted);
    is_next(claim_of(",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", "",
                     ALLOCATED(FIRST) ",\"reservedFor\":[" OURS "]"),
            "", "{}", DEVICE_CLAIM_FAILED, deleted);
    is_next(claim_of("", "", "\"reservedFor\":[" OURS "]"), "", "{}", DEVICE_CLAIM_FAILED,
            "claim gpu got deallocated elsewhere in the meantime");
}

/* ---- what is added ---- */

/* The finalizers and users of others stay. */
static void others_stay(void **state)
{
    (void)state;
    is_next(claim_of(",\"finalizers\":[\"a\",\"b\"]", "", ""), ALLOCATION(FIRST), "{}",
            DEVICE_CLAIM_FINALIZER,
            "{\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"c-1\",\"finalizers\":[\"a\","
            "\"b\"," PROTECTION "]}}");
    is_next(claim_of("", "", ALLOCATED(FIRST) ",\"reservedFor\":[{\"uid\":\"u-2\"}]"), "", "{}",
            DEVICE_CLAIM_STATUS,
            "{\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"c-1\"},\"status\":{"
            "\"reservedFor\":[{\"uid\":\"u-2\"},{\"resource\":\"pods\",\"name\":\"web-1\","
            "\"uid\":\"u-1\"}]}}");
    is_next(claim_of("", "", ALLOCATED(FIRST) ",\"reservedFor\":[{\"uid\":\"u-2\"}," OURS "]"), "",
            "{}", DEVICE_CLAIM_READY, "");
}

static void protection_is_removed_alone(void **state)
{
    static const struct {
        const char *finalizers, *left;
    } cases[] = {
        {"\"a\"," PROTECTION ",\"b\"", "\"a\",\"b\""},
        {PROTECTION, ""},
        {"\"a\"", NULL},
        {"1", NULL},
        {"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char meta[256], wanted[256];
        snprintf(meta, sizeof(meta), ",\"finalizers\":[%s]", cases[i].finalizers);
        json_t *claim = claim_of(meta, "", "");
        char *body = device_claim_unprotect(claim);
        json_decref(claim);
        if (cases[i].left == NULL) {
            assert_null(body);
            continue;
        }
        snprintf(wanted, sizeof(wanted),
                 "{\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"c-1\",\"finalizers\":[%s]}}",
                 cases[i].left);
        assert_string_equal(body, wanted);
        free(body);
    }
}

static void spare_claims(void **state)
{
    static const struct {
        const char *users;
        bool spare;
    } cases[] = {
        {"", true},
        {OURS, true},
        {"{\"uid\":\"u-2\"}", false},
        {OURS ",{\"uid\":\"u-2\"}", false},
        {OURS "," OURS, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char status[128];
        snprintf(status, sizeof(status), "\"reservedFor\":[%s]", cases[i].users);
        json_t *claim = claim_of("", "", status);
        assert_int_equal(device_claim_is_spare(claim, BERTH_STR("u-1")), cases[i].spare);
        json_decref(claim);
    }
    assert_true(device_claim_is_spare(NULL, BERTH_STR("u-1")));
}

/* ---- configurations ---- */

#define PROTECTED ",\"finalizers\":[" PROTECTION "]"
#define TOLERATES(key) "\"tolerations\":[{\"key\":\"" key "\"}]"
#define GIVEN(request, more) RESULT(request, "d", "p", "0", more)

static const char requests[] =
    "\"requests\":["
    "{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"x\"}},"
    "{\"name\":\"s\",\"firstAvailable\":["
    "{\"name\":\"big\",\"deviceClassName\":\"z\"," TOLERATES(
        "no") "},"
              "{\"name\":\"small\",\"deviceClassName\":\"y\"," TOLERATES(
                  "yes") "}]},"
                         "{\"name\":\"t\",\"exactly\":{\"deviceClassName\":\"x\"}},"
                         "{\"name\":\"unused\",\"firstAvailable\":[{\"name\":\"big\","
                         "\"deviceClassName\":\"w\"}]}],"
                         "\"config\":["
                         "{\"requests\":[\"s\"],\"opaque\":1},"
                         "{\"requests\":[\"s/big\",\"sm\",\"s/smaller\",\"q\"],\"opaque\":2},"
                         "{\"requests\":[\"t\",\"s/small\",\"r\",\"none\"],\"opaque\":3},"
                         "{\"opaque\":4},"
                         "{\"requests\":[],\"opaque\":5}]";
/* A result whose request only begins like that of an alternative comes first. */
static const char chosen[] =
    ALLOCATION(GIVEN("sx/big", "") "," GIVEN("r", "") "," GIVEN("s/small", "") "," GIVEN("t", ""));

/* Configurations of classes name the requests that they serve; those of the claim come once for
 * each request, or once if they name none. */
static void configurations(void **state)
{
    (void)state;
    is_next(
        claim_of(PROTECTED, requests, ""), chosen,
        "{\"x\":[{\"of\":\"x1\"},{\"of\":\"x2\"}],\"y\":[{\"of\":\"y\"}],\"z\":[{}],"
        "\"w\":[{}]}",
        DEVICE_CLAIM_STATUS,
        "{\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"c-1\"},\"status\":{"
        "\"allocation\":{\"devices\":{\"results\":[" GIVEN("sx/big", "") "," GIVEN(
            "r", "") "," GIVEN("s/small",
                               "," TOLERATES(
                                   "yes")) "," GIVEN("t",
                                                     "") "],\"config\":["
                                                         "{\"of\":\"x1\",\"source\":\"FromClass\","
                                                         "\"requests\":[\"r\",\"t\"]},"
                                                         "{\"of\":\"x2\",\"source\":\"FromClass\","
                                                         "\"requests\":[\"r\",\"t\"]},"
                                                         "{\"of\":\"y\",\"source\":\"FromClass\","
                                                         "\"requests\":[\"s/small\"]},"
                                                         "{\"requests\":[\"s\"],\"opaque\":1,"
                                                         "\"source\":\"FromClaim\"},"
                                                         "{\"requests\":[\"t\",\"s/"
                                                         "small\",\"r\",\"none\"],\"opaque\":3,"
                                                         "\"source\":\"FromClaim\"},"
                                                         "{\"requests\":[\"t\",\"s/"
                                                         "small\",\"r\",\"none\"],\"opaque\":3,"
                                                         "\"source\":\"FromClaim\"},"
                                                         "{\"requests\":[\"t\",\"s/"
                                                         "small\",\"r\",\"none\"],\"opaque\":3,"
                                                         "\"source\":\"FromClaim\"},"
                                                         "{\"opaque\":4,\"source\":\"FromClaim\"},"
                                                         "{\"requests\":[],\"opaque\":5,\"source\":"
                                                         "\"FromClaim\"}]},"
                                                         "\"allocationTimestamp\":\"2026-11-18T11:"
                                                         "06:40Z\"},"
                                                         "\"reservedFor\":[{\"resource\":\"pods\","
                                                         "\"name\":\"web-1\",\"uid\":\"u-1\"}]}}");
}

/* Classes are asked for in the order of requests; without configurations none are written. */
static void classes_are_asked_for(void **state)
{
    (void)state;
    is_next(claim_of(PROTECTED, requests, ""), chosen, "{\"z\":[]}", DEVICE_CLAIM_CLASSES, "x");
    is_next(claim_of(PROTECTED, requests, ""), chosen, "{\"x\":[]}", DEVICE_CLAIM_CLASSES, "y");
    is_next(claim_of(PROTECTED, "\"requests\":[{\"name\":\"r\",\"exactly\":{}}]", ""),
            ALLOCATION(GIVEN("r", "")), "{\"\":[]}", DEVICE_CLAIM_STATUS,
            "{\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"c-1\"},\"status\":{"
            "\"allocation\":{\"devices\":{\"results\":[" GIVEN(
                "r", "") "]},"
                         "\"allocationTimestamp\":\"2026-11-18T11:06:40Z\"},\"reservedFor\":[{"
                         "\"resource\":\"pods\",\"name\":\"web-1\",\"uid\":\"u-1\"}]}}");
}

/* ---- conditions ---- */

#define WAITING(device)                                   \
    RESULT("r", "d", "p", device,                         \
           ",\"bindingConditions\":[\"Ready\",\"Warm\"]," \
           "\"bindingFailureConditions\":[\"Broken\",\"Lost\"]")
#define TOLD(driver, pool, device, conditions)                              \
    "{\"driver\":\"" driver "\",\"pool\":\"" pool "\",\"device\":\"" device \
    "\",\"conditions\":[" conditions "]}"
#define IS(type, status) "{\"type\":\"" type "\",\"status\":\"" status "\"}"
#define GOOD IS("Ready", "True") "," IS("Warm", "True")
#define BROKEN "{\"type\":\"Lost\",\"status\":\"True\",\"reason\":\"Why\",\"message\":\"It fell\"}"

/* Every condition of every device must be true; one that says a device failed ends it. */
static void conditions(void **state)
{
    static const struct {
        const char *devices;
        device_claim_step step;
    } cases[] = {
        {TOLD("d", "p", "0", GOOD) "," TOLD("d", "p", "1", GOOD), DEVICE_CLAIM_READY},
        {TOLD("d", "p", "1", GOOD) "," TOLD("d", "p", "0", GOOD), DEVICE_CLAIM_READY},
        {TOLD("d", "p", "0", GOOD "," IS("Broken", "False")) "," TOLD("d", "p", "1", GOOD),
         DEVICE_CLAIM_READY},
        {"", DEVICE_CLAIM_WAITS},
        {TOLD("d", "p", "0", GOOD), DEVICE_CLAIM_WAITS},
        {TOLD("d", "p", "1", GOOD), DEVICE_CLAIM_WAITS},
        {TOLD("d", "p", "0", GOOD) "," TOLD("d", "p", "1", IS("Ready", "True")),
         DEVICE_CLAIM_WAITS},
        {TOLD("d", "p", "0", GOOD) "," TOLD("d", "p", "1", IS("Warm", "True")), DEVICE_CLAIM_WAITS},
        {TOLD("d", "p", "0", GOOD) "," TOLD("d", "p", "1",
                                            IS("Ready", "True") "," IS("Warm", "False")),
         DEVICE_CLAIM_WAITS},
        {TOLD("e", "p", "0", GOOD) "," TOLD("d", "p", "1", GOOD), DEVICE_CLAIM_WAITS},
        {TOLD("d", "q", "0", GOOD) "," TOLD("d", "p", "1", GOOD), DEVICE_CLAIM_WAITS},
        {TOLD("e", "p", "0", BROKEN) "," TOLD("d", "q", "0", BROKEN), DEVICE_CLAIM_WAITS},
        {TOLD("d", "p", "1", GOOD "," BROKEN), DEVICE_CLAIM_FAILED},
        {TOLD("d", "p", "0", BROKEN), DEVICE_CLAIM_FAILED},
        {TOLD("d", "p", "0", GOOD) "," TOLD("d", "p", "1", BROKEN), DEVICE_CLAIM_FAILED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char status[2048], *text;
        snprintf(status, sizeof(status),
                 ALLOCATED(WAITING("0") "," WAITING("1")) ",\"reservedFor\":[" OURS "],"
                                                          "\"devices\":[%s]",
                 cases[i].devices);
        const device_claim_step step = next(claim_of("", "", status), "", "{}", &text);
        if (step != cases[i].step)
            fail_msg("%s: %d", cases[i].devices, (int)step);
        assert_string_equal(text != NULL ? text : "", step == DEVICE_CLAIM_FAILED
                                                          ? "device binding failed: claim=gpu,"
                                                            " reason=Why, message=\"It fell\""
                                                          : "");
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own_allocation),    cmocka_unit_test(claims_that_are_gone),
        cmocka_unit_test(others_stay),           cmocka_unit_test(protection_is_removed_alone),
        cmocka_unit_test(spare_claims),          cmocka_unit_test(configurations),
        cmocka_unit_test(classes_are_asked_for), cmocka_unit_test(conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
