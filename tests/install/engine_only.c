/* An embedder of a library without berth/kube.h: everything is a struct. */
#include <stdio.h>

#include <berth/berth.h>

#ifdef BERTH_KUBE_H
#error "berth.h brings a header of what is not there"
#endif

static int fail(const char *what, const berth_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return 1;
}

int main(void)
{
    const berth_resource room[] = {{BERTH_STR("cpu"), {4, 0}}, {BERTH_STR("pods"), {110, 0}}};
    const berth_resource want[] = {{BERTH_STR("cpu"), {3, 0}}};
    const berth_container container = {.requests = {want, 1}};
    const berth_node node = {.meta = {.name = BERTH_STR("a")}, .allocatable = {room, 2}};
    berth_pod pod = {.meta = {.namespace_name = BERTH_STR("default"), .name = BERTH_STR("first")},
                     .containers = &container,
                     .container_count = 1};
    berth_engine *engine;
    berth_explanation *explanation;
    berth_placement placement;
    berth_error error;
    berth_pod_id id;
    if (berth_engine_create(NULL, &engine, &error) != BERTH_OK)
        return fail("create", &error);
    if (berth_explanation_create(NULL, &explanation, &error) != BERTH_OK)
        return fail("explanation", &error);
    if (berth_engine_add_node(engine, &node, NULL, &error) != BERTH_OK ||
        berth_engine_add_pod(engine, &pod, &id, &error) != BERTH_OK ||
        berth_engine_schedule(engine, id, &placement, &error) != BERTH_OK)
        return fail("first", &error);
    berth_str name = berth_engine_node_name(engine, placement.node);
    printf("first: on %.*s\n", (int)name.len, name.data);
    pod.meta.name = BERTH_STR("second");
    const berth_decide_options options = {.size = sizeof(options), .explanation = explanation};
    if (berth_engine_add_pod(engine, &pod, &id, &error) != BERTH_OK ||
        berth_engine_decide(engine, id, &options, &placement, &error) != BERTH_OK)
        return fail("second", &error);
    berth_str why = berth_explanation_message(explanation);
    printf("second: %.*s\n", (int)why.len, why.data);
    berth_explanation_destroy(explanation);
    berth_engine_destroy(engine);
    return 0;
}
