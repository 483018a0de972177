/* The ResourceClaims of a pod: requests, searches and verdicts. */
#include "plugins/pod_claims.h"

#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "plugins/special_claim.h"

/* ---- existence ---- */

/* The claim of an entry, if it exists and belongs to the pod. */
static berth__device_claim *find(const berth__view *view, const berth__claim_list *list,
                                 const berth__device_demand *demand)
{
    if (demand->neither || demand->claim == 0 || view->storage == NULL)
        return NULL;
    berth__device_claim *claim =
        berth__storage_device_claim(view->storage, list->namespace_name, demand->claim);
    if (claim == NULL || claim->facts == NULL || claim->facts->deleting)
        return NULL;
    bool owned = claim->facts->owner_uid != 0 && claim->facts->owner_uid == list->pod_uid;
    return demand->from_template && !owned ? NULL : claim;
}

bool berth__pod_claims_exist(const berth__view *view, const berth__claim_list *list)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++)
        if (find(view, list, &list->items[i]) == NULL)
            return false;
    return true;
}

berth_str berth__pod_missing_claim(const berth__view *view, const berth__claim_list *list)
{
    berth_str missing = {0};
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        if (find(view, list, &list->items[i]) != NULL)
            continue;
        if (list->items[i].neither || list->items[i].claim == 0)
            return (berth_str){0};
        if (missing.len == 0)
            missing = berth__text(view->model, list->items[i].claim);
    }
    return missing;
}

/* Add the reason why an entry has no claim name. */
static void tell_unnamed(const berth__view *view, const berth__claim_list *list,
                         const berth__device_demand *demand, berth__reasons *reasons)
{
    berth_str space = berth__text(view->model, list->namespace_name);
    berth_str pod = berth__text(view->model, list->pod_name);
    berth_str entry = berth__text(view->model, demand->entry);
    if (demand->neither)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "pod \"%.*s/%.*s\", spec.resourceClaim \"%.*s\": none of the supported "
                      "fields are set",
                      (int)space.len, space.data, (int)pod.len, pod.data, (int)entry.len,
                      entry.data);
    else
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "pod \"%.*s/%.*s\": ResourceClaim not created yet", (int)space.len,
                      space.data, (int)pod.len, pod.data);
}

/* Add the reason why the claim that an entry names can't serve the pod. */
static void tell_missing(const berth__view *view, const berth__claim_list *list,
                         const berth__device_demand *demand, berth__reasons *reasons)
{
    berth_str space = berth__text(view->model, list->namespace_name);
    berth_str pod = berth__text(view->model, list->pod_name);
    berth_str name = berth__text(view->model, demand->claim);
    const berth__device_claim *claim =
        view->storage != NULL
            ? berth__storage_device_claim(view->storage, list->namespace_name, demand->claim)
            : NULL;
    if (claim == NULL || claim->facts == NULL)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "could not find ResourceClaim \"%.*s/%.*s\"", (int)space.len, space.data,
                      (int)name.len, name.data);
    else if (claim->facts->deleting)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "resourceclaim \"%.*s\" is being deleted",
                      (int)name.len, name.data);
    else
        berth__reason(
            reasons, BERTH_CODE_UNRESOLVABLE,
            "ResourceClaim %.*s/%.*s was not created for Pod %.*s/%.*s (Pod is not owner)",
            (int)space.len, space.data, (int)name.len, name.data, (int)space.len, space.data,
            (int)pod.len, pod.data);
}

/* Whether all claims exist and belong to the pod; otherwise adds the first reason why not. */
static bool check_claims(const berth__view *view, const berth__claim_list *list,
                         berth__reasons *reasons)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const berth__device_demand *demand = &list->items[i];
        if (find(view, list, demand) != NULL)
            continue;
        if (demand->neither || demand->claim == 0)
            tell_unnamed(view, list, demand, reasons);
        else
            tell_missing(view, list, demand, reasons);
        return false;
    }
    return true;
}

/* ---- requests ---- */

