/* The first solution of a depth-first search for the devices of a pod's claims. */
#include <string.h>

#include "naive_devices.h"

enum { DEVICES_MAX = 32 }; /* per claim */

/* ---- selecting devices ---- */

static naive_found selects(naive_search *s, const berth_cel_selector *selectors, uint32_t count,
                           const char *whose, const naive_device *device)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *problem = NULL;
        bool yes = naive_selects(s->a->region, s->a->cluster->kubernetes, selectors[i].expression,
                                 device, &problem);
        if (problem != NULL && s->a->cluster->kubernetes < 37) {
            return naive_fail(s,
                              naive_print(s->a->region, "%s: selector #%u: %s", whose, i, problem));
        }
        if (problem != NULL) {
            const char *advice =
                strstr(problem, "no such key:") == NULL
                    ? ""
                    : ". consider using CEL optional chaining (.? followed by orValue()) or "
                      "guarding the check with has() for optional fields";
            return naive_fail(s, naive_print(s->a->region,
                                             "%s: selector #%u on device %.*s/%.*s/%.*s: %s%s",
                                             whose, i, NAIVE_TEXT(device->slice->driver),
                                             NAIVE_TEXT(device->slice->pool),
                                             NAIVE_TEXT(device->device->name), problem, advice));
        }
        if (!yes) {
            return NAIVE_NONE;
        }
    }
    return NAIVE_SOLVED;
}

static naive_found is_selectable(naive_search *s, const naive_device_ask *ask,
                                 const naive_device *device)
{
    const berth_device_class *cls = ask->device_class;
    naive_found answer =
        selects(s, cls->selectors, cls->selector_count,
                naive_print(s->a->region, "class %.*s", NAIVE_TEXT(cls->meta.name)), device);
    if (answer == NAIVE_SOLVED) {
        answer =
            selects(s, ask->exact->selectors, ask->exact->selector_count,
                    naive_print(s->a->region, "claim %s", naive_claim_key(s->a, ask->of)), device);
    }
    return answer == NAIVE_SOLVED && !naive_device_reaches(device->slice, device->device, s->node)
               ? NAIVE_NONE
               : answer;
}

/* ---- checking the claims ---- */

static const char *say(naive_search *s, const naive_device_ask *ask, const char *what)
{
    return naive_print(s->a->region, "claim %s, request %.*s: %s", naive_claim_key(s->a, ask->of),
                       NAIVE_TEXT(naive_own_name(ask)), what);
}

/* Fails if the amounts that the request takes of a device can't be computed. `where` names it. */
static naive_found check_amounts(naive_search *s, const naive_device_ask *ask,
                                 const naive_device *device, const char *where)
{
    const char *problem = naive_capacity_problem(s, ask->exact, device);
    return problem == NULL
               ? NAIVE_SOLVED
               : naive_fail(s, say(s, ask,
                                   naive_print(s->a->region, "checking capacity for device %s: %s",
                                               where, problem)));
}

static naive_found list_all(naive_search *s, naive_device_ask *ask)
{
    for (size_t p = 0; p < s->pool_count; p++) {
        const naive_pool *pool = &s->pools[p];
        if (pool->incomplete || pool->invalid) {
            const char *state = pool->incomplete ? "being updated" : "invalid";
            return naive_fail(
                s, say(s, ask,
                       naive_print(s->a->region,
                                   "asks for all devices, but resource pool %.*s/%.*s is "
                                   "currently %s",
                                   NAIVE_TEXT(pool->driver), NAIVE_TEXT(pool->name), state)));
        }
        for (size_t i = 0; i < pool->slice_count; i++) {
            for (uint32_t d = 0; d < pool->slices[i]->device_count; d++) {
                const naive_device device = {pool->slices[i], &pool->slices[i]->devices[d], pool};
                naive_found answer = is_selectable(s, ask, &device);
                if (answer == NAIVE_FAILED) {
                    return NAIVE_FAILED;
                }
                if (answer == NAIVE_SOLVED &&
                    check_amounts(s, ask, &device,
                                  naive_print(s->a->region, "%.*s",
                                              NAIVE_TEXT(device.device->name))) == NAIVE_FAILED) {
                    return NAIVE_FAILED;
                }
                bool whole = s->a->cluster->kubernetes >= 37;
                if (answer == NAIVE_SOLVED &&
                    naive_capacity_fits(s, ask->exact, &device, whole, NULL)) {
                    APPEND(s->a->region, ask->list, ask->need, device);
                }
            }
        }
    }
    return NAIVE_SOLVED;
}

