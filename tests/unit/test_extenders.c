/* Extenders that the test plays itself: which nodes and pods they are asked about, in which order,
 * and what their answers and failures do to decisions, preemption and the queue. */
#include "arena_pieces.h"
#include "base/text.h"
#include "counted_memory.h"
#include "scheduler_cluster.h"

/* ---- an extender that answers as told ---- */

enum { NODES_MAX = 160, ASKED_BYTES = 4096 };

typedef struct told {
    berth_engine *engine;
    berth_status status; /* the status of all answers */
    bool silent;         /* failures have no message */
    /* each applies to nodes whose name begins with one of these letters */
    const char *refuses, *refuses_for_good, *leaves_out, *likes, *does_not_score;
    berth_extender table;
    /* how often the extender was asked each question */
    uint32_t filters, prioritizations, preemptions;
    char asked[ASKED_BYTES]; /* names in the last question */
    /* victims to answer with */
    berth_extender_victims victims[NODES_MAX];
    uint32_t victim_count;
    bool keeps_candidates; /* answer with the candidates of the question */
} told;

static bool begins_with(const char *letters, berth_str name)
{
    return letters != NULL && name.len > 0 && strchr(letters, name.data[0]) != NULL;
}

static void note_name(told *t, berth_str name)
{
    const size_t at = strlen(t->asked);
    if (at + name.len + 2 < sizeof(t->asked))
        snprintf(t->asked + at, sizeof(t->asked) - at, "%s%.*s", at > 0 ? " " : "", (int)name.len,
                 name.data);
}

static berth_str begin_node(told *t, berth_node_id node)
{
    const berth_str name = berth_engine_node_name(t->engine, node);
    note_name(t, name);
    return name;
}

static berth_status answer(const told *t, berth_error *error)
{
    if (t->status != BERTH_OK && !t->silent)
        snprintf(error->message, sizeof(error->message), "it is out of order");
    return t->status;
}

static berth_status filter(void *context, berth_pod_id pod, const berth_node_id *nodes,
                           uint32_t count, berth_extender_verdict *verdicts, berth_str *reasons,
                           berth_error *error)
{
    told *t = context;
    (void)pod;
    t->filters++;
    t->asked[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const berth_str name = begin_node(t, nodes[i]);
        assert_int_equal(verdicts[i], BERTH_EXTENDER_KEEPS);
        if (begins_with(t->refuses, name))
            verdicts[i] = BERTH_EXTENDER_REFUSES;
        if (begins_with(t->refuses_for_good, name))
            verdicts[i] = BERTH_EXTENDER_REFUSES_FOR_GOOD;
        if (begins_with(t->leaves_out, name))
            verdicts[i] = BERTH_EXTENDER_LEAVES_OUT;
        reasons[i] = BERTH_STR("too hot");
    }
    return answer(t, error);
}

static berth_status prioritize(void *context, berth_pod_id pod, const berth_node_id *nodes,
                               uint32_t count, int64_t *scores, berth_error *error)
{
    told *t = context;
    (void)pod;
    t->prioritizations++;
    t->asked[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const berth_str name = begin_node(t, nodes[i]);
        assert_true(scores[i] == BERTH_EXTENDER_NO_SCORE);
        if (!begins_with(t->does_not_score, name))
            scores[i] = begins_with(t->likes, name) ? 7 : 0;
    }
    return answer(t, error);
}

static berth_status preempt(void *context, berth_pod_id pod,
                            const berth_extender_victims *candidates, uint32_t count,
                            const berth_extender_victims **kept, uint32_t *kept_count,
                            berth_error *error)
{
    told *t = context;
    (void)pod;
    t->preemptions++;
    t->asked[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        (void)begin_node(t, candidates[i].node);
        for (uint32_t k = 0; k < candidates[i].pod_count; k++) {
            berth_str space, name;
            berth_engine_pod_name(t->engine, candidates[i].pods[k], &space, &name);
            note_name(t, name);
        }
    }
    *kept = t->keeps_candidates ? candidates : t->victims;
    *kept_count = t->keeps_candidates ? count : t->victim_count;
    return answer(t, error);
}

static berth_extender table_of(told *t)
{
    return (berth_extender){
        .size = sizeof(berth_extender), .name = TEXT("http://told"), .context = t, .weight = 2};
}

/* ---- clusters ---- */

static void open_as(small_cluster *c, berth_engine_config config, told *first, told *second)
{
    const berth_extender *tables[] = {&first->table, second != NULL ? &second->table : NULL};
    config.extenders = tables;
    config.extender_count = second != NULL ? 2 : 1;
    small_open_as(c, config);
    first->engine = c->engine;
    if (second != NULL)
        second->engine = c->engine;
}

static void open_one(small_cluster *c, told *t)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    open_as(c, config, t, NULL);
}

/* One extender that only filters. */
static void open_with_filter(small_cluster *c, told *t)
{
    t->table = table_of(t);
    t->table.filter = filter;
    open_one(c, t);
}

/* One extender that only scores. */
static void open_with_prioritize(small_cluster *c, told *t)
{
    t->table = table_of(t);
    t->table.prioritize = prioritize;
    open_one(c, t);
}

/* Add nodes without labels; `names` are separated by blanks. */
static void nodes(small_cluster *c, const char *names)
{
    char text[64], *rest = text;
    snprintf(text, sizeof(text), "%s", names);
    for (char *name; (name = strsep(&rest, " ")) != NULL;)
        small_node(c, name, "");
}

static const char small_spec[] =
    "priority: 10, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]";

static const char *message(const small_cluster *c)
{
    static char text[2048];
    const berth_str from = berth_explanation_message(c->explanation);
    snprintf(text, sizeof(text), "%.*s", (int)from.len, from.data != NULL ? from.data : "");
    return text;
}

static const char *place(small_cluster *c, berth_pod_id pod)
{
    static char text[256];
    small_decide(c, pod);
    const berth_str name = c->placement.verdict == BERTH_VERDICT_PLACED
                               ? berth_engine_node_name(c->engine, c->placement.node)
                               : BERTH_STR("none");
    snprintf(text, sizeof(text), "%.*s", (int)name.len, name.data);
    return text;
}

static berth_node_id placed_quietly(small_cluster *c, berth_pod_id pod)
{
    const berth_decide_options options = {.size = sizeof(options)};
    berth_placement placement;
    berth_error error;
    small_require(berth_engine_decide(c->engine, pod, &options, &placement, &error), &error);
    return placement.node;
}

/* ---- filter ---- */

