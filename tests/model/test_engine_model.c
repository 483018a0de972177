/* Property test: an engine, driven through its public API, and the naive scheduler run the same
 * random history and must agree on every detail of every decision.
 *
 * Usage: test_engine_model [--seed S] [--rounds N] [--ops N] [--nodes N] [--kubernetes N]
 *                          [--without LIST] [--trace]
 * Round r of seed S is round 0 of seed S + r; a failure prints this to replay it. BERTH_TEST_SEED
 * replaces the seed of a run without --seed. Schedulers and objects are those of Kubernetes 1.N, 32
 * to 37; without --kubernetes the seed chooses. LIST names parts of the generator: spread,
 * affinity, volumes, preemption, legacy (rounds of v1.15 profiles, which do not preempt). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/engine.h"
#include "berth/kube.h"
#include "cluster_gen.h"
#include "effort.h"

#define PROFILES 3

typedef struct options {
    uint64_t seed;
    unsigned long rounds, ops;
    uint32_t nodes;      /* 0: chosen by the seed */
    uint32_t kubernetes; /* 0: chosen by the seed */
    unsigned features;
    bool trace;
} options;

/* One round: the two schedulers and its progress. */
typedef struct trial {
    const options *options;
    uint64_t seed;
    unsigned long op;
    cluster_gen gen;
    naive_cluster naive;
    berth_engine *engine;
    berth_explanation *explanation;
    berth_profile profiles[PROFILES];
    uint32_t pod_serial;
    uint32_t picks;       /* among equals, round robin */
    berth_str doing;      /* the object of the current operation */
    const berth_pod *pod; /* the pod being decided on, or NULL */
    bool failed;
} trial;

static unsigned long decisions_made, decisions_placed, decisions_nominated;

/* ---- reporting ---- */

static bool report(trial *t, const char *what, const char *wanted, const char *got)
{
    if (!t->failed) {
        fprintf(stderr,
                "FAILED in operation %lu on %.*s: %s\n  naive  %s\n  engine %s\n"
                "replay: test_engine_model --seed %llu --rounds 1 --ops %lu --kubernetes %u\n",
                t->op, NAIVE_TEXT(t->doing), what, wanted, got, (unsigned long long)t->seed,
                t->options->ops, t->options->kubernetes);
        if (t->pod != NULL) {
            gen_print_pod(stderr, t->pod);
        }
    }
    t->failed = true;
    return false;
}

/* Lists have a line for each item; only the first lines that differ are shown. */
static void same_text(trial *t, const char *what, const char *wanted, const char *got)
{
    char a[600], b[600];
    if (strcmp(wanted, got) == 0) {
        return;
    }
    size_t at = 0;
    for (size_t i = 0; wanted[i] == got[i]; i++) {
        at = wanted[i] == '\n' ? i + 1 : at;
    }
    snprintf(a, sizeof(a), "%.*s", (int)strcspn(wanted + at, "\n"), wanted + at);
    snprintf(b, sizeof(b), "%.*s", (int)strcspn(got + at, "\n"), got + at);
    report(t, what, a, b);
}

static void same_number(trial *t, const char *what, int64_t wanted, int64_t got)
{
    char a[32], b[32];
    if (wanted != got) {
        snprintf(a, sizeof(a), "%lld", (long long)wanted);
        snprintf(b, sizeof(b), "%lld", (long long)got);
        report(t, what, a, b);
    }
}

static void must(trial *t, const char *call, berth_status status, const berth_error *error)
{
    char text[1024];
    if (status != BERTH_OK) {
        berth_error_format(error, text, sizeof(text));
        report(t, call, "BERTH_OK", text);
    }
}

static void trace(const trial *t, const char *verb, berth_str name, berth_str where)
{
    if (t->options->trace) {
        printf("%lu: %s %.*s %.*s\n", t->op, verb, NAIVE_TEXT(name), NAIVE_TEXT(where));
    }
}

/* ---- one decision compared ---- */

