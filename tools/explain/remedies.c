/* Finds remedies that change the pod, and tries all remedies in order. */
#include "explain/remedies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "explain/claim_remedies.h"
#include "explain/device_remedies.h"
#include "explain/node_remedies.h"
#include "loading/usage.h"

enum {
    TRIES_MAX = 8,          /* nodes for which a smaller request is tried */
    PAIRED_MAX = 12,        /* changes that are tried in pairs */
    PAIRED_ON_MANY_MAX = 4, /* the same limit on large clusters, */
    MANY_NODES = 20000,     /* where an attempt takes milliseconds */
    PRIORITIES_MAX = 32,
};

void remedies_add(remedies *r, const char *kind, const char *text, const trial_answer *answer)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->items[i].text, text) == 0)
            return;
    r->items = heap_grow(r->items, &r->capacity, r->count + 1, sizeof(*r->items));
    r->items[r->count++] =
        (remedy){heap_text(kind, strlen(kind)), heap_text(text, strlen(text)), *answer};
}

void remedies_free(remedies *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->items[i].kind);
        free(r->items[i].text);
    }
    free(r->items);
    *r = (remedies){0};
}

/* One attempt: a changed draft, its description, and its result. */
typedef struct attempt {
    pod_draft draft;
    text_buffer kind;
    text_buffer text;
    trial_answer answer;
} attempt;

static void attempt_open(attempt *a, const berth_pod *pod)
{
    *a = (attempt){.answer.verdict = BERTH_VERDICT_ERROR};
    pod_draft_open(&a->draft, pod);
}

static void attempt_close(attempt *a)
{
    pod_draft_close(&a->draft);
    text_free(&a->kind);
    text_free(&a->text);
}

static void attempt_edit(attempt *a, const edit *e, const berth_pod *pod)
{
    text_add(&a->kind, "%s%s", a->kind.len > 0 ? "+" : "", edit_kind_name(e->kind));
    text_add(&a->text, "%s", a->text.len > 0 ? ", and " : "");
    edit_text(e, pod, &a->text);
    edit_apply(e, &a->draft);
}

static bool helps(const attempt *a)
{
    return a->answer.verdict == BERTH_VERDICT_PLACED;
}

static void note(remedies *out, const attempt *a)
{
    remedies_add(out, a->kind.text, a->text.text, &a->answer);
}

/* ---- a smaller request ---- */

/* A node that would fit with smaller requests. */
typedef struct smaller {
    shortage shortages[SHORTAGES_MAX];
    uint32_t count;
    double loss; /* reduction of the requests, added up over resources */
} smaller;

static int by_loss(const void *a, const void *b)
{
    const smaller *left = a;
    const smaller *right = b;
    if (left->count != right->count)
        return left->count < right->count ? -1 : 1;
    return left->loss < right->loss ? -1 : left->loss > right->loss;
}

/* Whether the node lacks only amounts that a smaller request can save. */
static bool read_smaller(const remedy_search *s, berth_node_id node, smaller *out)
{
    out->loss = 0.0;
    out->count = shortages_of(s->engine, s->pod, node, out->shortages);
    for (uint32_t i = 0; i < out->count; i++) {
        const shortage *one = &out->shortages[i];
        if (words_equal(one->resource, words_of("pods")) || one->free <= 0)
            return false;
        out->loss += (double)one->less / (double)one->asked;
    }
    return out->count > 0;
}

/* Find nodes that `why` refuses only for lack of room, smallest reduction first; keeps only the
 * nearest. */
static uint32_t find_smaller(const remedy_search *s, const berth_explanation *why,
                             smaller out[TRIES_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < berth_explanation_refusal_count(why); i++) {
        berth_refusal refusal = berth_explanation_refusal(why, i);
        smaller one;
        if (!refused_for_resources(refusal.plugin) || !read_smaller(s, refusal.node, &one))
            continue;
        if (count < TRIES_MAX)
            out[count++] = one;
        else if (by_loss(&one, &out[count - 1]) < 0)
            out[count - 1] = one;
        qsort(out, count, sizeof(*out), by_loss);
    }
    return count;
}

static void attempt_smaller(attempt *a, const smaller *one)
{
    text_add(&a->kind, "%srequest", a->kind.len > 0 ? "+" : "");
    for (uint32_t i = 0; i < one->count; i++) {
        const shortage *short_of = &one->shortages[i];
        char now[64], before[64];
        usage_amount(short_of->resource, short_of->free, now, sizeof(now));
        usage_amount(short_of->resource, short_of->asked, before, sizeof(before));
        text_add(&a->text, "%s%s %.*s instead of %s",
                 i > 0             ? ", "
                 : a->text.len > 0 ? ", and ask for "
                                   : "ask for ",
                 now, (int)short_of->resource.len, short_of->resource.data, before);
        pod_draft_ask_less(&a->draft, short_of->resource, short_of->asked, short_of->less);
    }
}

/* Try the smallest reduction that helps, together with the edit (NULL: alone) after which `why` was
 * made. */
static berth_status try_smaller(const remedy_search *s, trial *t, const edit *beside,
                                const berth_explanation *why, remedies *out, berth_error *error)
{
    smaller found[TRIES_MAX];
    uint32_t count = find_smaller(s, why, found);
    bool done = false;
    for (uint32_t i = 0; i < count && !done; i++) {
        attempt a;
        attempt_open(&a, s->object);
        if (beside != NULL)
            attempt_edit(&a, beside, s->object);
        attempt_smaller(&a, &found[i]);
        berth_status status = trial_decide(t, &a.draft.pod, 0, &a.answer, error);
        done = status == BERTH_OK && helps(&a);
        if (done)
            note(out, &a);
        attempt_close(&a);
        TRY(status);
    }
    return BERTH_OK;
}

