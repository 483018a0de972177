/* Lists of answers in an arena, one for each kind of question. */
#include "decide/extender_memo.h"

#include <string.h>

#include "base/error.h"

typedef struct berth__extender_answer {
    struct berth__extender_answer *next;
    berth_status status;
    berth_error error;
    uint32_t count; /* number of nodes in the answer */
    const berth_extender_verdict *verdicts;
    const berth_str *reasons;
    const int64_t *scores;
    const berth_extender_victims *kept;
} berth__extender_answer;

void berth__extender_memo_init(berth__extender_memo *memo, const berth_allocator *allocator)
{
    berth__arena_init_sized(&memo->arena, allocator, 512);
    berth__extender_memo_forget(memo);
}

void berth__extender_memo_destroy(berth__extender_memo *memo)
{
    berth__arena_destroy(&memo->arena);
}

void berth__extender_memo_forget(berth__extender_memo *memo)
{
    berth__arena_reset(&memo->arena);
    memset(memo->first, 0, sizeof(memo->first));
    berth__extender_memo_rewind(memo);
}

void berth__extender_memo_rewind(berth__extender_memo *memo)
{
    for (int kind = 0; kind < BERTH__EXTENDER_QUESTIONS; kind++)
        memo->next[kind] = &memo->first[kind];
}

void berth__extender_memo_rewind_preemption(berth__extender_memo *memo)
{
    memo->next[BERTH__EXTENDER_PREEMPT] = &memo->first[BERTH__EXTENDER_PREEMPT];
}

/* ---- answers ---- */

/* The next answer of a kind; NULL: the question was not asked before. */
static const berth__extender_answer *repeated(berth__extender_memo *memo,
                                              berth__extender_question kind)
{
    const berth__extender_answer *answer = *memo->next[kind];
    if (answer != NULL)
        memo->next[kind] = &(*memo->next[kind])->next;
    return answer;
}

/* Append an answer; NULL when out of memory. */
static berth__extender_answer *append(berth__extender_memo *memo, berth__extender_question kind,
                                      berth_status status, const berth_error *error, uint32_t count)
{
    berth__extender_answer *answer =
        berth__arena_alloc(&memo->arena, sizeof(*answer), _Alignof(berth__extender_answer));
    if (answer == NULL)
        return NULL;
    *answer = (berth__extender_answer){.status = status, .error = *error, .count = count};
    *memo->next[kind] = answer;
    memo->next[kind] = &answer->next;
    return answer;
}

/* A copy of a list in the arena; NULL when out of memory. */
static void *copy(berth__extender_memo *memo, const void *from, uint32_t count, size_t bytes)
{
    void *to = berth__arena_alloc(&memo->arena, count * bytes, 8);
    if (to != NULL && count > 0)
        memcpy(to, from, count * bytes);
    return to;
}

static berth_status give(const berth__extender_answer *answer, berth_error *error)
{
    if (answer->status != BERTH_OK)
        *error = answer->error;
    return answer->status;
}

/* ---- filter ---- */

static const berth_str *copy_reasons(berth__extender_memo *memo, const berth_str *reasons,
                                     uint32_t count)
{
    berth_str *own = copy(memo, reasons, count, sizeof(*reasons));
    bool ok = own != NULL;
    for (uint32_t i = 0; ok && i < count; i++)
        own[i] = berth__arena_str(&memo->arena, reasons[i], &ok);
    return ok ? own : NULL;
}

static berth_status ask_filter(berth__extender_memo *memo, const berth_extender *extender,
                               berth_pod_id pod, const berth_node_id *nodes, uint32_t count,
                               berth_extender_verdict *verdicts, berth_str *reasons,
                               berth_error *error)
{
    memset(verdicts, 0, count * sizeof(*verdicts));
    memset(reasons, 0, count * sizeof(*reasons));
    const berth_status status =
        extender->filter(extender->context, pod, nodes, count, verdicts, reasons, error);
    berth__extender_answer *answer =
        append(memo, BERTH__EXTENDER_FILTER, status, error, status == BERTH_OK ? count : 0);
    if (answer == NULL)
        return BERTH_E_NOMEM;
    answer->verdicts = copy(memo, verdicts, answer->count, sizeof(*verdicts));
    answer->reasons = copy_reasons(memo, reasons, answer->count);
    if (answer->verdicts == NULL || answer->reasons == NULL)
        return BERTH_E_NOMEM;
    memcpy(reasons, answer->reasons, answer->count * sizeof(*reasons));
    return status;
}

