/* Label sets, label selectors, node selector terms and tolerations, rule by rule.
 * Source of the rules: apimachinery v0.32, labels/selector.go, apis/meta/v1/helpers.go;
 * component-helpers scheduling/corev1/nodeaffinity; core/v1 toleration.go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena_pieces.h"
#include "base/random.h"
#include "base/text.h"
#include "model/labels.h"
#include "model/model.h"
#include "model/tolerations.h"
#include "scarce_memory.h"

enum { VALUES_MAX = 4 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A requirement as tables write it: values end at NULL. */
typedef struct wanted {
    const char *key;
    const char *op;
    const char *values[VALUES_MAX];
} wanted;

static berth__model model;
static berth__arena arena;

static int set_up(void **state)
{
    (void)state;
    berth__arena_init(&arena, berth__allocator_default());
    return berth__model_init(&model, berth__allocator_default(), NULL) == BERTH_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    berth__arena_destroy(&arena);
    berth__model_destroy(&model);
    return 0;
}

static berth_requirement requirement(const wanted *from, berth_str *values)
{
    uint32_t count = 0;
    for (; count < VALUES_MAX && from->values[count] != NULL; count++)
        values[count] = berth__text_of(from->values[count]);
    return (berth_requirement){
        berth__text_of(from->key), berth__text_of(from->op), {values, count}};
}

/* Labels written "a=1,b=,c=x". */
static berth__labels labels(const char *text)
{
    berth_key_value pairs[8];
    uint32_t count = 0;
    bool ok = true;
    while (*text != '\0') {
        size_t key = strcspn(text, "="), value = strcspn(text + key + 1, ",");
        pairs[count++] =
            (berth_key_value){{text, (uint32_t)key}, {text + key + 1, (uint32_t)value}};
        text += key + 1 + value;
        text += *text == ',';
    }
    berth__labels out = berth__labels_make(&model.strings, &arena, (berth_map){pairs, count}, &ok);
    assert_true(ok);
    return out;
}

static berth__sym sym(const char *text)
{
    bool ok = true;
    berth__sym id = berth__intern_add(&model.strings, berth__text_of(text), &ok);
    assert_true(ok);
    return id;
}

/* ---- label sets ---- */

static void test_label_sets(void **state)
{
    (void)state;
    berth__labels set = labels("zone=a,app=web,empty=,app=db");
    assert_int_equal(set.count, 3);
    assert_int_equal(berth__labels_get(set, sym("zone")), sym("a"));
    assert_int_equal(berth__labels_get(set, sym("app")), sym("db")); /* the last one wins */
    assert_int_equal(berth__labels_get(set, sym("empty")), model.known.empty);
    assert_int_equal(berth__labels_get(set, sym("absent")), 0);
    assert_true(berth__labels_equal(set, labels("empty=,app=db,zone=a")));
    assert_false(berth__labels_equal(set, labels("empty=,app=db")));
    assert_false(berth__labels_equal(set, labels("empty=,app=db,zone=b")));
    assert_true(berth__labels_equal(labels(""), labels("")));
}

/* Objects that C code made may have absent values: these are empty. */
static void test_absent_values(void **state)
{
    (void)state;
    bool ok = true;
    const berth_str absent = {NULL, 0};
    const berth_key_value pair = {berth__text_of("a"), absent};
    const berth_map map = {&pair, 1};
    berth__labels set = berth__labels_make(&model.strings, &arena, map, &ok);
    assert_true(ok);
    assert_int_equal(berth__labels_get(set, sym("a")), model.known.empty);
    const berth_requirement listed = {berth__text_of("a"), berth__text_of("In"), {&absent, 1}};
    const berth_label_selector selectors[] = {{.match_labels = map},
                                              {.match_expressions = {&listed, 1}}};
    for (int i = 0; i < 2; i++) {
        berth__selector made = berth__selector_make(&model.strings, &arena, &selectors[i], &ok);
        assert_true(ok);
        assert_true(berth__selector_matches(&model.strings, &made, set));
        assert_false(berth__selector_matches(&model.strings, &made, labels("a=1")));
        assert_false(berth__selector_matches(&model.strings, &made, labels("b=")));
    }
}

