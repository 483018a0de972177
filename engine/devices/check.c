/* Checks the claims before any device is taken: whether their requests are valid, and how many
 * devices they need.
 * Source: dynamic-resource-allocation v0.36,
 * structured/internal/incubating/allocator_incubating.go: Allocate, validateDeviceRequest,
 * isSelectable. */
#include <string.h>

#include "devices/device_search.h"

/* ---- once ---- */

static berth__device_program **programs_of(berth__device_search *search,
                                           const berth__device_selector *selectors, uint32_t count)
{
    berth__device_program **out =
        berth__arena_alloc_zero(search->plan, (count + 1) * sizeof(*out), 8);
    for (uint32_t i = 0; out != NULL && i < count; i++) {
        if (!selectors[i].cel)
            continue;
        out[i] = berth__device_program_get(search->verdicts, selectors[i].expression);
        if (out[i] == NULL)
            return NULL;
    }
    return out;
}

static bool fill_line(berth__device_search *search, berth__device_line *line)
{
    const berth__device_ask *ask = line->ask;
    if (ask->class_name != 0)
        line->class_facts = search->find_class(search->context, ask->class_name);
    line->programs = programs_of(search, ask->selectors, ask->selector_count);
    if (line->programs == NULL || line->class_facts == NULL)
        return line->programs != NULL;
    line->class_programs =
        programs_of(search, line->class_facts->selectors, line->class_facts->selector_count);
    return line->class_programs != NULL;
}

static bool add_want(berth__device_search *search, uint32_t claim)
{
    const berth__device_want *want = &search->wants[claim];
    berth__want_state *state = &search->states[claim];
    state->first_line =
        berth__arena_alloc(search->plan, (want->request_count + 1) * sizeof(*state->first_line), 4);
    if (state->first_line == NULL)
        return false;
    for (uint32_t r = 0; r < want->request_count; r++) {
        const berth__device_request *request = &want->requests[r];
        state->first_line[r] = search->line_count;
        for (uint32_t a = 0; a < request->ask_count; a++) {
            berth__device_line *line = &search->lines[search->line_count++];
            *line =
                (berth__device_line){.ask = &request->asks[a], .request = request, .claim = claim};
            if (!fill_line(search, line))
                return false;
        }
    }
    state->first_line[want->request_count] = search->line_count;
    return berth__constraints_make(search, claim);
}

bool berth__device_search_begin(berth__device_search *search)
{
    uint32_t lines = 0;
    for (uint32_t c = 0; c < search->want_count; c++)
        for (uint32_t r = 0; r < search->wants[c].request_count; r++)
            lines += search->wants[c].requests[r].ask_count;
    search->line_count = 0;
    search->states = berth__arena_alloc_zero(search->plan,
                                             (search->want_count + 1) * sizeof(*search->states), 8);
    search->lines = berth__arena_alloc_zero(search->plan, (lines + 1) * sizeof(*search->lines), 8);
    if (search->states == NULL || search->lines == NULL)
        return false;
    for (uint32_t c = 0; c < search->want_count; c++)
        if (!add_want(search, c))
            return false;
    return true;
}

/* ---- on a node ---- */

berth_str berth__device_claim_name(berth__device_search *search, uint32_t claim)
{
    const berth__device_want *want = &search->wants[claim];
    berth_str text =
        berth__device_text(search->arena, "%.*s/%.*s", (int)want->namespace_name.len,
                           want->namespace_name.data, (int)want->name.len, want->name.data);
    search->no_memory |= text.data == NULL;
    return text;
}

berth_str berth__device_line_name(const berth__device_search *search,
                                  const berth__device_line *line)
{
    berth__sym name = line->request->first_available ? line->ask->name : line->request->name;
    return name != 0 ? berth__text(search->model, name) : (berth_str){"", 0};
}

/* Set a problem that begins with "claim K, request R". */
#define REQUEST_PROBLEM(search, line, format, ...)                                        \
    do {                                                                                  \
        const berth_str claim_ = berth__device_claim_name(search, (line)->claim);         \
        berth_str name_ = berth__device_line_name(search, line);                          \
        BERTH__DEVICE_PROBLEM(search, "claim %.*s, request %.*s" format, (int)claim_.len, \
                              claim_.data, (int)name_.len, name_.data, __VA_ARGS__);      \
    } while (0)

berth_str berth__device_offer_name(berth__device_search *search, const berth__offer *offer)
{
    const berth_str driver = berth__text(search->model, offer->slice->facts->driver);
    const berth_str pool = berth__text(search->model, offer->slice->facts->pool);
    const berth_str name = berth__text(search->model, offer->device->name);
    berth_str text =
        berth__device_text(search->arena, "%.*s/%.*s/%.*s", (int)driver.len, driver.data,
                           (int)pool.len, pool.data, (int)name.len, name.data);
    search->no_memory |= text.data == NULL;
    return text;
}

