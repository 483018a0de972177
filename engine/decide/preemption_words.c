/* The messages of preemption: that of the attempt itself, and the texts appended to it.
 * Source: kube-scheduler v1.32, framework/preemption/preemption.go, Preempt; plugins/
 * defaultpreemption; plugins/dynamicresources, PostFilter. */
#include "decide/preemption_words.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "decide/question.h"
#include "explain/message.h"

static const berth_str NOT_HELPFUL = {"Preemption is not helpful for scheduling", 40};
static const berth_str NO_CLAIMS = {"no new claims to deallocate", 27};
static const berth_str SILENCE = {"", 0};

berth_status berth__preemption_append(berth_explanation *explanation, const berth_str *parts,
                                      uint32_t count)
{
    explanation->message =
        berth__message_with_parts(&explanation->arena, explanation->message, parts, count);
    return explanation->message.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

/* Name the claim whose devices must be freed, or that must be deleted. */
static bool name_freed(const berth__attempt *attempt, const berth__freed_claim *freed,
                       berth_explanation *explanation)
{
    const berth__model *model = attempt->cycle.view->model;
    bool ok = true;
    if (freed->name == 0)
        return true;
    explanation->deletes_freed = freed->deleted;
    explanation->freed_namespace =
        berth__arena_str(&explanation->arena, berth__text(model, freed->namespace_name), &ok);
    explanation->freed_claim =
        berth__arena_str(&explanation->arena, berth__text(model, freed->name), &ok);
    return ok;
}

/* The message of DynamicResources. Its state is made by preFilter, unless that refused the pod.
 * Trials of preemption change this state, so a message from before the trials is kept. Absent when
 * out of memory. */
berth_str berth__preemption_about_claims(const berth__attempt *attempt,
                                         berth_explanation *explanation)
{
    const berth__decision *decision = &attempt->decision;
    berth__freed_claim freed = {0};
    if (explanation->about_claims.data != NULL)
        return explanation->about_claims;
    for (uint32_t i = 0; i < decision->profile->filter_stages; i++) {
        const berth__stage *stage = &decision->profile->filters[i];
        const berth__prepared_stage *made = &decision->prepared->filters[i];
        if (stage->plugin->post_filter == NULL || made->outcome != BERTH__ACTIVE)
            continue;
        const char *words =
            stage->plugin->post_filter(decision->cycle, stage->instance, made->state, &freed);
        return name_freed(attempt, &freed, explanation) ? berth__text_of(words) : (berth_str){0};
    }
    return decision->profile->behaviours->tells_of_idle_claims ? NO_CLAIMS : SILENCE;
}

/* Append preemption's message, and the message about the devices of claims. */
berth_status berth__preemption_say(const berth__attempt *attempt, berth_explanation *explanation,
                                   berth_str words)
{
    const berth__ready_profile *profile = attempt->decision.profile;
    if (words.data == NULL)
        return BERTH_E_NOMEM;
    berth_str own = berth__message_of_preemption(&explanation->arena, words);
    if (own.data == NULL)
        return BERTH_E_NOMEM;
    if (!profile->post.deallocates)
        return berth__preemption_append(explanation, &own, 1);
    const berth_str claims = berth__preemption_about_claims(attempt, explanation);
    if (claims.data == NULL)
        return BERTH_E_NOMEM;
    if (claims.len == 0)
        return berth__preemption_append(explanation, &own, 1);
    const berth_str first[] = {claims, own}, last[] = {own, claims};
    return berth__preemption_append(explanation, profile->post.deallocates_last ? last : first, 2);
}

berth_status berth__preemption_say_alone(berth_explanation *explanation, berth_str words)
{
    words = berth__message_of_preemption(&explanation->arena, words);
    return words.data != NULL ? berth__preemption_append(explanation, &words, 1) : BERTH_E_NOMEM;
}

/* Append the errors of trials if there was no candidate; nothing else is reported then. */
static berth_status say_errors(const berth__histogram *errors, berth_explanation *explanation)
{
    berth_str *texts = berth__arena_alloc(&explanation->arena, errors->count * sizeof(*texts), 8);
    if (texts == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < errors->count; i++)
        texts[i] = errors->items[i].reason;
    berth_str words = berth__message_join(&explanation->arena, texts, errors->count);
    if (words.data != NULL && errors->count > 1)
        words = berth__message_in_brackets(&explanation->arena, words);
    return words.data != NULL ? berth__preemption_say_alone(explanation, words) : BERTH_E_NOMEM;
}

berth_status berth__preemption_say_hopeless(const berth__attempt *attempt,
                                            berth_explanation *explanation,
                                            const berth__preemption_trials *trials)
{
    if (trials->errors.count > 0)
        return say_errors(&trials->errors, explanation);
    berth__histogram histogram = trials->reasons;
    const uint32_t node_count = attempt->cycle.view->layout->count;
    if (trials->potential_count < node_count &&
        !berth__histogram_add(&histogram, NOT_HELPFUL, node_count - trials->potential_count))
        return BERTH_E_NOMEM;
    const berth_str words =
        berth__message_unschedulable(&explanation->arena, node_count, (berth_str){0}, &histogram);
    return berth__preemption_say(attempt, explanation, words);
}

/* Append the nomination. The number of victims includes those that are leaving already. */
static berth_status tell_of_nomination(const berth__cluster *cluster, uint32_t node, uint32_t count,
                                       berth_explanation *explanation)
{
    const berth_str name = berth__text(cluster->model, berth__cluster_node(cluster, node)->name);
    const size_t bytes = (size_t)name.len + 96;
    char *text = berth__arena_alloc(&explanation->arena, bytes, 1);
    if (text == NULL)
        return BERTH_E_NOMEM;
    const int len = snprintf(
        text, bytes, "found a potential placement for pod on node %.*s, preempting %u victims",
        (int)name.len, name.data, (unsigned)count);
    return berth__preemption_say_alone(explanation, (berth_str){text, (uint32_t)len});
}

berth_status berth__preemption_say_choice(const berth__decider *decider,
                                          berth_explanation *explanation,
                                          const berth__preemption *chosen, uint32_t count)
{
    if (!berth__grow(explanation->arena.allocator, &explanation->victims,
                     &explanation->victim_capacity, chosen->victim_count,
                     sizeof(*explanation->victims)))
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < chosen->victim_count; i++)
        explanation->victims[i] = berth__cluster_pod_id(decider->cluster, chosen->victims[i]);
    explanation->victim_count = chosen->victim_count;
    explanation->nominated = chosen->node;
    return decider->attempt.decision.profile->behaviours->tells_of_nomination
               ? tell_of_nomination(decider->cluster, chosen->node, count, explanation)
               : BERTH_OK;
}