/* Refuse the pod, or fail, for a request of an unknown kind or class. */
static berth__outcome check_ask(const berth__view *view, const berth__device_request *request,
                                const berth__device_ask *ask, berth__reasons *reasons)
{
    berth_str name = berth__text(view->model, request->name);
    berth_str part = request->first_available && ask->name != 0
                         ? berth__text(view->model, ask->name)
                         : (berth_str){"", 0};
    berth_str class_name =
        ask->class_name != 0 ? berth__text(view->model, ask->class_name) : (berth_str){"", 0};
    const char *slash = request->first_available ? "/" : "";
    if (class_name.len == 0) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "request %.*s%s%.*s: unsupported request type", (int)name.len, name.data,
                      slash, (int)part.len, part.data);
        return BERTH__FAIL;
    }
    const berth__device_class *found = berth__storage_device_class(view->storage, ask->class_name);
    if (found != NULL && found->facts != NULL)
        return BERTH__ACTIVE;
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                  "request %.*s%s%.*s: device class %.*s does not exist", (int)name.len, name.data,
                  slash, (int)part.len, part.data, (int)class_name.len, class_name.data);
    return BERTH__REFUSE;
}

static berth__outcome check_requests(const berth__view *view, const berth__device_want *want,
                                     berth__reasons *reasons)
{
    for (uint32_t r = 0; r < want->request_count; r++) {
        const berth__device_request *request = &want->requests[r];
        if (request->ask_count == 0) {
            berth_str name = berth__text(view->model, request->name);
            berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                          "resource claim %.*s/%.*s, request %.*s: unknown request type",
                          (int)want->namespace_name.len, want->namespace_name.data,
                          (int)want->name.len, want->name.data, (int)name.len, name.data);
            return BERTH__REFUSE;
        }
        for (uint32_t a = 0; a < request->ask_count; a++) {
            berth__outcome outcome = check_ask(view, request, &request->asks[a], reasons);
            if (outcome != BERTH__ACTIVE)
                return outcome;
        }
    }
    return BERTH__ACTIVE;
}

static const berth__device_status *status_of(const berth__device_claim_facts *facts,
                                             const berth__device_result *result)
{
    for (uint32_t i = 0; i < facts->status_count; i++)
        if (facts->statuses[i].driver == result->driver &&
            facts->statuses[i].pool == result->pool && facts->statuses[i].device == result->device)
            return &facts->statuses[i];
    return NULL;
}

static bool is_true(const berth__device_status *status, berth__sym type)
{
    for (uint32_t i = 0; i < status->condition_count; i++)
        if (status->conditions[i].type == type)
            return status->conditions[i].is_true;
    return false;
}

/* Whether binding the claim's devices has failed. Timeouts are not detected, because decisions use
 * no clock. */
static bool has_failed(const berth__device_claim_facts *facts)
{
    for (uint32_t i = 0; i < facts->allocation->result_count; i++) {
        const berth__device_result *result = &facts->allocation->results[i];
        if (result->binding_condition_count == 0)
            continue;
        const berth__device_status *status = status_of(facts, result);
        if (status == NULL)
            return false;
        for (uint32_t c = 0; c < result->binding_failure_count; c++)
            if (is_true(status, result->binding_failures[c]))
                return true;
        for (uint32_t c = 0; c < result->binding_condition_count; c++)
            if (!is_true(status, result->binding_conditions[c]))
                return false;
    }
    return false;
}

/* Whether a result belongs to that alternative. */
static bool is_of(const berth__model *model, const berth__device_result *result,
                  const berth__device_request *request, const berth__device_ask *ask)
{
    berth_str text = berth__text(model, result->request);
    berth_str name = berth__text(model, request->name);
    berth_str part = ask->name != 0 ? berth__text(model, ask->name) : (berth_str){"", 0};
    return text.len == name.len + 1 + part.len && text.data[name.len] == '/' &&
           berth__str_eq((berth_str){text.data, name.len}, name) &&
           berth__str_eq((berth_str){text.data + name.len + 1, part.len}, part);
}

enum { ALTERNATIVES_MAX = 8 }; /* the score of the first alternative */

static int64_t score_served(const berth__model *model, const berth__device_claim_facts *facts)
{
    int64_t score = 0;
    for (uint32_t r = 0; r < facts->request_count; r++) {
        const berth__device_request *request = &facts->requests[r];
        for (uint32_t a = 0; request->first_available && a < request->ask_count; a++) {
            bool given = false;
            for (uint32_t i = 0; i < facts->allocation->result_count && !given; i++)
                given = is_of(model, &facts->allocation->results[i], request, &request->asks[a]);
            score += given ? ALTERNATIVES_MAX - (int64_t)a : 0;
        }
    }
    return score;
}

