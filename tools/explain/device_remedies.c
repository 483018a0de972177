/* Changes claims on the branch, each as little as a node's devices require. */
#include "explain/device_remedies.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "explain/device_lacks.h"

enum {
    CLAIMS_MAX = 16,
    TRIES_MAX = 8,        /* nodes for which a change is tried */
    LOOKED_AT_MAX = 1024, /* nodes among which these are searched */
    CONSTRAINTS_MAX = 32, /* constraints of a claim, which are left out one by one */
};

typedef enum device_change { CHANGE_FEWER, CHANGE_TOLERATE, CHANGE_UNCONSTRAIN } device_change;

/* The search for changes of a pod's claims. */
typedef struct device_remedies {
    const remedy_search *search;
    trial *trial;
    remedies *out;
    berth_object *claims[CLAIMS_MAX];
    uint32_t claim_count;
} device_remedies;

static const berth_resource_claim *claim_at(const device_remedies *d, uint32_t i)
{
    return d->claims[i]->as.resource_claim;
}

/* ---- finding claims ---- */

static bool is_of(const berth_device_fit *fit, const berth_resource_claim *claim)
{
    return words_equal(fit->claim_name, claim->meta.name) &&
           words_equal(fit->claim_namespace, claim->meta.namespace_name);
}

/* The context of the walk over all claims. */
typedef struct claim_search {
    device_remedies *own;
    const device_lacks *lacks;
} claim_search;

static berth_status keep_claim(void *context, const berth_object *object, berth_error *error)
{
    const claim_search *c = context;
    (void)error;
    for (uint32_t i = 0; i < c->lacks->count; i++)
        if (is_of(&c->lacks->items[i], object->as.resource_claim)) {
            if (c->own->claim_count < CLAIMS_MAX)
                c->own->claims[c->own->claim_count++] = heap_object(object);
            break;
        }
    return BERTH_OK;
}

/* ---- changes ---- */

/* Whether a node's devices would suffice after the change, judging each request by itself. */
static bool would_do(const device_lacks *lacks, device_change change)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < lacks->count; i++) {
        const berth_device_fit *fit = &lacks->items[i];
        if (!device_lacks_short(fit))
            continue;
        missing++;
        if (fit->asked == 0 || fit->subrequest.data != NULL ||
            (change == CHANGE_FEWER && fit->fit == 0) ||
            (change == CHANGE_TOLERATE && (int64_t)fit->fit + fit->tainted < fit->asked))
            return false;
    }
    return lacks->count > 0 && (change == CHANGE_UNCONSTRAIN ? missing == 0 : missing > 0);
}

/* A claim with a change. */
typedef struct changed_claim {
    berth_resource_claim claim;
    berth_claim_request *requests;
    berth_exact_request *exact;    /* by request */
    berth_toleration *tolerations; /* of all requests, one after the other */
    berth_claim_constraint *constraints;
} changed_claim;

static void changed_open(changed_claim *c, const berth_resource_claim *from)
{
    size_t tolerations = 0;
    *c = (changed_claim){.claim = *from,
                         .requests = heap_new(from->request_count, sizeof(*c->requests)),
                         .exact = heap_new(from->request_count, sizeof(*c->exact)),
                         .constraints = heap_new(from->constraint_count, sizeof(*c->constraints))};
    for (uint32_t r = 0; r < from->request_count; r++) {
        c->requests[r] = from->requests[r];
        if (from->requests[r].exactly == NULL)
            continue;
        c->exact[r] = *from->requests[r].exactly;
        c->requests[r].exactly = &c->exact[r];
        tolerations += c->exact[r].toleration_count + 1u;
    }
    c->tolerations = heap_new(tolerations, sizeof(*c->tolerations));
    if (from->constraint_count > 0)
        memcpy(c->constraints, from->constraints, from->constraint_count * sizeof(*c->constraints));
    c->claim.requests = c->requests;
    c->claim.constraints = c->constraints;
}

