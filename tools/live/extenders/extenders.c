/* Source: kube-scheduler v1.37, extender.go and schedule_one.go (extendersBinding). */
#include "live/extenders/extenders.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/extenders/extender_answers.h"
#include "live/extenders/extender_http.h"
#include "live/extenders/extender_questions.h"
#include "live/log/log.h"
#include "live/writes/write_json.h"

typedef struct extender {
    extenders *all;
    berth_extender table;
    extender_access access;
    extender_http *http;
    char *url, *filter_verb, *prioritize_verb, *preempt_verb;
    bool node_cache_capable;
    json_t *root; /* of the last answer, which reasons point into */
    /* the last answer about victims */
    berth_extender_victims *kept;
    berth_pod_id *pods;
    size_t pod_capacity;
} extender;

struct extenders {
    extender_world world;
    extender *items;
    uint32_t count;
    const berth_extender **tables; /* of those that take part in decisions */
    uint32_t table_count;
    object_texts_policy policy;
    extender_binder *binder;
    extender_wait wait;
};

/* ---- a call ---- */

/* Ask a question; the answer's tree is in `e->root`. */
static bool ask(extender *e, const char *verb, extender_question *q, berth_error *error)
{
    berth_str answer;
    json_decref(e->root);
    e->root = NULL;
    if (q->text == NULL) {
        (void)error_set(error, BERTH_E_NOT_FOUND, NULL, "the pod is gone");
        return false;
    }
    if (q->bytes > UINT32_MAX) {
        extender_question_free(q);
        (void)error_set(error, BERTH_E_RANGE, NULL, "a question of more than 4 GiB");
        return false;
    }
    bool good = extender_http_post(e->http, verb, (berth_str){q->text, (uint32_t)q->bytes}, &answer,
                                   error) &&
                answer_parse(answer, &e->root, error);
    extender_question_free(q);
    return good;
}

static berth_status report(const extender *e, const char *verb, bool good, const berth_error *error)
{
    if (good)
        return BERTH_OK;
    LOG_WARNING((e->table.flags & BERTH_EXTENDER_IGNORABLE) != 0
                    ? "an extender failed and is left out"
                    : "an extender failed",
                "extender", e->url, "verb", verb, "error", error->message);
    return BERTH_E_INVALID;
}

static berth_status filter(void *context, berth_pod_id pod, const berth_node_id *nodes,
                           uint32_t count, berth_extender_verdict *verdicts, berth_str *reasons,
                           berth_error *error)
{
    extender *e = context;
    const extender_world *world = &e->all->world;
    extender_question q =
        extender_question_about_nodes(world, pod, nodes, count, e->node_cache_capable);
    asked_nodes asked = asked_nodes_make(world->engine, nodes, count);
    const bool good =
        ask(e, e->filter_verb, &q, error) &&
        answer_of_filter(e->root, &asked, e->node_cache_capable, e->url, verdicts, reasons, error);
    asked_nodes_free(&asked);
    return report(e, e->filter_verb, good, error);
}

static berth_status prioritize(void *context, berth_pod_id pod, const berth_node_id *nodes,
                               uint32_t count, int64_t *scores, berth_error *error)
{
    extender *e = context;
    const extender_world *world = &e->all->world;
    extender_question q =
        extender_question_about_nodes(world, pod, nodes, count, e->node_cache_capable);
    asked_nodes asked = asked_nodes_make(world->engine, nodes, count);
    const bool good = ask(e, e->prioritize_verb, &q, error) &&
                      answer_of_prioritize(e->root, &asked, scores, error);
    asked_nodes_free(&asked);
    return report(e, e->prioritize_verb, good, error);
}

/* ---- victims ---- */

/* The pod of the node that has this uid according to the stored texts. */
static berth_pod_id find_victim(const extender *e, const berth_pod_id *pods, uint32_t count,
                                const char *uid)
{
    const extender_world *world = &e->all->world;
    for (uint32_t i = 0; i < count; i++) {
        berth_str namespace_name, name;
        berth_engine_pod_name(world->engine, pods[i], &namespace_name, &name);
        if (object_texts_has_uid(world->texts, namespace_name, name, uid))
            return pods[i];
    }
    return BERTH_POD_NONE;
}