/* `pod_uid` 0: the pod does not name the claim. */
static berth__outcome add_served(const berth__view *view, berth__sym pod_uid,
                                 const berth__device_claim *claim, berth__reasons *reasons,
                                 berth__pod_claims *out)
{
    const berth__device_claim_facts *facts = claim->facts;
    const berth__device_allocation *allocation = facts->allocation;
    if (allocation->has_selector && allocation->problem.len > 0) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "%.*s", (int)allocation->problem.len,
                      allocation->problem.data);
        return BERTH__FAIL;
    }
    out->served[out->served_count++] = (berth__served_claim){
        .allocation = allocation,
        .namespace_name = claim->record.key.namespace_name,
        .name = claim->record.key.name,
        .failed = has_failed(facts),
        .spare = facts->reserved_for_count == 0 ||
                 (facts->reserved_for_count == 1 && facts->reserved_for[0] == pod_uid),
    };
    out->served_score += score_served(view->model, facts);
    return BERTH__ACTIVE;
}

static berth__outcome add_wanting(const berth__view *view, berth__device_claim *claim,
                                  berth__reasons *reasons, berth__pod_claims *out)
{
    const berth__device_claim_facts *facts = claim->facts;
    berth_str space = berth__text(view->model, claim->record.key.namespace_name);
    berth_str name = berth__text(view->model, claim->record.key.name);
    if (claim->chosen != NULL) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "resource claim %.*s/%.*s is in the process of being allocated",
                      (int)space.len, space.data, (int)name.len, name.data);
        return BERTH__REFUSE;
    }
    berth__device_want *want = &out->wants[out->want_count];
    out->wanting[out->want_count++] = claim;
    *want = (berth__device_want){
        .namespace_name = space,
        .name = name,
        .requests = facts->requests,
        .request_count = facts->request_count,
        .constraints = facts->constraints,
        .constraint_count = facts->constraint_count,
    };
    for (uint32_t r = 0; r < want->request_count; r++)
        out->chooses |= want->requests[r].first_available;
    return check_requests(view, want, reasons);
}

static bool allocate(berth__view *view, uint32_t count, berth__arena *arena,
                     berth__pod_claims **out)
{
    berth__pod_claims *claims = berth__arena_alloc_zero(arena, sizeof(*claims), 16);
    if (claims == NULL)
        return false;
    claims->view = view;
    claims->devices = view->devices;
    claims->served = berth__arena_alloc(arena, count * sizeof(*claims->served), 8);
    claims->wanting = berth__arena_alloc(arena, count * sizeof(*claims->wanting), 8);
    claims->wants = berth__arena_alloc(arena, count * sizeof(*claims->wants), 8);
    *out = claims;
    return claims->served != NULL && claims->wanting != NULL && claims->wants != NULL;
}

static const berth__device_class_facts *find_class(const void *context, berth__sym name)
{
    const berth__device_class *found = berth__storage_device_class(context, name);
    return found != NULL ? found->facts : NULL;
}

bool berth__pod_claims_begin(berth__pod_claims *claims, berth__arena *arena)
{
    const berth__view *view = claims->view;
    claims->search = (berth__device_search){
        .model = view->model,
        .verdicts = &claims->devices->verdicts,
        .wants = claims->wants,
        .want_count = claims->want_count,
        .find_class = find_class,
        .context = view->storage,
        .plan = arena,
        .arena = &claims->devices->searches,
        .work_max = BERTH__DEVICE_WORK_MAX,
    };
    return berth__device_search_begin(&claims->search);
}

/* Prepare the search on nodes, with or without a special claim. */
static bool begin(berth__pod_claims *claims, berth__arena *arena)
{
    if (claims->special != NULL)
        return berth__special_claim_vary(claims->special, claims, arena);
    return claims->want_count == 0 || (berth__devices_refresh(claims->devices, claims->view) &&
                                       berth__pod_claims_begin(claims, arena));
}

/* Add the claims that the pod names. */
static berth__outcome add_named(berth__view *view, const berth__claim_list *list,
                                berth__reasons *reasons, berth__pod_claims *out)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        berth__device_claim *claim =
            berth__storage_device_claim(view->storage, list->namespace_name, list->items[i].claim);
        berth__outcome outcome = claim->facts->allocation != NULL
                                     ? add_served(view, list->pod_uid, claim, reasons, out)
                                     : add_wanting(view, claim, reasons, out);
        if (outcome != BERTH__ACTIVE)
            return outcome;
    }
    return BERTH__ACTIVE;
}