/* Only the annotations that somebody reads are kept. */
static void test_annotations(void **state)
{
    (void)state;
    bool ok = true;
    const berth_str keys[] = {berth__text_of("b"), berth__text_of("c")};
    const berth_key_value pairs[] = {{berth__text_of("a"), berth__text_of("1")},
                                     {berth__text_of("b"), berth__text_of("2")}};
    const berth_map map = {pairs, 2}, none = {NULL, 0};
    const berth_strs read = {keys, 2};
    berth__labels kept = berth__annotations_make(&model.strings, &arena, read, map, &ok);
    assert_int_equal(kept.count, 1);
    assert_int_equal(berth__labels_get(kept, sym("b")), sym("2"));
    kept = berth__annotations_make(&model.strings, &arena, read, none, &ok);
    assert_int_equal(kept.count, 0);
    kept = berth__annotations_make(&model.strings, &arena, (berth_strs){NULL, 0}, map, &ok);
    assert_int_equal(kept.count, 0);
    assert_true(ok);
}

/* Make labels and annotations with scarce memory: all of them, or none and `ok` says so. */
static berth_status make_many(const berth_allocator *allocator, const void *input)
{
    enum { COUNT_MANY = 40 };
    char texts[COUNT_MANY][8];
    berth_str keys[COUNT_MANY];
    berth_key_value pairs[COUNT_MANY];
    berth__arena own;
    bool ok = true;
    (void)input;
    for (int i = 0; i < COUNT_MANY; i++) {
        snprintf(texts[i], sizeof(texts[i]), "k%d", 99 - i);
        keys[i] = berth__text_of(texts[i]);
        pairs[i] = (berth_key_value){keys[i], keys[i]};
    }
    const berth_map map = {pairs, COUNT_MANY};
    berth__arena_init(&own, allocator);
    berth__labels set = berth__labels_make(&model.strings, &own, map, &ok);
    const bool made = ok;
    if (made) {
        assert_int_equal(set.count, COUNT_MANY);
        for (int i = 0; i < COUNT_MANY; i++)
            assert_int_equal(berth__labels_get(set, sym(texts[i])), sym(texts[i]));
        set = berth__annotations_make(&model.strings, &own, (berth_strs){keys, 2}, map, &ok);
        assert_int_equal(set.count, ok ? 2 : 0);
    }
    berth__arena_destroy(&own);
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

static void test_memory_of_labels(void **state)
{
    (void)state;
    arena_pieces_refuse = scarce_piece;
    scarce_each_request(make_many, NULL);
    arena_pieces_refuse = NULL;
}

/* ---- requirements ---- */

typedef struct requirement_case {
    wanted requirement;
    const char *labels;
    bool meets;
} requirement_case;

static const requirement_case requirement_cases[] = {
    {{"a", "In", {"1", "2"}}, "a=1", true},
    {{"a", "In", {"1", "2"}}, "a=2,b=3", true},
    {{"a", "In", {"1", "2"}}, "a=3", false},
    {{"a", "In", {"1", "2"}}, "b=1", false},
    {{"a", "In", {""}}, "a=", true},
    {{"a", "In", {""}}, "b=", false},
    {{"a", "NotIn", {"1", "2"}}, "a=1", false},
    {{"a", "NotIn", {"1", "2"}}, "a=3", true},
    {{"a", "NotIn", {"1", "2"}}, "b=1", true},
    {{"a", "NotIn", {""}}, "a=", false},
    {{"a", "NotIn", {""}}, "b=", true},
    {{"a", "Exists", {NULL}}, "a=", true},
    {{"a", "Exists", {NULL}}, "a=1", true},
    {{"a", "Exists", {NULL}}, "b=1", false},
    {{"a", "DoesNotExist", {NULL}}, "a=", false},
    {{"a", "DoesNotExist", {NULL}}, "b=1", true},
    {{"a", "DoesNotExist", {NULL}}, "", true},
};

static void test_label_requirements(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(requirement_cases); i++) {
        const requirement_case *c = &requirement_cases[i];
        berth_str values[VALUES_MAX];
        bool ok = true;
        berth_requirement source = requirement(&c->requirement, values);
        const berth_label_selector selector = {.match_expressions = {&source, 1}};
        berth__selector made = berth__selector_make(&model.strings, &arena, &selector, &ok);
        assert_true(ok);
        assert_int_equal(made.kind, BERTH__SELECTOR_REQUIREMENTS);
        if (berth__selector_matches(&model.strings, &made, labels(c->labels)) != c->meets)
            fail_msg("%s %s on \"%s\" is not %d", c->requirement.key, c->requirement.op, c->labels,
                     c->meets);
    }
}

