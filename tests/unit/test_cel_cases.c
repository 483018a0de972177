/* Expressions and what kube-scheduler says about them, from the files in cel_cases: an expression
 * on one line, "= " and the result on the next. The results are those of kube-scheduler v1.36, as
 * tests/oracle/cmd/cel writes them; since_1.37.txt has those that are others in v1.37. A result
 * c@LINE:COLUMN only names the place of the first error, whose text may differ from
 * kube-scheduler's. The signs for newline, tab, return and form feed stand for these characters. */
#include "cel_device.h"

enum { LINE_MAX_BYTES = 4096, CASES_MAX = 1500 };

typedef struct case_of {
    char *expression, *says;
} case_of;

typedef struct cases {
    case_of all[CASES_MAX];
    size_t count;
} cases;

/* Replace the signs that stand for control characters. */
static char *line_of(const char *text)
{
    static const char *const signs[] = {"\xe2\x90\x8a", "\xe2\x90\x8d", "\xe2\x90\x89",
                                        "\xe2\x90\x8c"};
    static const char controls[] = "\n\r\t\f";
    char *out = calloc(1, strlen(text) + 1), *to = out;
    assert_non_null(out);
    while (*text != '\0' && *text != '\n') {
        size_t sign = 0;
        while (sign < 4 && strncmp(text, signs[sign], 3) != 0)
            sign++;
        *to++ = sign < 4 ? controls[sign] : *text;
        text += sign < 4 ? 3 : 1;
    }
    return out;
}

static void read_cases(const char *name, cases *out)
{
    char path[LINE_MAX_BYTES], line[LINE_MAX_BYTES], result[LINE_MAX_BYTES];
    snprintf(path, sizeof(path), CEL_CASES "/%s.txt", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    out->count = 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        assert_non_null(fgets(result, sizeof(result), file));
        assert_int_equal(strncmp(result, "= ", 2), 0);
        assert_true(out->count < CASES_MAX);
        out->all[out->count++] = (case_of){line_of(line), line_of(result + 2)};
    }
    assert_true(out->count > 0);
    fclose(file);
}

static void free_cases(cases *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->all[i].expression);
        free(all->all[i].says);
    }
}

static bool is_said(const char *found, const char *says)
{
    static const char head[] = "ccompilation failed: ERROR: <input>";
    if (strncmp(says, "c@", 2) != 0)
        return strcmp(found, says) == 0;
    size_t len = strlen(says + 2);
    return strncmp(found, head, strlen(head)) == 0 &&
           strncmp(found + strlen(head) + 1, says + 2, len) == 0 && found[strlen(head)] == ':' &&
           found[strlen(head) + 1 + len] == ':';
}

static berth__cel *compile_as(berth__cel_release release, const char *expression)
{
    berth__cel *cel;
    berth_str text = {expression, (uint32_t)strlen(expression)};
    assert_int_equal(berth__cel_compile(berth__allocator_default(), release, text, &cel), BERTH_OK);
    return cel;
}

static berth__cel *compile(const char *expression)
{
    return compile_as(BERTH__CEL_1_37, expression);
}

static bool says(berth__cel_release release, const char *expression, const char *wanted)
{
    char found[LINE_MAX_BYTES];
    berth__cel *cel = compile_as(release, expression);
    cel_say(cel, &cel_device, berth__allocator_default(), found, sizeof(found));
    berth__cel_destroy(cel);
    if (is_said(found, wanted))
        return true;
    print_error("%s\nsays     %s\ninstead of %s in 1.%d\n", expression, found, wanted,
                release == BERTH__CEL_1_37 ? 37 : 36);
    return false;
}

/* What v1.37 says, if that is something else. */
static const char *later(const cases *since, const case_of *one)
{
    for (size_t i = 0; i < since->count; i++)
        if (strcmp(since->all[i].expression, one->expression) == 0)
            return since->all[i].says;
    return one->says;
}

static void check(const char *name)
{
    static cases all, since;
    size_t wrong = 0;
    read_cases(name, &all);
    read_cases("since_1.37", &since);
    for (size_t i = 0; i < all.count; i++) {
        const case_of *one = &all.all[i];
        wrong += !says(BERTH__CEL_1_36, one->expression, one->says);
        wrong += !says(BERTH__CEL_1_37, one->expression, later(&since, one));
    }
    free_cases(&all);
    free_cases(&since);
    assert_int_equal(wrong, 0);
}

static void test_since_1_37(void **state)
{
    static cases all;
    size_t wrong = 0;
    (void)state;
    read_cases("since_1.37", &all);
    for (size_t i = 0; i < all.count; i++)
        wrong += !says(BERTH__CEL_1_37, all.all[i].expression, all.all[i].says);
    free_cases(&all);
    assert_int_equal(wrong, 0);
}

#define CHECK(name)                       \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        check(#name);                     \
    }
CHECK(text)
CHECK(regex)
CHECK(convert)
CHECK(operators)
CHECK(logic)
CHECK(lists)
CHECK(kube)
CHECK(net)
CHECK(syntax)
CHECK(more)
CHECK(rest)
CHECK(pairs)

/* ---- work that runs out ---- */

enum { WORK_MAX = 10000000, STEPS_MAX = 300 };
static const char limit[] = "eoperation cancelled: actual cost limit exceeded";

/* What an expression says if `spent` of the work is done before: a test of a text of that
 * length. */
