/* Random operations on an engine, with their results and its state as texts. */
#include "engine_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 22 };

atomic_ulong script_operations, script_placed, script_indexed;

static const char *const verb_names[VERBS] = {
    "add",    "update",   "remove", "schedule", "decide", "explain",   "bind", "unbind", "nominate",
    "cordon", "uncordon", "close",  "open",     "group",  "fit count", "fits", "list"};

/* ---- texts ---- */

static void clear(text *t)
{
    if (t->bytes == NULL)
        t->bytes = malloc(TEXT_MAX);
    if (t->bytes == NULL)
        abort();
    t->count = 0;
    t->bytes[0] = '\0';
}

static void print(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(t->bytes + t->count, TEXT_MAX - t->count, format, args);
    va_end(args);
    t->count += (size_t)len;
    if (t->count >= TEXT_MAX) {
        fputs("a text is too long\n", stderr);
        abort();
    }
}

/* Shows only the first lines that differ. */
void script_same(script *t, const char *what, const char *wanted, const char *got)
{
    if (strcmp(wanted, got) == 0 || t->failed)
        return;
    size_t at = 0;
    for (size_t i = 0; wanted[i] == got[i]; i++)
        at = wanted[i] == '\n' ? i + 1 : at;
    fprintf(stderr,
            "FAILED in operation %lu: %s\n  wanted %.*s\n  got    %.*s\n"
            "replay: %s\n",
            t->op, what, (int)strcspn(wanted + at, "\n"), wanted + at, (int)strcspn(got + at, "\n"),
            got + at, t->replay);
    t->failed = true;
}

void script_must(script *t, const char *call, berth_status status, const berth_error *error)
{
    char message[1024];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, message, sizeof(message));
    script_same(t, call, "no error", message);
}

/* ---- rounds ---- */

void script_begin(script *t, const char *program, uint64_t seed, unsigned long ops)
{
    snprintf(t->replay, sizeof(t->replay), "%s --seed %llu --rounds 1 --ops %lu", program,
             (unsigned long long)seed, ops);
    gen_init(&t->gen, seed, GEN_ALL);
    gen_set_release(&t->gen, seed);
}

berth_profile script_profile(script *t, uint32_t index, bool legacy)
{
    if (legacy)
        return *gen_legacy_profile(&t->gen, index);
    const berth_profile *base = berth_profile_default_of(t->gen.kubernetes);
    return *gen_profile(&t->gen, index, base, NULL, NULL);
}

void script_profiles(script *t, uint32_t legacy_percent)
{
    const bool legacy = gen_chance(&t->gen, legacy_percent) && GEN_KNOWS_LEGACY;
    for (uint32_t i = 0; i < SCRIPT_PROFILES; i++)
        t->profiles[i] = script_profile(t, i, legacy);
}

void script_config(script *t, uint64_t seed, berth_engine_config *config)
{
    static const uint32_t threads[] = {1, 1, 2};
    static const berth_path paths[] = {BERTH_PATH_SCAN, BERTH_PATH_AUTO, BERTH_PATH_INDEX};
    berth_engine_config_init(config);
    script_profiles(t, 20);
    config->threads = threads[gen_below(&t->gen, 3)];
    config->path = paths[gen_below(&t->gen, 3)];
    config->seed = seed;
}

void script_open(script *t, berth_engine_config *config, berth_engine **twin)
{
    berth_error error = {0};
    config->kubernetes = t->gen.release;
    config->profiles = t->profiles;
    config->profile_count = SCRIPT_PROFILES;
    script_must(t, "create", berth_engine_create(config, &t->engine, &error), &error);
    if (twin != NULL)
        script_must(t, "create", berth_engine_create(config, twin, &error), &error);
    script_must(t, "explanation", berth_explanation_create(NULL, &t->explanation, &error), &error);
}

void script_close(script *t)
{
    berth_explanation_destroy(t->explanation);
    berth_engine_destroy(t->engine);
    free(t->scratch.bytes);
    gen_free(&t->gen);
}