/* ---- edits ---- */

static berth_status try_edit(const remedy_search *s, trial *t, const edit *one, const edit *other,
                             uint32_t flags, remedies *out, bool *helped, berth_error *error)
{
    attempt a;
    attempt_open(&a, s->object);
    attempt_edit(&a, one, s->object);
    if (other != NULL)
        attempt_edit(&a, other, s->object);
    berth_status status = trial_decide(t, &a.draft.pod, flags, &a.answer, error);
    *helped = status == BERTH_OK && helps(&a);
    if (*helped)
        note(out, &a);
    attempt_close(&a);
    return status;
}

static berth_status try_singles(const remedy_search *s, trial *t, const edits *all, remedies *out,
                                berth_error *error)
{
    bool helped = false;
    for (uint32_t i = 0; i < all->count; i++)
        TRY(try_edit(s, t, &all->items[i], NULL, 0, out, &helped, error));
    return try_smaller(s, t, NULL, s->why, out, error);
}

/* Try an edit with a smaller request, or two edits. */
static berth_status try_pairs(const remedy_search *s, trial *t, const edits *all, remedies *out,
                              berth_error *error)
{
    berth_counts counts;
    bool helped = false;
    berth_engine_counts(s->engine, &counts);
    uint32_t most = counts.nodes > MANY_NODES ? PAIRED_ON_MANY_MAX : PAIRED_MAX;
    uint32_t count = all->count < most ? all->count : most;
    for (uint32_t i = 0; i < count; i++) {
        TRY(try_edit(s, t, &all->items[i], NULL, TRIAL_EXPLAIN, out, &helped, error));
        TRY(try_smaller(s, t, &all->items[i], t->why, out, error));
        for (uint32_t k = i + 1; k < count; k++)
            TRY(try_edit(s, t, &all->items[i], &all->items[k], 0, out, &helped, error));
    }
    return BERTH_OK;
}

/* ---- priority ---- */

static int by_value(const void *a, const void *b)
{
    const int32_t *left = a;
    const int32_t *right = b;
    return *left < *right ? -1 : *left > *right;
}

/* The distinct priorities of running pods that are not below the pod's own, ascending. */
static uint32_t find_priorities(const remedy_search *s, int32_t out[PRIORITIES_MAX])
{
    int32_t own = berth_engine_pod_priority(s->engine, s->pod);
    uint32_t count = 0;
    for (berth_node_id node = 0; node < berth_engine_node_limit(s->engine); node++) {
        berth_pod_id pod = berth_engine_next_pod(s->engine, node, BERTH_POD_NONE);
        for (; pod != BERTH_POD_NONE; pod = berth_engine_next_pod(s->engine, node, pod)) {
            int32_t priority = berth_engine_pod_priority(s->engine, pod);
            uint32_t at = 0;
            while (at < count && out[at] != priority)
                at++;
            if (priority >= own && priority < 1000000000 && at == count && count < PRIORITIES_MAX)
                out[count++] = priority;
        }
    }
    if (count > 0)
        qsort(out, count, sizeof(*out), by_value);
    return count;
}

static berth_status try_priority(const remedy_search *s, trial *t, remedies *out,
                                 berth_error *error)
{
    int32_t priorities[PRIORITIES_MAX];
    uint32_t count = find_priorities(s, priorities);
    uint32_t from = 0;
    trial_answer best = {.preempts = false};
    int32_t found = 0;
    while (from < count) { /* find the smallest that suffices, by bisection */
        uint32_t middle = from + (count - from) / 2;
        pod_draft draft;
        trial_answer answer;
        pod_draft_open(&draft, s->object);
        pod_draft_set_priority(&draft, priorities[middle] + 1);
        draft.pod.preemption_policy = (berth_str){0};
        berth_status status = trial_decide(t, &draft.pod, TRIAL_PREEMPT, &answer, error);
        pod_draft_close(&draft);
        TRY(status);
        if (answer.preempts) {
            best = answer;
            found = priorities[middle] + 1;
            count = middle;
        } else {
            from = middle + 1;
        }
    }
    if (!best.preempts)
        return BERTH_OK;
    char text[128];
    snprintf(text, sizeof(text), "a priority of %d or more, and preemption allowed", found);
    remedies_add(out, "priority", text, &best);
    return BERTH_OK;
}

/* ---- all remedies ---- */

static berth_status find_all(const remedy_search *s, trial *t, remedies *out, berth_error *error)
{
    edits *all = heap_new(1, sizeof(*all));
    edits_find(all, s->engine, s->object, s->why);
    berth_status status = try_singles(s, t, all, out, error);
    if (status == BERTH_OK)
        status = device_remedies_find(s, t, out, error);
    if (status == BERTH_OK)
        status = claim_remedies_find(s, t, out, error);
    if (status == BERTH_OK)
        status = node_remedies_change(s, t, out, error);
    if (status == BERTH_OK && out->count == 0)
        status = try_pairs(s, t, all, out, error);
    free(all);
    if (status == BERTH_OK && berth_explanation_nominated(s->why) == BERTH_NODE_NONE)
        status = try_priority(s, t, out, error);
    return status == BERTH_OK ? node_remedies_add(s, t, out, error) : status;
}

berth_status remedies_find(const remedy_search *search, remedies *out, berth_error *error)
{
    trial t;
    *out = (remedies){0};
    berth_status status = trial_open(&t, search->engine, search->state, search->pod, error);
    if (status == BERTH_OK)
        status = find_all(search, &t, out, error);
    out->attempts = t.attempts;
    trial_close(&t);
    return status;
}