static naive_found check_ask(naive_search *s, naive_device_ask *ask)
{
    const berth_exact_request *exact = ask->exact;
    for (uint32_t i = 0; i < exact->selector_count; i++) {
        if (!exact->selectors[i].has_cel) {
            return naive_fail(s, say(s, ask,
                                     naive_print(s->a->region,
                                                 "selector #%u: CEL expression empty (unsupported "
                                                 "selector type?)",
                                                 i)));
        }
    }
    ask->device_class = naive_class_named(s->a, exact->class_name);
    if (ask->device_class == NULL) {
        return naive_fail(
            s, say(s, ask,
                   naive_print(s->a->region,
                               "could not retrieve device class %.*s: "
                               "deviceclass.resource.k8s.io \"%.*s\" not found",
                               NAIVE_TEXT(exact->class_name), NAIVE_TEXT(exact->class_name))));
    }
    ask->all = naive_is(exact->allocation_mode, "All");
    ask->need = (size_t)exact->count;
    if (ask->all) {
        ask->need = 0;
        return list_all(s, ask);
    }
    return naive_is(exact->allocation_mode, "ExactCount")
               ? NAIVE_SOLVED
               : naive_fail(s, say(s, ask,
                                   naive_print(s->a->region, "unsupported count mode %.*s",
                                               NAIVE_TEXT(exact->allocation_mode))));
}

static naive_found check_request_asks(naive_search *s, size_t claim,
                                      const berth_claim_request *request, naive_want *want)
{
    bool one = request->exactly != NULL;
    want->count = one ? 1 : request->first_available_count;
    want->first_available = !one;
    want->asks = naive_alloc(s->a->region, (want->count + 1) * sizeof(*want->asks));
    for (size_t i = 0; i < want->count; i++) {
        naive_device_ask *ask = &want->asks[i];
        *ask = (naive_device_ask){.of = s->claims[claim], .claim = claim, .request = request};
        ask->exact = one ? request->exactly : &request->first_available[i];
        ask->name = one ? naive_print(s->a->region, "%.*s", NAIVE_TEXT(request->name))
                        : naive_print(s->a->region, "%.*s/%.*s", NAIVE_TEXT(request->name),
                                      NAIVE_TEXT(ask->exact->name));
        if (check_ask(s, ask) == NAIVE_FAILED) {
            return NAIVE_FAILED;
        }
    }
    return NAIVE_SOLVED;
}

static naive_found check_claim(naive_search *s, size_t c)
{
    const berth_resource_claim *claim = s->claims[c];
    size_t sum = 0;
    s->wants[c] = naive_alloc(s->a->region, (claim->request_count + 1) * sizeof(*s->wants[c]));
    for (uint32_t i = 0; i < claim->request_count; i++) {
        naive_want *want = &s->wants[c][i];
        if (check_request_asks(s, c, &claim->requests[i], want) == NAIVE_FAILED) {
            return NAIVE_FAILED;
        }
        size_t least = want->count > 0 ? want->asks[0].need : 0;
        for (size_t k = 1; k < want->count; k++) {
            least = want->asks[k].need < least ? want->asks[k].need : least;
        }
        if (s->a->cluster->kubernetes >= 37 && least + sum > DEVICES_MAX) {
            return naive_fail(
                s, naive_print(s->a->region,
                               "claim %s, request %.*s: adding %zu devices exceeds "
                               "the claim limit of %d, with %zu already accounted for",
                               naive_claim_key(s->a, claim), NAIVE_TEXT(claim->requests[i].name),
                               least, DEVICES_MAX, sum));
        }
        sum += least;
    }
    if (sum > DEVICES_MAX) {
        return naive_fail(s,
                          naive_print(s->a->region,
                                      "claim %s: number of requested devices %zu exceeds the claim "
                                      "limit of %d",
                                      naive_claim_key(s->a, claim), sum, DEVICES_MAX));
    }
    for (uint32_t i = 0; i < claim->constraint_count; i++) {
        if (claim->constraints[i].match_attribute.len == 0 &&
            claim->constraints[i].distinct_attribute.len == 0) {
            return naive_fail(s,
                              naive_print(s->a->region,
                                          "claim %s, constraint #%u: empty constraint (unsupported "
                                          "constraint type?)",
                                          naive_claim_key(s->a, claim), i));
        }
    }
    return NAIVE_SOLVED;
}

void naive_find_uses(naive_search *s)
{
    const naive_objects *all = &s->a->cluster->objects[BERTH_KIND_RESOURCE_CLAIM];
    for (size_t i = 0; i < all->count; i++) {
        const berth_resource_claim *claim = all->items[i];
        const naive_device_hold *hold = naive_claim_held(s->a, claim);
        const berth_claim_allocation *use = claim->allocation;
        use = use == NULL && hold != NULL ? hold->allocation : use;
        if (use != NULL) {
            APPEND(s->a->region, s->uses, s->use_count, use);
        }
    }
    for (size_t i = 0; i < s->a->cluster->hold_count; i++) {
        const naive_device_hold *hold = &s->a->cluster->holds[i];
        if (naive_is(hold->claim->name, NAIVE_SPECIAL)) {
            APPEND(s->a->region, s->uses, s->use_count, hold->allocation);
        }
    }
}

/* ---- the search ---- */

static naive_found step_request(naive_search *s, size_t c, uint32_t r);

static size_t results_of(const naive_search *s, size_t claim)
{
    size_t count = 0;
    for (size_t i = 0; i < s->take_count; i++) {
        count += s->takes[i].claim == claim;
    }
    return count;
}

static naive_found step_device(naive_search *s, size_t c, uint32_t r, const naive_device_ask *ask,
                               size_t d, size_t start);

