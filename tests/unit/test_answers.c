/* Questions whatever the cluster is: what is refused and how, the interface itself, the form of
 * answers, and the arguments of a query. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "cli/exits.h"
#include "live/answer/answers.h"

static const char *argument; /* the value of "?n=..."; NULL: absent */

const char *__wrap_MHD_lookup_connection_value(struct MHD_Connection *connection,
                                               enum MHD_ValueKind kind, const char *key);
const char *__wrap_MHD_lookup_connection_value(struct MHD_Connection *connection,
                                               enum MHD_ValueKind kind, const char *key)
{
    assert_null(connection);
    assert_int_equal(kind, MHD_GET_ARGUMENT_KIND);
    return strcmp(key, "n") == 0 ? argument : NULL;
}

/* ---- a cluster that answers as told ---- */

static berth_status opens, in_time, makes; /* what each step returns */
static int opened, closed;
static const answer_world world;
static const volatile int32_t cancelled;

static berth_status as_told(berth_status status, berth_error *error)
{
    if (status != BERTH_OK)
        (void)error_set(error, BERTH_E_INTERNAL, NULL, "so it is");
    return status;
}

berth_status __wrap_answer_room_open(answer_room *room, const answer_world *of,
                                     const question *asked, berth_cancel_flag cancel,
                                     berth_error *error);
berth_status __wrap_answer_room_open(answer_room *room, const answer_world *of,
                                     const question *asked, berth_cancel_flag cancel,
                                     berth_error *error)
{
    assert_ptr_equal(of, &world);
    assert_ptr_equal(cancel, &cancelled);
    *room = (answer_room){.world = of, .asked = asked};
    opened++;
    return as_told(opens, error);
}

berth_status __real_answer_room_time(const answer_room *room, berth_error *error);
berth_status __wrap_answer_room_time(const answer_room *room, berth_error *error);
berth_status __wrap_answer_room_time(const answer_room *room, berth_error *error)
{
    assert_ptr_equal(room->world, &world);
    return as_told(in_time, error);
}

void __real_answer_room_close(answer_room *room);
void __wrap_answer_room_close(answer_room *room);
void __wrap_answer_room_close(answer_room *room)
{
    assert_ptr_equal(room->world, &world);
    closed++;
}

berth_status __wrap_answer_fits(answer_room *room, output *o, berth_error *error);
berth_status __wrap_answer_fits(answer_room *room, output *o, berth_error *error)
{
    assert_int_equal(room->asked->length, 3);
    output_pair_text(o, "a", "b");
    return as_told(makes, error);
}

berth_status __wrap_answer_page(answer_room *room, FILE *out, berth_error *error);
berth_status __wrap_answer_page(answer_room *room, FILE *out, berth_error *error)
{
    assert_ptr_equal(room->world, &world);
    fputs("<p>", out);
    return as_told(makes, error);
}

/* ---- without a cluster ---- */

/* The answer has this status and, if `reason` is one, is a refusal with it and the message. */
static void answers(const question *asked, unsigned status, const char *reason, const char *message)
{
    const debug_page page = answers_make(NULL, asked, NULL);
    assert_int_equal(page.status, status);
    assert_string_equal(page.type, "application/json");
    assert_int_equal(page.length, strlen(page.text));
    json_t *root = json_loads(page.text, 0, NULL);
    assert_non_null(root);
    if (reason != NULL) {
        const json_t *error = json_object_get(root, "error");
        assert_string_equal(json_string_value(json_object_get(error, "reason")), reason);
        assert_string_equal(json_string_value(json_object_get(error, "message")), message);
    } else {
        assert_string_equal(page.text, openapi_document);
    }
    json_decref(root);
    free(page.text);
}

static void unknown_paths(void **state)
{
    static const char *const paths[] = {"",        "/v1",      "/v1/",    "/v1/fits/",
                                        "/v1/fit", "/V1/fits", "/openapi"};
    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        answers(&(question){.method = "GET", .path = paths[i]}, 404, "NotFound",
                "no such question; /openapi.json lists them");
        assert_string_equal(answers_name(paths[i]), "other");
    }
}

