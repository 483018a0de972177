/* berth schedule: places the pending pods of a cluster, in the order in which a scheduler takes
 * them, and explains those for which there is no node. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/plain_text.h"
#include "cli/progress.h"
#include "cli/stopwatch.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/verbosity.h"
#include "commands/commands.h"
#include "commands/explain_command.h"
#include "explain/reason_sets.h"
#include "explain/taken_devices.h"
#include "loading/cluster_input.h"
#include "loading/usage.h"

enum { MESSAGES_SHOWN = 10 };

/* What became of one pending pod. */
typedef struct outcome {
    berth_pod_id pod;
    berth_node_id node; /* BERTH_NODE_NONE: not placed */
    uint32_t message;   /* why not: in `messages`, or, if skipped, in the input's reasons */
    uint32_t brief;     /* the same in short: in `briefs` */
    bool skipped;       /* passed over */
    /* Whom preemption would evict, and from where; BERTH_NODE_NONE: nobody. */
    berth_node_id nominated;
    uint32_t victim_count;
    size_t first_victim; /* in `victims` */
} outcome;

typedef struct schedule {
    engine_setup setup;
    cluster_input input;
    listing list;
    bool summary_only;
    berth_engine *engine;
    berth_explanation *explanation;
    outcome *outcomes;
    uint64_t outcome_count;
    uint64_t bound_count;
    uint64_t preempting_count;
    berth_pod_id *victims;
    size_t victim_count;
    size_t victim_capacity;
    reason_sets sets;
    word_table briefs;
    word_table messages;
    uint64_t *message_counts;
    size_t message_capacity;
    uint64_t *skip_counts; /* by reason */
    uint64_t skipped_count;
    uint64_t indexed_count; /* decisions that the index made */
    double seconds;         /* spent deciding */
} schedule;

static const command_help help = {
    .name = "schedule",
    .synopsis = "[OPTION...] [-f] FILE... | --synthetic SPEC",
    .text =
        "Places the pods that have no node, highest priority first, then in the order of the\n"
        "input, and binds each before the next is looked at. Workloads (Deployments, Jobs, ...)\n"
        "become their pods. The table ends with a summary: bound, not placed and why, use by\n"
        "zone and resource. A pod without a place is an answer, not a failure: the exit code is\n"
        "0, or with --exit-code 1. Preemption is shown, not carried out: whom it would evict, for\n"
        "each pod as if it were the only one to preempt. With -v: decisions a second.\n",
    .examples =
        "  berth schedule -f cluster.json -f deployment.yaml\n"
        "  sh -c \"$(berth dump)\" && berth schedule -f cluster.json -o yaml\n"
        "  berth schedule -f cluster.json --config scheduler.yaml --tie random --seed 7\n"
        "  berth schedule --synthetic nodes=5000,zones=3,pods=20000,workload=mixed --summary\n",
};

/* ---- deciding ---- */

static void count_message(schedule *s, uint32_t message)
{
    size_t before = s->message_capacity;
    s->message_counts = heap_grow(s->message_counts, &s->message_capacity, (size_t)message + 1,
                                  sizeof(*s->message_counts));
    if (s->message_capacity > before)
        memset(s->message_counts + before, 0,
               (s->message_capacity - before) * sizeof(*s->message_counts));
    s->message_counts[message]++;
}

/* Note whom preemption would evict. */
static void note_preemption(schedule *s, outcome *result)
{
    result->nominated = berth_explanation_nominated(s->explanation);
    if (result->nominated == BERTH_NODE_NONE)
        return;
    s->preempting_count++;
    result->first_victim = s->victim_count;
    result->victim_count = berth_explanation_victim_count(s->explanation);
    s->victims = heap_grow(s->victims, &s->victim_capacity, s->victim_count + result->victim_count,
                           sizeof(*s->victims));
    for (uint32_t i = 0; i < result->victim_count; i++)
        s->victims[s->victim_count++] = berth_explanation_victim(s->explanation, i);
}

static void add_pod_name(const schedule *s, berth_pod_id pod, text_buffer *out)
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    berth_engine_pod_name(s->engine, pod, &namespace_name, &name);
    text_add(out, "%.*s/%.*s", (int)namespace_name.len, namespace_name.data, (int)name.len,
             name.data);
}

/* "-> n1 by evicting default/low1" */
static void add_preemption(const schedule *s, const outcome *result, text_buffer *out)
{
    text_add(out, "-> ");
    text_add_str(out, berth_engine_node_name(s->engine, result->nominated));
    for (uint32_t i = 0; i < result->victim_count; i++) {
        text_add(out, "%s", i > 0 ? ", " : " by evicting ");
        add_pod_name(s, s->victims[result->first_victim + i], out);
    }
}

