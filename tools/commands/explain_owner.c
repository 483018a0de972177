/* berth explain deploy/NAME: where the pods of a workload run, why others do not, and one pod in
 * full: one that fits nowhere or, if all have a node, one more pod of the workload. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/plain_text.h"
#include "cli/rows.h"
#include "cli/terminal.h"
#include "commands/explain_request.h"

enum { LABEL_WIDTH = 11 };

/* The workload's pods on one node. */
typedef struct node_share {
    berth_node_id node;
    uint32_t running;
    uint32_t added; /* pending pods that would be placed there */
} node_share;

typedef struct owner_answer {
    explain_request *x;
    const pod_owner *owner;
    berth_pod_id *pods; /* ascending */
    berth_node_id *was_on;
    uint32_t count, running, finished;
    node_share *shares; /* most pods first */
    uint32_t share_count;
    pending_groups groups;
    explained example;
    bool has_example, one_more;
    explained_view view;
} owner_answer;

/* ---- finding ---- */

static int by_id(const void *a, const void *b)
{
    const berth_pod_id *left = a;
    const berth_pod_id *right = b;
    return *left < *right ? -1 : *left > *right;
}

static int by_share(const void *a, const void *b)
{
    const node_share *left = a;
    const node_share *right = b;
    if (left->running != right->running)
        return left->running > right->running ? -1 : 1;
    if (left->added != right->added)
        return left->added > right->added ? -1 : 1;
    return left->node < right->node ? -1 : left->node > right->node;
}

static void count_shares(owner_answer *a)
{
    berth_node_id limit = berth_engine_node_limit(a->x->engine);
    node_share *all = heap_new(limit, sizeof(*all));
    for (uint32_t i = 0; i < a->count; i++) {
        berth_node_id now = berth_engine_pod_node(a->x->engine, a->pods[i]);
        if (now < limit && a->was_on[i] == now)
            all[now].running++;
        else if (now < limit)
            all[now].added++;
    }
    for (berth_node_id node = 0; node < limit; node++) {
        if (all[node].running + all[node].added == 0)
            continue;
        all[node].node = node;
        all[a->share_count++] = all[node];
    }
    if (a->share_count > 0)
        qsort(all, a->share_count, sizeof(*all), by_share);
    a->shares = all;
}

/* A pod of the largest group that fits nowhere. */
static berth_pod_id unplaced_example(const owner_answer *a)
{
    uint32_t *ranked = reason_sets_ranked(&a->groups.sets);
    berth_pod_id pod =
        a->groups.sets.count > 0 ? a->groups.groups[ranked[0]].example : BERTH_POD_NONE;
    free(ranked);
    return pod;
}

/* Whether a copy of a pod would be decided like the workload's next pod. Not for a DaemonSet's pod,
 * which belongs to its node, nor for a StatefulSet's pod with claims of its own. */
static bool can_be_copied(const owner_answer *a, berth_pod_id pod)
{
    berth_pod_info info = {.size = sizeof(info)};
    return berth_engine_pod_info(a->x->engine, pod, &info, NULL) == BERTH_OK &&
           !words_equal(info.owner_kind, words_of("DaemonSet")) &&
           !(words_equal(info.owner_kind, words_of("StatefulSet")) && info.has_volumes);
}

static berth_status add_one_more(owner_answer *a, berth_pod_id *pod, berth_error *error)
{
    text_buffer name = {0};
    *pod = BERTH_POD_NONE;
    if (a->count == 0 || !can_be_copied(a, a->pods[a->count - 1]))
        return BERTH_OK;
    text_add(&name, "%.*s-one-more", (int)a->owner->name.len, a->owner->name.data);
    berth_status status =
        berth_engine_add_like(a->x->engine, a->pods[a->count - 1], text_str(&name), pod, error);
    text_free(&name);
    a->one_more = status == BERTH_OK;
    return status;
}

static berth_status choose_example(owner_answer *a, berth_error *error)
{
    const bool waits = a->groups.unplaced + a->groups.passed_over + a->groups.refused > 0;
    berth_pod_id pod = unplaced_example(a);
    if (!waits)
        TRY(add_one_more(a, &pod, error));
    if (pod == BERTH_POD_NONE)
        return BERTH_OK;
    a->has_example = true;
    bool seek = !a->x->no_remedies && a->view.node == BERTH_NODE_NONE;
    TRY(explained_make(&a->example, a->x->engine, NULL, pod, seek, error));
    a->example.ahead = 0; /* all others have had their turn */
    return BERTH_OK;
}

static berth_status find(owner_answer *a, pod_owner *owner, berth_error *error)
{
    TRY(pod_owner_find(owner, a->x->engine, &a->x->finished, &a->pods, &a->count, &a->finished,
                       error));
    TRY(explain_view(a->x, &a->view, error));
    a->was_on = heap_new(a->count, sizeof(*a->was_on));
    if (a->count > 0)
        qsort(a->pods, a->count, sizeof(*a->pods), by_id);
    for (uint32_t i = 0; i < a->count; i++) {
        a->was_on[i] = berth_engine_pod_node(a->x->engine, a->pods[i]);
        a->running += a->was_on[i] != BERTH_NODE_NONE;
    }
    a->groups = (pending_groups){.engine = a->x->engine, .input = &a->x->input};
    TRY(pending_groups_place(&a->groups, a->pods, a->count, error));
    count_shares(a);
    return choose_example(a, error);
}