/* HEAD is as good as GET; every other method must be the question's own. */
static void methods(void **state)
{
    static const struct {
        const char *path, *name, *by;
    } cases[] = {
        {"/v1/fits", "fits", "POST"},
        {"/v1/capacity", "capacity", "POST"},
        {"/v1/drain", "drain", "GET"},
        {"/v1/explain", "explain", "GET"},
        {"/v1/grow", "grow", "GET or POST"},
        {"/v1/report", "report", "GET"},
        {"/", "page", "GET"},
        {"/v1/changes", "changes", "GET"},
        {"/openapi.json", "openapi", "GET"},
    };
    static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "get"};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char message[64];
        assert_string_equal(answers_name(cases[i].path), cases[i].name);
        snprintf(message, sizeof(message), "this question is asked by %s", cases[i].by);
        const bool by_get = strstr(cases[i].by, "GET") != NULL;
        const bool by_post = strstr(cases[i].by, "POST") != NULL;
        for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++)
            if (m < 2 ? !by_get : m > 2 || !by_post)
                answers(&(question){.method = methods[m], .path = cases[i].path}, 405,
                        "MethodNotAllowed", message);
    }
}

static void the_interface(void **state)
{
    (void)state;
    answers(&(question){.method = "GET", .path = "/openapi.json"}, 200, NULL, NULL);
    answers(&(question){.method = "HEAD", .path = "/openapi.json"}, 200, NULL, NULL);
}

static void manifests(void **state)
{
    (void)state;
    answers(&(question){.method = "POST", .path = "/v1/fits", .is_too_long = true, .length = 1},
            413, "TooLarge", "the manifest is too long");
    answers(&(question){.method = "POST", .path = "/v1/fits", .is_too_long = true}, 413, "TooLarge",
            "the manifest is too long");
    answers(&(question){.method = "POST", .path = "/v1/capacity"}, 400, "BadRequest",
            "there is no manifest in the request");
    answers(&(question){.method = "POST", .path = "/v1/grow"}, 400, "BadRequest",
            "there is no manifest in the request");
    answers(&(question){.method = "GET", .path = "/v1/drain", .is_too_long = true}, 413, "TooLarge",
            "the manifest is too long");
}

/* ---- of a cluster ---- */

static debug_page ask(const char *method, const char *path)
{
    const question asked = {.method = method, .path = path, .length = 3};
    opened = closed = 0;
    const debug_page page = answers_make(&world, &asked, &cancelled);
    assert_int_equal(opened, 1);
    assert_int_equal(closed, 1); /* in any case */
    assert_int_equal(page.length, strlen(page.text));
    return page;
}

static void answers_of_a_cluster(void **state)
{
    (void)state;
    opens = in_time = makes = BERTH_OK;
    debug_page page = ask("POST", "/v1/fits");
    json_t *root = json_loads(page.text, 0, NULL);
    assert_int_equal(page.status, 200);
    assert_string_equal(page.type, "application/json");
    assert_string_equal(json_string_value(json_object_get(root, "a")), "b");
    assert_int_equal(json_object_size(root), 2);
    assert_non_null(strstr(page.text, "fits")); /* its schema */
    json_decref(root);
    free(page.text);
    page = ask("HEAD", "/");
    assert_int_equal(page.status, 200);
    assert_string_equal(page.type, "text/html; charset=utf-8");
    assert_string_equal(page.text, "<p>");
    free(page.text);
}