static int compare_texts(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

/* Joins the texts, each followed by `end`, sorted if `sort`. */
static const char *join(naive_region *r, const char **items, size_t count, bool sort, char end)
{
    size_t bytes = 1, at = 0;
    if (sort) {
        qsort(items, count, sizeof(*items), compare_texts);
    }
    for (size_t i = 0; i < count; i++) {
        bytes += strlen(items[i]) + 1;
    }
    char *text = naive_alloc(r, bytes);
    for (size_t i = 0; i < count; i++) {
        at += (size_t)sprintf(text + at, "%s%c", items[i], end);
    }
    return text;
}

static const char *text_of(naive_region *r, berth_str s)
{
    return s.data == NULL ? "(absent)" : naive_print(r, "%.*s", NAIVE_TEXT(s));
}

static const char *node_text(const trial *t, naive_region *r, berth_node_id node)
{
    return text_of(r, berth_engine_node_name(t->engine, node));
}

/* One line for each feasible node: name, every plugin's value, total. */
static void compare_feasible(trial *t, const naive_decision *d, bool sort, naive_region *r)
{
    uint32_t count = berth_explanation_feasible_count(t->explanation);
    uint32_t plugins = berth_explanation_score_count(t->explanation);
    const char **wanted = naive_alloc(r, (d->feasible_count + 1) * sizeof(*wanted));
    const char **got = naive_alloc(r, (count + 1) * sizeof(*got));
    const char **scores = naive_alloc(r, (d->score_count + plugins + 1) * sizeof(*scores));
    for (size_t i = 0; i < d->feasible_count; i++) {
        for (size_t p = 0; p < d->score_count; p++) {
            scores[p] = naive_print(r, "%.*s=%lld", NAIVE_TEXT(d->scores[p].plugin),
                                    (long long)d->scores[p].values[i]);
        }
        wanted[i] = naive_print(r, "%.*s total=%lld %s", NAIVE_TEXT(d->feasible[i]->meta.name),
                                (long long)d->total[i], join(r, scores, d->score_count, true, ' '));
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t total;
        berth_node_id node = berth_explanation_feasible(t->explanation, i, &total);
        for (uint32_t p = 0; p < plugins; p++) {
            berth_str name = berth_explanation_score_plugin(t->explanation, p);
            scores[p] = naive_print(r, "%.*s=%lld", NAIVE_TEXT(name),
                                    (long long)berth_explanation_score(t->explanation, p, i));
        }
        got[i] = naive_print(r, "%s total=%lld %s", node_text(t, r, node), (long long)total,
                             join(r, scores, plugins, true, ' '));
    }
    same_text(t, "feasible nodes and scores", join(r, wanted, d->feasible_count, sort, '\n'),
              join(r, got, count, sort, '\n'));
}

static void compare_refusals(trial *t, const naive_decision *d, naive_region *r)
{
    uint32_t count = berth_explanation_refusal_count(t->explanation);
    const char **wanted = naive_alloc(r, (d->refusal_count + 1) * sizeof(*wanted));
    const char **got = naive_alloc(r, (count + 1) * sizeof(*got));
    for (size_t i = 0; i < d->refusal_count; i++) {
        const naive_refusal *f = &d->refusals[i];
        wanted[i] = naive_print(r, "%.*s %.*s %s: %s", NAIVE_TEXT(f->node->meta.name),
                                NAIVE_TEXT(f->plugin), f->unresolvable ? "UU" : "U",
                                join(r, f->reasons, f->reason_count, true, ';'));
    }
    for (uint32_t i = 0; i < count; i++) {
        berth_refusal f = berth_explanation_refusal(t->explanation, i);
        const char **reasons = naive_alloc(r, (f.reason_count + 1) * sizeof(*reasons));
        for (uint32_t k = 0; k < f.reason_count; k++) {
            reasons[k] = text_of(r, berth_explanation_reason(t->explanation, i, k));
        }
        got[i] = naive_print(r, "%s %.*s %s: %s", node_text(t, r, f.node), NAIVE_TEXT(f.plugin),
                             f.code == BERTH_CODE_UNRESOLVABLE ? "UU" : "U",
                             join(r, reasons, f.reason_count, true, ';'));
    }
    same_text(t, "refusals", join(r, wanted, d->refusal_count, true, '\n'),
              join(r, got, count, true, '\n'));
}

static void compare_preemption(trial *t, const naive_decision *d, naive_region *r)
{
    uint32_t count = berth_explanation_victim_count(t->explanation);
    const char **wanted = naive_alloc(r, (d->victim_count + 1) * sizeof(*wanted));
    const char **got = naive_alloc(r, (count + 1) * sizeof(*got));
    for (size_t i = 0; i < d->victim_count; i++) {
        wanted[i] = naive_print(r, "%.*s", NAIVE_TEXT(d->victims[i]->meta.name));
    }
    for (uint32_t i = 0; i < count; i++) {
        berth_str ns, name;
        berth_engine_pod_name(t->engine, berth_explanation_victim(t->explanation, i), &ns, &name);
        got[i] = text_of(r, name);
    }
    same_text(t, "nominated node",
              d->nominated != NULL ? text_of(r, d->nominated->meta.name) : "(absent)",
              node_text(t, r, berth_explanation_nominated(t->explanation)));
    same_text(t, "victims", join(r, wanted, d->victim_count, true, '\n'),
              join(r, got, count, true, '\n'));
}

#define ANY SIZE_MAX

/* Is `node` one of the best: number `which` of them, or ANY? */
static bool is_best(const naive_decision *d, berth_str node, size_t which)
{
    size_t best = 0;
    for (size_t i = 0; i < d->feasible_count; i++) {
        if (d->total[i] != d->best_total) {
            continue;
        }
        if ((which == ANY || which == best) && naive_same(d->feasible[i]->meta.name, node)) {
            return true;
        }
        best++;
    }
    return false;
}

/* Which of the best nodes the naive scheduler's heap returns, counted from 0. */
static size_t which_of_heap(const naive_decision *d)
{
    size_t before = 0;
    for (size_t i = 0; d->feasible[i] != d->chosen; i++) {
        before += d->total[i] == d->best_total;
    }
    return before;
}

static berth_tie tie_of(const trial *t, const berth_profile *profile)
{
    if (profile->tie != BERTH_TIE_DEFAULT) {
        return profile->tie;
    }
    return t->naive.kubernetes >= 35 ? BERTH_TIE_KUBERNETES : BERTH_TIE_FIRST;
}

/* The number of the best node that must be taken. A single node is taken without a pick among
 * equals. Allow-listed nodes are visited in no defined order. */
static size_t which_best(const trial *t, const naive_decision *d, const berth_profile *profile)
{
    if (d->allow_listed || d->feasible_count < 2) {
        return d->allow_listed ? ANY : 0;
    }
    switch (tie_of(t, profile)) {
    case BERTH_TIE_RANDOM:
        return ANY;
    case BERTH_TIE_KUBERNETES:
        return which_of_heap(d);
    case BERTH_TIE_ROUND_ROBIN:
        return t->picks % d->best_count;
    default:
        return 0;
    }
}

static void compare_placement(trial *t, const naive_decision *d, const berth_profile *profile,
                              const berth_placement *p, naive_region *r)
{
    berth_verdict verdict = d->error                 ? BERTH_VERDICT_ERROR
                            : d->feasible_count == 0 ? BERTH_VERDICT_UNSCHEDULABLE
                                                     : BERTH_VERDICT_PLACED;
    same_number(t, "verdict", verdict, p->verdict);
    if (verdict == BERTH_VERDICT_ERROR) {
        return;
    }
    same_number(t, "start", d->start, p->start);
    same_number(t, "feasible count", (int64_t)d->feasible_count, p->feasible_count);
    if (verdict == BERTH_VERDICT_UNSCHEDULABLE) {
        same_number(t, "node", BERTH_NODE_NONE, p->node);
        return;
    }
    size_t which = which_best(t, d, profile);
    if (!is_best(d, berth_engine_node_name(t->engine, p->node), which)) {
        report(t, "chosen node",
               which == ANY ? "one of the best" : naive_print(r, "number %zu of the best", which),
               node_text(t, r, p->node));
    }
    if (d->feasible_count > 1) {
        same_number(t, "best count", (int64_t)d->best_count, p->best_count);
        same_number(t, "best total", d->best_total, p->total);
    }
}

/* The engine has decided and moved on. */
static void count_pick(trial *t, const naive_decision *d, const berth_profile *profile)
{
    t->picks += profile->tie == BERTH_TIE_ROUND_ROBIN && d->feasible_count > 1 && !d->error;
}

static const berth_profile *profile_of(const trial *t, const berth_pod *pod)
{
    for (int i = 0; i < PROFILES; i++) {
        if (naive_same(t->profiles[i].scheduler_name, pod->scheduler_name)) {
            return &t->profiles[i];
        }
    }
    return NULL;
}

static berth_pod_id pod_id(const trial *t, const berth_pod *pod)
{
    return berth_engine_find_pod(t->engine, naive_namespace(&pod->meta), pod->meta.name);
}

static void compare_explanation(trial *t, const naive_decision *d, naive_region *r)
{
    same_text(t, "preFilter", d->pre_filter != NULL ? d->pre_filter : "(absent)",
              text_of(r, berth_explanation_pre_filter(t->explanation)));
    compare_refusals(t, d, r);
    compare_feasible(t, d, d->allow_listed, r);
    same_text(t, "message", d->message != NULL ? d->message : "(absent)",
              text_of(r, berth_explanation_message(t->explanation)));
    compare_preemption(t, d, r);
}

/* Decide and bind in one step, as a scheduler does. */
static void schedule(trial *t, const berth_pod *pod)
{
    const berth_profile *profile = profile_of(t, pod);
    berth_placement placement;
    berth_error error = {0};
    naive_region r = {0};
    naive_decision d;
    t->doing = pod->meta.name;
    t->pod = pod;
    trace(t, "schedule", pod->meta.name, pod->scheduler_name);
    naive_decide(&t->naive, profile, pod, &d);
    must(t, "schedule", berth_engine_schedule(t->engine, pod_id(t, pod), &placement, &error),
         &error);
    compare_placement(t, &d, profile, &placement, &r);
    count_pick(t, &d, profile);
    same_number(t, "next", d.next, placement.next);
    if (!t->failed && placement.verdict == BERTH_VERDICT_PLACED) {
        naive_bind(&t->naive, profile, pod, berth_engine_node_name(t->engine, placement.node));
    }
    t->pod = NULL;
    naive_region_free(&r);
    naive_decision_free(&d);
}

/* Decide three times: naively, quickly, and with an explanation. */
static void decide(trial *t, const berth_pod *pod, naive_decision *d)
{
    const berth_profile *profile = profile_of(t, pod);
    berth_decide_options quick = {.size = sizeof(quick), .flags = BERTH_DECIDE_KEEP_ROTATION};
    berth_decide_options full = {.size = sizeof(full), .explanation = t->explanation};
    berth_placement placements[2];
    berth_error error = {0};
    naive_region r = {0};
    t->doing = pod->meta.name;
    t->pod = pod;
    trace(t, "decide", pod->meta.name, pod->scheduler_name);
    naive_decide(&t->naive, profile, pod, d);
    must(t, "decide",
         berth_engine_decide(t->engine, pod_id(t, pod), &quick, &placements[0], &error), &error);
    must(t, "decide with explanation",
         berth_engine_decide(t->engine, pod_id(t, pod), &full, &placements[1], &error), &error);
    if (!d->error && !t->failed) {
        compare_explanation(t, d, &r);
        same_number(t, "next", d->next, placements[1].next);
    } else if (d->message != NULL && !t->failed) {
        same_text(t, "error", d->message, text_of(&r, berth_explanation_message(t->explanation)));
        same_number(t, "next", d->next, placements[1].next);
    }
    for (int i = 0; i < 2 && !t->failed; i++) {
        compare_placement(t, d, profile, &placements[i], &r);
    }
    count_pick(t, d, profile);
    decisions_made++;
    decisions_placed += d->feasible_count > 0;
    decisions_nominated += d->nominated != NULL;
    t->pod = NULL;
    naive_region_free(&r);
}

/* ---- operations on both ---- */

static berth_status print_piece(void *context, berth_str piece, berth_error *error)
{
    (void)context;
    (void)error;
    printf("%.*s", NAIVE_TEXT(piece));
    return BERTH_OK;
}

static void trace_object(const trial *t, const berth_object *object)
{
    berth_error error;
    if (t->options->trace && object->kind == BERTH_KIND_NODE) {
        gen_print_node(stdout, object->as.node);
    } else if (t->options->trace && object->kind == BERTH_KIND_POD) {
        gen_print_pod(stdout, object->as.pod);
    } else if (t->options->trace && object->kind > BERTH_KIND_POD) { /* devices */
        berth_object_write(object, print_piece, NULL, &error);
        printf("\n");
    }
}

static berth_object object_of(berth_kind kind, const void *any)
{
    berth_object object = {.kind = kind};
    object.as.any = any;
    return object;
}

static void add(trial *t, berth_kind kind, const void *any)
{
    berth_object object = object_of(kind, any);
    const berth_metadata *meta = any;
    berth_error error = {0};
    t->doing = meta->name;
    trace(t, "add", meta->name, kind == BERTH_KIND_POD ? object.as.pod->node_name : (berth_str){0});
    trace_object(t, &object);
    must(t, "add", berth_engine_add(t->engine, &object, NULL, &error), &error);
    naive_add(&t->naive, &object);
}

static void update(trial *t, berth_kind kind, const void *any)
{
    berth_object object = object_of(kind, any);
    const berth_metadata *meta = any;
    berth_error error = {0};
    t->doing = meta->name;
    trace(t, "update", meta->name, (berth_str){0});
    trace_object(t, &object);
    must(t, "update", berth_engine_update(t->engine, &object, &error), &error);
    naive_update(&t->naive, &object);
}

static void remove_object(trial *t, berth_kind kind, bool namespaced, const berth_metadata *meta)
{
    berth_error error = {0};
    berth_str ns = namespaced ? naive_namespace(meta) : naive_str("");
    t->doing = meta->name;
    trace(t, "remove", meta->name, ns);
    must(t, "remove", berth_engine_remove(t->engine, kind, ns, meta->name, &error), &error);
    naive_remove(&t->naive, kind, ns, meta->name);
}

static naive_pod *random_pod(trial *t, bool running)
{
    size_t n = t->naive.pod_count;
    size_t start = n > 0 ? gen_below(&t->gen, (uint32_t)n) : 0;
    for (size_t i = 0; i < n; i++) {
        naive_pod *p = &t->naive.pods[(start + i) % n];
        if ((p->node.len > 0) == running) {
            return p;
        }
    }
    return NULL;
}

static berth_str random_node(trial *t)
{
    const naive_objects *nodes = &t->naive.objects[BERTH_KIND_NODE];
    if (nodes->count == 0 || gen_chance(&t->gen, 3)) {
        return naive_str("elsewhere");
    }
    const berth_node *node = nodes->items[gen_below(&t->gen, (uint32_t)nodes->count)];
    return node->meta.name;
}

static void add_pod(trial *t)
{
    berth_str node = gen_chance(&t->gen, 30) ? random_node(t) : (berth_str){0};
    add(t, BERTH_KIND_POD, gen_pod(&t->gen, t->pod_serial++, node, PROFILES));
}

/* Replaces a pod by another one with the same name and node. */
static void update_pod(trial *t)
{
    const naive_pod *old = random_pod(t, gen_chance(&t->gen, 60));
    if (old == NULL) {
        return;
    }
    berth_pod *pod = naive_alloc(&t->gen.region, sizeof(*pod));
    *pod = *gen_pod(&t->gen, t->pod_serial++, old->node, PROFILES);
    pod->meta.name = old->pod->meta.name;
    pod->meta.namespace_name = old->pod->meta.namespace_name;
    pod->meta.uid = old->pod->meta.uid;
    /* A nomination by a call survives an update without one; in the naive model, it does not. */
    if (old->node.len == 0) {
        berth_error error = {0};
        must(t, "nominate for no node",
             berth_engine_nominate(t->engine, pod_id(t, pod), BERTH_NODE_NONE, &error), &error);
    }
    update(t, BERTH_KIND_POD, pod);
}

/* A report of a kubelet: the same object, or with other amounts. */
static const berth_node *reported(trial *t, const berth_node *old, const berth_node *other)
{
    berth_node *node = naive_alloc(&t->gen.region, sizeof(*node));
    *node = *old;
    if (gen_chance(&t->gen, 50)) {
        node->allocatable = other->allocatable;
    }
    return node;
}

static void change_node(trial *t)
{
    uint32_t index = gen_below(&t->gen, t->gen.node_names);
    const berth_node *node = gen_node(&t->gen, index);
    const berth_node *old = naive_find_node(&t->naive, node->meta.name);
    if (old == NULL) {
        add(t, BERTH_KIND_NODE, node);
    } else if (gen_chance(&t->gen, 30)) {
        update(t, BERTH_KIND_NODE, reported(t, old, node));
    } else if (gen_chance(&t->gen, 50)) {
        update(t, BERTH_KIND_NODE, node);
    } else {
        remove_object(t, BERTH_KIND_NODE, false, &old->meta);
        if (gen_chance(&t->gen, 40)) {
            add(t, BERTH_KIND_NODE, node);
        }
    }
}

static bool namespaced_kind(berth_kind kind)
{
    return kind == BERTH_KIND_SERVICE || kind == BERTH_KIND_REPLICATION_CONTROLLER ||
           kind == BERTH_KIND_REPLICA_SET || kind == BERTH_KIND_STATEFUL_SET ||
           kind == BERTH_KIND_POD_DISRUPTION_BUDGET || kind == BERTH_KIND_CSI_STORAGE_CAPACITY ||
           kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM || kind == BERTH_KIND_RESOURCE_CLAIM;
}

static void change_object(trial *t, berth_kind kind, uint32_t index)
{
    berth_object object;
    if (!gen_object(&t->gen, kind, index, &object)) {
        return;
    }
    const berth_metadata *meta = object.as.any;
    const void *old =
        naive_find(&t->naive, kind, namespaced_kind(kind) ? naive_namespace(meta) : (berth_str){0},
                   meta->name);
    if (old == NULL) {
        add(t, kind, object.as.any);
    } else if (gen_chance(&t->gen, 65)) {
        update(t, kind, object.as.any);
    } else {
        remove_object(t, kind, namespaced_kind(kind), old);
    }
}

static void change_some_object(trial *t)
{
    berth_kind kind = (berth_kind)gen_below(&t->gen, BERTH_KIND_COUNT);
    if (gen_object_names(kind) > 0) {
        change_object(t, kind, gen_below(&t->gen, gen_object_names(kind)));
    }
}

static void bind(trial *t, const berth_pod *pod, berth_str node)
{
    berth_error error = {0};
    trace(t, "bind", pod->meta.name, node);
    must(t, "bind",
         berth_engine_bind(t->engine, pod_id(t, pod), berth_engine_find_node(t->engine, node),
                           &error),
         &error);
    naive_bind(&t->naive, profile_of(t, pod), pod, node);
}

static void unbind(trial *t)
{
    const naive_pod *p = random_pod(t, true);
    berth_error error = {0};
    /* Neither scheduler places a pod that was added with a node. */
    if (p == NULL || p->pod->node_name.len > 0) {
        return;
    }
    const berth_pod *pod = p->pod;
    t->doing = pod->meta.name;
    trace(t, "unbind", pod->meta.name, p->node);
    must(t, "unbind", berth_engine_unbind(t->engine, pod_id(t, pod), &error), &error);
    naive_unbind(&t->naive, pod);
}

/* The same pod with another nominated node. */
static const berth_pod *renominated(trial *t, const berth_pod *pod, berth_str node)
{
    berth_pod *copy = naive_alloc(&t->gen.region, sizeof(*copy));
    *copy = *pod;
    copy->nominated_node_name = node;
    return copy;
}

/* Nominate through the engine, which ends the nominations of lower-priority pods for that node. */
static void nominate(trial *t, const berth_pod *pod, berth_str node)
{
    berth_error error = {0};
    trace(t, "nominate", pod->meta.name, node);
    must(t, "nominate",
         berth_engine_nominate(t->engine, pod_id(t, pod), berth_engine_find_node(t->engine, node),
                               &error),
         &error);
    for (size_t i = 0; i < t->naive.pod_count; i++) {
        naive_pod *other = &t->naive.pods[i];
        if (other->node.len == 0 && naive_same(other->pod->nominated_node_name, node) &&
            other->pod->priority < pod->priority) {
            other->pod = renominated(t, other->pod, (berth_str){0});
        }
    }
    naive_find_pod(&t->naive, naive_namespace(&pod->meta), pod->meta.name)->pod =
        renominated(t, pod, node);
}

/* Evict most of the victims that preemption chose. */
static void follow_preemption(trial *t, const berth_pod *pod, const naive_decision *d)
{
    berth_str node = d->nominated->meta.name;
    if (gen_chance(&t->gen, 50)) {
        nominate(t, pod, node);
    } else {
        update(t, BERTH_KIND_POD, renominated(t, pod, node));
    }
    for (size_t i = 0; i < d->victim_count; i++) {
        if (gen_chance(&t->gen, 80)) {
            remove_object(t, BERTH_KIND_POD, true, &d->victims[i]->meta);
        }
    }
}

static void place_pod(trial *t)
{
    naive_pod *p = random_pod(t, false);
    if (p == NULL) {
        add_pod(t);
        return;
    }
    const berth_pod *pod = p->pod;
    naive_decision d;
    if (gen_chance(&t->gen, 30)) {
        schedule(t, pod);
        return;
    }
    decide(t, pod, &d);
    if (!t->failed && d.feasible_count > 0 && !d.error) {
        size_t chosen = gen_below(&t->gen, (uint32_t)d.feasible_count);
        if (gen_chance(&t->gen, 90)) {
            for (chosen = 0; d.total[chosen] != d.best_total;) {
                chosen++;
            }
        }
        berth_str node = d.feasible[chosen]->meta.name;
        bind(t, pod, node);
    } else if (!t->failed && d.nominated != NULL && gen_chance(&t->gen, 70)) {
        follow_preemption(t, pod, &d);
    } else if (!t->failed && gen_chance(&t->gen, 10) &&
               t->naive.objects[BERTH_KIND_NODE].count > 0) {
        berth_str node = random_node(t);
        if (naive_find_node(&t->naive, node) != NULL) {
            bind(t, pod, node);
        }
    } else if (gen_chance(&t->gen, 30)) {
        remove_object(t, BERTH_KIND_POD, true, &pod->meta);
    }
    naive_decision_free(&d);
}

/* ---- state compared ---- */

static void compare_order(trial *t)
{
    naive_region r = {0};
    naive_refresh(&t->naive);
    naive_copy_changed(&t->naive);
    uint32_t count = 0;
    berth_error error;
    must(t, "node_order", berth_engine_node_order(t->engine, NULL, 0, &count, &error), &error);
    berth_node_id *ids = naive_alloc(&r, (count + 1) * sizeof(*ids));
    const char **wanted = naive_alloc(&r, (t->naive.order_count + 1) * sizeof(*wanted));
    const char **got = naive_alloc(&r, (count + 1) * sizeof(*got));
    must(t, "node_order", berth_engine_node_order(t->engine, ids, count, NULL, &error), &error);
    for (size_t i = 0; i < t->naive.order_count; i++) {
        wanted[i] = text_of(&r, t->naive.order[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        got[i] = node_text(t, &r, ids[i]);
    }
    same_text(t, "node order", join(&r, wanted, t->naive.order_count, false, '\n'),
              join(&r, got, count, false, '\n'));
    naive_region_free(&r);
}

static void compare_resources(trial *t)
{
    static const char *const names[] = {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu",
                                        "hugepages-2Mi"};
    const naive_objects *nodes = &t->naive.objects[BERTH_KIND_NODE];
    naive_attempt a = {.cluster = &t->naive};
    for (size_t n = 0; n < nodes->count; n++) {
        const berth_node *node = nodes->items[n];
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            int64_t allocatable = 0, requested = 0;
            bool present;
            berth_str name = naive_str(names[i]);
            t->doing = node->meta.name;
            same_number(t, "node_resource", BERTH_OK,
                        berth_engine_node_resource(
                            t->engine, berth_engine_find_node(t->engine, node->meta.name), name,
                            &allocatable, &requested, NULL));
            same_number(t, names[i], naive_allocatable(node, name, &present), allocatable);
            same_number(t, names[i],
                        t->naive.legacy ? naive_legacy_request(&a, node, name, false)
                                        : naive_node_request(&a, node, name, false),
                        requested);
        }
    }
}

static void compare_state(trial *t)
{
    berth_error error = {0};
    berth_counts counts;
    uint64_t pending = 0, running = 0, orphaned = 0;
    must(t, "check", berth_engine_check(t->engine, &error), &error);
    for (size_t i = 0; i < t->naive.pod_count; i++) {
        const naive_pod *p = &t->naive.pods[i];
        bool there = p->node.len > 0 && naive_find_node(&t->naive, p->node) != NULL;
        pending += p->node.len == 0;
        running += there;
        orphaned += p->node.len > 0 && !there;
    }
    berth_engine_counts(t->engine, &counts);
    same_number(t, "count of nodes", (int64_t)t->naive.objects[BERTH_KIND_NODE].count,
                counts.nodes);
    same_number(t, "count of pending pods", (int64_t)pending, (int64_t)counts.pods_pending);
    same_number(t, "count of running pods", (int64_t)running, (int64_t)counts.pods_running);
    same_number(t, "count of orphans", (int64_t)orphaned, (int64_t)counts.pods_orphaned);
    compare_order(t);
    compare_resources(t);
}

/* ---- rounds ---- */

/* The plugins of the default profile from which profiles are made. */
typedef struct plugin_set {
    berth_str names[64];
    uint32_t count;
} plugin_set;

/* The plugins that are left out together with a part of the generator. */
static const struct {
    unsigned feature;
    const char *plugin;
} feature_plugins[] = {
    {GEN_SPREAD, "PodTopologySpread"},   {GEN_AFFINITY, "InterPodAffinity"},
    {GEN_VOLUMES, "VolumeRestrictions"}, {GEN_VOLUMES, "NodeVolumeLimits"},
    {GEN_VOLUMES, "VolumeBinding"},      {GEN_VOLUMES, "VolumeZone"},
};

static bool left_out(const options *o, berth_str name)
{
    for (size_t i = 0; i < sizeof(feature_plugins) / sizeof(feature_plugins[0]); i++) {
        if (naive_is(name, feature_plugins[i].plugin)) {
            return (o->features & feature_plugins[i].feature) == 0;
        }
    }
    return false;
}

static bool has_plugin(void *context, berth_str name)
{
    const plugin_set *set = context;
    return naive_in((berth_strs){set->names, set->count}, name);
}

static plugin_set find_plugins(const options *o, const berth_profile *base)
{
    plugin_set available = {.count = 0};
    for (int p = 0; p < BERTH_POINT_COUNT; p++) {
        for (uint32_t i = 0; i < base->points[p].count; i++) {
            berth_str name = base->points[p].items[i].name;
            if (!has_plugin(&available, name) && !left_out(o, name)) {
                available.names[available.count++] = name;
            }
        }
    }
    return available;
}

static bool start_engine(trial *t)
{
    static const uint32_t threads[] = {1, 2, 4};
    static const berth_path paths[] = {BERTH_PATH_SCAN, BERTH_PATH_AUTO, BERTH_PATH_INDEX};
    berth_engine_config config;
    berth_error error = {0};
    berth_engine_config_init(&config);
    bool legacy =
        GEN_KNOWS_LEGACY && (t->options->features & GEN_LEGACY) != 0 && gen_chance(&t->gen, 20);
    const berth_profile *base = berth_profile_default_of(t->gen.kubernetes);
    plugin_set available = find_plugins(t->options, base);
    t->naive.legacy = legacy;
    t->naive.kubernetes = legacy ? 0 : t->gen.kubernetes;
    t->naive.early_patch = t->gen.early_patch;
    for (uint32_t i = 0; i < PROFILES; i++) {
        t->profiles[i] = legacy ? *gen_legacy_profile(&t->gen, i)
                                : *gen_profile(&t->gen, i, base, has_plugin, &available);
    }
    config.kubernetes = t->gen.release;
    config.threads = threads[gen_below(&t->gen, 3)];
    config.path = paths[gen_below(&t->gen, 3)];
    config.seed = t->seed;
    config.profiles = t->profiles;
    config.profile_count = PROFILES;
    must(t, "create", berth_engine_create(&config, &t->engine, &error), &error);
    must(t, "explanation", berth_explanation_create(NULL, &t->explanation, &error), &error);
    return !t->failed;
}

/* Creates the initial cluster: most nodes, objects and a few pods on each node. */
static void fill(trial *t)
{
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < gen_object_names((berth_kind)kind); i++) {
            if (gen_chance(&t->gen, 80)) {
                change_object(t, (berth_kind)kind, i);
            }
        }
    }
    for (uint32_t i = 0; i < t->gen.node_names; i++) {
        if (gen_chance(&t->gen, 85)) {
            add(t, BERTH_KIND_NODE, gen_node(&t->gen, i));
        }
    }
    uint32_t pods = gen_below(&t->gen, 2 * (t->gen.node_names < 200 ? t->gen.node_names : 200));
    for (uint32_t i = 0; i < pods; i++) {
        add_pod(t);
    }
}