static void test_whole_selectors(void **state)
{
    (void)state;
    bool ok = true;
    const berth_label_selector everything = {0};
    berth__selector nil = berth__selector_make(&model.strings, &arena, NULL, &ok);
    berth__selector all = berth__selector_make(&model.strings, &arena, &everything, &ok);
    assert_int_equal(nil.kind, BERTH__SELECTOR_NOTHING);
    assert_int_equal(all.kind, BERTH__SELECTOR_EVERYTHING);
    assert_false(berth__selector_matches(&model.strings, &nil, labels("a=1")));
    assert_true(berth__selector_matches(&model.strings, &all, labels("a=1")));
    assert_true(berth__selector_matches(&model.strings, &all, labels("")));
    const berth_key_value pairs[] = {{BERTH_STR("a"), BERTH_STR("1")},
                                     {BERTH_STR("b"), BERTH_STR("")}};
    const berth_requirement exists = {BERTH_STR("c"), BERTH_STR("Exists"), {NULL, 0}};
    const berth_label_selector both = {{pairs, 2}, {&exists, 1}};
    berth__selector made = berth__selector_make(&model.strings, &arena, &both, &ok);
    assert_true(berth__selector_matches(&model.strings, &made, labels("a=1,b=,c=9")));
    assert_false(berth__selector_matches(&model.strings, &made, labels("a=1,b=x,c=9")));
    assert_false(berth__selector_matches(&model.strings, &made, labels("a=1,c=9")));
    assert_false(berth__selector_matches(&model.strings, &made, labels("a=1,b=")));
    assert_true(ok);
}

/* The order in which requirements are written makes no other selector. */
static void test_requirements_have_one_order(void **state)
{
    (void)state;
    bool ok = true;
    static const berth_requirement written[] = {{BERTH_STR("c"), BERTH_STR("Exists"), {NULL, 0}},
                                                {BERTH_STR("a"), BERTH_STR("Exists"), {NULL, 0}},
                                                {BERTH_STR("b"), BERTH_STR("DoesNotExist"), {0}}};
    static const uint32_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    berth__selector first = {0};
    for (uint32_t i = 0; i < COUNT(orders); i++) {
        berth_requirement items[3];
        for (uint32_t k = 0; k < 3; k++)
            items[k] = written[orders[i][k]];
        const berth_label_selector source = {.match_expressions = {items, 3}};
        const berth__selector made = berth__selector_make(&model.strings, &arena, &source, &ok);
        assert_true(ok);
        if (i == 0)
            first = made;
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(made.items[k].key, first.items[k].key);
            assert_int_equal(made.items[k].op, first.items[k].op);
        }
    }
}

static void test_selector_and(void **state)
{
    (void)state;
    bool ok = true;
    const berth_label_selector everything = {0};
    const berth_key_value pair = {BERTH_STR("app"), BERTH_STR("web")};
    const berth_label_selector one = {{&pair, 1}, {NULL, 0}};
    berth__selector nil = berth__selector_make(&model.strings, &arena, NULL, &ok);
    berth__selector all = berth__selector_make(&model.strings, &arena, &everything, &ok);
    berth__selector web = berth__selector_make(&model.strings, &arena, &one, &ok);
    nil = berth__selector_and(&arena, &nil, sym("v"), sym("2"), &ok);
    all = berth__selector_and(&arena, &all, sym("v"), sym("2"), &ok);
    berth__selector web2 = berth__selector_and(&arena, &web, sym("v"), sym("2"), &ok);
    assert_true(ok);
    assert_int_equal(nil.kind, BERTH__SELECTOR_NOTHING);
    assert_true(berth__selector_matches(&model.strings, &all, labels("v=2")));
    assert_false(berth__selector_matches(&model.strings, &all, labels("app=web")));
    assert_true(berth__selector_matches(&model.strings, &web2, labels("v=2,app=web")));
    assert_false(berth__selector_matches(&model.strings, &web2, labels("v=3,app=web")));
    assert_true(berth__selector_matches(&model.strings, &web, labels("v=3,app=web")));
}