static void changed_close(changed_claim *c)
{
    free(c->requests);
    free(c->exact);
    free(c->tolerations);
    free(c->constraints);
}

/* Tolerate any taint, by a toleration without a key. Returns where the next one may be stored. */
static berth_toleration *tolerate(berth_exact_request *exact, berth_toleration *room)
{
    if (exact->toleration_count > 0)
        memcpy(room, exact->tolerations, exact->toleration_count * sizeof(*room));
    room[exact->toleration_count] = (berth_toleration){.op = words_of("Exists")};
    exact->tolerations = room;
    return room + ++exact->toleration_count;
}

static const berth_device_fit *fit_of(const device_lacks *lacks, const berth_resource_claim *claim,
                                      berth_str request)
{
    for (uint32_t i = 0; i < lacks->count; i++)
        if (is_of(&lacks->items[i], claim) && words_equal(lacks->items[i].request, request))
            return &lacks->items[i];
    return NULL;
}

/* Change the requests that are not satisfied; returns whether there is one. */
static bool change_requests(changed_claim *c, const device_lacks *lacks, device_change change,
                            text_buffer *text)
{
    bool any = false;
    berth_toleration *room = c->tolerations;
    for (uint32_t r = 0; r < c->claim.request_count; r++) {
        const berth_device_fit *fit = fit_of(lacks, &c->claim, c->requests[r].name);
        if (c->requests[r].exactly == NULL || fit == NULL || !device_lacks_short(fit))
            continue;
        any = true;
        text_add(text, "%s", text->len > 0 ? ", and " : "");
        if (change == CHANGE_FEWER) {
            c->exact[r].count = fit->fit;
            text_add(text, "ask for %" PRIu32 " %.*s instead of %" PRId64, fit->fit,
                     (int)fit->device_class.len, fit->device_class.data, fit->asked);
        } else {
            room = tolerate(&c->exact[r], room);
            text_add(text, "tolerate the taints of devices");
        }
        text_add(text, " (claim %.*s, request %.*s)", (int)fit->claim_name.len,
                 fit->claim_name.data, (int)fit->request.len, fit->request.data);
    }
    return any;
}

static void drop_constraint(changed_claim *c, uint32_t which, text_buffer *text)
{
    berth_claim_constraint one = c->constraints[which];
    bool match = one.match_attribute.data != NULL;
    berth_str attribute = match ? one.match_attribute : one.distinct_attribute;
    memmove(c->constraints + which, c->constraints + which + 1,
            (c->claim.constraint_count - which - 1) * sizeof(one));
    c->claim.constraint_count--;
    text_add(text, "take devices of %s %.*s (claim %.*s)", match ? "different" : "the same",
             (int)attribute.len, attribute.data, (int)c->claim.meta.name.len,
             c->claim.meta.name.data);
}

/* ---- trying ---- */

static berth_status update(const device_remedies *d, const changed_claim *c, berth_error *error)
{
    const berth_object object = {.kind = BERTH_KIND_RESOURCE_CLAIM, .as.resource_claim = &c->claim};
    return berth_engine_update(d->trial->branch, &object, error);
}

static berth_status decide(const device_remedies *d, trial_answer *answer, berth_error *error)
{
    pod_draft draft;
    pod_draft_open(&draft, d->search->object);
    berth_status status = trial_decide(d->trial, &draft.pod, 0, answer, error);
    pod_draft_close(&draft);
    return status;
}

static bool note(const device_remedies *d, const char *kind, const text_buffer *text,
                 const trial_answer *answer)
{
    bool helped = answer->verdict == BERTH_VERDICT_PLACED;
    if (helped)
        remedies_add(d->out, kind, text->text, answer);
    return helped;
}