/* The text that kube-scheduler adds to an error that optional access would avoid. */
static const char *advice(berth_str why)
{
    static const char missing[] = "no such key:";
    return why.len > 0 && memmem(why.data, why.len, missing, sizeof(missing) - 1) != NULL
               ? ". consider using CEL optional chaining (.? followed by orValue()) or guarding "
                 "the check with has() for optional fields"
               : "";
}

berth__step berth__device_selectors_met(berth__device_search *search,
                                        const berth__device_line *line, bool of_class,
                                        const berth__offer *offer)
{
    uint32_t count = of_class ? line->class_facts->selector_count : line->ask->selector_count;
    berth__device_program *const *programs = of_class ? line->class_programs : line->programs;
    for (uint32_t i = 0; i < count; i++) {
        bool ok = true;
        uint32_t asked = search->verdicts->asked;
        berth__device_verdict verdict =
            programs[i] == NULL
                ? BERTH__VERDICT_NO
                : berth__device_program_ask(search->verdicts, programs[i], offer, &ok);
        search->work += (search->verdicts->asked - asked) * BERTH__DEVICE_WORK_ASKED;
        search->no_memory |= !ok;
        if (!ok)
            return BERTH__STEP_ERROR;
        if (verdict == BERTH__VERDICT_YES)
            continue;
        if (verdict == BERTH__VERDICT_NO)
            return BERTH__STEP_NO;
        berth_str why = berth__device_program_problem(search->verdicts, programs[i], offer);
        berth_str whose = of_class ? berth__text(search->model, line->ask->class_name)
                                   : berth__device_claim_name(search, line->claim);
        bool tells_device = search->model->behaviours.device_texts_new;
        berth_str device =
            tells_device ? berth__device_offer_name(search, offer) : (berth_str){"", 0};
        BERTH__DEVICE_PROBLEM(search, "%s %.*s: selector #%u%s%.*s: %.*s%s",
                              of_class ? "class" : "claim", (int)whose.len, whose.data, i,
                              tells_device ? " on device " : "", (int)device.len, device.data,
                              (int)why.len, why.len > 0 ? why.data : "",
                              tells_device ? advice(why) : "");
        search->no_memory |= why.len == 0;
        return BERTH__STEP_ERROR;
    }
    return BERTH__STEP_YES;
}

berth__step berth__device_selectable(berth__device_search *search, const berth__device_line *line,
                                     const berth__offer *offer)
{
    berth__step step = berth__device_selectors_met(search, line, true, offer);
    if (step == BERTH__STEP_YES)
        step = berth__device_selectors_met(search, line, false, offer);
    if (step != BERTH__STEP_YES || !offer->slice->facts->per_device)
        return step;
    berth_str problem = {0};
    bool met = berth__reach_meets(search->model, &offer->device->reach, search->node, &problem);
    if (problem.len > 0) {
        search->problem = problem;
        return BERTH__STEP_ERROR;
    }
    return met ? BERTH__STEP_YES : BERTH__STEP_NO;
}

static berth__step check_pool(berth__device_search *search, const berth__device_line *line,
                              const berth__pool_view *view)
{
    if (!view->incomplete && !view->invalid)
        return BERTH__STEP_YES;
    berth_str driver = berth__text(search->model, view->pool->key.driver);
    berth_str pool = berth__text(search->model, view->pool->key.name);
    REQUEST_PROBLEM(search, line,
                    ": asks for all devices, but resource pool %.*s/%.*s is currently %s",
                    (int)driver.len, driver.data, (int)pool.len, pool.data,
                    view->incomplete ? "being updated" : "invalid");
    return BERTH__STEP_ERROR;
}

/* List all devices that a line of mode All needs. */
static berth__step list_all(berth__device_search *search, berth__device_line *line)
{
    uint32_t total = 0;
    uint32_t count = 0;
    for (uint32_t p = 0; p < search->offers->count; p++)
        total += search->offers->pools[p]->offer_count;
    line->all = berth__arena_alloc(search->arena, (total + 1) * sizeof(*line->all), 8);
    if (line->all == NULL) {
        search->no_memory = true;
        return BERTH__STEP_ERROR;
    }
    for (uint32_t p = 0; p < search->offers->count; p++) {
        const berth__pool_view *view = search->offers->pools[p];
        if (check_pool(search, line, view) == BERTH__STEP_ERROR)
            return BERTH__STEP_ERROR;
        search->work += view->offer_count;
        for (uint32_t i = 0; i < view->offer_count; i++) {
            berth__step step = berth__device_selectable(search, line, view->offers[i]);
            if (step == BERTH__STEP_ERROR || search->work > search->work_max)
                return BERTH__STEP_ERROR;
            if (step == BERTH__STEP_YES)
                step = berth__device_had_capacity(search, line, view->offers[i]);
            if (step == BERTH__STEP_ERROR)
                return BERTH__STEP_ERROR;
            if (step == BERTH__STEP_YES)
                line->all[count++] = view->offers[i];
        }
    }
    line->need = count;
    return BERTH__STEP_YES;
}