/* ---- validity ---- */

#define TEXT_63 "a23456789012345678901234567890123456789012345678901234567890123"

static const wanted invalid_requirements[] = {
    {"a", "In", {NULL}},
    {"a", "NotIn", {NULL}},
    {"a", "Exists", {"1"}},
    {"a", "DoesNotExist", {"1"}},
    {"a", "Equals", {"1"}},
    {"a", "in", {"1"}},
    {"a", "", {"1"}},
    {"", "Exists", {NULL}},
    {"-a", "Exists", {NULL}},
    {"a-", "Exists", {NULL}},
    {"a b", "Exists", {NULL}},
    {"a/b/c", "Exists", {NULL}},
    {"/a", "Exists", {NULL}},
    {"a/", "Exists", {NULL}},
    {"A.com/b", "Exists", {NULL}},
    {"a..com/b", "Exists", {NULL}},
    {"-a.com/b", "Exists", {NULL}},
    {"a_b/c", "Exists", {NULL}},
    {TEXT_63 "4", "Exists", {NULL}},
    {"a", "In", {"-x"}},
    {"a", "In", {"x."}},
    {"a", "In", {"ok", "not ok"}},
    {"a", "NotIn", {"x/y"}},
    {"a", "In", {TEXT_63 "4"}},
    {"a", "In", {"\xc3\xa4"}},
    {"a", "In", {"x~"}},
    {"a{b", "Exists", {NULL}},
    {"a{b.com/c", "Exists", {NULL}},
    {TEXT_63 "." TEXT_63 "." TEXT_63 "." TEXT_63 "/a", "Exists", {NULL}},
};

static const wanted valid_requirements[] = {
    {"A_b.c-9", "Exists", {NULL}},
    {"0", "Exists", {NULL}},
    {"example.com/a", "Exists", {NULL}},
    {"a-b.c0/X", "Exists", {NULL}},
    {TEXT_63, "Exists", {NULL}},
    {"a", "In", {""}},
    {TEXT_63 "." TEXT_63 "." TEXT_63 ".a/a", "Exists", {NULL}},
    {"a", "In", {TEXT_63, "A.b_c-d"}},
};

static bool label_selector_valid(const wanted *from)
{
    berth_str values[VALUES_MAX];
    bool ok = true;
    berth_requirement source = requirement(from, values);
    const berth_label_selector selector = {.match_expressions = {&source, 1}};
    berth__selector made = berth__selector_make(&model.strings, &arena, &selector, &ok);
    assert_true(ok);
    if (made.kind == BERTH__SELECTOR_INVALID) {
        assert_true(made.problem.len > 0);
        assert_false(berth__selector_matches(&model.strings, &made, labels("a=1")));
    }
    return made.kind == BERTH__SELECTOR_REQUIREMENTS;
}

static bool node_term_valid(const wanted *from)
{
    berth_str values[VALUES_MAX];
    bool ok = true;
    berth_requirement source = requirement(from, values);
    const berth_node_selector_term term = {.match_expressions = {&source, 1}};
    bool valid = berth__node_term_make(&model.strings, &arena, &term, &ok).valid;
    assert_true(ok);
    return valid;
}

static void test_validity(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(invalid_requirements); i++) {
        const wanted *c = &invalid_requirements[i];
        if (label_selector_valid(c) || node_term_valid(c))
            fail_msg("case %zu is accepted: \"%s\" \"%s\"", i, c->key, c->op);
    }
    for (size_t i = 0; i < COUNT(valid_requirements); i++) {
        const wanted *c = &valid_requirements[i];
        if (!label_selector_valid(c) || !node_term_valid(c))
            fail_msg("case %zu is refused: \"%s\" \"%s\"", i, c->key, c->op);
    }
}