/* ---- text ---- */

static void print_line(const char *label, const text_buffer *text)
{
    printf("%s%-*s%s", terminal_paint_on(PAINT_HEAD), LABEL_WIDTH, label, terminal_paint_off());
    terminal_wrap(stdout, text->text, text->len, LABEL_WIDTH, LABEL_WIDTH);
    putchar('\n');
}

static void print_counts(const owner_answer *a)
{
    text_buffer text = {0};
    text_add(&text, "%s %.*s/%.*s", a->owner->kind, (int)a->owner->namespace_name.len,
             a->owner->namespace_name.data, (int)a->owner->name.len, a->owner->name.data);
    print_line("Workload", &text);
    text_clear(&text);
    text_add(&text, "%" PRIu32 " on nodes, %" PRIu32 " pending", a->running, a->count - a->running);
    if (a->finished > 0)
        text_add(&text, ", %" PRIu32 " finished", a->finished);
    print_line("Pods", &text);
    text_free(&text);
}

static void print_shares(const owner_answer *a)
{
    static const char *const titles[] = {"NODE", "PODS", "PENDING THAT GO THERE"};
    rows r;
    if (a->share_count == 0)
        return;
    putchar('\n');
    rows_open(&r, titles, a->groups.placed > 0 ? 3 : 2, 6);
    for (uint32_t i = 0; i < a->share_count && i < a->view.nodes; i++) {
        rows_cell_str(&r, berth_engine_node_name(a->x->engine, a->shares[i].node));
        rows_cell(&r, "%" PRIu32, a->shares[i].running);
        if (a->groups.placed > 0)
            rows_cell(&r, "%" PRIu32, a->shares[i].added);
    }
    rows_print(&r, stdout);
    uint32_t hidden = a->share_count > a->view.nodes ? a->share_count - a->view.nodes : 0;
    if (hidden > 0)
        printf("and %" PRIu32 " more node%s (--nodes N, --all)\n", hidden, hidden == 1 ? "" : "s");
}

static berth_status print(owner_answer *a, berth_error *error)
{
    print_counts(a);
    print_shares(a);
    if (a->groups.pending > 0) {
        putchar('\n');
        pending_groups_print(&a->groups, a->view.nodes, NULL, NULL, stdout);
    }
    if (!a->has_example)
        return BERTH_OK;
    printf("\n%s%s%s\n", terminal_paint_on(PAINT_HEAD),
           a->one_more ? "If one more pod were added" : "A pod that finds no node",
           terminal_paint_off());
    return explained_print(&a->example, &a->view, stdout, error);
}

/* ---- documents ---- */

static void write_shares(const owner_answer *a, output *o)
{
    output_key(o, "nodes");
    output_array(o);
    for (uint32_t i = 0; i < a->share_count; i++) {
        output_object(o);
        output_pair_str(o, "node", berth_engine_node_name(a->x->engine, a->shares[i].node));
        output_pair_int(o, "pods", a->shares[i].running);
        output_pair_int(o, "pendingThatGoThere", a->shares[i].added);
        output_object_end(o);
    }
    output_array_end(o);
}

static berth_status write(owner_answer *a, berth_error *error)
{
    output o;
    berth_status status = BERTH_OK;
    output_open(&o, stdout, (output_format)a->x->format, 4); /* one node per line */
    output_object(&o);
    output_schema(&o, "explain_owner");
    output_pair_text(&o, "kind", a->owner->kind);
    output_pair_str(&o, "namespace", a->owner->namespace_name);
    output_pair_str(&o, "name", a->owner->name);
    output_pair_int(&o, "onNodes", a->running);
    output_pair_int(&o, "finished", a->finished);
    write_shares(a, &o);
    pending_groups_write(&a->groups, NULL, NULL, &o);
    if (a->has_example) {
        output_key(&o, a->one_more ? "oneMore" : "example");
        output_object(&o);
        status = explained_write(&a->example, &a->view, &o, error);
        if (status != BERTH_OK)
            return status;
        output_object_end(&o);
    }
    output_object_end(&o);
    output_close(&o);
    return BERTH_OK;
}

berth_status explain_owner(explain_request *x, pod_owner *owner, bool *negative, berth_error *error)
{
    owner_answer a = {.x = x, .owner = owner};
    berth_status status = find(&a, owner, error);
    if (status == BERTH_OK)
        status = explain_is_text(x) ? print(&a, error) : write(&a, error);
    *negative = a.groups.unplaced + a.groups.refused > 0;
    if (a.has_example)
        explained_free(&a.example);
    pending_groups_free(&a.groups);
    free(a.shares);
    free(a.was_on);
    free(a.pods);
    return status;
}
