/* The annotation with controllers to avoid: which texts list a controller, and which list none, as
 * in Go's decoder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "model/avoid_pods.h"

#define LIST(entries) "{\"preferAvoidPods\": [" entries "]}"
#define ENTRY(members) "{\"podSignature\": {\"podController\": {" members "}}}"
#define RC ENTRY("\"kind\": \"RC\", \"uid\": \"u1\"")

/* Does it list the controller of kind RC and uid u1? */
static bool lists(const char *annotation)
{
    return berth__avoid_pods_lists(berth__text_of(annotation), BERTH_STR("RC"), BERTH_STR("u1"));
}

static void check(const char *const *texts, size_t count, bool wanted)
{
    for (size_t i = 0; i < count; i++)
        if (lists(texts[i]) != wanted)
            fail_msg("%s: %s", wanted ? "lists nothing" : "lists it", texts[i]);
}

static void test_listed(void **state)
{
    static const char *const texts[] = {
        LIST(RC),
        "\t\r\n " LIST(RC) " \n",
        LIST(ENTRY("\"kind\": \"RS\", \"uid\": \"u1\"") "," RC),
        LIST(RC "," ENTRY("")),
        LIST("null, {}," RC),
        /* Names match in any case, and a repeated member replaces the earlier one. */
        "{\"PreferAvoidPods\": [{\"PODSIGNATURE\": {\"podcontroller\": {\"Kind\": \"RC\", \"UID\": "
        "\"u1\"}}}]}",
        LIST(ENTRY("\"kind\": \"RS\", \"kind\": \"RC\", \"uid\": \"u1\"")),
        LIST(ENTRY("\"kind\": \"RC\", \"kind\": null, \"uid\": \"u1\"")),
        "{\"preferAvoidPods\": [], \"preferAvoidPods\": [" RC "]}",
        /* Other members may have any value, known ones only values of their type. */
        LIST("{\"reason\": \"r\", \"message\": null, \"evictionTime\": \"t\", \"more\": [1, -0.5, "
             "2e3, 4E+5, 6e-7, true, false, null, {}, [], [[\"x\"]], {\"a\": {\"b\": 0}}], "
             "\"podSignature\": {\"podController\": {\"kind\": \"RC\", \"uid\": \"u1\", "
             "\"controller\": true, \"blockOwnerDeletion\": false, \"apiVersion\": \"v1\"}}}"),
        /* Escapes. */
        LIST(ENTRY("\"kind\": \"\\u0052\\u0043\", \"uid\": \"u\\u0031\"")),
        LIST(ENTRY(
            "\"\\u006bind\": \"RC\", \"uid\": \"u1\", \"x\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")),
        LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"u1\", \"x\": \"\\u00e9\\u20AC\\ud83d\\ude00\"")),
        LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"u1\", \"x\": \"\\ud83d\\u0041\\ude00\\ud83d\"")),
        "{\"preferAvoidPods\": [" RC "], \"a\": \"\\ud83d\"}",
    };
    (void)state;
    check(texts, sizeof(texts) / sizeof(texts[0]), true);
}