static void operate(trial *t)
{
    uint32_t dice = gen_below(&t->gen, 100);
    if (dice < 60) {
        place_pod(t);
    } else if (dice < 70) {
        add_pod(t);
    } else if (dice < 75) {
        update_pod(t);
    } else if (dice < 80) {
        unbind(t);
    } else if (dice < 86) {
        naive_pod *p = random_pod(t, gen_chance(&t->gen, 80));
        if (p != NULL) {
            remove_object(t, BERTH_KIND_POD, true, &p->pod->meta);
        }
    } else if (dice < 93) {
        change_node(t);
    } else if (dice < 98) {
        change_some_object(t);
    } else {
        compare_state(t);
    }
}

static bool run_round(const options *o, uint64_t seed)
{
    trial t = {.options = o, .seed = seed};
    gen_init(&t.gen, seed, o->features);
    t.gen.node_names = o->nodes > 0 ? o->nodes : t.gen.node_names;
    gen_set_release(&t.gen, seed);
    if (o->kubernetes > 0) {
        t.gen.kubernetes = t.gen.release = o->kubernetes;
        t.gen.early_patch = false;
    }
    t.gen.late_claims = (o->features & GEN_VOLUMES) != 0 && gen_chance(&t.gen, 25);
    if (start_engine(&t)) {
        fill(&t);
        for (t.op = 1; t.op <= o->ops && !t.failed; t.op++) {
            operate(&t);
        }
        if (!t.failed) {
            compare_state(&t);
        }
    }
    berth_explanation_destroy(t.explanation);
    berth_engine_destroy(t.engine);
    naive_cluster_free(&t.naive);
    gen_free(&t.gen);
    return !t.failed;
}

