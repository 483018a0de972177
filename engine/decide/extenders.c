/* Asks extenders, in their order, and applies their answers.
 * Source: kube-scheduler v1.37, schedule_one.go, findNodesThatPassExtenders and prioritizeNodes;
 * framework/preemption, callExtenders. */
#include "decide/extenders.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "cluster/cluster_read.h"

/* fwk.MaxNodeScore / extenderv1.MaxExtenderPriority */
enum { SCORE_SCALE = 10 };

/* ---- the list ---- */

static const char *fault_of(const berth_extender *table)
{
    if ((table->flags & ~(uint32_t)BERTH_EXTENDER_IGNORABLE) != 0)
        return "flags has bits that mean nothing";
    if (table->filter == NULL && table->prioritize == NULL && table->preempt == NULL)
        return "the extender has no function";
    if (table->prioritize != NULL && table->weight <= 0)
        return "an extender that prioritizes needs a weight above 0";
    if (table->managed_resources.count > 0 && table->managed_resources.items == NULL)
        return "managed_resources has a count and no items";
    for (uint32_t i = 0; i < table->managed_resources.count; i++)
        if (!berth__resource_is_extended(table->managed_resources.items[i]))
            return "managed_resources names what is no extended resource";
    return NULL;
}

static berth_status read_table(berth__arena *arena, const berth_extender *table,
                               berth_extender *own, berth_error *error)
{
    bool ok = true;
    *own = (berth_extender){.size = sizeof(*own)};
    if (table == NULL)
        return berth__error_set(error, BERTH_E_ARG, "the extender is NULL");
    BERTH_TRY(berth__sized_read(own, sizeof(*own), table, "berth_extender", error));
    const char *fault = fault_of(own);
    if (fault != NULL)
        return berth__error_set(error, BERTH_E_ARG, "%s", fault);
    const uint32_t count = own->managed_resources.count;
    berth_str *names = berth__arena_alloc(arena, count * sizeof(*names), 8);
    for (uint32_t i = 0; names != NULL && i < count; i++)
        names[i] = berth__arena_str(arena, own->managed_resources.items[i], &ok);
    own->managed_resources = (berth_strs){names, count};
    own->name = berth__arena_str(arena, own->name, &ok);
    return names != NULL && ok ? BERTH_OK : berth__error_no_memory(error);
}

static bool is_ignorable(const berth_extender *extender)
{
    return (extender->flags & BERTH_EXTENDER_IGNORABLE) != 0;
}

/* Copy the extenders that are ignorable, or those that are not. */
static void append(const berth_extender *from, uint32_t count, bool ignorable, berth_extender *to,
                   uint32_t *filled)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_ignorable(&from[i]) == ignorable)
            to[(*filled)++] = from[i];
}

berth_status berth__extenders_read(berth__arena *arena, const berth_extender *const *tables,
                                   uint32_t count, berth__extenders *out, berth_error *error)
{
    const size_t align = _Alignof(berth_extender);
    berth_extender *given = berth__arena_alloc(arena, count * sizeof(*given), align);
    berth_extender *ordered = berth__arena_alloc(arena, count * sizeof(*ordered), align);
    if (given == NULL || ordered == NULL)
        return berth__error_no_memory(error);
    *out = (berth__extenders){.items = ordered};
    for (uint32_t i = 0; i < count; i++) {
        berth_status status = read_table(arena, tables[i], &given[i], error);
        if (status != BERTH_OK)
            berth__error_field(error, "extenders[%u]", (unsigned)i);
        BERTH_TRY(status);
        out->rank |= given[i].filter != NULL || given[i].prioritize != NULL;
    }
    append(given, count, false, ordered, &out->count);
    append(given, count, true, ordered, &out->count);
    return BERTH_OK;
}

/* ---- whom they concern ---- */

static bool manages(const berth_extender *extender, berth_str resource)
{
    for (uint32_t i = 0; i < extender->managed_resources.count; i++)
        if (berth__str_eq(extender->managed_resources.items[i], resource))
            return true;
    return false;
}

static bool concerns(const berth_extender *extender, const berth__model *model,
                     const berth__class *cls)
{
    const berth__request *request = cls->request;
    if (extender->managed_resources.count == 0)
        return true;
    for (uint32_t i = 0; i < request->scalar_count; i++)
        if (manages(extender,
                    berth__text(model, berth__resource_name(model, request->scalars[i].resource))))
            return true;
    return false;
}

