/* Placements of another scheduler compared with ours, and a new list of the server compared with
 * what is known: every verdict and difference, what is told of it, and how much. */
#include "rule_cluster.h"

#include <unistd.h>

#include "live/log/log.h"
#include "live/run/agreement.h"
#include "live/run/comparison.h"

static small_cluster c;
static agreement a;
static comparison compared;
static FILE *records;
static int own_stderr;

static int start(void **state)
{
    (void)state;
    log_setup(false, 0);
    small_open(&c, NULL);
    a = (agreement){.item_count = 0};
    compared = (comparison){.nodes = 0};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    agreement_free(&a);
    assert_null(a.items);
    small_close(&c);
    return 0;
}

static berth_pod_id pod_of(const char *name, const char *cpu)
{
    char spec[128];
    snprintf(spec, sizeof(spec),
             "containers: [{name: c, image: i, resources: {requests: {cpu: %s}}}]", cpu);
    return small_pod(&c, name, NULL, ", namespace: s", spec);
}

static void note(const char *name, const char *cpu, const char *node)
{
    agreement_note(&a, c.engine, pod_of(name, cpu), (berth_str){node, (uint32_t)strlen(node)});
}

static const char *printed(void)
{
    static char text[16384];
    FILE *out = fmemopen(text, sizeof(text), "w");
    agreement_print(&a, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* ---- placements ---- */

/* Every node with the best score is as good as any other. */
static void equal_nodes_agree(void **state)
{
    (void)state;
    small_node(&c, "n1", "");
    small_node(&c, "n2", "");
    small_node(&c, "n3", "");
    note("p1", "1", "n1");
    note("p2", "1", "n2");
    note("p3", "1", "n3");
    assert_int_equal(a.counts[AGREEMENT_BEST], 3);
    assert_int_equal(a.item_count, 0);
    assert_string_equal(printed(), "Of 3 placements 3 were among Berth's best.\n");
}

/* A report line gives both scores, or why the node takes no such pod. */
static void others_are_told(void **state)
{
    char line[256];
    (void)state;
    small_node(&c, "n1", "");
    small_node(&c, "n2", "");
    small_pod(&c, "r", "n1", ", namespace: s",
              "containers: [{name: c, image: i, resources: {requests: {cpu: 3}}}]");
    note("lower", "1", "n1");
    assert_int_equal(a.counts[AGREEMENT_LOWER], 1);
    const disagreement *found = &a.items[0];
    assert_true(found->total < found->best);
    snprintf(line, sizeof(line),
             "Of 1 placements 0 were among Berth's best.\n"
             "s/lower on n1: scores %ld, n2 scores %ld\n",
             (long)found->total, (long)found->best);
    assert_string_equal(printed(), line);
    note("best", "1", "n2");
    note("wrong", "2", "n1");
    note("huge", "5", "n2");
    note("lost", "1", "n3");
    for (int verdict = 0; verdict < AGREEMENT_COUNT; verdict++)
        assert_int_equal(a.counts[verdict], 1);
    assert_string_equal(strchr(strchr(printed(), '\n') + 1, '\n'),
                        "\ns/wrong on n1: does not fit there, NodeResourcesFit: Insufficient cpu;"
                        " n2 is the best\n"
                        "s/huge on n2: fits nowhere; there, NodeResourcesFit: Insufficient cpu\n"
                        "s/lost on n3: could not be decided\n");
}

/* The first thousand are kept, the others counted. */
static void a_thousand_are_kept(void **state)
{
    (void)state;
    small_node(&c, "n1", "");
    const berth_pod_id pod = pod_of("p", "1");
    for (int i = 0; i < DISAGREEMENTS_MAX; i++)
        agreement_note(&a, c.engine, pod, BERTH_STR("none"));
    assert_int_equal(a.item_count, DISAGREEMENTS_MAX);
    char *text = NULL;
    size_t bytes;
    for (int more = 0; more < 3; more++) {
        char line[64];
        snprintf(line, sizeof(line), "decided\nand %d others\n", more);
        FILE *out = open_memstream(&text, &bytes);
        agreement_print(&a, out);
        assert_int_equal(fclose(out), 0);
        if (more == 0)
            assert_null(strstr(text, "others"));
        else
            assert_non_null(strstr(text, line));
        free(text);
        agreement_note(&a, c.engine, pod, BERTH_STR("none"));
        assert_int_equal(a.item_count, DISAGREEMENTS_MAX);
    }
}

/* ---- lists ---- */

static void catch_records(void)
{
    records = tmpfile();
    assert_non_null(records);
    own_stderr = dup(STDERR_FILENO);
    dup2(fileno(records), STDERR_FILENO);
}

/* The number of records with this text since catch_records. */
static int caught(const char *part)
{
    char line[1024];
    int count = 0;
    dup2(own_stderr, STDERR_FILENO);
    close(own_stderr);
    rewind(records);
    while (fgets(line, sizeof(line), records) != NULL)
        count += strstr(line, part) != NULL;
    fclose(records);
    return count;
}

static void list_pod(const char *space, const char *name, const char *node)
{
    const berth_pod pod = {.meta = {.namespace_name = {space, (uint32_t)strlen(space)},
                                    .name = {name, (uint32_t)strlen(name)}},
                           .node_name = {node, (uint32_t)strlen(node)}};
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    comparison_note(&compared, c.engine, &object);
}

static void list_node(const char *name)
{
    const berth_node node = {.meta = {.name = {name, (uint32_t)strlen(name)}}};
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
    comparison_note(&compared, c.engine, &object);
}

static void add_three(void)
{
    static const char spec[] = "containers: [{name: c, image: i}]";
    small_node(&c, "n1", "");
    small_node(&c, "n2", "");
    small_pod(&c, "waits", NULL, ", namespace: s", spec);
    small_pod(&c, "runs", "n1", ", namespace: s", spec);
    small_pod(&c, "orphan", "n9", ", namespace: s", spec);
}

static void same_lists(void **state)
{
    static const berth_service service = {.meta = {.name = BERTH_STR("x")}};
    const berth_object other = {.kind = BERTH_KIND_SERVICE, .as.service = &service};
    (void)state;
    add_three();
    list_node("n1");
    list_node("n2");
    list_pod("s", "waits", "");
    list_pod("s", "runs", "n1");
    list_pod("s", "orphan", "n9");
    comparison_note(&compared, c.engine, &other);
    assert_int_equal(compared.nodes, 2);
    assert_int_equal(compared.pods, 3);
    catch_records();
    assert_int_equal(comparison_end(&compared, c.engine), 0);
    assert_int_equal(caught("\"caches compared\" differences=\"0\" nodes=\"2\" pods=\"3\""), 1);
    assert_int_equal(compared.nodes + compared.pods + compared.differences, 0);
}

/* Each of these is a difference of its own. */
static void differences(void **state)
{
    static const struct {
        const char *space, *name, *node, *what;
    } cases[] = {
        {"s", "waits", "n1", "s/waits\" what=\"the pod is on another node"},
        {"s", "runs", "", "s/runs\" what=\"the pod is on another node"},
        {"s", "runs", "n2", "s/runs\" what=\"the pod is on another node"},
        {"s", "runs", "n11", "s/runs\" what=\"the pod is on another node"},
        {"s", "none", "", "s/none\" what=\"a pod that we don't know"},
        {"t", "waits", "", "t/waits\" what=\"a pod that we don't know"},
    };
    (void)state;
    add_three();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        compared.differences = 0;
        catch_records();
        list_pod(cases[i].space, cases[i].name, cases[i].node);
        if (caught(cases[i].what) != 1)
            fail_msg("%s on %s", cases[i].name, cases[i].node);
        assert_int_equal(compared.differences, 1);
    }
    compared.differences = 0;
    catch_records();
    list_node("n1");
    list_node("n3");
    assert_int_equal(caught("object=\"/n3\" what=\"a node that we don't know\""), 1);
    assert_int_equal(compared.differences, 1);
}

/* What the list lacks is counted; what it has beyond ours was told already. */
static void missing_in_the_list(void **state)
{
    static const struct {
        uint64_t nodes, pods, found;
    } cases[] = {{2, 3, 0}, {1, 3, 1}, {2, 2, 1}, {0, 0, 5}, {3, 3, 0}, {2, 4, 0}, {9, 1, 2}};
    (void)state;
    add_three();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (uint64_t before = 0; before < 2; before++) {
            compared = (comparison){cases[i].nodes, cases[i].pods, before};
            assert_int_equal(comparison_end(&compared, c.engine), cases[i].found + before);
        }
}

/* Twenty are told, all are counted. */
static void twenty_are_told(void **state)
{
    (void)state;
    catch_records();
    for (int i = 0; i < 30; i++)
        list_node("n");
    assert_int_equal(caught("the server's list is different"), 20);
    assert_int_equal(compared.differences, 30);
    (void)comparison_end(&compared, c.engine);
    catch_records();
    list_node("n"); /* the next comparison tells again */
    assert_int_equal(caught("the server's list is different"), 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(equal_nodes_agree), T(others_are_told),     T(a_thousand_are_kept), T(same_lists),
        T(differences),       T(missing_in_the_list), T(twenty_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
