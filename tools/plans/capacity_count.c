#include "plans/capacity_count.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/progress.h"
#include "cli/stopwatch.h"
#include "cli/text_buffer.h"
#include "explain/device_lacks.h"
#include "explain/reason_sets.h"
#include "loading/node_list.h"

/* ---- nodes ---- */

static berth_status list_nodes(capacity_count *c, berth_error *error)
{
    TRY(node_list_make(c->engine, &c->nodes, &c->node_count, error));
    for (uint32_t i = 0; i < c->node_count; i++)
        if (c->nodes[i] >= c->place_count)
            c->place_count = c->nodes[i] + 1;
    c->place_of_node = heap_new(c->place_count, sizeof(*c->place_of_node));
    for (uint32_t i = 0; i < c->node_count; i++)
        c->place_of_node[c->nodes[i]] = i;
    for (size_t s = 0; s < c->specs.count; s++)
        c->specs.items[s].by_node = heap_new(c->node_count, sizeof(uint64_t));
    return BERTH_OK;
}

/* ---- counting ---- */

/* If devices end the count, report which ones. */
static void tell_devices(const capacity_count *c, berth_pod_id pod, text_buffer *out)
{
    text_buffer lacks = {0};
    device_lacks_tell_all(c->engine, pod, c->explanation, &lacks);
    if (lacks.len > 0)
        text_add(out, ": %s", lacks.text);
    text_free(&lacks);
}

static berth_status explain(capacity_count *c, podspec *spec, berth_pod_id pod, berth_error *error)
{
    const berth_decide_options options = {.size = sizeof(options),
                                          .flags = BERTH_DECIDE_KEEP_ROTATION,
                                          .explanation = c->explanation};
    berth_placement placement;
    berth_status status = berth_engine_decide(c->engine, pod, &options, &placement, error);
    if (status != BERTH_OK)
        return status;
    berth_str message = berth_explanation_message(c->explanation);
    if (message.data == NULL)
        message = words_of("the attempt failed with an error");
    spec->message = heap_text(message.data, message.len);
    text_buffer brief = {0};
    reasons_text(c->explanation, &brief);
    tell_devices(c, pod, &brief);
    spec->brief = heap_text(brief.len > 0 ? brief.text : "", brief.len);
    text_free(&brief);
    return BERTH_OK;
}

/* Stop a specification; `admitted` false: because admission accepts no further pod. */
static void stop(podspec *spec, bool admitted, const char *message)
{
    spec->admitted = admitted;
    spec->message = heap_text(message, strlen(message));
    spec->brief = heap_text(message, strlen(message));
}

static bool is_refused(capacity_count *c, podspec *spec, berth_pod_id pod)
{
    text_buffer reason = {0};
    const bool refused =
        admission_refuses(&c->input->admission, c->engine, pod, spec->lacks, &reason);
    if (refused)
        stop(spec, false, reason.text);
    text_free(&reason);
    return refused;
}

/* Whether the count on a node has no end: it takes far more pods than it has room for, because the
 * profile lacks the filter that looks at its room. Asked rarely, as it costs a visit to its
 * pods. */
static bool is_endless(const capacity_count *c, const podspec *spec, berth_node_id node)
{
    enum { BEYOND = 1024 };
    const uint64_t own = spec->by_node[c->place_of_node[node]];
    int64_t room = 0, taken = 0;
    if (own % BEYOND != 0)
        return false;
    (void)berth_engine_node_resource(c->engine, node, words_of("pods"), &room, &taken, NULL);
    return taken > room && (uint64_t)(taken - room) >= BEYOND / 2;
}

/* Place one more pod. `*more`: another one may be tried. */
static berth_status place_one(capacity_count *c, podspec *spec, bool *more, berth_error *error)
{
    berth_pod_id pod;
    berth_placement placement;
    *more = false;
    if (spec->refusal != NULL) {
        stop(spec, false, spec->refusal);
        return BERTH_OK;
    }
    TRY(podspec_add_pod(spec, c->engine, &pod, error));
    if (is_refused(c, spec, pod))
        return BERTH_OK;
    TRY(berth_engine_schedule(c->engine, pod, &placement, error));
    c->decision_count++;
    *more = placement.verdict == BERTH_VERDICT_PLACED;
    if (!*more)
        return explain(c, spec, pod, error);
    spec->by_node[c->place_of_node[placement.node]]++;
    TRY(claim_book_placed(&c->input->claims, c->engine, pod, error));
    spec->fit_count++;
    *more = spec->fit_count != c->max;
    if (*more && is_endless(c, spec, placement.node)) {
        *more = false;
        stop(spec, true, "nothing: no filter of the profile limits how many pods a node takes");
    }
    return BERTH_OK;
}