bool berth__extenders_concern(const berth__extenders *extenders, const berth__model *model,
                              const berth__class *cls)
{
    for (uint32_t i = 0; i < extenders->count; i++)
        if ((extenders->items[i].filter != NULL || extenders->items[i].prioritize != NULL) &&
            concerns(&extenders->items[i], model, cls))
            return true;
    return false;
}

bool berth__extenders_preempt(const berth__extenders *extenders, const berth__model *model,
                              const berth__class *cls)
{
    for (uint32_t i = 0; i < extenders->count; i++)
        if (extenders->items[i].preempt != NULL && concerns(&extenders->items[i], model, cls))
            return true;
    return false;
}

static bool concerns_pod(const berth__extended *extended, const berth_extender *extender)
{
    const berth__question *cycle = extended->search->decision.cycle;
    return concerns(extender, cycle->view->model, cycle->cls);
}

/* ---- failures ---- */

/* What a failure of an extender means: nothing, the end of the attempt, or the end of the call. */
static berth_status take_failure(berth__extended *extended, const berth_extender *extender,
                                 berth_status status, const berth_error *error)
{
    bool ok = true;
    if (status == BERTH_E_NOMEM)
        return status;
    if (is_ignorable(extender))
        return BERTH_OK;
    const char *text = error->message[0] != '\0' ? error->message : "the extender failed";
    extended->failure = berth__arena_str(extended->arena, berth__text_of(text), &ok);
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

/* ---- filter ---- */

/* The nodes in question and room for an answer about each, by feasible node. */
typedef struct node_list {
    uint32_t count;
    uint32_t *slots;
    berth_node_id *nodes;
    berth_extender_verdict *verdicts;
    berth_str *reasons;
} node_list;

static berth_status list_nodes(const berth__extended *extended, node_list *out)
{
    const berth__search *search = extended->search;
    const berth__layout *layout = search->decision.cycle->view->layout;
    const uint32_t count = search->answer.feasible_count;
    *out = (node_list){count, berth__arena_alloc(extended->arena, count * sizeof(*out->slots), 8),
                       berth__arena_alloc(extended->arena, count * sizeof(*out->nodes), 8),
                       berth__arena_alloc(extended->arena, count * sizeof(*out->verdicts), 8),
                       berth__arena_alloc(extended->arena, count * sizeof(*out->reasons), 8)};
    if (out->slots == NULL || out->nodes == NULL || out->verdicts == NULL || out->reasons == NULL)
        return BERTH_E_NOMEM;
    berth__search_feasible(search, out->slots);
    for (uint32_t i = 0; i < count; i++)
        out->nodes[i] = layout->nodes[out->slots[i]];
    return BERTH_OK;
}

static bool is_refusal(berth_extender_verdict verdict)
{
    return verdict == BERTH_EXTENDER_REFUSES || verdict == BERTH_EXTENDER_REFUSES_FOR_GOOD;
}

/* Remember the refusal of the node that was tried alone. It counts if the walk over all nodes does
 * not visit that node. */
static void note_alone(berth__extended *extended, const berth_extender *extender,
                       const node_list *list)
{
    if (!extended->search->answer.alone || !is_refusal(list->verdicts[0]))
        return;
    extended->alone.slot = list->slots[0];
    extended->alone.verdict = list->verdicts[0];
    extended->alone.extender = extender->name;
    extended->alone.reason = list->reasons[0];
}

static berth_status note_refused(berth__extended *extended, const node_list *list)
{
    if (extended->refused == NULL) /* the first list is the longest */
        extended->refused =
            berth__arena_alloc(extended->arena, list->count * sizeof(*extended->refused), 8);
    if (extended->refused == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < list->count; i++) {
        extended->lost_nodes |= list->verdicts[i] != BERTH_EXTENDER_KEEPS;
        if (list->verdicts[i] == BERTH_EXTENDER_REFUSES)
            extended->refused[extended->refused_count++] = list->slots[i];
    }
    return BERTH_OK;
}

static berth_status filter_by(berth__extended *extended, const berth_extender *extender)
{
    node_list list;
    berth_error error = {.code = BERTH_OK};
    BERTH_TRY(list_nodes(extended, &list));
    const berth_status status =
        berth__extender_memo_filter(extended->memo, extender, extended->pod, list.nodes, list.count,
                                    list.verdicts, list.reasons, &error);
    if (status != BERTH_OK)
        return take_failure(extended, extender, status, &error);
    note_alone(extended, extender, &list);
    BERTH_TRY(note_refused(extended, &list));
    if (extended->explanation != NULL)
        BERTH_TRY(berth__explanation_extend(extended->explanation, extender->name, list.verdicts,
                                            list.reasons));
    bool *keeps = berth__arena_alloc(extended->arena, list.count * sizeof(*keeps), 1);
    if (keeps == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < list.count; i++)
        keeps[i] = list.verdicts[i] == BERTH_EXTENDER_KEEPS;
    return berth__search_keep(extended->search, keeps);
}

berth_status berth__extended_filter(berth__extended *extended)
{
    const berth__extenders *extenders = extended->extenders;
    for (uint32_t i = 0; i < extenders->count && extended->failure.data == NULL &&
                         extended->search->answer.feasible_count > 0;
         i++)
        if (extenders->items[i].filter != NULL && concerns_pod(extended, &extenders->items[i]))
            BERTH_TRY(filter_by(extended, &extenders->items[i]));
    return BERTH_OK;
}

/* After a second walk: the refusal of the node that was tried alone counts if the walk did not
 * visit that node.
 * Source: kube-scheduler v1.37, findNodesThatFitPod, where both share the map of statuses. */
berth_status berth__extended_keep_alone(berth__extended *extended)
{
    const uint32_t slot = extended->alone.slot;
    if (slot == BERTH__SLOT_NONE || berth__search_visited(extended->search, slot))
        return BERTH_OK;
    if (extended->alone.verdict == BERTH_EXTENDER_REFUSES) {
        /* Room for those that extenders may refuse after it. */
        const size_t most = (size_t)extended->search->answer.feasible_count + 1;
        BERTH_ASSERT(extended->refused == NULL);
        extended->refused =
            berth__arena_alloc(extended->arena, most * sizeof(*extended->refused), 8);
        if (extended->refused == NULL)
            return BERTH_E_NOMEM;
        extended->refused[extended->refused_count++] = slot;
    }
    if (extended->explanation == NULL)
        return BERTH_OK;
    return berth__explanation_add_refusal(
        extended->explanation, extended->search->decision.cycle->view->layout->nodes[slot],
        extended->alone.extender, extended->alone.verdict, extended->alone.reason);
}

/* ---- prioritize ---- */

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b); /* as in Go, sums wrap */
}