/* What the table says of a pod that was not placed. */
static void note_brief(schedule *s, outcome *result)
{
    text_buffer text = {0};
    if (result->nominated != BERTH_NODE_NONE)
        add_preemption(s, result, &text);
    else
        reasons_text(s->explanation, &text);
    result->brief = word_table_add(&s->briefs, text_str(&text));
    text_free(&text);
}

/* Decide again, with an explanation, about a pod that was not placed. */
static berth_status explain(schedule *s, outcome *result, berth_error *error)
{
    const berth_decide_options options = {
        .size = sizeof(options),
        .flags = BERTH_DECIDE_KEEP_ROTATION,
        .explanation = s->explanation,
    };
    berth_placement placement;
    berth_status status = berth_engine_decide(s->engine, result->pod, &options, &placement, error);
    if (status != BERTH_OK)
        return status;
    berth_str message = berth_explanation_message(s->explanation);
    if (message.data == NULL)
        message = words_of("the attempt failed with an error");
    result->message = word_table_add(&s->messages, message);
    count_message(s, result->message);
    (void)reason_sets_add(&s->sets, s->explanation);
    note_preemption(s, result);
    note_brief(s, result);
    return BERTH_OK;
}

static berth_status decide(schedule *s, stopwatch *watch, uint64_t *ticks, outcome *result,
                           berth_error *error)
{
    const cluster_skip *skip = cluster_input_skipped(&s->input, result->pod);
    if (skip != NULL) {
        result->skipped = true;
        result->message = skip->reason;
        s->skip_counts[skip->reason]++;
        s->skipped_count++;
        return BERTH_OK;
    }
    berth_placement placement;
    uint64_t from = stopwatch_ticks(watch);
    berth_status status = berth_engine_schedule(s->engine, result->pod, &placement, error);
    *ticks += stopwatch_ticks(watch) - from;
    if (status != BERTH_OK)
        return status;
    result->node = placement.node;
    s->indexed_count += placement.path == BERTH_PATH_INDEX;
    if (placement.verdict != BERTH_VERDICT_PLACED)
        return explain(s, result, error);
    s->bound_count++;
    return claim_book_placed(&s->input.claims, s->engine, result->pod, error);
}

static berth_status decide_all(schedule *s, berth_error *error)
{
    uint64_t count = 0;
    TRY(berth_engine_pending(s->engine, NULL, 0, &count, error));
    s->outcomes = heap_new(count, sizeof(*s->outcomes));
    s->outcome_count = count;
    s->skip_counts = heap_new(s->input.skip_reasons.count, sizeof(*s->skip_counts));
    berth_pod_id *pods = heap_new(count, sizeof(*pods));
    progress bar;
    stopwatch watch;
    uint64_t ticks = 0;
    berth_status status = berth_engine_pending(s->engine, pods, count, NULL, error);
    progress_start(&bar, "placing", s->outcome_count);
    stopwatch_start(&watch);
    for (uint64_t i = 0; i < s->outcome_count && status == BERTH_OK; i++) {
        s->outcomes[i] =
            (outcome){.pod = pods[i], .node = BERTH_NODE_NONE, .nominated = BERTH_NODE_NONE};
        status = decide(s, &watch, &ticks, &s->outcomes[i], error);
        if (i % 64 == 0)
            progress_update(&bar, i);
    }
    stopwatch_stop(&watch);
    progress_end(&bar);
    s->seconds = stopwatch_microseconds(&watch, ticks) / 1e6;
    free(pods);
    return status;
}

/* ---- results ---- */

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

/* The messages, the most frequent first, equals in the order of their first pod. */
static ranked_message *rank_messages(const schedule *s)
{
    ranked_message *ranked = heap_new(s->messages.count, sizeof(*ranked));
    for (uint32_t i = 0; i < s->messages.count; i++)
        ranked[i] = (ranked_message){s->message_counts[i], i};
    qsort(ranked, s->messages.count, sizeof(*ranked), by_count);
    return ranked;
}

/* ---- the list ---- */

/* The words of --sort. */
static const char *const sort_names[] = {"queue", "namespace", "name", "node", "reason", NULL};
enum { SORT_QUEUE, SORT_NAMESPACE, SORT_NAME, SORT_NODE, SORT_REASON };

static bool is_listed(const schedule *s, const outcome *result)
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    berth_engine_pod_name(s->engine, result->pod, &namespace_name, &name);
    return (!s->list.pending || result->node == BERTH_NODE_NONE) &&
           listing_has(&s->list, namespace_name);
}

/* A listed pod, and what it is sorted by. */
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

/* What is to be listed, in order; freed by the caller. */
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
    bool brief = s->list.format != OUTPUT_WIDE && !result->skipped;
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
        else if (c < 3)
            table_measure(t, c, cells[c].len);
    }
    text_free(&devices);
}

