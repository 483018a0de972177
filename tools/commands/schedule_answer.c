/* Prints the answer of berth schedule: a list and a summary, as text or as a document. */
#include "commands/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/plain_text.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/verbosity.h"
#include "commands/explain_command.h"
#include "explain/pod_lookup.h"
#include "explain/taken_devices.h"
#include "loading/usage.h"

enum { MESSAGES_SHOWN = 10 };

static void add_pod_name(const schedule *s, berth_pod_id pod, text_buffer *out)
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    berth_engine_pod_name(s->engine, pod, &namespace_name, &name);
    text_add(out, "%.*s/%.*s", (int)namespace_name.len, namespace_name.data, (int)name.len,
             name.data);
}

void schedule_tell_preemption(const schedule *s, const outcome *result, text_buffer *out)
{
    text_add(out, "-> ");
    text_add_str(out, berth_engine_node_name(s->engine, result->nominated));
    for (uint32_t i = 0; i < result->victim_count; i++) {
        text_add(out, "%s", i > 0 ? ", " : " by evicting ");
        add_pod_name(s, s->victims[result->first_victim + i], out);
    }
}

static berth_str reason_of(const schedule *s, const outcome *result)
{
    return word_table_get(result->skipped ? &s->input.skip_reasons : &s->messages, result->message);
}

static uint64_t decision_count(const schedule *s)
{
    return s->outcome_count - s->skipped_count;
}

static uint64_t unplaced_count(const schedule *s)
{
    return decision_count(s) - s->bound_count;
}

static double decisions_a_second(const schedule *s)
{
    return s->seconds > 0.0 ? (double)decision_count(s) / s->seconds : 0.0;
}

typedef struct ranked_message {
    uint64_t count;
    uint32_t message;
} ranked_message;

static int by_count(const void *a, const void *b)
{
    const ranked_message *left = a;
    const ranked_message *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return left->message < right->message ? -1 : left->message > right->message;
}

/* Ranks the messages: the most frequent first, equally frequent ones in the order of their first
 * pod. */
static ranked_message *rank_messages(const schedule *s)
{
    ranked_message *ranked = heap_new(s->messages.count, sizeof(*ranked));
    for (uint32_t i = 0; i < s->messages.count; i++)
        ranked[i] = (ranked_message){s->message_counts[i], i};
    qsort(ranked, s->messages.count, sizeof(*ranked), by_count);
    return ranked;
}

/* ---- the list ---- */

const char *const schedule_sorts[] = {"queue", "namespace", "name", "node", "reason", NULL};
enum { SORT_QUEUE, SORT_NAMESPACE, SORT_NAME, SORT_NODE, SORT_REASON };

static bool is_listed(const schedule *s, const outcome *result)
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    berth_engine_pod_name(s->engine, result->pod, &namespace_name, &name);
    return (!s->list.pending || result->node == BERTH_NODE_NONE) &&
           listing_has(&s->list, namespace_name);
}

/* A listed pod and its sort keys. */
typedef struct sort_key {
    const outcome *result;
    berth_str keys[2];
} sort_key;

static int by_key(const void *a, const void *b)
{
    const sort_key *left = a;
    const sort_key *right = b;
    int order = 0;
    for (int k = 0; k < 2 && order == 0; k++)
        order = words_compare(left->keys[k], right->keys[k]);
    if (order != 0)
        return order;
    return left->result < right->result ? -1 : left->result > right->result;
}

static void set_keys(const schedule *s, const outcome *result, berth_str keys[2])
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    bool placed = result->node != BERTH_NODE_NONE;
    berth_engine_pod_name(s->engine, result->pod, &namespace_name, &name);
    keys[1] = name;
    if (s->list.sort == SORT_NAMESPACE)
        keys[0] = namespace_name;
    else if (s->list.sort == SORT_NAME)
        keys[0] = name;
    else if (s->list.sort == SORT_NODE && placed)
        keys[0] = berth_engine_node_name(s->engine, result->node);
    else if (s->list.sort == SORT_REASON && !placed)
        keys[0] = reason_of(s, result);
}