static int64_t weighted(int64_t weight, int64_t score)
{
    return (int64_t)((uint64_t)score * (uint64_t)weight * SCORE_SCALE);
}

/* Allocate the set of slots that some extender has scored. */
static berth_status reserve_scored(berth__extended *extended)
{
    const uint32_t words =
        extended->search->decision.cycle->view->layout->tile_count * (uint32_t)BERTH__TILE_WORDS;
    if (extended->scored != NULL)
        return BERTH_OK;
    extended->scored = berth__arena_alloc_zero(extended->arena, words * sizeof(uint64_t), 8);
    return extended->scored != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

static berth_status note_scored(berth__extended *extended, uint32_t slot)
{
    BERTH_TRY(reserve_scored(extended));
    berth__bit_set(extended->scored, slot);
    return BERTH_OK;
}

static berth_status prioritize_by(berth__extended *extended, const berth_extender *extender,
                                  const node_list *list, int64_t *sums)
{
    berth_error error = {.code = BERTH_OK};
    int64_t *scores = berth__arena_alloc(extended->arena, list->count * sizeof(*scores), 8);
    if (scores == NULL)
        return BERTH_E_NOMEM;
    const berth_status status = berth__extender_memo_prioritize(
        extended->memo, extender, extended->pod, list->nodes, list->count, scores, &error);
    if (status != BERTH_OK) /* the answer is ignored, even if the extender is not ignorable */
        return status == BERTH_E_NOMEM ? status : BERTH_OK;
    for (uint32_t i = 0; i < list->count; i++) {
        if (scores[i] == BERTH_EXTENDER_NO_SCORE) {
            scores[i] = 0;
            continue;
        }
        BERTH_TRY(note_scored(extended, list->slots[i]));
        sums[i] = add(sums[i], weighted(extender->weight, scores[i]));
    }
    return extended->explanation != NULL
               ? berth__explanation_add_extender(extended->explanation, extender->name,
                                                 weighted(extender->weight, 1), scores)
               : BERTH_OK;
}

berth_status berth__extended_prioritize(berth__extended *extended)
{
    const berth__extenders *extenders = extended->extenders;
    node_list list;
    BERTH_TRY(list_nodes(extended, &list));
    int64_t *sums = berth__arena_alloc(extended->arena, list.count * sizeof(*sums), 8);
    if (sums == NULL)
        return BERTH_E_NOMEM;
    memset(sums, 0, list.count * sizeof(*sums));
    for (uint32_t i = 0; i < extenders->count; i++) {
        const berth_extender *extender = &extenders->items[i];
        if (!concerns_pod(extended, extender))
            continue;
        if (extender->prioritize != NULL)
            BERTH_TRY(prioritize_by(extended, extender, &list, sums));
        for (uint32_t k = 0; extender->prioritize == NULL && k < list.count; k++)
            BERTH_TRY(note_scored(extended, list.slots[k])); /* its scores count as zeros */
    }
    berth__search_add(extended->search, list.slots, sums, list.count);
    return BERTH_OK;
}

/* ---- preempt ---- */

/* Fail the attempt, even if the extender is ignorable. */
static berth_status fail_on_node(berth__extended *extended, const char *format, berth_str name)
{
    berth_error error = {.code = BERTH_OK};
    bool ok = true;
    berth__error_set(&error, BERTH_E_INVALID, "%s node \"%.*s\"", format, (int)name.len, name.data);
    extended->failure = berth__arena_str(extended->arena, berth__text_of(error.message), &ok);
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

static bool are_there(const berth__cluster *cluster, const berth_extender_victims *victims)
{
    for (uint32_t i = 0; i < victims->pod_count; i++) {
        const uint32_t pod = berth__cluster_pod(cluster, victims->pods[i]);
        if (pod == BERTH_POD_INDEX_NONE ||
            berth__pod_at(&cluster->pods, pod)->node != victims->node)
            return false;
    }
    return true;
}

static bool is_among(const berth_extender_victims *all, uint32_t count, berth_node_id node)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i].node == node)
            return true;
    return false;
}