static bool is_cancelled(const capacity_count *c)
{
    return c->cancel != NULL && __atomic_load_n(c->cancel, __ATOMIC_RELAXED) != 0;
}

/* Count `count` specifications from `first` on, in turn, until each is stopped. */
static berth_status count_in_turn(capacity_count *c, size_t first, size_t count, progress *bar,
                                  berth_error *error)
{
    bool *more = heap_new(count, sizeof(*more));
    size_t left = count;
    berth_status status = berth_engine_begin(c->engine, error);
    if (status != BERTH_OK) {
        free(more);
        return status;
    }
    memset(more, true, count * sizeof(*more));
    admission_save(&c->input->admission);
    while (left > 0 && status == BERTH_OK)
        for (size_t i = 0; i < count && status == BERTH_OK; i++) {
            if (!more[i])
                continue;
            status = is_cancelled(c)
                         ? error_set(error, BERTH_E_CANCELLED, NULL, "the time for an answer is up")
                         : place_one(c, &c->specs.items[first + i], &more[i], error);
            left -= !more[i];
            if (c->decision_count % 64 == 0)
                progress_update(bar, c->decision_count);
        }
    free(more);
    berth_engine_rollback(c->engine, NULL);
    claim_book_restore(&c->input->claims);
    admission_restore(&c->input->admission);
    return status;
}

static berth_status count_all(capacity_count *c, berth_error *error)
{
    berth_status status = BERTH_OK;
    stopwatch watch;
    progress bar;
    progress_start(&bar, "placing", 0);
    stopwatch_start(&watch);
    if (c->together)
        status = count_in_turn(c, 0, c->specs.count, &bar, error);
    for (size_t i = 0; i < c->specs.count && !c->together && status == BERTH_OK; i++)
        status = count_in_turn(c, i, 1, &bar, error);
    stopwatch_stop(&watch);
    progress_end(&bar);
    c->seconds = stopwatch_seconds(&watch);
    return status;
}

berth_status capacity_count_run(capacity_count *c, berth_error *error)
{
    TRY(list_nodes(c, error));
    TRY(berth_explanation_create(NULL, &c->explanation, error));
    return count_all(c, error);
}

void capacity_count_free(capacity_count *c)
{
    podspecs_free(&c->specs);
    free(c->nodes);
    free(c->place_of_node);
    berth_explanation_destroy(c->explanation);
}

/* ---- results ---- */

uint32_t capacity_count_nodes(const capacity_count *c, const podspec *spec)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < c->node_count; i++)
        used += spec->by_node[i] > 0;
    return used;
}

double capacity_count_rate(const capacity_count *c)
{
    return c->seconds > 0.0 ? (double)c->decision_count / c->seconds : 0.0;
}

static void write_spec(const capacity_count *c, const podspec *spec, bool summary_only, output *o)
{
    output_object(o);
    output_pair_text(o, "podspec", spec->object);
    output_pair_int(o, "fit", (int64_t)spec->fit_count);
    if (spec->message != NULL)
        output_pair_text(o, "message", spec->message);
    output_key(o, "admitted");
    output_bool(o, spec->admitted);
    output_key(o, "limited");
    output_bool(o, spec->message == NULL);
    if (!summary_only) {
        output_key(o, "nodes");
        output_array(o);
        for (uint32_t i = 0; i < c->node_count; i++) {
            if (spec->by_node[i] == 0)
                continue;
            output_object(o);
            output_pair_str(o, "node", berth_engine_node_name(c->engine, c->nodes[i]));
            output_pair_int(o, "pods", (int64_t)spec->by_node[i]);
            output_object_end(o);
        }
        output_array_end(o);
    }
    output_object_end(o);
}

void capacity_count_write(const capacity_count *c, bool summary_only, output *o)
{
    output_key(o, "podspecs");
    output_array(o);
    for (size_t s = 0; s < c->specs.count; s++)
        write_spec(c, &c->specs.items[s], summary_only, o);
    output_array_end(o);
    output_key(o, "summary");
    output_object(o);
    output_pair_int(o, "nodes", c->node_count);
    output_key(o, "together");
    output_bool(o, c->together);
    output_pair_int(o, "decisions", (int64_t)c->decision_count);
    output_pair_real(o, "seconds", c->seconds, 6);
    output_pair_real(o, "decisionsPerSecond", capacity_count_rate(c), 0);
    output_object_end(o);
}