static naive_found step_listed(naive_search *s, size_t c, uint32_t r, const naive_device_ask *ask,
                               size_t d)
{
    naive_found answer = naive_take_device(s, ask, &ask->list[d], true);
    if (answer != NAIVE_SOLVED) {
        return answer;
    }
    answer = step_device(s, c, r, ask, d + 1, 0);
    if (answer != NAIVE_SOLVED) {
        naive_release_device(s);
    }
    return answer;
}

/* Finds device number `at` among the possible ones; returns false if there are no more. */
static bool device_at(const naive_search *s, size_t at, naive_device *out)
{
    for (size_t p = 0; p < s->pool_count; p++) {
        const naive_pool *pool = &s->pools[p];
        for (size_t i = 0; !pool->incomplete && !pool->invalid && i < pool->slice_count; i++) {
            if (at < pool->slices[i]->device_count) {
                *out = (naive_device){pool->slices[i], &pool->slices[i]->devices[at], pool};
                return true;
            }
            at -= pool->slices[i]->device_count;
        }
    }
    return false;
}

static naive_found step_counted(naive_search *s, size_t c, uint32_t r, const naive_device_ask *ask,
                                size_t d, size_t start)
{
    naive_device device;
    for (size_t at = start; device_at(s, at, &device); at++) {
        if (!naive_device_free(s, ask, &device)) {
            continue;
        }
        naive_found answer = is_selectable(s, ask, &device);
        if (answer == NAIVE_FAILED) {
            return answer;
        }
        if (answer == NAIVE_SOLVED &&
            check_amounts(
                s, ask, &device,
                naive_print(s->a->region, "%.*s/%.*s/%.*s", NAIVE_TEXT(device.slice->driver),
                            NAIVE_TEXT(device.slice->pool), NAIVE_TEXT(device.device->name))) ==
                NAIVE_FAILED) {
            return NAIVE_FAILED;
        }
        if (answer == NAIVE_NONE || !naive_capacity_fits(s, ask->exact, &device, false, NULL) ||
            naive_take_device(s, ask, &device, false) != NAIVE_SOLVED) {
            continue;
        }
        answer = step_device(s, c, r, ask, d + 1, at + 1);
        if (answer == NAIVE_SOLVED) {
            return answer;
        }
        naive_release_device(s);
        if (answer != NAIVE_NONE) {
            return answer;
        }
    }
    return NAIVE_NONE;
}

static naive_found step_device(naive_search *s, size_t c, uint32_t r, const naive_device_ask *ask,
                               size_t d, size_t start)
{
    if (ask->all && ask->need == 0) {
        return NAIVE_NONE;
    }
    if (d == ask->need) {
        return step_request(s, c, r + 1);
    }
    if (results_of(s, c) + ask->need - d > DEVICES_MAX) {
        return NAIVE_TOO_MANY;
    }
    return ask->all ? step_listed(s, c, r, ask, d) : step_counted(s, c, r, ask, d, start);
}

static naive_found step_alternatives(naive_search *s, size_t c, uint32_t r, naive_want *want)
{
    bool all_too_many = true;
    for (size_t i = 0; i < want->count; i++) {
        naive_found answer = step_device(s, c, r, &want->asks[i], 0, 0);
        if (answer == NAIVE_SOLVED) {
            want->chosen = i;
        }
        if (answer == NAIVE_SOLVED || answer == NAIVE_FAILED) {
            return answer;
        }
        all_too_many = all_too_many && answer == NAIVE_TOO_MANY;
    }
    return all_too_many ? NAIVE_TOO_MANY : NAIVE_NONE;
}

static naive_found step_request(naive_search *s, size_t c, uint32_t r)
{
    if (c == s->claim_count) {
        return NAIVE_SOLVED;
    }
    if (r == s->claims[c]->request_count) {
        naive_found answer = step_request(s, c + 1, 0);
        return answer == NAIVE_TOO_MANY ? NAIVE_NONE : answer;
    }
    naive_want *want = &s->wants[c][r];
    return want->first_available ? step_alternatives(s, c, r, want)
                                 : step_device(s, c, r, &want->asks[0], 0, 0);
}

naive_found naive_solve(naive_search *s, const berth_resource_claim *special)
{
    for (size_t i = 0; i < s->a->claim_count; i++) {
        if (s->a->claims[i]->allocation == NULL) {
            APPEND(s->a->region, s->claims, s->claim_count, s->a->claims[i]);
        }
    }
    if (special != NULL) {
        APPEND(s->a->region, s->claims, s->claim_count, special);
    }
    naive_find_pools(s);
    naive_find_uses(s);
    s->wants = naive_alloc(s->a->region, (s->claim_count + 1) * sizeof(naive_want *));
    for (size_t c = 0; c < s->claim_count; c++) {
        if (check_claim(s, c) == NAIVE_FAILED) {
            return NAIVE_FAILED;
        }
    }
    naive_found answer = step_request(s, 0, 0);
    return answer == NAIVE_TOO_MANY ? NAIVE_NONE : answer;
}