static berth__step check_line(berth__device_search *search, berth__device_line *line)
{
    const berth__device_ask *ask = line->ask;
    berth_str class_name =
        ask->class_name != 0 ? berth__text(search->model, ask->class_name) : (berth_str){0};
    berth_str mode =
        ask->mode_text != 0 ? berth__text(search->model, ask->mode_text) : (berth_str){"", 0};
    for (uint32_t i = 0; i < ask->selector_count; i++)
        if (!ask->selectors[i].cel) {
            REQUEST_PROBLEM(search, line,
                            ", selector #%u: CEL expression empty (unsupported selector type?)", i);
            return BERTH__STEP_ERROR;
        }
    if (class_name.len == 0) {
        REQUEST_PROBLEM(search, line, ": %s",
                        "missing device class name (unsupported request type?)");
        return BERTH__STEP_ERROR;
    }
    if (line->class_facts == NULL) {
        REQUEST_PROBLEM(search, line,
                        ": could not retrieve device class %.*s: deviceclass.resource.k8s.io "
                        "\"%.*s\" not found",
                        (int)class_name.len, class_name.data, (int)class_name.len, class_name.data);
        return BERTH__STEP_ERROR;
    }
    if (ask->mode == BERTH__ALLOCATE_ALL)
        return list_all(search, line);
    if (ask->mode == BERTH__ALLOCATE_UNKNOWN) {
        REQUEST_PROBLEM(search, line, ": unsupported count mode %.*s", (int)mode.len, mode.data);
        return BERTH__STEP_ERROR;
    }
    line->need = ask->count;
    return BERTH__STEP_YES;
}

static void too_many_for(berth__device_search *search, uint32_t claim, uint32_t request,
                         int64_t count, int64_t before)
{
    const berth__sym symbol = search->wants[claim].requests[request].name;
    const berth_str name = berth__device_claim_name(search, claim);
    const berth_str own = symbol != 0 ? berth__text(search->model, symbol) : (berth_str){"", 0};
    BERTH__DEVICE_PROBLEM(search,
                          "claim %.*s, request %.*s: adding %lld devices exceeds the claim limit "
                          "of %d, with %lld already accounted for",
                          (int)name.len, name.data, (int)own.len, own.data, (long long)count,
                          (int)BERTH__DEVICE_RESULTS_MAX, (long long)before);
}

static berth__step check_want(berth__device_search *search, uint32_t claim)
{
    const berth__device_want *want = &search->wants[claim];
    const uint32_t *first = search->states[claim].first_line;
    int64_t sum = 0;
    for (uint32_t r = 0; r < want->request_count; r++) {
        int64_t least = INT64_MAX;
        for (uint32_t i = first[r]; i < first[r + 1]; i++) {
            if (check_line(search, &search->lines[i]) == BERTH__STEP_ERROR)
                return BERTH__STEP_ERROR;
            least = search->lines[i].need < least ? search->lines[i].need : least;
        }
        if (first[r] == first[r + 1])
            least = search->wants[claim].requests[r].first_available ? INT64_MAX : 0;
        if (search->model->behaviours.device_texts_new && least > BERTH__DEVICE_RESULTS_MAX - sum) {
            too_many_for(search, claim, r, least, sum);
            return BERTH__STEP_ERROR;
        }
        if (first[r] < first[r + 1])
            sum = (int64_t)((uint64_t)sum + (uint64_t)least);
    }
    if (sum > BERTH__DEVICE_RESULTS_MAX) {
        berth_str name = berth__device_claim_name(search, claim);
        BERTH__DEVICE_PROBLEM(
            search, "claim %.*s: number of requested devices %lld exceeds the claim limit of %d",
            (int)name.len, name.data, (long long)sum, (int)BERTH__DEVICE_RESULTS_MAX);
        return BERTH__STEP_ERROR;
    }
    for (uint32_t i = 0; i < want->constraint_count; i++)
        if (want->constraints[i].match.id == 0 && want->constraints[i].distinct.id == 0) {
            berth_str name = berth__device_claim_name(search, claim);
            BERTH__DEVICE_PROBLEM(
                search,
                "claim %.*s, constraint #%u: empty constraint (unsupported constraint type?)",
                (int)name.len, name.data, i);
            return BERTH__STEP_ERROR;
        }
    return BERTH__STEP_YES;
}

berth__step berth__device_search_check(berth__device_search *search)
{
    for (uint32_t c = 0; c < search->want_count; c++)
        if (check_want(search, c) == BERTH__STEP_ERROR)
            return BERTH__STEP_ERROR;
    return BERTH__STEP_YES;
}