/* Returns the outcomes to list, in order; freed by the caller. */
static const outcome **choose_listed(const schedule *s, uint64_t *count)
{
    const outcome **listed = heap_new(s->outcome_count, sizeof(const outcome *));
    sort_key *keys = heap_new(s->outcome_count, sizeof(*keys));
    *count = 0;
    for (uint64_t i = 0; i < s->outcome_count; i++) {
        if (!is_listed(s, &s->outcomes[i]))
            continue;
        keys[*count].result = &s->outcomes[i];
        if (s->list.sort != SORT_QUEUE)
            set_keys(s, &s->outcomes[i], keys[*count].keys);
        (*count)++;
    }
    if (s->list.sort != SORT_QUEUE && *count > 0)
        qsort(keys, *count, sizeof(*keys), by_key);
    for (uint64_t i = 0; i < *count; i++)
        listed[i] = keys[i].result;
    free(keys);
    return listed;
}

static bool has_devices(const schedule *s, const outcome *result)
{
    taken_devices taken;
    taken_devices_make(&taken, s->engine, result->pod, &s->input.claims);
    bool any = taken.count > 0;
    taken_devices_free(&taken);
    return any;
}

static void tell_devices(const schedule *s, const outcome *result, text_buffer *out)
{
    taken_devices taken;
    taken_devices_make(&taken, s->engine, result->pod, &s->input.claims);
    taken_devices_tell(&taken, berth_engine_node_name(s->engine, result->node), out);
    taken_devices_free(&taken);
}

static void print_row(const schedule *s, table *t, const outcome *result, bool writing)
{
    bool placed = result->node != BERTH_NODE_NONE;
    bool brief = s->list.format == OUTPUT_TABLE && !result->skipped;
    berth_str cells[4] = {{0}};
    berth_engine_pod_name(s->engine, result->pod, &cells[0], &cells[1]);
    cells[2] = placed ? berth_engine_node_name(s->engine, result->node) : words_of("-");
    if (!placed)
        cells[3] = brief ? word_table_get(&s->briefs, result->brief) : reason_of(s, result);
    text_buffer devices = {0};
    if (placed && writing)
        tell_devices(s, result, &devices);
    if (devices.len > 0)
        cells[3] = text_str(&devices);
    for (uint32_t c = 0; c < t->column_count; c++) {
        if (writing && c == 2)
            table_cell_painted(t, cells[c], placed ? PAINT_GOOD : PAINT_BAD);
        else if (writing)
            table_cell(t, cells[c]);
        else if (c == 2 && placed)
            table_measure_node(t, c, cells[c]);
        else
            table_measure(t, c, cells[c].len);
    }
    text_free(&devices);
}

static void print_placements(const schedule *s)
{
    static const char *const titles[] = {"NAMESPACE", "NAME", "NODE", "MESSAGE"};
    uint64_t count = 0;
    bool messages = listing_is_flat(&s->list);
    const outcome **listed = choose_listed(s, &count);
    table t;
    for (uint64_t i = 0; i < count; i++)
        messages |= listed[i]->node == BERTH_NODE_NONE || has_devices(s, listed[i]);
    table_open(&t, stdout, titles, messages ? 4 : 3, 0);
    for (int writing = 0; writing <= 1; writing++) {
        if (writing)
            table_head(&t);
        for (uint64_t i = 0; i < count; i++)
            print_row(s, &t, listed[i], writing != 0);
    }
    free(listed);
    table_foot(&t);
    if (!listing_is_flat(&s->list))
        putchar('\n');
}

static void print_names(const schedule *s)
{
    uint64_t count = 0;
    const outcome **listed = choose_listed(s, &count);
    for (uint64_t i = 0; i < count; i++) {
        berth_str namespace_name = {0};
        berth_str name = {0};
        berth_engine_pod_name(s->engine, listed[i]->pod, &namespace_name, &name);
        plain_text_line(stdout, "pod/%.*s/%.*s", (int)namespace_name.len, namespace_name.data,
                        (int)name.len, name.data);
    }
    free(listed);
}