/* Add the special claim of an earlier attempt, if it has devices. */
static berth__outcome add_special(const berth__view *view, const berth__special_claim *special,
                                  berth__reasons *reasons, berth__pod_claims *out)
{
    const berth__device_claim *written = special != NULL ? special->written : NULL;
    if (written == NULL || written->facts->allocation == NULL)
        return BERTH__ACTIVE;
    berth__outcome outcome = add_served(view, 0, written, reasons, out);
    if (outcome == BERTH__ACTIVE)
        out->served[out->served_count - 1].special = true;
    return outcome;
}

berth__outcome berth__pod_claims_make(const berth__question *cycle, berth__arena *arena,
                                      berth__reasons *reasons, berth__pod_claims **out, bool *ok)
{
    berth__view *view = cycle->view;
    const berth__claim_list *list = cycle->cls->claims;
    uint32_t count = list != NULL ? list->count : 0;
    berth__special_claim *special = NULL;
    if (count > 0 && !check_claims(view, list, reasons))
        return BERTH__REFUSE;
    *ok = *ok && berth__special_claim_find(cycle, arena, &special);
    if (!*ok || (count == 0 && special == NULL))
        return BERTH__SKIP;
    if (!allocate(view, count + 1, arena, out)) {
        *ok = false;
        return BERTH__SKIP;
    }
    (*out)->special = special;
    berth__outcome outcome = add_named(view, list, reasons, *out);
    if (outcome == BERTH__ACTIVE)
        outcome = add_special(view, special, reasons, *out);
    if (outcome != BERTH__ACTIVE)
        return outcome;
    *ok = *ok && begin(*out, arena);
    return BERTH__ACTIVE;
}

bool berth__pod_claims_recall(berth__pod_claims *claims, berth__arena *arena)
{
    if (claims->special != NULL)
        return berth__special_claim_recall(claims->special, arena);
    if (claims->want_count == 0)
        return true;
    claims->outcomes =
        berth__outcomes_get(&claims->devices->outcomes, &claims->search, claims->view, arena);
    return claims->outcomes != NULL;
}

bool berth__pod_claims_have_alternatives(const berth__view *view, const berth__claim_list *list)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        const berth__device_claim *claim = find(view, list, &list->items[i]);
        for (uint32_t r = 0; claim != NULL && r < claim->facts->request_count; r++)
            if (claim->facts->requests[r].first_available)
                return true;
    }
    return false;
}

/* ---- on a node ---- */

static bool is_served(const berth__pod_claims *claims, const berth__node_record *node)
{
    bool all = true;
    for (uint32_t i = 0; i < claims->served_count; i++) {
        berth__served_claim *served = &claims->served[i];
        const berth__device_allocation *allocation = served->allocation;
        if (!served->failed &&
            (!allocation->has_selector ||
             berth__node_selector_meets(&claims->view->model->strings, &allocation->selector,
                                        node->name, berth__node_labels(node->facts))))
            continue;
        served->unavailable = true;
        all = false;
    }
    return all;
}

static int16_t score(const berth__pod_claims *claims)
{
    int64_t sum = 0;
    for (uint32_t c = 0; claims->chooses && c < claims->want_count; c++)
        for (uint32_t r = 0; r < claims->wants[c].request_count; r++) {
            if (!claims->wants[c].requests[r].first_available)
                continue;
            uint32_t choice = berth__device_search_choice(&claims->search, c, r);
            uint32_t line = claims->search.states[c].first_line[r] + choice;
            if (claims->search.lines[line].need > 0)
                sum += ALTERNATIVES_MAX - (int64_t)choice;
        }
    return (int16_t)(sum < INT16_MAX ? sum : INT16_MAX);
}

static berth__claims_verdict verdict_of(berth__devices_outcome outcome)
{
    switch (outcome) {
    case BERTH__DEVICES_FOUND:
        return BERTH__CLAIMS_FIT;
    case BERTH__DEVICES_NONE:
        return BERTH__CLAIMS_NONE;
    case BERTH__DEVICES_INVALID:
        return BERTH__CLAIMS_INVALID;
    case BERTH__DEVICES_TOO_LONG:
        return BERTH__CLAIMS_TOO_LONG;
    case BERTH__DEVICES_FAILED:
        return BERTH__CLAIMS_FAILED;
    case BERTH__DEVICES_NO_MEMORY:
        break;
    }
    return BERTH__CLAIMS_NO_MEMORY;
}