/* Turn the uids of one node's victims into pods, appended to `e->pods` from `*used` on. */
static bool take_victims(extender *e, const answered_victims *from, size_t *used,
                         berth_extender_victims *out, berth_error *error)
{
    const berth_engine *engine = e->all->world.engine;
    const berth_node_id node = berth_engine_find_node(engine, from->node);
    size_t i;
    json_t *pod;
    if (node == BERTH_NODE_NONE) {
        (void)error_set(error, BERTH_E_NOT_FOUND, NULL, "nodeinfo not found for node name \"%.*s\"",
                        (int)from->node.len, from->node.data);
        return false;
    }
    const uint32_t count = berth_engine_node_pods(engine, node, NULL, 0);
    berth_pod_id *there = heap_new(count, sizeof(*there));
    (void)berth_engine_node_pods(engine, node, there, count);
    *out = (berth_extender_victims){.node = node, .budget_violations = from->budget_violations};
    bool good = true;
    json_array_foreach(from->pods, i, pod)
    {
        const char *uid = answered_uid(pod);
        const berth_pod_id victim = find_victim(e, there, count, uid);
        good = victim != BERTH_POD_NONE;
        if (!good) {
            (void)error_set(error, BERTH_E_NOT_FOUND, NULL,
                            "extender: %s claims to preempt pod (UID: &{%s}) on node: %.*s, but "
                            "the pod is not found on that node",
                            e->url, uid, (int)from->node.len, from->node.data);
            break;
        }
        e->pods = heap_grow(e->pods, &e->pod_capacity, *used + 1, sizeof(*e->pods));
        e->pods[(*used)++] = victim;
        out->pod_count++;
    }
    free(there);
    return good;
}

/* The list of pods may move while it grows, so entries point into it at the end. */
static void point_at_pods(const extender *e, uint32_t count)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        e->kept[i].pods = e->pods + used;
        used += e->kept[i].pod_count;
    }
}

static bool take_preempted(extender *e, uint32_t *kept_count, berth_error *error)
{
    answered_victims *answered = NULL;
    uint32_t count;
    size_t used = 0;
    bool good = answer_of_preempt(e->root, &answered, &count, error);
    free(e->kept);
    e->kept = heap_new(count + 1, sizeof(*e->kept));
    for (uint32_t i = 0; good && i < count; i++)
        good = take_victims(e, &answered[i], &used, &e->kept[i], error);
    free(answered);
    if (!good)
        return false;
    point_at_pods(e, count);
    *kept_count = count;
    return true;
}

static berth_status preempt(void *context, berth_pod_id pod,
                            const berth_extender_victims *candidates, uint32_t count,
                            const berth_extender_victims **kept, uint32_t *kept_count,
                            berth_error *error)
{
    extender *e = context;
    extender_question q = extender_question_about_victims(&e->all->world, pod, candidates, count,
                                                          e->node_cache_capable);
    const bool good = ask(e, e->preempt_verb, &q, error) && take_preempted(e, kept_count, error);
    *kept = e->kept;
    return report(e, e->preempt_verb, good, error);
}

/* ---- life ---- */

static char *text_of(berth_str text)
{
    return text.len > 0 ? heap_text(text.data, text.len) : NULL;
}

