/* Decides as `berth schedule` does, binding each pod before the next, so that the groups have the
 * numbers that `berth schedule` prints. */
#include "explain/pending_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/plain_text.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "explain/pod_lookup.h"

enum { COUNT_WIDTH = 8, INDENT = COUNT_WIDTH + 4 };

/* ---- placing ---- */

static void count_in(pending_group *group, berth_pod_id pod)
{
    if (group->pods++ == 0)
        group->example = pod;
}

static void note_skip(pending_groups *g, berth_pod_id pod, const cluster_skip *skip)
{
    pending_group *group = &g->skips[skip->reason];
    count_in(group, pod);
    group->refused = skip->refused;
    if (skip->refused)
        g->refused++;
    else
        g->passed_over++;
}

static berth_status note_unplaced(pending_groups *g, berth_pod_id pod, berth_explanation *why,
                                  berth_error *error)
{
    const berth_decide_options options = {
        .size = sizeof(options), .flags = BERTH_DECIDE_KEEP_ROTATION, .explanation = why};
    berth_placement placement;
    TRY(berth_engine_decide(g->engine, pod, &options, &placement, error));
    uint32_t set = reason_sets_add(&g->sets, why);
    size_t before = g->group_capacity;
    g->groups = heap_grow(g->groups, &g->group_capacity, (size_t)set + 1, sizeof(*g->groups));
    if (g->group_capacity > before)
        memset(g->groups + before, 0, (g->group_capacity - before) * sizeof(*g->groups));
    pending_group *group = &g->groups[set];
    count_in(group, pod);
    g->unplaced++;
    group->preempting += berth_explanation_nominated(why) != BERTH_NODE_NONE;
    if (group->message == NULL) {
        berth_str message = berth_explanation_message(why);
        group->message = message.len > 0 ? heap_text(message.data, message.len) : heap_text("", 0);
    }
    return BERTH_OK;
}

static berth_status place(pending_groups *g, berth_pod_id pod, bool counts, berth_explanation *why,
                          berth_error *error)
{
    const cluster_skip *skip = cluster_input_skipped(g->input, pod);
    berth_placement placement;
    g->pending += counts;
    if (skip != NULL) {
        if (counts)
            note_skip(g, pod, skip);
        return BERTH_OK;
    }
    TRY(berth_engine_schedule(g->engine, pod, &placement, error));
    if (placement.verdict == BERTH_VERDICT_PLACED) {
        if (counts) {
            g->found =
                heap_grow(g->found, &g->found_capacity, (size_t)g->placed + 1, sizeof(*g->found));
            g->found[g->placed++] = (pending_found){pod, placement.node};
        }
        return claim_book_placed(&g->input->claims, g->engine, pod, error);
    }
    return counts ? note_unplaced(g, pod, why, error) : BERTH_OK;
}

static int by_id(const void *a, const void *b)
{
    const berth_pod_id *left = a;
    const berth_pod_id *right = b;
    return *left < *right ? -1 : *left > *right;
}

berth_status pending_groups_place(pending_groups *out, const berth_pod_id *chosen,
                                  uint32_t chosen_count, berth_error *error)
{
    uint64_t count = 0;
    berth_explanation *why = NULL;
    out->skips = heap_new(out->input->skip_reasons.count, sizeof(*out->skips));
    TRY(berth_explanation_create(NULL, &why, error));
    berth_status status = berth_engine_pending(out->engine, NULL, 0, &count, error);
    berth_pod_id *pods = heap_new(count, sizeof(*pods));
    if (status == BERTH_OK)
        status = berth_engine_pending(out->engine, pods, count, NULL, error);
    progress bar;
    progress_start(&bar, "placing", count);
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++) {
        bool counts = chosen == NULL ||
                      bsearch(&pods[i], chosen, chosen_count, sizeof(*chosen), by_id) != NULL;
        status = place(out, pods[i], counts, why, error);
        if (i % 64 == 0)
            progress_update(&bar, i);
    }
    progress_end(&bar);
    free(pods);
    berth_explanation_destroy(why);
    return status;
}

void pending_groups_free(pending_groups *g)
{
    free(g->found);
    for (size_t i = 0; i < g->sets.count; i++)
        free(g->groups[i].message);
    free(g->groups);
    free(g->skips);
    reason_sets_free(&g->sets);
    *g = (pending_groups){0};
}

/* ---- words ---- */

static void print_group(const pending_groups *g, const pending_group *group, text_buffer *text,
                        FILE *file)
{
    if (group->preempting > 0) {
        text_add(text, "; preemption would make room for ");
        if (group->preempting == group->pods)
            text_add(text, "%s", group->pods == 1 ? "it" : "each");
        else
            text_add(text, "%" PRIu64 " of them", group->preempting);
    }
    berth_str namespace_name = {0}, name = {0};
    berth_engine_pod_name(g->engine, group->example, &namespace_name, &name);
    text_add(text, "; %s%.*s/%.*s", group->pods > 1 ? "for example " : "", (int)namespace_name.len,
             namespace_name.data, (int)name.len, name.data);
    fprintf(file, "  %*" PRIu64 "  ", COUNT_WIDTH, group->pods);
    terminal_wrap(file, text->text, text->len, INDENT, INDENT);
    fputc('\n', file);
}