static void print_placements(const schedule *s)
{
    static const char *const titles[] = {"NAMESPACE", "NAME", "NODE", "MESSAGE"};
    uint64_t count = 0;
    bool messages = false;
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

/* Who would preempt: pods of the same workload in one line would hide whom they evict. */
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
        add_preemption(s, result, &text);
        fputs("  ", stdout);
        terminal_wrap(stdout, text.text, text.len, 2, 6);
        putchar('\n');
        text_free(&text);
        shown++;
    }
    if (shown < s->preempting_count)
        printf("  and %" PRIu64 " more\n", s->preempting_count - shown);
}

/* Where a summary goes on: of one pod that was not placed all there is to say. */
static void print_hint(const schedule *s)
{
    for (uint64_t i = 0; i < s->outcome_count; i++) {
        const outcome *result = &s->outcomes[i];
        if (result->node != BERTH_NODE_NONE || result->skipped)
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
        berth_str namespace_name = {0};
        berth_str name = {0};
        berth_engine_pod_name(s->engine, s->victims[result->first_victim + i], &namespace_name,
                              &name);
        output_object(o);
        output_pair_str(o, "namespace", namespace_name);
        output_pair_str(o, "name", name);
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
        berth_str namespace_name = {0};
        berth_str name = {0};
        berth_engine_pod_name(s->engine, result->pod, &namespace_name, &name);
        output_object(o);
        output_pair_str(o, "namespace", namespace_name);
        output_pair_str(o, "name", name);
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

static berth_status show(const schedule *s, berth_error *error)
{
    usage used;
    if (s->list.format == OUTPUT_NAME) {
        print_names(s);
        return BERTH_OK;
    }
    TRY(usage_measure(&used, s->engine, &s->input.resources, error));
    if (listing_is_table(&s->list)) {
        if (!s->summary_only)
            print_placements(s);
        print_summary(s, &used);
    } else {
        output o;
        output_open(&o, stdout, (output_format)s->list.format, 2); /* a placement a line */
        output_object(&o);
        output_schema(&o, help.name);
        if (!s->summary_only)
            write_placements(s, &o);
        o.flat_depth = 3; /* a member of the summary's lists a line */
        write_summary(s, &used, &o);
        output_object_end(&o);
        output_close(&o);
    }
    usage_release(&used);
    return BERTH_OK;
}

/* ---- the command ---- */

/* Whether a pod that is asked about found no place: one of the listed namespace, and of the
 * manifests if there are such beside a cluster. */
static bool some_unplaced(const schedule *s)
{
    bool asked = false;
    for (uint64_t i = 0; i < s->outcome_count && !asked; i++)
        asked = cluster_input_is_fresh(&s->input, s->outcomes[i].pod);
    for (uint64_t i = 0; i < s->outcome_count; i++) {
        const outcome *result = &s->outcomes[i];
        berth_str namespace_name, name;
        berth_engine_pod_name(s->engine, result->pod, &namespace_name, &name);
        if (result->node == BERTH_NODE_NONE && listing_has(&s->list, namespace_name) &&
            (!asked || cluster_input_is_fresh(&s->input, result->pod)))
            return true;
    }
    return false;
}

static int run(schedule *s)
{
    berth_error error = {.code = BERTH_OK};
    cluster_input_version(&s->input, &s->setup);
    berth_status status = engine_setup_resolve(&s->setup, &error);
    if (status == BERTH_OK)
        status = engine_setup_create(&s->setup, &s->engine, &error);
    if (status == BERTH_OK)
        status = cluster_input_load(&s->input, &s->setup, s->engine, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    status = berth_explanation_create(NULL, &s->explanation, &error);
    if (status != BERTH_OK)
        return exit_status(help.name, "making room for explanations", status);
    status = decide_all(s, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    status = show(s, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    return s->list.exit_code && some_unplaced(s) ? EXIT_NEGATIVE : EXIT_DONE;
}

int cmd_schedule(int argc, char **argv)
{
    schedule s = {.list.format = OUTPUT_TABLE};
    text_list operands = {0};
    const option own[] = {
        {.name = "summary",
         .kind = OPTION_FLAG,
         .target = &s.summary_only,
         .help = "print the summary alone"},
    };
    const uint32_t flags = LISTING_NAMESPACE | LISTING_PENDING | LISTING_EXIT_CODE;
    const option_group groups[] = {
        cluster_input_options(&s.input), engine_setup_options(&s.setup),
        listing_options(&s.list, flags, sort_names,
                        "exit with 1 if a pod found no place: one of the manifests,\nif there are "
                        "any, and of the listed namespace"),
        OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 4, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN)
        code = cluster_input_check(&s.input, &operands, help.name);
    listing_apply(&s.list);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&s);
    free(s.outcomes);
    free(s.victims);
    reason_sets_free(&s.sets);
    word_table_free(&s.briefs);
    free(s.message_counts);
    free(s.skip_counts);
    word_table_free(&s.messages);
    text_list_free(&operands);
    berth_explanation_destroy(s.explanation);
    berth_engine_destroy(s.engine);
    cluster_input_release(&s.input);
    engine_setup_release(&s.setup);
    return code;
}