/* ---- reading the state ---- */

static void print_placement(text *out, const berth_placement *p)
{
    print(out, "%d node %u of %u, best %u at %lld, %u to %u\n", (int)p->verdict, p->node,
          p->feasible_count, p->best_count, (long long)p->total, p->start, p->next);
}

static int by_text(const void *a, const void *b)
{
    const berth_str *one = a, *other = b;
    uint32_t least = one->len < other->len ? one->len : other->len;
    int order = memcmp(one->data, other->data, least);
    return order != 0 ? order : (one->len > other->len) - (one->len < other->len);
}

static berth_str *reason_room(uint32_t count)
{
    berth_str *reasons = calloc(count + 1, sizeof(*reasons));
    if (reasons == NULL)
        abort();
    return reasons;
}

/* Sorts reasons, which are a set: those of resources come in the order of their columns, which
 * depends on whether a branch or its engine requested them first. Frees them. */
static void print_reasons(text *out, berth_str *reasons, uint32_t count)
{
    qsort(reasons, count, sizeof(*reasons), by_text);
    for (uint32_t r = 0; r < count; r++)
        print(out, "; %.*s", NAIVE_TEXT(reasons[r]));
    free(reasons);
}

static void print_explanation(text *out, const berth_explanation *e)
{
    berth_str message = berth_explanation_message(e), pre = berth_explanation_pre_filter(e);
    print(out, "pre %.*s\nmessage %.*s\n", NAIVE_TEXT(pre), NAIVE_TEXT(message));
    for (uint32_t i = 0; i < berth_explanation_feasible_count(e); i++) {
        int64_t total = 0;
        print(out, "feasible %u", berth_explanation_feasible(e, i, &total));
        for (uint32_t p = 0; p < berth_explanation_score_count(e); p++)
            print(out, " %lld", (long long)berth_explanation_score(e, p, i));
        print(out, " total %lld\n", (long long)total);
    }
    for (uint32_t i = 0; i < berth_explanation_refusal_count(e); i++) {
        berth_refusal refusal = berth_explanation_refusal(e, i);
        print(out, "refused %u %.*s %d", refusal.node, NAIVE_TEXT(refusal.plugin),
              (int)refusal.code);
        berth_str *reasons = reason_room(refusal.reason_count);
        for (uint32_t r = 0; r < refusal.reason_count; r++)
            reasons[r] = berth_explanation_reason(e, i, r);
        print_reasons(out, reasons, refusal.reason_count);
        print(out, "\n");
    }
    print(out, "nominated %u\n", berth_explanation_nominated(e));
    for (uint32_t i = 0; i < berth_explanation_victim_count(e); i++)
        print(out, "victim %llx\n", (unsigned long long)berth_explanation_victim(e, i));
}

static void print_node(text *out, const berth_engine *engine, berth_node_id node)
{
    static const char *const names[] = {
        "cpu", "memory", "pods", "nvidia.com/gpu", "ephemeral-storage", "hugepages-2Mi"};
    berth_str name = berth_engine_node_name(engine, node);
    print(out, "node %u %.*s", node, NAIVE_TEXT(name));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int64_t allocatable = 0, requested = 0;
        if (berth_engine_node_resource(engine, node, naive_str(names[i]), &allocatable, &requested,
                                       NULL) == BERTH_OK)
            print(out, " %lld/%lld", (long long)requested, (long long)allocatable);
    }
    berth_str zone =
        berth_engine_node_label(engine, node, naive_str("topology.kubernetes.io/zone"));
    print(out, " %.*s\n", NAIVE_TEXT(zone));
}

static void print_pending(text *out, const berth_engine *engine)
{
    uint64_t count = 0;
    (void)berth_engine_pending(engine, NULL, 0, &count, NULL);
    berth_pod_id *ids = calloc(count + 1, sizeof(*ids));
    if (ids == NULL || berth_engine_pending(engine, ids, count, NULL, NULL) != BERTH_OK)
        abort();
    for (uint64_t i = 0; i < count; i++)
        print(out, "pending %llx\n", (unsigned long long)ids[i]);
    free(ids);
}