static void print_skips(const pending_groups *g, bool refused, FILE *file)
{
    for (uint32_t i = 0; i < g->input->skip_reasons.count; i++) {
        const pending_group *group = &g->skips[i];
        if (group->pods == 0 || group->refused != refused)
            continue;
        text_buffer text = {0};
        text_add_str(&text, word_table_get(&g->input->skip_reasons, i));
        print_group(g, group, &text, file);
        text_free(&text);
    }
}

static void print_found(const pending_groups *g, size_t most, FILE *file)
{
    for (size_t i = 0; i < g->placed && i < most; i++) {
        berth_str namespace_name = {0}, name = {0};
        const berth_str node = berth_engine_node_name(g->engine, g->found[i].node);
        berth_engine_pod_name(g->engine, g->found[i].pod, &namespace_name, &name);
        plain_text_line(file, "%*s%.*s/%.*s: %.*s", INDENT, "", (int)namespace_name.len,
                        namespace_name.data, (int)name.len, name.data, (int)node.len, node.data);
    }
    if (g->placed > most)
        fprintf(file, "%*sand %zu more\n", INDENT, "", (size_t)g->placed - most);
}

void pending_groups_print(const pending_groups *g, size_t most, pending_hint_fn hint, void *context,
                          FILE *file)
{
    uint32_t *ranked = reason_sets_ranked(&g->sets);
    if (g->placed > 0)
        fprintf(file, "Find a node  %" PRIu64 "\n", g->placed);
    if (hint != NULL)
        print_found(g, most, file);
    if (g->unplaced > 0)
        fprintf(file, "Find none    %" PRIu64 "\n", g->unplaced);
    for (size_t i = 0; i < g->sets.count && i < most; i++) {
        const pending_group *group = &g->groups[ranked[i]];
        text_buffer text = {0};
        reason_set_text(&g->sets, ranked[i], &text);
        print_group(g, group, &text, file);
        text_free(&text);
        if (hint != NULL)
            hint(context, group->example, INDENT, file);
    }
    if (g->sets.count > most)
        fprintf(file, "  and %zu more group%s (--nodes N, --all)\n", g->sets.count - most,
                g->sets.count - most == 1 ? "" : "s");
    free(ranked);
    if (g->passed_over > 0)
        fprintf(file, "Passed over  %" PRIu64 " (no scheduler takes these up)\n", g->passed_over);
    print_skips(g, false, file);
    if (g->refused > 0)
        fprintf(file, "Refused      %" PRIu64 " (an API server would not create these)\n",
                g->refused);
    print_skips(g, true, file);
}

/* ---- documents ---- */

static void write_example(const pending_groups *g, const pending_group *group, output *o)
{
    output_key(o, "example");
    output_object(o);
    pod_lookup_write(g->engine, group->example, o);
    output_object_end(o);
}

static void write_skips(const pending_groups *g, bool refused, output *o)
{
    output_array(o);
    for (uint32_t i = 0; i < g->input->skip_reasons.count; i++) {
        if (g->skips[i].pods == 0 || g->skips[i].refused != refused)
            continue;
        output_object(o);
        output_pair_int(o, "pods", (int64_t)g->skips[i].pods);
        output_pair_str(o, "message", word_table_get(&g->input->skip_reasons, i));
        write_example(g, &g->skips[i], o);
        output_object_end(o);
    }
    output_array_end(o);
}

void pending_groups_write_found(const pending_groups *g, output *o)
{
    output_array(o);
    for (size_t i = 0; i < g->placed; i++) {
        output_object(o);
        pod_lookup_write(g->engine, g->found[i].pod, o);
        output_pair_str(o, "node", berth_engine_node_name(g->engine, g->found[i].node));
        output_object_end(o);
    }
    output_array_end(o);
}

void pending_groups_write(const pending_groups *g, pending_command_fn command, void *context,
                          output *o)
{
    uint32_t *ranked = reason_sets_ranked(&g->sets);
    output_pair_int(o, "pending", (int64_t)g->pending);
    output_pair_int(o, "findANode", (int64_t)g->placed);
    output_pair_int(o, "findNone", (int64_t)g->unplaced);
    output_key(o, "groups");
    output_array(o);
    for (size_t i = 0; i < g->sets.count; i++) {
        const pending_group *group = &g->groups[ranked[i]];
        output_object(o);
        output_pair_int(o, "pods", (int64_t)group->pods);
        output_pair_int(o, "preempting", (int64_t)group->preempting);
        output_pair_text(o, "message", group->message);
        output_key(o, "reasons");
        reason_set_write(&g->sets, ranked[i], o);
        write_example(g, group, o);
        if (command != NULL)
            command(context, group->example, o);
        output_object_end(o);
    }
    output_array_end(o);
    free(ranked);
    output_key(o, "passedOver");
    write_skips(g, false, o);
    output_key(o, "refusedPods");
    write_skips(g, true, o);
}
