/* Makes attempts on one branch, each in a transaction that is rolled back. */
#include "explain/trial.h"

#include <stdio.h>

#include "cli/exits.h"

static berth_status make_branch(trial *t, berth_engine *engine, berth_error *error)
{
    TRY(berth_engine_publish(engine, error));
    berth_snapshot *snapshot = berth_engine_pin(engine);
    berth_status status = berth_branch_create(snapshot, &t->branch, error);
    berth_snapshot_unpin(snapshot);
    return status;
}

berth_status trial_open(trial *t, berth_engine *engine, berth_snapshot *state, berth_pod_id pod,
                        berth_error *error)
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    *t = (trial){.pod = pod};
    TRY(berth_explanation_create(NULL, &t->why, error));
    TRY(state != NULL ? berth_branch_create(state, &t->branch, error)
                      : make_branch(t, engine, error));
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    return berth_engine_remove(t->branch, BERTH_KIND_POD, namespace_name, name, error);
}

void trial_close(trial *t)
{
    berth_explanation_destroy(t->why);
    berth_branch_drop(t->branch);
    *t = (trial){0};
}

berth_status trial_begin(trial *t, berth_error *error)
{
    return berth_engine_begin(t->branch, error);
}

void trial_back(trial *t)
{
    (void)berth_engine_rollback(t->branch, NULL);
}

static void name_victims(const trial *t, trial_answer *out)
{
    enum { MORE = sizeof(" and 4294967295 more") };
    const uint32_t count = berth_explanation_victim_count(t->why);
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        berth_str namespace_name = {0};
        berth_str name = {0};
        berth_engine_pod_name(t->branch, berth_explanation_victim(t->why, i), &namespace_name,
                              &name);
        if (at + namespace_name.len + name.len + 4 + MORE > sizeof(out->evicting)) {
            const char *what = i > 0 ? "more" : count == 1 ? "pod" : "pods";
            snprintf(out->evicting + at, sizeof(out->evicting) - at, "%s%u %s",
                     i > 0 ? " and " : "", (unsigned)(count - i), what);
            return;
        }
        at += (size_t)snprintf(out->evicting + at, sizeof(out->evicting) - at, "%s%.*s/%.*s",
                               i > 0 ? ", " : "", (int)namespace_name.len, namespace_name.data,
                               (int)name.len, name.data);
    }
}

static berth_status decide(trial *t, berth_pod_id pod, uint32_t flags, trial_answer *out,
                           berth_error *error)
{
    bool explained = (flags & (TRIAL_EXPLAIN | TRIAL_PREEMPT)) != 0;
    const berth_decide_options options = {
        .size = sizeof(options),
        .flags = BERTH_DECIDE_KEEP_ROTATION |
                 ((flags & TRIAL_PREEMPT) == 0 ? (uint32_t)BERTH_DECIDE_SEARCH_ONLY : 0),
        .explanation = explained ? t->why : NULL,
    };
    berth_placement placement;
    TRY(berth_engine_decide(t->branch, pod, &options, &placement, error));
    t->attempts++;
    out->verdict = placement.verdict;
    berth_node_id node = placement.node;
    if (placement.verdict == BERTH_VERDICT_PLACED)
        TRY(berth_engine_feasible_nodes(t->branch, pod, NULL, NULL, 0, &out->fits, error));
    if (explained && berth_explanation_nominated(t->why) != BERTH_NODE_NONE) {
        out->preempts = true;
        node = berth_explanation_nominated(t->why);
        name_victims(t, out);
    }
    berth_str name = berth_engine_node_name(t->branch, node);
    snprintf(out->node, sizeof(out->node), "%.*s", (int)name.len, name.data);
    return BERTH_OK;
}

berth_status trial_decide(trial *t, const berth_pod *pod, uint32_t flags, trial_answer *out,
                          berth_error *error)
{
    berth_pod_id id = BERTH_POD_NONE;
    *out = (trial_answer){.verdict = BERTH_VERDICT_ERROR};
    TRY(berth_engine_begin(t->branch, error));
    berth_status status = berth_engine_add_pod(t->branch, pod, &id, error);
    if (status == BERTH_OK)
        status = decide(t, id, flags, out, error);
    (void)berth_engine_rollback(t->branch, NULL);
    return status;
}
