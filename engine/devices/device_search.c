/* The depth-first search for devices.
 * Source: dynamic-resource-allocation v0.36,
 * structured/internal/incubating/allocator_incubating.go, allocateOne; a stack of frames replaces
 * its recursion. */
#include "devices/device_search.h"

#include <string.h>

/* How the search continues after a trial. */
typedef enum frame_kind {
    FRAME_CLAIM,        /* a claim is served: the next ones are tried */
    FRAME_ALTERNATIVES, /* an alternative of a request is tried */
    FRAME_ALL,          /* a device of mode All is taken */
    FRAME_COUNT,        /* a device of mode ExactCount is taken: others may replace it */
} frame_kind;

/* The position of the search: device number `device` of a request, or of its alternative if
 * `inside` one. */
typedef struct place {
    uint32_t claim, request, alternative;
    int64_t device;
    bool inside;
    uint32_t pool, offer; /* where to continue */
} place;

struct berth__device_frame {
    frame_kind kind;
    place at;
    bool too_many; /* for all alternatives so far */
};

/* The result of a step: an outcome, or another step. */
typedef struct turn {
    bool goes_on;
    berth__step step;
} turn;

bool berth__device_search_grow(berth__device_search *search, void *array, uint32_t *capacity,
                               uint32_t need, size_t element_bytes)
{
    void *old;
    if (need <= *capacity)
        return true;
    uint32_t larger = *capacity * 2 + 16;
    larger = larger < need ? need : larger;
    void *copy = berth__arena_alloc(search->arena, larger * element_bytes, 16);
    if (copy == NULL)
        return false;
    memcpy(&old, array, sizeof(old));
    if (*capacity > 0)
        memcpy(copy, old, *capacity * element_bytes);
    memcpy(array, &copy, sizeof(copy));
    *capacity = larger;
    return true;
}

static turn done(berth__step step)
{
    return (turn){.step = step};
}

static turn go_on(void)
{
    return (turn){.goes_on = true, .step = BERTH__STEP_NO};
}

static bool push(berth__device_search *search, frame_kind kind, const place *at)
{
    if (!berth__device_search_grow(search, &search->frames, &search->frame_capacity,
                                   search->frame_count + 1, sizeof(*search->frames))) {
        search->no_memory = true;
        return false;
    }
    search->frames[search->frame_count++] = (berth__device_frame){kind, *at, true};
    return true;
}

static uint32_t line_of(const berth__device_search *search, const place *at)
{
    return search->states[at->claim].first_line[at->request] + at->alternative;
}

/* ---- ExactCount ---- */

/* Whether a device is free, so that it is worth examining. */
static bool is_free(const berth__device_search *search, const berth__device_line *line,
                    const berth__offer *offer)
{
    if (line->ask->admin_access)
        return !berth__device_is_of_claim(search, line->claim, offer->use);
    return offer->use->whole == 0 && offer->use->taken == 0;
}

static berth__step try_offer(berth__device_search *search, uint32_t line_index,
                             const berth__offer *offer)
{
    const berth__device_line *line = &search->lines[line_index];
    if (!is_free(search, line, offer))
        return BERTH__STEP_NO;
    berth__step step = berth__device_selectable(search, line, offer);
    if (step != BERTH__STEP_YES)
        return step;
    step = berth__device_has_capacity(search, line, offer);
    if (step != BERTH__STEP_YES)
        return step;
    return berth__device_take(search, line_index, offer, false);
}

/* Take the next device from `at` on that can be taken, and move `at` behind it. */
static berth__step take_next(berth__device_search *search, place *at)
{
    uint32_t line = line_of(search, at);
    for (; at->pool < search->offers->count; at->pool++, at->offer = 0) {
        const berth__pool_view *view = search->offers->pools[at->pool];
        if (view->incomplete || view->invalid)
            continue;
        while (at->offer < view->offer_count) {
            if (++search->work > search->work_max)
                return BERTH__STEP_ERROR;
            berth__step step = try_offer(search, line, view->offers[at->offer++]);
            if (step != BERTH__STEP_NO)
                return step;
        }
    }
    return BERTH__STEP_NO;
}

/* Move the newest frame to the next device, and continue the search after it. */
static turn advance(berth__device_search *search, place *next)
{
    berth__device_frame *frame = &search->frames[search->frame_count - 1];
    berth__step step = take_next(search, &frame->at);
    if (step != BERTH__STEP_YES) {
        search->frame_count--;
        return done(step);
    }
    *next = frame->at;
    next->device++;
    return go_on();
}

/* ---- steps ---- */

static turn take_all(berth__device_search *search, place *at)
{
    uint32_t line = line_of(search, at);
    berth__step step = berth__device_take(search, line, search->lines[line].all[at->device], true);
    if (step != BERTH__STEP_YES)
        return done(step);
    if (!push(search, FRAME_ALL, at))
        return done(BERTH__STEP_ERROR);
    at->device++;
    return go_on();
}

static turn next_device(berth__device_search *search, place *at)
{
    const berth__device_line *line = &search->lines[line_of(search, at)];
    bool all = line->ask->mode == BERTH__ALLOCATE_ALL;
    if (all && line->need == 0)
        return done(BERTH__STEP_NO);
    if (at->device >= line->need) {
        *at = (place){.claim = at->claim, .request = at->request + 1};
        return go_on();
    }
    if (search->states[at->claim].result_count + line->need - at->device >
        BERTH__DEVICE_RESULTS_MAX)
        return done(BERTH__STEP_TOO_MANY);
    if (all)
        return take_all(search, at);
    return push(search, FRAME_COUNT, at) ? advance(search, at) : done(BERTH__STEP_ERROR);
}

