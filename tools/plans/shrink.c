/* Closes nodes one after the other and places their pods elsewhere as a group. */
#include "plans/shrink.h"

#include <stdlib.h>

#include "berth/transaction.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "plans/plan_pods.h"
#include "traces/id_table.h"

const char *const shrink_verdict_names[SHRINK_VERDICTS] = {"goes",      "noRoom",  "bare",
                                                           "forbidden", "foreign", "controlPlane"};
const char *const shrink_verdict_texts[SHRINK_VERDICTS] = {
    "could go",
    "for pods that do not fit elsewhere",
    "for a pod without a controller",
    "because of a pod that a disruption budget protects",
    "for a pod of another scheduler",
    "because they belong to the control plane",
};

/* The pods that must leave one node, in an array that grows. */
typedef struct movers {
    berth_pod_id *pods;
    size_t capacity;
    bool *flags;
    size_t flag_capacity;
    uint32_t count;
} movers;

static double use_of(const berth_engine *engine, berth_node_id node)
{
    static const char *const names[] = {"cpu", "memory", "pods"};
    double most = 0.0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int64_t allocatable = 0;
        int64_t requested = 0;
        (void)berth_engine_node_resource(engine, node, words_of(names[i]), &allocatable, &requested,
                                         NULL);
        double share = allocatable > 0 ? (double)requested / (double)allocatable : 0.0;
        most = share > most ? share : most;
    }
    return most;
}

static int by_use(const void *a, const void *b)
{
    const shrink_node *left = a;
    const shrink_node *right = b;
    if (left->use != right->use)
        return left->use < right->use ? -1 : 1;
    return left->node < right->node ? -1 : left->node > right->node;
}

/* The oldest pods are placed first; the engine lists them last. */
static berth_status list_movers(berth_engine *engine, const engine_setup *setup, shrink_node *one,
                                movers *m, berth_error *error)
{
    uint32_t count = berth_engine_node_pods(engine, one->node, NULL, 0);
    m->pods = heap_grow(m->pods, &m->capacity, (size_t)count * 2, sizeof(*m->pods));
    berth_pod_id *all = m->pods + count;
    berth_engine_node_pods(engine, one->node, all, count);
    m->count = 0;
    for (uint32_t i = count; i-- > 0;) {
        berth_pod_info info = {.size = sizeof(info)};
        TRY(berth_engine_pod_info(engine, all[i], &info, error));
        if (plan_pod_stays(&info) || info.deleting)
            continue;
        if (info.owner_kind.len == 0)
            one->verdict = SHRINK_BARE;
        else if (!engine_setup_serves(setup, info.scheduler_name) && one->verdict == SHRINK_GOES)
            one->verdict = SHRINK_FOREIGN;
        m->pods[m->count++] = all[i];
    }
    one->pods = m->count;
    m->flags = heap_grow(m->flags, &m->flag_capacity, m->count, sizeof(*m->flags));
    if (one->verdict == SHRINK_GOES &&
        berth_engine_forbidden(engine, m->pods, m->count, m->flags) > 0)
        one->verdict = SHRINK_FORBIDDEN;
    return BERTH_OK;
}

static berth_status move_away(berth_engine *engine, shrink_node *one, const movers *m,
                              berth_error *error)
{
    uint32_t placed = 0;
    TRY(berth_engine_close_node(engine, one->node, true, error));
    for (uint32_t i = 0; i < m->count; i++)
        TRY(berth_engine_unbind(engine, m->pods[i], error));
    TRY(berth_engine_schedule_group(engine, m->pods, m->count, NULL, &placed, error));
    if (placed < m->count)
        one->verdict = SHRINK_NO_ROOM;
    return BERTH_OK;
}

/* ---- moves ---- */

static void note_moves(shrink *s, berth_node_id from, const movers *m)
{
    s->moves = heap_grow(s->moves, &s->move_capacity, s->move_count + m->count, sizeof(*s->moves));
    for (uint32_t i = 0; i < m->count; i++)
        s->moves[s->move_count++] = (shrink_move){.pod = m->pods[i], .from = from};
}

/* Merge the moves of each pod. A pod may have moved to a node that was closed later: its first move
 * knows where it came from, the engine where it is now. */
static void settle_moves(shrink *s, const berth_engine *engine)
{
    size_t kept = 0;
    id_table seen = {0};
    for (size_t i = 0; i < s->move_count; i++) {
        shrink_move one = s->moves[i];
        if (id_table_find(&seen, one.pod) != ID_TABLE_NONE)
            continue;
        id_table_add(&seen, one.pod, (uint32_t)i);
        one.to = berth_engine_pod_node(engine, one.pod);
        s->moves[kept++] = one;
    }
    s->move_count = kept;
    id_table_free(&seen);
}

/* ---- one node ---- */

static berth_status ask(shrink *s, berth_engine *engine, const engine_setup *setup,
                        shrink_node *one, movers *m, berth_error *error)
{
    if (berth_engine_node_label(engine, one->node,
                                words_of("node-role.kubernetes.io/control-plane"))
            .data != NULL)
        one->verdict = SHRINK_CONTROL_PLANE;
    TRY(list_movers(engine, setup, one, m, error));
    if (one->verdict != SHRINK_GOES)
        return BERTH_OK;
    TRY(berth_engine_begin(engine, error));
    berth_status status = move_away(engine, one, m, error);
    if (status == BERTH_OK && one->verdict == SHRINK_GOES)
        note_moves(s, one->node, m);
    if (status == BERTH_OK && one->verdict == SHRINK_GOES)
        return berth_engine_commit(engine, error);
    berth_engine_rollback(engine, NULL);
    return status;
}

berth_status shrink_make(shrink *s, berth_engine *engine, const engine_setup *setup,
                         const berth_node_id *nodes, uint32_t count, berth_error *error)
{
    movers m = {.count = 0};
    berth_status status = BERTH_OK;
    s->nodes = heap_new(count, sizeof(*s->nodes));
    s->count = count;
    for (uint32_t i = 0; i < count; i++)
        s->nodes[i] = (shrink_node){.node = nodes[i], .use = use_of(engine, nodes[i])};
    if (count > 0)
        qsort(s->nodes, count, sizeof(*s->nodes), by_use);
    for (uint32_t i = 0; i < count && status == BERTH_OK; i++) {
        status = ask(s, engine, setup, &s->nodes[i], &m, error);
        s->going += s->nodes[i].verdict == SHRINK_GOES;
    }
    settle_moves(s, engine);
    free(m.pods);
    free(m.flags);
    return status;
}

void shrink_free(shrink *s)
{
    free(s->nodes);
    free(s->moves);
}
