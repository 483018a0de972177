/* Notes everything that an explanation tells, and what an engine tells about a pod's devices and
 * the requests of nodes. Long lists become one number. */
#include "fuzz.h"
#include "operation_side.h"

typedef struct sum {
    uint64_t of;
} sum;

static void add(sum *s, uint64_t number)
{
    s->of = (s->of ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    s->of ^= s->of >> 29;
}

static void add_text(sum *s, berth_str text)
{
    add(s, text.len);
    for (uint32_t i = 0; i < text.len; i++)
        add(s, (unsigned char)text.data[i]);
}

static void add_node(sum *s, const operation_side *side, berth_node_id node)
{
    add_text(s, berth_engine_node_name(operation_target(side), node));
}

/* ---- explanations ---- */

static void add_scores(sum *s, const berth_explanation *told, uint32_t node)
{
    for (uint32_t p = 0; p < berth_explanation_score_count(told); p++) {
        int64_t raw = 0;
        add_text(s, berth_explanation_score_plugin(told, p));
        add(s, (uint64_t)berth_explanation_score(told, p, node));
        add(s, (uint64_t)berth_explanation_score_weight(told, p));
        add(s, berth_explanation_raw_score(told, p, node, &raw));
        add(s, (uint64_t)raw);
    }
}

static void add_refusals(sum *s, const operation_side *side, const berth_explanation *told)
{
    for (uint32_t i = 0; i < berth_explanation_refusal_count(told); i++) {
        const berth_refusal refusal = berth_explanation_refusal(told, i);
        add_node(s, side, refusal.node);
        add_text(s, refusal.plugin);
        add(s, refusal.code);
        for (uint32_t r = 0; r < refusal.reason_count; r++)
            add_text(s, berth_explanation_reason(told, i, r));
    }
}

/* The counts of all reasons are those of the refusals. */
static void check_reasons(const berth_explanation *told)
{
    enum { KINDS = 64 };
    berth_reason_count kinds[KINDS];
    uint64_t counted = 0, listed = 0;
    const uint32_t count = berth_explanation_reason_counts(told, kinds, KINDS);
    for (uint32_t i = 0; i < count && i < KINDS; i++)
        counted += kinds[i].nodes;
    for (uint32_t i = 0; i < berth_explanation_refusal_count(told); i++)
        listed += berth_explanation_refusal(told, i).reason_count;
    FUZZ_CHECK(count > KINDS || counted == listed);
}

void operation_note_explanation(operation_side *side)
{
    const berth_explanation *told = side->explanation;
    berth_str space, name;
    sum s = {0};
    operation_note_text(side, berth_explanation_message(told));
    operation_note_text(side, berth_explanation_pre_filter(told));
    operation_note_node(side, berth_explanation_nominated(told));
    for (uint32_t i = 0; i < berth_explanation_victim_count(told); i++)
        operation_note(side, berth_explanation_victim(told, i));
    for (uint32_t i = 0; i < berth_explanation_feasible_count(told); i++) {
        int64_t total = 0;
        add_node(&s, side, berth_explanation_feasible(told, i, &total));
        add(&s, (uint64_t)total);
        add_scores(&s, told, i);
    }
    add_refusals(&s, side, told);
    check_reasons(told);
    if (berth_explanation_deleted_claim(told, &space, &name)) {
        add_text(&s, space);
        add_text(&s, name);
    }
    if (berth_explanation_freed_claim(told, &space, &name)) {
        add_text(&s, space);
        add_text(&s, name);
    }
    operation_note(side, s.of);
}

/* ---- devices ---- */

static void add_fits(sum *s, operation_side *side, berth_pod_id pod, berth_node_id node)
{
    enum { FITS = 8 };
    berth_device_fit fits[FITS];
    uint32_t count = 0;
    if (berth_engine_device_fits(operation_target(side), pod, node, fits, FITS, &count,
                                 &side->error) != BERTH_OK)
        return;
    add(s, count);
    for (uint32_t i = 0; i < count && i < FITS; i++) {
        add_text(s, fits[i].claim_name);
        add_text(s, fits[i].request);
        add_text(s, fits[i].device_class);
        add(s, (uint64_t)fits[i].asked);
        add(s, fits[i].devices);
        add(s, fits[i].used);
        add(s, fits[i].fit);
        FUZZ_CHECK(fits[i].used + fits[i].unlike + fits[i].tainted + fits[i].cramped +
                       fits[i].fit ==
                   fits[i].devices);
    }
}

static void add_taken(sum *s, const berth_engine *engine, berth_pod_id pod)
{
    enum { TAKEN = 8 };
    berth_taken_device taken[TAKEN];
    berth_extended_request requests[TAKEN];
    uint32_t count = berth_engine_pod_devices(engine, pod, taken, TAKEN);
    add(s, count);
    for (uint32_t i = 0; i < count && i < TAKEN; i++) {
        add_text(s, taken[i].claim_name);
        add_text(s, taken[i].pool);
        add_text(s, taken[i].device);
    }
    count = berth_engine_pod_extended_requests(engine, pod, requests, TAKEN);
    add(s, count);
    for (uint32_t i = 0; i < count && i < TAKEN; i++) {
        add_text(s, requests[i].container);
        add_text(s, requests[i].resource);
        add_text(s, requests[i].request);
    }
}

static void add_claims(sum *s, const berth_engine *engine, berth_pod_id pod)
{
    berth_object *object;
    bool more = true;
    for (uint32_t i = 0; more; i++) {
        more = berth_engine_pod_claim_object(engine, pod, i, NULL, &object, NULL) == BERTH_OK;
        if (!more)
            break;
        add_text(s, object->as.resource_claim->meta.name);
        add(s, object->as.resource_claim->allocation != NULL);
        berth_object_destroy(object);
    }
    if (berth_engine_pod_extended_claim(engine, pod, NULL, &object, NULL) != BERTH_OK)
        return;
    add(s, object->as.resource_claim->request_count);
    add(s, object->as.resource_claim->allocation != NULL);
    berth_object_destroy(object);
}

void operation_read_devices(operation_side *side, const uint8_t *argument)
{
    berth_engine *engine = operation_target(side);
    const berth_pod_id pod = operation_pod(side, argument[0]);
    sum s = {0};
    add_fits(&s, side, pod, operation_node(side, argument[1]));
    add_taken(&s, engine, pod);
    add_claims(&s, engine, pod);
    operation_note(side, s.of);
}

/* ---- requests ---- */

void operation_read_requests(operation_side *side, const uint8_t *argument)
{
    enum { NAMES = 8, NODES = 16, AMOUNTS = 8 };
    const berth_engine *engine = operation_target(side);
    const berth_pod_id pod = operation_pod(side, argument[0]);
    berth_str names[NAMES];
    berth_node_id nodes[NODES];
    berth_amount amounts[AMOUNTS];
    berth_key_value labels[AMOUNTS];
    int64_t allocatable[NODES], requested[NODES];
    sum s = {0};
    uint32_t count = berth_engine_pod_requests(engine, pod, amounts, AMOUNTS);
    for (uint32_t i = 0; i < count && i < AMOUNTS; i++) {
        int64_t amount = 0;
        FUZZ_CHECK(berth_engine_pod_resource(engine, pod, amounts[i].resource, &amount, NULL) ==
                       BERTH_OK &&
                   amount == amounts[i].amount);
        add_text(&s, amounts[i].resource);
        add(&s, (uint64_t)amount);
    }
    count = berth_engine_pod_labels(engine, pod, labels, AMOUNTS);
    for (uint32_t i = 0; i < count && i < AMOUNTS; i++) {
        const berth_str value = berth_engine_pod_label(engine, pod, labels[i].key);
        FUZZ_CHECK(value.len == labels[i].value.len);
        add_text(&s, value);
    }
    count = berth_engine_resource_names(engine, names, NAMES);
    if (count > 0) {
        const berth_str name = names[argument[1] % (count < NAMES ? count : NAMES)];
        const uint32_t found =
            berth_engine_resource_by_node(engine, name, nodes, allocatable, requested, NODES);
        for (uint32_t i = 0; i < found && i < NODES; i++) {
            add_node(&s, side, nodes[i]);
            add(&s, (uint64_t)allocatable[i]);
            add(&s, (uint64_t)requested[i]);
        }
    }
    operation_note(side, s.of);
}
