/* berth schedule: places the pending pods of a cluster in a scheduler's order, and explains those
 * that fit nowhere. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/progress.h"
#include "cli/stopwatch.h"
#include "commands/commands.h"
#include "commands/schedule.h"
#include "commands/schedule_groups.h"

static const command_help help = {
    .name = "schedule",
    .synopsis = "[OPTION...] [-f] FILE... | --live | --synthetic SPEC",
    .text =
        "Places the pods that have no node, the highest priority first, then in the order of the\n"
        "input. Each pod is bound before the next one is decided. Workloads (Deployments, Jobs,\n"
        "...) become their pods. The table ends with a summary: how many pods were bound, why\n"
        "others were not, and how much of each zone is in use. The exit code is 0 even if a pod\n"
        "finds no place, unless --exit-code is given. Preemption is shown, not carried out: the\n"
        "answer names the pods that each would evict if it were the only one to preempt. With the\n"
        "feature gate GenericWorkload, PodGroups are placed whole or not at all. With -v it has\n"
        "the number of decisions a second. -o csv and -o markdown print the list alone.\n",
    .examples =
        "  berth schedule -f cluster.json -f deployment.yaml\n"
        "  berth schedule --live -f deployment.yaml --exit-code\n"
        "  berth schedule -f cluster.json -f manifests/ --exit-code -o markdown\n"
        "  berth schedule -f cluster.json -f deployment.yaml --rollout\n"
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

/* Record the pods that preemption would evict. */
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

/* Record the short reason that the table shows for a pod without a node. */
static void note_brief(schedule *s, outcome *result)
{
    text_buffer text = {0};
    if (result->nominated != BERTH_NODE_NONE)
        schedule_tell_preemption(s, result, &text);
    else
        reasons_text(s->explanation, &text);
    result->brief = word_table_add(&s->briefs, text_str(&text));
    text_free(&text);
}

void schedule_note_refusal(schedule *s, outcome *result, berth_str message)
{
    text_buffer text = {0};
    s->last.valid = false;
    result->message = word_table_add(&s->messages, message);
    count_message(s, result->message);
    if (result->nominated != BERTH_NODE_NONE)
        schedule_tell_preemption(s, result, &text);
    else
        text_add_str(&text, message);
    result->brief = word_table_add(&s->briefs, text_str(&text));
    text_free(&text);
}

static bool is_like_last(const schedule *s, const berth_pod_info *pod)
{
    return s->last.valid && pod->kind == s->last.kind && pod->priority == s->last.priority;
}

static void repeat_last(schedule *s, outcome *result)
{
    result->message = s->last.message;
    result->brief = s->last.brief;
    count_message(s, s->last.message);
    reason_sets_repeat(&s->sets, s->last.set);
}

berth_status schedule_explain(schedule *s, outcome *result, berth_error *error)
{
    berth_pod_info pod = {.size = sizeof(pod)};
    TRY(berth_engine_pod_info(s->engine, result->pod, &pod, error));
    if (is_like_last(s, &pod)) {
        repeat_last(s, result);
        return BERTH_OK;
    }
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
    const uint32_t set = reason_sets_add(&s->sets, s->explanation);
    note_preemption(s, result);
    note_brief(s, result);
    s->last = (last_refused){.valid = placement.verdict == BERTH_VERDICT_UNSCHEDULABLE &&
                                      result->nominated == BERTH_NODE_NONE,
                             .kind = pod.kind,
                             .priority = pod.priority,
                             .message = result->message,
                             .brief = result->brief,
                             .set = set};
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
        return schedule_explain(s, result, error);
    s->bound_count++;
    s->last.valid = false;
    return claim_book_placed(&s->input.claims, s->engine, result->pod, error);
}

/* ---- rollouts ---- */

typedef struct playing {
    schedule *schedule;
    stopwatch *watch;
    uint64_t *ticks;
} playing;

/* Decide about a pod of a rollout, for the first time or again after old pods were removed. */
static berth_status decide_rolling(void *context, berth_pod_id pod, bool *placed,
                                   berth_error *error)
{
    const playing *p = context;
    schedule *s = p->schedule;
    berth_placement placement;
    uint64_t at = s->outcome_count, from = stopwatch_ticks(p->watch);
    while (at > 0 && s->outcomes[at - 1].pod != pod)
        at--;
    if (at == 0) {
        s->outcomes = heap_grow(s->outcomes, &s->outcome_capacity, s->outcome_count + 1,
                                sizeof(*s->outcomes));
        at = ++s->outcome_count;
    }
    TRY(berth_engine_schedule(s->engine, pod, &placement, error));
    *p->ticks += stopwatch_ticks(p->watch) - from;
    *placed = placement.verdict == BERTH_VERDICT_PLACED;
    s->outcomes[at - 1] =
        (outcome){.pod = pod, .node = placement.node, .nominated = BERTH_NODE_NONE};
    s->indexed_count += placement.path == BERTH_PATH_INDEX;
    s->bound_count += *placed;
    return *placed ? claim_book_placed(&s->input.claims, s->engine, pod, error) : BERTH_OK;
}