static unsigned without(const char *list)
{
    return (strstr(list, "spread") != NULL ? GEN_SPREAD : 0u) |
           (strstr(list, "affinity") != NULL ? GEN_AFFINITY : 0u) |
           (strstr(list, "volumes") != NULL ? GEN_VOLUMES : 0u) |
           (strstr(list, "preemption") != NULL ? GEN_PREEMPTION : 0u) |
           (strstr(list, "legacy") != NULL ? GEN_LEGACY : 0u);
}

static bool parse(int argc, char **argv, options *o)
{
    const char *seed = getenv("BERTH_TEST_SEED");
    o->seed = seed != NULL ? strtoull(seed, NULL, 0) : 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--trace") == 0) {
            o->trace = true;
            continue;
        }
        if (value == NULL) {
            return false;
        }
        if (strcmp(argv[i], "--seed") == 0) {
            o->seed = strtoull(value, NULL, 0);
        } else if (strcmp(argv[i], "--rounds") == 0) {
            o->rounds = strtoul(value, NULL, 0);
        } else if (strcmp(argv[i], "--ops") == 0) {
            o->ops = strtoul(value, NULL, 0);
        } else if (strcmp(argv[i], "--nodes") == 0) {
            o->nodes = (uint32_t)strtoul(value, NULL, 0);
        } else if (strcmp(argv[i], "--kubernetes") == 0) {
            o->kubernetes = (uint32_t)strtoul(value, NULL, 0);
        } else if (strcmp(argv[i], "--without") == 0) {
            o->features &= ~without(value);
        } else {
            return false;
        }
        i++;
    }
    return true;
}

int main(int argc, char **argv)
{
    options o = {.rounds = effort(100), .ops = 150, .features = GEN_ALL};
    if (!parse(argc, argv, &o)) {
        fprintf(stderr,
                "usage: %s [--seed S] [--rounds N] [--ops N] [--nodes N] "
                "[--kubernetes N] [--without LIST] [--trace]\n",
                argv[0]);
        return 2;
    }
    printf("seed %llu, %lu rounds\n", (unsigned long long)o.seed, o.rounds);
    for (unsigned long i = 0; i < o.rounds; i++) {
        if (!run_round(&o, o.seed + i)) {
            return 1;
        }
    }
    printf("%lu decisions agree, %lu placed, %lu nominations\n", decisions_made, decisions_placed,
           decisions_nominated);
    return 0;
}