static void test_filter_takes_nodes_away(void **state)
{
    told t = {.refuses = "b", .refuses_for_good = "c", .leaves_out = "d"};
    small_cluster c;
    (void)state;
    open_with_filter(&c, &t);
    small_node(&c, "a", "");
    const berth_node_id b = small_node(&c, "b", ""), d = small_node(&c, "c", "");
    small_node(&c, "d", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    assert_string_equal(place(&c, pod), "a");
    assert_int_equal(c.placement.feasible_count, 1);
    assert_string_equal(t.asked, "a b c d");
    assert_string_equal(small_refusal(&c, b), "http://told: too hot");
    assert_string_equal(small_refusal(&c, d), "http://told: too hot");
    assert_int_equal(berth_explanation_refusal_count(c.explanation), 2);
    assert_int_equal(berth_explanation_reason(c.explanation, 0, 0).len, 7);
    assert_null(berth_explanation_reason(c.explanation, 0, 1).data);
    assert_null(berth_explanation_reason(c.explanation, 2, 0).data);
    assert_int_equal(placed_quietly(&c, pod), berth_engine_find_node(c.engine, BERTH_STR("a")));
    assert_int_equal(t.filters, 2);
    small_close(&c);
}

static void test_message_counts_refusals(void **state)
{
    told t = {.refuses = "ab", .leaves_out = "c"};
    small_cluster c;
    (void)state;
    open_with_filter(&c, &t);
    nodes(&c, "a b c");
    small_node(&c, "d", "}\nspec: {unschedulable: true");
    const berth_pod_id pod =
        small_pod(&c, "p", NULL, "", "preemptionPolicy: Never, containers: [{name: c, image: i}]");
    assert_string_equal(place(&c, pod), "none");
    assert_string_equal(message(&c),
                        "0/4 nodes are available: 1 node(s) were unschedulable, 2 too hot. "
                        "preemption: not eligible due to preemptionPolicy=Never.");
    small_close(&c);
}

static void test_failure_ends_the_attempt(void **state)
{
    told t = {.status = BERTH_E_IO};
    small_cluster c;
    (void)state;
    open_with_filter(&c, &t);
    small_node(&c, "a", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    assert_string_equal(place(&c, pod), "none");
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    assert_string_equal(message(&c), "it is out of order");
    t.silent = true;
    (void)place(&c, pod);
    assert_string_equal(message(&c), "the extender failed");
    t.status = BERTH_E_NOMEM;
    assert_int_equal(berth_engine_decide(c.engine, pod, NULL, &c.placement, NULL), BERTH_E_NOMEM);
    small_close(&c);
}

static void test_ignorable_come_last_and_may_fail(void **state)
{
    told first = {.status = BERTH_E_IO}, second = {.refuses = "a"};
    berth_engine_config config;
    small_cluster c;
    (void)state;
    first.table = table_of(&first);
    first.table.flags = BERTH_EXTENDER_IGNORABLE;
    second.table = table_of(&second);
    first.table.filter = second.table.filter = filter;
    berth_engine_config_init(&config);
    open_as(&c, config, &first, &second);
    nodes(&c, "a b");
    assert_string_equal(place(&c, small_pod(&c, "p", NULL, "", small_spec)), "b");
    assert_string_equal(second.asked, "a b");
    assert_string_equal(first.asked, "b");
    small_close(&c);
}

static void test_only_pods_that_it_concerns(void **state)
{
    static const berth_str names[] = {TEXT("x.com/gpu")};
    told t = {.refuses = "a"};
    small_cluster c;
    (void)state;
    t.table = table_of(&t);
    t.table.managed_resources = (berth_strs){names, 1};
    t.table.filter = filter;
    open_one(&c, &t);
    small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
                  "status: {allocatable: {cpu: 4, pods: 10, x.com/gpu: 2}}\n");
    const berth_pod_id plain = small_pod(&c, "p", NULL, "", small_spec);
    const berth_pod_id gpu =
        small_pod(&c, "q", NULL, "",
                  "containers: [{name: c, image: i, resources: {requests: {x.com/gpu: 1}}}]");
    assert_string_equal(place(&c, plain), "a");
    assert_int_equal(t.filters, 0);
    assert_string_equal(place(&c, gpu), "none");
    assert_int_equal(t.filters, 1);
    /* Pods that the extender does not concern are decided by index. */
    for (int i = 0; i < 6; i++)
        (void)placed_quietly(&c, plain);
    berth_statistics statistics = {.size = sizeof(statistics)};
    assert_int_equal(berth_engine_statistics(c.engine, &statistics, NULL), BERTH_OK);
    assert_true(statistics.indexed > 0);
    (void)placed_quietly(&c, gpu);
    assert_int_equal(berth_engine_statistics(c.engine, &statistics, NULL), BERTH_OK);
    assert_int_equal(statistics.scans[BERTH_SCAN_EXTENDERS], 2);
    small_close(&c);
}

/* Without scorers one node is enough, unless an extender filters or prioritizes. */
static void open_without_scorers(small_cluster *c, told *t)
{
    static const berth_plugin_ref fit[] = {{.name = TEXT("NodeResourcesFit")}};
    static const berth_plugin_list points[BERTH_POINT_COUNT] = {[BERTH_POINT_FILTER] = {fit, 1}};
    const berth_profile profile = {.points = points, .point_count = BERTH_POINT_COUNT};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.profiles = &profile;
    config.profile_count = 1;
    open_as(c, config, t, NULL);
    nodes(c, "a b");
}

static void test_search_goes_on_without_scorers(void **state)
{
    told t = {.refuses = "a"};
    small_cluster c;
    (void)state;
    t.table = table_of(&t);
    t.table.filter = filter;
    open_without_scorers(&c, &t);
    assert_string_equal(place(&c, small_pod(&c, "p", NULL, "", small_spec)), "b");
    assert_string_equal(t.asked, "a b");
    assert_int_equal(c.placement.next, 0);
    small_close(&c);
}

static void test_search_ends_without_scorers(void **state)
{
    told t = {.refuses = ""};
    small_cluster c;
    (void)state;
    t.table = table_of(&t);
    t.table.preempt = preempt;
    open_without_scorers(&c, &t);
    assert_string_equal(place(&c, small_pod(&c, "p", NULL, "", small_spec)), "a");
    assert_int_equal(c.placement.next, 1);
    small_close(&c);
}

/* ---- the nominated node ---- */

static void test_nominated_node_is_tried_first(void **state)
{
    told t = {.refuses = ""};
    small_cluster c;
    (void)state;
    open_with_filter(&c, &t);
    nodes(&c, "a b");
    const berth_node_id third = small_node(&c, "c", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    assert_int_equal(berth_engine_nominate(c.engine, pod, third, NULL), BERTH_OK);
    assert_string_equal(place(&c, pod), "c");
    assert_string_equal(t.asked, "c");
    assert_int_equal(c.placement.next, 0);
    t.refuses = "c";
    t.filters = 0;
    const char *chosen = place(&c, pod);
    assert_true(chosen[0] == 'a' || chosen[0] == 'b');
    assert_int_equal(t.filters, 2);
    assert_string_equal(t.asked, "a b c");
    assert_int_equal(c.placement.next, 1); /* three nodes, and the refused one once more */
    t.refuses = "";
    t.leaves_out = "c";
    (void)place(&c, pod);
    assert_int_equal(c.placement.next, c.placement.start); /* it left no status */
    t.leaves_out = NULL;
    t.status = BERTH_E_IO;
    t.filters = 0;
    assert_string_equal(place(&c, pod), "none");
    assert_int_equal(t.filters, 2); /* the first failure does not matter */
    small_close(&c);
}

/* Add a pod of low priority that leaves room for others. */
static void add_low(small_cluster *c, const char *name, const char *node)
{
    small_pod(c, name, node, "", "priority: 1, containers: [{name: c, image: i}]");
}

/* Add 110 nodes, of which a search that begins with the first takes 100: node "b5", others whose
 * names begin with a, and at the end "z". Returns a pod that is nominated for that one. */
static berth_pod_id add_far(small_cluster *c)
{
    berth_node_id last = BERTH_NODE_NONE;
    for (int i = 0; i < 110; i++) {
        char name[16];
        snprintf(name, sizeof(name), i == 109 ? "z" : i == 5 ? "b5" : "a%d", i);
        last = small_node(c, name, "");
    }
    add_low(c, "low1", "b5");
    add_low(c, "low2", "z");
    const berth_pod_id pod = small_pod(c, "p", NULL, "", small_spec);
    assert_int_equal(berth_engine_nominate(c->engine, pod, last, NULL), BERTH_OK);
    return pod;
}

static void restart(const small_cluster *c)
{
    assert_int_equal(berth_engine_set_rotation(c->engine, 0, NULL), BERTH_OK);
}

/* The refusal of the node that was tried alone stays if the search does not get to that node. */
static void test_nominated_node_is_not_visited_again(void **state)
{
    static const char needless[] = "expected at least one victim pod on node";
    told t = {.refuses = "z"};
    small_cluster c;
    (void)state;
    open_with_filter(&c, &t);
    const berth_pod_id pod = add_far(&c);
    const berth_node_id far = berth_engine_find_node(c.engine, BERTH_STR("z"));
    restart(&c);
    assert_string_not_equal(place(&c, pod), "z");
    assert_int_equal(c.placement.feasible_count, 100);
    assert_string_equal(small_refusal(&c, far), "http://told: too hot");
    restart(&c);
    assert_int_not_equal(placed_quietly(&c, pod), BERTH_NODE_NONE);
    /* Preemption tries that node, and those that are refused later. */
    t.refuses_for_good = "a";
    t.refuses = "z";
    restart(&c);
    t.leaves_out = "b";
    assert_string_equal(place(&c, pod), "none");
    assert_non_null(strstr(message(&c), "100 too hot"));
    assert_non_null(strstr(message(&c), "preemption: expected at least one victim pod on node "
                                        "\"z\""));
    t.leaves_out = NULL;
    t.refuses = "bz";
    restart(&c);
    assert_string_equal(place(&c, pod), "none");
    assert_non_null(strstr(message(&c), "101 too hot"));
    const char *said = strstr(message(&c), needless);
    assert_non_null(said);
    assert_int_equal(said[-1], '['); /* there is more than one */
    assert_non_null(strstr(said + 1, needless));
    /* If it was refused for good, it is not tried. */
    t.refuses = "b";
    t.refuses_for_good = "az";
    restart(&c);
    assert_string_equal(place(&c, pod), "none");
    assert_non_null(strstr(message(&c), "101 too hot"));
    assert_non_null(strstr(message(&c), "preemption: expected at least one victim pod on node "
                                        "\"b5\""));
    small_close(&c);
}

/* ---- prioritize ---- */

static void test_scores_are_added(void **state)
{
    told t = {.likes = "b"};
    small_cluster c;
    int64_t total = 0, other = 0;
    (void)state;
    open_with_prioritize(&c, &t);
    small_node(&c, "a", "");
    const berth_node_id b = small_node(&c, "b", "");
    small_node(&c, "c", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    assert_string_equal(place(&c, pod), "b");
    assert_int_equal(c.placement.best_count, 1);
    assert_int_equal(small_score(&c, "http://told", b), 7 * 2 * 10);
    (void)berth_explanation_feasible(c.explanation, 1, &total);
    (void)berth_explanation_feasible(c.explanation, 0, &other);
    assert_int_equal(total - other, 140);
    assert_int_equal(c.placement.total, total);
    assert_int_equal(placed_quietly(&c, pod), b);
    t.status = BERTH_E_NOMEM;
    assert_int_equal(berth_engine_decide(c.engine, pod, NULL, &c.placement, NULL), BERTH_E_NOMEM);
    t.status = BERTH_E_IO; /* its answer is ignored */
    (void)place(&c, pod);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(c.placement.best_count, 3);
    assert_int_equal(small_score(&c, "http://told", b), -1);
    small_close(&c);
}

static void test_single_node_is_not_scored(void **state)
{
    told t = {.likes = "a"};
    small_cluster c;
    (void)state;
    open_with_prioritize(&c, &t);
    small_node(&c, "a", "");
    assert_string_equal(place(&c, small_pod(&c, "p", NULL, "", small_spec)), "a");
    assert_int_equal(t.prioritizations, 0);
    small_close(&c);
}

/* Once extenders have ranked the nodes, the choice among equals is random in every version. */
static void test_ties_are_drawn(void **state)
{
    told t = {.likes = "bc"};
    small_cluster c;
    uint32_t chosen[2] = {0, 0};
    (void)state;
    open_with_prioritize(&c, &t);
    nodes(&c, "a b c");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    for (int i = 0; i < 64; i++) {
        const char *name = place(&c, pod);
        assert_true(name[0] == 'b' || name[0] == 'c');
        chosen[name[0] == 'c']++;
    }
    assert_true(chosen[0] > 8 && chosen[1] > 8);
    small_close(&c);
}

/* Among equals, a node that an extender has scored comes before one that it has not named. */
static void test_scored_nodes_come_first(void **state)
{
    told t = {.does_not_score = "ab"};
    small_cluster c;
    (void)state;
    open_with_prioritize(&c, &t);
    nodes(&c, "a b c");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    for (int i = 0; i < 16; i++) {
        assert_string_equal(place(&c, pod), "c");
        assert_int_equal(c.placement.best_count, 3);
    }
    t.does_not_score = "abc"; /* then the result is the same as without the extender */
    const char first = place(&c, pod)[0];
    for (int i = 0; i < 16; i++)
        assert_int_equal(place(&c, pod)[0], first);
    small_close(&c);
}

/* Scores may be anything: sums wrap, as in Go. */
static void test_scores_wrap(void **state)
{
    told t = {.likes = "b"};
    small_cluster c;
    (void)state;
    t.table = table_of(&t);
    t.table.prioritize = prioritize;
    t.table.weight = INT64_MAX / 7;
    open_one(&c, &t);
    nodes(&c, "a b");
    (void)place(&c, small_pod(&c, "p", NULL, "", small_spec));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    small_close(&c);
}

/* More nodes than a tile has, a search that begins in the middle and stops at the limit. */
static void test_many_nodes(void **state)
{
    told t = {.likes = "n", .refuses = "m"};
    small_cluster c;
    (void)state;
    t.table = table_of(&t);
    t.table.filter = filter;
    t.table.prioritize = prioritize;
    open_one(&c, &t);
    for (int i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%c%d", "mno"[i % 3], i);
        small_node(&c, name, "");
    }
    assert_int_equal(berth_engine_set_rotation(c.engine, 77, NULL), BERTH_OK);
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(place(&c, pod)[0], 'n');
        const uint32_t kept = 300 * 48 / 100; /* a third of them is refused */
        assert_int_equal(c.placement.feasible_count, kept * 2 / 3);
        assert_int_equal(c.placement.next, (c.placement.start + kept) % 300);
        assert_int_equal(berth_explanation_feasible_count(c.explanation), kept * 2 / 3);
        assert_int_equal(c.placement.best_count, kept / 3);
    }
    small_close(&c);
}

/* ---- preempt ---- */

/* Two full nodes: on "a" one victim of priority 1, on "b" two of priorities 2 and 3. */
static void fill(small_cluster *c)
{
    static const char running[] =
        "priority: %d, containers: [{name: c, image: i, resources: {requests: {cpu: %d}}}]";
    char spec[256];
    small_node(c, "a", "");
    small_node(c, "b", "");
    snprintf(spec, sizeof(spec), running, 1, 4);
    small_pod(c, "a1", "a", "", spec);
    snprintf(spec, sizeof(spec), running, 2, 2);
    small_pod(c, "b2", "b", "", spec);
    snprintf(spec, sizeof(spec), running, 3, 2);
    small_pod(c, "b3", "b", "", spec);
}

static const char *nominated(const small_cluster *c)
{
    static char text[256];
    const berth_node_id node = berth_explanation_nominated(c->explanation);
    berth_str name = node != BERTH_NODE_NONE ? berth_engine_node_name(c->engine, node)
                                             : BERTH_STR("none"),
              space;
    size_t at = (size_t)snprintf(text, sizeof(text), "%.*s", (int)name.len, name.data);
    for (uint32_t i = 0; i < berth_explanation_victim_count(c->explanation); i++) {
        berth_engine_pod_name(c->engine, berth_explanation_victim(c->explanation, i), &space,
                              &name);
        at += (size_t)snprintf(text + at, sizeof(text) - at, " %.*s", (int)name.len, name.data);
    }
    return text;
}

static void open_full(small_cluster *c, told *t)
{
    t->table = table_of(t);
    t->table.preempt = preempt;
    open_one(c, t);
    fill(c);
}

static void test_candidates_are_asked_about(void **state)
{
    told t = {.keeps_candidates = true};
    small_cluster c;
    (void)state;
    open_full(&c, &t);
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    assert_string_equal(place(&c, pod), "none");
    assert_string_equal(t.asked, "a a1 b b2");
    assert_string_equal(nominated(&c), "a a1");
    assert_non_null(strstr(message(&c), "found a potential placement for pod on node a"));
    small_close(&c);
}

static void test_extender_chooses_victims(void **state)
{
    told t = {.victim_count = 1};
    small_cluster c;
    (void)state;
    open_full(&c, &t);
    const berth_pod_id victims[] = {
        berth_engine_find_pod(c.engine, BERTH_STR("default"), BERTH_STR("b3")),
        berth_engine_find_pod(c.engine, BERTH_STR("default"), BERTH_STR("b2"))};
    const berth_node_id b = berth_engine_find_node(c.engine, BERTH_STR("b"));
    t.victims[0] = (berth_extender_victims){.node = b, .pods = victims, .pod_count = 2};
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    assert_string_equal(place(&c, pod), "none");
    assert_string_equal(nominated(&c), "b b3 b2");
    /* The best of the candidates that the extender left: fewer violations first. */
    const berth_pod_id a1 = berth_engine_find_pod(c.engine, BERTH_STR("default"), BERTH_STR("a1"));
    const berth_node_id a = berth_engine_find_node(c.engine, BERTH_STR("a"));
    t.victims[1] =
        (berth_extender_victims){.node = a, .pods = &a1, .pod_count = 1, .budget_violations = 1};
    t.victim_count = 2;
    (void)place(&c, pod);
    assert_string_equal(nominated(&c), "b b3 b2");
    t.victims[0].budget_violations = 2;
    (void)place(&c, pod);
    assert_string_equal(nominated(&c), "a a1");
    t.victims[0].budget_violations = INT64_C(1) << 32; /* no less than 1 */
    (void)place(&c, pod);
    assert_string_equal(nominated(&c), "a a1");
    t.victims[0].budget_violations = -1; /* less than 1 */
    (void)place(&c, pod);
    assert_string_equal(nominated(&c), "b b3 b2");
    small_close(&c);
}

static void test_no_candidate_is_left(void **state)
{
    told t = {.victim_count = 0};
    small_cluster c;
    (void)state;
    open_full(&c, &t);
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    assert_string_equal(place(&c, pod), "none");
    assert_string_equal(nominated(&c), "none");
    assert_string_equal(message(&c), "0/2 nodes are available: 2 Insufficient cpu. preemption: no "
                                     "candidate node for preemption");
    small_close(&c);
}

static void test_bad_victims(void **state)
{
    told t = {.victim_count = 1};
    small_cluster c;
    (void)state;
    open_full(&c, &t);
    const berth_node_id b = berth_engine_find_node(c.engine, BERTH_STR("b"));
    const berth_pod_id a1 = berth_engine_find_pod(c.engine, BERTH_STR("default"), BERTH_STR("a1"));
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    t.victims[0] = (berth_extender_victims){.node = b};
    (void)place(&c, pod);
    assert_non_null(
        strstr(message(&c), "preemption: expected at least one victim pod on node \"b\""));
    t.victims[0] = (berth_extender_victims){.node = b, .pods = &a1, .pod_count = 1};
    (void)place(&c, pod);
    assert_non_null(strstr(message(&c), "the extender names a victim that is not on node \"b\""));
    t.victims[0] = (berth_extender_victims){.node = 77, .pods = &a1, .pod_count = 1};
    (void)place(&c, pod);
    assert_non_null(strstr(message(&c), "the extender names a victim that is not on node"));
    const berth_pod_id nobody = BERTH_POD_NONE;
    t.victims[0] = (berth_extender_victims){.node = b, .pods = &nobody, .pod_count = 1};
    (void)place(&c, pod);
    assert_non_null(strstr(message(&c), "the extender names a victim that is not on node \"b\""));
    t.status = BERTH_E_IO;
    (void)place(&c, pod);
    assert_non_null(strstr(message(&c), "preemption: it is out of order"));
    assert_string_equal(nominated(&c), "none");
    small_close(&c);
}

static void test_ignorable_in_preemption(void **state)
{
    told t = {.victim_count = 1};
    small_cluster c;
    (void)state;
    t.table = table_of(&t);
    t.table.preempt = preempt;
    t.table.flags = BERTH_EXTENDER_IGNORABLE;
    open_one(&c, &t);
    fill(&c);
    const berth_node_id b = berth_engine_find_node(c.engine, BERTH_STR("b"));
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    t.victims[0] = (berth_extender_victims){.node = b}; /* dropped: none is left */
    (void)place(&c, pod);
    assert_non_null(strstr(message(&c), "no candidate node for preemption"));
    t.status = BERTH_E_IO;
    (void)place(&c, pod);
    assert_string_equal(nominated(&c), "a a1");
    small_close(&c);
}

/* After a failure of one extender, the next is not asked. */
static void test_failure_ends_preemption(void **state)
{
    told first = {.status = BERTH_E_IO}, second = {.keeps_candidates = true};
    berth_engine_config config;
    small_cluster c;
    (void)state;
    first.table = table_of(&first);
    second.table = table_of(&second);
    first.table.preempt = second.table.preempt = preempt;
    berth_engine_config_init(&config);
    open_as(&c, config, &first, &second);
    fill(&c);
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    (void)place(&c, pod);
    assert_non_null(strstr(message(&c), "preemption: it is out of order"));
    assert_int_equal(second.preemptions, 0);
    first.status = BERTH_OK;
    first.keeps_candidates = true;
    (void)place(&c, pod);
    assert_int_equal(second.preemptions, 1);
    assert_string_equal(nominated(&c), "a a1");
    small_close(&c);
}

/* A pod that is named twice is evicted once, and a node that is named twice counts once. */
static void test_victims_named_twice(void **state)
{
    told t = {.victim_count = 2};
    small_cluster c;
    berth_scheduler *scheduler;
    berth_step step;
    berth_error error;
    (void)state;
    open_full(&c, &t);
    const berth_pod_id b2 = berth_engine_find_pod(c.engine, BERTH_STR("default"), BERTH_STR("b2"));
    const berth_pod_id twice[] = {b2, b2};
    const berth_node_id b = berth_engine_find_node(c.engine, BERTH_STR("b"));
    t.victims[0] = (berth_extender_victims){.node = b, .pods = twice, .pod_count = 2};
    t.victims[1] = (berth_extender_victims){.node = b, .pods = twice, .pod_count = 1};
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    (void)place(&c, pod);
    assert_string_equal(nominated(&c), "b b2");
    small_require(berth_scheduler_create(c.engine, NULL, &scheduler, &error), &error);
    small_require(berth_scheduler_step(scheduler, 1, &step, &error), &error);
    assert_int_equal(step.victim_count, 1);
    berth_scheduler_destroy(scheduler);
    small_close(&c);
}

/* A search that found enough nodes leaves the others unvisited; preemption does not try those. */
static void test_unvisited_nodes_are_not_potential(void **state)
{
    told t = {.refuses_for_good = "n"};
    small_cluster c;
    (void)state;
    open_with_filter(&c, &t);
    for (int i = 0; i < 300; i++) {
        char name[16], spec[128];
        snprintf(name, sizeof(name), "%c%d", i < 150 ? 'n' : 'f', i);
        small_node(&c, name, "");
        if (i < 150)
            continue;
        snprintf(spec, sizeof(spec),
                 "priority: 1, containers: [{name: c, image: i, resources: {requests: {cpu: 4}}}]");
        char running[24];
        snprintf(running, sizeof(running), "r%d", i);
        small_pod(&c, running, name, "", spec);
    }
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    assert_string_equal(place(&c, pod), "none");
    assert_string_equal(nominated(&c), "none");
    assert_non_null(strstr(message(&c), "300 Preemption is not helpful for scheduling"));
    t.refuses_for_good = "m"; /* this refuses none of the nodes */
    t.refuses = NULL;
    assert_int_equal(berth_engine_set_rotation(c.engine, 0, NULL), BERTH_OK);
    assert_int_equal(place(&c, pod)[0], 'n');
    small_close(&c);
}

/* A node that only an extender refuses is a potential one, but evictions do not help there. */
static void test_refused_nodes_need_no_victims(void **state)
{
    told t = {.refuses = "a"};
    small_cluster c;
    (void)state;
    open_with_filter(&c, &t);
    small_node(&c, "a", "");
    small_pod(&c, "low", "a", "", "priority: 1, containers: [{name: c, image: i}]");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    (void)place(&c, pod);
    assert_string_equal(message(&c), "0/1 nodes are available: 1 too hot. preemption: expected at "
                                     "least one victim pod on node \"a\"");
    t.refuses = NULL;
    t.refuses_for_good = "a";
    (void)place(&c, pod);
    assert_string_equal(message(&c),
                        "0/1 nodes are available: 1 too hot. preemption: 0/1 nodes are available: "
                        "1 Preemption is not helpful for scheduling.");
    small_close(&c);
}

/* ---- the queue ---- */

static void open_loop(loop *l, told *t)
{
    berth_engine_config config;
    const berth_extender *tables[] = {&t->table};
    berth_engine_config_init(&config);
    config.extenders = tables;
    config.extender_count = 1;
    loop_open_config(l, config, 0);
    t->engine = l->c.engine;
}

/* An extender that filters, and one node. */
static void open_filtered(loop *l, told *t)
{
    t->table = table_of(t);
    t->table.filter = filter;
    open_loop(l, t);
    loop_node(l, "a", "4");
}

#define PORTED(name, cpu, spec)                                                             \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\nspec: {containers: [{name: c, " \
    "image: i, ports: [{hostPort: 80}], resources: {requests: {cpu: " cpu "}}}]" spec "}\n"

/* The queue preempts without an explanation: a node on which evictions would not help is passed
 * over there, too. */
static void test_queue_passes_over_refused_nodes(void **state)
{
    told t = {.refuses = "a"};
    loop l;
    (void)state;
    open_filtered(&l, &t);
    loop_pod(&l, "low", "1", ", nodeName: a");
    const berth_pod_id pod = loop_pod(&l, "p", "1", ", priority: 10");
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(t.filters, 1);
    assert_int_equal(loop_state(&l, pod), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_close(&l);
}

/* Extenders cannot say which changes would help, so any change wakes the pod. */
static void test_any_change_wakes(void **state)
{
    told t = {.refuses = "a"};
    loop l;
    (void)state;
    open_filtered(&l, &t);
    const berth_pod_id pod = loop_pod(&l, "p", "1", "");
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(t.filters, 1);
    const berth_str rejector = berth_scheduler_rejector(l.scheduler, pod, 0);
    assert_true(berth__str_is(rejector, "Extender"));
    assert_int_equal(berth_scheduler_rejector(l.scheduler, pod, 1).len, 0);
    loop_advance(&l, 20000);
    assert_int_equal(loop_step(&l), BERTH_STEP_IDLE);
    t.refuses = NULL;
    loop_add(&l, "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\n"
                 "provisioner: x\n");
    assert_int_equal(loop_step(&l), BERTH_STEP_BOUND);
    loop_close(&l);
}

/* The first eviction is done at once, the second one is impossible. */
static void answer_in_turn(loop *l)
{
    l->evict_answer = l->evictions == 0 ? BERTH_ANSWER_DONE : BERTH_ANSWER_FAILED;
}

/* The same for a change during the attempt: one of two victims leaves at once, but the port that
 * the pod needs stays in use. Only the extender's refusal is a reason to try the pod again. */
static void test_change_during_the_attempt_wakes(void **state)
{
    (void)state;
    for (int refused = 0; refused < 2; refused++) {
        told t = {.refuses = refused != 0 ? "a" : NULL};
        loop l;
        t.table = table_of(&t);
        t.table.filter = filter;
        open_loop(&l, &t);
        if (refused != 0)
            loop_node(&l, "a", "4");
        loop_node(&l, "b", "4");
        loop_add(&l, loop_pod_text("large", "4", "", ", priority: 2, nodeName: b"));
        loop_add(&l, PORTED("ported", "0", ", priority: 1, nodeName: b"));
        l.inside = answer_in_turn;
        const berth_pod_id pod = loop_add(&l, PORTED("p", "1", ", priority: 10"));
        assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
        assert_int_equal(l.evictions, 2);
        assert_int_equal(loop_state(&l, pod),
                         refused != 0 ? BERTH_POD_STATE_BACKOFF : BERTH_POD_STATE_UNSCHEDULABLE);
        loop_close(&l);
    }
}

/* In a loop, too, a failure or an empty answer of an extender evicts nobody, and the nomination
 * stays. */
static void test_nobody_leaves(void **state)
{
    static const told cases[] = {
        {.status = BERTH_E_IO}, {.victim_count = 0}, {.keeps_candidates = true}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        told t = cases[i];
        loop l;
        t.table = table_of(&t);
        t.table.preempt = preempt;
        open_loop(&l, &t);
        const berth_node_id node = loop_node(&l, "a", "4");
        loop_pod(&l, "low", "4", ", priority: 1, nodeName: a");
        const berth_pod_id pod = loop_pod(&l, "p", "1", ", priority: 10");
        assert_int_equal(berth_engine_nominate(l.c.engine, pod, node, NULL), BERTH_OK);
        assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
        assert_int_equal(t.preemptions, 1);
        assert_int_equal(l.step.victim_count, cases[i].keeps_candidates);
        assert_int_equal(berth_engine_pod_nominated(l.c.engine, pod), node);
        loop_close(&l);
    }
}

/* Even with an explanation, which needs reasons and victims, an attempt asks the extender only
 * once. */
static void test_one_question_an_attempt(void **state)
{
    told t = {.keeps_candidates = true};
    small_cluster c;
    berth_scheduler_options options;
    berth_scheduler *scheduler;
    berth_step step;
    berth_error error;
    (void)state;
    t.table = table_of(&t);
    t.table.filter = filter;
    t.table.preempt = preempt;
    open_one(&c, &t);
    fill(&c);
    small_node(&c, "d", "");
    t.refuses = "d";
    small_pod(&c, "p", NULL, "", small_spec);
    berth_scheduler_options_init(&options);
    options.explanation = c.explanation;
    small_require(berth_scheduler_create(c.engine, &options, &scheduler, &error), &error);
    small_require(berth_scheduler_step(scheduler, 1, &step, &error), &error);
    assert_int_equal(step.kind, BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(t.filters, 1);
    assert_int_equal(t.preemptions, 1);
    assert_int_equal(step.victim_count, 1);
    assert_int_equal(step.nominated, berth_engine_find_node(c.engine, BERTH_STR("a")));
    assert_int_equal(berth_explanation_nominated(c.explanation), step.nominated);
    berth_scheduler_destroy(scheduler);
    small_close(&c);
}

/* The members of a group whose attempt is explained are asked about once, too. */
static void test_one_question_a_member(void **state)
{
    told t = {.refuses = "a"};
    berth_engine_config config;
    small_cluster c;
    berth_scheduler_options options;
    berth_scheduler *scheduler;
    berth_step step;
    berth_error error;
    (void)state;
    t.table = table_of(&t);
    t.table.filter = filter;
    berth_engine_config_init(&config);
    config.feature_gates = BERTH_STR("GenericWorkload=true");
    open_as(&c, config, &t, NULL);
    small_node(&c, "a", "");
    small_add(&c, "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g}\n"
                  "spec: {schedulingPolicy: {gang: {minCount: 2}}}\n");
    small_pod(&c, "p", NULL, "", "schedulingGroup: {podGroupName: g}, containers: [{name: c}]");
    small_pod(&c, "q", NULL, "", "schedulingGroup: {podGroupName: g}, containers: [{name: c}]");
    berth_scheduler_options_init(&options);
    options.explanation = c.explanation;
    small_require(berth_scheduler_create(c.engine, &options, &scheduler, &error), &error);
    small_require(berth_scheduler_step(scheduler, 1, &step, &error), &error);
    assert_int_equal(step.kind, BERTH_STEP_UNSCHEDULABLE);
    const uint32_t once = t.filters;
    assert_true(once == 1 || once == 2);
    berth_scheduler_destroy(scheduler);
    t.status = BERTH_E_IO; /* its message is explained without asking the extender again */
    t.filters = 0;
    small_require(berth_scheduler_create(c.engine, &options, &scheduler, &error), &error);
    small_require(berth_scheduler_step(scheduler, 1, &step, &error), &error);
    assert_int_equal(step.kind, BERTH_STEP_ERROR);
    assert_int_equal(t.filters, 1);
    berth_scheduler_destroy(scheduler);
    small_close(&c);
}

/* A pod gives up its nominated node if its attempt ends with an error. */
static void test_errors_end_nominations(void **state)
{
    told t = {.status = BERTH_E_IO};
    small_cluster c;
    berth_scheduler *scheduler;
    berth_step step;
    berth_pod_status status;
    berth_error error;
    (void)state;
    open_with_filter(&c, &t);
    const berth_node_id node = small_node(&c, "a", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", "containers: [{name: c}]");
    small_require(berth_engine_nominate(c.engine, pod, node, &error), &error);
    small_require(berth_scheduler_create(c.engine, NULL, &scheduler, &error), &error);
    small_require(berth_scheduler_step(scheduler, 1, &step, &error), &error);
    assert_int_equal(step.kind, BERTH_STEP_ERROR);
    berth_scheduler_pod(scheduler, pod, &status);
    assert_int_equal(status.nominated, BERTH_NODE_NONE);
    berth_scheduler_destroy(scheduler);
    small_close(&c);
}

/* ---- branches ---- */

static void test_branches_ask_too(void **state)
{
    told t = {.refuses = "a"};
    small_cluster c;
    berth_error error;
    berth_engine *branch;
    berth_snapshot *snapshot;
    berth_placement placement;
    (void)state;
    open_with_filter(&c, &t);
    nodes(&c, "a b");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    small_require(berth_engine_publish(c.engine, &error), &error);
    snapshot = berth_engine_pin(c.engine);
    small_require(berth_branch_create(snapshot, &branch, &error), &error);
    t.engine = branch;
    small_require(berth_engine_decide(branch, pod, NULL, &placement, &error), &error);
    assert_int_equal(placement.node, berth_engine_find_node(branch, BERTH_STR("b")));
    assert_int_equal(t.filters, 1);
    berth_branch_drop(branch);
    berth_snapshot_unpin(snapshot);
    small_close(&c);
}

/* ---- memory ---- */

/* A cluster for which memory may end, and a pod to decide on. */
typedef berth_pod_id make_scene(small_cluster *c, told *t);

static void open_scarce(small_cluster *c, told *t, const berth_allocator *allocator)
{
    static const berth_str gpu[] = {TEXT("x.com/gpu")};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.allocator = allocator;
    t->table = table_of(t);
    t->table.filter = filter;
    t->table.prioritize = prioritize;
    t->table.preempt = preempt;
    t->table.managed_resources = (berth_strs){gpu, 1};
    open_as(c, config, t, NULL);
    berth_explanation_destroy(c->explanation);
    assert_int_equal(berth_explanation_create(allocator, &c->explanation, NULL), BERTH_OK);
}

/* Decide on a pod, letting the allocation `at` fail. Afterwards it must succeed. Returns whether
 * the decision needs fewer allocations. */
static bool fails_at(small_cluster *c, counted *memory, berth_pod_id pod, unsigned at)
{
    const berth_decide_options options = {.size = sizeof(options),
                                          .explanation = c->explanation,
                                          .flags = BERTH_DECIDE_KEEP_ROTATION};
    berth_error error;
    atomic_store(&memory->calls, 0);
    atomic_store(&memory->fail_at, at);
    berth_status status = berth_engine_decide(c->engine, pod, &options, &c->placement, &error);
    atomic_store(&memory->fail_at, 0);
    const bool fewer = atomic_load(&memory->calls) < at;
    assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
    if (status != BERTH_OK)
        small_require(berth_engine_decide(c->engine, pod, &options, &c->placement, &error), &error);
    return fewer;
}

static void tell_result(const small_cluster *c, char *said, size_t capacity)
{
    const int len =
        snprintf(said, capacity, "%d %s %s", (int)c->placement.verdict, nominated(c), message(c));
    assert_true(len >= 0 && (size_t)len < capacity);
}

/* The same on a new engine with a scene; `said` receives the result. */
static bool decides_without(make_scene *scene, unsigned at, char *said, size_t capacity)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    told t = {.status = BERTH_OK};
    small_cluster c;
    open_scarce(&c, &t, &allocator);
    const bool fewer = fails_at(&c, &memory, scene(&c, &t), at);
    tell_result(&c, said, capacity);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

/* Whichever allocation fails, the result is the same later. */
static void expect_all(make_scene *scene, const char *wanted)
{
    char said[1024];
    unsigned at = 1;
    bool fewer = false;
    for (; !fewer && at < 2000; at++) {
        fewer = decides_without(scene, at, said, sizeof(said));
        if (strncmp(said, wanted, strlen(wanted)) != 0)
            fail_msg("without allocation %u: %s", at, said);
    }
    assert_true(fewer);
}

/* The same on one engine, which keeps memory that earlier attempts got. */
static void expect_on_one(make_scene *scene, const char *wanted)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    told t = {.status = BERTH_OK};
    small_cluster c;
    open_scarce(&c, &t, &allocator);
    const berth_pod_id pod = scene(&c, &t);
    bool fewer = false;
    unsigned at = 1;
    for (; !fewer && at < 2000; at++) {
        char said[1024];
        fewer = fails_at(&c, &memory, pod, at);
        tell_result(&c, said, sizeof(said));
        if (strncmp(said, wanted, strlen(wanted)) != 0)
            fail_msg("without allocation %u: %s", at, said);
    }
    assert_true(fewer);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

static berth_pod_id gpu_pod(small_cluster *c)
{
    return small_pod(c, "p", NULL, "",
                     "priority: 10, containers: [{name: c, image: i, resources: {requests: {cpu: "
                     "1, x.com/gpu: 1}}}]");
}

static void gpu_node(small_cluster *c, const char *name)
{
    small_addf(c,
               "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n"
               "status: {allocatable: {cpu: 4, pods: 10, x.com/gpu: 2}}\n",
               name);
}

static void victim(small_cluster *c, const char *name, const char *node)
{
    small_pod(c, name, node, "",
              "priority: 1, containers: [{name: c, image: i, resources: {requests: {cpu: 4}}}]");
}

static berth_pod_id placed_scene(small_cluster *c, told *t)
{
    t->refuses = "a";
    t->likes = "c";
    gpu_node(c, "a");
    gpu_node(c, "b");
    gpu_node(c, "c");
    return gpu_pod(c);
}

static berth_pod_id failing_scene(small_cluster *c, told *t)
{
    t->status = BERTH_E_IO;
    gpu_node(c, "a");
    return gpu_pod(c);
}

static berth_pod_id preempting_scene(small_cluster *c, told *t)
{
    t->keeps_candidates = true;
    gpu_node(c, "a");
    gpu_node(c, "b");
    victim(c, "a1", "a");
    victim(c, "b1", "b");
    return gpu_pod(c);
}

static berth_pod_id vain_scene(small_cluster *c, told *t)
{
    (void)preempting_scene(c, t);
    t->keeps_candidates = false;
    t->victims[0] =
        (berth_extender_victims){.node = berth_engine_find_node(c->engine, BERTH_STR("b"))};
    t->victim_count = 1;
    return berth_engine_find_pod(c->engine, BERTH_STR("default"), BERTH_STR("p"));
}

static berth_pod_id needless_scene(small_cluster *c, told *t)
{
    t->refuses = "ab";
    gpu_node(c, "a");
    gpu_node(c, "b");
    add_low(c, "low1", "a");
    add_low(c, "low2", "b");
    return gpu_pod(c);
}

/* Refused on the node that is tried alone, which the search does not visit. There are many nodes,
 * so all allocations fail on one engine. */
static berth_pod_id far_scene(small_cluster *c, told *t)
{
    berth_error error;
    t->refuses = "bz";
    t->refuses_for_good = "a";
    for (int i = 0; i < 102; i++) {
        char name[16];
        snprintf(name, sizeof(name), i == 101 ? "z" : i == 5 ? "b5" : "a%d", i);
        gpu_node(c, name);
    }
    add_low(c, "low1", "b5");
    add_low(c, "low2", "z");
    const berth_pod_id pod = gpu_pod(c);
    small_require(berth_engine_nominate(c->engine, pod,
                                        berth_engine_find_node(c->engine, BERTH_STR("z")), &error),
                  &error);
    return pod;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    arena_pieces_refuse = counted_piece;
    expect_all(placed_scene, "0 none ");
    expect_all(failing_scene, "2 none it is out of order");
    expect_all(preempting_scene, "1 a a1 0/2 nodes are available: 2 Insufficient cpu. preemption: "
                                 "found a potential placement for pod on node a");
    expect_all(vain_scene, "1 none 0/2 nodes are available: 2 Insufficient cpu. preemption: "
                           "expected at least one victim pod on node \"b\"");
    expect_all(needless_scene, "1 none 0/2 nodes are available: 2 too hot. preemption: [expected "
                               "at least one victim pod on node \"");
    expect_on_one(far_scene, "1 none 0/102 nodes are available: 101 too hot. preemption: [expected "
                             "at least one victim pod on node \"");
    arena_pieces_refuse = NULL;
}

/* The list of extenders is copied, or the engine is not created. */
static void test_memory_of_the_list(void **state)
{
    static const berth_str gpu[] = {TEXT("x.com/gpu")};
    (void)state;
    arena_pieces_refuse = counted_piece;
    told t = {.status = BERTH_OK};
    t.table = table_of(&t);
    t.table.filter = filter;
    t.table.managed_resources = (berth_strs){gpu, 1};
    const berth_extender *tables[] = {&t.table};
    berth_status status = BERTH_E_NOMEM;
    for (unsigned at = 1; status != BERTH_OK; at++) {
        counted memory = {.fail_at = at};
        const berth_allocator allocator = {&memory, counted_allocate, counted_release};
        berth_engine *engine;
        berth_engine_config config;
        berth_engine_config_init(&config);
        config.threads = 1;
        config.allocator = &allocator;
        config.extenders = tables;
        config.extender_count = 1;
        status = berth_engine_create(&config, &engine, NULL);
        assert_true(status == BERTH_OK || (status == BERTH_E_NOMEM && engine == NULL));
        berth_engine_destroy(engine);
        assert_int_equal(atomic_load(&memory.bytes), 0);
    }
    arena_pieces_refuse = NULL;
}

/* ---- the list ---- */

static void expect_refused(const berth_extender *table, const char *why)
{
    const berth_extender *tables[] = {table};
    berth_engine_config config;
    berth_engine *engine;
    berth_error error;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.extenders = tables;
    config.extender_count = 1;
    assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_ARG);
    assert_null(engine);
    assert_non_null(strstr(error.message, why));
    assert_string_equal(error.field, "extenders[0]");
}

static void test_incomplete_tables(void **state)
{
    told t = {.filters = 0};
    (void)state;
    berth_extender table = table_of(&t);
    expect_refused(NULL, "NULL");
    expect_refused(&table, "no function");
    table.prioritize = prioritize;
    table.weight = 0;
    expect_refused(&table, "weight above 0");
    table.weight = 1;
    table.flags = 2;
    expect_refused(&table, "flags");
    table.flags = 0;
    table.managed_resources.count = 1;
    expect_refused(&table, "no items");
    static const berth_str cpu = TEXT("cpu");
    table.managed_resources.items = &cpu;
    expect_refused(&table, "no extended resource");
    table.managed_resources = (berth_strs){NULL, 0};
    table.size = 0;
    expect_refused(&table, "size");
    berth_engine_config config;
    berth_engine *engine;
    berth_error error;
    berth_engine_config_init(&config);
    config.extender_count = 1;
    assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter_takes_nodes_away),
        cmocka_unit_test(test_message_counts_refusals),
        cmocka_unit_test(test_failure_ends_the_attempt),
        cmocka_unit_test(test_ignorable_come_last_and_may_fail),
        cmocka_unit_test(test_only_pods_that_it_concerns),
        cmocka_unit_test(test_search_goes_on_without_scorers),
        cmocka_unit_test(test_search_ends_without_scorers),
        cmocka_unit_test(test_nominated_node_is_tried_first),
        cmocka_unit_test(test_nominated_node_is_not_visited_again),
        cmocka_unit_test(test_scores_are_added),
        cmocka_unit_test(test_single_node_is_not_scored),
        cmocka_unit_test(test_ties_are_drawn),
        cmocka_unit_test(test_scored_nodes_come_first),
        cmocka_unit_test(test_scores_wrap),
        cmocka_unit_test(test_many_nodes),
        cmocka_unit_test(test_candidates_are_asked_about),
        cmocka_unit_test(test_extender_chooses_victims),
        cmocka_unit_test(test_no_candidate_is_left),
        cmocka_unit_test(test_bad_victims),
        cmocka_unit_test(test_ignorable_in_preemption),
        cmocka_unit_test(test_failure_ends_preemption),
        cmocka_unit_test(test_victims_named_twice),
        cmocka_unit_test(test_unvisited_nodes_are_not_potential),
        cmocka_unit_test(test_refused_nodes_need_no_victims),
        cmocka_unit_test(test_queue_passes_over_refused_nodes),
        cmocka_unit_test(test_any_change_wakes),
        cmocka_unit_test(test_change_during_the_attempt_wakes),
        cmocka_unit_test(test_nobody_leaves),
        cmocka_unit_test(test_one_question_an_attempt),
        cmocka_unit_test(test_one_question_a_member),
        cmocka_unit_test(test_errors_end_nominations),
        cmocka_unit_test(test_branches_ask_too),
        cmocka_unit_test(test_incomplete_tables),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_memory_of_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