static bool is_error(berth__claims_verdict verdict)
{
    return verdict == BERTH__CLAIMS_TOO_LONG || verdict == BERTH__CLAIMS_FAILED ||
           verdict == BERTH__CLAIMS_NO_MEMORY;
}

static const berth__node_offers *offers_of(berth__pod_claims *claims, uint32_t slot)
{
    const berth__view *view = claims->view;
    const berth__node_record *node = berth__view_node(view, slot);
    claims->where = (berth__offer_node){.id = view->layout->nodes[slot],
                                        .name = node->name,
                                        .labels = berth__node_labels(node->facts)};
    return berth__node_offers_of(&claims->devices->catalog, &claims->where);
}

static berth__outcome_kept search_node(berth__pod_claims *claims, uint32_t slot)
{
    const berth__node_offers *offers = offers_of(claims, slot);
    berth__claims_verdict verdict =
        offers != NULL
            ? verdict_of(berth__device_search_run(&claims->search, &claims->where, offers))
            : BERTH__CLAIMS_NO_MEMORY;
    claims->devices->lost |= verdict == BERTH__CLAIMS_NO_MEMORY;
    bool fits = verdict == BERTH__CLAIMS_FIT;
    return (berth__outcome_kept){.value = (uint8_t)verdict,
                                 .fits = fits,
                                 .bad = is_error(verdict),
                                 .score = fits ? score(claims) : (int16_t)0};
}

/* What is known about the node of a slot; NULL when out of memory. */
static const berth__listed_node *listed_at(berth__pod_claims *claims, uint32_t slot)
{
    const berth__catalog *catalog = &claims->devices->catalog;
    const uint32_t id = claims->view->layout->nodes[slot];
    const berth__listed_node *listed = berth__node_offers_listed(catalog, id);
    if (listed == NULL && offers_of(claims, slot) != NULL)
        listed = berth__node_offers_listed(catalog, id);
    return listed;
}

/* Find the verdict for the node, from the kept result for an equal node or by a search, and keep
 * it. */
static berth__claims_verdict find_devices(berth__pod_claims *claims, uint32_t slot)
{
    if (claims->outcomes == NULL)
        return (berth__claims_verdict)search_node(claims, slot).value;
    const berth__listed_node *listed = listed_at(claims, slot);
    berth__node_state *state = listed != NULL ? berth__node_shapes_state(&claims->outcomes->shapes,
                                                                         &claims->search, listed)
                                              : NULL;
    berth__outcome_kept outcome = state != NULL && state->outcome.value != BERTH__CLAIMS_UNKNOWN
                                      ? state->outcome
                                      : search_node(claims, slot);
    if (state != NULL && !outcome.bad)
        state->outcome = outcome;
    berth__outcomes_put(claims->outcomes, slot, outcome);
    return (berth__claims_verdict)outcome.value;
}

static berth__claims_verdict with_served(const berth__pod_claims *claims, uint32_t slot,
                                         berth__claims_verdict verdict)
{
    return verdict == BERTH__CLAIMS_FIT && claims->served_count > 0 &&
                   !is_served(claims, berth__view_node(claims->view, slot))
               ? BERTH__CLAIMS_UNAVAILABLE
               : verdict;
}

berth__claims_verdict berth__pod_claims_search(berth__pod_claims *claims, uint32_t slot)
{
    BERTH_ASSERT(claims->special == NULL);
    return with_served(claims, slot,
                       claims->want_count > 0
                           ? (berth__claims_verdict)search_node(claims, slot).value
                           : BERTH__CLAIMS_FIT);
}

/* The verdict if it is known; otherwise search. */
static berth__claims_verdict found_on(berth__pod_claims *claims, uint32_t slot)
{
    if (claims->want_count == 0)
        return BERTH__CLAIMS_FIT;
    return claims->outcomes != NULL && berth__outcomes_known(claims->outcomes, slot)
               ? (berth__claims_verdict)claims->outcomes->by_slot[slot]
               : find_devices(claims, slot);
}

berth__claims_verdict berth__pod_claims_on(berth__pod_claims *claims, uint32_t slot)
{
    if (claims->special != NULL) {
        berth__claims_verdict verdict;
        berth__pod_claims *here = berth__special_claim_on(claims, slot, &verdict);
        return here != NULL ? berth__pod_claims_on(here, slot) : verdict;
    }
    return with_served(claims, slot, found_on(claims, slot));
}