/* Writes everything that can be read from the engine without changing it. An id without a node,
 * which only pods name or a failed call has reserved, is no state. */
void script_dump(const script *t, const berth_engine *engine, text *out)
{
    berth_counts counts;
    clear(out);
    berth_engine_counts(engine, &counts);
    print(out, "digest %llx, %u nodes, %llu running, %llu pending, %llu orphaned, %llu classes\n",
          (unsigned long long)berth_engine_digest(engine), counts.nodes,
          (unsigned long long)counts.pods_running, (unsigned long long)counts.pods_pending,
          (unsigned long long)counts.pods_orphaned, (unsigned long long)counts.pod_classes);
    for (berth_node_id node = 0; berth_engine_node_name(engine, node).data != NULL; node++)
        if (berth_engine_find_node(engine, berth_engine_node_name(engine, node)) == node)
            print_node(out, engine, node);
    for (size_t i = 0; i < t->pod_count; i++) {
        berth_pod_id id =
            berth_engine_find_pod(engine, naive_namespace(t->pods[i]), t->pods[i]->name);
        if (id != BERTH_POD_NONE)
            print(out, "pod %.*s %llx on %u\n", NAIVE_TEXT(t->pods[i]->name),
                  (unsigned long long)id, berth_engine_pod_node(engine, id));
    }
    print_pending(out, engine);
}

void script_same_state(script *t, berth_engine *twin)
{
    berth_error error = {0};
    text own = {0}, other = {0};
    script_must(t, "check", berth_engine_check(t->engine, &error), &error);
    script_must(t, "check of the twin", berth_engine_check(twin, &error), &error);
    script_dump(t, t->engine, &own);
    script_dump(t, twin, &other);
    script_same(t, "the state", other.bytes, own.bytes);
    free(own.bytes);
    free(other.bytes);
}

/* ---- running operations ---- */

static berth_pod_id pod_of(const berth_engine *engine, const berth_metadata *meta)
{
    return berth_engine_find_pod(engine, naive_namespace(meta), meta->name);
}

static bool namespaced_kind(berth_kind kind)
{
    return kind == BERTH_KIND_SERVICE || kind == BERTH_KIND_REPLICATION_CONTROLLER ||
           kind == BERTH_KIND_REPLICA_SET || kind == BERTH_KIND_STATEFUL_SET ||
           kind == BERTH_KIND_POD_DISRUPTION_BUDGET || kind == BERTH_KIND_CSI_STORAGE_CAPACITY ||
           kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM || kind == BERTH_KIND_RESOURCE_CLAIM ||
           kind == BERTH_KIND_POD;
}

static berth_status do_group(berth_engine *engine, const operation *op, text *out,
                             berth_error *error)
{
    berth_pod_id ids[GROUP_MAX];
    berth_placement placements[GROUP_MAX];
    uint32_t placed = 0;
    for (uint32_t i = 0; i < op->more_count; i++)
        ids[i] = pod_of(engine, op->more[i]);
    berth_status status =
        berth_engine_schedule_group(engine, ids, op->more_count, placements, &placed, error);
    print(out, "placed %u\n", placed);
    for (uint32_t i = 0; status == BERTH_OK && i < op->more_count && i <= placed; i++)
        print_placement(out, &placements[i]);
    return status;
}

static berth_status do_fit_count(script *t, berth_engine *engine, const operation *op, text *out,
                                 berth_error *error)
{
    berth_node_id nodes[FIT_MAX];
    uint32_t count = 0;
    berth_status status = berth_engine_fit_count(engine, pod_of(engine, op->target), FIT_MAX,
                                                 &count, nodes, t->explanation, error);
    print(out, "fit %u\n", count);
    for (uint32_t i = 0; i < count; i++)
        print(out, "on %u\n", nodes[i]);
    if (status == BERTH_OK && count < FIT_MAX)
        print_explanation(out, t->explanation);
    return status;
}