static void say_after(const berth__cel *cel, uint32_t spent, char *out)
{
    static char text[WORK_MAX];
    berth__cel_attribute attributes[CEL_ATTRIBUTES + 1];
    memcpy(attributes, cel_attributes, sizeof(cel_attributes));
    attributes[CEL_ATTRIBUTES] = (berth__cel_attribute){
        BERTH_STR("test"), BERTH_STR("spent"), true, BERTH__CEL_STRING, 0, {text, spent}};
    berth__cel_device device = cel_device;
    device.attributes = attributes;
    device.attribute_count = CEL_ATTRIBUTES + 1;
    cel_say(cel, &device, berth__allocator_default(), out, LINE_MAX_BYTES);
}

/* The most work that may be done before, so that the expression still says what it says. */
static uint32_t most_before(const berth__cel *cel, const char *says)
{
    char found[LINE_MAX_BYTES];
    uint32_t fits = 0, fails = WORK_MAX;
    while (fails - fits > 1) {
        uint32_t middle = (fits + fails) / 2;
        say_after(cel, middle, found);
        if (strcmp(found, says) == 0)
            fits = middle;
        else
            fails = middle;
    }
    return fits;
}

/* At whatever point of the evaluation the work runs out, the result is the error of the limit. */
static void check_limit(const char *expression)
{
    char text[LINE_MAX_BYTES], says[LINE_MAX_BYTES], found[LINE_MAX_BYTES];
    snprintf(text, sizeof(text), "'a'.startsWith(device.attributes['test'].spent) || (%s\n)",
             expression);
    berth__cel *cel = compile(text);
    say_after(cel, 2, says);
    if (says[0] != 'c') {
        uint32_t most = most_before(cel, says), step = (WORK_MAX - most) / STEPS_MAX + 1;
        for (uint32_t spent = most + 1; spent <= WORK_MAX; spent += step) {
            say_after(cel, spent, found);
            if (strcmp(found, limit) != 0)
                fail_msg("%s\nsays %s after %u of %u", expression, found, spent, most);
        }
    }
    berth__cel_destroy(cel);
}

static const char *const names[] = {"text",  "regex", "convert",   "operators", "logic",
                                    "lists", "kube",  "net",       "syntax",    "more",
                                    "rest",  "pairs", "since_1.37"};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void test_work(void **state)
{
    static cases all;
    (void)state;
    for (size_t n = 0; n < NAMES; n++) {
        read_cases(names[n], &all);
        for (size_t i = 0; i < all.count; i++)
            check_limit(all.all[i].expression);
        free_cases(&all);
    }
}

/* ---- memory that runs out ---- */

/* Put `count` more nodes in front of an expression, which move its own to other places of the
 * memory's pieces. */
static char *after_nodes(const char *expression, uint32_t count)
{
    char *text = calloc(1, 2 * (size_t)count + strlen(expression) + 64), *at = text;
    assert_non_null(text);
    at += sprintf(at, "[1");
    for (uint32_t i = 1; i < count; i++)
        at += sprintf(at, ",1");
    sprintf(at, "].size() == 0 || (%s\n)", expression);
    return text;
}

/* Compile and evaluate; write the result. False: the planned failure of memory happened. */
static bool said(const berth_allocator *allocator, const char *text, char *out)
{
    berth__cel *cel = NULL;
    berth_status status = berth__cel_compile(allocator, BERTH__CEL_1_37,
                                             (berth_str){text, (uint32_t)strlen(text)}, &cel);
    if (status != BERTH_OK) {
        assert_int_equal(status, BERTH_E_NOMEM);
        return false;
    }
    cel_say(cel, &cel_device, allocator, out, LINE_MAX_BYTES);
    berth__cel_destroy(cel);
    return out[0] != '?';
}

/* Wherever memory runs out, nothing is lost, and no other result is reported. */
static void check_memory(const char *expression, uint32_t nodes)
{
    char says[LINE_MAX_BYTES], found[LINE_MAX_BYTES];
    char *text = after_nodes(expression, nodes);
    assert_true(said(berth__allocator_default(), text, says));
    counted memory = {0};
    berth_allocator allocator = {&memory, counted_allocate, counted_release};
    bool fine = false;
    for (unsigned at = 1; !fine; at++) {
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        fine = said(&allocator, text, found);
        assert_true(fine == (atomic_load(&memory.calls) < at));
        assert_int_equal(atomic_load(&memory.bytes), 0);
        assert_true(!fine || strcmp(found, says) == 0);
    }
    free(text);
}

static void test_memory(void **state)
{
    enum { FIRST = 340, LAST = 470, EVERY = 13 };
    static cases all;
    (void)state;
    for (size_t n = 0; n < NAMES; n++) {
        read_cases(names[n], &all);
        for (size_t i = 0; i < all.count; i++) {
            uint32_t nodes = FIRST + (uint32_t)i % EVERY;
            for (; i % 3 == n % 3 && nodes < LAST; nodes += EVERY)
                check_memory(all.all[i].expression, nodes);
        }
        free_cases(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_since_1_37), cmocka_unit_test(test_text),
        cmocka_unit_test(test_regex),      cmocka_unit_test(test_convert),
        cmocka_unit_test(test_operators),  cmocka_unit_test(test_logic),
        cmocka_unit_test(test_lists),      cmocka_unit_test(test_kube),
        cmocka_unit_test(test_net),        cmocka_unit_test(test_syntax),
        cmocka_unit_test(test_more),       cmocka_unit_test(test_rest),
        cmocka_unit_test(test_pairs),      cmocka_unit_test(test_work),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