/* A long key is cut in the message about its requirement. */
static void test_long_problem(void **state)
{
    (void)state;
    char key[400];
    bool ok = true;
    memset(key, '-', sizeof(key));
    const berth_requirement wrong = {{key, sizeof(key)}, berth__text_of("Exists"), {NULL, 0}};
    const berth_label_selector selector = {.match_expressions = {&wrong, 1}};
    berth__selector made = berth__selector_make(&model.strings, &arena, &selector, &ok);
    assert_true(ok);
    assert_int_equal(made.kind, BERTH__SELECTOR_INVALID);
    assert_int_equal(made.problem.len, 255);
    assert_int_equal(strncmp(made.problem.data, "invalid label selector requirement on key", 41),
                     0);
    assert_int_equal(made.problem.data[254], '-');
}

static void test_comparisons_are_for_nodes_only(void **state)
{
    (void)state;
    static const wanted greater = {"a", "Gt", {"1"}}, less = {"a", "Lt", {"1"}};
    assert_false(label_selector_valid(&greater));
    assert_false(label_selector_valid(&less));
    assert_true(node_term_valid(&greater));
    assert_true(node_term_valid(&less));
}

static const wanted invalid_comparisons[] = {
    {"a", "Gt", {NULL}},  {"a", "Gt", {"1", "2"}},
    {"a", "Lt", {"-5"}},  {"a", "Gt", {"+5"}},
    {"a", "Gt", {"x"}},   {"a", "Lt", {""}},
    {"a", "Gt", {"1.5"}}, {"a", "Lt", {" 1"}},
    {"a", "Gt", {"0x1"}}, {"a", "Gt", {"9223372036854775808"}},
    {"a", "Gt", {"-"}},
};

static void test_invalid_comparisons(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(invalid_comparisons); i++)
        if (node_term_valid(&invalid_comparisons[i]))
            fail_msg("case %zu is accepted", i);
}

/* ---- node selector terms ---- */

typedef struct term_case {
    wanted expressions[2]; /* key NULL: none */
    wanted fields[2];
    const char *node;
    const char *labels;
    bool meets;
} term_case;

/* 62 of them */
#define ZEROS "00000000000000000000000000000000000000000000000000000000000000"

static const term_case term_cases[] = {
    /* Numbers are strict, both in the label and in the requirement. */
    {{{"n", "Gt", {"5"}}}, {{0}}, "x", "n=6", true},
    {{{"n", "Gt", {"5"}}}, {{0}}, "x", "n=5", false},
    {{{"n", "Gt", {"5"}}}, {{0}}, "x", "n=10", true},
    {{{"n", "Gt", {"5"}}}, {{0}}, "x", "n=six", false},
    {{{"n", "Gt", {"5"}}}, {{0}}, "x", "n=", false},
    {{{"n", "Gt", {"5"}}}, {{0}}, "x", "m=9", false},
    {{{"n", "Gt", {"007"}}}, {{0}}, "x", "n=8", true},
    {{{"n", "Lt", {"007"}}}, {{0}}, "x", "n=6", true},
    {{{"n", "Lt", {"7"}}}, {{0}}, "x", "n=-3", true},
    {{{"n", "Lt", {"7"}}}, {{0}}, "x", "n=+3", true},
    {{{"n", "Lt", {"7"}}}, {{0}}, "x", "n=3.0", false},
    {{{"n", "Lt", {"7"}}}, {{0}}, "x", "n=9223372036854775808", false},
    {{{"n", "Gt", {"7"}}}, {{0}}, "x", "n=9223372036854775807", true},
    {{{"n", "Gt", {"41"}}}, {{0}}, "x", "n=000000000000000000000000000042", true},
    {{{"n", "Lt", {"43"}}}, {{0}}, "x", "n=-000000000000000000000000000042", true},
    {{{"n", "Lt", {"43"}}}, {{0}}, "x", "n=-", false},
    {{{"n", "Lt", {"43"}}}, {{0}}, "x", "n=" ZEROS "1", true},
    {{{"n", "Lt", {"43"}}}, {{0}}, "x", "n=" ZEROS "01", false}, /* no label value is so long */
    /* All parts of a term, and the empty term. */
    {{{0}}, {{0}}, "x", "a=1", false},
    {{{"a", "In", {"1"}}, {"b", "Exists", {NULL}}}, {{0}}, "x", "a=1,b=2", true},
    {{{"a", "In", {"1"}}, {"b", "Exists", {NULL}}}, {{0}}, "x", "a=1", false},
    {{{"a", "In", {"1"}}, {"b", "Exists", {"wrong"}}}, {{0}}, "x", "a=1,b=2", false},
    /* Fields. */
    {{{0}}, {{"metadata.name", "In", {"x"}}}, "x", "", true},
    {{{0}}, {{"metadata.name", "In", {"x"}}}, "y", "", false},
    {{{0}}, {{"metadata.name", "NotIn", {"x"}}}, "x", "", false},
    {{{0}}, {{"metadata.name", "NotIn", {"x"}}}, "y", "", true},
    {{{0}}, {{"metadata.name", "In", {"x", "y"}}}, "x", "", false},
    {{{0}}, {{"metadata.name", "In", {NULL}}}, "x", "", false},
    {{{0}}, {{"metadata.name", "Exists", {NULL}}}, "x", "", false},
    {{{0}}, {{"metadata.name", "Gt", {"1"}}}, "2", "", false},
    {{{0}}, {{"metadata.uid", "In", {"x"}}}, "x", "", false},
    {{{0}}, {{"metadata.uid", "In", {""}}}, "x", "", true},
    {{{0}}, {{"metadata.uid", "NotIn", {"x"}}}, "x", "", true},
    {{{0}}, {{"metadata.name", "In", {"x"}}, {"metadata.name", "NotIn", {"x"}}}, "x", "", false},
    {{{"a", "In", {"1"}}}, {{"metadata.name", "In", {"x"}}}, "x", "a=1", true},
    {{{"a", "In", {"1"}}}, {{"metadata.name", "In", {"x"}}}, "y", "a=1", false},
    {{{"a", "In", {"1"}}}, {{"metadata.name", "In", {"x"}}}, "x", "a=2", false},
};