/* Each error has its status and reason, at whichever step it comes. */
static void errors_of_a_cluster(void **state)
{
    static const struct {
        berth_status error;
        unsigned status;
        const char *reason;
    } cases[] = {
        {BERTH_E_NOT_FOUND, 404, "NotFound"},     {BERTH_E_EXISTS, 409, "AlreadyExists"},
        {BERTH_E_CONFLICT, 409, "Conflict"},      {BERTH_E_ARG, 400, "BadRequest"},
        {BERTH_E_PARSE, 400, "BadRequest"},       {BERTH_E_INVALID, 422, "Invalid"},
        {BERTH_E_RANGE, 422, "Invalid"},          {BERTH_E_UNSUPPORTED, 422, "Invalid"},
        {BERTH_E_STATE, 503, "NotReady"},         {BERTH_E_CANCELLED, 504, "Timeout"},
        {BERTH_E_INTERNAL, 500, "InternalError"}, {BERTH_E_NOMEM, 500, "InternalError"},
        {BERTH_E_IO, 500, "InternalError"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int step = 0; step < 4; step++) {
            opens = step == 0 ? cases[i].error : BERTH_OK;
            in_time = step == 1 ? cases[i].error : BERTH_OK;
            makes = step >= 2 ? cases[i].error : BERTH_OK;
            const debug_page page = step == 3 ? ask("GET", "/") : ask("POST", "/v1/fits");
            json_t *root = json_loads(page.text, 0, NULL);
            const json_t *error = json_object_get(root, "error");
            assert_int_equal(page.status, cases[i].status);
            assert_string_equal(page.type, "application/json");
            assert_string_equal(json_string_value(json_object_get(error, "reason")),
                                cases[i].reason);
            assert_string_equal(json_string_value(json_object_get(error, "message")), "so it is");
            json_decref(root);
            free(page.text);
        }
}

/* ---- arguments ---- */

static void numbers(void **state)
{
    static const struct {
        const char *text;
        uint64_t max, value;
        bool good;
    } cases[] = {
        {NULL, 5, 0, true},
        {"0", 5, 0, true},
        {"5", 5, 5, true},
        {"6", 5, 6, false},
        {"007", 7, 7, true},
        {"", 5, 0, false},
        {"-1", 5, 0, false},
        {"+1", 5, 0, false},
        {" 1", 5, 0, false},
        {"1x", 5, 0, false},
        {"0x1", 5, 0, false},
        {"999999999999999999", UINT64_C(999999999999999999), UINT64_C(999999999999999999), true},
        {"1000000000000000000", UINT64_MAX - 1, 0, false},
        {"18446744073709551617", 5, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const question asked = {.connection = NULL};
        berth_error error = {.code = BERTH_OK};
        uint64_t value = 77;
        char message[128];
        argument = cases[i].text;
        const berth_status status = answer_number(&asked, "n", cases[i].max, &value, &error);
        assert_int_equal(status, cases[i].good ? BERTH_OK : BERTH_E_ARG);
        if (cases[i].good) {
            assert_true(value == cases[i].value);
            continue;
        }
        snprintf(message, sizeof(message), "n: '%s' is no number from 0 to %llu", cases[i].text,
                 (unsigned long long)cases[i].max);
        assert_string_equal(error.message, message);
    }
}

static void flags(void **state)
{
    static const struct {
        const char *text;
        bool value, good;
    } cases[] = {{NULL, false, true},   {"true", true, true},   {"false", false, true},
                 {"", false, false},    {"True", false, false}, {"1", false, false},
                 {"tru", false, false}, {"truee", false, false}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const question asked = {.connection = NULL};
        berth_error error = {.code = BERTH_OK};
        bool value = true;
        argument = cases[i].text;
        assert_int_equal(answer_flag(&asked, "n", &value, &error),
                         cases[i].good ? BERTH_OK : BERTH_E_ARG);
        assert_int_equal(value, cases[i].value);
        if (!cases[i].good)
            assert_non_null(strstr(error.message, "is neither true nor false"));
    }
}

static void the_time(void **state)
{
    int32_t cancel = 0;
    answer_room room = {.world = NULL};
    berth_error error = {.code = BERTH_OK};
    (void)state;
    assert_int_equal(__real_answer_room_time(&room, &error), BERTH_OK);
    room.cancel = &cancel;
    assert_int_equal(__real_answer_room_time(&room, &error), BERTH_OK);
    cancel = 1;
    assert_int_equal(__real_answer_room_time(&room, &error), BERTH_E_CANCELLED);
    __real_answer_room_close(&room); /* it was never opened */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_paths),
        cmocka_unit_test(methods),
        cmocka_unit_test(the_interface),
        cmocka_unit_test(manifests),
        cmocka_unit_test(answers_of_a_cluster),
        cmocka_unit_test(errors_of_a_cluster),
        cmocka_unit_test(numbers),
        cmocka_unit_test(flags),
        cmocka_unit_test(the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
