/* Prepares the claims of a pod as for a decision, then examines the devices of one node
 * separately. */
#include "decide/device_fits.h"

#include "base/error.h"
#include "base/sized.h"
#include "cluster/cluster_read.h"
#include "decide/question.h"
#include "devices/standing.h"
#include "plugins/special_claim.h"

/* The caller's array. */
typedef struct fit_list {
    berth_device_fit *out;
    size_t size;
    uint32_t capacity, count;
} fit_list;

static berth_str text_of(const berth__model *model, berth__sym sym)
{
    return sym != 0 ? berth__text(model, sym) : (berth_str){0};
}

/* The number of pools that offer nothing because they are incomplete or invalid. */
static uint32_t left_out(const berth__node_offers *offers)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < offers->count; p++)
        count += offers->pools[p]->incomplete || offers->pools[p]->invalid;
    return count;
}

static bool add_line(berth__pod_claims *claims, const berth__node_offers *offers, uint32_t line,
                     fit_list *list)
{
    berth__device_search *search = &claims->search;
    const berth__model *model = search->model;
    const berth__device_line *one = &search->lines[line];
    const berth__device_claim *claim = claims->wanting[one->claim]; /* NULL: it would be created */
    berth__device_standing standing;
    if (!berth__device_standing_of(search, &claims->where, offers, line, &standing))
        return false;
    const berth_device_fit own = {
        .claim_namespace = text_of(model, claim != NULL ? claim->record.key.namespace_name : 0),
        .claim_name = text_of(model, claim != NULL ? claim->record.key.name : 0),
        .request = text_of(model, one->request->name),
        .subrequest =
            one->request->first_available ? text_of(model, one->ask->name) : (berth_str){0},
        .device_class = text_of(model, one->ask->class_name),
        .asked = one->ask->mode == BERTH__ALLOCATE_ALL ? 0 : one->ask->count,
        .devices = standing.devices,
        .used = standing.used,
        .unlike = standing.unlike,
        .tainted = standing.tainted,
        .cramped = standing.cramped,
        .fit = standing.fit,
        .pools_left_out = left_out(offers),
    };
    if (list->count < list->capacity)
        berth__sized_give_at(list->out, list->count, list->size, &own, sizeof(own));
    list->count++;
    return true;
}

static bool add_lines(berth__pod_claims *claims, fit_list *list)
{
    const berth__node_offers *offers =
        berth__node_offers_of(&claims->devices->catalog, &claims->where);
    bool ok = offers != NULL;
    for (uint32_t i = 0; ok && i < claims->search.line_count; i++)
        ok = add_line(claims, offers, i, list);
    return ok;
}

static bool add_claims(const berth__question *cycle, berth_node_id node,
                       const berth__node_record *record, fit_list *list)
{
    berth__view *view = cycle->view;
    berth__arena *arena = &view->model->scratch;
    berth__arena_reset(arena);
    berth__reasons reasons = {.arena = arena, .ok = true};
    berth__pod_claims *claims = NULL;
    bool ok = true;
    berth__claims_verdict verdict;
    berth__outcome outcome = berth__pod_claims_make(cycle, arena, &reasons, &claims, &ok);
    if (!ok || outcome != BERTH__ACTIVE)
        return ok && reasons.ok;
    if (claims->special != NULL)
        claims = berth__special_claim_on(claims, record->slot, &verdict);
    if (claims == NULL || claims->want_count == 0)
        return reasons.ok;
    claims->where = (berth__offer_node){
        .id = node, .name = record->name, .labels = berth__node_labels(record->facts)};
    (void)pthread_mutex_lock(&claims->devices->lock);
    ok = add_lines(claims, list);
    (void)pthread_mutex_unlock(&claims->devices->lock);
    return ok;
}

berth_status berth__decider_device_fits(berth__decider *decider, uint32_t pod, berth_node_id node,
                                        berth_device_fit *out, size_t size, uint32_t capacity,
                                        uint32_t *count, berth_error *error)
{
    berth__question cycle;
    berth__decision decision;
    fit_list list = {.out = out, .size = size, .capacity = capacity};
    const berth__node_record *record = berth__cluster_present(decider->cluster, node);
    if (record == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node with this id");
    BERTH_TRY(berth__question_ask(decider, pod, &cycle, &decision, error));
    berth__model *model = cycle.view->model;
    berth__model_lock(model);
    bool ok = add_claims(&cycle, node, record, &list);
    berth__model_unlock(model);
    *count = list.count;
    return ok ? BERTH_OK : berth__error_no_memory(error);
}