static void test_not_listed(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "null",
        "{}",
        LIST(""),
        LIST(ENTRY("\"kind\": \"RC\"")),
        LIST(ENTRY("\"uid\": \"u1\"")),
        LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"u2\"")),
        LIST(ENTRY("\"kind\": \"RCX\", \"uid\": \"u1\"")),
        LIST(ENTRY("\"kind\": \"RC\"") "," ENTRY("\"uid\": \"u1\"")), /* not split up */
        "{\"preferAvoidPods\": [" RC "], \"preferAvoidPods\": []}",
        "{\"preferAvoidPods\": [" RC "], \"preferAvoidPods\": [{}]}",
        /* Not the type that the annotation holds. */
        "[" RC "]",
        "true",
        "1",
        "\"x\"",
        "{\"preferAvoidPods\": " RC "}",
        "{\"preferAvoidPods\": \"x\"}",
        LIST("1," RC),
        LIST("[]," RC),
        LIST(ENTRY("\"kind\": 1, \"uid\": \"u1\"")),
        LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"u1\", \"controller\": \"yes\"")),
        LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"u1\", \"controller\": 1")),
        LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"u1\", \"name\": true")),
        LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"u1\", \"name\": false")),
        LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"u1\", \"name\": {}")),
        /* Not JSON. */
        LIST(RC) "x",
        LIST(RC ","),
        LIST(RC " " RC),
        "{\"preferAvoidPods\": [" RC "}",
        "{\"preferAvoidPods\": [" RC "]",
        "{\"preferAvoidPods\": [" RC,
        "{\"preferAvoidPods\" [" RC "]}",
        "{preferAvoidPods: [" RC "]}",
        "{\"preferAvoidPods\": [" RC "],}",
        "{\"a\": tru, \"preferAvoidPods\": [" RC "]}",
        "{\"a\": fals, \"preferAvoidPods\": [" RC "]}",
        "{\"a\": nul, \"preferAvoidPods\": [" RC "]}",
        "{\"a\": 01, \"preferAvoidPods\": [" RC "]}",
        "{\"a\": 1., \"preferAvoidPods\": [" RC "]}",
        "{\"a\": -, \"preferAvoidPods\": [" RC "]}",
        "{\"a\": 1e, \"preferAvoidPods\": [" RC "]}",
        "{\"a\": 1e+, \"preferAvoidPods\": [" RC "]}",
        "{\"a\": +1, \"preferAvoidPods\": [" RC "]}",
        "{\"a\": \"\\x\", \"preferAvoidPods\": [" RC "]}",
        "{\"a\": \"\\u12\", \"preferAvoidPods\": [" RC "]}",
        "{\"a\": \"\\u12G4\", \"preferAvoidPods\": [" RC "]}",
        "{\"a\": \"\\u12g4\", \"preferAvoidPods\": [" RC "]}",
        "{\"a\": \"\\u12@4\", \"preferAvoidPods\": [" RC "]}",
        "{\"a\": \"\\u12`4\", \"preferAvoidPods\": [" RC "]}",
        "{\"a\": \"\\ud83d\\u12\", \"preferAvoidPods\": [" RC "]}",
        "{\"a\": \"\n\", \"preferAvoidPods\": [" RC "]}",
        "{\"a",
        "{\"a\\",
        "{\"a\": \"\\u1",
        "{\"a\":",
        "{\"a\": t",
        "{\"a\": 1",
        "{\"a\": -1",
        "{\"a\": 1.5e",
        "{\"a\": [1",
        "{\"a\": [",
    };
    (void)state;
    check(texts, sizeof(texts) / sizeof(texts[0]), false);
    const char nul[] = "{\"a\": \"\\\0\", \"preferAvoidPods\": [" RC "]}";
    assert_false(berth__avoid_pods_lists((berth_str){nul, sizeof(nul) - 1}, BERTH_STR("RC"),
                                         BERTH_STR("u1")));
}

/* Escapes become UTF-8: pairs of surrogates one letter, half a pair U+FFFD. */
static void test_escapes(void **state)
{
    static const struct {
        const char *escaped, *uid;
    } cases[] = {
        {"", ""},
        {"\\ue000", "\xee\x80\x80"},
        {"\\ud7ff", "\xed\x9f\xbf"},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
        {"\\ud83d\\ue000", "\xef\xbf\xbd\xee\x80\x80"},
        {"\\ude00", "\xef\xbf\xbd"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"%s\"")),
                 cases[i].escaped);
        if (!berth__avoid_pods_lists(berth__text_of(text), BERTH_STR("RC"),
                                     berth__text_of(cases[i].uid)))
            fail_msg("case %zu", i);
        assert_false(lists(text));
    }
    assert_true(
        berth__avoid_pods_lists(berth__text_of(LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"\""))),
                                BERTH_STR("RC"), (berth_str){NULL, 0}));
}

/* Strings that are too long equal nothing, and values that are nested too deeply are refused. */
static void test_long_and_deep(void **state)
{
    char text[4096], uid[601];
    (void)state;
    memset(uid, 'u', sizeof(uid) - 1);
    uid[sizeof(uid) - 1] = '\0';
    for (uint32_t len = 511; len <= 513; len++) {
        snprintf(text, sizeof(text), LIST(ENTRY("\"kind\": \"RC\", \"uid\": \"%.*s\"")), (int)len,
                 uid);
        assert_int_equal(
            berth__avoid_pods_lists(berth__text_of(text), BERTH_STR("RC"), (berth_str){uid, len}),
            len <= 512);
    }
    for (int depth = 63; depth <= 65; depth++) {
        char opening[80] = "", closing[80] = "";
        memset(opening, '[', (size_t)depth);
        memset(closing, ']', (size_t)depth);
        snprintf(text, sizeof(text), "{\"a\": %s%s, \"preferAvoidPods\": [" RC "]}", opening,
                 closing);
        assert_int_equal(lists(text), depth <= 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed),
        cmocka_unit_test(test_not_listed),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_long_and_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
