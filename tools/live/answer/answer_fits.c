/* Whether the pods of a manifest fit in addition to what runs, and where each would go: all
 * replicas are placed on the branch, one after the other, in the manifest's order. Pods that wait
 * in the cluster are not placed. Arguments: namespace, summary. */
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "explain/pod_lookup.h"
#include "live/answer/answer_manifest.h"
#include "live/answer/answers.h"

enum { EXPLAINED_MAX = 20, TIME_EVERY = 64 };

/* A pod of the manifest. */
typedef struct wanted {
    berth_pod_id pod;
    berth_node_id node; /* BERTH_NODE_NONE: the pod fits nowhere */
    char *message;      /* why it fits nowhere; NULL: not explained */
} wanted;

typedef struct fitting {
    answer_room *room;
    wanted *pods;
    size_t count, capacity;
    uint64_t placed, explained;
    berth_explanation *why;
} fitting;

static void add_wanted(void *context, const berth_pod *pod, berth_pod_id id)
{
    fitting *f = context;
    (void)pod;
    f->pods = heap_grow(f->pods, &f->capacity, f->count + 1, sizeof(*f->pods));
    f->pods[f->count++] = (wanted){.pod = id, .node = BERTH_NODE_NONE};
}

/* ---- placing ---- */

/* Why admission refuses the pod; absent: it admits the pod. */
static berth_str refusal_of(const fitting *f, const wanted *one)
{
    const cluster_skip *skip = cluster_input_skipped(&f->room->input, one->pod);
    return skip != NULL ? word_table_get(&f->room->input.skip_reasons, skip->reason)
                        : (berth_str){0};
}

static berth_status explain(fitting *f, wanted *one, berth_error *error)
{
    const berth_decide_options options = {
        .size = sizeof(options), .flags = BERTH_DECIDE_KEEP_ROTATION, .explanation = f->why};
    berth_placement placement;
    if (f->explained++ >= EXPLAINED_MAX)
        return BERTH_OK;
    TRY(berth_engine_decide(f->room->branch, one->pod, &options, &placement, error));
    const berth_str words = berth_explanation_message(f->why);
    if (words.data != NULL)
        one->message = heap_text(words.data, words.len);
    return BERTH_OK;
}

static berth_status place_one(fitting *f, wanted *one, berth_error *error)
{
    berth_placement placement;
    const berth_str refusal = refusal_of(f, one);
    if (refusal.data != NULL) {
        one->message = heap_text(refusal.data, refusal.len);
        return BERTH_OK;
    }
    TRY(berth_engine_schedule(f->room->branch, one->pod, &placement, error));
    if (placement.verdict != BERTH_VERDICT_PLACED)
        return explain(f, one, error);
    one->node = placement.node;
    f->placed++;
    return claim_book_placed(&f->room->input.claims, f->room->branch, one->pod, error);
}

static berth_status place_all(fitting *f, berth_error *error)
{
    TRY(berth_explanation_create(NULL, &f->why, error));
    for (size_t i = 0; i < f->count; i++) {
        if (i % TIME_EVERY == 0)
            TRY(answer_room_time(f->room, error));
        TRY(place_one(f, &f->pods[i], error));
    }
    return BERTH_OK;
}

/* ---- the answer ---- */

static void write_pod(const fitting *f, const wanted *one, output *o)
{
    output_object(o);
    pod_lookup_write(f->room->branch, one->pod, o);
    if (one->node != BERTH_NODE_NONE)
        output_pair_str(o, "node", berth_engine_node_name(f->room->branch, one->node));
    if (one->message != NULL)
        output_pair_text(o, "message", one->message);
    output_object_end(o);
}

static void write_all(const fitting *f, bool summary, output *o)
{
    output_key(o, "fits");
    output_bool(o, f->placed == f->count);
    output_pair_int(o, "wanted", (int64_t)f->count);
    output_pair_int(o, "placed", (int64_t)f->placed);
    output_key(o, "pods");
    output_array(o);
    for (size_t i = 0; i < f->count; i++)
        if (!summary || f->pods[i].message != NULL)
            write_pod(f, &f->pods[i], o);
    output_array_end(o);
}

berth_status answer_fits(answer_room *room, output *o, berth_error *error)
{
    fitting f = {.room = room};
    bool summary = false;
    berth_status status = answer_flag(room->asked, "summary", &summary, error);
    if (status == BERTH_OK)
        status = answer_manifest_read(room, add_wanted, &f, error);
    if (status == BERTH_OK)
        status = place_all(&f, error);
    if (status == BERTH_OK)
        write_all(&f, summary, o);
    for (size_t i = 0; i < f.count; i++)
        free(f.pods[i].message);
    free(f.pods);
    berth_explanation_destroy(f.why);
    return status;
}