/* Change all requests that are not satisfied at once. */
static berth_status try_requests(const device_remedies *d, const device_lacks *lacks,
                                 device_change change, bool *helped, berth_error *error)
{
    trial_answer answer = {.verdict = BERTH_VERDICT_ERROR};
    text_buffer text = {0};
    TRY(trial_begin(d->trial, error));
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < d->claim_count && status == BERTH_OK; i++) {
        changed_claim c;
        changed_open(&c, claim_at(d, i));
        if (change_requests(&c, lacks, change, &text))
            status = update(d, &c, error);
        changed_close(&c);
    }
    if (status == BERTH_OK)
        status = decide(d, &answer, error);
    trial_back(d->trial);
    *helped = status == BERTH_OK &&
              note(d, change == CHANGE_FEWER ? "devices" : "deviceToleration", &text, &answer);
    text_free(&text);
    return status;
}

static berth_status try_without(const device_remedies *d, uint32_t claim, uint32_t constraint,
                                bool *helped, berth_error *error)
{
    trial_answer answer = {.verdict = BERTH_VERDICT_ERROR};
    text_buffer text = {0};
    changed_claim c;
    TRY(trial_begin(d->trial, error));
    changed_open(&c, claim_at(d, claim));
    drop_constraint(&c, constraint, &text);
    berth_status status = update(d, &c, error);
    if (status == BERTH_OK)
        status = decide(d, &answer, error);
    trial_back(d->trial);
    *helped = status == BERTH_OK && note(d, "deviceConstraint", &text, &answer);
    changed_close(&c);
    text_free(&text);
    return status;
}

static berth_status try_each_constraint(const device_remedies *d, berth_error *error)
{
    bool helped = false;
    for (uint32_t i = 0; i < d->claim_count; i++)
        for (uint32_t k = 0; k < claim_at(d, i)->constraint_count && k < CONSTRAINTS_MAX; k++)
            TRY(try_without(d, i, k, &helped, error));
    return BERTH_OK;
}

static bool refused_for_devices_alone(const remedy_search *s, const refused_node *node)
{
    return node->count == 1 &&
           refused_for_devices(berth_explanation_refusal(s->why, node->first).plugin);
}

/* Read the present claims, once the first node needs them. */
static berth_status read_claims(device_remedies *d, const device_lacks *lacks, berth_error *error)
{
    claim_search c = {d, lacks};
    return d->claim_count > 0 ? BERTH_OK
                              : berth_engine_objects(d->search->engine, BERTH_KIND_RESOURCE_CLAIM,
                                                     keep_claim, &c, error);
}

/* Try one kind of change on the nearest nodes, until one helps. */
static berth_status try_change(device_remedies *d, device_change change, berth_error *error)
{
    const remedy_search *s = d->search;
    bool helped = false;
    berth_status status = BERTH_OK;
    uint32_t tries = 0;
    for (uint32_t i = 0; i < s->lacks->count && i < LOOKED_AT_MAX && tries < TRIES_MAX && !helped &&
                         status == BERTH_OK;
         i++) {
        device_lacks lacks;
        if (!refused_for_devices_alone(s, &s->lacks->nodes[i]))
            continue;
        device_lacks_make(&lacks, s->engine, s->pod, s->lacks->nodes[i].node);
        if (would_do(&lacks, change)) {
            tries++;
            status = read_claims(d, &lacks, error);
            if (status == BERTH_OK && change == CHANGE_UNCONSTRAIN) {
                status = try_each_constraint(d, error);
                helped = true; /* or it does not help, which is then the same on every node */
            } else if (status == BERTH_OK) {
                status = try_requests(d, &lacks, change, &helped, error);
            }
        }
        device_lacks_free(&lacks);
    }
    return status;
}

berth_status device_remedies_find(const remedy_search *s, trial *t, remedies *out,
                                  berth_error *error)
{
    device_remedies d = {.search = s, .trial = t, .out = out};
    berth_status status = BERTH_OK;
    if (s->object->resource_claim_count == 0)
        return BERTH_OK;
    for (int change = CHANGE_FEWER; change <= CHANGE_UNCONSTRAIN && status == BERTH_OK; change++)
        status = try_change(&d, (device_change)change, error);
    for (uint32_t i = 0; i < d.claim_count; i++)
        berth_object_destroy(d.claims[i]);
    return status;
}