/* ---- the summary ---- */

static void print_count(uint64_t count, berth_str reason)
{
    plain_text_line(stdout, "  %8" PRIu64 "  %.*s", count, (int)reason.len, reason.data);
}

/* Print each preempting pod on its own line: grouping pods of a workload would hide whom they
 * evict. */
static void print_preemptions(const schedule *s)
{
    uint64_t shown = 0;
    if (s->preempting_count == 0)
        return;
    printf("Preemption   %" PRIu64 "\n", s->preempting_count);
    for (uint64_t i = 0; i < s->outcome_count && shown < MESSAGES_SHOWN; i++) {
        const outcome *result = &s->outcomes[i];
        text_buffer text = {0};
        if (result->nominated == BERTH_NODE_NONE)
            continue;
        add_pod_name(s, result->pod, &text);
        text_add(&text, " ");
        schedule_tell_preemption(s, result, &text);
        fputs("  ", stdout);
        terminal_wrap(stdout, text.text, text.len, 2, 6);
        putchar('\n');
        text_free(&text);
        shown++;
    }
    if (shown < s->preempting_count)
        printf("  and %" PRIu64 " more\n", s->preempting_count - shown);
}

/* Print the command that explains one unplaced pod in full. Not after a played rollout: berth
 * explain works on the final state. */
static void print_hint(const schedule *s)
{
    for (uint64_t i = 0; i < s->outcome_count && !s->input.plays; i++) {
        const outcome *result = &s->outcomes[i];
        if (result->node != BERTH_NODE_NONE || result->skipped || result->of_group)
            continue;
        int at = printf("  What would help: ");
        explain_command_print(&s->input, &s->setup, s->engine, result->pod, (uint32_t)at, stdout);
        putchar('\n');
        return;
    }
}

static void print_summary(const schedule *s, const usage *used)
{
    changes_print(s->input.changes, stdout);
    rollouts_print(s->input.changes, s->engine, stdout);
    printf("Bound        %" PRIu64 " of %" PRIu64 " pending pods\n", s->bound_count,
           s->outcome_count);
    printf("Not placed   %" PRIu64 "\n", unplaced_count(s));
    reason_sets_print(&s->sets, MESSAGES_SHOWN, stdout);
    print_preemptions(s);
    print_hint(s);
    if (s->skipped_count > 0)
        printf("Passed over  %" PRIu64 "\n", s->skipped_count);
    for (uint32_t i = 0; i < s->input.skip_reasons.count; i++)
        if (s->skip_counts[i] > 0)
            print_count(s->skip_counts[i], word_table_get(&s->input.skip_reasons, i));
    putchar('\n');
    usage_print(used, stdout);
    cluster_version_print(&s->input.version, &s->setup, stdout);
    verbosity_note("%" PRIu64 " decisions in %.6f s, %.0f a second, %" PRIu64 " by index",
                   decision_count(s), s->seconds, decisions_a_second(s), s->indexed_count);
}