static berth_status make(extenders *all, extender *e, const berth_extender_config *config,
                         berth_error *error)
{
    *e = (extender){.all = all,
                    .url = text_of(config->url_prefix),
                    .filter_verb = text_of(config->filter_verb),
                    .prioritize_verb = text_of(config->prioritize_verb),
                    .preempt_verb = text_of(config->preempt_verb),
                    .node_cache_capable = config->node_cache_capable};
    e->table = (berth_extender){.size = sizeof(e->table),
                                .flags = config->ignorable ? BERTH_EXTENDER_IGNORABLE : 0,
                                .name = {e->url, config->url_prefix.len},
                                .context = e,
                                .managed_resources = config->managed_resources,
                                .weight = config->weight,
                                .filter = e->filter_verb != NULL ? filter : NULL,
                                .prioritize = e->prioritize_verb != NULL ? prioritize : NULL,
                                .preempt = e->preempt_verb != NULL ? preempt : NULL};
    TRY(extender_access_make(&e->access, config, error));
    e->http = extender_http_create(&e->access, config->timeout_ns, all->wait);
    if (e->http == NULL)
        return error_set(error, BERTH_E_NOMEM, NULL, "libcurl has no memory");
    const bool asks_nodes = e->filter_verb != NULL || e->prioritize_verb != NULL;
    all->policy.nodes |= asks_nodes && !e->node_cache_capable;
    all->policy.running_pods |= e->preempt_verb != NULL && !e->node_cache_capable;
    all->policy.running_uids |= e->preempt_verb != NULL;
    if (asks_nodes || e->preempt_verb != NULL)
        all->tables[all->table_count++] = &e->table;
    return BERTH_OK;
}

static berth_status make_binder(extenders *all, const berth_extender_config *config,
                                berth_error *error)
{
    extender_binder *binder = heap_new(1, sizeof(*binder));
    all->binder = binder;
    binder->path = write_path("/%.*s", WRITE_ARG(config->bind_verb));
    binder->timeout_ns = config->timeout_ns;
    binder->ignorable = config->ignorable;
    binder->managed_resources = config->managed_resources;
    return extender_access_make(&binder->access, config, error);
}

berth_status extenders_create(const berth_scheduler_config *config, extender_wait wait,
                              extenders **out, berth_error *error)
{
    const uint32_t count = config != NULL ? berth_scheduler_config_extender_count(config) : 0;
    berth_status status = BERTH_OK;
    *out = NULL;
    if (count == 0)
        return BERTH_OK;
    extenders *all = heap_new(1, sizeof(*all));
    all->wait = wait;
    all->items = heap_new(count, sizeof(*all->items));
    all->tables = heap_new(count, sizeof(*all->tables));
    for (; status == BERTH_OK && all->count < count; all->count++) {
        berth_extender_config one;
        berth_scheduler_config_extender(config, all->count, &one);
        status = make(all, &all->items[all->count], &one, error);
        if (status == BERTH_OK && one.bind_verb.len > 0)
            status = make_binder(all, &one, error);
    }
    if (status == BERTH_OK)
        *out = all;
    else
        extenders_destroy(all);
    return status;
}

static void free_extender(extender *e)
{
    extender_http_destroy(e->http);
    extender_access_free(&e->access);
    json_decref(e->root);
    free(e->url);
    free(e->filter_verb);
    free(e->prioritize_verb);
    free(e->preempt_verb);
    free(e->kept);
    free(e->pods);
}

void extenders_destroy(extenders *e)
{
    if (e == NULL)
        return;
    for (uint32_t i = 0; i < e->count; i++)
        free_extender(&e->items[i]);
    if (e->binder != NULL) {
        extender_access_free(&e->binder->access);
        free(e->binder->path);
    }
    free(e->binder);
    free(e->items);
    free(e->tables);
    free(e);
}

object_texts_policy extenders_policy(const extenders *e)
{
    return e->policy;
}

void extenders_attach(extenders *e, const berth_engine *engine, object_texts *texts)
{
    e->world = (extender_world){engine, texts};
}

const berth_extender *const *extenders_tables(const extenders *e, uint32_t *count)
{
    *count = e->table_count;
    return e->tables;
}

/* ---- binding ---- */

extender_binder *extenders_binder(extenders *e)
{
    return e->binder;
}

bool extenders_bind(const extenders *e, berth_pod_id pod)
{
    berth_str namespace_name, name;
    if (e == NULL || e->binder == NULL)
        return false;
    if (e->binder->managed_resources.count == 0)
        return true;
    berth_engine_pod_name(e->world.engine, pod, &namespace_name, &name);
    return object_texts_asks(e->world.texts, namespace_name, name, &e->binder->managed_resources);
}