static turn enter(berth__device_search *search, place *at)
{
    if (++search->work > search->work_max)
        return done(BERTH__STEP_ERROR);
    if (at->claim >= search->want_count)
        return done(BERTH__STEP_YES);
    const berth__device_want *want = &search->wants[at->claim];
    if (at->request >= want->request_count) {
        if (!push(search, FRAME_CLAIM, at))
            return done(BERTH__STEP_ERROR);
        *at = (place){.claim = at->claim + 1};
        return go_on();
    }
    if (want->requests[at->request].ask_count == 0)
        return done(BERTH__STEP_NO);
    if (want->requests[at->request].first_available && !at->inside) {
        if (!push(search, FRAME_ALTERNATIVES, at))
            return done(BERTH__STEP_ERROR);
        at->inside = true;
        return go_on();
    }
    return next_device(search, at);
}

static turn next_alternative(berth__device_search *search, berth__step step, place *at)
{
    berth__device_frame *frame = &search->frames[search->frame_count - 1];
    const berth__device_want *want = &search->wants[frame->at.claim];
    if (step == BERTH__STEP_ERROR) {
        search->frame_count--;
        return done(step);
    }
    frame->too_many &= step == BERTH__STEP_TOO_MANY;
    if (++frame->at.alternative < want->requests[frame->at.request].ask_count) {
        *at = frame->at;
        at->inside = true;
        return go_on();
    }
    search->frame_count--;
    return done(frame->too_many ? BERTH__STEP_TOO_MANY : BERTH__STEP_NO);
}

/* A trial failed: continue with the newest frame. */
static turn resume(berth__device_search *search, berth__step step, place *at)
{
    switch (search->frames[search->frame_count - 1].kind) {
    case FRAME_CLAIM:
        search->frame_count--;
        return done(step == BERTH__STEP_TOO_MANY ? BERTH__STEP_NO : step);
    case FRAME_ALTERNATIVES:
        return next_alternative(search, step, at);
    case FRAME_ALL:
        berth__device_release(search);
        search->frame_count--;
        return done(step);
    case FRAME_COUNT:
        break;
    }
    berth__device_release(search);
    if (step == BERTH__STEP_NO)
        return advance(search, at);
    search->frame_count--;
    return done(step);
}

static berth__step search_all(berth__device_search *search)
{
    place at = {0};
    for (;;) {
        turn next = enter(search, &at);
        while (!next.goes_on) {
            if (next.step == BERTH__STEP_YES || search->frame_count == 0)
                return next.step;
            next = resume(search, next.step, &at);
        }
    }
}

/* ---- interface ---- */

static void reset(berth__device_search *search)
{
    berth__arena_reset(search->arena);
    search->problem = (berth_str){0};
    search->taken = NULL;
    search->frames = NULL;
    search->entered = NULL;
    search->amounts = NULL;
    search->taken_capacity = search->frame_capacity = search->entered_capacity = 0;
    search->taken_count = search->frame_count = search->entered_count = 0;
    search->amount_capacity = search->amount_count = 0;
    search->work = 0;
    search->counters = NULL;
    search->no_memory = false;
    for (uint32_t c = 0; c < search->want_count; c++) {
        search->states[c].result_count = 0;
        berth__constraints_reset(search, c);
    }
}

/* Reset the marks on devices. */
static void forget_marks(berth__device_search *search)
{
    for (uint32_t i = 0; i < search->taken_count; i++)
        search->taken[i].offer->use->taken = 0;
    for (uint32_t i = 0; i < search->entered_count; i++)
        search->entered[i]->entered = false;
}

static berth__devices_outcome outcome_of(const berth__device_search *search, berth__step step)
{
    if (search->no_memory)
        return BERTH__DEVICES_NO_MEMORY;
    if (step == BERTH__STEP_YES)
        return BERTH__DEVICES_FOUND;
    if (step == BERTH__STEP_ERROR)
        return search->problem.len > 0 ? BERTH__DEVICES_FAILED : BERTH__DEVICES_TOO_LONG;
    for (uint32_t p = 0; p < search->offers->count; p++)
        if (search->offers->pools[p]->invalid)
            return BERTH__DEVICES_INVALID;
    return BERTH__DEVICES_NONE;
}

berth__devices_outcome berth__device_search_run(berth__device_search *search,
                                                const berth__offer_node *node,
                                                const berth__node_offers *offers)
{
    search->node = node;
    search->offers = offers;
    reset(search);
    if (offers->problem.len > 0) {
        BERTH__DEVICE_PROBLEM(search, "gather pool information: %.*s", (int)offers->problem.len,
                              offers->problem.data);
        return outcome_of(search, BERTH__STEP_ERROR);
    }
    berth__step step = berth__device_search_check(search);
    if (step == BERTH__STEP_YES)
        step = search_all(search);
    if (step == BERTH__STEP_YES)
        step = berth__device_search_nodes(search);
    forget_marks(search);
    return outcome_of(search, step);
}

uint32_t berth__device_search_choice(const berth__device_search *search, uint32_t claim,
                                     uint32_t request)
{
    for (uint32_t i = 0; i < search->frame_count; i++)
        if (search->frames[i].kind == FRAME_ALTERNATIVES && search->frames[i].at.claim == claim &&
            search->frames[i].at.request == request)
            return search->frames[i].at.alternative;
    return 0;
}