static berth_status do_fits(berth_engine *engine, const operation *op, text *out,
                            berth_error *error)
{
    berth_fit fit = {.size = sizeof(fit)};
    berth_status status =
        berth_engine_fits(engine, pod_of(engine, op->target),
                          berth_engine_find_node(engine, op->node), BERTH_FIT_REASONS, &fit, error);
    if (status != BERTH_OK)
        return status;
    print(out, "verdict %d code %d by %.*s", (int)fit.verdict, (int)fit.code,
          NAIVE_TEXT(fit.plugin));
    berth_str *reasons = reason_room(fit.reason_count);
    for (uint32_t i = 0; i < fit.reason_count; i++)
        reasons[i] = fit.reasons[i];
    print_reasons(out, reasons, fit.reason_count);
    print(out, "\n");
    return status;
}

static berth_status do_list(berth_engine *engine, const operation *op, text *out,
                            berth_error *error)
{
    enum { NODES = 64 };
    berth_node_id nodes[NODES];
    int64_t totals[NODES];
    uint32_t count = 0;
    berth_status status = berth_engine_feasible_nodes(engine, pod_of(engine, op->target), nodes,
                                                      totals, NODES, &count, error);
    for (uint32_t i = 0; status == BERTH_OK && i < count && i < NODES; i++)
        print(out, "%u: %lld\n", nodes[i], (long long)totals[i]);
    return status;
}

static berth_status do_decide(script *t, berth_engine *engine, const operation *op, text *out,
                              berth_error *error)
{
    const berth_decide_options how = {.size = sizeof(how),
                                      .explanation = op->verb == EXPLAIN ? t->explanation : NULL};
    berth_placement placement;
    berth_status status =
        op->verb == SCHEDULE
            ? berth_engine_schedule(engine, pod_of(engine, op->target), &placement, error)
            : berth_engine_decide(engine, pod_of(engine, op->target), &how, &placement, error);
    if (status == BERTH_OK)
        print_placement(out, &placement);
    if (status == BERTH_OK && op->verb == EXPLAIN)
        print_explanation(out, t->explanation);
    bool placed = status == BERTH_OK && placement.verdict == BERTH_VERDICT_PLACED;
    atomic_fetch_add(&script_placed, placed);
    atomic_fetch_add(&script_indexed, placed && placement.path == BERTH_PATH_INDEX);
    return status;
}

static berth_status do_object(berth_engine *engine, const operation *op, text *out,
                              berth_error *error)
{
    berth_object_id id = {0};
    berth_status status;
    if (op->verb == REMOVE) {
        berth_str space =
            namespaced_kind(op->object.kind) ? naive_namespace(op->target) : (berth_str){0};
        return berth_engine_remove(engine, op->object.kind, space, op->target->name, error);
    }
    if (op->verb == UPDATE)
        return berth_engine_update(engine, &op->object, error);
    status = berth_engine_add(engine, &op->object, &id, error);
    print(out, "id %x %llx\n", (unsigned)id.node, (unsigned long long)id.pod);
    return status;
}

static berth_status do_operation(script *t, berth_engine *engine, const operation *op, text *out,
                                 berth_error *error)
{
    switch (op->verb) {
    case SCHEDULE:
    case DECIDE:
    case EXPLAIN:
        return do_decide(t, engine, op, out, error);
    case BIND:
        return berth_engine_bind(engine, pod_of(engine, op->target),
                                 berth_engine_find_node(engine, op->node), error);
    case UNBIND:
        return berth_engine_unbind(engine, pod_of(engine, op->target), error);
    case NOMINATE:
        return berth_engine_nominate(engine, pod_of(engine, op->target),
                                     berth_engine_find_node(engine, op->node), error);
    case CORDON:
    case UNCORDON:
        return berth_engine_cordon_node(engine, berth_engine_find_node(engine, op->node),
                                        op->verb == CORDON, error);
    case CLOSE:
    case OPEN:
        return berth_engine_close_node(engine, berth_engine_find_node(engine, op->node),
                                       op->verb == CLOSE, error);
    case GROUP:
        return do_group(engine, op, out, error);
    case FIT_COUNT:
        return do_fit_count(t, engine, op, out, error);
    case ASK_FIT:
        return do_fits(engine, op, out, error);
    case ASK_ALL:
        return do_list(engine, op, out, error);
    default:
        return do_object(engine, op, out, error);
    }
}

