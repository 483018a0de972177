/* A live copy of a cluster: an engine that follows the events of a watch. After each event it says
 * where one pending pod would go now. Here the events are texts; a program for a real cluster gets
 * them from the API server.
 *     cc informer_copy.c $(pkg-config --cflags --libs berth) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <berth/berth.h>

#define NODE(name, cpu)                                         \
    "{apiVersion: v1, kind: Node, metadata: {name: " name "}, " \
    "status: {allocatable: {cpu: '" cpu "', pods: '10'}}}"
#define POD(name, node)                                                                        \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default}, spec: {" node \
    "containers: [{name: main, resources: {requests: {cpu: '2'}}}]}}"

typedef enum event_type { ADDED, MODIFIED, DELETED } event_type;

static const char *const type_names[] = {"ADDED", "MODIFIED", "DELETED"};

typedef struct event {
    event_type type;
    const char *object;
} event;

static const event events[] = {
    {ADDED, NODE("a", "2")},    {ADDED, POD("web", "")}, {ADDED, POD("other", "nodeName: a, ")},
    {MODIFIED, NODE("a", "4")}, {ADDED, NODE("b", "2")}, {DELETED, NODE("a", "4")},
};

typedef struct copy {
    berth_engine *engine;
    berth_reader *reader;
    event_type type; /* of the event that is being applied */
} copy;

static void require(berth_status status, const berth_error *error)
{
    char text[1024];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, text, sizeof(text));
    fprintf(stderr, "informer_copy: %s\n", text);
    exit(1);
}

/* Apply an event. A watch that starts again repeats objects and may leave out events, so an object
 * that is added may exist, and one that is modified or deleted may be unknown. */
static berth_status apply(void *context, const berth_object *object, const berth_error *origin,
                          berth_error *error)
{
    copy *live = context;
    const berth_metadata *meta = object->as.any; /* every object begins with it */
    (void)origin;
    printf("%s %s %.*s: ", type_names[live->type], berth_kind_name(object->kind),
           (int)meta->name.len, meta->name.data);
    berth_status status;
    if (live->type == DELETED) {
        status = berth_engine_remove(live->engine, object->kind, meta->namespace_name, meta->name,
                                     error);
        return status == BERTH_E_NOT_FOUND ? BERTH_OK : status;
    }
    status = berth_engine_update(live->engine, object, error);
    return status == BERTH_E_NOT_FOUND ? berth_engine_add(live->engine, object, NULL, error)
                                       : status;
}

/* Where would the pod go? The decision changes nothing: in a cluster, the pod's binding comes back
 * as an event. */
static void ask(copy *live)
{
    berth_error error;
    berth_placement placement;
    berth_pod_id pod = berth_engine_find_pod(live->engine, BERTH_STR("default"), BERTH_STR("web"));
    if (pod == BERTH_POD_NONE) {
        printf("web does not exist yet\n");
        return;
    }
    require(berth_engine_decide(live->engine, pod, NULL, &placement, &error), &error);
    berth_str node = berth_engine_node_name(live->engine, placement.node);
    if (placement.verdict == BERTH_VERDICT_PLACED)
        printf("web would go to %.*s\n", (int)node.len, node.data);
    else
        printf("web fits nowhere\n");
}

int main(void)
{
    copy live = {.engine = NULL};
    berth_error error;
    berth_read_options options; /* objects of the API server have its defaults already */
    berth_read_options_init(&options);
    options.apply_defaults = false;
    require(berth_engine_create(NULL, &live.engine, &error), &error);
    require(berth_reader_create(&options, &live.reader, &error), &error);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        const berth_str text = {events[i].object, (uint32_t)strlen(events[i].object)};
        live.type = events[i].type;
        require(berth_reader_text(live.reader, text, "event", apply, &live, &error), &error);
        ask(&live);
    }
    berth_reader_destroy(live.reader);
    berth_engine_destroy(live.engine);
    return 0;
}