static uint32_t requirements(const wanted *from, berth_requirement *out,
                             berth_str values[][VALUES_MAX])
{
    uint32_t count = 0;
    for (; count < 2 && from[count].key != NULL; count++)
        out[count] = requirement(&from[count], values[count]);
    return count;
}

static void test_node_terms(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(term_cases); i++) {
        const term_case *c = &term_cases[i];
        berth_requirement expressions[2], fields[2];
        berth_str values[4][VALUES_MAX];
        bool ok = true;
        const berth_node_selector_term source = {
            {expressions, requirements(c->expressions, expressions, values)},
            {fields, requirements(c->fields, fields, values + 2)}};
        berth__node_term term = berth__node_term_make(&model.strings, &arena, &source, &ok);
        assert_true(ok);
        if (berth__node_term_meets(&model.strings, &term, sym(c->node), labels(c->labels)) !=
            c->meets)
            fail_msg("case %zu (node %s, \"%s\") is not %d", i, c->node, c->labels, c->meets);
    }
}

static void test_terms_are_alternatives(void **state)
{
    (void)state;
    bool ok = true;
    const berth_str one = BERTH_STR("1"), two = BERTH_STR("2");
    const berth_requirement first = {BERTH_STR("a"), BERTH_STR("In"), {&one, 1}};
    const berth_requirement second = {BERTH_STR("a"), BERTH_STR("In"), {&two, 1}};
    const berth_requirement broken = {BERTH_STR("a"), BERTH_STR("In"), {NULL, 0}};
    const berth_node_selector_term terms[] = {{{&broken, 1}, {NULL, 0}},
                                              {{&first, 1}, {NULL, 0}},
                                              {{NULL, 0}, {NULL, 0}},
                                              {{&second, 1}, {NULL, 0}}};
    const berth_node_selector all = {terms, 4}, none = {terms, 0}, useless = {terms, 1};
    berth__interned_node_selector made =
        berth__node_selector_make(&model.strings, &arena, &all, &ok);
    assert_true(berth__node_selector_meets(&model.strings, &made, sym("x"), labels("a=1")));
    assert_true(berth__node_selector_meets(&model.strings, &made, sym("x"), labels("a=2")));
    assert_false(berth__node_selector_meets(&model.strings, &made, sym("x"), labels("a=3")));
    made = berth__node_selector_make(&model.strings, &arena, &none, &ok);
    assert_false(berth__node_selector_meets(&model.strings, &made, sym("x"), labels("a=1")));
    made = berth__node_selector_make(&model.strings, &arena, &useless, &ok);
    assert_false(berth__node_selector_meets(&model.strings, &made, sym("x"), labels("a=1")));
    assert_true(ok);
}