/* Runs an operation and returns its result as a text that the caller owns. */
char *script_run(script *t, berth_engine *engine, const operation *op)
{
    char message[1024] = "";
    berth_error error = {0};
    clear(&t->scratch);
    print(&t->scratch, "%s\n", verb_names[op->verb]);
    berth_status status = do_operation(t, engine, op, &t->scratch, &error);
    if (status != BERTH_OK)
        berth_error_format(&error, message, sizeof(message));
    print(&t->scratch, "status %d %s\n", (int)status, message);
    atomic_fetch_add(&script_operations, 1);
    return strdup(t->scratch.bytes);
}

/* ---- choosing operations ---- */

static const berth_metadata *random_pod(script *t, bool running)
{
    size_t start = t->pod_count > 0 ? gen_below(&t->gen, (uint32_t)t->pod_count) : 0;
    for (size_t i = 0; i < t->pod_count; i++) {
        const berth_metadata *meta = t->pods[(start + i) % t->pod_count];
        berth_pod_id id = pod_of(t->engine, meta);
        if (id != BERTH_POD_NONE &&
            (berth_engine_pod_node(t->engine, id) != BERTH_NODE_NONE) == running)
            return meta;
    }
    return t->pod_count > 0 ? t->pods[start] : NULL;
}

static berth_str random_node(script *t)
{
    const berth_node *node = gen_node(&t->gen, gen_below(&t->gen, t->gen.node_names));
    return gen_chance(&t->gen, 3) ? naive_str("elsewhere") : node->meta.name;
}

static const berth_pod *new_pod(script *t, berth_str node)
{
    const berth_pod *pod = gen_pod(&t->gen, t->pod_serial++, node, SCRIPT_PROFILES);
    t->pods = naive_grow(&t->gen.region, t->pods, t->pod_count, sizeof(*t->pods));
    t->pods[t->pod_count++] = &pod->meta;
    return pod;
}

static operation change_node(script *t)
{
    const berth_node *node = gen_node(&t->gen, gen_below(&t->gen, t->gen.node_names));
    operation op = {.object = {.kind = BERTH_KIND_NODE, .as.node = node}, .target = &node->meta};
    bool there = berth_engine_find_node(t->engine, node->meta.name) != BERTH_NODE_NONE;
    op.verb = !there ? ADD : gen_chance(&t->gen, 55) ? UPDATE : REMOVE;
    return op;
}

static bool change_object(script *t, operation *op)
{
    berth_kind kind = (berth_kind)gen_below(&t->gen, BERTH_KIND_COUNT);
    uint32_t names = gen_object_names(kind);
    if (names == 0 || !gen_object(&t->gen, kind, gen_below(&t->gen, names), &op->object))
        return false;
    op->target = op->object.as.any;
    op->verb = (verb[]){ADD, UPDATE, REMOVE}[gen_below(&t->gen, 3)];
    return true;
}