/* Check the nodes that an extender left. A node that is listed twice counts once; a node without
 * victims is dropped or fails the attempt. `*count` is the number of nodes in `kept` afterwards. */
static berth_status check_victims(berth__extended *extended, const berth_extender *extender,
                                  berth_extender_victims *kept, uint32_t *count)
{
    const berth__cluster *cluster = extended->cluster;
    uint32_t left = 0;
    for (uint32_t i = 0; i < *count; i++) {
        if (is_among(kept, left, kept[i].node))
            continue;
        const berth__node_record *node = berth__cluster_present(cluster, kept[i].node);
        const berth_str name =
            node != NULL ? berth__text(cluster->model, node->name) : BERTH_STR("?");
        if (node == NULL || !are_there(cluster, &kept[i]))
            return fail_on_node(extended, "the extender names a victim that is not on", name);
        if (kept[i].pod_count > 0)
            kept[left++] = kept[i];
        else if (!is_ignorable(extender))
            return fail_on_node(extended, "expected at least one victim pod on", name);
    }
    *count = left;
    return BERTH_OK;
}

/* Ask one extender. If it fails and is ignorable, its answer is left out. */
static berth_status preempt_by(berth__extended *extended, const berth_extender *extender,
                               const berth_extender_victims **candidates, uint32_t *count)
{
    const berth_extender_victims *kept = NULL;
    uint32_t kept_count = 0;
    berth_error error = {.code = BERTH_OK};
    const berth_status status = berth__extender_memo_preempt(
        extended->memo, extender, extended->pod, *candidates, *count, &kept, &kept_count, &error);
    if (status != BERTH_OK)
        return take_failure(extended, extender, status, &error);
    berth_extender_victims *own = berth__arena_alloc(extended->arena, kept_count * sizeof(*own), 8);
    if (own == NULL)
        return BERTH_E_NOMEM;
    if (kept_count > 0)
        memcpy(own, kept, kept_count * sizeof(*own));
    BERTH_TRY(check_victims(extended, extender, own, &kept_count));
    *candidates = own;
    *count = kept_count;
    return BERTH_OK;
}

berth_status berth__extended_preempt(berth__extended *extended,
                                     const berth_extender_victims **candidates, uint32_t *count)
{
    const berth__extenders *extenders = extended->extenders;
    berth__extender_memo_rewind_preemption(extended->memo);
    for (uint32_t i = 0; i < extenders->count; i++) {
        if (*count == 0 || extended->failure.data != NULL)
            break;
        if (extenders->items[i].preempt != NULL && concerns_pod(extended, &extenders->items[i]))
            BERTH_TRY(preempt_by(extended, &extenders->items[i], candidates, count));
    }
    return BERTH_OK;
}