static berth_status play(schedule *s, stopwatch *watch, uint64_t *ticks, berth_error *error)
{
    playing p = {s, watch, ticks};
    const uint64_t first = s->outcome_count;
    TRY(cluster_input_play(&s->input, s->engine, decide_rolling, &p, error));
    s->last.valid = false;
    for (uint64_t i = first; i < s->outcome_count; i++)
        if (s->outcomes[i].node == BERTH_NODE_NONE)
            TRY(schedule_explain(s, &s->outcomes[i], error));
    return BERTH_OK;
}

static berth_status decide_all(schedule *s, berth_error *error)
{
    uint64_t count = 0;
    TRY(berth_engine_pending(s->engine, NULL, 0, &count, error));
    s->outcomes = heap_grow(s->outcomes, &s->outcome_capacity, count + 1, sizeof(*s->outcomes));
    s->outcome_count = count;
    s->skip_counts = heap_new(s->input.skip_reasons.count, sizeof(*s->skip_counts));
    berth_pod_id *pods = heap_new(count, sizeof(*pods));
    progress bar;
    stopwatch watch;
    uint64_t ticks = 0;
    berth_status status = berth_engine_pending(s->engine, pods, count, NULL, error);
    progress_start(&bar, "placing", s->outcome_count);
    stopwatch_start(&watch);
    schedule_groups groups = {0};
    for (uint64_t i = 0; i < s->outcome_count; i++)
        s->outcomes[i] =
            (outcome){.pod = pods[i], .node = BERTH_NODE_NONE, .nominated = BERTH_NODE_NONE};
    if (status == BERTH_OK)
        status = schedule_groups_find(&groups, s, error);
    for (uint64_t i = 0; i < s->outcome_count && status == BERTH_OK; i++) {
        bool alone;
        status = schedule_groups_place(&groups, s, i, &alone, error);
        if (status == BERTH_OK && alone)
            status = decide(s, &watch, &ticks, &s->outcomes[i], error);
        if (i % 64 == 0)
            progress_update(&bar, i);
    }
    if (status == BERTH_OK && s->input.plays)
        status = play(s, &watch, &ticks, error);
    stopwatch_stop(&watch);
    progress_end(&bar);
    s->seconds = stopwatch_microseconds(&watch, ticks) / 1e6;
    schedule_groups_free(&groups);
    free(pods);
    return status;
}

/* ---- the command ---- */

/* Whether a rollout is stuck, or a pod of the listed namespace has no node. If some pods come from
 * manifests, only those pods count. */
static bool some_unplaced(const schedule *s)
{
    bool asked = false;
    for (size_t i = 0; i < rollouts_count(s->input.changes); i++)
        if (rollouts_at(s->input.changes, i)->stuck)
            return true;
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
    berth_status status = cluster_input_version(&s->input, &s->setup, &error);
    if (status == BERTH_OK)
        status = engine_setup_resolve(&s->setup, &error);
    if (status == BERTH_OK)
        status = engine_setup_create(&s->setup, &s->engine, &error);
    s->input.inspection.references.listed = s->list.namespace_name;
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
    status = schedule_show(s, help.name, &error);
    if (status != BERTH_OK)
        return exit_error(help.name, &error);
    return s->list.exit_code && some_unplaced(s) ? EXIT_NEGATIVE : EXIT_DONE;
}

int cmd_schedule(int argc, char **argv)
{
    schedule s = {.list.format = OUTPUT_TABLE, .setup.places_groups = true};
    text_list operands = {0};
    const option own[] = {
        {.name = "summary",
         .kind = OPTION_FLAG,
         .target = &s.summary_only,
         .help = "print the summary alone"},
        {.name = "rollout",
         .kind = OPTION_FLAG,
         .target = &s.input.plays,
         .help = "play the rollouts of what manifests change, step by step\n(maxSurge, "
                 "maxUnavailable, partition), and say where\none gets stuck"},
    };
    const uint32_t flags = LISTING_NAMESPACE | LISTING_PENDING | LISTING_EXIT_CODE;
    const option_group groups[] = {
        cluster_input_options(&s.input), engine_setup_options(&s.setup),
        listing_options(
            &s.list, flags, schedule_sorts,
            "exit with 1 if a pod of the listed namespace found no\nplace; if manifests "
            "are given, only their pods count"),
        OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 4, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN)
        code = cluster_input_check(&s.input, &operands, help.name);
    if (code == EXIT_DONE && s.input.plays && (s.input.add || s.input.synthetic != NULL))
        code = exit_usage(help.name, "--rollout: nothing is changed with --add or --synthetic");
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = listing_check(&s.list, s.summary_only, help.name);
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