berth_status berth__extender_memo_filter(berth__extender_memo *memo, const berth_extender *extender,
                                         berth_pod_id pod, const berth_node_id *nodes,
                                         uint32_t count, berth_extender_verdict *verdicts,
                                         berth_str *reasons, berth_error *error)
{
    const berth__extender_answer *answer = repeated(memo, BERTH__EXTENDER_FILTER);
    if (answer == NULL)
        return ask_filter(memo, extender, pod, nodes, count, verdicts, reasons, error);
    memcpy(verdicts, answer->verdicts, answer->count * sizeof(*verdicts));
    memcpy(reasons, answer->reasons, answer->count * sizeof(*reasons));
    return give(answer, error);
}

/* ---- prioritize ---- */

static berth_status ask_prioritize(berth__extender_memo *memo, const berth_extender *extender,
                                   berth_pod_id pod, const berth_node_id *nodes, uint32_t count,
                                   int64_t *scores, berth_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        scores[i] = BERTH_EXTENDER_NO_SCORE;
    const berth_status status =
        extender->prioritize(extender->context, pod, nodes, count, scores, error);
    berth__extender_answer *answer =
        append(memo, BERTH__EXTENDER_PRIORITIZE, status, error, status == BERTH_OK ? count : 0);
    if (answer == NULL)
        return BERTH_E_NOMEM;
    answer->scores = copy(memo, scores, answer->count, sizeof(*scores));
    return answer->scores != NULL ? status : BERTH_E_NOMEM;
}

berth_status berth__extender_memo_prioritize(berth__extender_memo *memo,
                                             const berth_extender *extender, berth_pod_id pod,
                                             const berth_node_id *nodes, uint32_t count,
                                             int64_t *scores, berth_error *error)
{
    const berth__extender_answer *answer = repeated(memo, BERTH__EXTENDER_PRIORITIZE);
    if (answer == NULL)
        return ask_prioritize(memo, extender, pod, nodes, count, scores, error);
    memcpy(scores, answer->scores, answer->count * sizeof(*scores));
    return give(answer, error);
}

/* ---- preempt ---- */

static berth_status ask_preempt(berth__extender_memo *memo, const berth_extender *extender,
                                berth_pod_id pod, const berth_extender_victims *candidates,
                                uint32_t count, const berth__extender_answer **out,
                                berth_error *error)
{
    const berth_extender_victims *kept = NULL;
    uint32_t kept_count = 0;
    const berth_status status =
        extender->preempt(extender->context, pod, candidates, count, &kept, &kept_count, error);
    berth__extender_answer *answer =
        append(memo, BERTH__EXTENDER_PREEMPT, status, error, status == BERTH_OK ? kept_count : 0);
    if (answer == NULL)
        return BERTH_E_NOMEM;
    berth_extender_victims *own = copy(memo, kept, answer->count, sizeof(*own));
    bool ok = own != NULL;
    for (uint32_t i = 0; ok && i < answer->count; i++) {
        own[i].pods = copy(memo, kept[i].pods, kept[i].pod_count, sizeof(*kept[i].pods));
        ok = own[i].pods != NULL;
    }
    answer->kept = own;
    *out = answer;
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

berth_status berth__extender_memo_preempt(berth__extender_memo *memo,
                                          const berth_extender *extender, berth_pod_id pod,
                                          const berth_extender_victims *candidates, uint32_t count,
                                          const berth_extender_victims **kept, uint32_t *kept_count,
                                          berth_error *error)
{
    const berth__extender_answer *answer = repeated(memo, BERTH__EXTENDER_PREEMPT);
    if (answer == NULL)
        BERTH_TRY(ask_preempt(memo, extender, pod, candidates, count, &answer, error));
    *kept = answer->kept;
    *kept_count = answer->count;
    return give(answer, error);
}