static void write_victims(const schedule *s, const outcome *result, output *o)
{
    output_pair_str(o, "nominatedNode", berth_engine_node_name(s->engine, result->nominated));
    output_key(o, "victims");
    output_array(o);
    for (uint32_t i = 0; i < result->victim_count; i++) {
        output_object(o);
        pod_lookup_write(s->engine, s->victims[result->first_victim + i], o);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_node(const schedule *s, const outcome *result, output *o)
{
    taken_devices taken;
    output_pair_str(o, "node", berth_engine_node_name(s->engine, result->node));
    taken_devices_make(&taken, s->engine, result->pod, &s->input.claims);
    taken_devices_write(&taken, o);
    taken_devices_free(&taken);
}

static void write_placements(const schedule *s, output *o)
{
    uint64_t count = 0;
    const outcome **listed = choose_listed(s, &count);
    output_key(o, "placements");
    output_array(o);
    for (uint64_t i = 0; i < count; i++) {
        const outcome *result = listed[i];
        output_object(o);
        pod_lookup_write(s->engine, result->pod, o);
        if (result->node != BERTH_NODE_NONE)
            write_node(s, result, o);
        else
            output_pair_str(o, result->skipped ? "passedOver" : "message", reason_of(s, result));
        if (result->nominated != BERTH_NODE_NONE)
            write_victims(s, result, o);
        output_object_end(o);
    }
    output_array_end(o);
    free(listed);
}

static void write_reason(output *o, uint64_t count, berth_str message)
{
    output_object(o);
    output_pair_int(o, "pods", (int64_t)count);
    output_pair_str(o, "message", message);
    output_object_end(o);
}

static void write_reasons(const schedule *s, output *o)
{
    ranked_message *ranked = rank_messages(s);
    output_key(o, "notPlacedReasons");
    output_array(o);
    for (size_t i = 0; i < s->messages.count; i++)
        write_reason(o, ranked[i].count, word_table_get(&s->messages, ranked[i].message));
    output_array_end(o);
    free(ranked);
    output_key(o, "reasonSets");
    reason_sets_write(&s->sets, o);
    output_key(o, "passedOverReasons");
    output_array(o);
    for (uint32_t i = 0; i < s->input.skip_reasons.count; i++)
        if (s->skip_counts[i] > 0)
            write_reason(o, s->skip_counts[i], word_table_get(&s->input.skip_reasons, i));
    output_array_end(o);
}

static void write_summary(const schedule *s, const usage *used, output *o)
{
    berth_counts counts;
    char digest[32], version[32];
    cluster_version_decides(&s->setup, version, sizeof(version));
    berth_engine_counts(s->engine, &counts);
    snprintf(digest, sizeof(digest), "%016" PRIx64, berth_engine_digest(s->engine));
    output_key(o, "summary");
    output_object(o);
    output_pair_text(o, "kubernetes", version);
    output_pair_int(o, "nodes", counts.nodes);
    output_pair_int(o, "pending", (int64_t)s->outcome_count);
    output_pair_int(o, "bound", (int64_t)s->bound_count);
    output_pair_int(o, "notPlaced", (int64_t)unplaced_count(s));
    output_pair_int(o, "passedOver", (int64_t)s->skipped_count);
    output_pair_int(o, "preempting", (int64_t)s->preempting_count);
    changes_write(s->input.changes, o);
    if (s->input.plays)
        rollouts_write(s->input.changes, s->engine, o);
    write_reasons(s, o);
    output_key(o, "use");
    usage_write(used, o);
    output_pair_int(o, "decisions", (int64_t)decision_count(s));
    output_pair_int(o, "decisionsByIndex", (int64_t)s->indexed_count);
    output_pair_real(o, "seconds", s->seconds, 6);
    output_pair_real(o, "decisionsPerSecond", decisions_a_second(s), 0);
    output_pair_text(o, "digest", digest);
    output_object_end(o);
}

berth_status schedule_show(const schedule *s, const char *name, berth_error *error)
{
    usage used;
    if (s->list.format == OUTPUT_NAME) {
        print_names(s);
        return BERTH_OK;
    }
    if (listing_is_flat(&s->list)) {
        print_placements(s);
        return BERTH_OK;
    }
    TRY(usage_measure(&used, s->engine, &s->input.resources, error));
    if (listing_is_table(&s->list)) {
        if (!s->summary_only)
            print_placements(s);
        print_summary(s, &used);
    } else {
        output o;
        output_open(&o, stdout, (output_format)s->list.format, 2); /* one placement per line */
        output_object(&o);
        output_schema(&o, name);
        if (!s->summary_only)
            write_placements(s, &o);
        o.flat_depth = 3; /* one member of the summary's lists per line */
        write_summary(s, &used, &o);
        output_object_end(&o);
        output_close(&o);
    }
    usage_release(&used);
    return BERTH_OK;
}