/* The reason reported for nodes that preFilter excluded. kube-scheduler names the plugins that
 * narrowed the search and, because both share a set, the plugin that refused the node for which the
 * pod is nominated, which it tries first. */
static berth_str not_named(const berth__decider *decider, const berth_explanation *explanation,
                           berth__arena *arena)
{
    const berth__attempt *attempt = &decider->attempt;
    const uint32_t slot = decider->search.answer.refused_slot;
    const berth_str plain = berth__text_of(berth__question_not_named(&attempt->decision));
    if (slot == BERTH__SLOT_NONE || explanation->refused_count == 0 ||
        explanation->refused[0].node != attempt->cycle.view->layout->nodes[slot])
        return plain;
    return berth__message_add_plugin(arena, plain, explanation->refused[0].plugin);
}

berth_status berth__preemption_say_attempt(const berth__decider *decider,
                                           berth_explanation *explanation)
{
    const berth__attempt *attempt = &decider->attempt;
    bool restricted = !attempt->refused && attempt->decision.prepared->verdict.allowed != NULL;
    berth_str absent = {0};
    if (restricted)
        absent = not_named(decider, explanation, &explanation->arena);
    if (restricted && absent.data == NULL)
        return BERTH_E_NOMEM;
    return berth__explanation_write_message(
        explanation, berth__question_node_count(&attempt->cycle), restricted ? &absent : NULL);
}