/* ---- tolerations ---- */

static const char *const taints[][3] = {
    {"a", "1", "NoSchedule"},
    {"a", "", "NoSchedule"},
    {"a", "1", "NoExecute"},
    {"b", "1", "PreferNoSchedule"},
};

static const struct {
    const char *toleration[4]; /* key, operator, value, effect; NULL: absent */
    bool tolerates[COUNT(taints)];
} toleration_cases[] = {
    {{NULL, NULL, NULL, NULL}, {false, true, false, false}},
    {{"", "", "", ""}, {false, true, false, false}},
    {{NULL, "Exists", NULL, NULL}, {true, true, true, true}},
    {{"a", "Exists", NULL, NULL}, {true, true, true, false}},
    {{"a", "Exists", "9", NULL}, {true, true, true, false}},
    {{"a", "Exists", NULL, "NoSchedule"}, {true, true, false, false}},
    {{"a", NULL, "1", NULL}, {true, false, true, false}},
    {{"a", "Equal", "1", "NoExecute"}, {false, false, true, false}},
    {{"a", NULL, NULL, NULL}, {false, true, false, false}},
    {{NULL, NULL, "1", NULL}, {true, false, true, true}},
    {{NULL, "Equal", "1", NULL}, {true, false, true, true}},
    {{"a", "exists", NULL, NULL}, {false, false, false, false}},
    {{"a", "NotEqual", "2", NULL}, {false, false, false, false}},
    {{"c", "Exists", NULL, NULL}, {false, false, false, false}},
    {{"b", "Exists", NULL, "Other"}, {false, false, false, false}},
};

static void test_tolerations(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(toleration_cases); i++) {
        berth__sym parts[4];
        for (int p = 0; p < 4; p++) {
            const char *text = toleration_cases[i].toleration[p];
            parts[p] = text != NULL ? sym(text) : 0;
        }
        const berth__interned_toleration toleration = {parts[0], parts[1], parts[2], parts[3]};
        for (size_t t = 0; t < COUNT(taints); t++) {
            const berth__interned_taint taint = {sym(taints[t][0]), sym(taints[t][1]),
                                                 sym(taints[t][2])};
            if (berth__tolerates(&model, &toleration, &taint) != toleration_cases[i].tolerates[t])
                fail_msg("toleration %zu and taint %zu: not %d", i, t,
                         toleration_cases[i].tolerates[t]);
        }
    }
}

/* Lt and Gt compare whole numbers in their shortest form, if the cluster has them. */
static void test_comparing_tolerations(void **state)
{
    static const struct {
        const char *op, *bound, *value;
        bool tolerates;
    } cases[] = {
        {"Gt", "0", "1", true},
        {"Gt", "0", "0", false},
        {"Gt", "0", "-1", false},
        {"Lt", "0", "-1", true},
        {"Lt", "0", "0", false},
        {"Lt", "10", "9", true},
        {"Lt", "10", "09", false},
        {"Lt", "10", "-0", false},
        {"Lt", "10", "+9", false},
        {"Lt", "10", "-", false},
        {"Lt", "10", "", false},
        {"Lt", "", "9", false},
        {"Lt", "9223372036854775807", "9223372036854775806", true},
        {"Gt", "1", "9223372036854775808", false},
        {"Gt", "1", "10000000000000000000", false}, /* 20 digits */
        {"Gt", "-9223372036854775808", "-9223372036854775807", true},
        {"Gt", "-9223372036854775809", "1", false},
    };
    (void)state;
    const bool before = model.behaviours.taint_comparisons;
    for (int on = 0; on < 2; on++) {
        model.behaviours.taint_comparisons = on;
        for (size_t i = 0; i < COUNT(cases); i++) {
            const berth__interned_toleration toleration = {sym("a"), sym(cases[i].op),
                                                           sym(cases[i].bound), 0};
            const berth__interned_taint taint = {sym("a"), sym(cases[i].value), sym("NoSchedule")};
            if (berth__tolerates(&model, &toleration, &taint) != (on && cases[i].tolerates))
                fail_msg("%s %s of %s, on: %d", cases[i].op, cases[i].bound, cases[i].value, on);
        }
    }
    model.behaviours.taint_comparisons = before;
}