/* With a special claim, the requests depend on what the node lacks. */
static void keep_special(berth__pod_claims *claims, uint32_t tile, berth__mask *mask)
{
    berth__mask asked = *mask;
    BERTH__MASK_EACH(&asked, s)
    {
        if (berth__pod_claims_on(claims, tile * BERTH__TILE + s) != BERTH__CLAIMS_FIT)
            berth__bit_clear(mask->words, s);
    }
}

/* Prepare for the lists of nodes that have none yet; `slots` are bits from slot `first` on. */
static void expect_lists(const berth__pod_claims *claims, uint32_t first, uint64_t slots)
{
    const berth__catalog *catalog = &claims->devices->catalog;
    berth__sym names[BERTH__EXPECTED_MAX];
    uint32_t count = 0;
    for (; slots != 0; slots &= slots - 1) {
        uint32_t slot = first + (uint32_t)__builtin_ctzll(slots);
        if (!berth__node_offers_has(catalog, claims->view->layout->nodes[slot]))
            names[count++] = berth__view_node(claims->view, slot)->name;
    }
    berth__node_offers_expect(catalog, names, count);
}

void berth__pod_claims_keep(berth__pod_claims *claims, uint32_t tile, berth__mask *mask)
{
    if (claims->special != NULL) {
        keep_special(claims, tile, mask);
        return;
    }
    const berth__outcomes *outcomes = claims->outcomes;
    uint32_t first = tile * BERTH__TILE, words = tile * BERTH__TILE_WORDS;
    for (uint32_t w = 0; claims->want_count > 0 && w < BERTH__TILE_WORDS; w++) {
        uint64_t open = mask->words[w] & ~outcomes->known[words + w];
        expect_lists(claims, first + w * 64, open);
        for (; open != 0; open &= open - 1)
            (void)find_devices(claims, first + w * 64 + (uint32_t)__builtin_ctzll(open));
        mask->words[w] &= outcomes->fit[words + w];
    }
    if (claims->served_count == 0)
        return;
    BERTH__MASK_EACH(mask, s)
    {
        if (!is_served(claims, berth__view_node(claims->view, first + s)))
            berth__bit_clear(mask->words, s);
    }
}

void berth__pod_claims_keep_failed(const berth__pod_claims *claims, uint32_t tile,
                                   berth__mask *mask)
{
    if (claims->special != NULL) /* its verdicts are not kept by slot */
        return;
    BERTH__MASK_EACH(mask, s)
    {
        uint32_t slot = tile * BERTH__TILE + s;
        if (berth__outcomes_known(claims->outcomes, slot) &&
            !is_error((berth__claims_verdict)claims->outcomes->by_slot[slot]))
            berth__bit_clear(mask->words, s);
    }
}

int64_t berth__pod_claims_score(berth__pod_claims *claims, uint32_t slot)
{
    if (claims->special != NULL) {
        berth__claims_verdict verdict;
        berth__pod_claims *here = berth__special_claim_on(claims, slot, &verdict);
        return here != NULL && here->want_count > 0 ? berth__pod_claims_score(here, slot) : 0;
    }
    if (claims->want_count == 0)
        return claims->served_score;
    if (claims->outcomes != NULL)
        return claims->served_score + claims->outcomes->scores[slot];
    return claims->served_score +
           (find_devices(claims, slot) == BERTH__CLAIMS_FIT ? score(claims) : 0);
}

/* Only few nodes before `filled` have changed since they were searched. */
bool berth__pod_claims_settle(berth__pod_claims *claims)
{
    enum { OFTEN = 4, AHEAD = 512 };
    if (claims->special != NULL)
        return false;
    berth__outcomes *outcomes = claims->outcomes;
    uint32_t count = claims->view->layout->count;
    if (claims->want_count == 0 || outcomes->sights < OFTEN)
        return claims->want_count == 0;
    uint32_t end = count - outcomes->filled < AHEAD ? count : outcomes->filled + AHEAD;
    for (uint32_t w = 0; w * 64 < end; w++) {
        uint32_t here = end - w * 64 < 64 ? end - w * 64 : 64;
        uint64_t open = berth__low_bits(here) & ~outcomes->known[w];
        for (; open != 0; open &= open - 1)
            (void)find_devices(claims, w * 64 + (uint32_t)__builtin_ctzll(open));
    }
    outcomes->filled = end;
    return end == count && outcomes->bad == 0;
}