/* Replaces a pod by another one with the same name and node. */
static operation update_pod(script *t, const berth_metadata *old)
{
    berth_pod *pod = naive_alloc(&t->gen.region, sizeof(*pod));
    berth_pod_id id = pod_of(t->engine, old);
    berth_node_id node =
        id != BERTH_POD_NONE ? berth_engine_pod_node(t->engine, id) : BERTH_NODE_NONE;
    berth_str name = {0};
    if (node != BERTH_NODE_NONE)
        name = naive_str(naive_print(&t->gen.region, "%.*s",
                                     NAIVE_TEXT(berth_engine_node_name(t->engine, node))));
    else if (gen_chance(&t->gen, 20))
        name = random_node(t);
    *pod = *gen_pod(&t->gen, t->pod_serial++, name, SCRIPT_PROFILES);
    pod->meta.name = old->name;
    pod->meta.namespace_name = old->namespace_name;
    pod->meta.uid = old->uid;
    return (operation){
        .verb = UPDATE, .object = {.kind = BERTH_KIND_POD, .as.pod = pod}, .target = &pod->meta};
}

static operation on_pod(script *t, verb what, bool running)
{
    operation op = {.verb = what, .target = random_pod(t, running)};
    if (what == BIND || what == NOMINATE || what == ASK_FIT)
        op.node = random_node(t);
    if (what == REMOVE)
        op.object.kind = BERTH_KIND_POD;
    for (op.more_count = 0; what == GROUP && op.more_count < GROUP_MAX; op.more_count++)
        op.more[op.more_count] = random_pod(t, running);
    return op;
}

operation script_add_pod(script *t)
{
    const berth_pod *pod = new_pod(t, gen_chance(&t->gen, 25) ? random_node(t) : (berth_str){0});
    return (operation){
        .verb = ADD, .object = {.kind = BERTH_KIND_POD, .as.pod = pod}, .target = &pod->meta};
}

void script_fill(script *t, void (*operate)(void *context, const operation *op), void *context)
{
    cluster_gen *gen = &t->gen;
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        for (uint32_t i = 0; i < gen_object_names((berth_kind)kind); i++) {
            operation op = {.verb = ADD};
            if (gen_chance(gen, 80) && gen_object(gen, (berth_kind)kind, i, &op.object))
                operate(context, &op);
        }
    for (uint32_t i = 0; i < gen->node_names; i++) {
        operation op = {.verb = ADD,
                        .object = {.kind = BERTH_KIND_NODE, .as.node = gen_node(gen, i)}};
        if (gen_chance(gen, 85))
            operate(context, &op);
    }
    for (uint32_t i = gen_below(gen, 60); i > 0; i--) {
        operation op = script_add_pod(t);
        operate(context, &op);
    }
}

operation script_operation(script *t)
{
    operation op = {.verb = VERBS};
    uint32_t dice = gen_below(&t->gen, 100);
    if (t->pod_count == 0 || dice < 12)
        return script_add_pod(t);
    if (dice < 50)
        return on_pod(
            t,
            (verb[]){SCHEDULE, SCHEDULE, SCHEDULE, DECIDE, EXPLAIN, EXPLAIN}[gen_below(&t->gen, 6)],
            false);
    if (dice < 54)
        return on_pod(t, BIND, false);
    if (dice < 64)
        return on_pod(t, UNBIND, true);
    if (dice < 69)
        return on_pod(t, REMOVE, gen_chance(&t->gen, 70));
    if (dice < 75)
        return update_pod(t, random_pod(t, gen_chance(&t->gen, 60)));
    if (dice < 79)
        return on_pod(t, t->nodes_stay ? SCHEDULE : NOMINATE, false);
    if (dice < 81)
        return on_pod(t, GROUP, false);
    if (dice < 83)
        return on_pod(t, FIT_COUNT, gen_chance(&t->gen, 50));
    if (dice < 85)
        return on_pod(t, gen_chance(&t->gen, 50) ? ASK_FIT : ASK_ALL, false);
    if (t->nodes_stay)
        return on_pod(t, SCHEDULE, false);
    if (dice < 88)
        return (operation){.verb = (verb[]){CORDON, UNCORDON, CLOSE, OPEN}[gen_below(&t->gen, 4)],
                           .node = random_node(t)};
    if (dice < 94 || t->nodes_and_pods || !change_object(t, &op))
        return change_node(t);
    return op;
}