/* A list of any length accepts what one of its tolerations accepts. */
static void test_many_tolerations(void **state)
{
    static const char *const ops[] = {NULL, "", "Exists", "Equal", "Lt", "Gt", "Other"};
    static const char *const keys[] = {NULL, "", "a", "b", "c", "d", "e"};
    static const char *const values[] = {NULL, "", "1", "2", "7", "-3", "07", "x"};
    static const char *const effects[] = {NULL, "", "NoSchedule", "NoExecute", "PreferNoSchedule"};
    berth__interned_toleration items[80];
    berth__random random = {3};
    berth__arena own;
    (void)state;
    model.behaviours.taint_comparisons = true;
#define ONE_OF(list) (list)[berth__random_below(&random, COUNT(list))]
#define SYM_OF(text) ((text) != NULL ? sym(text) : 0)
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t count = berth__random_below(&random, COUNT(items) + 1);
        uint32_t kinds = 2 + berth__random_below(&random, 6);
        berth__tolerations list;
        for (uint32_t i = 0; i < count; i++) {
            const char *key = keys[1 + berth__random_below(&random, kinds - 1)];
            const char *op = ONE_OF(ops), *value = ONE_OF(values), *effect = ONE_OF(effects);
            if (round % 2 == 0 && (key == NULL || key[0] == '\0'))
                key = "z"; /* otherwise hardly any list would refuse the taint */
            items[i] = (berth__interned_toleration){SYM_OF(key), SYM_OF(op), SYM_OF(value),
                                                    SYM_OF(effect)};
        }
        berth__arena_init(&own, berth__allocator_default());
        assert_true(berth__tolerations_make(&model, &own, items, count, &list));
        for (uint32_t t = 0; t < 20; t++) {
            const char *key = ONE_OF(keys), *value = ONE_OF(values), *effect = ONE_OF(effects);
            const berth__interned_taint taint = {SYM_OF(key), SYM_OF(value), SYM_OF(effect)};
            bool expected = false;
            for (uint32_t i = 0; i < count; i++)
                expected |= berth__tolerates(&model, &items[i], &taint);
            assert_int_equal(berth__tolerations_accept(&model, &list, &taint), expected);
        }
        berth__arena_destroy(&own);
    }
    model.behaviours.taint_comparisons = false;
}

static void test_taint_lists_are_interned(void **state)
{
    (void)state;
    const berth_taint list[] = {{BERTH_STR("a"), BERTH_STR("1"), BERTH_STR("NoSchedule"), NULL},
                                {BERTH_STR("b"), {0}, BERTH_STR("NoExecute"), NULL}};
    const berth_taint turned[] = {list[1], list[0]};
    const berth__taint_list *none = berth__taints_intern(&model, NULL, 0);
    const berth__taint_list *both = berth__taints_intern(&model, list, 2);
    assert_int_equal(none->id, 0);
    assert_int_equal(none->count, 0);
    assert_ptr_equal(both, berth__taints_intern(&model, list, 2));
    assert_ptr_not_equal(both, berth__taints_intern(&model, turned, 2));
    assert_ptr_not_equal(both, berth__taints_intern(&model, list, 1));
    assert_ptr_equal(berth__taints_at(&model, both->id), both);
    assert_int_equal(both->items[1].key, sym("b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_sets),
        cmocka_unit_test(test_absent_values),
        cmocka_unit_test(test_annotations),
        cmocka_unit_test(test_memory_of_labels),
        cmocka_unit_test(test_label_requirements),
        cmocka_unit_test(test_whole_selectors),
        cmocka_unit_test(test_requirements_have_one_order),
        cmocka_unit_test(test_selector_and),
        cmocka_unit_test(test_validity),
        cmocka_unit_test(test_long_problem),
        cmocka_unit_test(test_comparisons_are_for_nodes_only),
        cmocka_unit_test(test_invalid_comparisons),
        cmocka_unit_test(test_node_terms),
        cmocka_unit_test(test_terms_are_alternatives),
        cmocka_unit_test(test_tolerations),
        cmocka_unit_test(test_comparing_tolerations),
        cmocka_unit_test(test_many_tolerations),
        cmocka_unit_test(test_taint_lists_are_interned),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
